//! Outputs that are too large for caches are written past them: from any start, and not where an index is left out.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::path;
use strew::{Bounds, Element, Gather, Layout};

const BYTES: usize = 33 << 20;

fn check<T: Element + PartialEq + std::fmt::Debug>(make: fn(usize) -> T) {
    path::force();
    let n = BYTES / size_of::<T>() + 77;
    // One that stays in a cache, one that does not.
    for size in [100, (9 << 20) / size_of::<T>()] {
        let table: Vec<T> = (0..size).map(make).collect();
        let places: Vec<u32> = (0..n as u32).map(|number| number.wrapping_mul(2_654_435_761) % (size as u32 + 1)).collect();
        let gather = Gather::axis(&Layout::contiguous([size]), &Layout::contiguous([n]), &Layout::contiguous([n]), 0).unwrap();
        let mut output = vec![make(size); n + 3];
        for start in [0, 3] {
            let (before, output) = output.split_at_mut(start);
            gather.bounds(Bounds::Skip).run(&table, &places, output).unwrap();
            assert!(before.iter().all(|element| *element == make(size)));
            for (number, (place, found)) in places.iter().zip(&*output).enumerate() {
                assert_eq!(*found, make(*place as usize), "{number}");
            }
            output.fill(make(size));
        }
        let inside: Vec<u32> = places.iter().map(|place| place % size as u32).collect();
        for start in 0..3 {
            gather.run(&table, &inside, &mut output[start..]).unwrap();
            assert!(inside.iter().zip(&output[start..]).all(|(place, found)| *found == make(*place as usize)));
        }
    }
}

#[test]
fn elements_of_4_bytes() {
    check(|place| place as u32 ^ 0xABCD_0000);
}

#[test]
fn elements_of_8_bytes() {
    check(|place| place as u64 ^ 0xABCD_0000_1234_0000);
}
