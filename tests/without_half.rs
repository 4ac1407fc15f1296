//! A build without the feature `half` moves `f16` and `bf16`, and says that it reduces neither.
#![cfg(not(feature = "half"))]
#![allow(clippy::unwrap_used, missing_docs)]

use strew::{DataType, Error, Gather, Layout, Operation, Scatter};

#[test]
fn halves_move_and_are_not_reduced() {
    let (table, ids) = (Layout::contiguous([2]), Layout::contiguous([3]));
    let (scatter, _) = Scatter::axis_packed(&table, &ids, 0).unwrap();
    let (gather, _) = Gather::axis_packed(&table, &ids, 0).unwrap();
    let bytes = |values: &[u16]| bytemuck::cast_slice::<_, u8>(values).to_vec();
    let updates = [1_u16, 2, 3];
    for data_type in [DataType::Float16, DataType::Bfloat16] {
        let reduce = |operation, data: &mut [u16; 2]| {
            let data = bytemuck::cast_slice_mut(data);
            scatter.reduce_bytes(operation, data_type, data, &[1, 0, 1], &bytes(&updates))
        };
        let mut data = [8, 9];
        for operation in
            [Operation::Add, Operation::Sub, Operation::Mul, Operation::Min, Operation::Max]
        {
            let error = Error::DataTypeNotSupported { found: data_type };
            assert_eq!(reduce(operation, &mut data), Err(error));
            assert_eq!(data, [8, 9]);
        }
        assert_eq!(reduce(Operation::Assign, &mut data), Ok(()));
        assert_eq!(data, [2, 3]);
        let mut output = bytes(&[0; 3]);
        gather.run_bytes(data_type.width(), &bytes(&data), &[1, 0, 1], &mut output).unwrap();
        assert_eq!(output, bytes(&[3, 2, 3]));
    }
}

/// Other types do not need it.
#[test]
fn floats_are_reduced() {
    let (table, ids) = (Layout::contiguous([2]), Layout::contiguous([3]));
    let (scatter, _) = Scatter::axis_packed(&table, &ids, 0).unwrap();
    let (mut sums, updates) = ([1.0_f32, 2.0], [0.5_f32; 3]);
    let (data, updates) = (bytemuck::cast_slice_mut(&mut sums), bytemuck::cast_slice(&updates));
    scatter.reduce_bytes(Operation::Add, DataType::Float32, data, &[1, 0, 1], updates).unwrap();
    assert_eq!(sums, [1.5, 3.0]);
}
