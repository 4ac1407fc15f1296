//! Every type of index, and values that a machine of 32 bits must not cut off.

use core::hint::black_box;

use defmt::{assert_eq, info, unwrap};
use strew::{Bounds, Error, Gather, Index, Layout, Scatter, plan};

use crate::plans;

const FIVE: Layout = Layout::contiguous([5]);
const ONE: Layout = Layout::contiguous([1]);

pub fn check() {
    types();
    wide_signed();
    wide_unsigned();
    long_axis();
    sizes();
}

#[inline(never)]
fn types() {
    const THREE: Layout = Layout::contiguous([3]);
    const GATHER: Gather = plan!(Gather::axis(&FIVE, &THREE, &THREE, 0));
    const SCATTER: Scatter = plan!(Scatter::axis(&FIVE, &THREE, &THREE, 0));
    macro_rules! each {
        ($indices:expr, $places:expr; $($index:ident)*) => {$({
            let (name, indices): (_, [$index; 3]) = (stringify!($index), black_box($indices));
            let (mut output, mut data) = ([0_u16; 3], [0_u16; 5]);
            unwrap!(GATHER.run(&[10, 11, 12, 13, 14], &indices, &mut output));
            assert_eq!(output, $places.map(|place| 10 + place), "{=str}", name);
            unwrap!(SCATTER.run(&mut data, &indices, &output));
            assert_eq!($places.map(|place| data[place as usize]), output, "{=str}", name);
            let bad = GATHER.check(&[0, 4, 5 as $index]).map(|_| ());
            let error = Error::IndexOutOfBounds { entry: 2, coordinate: 0, value: 5, size: 5 };
            assert_eq!(bad, Err(error), "{=str}", name);
        })*};
    }
    each!([4, 0, 3], [4, 0, 3]; u8 u16 u32 u64 usize);
    each!([-1, 0, -4], [4, 0, 1]; i8 i16 i32 i64 isize);
    info!("indices: u8 u16 u32 u64 usize i8 i16 i32 i64 isize");
}

/// What an axis of 5 makes of an index that is `value`: it is out of bounds, clamps or wraps to a
/// position, is skipped.
#[inline(never)]
fn outside<I: Index>(index: I, value: i128, clamped: u16, wrapped: u16) {
    let error = Error::IndexOutOfBounds { entry: 0, coordinate: 0, value, size: 5 };
    let policies = [
        (Bounds::Error, Err(error)),
        (Bounds::Clamp, Ok(clamped)),
        (Bounds::Wrap, Ok(wrapped)),
        (Bounds::Skip, Ok(99)),
    ];
    plans!(Gather::axis(FIVE, ONE, ONE, 0), |gather| {
        for (bounds, expected) in policies {
            let mut output = [99];
            let gathered = gather
                .bounds(bounds)
                .run(&[0, 1, 2, 3, 4], &[index], &mut output)
                .map(|()| output[0]);
            assert_eq!(gathered, expected);
        }
    });
    plans!(Scatter::axis(FIVE, ONE, ONE, 0), |scatter| {
        let mut data = [0_u16; 5];
        assert_eq!(scatter.run(&mut data, &[index], &[7]), Err(error));
        assert_eq!(data, [0; 5]);
    });
}

fn wide_signed() {
    for (index, clamped, wrapped) in
        [((1 << 32) + 1, 4, 2), (-(1 << 32) - 1, 0, 3), (i64::MAX, 4, 2), (i64::MIN, 0, 2)]
    {
        outside(index, index.into(), clamped, wrapped);
    }
    info!("i64: 2^32 + 1, -2^32 - 1 and the extremes are themselves");
}

fn wide_unsigned() {
    for (index, clamped, wrapped) in [((1 << 32) + 1, 4, 2), (u64::MAX, 4, 0)] {
        outside(index, index.into(), clamped, wrapped);
    }
    outside(u32::MAX, u32::MAX.into(), 4, 0);
    info!("u64: 2^32 + 1 and 2^64 - 1 are themselves, u32: 2^32 - 1 is not -1");
}

/// An axis longer than `isize` can count, in one element that a stride of 0 repeats.
#[inline(never)]
fn long_axis() {
    const SIZE: usize = 3_100_000_000;
    plans!(Gather::axis(Layout::strided([SIZE], [0]), ONE, ONE, 0), |gather| {
        let gathered = |index: i64| {
            let mut output = [0_u8];
            gather.run(&[7], &[black_box(index)], &mut output).map(|()| output[0])
        };
        for inside in [-3_000_000_000, -3_100_000_000, 3_000_000_000, 3_099_999_999] {
            assert_eq!(gathered(inside), Ok(7));
        }
        for value in [-3_100_000_001, 3_100_000_000, (1 << 32) + 1] {
            let error = Error::IndexOutOfBounds {
                entry: 0,
                coordinate: 0,
                value: i128::from(value),
                size: SIZE,
            };
            assert_eq!(gathered(value), Err(error));
        }
    });
    info!("i64: -3000000000 on an axis of 3100000000");
}

/// Products beyond 32 bits are refused, whichever tensor they belong to.
#[inline(never)]
fn sizes() {
    use strew::Operand::{Data, Indices, Input, Output, Updates};
    let huge = black_box(Layout::contiguous([65_536, 65_536]));
    let one = Layout::contiguous([1, 1]);
    let overflow = |operand| Some(Error::SizesOverflow { operand });
    assert_eq!(Gather::elements(&huge, &one, &one, 0).err(), overflow(Input));
    assert_eq!(Gather::elements(&huge, &huge, &huge, 0).err(), overflow(Input));
    let (repeated, steps) =
        (Layout::strided([65_536, 1], [0, 0]), Layout::strided([65_536, 1], [65_537, 1]));
    assert_eq!(
        Gather::elements(&repeated, &steps, &Layout::contiguous([65_536, 1]), 0).err(),
        overflow(Indices)
    );
    assert_eq!(Gather::elements(&repeated, &repeated, &steps, 0).err(), overflow(Output));
    assert_eq!(
        Scatter::elements(&Layout::contiguous([65_536, 1]), &repeated, &steps, 0).err(),
        overflow(Updates)
    );
    assert_eq!(Scatter::elements(&huge, &one, &one, 0).err(), overflow(Data));
    info!("sizes whose product exceeds 32 bits are refused");
}
