//! Finds two entries of the indices that address the same place, with one bit of scratch for each
//! place.

#[cfg(feature = "std")]
use crate::cells::clear_flags_of;
use crate::cells::{clear_flags, flags_len, set};
#[cfg(feature = "std")]
use crate::engine::few::Few;
#[cfg(feature = "std")]
use crate::engine::tuning;
use crate::error::Error;
use crate::indices::sealed::Places;
use crate::plan::Plan;
use crate::proof::scratch;
use crate::run;
use crate::walk::{Entries, Position};

/// Proves the indices, and that no two entries lead to the same cell.
#[inline]
pub(crate) fn check<S: Places>(plan: &Plan, indices: S, flags: &mut [u32]) -> Result<(), Error> {
    #[cfg(feature = "std")]
    if plan.entries() <= tuning::FEW_CELLS && !plan.empty {
        indices.fit(plan.lengths.indices)?;
        let mut unique = Ok(());
        let inside =
            Few::any(plan).run::<_, true>(indices, |cells| unique = find_few(plan, cells, flags));
        return run::written(plan, indices, inside == Some(true)).and(unique);
    }
    run::with_entries(plan, indices, false, |entries| find(plan, entries, flags))
}

/// Fails with the first entry whose place an earlier one has taken.
fn find(plan: &Plan, entries: &mut impl Entries, flags: &mut [u32]) -> Result<(), Error> {
    let flags = scratch(flags, flags_len(plan))?;
    clear_flags(plan, entries, flags);
    let Some(second) = entries.find(|at| set(flags, at.cell)) else { return Ok(()) };
    let entry = |at: Position| at.entry.wrapping_mul(plan.entry_weight);
    match entries.find(|at| at.cell == second.cell) {
        Some(first) => Err(Error::DuplicateIndex { first: entry(first), second: entry(second) }),
        None => Ok(()),
    }
}

/// [`find`] among the cells of few entries, in order. One that is left out has none.
#[cfg(feature = "std")]
#[inline(never)]
fn find_few(plan: &Plan, cells: &[usize], flags: &mut [u32]) -> Result<(), Error> {
    let flags = scratch(flags, flags_len(plan))?;
    clear_flags_of(cells, flags);
    let Some(second) = cells.iter().position(|cell| set(flags, *cell)) else { return Ok(()) };
    let entry = |at: usize| at.wrapping_mul(plan.entry_weight);
    match cells.iter().position(|cell| cells.get(second) == Some(cell)) {
        Some(first) => Err(Error::DuplicateIndex { first: entry(first), second: entry(second) }),
        None => Ok(()),
    }
}

#[cfg(all(test, feature = "std"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::{Bounds, Error, Layout, Scatter};

    #[test]
    fn few_entries_are_as_many() {
        // With the same flags: those that an earlier call has left mean nothing.
        let mut flags = [u32::MAX; 400];
        for entries in [1, 2, 31, 127, 128, 129, 300] {
            for size in [entries, 12_000] {
                let layouts = [size, entries].map(|size| Layout::packed(&[size, 3]));
                let [data, updates] = &layouts;
                let indices = Layout::packed(&[entries]);
                let scatter = Scatter::axis(data, &indices, updates, 0).unwrap();
                let skips = scatter.bounds(Bounds::Skip);
                let mut indices: Vec<i64> = (0..entries as i64).rev().collect();
                assert!(scatter.check_unique(&indices, &mut flags).is_ok(), "{entries}");
                let short = flags.get_mut(..scatter.flags_len() - 1).unwrap();
                let error = scatter.check_unique(&indices, short).err();
                assert!(matches!(error, Some(Error::ScratchTooShort { .. })), "{entries}");
                // The first entry leads to the place of the last but one.
                if entries > 2 {
                    let (last, second) = (entries - 1, entries - 2);
                    *indices.get_mut(0).unwrap() = 1 - size as i64;
                    let error = scatter.check_unique(&indices, &mut flags).unwrap_err();
                    assert_eq!(error, Error::DuplicateIndex { first: 0, second });
                    // Both are left out, and the other one is not.
                    *indices.get_mut(0).unwrap() = size as i64;
                    *indices.get_mut(second).unwrap() = size as i64;
                    assert!(skips.check_unique(&indices, &mut flags).is_ok());
                    *indices.get_mut(1).unwrap() = 0;
                    let error = skips.check_unique(&indices, &mut flags).unwrap_err();
                    assert_eq!(error, Error::DuplicateIndex { first: 1, second: last });
                    let error = scatter.check_unique(&indices, &mut flags).unwrap_err();
                    assert!(matches!(error, Error::IndexOutOfBounds { entry: 0, .. }));
                }
            }
        }
    }
}
