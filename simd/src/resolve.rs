//! From indices to addresses.

use crate::block::NOWHERE;
use crate::bytes::STEP;
use crate::index::sealed::{Divisor, Sealed};
use crate::path::Path;
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

/// The axes of a tuple, and what its positions on them add up to.
#[derive(Clone, Copy, Debug)]
pub struct Axes<'a> {
    /// One axis for each coordinate.
    pub all: &'a [Axis],
    /// The distance between the coordinates of a tuple, in indices.
    pub step: isize,
    /// The address of a tuple of zeros.
    pub first: u32,
    /// What becomes of an index that is not on its axis.
    pub outside: Outside,
}

/// Where tuples lie in the indices: the first coordinate of tuple `n` of lane `l` is
/// `indices[start + l * lane_step + n * step]`, modulo 2^bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tuples {
    /// The place of the first coordinate.
    pub start: usize,
    /// The distance between tuples.
    pub step: isize,
    /// The number of tuples of a lane.
    pub length: usize,
    /// The distance between lanes.
    pub lane_step: isize,
    /// The distance from a lane to the one that is prefetched; 0: none.
    pub next: isize,
}

/// What becomes of an index that is not on its axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// Its entry gets the address [`NOWHERE`].
    Nowhere,
    /// It moves to the nearest position. No axis is empty.
    Clamp,
    /// It moves to its Euclidean remainder by the size. No axis is empty. Of an index below `-2^32`
    /// or from `2^32` on, the entry gets the address [`NOWHERE`].
    Wrap,
}

/// Sets `addresses[n] = first + sum_k position(tuple n, k) * axes[k].stride`, modulo 2^32, and says
/// whether all indices were on their axes (`-from_end <= index < size`, or moved there) and in the
/// slice. If one was not in the slice, the addresses mean nothing.
///
/// `first` and the strides must be such that no partial sum is [`NOWHERE`].
// The arguments are references: a copy waits for the stores that have just made them, 30 ns a call.
pub type Resolve<I> = fn(Path, &[I], &Tuples, &Axes<'_>, &mut [u32]) -> bool;

/// The integers that can be an index. The trait is sealed.
pub trait Index: Sealed {
    /// The kernel that turns them into addresses, compiled with this crate.
    const RESOLVE: Resolve<Self>;
}

/// The kernel of each index type: a function that is not generic.
macro_rules! kernels {
    ($($index:ty)*) => {$(
        impl Index for $index {
            // A function, not a closure: those of a constant are compiled where it is used.
            const RESOLVE: Resolve<Self> = {
                fn resolve(
                    path: Path,
                    indices: &[$index],
                    tuples: &Tuples,
                    axes: &Axes<'_>,
                    to: &mut [u32],
                ) -> bool {
                    lanes(path, indices, tuples, axes, to)
                }
                resolve
            };
        }
    )*};
}
kernels!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

/// Chooses the loop: tuples of 1 to 4 without gaps, or with them, which are copied; or others, one
/// coordinate after the other.
#[inline]
fn lanes<I: Sealed>(
    path: Path,
    indices: &[I],
    tuples: &Tuples,
    axes: &Axes<'_>,
    to: &mut [u32],
) -> bool {
    let Axes { all, first, .. } = *axes;
    if all.is_empty() || to.is_empty() {
        to.fill(first);
        return true;
    }
    // With a step of 1, each coordinate of all tuples is one run: it is read as it is.
    let short = all.len() == 1 || (all.len() <= 4 && tuples.step != 1);
    let packed = short && tuples.step == all.len() as isize && (axes.step == 1 || all.len() == 1);
    if short && !(packed && tuples.length >= LONG_LANE.min(to.len())) {
        return copied(path, indices, tuples, axes, to);
    }
    let (mut start, mut inside) = (tuples.start, true);
    for to in to.chunks_mut(tuples.length.max(1)) {
        if packed {
            let end = start.wrapping_add(all.len().wrapping_mul(to.len()));
            let Some(run) = indices.get(start..end) else { return false };
            if tuples.next != 0 {
                prefetch_run(run, tuples.next);
            }
            inside &= side_by_side(path, run, axes, to);
        } else {
            let (step, coordinate_step) = (tuples.step, axes.step);
            inside &= apart(path, &Run { indices, start, step, coordinate_step }, axes, to);
        }
        start = start.wrapping_add_signed(tuples.lane_step);
    }
    inside
}

/// Tuples of 1 to 4 with gaps, or in short lanes: some at a time are copied, each coordinate to a
/// run of its own.
fn copied<I: Sealed>(
    path: Path,
    indices: &[I],
    tuples: &Tuples,
    axes: &Axes<'_>,
    to: &mut [u32],
) -> bool {
    let mut buffer = [I::default(); COPIED];
    let (mut next, mut inside) = (Next { lane: tuples.start, at: tuples.start, column: 0 }, true);
    let coordinates = axes.all.len().max(1);
    for to in to.chunks_mut(COPIED / coordinates) {
        let copy = buffer.get_mut(..to.len().wrapping_mul(coordinates)).unwrap_or_default();
        if !next.copy(indices, tuples, axes, copy) {
            return false;
        }
        inside &= if coordinates == 1 {
            side_by_side(path, copy, axes, to)
        } else {
            let coordinate_step = to.len().cast_signed();
            apart(path, &Run { indices: copy, start: 0, step: 1, coordinate_step }, axes, to)
        };
    }
    inside
}

/// Lanes of at least this many entries are worth a loop of their own.
const LONG_LANE: usize = 16;

/// Where the tuples of a lane lie in indices.
struct Run<'a, I> {
    indices: &'a [I],
    start: usize,
    step: isize,
    coordinate_step: isize,
}

/// Tuples of 1 to 4 without gaps.
#[inline]
fn side_by_side<I: Sealed>(path: Path, run: &[I], axes: &Axes<'_>, to: &mut [u32]) -> bool {
    // Where some of the first are not on the axis, others are likely not to be.
    let first = if let ([axis], Some(first)) = (axes.all, run.first_chunk::<FIRST>()) {
        run.len() < 16 * FIRST || count(first, axis, &mut [0; FIRST], |_, _| {})
    } else {
        true
    };
    first && plain(path, run, axes.all, axes.first, to)
        || match axes.all.len() {
            2 => parted::<I, 2>(path, run, axes, to),
            3 => parted::<I, 3>(path, run, axes, to),
            4 => parted::<I, 4>(path, run, axes, to),
            _ => any(path, &Run { indices: run, start: 0, step: 1, coordinate_step: 1 }, axes, to),
        }
}

/// Tuples of `K` without gaps, copied to a run for each coordinate.
#[inline(never)]
fn parted<I: Sealed, const K: usize>(
    path: Path,
    tuples: &[I],
    axes: &Axes<'_>,
    to: &mut [u32],
) -> bool {
    let (mut runs, mut inside) = ([[I::default(); PART]; K], true);
    for (to, tuples) in to.chunks_mut(PART).zip(tuples.as_chunks::<K>().0.chunks(PART)) {
        for (n, tuple) in tuples.iter().enumerate() {
            for (run, index) in runs.iter_mut().zip(tuple) {
                if let Some(to) = run.get_mut(n) {
                    *to = *index;
                }
            }
        }
        let coordinate_step = PART.cast_signed();
        let indices = runs.as_flattened();
        inside &= apart(path, &Run { indices, start: 0, step: 1, coordinate_step }, axes, to);
    }
    inside
}

/// Tuples whose coordinates lie in runs of their own, or any others.
#[inline(never)]
fn apart<I: Sealed>(path: Path, run: &Run<'_, I>, axes: &Axes<'_>, to: &mut [u32]) -> bool {
    run.step == 1 && in_planes(path, run, axes, to) || any(path, run, axes, to)
}

/// The indices that are looked at first, of runs of 16 times as many: of a shorter one it costs
/// less to look at all twice. More cost more, and of those of which a tenth is not on the axis they
/// find half. Record: runs of 32 i64 on Xeon 5: 8 take 10 ns more than 2.
const FIRST: usize = 8;

/// Tuples whose coordinates lie in runs of their own, some tuples at a time, so that all runs come
/// from memory together. `false`: an index is not on its axis, or not in the slice, or there are no
/// vectors; the addresses mean nothing.
fn in_planes<I: Sealed>(path: Path, run: &Run<'_, I>, axes: &Axes<'_>, to: &mut [u32]) -> bool {
    let Run { indices, start: mut first, coordinate_step, .. } = *run;
    path.vectorize(
        to,
        #[inline(always)]
        |to| {
            for to in to.chunks_mut(PART) {
                to.fill(axes.first);
                let mut start = first;
                for axis in axes.all {
                    let Some(run) = indices.get(start..start.wrapping_add(to.len())) else {
                        return false;
                    };
                    let inside = count(run, axis, to, |address, position| {
                        *address = address.wrapping_add(position.wrapping_mul(axis.stride));
                    });
                    if !inside {
                        return false;
                    }
                    start = start.wrapping_add_signed(coordinate_step);
                }
                first = first.wrapping_add(to.len());
            }
            true
        },
        |_| false,
    )
}

/// The tuples whose coordinates are read together: more hold up the next run, fewer cost loops.
/// Also the indices that become positions before these are added, at most.
/// Record: pairs and triples of i32 and i64 on Zen 4: 64 took 1.1x to 1.3x from L1, 512 took 1.1x
/// to 1.4x from memory.
const PART: usize = if cfg!(fuzzing) { 16 } else { 128 };

/// Tuples of 1 to 4 without gaps. `false`: an index is not on its axis, or is below 0 and not the
/// only one of its tuple, or there are more coordinates; the addresses mean nothing.
fn plain<I: Sealed>(path: Path, tuples: &[I], axes: &[Axis], first: u32, to: &mut [u32]) -> bool {
    let inside = path.compiled(
        #[inline(always)]
        || match *axes {
            // Of elements side by side they are the addresses: gathers by i64 from L1 and L2 take
            // 0.8x to 0.9x of what they took when positions were multiplied and added here.
            [a] => count(tuples, &a, to, |address, position| *address = position),
            [a, b] => positions(tuples, [a, b], first, to),
            [a, b, c] => positions(tuples, [a, b, c], first, to),
            [a, b, c, d] => positions(tuples, [a, b, c, d], first, to),
            _ => false,
        },
    );
    match *axes {
        [a] if inside && (a.stride != 1 || first != 0) => lead(path, a, first, to),
        _ => inside,
    }
}

/// Any tuples, with any indices: some become positions, which are then added to addresses by what
/// does not know their type. One coordinate follows the other.
fn any<I: Sealed>(path: Path, run: &Run<'_, I>, axes: &Axes<'_>, to: &mut [u32]) -> bool {
    let Run { indices, mut start, step, coordinate_step } = *run;
    let (mut positions, mut inside) = ([0; PART], true);
    let mut copy = [I::default(); PART];
    for to in to.chunks_mut(PART) {
        let mut place = start;
        for (n, axis) in axes.all.iter().enumerate() {
            let copy = copy.get_mut(..to.len()).unwrap_or_default();
            let in_place = || indices.get(place..place.wrapping_add(copy.len()));
            let now = if step == 1 { in_place() } else { strided(indices, place, step, copy) };
            let Some(now) = now else { return false };
            if n == 0 {
                set_positions(path, now, axis, axes.outside, to);
                inside &= lead(path, *axis, axes.first, to);
            } else {
                set_positions(path, now, axis, axes.outside, &mut positions);
                inside &= add_coordinates(path, &positions, *axis, to);
            }
            place = place.wrapping_add_signed(coordinate_step);
        }
        start = start.wrapping_add(to.len().wrapping_mul(step as usize));
    }
    inside
}

/// The indices that are copied at a time. Copied tuples take 1 ns less an index than those that are
/// read with gaps. Fuzzers copy few, to come to the ends of lanes.
const COPIED: usize = if cfg!(fuzzing) { 16 } else { 256 };

/// The tuple that is copied next.
#[derive(Clone, Copy)]
struct Next {
    /// Where its lane starts, where it is, and its number in the lane.
    lane: usize,
    at: usize,
    column: usize,
}

impl Next {
    /// Copies tuples, each coordinate to a run of its own. `false`: an index is not in the slice.
    #[inline(never)]
    fn copy<I: Sealed>(
        &mut self,
        indices: &[I],
        tuples: &Tuples,
        axes: &Axes<'_>,
        copy: &mut [I],
    ) -> bool {
        let count = copy.len().checked_div(axes.all.len()).unwrap_or(0).max(1);
        let (mut next, mut shift) = (*self, 0_isize);
        for mut run in copy.chunks_exact_mut(count) {
            next = *self;
            while !run.is_empty() {
                let n = tuples.length.saturating_sub(next.column).max(1).min(run.len());
                let to = run.split_off_mut(..n).unwrap_or_default();
                if strided(indices, next.at.wrapping_add_signed(shift), tuples.step, to).is_none() {
                    return false;
                }
                next.go(n, tuples);
            }
            shift = shift.wrapping_add(axes.step);
        }
        *self = next;
        true
    }

    /// Goes on after some tuples of a lane, to the next lane at the end of one.
    #[inline(always)]
    fn go(&mut self, count: usize, tuples: &Tuples) {
        self.column += count;
        self.at = self.at.wrapping_add(count.wrapping_mul(tuples.step as usize));
        if self.column == tuples.length {
            self.lane = self.lane.wrapping_add_signed(tuples.lane_step);
            (self.at, self.column) = (self.lane, 0);
        }
    }
}

/// Tuples of `K` without gaps, of which no index is below 0: a plain loop that compilers make
/// vectors of. Others would take 1.1x to 1.2x.
#[inline(always)]
fn positions<I: Sealed, const K: usize>(
    indices: &[I],
    axes: [Axis; K],
    first: u32,
    addresses: &mut [u32],
) -> bool {
    let mut all = [(0, 0); K];
    for (address, tuple) in addresses.iter_mut().zip(indices.as_chunks::<K>().0) {
        let mut sum = first;
        for ((index, axis), (above, most)) in tuple.iter().zip(&axes).zip(&mut all) {
            let (position, wide) = (index.extended() as u32, index.extended());
            *above |= if I::WIDE { wide } else { 0 };
            *most = position.max(*most);
            sum = sum.wrapping_add(position.wrapping_mul(axis.stride));
        }
        *address = sum;
    }
    all.iter().zip(&axes).all(|((above, most), axis)| above >> 32 == 0 && *most < axis.size)
}

/// Passes the position of each index, which may be below 0, and its address. `false`: some are not
/// on the axis.
#[inline(always)]
fn count<I: Sealed>(
    indices: &[I],
    axis: &Axis,
    addresses: &mut [u32],
    set: impl Fn(&mut u32, u32),
) -> bool {
    let (mut above, mut highs, mut most) = (0, 0, 0);
    for (address, index) in addresses.iter_mut().zip(indices) {
        let (position, wide, high) = index.counted(axis.from_end);
        (above, highs, most) = (above | wide, highs | high, position.max(most));
        set(address, position);
    }
    most < axis.size && if axis.from_end == 0 { highs == 0 } else { above == 0 }
}

/// Sets the positions of some indices, by what becomes of those that are not on their axis. Those
/// that have none get one that is on no axis.
#[inline(never)]
fn set_positions<I: Sealed>(
    path: Path,
    indices: &[I],
    axis: &Axis,
    outside: Outside,
    to: &mut [u32],
) {
    let (Axis { size, from_end, .. }, pairs) = (*axis, to.iter_mut().zip(indices));
    path.narrow(
        #[inline(always)]
        || match outside {
            Outside::Clamp => {
                pairs.for_each(|(to, index)| *to = index.nearest_on_axis(size, from_end));
            }
            Outside::Wrap => {
                let divisor = Divisor::of(size);
                pairs.for_each(|(to, index)| *to = index.remainder(divisor).unwrap_or(NOWHERE));
            }
            Outside::Nowhere => {
                pairs.for_each(|(to, index)| *to = index.position(from_end).unwrap_or(NOWHERE));
            }
        },
    );
}

/// The indices that lie a step apart, copied. `None`: one is not in the slice. Of 8 and more, the
/// first place and the last one are checked; of 2 to 5 that takes 1.2x to 1.4x.
#[inline]
fn strided<'a, I: Sealed>(
    indices: &[I],
    mut place: usize,
    step: isize,
    to: &'a mut [I],
) -> Option<&'a [I]> {
    if to.len() < LONG_LANE / 2 {
        for to in &mut *to {
            *to = *indices.get(place)?;
            place = place.wrapping_add_signed(step);
        }
        return Some(to);
    }
    let reach = step.checked_mul(to.len().wrapping_sub(1).cast_signed())?;
    if place >= indices.len() || place.checked_add_signed(reach)? >= indices.len() {
        return None;
    }
    for to in &mut *to {
        // SAFETY: the first place and the last one are in the slice, as the check above found, and
        // all others lie between them.
        *to = *unsafe { indices.get_unchecked(place) };
        place = place.wrapping_add_signed(step);
    }
    Some(to)
}

/// Turns positions on the first axis into addresses. `false`: some are not on it.
#[inline(never)]
fn lead(path: Path, axis: Axis, first: u32, to: &mut [u32]) -> bool {
    path.narrow(
        #[inline(always)]
        || {
            let mut all = true;
            for address in to {
                let inside = *address < axis.size;
                let sum = first.wrapping_add(address.wrapping_mul(axis.stride));
                *address = if inside { sum } else { NOWHERE };
                all &= inside;
            }
            all
        },
    )
}

/// Adds what one coordinate of each tuple contributes. `false`: some are not on their axis.
#[inline(never)]
fn add_coordinates(path: Path, positions: &[u32; PART], axis: Axis, to: &mut [u32]) -> bool {
    path.narrow(
        #[inline(always)]
        || {
            let mut all = true;
            for (address, position) in to.iter_mut().zip(positions) {
                let sum = address.wrapping_add(position.wrapping_mul(axis.stride));
                let inside = *position < axis.size;
                *address = if inside & (*address != NOWHERE) { sum } else { NOWHERE };
                all &= inside;
            }
            all
        },
    )
}

/// The number of addresses that are the same as one of the two before them.
#[must_use]
pub fn repeats(path: Path, addresses: &[u32]) -> usize {
    let [second, third] = [1, 2].map(|n| addresses.get(n..).unwrap_or_default());
    path.narrow(
        #[inline(always)]
        || {
            let all = third.iter().zip(second).zip(addresses);
            all.fold(0_u32, |n, ((c, b), a)| n + u32::from((c == b) | (c == a))) as usize
        },
    )
}

/// Sets `to[n] = addresses[n] + (n % copies) * length`, modulo 2^32, for a number of copies that
/// divides 16. [`NOWHERE`] stays. This spreads entries over copies of a table, which lie one after
/// the other.
pub fn spread(path: Path, addresses: &[u32], copies: usize, length: u32, to: &mut [u32]) {
    let copy = |n: usize| length.wrapping_mul(n.checked_rem(copies).unwrap_or(0) as u32);
    let starts: [u32; STEP] = core::array::from_fn(copy);
    path.narrow(
        #[inline(always)]
        || spread_by(addresses, &starts, to),
    );
}

#[inline(always)]
fn spread_by(addresses: &[u32], starts: &[u32; STEP], to: &mut [u32]) {
    let (steps, rest) = addresses.as_chunks::<STEP>();
    let Some((to, last)) = to.split_at_mut_checked(addresses.len() - rest.len()) else { return };
    for (to, from) in to.as_chunks_mut::<STEP>().0.iter_mut().zip(steps) {
        for ((to, from), start) in to.iter_mut().zip(from).zip(starts) {
            *to = moved(*from, *start);
        }
    }
    for ((to, from), start) in last.iter_mut().zip(rest).zip(starts) {
        *to = moved(*from, *start);
    }
}

/// Adds `first + sum_k c_k * step_k`, modulo 2^32, to each address: `(size_k, step_k)` are
/// dimensions, the innermost one first, and `c_k` is the coordinate of the address in each; of the
/// last one, any number of them follow. [`NOWHERE`] stays, and all do without dimensions.
pub fn shift(path: Path, addresses: &mut [u32], mut first: u32, steps: &[(usize, u32)]) {
    let Some((&(_, last), whole)) = steps.split_last() else { return };
    let size = whole.iter().fold(1, |all: usize, (size, _)| all.saturating_mul(*size)).max(1);
    if whole.first().is_some_and(|(length, _)| *length <= SHIFTED_LANE)
        && size <= PATTERN
        && addresses.len() >= 2 * PATTERN
    {
        return path.narrow(
            #[inline(always)]
            || shift_by_pattern(addresses, first, whole, last),
        );
    }
    let (length, step) = match *whole {
        [] => (addresses.len().max(1), last),
        [lane] => lane,
        _ => {
            for addresses in addresses.chunks_mut(size) {
                shift(path, addresses, first, whole);
                first = first.wrapping_add(last);
            }
            return;
        }
    };
    path.compiled(
        // By value: behind a reference, each store to an address could change the steps.
        #[inline(always)]
        move || {
            let mut first = first;
            for lane in addresses.chunks_mut(length.max(1)) {
                let mut add = first;
                for address in lane {
                    *address = moved(*address, add);
                    add = add.wrapping_add(step);
                }
                first = first.wrapping_add(last);
            }
        },
    );
}

/// The sums that are made before they are added, where they serve twice at least: lanes of at most
/// [`SHIFTED_LANE`] addresses are no vectors, but some of them are. Record: lanes of 2 to 15
/// addresses on Xeon 5, gathered and added: 0.6x to 0.95x.
const PATTERN: usize = if cfg!(fuzzing) { 32 } else { 256 };
const SHIFTED_LANE: usize = 16;

/// An address some steps further on. [`NOWHERE`] stays.
#[inline(always)]
fn moved(address: u32, steps: u32) -> u32 {
    if address == NOWHERE { NOWHERE } else { address.wrapping_add(steps) }
}

#[inline(always)]
fn shift_by_pattern(addresses: &mut [u32], mut first: u32, whole: &[(usize, u32)], last: u32) {
    let (mut pattern, mut filled) = ([0; PATTERN], 1);
    for (size, step) in whole {
        filled = repeat(&mut pattern, filled, *size, *step);
    }
    let times = PATTERN / filled.max(1);
    let all = repeat(&mut pattern, filled, times, last);
    for addresses in addresses.chunks_mut(all.max(1)) {
        for (address, sum) in addresses.iter_mut().zip(&pattern) {
            *address = moved(*address, sum.wrapping_add(first));
        }
        first = first.wrapping_add(last.wrapping_mul(times as u32));
    }
}

/// Repeats the first `filled` sums until there are `times` as many, each copy with another step.
/// The number of sums. There are twice as many each time, so that most are made in long loops.
#[inline(always)]
fn repeat(pattern: &mut [u32], mut filled: usize, times: usize, mut step: u32) -> usize {
    let all = filled.saturating_mul(times).min(pattern.len());
    while filled < all {
        let Some((from, to)) = pattern.split_at_mut_checked(filled) else { break };
        for (to, from) in to.iter_mut().zip(from).take(all - filled) {
            *to = from.wrapping_add(step);
        }
        (filled, step) = (filled.saturating_mul(2).min(all), step.wrapping_mul(2));
    }
    filled
}
