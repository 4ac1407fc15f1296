//! Scatters that are tried on a copy of the data: where data are few and indices many, that takes less time than a look at all indices beforehand.

use strew_simd::third_cache_is_near;

use crate::checked::needs_no_look;
use crate::index::Index;
use crate::plan::{Direction, Plan};
use crate::vectors::columns::Blocks;

/// Data that are worth a copy: the bytes that are copied, at most, and how many times as many bytes the indices have, at least.
struct Worth {
    bytes: usize,
    times: usize,
}

/// What stays in the second cache. (`strew-benches`, `reduce`, on Zen 4: histograms of 64K bins take four fifths of the time.)
const IN_SECOND_CACHE: Worth = Worth { bytes: 1 << 20, times: 8 };

/// What stays in the third cache, where that is near. (`reduce` and `tuples`, on Zen 5: histograms of 1M bins take nine tenths of the time; pairs into 4 MiB, whose inputs stay in that cache there, are added in eight
/// tenths to a tenth more, and set in as long. With half as many indices, as long or longer.)
const IN_THIRD_CACHE: Worth = Worth { bytes: 1 << 22, times: 4 };

/// So many indices, at least.
const LEAST: usize = 1 << 10;

/// Changes a copy of the data, which becomes the data unless `change` finds an index out of bounds: `Some(false)`. `None`: a copy is not worth it, there is
/// no memory for it, or a slice is too short.
pub(crate) fn change<T: Copy, I: Index>(
    plan: &Plan,
    data: &mut [T],
    indices: &[I],
    updates: &[T],
    change: impl FnOnce(&mut [T]) -> bool,
) -> Option<bool> {
    let lengths = &plan.lengths;
    let reads = plan.reads();
    if reads < LEAST
        || !plan.suits_vectors
        || needs_no_look::<I>(plan)
        || indices.len() < lengths.indices
        || updates.len() < lengths.flat
    {
        return None;
    }
    let worth = worth();
    let bytes = size_of::<T>().saturating_mul(lengths.table);
    if bytes > worth.bytes
        || bytes.saturating_mul(worth.times) > size_of::<I>().saturating_mul(reads)
    {
        return None;
    }
    if bytes > super::NEAR && goes_by_columns::<T>(plan) {
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

fn worth() -> Worth {
    if third_cache_is_near() { IN_THIRD_CACHE } else { IN_SECOND_CACHE }
}

/// Whether the copy would be copied again, a block of columns at a time.
fn goes_by_columns<T>(plan: &Plan) -> bool {
    let ordered = plan.in_flat_order();
    Blocks::of::<T>(ordered.as_ref().unwrap_or(plan), Direction::Scatter).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::Bounds;
    use crate::layout::Layout;
    use crate::plan::Direction::Scatter;
    use crate::plan::tests::{axis, elements, nd, packed};

    /// What becomes of a byte of data for each place, with indices of eight bytes.
    fn tried(
        places: usize,
        count: usize,
        bounds: Bounds,
        lengths: [usize; 3],
        inside: bool,
    ) -> (Option<bool>, Vec<u8>) {
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
        assert_eq!(
            tried(10, 2000, Bounds::Error, [12, 2000, 2000], true),
            (Some(true), [[7; 10].as_slice(), &[0; 2]].concat())
        );
        assert_eq!(
            tried(10, 2000, Bounds::Error, [12, 2000, 2000], false),
            (Some(false), vec![0; 12])
        );
    }

    #[test]
    fn few_data_and_many_indices_are_worth_a_copy() {
        let Worth { bytes, times } = worth();
        let worth = |places, count| {
            tried(places, count, Bounds::Error, [places, count, count], true).0.is_some()
        };
        assert_eq!([1024, 1023].map(|count| worth(10, count)), [true, false]);
        let most = 2000 * size_of::<u64>() / times;
        assert_eq!([most, most + 1].map(|places| worth(places, 2000)), [true, false]);
        assert_eq!([bytes, bytes + 1].map(|places| worth(places, bytes)), [true, false]);
        for bounds in [Bounds::Clamp, Bounds::Wrap, Bounds::Skip] {
            assert_eq!(tried(10, 2000, bounds, [10, 2000, 2000], true).0, None, "{bounds:?}");
        }
        for lengths in [[9, 2000, 2000], [10, 1999, 2000], [10, 2000, 1999]] {
            assert_eq!(tried(10, 2000, Bounds::Error, lengths, true).0, None, "{lengths:?}");
        }
        assert_eq!(tried(10, 2000, Bounds::Error, [11, 2001, 2001], true).0, Some(true));
    }

    #[test]
    fn what_is_copied_or_proven_anyway_is_not() {
        fn worth<I: Index>(plan: &Plan, index: I) -> bool {
            let [mut data, updates] =
                [plan.lengths.table, plan.lengths.flat].map(|length| vec![0_u32; length]);
            change(plan, &mut data, &vec![index; plan.lengths.indices], &updates, |_| true)
                .is_some()
        }
        let [few, many] = [255, 256].map(|places| {
            axis(Scatter, &packed([places]), &packed([10_000]), &packed([10_000]), 0)
        });
        assert_eq!([&few, &many].map(|plan| worth(plan, 0_u8)), [true, false]);
        assert!(worth(&many, 0_i64));
        // Columns of a table beyond the second cache.
        let [data, many] = [packed([1 << 11, 1 << 9]), packed([1 << 13, 1 << 9])];
        assert!(!worth(&elements(Scatter, &data, &many, &many, 0), 0_i64));
        let [data, many] = [packed([1 << 9, 1 << 11]), packed([1 << 9, 1 << 13])];
        assert_eq!(worth(&elements(Scatter, &data, &many, &many, 1), 0_i64), third_cache_is_near());
    }

    #[test]
    fn indices_are_counted_not_their_slice() {
        let worth = |indices: &Layout, k: usize| {
            let updates = Layout::packed(&[indices.size(0)]);
            let plan = nd(Scatter, &Layout::packed(&vec![8; k]), indices, &updates, 0);
            let indices = vec![0_u8; plan.lengths.indices];
            change(
                &plan,
                &mut vec![0_u8; plan.lengths.table],
                &indices,
                &vec![0; plan.lengths.flat],
                |_| true,
            )
            .is_some()
        };
        assert_eq!([1023, 1024].map(|count| worth(&packed([count, 1]), 1)), [false, true]);
        assert_eq!([511, 512].map(|count| worth(&packed([count, 2]), 2)), [false, true]);
        assert!(!worth(&packed([100, 1]).with_offset(5000), 1));
        assert!(!worth(&Layout::strided([100, 1], [50, 1]), 1));
    }
}
