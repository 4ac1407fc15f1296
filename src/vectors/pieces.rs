//! Plans changed for `std`: reordered, cut to pieces for threads, put on a packed copy.

use strew_simd::BLOCK;

#[cfg(feature = "rayon")]
use crate::plan::Direction;
use crate::plan::{Dim, Plan, Start};
use crate::walk::Position;

impl Plan {
    /// Whether vectors may gain something: there are entries to fill them, and the addresses and positions fit into halves of a word.
    #[inline]
    pub(crate) fn suits_vectors(&self) -> bool {
        const ENTRIES: usize = 32;
        const LENGTH: usize = i32::MAX as usize;
        let entries = self.outer().iter().chain(self.before_row()).fold(1_usize, |entries, dim| entries.saturating_mul(dim.size));
        entries >= ENTRIES && self.lengths.table <= LENGTH && self.coordinates().iter().all(|coordinate| coordinate.size <= LENGTH)
    }

    /// The inner dimensions without the row of neighbours at their end, if there is one.
    #[inline]
    fn before_row(&self) -> &[Dim] {
        match self.inner() {
            [before @ .., row] if (row.table, row.flat) == (1, 1) => before,
            inner => inner,
        }
    }

    /// The same plan with the dimensions before an axis first: the flat tensor is walked in its own order, and the indices once for each of its
    /// pieces. `None`: there are no such dimensions, or lanes would not be packed.
    ///
    /// Updates of one place keep their order, since each place belongs to one coordinate of these dimensions.
    pub(crate) fn in_flat_order(&self) -> Option<Plan> {
        let before = self.before_row();
        if before.is_empty() {
            return None;
        }
        let largest = self.outer().iter().map(|dim| dim.flat.unsigned_abs()).max().unwrap_or(0);
        if before.iter().any(|dim| dim.flat.unsigned_abs() <= largest) {
            return None;
        }
        let mut plan = *self;
        plan.dims.get_mut(..self.outer + before.len())?.rotate_left(self.outer);
        plan.outer += before.len();
        plan.find_packed();
        (plan.packed_tuple > 0 && plan.packed_row > 0).then_some(plan)
    }

    /// The plan for a block of columns: what the indices of `width` neighbouring columns move on a packed copy of these. `at` is the start of the last
    /// two outer dimensions, of which the second holds the columns.
    pub(crate) fn on_columns(&self, at: &Position, column: usize, width: usize) -> Plan {
        let mut plan = Plan { outer: 2, rank: 2, ..*self };
        if let (Some([along, lane]), Some([to_along, to_lane])) = (self.outer().last_chunk::<2>(), plan.dims.first_chunk_mut::<2>()) {
            (*to_along, *to_lane) = (*along, Dim { size: width, ..*lane });
        }
        let [axis, ..] = &mut plan.coordinates;
        axis.table = width as isize;
        plan.lengths.table = axis.size.saturating_mul(width);
        plan.start = Start { table: 0, indices: at.indices.wrapping_add(column), flat: at.flat.wrapping_add(column) };
        plan
    }

    /// Whether the lanes of the indices are short pieces, far from each other.
    pub(crate) fn has_far_lanes(&self) -> bool {
        const SHORT: usize = 128;
        const FAR: usize = 512;
        matches!(self.outer(), [.., outer, lane] if lane.size <= SHORT && outer.indices.unsigned_abs() >= FAR)
    }

    /// The length of the piece of the table that a lane leads into, if each has a short one of its own, and most of it will be needed: it is asked for one
    /// lane ahead. (`strew-benches`, `elements` along axis 1: scatters take a fifth to two fifths less time, gathers a twentieth to a tenth.)
    pub(crate) fn piece(&self) -> Option<usize> {
        const LONGEST: usize = 4096;
        match (self.outer(), self.coordinates()) {
            ([.., outer, lane], [axis]) if outer.table != 0 && axis.table == 1 && lane.size >= BLOCK.max(axis.size / 4) => {
                Some(axis.size).filter(|size| *size <= LONGEST)
            }
            _ => None,
        }
    }

    /// The distance over which the tuples of one lane choose elements of the table.
    pub(crate) fn reach(&self) -> usize {
        self.coordinates().iter().fold(0, |reach, axis| axis.size.saturating_mul(axis.table.unsigned_abs()).max(reach))
    }

    /// So many steps of the outermost dimension, and the rest. `None`: there are no more.
    #[cfg(feature = "rayon")]
    pub(crate) fn split(&self, steps: usize) -> Option<(Plan, Plan)> {
        let (mut first, mut second) = (*self, *self);
        let (dim, rest) = (first.dims.first_mut()?, second.dims.first_mut()?);
        rest.size = rest.size.checked_sub(steps).filter(|size| self.outer > 0 && *size > 0)?;
        dim.size = steps;
        let go = |start: usize, step: isize| start.wrapping_add(steps.wrapping_mul(step as usize));
        second.start = Start {
            table: go(self.start.table, rest.table),
            indices: go(self.start.indices, rest.indices),
            flat: go(self.start.flat, rest.flat),
        };
        Some((first, second))
    }

    /// The number of entries of the indices.
    pub(crate) fn entries(&self) -> usize {
        self.outer().iter().fold(1, |entries, dim| entries.saturating_mul(dim.size))
    }

    /// Whether each step of the outermost dimension writes elements after all those of the step before it.
    #[cfg(feature = "rayon")]
    pub(crate) fn pieces_are_apart(&self, direction: Direction) -> bool {
        let mut dims = self.outer().iter().chain(self.inner()).map(|dim| match direction {
            Direction::Gather => (dim.size, dim.flat),
            Direction::Scatter => (dim.size, dim.table),
        });
        let Some((_, step)) = dims.next() else { return false };
        let axes = self.coordinates().iter().filter(|_| matches!(direction, Direction::Scatter)).map(|axis| (axis.size, axis.table));
        let mut reach = 0_isize;
        for (size, stride) in dims.chain(axes) {
            match isize::try_from(size.saturating_sub(1)).ok().and_then(|steps| steps.checked_mul(stride)) {
                Some(far) if far >= 0 => reach = reach.saturating_add(far),
                _ => return false,
            }
        }
        step > reach
    }

    /// A distance of which those between the rows that a scatter writes are multiples, and no less than their length. `None`: rows may lie anyhow.
    #[cfg(feature = "rayon")]
    pub(crate) fn pitch(&self) -> Option<usize> {
        let row = Some(self.packed_row).filter(|row| *row > 0 && self.packed_tuple > 0)?;
        let strides = self.outer().iter().map(|dim| dim.table).chain(self.coordinates().iter().map(|axis| axis.table));
        let pitch = strides.fold(0, |pitch, stride| greatest_common_divisor(pitch, stride.unsigned_abs()));
        Some(pitch).filter(|pitch| *pitch >= row)
    }
}

/// A plan in pieces of no more than so many entries, in order.
#[cfg(feature = "rayon")]
pub(crate) struct Pieces {
    /// The last one first.
    pub rest: Vec<Plan>,
    pub entries: usize,
}

#[cfg(feature = "rayon")]
impl Iterator for Pieces {
    type Item = Plan;

    fn next(&mut self) -> Option<Plan> {
        let mut plan = self.rest.pop()?;
        loop {
            let entries = plan.entries();
            let outermost = plan.outer().first().filter(|_| entries > self.entries).map_or(0, |dim| dim.size);
            let Some(step) = entries.checked_div(outermost) else { return Some(plan) };
            if let Some((first, rest)) = plan.split((self.entries / step).max(1)) {
                self.rest.push(rest);
                plan = first;
            }
            if step > self.entries {
                plan.dims.rotate_left(1);
                plan.outer -= 1;
                plan.rank -= 1;
            }
        }
    }
}

#[cfg(feature = "rayon")]
fn greatest_common_divisor(mut a: usize, mut b: usize) -> usize {
    while b > 0 {
        (a, b) = (b, a.checked_rem(b).unwrap_or(0));
    }
    a
}
