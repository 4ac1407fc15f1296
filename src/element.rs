//! The types whose values can be moved.

/// A type whose values can be gathered and scattered: any `Copy` type without padding, which
/// threads may share. (`bytemuck` has one that they may not: `PhantomData` of such a type.)
///
/// Numbers, `bool`, `char`, [`f16`](half::f16), [`bf16`](half::bf16) and arrays of them are
/// elements. A struct becomes one with `#[repr(C)]` and
/// `#[derive(Clone, Copy, bytemuck::NoUninit)]`, with
/// `bytemuck = { version = "1", features = ["derive"] }` among your dependencies:
///
/// ```
/// use strew::{Gather, Layout};
///
/// #[repr(C)]
/// #[derive(Clone, Copy, Debug, PartialEq, bytemuck::NoUninit)]
/// struct Point {
///     x: f32,
///     y: f32,
/// }
///
/// let table = Layout::contiguous([2]);
/// let three = Layout::contiguous([3]);
/// let gather = Gather::axis(&table, &three, &three, 0)?;
/// let (a, b) = (Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 4.0 });
/// let mut output = [a; 3];
/// gather.run(&[a, b], &[1_u8, 0, 1], &mut output)?;
/// assert_eq!(output, [b, a, b]);
/// # Ok::<(), strew::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be gathered or scattered",
    label = "not a `Copy` type without padding",
    note = "numbers, `bool`, `char` and arrays of them are elements; so are `f16` and `bf16`, with \
            the feature `half` of strew, or `bytemuck` of their own crate",
    note = "a struct needs `#[repr(C)]` and `#[derive(Clone, Copy, bytemuck::NoUninit)]`"
)]
pub trait Element: bytemuck::NoUninit + Send + Sync {}

#[diagnostic::do_not_recommend]
impl<T: bytemuck::NoUninit + Send + Sync> Element for T {}
