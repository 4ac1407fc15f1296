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
}

impl Rule<'_> {
    /// Visits the entries that are not left out, each with its row, in order. Stops at the first
    /// one that is out of bounds under [`Bounds::Error`].
    #[inline(always)]
    fn each<I: Index>(
        &self,
        indices: &[I],
        mut visit: impl FnMut(usize, usize),
    ) -> Result<(), strew::Error> {
        let wrong = matches!(self.bounds, Bounds::Error);
        let mut found = |entry, row: Option<usize>| match row {
            Some(row) if self.padding != Some(row) => visit(entry, row),
            _ => {}
        };
        if let [size] = *self.sizes {
            for (entry, index) in indices.iter().enumerate() {
                let row = index.resolve(size, self.bounds, self.negative);
                if row.is_none() && wrong {
                    return Err(self.refused(entry, &[*index]));
                }
                found(entry, row);
            }
            return Ok(());
        }
        for (entry, tuple) in indices.chunks_exact(self.sizes.len().max(1)).enumerate() {
            let row = tuple.iter().zip(self.sizes).try_fold(0_usize, |row, (index, size)| {
                let position = index.resolve(*size, self.bounds, self.negative)?;
                Some(row.wrapping_mul(*size).wrapping_add(position))
            });
            if row.is_none() && wrong {
                return Err(self.refused(entry, tuple));
            }
            found(entry, row);
        }
        Ok(())
    }

    /// The error for a tuple that has no row.
    #[cold]
    #[inline(never)]
    fn refused<I: Index>(&self, entry: usize, tuple: &[I]) -> strew::Error {
        let one = Layout::contiguous([1]);
        for (coordinate, (index, size)) in tuple.iter().zip(self.sizes).enumerate() {
            let axis = Layout::strided([*size], [0]);
            let found = Gather::axis(&axis, &one, &one, 0).and_then(|gather| {
                gather.negative(self.negative).check(std::slice::from_ref(index)).map(|_| ())
            });
            if let Err(strew::Error::IndexOutOfBounds { value, size, .. }) = found {
                return strew::Error::IndexOutOfBounds { entry, coordinate, value, size };
            }
        }
        // Not reached: a tuple without a row has such a coordinate.
        strew::Error::IndexOutOfBounds { entry, coordinate: 0, value: 0, size: 0 }
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
    pub(crate) fn new<I: Index>(
        rule: Rule<'_>,
        shards: &Shards,
        indices: &[I],
        (ranks, rounds): (usize, usize),
        round: impl Fn(usize, usize) -> usize,
    ) -> Result<Routes, strew::Error> {
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
        })?;
        let mut starts = Vec::with_capacity(next.len().saturating_add(1));
        let mut end = 0_usize;
        for count in &mut next {
            starts.push(end);
            end = end.wrapping_add(std::mem::replace(count, end));
        }
        starts.push(end);
        let (mut order, mut ids) = (vec![0; end], vec![0; end]);
        rule.each(indices, |entry, row| {
            let (bucket, local) = place(entry, row);
            if let Some(next) = next.get_mut(bucket) {
                if let (Some(order), Some(id)) = (order.get_mut(*next), ids.get_mut(*next)) {
                    (*order, *id) = (entry as u32, local as u32);
                }
                *next = next.wrapping_add(1);
            }
        })?;
        Ok(Routes { order, ids, starts })
    }

    /// Nothing, for a rank whose call is refused.
    pub(crate) fn none(ranks: usize, rounds: usize) -> Routes {
        let starts = vec![0; ranks.saturating_mul(rounds).saturating_add(1)];
        Routes { starts, ..Routes::default() }
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

    #[test]
    fn by_round_and_owner_in_order() {
        let shards = Shards::new(10, 2, Distribution::Block);
        let rule = Rule {
            sizes: &[10],
            bounds: Bounds::Skip,
            negative: Negative::FromEnd,
            padding: Some(4),
        };
        let indices = [7, 0, -1, 4, 99, 1, 5];
        let routes = Routes::new(rule, &shards, &indices, (2, 2), |entry, _| entry / 4);
        let expected = Routes {
            order: vec![1, 0, 2, 5, 6],
            ids: vec![0, 2, 4, 1, 0],
            starts: vec![0, 1, 3, 4, 5],
        };
        assert_eq!(expected.ranges(1, 2), [3..4, 4..5]);
        assert_eq!(routes, Ok(expected));
        let rule = Rule { bounds: Bounds::Error, ..rule };
        let error = Routes::new(rule, &shards, &indices, (2, 1), |_, _| 0);
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
        };
        let routes = Routes::new(rule, &shards, &[1_i8, 2, 0, -1], (2, 1), |_, _| 0);
        let expected = Routes { order: vec![1, 0], ids: vec![1, 2], starts: vec![0, 1, 2] };
        assert_eq!(routes, Ok(expected));
        let error = Routes::new(rule, &shards, &[1_u64, 2, 0, 3], (2, 1), |_, _| 0);
        let bad = strew::Error::IndexOutOfBounds { entry: 1, coordinate: 1, value: 3, size: 3 };
        assert_eq!(error, Err(bad));
    }
}
