//! Moves between rows of slices of this rank: strew's own calls.

use bytemuck::Pod;
use strew::{Error, Gather, Index, Layout, Reduction, Scatter};

/// `to[e] = from[ids[e]]`, of rows of a length, where `from` has `rows`.
pub(crate) fn gather<T: Pod + Send + Sync, I: Index>(
    (from, rows): (&[T], usize),
    ids: &[I],
    to: &mut [T],
    row: usize,
) -> Result<(), Error> {
    let [from_, to_] = [rows, ids.len()].map(|rows| Layout::contiguous([rows, row]));
    let gather = Gather::axis(&from_, &Layout::contiguous([ids.len()]), &to_, 0)?;
    run(&gather, from, ids, to)
}

/// `to[ids[e]] (op)= from[e]`, of rows of a length, where `to` has `rows`. With `repeated`, `from`
/// is one row.
pub(crate) fn scatter<T: Pod + Send + Sync, I: Index>(
    reduction: impl Reduction<T> + Sync,
    (to, rows): (&mut [T], usize),
    ids: &[I],
    (from, repeated): (&[T], bool),
    row: usize,
) -> Result<(), Error> {
    let updates = if repeated {
        Layout::strided([ids.len(), row], [0, 1])
    } else {
        Layout::contiguous([ids.len(), row])
    };
    let data = Layout::contiguous([rows, row]);
    let scatter = Scatter::axis(&data, &Layout::contiguous([ids.len()]), &updates, 0)?;
    reduce(&scatter, reduction, to, ids, from)
}

/// Runs a gather, with threads if there are any.
pub(crate) fn run<T: Pod + Send + Sync, I: Index>(
    gather: &Gather,
    from: &[T],
    ids: &[I],
    to: &mut [T],
) -> Result<(), Error> {
    #[cfg(feature = "rayon")]
    return gather.par_run(from, ids, to);
    #[cfg(not(feature = "rayon"))]
    gather.run(from, ids, to)
}

/// Runs a scatter, with threads if there are any.
pub(crate) fn reduce<T: Pod + Send + Sync, I: Index>(
    scatter: &Scatter,
    reduction: impl Reduction<T> + Sync,
    to: &mut [T],
    ids: &[I],
    from: &[T],
) -> Result<(), Error> {
    #[cfg(feature = "rayon")]
    return scatter.par_reduce(reduction, to, ids, from);
    #[cfg(not(feature = "rayon"))]
    scatter.reduce(reduction, to, ids, from)
}
