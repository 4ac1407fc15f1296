//! The node test cases of ONNX, see `data/README.md`.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

use serde_json::Value;
use strew::{
    Add, Assign, Bounds, Element, Error, Gather, Layout, Max, Min, Mul, Reduction, Scatter, shape,
};

const CASES: &str = include_str!("data/onnx-node-cases.json");

struct Tensor<T> {
    sizes: Vec<usize>,
    data: Vec<T>,
}

impl<T> Tensor<T> {
    fn layout(&self) -> Layout {
        Layout::from_sizes(&self.sizes).unwrap()
    }
}

/// An element as JSON has it. Every `float32` in the file is exact as a double.
trait Number: Element + PartialEq + std::fmt::Debug {
    fn read(value: &Value) -> Self;
}

impl Number for f32 {
    fn read(value: &Value) -> Self {
        value.as_f64().unwrap() as f32
    }
}

impl Number for i32 {
    fn read(value: &Value) -> Self {
        value.as_i64().unwrap().try_into().unwrap()
    }
}

impl Number for i64 {
    fn read(value: &Value) -> Self {
        value.as_i64().unwrap()
    }
}

fn tensor<T: Number>(value: &Value) -> Tensor<T> {
    let sizes = value["sizes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|size| size.as_u64().unwrap() as usize)
        .collect();
    Tensor { sizes, data: value["data"].as_array().unwrap().iter().map(T::read).collect() }
}

#[test]
fn every_case() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    assert_eq!(cases.len(), 29);
    for case in &cases {
        match case["inputs"]["data"]["dtype"].as_str() {
            Some("float32") => run::<f32>(case),
            Some("int32") => run::<i32>(case),
            None => tensor_scatter(case),
            other => panic!("{other:?}"),
        }
    }
}

fn run<T: Number>(case: &Value)
where
    Add: Reduction<T>,
    Mul: Reduction<T>,
    Min: Reduction<T>,
    Max: Reduction<T>,
{
    let name = &case["name"];
    let (inputs, attributes) = (&case["inputs"], &case["attributes"]);
    let (data, indices) = (tensor::<T>(&inputs["data"]), tensor::<i64>(&inputs["indices"]));
    let expected = tensor::<T>(case["outputs"].as_object().unwrap().values().next().unwrap());
    let axis = attributes.get("axis").map_or(0, |axis| axis.as_u64().unwrap() as usize);
    let batch_dims = attributes.get("batch_dims").map_or(0, |dims| dims.as_u64().unwrap() as usize);

    let operator = case["op"].as_str().unwrap();
    let (table, entries, result) = (data.layout(), indices.layout(), expected.layout());
    let gather = match operator {
        "Gather" => Some(Gather::axis(&table, &entries, &result, axis)),
        "GatherElements" => Some(Gather::elements(&table, &entries, &result, axis)),
        "GatherND" => Some(Gather::nd(&table, &entries, &result, batch_dims)),
        _ => None,
    };
    if let Some(gather) = gather {
        let mut output = expected.data.clone();
        output.fill(data.data[0]);
        gather.unwrap().run(&data.data, &indices.data, &mut output).unwrap();
        assert_eq!(output, expected.data, "{name}");
        return;
    }

    let updates = tensor::<T>(&inputs["updates"]);
    let scatter = match operator {
        "Scatter" | "ScatterElements" => {
            Scatter::elements(&table, &entries, &updates.layout(), axis)
        }
        "ScatterND" => Scatter::nd(&table, &entries, &updates.layout(), 0),
        other => panic!("{other}"),
    }
    .unwrap();
    let mut output = data.data.clone();
    match attributes.get("reduction").map(|reduction| reduction.as_str().unwrap()) {
        None => scatter.reduce(Assign, &mut output, &indices.data, &updates.data),
        Some("add") => scatter.reduce(Add, &mut output, &indices.data, &updates.data),
        Some("mul") => scatter.reduce(Mul, &mut output, &indices.data, &updates.data),
        Some("min") => scatter.reduce(Min, &mut output, &indices.data, &updates.data),
        Some("max") => scatter.reduce(Max, &mut output, &indices.data, &updates.data),
        other => panic!("{other:?}"),
    }
    .unwrap();
    assert_eq!(output, expected.data, "{name}");
}

/// `present[b, .., write_indices[b] + i, ..] = update[b, .., i, ..]` on the axis before the last,
/// modulo its size when circular: `nd` with one batch dimension and tuples of one position. What
/// lies between batch and axis (the heads of a cache) is of size 1 in these cases, and left out.
fn tensor_scatter(case: &Value) {
    let name = &case["name"];
    let inputs = &case["inputs"];
    let past = tensor::<f32>(&inputs["past_cache"]);
    let update = tensor::<f32>(&inputs["update"]);
    let starts = tensor::<i64>(&inputs["write_indices"]);
    let expected = tensor::<f32>(&case["outputs"]["present_cache"]);

    let rank = past.sizes.len();
    let (batch, positions, row) = (past.sizes[0], past.sizes[rank - 2], past.sizes[rank - 1]);
    let written = update.sizes[rank - 2];
    assert_eq!(past.data.len(), batch * positions * row, "{name}: nothing between batch and axis");
    let slots: Vec<i64> =
        starts.data.iter().flat_map(|start| (0..written as i64).map(move |i| start + i)).collect();

    let circular = case["attributes"].get("mode").is_some_and(|mode| mode == "circular");
    let (cache, slots_layout) =
        (Layout::contiguous([batch, positions, row]), Layout::contiguous([batch, written, 1]));
    let sizes = shape::nd(cache.sizes(), slots_layout.sizes(), 1).unwrap();
    let scatter =
        Scatter::nd(&cache, &slots_layout, &Layout::from_sizes(&sizes).unwrap(), 1).unwrap();
    let scatter = scatter.bounds(if circular { Bounds::Wrap } else { Bounds::Error });

    let mut present = vec![f32::NAN; past.data.len()];
    scatter.run_into(&past.data, &slots, &update.data, &mut present).unwrap();
    assert_eq!(present, expected.data, "{name}");

    if name == "test_tensorscatter_circular" {
        let linear =
            scatter.bounds(Bounds::Error).run_into(&past.data, &slots, &update.data, &mut present);
        assert_eq!(
            linear,
            Err(Error::IndexOutOfBounds { entry: 3, coordinate: 0, value: 4, size: 4 }),
            "only its mode makes it legal"
        );
    }
}
