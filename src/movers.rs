//! Combines what one entry of the indices stands for.

#[cfg(feature = "std")]
use strew_simd::{Block, Path};

use crate::average::Average;
use crate::element::Element;
#[cfg(feature = "std")]
use crate::engine::tuning;
use crate::plan::{Dim, Plan};
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
        let n = updates.len();
        let Some(data) = self.data.get_mut(address..address.wrapping_add(n)) else { return };
        #[cfg(feature = "std")]
        if n >= tuning::LONG_ROW
            && let Some(kernels) = R::KIND.kernels()
        {
            let block = Block { addresses: &[0], length: 1, ..Block::default() };
            return (kernels.rows)(Path::detect(), data, updates, &block, n, 0);
        }
        self.reduction.combine_row(data, updates);
    }
}

/// The same with the entry that an element came from, where it changes what is there.
pub(crate) struct Winning<'a, T, R> {
    pub combine: Combine<'a, T, R>,
    pub winners: &'a mut [usize],
    pub plan: &'a Plan,
    /// The step of the outer dimensions, and the number of elements of it that have been there.
    pub step: usize,
    pub number: usize,
}

impl<T: Element, R: Reduction<T>> Winning<'_, T, R> {
    fn element(&mut self, table: usize, flat: usize) {
        let Combine { reduction, data, updates } = &mut self.combine;
        if let (Some(current), Some(update), Some(winner)) =
            (data.get_mut(table), updates.get(flat), self.winners.get_mut(table))
        {
            let better = reduction.combine(*current, *update);
            if bytemuck::bytes_of(&better) != bytemuck::bytes_of(current) {
                (*current, *winner) = (better, self.plan.entry(self.step, self.number));
            }
        }
        self.number = self.number.wrapping_add(1);
    }
}

impl<T: Element, R: Reduction<T>> Mover for Winning<'_, T, R> {
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        for n in 0..n {
            self.element(table.wrapping_add(n), flat.wrapping_add(n));
        }
    }

    fn strided_row(&mut self, mut table: usize, mut flat: usize, dim: &Dim) {
        for _ in 0..dim.size {
            self.element(table, flat);
            table = table.wrapping_add_signed(dim.table);
            flat = flat.wrapping_add_signed(dim.flat);
        }
    }
}

/// What a mean does with an element, the [words](Average::SUM_WORDS) of its sum, and an update.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    /// `sum = update`
    Start,
    /// `sum = data + update`
    StartWith,
    /// `sum = sum + update`
    Add,
    /// `data = sum / count`
    Divide(u64),
}

/// A step of a mean whose sums are held apart from the data.
pub(crate) struct Sums<'a, T> {
    pub step: Step,
    pub data: &'a mut [T],
    pub sums: &'a mut [u32],
    pub updates: &'a [T],
}

impl<T: Average> Sums<'_, T> {
    fn element(&mut self, table: usize, flat: usize) {
        let place = table.wrapping_mul(T::SUM_WORDS);
        let (Some(data), Some(sum), Some(update)) = (
            self.data.get_mut(table),
            self.sums.get_mut(place..place.wrapping_add(T::SUM_WORDS)),
            self.updates.get(flat),
        ) else {
            return;
        };
        match self.step {
            Step::Start => T::store(update.widen(), sum),
            Step::StartWith => T::store(T::plus(data.widen(), update.widen()), sum),
            Step::Add => T::store(T::plus(T::load(sum), update.widen()), sum),
            Step::Divide(count) => *data = T::mean(T::load(sum), count),
        }
    }
}

impl<T: Average> Mover for Sums<'_, T> {
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        for column in 0..n {
            self.element(table.wrapping_add(column), flat.wrapping_add(column));
        }
    }

    fn strided_row(&mut self, mut table: usize, mut flat: usize, dim: &Dim) {
        for _ in 0..dim.size {
            self.element(table, flat);
            table = table.wrapping_add_signed(dim.table);
            flat = flat.wrapping_add_signed(dim.flat);
        }
    }
}
