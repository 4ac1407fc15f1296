//! Few entries: one after the other, in plain loops. The kernels that move them take longer to
//! start; the kernel that resolves indices does not where there are [some](tuning::FEW_BY_KERNEL).

use strew_simd::{NOWHERE, Path, Place};

use crate::element::Element;
use crate::engine::resolver::Resolver;
use crate::engine::transform::{is_row_of_one, steps_follow};
use crate::engine::traverse::{AXES, Filler, each_entry, each_piece};
use crate::engine::tuning;
use crate::error::Direction;
use crate::index::sealed::Value;
use crate::index::{Bounds, LONGEST, Negative, resolve};
use crate::indices::sealed::Places;
use crate::plan::{Coordinate, Dim, Plan};
use crate::walk::{Odometer, Position, split_lane};

/// What a few entries move: some pieces, in rows of `n` elements.
#[derive(Clone, Copy)]
pub(crate) struct Few<'a> {
    plan: &'a Plan,
    pub(super) count: usize,
    /// The last outer dimension, and those before it.
    lane: &'a Dim,
    others: &'a [Dim],
    pieces: &'a [Dim],
    pub(super) n: usize,
    /// Whether there is one piece, and all entries lie a step apart in the indices and in the flat
    /// tensor: so they need no lanes there.
    line: bool,
}

impl<'a> Few<'a> {
    /// `None`: there are more entries, or they move much.
    // Inlined: a copy of what a call returns waits for the stores that have just made it.
    #[inline(always)]
    pub(crate) fn of(plan: &'a Plan, direction: Direction) -> Option<Few<'a>> {
        let count = plan.entries();
        if count > tuning::FEW_IN_GROUPS || !plan.addresses_fit {
            return None;
        }
        let few @ Few { pieces, n, line, .. } = Few::any(plan);
        let most = match (n, line) {
            (1, _) if !pieces.is_empty() || line && matches!(direction, Direction::Scatter) => {
                tuning::FEW_IN_GROUPS
            }
            (1, _) => tuning::FEW,
            (_, true) => tuning::FEW_OTHERS,
            (_, false) => tuning::FEW_APART,
        };
        if count > most && (line || n > tuning::FEW_ROW || !has_short_groups(plan)) {
            return None;
        }
        let rows = pieces.iter().fold(count, |rows, dim| rows.saturating_mul(dim.size));
        let most = match (direction, pieces) {
            _ if n > 1 => tuning::FEW_ROWS,
            // One update for all may become a row.
            (Direction::Scatter, [.., piece])
                if (piece.flat, few.lane.flat) == (0, 0) && !plan.has_rows_of_one() =>
            {
                tuning::FEW_IN_GROUPS
            }
            _ => tuning::FEW_ELEMENTS,
        };
        // Rows that are gathered are copied alike here and in kernels, but for non-temporal stores.
        let any_row = pieces.is_empty()
            || matches!(direction, Direction::Gather) && rows <= tuning::FEW_OTHERS;
        Some(few).filter(|_| rows <= most && (any_row || n <= tuning::FEW_ROW) && !plan.empty)
    }

    /// The entries of a plan, of any kind, whose addresses (or cells) fit: at most
    /// [`tuning::FEW_IN_GROUPS`].
    #[inline(always)]
    pub(crate) fn any(plan: &'a Plan) -> Few<'a> {
        debug_assert!(plan.entries() <= tuning::FEW_IN_GROUPS, "there is room for all that is few");
        let (pieces, n) = if plan.rank == plan.outer { (&[][..], 1) } else { plan.split_inner() };
        let (lane, others) = split_lane(plan.outer());
        let line = pieces.is_empty() && (others.is_empty() || plan.lanes_follow());
        Few { plan, count: plan.entries(), lane, others, pieces, n, line }
    }

    /// Whether they move less than several threads would share.
    pub(crate) fn is_little(&self, element: usize) -> bool {
        self.plan.moved_elements().saturating_mul(element) < tuning::SERIAL
    }

    /// Runs with where in the table the entries lead. `false`: an index is out of bounds under
    /// `Bounds::Error`, and nothing has run.
    #[inline(always)]
    pub(crate) fn run<S: Places, const CELLS: bool>(
        &self,
        indices: S,
        run: impl FnOnce(&[u32]),
    ) -> bool {
        // What a call does not need takes time to clear.
        let room: &mut [u32] = match self.count {
            0..=16 => &mut [NOWHERE; 16],
            17..=64 => &mut [NOWHERE; 64],
            _ => &mut [NOWHERE; tuning::FEW_IN_GROUPS],
        };
        let tables = room.get_mut(..self.count).unwrap_or_default();
        let inside = self.resolve::<S, CELLS>(indices, tables);
        if inside {
            run(tables);
        }
        inside
    }

    /// Finds where the entries lead; the places are [`NOWHERE`] so far. `false`: an index is out of
    /// bounds under `Bounds::Error`.
    #[inline(never)]
    pub(crate) fn resolve<S: Places, const CELLS: bool>(
        &self,
        indices: S,
        tables: &mut [u32],
    ) -> bool {
        let Few { plan, lane, .. } = *self;
        let Some((axis, others)) = self.axes::<S>().filter(|_| !self.suits_kernel(CELLS)) else {
            let of_cells = CELLS.then(|| plan.of_cells());
            return locate(of_cells.as_ref().unwrap_or(plan), &indices, tables);
        };
        let mut lanes = tables.chunks_mut(lane.size.max(1));
        self.each_first(self.others, |at| {
            let tables = lanes.next().unwrap_or_default();
            let (set, mut place) = (|to: &mut u32, table| *to = table as u32, at.indices);
            self.along_run::<_, _, false, CELLS, true>(axis, indices, at, tables, set)
                && others.iter().all(|axis| {
                    place = place.wrapping_add_signed(plan.tuple_stride);
                    let mut next = strided(indices, place, lane);
                    let entries = tables.iter_mut().map(|to| (next(), *to as usize, to));
                    along::<_, _, false, CELLS>(plan, axis, entries, set)
                })
        })
    }

    /// The first coordinate, and the others. `None`: there are none, or they are rare: indices that
    /// may not count, and rings.
    #[inline(always)]
    fn axes<S: Places>(&self) -> Option<(&'a Coordinate, &'a [Coordinate])> {
        let plain = !S::NULLABLE && self.plan.ring == 1;
        self.plan.coordinates().split_first().filter(|_| plain)
    }

    /// Whether a kernel takes less time for the indices.
    #[inline(never)]
    fn suits_kernel(&self, cells: bool) -> bool {
        let least = if cells { tuning::FEW_PLACES } else { tuning::FEW_BY_KERNEL };
        self.count * self.plan.tuple >= least && self.plan.is_one_block()
    }

    /// Visits the position of the first entry for each step of these dimensions, until `visit`
    /// returns `false`.
    #[inline(always)]
    fn each_first(&self, others: &[Dim], mut visit: impl FnMut(Position) -> bool) -> bool {
        let (mut at, mut odometer) = (Position::first(self.plan), Odometer::new());
        while visit(at) {
            if others.is_empty() || !odometer.step(others, &mut at) {
                return true;
            }
        }
        false
    }

    /// [`along`] the entries of a lane from `at` on, for their first coordinate. `RUN`: the indices
    /// are neighbours, so that no other loop is compiled for a slice of them. Without `ONE`, `to`
    /// may go on with the entries of the lanes that follow.
    #[inline(always)]
    fn along_run<S: Places, T, const RUN: bool, const CELLS: bool, const ONE: bool>(
        &self,
        axis: &Coordinate,
        indices: S,
        at: Position,
        to: &mut [T],
        set: impl FnMut(&mut T, usize),
    ) -> bool {
        let Few { plan, lane, others, .. } = *self;
        let start = |at: &Position| if CELLS { at.cell } else { at.table };
        let step = if CELLS { lane.cell } else { lane.table as usize };
        let mut place = start(&at).wrapping_sub(step);
        let (mut at_lane, mut left, mut odometer) = (at, lane.size, Odometer::new());
        let mut from = move || {
            if !ONE && left == 0 {
                odometer.step(others, &mut at_lane);
                (place, left) = (start(&at_lane).wrapping_sub(step), lane.size);
            }
            left = left.wrapping_sub(1);
            place = place.wrapping_add(step);
            place
        };
        if let Some(all) = indices.slice().filter(|_| RUN || lane.indices == 1) {
            let run = all.get(at.indices..).and_then(|run| run.get(..to.len()));
            let Some(run) = run else { return false };
            let entries = run.iter().zip(to).map(|(index, to)| (Some(*index), from(), to));
            return along::<_, _, true, CELLS>(plan, axis, entries, set);
        }
        let mut index = strided(indices, at.indices, lane);
        along::<_, _, true, CELLS>(plan, axis, to.iter_mut().map(|to| (index(), from(), to)), set)
    }

    /// Visits entries that lie a step apart in the flat tensor, for all pieces: where they lead,
    /// what the piece adds to that, and where the first of them lies in the flat tensor.
    #[inline(always)]
    fn runs<'t>(&self, tables: &'t [u32], mut visit: impl FnMut(&'t [u32], usize, usize)) {
        // All entries of a line are as those of one lane.
        let length = if self.line { self.count } else { self.lane.size };
        each_piece(self.pieces, |table, flat| {
            let (mut at, mut odometer) = (Position::first(self.plan), Odometer::new());
            for tables in tables.chunks(length.max(1)) {
                visit(tables, table, at.flat.wrapping_add(flat));
                odometer.step(self.others, &mut at);
            }
        });
    }

    /// Whether single elements that a lane moves are neighbours in the flat tensor.
    #[inline(always)]
    fn has_runs(&self) -> bool {
        self.n == 1 && (self.lane.flat == 1 || self.count == 1)
    }

    /// Whether a gather moves single elements from a run of indices to a run of the output.
    #[inline(always)]
    fn moves_at_once(&self) -> bool {
        self.plan.tuple <= 1
            && self.pieces.is_empty()
            && self.has_runs()
            && (self.lane.indices == 1 || self.count == 1)
    }

    /// [`run`](Few::run) and [`gather`](Few::gather). What [can](Few::moves_at_once) moves as soon
    /// as its index is known: what an index out of bounds stops comes after it.
    #[inline(always)]
    pub(crate) fn run_gather<T: Element, P: Place<T>, S: Places>(
        &self,
        indices: S,
        input: &[T],
        output: &mut [P],
    ) -> bool {
        match self.axes::<S>() {
            Some((axis, [])) if self.moves_at_once() => match self.others {
                [] => self.gather_found::<_, _, _, true>(axis, indices, input, output),
                _ => self.gather_found::<_, _, _, false>(axis, indices, input, output),
            },
            _ => self.run::<_, false>(indices, |tables| self.gather(tables, input, output)),
        }
    }

    /// Gathers what [moves at once](Few::moves_at_once). `ONE`: there is one lane. If there are
    /// more, one loop takes all lanes of a line, and each other lane has its own.
    ///
    /// Record: 20 to 120 f32 on Zen 3, against a loop for each lane: lanes of 2 to 4 0.6x to 0.9x,
    /// of 5 to 10 0.9x to 1.0x, of 23 1.05x.
    #[inline(never)]
    fn gather_found<T: Element, P: Place<T>, S: Places, const ONE: bool>(
        &self,
        axis: &Coordinate,
        indices: S,
        input: &[T],
        output: &mut [P],
    ) -> bool {
        let (others, length) =
            if ONE || self.line { (&[][..], self.count) } else { (self.others, self.lane.size) };
        self.each_first(others, |at| {
            let to = output.get_mut(at.flat..).and_then(|to| to.get_mut(..length));
            let set = |to: &mut P, place: usize| {
                // An entry that is left out leads to no place.
                if let Some(from) = input.get(place) {
                    *to = P::of(*from);
                }
            };
            to.is_some_and(|to| {
                self.along_run::<_, _, true, false, ONE>(axis, indices, at, to, set)
            })
        })
    }

    /// What the entries move: places in the table and in the flat tensor.
    #[inline(always)]
    pub(crate) fn each(&self, tables: &[u32], mut visit: impl FnMut(usize, usize)) {
        self.runs(tables, |tables, table, mut flat| {
            for at in tables {
                if *at != NOWHERE {
                    visit(table.wrapping_add(*at as usize), flat);
                }
                flat = flat.wrapping_add_signed(self.lane.flat);
            }
        });
    }

    /// `output[flat] = input[table]`.
    #[inline(never)]
    pub(crate) fn gather<T: Element, P: Place<T>>(
        &self,
        tables: &[u32],
        input: &[T],
        output: &mut [P],
    ) {
        let n = self.n;
        if !self.has_runs() {
            return self.each(tables, |table, flat| {
                let to = output.get_mut(flat..).and_then(|to| to.get_mut(..n));
                match (to, row(input, table, n)) {
                    (Some([to]), Some([from])) => *to = P::of(*from),
                    (Some(to), Some(from)) => P::copy(from, to),
                    _ => {}
                }
            });
        }
        // An entry that is left out leads to no place.
        let input = input.get(..self.plan.lengths.table).unwrap_or(input);
        self.runs(tables, |tables, table, flat| {
            let to = output.get_mut(flat..).unwrap_or_default();
            for (to, at) in to.iter_mut().zip(tables) {
                if let Some(from) = input.get(place(*at, table)) {
                    *to = P::of(*from);
                }
            }
        });
    }

    /// `change(data[table], updates[flat])`; `change_row` does the same for a row.
    #[inline(always)]
    pub(crate) fn scatter<T: Element, U: Element>(
        &self,
        tables: &[u32],
        data: &mut [T],
        updates: &[U],
        change: impl Fn(&mut T, &U),
        change_row: impl Fn(&mut [T], &[U]),
    ) {
        // An entry that is left out leads to no place.
        let length = data.len().min(self.plan.lengths.table);
        let data = data.get_mut(..length).unwrap_or_default();
        if !(self.line && self.has_runs()) {
            return self.scatter_apart(tables, data, updates, change, change_row);
        }
        let updates = updates.get(self.plan.start.flat..).unwrap_or_default();
        for (table, update) in tables.iter().zip(updates) {
            if let Some(to) = data.get_mut(*table as usize) {
                change(to, update);
            }
        }
    }

    /// Visits the rows of which an update changes all elements: where each starts, the place of its
    /// update, and its length. `false`: there are no such rows.
    #[inline(always)]
    pub(crate) fn rows_of_one(
        &self,
        tables: &[u32],
        mut visit: impl FnMut(usize, usize, usize),
    ) -> bool {
        let last = self.pieces.split_last().filter(|(row, _)| is_row_of_one(row));
        let Some((row, pieces)) = last else { return false };
        // A row that is walked backwards starts with its last element.
        let back = if row.table < 0 { row.size - 1 } else { 0 };
        Few { pieces, ..*self }
            .each(tables, |table, flat| visit(table.wrapping_sub(back), flat, row.size));
        true
    }

    #[inline(never)]
    fn scatter_apart<T: Element, U: Element>(
        &self,
        tables: &[u32],
        data: &mut [T],
        updates: &[U],
        change: impl Fn(&mut T, &U),
        change_row: impl Fn(&mut [T], &[U]),
    ) {
        let (n, step) = (self.n, self.lane.flat);
        self.runs(tables, |tables, table, mut flat| {
            for at in tables {
                let place = place(*at, table);
                if n > 1 {
                    let to = data.get_mut(place..).and_then(|to| to.get_mut(..n));
                    if let (Some(to), Some(updates)) = (to, row(updates, flat, n)) {
                        change_row(to, updates);
                    }
                } else if let (Some(to), Some(update)) = (data.get_mut(place), updates.get(flat)) {
                    change(to, update);
                }
                flat = flat.wrapping_add_signed(step);
            }
        });
    }
}

/// [`Few::resolve`] by kernels, or for what is rare. It is compiled once for all index types.
#[inline(never)]
fn locate(plan: &Plan, resolver: &dyn Resolver, tables: &mut [u32]) -> bool {
    if plan.is_one_block() {
        let mut axes = AXES;
        let filler = Filler::of(plan, &mut axes, Path::detect(), resolver);
        return filler.fill_from(&filler.one_span(), 0, tables);
    }
    each_entry(plan, resolver, &mut |at, table| {
        if let Some(to) = tables.get_mut(at.entry) {
            *to = table as u32;
        }
    })
}

/// The indices of a lane, from a place on. `None`: it lies outside.
#[inline(always)]
fn strided<S: Places>(
    indices: S,
    mut place: usize,
    lane: &Dim,
) -> impl FnMut() -> Option<S::Index> {
    move || {
        let index = indices.get(place);
        place = place.wrapping_add_signed(lane.indices);
        index
    }
}

/// Adds the positions of one coordinate to places of a lane, and hands them on. `FIRST`: none of
/// them is left out so far. `false`: an index is out of bounds under `Bounds::Error`, or lies
/// outside the slice.
#[inline(always)]
fn along<I: Value, T, const FIRST: bool, const CELLS: bool>(
    plan: &Plan,
    axis: &Coordinate,
    entries: impl Iterator<Item = (Option<I>, usize, T)>,
    mut set: impl FnMut(T, usize),
) -> bool {
    let Coordinate { size, table, cell } = *axis;
    let stride = if CELLS { cell } else { table as usize };
    // Without a size, a negative index stays so: as a position it is beyond the longest axis.
    let (end, most) = match plan.negative {
        Negative::FromEnd => (size, size),
        Negative::OutOfBounds => (0, size.min(LONGEST)),
    };
    for (index, from, to) in entries {
        let Some(index) = index else { return false };
        let mut position = I::position(index, end, Negative::FromEnd);
        let mut inside = FIRST || from as u32 != NOWHERE;
        if position >= most {
            let found = outside(plan, axis, index);
            (position, inside) = (found.unwrap_or(0), inside && found.is_some());
            if found.is_none() && matches!(plan.bounds, Bounds::Error) {
                return false;
            }
        }
        set(to, if inside { from.wrapping_add(position.wrapping_mul(stride)) } else { usize::MAX });
    }
    true
}

/// Where an index leads that is not on its axis.
#[cold]
#[inline(never)]
fn outside<I: Value>(plan: &Plan, axis: &Coordinate, index: I) -> Option<usize> {
    resolve(index, axis.size, plan.bounds, plan.negative)
}

/// Whether there are several groups, which are short, and lanes do not all start a step apart: then
/// kernels would start again for each lane.
#[inline(never)]
fn has_short_groups(plan: &Plan) -> bool {
    let (_, others) = split_lane(plan.outer());
    let follow = |step: fn(&Dim) -> isize| steps_follow(others, step);
    plan.outer > 2
        && plan.group().saturating_mul(plan.tuple.max(1)) <= tuning::FEW_A_GROUP
        && !(follow(|dim| dim.indices) && follow(|dim| dim.flat))
}

/// The place of a piece, where `table` is what it adds to that of its entry. If this is left out,
/// it lies outside: with 64 bits any sum does.
#[inline(always)]
fn place(at: u32, table: usize) -> usize {
    if cfg!(target_pointer_width = "32") && at == NOWHERE {
        usize::MAX
    } else {
        table.wrapping_add(at as usize)
    }
}

/// The row of `n` elements at a place.
pub(crate) fn row<T>(slice: &[T], place: usize, n: usize) -> Option<&[T]> {
    slice.get(place..)?.get(..n)
}
