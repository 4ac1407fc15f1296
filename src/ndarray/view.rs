//! Views as slices: in place where their elements lie together in memory, copied otherwise.
//!
//! A copy has the axes of the view in the order of memory, those with long strides first, so that
//! neighbours in memory are read and written together, and rows without gaps as slices.

use std::borrow::Cow;
use std::cmp::Reverse;

use ::ndarray::{
    ArrayBase, ArrayD, ArrayRef, ArrayViewD, ArrayViewMutD, Axis, Dimension, Ix1, Ix2, Ix3, Ix4,
    IxDyn, RawData, ShapeError,
};

use crate::error::{Error, Operand};
use crate::layout::{Layout, MAX_RANK, SCALAR};
use crate::shape::Shape;

/// A view that is read.
pub(super) struct Source<'a, T> {
    pub view: View<'a, T>,
    operand: Operand,
}

pub(super) enum View<'a, T> {
    InPlace(&'a [T]),
    /// With one element in place of those that are repeated, and with its axes in the order of
    /// memory. In a box, so that moves of the others take no time.
    Gaps(Box<ArrayViewD<'a, T>>),
}

impl<'a, T: Copy> Source<'a, T> {
    /// The layout becomes that of the view in the slice, or in the elements that are copied. It is
    /// written in place: to copy what has just been written takes longer than all the rest.
    pub(super) fn new<D: Dimension>(
        view: &'a ArrayRef<T, D>,
        operand: Operand,
        layout: &mut Layout,
    ) -> Result<Self, Error> {
        whole(view.shape(), view.strides(), operand, layout)?;
        // The most common ones first: ndarray takes 50 ns to find that others have no gaps.
        if let Some(slice) = view.as_slice() {
            return Ok(Source { view: View::InPlace(slice), operand });
        }
        let mut once = view.view();
        for (dim, (size, stride)) in view.shape().iter().zip(view.strides()).enumerate() {
            if *size > 1 && *stride == 0 {
                once.collapse_axis(Axis(dim), 0);
            }
        }
        let packed = Packed::new(layout, once.shape());
        if packed.is_in_place(layout)
            && let Some(slice) = once.to_slice().or_else(|| once.to_slice_memory_order())
        {
            return Ok(Source { view: View::InPlace(slice), operand });
        }
        *layout = packed.layout;
        let once = permuted(once.into_dyn(), &packed.axes);
        Ok(Source { view: View::Gaps(Box::new(once)), operand })
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
    Gaps(Box<ArrayViewMutD<'a, T>>),
}

impl<'a, T: Copy> Target<'a, T> {
    /// The layout becomes that of the view in the slice, or in a copy.
    pub(super) fn new<D: Dimension>(
        view: &'a mut ArrayRef<T, D>,
        operand: Operand,
        layout: &mut Layout,
    ) -> Result<Self, Error> {
        whole(view.shape(), view.strides(), operand, layout)?;
        if view.is_standard_layout() {
            return Ok(Target::InPlace(view.as_slice_mut().unwrap_or_default()));
        }
        let packed = Packed::new(layout, view.shape());
        if packed.is_in_place(layout) {
            return Ok(Target::InPlace(view.as_slice_memory_order_mut().unwrap_or_default()));
        }
        *layout = packed.layout;
        let gaps = permuted(view.view_mut().into_dyn(), &packed.axes);
        Ok(Target::Gaps(Box::new(gaps)))
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
                write_back(*view, &copy);
                Ok(())
            }
        }
    }
}

/// The layout becomes that of a view in the slice of its elements in memory.
pub(super) fn whole(
    sizes: &[usize],
    strides: &[isize],
    operand: Operand,
    layout: &mut Layout,
) -> Result<(), Error> {
    fits(sizes, operand)?;
    *layout = SCALAR.with_offset(first(sizes, strides));
    sizes.iter().zip(strides).for_each(|(size, stride)| layout.push(*size, *stride));
    Ok(())
}

/// The position of the first element of a view (all coordinates 0) among its elements in memory.
pub(super) fn first(sizes: &[usize], strides: &[isize]) -> usize {
    let backwards = sizes.iter().zip(strides).filter(|(size, stride)| **size > 1 && **stride < 0);
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

pub(super) fn fits(sizes: &[usize], operand: Operand) -> Result<(), Error> {
    match sizes.len() {
        rank if rank > MAX_RANK => {
            Err(Error::RankTooLarge { operand, expected: MAX_RANK, found: rank })
        }
        _ => Ok(()),
    }
}

/// How the elements of a view lie once they are copied: in the order of memory, without gaps.
struct Packed {
    /// The axes of the view in this order.
    axes: Shape,
    /// The layout of the view in such a copy.
    layout: Layout,
}

impl Packed {
    /// The view has the sizes `once` where repeated elements count once. The product of these sizes
    /// is an `isize`, as of each view.
    fn new(view: &Layout, once: &[usize]) -> Packed {
        let mut axes: Shape = (0..view.rank()).collect();
        axes.sort_by_key(|axis| Reverse(view.stride(*axis).unsigned_abs()));
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
        Packed { axes, layout: Layout::any(view.sizes(), &strides, 0) }
    }

    /// Whether the elements lie so in memory.
    fn is_in_place(&self, view: &Layout) -> bool {
        let pairs = view.strides().iter().zip(self.layout.strides());
        view.sizes().iter().zip(pairs).all(|(size, (stride, packed))| {
            *size <= 1 || stride.unsigned_abs() == packed.unsigned_abs()
        })
    }
}

/// The view with its axes in this order. They often have it already: to permute them takes 30 ns.
fn permuted<S: RawData>(view: ArrayBase<S, IxDyn>, axes: &[usize]) -> ArrayBase<S, IxDyn> {
    if axes.is_sorted() { view } else { view.permuted_axes(IxDyn(axes)) }
}

/// The elements of a view in row-major order.
pub(super) fn copied<T: Copy>(view: &ArrayViewD<'_, T>, operand: Operand) -> Result<Vec<T>, Error> {
    let mut elements = reserve(view.len(), operand)?;
    copy(view.view(), &mut elements);
    Ok(elements)
}

/// The length from which a row is copied as a slice: to find it takes longer than to copy a few
/// elements.
const ROW: usize = 8;

/// Adds the elements of a view in row-major order.
pub(super) fn copy<T: Copy>(view: ArrayViewD<'_, T>, elements: &mut Vec<T>) {
    let view = of_few_axes(view);
    if view.ndim() > 4 {
        return view.outer_iter().for_each(|part| copy(part, elements));
    }
    let Ok(view) = of_four_axes(view) else { return };
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
    let mut view = of_few_axes(view);
    if view.ndim() > 4 {
        let parts = elements.chunks(elements.len().div_ceil(view.len_of(Axis(0)).max(1)));
        view.outer_iter_mut().zip(parts).for_each(|(part, new)| write_back(part, new));
        return;
    }
    let Ok(mut view) = of_four_axes(view) else { return };
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

/// The same elements in the same row-major order, in loops that are fast. `None`: it has more
/// than four axes, and there is no such loop.
pub(super) fn fast<S: RawData, D: Dimension>(view: ArrayBase<S, D>) -> Option<ArrayBase<S, Ix4>> {
    of_four_axes(of_few_axes(view.into_dyn())).ok()
}

/// The same elements in the same row-major order, with no more axes than four if that is possible.
pub(super) fn of_few_axes<S: RawData>(mut view: ArrayBase<S, IxDyn>) -> ArrayBase<S, IxDyn> {
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

/// The same elements with four axes, for a view that has no more: loops over a number of axes that
/// the compiler knows take 0.1x.
pub(super) fn of_four_axes<S: RawData>(
    view: ArrayBase<S, IxDyn>,
) -> Result<ArrayBase<S, Ix4>, ShapeError> {
    let new = Axis(0);
    let mut view = match view.ndim() {
        0 => return of_four_axes(view.insert_axis(new)),
        1 => view.into_dimensionality::<Ix1>()?.insert_axis(new).insert_axis(new).insert_axis(new),
        2 => view.into_dimensionality::<Ix2>()?.insert_axis(new).insert_axis(new),
        3 => view.into_dimensionality::<Ix3>()?.insert_axis(new),
        _ => view.into_dimensionality::<Ix4>()?,
    };
    merge(&mut view);
    Ok(view)
}

/// Makes neighbouring axes one where they can be walked with one stride, and another of size 1:
/// those of size 1 become the first ones.
fn merge<S: RawData, D: Dimension>(view: &mut ArrayBase<S, D>) {
    let Some(mut into) = view.ndim().checked_sub(1) else { return };
    for axis in (0..into).rev() {
        if !view.merge_axes(Axis(axis), Axis(into)) {
            into = axis;
        }
    }
    let mut last = view.ndim();
    for axis in (0..view.ndim()).rev() {
        if view.len_of(Axis(axis)) != 1 {
            last = last.saturating_sub(1);
            view.swap_axes(axis, last);
        }
    }
}

/// The length of the rows, if they lie in memory as slices that are worth it.
fn row<S: RawData>(view: &ArrayBase<S, Ix4>) -> Option<usize> {
    let length = view.len_of(Axis(3));
    (length >= ROW && view.stride_of(Axis(3)) == 1).then_some(length)
}
