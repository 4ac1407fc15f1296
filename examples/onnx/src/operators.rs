//! The operators, over strew.

use bytemuck::checked;
use strew::mask::{self, Mask};
use strew::{AnyIndices, Bounds, DataType, Gather, Layout, Operation, Scatter, Sequence};

use crate::{Result, Tensor, Type, Value};

/// The type of numbers that reductions and indices have; that of bools means nothing to them.
fn data_type(of: Type) -> DataType {
    use DataType::{Float32, Float64, Int32, Int64, Uint8};
    [Uint8, Uint8, Int32, Float32, Int64, Float64][of as usize]
}

fn indices(tensor: &Tensor) -> Result<AnyIndices<'_>> {
    Ok(AnyIndices::from_bytes(data_type(tensor.of), tensor.bytes())?)
}

fn layout(tensor: &Tensor) -> std::result::Result<Layout, strew::Error> {
    Layout::from_sizes(&tensor.sizes)
}

/// The output of a node.
pub fn run(operator: &str, attributes: &Value, inputs: &[Tensor]) -> Result<Tensor> {
    let [first, ..] = inputs else { return Err("no inputs".into()) };
    let (table, number) = (layout(first)?, |name: &str| attributes[name].as_i64());
    let axis = |default| table.axis(number("axis").unwrap_or(default) as isize);
    match (operator, inputs) {
        ("Gather", [_, by]) => {
            gather(first, by, Gather::axis_packed(&table, &layout(by)?, axis(0)?)?)
        }
        ("GatherElements", [_, by]) => {
            gather(first, by, Gather::elements_packed(&table, &layout(by)?, axis(0)?)?)
        }
        ("GatherND", [_, by]) => {
            let batch_dims = number("batch_dims").unwrap_or(0).try_into()?;
            gather(first, by, Gather::nd_packed(&table, &layout(by)?, batch_dims)?)
        }
        ("Scatter" | "ScatterElements", [_, by, updates]) => {
            let plan = Scatter::elements(&table, &layout(by)?, &layout(updates)?, axis(0)?)?;
            scatter([first, by, updates], plan, &attributes["reduction"])
        }
        ("ScatterND", [_, by, updates]) => {
            let plan = Scatter::nd(&table, &layout(by)?, &layout(updates)?, 0)?;
            scatter([first, by, updates], plan, &attributes["reduction"])
        }
        ("TensorScatter", [_, update, by]) => {
            let (circular, flat) = (attributes["mode"] == "circular", layout(update)?);
            let mode = if circular { Sequence::Circular } else { Sequence::Linear };
            let plan = Scatter::sequence(&table, &layout(by)?, &flat, axis(-2)?, mode)?;
            scatter([first, by, update], plan, &Value::Null)
        }
        ("Compress", [_, condition]) => compress(first, condition, number("axis")),
        ("NonZero", [_]) => nonzero(first),
        ("OneHot", [_, depth, values]) => one_hot(first, depth, values, number("axis")),
        _ => Err(format!("{operator} of {} inputs", inputs.len()).into()),
    }
}

fn gather(data: &Tensor, by: &Tensor, (plan, output): (Gather, Layout)) -> Result<Tensor> {
    let mut result = Tensor::zeros(data.of, output.sizes());
    plan.run_bytes(data.of.width(), data.bytes(), indices(by)?, result.bytes_mut())?;
    Ok(result)
}

fn scatter([data, by, updates]: [&Tensor; 3], plan: Scatter, reduction: &Value) -> Result<Tensor> {
    let operation = match reduction.as_str() {
        None | Some("none") => Operation::Assign,
        Some("add") => Operation::Add,
        Some("mul") => Operation::Mul,
        Some("min") => Operation::Min,
        Some("max") => Operation::Max,
        Some(other) => return Err(format!("no reduction: {other}").into()),
    };
    let (mut result, of) = (data.clone(), data_type(data.of));
    plan.reduce_bytes(operation, of, result.bytes_mut(), indices(by)?, updates.bytes())?;
    Ok(result)
}

fn compress(input: &Tensor, condition: &Tensor, axis: Option<i64>) -> Result<Tensor> {
    let (table, along) = (layout(input)?, layout(condition)?);
    let axis = axis.map(|axis| table.axis(axis as isize)).transpose()?;
    let condition = checked::cast_slice(condition.bytes());
    let count = condition.iter().filter(|chosen| **chosen).count();
    let mut sizes = if axis.is_some() { input.sizes.clone() } else { vec![0] };
    sizes[axis.unwrap_or(0)] = count;
    let mut result = Tensor::zeros(input.of, &sizes);
    let mask = Mask::bools(condition, &along);
    let (from, to) = (input.bytes(), result.bytes_mut());
    // Elements are arrays of bytes.
    match input.of.width() {
        1 => mask::compress(mask, from, &table, axis, to),
        4 => mask::compress(mask, from.as_chunks::<4>().0, &table, axis, to.as_chunks_mut().0),
        _ => mask::compress(mask, from.as_chunks::<8>().0, &table, axis, to.as_chunks_mut().0),
    }?;
    Ok(result)
}

fn nonzero(condition: &Tensor) -> Result<Tensor> {
    let mask = checked::cast_slice(condition.bytes());
    let (count, rank) = (mask.iter().filter(|set| **set).count(), condition.sizes.len());
    let mut positions = vec![0_u64; count * rank];
    mask::nonzero(Mask::bools(mask, &layout(condition)?), &mut positions)?;
    // ONNX has a row for each dimension, strew one for each place.
    let words = (0..count * rank).map(|n| positions[n % count * rank + n / count]).collect();
    Ok(Tensor { of: Type::Int64, sizes: vec![rank, count], words })
}

/// The first value everywhere, but the second one where indices lead to.
fn one_hot(by: &Tensor, depth: &Tensor, values: &Tensor, axis: Option<i64>) -> Result<Tensor> {
    let (off, on) = values.bytes().split_at(values.of.width());
    let mut sizes = [&by.sizes[..], &[1]].concat();
    let axis = Layout::from_sizes(&sizes)?.axis(axis.unwrap_or(-1) as isize)?;
    sizes[axis..].rotate_right(1);
    // One update for all indices; none for those that are out of bounds.
    let updates = Layout::from_parts(&sizes, &vec![0; sizes.len()], 0)?;
    let entries = Layout::from_sizes(&sizes)?;
    sizes[axis] = i64::from_ne_bytes(depth.bytes().try_into()?).try_into()?;
    let mut result = Tensor::zeros(values.of, &sizes);
    result.bytes_mut().chunks_mut(off.len()).for_each(|to| to.copy_from_slice(off));
    let plan = Scatter::elements(&layout(&result)?, &entries, &updates, axis)?;
    plan.bounds(Bounds::Skip).run_bytes(off.len(), result.bytes_mut(), indices(by)?, on)?;
    Ok(result)
}
