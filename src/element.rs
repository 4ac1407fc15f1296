//! What can be moved.

/// A type whose values can be gathered and scattered: any `Copy` type without padding.
///
/// Numbers, `bool`, `char`, [`f16`](half::f16), [`bf16`](half::bf16), arrays of them, and structs that derive
/// [`bytemuck::NoUninit`] implement it by themselves.
///
/// ```
/// use strew::{Gather, Layout};
///
/// let gather = Gather::axis(&Layout::contiguous([2]), &Layout::contiguous([3]), &Layout::contiguous([3]), 0)?;
/// let mut output = [[0_u8; 3]; 3];
/// gather.run(&[*b"red", *b"tan"], &[1_u8, 0, 1], &mut output)?;
/// assert_eq!(output, [*b"tan", *b"red", *b"tan"]);
/// # Ok::<(), strew::Error>(())
/// ```
pub trait Element: bytemuck::NoUninit {}

impl<T: bytemuck::NoUninit> Element for T {}
