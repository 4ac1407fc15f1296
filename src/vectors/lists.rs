//! Scatters of single elements with several threads, each of which writes a part of the data.
//!
//! The entries are taken a chunk at a time. Each thread resolves a share of the chunk, and lists where its entries lead, for each part of the data; then each
//! applies the lists for its part, share after share. So every index is resolved once, though compared with the bounds of every part, and every place sees its
//! updates in the order of the entries. The next chunk is resolved while one is applied: threads wait for each other once a chunk.

use strew_simd::{BLOCK, Choice, Instructions, NOWHERE, Op, Path, prefetch};

use crate::element::Element;
use crate::index::Index;
use crate::plan::{Dim, Plan};
use crate::reduction::Reduction;
use crate::vectors::pieces::Shares;
use crate::vectors::threads::{Part, share};
use crate::walk::{self, Addresses, Mover};

/// The entries of a share, at most: with [`THREADS`] they bound the lists of a share to 512 KiB, and those of a thread, for two chunks, to 1 MiB.
/// (`strew-benches`, `threads`: scatters of pairs and histograms take more time with a quarter as many, and with four times as many where data is small.)
const ENTRIES: usize = 3 << 12;

/// The threads that share a call, at most.
pub(crate) const THREADS: usize = 64;

/// Where entries lead into one part, in order: the place in the part, and that in the flat tensor from which the update comes.
#[derive(Clone, Default)]
struct List {
    places: Vec<u32>,
    flats: Vec<u32>,
    length: usize,
}

impl List {
    /// Adds those that are chosen of a block.
    #[inline(always)]
    fn push(&mut self, instructions: impl Instructions, choice: Choice, block: &[u32; BLOCK]) {
        let end = self.length + BLOCK;
        if self.places.len() < end {
            self.grow(end);
        }
        let places = self.places.get_mut(self.length..).and_then(|places| places.first_chunk_mut());
        let flats = self.flats.get_mut(self.length..).and_then(|flats| flats.first_chunk_mut());
        if let (Some(places), Some(flats)) = (places, flats) {
            self.length += choice.choose(instructions, block, places, flats);
        }
    }

    /// Empties the list, one of so many of a share. Its memory is kept if that is little: not all of them are long at once.
    fn clear(&mut self, lists: usize) {
        self.length = 0;
        if self.places.len() > 2 * ENTRIES / lists {
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

/// `data[table] = reduction(data[table], updates[flat])` for a plan that [suits lists](Plan::suits_lists), and indices in bounds.
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
    let mut shares = Shares { rest: vec![*plan], entries: plan.entries().div_ceil(threads).min(ENTRIES) };
    loop {
        let chunk: Vec<Plan> = shares.by_ref().take(threads).collect();
        next.iter_mut().flatten().for_each(|list| list.clear(threads));
        let mut tasks: Vec<_> = parts.iter_mut().enumerate().map(|(number, part)| Task::Apply(number, part)).collect();
        tasks.extend(chunk.iter().zip(&mut next).map(|(plan, lists)| Task::Resolve(plan, lists)));
        share(tasks, threads, |task| match task {
            Task::Apply(number, part) => {
                resolved.iter().filter_map(|lists| lists.get(number)).for_each(|list| list.apply(reduction, part.data, updates));
            }
            Task::Resolve(plan, lists) => resolve(plan, indices, &bounds, lists),
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
            let choice = Choice { start: *start, length: *length, first: flat as u32 };
            list.push(self.instructions, choice, block);
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Direction::Scatter;
    use crate::plan::tests::{axis, packed};

    #[test]
    fn lists_grow_and_are_kept_while_they_are_short() {
        /// All of a block but the last one, numbered from here.
        struct Push<'a>(&'a mut List, u32);
        impl Op for Push<'_> {
            type Output = ();
            #[inline(always)]
            fn run(self, instructions: impl Instructions) {
                let mut block = [12; BLOCK];
                block[BLOCK - 1] = NOWHERE;
                self.0.push(instructions, Choice { start: 7, length: 6, first: self.1 }, &block);
            }
        }
        let mut list = List::default();
        let mut push = |first| {
            Path::detect().dispatch(Push(&mut list, first));
            (list.length, list.places.len(), list.flats.len())
        };
        assert_eq!((push(100), push(200)), ((BLOCK - 1, BLOCK, BLOCK), (2 * BLOCK - 2, 2 * BLOCK, 2 * BLOCK)));
        assert_eq!(push(300), (3 * BLOCK - 3, 4 * BLOCK, 4 * BLOCK));
        assert_eq!(list.flats.get(BLOCK - 3..BLOCK), Some([100 + BLOCK as u32 - 3, 100 + BLOCK as u32 - 2, 200].as_slice()));
        assert!(list.places.iter().take(list.length).all(|place| *place == 5));
        let lists = 2 * ENTRIES / (4 * BLOCK);
        list.clear(lists);
        assert_eq!((list.length, list.places.len()), (0, 4 * BLOCK));
        list.clear(lists + 1);
        assert_eq!((list.length, list.places.len()), (0, 0));
    }

    #[test]
    fn each_place_is_listed_for_its_part() {
        struct Rows<'a>(&'a mut [List]);
        impl Op for Rows<'_> {
            type Output = ();
            #[inline(always)]
            fn run(self, instructions: impl Instructions) {
                let mut listed = Listed { instructions, parts: &[(0, 10), (10, 5)], lists: self.0 };
                listed.row(3, 100, 1);
                listed.strided_row(12, 101, &Dim { size: 1, table: 0, indices: 0, flat: 0, cell: 0 });
                listed.row(15, 102, 1);
                listed.row(9, 103, 1);
            }
        }
        let mut lists = vec![List::default(); 2];
        Path::detect().dispatch(Rows(&mut lists));
        let of =
            |list: &List| list.places.iter().zip(&list.flats).take(list.length).map(|(place, flat)| (*place, *flat)).collect::<Vec<_>>();
        assert!(lists.iter().map(of).eq([vec![(3, 100), (9, 103)], vec![(2, 101)]]));
    }

    /// Indices that fill the lists in turn, of one part, of half of them, and of all.
    #[test]
    fn the_lists_of_a_thread_have_1_mib_at_most() {
        const PART: u32 = 1000;
        for threads in [2, 7, THREADS] {
            let parts: Vec<_> = (0..threads as u32).map(|part| (part * PART, PART)).collect();
            let count = packed([ENTRIES]);
            let plan = axis(Scatter, &packed([threads * PART as usize]), &count, &count, 0);
            let mut shares = vec![vec![List::default(); threads]; 2];
            for chunk in 0..24 {
                let spread = (threads >> (chunk % 7)).max(1);
                let part = |entry: usize| (chunk * 5 + entry % spread) % threads;
                let indices: Vec<u32> = (0..ENTRIES).map(|entry| part(entry) as u32 * PART + (entry % 999) as u32).collect();
                if let Some(lists) = shares.get_mut(chunk % 2) {
                    lists.iter_mut().for_each(|list| list.clear(threads));
                    resolve(&plan, &indices, &parts, lists);
                    assert_eq!(lists.iter().map(|list| list.length).sum::<usize>(), ENTRIES);
                }
                let of = |list: &List| size_of::<List>() + (list.places.capacity() + list.flats.capacity()) * size_of::<u32>();
                let bytes: usize = shares.iter().flatten().map(of).sum();
                assert!(bytes <= 1 << 20, "{bytes} bytes for {threads} threads, chunk {chunk}");
            }
        }
    }
}
