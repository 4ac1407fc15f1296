//! What runs without `std`: loops that a constant plan folds into its caller.
//!
//! [`run`] chooses between two walks, once a call; plans in constants make the choice at compile
//! time.
//!
//! - [`packed`](packed::packed): tuples of 1 to 3 coordinates without gaps, each of which moves one
//!   element or one row, and the flat tensor without gaps along the lane. This is what most tensors
//!   hold, and slices are walked without a check for each step.
//! - [`lanes`]: everything else.
//!
//! [`shared`] is the same for plans in memory, in functions that all of them call.

pub(crate) mod map;
pub(crate) mod movers;
mod packed;
pub(crate) mod shared;

use crate::indices::sealed::Places;
use crate::plan::Plan;
use crate::portable::movers::{Nest, Nothing};
use crate::portable::packed::{PackedMover, packed};
use crate::walk::{Mover, lanes, split_lane};

/// Moves everything that the plan describes. `false`: an index is out of bounds under
/// `Bounds::Error`; what comes before it has been moved. Where nothing moves, `false` says that the
/// indices must still be looked at.
///
/// `PROVEN`: [`check`] has been there, so that under `Bounds::Error` there is nothing left to
/// compare.
#[inline(always)]
pub(crate) fn run<S: Places, const PROVEN: bool>(
    plan: &Plan,
    indices: S,
    mover: impl Mover + PackedMover,
) -> bool {
    if plan.empty {
        return PROVEN || !plan.checks_empty();
    }
    let dims = split_lane(plan.outer());
    let n = plan.packed_row;
    match (indices.slice(), plan.packed_tuple, n) {
        // Loops of their own for single elements: plans in memory save a quarter of the fixed cost,
        // and 1.5 instructions an element.
        (Some(slice), 1, 1) => packed::<S::Index, 1, PROVEN>(plan, dims, slice, 1, mover),
        (Some(slice), 1, 1..) => packed::<S::Index, 1, PROVEN>(plan, dims, slice, n, mover),
        (Some(slice), 2, 1..) => packed::<S::Index, 2, PROVEN>(plan, dims, slice, n, mover),
        (Some(slice), 3, 1..) => packed::<S::Index, 3, PROVEN>(plan, dims, slice, n, mover),
        _ => lanes(plan, indices, Nest { inner: plan.inner(), mover }),
    }
}

/// Whether all indices are in bounds, under `Bounds::Error`. Where nothing moves, `false` says that
/// they must still be looked at.
#[inline(always)]
pub(crate) fn check<S: Places>(plan: &Plan, indices: S) -> bool {
    check_by(plan, indices, Nothing)
}

/// The same with what is asked for each lane of packed tuples.
#[inline(always)]
fn check_by<S: Places>(plan: &Plan, indices: S, mover: impl PackedMover) -> bool {
    if plan.empty {
        return !plan.checks_empty();
    }
    let dims = split_lane(plan.outer());
    match (indices.slice(), plan.packed_tuple) {
        (Some(slice), 1) => packed::<S::Index, 1, false>(plan, dims, slice, 1, mover),
        (Some(slice), 2) => packed::<S::Index, 2, false>(plan, dims, slice, 1, mover),
        (Some(slice), 3) => packed::<S::Index, 3, false>(plan, dims, slice, 1, mover),
        _ => lanes(plan, indices, Nothing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Direction::Gather;
    use crate::index::sealed::Value;
    use crate::layout::Layout;
    use crate::plan::Dim;
    use crate::plan::tests::{nd, packed as layout};
    use crate::portable::packed::Addresses;

    /// What a walk asks of its mover.
    #[derive(Debug, PartialEq)]
    enum Asked {
        Row,
        Elements(usize),
        Rows(usize),
    }

    /// Notes what it is asked.
    struct Noted<'a>(&'a mut Option<Asked>);

    impl Mover for Noted<'_> {
        fn row(&mut self, _: usize, _: usize, _: usize) {
            *self.0 = Some(Asked::Row);
        }

        fn strided_row(&mut self, _: usize, _: usize, _: &Dim) {
            *self.0 = Some(Asked::Row);
        }
    }

    impl PackedMover for Noted<'_> {
        fn elements<I: Value, const K: usize, const PROVEN: bool>(
            &mut self,
            _: usize,
            _: &[[I; K]],
            _: Addresses<K, PROVEN>,
        ) -> Option<()> {
            *self.0 = Some(Asked::Elements(K));
            Some(())
        }

        fn rows<I: Value, const K: usize, const PROVEN: bool>(
            &mut self,
            _: usize,
            _: usize,
            _: &[[I; K]],
            _: Addresses<K, PROVEN>,
        ) -> Option<()> {
            *self.0 = Some(Asked::Rows(K));
            Some(())
        }
    }

    #[test]
    fn short_tuples_have_loops_of_their_own() {
        for k in 1..=5 {
            for row in [1, 6] {
                let table = [3, 3, 3, 3, 3].get(..k).unwrap_or(&[]).iter().chain([&row]).copied();
                let mut sizes = [0; 6];
                sizes.iter_mut().zip(table).for_each(|(to, size)| *to = size);
                let table = Layout::packed(sizes.get(..=k).unwrap_or(&[]));
                let plan = nd(Gather, &table, &layout([7, k]), &layout([7, row]), 0);
                let ([mut moved, mut checked], indices) = ([None, None], [0_u8; 35]);
                assert!(run::<_, true>(&plan, indices.as_slice(), Noted(&mut moved)));
                let expected = match row {
                    _ if k > 3 => Asked::Row,
                    1 => Asked::Elements(k),
                    _ => Asked::Rows(k),
                };
                assert_eq!(moved, Some(expected), "{k} coordinates, rows of {row}");
                assert!(check_by(&plan, indices.as_slice(), Noted(&mut checked)));
                let expected = (k <= 3).then_some(Asked::Elements(k));
                assert_eq!(checked, expected, "{k} coordinates, rows of {row}");
            }
        }
    }
}
