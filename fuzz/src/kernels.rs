//! The kernels of `strew-simd` against plain loops.

use std::fmt::Debug;

use arbitrary::Arbitrary;
use bytemuck::NoUninit;
use strew_simd::{
    Axis, BLOCK, Chosen, ColumnMoves, Columns, Index, Instructions, Lane, Moves, NOWHERE, Op, Rows,
    combine,
};

use crate::paths;

#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Kernel {
    Element,
    Row,
    Gather,
    GatherAt,
    Scatter,
    ScatterAt,
    Combine,
    GatherRows,
    ScatterRows,
}

/// Where the addresses of a call lie: all in the table but for rows at its end, near it, or some anywhere.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub enum Reach {
    Inside,
    Near,
    Far,
}

/// The bytes of the longest slices: they hold a block of rows of `ROW`.
const BYTES: usize = 40_000;
const ROW: usize = BYTES / BLOCK;

/// A call of one kernel on slices of `from` and `to` elements.
#[derive(Arbitrary, Debug)]
pub struct Call {
    pub kernel: Kernel,
    reach: Reach,
    width: u8,
    from: u16,
    to: u16,
    t: u8,
    f: u8,
    n: u8,
    addresses: [u16; BLOCK],
    far: [u32; 4],
}

impl Call {
    /// Whether something has changed, as it should.
    pub fn check(&self) -> bool {
        match self.width % 7 {
            0 => self.check_width::<1>(),
            1 => self.check_width::<2>(),
            2 => self.check_width::<3>(),
            3 => self.check_width::<4>(),
            4 => self.check_width::<8>(),
            5 => self.check_width::<12>(),
            _ => self.check_width::<16>(),
        }
    }

    fn check_width<const N: usize>(&self) -> bool
    where
        [u8; N]: NoUninit,
    {
        let longest = BYTES / N;
        let (from, to) = (elements(self.from, 0), elements(self.to, 128));
        let is_scatter = matches!(
            self.kernel,
            Kernel::Scatter | Kernel::ScatterAt | Kernel::Combine | Kernel::ScatterRows
        );
        let table = if is_scatter { to.len() } else { from.len() };
        let addresses = self.addresses.map(|address| match (self.reach, address >> 12) {
            (Reach::Inside, _) => u32::from(address) % table.max(1) as u32,
            // The top bits say whether it is far, and how.
            (Reach::Far, far @ 12..) => {
                self.far[usize::from(far) - 12].wrapping_add(u32::from(address & 0xFFF))
            }
            _ => u32::from(address) % (longest as u32 + 100),
        });
        let [t, f, n] = [self.t, self.f, self.n]
            .map(|value| if value == u8::MAX { self.far[0] as usize } else { usize::from(value) });
        let offsets = &addresses[..n.min(BLOCK)];
        let row = if n < 256 { n * 3 % (ROW / N + 1) } else { n };
        // Of scattered rows, those that lie inside are chosen before, or not.
        let chooses = f % 4 == 1;
        let end = (to.len() + 1).saturating_sub(row) as u32;
        let fits = |start: usize, n: usize, length: usize| {
            start.checked_add(n).is_some_and(|end| end <= length)
        };
        let pairs: Vec<(usize, usize)> = match self.kernel {
            Kernel::Element => vec![(t, f)],
            Kernel::Row if fits(t, n, to.len()) && fits(f, n, from.len()) => {
                (0..n).map(|n| (t + n, f + n)).collect()
            }
            Kernel::Gather if fits(t, BLOCK, to.len()) => {
                addresses.iter().enumerate().map(|(n, f)| (t + n, *f as usize)).collect()
            }
            Kernel::GatherAt if fits(t, offsets.len(), to.len()) => offsets
                .iter()
                .enumerate()
                .map(|(n, offset)| (t + n, f.saturating_add(*offset as usize)))
                .collect(),
            Kernel::Scatter if fits(f, BLOCK, from.len()) => {
                addresses.iter().enumerate().map(|(n, t)| (*t as usize, f + n)).collect()
            }
            Kernel::ScatterAt => offsets
                .iter()
                .enumerate()
                .map(|(n, offset)| (t.saturating_add(*offset as usize), f.saturating_add(n)))
                .collect(),
            Kernel::Combine => {
                offsets.iter().enumerate().map(|(n, offset)| (*offset as usize, n)).collect()
            }
            Kernel::GatherRows
                if row.checked_mul(BLOCK).is_some_and(|all| fits(t, all, to.len())) =>
            {
                let rows = addresses
                    .iter()
                    .enumerate()
                    .filter(|(_, f)| fits(**f as usize, row, from.len()));
                rows.flat_map(|(n, f)| (0..row).map(move |k| (t + n * row + k, *f as usize + k)))
                    .collect()
            }
            Kernel::ScatterRows
                if chooses
                    || row.checked_mul(BLOCK).is_some_and(|all| fits(f, all, from.len())) =>
            {
                let inside = |n: usize, t: u32| {
                    fits(t as usize, row, to.len()) && fits(f + n * row, row, from.len())
                };
                let rows = addresses.iter().enumerate().filter(|(n, t)| inside(*n, **t));
                rows.flat_map(|(n, t)| (0..row).map(move |k| (*t as usize + k, f + n * row + k)))
                    .collect()
            }
            _ => vec![],
        };
        let mut expected = to.clone();
        for (t, f) in pairs {
            if let (Some(to), Some(from)) = (expected.get_mut(t), from.get(f)) {
                *to = if matches!(self.kernel, Kernel::Combine) { sum(*to, *from) } else { *from };
            }
        }
        for path in paths() {
            let kernel = self.kernel;
            let rows = Rows { length: row, ahead: Some(&addresses).filter(|_| f % 2 == 0) };
            let run = |moves: Moves<N>| {
                path.dispatch(Run {
                    moves,
                    kernel,
                    t,
                    f,
                    n,
                    rows,
                    chosen: chooses.then_some(end),
                    addresses: &addresses,
                    offsets,
                })
            };
            let streams = t % 2 == 0;
            let found = within_edges(&to, if streams { 64 + n % 64 } else { 0 }, |to| {
                if matches!(kernel, Kernel::Combine) {
                    return path.dispatch(Sums(to, offsets, &from));
                }
                let moves = Moves::<N>::new(&from, to).expect("elements of one size");
                if streams { moves.streaming(run) } else { run(moves) }
            });
            assert_eq!(found, expected, "{}: {self:?}", path.name());
        }
        expected != to
    }
}

/// So many elements, no two neighbours alike. Allocated to the element, so that AddressSanitizer sees what lies beyond.
fn elements<const N: usize>(length: u16, seed: usize) -> Box<[[u8; N]]> {
    (0..usize::from(length) % (BYTES / N + 1))
        .map(|n| std::array::from_fn(|byte| (n * 37 + n / 251 + byte * 5 + seed) as u8))
        .collect()
}

/// The elements after a change. Fails if some of so many around them have changed as well. (AddressSanitizer does not see writes past the caches.)
fn within_edges<const N: usize>(
    to: &[[u8; N]],
    around: usize,
    change: impl FnOnce(&mut [[u8; N]]),
) -> Box<[[u8; N]]> {
    let edge = vec![[0xA5; N]; around];
    let mut found = [&edge, to, &edge].concat().into_boxed_slice();
    change(&mut found[around..][..to.len()]);
    let (before, found) = found.split_at(around);
    let (found, after) = found.split_at(to.len());
    assert!(before == edge && after == edge, "what lies around has changed");
    found.into()
}

/// A reduction that tells one order of two updates from the other.
fn sum<const N: usize>(current: [u8; N], update: [u8; N]) -> [u8; N] {
    std::array::from_fn(|byte| current[byte].wrapping_mul(3).wrapping_add(update[byte]))
}

struct Sums<'a, const N: usize>(&'a mut [[u8; N]], &'a [u32], &'a [[u8; N]]);

impl<const N: usize> Op for Sums<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run(self, instructions: impl Instructions) {
        instructions.apart(
            #[inline(always)]
            || combine(self.0, self.1, self.2, sum),
        );
    }
}

struct Run<'a, const N: usize> {
    moves: Moves<'a, N>,
    kernel: Kernel,
    t: usize,
    f: usize,
    n: usize,
    rows: Rows<'a>,
    /// The end of the rows that are chosen before they are scattered.
    chosen: Option<u32>,
    addresses: &'a [u32; BLOCK],
    offsets: &'a [u32],
}

impl<const N: usize> Op for Run<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run(mut self, instructions: impl Instructions) {
        match self.kernel {
            Kernel::Element => self.moves.element(self.t, self.f),
            Kernel::Row => self.moves.row(self.t, self.f, self.n),
            Kernel::Gather if self.n.is_multiple_of(2) => {
                self.moves.gather::<1>(instructions, self.t, self.addresses)
            }
            Kernel::Gather => self.moves.gather::<8>(instructions, self.t, self.addresses),
            Kernel::GatherAt => self.moves.gather_at(instructions, self.t, self.f, self.offsets),
            Kernel::Scatter => self.moves.scatter(
                instructions,
                self.addresses,
                self.f,
                self.n.is_multiple_of(2).then_some(self.addresses),
            ),
            Kernel::ScatterAt => self.moves.scatter_at(instructions, self.t, self.offsets, self.f),
            Kernel::Combine => unreachable!("by `Sums`"),
            Kernel::GatherRows => {
                self.moves.gather_rows(instructions, self.t, self.addresses, self.rows)
            }
            Kernel::ScatterRows => match self.chosen {
                Some(end) => {
                    let mut chosen = Chosen::default();
                    chosen.choose_below(instructions, self.addresses, end);
                    self.moves.scatter_chosen(
                        instructions,
                        (&chosen, self.f),
                        (&chosen, self.f),
                        self.rows.length,
                    );
                }
                None => self.moves.scatter_rows(instructions, self.addresses, self.f, self.rows),
            },
        }
    }
}

/// Columns of a table that are split from each other, and what is gathered to each of their rows.
#[derive(Arbitrary, Debug)]
pub struct Split {
    width: u8,
    from: u16,
    to: u16,
    rows: u8,
    pitch: u16,
    columns: u16,
    cuts: [u16; 3],
    t: u8,
    f: u8,
    n: u8,
    offsets: [u16; BLOCK],
}

impl Split {
    /// Whether something has been gathered, as it should be.
    pub fn check(&self) -> bool {
        match self.width % 5 {
            0 => self.check_width::<1>(),
            1 => self.check_width::<2>(),
            2 => self.check_width::<4>(),
            3 => self.check_width::<8>(),
            _ => self.check_width::<16>(),
        }
    }

    fn check_width<const N: usize>(&self) -> bool
    where
        [u8; N]: NoUninit,
    {
        let any =
            |value: u16| if value == u16::MAX { usize::MAX } else { usize::from(value) % 300 };
        let (from, to) = (elements::<N>(self.from, 0), elements::<N>(self.to, 128));
        let (rows, pitch, width) =
            (usize::from(self.rows) % 32, any(self.pitch), any(self.columns));
        let far = |value: u8, most: u8| {
            if value == u8::MAX { usize::MAX - 5 } else { usize::from(value % most) }
        };
        let (t, f, n) = (far(self.t, 40), far(self.f, u8::MAX), usize::from(self.n) % (BLOCK + 1));
        let offsets = self.offsets.map(|offset| {
            if offset >= 0xFF00 { u32::from(offset) << 16 } else { u32::from(offset >> 4) }
        });
        let end = rows.checked_sub(1).and_then(|last| last.checked_mul(pitch)?.checked_add(width));
        let fits = width <= pitch && end.is_some_and(|end| end <= to.len());

        let mut starts = vec![0];
        starts.extend(self.cuts.iter().scan(0, |start: &mut usize, cut| {
            *start = start.saturating_add(any(*cut)).min(width);
            Some(*start)
        }));
        let ends: Vec<usize> = starts.iter().copied().skip(1).chain([width]).collect();
        let mut expected = to.clone();
        for (start, _) in starts
            .iter()
            .zip(&ends)
            .filter(|(start, end)| fits && t.saturating_add(n) <= *end - *start)
        {
            for row in 0..rows {
                for (k, offset) in offsets[..n].iter().enumerate() {
                    let from = from.get(f.saturating_add(*offset as usize));
                    expected[row * pitch + start + t + k] =
                        *from.unwrap_or(&expected[row * pitch + start + t + k]);
                }
            }
        }
        for path in paths() {
            let streams = t % 2 == 0;
            let found = within_edges(&to, if streams { 64 + n } else { 0 }, |table| {
                let columns = Columns::new(table, rows, pitch, width);
                assert_eq!(columns.is_some(), fits, "{self:?}");
                let mut rest = columns;
                for (number, (start, end)) in starts.iter().zip(&ends).enumerate() {
                    let Some(columns) = rest.take() else { return };
                    let mut piece = if number < self.cuts.len() {
                        let (piece, others) = columns.split_at(any(self.cuts[number]));
                        rest = Some(others);
                        piece
                    } else {
                        columns
                    };
                    for row in 0..rows {
                        assert_eq!(piece.row(row), &to[row * pitch..][*start..*end], "{self:?}");
                    }
                    assert!(piece.row(rows).is_empty() && piece.row(usize::MAX).is_empty());
                    let moves = piece.moves_from::<N>(&from).expect("elements of one size");
                    let run = |moves: ColumnMoves<N>| {
                        path.dispatch(ToRows { moves, rows, t, f, offsets: &offsets[..n] })
                    };
                    if streams { moves.streaming(run) } else { run(moves) }
                }
            });
            assert_eq!(found, expected, "{}: {self:?}", path.name());
        }
        expected != to
    }
}

struct ToRows<'a, const N: usize> {
    moves: ColumnMoves<'a, N>,
    rows: usize,
    t: usize,
    f: usize,
    offsets: &'a [u32],
}

impl<const N: usize> Op for ToRows<'_, N> {
    type Output = ();
    #[inline(always)]
    fn run(mut self, instructions: impl Instructions) {
        for row in (0..=self.rows).chain([usize::MAX]) {
            let mut moves = self.moves.row(row);
            match self.offsets.try_into() {
                Ok(block) => moves.gather::<8>(instructions, self.t, &block_at(block, self.f)),
                Err(_) => moves.gather_at(instructions, self.t, self.f, self.offsets),
            }
        }
    }
}

fn block_at(offsets: &[u32; BLOCK], start: usize) -> [u32; BLOCK] {
    offsets.map(|offset| offset.saturating_add(u32::try_from(start).unwrap_or(u32::MAX)))
}

/// Tuples on axes, all of any value.
#[derive(Arbitrary, Debug)]
pub struct Tuples<I, const K: usize> {
    sizes: [u32; K],
    strides: [u32; K],
    first: u32,
    step: u32,
    tuples: [[I; K]; BLOCK],
}

impl<I: Index + Copy + Debug + Into<i128>, const K: usize> Tuples<I, K> {
    pub fn check(&self) {
        let axes: [Axis; K] = std::array::from_fn(|k| Axis {
            size: self.sizes[k] & i32::MAX as u32,
            stride: self.strides[k],
        });
        let lane = Lane::new(axes, self.first, self.step);
        let address = |n: usize, nearest: bool| {
            let offsets = axes.iter().zip(self.tuples[n]).map(|(axis, index)| {
                let (index, size) = (index.into(), i128::from(axis.size));
                let index = if nearest { index.min(size - 1).max(-size) } else { index };
                let position = if index < 0 { index + size } else { index };
                (0..size).contains(&position).then_some(position * i128::from(axis.stride))
            });
            let offset: Option<i128> = offsets.sum();
            offset.map(|offset| {
                (i128::from(self.first) + n as i128 * i128::from(self.step) + offset)
                    .rem_euclid(1 << 32) as u32
            })
        };
        let exact: [Option<u32>; BLOCK] = std::array::from_fn(|n| address(n, false));
        let inside = exact.iter().all(Option::is_some);
        for path in paths() {
            let (mut found, mut skipped, mut clamped, mut positions) =
                ([7; BLOCK], [7; BLOCK], [7; BLOCK], [[0; K]; BLOCK]);
            let resolve = Resolve(
                &lane,
                &self.tuples,
                [&mut found, &mut skipped, &mut clamped],
                &mut positions,
            );
            assert_eq!(path.dispatch(resolve), [inside; 3], "{}: {self:?}", path.name());
            for (positions, tuple) in positions.iter().zip(self.tuples) {
                for ((position, index), axis) in positions.iter().zip(tuple).zip(axes) {
                    let (index, size) = (index.into(), i128::from(axis.size));
                    let exact = if index < 0 { index + size } else { index };
                    assert!(
                        size > 1 << 16
                            || !(0..size).contains(&exact)
                            || i128::from(*position) == exact,
                        "{}: {self:?}",
                        path.name()
                    );
                }
            }
            assert!(
                found
                    .iter()
                    .zip(exact)
                    .all(|(found, exact)| exact.is_none_or(|exact| *found == exact)),
                "{}: {self:?}",
                path.name()
            );
            assert_eq!(
                skipped,
                exact.map(|address| address.unwrap_or(NOWHERE)),
                "{}: {self:?}",
                path.name()
            );
            let below = path.dispatch(Below(&found, self.first));
            assert!(
                below
                    .iter()
                    .eq(found.into_iter().zip(0..).filter(|(address, _)| *address < self.first)),
                "{}: {self:?}",
                path.name()
            );
            // The addresses mean nothing where an axis is empty.
            if axes.iter().all(|axis| axis.size > 0) {
                assert_eq!(
                    clamped.map(Some),
                    std::array::from_fn(|n| address(n, true)),
                    "{}: {self:?}",
                    path.name()
                );
            }
        }
    }
}

struct Resolve<'a, I, const K: usize>(
    &'a Lane<K>,
    &'a [[I; K]; BLOCK],
    [&'a mut [u32; BLOCK]; 3],
    &'a mut [[u16; K]; BLOCK],
);

impl<I: Index, const K: usize> Op for Resolve<'_, I, K> {
    type Output = [bool; 3];
    #[inline(always)]
    fn run(self, _: impl Instructions) -> [bool; 3] {
        let Resolve(lane, tuples, [found, skipped, clamped], positions) = self;
        lane.skip(tuples, skipped);
        lane.clamp(tuples, clamped);
        [lane.check(tuples), lane.resolve(tuples, found), lane.positions(tuples, positions)]
    }
}

struct Below<'a>(&'a [u32; BLOCK], u32);

impl Op for Below<'_> {
    type Output = Chosen;
    #[inline(always)]
    fn run(self, instructions: impl Instructions) -> Chosen {
        let mut chosen = Chosen::default();
        chosen.choose_below(instructions, self.0, self.1);
        chosen
    }
}
