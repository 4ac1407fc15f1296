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
    let (bytes, reads) = (size_of::<T>().saturating_mul(lengths.table), plan.reads());
    let suits = reads >= MANY
        && matches!(plan.bounds, Bounds::Error)
        && bytes <= SCRATCH
        && bytes.saturating_mul(TIMES) <= size_of::<I>().saturating_mul(reads)
        && plan.suits_vectors;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use crate::plan::Direction::Scatter;
    use crate::plan::tests::{axis, nd, packed};

    /// What becomes of a byte of data for each place, with indices of eight bytes.
    fn tried(places: usize, count: usize, bounds: Bounds, lengths: [usize; 3], inside: bool) -> (Option<bool>, Vec<u8>) {
        let mut plan = axis(Scatter, &packed([places]), &packed([count]), &packed([count]), 0);
        plan.set_bounds(bounds);
        let [mut data, indices, updates] = lengths.map(|length| vec![0; length]);
        let indices: Vec<u64> = indices.into_iter().map(u64::from).collect();
        let result = change(&plan, &mut data, &indices, &updates, |copy| {
            assert_eq!(copy.len(), places);
            copy.fill(7);
            inside
        });
        (result, data)
    }

    #[test]
    fn data_changes_if_all_indices_are_inside() {
        assert_eq!(tried(10, 2000, Bounds::Error, [12, 2000, 2000], true), (Some(true), [[7; 10].as_slice(), &[0; 2]].concat()));
        assert_eq!(tried(10, 2000, Bounds::Error, [12, 2000, 2000], false), (Some(false), vec![0; 12]));
    }

    #[test]
    fn few_data_and_many_indices_are_worth_a_copy() {
        let worth = |places, count| tried(places, count, Bounds::Error, [places, count, count], true).0.is_some();
        assert_eq!([1024, 1023].map(|count| worth(10, count)), [true, false]);
        assert_eq!([2000, 2001].map(|places| worth(places, 2000)), [true, false]);
        assert_eq!([SCRATCH, SCRATCH + 1].map(|places| worth(places, 2 * SCRATCH)), [true, false]);
        for bounds in [Bounds::Clamp, Bounds::Wrap, Bounds::Skip] {
            assert_eq!(tried(10, 2000, bounds, [10, 2000, 2000], true).0, None, "{bounds:?}");
        }
        for lengths in [[9, 2000, 2000], [10, 1999, 2000], [10, 2000, 1999]] {
            assert_eq!(tried(10, 2000, Bounds::Error, lengths, true).0, None, "{lengths:?}");
        }
        assert_eq!(tried(10, 2000, Bounds::Error, [11, 2001, 2001], true).0, Some(true));
    }

    #[test]
    fn indices_are_counted_not_their_slice() {
        let worth = |indices: &Layout, k: usize| {
            let updates = Layout::packed(&[indices.size(0)]);
            let plan = nd(Scatter, &Layout::packed(&vec![8; k]), indices, &updates, 0);
            let indices = vec![0_u8; plan.lengths.indices];
            change(&plan, &mut vec![0_u8; plan.lengths.table], &indices, &vec![0; plan.lengths.flat], |_| true).is_some()
        };
        assert_eq!([1023, 1024].map(|count| worth(&packed([count, 1]), 1)), [false, true]);
        assert_eq!([511, 512].map(|count| worth(&packed([count, 2]), 2)), [false, true]);
        assert!(!worth(&packed([100, 1]).with_offset(5000), 1));
        assert!(!worth(&Layout::strided([100, 1], [50, 1]), 1));
    }
}
