//! Tables over ranks, and the calls on them.

use std::cell::Cell;

use bytemuck::Pod;
use mpi::traits::Communicator;
use strew::{
    Assign, Bounds, Empty, Gather, Index, Layout, MAX_RANK, Negative, Operand, Reduction, Scatter,
};

use crate::error::Error;
use crate::exchange::Ranks;
use crate::kernels;
use crate::memory::Kept;
use crate::rounds::Rounds;
use crate::route::{By, Routes, Rule};
use crate::shards::{Distribution, Shards};
use crate::spent::Spent;

/// The leading axes that indices may choose from, at most.
pub const MAX_AXES: usize = MAX_RANK - 1;

/// The rows of a rank, at most.
const MAX_ROWS: usize = u32::MAX as usize;

/// The bytes that a message may have.
const MAX_BYTES: usize = i32::MAX as usize;

/// A table whose rows are distributed over the ranks of a communicator. It describes the table: the
/// rows that a rank owns are a slice of the caller's.
///
/// All calls are collective: every rank makes the same ones, in the same order, each with indices,
/// updates and outputs of its own, which may be empty.
pub struct Sharded {
    pub(crate) ranks: Ranks,
    shards: Shards,
    /// The sizes of the axes that indices choose from.
    sizes: Vec<usize>,
    /// The elements of a row.
    row: usize,
    bounds: Bounds,
    negative: Negative,
    padding: Option<usize>,
    pub(crate) empty: Empty,
    buffer: usize,
    /// Memory of the call before, for the next one.
    routes: Cell<Routes>,
    pub(crate) memory: Kept,
}

/// The updates of a call.
#[derive(Clone, Copy)]
enum Updates<'a, T> {
    /// A row for each entry.
    Each(&'a [T]),
    /// One row for all entries of this rank.
    Repeated(&'a [T]),
}

impl Sharded {
    /// A table of these sizes, of which each index chooses a place on the first axis: a row.
    ///
    /// # Errors
    /// Those of [`new`](Sharded::new).
    ///
    /// ```
    /// # let universe = mpi::initialize().ok_or("MPI runs already")?;
    /// # let world = universe.world();
    /// use strew_mpi::{Distribution, Sharded};
    ///
    /// // 1000 rows of 4.
    /// let table = Sharded::rows(&world, &[1000, 4], Distribution::Block)?;
    /// assert_eq!(table.row_len(), 4);
    /// assert_eq!(table.local_len(), 4 * table.local_rows());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rows(
        communicator: &impl Communicator,
        sizes: &[usize],
        distribution: Distribution,
    ) -> Result<Sharded, Error> {
        Sharded::new(communicator, sizes, 1, distribution)
    }

    /// A table of these sizes, of which each tuple of `axes` indices chooses a place on as many
    /// leading axes, and so a row: what the other axes span. Rows are counted in row-major order of
    /// these places.
    ///
    /// This is collective. The communicator is duplicated, which keeps messages apart from others.
    ///
    /// # Errors
    /// [`Error::Differs`], [`Error::AxesOutOfRange`], [`Error::SizesOverflow`],
    /// [`Error::ShardTooLarge`].
    ///
    /// ```
    /// # let universe = mpi::initialize().ok_or("MPI runs already")?;
    /// # let world = universe.world();
    /// use strew::Add;
    /// use strew_mpi::{Distribution, Sharded};
    ///
    /// // The cells of a grid, by pairs of coordinates.
    /// let grid = Sharded::new(&world, &[30, 40], 2, Distribution::Cyclic)?;
    /// let mut counts = vec![0_u64; grid.local_len()];
    /// grid.reduce_repeated(Add, &mut counts, &[0, 0, /**/ 29, 39], &[1])?;
    /// assert_eq!(grid.row_len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        communicator: &impl Communicator,
        sizes: &[usize],
        axes: usize,
        distribution: Distribution,
    ) -> Result<Sharded, Error> {
        let ranks = Ranks::new(communicator);
        let shape = shape(sizes, axes, ranks.count);
        // All ranks take part in this, whatever their arguments are.
        let mut words = [0; MAX_AXES + 2];
        match shape {
            Ok((leading, _, row)) => {
                let values = [row, distribution as usize].into_iter();
                for (word, value) in words.iter_mut().zip(values.chain(leading.iter().copied())) {
                    *word = value as u64;
                }
            }
            Err(_) => words.fill(u64::MAX),
        }
        if !ranks.agree(&words) {
            return Err(Error::Differs);
        }
        let (leading, rows, row) = shape?;
        Ok(Sharded {
            shards: Shards::new(rows, ranks.count, distribution),
            ranks,
            sizes: leading.to_vec(),
            row,
            bounds: Bounds::Error,
            negative: Negative::FromEnd,
            padding: None,
            empty: Empty::Zero,
            buffer: 16 << 20,
            routes: Cell::default(),
            memory: Kept::default(),
        })
    }

    /// The same table with another policy for indices out of bounds; [`Bounds::Error`] if none is
    /// set.
    ///
    /// ```
    /// # let universe = mpi::initialize().ok_or("MPI runs already")?;
    /// # let world = universe.world();
    /// use strew::Bounds;
    /// use strew_mpi::{Distribution, Sharded};
    ///
    /// let table = Sharded::rows(&world, &[4, 2], Distribution::Block)?;
    /// let table = table.bounds(Bounds::Clamp);
    /// table.gather(&vec![0; table.local_len()], &[99], &mut [0; 2])?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn bounds(mut self, bounds: Bounds) -> Sharded {
        self.bounds = bounds;
        self
    }

    /// The same table with another meaning of indices below 0; [`Negative::FromEnd`] if none is
    /// set.
    ///
    /// ```
    /// # let universe = mpi::initialize().ok_or("MPI runs already")?;
    /// # let world = universe.world();
    /// use strew::Negative;
    /// use strew_mpi::{Distribution, Sharded};
    ///
    /// let table = Sharded::rows(&world, &[4, 2], Distribution::Block)?;
    /// let table = table.negative(Negative::OutOfBounds);
    /// let local = vec![0; table.local_len()];
    /// assert!(table.gather(&local, &[-1], &mut [0; 2]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn negative(mut self, negative: Negative) -> Sharded {
        self.negative = negative;
        self
    }

    /// The same table with a row whose entries no [`bag`](Sharded::bag) counts, as
    /// [`strew::Bag::padding`].
    ///
    /// ```
    /// # let universe = mpi::initialize().ok_or("MPI runs already")?;
    /// # let world = universe.world();
    /// use strew::{Add, Bags};
    /// use strew_mpi::{Distribution, Sharded};
    ///
    /// let table = Sharded::rows(&world, &[4, 2], Distribution::Block)?;
    /// let table = table.padding(0);
    /// let (local, mut sum) = (vec![1; table.local_len()], [0; 2]);
    /// table.bag(Add, &local, &[3, 0, 2], Bags::Starts(&[0]), &mut sum)?;
    /// assert_eq!(sum, [2, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn padding(mut self, row: usize) -> Sharded {
        self.padding = Some(row);
        self
    }

    /// The same table with another result of a [`bag`](Sharded::bag) without entries; it is
    /// [`Empty::Zero`] if none is set.
    ///
    /// ```
    /// # let universe = mpi::initialize().ok_or("MPI runs already")?;
    /// # let world = universe.world();
    /// use strew::{Add, Bags, Empty};
    /// use strew_mpi::{Distribution, Sharded};
    ///
    /// let table = Sharded::rows(&world, &[4, 2], Distribution::Block)?;
    /// let table = table.empty(Empty::Keep);
    /// let (local, mut sum) = (vec![1; table.local_len()], [7; 2]);
    /// table.bag(Add, &local, &[0_i32; 0], Bags::Lengths(&[0]), &mut sum)?;
    /// assert_eq!(sum, [7, 7]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn empty(mut self, empty: Empty) -> Sharded {
        self.empty = empty;
        self
    }

    /// The same table with another limit for the bytes that a rank sends or receives at once: 16
    /// MiB if none is set, or the least that a rank has set.
    ///
    /// Larger calls go in rounds. Entries are evenly drawn to rounds, and a round may have twice as
    /// many bytes, or a row for each rank, if that is more. A rank holds what it sends and what it
    /// receives, and beside them 16 bytes for each of its entries. The table keeps this memory for
    /// the next call.
    #[must_use]
    pub fn buffer(mut self, bytes: usize) -> Sharded {
        self.buffer = bytes;
        self
    }

    /// How many rows this rank owns.
    ///
    /// ```
    /// # let universe = mpi::initialize().ok_or("MPI runs already")?;
    /// # let world = universe.world();
    /// use mpi::traits::Communicator;
    /// use strew_mpi::{Distribution, Sharded};
    ///
    /// let table = Sharded::rows(&world, &[1000, 4], Distribution::Cyclic)?;
    /// let fair = 1000 / world.size() as usize;
    /// assert!([fair, fair + 1].contains(&table.local_rows()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn local_rows(&self) -> usize {
        self.shards.owned(self.ranks.rank)
    }

    /// How many elements this rank owns: what the `local` slice of a call has, or more.
    #[must_use]
    pub fn local_len(&self) -> usize {
        self.local_rows().saturating_mul(self.row)
    }

    /// How many elements a row has.
    #[must_use]
    pub fn row_len(&self) -> usize {
        self.row
    }

    /// Which row of the table is row `local` of this rank.
    ///
    /// ```
    /// # let universe = mpi::initialize().ok_or("MPI runs already")?;
    /// # let world = universe.world();
    /// use mpi::traits::Communicator;
    /// use strew_mpi::{Distribution, Sharded};
    ///
    /// let table = Sharded::rows(&world, &[1000, 4], Distribution::Cyclic)?;
    /// let (rank, ranks) = (world.rank() as usize, world.size() as usize);
    /// assert_eq!(table.global_row(3), 3 * ranks + rank);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn global_row(&self, local: usize) -> usize {
        self.shards.row(self.ranks.rank, local)
    }

    /// What the calls on this table have cost so far on this rank.
    ///
    /// ```
    /// # let universe = mpi::initialize().ok_or("MPI runs already")?;
    /// # let world = universe.world();
    /// use strew_mpi::{Distribution, Sharded};
    ///
    /// let table = Sharded::rows(&world, &[4, 2], Distribution::Block)?;
    /// table.gather(&vec![0.0; table.local_len()], &[1], &mut [0.0; 2])?;
    /// println!("{:?} in all", table.spent().total());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn spent(&self) -> Spent {
        self.ranks.clock.read()
    }

    /// `output[e, ..] = table[indices[e], ..]` for each entry `e` of this rank, where the table is
    /// the `local` slices of all ranks.
    ///
    /// # Errors
    /// [`Error::Rank`], [`Error::RowTooLarge`], [`Error::TooManyEntries`]. The outputs are as they
    /// were, but on one rank alone, whose output may have what comes before the bad index.
    ///
    /// ```
    /// # let universe = mpi::initialize().ok_or("MPI runs already")?;
    /// # let world = universe.world();
    /// use strew_mpi::{Distribution, Sharded};
    ///
    /// let table = Sharded::rows(&world, &[4, 2], Distribution::Block)?;
    /// // Each row holds its number.
    /// let rows = (0..table.local_rows()).map(|n| table.global_row(n));
    /// let local: Vec<usize> = rows.flat_map(|row| [row; 2]).collect();
    /// let mut output = [0; 4];
    /// table.gather(&local, &[3, -4], &mut output)?;
    /// assert_eq!(output, [3, 3, /**/ 0, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn gather<T: Pod + Send + Sync, I: Index>(
        &self,
        local: &[T],
        indices: &[I],
        output: &mut [T],
    ) -> Result<(), Error> {
        let entries = self.entries(indices);
        let short = fits(Operand::Indices, self.indices_len(entries), indices.len())
            .or(fits(Operand::Input, self.local_len(), local.len()))
            .or(fits(Operand::Output, entries.saturating_mul(self.row), output.len()));
        if self.ranks.count == 1 {
            return self.alone(entries, false, |table, list, rows| {
                let gather = match self.sizes.len() {
                    1 => Gather::axis(table, list, rows, 0),
                    _ => Gather::nd(table, list, rows, 0),
                }?;
                let gather = gather.bounds(self.bounds).negative(self.negative);
                short.map_or(Ok(()), Err)?;
                kernels::run(&gather, local, indices, output)
            });
        }
        let wrong = (short, None);
        let rounds = self.rounds::<T, I>((indices, 0), By::Entry, false, self.row, wrong)?;
        self.fetch(&rounds, local, (output, entries))?;
        self.done(rounds);
        Ok(())
    }

    /// Keeps the memory of a call for the next one.
    pub(crate) fn done(&self, rounds: Rounds) {
        self.routes.set(rounds.routes);
    }

    /// `table[indices[e], ..] = updates[e, ..]` for the entries `e` of rank 0, then those of rank 1
    /// and so on: the last update of a row stays.
    ///
    /// # Errors
    /// Those of [`reduce`](Sharded::reduce).
    ///
    /// ```
    /// # let universe = mpi::initialize().ok_or("MPI runs already")?;
    /// # let world = universe.world();
    /// use strew_mpi::{Distribution, Sharded};
    ///
    /// let table = Sharded::rows(&world, &[4, 2], Distribution::Block)?;
    /// let (mut local, mut row) = (vec![0; table.local_len()], [0; 2]);
    /// table.scatter(&mut local, &[3, 3], &[1, 2, /**/ 7, 8])?;
    /// table.gather(&local, &[3], &mut row)?;
    /// assert_eq!(row, [7, 8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn scatter<T: Pod + Send + Sync, I: Index>(
        &self,
        local: &mut [T],
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error> {
        self.reduce(Assign, local, indices, updates)
    }

    /// `table[indices[e], ..] = reduction(table[indices[e], ..], updates[e, ..])`, element by
    /// element, for the entries `e` of rank 0, then those of rank 1 and so on.
    ///
    /// # Errors
    /// [`Error::Rank`], [`Error::RowTooLarge`], [`Error::TooManyEntries`]. No rank's part of the
    /// table has changed.
    ///
    /// ```
    /// # let universe = mpi::initialize().ok_or("MPI runs already")?;
    /// # let world = universe.world();
    /// use strew::Max;
    /// use strew_mpi::{Distribution, Sharded};
    ///
    /// let table = Sharded::rows(&world, &[4, 2], Distribution::Block)?;
    /// let (mut local, mut row) = (vec![0; table.local_len()], [0; 2]);
    /// table.reduce(Max, &mut local, &[3, 3], &[1, 8, /**/ 7, 2])?;
    /// table.gather(&local, &[3], &mut row)?;
    /// assert_eq!(row, [7, 8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reduce<T: Pod + Send + Sync, I: Index>(
        &self,
        reduction: impl Reduction<T> + Copy + Sync,
        local: &mut [T],
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error> {
        self.change(reduction, local, indices, Updates::Each(updates))
    }

    /// [`reduce`](Sharded::reduce) with the same `update`, one row, for all entries of this rank:
    /// indices alone are sent. It is for histograms.
    ///
    /// # Errors
    /// Those of [`reduce`](Sharded::reduce).
    ///
    /// ```
    /// # let universe = mpi::initialize().ok_or("MPI runs already")?;
    /// # let world = universe.world();
    /// use mpi::traits::Communicator;
    /// use strew::Add;
    /// use strew_mpi::{Distribution, Sharded};
    ///
    /// let bins = Sharded::rows(&world, &[10], Distribution::Block)?;
    /// let (mut counts, mut third) = (vec![0_u32; bins.local_len()], [0]);
    /// bins.reduce_repeated(Add, &mut counts, &[3, 9, 3], &[1])?;
    /// bins.gather(&counts, &[3], &mut third)?;
    /// assert_eq!(third, [2 * world.size() as u32]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reduce_repeated<T: Pod + Send + Sync, I: Index>(
        &self,
        reduction: impl Reduction<T> + Copy + Sync,
        local: &mut [T],
        indices: &[I],
        update: &[T],
    ) -> Result<(), Error> {
        self.change(reduction, local, indices, Updates::Repeated(update))
    }

    fn change<T: Pod + Send + Sync, I: Index>(
        &self,
        reduction: impl Reduction<T> + Copy + Sync,
        local: &mut [T],
        indices: &[I],
        updates: Updates<'_, T>,
    ) -> Result<(), Error> {
        let entries = self.entries(indices);
        let (updates, repeated) = match updates {
            Updates::Each(updates) => (updates, false),
            Updates::Repeated(update) => (update, true),
        };
        let rows = if repeated { entries.min(1) } else { entries };
        let short = fits(Operand::Indices, self.indices_len(entries), indices.len());
        let later = fits(Operand::Data, self.local_len(), local.len()).or(fits(
            Operand::Updates,
            rows.saturating_mul(self.row),
            updates.len(),
        ));
        if self.ranks.count == 1 {
            return self.alone(entries, repeated, |table, list, rows| {
                short.map_or(Ok(()), Err)?;
                let scatter = match self.sizes.len() {
                    1 => Scatter::axis(table, list, rows, 0),
                    _ => Scatter::nd(table, list, rows, 0),
                }?;
                let scatter = scatter.bounds(self.bounds).negative(self.negative);
                kernels::reduce(&scatter, reduction, local, indices, updates)
            });
        }
        let width = if repeated { 0 } else { self.row };
        let rounds = self.rounds::<T, I>((indices, 0), By::Row, false, width, (short, later))?;
        self.apply(&rounds, reduction, local, (updates, entries, repeated))?;
        self.done(rounds);
        Ok(())
    }

    /// A call of one rank alone: strew's own, on layouts of the table, the indices and the rows of
    /// the entries.
    fn alone(
        &self,
        entries: usize,
        repeated: bool,
        call: impl FnOnce(&Layout, &Layout, &Layout) -> Result<(), strew::Error>,
    ) -> Result<(), Error> {
        self.kernel(|| {
            let sizes: Vec<_> = self.sizes.iter().copied().chain([self.row]).collect();
            let axes = self.sizes.len();
            let list = if axes == 1 { &[entries][..] } else { &[entries, axes] };
            let rows = if repeated {
                Layout::strided([entries, self.row], [0, 1])
            } else {
                Layout::contiguous([entries, self.row])
            };
            call(&Layout::from_sizes(&sizes)?, &Layout::from_sizes(list)?, &rows)
        })
    }

    /// Agrees on the rounds of a call, whose messages have `width` elements for each entry. Errors
    /// count the entries from `first`. With `padded`, those of the padding row are left out.
    pub(crate) fn rounds<T, I: Index>(
        &self,
        (indices, first): (&[I], usize),
        by: By,
        padded: bool,
        width: usize,
        wrong: (Option<strew::Error>, Option<strew::Error>),
    ) -> Result<Rounds, Error> {
        let bytes = width.saturating_mul(size_of::<T>());
        let longest = MAX_BYTES / self.ranks.count.max(1);
        if bytes > longest {
            return Err(Error::RowTooLarge { expected: longest, found: bytes });
        }
        // Two times as many may be sent at once, and MPI must be able to count their bytes.
        let bytes = bytes.saturating_add(size_of::<u32>());
        let most = (self.buffer.min(MAX_BYTES / 2) / bytes).max(1);
        let rule = Rule {
            sizes: &self.sizes,
            bounds: self.bounds,
            negative: self.negative,
            padding: self.padding.filter(|_| padded),
            first,
        };
        Rounds::new(
            self.routes.take(),
            (&self.ranks, &self.shards),
            rule,
            indices,
            // One update for all entries needs no order of them.
            (by, by == By::Entry || width > 0, most),
            wrong,
        )
    }

    pub(crate) fn kernel(
        &self,
        work: impl FnOnce() -> Result<(), strew::Error>,
    ) -> Result<(), Error> {
        self.ranks.clock.time(|spent| &mut spent.kernels, work).map_err(|error| self.own(error))
    }

    pub(crate) fn packing(
        &self,
        work: impl FnOnce() -> Result<(), strew::Error>,
    ) -> Result<(), Error> {
        self.ranks.clock.time(|spent| &mut spent.packing, work).map_err(|error| self.own(error))
    }

    fn own(&self, error: strew::Error) -> Error {
        Error::Rank { rank: self.ranks.rank, error }
    }

    /// The entries of these indices.
    pub(crate) fn entries<I>(&self, indices: &[I]) -> usize {
        indices.len().div_ceil(self.sizes.len().max(1))
    }

    /// The indices of as many entries.
    pub(crate) fn indices_len(&self, entries: usize) -> usize {
        entries.saturating_mul(self.sizes.len())
    }
}

/// The leading sizes of a table, the number of its rows, and the elements of one.
fn shape(sizes: &[usize], axes: usize, ranks: usize) -> Result<(&[usize], usize, usize), Error> {
    let most = MAX_AXES.min(sizes.len());
    let (leading, rest) = match sizes.split_at_checked(axes) {
        Some(split) if (1..=most).contains(&axes) => split,
        _ => return Err(Error::AxesOutOfRange { expected: most, found: axes }),
    };
    let product =
        |sizes: &[usize]| sizes.iter().try_fold(1_usize, |all, size| all.checked_mul(*size));
    let (Some(rows), Some(row)) = (product(leading), product(rest)) else {
        return Err(Error::SizesOverflow);
    };
    let owned = rows.div_ceil(ranks.max(1));
    if owned > MAX_ROWS {
        return Err(Error::ShardTooLarge { expected: MAX_ROWS, found: owned });
    }
    Ok((leading, rows, row))
}

/// What is wrong with a slice that is too short.
pub(crate) fn fits(operand: Operand, expected: usize, found: usize) -> Option<strew::Error> {
    (found < expected).then_some(strew::Error::SliceTooShort { operand, expected, found })
}
