//! Finds two entries of the indices that address the same place, with one bit of scratch for each
//! place.

use crate::cells::{clear_flags, flags_len, set};
use crate::error::Error;
use crate::plan::Plan;
use crate::proof::scratch;
use crate::walk::{Entries, Position};

/// Fails with the first entry whose place an earlier one has taken.
pub(crate) fn find(
    plan: &Plan,
    entries: &mut impl Entries,
    flags: &mut [u32],
) -> Result<(), Error> {
    let flags = scratch(flags, flags_len(plan))?;
    clear_flags(plan, entries, flags);
    let Some(second) = entries.find(|at| set(flags, at.cell)) else { return Ok(()) };
    let entry = |at: Position| at.entry.wrapping_mul(plan.entry_weight);
    match entries.find(|at| at.cell == second.cell) {
        Some(first) => Err(Error::DuplicateIndex { first: entry(first), second: entry(second) }),
        None => Ok(()),
    }
}
