//! Indices that have been proven for a plan.

/// Indices that a [`Gather`](crate::Gather) or a [`Scatter`](crate::Scatter) has found in bounds (or that its policy accepts as they are).
///
/// Made by `check`; runs any number of times, on as many tables as one likes, without looking for bad indices again.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a, Operator, I> {
    pub(crate) operator: &'a Operator,
    pub(crate) indices: &'a [I],
}
