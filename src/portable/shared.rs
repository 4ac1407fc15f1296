//! The walk for plans in memory, without `std`: functions that all plans share.
//!
//! What knows no type is compiled once, the rest once for each index type, each element type (and
//! reduction), or each pair of them. No loop is written out for what is rare:
//!
//! | loop | for | moves |
//! |---|---|---|
//! | elements | single indices without gaps, default rules | an element each |
//! | one | the same in one lane, all by one update (scatters) | an element each |
//! | list | single indices without gaps in one lane, default rules | a row each |
//! | rows | tuples without gaps, default rules | a row each |
//! | columns | lists along the last axis of a matrix (gathers) | elements that lie apart |
//! | [`entries`] | everything else | what one entry stands for |
//!
//! Default rules are `Bounds::Error` and indices that count from the end.
//!
//! Stack is scarce where this runs, and a loop's frame is what its values take beyond eight
//! registers. So:
//! - the call of a loop passes the same arguments on, so that the compiler can make it a tail call,
//!   and the stack is that of one function;
//! - what loops call has no more than four arguments, and uses few registers;
//! - a reduction is passed by value, since most take no room: a call that passes the address of one
//!   in the caller's frame is no tail call. It comes last, so that one which takes room does not
//!   move the data from registers to the stack;
//! - a loop does not keep what the plan can tell again: the compiler takes each value that does not
//!   change out of the loop, and gives it a place in the frame.

mod entries;
mod rows;

use crate::copy::copy_row_shared;
use crate::element::Element;
use crate::error::{Error, Operand};
use crate::index::{Bounds, Index, LONGEST, Negative};
use crate::plan::{Coordinate, Plan, Start};
use crate::portable::shared::entries::{Walk, entries, lane};
use crate::portable::shared::rows::{Combined, Taken, combine_row, strided_row};
use crate::reduction::{Assign, Reduction};

/// The loop for a plan that moves something.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Loop {
    Elements,
    One,
    List,
    Rows,
    Columns,
    Entries,
}

impl Loop {
    #[inline(always)]
    fn of(plan: &Plan) -> Loop {
        let [lane, inner, ..] = &plan.dims;
        let one_lane = || plan.outer <= 1 && lane.table == 0;
        let one_column = || (plan.outer, plan.rank) == (1, 2) && !inner.is_row();
        let one_update = || (plan.outer, plan.rank, lane.flat) == (1, 1, 0);
        match (plan.packed_tuple, plan.packed_row) {
            _ if !has_default_rules(plan) => Loop::Entries,
            (1, 1) => Loop::Elements,
            (1, 0) if one_update() => Loop::One,
            (1, 1..) if one_lane() => Loop::List,
            (1.., 1..) => Loop::Rows,
            (1, _) if one_lane() && one_column() => Loop::Columns,
            _ => Loop::Entries,
        }
    }
}

/// Whether indices count from the end, and are an error beyond that.
#[inline(always)]
fn has_default_rules(plan: &Plan) -> bool {
    matches!((plan.bounds, plan.negative), (Bounds::Error, Negative::FromEnd))
}

#[inline(never)]
pub(crate) fn gather<T: Element, I: Index>(
    plan: &Plan,
    input: &[T],
    indices: &[I],
    output: &mut [T],
) -> Result<(), Error> {
    if plan.empty || !plan.fit([indices.len(), input.len(), output.len()]) {
        return gather_nothing(plan, input, indices, output);
    }
    match Loop::of(plan) {
        Loop::Elements => gather_elements(plan, input, indices, output),
        Loop::List => gather_list(plan, input, indices, output),
        Loop::Rows => gather_rows(plan, input, indices, output),
        Loop::Columns => gather_columns(plan, input, indices, output),
        Loop::One | Loop::Entries => gather_entries(plan, input, indices, output),
    }
}

/// A call that moves nothing: an error, or a plan without elements.
#[cold]
#[inline(never)]
fn gather_nothing<T: Element, I: Index>(
    plan: &Plan,
    input: &[T],
    indices: &[I],
    output: &mut [T],
) -> Result<(), Error> {
    let lengths = [indices.len(), input.len(), output.len()];
    if !plan.fit(lengths) {
        return Err(too_short(plan, lengths, [Operand::Indices, Operand::Input, Operand::Output]));
    }
    gather_fails::<T, I>(plan, indices)
}

/// The error of a gather that has met an index out of bounds. With few arguments: those that are
/// passed on the stack are part of the caller's frame.
#[cold]
#[inline(never)]
fn gather_fails<T: Element, I: Index>(plan: &Plan, indices: &[I]) -> Result<(), Error> {
    gather_entries::<T, I>(plan, &[], indices, &mut [])
}

#[inline(never)]
fn gather_elements<T: Element, I: Index>(
    plan: &Plan,
    input: &[T],
    indices: &[I],
    output: &mut [T],
) -> Result<(), Error> {
    let [axis, ..] = &plan.coordinates;
    let lane = lane(plan);
    let by = lane.table;
    let walked = lanes(plan, lane.size, indices, |start, indices| {
        let mut first = start.table;
        for (index, to) in indices.iter().zip(output.get_mut(start.flat..)?) {
            let place = element_place(*index, axis, first)?;
            first = first.wrapping_add_signed(by);
            *to = *input.get(place)?;
        }
        Some(())
    });
    if walked.is_some() { Ok(()) } else { gather_fails::<T, I>(plan, indices) }
}

#[inline(never)]
fn gather_list<T: Element, I: Index>(
    plan: &Plan,
    input: &[T],
    indices: &[I],
    output: &mut [T],
) -> Result<(), Error> {
    let mut copy = || {
        let [axis, ..] = &plan.coordinates;
        let n = plan.packed_row.max(1);
        let rows = output.get_mut(plan.start.flat..)?.chunks_exact_mut(n);
        for (to, index) in rows.zip(only_lane(plan, indices)?) {
            let place = place(*index, axis, plan.start.table)?;
            copy_row_shared(input.get(place..place.wrapping_add(n))?, to);
        }
        Some(())
    };
    if copy().is_some() { Ok(()) } else { gather_fails::<T, I>(plan, indices) }
}

#[inline(never)]
fn gather_rows<T: Element, I: Index>(
    plan: &Plan,
    input: &[T],
    indices: &[I],
    output: &mut [T],
) -> Result<(), Error> {
    // So has [`Loop::of`] found it. Here it tells the compiler, which would keep `max(1)` as well.
    let (k @ 1.., n @ 1..) = (plan.packed_tuple, plan.packed_row) else {
        return Ok(());
    };
    let mut copy = || {
        let axes = plan.coordinates.get(..k)?;
        let mut walk = Walk::from(plan.start);
        let mut group = Some(walk.group(plan));
        while let Some(size) = group {
            let tuples = indices.get(walk.at.indices..)?.get(..size.wrapping_mul(k))?;
            let mut flat = walk.at.flat;
            for tuple in tuples.chunks_exact(k) {
                let place = tuple_place(axes, tuple, walk.at.table)?;
                let from = input.get(place..place.wrapping_add(n))?;
                copy_row_shared(from, output.get_mut(flat..flat.wrapping_add(n))?);
                flat = flat.wrapping_add(n);
            }
            group = walk.next_group(plan);
        }
        Some(())
    };
    if copy().is_some() { Ok(()) } else { gather_fails::<T, I>(plan, indices) }
}

#[inline(never)]
fn gather_columns<T: Element, I: Index>(
    plan: &Plan,
    input: &[T],
    indices: &[I],
    output: &mut [T],
) -> Result<(), Error> {
    let mut copy = || {
        let [axis, ..] = &plan.coordinates;
        // Both in one slice: one address to keep.
        let [lane, inner] = plan.dims.get(plan.outer.wrapping_sub(1)..plan.rank)? else {
            return None;
        };
        let mut flat = plan.start.flat;
        for index in indices.get(plan.start.indices..)?.get(..lane.size)? {
            let place = place(*index, axis, plan.start.table)?;
            let (by, to_by) = (inner.table as usize, inner.flat as usize);
            strided_row(&Assign, (input, place, by), (output, flat, to_by), inner.size);
            flat = flat.wrapping_add_signed(lane.flat);
        }
        Some(())
    };
    if copy().is_some() { Ok(()) } else { gather_fails::<T, I>(plan, indices) }
}

#[inline(never)]
fn gather_entries<T: Element, I: Index>(
    plan: &Plan,
    input: &[T],
    indices: &[I],
    output: &mut [T],
) -> Result<(), Error> {
    entries(plan, indices, &mut Taken { input, output })
}

#[inline(always)]
pub(crate) fn scatter<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    reduction: R,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
) -> Result<(), Error> {
    let lengths = [indices.len(), data.len(), updates.len()];
    if plan.empty || !plan.fit(lengths) || !all_inside(plan, indices) {
        return scatter_slowly(plan, data, indices, updates, reduction);
    }
    scatter_inside(plan, data, indices, updates, reduction)
}

/// A call whose indices are all in bounds. A function of its own: its arguments are where a loop
/// wants them, and no exit has to put them there.
#[inline(never)]
fn scatter_inside<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
    reduction: R,
) -> Result<(), Error> {
    match Loop::of(plan) {
        Loop::Elements => scatter_elements(plan, data, indices, updates, reduction),
        Loop::One => scatter_one(plan, data, indices, updates, reduction),
        Loop::List => scatter_list(plan, data, indices, updates, reduction),
        Loop::Rows => scatter_rows(plan, data, indices, updates, reduction),
        Loop::Columns | Loop::Entries => {
            scatter_entries(plan, indices, &mut Combined { reduction, data, updates })
        }
    }
}

/// A call that moves nothing, as [`gather_nothing`], or whose indices take a slow look.
#[cold]
#[inline(never)]
fn scatter_slowly<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
    reduction: R,
) -> Result<(), Error> {
    let lengths = [indices.len(), data.len(), updates.len()];
    if plan.fit([indices.len(), usize::MAX, usize::MAX]) {
        let mut mover = Combined { reduction, data: &mut [], updates: &[] };
        // Not by `?`, which copies the error.
        let checked = scatter_entries(plan, indices, &mut mover);
        if checked.is_err() || plan.empty && plan.fit(lengths) {
            return checked;
        }
        if plan.fit(lengths) {
            (mover.data, mover.updates) = (data, updates);
            return scatter_entries(plan, indices, &mut mover);
        }
    }
    Err(too_short(plan, lengths, [Operand::Indices, Operand::Data, Operand::Updates]))
}

#[inline(never)]
fn scatter_elements<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
    reduction: R,
) -> Result<(), Error> {
    let [axis, ..] = &plan.coordinates;
    let lane = lane(plan);
    lanes(plan, lane.size, indices, |start, indices| {
        let (mut first, by) = (start.table, lane.table);
        let entries = indices.iter().zip(updates.get(start.flat..)?).map(
            #[inline(always)]
            |(index, update)| {
                let place = element_place(*index, axis, first)?;
                first = first.wrapping_add_signed(by);
                Some((place, *update))
            },
        );
        reduction.combine_each(data, entries)
    });
    Ok(())
}

#[inline(never)]
fn scatter_one<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
    reduction: R,
) -> Result<(), Error> {
    let mut combine = || {
        let ([axis, ..], [lane, ..]) = (&plan.coordinates, &plan.dims);
        let (mut first, update) = (plan.start.table, *updates.get(plan.start.flat)?);
        let indices = indices.get(plan.start.indices..)?.get(..lane.size)?;
        let entries = indices.iter().map(
            #[inline(always)]
            |index| {
                let place = element_place(*index, axis, first)?;
                first = first.wrapping_add_signed(lane.table);
                Some((place, update))
            },
        );
        reduction.combine_each(data, entries)
    };
    combine();
    Ok(())
}

#[inline(never)]
fn scatter_list<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
    reduction: R,
) -> Result<(), Error> {
    let mut combine = || {
        let [axis, ..] = &plan.coordinates;
        let n = plan.packed_row.max(1);
        let rows = updates.get(plan.start.flat..)?.chunks_exact(n);
        for (updates, index) in rows.zip(only_lane(plan, indices)?) {
            let place = place(*index, axis, plan.start.table)?;
            combine_row(&reduction, data.get_mut(place..place.wrapping_add(n))?, updates);
        }
        Some(())
    };
    combine();
    Ok(())
}

#[inline(never)]
fn scatter_rows<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
    reduction: R,
) -> Result<(), Error> {
    // As in [`gather_rows`].
    let (k @ 1.., n @ 1..) = (plan.packed_tuple, plan.packed_row) else {
        return Ok(());
    };
    // The loop of [`gather_rows`] again: one that both call takes 8 bytes of stack more.
    let mut combine = || {
        let axes = plan.coordinates.get(..k)?;
        let mut walk = Walk::from(plan.start);
        let mut group = Some(walk.group(plan));
        while let Some(size) = group {
            let tuples = indices.get(walk.at.indices..)?.get(..size.wrapping_mul(k))?;
            let mut flat = walk.at.flat;
            for tuple in tuples.chunks_exact(k) {
                let place = tuple_place(axes, tuple, walk.at.table)?;
                let updates = updates.get(flat..flat.wrapping_add(n))?;
                combine_row(&reduction, data.get_mut(place..place.wrapping_add(n))?, updates);
                flat = flat.wrapping_add(n);
            }
            group = walk.next_group(plan);
        }
        Some(())
    };
    combine();
    Ok(())
}

#[inline(never)]
fn scatter_entries<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    indices: &[I],
    mover: &mut Combined<'_, T, R>,
) -> Result<(), Error> {
    entries(plan, indices, mover)
}

impl Plan {
    /// Whether slices of indices, table and flat tensor are long enough.
    #[inline(always)]
    fn fit(&self, lengths: [usize; 3]) -> bool {
        let [indices, table, flat] = lengths;
        indices >= self.lengths.indices && table >= self.lengths.table && flat >= self.lengths.flat
    }
}

/// The error for the first slice that is too short.
#[inline]
fn too_short(plan: &Plan, lengths: [usize; 3], operands: [Operand; 3]) -> Error {
    let [indices, table, flat] = lengths;
    let [of_indices, of_table, of_flat] = operands;
    let (operand, expected, found) = if indices < plan.lengths.indices {
        (of_indices, plan.lengths.indices, indices)
    } else if table < plan.lengths.table {
        (of_table, plan.lengths.table, table)
    } else {
        (of_flat, plan.lengths.flat, flat)
    };
    Error::SliceTooShort { operand, expected, found }
}

/// The indices of the only lane.
#[inline(always)]
fn only_lane<'a, I>(plan: &Plan, indices: &'a [I]) -> Option<&'a [I]> {
    let lane = lane(plan);
    indices.get(plan.start.indices..)?.get(..lane.size)
}

/// Calls `lane_of` for each lane of `length` indices, with its start.
#[inline(always)]
fn lanes<I: Index>(
    plan: &Plan,
    length: usize,
    indices: &[I],
    mut lane_of: impl FnMut(&Start, &[I]) -> Option<()>,
) -> Option<()> {
    let mut walk = Walk::from(plan.start);
    // The dimensions around the lanes, as in [`entries()`].
    let outer = plan.outer.wrapping_sub(1);
    loop {
        lane_of(&walk.at, indices.get(walk.at.indices..)?.get(..length)?)?;
        if outer.cast_signed() < 1 || !walk.step(plan, outer) {
            return Some(());
        }
    }
}

/// The place that a tuple leads to, from `first`. `None`: it is out of bounds.
#[inline(always)]
fn tuple_place<I: Index>(axes: &[Coordinate], tuple: &[I], first: usize) -> Option<usize> {
    let mut from = first;
    for (index, axis) in tuple.iter().zip(axes) {
        from = place(*index, axis, from)?;
    }
    Some(from)
}

/// The place that an index leads to, from `first`. `None`: it is out of bounds.
#[inline(always)]
fn place<I: Index>(index: I, axis: &Coordinate, first: usize) -> Option<usize> {
    let position = position(index, axis.size)?;
    Some(first.wrapping_add(position.wrapping_mul(axis.table as usize)))
}

/// The same in a loop of single elements: an index below 0 takes 2 instructions more than others
/// here, and 5 elsewhere. Loops that keep more values would have a register too few for this, and
/// indices wider than a register take more code.
#[inline(always)]
fn element_place<I: Index>(index: I, axis: &Coordinate, first: usize) -> Option<usize> {
    if !I::FITS {
        return place(index, axis, first);
    }
    let size = axis.size & LONGEST;
    let mut position = I::position(index, 0, Negative::FromEnd);
    if position >= size {
        position = I::from_end(index, size);
        if position >= size {
            return None;
        }
    }
    Some(first.wrapping_add(position.wrapping_mul(axis.table as usize)))
}

/// The position of an index on an axis of a packed plan, by default rules. Most indices are not
/// negative, and take one comparison.
#[inline(always)]
fn position<I: Index>(index: I, size: usize) -> Option<usize> {
    // These axes are never longer. The mask tells the compiler, which leaves out what longer ones
    // need.
    let size = size & LONGEST;
    let position = I::position(index, 0, Negative::FromEnd);
    if position < size {
        return Some(position);
    }
    let position = I::position(index, size, Negative::FromEnd);
    if position < size { Some(position) } else { None }
}

/// Whether all indices are known to be in bounds, or need not be: a quick look at tuples without
/// gaps. Where it says `false`, [`scatter_slowly`] looks again, entry by entry.
#[inline(never)]
fn all_inside<I: Index>(plan: &Plan, indices: &[I]) -> bool {
    let k = plan.packed_tuple;
    if !has_default_rules(plan) || k == 0 {
        return !matches!(plan.bounds, Bounds::Error);
    }
    let lane = lane(plan);
    let mut length = lane.size.wrapping_mul(k);
    // Lanes that follow each other are one lane here.
    let [dim, ..] = &plan.dims;
    let follow = plan.outer == 2 && dim.indices as usize == length;
    if follow {
        length = length.wrapping_mul(dim.size);
    }
    if follow || plan.outer <= 1 {
        // A tail call, without the frame of this function.
        let lane = indices.get(plan.start.indices..).and_then(|indices| indices.get(..length));
        return lane.is_some_and(|indices| lane_inside(plan, indices));
    }
    let inside = |_: &Start, indices: &[I]| lane_inside(plan, indices).then_some(());
    lanes(plan, length, indices, inside).is_some()
}

/// Whether all indices of a lane of packed tuples are in bounds.
#[inline(never)]
fn lane_inside<I: Index>(plan: &Plan, indices: &[I]) -> bool {
    for (first, axis) in plan.coordinates().iter().enumerate() {
        let mut place = first;
        while let Some(index) = indices.get(place) {
            if position(*index, axis.size).is_none() {
                return false;
            }
            place = place.wrapping_add(plan.packed_tuple);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Direction::{Gather, Scatter};
    use crate::layout::Layout;
    use crate::plan::tests::{axis, elements, nd, packed};

    #[test]
    fn loops_suit_their_plans() {
        let ids = packed([7]);
        let by_axis = |table: &Layout, indices: &Layout, output: &Layout| {
            Loop::of(&axis(Gather, table, indices, output, 0))
        };
        let rows = |width| axis(Gather, &packed([5, width]), &ids, &packed([7, width]), 0);
        assert_eq!(
            [1, 8, 12].map(|n| Loop::of(&rows(n))),
            [Loop::Elements, Loop::List, Loop::List]
        );
        for bounds in [Bounds::Clamp, Bounds::Wrap, Bounds::Skip] {
            let mut plan = rows(8);
            plan.set_bounds(bounds);
            assert_eq!(Loop::of(&plan), Loop::Entries, "{bounds:?}");
        }
        let mut from_start = rows(8);
        from_start.negative = Negative::OutOfBounds;
        assert_eq!(Loop::of(&from_start), Loop::Entries);
        // Two lanes of single indices, a single index, tuples, lanes that lead on by themselves.
        let line = packed([1, 6]);
        let two = Layout::strided([6, 6], [7, 1]);
        assert_eq!(by_axis(&packed([40]), &two, &packed([6, 6])), Loop::Elements);
        assert_eq!(by_axis(&packed([40, 2]), &two, &packed([6, 6, 2])), Loop::Rows);
        assert_eq!(by_axis(&packed([40]), &packed([]), &packed([])), Loop::Elements);
        assert_eq!(Loop::of(&elements(Gather, &line, &line, &line, 0)), Loop::Elements);
        let (cube, pairs) = (packed([3, 4, 5]), packed([7, 2]));
        assert_eq!(Loop::of(&nd(Gather, &cube, &pairs, &packed([7, 5]), 0)), Loop::Rows);
        // One update for all, updates with gaps.
        let updates = |step| Layout::strided([7], [step]);
        let by_steps = |step| Loop::of(&axis(Scatter, &packed([40]), &ids, &updates(step), 0));
        assert_eq!([0, 2].map(by_steps), [Loop::One, Loop::Entries]);
        let batch = nd(Gather, &cube, &packed([3, 1]), &packed([3, 5]), 1);
        assert_eq!(Loop::of(&batch), Loop::Rows);
        // A gap in the output, in the indices, in the rows of the table.
        let (eight, output) = (packed([5, 8]), packed([7, 8]));
        assert_eq!(by_axis(&eight, &ids, &Layout::strided([7, 8], [9, 1])), Loop::Entries);
        assert_eq!(by_axis(&eight, &Layout::strided([7], [2]), &output), Loop::Entries);
        assert_eq!(by_axis(&Layout::strided([5, 8], [16, 2]), &ids, &output), Loop::Columns);
        // Columns, one lane of them and no more.
        let middle = |table: &Layout, indices: &Layout, output: &Layout| {
            Loop::of(&axis(Gather, table, indices, output, 1))
        };
        let (wide, columns) = (packed([3, 9]), packed([3, 7]));
        assert_eq!(middle(&wide, &ids, &columns), Loop::Columns);
        assert_eq!(middle(&wide, &Layout::strided([7], [2]), &columns), Loop::Entries);
        assert_eq!(middle(&wide, &two, &packed([3, 6, 6])), Loop::Entries);
        assert_eq!(middle(&packed([3, 9, 2]), &ids, &packed([3, 7, 2])), Loop::Entries);
    }
}
