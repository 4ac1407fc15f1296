//! Bags of rows that other ranks own.

use bytemuck::Pod;
use std::ops::Range;

use strew::{Bag, Bags, Bounds, Index, Layout, Negative, Operand, Pool};

use crate::error::Error;
use crate::route::By;
use crate::sharded::{Sharded, fits};

impl Sharded {
    /// `output[b, ..] = reduce over the entries j of bag b of table[indices[j], ..]`, in the order
    /// of `j`, for the bags of this rank: [`strew::Bag`], with its rules for weights and entries
    /// that are left out.
    ///
    /// A rank holds the rows of all of its entries while the call runs, beside what
    /// [`buffer`](Sharded::buffer) says: rows are reduced where they are asked for, since sums of
    /// partial sums would have other bits.
    ///
    /// # Errors
    /// [`Error::Rank`], [`Error::RowTooLarge`], [`Error::TooManyEntries`]. The outputs are as they
    /// were.
    ///
    /// ```
    /// # let universe = mpi::initialize().ok_or("MPI runs already")?;
    /// # let world = universe.world();
    /// use strew::{Bags, Mean};
    /// use strew_mpi::{Distribution, Sharded};
    ///
    /// let table = Sharded::rows(&world, &[4, 2], Distribution::Block)?;
    /// let rows = (0..table.local_rows()).map(|n| table.global_row(n) as f32);
    /// let local: Vec<f32> = rows.flat_map(|row| [row, 0.0]).collect();
    /// let (bags, mut means) = (Bags::Offsets(&[0, 2, 3]), [0.0; 4]);
    /// table.bag(Mean, &local, &[3, 0, 2], bags, &mut means)?;
    /// assert_eq!(means, [1.5, 0.0, /**/ 2.0, 0.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn bag<T: Pod + Send + Sync, I: Index, O: Index>(
        &self,
        pool: impl Pool<T> + Copy + Sync,
        local: &[T],
        indices: &[I],
        bags: Bags<'_, O>,
        output: &mut [T],
    ) -> Result<(), Error> {
        let (entries, count, row) = (self.entries(indices), count(&bags), self.row_len());
        // Without columns there is nothing to do but to find out what is wrong with the rest.
        let dry = || run(pool, &[], (&vec![0_u8; entries], 1), bags, &mut [], (self, count, 0));
        let short = fits(Operand::Indices, self.indices_len(entries), indices.len())
            .or(fits(Operand::Input, self.local_len(), local.len()))
            .or(fits(Operand::Output, count.saturating_mul(row), output.len()))
            .or_else(|| dry().err());
        let used = if short.is_some() { 0..0 } else { used(&bags, entries) };
        let axes = self.indices_len(1);
        let wanted = used.start.saturating_mul(axes)..used.end.saturating_mul(axes);
        let wanted = indices.get(wanted).unwrap_or_default();
        let wrong = (short, None);
        let rounds = self.rounds::<T, I>((wanted, used.start), By::Entry, true, row, wrong)?;
        let mut rows: Vec<T> = bytemuck::zeroed_vec(used.len().saturating_mul(row));
        self.fetch(&rounds, local, (&mut rows, used.len()))?;
        // What has not been fetched is out of bounds.
        let mut ids = vec![u32::MAX; entries];
        for entry in &rounds.routes.order {
            if let Some(id) = ids.get_mut(used.start.saturating_add(*entry as usize)) {
                *id = *entry;
            }
        }
        self.done(rounds);
        self.kernel(|| run(pool, &rows, (&ids, used.len()), bags, output, (self, count, row)))
    }
}

/// Reduces rows that are here, of which `ids` choose.
fn run<T: Pod + Send + Sync, I: Index, O: Index>(
    pool: impl Pool<T> + Sync,
    rows: &[T],
    (ids, number): (&[I], usize),
    bags: Bags<'_, O>,
    output: &mut [T],
    (table, count, row): (&Sharded, usize, usize),
) -> Result<(), strew::Error> {
    let [from, to] = [number, count].map(|rows| Layout::contiguous([rows, row]));
    let bag = Bag::new(&from, &Layout::contiguous([ids.len()]), &to)?;
    let bag = bag.bounds(Bounds::Skip).empty(table.empty);
    #[cfg(feature = "rayon")]
    return bag.par_run(pool, rows, ids, bags, output);
    #[cfg(not(feature = "rayon"))]
    bag.run(pool, rows, ids, bags, output)
}

/// How many bags there are.
fn count<O>(bags: &Bags<'_, O>) -> usize {
    match bags {
        Bags::Offsets(offsets) => offsets.len().saturating_sub(1),
        Bags::Starts(starts) => starts.len(),
        Bags::Lengths(lengths) => lengths.len(),
    }
}

/// From the first entry of the first bag to the last one of the last, where all is as it should be.
fn used<O: Index>(bags: &Bags<'_, O>, entries: usize) -> Range<usize> {
    let value = |offset: &O| Bounds::Clamp.position(*offset, usize::MAX, Negative::OutOfBounds);
    let value = |offset: Option<&O>| offset.and_then(value).unwrap_or(entries);
    match bags {
        Bags::Offsets(offsets) => value(offsets.first())..value(offsets.last()),
        Bags::Starts(starts) => value(starts.first())..entries,
        Bags::Lengths(lengths) => {
            0..lengths.iter().fold(0, |sum, length| value(Some(length)).saturating_add(sum))
        }
    }
}
