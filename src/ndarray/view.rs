//! Views as slices: in place where their elements lie together in memory, copied otherwise.
//!
//! A copy has the axes of the view in the order of memory, those with long strides first, so that
//! neighbours in memory are read and written together, and rows without gaps as slices.

use std::borrow::Cow;
use std::cmp::Reverse;

use ::ndarray::{
    ArrayD, ArrayRef, ArrayView, ArrayView1, ArrayView4, ArrayViewD, ArrayViewMut4, Axis,
    Dimension, Ix0, Ix1, Ix2, Ix3, IxDyn, MathCell, Zip,
};

use crate::copy::repeated;
use crate::error::{Error, Operand};
use crate::layout::{Layout, MAX_RANK, SCALAR};
use crate::shape::Shape;

/// A view that is read.
pub(super) struct Source<'a, T> {
    view: View<'a, T>,
    operand: Operand,
}

enum View<'a, T> {
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

    /// A view with gaps.
    pub(super) fn gaps(&self) -> Option<ArrayViewD<'_, T>> {
        match &self.view {
            View::InPlace(_) => None,
            View::Gaps(view) => Some(view.view()),
        }
    }

    /// The elements in place, or copied.
    pub(super) fn elements(&self) -> Result<Cow<'a, [T]>, Error> {
        match &self.view {
            View::InPlace(slice) => Ok(Cow::Borrowed(slice)),
            View::Gaps(once) => copied(once, self.operand, |element| *element).map(Cow::Owned),
        }
    }
}

/// A view that is written: in place, or with gaps and its axes in the order of memory.
pub(super) enum Target<'a, T> {
    InPlace(&'a mut [T]),
    Gaps(Box<ArrayViewD<'a, MathCell<T>>>),
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
        let gaps = permuted(view.cell_view().into_dyn(), &packed.axes);
        Ok(Target::Gaps(Box::new(gaps)))
    }

    /// A view with gaps.
    pub(super) fn gaps(&self) -> Option<ArrayViewD<'_, MathCell<T>>> {
        match self {
            Target::InPlace(_) => None,
            Target::Gaps(view) => Some(view.view()),
        }
    }

    /// Lets `run` write the elements: in place, or on a copy, which is written back unless `run`
    /// fails. `all`: it writes every element, whatever the copy has before.
    pub(super) fn write(
        self,
        operand: Operand,
        all: bool,
        run: impl FnOnce(&mut [T]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match self {
            Target::InPlace(slice) => run(slice),
            Target::Gaps(view) => {
                let value = |cell: &MathCell<T>| cell.get();
                let copied = if all { room } else { copied };
                let mut copy = copied(&view, operand, value)?;
                run(&mut copy)?;
                assign(*view, &mut copy);
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
fn permuted<'a, E>(view: ArrayViewD<'a, E>, axes: &[usize]) -> ArrayViewD<'a, E> {
    if axes.is_sorted() { view } else { view.permuted_axes(IxDyn(axes)) }
}

/// The length from which a row is found as a slice: that takes longer than a few elements do.
pub(super) const ROW: usize = if cfg!(fuzzing) { 3 } else { 8 };

/// Short rows that a lane goes through, at most. If no other axis lies between, L1 has their cache
/// lines until the next lane.
///
/// Record: `elements` between views of f32 with gaps, of [3, 77, 6] and [2000, 3, 3], on Zen 5:
/// 0.76x and 0.65x of copies row by row.
const LANE: usize = if cfg!(fuzzing) { 4 } else { 256 };

/// As many values as a view has elements.
pub(super) fn room<E, T: Copy>(
    view: &ArrayViewD<'_, E>,
    operand: Operand,
    value: impl Fn(&E) -> T,
) -> Result<Vec<T>, Error> {
    let Some(first) = view.first() else { return Ok(Vec::new()) };
    repeated(value(first), view.len()).ok_or(Error::SizesOverflow { operand })
}

/// The values of the elements of a view in row-major order.
pub(super) fn copied<E, T: Copy>(
    view: &ArrayViewD<'_, E>,
    operand: Operand,
    value: impl Fn(&E) -> T,
) -> Result<Vec<T>, Error> {
    let mut values = room(view, operand, &value)?;
    each(view.view(), &mut values, &mut |element, to| *to = value(element));
    Ok(values)
}

/// Writes values to the elements of a view, in row-major order.
pub(super) fn assign<T: Copy>(view: ArrayViewD<'_, MathCell<T>>, values: &mut [T]) {
    each(view, values, &mut |to, new| to.set(*new));
}

/// Neighbours along an axis: where they lie together in memory, loops over them are faster.
pub(super) enum Row<'a, E> {
    Single(&'a E),
    Together(&'a [E]),
    Apart(ArrayView1<'a, E>),
}

impl<'a, E> Row<'a, E> {
    #[inline(always)]
    pub(super) fn of(row: ArrayView1<'a, E>) -> Row<'a, E> {
        row.to_slice().map_or(Row::Apart(row), Row::Together)
    }

    /// Visits each element with one of another tensor, which are no fewer.
    #[inline(always)]
    pub(super) fn zip<U>(self, others: impl IntoIterator<Item = U>, mut visit: impl FnMut(&E, U)) {
        let mut others = others.into_iter();
        match self {
            Row::Single(element) => {
                others.next().into_iter().for_each(|other| visit(element, other))
            }
            Row::Together(row) => row.iter().zip(others).for_each(|(e, other)| visit(e, other)),
            Row::Apart(row) => row.iter().for_each(move |element| {
                if let Some(other) = others.next() {
                    visit(element, other);
                }
            }),
        }
    }
}

/// Visits the elements of a view, each with its own in a packed copy.
fn each<E, T>(view: ArrayViewD<'_, E>, copy: &mut [T], visit: &mut impl FnMut(&E, &mut T)) {
    let Some(view) = of_four_axes(view.view()) else {
        let view = of_few_axes(view);
        let part = view.len().checked_div(view.len_of(Axis(0))).unwrap_or(0).max(1);
        let parts = view.outer_iter().zip(copy.chunks_mut(part));
        return parts.for_each(|(view, copy)| each(view, copy, visit));
    };
    let n = view.len_of(Axis(3));
    if n >= ROW {
        let rows = view.rows().into_iter().zip(copy.chunks_exact_mut(n));
        return rows.for_each(|(row, copy)| Row::of(row).zip(copy, &mut *visit));
    }
    // The copy has room for all elements: its callers make it so.
    let Ok(mut copy) = ArrayViewMut4::from_shape(view.dim(), copy) else { return };
    // Rows are short, so the innermost loop is along the longest axis.
    let axis = (0..4).max_by_key(|axis| view.len_of(Axis(*axis))).unwrap_or(3);
    let lanes = view.axis_chunks_iter(Axis(axis), LANE);
    for (mut view, mut copy) in lanes.zip(copy.axis_chunks_iter_mut(Axis(axis), LANE)) {
        view.swap_axes(axis, 3);
        copy.swap_axes(axis, 3);
        for (lane, copy) in view.rows().into_iter().zip(copy.rows_mut()) {
            Zip::from(lane).and(copy).for_each(&mut *visit);
        }
    }
}

/// The same elements in the same row-major order, with four axes: loops over a number of axes that
/// the compiler knows take 0.1x. `None`: more than four are left where those that can be walked
/// with one stride are one.
pub(super) fn of_four_axes<'a, E, D: Dimension>(
    view: ArrayView<'a, E, D>,
) -> Option<ArrayView4<'a, E>> {
    let new = Axis(0);
    let mut view = match view.ndim() {
        0 => view
            .into_dimensionality::<Ix0>()
            .ok()?
            .insert_axis(new)
            .insert_axis(new)
            .insert_axis(new)
            .insert_axis(new),
        1 => view
            .into_dimensionality::<Ix1>()
            .ok()?
            .insert_axis(new)
            .insert_axis(new)
            .insert_axis(new),
        2 => view.into_dimensionality::<Ix2>().ok()?.insert_axis(new).insert_axis(new),
        3 => view.into_dimensionality::<Ix3>().ok()?.insert_axis(new),
        4 => view.into_dimensionality().ok()?,
        _ => of_few_axes(view.into_dyn()).into_dimensionality().ok()?,
    };
    merge(&mut view);
    Some(view)
}

/// The same elements in the same row-major order, with no more axes than four if that is possible.
#[cold]
pub(super) fn of_few_axes<E>(mut view: ArrayViewD<'_, E>) -> ArrayViewD<'_, E> {
    merge(&mut view);
    for axis in (0..view.ndim()).rev() {
        if view.ndim() > 4 && view.len_of(Axis(axis)) == 1 {
            view = view.index_axis_move(Axis(axis), 0);
        }
    }
    view
}

/// Makes neighbouring axes one where they can be walked with one stride, and another of size 1:
/// those of size 1 become the first ones.
fn merge<E, D: Dimension>(view: &mut ArrayView<'_, E, D>) {
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
