//! Operators on views of any strides, against the oracle.

use ndarray::{ArrayView, ArrayViewMut, Axis, IxDyn, ShapeBuilder, StrideShape};
use strew::ndarray::{Operator, layout};
use strew::{Add, Error, Sub};

use super::case::{self, Case, IndexType, Tensor};
use super::check::Written;
use super::oracle;
use super::path;
use super::values::{Nan, samples};

/// A view of any strides in a slice.
fn view<'a, T>(tensor: &Tensor, slice: &'a [T]) -> ArrayView<'a, T, IxDyn> {
    let mut view =
        ArrayView::from_shape(steps(tensor), slice.get(lowest(tensor)..).unwrap_or(&[])).unwrap();
    backwards(tensor).for_each(|dim| view.invert_axis(Axis(dim)));
    view
}

fn view_mut<'a, T>(tensor: &Tensor, slice: &'a mut [T]) -> ArrayViewMut<'a, T, IxDyn> {
    let mut view =
        ArrayViewMut::from_shape(steps(tensor), slice.get_mut(lowest(tensor)..).unwrap_or(&mut []))
            .unwrap();
    backwards(tensor).for_each(|dim| view.invert_axis(Axis(dim)));
    view
}

fn steps(tensor: &Tensor) -> StrideShape<IxDyn> {
    let strides: Vec<usize> = strides(tensor).iter().map(|stride| stride.unsigned_abs()).collect();
    IxDyn(&tensor.sizes).strides(IxDyn(&strides))
}

fn backwards(tensor: &Tensor) -> impl Iterator<Item = usize> {
    strides(tensor).into_iter().enumerate().filter(|(_, stride)| *stride < 0).map(|(dim, _)| dim)
}

fn lowest(tensor: &Tensor) -> usize {
    tensor.offset
        - backwards(tensor)
            .map(|dim| (tensor.sizes[dim] - 1) * tensor.strides[dim].unsigned_abs())
            .sum::<usize>()
}

/// Where no step is made, a stride may be anything; not so for `ndarray`.
fn strides(tensor: &Tensor) -> Vec<isize> {
    if tensor.sizes.contains(&0) {
        return vec![0; tensor.sizes.len()];
    }
    tensor
        .sizes
        .iter()
        .zip(&tensor.strides)
        .map(|(size, stride)| if *size == 1 { 1 } else { *stride })
        .collect()
}

fn operator(case: &Case) -> Operator {
    let operator = match case.operator {
        case::Operator::Axis(axis) => Operator::axis(axis),
        case::Operator::Elements(axis) => Operator::elements(axis),
        case::Operator::Nd(batch_dims) => Operator::nd(batch_dims),
        case::Operator::Axes { .. } | case::Operator::Sequence { .. } => {
            unreachable!("not among the operators of arrays")
        }
    };
    operator.bounds(case.bounds).negative(case.negative)
}

/// A gather into a view, and into a new array.
#[inline]
pub fn check_gather(case: &Case) {
    let case = &case.with_index(IndexType::I64);
    let (moves, indices) = (&oracle::moves(case), &case.indices_as::<i64>()[..]);
    let result = oracle::first_out_of_bounds(moves);
    let input = samples::<i16>(case.table.len, case.seed, 0);
    let before = samples::<i16>(case.flat.len, case.seed, 1);
    // What is skipped is a 0 in a new array.
    let (mut expected, mut zeros) = (before.clone(), vec![0; before.len()]);
    oracle::gather(moves, &input, &mut expected);
    oracle::gather(moves, &input, &mut zeros);
    let new = view(&case.flat, &zeros);
    let tensors = [&before, &expected, if result.is_ok() { &expected } else { &before }];
    let (input_view, indices) = (view(&case.table, &input), view(&case.indices, indices));
    check_layout(&case.table, &layout(&input_view, &input));
    let mut output = Written::new(case, before.len(), Nan::Exact);
    path::each(|_| {
        output.call("gather_into", result, tensors.map(Vec::as_slice), |output| {
            let mut output = view_mut(&case.flat, output);
            operator(case).gather_into(&input_view, &indices, &mut output)
        });
        let gathered = operator(case).gather(&input_view, &indices);
        assert_eq!(gathered.as_ref().map(|_| ()).map_err(|error| *error), result, "{case:?}");
        assert!(gathered.is_err() || gathered == Ok(new.to_owned()), "{gathered:?}\n{case:?}");
        let mapped = operator(case).gather_map(&input_view, &indices, f64::from);
        assert_eq!(mapped, gathered.map(|gathered| gathered.mapv(f64::from)), "{case:?}");
    });
}

/// An assignment and reductions: sums of floats have the bits of their order.
#[inline]
pub fn check_scatter(case: &Case) {
    let case = &case.with_index(IndexType::I64);
    let (moves, indices) = (&oracle::moves(case), &case.indices_as::<i64>()[..]);
    let result = oracle::first_out_of_bounds(moves);
    let input = samples::<i16>(case.table.len, case.seed, 0);
    let updates = samples::<i16>(case.flat.len, case.seed, 1);
    let (mut assigned, mut reduced) = (input.clone(), input.clone());
    oracle::scatter(moves, &mut assigned, &updates, true, |_, update| update);
    oracle::scatter(moves, &mut reduced, &updates, true, i16::wrapping_sub);
    let [floats, float_updates] = [(case.table.len, 0), (case.flat.len, 1)]
        .map(|(len, stream)| samples::<f32>(len, case.seed, stream));
    let mut summed = floats.clone();
    oracle::scatter(moves, &mut summed, &float_updates, true, |a, b| a + b);
    let (indices, updates) = (view(&case.indices, indices), view(&case.flat, &updates));
    let float_updates = view(&case.flat, &float_updates);
    let mut sums = Written::new(case, floats.len(), Nan::Any);
    let mut data = Written::new(case, input.len(), Nan::Exact);
    path::each(|_| {
        data.call("scatter", result, [&input, &assigned, &assigned], |data| {
            operator(case).scatter(&mut view_mut(&case.table, data), &indices, &updates)
        });
        data.call("reduce", result, [&input, &reduced, &reduced], |data| {
            operator(case).reduce(Sub, &mut view_mut(&case.table, data), &indices, &updates)
        });
        sums.call("reduce floats", result, [&floats, &summed, &summed], |data| {
            operator(case).reduce(Add, &mut view_mut(&case.table, data), &indices, &float_updates)
        });
    });
}

/// The layout of a view is that of the tensor, wherever a step is made.
#[inline]
fn check_layout(tensor: &Tensor, found: &Result<strew::Layout, Error>) {
    let found = found.as_ref().expect("the view is a part of its slice");
    assert_eq!(found.sizes(), tensor.sizes, "{tensor:?}");
    if !tensor.sizes.contains(&0) {
        let mut steps = tensor.sizes.iter().zip(&tensor.strides).zip(found.strides());
        assert!(steps.all(|((size, stride), found)| *size == 1 || stride == found), "{tensor:?}");
        assert_eq!(found.offset(), tensor.offset, "{tensor:?}");
    }
}
