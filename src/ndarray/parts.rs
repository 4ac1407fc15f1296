//! Moves what entries lead to, part by part, in a view with gaps: what it takes depends on the
//! entries, not on the view.
//!
//! The plan is one for a copy of the view, and its addresses are positions in that copy. They lead
//! to coordinates, and these to the **part** of the view that one entry moves: one element, or a
//! view of smaller sizes. A part that is no slice is copied into one, and written back.

use std::slice::{from_mut, from_ref};

use ::ndarray::{ArrayBase, ArrayViewD, ArrayViewMutD, Axis, IxDyn, RawData, Slice};

use super::view::{copy, reserve, write_back};
use crate::element::Element;
use crate::error::{Error, Operand};
use crate::index::Index;
use crate::layout::MAX_RANK;
use crate::movers::Combine;
use crate::plan::{Dim, Plan};
use crate::reduction::Reduction;
use crate::run;
use crate::walk::{self, Mover, Position};

/// To find the part of an entry takes as long as to copy this number of elements of the view:
/// 15 ns, and 0.3 to 1 ns.
const ENTRY: usize = 16;

/// Whether it takes less time to move part by part than to copy a view of `elements`.
pub(super) fn are_few(plan: &Plan, elements: usize) -> bool {
    let count = |dims: &[Dim]| dims.iter().fold(1_usize, |n, dim| n.saturating_mul(dim.size));
    let (entries, part) = (count(plan.outer()), count(plan.inner()));
    plan.empty || entries.saturating_mul(part.saturating_add(ENTRY)) < elements
}

/// `output[flat] = map(view[table])`
pub(super) fn gather<T: Element, U, I: Index>(
    plan: &Plan,
    view: &ArrayViewD<'_, T>,
    indices: &[I],
    output: &mut [U],
    map: impl Fn(T) -> U,
) -> Result<(), Error> {
    let parts = Parts::new(plan, view);
    let mut copied = reserve(parts.elements, Operand::Input)?;
    run::checked_entries(plan, indices, |table, flat| {
        let to = Position { flat, ..Position::default() };
        let mut take = |part: &[T]| {
            walk::nest(&parts.inner, to, &mut Take { part, output: &mut *output, map: &map });
        };
        let coordinates = parts.coordinates(table);
        if parts.elements == 1 {
            if let Some(element) = view.get(parts.place(&coordinates)) {
                take(from_ref(element));
            }
            return;
        }
        let part = parts.part(view.view(), &coordinates);
        match part.to_slice() {
            Some(part) => take(part),
            None => {
                copied.clear();
                copy(part, &mut copied);
                take(&copied);
            }
        }
    })
}

/// `view[table] = reduction(view[table], updates[flat])`
pub(super) fn scatter<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    reduction: &R,
    view: &mut ArrayViewMutD<'_, T>,
    indices: &[I],
    updates: &[T],
) -> Result<(), Error> {
    let parts = Parts::new(plan, view);
    let mut copied = reserve(parts.elements, Operand::Data)?;
    run::checked_entries(plan, indices, |table, flat| {
        let from = Position { flat, ..Position::default() };
        let combine = |part: &mut [T]| {
            let mut mover = Combine { reduction, data: part, updates };
            walk::nest(&parts.inner, from, &mut mover);
        };
        let coordinates = parts.coordinates(table);
        if parts.elements == 1 {
            if let Some(element) = view.get_mut(parts.place(&coordinates)) {
                combine(from_mut(element));
            }
            return;
        }
        let mut part = parts.part(view.view_mut(), &coordinates);
        match part.as_slice_mut() {
            Some(part) => combine(part),
            None => {
                copied.clear();
                copy(part.view(), &mut copied);
                combine(&mut copied);
                write_back(part, &copied);
            }
        }
    })
}

/// `output[flat] = map(part[table])`
struct Take<'a, T, U, F> {
    part: &'a [T],
    output: &'a mut [U],
    map: &'a F,
}

impl<T: Copy, U, F: Fn(T) -> U> Mover for Take<'_, T, U, F> {
    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        if let (Some(part), Some(output)) = (
            self.part.get(table..table.wrapping_add(n)),
            self.output.get_mut(flat..flat.wrapping_add(n)),
        ) {
            part.iter().zip(output).for_each(|(from, to)| *to = (self.map)(*from));
        }
    }

    #[inline(always)]
    fn strided_row(&mut self, mut table: usize, mut flat: usize, dim: &Dim) {
        for _ in 0..dim.size {
            if let (Some(from), Some(to)) = (self.part.get(table), self.output.get_mut(flat)) {
                *to = (self.map)(*from);
            }
            table = table.wrapping_add_signed(dim.table);
            flat = flat.wrapping_add_signed(dim.flat);
        }
    }
}

/// The parts of a view that the entries of a plan move.
struct Parts {
    axes: heapless::Vec<Along, MAX_RANK>,
    /// The inner dimensions of the plan, with the strides of a part.
    inner: Dims,
    /// The number of elements of a part.
    elements: usize,
}

type Dims = heapless::Vec<Dim, MAX_RANK>;

/// An axis of the view, in the order of the copy.
struct Along {
    /// The stride in the copy; 0 if the part starts at coordinate 0 at all entries.
    stride: usize,
    /// The size of the part.
    size: usize,
}

impl Parts {
    /// The strides in the copy are those of row-major order. So each axis that is larger than 1
    /// belongs to one inner dimension of the plan, which may be several axes in one, or entries
    /// choose its coordinate.
    fn new<S: RawData>(plan: &Plan, view: &ArrayBase<S, IxDyn>) -> Parts {
        let mut inner: Dims = plan.inner().iter().copied().collect();
        let mut axes = heapless::Vec::new();
        let (mut stride, mut elements) = (1_usize, 1_usize);
        for size in view.shape().iter().rev() {
            let dim = plan.inner().iter().position(|dim| {
                let first = dim.table.unsigned_abs();
                *size > 1 && first <= stride && stride < first.saturating_mul(dim.size)
            });
            let mut along = Along { stride: if *size > 1 { stride } else { 0 }, size: 1 };
            if let Some((dim, of_part)) =
                dim.and_then(|dim| plan.inner().get(dim).zip(inner.get_mut(dim)))
            {
                let steps = dim.table.unsigned_abs().saturating_mul(dim.size).checked_div(stride);
                along = Along { stride: 0, size: steps.unwrap_or(1).min(*size) };
                if dim.table.unsigned_abs() == stride {
                    of_part.table = elements.cast_signed();
                }
            }
            elements = elements.wrapping_mul(along.size);
            stride = stride.wrapping_mul(*size);
            // There is room: a view has no more axes than a layout.
            let _ = axes.push(along);
        }
        axes.reverse();
        Parts { axes, inner, elements }
    }

    /// The coordinates of the element at a position in the copy.
    fn coordinates(&self, mut position: usize) -> [usize; MAX_RANK] {
        let mut coordinates = [0; MAX_RANK];
        for (coordinate, axis) in coordinates.iter_mut().zip(&self.axes) {
            if axis.stride == 1 {
                *coordinate = position;
            } else if let Some(steps) = position.checked_div(axis.stride) {
                *coordinate = steps;
                position = position.wrapping_sub(steps.wrapping_mul(axis.stride));
            }
        }
        coordinates
    }

    fn place<'a>(&self, coordinates: &'a [usize]) -> &'a [usize] {
        coordinates.get(..self.axes.len()).unwrap_or(coordinates)
    }

    /// The part that starts at these coordinates. All of it lies in the view: the plan has proven
    /// the positions in the copy.
    fn part<S: RawData>(
        &self,
        mut view: ArrayBase<S, IxDyn>,
        coordinates: &[usize],
    ) -> ArrayBase<S, IxDyn> {
        for (dim, (first, along)) in coordinates.iter().zip(&self.axes).enumerate() {
            view.slice_axis_inplace(Axis(dim), Slice::from(*first..first.wrapping_add(along.size)));
        }
        view
    }
}
