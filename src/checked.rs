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
    if !matches!(plan.bounds, Bounds::Error) {
        return Ok(());
    }
    #[cfg(feature = "std")]
    let inside = if plan.suits_vectors { vectors::check(plan, indices) } else { walk::check(plan, indices) };
    #[cfg(not(feature = "std"))]
    let inside = walk::check(plan, indices);
    result(plan, indices, inside)
}

/// The error for the first bad index, unless all are inside.
#[inline(always)]
pub(crate) fn result<I: Index>(plan: &Plan, indices: &[I], inside: bool) -> Result<(), Error> {
    if inside { Ok(()) } else { walk::first_out_of_bounds(plan, indices).map_or(Ok(()), Err) }
}

/// [`check`] with several threads.
#[cfg(feature = "rayon")]
pub(crate) fn par_check<I: Index>(plan: &Plan, indices: &[I], division: &Division) -> Result<(), Error> {
    fits(Operand::Indices, plan.lengths.indices, indices.len())?;
    if !matches!(plan.bounds, Bounds::Error) {
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
    let Some(words) = words.get_mut(..expected) else { return Err(Error::ScratchTooShort { expected, found }) };
    words.fill(0);
    Ok(words)
}
