//! A reduction as a value does what its type does.
#![cfg(feature = "half")]
#![allow(clippy::unwrap_used, missing_docs)]

use half::{bf16, f16};
use strew::{Add, Assign, Layout, Max, Min, Mul, Number, Operation, Reduction, Scatter, Sub};

/// Through each entry point: few entries, and many.
fn check<T: Number + PartialEq + std::fmt::Debug, R: Reduction<T> + Copy + Sync>(
    operation: Operation,
    reduction: R,
    number: impl Fn(u8) -> T,
) {
    for (count, width) in [(5, 1), (3000, 1), (700, 7)] {
        let (data, entries) = (Layout::contiguous([50, width]), Layout::contiguous([count]));
        let (scatter, _) = Scatter::axis_packed(&data, &entries, 0).unwrap();
        let before: Vec<T> = (0..50 * width).map(|n| number(n as u8 % 11)).collect();
        let updates: Vec<T> = (0..count * width).map(|n| number(n as u8 % 7 + 1)).collect();
        let indices: Vec<i32> = (0..count as i32).map(|n| n * n % 50).collect();
        let mut expected = before.clone();
        scatter.reduce(reduction, &mut expected, &indices, &updates).unwrap();

        let mut found = before.clone();
        scatter.reduce(operation, &mut found, &indices, &updates).unwrap();
        assert_eq!(found, expected, "{operation:?}");
        found.copy_from_slice(&before);
        scatter.check(&indices).unwrap().reduce(operation, &mut found, &updates).unwrap();
        assert_eq!(found, expected, "{operation:?}");
        scatter.reduce_into(operation, &before, &indices, &updates, &mut found).unwrap();
        assert_eq!(found, expected, "{operation:?}");
        found.copy_from_slice(&before);
        scatter.reduce_map(operation, &mut found, &indices, &updates, |value| value).unwrap();
        assert_eq!(found, expected, "{operation:?}");
        #[cfg(feature = "rayon")]
        {
            found.copy_from_slice(&before);
            scatter.par_reduce(operation, &mut found, &indices, &updates).unwrap();
            assert_eq!(found, expected, "{operation:?}");
        }
        // All or nothing, as with its type.
        found.copy_from_slice(&before);
        let bad = vec![50; count];
        assert!(scatter.reduce(operation, &mut found, &bad, &updates).is_err());
        assert_eq!(found, before);
    }
}

fn all<T: Number + PartialEq + std::fmt::Debug>(number: impl Fn(u8) -> T + Copy)
where
    Add: Reduction<T>,
    Sub: Reduction<T>,
    Mul: Reduction<T>,
    Min: Reduction<T>,
    Max: Reduction<T>,
{
    check(Operation::Assign, Assign, number);
    check(Operation::Add, Add, number);
    check(Operation::Sub, Sub, number);
    check(Operation::Mul, Mul, number);
    check(Operation::Min, Min, number);
    check(Operation::Max, Max, number);
}

#[test]
fn of_every_number() {
    all(|n| n);
    all(i64::from);
    all(|n| f32::from(n) / 8.0);
    all(|n| f64::from(n) / 8.0);
    all(|n| f16::from_f32(f32::from(n) / 16.0 + 0.5));
    all(|n| bf16::from_f32(f32::from(n) / 16.0 + 0.5));
}
