//! Quantised tables of any bytes and sizes, against the formulas value by value.

use half::f16;
use strew::quant::{
    Attributes, BlockQuantized, F4E2M1x2, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, IQ4_NL,
    Packing, Q4_0, Q4_1, Q4_K, Q5_0, Q5_1, Q5_K, Q6_K, Q8_0, Row2, Row4, Row8, Scale,
};
use strew::{Bounds, Error, Gather, Layout, Operand};

use super::generate::Choose;
use super::oracle::coordinates;
use super::path;
use super::values::noise;

/// What comes to a decoder, or to a gather with scales of their own.
#[derive(Debug)]
pub enum Case {
    Blocks { format: usize, rows: usize, width: usize, ids: Vec<i8>, seed: u64 },
    Gather(Quantised),
}

/// [`BlockQuantized`] of any attributes and sizes.
#[derive(Debug)]
pub struct Quantised {
    packing: Packing,
    attributes: Attributes,
    sizes: Vec<usize>,
    indices: Vec<i64>,
    bounds: Bounds,
    /// Scales and results are `f16`.
    half: bool,
    zeros: bool,
    /// Axes of floats share their scales where this has a bit.
    shared: usize,
    /// The output lies from its end on, with gaps.
    backwards: bool,
    /// The slice that is too short by one, if there is one.
    short: Option<Operand>,
    seed: u64,
}

pub fn case(choose: Choose) -> Case {
    if choose(2) == 0 {
        let (format, rows, width) = (choose(17), 1 + choose(5), 1 + choose(4));
        let entries = choose(70);
        let ids = (0..entries).map(|_| choose(rows) as i8).collect();
        return Case::Blocks { format, rows, width, ids, seed: choose(1 << 16) as u64 };
    }
    let packing = match choose(11) {
        4 => Packing::Int4,
        5 => Packing::Uint4,
        6 => Packing::F8E4M3FN,
        7 => Packing::F8E4M3FNUZ,
        8 => Packing::F8E5M2,
        9 => Packing::F8E5M2FNUZ,
        10 => Packing::F4E2M1,
        n => Packing::U8 { bits: [4, 8, 2, choose(17)][n] },
    };
    let rank = [2, 3, 1, 4][choose(4)];
    let mut sizes: Vec<usize> = (0..rank).map(|_| choose(5)).collect();
    if choose(4) > 0
        && let Some(last) = sizes.last_mut()
    {
        *last = [16, 64, 17, 128, 33, 300][choose(6)];
    }
    let block_size = match choose(8) {
        0 => choose(80),
        1 if is_float(packing) => 0,
        n => 16 << (n % 4),
    };
    let axis = |choose: Choose| choose(2 * rank + 2) as isize - rank as isize - 1;
    let attributes = match choose(3) {
        0 => Attributes { gather_axis: axis(choose), quantize_axis: axis(choose), block_size },
        _ => Attributes { gather_axis: 0, quantize_axis: -1, block_size },
    };
    let entries = choose(6);
    let indices = (0..entries).map(|_| choose(7) as i64 - 2).collect();
    let bounds = [Bounds::Skip, Bounds::Clamp, Bounds::Wrap, Bounds::Error][choose(4)];
    let (half, zeros, backwards) = (choose(2) == 1, choose(2) == 1, choose(4) == 3);
    let short =
        [None, None, None, Some(Operand::Input), Some(Operand::Scales), Some(Operand::ZeroPoints)]
            [choose(6)];
    let seed = choose(1 << 16) as u64;
    let shared = if is_float(packing) { choose(16) } else { 0 };
    Case::Gather(Quantised {
        packing,
        attributes,
        sizes,
        indices,
        bounds,
        half,
        zeros,
        shared,
        backwards,
        short,
        seed,
    })
}

fn is_float(packing: Packing) -> bool {
    !matches!(packing, Packing::U8 { .. } | Packing::Int4 | Packing::Uint4)
}

/// The value of a code, by its definition.
fn float(packing: Packing, code: u8) -> f32 {
    let (mantissa, bias) = match packing {
        Packing::F8E4M3FN => (3, 7),
        Packing::F8E4M3FNUZ => (3, 8),
        Packing::F8E5M2 => (2, 15),
        Packing::F8E5M2FNUZ => (2, 16),
        _ => (1, 1),
    };
    let bits = packing.bits();
    let (sign, magnitude) = (code >> (bits - 1) & 1, code & ((1 << (bits - 1)) - 1));
    let value = match (packing, magnitude) {
        (Packing::F8E4M3FNUZ | Packing::F8E5M2FNUZ, _) if code == 0x80 => f32::NAN,
        (Packing::F8E4M3FN, 0x7f) | (Packing::F8E5M2, 0x7d..) => f32::NAN,
        (Packing::F8E5M2, 0x7c) => f32::INFINITY,
        _ => {
            let (exponent, fraction) =
                (i32::from(magnitude >> mantissa), magnitude & ((1 << mantissa) - 1));
            let whole = u8::from(exponent > 0) << mantissa;
            f32::from(whole + fraction) * 2_f32.powi(exponent.max(1) - bias - mantissa)
        }
    };
    if sign == 1 { -value } else { value }
}

impl Case {
    #[inline]
    pub fn check(&self) {
        match self {
            Case::Gather(case) if case.half => {
                case.check::<f16>(|bits| f16::from_bits(bits as u16), f16::to_f32, f16::from_f32)
            }
            Case::Gather(case) => {
                case.check::<f32>(|bits| f32::from_bits(bits as u32), |scale| scale, |value| value)
            }
            Case::Blocks { format, rows, width, ids, seed } => {
                let blocks = Blocks { rows: *rows, width: *width, ids, seed: *seed };
                blocks.check(*format);
            }
        }
    }
}

fn bytes(count: usize, seed: u64) -> Vec<u8> {
    noise(seed, 1).take(count).map(|z| (z >> 20) as u8).collect()
}

/// The same but for what a NaN has.
fn same(found: f32, expected: f32) -> bool {
    found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan()
}

struct Blocks<'a> {
    rows: usize,
    width: usize,
    ids: &'a [i8],
    seed: u64,
}

fn half(bytes: &[u8]) -> f32 {
    f16::from_le_bytes([bytes[0], bytes[1]]).to_f32()
}

fn signed(byte: u8) -> f32 {
    f32::from(byte as i8)
}

/// Value `i` of the low halves of 16 bytes, then of the high ones.
fn four(bytes: &[u8], i: usize) -> u8 {
    if i < 16 { bytes[i] & 15 } else { bytes[i - 16] >> 4 }
}

/// The same with a fifth bit from a word before them.
fn five(bytes: &[u8], i: usize) -> f32 {
    f32::from(four(&bytes[4..], i) | (bytes[i / 8] >> (i % 8) & 1) << 4)
}

/// Scale and offset of a part of 32 values: six bits each, in 12 bytes.
fn sixes(bytes: &[u8], part: usize) -> [f32; 2] {
    let pair = match part {
        0..4 => [bytes[part] & 63, bytes[part + 4] & 63],
        _ => [
            bytes[part + 4] & 15 | bytes[part - 4] >> 6 << 4,
            bytes[part + 4] >> 4 | bytes[part] >> 6 << 4,
        ],
    };
    pair.map(f32::from)
}

const LEVELS: [i8; 16] = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];

impl Blocks<'_> {
    #[inline]
    fn check(&self, format: usize) {
        match format {
            0 => self.of(Q8_0::decode, |b, i| signed(b[2 + i]) * half(b)),
            1 => self.of(Q4_0::decode, |b, i| (f32::from(four(&b[2..], i)) - 8.0) * half(b)),
            2 => {
                self.of(Q4_1::decode, |b, i| f32::from(four(&b[4..], i)) * half(b) + half(&b[2..]))
            }
            3 => self.of(Q5_0::decode, |b, i| (five(&b[2..], i) - 16.0) * half(b)),
            4 => self.of(Q5_1::decode, |b, i| five(&b[4..], i) * half(b) + half(&b[2..])),
            5 => self.of(IQ4_NL::decode, |b, i| {
                half(b) * f32::from(LEVELS[usize::from(four(&b[2..], i))])
            }),
            6 => self.of(Q4_K::decode, |b, i| {
                let [scale, offset] = sixes(&b[4..], i / 32);
                let q = b[16 + i / 64 * 32 + i % 32] >> (i / 32 % 2 * 4) & 15;
                half(b) * scale * f32::from(q) - half(&b[2..]) * offset
            }),
            7 => self.of(Q5_K::decode, |b, i| {
                let [scale, offset] = sixes(&b[4..], i / 32);
                let q = b[48 + i / 64 * 32 + i % 32] >> (i / 32 % 2 * 4) & 15;
                let high = b[16 + i % 32] >> (i / 32) & 1;
                half(b) * scale * f32::from(q | high << 4) - half(&b[2..]) * offset
            }),
            8 => self.of(Q6_K::decode, |b, i| {
                let low = b[i / 128 * 64 + i % 64] >> (i / 64 % 2 * 4) & 15;
                let high = b[128 + i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2) & 3;
                let q = i32::from(low | high << 4) - 32;
                half(&b[208..]) * signed(b[192 + i / 16]) * q as f32
            }),
            9 => self.of(Row8::<21>::decode, |b, i| {
                let [scale, offset] =
                    [21, 25].map(|at| f32::from_le_bytes(b[at..][..4].try_into().unwrap()));
                // A product of 32 bits is exact in an `f64`, and so are sums of small ones; others
                // are compared by `tests/quant.rs` with PyTorch's.
                f32::from(b[i]).mul_add(scale, offset)
            }),
            10 => self.of(Row4::<21, 11>::decode, |b, i| {
                f32::from(b[i / 2] >> (i % 2 * 4) & 15) * half(&b[11..]) + half(&b[13..])
            }),
            12 => self.of(|code: F8E4M3FN| [code.to_f32()], |b, _| float(Packing::F8E4M3FN, b[0])),
            13 => {
                self.of(|code: F8E4M3FNUZ| [code.to_f32()], |b, _| float(Packing::F8E4M3FNUZ, b[0]))
            }
            14 => self.of(|code: F8E5M2| [code.to_f32()], |b, _| float(Packing::F8E5M2, b[0])),
            15 => {
                self.of(|code: F8E5M2FNUZ| [code.to_f32()], |b, _| float(Packing::F8E5M2FNUZ, b[0]))
            }
            16 => self.of(F4E2M1x2::decode, |b, i| float(Packing::F4E2M1, b[0] >> (4 * i) & 15)),
            _ => self.of(Row2::<21, 6>::decode, |b, i| {
                f32::from(b[i / 4] >> (i % 4 * 2) & 3) * half(&b[6..]) + half(&b[8..])
            }),
        }
    }

    /// Alone and gathered, on each path.
    fn of<B: bytemuck::Pod + Send + Sync, const N: usize>(
        &self,
        decode: fn(B) -> [f32; N],
        value: fn(&[u8], usize) -> f32,
    ) {
        let Blocks { rows, width, ids, seed } = *self;
        let raw = bytes(rows * width * size_of::<B>(), seed);
        let table: &[B] = bytemuck::cast_slice(&raw);
        let layout = |n| Layout::contiguous([n, width]);
        let entries = Layout::contiguous([ids.len()]);
        let gather = Gather::axis(&layout(rows), &entries, &layout(ids.len()), 0).unwrap();
        path::each(|_| {
            let mut found = vec![[0.0; N]; ids.len() * width];
            gather.run_map(table, ids, &mut found, decode).unwrap();
            for (at, block) in found.iter().enumerate() {
                let place = ids[at / width] as usize * width + at % width;
                let raw = bytemuck::bytes_of(&table[place]);
                for (i, found) in block.iter().enumerate() {
                    let expected = value(raw, i);
                    let type_name = std::any::type_name::<B>();
                    assert!(same(*found, expected), "{type_name} {i}: {found}, {expected}");
                }
            }
        });
    }
}

impl Quantised {
    fn check<S: Scale + Copy + PartialEq + std::fmt::Debug>(
        &self,
        any: fn(u64) -> S,
        to_f32: fn(S) -> f32,
        from_f32: fn(f32) -> S,
    ) {
        let Quantised { packing, attributes, sizes, indices, bounds, .. } = self;
        let found = BlockQuantized::sizes(*packing, attributes, sizes, &[indices.len()]);
        let Ok(output_sizes) = found else {
            // What is refused there is refused everywhere.
            let layout = Layout::contiguous([indices.len()]);
            let new = BlockQuantized::new(*packing, attributes, sizes, &layout, &layout);
            assert!(new.is_err(), "{self:?}");
            return;
        };
        let oracle = Oracle::new(self);
        let packed = Layout::from_sizes(&output_sizes).unwrap();
        let count: usize = output_sizes.iter().product();
        let (layout, length) = match self.backwards {
            true => {
                let strides: Vec<isize> = packed.strides().iter().map(|s| -2 * s).collect();
                let end = 2 * count;
                (Layout::from_parts(&output_sizes, &strides, end).unwrap(), end + 1)
            }
            false => (packed, count),
        };
        let ids = Layout::contiguous([indices.len()]);
        let gather = BlockQuantized::new(*packing, attributes, sizes, &ids, &layout).unwrap();
        let gather = gather.bounds(*bounds).scales(&oracle.blocks).unwrap();

        let shorter = |operand, length: usize| match self.short == Some(operand) {
            true => length.saturating_sub(1),
            false => length,
        };
        let data = bytes(shorter(Operand::Input, oracle.data), self.seed);
        let scales: Vec<S> =
            noise(self.seed, 2).take(shorter(Operand::Scales, oracle.scales)).map(any).collect();
        let zeros = bytes(shorter(Operand::ZeroPoints, oracle.zeros), self.seed ^ 5);
        let zeros = (self.zeros && !is_float(*packing)).then_some(&zeros[..]);
        let enough = data.len() == oracle.data
            && scales.len() == oracle.scales
            && zeros.is_none_or(|zeros| zeros.len() == oracle.zeros);
        let moves: Vec<_> = coordinates(&output_sizes)
            .into_iter()
            .enumerate()
            .map(|(at, c)| (at, oracle.place(self, &c)))
            .collect();
        let bad = indices.iter().any(|index| oracle.resolve(*index, Bounds::Error).is_none());

        let old = from_f32(77.0);
        path::each(|_| {
            let mut output = vec![old; length];
            let result = gather.run(&data, &scales, zeros, indices, &mut output);
            match result {
                _ if !enough => {
                    assert!(matches!(result, Err(Error::SliceTooShort { .. })), "{self:?}");
                }
                Err(Error::IndexOutOfBounds { .. }) => {
                    assert!(bad && *bounds == Bounds::Error, "{self:?}");
                }
                Err(_) => panic!("{result:?}, {self:?}"),
                Ok(()) => assert!(count == 0 || !bad || *bounds != Bounds::Error, "{self:?}"),
            }
            for (at, place) in &moves {
                let found = output[if self.backwards { length - 1 - 2 * at } else { *at }];
                let expected = match place {
                    Some(place) if enough => {
                        let (value, scale) = oracle.value(self, place, &data, zeros);
                        from_f32(value * to_f32(scales[scale]))
                    }
                    _ => old,
                };
                // A gather that fails has written all of a block, or nothing.
                let kept = result.is_err() && found == old;
                let equal = same(to_f32(found), to_f32(expected));
                assert!(kept || equal, "{at}: {found:?}, {expected:?}, {self:?}");
            }
        });
    }
}

/// The sizes in values, and the lengths of the slices.
struct Oracle {
    logical: Vec<usize>,
    gather_axis: usize,
    quantize_axis: usize,
    /// The sizes of the scales.
    blocks: Vec<usize>,
    data: usize,
    scales: usize,
    zeros: usize,
}

impl Oracle {
    fn new(case: &Quantised) -> Oracle {
        let Quantised { packing, attributes, sizes, .. } = case;
        let (mut logical, per_byte) = (sizes.clone(), 8 / packing.bits());
        let in_bytes = matches!(packing, Packing::U8 { .. });
        if in_bytes {
            *logical.last_mut().unwrap() *= per_byte;
        }
        let axis = |axis: isize| axis.rem_euclid(sizes.len() as isize) as usize;
        let (gather_axis, quantize_axis) =
            (axis(attributes.gather_axis), axis(attributes.quantize_axis));
        let mut blocks = logical.clone();
        for (axis, size) in blocks.iter_mut().enumerate() {
            *size = match attributes.block_size {
                _ if axis != quantize_axis => {
                    if case.shared >> axis & 1 == 1 {
                        1
                    } else {
                        *size
                    }
                }
                0 => usize::from(*size > 0),
                block_size => size.div_ceil(block_size),
            };
        }
        let scales: usize = blocks.iter().product();
        let zeros = if in_bytes {
            let mut bytes = blocks.clone();
            *bytes.last_mut().unwrap() = blocks[quantize_axis].div_ceil(per_byte);
            bytes.iter().product()
        } else {
            scales.div_ceil(per_byte)
        };
        let data = logical.iter().product::<usize>().div_ceil(per_byte);
        Oracle { logical, gather_axis, quantize_axis, blocks, data, scales, zeros }
    }

    /// The coordinate of an index, unless nothing moves.
    fn resolve(&self, index: i64, bounds: Bounds) -> Option<usize> {
        let size = self.logical[self.gather_axis] as i64;
        let counted = if index < 0 { index + size } else { index };
        match bounds {
            _ if (0..size).contains(&counted) => Some(counted as usize),
            Bounds::Clamp if size > 0 => Some(counted.clamp(0, size - 1) as usize),
            Bounds::Wrap if size > 0 => Some(counted.rem_euclid(size) as usize),
            _ => None,
        }
    }

    /// Where in the table a place of the output comes from.
    fn place(&self, case: &Quantised, at: &[usize]) -> Option<Vec<usize>> {
        let mut place = at.to_vec();
        let index = case.indices[at[self.gather_axis]];
        place[self.gather_axis] = self.resolve(index, case.bounds)?;
        Some(place)
    }

    /// The value without its zero point, and the place of its scale.
    fn value(
        &self,
        case: &Quantised,
        at: &[usize],
        data: &[u8],
        zeros: Option<&[u8]>,
    ) -> (f32, usize) {
        let bits = case.packing.bits();
        let flat = |sizes: &[usize], at: &[usize]| {
            sizes.iter().zip(at).fold(0, |place, (size, at)| place * size + at)
        };
        let number = |bytes: &[u8], place: usize| {
            let mask = ((1_u32 << bits) - 1) as i32;
            i32::from(bytes[place * bits / 8]) >> (place * bits % 8) & mask
        };
        let sign = |q: i32| if case.packing == Packing::Int4 { (q ^ 8) - 8 } else { q };
        let (mut blocks, mut block) = (self.blocks.clone(), at.to_vec());
        for (axis, at) in block.iter_mut().enumerate() {
            *at = match case.attributes.block_size {
                _ if axis != self.quantize_axis => (*at).min(blocks[axis] - 1),
                0 => 0,
                block_size => *at / block_size,
            };
        }
        let scale = flat(&blocks, &block);
        let in_bytes = matches!(case.packing, Packing::U8 { .. });
        let zero = match zeros {
            None if in_bytes => 1 << (bits - 1),
            None => 0,
            Some(zeros) if in_bytes => {
                // Each row begins with a byte of its own.
                let last = blocks.last_mut().unwrap();
                *last = last.div_ceil(8 / bits) * (8 / bits);
                number(zeros, flat(&blocks, &block))
            }
            Some(zeros) => sign(number(zeros, scale)),
        };
        let q = number(data, flat(&self.logical, at));
        if is_float(case.packing) {
            return (float(case.packing, q as u8), scale);
        }
        ((sign(q) - zero) as f32, scale)
    }
}
