//! What happens to indices out of bounds.

use defmt::{assert_eq, info};
use strew::{Bounds, Error, Gather, Layout, Scatter};

use crate::plans;

pub fn check() {
    gather();
    scatter();
    no_axis();
    info!("policies: error, clamp, wrap, skip, on an empty axis too");
}

const TABLE: Layout = Layout::contiguous([4, 2]);
const THREE: Layout = Layout::contiguous([3]);
const ROWS: Layout = Layout::contiguous([3, 2]);

#[inline(never)]
fn gather() {
    let error = Error::IndexOutOfBounds { entry: 1, coordinate: 0, value: 9, size: 4 };
    plans!(Gather::axis(TABLE, THREE, ROWS, 0), |gather| {
        for (bounds, expected) in [
            (Bounds::Error, Err(error)),
            (Bounds::Clamp, Ok([7, 8, 7, 8, 1, 2])),
            (Bounds::Wrap, Ok([7, 8, 3, 4, 5, 6])),
            (Bounds::Skip, Ok([7, 8, -1, -1, -1, -1])),
        ] {
            let mut output = [-1_i8; 6];
            let result = gather.bounds(bounds).run(
                &[1, 2, 3, 4, 5, 6, 7, 8],
                &black_box([-1, 9, -6]),
                &mut output,
            );
            assert_eq!(result.map(|()| output), expected);
        }
    });
}

#[inline(never)]
fn scatter() {
    let error = Error::IndexOutOfBounds { entry: 1, coordinate: 0, value: 9, size: 4 };
    plans!(Scatter::axis(TABLE, THREE, ROWS, 0), |scatter| {
        for (bounds, expected, ends) in [
            (Bounds::Error, [0; 8], Err(error)),
            (Bounds::Clamp, [5, 6, 0, 0, 0, 0, 3, 4], Ok(())),
            (Bounds::Wrap, [0, 0, 3, 4, 5, 6, 1, 2], Ok(())),
            (Bounds::Skip, [0, 0, 0, 0, 0, 0, 1, 2], Ok(())),
        ] {
            let mut data = [0_i8; 8];
            let result =
                scatter.bounds(bounds).run(&mut data, &black_box([-1, 9, -6]), &[1, 2, 3, 4, 5, 6]);
            assert_eq!((data, result), (expected, ends));
        }
    });
}

#[inline(never)]
fn no_axis() {
    const ONE: Layout = Layout::contiguous([1]);
    plans!(Gather::axis(Layout::contiguous([0]), ONE, ONE, 0), |gather| {
        let error = Error::IndexOutOfBounds { entry: 0, coordinate: 0, value: 0, size: 0 };
        for (bounds, expected) in [
            (Bounds::Error, Err(error)),
            (Bounds::Clamp, Ok([9])),
            (Bounds::Wrap, Ok([9])),
            (Bounds::Skip, Ok([9])),
        ] {
            let mut output = [9_u8];
            let result = gather.bounds(bounds).run(&[], &black_box([0]), &mut output);
            assert_eq!(result.map(|()| output), expected);
        }
    });
}
