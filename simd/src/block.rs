//! A block of addresses: what the stage that resolves indices hands to the one that moves elements.

use crate::bytes::{STEP, STRIDE};
use crate::prefetch::{prefetch_all, prefetch_row, prefetch_segment};

/// The address of an entry that is left out. Tables have fewer than 2^31 elements.
pub const NOWHERE: u32 = u32::MAX;

/// Where the entries of some lanes lead, and where they lie in the flat tensor.
///
/// Entry `i` of lane `l` pairs `table[table + addresses[l * length + i]]` with
/// `flat[flat + l * lane_step + i * entry_step]`, or the rows that start there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Block<'a> {
    /// The addresses of all entries, lane by lane.
    pub addresses: &'a [u32],
    /// The number of entries of a lane, at least 1 if there are any.
    pub length: usize,
    /// The place in the table from which addresses count.
    pub table: usize,
    /// The place of the first entry in the flat tensor.
    pub flat: usize,
    /// The distance between lanes in the flat tensor, modulo 2^bits.
    pub lane_step: isize,
    /// The distance between the entries of a lane in the flat tensor, modulo 2^bits.
    pub entry_step: isize,
    /// The addresses that come next, for prefetches. They count from `table` as well.
    pub next: &'a [u32],
    /// The part of the table that comes next, for prefetches: its start, which counts from `table`,
    /// and its length.
    pub segment: (usize, usize),
    /// The indices that come next, for prefetches.
    pub indices: &'a [u8],
    /// The distance in the flat tensor from a lane to the one that is prefetched, 8 lanes on; 0:
    /// none. Who changes a step sets it again: see [`with_lanes_ahead`](Block::with_lanes_ahead).
    pub lane_ahead: isize,
}

/// The entries of a turn of the loop that combines elements, whose own instructions take as long as
/// one entry.
///
/// Record: against one by one on Zen 4, sums into 4,096 f32 0.67x; 1.0x where 50 or 85 % lead to
/// one place. One update for many entries: `Add` and `Max` of f32 0.72x and 0.52x; lanes of two or
/// three entries 1.04x at most.
pub(crate) const TURN: usize = 4;

/// Turns at the start of a block that say whether its entries lead to runs of one place.
///
/// Record: what is kept in a register then, against a store and a load for each entry, on Zen 4:
/// sums of f32 and maxima of f64 that lead to one place 0.29x (sums of i64 0.75x), in runs of 16 on
/// average 0.6x (0.74x), in runs of 8 1.0x (1.2x), 90 % of them to one place 0.56x (0.84x). Runs of
/// 4 would take 1.6x: of their turns a quarter does not change the place.
const LOOKED_AT: usize = 16;

/// Entries of a lane with gaps around it: of fewer, lanes go in one loop.
const SHORT: usize = 4 * TURN;

/// Lanes between the one that moves and the one that is prefetched, where they do not follow each
/// other.
const LANES_AHEAD: isize = 8;

impl<'a> Block<'a> {
    /// The lanes, each as its place in the flat tensor and its addresses. Lanes that follow each
    /// other in the flat tensor are one.
    #[inline(always)]
    pub fn lanes(&self) -> impl Iterator<Item = (usize, &'a [u32])> {
        let (flat, step) = (self.flat, self.lane_step as usize);
        let length = if self.lanes_follow() { self.addresses.len() } else { self.length };
        let lanes = self.addresses.chunks(length.max(1)).enumerate();
        lanes.map(move |(lane, addresses)| (flat.wrapping_add(lane.wrapping_mul(step)), addresses))
    }

    /// The same block, whose lanes are prefetched in the flat tensor some lanes ahead if they start
    /// more than `apart` elements from each other: the hardware does not see which comes next.
    #[must_use]
    #[inline(never)]
    pub fn with_lanes_ahead(self, apart: usize) -> Block<'a> {
        let far = self.lane_step.unsigned_abs() > apart && self.length < self.addresses.len();
        let ahead = if far && self.is_packed(1) && !self.lanes_follow() { LANES_AHEAD } else { 0 };
        Block { lane_ahead: self.lane_step.wrapping_mul(ahead), ..self }
    }

    /// Prefetches what the lane ahead of the one that starts here reads or writes.
    #[inline(always)]
    pub(crate) fn prefetch_lane<T>(&self, flat: &[T], start: usize) {
        if self.lane_ahead != 0 {
            self.prefetch_lane_ahead(flat, start);
        }
    }

    #[inline(never)]
    fn prefetch_lane_ahead<T>(&self, flat: &[T], start: usize) {
        prefetch_row(flat, start.wrapping_add_signed(self.lane_ahead), self.length);
    }

    /// Whether something holds for all that the entries read of a flat tensor. `false` if some lie
    /// outside, or neither side by side nor in one place for a lane of some entries.
    #[inline]
    pub fn all<T>(&self, flat: &[T], holds: impl Fn(&T) -> bool) -> bool {
        let packed = self.is_packed(1);
        (packed || (self.entry_step == 0 && (self.length >= TURN || self.lanes_follow())))
            && self.lanes().all(|(start, addresses)| {
                let end = start.wrapping_add(if packed { addresses.len() } else { 1 });
                flat.get(start..end)
                    .is_some_and(|run| run.iter().fold(true, |all, element| all & holds(element)))
            })
    }

    /// Whether the entries of each of the [lanes](Block::lanes) lie `n` elements apart.
    #[inline(always)]
    pub(crate) fn is_packed(&self, n: usize) -> bool {
        self.entry_step == n as isize || (self.length <= 1 && !self.lanes_follow())
    }

    /// Whether single elements are combined in turns: their updates are one for a lane, or lie side
    /// by side. Short lanes with gaps between them start too many loops, so all of them go in one,
    /// unless lanes are prefetched, which that does not do.
    ///
    /// Record: lanes of f32 and f64 with gaps on Zen 5, added, set and `Max`: of 2 entries 0.3x to
    /// 0.7x, of 5 0.45x to 0.8x, of 9 0.55x to 1.0x, of 14 0.7x to 0.9x (all to one place 1.3x).
    #[inline(always)]
    pub(crate) fn goes_in_turns(&self) -> bool {
        let long = self.length >= SHORT || self.lanes_follow() || self.lane_ahead != 0;
        self.is_packed(1) && long || self.entry_step == 0
    }

    /// Whether at least half of the first turns of some addresses lead where the last entry before
    /// each of them does.
    #[inline(never)]
    #[must_use]
    pub fn has_runs(addresses: &[u32]) -> bool {
        let (turns, _) = addresses.as_chunks::<TURN>();
        let pairs = turns.iter().zip(turns.iter().skip(1)).take(LOOKED_AT - 1);
        let same = |([.., last], next): (&[u32; TURN], &[u32; TURN])| *next == [*last; TURN];
        pairs.map(same).map(usize::from).sum::<usize>() * 2 >= LOOKED_AT
    }

    /// Whether all entries, of `n` elements each, lie one after the other.
    pub fn is_run(&self, n: usize) -> bool {
        let one_lane = self.addresses.len() <= self.length;
        match self.addresses.len() {
            0 | 1 => true,
            _ => self.entry_step == n as isize && (one_lane || self.lanes_follow()),
        }
    }

    /// Whether the first entry of a lane lies a step after the last one of the lane before.
    #[inline(always)]
    pub fn lanes_follow(&self) -> bool {
        self.lane_step as usize == self.length.wrapping_mul(self.entry_step as usize)
    }

    /// The addresses from this one on, at most a step of them: of this block, or of the next.
    #[inline(always)]
    pub(crate) fn step_from(&self, at: usize) -> &'a [u32] {
        let rest = match at.checked_sub(self.addresses.len()) {
            Some(at) => self.next.get(at..),
            None => self.addresses.get(at..),
        };
        let rest = rest.unwrap_or_default();
        rest.get(..STEP).unwrap_or(rest)
    }

    /// The addresses that follow the first `distance` ones, those of the next block last; none for
    /// a distance of 0.
    #[inline(always)]
    pub(crate) fn ahead(&self, distance: usize) -> impl Iterator<Item = u32> {
        let (own, next) = match self.addresses.get(distance..) {
            Some(own) if distance > 0 => (own, self.next),
            _ => (&[][..], &[][..]),
        };
        own.iter().chain(next).copied()
    }
}

/// Entries by their places, one by one.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    /// The place of each in the table.
    pub places: &'a [u32],
    /// The place of each in the flat tensor.
    pub flats: &'a [u32],
    /// The number of entries between the one that moves and the one that is prefetched; 0: none.
    pub distance: usize,
}

/// What is prefetched while a block moves, some entries at a time.
#[derive(Clone, Copy)]
pub(crate) struct Ahead<'a> {
    block: &'a Block<'a>,
    distance: usize,
    /// The entries between prefetches.
    step: usize,
    /// The elements of the segment that belong to a step.
    segment: usize,
    /// The bytes of the indices that belong to a step.
    indices: usize,
    /// The entry at which prefetches are made next, and the number of the step.
    due: usize,
    number: usize,
}

impl<'a> Ahead<'a> {
    #[inline(always)]
    pub(crate) fn of(block: &'a Block<'a>, distance: usize) -> Ahead<'a> {
        // Elements are due in small steps, between which others arrive.
        let step = if distance > 0 { STEP } else { STRIDE };
        // A division takes longer than a short block.
        let part = |all: usize| match all {
            0 => 0,
            all => all.div_ceil(block.addresses.len().div_ceil(step).max(1)),
        };
        let (segment, indices) = (part(block.segment.1), part(block.indices.len()));
        let none = distance == 0 && segment == 0 && indices == 0;
        let (step, due) = if none { (usize::MAX, usize::MAX) } else { (step, 0) };
        Ahead { block, distance, step, segment, indices, due, number: 0 }
    }

    /// The entries between prefetches; `usize::MAX` if there are none.
    #[inline(always)]
    pub(crate) fn step(&self) -> usize {
        self.step
    }

    /// Prefetches while the entries from this one on move, once a step: elements, a part of the
    /// segment, and of the indices.
    ///
    /// Scattered accesses hide the stream of indices from the hardware prefetcher. (`reduce`,
    /// histograms of 64K bins: 0.67x on Zen 4.)
    #[inline(always)]
    pub(crate) fn prefetch<T>(&mut self, table: &[T], at: usize) {
        if at < self.due {
            return;
        }
        if self.distance > 0 {
            prefetch_all(table, self.block.step_from(at.saturating_add(self.distance)));
        }
        if self.segment > 0 {
            let start = self.number.wrapping_mul(self.segment);
            prefetch_segment(table, self.block.segment.0.wrapping_add(start), self.segment);
        }
        if self.indices > 0 {
            let start = self.number.wrapping_mul(self.indices);
            prefetch_segment(self.block.indices, start, self.indices);
        }
        self.due = at.wrapping_add(self.step);
        self.number = self.number.wrapping_add(1);
    }
}
