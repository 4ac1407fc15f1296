//! From indices to addresses, and choices of them.

use std::fmt::Debug;

use strew_simd::{
    Axes, Axis, Choice, Index, NOWHERE, Outside, Tuples, choose, repeats, shift, spread,
};

use super::{Check, Choose, FAR, one_of, paths, rarely};

/// Any of them.
#[inline]
pub fn any(choose: Choose) -> Box<dyn Check> {
    match choose(12) {
        0 => Box::new(Resolve::<i64>::new(choose)),
        1 => Box::new(Resolve::<i32>::new(choose)),
        2 => Box::new(Resolve::<i16>::new(choose)),
        3 => Box::new(Resolve::<i8>::new(choose)),
        4 => Box::new(Resolve::<isize>::new(choose)),
        5 => Box::new(Resolve::<u64>::new(choose)),
        6 => Box::new(Resolve::<u32>::new(choose)),
        7 => Box::new(Resolve::<u16>::new(choose)),
        8 => Box::new(Resolve::<u8>::new(choose)),
        9 => Box::new(Resolve::<usize>::new(choose)),
        10 => Box::new(Shift::new(choose)),
        _ => Box::new(Chosen::new(choose)),
    }
}

/// An index type.
pub trait Value: Index + Copy + Debug + TryFrom<i128> + TryInto<i128> {}
impl<I: Index + Copy + Debug + TryFrom<i128> + TryInto<i128>> Value for I {}

/// The sizes of axes: small ones, those around the ends of types, and the longest.
const SIZES: [u32; 17] = [
    9,
    1,
    2,
    3,
    127,
    128,
    129,
    255,
    256,
    257,
    (1 << 15) - 1,
    1 << 15,
    (1 << 16) - 1,
    1 << 16,
    70_000,
    i32::MAX as u32,
    0,
];

/// Strides, the first address and steps, modulo 2^32.
const STRIDES: [u32; 10] =
    [1, 0, 2, 64, 3_u32.wrapping_neg(), u32::MAX, 1 << 31, (1 << 31) + 1, 0x10001, 17];

/// A call of [`Index::RESOLVE`].
#[derive(Debug)]
pub struct Resolve<I> {
    indices: Vec<I>,
    start: usize,
    step: isize,
    coordinate_step: isize,
    axes: Vec<Axis>,
    first: u32,
    count: usize,
    outside: Outside,
    /// The tuples of a lane, and the distance between lanes.
    lane: usize,
    lane_step: isize,
}

impl<I: Value> Resolve<I> {
    pub fn new(choose: Choose) -> Resolve<I> {
        let k = one_of(&[1, 2, 3, 4, 5, 6, 0], choose);
        let count = match choose(2) {
            0 => one_of(&[16, 0, 1, 17, 70, 300], choose),
            _ => choose(40),
        };
        let axis = |_| {
            let size = one_of(&SIZES, choose);
            Axis { size, from_end: size, stride: one_of(&STRIDES, choose) }
        };
        let mut axes: Vec<Axis> = (0..k).map(axis).collect();
        let first = one_of(&[0, 17, u32::MAX - 3, 1 << 31, u32::MAX], choose);
        let (step, coordinate_step) = match choose(7) {
            0 | 1 => (k as isize, 1),
            2 => (1, (count + choose(3)) as isize),
            3 => (choose(9) as isize - 4, choose(9) as isize - 4),
            4 => (0, 1),
            5 => (-(k as isize), one_of(&[1, -1], choose)),
            _ => {
                (one_of(&[1, 2, isize::MAX], choose), one_of(&[isize::MIN, isize::MAX / 2], choose))
            }
        };
        let lane = one_of(&[count.max(1), 1000, 3, 8, 17, 100], choose);
        let follow = step.wrapping_mul(lane as isize);
        let lane_step = one_of(&[follow, follow.wrapping_add(5), 1, 0, -7], choose);
        // The slice holds all coordinates, if they lie near each other, but for a few.
        let offset = |n: usize, k: usize| {
            let coordinate = (k as isize).wrapping_mul(coordinate_step);
            let tuple = ((n % lane) as isize).wrapping_mul(step).wrapping_add(coordinate);
            ((n / lane) as isize).wrapping_mul(lane_step).wrapping_add(tuple)
        };
        let all = || (0..count).flat_map(|n| (0..k).map(move |k| (n, k)));
        let (least, largest) = all()
            .map(|(n, k)| offset(n, k))
            .filter(|offset| offset.unsigned_abs() < 3000)
            .fold((0, -1), |(least, largest), offset| (least.min(offset), largest.max(offset)));
        let before = choose(3);
        let mut start = least.unsigned_abs() + before;
        let mut length = start + (largest + 1) as usize + choose(3);
        if rarely(12, choose) {
            length = length.saturating_sub(1 + choose(4));
        }
        let mut indices = vec![value(0); length];
        let (stray, stray_at) = (choose(3), choose(count.max(1)));
        // Of 16 indices that are not below 0, no other is expected to be.
        let below_from = one_of(&[0, usize::MAX, 16], choose);
        for (n, k) in all() {
            let stray = stray == 1 && n == stray_at || stray == 2 && rarely(4, choose);
            if let Some(index) = indices.get_mut(start.wrapping_add_signed(offset(n, k))) {
                *index = telling(axes[k].size, !stray, choose);
                if n * axes.len() + k < below_from && exact(*index) < 0 {
                    *index = value(i128::from(axes[k].size.clamp(1, 128)) - 1);
                }
            }
        }
        if rarely(24, choose) {
            start = one_of(&FAR, choose);
        }
        let has_places = axes.iter().all(|axis| axis.size > 0);
        let outside = match choose(4) {
            1 if has_places => Outside::Clamp,
            3 if has_places => Outside::Wrap,
            _ => Outside::Nowhere,
        };
        if choose(4) == 3 {
            axes.iter_mut().for_each(|axis| axis.from_end = 0);
        }
        Resolve {
            indices,
            start,
            step,
            coordinate_step,
            axes,
            first,
            count,
            outside,
            lane,
            lane_step,
        }
    }

    /// The contract: whether all indices are on their axes, and all addresses; `None`: it means
    /// nothing, as a partial sum is [`NOWHERE`]. `None`: an index is not in the slice.
    fn expect(&self) -> Option<(bool, Vec<Option<u32>>)> {
        let mut all = true;
        let address = |n: usize| {
            let (mut sum, mut inside, mut whole) = (self.first, true, true);
            for (k, axis) in self.axes.iter().enumerate() {
                let coordinate = k.wrapping_mul(self.coordinate_step as usize);
                let tuple = (n % self.lane).wrapping_mul(self.step as usize);
                let lane = (n / self.lane).wrapping_mul(self.lane_step as usize);
                let at = self.start.wrapping_add(lane).wrapping_add(tuple).wrapping_add(coordinate);
                let mut index: i128 = exact(*self.indices.get(at)?);
                let (size, from_end) = (i128::from(axis.size), i128::from(axis.from_end));
                match self.outside {
                    Outside::Clamp => index = index.clamp(-from_end, size - 1),
                    Outside::Wrap if (-1 << 32..1 << 32).contains(&index) => {
                        index = index.rem_euclid(size);
                    }
                    Outside::Wrap | Outside::Nowhere => {}
                }
                inside &= (-from_end..size).contains(&index);
                let position = if index < 0 { index + size } else { index };
                whole &= sum != NOWHERE;
                sum = sum.wrapping_add((position as u32).wrapping_mul(axis.stride));
            }
            all &= inside;
            Some(if inside { whole.then_some(sum) } else { Some(NOWHERE) })
        };
        let addresses = (0..self.count).map(address).collect::<Option<_>>()?;
        Some((all, addresses))
    }
}

impl<I: Value> Check for Resolve<I> {
    #[inline]
    fn check(&self) -> bool {
        let Resolve { indices, axes, first, count, outside, .. } = self;
        let Resolve { start, step, lane, lane_step, .. } = *self;
        let expected = self.expect();
        let axes = Axes { all: axes, step: self.coordinate_step, first: *first, outside: *outside };
        let mut found = vec![7; *count];
        // What is prefetched changes nothing, wherever it lies.
        let next = step.wrapping_mul(3);
        let tuples = Tuples { start, step, length: lane, lane_step, next };
        for path in paths() {
            found.fill(7);
            let all = I::RESOLVE(path, indices, &tuples, &axes, &mut found);
            // Without an index of its own, an address means nothing.
            let Some((expected, addresses)) = &expected else {
                assert!(!all, "{}: {self:?}", path.name());
                continue;
            };
            let same = found.iter().zip(addresses).all(|(a, b)| b.is_none_or(|b| *a == b));
            assert!(
                all == *expected && same,
                "{}, {expected} {addresses:?}, found {all} {found:?}: {tuples:?}, {self:?}",
                path.name()
            );
        }
        expected.is_some_and(|(_, addresses)| !addresses.is_empty())
    }
}

fn exact<I: Value>(index: I) -> i128 {
    index.try_into().ok().unwrap()
}

fn value<I: Value>(index: i128) -> I {
    I::try_from(index).ok().unwrap()
}

/// A value at which an index of some type changes what it means on an axis of this size, near the
/// axis' ends or those of types, or what of it is on the axis.
fn telling<I: Value>(size: u32, on_axis: bool, choose: Choose) -> I {
    let size = i128::from(size);
    let end = match choose(19) {
        0 => 0,
        1 => size,
        2 => -size,
        n => [1, -1][n % 2] << [7, 8, 15, 16, 31, 32, 63, 64][(n - 3) / 2],
    };
    let value = end + one_of(&[0, 1, -1, -size, -size - 1, size - 1], choose);
    let is_on_axis = |value: &i128| (-size..size).contains(value);
    let inside = match on_axis && size > 0 && !is_on_axis(&value) {
        true => (value + size).rem_euclid(2 * size) - size,
        false => value,
    };
    // Of what the type does not hold, another that it does.
    let others = [inside, inside + size, inside & 0x7F, 0];
    let fits = others.into_iter().filter(|other| *other == value || is_on_axis(other) || !on_axis);
    fits.filter_map(|other| I::try_from(other).ok()).next().unwrap_or_else(|| self::value(0))
}

/// A call of [`shift`], of [`spread`], and of [`repeats`].
#[derive(Debug)]
pub struct Shift {
    addresses: Vec<u32>,
    first: u32,
    /// The innermost dimension first.
    steps: Vec<(usize, u32)>,
}

impl Shift {
    pub fn new(choose: Choose) -> Shift {
        let first = one_of(&STRIDES, choose);
        let sizes = [1, 2, 3, 16, 17, 40, 130, usize::MAX];
        let steps = (0..=choose(4)).map(|_| (one_of(&sizes, choose), one_of(&STRIDES, choose)));
        let steps = steps.collect();
        let count = one_of(&[70, 700, 5], choose);
        let address = |_| one_of(&[0, 5, 1 << 31, NOWHERE, 1_000_000], choose);
        Shift { addresses: (0..count).map(address).collect(), first, steps }
    }
}

impl Check for Shift {
    #[inline]
    fn check(&self) -> bool {
        let Shift { addresses, first, steps } = self;
        let (length, entry_step) = &steps[0];
        let shifted = |(mut k, address): (usize, &u32)| {
            let mut sum = address.wrapping_add(*first);
            for (n, (size, step)) in steps.iter().enumerate() {
                let at = if n + 1 == steps.len() { k } else { k % size };
                sum = sum.wrapping_add((at as u32).wrapping_mul(*step));
                k /= size;
            }
            if *address == NOWHERE { NOWHERE } else { sum }
        };
        let expected: Vec<u32> = addresses.iter().enumerate().map(shifted).collect();
        let mut found = addresses.clone();
        for path in paths() {
            found.copy_from_slice(addresses);
            shift(path, &mut found, *first, steps);
            assert_eq!(found, expected, "{}: {self:?}", path.name());
            for copies in [1, 2, 4, 16] {
                let copy = |k: usize| ((k % copies) as u32).wrapping_mul(*entry_step);
                let spread_by = |(k, address): (usize, &u32)| match *address {
                    NOWHERE => NOWHERE,
                    address => address.wrapping_add(copy(k)),
                };
                let fit = addresses.len().min(*length);
                let expected = addresses.iter().take(fit).enumerate().map(spread_by);
                let expected: Vec<u32> = expected.collect();
                let mut found: Vec<u32> = vec![7; fit];
                spread(path, &addresses[..fit], copies, *entry_step, &mut found);
                assert_eq!(found, expected, "{} of {copies}: {self:?}", path.name());
            }
            let all = &addresses[..addresses.len().min(*length)];
            let repeated = all.windows(3).filter(|three| three[..2].contains(&three[2])).count();
            assert_eq!(repeats(path, all), repeated, "{}: {self:?}", path.name());
        }
        expected != *addresses
    }
}

/// A call of [`choose()`].
#[derive(Debug)]
pub struct Chosen {
    choice: Choice,
    addresses: Vec<u32>,
    /// The lengths of the two slices.
    room: [usize; 2],
}

impl Chosen {
    pub fn new(choose: Choose) -> Chosen {
        let start = one_of(&[0, 5, 60, u32::MAX - 4, 1 << 31], choose);
        let length = one_of(&[16, 0, 1, 70, i32::MAX as u32], choose);
        let (flat, step) = (one_of(&STRIDES, choose), one_of(&STRIDES, choose));
        let count = match choose(2) {
            0 => one_of(&[16, 0, 1, 17, 64], choose),
            _ => choose(70),
        };
        let address = |_| match choose(4) {
            0 => one_of(&[NOWHERE, length, length.wrapping_sub(1), 1 << 31], choose),
            1 => choose(99) as u32,
            _ => start.wrapping_add(choose(1 + length.min(300) as usize) as u32),
        };
        let addresses: Vec<u32> = (0..count).map(address).collect();
        let mut room = || if rarely(8, choose) { choose(90) } else { count + 16 + choose(2) };
        Chosen { choice: Choice { start, length, flat, step }, addresses, room: [room(), room()] }
    }
}

impl Check for Chosen {
    #[inline]
    fn check(&self) -> bool {
        let Choice { start, length, flat, step } = self.choice;
        let entry = |(address, n): (&u32, u32)| {
            (address.wrapping_sub(start), flat.wrapping_add(n.wrapping_mul(step)))
        };
        let inside = |(address, _): &(&u32, u32)| {
            **address != NOWHERE && address.wrapping_sub(start) < length
        };
        let expected: Vec<(u32, u32)> =
            self.addresses.iter().zip(0..).filter(inside).map(entry).collect();
        let fits = self.room.iter().all(|room| *room >= self.addresses.len() + 16);
        for path in paths() {
            let [mut places, mut flats] = self.room.map(|room| vec![7; room]);
            let count = choose(path, self.choice, &self.addresses, &mut places, &mut flats);
            let found: Vec<(u32, u32)> = places.into_iter().zip(flats).take(count).collect();
            let right = expected.starts_with(&found) && found.len() == count;
            assert!(
                right && (found.len() == expected.len() || !fits),
                "{}, {found:?}: {self:?}",
                path.name()
            );
        }
        !expected.is_empty()
    }
}
