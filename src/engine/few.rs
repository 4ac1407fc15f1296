//! Few entries: one after the other, in plain loops. The kernels take longer to start.

use core::mem::take;

use strew_simd::Place;

use crate::element::Element;
use crate::engine::resolver::{Resolver, reach};
use crate::engine::tuning;
use crate::index::{Bounds, resolve};
use crate::indices::sealed::Places;
use crate::plan::{Dim, Plan};
use crate::reduction::Reduction;
use crate::walk::{Position, SINGLE};

/// Where each of a few entries lies in the flat tensor: some lanes of them.
#[derive(Clone, Copy)]
pub(crate) struct Few {
    lanes: usize,
    length: usize,
    /// The place of the first entry, and the distances between lanes and between entries.
    flat: usize,
    lane_step: isize,
    step: isize,
}

/// The place of an entry that is left out.
const NOWHERE: usize = usize::MAX;

impl Few {
    /// `None`: there are more entries, or more than two dimensions, or entries move more than rows.
    #[inline]
    pub(crate) fn of(plan: &Plan) -> Option<Few> {
        let (upper, lane) = match plan.outer() {
            [] => (&SINGLE, &SINGLE),
            [lane] => (&SINGLE, lane),
            [upper, lane] => (upper, lane),
            _ => return None,
        };
        let few = upper.size.saturating_mul(lane.size) <= tuning::FEW;
        (few && plan.pieces().is_empty() && !plan.empty).then_some(Few {
            lanes: upper.size,
            length: lane.size,
            flat: plan.start.flat,
            lane_step: upper.flat,
            step: lane.flat,
        })
    }

    fn count(&self) -> usize {
        self.lanes.wrapping_mul(self.length)
    }

    /// Finds the places in the table. `false`: an index is out of bounds under `Bounds::Error`.
    #[inline(never)]
    pub(crate) fn resolve<S: Places>(&self, plan: &Plan, indices: S, places: &mut [usize]) -> bool {
        if S::NULLABLE || !matches!((plan.bounds, plan.ring), (Bounds::Error, 1)) {
            return self.locate(plan, &indices, places);
        }
        let (negative, axes, next) = (plan.negative, plan.coordinates(), plan.tuple_stride);
        self.lanes(plan, places, |places, Position { mut table, indices: mut start, .. }, lane| {
            for place in places {
                let (mut sum, mut at) = (table, start);
                for axis in axes {
                    let Some(index) = indices.get(at) else { return false };
                    let position = resolve(index, axis.size, Bounds::Error, negative);
                    let Some(position) = position else { return false };
                    sum = sum.wrapping_add(position.wrapping_mul(axis.table as usize));
                    at = at.wrapping_add_signed(next);
                }
                *place = sum;
                table = table.wrapping_add_signed(lane.table);
                start = start.wrapping_add_signed(lane.indices);
            }
            true
        })
    }

    /// The same for any policy, compiled once for all index types.
    #[cold]
    fn locate(&self, plan: &Plan, resolver: &dyn Resolver, places: &mut [usize]) -> bool {
        self.lanes(plan, places, |places, mut at, lane| {
            for place in places {
                match reach(plan, resolver, &at) {
                    Some(found) => *place = found,
                    None if matches!(plan.bounds, Bounds::Error)
                        && resolver.counts(plan, at.indices) =>
                    {
                        return false;
                    }
                    None => {}
                }
                at.step(lane);
            }
            true
        })
    }

    /// Visits the places of each lane, and where it starts, until `visit` returns `false`.
    #[inline(always)]
    fn lanes<'a>(
        &self,
        plan: &'a Plan,
        mut places: &mut [usize],
        mut visit: impl FnMut(&mut [usize], Position, &'a Dim) -> bool,
    ) -> bool {
        let (upper, lane) = match plan.outer() {
            [] => (&SINGLE, &SINGLE),
            [lane] => (&SINGLE, lane),
            [upper, lane, ..] => (upper, lane),
        };
        let mut start = Position::first(plan);
        for _ in 0..self.lanes {
            let Some((now, after)) = take(&mut places).split_at_mut_checked(self.length) else {
                return false;
            };
            if !visit(now, start, lane) {
                return false;
            }
            places = after;
            start.step(upper);
        }
        true
    }

    /// Each entry's place in the table and in the flat tensor.
    #[inline(always)]
    fn entries(self, mut places: &[usize], mut visit: impl FnMut(usize, usize)) {
        let Few { lanes, length, flat: mut lane, lane_step, step } = self;
        for _ in 0..lanes {
            let Some((now, after)) = places.split_at_checked(length) else { return };
            let mut flat = lane;
            for place in now {
                visit(*place, flat);
                flat = flat.wrapping_add_signed(step);
            }
            lane = lane.wrapping_add_signed(lane_step);
            places = after;
        }
    }

    /// The same for those that are not left out.
    #[cfg(feature = "ndarray")]
    pub(crate) fn visit(self, places: &[usize], mut visit: impl FnMut(usize, usize)) {
        self.entries(places, |place, flat| {
            if place != NOWHERE {
                visit(place, flat);
            }
        });
    }

    /// `output[flat] = input[place]` in rows of `n`.
    #[inline(never)]
    pub(crate) fn gather<T: Element, P: Place<T>>(
        &self,
        places: &[usize],
        n: usize,
        input: &[T],
        output: &mut [P],
    ) {
        if n == 1 {
            return self.entries(places, |place, flat| {
                if let (Some(to), Some(from)) = (output.get_mut(flat), input.get(place)) {
                    *to = P::of(*from);
                }
            });
        }
        self.entries(places, |place, flat| {
            let to = output.get_mut(flat..).and_then(|to| to.get_mut(..n));
            if let (Some(to), Some(from)) = (to, row(input, place, n)) {
                P::copy(from, to);
            }
        });
    }

    /// The same to the end of a vector, for entries in the order of the flat tensor. `false`: not
    /// all of them are.
    #[inline(never)]
    pub(crate) fn append<T: Element>(
        &self,
        places: &[usize],
        n: usize,
        input: &[T],
        output: &mut Vec<T>,
    ) -> bool {
        let (start, mut all) = (output.len(), true);
        self.entries(places, |place, flat| match row(input, place, n) {
            Some(from) if start.wrapping_add(flat) == output.len() => {
                output.extend_from_slice(from);
            }
            _ => all = false,
        });
        all
    }

    /// `data[place] = reduction(data[place], updates[flat])` in rows of `n`.
    #[inline(never)]
    pub(crate) fn scatter<T: Element, R: Reduction<T>>(
        &self,
        places: &[usize],
        n: usize,
        reduction: &R,
        data: &mut [T],
        updates: &[T],
    ) {
        if n == 1 {
            return self.entries(places, |place, flat| {
                if let (Some(to), Some(update)) = (data.get_mut(place), updates.get(flat)) {
                    *to = reduction.combine(*to, *update);
                }
            });
        }
        self.entries(places, |place, flat| {
            let to = data.get_mut(place..).and_then(|to| to.get_mut(..n));
            if let (Some(to), Some(updates)) = (to, row(updates, flat, n)) {
                reduction.combine_row(to, updates);
            }
        });
    }
}

/// Runs with room for the places of a few entries: what a call does not need takes time to clear.
#[inline(always)]
pub(crate) fn with_places<R>(few: &Few, run: impl FnOnce(&mut [usize]) -> R) -> R {
    let mut less;
    let mut all;
    let places = if few.count() <= LESS {
        less = [NOWHERE; LESS];
        &mut less[..]
    } else {
        all = [NOWHERE; tuning::FEW];
        &mut all[..]
    };
    run(places)
}

/// Calls of at most this many entries have a shorter array.
const LESS: usize = if tuning::FEW < 16 { tuning::FEW } else { 16 };

/// The row of `n` elements at a place.
fn row<T>(slice: &[T], place: usize, n: usize) -> Option<&[T]> {
    slice.get(place..)?.get(..n)
}
