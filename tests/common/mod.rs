//! What the tests share: a case as plain data, its generator, a naive oracle, and the comparison of
//! crate and oracle.
//!
//! A check that is `#[inline]` is compiled into the fuzz target that calls it, and not into the
//! library that all targets share: so whoever runs one target waits for no other.

#![allow(dead_code, unused_imports)] // No test program uses all of it.

pub mod adjoint;
#[cfg(feature = "ndarray")]
pub mod arrays;
pub mod bags;
pub mod bytes;
pub mod case;
pub mod check;
pub mod coalesce;
pub mod dml;
pub mod generate;
pub mod lists;
pub mod map;
pub mod masks;
pub mod nullable;
pub mod oracle;
pub mod path;
#[cfg(feature = "half")]
pub mod quant;
pub mod ranges;
#[cfg(feature = "rayon")]
pub mod threads;
pub mod values;
