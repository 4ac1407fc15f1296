//! Finds two entries of the indices that address the same place, with one bit of scratch for each
//! place.

use crate::error::Error;
use crate::indices::sealed::Places;
use crate::plan::Plan;
use crate::run;
use crate::walk::Position;

/// The flags of a word of scratch, one for each cell.
pub(crate) const FLAGS: usize = u32::BITS as usize;

/// Sets the flag of `cell`. Returns whether it was set before.
#[inline]
pub(crate) fn set(flags: &mut [u32], cell: usize) -> bool {
    let bit = 1 << (cell % FLAGS);
    let Some(word) = flags.get_mut(cell / FLAGS) else { return false };
    let was_set = *word & bit != 0;
    *word |= bit;
    was_set
}

/// Fails with the first entry whose place an earlier one has taken. The caller has cleared the
/// flags, and proven the indices.
pub(crate) fn find<S: Places>(plan: &Plan, indices: S, flags: &mut [u32]) -> Result<(), Error> {
    let mut twice = None;
    run::entries(plan, indices, |at| {
        if set(flags, at.cell) && twice.is_none() {
            twice = Some(at);
        }
    });
    let Some(second) = twice else { return Ok(()) };
    let mut first = None;
    run::entries(plan, indices, |at| {
        if at.cell == second.cell && first.is_none() {
            first = Some(at);
        }
    });
    let entry = |at: Position| at.entry.wrapping_mul(plan.entry_weight);
    match first {
        Some(first) => Err(Error::DuplicateIndex { first: entry(first), second: entry(second) }),
        None => Ok(()),
    }
}
