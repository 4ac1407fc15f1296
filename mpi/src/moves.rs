//! The rounds of a call, one after the other: what is sent, and what owners do.

use std::ops::Range;

use bytemuck::Pod;
use strew::{Assign, Reduction};

use crate::error::Error;
use crate::kernels;
use crate::memory::room;
use crate::rounds::Rounds;
use crate::sharded::Sharded;

impl Sharded {
    /// Gets the rows of all entries from their owners. Those of entries that are left out stay.
    pub(crate) fn fetch<T: Pod + Send + Sync>(
        &self,
        rounds: &Rounds,
        local: &[T],
        (output, entries): (&mut [T], usize),
    ) -> Result<(), Error> {
        let (ranks, row, owned) = (&self.ranks, self.row_len(), self.local_rows());
        let mut memory = self.memory.take();
        for part in (0..rounds.count()).flat_map(|round| rounds.parts(ranks, round)) {
            let ids = part.pick(&rounds.routes.ids);
            let (sent, received) = (&part.sent, &part.received_from_others());
            let asked = room(&mut memory.ids, received.iter().sum());
            ranks.swap((&ids, sent), (asked, received), 1);
            let answers = room(&mut memory.sent, asked.len().saturating_mul(row));
            let rows = room(&mut memory.received, ids.len().saturating_mul(row));
            // Those that this rank asks itself for go no further.
            let kept = part.kept();
            self.kernel(|| {
                kernels::gather((local, owned), asked, answers, row)?;
                let ids = ids.get(kept.clone()).unwrap_or_default();
                kernels::gather((local, owned), ids, rows_of(rows, kept, row), row)
            })?;
            ranks.swap((answers, received), (rows, sent), row);
            let order = part.pick(&rounds.routes.order);
            self.packing(|| {
                kernels::scatter(Assign, (&mut *output, entries), &order, (rows, false), row)
            })?;
        }
        self.memory.put(memory);
        Ok(())
    }

    /// Sends all updates to the owners of their rows, which apply them in the order of the ranks.
    /// The update of a rank that has one for all of its `entries` is `repeated`.
    pub(crate) fn apply<T: Pod + Send + Sync>(
        &self,
        rounds: &Rounds,
        reduction: impl Reduction<T> + Copy + Sync,
        local: &mut [T],
        (updates, entries, repeated): (&[T], usize, bool),
    ) -> Result<(), Error> {
        let (ranks, row, owned) = (&self.ranks, self.row_len(), self.local_rows());
        let mut memory = self.memory.take();
        let shared = repeated.then(|| ranks.all(updates, row));
        for part in (0..rounds.count()).flat_map(|round| rounds.parts(ranks, round)) {
            let ids = part.pick(&rounds.routes.ids);
            let (sent, received) = (&part.sent, &part.received);
            let (kept, kept_in) = (part.kept(), part.kept_in());
            let ids_in = room(&mut memory.ids, received.iter().sum());
            if let (Some(ids), Some(to)) = (ids.get(kept.clone()), ids_in.get_mut(kept_in.clone()))
            {
                to.copy_from_slice(ids);
            }
            ranks.swap((&ids, sent), (ids_in, received), 1);
            if let Some(shared) = &shared {
                self.kernel(|| {
                    same_rows(shared, received, row).try_for_each(|(range, update)| {
                        let ids = ids_in.get(range).unwrap_or_default();
                        kernels::scatter(reduction, (local, owned), ids, (update, true), row)
                    })
                })?;
                continue;
            }
            let order = part.pick(&rounds.routes.order);
            let packed = room(&mut memory.sent, order.len().saturating_mul(row));
            let rows = room(&mut memory.received, ids_in.len().saturating_mul(row));
            self.packing(|| {
                let pack = |range: Range<usize>, to: &mut [T]| {
                    let order = order.get(range).unwrap_or_default();
                    kernels::gather((updates, entries), order, to, row)
                };
                for range in [0..kept.start, kept.end..order.len()] {
                    pack(range.clone(), rows_of(packed, range, row))?;
                }
                pack(kept, rows_of(rows, kept_in, row))
            })?;
            ranks.swap((packed, sent), (rows, received), row);
            self.kernel(|| {
                kernels::scatter(reduction, (local, owned), ids_in, (rows, false), row)
            })?;
        }
        self.memory.put(memory);
        Ok(())
    }
}

/// Some of the rows of a length.
fn rows_of<T>(rows: &mut [T], range: Range<usize>, row: usize) -> &mut [T] {
    let elements = range.start.saturating_mul(row)..range.end.saturating_mul(row);
    rows.get_mut(elements).unwrap_or_default()
}

/// What ranks with the same update bring, one after the other: the range of their entries, where
/// rank `r` has `counts[r]`, and the update.
fn same_rows<'a, T: Pod>(
    updates: &'a [T],
    counts: &'a [usize],
    row: usize,
) -> impl Iterator<Item = (Range<usize>, &'a [T])> {
    let rows: Vec<_> = updates.chunks_exact(row.max(1)).zip(counts).collect();
    let same = |a: &(&[T], _), b: &(&[T], _)| bytes(a.0) == bytes(b.0);
    let mut end = 0_usize;
    let mut runs = Vec::new();
    for run in rows.chunk_by(same) {
        let Some((update, _)) = run.first() else { continue };
        let start = end;
        end = run.iter().fold(end, |end, (_, count)| end.saturating_add(**count));
        runs.push((start..end, *update));
    }
    runs.into_iter()
}

fn bytes<T: Pod>(values: &[T]) -> &[u8] {
    bytemuck::cast_slice(values)
}
