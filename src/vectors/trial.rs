//! Scatters that are tried on a copy of the data: where data are few and indices many, that takes less time than a look at all indices beforehand.
//! (`strew-benches`, histograms of 64K bins: a fifth.)

use crate::index::Bounds;
use crate::plan::Plan;

/// The bytes of data that are copied, at most.
const SCRATCH: usize = 1 << 20;
const _: () = assert!(SCRATCH <= super::NEAR, "a copy would be cut into blocks of columns");

/// The indices have so many times the bytes of the data, at least; and are so many.
const TIMES: usize = 8;
const MANY: usize = 1 << 10;

/// Changes a copy of the data, which becomes the data unless `change` finds an index out of bounds: `Some(false)`. `None`: a copy is not worth it, there is
/// no memory for it, or a slice is too short.
pub(crate) fn change<T: Copy, I>(
    plan: &Plan,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
    change: impl FnOnce(&mut [T]) -> bool,
) -> Option<bool> {
    let lengths = &plan.lengths;
    let bytes = size_of::<T>().saturating_mul(lengths.table);
    let suits = lengths.indices >= MANY
        && matches!(plan.bounds, Bounds::Error)
        && bytes <= SCRATCH
        && bytes.saturating_mul(TIMES) <= size_of::<I>().saturating_mul(lengths.indices)
        && plan.suits_vectors();
    if !suits || indices.len() < lengths.indices || updates.len() < lengths.flat {
        return None;
    }
    let data = data.get_mut(..lengths.table)?;
    let mut copy = Vec::new();
    copy.try_reserve_exact(data.len()).ok()?;
    copy.extend_from_slice(data);
    let inside = change(&mut copy);
    if inside {
        data.copy_from_slice(&copy);
    }
    Some(inside)
}
