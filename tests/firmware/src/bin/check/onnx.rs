//! ONNX's node cases, which the build script has made a table.

use defmt::{assert, assert_eq, info, unwrap};
use strew::{Add, Assign, Bounds, Element, Gather, Layout, Max, Min, Mul, Reduction, Scatter};

#[allow(clippy::excessive_precision)] // Floats as ONNX gives them.
mod table {
    use super::{Bounds, Case, Operator, Reduce, Tensor};

    include!(concat!(env!("OUT_DIR"), "/onnx.rs"));
}

struct Tensor<T: 'static> {
    sizes: &'static [usize],
    data: &'static [T],
}

struct Case<T: 'static> {
    name: &'static str,
    operator: Operator,
    /// The axis, or the number of batch dimensions.
    last: usize,
    reduction: Reduce,
    bounds: Bounds,
    data: Tensor<T>,
    indices: Tensor<i64>,
    /// Empty for a gather.
    updates: Tensor<T>,
    expected: Tensor<T>,
}

enum Operator {
    Gather,
    GatherElements,
    GatherNd,
    ScatterElements,
    ScatterNd,
}

enum Reduce {
    Assign,
    Add,
    Mul,
    Min,
    Max,
}

/// More elements than any case has.
const ROOM: usize = 128;

pub fn check() {
    for case in table::F32 {
        run(case);
    }
    for case in table::I32 {
        run(case);
    }
    assert_eq!(table::F32.len() + table::I32.len(), 29);
}

fn run<T: Element + PartialEq + Default>(case: &Case<T>)
where
    Add: Reduction<T>,
    Mul: Reduction<T>,
    Min: Reduction<T>,
    Max: Reduction<T>,
{
    let layout = |sizes| unwrap!(Layout::from_sizes(sizes));
    let (data, indices) = (layout(case.data.sizes), layout(case.indices.sizes));
    let (updates, expected) = (layout(case.updates.sizes), layout(case.expected.sizes));
    let mut output = [T::default(); ROOM];
    let result = match case.operator {
        Operator::Gather => {
            gather(case, Gather::axis(&data, &indices, &expected, case.last), &mut output)
        }
        Operator::GatherElements => {
            gather(case, Gather::elements(&data, &indices, &expected, case.last), &mut output)
        }
        Operator::GatherNd => {
            gather(case, Gather::nd(&data, &indices, &expected, case.last), &mut output)
        }
        Operator::ScatterElements => {
            scatter(case, Scatter::elements(&data, &indices, &updates, case.last), &mut output)
        }
        Operator::ScatterNd => {
            scatter(case, Scatter::nd(&data, &indices, &updates, case.last), &mut output)
        }
    };
    assert_eq!(result, Ok(()), "{=str}", case.name);
    assert!(output.starts_with(case.expected.data), "{=str}", case.name);
    info!("onnx {=str}", case.name);
}

fn gather<T: Element>(
    case: &Case<T>,
    plan: Result<Gather, strew::Error>,
    output: &mut [T],
) -> Result<(), strew::Error> {
    plan?.bounds(case.bounds).run(case.data.data, case.indices.data, output)
}

fn scatter<T: Element>(
    case: &Case<T>,
    plan: Result<Scatter, strew::Error>,
    output: &mut [T],
) -> Result<(), strew::Error>
where
    Add: Reduction<T>,
    Mul: Reduction<T>,
    Min: Reduction<T>,
    Max: Reduction<T>,
{
    let plan = plan?.bounds(case.bounds);
    let (data, indices, updates) = (case.data.data, case.indices.data, case.updates.data);
    match case.reduction {
        Reduce::Assign => plan.reduce_into(Assign, data, indices, updates, output),
        Reduce::Add => plan.reduce_into(Add, data, indices, updates, output),
        Reduce::Mul => plan.reduce_into(Mul, data, indices, updates, output),
        Reduce::Min => plan.reduce_into(Min, data, indices, updates, output),
        Reduce::Max => plan.reduce_into(Max, data, indices, updates, output),
    }
}
