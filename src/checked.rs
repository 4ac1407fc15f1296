//! Indices that have been proven for a plan.

use crate::error::{Error, Operand};
use crate::index::{Bounds, Index};
use crate::plan::Plan;
#[cfg(feature = "std")]
use crate::vectors;
#[cfg(feature = "rayon")]
use crate::vectors::threads::Division;
use crate::walk;

/// Indices that a [`Gather`](crate::Gather) or a [`Scatter`](crate::Scatter) has found in bounds (or that its policy accepts as they are).
///
/// Made by `check`; runs any number of times, on as many tables as one likes, and no index can fail any more.
///
/// ```
/// use strew::{Gather, Layout};
///
/// // The same rows of two tables.
/// let (table, two) = (Layout::contiguous([3]), Layout::contiguous([2]));
/// let gather = Gather::axis(&table, &two, &two, 0)?;
/// let rows = gather.check(&[2, 0])?;
/// let (mut names, mut ages) = (['?'; 2], [0; 2]);
/// rows.run(&['a', 'b', 'c'], &mut names)?;
/// rows.run(&[1, 2, 3], &mut ages)?;
/// assert_eq!((names, ages), (['c', 'a'], [3, 1]));
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a, Operator, I> {
    pub(crate) operator: &'a Operator,
    pub(crate) indices: &'a [I],
}

/// Proves the length and every value of the indices.
#[inline(always)]
pub(crate) fn check<I: Index>(plan: &Plan, indices: &[I]) -> Result<(), Error> {
    fits(Operand::Indices, plan.lengths.indices, indices.len())?;
    if needs_no_look::<I>(plan) {
        return Ok(());
    }
    #[cfg(feature = "std")]
    let inside =
        if plan.suits_vectors { vectors::check(plan, indices) } else { walk::check(plan, indices) };
    #[cfg(not(feature = "std"))]
    let inside = walk::check(plan, indices);
    result(plan, indices, inside)
}

/// Whether no index can be out of bounds: the policy takes all, or they are bytes, and every byte has a place.
#[inline(always)]
pub(crate) fn needs_no_look<I: Index>(plan: &Plan) -> bool {
    !matches!(plan.bounds, Bounds::Error)
        || size_of::<I>() == 1
            && plan.coordinates().iter().all(|axis| axis.size > usize::from(u8::MAX))
}

/// The error for the first bad index, unless all are inside.
#[inline(always)]
pub(crate) fn result<I: Index>(plan: &Plan, indices: &[I], inside: bool) -> Result<(), Error> {
    if inside { Ok(()) } else { walk::first_out_of_bounds(plan, indices).map_or(Ok(()), Err) }
}

/// [`check`] with several threads.
#[cfg(feature = "rayon")]
pub(crate) fn par_check<I: Index>(
    plan: &Plan,
    indices: &[I],
    division: &Division,
) -> Result<(), Error> {
    fits(Operand::Indices, plan.lengths.indices, indices.len())?;
    if needs_no_look::<I>(plan) {
        return Ok(());
    }
    result(plan, indices, division.check(plan, indices))
}

pub(crate) fn fits(operand: Operand, expected: usize, found: usize) -> Result<(), Error> {
    if found < expected { Err(Error::SliceTooShort { operand, expected, found }) } else { Ok(()) }
}

/// The first `expected` words of the caller's scratch, all 0.
pub(crate) fn scratch(words: &mut [u32], expected: usize) -> Result<&mut [u32], Error> {
    let found = words.len();
    let Some(words) = words.get_mut(..expected) else {
        return Err(Error::ScratchTooShort { expected, found });
    };
    words.fill(0);
    Ok(words)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::plan::Direction::Scatter;
    use crate::plan::tests::{nd, packed};

    #[test]
    fn bytes_that_all_have_a_place_need_no_look() {
        let pairs = |rows: usize, columns: usize| {
            nd(Scatter, &packed([rows, columns]), &packed([5, 2]), &packed([5]), 0)
        };
        let (all, one_less) = (pairs(256, 300), pairs(256, 255));
        assert_eq!([&all, &one_less].map(needs_no_look::<u8>), [true, false]);
        assert_eq!([&all, &one_less].map(needs_no_look::<i8>), [true, false]);
        let every_u16 = nd(Scatter, &packed([1 << 16]), &packed([5, 1]), &packed([5]), 0);
        assert!(!needs_no_look::<u16>(&every_u16) && !needs_no_look::<i64>(&all));
        let mut skips = one_less;
        skips.set_bounds(Bounds::Skip);
        assert!(needs_no_look::<u8>(&skips));
        let bytes = [0, 255, 7, 254, 255, 255, 0, 0, 3, 4_u8];
        assert_eq!(check(&all, &bytes), Ok(()));
        assert_eq!(
            check(&one_less, &bytes),
            Err(Error::IndexOutOfBounds { entry: 0, coordinate: 1, value: 255, size: 255 })
        );
        assert!(check(&all, bytes.first_chunk::<9>().unwrap()).is_err());
        let signed = bytes.map(u8::cast_signed);
        assert_eq!(check(&all, &signed), Ok(()));
        assert_eq!(
            check(&pairs(127, 256), &[-128_i8; 10]),
            Err(Error::IndexOutOfBounds { entry: 0, coordinate: 0, value: -128, size: 127 })
        );
    }
}
