//! Every loop with one type of index and two of elements: compiled in seconds, which is why
//! `.ci/mutants` runs it first. The other tests have all types.
#![cfg(feature = "half")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

mod common;

use common::case::{Case, IndexType};
use common::check::{assign, gather_of, reduce};
use common::generate::{self, Direction, KINDS, Kind};
use common::oracle;
use common::values::{Nan, noise, samples};

/// Random cases, the same every time.
fn random(direction: Direction, number: u64, check: impl Fn(&Case, &[oracle::Move], &[i64])) {
    common::path::force();
    for seed in 0..number {
        let mut choices = noise(seed, 0);
        let mut choose = |n: usize| (choices.next().unwrap() % n as u64) as usize;
        let kind = KINDS[choose(4)];
        let make = if seed % 4 == 0 { generate::long_case } else { generate::case };
        let case = make(direction, kind, &mut choose);
        if case.values.iter().all(|value| i64::try_from(*value).is_ok()) {
            check(&case, &oracle::moves(&case), &case.indices_as());
        }
    }
}

fn order(current: i64, update: i64) -> i64 {
    current.wrapping_mul(31).wrapping_add(update)
}

#[test]
fn gathers() {
    random(Direction::Gather, 400, |case, moves, indices| {
        gather_of::<f32, _>(case, moves, indices);
        gather_of::<[u8; 3], _>(case, moves, indices);
    });
}

#[test]
fn sequences() {
    for seed in 0..200 {
        let mut numbers = noise(seed, 0);
        let mut choose = |n: usize| numbers.next().unwrap() as usize % n;
        let make = if seed % 4 == 0 { generate::long_case } else { generate::case };
        let case = make(Direction::Scatter, Kind::Sequence, &mut choose).with_index(IndexType::I64);
        assign(&case, &oracle::moves(&case), &case.indices_as::<i64>(), samples::<f32>);
    }
}

#[test]
fn scatters() {
    random(Direction::Scatter, 400, |case, moves, indices| {
        assign(case, moves, indices, samples::<f32>)
    });
}

#[test]
fn reductions() {
    random(Direction::Scatter, 400, |case, moves, indices| {
        reduce(case, moves, indices, order, order, Nan::Exact)
    });
}

#[cfg(feature = "std")]
mod large {
    use bytemuck::bytes_of;
    use half::f16;
    use strew::{Add, Assign, Bounds, Error, Gather, Layout, Max, Min, Mul, Reduction, Scatter};

    use super::common::values::Sample;
    use super::{common, order, samples};

    /// Sizes of the table and the indices of `elements` along an axis.
    struct Elements {
        name: &'static str,
        table: &'static [usize],
        indices: &'static [usize],
        axis: usize,
    }

    /// Data that do not fit a cache, and small data with many indices.
    const CASES: [Elements; 4] = [
        Elements { name: "columns", table: &[2, 300, 441], indices: &[2, 301, 440], axis: 1 },
        Elements { name: "lanes", table: &[300, 900], indices: &[290, 890], axis: 1 },
        Elements { name: "far", table: &[2_100_001], indices: &[300_001], axis: 0 },
        Elements { name: "bins", table: &[300], indices: &[300_001], axis: 0 },
    ];

    impl Elements {
        /// `(table, flat)` of each entry, by counting.
        fn moves(&self, indices: &[i64], bounds: Bounds) -> Result<Vec<Option<usize>>, Error> {
            let size = self.table[self.axis];
            let place = |(entry, &value): (usize, &i64)| {
                let inside = (-(size as i64)..size as i64)
                    .contains(&value)
                    .then(|| value.rem_euclid(size as i64) as usize);
                let along = match bounds {
                    Bounds::Error if inside.is_none() => {
                        return Err(Error::IndexOutOfBounds {
                            entry,
                            coordinate: 0,
                            value: value.into(),
                            size,
                        });
                    }
                    Bounds::Clamp => Some(inside.unwrap_or(if value < 0 { 0 } else { size - 1 })),
                    Bounds::Wrap => Some(value.rem_euclid(size as i64) as usize),
                    _ => inside,
                };
                let (mut rest, mut address, mut stride) = (entry, 0, 1);
                for d in (0..self.table.len()).rev() {
                    let c =
                        if d == self.axis { along.unwrap_or(0) } else { rest % self.indices[d] };
                    rest /= self.indices[d];
                    address += c * stride;
                    stride *= self.table[d];
                }
                Ok(along.map(|_| address))
            };
            indices.iter().enumerate().map(place).collect()
        }

        fn check(&self, bounds: Bounds, indices: &[i64]) {
            let [table, flat] =
                [self.table, self.indices].map(|sizes| Layout::from_sizes(sizes).unwrap());
            let gather = Gather::elements(&table, &flat, &flat, self.axis).unwrap().bounds(bounds);
            let scatter =
                Scatter::elements(&table, &flat, &flat, self.axis).unwrap().bounds(bounds);
            let (input, before) = (
                samples::<i64>(self.table.iter().product(), 3, 0),
                samples::<i64>(indices.len(), 3, 1),
            );
            let (mut gathered, mut assigned, mut combined) =
                (before.clone(), input.clone(), input.clone());
            let moves = self.moves(indices, bounds);
            for (flat, table) in moves.iter().flatten().enumerate() {
                let Some(table) = table else { continue };
                gathered[flat] = input[*table];
                assigned[*table] = before[flat];
                combined[*table] = order(combined[*table], before[flat]);
            }
            let expected = moves.map(|_| ());
            let same = |what: &str, result, found: &[i64], right: &[i64]| {
                assert_eq!(result, expected, "{what}, {}, {bounds:?}", self.name);
                assert!(found == right, "{what}, {}, {bounds:?}", self.name);
            };
            let mut output = before.clone();
            if expected.is_ok() {
                same("gather", gather.run(&input, indices, &mut output), &output, &gathered);
            }
            let mut data = input.clone();
            same("assign", scatter.run(&mut data, indices, &before), &data, &assigned);
            let mut data = input.clone();
            same("combine", scatter.reduce(order, &mut data, indices, &before), &data, &combined);
            #[cfg(feature = "rayon")]
            if matches!(bounds, Bounds::Error | Bounds::Skip) {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
                let mut output = before.clone();
                let result = pool.install(|| gather.par_run(&input, indices, &mut output));
                if expected.is_ok() {
                    same("par_run", result, &output, &gathered);
                } else {
                    // What comes before the bad index may have been gathered, from the same places
                    // as with the nearest in its stead.
                    assert_eq!(result, expected);
                    let mut all = before.clone();
                    gather.bounds(Bounds::Clamp).run(&input, indices, &mut all).unwrap();
                    assert!(
                        output
                            .iter()
                            .zip(&before)
                            .zip(&all)
                            .all(|((found, old), new)| found == old || found == new)
                    );
                }
                let mut data = input.clone();
                same(
                    "par_run",
                    pool.install(|| scatter.par_run(&mut data, indices, &before)),
                    &data,
                    &assigned,
                );
                let mut data = input.clone();
                same(
                    "par_reduce",
                    pool.install(|| scatter.par_reduce(order, &mut data, indices, &before)),
                    &data,
                    &combined,
                );

                let (Ok(gather), Ok(scatter)) = (gather.check(indices), scatter.check(indices))
                else {
                    return;
                };
                let mut output = before.clone();
                same(
                    "checked par_run",
                    pool.install(|| gather.par_run(&input, &mut output)),
                    &output,
                    &gathered,
                );
                let mut data = input.clone();
                same(
                    "checked par_run",
                    pool.install(|| scatter.par_run(&mut data, &before)),
                    &data,
                    &assigned,
                );
                let mut data = input.clone();
                same(
                    "checked par_reduce",
                    pool.install(|| scatter.par_reduce(order, &mut data, &before)),
                    &data,
                    &combined,
                );
            }
        }
    }

    #[test]
    fn large() {
        common::path::force();
        for case in CASES {
            let size = case.table[case.axis] as i64;
            let inside: Vec<i64> = samples::<i64>(case.indices.iter().product(), 9, 2)
                .iter()
                .map(|v| v.rem_euclid(2 * size) - size)
                .collect();
            let mut outside = inside.clone();
            outside.iter_mut().skip(1000).step_by(7).for_each(|index| *index *= 3);
            case.check(Bounds::Error, &inside);
            for bounds in [Bounds::Error, Bounds::Clamp, Bounds::Wrap, Bounds::Skip] {
                case.check(bounds, &outside);
            }
        }
    }

    const ROWS: usize = 50;

    /// Rows of `n` elements reduced, against each element by itself.
    fn reduce_rows<T: Sample, R: Reduction<T> + Copy>(indices: &[i64], n: usize, reduction: R) {
        let [table, flat] = [ROWS, indices.len()].map(|rows| Layout::contiguous([rows, n]));
        let scatter =
            Scatter::axis(&table, &Layout::contiguous([indices.len()]), &flat, 0).unwrap();
        let (mut found, updates) =
            (samples::<T>(ROWS * n, 3, 0), samples::<T>(indices.len() * n, 3, 1));
        let mut expected = found.clone();
        for (index, flat) in indices.iter().zip((0..).step_by(n)) {
            let row = index.rem_euclid(ROWS as i64) as usize * n;
            for (flat, table) in (flat..flat + n).zip(row..) {
                expected[table] = reduction.combine(expected[table], updates[flat]);
            }
        }
        scatter.reduce(reduction, &mut found, indices, &updates).unwrap();
        let same = |(found, right): (&T, &T)| {
            bytes_of(found) == bytes_of(right) || found.is_nan() && right.is_nan()
        };
        assert!(found.iter().zip(&expected).all(same), "rows of {n}");
    }

    /// Loops for few elements, for cache lines, and for what lies between: more rows than a block
    /// has, some of them met again in the same one.
    #[test]
    fn rows_of_every_length() {
        common::path::force();
        let indices: Vec<i64> = samples::<i64>(150, 9, 2)
            .iter()
            .map(|v| v.rem_euclid(2 * ROWS as i64) - ROWS as i64)
            .collect();
        for n in 1..=70 {
            let [table, flat] = [ROWS, indices.len()].map(|rows| Layout::contiguous([rows, n]));
            let gather =
                Gather::axis(&table, &Layout::contiguous([indices.len()]), &flat, 0).unwrap();
            let (input, mut output) = (samples::<i64>(ROWS * n, 3, 0), vec![0; indices.len() * n]);
            gather.run(&input, &indices, &mut output).unwrap();
            let row = |entry: usize| indices[entry].rem_euclid(ROWS as i64) as usize;
            assert!(
                output
                    .iter()
                    .enumerate()
                    .all(|(flat, found)| *found == input[row(flat / n) * n + flat % n]),
                "rows of {n}"
            );

            reduce_rows::<i64, _>(&indices, n, Assign);
            reduce_rows::<i64, _>(&indices, n, order);
            reduce_rows::<i64, _>(&indices, n, Mul);
            reduce_rows::<u8, _>(&indices, n, Add);
            reduce_rows::<f16, _>(&indices, n, Add);
            // Few rows go one by one.
            reduce_rows::<f16, _>(&indices[..5], n, Add);
            reduce_rows::<f32, _>(&indices[..5], n, Max);
            reduce_rows::<f64, _>(&indices[..5], n, Min);
            reduce_rows::<f32, _>(&indices, n, Add);
            reduce_rows::<f32, _>(&indices, n, Max);
            reduce_rows::<f64, _>(&indices, n, Min);
        }
    }

    /// No loop holds many of them at once on the stack.
    #[test]
    fn rows_of_large_elements() {
        common::path::force();
        let (table, ids, flat) =
            (Layout::contiguous([3, 64]), Layout::contiguous([128]), Layout::contiguous([128, 64]));
        let scatter = Scatter::axis(&table, &ids, &flat, 0).unwrap();
        let (mut data, indices) = (vec![[0_u8; 4096]; 3 * 64], vec![1_u8; 128]);
        let last = |_: [u8; 4096], update: [u8; 4096]| update;
        scatter.reduce(last, &mut data, &indices, &vec![[7; 4096]; 128 * 64]).unwrap();
        assert!(
            data.iter()
                .enumerate()
                .all(|(n, element)| *element == [if n / 64 == 1 { 7 } else { 0 }; 4096])
        );
    }
}
