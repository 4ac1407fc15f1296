//! Gathers to the end of a vector.

use bytemuck::NoUninit;

use crate::block::Block;
use crate::bytes::{all_below, bound};
use crate::elements::Elements;
use crate::moves::Move;
use crate::path::Path;
use crate::rows::Rows;

/// Appends `from[table]` for each entry, in order, in rows of `n` elements. Where `block` starts in
/// the flat tensor is left out; its entries must follow each other there. `streams`: with
/// non-temporal stores, as by [`Move::streaming`].
///
/// `false`: nothing is appended, for a row lies outside `from`, the entries do not follow each
/// other in the flat tensor, or there is no memory.
///
/// ```
/// use strew_simd::{Block, Path, append};
///
/// let (table, mut output) = ([1, 2, 3, 4, 5, 6], vec![0]);
/// let mut rows = |addresses: &[u32]| {
///     let block =
///         Block { addresses, length: 2, entry_step: 3, ..Block::default() };
///     append(Path::detect(), &table, &mut output, 3, &block, 0, false)
/// };
/// assert!(rows(&[3, 0]) && !rows(&[0, 4]));
/// assert_eq!(output, [0, 4, 5, 6, 1, 2, 3]);
/// ```
pub fn append<T: NoUninit>(
    path: Path,
    from: &[T],
    to: &mut Vec<T>,
    n: usize,
    block: &Block<'_>,
    distance: usize,
    streams: bool,
) -> bool {
    let count = block.addresses.len().checked_mul(n);
    let (Some(count), Some(table)) = (count, from.get(block.table..)) else { return false };
    if !block.is_run(n) || !all_inside(path, block.addresses, table, n) {
        return false;
    }
    if to.try_reserve(count).is_err() {
        return false;
    }
    let length = to.len();
    let block = &Block { flat: 0, ..*block };
    let to_end = to.spare_capacity_mut();
    macro_rules! gather {
        ($($size:literal)*) => {
            match size_of::<T>() {
                $($size if n == 1 => {
                    if let Some(elements) = Elements::<$size>::new(from, to_end) {
                        gather(elements, path, block, distance, streams);
                    }
                })*
                _ => gather(Rows::new(from, to_end, n), path, block, distance, streams),
            }
        };
    }
    gather!(1 2 4 8 16);
    // SAFETY: all rows lie in the table and follow each other from the start of the capacity, which
    // has this number of elements, as is checked above: a gather has written all of them.
    unsafe { to.set_len(length + count) };
    true
}

/// Whether all rows of `n` elements lie in a table.
fn all_inside<T>(path: Path, addresses: &[u32], table: &[T], n: usize) -> bool {
    let Some(more) = n.checked_sub(1) else { return true };
    // The places that a row can start at.
    let starts = table.get(more..).unwrap_or_default();
    path.vectorize(
        addresses,
        #[inline(always)]
        |addresses| all_below(addresses, bound(starts)),
        |addresses| all_below(addresses, bound(starts)),
    )
}

fn gather<M: Move>(mut moves: M, path: Path, block: &Block<'_>, distance: usize, streams: bool) {
    if streams {
        moves.streaming(|moves| moves.gather(path, block, distance));
    } else {
        moves.gather(path, block, distance);
    }
}
