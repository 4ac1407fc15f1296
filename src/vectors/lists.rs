//! Scatters of single elements with several threads, each of which writes a part of the data.
//!
//! The entries are taken a chunk at a time. Each thread resolves a share of the chunk, and lists where its entries lead, for each part of the data; then each
//! applies the lists for its part, share after share. So every index is resolved once, and every place sees its updates in the order of the entries. The next
//! chunk is resolved while one is applied: threads wait for each other once a chunk.

use strew_simd::{BLOCK, Chosen, Instructions, NOWHERE, Op, Path, prefetch};

use crate::element::Element;
use crate::index::Index;
use crate::plan::{Dim, Plan};
use crate::reduction::Reduction;
use crate::vectors::pieces::Pieces;
use crate::vectors::threads::{Part, share};
use crate::walk::{self, Addresses, Mover};

/// The entries of a share, at most, which bounds the lists of a thread to 1 MiB: 8 bytes an entry, twice as many as there are entries in lists that grow by doubling,
/// as many in lists that have been kept, and all that for two chunks.
/// (`strew-benches`, `threads`: scatters of pairs and histograms take more time with a quarter as many, and with four times as many where data is small.)
const ENTRIES: usize = 1 << 14;

/// Where entries lead into one part, in order: the place in the part, and that in the flat tensor from which the update comes.
#[derive(Clone, Default)]
struct List {
    places: Vec<u32>,
    flats: Vec<u32>,
    length: usize,
}

impl List {
    /// Adds those that have been chosen from a block, whose first one has its update at `flat`.
    #[inline(always)]
    fn push(&mut self, chosen: &Chosen, flat: u32) {
        let end = self.length + BLOCK;
        if self.places.len() < end {
            self.grow(end);
        }
        if let (Some(places), Some(flats)) = (self.places.get_mut(self.length..end), self.flats.get_mut(self.length..end)) {
            places.copy_from_slice(&chosen.addresses);
            flats.copy_from_slice(&chosen.numbers.map(|number| flat.wrapping_add(number)));
            self.length += chosen.count;
        }
    }

    /// Empties the list. Its memory is kept if there is little of it: not all lists of a share are long at once.
    fn clear(&mut self, kept: usize) {
        self.length = 0;
        if self.places.len() > kept {
            *self = List::default();
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, length: usize) {
        let length = length.next_power_of_two();
        self.places.resize(length, 0);
        self.flats.resize(length, 0);
    }

    /// `data[place] = reduction(data[place], updates[flat])` for each entry.
    fn apply<T: Element, R: Reduction<T>>(&self, reduction: &R, data: &mut [T], updates: &[T]) {
        const AHEAD: usize = 32;
        let mut ahead = self.places.iter().skip(AHEAD);
        for (place, flat) in self.places.iter().zip(&self.flats).take(self.length) {
            ahead.next().into_iter().for_each(|place| prefetch(data, *place));
            if let (Some(current), Some(update)) = (data.get_mut(*place as usize), updates.get(*flat as usize)) {
                *current = reduction.combine(*current, *update);
            }
        }
    }
}

/// What there is to do at a time, in any order.
enum Task<'a, 'd, T> {
    /// Apply the lists for the part of this number.
    Apply(usize, &'a mut Part<'d, T>),
    /// Resolve a share of the entries.
    Resolve(&'a Plan, &'a mut [List]),
}

/// `data[table] = reduction(data[table], updates[flat])` for indices in bounds, and tensors no longer than `u32::MAX`.
pub(crate) fn scatter<T, I, R>(plan: &Plan, indices: &[I], reduction: &R, mut parts: Vec<Part<T>>, updates: &[T])
where
    T: Element + Send + Sync,
    I: Index,
    R: Reduction<T> + Sync,
{
    let threads = parts.len();
    let bounds: Vec<_> = parts.iter().map(|part| (part.start as u32, part.data.len() as u32)).collect();
    let lists = || vec![vec![List::default(); threads]; threads];
    let (mut resolved, mut next) = (lists(), lists());
    let mut pieces = Pieces { rest: vec![*plan], entries: plan.entries().div_ceil(threads).min(ENTRIES) };
    loop {
        let chunk: Vec<Plan> = pieces.by_ref().take(threads).collect();
        next.iter_mut().flatten().for_each(|list| list.clear(2 * ENTRIES / threads));
        let mut tasks: Vec<_> = parts.iter_mut().enumerate().map(|(number, part)| Task::Apply(number, part)).collect();
        tasks.extend(chunk.iter().zip(&mut next).map(|(share, lists)| Task::Resolve(share, lists)));
        share(tasks, threads, |task| match task {
            Task::Apply(number, part) => {
                resolved.iter().filter_map(|lists| lists.get(number)).for_each(|list| list.apply(reduction, part.data, updates));
            }
            Task::Resolve(share, lists) => resolve(share, indices, &bounds, lists),
        });
        if chunk.is_empty() {
            return;
        }
        core::mem::swap(&mut resolved, &mut next);
    }
}

/// Lists the entries of a plan for each part, given the starts and lengths of these.
fn resolve<I: Index>(plan: &Plan, indices: &[I], parts: &[(u32, u32)], lists: &mut [List]) {
    struct Run<'a, I>(&'a Plan, &'a [I], &'a [(u32, u32)], &'a mut [List]);
    impl<I: Index> Op for Run<'_, I> {
        type Output = ();
        #[inline(always)]
        fn run(self, instructions: impl Instructions) {
            walk::run::<I, true>(self.0, self.1, Listed { instructions, parts: self.2, lists: self.3 });
        }
    }
    Path::detect().dispatch(Run(plan, indices, parts, lists));
}

/// Lists where entries lead.
struct Listed<'a, S> {
    instructions: S,
    parts: &'a [(u32, u32)],
    lists: &'a mut [List],
}

impl<S: Instructions> Listed<'_, S> {
    #[inline(always)]
    fn push(&mut self, block: &[u32; BLOCK], flat: usize) {
        for (list, (start, length)) in self.lists.iter_mut().zip(self.parts) {
            let places = block.map(|address| address.wrapping_sub(*start));
            list.push(&Chosen::below(self.instructions, &places, *length), flat as u32);
        }
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

    #[inline(always)]
    fn rows<I: Index, const K: usize, const PROVEN: bool>(
        &mut self,
        flat: usize,
        _: usize,
        tuples: &[[I; K]],
        addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        self.elements(flat, tuples, addresses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_grow_and_are_kept_while_they_are_short() {
        let chosen = Chosen { addresses: [5; BLOCK], numbers: core::array::from_fn(|n| n as u32), count: BLOCK - 1 };
        let mut list = List::default();
        list.push(&chosen, 100);
        list.push(&chosen, 200);
        assert_eq!((list.length, list.places.len(), list.flats.len()), (2 * BLOCK - 2, 2 * BLOCK, 2 * BLOCK));
        assert_eq!(list.flats.get(BLOCK - 3..BLOCK), Some([100 + BLOCK as u32 - 3, 100 + BLOCK as u32 - 2, 200].as_slice()));
        list.push(&chosen, 300);
        assert_eq!((list.length, list.places.len()), (3 * BLOCK - 3, 4 * BLOCK));
        list.clear(4 * BLOCK);
        assert_eq!((list.length, list.places.len()), (0, 4 * BLOCK));
        list.clear(4 * BLOCK - 1);
        assert_eq!((list.length, list.places.len()), (0, 0));
    }
}
