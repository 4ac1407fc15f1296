//! Moves between tensors of different types.

use core::slice::from_mut;

use crate::element::Element;
use crate::index::sealed::Value;
use crate::map::Source;
use crate::plan::Dim;
use crate::portable::packed::{Addresses, PackedMover};
use crate::walk::Mover;

/// `output[flat] = source[table]`
pub(crate) struct Read<'a, S, U> {
    pub source: S,
    pub output: &'a mut [U],
}

impl<U, S: Source<U>> Mover for Read<'_, S, U> {
    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        if let Some(to) = self.output.get_mut(flat..flat.wrapping_add(n)) {
            self.source.read(table, to);
        }
    }

    #[inline(always)]
    fn strided_row(&mut self, mut table: usize, mut flat: usize, dim: &Dim) {
        for _ in 0..dim.size {
            if let Some(to) = self.output.get_mut(flat) {
                self.source.read(table, from_mut(to));
            }
            table = table.wrapping_add_signed(dim.table);
            flat = flat.wrapping_add_signed(dim.flat);
        }
    }
}

impl<U, S: Source<U>> PackedMover for Read<'_, S, U> {
    #[inline(always)]
    fn elements<I: Value, const K: usize, const PROVEN: bool>(
        &mut self,
        flat: usize,
        tuples: &[[I; K]],
        mut addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        for (to, tuple) in self.output.get_mut(flat..)?.iter_mut().zip(tuples) {
            self.source.read(addresses.next(tuple)?, from_mut(to));
        }
        Some(())
    }

    #[inline(always)]
    fn rows<I: Value, const K: usize, const PROVEN: bool>(
        &mut self,
        flat: usize,
        n: usize,
        tuples: &[[I; K]],
        mut addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        let mut rest = self.output.get_mut(flat..)?;
        for tuple in tuples {
            let (to, more) = rest.split_at_mut_checked(n)?;
            self.source.read(addresses.next(tuple)?, to);
            rest = more;
        }
        Some(())
    }
}

/// `data[table] = change(data[table], updates[flat])`
pub(crate) struct Change<'a, T, U, F> {
    pub data: &'a mut [T],
    pub updates: &'a [U],
    pub change: F,
}

impl<T: Element, U: Element, F: Fn(T, U) -> T> Change<'_, T, U, F> {
    #[inline(always)]
    fn one(&mut self, table: usize, update: U) {
        if let Some(current) = self.data.get_mut(table) {
            *current = (self.change)(*current, update);
        }
    }

    #[inline(always)]
    fn some(&mut self, table: usize, updates: &[U]) {
        if let Some(data) = self.data.get_mut(table..table.wrapping_add(updates.len())) {
            for (current, update) in data.iter_mut().zip(updates) {
                *current = (self.change)(*current, *update);
            }
        }
    }
}

impl<T: Element, U: Element, F: Fn(T, U) -> T> Mover for Change<'_, T, U, F> {
    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        if let Some(updates) = self.updates.get(flat..flat.wrapping_add(n)) {
            self.some(table, updates);
        }
    }

    #[inline(always)]
    fn strided_row(&mut self, mut table: usize, mut flat: usize, dim: &Dim) {
        for _ in 0..dim.size {
            if let Some(update) = self.updates.get(flat) {
                self.one(table, *update);
            }
            table = table.wrapping_add_signed(dim.table);
            flat = flat.wrapping_add_signed(dim.flat);
        }
    }
}

impl<T: Element, U: Element, F: Fn(T, U) -> T> PackedMover for Change<'_, T, U, F> {
    #[inline(always)]
    fn elements<I: Value, const K: usize, const PROVEN: bool>(
        &mut self,
        flat: usize,
        tuples: &[[I; K]],
        mut addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        for (update, tuple) in self.updates.get(flat..)?.iter().zip(tuples) {
            self.one(addresses.next(tuple)?, *update);
        }
        Some(())
    }

    #[inline(always)]
    fn rows<I: Value, const K: usize, const PROVEN: bool>(
        &mut self,
        flat: usize,
        n: usize,
        tuples: &[[I; K]],
        mut addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        let mut rest = self.updates.get(flat..)?;
        for tuple in tuples {
            let (updates, more) = rest.split_at_checked(n)?;
            self.some(addresses.next(tuple)?, updates);
            rest = more;
        }
        Some(())
    }
}
