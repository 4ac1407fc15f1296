//! An interpreter of ONNX models of one node, which learns at run time what types its tensors have.
//! It runs the standard's own cases, with numbers of five types and indices of two.
//!
//! The models are those of ONNX's `backend/test/data/node`, as JSON: see `tests/data/README.md`.

#[cfg_attr(not(feature = "strew"), path = "without.rs")]
mod operators;

use serde_json::Value;

type Error = Box<dyn std::error::Error>;
type Result<T> = std::result::Result<T, Error>;

/// The types of tensors that the interpreter knows, by ONNX's names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Type {
    Bool,
    Uint8,
    Int32,
    Float,
    Int64,
    Double,
}

/// A tensor without gaps.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub of: Type,
    pub sizes: Vec<usize>,
    /// The elements, aligned for all types; what is left over of the last word is 0.
    pub words: Vec<u64>,
}

impl Type {
    pub fn width(self) -> usize {
        [1, 1, 4, 4, 8, 8][self as usize]
    }
}

impl Tensor {
    pub fn zeros(of: Type, sizes: &[usize]) -> Tensor {
        let bytes = sizes.iter().product::<usize>() * of.width();
        Tensor { of, sizes: sizes.to_vec(), words: vec![0; bytes.div_ceil(8)] }
    }

    fn length(&self) -> usize {
        self.sizes.iter().product::<usize>() * self.of.width()
    }

    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.length()]
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let length = self.length();
        &mut bytemuck::cast_slice_mut(&mut self.words)[..length]
    }

    /// The tensor of a case, in this type if it has numbers.
    fn read(value: &Value, of: Type) -> Result<Tensor> {
        let list = |name: &str| value[name].as_array().ok_or(format!("{name} is no list"));
        let sizes: Vec<usize> =
            list("sizes")?.iter().filter_map(|n| Some(n.as_u64()? as usize)).collect();
        let mut tensor = Tensor::zeros(of, &sizes);
        for (to, value) in tensor.bytes_mut().chunks_mut(of.width()).zip(list("data")?) {
            let number = value.as_f64().unwrap_or(f64::from(value.as_bool().unwrap_or(false)));
            match of {
                Type::Bool | Type::Uint8 => to.copy_from_slice(&[number as u8]),
                Type::Int32 => to.copy_from_slice(&(number as i32).to_ne_bytes()),
                Type::Int64 => to.copy_from_slice(&(number as i64).to_ne_bytes()),
                Type::Float => to.copy_from_slice(&(number as f32).to_ne_bytes()),
                Type::Double => to.copy_from_slice(&number.to_ne_bytes()),
            }
        }
        Ok(tensor)
    }
}

/// Runs a case, its numbers in type `of` and its indices in type `by`.
fn run(operator: &str, case: &Value, of: Type, by: Type) -> Result<bool> {
    let inputs: &[(&str, Type)] = match operator {
        "TensorScatter" => &[("past_cache", of), ("update", of), ("write_indices", by)],
        "Compress" => &[("input", of), ("condition", Type::Bool)],
        "NonZero" => &[("condition", Type::Bool)],
        "OneHot" => &[("indices", by), ("depth", Type::Int64), ("values", of)],
        _ => &[("data", of), ("indices", by), ("updates", of)],
    };
    let read = |(name, of): &(&str, Type)| Some(Tensor::read(case["inputs"].get(name)?, *of));
    let inputs: Result<Vec<_>> = inputs.iter().filter_map(read).collect();
    let outputs = case["outputs"].as_object().and_then(|outputs| outputs.values().next());
    let expected = outputs.unwrap_or(&case["output"]);
    let expected = Tensor::read(expected, if operator == "NonZero" { Type::Int64 } else { of })?;
    Ok(operators::run(operator, &case["attributes"], &inputs?)? == expected)
}

fn main() -> Result<()> {
    let path = |name| format!("{}/../../tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let read = |name| -> Result<Value> { Ok(serde_json::from_slice(&std::fs::read(path(name))?)?) };
    let (listed, by_operator) = (read("onnx-node-cases.json")?, read("operators.json")?);
    let mut cases: Vec<(&str, &Value)> = vec![];
    for case in listed.as_array().into_iter().flatten() {
        cases.push((case["op"].as_str().unwrap_or_default(), case));
    }
    for operator in ["Compress", "NonZero", "OneHot"] {
        cases.extend(by_operator[operator].as_array().into_iter().flatten().map(|c| (operator, c)));
    }

    assert_eq!(cases.len(), 41, "cases of the standard");
    for (operator, case) in &cases {
        // What is only moved may be of any type; the results of reductions are those of floats.
        let types = [Type::Float, Type::Double, Type::Int32, Type::Int64, Type::Uint8];
        let reduces = case["attributes"]["reduction"].is_string();
        let types = if reduces { &types[..1] } else { &types[..] };
        let name = case["name"].as_str().unwrap_or_default();
        for &of in types {
            for by in [Type::Int64, Type::Int32] {
                let found = run(operator, case, of, by);
                assert!(matches!(found, Ok(true)), "{name}: {of:?} by {by:?}: {found:?}");
            }
        }
        println!("{operator:16} {name:48} right in {} pairs of types", 2 * types.len());
    }
    println!("{} cases are right", cases.len());
    Ok(())
}
