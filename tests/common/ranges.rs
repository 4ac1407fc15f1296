//! Which bytes a gather reads, against the places that the oracle reads.

use std::collections::BTreeSet;
use std::ops::Range;

use strew::Index;

use super::case::{Case, with_indices};
use super::oracle::{self, Target};

#[inline]
pub fn check(case: &Case) {
    with_indices!(case, indices => check_as(case, indices));
}

fn check_as<I: Index>(case: &Case, indices: &[I]) {
    const BYTES: usize = size_of::<[u8; 3]>();
    let plan = case.gather().expect("the case is valid");
    let Ok(checked) = plan.check(indices) else { return };
    let ranges: Vec<Range<usize>> = checked.ranges::<[u8; 3]>().collect();
    let moves = oracle::moves(case);
    let places: Vec<(usize, usize)> = moves
        .iter()
        .filter_map(|m| match m.table {
            Target::At(place) => Some((m.entry, place)),
            _ => None,
        })
        .collect();

    let expected: BTreeSet<usize> =
        places.iter().flat_map(|(_, place)| place * BYTES..(place + 1) * BYTES).collect();
    let found: BTreeSet<usize> = ranges.iter().cloned().flatten().collect();
    assert_eq!(found, expected, "{case:?}");
    let joined = |pair: &[Range<usize>]| (pair[0].start..=pair[0].end).contains(&pair[1].start);
    assert!(!ranges.windows(2).any(joined), "{ranges:?}\n{case:?}");
    // Of entries that move one element each, the order says which ranges there are. (Entries that
    // share an index by a stride of 0 count as one.)
    let shared = case.indices.strides.contains(&0);
    if !shared && places.windows(2).all(|pair| pair[0].0 != pair[1].0) {
        let mut all: Vec<Range<usize>> = vec![];
        for (_, place) in places {
            let (start, end) = (place * BYTES, (place + 1) * BYTES);
            match all.last_mut() {
                Some(last) if (last.start..=last.end).contains(&start) => {
                    last.end = last.end.max(end);
                }
                _ => all.push(start..end),
            }
        }
        assert_eq!(ranges, all, "{case:?}");
    }
}
