//! Scatters with checked indices: what [`Scatter`] does once nothing can fail any more.

use crate::checked::{Checked, fits, scratch};
use crate::element::Element;
use crate::error::{Error, Operand};
use crate::gather::Take;
use crate::index::Index;
use crate::layout::Layout;
#[cfg(not(feature = "std"))]
use crate::plan::Start;
use crate::plan::{Dim, Plan};
use crate::reduction::{Add, Assign, Average, Reduction};
use crate::scatter::Scatter;
#[cfg(feature = "std")]
use crate::vectors;
#[cfg(feature = "rayon")]
use crate::vectors::threads::Division;
use crate::walk::{self, Addresses, Mover};

impl<I: Index> Checked<'_, Scatter, I> {
    /// Assigns in place, as [`Scatter::run`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let (two, three) = (Layout::contiguous([2]), Layout::contiguous([3]));
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [0; 2];
    /// scatter.check(&[1, 0, 1])?.run(&mut data, &[1, 2, 3])?;
    /// assert_eq!(data, [2, 3]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub fn run<T: Element>(&self, data: &mut [T], updates: &[T]) -> Result<(), Error> {
        self.assign(data, updates)
    }

    #[inline(always)]
    pub(crate) fn assign<T: Element>(&self, data: &mut [T], updates: &[T]) -> Result<(), Error> {
        let plan = self.fits(data, updates)?;
        #[cfg(feature = "std")]
        if plan.suits_vectors {
            _ = vectors::scatter(plan, self.indices, data, updates); // They are in bounds.
            return Ok(());
        }
        walk::run::<I, true>(plan, self.indices, Combine { reduction: &Assign, data, updates });
        Ok(())
    }

    /// Combines in place, as [`Scatter::reduce`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let (two, three) = (Layout::contiguous([2]), Layout::contiguous([3]));
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [10, 20];
    /// scatter.check(&[1, 0, 1])?.reduce(Add, &mut data, &[1, 2, 3])?;
    /// assert_eq!(data, [12, 24]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub fn reduce<T: Element, R: Reduction<T>>(
        &self,
        reduction: R,
        data: &mut [T],
        updates: &[T],
    ) -> Result<(), Error> {
        self.combine(reduction, data, updates)
    }

    #[inline(always)]
    pub(crate) fn combine<T: Element, R: Reduction<T>>(
        &self,
        reduction: R,
        data: &mut [T],
        updates: &[T],
    ) -> Result<(), Error> {
        let plan = self.fits(data, updates)?;
        run_plan(plan, self.indices, &reduction, data, updates);
        Ok(())
    }

    /// Assigns in place, as [`Scatter::par_run`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let (two, three) = (Layout::contiguous([2]), Layout::contiguous([3]));
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [0; 2];
    /// scatter.check(&[1, 0, 1])?.par_run(&mut data, &[1, 2, 3])?;
    /// assert_eq!(data, [2, 3]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run<T: Element + Send + Sync>(
        &self,
        data: &mut [T],
        updates: &[T],
    ) -> Result<(), Error> {
        match Division::of_scatter::<T>(&self.operator.plan) {
            Some(division) => self.reduce_divided(&division, &Assign, data, updates),
            None => self.run(data, updates),
        }
    }

    /// Combines in place, as [`Scatter::par_reduce`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let (two, three) = (Layout::contiguous([2]), Layout::contiguous([3]));
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [10, 20];
    /// scatter.check(&[1, 0, 1])?.par_reduce(Add, &mut data, &[1, 2, 3])?;
    /// assert_eq!(data, [12, 24]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_reduce<T: Element + Send + Sync, R: Reduction<T> + Sync>(
        &self,
        reduction: R,
        data: &mut [T],
        updates: &[T],
    ) -> Result<(), Error> {
        match Division::of_scatter::<T>(&self.operator.plan) {
            Some(division) => self.reduce_divided(&division, &reduction, data, updates),
            None => self.reduce(reduction, data, updates),
        }
    }

    #[cfg(feature = "rayon")]
    pub(crate) fn reduce_divided<T, R>(
        &self,
        division: &Division,
        reduction: &R,
        data: &mut [T],
        updates: &[T],
    ) -> Result<(), Error>
    where
        T: Element + Send + Sync,
        R: Reduction<T> + Sync,
    {
        self.fits(data, updates)?;
        division.scatter(self.indices, reduction, data, updates);
        Ok(())
    }

    /// `output = input`, then the assignment, as [`Scatter::run_into`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]. The output is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let (two, three) = (Layout::contiguous([2]), Layout::contiguous([3]));
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut output = [0; 2];
    /// scatter.check(&[1, 1, 1])?.run_into(&[7, 8], &[1, 2, 3], &mut output)?;
    /// assert_eq!(output, [7, 3]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn run_into<T: Element>(
        &self,
        input: &[T],
        updates: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        self.operator.copy_from(&self.operator.data, input, updates, output)?;
        self.run(output, updates)
    }

    /// `output = input`, then the reduction, as [`Scatter::reduce_into`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]. The output is as it was.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let (two, three) = (Layout::contiguous([2]), Layout::contiguous([3]));
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut output = [0; 2];
    /// scatter.check(&[1, 0, 1])?.reduce_into(Add, &[10, 20], &[1, 2, 3], &mut output)?;
    /// assert_eq!(output, [12, 24]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn reduce_into<T: Element, R: Reduction<T>>(
        &self,
        reduction: R,
        input: &[T],
        updates: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        self.operator.copy_from(&self.operator.data, input, updates, output)?;
        self.reduce(reduction, output, updates)
    }

    /// Combines in place without the values that are there, as [`Scatter::reduce_excluding_self`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::ScratchTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Add, Layout, Scatter};
    ///
    /// let (two, three) = (Layout::contiguous([2]), Layout::contiguous([3]));
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [100, 100];
    /// scatter.check(&[1, 1, 1])?.reduce_excluding_self(Add, &mut data, &[1, 2, 3], &mut [0; 1])?;
    /// assert_eq!(data, [100, 6]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn reduce_excluding_self<T: Element, R: Reduction<T>>(
        &self,
        reduction: R,
        data: &mut [T],
        updates: &[T],
        flags: &mut [u32],
    ) -> Result<(), Error> {
        let plan = self.fits(data, updates)?;
        let flags = scratch(flags, self.operator.flags_len())?;
        walk::entries(plan, self.indices, |at| {
            if crate::duplicates::set(flags, at.cell) {
                walk::nest(plan.inner(), at, &mut Combine { reduction: &reduction, data, updates });
            } else {
                walk::nest(plan.inner(), at, &mut Combine { reduction: &Assign, data, updates });
            }
        });
        Ok(())
    }

    /// The mean of the value that is there and all updates, as [`Scatter::mean`].
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::ScratchTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let (two, three) = (Layout::contiguous([2]), Layout::contiguous([3]));
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [2.0, 5.0];
    /// scatter.check(&[0, 0, 0])?.mean(&mut data, &[3.0, 5.0, 10.0], &mut [0; 2])?;
    /// assert_eq!(data, [5.0, 5.0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn mean<T: Average>(
        &self,
        data: &mut [T],
        updates: &[T],
        counts: &mut [u32],
    ) -> Result<(), Error>
    where
        Add: Reduction<T>,
    {
        self.average(1, data, updates, counts)
    }

    /// The mean of all updates, as [`Scatter::mean_excluding_self`].
    ///
    /// # Errors
    /// [`Error::SliceTooShort`], [`Error::ScratchTooShort`]. The data is as it was.
    ///
    /// ```
    /// use strew::{Layout, Scatter};
    ///
    /// let (two, three) = (Layout::contiguous([2]), Layout::contiguous([3]));
    /// let scatter = Scatter::axis(&two, &three, &three, 0)?;
    /// let mut data = [2.0, 5.0];
    /// scatter.check(&[0, 0, 0])?.mean_excluding_self(&mut data, &[3.0, 5.0, 10.0], &mut [0; 2])?;
    /// assert_eq!(data, [6.0, 5.0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn mean_excluding_self<T: Average>(
        &self,
        data: &mut [T],
        updates: &[T],
        counts: &mut [u32],
    ) -> Result<(), Error>
    where
        Add: Reduction<T>,
    {
        self.average(0, data, updates, counts)
    }

    /// Sums and counts, then divides every place that was hit. The counts return to 0 as they are used.
    fn average<T: Average>(
        &self,
        already: u64,
        data: &mut [T],
        updates: &[T],
        counts: &mut [u32],
    ) -> Result<(), Error>
    where
        Add: Reduction<T>,
    {
        let plan = self.fits(data, updates)?;
        let counts = scratch(counts, self.operator.counts_len())?;
        walk::entries(plan, self.indices, |at| {
            let Some(count) = counts.get_mut(at.cell) else { return };
            if already == 0 && *count == 0 {
                walk::nest(plan.inner(), at, &mut Combine { reduction: &Assign, data, updates });
            } else {
                walk::nest(plan.inner(), at, &mut Combine { reduction: &Add, data, updates });
            }
            *count = count.saturating_add(1);
        });
        walk::entries(plan, self.indices, |at| {
            let Some(count) = counts.get_mut(at.cell) else { return };
            if *count > 0 {
                let count = u64::from(core::mem::take(count)).wrapping_add(already);
                walk::nest(
                    plan.inner(),
                    at,
                    &mut Combine { reduction: &|sum: T, _| sum.divide(count), data, updates },
                );
            }
        });
        Ok(())
    }

    fn fits<T>(&self, data: &[T], updates: &[T]) -> Result<&Plan, Error> {
        self.operator.fits(data, updates)
    }
}

impl Scatter {
    /// `output = input`, for an input with a layout of its own.
    pub(crate) fn copy_from<T: Element>(
        &self,
        layout: &Layout,
        input: &[T],
        updates: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        fits(Operand::Output, self.plan.lengths.table, output.len())?;
        self.fits(output, updates)?;
        let copy = Plan::copy(layout, &self.data)?;
        fits(Operand::Input, copy.lengths.table, input.len())?;
        walk::run::<u8, true>(&copy, &[], Take { input, output });
        Ok(())
    }

    #[inline(always)]
    fn fits<T>(&self, data: &[T], updates: &[T]) -> Result<&Plan, Error> {
        fits(Operand::Data, self.plan.lengths.table, data.len())?;
        fits(Operand::Updates, self.plan.lengths.flat, updates.len())?;
        Ok(&self.plan)
    }
}

/// Combines what the plan describes, for checked indices.
#[inline(always)]
pub(crate) fn run_plan<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    indices: &[I],
    reduction: &R,
    data: &mut [T],
    updates: &[T],
) {
    #[cfg(feature = "std")]
    if plan.suits_vectors {
        _ = vectors::combine(plan, indices, reduction, data, updates); // The indices are in bounds.
        return;
    }
    walk::run::<I, true>(plan, indices, Combine { reduction, data, updates });
}

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

    #[inline(always)]
    fn elements<I: Index, const K: usize, const PROVEN: bool>(
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
    fn rows<I: Index, const K: usize, const PROVEN: bool>(
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

    #[cfg(not(feature = "std"))]
    #[inline(always)]
    fn blocks<I: Index, const K: usize, const PROVEN: bool, const B: usize>(
        &mut self,
        start: &Start,
        n: usize,
        tuples: &[[I; K]],
        mut addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        let data = self.data.get_mut(start.table..)?.as_chunks_mut::<B>().0;
        let updates = self.updates.get(start.flat..)?.as_chunks::<B>().0;
        for (updates, tuple) in updates.chunks_exact(n).zip(tuples) {
            let address = addresses.next(tuple)?;
            for (updates, data) in
                updates.iter().zip(data.get_mut(address..address.wrapping_add(n))?)
            {
                self.reduction.combine_row(data, updates);
            }
        }
        Some(())
    }
}

impl<T: Element, R: Reduction<T>> Combine<'_, T, R> {
    /// `data[address..] = reduction(data[address..], updates)`
    #[inline(always)]
    fn combine_with(&mut self, address: usize, updates: &[T]) {
        if let Some(data) = self.data.get_mut(address..address.wrapping_add(updates.len())) {
            // For a few elements, the start of a loop in vectors takes longer. Machines without `std` have none.
            #[cfg(feature = "std")]
            if !R::SETS && updates.len() < 8 {
                for (current, update) in data.iter_mut().zip(updates) {
                    *current = self.reduction.combine(*current, *update);
                }
                return;
            }
            self.reduction.combine_row(data, updates);
        }
    }
}
