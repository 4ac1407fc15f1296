//! Any number of threads gives the bits of one.
#![cfg(all(feature = "half", feature = "rayon"))]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

mod common;

use common::case::places;
use common::generate::{self, Direction, KINDS};
use common::threads::{check_gather, check_scatter, pool};
use common::values::noise;
use strew::{Add, Bounds, Error, Gather, Layout, Max, Operand, Scatter};

fn values(n: usize, seed: u64) -> Vec<f64> {
    noise(seed, 0).take(n).map(|z| (z >> 11) as f64 / 9_007_199_254.0 - 100.0).collect()
}

fn indices(n: usize, size: usize, seed: u64) -> Vec<i32> {
    noise(seed, 0).take(n).map(|z| (z % (2 * size as u64)) as i32 - size as i32).collect()
}

type Plans = (Result<Gather, Error>, Result<Scatter, Error>);

/// The tensors of an operator: every way in which work is divided, and some in which it cannot be.
struct Case {
    name: &'static str,
    make: fn(&Layout, &Layout, &Layout) -> Plans,
    table: Layout,
    indices: Layout,
    flat: Layout,
    size: usize,
}

fn cases() -> Vec<Case> {
    fn axis<const N: usize>(table: &Layout, indices: &Layout, flat: &Layout) -> Plans {
        (Gather::axis(table, indices, flat, N), Scatter::axis(table, indices, flat, N))
    }
    fn elements<const N: usize>(table: &Layout, indices: &Layout, flat: &Layout) -> Plans {
        (Gather::elements(table, indices, flat, N), Scatter::elements(table, indices, flat, N))
    }
    fn nd<const N: usize>(table: &Layout, indices: &Layout, flat: &Layout) -> Plans {
        (Gather::nd(table, indices, flat, N), Scatter::nd(table, indices, flat, N))
    }
    let packed = |sizes: &[usize]| Layout::from_sizes(sizes).unwrap();
    let case =
        |name, make, table, indices, flat, size| Case { name, make, table, indices, flat, size };
    vec![
        case("bins", axis::<0>, packed(&[1000]), packed(&[300_003]), packed(&[300_003]), 1000),
        case("rows", axis::<0>, packed(&[500, 33]), packed(&[9000]), packed(&[9000, 33]), 500),
        case("last axis", axis::<1>, packed(&[77, 500]), packed(&[4000]), packed(&[77, 4000]), 500),
        // Data above the serial cutoffs, so that single elements are divided too.
        case(
            "far elements",
            axis::<0>,
            packed(&[2_100_003]),
            packed(&[300_001]),
            packed(&[300_001]),
            2_100_003,
        ),
        case(
            "far elements, in padded lanes",
            axis::<0>,
            packed(&[2_100_003]),
            Layout::from_parts(&[3, 301, 301], &[100_000, 303, 1], 5).unwrap(),
            Layout::from_parts(&[3, 301, 301], &[301, 903, 1], 2).unwrap(),
            2_100_003,
        ),
        case(
            "far elements, in short lanes",
            axis::<0>,
            packed(&[2_100_003]),
            Layout::from_parts(&[9001, 33], &[35, 1], 0).unwrap(),
            packed(&[9001, 33]),
            2_100_003,
        ),
        case("far fives", nd::<0>, packed(&[19; 5]), packed(&[270_001, 5]), packed(&[270_001]), 19),
        case(
            "rows of fives",
            nd::<0>,
            packed(&[7, 7, 7, 7, 7, 33]),
            packed(&[9000, 5]),
            packed(&[9000, 33]),
            7,
        ),
        case(
            "far pairs",
            nd::<0>,
            packed(&[1500, 1500]),
            packed(&[290_001, 2]),
            packed(&[290_001]),
            1500,
        ),
        case(
            "padded rows, from the end",
            axis::<0>,
            Layout::from_parts(&[500, 33], &[-40, 1], 499 * 40 + 3).unwrap(),
            packed(&[9000]),
            packed(&[9000, 33]),
            500,
        ),
        case(
            "middle axis",
            axis::<1>,
            packed(&[9, 50, 20]),
            packed(&[1500]),
            packed(&[9, 1500, 20]),
            50,
        ),
        case(
            "elements 0",
            elements::<0>,
            packed(&[700, 500]),
            packed(&[900, 450]),
            packed(&[900, 450]),
            700,
        ),
        case(
            "elements 1",
            elements::<1>,
            packed(&[700, 500]),
            packed(&[600, 450]),
            packed(&[600, 450]),
            500,
        ),
        case(
            "elements of 3",
            elements::<1>,
            packed(&[6, 90, 400]),
            packed(&[5, 200, 300]),
            packed(&[5, 200, 300]),
            90,
        ),
        // All threads check these, and one moves: addresses are kept, or resolved again.
        case(
            "interleaved tables, fours",
            nd::<1>,
            Layout::strided([4, 9, 9, 9, 9], [1, 2916, 324, 36, 4]),
            packed(&[4, 70_001, 4]),
            packed(&[4, 70_001]),
            9,
        ),
        case(
            "many into a cache",
            axis::<0>,
            packed(&[100_000]),
            packed(&[600_001]),
            packed(&[600_001]),
            100_000,
        ),
        case("pairs", nd::<0>, packed(&[300, 300]), packed(&[270_001, 2]), packed(&[270_001]), 300),
        case(
            "batches",
            nd::<1>,
            packed(&[3, 300, 20]),
            packed(&[3, 5000, 1]),
            packed(&[3, 5000, 20]),
            300,
        ),
        case(
            "padded and from the end",
            axis::<0>,
            Layout::from_parts(&[500, 33], &[-40, 1], 499 * 40 + 3).unwrap(),
            Layout::from_parts(&[9000], &[-1], 8999).unwrap(),
            Layout::from_parts(&[9000, 33], &[35, 1], 1).unwrap(),
            500,
        ),
        case(
            "output from the end",
            axis::<0>,
            packed(&[1000]),
            packed(&[300_003]),
            Layout::from_parts(&[300_003], &[-1], 300_002).unwrap(),
            1000,
        ),
        case(
            "rows of the output from their ends",
            axis::<0>,
            packed(&[500, 33]),
            packed(&[9000]),
            Layout::from_parts(&[9000, 33], &[33, -1], 32).unwrap(),
            500,
        ),
        case(
            "columns of the output",
            axis::<0>,
            packed(&[500, 33]),
            packed(&[9000]),
            Layout::from_parts(&[9000, 33], &[1, 9000], 0).unwrap(),
            500,
        ),
        case(
            "one update",
            axis::<0>,
            packed(&[2_100_003]),
            packed(&[300_001]),
            Layout::from_parts(&[300_001], &[0], 3).unwrap(),
            2_100_003,
        ),
        case(
            "one update by pairs",
            nd::<0>,
            packed(&[1500, 1500]),
            packed(&[290_001, 2]),
            Layout::from_parts(&[290_001], &[0], 0).unwrap(),
            1500,
        ),
        case(
            "overlapping pairs, one update",
            nd::<0>,
            packed(&[1500, 1500]),
            Layout::from_parts(&[290_001, 2], &[1, 1], 0).unwrap(),
            Layout::from_parts(&[290_001], &[0], 0).unwrap(),
            1500,
        ),
        case(
            "rows by every third index",
            axis::<0>,
            packed(&[500, 33]),
            Layout::from_parts(&[9000], &[3], 1).unwrap(),
            packed(&[9000, 33]),
            500,
        ),
        case(
            "one update, last axis",
            axis::<1>,
            packed(&[77, 500]),
            packed(&[4000]),
            Layout::from_parts(&[77, 4000], &[0, 0], 0).unwrap(),
            500,
        ),
        case(
            "one update, elements 0",
            elements::<0>,
            packed(&[1500, 500]),
            packed(&[1600, 450]),
            Layout::from_parts(&[1600, 450], &[0, 0], 0).unwrap(),
            1500,
        ),
        case(
            "one update, elements 1",
            elements::<1>,
            packed(&[700, 500]),
            packed(&[600, 450]),
            Layout::from_parts(&[600, 450], &[0, 0], 0).unwrap(),
            500,
        ),
        case(
            "one row",
            axis::<0>,
            packed(&[500, 33]),
            packed(&[9000]),
            Layout::from_parts(&[9000, 33], &[0, 1], 0).unwrap(),
            500,
        ),
    ]
}

fn with_threads<R: Send>(threads: usize, run: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
}

fn extent(layout: &Layout) -> usize {
    layout.extent().unwrap()
}

/// Each policy with each number of threads, but `Error` alone with all of them in each case.
#[test]
fn the_bits_of_one() {
    bits_of_one(&[Bounds::Error]);
}

#[test]
fn the_bits_of_one_under_policies() {
    bits_of_one(&[Bounds::Clamp, Bounds::Wrap, Bounds::Skip]);
}

fn same(some: &[f64], others: &[f64]) -> bool {
    bytemuck::cast_slice::<_, u8>(some) == bytemuck::cast_slice::<_, u8>(others)
}

fn bits_of_one(policies: &[Bounds]) {
    common::path::force();
    for (seed, case) in cases().into_iter().enumerate() {
        let seed = seed as u64;
        let (gather, scatter) = (case.make)(&case.table, &case.indices, &case.flat);
        let ids = indices(extent(&case.indices), case.size, seed);
        // The slices are longer than the layouts: what is beyond stays as it is.
        let (table, flat) = (
            values(extent(&case.table) + 1000, seed + 50),
            values(extent(&case.flat) + 100, seed + 99),
        );
        let every = [2, 3, 7];
        for (n, &bounds) in policies.iter().enumerate() {
            let one = (seed as usize + n) % every.len();
            let numbers = if bounds == Bounds::Error { &every[..] } else { &every[one..=one] };
            let mut ids = ids.clone();
            if bounds != Bounds::Error {
                ids.iter_mut().step_by(7).for_each(|index| *index = index.wrapping_mul(3));
            }
            // An output that overlaps itself has no gather.
            if let Ok(gather) = gather.map(|gather| gather.bounds(bounds)) {
                let mut expected = flat.clone();
                gather.run(&table, &ids, &mut expected).unwrap();
                for &threads in numbers {
                    let mut output = flat.clone();
                    with_threads(threads, || gather.par_run(&table, &ids, &mut output)).unwrap();
                    assert!(
                        same(&output, &expected),
                        "{}, {bounds:?}, gather with {threads} threads",
                        case.name
                    );
                }
            }
            let scatter = scatter.unwrap().bounds(bounds);
            let [mut set, mut sum, mut max] = [(); 3].map(|()| table.clone());
            scatter.run(&mut set, &ids, &flat).unwrap();
            scatter.reduce(Add, &mut sum, &ids, &flat).unwrap();
            scatter.reduce(Max, &mut max, &ids, &flat).unwrap();
            for &threads in numbers {
                let [mut par_set, mut par_sum, mut par_max] = [(); 3].map(|()| table.clone());
                with_threads(threads, || {
                    scatter.par_run(&mut par_set, &ids, &flat).unwrap();
                    scatter.par_reduce(Add, &mut par_sum, &ids, &flat).unwrap();
                    scatter.par_reduce(Max, &mut par_max, &ids, &flat).unwrap();
                });
                for (what, found, expected) in
                    [("assign", par_set, &set), ("add", par_sum, &sum), ("max", par_max, &max)]
                {
                    assert!(
                        same(&found, expected),
                        "{}, {bounds:?}, {what} with {threads} threads",
                        case.name
                    );
                }
            }
        }
    }
}

/// Between types: what is mapped first and then moved as it is.
#[test]
fn the_bits_of_one_between_types() {
    common::path::force();
    let narrow = |value: f64| value as f32 * 3.0;
    let wide = |value: f32| f64::from(value) - 0.5;
    for (seed, case) in cases().into_iter().enumerate() {
        let seed = seed as u64;
        let (gather, scatter) = (case.make)(&case.table, &case.indices, &case.flat);
        let ids = indices(extent(&case.indices), case.size, seed);
        let (table, flat) = (
            values(extent(&case.table) + 1000, seed + 50),
            values(extent(&case.flat) + 100, seed + 99),
        );
        let flat: Vec<f32> = flat.into_iter().map(|value| value as f32).collect();
        let narrowed: Vec<f32> = table.iter().copied().map(narrow).collect();
        let widened: Vec<f64> = flat.iter().copied().map(wide).collect();
        for bounds in [[Bounds::Error, Bounds::Skip][seed as usize % 2]] {
            let mut ids = ids.clone();
            if bounds != Bounds::Error {
                ids.iter_mut().step_by(7).for_each(|index| *index = index.wrapping_mul(3));
            }
            let name = case.name;
            if let Ok(gather) = gather.map(|gather| gather.bounds(bounds)) {
                let mut expected = flat.clone();
                gather.run(&narrowed, &ids, &mut expected).unwrap();
                let mut output = flat.clone();
                gather.run_map(&table, &ids, &mut output, narrow).unwrap();
                assert!(output == expected, "{name}, {bounds:?}, gather");
                for threads in [2, 3] {
                    let mut output = flat.clone();
                    let run = || gather.par_run_map(&table, &ids, &mut output, narrow);
                    with_threads(threads, run).unwrap();
                    assert!(output == expected, "{name}, {bounds:?}, gather, {threads} threads");
                }
            }
            let scatter = scatter.unwrap().bounds(bounds);
            let [mut set, mut sum] = [(); 2].map(|()| table.clone());
            scatter.run(&mut set, &ids, &widened).unwrap();
            scatter.reduce(Add, &mut sum, &ids, &widened).unwrap();
            let [mut own_set, mut own_sum] = [(); 2].map(|()| table.clone());
            scatter.run_map(&mut own_set, &ids, &flat, wide).unwrap();
            scatter.reduce_map(Add, &mut own_sum, &ids, &flat, wide).unwrap();
            assert!((own_set == set) & (own_sum == sum), "{name}, {bounds:?}");
            for threads in [2, 3] {
                let [mut par_set, mut par_sum] = [(); 2].map(|()| table.clone());
                with_threads(threads, || {
                    scatter.par_run_map(&mut par_set, &ids, &flat, wide).unwrap();
                    scatter.par_reduce_map(Add, &mut par_sum, &ids, &flat, wide).unwrap();
                });
                assert!((par_set == set) & (par_sum == sum), "{name}, {bounds:?}, {threads}");
            }
        }
    }
}

/// In all chunks of the entries, and with most of them for one thread.
#[test]
fn sorted_indices_and_single_bins() {
    common::path::force();
    const BINS: usize = 2_100_003;
    let entries = Layout::contiguous([300_001]);
    let scatter = Scatter::axis(&Layout::contiguous([BINS]), &entries, &entries, 0).unwrap();
    let (data, updates) = (values(BINS, 1), values(300_001, 2));
    let mut sorted = indices(300_001, BINS / 2, 3);
    sorted.iter_mut().for_each(|index| *index += BINS as i32 / 2);
    sorted.sort_unstable();
    let single = vec![BINS as i32 - 1; 300_001];
    let mut in_turn = sorted.clone();
    in_turn.chunks_mut(30_000).for_each(<[i32]>::reverse);
    for (name, ids) in [("sorted", sorted), ("single", single), ("in turn", in_turn)] {
        let mut expected = data.clone();
        scatter.reduce(Add, &mut expected, &ids, &updates).unwrap();
        for threads in [2, 3, 7, 100] {
            let mut found = data.clone();
            with_threads(threads, || scatter.par_reduce(Add, &mut found, &ids, &updates)).unwrap();
            assert!(found == expected, "{name}, {threads} threads");
        }
    }
}

/// The error is the first one in row-major order, whichever thread finds which; a scatter has
/// changed nothing, a gather nothing but what comes before it.
#[test]
fn bad_indices_change_nothing() {
    common::path::force();
    for case in cases() {
        let (gather, scatter) = (case.make)(&case.table, &case.indices, &case.flat);
        let mut ids = indices(extent(&case.indices), case.size, 1);
        let n = ids.len();
        for place in [n / 3, n / 2, n - 1] {
            ids[place] = case.size as i32;
        }
        let (table, flat) = (values(extent(&case.table), 2), values(extent(&case.flat), 3));
        if let Ok(gather) = gather {
            let expected = gather.run(&table, &ids, &mut flat.clone()).unwrap_err();
            let (mut output, mut before_it) = (flat.clone(), flat.clone());
            assert_eq!(
                with_threads(7, || gather.par_run(&table, &ids, &mut output)),
                Err(expected),
                "{}",
                case.name
            );
            let mut up_to_it = ids.clone();
            let is_bad = |place: &usize| ids[*place] == case.size as i32;
            places(case.indices.sizes(), case.indices.strides(), case.indices.offset())
                .into_iter()
                .skip_while(|place| !is_bad(place))
                .for_each(|place| up_to_it[place] = case.size as i32);
            gather.bounds(Bounds::Skip).run(&table, &up_to_it, &mut before_it).unwrap();
            let mut places = flat.iter().zip(&before_it).zip(&output);
            assert!(
                places.all(|((old, new), found)| found == old || found == new),
                "{}",
                case.name
            );
        }
        let scatter = scatter.unwrap();
        let mut data = table.clone();
        let expected = scatter.reduce(Add, &mut data, &ids, &flat).unwrap_err();
        assert_eq!(
            with_threads(7, || scatter.par_reduce(Add, &mut data, &ids, &flat)),
            Err(expected),
            "{}",
            case.name
        );
        assert!(data == table, "{}", case.name);
    }
}

#[test]
fn short_slices() {
    common::path::force();
    let (table, ids, rows) =
        (Layout::contiguous([10, 64]), Layout::contiguous([5000]), Layout::contiguous([5000, 64]));
    let (mut data, indices, mut flat) = (vec![1.0; 640], vec![3_u8; 5000], vec![2.0; 320_000]);
    let too_short = |operand, expected: usize| {
        Err(Error::SliceTooShort { operand, expected, found: expected - 1 })
    };
    let gather = Gather::axis(&table, &ids, &rows, 0).unwrap();
    assert_eq!(gather.par_run(&data[1..], &indices, &mut flat), too_short(Operand::Input, 640));
    assert_eq!(gather.par_run(&data, &indices[1..], &mut flat), too_short(Operand::Indices, 5000));
    assert_eq!(
        gather.par_run(&data, &indices, &mut flat[1..]),
        too_short(Operand::Output, 320_000)
    );
    // As with one thread, short tables come before bad indices.
    assert_eq!(gather.par_run(&data[1..], &[10; 5000], &mut flat), too_short(Operand::Input, 640));
    let scatter = Scatter::axis(&table, &ids, &rows, 0).unwrap();
    assert_eq!(scatter.par_run(&mut data[1..], &indices, &flat), too_short(Operand::Data, 640));
    assert_eq!(scatter.par_run(&mut data, &indices[1..], &flat), too_short(Operand::Indices, 5000));
    assert_eq!(
        scatter.par_run(&mut data, &indices, &flat[1..]),
        too_short(Operand::Updates, 320_000)
    );
    assert!(data == [1.0; 640] && flat.iter().all(|element| *element == 2.0));
}

/// Whatever is wrong at once, threads or not: the same error comes first.
#[test]
fn several_mistakes_are_named_in_one_order() {
    common::path::force();
    let (table, ids, rows) =
        (Layout::contiguous([10, 64]), Layout::contiguous([5000]), Layout::contiguous([5000, 64]));
    let gather = Gather::axis(&table, &ids, &rows, 0).unwrap();
    let scatter = Scatter::axis(&table, &ids, &rows, 0).unwrap();
    let (data, flat) = (vec![1_u8; 640], vec![2_u8; 320_000]);
    for mistakes in 0..16 {
        let short = |which: usize| usize::from(mistakes & which != 0);
        let indices = vec![if mistakes & 8 != 0 { 10_u8 } else { 3 }; 5000];
        let (data, indices, flat) = (&data[short(1)..], &indices[short(2)..], &flat[short(4)..]);
        let (mut one, mut many) = (flat.to_vec(), flat.to_vec());
        let expected = gather.run(data, indices, &mut one);
        assert_eq!(expected.is_ok(), mistakes == 0);
        assert_eq!(with_threads(3, || gather.par_run(data, indices, &mut many)), expected);
        let (mut one, mut many) = (data.to_vec(), data.to_vec());
        let expected = scatter.reduce(Add, &mut one, indices, flat);
        assert_eq!(expected.is_ok(), mistakes == 0);
        let found = with_threads(3, || scatter.par_reduce(Add, &mut many, indices, flat));
        assert_eq!((found, many), (expected, one), "{mistakes}");
    }
}

#[test]
fn random_cases() {
    common::path::force();
    let threads = pool(3);
    for seed in 0..150 {
        let mut choices = noise(seed, 0);
        let mut choose = |n: usize| (choices.next().unwrap() % n as u64) as usize;
        let kind = KINDS[choose(4)];
        check_gather(&generate::long_case(Direction::Gather, kind, &mut choose), &threads);
        check_scatter(&generate::long_case(Direction::Scatter, kind, &mut choose), &threads);
    }
}

/// A skipped row writes nothing, least of all where the data start after the start of their slice:
/// then a part of them that a thread takes starts after its base too.
#[test]
fn skipped_rows_of_data_with_an_offset_write_nothing() {
    common::path::force();
    let (rows, n, offset) = (1 << 15, 64, 100);
    let data = Layout::contiguous([rows, n]).with_offset(offset);
    let (indices, updates) = (Layout::contiguous([rows]), Layout::contiguous([rows, n]));
    let scatter = Scatter::axis(&data, &indices, &updates, 0).unwrap().bounds(Bounds::Skip);
    let mut ids: Vec<i64> = (0..rows as i64).map(|row| row * 7919 % rows as i64).collect();
    ids.iter_mut().skip(3).step_by(7).for_each(|id| *id = 1 << 40);
    let flat: Vec<u32> = (1..).take(rows * n).collect();
    let mut one = vec![0; offset + rows * n];
    let mut many = one.clone();
    scatter.run(&mut one, &ids, &flat).unwrap();
    with_threads(4, || scatter.par_run(&mut many, &ids, &flat)).unwrap();
    assert!(one[..offset].iter().all(|outside| *outside == 0));
    assert!(one == many);
}
