//! Where the entries of a call lead: by round, by owner, in their order.

use std::ops::Range;

use strew::{Bounds, Gather, Index, Layout, Negative};

use crate::memory::room;
use crate::shards::Shards;

/// What turns a tuple of indices into a row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule<'a> {
    /// Of the axes that a tuple chooses from.
    pub(crate) sizes: &'a [usize],
    pub(crate) bounds: Bounds,
    pub(crate) negative: Negative,
    /// A row whose entries are left out.
    pub(crate) padding: Option<usize>,
    /// What errors call the first entry.
    pub(crate) first: usize,
}

impl Rule<'_> {
    /// Finds the first index that is out of bounds, if that is an error.
    fn check<I: Index>(&self, indices: &[I]) -> Result<(), strew::Error> {
        if !matches!(self.bounds, Bounds::Error) {
            return Ok(());
        }
        let axes = self.sizes.len();
        let entries = indices.len() / axes.max(1);
        let places = Layout::from_parts(self.sizes, &vec![0; axes], 0)?;
        let list = Layout::contiguous([entries, axes]);
        let gather = Gather::nd(&places, &list, &Layout::contiguous([entries]), 0)?;
        gather.negative(self.negative).check(indices).map(|_| ()).map_err(|error| match error {
            strew::Error::IndexOutOfBounds { entry, coordinate, value, size } => {
                let entry = entry.saturating_add(self.first);
                strew::Error::IndexOutOfBounds { entry, coordinate, value, size }
            }
            error => error,
        })
    }

    /// Visits all entries, in order, each with its row or, if it is left out, without one. Keeps
    /// what is found.
    #[inline(always)]
    fn each<I: Index, F>(
        &self,
        indices: &[I],
        found: &mut [F],
        mut visit: impl FnMut(usize, Option<usize>) -> F,
    ) {
        let resolve = |index: &I, size| self.bounds.position(*index, size, self.negative);
        let used = |row: &usize| self.padding != Some(*row);
        if let [size] = *self.sizes {
            for (entry, (index, found)) in indices.iter().zip(found).enumerate() {
                *found = visit(entry, resolve(index, size).filter(used));
            }
            return;
        }
        let tuples = indices.chunks_exact(self.sizes.len().max(1));
        for (entry, (tuple, found)) in tuples.zip(found).enumerate() {
            let row = tuple.iter().zip(self.sizes).try_fold(0_usize, |row, (index, size)| {
                Some(row.wrapping_mul(*size).wrapping_add(resolve(index, *size)?))
            });
            *found = visit(entry, row.filter(used));
        }
    }
}

/// The entries of a call by round and owner: those of round `k` for owner `o` are number
/// `k * ranks + o`, and lie in their order in a range of the lists.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Routes {
    /// The entries.
    pub(crate) order: Vec<u32>,
    /// For each, the number of its row at its owner.
    pub(crate) ids: Vec<u32>,
    /// Where each range starts; and where the last one ends.
    pub(crate) starts: Vec<usize>,
    /// Of each entry the number of its range, and of its row at its owner.
    found: Vec<[u32; 2]>,
}

impl Routes {
    /// Routes all entries, in `rounds` rounds. The round of an entry is that of `round`, from the
    /// number of the entry and that of its row at the owner.
    ///
    /// # Errors
    /// The first index that is out of bounds under [`Bounds::Error`].
    pub(crate) fn fill<I: Index>(
        &mut self,
        rule: Rule<'_>,
        shards: &Shards,
        indices: &[I],
        (ranks, rounds): (usize, usize),
        round: impl Fn(usize, usize) -> usize,
    ) -> Result<(), strew::Error> {
        rule.check(indices)?;
        // What the first look finds is kept for the second one. Entries that are left out have no
        // range.
        let left_out = ranks.saturating_mul(rounds);
        let mut next = vec![0_usize; left_out];
        let entries = indices.len() / rule.sizes.len().max(1);
        let found = room(&mut self.found, entries);
        rule.each(indices, found, |entry, row| {
            let (range, local) = row.map_or((left_out, 0), |row| {
                let (owner, local) = shards.owner(row);
                (round(entry, local).wrapping_mul(ranks).wrapping_add(owner), local)
            });
            if let Some(count) = next.get_mut(range) {
                *count = count.wrapping_add(1);
            }
            [range as u32, local as u32]
        });
        self.starts.clear();
        let mut end = 0_usize;
        for count in &mut next {
            self.starts.push(end);
            end = end.wrapping_add(std::mem::replace(count, end));
        }
        self.starts.push(end);
        self.order.resize(end, 0);
        self.ids.resize(end, 0);
        for (entry, [range, local]) in found.iter().enumerate() {
            if let Some(next) = next.get_mut(*range as usize) {
                if let (Some(order), Some(id)) =
                    (self.order.get_mut(*next), self.ids.get_mut(*next))
                {
                    (*order, *id) = (entry as u32, *local);
                }
                *next = next.wrapping_add(1);
            }
        }
        Ok(())
    }

    /// Makes them none, for a rank whose call is refused.
    pub(crate) fn clear(&mut self, ranks: usize, rounds: usize) {
        self.starts.clear();
        self.starts.resize(ranks.saturating_mul(rounds).saturating_add(1), 0);
    }

    /// The ranges of a round, one for each owner.
    pub(crate) fn ranges(&self, round: usize, ranks: usize) -> Vec<Range<usize>> {
        let starts = self.starts.iter().skip(round.wrapping_mul(ranks));
        starts.clone().zip(starts.skip(1)).take(ranks).map(|(start, end)| *start..*end).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shards::Distribution;

    fn routes<I: Index>(
        rule: Rule<'_>,
        shards: &Shards,
        indices: &[I],
        counts: (usize, usize),
        round: impl Fn(usize, usize) -> usize,
    ) -> Result<Routes, strew::Error> {
        let mut routes = Routes::default();
        routes.fill(rule, shards, indices, counts, round).map(|()| routes)
    }

    #[test]
    fn by_round_and_owner_in_order() {
        let shards = Shards::new(10, 2, Distribution::Block);
        let rule = Rule {
            sizes: &[10],
            bounds: Bounds::Skip,
            negative: Negative::FromEnd,
            padding: Some(4),
            first: 0,
        };
        let indices = [7, 0, -1, 4, 99, 1, 5];
        let found = routes(rule, &shards, &indices, (2, 2), |entry, _| entry / 4);
        let expected = Routes {
            order: vec![1, 0, 2, 5, 6],
            ids: vec![0, 2, 4, 1, 0],
            starts: vec![0, 1, 3, 4, 5],
            found: vec![[1, 2], [0, 0], [1, 4], [4, 0], [4, 0], [2, 1], [3, 0]],
        };
        assert_eq!(expected.ranges(1, 2), [3..4, 4..5]);
        assert_eq!(found, Ok(expected));
        let rule = Rule { bounds: Bounds::Error, ..rule };
        let error = routes(rule, &shards, &indices, (2, 1), |_, _| 0);
        let bad = strew::Error::IndexOutOfBounds { entry: 4, coordinate: 0, value: 99, size: 10 };
        assert_eq!(error, Err(bad));
    }

    #[test]
    fn tuples() {
        let shards = Shards::new(6, 2, Distribution::Cyclic);
        let rule = Rule {
            sizes: &[2, 3],
            bounds: Bounds::Error,
            negative: Negative::FromEnd,
            padding: None,
            first: 3,
        };
        let found = routes(rule, &shards, &[1_i8, 2, 0, -1], (2, 1), |_, _| 0);
        let expected = Routes {
            order: vec![1, 0],
            ids: vec![1, 2],
            starts: vec![0, 1, 2],
            found: vec![[1, 2], [0, 1]],
        };
        assert_eq!(found, Ok(expected));
        let error = routes(rule, &shards, &[1_u64, 2, 0, 3], (2, 1), |_, _| 0);
        let bad = strew::Error::IndexOutOfBounds { entry: 4, coordinate: 1, value: 3, size: 3 };
        assert_eq!(error, Err(bad));
    }
}
