//! Operators on arrays and views do what they do on slices, whatever the strides of the views.
#![cfg(all(feature = "half", feature = "ndarray"))]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

mod common;

use common::arrays;
use common::case::Case;
use common::generate::{self, Direction, KINDS};
use ndarray::{
    Array1, Array2, ArrayD, ArrayView, Axis, Dimension, IxDyn, ShapeBuilder, Slice, array, aview0,
    aview1, s,
};
use proptest::prelude::*;
use strew::ndarray::{Operator, Pooled, layout};
use strew::{Add, Bags, Bounds, Error, Gather, Layout, Negative, Operand, Scatter, shape};

/// Of tables of the size of what moves, and of larger ones.
fn cases(direction: Direction) -> impl Strategy<Value = Case> {
    prop::collection::vec(any::<u16>(), 100..400).prop_map(move |choices| {
        let mut left = choices.iter().cycle();
        let mut choose = |n: usize| usize::from(*left.next().unwrap_or(&0)) % n;
        let kind = KINDS[choose(3)];
        match choose(2) {
            0 => generate::case(direction, kind, &mut choose),
            _ => generate::few_case(direction, kind, &mut choose),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(1000)
    })]

    /// All operators, policies, ranks and strides.
    #[test]
    fn gathers_of_views_are_those_of_slices(case in cases(Direction::Gather)) {
        arrays::check_gather(&case);
    }

    #[test]
    fn scatters_of_views_are_those_of_slices(case in cases(Direction::Scatter)) {
        arrays::check_scatter(&case);
    }
}

#[test]
fn indices_and_updates_may_have_gaps_and_repeat() {
    let sparse = array![[1, 9], [0, 9], [1, 9]];
    let mut data = array![0, 0];
    Operator::axis(0)
        .reduce(Add, &mut data, &sparse.column(0), &aview0(&5).broadcast(3).unwrap())
        .unwrap();
    assert_eq!(data, array![5, 10]);

    // Repeated along one dimension, with gaps along the other.
    let wide = array![1, 9, 2, 9];
    let steps = wide.slice(s![..;2]);
    let repeated = steps.broadcast((3, 2)).unwrap();
    let mut data = Array2::zeros((3, 4));
    Operator::elements(1).scatter(&mut data, &repeated, &repeated).unwrap();
    assert_eq!(data, array![[0, 1, 2, 0], [0, 1, 2, 0], [0, 1, 2, 0]]);

    // Windows that overlap are copied.
    let windows = ArrayView::from_shape((3, 4).strides((1, 1)), &[1; 6]).unwrap();
    assert_eq!(
        Operator::axis(0).gather(&windows, &array![2]).unwrap(),
        array![[1, 1, 1, 1]].into_dyn()
    );

    // No elements, and elements without bytes.
    let none = ArrayView::from_shape((1 << 20, 0), &[0_u8; 0]).unwrap();
    assert_eq!(
        Operator::axis(0).gather(&none.slice(s![..;-1, ..]), &array![-1]).unwrap().shape(),
        [1, 0]
    );
    let units = Array1::from_elem(4, ());
    assert_eq!(Operator::axis(0).gather(&units.slice(s![..;-1]), &array![3, 0]).unwrap().len(), 2);
}

#[test]
#[cfg(target_pointer_width = "64")]
fn more_places_than_memory_holds() {
    let many = aview0(&1_u8);
    let many = many.broadcast([1 << 20, 1 << 20, 1 << 10]).unwrap();
    let picked = Operator::nd(0).gather(&many, &array![[0, -1, 1023]]).unwrap();
    assert_eq!(picked, array![1].into_dyn());
    // What moves of windows that overlap is copied, and no more.
    let line: Vec<u64> = (0..1593).collect();
    let windows = ArrayView::from_shape(IxDyn(&[200; 8]).strides(IxDyn(&[1; 8])), &line).unwrap();
    let ends = Array2::<i32>::from_elem((1, 8), -1);
    assert_eq!(Operator::nd(0).gather(&windows, &ends), Ok(array![1592].into_dyn()));
    let ends = ArrayD::<i32>::from_elem(IxDyn(&[1; 8]), -1);
    assert_eq!(
        Operator::elements(3).gather(&windows, &ends),
        Ok(ArrayD::from_elem(IxDyn(&[1; 8]), 199))
    );
    let pairs = Operator::nd(0).gather(&windows, &array![[1, 2, 3, 4, 5, 6, 7]]).unwrap();
    assert_eq!(pairs, ArrayD::from_shape_fn(IxDyn(&[1, 200]), |c| 28 + c[1] as u64));
    // Coordinates are found in 63 bits. All 64 bits are too many after an axis of size 1.
    for (sizes, found) in [
        (&[300; 7][..], Ok(array![7 * 299].into_dyn())),
        (&[2048, 4096, 4096, 4096, 4096], Err(Error::SizesOverflow { operand: Operand::Input })),
        (&[15, 4096, 4096, 4096, 4096], Ok(array![4 * 4095 + 14].into_dyn())),
    ] {
        let line: Vec<u64> = (0..20_000).collect();
        let strides = vec![1; sizes.len()];
        let windows = ArrayView::from_shape(IxDyn(sizes).strides(IxDyn(&strides)), &line).unwrap();
        let ends = Array2::<i32>::from_elem((1, sizes.len()), -1);
        assert_eq!(Operator::nd(0).gather(&windows, &ends), found);
    }
    // All of it, as indices, has no place in memory.
    let one = aview0(&1);
    let ones = one.broadcast(IxDyn(&[200; 8])).unwrap();
    assert_eq!(
        Operator::axis(0).scatter(&mut array![0], &windows, &ones),
        Err(Error::SizesOverflow { operand: Operand::Indices })
    );
}

/// Coordinates that take 33 bits together: where `usize` has 32, the table is copied.
#[test]
fn more_bits_than_a_short_number_has() {
    let line: Vec<u8> = (0..65).collect();
    let sizes = [16, 8, 8, 8, 8, 8, 8, 8];
    let windows = ArrayView::from_shape(IxDyn(&sizes).strides(IxDyn(&[1; 8])), &line).unwrap();
    let ends = array![[-1, -1, -1, -1, -1, -1, -1, -1], [3, 0, 0, 0, 0, 0, 0, 2]];
    assert_eq!(Operator::nd(0).gather(&windows, &ends), Ok(array![64, 5].into_dyn()));
}

#[test]
fn errors_are_the_crates() {
    let table = array![[1, 2], [3, 4]];
    let bad = Error::IndexOutOfBounds { entry: 1, coordinate: 0, value: 2, size: 2 };
    assert_eq!(Operator::axis(0).gather(&table, &array![0, 2]), Err(bad));
    assert_eq!(
        Operator::axis(0).bounds(Bounds::Clamp).gather(&table, &array![0, 2]),
        Ok(array![[1, 2], [3, 4]].into_dyn())
    );
    // Rows of no elements have indices all the same.
    let empty = table.slice(s![.., ..0]);
    assert_eq!(Operator::axis(0).gather(&empty, &array![0, 2]), Err(bad));
    let mut data = empty.to_owned();
    assert_eq!(Operator::axis(0).scatter(&mut data, &array![0, 2], &empty), Err(bad));
    assert_eq!(
        Operator::axis(2).gather(&table, &array![0]),
        Err(Error::AxisOutOfRange { operand: Operand::Input, expected: 2, found: 2 })
    );

    // A scatter that fails leaves no trace, in views with gaps either.
    let mut data = array![[1, 0, 2], [3, 0, 4]];
    let updates = array![[5, 6], [7, 8]];
    assert_eq!(
        Operator::axis(0).scatter(&mut data.slice_mut(s![.., ..;2]), &array![0, 2], &updates),
        Err(bad)
    );
    assert_eq!(data, array![[1, 0, 2], [3, 0, 4]]);
    let mismatch =
        Error::SizeMismatch { operand: Operand::Updates, dimension: 1, expected: 3, found: 2 };
    assert_eq!(Operator::axis(0).scatter(&mut data, &array![0, 1], &updates), Err(mismatch));

    let nine = ArrayD::<u8>::zeros(IxDyn(&[1; 9]));
    let rank = |operand| Error::RankTooLarge { operand, expected: 8, found: 9 };
    assert_eq!(
        Operator::elements(0).gather_into(&nine, &nine, &mut nine.clone()),
        Err(rank(Operand::Input))
    );
    assert_eq!(Operator::elements(0).gather(&nine, &nine), Err(rank(Operand::Input)));
    assert_eq!(
        Operator::elements(0).gather(&array![0], &nine.mapv(i64::from)),
        Err(rank(Operand::Indices))
    );
    assert_eq!(
        Operator::axis(0).scatter(&mut nine.clone(), &array![0], &array![0]),
        Err(rank(Operand::Data))
    );

    // A gather into a view with gaps, too.
    let mut output = array![[0, 9], [0, 9]];
    assert_eq!(
        Operator::axis(0).gather_into(&array![1, 2], &array![0, 2], &mut output.column_mut(0)),
        Err(bad)
    );
    assert_eq!(output, array![[0, 9], [0, 9]]);

    // An output that no memory holds.
    let column = ArrayView::from_shape((2, 1), &[1_u64, 2]).unwrap();
    let wide = column.broadcast((2, 1 << (usize::BITS - 4))).unwrap();
    assert_eq!(
        Operator::axis(0).gather(&wide, &array![0, 1]),
        Err(Error::SizesOverflow { operand: Operand::Output })
    );
}

#[test]
fn layouts_of_views_in_their_memory() {
    let table = Array2::from_shape_fn((4, 6), |(row, column)| 10 * row + column);
    let slice = table.as_slice().unwrap();
    let part = table.slice(s![1..;2, ..;-2]);
    assert_eq!(layout(&part, slice), Ok(Layout::strided([2, 3], [12, -2]).with_offset(11)));
    assert_eq!(layout(&table.t(), slice), Ok(Layout::strided([6, 4], [1, 6])));

    let sizes = shape::axis(part.shape(), &[1], 0).unwrap();
    let gather = Gather::axis(
        &layout(&part, slice).unwrap(),
        &Layout::contiguous([1]),
        &Layout::from_sizes(&sizes).unwrap(),
        0,
    );
    let mut row = [0; 3];
    gather.unwrap().run(slice, &[-1], &mut row).unwrap();
    assert_eq!(row, [35, 33, 31]);

    // Of other memory, of only a part of it, or between its elements.
    let other = table.clone();
    assert!(layout(&table, other.as_slice().unwrap()).is_err());
    assert_eq!(
        layout(&table, &slice[..23]),
        Err(Error::SliceTooShort { operand: Operand::Layout, expected: 24, found: 23 })
    );
    assert!(layout(&table, &slice[1..]).is_err());
    let bytes = [0_u8, 1, 2, 3, 4, 5];
    let (pairs, odd) = (bytes.as_chunks::<2>().0, bytes[1..].as_chunks::<2>().0);
    assert_eq!(layout(&aview1(&pairs[1..]), pairs), Ok(Layout::contiguous([2]).with_offset(1)));
    assert!(layout(&aview1(odd), pairs).is_err());
    // Elements without bytes lie nowhere in particular.
    let units = [(); 6];
    let backwards = aview1(&units);
    assert_eq!(
        layout(&backwards.slice(s![..;-1]), &units),
        Ok(Layout::strided([6], [-1]).with_offset(5))
    );
}

#[test]
fn axes_may_count_from_the_end() {
    let table = array![[1, 2, 3], [4, 5, 6]];
    for (axis, from_end) in [(0_usize, -2), (1, -1)] {
        assert_eq!(
            Operator::axis(from_end).gather(&table, &array![1, 0]),
            Operator::axis(axis).gather(&table, &array![1, 0])
        );
        let best = array![[0, 1, 1], [1, 0, 0]];
        assert_eq!(
            Operator::elements(from_end).gather(&table, &best),
            Operator::elements(axis).gather(&table, &best)
        );
    }
    let bad = Error::AxisOutOfRange { operand: Operand::Input, expected: 2, found: 3 };
    assert_eq!(Operator::axis(-3).gather(&table, &array![0]), Err(bad));
    assert_eq!(Pooled::axis(-3).run(Add, &table, &array![0], Bags::Starts(&[0])), Err(bad));
}

#[test]
fn updates_are_broadcast_as_numpy_does() {
    // a[[2, 0]] = u for all that NumPy takes, and what it does not.
    let assigned = |updates: &ArrayD<i32>| {
        let mut data = Array2::zeros((3, 2));
        Operator::axis(0).scatter(&mut data, &array![2, 0], updates).map(|()| data)
    };
    let expected = [
        (array![[7]].into_dyn(), array![[7, 7], [0, 0], [7, 7]]),
        (ndarray::arr0(7).into_dyn(), array![[7, 7], [0, 0], [7, 7]]),
        (array![1, 2].into_dyn(), array![[1, 2], [0, 0], [1, 2]]),
        (array![[1], [2]].into_dyn(), array![[2, 2], [0, 0], [1, 1]]),
        (array![[1, 2], [3, 4]].into_dyn(), array![[3, 4], [0, 0], [1, 2]]),
    ];
    for (updates, expected) in expected {
        assert_eq!(assigned(&updates), Ok(expected), "{updates}");
    }
    assert!(assigned(&array![1, 2, 3].into_dyn()).is_err());
    assert!(assigned(&array![[[1, 2]]].into_dyn()).is_err());
    // The table of take_along_axis.
    let (row, columns) = (array![[1, 2, 3]], array![[2, 0], [1, 1]]);
    let taken = Operator::elements(1).gather(&row, &columns).unwrap();
    assert_eq!(taken, array![[3, 1], [2, 2]].into_dyn());
}

/// All that slices have, on views with gaps and repeated updates: the same as on whole arrays.
#[test]
fn views_have_all_that_slices_have() {
    let all = Array2::from_shape_fn((40, 9), |(row, column)| (row * 7 + column * 3) as i32 % 50);
    let view = s![1..;3, ..;-2];
    let (before, indices) = (all.slice(view).to_owned(), array![3, -1, 3, 0, 12, 3]);
    let updates = Array2::from_shape_fn((6, 5), |(row, column)| (row + 2 * column) as i32);
    type View<'a> = ndarray::ArrayViewMut2<'a, i32>;
    let check = |name: &str, run: &dyn Fn(&mut View<'_>) -> Result<(), Error>| {
        let (mut packed, mut gaps) = (before.clone(), all.clone());
        run(&mut packed.view_mut()).unwrap();
        run(&mut gaps.slice_mut(view)).unwrap();
        assert_eq!(gaps.slice(view), packed, "{name}");
        let mut others = gaps.clone();
        others.slice_mut(view).assign(&before);
        assert_eq!(others, all, "{name}");
        packed
    };
    let rows = Operator::axis(0);
    // By slices.
    let (table, ids) = (Layout::contiguous([13, 5]), Layout::contiguous([6]));
    let scatter = Scatter::axis(&table, &ids, &Layout::contiguous([6, 5]), 0).unwrap();
    let (ids, flat) = (indices.as_slice().unwrap(), updates.as_slice().unwrap());
    let by_slices = |run: &dyn Fn(&mut [i32]) -> Result<(), Error>| {
        let mut data = before.as_standard_layout().into_owned();
        run(data.as_slice_mut().unwrap()).unwrap();
        data
    };
    let mean = check("mean", &|data| rows.mean(data, &indices, &updates));
    assert_eq!(mean, by_slices(&|data| scatter.mean(data, ids, flat, &mut [0; 200])));
    let mean = check("mean", &|data| rows.mean_excluding_self(data, &indices, &updates));
    let mut scratch = [0; 200];
    assert_eq!(mean.row(3), {
        let mut data = before.as_standard_layout().into_owned();
        let slice = data.as_slice_mut().unwrap();
        scatter.mean_excluding_self(slice, ids, flat, &mut scratch).unwrap();
        data.row(3).to_owned()
    });
    let excluding =
        check("excluding", &|data| rows.reduce_excluding_self(Add, data, &indices, &updates));
    assert_eq!(
        excluding,
        by_slices(&|data| scatter.reduce_excluding_self(Add, data, ids, flat, &mut [0; 1]))
    );
    let sums = check("reduce", &|data| rows.reduce(Add, data, &indices, &updates));
    let bytes = updates.mapv(|update| update as u8);
    let mapped =
        check("reduce_map", &|data| rows.reduce_map(Add, data, &indices, &bytes, i32::from));
    assert_eq!(mapped, sums);
    let into = check("reduce_into", &|data| {
        data.fill(-1);
        rows.reduce_into(Add, &before.view(), &indices, &updates, data)
    });
    assert_eq!(into, sums);
    #[cfg(feature = "rayon")]
    {
        let threads = check("par", &|data| rows.par_reduce(Add, data, &indices, &updates));
        assert_eq!(threads, sums);
        let gathered = rows.par_gather(&all.slice(view), &indices).unwrap();
        assert_eq!(Ok(gathered), rows.gather(&all.slice(view), &indices));
    }
    let mut floats = Array2::from_elem((6, 10), -1.0);
    let mut every_other = floats.slice_mut(s![.., ..;2]);
    rows.gather_map_into(&all.slice(view), &indices, &mut every_other, f64::from).unwrap();
    assert_eq!(every_other.mapv(|x| x as i32).into_dyn(), rows.gather(&before, &indices).unwrap());
    assert!(floats.slice(s![.., 1..;2]).iter().all(|x| *x == -1.0));

    // Whatever the error, the output is as it was.
    let mut output = array![[1], [2]];
    for (input, indices, updates) in [
        (array![[5], [6]], array![2], array![[9]]),
        (array![[5], [6]], array![0], array![[9, 9]]),
        (array![[5], [6], [7]], array![0], array![[9]]),
    ] {
        let into = Operator::axis(0).reduce_into(Add, &input, &indices, &updates, &mut output);
        assert!(into.is_err());
        assert_eq!(output, array![[1], [2]]);
    }
}

/// Few elements of views with more gaps than four axes have, and entries that are left out.
#[test]
fn few_elements_of_views_with_gaps() {
    let all = ArrayD::from_shape_fn(IxDyn(&[3, 3, 3, 3, 3, 300]), |c| {
        c.slice().iter().fold(0, |n, coordinate| 3 * n + *coordinate as i32)
    });
    let view = s![..2, ..2, ..;-2, ..2, 1.., ..200];
    let before = all.slice(view).to_owned();
    let check = |name: &str, run: &dyn Fn(&mut ndarray::ArrayViewMutD<'_, i32>)| {
        let (mut packed, mut gaps) = (before.clone().into_dyn(), all.clone());
        run(&mut packed.view_mut());
        run(&mut gaps.slice_mut(view).into_dyn());
        assert_eq!(gaps.slice(view).into_dyn(), packed, "{name}");
    };
    let skip = Bounds::Skip;
    let calls = [
        (Operator::axis(5), array![1].into_dyn(), vec![2, 2, 2, 2, 2, 1]),
        (Operator::axis(0), array![-1, 7, -3].into_dyn(), vec![3, 1, 1, 1, 1, 1]),
        (Operator::nd(0), array![[1, 0, 1, 0, 1], [0; 5], [1, 0, 1, 0, 1]].into_dyn(), vec![200]),
        (Operator::nd(0), array![[1, 0, 1, 0, 1, -1], [0; 6], [9; 6]].into_dyn(), vec![3]),
        (Operator::nd(1), array![[[1, 0]], [[0, 2]]].into_dyn(), vec![2, 1, 2, 2, 200]),
        (Operator::elements(3), ArrayD::ones(IxDyn(&[2, 2, 1, 2, 2, 1])), vec![]),
    ];
    for (operator, indices, updates) in calls {
        let operator = operator.bounds(skip);
        let gathered = operator.gather(&all.slice(view), &indices).unwrap();
        assert_eq!(Ok(gathered), operator.gather(&before, &indices));
        let updates =
            ArrayD::from_shape_fn(updates, |c| 40 + 7 * c.slice().iter().sum::<usize>() as i32);
        check("set", &|data| operator.scatter(data, &indices, &updates).unwrap());
        check("add", &|data| operator.reduce(Add, data, &indices, &updates).unwrap());
        check("mean", &|data| operator.mean(data, &indices, &updates).unwrap());
        check("mean excluding", &|data| {
            operator.mean_excluding_self(data, &indices, &updates).unwrap();
        });
        check("excluding", &|data| {
            operator.reduce_excluding_self(Add, data, &indices, &updates).unwrap();
        });
    }
}

/// Rows of views with gaps: of one stride, of two axes, backwards, and elements that are no
/// neighbours.
#[test]
fn rows_of_views_with_gaps() {
    let all = Array2::from_shape_fn((40, 90), |(row, column)| 100 * row + column);
    let cubes = all.to_shape((10, 4, 90)).unwrap();
    let indices = array![9, -1, 0, 9, 3];
    for width in [7, 8, 9, 40] {
        let views = [s![.., 5..5 + width], s![..;-2, 3..3 + width], s![.., ..2 * width;2]];
        for view in views.map(|part| all.slice(part)) {
            let rows = Vec::from_iter(
                indices
                    .iter()
                    .map(|row: &i64| view.row(row.rem_euclid(view.nrows() as i64) as usize)),
            );
            let expected = ::ndarray::stack(Axis(0), &rows).unwrap().into_dyn();
            assert_eq!(Operator::axis(0).gather(&view, &indices).unwrap(), expected);
            // What comes before a bad index may have moved, nothing else.
            let mut output = Array2::zeros((5, width));
            let bad = array![9, 1, 40, 2, 3];
            let error = Operator::axis(0).gather_into(&view, &bad, &mut output).unwrap_err();
            assert!(matches!(error, Error::IndexOutOfBounds { .. }), "{error}");
            assert!(output.rows().into_iter().skip(2).flatten().all(|element| *element == 0));
        }
        let view = cubes.slice(s![.., ..3, ..width]);
        let found = Operator::axis(1).gather(&view, &array![2, 0]).unwrap();
        let expected = [view.index_axis(Axis(1), 2), view.index_axis(Axis(1), 0)];
        assert_eq!(found, ::ndarray::stack(Axis(1), &expected).unwrap().into_dyn());
    }
}

/// Outputs with gaps that are copied keep what no index writes: on an axis of size 0, all lead
/// nowhere under each rule but one.
#[test]
fn copied_outputs_keep_what_is_not_written() {
    for bounds in [Bounds::Clamp, Bounds::Wrap, Bounds::Skip] {
        let mut all = Array2::from_shape_fn((3, 4), |(row, column)| 10 * row + column);
        let before = all.clone();
        let rows = Operator::axis(0).bounds(bounds);
        let table = Array2::<usize>::zeros((0, 2));
        let mut output = all.slice_mut(s![.., ..;2]);
        rows.gather_into(&table, &array![0, 1, -1], &mut output).unwrap();
        assert_eq!(all, before, "{bounds:?}");
    }
}

/// Packed arrays run in loops of their own where there are few indices.
#[test]
fn packed_arrays_do_what_views_with_gaps_do() {
    let sizes: [(Operator, &[usize], &[usize]); 11] = [
        (Operator::axis(0), &[4, 3], &[7]),
        (Operator::axis(1), &[2, 5, 3], &[2, 3]),
        (Operator::axis(2), &[2, 3, 4], &[]),
        (Operator::axis(0), &[6, 1], &[300]),
        (Operator::elements(1), &[3, 5], &[3, 4]),
        (Operator::elements(0), &[5], &[9]),
        (Operator::elements(0), &[5, 3], &[2, 2]),
        (Operator::nd(0), &[4, 3, 5, 2], &[6, 2]),
        (Operator::nd(0), &[4, 3, 5], &[2, 2, 3]),
        (Operator::nd(1), &[3, 4, 2, 5], &[3, 4, 2]),
        (Operator::nd(2), &[2, 3, 4, 2], &[2, 3, 1]),
    ];
    for (operator, table, indices) in sizes {
        // Indices that are on each axis.
        let least = table.iter().min().copied().unwrap().max(2) as i64;
        let least = if table.contains(&1) { 6 } else { least };
        let length: usize = indices.iter().product();
        for bad in [None, Some(length - 1)] {
            let mut ids: Vec<i64> =
                (0..length as i64).map(|n| n * 7 % (2 * least) - least).collect();
            if let Some(bad) = bad {
                ids[bad] = 9;
            }
            let ids = ArrayD::from_shape_vec(indices, ids).unwrap();
            let filled = |sizes: &[usize], from: i32| {
                let length = sizes.iter().product::<usize>() as i32;
                ArrayD::from_shape_vec(sizes, (from..from + length).collect()).unwrap()
            };
            let with_gaps = |array: &ArrayD<i32>| {
                let mut sizes = array.shape().to_vec();
                sizes.push(2);
                let mut wide = ArrayD::zeros(sizes);
                wide.index_axis_mut(ndarray::Axis(array.ndim()), 0).assign(array);
                wide
            };
            let first =
                |wide: &ArrayD<i32>| wide.index_axis(ndarray::Axis(wide.ndim() - 1), 0).to_owned();
            let input = filled(table, 0);
            let wide = with_gaps(&input);
            let view = wide.index_axis(ndarray::Axis(input.ndim()), 0);
            let gathered = operator.gather(&view, &ids);
            assert_eq!(operator.gather(&input, &ids), gathered);
            assert_eq!(gathered.is_err(), bad.is_some());

            let zeros = ids.mapv(|_| 0);
            let output = operator.gather(&input, &zeros).unwrap();
            for axis in 0..output.ndim() {
                let mut wrong = output.shape().to_vec();
                wrong[axis] += 1;
                let mut wrong = ArrayD::zeros(wrong);
                let error = operator.gather_into(&view, &ids, &mut wrong).unwrap_err();
                assert_eq!(operator.gather_into(&input, &ids, &mut wrong), Err(error));
            }
            let updates = filled(output.shape(), 1000);
            let mut data = input.clone();
            let mut wide = with_gaps(&input);
            let mut view = wide.index_axis_mut(ndarray::Axis(input.ndim()), 0);
            let did = operator.reduce(Add, &mut view, &ids, &updates);
            assert_eq!(operator.reduce(Add, &mut data, &ids, &updates), did);
            assert_eq!(data, first(&wide));
            assert_eq!(data == input, bad.is_some());
            let mut view = wide.index_axis_mut(ndarray::Axis(input.ndim()), 0);
            let did = operator.scatter(&mut view, &ids, &updates);
            assert_eq!(operator.scatter(&mut data, &ids, &updates), did);
            assert_eq!(data, first(&wide));
        }
    }
}

/// Blocks of many entries, long rows and tiles, where tables and flat tensors have gaps after each
/// element, after each row, or between planes that are transposed.
#[test]
fn many_entries_with_gaps_anywhere() {
    fn wide(shape: &[usize], kind: usize, from: i32) -> (ArrayD<i32>, Vec<usize>) {
        let mut sizes = shape.to_vec();
        if kind == 3 {
            sizes.reverse();
        }
        match kind {
            0 => {}
            1 => *sizes.last_mut().unwrap() *= 2,
            _ => *sizes.last_mut().unwrap() += 3,
        }
        let length = sizes.iter().product::<usize>() as i32;
        let array = ArrayD::from_shape_vec(sizes, (from..from + length).collect()).unwrap();
        (array, shape.to_vec())
    }
    macro_rules! part {
        ($array:expr, $shape:expr, $kind:expr, $slice:ident, $reverse:ident) => {{
            let last = Axis($shape.len() - 1);
            let size = if $kind == 3 { $shape[0] } else { $shape[last.0] } as isize;
            let step = if $kind == 1 { -2 } else { 1 };
            let end = if $kind == 1 { 2 * size } else { size };
            let view = $array.$slice(last, Slice::new(0, Some(end), step));
            if $kind == 3 { view.$reverse() } else { view }
        }};
    }
    let sizes: [(Operator, &[usize], &[usize]); 8] = [
        (Operator::axis(0), &[400, 300], &[50]),
        (Operator::axis(0), &[30_000, 5], &[2500]),
        (Operator::axis(0), &[9000], &[3, 2000]),
        (Operator::axis(1), &[7, 9000, 3], &[1500]),
        (Operator::elements(0), &[3000, 100], &[1500, 100]),
        (Operator::elements(1), &[40, 9000], &[40, 300]),
        (Operator::nd(0), &[600, 500, 3], &[5000, 2]),
        (Operator::nd(1), &[40, 900, 20], &[40, 30, 1]),
    ];
    for (number, (operator, table, indices)) in sizes.into_iter().enumerate() {
        let skips = operator.bounds(Bounds::Skip).negative(Negative::OutOfBounds);
        let ids = (0..indices.iter().product::<usize>() as i64).map(|n| n * n % 397 - 3);
        let ids = ArrayD::from_shape_vec(indices, ids.collect()).unwrap();
        for (kind, other) in [(0, 2), (1, 0), (2, 1), (3, 3)] {
            let operator = if (number + kind) % 2 == 0 { skips } else { operator };
            let (mut table, shape) = wide(table, kind, 0);
            let sizes =
                operator.gather(&part!(table, shape, kind, slice_axis, reversed_axes), &ids);
            let (mut flat, sizes) = wide(sizes.unwrap().shape(), other, -1_000_000);

            let mut expected = part!(flat, sizes, other, slice_axis, reversed_axes).to_owned();
            let packed = part!(table, shape, kind, slice_axis, reversed_axes).to_owned();
            operator.gather_into(&packed, &ids, &mut expected).unwrap();
            let before = flat.clone();
            {
                let view = part!(table, shape, kind, slice_axis, reversed_axes);
                let mut to = part!(flat, sizes, other, slice_axis_mut, reversed_axes);
                operator.gather_into(&view, &ids, &mut to).unwrap();
                assert_eq!(to, expected, "{operator:?} {kind} {other}");
                to.fill(0);
                operator.gather_map_into(&view, &ids, &mut to, |n| n + 1).unwrap();
            }
            let mut mapped = expected.mapv(|_| 0);
            operator.gather_map_into(&packed, &ids, &mut mapped, |n| n + 1).unwrap();
            let to = part!(flat, sizes, other, slice_axis, reversed_axes);
            assert_eq!(to, mapped, "{operator:?} {kind} {other}");
            // What lies in the gaps stays.
            let mut restored = flat.clone();
            part!(restored, sizes, other, slice_axis_mut, reversed_axes).assign(&part!(
                before,
                sizes,
                other,
                slice_axis,
                reversed_axes
            ));
            assert_eq!(restored, before);

            let (from, mut sums) = (to.to_owned(), packed.clone());
            operator.reduce(Add, &mut sums, &ids, &from).unwrap();
            operator.scatter(&mut sums, &ids, &from).unwrap();
            operator.reduce_map(Add, &mut sums, &ids, &from, |n| 2 * n).unwrap();
            operator.reduce_excluding_self(Add, &mut sums, &ids, &from).unwrap();
            let mut view = part!(table, shape, kind, slice_axis_mut, reversed_axes);
            operator.reduce(Add, &mut view, &ids, &to).unwrap();
            operator.scatter(&mut view, &ids, &to).unwrap();
            operator.reduce_map(Add, &mut view, &ids, &to, |n| 2 * n).unwrap();
            operator.reduce_excluding_self(Add, &mut view, &ids, &to).unwrap();
            assert_eq!(view, sums, "{operator:?} {kind} {other}");
        }
    }
}

/// Few entries, where tables, indices and flat tensors have gaps along any axis, at the end of rows
/// or between all of their elements. Calls with a function for each element have a plan.
#[test]
fn few_entries_with_gaps_anywhere() {
    let sizes: [(Operator, &[usize], &[usize]); 12] = [
        (Operator::axis(0), &[4, 3, 2], &[7]),
        (Operator::axis(1), &[2, 5, 3], &[2, 3]),
        (Operator::axis(2), &[2, 3, 5], &[4]),
        (Operator::axis(1), &[300, 4], &[2]),
        (Operator::axis(4), &[2, 2, 2, 2, 4, 2], &[3]),
        (Operator::elements(0), &[5, 3], &[4, 3]),
        (Operator::elements(0), &[5, 3, 2], &[7, 2, 1]),
        (Operator::elements(1), &[2, 5, 3], &[2, 2, 3]),
        (Operator::elements(2), &[2, 3, 5], &[2, 2, 3]),
        (Operator::nd(0), &[4, 5, 3], &[6, 2]),
        (Operator::nd(1), &[3, 4, 2, 5], &[3, 4, 2]),
        (Operator::nd(2), &[2, 3, 4, 2], &[2, 3, 1]),
    ];
    // The array as a part of a wider one.
    fn part<T: Copy + Default>(array: &ArrayD<T>, axis: usize) -> (ArrayD<T>, Slice, Axis) {
        let (axis, step) = (Axis(axis / 2), 1 + axis as isize % 2);
        let mut wide = array.shape().to_vec();
        wide[axis.0] = 2 * wide[axis.0] + 1;
        let slice = Slice::new(0, Some(step * array.len_of(axis) as isize), step);
        let mut wide = ArrayD::default(wide);
        wide.slice_axis_mut(axis, slice).assign(array);
        (wide, slice, axis)
    }
    let filled = |sizes: &[usize], from: i32| {
        let length = sizes.iter().product::<usize>() as i32;
        ArrayD::from_shape_vec(sizes, (from..from + length).collect()).unwrap()
    };
    for (operator, table, indices) in sizes {
        let length = indices.iter().product::<usize>();
        for bad in [None, Some(length - 1)] {
            let ids = (0..length).map(|n| if bad == Some(n) { 9 } else { n as i64 * 7 % 4 - 2 });
            let ids = ArrayD::from_shape_vec(indices, ids.collect()).unwrap();
            let input = filled(table, 0);
            let expected = operator.gather_map(&input, &ids, |element| element);
            assert_eq!(expected.is_err(), bad.is_some());
            let zeros = operator.gather_map(&input, &ids.mapv(|_| 0), |_| 0).unwrap();
            let updates = filled(zeros.shape(), 1000);
            let mut sums = input.clone();
            let sum = operator.reduce_map(Add, &mut sums, &ids, &updates, |update| update);
            let mut last = input.clone();
            let latest = |_, update| update;
            let _ = operator.reduce_map(latest, &mut last, &ids, &updates, |update| update);
            for number in 0..2 * input.ndim().max(ids.ndim()).max(zeros.ndim()) {
                let of = |rank: usize| number % (2 * rank);
                let (data, slice, axis) = part(&input, of(input.ndim()));
                let (wide, ids_slice, ids_axis) = part(&ids, of(ids.ndim()));
                let gaps = wide.slice_axis(ids_axis, ids_slice);
                let (mut output, out_slice, out_axis) = part(&zeros, of(zeros.ndim()));
                let updates = part(&updates, of(zeros.ndim())).0;
                for ids in [ids.view(), gaps] {
                    let mut gathered = output.slice_axis_mut(out_axis, out_slice);
                    let view = data.slice_axis(axis, slice);
                    let packed = operator.gather(&view, &ids);
                    assert_eq!(packed, expected, "{operator:?} {number}");
                    let did = operator.gather_into(&view, &ids, &mut gathered);
                    assert_eq!(did.map(|()| gathered.to_owned()), expected);
                    let did = operator.gather_into(&input, &ids, &mut gathered);
                    assert_eq!(did.map(|()| gathered.to_owned()), expected);

                    let updates = updates.slice_axis(out_axis, out_slice);
                    for (packed, assigns) in [(false, false), (true, false), (false, true)] {
                        let (mut wide, mut alone) = (data.clone(), input.clone());
                        let mut view = match packed {
                            true => alone.view_mut(),
                            false => wide.slice_axis_mut(axis, slice),
                        };
                        let did = match assigns {
                            true => operator.scatter(&mut view, &ids, &updates),
                            false => operator.reduce(Add, &mut view, &ids, &updates),
                        };
                        assert_eq!(did, sum);
                        assert_eq!(view, if assigns { &last } else { &sums }.view());
                        view.assign(&input);
                        assert_eq!(wide, data, "what lies between");
                    }
                }
            }
        }
    }
}

/// Indices below 0 that are out of bounds: along one axis, in lanes, in tuples, by row.
#[test]
fn few_indices_below_zero_may_be_out_of_bounds() {
    let kinds: [(Operator, &[usize], &[usize]); 5] = [
        (Operator::axis(0), &[5], &[3]),
        (Operator::axis(0), &[5, 2], &[3]),
        (Operator::elements(0), &[5, 2], &[3, 2]),
        (Operator::elements(1), &[2, 5], &[2, 3]),
        (Operator::nd(0), &[5, 4], &[3, 2]),
    ];
    for (operator, table, sizes) in kinds {
        let operator = operator.negative(Negative::OutOfBounds);
        let table = ArrayD::<i32>::zeros(table);
        let mut ids = ArrayD::<i64>::zeros(sizes);
        let output = operator.gather(&table, &ids).unwrap();
        *ids.iter_mut().last().unwrap() = -1;
        // With a function for each element, a call has a plan.
        let error = operator.gather_map(&table, &ids, |element| element).err();
        assert!(matches!(error, Some(Error::IndexOutOfBounds { .. })), "{operator:?}");
        assert_eq!(operator.gather(&table, &ids).err(), error, "{operator:?}");
        let (mut data, ones) = (table.clone(), output.mapv(|_| 1));
        assert_eq!(operator.scatter(&mut data, &ids, &ones).err(), error, "{operator:?}");
        assert_eq!(data, table, "{operator:?}");
    }
}

/// As many entries as have room without a plan, and one more: along one axis, in lanes, in tuples.
#[test]
fn as_many_entries_as_have_room() {
    fn numbers(sizes: &[usize], first: i32) -> ArrayD<i32> {
        let length = sizes.iter().product::<usize>() as i32;
        ArrayD::from_shape_vec(sizes, (first..first + length).collect()).unwrap()
    }
    for count in [15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 257] {
        let kinds: [(Operator, &[usize], &[usize]); 7] = [
            (Operator::axis(0), &[50], &[count]),
            (Operator::axis(0), &[50, 3], &[count]),
            (Operator::axis(1), &[3, 50, 1], &[count]),
            (Operator::elements(0), &[50, 4], &[count.div_ceil(4), 4]),
            (Operator::elements(1), &[count.div_ceil(3), 50], &[count.div_ceil(3), 3]),
            (Operator::nd(0), &[50, 60], &[count, 2]),
            (Operator::nd(1), &[5, 50, 60], &[5, count.div_ceil(5), 2]),
        ];
        for (operator, table, sizes) in kinds {
            let length = sizes.iter().product::<usize>();
            // Of 50 places, some more than once; or the last index is on no axis.
            for bad in [None, Some(length - 1)] {
                let ids =
                    (0..length).map(|n| if bad == Some(n) { 99 } else { n as i64 * 7 % 90 - 45 });
                let ids = ArrayD::from_shape_vec(sizes, ids.collect()).unwrap();
                let input = numbers(table, 0);
                // Calls with a function for each element have a plan.
                let expected = operator.gather_map(&input, &ids, |element| element);
                assert_eq!(operator.gather(&input, &ids), expected, "{operator:?} {sizes:?}");
                assert_eq!(expected.is_err(), bad.is_some());
                let zeros = operator.gather_map(&input, &ids.mapv(|_| 0), |_| 0).unwrap();
                let updates = numbers(zeros.shape(), 1000);
                for assigns in [false, true] {
                    let reduction = |old, update| if assigns { update } else { old + update };
                    let (mut data, mut by_plan) = (input.clone(), input.clone());
                    let update = |update| update;
                    let planned =
                        operator.reduce_map(reduction, &mut by_plan, &ids, &updates, update);
                    let did = match assigns {
                        true => operator.scatter(&mut data, &ids, &updates),
                        false => operator.reduce(Add, &mut data, &ids, &updates),
                    };
                    assert_eq!((did, &data), (planned, &by_plan), "{operator:?} {sizes:?}");
                    assert_eq!(data == input, bad.is_some());
                }
            }
        }
    }
}

#[test]
fn elements_of_packed_arrays_have_as_many_axes_as_the_table() {
    let operator = Operator::elements(0);
    let expected = |found, operand| Error::RankMismatch { operand, expected: 2, found };
    let (table, mut output) = (array![[1, 2, 3], [4, 5, 6]], Array2::<i32>::zeros((2, 3)));
    assert_eq!(
        operator.gather_into(&table, &array![1, 0], &mut output),
        Err(expected(1, Operand::Indices))
    );
    let (table, mut output) = (array![1, 2, 3], Array2::<i32>::zeros((2, 2)));
    let indices = array![[0, 1], [2, 0]];
    assert!(operator.gather_into(&table, &indices, &mut output).is_err());
    let (mut data, updates) = (array![[1, 2, 3], [4, 5, 6]], Array2::<i32>::zeros((2, 3)));
    assert_eq!(
        operator.scatter(&mut data, &array![1, 0], &updates),
        Err(expected(1, Operand::Indices))
    );
    assert_eq!((output, data), (Array2::<i32>::zeros((2, 2)), array![[1, 2, 3], [4, 5, 6]]));
}

/// Updates that cannot be broadcast: the error names the dimension that does not fit.
#[test]
fn updates_of_another_shape() {
    let (mut data, ids) = (Array2::<i32>::zeros((5, 3)), array![0, 1]);
    let mut error = |shape: &[usize]| {
        let updates = ArrayD::<i32>::zeros(shape);
        Operator::axis(0).reduce(Add, &mut data, &ids, &updates).err()
    };
    let size = |dimension, expected, found| {
        Some(Error::SizeMismatch { operand: Operand::Updates, dimension, expected, found })
    };
    let rank = Error::RankMismatch { operand: Operand::Updates, expected: 2, found: 3 };
    assert_eq!(error(&[2]), size(1, 3, 2));
    assert_eq!(error(&[1, 2]), size(1, 3, 2));
    assert_eq!(error(&[3, 1]), size(0, 2, 3));
    assert_eq!(error(&[3, 2]), size(0, 2, 3));
    assert_eq!(error(&[1, 2, 3]), Some(rank));
    assert_eq!([&[][..], &[1], &[3], &[2, 1], &[1, 3]].map(&mut error), [const { None }; 5]);
}

#[test]
fn bags_of_views() {
    let all = Array2::from_shape_fn((30, 8), |(row, column)| (row * 10 + column) as f32);
    let table = all.slice(s![..;-2, 1..;3]);
    let (ids, starts) = (array![3, 0, 14, -1, 0], [0, 2, 2]);
    let pooled = Pooled::axis(0).padding(0);
    let sums = pooled.run(Add, &table, &ids, Bags::Starts(&starts)).unwrap();
    let expected = [table.row(3).to_owned(), Array1::zeros(3), &table.row(14) + &table.row(14)];
    for (row, expected) in sums.outer_iter().zip(&expected) {
        assert_eq!(row, expected.view().into_dyn());
    }
    // Along the other axis, and by threads.
    let transposed = Pooled::axis(1).padding(0).run(Add, &table.t(), &ids, Bags::Starts(&starts));
    assert_eq!(transposed.unwrap(), sums.t());
    #[cfg(feature = "rayon")]
    assert_eq!(pooled.par_run(Add, &table, &ids, Bags::Starts(&starts)).unwrap(), sums);
    let skipped = pooled.bounds(Bounds::Skip).negative(Negative::OutOfBounds);
    let skipped = skipped.run(Add, &table, &array![15, -1], Bags::Starts(&[0])).unwrap();
    assert_eq!(skipped, Array2::<f32>::zeros((1, 3)).into_dyn());
}

/// Updates and outputs with gaps that are too large to be copied as a whole, of entries that move a
/// few neighbours each, some of which are left out.
#[test]
fn a_few_neighbours_of_large_views() {
    let skip = Operator::axis(0).bounds(Bounds::Skip);
    let wide =
        ndarray::Array3::from_shape_fn((24_000, 3, 4), |(n, m, k)| (12 * n + 4 * m + k) as u32);
    let ids =
        Array2::from_shape_fn((24_000, 2), |(n, m)| if n % 9 == 4 { 99 } else { (n + m) % 50 });
    for count in [1, 2] {
        let updates = wide.slice(s![.., ..count, ..3]);
        let ids = ids.slice(s![.., ..count]);
        let (mut data, mut expected) =
            (Array2::<u32>::zeros((50, 3)), Array2::<u32>::zeros((50, 3)));
        skip.reduce(Add, &mut data, &ids, &updates).unwrap();
        let mut output = wide.clone();
        let mut gathered = wide.clone();
        for ((n, m), id) in ids.indexed_iter().filter(|(_, id)| **id < 50) {
            for k in 0..3 {
                expected[[*id, k]] = expected[[*id, k]].wrapping_add(updates[[n, m, k]]);
            }
        }
        assert_eq!(data, expected);
        for ((n, m), id) in ids.indexed_iter().filter(|(_, id)| **id < 50) {
            (0..3).for_each(|k| gathered[[n, m, k]] = data[[*id, k]]);
        }
        skip.gather_into(&data, &ids, &mut output.slice_mut(s![.., ..count, ..3])).unwrap();
        assert_eq!(output, gathered);
    }
}
