//! What the reference takes for granted, a page each.

#[doc = include_str!("layouts.md")]
pub mod layouts {}

#[doc = include_str!("bounds.md")]
pub mod bounds {}

#[doc = include_str!("order.md")]
pub mod order {}

#[doc = include_str!("reductions.md")]
pub mod reductions {}

#[doc = include_str!("quantised.md")]
pub mod quantised {}

#[doc = include_str!("flash.md")]
pub mod flash {}

#[doc = include_str!("threads.md")]
pub mod threads {}

#[doc = include_str!("ranks.md")]
pub mod ranks {}

#[doc = include_str!("directml.md")]
pub mod directml {}

#[doc = include_str!("when_not.md")]
pub mod when_not {}
