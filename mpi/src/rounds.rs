//! The rounds of a call: what all ranks have agreed on before anything moves.

use std::ops::Range;

use strew::Index;

use crate::error::{self, Error, WORDS};
use crate::exchange::Ranks;
use crate::route::{By, Routes, Rule, Spread};
use crate::shards::{Shards, overlaps, starts};

/// Which entries of all ranks go where in which round.
pub(crate) struct Rounds {
    pub(crate) routes: Routes,
    /// How many entries each rank sends to this one: those of rank `r` in round `k` are number
    /// `k * ranks + r`.
    incoming: Vec<usize>,
    /// The entries that some rank sends or receives in a round, at most.
    peaks: Vec<usize>,
    /// The entries that a rank should send in a round, at most.
    most: usize,
}

/// A message to each rank, and one from each.
pub(crate) struct Part {
    /// The entries that go to each rank, in the lists of the routes.
    pub(crate) ranges: Vec<Range<usize>>,
    /// The number of those that go to each.
    pub(crate) sent: Vec<usize>,
    /// The number of those that come from each.
    pub(crate) received: Vec<usize>,
    /// The number of this rank.
    own: usize,
}

impl Rounds {
    /// Routes this rank's entries, and agrees with the others on rounds of about `most` entries of
    /// each rank, or on an error. The memory of `routes` is used again, and gets the order
    /// of the entries if it is `ordered`. `slices` is what is wrong and is reported before indices
    /// are looked at, and `later` after them.
    pub(crate) fn new<I: Index>(
        mut routes: Routes,
        (ranks, shards): (&Ranks, &Shards),
        rule: Rule<'_>,
        indices: &[I],
        (by, ordered, most): (By, bool, usize),
        (slices, later): (Option<strew::Error>, Option<strew::Error>),
    ) -> Result<Rounds, Error> {
        let entries = indices.len() / rule.sizes.len().max(1);
        // Of `most` it is the least that counts.
        let agreed = ranks.most(&[entries as u64, !(most as u64)]);
        let &[entries, least] = agreed.as_slice() else { return Err(Error::Differs) };
        let [entries, most] = [entries, !least].map(|number| number as usize);
        if entries > u32::MAX as usize {
            return Err(Error::TooManyEntries { expected: u32::MAX as usize, found: entries });
        }
        let rounds = entries.div_ceil(most.max(1));
        let spread = Spread::new((by, ordered), ranks.count, (entries, shards.most()), rounds);
        let rounds = spread.rounds;
        let mut fill = || routes.fill(rule, shards, indices, &spread);
        let routed = match slices {
            Some(error) => Err(error),
            None => ranks.clock.time(|spent| &mut spent.routing, &mut fill),
        };
        let error = routed.and_then(|()| later.map_or(Ok(()), Err)).err();
        if error.is_some() {
            routes.clear(ranks.count, rounds);
        }
        let outgoing = |round: usize| routes.ranges(round, ranks.count);
        let mut words =
            Vec::with_capacity(rounds.saturating_add(WORDS).saturating_mul(ranks.count));
        let lengths: Vec<_> = (0..rounds).map(outgoing).collect();
        for rank in 0..ranks.count {
            words.extend(error::to_words(error));
            let to_rank = lengths.iter().map(|ranges| ranges.get(rank).map_or(0, Range::len));
            words.extend(to_rank.map(|length| length as u64));
        }
        let words = ranks.swap_even(&words);
        let mut incoming = vec![0; rounds.saturating_mul(ranks.count)];
        for (rank, words) in words.chunks_exact(rounds.saturating_add(WORDS)).enumerate() {
            let Some((error, counts)) = words.split_first_chunk::<WORDS>() else { continue };
            if let Some(error) = error::from_words(*error) {
                return Err(Error::Rank { rank, error });
            }
            for (place, count) in incoming.iter_mut().skip(rank).step_by(ranks.count).zip(counts) {
                *place = *count as usize;
            }
        }
        let received = incoming.chunks_exact(ranks.count.max(1)).map(|counts| counts.iter().sum());
        let sent = lengths.iter().map(|ranges| ranges.iter().map(Range::len).sum());
        let peaks: Vec<u64> =
            received.zip(sent).map(|(a, b): (usize, usize)| a.max(b) as u64).collect();
        let peaks = ranks.most(&peaks).into_iter().map(|peak| peak as usize).collect();
        Ok(Rounds { routes, incoming, peaks, most })
    }

    /// How many rounds there are.
    pub(crate) fn count(&self) -> usize {
        self.peaks.len()
    }

    /// The messages of a round: one to each rank, if they are not too many entries at once.
    ///
    /// If they are, because many entries lead to few rows, the entries for an owner have positions,
    /// in the order of the ranks and of the entries of each, and each part has those in a window of
    /// positions: so the order stays.
    pub(crate) fn parts(&self, ranks: &Ranks, round: usize) -> Vec<Part> {
        let ranges = self.routes.ranges(round, ranks.count);
        let sent: Vec<_> = ranges.iter().map(Range::len).collect();
        let received = self.incoming.iter().skip(round.wrapping_mul(ranks.count));
        let received: Vec<_> = received.take(ranks.count).copied().collect();
        let peak = self.peaks.get(round).copied().unwrap_or(0);
        if peak <= self.most.saturating_mul(2) {
            let nothing = peak == 0;
            let part = Part { ranges, sent, received, own: ranks.rank };
            return (!nothing).then_some(part).into_iter().collect();
        }
        let lengths: Vec<_> = sent.iter().map(|length| *length as u64).collect();
        let first: Vec<_> = ranks.before(&lengths).into_iter().map(|sum| sum as usize).collect();
        let first_in = starts(&received);
        let width = (self.most / ranks.count.max(1)).max(1);
        (0..peak.div_ceil(width))
            .map(|window| {
                let start = window.saturating_mul(width);
                let window = start..start.saturating_add(width);
                let here = overlaps(&first, &sent, &window);
                let ranges: Vec<_> = (here.zip(&ranges))
                    .map(|(part, all)| {
                        all.start.wrapping_add(part.start)..all.start.wrapping_add(part.end)
                    })
                    .collect();
                let sent = ranges.iter().map(Range::len).collect();
                let received = overlaps(&first_in, &received, &window).map(|part| part.len());
                Part { sent, received: received.collect(), ranges, own: ranks.rank }
            })
            .collect()
    }
}

impl Part {
    /// Where the entries that stay on this rank are among those that are sent.
    pub(crate) fn kept(&self) -> Range<usize> {
        range(&self.sent, self.own)
    }

    /// Where they are among those that are received.
    pub(crate) fn kept_in(&self) -> Range<usize> {
        range(&self.received, self.own)
    }

    /// What is received from the other ranks.
    pub(crate) fn received_from_others(&self) -> Vec<usize> {
        let mut received = self.received.clone();
        received.get_mut(self.own).into_iter().for_each(|own| *own = 0);
        received
    }

    /// The items of a list for all ranks, one after the other.
    pub(crate) fn pick<'a>(&self, list: &'a [u32]) -> std::borrow::Cow<'a, [u32]> {
        let neighbours = self.ranges.iter().zip(self.ranges.iter().skip(1));
        let one_range = neighbours.fold(true, |all, (a, b)| all & (a.end == b.start));
        if let (true, Some(first), Some(last)) =
            (one_range, self.ranges.first(), self.ranges.last())
        {
            return list.get(first.start..last.end).unwrap_or_default().into();
        }
        let parts = self.ranges.iter().filter_map(|range| list.get(range.clone()));
        parts.flatten().copied().collect::<Vec<_>>().into()
    }
}

/// Where part `number` of some parts of these lengths is, one behind the other.
fn range(lengths: &[usize], number: usize) -> Range<usize> {
    let start =
        lengths.iter().take(number).fold(0_usize, |sum, length| sum.saturating_add(*length));
    start..start.saturating_add(lengths.get(number).copied().unwrap_or(0))
}
