//! Which parts of a table a gather reads.

use core::marker::PhantomData;
use core::ops::Range;

use crate::index::Index;
use crate::indices::Indices;
use crate::plan::{Dim, Plan};
use crate::walk::{Odometer, Position, locate};

/// The parts of a table that a gather reads, in bytes from the start of its slice: what
/// [`Checked::ranges`](crate::Checked::ranges) gives.
pub struct Ranges<'a, I, S = &'a [I]> {
    plan: &'a Plan,
    indices: S,
    index: PhantomData<I>,
    /// The bytes of an element.
    bytes: usize,
    /// The next entry; `None` after the last.
    entry: Option<Position>,
    entries: Odometer,
    /// The next run of the entry before.
    run: Option<Position>,
    runs: Odometer,
    /// What has been found, and may go on.
    pending: Option<Range<usize>>,
}

impl<'a, I: Index, S: Indices<Index = I>> Ranges<'a, I, S> {
    pub(crate) fn of(plan: &'a Plan, indices: S, bytes: usize) -> Ranges<'a, I, S> {
        let entry = (!plan.empty).then(|| Position::first(plan));
        let (entries, runs) = (Odometer::new(), Odometer::new());
        Ranges {
            plan,
            indices,
            index: PhantomData,
            bytes,
            entry,
            entries,
            run: None,
            runs,
            pending: None,
        }
    }

    /// The next run of neighbours, in elements.
    fn next_run(&mut self) -> Option<Range<usize>> {
        loop {
            if let Some(mut at) = self.run {
                let (dims, before, length) = runs(self.plan.inner());
                let start = at.table.wrapping_sub(before);
                let more = !dims.is_empty() && self.runs.step(dims, &mut at);
                self.run = more.then_some(at);
                return Some(start..start.saturating_add(length));
            }
            let mut at = self.entry?;
            self.run = locate(self.plan, self.indices, at);
            self.runs = Odometer::new();
            let outer = self.plan.outer();
            let more = !outer.is_empty() && self.entries.step(outer, &mut at);
            self.entry = more.then_some(at);
        }
    }
}

/// The dimensions that lead from one run to the next, how far the first element of a run may lie
/// after its start, and its length.
fn runs(inner: &[Dim]) -> (&[Dim], usize, usize) {
    match inner {
        [dims @ .., Dim { size, table: 1, .. }] => (dims, 0, *size),
        [dims @ .., Dim { size, table: -1, .. }] => (dims, size.saturating_sub(1), *size),
        dims => (dims, 0, 1),
    }
}

impl<I: Index, S: Indices<Index = I>> Iterator for Ranges<'_, I, S> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        while let Some(run) = self.next_run() {
            match &mut self.pending {
                Some(pending) if (pending.start..=pending.end).contains(&run.start) => {
                    pending.end = pending.end.max(run.end);
                }
                pending => {
                    if let Some(found) = pending.replace(run) {
                        return Some(in_bytes(found, self.bytes));
                    }
                }
            }
        }
        self.pending.take().map(|found| in_bytes(found, self.bytes))
    }
}

fn in_bytes(range: Range<usize>, bytes: usize) -> Range<usize> {
    range.start.saturating_mul(bytes)..range.end.saturating_mul(bytes)
}

/// Where it stands is of no use.
impl<I, S> core::fmt::Debug for Ranges<'_, I, S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Ranges").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}
