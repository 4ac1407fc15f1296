//! The walk for plans in memory, without `std`: functions that all plans share.
//!
//! Each loop is a function of its own here. Constant plans want one function for all loops, since
//! the compiler drops most of it; for plans in memory, loops in one function would take registers
//! from each other. The call of a loop passes the same arguments on, so that the compiler can make
//! it a tail call, and the stack is that of one function.
//!
//! Special loops exist for what firmware gathers and scatters most, under `Bounds::Error` and in a
//! single lane whose addresses depend on the indices alone: tuples of 1 to 3 coordinates that move
//! one element, and of 1 or 2 that move whole [`block`]s. Single indices that move one element have
//! a loop for all lanes and policies. The rest takes one index after the other.

use crate::copy::block;
use crate::element::Element;
use crate::error::{Error, Operand};
use crate::index::{Bounds, Index, LONGEST, Negative};
use crate::movers::Combine;
use crate::plan::{Coordinate, Plan};
use crate::portable::movers::{Nest, Nothing, Take};
use crate::portable::packed::{Addresses, PackedMover, packed};
use crate::proof::fits;
use crate::reduction::Reduction;
use crate::walk::{first_out_of_bounds, lanes, split_lane};

/// What moves for a tuple.
const ELEMENT: u8 = 0;
const ONE_BLOCK: u8 = 1;
const BLOCKS: u8 = 2;

/// What moves for a tuple, or `None` if there is no special loop for it.
#[inline(always)]
fn row<T>(plan: &Plan) -> Option<u8> {
    let block = const { block::<T>() };
    let [lane, ..] = &plan.dims;
    if plan.outer > 1 || (plan.outer == 1 && lane.table != 0) || !has_default_rules(plan) {
        return None;
    }
    match plan.packed_row {
        1 => Some(ELEMENT),
        n => {
            let [a, b] = plan.coordinate_array::<2>().map(|coordinate| coordinate.table as usize);
            let bits = n | a | b;
            // Blocks are counted from the first place, so that no stride may lead back.
            let whole = n > 0 && bits <= LONGEST && bits % block == 0;
            if whole { Some(if n == block { ONE_BLOCK } else { BLOCKS }) } else { None }
        }
    }
}

/// Whether indices count from the end, and are an error beyond that.
#[inline(always)]
fn has_default_rules(plan: &Plan) -> bool {
    matches!((plan.bounds, plan.negative), (Bounds::Error, Negative::FromEnd))
}

/// Hands a call on to the function that suits the plan.
macro_rules! hand_on {
    ($plan:ident, $arguments:tt, $lane:ident, $elements:ident, $rest:ident, $($type:ident),*) => {
        match ($plan.packed_tuple, row::<T>($plan)) {
            (1, Some(ELEMENT)) => $lane::<$($type,)* 1, ELEMENT>$arguments,
            (2, Some(ELEMENT)) => $lane::<$($type,)* 2, ELEMENT>$arguments,
            (3, Some(ELEMENT)) => $lane::<$($type,)* 3, ELEMENT>$arguments,
            (1, Some(ONE_BLOCK)) => $lane::<$($type,)* 1, ONE_BLOCK>$arguments,
            (2, Some(ONE_BLOCK)) => $lane::<$($type,)* 2, ONE_BLOCK>$arguments,
            (1, Some(_)) => $lane::<$($type,)* 1, BLOCKS>$arguments,
            (2, Some(_)) => $lane::<$($type,)* 2, BLOCKS>$arguments,
            (1, None) if $plan.packed_row == 1 => $elements::<$($type),*>$arguments,
            _ => $rest::<$($type),*>$arguments,
        }
    };
}

/// Walks the only lane of a plan whose table stride is 0, under `Bounds::Error`. `None` means that
/// an index is out of bounds.
#[inline(always)]
fn lane<T, I: Index, const K: usize, const PROVEN: bool, const ROW: u8>(
    plan: &Plan,
    indices: &[I],
    mut mover: impl PackedMover,
) -> Option<()> {
    let block = const { block::<T>() };
    let [lane, ..] = &plan.dims;
    let length = if plan.outer == 0 { 1 } else { lane.size };
    let tuples = indices.get(plan.start.indices..)?.as_chunks::<K>().0.get(..length)?;
    // Axes of a packed plan are never longer. The mask tells the compiler, which leaves out what
    // longer ones need.
    let coordinates = plan
        .coordinate_array::<K>()
        .map(|coordinate| Coordinate { size: coordinate.size & LONGEST, ..coordinate });
    let addresses = Addresses::<K, PROVEN> {
        coordinates,
        bounds: Bounds::Error,
        negative: Negative::FromEnd,
        first: plan.start.table,
        step: 0,
    };
    if ROW == ELEMENT {
        return mover.elements(plan.start.flat, tuples, addresses);
    }
    let coordinates = coordinates
        .map(|coordinate| Coordinate { table: coordinate.table / block as isize, ..coordinate });
    let addresses = Addresses::<K, PROVEN> { coordinates, first: 0, ..addresses };
    let n = if ROW == ONE_BLOCK { 1 } else { (plan.packed_row / block).max(1) };
    match block {
        32 => mover.blocks::<I, K, PROVEN, 32>(&plan.start, n, tuples, addresses),
        16 => mover.blocks::<I, K, PROVEN, 16>(&plan.start, n, tuples, addresses),
        _ => mover.blocks::<I, K, PROVEN, 8>(&plan.start, n, tuples, addresses),
    }
}

#[inline(never)]
pub(crate) fn gather<T: Element, I: Index>(
    plan: &Plan,
    input: &[T],
    indices: &[I],
    output: &mut [T],
) -> Result<(), Error> {
    fits(Operand::Indices, plan.lengths.indices, indices.len())?;
    fits(Operand::Input, plan.lengths.table, input.len())?;
    fits(Operand::Output, plan.lengths.flat, output.len())?;
    if plan.empty {
        return found(!plan.checks_empty(), plan, indices);
    }
    hand_on!(plan, (plan, input, indices, output), gather_lane, gather_elements, gather_rest, T, I)
}

#[inline(never)]
fn gather_lane<T: Element, I: Index, const K: usize, const ROW: u8>(
    plan: &Plan,
    input: &[T],
    indices: &[I],
    output: &mut [T],
) -> Result<(), Error> {
    found(
        lane::<T, I, K, false, ROW>(plan, indices, Take { input, output }).is_some(),
        plan,
        indices,
    )
}

#[inline(never)]
fn gather_elements<T: Element, I: Index>(
    plan: &Plan,
    input: &[T],
    indices: &[I],
    output: &mut [T],
) -> Result<(), Error> {
    found(
        packed::<I, 1, false>(plan, split_lane(plan.outer()), indices, 1, Take { input, output }),
        plan,
        indices,
    )
}

#[inline(never)]
fn gather_rest<T: Element, I: Index>(
    plan: &Plan,
    input: &[T],
    indices: &[I],
    output: &mut [T],
) -> Result<(), Error> {
    found(
        lanes(plan, indices, Nest { inner: plan.inner(), mover: Take { input, output } }),
        plan,
        indices,
    )
}

#[inline(always)]
pub(crate) fn scatter<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    reduction: &R,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
) -> Result<(), Error> {
    fits(Operand::Indices, plan.lengths.indices, indices.len())?;
    let inside = match plan.bounds {
        _ if plan.empty => !plan.checks_empty(),
        Bounds::Error => check(plan, indices),
        _ => true,
    };
    if !inside {
        out_of_bounds(plan, indices)?;
    }
    fits(Operand::Data, plan.lengths.table, data.len())?;
    fits(Operand::Updates, plan.lengths.flat, updates.len())?;
    if plan.empty {
        return Ok(());
    }
    hand_on!(
        plan,
        (plan, reduction, data, indices, updates),
        scatter_lane,
        scatter_elements,
        scatter_rest,
        T,
        I,
        R
    )
}

#[inline(never)]
fn scatter_lane<T: Element, I: Index, R: Reduction<T>, const K: usize, const ROW: u8>(
    plan: &Plan,
    reduction: &R,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
) -> Result<(), Error> {
    lane::<T, I, K, true, ROW>(plan, indices, Combine { reduction, data, updates });
    Ok(())
}

#[inline(never)]
fn scatter_elements<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    reduction: &R,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
) -> Result<(), Error> {
    packed::<I, 1, true>(
        plan,
        split_lane(plan.outer()),
        indices,
        1,
        Combine { reduction, data, updates },
    );
    Ok(())
}

#[inline(never)]
fn scatter_rest<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    reduction: &R,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
) -> Result<(), Error> {
    lanes(plan, indices, Nest { inner: plan.inner(), mover: Combine { reduction, data, updates } });
    Ok(())
}

/// Whether all indices are in bounds, under `Bounds::Error`.
#[inline(never)]
fn check<I: Index>(plan: &Plan, indices: &[I]) -> bool {
    let few = plan.outer <= 1 && has_default_rules(plan);
    match (plan.packed_tuple, few) {
        (1, true) => check_lane::<I, 1>(plan, indices),
        (2, true) => check_lane::<I, 2>(plan, indices),
        (3, true) => check_lane::<I, 3>(plan, indices),
        (1, _) => check_elements(plan, indices),
        _ => check_rest(plan, indices),
    }
}

#[inline(never)]
fn check_lane<I: Index, const K: usize>(plan: &Plan, indices: &[I]) -> bool {
    lane::<u8, I, K, false, ELEMENT>(plan, indices, Nothing).is_some()
}

#[inline(never)]
fn check_elements<I: Index>(plan: &Plan, indices: &[I]) -> bool {
    packed::<I, 1, false>(plan, split_lane(plan.outer()), indices, 1, Nothing)
}

#[inline(never)]
fn check_rest<I: Index>(plan: &Plan, indices: &[I]) -> bool {
    lanes(plan, indices, Nothing)
}

/// The error for the first index that is out of bounds, unless `all` were in bounds.
#[inline(always)]
fn found<I: Index>(all: bool, plan: &Plan, indices: &[I]) -> Result<(), Error> {
    if all { Ok(()) } else { out_of_bounds(plan, indices) }
}

#[cold]
#[inline(never)]
fn out_of_bounds<I: Index>(plan: &Plan, indices: &[I]) -> Result<(), Error> {
    first_out_of_bounds(plan, indices).map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Direction::Gather;
    use crate::layout::Layout;
    use crate::plan::tests::{axis, elements, packed};

    #[test]
    fn loops_suit_their_plans() {
        let ids = packed([7]);
        let rows = |width| axis(Gather, &packed([5, width]), &ids, &packed([7, width]), 0);
        assert_eq!(
            [1, 8, 24, 12].map(|width| row::<f32>(&rows(width))),
            [Some(ELEMENT), Some(ONE_BLOCK), Some(BLOCKS), None]
        );
        assert_eq!(
            [1, 8, 32, 64].map(|width| row::<u8>(&rows(width))),
            [Some(ELEMENT), None, Some(ONE_BLOCK), Some(BLOCKS)]
        );
        for bounds in [Bounds::Clamp, Bounds::Wrap, Bounds::Skip] {
            let mut plan = rows(8);
            plan.set_bounds(bounds);
            assert_eq!(row::<f32>(&plan), None, "{bounds:?}");
        }
        // No loop: table strides that lead back, or not to a block; a gap in the output; a lane
        // that leads on by itself; two lanes.
        let (eight, output) = (packed([5, 8]), packed([7, 8]));
        let by_axis = |table: &Layout, indices: &Layout, output: &Layout| {
            row::<f32>(&axis(Gather, table, indices, output, 0))
        };
        assert_eq!(by_axis(&Layout::strided([5, 8], [-8, 1]).with_offset(32), &ids, &output), None);
        assert_eq!(by_axis(&Layout::strided([5, 8], [12, 1]), &ids, &output), None);
        assert_eq!(by_axis(&eight, &ids, &Layout::strided([7, 8], [9, 1])), None);
        let line = packed([1, 6]);
        assert_eq!(row::<f32>(&elements(Gather, &line, &line, &line, 0)), None);
        assert_eq!(by_axis(&packed([40]), &Layout::strided([6, 6], [7, 1]), &packed([6, 6])), None);
        // A single index.
        assert_eq!(by_axis(&packed([40]), &packed([]), &packed([])), Some(ELEMENT));
    }
}
