//! DirectML's gather and scatter operators, described at run time.
//!
//! The structures have DirectML's names and rules. `compile` proves a descriptor and turns it into
//! the same [`Gather`](crate::Gather) or [`Scatter`](crate::Scatter) that the rest of the crate
//! uses. The result is a plain value without references. It can be executed any number of times, on
//! slices whose type is known at run time only.
//!
//! - [`GatherOperatorDesc`], since level 1.0:
//!   `output[p.., i.., s..] = input[p.., indices[i..], s..]`
//! - [`GatherElementsOperatorDesc`], since level 2.1:
//!   `output[c] = input[c with c[axis] := indices[c]]`
//! - [`GatherNdOperatorDesc`], since level 2.1:
//!   `output[i.., s..] = input[indices[i.., 0..k].., s..]`
//! - [`GatherNd1OperatorDesc`], since level 3.0:
//!   `output[B.., i.., s..] = input[B.., indices[B.., i.., 0..k].., s..]`
//! - [`ScatterOperatorDesc`], since level 1.0:
//!   `output = input; output[c with c[axis] := indices[c]] = updates[c]`
//! - [`ScatterNdOperatorDesc`], since level 2.1:
//!   `output = input; output[indices[i.., 0..k].., s..] = updates[i.., s..]`
//!
//! # What DirectML documents
//!
//! - All tensors of an operator have the same number `D` of dimensions, 1 to 8 (exactly 4 below
//!   feature level 3.0). A tensor that needs fewer is aligned to the right, and its leading sizes
//!   are ignored. They must be 1 here, since implementations disagree on anything else: see
//!   [`LeadingSizeNotOne`](crate::Error::LeadingSizeNotOne).
//! - No size is 0. Strides are unsigned, counted in elements, and 0 repeats an element.
//! - Input, updates and output have the same data type. The [`FeatureLevel`] says which data types
//!   and which types of indices there are.
//! - Signed indices below 0 count from the end of the axis.
//! - A scatter's output has the sizes of its input, and may have other strides. An input whose
//!   strides are all 0 is one value everywhere.
//!
//! # What is defined beyond it
//!
//! - **Duplicates.** DirectML calls them invalid. Here the last one in row-major order of the
//!   indices always wins.
//! - **Indices out of bounds.** DirectML clamps the reads of `DML_OPERATOR_GATHER` into the
//!   tensor's memory and says nothing of the other operators. Here they are an error, unless
//!   [`Settings::bounds`] chooses another policy, such as [`Bounds::Clamp`](crate::Bounds::Clamp).
//!   Every policy holds each coordinate against its own axis, and never wraps an unsigned index to
//!   a negative one.
//! - **Memory.** Nothing is read or written outside the slices. Elements of the output slice that
//!   its sizes and strides do not address keep their value. An output whose strides let two
//!   coordinates share an element is an error.
//! - **Errors.** When a scatter fails, its output is as it was.
//! - **Sizes off the axis.** DirectML's pages demand that the indices of `DML_OPERATOR_SCATTER` and
//!   `DML_OPERATOR_GATHER_ELEMENTS` have the sizes of the input off the axis, which its
//!   implementation does not enforce. Here they may be smaller, as in ONNX, unless
//!   [`Settings::strict`] is set.
//!
//! ```
//! use strew::dml::{DataType, ScatterNdOperatorDesc, Settings, TensorDesc};
//!
//! let operator = ScatterNdOperatorDesc {
//!     input_tensor: TensorDesc::packed(DataType::Float32, &[1, 8]),
//!     indices_tensor: TensorDesc::packed(DataType::Uint32, &[4, 1]),
//!     updates_tensor: TensorDesc::packed(DataType::Float32, &[1, 4]),
//!     output_tensor: TensorDesc::packed(DataType::Float32, &[1, 8]),
//!     input_dimension_count: 1,
//!     indices_dimension_count: 2,
//! }
//! .compile(&Settings::default())?;
//!
//! let mut output = [0.0_f32; 8];
//! let input = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
//! let updates = [9.0_f32, 10.0, 11.0, 12.0];
//! operator.execute(&input, &[4_u32, 3, 1, 7], &updates, &mut output)?;
//! assert_eq!(output, [1.0, 11.0, 3.0, 10.0, 9.0, 6.0, 7.0, 12.0]);
//! # Ok::<(), strew::Error>(())
//! ```

mod compiled;
mod data;
mod operators;
mod rules;
mod settings;
mod tensor;
pub(crate) mod types;

pub use crate::data_type::DataType;
pub use compiled::{CompiledGather, CompiledScatter};
pub use data::{TensorData, TensorDataMut};
pub use operators::{
    GatherElementsOperatorDesc, GatherNd1OperatorDesc, GatherNdOperatorDesc, GatherOperatorDesc,
    ScatterElementsOperatorDesc, ScatterNdOperatorDesc, ScatterOperatorDesc,
};
pub use settings::Settings;
pub use tensor::TensorDesc;
pub use types::FeatureLevel;
