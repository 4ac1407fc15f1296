//! Calls on bytes, by indices of a type that is known at run time, against the oracle.

use std::fmt::Debug;

use bytemuck::Pod;
use strew::{AnyIndices, DataType, Error, Index, Operation};

use super::case::{Case, IndexType, with_indices};
use super::oracle;
use super::values::samples;

#[inline]
pub fn check(case: &Case) {
    let wide = cfg!(target_pointer_width = "64");
    let data_type = match case.index {
        IndexType::U8 => DataType::Uint8,
        IndexType::U16 => DataType::Uint16,
        IndexType::U32 => DataType::Uint32,
        IndexType::Usize if !wide => DataType::Uint32,
        IndexType::U64 | IndexType::Usize => DataType::Uint64,
        IndexType::I8 => DataType::Int8,
        IndexType::I16 => DataType::Int16,
        IndexType::I32 => DataType::Int32,
        IndexType::Isize if !wide => DataType::Int32,
        IndexType::I64 | IndexType::Isize => DataType::Int64,
    };
    with_indices!(case, indices => check_by(case, data_type, indices));
}

fn check_by<I: Index>(case: &Case, data_type: DataType, indices: &[I]) {
    // Bytes that are left over at the end are left out.
    let left_over = size_of::<I>() - 1;
    let bytes = [bytemuck::cast_slice::<I, u8>(indices), &[7; 8][..left_over]].concat();
    let mut words = vec![0_u64; bytes.len().div_ceil(8) + 1];
    let words = bytemuck::cast_slice_mut::<u64, u8>(&mut words);
    let aligned = &mut words[..bytes.len()];
    aligned.copy_from_slice(&bytes);
    let by = AnyIndices::from_bytes(data_type, aligned).expect("words are aligned");
    assert_eq!(by.data_type(), data_type);
    match case.seed % 5 {
        0 => moves::<1>(case, by),
        1 => moves::<2>(case, by),
        2 => moves::<4>(case, by),
        3 => moves::<8>(case, by),
        _ => moves::<16>(case, by),
    }
    match case.seed / 5 % 4 {
        0 => reduce(case, by, DataType::Uint8, |n| n as u8),
        1 => reduce(case, by, DataType::Int16, |n| n as i16),
        2 => reduce(case, by, DataType::Uint32, |n| n as u32),
        _ => reduce(case, by, DataType::Int64, |n| n as i64),
    }
}

/// Elements at an address that suits no type, and one byte after the last.
fn moves<const WIDTH: usize>(case: &Case, by: AnyIndices<'_>) {
    let (moves, elements) = (oracle::moves(case), bytemuck::cast_slice::<u8, [u8; WIDTH]>);
    let result = oracle::first_out_of_bounds(&moves);
    let bytes = |len: usize, stream: u64| samples::<u8>(1 + len * WIDTH + 1, case.seed, stream);
    let (table, flat) = (bytes(case.table.len, 1), bytes(case.flat.len, 2));
    let inner = |bytes: &[u8]| elements(&bytes[1..bytes.len() - 1]).to_vec();
    let ends = |bytes: &[u8]| (bytes[0], bytes[bytes.len() - 1]);

    if let Some(gather) = case.any_gather() {
        let (before, mut expected) = (inner(&flat), inner(&flat));
        oracle::gather(&moves, &inner(&table), &mut expected);
        let mut output = flat.clone();
        assert_eq!(gather.run_bytes(WIDTH, &table[1..], by, &mut output[1..]), result, "{case:?}");
        assert_eq!(ends(&output), ends(&flat), "{case:?}");
        let old = if result.is_ok() { &expected } else { &before };
        let found = inner(&output);
        let mut places = found.iter().zip(&expected).zip(old);
        assert!(places.all(|((found, new), old)| found == new || found == old), "{case:?}");
        let error = Error::WidthNotSupported { found: WIDTH + 1 };
        let refused = gather.run_bytes(WIDTH + 1, &table, by, &mut output);
        assert!(WIDTH == 1 || refused == Err(error), "{case:?}");
    }
    if let Ok(scatter) = case.scatter() {
        let mut expected = inner(&table);
        oracle::scatter(&moves, &mut expected, &inner(&flat), true, |_, new| new);
        let mut data = table.clone();
        assert_eq!(scatter.run_bytes(WIDTH, &mut data[1..], by, &flat[1..]), result, "{case:?}");
        assert_eq!(ends(&data), ends(&table), "{case:?}");
        assert_eq!(inner(&data), expected, "{case:?}");
    }
}

/// Every operation on integers of a type, computed in wider ones: `number` takes the low bits.
fn reduce<T: Pod + PartialEq + Debug + Into<i128>>(
    case: &Case,
    by: AnyIndices<'_>,
    data_type: DataType,
    number: impl Fn(i128) -> T,
) {
    let Ok(scatter) = case.scatter() else { return };
    let moves = oracle::moves(case);
    let result = oracle::first_out_of_bounds(&moves);
    let numbers = |len: usize, stream: u64| -> Vec<T> {
        samples::<i64>(len, case.seed, stream).into_iter().map(|n| number(n.into())).collect()
    };
    let (before, updates) = (numbers(case.table.len, 3), numbers(case.flat.len, 4));
    let operations = [Operation::Assign, Operation::Add, Operation::Sub, Operation::Mul];
    for operation in operations.into_iter().chain([Operation::Min, Operation::Max]) {
        let (mut data, mut expected) = (before.clone(), before.clone());
        let change = |current: T, update: T| number(combine(operation, current, update));
        oracle::scatter(&moves, &mut expected, &updates, true, change);
        let (to, from) = (bytemuck::cast_slice_mut(&mut data), bytemuck::cast_slice(&updates));
        let found = scatter.reduce_bytes(operation, data_type, to, by, from);
        assert_eq!(found, result, "{operation:?}\n{case:?}");
        assert_eq!(data, expected, "{operation:?}\n{case:?}");
    }
}

fn combine(operation: Operation, current: impl Into<i128>, update: impl Into<i128>) -> i128 {
    let (current, update) = (current.into(), update.into());
    match operation {
        Operation::Assign => update,
        Operation::Add => current + update,
        Operation::Sub => current - update,
        Operation::Mul => current * update,
        Operation::Min => current.min(update),
        Operation::Max => current.max(update),
    }
}
