//! Lengths of slices and scratch, and whether indices need a look.

use crate::error::{Error, Operand};
use crate::index::{Bounds, Index};
use crate::plan::Plan;
use crate::walk;

/// Fails if a slice is shorter than its layout needs.
pub(crate) fn fits(operand: Operand, expected: usize, found: usize) -> Result<(), Error> {
    if found < expected { Err(Error::SliceTooShort { operand, expected, found }) } else { Ok(()) }
}

/// The first `expected` words of the caller's scratch.
pub(crate) fn scratch(words: &mut [u32], expected: usize) -> Result<&mut [u32], Error> {
    let found = words.len();
    let Some(words) = words.get_mut(..expected) else {
        return Err(Error::ScratchTooShort { expected, found });
    };
    Ok(words)
}

/// Whether no index can be out of bounds: the policy takes all, or they are bytes, and every byte
/// has a place.
#[inline(always)]
pub(crate) fn needs_no_look<I: Index>(plan: &Plan) -> bool {
    !matches!(plan.bounds, Bounds::Error) || size_of::<I>() == 1 && plan.takes_every_byte()
}

/// The error for the first bad index, unless all are inside.
#[inline(always)]
pub(crate) fn result<I: Index>(plan: &Plan, indices: &[I], inside: bool) -> Result<(), Error> {
    if inside { Ok(()) } else { walk::first_out_of_bounds(plan, indices).map_or(Ok(()), Err) }
}
