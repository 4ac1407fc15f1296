//! Few entries: one after the other, in plain loops. The kernels take longer to start.

use core::ops::Range;

use strew_simd::Place;

use crate::element::Element;
use crate::engine::resolver::{Resolver, reach};
use crate::engine::traverse::each_piece;
use crate::engine::tuning;
use crate::index::sealed::Value;
use crate::index::{Bounds, LONGEST, Negative, resolve};
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
        let simple = n == 1 && plan.tuple <= 1 && pieces.is_empty();
        let few = if simple { tuning::FEW } else { tuning::FEW_OTHERS };
        if count > few && (n > tuning::FEW_ROW || count > of_spans(plan, count)) {
            return None;
        }
        let rows = pieces.iter().fold(count, |rows, dim| rows.saturating_mul(dim.size));
        let most = if n == 1 { tuning::FEW_ELEMENTS } else { tuning::FEW_ROWS };
        let few = rows <= most && (pieces.is_empty() || n <= tuning::FEW_ROW);
        few.then_some(Few { plan, count, pieces, n })
    }

    /// Runs with room for the entries: what a call does not need takes time to clear.
    #[inline(always)]
    pub(crate) fn with_room<R>(self, run: impl FnOnce(&mut [usize]) -> R) -> R {
        let (mut less, mut all, mut more);
        let tables = if self.count <= LESS {
            less = [NOWHERE; LESS];
            &mut less[..]
        } else if self.count <= tuning::FEW {
            all = [NOWHERE; tuning::FEW];
            &mut all[..]
        } else {
            more = [NOWHERE; tuning::FEW_OF_SPANS];
            &mut more[..]
        };
        run(tables.get_mut(..self.count).unwrap_or_default())
    }

    /// Runs with where in the table the entries lead. `false`: an index is out of bounds under
    /// `Bounds::Error`, and nothing has run.
    #[inline(always)]
    pub(crate) fn run<S: Places>(self, indices: S, run: impl FnOnce(&[usize])) -> bool {
        self.with_room(|tables| {
            let inside = self.resolve(indices, tables);
            if inside {
                run(tables);
            }
            inside
        })
    }

    /// Finds where the entries lead. `false`: an index is out of bounds under `Bounds::Error`.
    #[inline(never)]
    pub(crate) fn resolve<S: Places>(&self, indices: S, tables: &mut [usize]) -> bool {
        let plan = self.plan;
        if S::NULLABLE || plan.ring != 1 {
            return self.locate(&indices, tables);
        }
        let Plan { bounds, negative, tuple_stride: step, .. } = *plan;
        let lane = split_lane(plan.outer()).0;
        if let ([axis], Some(indices), 1) = (plan.coordinates(), indices.slice(), lane.indices) {
            return self.lanes(|at, entries| {
                let tables = tables.get_mut(entries).unwrap_or_default();
                let indices = indices.get(at.indices..).unwrap_or_default();
                along(plan, axis, indices, at.table, lane.table, tables)
            });
        }
        self.fill(tables, |at| {
            let (mut table, mut place) = (at.table, at.indices);
            for axis in plan.coordinates() {
                let position = resolve(indices.get(place)?, axis.size, bounds, negative)?;
                table = table.wrapping_add(position.wrapping_mul(axis.table as usize));
                place = place.wrapping_add_signed(step);
            }
            Some(table)
        })
    }

    /// The same for indices that may not count, and for rings, compiled once for all index types.
    #[cold]
    fn locate(&self, resolver: &dyn Resolver, tables: &mut [usize]) -> bool {
        let plan = self.plan;
        self.fill(tables, |at| {
            let left_out = || (!resolver.counts(plan, at.indices)).then_some(NOWHERE);
            reach(plan, resolver, at).or_else(left_out)
        })
    }

    /// Sets all entries to where they lead. `false`: `place` found nothing for one, under
    /// `Bounds::Error`.
    #[inline(always)]
    fn fill(&self, tables: &mut [usize], place: impl Fn(&Position) -> Option<usize>) -> bool {
        let strict = matches!(self.plan.bounds, Bounds::Error);
        let lane = *split_lane(self.plan.outer()).0;
        self.lanes(|mut at, entries| {
            tables.get_mut(entries).unwrap_or_default().iter_mut().all(|table| {
                let place = place(&at);
                *table = place.unwrap_or(NOWHERE);
                at.step(&lane);
                !strict || place.is_some()
            })
        })
    }

    /// Visits the lanes as long as that is `true`: the position of the first entry of each, and the
    /// numbers of its entries.
    #[inline(always)]
    fn lanes(&self, mut visit: impl FnMut(Position, Range<usize>) -> bool) -> bool {
        let (lane, others) = split_lane(self.plan.outer());
        let (mut at, mut odometer) = (Position::first(self.plan), Odometer::new());
        let mut entries = 0..lane.size;
        while visit(at, entries.clone()) {
            entries = entries.end..entries.end + lane.size;
            if entries.start >= self.count {
                return true;
            }
            odometer.step(others, &mut at);
        }
        false
    }

    /// Visits the entries that are not left out: their places in the table and in the flat tensor.
    #[inline(always)]
    pub(crate) fn entries(self, tables: &[usize], mut visit: impl FnMut(usize, usize)) {
        let step = split_lane(self.plan.outer()).0.flat;
        self.lanes(|at, entries| {
            let mut flat = at.flat;
            for table in tables.get(entries).unwrap_or_default() {
                if *table != NOWHERE {
                    visit(*table, flat);
                }
                flat = flat.wrapping_add_signed(step);
            }
            true
        });
    }

    /// What the entries move: places in the table and in the flat tensor.
    #[inline(always)]
    fn each(self, tables: &[usize], mut visit: impl FnMut(usize, usize)) {
        each_piece(self.pieces, |table, flat| {
            self.entries(tables, |at, to| visit(at.wrapping_add(table), to.wrapping_add(flat)));
        });
    }

    /// `output[flat] = input[table]`.
    #[inline(never)]
    pub(crate) fn gather<T: Element, P: Place<T>>(
        self,
        tables: &[usize],
        input: &[T],
        output: &mut [P],
    ) {
        let n = self.n;
        if n == 1 {
            return self.each(tables, |table, flat| {
                if let (Some(to), Some(from)) = (output.get_mut(flat), input.get(table)) {
                    *to = P::of(*from);
                }
            });
        }
        self.each(tables, |table, flat| {
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
        tables: &[usize],
        input: &[T],
        output: &mut Vec<T>,
    ) -> bool {
        let (start, mut all) = (output.len(), true);
        self.each(tables, |table, flat| match row(input, table, self.n) {
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
        tables: &[usize],
        reduction: &R,
        data: &mut [T],
        updates: &[T],
    ) {
        let n = self.n;
        if n == 1 {
            return self.each(tables, |table, flat| {
                if let (Some(to), Some(update)) = (data.get_mut(table), updates.get(flat)) {
                    *to = reduction.combine(*to, *update);
                }
            });
        }
        self.each(tables, |table, flat| {
            let to = data.get_mut(table..).and_then(|to| to.get_mut(..n));
            if let (Some(to), Some(updates)) = (to, row(updates, flat, n)) {
                reduction.combine_row(to, updates);
            }
        });
    }
}

/// Sets where entries lead that have contiguous indices. The first one starts at a place of the
/// table, the others step on in it. `false`: an index is out of bounds under `Bounds::Error`.
#[inline(always)]
fn along<I: Value>(
    plan: &Plan,
    axis: &Coordinate,
    indices: &[I],
    mut start: usize,
    step: isize,
    tables: &mut [usize],
) -> bool {
    let Coordinate { size, table: stride, .. } = *axis;
    // Without a size, a negative index stays so: as a position it is beyond the longest axis.
    let (end, most) = match plan.negative {
        Negative::FromEnd => (size, size),
        Negative::OutOfBounds => (0, size.min(LONGEST)),
    };
    tables.iter_mut().zip(indices).all(|(table, index)| {
        let mut position = I::position(*index, end, Negative::FromEnd);
        let mut inside = true;
        if position >= most {
            let found = outside(plan, axis, *index);
            (position, inside) = (found.unwrap_or(0), found.is_some());
        }
        let place = start.wrapping_add(position.wrapping_mul(stride as usize));
        *table = if inside { place } else { NOWHERE };
        start = start.wrapping_add_signed(step);
        inside || !matches!(plan.bounds, Bounds::Error)
    })
}

/// Where an index leads that is not on its axis.
#[cold]
#[inline(never)]
fn outside<I: Value>(plan: &Plan, axis: &Coordinate, index: I) -> Option<usize> {
    resolve(index, axis.size, plan.bounds, plan.negative)
}

/// The number of entries, beyond the usual one, up to which those of a plan are few. Kernels start
/// again for each span, so several spans may have more in all. Where there are many spans, kernels
/// do better: they can walk longer lanes.
#[inline(never)]
fn of_spans(plan: &Plan, count: usize) -> usize {
    let spans = count.checked_div(plan.span()).unwrap_or(0);
    if spans > tuning::FEW_SPANS || plan.outer <= 2 || plan.lanes_follow() {
        return 0;
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
