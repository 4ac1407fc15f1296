//! The walk in vectors: what `std` runs for all but small calls.
//!
//! The walk is that of [`walk`]. [`InBlocks`] takes the tuples of a lane [`BLOCK`] at a time, and `strew_simd` compiles all of it for the
//! instructions that the machine has. Copies are compiled once for each size of element.

use strew_simd::{Axis, BLOCK, Instructions, Lane, Moves, NOWHERE, Op, Path, prefetch, prefetch_row};

use crate::columns;
use crate::element::Element;
use crate::index::{Bounds, Index};
use crate::pattern;
use crate::plan::{Dim, Plan};
use crate::reduction::Reduction;
use crate::walk::{self, Addresses, Mover, Position};

/// Where the tuples of a lane reach further than this number of bytes, elements are asked for ahead: they do not stay in the second cache. (`benches/rows.rs`: a scatter into
/// 4 MiB gains a third, one into 256 KiB loses a tenth.)
pub(crate) const NEAR: usize = 1 << 20;

/// The number of rows that are asked for ahead.
const ROWS_AHEAD: usize = 8;

/// The lanes that are asked for ahead, where they are far apart.
const LANES_AHEAD: isize = 8;

/// `output[flat] = input[table]` for a plan that [suits vectors](Plan::suits_vectors). `None`: there is no kernel for the size of the elements.
pub(crate) fn gather<T: Element, I: Index, const PROVEN: bool>(plan: &Plan, indices: &[I], input: &[T], output: &mut [T]) -> Option<bool> {
    let ordered = plan.in_flat_order();
    let plan = ordered.as_ref().unwrap_or(plan);
    let input = table(plan, input);
    columns::gather::<T, I, PROVEN>(plan, indices, input, output).or_else(|| gather_lanes::<T, I, PROVEN>(plan, indices, input, output))
}

/// The same, lane by lane.
pub(crate) fn gather_lanes<T: Element, I: Index, const PROVEN: bool>(
    plan: &Plan,
    indices: &[I],
    input: &[T],
    output: &mut [T],
) -> Option<bool> {
    match size_of::<T>() {
        1 => Moves::<1>::new(input, output).map(|moves| run::<I, PROVEN>(plan, indices, Gathered(moves))),
        2 => Moves::<2>::new(input, output).map(|moves| run::<I, PROVEN>(plan, indices, Gathered(moves))),
        4 => Moves::<4>::new(input, output).map(|moves| run::<I, PROVEN>(plan, indices, Gathered(moves))),
        8 => Moves::<8>::new(input, output).map(|moves| run::<I, PROVEN>(plan, indices, Gathered(moves))),
        16 => Moves::<16>::new(input, output).map(|moves| run::<I, PROVEN>(plan, indices, Gathered(moves))),
        _ => None,
    }
}

/// `data[table] = updates[flat]`, for checked indices.
pub(crate) fn scatter<T: Element, I: Index>(plan: &Plan, indices: &[I], data: &mut [T], updates: &[T]) -> Option<()> {
    if !matches!(size_of::<T>(), 1 | 2 | 4 | 8 | 16) {
        return None;
    }
    let ordered = plan.in_flat_order();
    let plan = ordered.as_ref().unwrap_or(plan);
    let data = table_mut(plan, data);
    columns::scatter(plan, data, |plan, data| _ = scatter_lanes(plan, indices, data, updates))
        .or_else(|| scatter_lanes(plan, indices, data, updates))
}

/// The same, lane by lane.
fn scatter_lanes<T: Element, I: Index>(plan: &Plan, indices: &[I], data: &mut [T], updates: &[T]) -> Option<()> {
    let far = plan.reach().saturating_mul(size_of::<T>()) > NEAR;
    let done = match size_of::<T>() {
        1 => Moves::<1>::new(updates, data).map(|moves| run::<I, true>(plan, indices, Scattered { moves, far })),
        2 => Moves::<2>::new(updates, data).map(|moves| run::<I, true>(plan, indices, Scattered { moves, far })),
        4 => Moves::<4>::new(updates, data).map(|moves| run::<I, true>(plan, indices, Scattered { moves, far })),
        8 => Moves::<8>::new(updates, data).map(|moves| run::<I, true>(plan, indices, Scattered { moves, far })),
        16 => Moves::<16>::new(updates, data).map(|moves| run::<I, true>(plan, indices, Scattered { moves, far })),
        _ => None,
    };
    done.map(|_| ())
}

/// `data[table] = reduction(data[table], updates[flat])`, for checked indices.
pub(crate) fn combine<T: Element, I: Index, R: Reduction<T>>(plan: &Plan, indices: &[I], reduction: &R, data: &mut [T], updates: &[T]) {
    let ordered = plan.in_flat_order();
    let plan = ordered.as_ref().unwrap_or(plan);
    let data = table_mut(plan, data);
    let done = columns::scatter(plan, data, |plan, data| combine_lanes(plan, indices, reduction, data, updates));
    if done.is_none() {
        combine_lanes(plan, indices, reduction, data, updates);
    }
}

/// The same, lane by lane.
fn combine_lanes<T: Element, I: Index, R: Reduction<T>>(plan: &Plan, indices: &[I], reduction: &R, data: &mut [T], updates: &[T]) {
    let far = plan.reach().saturating_mul(size_of::<T>()) > NEAR;
    run::<I, true>(plan, indices, Combined { reduction, data, updates, far });
}

/// The part of the table that the plan needs: [`NOWHERE`] is outside.
fn table<'a, T>(plan: &Plan, table: &'a [T]) -> &'a [T] {
    table.get(..plan.lengths.table).unwrap_or(table)
}

fn table_mut<'a, T>(plan: &Plan, table: &'a mut [T]) -> &'a mut [T] {
    let length = table.len().min(plan.lengths.table);
    table.get_mut(..length).unwrap_or_default()
}

/// The same for a part of the data: updates whose place is outside are left out. Rows lie in the part, or outside it.
#[cfg(feature = "rayon")]
pub(crate) fn combine_part<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    indices: &[I],
    reduction: &R,
    data: &mut [T],
    updates: &[T],
) {
    struct Run<'a, I, M>(&'a Plan, &'a [I], M);
    impl<I: Index, M: BlockMover> Op for Run<'_, I, M> {
        type Output = ();
        #[inline(always)]
        fn run(self, _: impl Instructions) {
            walk::run::<I, true>(self.0, self.1, InPart(self.2));
        }
    }
    let far = plan.reach().saturating_mul(size_of::<T>()) > NEAR;
    let data = table_mut(plan, data);
    Path::detect().dispatch(Run(plan, indices, Combined { reduction, data, updates, far }));
}

/// Whether all indices are in bounds.
pub(crate) fn check<I: Index>(plan: &Plan, indices: &[I]) -> bool {
    struct Check<'a, I>(&'a Plan, &'a [I]);
    impl<I: Index> Op for Check<'_, I> {
        type Output = bool;
        #[inline(always)]
        fn run(self, _: impl Instructions) -> bool {
            walk::check_by(self.0, self.1, Nothing)
        }
    }
    Path::detect().dispatch(Check(plan, indices))
}

/// [`walk::run`], compiled for each path.
fn run<I: Index, const PROVEN: bool>(plan: &Plan, indices: &[I], mover: impl BlockMover) -> bool {
    struct Run<'a, I, M, const PROVEN: bool>(&'a Plan, &'a [I], M);
    impl<I: Index, M: BlockMover, const PROVEN: bool> Op for Run<'_, I, M, PROVEN> {
        type Output = bool;
        #[inline(always)]
        fn run(self, instructions: impl Instructions) -> bool {
            let far_lanes = self.0.has_far_lanes();
            walk::run::<I, PROVEN>(self.0, self.1, InBlocks { instructions, mover: self.2, far_lanes })
        }
    }
    match pattern::offsets(plan, indices) {
        Some(Ok(offsets)) => Path::detect().dispatch(pattern::Pieces { plan, offsets: &offsets, mover }),
        Some(Err(pattern::OutOfBounds)) => return false,
        None => return Path::detect().dispatch(Run::<I, _, PROVEN>(plan, indices, mover)),
    }
    true
}

/// What moves by addresses.
pub(crate) trait BlockMover {
    /// Moves one element.
    fn element(&mut self, table: usize, flat: usize);

    /// Moves one row.
    fn row(&mut self, table: usize, flat: usize, n: usize);

    /// Moves one element for each address, in order.
    fn block(&mut self, instructions: impl Instructions, table: &[u32; BLOCK], flat: usize);

    /// Moves one element for each offset from a place of the table, in order.
    fn pattern(&mut self, instructions: impl Instructions, table: usize, offsets: &[u32], flat: usize);

    /// Whether to ask for rows of the table ahead.
    fn far(&self) -> bool;

    /// The length of the table.
    #[cfg(feature = "rayon")]
    fn length(&self) -> usize {
        0
    }

    /// Asks for a row of the table.
    fn ask(&self, table: u32, n: usize);

    /// Asks for an element of the table.
    fn ask_element(&self, table: u32);

    /// Asks for a row of the flat tensor.
    fn ask_flat(&self, flat: u32, n: usize);
}

/// `output[flat] = input[table]`. Loads run ahead of each other as it is: asking for them gained nothing.
struct Gathered<'a, const N: usize>(Moves<'a, N>);

impl<const N: usize> BlockMover for Gathered<'_, N> {
    #[inline(always)]
    fn element(&mut self, table: usize, flat: usize) {
        self.0.element(flat, table);
    }

    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        self.0.row(flat, table, n);
    }

    #[inline(always)]
    fn block(&mut self, instructions: impl Instructions, table: &[u32; BLOCK], flat: usize) {
        self.0.gather(instructions, flat, table);
    }

    #[inline(always)]
    fn pattern(&mut self, instructions: impl Instructions, table: usize, offsets: &[u32], flat: usize) {
        self.0.gather_at(instructions, flat, table, offsets);
    }

    #[inline(always)]
    fn far(&self) -> bool {
        false
    }

    #[inline(always)]
    fn ask(&self, _: u32, _: usize) {}

    #[inline(always)]
    fn ask_element(&self, _: u32) {}

    #[inline(always)]
    fn ask_flat(&self, flat: u32, n: usize) {
        self.0.prefetch_row_to(flat, n);
    }
}

/// `data[table] = updates[flat]`
struct Scattered<'a, const N: usize> {
    moves: Moves<'a, N>,
    far: bool,
}

impl<const N: usize> BlockMover for Scattered<'_, N> {
    #[inline(always)]
    fn element(&mut self, table: usize, flat: usize) {
        self.moves.element(table, flat);
    }

    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        self.moves.row(table, flat, n);
    }

    #[inline(always)]
    fn block(&mut self, _: impl Instructions, table: &[u32; BLOCK], flat: usize) {
        self.moves.scatter(table, flat);
    }

    #[inline(always)]
    fn pattern(&mut self, _: impl Instructions, table: usize, offsets: &[u32], flat: usize) {
        self.moves.scatter_at(table, offsets, flat);
    }

    #[inline(always)]
    fn far(&self) -> bool {
        self.far
    }

    #[inline(always)]
    fn ask(&self, table: u32, n: usize) {
        self.moves.prefetch_row_to(table, n);
    }

    #[inline(always)]
    fn ask_element(&self, table: u32) {
        self.moves.prefetch_to(table);
    }

    #[inline(always)]
    fn ask_flat(&self, flat: u32, n: usize) {
        self.moves.prefetch_row_from(flat, n);
    }
}

/// `data[table] = reduction(data[table], updates[flat])`
struct Combined<'a, T, R> {
    reduction: &'a R,
    data: &'a mut [T],
    updates: &'a [T],
    far: bool,
}

impl<T: Element, R: Reduction<T>> BlockMover for Combined<'_, T, R> {
    #[inline(always)]
    fn element(&mut self, table: usize, flat: usize) {
        if let (Some(current), Some(update)) = (self.data.get_mut(table), self.updates.get(flat)) {
            *current = self.reduction.combine(*current, *update);
        }
    }

    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        if let (Some(data), Some(updates)) = (self.data.get_mut(table..table.wrapping_add(n)), self.updates.get(flat..flat.wrapping_add(n)))
        {
            self.reduction.combine_row(data, updates);
        }
    }

    #[inline(always)]
    fn block(&mut self, _: impl Instructions, table: &[u32; BLOCK], flat: usize) {
        let Some(updates) = self.updates.get(flat..).and_then(|updates| updates.first_chunk::<BLOCK>()) else { return };
        let (tables, _) = table.as_chunks::<4>();
        let (updates, _) = updates.as_chunks::<4>();
        for (table, updates) in tables.iter().zip(updates) {
            for (address, update) in table.iter().zip(updates) {
                if let Some(current) = self.data.get_mut(*address as usize) {
                    *current = self.reduction.combine(*current, *update);
                }
            }
        }
    }

    #[inline(always)]
    fn pattern(&mut self, _: impl Instructions, table: usize, offsets: &[u32], flat: usize) {
        let (Some(data), Some(updates)) = (self.data.get_mut(table..), self.updates.get(flat..)) else { return };
        for (offset, update) in offsets.iter().zip(updates) {
            if let Some(current) = data.get_mut(*offset as usize) {
                *current = self.reduction.combine(*current, *update);
            }
        }
    }

    #[inline(always)]
    fn far(&self) -> bool {
        self.far
    }

    #[cfg(feature = "rayon")]
    #[inline(always)]
    fn length(&self) -> usize {
        self.data.len()
    }

    #[inline(always)]
    fn ask(&self, table: u32, n: usize) {
        prefetch_row(self.data, table, n);
    }

    #[inline(always)]
    fn ask_element(&self, table: u32) {
        prefetch(self.data, table);
    }

    #[inline(always)]
    fn ask_flat(&self, flat: u32, n: usize) {
        prefetch_row(self.updates, flat, n);
    }
}

/// Takes lanes apart into blocks.
struct InBlocks<S, M> {
    instructions: S,
    mover: M,
    far_lanes: bool,
}

impl<S: Instructions, M: BlockMover> Mover for InBlocks<S, M> {
    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        self.mover.row(table, flat, n);
    }

    #[inline(always)]
    fn strided_row(&mut self, mut table: usize, mut flat: usize, dim: &Dim) {
        for _ in 0..dim.size {
            self.mover.element(table, flat);
            table = table.wrapping_add_signed(dim.table);
            flat = flat.wrapping_add_signed(dim.flat);
        }
    }

    #[inline(always)]
    fn ask_lane<I: Index>(&self, indices: &[I], lane: &Position, outer: &Dim, length: usize) {
        if self.far_lanes {
            let ahead = |at: usize, step: isize| at.wrapping_add_signed(step.wrapping_mul(LANES_AHEAD)) as u32;
            prefetch_row(indices, ahead(lane.indices, outer.indices), length);
            self.mover.ask_flat(ahead(lane.flat, outer.flat), length);
        }
    }

    /// A block moves when the next one has been resolved: time for its elements to come, where they have been asked for, and for its addresses
    /// to be written, which a wider load would wait for.
    #[inline(always)]
    fn elements<I: Index, const K: usize, const PROVEN: bool>(
        &mut self,
        mut flat: usize,
        tuples: &[[I; K]],
        mut addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        let (blocks, rest) = tuples.as_chunks::<BLOCK>();
        let mut blocks = blocks.iter();
        if let Some(tuples) = blocks.next() {
            let mut lane = addresses.lane();
            let (mut now, mut next) = (&mut [0; BLOCK], &mut [0; BLOCK]);
            addresses.block(&mut lane, tuples, now)?;
            self.ask(now);
            for tuples in blocks {
                addresses.block(&mut lane, tuples, next)?;
                self.ask(next);
                self.mover.block(self.instructions, now, flat);
                flat = flat.wrapping_add(BLOCK);
                core::mem::swap(&mut now, &mut next);
            }
            self.mover.block(self.instructions, now, flat);
            flat = flat.wrapping_add(BLOCK);
        }
        for tuple in rest {
            self.mover.element(addresses.next(tuple)?, flat);
            flat = flat.wrapping_add(1);
        }
        Some(())
    }

    #[inline(always)]
    fn rows<I: Index, const K: usize, const PROVEN: bool>(
        &mut self,
        mut flat: usize,
        n: usize,
        tuples: &[[I; K]],
        mut addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        let (blocks, rest) = tuples.as_chunks::<BLOCK>();
        let mut lane = addresses.lane();
        let mut block = [0; BLOCK];
        for tuples in blocks {
            addresses.block(&mut lane, tuples, &mut block)?;
            let far = self.mover.far();
            if far {
                block.iter().take(ROWS_AHEAD).for_each(|address| self.mover.ask(*address, n));
            }
            for (number, address) in block.iter().enumerate() {
                if far && let Some(address) = block.get(number + ROWS_AHEAD) {
                    self.mover.ask(*address, n);
                }
                self.mover.row(*address as usize, flat, n);
                flat = flat.wrapping_add(n);
            }
        }
        for tuple in rest {
            self.mover.row(addresses.next(tuple)?, flat, n);
            flat = flat.wrapping_add(n);
        }
        Some(())
    }
}

impl<S, M: BlockMover> InBlocks<S, M> {
    #[inline(always)]
    fn ask(&self, block: &[u32; BLOCK]) {
        if self.mover.far() {
            for address in block {
                self.mover.ask_element(*address);
            }
        }
    }
}

/// Takes lanes apart into blocks, and moves those of their rows that lie in the mover's part of the table. They are chosen before any of them moves:
/// which ones, is too hard to predict to branch on.
#[cfg(feature = "rayon")]
struct InPart<M>(M);

#[cfg(feature = "rayon")]
impl<M: BlockMover> Mover for InPart<M> {
    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        self.0.row(table, flat, n);
    }

    #[inline(always)]
    fn strided_row(&mut self, mut table: usize, mut flat: usize, dim: &Dim) {
        for _ in 0..dim.size {
            self.0.element(table, flat);
            table = table.wrapping_add_signed(dim.table);
            flat = flat.wrapping_add_signed(dim.flat);
        }
    }

    #[inline(always)]
    fn elements<I: Index, const K: usize, const PROVEN: bool>(
        &mut self,
        flat: usize,
        tuples: &[[I; K]],
        addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        self.rows(flat, 1, tuples, addresses)
    }

    #[inline(always)]
    fn rows<I: Index, const K: usize, const PROVEN: bool>(
        &mut self,
        mut flat: usize,
        n: usize,
        tuples: &[[I; K]],
        mut addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        let (blocks, rest) = tuples.as_chunks::<BLOCK>();
        let mut lane = addresses.lane();
        let mut block = [0; BLOCK];
        let mut chosen = [0_u8; BLOCK];
        let end = (self.0.length() + 1).saturating_sub(n) as u32;
        for tuples in blocks {
            addresses.block(&mut lane, tuples, &mut block)?;
            let mut count = 0;
            for (number, address) in block.iter().enumerate() {
                if let Some(place) = chosen.get_mut(count) {
                    *place = number as u8;
                }
                count += usize::from(*address < end);
            }
            let chosen = chosen.get(..count).unwrap_or(&[]).iter();
            let rows = chosen.filter_map(|number| Some((*block.get(usize::from(*number))?, usize::from(*number))));
            if self.0.far() {
                rows.clone().for_each(|(address, _)| self.0.ask(address, n));
            }
            for (address, number) in rows {
                let flat = flat.wrapping_add(number.wrapping_mul(n));
                if n == 1 {
                    self.0.element(address as usize, flat);
                } else {
                    self.0.row(address as usize, flat, n);
                }
            }
            flat = flat.wrapping_add(n.wrapping_mul(BLOCK));
        }
        for tuple in rest {
            self.0.row(addresses.next(tuple)?, flat, n);
            flat = flat.wrapping_add(n);
        }
        Some(())
    }
}

/// Does nothing: what is left of a walk is the check of the indices.
struct Nothing;

impl Mover for Nothing {
    fn row(&mut self, _: usize, _: usize, _: usize) {}

    fn strided_row(&mut self, _: usize, _: usize, _: &Dim) {}

    #[inline(always)]
    fn elements<I: Index, const K: usize, const PROVEN: bool>(
        &mut self,
        _: usize,
        tuples: &[[I; K]],
        addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        /// So many at a time, so that a bad index at the start of a long lane is found soon.
        const TUPLES: usize = 4096;
        let lane = addresses.lane();
        tuples.chunks(TUPLES).all(|tuples| lane.check(tuples)).then_some(())
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

impl<const K: usize, const PROVEN: bool> Addresses<K, PROVEN> {
    /// The same for vectors.
    #[inline(always)]
    fn lane(&self) -> Lane<K> {
        let axes = self.coordinates.map(|coordinate| Axis { size: coordinate.size as u32, stride: coordinate.table as u32 });
        Lane::new(axes, self.first as u32, self.step as u32)
    }

    /// The addresses of the next tuples. `None`: one of them is out of bounds under `Bounds::Error`.
    #[inline(always)]
    fn block<I: Index>(&mut self, lane: &mut Lane<K>, tuples: &[[I; K]; BLOCK], block: &mut [u32; BLOCK]) -> Option<()> {
        match self.bounds {
            Bounds::Clamp => lane.clamp(tuples, block),
            Bounds::Skip => _ = lane.resolve(tuples, block),
            bounds => {
                if !lane.resolve(tuples, block) {
                    if matches!(bounds, Bounds::Error) {
                        return None;
                    }
                    self.wrap(tuples, block);
                }
            }
        }
        lane.advance(BLOCK as u32);
        self.first = self.first.wrapping_add_signed(self.step.wrapping_mul(BLOCK as isize));
        Some(())
    }

    /// Division does not come in vectors.
    #[cold]
    #[inline(never)]
    fn wrap<I: Index>(&self, tuples: &[[I; K]; BLOCK], block: &mut [u32; BLOCK]) {
        let mut addresses = self.clone();
        for (address, tuple) in block.iter_mut().zip(tuples) {
            *address = addresses.next(tuple).and_then(|address| u32::try_from(address).ok()).unwrap_or(NOWHERE);
        }
    }
}
