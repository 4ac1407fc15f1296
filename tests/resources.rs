//! Descriptors of huge tensors cost neither memory nor time, and positions may lie anywhere in the
//! address space.
#![cfg(target_pointer_width = "64")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

use std::time::{Duration, Instant};

use strew::{Add, Bag, Bags, Bounds, Error, Gather, Layout, Mean, Operand, Scatter, shape};

const HUGE: usize = 1 << 40;

fn l(sizes: &[usize]) -> Layout {
    Layout::from_sizes(sizes).unwrap()
}

/// Huge tensors cost no memory when all strides are 0, and no time when one size is 0 or nothing is
/// left of the axis.
#[test]
fn what_has_no_elements_takes_no_time() {
    let (one, far) = (l(&[1]), [(HUGE as i64) - 1]);
    let mut output = [0];
    let broadcast = Layout::strided([HUGE], [0]);
    Gather::axis(&broadcast, &one, &one, 0).unwrap().run(&[7], &far, &mut output).unwrap();
    assert_eq!(output, [7]);
    let long = Gather::axis(&one, &broadcast, &l(&[HUGE]), 0).unwrap();
    assert_eq!(
        long.run(&[7], &[0], &mut output),
        Err(Error::SliceTooShort { operand: Operand::Output, expected: HUGE, found: 1 })
    );

    // A bag of a huge table, and bags without columns.
    let bag = Bag::new(&Layout::strided([HUGE, 1], [0, 1]), &one, &l(&[1, 1])).unwrap();
    bag.run(Mean, &[9], &far, Bags::Starts(&[0]), &mut output).unwrap();
    assert_eq!(output, [9]);
    let rows = Layout::strided([HUGE, 0], [0, 1]);
    let bag = Bag::new(&rows, &broadcast, &l(&[1, 0])).unwrap();
    assert_eq!(bag.run(Add, &[0; 0], &[0], Bags::Starts(&[0]), &mut []), Ok(()));
    let bag = Bag::new(&one, &broadcast, &l(&[2])).unwrap();
    let last = HUGE - 2;
    bag.run(Add, &[4], &[0], Bags::Offsets(&[last, last, HUGE]), &mut [0; 2]).unwrap();

    // Nothing moves. The scratch is shorter than the product of the sizes as well.
    let table = l(&[HUGE, HUGE, 0]);
    let (tuples, rows) = (Layout::strided([HUGE, 2], [0, 1]), Layout::strided([HUGE, 0], [0, 0]));
    let gather = Gather::nd(&table, &tuples, &rows, 0).unwrap();
    assert_eq!(gather.run(&output, &[0, 0], &mut [0; 0]), Ok(()));
    let scatter = Scatter::nd(&table, &tuples, &rows, 0).unwrap();
    assert_eq!(scatter.mean(&mut [0; 0], &[0, 0], &[0; 0], &mut []), Ok(()));
    assert!(scatter.check_unique(&[0, 0], &mut []).is_ok());
    // The same where no dimension merges, in rows and without entries.
    for [entries, row] in [[3, 0], [0, 100]] {
        let data = Layout::strided([HUGE, 5, row], [2000, 200, 1]);
        let updates = Layout::strided([HUGE, entries, row], [2000, 200, 1]);
        let scatter = Scatter::axis(&data, &l(&[entries]), &updates, 1).unwrap();
        let none = scatter.mean(&mut [0_f32; 0], &[0, 1, 2][..entries], &[], &mut [0; 5]);
        assert!(matches!(none, Ok(()) | Err(Error::SliceTooShort { .. })), "{none:?}");
    }

    // An axis of size 0 under the policies that leave all entries out.
    for bounds in [Bounds::Clamp, Bounds::Wrap, Bounds::Skip] {
        let scatter = Scatter::axis(&l(&[0]), &broadcast, &broadcast, 0).unwrap().bounds(bounds);
        assert_eq!(scatter.run(&mut [0; 0], &[0], &[7]), Ok(()));
    }
}

/// Layouts of sizes up to the largest, with any strides, in every constructor: each ends at once,
/// planned or refused. So does each call whose slices are too short, or that has nothing to move.
#[test]
fn planning_takes_no_longer_for_larger_sizes() {
    const SIZES: [usize; 10] =
        [0, 1, 2, 3, 1 << 16, 1 << 31, HUGE, 1 << 62, isize::MAX as usize, usize::MAX];
    const READ: [isize; 3] = [0, 0, 1];
    const WRITTEN: [isize; 5] = [1, -1, 1 << 40, isize::MAX, isize::MIN];
    type Plan<P> = fn(&Layout, &Layout, &Layout, usize) -> Result<P, Error>;
    let mut state = 1_u64;
    let mut choose = |n: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let started = Instant::now();
    let (mut planned, mut refused) = ([0; 2], [0; 2]);
    for _ in 0..20_000 {
        let operator = choose(3);
        let shape = [shape::axis, shape::elements, shape::nd][operator];
        let gather: Plan<Gather> = [Gather::axis, Gather::elements, Gather::nd][operator];
        let scatter: Plan<Scatter> = [Scatter::axis, Scatter::elements, Scatter::nd][operator];

        // Sizes that fit each other are planned; what is changed after that may be refused.
        let rank = choose(4);
        let mut table: Vec<usize> = (0..rank).map(|_| SIZES[choose(10)]).collect();
        let mut indices: Vec<usize> = (0..choose(4)).map(|_| SIZES[choose(10)]).collect();
        let axis = match operator {
            0 => choose(rank + 1),
            1 => {
                indices.clone_from(&table);
                choose(rank + 1)
            }
            _ => {
                indices.push(1 + choose(rank.max(1)));
                0
            }
        };
        let mut flat = shape(&table, &indices, axis).map_or(indices.clone(), |flat| flat.to_vec());
        for sizes in [&mut table, &mut indices, &mut flat] {
            if let Some(size) = sizes.get_mut(choose(16)) {
                *size = SIZES[choose(10)];
            }
        }
        let mut layout = |sizes: &[usize], strides: &[isize]| {
            let strides: Vec<isize> =
                sizes.iter().map(|_| strides[choose(strides.len())]).collect();
            if choose(4) == 0 {
                Layout::from_parts(sizes, &strides, choose(2) * HUGE)
            } else {
                Layout::from_sizes(sizes)
            }
        };

        if let (Ok(table), Ok(indices), Ok(flat)) =
            (layout(&table, &READ), layout(&indices, &READ), layout(&flat, &WRITTEN))
        {
            match gather(&table, &indices, &flat, axis) {
                Ok(gather) => {
                    planned[0] += 1;
                    let result = gather.run::<u8, i64>(&[], &[], &mut []);
                    assert!(
                        matches!(result, Ok(()) | Err(Error::SliceTooShort { found: 0, .. })),
                        "{result:?}"
                    );
                }
                Err(_) => refused[0] += 1,
            }
        }
        if let (Ok(table), Ok(indices), Ok(flat)) =
            (layout(&table, &WRITTEN), layout(&indices, &READ), layout(&flat, &READ))
        {
            match scatter(&table, &indices, &flat, axis) {
                Ok(scatter) => {
                    planned[1] += 1;
                    let result = scatter.reduce::<u8, i64, _>(Add, &mut [], &[], &[]);
                    assert!(
                        matches!(result, Ok(()) | Err(Error::SliceTooShort { found: 0, .. })),
                        "{result:?}"
                    );
                }
                Err(_) => refused[1] += 1,
            }
        }
    }
    assert!(
        planned.iter().chain(&refused).all(|count| *count > 1000),
        "planned {planned:?}, refused {refused:?}"
    );
    assert!(started.elapsed() < Duration::from_secs(10));
}

/// However tensors are broadcast, a call takes the steps that its sizes multiply to: one for each
/// update.
#[test]
fn a_call_takes_a_step_for_each_update() {
    let (ids, updates) =
        (Layout::strided([30, 40], [0, 0]), Layout::strided([30, 40, 50], [0, 0, 1]));
    let scatter = Scatter::axis(&l(&[3, 50]), &ids, &updates, 0).unwrap();
    let steps = std::cell::Cell::new(0);
    let count = |current: u8, update: u8| {
        steps.set(steps.get() + 1);
        current.wrapping_add(update)
    };
    let mut data = [0; 150];
    scatter.reduce(count, &mut data, &[1_u8], &[1; 50]).unwrap();
    assert_eq!(steps.get(), 30 * 40 * 50);
    assert_eq!(data, std::array::from_fn(|n| if n / 50 == 1 { (30 * 40) as u8 } else { 0 }));
}

/// Tables of more than 2^31 and 2^32 elements, of which few are touched: nothing is cut to 32 bits.
/// The system maps only the pages that are touched.
#[test]
fn positions_beyond_32_bits() {
    for length in [(1 << 31) + 100, (1 << 32) + 100] {
        let n = 100;
        let mut table = vec![0_u8; length];
        let places: Vec<usize> = (0..n)
            .map(|number| if number % 2 == 0 { length - 1 - number } else { number * 1000 })
            .collect();
        let updates: Vec<u8> = (0..n as u8).map(|number| number + 1).collect();
        let (rows, line) = (l(&[n]), l(&[length]));
        Scatter::axis(&line, &rows, &rows, 0).unwrap().run(&mut table, &places, &updates).unwrap();
        let mut found = vec![0; n];
        Gather::axis(&line, &rows, &rows, 0).unwrap().run(&table, &places, &mut found).unwrap();
        assert_eq!(found, updates);
        assert!(places.iter().zip(&updates).all(|(place, update)| table[*place] == *update));

        // As two rows, of which each index chooses one of half as many columns.
        let half = length / 2;
        let grid = l(&[2, half]);
        let pairs: Vec<i64> = places
            .iter()
            .flat_map(|place| [(place / half) as i64, (place % half) as i64 - half as i64])
            .collect();
        let tuples = l(&[n, 2]);
        let mut found = vec![0; n];
        Gather::nd(&grid, &tuples, &rows, 0).unwrap().run(&table, &pairs, &mut found).unwrap();
        assert_eq!(found, updates);
        Scatter::nd(&grid, &tuples, &rows, 0)
            .unwrap()
            .reduce(Add, &mut table, &pairs, &updates)
            .unwrap();
        assert!(places.iter().zip(&updates).all(|(place, update)| table[*place] == 2 * *update));

        let bad = [length as u64];
        let one = l(&[1]);
        let expected = Error::IndexOutOfBounds {
            entry: 0,
            coordinate: 0,
            value: length as i128,
            size: length,
        };
        assert_eq!(
            Gather::axis(&line, &one, &one, 0).unwrap().run(&table, &bad, &mut [0]),
            Err(expected)
        );
    }
}
