//! Gives the linker the memory of the machine, and the programs the ONNX cases as a table.

use std::{env, fmt::Write, fs, path::PathBuf};

use serde_json::Value;

const CASES: &str = "../data/onnx-node-cases.json";

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    let target = env::var("TARGET").unwrap();
    let logs = env::var_os("CARGO_FEATURE_LOG").is_some();

    fs::write(out.join("memory.x"), memory(&target, logs)).unwrap();
    println!("cargo:rustc-link-search={}", out.display());
    if target.starts_with("riscv32") {
        println!("cargo:rustc-link-arg=-Tmemory.x"); // Cortex-M's link.x includes it.
    }
    println!("cargo:rustc-link-arg=-Tlink.x");
    if logs {
        println!("cargo:rustc-link-arg=-Tdefmt.x");
    }

    let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(CASES).unwrap()).unwrap();
    fs::write(out.join("onnx.rs"), table(&cases)).unwrap();
    println!("cargo:rerun-if-changed={CASES}");
    println!("cargo:rerun-if-changed=build.rs");
}

fn memory(target: &str, logs: bool) -> &'static str {
    if target.starts_with("riscv32") {
        // QEMU's virt.
        "MEMORY { RAM : ORIGIN = 0x80000000, LENGTH = 4M }
         REGION_ALIAS(\"REGION_TEXT\", RAM); REGION_ALIAS(\"REGION_RODATA\", RAM);
         REGION_ALIAS(\"REGION_DATA\", RAM); REGION_ALIAS(\"REGION_BSS\", RAM);
         REGION_ALIAS(\"REGION_HEAP\", RAM); REGION_ALIAS(\"REGION_STACK\", RAM);"
    } else if target.starts_with("thumbv6m") && logs {
        // QEMU's microbit, with 16 times the flash that it has: the checks need more than 256 KiB.
        "MEMORY { FLASH : ORIGIN = 0x00000000, LENGTH = 4M
                  RAM : ORIGIN = 0x20000000, LENGTH = 16K }"
    } else {
        // mps2-an385 and mps2-an386.
        "MEMORY { FLASH : ORIGIN = 0x00000000, LENGTH = 4M
                  RAM : ORIGIN = 0x20000000, LENGTH = 4M }"
    }
}

/// The cases as two slices of `Case`, by the type of the elements.
fn table(cases: &[Value]) -> String {
    let (mut f32s, mut i32s) = (String::new(), String::new());
    for case in cases {
        let inputs = &case["inputs"];
        match inputs["data"]["dtype"].as_str() {
            Some("int32") => indexing(&mut i32s, case),
            Some("float32") => indexing(&mut f32s, case),
            None => tensor_scatter(&mut f32s, case),
            other => panic!("{other:?}"),
        }
    }
    format!(
        "pub const F32: &[Case<f32>] = &[\n{f32s}];\npub const I32: &[Case<i32>] = &[\n{i32s}];\n"
    )
}

fn indexing(out: &mut String, case: &Value) {
    let (inputs, attributes) = (&case["inputs"], &case["attributes"]);
    let operator = match case["op"].as_str().unwrap() {
        "Scatter" => "ScatterElements",
        "ScatterND" => "ScatterNd",
        "GatherND" => "GatherNd",
        other => other,
    };
    let number = |name: &str| attributes.get(name).map_or(0, |value| value.as_u64().unwrap());
    let last = if operator.ends_with("Nd") { number("batch_dims") } else { number("axis") };
    let reduction = match attributes.get("reduction").map(|reduction| reduction.as_str().unwrap()) {
        None => "Assign",
        Some("add") => "Add",
        Some("mul") => "Mul",
        Some("min") => "Min",
        Some("max") => "Max",
        other => panic!("{other:?}"),
    };
    let updates = inputs.get("updates").map_or("Tensor { sizes: &[], data: &[] }".into(), tensor);
    let expected = tensor(case["outputs"].as_object().unwrap().values().next().unwrap());
    let (data, indices) = (tensor(&inputs["data"]), tensor(&inputs["indices"]));
    write_case(
        out,
        case,
        [operator, &last.to_string(), reduction, "Error"],
        [&data, &indices, &updates, &expected],
    );
}

/// `nd` with one batch dimension and tuples of one position on the axis before the last, which wrap
/// when circular. What lies between batch and axis is of size 1 in these cases, and left out.
fn tensor_scatter(out: &mut String, case: &Value) {
    let inputs = &case["inputs"];
    let three = |value: &Value| {
        let sizes = sizes(value);
        let [batch, .., positions, row] = sizes[..] else { panic!("{sizes:?}") };
        assert_eq!(
            sizes.iter().product::<u64>(),
            batch * positions * row,
            "nothing between batch and axis"
        );
        [batch, positions, row]
    };
    let reshaped = |value: &Value| {
        format!("Tensor {{ sizes: &{:?}, data: &{} }}", three(value), value["data"])
    };
    let [batch, written, _] = three(&inputs["update"]);
    let starts = inputs["write_indices"]["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|start| start.as_u64().unwrap());
    let slots: Vec<u64> = starts.flat_map(|start| (0..written).map(move |i| start + i)).collect();
    let slots = format!("Tensor {{ sizes: &{:?}, data: &{slots:?} }}", [batch, written, 1]);
    let bounds = if case["attributes"].get("mode").is_some_and(|mode| mode == "circular") {
        "Wrap"
    } else {
        "Error"
    };
    let (past, update) = (reshaped(&inputs["past_cache"]), reshaped(&inputs["update"]));
    let expected = reshaped(&case["outputs"]["present_cache"]);
    write_case(
        out,
        case,
        ["ScatterNd", "1", "Assign", bounds],
        [&past, &slots, &update, &expected],
    );
}

fn write_case(out: &mut String, case: &Value, attributes: [&str; 4], tensors: [&str; 4]) {
    let [operator, last, reduction, bounds] = attributes;
    let [data, indices, updates, expected] = tensors;
    writeln!(
        out,
        "Case {{ name: {}, operator: Operator::{operator}, last: {last}, \
         reduction: Reduce::{reduction}, bounds: Bounds::{bounds},\n\
         data: {data},\nindices: {indices},\nupdates: {updates},\nexpected: {expected} }},",
        case["name"]
    )
    .unwrap();
}

fn tensor(value: &Value) -> String {
    format!("Tensor {{ sizes: &{:?}, data: &{} }}", sizes(value), value["data"])
}

fn sizes(value: &Value) -> Vec<u64> {
    value["sizes"].as_array().unwrap().iter().map(|size| size.as_u64().unwrap()).collect()
}
