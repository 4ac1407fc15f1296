//! Outputs that are too large for caches are written past them: from any start, and not where an index is left out.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used, clippy::panic, missing_docs)]

mod common;

use common::path;
use strew::{Bounds, Element, Error, Gather, Layout};

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

/// Lanes that start anywhere in a line of the caches, with a bad index at any place of one: nothing that comes after it is written.
#[test]
fn bad_indices_in_long_lanes() {
    const LANES: usize = 3;
    const SENTINEL: u32 = u32::MAX;
    path::force();
    let (size, lane) = (100, BYTES / LANES / size_of::<u32>() + 5);
    let (table, indices) = (Layout::contiguous([LANES, size]), Layout::contiguous([LANES, lane]));
    let gather = Gather::elements(&table, &indices, &Layout::strided([LANES, lane], [lane as isize + 1, 1]), 1).unwrap();
    let input: Vec<u32> = (0..(LANES * size) as u32).collect();
    let mut places: Vec<u8> = (0..LANES * lane).map(|entry| (entry * 7 % size) as u8).collect();
    let expected: Vec<u32> = places.iter().enumerate().map(|(entry, place)| (entry / lane * size) as u32 + u32::from(*place)).collect();
    // In the elements before the first line, in a block, and behind the last one.
    for bad in [None, Some(lane + 3), Some(lane + 1000), Some(2 * lane - 1)] {
        let good = bad.map(|bad| std::mem::replace(&mut places[bad], size as u8));
        let error = bad.map(|entry| Error::IndexOutOfBounds { entry, coordinate: 0, value: size as i128, size });
        let mut output = vec![SENTINEL; LANES * (lane + 1)];
        assert_eq!(gather.run(&input, &places, &mut output).err(), error);
        for (number, (row, expected)) in output.chunks(lane + 1).zip(expected.chunks(lane)).enumerate() {
            let good = bad.map_or(lane, |bad| bad.saturating_sub(number * lane).min(lane));
            // With a bad index, what comes before it may have been written or not.
            let before = |(found, expected): (&u32, &u32)| found == expected || *found == SENTINEL;
            assert!(
                row[..good] == expected[..good] || bad.is_some() && row[..good].iter().zip(expected).all(before),
                "{bad:?}, lane {number}"
            );
            assert!(row[good..].iter().all(|found| *found == SENTINEL), "{bad:?}, lane {number}");
        }
        #[cfg(feature = "rayon")]
        {
            let mut output = vec![SENTINEL; LANES * (lane + 1)];
            assert_eq!(gather.par_run(&input, &places, &mut output).err(), error);
            for (row, expected) in output.chunks(lane + 1).zip(expected.chunks(lane)) {
                assert!(if bad.is_some() { row == vec![SENTINEL; lane + 1] } else { row[..lane] == *expected }, "{bad:?}");
            }
        }
        bad.into_iter().zip(good).for_each(|(bad, good)| places[bad] = good);
    }
}
