//! What moves for an entry of a plan in memory: rows, and elements that lie apart.

use crate::copy::copy_row_shared;
use crate::element::Element;
use crate::index::LONGEST;
use crate::plan::Dim;
use crate::reduction::{Assign, Reduction};
use crate::walk::Mover;

/// `output[flat] = input[table]`
pub(super) struct Taken<'a, T> {
    pub input: &'a [T],
    pub output: &'a mut [T],
}

impl<T: Element> Mover for Taken<'_, T> {
    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        row(&Assign, (self.input, table), (self.output, flat), n);
    }

    #[inline(always)]
    fn strided_row(&mut self, table: usize, flat: usize, dim: &Dim) {
        let (by, to_by) = (dim.table as usize, dim.flat as usize);
        strided_row(&Assign, (self.input, table, by), (self.output, flat, to_by), dim.size);
    }
}

/// `data[table] = reduction(data[table], updates[flat])`
pub(super) struct Combined<'a, T, R> {
    pub reduction: R,
    pub data: &'a mut [T],
    pub updates: &'a [T],
}

impl<T: Element, R: Reduction<T>> Mover for Combined<'_, T, R> {
    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        row(&self.reduction, (self.updates, flat), (self.data, table), n);
    }

    #[inline(always)]
    fn strided_row(&mut self, table: usize, flat: usize, dim: &Dim) {
        let (by, to_by) = (dim.flat as usize, dim.table as usize);
        strided_row(&self.reduction, (self.updates, flat, by), (self.data, table, to_by), dim.size);
    }
}

/// Combines `n` neighbours with neighbours.
#[inline(always)]
fn row<T: Element, R: Reduction<T>>(
    reduction: &R,
    (from, first): (&[T], usize),
    (to, to_first): (&mut [T], usize),
    n: usize,
) {
    if let Some(from) = from.get(first..first.wrapping_add(n))
        && let Some(to) = to.get_mut(to_first..to_first.wrapping_add(n))
    {
        combine_row(reduction, to, from);
    }
}

/// Combines every `to_by`-th element with every `by`-th one, `n` times.
#[inline(always)]
pub(super) fn strided_row<T: Element, R: Reduction<T>>(
    reduction: &R,
    (from_all, mut first, by): (&[T], usize, usize),
    (to_all, mut to_first, to_by): (&mut [T], usize, usize),
    n: usize,
) {
    // Forwards, chunks that start with the elements need no comparison for each. The last one may
    // be shorter, and comes below.
    let end = first.wrapping_add(n.wrapping_sub(1).wrapping_mul(by));
    let to_end = to_first.wrapping_add(n.wrapping_sub(1).wrapping_mul(to_by));
    if by.wrapping_sub(1) < LONGEST
        && to_by.wrapping_sub(1) < LONGEST
        && let Some(from) = from_all.get(first..end)
        && let Some(to) = to_all.get_mut(to_first..to_end)
    {
        for (from, to) in from.chunks_exact(by).zip(to.chunks_exact_mut(to_by)) {
            if let ([from, ..], [to, ..]) = (from, to) {
                *to = reduction.combine(*to, *from);
            }
        }
        if let (Some(from), Some(to)) = (from_all.get(end), to_all.get_mut(to_end)) {
            *to = reduction.combine(*to, *from);
        }
        return;
    }
    for _ in 0..n {
        let (Some(from), Some(to)) = (from_all.get(first), to_all.get_mut(to_first)) else {
            return;
        };
        *to = reduction.combine(*to, *from);
        first = first.wrapping_add(by);
        to_first = to_first.wrapping_add(to_by);
    }
}

/// Combines a row with another.
#[inline(always)]
pub(super) fn combine_row<T: Element, R: Reduction<T>>(
    reduction: &R,
    data: &mut [T],
    updates: &[T],
) {
    if R::KIND.is_assign() {
        copy_row_shared(updates, data);
    } else {
        reduction.combine_row(data, updates);
    }
}
