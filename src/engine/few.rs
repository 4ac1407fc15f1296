//! Few entries: one after the other, in plain loops. The kernels take longer to start.

use strew_simd::Place;

use crate::element::Element;
use crate::engine::resolver::{Resolver, reach};
use crate::engine::traverse::each_piece;
use crate::engine::tuning;
use crate::index::{Bounds, resolve};
use crate::indices::sealed::Places;
use crate::plan::{Coordinate, Dim, Plan};
use crate::reduction::Reduction;
use crate::walk::{Odometer, Position, split_lane};

/// What a few entries move: some pieces, in rows of `n` elements.
#[derive(Clone, Copy)]
pub(crate) struct Few<'a> {
    plan: &'a Plan,
    count: usize,
    pieces: &'a [Dim],
    n: usize,
}

/// Where an entry leads, and its place in the flat tensor.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    table: usize,
    flat: usize,
}

impl Entry {
    /// The first one of a plan without indices.
    pub(crate) fn first(plan: &Plan) -> Entry {
        Entry { table: plan.start.table, flat: plan.start.flat }
    }

    /// Visits the places of those that are not left out.
    #[inline(always)]
    pub(crate) fn each(entries: &[Entry], mut visit: impl FnMut(usize, usize)) {
        for entry in entries.iter().filter(|entry| entry.table != NOWHERE) {
            visit(entry.table, entry.flat);
        }
    }
}

/// The place in the table of an entry that is left out.
const NOWHERE: usize = usize::MAX;

impl<'a> Few<'a> {
    /// `None`: there are more entries, or they move much.
    #[inline]
    pub(crate) fn of(plan: &'a Plan) -> Option<Few<'a>> {
        let count = plan.entries();
        if count > tuning::FEW_OF_SPANS || plan.empty {
            return None;
        }
        let (pieces, n) = plan.split_inner();
        if count > tuning::FEW && (n > tuning::FEW_ROW || count > most(plan, count)) {
            return None;
        }
        let rows = pieces.iter().fold(count, |rows, dim| rows.saturating_mul(dim.size));
        let most = if n == 1 { tuning::FEW_ELEMENTS } else { tuning::FEW_ROWS };
        let few = rows <= most && (pieces.is_empty() || n <= tuning::FEW_ROW);
        few.then_some(Few { plan, count, pieces, n })
    }

    /// Runs with room for the entries: what a call does not need takes time to clear.
    #[inline(always)]
    pub(crate) fn with_room<R>(self, run: impl FnOnce(&mut [Entry]) -> R) -> R {
        let none = Entry { table: 0, flat: 0 };
        let (mut less, mut all, mut more);
        let entries = if self.count <= LESS {
            less = [none; LESS];
            &mut less[..]
        } else if self.count <= tuning::FEW {
            all = [none; tuning::FEW];
            &mut all[..]
        } else {
            more = [none; tuning::FEW_OF_SPANS];
            &mut more[..]
        };
        run(entries.get_mut(..self.count).unwrap_or_default())
    }

    /// Runs with where the entries lead. `false`: an index is out of bounds under `Bounds::Error`,
    /// and nothing has run.
    #[inline(always)]
    pub(crate) fn run<S: Places>(self, indices: S, run: impl FnOnce(&[Entry])) -> bool {
        self.with_room(|entries| {
            let inside = self.resolve(indices, entries);
            if inside {
                run(entries);
            }
            inside
        })
    }

    /// Finds where the entries lead. `false`: an index is out of bounds under `Bounds::Error`.
    #[inline(never)]
    pub(crate) fn resolve<S: Places>(&self, indices: S, entries: &mut [Entry]) -> bool {
        let plan = self.plan;
        if S::NULLABLE || plan.ring != 1 {
            return self.locate(&indices, entries);
        }
        let Plan { bounds, negative, tuple_stride: step, .. } = *plan;
        let position = |index: usize, axis: &Coordinate| {
            let position = resolve(indices.get(index)?, axis.size, bounds, negative)?;
            Some(position.wrapping_mul(axis.table as usize))
        };
        if let [axis] = plan.coordinates() {
            return self
                .fill(entries, |at| Some(at.table.wrapping_add(position(at.indices, axis)?)));
        }
        self.fill(entries, |at| {
            let (mut table, mut index) = (at.table, at.indices);
            for axis in plan.coordinates() {
                table = table.wrapping_add(position(index, axis)?);
                index = index.wrapping_add_signed(step);
            }
            Some(table)
        })
    }

    /// The same for indices that may not count, and for rings, compiled once for all index types.
    #[cold]
    fn locate(&self, resolver: &dyn Resolver, entries: &mut [Entry]) -> bool {
        let plan = self.plan;
        self.fill(entries, |at| {
            let left_out = || (!resolver.counts(plan, at.indices)).then_some(NOWHERE);
            reach(plan, resolver, at).or_else(left_out)
        })
    }

    /// Sets all entries to where they lead. `false`: `place` found nothing for one, under
    /// `Bounds::Error`.
    #[inline(always)]
    fn fill(&self, entries: &mut [Entry], place: impl Fn(&Position) -> Option<usize>) -> bool {
        let strict = matches!(self.plan.bounds, Bounds::Error);
        let (&lane, others) = split_lane(self.plan.outer());
        let (mut start, mut odometer) = (Position::first(self.plan), Odometer::new());
        entries.chunks_mut(lane.size.max(1)).all(|entries| {
            let mut at = start;
            for entry in entries {
                let table = match place(&at) {
                    Some(table) => table,
                    None if strict => return false,
                    None => NOWHERE,
                };
                *entry = Entry { table, flat: at.flat };
                at.step(&lane);
            }
            odometer.step(others, &mut start);
            true
        })
    }

    /// What the entries move: places in the table and in the flat tensor.
    #[inline(always)]
    fn each(self, entries: &[Entry], mut visit: impl FnMut(usize, usize)) {
        each_piece(self.pieces, |table, flat| {
            Entry::each(entries, |at, to| visit(at.wrapping_add(table), to.wrapping_add(flat)));
        });
    }

    /// `output[flat] = input[table]`.
    #[inline(never)]
    pub(crate) fn gather<T: Element, P: Place<T>>(
        self,
        entries: &[Entry],
        input: &[T],
        output: &mut [P],
    ) {
        let n = self.n;
        if n == 1 {
            return self.each(entries, |table, flat| {
                if let (Some(to), Some(from)) = (output.get_mut(flat), input.get(table)) {
                    *to = P::of(*from);
                }
            });
        }
        self.each(entries, |table, flat| {
            let to = output.get_mut(flat..).and_then(|to| to.get_mut(..n));
            if let (Some(to), Some(from)) = (to, row(input, table, n)) {
                P::copy(from, to);
            }
        });
    }

    /// The same to the end of a vector, for entries in the order of the flat tensor. `false`: not
    /// all of them are.
    #[inline(never)]
    pub(crate) fn append<T: Element>(
        self,
        entries: &[Entry],
        input: &[T],
        output: &mut Vec<T>,
    ) -> bool {
        let (start, mut all) = (output.len(), true);
        self.each(entries, |table, flat| match row(input, table, self.n) {
            Some(from) if start.wrapping_add(flat) == output.len() => {
                output.extend_from_slice(from);
            }
            _ => all = false,
        });
        all
    }

    /// `data[table] = reduction(data[table], updates[flat])`.
    #[inline(never)]
    pub(crate) fn scatter<T: Element, R: Reduction<T>>(
        self,
        entries: &[Entry],
        reduction: &R,
        data: &mut [T],
        updates: &[T],
    ) {
        let n = self.n;
        if n == 1 {
            return self.each(entries, |table, flat| {
                if let (Some(to), Some(update)) = (data.get_mut(table), updates.get(flat)) {
                    *to = reduction.combine(*to, *update);
                }
            });
        }
        self.each(entries, |table, flat| {
            let to = data.get_mut(table..).and_then(|to| to.get_mut(..n));
            if let (Some(to), Some(updates)) = (to, row(updates, flat, n)) {
                reduction.combine_row(to, updates);
            }
        });
    }
}

/// The number of entries up to which those of a plan are few. Kernels start again for each span, so
/// several spans may have more in all. Where there are many spans, kernels do better: they can walk
/// longer lanes.
#[inline(never)]
fn most(plan: &Plan, count: usize) -> usize {
    let spans = count.checked_div(plan.span()).unwrap_or(0);
    if spans > tuning::FEW_SPANS || plan.outer <= 2 || plan.lanes_follow() {
        return tuning::FEW;
    }
    let coordinates = plan.coordinates().len().max(1);
    spans.saturating_mul(tuning::FEW_A_SPAN.checked_div(coordinates).unwrap_or(0))
}

/// Calls of at most this many entries have a shorter array.
const LESS: usize = if tuning::FEW < 16 { tuning::FEW } else { 16 };

/// The row of `n` elements at a place.
fn row<T>(slice: &[T], place: usize, n: usize) -> Option<&[T]> {
    slice.get(place..)?.get(..n)
}
