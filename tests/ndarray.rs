//! Operators on arrays and views do what they do on slices, whatever the strides of the views.
#![cfg(feature = "ndarray")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use ndarray::{Array, Array2, ArrayD, ArrayView, ArrayViewMut, Axis, Ix2, IxDyn, Slice, array, aview0, s};
use strew::ndarray::{Operator, layout};
use strew::{Add, Bounds, Error, Gather, Layout, Operand, Scatter, shape};

/// How a view lies in memory: whether its dimensions are permuted, and the step through each.
type View = (bool, [isize; 2]);

const VIEWS: [View; 8] = [
    (false, [1, 1]),
    (true, [1, 1]),
    (false, [-1, 1]),
    (true, [1, -1]),
    (false, [2, 1]),
    (false, [1, -3]),
    (true, [2, 2]),
    (false, [-1, -1]),
];

/// A place in memory for a view of some sizes.
fn memory(sizes: [usize; 2], (permuted, steps): View) -> Array2<i32> {
    let [rows, columns] = [0, 1].map(|dim| (sizes[dim] * steps[dim].unsigned_abs()).saturating_sub(steps[dim].unsigned_abs() - 1));
    Array::from_elem(if permuted { (columns, rows) } else { (rows, columns) }, -7)
}

fn view<'a>(memory: &'a mut Array2<i32>, (permuted, steps): View) -> ArrayViewMut<'a, i32, Ix2> {
    let mut view = memory.view_mut();
    if permuted {
        view.swap_axes(0, 1);
    }
    view.slice_axis_inplace(Axis(0), Slice::from(..).step_by(steps[0]));
    view.slice_axis_inplace(Axis(1), Slice::from(..).step_by(steps[1]));
    view
}

/// An operator and its plans for packed tensors.
struct Case {
    operator: Operator,
    indices: ArrayD<i64>,
    gather: fn(&Layout, &Layout, &Layout) -> Result<Gather, Error>,
    scatter: fn(&Layout, &Layout, &Layout) -> Result<Scatter, Error>,
    flat: [usize; 2],
}

fn cases() -> [Case; 4] {
    [
        Case {
            operator: Operator::axis(0),
            indices: array![3, 0, -1].into_dyn(),
            gather: |t, i, f| Gather::axis(t, i, f, 0),
            scatter: |t, i, f| Scatter::axis(t, i, f, 0),
            flat: [3, 5],
        },
        Case {
            operator: Operator::axis(1).bounds(Bounds::Wrap),
            indices: array![7, 1].into_dyn(),
            gather: |t, i, f| Ok(Gather::axis(t, i, f, 1)?.bounds(Bounds::Wrap)),
            scatter: |t, i, f| Ok(Scatter::axis(t, i, f, 1)?.bounds(Bounds::Wrap)),
            flat: [4, 2],
        },
        Case {
            operator: Operator::elements(1),
            indices: array![[0, 4, 4], [1, 2, -5]].into_dyn(),
            gather: |t, i, f| Gather::elements(t, i, f, 1),
            scatter: |t, i, f| Scatter::elements(t, i, f, 1),
            flat: [2, 3],
        },
        Case {
            operator: Operator::nd(0),
            indices: array![[1], [1], [2]].into_dyn(),
            gather: |t, i, f| Gather::nd(t, i, f, 0),
            scatter: |t, i, f| Scatter::nd(t, i, f, 0),
            flat: [3, 5],
        },
    ]
}

#[test]
fn views_of_any_strides_give_what_packed_tensors_give() {
    let table = Array2::from_shape_fn((4, 5), |(row, column)| (10 * row + column) as i32);
    for Case { operator, indices, gather, scatter, flat } in cases() {
        let (t, f) = (Layout::contiguous([4, 5]), Layout::contiguous(flat));
        let i = Layout::from_sizes(indices.shape()).unwrap();
        let entries = indices.as_slice().unwrap();
        let mut gathered = Array2::zeros(flat);
        gather(&t, &i, &f).unwrap().run(table.as_slice().unwrap(), entries, gathered.as_slice_mut().unwrap()).unwrap();
        let mut added = table.clone();
        scatter(&t, &i, &f).unwrap().reduce(Add, added.as_slice_mut().unwrap(), entries, gathered.as_slice().unwrap()).unwrap();
        let mut assigned = table.clone();
        let updates = gathered.mapv(|value| value + 100);
        scatter(&t, &i, &f).unwrap().run(assigned.as_slice_mut().unwrap(), entries, updates.as_slice().unwrap()).unwrap();

        assert_eq!(operator.gather(&table, &indices).unwrap(), gathered.clone().into_dyn());
        for table_view in VIEWS {
            for flat_view in VIEWS {
                let (mut from, mut to) = (memory([4, 5], table_view), memory(flat, flat_view));
                view(&mut from, table_view).assign(&table);
                operator.gather_into(&view(&mut from, table_view), &indices, &mut view(&mut to, flat_view)).unwrap();
                assert_eq!(view(&mut to, flat_view), gathered, "{operator:?} {table_view:?} {flat_view:?}");

                let elements = from.sum() - table.sum();
                operator.reduce(Add, &mut view(&mut from, table_view), &indices, &view(&mut to, flat_view)).unwrap();
                assert_eq!(view(&mut from, table_view), added, "{operator:?} {table_view:?} {flat_view:?}");
                view(&mut from, table_view).assign(&table);
                view(&mut to, flat_view).assign(&updates);
                operator.scatter(&mut view(&mut from, table_view), &indices, &view(&mut to, flat_view)).unwrap();
                assert_eq!(view(&mut from, table_view), assigned, "{operator:?} {table_view:?} {flat_view:?}");
                // What lies between the elements of the view is as it was.
                assert_eq!(from.sum() - assigned.sum(), elements);
            }
        }
    }
}

#[test]
fn indices_and_updates_may_have_gaps_and_repeat() {
    let sparse = array![[1, 9], [0, 9], [1, 9]];
    let mut data = array![0, 0];
    Operator::axis(0).reduce(Add, &mut data, &sparse.column(0), &aview0(&5).broadcast(3).unwrap()).unwrap();
    assert_eq!(data, array![5, 10]);

    // Repeated along one dimension, with gaps along the other.
    let wide = array![1, 9, 2, 9];
    let steps = wide.slice(s![..;2]);
    let repeated = steps.broadcast((3, 2)).unwrap();
    let mut data = Array2::zeros((3, 4));
    Operator::elements(1).scatter(&mut data, &repeated, &repeated).unwrap();
    assert_eq!(data, array![[0, 1, 2, 0], [0, 1, 2, 0], [0, 1, 2, 0]]);

    // As many as no memory holds.
    let many = aview0(&1_u8);
    let many = many.broadcast([1 << 20, 1 << 20, 1 << 10]).unwrap();
    let picked = Operator::nd(0).gather(&many, &array![[0, -1, 1023]]).unwrap();
    assert_eq!(picked, array![1].into_dyn());
    let none = ArrayView::from_shape((1 << 40, 0), &[0_u8; 0]).unwrap();
    assert_eq!(Operator::axis(0).gather(&none, &array![-1]).unwrap().shape(), [1, 0]);
}

#[test]
fn errors_are_the_crates() {
    let table = array![[1, 2], [3, 4]];
    let bad = Error::IndexOutOfBounds { entry: 1, coordinate: 0, value: 2, size: 2 };
    assert_eq!(Operator::axis(0).gather(&table, &array![0, 2]), Err(bad));
    assert_eq!(Operator::axis(0).bounds(Bounds::Clamp).gather(&table, &array![0, 2]), Ok(array![[1, 2], [3, 4]].into_dyn()));
    assert_eq!(Operator::axis(2).gather(&table, &array![0]), Err(Error::AxisOutOfRange { operand: Operand::Input, expected: 2, found: 2 }));

    // A scatter that fails leaves no trace, in views with gaps either.
    let mut data = array![[1, 0, 2], [3, 0, 4]];
    let updates = array![[5, 6], [7, 8]];
    assert_eq!(Operator::axis(0).scatter(&mut data.slice_mut(s![.., ..;2]), &array![0, 2], &updates), Err(bad));
    assert_eq!(data, array![[1, 0, 2], [3, 0, 4]]);
    let mismatch = Error::SizeMismatch { operand: Operand::Updates, dimension: 1, expected: 3, found: 2 };
    assert_eq!(Operator::axis(0).scatter(&mut data, &array![0, 1], &updates), Err(mismatch));

    let nine = ArrayD::<u8>::zeros(IxDyn(&[1; 9]));
    let rank = |operand| Error::RankTooLarge { operand, expected: 8, found: 9 };
    assert_eq!(Operator::elements(0).gather_into(&nine, &nine, &mut nine.clone()), Err(rank(Operand::Input)));
    assert_eq!(Operator::axis(0).scatter(&mut nine.clone(), &array![0], &array![0]), Err(rank(Operand::Data)));

    // An output that no memory holds.
    let column = ArrayView::from_shape((2, 1), &[1_u64, 2]).unwrap();
    let wide = column.broadcast((2, 1 << 60)).unwrap();
    assert_eq!(Operator::axis(0).gather(&wide, &array![0, 1]), Err(Error::SizesOverflow { operand: Operand::Output }));
}

#[test]
fn layouts_of_views_in_their_memory() {
    let table = Array2::from_shape_fn((4, 6), |(row, column)| 10 * row + column);
    let slice = table.as_slice().unwrap();
    let part = table.slice(s![1..;2, ..;-2]);
    assert_eq!(layout(&part, slice), Ok(Layout::strided([2, 3], [12, -2]).with_offset(11)));
    assert_eq!(layout(&table.t(), slice), Ok(Layout::strided([6, 4], [1, 6])));

    let sizes = shape::axis(part.shape(), &[1], 0).unwrap();
    let gather = Gather::axis(&layout(&part, slice).unwrap(), &Layout::contiguous([1]), &Layout::from_sizes(&sizes).unwrap(), 0);
    let mut row = [0; 3];
    gather.unwrap().run(slice, &[-1], &mut row).unwrap();
    assert_eq!(row, [35, 33, 31]);

    // Of other memory, or of only a part of it.
    let other = table.clone();
    assert!(matches!(layout(&table, other.as_slice().unwrap()), Err(Error::SliceTooShort { .. })));
    assert!(matches!(layout(&table, &slice[1..]), Err(Error::SliceTooShort { .. } | Error::SizesOverflow { .. })));
    assert_eq!(layout(&table, &slice[..23]), Err(Error::SliceTooShort { operand: Operand::Layout, expected: 24, found: 23 }));
}
