//! Bags: PyTorch's results, a naive oracle on random cases, and errors.
#![cfg(feature = "half")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

mod common;

use common::bags;
use half::{bf16, f16};
use proptest::prelude::*;
use serde_json::Value;
use strew::{
    Add, Average, Bag, Bags, Element, Error, Gather, Index, Layout, Max, Mean, Mul, Operand, Pool,
    Reduction, Scatter, Weighted,
};

fn l(sizes: &[usize]) -> Layout {
    Layout::from_sizes(sizes).unwrap()
}

/// PyTorch's `embedding_bag`, see `data/embedding_bag.py`.
#[test]
fn pytorch() {
    common::path::force();
    let cases: Value = serde_json::from_str(include_str!("data/embedding-bag.json")).unwrap();
    let cases = cases.as_array().unwrap();
    assert_eq!(cases.len(), 72);
    for case in cases {
        match case["dtype"].as_str().unwrap() {
            "float16" => pytorch_case(case, f16::from_f64, f16::to_f64),
            "float32" => pytorch_case(case, |value| value as f32, f64::from),
            _ => pytorch_case(case, |value| value, |value| value),
        }
    }
}

fn pytorch_case<T>(case: &Value, from: impl Fn(f64) -> T, to: impl Fn(T) -> f64)
where
    T: Average + bytemuck::Zeroable,
    Add: Reduction<T>,
    Mul: Reduction<T>,
    Max: Reduction<T>,
{
    let list = |name: &str| -> Vec<f64> {
        case[name].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
    };
    let values = |name: &str| list(name).into_iter().map(&from).collect::<Vec<_>>();
    let integers =
        |name: &str| list(name).into_iter().map(|value| value as i64).collect::<Vec<_>>();
    let size = |name: &str| case[name].as_u64().unwrap() as usize;

    let (table, expected) = (values("table"), list("output"));
    let (ids, offsets) = (integers("ids"), integers("offsets"));
    let last = case["include_last_offset"].as_bool().unwrap();
    let bags = offsets.len() - usize::from(last);
    let (rows, width) = (size("rows"), size("width"));
    let mut bag = Bag::new(&l(&[rows, width]), &l(&[ids.len()]), &l(&[bags, width])).unwrap();
    if let Some(padding) = case["padding"].as_u64() {
        bag = bag.padding(padding as usize);
    }
    let which = if last { Bags::Offsets(&offsets) } else { Bags::Starts(&offsets) };
    let mut output = vec![from(7.0); expected.len()];
    match (case["mode"].as_str().unwrap(), case["weights"].is_null()) {
        ("sum", true) => bag.run(Add, &table, &ids, which, &mut output),
        ("sum", false) => {
            bag.run(Weighted(Add, &values("weights")), &table, &ids, which, &mut output)
        }
        ("mean", _) => bag.run(Mean, &table, &ids, which, &mut output),
        (_, _) => bag.run(Max, &table, &ids, which, &mut output),
    }
    .unwrap();
    let ulp = match case["dtype"].as_str().unwrap() {
        _ if case["mode"] != "mean" => 0.0,
        "float16" => f64::from(f16::EPSILON),
        "float32" => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    };
    for (found, expected) in output.into_iter().map(to).zip(expected) {
        assert!((found - expected).abs() <= expected.abs() * ulp, "{found} {expected} {case}");
    }
}

#[test]
fn random_cases() {
    check_random_cases();
}

/// The same where L2 holds no table: rows are prefetched, and found for windows of entries.
#[cfg(feature = "std")]
#[test]
fn random_cases_beyond_l2() {
    use strew_simd::Machine;

    Machine::force(Some(Machine { l2: 0, prefetches: true, ..Machine::detect() }));
    check_random_cases();
    Machine::force(None);
}

fn check_random_cases() {
    common::path::force();
    let config = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { config.cases } else { 200 };
    let config = ProptestConfig { cases, failure_persistence: None, ..config };
    proptest!(config, |(choices in prop::collection::vec(any::<u16>(), 100..400))| {
        let mut left = choices.iter().cycle();
        bags::check(&bags::case(&mut |n| usize::from(*left.next().unwrap()) % n));
    });
}

/// A table that L2 does not hold, bags longer and shorter than what is prefetched, and threads: the
/// bits of a gather, then a reduction.
#[test]
fn large_tables() {
    common::path::force();
    large_table([1, 0, 15, 16, 17, 33, 200, 1, 1, 1, 3000, 2].repeat(10));
    large_table([1, 0, 1, 1].repeat(50));
}

/// Bags of one entry whose rows are two runs of neighbours.
#[test]
fn rows_of_two_runs() {
    common::path::force();
    let table = Layout::strided([3, 2, 4], [16, 8, 1]);
    let bag = Bag::new(&table, &l(&[3]), &l(&[4, 2, 4])).unwrap();
    let values: Vec<i32> = (0..48).collect();
    let mut found = [-1; 32];
    bag.run(Add, &values, &[2_u8, 0, 1], Bags::Lengths(&[1_u32, 1, 0, 1]), &mut found).unwrap();
    let row = |n: i32| (0..8).map(move |c| 16 * n + c / 4 * 8 + c % 4);
    let expected: Vec<i32> = row(2).chain(row(0)).chain([0; 8]).chain(row(1)).collect();
    assert_eq!(found[..], expected);
}

fn large_table(lengths: Vec<u32>) {
    let (rows, width) = (40_000, 100);
    let entries = lengths.iter().sum::<u32>() as usize;
    let ids: Vec<i32> =
        (0..entries).map(|n| (n * 7919 % (2 * rows)) as i32 - rows as i32).collect();
    let table: Vec<f32> = (0..rows * width).map(|n| (n % 1013) as f32 / 7.0).collect();
    let (bags, width_) = (lengths.len(), width);
    let (tables, indices) = (l(&[rows, width]), l(&[entries]));
    let (gathered, output) = (l(&[entries, width]), l(&[bags, width]));

    let mut flat = vec![0.0; entries * width_];
    Gather::axis(&tables, &indices, &gathered, 0).unwrap().run(&table, &ids, &mut flat).unwrap();
    let owners: Vec<u32> =
        lengths.iter().zip(0..).flat_map(|(n, bag)| vec![bag; *n as usize]).collect();
    let scatter = Scatter::axis(&output, &indices, &gathered, 0).unwrap();
    let mut expected = vec![0.0; bags * width];
    let mut flags = vec![0; scatter.flags_len()];
    scatter.reduce_excluding_self(Add, &mut expected, &owners, &flat, &mut flags).unwrap();

    let bag = Bag::new(&tables, &indices, &output).unwrap();
    let mut found = vec![1.0; bags * width];
    bag.run(Add, &table, &ids, Bags::Lengths(&lengths), &mut found).unwrap();
    assert!(found == expected);
    #[cfg(feature = "rayon")]
    for threads in [1, 2, 3, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut found = vec![1.0; bags * width];
        pool.install(|| bag.par_run(Add, &table, &ids, Bags::Lengths(&lengths), &mut found))
            .unwrap();
        assert!(found == expected, "{threads} threads");

        // Rows backwards and with gaps, which threads share, and bags that interleave.
        for (strides, offset) in [([width as isize + 3, -1], width - 1), ([1, bags as isize], 0)] {
            let layout = Layout::strided([bags, width], strides).with_offset(offset);
            let bag = Bag::new(&tables, &indices, &layout).unwrap();
            let (length, before) = (bags * (width + 3), 7.0);
            let (mut found, mut one) = (vec![before; length], vec![before; length]);
            for (c, expected) in expected.iter().enumerate().take(bags * width) {
                let at = offset as isize
                    + (c / width) as isize * strides[0]
                    + (c % width) as isize * strides[1];
                one[at as usize] = *expected;
            }
            pool.install(|| bag.par_run(Add, &table, &ids, Bags::Lengths(&lengths), &mut found))
                .unwrap();
            assert!(found == one, "{threads} threads, strides {strides:?}");
        }
    }
}

/// Offsets of each type that no narrower one has, in slices that are longer than there are bags.
#[test]
fn offsets_of_each_type() {
    fn check<O: Index + TryFrom<usize>>(many: usize) {
        let number = |n: usize| O::try_from(n).ok().unwrap();
        let entries = many + 2;
        let table: Vec<u64> = (0..7).map(|n| 10_u64.pow(n)).collect();
        let ids: Vec<u8> = (0..entries).map(|entry| (entry % 7) as u8).collect();
        // The last numbers belong to no bag.
        let offsets = [1, 1, 3, many, many + 1, 2].map(number);
        let lengths = [0, 2, many - 1, 1, 2].map(number);
        let bag = Bag::new(&l(&[7]), &l(&[entries]), &l(&[4])).unwrap();
        let none = Bag::new(&l(&[7]), &l(&[entries]), &l(&[0])).unwrap();
        for (bags, ranges) in [
            (Bags::Offsets(&offsets[..]), [1..1, 1..3, 3..many, many..many + 1]),
            (Bags::Starts(&offsets), [1..1, 1..3, 3..many, many..entries]),
            (Bags::Lengths(&lengths), [0..0, 0..2, 2..many + 1, many + 1..entries]),
        ] {
            let sums: [u64; 4] = ranges.map(|bag| bag.map(|entry| table[entry % 7]).sum());
            let mut found = [1_u64; 4];
            bag.run(Add, &table, &ids, bags, &mut found).unwrap();
            assert_eq!(found, sums, "{}", std::any::type_name::<O>());
            assert_eq!(none.run(Add, &table, &ids, bags, &mut []), Ok(()));
        }
        assert_eq!(none.run(Add, &table, &ids, Bags::Starts::<O>(&[]), &mut []), Ok(()));
    }
    check::<i8>(100);
    check::<u8>(200);
    check::<i16>(20_000);
    check::<u16>(40_000);
    check::<i32>(70_000);
    check::<u32>(70_000);
    check::<i64>(70_000);
    check::<u64>(70_000);
    check::<isize>(70_000);
    check::<usize>(70_000);
}

/// Means do not overflow, nor stop where a narrow float does.
#[test]
fn a_mean_is_a_mean() {
    common::path::force();
    fn mean<T: Average + bytemuck::Zeroable + PartialEq + std::fmt::Debug>(values: &[T]) -> T
    where
        Add: Reduction<T>,
    {
        let (one, many) = (l(&[1]), l(&[values.len()]));
        let entries: Vec<u32> = (0..values.len() as u32).collect();
        let mut bag = [T::zeroed()];
        let plan = Bag::new(&many, &many, &one).unwrap();
        plan.run(Mean, values, &entries, Bags::Starts(&[0]), &mut bag).unwrap();
        let scatter = Scatter::axis(&one, &many, &many, 0).unwrap();
        let mut scratch = vec![!0; scatter.mean_len::<T>()];
        for _ in 0..2 {
            let mut data = [values[0]];
            let zeros = vec![0_u8; values.len()];
            scatter.mean_excluding_self(&mut data, &zeros, values, &mut scratch).unwrap();
            assert_eq!(data, bag);
            // The first one counts as what is there.
            let zeros = &zeros[1..];
            let rest = l(&[zeros.len()]);
            let scatter = Scatter::axis(&one, &rest, &rest, 0).unwrap();
            let mut data = [values[0]];
            scatter.mean(&mut data, zeros, &values[1..], &mut scratch).unwrap();
            assert_eq!(data, bag);
        }
        bag[0]
    }
    assert_eq!(mean(&[200_u8, 100]), 150);
    assert_eq!(mean(&[-128_i8; 1000]), -128);
    assert_eq!(mean(&[-1_i8, 0]), -1);
    assert_eq!(mean(&[u16::MAX; 3]), u16::MAX);
    assert_eq!(mean(&[u32::MAX, u32::MAX - 2]), u32::MAX - 1);
    assert_eq!(mean(&[i32::MIN, i32::MIN, i32::MIN + 3]), i32::MIN + 1);
    assert_eq!(mean(&[u64::MAX; 5]), u64::MAX);
    assert_eq!(mean(&[i64::MIN, i64::MAX]), -1);
    assert_eq!(mean(&[usize::MAX; 2]), usize::MAX);
    assert_eq!(mean(&[isize::MIN; 2]), isize::MIN);
    assert_eq!(mean(&[f16::ONE; 10_000]), f16::ONE);
    assert_eq!(mean(&[f16::from_f32(30_000.0); 4]), f16::from_f32(30_000.0));
    assert_eq!(mean(&[bf16::ONE; 10_000]), bf16::ONE);
    assert_eq!(mean(&[1.0_f32, 2.0]), 1.5);
    assert_eq!(mean(&[[200_u8, 1], [100, 2]]), [150, 1]);
    assert_eq!(mean(&[0.1_f64, 0.2, 0.3]), (0.1 + 0.2 + 0.3) / 3.0);
}

/// Whatever is wrong has a name, and the output is as it was.
#[test]
fn errors() {
    common::path::force();
    let (table, ids, output) = (l(&[4, 2]), l(&[3]), l(&[2, 2]));
    let mismatch = |operand, dimension, expected, found| {
        Err(Error::SizeMismatch { operand, dimension, expected, found })
    };
    let rank = |operand, expected, found| Err(Error::RankMismatch { operand, expected, found });
    assert_eq!(Bag::new(&l(&[]), &ids, &output), rank(Operand::Input, 1, 0));
    assert_eq!(Bag::new(&table, &l(&[3, 1]), &output), rank(Operand::Indices, 1, 2));
    assert_eq!(Bag::new(&table, &ids, &l(&[2])), rank(Operand::Output, 2, 1));
    assert_eq!(Bag::new(&table, &ids, &l(&[2, 3])), mismatch(Operand::Output, 1, 2, 3));
    let overlap = Bag::new(&table, &ids, &Layout::strided([2, 2], [1, 1]));
    assert!(matches!(overlap, Err(Error::OverlappingOutput { .. })), "{overlap:?}");

    let bag = Bag::new(&table, &ids, &output).unwrap();
    let rows = [1, 2, 3, 4, 5, 6, 7, 8];
    let mut sums = [-1; 4];
    let short = |operand, expected, found| Err(Error::SliceTooShort { operand, expected, found });
    let good = Bags::Offsets(&[0, 1, 3]);
    assert_eq!(bag.run(Add, &rows[1..], &[0; 3], good, &mut sums), short(Operand::Input, 8, 7));
    assert_eq!(bag.run(Add, &rows, &[0; 2], good, &mut sums), short(Operand::Indices, 3, 2));
    assert_eq!(bag.run(Add, &rows, &[0; 3], good, &mut sums[1..]), short(Operand::Output, 4, 3));
    for (bags, expected) in
        [(Bags::Offsets(&[0, 1]), 3), (Bags::Starts(&[0]), 2), (Bags::Lengths(&[0]), 2)]
    {
        let found = expected - 1;
        let error = short(Operand::Offsets, expected, found);
        assert_eq!(bag.run(Add, &rows, &[0; 3], bags, &mut sums), error);
    }
    let weighted = bag.run(Weighted(Add, &[1; 2]), &rows, &[0; 3], good, &mut sums);
    assert_eq!(weighted, short(Operand::Weights, 3, 2));

    let range = |entry, value, minimum, maximum| {
        Err(Error::OffsetOutOfRange { entry, value, minimum, maximum })
    };
    let table: [(Bags<'_, i64>, _); 8] = [
        (Bags::Offsets(&[0, 2, 1]), range(2, 1, 2, 3)),
        (Bags::Offsets(&[0, 2, 4]), range(2, 4, 2, 3)),
        (Bags::Offsets(&[-1, 2, 3]), range(0, -1, 0, 3)),
        (Bags::Starts(&[2, 1, -7]), range(1, 1, 2, 3)),
        (Bags::Starts(&[0, i64::MAX]), range(1, i64::MAX.into(), 0, 3)),
        (Bags::Lengths(&[1, 3]), range(1, 3, 0, 2)),
        (Bags::Lengths(&[1, -1]), range(1, -1, 0, 2)),
        (Bags::Lengths(&[i64::MIN, 1]), range(0, i64::MIN.into(), 0, 3)),
    ];
    for (bags, error) in table {
        assert_eq!(bag.run(Add, &rows, &[0; 3], bags, &mut sums), error, "{bags:?}");
    }
    let text = "offset out of range: entry 0 is -1, allowed are 0 to 3";
    assert_eq!(range(0, -1, 0, 3).unwrap_err().to_string(), text);

    // Entries that are in no bag are not looked at.
    let bad = |entry| Err(Error::IndexOutOfBounds { entry, coordinate: 0, value: 4, size: 4 });
    assert_eq!(bag.run(Add, &rows, &[1, 4, 4], good, &mut sums), bad(1));
    assert_eq!(bag.run(Add, &rows, &[4, 1, 4], Bags::Offsets(&[1, 2, 3]), &mut sums), bad(2));
    assert_eq!(sums, [-1; 4]);
    bag.run(Add, &rows, &[4, 1, 4], Bags::Offsets(&[1, 2, 2]), &mut sums).unwrap();
    assert_eq!(sums, [3, 4, 0, 0]);
    bag.run(Add, &rows, &[4, 4, 4], Bags::Lengths(&[0, 0]), &mut sums).unwrap();
    assert_eq!(sums, [0; 4]);
}

/// A call that is generic in everything.
#[allow(dead_code)]
fn generic<T, I: Index, O: Index, P: Pool<T>>(bag: &Bag, pool: P, bags: Bags<'_, O>)
where
    T: Element + bytemuck::Zeroable,
{
    let _: Result<(), Error> = bag.run::<T, I, O, P>(pool, &[], &[], bags, &mut []);
}
