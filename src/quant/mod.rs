//! Quantised tables: the formats that people have, as elements, and ONNX's `GatherBlockQuantized`.
//!
//! A block of a quantised row is one element of a table, and the array of its values one element of
//! the output: [`Gather::run_map`](crate::Gather::run_map) with `decode` reads rows of floats from
//! it. [`Scatter::run_map`](crate::Scatter::run_map) writes them: `encode` takes its values by
//! reference, so pass `|values: [f32; 32]| Q8_0::encode(&values)`. No row is decoded that is not
//! gathered.
//!
//! ```
//! use strew::quant::Q8_0;
//! use strew::{Gather, Layout};
//!
//! // The bytes of a file: 3 rows of 2 blocks, 64 values. They are all 1.
//! let bytes = [bytemuck::cast(Q8_0::encode(&[1.0; 32])); 3 * 2];
//! let bytes: &[u8] = <[[u8; 34]]>::as_flattened(&bytes);
//! let table: &[Q8_0] = bytemuck::cast_slice(bytes);
//!
//! let rows = Layout::contiguous([3, 2]);
//! let ids = Layout::contiguous([2]);
//! let gather = Gather::axis(&rows, &ids, &Layout::contiguous([2, 2]), 0)?;
//! let mut output = [[0.0_f32; 32]; 4];
//! gather.run_map(table, &[2, 0], &mut output, Q8_0::decode)?;
//! let near_1 = |value: &f32| (value - 1.0).abs() < 0.001;
//! assert!(output.as_flattened().iter().all(near_1));
//! # Ok::<(), strew::Error>(())
//! ```
//!
//! - GGUF files (llama.cpp): [`Q8_0`], [`Q4_0`], [`Q4_1`], [`Q5_0`], [`Q5_1`], [`IQ4_NL`] in blocks
//!   of 32, [`Q4_K`], [`Q5_K`], [`Q6_K`] in blocks of 256.
//! - PyTorch and FBGEMM: [`Row8`], [`Row4`], [`Row2`], rows with a scale and an offset behind them.
//! - ONNX: [`BlockQuantized`], with values, scales and zero points in arrays of their own.
//! - Floats of 8 and 4 bits: [`F8E4M3FN`], [`F8E4M3FNUZ`], [`F8E5M2`], [`F8E5M2FNUZ`],
//!   [`F4E2M1x2`]. The function to pass is `F8E5M2::to_f32`, and `decode` for `F4E2M1x2`.
//! - [`f16_to_f32`] and [`f16_from_f32`], for tables of `f16`. Pass the first by its name, and
//!   x86's instructions take its place. `bf16`, `i8` and the like need no help: `bf16::to_f32`,
//!   `f32::from`.
//!
//! All blocks have an alignment of 1 and are little-endian on every machine, as the files are:
//! bytes at any place can be [cast](bytemuck::cast_slice) to them. Decoding has the bits of the
//! packages that define the formats, on every machine.

mod block_quantized;
mod floats;
mod ggml;
pub(crate) mod numbers;
mod rows;

pub use block_quantized::{Attributes, BlockQuantized, Packing, Scale};
pub use floats::{F4E2M1x2, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ};
pub use ggml::{IQ4_NL, Q4_0, Q4_1, Q4_K, Q5_0, Q5_1, Q5_K, Q6_K, Q8_0};
pub use numbers::{f16_from_f32, f16_to_f32};
pub use rows::{Row2, Row4, Row8};
