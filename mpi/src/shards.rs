//! Which rank owns a row, and where: arithmetic alone.

use std::ops::Range;

/// How the rows of a table are spread over the ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Distribution {
    /// Rank `r` of `p` owns the rows from `r * c` to before `(r + 1) * c`, or to the end, where `c`
    /// is the number of rows divided by `p`, rounded up.
    #[default]
    Block,
    /// Row `n` is row `n / p` of rank `n % p`. It evens out what is drawn to few neighbouring rows.
    Cyclic,
}

/// The rows of a table over `ranks` ranks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shards {
    rows: usize,
    ranks: usize,
    distribution: Distribution,
    /// Divides by the rows of a block, or by the number of ranks.
    divisor: Divisor,
}

impl Shards {
    pub(crate) fn new(rows: usize, ranks: usize, distribution: Distribution) -> Shards {
        let divisor = match distribution {
            Distribution::Block => rows.div_ceil(ranks.max(1)),
            Distribution::Cyclic => ranks,
        };
        Shards { rows, ranks, distribution, divisor: Divisor::new(divisor) }
    }

    /// The rank that owns a row, and the number of the row there.
    #[inline(always)]
    pub(crate) fn owner(&self, row: usize) -> (usize, usize) {
        let (quotient, remainder) = self.divisor.divide(row);
        match self.distribution {
            Distribution::Block => (quotient, remainder),
            Distribution::Cyclic => (remainder, quotient),
        }
    }

    /// The number of rows that a rank owns.
    pub(crate) fn owned(&self, rank: usize) -> usize {
        match self.distribution {
            Distribution::Block => {
                let block = self.divisor.by;
                self.rows.saturating_sub(rank.saturating_mul(block)).min(block)
            }
            Distribution::Cyclic => self.rows.saturating_sub(rank).div_ceil(self.ranks.max(1)),
        }
    }

    /// The row of the table that is row `local` of a rank.
    pub(crate) fn row(&self, rank: usize, local: usize) -> usize {
        match self.distribution {
            Distribution::Block => rank.saturating_mul(self.divisor.by).saturating_add(local),
            Distribution::Cyclic => local.saturating_mul(self.ranks).saturating_add(rank),
        }
    }

    /// The most rows that a rank owns.
    pub(crate) fn most(&self) -> usize {
        self.rows.div_ceil(self.ranks.max(1))
    }
}

/// Divides by multiplying, since a division takes longer than all else that is done for an entry.
#[derive(Clone, Copy, Debug)]
struct Divisor {
    by: usize,
    /// `(2^64 - 1) / by`, rounded down. So its product with a number, divided by 2^64, is more than
    /// the quotient less 1, and not more than the quotient.
    reciprocal: u64,
}

impl Divisor {
    /// Divides by this number, or by 1 if it is 0.
    fn new(by: usize) -> Divisor {
        let by = by.max(1);
        Divisor { by, reciprocal: u64::MAX / by as u64 }
    }

    /// Quotient and remainder.
    #[inline(always)]
    fn divide(&self, number: usize) -> (usize, usize) {
        let quotient = ((number as u128 * u128::from(self.reciprocal)) >> 64) as usize;
        let remainder = number.wrapping_sub(quotient.wrapping_mul(self.by));
        let more = usize::from(remainder >= self.by);
        (quotient.wrapping_add(more), remainder.wrapping_sub(more.wrapping_mul(self.by)))
    }
}

/// Where each of some parts of these lengths starts, one behind the other.
pub(crate) fn starts(lengths: &[usize]) -> Vec<usize> {
    let mut end = 0_usize;
    let place = |length: &usize| {
        let start = end;
        end = end.saturating_add(*length);
        start
    };
    lengths.iter().map(place).collect()
}

/// The parts of `lengths` that lie in `window`, where the first item of length `n` has the position
/// `starts[n]`: for each, the range of its items.
pub(crate) fn overlaps<'a>(
    starts: &'a [usize],
    lengths: &'a [usize],
    window: &'a Range<usize>,
) -> impl Iterator<Item = Range<usize>> + 'a {
    starts.iter().zip(lengths).map(|(start, length)| {
        let from = window.start.saturating_sub(*start).min(*length);
        let to = window.end.saturating_sub(*start).min(*length);
        from..to
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_one_place() {
        for distribution in [Distribution::Block, Distribution::Cyclic] {
            for ranks in 1..9 {
                for rows in 0..40 {
                    let shards = Shards::new(rows, ranks, distribution);
                    let owned: Vec<_> = (0..ranks).map(|rank| shards.owned(rank)).collect();
                    assert_eq!(owned.iter().sum::<usize>(), rows);
                    assert_eq!(owned.iter().max(), Some(&shards.most()));
                    for row in 0..rows {
                        let (rank, local) = shards.owner(row);
                        assert!(owned.get(rank).is_some_and(|owned| local < *owned));
                        assert_eq!(shards.row(rank, local), row);
                    }
                }
            }
        }
    }

    #[test]
    fn divides() {
        let edges = |n: usize| [n.wrapping_sub(1), n, n.wrapping_add(1)];
        for by in [1, 2, 3, 7, 1000, 1 << 31, (1 << 32) + 1, usize::MAX / 2, usize::MAX] {
            for factor in [0, 1, 2, 5, 1 << 20, usize::MAX / by] {
                for number in edges(by.wrapping_mul(factor)).into_iter().chain(edges(0)) {
                    assert_eq!(Divisor::new(by).divide(number), (number / by, number % by));
                }
            }
        }
    }

    #[test]
    fn overlaps_of_a_window() {
        let found = |window| overlaps(&[0, 3, 3], &[3, 0, 5], &window).collect::<Vec<_>>();
        assert_eq!(found(0..4), [0..3, 0..0, 0..1]);
        assert_eq!(found(4..8), [3..3, 0..0, 1..5]);
        assert_eq!(found(0..usize::MAX), [0..3, 0..0, 0..5]);
    }
}
