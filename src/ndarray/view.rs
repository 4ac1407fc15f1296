//! Views as slices: in place where their elements lie together in memory, copied otherwise.
//!
//! A copy has the axes of the view in the order of memory, those with long strides first, so that
//! neighbours in memory are read and written together, and rows without gaps as slices.

use std::borrow::Cow;
use std::cmp::Reverse;

use ::ndarray::{
    ArrayBase, ArrayD, ArrayRef, ArrayViewD, ArrayViewMutD, Axis, Dimension, Ix4, IxDyn, RawData,
};

use crate::error::{Error, Operand};
use crate::layout::{Layout, MAX_RANK};
use crate::shape::Shape;

/// A view that is read.
pub(super) struct Source<'a, T> {
    pub view: View<'a, T>,
    operand: Operand,
    /// Where the elements of the view are in the slice, or in those that are copied.
    pub layout: Layout,
}

pub(super) enum View<'a, T> {
    InPlace(&'a [T]),
    /// With one element in place of those that are repeated, and with its axes in the order of
    /// memory.
    Gaps(ArrayViewD<'a, T>),
}

impl<'a, T: Copy> Source<'a, T> {
    pub(super) fn new<D: Dimension>(
        view: &'a ArrayRef<T, D>,
        operand: Operand,
    ) -> Result<Self, Error> {
        fits(view, operand)?;
        let in_place = |slice| {
            let layout = Layout::from_parts(view.shape(), view.strides(), first(view))?;
            Ok(Source { view: View::InPlace(slice), operand, layout })
        };
        // The most common ones first: what follows takes 100 ns.
        if let Some(slice) = view.as_slice_memory_order() {
            return in_place(slice);
        }
        let mut once = view.view().into_dyn();
        for (dim, (size, stride)) in view.shape().iter().zip(view.strides()).enumerate() {
            if *size > 1 && *stride == 0 {
                once.collapse_axis(Axis(dim), 0);
            }
        }
        if let Some(slice) = once.to_slice_memory_order() {
            return in_place(slice);
        }
        let axes = axes(&once);
        let layout = layout_of_copy(view.shape(), once.shape(), &axes)?;
        Ok(Source { view: View::Gaps(once.permuted_axes(IxDyn(&axes))), operand, layout })
    }

    /// The elements in place, or copied.
    pub(super) fn elements(&self) -> Result<Cow<'a, [T]>, Error> {
        match &self.view {
            View::InPlace(slice) => Ok(Cow::Borrowed(slice)),
            View::Gaps(once) => copied(once, self.operand).map(Cow::Owned),
        }
    }
}

/// A view that is written: in place, or with gaps and its axes in the order of memory.
pub(super) enum Target<'a, T> {
    InPlace(&'a mut [T]),
    Gaps(ArrayViewMutD<'a, T>),
}

impl<'a, T: Copy> Target<'a, T> {
    /// The target, and where the elements of the view are in the slice or in a copy.
    pub(super) fn new<D: Dimension>(
        view: &'a mut ArrayRef<T, D>,
        operand: Operand,
    ) -> Result<(Self, Layout), Error> {
        fits(view, operand)?;
        if view.as_slice_memory_order().is_none() {
            let view = view.view_mut().into_dyn();
            let axes = axes(&view.view());
            let layout = layout_of_copy(view.shape(), view.shape(), &axes)?;
            return Ok((Target::Gaps(view.permuted_axes(IxDyn(&axes))), layout));
        }
        let layout = Layout::from_parts(view.shape(), view.strides(), first(view))?;
        Ok((Target::InPlace(view.as_slice_memory_order_mut().unwrap_or(&mut [])), layout))
    }

    /// Lets `run` write the elements: in place, or on a copy, which is written back unless `run`
    /// fails.
    pub(super) fn write(
        self,
        operand: Operand,
        run: impl FnOnce(&mut [T]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match self {
            Target::InPlace(slice) => run(slice),
            Target::Gaps(view) => {
                let mut copy = copied(&view.view(), operand)?;
                run(&mut copy)?;
                write_back(view, &copy);
                Ok(())
            }
        }
    }
}

/// The position of the first element of a view (all coordinates 0) among its elements in memory.
pub(super) fn first<T, D: Dimension>(view: &ArrayRef<T, D>) -> usize {
    let backwards =
        view.shape().iter().zip(view.strides()).filter(|(size, stride)| **size > 1 && **stride < 0);
    backwards
        .map(|(size, stride)| (size - 1).wrapping_mul(stride.unsigned_abs()))
        .fold(0, usize::wrapping_add)
}

/// An empty vector with room for `length` elements.
pub(super) fn reserve<T>(length: usize, operand: Operand) -> Result<Vec<T>, Error> {
    let mut elements = Vec::new();
    elements.try_reserve_exact(length).map_err(|_| Error::SizesOverflow { operand })?;
    Ok(elements)
}

/// A new array of one value.
pub(super) fn filled<T: Clone>(sizes: &[usize], value: T) -> Result<ArrayD<T>, Error> {
    let overflow = Error::SizesOverflow { operand: Operand::Output };
    let length = Layout::from_sizes(sizes)?.elements().ok_or(overflow)?;
    let mut elements = reserve(length, Operand::Output)?;
    elements.resize(length, value);
    ArrayD::from_shape_vec(IxDyn(sizes), elements).map_err(|_| overflow)
}

pub(super) fn fits<T, D: Dimension>(view: &ArrayRef<T, D>, operand: Operand) -> Result<(), Error> {
    match view.ndim() {
        rank if rank > MAX_RANK => {
            Err(Error::RankTooLarge { operand, expected: MAX_RANK, found: rank })
        }
        _ => Ok(()),
    }
}

/// The axes of a view in the order of memory.
fn axes<T>(view: &ArrayViewD<'_, T>) -> Shape {
    let mut axes: Shape = (0..view.ndim()).collect();
    axes.sort_by_key(|axis| Reverse(view.stride_of(Axis(*axis)).unsigned_abs()));
    axes
}

/// The layout of a view of `sizes` in a copy that has the elements of a view of the sizes `once` in
/// row-major order of its `axes`. The product of these sizes is an `isize`, as of each view.
fn layout_of_copy(sizes: &[usize], once: &[usize], axes: &[usize]) -> Result<Layout, Error> {
    let mut strides = [0; MAX_RANK];
    let mut step = 1_isize;
    for axis in axes.iter().rev() {
        if let (Some(stride), Some(size)) = (strides.get_mut(*axis), once.get(*axis))
            && *size != 1
        {
            *stride = step;
            step = step.wrapping_mul(size.cast_signed());
        }
    }
    Layout::from_parts(sizes, strides.get(..sizes.len()).unwrap_or(&strides), 0)
}

/// The elements of a view in row-major order.
fn copied<T: Copy>(view: &ArrayViewD<'_, T>, operand: Operand) -> Result<Vec<T>, Error> {
    let mut elements = reserve(view.len(), operand)?;
    copy(view.view(), &mut elements);
    Ok(elements)
}

/// The length from which a row is copied as a slice: to find it takes longer than to copy a few
/// elements.
const ROW: usize = 8;

/// Adds the elements of a view in row-major order.
pub(super) fn copy<T: Copy>(view: ArrayViewD<'_, T>, elements: &mut Vec<T>) {
    let view = of_four_axes(view);
    if view.ndim() > 4 {
        return view.outer_iter().for_each(|part| copy(part, elements));
    }
    let Ok(mut view) = view.into_dimensionality::<Ix4>() else { return };
    merge(&mut view);
    match row(&view) {
        Some(_) => {
            let rows = view.rows().into_iter().filter_map(|row| row.to_slice());
            rows.for_each(|row| elements.extend_from_slice(row));
        }
        None => view.iter().for_each(|element| elements.push(*element)),
    }
}

/// Writes the elements of a view in row-major order.
pub(super) fn write_back<T: Copy>(view: ArrayViewMutD<'_, T>, elements: &[T]) {
    if elements.is_empty() {
        return;
    }
    let mut view = of_four_axes(view);
    if view.ndim() > 4 {
        let parts = elements.chunks(elements.len().div_ceil(view.len_of(Axis(0)).max(1)));
        view.outer_iter_mut().zip(parts).for_each(|(part, new)| write_back(part, new));
        return;
    }
    let Ok(mut view) = view.into_dimensionality::<Ix4>() else { return };
    merge(&mut view);
    match row(&view) {
        Some(length) => {
            for (row, new) in view.rows_mut().into_iter().zip(elements.chunks_exact(length)) {
                if let Some(row) = row.into_slice() {
                    row.copy_from_slice(new);
                }
            }
        }
        None => {
            let mut new = elements.iter();
            view.iter_mut().for_each(|element| {
                if let Some(new) = new.next() {
                    *element = *new;
                }
            });
        }
    }
}

/// The same elements in the same row-major order, with four axes if that is possible: loops over a
/// number of axes that the compiler knows take 0.1x.
fn of_four_axes<S: RawData>(mut view: ArrayBase<S, IxDyn>) -> ArrayBase<S, IxDyn> {
    while view.ndim() < 4 {
        view = view.insert_axis(Axis(0));
    }
    if view.ndim() > 4 {
        merge(&mut view);
        for axis in (0..view.ndim()).rev() {
            if view.ndim() > 4 && view.len_of(Axis(axis)) == 1 {
                view = view.index_axis_move(Axis(axis), 0);
            }
        }
    }
    view
}

/// Makes neighbouring axes one where they can be walked with one stride, and another of size 1.
fn merge<S: RawData, D: Dimension>(view: &mut ArrayBase<S, D>) {
    let Some(mut into) = view.ndim().checked_sub(1) else { return };
    for axis in (0..into).rev() {
        if !view.merge_axes(Axis(axis), Axis(into)) {
            into = axis;
        }
    }
}

/// The length of the rows, if they lie in memory as slices that are worth it.
fn row<S: RawData>(view: &ArrayBase<S, Ix4>) -> Option<usize> {
    let length = view.len_of(Axis(3));
    (length >= ROW && view.stride_of(Axis(3)) == 1).then_some(length)
}
