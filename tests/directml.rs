//! The `dml` module against DirectML's documentation: its examples, its rules, and what happens
//! when they are broken.
#![cfg(feature = "half")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

use std::fmt::Debug;

use half::f16;
use strew::dml::{
    CompiledGather, CompiledScatter, DataType, FeatureLevel, GatherElementsOperatorDesc,
    GatherNd1OperatorDesc, GatherNdOperatorDesc, GatherOperatorDesc, ScatterElementsOperatorDesc,
    ScatterNdOperatorDesc, ScatterOperatorDesc, Settings, TensorData, TensorDataMut, TensorDesc,
};
use strew::{Bounds, Error, Operand, Unsupported};

fn f32s(sizes: &[u32]) -> TensorDesc<'_> {
    TensorDesc::packed(DataType::Float32, sizes)
}

fn u32s(sizes: &[u32]) -> TensorDesc<'_> {
    TensorDesc::packed(DataType::Uint32, sizes)
}

fn strided<'a>(sizes: &'a [u32], strides: &'a [u32]) -> TensorDesc<'a> {
    TensorDesc::strided(DataType::Float32, sizes, strides)
}

fn gather<'a>(
    input: &'a [u32],
    indices: &'a [u32],
    output: &'a [u32],
    axis: u32,
    index_dimensions: u32,
) -> GatherOperatorDesc<'a> {
    GatherOperatorDesc {
        input_tensor: f32s(input),
        indices_tensor: u32s(indices),
        output_tensor: f32s(output),
        axis,
        index_dimensions,
    }
}

fn gather_elements<'a>(
    input: &'a [u32],
    indices: &'a [u32],
    axis: u32,
) -> GatherElementsOperatorDesc<'a> {
    GatherElementsOperatorDesc {
        input_tensor: f32s(input),
        indices_tensor: u32s(indices),
        output_tensor: f32s(indices),
        axis,
    }
}

fn gather_nd<'a>(
    input: &'a [u32],
    indices: &'a [u32],
    output: &'a [u32],
    counts: (u32, u32),
) -> GatherNdOperatorDesc<'a> {
    GatherNdOperatorDesc {
        input_tensor: f32s(input),
        indices_tensor: u32s(indices),
        output_tensor: f32s(output),
        input_dimension_count: counts.0,
        indices_dimension_count: counts.1,
    }
}

fn gather_nd1<'a>(
    input: &'a [u32],
    indices: &'a [u32],
    output: &'a [u32],
    counts: (u32, u32, u32),
) -> GatherNd1OperatorDesc<'a> {
    GatherNd1OperatorDesc {
        input_tensor: f32s(input),
        indices_tensor: u32s(indices),
        output_tensor: f32s(output),
        input_dimension_count: counts.0,
        indices_dimension_count: counts.1,
        batch_dimension_count: counts.2,
    }
}

fn scatter<'a>(input: &'a [u32], indices: &'a [u32], axis: u32) -> ScatterOperatorDesc<'a> {
    ScatterElementsOperatorDesc {
        input_tensor: f32s(input),
        indices_tensor: u32s(indices),
        updates_tensor: f32s(indices),
        output_tensor: f32s(input),
        axis,
    }
}

fn scatter_nd<'a>(
    input: &'a [u32],
    indices: &'a [u32],
    updates: &'a [u32],
    counts: (u32, u32),
) -> ScatterNdOperatorDesc<'a> {
    ScatterNdOperatorDesc {
        input_tensor: f32s(input),
        indices_tensor: u32s(indices),
        updates_tensor: f32s(updates),
        output_tensor: f32s(input),
        input_dimension_count: counts.0,
        indices_dimension_count: counts.1,
    }
}

/// A descriptor of either kind, compiled for its error.
trait Compile {
    type Compiled: Copy + Debug;
    fn with(&self, settings: &Settings) -> Result<Self::Compiled, Error>;

    fn ok(&self) -> Self::Compiled {
        self.with(&Settings::default()).unwrap()
    }

    fn err(&self) -> Error {
        self.with(&Settings::default()).unwrap_err()
    }
}

macro_rules! compile {
    ($($desc:ident -> $compiled:ident;)*) => {$(
        impl Compile for $desc<'_> {
            type Compiled = $compiled;
            fn with(&self, settings: &Settings) -> Result<$compiled, Error> {
                self.compile(settings)
            }
        }
    )*};
}
compile! {
    GatherOperatorDesc -> CompiledGather;
    GatherElementsOperatorDesc -> CompiledGather;
    GatherNdOperatorDesc -> CompiledGather;
    GatherNd1OperatorDesc -> CompiledGather;
    ScatterOperatorDesc -> CompiledScatter;
    ScatterNdOperatorDesc -> CompiledScatter;
}

fn count(n: usize) -> Vec<f32> {
    (0..n).map(|i| i as f32).collect()
}

fn gathered<const N: usize>(
    operator: CompiledGather,
    input: &[f32],
    indices: &[u32],
) -> Result<[f32; N], Error> {
    let mut output = [-1.0; N];
    operator.execute(input, indices, &mut output).map(|()| output)
}

fn scattered<const N: usize>(
    operator: CompiledScatter,
    input: &[f32],
    indices: &[u32],
    updates: &[f32],
) -> Result<[f32; N], Error> {
    let mut output = [-1.0; N];
    let result = operator.execute(input, indices, updates, &mut output);
    if result.is_err() {
        assert_eq!(output, [-1.0; N], "a scatter that fails leaves its output alone");
    }
    result.map(|()| output)
}

mod examples {
    use super::*;

    #[test]
    fn gather() {
        // 1: 1D remapping.
        let operator = super::gather(&[4], &[5], &[5], 0, 1).ok();
        assert_eq!(
            gathered(operator, &[11., 12., 13., 14.], &[3, 1, 3, 0, 2]),
            Ok([14., 12., 14., 11., 13.])
        );
        // 2: rows.
        let operator = super::gather(&[3, 2], &[1, 4], &[4, 2], 0, 1).ok();
        assert_eq!(
            gathered(operator, &[1., 2., 3., 4., 5., 6.], &[0, 1, 1, 2]),
            Ok([1., 2., 3., 4., 3., 4., 5., 6.])
        );
        // 3: columns. The page says IndexDimensions 2, which would make three sizes without a
        // leading one.
        let operator = super::gather(&[3, 2], &[1, 2], &[3, 2], 1, 1).ok();
        assert_eq!(
            gathered(operator, &[1., 2., 3., 4., 5., 6.], &[1, 0]),
            Ok([2., 1., 4., 3., 6., 5.])
        );
        let as_printed = super::gather(&[3, 2], &[1, 2], &[3, 2], 1, 2).err();
        assert_eq!(
            as_printed,
            Error::LeadingSizeNotOne { operand: Operand::Input, dimension: 0, found: 3 }
        );
        // 4: nested indices on the last axis; a leading one of the input is cropped.
        let operator = super::gather(&[1, 3, 3], &[1, 1, 2], &[3, 1, 2], 2, 2).ok();
        assert_eq!(
            gathered(operator, &[1., 2., 3., 4., 5., 6., 7., 8., 9.], &[0, 2]),
            Ok([1., 3., 4., 6., 7., 9.])
        );
        // 5: nested indices on the first axis.
        let operator = super::gather(&[1, 3, 2], &[1, 2, 2], &[2, 2, 2], 1, 2).ok();
        assert_eq!(
            gathered(operator, &[1., 2., 3., 4., 5., 6.], &[0, 1, 1, 2]),
            Ok([1., 2., 3., 4., 3., 4., 5., 6.])
        );
    }

    #[test]
    fn gather_elements() {
        let operator = super::gather_elements(&[3, 3], &[2, 3], 0).ok();
        assert_eq!(
            gathered(operator, &[1., 2., 3., 4., 5., 6., 7., 8., 9.], &[1, 2, 0, 2, 0, 0]),
            Ok([4., 8., 3., 7., 2., 3.])
        );
    }

    #[test]
    fn gather_nd() {
        let operator = super::gather_nd(&[2, 2], &[2, 1], &[2, 2], (2, 2)).ok();
        assert_eq!(gathered(operator, &count(4), &[1, 0]), Ok([2., 3., 0., 1.]));
        let operator = super::gather_nd(&[1, 2, 2, 2], &[1, 1, 2, 2], &[1, 1, 2, 2], (3, 2)).ok();
        assert_eq!(gathered(operator, &count(8), &[0, 1, 1, 0]), Ok([2., 3., 4., 5.]));
    }

    #[test]
    fn gather_nd1() {
        let operator = super::gather_nd1(&[2, 2], &[2, 1], &[2, 2], (2, 2, 0)).ok();
        assert_eq!(gathered(operator, &count(4), &[1, 0]), Ok([2., 3., 0., 1.]));
        let operator =
            super::gather_nd1(&[1, 3, 2, 2], &[1, 3, 2, 2], &[1, 1, 3, 2], (3, 3, 1)).ok();
        assert_eq!(
            gathered(operator, &count(12), &[0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0]),
            Ok([0., 3., 7., 4., 9., 10.])
        );
    }

    #[test]
    fn scatter() {
        let operator = super::scatter(&[5], &[4], 0).ok();
        assert_eq!(
            scattered(operator, &count(5), &[3, 1, 3, 0], &[5., 6., 7., 8.]),
            Ok([8., 6., 2., 7., 4.])
        );
        // The page prints three rows and says {2,3}.
        let operator = super::scatter(&[3, 3], &[2, 3], 0).ok();
        let updates = [10., 11., 12., 20., 21., 22.];
        assert_eq!(
            scattered(operator, &[0.; 9], &[1, 0, 2, 0, 2, 1], &updates),
            Ok([20., 11., 0., 10., 0., 22., 0., 21., 12.])
        );
    }

    #[test]
    fn scatter_nd() {
        // The page has FLOAT32 indices and sizes of different ranks.
        let operator = super::scatter_nd(&[1, 8], &[4, 1], &[1, 4], (1, 2)).ok();
        let input = [1., 2., 3., 4., 5., 6., 7., 8.];
        assert_eq!(
            scattered(operator, &input, &[4, 3, 1, 7], &[9., 10., 11., 12.]),
            Ok([1., 11., 3., 10., 9., 6., 7., 12.])
        );
    }

    /// `{3,4,5,6,7}` with three coordinates leaves `{6,7}`: not `{5,6,7}`, as the formula on the
    /// page would have it.
    #[test]
    fn shape() {
        let (input, indices, right, wrong) =
            ([3, 4, 5, 6, 7], [1, 1, 1, 2, 3], [1, 1, 2, 6, 7], [1, 2, 5, 6, 7]);
        super::gather_nd(&input, &indices, &right, (5, 3)).ok();
        super::gather_nd1(&input, &indices, &right, (5, 3, 0)).ok();
        super::scatter_nd(&input, &indices, &right, (5, 3)).ok();
        let mismatch =
            |operand| Error::SizeMismatch { operand, dimension: 1, expected: 1, found: 2 };
        assert_eq!(
            super::gather_nd(&input, &indices, &wrong, (5, 3)).err(),
            mismatch(Operand::Output)
        );
        assert_eq!(
            super::scatter_nd(&input, &indices, &wrong, (5, 3)).err(),
            mismatch(Operand::Updates)
        );
        // The last [2, 3] of [4, 5] are 4 x 5 tuples of two.
        super::gather_nd(&[1, 1, 6, 7], &[1, 4, 5, 2], &[1, 1, 4, 5], (2, 3)).ok();
    }
}

/// Every axis and every count of index dimensions, on inputs with every number of leading ones,
/// against the formula.
#[test]
fn gather_crops_and_prepends() {
    let mut accepted = 0;
    for rank in 1..=4_usize {
        for leading in 0..=rank {
            let input: Vec<u32> =
                (0..rank).map(|d| if d < leading { 1 } else { d as u32 + 2 }).collect();
            for index_dimensions in 0..=rank {
                for ones in 0..=index_dimensions {
                    let indices: Vec<u32> =
                        (0..rank)
                            .map(|d| {
                                if d < rank - index_dimensions + ones {
                                    1
                                } else {
                                    2 + d as u32 % 2
                                }
                            })
                            .collect();
                    for axis in 0..rank {
                        let mut list = [
                            &input[..axis],
                            &indices[rank - index_dimensions..],
                            &input[axis + 1..],
                        ]
                        .concat();
                        let cropped: Vec<u32> =
                            list.drain(..list.len().saturating_sub(rank)).collect();
                        if list.len() < rank {
                            list.insert(0, 1);
                        }
                        let compiled =
                            gather(&input, &indices, &list, axis as u32, index_dimensions as u32)
                                .compile(&Settings::default());
                        if cropped.iter().any(|&size| size != 1) {
                            assert!(
                                matches!(compiled, Err(Error::LeadingSizeNotOne { .. })),
                                "{input:?} {indices:?} {axis} {compiled:?}"
                            );
                            continue;
                        }
                        accepted += 1;
                        let product = |sizes: &[u32]| sizes.iter().product::<u32>() as usize;
                        let (outer, size, inner) = (
                            product(&input[..axis]),
                            input[axis] as usize,
                            product(&input[axis + 1..]),
                        );
                        let entries: Vec<u32> =
                            (0..product(&indices)).map(|i| (i * 5 % size) as u32).collect();
                        let data = count(product(&input));
                        let mut expected = Vec::new();
                        for o in 0..outer {
                            for entry in &entries {
                                let start = (o * size + *entry as usize) * inner;
                                expected.extend_from_slice(&data[start..start + inner]);
                            }
                        }
                        let mut output = vec![-1.0; product(&list)];
                        compiled
                            .unwrap()
                            .execute(&data[..], &entries[..], &mut output[..])
                            .unwrap();
                        assert_eq!(
                            output, expected,
                            "{input:?} {indices:?} {axis} {index_dimensions}"
                        );
                    }
                }
            }
        }
    }
    assert!(accepted > 100, "{accepted}");
}

/// Every combination of counts and tuple sizes in up to four dimensions, against the formulas.
#[test]
fn nd_counts() {
    let mut accepted = 0;
    for rank in 1..=4_usize {
        for (r, q) in (1..=rank).flat_map(|r| (1..=rank).map(move |q| (r, q))) {
            for (b, k) in (0..r.min(q)).flat_map(|b| (1..=r - b).map(move |k| (b, k))) {
                let padded = |sizes: &[u32]| [&vec![1; rank - sizes.len()], sizes].concat();
                let batches = &[2, 3, 2][..b];
                let (picked, rows) = (&[3, 2, 4, 3][..k], &[2, 3, 2][..r - b - k]);
                let tuples = &[2, 3, 2][..q - 1 - b];
                let input = padded(&[batches, picked, rows].concat());
                let indices = padded(&[batches, tuples, &[k as u32]].concat());
                let flat = [batches, tuples, rows].concat();
                let counts = (r as u32, q as u32);
                if flat.len() > rank {
                    let error = |operand| Error::RankTooLarge {
                        operand,
                        expected: rank,
                        found: flat.len(),
                    };
                    let wrong =
                        gather_nd1(&input, &indices, &input, (counts.0, counts.1, b as u32)).err();
                    assert_eq!(wrong, error(Operand::Output));
                    continue;
                }
                accepted += 1;
                let flat = padded(&flat);
                let product = |sizes: &[u32]| sizes.iter().product::<u32>() as usize;
                let (places, entries, row) = (product(picked), product(tuples), product(rows));
                // Entry e of batch n picks place (5 e + n) of its batch, written as coordinates.
                let place = |n: usize, e: usize| (5 * e + n) % places;
                let mut ids = Vec::new();
                let (mut from, mut expected) = (Vec::new(), Vec::new());
                for (n, e) in (0..product(batches)).flat_map(|n| (0..entries).map(move |e| (n, e)))
                {
                    let mut inner = places;
                    for size in picked {
                        inner /= *size as usize;
                        ids.push((place(n, e) / inner % *size as usize) as u32);
                    }
                    from.push((n * places + place(n, e)) * row);
                }
                let data = count(product(&input));
                from.iter()
                    .for_each(|&start| expected.extend_from_slice(&data[start..start + row]));

                let case = format!("{input:?} {indices:?} {flat:?} {counts:?} {b}");
                let mut output = vec![-1.0; product(&flat)];
                let operator =
                    gather_nd1(&input, &indices, &flat, (counts.0, counts.1, b as u32)).ok();
                operator.execute(&data[..], &ids[..], &mut output[..]).unwrap();
                assert_eq!(output, expected, "{case}");
                if b == 0 {
                    let operator = gather_nd(&input, &indices, &flat, counts).ok();
                    output.fill(-1.0);
                    operator.execute(&data[..], &ids[..], &mut output[..]).unwrap();
                    assert_eq!(output, expected, "{case}");

                    let updates: Vec<f32> =
                        expected.iter().enumerate().map(|(i, _)| 1000.0 + i as f32).collect();
                    let mut expected = data.clone();
                    for (update, &start) in updates.chunks(row).zip(&from) {
                        expected[start..start + row].copy_from_slice(update);
                    }
                    let mut output = vec![-1.0; data.len()];
                    let operator = scatter_nd(&input, &indices, &flat, counts).ok();
                    operator.execute(&data[..], &ids[..], &updates[..], &mut output[..]).unwrap();
                    assert_eq!(output, expected, "{case}");
                }
            }
        }
    }
    assert!(accepted > 50, "{accepted}");
}

#[test]
fn gather_uncropped_list_may_have_fifteen_sizes() {
    let operator = gather(
        &[1, 1, 1, 1, 1, 1, 1, 5],
        &[1, 1, 1, 1, 1, 1, 1, 2],
        &[1, 1, 1, 1, 1, 1, 1, 2],
        7,
        8,
    )
    .ok();
    assert_eq!(gathered(operator, &count(5), &[4, 2]), Ok([4., 2.]));
    // Here the crop reaches into the indices: axis 0 leaves nothing of the input to crop.
    let operator = gather(
        &[3, 1, 1, 1, 1, 1, 1, 1],
        &[1, 1, 1, 1, 1, 1, 1, 2],
        &[2, 1, 1, 1, 1, 1, 1, 1],
        0,
        8,
    )
    .ok();
    assert_eq!(gathered(operator, &count(3), &[2, 1]), Ok([2., 1.]));
    let error = gather(
        &[3, 1, 1, 1, 1, 1, 1, 1],
        &[1, 1, 1, 1, 1, 1, 2, 1],
        &[2, 1, 1, 1, 1, 1, 1, 1],
        0,
        8,
    )
    .err();
    assert_eq!(
        error,
        Error::LeadingSizeNotOne { operand: Operand::Indices, dimension: 6, found: 2 }
    );
}

const LEVELS: [FeatureLevel; 4] = [
    FeatureLevel::Level1_0,
    FeatureLevel::Level2_1,
    FeatureLevel::Level3_0,
    FeatureLevel::Level4_1,
];
const TYPES: [DataType; 11] = [
    DataType::Float32,
    DataType::Float16,
    DataType::Uint32,
    DataType::Uint16,
    DataType::Uint8,
    DataType::Int32,
    DataType::Int16,
    DataType::Int8,
    DataType::Float64,
    DataType::Uint64,
    DataType::Int64,
];

/// All operators on tensors whose sizes are all 1, which are valid in every rank.
fn compile_ones(
    operator: usize,
    data: DataType,
    indices: DataType,
    rank: usize,
    level: FeatureLevel,
) -> Result<(), Error> {
    const ONES: [u32; 9] = [1; 9];
    let (data, indices) =
        (TensorDesc::packed(data, &ONES[..rank]), TensorDesc::packed(indices, &ONES[..rank]));
    let (input_tensor, indices_tensor, updates_tensor, output_tensor) = (data, indices, data, data);
    let (input_dimension_count, indices_dimension_count, batch_dimension_count) = (1, 1, 0);
    let settings = Settings { feature_level: level, ..Settings::default() };
    match operator {
        0 => GatherOperatorDesc {
            input_tensor,
            indices_tensor,
            output_tensor,
            axis: 0,
            index_dimensions: 1,
        }
        .compile(&settings)
        .map(|_| ()),
        1 => ScatterOperatorDesc {
            input_tensor,
            indices_tensor,
            updates_tensor,
            output_tensor,
            axis: 0,
        }
        .compile(&settings)
        .map(|_| ()),
        2 => GatherElementsOperatorDesc { input_tensor, indices_tensor, output_tensor, axis: 0 }
            .compile(&settings)
            .map(|_| ()),
        3 => GatherNdOperatorDesc {
            input_tensor,
            indices_tensor,
            output_tensor,
            input_dimension_count,
            indices_dimension_count,
        }
        .compile(&settings)
        .map(|_| ()),
        4 => ScatterNdOperatorDesc {
            input_tensor,
            indices_tensor,
            updates_tensor,
            output_tensor,
            input_dimension_count,
            indices_dimension_count,
        }
        .compile(&settings)
        .map(|_| ()),
        _ => GatherNd1OperatorDesc {
            input_tensor,
            indices_tensor,
            output_tensor,
            input_dimension_count,
            indices_dimension_count,
            batch_dimension_count,
        }
        .compile(&settings)
        .map(|_| ()),
    }
}

#[test]
fn feature_levels() {
    // Rows are what the tables of the pages list, level by level; each level has what the one
    // before it has.
    let operators: [&[usize]; 4] = [&[0, 1], &[2, 3, 4], &[5], &[]];
    let data: [&[DataType]; 4] = [&TYPES[..2], &TYPES[2..8], &[], &TYPES[8..]];
    let indices: [&[DataType]; 4] =
        [&[DataType::Uint32], &[], &[DataType::Int32, DataType::Uint64, DataType::Int64], &[]];
    let ranks: [&[usize]; 4] = [&[4], &[], &[1, 2, 3, 5, 6, 7, 8], &[]];
    fn has<T: PartialEq>(table: [&[T]; 4], level: usize, what: &T) -> bool {
        table[..=level].iter().any(|row| row.contains(what))
    }
    for (l, level) in LEVELS.into_iter().enumerate() {
        for operator in 0..6 {
            for data_type in TYPES {
                for indices_type in TYPES {
                    for rank in 0..=9 {
                        let result = compile_ones(operator, data_type, indices_type, rank, level);
                        let case = format!(
                            "{operator} {data_type:?} {indices_type:?} {rank} {level:?}: {result:?}"
                        );
                        let (has_operator, has_rank) =
                            (has(operators, l, &operator), has(ranks, l, &rank));
                        let (has_data, has_indices) =
                            (has(data, l, &data_type), has(indices, l, &indices_type));
                        let Err(error) = result else {
                            assert!(has_operator && has_rank && has_data && has_indices, "{case}");
                            continue;
                        };
                        let Error::NotSupported { operand, what, needs, found } = error else {
                            panic!("{case}")
                        };
                        assert_eq!(found, level);
                        assert!(needs.is_none_or(|needs| needs > level), "{case}");
                        match (what, operand) {
                            (Unsupported::Operator, _) => assert!(!has_operator, "{case}"),
                            (Unsupported::DimensionCount, _) => {
                                assert!(
                                    !has_rank && needs.is_some() == (1..=8).contains(&rank),
                                    "{case}"
                                );
                            }
                            (Unsupported::DataType, Operand::Indices) => {
                                assert!(!has_indices, "{case}")
                            }
                            (Unsupported::DataType, Operand::Input) => {
                                assert!(!has_data && needs.is_some(), "{case}")
                            }
                            _ => panic!("{case}"),
                        }
                    }
                }
            }
        }
    }
}

/// Moves the same small numbers as every data type, with every type of index.
fn all_operators_with<T: Copy + PartialEq + Debug>(data_type: DataType, from: fn(u8) -> T)
where
    for<'a> TensorData<'a>: From<&'a [T]>,
    for<'a> TensorDataMut<'a>: From<&'a mut [T]>,
{
    fn run<T: Copy + PartialEq + Debug>(
        data_type: DataType,
        from: fn(u8) -> T,
        indices: TensorData<'_>,
    ) where
        for<'a> TensorData<'a>: From<&'a [T]>,
        for<'a> TensorDataMut<'a>: From<&'a mut [T]>,
    {
        let data = |sizes| TensorDesc::packed(data_type, sizes);
        let values =
            |numbers: &[u8]| numbers.iter().map(|&number| from(number)).collect::<Vec<T>>();
        let indices_of = |sizes| TensorDesc::packed(indices.data_type(), sizes);
        let settings = Settings::default();

        let input = values(&[10, 11, 20, 21, 30, 31]);
        let mut output = values(&[0; 6]);
        let operator = GatherOperatorDesc {
            input_tensor: data(&[3, 2]),
            indices_tensor: indices_of(&[1, 3]),
            output_tensor: data(&[3, 2]),
            axis: 0,
            index_dimensions: 1,
        };
        operator.compile(&settings).unwrap().execute(&input[..], indices, &mut output[..]).unwrap();
        assert_eq!(output, values(&[30, 31, 10, 11, 30, 31]));

        let operator = ScatterNdOperatorDesc {
            input_tensor: data(&[3, 2]),
            indices_tensor: indices_of(&[3, 1]),
            updates_tensor: data(&[3, 2]),
            output_tensor: data(&[3, 2]),
            input_dimension_count: 2,
            indices_dimension_count: 2,
        };
        let updates = values(&[1, 2, 3, 4, 5, 6]);
        operator
            .compile(&settings)
            .unwrap()
            .execute(&input[..], indices, &updates[..], &mut output[..])
            .unwrap();
        assert_eq!(output, values(&[3, 4, 20, 21, 5, 6]));
    }
    run(data_type, from, TensorData::Uint32(&[2_u32, 0, 2]));
    run(data_type, from, TensorData::Uint64(&[2_u64, 0, 2]));
    run(data_type, from, TensorData::Int32(&[-1_i32, -3, 2]));
    run(data_type, from, TensorData::Int64(&[-1_i64, -3, 2]));
}

#[test]
fn all_data_types_and_index_types() {
    all_operators_with(DataType::Float32, f32::from);
    all_operators_with(DataType::Float16, f16::from);
    all_operators_with(DataType::Uint32, u32::from);
    all_operators_with(DataType::Uint16, u16::from);
    all_operators_with(DataType::Uint8, |n| n);
    all_operators_with(DataType::Int32, i32::from);
    all_operators_with(DataType::Int16, i16::from);
    all_operators_with(DataType::Int8, |n| n as i8);
    all_operators_with(DataType::Float64, f64::from);
    all_operators_with(DataType::Uint64, u64::from);
    all_operators_with(DataType::Int64, i64::from);
}

/// What moves are bits: a signalling NaN stays one.
#[test]
fn bits_are_kept() {
    let bits = [0x7f80_0001_u32, 0x8000_0000, 0xffff_ffff];
    let mut output = [0.0_f32; 3];
    gather(&[3], &[3], &[3], 0, 1)
        .ok()
        .execute(&bits.map(f32::from_bits), &[2_u32, 1, 0], &mut output)
        .unwrap();
    assert_eq!(output.map(f32::to_bits), [bits[2], bits[1], bits[0]]);
}

mod strides {
    use super::*;

    #[test]
    fn zero_strides_of_the_input_are_a_fill() {
        let operator = ScatterNdOperatorDesc {
            input_tensor: strided(&[2, 3], &[0, 0]),
            ..scatter_nd(&[2, 3], &[1, 2], &[1, 1], (2, 1))
        };
        assert_eq!(scattered(operator.ok(), &[0.], &[1, 2], &[9.]), Ok([0., 0., 0., 0., 0., 9.]));
        let operator = ScatterOperatorDesc {
            input_tensor: strided(&[2, 3], &[0, 1]),
            ..scatter(&[2, 3], &[1, 3], 0)
        };
        assert_eq!(
            scattered(operator.ok(), &[1., 2., 3.], &[1, 0, 1], &[7., 8., 9.]),
            Ok([1., 8., 3., 7., 2., 9.])
        );
    }

    #[test]
    fn input_and_output_may_lie_differently_and_padding_is_kept() {
        // The input is transposed; the output has rows of 4, and between them one element that
        // belongs to no row.
        let operator = ScatterOperatorDesc {
            input_tensor: strided(&[2, 3], &[1, 2]),
            output_tensor: strided(&[2, 3], &[4, 1]),
            ..scatter(&[2, 3], &[1, 3], 0)
        };
        let input = [1., 4., 2., 5., 3., 6.];
        assert_eq!(
            scattered(operator.ok(), &input, &[0, 1, 0], &[7., 8., 9.]),
            Ok([7., 2., 9., -1., 4., 8., 6., -1.])
        );
        let operator = ScatterNdOperatorDesc {
            input_tensor: strided(&[1, 2, 3], &[77, 1, 2]),
            output_tensor: strided(&[1, 2, 3], &[99, 1, 3]),
            ..scatter_nd(&[1, 2, 3], &[1, 1, 1], &[1, 1, 3], (2, 2))
        };
        assert_eq!(
            scattered(operator.ok(), &input, &[1], &[7., 8., 9.]),
            Ok([1., 7., -1., 2., 8., -1., 3., 9., -1.])
        );
    }

    #[test]
    fn gathers_read_and_write_with_strides() {
        let operator = GatherOperatorDesc {
            input_tensor: strided(&[3, 2], &[1, 3]),
            indices_tensor: TensorDesc::strided(DataType::Uint32, &[1, 2], &[0, 2]),
            output_tensor: strided(&[2, 2], &[3, 1]),
            ..gather(&[], &[], &[], 0, 1)
        };
        assert_eq!(
            gathered(operator.ok(), &[1., 3., 5., 2., 4., 6.], &[2, 99, 0]),
            Ok([5., 6., -1., 1., 2., -1.])
        );
    }

    /// 64-bit indices under a 32-bit view, as callers below level 3.0 pass them.
    #[test]
    fn every_other_index() {
        let mut operator = gather_elements(&[1, 1, 1, 4], &[1, 1, 1, 3], 3);
        operator.indices_tensor =
            TensorDesc::strided(DataType::Uint32, &[1, 1, 1, 3], &[6, 6, 6, 2]);
        let settings = Settings { feature_level: FeatureLevel::Level2_1, ..Settings::default() };
        assert_eq!(
            gathered(operator.compile(&settings).unwrap(), &count(4), &[3, 0, 1, 0, 2, 0]),
            Ok([3., 1., 2.])
        );
    }

    #[test]
    fn outputs_that_overlap() {
        let error = |dimension, expected, found| Error::OverlappingOutput {
            operand: Operand::Output,
            dimension,
            expected,
            found,
        };
        let operator = GatherElementsOperatorDesc {
            output_tensor: strided(&[2, 2], &[0, 1]),
            ..gather_elements(&[2, 2], &[2, 2], 0)
        };
        assert_eq!(operator.err(), error(0, 1, 0));
        // Dimensions are those of the descriptor, ignored ones included.
        let operator = GatherNdOperatorDesc {
            output_tensor: strided(&[1, 2, 2], &[0, 1, 1]),
            ..gather_nd(&[1, 2, 2], &[1, 2, 1], &[1, 2, 2], (2, 2))
        };
        assert_eq!(operator.err(), error(2, 2, 1));
        let operator = ScatterNdOperatorDesc {
            output_tensor: strided(&[1, 2, 2], &[0, 1, 1]),
            ..scatter_nd(&[1, 2, 2], &[1, 2, 1], &[1, 2, 2], (2, 2))
        };
        assert_eq!(operator.err(), error(2, 2, 1));
        let operator =
            ScatterOperatorDesc { output_tensor: strided(&[4], &[0]), ..scatter(&[4], &[1], 0) };
        assert_eq!(operator.err(), error(0, 1, 0));
    }

    #[test]
    fn extents() {
        assert_eq!(f32s(&[3, 4, 5]).extent(), Ok(60));
        assert_eq!(strided(&[3, 4, 5], &[0, 10, 1]).extent(), Ok(35));
        assert_eq!(strided(&[1, 1], &[u32::MAX, u32::MAX]).extent(), Ok(1));
        assert_eq!(f32s(&[]).extent(), Ok(1));
        assert_eq!(
            f32s(&[3, 0]).extent(),
            Err(Error::ZeroSize { operand: Operand::Layout, dimension: 1 })
        );
        assert_eq!(
            f32s(&[1; 9]).extent(),
            Err(Error::RankTooLarge { operand: Operand::Layout, expected: 8, found: 9 })
        );
        let error = strided(&[1, 2], &[1]).extent();
        assert_eq!(
            error,
            Err(Error::RankMismatch { operand: Operand::Layout, expected: 2, found: 1 })
        );
        assert_eq!(
            f32s(&[u32::MAX; 3]).extent(),
            Err(Error::SizesOverflow { operand: Operand::Layout })
        );
    }

    /// In 32 bits, these extents are 65536 and 1.
    #[test]
    fn extents_do_not_wrap() {
        let packed = f32s(&[65_536, 65_537]);
        let spread = strided(&[2, 2], &[u32::MAX, 1]);
        if cfg!(target_pointer_width = "64") {
            assert_eq!(packed.extent().map(|extent| extent as u64), Ok(4_295_032_832));
            assert_eq!(spread.extent().map(|extent| extent as u64), Ok(4_294_967_297));
            let operator =
                ScatterOperatorDesc { input_tensor: spread, ..scatter(&[2, 2], &[1, 2], 0) };
            let error = scattered::<4>(operator.ok(), &[0.; 4], &[0, 0], &[1., 1.]).unwrap_err();
            assert!(matches!(
                error,
                Error::SliceTooShort { operand: Operand::Input, found: 4, .. }
            ));
        } else {
            assert_eq!(packed.extent(), Err(Error::SizesOverflow { operand: Operand::Layout }));
            assert_eq!(spread.extent(), Err(Error::SizesOverflow { operand: Operand::Layout }));
        }
    }
}

mod indices {
    use super::*;

    #[test]
    fn out_of_bounds_is_an_error_by_default() {
        let error = |entry, coordinate, value, size| Error::IndexOutOfBounds {
            entry,
            coordinate,
            value,
            size,
        };
        assert_eq!(
            gathered::<2>(gather(&[3], &[2], &[2], 0, 1).ok(), &count(3), &[2, 3]),
            Err(error(1, 0, 3, 3))
        );
        assert_eq!(
            gathered::<2>(gather_elements(&[3], &[2], 0).ok(), &count(3), &[2, 3]),
            Err(error(1, 0, 3, 3))
        );
        // The second coordinate would still lie in memory, in the next row.
        let operator = gather_nd(&[4, 4], &[2, 2], &[1, 2], (2, 2)).ok();
        assert_eq!(gathered::<2>(operator, &count(16), &[0, 1, 0, 5]), Err(error(1, 1, 5, 4)));
        let operator = gather_nd1(&[3, 2], &[3, 1], &[1, 3], (2, 2, 1)).ok();
        assert_eq!(gathered::<3>(operator, &count(6), &[0, 1, 2]), Err(error(2, 0, 2, 2)));
        let operator = scatter(&[3], &[3], 0).ok();
        assert_eq!(
            scattered::<3>(operator, &count(3), &[0, 1, 3], &[0.; 3]),
            Err(error(2, 0, 3, 3))
        );
        let operator = scatter_nd(&[4, 4], &[2, 2], &[1, 2], (2, 2)).ok();
        assert_eq!(
            scattered::<16>(operator, &count(16), &[0, 1, 0, i32::MAX as u32], &[0.; 2]),
            Err(error(1, 1, i32::MAX.into(), 4))
        );
    }

    #[test]
    fn other_rules() {
        let with = |bounds| Settings { bounds, ..Settings::default() };
        let gather = |bounds| {
            gathered(
                gather(&[3], &[3], &[3], 0, 1).compile(&with(bounds)).unwrap(),
                &count(3),
                &[3, 1, 7],
            )
        };
        assert_eq!(gather(Bounds::Clamp), Ok([2., 1., 2.]));
        assert_eq!(gather(Bounds::Wrap), Ok([0., 1., 1.]));
        assert_eq!(gather(Bounds::Skip), Ok([-1., 1., -1.]));
        let scatter = |bounds| {
            let operator =
                scatter_nd(&[1, 3], &[3, 1], &[1, 3], (1, 2)).compile(&with(bounds)).unwrap();
            scattered(operator, &count(3), &[3, 1, 7], &[5., 6., 7.])
        };
        assert_eq!(scatter(Bounds::Clamp), Ok([0., 6., 7.]));
        assert_eq!(scatter(Bounds::Wrap), Ok([5., 7., 2.]));
        assert_eq!(scatter(Bounds::Skip), Ok([0., 6., 2.]));
    }

    #[test]
    fn negative_ones_count_from_the_end_once() {
        let mut operator = scatter_nd(&[2, 3], &[2, 2], &[1, 2], (2, 2));
        operator.indices_tensor.data_type = DataType::Int64;
        let run = |indices: [i64; 4]| {
            let mut output = [-1.0_f32; 6];
            operator
                .ok()
                .execute(&[0.0_f32; 6], &indices, &[8.0_f32, 9.0], &mut output)
                .map(|()| output)
        };
        assert_eq!(run([-1, -3, 0, -1]), Ok([0., 0., 9., 8., 0., 0.]));
        assert_eq!(
            run([0, 0, -3, 0]),
            Err(Error::IndexOutOfBounds { entry: 1, coordinate: 0, value: -3, size: 2 })
        );
        let least =
            Error::IndexOutOfBounds { entry: 0, coordinate: 1, value: i64::MIN.into(), size: 3 };
        assert_eq!(run([0, i64::MIN, 0, 0]), Err(least));
        // 2^32 + 1 is not 1.
        let wide =
            Error::IndexOutOfBounds { entry: 0, coordinate: 0, value: (1 << 32) + 1, size: 2 };
        assert_eq!(run([(1 << 32) + 1, 0, 0, 0]), Err(wide));
    }

    #[test]
    fn unsigned_ones_never_wrap() {
        let error = |value| Error::IndexOutOfBounds { entry: 0, coordinate: 0, value, size: 3 };
        let operator = gather_elements(&[3], &[1], 0);
        assert_eq!(
            gathered::<1>(operator.ok(), &count(3), &[u32::MAX]),
            Err(error(u32::MAX.into()))
        );
        let operator = GatherElementsOperatorDesc {
            indices_tensor: TensorDesc::packed(DataType::Uint64, &[1]),
            ..operator
        };
        let mut output = [-1.0_f32];
        assert_eq!(
            operator.ok().execute(&[0.0_f32; 3], &[u64::MAX], &mut output),
            Err(error(u64::MAX.into()))
        );
        let clamped =
            operator.compile(&Settings { bounds: Bounds::Clamp, ..Settings::default() }).unwrap();
        clamped.execute(&[0.0_f32, 1.0, 2.0], &[u64::MAX], &mut output).unwrap();
        assert_eq!(output, [2.0]);
    }

    #[test]
    fn the_last_duplicate_stays() {
        let operator = scatter_nd(&[1, 4], &[4, 1], &[1, 4], (1, 2)).ok();
        assert_eq!(
            scattered(operator, &[0.; 4], &[2, 0, 2, 2], &[1., 2., 3., 4.]),
            Ok([2., 0., 4., 0.])
        );
    }

    #[test]
    fn sizes_off_the_axis() {
        let strict = Settings { strict: true, ..Settings::default() };
        let mismatch = |expected, found| Error::SizeMismatch {
            operand: Operand::Indices,
            dimension: 1,
            expected,
            found,
        };
        let (smaller, larger, equal) = ([1, 2], [1, 4], [5, 3]);
        assert_eq!(
            gathered(gather_elements(&[2, 3], &smaller, 0).ok(), &count(6), &[1, 0]),
            Ok([3., 1.])
        );
        let operator = scatter(&[2, 3], &smaller, 0).ok();
        assert_eq!(
            scattered(operator, &count(6), &[1, 0], &[8., 9.]),
            Ok([0., 9., 2., 8., 4., 5.])
        );
        assert_eq!(
            gather_elements(&[2, 3], &smaller, 0).with(&strict).unwrap_err(),
            mismatch(3, 2)
        );
        assert_eq!(scatter(&[2, 3], &smaller, 0).with(&strict).unwrap_err(), mismatch(3, 2));
        assert!(
            gather_elements(&[2, 3], &equal, 0).with(&strict).is_ok()
                && scatter(&[2, 3], &equal, 0).with(&strict).is_ok()
        );
        assert_eq!(gather_elements(&[2, 3], &larger, 0).err(), mismatch(3, 4));
        assert_eq!(scatter(&[2, 3], &larger, 0).err(), mismatch(3, 4));
    }
}

mod mistakes {
    use super::*;

    fn all_scatters<'a>() -> (ScatterOperatorDesc<'a>, ScatterNdOperatorDesc<'a>) {
        (scatter(&[2, 2], &[2, 2], 0), scatter_nd(&[2, 2], &[2, 1], &[2, 2], (2, 2)))
    }

    fn all_gathers<'a>() -> (
        GatherOperatorDesc<'a>,
        GatherElementsOperatorDesc<'a>,
        GatherNdOperatorDesc<'a>,
        GatherNd1OperatorDesc<'a>,
    ) {
        (
            gather(&[2, 2], &[1, 2], &[2, 2], 0, 1),
            gather_elements(&[2, 2], &[2, 2], 0),
            gather_nd(&[2, 2], &[2, 1], &[2, 2], (2, 2)),
            gather_nd1(&[2, 2], &[2, 1], &[1, 2], (2, 2, 1)),
        )
    }

    /// Breaks one tensor of every operator, and says what error that makes.
    fn break_each(mutate: impl Fn(&mut TensorDesc<'_>), error: impl Fn(Operand) -> Error) {
        macro_rules! break_tensor {
            ($($desc:ident $tensor:ident $operand:ident;)*) => {$(
                let mut broken = $desc;
                mutate(&mut broken.$tensor);
                assert_eq!(broken.err(), error(Operand::$operand), "{broken:?}");
            )*};
        }
        let (gather, elements, nd, nd1) = all_gathers();
        let (scatter, scatter_nd) = all_scatters();
        break_tensor! {
            gather input_tensor Input; gather indices_tensor Indices; gather output_tensor Output;
            elements input_tensor Input; elements indices_tensor Indices;
            elements output_tensor Output;
            nd input_tensor Input; nd indices_tensor Indices; nd output_tensor Output;
            nd1 input_tensor Input; nd1 indices_tensor Indices; nd1 output_tensor Output;
            scatter input_tensor Input; scatter indices_tensor Indices;
            scatter updates_tensor Updates; scatter output_tensor Output;
            scatter_nd input_tensor Input; scatter_nd indices_tensor Indices;
            scatter_nd updates_tensor Updates; scatter_nd output_tensor Output;
        }
    }

    #[test]
    fn unbroken() {
        let (gather, elements, nd, nd1) = all_gathers();
        let (scatter, scatter_nd) = all_scatters();
        let _ = (gather.ok(), elements.ok(), nd.ok(), nd1.ok(), scatter.ok(), scatter_nd.ok());
    }

    #[test]
    fn zero_size() {
        break_each(
            |tensor| tensor.sizes = &[0, 2],
            |operand| Error::ZeroSize { operand, dimension: 0 },
        );
        break_each(
            |tensor| tensor.sizes = &[2, 0],
            |operand| Error::ZeroSize { operand, dimension: 1 },
        );
    }

    #[test]
    fn strides_of_another_rank() {
        break_each(
            |tensor| tensor.strides = Some(&[1]),
            |operand| Error::RankMismatch { operand, expected: 2, found: 1 },
        );
        break_each(
            |tensor| tensor.strides = Some(&[4, 2, 1]),
            |operand| Error::RankMismatch { operand, expected: 2, found: 3 },
        );
    }

    #[test]
    fn sizes_overflow() {
        fn overflow(tensor: &mut TensorDesc<'_>) {
            tensor.sizes = &[u32::MAX, u32::MAX];
            tensor.strides = Some(&[u32::MAX, u32::MAX]);
        }
        break_each(overflow, |operand| Error::SizesOverflow { operand });
    }

    #[test]
    fn too_many_dimensions() {
        let error = |operand| Error::NotSupported {
            operand,
            what: Unsupported::DimensionCount,
            needs: None,
            found: FeatureLevel::Level4_1,
        };
        break_each(|tensor| tensor.sizes = &[1; 9], error);
        break_each(|tensor| tensor.sizes = &[], error);
    }

    #[test]
    fn dimension_counts_differ() {
        let error = |operand, expected, found| Error::RankMismatch { operand, expected, found };
        let (gather, elements, nd, nd1) = all_gathers();
        let (scatter, scatter_nd) = all_scatters();
        let (indices, data) = (u32s(&[1, 1, 1]), f32s(&[2]));
        assert_eq!(
            GatherOperatorDesc { indices_tensor: indices, ..gather }.err(),
            error(Operand::Indices, 2, 3)
        );
        assert_eq!(
            GatherElementsOperatorDesc { indices_tensor: indices, ..elements }.err(),
            error(Operand::Indices, 2, 3)
        );
        assert_eq!(
            GatherNdOperatorDesc { output_tensor: data, ..nd }.err(),
            error(Operand::Output, 2, 1)
        );
        assert_eq!(
            GatherNd1OperatorDesc { output_tensor: data, ..nd1 }.err(),
            error(Operand::Output, 2, 1)
        );
        assert_eq!(
            ScatterOperatorDesc { updates_tensor: data, ..scatter }.err(),
            error(Operand::Updates, 2, 1)
        );
        assert_eq!(
            ScatterNdOperatorDesc { output_tensor: data, ..scatter_nd }.err(),
            error(Operand::Output, 2, 1)
        );
        // The page's own example of SCATTER_ND: {8}, {4,1}, {4}, {8}.
        assert_eq!(
            super::scatter_nd(&[8], &[4, 1], &[4], (1, 2)).err(),
            error(Operand::Indices, 1, 2)
        );
    }

    #[test]
    fn data_types_differ() {
        let error = |operand, expected, found| Error::DataTypeMismatch { operand, expected, found };
        let (gather, ..) = all_gathers();
        let (scatter, scatter_nd) = all_scatters();
        let halves = TensorDesc::packed(DataType::Float16, &[2, 2]);
        let output = error(Operand::Output, DataType::Float32, DataType::Float16);
        assert_eq!(GatherOperatorDesc { output_tensor: halves, ..gather }.err(), output);
        assert_eq!(ScatterNdOperatorDesc { output_tensor: halves, ..scatter_nd }.err(), output);
        let updates = error(Operand::Updates, DataType::Float32, DataType::Float16);
        assert_eq!(ScatterOperatorDesc { updates_tensor: halves, ..scatter }.err(), updates);
        assert_eq!(
            updates.to_string(),
            "data type mismatch: updates should be FLOAT32, found FLOAT16"
        );
        // FLOAT32 indices, as on the page.
        let floats = GatherOperatorDesc { indices_tensor: f32s(&[1, 2]), ..gather }.err();
        assert!(matches!(
            floats,
            Error::NotSupported {
                operand: Operand::Indices,
                what: Unsupported::DataType,
                needs: None,
                ..
            }
        ));
    }

    #[test]
    fn slices_of_another_type() {
        let error =
            |operand, expected, found| Err(Error::DataTypeMismatch { operand, expected, found });
        let (ids, wrong_ids) = ([0_u32; 4], [0_i32; 4]);
        let (floats, words) = ([0.0_f32; 4], [0_u32; 4]);
        let gather = all_gathers().0.ok();
        let input = error(Operand::Input, DataType::Float32, DataType::Uint32);
        assert_eq!(gather.execute(&words, &ids, &mut [0.0_f32; 4]), input);
        assert_eq!(
            gather.execute(&floats, &wrong_ids, &mut [0.0_f32; 4]),
            error(Operand::Indices, DataType::Uint32, DataType::Int32)
        );
        assert_eq!(
            gather.execute(&floats, &ids, &mut [0_u32; 4]),
            error(Operand::Output, DataType::Float32, DataType::Uint32)
        );
        let scatter = all_scatters().0.ok();
        assert_eq!(scatter.execute(&words, &ids, &floats, &mut [0.0_f32; 4]), input);
        let indices = error(Operand::Indices, DataType::Uint32, DataType::Int32);
        assert_eq!(scatter.execute(&floats, &wrong_ids, &floats, &mut [0.0_f32; 4]), indices);
        let updates = error(Operand::Updates, DataType::Float32, DataType::Uint32);
        assert_eq!(scatter.execute(&floats, &ids, &words, &mut [0.0_f32; 4]), updates);
        let output = error(Operand::Output, DataType::Float32, DataType::Float64);
        assert_eq!(scatter.execute(&floats, &ids, &floats, &mut [0.0_f64; 4]), output);
    }

    #[test]
    fn slices_too_short() {
        let error = |operand, expected, found| Error::SliceTooShort { operand, expected, found };
        let gather = all_gathers().1.ok();
        assert_eq!(gathered::<4>(gather, &[0.; 3], &[0; 4]), Err(error(Operand::Input, 4, 3)));
        assert_eq!(gathered::<4>(gather, &[0.; 4], &[0; 3]), Err(error(Operand::Indices, 4, 3)));
        assert_eq!(gathered::<3>(gather, &[0.; 4], &[0; 4]), Err(error(Operand::Output, 4, 3)));
        let (scatter, scatter_nd) = all_scatters();
        for (operator, indices) in [(scatter.ok(), 4), (scatter_nd.ok(), 2)] {
            let (ids, short) = (vec![0; indices], vec![0; indices - 1]);
            assert_eq!(
                scattered::<4>(operator, &[0.; 3], &ids, &[0.; 4]),
                Err(error(Operand::Input, 4, 3))
            );
            assert_eq!(
                scattered::<4>(operator, &[0.; 4], &short, &[0.; 4]),
                Err(error(Operand::Indices, indices, indices - 1))
            );
            assert_eq!(
                scattered::<4>(operator, &[0.; 4], &ids, &[0.; 3]),
                Err(error(Operand::Updates, 4, 3))
            );
            assert_eq!(
                scattered::<3>(operator, &[0.; 4], &ids, &[0.; 4]),
                Err(error(Operand::Output, 4, 3))
            );
        }
        // The input's own strides decide how long its slice must be.
        let padded =
            ScatterOperatorDesc { input_tensor: strided(&[2, 2], &[5, 1]), ..scatter }.ok();
        assert_eq!(
            scattered::<4>(padded, &[0.; 6], &[0; 4], &[0.; 4]),
            Err(error(Operand::Input, 7, 6))
        );
    }

    #[test]
    fn axis() {
        let error = |operand, found| Error::AxisOutOfRange { operand, expected: 2, found };
        let (gather, elements, ..) = all_gathers();
        let (scatter, _) = all_scatters();
        assert_eq!(GatherOperatorDesc { axis: 2, ..gather }.err(), error(Operand::Input, 2));
        assert_eq!(
            GatherElementsOperatorDesc { axis: 2, ..elements }.err(),
            error(Operand::Input, 2)
        );
        assert_eq!(ScatterOperatorDesc { axis: 2, ..scatter }.err(), error(Operand::Output, 2));
        assert_eq!(
            ScatterOperatorDesc { axis: u32::MAX, ..scatter }.err(),
            error(Operand::Output, u32::MAX as usize)
        );
    }

    #[test]
    fn dimension_counts() {
        let error = |operand, minimum, found| Error::DimensionCountOutOfRange {
            operand,
            minimum,
            maximum: 2,
            found,
        };
        let (gather, _, nd, nd1) = all_gathers();
        let (_, scatter_nd) = all_scatters();
        assert_eq!(
            GatherOperatorDesc { index_dimensions: 3, ..gather }.err(),
            error(Operand::Indices, 0, 3)
        );
        for count in [0, 3, u32::MAX] {
            let (input, indices) = (
                error(Operand::Input, 1, count as usize),
                error(Operand::Indices, 1, count as usize),
            );
            assert_eq!(GatherNdOperatorDesc { input_dimension_count: count, ..nd }.err(), input);
            assert_eq!(
                GatherNdOperatorDesc { indices_dimension_count: count, ..nd }.err(),
                indices
            );
            assert_eq!(GatherNd1OperatorDesc { input_dimension_count: count, ..nd1 }.err(), input);
            assert_eq!(
                GatherNd1OperatorDesc { indices_dimension_count: count, ..nd1 }.err(),
                indices
            );
            assert_eq!(
                ScatterNdOperatorDesc { input_dimension_count: count, ..scatter_nd }.err(),
                input
            );
            assert_eq!(
                ScatterNdOperatorDesc { indices_dimension_count: count, ..scatter_nd }.err(),
                indices
            );
        }
    }

    /// Where two implementations of DirectML answer differently: indices `{3, 2}` of which one
    /// dimension counts.
    #[test]
    fn ignored_sizes_must_be_one() {
        let error =
            |operand, dimension, found| Error::LeadingSizeNotOne { operand, dimension, found };
        assert_eq!(gather(&[3, 3], &[3, 2], &[3, 2], 1, 1).err(), error(Operand::Indices, 0, 3));
        assert_eq!(gather(&[3, 2], &[2, 1], &[1, 2], 0, 0).err(), error(Operand::Indices, 0, 2));
        assert_eq!(gather(&[3, 2], &[1, 1], &[2, 2], 0, 0).err(), error(Operand::Output, 0, 2));
        assert_eq!(
            gather_nd(&[1, 2, 3], &[1, 2, 1], &[1, 1, 2], (1, 2)).err(),
            error(Operand::Input, 1, 2)
        );
        assert_eq!(
            gather_nd(&[1, 2, 3], &[4, 2, 1], &[1, 2, 3], (2, 2)).err(),
            error(Operand::Indices, 0, 4)
        );
        assert_eq!(
            gather_nd(&[1, 2, 3], &[1, 2, 1], &[2, 2, 3], (2, 2)).err(),
            error(Operand::Output, 0, 2)
        );
        assert_eq!(
            gather_nd1(&[2, 2, 3], &[1, 2, 1], &[1, 1, 2], (2, 2, 1)).err(),
            error(Operand::Input, 0, 2)
        );
        assert_eq!(
            scatter_nd(&[2, 2, 3], &[1, 2, 1], &[1, 2, 3], (2, 2)).err(),
            error(Operand::Input, 0, 2)
        );
        assert_eq!(
            scatter_nd(&[1, 2, 3], &[1, 2, 1], &[5, 2, 3], (2, 2)).err(),
            error(Operand::Updates, 0, 5)
        );
    }

    #[test]
    fn tuples() {
        let error = |expected, found| Error::TupleSizeOutOfRange { expected, found };
        // 2 coordinates are within DimensionCount, and beyond the one dimension that the input has.
        assert_eq!(gather_nd(&[1, 4], &[3, 2], &[1, 3], (1, 2)).err(), error(1, 2));
        assert_eq!(scatter_nd(&[1, 4], &[3, 2], &[1, 3], (1, 2)).err(), error(1, 2));
        assert_eq!(gather_nd1(&[3, 4], &[3, 2], &[1, 3], (2, 2, 1)).err(), error(1, 2));
    }

    #[test]
    fn batches() {
        let error =
            |operand, expected, found| Error::BatchDimsOutOfRange { operand, expected, found };
        assert_eq!(
            gather_nd1(&[2, 2], &[2, 1], &[1, 2], (2, 2, 2)).err(),
            error(Operand::Indices, 1, 2)
        );
        assert_eq!(
            gather_nd1(&[1, 2], &[2, 1], &[1, 2], (1, 2, 1)).err(),
            error(Operand::Input, 0, 1)
        );
        assert_eq!(
            gather_nd1(&[2, 2], &[2, 1], &[1, 2], (2, 2, u32::MAX)).err(),
            error(Operand::Indices, 1, u32::MAX as usize)
        );
        // Batch dimensions of different sizes, counted with the ignored one.
        let sizes =
            Error::SizeMismatch { operand: Operand::Indices, dimension: 1, expected: 3, found: 2 };
        assert_eq!(gather_nd1(&[1, 3, 4], &[1, 2, 1], &[1, 1, 2], (2, 2, 1)).err(), sizes);
    }

    #[test]
    fn sizes_of_results() {
        let error = |operand, dimension, expected, found| Error::SizeMismatch {
            operand,
            dimension,
            expected,
            found,
        };
        let output = f32s(&[2, 3]);
        let (gather, elements, ..) = all_gathers();
        let (scatter, scatter_nd) = all_scatters();
        assert_eq!(
            GatherOperatorDesc { output_tensor: output, ..gather }.err(),
            error(Operand::Output, 1, 2, 3)
        );
        assert_eq!(
            GatherElementsOperatorDesc { output_tensor: output, ..elements }.err(),
            error(Operand::Output, 1, 2, 3)
        );
        assert_eq!(
            ScatterOperatorDesc { output_tensor: output, ..scatter }.err(),
            error(Operand::Output, 1, 2, 3)
        );
        assert_eq!(
            ScatterOperatorDesc { updates_tensor: output, ..scatter }.err(),
            error(Operand::Updates, 1, 2, 3)
        );
        assert_eq!(
            ScatterNdOperatorDesc { output_tensor: output, ..scatter_nd }.err(),
            error(Operand::Output, 1, 2, 3)
        );
        // Dimensions are those of the descriptor, prepended ones included.
        assert_eq!(
            gather_nd(&[1, 2, 3], &[1, 2, 1], &[1, 2, 4], (2, 2)).err(),
            error(Operand::Output, 2, 3, 4)
        );
        assert_eq!(
            super::scatter_nd(&[1, 2, 3], &[1, 2, 1], &[1, 2, 4], (2, 2)).err(),
            error(Operand::Updates, 2, 3, 4)
        );
        assert_eq!(
            super::gather(&[3, 2], &[1, 1], &[1, 3], 0, 0).err(),
            error(Operand::Output, 1, 2, 3)
        );
        // [2, 3] tuples of one coordinate into rows of 5 make three sizes, and there is room for
        // two.
        let error = |operand| Error::RankTooLarge { operand, expected: 3, found: 4 };
        let (input, indices, flat) = ([2, 3, 4], [2, 3, 1], [2, 3, 3]);
        assert_eq!(gather_nd(&input, &indices, &flat, (3, 3)).err(), error(Operand::Output));
        assert_eq!(
            super::scatter_nd(&input, &indices, &flat, (3, 3)).err(),
            error(Operand::Updates)
        );
        let ones = [1; 6];
        let error = Error::RankTooLarge { operand: Operand::Output, expected: 6, found: 10 };
        assert_eq!(gather_nd(&ones, &ones, &ones, (6, 6)).err(), error);
    }
}

/// Tuples as long as the input's rank make a scalar of each, and one such tuple a result of ones.
#[test]
fn full_depth_tuples() {
    let operator = gather_nd(&[2, 3], &[1, 2], &[1, 1], (2, 1)).ok();
    assert_eq!(gathered(operator, &count(6), &[1, 2]), Ok([5.]));
    let operator = gather_nd(&[4], &[1], &[1], (1, 1)).ok();
    assert_eq!(gathered(operator, &count(4), &[3]), Ok([3.]));
    let operator = scatter_nd(&[4], &[1], &[1], (1, 1)).ok();
    assert_eq!(scattered(operator, &count(4), &[3], &[9.]), Ok([0., 1., 2., 9.]));
}

/// A compiled operator keeps nothing of its descriptor, and runs as often as one likes.
#[test]
fn compiled_operators_outlive_their_descriptors() {
    let operator = {
        let sizes = vec![1, 1, 3];
        scatter(&sizes, &sizes, 2).ok()
    };
    let copy = operator;
    assert_eq!(scattered(operator, &count(3), &[2, 2, 0], &[7., 8., 9.]), Ok([9., 1., 8.]));
    assert_eq!(scattered(copy, &[5.; 3], &[1, 1, 1], &[7., 8., 9.]), Ok([5., 9., 5.]));
}

#[cfg(feature = "std")]
#[test]
fn vectors_are_data() {
    let operator = gather(&[1, 1, 1, 5], &[1, 1, 1, 2], &[1, 1, 1, 2], 3, 1).ok();
    let mut output = vec![-1.0_f32; 2];
    operator.execute(&count(5), &vec![4_u32, 2], &mut output).unwrap();
    assert_eq!(output, [4.0, 2.0]);
}
