//! Combines what one entry of the indices stands for.

#[cfg(feature = "std")]
use strew_simd::{Block, Path};

use crate::average::Average;
use crate::element::Element;
#[cfg(feature = "std")]
use crate::engine::tuning;
use crate::plan::{Dim, Plan};
use crate::reduction::{Reduction, combine_one};
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
            return kernels.row(data, updates);
        }
        combine_one(self.reduction, data, updates);
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
}

/// A step of a mean whose sums are held apart from the data.
pub(crate) struct Sums<'a, T> {
    pub step: Step,
    pub data: &'a [T],
    pub sums: &'a mut [u32],
    pub updates: &'a [T],
}

impl<T: Average> Sums<'_, T> {
    /// The rows of a block, which have `n` elements.
    #[cfg(feature = "std")]
    #[inline(never)]
    pub(crate) fn block(&mut self, block: &Block<'_>, n: usize) {
        let place = block.table.wrapping_mul(T::SUM_WORDS);
        let (Some(data), Some(sums)) = (self.data.get(block.table..), self.sums.get_mut(place..))
        else {
            return;
        };
        let mut sums = Sums { data, sums, ..*self };
        Path::detect().compiled(
            #[inline(always)]
            || {
                for (mut flat, addresses) in block.lanes() {
                    for address in addresses {
                        sums.near(*address as usize, flat, n);
                        flat = flat.wrapping_add_signed(block.entry_step);
                    }
                }
            },
        );
    }

    /// A row, in loops that compilers turn into vectors.
    #[inline(always)]
    fn near(&mut self, table: usize, flat: usize, n: usize) {
        let (Some(data), Some(sums), Some(updates)) = (
            self.data.get(table..table.wrapping_add(n)),
            words::<T>(self.sums, table, n),
            self.updates.get(flat..flat.wrapping_add(n)),
        ) else {
            return;
        };
        let sums = sums.chunks_exact_mut(T::SUM_WORDS.max(1)).zip(updates);
        match self.step {
            Step::Start => sums.for_each(|(sum, update)| T::store(update.widen(), sum)),
            Step::StartWith => sums.zip(data).for_each(|((sum, update), data)| {
                T::store(T::plus(data.widen(), update.widen()), sum);
            }),
            Step::Add => sums.for_each(|(sum, update)| {
                T::store(T::plus(T::load(sum), update.widen()), sum);
            }),
        }
    }
}

impl<T: Average> Mover for Sums<'_, T> {
    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        #[cfg(feature = "std")]
        if n > 1 {
            let block = Block { addresses: &[0], length: 1, table, flat, ..Block::default() };
            return self.block(&block, n);
        }
        self.near(table, flat, n);
    }

    fn strided_row(&mut self, mut table: usize, mut flat: usize, dim: &Dim) {
        for _ in 0..dim.size {
            self.near(table, flat, 1);
            table = table.wrapping_add_signed(dim.table);
            flat = flat.wrapping_add_signed(dim.flat);
        }
    }
}

/// `data = sum / count`, where the data are the sums, if these have no words.
pub(crate) struct Divide<'a, T> {
    pub count: u64,
    pub data: &'a mut [T],
    pub sums: &'a mut [u32],
}

impl<T: Average> Mover for Divide<'_, T> {
    #[inline(always)]
    fn row(&mut self, table: usize, _: usize, n: usize) {
        let data = self.data.get_mut(table..table.wrapping_add(n));
        let (Some(data), Some(sums)) = (data, words::<T>(self.sums, table, n)) else { return };
        let count = self.count;
        // The compiler makes vectors of rows of floats here too, but shorter ones.
        #[cfg(feature = "std")]
        if n >= if T::SUM_WORDS == 0 { tuning::LONG_ROW } else { 2 } {
            return Path::detect().compiled(
                #[inline(always)]
                || T::divide_row(data, sums, count),
            );
        }
        T::divide_row(data, sums, count);
    }

    fn strided_row(&mut self, mut table: usize, _: usize, dim: &Dim) {
        for _ in 0..dim.size {
            self.row(table, 0, 1);
            table = table.wrapping_add_signed(dim.table);
        }
    }
}

/// The words of the sums of `n` elements.
#[inline(always)]
fn words<T: Average>(sums: &mut [u32], table: usize, n: usize) -> Option<&mut [u32]> {
    let place = table.wrapping_mul(T::SUM_WORDS);
    sums.get_mut(place..place.wrapping_add(n.wrapping_mul(T::SUM_WORDS)))
}
