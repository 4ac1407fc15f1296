//! Indices and updates that do not lie in the order of the walk, one after the other: repeated ones, which have stride 0, those that overlap, and those with gaps or in another order.
//!
//! Vectors read what is packed. So some at a time are copied to a scratch that stays in a cache, from which they go; updates that are repeated for all entries are copied once.

use crate::element::Element;
use crate::gather::Take;
use crate::index::Index;
use crate::plan::Plan;
use crate::vectors::pieces::Shares;
use crate::walk::{self, Odometer, Position};

/// The bytes of a scratch, at most: there is one for indices, and one for updates.
const SCRATCH: usize = 1 << 16;

/// The bytes of a row of updates that is worth a copy, at most, and of one that is repeated for all entries. (With copies, rows of 4 elements of 4 bytes take half to three quarters of the time, those of 16 as long,
/// longer ones up to two fifths more; repeated ones a sixth to a half, those of 128 elements half to nine tenths.)
const ROW: usize = 1 << 6;
const REPEATED_ROW: usize = 1 << 9;

/// Longer rows than [`ROW`] are repeated in so many scratches, at least.
const TIMES: usize = 4;

/// The bytes of an index, at most.
const INDEX: usize = 8;

/// Runs a plan with indices and updates. `false`: it could not be run.
pub(crate) type Visit<'a, I, T> = dyn FnMut(&Plan, &[I], &[T]) -> bool + 'a;

/// A plan whose indices or updates are to be packed, and what it then is.
pub(crate) struct Loose {
    pub plan: Plan,
    pub packed: Plan,
    pub indices: bool,
    updates: bool,
    /// Whether all entries have the same updates.
    pub repeated: bool,
    /// The entries that are packed at a time.
    entries: usize,
}

impl Loose {
    /// A plan whose indices are to be packed. `None`: they are, or would not be then. There are loops in vectors for tuples of up to 4.
    pub(crate) fn indices(plan: &Plan) -> Option<Loose> {
        if plan.packed_tuple > 0 || plan.tuple > 4 || plan.empty {
            return None;
        }
        let packed = plan.on_packed_indices();
        let entries = SCRATCH / (INDEX * plan.tuple.max(1));
        (packed.packed_tuple > 0).then_some(Loose {
            plan: *plan,
            packed,
            indices: true,
            updates: false,
            repeated: false,
            entries,
        })
    }

    /// A gather's plan whose indices are to be packed.
    pub(crate) fn of_gather(plan: &Plan) -> Option<Loose> {
        Loose::indices(plan).filter(|loose| loose.packed.packed_row > 0)
    }

    /// A scatter's plan whose indices or updates are to be packed. `None`: they are, or the plan would not be then.
    pub(crate) fn of_scatter<T>(plan: &Plan) -> Option<Loose> {
        if plan.packed_row > 0 {
            return Loose::indices(plan);
        }
        let ordered = plan.in_data_order();
        // Indices would be packed once for each step of the dimensions before the axis.
        if ordered.is_some() && plan.packed_tuple == 0 {
            return None;
        }
        let plan = ordered.unwrap_or(*plan);
        let flat = plan.on_packed_flat();
        let loose = Loose::indices(&flat);
        let packed = loose.as_ref().map_or(flat, |loose| loose.packed);
        if !packed.is_packed() || packed.packed_tuple > 4 {
            return None;
        }
        let repeated = plan.outer().iter().all(|dim| dim.flat == 0);
        let bytes = |elements: usize| elements.saturating_mul(size_of::<T>());
        let longest = if repeated && bytes(packed.lengths.flat) >= TIMES * SCRATCH {
            REPEATED_ROW
        } else {
            ROW
        };
        let row = bytes(packed.packed_row);
        let entries =
            (SCRATCH / row.max(1)).min(loose.as_ref().map_or(SCRATCH, |loose| loose.entries));
        (row <= longest).then_some(Loose {
            plan,
            packed,
            indices: loose.is_some(),
            updates: true,
            repeated,
            entries,
        })
    }

    /// Hands plans for some entries at a time on, in order, with packed indices and updates, until `visit` says that one could not be run.
    pub(crate) fn all<T: Element, I: Index>(
        &self,
        indices: &[I],
        updates: &[T],
        visit: &mut Visit<I, T>,
    ) -> bool {
        let (mut packed_indices, mut packed_updates) = (Vec::new(), Vec::new());
        Shares { rest: vec![self.plan], entries: self.entries }.all(|plan| {
            let mut packed = plan;
            let (mut indices, mut updates) = (indices, updates);
            if self.updates {
                packed = packed.on_packed_flat();
                let length = packed.lengths.flat;
                if !self.repeated || packed_updates.len() < length {
                    pack(&plan.flat_to(&packed), updates, length, &mut packed_updates);
                }
                updates = packed_updates.get(..length).unwrap_or_default();
            }
            if self.indices {
                packed = packed.on_packed_indices();
                if plan.has_runs() {
                    pack_runs(&plan, indices, packed.lengths.indices, &mut packed_indices);
                } else {
                    pack(
                        &plan.indices_to(&packed),
                        indices,
                        packed.lengths.indices,
                        &mut packed_indices,
                    );
                }
                indices = &packed_indices;
            }
            visit(&packed, indices, updates)
        })
    }
}

/// Copies what the plan says to so many elements.
fn pack<T: Element>(plan: &Plan, from: &[T], length: usize, to: &mut Vec<T>) {
    if let Some(first) = from.get(plan.start.table) {
        to.resize(length, *first);
        walk::run::<u8, true>(plan, &[], Take { input: from, output: to });
    }
}

/// Copies tuples of 2 to 4 that [have runs](Plan::has_runs), a lane at a time: neighbours of all runs together, which compilers do in vectors.
fn pack_runs<I: Index>(plan: &Plan, from: &[I], length: usize, to: &mut Vec<I>) {
    let Some(first) = from.get(plan.start.indices) else { return };
    to.resize(length, *first);
    let (lane, outer) = walk::split_lane(plan.outer());
    let (mut at, mut odometer) = (Position::first(plan), Odometer::new());
    for tuples in to.chunks_mut(lane.size.saturating_mul(plan.tuple).max(1)) {
        let run = |k| {
            from.get(at.indices.wrapping_add_signed(plan.tuple_stride.wrapping_mul(k))..)
                .unwrap_or_default()
        };
        match plan.tuple {
            2 => {
                for ([a, b], (from_a, from_b)) in
                    tuples.as_chunks_mut().0.iter_mut().zip(run(0).iter().zip(run(1)))
                {
                    (*a, *b) = (*from_a, *from_b);
                }
            }
            3 => {
                let runs = run(0).iter().zip(run(1)).zip(run(2));
                for ([a, b, c], ((from_a, from_b), from_c)) in
                    tuples.as_chunks_mut().0.iter_mut().zip(runs)
                {
                    (*a, *b, *c) = (*from_a, *from_b, *from_c);
                }
            }
            _ => {
                let runs = run(0).iter().zip(run(1)).zip(run(2)).zip(run(3));
                for ([a, b, c, d], (((from_a, from_b), from_c), from_d)) in
                    tuples.as_chunks_mut().0.iter_mut().zip(runs)
                {
                    (*a, *b, *c, *d) = (*from_a, *from_b, *from_c, *from_d);
                }
            }
        }
        odometer.step(outer, &mut at);
    }
}

/// Hands a scatter's plan on, or plans for some of its entries at a time, in order, with packed indices and updates where there can be such. `false`: one could not be run.
pub(crate) fn all<T: Element, I: Index>(
    plan: &Plan,
    indices: &[I],
    updates: &[T],
    visit: &mut Visit<I, T>,
) -> bool {
    match Loose::of_scatter::<T>(plan) {
        Some(loose) => loose.all(indices, updates, visit),
        None => visit(plan, indices, updates),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use crate::plan::Direction::Scatter as Changed;
    use crate::plan::tests::{axis, nd, packed};
    use crate::{Add, Bounds, Error, Scatter};

    /// The elements of a tensor in row-major order.
    fn elements<T: Copy>(layout: &Layout, slice: &[T]) -> Vec<T> {
        let steps =
            |d: usize| (0..layout.size(d)).map(move |step| step as isize * layout.stride(d));
        let starts = (0..layout.rank()).fold(vec![layout.offset()], |starts, d| {
            starts
                .iter()
                .flat_map(|start| steps(d).map(|step| start.wrapping_add_signed(step)))
                .collect()
        });
        starts.into_iter().map(|place| slice[place]).collect()
    }

    fn numbers(count: usize) -> Vec<f32> {
        (0..count).map(|n| (n % 1009 * 7919 % 1009) as f32 / 8.0 - 50.0).collect()
    }

    #[test]
    fn packed_updates_are_handed_on_as_they_are() {
        let many = packed([100_000]);
        let (plan, updates) = (axis(Changed, &packed([9]), &many, &many, 0), numbers(100_000));
        let mut calls = 0;
        assert!(all(&plan, &[0_u8], &updates, &mut |found, _, read| {
            calls += 1;
            *found == plan && core::ptr::eq(read, &raw const *updates)
        }));
        assert_eq!(calls, 1);
    }

    #[test]
    fn others_are_packed_some_at_a_time() {
        let count = SCRATCH / size_of::<f32>() + 1;
        let rows = count.div_ceil(4);
        for (table, indices, updates) in [
            (packed([9]), packed([count]), Layout::strided([count], [0]).with_offset(3)),
            (packed([9]), packed([count]), Layout::strided([count], [-3]).with_offset(3 * count)),
            (packed([9]), packed([250, 70]), Layout::strided([250, 70], [1, 250])),
            (packed([9, 4]), packed([rows]), Layout::strided([rows, 4], [0, 1])),
            (packed([9, 4]), packed([rows]), Layout::strided([rows, 4], [5, 1])),
            (packed([9, 4]), packed([rows]), Layout::strided([rows, 4], [1, rows as isize])),
        ] {
            let plan = axis(Changed, &table, &indices, &updates, 0);
            let slice = numbers(plan.lengths.flat);
            let (mut found, mut parts) = (Vec::new(), 0);
            let mut visit = |plan: &Plan, _: &[u8], updates: &[f32]| {
                assert!(
                    plan.is_packed()
                        && plan.start.flat == 0
                        && plan.lengths.flat == updates.len()
                        && size_of_val(updates) <= SCRATCH
                );
                found.extend_from_slice(updates);
                parts += 1;
                true
            };
            assert!(all(&plan, &[0_u8], &slice, &mut visit));
            assert!(found == elements(&updates, &slice) && parts > 1, "{updates:?}");
            let mut left = 2;
            let mut stop = |_: &Plan, _: &[u8], _: &[f32]| {
                left -= 1;
                left > 0
            };
            assert!(!all(&plan, &[0_u8], &slice, &mut stop));
            assert_eq!(left, 0);
        }
    }

    #[test]
    fn what_is_not_packed_is_handed_on_as_it_is() {
        let packed_then = |table: &Layout, indices: &Layout, updates: &Layout| {
            Loose::of_scatter::<f32>(&axis(Changed, table, indices, updates, 0)).is_some()
        };
        let ids = packed([100]);
        let rows = |width: usize, step| {
            packed_then(&packed([9, width]), &ids, &Layout::strided([100, width], [step, 1]))
        };
        assert_eq!([ROW / 4, ROW / 4 + 1].map(|width| rows(width, 50)), [true, false]);
        let repeated = |width: usize, scratches| {
            let ids = packed([scratches * SCRATCH / 4 / width]);
            packed_then(&packed([9, width]), &ids, &Layout::strided([ids.size(0), width], [0, 1]))
        };
        assert_eq!(
            [(128, TIMES), (256, TIMES), (128, TIMES - 1), (16, 1)]
                .map(|(width, scratches)| repeated(width, scratches)),
            [true, false, false, true]
        );
        // Rows of the table that are none; indices with gaps, for many pieces of the table.
        assert!(!packed_then(&Layout::strided([9, 4], [1, 9]), &ids, &packed([100, 4])));
        let last = |step| {
            Loose::of_scatter::<f32>(&axis(
                Changed,
                &packed([50, 9]),
                &Layout::strided([100], [step]),
                &Layout::strided([50, 100], [0, 0]),
                1,
            ))
        };
        assert_eq!([1, 2].map(|step| last(step).is_some()), [true, false]);
        let tuples = |k: usize| {
            let table = Layout::from_sizes(&[5; 6][..k]).unwrap();
            Loose::of_scatter::<f32>(&nd(
                Changed,
                &table,
                &packed([100, k]),
                &Layout::strided([100], [0]),
                0,
            ))
            .is_some()
        };
        assert_eq!([1, 4, 5].map(tuples), [true, true, false]);
    }

    /// The same as with packed ones, also where the data are walked in another order, and by blocks of columns.
    #[test]
    fn what_they_make_of_the_data() {
        let [axis_0, axis_1] = [0, 1].map(|d| {
            move |data: &Layout, ids: &Layout, updates: &Layout| {
                Scatter::axis(data, ids, updates, d)
            }
        });
        let [elements_0, elements_1] = [0, 1].map(|d| {
            move |data: &Layout, ids: &Layout, updates: &Layout| {
                Scatter::elements(data, ids, updates, d)
            }
        });
        let by_tuples =
            |data: &Layout, ids: &Layout, updates: &Layout| Scatter::nd(data, ids, updates, 0);
        type Make<'a> = &'a dyn Fn(&Layout, &Layout, &Layout) -> Result<Scatter, Error>;
        let cases: [(Make, Layout, Layout, Layout); 14] = [
            (&axis_0, packed([1000]), packed([40_000]), Layout::strided([40_000], [0])),
            (
                &axis_0,
                packed([1 << 19]),
                packed([300_000]),
                Layout::strided([300_000], [-2]).with_offset(599_998),
            ),
            (&axis_0, packed([500, 7]), packed([9000]), Layout::strided([9000, 7], [0, 1])),
            (&axis_0, packed([500, 7]), packed([9000]), Layout::strided([9000, 7], [0, 0])),
            // Pieces before the axis, the same update for all of them, or for none.
            (&axis_1, packed([50, 90]), packed([700]), Layout::strided([50, 700], [0, 0])),
            (&axis_1, packed([50, 90]), packed([700]), Layout::strided([50, 700], [1400, 2])),
            (&axis_1, packed([50, 90, 3]), packed([700]), Layout::strided([50, 700, 3], [0, 0, 1])),
            (
                &axis_1,
                Layout::strided([50, 90], [1, 50]),
                packed([700]),
                Layout::strided([50, 700], [0, 0]),
            ),
            (
                &elements_0,
                packed([2048, 200]),
                packed([2048, 180]),
                Layout::strided([2048, 180], [0, 0]),
            ),
            (
                &elements_1,
                packed([300, 200]),
                packed([290, 180]),
                Layout::strided([290, 180], [1, 290]),
            ),
            (&by_tuples, packed([700, 800]), packed([150_000, 2]), Layout::strided([150_000], [0])),
            // Indices that overlap, and with gaps; both are to be packed.
            (
                &by_tuples,
                packed([700, 800]),
                Layout::strided([50_000, 2], [1, 1]),
                packed([50_000]),
            ),
            (
                &axis_0,
                packed([1000]),
                Layout::strided([40_000], [-2]).with_offset(79_998),
                Layout::strided([40_000], [0]),
            ),
            (
                &by_tuples,
                packed([70, 80, 4]),
                Layout::strided([300, 70, 2], [1, 300, 21_000]),
                Layout::strided([300, 70, 4], [1, 1200, 300]),
            ),
        ];
        for (make, data, ids, updates) in &cases {
            let all = Layout::from_sizes(updates.sizes()).unwrap();
            let size = *data.sizes().iter().min().unwrap() as i64;
            let mut indices: Vec<i64> =
                (0..ids.extent().unwrap() as i64).map(|n| n * n % (2 * size) - size).collect();
            let slice = numbers(updates.extent().unwrap());
            let old = numbers(data.extent().unwrap());
            let packed_slice = elements(updates, &slice);
            let all_ids = Layout::from_sizes(ids.sizes()).unwrap();
            for bounds in [Bounds::Error, Bounds::Skip] {
                if bounds == Bounds::Skip {
                    indices.iter_mut().step_by(5).for_each(|index| *index += 1_000_000);
                }
                let [loose, packed] = [(ids, updates), (&all_ids, &all)]
                    .map(|(ids, updates)| make(data, ids, updates).unwrap().bounds(bounds));
                let packed_ids = elements(ids, &indices);
                let changed = |scatter: &Scatter, indices: &[i64], updates: &[f32]| {
                    let [mut set, mut sum, mut in_order] = [(); 3].map(|()| old.clone());
                    scatter.run(&mut set, indices, updates).unwrap();
                    scatter.reduce(Add, &mut sum, indices, updates).unwrap();
                    scatter
                        .reduce(
                            |current: f32, update: f32| current / 2.0 + update,
                            &mut in_order,
                            indices,
                            updates,
                        )
                        .unwrap();
                    (set, sum, in_order)
                };
                assert!(
                    changed(&loose, &indices, &slice)
                        == changed(&packed, &packed_ids, &packed_slice),
                    "{data:?} {ids:?} {updates:?}"
                );
            }
            *indices.last_mut().unwrap() = 1_000_000;
            let (scatter, mut found) = (make(data, ids, updates).unwrap(), old.clone());
            assert!(matches!(
                scatter.reduce(Add, &mut found, &indices, &slice),
                Err(Error::IndexOutOfBounds { .. })
            ));
            assert!(matches!(
                scatter.run(&mut found, &indices, &slice),
                Err(Error::IndexOutOfBounds { .. })
            ));
            assert!(found == old);
        }
    }

    #[test]
    fn what_is_gathered_by_loose_indices() {
        let table = numbers(600 * 700);
        for (sizes, indices, output) in [
            (&[1000][..], Layout::strided([40_000, 1], [2, 1]), packed([40_000])),
            (&[600, 700], Layout::strided([30_000, 2], [1, 1]), packed([30_000])),
            (
                &[600, 700],
                Layout::strided([300, 100, 2], [1, 300, 30_000]),
                Layout::strided([300, 100], [101, 1]),
            ),
            (&[600, 7], Layout::strided([9000, 1], [-3, 1]).with_offset(26_997), packed([9000, 7])),
            // Coordinates in runs: from the last to the first, of 3 and of 4.
            (
                &[600, 700],
                Layout::strided([30_000, 2], [1, -30_000]).with_offset(30_000),
                packed([30_000]),
            ),
            (&[60, 70, 100], Layout::strided([10_000, 3], [1, 2]), packed([10_000])),
            (&[20, 30, 20, 35], Layout::strided([100, 90, 4], [91, 1, 9100]), packed([100, 90])),
            (&[20, 30, 4], Layout::strided([9000, 2], [1, 9000]), packed([9000, 4])),
        ] {
            let indexed = Layout::from_sizes(sizes).unwrap();
            let all = Layout::from_sizes(indices.sizes()).unwrap();
            let [loose, tight] = [&indices, &all]
                .map(|indices| crate::Gather::nd(&indexed, indices, &output, 0).unwrap());
            let size = *sizes.first().unwrap() as i64;
            let mut ids: Vec<i64> =
                (0..indices.extent().unwrap() as i64).map(|n| n * n % (2 * size) - size).collect();
            let gathered = |gather: &crate::Gather, ids: &[i64]| {
                let mut found = vec![-1.0; output.extent().unwrap()];
                let result = gather.run(&table, ids, &mut found);
                assert_eq!(gather.check(ids).map(|_| ()), result);
                #[cfg(feature = "rayon")]
                {
                    let mut shared = found.clone();
                    assert_eq!(gather.par_run(&table, ids, &mut shared), result);
                    assert!(shared == found || result.is_err());
                }
                (found, result)
            };
            let (found, result) = gathered(&loose, &ids);
            assert!(
                result.is_ok() && found == gathered(&tight, &elements(&indices, &ids)).0,
                "{indices:?}"
            );
            // Nothing is gathered after a bad index.
            let place =
                indices.offset().wrapping_add_signed(5000 * indices.stride(0) % ids.len() as isize);
            ids[place] = 1_000_000;
            let (found, result) = gathered(&loose, &ids);
            let (expected, error) = gathered(&tight, &elements(&indices, &ids));
            assert!(result.is_err() && result == error, "{indices:?}");
            let Err(Error::IndexOutOfBounds { entry, .. }) = result else { continue };
            let row = output.sizes().iter().skip(indices.rank() - 1).product::<usize>();
            assert!(
                [&found, &expected]
                    .map(|found| elements(&output, found))
                    .iter()
                    .all(|found| found[entry * row..].iter().all(|new| *new == -1.0))
            );
        }
    }
}
