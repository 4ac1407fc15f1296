//! Plans changed for `std`: reordered, cut to pieces for threads, put on a packed copy.

use strew_simd::BLOCK;

#[cfg(feature = "rayon")]
use crate::plan::Direction;
use crate::plan::{Dim, Plan, Start};
use crate::vectors::pattern;
use crate::walk::Position;

impl Plan {
    /// The same plan with the dimensions before an axis first: the flat tensor is walked in its own order, and the indices once for each of its
    /// pieces. `None`: there are no such dimensions, or lanes would not be packed.
    ///
    /// Updates of one place keep their order, since each place belongs to one coordinate of these dimensions.
    pub(crate) fn in_flat_order(&self) -> Option<Plan> {
        let mut plan = self.with_inner_first(|row| row.is_row())?;
        plan.find_packed();
        plan.is_packed().then_some(plan)
    }

    /// The same for a scatter whose updates will be packed. `None` as well: a step of those dimensions is shorter than what indices choose from, and their places would be walked far from each other.
    pub(crate) fn in_data_order(&self) -> Option<Plan> {
        let is_far = |dim: &Dim| dim.table.unsigned_abs() >= self.reach();
        self.with_inner_first(|row| row.table == 1)
            .filter(|plan| plan.dims.iter().take(plan.outer - self.outer).all(is_far))
    }

    /// The same with the inner dimensions before the outer ones, but for a row at their end. `None`: there are none, or the flat tensor would not be walked in its own order.
    fn with_inner_first(&self, is_row: impl FnOnce(Dim) -> bool) -> Option<Plan> {
        let before = match self.inner() {
            [before @ .., row] if is_row(*row) => before,
            inner => inner,
        };
        let largest = self.outer().iter().map(|dim| dim.flat.unsigned_abs()).max().unwrap_or(0);
        if before.is_empty() || before.iter().any(|dim| dim.flat.unsigned_abs() < largest) {
            return None;
        }
        let mut plan = *self;
        plan.dims.get_mut(..self.outer + before.len())?.rotate_left(self.outer);
        plan.outer += before.len();
        Some(plan)
    }

    /// The same for a flat tensor of which the walk finds one element after the other, from the first of a slice on.
    pub(crate) fn on_packed_flat(&self) -> Plan {
        let (mut plan, mut length) = (*self, 1_usize);
        for dim in plan.dims.get_mut(..self.rank).unwrap_or_default().iter_mut().rev() {
            dim.flat = length as isize;
            length = length.wrapping_mul(dim.size);
        }
        (plan.start.flat, plan.lengths.flat) = (0, length);
        plan.find_packed();
        plan
    }

    /// The same for indices of which the walk finds one tuple after the other, from the first of a slice on.
    pub(crate) fn on_packed_indices(&self) -> Plan {
        let (mut plan, mut length) = (*self, self.tuple);
        for dim in plan.dims.get_mut(..self.outer).unwrap_or_default().iter_mut().rev() {
            dim.indices = length as isize;
            length = length.wrapping_mul(dim.size);
        }
        plan.tuple_stride = 1;
        (plan.start.indices, plan.lengths.indices) = (0, length);
        plan.find_packed();
        plan
    }

    /// Whether the tuples of a lane, of 2 to 4, have each of their coordinates beside that of the tuple before.
    pub(crate) fn has_runs(&self) -> bool {
        (2..=4).contains(&self.tuple) && self.outer().last().is_some_and(|lane| lane.indices == 1)
    }

    /// The plan that copies the flat tensor to that of another plan with the same dimensions.
    pub(crate) fn flat_to(&self, other: &Plan) -> Plan {
        let mut copy = Plan { empty: false, ..Plan::NOTHING };
        (copy.start.table, copy.start.flat) = (self.start.flat, other.start.flat);
        for (from, to) in self.dims.iter().zip(&other.dims).take(self.rank) {
            copy.push(from.size, from.flat, 0, to.flat);
        }
        copy
    }

    /// The same for the indices: one coordinate after the other, along each lane.
    pub(crate) fn indices_to(&self, other: &Plan) -> Plan {
        let mut copy = Plan { empty: false, ..Plan::NOTHING };
        (copy.start.table, copy.start.flat) = (self.start.indices, other.start.indices);
        let mut outer = self.outer().iter().zip(other.outer());
        let lane = outer.next_back();
        for (from, to) in outer {
            copy.push(from.size, from.indices, 0, to.indices);
        }
        copy.push(self.tuple, self.tuple_stride, 0, other.tuple_stride);
        if let Some((from, to)) = lane {
            copy.push(from.size, from.indices, 0, to.indices);
        }
        copy
    }

    /// The plan for a block of columns: what the indices of `width` neighbouring columns move on a packed copy of these. `at` is the start of the last
    /// two outer dimensions, of which the second holds the columns.
    pub(crate) fn on_columns(&self, at: &Position, column: usize, width: usize) -> Plan {
        let mut plan = Plan { outer: 2, rank: 2, ..*self };
        if let (Some([along, lane]), Some([to_along, to_lane])) =
            (self.outer().last_chunk::<2>(), plan.dims.first_chunk_mut::<2>())
        {
            (*to_along, *to_lane) = (*along, Dim { size: width, ..*lane });
        }
        let [axis, ..] = &mut plan.coordinates;
        axis.table = width as isize;
        plan.lengths.table = axis.size.saturating_mul(width);
        let flat = plan.dims.get(1).map_or(0, |lane| column.wrapping_mul(lane.flat as usize));
        plan.start = Start {
            table: 0,
            indices: at.indices.wrapping_add(column),
            flat: at.flat.wrapping_add(flat),
        };
        plan
    }

    /// The same for indices that start at the first place of their slice, and fill it.
    pub(crate) fn with_indices_from_0(&self) -> Plan {
        let mut plan = *self;
        plan.start.indices = 0;
        plan.lengths.indices = self.reads();
        plan
    }

    /// Whether the lanes of the indices are short pieces, far from each other.
    pub(crate) fn has_far_lanes(&self) -> bool {
        const SHORT: usize = 128;
        const FAR: usize = 512;
        matches!(self.outer(), [.., outer, lane] if lane.size <= SHORT && outer.indices.unsigned_abs() >= FAR)
    }

    /// The length of the stretch of the table that a lane leads into, if each has a short one of its own, and most of it will be needed: it is asked for one
    /// lane ahead (`strew-benches`, `elements` along axis 1: scatters take a fifth to two fifths less time, gathers a twentieth to a tenth), and scatters go by offsets in it.
    pub(crate) fn stretch(&self) -> Option<usize> {
        const LONGEST: usize = 4096;
        match (self.outer(), self.coordinates()) {
            ([.., outer, lane], [axis])
                if outer.table != 0 && axis.table == 1 && lane.size >= BLOCK.max(axis.size / 4) =>
            {
                Some(axis.size).filter(|size| *size <= LONGEST)
            }
            _ => None,
        }
    }

    /// The distance over which the tuples of one lane choose elements of the table.
    pub(crate) fn reach(&self) -> usize {
        self.coordinates()
            .iter()
            .fold(0, |reach, axis| axis.size.saturating_mul(axis.table.unsigned_abs()).max(reach))
    }

    /// So many steps of the outermost dimension, and the rest. `None`: there are no more.
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

    /// Whether tuples and rows lie without gaps: what goes in blocks.
    pub(crate) fn is_packed(&self) -> bool {
        self.packed_tuple > 0 && self.packed_row > 0
    }

    /// Whether what is packed goes in blocks: short lanes of single elements do not fill them, and gain only where they are asked for ahead, or are the same one for all pieces of the table.
    pub(crate) fn suits_blocks(&self) -> bool {
        let lanes_are_short =
            self.packed_row == 1 && self.outer().last().is_none_or(|lane| lane.size < BLOCK);
        self.is_packed() && (!lanes_are_short || self.has_far_lanes() || pattern::suits(self))
    }

    /// The number of indices that a walk reads.
    pub(crate) fn reads(&self) -> usize {
        self.entries().saturating_mul(self.coordinates().len())
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
        let axes = self
            .coordinates()
            .iter()
            .filter(|_| matches!(direction, Direction::Scatter))
            .map(|axis| (axis.size, axis.table));
        let mut reach = 0_isize;
        for (size, stride) in dims.chain(axes) {
            match isize::try_from(size.saturating_sub(1))
                .ok()
                .and_then(|steps| steps.checked_mul(stride))
            {
                Some(far) if far >= 0 => reach = reach.saturating_add(far),
                _ => return false,
            }
        }
        step > reach
    }

    /// Whether [`lists`](crate::vectors::lists) gain something for what moves single elements: lanes fill blocks, and places of the flat tensor have 32 bits.
    #[cfg(feature = "rayon")]
    pub(crate) fn suits_lists(&self) -> bool {
        let lanes_are_long = self.outer().last().is_some_and(|lane| lane.size >= BLOCK);
        lanes_are_long && self.packed_tuple <= 4 && u32::try_from(self.lengths.flat).is_ok()
    }

    /// A distance of which those between the rows that a scatter writes are multiples, and no less than their length. `None`: rows may lie anyhow.
    #[cfg(feature = "rayon")]
    pub(crate) fn pitch(&self) -> Option<usize> {
        let row = self.is_packed().then_some(self.packed_row)?;
        let strides = self
            .outer()
            .iter()
            .map(|dim| dim.table)
            .chain(self.coordinates().iter().map(|axis| axis.table));
        let pitch =
            strides.fold(0, |pitch, stride| greatest_common_divisor(pitch, stride.unsigned_abs()));
        Some(pitch).filter(|pitch| *pitch >= row)
    }
}

/// Shares of a plan's entries, in order: of no more than so many, and of about as many where one dimension is cut.
pub(crate) struct Shares {
    /// What is left, the last part first.
    pub rest: Vec<Plan>,
    pub entries: usize,
}

impl Iterator for Shares {
    type Item = Plan;

    fn next(&mut self) -> Option<Plan> {
        let mut plan = self.rest.pop()?;
        loop {
            let entries = plan.entries();
            let outermost =
                plan.outer().first().filter(|_| entries > self.entries).map_or(0, |dim| dim.size);
            let Some(step) = entries.checked_div(outermost) else { return Some(plan) };
            let number = outermost.div_ceil((self.entries / step).max(1));
            if let Some((first, rest)) = plan.split(outermost.div_ceil(number)) {
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::layout::Layout;
    use crate::plan::Direction::{Gather, Scatter};
    use crate::plan::tests::{axis, elements, nd, packed, sizes};

    #[test]
    fn dimensions_before_the_axis_come_first_where_lanes_stay_packed() {
        let (four, output) = (packed([4]), packed([2, 4, 3]));
        let plan = axis(Gather, &packed([2, 10, 3]), &four, &output, 1).in_flat_order().unwrap();
        assert!(sizes(plan.outer()).eq([2, 4]) && sizes(plan.inner()).eq([3]), "{plan:?}");
        assert_eq!((plan.packed_tuple, plan.packed_row), (1, 3));
        let plan =
            axis(Gather, &packed([5, 10]), &four, &packed([5, 4]), 1).in_flat_order().unwrap();
        assert!(sizes(plan.outer()).eq([5, 4]) && sizes(plan.inner()).eq([]), "{plan:?}");
        assert_eq!((plan.packed_tuple, plan.packed_row), (1, 1));
        // There are none; they are inside of the indices; a gap between indices, or between rows.
        let table = packed([2, 10, 3]);
        let ordered = |table: &Layout, indices: &Layout, output: &Layout, along| {
            axis(Gather, table, indices, output, along).in_flat_order()
        };
        assert!(ordered(&packed([10, 3]), &four, &packed([4, 3]), 0).is_none());
        assert!(ordered(&table, &four, &Layout::strided([2, 4, 3], [3, 6, 1]), 1).is_none());
        assert!(ordered(&table, &Layout::strided([4], [2]), &output, 1).is_none());
        assert!(ordered(&table, &four, &Layout::strided([2, 4, 3], [16, 4, 1]), 1).is_none());
    }

    #[test]
    fn a_scatter_walks_its_data_in_order() {
        let (eight, one) = (packed([8]), Layout::strided([2, 8, 3], [0, 0, 0]));
        let ordered = |data: &Layout, updates: &Layout, along| {
            axis(Scatter, data, &eight, updates, along).in_data_order()
        };
        let plan = ordered(&packed([2, 10, 3]), &one, 1).unwrap();
        assert!(sizes(plan.outer()).eq([2, 8]) && sizes(plan.inner()).eq([3]), "{plan:?}");
        // What is no row of the data is far from the next one of its dimension, or stays inside.
        let columns = |step| Layout::strided([10, 4], [1, step]);
        let plan = ordered(&columns(10), &Layout::strided([8, 4], [0, 0]), 0).unwrap();
        assert!(sizes(plan.outer()).eq([4, 8]) && sizes(plan.inner()).eq([]), "{plan:?}");
        assert!(
            ordered(&Layout::strided([10, 4], [8, 2]), &Layout::strided([8, 4], [0, 0]), 0)
                .is_none()
        );
        // Updates would be read in another order than theirs; there are no dimensions before the axis.
        assert!(ordered(&columns(10), &packed([8, 4]), 0).is_none());
        assert!(ordered(&packed([10, 3]), &Layout::strided([8, 3], [0, 0]), 0).is_none());
    }

    #[test]
    fn a_packed_flat_tensor_is_that_of_the_walk() {
        let updates = Layout::strided([5, 7, 3], [1, 40, 8]).with_offset(9);
        let plan = axis(Scatter, &packed([10, 3]), &packed([5, 7]), &updates, 0);
        let to = plan.on_packed_flat();
        assert_eq!(
            (to.start.flat, to.lengths.flat, to.packed_tuple, to.packed_row),
            (0, 105, 1, 3)
        );
        let copy = plan.flat_to(&to);
        let strides: Vec<_> =
            copy.inner().iter().map(|dim| (dim.size, dim.table, dim.flat)).collect();
        assert_eq!(
            (strides, copy.start.table, copy.start.flat),
            (vec![(5, 1, 21), (7, 40, 3), (3, 8, 1)], 9, 0)
        );
        // Gaps between indices remain.
        assert!(
            !axis(Scatter, &packed([10, 3]), &Layout::strided([5], [2]), &packed([5, 3]), 0)
                .on_packed_flat()
                .is_packed()
        );
    }

    #[test]
    fn packed_indices_are_those_of_the_walk() {
        let indices = Layout::strided([5, 7, 2], [1, 40, 8]).with_offset(9);
        let plan = nd(Gather, &packed([10, 3, 4]), &indices, &packed([5, 7, 4]), 0);
        let to = plan.on_packed_indices();
        assert_eq!(
            (to.start.indices, to.lengths.indices, to.packed_tuple, to.packed_row),
            (0, 70, 2, 4)
        );
        let copy = plan.indices_to(&to);
        let strides: Vec<_> =
            copy.inner().iter().map(|dim| (dim.size, dim.table, dim.flat)).collect();
        assert_eq!(
            (strides, copy.start.table, copy.start.flat),
            (vec![(5, 1, 14), (2, 8, 1), (7, 40, 2)], 9, 0)
        );
        let single = nd(Gather, &packed([10, 3]), &Layout::strided([2], [5]), &packed([]), 0);
        let copy = single.indices_to(&single.on_packed_indices());
        assert!(copy.inner().iter().map(|dim| (dim.size, dim.table, dim.flat)).eq([(2, 5, 1)]));
    }

    #[test]
    fn planes_and_windows_have_runs() {
        let has_runs = |k: usize, lane, tuple| {
            let indices = Layout::strided([9, k], [lane, tuple]).with_offset(80);
            let table = Layout::from_sizes(&vec![5; k]).unwrap();
            nd(Gather, &table, &indices, &packed([9]), 0).has_runs()
        };
        assert_eq!([1, 2, 3, 4, 5].map(|k| has_runs(k, 1, 9)), [false, true, true, true, false]);
        assert_eq!(
            [(1, 1), (1, -9), (2, 1), (-1, 9), (9, 1)]
                .map(|(lane, tuple)| has_runs(2, lane, tuple)),
            [true, true, false, false, false]
        );
    }

    #[test]
    fn short_lanes_of_elements_do_not_fill_blocks() {
        let suits = |table: &Layout, indices: &Layout, flat: &Layout, along| {
            let plan = axis(Gather, table, indices, flat, along);
            plan.in_flat_order().unwrap_or(plan).suits_blocks()
        };
        let lanes = |length, step| {
            suits(&packed([90]), &Layout::strided([9, length], [step, 1]), &packed([9, length]), 0)
        };
        assert_eq!([lanes(63, 65), lanes(64, 65), lanes(63, 512)], [false, true, true]);
        let rows = |length, width| {
            suits(
                &packed([90, width]),
                &Layout::strided([9, length], [65, 1]),
                &packed([9, length, width]),
                0,
            )
        };
        assert_eq!([rows(5, 1), rows(5, 2)], [false, true]);
        // The same lane for each piece of the table; what is not packed.
        assert!(suits(&packed([9, 90]), &packed([5]), &packed([9, 5]), 1));
        assert!(!suits(&packed([90]), &packed([500]), &Layout::strided([500], [2]), 0));
    }

    #[test]
    fn short_lanes_far_apart_are_asked_for_ahead() {
        let far = |lane, step| {
            let indices = Layout::strided([3, lane], [step, 1]);
            axis(Gather, &packed([9]), &indices, &packed([3, lane]), 0).has_far_lanes()
        };
        assert_eq!(
            [far(128, 512), far(100, 511), far(129, 512), far(128, 511)],
            [true, false, false, false]
        );
        assert!(!axis(Gather, &packed([9]), &packed([40]), &packed([40]), 0).has_far_lanes());
    }

    #[test]
    fn stretches_of_the_table_are_asked_for_where_most_is_needed() {
        let stretch = |table: &Layout, lane| {
            let indices = Layout::packed(&[table.size(0), lane]);
            elements(Gather, table, &indices, &indices, 1).stretch()
        };
        assert_eq!([64, 63].map(|lane| stretch(&packed([8, 100]), lane)), [Some(100), None]);
        assert_eq!([100, 99].map(|lane| stretch(&packed([8, 400]), lane)), [Some(400), None]);
        assert_eq!([4096, 4097].map(|size| stretch(&packed([4, size]), 2000)), [Some(4096), None]);
        assert_eq!(stretch(&Layout::strided([8, 100], [200, 2]), 90), None);
        // All lanes lead into one stretch.
        assert_eq!(
            axis(Gather, &packed([100]), &Layout::strided([8, 90], [91, 1]), &packed([8, 90]), 0)
                .stretch(),
            None
        );
    }

    #[test]
    fn reach_is_that_of_the_longest_axis() {
        assert_eq!(nd(Gather, &packed([5, 4, 3]), &packed([7, 2]), &packed([7, 3]), 0).reach(), 60);
        assert_eq!(
            nd(
                Gather,
                &Layout::strided([5, 4], [1, -5]).with_offset(15),
                &packed([7, 2]),
                &packed([7]),
                0
            )
            .reach(),
            20
        );
    }

    #[cfg(feature = "rayon")]
    mod with_threads {
        use super::super::*;
        use super::*;

        /// The places in the indices, in the order of the walk.
        fn places(plan: &Plan) -> Vec<usize> {
            plan.outer().iter().fold(vec![plan.start.indices], |starts, dim| {
                let step = |start: usize| {
                    (0..dim.size)
                        .map(move |step| start.wrapping_add_signed(dim.indices * step as isize))
                };
                starts.into_iter().flat_map(step).collect()
            })
        }

        #[test]
        fn splits() {
            let plan = axis(
                Scatter,
                &packed([100, 2]),
                &Layout::strided([7], [-3]).with_offset(20),
                &packed([7, 2]),
                0,
            );
            let (first, second) = plan.split(3).unwrap();
            assert_eq!((places(&first), places(&second)), (vec![20, 17, 14], vec![11, 8, 5, 2]));
            assert_eq!((first.start.flat, second.start.flat, second.start.table), (0, 6, 0));
            assert!(plan.split(7).is_none() && plan.split(8).is_none());
            let single = nd(Scatter, &packed([9, 6]), &packed([1]), &packed([6]), 0);
            assert!(single.split(2).is_none(), "an inner dimension");
        }

        #[test]
        fn shares_have_so_many_entries() {
            let indices = Layout::strided([3, 5, 7], [100, 11, 1]);
            let plan = axis(Scatter, &packed([99]), &indices, &packed([3, 5, 7]), 0);
            assert_eq!(plan.entries(), 105);
            for (entries, lengths) in [
                (105, vec![105]),
                (70, vec![70, 35]),
                (35, vec![35; 3]),
                (20, [14, 14, 7].repeat(3)),
                (7, vec![7; 15]),
                (3, [3, 2, 2].repeat(15)),
            ] {
                let pieces: Vec<_> =
                    Shares { rest: vec![plan], entries }.map(|piece| places(&piece)).collect();
                assert!(pieces.iter().map(Vec::len).eq(lengths), "{entries}");
                assert_eq!(pieces.concat(), places(&plan), "{entries}");
            }
        }

        #[test]
        fn pieces_are_apart_where_each_step_writes_further_on() {
            let (table, ids, rows) = (packed([9, 33]), packed([70]), packed([70, 33]));
            assert!(axis(Gather, &table, &ids, &rows, 0).pieces_are_apart(Direction::Gather));
            assert!(!axis(Scatter, &table, &ids, &rows, 0).pieces_are_apart(Direction::Scatter));
            let gathered = |strides, offset| {
                let output = Layout::strided([70, 33], strides).with_offset(offset);
                axis(Gather, &table, &ids, &output, 0).pieces_are_apart(Direction::Gather)
            };
            assert_eq!(
                [
                    gathered([40, 1], 0),
                    gathered([-33, 1], 69 * 33),
                    gathered([33, -1], 32),
                    gathered([1, 70], 0)
                ],
                [true, false, false, false]
            );
            let square = packed([50, 60]);
            let scattered = |along| {
                elements(Scatter, &square, &square, &square, along)
                    .pieces_are_apart(Direction::Scatter)
            };
            assert_eq!([0, 1].map(scattered), [false, true]);
            let (one, many) = (packed([1]), packed([70]));
            assert!(
                !axis(Scatter, &one, &many, &many, 0).pieces_are_apart(Direction::Scatter),
                "all steps write one element"
            );
            assert!(
                !nd(Gather, &table, &packed([1]), &packed([33]), 0)
                    .pieces_are_apart(Direction::Scatter),
                "no steps"
            );
        }

        #[test]
        fn rows_start_at_multiples_of_the_pitch() {
            let pitch = |table: &Layout, indices: &Layout, updates: &Layout| {
                axis(Scatter, table, indices, updates, 0).pitch()
            };
            let (ids, updates) = (packed([70]), packed([70, 33]));
            assert_eq!(pitch(&packed([9, 33]), &ids, &updates), Some(33));
            assert_eq!(
                pitch(&Layout::strided([9, 33], [-40, 1]).with_offset(320), &ids, &updates),
                Some(40)
            );
            assert_eq!(pitch(&packed([9]), &ids, &ids), Some(1));
            assert_eq!(pitch(&packed([9, 33]), &Layout::strided([70], [2]), &updates), None);
            assert_eq!(pitch(&packed([9, 33]), &ids, &Layout::strided([70, 33], [34, 1])), None);
            assert_eq!(pitch(&Layout::strided([9, 33], [1, 9]), &ids, &updates), None);
            let batches = nd(
                Scatter,
                &Layout::strided([3, 300, 20], [6030, 20, 1]),
                &packed([3, 50, 1]),
                &packed([3, 50, 20]),
                1,
            );
            assert_eq!(batches.pitch(), None, "30 more after each batch");
            let batches = nd(
                Scatter,
                &Layout::strided([3, 300, 20], [9030, 30, 1]),
                &packed([3, 50, 1]),
                &packed([3, 50, 20]),
                1,
            );
            assert_eq!(batches.pitch(), Some(30));
        }
    }
}
