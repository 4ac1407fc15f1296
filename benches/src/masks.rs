//! What masks choose, where 1, 50 and 99 % of their values are true, in random order.

use strew::mask::{self, Mask};
use strew::{Error, Layout};

use crate::inputs::{Aligned, SplitMix64, Value, fill};
use crate::workloads::{Case, FROM, Ready, TO, Workload};

/// One function for values, mask and output, which each of these is measured as.
type Side<T> = fn(&[T], &[bool], &mut [T]) -> Result<(), Error>;
type Loop<T> = fn(&[T], &[bool], &mut [T]);

/// Masks of bools over `length` elements of 4 bytes.
pub(crate) fn workloads(length: usize) -> Vec<Workload> {
    let sides: [(&str, Side<u32>, Loop<u32>); 4] = [
        (
            "nonzero",
            |_, mask, to| run(mask, |mask| mask::nonzero(mask, to)),
            |_, mask, to| nonzero(mask, to, |n| n as u32),
        ),
        (
            "compress",
            |from, mask, to| {
                let layout = Layout::contiguous([from.len()]);
                run(mask, |mask| mask::compress(mask, from, &layout, None, to))
            },
            |from, mask, to| {
                let mut count = 0;
                for (from, chosen) in from.iter().zip(mask) {
                    if *chosen {
                        to[count] = *from;
                        count += 1;
                    }
                }
            },
        ),
        (
            "expand",
            |from, mask, to| {
                let layout = Layout::contiguous([to.len()]);
                run(mask, |mask| mask::expand(mask, from, to, &layout))
            },
            |from, mask, to| {
                let mut count = 0;
                for (to, chosen) in to.iter_mut().zip(mask) {
                    if *chosen {
                        *to = from[count];
                        count += 1;
                    }
                }
            },
        ),
        (
            "fill",
            |from, mask, to| {
                let layout = Layout::contiguous([to.len()]);
                run(mask, |mask| mask::fill(mask, from[0], to, &layout))
            },
            |from, mask, to| {
                for (to, chosen) in to.iter_mut().zip(mask) {
                    if *chosen {
                        *to = from[0];
                    }
                }
            },
        ),
    ];
    let wide = (
        "nonzero i64",
        (|_, mask, to| run(mask, |mask| mask::nonzero(mask, to))) as Side<i64>,
        (|_, mask, to| nonzero(mask, to, |n| n as i64)) as Loop<i64>,
    );
    sides.into_iter().flat_map(|side| each(length, side)).chain(each(length, wide)).collect()
}

fn each<T: Value>(
    length: usize,
    (name, strew, safe_loop): (&str, Side<T>, Loop<T>),
) -> [Workload; 3] {
    [1, 50, 99].map(|percent| Workload {
        family: "masks",
        name: format!("{name}, {percent} %"),
        elements: length,
        bytes: length + 2 * length * size_of::<T>() * percent / 100,
        make: Box::new(move || -> Box<dyn Ready> {
            let mut to = Aligned::random(length, TO);
            fill(&mut to, TO);
            Box::new(Case {
                from: Aligned::random(length, FROM),
                indices: chosen(length, percent),
                to,
                strew,
                safe_loop,
            })
        }),
        route: Box::new(|_| "words of bits".to_owned()),
    })
}

fn nonzero<T>(mask: &[bool], to: &mut [T], number: impl Fn(usize) -> T) {
    let mut count = 0;
    for (n, chosen) in mask.iter().enumerate() {
        if *chosen {
            to[count] = number(n);
            count += 1;
        }
    }
}

fn run(values: &[bool], run: impl FnOnce(Mask<'_>) -> Result<usize, Error>) -> Result<(), Error> {
    run(Mask::bools(values, &Layout::contiguous([values.len()]))).map(|_| ())
}

fn chosen(length: usize, percent: usize) -> Aligned<bool> {
    let mut random = SplitMix64(percent as u64);
    (0..length).map(|_| random.below(100) < percent).collect::<Vec<_>>().into()
}
