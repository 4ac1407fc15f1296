//! Operators on arrays and views do what they do on slices, whatever the strides of the views.
#![cfg(feature = "ndarray")]
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
use ndarray::{Array1, Array2, ArrayD, ArrayView, IxDyn, ShapeBuilder, array, aview0, aview1, s};
use proptest::prelude::*;
use strew::ndarray::{Operator, layout};
use strew::{Add, Bounds, Error, Gather, Layout, Operand, shape};

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
    // All of it, as indices, has no place in memory.
    let one = aview0(&1);
    let ones = one.broadcast(IxDyn(&[200; 8])).unwrap();
    assert_eq!(
        Operator::axis(0).scatter(&mut array![0], &windows, &ones),
        Err(Error::SizesOverflow { operand: Operand::Indices })
    );
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
