//! Checks that slices and scratch are long enough.

use crate::error::{Error, Operand};

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
