//! Every error of the core, provoked by the mistake that it is documented for.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

use std::collections::BTreeSet;

use strew::dml::{DataType, FeatureLevel};
use strew::{Add, Bounds, Error, Gather, Layout, Operand, Scatter, Unsupported, shape};

fn l(sizes: &[usize]) -> Layout {
    Layout::from_sizes(sizes).unwrap()
}

/// What is wrong with the operands of `axis`, `elements` or `nd`, as a gather and as a scatter say
/// it.
type Maker<P> = fn(&Layout, &Layout, &Layout, usize) -> Result<P, Error>;
const AXIS: (Maker<Gather>, Maker<Scatter>) = (Gather::axis, Scatter::axis);
const ELEMENTS: (Maker<Gather>, Maker<Scatter>) = (Gather::elements, Scatter::elements);
const ND: (Maker<Gather>, Maker<Scatter>) = (Gather::nd, Scatter::nd);

/// A gather's name of table and flat tensor, and a scatter's.
const GATHER: (Operand, Operand) = (Operand::Input, Operand::Output);
const SCATTER: (Operand, Operand) = (Operand::Data, Operand::Updates);

#[test]
fn layouts() {
    let too_large = Error::RankTooLarge { operand: Operand::Layout, expected: 8, found: 9 };
    assert_eq!(Layout::from_sizes(&[1; 9]), Err(too_large));
    assert_eq!(Layout::from_parts(&[1; 9], &[1; 9], 0), Err(too_large));
    for strides in [&[1][..], &[1, 1, 1]] {
        let error =
            Error::RankMismatch { operand: Operand::Layout, expected: 2, found: strides.len() };
        assert_eq!(Layout::from_parts(&[2, 2], strides, 0), Err(error));
    }
}

#[test]
fn plans() {
    use Operand::Indices;
    type Expected = fn((Operand, Operand)) -> Error;
    let cases: [(_, Layout, Layout, Layout, usize, Expected); 17] = [
        // The rank of the result.
        (AXIS, l(&[1; 5]), l(&[1; 5]), l(&[1; 8]), 0, |o| Error::RankTooLarge {
            operand: o.1,
            expected: 8,
            found: 9,
        }),
        (ND, l(&[1; 5]), l(&[1; 6]), l(&[1; 8]), 0, |o| Error::RankTooLarge {
            operand: o.1,
            expected: 8,
            found: 9,
        }),
        // Axis, batch dims, tuple.
        (AXIS, l(&[3, 4]), l(&[2]), l(&[3, 2]), 2, |o| Error::AxisOutOfRange {
            operand: o.0,
            expected: 2,
            found: 2,
        }),
        (AXIS, l(&[]), l(&[]), l(&[]), 0, |o| Error::AxisOutOfRange {
            operand: o.0,
            expected: 0,
            found: 0,
        }),
        (ELEMENTS, l(&[3]), l(&[3]), l(&[3]), usize::MAX, |o| Error::AxisOutOfRange {
            operand: o.0,
            expected: 1,
            found: usize::MAX,
        }),
        (ND, l(&[3]), l(&[3]), l(&[3]), 1, |_| Error::BatchDimsOutOfRange {
            operand: Indices,
            expected: 0,
            found: 1,
        }),
        (ND, l(&[3]), l(&[3, 1]), l(&[3]), 1, |o| Error::BatchDimsOutOfRange {
            operand: o.0,
            expected: 0,
            found: 1,
        }),
        (ND, l(&[3]), l(&[4, 2]), l(&[4]), 0, |_| Error::TupleSizeOutOfRange {
            expected: 1,
            found: 2,
        }),
        (ND, l(&[3]), l(&[4, 0]), l(&[4, 3]), 0, |_| Error::TupleSizeOutOfRange {
            expected: 1,
            found: 0,
        }),
        // Ranks.
        (ELEMENTS, l(&[3, 4]), l(&[3]), l(&[3]), 0, |_| Error::RankMismatch {
            operand: Indices,
            expected: 2,
            found: 1,
        }),
        (ND, l(&[3, 4]), l(&[]), l(&[]), 0, |_| Error::RankMismatch {
            operand: Indices,
            expected: 1,
            found: 0,
        }),
        (ND, l(&[]), l(&[1]), l(&[]), 0, |o| Error::RankMismatch {
            operand: o.0,
            expected: 1,
            found: 0,
        }),
        (AXIS, l(&[3, 4]), l(&[2]), l(&[2]), 0, |o| Error::RankMismatch {
            operand: o.1,
            expected: 2,
            found: 1,
        }),
        // Sizes.
        (ELEMENTS, l(&[3, 4]), l(&[9, 5]), l(&[9, 5]), 0, |_| Error::SizeMismatch {
            operand: Indices,
            dimension: 1,
            expected: 4,
            found: 5,
        }),
        (ND, l(&[3, 4]), l(&[2, 1]), l(&[2]), 1, |_| Error::SizeMismatch {
            operand: Indices,
            dimension: 0,
            expected: 3,
            found: 2,
        }),
        (AXIS, l(&[3, 4]), l(&[2]), l(&[2, 5]), 0, |o| Error::SizeMismatch {
            operand: o.1,
            dimension: 1,
            expected: 4,
            found: 5,
        }),
        (ELEMENTS, l(&[3]), l(&[2]), l(&[3]), 0, |o| Error::SizeMismatch {
            operand: o.1,
            dimension: 0,
            expected: 2,
            found: 3,
        }),
    ];
    for (number, ((gather, scatter), table, indices, flat, parameter, expected)) in
        cases.into_iter().enumerate()
    {
        assert_eq!(
            gather(&table, &indices, &flat, parameter).err(),
            Some(expected(GATHER)),
            "case {number}"
        );
        assert_eq!(
            scatter(&table, &indices, &flat, parameter).err(),
            Some(expected(SCATTER)),
            "case {number}"
        );
    }
}

/// Each operand in turn is too large for the address space, or reaches below the first element of
/// its slice.
#[test]
fn extents() {
    const HUGE: Layout = Layout::strided([2, 3], [isize::MAX, isize::MAX]);
    const LOW: Layout = Layout::strided([2, 3], [1, -4]).with_offset(7);
    const GOOD: Layout = Layout::contiguous([2, 3]);
    let low = |operand| Error::OffsetTooSmall { operand, expected: 8, found: 7 };
    for (bad, error) in
        [(HUGE, (|operand| Error::SizesOverflow { operand }) as fn(_) -> _), (LOW, low)]
    {
        for (position, (in_gather, in_scatter)) in [
            (Operand::Input, Operand::Data),
            (Operand::Indices, Operand::Indices),
            (Operand::Output, Operand::Updates),
        ]
        .into_iter()
        .enumerate()
        {
            let mut layouts = [GOOD; 3];
            layouts[position] = bad;
            let [table, indices, flat] = &layouts;
            assert_eq!(Gather::elements(table, indices, flat, 0).err(), Some(error(in_gather)));
            assert_eq!(Scatter::elements(table, indices, flat, 0).err(), Some(error(in_scatter)));
        }
    }
    // One more would do.
    assert!(Gather::elements(&LOW.with_offset(8), &GOOD, &GOOD, 0).is_ok());
}

#[test]
fn outputs_that_overlap() {
    // (sizes, strides, the dimension at fault, the smallest stride that would do)
    for (sizes, strides, dimension, expected) in [
        ([2, 3], [3, 0], 1, 1),
        ([2, 3], [0, 1], 0, 1),
        ([2, 3], [2, 1], 0, 3),
        ([2, 3], [-2, 1], 0, 3),
        ([2, 3], [1, 1], 1, 2),
        ([3, 2], [2, 3], 1, 5), // Free of overlap, in fact: the documented price of a simple test.
    ] {
        let output = Layout::strided(sizes, strides).with_offset(10);
        let packed = Layout::contiguous(sizes);
        let found = strides[dimension].unsigned_abs();
        let error =
            |operand| Some(Error::OverlappingOutput { operand, dimension, expected, found });
        assert_eq!(
            Gather::elements(&packed, &packed, &output, 0).err(),
            error(Operand::Output),
            "{output:?}"
        );
        assert_eq!(
            Scatter::elements(&output, &packed, &packed, 0).err(),
            error(Operand::Data),
            "{output:?}"
        );
        // The operands that are only read may overlap.
        assert!(Gather::elements(&output, &output, &packed, 0).is_ok());
        assert!(Scatter::elements(&packed, &output, &output, 0).is_ok());
    }
    for (sizes, strides) in
        [([2, 3], [3, 1]), ([2, 3], [1, 2]), ([2, 3], [-3, 1]), ([1, 3], [0, 1]), ([2, 0], [0, 0])]
    {
        let (output, packed) =
            (Layout::strided(sizes, strides).with_offset(10), Layout::contiguous(sizes));
        assert!(Gather::elements(&packed, &packed, &output, 0).is_ok(), "{output:?}");
    }
}

/// The shape functions refuse what the constructors refuse.
#[test]
fn shapes() {
    let too_large = |operand| Some(Error::RankTooLarge { operand, expected: 8, found: 9 });
    assert_eq!(shape::axis(&[1; 9], &[], 0).err(), too_large(Operand::Layout));
    assert_eq!(shape::axis(&[1; 5], &[1; 5], 0).err(), too_large(Operand::Output));
    assert_eq!(
        shape::elements(&[2, 2], &[2, 3], 0).err(),
        Gather::elements(&l(&[2, 2]), &l(&[2, 3]), &l(&[2, 3]), 0).err()
    );
    assert_eq!(shape::nd(&[], &[1], 0).err(), Gather::nd(&l(&[]), &l(&[1]), &l(&[]), 0).err());
}

/// Whatever call lacks whatever slice; nothing is written.
#[test]
fn slices() {
    let (data, three) = (l(&[4]), l(&[3]));
    let short =
        |operand, expected| Err(Error::SliceTooShort { operand, expected, found: expected - 1 });
    let (four, ids) = ([1, 2, 3, 4], [0, 1, 2]);

    let gather = Gather::axis(&data, &three, &three, 0).unwrap();
    let mut output = [-1; 3];
    assert_eq!(gather.run(&four[1..], &ids, &mut output), short(Operand::Input, 4));
    assert_eq!(gather.run(&four, &ids[1..], &mut output), short(Operand::Indices, 3));
    assert_eq!(gather.run(&four, &ids, &mut output[1..]), short(Operand::Output, 3));
    assert_eq!(gather.check(&ids[1..]).map(|_| ()), short(Operand::Indices, 3));
    let checked = gather.check(&ids).unwrap();
    assert_eq!(checked.run(&four[1..], &mut output), short(Operand::Input, 4));
    assert_eq!(checked.run(&four, &mut output[1..]), short(Operand::Output, 3));
    assert_eq!(output, [-1; 3]);

    let scatter = Scatter::axis(&data, &three, &three, 0).unwrap();
    let mut values = [-1; 4];
    assert_eq!(scatter.run(&mut values[1..], &ids, &four), short(Operand::Data, 4));
    assert_eq!(scatter.run(&mut values, &ids[1..], &four), short(Operand::Indices, 3));
    assert_eq!(scatter.run(&mut values, &ids, &four[2..]), short(Operand::Updates, 3));
    assert_eq!(scatter.reduce(Add, &mut values, &ids, &four[2..]), short(Operand::Updates, 3));
    assert_eq!(scatter.run_into(&four[1..], &ids, &four, &mut values), short(Operand::Input, 4));
    assert_eq!(scatter.run_into(&four, &ids, &four[2..], &mut values), short(Operand::Updates, 3));
    assert_eq!(scatter.run_into(&four, &ids, &four, &mut values[1..]), short(Operand::Output, 4));
    assert_eq!(
        scatter.reduce_into(Add, &four[1..], &ids, &four, &mut values),
        short(Operand::Input, 4)
    );
    assert_eq!(
        scatter.reduce_excluding_self(Add, &mut values, &ids, &four[2..], &mut [0]),
        short(Operand::Updates, 3)
    );
    assert_eq!(
        scatter.mean(&mut values, &ids, &four[2..], &mut [0; 12]),
        short(Operand::Updates, 3)
    );
    assert_eq!(
        scatter.mean_excluding_self(&mut values[1..], &ids, &four, &mut [0; 12]),
        short(Operand::Data, 4)
    );
    assert_eq!(values, [-1; 4]);
}

#[test]
fn scratch() {
    // 40 places: two words of flags, 40 counts.
    let (data, three) = (l(&[40]), l(&[3]));
    let scatter = Scatter::axis(&data, &three, &three, 0).unwrap();
    assert_eq!((scatter.flags_len(), scatter.mean_len::<f32>()), (2, 40));
    let nothing = Scatter::axis(&data, &l(&[0]), &l(&[0]), 0).unwrap();
    assert_eq!((nothing.flags_len(), nothing.mean_len::<u8>()), (0, 0));
    let (mut values, ids, updates) = ([-1; 40], [0_u8, 1, 39], [1, 2, 3]);
    let flags = Err(Error::ScratchTooShort { expected: 2, found: 1 });
    // And 40 sums of 64 bits.
    let words = Err(Error::ScratchTooShort { expected: 120, found: 119 });
    assert_eq!(scatter.check_unique(&ids, &mut [0; 1]).map(|_| ()), flags);
    assert_eq!(scatter.reduce_excluding_self(Add, &mut values, &ids, &updates, &mut [0; 1]), flags);
    assert_eq!(scatter.mean(&mut values, &ids, &updates, &mut [0; 119]), words);
    assert_eq!(scatter.mean_excluding_self(&mut values, &ids, &updates, &mut [0; 119]), words);
    assert_eq!(values, [-1; 40]);
}

#[test]
fn indices() {
    let (table, ids, rows) = (l(&[3, 4, 2]), l(&[2, 2, 2]), l(&[2, 2, 2]));
    let gather = Gather::nd(&table, &ids, &rows, 0).unwrap();
    let scatter = Scatter::nd(&table, &ids, &rows, 0).unwrap();
    // Entry 2 is bad in its second coordinate, entry 3 in both.
    let bad = [0, 0, 2, 3, 0, -5, 3, 4];
    let error = Some(Error::IndexOutOfBounds { entry: 2, coordinate: 1, value: -5, size: 4 });
    assert_eq!(gather.run(&[0; 24], &bad, &mut [0; 8]).err(), error);
    assert_eq!(gather.check(&bad).err(), error);
    assert_eq!(scatter.run(&mut [0; 24], &bad, &[0; 8]).err(), error);
    assert_eq!(scatter.check(&bad).err(), error);
    assert_eq!(scatter.check_unique(&bad, &mut [0]).err(), error);

    let twice = [0, 0, 2, 3, 1, 1, -1, -1];
    let mut flags = [u32::MAX; 1];
    assert_eq!(
        scatter.check_unique(&twice, &mut flags).err(),
        Some(Error::DuplicateIndex { first: 1, second: 3 })
    );
    assert!(scatter.check_unique(&[0, 0, 2, 3, 1, 1, 0, 1], &mut flags).is_ok());
    // Left out twice is not twice in one place.
    assert!(
        scatter.bounds(Bounds::Skip).check_unique(&[0, 0, 9, 9, 1, 1, 9, 9], &mut flags).is_ok()
    );
    // The same tuple in two batches is not a duplicate.
    let batched = Scatter::nd(&l(&[2, 4]), &l(&[2, 1, 1]), &l(&[2, 1]), 1).unwrap();
    assert!(batched.check_unique(&[3, 3], &mut flags).is_ok());
}

#[test]
fn lists_of_axes() {
    use Operand::Indices;
    type Expected = fn(Operand) -> Error;
    let cases: [(Layout, Layout, &[usize], Expected); 9] = [
        (l(&[2, 3]), l(&[]), &[0], |_| Error::RankMismatch {
            operand: Indices,
            expected: 1,
            found: 0,
        }),
        (l(&[]), l(&[1]), &[0], |table| Error::RankMismatch {
            operand: table,
            expected: 1,
            found: 0,
        }),
        (l(&[2, 3]), l(&[4, 0]), &[], |_| Error::TupleSizeOutOfRange { expected: 2, found: 0 }),
        (l(&[2, 3]), l(&[4, 3]), &[0, 1, 0], |_| Error::TupleSizeOutOfRange {
            expected: 2,
            found: 3,
        }),
        (l(&[2, 3]), l(&[4, 1]), &[0, 1], |_| Error::SizeMismatch {
            operand: Indices,
            dimension: 1,
            expected: 2,
            found: 1,
        }),
        (l(&[2, 3]), l(&[4, 2]), &[0, 2], |table| Error::AxisOutOfRange {
            operand: table,
            expected: 2,
            found: 2,
        }),
        (l(&[2, 3]), l(&[4, 1]), &[usize::MAX], |table| Error::AxisOutOfRange {
            operand: table,
            expected: 2,
            found: usize::MAX,
        }),
        (l(&[2, 3]), l(&[4, 2]), &[1, 1], |_| Error::RepeatedAxis { axis: 1, first: 0, second: 1 }),
        (l(&[2, 3, 4]), l(&[4, 3]), &[1, 0, 1], |_| Error::RepeatedAxis {
            axis: 1,
            first: 0,
            second: 2,
        }),
    ];
    for (table, indices, axes, expected) in cases {
        let found = Gather::axes(&table, &indices, &l(&[4]), axes).unwrap_err();
        assert_eq!(found, expected(Operand::Input), "{axes:?}");
        let found = Scatter::axes(&table, &indices, &l(&[4]), axes).unwrap_err();
        assert_eq!(found, expected(Operand::Data), "{axes:?}");
    }
    // The output's dimensions are its own; the data's are those that the caller knows.
    let (table, pairs) = (l(&[2, 3, 4]), l(&[5, 2]));
    assert_eq!(
        Gather::axes(&table, &pairs, &l(&[5, 4]), &[2, 0]).unwrap_err(),
        Error::SizeMismatch { operand: Operand::Output, dimension: 1, expected: 3, found: 4 }
    );
    let overlapping = Layout::strided([2, 3, 4], [0, 4, 1]);
    assert_eq!(
        Scatter::axes(&overlapping, &pairs, &l(&[5, 3]), &[2, 0]).unwrap_err(),
        Error::OverlappingOutput { operand: Operand::Data, dimension: 0, expected: 1, found: 0 }
    );
}

/// One of every variant, all counts `n` and all values `value`.
fn every_variant(n: usize, value: i128) -> Vec<Error> {
    let operands = [
        Operand::Layout,
        Operand::Input,
        Operand::Indices,
        Operand::Updates,
        Operand::Data,
        Operand::Output,
        Operand::Mask,
        Operand::Winners,
    ];
    let of = |operand| {
        let found = FeatureLevel::Level1_0;
        [
            Error::RankTooLarge { operand, expected: n, found: n },
            Error::AxisOutOfRange { operand, expected: n, found: n },
            Error::BatchDimsOutOfRange { operand, expected: n, found: n },
            Error::RankMismatch { operand, expected: n, found: n },
            Error::SizeMismatch { operand, dimension: n, expected: n, found: n },
            Error::SizesOverflow { operand },
            Error::Misaligned { operand, expected: n, found: n },
            Error::OffsetTooSmall { operand, expected: n, found: n },
            Error::SliceTooShort { operand, expected: n, found: n },
            Error::OverlappingOutput { operand, dimension: n, expected: n, found: n },
            Error::ZeroSize { operand, dimension: n },
            Error::LeadingSizeNotOne { operand, dimension: n, found: n },
            Error::DimensionCountOutOfRange { operand, minimum: n, maximum: n, found: n },
            Error::DataTypeMismatch {
                operand,
                expected: DataType::Float32,
                found: DataType::Float16,
            },
            Error::NotSupported {
                operand,
                what: Unsupported::DataType,
                needs: Some(FeatureLevel::Level4_1),
                found,
            },
            Error::NotSupported { operand, what: Unsupported::DimensionCount, needs: None, found },
        ]
    };
    let without_operand = [
        Error::TupleSizeOutOfRange { expected: n, found: n },
        Error::IndexOutOfBounds { entry: n, coordinate: n, value, size: n },
        Error::DuplicateIndex { first: n, second: n },
        Error::RepeatedAxis { axis: n, first: n, second: n },
        Error::ScratchTooShort { expected: n, found: n },
    ];
    let all = operands.into_iter().flat_map(of).chain(without_operand);
    let more = [
        Error::NoAdjoint,
        Error::PolicyNotSupported { found: Bounds::Skip },
        Error::OutputNotPacked { expected: n, found: n },
        Error::WidthNotSupported { found: n },
        Error::IndexTypeNotSupported { found: DataType::Bfloat16 },
        Error::DataTypeNotSupported { found: DataType::Bfloat16 },
    ];
    all.chain(more).collect()
}

/// Axes below 0 count from the end, once.
#[test]
fn axes_below_zero() {
    let layout = l(&[2, 3, 4]);
    let axes = [-3, -2, -1, 0, 1, 2].map(|axis| layout.axis(axis));
    assert_eq!(axes, [0, 1, 2, 0, 1, 2].map(Ok));
    for axis in [3, -4, isize::MAX, isize::MIN] {
        let error = layout.axis(axis).unwrap_err();
        let (operand, found) = (Operand::Layout, axis as usize);
        assert_eq!(error, Error::AxisOutOfRange { operand, expected: 3, found });
        assert!(error.to_string().ends_with(&format!(" the axis is {axis}")), "{error}");
    }
    assert!(l(&[]).axis(0).is_err() && l(&[]).axis(-1).is_err());
}

/// The input of a functional scatter has the sizes of the data.
#[test]
fn inputs_of_other_sizes() {
    let (scatter, _) = Scatter::axis_packed(&l(&[2, 3]), &l(&[1]), 0).unwrap();
    let run = |layout: &Layout, input: &[i32]| {
        let mut output = [7; 6];
        let result = scatter.run_from(layout, input, &[0], &[1, 2, 3], &mut output);
        assert!(result.is_ok() || output == [7; 6]);
        result.err()
    };
    let (operand, dimension) = (Operand::Input, 1);
    assert_eq!(
        run(&l(&[2, 4]), &[0; 8]),
        Some(Error::SizeMismatch { operand, dimension, expected: 3, found: 4 })
    );
    assert_eq!(
        run(&l(&[6]), &[0; 6]),
        Some(Error::RankMismatch { operand, expected: 2, found: 1 })
    );
    let transposed = Layout::strided([2, 3], [1, 2]);
    assert_eq!(
        run(&transposed, &[0; 5]),
        Some(Error::SliceTooShort { operand, expected: 6, found: 5 })
    );
    let backwards = Layout::strided([2, 3], [-3, 1]);
    assert_eq!(
        run(&backwards, &[0; 6]),
        Some(Error::OffsetTooSmall { operand, expected: 3, found: 0 })
    );
    assert_eq!(run(&transposed, &[0; 6]), None);
}

/// Sizes and strides of any integers, which must fit.
#[test]
fn layouts_of_any_integers() {
    let dims = [(2_u8, -1_i64), (3, 4)];
    assert_eq!(Layout::from_dims(dims, 5), Layout::from_parts(&[2, 3], &[-1, 4], 5));
    assert_eq!(Layout::from_dims([(0_usize, 0_usize); 0], 0), Ok(l(&[])));
    let overflow = Err(Error::SizesOverflow { operand: Operand::Layout });
    assert_eq!(Layout::from_dims([(-1, 1)], 0), overflow);
    assert_eq!(Layout::from_dims([(1_u128 << 64, 1)], 0), overflow);
    assert_eq!(Layout::from_dims([(2, usize::MAX)], 0), overflow);
    let rank = Err(Error::RankTooLarge { operand: Operand::Layout, expected: 8, found: 9 });
    assert_eq!(Layout::from_dims([(1, 1); 9], 0), rank);
    assert_eq!(Layout::from_dims([(1, 1); 20], 0), rank);
}

#[test]
fn messages_name_the_feature_level() {
    let names = [
        FeatureLevel::Level1_0,
        FeatureLevel::Level2_1,
        FeatureLevel::Level3_0,
        FeatureLevel::Level4_1,
    ]
    .map(|found| {
        let error = Error::NotSupported {
            operand: Operand::Input,
            what: Unsupported::Operator,
            needs: None,
            found,
        };
        error.to_string().split(' ').find_map(|word| word.parse::<f32>().ok())
    });
    assert_eq!(names, [1.0, 2.1, 3.0, 4.1].map(Some));
}

/// Messages are built in a buffer of fixed size: the largest numbers must leave all words in place.
#[test]
fn messages() {
    let texts = |errors: Vec<Error>| errors.iter().map(ToString::to_string).collect::<Vec<_>>();
    let short = texts(every_variant(0, 0));
    assert!(short.iter().all(|text| !text.is_empty()));
    assert_eq!(short.iter().collect::<BTreeSet<_>>().len(), short.len(), "all distinct");

    for (error, text) in every_variant(0, 0).iter().zip(&short) {
        let of = matches!(error, Error::NotSupported { .. });
        assert!(text.starts_with(error.kind()) || of && text.contains("not supported"), "{text}");
    }

    let cut = |text: String| {
        // The bits of the largest number are those of an axis of -1.
        let text = text.replace("the axis is -1", "the axis is 0");
        text.replace(&usize::MAX.to_string(), "0").replace(&u64::MAX.to_string(), "0")
    };
    for (value, sign) in [(u64::MAX.into(), ""), (-i128::from(u64::MAX), "-")] {
        let long = texts(every_variant(usize::MAX, value)).into_iter().map(cut);
        let expected = short
            .iter()
            .map(|text| text.replace("coordinate 0 is ", &format!("coordinate 0 is {sign}")));
        assert_eq!(long.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }
}

/// What `plan!` shows in place of a plan.
#[test]
#[should_panic = "size mismatch: output dimension 0 should be 3, found 4"]
fn compile_errors_have_the_same_words() {
    strew::plan_error(Error::SizeMismatch {
        operand: Operand::Output,
        dimension: 0,
        expected: 3,
        found: 4,
    });
}
