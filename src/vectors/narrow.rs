//! Indices that take up memory and are read twice: by the check of a scatter, or of a gather by blocks of columns, and by the moves. The check writes their positions down, in
//! a quarter of the bytes. (`strew-benches`, on Zen 4: `tuples`, scatters by 2 coordinates, and `elements` along axis 0 take three quarters of the time.)

use strew_simd::{Axis, Instructions, Lane, Op, Path};

use crate::index::{Bounds, Index};
use crate::plan::Plan;
use crate::vectors::{self, NEAR};

/// The positions that are written down, at least, and at most: fewer indices stay near (`tuples`, with an eighth as many pairs, on Zen 4: no gain), and so many positions
/// have 16 MiB.
const POSITIONS: core::ops::RangeInclusive<usize> = 1 << 18..=1 << 23;

/// An index is out of bounds under `Bounds::Error`.
pub(crate) struct OutOfBounds;

/// The positions of all indices, and the plan that has them for indices. `None`: they are not worth it, there is no memory for them, or the slice is too short.
pub(crate) fn positions<T, I: Index>(
    plan: &Plan,
    indices: &[I],
) -> Option<Result<(Plan, Vec<u16>), OutOfBounds>> {
    let indices = worth::<T, I>(plan, indices)?;
    let mut positions = Vec::new();
    positions.try_reserve_exact(indices.len()).ok()?;
    let inside = narrow(plan, indices, |narrow| positions.extend_from_slice(narrow));
    Some(if inside { Ok((plan.with_indices_from_0(), positions)) } else { Err(OutOfBounds) })
}

/// The same with so many threads.
#[cfg(feature = "rayon")]
pub(crate) fn par_positions<T, I: Index>(
    plan: &Plan,
    indices: &[I],
    threads: usize,
) -> Option<Result<(Plan, Vec<u16>), OutOfBounds>> {
    use rayon::prelude::*;

    let indices = worth::<T, I>(plan, indices)?;
    let mut positions = Vec::new();
    positions.try_reserve_exact(indices.len()).ok()?;
    positions.resize(indices.len(), 0);
    let share = indices.len().div_ceil(threads).next_multiple_of(plan.packed_tuple);
    let inside = positions.par_chunks_mut(share).zip(indices.par_chunks(share)).all(
        |(mut positions, indices)| {
            narrow(plan, indices, |narrow| {
                if let Some(next) = positions.split_off_mut(..narrow.len()) {
                    next.copy_from_slice(narrow);
                }
            })
        },
    );
    Some(if inside { Ok((plan.with_indices_from_0(), positions)) } else { Err(OutOfBounds) })
}

/// The indices that the plan reads, if it is worth it to write their positions down.
fn worth<'a, T, I: Index>(plan: &Plan, indices: &'a [I]) -> Option<&'a [I]> {
    if !plan.suits_vectors || size_of::<I>() != 8 {
        return None;
    }
    let reads = plan.reads();
    let suits = POSITIONS.contains(&reads)
        && !plan.empty
        && matches!(plan.bounds, Bounds::Error)
        && (1..=4).contains(&plan.packed_tuple)
        && plan.inner().is_empty()
        && plan.coordinates().iter().all(|axis| axis.size <= 1 << 16)
        && vectors::reach::<T>(plan) > NEAR
        && has_all_in_order(plan);
    indices.get(plan.start.indices..plan.start.indices.saturating_add(reads)).filter(|_| suits)
}

/// Whether the walk reads neighbours of the indices from the first to the last.
fn has_all_in_order(plan: &Plan) -> bool {
    let mut step = plan.packed_tuple;
    plan.outer().iter().rev().all(|dim| {
        let follows = usize::try_from(dim.indices) == Ok(step);
        step = step.saturating_mul(dim.size);
        follows
    })
}

/// Hands the positions of all indices on, some at a time. `false`: an index is out of bounds.
fn narrow<I: Index>(plan: &Plan, indices: &[I], next: impl FnMut(&[u16])) -> bool {
    struct Narrow<'a, I, F, const K: usize>(Lane<K>, &'a [I], F);
    impl<I: Index, F: FnMut(&[u16]), const K: usize> Op for Narrow<'_, I, F, K> {
        type Output = bool;
        #[inline(always)]
        fn run(self, _: impl Instructions) -> bool {
            /// So many at a time: they stay in the first cache.
            const TUPLES: usize = 512;
            let Narrow(lane, indices, mut next) = self;
            let mut positions = [[0; K]; TUPLES];
            indices.as_chunks::<K>().0.chunks(TUPLES).all(|tuples| {
                let positions = positions.get_mut(..tuples.len()).unwrap_or_default();
                let inside = lane.positions(tuples, positions);
                next(positions.as_flattened());
                inside
            })
        }
    }
    fn of<I: Index, const K: usize>(plan: &Plan, indices: &[I], next: impl FnMut(&[u16])) -> bool {
        let axes =
            plan.coordinate_array::<K>().map(|axis| Axis { size: axis.size as u32, stride: 0 });
        Path::detect().dispatch(Narrow(Lane::new(axes, 0, 0), indices, next))
    }
    match plan.packed_tuple {
        1 => of::<I, 1>(plan, indices, next),
        2 => of::<I, 2>(plan, indices, next),
        3 => of::<I, 3>(plan, indices, next),
        _ => of::<I, 4>(plan, indices, next),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use crate::plan::Direction::Scatter;
    use crate::plan::tests::{elements, nd, packed};
    use crate::{Error, Gather};

    const MANY: usize = 1 << 18;

    /// The positions, an empty list for an index out of bounds.
    fn found<I: Index>(plan: &Plan, indices: &[I]) -> Option<Vec<u16>> {
        positions::<f32, I>(plan, indices)
            .map(|found| found.map_or(vec![], |(_, positions)| positions))
    }

    fn pairs(rows: usize, columns: usize, count: usize) -> Plan {
        nd(Scatter, &packed([rows, columns]), &packed([count, 2]), &packed([count]), 0)
    }

    #[test]
    fn positions_are_those_of_all_coordinates() {
        let plan = pairs(1000, 700, MANY / 2);
        let mut indices: Vec<i64> = (0..MANY as i64 / 2)
            .flat_map(|n| [n * 7 % 1000 - 1000 * (n % 2), n * 11 % 700])
            .collect();
        let expected: Vec<u16> =
            (0..MANY / 2).flat_map(|n| [(n * 7 % 1000) as u16, (n * 11 % 700) as u16]).collect();
        assert!(found(&plan, &indices) == Some(expected));
        for (place, value) in [
            (0, 1000),
            (MANY - 1, -701),
            (MANY / 3 * 2, -1001),
            (MANY / 2, i64::MIN),
            (MANY / 2, 1 << 16),
        ] {
            let old = std::mem::replace(&mut indices[place], value);
            assert_eq!(found(&plan, &indices), Some(vec![]), "{place} {value}");
            indices[place] = old;
        }
        let (plan, positions) = positions::<f32, _>(&plan, &indices).unwrap().ok().unwrap();
        assert_eq!((plan.start.indices, plan.lengths.indices, positions.len()), (0, MANY, MANY));
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn threads_find_the_same() {
        let plan = nd(Scatter, &packed([100, 90, 80]), &packed([90_001, 3]), &packed([90_001]), 0);
        let mut indices: Vec<i64> =
            (0..90_001).flat_map(|n| [n % 100, -1 - n * 3 % 90, n * 7 % 80]).collect();
        let expected = found(&plan, &indices).unwrap();
        let par = |threads, indices: &[i64]| {
            par_positions::<f32, _>(&plan, indices, threads)
                .unwrap()
                .map_or(vec![], |(_, positions)| positions)
        };
        assert!([1, 2, 3, 7, 64].iter().all(|threads| par(*threads, &indices) == expected));
        for bad in [0, 270_002, 75_000] {
            let old = std::mem::replace(&mut indices[bad], 100);
            assert!([1, 2, 7].iter().all(|threads| par(*threads, &indices).is_empty()), "{bad}");
            indices[bad] = old;
        }
    }

    #[test]
    fn an_axis_has_2_to_the_16_positions_at_most() {
        let indices = vec![65_535_u64; MANY];
        let last = |size: usize| {
            found(
                &elements(
                    Scatter,
                    &packed([size, 8]),
                    &packed([MANY / 8, 8]),
                    &packed([MANY / 8, 8]),
                    0,
                ),
                &indices,
            )
        };
        assert!(last(1 << 16) == Some(vec![65_535; MANY]));
        assert_eq!(last((1 << 16) + 1), None);
    }

    #[test]
    fn what_is_not_worth_it() {
        let worth = |plan: Plan| found(&plan, &vec![0_i64; plan.lengths.indices]).is_some();
        assert_eq!(
            [MANY / 2, MANY / 2 - 1].map(|count| worth(pairs(1000, 700, count))),
            [true, false]
        );
        assert_eq!(
            [1 << 22, (1 << 22) + 1].map(|count| worth(pairs(1000, 700, count))),
            [true, false]
        );
        assert_eq!([513, 512].map(|rows| worth(pairs(rows, 512, MANY))), [true, false]);
        let rows = nd(Scatter, &packed([1000, 700, 2]), &packed([MANY, 2]), &packed([MANY, 2]), 0);
        assert!(!worth(rows));
        let mut skips = pairs(1000, 700, MANY);
        skips.set_bounds(Bounds::Skip);
        assert!(!worth(skips));
        let apart = |stride| {
            nd(
                Scatter,
                &packed([1000, 700]),
                &Layout::strided([MANY, 2], [stride, 1]),
                &packed([MANY]),
                0,
            )
        };
        assert_eq!([2, 3].map(|stride| worth(apart(stride))), [true, false]);
        let lanes = |stride| {
            elements(
                Scatter,
                &packed([1000, 700]),
                &Layout::strided([400, 700], [stride, 1]),
                &packed([400, 700]),
                0,
            )
        };
        assert_eq!([700, 701].map(|stride| worth(lanes(stride))), [true, false]);
        let plan = pairs(1000, 700, MANY);
        assert_eq!(found(&plan, &vec![0_i32; 2 * MANY]), None);
        assert_eq!(found(&plan, &vec![0_i64; 2 * MANY - 1]), None);
        let later = nd(
            Scatter,
            &packed([1000, 700]),
            &packed([MANY, 2]).with_offset(5),
            &packed([MANY]),
            0,
        );
        let indices: Vec<i64> = (0..2 * MANY as i64 + 5).map(|n| n % 600).collect();
        assert!(
            found(&later, &indices)
                .unwrap()
                .iter()
                .enumerate()
                .all(|(n, position)| usize::from(*position) == (n + 5) % 600)
        );
    }

    #[test]
    fn scatters_and_gathers_are_those_of_narrow_indices() {
        let (table, count) = (packed([900, 400]), 150_000);
        let (indices, updates) = (packed([count, 2]), packed([count]));
        let scatter = crate::Scatter::nd(&table, &indices, &updates, 0).unwrap();
        let mut ids: Vec<i64> =
            (0..count as i64).flat_map(|n| [n * n % 900 - 900, n * 7 % 400]).collect();
        let narrow: Vec<i16> = ids.iter().map(|index| *index as i16).collect();
        let values: Vec<u32> = (0..count as u32).collect();
        let new = || vec![9_u32; 900 * 400];
        let (mut set, mut sums, mut expected_set, mut expected_sums) = (new(), new(), new(), new());
        scatter.run(&mut set, &ids, &values).unwrap();
        scatter.reduce(crate::Add, &mut sums, &ids, &values).unwrap();
        scatter.run(&mut expected_set, &narrow, &values).unwrap();
        scatter.reduce(crate::Add, &mut expected_sums, &narrow, &values).unwrap();
        assert!(set == expected_set && sums == expected_sums && set != new() && sums != set);
        let [mut set, mut sums] = [vec![0; 900 * 400], vec![0; 900 * 400]];
        scatter.run_into(&new(), &ids, &values, &mut set).unwrap();
        scatter.reduce_into(crate::Add, &new(), &ids, &values, &mut sums).unwrap();
        assert!(set == expected_set && sums == expected_sums);
        #[cfg(feature = "rayon")]
        {
            let (mut set, mut sums) = (new(), new());
            scatter.par_run(&mut set, &ids, &values).unwrap();
            scatter.par_reduce(crate::Add, &mut sums, &ids, &values).unwrap();
            assert!(set == expected_set && sums == expected_sums);
        }

        let before = set.clone();
        ids[2 * count - 1] = 400;
        let error =
            Error::IndexOutOfBounds { entry: count - 1, coordinate: 1, value: 400, size: 400 };
        assert_eq!(scatter.run(&mut set, &ids, &values), Err(error));
        assert_eq!(scatter.reduce(crate::Add, &mut set, &ids, &values), Err(error));
        assert_eq!(scatter.run_into(&new(), &ids, &values, &mut set), Err(error));
        assert!(set == before);

        let (input, square) = (packed([2000, 200]), packed([1500, 200]));
        let gather = Gather::elements(&input, &square, &square, 0).unwrap();
        let mut ids: Vec<i64> = (0..300_000).map(|n| n * 31 % 4000 - 2000).collect();
        let narrow: Vec<i16> = ids.iter().map(|index| *index as i16).collect();
        let numbers: Vec<u32> = (0..400_000).collect();
        let (mut output, mut expected) = (vec![0; 300_000], vec![0; 300_000]);
        gather.run(&numbers, &ids, &mut output).unwrap();
        gather.run(&numbers, &narrow, &mut expected).unwrap();
        assert!(
            output == expected && output[777] == (777 * 31 % 4000 + 2000) % 2000 * 200 + 777 % 200
        );
        ids[299_999] = -2001;
        assert_eq!(
            gather.run(&numbers, &ids, &mut output),
            Err(Error::IndexOutOfBounds {
                entry: 299_999,
                coordinate: 0,
                value: -2001,
                size: 2000
            })
        );
    }
}
