//! Where the entries of a call lead: by round, by owner, in their order.

use std::ops::Range;

use strew::{Bounds, Gather, Index, Layout, Negative};

use crate::memory::room;
use crate::shards::Shards;

/// What turns a tuple of indices into a row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule<'a> {
    /// The sizes of the axes that a tuple chooses from.
    pub(crate) sizes: &'a [usize],
    pub(crate) bounds: Bounds,
    pub(crate) negative: Negative,
    /// A row whose entries are left out.
    pub(crate) padding: Option<usize>,
    /// The number that errors give the first entry.
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

    /// Visits the row of each entry, in order, or none if it is left out. Keeps what is found.
    #[inline(always)]
    fn each<I: Index, F>(
        &self,
        indices: &[I],
        found: &mut [F],
        mut visit: impl FnMut(Option<usize>) -> F,
    ) {
        let resolve = |index: &I, size| self.bounds.position(*index, size, self.negative);
        let used = |row: &usize| self.padding != Some(*row);
        if let [size] = *self.sizes {
            for (index, found) in indices.iter().zip(found) {
                *found = visit(resolve(index, size).filter(used));
            }
            return;
        }
        let tuples = indices.chunks_exact(self.sizes.len().max(1));
        for (tuple, found) in tuples.zip(found) {
            let row = tuple.iter().zip(self.sizes).try_fold(0_usize, |row, (index, size)| {
                Some(row.wrapping_mul(*size).wrapping_add(resolve(index, *size)?))
            });
            *found = visit(row.filter(used));
        }
    }
}

/// What divides the entries of a call among rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// The number of the entry: for gathers.
    Entry,
    /// The row at the owner: for scatters. All updates of a row are in one round, so that they meet
    /// in the order of the ranks, whatever the order of the rounds.
    Row,
}

/// The places that are written in turn, at most: processors find 64 to 96 pages at once.
const STREAMS: usize = 64;

/// The bits of the number of an entry, where one round has all.
const BLOCK: u32 = u32::BITS - 1;

/// Where entries go: to a round, there to an owner, and if their numbers are not kept, there by
/// regions of the owner's rows.
///
/// By regions an owner looks at few pages at a time: with 32 of 8 MB an entry took 13 ns, in any
/// order 18 (Intel Emerald Rapids). Routing takes no longer for it, since a count is seldom raised
/// twice in a row. Entries of one row keep their order. Where numbers are kept too, twice as many
/// places are written, and what kernels won was lost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    by: By,
    /// Whether the numbers of the entries are kept.
    ordered: bool,
    ranks: usize,
    pub(crate) rounds: usize,
    /// The bits of the number of an entry in its block.
    block: u32,
    /// The blocks of a round.
    blocks: usize,
    /// The bits of the number of a row in its region.
    rows: u32,
    /// The bits of the number of a region in its round.
    regions: u32,
    /// The bits of the number of a region.
    all: u32,
}

impl Spread {
    /// For that many entries that lead to as many rows of each rank, in at least that many rounds,
    /// if there are as many numbers.
    pub(crate) fn new(
        (by, ordered): (By, bool),
        ranks: usize,
        (entries, rows): (usize, usize),
        rounds: usize,
    ) -> Spread {
        let (rounds, shift) = divide(if by == By::Entry { entries } else { rows }, rounds);
        let bits = |count: usize| usize::BITS.wrapping_sub(count.saturating_sub(1).leading_zeros());
        // Of rounds by entries, one is filled after the other.
        let (entries, rows, lists) = match by {
            By::Entry => (entries.min(1 << shift), bits(rows), ranks),
            By::Row => (entries, bits(rows).min(shift), ranks.saturating_mul(rounds)),
        };
        let regions = (STREAMS / lists.max(1)).checked_ilog2().unwrap_or(0).min(rows);
        // With few entries for each count, counting takes longer.
        let many = entries >= lists.saturating_mul(STREAMS << regions);
        let regions = if many && !ordered { regions } else { 0 };
        let block = if by == By::Entry { BLOCK.min(shift) } else { BLOCK };
        Spread {
            by,
            ordered,
            ranks,
            rounds,
            block,
            blocks: entries.div_ceil(1 << block),
            rows: rows.wrapping_sub(regions),
            regions,
            all: if by == By::Entry { regions } else { regions.wrapping_add(bits(rounds)) },
        }
    }

    /// The counts of a block: one for each region of each rank.
    fn width(&self) -> usize {
        self.ranks << self.all
    }

    /// The numbers of the counts of an owner in a round, in order.
    fn counts(&self, round: usize, owner: usize) -> impl Iterator<Item = usize> + use<> {
        let (block, region) = match self.by {
            By::Entry => (round.wrapping_mul(self.blocks), 0),
            By::Row => (0, round << self.regions),
        };
        let (width, regions) = (self.width(), 1 << self.regions);
        let first = (block.wrapping_mul(width)).wrapping_add((owner << self.all) | region);
        (0..self.blocks).flat_map(move |block| {
            let first = first.wrapping_add(block.wrapping_mul(width));
            first..first.wrapping_add(regions)
        })
    }
}

/// Divides `extent` into at least `rounds` rounds, if there are as many numbers: how many, and the
/// bits that numbers of one round may differ in.
fn divide(extent: usize, rounds: usize) -> (usize, u32) {
    let Some(last) = extent.checked_sub(1).filter(|_| rounds > 1) else {
        return (1, usize::BITS - 1);
    };
    let shift = extent.div_ceil(rounds).max(1).ilog2();
    ((last >> shift).wrapping_add(1), shift)
}

/// What is found of an entry that is left out: no block has as many counts.
const LEFT_OUT: [u32; 2] = [u32::MAX, 0];

/// The entries of a call by round and owner: those of round `k` for owner `o` are number
/// `k * ranks + o`, and lie in a range of the lists, as [`Spread`] says.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Routes {
    /// The entries; none if they are not needed.
    pub(crate) order: Vec<u32>,
    /// For each, the number of its row at its owner.
    pub(crate) ids: Vec<u32>,
    /// Where each range starts; and where the last one ends.
    pub(crate) starts: Vec<usize>,
    /// Of each entry the number of its count in its block, and of its row at its owner.
    found: Vec<[u32; 2]>,
}

impl Routes {
    /// Routes all entries.
    ///
    /// # Errors
    /// The first index that is out of bounds under [`Bounds::Error`].
    pub(crate) fn fill<I: Index>(
        &mut self,
        rule: Rule<'_>,
        shards: &Shards,
        indices: &[I],
        spread: &Spread,
    ) -> Result<(), strew::Error> {
        let axes = rule.sizes.len().max(1);
        let (entries, block, width) = (indices.len() / axes, 1 << spread.block, spread.width());
        let mut next = vec![0_usize; entries.div_ceil(block).saturating_mul(width)];
        // What the first look finds is kept for the second one.
        let found = room(&mut self.found, entries);
        let blocks = indices.chunks(axes.saturating_mul(block)).zip(found.chunks_mut(block));
        let (rows, all) = (spread.rows, spread.all);
        for ((indices, found), counts) in blocks.zip(next.chunks_exact_mut(width.max(1))) {
            rule.each(indices, found, |row| {
                let Some(row) = row else { return LEFT_OUT };
                let (owner, local) = shards.owner(row);
                let place = (owner << all) | (local >> rows);
                if let Some(count) = counts.get_mut(place) {
                    *count = count.wrapping_add(1);
                }
                [place as u32, local as u32]
            });
        }
        self.starts.clear();
        let mut end = 0_usize;
        for round in 0..spread.rounds {
            for owner in 0..spread.ranks {
                self.starts.push(end);
                for count in spread.counts(round, owner) {
                    if let Some(count) = next.get_mut(count) {
                        end = end.wrapping_add(std::mem::replace(count, end));
                    }
                }
            }
        }
        self.starts.push(end);
        if end < entries {
            rule.check(indices)?;
        }
        self.order.resize(if spread.ordered { end } else { 0 }, 0);
        self.ids.resize(end, 0);
        let (order, ids) = (self.order.as_mut_slice(), self.ids.as_mut_slice());
        let blocks = found.chunks(block).zip(next.chunks_exact_mut(width.max(1)));
        for (number, (found, next)) in blocks.enumerate() {
            for (entry, [place, local]) in (number << spread.block..).zip(found) {
                let Some(next) = next.get_mut(*place as usize) else { continue };
                let place = *next;
                *next = place.wrapping_add(1);
                if let Some(id) = ids.get_mut(place) {
                    *id = *local;
                }
                if let Some(order) = order.get_mut(place) {
                    *order = entry as u32;
                }
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
        spread: &Spread,
    ) -> Result<Routes, strew::Error> {
        let mut routes = Routes::default();
        routes.fill(rule, shards, indices, spread).map(|()| routes)
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
        let found = routes(rule, &shards, &indices, &Spread::new((By::Entry, true), 2, (7, 5), 2));
        let expected = Routes {
            order: vec![1, 0, 2, 5, 6],
            ids: vec![0, 2, 4, 1, 0],
            starts: vec![0, 1, 3, 4, 5],
            found: vec![[1, 2], [0, 0], [1, 4], LEFT_OUT, LEFT_OUT, [0, 1], [1, 0]],
        };
        assert_eq!(expected.ranges(1, 2), [3..4, 4..5]);
        assert_eq!(found, Ok(expected));
        let rule = Rule { bounds: Bounds::Error, ..rule };
        let one = Spread::new((By::Entry, true), 2, (7, 5), 1);
        let error = routes(rule, &shards, &indices, &one);
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
        let one = Spread::new((By::Row, true), 2, (2, 3), 1);
        let found = routes(rule, &shards, &[1_i8, 2, 0, -1], &one);
        let expected = Routes {
            order: vec![1, 0],
            ids: vec![1, 2],
            starts: vec![0, 1, 2],
            found: vec![[1, 2], [0, 1]],
        };
        assert_eq!(found, Ok(expected));
        let error = routes(rule, &shards, &[1_u64, 2, 0, 3], &one);
        let bad = strew::Error::IndexOutOfBounds { entry: 4, coordinate: 1, value: 3, size: 3 };
        assert_eq!(error, Err(bad));
    }

    #[test]
    fn rounds_of_powers_of_two() {
        assert_eq!(divide(0, 0), (1, 63));
        assert_eq!(divide(100, 1), (1, 63));
        assert_eq!(divide(100, 2), (4, 5));
        assert_eq!(divide(64, 2), (2, 5));
        assert_eq!(divide(3, 100), (3, 0));
    }

    /// Many entries are sorted as one sorts them by what [`Spread`] says.
    #[test]
    fn rounds_owners_and_regions() {
        let indices: Vec<_> = (0..150_000_u64).map(|n| (n * n * 7919) % 1000).collect();
        let rule = Rule {
            sizes: &[999],
            bounds: Bounds::Skip,
            negative: Negative::FromEnd,
            padding: None,
            first: 0,
        };
        let mut with_regions = 0;
        for (by, ranks, rounds) in [(By::Entry, true), (By::Row, true), (By::Row, false)]
            .into_iter()
            .flat_map(|by| [1, 2, 3, 40, 100].map(|ranks| (by, ranks)))
            .flat_map(|(by, ranks)| [1, 2, 5, 300].map(|rounds| (by, ranks, rounds)))
        {
            let (by, ordered) = by;
            let shards = Shards::new(999, ranks, Distribution::Cyclic);
            let spread = Spread::new((by, ordered), ranks, (indices.len(), shards.most()), rounds);
            let found = routes(rule, &shards, &indices, &spread).unwrap_or_default();
            let (rounds, shift) = match by {
                By::Entry => divide(indices.len(), rounds),
                By::Row => divide(shards.most(), rounds),
            };
            let mut expected: Vec<_> = (indices.iter().enumerate())
                .filter(|(_, index)| **index < 999)
                .map(|(entry, index)| {
                    let (owner, local) = shards.owner(*index as usize);
                    let round = if by == By::Entry { entry >> shift } else { local >> shift };
                    let region = if ordered { 0 } else { local >> spread.rows };
                    ((round, owner), region, entry, local)
                })
                .collect();
            expected.sort_unstable();
            assert_eq!(spread.rounds, rounds);
            let kept = expected.iter().filter(|_| ordered);
            let order: Vec<_> = kept.map(|(.., entry, _)| *entry as u32).collect();
            let ids: Vec<_> = expected.iter().map(|(.., local)| *local as u32).collect();
            assert!((order, ids) == (found.order, found.ids), "{spread:?}");
            let owners = (0..rounds).flat_map(|round| (0..ranks).map(move |owner| (round, owner)));
            let starts: Vec<_> = owners
                .map(|owner| expected.partition_point(|(other, ..)| *other < owner))
                .chain([expected.len()])
                .collect();
            assert_eq!(starts, found.starts);
            with_regions += usize::from(spread.regions > 0);
        }
        assert_eq!(with_regions, 9);
    }
}
