//! Moves elements of views with gaps where they are: what it takes depends on what moves, not on
//! the view.
//!
//! Axes of the view that can be walked with one stride are made one. A position is the coordinates
//! along those that are left, side by side in the bits of a number: a plan whose strides are powers
//! of two, or multiples of them, adds them up as it adds addresses. So the engine resolves indices
//! to positions, a block at a time, and a [`Job`] here moves what is there. What is written is a
//! view of cells, so that one [`Grid`] serves what is read and what is written.

use std::{mem, slice};

use ::ndarray::{
    ArrayView, ArrayView1, ArrayView2, ArrayView4, ArrayViewD, ArrayViewMut1, Axis, Dimension,
    MathCell, NdIndex, RemoveAxis, Slice, Zip,
};
use strew_simd::{Block, NOWHERE, Path, prefetch};

use super::view::{ROW, Row, of_few_axes, of_four_axes, reserve};
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

/// A view, and where the coordinates along its axes are in a position.
pub(super) enum Grid<'a, E> {
    /// The position is the coordinate.
    One(ArrayView1<'a, E>),
    /// Most grids. An element is found in 1 ns, where many are found together.
    Two(ArrayView2<'a, E>, [Bits; 2]),
    /// Nearly all others: 2 ns, since the compiler knows the number of axes.
    Four(ArrayView4<'a, E>, [Bits; 4]),
    /// As many as a position has coordinates. In a box, so that moves of the others take no time.
    More(Box<(ArrayViewD<'a, E>, [Bits; MAX_RANK])>),
}

/// Where the coordinate along an axis is in a position. Where there is no axis, it is 0.
#[derive(Clone, Copy, Default)]
pub(super) struct Bits {
    shift: u32,
    mask: usize,
}

impl Bits {
    /// Those of a single axis.
    const ALL: Bits = Bits { shift: 0, mask: usize::MAX };

    /// Those of all axes, for the layout of a packed copy, which becomes that of positions. `None`:
    /// a `usize` has too few.
    fn of_axes<const N: usize>(sizes: &[usize], layout: &mut Layout) -> Option<[Bits; N]> {
        let (mut all, mut strides) = ([Bits::default(); N], [0; N]);
        // The first coordinate is all bits from its shift on: one at least, also of an axis of 1.
        let first = u32::from(sizes.first() == Some(&1));
        let (mut shift, mut stride) = (0_u32, 1_usize);
        for ((bits, own), size) in all.iter_mut().zip(&mut strides).zip(sizes).rev() {
            *bits = Bits { shift, mask: 0 };
            if *size > 1 {
                // There are bits for the size, not only for the last coordinate. So a step along
                // one axis never is a step along the next, and a plan does not merge dimensions of
                // two axes.
                let width = usize::BITS.wrapping_sub(size.leading_zeros());
                bits.mask = 1_usize.wrapping_shl(width).wrapping_sub(1);
                *own = stride;
                stride = stride.wrapping_mul(*size);
                shift = shift.wrapping_add(width);
            }
        }
        if shift.wrapping_add(first) > usize::BITS {
            return None;
        }
        let mut positions = SCALAR;
        for (size, stride) in layout.sizes().iter().zip(layout.strides()) {
            let packed = stride.unsigned_abs();
            let axis = strides.iter().zip(&all).find(|(own, _)| **own > 0 && **own <= packed);
            let steps = axis.and_then(|(own, bits)| {
                let steps = if packed == *own { 1 } else { packed.checked_div(*own)? };
                Some(steps.wrapping_shl(bits.shift).cast_signed())
            });
            positions.push(*size, steps.unwrap_or(0));
        }
        *layout = positions;
        Some(all)
    }

    #[inline(always)]
    fn of(&self, position: usize) -> usize {
        position.wrapping_shr(self.shift) & self.mask
    }
}

/// The strides of elements in row-major order.
#[inline(always)]
pub(super) fn packed(sizes: &[usize]) -> [isize; MAX_RANK] {
    let (mut strides, mut step) = ([1; MAX_RANK], 1_isize);
    for (stride, size) in strides.iter_mut().zip(sizes).rev() {
        *stride = step;
        step = step.wrapping_mul(size.cast_signed());
    }
    strides
}

/// What is read: a slice, or a view with gaps.
pub(super) enum From<'a, 'v, E> {
    Slice(&'a [E]),
    Grid(&'a Grid<'v, E>),
}

/// What is written.
pub(super) enum To<'a, 'v, T> {
    Slice(&'a mut [T]),
    Grid(&'a Grid<'v, MathCell<T>>),
}

/// What a call takes longer in a grid than on a copy, in elements that are copied in that time.
pub(super) struct Cost {
    /// For each entry. As many elements as move are copied in any case.
    pub entry: usize,
    /// For each [row](super::Operator::row_of_neighbours), if that is what moves, beside one for
    /// every [`ROW_COPIED`] elements. `None`: rows are like other elements.
    pub row: Option<usize>,
}

/// Elements of a row that take as much longer in a grid as one is copied. Record: rows of 64 and
/// 300 f32, see [`READ`] and [`WRITTEN`].
pub(super) const ROW_COPIED: usize = 8;

/// A gather. Record, in a grid against a copy: single elements on Zen 4, tables of 5 elements for
/// each entry 0.5x to 0.8x, but 1.2x for rows without gaps in L2, and 1.8x for 1 million entries
/// that all miss. Rows in half of the columns on Emerald Rapids, tables of 0.4 to 1 element for
/// each that moves: of 64 and 300 0.4x to 0.75x, of 8 and 16 1.2x to 1.45x.
pub(super) const READ: Cost = Cost { entry: 4, row: Some(16) };

/// The same where the copy is written back. Record: 3 elements for each added entry 0.3x to 0.8x,
/// but 1.8x for 1 million entries that all miss; 5 elements 0.3x to 0.7x, but 1.2x. Rows as above,
/// added and set: of 64 and 300 0.25x to 0.7x, of 8 and 16 0.45x to 0.85x, but 1.1x to 1.2x where
/// they are added to tables of 0.4 elements for each.
pub(super) const WRITTEN: Cost = Cost { entry: 2, row: Some(2) };

/// The same for an entry whose place is [copied](Grid::on_places), after all have been sorted.
pub(super) const SORTED: Cost = Cost { entry: 128, row: None };

/// Bytes of a flat tensor with gaps that are packed together, for loops over slices: those of one
/// entry at least. Rows of `LONG_ROW` elements move one by one.
const PACKED: usize = if cfg!(fuzzing) { 64 } else { 1 << 14 };
const LONG_ROW: usize = if cfg!(fuzzing) { 6 } else { 256 };

/// [`PACKED`] where entries move no rows. Record, on Zen 5: `elements` of f32, 72 and 48 KB in
/// lanes of 3 and 100, 0.14x to 0.3x and 0.85x; rows of 12 and 500 f64 would take 1.3x and 2.0x.
const WHOLE: usize = if cfg!(fuzzing) { 128 } else { 1 << 18 };

impl<'a, E> From<'a, '_, E> {
    /// `n` neighbours.
    #[inline(always)]
    fn row(&self, at: usize, n: usize) -> Option<ArrayView1<'a, E>> {
        match self {
            From::Slice(slice) => Some(slice.get(at..)?.get(..n)?.into()),
            From::Grid(grid) => grid.row(at, n),
        }
    }
}

impl<'v, T: Copy> To<'_, 'v, T> {
    #[inline(always)]
    fn row(&mut self, at: usize, n: usize) -> Option<ArrayView1<'_, MathCell<T>>> {
        match self {
            To::Slice(slice) => {
                Some(ArrayViewMut1::from(slice.get_mut(at..)?.get_mut(..n)?).into_cell_view())
            }
            To::Grid(grid) => grid.row(at, n),
        }
    }

    fn again(&mut self) -> To<'_, 'v, T> {
        match self {
            To::Slice(slice) => To::Slice(slice),
            To::Grid(grid) => To::Grid(grid),
        }
    }
}

/// The most elements of a flat tensor with gaps that are copied as a whole; `rows`: entries move
/// rows of neighbours.
pub(super) fn most_packed<U>(rows: bool) -> Option<usize> {
    if rows { PACKED } else { WHOLE }.checked_div(size_of::<U>())
}

/// What moves a block between slices, of which the second is written: [`run`] calls it for each.
pub(super) type Kernel<'k, E, U> = dyn Fn(&[E], &mut [U], &Block<'_>, &Way) + 'k;

/// Calls `change(to, from)` for all elements that move. A gather goes from a table to a flat
/// tensor, anything else from the flat tensor to the table; they are not both slices. `kernel` does
/// the same for slices.
pub(super) fn run<const GATHER: bool, E: Clone, U: Copy, I: Index>(
    plan: &Plan,
    indices: &[I],
    from: &From<'_, '_, E>,
    to: To<'_, '_, U>,
    change: impl Fn(&MathCell<U>, &E) + Copy,
    kernel: &Kernel<'_, E, U>,
) -> Result<(), Error> {
    let direction = if GATHER { Direction::Gather } else { Direction::Scatter };
    let moves = Moves { change, kernel, way: Way::of(Path::detect(), plan.row()) };
    let mut job = Moving::<_, _, _, GATHER>::new(from, to, moves);
    // A tile of a gather is a copy of what is read.
    let element = if GATHER { size_of::<E>().max(size_of::<U>()) } else { size_of::<U>() };
    run::by_job(plan, indices, direction, element, &mut job)?;
    job.has_moved()
}

/// The [`Kernel`] of a gather of elements as they are.
pub(super) fn gathered<T: Element>(input: &[T], output: &mut [T], block: &Block<'_>, way: &Way) {
    Gathered { input, output, way: *way }.block(block);
}

/// The tensors of a call.
struct Moving<'a, 'v, 'b, 'w, 'k, E, U, F, const GATHER: bool> {
    from: &'a From<'a, 'v, E>,
    to: To<'b, 'w, U>,
    moves: Moves<F, &'k Kernel<'k, E, U>>,
    /// A part of a flat tensor with gaps, and a tile of the table. A gather reads the tile, and
    /// writes the part; anything else reads the part.
    read: Vec<E>,
    written: Vec<U>,
    /// There is no memory for a tile. No later tile is larger than the first one, whose memory they
    /// use as well: so nothing has moved.
    no_memory: bool,
}

impl<'a, 'v, 'b, 'w, 'k, E, U, F, const GATHER: bool> Moving<'a, 'v, 'b, 'w, 'k, E, U, F, GATHER> {
    fn new(
        from: &'a From<'a, 'v, E>,
        to: To<'b, 'w, U>,
        moves: Moves<F, &'k Kernel<'k, E, U>>,
    ) -> Self {
        Moving { from, to, moves, read: Vec::new(), written: Vec::new(), no_memory: false }
    }

    /// Whether there was memory.
    fn has_moved(&self) -> Result<(), Error> {
        let operand = if GATHER { Operand::Input } else { Operand::Data };
        if self.no_memory { Err(Error::SizesOverflow { operand }) } else { Ok(()) }
    }
}

/// How entries of `n` elements move.
#[derive(Clone, Copy)]
struct Moves<F, K> {
    change: F,
    kernel: K,
    way: Way,
}

impl<E, U: Copy, F: Fn(&MathCell<U>, &E) + Copy> Moves<F, &Kernel<'_, E, U>> {
    /// Gathers a block to a flat tensor that is a slice.
    fn gather(&self, table: &From<'_, '_, E>, flat: &mut [U], block: &Block<'_>) {
        let Moves { change, kernel, ref way } = *self;
        match table {
            From::Slice(table) => kernel(table, flat, block, way),
            From::Grid(table) => {
                if let Some((lane, table)) = table.lane_of(block) {
                    return kernel(lane, flat, &Block { table, segment: (0, 0), ..*block }, way);
                }
                table.prefetch(block, way);
                let flat = ArrayViewMut1::from(flat).into_cell_view();
                let flat = flat.to_slice().unwrap_or_default();
                table.zip(
                    block,
                    way.n,
                    flat,
                    #[inline(always)]
                    |from, to| change(to, from),
                );
            }
        }
    }

    /// Scatters a block from a flat tensor that is a slice.
    fn scatter(&self, flat: &[E], table: &mut To<'_, '_, U>, block: &Block<'_>) {
        let Moves { change, kernel, ref way } = *self;
        match table {
            To::Slice(table) => kernel(flat, table, block, way),
            To::Grid(table) => {
                table.prefetch(block, way);
                table.zip(block, way.n, flat, change);
            }
        }
    }
}

impl<E: Clone, U: Copy, F, const GATHER: bool> Mover for Moving<'_, '_, '_, '_, '_, E, U, F, GATHER>
where
    F: Fn(&MathCell<U>, &E) + Copy,
{
    fn block(&mut self, block: &Block<'_>) {
        let Moving { from, ref mut to, moves, ref mut read, ref mut written, .. } = *self;
        let n = moves.way.n;
        let gaps = match (from, &to) {
            (From::Grid(_), _) if !GATHER => true,
            (_, To::Grid(_)) => GATHER,
            _ => false,
        };
        if gaps && n >= LONG_ROW {
            return entries(block).for_each(|(table, flat)| {
                let (at, into) = if GATHER { (table, flat) } else { (flat, table) };
                if let (Some(to), Some(from)) = (to.row(into, n), from.row(at, n)) {
                    Zip::from(to).and(from).for_each(moves.change);
                }
            });
        }
        let bytes = n.saturating_mul(if GATHER { size_of::<U>() } else { size_of::<E>() });
        if GATHER {
            match to {
                To::Slice(flat) => moves.gather(from, flat, block),
                To::Grid(flat) => each_part(block, bytes, |part| {
                    if flat.has_room(part, n, written, |cell| cell.get()) {
                        moves.gather(from, written, &packed_block(part, n));
                        flat.each_flat(part, n, |to, at| {
                            let from = written.get(at..).unwrap_or_default();
                            to.zip(from, |to, from| to.set(*from));
                        });
                    }
                }),
            }
        } else {
            match from {
                From::Slice(flat) => moves.scatter(flat, to, block),
                From::Grid(flat) => each_part(block, bytes, |part| {
                    if flat.has_room(part, n, read, E::clone) {
                        flat.each_flat(part, n, |from, at| {
                            let to = read.get_mut(at..).unwrap_or_default();
                            from.zip(to, |from, to| to.clone_from(from));
                        });
                        moves.scatter(read, to, &packed_block(part, n));
                    }
                }),
            }
        }
    }
}

impl<E: Clone, U: Copy, F, const GATHER: bool> Job for Moving<'_, '_, '_, '_, '_, E, U, F, GATHER>
where
    F: Fn(&MathCell<U>, &E) + Copy,
{
    fn prepare(&mut self, way: Way) {
        self.moves.way = way;
    }

    fn session(&mut self, run: &mut dyn FnMut(&mut dyn Mover)) {
        run(self);
    }

    fn tile(&mut self, tile: &Tile, run: &mut dyn FnMut(&mut dyn Mover)) {
        let elements = tile.rows.saturating_mul(tile.width);
        let Moving { from, ref mut to, moves, ref mut read, ref mut written, .. } = *self;
        let room = if GATHER {
            read.clear();
            read.try_reserve_exact(elements)
        } else {
            written.clear();
            written.try_reserve_exact(elements)
        };
        self.no_memory |= room.is_err();
        if self.no_memory {
            return;
        }
        if GATHER {
            for row in tile.starts() {
                read.extend(from.row(row, tile.width).into_iter().flatten().cloned());
            }
            let table = From::Slice(read);
            let mut job = Moving::<_, _, _, GATHER>::new(&table, to.again(), moves);
            mem::swap(&mut job.written, written);
            run(&mut job);
            return mem::swap(&mut job.written, written);
        }
        for row in tile.starts() {
            written.extend(to.row(row, tile.width).into_iter().flatten().map(|cell| cell.get()));
        }
        let mut job = Moving::<_, _, _, GATHER>::new(from, To::Slice(written), moves);
        mem::swap(&mut job.read, read);
        run(&mut job);
        mem::swap(&mut job.read, read);
        for (row, new) in tile.starts().zip(written.chunks(tile.width.max(1))) {
            if let Some(row) = to.row(row, tile.width) {
                Row::of(row).zip(new, |to, new| to.set(*new));
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
    Block { flat: 0, entry_step, lane_step, lane_ahead: 0, ..*block }
}

/// Visits the parts of a block of at most [`PACKED`] bytes, if entries have no more: some lanes, or
/// a part of one. Entries have `bytes` bytes. The first part prefetches for all of them.
fn each_part(block: &Block<'_>, bytes: usize, mut visit: impl FnMut(&Block<'_>)) {
    let most = PACKED.checked_div(bytes).unwrap_or(usize::MAX).max(1);
    if block.addresses.len() <= most {
        return visit(block);
    }
    let lanes = most.checked_div(block.length).unwrap_or(0).max(1);
    let some = block.addresses.chunks(lanes.wrapping_mul(block.length).max(1)).enumerate();
    let (mut segment, mut indices) = (block.segment, block.indices);
    let lane_ahead = if lanes > 1 { block.lane_ahead } else { 0 };
    for (number, addresses) in some {
        let first = number.wrapping_mul(lanes).wrapping_mul(block.lane_step as usize);
        for (number, addresses) in addresses.chunks(most).enumerate() {
            let entry = number.wrapping_mul(most).wrapping_mul(block.entry_step as usize);
            let flat = block.flat.wrapping_add(first).wrapping_add(entry);
            visit(&Block { addresses, flat, next: &[], segment, indices, lane_ahead, ..*block });
            (segment, indices) = ((0, 0), &[]);
        }
    }
}

impl<'a, E> Grid<'a, E> {
    /// For a view, and the layout of a packed copy with the same axes, which becomes that of
    /// positions. `None`: there is no view, it has at most `most` elements, or a `usize` has too
    /// few bits for its coordinates.
    pub(super) fn new(
        view: Option<ArrayViewD<'a, E>>,
        most: Option<usize>,
        layout: &mut Layout,
    ) -> Option<Grid<'a, E>> {
        let view = view.filter(|view| most < Some(view.len()))?;
        if let Some(view) = of_four_axes(view.clone()) {
            return Grid::of_four(view, layout);
        }
        let mut view = of_few_axes(view);
        while view.ndim() < MAX_RANK {
            view = view.insert_axis(Axis(0));
        }
        let bits = Bits::of_axes(view.shape(), layout)?;
        Some(Grid::More(Box::new((view, bits))))
    }

    /// For a view that [`of_four_axes`] can take, with the strides that its own axes have
    /// in positions.
    pub(super) fn of_few<D: Dimension>(
        view: ArrayView<'a, E, D>,
    ) -> Option<(Grid<'a, E>, [isize; MAX_RANK])> {
        // In a slice, or along one axis, all axes are one.
        let slice = view.to_slice().map(ArrayView1::from);
        if let Some(one) = slice.or_else(|| view.clone().into_dimensionality().ok()) {
            return Some((Grid::One(one), packed(view.shape())));
        }
        // Axes in the order of memory, if the view is transposed, so that more of them are one.
        let stride = |at: Option<&isize>| at.map(|stride| stride.unsigned_abs());
        let turned = stride(view.strides().first()) < stride(view.strides().last());
        let view = if turned { view.reversed_axes() } else { view };
        let mut layout = Layout::packed(view.shape());
        let grid = Grid::of_four(of_four_axes(view)?, &mut layout)?;
        let mut strides = [0; MAX_RANK];
        strides.iter_mut().zip(layout.strides()).for_each(|(to, stride)| *to = *stride);
        if turned {
            strides.get_mut(..layout.rank())?.reverse();
        }
        Some((grid, strides))
    }

    fn of_four(view: ArrayView4<'a, E>, layout: &mut Layout) -> Option<Grid<'a, E>> {
        let bits: [Bits; 4] = Bits::of_axes(view.shape(), layout)?;
        Some(match (view.dim(), bits) {
            ((1, 1, 1, _), _) => Grid::One(at(at(at(view, 0)?, 0)?, 0)?),
            ((1, 1, _, _), [_, _, bits @ ..]) => Grid::Two(at(at(view, 0)?, 0)?, bits),
            _ => Grid::Four(view, bits),
        })
    }

    fn get(&self, position: usize) -> Option<&E> {
        match self {
            Grid::One(view) => view.get(position),
            Grid::Two(view, bits) => view.get(coordinates(bits, position)),
            Grid::Four(view, bits) => view.get(coordinates(bits, position)),
            Grid::More(more) => more.0.get(coordinates(&more.1, position)),
        }
    }

    /// Calls `change` for what the entries of a block have in this table and in a flat tensor.
    #[inline(always)]
    fn zip<O>(&self, block: &Block<'_>, n: usize, flat: &[O], change: impl Fn(&E, &O)) {
        if n < ROW {
            return self.each(
                entries(block),
                n,
                #[inline(always)]
                move |element, at| {
                    if let Some(other) = flat.get(at) {
                        change(element, other);
                    }
                },
            );
        }
        entries(block).for_each(|(at, to)| {
            let flat = flat.get(to..).and_then(|flat| flat.get(..n));
            if let (Some(row), Some(flat)) = (self.row(at, n), flat) {
                Row::of(row).zip(flat, &change);
            }
        });
    }

    /// Visits the elements at these positions, each with what comes with it.
    #[inline(always)]
    pub(super) fn singles<X>(
        &self,
        entries: impl Iterator<Item = (usize, X)>,
        visit: impl FnMut(&E, X),
    ) {
        match self {
            Grid::One(view) => each_single(view, [Bits::ALL], entries, visit),
            Grid::Two(view, bits) => each_single(view, *bits, entries, visit),
            Grid::Four(view, bits) => each_single(view, *bits, entries, visit),
            Grid::More(more) => each_single(&more.0, more.1, entries, visit),
        }
    }

    /// Visits `n` neighbours of each entry, with their places in another tensor.
    #[inline(always)]
    fn each(
        &self,
        entries: impl Iterator<Item = (usize, usize)>,
        n: usize,
        visit: impl FnMut(&E, usize),
    ) {
        if n == 1 {
            return self.singles(entries, visit);
        }
        match self {
            Grid::One(view) => each_element(view, [Bits::ALL], entries, n, visit),
            Grid::Two(view, bits) => each_element(view, *bits, entries, n, visit),
            Grid::Four(view, bits) => each_element(view, *bits, entries, n, visit),
            Grid::More(more) => each_element(&more.0, more.1, entries, n, visit),
        }
    }

    /// Visits what the entries of a block have in this flat tensor, as [`each`](Grid::each), with
    /// the places in a packed copy.
    fn each_flat(&self, block: &Block<'_>, n: usize, mut visit: impl FnMut(Row<'_, E>, usize)) {
        let (length, step) = (block.length.wrapping_mul(n), block.entry_step);
        let lanes = || block.lanes().zip((0..).step_by(length.max(1)));
        let starts = |lane| starts(lane, step, n);
        // To begin a loop for each lane takes longer than so few elements do.
        if length < ROW {
            return self.each(lanes().flat_map(starts), n, |element, at| {
                visit(Row::Single(element), at);
            });
        }
        for lane in lanes() {
            let ((flat, addresses), first) = lane;
            let whole = !addresses.contains(&NOWHERE);
            let part = whole.then(|| part(self.plane(flat)?, flat, addresses.len(), step, n));
            if let Some(part) = part.flatten() {
                let length = part.len_of(Axis(1));
                part.outer_iter().zip((first..).step_by(length.max(1))).for_each(|(row, at)| {
                    visit(Row::of(row), at);
                });
                continue;
            }
            self.each(starts(lane), n, |element, at| visit(Row::Single(element), at));
        }
    }

    /// Makes a packed copy long enough for a block of this flat tensor. `false`: nothing moves.
    fn has_room<T: Clone>(
        &self,
        block: &Block<'_>,
        n: usize,
        packed: &mut Vec<T>,
        value: impl Fn(&E) -> T,
    ) -> bool {
        let length = block.addresses.len().wrapping_mul(n);
        let Some(any) = self.get(block.flat) else { return false };
        packed.resize(packed.len().max(length), value(any));
        true
    }

    /// The lane along the last axis that all entries of a block lead into, if it is a slice, and
    /// the place in it from which addresses count: in a batch, each row has indices of its own.
    /// `None` too if addresses count from before it.
    fn lane_of(&self, block: &Block<'_>) -> Option<(&'a [E], usize)> {
        let ([first, .., last] | [first @ last]) = block.addresses else { return None };
        let of = |address: &u32| block.table.wrapping_add(*address as usize);
        let (lane, bits) = self.lane(of(first))?;
        let (lane, start) = (lane.to_slice()?, of(first) & !bits.mask);
        let outside = |address: &u32| match *address {
            NOWHERE => 0,
            _ => (of(address) ^ start) & !bits.mask,
        };
        // All of them, so that the compiler makes vectors of it.
        let inside = || block.addresses.iter().fold(0, |any, address| any | outside(address)) == 0;
        let place = block.table.checked_sub(start)?;
        (outside(last) == 0 && inside()).then_some((lane, place))
    }

    /// Prefetches what the entries of a block move of this table, if the route prefetches.
    fn prefetch(&self, block: &Block<'_>, way: &Way) {
        if way.distance > 0 {
            let visit = |element: &E, _| prefetch(slice::from_ref(element), 0);
            self.each(entries(block), 1, visit);
        }
    }

    /// Whether neighbours along the last axis are neighbours in memory.
    pub(super) fn has_slices(&self) -> bool {
        self.plane(0).is_some_and(|(plane, _)| plane.stride_of(Axis(1)) == 1)
    }

    /// `n` neighbours.
    #[inline(always)]
    pub(super) fn row(&self, position: usize, n: usize) -> Option<ArrayView1<'a, E>> {
        let (lane, bits) = self.lane(position)?;
        let last = bits.of(position);
        let end = last.wrapping_add(n);
        if lane.stride_of(Axis(0)) == 1 {
            return lane.to_slice()?.get(last..end).map(ArrayView1::from);
        }
        (end <= lane.len()).then(|| lane.slice_axis_move(Axis(0), Slice::from(last..end)))
    }

    /// The last axis, at the coordinates of a position along the others.
    #[inline(always)]
    fn lane(&self, position: usize) -> Option<(ArrayView1<'a, E>, Bits)> {
        let (plane, [first, last]) = self.plane(position)?;
        Some((at(plane, first.of(position))?, last))
    }

    /// The last two axes, at the coordinates of a position along the others.
    #[inline(always)]
    fn plane(&self, position: usize) -> Option<(ArrayView2<'a, E>, [Bits; 2])> {
        let (four, [first, second, bits @ ..]) = match self {
            Grid::One(view) => {
                let none = Bits { shift: usize::BITS - 1, mask: 0 };
                return Some((view.insert_axis(Axis(0)), [none, Bits::ALL]));
            }
            Grid::Two(view, bits) => return Some((*view, *bits)),
            Grid::Four(view, bits) => (*view, *bits),
            Grid::More(more) => last_four(more, position)?,
        };
        Some((at(at(four, first.of(position))?, second.of(position))?, bits))
    }
}

impl<T: Element> Grid<'_, MathCell<T>> {
    /// Runs on a copy, and writes it back. For each place that entries lead to, it has the elements
    /// that an entry moves there, once. The indices that `run` gets are the numbers of the places.
    pub(super) fn on_places<I: Index>(
        &self,
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

        let Some(any) = unique.first().and_then(|place| self.get(*place)) else {
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
        copy.resize(length, any.get());
        let (from, to) = (&From::Grid(self), To::Slice(&mut copy));
        let nothing = |_: &[MathCell<T>], _: &mut [T], _: &Block<'_>, _: &Way| {};
        let get = |to: &MathCell<T>, from: &MathCell<T>| to.set(from.get());
        self::run::<true, _, _, _>(&of_places, &unique, from, to, get, &nothing)?;
        run(&of_numbers, &mut copy, &numbers)?;
        let nothing = |_: &[T], _: &mut [T], _: &Block<'_>, _: &Way| {};
        let (to, from) = (To::Grid(self), &From::Slice(&copy));
        let set = |to: &MathCell<T>, from: &T| to.set(*from);
        self::run::<false, _, _, _>(&of_places, &unique, from, to, set, &nothing)
    }
}

/// `n` elements for each of `count` entries, `step` apart: a row for each, or one for all. `None`:
/// they are few, go backwards, or are no such part of one plane.
fn part<'a, E>(
    (mut view, [first, last]): (ArrayView2<'a, E>, [Bits; 2]),
    position: usize,
    count: usize,
    step: isize,
    n: usize,
) -> Option<ArrayView2<'a, E>> {
    let (count, step, n) = match usize::try_from(step).ok()? {
        _ if count.wrapping_mul(n) < ROW => return None,
        step if step == n || count == 1 => (1, 1, count.wrapping_mul(n)),
        step => (count, step, n),
    };
    let along = 1_usize.wrapping_shl(first.shift);
    let (rows, columns) = match step.checked_div(along).unwrap_or(0) {
        _ if count == 1 => ((1, 1), (n, 1)),
        0 if n == 1 && step > 0 => ((1, 1), (count, step)),
        by if by > 0 && step == by.wrapping_mul(along) => ((count, by), (n, 1)),
        _ => return None,
    };
    let starts = [first.of(position), last.of(position)];
    for ((axis, start), (count, step)) in (0..).zip(starts).zip([rows, columns]) {
        let far = count.checked_sub(1)?.checked_mul(step)?;
        let last = start.checked_add(far).filter(|last| *last < view.len_of(Axis(axis)))?;
        let end = Some(last.wrapping_add(1).cast_signed());
        let slice = Slice::new(start.cast_signed(), end, step.cast_signed());
        view.slice_axis_inplace(Axis(axis), slice);
    }
    Some(if view.len_of(Axis(1)) == 1 { view.reversed_axes() } else { view })
}

/// The other axes, at a coordinate along the first one. `None`: it is out of bounds, which no
/// position of a plan is.
#[inline(always)]
fn at<E, D: RemoveAxis>(
    view: ArrayView<'_, E, D>,
    coordinate: usize,
) -> Option<ArrayView<'_, E, D::Smaller>> {
    (coordinate < view.len_of(Axis(0))).then(|| view.index_axis_move(Axis(0), coordinate))
}

/// The last four axes, at the coordinates of a position along the others.
#[cold]
fn last_four<'a, E>(
    (view, bits): &(ArrayViewD<'a, E>, [Bits; MAX_RANK]),
    position: usize,
) -> Option<(ArrayView4<'a, E>, [Bits; 4])> {
    let (mut view, [others @ .., _, _, _, _]) = (view.clone(), bits);
    for axis in others {
        view = at(view, axis.of(position))?;
    }
    Some((view.into_dimensionality().ok()?, *bits.last_chunk()?))
}

/// The coordinates along all axes: the first has no others above it, and the last none below.
#[inline(always)]
pub(super) fn coordinates<const N: usize>(bits: &[Bits; N], position: usize) -> [usize; N] {
    let mut all = bits.map(|axis| axis.of(position));
    if let ([first, .., last], [high, .., low]) = (&mut all[..], &bits[..]) {
        (*first, *last) = (position.wrapping_shr(high.shift), position & low.mask);
    }
    all
}

/// Visits one element of each entry: see [`Grid::singles`].
#[inline(always)]
fn each_single<E, X, D: Dimension, const N: usize>(
    view: &ArrayView<'_, E, D>,
    bits: [Bits; N],
    entries: impl Iterator<Item = (usize, X)>,
    mut visit: impl FnMut(&E, X),
) where
    [usize; N]: NdIndex<D>,
{
    // What the loops use is their own, so that no element that is written can change it.
    let view = view.view();
    entries.for_each(
        #[inline(always)]
        move |(at, with)| {
            if let Some(element) = view.get(coordinates(&bits, at)) {
                visit(element, with);
            }
        },
    );
}

/// The same for few neighbours of each entry, one by one: see [`Grid::each`].
#[inline(always)]
fn each_element<E, D: Dimension, const N: usize>(
    view: &ArrayView<'_, E, D>,
    bits: [Bits; N],
    entries: impl Iterator<Item = (usize, usize)>,
    n: usize,
    mut visit: impl FnMut(&E, usize),
) where
    [usize; N]: NdIndex<D>,
{
    // Its own, as there.
    let view = view.view();
    entries.for_each(
        #[inline(always)]
        move |(at, to)| {
            let mut at = coordinates(&bits, at);
            for next in 0..n {
                if let Some(element) = view.get(at) {
                    visit(element, to.wrapping_add(next));
                }
                at.last_mut().into_iter().for_each(|last| *last = last.wrapping_add(1));
            }
        },
    );
}

/// The entries of a lane of a flat tensor that are not left out, each with its place in a packed
/// copy, where the lane has one as well.
#[inline(always)]
fn starts(
    ((flat, addresses), place): ((usize, &[u32]), usize),
    step: isize,
    n: usize,
) -> impl Iterator<Item = (usize, usize)> {
    let starts = steps(flat, addresses.len(), step).zip((place..).step_by(n.max(1)));
    starts.zip(addresses).filter(|(_, address)| **address != NOWHERE).map(|(at, _)| at)
}

/// Positions, a step after the other.
#[inline(always)]
fn steps(first: usize, count: usize, step: isize) -> impl Iterator<Item = usize> {
    (0..count).map(move |entry| first.wrapping_add(entry.wrapping_mul(step.cast_unsigned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tile that no memory holds is an error, and nothing moves, nor by the tiles after it.
    #[test]
    fn tiles_without_memory() {
        fn of<const GATHER: bool>(operand: Operand) {
            let (from, mut to) = (From::Slice(&[7_u8; 12]), [1_u8; 12]);
            let kernel = |_: &[u8], _: &mut [u8], _: &Block<'_>, _: &Way| {};
            let change = |to: &MathCell<u8>, from: &u8| to.set(*from);
            let moves = Moves {
                change,
                kernel: &kernel as &Kernel<'_, _, _>,
                way: Way::of(Path::detect(), 1),
            };
            let mut job = Moving::<_, _, _, GATHER>::new(&from, To::Slice(&mut to), moves);
            let (mut runs, tile) = (0, Tile { start: 0, rows: 3, pitch: 4, width: 2 });
            job.tile(&tile, &mut |_| runs += 1);
            assert_eq!(job.has_moved(), Ok(()));
            job.tile(&Tile { rows: usize::MAX, ..tile }, &mut |_| runs += 1);
            job.tile(&tile, &mut |_| runs += 1);
            assert_eq!((runs, job.has_moved()), (1, Err(Error::SizesOverflow { operand })));
        }
        of::<true>(Operand::Input);
        of::<false>(Operand::Data);
    }
}
