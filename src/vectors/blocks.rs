//! Lanes of the walk taken apart into blocks of addresses.

#[cfg(feature = "rayon")]
use strew_simd::Chosen;
use strew_simd::{
    Axis, BLOCK, Instructions, Lane, NOWHERE, PREFETCHES, prefetch_block, prefetch_row,
};

use crate::index::{Bounds, Index};
use crate::plan::{Coordinate, Dim};
use crate::vectors::movers::BlockMover;
#[cfg(feature = "rayon")]
use crate::vectors::movers::PartMover;
use crate::walk::{Addresses, Mover, Position};

/// The number of rows that are asked for ahead.
const ROWS_AHEAD: usize = 8;

/// The lanes that are asked for ahead, where they are far apart.
const LANES_AHEAD: isize = 8;

/// Takes lanes apart into blocks.
pub(crate) struct InBlocks<S, M> {
    pub instructions: S,
    pub mover: M,
    /// What is asked for ahead of the moves.
    pub ahead: Ahead,
    pub far_lanes: bool,
    /// See [`Plan::stretch`](crate::plan::Plan::stretch).
    pub stretch: Option<usize>,
    /// The place in the next stretch that is asked for next, and how much of it with each block.
    pub coming: (u32, usize),
    pub pending: Pending,
}

/// What is asked for ahead: elements of the table, its rows, and indices so many bytes after those that are used (0: none).
#[derive(Clone, Copy)]
pub(crate) struct Ahead {
    pub elements: bool,
    pub rows: bool,
    pub indices: usize,
}

/// A block of addresses that has yet to move. It does when the next one has been resolved, be it of the next lane: time for its elements to come, where they
/// have been asked for, and for its addresses to be written, which a wider load would wait for.
pub(crate) struct Pending {
    flat: Option<usize>,
    /// This block, and the next one, in turn.
    blocks: [[u32; BLOCK]; 2],
    turn: bool,
}

impl Pending {
    pub(crate) fn new() -> Pending {
        Pending { flat: None, blocks: [[0; BLOCK]; 2], turn: false }
    }
}

impl<S: Instructions, M: BlockMover> Mover for InBlocks<S, M> {
    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        self.mover.row(table, flat, n);
    }

    #[inline(always)]
    fn strided_row(&mut self, table: usize, flat: usize, dim: &Dim) {
        self.mover.strided_row(table, flat, dim);
    }

    #[inline(always)]
    fn ask_lane<I: Index>(
        &mut self,
        indices: &[I],
        lane: &Position,
        outer: &Dim,
        reads: usize,
        moves: usize,
    ) {
        if self.far_lanes {
            let ahead = |at: usize, step: isize| {
                at.wrapping_add_signed(step.wrapping_mul(LANES_AHEAD)) as u32
            };
            prefetch_row(indices, ahead(lane.indices, outer.indices), reads);
            self.mover.ask_flat(ahead(lane.flat, outer.flat), moves);
        }
        if let Some(stretch) = self.stretch {
            let blocks = (reads / BLOCK).max(1);
            self.coming =
                (lane.table.wrapping_add_signed(outer.table) as u32, stretch.div_ceil(blocks));
        }
    }

    #[inline(always)]
    fn elements<I: Index, const K: usize, const PROVEN: bool>(
        &mut self,
        mut flat: usize,
        tuples: &[[I; K]],
        addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        if K != 1 || !M::CHANGES_TABLE || self.stretch.is_none() || addresses.step != 0 {
            return self.rows(flat, 1, tuples, addresses);
        }
        // Offsets in the stretch: positions, which take less time than addresses. (`elements` along axis 1: a twentieth to a quarter.) Its stride is 1 anyway; here compilers know.
        let coordinates = addresses.coordinates.map(|axis| Coordinate { table: 1, ..axis });
        let mut positions = Addresses::<K, PROVEN> { first: 0, step: 0, coordinates, ..addresses };
        let mut lane = positions.lane();
        let (blocks, rest) = tuples.as_chunks::<BLOCK>();
        let mut offsets = [0; BLOCK];
        for tuples in blocks {
            self.ask_ahead(tuples);
            positions.block(&mut lane, tuples, &mut offsets)?;
            self.mover.pattern(self.instructions, addresses.first, &offsets, flat);
            flat = flat.wrapping_add(BLOCK);
        }
        self.rows(flat, 1, rest, addresses)
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
        for tuples in blocks {
            self.ask_ahead(tuples);
            let pending = &mut self.pending;
            // By number, the compiler knows their lengths; they are never the same one.
            let [now, next] = pending
                .blocks
                .get_disjoint_mut([usize::from(pending.turn), usize::from(!pending.turn)])
                .ok()?;
            addresses.block(&mut lane, tuples, next)?;
            if let Some(flat) = pending.flat.replace(flat) {
                let next: &[u32; BLOCK] = next;
                if n == 1 {
                    self.mover.block(
                        self.instructions,
                        now,
                        flat,
                        self.ahead.elements.then_some(next),
                    );
                } else {
                    move_rows(
                        self.instructions,
                        &mut self.mover,
                        now,
                        flat,
                        n,
                        self.ahead.rows.then_some(next),
                    );
                }
            }
            pending.turn = !pending.turn;
            flat = flat.wrapping_add(n.wrapping_mul(BLOCK));
        }
        if !rest.is_empty() {
            self.finish(n);
        }
        for tuple in rest {
            let address = addresses.next(tuple)?;
            if n == 1 {
                self.mover.element(address, flat);
            } else {
                self.mover.row(address, flat, n);
            }
            flat = flat.wrapping_add(n);
        }
        Some(())
    }

    #[inline(always)]
    fn finish(&mut self, n: usize) {
        let Pending { flat, blocks: [first, second], turn } = &mut self.pending;
        if let Some(flat) = flat.take() {
            let block = if *turn { second } else { first };
            if n == 1 {
                self.mover.block(self.instructions, block, flat, None);
            } else {
                move_rows(
                    self.instructions,
                    &mut self.mover,
                    block,
                    flat,
                    n,
                    self.ahead.rows.then_some(block),
                );
            }
        }
    }
}

impl<S: Instructions, M: BlockMover> InBlocks<S, M> {
    /// Asks for the indices that come after these, and for a piece of the next stretch.
    #[inline(always)]
    fn ask_ahead<I: Index, const K: usize>(&mut self, tuples: &[[I; K]; BLOCK]) {
        if self.ahead.indices > 0 {
            // Be it those of the next lane.
            prefetch_block(tuples, (self.ahead.indices / size_of::<[I; K]>()) as u32);
        }
        if PREFETCHES && self.stretch.is_some() {
            let (at, step) = self.coming;
            ask_stretch(&self.mover, at, step);
            self.coming.0 = at.wrapping_add(step as u32);
        }
    }
}

/// Moves a block of rows. What is asked for in between is so many rows ahead, the last of them in the `next` block.
#[inline(always)]
fn move_rows(
    instructions: impl Instructions,
    mover: &mut impl BlockMover,
    block: &[u32; BLOCK],
    flat: usize,
    n: usize,
    next: Option<&[u32; BLOCK]>,
) {
    let ahead = next.map(|next| {
        let mut ahead = *block;
        ahead.rotate_left(ROWS_AHEAD);
        if let (Some(ahead), Some(next)) =
            (ahead.last_chunk_mut::<ROWS_AHEAD>(), next.first_chunk())
        {
            *ahead = *next;
        }
        ahead
    });
    mover.rows(instructions, block, flat, n, ahead.as_ref());
}

/// Asks for a piece of a stretch. Not inlined: compilers unroll it.
#[inline(never)]
fn ask_stretch(mover: &impl BlockMover, start: u32, length: usize) {
    const STEP: usize = 64;
    for at in (0..length).step_by(STEP) {
        mover.ask(start.wrapping_add(at as u32), STEP.min(length - at));
    }
}

/// Takes lanes apart into blocks, and moves those of their rows that lie in the mover's part of the table.
#[cfg(feature = "rayon")]
pub(crate) struct InPart<S, M> {
    instructions: S,
    mover: M,
    /// The length of the part.
    length: usize,
    /// The rows of a block that have yet to move, and the place of its first one in the flat tensor; and those of the next block, in turn. They move when these are known, and asked for.
    pending: [(Chosen, usize); 2],
    turn: bool,
}

#[cfg(feature = "rayon")]
impl<S: Instructions, M: PartMover> InPart<S, M> {
    #[inline(always)]
    pub(crate) fn new(instructions: S, mover: M, length: usize) -> InPart<S, M> {
        InPart { instructions, mover, length, pending: Default::default(), turn: false }
    }

    /// Moves what is pending, with those rows of the next block that start before `end` to come.
    #[inline(always)]
    fn step(&mut self, block: &[u32; BLOCK], end: u32, flat: usize, n: usize) -> Option<()> {
        let turn = [usize::from(self.turn), usize::from(!self.turn)];
        let [(now, at), (next, next_at)] = self.pending.get_disjoint_mut(turn).ok()?;
        next.choose_below(self.instructions, block, end);
        *next_at = flat;
        self.mover.chosen(self.instructions, (now, *at), (next, flat), n);
        self.turn = !self.turn;
        Some(())
    }
}

#[cfg(feature = "rayon")]
impl<S: Instructions, M: PartMover> Mover for InPart<S, M> {
    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        self.mover.row(table, flat, n);
    }

    #[inline(always)]
    fn strided_row(&mut self, table: usize, flat: usize, dim: &Dim) {
        self.mover.strided_row(table, flat, dim);
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
        let end = (self.length + 1).saturating_sub(n) as u32;
        for tuples in blocks {
            addresses.block(&mut lane, tuples, &mut block)?;
            self.step(&block, end, flat, n)?;
            flat = flat.wrapping_add(n.wrapping_mul(BLOCK));
        }
        if !rest.is_empty() {
            self.finish(n);
        }
        for tuple in rest {
            self.mover.row(addresses.next(tuple)?, flat, n);
            flat = flat.wrapping_add(n);
        }
        Some(())
    }

    #[inline(always)]
    fn finish(&mut self, n: usize) {
        if self.pending.get(usize::from(self.turn)).is_some_and(|(now, _)| !now.is_empty()) {
            _ = self.step(&[0; BLOCK], 0, 0, n);
        }
    }
}

/// Does nothing: what is left of a walk is the check of the indices.
pub(crate) struct Nothing;

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
}

impl<const K: usize, const PROVEN: bool> Addresses<K, PROVEN> {
    /// The same for vectors.
    #[inline(always)]
    pub(crate) fn lane(&self) -> Lane<K> {
        let axes = self.coordinates.map(|coordinate| Axis {
            size: coordinate.size as u32,
            stride: coordinate.table as u32,
        });
        Lane::new(axes, self.first as u32, self.step as u32)
    }

    /// The addresses of the next tuples. `None`: one of them is out of bounds under `Bounds::Error`.
    #[inline(always)]
    pub(crate) fn block<I: Index>(
        &mut self,
        lane: &mut Lane<K>,
        tuples: &[[I; K]; BLOCK],
        block: &mut [u32; BLOCK],
    ) -> Option<()> {
        match self.bounds {
            Bounds::Clamp => lane.clamp(tuples, block),
            Bounds::Skip => lane.skip(tuples, block),
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
            *address = addresses
                .next(tuple)
                .and_then(|address| u32::try_from(address).ok())
                .unwrap_or(NOWHERE);
        }
    }
}
