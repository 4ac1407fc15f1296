//! Traverse: the walk over a plan in blocks of addresses. Not generic: it knows neither the type of
//! the indices nor that of the elements.

use core::mem::{swap, take};

use strew_simd::{Axes, Axis, Block, NOWHERE, Path, Tuples, shift};

use crate::engine::movers::{Job, Mover, Way};
use crate::engine::resolver::{Resolver, one_by_one, outside, reach, set_axes};
use crate::engine::route::Order;
use crate::engine::transform::{bundle, is_row_of_one, steps_follow};
use crate::engine::tuning;
use crate::index::Bounds;
use crate::layout::MAX_RANK;
use crate::plan::{Dim, Plan};
use crate::walk::{Odometer, Position, SINGLE, split_lane};

/// What fills a block: some lanes of a plan, some groups, or a part of one lane.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub at: Position,
    /// The number of the first lane: of all lanes, where blocks have [groups](Plan::has_groups),
    /// else of those along the dimension before the lane.
    row: usize,
    lanes: usize,
    pub length: usize,
    /// The number of the first entry in its lane.
    column: usize,
}

impl Span {
    pub(super) fn count(&self) -> usize {
        self.lanes * self.length
    }

    /// The same span of the plan's [cells](Plan::cells).
    pub(super) fn of_cells(self) -> Span {
        Span { at: Position { table: self.at.cell, ..self.at }, ..self }
    }
}

/// The last two outer dimensions, and those before them.
#[derive(Clone, Copy)]
pub(super) struct Lanes<'a> {
    /// All outer dimensions but the lane.
    others: &'a [Dim],
    rest: &'a [Dim],
    pub upper: &'a Dim,
    pub lane: &'a Dim,
    /// See [`Plan::has_groups`].
    grouped: bool,
}

impl<'a> Lanes<'a> {
    #[inline]
    pub(super) fn of(plan: &'a Plan) -> Lanes<'a> {
        let (lane, others) = split_lane(plan.outer());
        let (upper, rest) = split_lane(others);
        Lanes { others, rest, upper, lane, grouped: plan.has_groups() }
    }

    /// How many lanes the last of the dimensions before the lane have together, and how many
    /// dimensions these are: as many as have no more than `lanes` lanes, and never the first one.
    #[inline(never)]
    fn unit(&self, lanes: usize) -> (usize, usize) {
        let (mut unit, mut whole) = (1_usize, 0);
        for dim in self.others.iter().skip(1).rev() {
            let longer = unit.saturating_mul(dim.size);
            if longer > lanes {
                break;
            }
            (unit, whole) = (longer, whole + 1);
        }
        (unit, whole)
    }

    /// The entries of a group.
    fn group(self) -> usize {
        self.upper.size.saturating_mul(self.lane.size)
    }

    /// Whether this number of lanes is more than one group, and not all lanes start a step apart.
    fn are_apart(self, lanes: usize, step: fn(&Dim) -> isize) -> bool {
        self.grouped && lanes > self.upper.size && !steps_follow(self.others, step)
    }

    /// The same lanes. A span of them has one group at most, unless lanes start a step apart in the
    /// flat tensor.
    pub(super) fn that_follow(self) -> Lanes<'a> {
        Lanes { grouped: self.grouped && steps_follow(self.others, |dim| dim.flat), ..self }
    }

    /// The entries of a [bundle], and the distance from one to the next. A span has whole bundles
    /// if its capacity has room for one: see [`unit`](Lanes::unit).
    #[inline(never)]
    fn bundle(&self, step: fn(&Dim) -> isize) -> Option<(usize, isize)> {
        let (rest, entries) = bundle(self.others, self.lane, step);
        Some((entries, rest.last().map(step)?))
    }

    /// The position of an entry of a bundle or a lane by its number, from that of the first one.
    #[inline(never)]
    fn member(&self, first: Position, entry: usize) -> Position {
        let length = self.lane.size.max(1);
        self.position(first, entry / length).moved(self.lane, entry % length)
    }

    /// The positions of the groups of a span, in order, and of all groups after it.
    fn groups(&self, span: &Span) -> impl Iterator<Item = Position> {
        let mut odometer = Odometer::after(span.row.checked_div(self.upper.size).unwrap_or(0));
        core::iter::successors(Some(span.at), move |at| {
            let mut at = *at;
            step(self.rest, &mut odometer, &mut at).then_some(at)
        })
    }

    /// The position of a lane by its number, from that of the first one.
    #[inline(never)]
    fn position(&self, first: Position, mut lane: usize) -> Position {
        self.others.iter().rev().fold(first, |at, dim| {
            let steps = lane.checked_rem(dim.size).unwrap_or(0);
            lane = lane.checked_div(dim.size).unwrap_or(0);
            at.moved(dim, steps)
        })
    }

    /// All entries of a plan, in order, some lanes at a time, of at most `capacity` entries each.
    pub(super) fn spans(self, plan: &Plan, capacity: usize) -> Spans<'a> {
        let (first, odometer) = (Position::first(plan), Odometer::new());
        let lanes = Lanes { grouped: self.grouped && self.group() <= capacity, ..self };
        Spans { lanes, capacity, first, at: first, odometer, row: 0, column: 0, done: plan.empty }
    }
}

pub(super) struct Spans<'a> {
    pub lanes: Lanes<'a>,
    capacity: usize,
    first: Position,
    at: Position,
    odometer: Odometer,
    row: usize,
    column: usize,
    done: bool,
}

impl Iterator for Spans<'_> {
    type Item = Span;

    #[inline(never)]
    fn next(&mut self) -> Option<Span> {
        if self.done {
            return None;
        }
        let Lanes { others, upper, lane, grouped, .. } = self.lanes;
        if grouped {
            let all = others.iter().fold(1_usize, |all, dim| all.saturating_mul(dim.size));
            let fit = self.capacity / lane.size;
            let fit = fit - fit % self.lanes.unit(fit).0;
            let (row, lanes) = (self.row, fit.min(all - self.row));
            let at = self.lanes.position(self.first, row);
            self.row += lanes;
            self.done = self.row >= all;
            return Some(Span { at, row, lanes, length: lane.size, column: 0 });
        }
        let (row, column) = (self.row, self.column);
        let length = (lane.size - column).min(self.capacity);
        let fit = self.capacity.checked_div(length).unwrap_or(1);
        // Of a lane that does not fit, one part at a time.
        let lanes = if length == lane.size { fit.min(upper.size - row) } else { 1 };
        let at = self.at.moved(upper, row).moved(lane, column);
        self.done = !self.advance(lanes, length);
        Some(Span { at, row, lanes, length, column })
    }
}

impl Spans<'_> {
    /// Goes on after some lanes, of which `length` entries have been walked. `false`: that was all.
    #[inline]
    fn advance(&mut self, lanes: usize, length: usize) -> bool {
        let Lanes { rest, upper, lane, .. } = self.lanes;
        self.column += length;
        if self.column < lane.size {
            return true;
        }
        self.column = 0;
        self.row += lanes;
        if self.row < upper.size {
            return true;
        }
        self.row = 0;
        !rest.is_empty() && step(rest, &mut self.odometer, &mut self.at)
    }
}

impl Position {
    /// The position some steps of a dimension further on.
    #[inline]
    fn moved(self, dim: &Dim, steps: usize) -> Position {
        let go = |at: usize, step: isize| at.wrapping_add(steps.wrapping_mul(step as usize));
        Position {
            table: go(self.table, dim.table),
            indices: go(self.indices, dim.indices),
            flat: go(self.flat, dim.flat),
            cell: go(self.cell, dim.cell as isize),
            entry: self.entry,
        }
    }
}

pub(super) const AXES: [Axis; MAX_RANK] = [Axis { size: 0, from_end: 0, stride: 0 }; MAX_RANK];

/// Resolves spans of one plan.
pub(super) struct Filler<'a> {
    plan: &'a Plan,
    axes: Axes<'a>,
    /// The place in the table from which addresses count, before the outer dimensions are added.
    base: usize,
    path: Path,
    resolver: &'a dyn Resolver,
    lanes: Lanes<'a>,
}

impl<'a> Filler<'a> {
    #[inline(always)]
    pub(super) fn of(
        plan: &'a Plan,
        axes: &'a mut [Axis; MAX_RANK],
        path: Path,
        resolver: &'a dyn Resolver,
    ) -> Filler<'a> {
        let first = set_axes(plan, axes);
        let all = axes.get(..plan.tuple).unwrap_or_default();
        let (step, outside) = (plan.tuple_stride, outside(plan.bounds));
        let axes = Axes { all, step, first: first as u32, outside };
        let base = plan.start.table.wrapping_sub(first);
        Filler { plan, axes, base, path, resolver, lanes: Lanes::of(plan) }
    }

    /// All entries of a plan that [is one block](Plan::is_one_block).
    #[inline(always)]
    pub(super) fn one_span(&self) -> Span {
        let Lanes { upper, lane, .. } = self.lanes;
        let at = Position::first(self.plan);
        Span { at, row: 0, lanes: upper.size, length: lane.size, column: 0 }
    }

    /// Sets the addresses of a span, but for what lanes and entries add to them. `false`: an index
    /// is out of bounds under `Bounds::Error`.
    #[inline(never)]
    fn fill(&self, span: &Span, to: &mut [u32]) -> bool {
        if self.lanes.are_apart(span.lanes, |dim| dim.indices) {
            return self.fill_groups(span, to);
        }
        let (start, step, length) = (span.at.indices, self.lanes.lane.indices, span.length);
        let lane_step = self.lanes.upper.indices;
        let transposed = lane_step != 0 && lane_step.unsigned_abs() < step.unsigned_abs();
        let transposed = transposed && (2..=tuning::SHORT_LANE).contains(&length);
        match () {
            () if span.lanes == 1 && step != 0 => self.fill_run(start, step, length, 0, to),
            () if step == 0 && length > 1 => {
                let lanes = to.len() / length;
                self.fill_run(start, lane_step, lanes, 0, to) && spread(to, length)
            }
            () if transposed && span.lanes >= tuning::SHORT => {
                self.fill_across(span, length, 1, lane_step, to)
            }
            () if lane_step == 0 => self.fill_run(start, step, length, 0, to) && repeat(to, length),
            () => self.fill_run(start, step, length, lane_step, to),
        }
    }

    /// Sets the addresses of lanes that start `lane_step` apart; if that is 0, those of the first
    /// lane alone.
    #[inline(never)]
    fn fill_run(
        &self,
        start: usize,
        step: isize,
        length: usize,
        lane_step: isize,
        mut to: &mut [u32],
    ) -> bool {
        if lane_step == 0 {
            to = to.get_mut(..length).unwrap_or_default();
        }
        if to.len() == length || lane_step as usize == length.wrapping_mul(step as usize) {
            let length = to.len();
            return self.run(&Tuples { start, step, length, lane_step, next: 0 }, to);
        }
        let next = lane_step.wrapping_mul(tuning::LANES_AHEAD);
        self.run(&Tuples { start, step, length, lane_step, next }, to)
    }

    /// [`fill`](Filler::fill) for several groups whose lanes do not all start a step apart in the
    /// indices. Where all groups have the same indices, the first one is resolved, and copied. Else
    /// the same entry of all bundles is resolved, and then the next one, if groups and bundles are
    /// short; else one group after the other.
    #[inline(never)]
    fn fill_groups(&self, span: &Span, to: &mut [u32]) -> bool {
        let (lanes, size, upper) = (self.lanes, self.lanes.group(), self.lanes.upper);
        let one = Span { lanes: upper.size, ..*span };
        match lanes.bundle(|dim| dim.indices) {
            Some((bundle, 0)) if bundle == size => {
                self.fill(&one, to.get_mut(..size).unwrap_or_default()) && repeat(to, size)
            }
            Some((bundle, pitch))
                if size <= tuning::SHORT_GROUP && bundle <= tuning::SHORT_BUNDLE.min(to.len()) =>
            {
                let copies = if upper.indices == 0 && bundle == size { upper.size } else { 1 };
                self.fill_across(span, bundle, copies, pitch, to)
            }
            _ => {
                let mut groups = to.chunks_mut(size).zip(lanes.groups(span));
                groups.all(|(to, at)| self.fill(&Span { at, ..one }, to))
            }
        }
    }

    /// [`fill`](Filler::fill) in turns: each takes the same entry of all bundles, or of all lanes.
    /// These have `size` entries, 2 or more, and lie `step` apart. Each of them has `copies` parts
    /// with the same indices, of which one is resolved.
    #[inline(never)]
    fn fill_across(
        &self,
        span: &Span,
        size: usize,
        copies: usize,
        step: isize,
        to: &mut [u32],
    ) -> bool {
        let mut all = [0; tuning::BLOCK / 2];
        let all = all.get_mut(..to.len() / size).unwrap_or_default();
        debug_assert!(!all.is_empty(), "a span has whole bundles, and no more than there is room");
        (0..size / copies).all(|entry| {
            let start = self.lanes.member(span.at, entry).indices;
            let inside = self.fill_run(start, step, all.len(), 0, all);
            for first in (entry..size).step_by(size / copies) {
                let mut at = first;
                for address in &*all {
                    to.get_mut(at).into_iter().for_each(|to| *to = *address);
                    at += size;
                }
            }
            inside
        })
    }

    /// [`fill`](Filler::fill) with what lanes and entries add: addresses count from `origin`.
    #[inline]
    pub(super) fn fill_from(&self, span: &Span, origin: usize, to: &mut [u32]) -> bool {
        let inside = self.fill(span, to);
        if inside {
            self.shift(span, self.base(span).wrapping_sub(origin), to);
        }
        inside
    }

    #[inline]
    fn run(&self, tuples: &Tuples, to: &mut [u32]) -> bool {
        let by_one = |to: &mut [u32]| one_by_one(self.plan, self.resolver, tuples, &self.axes, to);
        if self.plan.ring > 1 {
            to.fill(NOWHERE);
            return by_one(to) || !matches!(self.plan.bounds, Bounds::Error);
        }
        if self.resolver.resolve(self.path, tuples, &self.axes, to) {
            return true;
        }
        if matches!(self.plan.bounds, Bounds::Wrap) {
            by_one(to);
        }
        !matches!(self.plan.bounds, Bounds::Error)
    }

    /// The indices that come after those of a span, if they follow each other and are to be
    /// prefetched.
    #[inline(never)]
    fn bytes(&self, span: &Span) -> &[u8] {
        let tuple = self.plan.tuple;
        let follow = self.lanes.upper.indices as usize == span.length.wrapping_mul(tuple);
        if self.lanes.lane.indices as usize != tuple || !(span.lanes == 1 || follow) {
            return &[];
        }
        let (entries, count) = (span.lanes * span.length, span.lanes * span.length * tuple);
        let (all, width) = self.resolver.bytes();
        let start = span.at.indices.wrapping_add(count).saturating_mul(width);
        let rest = all.get(start..).unwrap_or_default();
        let bytes = rest.get(..count.saturating_mul(width)).unwrap_or(rest);
        if bytes.len() > entries * tuning::PREFETCHED_TUPLE { &[] } else { bytes }
    }

    /// Resolves a span, unless its addresses are those of the one before, from another place on.
    /// That is so if all lanes have the same indices, and no step in the table is below 0. The
    /// place in the table from which the addresses count. `None`: an index is out of bounds.
    #[inline(never)]
    fn next(&self, span: &Span, before: Option<Span>, to: &mut [u32]) -> Option<usize> {
        let rises = !self.lanes.grouped
            && self.lanes.upper.indices == 0
            && self.lanes.upper.table >= 0
            && self.lanes.lane.table >= 0;
        // Where all lanes have the same indices, this says which ones a span has.
        let indices_of = |span: Span| (span.at.indices, span.lanes, span.length);
        if rises && before.map(indices_of) == Some(indices_of(*span)) {
            return Some(self.base(span));
        }
        if !self.fill(span, to) {
            return None;
        }
        if rises {
            self.shift(span, 0, to);
            return Some(self.base(span));
        }
        Some(self.place(span, to))
    }

    /// Adds what lanes and entries add. The place in the table from which addresses then count.
    #[inline(never)]
    fn place(&self, span: &Span, to: &mut [u32]) -> usize {
        let base = self.base(span);
        if !self.moves(span) {
            return base;
        }
        self.shift(span, base, to);
        0
    }

    /// Whether lanes or entries of a span add something.
    fn moves(&self, span: &Span) -> bool {
        let lanes = self.lanes.grouped || self.lanes.upper.table != 0;
        self.lanes.lane.table != 0 || (span.lanes > 1 && lanes)
    }

    fn base(&self, span: &Span) -> usize {
        let start = self.plan.start.table;
        span.at.table.wrapping_sub(start).wrapping_add(self.base)
    }

    #[inline(never)]
    fn shift(&self, span: &Span, first: usize, to: &mut [u32]) {
        if span.lanes > 1 && self.lanes.grouped {
            return self.shift_each(span, first, to);
        }
        if first == 0 && !self.moves(span) {
            return;
        }
        let (lane, entry) = (self.lanes.upper.table as u32, self.lanes.lane.table as u32);
        shift(self.path, to, first as u32, &[(span.length, entry), (span.lanes, lane)]);
    }

    /// [`shift`](Filler::shift) for lanes that step in more than one dimension. A span has all
    /// steps of the last dimensions, and some steps of the one before them.
    fn shift_each(&self, span: &Span, first: usize, to: &mut [u32]) {
        let Lanes { others, lane, .. } = self.lanes;
        let (unit, whole) = self.lanes.unit(span.lanes);
        let (others, inner) = others.split_at_checked(others.len() - whole).unwrap_or_default();
        let (upper, _) = split_lane(others);
        let mut steps = [(0, 0); MAX_RANK];
        for (to, dim) in
            steps.iter_mut().zip([lane].into_iter().chain(inner.iter().rev()).chain([upper]))
        {
            *to = (dim.size, dim.table as u32);
        }
        let Some(steps) = steps.get(..whole + 2) else { return };
        // From the lane that the span starts with: its position may count from elsewhere.
        let moved = |lane| self.lanes.position(Position::default(), lane).table;
        let (from, mut number, mut rest) = (moved(span.row), span.row / unit, to);
        while !rest.is_empty() {
            let left = upper.size - number.checked_rem(upper.size).unwrap_or(0);
            let count = (left * unit * span.length).min(rest.len());
            let Some((now, after)) = take(&mut rest).split_at_mut_checked(count) else { return };
            let add = first.wrapping_add(moved(number * unit)).wrapping_sub(from);
            shift(self.path, now, add as u32, steps);
            (number, rest) = (number + left, after);
        }
    }
}

/// [`Odometer::step`], compiled once.
#[inline(never)]
fn step(others: &[Dim], odometer: &mut Odometer, at: &mut Position) -> bool {
    odometer.step(others, at)
}

/// Copies the first addresses as often as there is room.
#[inline(never)]
fn repeat(to: &mut [u32], first: usize) -> bool {
    // Twice as many each time: short lanes take longer to start a copy than to make it.
    let mut filled = first;
    while filled < to.len() {
        let count = filled.min(to.len() - filled);
        to.copy_within(..count, filled);
        filled += count;
    }
    true
}

/// Copies each of the first addresses to a lane of its own.
#[inline(never)]
fn spread(to: &mut [u32], length: usize) -> bool {
    for lane in (0..to.len() / length).rev() {
        let Some(address) = to.get(lane).copied() else { return false };
        to.iter_mut().skip(lane * length).take(length).for_each(|to| *to = address);
    }
    true
}

/// Resolves all entries block by block, and moves each block. `false`: an index is out of bounds
/// under `Bounds::Error`; nothing of its block has moved, nor of those after it.
pub(crate) fn traverse(
    plan: &Plan,
    way: &Way,
    resolver: &dyn Resolver,
    mover: &mut dyn Mover,
) -> bool {
    let mut axes = AXES;
    let filler = Filler::of(plan, &mut axes, way.path, resolver);
    let moves = Moves { pieces: plan.pieces(), lanes: filler.lanes, way };
    if way.distance > 0 {
        return ahead(&filler, &moves, way.block, mover);
    }
    let (mut buffer, mut before) = ([0; tuning::BLOCK], None);
    filler.lanes.spans(plan, way.block).all(|span| {
        let Some(addresses) = buffer.get_mut(..span.count()) else { return false };
        let Some(table) = filler.next(&span, before, addresses) else { return false };
        before = Some(span);
        moves.block(&span, table, addresses, &[], filler.bytes(&span), mover);
        true
    })
}

/// The same with prefetches: each block moves when the next one is known, and can be prefetched.
fn ahead(filler: &Filler<'_>, moves: &Moves<'_>, capacity: usize, mover: &mut dyn Mover) -> bool {
    let (mut first, mut second) = ([0; tuning::BLOCK], [0; tuning::BLOCK]);
    let (mut now, mut next) = (&mut first[..], &mut second[..]);
    let mut pending: Option<(Span, usize)> = None;
    let mut spans = filler.lanes.spans(filler.plan, capacity);
    loop {
        let span = spans.next();
        let (mut addresses, mut table, mut bytes) = (&[][..], 0, &[][..]);
        if let Some(span) = &span {
            let Some(to) = next.get_mut(..span.count()) else { return false };
            if !filler.fill(span, to) {
                return false;
            }
            (table, bytes) = (filler.place(span, to), filler.bytes(span));
            addresses = to;
        }
        if let Some((span, from)) = pending {
            let ahead = if from == table { addresses } else { &[] };
            let now = now.get(..span.count()).unwrap_or_default();
            moves.block(&span, from, now, ahead, bytes, mover);
        }
        let Some(span) = span else { return true };
        pending = Some((span, table));
        swap(&mut now, &mut next);
    }
}

/// [`traverse`] for a plan that [is one block](Plan::is_one_block), without pieces. The call begins
/// once that is resolved.
pub(crate) fn one_block(
    plan: &Plan,
    path: Path,
    resolver: &dyn Resolver,
    job: &mut dyn Job,
) -> bool {
    // What a block does not need takes time to clear.
    let block: &mut [u32] =
        if plan.entries() <= 384 { &mut [0; 384] } else { &mut [0; tuning::BLOCK] };
    let mut axes = AXES;
    let filler = Filler::of(plan, &mut axes, path, resolver);
    let (Lanes { upper, lane, .. }, span) = (filler.lanes, filler.one_span());
    let Some(addresses) = block.get_mut(..span.count()) else { return false };
    filler.fill(&span, addresses) && {
        let table = filler.place(&span, addresses);
        job.begin();
        job.block(&Block {
            addresses,
            length: span.length,
            table,
            flat: plan.start.flat,
            lane_step: upper.flat,
            entry_step: lane.flat,
            ..Block::default()
        });
        true
    }
}

/// [`traverse`] for addresses that have been [kept](keep).
pub(crate) fn traverse_kept(plan: &Plan, way: &Way, kept: Kept<'_>, mover: &mut dyn Mover) {
    let lanes = Lanes::of(plan);
    let runs = way.runs && Block::has_runs(kept.addresses);
    let first =
        if let (Order::Pieces { dimensions }, false) = (way.order, runs) { dimensions } else { 0 };
    let Some((first, pieces)) = plan.pieces().split_at_checked(first) else { return };
    // Where a block moves once, kept addresses are looked at in longer ones.
    let capacity = if pieces.is_empty() { 2 * tuning::BLOCK } else { way.block };
    let moves = Moves { pieces, lanes, way };
    every_piece(first, &mut |table, flat| {
        let mut rest = kept.addresses;
        for span in moves.lanes.spans(plan, capacity) {
            let count = span.count();
            let Some((now, next)) = rest.split_at_checked(count) else { return };
            let at = Position { flat: span.at.flat.wrapping_add(flat), ..span.at };
            let base = kept.base.wrapping_add(table);
            moves.block(&Span { at, ..span }, base, now, next, &[], mover);
            rest = next;
        }
    });
}

/// The addresses of all entries, in order, and the place in the table from which they count.
#[derive(Clone, Copy)]
pub(crate) struct Kept<'a> {
    pub addresses: &'a [u32],
    pub base: usize,
}

/// Where kept addresses count from: the plan's start, if no address lies before it.
pub(crate) fn base_of_kept(plan: &Plan) -> usize {
    if plan.rises() { plan.start.table } else { 0 }
}

/// Resolves all entries, in order, to addresses that count from `origin`. `false`: an index is out
/// of bounds under `Bounds::Error`.
pub(crate) fn keep(
    plan: &Plan,
    path: Path,
    resolver: &dyn Resolver,
    origin: usize,
    mut to: &mut [u32],
) -> bool {
    let mut axes = AXES;
    let filler = Filler::of(plan, &mut axes, path, resolver);
    filler.lanes.spans(plan, tuning::BLOCK).all(|span| {
        to.split_off_mut(..span.count()).is_some_and(|to| filler.fill_from(&span, origin, to))
    })
}

/// Whether all indices are in bounds.
pub(crate) fn check(plan: &Plan, path: Path, resolver: &dyn Resolver) -> bool {
    let (mut room, mut axes, mut addresses) = (None, AXES, [0; tuning::BLOCK]);
    let plan = plan.of_indices(tuning::SHORT, &mut room);
    let filler = Filler::of(plan, &mut axes, path, resolver);
    filler
        .lanes
        .spans(plan, tuning::BLOCK)
        .all(|span| addresses.get_mut(..span.count()).is_some_and(|to| filler.fill(&span, to)))
}

/// The entries of a plan whose addresses do not fit 32 bits, one by one. `false`: an index is out
/// of bounds under `Bounds::Error`; what comes before it has moved.
pub(crate) fn traverse_wide(plan: &Plan, resolver: &dyn Resolver, mover: &mut dyn Mover) -> bool {
    let lanes = Lanes { others: &[], rest: &[], upper: &SINGLE, lane: &SINGLE, grouped: false };
    let moves = Moves { pieces: plan.pieces(), lanes, way: &Way::of(Path::detect(), plan.row()) };
    each_entry(plan, resolver, &mut |at, table| {
        moves.block(
            &Span { at, row: 0, lanes: 1, length: 1, column: 0 },
            table,
            &[0],
            &[],
            &[],
            mover,
        );
    })
}

/// [`check`] for such a plan.
pub(crate) fn check_wide(plan: &Plan, resolver: &dyn Resolver) -> bool {
    each_entry(plan.of_indices(tuning::SHORT, &mut None), resolver, &mut |_, _| {})
}

/// Visits all entries that lead somewhere, one by one, with their places in the table. `false`: an
/// index is out of bounds under `Bounds::Error`.
pub(crate) fn each_entry(
    plan: &Plan,
    resolver: &dyn Resolver,
    visit: &mut dyn FnMut(Position, usize),
) -> bool {
    let (mut at, mut odometer) = (Position::first(plan), Odometer::new());
    loop {
        match reach(plan, resolver, &at) {
            Some(table) => visit(at, table),
            None if matches!(plan.bounds, Bounds::Error) && resolver.counts(plan, at.indices) => {
                return false;
            }
            None => {}
        }
        at.entry = at.entry.wrapping_add(1);
        if plan.outer().is_empty() || !odometer.step(plan.outer(), &mut at) {
            return true;
        }
    }
}

/// What a block moves: once for each piece.
struct Moves<'a> {
    pieces: &'a [Dim],
    lanes: Lanes<'a>,
    way: &'a Way,
}

impl Moves<'_> {
    #[inline(never)]
    fn block(
        &self,
        span: &Span,
        table: usize,
        addresses: &[u32],
        next: &[u32],
        indices: &[u8],
        mover: &mut dyn Mover,
    ) {
        let Lanes { upper, lane, .. } = self.lanes;
        let mut block = Block {
            addresses,
            length: span.length,
            table,
            flat: span.at.flat,
            lane_step: upper.flat,
            entry_step: lane.flat,
            next,
            indices,
            ..Block::default()
        }
        .with_lanes_ahead(self.way.apart);
        if self.way.segment > 0 {
            // Of the lanes that follow, what is to come while this block moves.
            let step = upper.table.wrapping_mul(span.lanes as isize) as usize;
            let part = |entries: usize| self.way.segment * entries / lane.size.max(1);
            let start = span.at.table.wrapping_sub(table).wrapping_add(step);
            block.segment = (start.wrapping_add(part(span.column)), part(span.length) * span.lanes);
        }
        if self.lanes.are_apart(span.lanes, |dim| dim.flat) {
            self.groups(&mut block, span, mover);
        } else {
            self.pieces(&block, mover);
        }
    }

    /// Several groups whose lanes do not all start a step apart in the flat tensor: the same entry
    /// of all [bundles](bundle), and then the next one; or one group after the other.
    #[inline(never)]
    fn groups(&self, block: &mut Block<'_>, span: &Span, mover: &mut dyn Mover) {
        let (lanes, addresses, mut all) = (self.lanes, block.addresses, [0; tuning::BLOCK / 2]);
        // A chunk may cut a dimension, so that bundles have more dimensions. If they have as many
        // entries even so, these have one step.
        if let Some((size, entry_step)) = lanes.bundle(|dim| dim.flat)
            && self.way.order == (Order::Across { entries: size })
            && let Some(all @ [_, ..]) = all.get_mut(..addresses.len() / size)
        {
            for entry in 0..size {
                let mut at = entry;
                for to in &mut *all {
                    *to = addresses.get(at).copied().unwrap_or(NOWHERE);
                    at += size;
                }
                let (length, table, at) = (all.len(), block.table, lanes.member(span.at, entry));
                mover.block(&Block {
                    addresses: all,
                    length,
                    table,
                    flat: at.flat,
                    entry_step,
                    ..Block::default()
                });
            }
            return;
        }
        let (mut rest, next) = (addresses, block.next);
        for at in lanes.groups(span) {
            let Some((now, then)) = rest.split_at_checked(lanes.group()) else { return };
            let next = if then.is_empty() { next } else { then };
            (block.addresses, block.flat, block.next) = (now, at.flat, next);
            self.pieces(block, mover);
            (rest, block.segment, block.indices) = (then, (0, 0), &[]);
        }
    }

    /// A block, once for each piece.
    #[inline(never)]
    fn pieces(&self, block: &Block<'_>, mover: &mut dyn Mover) {
        match self.pieces.split_last() {
            None => mover.block(block),
            Some((last, _))
                if self.way.order == Order::EachEntry
                    || (self.way.runs && Block::has_runs(block.addresses)) =>
            {
                by_entry(block, self.pieces, last, self.way.apart, mover);
            }
            _ => every_piece(self.pieces, &mut |table, flat| {
                mover.block(&Block {
                    table: block.table.wrapping_add(table),
                    flat: block.flat.wrapping_add(flat),
                    ..*block
                });
            }),
        }
    }
}

/// Moves a block entry by entry: the [last pieces](Plan::run_of_pieces) of some entries are the
/// entries of a block of their own, a lane for each.
fn by_entry(block: &Block<'_>, pieces: &[Dim], last: &Dim, apart: usize, mover: &mut dyn Mover) {
    let (number, size) = Plan::run_of_pieces(pieces);
    let Some((rest, run)) = pieces.split_at_checked(pieces.len() - number) else { return };
    // Pieces go forwards in the table, but in few entries.
    if last.table == 1 && is_row_of_one(last) && rows_of_one(block, rest, last.size, mover) {
        return;
    }
    let (mut buffer, mut run_of_one) = ([0; tuning::BLOCK], [0; tuning::BLOCK]);
    let length = if block.lanes_follow() { block.addresses.len() } else { block.length };
    every_piece(rest, &mut |table, flat| {
        for piece in (0..size).step_by(tuning::BLOCK) {
            let pieces = (size - piece).min(tuning::BLOCK);
            let offsets = run_of_one.get_mut(..pieces).unwrap_or_default();
            let skipped = set_offsets(run, piece, offsets);
            let mut lane = block.flat.wrapping_add(flat).wrapping_add(skipped);
            for addresses in block.addresses.chunks(length.max(1)) {
                let most = tuning::BLOCK / pieces;
                for (some, entry) in addresses.chunks(most).zip((0_usize..).step_by(most)) {
                    if some.iter().all(|first| *first == NOWHERE) {
                        continue;
                    }
                    for (first, to) in some.iter().zip(buffer.chunks_exact_mut(pieces)) {
                        match *first {
                            NOWHERE => to.fill(NOWHERE),
                            first => to
                                .iter_mut()
                                .zip(&*offsets)
                                .for_each(|(to, n)| *to = first.wrapping_add(*n)),
                        }
                    }
                    let some_pieces = Block {
                        addresses: buffer.get(..some.len() * pieces).unwrap_or_default(),
                        length: pieces,
                        table: block.table.wrapping_add(table),
                        flat: lane.wrapping_add(entry.wrapping_mul(block.entry_step as usize)),
                        lane_step: block.entry_step,
                        entry_step: last.flat.wrapping_abs(),
                        ..Block::default()
                    };
                    mover.block(&some_pieces.with_lanes_ahead(apart));
                }
                lane = lane.wrapping_add_signed(block.lane_step);
            }
        }
    });
}

/// [`Mover::rows_of_one`], for all pieces but the row. `false`: nothing has moved.
fn rows_of_one(block: &Block<'_>, pieces: &[Dim], n: usize, mover: &mut dyn Mover) -> bool {
    let mut moved = true;
    every_piece(pieces, &mut |table, flat| {
        let (table, flat) = (block.table.wrapping_add(table), block.flat.wrapping_add(flat));
        moved &= mover.rows_of_one(&Block { table, flat, ..*block }, n);
    });
    moved
}

/// Sets what pieces add to an address, from number `piece` on, as the flat tensor is walked
/// forwards. What the first of them adds to a place there.
fn set_offsets(run: &[Dim], piece: usize, to: &mut [u32]) -> usize {
    let (mut table, mut flat, mut filled) = (0_usize, 0_usize, 1_usize);
    for dim in run.iter().filter(|dim| dim.flat < 0) {
        table = table.wrapping_add((dim.size - 1).wrapping_mul(dim.table as usize));
        flat = flat.wrapping_add((dim.size - 1).wrapping_mul(dim.flat as usize));
    }
    for (n, dim) in run.iter().rev().enumerate() {
        let step = if dim.flat < 0 { dim.table.wrapping_neg() } else { dim.table };
        if n == 0 {
            // More than fill a block are one dimension.
            table = table.wrapping_add(piece.wrapping_mul(step as usize));
            flat = flat.wrapping_add(piece.wrapping_mul(dim.flat.unsigned_abs()));
            to.iter_mut().take(1).for_each(|first| *first = table as u32);
        }
        // What is there doubles, so that loops are long.
        let (mut done, end) = (filled, filled.saturating_mul(dim.size).min(to.len()));
        while done < end {
            let (from, rest) = to.split_at_mut(done);
            let add = ((done / filled) as u32).wrapping_mul(step as u32);
            rest.iter_mut()
                .take(end - done)
                .zip(from)
                .for_each(|(to, n)| *to = n.wrapping_add(add));
            done *= 2;
        }
        filled = end;
    }
    flat
}

/// Visits all pieces, with what each adds to places in the table and in the flat tensor.
#[inline]
pub(crate) fn each_piece(pieces: &[Dim], mut visit: impl FnMut(usize, usize)) {
    let (mut at, mut odometer) = (Position::default(), Odometer::new());
    loop {
        visit(at.table, at.flat);
        if pieces.is_empty() || !odometer.step(pieces, &mut at) {
            return;
        }
    }
}

/// [`each_piece`], compiled once.
#[inline(never)]
fn every_piece(pieces: &[Dim], visit: &mut dyn FnMut(usize, usize)) {
    each_piece(pieces, visit);
}

const _: () = assert!(tuning::GROUP <= tuning::BLOCK, "a block has room for a group");

const _: () = assert!(NOWHERE == u32::MAX, "no table of fewer than 2^31 elements has this address");
