//! Plans made of plans: in another order, cut to chunks, put on a tile. And what the stages ask of
//! a plan: its rows, pieces and spans, and how far it reaches.

use crate::engine::tuning;
use crate::plan::{Dim, Plan, Start};
use crate::walk::Position;

impl Plan {
    /// The number of elements of the rows that move: 1 for single elements.
    pub(crate) fn row(&self) -> usize {
        self.split_inner().1
    }

    /// The inner dimensions but for the row at their end. Each of their coordinates is a *piece*:
    /// all entries move once for it.
    pub(crate) fn pieces(&self) -> &[Dim] {
        self.split_inner().0
    }

    /// The [pieces](Plan::pieces), and the elements of a [row](Plan::row).
    #[inline]
    pub(crate) fn split_inner(&self) -> (&[Dim], usize) {
        match self.inner() {
            [pieces @ .., row] if row.is_row() => (pieces, row.size),
            pieces => (pieces, 1),
        }
    }

    /// The bytes of both tensors that an entry reaches by some pieces, in whole lines where those
    /// of neighbouring entries lie elsewhere. Elements have `element` bytes.
    pub(crate) fn reach(&self, pieces: &[Dim], element: usize) -> usize {
        let row = self.row().saturating_mul(element);
        let reached = |stride: fn(&Dim) -> isize, line: usize| {
            let (mut span, mut lines) = (row, line);
            for dim in pieces {
                let step = stride(dim).unsigned_abs().saturating_mul(element);
                span = span.saturating_add(step.saturating_mul(dim.size.saturating_sub(1)));
                lines = lines.saturating_mul(dim.size);
            }
            span.min(lines)
        };
        let lines = row.max(tuning::LINE);
        let shared = pieces.iter().any(|dim| self.is_apart(dim));
        let flat = reached(|dim| dim.flat, if shared { row } else { lines });
        flat.saturating_add(reached(|dim| dim.table, lines))
    }

    /// Whether the pieces along a dimension lie further apart in the flat tensor than the entries.
    pub(crate) fn is_apart(&self, piece: &Dim) -> bool {
        let entry = self.outer().last().map_or(0, |entry| entry.flat.unsigned_abs());
        piece.flat.unsigned_abs() > entry
    }

    /// The number of the last dimensions of pieces that follow each other in the flat tensor,
    /// forwards or backwards, and the number of their pieces: a *run*. One of several dimensions
    /// fills a block at most, since its addresses are made at once.
    pub(crate) fn run_of_pieces(pieces: &[Dim]) -> (usize, usize) {
        let [rest @ .., last] = pieces else { return (0, 1) };
        let (mut size, mut dims) = (last.size, 1);
        for dim in rest.iter().rev() {
            let longer = size.saturating_mul(dim.size);
            let step = last.flat.unsigned_abs().wrapping_mul(size);
            if dim.flat.unsigned_abs() != step || step == 0 || longer > tuning::BLOCK {
                break;
            }
            (size, dims) = (longer, dims + 1);
        }
        (dims, size)
    }

    /// The same plan with the pieces before the lanes: all entries of a lane move by a piece before
    /// they do by the next. Updates of one place keep their order, since each place belongs to one
    /// piece.
    pub(crate) fn with_pieces_first(&self) -> Plan {
        let (mut plan, pieces) = (*self, self.pieces().len());
        let lanes = self.outer.saturating_sub(1);
        if let Some(dims) = plan.dims.get_mut(lanes..self.outer + pieces) {
            dims.rotate_left(self.outer - lanes);
            plan.outer += pieces;
        }
        plan
    }

    /// Whether the elements of a row have one update.
    pub(crate) fn has_rows_of_one(&self) -> bool {
        self.pieces().last().is_some_and(is_row_of_one)
    }

    /// The same plan with the longest piece of single elements as the last one, if the last run is
    /// short beside it. Its rows are those of this plan.
    pub(crate) fn with_long_piece_last(&self) -> Option<Plan> {
        let (pieces, row) = self.split_inner();
        let (_, last) = Plan::run_of_pieces(pieces);
        let (at, longest) = pieces.iter().enumerate().max_by_key(|(_, dim)| dim.size)?;
        let long = longest.size >= last.saturating_mul(tuning::LONG_PIECE);
        if row > 1 || last >= tuning::SHORT_PIECE || !long || longest.is_row() {
            return None;
        }
        let mut plan = *self;
        let dims = plan.dims.get_mut(self.outer + at..self.rank)?;
        dims.rotate_left(dims.len().min(1));
        Some(plan)
    }

    /// The same plan with pieces whose strides in the table are not negative: their order is free.
    pub(crate) fn with_rising_pieces(&self) -> Plan {
        let (mut plan, pieces) = (*self, self.pieces().len());
        let Plan { dims, start, .. } = &mut plan;
        for dim in dims.iter_mut().skip(self.outer).take(pieces).filter(|dim| dim.table < 0) {
            let last = dim.size.wrapping_sub(1) as isize;
            start.table = start.table.wrapping_add_signed(last.wrapping_mul(dim.table));
            start.flat = start.flat.wrapping_add_signed(last.wrapping_mul(dim.flat));
            (dim.table, dim.flat) = (dim.table.wrapping_neg(), dim.flat.wrapping_neg());
        }
        plan
    }

    /// Whether each lane starts where the one before it ends, in the indices and in the flat
    /// tensor.
    pub(crate) fn lanes_follow(&self) -> bool {
        self.outer().last().is_some_and(|lane| lane.indices != 0)
            && steps_follow(self.outer(), |dim| dim.indices)
            && steps_follow(self.outer(), |dim| dim.flat)
    }

    /// Whether there are three outer dimensions or more, of which the last two, a *group*, have few
    /// entries: then whole groups fill a block, and not one of them alone.
    #[inline(never)]
    pub(crate) fn has_groups(&self) -> bool {
        self.outer > 2 && (2..tuning::GROUP).contains(&self.group())
    }

    /// The entries of a group: of the last two outer dimensions.
    #[inline(never)]
    pub(crate) fn group(&self) -> usize {
        self.outer().iter().rev().take(2).fold(1, |all, dim| all.saturating_mul(dim.size))
    }

    /// The same plan for a flat tensor that is one row, of copies of the element that the plan
    /// reads: single elements of the table become rows. `None`: it reads more than one, or what it
    /// leads to are no rows, or long ones, or a single one. Elements have `element` bytes.
    pub(crate) fn with_row_of_one(&self, element: usize) -> Option<Plan> {
        let row = *self.inner().last()?;
        let rows = row.flat == 0 && row.table.unsigned_abs() == 1;
        let short = row.size.saturating_mul(element) <= tuning::ROW_OF_ONE;
        let rows = rows && short && !self.empty && self.entries() > 1;
        let all = self.dims.get(..self.rank)?;
        if !rows || all.iter().any(|dim| dim.flat != 0) {
            return None;
        }
        let mut plan = self.with_rising_pieces();
        plan.dims.get_mut(self.rank.checked_sub(1)?)?.flat = 1;
        (plan.start.flat, plan.lengths.flat) = (0, row.size);
        Some(plan)
    }

    /// The plan of the [cells](Plan::cells): they are its table, and an entry moves one of them.
    pub(crate) fn of_cells(&self) -> Plan {
        let (mut plan, signed) = (*self, |cell: usize| cell as isize);
        plan.start.table = 0;
        plan.lengths.table = self.cells;
        plan.rank = self.outer;
        plan.dims.iter_mut().for_each(|dim| dim.table = signed(dim.cell));
        plan.coordinates.iter_mut().for_each(|axis| axis.table = signed(axis.cell));
        plan
    }

    /// Whether places in the table number the [cells](Plan::cells), from the first one on.
    pub(crate) fn numbers_cells(&self) -> bool {
        self.outer().iter().all(|dim| dim.table == dim.cell as isize)
            && self.coordinates().iter().all(|axis| axis.table == axis.cell as isize)
    }

    /// Whether all entries fit one block. A scatter of such a plan resolves all of them before the
    /// first one moves; a gather with pieces may go in smaller blocks.
    pub(crate) fn is_one_block(&self) -> bool {
        self.outer <= 2 && self.entries() <= tuning::BLOCK
    }

    /// The number of entries that have indices of their own.
    pub(crate) fn distinct_entries(&self) -> usize {
        let own = self.outer().iter().filter(|dim| dim.indices != 0);
        own.fold(1, |entries, dim| entries.saturating_mul(dim.size))
    }

    /// The number of places that an entry chooses from.
    pub(crate) fn places(&self) -> usize {
        self.coordinates().iter().fold(1, |all, axis| all.saturating_mul(axis.size))
    }

    /// The number of elements that move.
    #[inline(never)]
    pub(crate) fn moved_elements(&self) -> usize {
        self.inner().iter().fold(self.entries(), |all, dim| all.saturating_mul(dim.size))
    }

    /// The number of indices that a walk reads.
    pub(crate) fn reads(&self) -> usize {
        self.entries().saturating_mul(self.coordinates().len())
    }

    /// The distance over which the tuples of one lane choose elements of the table.
    #[inline(never)]
    pub(crate) fn footprint(&self) -> usize {
        self.coordinates()
            .iter()
            .fold(0, |most, axis| axis.size.saturating_mul(axis.table.unsigned_abs()).max(most))
    }

    /// Whether no entry leads to a place before the start of the plan in the table.
    pub(crate) fn rises(&self) -> bool {
        self.outer().iter().all(|dim| dim.table >= 0)
            && self.coordinates().iter().all(|axis| axis.table >= 0 || axis.size <= 1)
    }

    /// The length of the segment of the table that a lane leads into, if each lane has a short one
    /// of its own and reads a quarter of it or more: at most `longest`.
    pub(crate) fn segment(&self, least: usize, longest: usize) -> Option<usize> {
        match (self.outer(), self.coordinates()) {
            ([.., outer, lane], [axis])
                if outer.table != 0
                    && (lane.table, axis.table) == (0, 1)
                    && lane.size >= least.max(axis.size / 4) =>
            {
                Some(axis.size).filter(|size| *size <= longest)
            }
            _ => None,
        }
    }

    /// The first steps of a dimension, and the others. `None`: there are no others.
    #[cfg(feature = "rayon")]
    pub(crate) fn split(&self, dim: usize, steps: usize) -> Option<(Plan, Plan)> {
        let (mut first, mut second) = (*self, *self);
        let (to_first, to_second) = (first.dims.get_mut(dim)?, second.dims.get_mut(dim)?);
        to_second.size = to_second.size.checked_sub(steps).filter(|size| *size > 0)?;
        to_first.size = steps;
        let go = |start: usize, step: isize| start.wrapping_add(steps.wrapping_mul(step as usize));
        second.start = Start {
            table: go(self.start.table, to_second.table),
            indices: go(self.start.indices, to_second.indices),
            flat: go(self.start.flat, to_second.flat),
        };
        Some((first, second))
    }

    /// At most `number` chunks along a dimension, of about the same size.
    #[cfg(feature = "rayon")]
    pub(crate) fn chunks(&self, dim: usize, number: usize) -> impl Iterator<Item = Plan> {
        let mut rest = Some(*self);
        (1..=number).rev().map_while(move |number| {
            let plan = rest.take()?;
            let steps = plan.dims.get(dim).map_or(1, |dim| dim.size / number).max(1);
            let (chunk, others) = match plan.split(dim, steps) {
                Some((chunk, others)) if number > 1 => (chunk, Some(others)),
                _ => (plan, None),
            };
            rest = others;
            Some(chunk)
        })
    }

    /// The plan for a tile: what the indices of `width` neighbouring columns move on a contiguous
    /// copy of these. `at` is the start of the last two outer dimensions, of which the second holds
    /// the columns.
    pub(crate) fn on_tile(&self, at: &Position, column: usize, width: usize) -> Plan {
        let mut plan = Plan { outer: 2, rank: 2, ..*self };
        if let (Some([along, lane]), Some([to_along, to_lane])) =
            (self.outer().last_chunk::<2>(), plan.dims.first_chunk_mut::<2>())
        {
            (*to_along, *to_lane) = (*along, Dim { size: width, ..*lane });
        }
        let [axis, ..] = &mut plan.coordinates;
        axis.table = width as isize;
        plan.lengths.table = axis.size.saturating_mul(width);
        let step = |dim: fn(&Dim) -> isize| {
            plan.dims.get(1).map_or(0, |lane| column.wrapping_mul(dim(lane) as usize))
        };
        plan.start = Start {
            table: 0,
            indices: at.indices.wrapping_add(step(|lane| lane.indices)),
            flat: at.flat.wrapping_add(step(|lane| lane.flat)),
        };
        plan
    }

    /// The largest number of which all distances between the rows that a scatter writes are
    /// multiples. `None`: it is less than the length of a row, so rows may lie anywhere.
    pub(crate) fn pitch(&self) -> Option<usize> {
        let strides = self.outer().iter().chain(self.pieces()).map(|dim| dim.table);
        let strides = strides.chain(self.coordinates().iter().map(|axis| axis.table));
        let pitch = strides.fold(0, |pitch, stride| gcd(pitch, stride.unsigned_abs()));
        Some(pitch).filter(|pitch| *pitch >= self.row())
    }
}

/// Whether each step of a dimension is as long as all steps of the next one: so one step goes from
/// each coordinate of all of them to the next. Compiled once.
#[inline(never)]
pub(crate) fn steps_follow(dims: &[Dim], step: fn(&Dim) -> isize) -> bool {
    let mut pairs = dims.iter().zip(dims.iter().skip(1));
    pairs.all(|(dim, next)| step(dim) == step(next).wrapping_mul(next.size as isize))
}

/// A *bundle* is the fewest last outer dimensions, a group or more, such that those before them are
/// walked by one step. These, and the entries of a bundle. `rest` are the dimensions before the
/// lane.
#[inline(never)]
pub(crate) fn bundle<'a>(
    mut rest: &'a [Dim],
    lane: &Dim,
    step: fn(&Dim) -> isize,
) -> (&'a [Dim], usize) {
    let mut entries = lane.size;
    while let Some((dim, before)) = rest.split_last() {
        (rest, entries) = (before, entries.saturating_mul(dim.size));
        if steps_follow(rest, step) {
            break;
        }
    }
    (rest, entries)
}

fn gcd(mut a: usize, mut b: usize) -> usize {
    while b > 0 {
        (a, b) = (b, a.checked_rem(b).unwrap_or(0));
    }
    a
}

/// Whether pieces are elements of a row that have one update.
pub(crate) fn is_row_of_one(piece: &Dim) -> bool {
    piece.flat == 0 && piece.table.unsigned_abs() == 1 && piece.size >= tuning::SHORT_ROW_OF_ONE
}
