//! Entries: where each of them leads, for operators that need more than an address, and go over all
//! entries more than once.

use strew_simd::{Block, NOWHERE, Path};

use crate::engine::few::Few;
use crate::engine::prove::check_all;
use crate::engine::resolver::{Resolver, reach};
use crate::engine::traverse::{AXES, Filler, Lanes, Span, Spans};
use crate::engine::tuning;
use crate::indices::sealed::Places;
use crate::plan::Plan;
use crate::walk::{self, Position};

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
        let few = plan.entries() <= tuning::FEW_PLACES;
        let mut entries = Entries::in_room(plan, resolver, few, room);
        let inside = match () {
            () if few && entries.fit => entries.find_few(*resolver),
            () if entries.kept => entries.fill_all(),
            () => proven || check_all(plan, resolver),
        };
        inside.then_some(entries)
    }

    fn in_room(
        plan: &'a Plan,
        resolver: &'a dyn Resolver,
        few: bool,
        room: &'a mut Room,
    ) -> Entries<'a> {
        let Room { few: [cells, tables], many, of_cells } = room;
        let (mut cells, mut tables) = (&mut cells[..], &mut tables[..]);
        let numbered = plan.numbers_cells();
        let fit = plan.cells_fit() && !plan.empty;
        let of_cells = if numbered || few && fit { plan } else { of_cells.insert(plan.of_cells()) };
        let mut kept = fit && plan.entries() <= tuning::KEPT_PLACES;
        let length = if kept { plan.entries() } else { tuning::BLOCK };
        let words = if numbered { length } else { 2 * length };
        let short = kept && few;
        if !short && fit && many.try_reserve_exact(words).is_ok() {
            many.resize(words, NOWHERE);
            (cells, tables) = many.split_at_mut(length);
        } else {
            kept = short;
        }
        let tables = Some(tables).filter(|_| !numbered);
        Entries { plan, of_cells, resolver, fit, kept, cells, tables }
    }

    /// Finds where few entries lead, one after the other. `false`: an index is out of bounds under
    /// `Bounds::Error`.
    #[inline(never)]
    fn find_few<S: Places>(&mut self, indices: S) -> bool {
        let (few, count) = (Few::any(self.plan), self.plan.entries());
        let cells = self.cells.get_mut(..count).unwrap_or_default();
        let tables = self.tables.as_deref_mut().map(|all| all.get_mut(..count).unwrap_or_default());
        let Some(tables) = tables else {
            let inside = few.resolve::<_, false>(indices, cells);
            let start = self.plan.start.table as u32;
            cells
                .iter_mut()
                .filter(|cell| **cell != NOWHERE)
                .for_each(|cell| *cell = cell.wrapping_sub(start));
            return inside;
        };
        few.resolve::<_, false>(indices, tables) && few.resolve::<_, true>(indices, cells)
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
        Lanes::of(self.plan).that_follow().spans(self.plan, capacity)
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

/// Where some entries lead: [`NOWHERE`] for those that are left out.
struct Reached<'a> {
    /// The cells, which count from `cell`.
    cells: &'a [u32],
    cell: usize,
    block: Block<'a>,
    /// The number of the first entry.
    entry: usize,
}
