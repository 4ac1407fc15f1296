//! Gather and scatter: moving data by index, without panics or unsafe code, on microcontrollers
//! (without a heap) and servers (with SIMD and threads).
//!
//! ```
//! use strew::{Add, Gather, Layout, Scatter};
//!
//! // A table of 3 rows of 2. Rows 2 and 0 are gathered, and then added to
//! // where they came from.
//! let table = Layout::contiguous([3, 2]);
//! let ids = Layout::contiguous([2]);
//! let rows = Layout::contiguous([2, 2]);
//! let gather = Gather::axis(&table, &ids, &rows, 0)?;
//! let scatter = Scatter::axis(&table, &ids, &rows, 0)?;
//!
//! let mut data = [1, 2, 3, 4, 5, 6];
//! let mut gathered = [0; 4];
//! gather.run(&data, &[2, 0], &mut gathered)?;
//! assert_eq!(gathered, [5, 6, 1, 2]);
//! scatter.reduce(Add, &mut data, &[2, 0], &gathered)?;
//! assert_eq!(data, [2, 4, 3, 4, 10, 12]);
//! # Ok::<(), strew::Error>(())
//! ```
//!
//! # Which operator
//!
//! ```text
//! axis: an index chooses a row, or a slice along any axis
//!     table    indices    output
//!     a b c    1 0        d e f
//!     d e f               a b c
//!
//! elements: each element has an index of its own, here along axis 0
//!     table    indices    output
//!     a b c    1 0 0      d b c
//!     d e f
//!
//! nd: a tuple of indices chooses a place
//!     table    indices    output
//!     a b c    0 2        c
//!     d e f    1 1        e
//! ```
//!
//! A scatter is the same from output to table. Elsewhere they have these names:
//!
//! - [`Gather::axis`]: ONNX `Gather`; DirectML `GATHER`; NumPy `take`, `a[i]`; PyTorch
//!   `index_select`, `embedding`; JAX `take`; TensorFlow `gather`.
//! - [`Gather::elements`]: ONNX `GatherElements`; DirectML `GATHER_ELEMENTS`; PyTorch `gather`;
//!   NumPy and JAX `take_along_axis`, which also broadcasts indices.
//! - [`Gather::nd`], tuples in one tensor: ONNX `GatherND`; DirectML `GATHER_ND`, `GATHER_ND1`;
//!   TensorFlow `gather_nd`.
//! - [`Gather::lists`], a tensor for each coordinate: NumPy, PyTorch and JAX `a[i, j]`,
//!   `a[i, :, j]`; NumPy `a[np.ix_(i, j)]`.
//! - [`Gather::axes`]: the same as `nd`, for any list of axes.
//! - [`Scatter::axis`] and [`run`](Scatter::run): NumPy `a[i] = u`; PyTorch `index_copy`; JAX
//!   `a.at[i].set(u)`; OpenVINO `ScatterUpdate`.
//! - [`Scatter::axis`] and [`reduce`](Scatter::reduce)`(Add, ..)`: NumPy `add.at(a, i, u)`,
//!   `bincount`, `histogram`; PyTorch `index_add`, `bincount`; JAX `a.at[i].add(u)`,
//!   `segment_sum`; TensorFlow `segment_sum`, `unsorted_segment_sum`.
//! - [`Scatter::elements`] and [`run`](Scatter::run): ONNX `ScatterElements`; DirectML `SCATTER`;
//!   PyTorch `scatter`; NumPy `put_along_axis`, which also broadcasts indices.
//! - [`Scatter::elements`] and [`reduce`](Scatter::reduce)`(Add, ..)`: ONNX `ScatterElements`;
//!   PyTorch `scatter_add`, `scatter_reduce`.
//! - [`Scatter::nd`] and [`run`](Scatter::run): ONNX `ScatterND`; DirectML `SCATTER_ND`;
//!   TensorFlow `tensor_scatter_nd_update`.
//! - [`Scatter::nd`] and [`reduce`](Scatter::reduce)`(Add, ..)`: ONNX `ScatterND`; TensorFlow
//!   `tensor_scatter_nd_add`, `scatter_nd` (into zeros).
//! - [`Scatter::lists`] and [`run`](Scatter::run): NumPy `a[i, j] = u`; PyTorch `index_put`; JAX
//!   `a.at[i, j].set(u)`.
//! - [`Scatter::lists`] and [`reduce`](Scatter::reduce)`(Add, ..)`: NumPy `add.at(a, (i, j), u)`;
//!   PyTorch `index_put(.., accumulate=True)`; JAX `a.at[i, j].add(u)`.
//! - [`Scatter::axes`]: the same as `nd`, for any list of axes.
//! - [`Scatter::sequence`], a position for each batch: ONNX `TensorScatter`; JAX
//!   `dynamic_update_slice`; `examples/kv_cache.rs`.
//! - [`mask::nonzero`]: ONNX `NonZero`, PyTorch `nonzero`, NumPy `argwhere`. [`mask::compress`]:
//!   ONNX `Compress`, PyTorch `masked_select`, NumPy `a[mask]`. [`mask::expand`]: PyTorch
//!   `masked_scatter`. [`mask::fill`]: PyTorch `masked_fill`.
//! - [`Nullable`]: ids with a validity mask, as in Arrow (pyarrow `take`) and Polars `gather`.
//! - [`Scatter::reduce_arg`]: torch_scatter `scatter_max`, `scatter_min`; `examples/max_pool.rs`.
//! - [`Gather::adjoint`], [`Scatter::adjoint`]: the other direction, for gradients.
//! - A mixture of experts: sort the routes by expert, [`Gather::axis`] the tokens, then
//!   [`Scatter::axis`] with [`Add`], or a [`Bag`] with [`Weighted`]; `examples/moe.rs`.
//!
//! Some operators are one of these in another form:
//!
//! - [`Rows`]: [`Gather::axis`] and [`Scatter::axis`] for rows of a contiguous table, without
//!   layouts, and quick where indices are few; llama.cpp `get_rows`, `set_rows`.
//! - NumPy `histogram2d`, `histogramdd`: [`Scatter::nd`] and [`reduce`](Scatter::reduce)`(Add, ..)`
//!   of a single 1 with strides of 0, see [histograms](guide::reductions#histograms).
//! - NumPy `argsort` of a permutation (its inverse): [`Scatter::axis`] of 0, 1, 2 ..,
//!   `examples/permutation.rs`.
//! - vLLM `reshape_and_cache` (a paged KV-cache): [`Scatter::axis`] by slots, with
//!   [`Bounds::Skip`] and [`Negative::OutOfBounds`], `examples/kv_cache.rs`.
//! - PyTorch `coalesce` of sparse gradients: [`coalesce()`] finds the unique ids, and for each
//!   gradient the number of its id among them. These are the indices of a [`Scatter::axis`].
//! - ONNX `OneHot`, PyTorch `one_hot`: [`Scatter::elements`] of a single 1,
//!   `examples/one_hot.rs`.
//! - ONNX Runtime `GatherBlockQuantized`: [`quant::BlockQuantized`]; llama.cpp `get_rows`,
//!   `set_rows` of quantised tables: [`Gather::run_map`] and [`Scatter::run_map`], [`quant`].
//! - [`Bag`]: PyTorch `embedding_bag`; TensorFlow `embedding_lookup_sparse`; FBGEMM
//!   `EmbeddingSpMDM`: rows gathered and reduced in one, `examples/embedding_bag.rs`.
//!
//! # How it works
//!
//! Every gather and scatter is one formula, for each element that moves:
//!
//! ```text
//! table[ t(s) + sum_k resolve(indices[i(s), k], size_k) * stride_k ]
//!     <->  flat[ f(s) ]
//! ```
//!
//! - `s` are the coordinates of the element in the loop over all of them. `t`, `i` and `f` are
//!   affine in `s`: an offset, and a stride for each dimension.
//! - `table` is what is indexed: the input of a gather, the data of a scatter. `flat` is the other
//!   tensor: the output of a gather, the updates of a scatter.
//! - `k` counts the coordinates of an index tuple: it is 0 alone for `axis` and `elements`.
//!   `size_k` and `stride_k` are those of the axis that coordinate `k` indexes.
//! - `resolve` turns an index into a position on an axis of that size, or finds it out of bounds.
//!
//! A program works in three steps:
//!
//! 1. [`Layout`]s describe the tensors; a constructor proves that they fit each other and makes a
//!    plan. In a `const`, [`plan!`] turns a mistake into a compile error, and the plan costs
//!    nothing at run time.
//! 2. The indices are checked, each coordinate against its own axis. A scatter that fails leaves
//!    the data as it was; a gather checks each index before it reads. [`Bounds`] says what happens
//!    to those out of bounds.
//! 3. The elements move.
//!
//! With `std`, `explain` of a [`Gather`] or a [`Scatter`] says in one line how a call does the last
//! two steps.
//!
//! # Pages
//!
//! The [guide] has a page for each task:
//!
//! - what a call does: [the operators and their names](guide::operators),
//!   [layouts](guide::layouts), [indices out of bounds](guide::bounds),
//!   [order and duplicates](guide::order), [reductions](guide::reductions);
//! - jobs: [bags and masks](guide::bags), [tables of another type](guide::quantised),
//!   [caches of transformers](guide::caches), [types known at run time](guide::runtime);
//! - microcontrollers: [plans in flash](guide::flash), [firmware from nothing](guide::firmware),
//!   [C](guide::c);
//! - servers: [speed](guide::speed), [threads](guide::threads), [clusters](guide::ranks);
//! - [when not to use it](guide::when_not).
//!
//! # Small code on microcontrollers
//!
//! Say `default-features = false`. Then [`Gather::run`], [`Scatter::run`], [`Scatter::reduce`] and
//! [`Bag::run`] are compiled into the function that calls them:
//!
//! - A plan in a `const` folds into the loops. What it does not need (other tuples, other strides,
//!   other policies) is not in the image, and an operator takes a few hundred bytes. Name it
//!   directly in the call: `LOOKUP.run(..)`.
//! - A plan in a `static`, behind a reference or made at run time keeps the loops for all plans, a
//!   few kilobytes for each call that the source contains. [`Gather::run_shared`],
//!   [`Scatter::run_shared`] and [`Scatter::reduce_shared`] compile them once for each type of
//!   element and index (and reduction): 3.5 KB for gathers or for scatters, at opt-level s on a
//!   Cortex-M4F. What is rare has no loop of its own there, so it is slower.
//! - Loops are compiled for each element type. A gather and an assignment only move bits: cast the
//!   slices to the unsigned integer of the same width (`bytemuck::cast_slice`), and all types of
//!   that width share one function. The linker's `--icf=all` finds little of that.
//! - What runs apart from the loops (an index out of bounds, the error for it) is compiled once for
//!   each type of index.
//!
//! There is no panic path (in optimised builds), no heap and no static data.
//!
//! # Features
//!
//! - `std` (default): an engine that knows the machine's caches, and with `half`, conversions of
//!   `f16` by the CPU's own instructions. Results are the same. Firmware says
//!   `default-features = false`. Large calls may use memory while they run; `SECURITY.md` lists the
//!   bounds, those of each thread too.
//! - `simd` (default): SIMD with `std` (AVX2, AVX-512, NEON), detected at run time, once a call.
//!   Results are the same. It brings seven packages (`pulp`, and six that `pulp` needs), and
//!   `version_check` for the build of `pulp`. `rayon` and `ndarray` bring `std`, not `simd`:
//!   without default features, name it too.
//! - `half` (default): [reductions](Number) and [means](Average) of `f16` and `bf16` of the crate
//!   `half`, DirectML's tensors of `f16`, and quantised tables ([`quant`]). It brings ten
//!   packages (nine beside `simd`), two versions of `syn` among them. Without it, these types can
//!   only be moved, and the crate `half` needs its feature `bytemuck`. Firmware that reduces them
//!   says `features = ["half"]`.
//! - `rayon`: `par_run` and `par_reduce`, with the threads of the rayon pool that they are called
//!   in: `strew = { path = "../strew", features = ["rayon"] }`, and [threads](guide::threads). Each
//!   place is written by one thread, in the order of the indices. Where no order changes the result
//!   (integers, `bool`), each thread may have a table of its own, and these are merged. So results
//!   are the same to the bit, for any number of threads.
//! - `defmt`: `defmt::Format` for errors, layouts and policies.
//! - `ndarray`: the operators on arrays and views of the crate `ndarray`, in one call (the module
//!   `ndarray`).
//! - `serde`: layouts (`{"sizes":[2,3],"strides":[3,1],"offset":0}`) and policies (`"Clamp"`) can
//!   be serialised. Plans are made from them.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod adjoint;
mod any_indices;
mod average;
mod bag;
mod bag_plan;
mod cells;
mod checked;
mod coalesce;
mod copy;
mod data_type;
mod duplicates;
mod each;
mod element;
#[cfg(feature = "std")]
mod engine;
mod erased;
mod error;
mod fused;
mod gather;
mod get;
#[cfg(all(feature = "half", feature = "std"))]
mod halves;
mod index;
mod indices;
mod layout;
mod lists;
mod map;
mod movers;
mod nullable;
mod operation;
mod plan;
mod pool;
#[cfg(not(feature = "std"))]
mod portable;
mod proof;
mod ranges;
mod reduction;
mod rows;
mod run;
mod scatter;
mod segments;
#[cfg(feature = "serde")]
mod serde;
mod walk;
#[cfg(feature = "std")]
mod window;

pub mod dml;
#[cfg(doc)]
pub mod guide;
pub mod mask;
#[cfg(feature = "ndarray")]
pub mod ndarray;
#[cfg(feature = "half")]
pub mod quant;
pub mod shape;

pub use any_indices::AnyIndices;
pub use average::Average;
pub use bag::{Bag, CheckedBag, Empty};
pub use checked::Checked;
pub use coalesce::coalesce;
pub use data_type::DataType;
pub use element::Element;
#[cfg(feature = "std")]
pub use engine::Explain;
pub use error::{Error, Operand, Unsupported};
pub use gather::Gather;
pub use index::{Bounds, Index, Negative};
pub use indices::Indices;
pub use layout::{Layout, MAX_RANK};
pub use lists::{ByLists, Lists};
pub use nullable::Nullable;
pub use operation::{Number, Operation};
pub use plan::Sequence;
pub use pool::{Mean, Pool, Weight, Weighted};
pub use ranges::Ranges;
pub use reduction::{Add, And, Assign, Extreme, Max, Min, Mul, Or, Reduction, Sub, Xor};
pub use rows::Rows;
pub use scatter::Scatter;
pub use segments::Bags;

#[doc(hidden)]
pub use error::plan_error;

#[cfg(all(doctest, feature = "std"))] // One of its examples is for servers.
#[doc = include_str!("../README.md")]
struct Readme;

/// Makes a plan at compile time: a shape mistake is a compile error that says which.
///
/// ```
/// use strew::{Bounds, Gather, Layout, plan};
///
/// const TABLE: Layout = Layout::contiguous([256, 32]);
/// const IDS: Layout = Layout::contiguous([5]);
/// const ROWS: Layout = Layout::contiguous([5, 32]);
/// const LOOKUP: Gather =
///     plan!(Gather::axis(&TABLE, &IDS, &ROWS, 0)).bounds(Bounds::Clamp);
/// # let mut rows = [0_u8; 160];
/// # LOOKUP.run(&[7; 256 * 32], &[0_u8; 5], &mut rows).unwrap();
/// # assert_eq!(rows, [7; 160]);
/// ```
///
/// ```compile_fail,E0080
/// # use strew::{Gather, Layout, plan};
/// const TABLE: Layout = Layout::contiguous([256, 32]);
/// const IDS: Layout = Layout::contiguous([5]);
/// // size mismatch: output dimension 1 should be 32, found 31
/// const ROWS: Layout = Layout::contiguous([5, 31]);
/// const LOOKUP: Gather = plan!(Gather::axis(&TABLE, &IDS, &ROWS, 0));
/// # let _ = LOOKUP;
/// ```
#[macro_export]
macro_rules! plan {
    ($plan:expr) => {
        const {
            match $plan {
                Ok(plan) => plan,
                Err(error) => $crate::plan_error(error),
            }
        }
    };
}
