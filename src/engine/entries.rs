//! Entries: where each of them leads, for operators that need more than an address, and go over all
//! entries more than once.

use strew_simd::{Block, NOWHERE, Path};

use crate::engine::prove::check_all;
use crate::engine::resolver::{Resolver, reach};
use crate::engine::traverse::{AXES, Filler, Lanes, Span, Spans};
use crate::engine::tuning;
use crate::index::{Bounds, resolve};
use crate::indices::sealed::Places;
use crate::plan::Plan;
use crate::walk::{self, Odometer, Position, split_lane};

/// The entries of a call, whose indices have been proven.
pub(crate) struct Entries<'a> {
    plan: &'a Plan,
    /// The plan of the cells, if they are not numbered by the places.
    of_cells: &'a Plan,
    resolver: &'a dyn Resolver,
    /// Whether places and cells fit 32 bits.
    fit: bool,
    /// Whether those of all entries are there. If not, some at a time are found again.
    pub(super) kept: bool,
    cells: &'a mut [u32],
    /// The places in the table. `None`: the cells number them, from the plan's start on.
    tables: Option<&'a mut [u32]>,
}

/// Room for cells and places.
pub(crate) struct Room {
    few: [[u32; tuning::FEW_PLACES]; 2],
    many: Vec<u32>,
    of_cells: Option<Plan>,
}

impl Room {
    #[inline(always)]
    pub(crate) fn new() -> Room {
        Room { few: [[NOWHERE; tuning::FEW_PLACES]; 2], many: Vec::new(), of_cells: None }
    }
}

impl<'a> Entries<'a> {
    /// `None`: an index is out of bounds under `Bounds::Error`, unless they are `proven`.
    #[inline(always)]
    pub(crate) fn of<S: Places>(
        plan: &'a Plan,
        resolver: &'a S,
        proven: bool,
        room: &'a mut Room,
    ) -> Option<Entries<'a>> {
        let fit = plan.addresses_fit && i32::try_from(plan.cells).is_ok() && !plan.empty;
        if !fit || plan.entries() > tuning::FEW_PLACES {
            return Entries::of_many(plan, resolver, fit, proven, room);
        }
        let [cells, tables] = &mut room.few;
        let all = ..plan.entries();
        let (cells, tables) = (cells.get_mut(all)?, tables.get_mut(all)?);
        let inside = find_few(plan, *resolver, cells, tables);
        let tables = Some(tables);
        inside.then_some(Entries { plan, of_cells: plan, resolver, fit, kept: true, cells, tables })
    }

    fn of_many(
        plan: &'a Plan,
        resolver: &'a dyn Resolver,
        fit: bool,
        proven: bool,
        room: &'a mut Room,
    ) -> Option<Entries<'a>> {
        let Room { few: [cells, tables], many, of_cells } = room;
        let (mut cells, mut tables) = (&mut cells[..], &mut tables[..]);
        let numbered = plan.numbers_cells();
        let of_cells = if numbered { plan } else { of_cells.insert(plan.of_cells()) };
        let mut kept = fit && plan.entries() <= tuning::KEPT_PLACES;
        let length = if kept { plan.entries() } else { tuning::BLOCK };
        let words = if numbered { length } else { 2 * length };
        if fit && many.try_reserve_exact(words).is_ok() {
            many.resize(words, NOWHERE);
            (cells, tables) = many.split_at_mut(length);
        } else {
            kept = false;
        }
        let tables = Some(tables).filter(|_| !numbered);
        let mut entries = Entries { plan, of_cells, resolver, fit, kept, cells, tables };
        let inside = if kept { entries.fill_all() } else { proven || check_all(plan, resolver) };
        inside.then_some(entries)
    }

    fn fill_all(&mut self) -> bool {
        let mut first = 0;
        self.spans(tuning::BLOCK).all(|span| {
            let inside = self.fill(&span, first);
            first += span.count();
            inside
        })
    }

    /// Finds where a span leads. `false`: an index is out of bounds under `Bounds::Error`.
    fn fill(&mut self, span: &Span, first: usize) -> bool {
        let (resolver, end) = (self.resolver, first + span.count());
        let fill = |plan: &Plan, span: &Span, to: &mut [u32]| {
            let mut axes = AXES;
            let filler = Filler::of(plan, &mut axes, Path::detect(), resolver);
            to.get_mut(first..end).is_some_and(|to| filler.fill_from(span, 0, to))
        };
        let tables = self.tables.as_deref_mut();
        tables.is_none_or(|tables| fill(self.plan, span, tables))
            && fill(self.of_cells, &span.of_cells(), self.cells)
    }

    /// All of them, some at a time.
    fn spans(&self, most: usize) -> Spans<'a> {
        let capacity = if self.fit { self.cells.len().min(most) } else { 1 };
        Lanes::of(self.plan).spans(self.plan, capacity)
    }

    /// Where the next ones lead.
    #[inline(never)]
    fn next(&mut self, spans: &mut Spans<'a>, next: &mut usize) -> Option<Reached<'_>> {
        let (span, entry) = (spans.next()?, *next);
        *next += span.count();
        let (Span { at, length, .. }, Lanes { upper, lane, .. }) = (span, spans.lanes);
        let table = if self.tables.is_some() { 0 } else { self.plan.start.table };
        let (flat, lane_step, entry_step) = (at.flat, upper.flat, lane.flat);
        let block = Block { length, table, flat, lane_step, entry_step, ..Block::default() };
        if !self.fit {
            let table = reach(self.plan, self.resolver, &at);
            let cell = reach(self.of_cells, self.resolver, &span.of_cells().at).unwrap_or(0);
            let addresses: &[u32] = if table.is_some() { &[0] } else { &[] };
            let block = Block { addresses, table: table.unwrap_or(0), ..block };
            return Some(Reached { cells: addresses, cell, block, entry });
        }
        let start = if self.kept { entry } else { 0 };
        if !self.kept && !self.fill(&span, start) {
            return None;
        }
        let range = start..start + span.count();
        let cells = self.cells.get(range.clone())?;
        let addresses = self.tables.as_deref().map_or(Some(cells), |tables| tables.get(range))?;
        Some(Reached { cells, cell: 0, block: Block { addresses, ..block }, entry })
    }
}

impl walk::Entries for Entries<'_> {
    #[inline(always)]
    fn find(&mut self, mut test: impl FnMut(Position) -> bool) -> Option<Position> {
        let (mut spans, mut next) = (self.spans(tuning::BLOCK), 0);
        while let Some(reached) = self.next(&mut spans, &mut next) {
            let Reached { mut cells, cell: first, block, mut entry } = reached;
            let Block { table: start, entry_step, .. } = block;
            for (mut flat, addresses) in block.lanes() {
                let (lane, rest) = cells.split_at_checked(addresses.len())?;
                cells = rest;
                for (cell, table) in lane.iter().zip(addresses) {
                    if *cell != NOWHERE {
                        let table = start.wrapping_add(*table as usize);
                        let cell = first.wrapping_add(*cell as usize);
                        let at = Position { table, cell, flat, entry, indices: 0 };
                        if test(at) {
                            return Some(at);
                        }
                    }
                    flat = flat.wrapping_add_signed(entry_step);
                    entry = entry.wrapping_add(1);
                }
            }
        }
        None
    }

    #[inline(always)]
    fn blocks(&mut self, most: usize, mut visit: impl FnMut(usize, &[u32], &Block<'_>)) {
        let (mut spans, mut entry) = (self.spans(most), 0);
        while let Some(Reached { cells, cell, block, .. }) = self.next(&mut spans, &mut entry) {
            visit(cell, cells, &block);
        }
    }
}

/// Finds where a few entries lead, one after the other. `false`: an index is out of bounds under
/// `Bounds::Error`.
#[inline(never)]
fn find_few<S: Places>(plan: &Plan, indices: S, cells: &mut [u32], tables: &mut [u32]) -> bool {
    let quick = match (plan.coordinates(), plan.bounds, plan.ring) {
        ([axis], Bounds::Error, 1) if !S::NULLABLE => Some(axis),
        _ => None,
    };
    let (&lane, others) = split_lane(plan.outer());
    let (mut start, mut odometer, length) =
        (Position::first(plan), Odometer::new(), lane.size.max(1));
    cells.chunks_mut(length).zip(tables.chunks_mut(length)).all(|(cells, tables)| {
        let mut at = start;
        for (cell, table) in cells.iter_mut().zip(tables) {
            let mut found = at;
            if let Some(axis) = quick {
                let position = |index| resolve(index, axis.size, Bounds::Error, plan.negative);
                let Some(n) = indices.get(at.indices).and_then(position) else { return false };
                found.cell = at.cell.wrapping_add(n.wrapping_mul(axis.cell));
                found.table = at.table.wrapping_add(n.wrapping_mul(axis.table as usize));
            } else if let Some(there) = walk::locate(plan, indices, at) {
                found = there;
            } else if walk::fails(plan, indices, at.indices) {
                return false;
            } else {
                (found.cell, found.table) = (usize::MAX, usize::MAX);
            }
            (*cell, *table) = (found.cell as u32, found.table as u32);
            at.step(&lane);
        }
        odometer.step(others, &mut start);
        true
    })
}

/// Where some entries lead: [`NOWHERE`] for those that are left out.
struct Reached<'a> {
    /// The cells, which count from `cell`.
    cells: &'a [u32],
    cell: usize,
    block: Block<'a>,
    /// The number of the first entry.
    entry: usize,
}
