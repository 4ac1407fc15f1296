//! Rows that are converted, in calls of more rows than a block and than a part that is packed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

#[allow(dead_code)] // Fuzzers use the rest.
#[path = "common/path.rs"]
mod path;

use std::fmt::Debug;

use strew::{Bounds, Element, Gather, Layout};

const PLACES: usize = 300;
const ENTRIES: usize = 5000;

fn ids() -> Vec<i32> {
    (0..ENTRIES).map(|entry| (entry * 7919 % PLACES) as i32).collect()
}

fn check<T: Element, U: Element + PartialEq + Debug>(
    n: usize,
    table: &[T],
    ids: &[i32],
    none: U,
    map: impl Fn(T) -> U,
) {
    let input = Layout::contiguous([PLACES, n]);
    let (gather, _) = Gather::axis_packed(&input, &Layout::contiguous([ENTRIES]), 0).unwrap();
    let mut expected = vec![none; ENTRIES * n];
    for (row, id) in expected.chunks_exact_mut(n).zip(ids) {
        let start = *id as usize * n;
        if let Some(from) = table.get(start..start + n) {
            row.iter_mut().zip(from).for_each(|(to, from)| *to = map(*from));
        }
    }
    let mut output = vec![none; ENTRIES * n];
    gather.bounds(Bounds::Skip).run_map(table, ids, &mut output, map).unwrap();
    assert_eq!(output, expected, "rows of {n}");
}

#[test]
fn rows_of_any_length_are_converted() {
    path::force();
    let ids = ids();
    for n in [1, 2, 3, 8, 12, 16, 24, 31, 32, 40, 97] {
        let small: Vec<i8> = (0..PLACES * n).map(|value| value as i8).collect();
        check(n, &small, &ids, 0.0, |value: i8| f32::from(value) * 0.5);
        let large: Vec<f64> = (0..PLACES * n).map(|value| value as f64).collect();
        check(n, &large, &ids, 0, |value: f64| value as u16);
        let blocks: Vec<[u8; 9]> = (0..PLACES * n).map(|value| [value as u8; 9]).collect();
        check(n, &blocks, &ids, [0; 2], |value: [u8; 9]| [value[0], value[8]]);
    }
}

/// The rows of the others are there, before it and after it.
#[test]
fn an_entry_that_is_left_out_stays_as_it_was() {
    path::force();
    for bad in [0, 31, 1024, ENTRIES - 1] {
        let mut ids = ids();
        ids[bad] = PLACES as i32;
        for n in [1, 3, 16] {
            let table: Vec<u32> = (0..PLACES * n).map(|value| value as u32).collect();
            check(n, &table, &ids, -1, |value: u32| value as i64);
        }
    }
}
