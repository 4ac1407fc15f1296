//! Finds two entries of the indices that address the same place, with one bit of scratch for each
//! place.

#[cfg(feature = "std")]
use crate::cells::clear_flags_of;
use crate::cells::{clear_flags, flags_len, set};
#[cfg(feature = "std")]
use crate::engine::few::Few;
#[cfg(feature = "std")]
use crate::engine::tuning;
use crate::error::Error;
use crate::indices::sealed::Places;
use crate::plan::Plan;
use crate::proof::scratch;
use crate::run;
use crate::walk::{Entries, Position};

/// Proves the indices, and that no two entries lead to the same cell.
#[inline]
pub(crate) fn check<S: Places>(plan: &Plan, indices: S, flags: &mut [u32]) -> Result<(), Error> {
    #[cfg(feature = "std")]
    if plan.entries() <= tuning::FEW_CELLS && plan.cells_fit() && !plan.empty {
        indices.fit(plan.lengths.indices)?;
        let mut unique = Ok(());
        let inside =
            Few::any(plan).run::<_, true>(indices, |cells| unique = find_few(plan, cells, flags));
        return run::written(plan, indices, inside).and(unique);
    }
    run::with_entries(plan, indices, false, |entries| find(plan, entries, flags))
}

/// Fails with the first entry whose place an earlier one has taken.
fn find(plan: &Plan, entries: &mut impl Entries, flags: &mut [u32]) -> Result<(), Error> {
    let flags = scratch(flags, flags_len(plan))?;
    clear_flags(plan, entries, flags);
    let Some(second) = entries.find(|at| set(flags, at.cell)) else { return Ok(()) };
    let entry = |at: Position| at.entry.wrapping_mul(plan.entry_weight);
    match entries.find(|at| at.cell == second.cell) {
        Some(first) => Err(Error::DuplicateIndex { first: entry(first), second: entry(second) }),
        None => Ok(()),
    }
}

/// [`find`] among the cells of few entries, in order. One that is left out has none.
#[cfg(feature = "std")]
#[inline(never)]
fn find_few(plan: &Plan, cells: &[u32], flags: &mut [u32]) -> Result<(), Error> {
    let flags = scratch(flags, flags_len(plan))?;
    clear_flags_of(cells, flags);
    let Some(second) = cells.iter().position(|cell| set(flags, *cell as usize)) else {
        return Ok(());
    };
    let entry = |at: usize| at.wrapping_mul(plan.entry_weight);
    match cells.iter().position(|cell| cells.get(second) == Some(cell)) {
        Some(first) => Err(Error::DuplicateIndex { first: entry(first), second: entry(second) }),
        None => Ok(()),
    }
}

#[cfg(test)]
#[cfg(feature = "std")]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::check;
    use crate::engine::tuning::FEW_CELLS;
    use crate::{Bounds, Error, Layout, Nullable, Scatter, Sequence};

    fn position(index: i64, size: usize, bounds: Bounds) -> Option<i64> {
        let size = size as i64;
        match bounds {
            _ if (-size..size).contains(&index) => Some(index.rem_euclid(size)),
            Bounds::Clamp => Some(index.clamp(0, size - 1)),
            Bounds::Wrap => Some(index.rem_euclid(size)),
            _ => None,
        }
    }

    /// The first entry whose place an earlier one has, and the first one that has it.
    fn duplicate(places: &[Option<Vec<i64>>]) -> Result<(), Error> {
        let pair = |second: usize| {
            let place = places[second].as_ref()?;
            let first = places.iter().position(|other| other.as_ref() == Some(place))?;
            (first < second).then_some(Error::DuplicateIndex { first, second })
        };
        (0..places.len()).find_map(pair).map_or(Ok(()), Err)
    }

    /// Tuples, batches, `elements` along the last axis, and lanes with gaps, by indices that may
    /// not count, against lists of places.
    #[test]
    fn every_kind_of_few_entries() {
        let mut state = 7_u64;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % n
        };
        let (mut unique, mut twice, mut bad) = ([0; 4], [0; 4], [0; 4]);
        for number in 0..4000 {
            let (kind, rows, length) = (number % 4, 1 + below(8), 1 + below(16));
            let (far, gap) = (1 + below(60), below(3));
            let bounds = [Bounds::Error, Bounds::Clamp, Bounds::Wrap, Bounds::Skip][below(4)];
            // What is chosen from, its data, and the steps of the indices.
            let (axes, data, tuple) = match kind {
                0 => (vec![far, 40], vec![far, 40, 2], 2),
                1 => (vec![far, 9], vec![rows, far, 9], 2),
                2 => (vec![far * 5], vec![rows, far * 5], 1),
                _ => (vec![far * 9], vec![far * 9, 3], 1),
            };
            let planes = tuple == 2 && below(2) == 0;
            let (step, coordinate) = if planes { (1, 150) } else { (tuple, 1) };
            let pitch = length * step + gap;
            let steps = [pitch, step, coordinate].map(|step| step as isize);
            let layout = match kind {
                2 | 3 => Layout::strided([rows, length], [steps[0], steps[1]]),
                _ => Layout::strided([rows, length, 2], steps),
            };
            let packed = |sizes: &[usize]| Layout::packed(sizes);
            let scatter = match kind {
                0 => Scatter::nd(&packed(&data), &layout, &packed(&[rows, length, 2]), 0),
                1 => Scatter::nd(&packed(&data), &layout, &packed(&[rows, length]), 1),
                2 => Scatter::elements(&packed(&data), &layout, &packed(&[rows, length]), 1),
                _ => Scatter::axis(&packed(&data), &layout, &packed(&[rows, length, 3]), 0),
            };
            let plan = scatter.unwrap().bounds(bounds).plan;
            assert!(plan.entries() <= FEW_CELLS);

            let (mut indices, mut valid) = (vec![i64::MAX; plan.lengths.indices], vec![]);
            let place = |entry: usize, k: usize| {
                entry / length * pitch + entry % length * step + k * coordinate
            };
            let spoils = bounds != Bounds::Error || below(4) == 0;
            for (entry, k) in (0..rows * length).flat_map(|n| (0..tuple).map(move |k| (n, k))) {
                let size = axes[k] as i64;
                let index = below(2 * axes[k]) as i64 - size;
                let outside = spoils && below(20) == 0;
                indices[place(entry, k)] = if outside { index + 3 * size } else { index };
            }
            valid.extend(indices.iter().map(|_| below(5) > 0));
            let all = vec![true; valid.len()];
            for (nullable, valid) in [(false, &all), (true, &valid)] {
                let (mut places, mut fails) = (vec![], false);
                for entry in 0..rows * length {
                    let counts = (0..tuple).all(|k| valid[place(entry, k)]);
                    let mut at = match kind {
                        1 | 2 => vec![(entry / length) as i64],
                        _ => vec![],
                    };
                    let tuple = (0..tuple).map(|k| (indices[place(entry, k)], axes[k]));
                    let found = tuple.map(|(index, size)| position(index, size, bounds));
                    let found: Option<Vec<i64>> = found.collect();
                    fails |= counts && found.is_none() && bounds == Bounds::Error;
                    places.push(found.filter(|_| counts).map(|found| {
                        at.extend(found);
                        at
                    }));
                }
                let mut flags = vec![u32::MAX; crate::cells::flags_len(&plan)];
                let found = if nullable {
                    check(&plan, Nullable::bools(&indices, valid), &mut flags)
                } else {
                    check(&plan, indices.as_slice(), &mut flags)
                };
                if fails {
                    bad[kind] += 1;
                    assert!(matches!(found, Err(Error::IndexOutOfBounds { .. })), "{number}");
                    continue;
                }
                *(if found.is_ok() { &mut unique } else { &mut twice }).get_mut(kind).unwrap() += 1;
                assert_eq!(found, duplicate(&places), "{number} {nullable} {bounds:?}");
            }
        }
        let least = [unique, twice, bad].map(|counts| counts.into_iter().min());
        assert!(least.iter().all(|count| *count > Some(20)), "{unique:?} {twice:?} {bad:?}");
    }

    /// Circular sequences write other places with each step: also at their ends, where they go on
    /// at the start of the axis, and in batches that start alike.
    #[test]
    fn few_entries_of_rings() {
        for (batches, size, steps) in [(1, 5, 5), (3, 7, 4), (8, 16, 16), (2, 1, 1)] {
            let [cache, tokens] = [size, steps].map(|size| Layout::contiguous([batches, size, 2]));
            let starts = Layout::contiguous([batches]);
            let mode = Sequence::Circular;
            let scatter = Scatter::sequence(&cache, &starts, &tokens, 1, mode).unwrap();
            assert!(scatter.plan.entries() <= FEW_CELLS);
            let mut flags = vec![u32::MAX; scatter.flags_len()];
            for start in [0, 1, size as i64 - 1, -1, 1000] {
                let starts = vec![start; batches];
                assert!(scatter.check_unique(&starts, &mut flags).is_ok(), "{size} {start}");
            }
        }
        // Two batches that share a cache write its places twice.
        let cache = Layout::contiguous([2, 6]);
        let tokens = Layout::contiguous([2, 4]);
        let starts = Layout::contiguous([2]);
        let scatter = Scatter::sequence(&cache, &starts, &tokens, 1, Sequence::Circular).unwrap();
        let mut plan = scatter.plan;
        plan.dims.iter_mut().for_each(|dim| dim.cell = if dim.indices == 4 { 0 } else { dim.cell });
        for (starts, pair) in
            [([0, 0], (0, 4)), ([5, 2], (3, 4)), ([5, 3], (0, 6)), ([4, 3], (0, 5))]
        {
            let found = check(&plan, starts.as_slice(), &mut [0; 1]);
            let (first, second) = pair;
            assert_eq!(found, Err(Error::DuplicateIndex { first, second }), "{starts:?}");
        }
    }

    #[test]
    fn few_entries_are_as_many() {
        // With the same flags: those that an earlier call has left mean nothing.
        let mut flags = [u32::MAX; 400];
        for entries in [1, 2, 31, 127, 128, 129, 300] {
            for size in [entries, 12_000] {
                let layouts = [size, entries].map(|size| Layout::packed(&[size, 3]));
                let [data, updates] = &layouts;
                let indices = Layout::packed(&[entries]);
                let scatter = Scatter::axis(data, &indices, updates, 0).unwrap();
                let skips = scatter.bounds(Bounds::Skip);
                let mut indices: Vec<i64> = (0..entries as i64).rev().collect();
                assert!(scatter.check_unique(&indices, &mut flags).is_ok(), "{entries}");
                let short = flags.get_mut(..scatter.flags_len() - 1).unwrap();
                let error = scatter.check_unique(&indices, short).err();
                assert!(matches!(error, Some(Error::ScratchTooShort { .. })), "{entries}");
                // The first entry leads to the place of the last but one.
                if entries > 2 {
                    let (last, second) = (entries - 1, entries - 2);
                    *indices.get_mut(0).unwrap() = 1 - size as i64;
                    let error = scatter.check_unique(&indices, &mut flags).unwrap_err();
                    assert_eq!(error, Error::DuplicateIndex { first: 0, second });
                    // Both are left out, and the other one is not.
                    *indices.get_mut(0).unwrap() = size as i64;
                    *indices.get_mut(second).unwrap() = size as i64;
                    assert!(skips.check_unique(&indices, &mut flags).is_ok());
                    *indices.get_mut(1).unwrap() = 0;
                    let error = skips.check_unique(&indices, &mut flags).unwrap_err();
                    assert_eq!(error, Error::DuplicateIndex { first: 1, second: last });
                    let error = scatter.check_unique(&indices, &mut flags).unwrap_err();
                    assert!(matches!(error, Error::IndexOutOfBounds { entry: 0, .. }));
                }
            }
        }
    }
}
