//! Moves elements of views with gaps where they are: what it takes depends on what moves, not on
//! the view.
//!
//! Axes of the view that can be walked with one stride are made one. A position is the coordinates
//! along those that are left, side by side in the bits of a number: a plan whose strides are powers
//! of two, or multiples of them, adds them up as it adds addresses. So the engine resolves indices
//! to positions, a block at a time, and a [`Job`] here moves what is there.

use std::ops::Range;
use std::slice;

use ::ndarray::{
    ArrayBase, ArrayView1, ArrayView2, ArrayViewMut1, Axis, Data, DataMut, Ix1, Ix2, Ix4, IxDyn,
    RawData, Slice, ViewRepr, Zip,
};
use strew_simd::{Block, NOWHERE, Path, prefetch};

use super::view::{Source, Target, View, of_few_axes, of_four_axes, reserve};
use crate::coalesce::coalesce;
use crate::element::Element;
use crate::engine::movers::{Gathered, Job, Mover, Tile, Way};
use crate::error::{Direction, Error, Operand};
use crate::index::{Bounds, Index, Negative};
use crate::layout::{Layout, MAX_RANK, SCALAR};
use crate::plan::Plan;
use crate::run;
use crate::scatter::Scatter;
use crate::walk::Entries as _;

/// A view, and where its coordinates are in a position.
pub(super) struct Grid<S: RawData> {
    view: Axes<S>,
    /// Those of the last axis are the last ones.
    bits: [Bits; MAX_RANK],
}

enum Axes<S: RawData> {
    /// Most grids. An element is found in 1 ns, where many are found together.
    Two(ArrayBase<S, Ix2>),
    /// Nearly all others: 2 ns, since the compiler knows the number of axes.
    Four(ArrayBase<S, Ix4>),
    More(ArrayBase<S, IxDyn>),
}

impl<S: Data> Axes<S> {
    #[inline(always)]
    fn view(&self) -> Axes<ViewRepr<&S::Elem>> {
        match self {
            Axes::Two(view) => Axes::Two(view.view()),
            Axes::Four(view) => Axes::Four(view.view()),
            Axes::More(view) => Axes::More(view.view()),
        }
    }
}

impl<S: DataMut> Axes<S> {
    #[inline(always)]
    fn view_mut(&mut self) -> Axes<ViewRepr<&mut S::Elem>> {
        match self {
            Axes::Two(view) => Axes::Two(view.view_mut()),
            Axes::Four(view) => Axes::Four(view.view_mut()),
            Axes::More(view) => Axes::More(view.view_mut()),
        }
    }
}

/// Where the coordinate along an axis is in a position. Where there is no axis, it is 0.
#[derive(Clone, Copy, Default)]
struct Bits {
    shift: u32,
    mask: usize,
    /// The stride of the axis in a packed copy.
    stride: usize,
}

impl Bits {
    #[inline(always)]
    fn of(&self, position: usize) -> usize {
        position.wrapping_shr(self.shift) & self.mask
    }
}

/// A grid that is read, and one that is written.
pub(super) type Read<'a, T> = Grid<ViewRepr<&'a T>>;
pub(super) type Write<'a, T> = Grid<ViewRepr<&'a mut T>>;

/// What is read: a slice, or a view with gaps.
#[derive(Clone, Copy)]
pub(super) enum From<'a, 'v, T> {
    Slice(&'a [T]),
    Grid(&'a Read<'v, T>),
}

/// What is written.
pub(super) enum To<'a, 'v, T> {
    Slice(&'a mut [T]),
    Grid(&'a mut Write<'v, T>),
}

/// An entry in a grid takes as long as a copy of this many elements of a view. Record: single
/// elements that are gathered on Zen 4, a copy of 3 to 6.
pub(super) const ENTRY: usize = 6;

/// The same for an entry whose place is [copied](Grid::on_places), after all have been sorted.
pub(super) const SORTED_ENTRY: usize = 128;

/// From this many neighbours on, they are found as a slice, or a part of a lane.
const ROW: usize = if cfg!(fuzzing) { 3 } else { 8 };

/// Bytes of a flat tensor with gaps that are packed together, for loops over slices: those of one
/// entry at least. Rows of `LONG_ROW` elements move one by one.
const PACKED: usize = if cfg!(fuzzing) { 64 } else { 1 << 14 };
const LONG_ROW: usize = if cfg!(fuzzing) { 6 } else { 256 };

impl<'a, T: Copy> From<'a, '_, T> {
    /// `n` neighbours.
    #[inline(always)]
    fn row(&self, at: usize, n: usize) -> Option<ArrayView1<'a, T>> {
        match self {
            From::Slice(slice) => Some(slice.get(at..)?.get(..n)?.into()),
            From::Grid(grid) => grid.row(at, n),
        }
    }
}

impl<T: Copy> To<'_, '_, T> {
    #[inline(always)]
    fn row(&mut self, at: usize, n: usize) -> Option<ArrayViewMut1<'_, T>> {
        match self {
            To::Slice(slice) => Some(slice.get_mut(at..)?.get_mut(..n)?.into()),
            To::Grid(grid) => grid.row_mut(at, n),
        }
    }
}

/// What moves a block between slices: [`gather`] and [`scatter`] call it once for each.
pub(super) type Gathers<'k, T, U> = dyn Fn(&[T], &mut [U], &Block<'_>, usize, &Way) + 'k;
pub(super) type Scatters<'k, T, U> = dyn Fn(&mut [T], &[U], &Block<'_>, usize, &Way) + 'k;

/// `flat[flat] = map(table[position])`, of a table and a flat tensor that are not both slices.
/// `kernel` does the same for slices.
pub(super) fn gather<T: Copy, U: Element, I: Index>(
    plan: &Plan,
    indices: &[I],
    table: From<'_, '_, T>,
    flat: To<'_, '_, U>,
    map: impl Fn(T) -> U,
    kernel: &Gathers<'_, T, U>,
) -> Result<(), Error> {
    let (n, way, packed) = (plan.row(), Way::of(Path::detect()), Vec::new());
    let job = &mut Gathering { table, flat, map: &map, kernel, n, way, packed };
    run::by_job(plan, indices, Direction::Gather, size_of::<U>(), job)
}

/// `table[position] = change(table[position], flat[flat])`, as [`gather`].
pub(super) fn scatter<T: Copy, U: Copy, I: Index>(
    plan: &Plan,
    indices: &[I],
    table: To<'_, '_, T>,
    flat: From<'_, '_, U>,
    change: impl Fn(T, U) -> T,
    kernel: &Scatters<'_, T, U>,
) -> Result<(), Error> {
    let (n, way, packed) = (plan.row(), Way::of(Path::detect()), Vec::new());
    let job = &mut Scattering { table, flat, change: &change, kernel, n, way, packed };
    run::by_job(plan, indices, Direction::Scatter, size_of::<T>(), job)
}

/// [`gather`] of elements as they are: a kernel for slices.
pub(super) fn gathered<T: Element>(
    input: &[T],
    output: &mut [T],
    block: &Block<'_>,
    n: usize,
    way: &Way,
) {
    Gathered { input, output, n, way: *way }.block(block);
}

struct Gathering<'a, 'v, 'b, 'w, T, U, F> {
    table: From<'a, 'v, T>,
    flat: To<'b, 'w, U>,
    map: F,
    kernel: &'a Gathers<'a, T, U>,
    n: usize,
    way: Way,
    /// What goes to a block of a flat tensor with gaps.
    packed: Vec<U>,
}

impl<T: Copy, U: Copy, F: Fn(T) -> U + Copy> Mover for Gathering<'_, '_, '_, '_, T, U, F> {
    fn block(&mut self, block: &Block<'_>) {
        let Gathering { map, kernel, n, way, .. } = *self;
        let Gathering { table, flat, packed, .. } = self;
        let move_to = |to: &mut [U], block: &Block<'_>| match *table {
            From::Slice(table) => kernel(table, to, block, n, &way),
            From::Grid(grid) => {
                grid.prefetch(block, &way);
                grid.take(entries(block), n, to, map);
            }
        };
        match flat {
            To::Slice(flat) => move_to(flat, block),
            To::Grid(_) if n >= LONG_ROW => entries(block).for_each(|(at, to)| {
                if let (Some(to), Some(from)) = (flat.row(to, n), table.row(at, n)) {
                    Zip::from(to).and(from).for_each(|to, from| *to = map(*from));
                }
            }),
            To::Grid(flat) => each_part(block, n.saturating_mul(size_of::<U>()), |part| {
                let length = part.addresses.len().wrapping_mul(n);
                let Some(any) = flat.read().get(part.flat).copied() else { return };
                if packed.len() < length {
                    packed.resize(length, any);
                }
                move_to(packed, &packed_block(part, n));
                flat.put(part, n, packed);
            }),
        }
    }
}

impl<T: Copy, U: Copy, F: Fn(T) -> U + Copy> Job for Gathering<'_, '_, '_, '_, T, U, F> {
    fn prepare(&mut self, way: Way) {
        self.way = way;
    }

    fn session(&mut self, run: &mut dyn FnMut(&mut dyn Mover)) {
        run(self);
    }

    fn tile(&mut self, tile: &Tile, run: &mut dyn FnMut(&mut dyn Mover)) {
        let mut copy = Vec::new();
        tile.starts().filter_map(|row| self.table.row(row, tile.width)).for_each(|row| {
            copy.extend(row.iter().copied());
        });
        let flat = match &mut self.flat {
            To::Slice(slice) => To::Slice(slice),
            To::Grid(grid) => To::Grid(grid),
        };
        let (table, packed) = (From::Slice(&copy[..]), core::mem::take(&mut self.packed));
        let Gathering { map, kernel, n, way, .. } = *self;
        run(&mut Gathering { table, flat, map, kernel, n, way, packed });
    }
}

struct Scattering<'a, 'v, 'b, 'w, T, U, F> {
    table: To<'a, 'v, T>,
    flat: From<'b, 'w, U>,
    change: F,
    kernel: &'a Scatters<'a, T, U>,
    n: usize,
    way: Way,
    /// The updates of a block, if they have gaps.
    packed: Vec<U>,
}

impl<T: Copy, U: Copy, F: Fn(T, U) -> T + Copy> Mover for Scattering<'_, '_, '_, '_, T, U, F> {
    fn block(&mut self, block: &Block<'_>) {
        let Scattering { change, kernel, n, way, .. } = *self;
        let Scattering { table, flat, packed, .. } = self;
        let move_from = |table: &mut To<'_, '_, T>, from: &[U], block: &Block<'_>| match table {
            To::Slice(table) => kernel(table, from, block, n, &way),
            To::Grid(grid) => {
                grid.read().prefetch(block, &way);
                grid.change(entries(block), n, from, change);
            }
        };
        match flat {
            From::Slice(flat) => move_from(table, flat, block),
            From::Grid(_) if n >= LONG_ROW => entries(block).for_each(|(at, from)| {
                if let (Some(to), Some(from)) = (table.row(at, n), flat.row(from, n)) {
                    Zip::from(to).and(from).for_each(|to, from| *to = change(*to, *from));
                }
            }),
            From::Grid(flat) => each_part(block, n.saturating_mul(size_of::<U>()), |part| {
                flat.pack(part, n, packed);
                move_from(table, packed, &packed_block(part, n));
            }),
        }
    }
}

impl<T: Copy, U: Copy, F: Fn(T, U) -> T + Copy> Job for Scattering<'_, '_, '_, '_, T, U, F> {
    fn prepare(&mut self, way: Way) {
        self.way = way;
    }

    fn session(&mut self, run: &mut dyn FnMut(&mut dyn Mover)) {
        run(self);
    }

    fn tile(&mut self, tile: &Tile, run: &mut dyn FnMut(&mut dyn Mover)) {
        let mut copy = Vec::new();
        for row in tile.starts() {
            self.table.row(row, tile.width).into_iter().for_each(|row| {
                copy.extend(row.iter().copied());
            });
        }
        let (table, packed) = (To::Slice(&mut copy[..]), core::mem::take(&mut self.packed));
        let Scattering { flat, change, kernel, n, way, .. } = *self;
        run(&mut Scattering { table, flat, change, kernel, n, way, packed });
        for (row, new) in tile.starts().zip(copy.chunks(tile.width.max(1))) {
            if let Some(row) = self.table.row(row, tile.width) {
                Zip::from(row).and(new).for_each(|to, new| *to = *new);
            }
        }
    }
}

/// Where the entries of a block are, in the table and in the flat tensor, but for those that are
/// left out.
#[inline(always)]
fn entries(block: &Block<'_>) -> impl Iterator<Item = (usize, usize)> {
    let (table, step) = (block.table, block.entry_step as usize);
    block.lanes().flat_map(
        #[inline(always)]
        move |(flat, addresses)| {
            let entries =
                addresses.iter().zip(0_usize..).filter(|(address, _)| **address != NOWHERE);
            entries.map(
                #[inline(always)]
                move |(address, entry)| {
                    let at = table.wrapping_add(*address as usize);
                    (at, flat.wrapping_add(entry.wrapping_mul(step)))
                },
            )
        },
    )
}

/// The same entries of `n` elements, in a flat tensor in which they follow each other.
fn packed_block<'a>(block: &Block<'a>, n: usize) -> Block<'a> {
    let (entry_step, lane_step) = (n.cast_signed(), block.length.wrapping_mul(n).cast_signed());
    Block { flat: 0, entry_step, lane_step, ..*block }
}

/// Visits the parts of a block of at most [`PACKED`] bytes, if entries have no more: some lanes, or
/// a part of one. Entries have `bytes` bytes.
fn each_part(block: &Block<'_>, bytes: usize, mut visit: impl FnMut(&Block<'_>)) {
    let most = PACKED.checked_div(bytes).unwrap_or(1).max(1);
    if block.addresses.len() <= most {
        return visit(block);
    }
    let lanes = most.checked_div(block.length).unwrap_or(0).max(1);
    let some = block.addresses.chunks(lanes.wrapping_mul(block.length).max(1)).enumerate();
    for (number, addresses) in some {
        let first = number.wrapping_mul(lanes).wrapping_mul(block.lane_step as usize);
        for (number, addresses) in addresses.chunks(most).enumerate() {
            let entry = number.wrapping_mul(most).wrapping_mul(block.entry_step as usize);
            let flat = block.flat.wrapping_add(first).wrapping_add(entry);
            visit(&Block { addresses, flat, next: &[], ..*block });
        }
    }
}

impl<S: RawData> Grid<S> {
    /// For a view, and the layout of a packed copy with the same axes, which becomes that of
    /// positions. `None`: the view has at most `most` elements, or its coordinates need more bits
    /// than a `usize` has.
    pub(super) fn new(
        view: ArrayBase<S, IxDyn>,
        most: Option<usize>,
        layout: &mut Layout,
    ) -> Option<Grid<S>> {
        if most >= Some(view.len()) {
            return None;
        }
        let view = of_few_axes(view);
        let view = match view.ndim() {
            0..=4 => match of_four_axes(view).ok()? {
                view if matches!(view.dim(), (1, 1, _, _)) => {
                    Axes::Two(view.index_axis_move(Axis(0), 0).index_axis_move(Axis(0), 0))
                }
                view => Axes::Four(view),
            },
            _ => Axes::More(view),
        };
        let sizes = match &view {
            Axes::Two(view) => view.shape(),
            Axes::Four(view) => view.shape(),
            Axes::More(view) => view.shape(),
        };
        let mut bits = [Bits::default(); MAX_RANK];
        let (mut shift, mut stride) = (0_u32, 1_usize);
        for (bits, size) in bits.iter_mut().rev().zip(sizes.iter().rev()) {
            if *size > 1 {
                // There are bits for the size, not only for the last coordinate. So a step along
                // one axis never is a step along the next, and a plan does not merge dimensions of
                // two axes.
                let width = usize::BITS.wrapping_sub(size.leading_zeros());
                let mask = 1_usize.wrapping_shl(width).wrapping_sub(1);
                *bits = Bits { shift, mask, stride };
                stride = stride.wrapping_mul(*size);
                shift = shift.wrapping_add(width);
            }
        }
        if shift > usize::BITS {
            return None;
        }
        let mut positions = SCALAR;
        for (size, stride) in layout.sizes().iter().zip(layout.strides()) {
            let packed = stride.unsigned_abs();
            let axis = bits.iter().find(|axis| axis.stride > 0 && axis.stride <= packed);
            let steps = axis.and_then(|axis| Some((packed.checked_div(axis.stride)?, axis.shift)));
            let stride = steps.map_or(0, |(steps, shift)| steps.wrapping_shl(shift));
            positions.push(*size, stride.cast_signed());
        }
        *layout = positions;
        Some(Grid { view, bits })
    }

    /// The coordinates along the last axes.
    #[inline(always)]
    fn coordinates<const N: usize>(&self, position: usize) -> [usize; N] {
        self.last_bits().map(|axis| axis.of(position))
    }

    #[inline(always)]
    fn last_bits<const N: usize>(&self) -> [Bits; N] {
        last_bits(&self.bits)
    }
}

/// Where the coordinates along the last axes are.
#[inline(always)]
fn last_bits<const N: usize>(bits: &[Bits; MAX_RANK]) -> [Bits; N] {
    bits.last_chunk().copied().unwrap_or([Bits::default(); N])
}

impl<'a, T: Copy> Read<'a, T> {
    /// The grid of a view with gaps. `None`: it has none, or as [`Grid::new`].
    pub(super) fn of(
        source: &'a Source<'_, T>,
        most: Option<usize>,
        layout: &mut Layout,
    ) -> Option<Self> {
        match &source.view {
            View::Gaps(view) => Grid::new(view.view(), most, layout),
            _ => None,
        }
    }

    /// `to[flat..][..n] = map(grid[position..][..n])` for each entry.
    #[inline(always)]
    pub(super) fn take<U>(
        &self,
        entries: impl Iterator<Item = (usize, usize)>,
        n: usize,
        to: &mut [U],
        map: impl Fn(T) -> U,
    ) {
        if n < ROW {
            return self.each(
                entries,
                n,
                #[inline(always)]
                |from, flat| {
                    to.get_mut(flat).into_iter().for_each(|to| *to = map(*from));
                },
            );
        }
        entries.for_each(|(position, flat)| {
            let to = to.get_mut(flat..).and_then(|to| to.get_mut(..n));
            if let (Some(from), Some(to)) = (self.row(position, n), to) {
                match from.to_slice() {
                    Some(from) => to.iter_mut().zip(from).for_each(|(to, from)| *to = map(*from)),
                    None => to.iter_mut().zip(from).for_each(|(to, from)| *to = map(*from)),
                }
            }
        });
    }

    /// Prefetches what the entries of a block move of this table, if the route prefetches.
    fn prefetch(&self, block: &Block<'_>, way: &Way) {
        if way.distance > 0 {
            self.each(entries(block), 1, |element, _| prefetch(slice::from_ref(element), 0));
        }
    }

    /// Packs what the entries of a block have in this flat tensor.
    fn pack(&self, block: &Block<'_>, n: usize, packed: &mut Vec<T>) {
        packed.clear();
        packed.reserve(block.addresses.len().wrapping_mul(n));
        for (flat, addresses) in block.lanes() {
            match part(self.plane(flat), flat, addresses.len(), block.entry_step, n) {
                Some(part) if part.len_of(Axis(1)) < ROW => {
                    part.iter().for_each(|element| packed.push(*element));
                }
                Some(part) => part.outer_iter().for_each(|row| match row.to_slice() {
                    Some(row) => packed.extend_from_slice(row),
                    None => row.iter().for_each(|element| packed.push(*element)),
                }),
                None => {
                    let starts = steps(flat, addresses.len(), block.entry_step);
                    self.each(starts.map(|at| (at, 0)), n, |element, _| packed.push(*element));
                }
            }
        }
    }

    /// Visits `n` neighbours for each entry, with their places in a flat tensor.
    #[inline(always)]
    fn each(
        &self,
        entries: impl Iterator<Item = (usize, usize)>,
        n: usize,
        mut visit: impl FnMut(&T, usize),
    ) {
        match &self.view {
            Axes::Two(view) => each_element(
                entries,
                n,
                self.last_bits(),
                #[inline(always)]
                |at, flat| {
                    view.get(at).into_iter().for_each(|element| visit(element, flat));
                },
            ),
            Axes::Four(view) => each_element(
                entries,
                n,
                self.last_bits(),
                #[inline(always)]
                |at, flat| {
                    view.get(at).into_iter().for_each(|element| visit(element, flat));
                },
            ),
            Axes::More(_) => entries.for_each(|(at, flat)| {
                let row = self.row(at, n).into_iter().flatten().zip(flat..);
                row.for_each(|(element, flat)| visit(element, flat));
            }),
        }
    }

    #[inline(always)]
    fn plane(&self, position: usize) -> Plane<ViewRepr<&T>> {
        Plane::of(self.view.view(), &self.bits, position)
    }

    #[inline(always)]
    pub(super) fn get(&self, position: usize) -> Option<&T> {
        match &self.view {
            Axes::Two(view) => view.get(self.coordinates::<2>(position)),
            Axes::Four(view) => view.get(self.coordinates::<4>(position)),
            Axes::More(_) => self.row(position, 1)?.into_iter().next(),
        }
    }

    /// `n` neighbours.
    #[inline(always)]
    fn row(&self, position: usize, n: usize) -> Option<ArrayView1<'_, T>> {
        let (lane, range) = lane(self.plane(position), position, n)?;
        if lane.stride_of(Axis(0)) == 1 {
            return lane.to_slice()?.get(range).map(ArrayView1::from);
        }
        Some(lane.slice_axis_move(Axis(0), Slice::from(range)))
    }
}

impl<'a, T: Copy> Write<'a, T> {
    /// As [`Read::of`].
    pub(super) fn of(
        target: &'a mut Target<'_, T>,
        most: Option<usize>,
        layout: &mut Layout,
    ) -> Option<Self> {
        match target {
            Target::Gaps(view) => Grid::new(view.view_mut(), most, layout),
            _ => None,
        }
    }

    /// The same grid, to read.
    fn read(&self) -> Read<'_, T> {
        Grid { view: self.view.view(), bits: self.bits }
    }

    /// `grid[position..][..n] = change(grid[position..][..n], from[flat..][..n])` for each entry.
    #[inline(always)]
    pub(super) fn change<U: Copy>(
        &mut self,
        entries: impl Iterator<Item = (usize, usize)>,
        n: usize,
        from: &[U],
        change: impl Fn(T, U) -> T,
    ) {
        if n < ROW {
            return self.each_mut(
                entries,
                n,
                #[inline(always)]
                |to, flat| {
                    from.get(flat).into_iter().for_each(|from| *to = change(*to, *from));
                },
            );
        }
        entries.for_each(|(position, flat)| {
            let from = from.get(flat..).and_then(|from| from.get(..n));
            if let (Some(mut to), Some(from)) = (self.row_mut(position, n), from) {
                match to.as_slice_mut() {
                    Some(to) => {
                        to.iter_mut().zip(from).for_each(|(to, from)| *to = change(*to, *from));
                    }
                    None => {
                        to.iter_mut().zip(from).for_each(|(to, from)| *to = change(*to, *from));
                    }
                }
            }
        });
    }

    /// Writes what the entries of a block have in this flat tensor.
    fn put(&mut self, block: &Block<'_>, n: usize, packed: &[T]) {
        let mut rest = packed;
        for (flat, addresses) in block.lanes() {
            let count = addresses.len().wrapping_mul(n);
            let Some((now, others)) = rest.split_at_checked(count) else { return };
            rest = others;
            let step = block.entry_step;
            let whole = !addresses.contains(&NOWHERE);
            let whole = whole.then(|| part(self.plane_mut(flat), flat, addresses.len(), step, n));
            if let Some(mut part) = whole.flatten() {
                let length = part.len_of(Axis(1)).max(1);
                if length < ROW
                    && let Ok(now) = ArrayView2::from_shape(part.raw_dim(), now)
                {
                    Zip::from(part).and(now).for_each(|to, now| *to = *now);
                    continue;
                }
                for (mut to, now) in part.outer_iter_mut().zip(now.chunks_exact(length)) {
                    match to.as_slice_mut() {
                        Some(to) => to.copy_from_slice(now),
                        None => to.iter_mut().zip(now).for_each(|(to, now)| *to = *now),
                    }
                }
                continue;
            }
            let starts = steps(flat, addresses.len(), step).zip((0..).step_by(n.max(1)));
            let starts = starts.zip(addresses).filter(|(_, address)| **address != NOWHERE);
            self.each_mut(starts.map(|(at, _)| at), n, |to, at| {
                now.get(at).into_iter().for_each(|now| *to = *now);
            });
        }
    }

    #[inline(always)]
    fn each_mut(
        &mut self,
        entries: impl Iterator<Item = (usize, usize)>,
        n: usize,
        mut visit: impl FnMut(&mut T, usize),
    ) {
        let (two, four) = (self.last_bits(), self.last_bits());
        match &mut self.view {
            Axes::Two(view) => each_element(
                entries,
                n,
                two,
                #[inline(always)]
                |at, flat| {
                    view.get_mut(at).into_iter().for_each(|element| visit(element, flat));
                },
            ),
            Axes::Four(view) => each_element(
                entries,
                n,
                four,
                #[inline(always)]
                |at, flat| {
                    view.get_mut(at).into_iter().for_each(|element| visit(element, flat));
                },
            ),
            Axes::More(_) => entries.for_each(|(at, flat)| {
                let row = self.row_mut(at, n).into_iter().flatten().zip(flat..);
                row.for_each(|(element, flat)| visit(element, flat));
            }),
        }
    }

    #[inline(always)]
    pub(super) fn get_mut(&mut self, position: usize) -> Option<&mut T> {
        let (two, four) = (self.coordinates::<2>(position), self.coordinates::<4>(position));
        match &mut self.view {
            Axes::Two(view) => view.get_mut(two),
            Axes::Four(view) => view.get_mut(four),
            Axes::More(view) => {
                let four_axes = last_four(view.view_mut(), &self.bits, position)?;
                let [.., row, last] = four;
                last_two(four_axes, four).index_axis_move(Axis(0), row).into_iter().nth(last)
            }
        }
    }

    #[inline(always)]
    fn plane_mut(&mut self, position: usize) -> Plane<ViewRepr<&mut T>> {
        Plane::of(self.view.view_mut(), &self.bits, position)
    }

    #[inline(always)]
    fn row_mut(&mut self, position: usize, n: usize) -> Option<ArrayViewMut1<'_, T>> {
        let (lane, range) = lane(self.plane_mut(position), position, n)?;
        if lane.stride_of(Axis(0)) == 1 {
            return lane.into_slice()?.get_mut(range).map(ArrayViewMut1::from);
        }
        Some(lane.slice_axis_move(Axis(0), Slice::from(range)))
    }
}

impl<T: Element> Write<'_, T> {
    /// Runs on a copy, and writes it back. For each place that entries lead to, it has the elements
    /// that an entry moves there, once. The indices that `run` gets are the numbers of the places.
    pub(super) fn on_places<I: Index>(
        &mut self,
        plan: &Plan,
        indices: &[I],
        run: impl FnOnce(&Scatter, &mut [T], &[usize]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        run::check(plan, indices)?;
        if plan.empty {
            return Ok(());
        }
        let entries = plan.entries();
        let [mut places, mut unique, mut numbers, mut order] = [(); 4].map(|()| Vec::new());
        for words in [&mut places, &mut unique, &mut numbers, &mut order] {
            *words = reserve(entries, Operand::Data)?;
            // Of entries that are left out, there is no place.
            words.resize(entries, usize::MAX);
        }
        run::with_entries(plan, indices, true, |entries| {
            entries.each(|at| {
                places.get_mut(at.entry).into_iter().for_each(|place| *place = at.table);
            });
            Ok(())
        })?;
        let count = coalesce(&places, &mut unique, &mut numbers, &mut order)?;
        unique.truncate(count);
        unique.pop_if(|place| *place == usize::MAX);

        let (mut table, mut entries, mut flat) = (SCALAR, SCALAR, SCALAR);
        table.push(unique.len(), 0);
        for dim in plan.outer() {
            entries.push(dim.size, 0);
            flat.push(dim.size, dim.flat);
        }
        for dim in plan.inner() {
            table.push(dim.size, 0);
            flat.push(dim.size, dim.flat);
        }
        table.pack();
        entries.pack();
        let (flat, length) = (flat.with_offset(plan.start.flat), table.stride(0).unsigned_abs());
        let mut of_numbers = Scatter { plan: Plan::NOTHING, data: table };
        of_numbers.plan.axis(&table, &entries, &flat, 0, Direction::Scatter)?;
        of_numbers.plan.set_bounds(Bounds::Skip);
        of_numbers.plan.negative = Negative::OutOfBounds;

        let Some(any) = unique.first().and_then(|place| self.read().get(*place).copied()) else {
            return Ok(());
        };
        // The places as indices into all positions, and the rest of what an entry moves.
        let (mut positions, mut of_places) = (SCALAR, Plan::NOTHING);
        positions.push(1, 1);
        plan.inner().iter().for_each(|dim| positions.push(dim.size, dim.table));
        let each = Layout::packed(&[unique.len()]);
        of_places.axis(&positions, &each, &table, 0, Direction::Gather)?;
        of_places.lengths.table = plan.lengths.table;
        of_places.addresses_fit = plan.addresses_fit;
        let axis = of_places.coordinates.first_mut();
        axis.into_iter().for_each(|axis| axis.size = plan.lengths.table);
        let length = unique.len().saturating_mul(length);
        let mut copy = reserve(length, Operand::Data)?;
        copy.resize(length, any);
        let (from, to) = (From::Grid(&self.read()), To::Slice(&mut copy));
        self::gather(&of_places, &unique, from, to, |element| element, &gathered)?;
        run(&of_numbers, &mut copy, &numbers)?;
        let assign = |_, new| new;
        let nothing = |_: &mut [T], _: &[T], _: &Block<'_>, _, _: &Way| {};
        self::scatter(&of_places, &unique, To::Grid(self), From::Slice(&copy), assign, &nothing)
    }
}

/// Two axes of a grid, and where their coordinates are in a position.
struct Plane<S: RawData> {
    view: Option<ArrayBase<S, Ix2>>,
    bits: [Bits; 2],
}

impl<S: RawData> Plane<S> {
    /// The last two axes, at the coordinates of a position along the others.
    #[inline(always)]
    fn of(view: Axes<S>, bits: &[Bits; MAX_RANK], position: usize) -> Plane<S> {
        let at = || last_bits(bits).map(|axis| axis.of(position));
        let view = match view {
            Axes::Two(view) => Some(view),
            Axes::Four(view) => Some(last_two(view, at())),
            Axes::More(view) => last_four(view, bits, position).map(|view| last_two(view, at())),
        };
        Plane { view, bits: last_bits(bits) }
    }
}

/// `n` elements for each of `count` entries, `step` apart: a row for each, or one for all. `None`:
/// they are few, go backwards, or are no such part of one plane.
fn part<S: RawData>(
    plane: Plane<S>,
    position: usize,
    count: usize,
    step: isize,
    n: usize,
) -> Option<ArrayBase<S, Ix2>> {
    let (mut view, [first, last]) = (plane.view?, plane.bits);
    let (count, step, n) = match usize::try_from(step).ok()? {
        _ if count.wrapping_mul(n) < ROW => return None,
        step if step == n || count == 1 => (1, 1, count.wrapping_mul(n)),
        step => (count, step, n),
    };
    let along = 1_usize.wrapping_shl(first.shift);
    let steps = |first: usize, count: usize, step: usize| {
        let end = first.wrapping_add(count.wrapping_sub(1).wrapping_mul(step)).wrapping_add(1);
        Slice::new(first.cast_signed(), Some(end.cast_signed()), step.cast_signed())
    };
    let (first, last) = (first.of(position), last.of(position));
    let (rows, columns) = match step.checked_div(along).unwrap_or(0) {
        _ if count == 1 => (steps(first, 1, 1), steps(last, n, 1)),
        0 if n == 1 && step > 0 => (steps(first, 1, 1), steps(last, count, step)),
        by if by > 0 && step == by.wrapping_mul(along) => {
            (steps(first, count, by), steps(last, n, 1))
        }
        _ => return None,
    };
    let fits = |slice: &Slice, axis| slice.end <= Some(view.len_of(Axis(axis)).cast_signed());
    if !fits(&rows, 0) || !fits(&columns, 1) {
        return None;
    }
    view.slice_axis_inplace(Axis(0), rows);
    view.slice_axis_inplace(Axis(1), columns);
    Some(view)
}

/// The lane along the last axis, and the place of `n` neighbours in it. `None`: they end behind it.
#[inline(always)]
fn lane<S: RawData>(
    plane: Plane<S>,
    position: usize,
    n: usize,
) -> Option<(ArrayBase<S, Ix1>, Range<usize>)> {
    let [first, last] = plane.bits.map(|axis| axis.of(position));
    let lane = plane.view?.index_axis_move(Axis(0), first);
    let end = last.wrapping_add(n);
    (end <= lane.len()).then_some((lane, last..end))
}

/// The last four axes, at the coordinates of a position along the others.
#[cold]
fn last_four<S: RawData>(
    mut view: ArrayBase<S, IxDyn>,
    bits: &[Bits; MAX_RANK],
    position: usize,
) -> Option<ArrayBase<S, Ix4>> {
    let [others @ .., _, _, _, _] = bits;
    for axis in others.iter().filter(|axis| axis.stride > 0) {
        view = view.index_axis_move(Axis(0), axis.of(position));
    }
    view.into_dimensionality().ok()
}

/// The plan has proven that the coordinates lie in the view.
#[inline(always)]
fn last_two<S: RawData>(
    view: ArrayBase<S, Ix4>,
    [first, second, ..]: [usize; 4],
) -> ArrayBase<S, Ix2> {
    view.index_axis_move(Axis(0), first).index_axis_move(Axis(0), second)
}

/// Visits `n` neighbours of each entry: their coordinates along the last axes of a grid, and their
/// places in another tensor.
#[inline(always)]
fn each_element<const N: usize>(
    entries: impl Iterator<Item = (usize, usize)>,
    n: usize,
    bits: [Bits; N],
    mut visit: impl FnMut([usize; N], usize),
) {
    if n == 1 {
        return entries.for_each(
            #[inline(always)]
            |(at, flat)| visit(bits.map(|axis| axis.of(at)), flat),
        );
    }
    entries.for_each(
        #[inline(always)]
        |(at, flat)| {
            let mut coordinates = bits.map(|axis| axis.of(at));
            for next in 0..n {
                visit(coordinates, flat.wrapping_add(next));
                coordinates.last_mut().into_iter().for_each(|last| *last = last.wrapping_add(1));
            }
        },
    );
}

/// Positions, a step after the other.
#[inline(always)]
fn steps(first: usize, count: usize, step: isize) -> impl Iterator<Item = usize> {
    (0..count).map(move |entry| first.wrapping_add(entry.wrapping_mul(step.cast_unsigned())))
}
