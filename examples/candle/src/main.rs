//! Gather and scatter for candle: custom operators over strew, and what candle itself refuses or
//! gets wrong.
//!
//! [`Select`] is a `CustomOp2`, with its gradient, and [`Reduce`] an `InplaceOp3`. Both take
//! tensors of any strides, and learn at run time what types these have.

use std::time::Instant;

use bytemuck::{cast_slice, cast_slice_mut};
use candle_core::{CpuStorage, CustomOp2, Device, InplaceOp3, Layout, Result, Shape, Tensor, bail};
use strew::{AnyIndices, DataType, Gather, Operation, Scatter};

/// Which entries of the indices stand for what.
#[derive(Clone, Copy)]
enum Along {
    /// A list of rows: candle's `index_select` and `index_add`.
    Axis(usize),
    /// An index for each element: candle's `gather` and `scatter`.
    Elements(usize),
}
use Along::{Axis, Elements};

/// `table[.. indices ..]`
struct Select(Along);

/// `data[.. indices ..] = operation(data[.. indices ..], updates)`, in place.
struct Reduce(Along, Operation);

fn layout(of: &Layout) -> Result<strew::Layout> {
    let dims = of.dims().iter().copied().zip(of.stride().iter().copied());
    strew::Layout::from_dims(dims, of.start_offset()).map_err(candle_core::Error::wrap)
}

/// `bytes!(storage, cast)`: the type of its elements, and the bytes.
macro_rules! bytes {
    ($storage:expr, $cast:ident) => {
        match $storage {
            CpuStorage::U8(data) => (DataType::Uint8, $cast(data)),
            CpuStorage::U32(data) => (DataType::Uint32, $cast(data)),
            CpuStorage::I16(data) => (DataType::Int16, $cast(data)),
            CpuStorage::I32(data) => (DataType::Int32, $cast(data)),
            CpuStorage::I64(data) => (DataType::Int64, $cast(data)),
            CpuStorage::BF16(data) => (DataType::Bfloat16, $cast(data)),
            CpuStorage::F16(data) => (DataType::Float16, $cast(data)),
            CpuStorage::F32(data) => (DataType::Float32, $cast(data)),
            CpuStorage::F64(data) => (DataType::Float64, $cast(data)),
            _ => bail!("not a number that strew knows"),
        }
    };
}

fn indices(storage: &CpuStorage) -> Result<AnyIndices<'_>> {
    let (data_type, bytes) = bytes!(storage, cast_slice);
    AnyIndices::from_bytes(data_type, bytes).map_err(candle_core::Error::wrap)
}

impl CustomOp2 for Select {
    fn name(&self) -> &'static str {
        "select"
    }

    fn cpu_fwd(
        &self,
        table: &CpuStorage,
        table_layout: &Layout,
        ids: &CpuStorage,
        ids_layout: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        let (from, by) = (layout(table_layout)?, layout(ids_layout)?);
        let made = match self.0 {
            Axis(axis) => Gather::axis_packed(&from, &by, axis),
            Elements(axis) => Gather::elements_packed(&from, &by, axis),
        };
        let (gather, output) = made.map_err(candle_core::Error::wrap)?;
        let (ids, (data_type, bytes)) = (indices(ids)?, bytes!(table, cast_slice));
        macro_rules! gathered {
            ($($storage:ident)*) => {
                match table {
                    $(CpuStorage::$storage(_) => {
                        let mut to = vec![Default::default(); gather.output_len()];
                        gather
                            .run_bytes(data_type.width(), bytes, ids, cast_slice_mut(&mut to))
                            .map_err(candle_core::Error::wrap)?;
                        CpuStorage::$storage(to)
                    })*
                    _ => bail!("not a number that strew knows"),
                }
            };
        }
        Ok((gathered!(U8 U32 I16 I32 I64 BF16 F16 F32 F64), Shape::from(output.sizes())))
    }

    /// The gradient of a table: those of its rows, added up.
    fn bwd(
        &self,
        table: &Tensor,
        ids: &Tensor,
        _: &Tensor,
        gradient: &Tensor,
    ) -> Result<(Option<Tensor>, Option<Tensor>)> {
        let sums = table.zeros_like()?;
        sums.inplace_op3(ids, gradient, &Reduce(self.0, Operation::Add))?;
        Ok((Some(sums), None))
    }
}

impl InplaceOp3 for Reduce {
    fn name(&self) -> &'static str {
        "reduce"
    }

    fn cpu_fwd(
        &self,
        data: &mut CpuStorage,
        data_layout: &Layout,
        ids: &CpuStorage,
        ids_layout: &Layout,
        updates: &CpuStorage,
        updates_layout: &Layout,
    ) -> Result<()> {
        let (to, by, from) = (layout(data_layout)?, layout(ids_layout)?, layout(updates_layout)?);
        let scatter = match self.0 {
            Axis(axis) => Scatter::axis(&to, &by, &from, axis),
            Elements(axis) => Scatter::elements(&to, &by, &from, axis),
        };
        let ids = indices(ids)?;
        let (data_type, data) = bytes!(data, cast_slice_mut);
        let (updates_type, updates) = bytes!(updates, cast_slice);
        if updates_type != data_type {
            bail!("data of {data_type:?} and updates of {updates_type:?}");
        }
        scatter
            .and_then(|scatter| scatter.reduce_bytes(self.1, data_type, data, ids, updates))
            .map_err(candle_core::Error::wrap)
    }
}

/// One line: what candle makes of a job, and what strew does, which must be `right`.
fn compare(job: &str, right: &str, candle: Result<Tensor>, strew: Result<Tensor>) {
    let shown = |result: Result<Tensor>| match result {
        Ok(tensor) => match tensor.flatten_all().and_then(|all| all.to_vec1::<f32>()) {
            Ok(values) => format!("{values:?}"),
            Err(error) => error.to_string(),
        },
        Err(error) => error.to_string().lines().next().unwrap_or_default().to_string(),
    };
    let (candle, strew) = (shown(candle), shown(strew));
    println!("{job}\n  candle: {candle}\n  strew:  {strew}");
    assert!(strew.starts_with(right), "{job}: {right}");
}

fn cases(cpu: &Device) -> Result<()> {
    let matrix = Tensor::new(&[[1_f32, 2., 3.], [4., 5., 6.]], cpu)?;
    let ids = Tensor::new(&[1_i64, 0, 1], cpu)?;
    let add = |data: &Tensor, ids: &Tensor, updates: &Tensor, along, operation| {
        let data = data.copy()?;
        data.inplace_op3(ids, updates, &Reduce(along, operation)).map(|()| data)
    };

    let (zeros, turned) = (Tensor::zeros((2, 2), candle_core::DType::F32, cpu)?, matrix.t()?);
    compare(
        "index_add of a transposed matrix",
        "[2.0, 5.0, 4.0, 10.0]",
        zeros.index_add(&ids, &turned, 0),
        add(&zeros, &ids, &turned, Axis(0), Operation::Add),
    );
    compare(
        "index_select from a transposed matrix",
        "[2.0, 5.0, 1.0, 4.0, 2.0, 5.0]",
        turned.index_select(&ids, 0),
        turned.apply_op2(&ids, Select(Axis(0))),
    );
    let flat = Tensor::new(&[5_f32, 5.], cpu)?;
    compare(
        "the largest update of each place (candle has sums alone)",
        "[5.0, 7.0]",
        flat.scatter_add(&ids, &Tensor::new(&[1_f32, 3., 7.], cpu)?, 0),
        add(&flat, &ids, &Tensor::new(&[1_f32, 3., 7.], cpu)?, Elements(0), Operation::Max),
    );
    compare(
        "index -1",
        "[3.0, 6.0]",
        matrix.index_select(&Tensor::new(&[-1_i64], cpu)?, 1),
        matrix.apply_op2(&Tensor::new(&[-1_i64], cpu)?, Select(Axis(1))),
    );
    let rows = Tensor::arange(0_f32, 256., cpu)?;
    compare(
        "byte 255 into 256 places",
        "[254.0, 255.0]",
        rows.index_select(&Tensor::new(&[254_u8, 255], cpu)?, 0),
        rows.apply_op2(&Tensor::new(&[254_u8, 255], cpu)?, Select(Axis(0))),
    );
    compare(
        "an index far out of bounds",
        "index out of bounds: entry 0, coordinate 0 is 9223372036854775807",
        flat.index_select(&Tensor::new(&[i64::MAX], cpu)?, 0),
        flat.apply_op2(&Tensor::new(&[i64::MAX], cpu)?, Select(Axis(0))),
    );
    // The indices have fewer rows than the table, as ONNX and PyTorch allow.
    let cube = Tensor::arange(0_f32, 12., cpu)?.reshape((2, 2, 3))?;
    let corner = Tensor::new(&[[[1_u32, 0]], [[1, 1]]], cpu)?;
    compare(
        "gather of [2, 1, 2] out of [2, 2, 3] along the last axis",
        "[1.0, 0.0, 7.0, 7.0]",
        cube.gather(&corner, 2),
        cube.apply_op2(&corner, Select(Elements(2))),
    );
    let bad = Tensor::new(&[0_u32, 7], cpu)?;
    let [by_candle, by_strew] = [flat.copy()?, flat.copy()?];
    let updates = Tensor::new(&[1_f32, 2.], cpu)?;
    let refused = by_candle.scatter_add_set(&bad, &updates, 0).is_err()
        & by_strew.inplace_op3(&bad, &updates, &Reduce(Elements(0), Operation::Add)).is_err();
    assert!(refused);
    compare("the data, after an index was refused", "[5.0, 5.0]", Ok(by_candle), Ok(by_strew));

    let table = candle_core::Var::from_tensor(&turned)?;
    let loss = table.apply_op2(&ids, Select(Axis(0)))?.sqr()?.sum_all()?;
    let gradients = loss.backward()?;
    let gradient = gradients.get(&table).expect("of the only variable").clone();
    println!("the gradient of a table: {}", gradient);
    assert_eq!(gradient.to_vec2::<f32>()?, [[2., 8.], [8., 20.], [0., 0.]]);
    Ok(())
}

/// Rows of a transposed table, added up by their indices.
fn time(cpu: &Device) -> Result<()> {
    let updates = Tensor::rand(0_f32, 1., (64, 20_000), cpu)?.t()?;
    let ids: Vec<u32> = (0..20_000).map(|n| n * 7919 % 1000).collect();
    let (ids, data) = (Tensor::new(ids, cpu)?, Tensor::rand(0_f32, 1., (1000, 64), cpu)?);
    let mut milliseconds = [f64::MAX; 2];
    for _ in 0..5 {
        let start = Instant::now();
        let candle = data.index_add(&ids, &updates.contiguous()?, 0)?;
        milliseconds[0] = milliseconds[0].min(start.elapsed().as_secs_f64() * 1e3);
        let start = Instant::now();
        let strew = data.copy()?;
        strew.inplace_op3(&ids, &updates, &Reduce(Axis(0), Operation::Add))?;
        milliseconds[1] = milliseconds[1].min(start.elapsed().as_secs_f64() * 1e3);
        assert_eq!(candle.to_vec2::<f32>()?, strew.to_vec2::<f32>()?);
    }
    let [candle, strew] = milliseconds;
    println!("20,000 transposed rows of 64 added: candle {candle:.1} ms, strew {strew:.1} ms");
    Ok(())
}

fn main() -> Result<()> {
    cases(&Device::Cpu)?;
    time(&Device::Cpu)
}
