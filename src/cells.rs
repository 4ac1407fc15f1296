//! Scatters that note something of each place: a flag or a count of its
//! [cell](crate::plan::Plan::cells), or who wrote it.

use crate::average::Average;
use crate::element::Element;
use crate::error::{Error, Operand};
use crate::movers::{Combine, Step, Sums, Winning};
use crate::plan::{Dim, Plan};
use crate::proof::{fits, scratch};
use crate::reduction::{Add, Assign, Extreme, Reduction};
use crate::run::scatter_fits;
use crate::walk::{self, Entries, Odometer, Position};

/// The flags of a word of scratch, one for each cell.
const FLAGS: usize = u32::BITS as usize;

/// The words of scratch that flags take.
pub(crate) const fn flags_len(plan: &Plan) -> usize {
    plan.cells.div_ceil(FLAGS)
}

/// The words of scratch that means take: counts, then sums.
pub(crate) const fn mean_len<T: Average>(plan: &Plan) -> usize {
    let elements = if plan.cells > 0 { plan.lengths.table } else { 0 };
    plan.cells.saturating_add(elements.saturating_mul(T::SUM_WORDS))
}

/// Sets the flag of `cell`. Returns whether it was set before.
#[inline]
pub(crate) fn set(flags: &mut [u32], cell: usize) -> bool {
    let bit = 1 << (cell % FLAGS);
    let Some(word) = flags.get_mut(cell / FLAGS) else { return false };
    let was_set = *word & bit != 0;
    *word |= bit;
    was_set
}

/// Clears the flags of all cells that entries lead to.
pub(crate) fn clear_flags(plan: &Plan, entries: &mut impl Entries, flags: &mut [u32]) {
    clear::<FLAGS>(plan, entries, flags);
}

/// Sets to 0 the words of scratch that the entries lead to, one for `CELLS` cells: it fills all
/// words, or clears one for each entry, whichever takes less time.
fn clear<const CELLS: usize>(plan: &Plan, entries: &mut impl Entries, words: &mut [u32]) {
    if words.len() / CLEARED <= plan.entries() {
        words.fill(0);
        return;
    }
    entries.each(|at| {
        if let Some(word) = words.get_mut(at.cell / CELLS) {
            *word = 0;
        }
    });
}

/// Words that are cleared in the time of one entry. Unmeasured.
const CLEARED: usize = 16;

/// Combines; the first update of a cell whose flag is not set replaces what is there. `clears`: no
/// flag is set before.
pub(crate) fn reduce_excluding_self<T: Element, R: Reduction<T>>(
    plan: &Plan,
    entries: &mut impl Entries,
    reduction: &R,
    data: &mut [T],
    updates: &[T],
    flags: &mut [u32],
    clears: bool,
) -> Result<(), Error> {
    scatter_fits(plan, data, updates)?;
    let flags = scratch(flags, flags_len(plan))?;
    Parts::of(plan, clears).each(|part, near| {
        if clears {
            clear_flags(plan, entries, flags);
        }
        if moves_elements(near) {
            entries.each(|at| {
                let (again, at) = (set(flags, at.cell), at.plus(part));
                if let (Some(to), Some(update)) = (data.get_mut(at.table), updates.get(at.flat)) {
                    *to = if again { reduction.combine(*to, *update) } else { *update };
                }
            });
            return;
        }
        entries.each(|at| {
            let (again, at) = (set(flags, at.cell), at.plus(part));
            if again {
                walk::nest(near, at, &mut Combine { reduction, data, updates });
            } else {
                walk::nest(near, at, &mut Combine { reduction: &Assign, data, updates });
            }
        });
    });
    Ok(())
}

/// The inner dimensions whose steps in the flat tensor are longer than those of entries, and the
/// others. All entries move for one coordinate of the former, then for the next: so rows of updates
/// are read in their order.
struct Parts<'a> {
    far: &'a [Dim],
    near: &'a [Dim],
}

/// Elements that an entry moves in a part, and that all entries move, at least. Record:
/// `reduce_excluding_self` on Zen 4, 500 rows of 64 f32 0.8x; rows of 2 to 24 1.3x to 12x.
const PART_ROW: usize = 64;
const PART: usize = 1 << 12;

impl<'a> Parts<'a> {
    /// There is one part if scratch is not `cleared` for each, or if a part would move little.
    fn of(plan: &'a Plan, cleared: bool) -> Parts<'a> {
        let step = |dim: &Dim| dim.flat.unsigned_abs();
        let entry = plan.outer().iter().map(step).max().unwrap_or(usize::MAX);
        let far = plan.inner().iter().take_while(|dim| step(dim) > entry).count();
        let row = plan.inner().iter().skip(far).fold(1, |n: usize, dim| n.saturating_mul(dim.size));
        let long = row >= PART_ROW && row.saturating_mul(plan.entries()) >= PART;
        let far = if cleared && cfg!(feature = "std") && long { far } else { 0 };
        let (far, near) = plan.inner().split_at_checked(far).unwrap_or((&[], plan.inner()));
        Parts { far, near }
    }

    /// Visits each part: what it adds to places, and the other dimensions.
    #[inline(always)]
    fn each(&self, mut visit: impl FnMut(&Position, &'a [Dim])) {
        let (mut at, mut odometer) = (Position::default(), Odometer::new());
        loop {
            visit(&at, self.near);
            if self.far.is_empty() || !odometer.step(self.far, &mut at) {
                return;
            }
        }
    }
}

/// Combines, and notes the entry that each extreme comes from.
pub(crate) fn reduce_arg<T: Element, R: Extreme + Reduction<T>>(
    plan: &Plan,
    entries: &mut impl Entries,
    extreme: &R,
    data: &mut [T],
    winners: &mut [usize],
    updates: &[T],
) -> Result<(), Error> {
    scatter_fits(plan, data, updates)?;
    fits(Operand::Winners, plan.lengths.table, winners.len())?;
    entries.each(|at| {
        let (combine, number) = (Combine { reduction: extreme, data, updates }, 0);
        let mut winning = Winning { combine, winners, plan, step: at.entry, number };
        walk::nest(plan.inner(), at, &mut winning);
    });
    Ok(())
}

/// Sums and counts, then divides every place that was hit. The counts return to 0 as they are used.
/// The value that is there counts `already` times.
pub(crate) fn average<T: Average>(
    plan: &Plan,
    entries: &mut impl Entries,
    already: u64,
    data: &mut [T],
    updates: &[T],
    words: &mut [u32],
) -> Result<(), Error>
where
    Add: Reduction<T>,
{
    scatter_fits(plan, data, updates)?;
    let words = scratch(words, mean_len::<T>(plan))?;
    let Some((counts, sums)) = words.split_at_mut_checked(plan.cells) else { return Ok(()) };
    let (holds_sums, excluding) = (T::SUM_WORDS == 0, already == 0);
    Parts::of(plan, true).each(|part, near| {
        clear::<1>(plan, entries, counts);
        if holds_sums && moves_elements(near) {
            entries.each(|at| {
                let Some(count) = counts.get_mut(at.cell) else { return };
                let (first, at) = (*count == 0 && excluding, at.plus(part));
                if let (Some(to), Some(update)) = (data.get_mut(at.table), updates.get(at.flat)) {
                    *to = if first { *update } else { Add.combine(*to, *update) };
                }
                *count = count.saturating_add(1);
            });
            return;
        }
        entries.each(|at| {
            let Some(count) = counts.get_mut(at.cell) else { return };
            let (first, at) = (*count == 0, at.plus(part));
            if holds_sums && first && excluding {
                walk::nest(near, at, &mut Combine { reduction: &Assign, data, updates });
            } else if holds_sums {
                walk::nest(near, at, &mut Combine { reduction: &Add, data, updates });
            } else {
                let step = match (first, excluding) {
                    (true, true) => Step::Start,
                    (true, false) => Step::StartWith,
                    (false, _) => Step::Add,
                };
                walk::nest(near, at, &mut Sums { step, data, sums, updates });
            }
            *count = count.saturating_add(1);
        });
    });
    let elements = holds_sums && moves_elements(plan.inner());
    entries.places(plan, |at| {
        let Some(count) = counts.get_mut(at.cell).filter(|count| **count > 0) else { return };
        let count = u64::from(core::mem::take(count)).wrapping_add(already);
        if elements {
            if let Some(to) = data.get_mut(at.table) {
                *to = T::mean(to.widen(), count);
            }
        } else if holds_sums {
            let reduction = &|sum: T, _| T::mean(sum.widen(), count);
            walk::nest(plan.inner(), at, &mut Combine { reduction, data, updates });
        } else {
            let step = Step::Divide(count);
            walk::nest(plan.inner(), at, &mut Sums { step, data, sums, updates });
        }
    });
    Ok(())
}

/// Whether a loop of its own gains something: single elements move, on a machine with room for
/// code. Where not, what moves is walked as if it were rows.
fn moves_elements(inner: &[Dim]) -> bool {
    cfg!(feature = "std") && inner.is_empty()
}
