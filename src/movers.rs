//! Combines what one entry of the indices stands for.

use crate::element::Element;
use crate::plan::Dim;
use crate::reduction::Reduction;
use crate::walk::Mover;

/// `data[table] = reduction(data[table], updates[flat])`
pub(crate) struct Combine<'a, T, R> {
    pub reduction: &'a R,
    pub data: &'a mut [T],
    pub updates: &'a [T],
}

impl<T: Element, R: Reduction<T>> Mover for Combine<'_, T, R> {
    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        if let Some(updates) = self.updates.get(flat..flat.wrapping_add(n)) {
            self.combine_with(table, updates);
        }
    }

    #[inline(always)]
    fn strided_row(&mut self, mut table: usize, mut flat: usize, dim: &Dim) {
        for _ in 0..dim.size {
            if let (Some(current), Some(update)) =
                (self.data.get_mut(table), self.updates.get(flat))
            {
                *current = self.reduction.combine(*current, *update);
            }
            table = table.wrapping_add_signed(dim.table);
            flat = flat.wrapping_add_signed(dim.flat);
        }
    }
}

impl<T: Element, R: Reduction<T>> Combine<'_, T, R> {
    /// `data[address..] = reduction(data[address..], updates)`
    #[inline(always)]
    pub(crate) fn combine_with(&mut self, address: usize, updates: &[T]) {
        if let Some(data) = self.data.get_mut(address..address.wrapping_add(updates.len())) {
            self.reduction.combine_row(data, updates);
        }
    }
}
