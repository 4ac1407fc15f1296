//! What the reference takes for granted: a page for each task.
//!
//! | you want to | page |
//! |---|---|
//! | find the operator that you know from elsewhere | [`operators`] |
//! | describe a view, a transpose, a broadcast | [`layouts`] |
//! | clamp, wrap or skip indices out of bounds | [`bounds`] |
//! | know what duplicates do | [`order`] |
//! | add, take the largest, average, count (a histogram) | [`reductions`] |
//! | sum or average gathered rows (pooling of embeddings); use a mask | [`bags`] |
//! | gather from `f16` or quantised tables | [`quantised`] |
//! | write into a KV-cache | [`caches`] |
//! | have types that are known at run time | [`runtime`] |
//! | put a plan into flash | [`flash`] |
//! | start a firmware | [`firmware`] |
//! | call it from C | [`c`] |
//! | make a call fast, and see what it does | [`speed`] |
//! | use threads | [`threads`] |
//! | use arrays of the crate `ndarray` | the module `ndarray` |
//! | distribute a table over a cluster | [`ranks`] |
//! | know when another tool is better | [`when_not`] |

#[doc = include_str!("operators.md")]
pub mod operators {}

#[doc = include_str!("layouts.md")]
pub mod layouts {}

#[doc = include_str!("bounds.md")]
pub mod bounds {}

#[doc = include_str!("order.md")]
pub mod order {}

#[doc = include_str!("reductions.md")]
pub mod reductions {}

#[cfg(any(not(doctest), feature = "half"))] // One of its examples needs it.
#[doc = include_str!("bags.md")]
pub mod bags {}

#[cfg(any(not(doctest), feature = "half"))] // So do all examples here.
#[doc = include_str!("quantised.md")]
pub mod quantised {}

#[doc = include_str!("caches.md")]
pub mod caches {}

#[doc = include_str!("runtime.md")]
pub mod runtime {}

#[doc = include_str!("flash.md")]
pub mod flash {}

#[doc = include_str!("firmware.md")]
pub mod firmware {}

#[doc = include_str!("c.md")]
pub mod c {}

#[doc = include_str!("speed.md")]
pub mod speed {}

#[doc = include_str!("threads.md")]
pub mod threads {}

#[doc = include_str!("ranks.md")]
pub mod ranks {}

#[doc = include_str!("when_not.md")]
pub mod when_not {}
