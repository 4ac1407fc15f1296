//! Few entries: one after the other, in plain loops. The kernels take longer to start.

use crate::element::Element;
use crate::engine::tuning;
use crate::index::{Bounds, Index};
use crate::plan::Plan;
use crate::reduction::Reduction;

/// Where each of a few entries leads.
pub(crate) struct Few {
    places: [usize; tuning::FEW],
    count: usize,
    /// The place of the first entry in the flat tensor, and the distance between entries.
    flat: usize,
    step: isize,
}

/// The place of an entry that is left out.
const NOWHERE: usize = usize::MAX;

impl Few {
    /// `None`: there are more entries, in more than one lane, or they move more than rows.
    #[inline]
    pub(crate) fn of(plan: &Plan) -> Option<Few> {
        let (count, step) = match plan.outer() {
            [] => (1, 0),
            [lane] if lane.size <= tuning::FEW => (lane.size, lane.flat),
            _ => return None,
        };
        let rows = plan.pieces().is_empty();
        (rows && !plan.empty).then_some(Few {
            places: [NOWHERE; tuning::FEW],
            count,
            flat: plan.start.flat,
            step,
        })
    }

    /// Finds all places. `false`: an index is out of bounds under `Bounds::Error`.
    #[inline(never)]
    pub(crate) fn resolve<I: Index>(&mut self, plan: &Plan, indices: &[I]) -> bool {
        let (mut start, mut table) = (plan.start.indices, plan.start.table);
        let (step, table_step) =
            plan.outer().first().map_or((0, 0), |lane| (lane.indices, lane.table));
        for place in self.places.iter_mut().take(self.count) {
            let (mut at, mut found) = (start, Some(table));
            for axis in plan.coordinates() {
                let position = plan.position(indices, at, axis.size);
                let go = |place: usize, position: usize| {
                    place.wrapping_add(position.wrapping_mul(axis.table as usize))
                };
                found = found.zip(position).map(|(place, position)| go(place, position));
                at = at.wrapping_add_signed(plan.tuple_stride);
            }
            match found {
                Some(found) => *place = found,
                None if matches!(plan.bounds, Bounds::Error) => return false,
                None => {}
            }
            start = start.wrapping_add_signed(step);
            table = table.wrapping_add_signed(table_step);
        }
        true
    }

    /// Each entry's place in the table and in the flat tensor.
    #[inline(always)]
    fn entries(&self) -> impl Iterator<Item = (usize, usize)> {
        let flat = |n: usize| self.flat.wrapping_add(n.wrapping_mul(self.step as usize));
        self.places.iter().take(self.count).enumerate().map(move |(n, place)| (*place, flat(n)))
    }

    /// `output[flat] = input[place]` in rows of `n`.
    #[inline(never)]
    pub(crate) fn gather<T: Element>(&self, n: usize, input: &[T], output: &mut [T]) {
        for (place, flat) in self.entries() {
            if n == 1 {
                if let (Some(to), Some(from)) = (output.get_mut(flat), input.get(place)) {
                    *to = *from;
                }
                continue;
            }
            let to = output.get_mut(flat..).and_then(|to| to.get_mut(..n));
            if let (Some(to), Some(from)) = (to, row(input, place, n)) {
                to.copy_from_slice(from);
            }
        }
    }

    /// `data[place] = reduction(data[place], updates[flat])` in rows of `n`.
    #[inline(never)]
    pub(crate) fn scatter<T: Element, R: Reduction<T>>(
        &self,
        n: usize,
        reduction: &R,
        data: &mut [T],
        updates: &[T],
    ) {
        for (place, flat) in self.entries() {
            if n == 1 {
                if let (Some(to), Some(update)) = (data.get_mut(place), updates.get(flat)) {
                    *to = reduction.combine(*to, *update);
                }
                continue;
            }
            let to = data.get_mut(place..).and_then(|to| to.get_mut(..n));
            if let (Some(to), Some(updates)) = (to, row(updates, flat, n)) {
                reduction.combine_row(to, updates);
            }
        }
    }
}

/// The row of `n` elements at a place.
fn row<T>(slice: &[T], place: usize, n: usize) -> Option<&[T]> {
    slice.get(place..)?.get(..n)
}
