//! From indices to addresses.

use crate::block::NOWHERE;
use crate::index::sealed::Sealed;
use crate::path::{Instructions, Op, Path};
use crate::prefetch::prefetch_run;

/// The axis that one coordinate of a tuple indexes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Axis {
    /// The number of positions, at most `i32::MAX`.
    pub size: u32,
    /// What is added to an index below 0: the size, or 0 if such an index is not on the axis.
    pub from_end: u32,
    /// The distance between two positions in the table, modulo 2^32.
    pub stride: u32,
}

/// Where tuples lie: coordinate `k` of tuple `n` of lane `l` is
/// `indices[start + l * lane_step + n * step + k * coordinate_step]`, modulo 2^bits.
#[derive(Clone, Copy, Debug)]
pub struct Tuples<'a, I> {
    /// The slice that holds them.
    pub indices: &'a [I],
    /// The place of the first coordinate.
    pub start: usize,
    /// The distance between tuples.
    pub step: isize,
    /// The distance between the coordinates of a tuple.
    pub coordinate_step: isize,
    /// The number of tuples of a lane.
    pub length: usize,
    /// The distance between lanes.
    pub lane_step: isize,
    /// The distance from a lane to the one that is prefetched, in indices; 0: none.
    pub next: isize,
}

/// What becomes of an index that is not on its axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// Its entry gets the address [`NOWHERE`].
    Nowhere,
    /// It moves to the nearest position. No axis is empty.
    Clamp,
}

/// Sets `addresses[n] = first + sum_k position(tuple n, k) * axes[k].stride`, modulo 2^32, and says
/// whether all indices were on their axes (`-from_end <= index < size`, or moved there) and in the
/// slice. If one was not in the slice, the addresses mean nothing.
///
/// `first` and the strides must be such that no partial sum is [`NOWHERE`].
pub type Resolve<I> = fn(Path, Tuples<'_, I>, &[Axis], u32, Outside, &mut [u32]) -> bool;

/// The integers that can be an index. The trait is sealed.
pub trait Index: Sealed {
    /// The kernel that turns them into addresses, compiled with this crate.
    const RESOLVE: Resolve<Self>;
}

/// The kernel of each index type: a function that is not generic.
macro_rules! kernels {
    ($($index:ty)*) => {$(
        impl Index for $index {
            const RESOLVE: Resolve<Self> = {
                fn kernel(
                    path: Path,
                    tuples: Tuples<'_, $index>,
                    axes: &[Axis],
                    first: u32,
                    outside: Outside,
                    addresses: &mut [u32],
                ) -> bool {
                    resolve(path, tuples, axes, first, outside, addresses)
                }
                kernel
            };
        }
    )*};
}
kernels!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

/// [`Resolve`] for one index type.
#[inline(always)]
pub(crate) fn resolve<I: Sealed>(
    path: Path,
    tuples: Tuples<'_, I>,
    axes: &[Axis],
    first: u32,
    outside: Outside,
    addresses: &mut [u32],
) -> bool {
    struct Run<'a, I> {
        tuples: Tuples<'a, I>,
        axes: &'a [Axis],
        first: u32,
        outside: Outside,
        addresses: &'a mut [u32],
    }
    impl<I: Sealed> Op for Run<'_, I> {
        type Output = bool;
        #[inline(always)]
        fn run<S: Instructions>(self, _: S) -> bool {
            let Run { tuples, axes, first, outside, addresses } = self;
            match outside {
                Outside::Nowhere => lane::<S, I, false>(tuples, axes, first, addresses),
                Outside::Clamp => lane::<S, I, true>(tuples, axes, first, addresses),
            }
        }
    }
    path.dispatch(Run { tuples, axes, first, outside, addresses })
}

/// Chooses the loop: tuples of 1 to 4 without gaps, or one coordinate after the other.
#[inline(always)]
fn lane<S: Instructions, I: Sealed, const CLAMP: bool>(
    tuples: Tuples<'_, I>,
    axes: &[Axis],
    first: u32,
    addresses: &mut [u32],
) -> bool {
    if axes.is_empty() || addresses.is_empty() {
        addresses.fill(first);
        return true;
    }
    // Tuples are clamped one coordinate after the other, and all are where a path has no vectors:
    // rarely, so that there is less code.
    let longest = if CLAMP || !S::VECTORS { 1 } else { 4 };
    let packed = axes.len() <= longest
        && tuples.step == axes.len() as isize
        && (tuples.coordinate_step == 1 || axes.len() == 1);
    let (mut start, mut all) = (tuples.start, true);
    for addresses in addresses.chunks_mut(tuples.length.max(1)) {
        let mut indices: &[I] = &[];
        if packed {
            let end = start.wrapping_add(axes.len().wrapping_mul(addresses.len()));
            let Some(run) = tuples.indices.get(start..end) else { return false };
            if tuples.next != 0 {
                prefetch_run(run, tuples.next);
            }
            indices = run;
        }
        all &= match *axes {
            [a] if packed => run::<I, 1, CLAMP>(indices, [a], first, addresses),
            [a, b] if longest > 1 && packed => {
                run::<I, 2, CLAMP>(indices, [a, b], first, addresses)
            }
            [a, b, c] if longest > 1 && packed => {
                run::<I, 3, CLAMP>(indices, [a, b, c], first, addresses)
            }
            [a, b, c, d] if longest > 1 && packed => {
                run::<I, 4, CLAMP>(indices, [a, b, c, d], first, addresses)
            }
            _ => by_coordinate::<I, CLAMP>(tuples, start, axes, first, addresses),
        };
        start = start.wrapping_add_signed(tuples.lane_step);
    }
    all
}

/// Tuples of `K` without gaps: plain loops that compilers make vectors of.
#[inline(always)]
fn run<I: Sealed, const K: usize, const CLAMP: bool>(
    indices: &[I],
    axes: [Axis; K],
    first: u32,
    addresses: &mut [u32],
) -> bool {
    let mut all = true;
    for (address, tuple) in addresses.iter_mut().zip(indices.as_chunks::<K>().0) {
        let (mut sum, mut inside) = (first, true);
        for (index, axis) in tuple.iter().zip(&axes) {
            let (position, found) = position::<I, CLAMP>(*index, axis);
            sum = sum.wrapping_add(position.wrapping_mul(axis.stride));
            inside &= found;
        }
        *address = if inside { sum } else { NOWHERE };
        all &= inside;
    }
    all
}

/// Tuples of any length and strides, one coordinate of all of them after the other.
#[inline(always)]
fn by_coordinate<I: Sealed, const CLAMP: bool>(
    tuples: Tuples<'_, I>,
    mut start: usize,
    axes: &[Axis],
    first: u32,
    addresses: &mut [u32],
) -> bool {
    addresses.fill(first);
    let mut all = true;
    for axis in axes {
        if tuples.step == 1 {
            let end = start.wrapping_add(addresses.len());
            let Some(run) = tuples.indices.get(start..end) else { return false };
            for (address, index) in addresses.iter_mut().zip(run) {
                all &= add::<I, CLAMP>(*index, *axis, address);
            }
        } else {
            let mut at = start;
            for address in addresses.iter_mut() {
                let Some(index) = tuples.indices.get(at) else { return false };
                all &= add::<I, CLAMP>(*index, *axis, address);
                at = at.wrapping_add_signed(tuples.step);
            }
        }
        start = start.wrapping_add_signed(tuples.coordinate_step);
    }
    all
}

/// Adds what one coordinate of a tuple contributes, and says whether it is on its axis.
#[inline(always)]
fn add<I: Sealed, const CLAMP: bool>(index: I, axis: Axis, address: &mut u32) -> bool {
    let (position, inside) = position::<I, CLAMP>(index, &axis);
    let sum = address.wrapping_add(position.wrapping_mul(axis.stride));
    *address = if inside & (*address != NOWHERE) { sum } else { NOWHERE };
    inside
}

#[inline(always)]
fn position<I: Sealed, const CLAMP: bool>(index: I, axis: &Axis) -> (u32, bool) {
    let Axis { size, from_end, .. } = *axis;
    if CLAMP {
        (index.nearest_on_axis(size, from_end), true)
    } else {
        index.on_axis(size, from_end)
    }
}

/// Adds `first + l * lane_step + i * entry_step`, modulo 2^32, to the address of entry `i` of lane
/// `l`. Lanes have `length` entries. [`NOWHERE`] stays.
pub fn shift(
    path: Path,
    addresses: &mut [u32],
    length: usize,
    first: u32,
    lane_step: u32,
    entry_step: u32,
) {
    struct Run<'a>(&'a mut [u32], usize, u32, u32, u32);
    impl Op for Run<'_> {
        type Output = ();
        #[inline(always)]
        fn run<S: Instructions>(self, _: S) {
            let Run(addresses, length, mut first, lane_step, entry_step) = self;
            for lane in addresses.chunks_mut(length.max(1)) {
                let mut add = first;
                for address in lane {
                    let sum = address.wrapping_add(add);
                    *address = if *address == NOWHERE { NOWHERE } else { sum };
                    add = add.wrapping_add(entry_step);
                }
                first = first.wrapping_add(lane_step);
            }
        }
    }
    path.dispatch(Run(addresses, length, first, lane_step, entry_step));
}
