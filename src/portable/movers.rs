//! What the portable loops do for each entry: copy, combine, or only check.

use crate::copy::copy_row;
use crate::element::Element;
use crate::index::sealed::Value;
use crate::movers::Combine;
use crate::plan::Dim;
use crate::portable::packed::{Addresses, PackedMover};
use crate::reduction::Reduction;
use crate::walk::{Mover, Position, Visitor, nest};

/// `output[flat] = input[table]`
pub(crate) struct Take<'a, T> {
    pub input: &'a [T],
    pub output: &'a mut [T],
}

impl<T: Element> Mover for Take<'_, T> {
    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        if let Some(to) = self.output.get_mut(flat..flat.wrapping_add(n)) {
            copy_from(self.input, table, to);
        }
    }

    #[inline(always)]
    fn strided_row(&mut self, mut table: usize, mut flat: usize, dim: &Dim) {
        for _ in 0..dim.size {
            if let (Some(from), Some(to)) = (self.input.get(table), self.output.get_mut(flat)) {
                *to = *from;
            }
            table = table.wrapping_add_signed(dim.table);
            flat = flat.wrapping_add_signed(dim.flat);
        }
    }
}

impl<T: Element> PackedMover for Take<'_, T> {
    #[inline(always)]
    fn elements<I: Value, const K: usize, const PROVEN: bool>(
        &mut self,
        flat: usize,
        tuples: &[[I; K]],
        mut addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        for (to, tuple) in self.output.get_mut(flat..)?.iter_mut().zip(tuples) {
            if let Some(from) = self.input.get(addresses.next(tuple)?) {
                *to = *from;
            }
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
            copy_from(self.input, addresses.next(tuple)?, to);
            rest = more;
        }
        Some(())
    }
}

/// `to = input[address..]`
#[inline(always)]
fn copy_from<T: Element>(input: &[T], address: usize, to: &mut [T]) {
    if let Some(from) = input.get(address..address.wrapping_add(to.len())) {
        copy_row(from, to);
    }
}

impl<T: Element, R: Reduction<T>> PackedMover for Combine<'_, T, R> {
    #[inline(always)]
    fn elements<I: Value, const K: usize, const PROVEN: bool>(
        &mut self,
        flat: usize,
        tuples: &[[I; K]],
        mut addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        for (update, tuple) in self.updates.get(flat..)?.iter().zip(tuples) {
            if let Some(current) = self.data.get_mut(addresses.next(tuple)?) {
                *current = self.reduction.combine(*current, *update);
            }
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
            self.combine_with(addresses.next(tuple)?, updates);
            rest = more;
        }
        Some(())
    }
}

/// Moves what each entry stands for.
pub(crate) struct Nest<'a, M> {
    pub inner: &'a [Dim],
    pub mover: M,
}

impl<M: Mover> Visitor for Nest<'_, M> {
    #[inline(always)]
    fn visit(&mut self, at: Position) {
        nest(self.inner, at, &mut self.mover);
    }
}

/// Does nothing: what is left of a walk is the check of the indices.
pub(crate) struct Nothing;

impl Visitor for Nothing {
    fn visit(&mut self, _: Position) {}
}

impl PackedMover for Nothing {
    #[inline(always)]
    fn elements<I: Value, const K: usize, const PROVEN: bool>(
        &mut self,
        _: usize,
        tuples: &[[I; K]],
        addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        for tuple in tuples {
            if !addresses.check(tuple) {
                return None;
            }
        }
        Some(())
    }
}
