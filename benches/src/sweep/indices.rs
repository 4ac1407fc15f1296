//! The indices of a workload.

use strew::Bounds;

use super::draw::{Drawn, Operator, Spread, extent};
use crate::inputs::{Resolve, SplitMix64};

/// Indices that lead to places as the workload says, in memory as its layout says.
pub fn indices<I: Resolve>(drawn: &Drawn) -> Vec<I> {
    let layout = &drawn.indices;
    let mut random = SplitMix64(drawn.seed);
    let axes = drawn.axes();
    let is_tuple = matches!(drawn.operator, Operator::Nd(_));
    let (rank, tuple_stride) = match layout.strides() {
        [before @ .., last] if is_tuple => (before.len(), *last),
        all => (all.len(), 0),
    };
    // An index that is a part of several tuples, or several times of one, is in bounds everywhere.
    let dims = layout.strides()[..rank].iter().zip(layout.sizes());
    let windows = dims.filter(|(stride, size)| **stride == tuple_stride && **size > 1).count() > 0;
    let sizes = if axes.len() > 1 && (windows || tuple_stride == 0) {
        vec![axes.iter().min().copied().unwrap_or(1); axes.len()]
    } else {
        axes.to_vec()
    };
    let most = usize::try_from(I::RANGE[1]).unwrap_or(usize::MAX).saturating_add(1);
    let limits: Vec<usize> = sizes.iter().map(|&size| size.min(most)).collect();
    let places = limits.iter().product::<usize>().max(1);
    let mut position = positions(drawn.spread, drawn.tuples(), places, drawn.seed);

    let mut values = vec![I::from_usize(0); extent(layout)];
    let mut coordinates = vec![0; rank];
    for entry in 0..drawn.tuples() {
        let start = layout
            .strides()
            .iter()
            .zip(&coordinates)
            .fold(layout.offset() as isize, |at, (stride, coordinate)| {
                at + stride * *coordinate as isize
            });
        let mut rest = position(entry);
        for (k, (&limit, &size)) in limits.iter().zip(&sizes).enumerate().rev() {
            let value = value::<I>(drawn, rest % limit, size, &mut random);
            rest /= limit;
            values[(start + k as isize * tuple_stride) as usize] = I::from_i64(value);
        }
        for (coordinate, size) in coordinates.iter_mut().zip(layout.sizes()).rev() {
            *coordinate += 1;
            if *coordinate < *size {
                break;
            }
            *coordinate = 0;
        }
    }
    values
}

/// The place as it is, counted from the end, or out of bounds.
fn value<I: Resolve>(drawn: &Drawn, place: usize, size: usize, random: &mut SplitMix64) -> i64 {
    let (place, size) = (place as i64, size as i64);
    let is_outside = drawn.bounds != Bounds::Error && random.below(100) < drawn.outside;
    let value = match (is_outside, drawn.negative > 0 && random.below(100) < drawn.negative) {
        (false, false) => place,
        (false, true) => place - size,
        (true, false) => place + size,
        (true, true) => place - 2 * size,
    };
    if (I::RANGE[0]..=I::RANGE[1]).contains(&value) { value } else { place }
}

/// The place of each entry.
fn positions(
    spread: Spread,
    entries: usize,
    places: usize,
    seed: u64,
) -> Box<dyn FnMut(usize) -> usize> {
    let mut random = SplitMix64(seed ^ 0x5EED);
    let prime = 2_654_435_761_usize;
    let scattered = move |place: usize| (place.wrapping_mul(prime) >> 3) % places;
    let hot = random.below(places);
    match spread {
        Spread::Uniform => Box::new(move |_| random.below(places)),
        Spread::Zipf => Box::new(move |_| {
            let power = 1 << random.below(places.ilog2() as usize + 1);
            scattered((power + random.below(power)) % places)
        }),
        Spread::Sorted => Box::new(move |entry| {
            let step = 1 << 10;
            (entry * step + random.below(step)) * places / (entries * step)
        }),
        Spread::Runs => {
            let (mut place, mut left) = (0, 0);
            Box::new(move |_| {
                if left == 0 {
                    (place, left) = (random.below(places), 1 + random.below(128));
                }
                left -= 1;
                place
            })
        }
        Spread::Hot => Box::new(move |_| {
            let place = random.below(places);
            if random.below(10) > 0 { hot } else { place }
        }),
        Spread::One => Box::new(move |_| hot),
        Spread::Permutation => {
            // A step that has no divisor in common with the number of places visits all of them.
            let common = |mut a: usize, mut b: usize| {
                while b > 0 {
                    (a, b) = (b, a % b);
                }
                a
            };
            let mut step = prime % places;
            while common(step, places) > 1 {
                step += 1;
            }
            Box::new(move |entry| (hot + entry % places * step) % places)
        }
        Spread::Range => Box::new(move |entry| (hot + entry) % places),
        Spread::Local => Box::new(move |entry| {
            let near = entry * places / entries + random.below(128);
            near.saturating_sub(64).min(places - 1)
        }),
    }
}
