//! The walk for plans in memory, without `std`: functions that all plans share.
//!
//! What knows no type is compiled once, the rest once for each index type, each element type (and
//! reduction), or each pair of them. No loop is written out for what is rare:
//!
//! | loop | for | moves |
//! |---|---|---|
//! | elements | single indices without gaps, default rules | an element each |
//! | list | the same in one lane | a row each |
//! | rows | tuples without gaps, default rules | a row each |
//! | [`entries`] | everything else | what one entry stands for |
//!
//! Default rules are `Bounds::Error` and indices that count from the end. The call of a loop passes
//! the same arguments on, so that the compiler can make it a tail call, and the stack is that of
//! one function.

mod entries;
mod rows;

use crate::copy::copy_row_shared;
use crate::element::Element;
use crate::error::{Error, Operand};
use crate::index::{Bounds, Index, LONGEST, Negative};
use crate::plan::{Coordinate, Dim, Plan, Start};
use crate::portable::shared::entries::{entries, outer_lane, step};
use crate::portable::shared::rows::{Combined, Taken, combine_row};
use crate::reduction::Reduction;

/// The loop for a plan that moves something.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Loop {
    Elements,
    List,
    Rows,
    Entries,
}

impl Loop {
    #[inline(always)]
    fn of(plan: &Plan) -> Loop {
        let [lane, ..] = &plan.dims;
        let one_lane = plan.outer <= 1 && lane.table == 0;
        match (plan.packed_tuple, plan.packed_row) {
            _ if !has_default_rules(plan) => Loop::Entries,
            (1, 1) => Loop::Elements,
            (1, 1..) if one_lane => Loop::List,
            (1.., 1..) => Loop::Rows,
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
        Loop::Entries => gather_entries(plan, input, indices, output),
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
    let (lane, outer) = outer_lane(plan);
    let by = lane.table;
    let walked = lanes(plan, (lane.size, outer), indices, |start, indices| {
        let mut first = start.table;
        for (index, to) in indices.iter().zip(output.get_mut(start.flat..)?) {
            let place = place(*index, axis, first)?;
            first = first.wrapping_add_signed(by);
            *to = *input.get(place)?;
        }
        Some(())
    });
    if walked.is_some() { Ok(()) } else { gather_entries::<T, I>(plan, &[], indices, &mut []) }
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
    if copy().is_some() { Ok(()) } else { gather_entries::<T, I>(plan, &[], indices, &mut []) }
}

#[inline(never)]
fn gather_rows<T: Element, I: Index>(
    plan: &Plan,
    input: &[T],
    indices: &[I],
    output: &mut [T],
) -> Result<(), Error> {
    let (k, n) = (plan.packed_tuple.max(1), plan.packed_row.max(1));
    let (lane, outer) = outer_lane(plan);
    let walked = lanes(plan, (lane.size.wrapping_mul(k), outer), indices, |start, indices| {
        let (mut first, by) = (start.table, lane.table);
        let rows = output.get_mut(start.flat..)?.chunks_exact_mut(n);
        for (to, tuple) in rows.zip(indices.chunks_exact(k)) {
            let place = tuple_place(plan, tuple, first)?;
            first = first.wrapping_add_signed(by);
            copy_row_shared(input.get(place..place.wrapping_add(n))?, to);
        }
        Some(())
    });
    if walked.is_some() { Ok(()) } else { gather_entries::<T, I>(plan, &[], indices, &mut []) }
}

#[inline(never)]
fn gather_entries<T: Element, I: Index>(
    plan: &Plan,
    input: &[T],
    indices: &[I],
    output: &mut [T],
) -> Result<(), Error> {
    entries(plan, indices, Taken { input, output })
}

#[inline(always)]
pub(crate) fn scatter<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    reduction: &R,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
) -> Result<(), Error> {
    let lengths = [indices.len(), data.len(), updates.len()];
    if plan.empty || !plan.fit(lengths) || !all_inside(plan, indices) {
        return scatter_slowly(plan, reduction, data, indices, updates);
    }
    match Loop::of(plan) {
        Loop::Elements => scatter_elements(plan, reduction, data, indices, updates),
        Loop::List => scatter_list(plan, reduction, data, indices, updates),
        Loop::Rows => scatter_rows(plan, reduction, data, indices, updates),
        Loop::Entries => scatter_entries(plan, reduction, data, indices, updates),
    }
}

/// A call that moves nothing, as [`gather_nothing`], or whose indices take a slow look.
#[cold]
#[inline(never)]
fn scatter_slowly<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    reduction: &R,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
) -> Result<(), Error> {
    let operands = [Operand::Indices, Operand::Data, Operand::Updates];
    let lengths = [indices.len(), data.len(), updates.len()];
    if !plan.fit([indices.len(), usize::MAX, usize::MAX]) {
        return Err(too_short(plan, lengths, operands));
    }
    // Not by `?`, which copies the error.
    let checked = scatter_entries(plan, reduction, &mut [], indices, &[]);
    if checked.is_err() || plan.empty && plan.fit(lengths) {
        return checked;
    }
    if !plan.fit(lengths) {
        return Err(too_short(plan, lengths, operands));
    }
    scatter_entries(plan, reduction, data, indices, updates)
}

#[inline(never)]
fn scatter_elements<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    reduction: &R,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
) -> Result<(), Error> {
    let [axis, ..] = &plan.coordinates;
    let (lane, outer) = outer_lane(plan);
    lanes(plan, (lane.size, outer), indices, |start, indices| {
        let (mut first, by) = (start.table, lane.table);
        for (index, update) in indices.iter().zip(updates.get(start.flat..)?) {
            let place = place(*index, axis, first)?;
            first = first.wrapping_add_signed(by);
            let current = data.get_mut(place)?;
            *current = reduction.combine(*current, *update);
        }
        Some(())
    });
    Ok(())
}

#[inline(never)]
fn scatter_list<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    reduction: &R,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
) -> Result<(), Error> {
    let mut combine = || {
        let [axis, ..] = &plan.coordinates;
        let n = plan.packed_row.max(1);
        let rows = updates.get(plan.start.flat..)?.chunks_exact(n);
        for (updates, index) in rows.zip(only_lane(plan, indices)?) {
            let place = place(*index, axis, plan.start.table)?;
            combine_row(reduction, data.get_mut(place..place.wrapping_add(n))?, updates);
        }
        Some(())
    };
    combine();
    Ok(())
}

#[inline(never)]
fn scatter_rows<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    reduction: &R,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
) -> Result<(), Error> {
    let (k, n) = (plan.packed_tuple.max(1), plan.packed_row.max(1));
    let (lane, outer) = outer_lane(plan);
    lanes(plan, (lane.size.wrapping_mul(k), outer), indices, |start, indices| {
        let (mut first, by) = (start.table, lane.table);
        let rows = updates.get(start.flat..)?.chunks_exact(n);
        for (updates, tuple) in rows.zip(indices.chunks_exact(k)) {
            let place = tuple_place(plan, tuple, first)?;
            first = first.wrapping_add_signed(by);
            combine_row(reduction, data.get_mut(place..place.wrapping_add(n))?, updates);
        }
        Some(())
    });
    Ok(())
}

#[inline(never)]
fn scatter_entries<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    reduction: &R,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
) -> Result<(), Error> {
    entries(plan, indices, Combined { reduction, data, updates })
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
#[cold]
#[inline(never)]
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
    let (lane, _) = outer_lane(plan);
    indices.get(plan.start.indices..)?.get(..lane.size)
}

/// Calls `lane_of` for each lane of `length` indices, with its start.
#[inline(always)]
fn lanes<I: Index>(
    plan: &Plan,
    (length, outer): (usize, &[Dim]),
    indices: &[I],
    mut lane_of: impl FnMut(&Start, &[I]) -> Option<()>,
) -> Option<()> {
    let (mut start, mut steps) = (plan.start, 0);
    loop {
        lane_of(&start, indices.get(start.indices..)?.get(..length)?)?;
        if outer.is_empty() || !step(&mut steps, outer, &mut start) {
            return Some(());
        }
    }
}

/// The place that a tuple leads to, from `first`. `None`: it is out of bounds.
#[inline(always)]
fn tuple_place<I: Index>(plan: &Plan, tuple: &[I], first: usize) -> Option<usize> {
    let mut from = first;
    for (index, axis) in tuple.iter().zip(&plan.coordinates) {
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
    let (lane, mut outer) = outer_lane(plan);
    let mut length = lane.size.wrapping_mul(k);
    // Lanes that follow each other are one lane here.
    if let [dim] = outer
        && dim.indices as usize == length
    {
        (length, outer) = (length.wrapping_mul(dim.size), &[]);
    }
    lanes(plan, (length, outer), indices, |_, indices| {
        for (first, axis) in plan.coordinates().iter().enumerate() {
            let mut place = first;
            while let Some(index) = indices.get(place) {
                position(*index, axis.size)?;
                place = place.wrapping_add(k);
            }
        }
        Some(())
    })
    .is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Direction::Gather;
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
        let batch = nd(Gather, &cube, &packed([3, 1]), &packed([3, 5]), 1);
        assert_eq!(Loop::of(&batch), Loop::Rows);
        // A gap in the output, in the indices, in the rows of the table.
        let (eight, output) = (packed([5, 8]), packed([7, 8]));
        assert_eq!(by_axis(&eight, &ids, &Layout::strided([7, 8], [9, 1])), Loop::Entries);
        assert_eq!(by_axis(&eight, &Layout::strided([7], [2]), &output), Loop::Entries);
        assert_eq!(by_axis(&Layout::strided([5, 8], [16, 2]), &ids, &output), Loop::Entries);
    }
}
