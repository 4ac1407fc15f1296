//! Scatters of single elements with several threads, each of which writes a part of the data.
//!
//! Each looks at all entries, some at a time, and lists those that lead into its part; then it applies the list. So every place sees its updates in the order of the
//! entries, and no thread waits for another. That each index is resolved by all threads costs a fraction of a write to memory. (To resolve it once, and hand lists on
//! to the threads of the parts, takes up to twice the time with two: `strew-benches`, `threads`, histograms of 16 MiB and more, on a fifth Xeon.)

use strew_simd::{BLOCK, Choice, Instructions, NOWHERE, Op, Path, prefetch};

use crate::element::Element;
use crate::index::Index;
use crate::plan::{Dim, Plan};
use crate::reduction::Reduction;
use crate::vectors::loose;
use crate::vectors::pieces::Shares;
use crate::vectors::threads::{Part, share};
use crate::walk::{self, Addresses, Mover};

/// The entries that are looked at for a list. (`strew-benches`, `threads`: with a quarter as many, histograms take up to a quarter more; with four times as many, the same.)
const ENTRIES: usize = 1 << 13;
const _: () = assert!(
    ENTRIES >= BLOCK && 2 * (ENTRIES + BLOCK) * size_of::<u32>() <= 1 << 17,
    "a list has 128 KiB at most"
);

/// The places that are asked for ahead. (`strew-benches`, `threads`, on Zen 5: with a quarter as many, histograms of 64 MiB take half as long again.)
const AHEAD: usize = 128;

/// The threads that share a call, at most: all look at all indices. (More than two have not been measured.)
pub(crate) const THREADS: usize = 8;

/// Where entries lead into a part, in order: the place in the part, and that in the flat tensor from which the update comes.
struct List {
    places: Vec<u32>,
    flats: Vec<u32>,
    length: usize,
}

impl List {
    fn new() -> List {
        // Blocks are written whole: what is not chosen of the last one comes after the entries.
        List { places: vec![0; ENTRIES + BLOCK], flats: vec![0; ENTRIES + BLOCK], length: 0 }
    }

    /// Adds those that are chosen of a block.
    #[inline(always)]
    fn push(&mut self, instructions: impl Instructions, choice: Choice, block: &[u32; BLOCK]) {
        let places = self.places.get_mut(self.length..).and_then(|places| places.first_chunk_mut());
        let flats = self.flats.get_mut(self.length..).and_then(|flats| flats.first_chunk_mut());
        if let (Some(places), Some(flats)) = (places, flats) {
            self.length += choice.choose(instructions, block, places, flats);
        }
    }

    /// `data[place] = reduction(data[place], updates[flat])` for each entry.
    fn apply<T: Element, R: Reduction<T>>(&self, reduction: &R, data: &mut [T], updates: &[T]) {
        let places = self.places.get(..self.length).unwrap_or_default();
        places.iter().take(AHEAD).for_each(|place| prefetch(data, *place));
        let mut ahead = places.iter().skip(AHEAD);
        for (place, flat) in places.iter().zip(&self.flats) {
            ahead.next().into_iter().for_each(|place| prefetch(data, *place));
            if let (Some(current), Some(update)) =
                (data.get_mut(*place as usize), updates.get(*flat as usize))
            {
                *current = reduction.combine(*current, *update);
            }
        }
    }
}

/// `data[table] = reduction(data[table], updates[flat])` for a plan that [suits lists](Plan::suits_lists), and indices in bounds.
pub(crate) fn scatter<T, I, R>(
    plan: &Plan,
    indices: &[I],
    reduction: &R,
    parts: Vec<Part<T>>,
    updates: &[T],
) where
    T: Element + Send + Sync,
    I: Index,
    R: Reduction<T> + Sync,
{
    let threads = parts.len();
    share(parts, threads, |Part { start, data }| {
        let mut list = List::new();
        loose::all(plan, indices, updates, &mut |plan, indices, updates| {
            for entries in (Shares { rest: vec![*plan], entries: ENTRIES }) {
                list.length = 0;
                resolve(&entries, indices, (start as u32, data.len() as u32), &mut list);
                list.apply(reduction, data, updates);
            }
            true
        });
    });
}

/// Lists the entries of a plan that lead into a part, given its start and length.
fn resolve<I: Index>(plan: &Plan, indices: &[I], part: (u32, u32), list: &mut List) {
    struct Run<'a, I>(&'a Plan, &'a [I], (u32, u32), &'a mut List);
    impl<I: Index> Op for Run<'_, I> {
        type Output = ();
        #[inline(always)]
        fn run(self, instructions: impl Instructions) {
            walk::run::<I, true>(
                self.0,
                self.1,
                Listed { instructions, part: self.2, list: self.3 },
            );
        }
    }
    Path::detect().dispatch(Run(plan, indices, part, list));
}

/// Lists where entries lead.
struct Listed<'a, S> {
    instructions: S,
    part: (u32, u32),
    list: &'a mut List,
}

impl<S: Instructions> Listed<'_, S> {
    #[inline(always)]
    fn push(&mut self, block: &[u32; BLOCK], flat: usize) {
        let (start, length) = self.part;
        self.list.push(self.instructions, Choice { start, length, first: flat as u32 }, block);
    }
}

impl<S: Instructions> Mover for Listed<'_, S> {
    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, _: usize) {
        let mut block = [NOWHERE; BLOCK];
        block[0] = table as u32;
        self.push(&block, flat);
    }

    #[inline(always)]
    fn strided_row(&mut self, table: usize, flat: usize, _: &Dim) {
        self.row(table, flat, 1);
    }

    #[inline(always)]
    fn elements<I: Index, const K: usize, const PROVEN: bool>(
        &mut self,
        mut flat: usize,
        tuples: &[[I; K]],
        mut addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        let (blocks, rest) = tuples.as_chunks::<BLOCK>();
        let mut lane = addresses.lane();
        let mut block = [NOWHERE; BLOCK];
        for tuples in blocks {
            addresses.block(&mut lane, tuples, &mut block)?;
            self.push(&block, flat);
            flat = flat.wrapping_add(BLOCK);
        }
        if !rest.is_empty() {
            block = [NOWHERE; BLOCK];
            for (address, tuple) in block.iter_mut().zip(rest) {
                *address = addresses.next(tuple)? as u32;
            }
            self.push(&block, flat);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Direction::Scatter;
    use crate::plan::tests::{axis, packed};

    fn listed(list: &List) -> Vec<(u32, u32)> {
        list.places
            .iter()
            .zip(&list.flats)
            .take(list.length)
            .map(|(place, flat)| (*place, *flat))
            .collect()
    }

    #[test]
    fn each_place_is_listed_for_its_part() {
        struct Rows<'a>((u32, u32), &'a mut List);
        impl Op for Rows<'_> {
            type Output = ();
            #[inline(always)]
            fn run(self, instructions: impl Instructions) {
                let mut listed = Listed { instructions, part: self.0, list: self.1 };
                listed.row(3, 100, 1);
                listed.strided_row(
                    12,
                    101,
                    &Dim { size: 1, table: 0, indices: 0, flat: 0, cell: 0 },
                );
                listed.row(15, 102, 1);
                listed.row(9, 103, 1);
            }
        }
        let of = |part| {
            let mut list = List::new();
            Path::detect().dispatch(Rows(part, &mut list));
            listed(&list)
        };
        assert_eq!([of((0, 10)), of((10, 5))], [vec![(3, 100), (9, 103)], vec![(2, 101)]]);
    }

    /// As many as are looked at, all of one part, and as few as none.
    #[test]
    fn a_list_has_room_for_all_entries() {
        let count = packed([ENTRIES]);
        let plan = axis(Scatter, &packed([1000]), &count, &count, 0);
        let indices: Vec<u32> = (0..ENTRIES as u32).map(|entry| entry % 999).collect();
        let mut list = List::new();
        for (part, expected) in [
            ((0, 999), ENTRIES),
            ((999, 1), 0),
            ((0, 500), indices.iter().filter(|index| **index < 500).count()),
        ] {
            list.length = 0;
            resolve(&plan, &indices, part, &mut list);
            assert_eq!(list.length, expected);
            let chosen = indices
                .iter()
                .zip(0..)
                .filter(|(index, _)| (part.0..part.0 + part.1).contains(index));
            assert!(
                listed(&list).into_iter().eq(chosen.map(|(index, entry)| (index - part.0, entry)))
            );
        }
    }
}
