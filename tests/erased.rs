//! Calls on bytes do what those of known types do.
#![cfg(feature = "half")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use std::fmt::Debug;

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use half::{bf16, f16};
use strew::{
    AnyIndices, Bounds, DataType, Error, Gather, Layout, Negative, Number, Operand, Operation,
    Scatter,
};

const DATA_TYPES: [DataType; 12] = [
    DataType::Uint8,
    DataType::Uint16,
    DataType::Uint32,
    DataType::Uint64,
    DataType::Int8,
    DataType::Int16,
    DataType::Int32,
    DataType::Int64,
    DataType::Float16,
    DataType::Bfloat16,
    DataType::Float32,
    DataType::Float64,
];

const OPERATIONS: [Operation; 6] = [
    Operation::Assign,
    Operation::Add,
    Operation::Sub,
    Operation::Mul,
    Operation::Min,
    Operation::Max,
];

/// Calls `check` with the indices in each type that has them all.
fn in_each_type(values: &[i64], mut check: impl FnMut(AnyIndices<'_>)) {
    macro_rules! each {
        ($($index:ty)*) => {$(
            let converted = values.iter().map(|n| i128::from(*n).try_into());
            let indices: Result<Vec<$index>, _> = converted.collect();
            if let Ok(indices) = indices {
                check(indices.as_slice().into());
            }
        )*};
    }
    each!(u8 u16 u32 u64 i8 i16 i32 i64);
}

/// Bytes that lie at a multiple of 16, and some more.
struct Memory {
    words: Vec<u128>,
    start: usize,
    length: usize,
}

impl Memory {
    fn new(bytes: &[u8], start: usize) -> Memory {
        let words = vec![0; (start + bytes.len()).div_ceil(16)];
        let mut memory = Memory { words, start, length: bytes.len() };
        memory.bytes().copy_from_slice(bytes);
        memory
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut cast_slice_mut(&mut self.words)[self.start..][..self.length]
    }
}

/// Plans of gathers from 50 rows, some with few and some with many entries; how many elements they
/// have, and their indices.
fn gathers() -> Vec<(Gather, Vec<i64>)> {
    let mut gathers = vec![];
    for (count, columns) in [(5, 1), (1100, 1), (300, 7)] {
        let indices: Vec<i64> = (0..count).map(|n| n * n % 50).collect();
        let table = Layout::contiguous([50, columns]);
        let entries = Layout::contiguous([count as usize]);
        gathers.push((Gather::axis_packed(&table, &entries, 0).unwrap().0, indices.clone()));
        let turned = Layout::strided([50, columns], [1, 50]);
        let output = Layout::contiguous([count as usize, columns]);
        gathers.push((Gather::axis(&turned, &entries, &output, 0).unwrap(), indices));
    }
    let pairs = Layout::contiguous([400, 2]);
    let nd = Gather::nd_packed(&Layout::contiguous([9, 9, 3]), &pairs, 0).unwrap().0;
    gathers.push((nd, (0..800).map(|n| n * n % 9).collect()));
    gathers
}

fn moves<T: Pod + PartialEq + Debug + Send + Sync>() {
    for (gather, indices) in gathers() {
        let width = size_of::<T>();
        let random = |length: usize| -> Vec<T> {
            let mut elements = vec![T::zeroed(); length];
            let bytes = cast_slice_mut(&mut elements).iter_mut().enumerate();
            bytes.for_each(|(n, byte): (usize, &mut u8)| *byte = (n * n / 7 + n) as u8);
            elements
        };
        let (input, output) = (random(gather.input_len()), random(gather.output_len()));
        let scatter = gather.adjoint().unwrap();
        let (mut gathered, mut scattered) = (output.clone(), input.clone());
        gather.run(&input, &indices, &mut gathered).unwrap();
        scatter.run(&mut scattered, &indices, &output).unwrap();

        in_each_type(&indices, |indices| {
            // Aligned or not, with bytes left over or without.
            for start in [0, 1, 12] {
                let left_over = [7, 7][..start.min(2)].repeat(usize::from(width > 2));
                let with =
                    |values: &[T]| Memory::new(&[cast_slice(values), &left_over].concat(), start);
                let found = |memory: &mut Memory, expected: &[T]| {
                    assert_eq!(memory.bytes(), [cast_slice(expected), &left_over].concat());
                };
                let (mut from, mut to) = (with(&input), with(&output));
                gather.run_bytes(width, from.bytes(), indices, to.bytes()).unwrap();
                found(&mut to, &gathered);
                let (mut to, mut from) = (with(&input), with(&output));
                scatter.run_bytes(width, to.bytes(), indices, from.bytes()).unwrap();
                found(&mut to, &scattered);
                #[cfg(feature = "rayon")]
                {
                    let (mut from, mut to) = (with(&input), with(&output));
                    gather.par_run_bytes(width, from.bytes(), indices, to.bytes()).unwrap();
                    found(&mut to, &gathered);
                    let (mut to, mut from) = (with(&input), with(&output));
                    scatter.par_run_bytes(width, to.bytes(), indices, from.bytes()).unwrap();
                    found(&mut to, &scattered);
                }
            }
        });
    }
}

#[test]
fn moves_of_each_width() {
    moves::<u8>();
    moves::<u16>();
    moves::<u32>();
    moves::<f64>();
    moves::<u128>();
}

fn reductions<T: Number + Pod + PartialEq + Debug>(data_type: DataType, number: impl Fn(u8) -> T) {
    assert_eq!(data_type.width(), size_of::<T>());
    for (gather, indices) in gathers() {
        let scatter = gather.adjoint().unwrap();
        let before: Vec<T> = (0..scatter.data_len()).map(|n| number(n as u8 % 11)).collect();
        let updates: Vec<T> = (0..scatter.updates_len()).map(|n| number(n as u8 % 7 + 1)).collect();
        for operation in OPERATIONS {
            let mut expected = before.clone();
            scatter.reduce(operation, &mut expected, &indices, &updates).unwrap();
            in_each_type(&indices, |indices| {
                let (mut found, from) = (before.clone(), cast_slice(&updates));
                let to = cast_slice_mut(&mut found);
                scatter.reduce_bytes(operation, data_type, to, indices, from).unwrap();
                assert_eq!(found, expected, "{operation:?} of {data_type:?}");
                #[cfg(feature = "rayon")]
                {
                    found.copy_from_slice(&before);
                    let to = cast_slice_mut(&mut found);
                    scatter.par_reduce_bytes(operation, data_type, to, indices, from).unwrap();
                    assert_eq!(found, expected, "{operation:?} of {data_type:?}");
                }
            });
        }
    }
}

#[test]
fn reductions_of_each_type() {
    reductions(DataType::Uint8, |n| n * 23);
    reductions(DataType::Uint16, |n| u16::from(n) * 5003);
    reductions(DataType::Uint32, |n| u32::from(n) * 400_000_003);
    reductions(DataType::Uint64, |n| u64::from(n) << 60 | 1);
    reductions(DataType::Int8, |n| (n as i8 - 5) * 23);
    reductions(DataType::Int16, |n| (i16::from(n) - 5) * 5003);
    reductions(DataType::Int32, |n| (i32::from(n) - 5) * 400_000_003);
    reductions(DataType::Int64, |n| (i64::from(n) - 5) << 60 | 1);
    reductions(DataType::Float16, |n| f16::from_f32(f32::from(n) / 4.0 - 1.0));
    reductions(DataType::Bfloat16, |n| bf16::from_f32(f32::from(n) / 4.0 - 1.0));
    reductions(DataType::Float32, |n| f32::from(n) / 4.0 - 1.0);
    reductions(DataType::Float64, |n| f64::from(n) / 4.0 - 1.0);
}

/// Results and errors are those of known types, whatever the policy.
#[test]
fn policies_and_errors_are_the_same() {
    fn check<'a, I: strew::Index + Debug>(indices: &'a [I])
    where
        AnyIndices<'a>: From<&'a [I]>,
    {
        let table: [u32; 4] = [10, 20, 30, 40];
        let entries = Layout::contiguous([indices.len()]);
        let gather = Gather::axis_packed(&Layout::contiguous([4]), &entries, 0).unwrap().0;
        for bounds in [Bounds::Error, Bounds::Clamp, Bounds::Wrap, Bounds::Skip] {
            for negative in [Negative::FromEnd, Negative::OutOfBounds] {
                let gather = gather.bounds(bounds).negative(negative);
                let (mut expected, mut found) = (vec![1; indices.len()], vec![1; indices.len()]);
                let result = gather.run(&table, indices, &mut expected);
                let to = cast_slice_mut(&mut found);
                assert_eq!(gather.run_bytes(4, cast_slice(&table), indices, to), result);
                assert_eq!(found, expected, "{bounds:?} {negative:?} {indices:?}");

                let Ok(scatter) = gather.adjoint() else { continue };
                let updates: Vec<u32> = (0..indices.len() as u32).collect();
                let (mut expected, mut found) = (table, table);
                let result = scatter.reduce(Operation::Add, &mut expected, indices, &updates);
                let (to, from) = (cast_slice_mut(&mut found), cast_slice(&updates));
                let operation = Operation::Add;
                let reduced = scatter.reduce_bytes(operation, DataType::Int32, to, indices, from);
                assert_eq!(reduced, result);
                assert_eq!(found, expected, "{bounds:?} {negative:?} {indices:?}");
            }
        }
    }
    for repeat in [1, 100] {
        check(&[3, 0, 4, 255_u8].repeat(repeat));
        check(&[3, 0, 4, u16::MAX].repeat(repeat));
        check(&[3, 0, 4, u32::MAX].repeat(repeat));
        check(&[3, 0, 1 << 63, u64::MAX].repeat(repeat));
        check(&[3, 0, -4, -5, i8::MIN].repeat(repeat));
        check(&[3, 0, -4, -5, i16::MIN].repeat(repeat));
        check(&[3, 0, -4, 4, i32::MIN].repeat(repeat));
        check(&[3, 0, -4, i64::MAX, i64::MIN].repeat(repeat));
        check(&[3, 0, -4, -1_i64].repeat(repeat));
    }
}

#[test]
fn lengths_widths_and_addresses() {
    let (four, three) = (Layout::contiguous([4]), Layout::contiguous([3]));
    let gather = Gather::axis(&four, &three, &three, 0).unwrap();
    let scatter = Scatter::axis(&four, &three, &three, 0).unwrap();
    let indices = &[3_i16, -1, 0];
    let short = |operand, expected, found| Err(Error::SliceTooShort { operand, expected, found });
    // 15 bytes are three elements of four.
    let (mut sixteen, mut twelve) = ([7; 16], [8; 12]);
    let run = |input: &[u8], output: &mut [u8]| gather.run_bytes(4, input, indices, output);
    assert_eq!(run(&sixteen[..15], &mut twelve), short(Operand::Input, 4, 3));
    assert_eq!(run(&sixteen, &mut twelve[..11]), short(Operand::Output, 3, 2));
    let few = gather.run_bytes(4, &sixteen, &indices[..2], &mut twelve);
    assert_eq!(few, short(Operand::Indices, 3, 2));
    let run = |data: &mut [u8], updates: &[u8]| scatter.run_bytes(4, data, indices, updates);
    assert_eq!(run(&mut sixteen[..15], &twelve), short(Operand::Data, 4, 3));
    assert_eq!(run(&mut sixteen, &twelve[..11]), short(Operand::Updates, 3, 2));
    for found in [0, 3, 5, 32, usize::MAX] {
        let error = Err(Error::WidthNotSupported { found });
        assert_eq!(gather.run_bytes(found, &sixteen, indices, &mut twelve), error);
        assert_eq!(scatter.run_bytes(found, &mut sixteen, indices, &twelve), error);
    }
    assert_eq!((sixteen, twelve), ([7; 16], [8; 12]));

    for data_type in DATA_TYPES {
        let width = data_type.width();
        let aligned = |length, start| Memory::new(&vec![1; length * width], start);
        let reduce = |operation, data: &mut Memory, updates: &mut Memory| {
            scatter.reduce_bytes(operation, data_type, data.bytes(), indices, updates.bytes())
        };
        for operation in OPERATIONS {
            let call =
                |data, updates| reduce(operation, &mut aligned(4, data), &mut aligned(3, updates));
            assert_eq!(call(0, 0), Ok(()));
            let misaligned = |operand| match operation {
                Operation::Assign => Ok(()),
                _ if width == 1 => Ok(()),
                _ => Err(Error::Misaligned { operand, expected: alignment(data_type), found: 1 }),
            };
            assert_eq!(call(1, 0), misaligned(Operand::Data), "{data_type:?}");
            assert_eq!(call(0, 1), misaligned(Operand::Updates), "{data_type:?}");
            let mut too_short = reduce(operation, &mut aligned(3, 0), &mut aligned(3, 0));
            assert_eq!(too_short, short(Operand::Data, 4, 3));
            too_short = reduce(operation, &mut aligned(4, 0), &mut aligned(2, 0));
            assert_eq!(too_short, short(Operand::Updates, 3, 2));
        }
        // No elements lie anywhere.
        let none = Layout::contiguous([0]);
        let scatter = Scatter::axis(&none, &none, &none, 0).unwrap();
        let (mut data, mut updates) = (aligned(0, 1), aligned(0, 1));
        let none = scatter.reduce_bytes(
            Operation::Add,
            data_type,
            data.bytes(),
            AnyIndices::from_bytes(DataType::Int64, updates.bytes()).unwrap(),
            &[],
        );
        assert_eq!(none, Ok(()));
    }
}

/// Where `usize` has 32 bits, types of 8 bytes may lie at multiples of 4.
fn alignment(data_type: DataType) -> usize {
    data_type.width().min(align_of::<u64>())
}

#[test]
fn indices_from_bytes() {
    for data_type in DATA_TYPES {
        let mut memory = Memory::new(&[1; 17], 0);
        match AnyIndices::from_bytes(data_type, memory.bytes()) {
            Ok(indices) => assert_eq!(indices.data_type(), data_type),
            error => {
                assert_eq!(error.unwrap_err(), Error::IndexTypeNotSupported { found: data_type },)
            }
        }
        let mut memory = Memory::new(&[1; 16], 3);
        let (operand, expected) = (Operand::Indices, alignment(data_type));
        let found = AnyIndices::from_bytes(data_type, memory.bytes()).map(|_| ());
        match data_type {
            DataType::Uint8 | DataType::Int8 => assert_eq!(found, Ok(())),
            DataType::Float16 | DataType::Bfloat16 | DataType::Float32 | DataType::Float64 => {}
            _ => {
                let found_at = 3 % expected;
                let error = Error::Misaligned { operand, expected, found: found_at };
                assert_eq!(found, Err(error));
            }
        }
    }
}
