//! Rows of quantised tables, as floats: what the same rows take as `f32` is in the same list.
//!
//! A run gathers batches of rows to one output that stays in a cache, as inference does: from
//! memory each row of the table once, in random order, so that no row is in a cache.

use std::hint::black_box;

use bytemuck::{AnyBitPattern, Pod, cast_slice_mut};
use half::f16;
use strew::quant::{
    Attributes, BlockQuantized, F4E2M1x2, F8E4M3FN, IQ4_NL, Packing, Q4_0, Q4_K, Q6_K, Q8_0, Scale,
    f16_to_f32,
};
use strew::{Gather, Layout};

use crate::inputs::SplitMix64;
use crate::threads::THREADS;
use crate::workloads::{Ready, Workload};

/// The family of these workloads.
pub(crate) const QUANT: &str = "quant";

/// The floats of a row.
const WIDTH: usize = 4096;

/// A table: how many rows it has, how many of them are gathered in a run, and in a call.
#[derive(Clone, Copy)]
struct Table {
    place: &'static str,
    rows: usize,
    gathered: usize,
    batch: usize,
}

pub(crate) fn workloads(quick: bool) -> Vec<Workload> {
    let near = Table { place: "L2", rows: 32, gathered: 1024, batch: 8 };
    let memory = Table { place: "memory", rows: 32_768, gathered: 32_768, batch: 32 };
    let tables = if quick {
        [Table { gathered: 16, ..near }, Table { rows: 64, gathered: 64, ..memory }]
    } else {
        [near, memory]
    };
    tables.into_iter().flat_map(of_table).collect()
}

fn of_table(table: Table) -> Vec<Workload> {
    let full = f32::from_le_bytes;
    vec![
        table.workload(
            "f32",
            4,
            move |gather| {
                move |rows: &[f32], ids: &[i64], output: &mut [f32]| {
                    gather.run(rows, ids, output).unwrap();
                }
            },
            1,
            move |bytes, to| to[0] = full(bytes.try_into().unwrap()),
        ),
        table.workload(
            "f16",
            2,
            move |gather| {
                move |rows: &[f16], ids: &[i64], output: &mut [f32]| {
                    gather.run_map(rows, ids, output, f16_to_f32).unwrap();
                }
            },
            1,
            |bytes, to| to[0] = half(bytes),
        ),
        table.workload(
            "F8E4M3FN",
            1,
            move |gather| {
                move |rows: &[F8E4M3FN], ids: &[i64], output: &mut [f32]| {
                    gather.run_map(rows, ids, output, F8E4M3FN::to_f32).unwrap();
                }
            },
            1,
            |bytes, to| {
                let (exponent, mantissa) = (i32::from(bytes[0] >> 3 & 15), bytes[0] & 7);
                let magnitude = match (exponent, f32::from(mantissa) / 8.0) {
                    (15, _) if mantissa == 7 => f32::NAN,
                    (0, part) => part * 2_f32.powi(-6),
                    (_, part) => (1.0 + part) * 2_f32.powi(exponent - 7),
                };
                to[0] = if bytes[0] < 128 { magnitude } else { -magnitude };
            },
        ),
        table.blocks(
            "F4E2M1x2",
            #[inline(always)]
            |block: F4E2M1x2| block.decode(),
            |bytes, to| {
                const LEVELS: [f32; 8] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];
                for (to, code) in to.iter_mut().zip([bytes[0] & 15, bytes[0] >> 4]) {
                    let magnitude = LEVELS[usize::from(code & 7)];
                    *to = if code < 8 { magnitude } else { -magnitude };
                }
            },
        ),
        table.blocks(
            "Q8_0",
            #[inline(always)]
            |block: Q8_0| block.decode(),
            |bytes, to| {
                let scale = half(bytes);
                for (to, q) in to.iter_mut().zip(&bytes[2..]) {
                    *to = f32::from(*q as i8) * scale;
                }
            },
        ),
        table.blocks(
            "Q4_0",
            #[inline(always)]
            |block: Q4_0| block.decode(),
            |bytes, to| {
                let scale = half(bytes);
                for at in 0..16 {
                    to[at] = (i32::from(bytes[2 + at] & 15) - 8) as f32 * scale;
                    to[at + 16] = (i32::from(bytes[2 + at] >> 4) - 8) as f32 * scale;
                }
            },
        ),
        table.blocks(
            "IQ4_NL",
            #[inline(always)]
            |block: IQ4_NL| block.decode(),
            |bytes, to| {
                const LEVELS: [i8; 16] =
                    [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];
                let scale = half(bytes);
                for at in 0..16 {
                    to[at] = f32::from(LEVELS[usize::from(bytes[2 + at] & 15)]) * scale;
                    to[at + 16] = f32::from(LEVELS[usize::from(bytes[2 + at] >> 4)]) * scale;
                }
            },
        ),
        table.blocks(
            "Q4_K",
            #[inline(always)]
            |block: Q4_K| block.decode(),
            |bytes, to| {
                let (d, least) = (half(bytes), half(&bytes[2..]));
                let packed = &bytes[4..16];
                for part in 0..8 {
                    let (scale, offset) = if part < 4 {
                        (packed[part] & 63, packed[part + 4] & 63)
                    } else {
                        let (both, high) = (packed[part + 4], part - 4);
                        (both & 15 | packed[high] >> 6 << 4, both >> 4 | packed[part] >> 6 << 4)
                    };
                    let (scale, offset) = (d * f32::from(scale), least * f32::from(offset));
                    for at in 0..32 {
                        let byte = bytes[16 + part / 2 * 32 + at];
                        let q = if part % 2 == 0 { byte & 15 } else { byte >> 4 };
                        to[part * 32 + at] = scale * f32::from(q) - offset;
                    }
                }
            },
        ),
        table.blocks(
            "Q6_K",
            #[inline(always)]
            |block: Q6_K| block.decode(),
            |bytes, to| {
                let d = half(&bytes[208..]);
                for at in 0..256 {
                    let (half, part, place) = (at / 128, at / 32 % 4, at % 32);
                    let low = bytes[half * 64 + part % 2 * 32 + place];
                    let low = if part < 2 { low & 15 } else { low >> 4 };
                    let high = bytes[128 + half * 32 + place] >> (2 * part) & 3;
                    let scale = d * f32::from(bytes[192 + at / 16] as i8);
                    to[at] = scale * (i32::from(low | high << 4) - 32) as f32;
                }
            },
        ),
        table.block_quantized("GatherBlockQuantized", 4, |scale| scale, |q, scale: f32| q * scale),
        table.block_quantized("GatherBlockQuantized, f16", 4, f16::from_f32, rounded),
        table.block_quantized("GatherBlockQuantized, 8 bits, f16", 8, f16::from_f32, rounded),
    ]
}

fn rounded(q: f32, scale: f16) -> f16 {
    f16::from_f32(q * scale.to_f32())
}

/// Two sides that are strew: all threads, and one.
pub(crate) fn with_threads(quick: bool) -> Vec<Workload> {
    // Calls of 4 MiB of floats: they are divided from 2 on.
    let near = Table { place: "L2", rows: 32, gathered: 1024, batch: 256 };
    let memory = Table { place: "memory", rows: 32_768, gathered: 4096, batch: 256 };
    let tables =
        if quick { [near, Table { rows: 64, gathered: 256, ..memory }] } else { [near, memory] };
    let of_table = |table: Table| {
        [
            table.by_threads(
                "f32",
                #[inline(always)]
                |value: f32| value,
            ),
            table.by_threads("f16", f16_to_f32),
            table.by_threads(
                "Q8_0",
                #[inline(always)]
                |block: Q8_0| block.decode(),
            ),
            table.by_threads(
                "Q4_0",
                #[inline(always)]
                |block: Q4_0| block.decode(),
            ),
            table.block_quantized_by_threads(),
        ]
    };
    tables.into_iter().flat_map(of_table).collect()
}

/// A float in two bytes.
fn half(bytes: &[u8]) -> f32 {
    f16::from_le_bytes([bytes[0], bytes[1]]).to_f32()
}

impl Table {
    /// Rows of blocks.
    fn blocks<B: Pod + Send + Sync, const N: usize>(
        self,
        name: &str,
        decode: impl Fn(B) -> [f32; N] + Copy + 'static,
        plain: impl Fn(&[u8], &mut [f32]) + Copy + 'static,
    ) -> Workload {
        let run = move |gather: Gather| {
            move |rows: &[B], ids: &[i64], output: &mut [f32]| {
                let output: &mut [[f32; N]] = bytemuck::cast_slice_mut(output);
                gather.run_map(rows, ids, output, decode).unwrap();
            }
        };
        self.workload(name, size_of::<B>(), run, N, plain)
    }

    /// Rows whose elements have `bytes` bytes, and stand for `n` floats each.
    fn workload<B: AnyBitPattern, R: Fn(&[B], &[i64], &mut [f32]) + 'static>(
        self,
        name: &str,
        bytes: usize,
        run: impl Fn(Gather) -> R + Copy + 'static,
        n: usize,
        plain: impl Fn(&[u8], &mut [f32]) + Copy + 'static,
    ) -> Workload {
        let width = WIDTH / n;
        let [rows, output] = [[self.rows, width], [self.batch, width]].map(Layout::contiguous);
        let gather = Gather::axis(&rows, &Layout::contiguous([self.batch]), &output, 0).unwrap();
        self.list(QUANT, name, width * bytes, move || {
            let run = run(gather);
            let strew = move |table: &[u8], ids: &[i64], output: &mut [f32]| {
                run(bytemuck::cast_slice(table), ids, output);
            };
            let plain = move |table: &[u8], ids: &[i64], output: &mut [f32]| {
                for (id, row) in ids.iter().zip(output.chunks_mut(WIDTH)) {
                    let from = &table[*id as usize * width * bytes..][..width * bytes];
                    for (block, to) in from.chunks(bytes).zip(row.chunks_mut(n)) {
                        plain(block, to);
                    }
                }
            };
            (Box::new(strew), Box::new(plain))
        })
    }

    /// Rows that `map` makes floats of.
    fn by_threads<B: Pod + Send + Sync, U: Pod + Send + Sync>(
        self,
        name: &str,
        map: impl Fn(B) -> U + Copy + Sync + 'static,
    ) -> Workload {
        let width = WIDTH * size_of::<f32>() / size_of::<U>();
        let [rows, output] = [[self.rows, width], [self.batch, width]].map(Layout::contiguous);
        let gather = Gather::axis(&rows, &Layout::contiguous([self.batch]), &output, 0).unwrap();
        self.list(THREADS, name, width * size_of::<B>(), move || {
            let many = move |table: &[u8], ids: &[i64], output: &mut [f32]| {
                let (table, output) = (bytemuck::cast_slice(table), cast_slice_mut(output));
                gather.par_run_map(table, ids, output, map).unwrap();
            };
            let one = move |table: &[u8], ids: &[i64], output: &mut [f32]| {
                let (table, output) = (bytemuck::cast_slice(table), cast_slice_mut(output));
                gather.run_map(table, ids, output, map).unwrap();
            };
            (Box::new(many), Box::new(one))
        })
    }

    /// ONNX's operator, 4 bits, blocks of 32.
    fn block_quantized_by_threads(self) -> Workload {
        let (gather, scales) = (self.blocks_of_32(4), self.scales(|scale| scale));
        self.list(THREADS, "GatherBlockQuantized", WIDTH / 2, move || {
            let (for_many, scales) = (scales.clone(), scales.clone());
            let many = move |table: &[u8], ids: &[i64], output: &mut [f32]| {
                gather.par_run(table, &for_many, None, ids, output).unwrap();
            };
            let one = move |table: &[u8], ids: &[i64], output: &mut [f32]| {
                gather.run(table, &scales, None, ids, output).unwrap();
            };
            (Box::new(many), Box::new(one))
        })
    }

    /// ONNX's operator, blocks of 32.
    fn blocks_of_32(self, bits: usize) -> BlockQuantized {
        let attributes = Attributes { block_size: 32, ..Attributes::DEFAULT };
        let (ids, output) =
            (Layout::contiguous([self.batch]), Layout::contiguous([self.batch, WIDTH]));
        let sizes = [self.rows, WIDTH * bits / 8];
        BlockQuantized::new(Packing::U8 { bits }, &attributes, &sizes, &ids, &output).unwrap()
    }

    fn scales<S>(self, of: fn(f32) -> S) -> Vec<S> {
        (0..self.rows * WIDTH / 32).map(|n| of(n as f32 * 1e-6)).collect()
    }

    /// ONNX's operator, scales and results of this type.
    fn block_quantized<S: Scale + Pod>(
        self,
        name: &str,
        bits: usize,
        of: fn(f32) -> S,
        product: fn(f32, S) -> S,
    ) -> Workload {
        let (gather, scales) = (self.blocks_of_32(bits), self.scales(of));
        let count = self.batch * WIDTH;
        let (mask, zero) = (u8::MAX >> (8 - bits), 1 << (bits - 1));
        self.list(QUANT, name, WIDTH * bits / 8, move || {
            let (of_strew, of_plain) = (scales.clone(), scales.clone());
            let strew = move |table: &[u8], ids: &[i64], output: &mut [f32]| {
                let output = &mut bytemuck::cast_slice_mut(output)[..count];
                gather.run(table, &of_strew, None, ids, output).unwrap();
            };
            let plain = move |table: &[u8], ids: &[i64], output: &mut [f32]| {
                let output = &mut bytemuck::cast_slice_mut(output)[..count];
                for (id, row) in ids.iter().zip(output.chunks_mut(WIDTH)) {
                    for (at, to) in row.iter_mut().enumerate() {
                        let place = *id as usize * WIDTH + at;
                        let q = table[place * bits / 8] >> (place * bits % 8) & mask;
                        *to = product((i32::from(q) - zero) as f32, of_plain[place / 32]);
                    }
                }
            };
            (Box::new(strew), Box::new(plain))
        })
    }

    fn list(
        self,
        family: &'static str,
        name: &str,
        row_bytes: usize,
        sides: impl Fn() -> (Side, Side) + 'static,
    ) -> Workload {
        let make = move || -> Box<dyn Ready> {
            let (strew, plain) = sides();
            Box::new(Batches {
                table: self.table(row_bytes),
                ids: self.ids(),
                batch: self.batch,
                output: vec![0.0; self.batch * WIDTH],
                strew,
                plain,
            })
        };
        let elements = self.gathered * WIDTH;
        Workload {
            family,
            name: format!("gather {WIDTH} {name}, {}", self.place),
            elements,
            bytes: self.gathered * (row_bytes + size_of::<i64>()) + elements * size_of::<f32>(),
            make: Box::new(make),
            route: Box::new(|_| "as run of the table's elements".to_owned()),
        }
    }

    /// Bytes of which each two are a small and positive `f16`, so that no scale is infinite: an
    /// `f32` of such bytes is finite as well.
    fn table(self, row_bytes: usize) -> Vec<u8> {
        let mut random = SplitMix64(row_bytes as u64);
        let words = (0..self.rows * row_bytes / 8 + 1)
            .flat_map(|_| (random.next() & 0x2fff_2fff_2fff_2fff).to_le_bytes());
        words.take(self.rows * row_bytes).collect()
    }

    /// All rows in random order, again and again.
    fn ids(self) -> Vec<i64> {
        let (mut random, mut ids) = (SplitMix64(5), (0..self.rows as i64).collect::<Vec<_>>());
        for at in (1..ids.len()).rev() {
            ids.swap(at, random.below(at + 1));
        }
        ids.into_iter().cycle().take(self.gathered).collect()
    }
}

/// Gathers a batch of rows.
type Side = Box<dyn Fn(&[u8], &[i64], &mut [f32])>;

struct Batches {
    table: Vec<u8>,
    ids: Vec<i64>,
    batch: usize,
    output: Vec<f32>,
    strew: Side,
    plain: Side,
}

impl Batches {
    fn run(table: &[u8], ids: &[i64], batch: usize, output: &mut [f32], side: &Side) {
        for ids in ids.chunks_exact(batch) {
            side(black_box(table), black_box(ids), black_box(output));
        }
    }
}

impl Ready for Batches {
    fn strew(&mut self, times: u64) {
        for _ in 0..times {
            Batches::run(&self.table, &self.ids, self.batch, &mut self.output, &self.strew);
        }
    }

    fn safe_loop(&mut self, times: u64) {
        for _ in 0..times {
            Batches::run(&self.table, &self.ids, self.batch, &mut self.output, &self.plain);
        }
    }

    fn agrees(&mut self) -> bool {
        self.ids.chunks_exact(self.batch).all(|ids| {
            self.output.fill(f32::NAN);
            (self.strew)(&self.table, ids, &mut self.output);
            let ours: Vec<u32> = self.output.iter().map(|value| value.to_bits()).collect();
            self.output.fill(f32::NAN);
            (self.plain)(&self.table, ids, &mut self.output);
            ours.iter().zip(&self.output).all(|(ours, value)| *ours == value.to_bits())
        })
    }
}
