//! Where the entries of a call lead: by round, by owner, in their order.

use std::ops::Range;

use strew::{Bounds, Gather, Index, Layout, Negative};

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

    /// Visits the entries that are not left out, in order, each with its row.
    #[inline(always)]
    fn each<I: Index>(&self, indices: &[I], mut visit: impl FnMut(usize, usize)) {
        let resolve = |index: &I, size| self.bounds.position(*index, size, self.negative);
        let mut found = |entry, row: Option<usize>| match row {
            Some(row) if self.padding != Some(row) => visit(entry, row),
            _ => {}
        };
        if let [size] = *self.sizes {
            for (entry, index) in indices.iter().enumerate() {
                found(entry, resolve(index, size));
            }
            return;
        }
        for (entry, tuple) in indices.chunks_exact(self.sizes.len().max(1)).enumerate() {
            let row = tuple.iter().zip(self.sizes).try_fold(0_usize, |row, (index, size)| {
                Some(row.wrapping_mul(*size).wrapping_add(resolve(index, *size)?))
            });
            found(entry, row);
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
        let place = |entry, row| {
            let (owner, local) = shards.owner(row);
            (round(entry, local).wrapping_mul(ranks).wrapping_add(owner), local)
        };
        // All are looked at twice, which takes less time than to keep what the first look finds.
        let mut next = vec![0_usize; ranks.saturating_mul(rounds)];
        rule.each(indices, |entry, row| {
            if let Some(count) = next.get_mut(place(entry, row).0) {
                *count = count.wrapping_add(1);
            }
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
        rule.each(indices, |entry, row| {
            let (range, local) = place(entry, row);
            if let Some(next) = next.get_mut(range) {
                if let (Some(order), Some(id)) =
                    (self.order.get_mut(*next), self.ids.get_mut(*next))
                {
                    (*order, *id) = (entry as u32, local as u32);
                }
                *next = next.wrapping_add(1);
            }
        });
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
        let expected = Routes { order: vec![1, 0], ids: vec![1, 2], starts: vec![0, 1, 2] };
        assert_eq!(found, Ok(expected));
        let error = routes(rule, &shards, &[1_u64, 2, 0, 3], (2, 1), |_, _| 0);
        let bad = strew::Error::IndexOutOfBounds { entry: 4, coordinate: 1, value: 3, size: 3 };
        assert_eq!(error, Err(bad));
    }
}
