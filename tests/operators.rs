//! What NumPy and ONNX say of the operators that they have: see `data/README.md`.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

use serde_json::Value;
use strew::{Gather, Layout, Scatter, shape};

/// A group of cases.
fn cases(group: &str, count: usize) -> Vec<Value> {
    let groups: Value = serde_json::from_str(include_str!("data/operators.json")).unwrap();
    let cases = groups[group].as_array().unwrap().clone();
    assert_eq!(cases.len(), count, "{group}");
    cases
}

fn sizes(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|size| size.as_u64().unwrap() as usize).collect()
}

/// Numbers of which every one is an integer.
fn integers(value: &Value) -> Vec<i64> {
    let integer = |value: &Value| value.as_i64().unwrap_or_else(|| value.as_f64().unwrap() as i64);
    value.as_array().unwrap().iter().map(integer).collect()
}

fn tensor(value: &Value) -> (Layout, Vec<i64>) {
    (Layout::from_sizes(&sizes(&value["sizes"])).unwrap(), integers(&value["data"]))
}

#[test]
fn axes() {
    for case in &cases("axes", 40) {
        let axes = sizes(&case["axes"]);
        let [table, indices, output] = ["table", "indices", "output"].map(|name| &case[name]);
        let ((table, input), (indices, ids), (rows, expected)) =
            (tensor(table), tensor(indices), tensor(output));
        assert_eq!(shape::axes(table.sizes(), indices.sizes(), &axes).unwrap(), rows.sizes());
        let gather = Gather::axes(&table, &indices, &rows, &axes).unwrap();
        let mut output = vec![-1; expected.len()];
        gather.run(&input, &ids, &mut output).unwrap();
        assert_eq!(output, expected, "{case}");
        // What has been gathered, scattered back to where it came from, changes nothing.
        let scatter = Scatter::axes(&table, &indices, &rows, &axes).unwrap();
        let mut data = input.clone();
        scatter.run(&mut data, &ids, &output).unwrap();
        assert_eq!(data, input, "{case}");
    }
}
