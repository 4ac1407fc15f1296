//! Scatters that note something of each place: a flag or a count of its
//! [cell](crate::plan::Plan::cells), or who wrote it.

#[cfg(feature = "std")]
use core::hint::select_unpredictable;

#[cfg(feature = "std")]
use strew_simd::{Block, Machine, NOWHERE, Path};

use crate::average::Average;
use crate::element::Element;
#[cfg(feature = "std")]
use crate::engine::changed::{Reduced, Reducer};
#[cfg(feature = "std")]
use crate::engine::movers::Way;
#[cfg(feature = "std")]
use crate::engine::{self, tuning};
use crate::error::{Error, Operand};
use crate::indices::sealed::Places;
use crate::movers::{Combine, Divide, Step, Sums, Winning};
use crate::plan::{Dim, Plan};
use crate::proof::{fits, scratch};
use crate::reduction::{Add, Assign, Extreme, Reduction};
use crate::run::{self, scatter_fits};
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

/// Clears the flags of these cells.
#[cfg(feature = "std")]
pub(crate) fn clear_flags_of(cells: &[u32], flags: &mut [u32]) {
    if flags.len() / CLEARED <= cells.len() {
        return flags.fill(0);
    }
    for cell in cells {
        if let Some(word) = flags.get_mut(*cell as usize / FLAGS) {
            *word = 0;
        }
    }
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

/// Combines; the first update of a cell replaces what is there.
#[inline]
pub(crate) fn reduce_excluding_self<T: Element, S: Places, R: Reduction<T>>(
    plan: &Plan,
    indices: S,
    proven: bool,
    reduction: &R,
    data: &mut [T],
    updates: &[T],
    flags: &mut [u32],
) -> Result<(), Error> {
    // An index out of bounds comes before slices that are too short.
    #[cfg(feature = "std")]
    if let Some(neutral) = R::KIND.neutral()
        && starts_from_neutral(plan, size_of::<T>())
        && indices.fit(plan.lengths.indices).is_ok()
        && scatter_fits(plan, data, updates).is_ok()
        && flags.len() >= flags_len(plan)
    {
        // Each place that is hit gets a value that its first update replaces.
        let (start, set) = (plan.with_one_update(), &Reduced(&Assign));
        let inside = engine::scatter(&start, indices, proven, set, None, data, &[neutral]);
        if inside {
            engine::scatter(plan, indices, true, &Reduced(reduction), None, data, updates);
        }
        return run::written(plan, indices, inside);
    }
    run::with_entries(plan, indices, proven, |entries| {
        excluding_self(plan, entries, reduction, data, updates, flags, true)
    })
}

/// Whether it takes less time to set all places first than to mark the cells, as it mostly does for
/// single elements of a table that stays in a cache. What is set moves twice.
#[cfg(feature = "std")]
fn starts_from_neutral(plan: &Plan, element: usize) -> bool {
    let bytes = plan.lengths.table.saturating_mul(element);
    plan.inner().is_empty() && bytes <= tuning::far(&Machine::detect())
}

/// The same for a cell whose flag is not set, for reductions of all kinds. `clears`: no flag is set
/// before.
pub(crate) fn excluding_self<T: Element, R: Reduction<T>>(
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
    let parts = Parts::of(plan, clears);
    #[cfg(feature = "std")]
    if parts.go_in_blocks(plan) {
        let marks = Marks::of(plan, flags, clears);
        reduce_blocks(plan, entries, reduction, (data, updates), &parts, marks, true);
        return Ok(());
    }
    parts.each(|part, near| {
        if clears {
            clear_flags(plan, entries, flags);
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

/// What is known of each cell while entries are walked.
#[cfg(feature = "std")]
enum Marks<'a> {
    /// Whether an entry has led there, in this call or, unless that is cleared, in an earlier one.
    Flags { flags: &'a mut [u32], clears: bool },
    /// Whether one has in this call. Of flags that share a word, each waits for the one before it:
    /// bytes do not. Record: `reduce_excluding_self` of 14,616 to 1,252,280 elements on Zen 4,
    /// 0.75x to 0.88x of flags.
    Bytes(Vec<bool>),
    /// How many entries have led there.
    Counts(&'a mut [u32]),
}

/// Cells for each entry, and in all, for which bytes take the place of flags at most: 2 MiB.
/// Record: `Max` of 2,968,518 elements to as many random places on Zen 4, 1.3x with bytes and a
/// selection.
#[cfg(feature = "std")]
const BYTES_FOR_EACH: usize = 4;
#[cfg(feature = "std")]
const BYTES: usize = if cfg!(fuzzing) { 16 } else { 1 << 21 };

#[cfg(feature = "std")]
impl Marks<'_> {
    /// Bytes, if the flags mean nothing before and after, and there is memory.
    fn of<'a>(plan: &Plan, flags: &'a mut [u32], clears: bool) -> Marks<'a> {
        let mut bytes = Vec::new();
        let many = plan.entries() >= MARKED && plan.cells / BYTES_FOR_EACH < plan.entries();
        if clears && many && plan.cells <= BYTES && bytes.try_reserve_exact(plan.cells).is_ok() {
            return Marks::Bytes(bytes);
        }
        Marks::Flags { flags, clears }
    }

    /// Clears those of all cells that entries lead to, but for those of an earlier call.
    fn clear(&mut self, plan: &Plan, entries: &mut impl Entries) {
        match self {
            Marks::Flags { clears: false, .. } => {}
            Marks::Flags { flags, .. } => clear_flags(plan, entries, flags),
            Marks::Bytes(bytes) => {
                bytes.clear();
                bytes.resize(plan.cells, false);
            }
            Marks::Counts(counts) => clear::<1>(plan, entries, counts),
        }
    }

    /// Marks the cells of some entries, which count from `start`, in order. Sets for each entry
    /// whether it is the first one of its cell.
    #[inline(never)]
    fn note(&mut self, start: usize, cells: &[u32], firsts: &mut [bool]) {
        let cells = cells.iter().map(|cell| match *cell {
            NOWHERE => usize::MAX,
            cell => start.wrapping_add(cell as usize),
        });
        let each = cells.zip(firsts);
        match self {
            Marks::Flags { flags, .. } => {
                each.for_each(|(cell, first)| *first = !set(flags, cell));
            }
            Marks::Bytes(bytes) => each.for_each(|(cell, first)| *first = !set_byte(bytes, cell)),
            Marks::Counts(counts) => each.for_each(|(cell, first)| *first = !count(counts, cell)),
        }
    }
}

/// Sets the byte of `cell`. Returns whether it was set before.
#[cfg(feature = "std")]
#[inline(always)]
fn set_byte(bytes: &mut [bool], cell: usize) -> bool {
    bytes.get_mut(cell).is_some_and(|byte| core::mem::replace(byte, true))
}

/// Counts an entry of `cell`. Returns whether there was one before.
#[cfg(feature = "std")]
#[inline(always)]
fn count(counts: &mut [u32], cell: usize) -> bool {
    let Some(count) = counts.get_mut(cell) else { return false };
    *count = count.saturating_add(1);
    *count > 1
}

/// Combines elements or rows, for entries that are marked. The first update of a cell replaces what
/// is there if it `replaces`.
///
/// Entries are marked block by block before their updates move in kernels. Of the rows of a block,
/// those that replace move first: the others that lead to the same places come after them.
#[cfg(feature = "std")]
#[inline(never)]
fn reduce_blocks<T: Element, R: Reduction<T>>(
    plan: &Plan,
    entries: &mut impl Entries,
    reduction: &R,
    (data, updates): (&mut [T], &[T]),
    parts: &Parts<'_>,
    mut marks: Marks<'_>,
    replaces: bool,
) {
    // The address of an entry that is left out lies outside.
    let data = data.get_mut(..plan.lengths.table).unwrap_or_default();
    if replaces && parts.near.is_empty() {
        // Then there is one part: others have long rows.
        marks.clear(plan, entries);
        return replace_elements(entries, reduction, (data, updates), &mut marks);
    }
    let way = Way::of(Path::detect(), 1);
    in_blocks(plan, entries, parts, marks, replaces, |block, n, first| {
        if first {
            Reduced(&Assign).block(data, updates, block, &Way { n, ..way });
        } else {
            Reduced(reduction).block(data, updates, block, &Way { n, ..way });
        }
    });
}

/// Moves the rows of some entries after the other, which are marked before: `change` is called with
/// a block of them, the elements of a row, and whether they are the first ones of their cells. If
/// that makes no difference, all of them are others.
#[cfg(feature = "std")]
#[inline(always)]
fn in_blocks(
    plan: &Plan,
    entries: &mut impl Entries,
    parts: &Parts<'_>,
    mut marks: Marks<'_>,
    differ: bool,
    mut change: impl FnMut(&Block<'_>, usize, bool),
) {
    let (row, pieces) = walk::split_lane(parts.near);
    let (mut firsts, mut split) = ([false; MARKED], [[NOWHERE; MARKED]; 2]);
    parts.each(|part, _| {
        marks.clear(plan, entries);
        entries.blocks(MARKED, |start, cells, block| {
            let Some(firsts) = firsts.get_mut(..cells.len()) else { return };
            marks.note(start, cells, firsts);
            let splits = differ && firsts.contains(&true);
            let [some, others] = &mut split;
            if splits {
                let to = some.iter_mut().zip(others.iter_mut());
                for ((address, first), to) in block.addresses.iter().zip(firsts).zip(to) {
                    (*to.0, *to.1) = if *first { (*address, NOWHERE) } else { (NOWHERE, *address) };
                }
            }
            let all = ..cells.len();
            let others = if splits { others.get(all) } else { Some(block.addresses) };
            Parts { far: pieces, near: &[] }.each(|piece, _| {
                let table = block.table.wrapping_add(part.table).wrapping_add(piece.table);
                let flat = block.flat.wrapping_add(part.flat).wrapping_add(piece.flat);
                if splits {
                    let addresses = some.get(all).unwrap_or_default();
                    change(&Block { addresses, table, flat, ..*block }, row.size, true);
                }
                let addresses = others.unwrap_or_default();
                change(&Block { addresses, table, flat, ..*block }, row.size, false);
            });
        });
    });
}

/// The entries that are marked before their updates move. Unmeasured.
#[cfg(feature = "std")]
const MARKED: usize = if cfg!(fuzzing) { 8 } else { 256 };

/// Combines single elements, of which the first one of a cell replaces what is there.
#[cfg(feature = "std")]
fn replace_elements<T: Element, R: Reduction<T>>(
    entries: &mut impl Entries,
    reduction: &R,
    (data, updates): (&mut [T], &[T]),
    marks: &mut Marks<'_>,
) {
    match marks {
        Marks::Flags { flags, .. } => {
            let flags = &mut **flags;
            entries.each(|at| {
                replace::<_, _, false>(reduction, data, updates, at, set(flags, at.cell));
            });
        }
        Marks::Bytes(bytes) => {
            let bytes = bytes.as_mut_slice();
            entries.each(|at| {
                replace::<_, _, true>(reduction, data, updates, at, set_byte(bytes, at.cell));
            });
        }
        Marks::Counts(counts) => {
            let counts = &mut **counts;
            entries.each(|at| {
                replace::<_, _, true>(reduction, data, updates, at, count(counts, at.cell));
            });
        }
    }
}

/// Combines an element with its update, which replaces it unless there was one before. `VARIES`: it
/// is hard to foresee whether there was.
#[cfg(feature = "std")]
#[inline(always)]
fn replace<T: Element, R: Reduction<T>, const VARIES: bool>(
    reduction: &R,
    data: &mut [T],
    updates: &[T],
    at: Position,
    again: bool,
) {
    let (Some(to), Some(update)) = (data.get_mut(at.table), updates.get(at.flat)) else { return };
    // A function of the caller's is not called for nothing.
    *to = if VARIES && const { R::KIND.kernels().is_some() } {
        select_unpredictable(again, reduction.combine(*to, *update), *update)
    } else if again {
        reduction.combine(*to, *update)
    } else {
        *update
    };
}

/// The inner dimensions whose steps in the flat tensor are longer than those of entries, and the
/// others. All entries move for one coordinate of the former, then for the next: so rows of updates
/// are read in their order.
struct Parts<'a> {
    far: &'a [Dim],
    near: &'a [Dim],
}

/// Elements that an entry moves in a part, and that all entries move, at least. Record:
/// `reduce_excluding_self` on Zen 4, 500 rows of 64 f32 0.8x; rows of 2 to 24 f32 1.3x to 12x.
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

    /// Whether entries move in blocks. What moves in a part are elements, or rows, and none of it
    /// leads backwards: an address counts from the start of the table. Blocks are not short:
    /// kernels start again for each.
    #[cfg(feature = "std")]
    fn go_in_blocks(&self, plan: &Plan) -> bool {
        let short = plan.outer().len() > 2 && plan.group() < tuning::SHORT_GROUP_OF_CELLS;
        plan.cells_fit()
            && (!short || plan.lanes_follow())
            && self.far.iter().chain(self.near).all(|dim| dim.table >= 0)
            && self.near.last().is_none_or(|row| row.is_row())
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

/// Sums and counts, then divides every place that was hit. The value that is there counts `already`
/// times.
#[inline]
pub(crate) fn average<T: Average, S: Places>(
    plan: &Plan,
    indices: S,
    proven: bool,
    already: u64,
    data: &mut [T],
    updates: &[T],
    words: &mut [u32],
) -> Result<(), Error>
where
    Add: Reduction<T>,
{
    // An index out of bounds comes before slices that are too short.
    #[cfg(feature = "std")]
    if goes_in_passes::<T>(plan)
        && indices.fit(plan.lengths.indices).is_ok()
        && scatter_fits(plan, data, updates).is_ok()
        && let Some(counts) = words.get_mut(..plan.cells)
    {
        let inside = in_passes(plan, indices, proven, already, data, updates, counts);
        return run::written(plan, indices, inside);
    }
    run::with_entries(plan, indices, proven, |entries| {
        entry_by_entry(plan, entries, already, data, updates, words)
    })
}

/// Entries from which single elements that hold their sums are counted, summed and divided one
/// after the other, and bytes of all cells' places for each entry, at most. Record: by i64 on
/// Emerald Rapids, against entry by entry, with and without the value that is there: 130 to 4
/// million entries in as many places or fewer 0.25x to 0.9x; f32 in 2 places for each entry 0.7x
/// to 0.9x, in 4 0.8x to 0.95x, in 8 1.3x, but 0.5x from memory; f64 in 2 0.95x to 1.5x, in 4 1.2x
/// to 1.9x, in 8 1.8x to 2.2x, but 0.7x from memory.
#[cfg(feature = "std")]
const PASSES: usize = if cfg!(fuzzing) { 8 } else { 128 };
#[cfg(feature = "std")]
const DIVIDED: usize = 12;

/// The sums of fewer entries are divided in a loop that the compiler turns into vectors: `f32`
/// holds their counts exactly.
#[cfg(feature = "std")]
const VALUES: u32 = if cfg!(fuzzing) { 32 } else { 1 << 24 };

/// Whether it takes less time than to sum and to count at once.
#[cfg(feature = "std")]
fn goes_in_passes<T: Average>(plan: &Plan) -> bool {
    let entries = plan.entries();
    T::START.is_some()
        && plan.inner().is_empty()
        && (PASSES..=u32::MAX as usize).contains(&entries)
        && plan.cells.saturating_mul(size_of::<T>()) / DIVIDED <= entries
        && !plan.empty
}

/// [`average`] in a scatter that counts, a scatter that sums, and a loop over all cells that
/// divides; without the value that is there, another loop sets what sums start from. `false`: an
/// index is out of bounds; the data is as it was.
#[cfg(feature = "std")]
#[inline(never)]
fn in_passes<T: Average, S: Places>(
    plan: &Plan,
    indices: S,
    proven: bool,
    already: u64,
    data: &mut [T],
    updates: &[T],
    counts: &mut [u32],
) -> bool
where
    Add: Reduction<T>,
{
    if !count_entries(plan, indices, proven, counts) {
        return false;
    }
    if let Some(start) = T::START.filter(|_| already == 0) {
        each_cell(plan, data, counts, |to, count| *to = if count > 0 { start } else { *to });
    }
    engine::scatter(plan, indices, true, &Reduced(&Add), None, data, updates);
    if plan.entries() < VALUES as usize {
        divide_cells::<_, true>(plan, already, data, counts);
    } else {
        divide_cells::<_, false>(plan, already, data, counts);
    }
    true
}

/// Divides what has been hit. `FEW`: there are fewer entries than [`VALUES`].
#[cfg(feature = "std")]
fn divide_cells<T: Average, const FEW: bool>(
    plan: &Plan,
    already: u64,
    data: &mut [T],
    counts: &[u32],
) {
    each_cell(plan, data, counts, |to, count| {
        let values = if FEW {
            // In 32 bits, which the compiler needs for that.
            u64::from(count.wrapping_add(already as u32).clamp(1, VALUES))
        } else {
            u64::from(count).wrapping_add(already)
        };
        let mean = T::mean(to.widen(), values);
        *to = if count > 0 { mean } else { *to };
    });
}

/// Counts the entries of each cell, whose number is that of [`each_cell`]. `false`: an index is out
/// of bounds.
#[cfg(feature = "std")]
fn count_entries<S: Places>(plan: &Plan, indices: S, proven: bool, counts: &mut [u32]) -> bool {
    let mut each = if is_packed(plan) { *plan } else { plan.of_cells() }.with_one_update();
    (each.start.table, each.lengths.table) = (0, plan.cells);
    counts.fill(0);
    engine::scatter(&each, indices, proven, &Reduced(&Add), None, counts, &[1])
}

/// Visits all cells, each with its place in the table.
#[cfg(feature = "std")]
#[inline(always)]
fn each_cell<T>(plan: &Plan, data: &mut [T], counts: &[u32], mut visit: impl FnMut(&mut T, u32)) {
    if is_packed(plan) {
        let data = data.get_mut(plan.start.table..).unwrap_or_default();
        return data.iter_mut().zip(counts).for_each(|(to, count)| visit(to, *count));
    }
    walk::entries::<&[u8]>(&plan.of_places(), &[], |at| {
        if let (Some(to), Some(count)) = (data.get_mut(at.table), counts.get(at.cell)) {
            visit(to, *count);
        }
    });
}

/// Whether the places of all cells are a run. Then they number the counts: cells may have another
/// order.
#[cfg(feature = "std")]
fn is_packed(plan: &Plan) -> bool {
    plan.lengths.table.checked_sub(plan.start.table) == Some(plan.cells)
        && plan.outer().iter().all(|dim| dim.table >= 0)
        && plan.coordinates().iter().all(|axis| axis.table >= 0)
}

/// [`average`], where each entry sums and counts at once.
fn entry_by_entry<T: Average>(
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
    sum(plan, entries, already == 0, data, updates, (&mut *counts, &mut *sums));
    entries.places(plan, |at| {
        if let Some(count) = take_count(counts, at.cell, already) {
            walk::nest(plan.inner(), at, &mut Divide { count, data, sums });
        }
    });
    Ok(())
}

/// The count of a cell that was hit, which returns to 0, and what counts `already`.
#[inline(always)]
fn take_count(counts: &mut [u32], cell: usize, already: u64) -> Option<u64> {
    let count = counts.get_mut(cell).filter(|count| **count > 0)?;
    Some(u64::from(core::mem::take(count)).wrapping_add(already))
}

/// Counts the entries of each cell, and sums. `excluding`: the first update of a cell replaces the
/// value that is there.
#[inline(always)]
fn sum<T: Average>(
    plan: &Plan,
    entries: &mut impl Entries,
    excluding: bool,
    data: &mut [T],
    updates: &[T],
    (counts, sums): (&mut [u32], &mut [u32]),
) where
    Add: Reduction<T>,
{
    let (holds_sums, parts) = (T::SUM_WORDS == 0, Parts::of(plan, true));
    #[cfg(feature = "std")]
    if holds_sums && parts.go_in_blocks(plan) {
        let marks = Marks::Counts(counts);
        return reduce_blocks(plan, entries, &Add, (data, updates), &parts, marks, excluding);
    }
    #[cfg(feature = "std")]
    if !holds_sums && !parts.near.is_empty() && parts.go_in_blocks(plan) {
        let data = data.get_mut(..plan.lengths.table).unwrap_or_default();
        return in_blocks(plan, entries, &parts, Marks::Counts(counts), true, |block, n, first| {
            let step = match (first, excluding) {
                (true, true) => Step::Start,
                (true, false) => Step::StartWith,
                (false, _) => Step::Add,
            };
            Sums { step, data, sums, updates }.block(block, n);
        });
    }
    parts.each(|part, near| {
        clear::<1>(plan, entries, counts);
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
}

#[cfg(all(test, feature = "std"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{Layout, Scatter};

    /// As many values as `f32` holds exactly, or more.
    #[test]
    fn cells_are_divided_by_their_counts() {
        let (table, entries) = (Layout::contiguous([4]), Layout::contiguous([6]));
        let plan = Scatter::axis(&table, &entries, &entries, 0).unwrap().plan;
        for (already, expected) in [(0, [2.0, 2.0, 8.0, 3.0]), (1, [1.0, 4.0 / 3.0, 8.0, 2.25])] {
            for divide in [divide_cells::<f64, true>, divide_cells::<f64, false>] {
                let mut data = [2.0, 4.0, 8.0, 9.0];
                divide(&plan, already, &mut data, &[1, 2, 0, 3]);
                assert_eq!(data, expected);
            }
        }
    }
}
