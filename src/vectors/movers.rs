//! What moves by addresses: copies in both directions, and reductions.

use strew_simd::{BLOCK, Instructions, Moves, Rows, prefetch, prefetch_row};
#[cfg(feature = "rayon")]
use strew_simd::{Chosen, prefetch_row_early};

use crate::element::Element;
use crate::plan::Dim;
use crate::reduction::Reduction;

/// The elements of 4 and 8 bytes that are loaded before they are written, where that is not done by instruction: a write waits for its load, and processors have room for
/// few that wait.
const TOGETHER: usize = 8;

/// What moves by addresses.
pub(crate) trait BlockMover {
    /// Whether it is the table that changes.
    const CHANGES_TABLE: bool;

    /// Moves one element.
    fn element(&mut self, table: usize, flat: usize);

    /// Moves one row.
    fn row(&mut self, table: usize, flat: usize, n: usize);

    /// Moves the elements of one dimension, a stride after the other.
    #[inline(always)]
    fn strided_row(&mut self, mut table: usize, mut flat: usize, dim: &Dim) {
        for _ in 0..dim.size {
            self.element(table, flat);
            table = table.wrapping_add_signed(dim.table);
            flat = flat.wrapping_add_signed(dim.flat);
        }
    }

    /// Moves one element for each address, in order. In between, the elements of `ahead` may be asked for.
    fn block(
        &mut self,
        instructions: impl Instructions,
        table: &[u32; BLOCK],
        flat: usize,
        ahead: Option<&[u32; BLOCK]>,
    );

    /// Moves one row of `n` elements for each address, in order. In between, the rows of `ahead` may be asked for.
    fn rows(
        &mut self,
        instructions: impl Instructions,
        table: &[u32; BLOCK],
        flat: usize,
        n: usize,
        ahead: Option<&[u32; BLOCK]>,
    );

    /// Moves one element for each offset from a place of the table, in order.
    fn pattern(
        &mut self,
        instructions: impl Instructions,
        table: usize,
        offsets: &[u32],
        flat: usize,
    );

    /// Asks for a row of the table.
    fn ask(&self, table: u32, n: usize);

    /// Asks for a row of the flat tensor.
    fn ask_flat(&self, flat: u32, n: usize);
}

/// What moves the rows of a part of the table.
#[cfg(feature = "rayon")]
pub(crate) trait PartMover: BlockMover {
    /// Moves the chosen rows of a block, in order, given the place of the block in the flat tensor. Those of the `next` one are asked for in between.
    fn chosen(
        &mut self,
        instructions: impl Instructions,
        now: (&Chosen, usize),
        next: (&Chosen, usize),
        n: usize,
    );
}

/// `output[flat] = input[table]`
pub(crate) struct Gathered<'a, const N: usize> {
    pub moves: Moves<'a, N>,
    /// Whether several elements are loaded before they are written, or by instruction on some machines.
    pub together: bool,
}

impl<const N: usize> BlockMover for Gathered<'_, N> {
    const CHANGES_TABLE: bool = false;

    #[inline(always)]
    fn element(&mut self, table: usize, flat: usize) {
        self.moves.element(flat, table);
    }

    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        self.moves.row(flat, table, n);
    }

    #[inline(always)]
    fn block(
        &mut self,
        instructions: impl Instructions,
        table: &[u32; BLOCK],
        flat: usize,
        ahead: Option<&[u32; BLOCK]>,
    ) {
        if let Some(ahead) = ahead {
            self.moves.prefetch_from(ahead);
        }
        if (N == 4 || N == 8) && self.together {
            self.moves.gather::<TOGETHER>(instructions, flat, table);
        } else {
            self.moves.gather::<1>(instructions, flat, table);
        }
    }

    #[inline(always)]
    fn rows(
        &mut self,
        instructions: impl Instructions,
        table: &[u32; BLOCK],
        flat: usize,
        n: usize,
        ahead: Option<&[u32; BLOCK]>,
    ) {
        self.moves.gather_rows(instructions, flat, table, Rows { length: n, ahead });
    }

    #[inline(always)]
    fn pattern(
        &mut self,
        instructions: impl Instructions,
        table: usize,
        offsets: &[u32],
        flat: usize,
    ) {
        self.moves.gather_at(instructions, flat, table, offsets);
    }

    #[inline(always)]
    fn ask(&self, table: u32, n: usize) {
        self.moves.prefetch_row_from(table, n);
    }

    #[inline(always)]
    fn ask_flat(&self, flat: u32, n: usize) {
        self.moves.prefetch_row_to(flat, n);
    }
}

/// `data[table] = updates[flat]`
pub(crate) struct Scattered<'a, const N: usize> {
    pub moves: Moves<'a, N>,
}

impl<const N: usize> BlockMover for Scattered<'_, N> {
    const CHANGES_TABLE: bool = true;

    #[inline(always)]
    fn element(&mut self, table: usize, flat: usize) {
        self.moves.element(table, flat);
    }

    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        self.moves.row(table, flat, n);
    }

    #[inline(always)]
    fn block(
        &mut self,
        instructions: impl Instructions,
        table: &[u32; BLOCK],
        flat: usize,
        ahead: Option<&[u32; BLOCK]>,
    ) {
        self.moves.scatter(instructions, table, flat, ahead);
    }

    #[inline(always)]
    fn rows(
        &mut self,
        instructions: impl Instructions,
        table: &[u32; BLOCK],
        flat: usize,
        n: usize,
        ahead: Option<&[u32; BLOCK]>,
    ) {
        self.moves.scatter_rows(instructions, table, flat, Rows { length: n, ahead });
    }

    #[inline(always)]
    fn pattern(
        &mut self,
        instructions: impl Instructions,
        table: usize,
        offsets: &[u32],
        flat: usize,
    ) {
        self.moves.scatter_at(instructions, table, offsets, flat);
    }

    #[inline(always)]
    fn ask(&self, table: u32, n: usize) {
        self.moves.prefetch_row_to(table, n);
    }

    #[inline(always)]
    fn ask_flat(&self, flat: u32, n: usize) {
        self.moves.prefetch_row_from(flat, n);
    }
}

/// `data[table] = reduction(data[table], updates[flat])`
pub(crate) struct Combined<'a, T, R> {
    pub reduction: &'a R,
    pub data: &'a mut [T],
    pub updates: &'a [T],
}

impl<T: Element, R: Reduction<T>> BlockMover for Combined<'_, T, R> {
    const CHANGES_TABLE: bool = true;

    #[inline(always)]
    fn element(&mut self, table: usize, flat: usize) {
        if let (Some(current), Some(update)) = (self.data.get_mut(table), self.updates.get(flat)) {
            *current = self.reduction.combine(*current, *update);
        }
    }

    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        if let (Some(data), Some(updates)) = (
            self.data.get_mut(table..table.wrapping_add(n)),
            self.updates.get(flat..flat.wrapping_add(n)),
        ) {
            self.reduction.combine_row(data, updates);
        }
    }

    #[inline(always)]
    fn block(
        &mut self,
        instructions: impl Instructions,
        table: &[u32; BLOCK],
        flat: usize,
        ahead: Option<&[u32; BLOCK]>,
    ) {
        let Combined { reduction, data, updates } = self;
        let Some(updates) = updates.get(flat..).and_then(|updates| updates.get(..BLOCK)) else {
            return;
        };
        match ahead {
            Some(ahead) => combine_ahead(*reduction, data, table, updates, ahead),
            None => instructions.apart(
                #[inline(always)]
                || combine(*reduction, data, table, updates),
            ),
        }
    }

    #[inline(always)]
    fn rows(
        &mut self,
        instructions: impl Instructions,
        table: &[u32; BLOCK],
        flat: usize,
        n: usize,
        ahead: Option<&[u32; BLOCK]>,
    ) {
        let Combined { reduction, data, updates } = self;
        let Some(updates) = n.checked_mul(BLOCK).and_then(|all| updates.get(flat..)?.get(..all))
        else {
            return;
        };
        instructions.apart(
            #[inline(always)]
            || combine_rows(*reduction, data, table, updates, n, ahead),
        );
    }

    #[inline(always)]
    fn pattern(
        &mut self,
        instructions: impl Instructions,
        table: usize,
        offsets: &[u32],
        flat: usize,
    ) {
        let (Some(data), Some(updates)) = (self.data.get_mut(table..), self.updates.get(flat..))
        else {
            return;
        };
        let reduction = self.reduction;
        instructions.apart(
            #[inline(always)]
            || combine(reduction, data, offsets, updates),
        );
    }

    #[inline(always)]
    fn ask(&self, table: u32, n: usize) {
        prefetch_row(self.data, table, n);
    }

    #[inline(always)]
    fn ask_flat(&self, flat: u32, n: usize) {
        prefetch_row(self.updates, flat, n);
    }
}

#[cfg(feature = "rayon")]
impl<const N: usize> PartMover for Scattered<'_, N> {
    #[inline(always)]
    fn chosen(
        &mut self,
        instructions: impl Instructions,
        now: (&Chosen, usize),
        next: (&Chosen, usize),
        n: usize,
    ) {
        self.moves.scatter_chosen(instructions, now, next, n);
    }
}

#[cfg(feature = "rayon")]
impl<T: Element, R: Reduction<T>> PartMover for Combined<'_, T, R> {
    #[inline(always)]
    fn chosen(
        &mut self,
        instructions: impl Instructions,
        now: (&Chosen, usize),
        next: (&Chosen, usize),
        n: usize,
    ) {
        let Combined { reduction, data, updates } = self;
        instructions.apart(
            #[inline(always)]
            || combine_chosen(*reduction, data, updates, now, next, n),
        );
    }
}

/// `data[addresses[n]] = reduction(data[addresses[n]], updates[n])`, in this order.
#[inline(always)]
fn combine<T: Element, R: Reduction<T>>(
    reduction: &R,
    data: &mut [T],
    addresses: &[u32],
    updates: &[T],
) {
    let updates = updates.get(..addresses.len()).unwrap_or(updates);
    if reduction.are_plain(updates) {
        strew_simd::combine(data, addresses, updates, |current, update| {
            reduction.combine_plain(current, update)
        });
    } else {
        strew_simd::combine(data, addresses, updates, |current, update| {
            reduction.combine(current, update)
        });
    }
}

/// The same, and asks for the data at the addresses of `ahead` in between.
#[inline(never)]
fn combine_ahead<T: Element, R: Reduction<T>>(
    reduction: &R,
    data: &mut [T],
    addresses: &[u32; BLOCK],
    updates: &[T],
    ahead: &[u32; BLOCK],
) {
    for ((address, update), ahead) in addresses.iter().zip(updates).zip(ahead) {
        prefetch(data, *ahead);
        if let Some(current) = data.get_mut(*address as usize) {
            *current = reduction.combine(*current, *update);
        }
    }
}

/// Runs this for rows of `$n` elements, given the `$way` to combine one. For some lengths that is known when it is compiled: vectors without a rest. They are read
/// before they are written, so that none need ask whether data and updates overlap.
macro_rules! for_length {
    ($n:ident, $way:ident => $run:expr) => {
        for_length!(@ $n, $way, $run, 2 3 4 8 16 32 64)
    };
    (@ $n:ident, $way:ident, $run:expr, $($length:literal)*) => {
        // The crate's own arithmetic, of elements that machines have instructions for: loops for other elements and closures would be many, and long.
        match (const { R::UNSEEN && (size_of::<T>() == 4 || size_of::<T>() == 8) }, $n) {
            $((true, $length) => {
                let $n = $length;
                let $way = combine_row_of::<T, R, $length>;
                $run
            })*
            _ => {
                let $way = R::combine_row;
                $run
            }
        }
    };
}

/// `data[addresses[k]..][..n] = reduction(data[addresses[k]..][..n], updates[k * n..][..n])`, in this order. The rows of `ahead` are asked for in between.
#[inline(always)]
fn combine_rows<T: Element, R: Reduction<T>>(
    reduction: &R,
    data: &mut [T],
    addresses: &[u32; BLOCK],
    updates: &[T],
    n: usize,
    ahead: Option<&[u32; BLOCK]>,
) {
    for_length!(n, way => {
        let asked = ahead.unwrap_or(addresses);
        for ((address, updates), asked) in addresses.iter().zip(updates.chunks_exact(n.max(1))).zip(asked) {
            if ahead.is_some() {
                prefetch_row(data, *asked, n);
            }
            if let Some(data) = data.get_mut(*address as usize..).and_then(|data| data.get_mut(..n)) {
                way(reduction, data, updates);
            }
        }
    });
}

/// The same for those that have been chosen, from a place of the updates on. The `next` ones are asked for in between.
#[cfg(feature = "rayon")]
#[inline(always)]
fn combine_chosen<T: Element, R: Reduction<T>>(
    reduction: &R,
    data: &mut [T],
    updates: &[T],
    (now, at): (&Chosen, usize),
    (next, next_at): (&Chosen, usize),
    n: usize,
) {
    for_length!(n, way => {
        let place = |at: usize, number: usize| at.wrapping_add(number.wrapping_mul(n));
        let ask = |data: &[T], (address, number)| {
            prefetch_row_early(data, address, n);
            // Single updates lie close to each other: what reads them asks for them.
            if n > 1 {
                prefetch_row_early(updates, place(next_at, number) as u32, n);
            }
        };
        let mut next = next.iter();
        for (address, number) in now.iter() {
            next.next().into_iter().for_each(|next| ask(data, next));
            let data = data.get_mut(address as usize..).and_then(|data| data.get_mut(..n));
            if let (Some(data), Some(updates)) = (data, updates.get(place(at, number)..).and_then(|updates| updates.get(..n))) {
                way(reduction, data, updates);
            }
        }
        next.for_each(|next| ask(data, next));
    });
}

/// A row of a length that is known when it is compiled.
#[inline(always)]
fn combine_row_of<T: Element, R: Reduction<T>, const N: usize>(
    reduction: &R,
    data: &mut [T],
    updates: &[T],
) {
    if let (Some(data), Some(updates)) = (data.first_chunk_mut::<N>(), updates.first_chunk::<N>()) {
        let mut combined = *data;
        reduction.combine_row(&mut combined, updates);
        *data = combined;
    }
}
