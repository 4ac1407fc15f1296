//! Rows of a contiguous table: no layouts, and in calls of few entries no plan.

use crate::copy::copy_row;
#[cfg(feature = "std")]
use crate::copy::repeated;
use crate::element::Element;
use crate::error::{Error, Operand};
#[cfg(feature = "std")]
use crate::gather::Gather;
use crate::index::{Bounds, Index, Negative, resolve};
#[cfg(feature = "std")]
use crate::layout::Layout;
use crate::proof::fits;
#[cfg(feature = "std")]
use crate::reduction::Call;
use crate::reduction::{Assign, Reduction, combine_one};
#[cfg(feature = "std")]
use crate::scatter::Scatter;

/// Entries: calls that move at most this many single elements go one by one, without a plan.
///
/// Record: f32 by i64 on Zen 4, gathered and added, against a plan and its call: 1 entry 0.02x; 16
/// entries 0.1x to 0.2x; 96 entries 0.3x to 0.6x, from memory 0.8x to 0.9x; 200 entries 0.5x to
/// 1.0x.
#[cfg(feature = "std")]
const SINGLES: usize = if cfg!(fuzzing) { 6 } else { 192 };

/// [`SINGLES`] for rows of a table of at most [`NEAR`] bytes.
///
/// Record: as at [`SINGLES`], of 2 to 64 f32: 16 rows 0.15x to 0.45x; 64 rows 0.3x to 1.0x.
#[cfg(feature = "std")]
const NEAR_ROWS: usize = if cfg!(fuzzing) { 4 } else { 64 };

/// Elements of a row, at most, in calls of more than [`LONG_ROWS`] rows: kernels have loops for
/// longer ones, and a plan's call of few rows does without them too.
#[cfg(feature = "std")]
const ROW: usize = if cfg!(fuzzing) { 2 } else { 64 };
#[cfg(feature = "std")]
const LONG_ROWS: usize = if cfg!(fuzzing) { 3 } else { 40 };

/// [`SINGLES`] for rows of a larger table, which a plan prefetches.
///
/// Record: as at [`SINGLES`], from memory: 4 rows 0.15x to 1.0x; 96 rows of 16 f32 1.4x to 3.4x.
#[cfg(feature = "std")]
const FAR_ROWS: usize = if cfg!(fuzzing) { 2 } else { 8 };

/// Elements of a row, at most, in new vectors that are filled first, and then written by place; and
/// the rows from which that is done.
///
/// Record: f32 on a fifth Xeon, against appended rows: 128 single elements 0.3x, 7 of them 0.8x, 2
/// of them 1.2x; 64 rows of 4 0.9x.
#[cfg(feature = "std")]
const FILLED_ROW: usize = if cfg!(fuzzing) { 2 } else { 16 };
#[cfg(feature = "std")]
const FILLED_FROM: usize = if cfg!(fuzzing) { 2 } else { 4 };

/// Bytes: most of a smaller table stays in L2.
#[cfg(feature = "std")]
const NEAR: usize = if cfg!(fuzzing) { 1 << 7 } else { 1 << 20 };

/// Rows of a contiguous table, each by one index: the short form of [`Gather::axis`] and
/// [`Scatter::axis`] along the first axis.
///
/// `output[n, ..] = table[indices[n], ..]` and `table[indices[n], ..] (op)= updates[n, ..]`, for a
/// table of sizes `[places, row]`. A scalar out of a vector is a row of 1. All slices are
/// contiguous, and each call has as many entries as it has indices, so that one value serves calls
/// of any length. Results, errors and policies are those of the plans.
///
/// It is for calls that take less time than making a plan. With `std`, those of up to 192 single
/// elements, 64 rows (40 of more than 64 elements) of a table of at most 1 MiB, or 8 of a larger
/// one run in plain loops; others make a plan and run it. Without `std`, all run in these loops.
/// The value has a few words, where a plan has hundreds of bytes.
///
/// This is NumPy `a[indices]` and `take(axis=0)`, PyTorch `embedding` and `index_select(0, ..)`,
/// ONNX `Gather` along axis 0, llama.cpp `get_rows` and `set_rows`.
///
/// ```
/// use strew::{Add, Rows};
///
/// // A table of 3 rows of 2.
/// let rows = Rows::new(3, 2);
/// let mut table = [1, 2, 3, 4, 5, 6];
/// let mut output = [0; 4];
/// rows.gather(&table, &[2, 0], &mut output)?;
/// assert_eq!(output, [5, 6, 1, 2]);
/// rows.scatter(&mut table, &[-1], &[9, 9])?;
/// rows.reduce(Add, &mut table, &[0, 0], &[1, 1, 2, 2])?;
/// assert_eq!(table, [4, 5, 3, 4, 9, 9]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "embedding")]
#[doc(alias = "get_rows")]
#[doc(alias = "set_rows")]
#[doc(alias = "take")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rows {
    places: usize,
    row: usize,
    bounds: Bounds,
    negative: Negative,
}

impl Rows {
    /// Rows of `row` elements, of which a table has `places`.
    #[must_use]
    pub const fn new(places: usize, row: usize) -> Rows {
        Rows { places, row, bounds: Bounds::Error, negative: Negative::FromEnd }
    }

    /// The same rows with another policy for indices out of bounds; [`Bounds::Error`] if none is
    /// set.
    #[must_use]
    pub const fn bounds(self, bounds: Bounds) -> Rows {
        Rows { bounds, ..self }
    }

    /// The same rows with another meaning of indices below 0; [`Negative::FromEnd`] if none is set.
    #[must_use]
    pub const fn negative(self, negative: Negative) -> Rows {
        Rows { negative, ..self }
    }

    /// `output[n, ..] = table[indices[n], ..]`
    ///
    /// # Errors
    /// Those of [`Gather::run`](crate::Gather::run), and [`Error::SizesOverflow`].
    ///
    /// ```
    /// use strew::Rows;
    ///
    /// // The second and the last size of a shape.
    /// let mut sizes = [0; 2];
    /// Rows::new(4, 1).gather(&[8, 128, 384, 64], &[1_i64, -1], &mut sizes)?;
    /// assert_eq!(sizes, [128, 64]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn gather<T: Element, I: Index>(
        &self,
        table: &[T],
        indices: &[I],
        output: &mut [T],
    ) -> Result<(), Error> {
        let (places, flat) = self.lengths(indices, [Operand::Input, Operand::Output])?;
        fits(Operand::Input, places, table.len())?;
        fits(Operand::Output, flat, output.len())?;
        #[cfg(feature = "std")]
        if !self.is_few(table, indices) {
            return self.gather_of(indices)?.run(table, indices, output);
        }
        // The compiler sees that a place on the axis is in such a table, and compares it once.
        if self.row == 1
            && let Some(table) = table.get(..self.places)
        {
            return self.each(
                indices,
                output,
                #[inline(always)]
                |place, to| {
                    if let Some(from) = table.get(place) {
                        *to = *from;
                    }
                },
            );
        }
        self.each(
            indices,
            self.starts(indices),
            #[inline(always)]
            |place, flat| {
                if let (Some(to), Some(from)) = (self.of_mut(output, flat), self.of(table, place)) {
                    copy_row(from, to);
                }
            },
        )
    }

    /// [`gather`](Rows::gather) to a new vector.
    ///
    /// # Errors
    /// Those of [`Gather::collect`](crate::Gather::collect).
    ///
    /// ```
    /// use strew::Rows;
    ///
    /// let letters = ['e', 'r', 's', 't', 'w'];
    /// let name = Rows::new(5, 1).collect(&letters, &[2_u8, 3, 1, 0, 4])?;
    /// assert_eq!(String::from_iter(name), "strew");
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn collect<T: Element, I: Index>(
        &self,
        table: &[T],
        indices: &[I],
    ) -> Result<Vec<T>, Error> {
        let (places, flat) = self.lengths(indices, [Operand::Input, Operand::Output])?;
        let few = self.is_few(table, indices) && !matches!(self.bounds, Bounds::Skip);
        if !few || self.places == 0 || table.len() < places {
            return self.gather_of(indices)?.collect(table, indices);
        }
        let no_memory = Error::SizesOverflow { operand: Operand::Output };
        if self.row <= FILLED_ROW
            && indices.len() >= FILLED_FROM
            && let Some(any) = table.first()
        {
            let mut output = repeated(*any, flat).ok_or(no_memory)?;
            return self.gather(table, indices, &mut output).map(|()| output);
        }
        let mut output = Vec::new();
        output.try_reserve_exact(flat).map_err(|_| no_memory)?;
        self.each(indices, indices, |place, _| {
            output.extend_from_slice(self.of(table, place).unwrap_or_default());
        })?;
        Ok(output)
    }

    /// `table[indices[n], ..] = updates[n, ..]`; of several updates of a row, the last one stays.
    ///
    /// # Errors
    /// Those of [`Scatter::run`](crate::Scatter::run), and [`Error::SizesOverflow`]. The table is
    /// as it was.
    ///
    /// ```
    /// use strew::{Bounds, Negative, Rows};
    ///
    /// // Slots of a cache of 3 rows; -1 is padding.
    /// let rows =
    ///     Rows::new(3, 2).bounds(Bounds::Skip).negative(Negative::OutOfBounds);
    /// let mut cache = [0; 6];
    /// rows.scatter(&mut cache, &[1, -1], &[7, 8, 9, 9])?;
    /// assert_eq!(cache, [0, 0, 7, 8, 0, 0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn scatter<T: Element, I: Index>(
        &self,
        table: &mut [T],
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error> {
        self.reduce(Assign, table, indices, updates)
    }

    /// `table[indices[n], ..] = reduction(table[indices[n], ..], updates[n, ..])`, in order.
    ///
    /// # Errors
    /// Those of [`Scatter::reduce`](crate::Scatter::reduce), and [`Error::SizesOverflow`]. The
    /// table is as it was.
    ///
    /// ```
    /// use strew::{Max, Rows};
    ///
    /// let mut highest = [0_u16; 3];
    /// Rows::new(3, 1).reduce(Max, &mut highest, &[2, 0, 2], &[5, 1, 4])?;
    /// assert_eq!(highest, [1, 0, 5]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn reduce<T: Element, I: Index, R: Reduction<T>>(
        &self,
        reduction: R,
        table: &mut [T],
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error> {
        let (places, flat) = self.lengths(indices, [Operand::Data, Operand::Updates])?;
        #[cfg(feature = "std")]
        if !self.is_few(table, indices) {
            return self.scatter_of(indices)?.reduce(reduction, table, indices, updates);
        }
        // Indices come first in the order of errors, as they do for a plan.
        if matches!(self.bounds, Bounds::Error) {
            self.each(indices, indices, |_, _| {})?;
        }
        fits(Operand::Data, places, table.len())?;
        fits(Operand::Updates, flat, updates.len())?;
        let change = Change { rows: self, table, indices, updates };
        #[cfg(feature = "std")]
        return reduction.call(change);
        #[cfg(not(feature = "std"))]
        change.by(&reduction)
    }

    /// The lengths of the table, and of the output or the updates.
    #[inline(always)]
    fn lengths<I>(&self, indices: &[I], operands: [Operand; 2]) -> Result<(usize, usize), Error> {
        let product = |rows: usize, operand| {
            rows.checked_mul(self.row).ok_or(Error::SizesOverflow { operand })
        };
        let [table, flat] = operands;
        Ok((product(self.places, table)?, product(indices.len(), flat)?))
    }

    #[cfg(feature = "std")]
    #[inline(always)]
    fn is_few<T, I>(&self, table: &[T], indices: &[I]) -> bool {
        let most = match size_of_val(table) {
            _ if self.row == 1 => SINGLES,
            ..=NEAR if self.row <= ROW => NEAR_ROWS,
            ..=NEAR => LONG_ROWS,
            _ => FAR_ROWS,
        };
        indices.len() <= most
    }

    /// Visits where in the table all rows start, each with what the flat tensor has for it, in
    /// order, up to an index that is out of bounds under `Bounds::Error`.
    #[inline(always)]
    fn each<I: Index, F>(
        &self,
        indices: &[I],
        flat: impl IntoIterator<Item = F>,
        mut visit: impl FnMut(usize, F),
    ) -> Result<(), Error> {
        let Rows { places, row, bounds, negative } = *self;
        for ((entry, index), flat) in indices.iter().enumerate().zip(flat) {
            if let Some(n) = resolve(*index, places, bounds, negative) {
                visit(n.wrapping_mul(row), flat);
            } else if matches!(bounds, Bounds::Error) {
                let value = index.value();
                return Err(Error::IndexOutOfBounds { entry, coordinate: 0, value, size: places });
            }
        }
        Ok(())
    }

    /// Where in the flat tensor all rows start.
    #[inline(always)]
    fn starts<I>(&self, indices: &[I]) -> impl Iterator<Item = usize> {
        let row = self.row;
        (0..indices.len()).map(move |entry| entry.wrapping_mul(row))
    }

    /// The row at a place.
    #[inline(always)]
    fn of<'a, T>(&self, slice: &'a [T], place: usize) -> Option<&'a [T]> {
        slice.get(place..)?.get(..self.row)
    }

    #[inline(always)]
    fn of_mut<'a, T>(&self, slice: &'a mut [T], place: usize) -> Option<&'a mut [T]> {
        slice.get_mut(place..)?.get_mut(..self.row)
    }
}

/// What is too much for a plain loop.
#[cfg(feature = "std")]
impl Rows {
    #[inline(never)]
    fn layouts(&self, entries: usize) -> [Layout; 3] {
        let Rows { places, row, .. } = *self;
        let [table, flat] = [places, entries].map(|rows| Layout::contiguous([rows, row]));
        [table, Layout::contiguous([entries]), flat]
    }

    fn gather_of<I>(&self, indices: &[I]) -> Result<Gather, Error> {
        let [table, entries, flat] = self.layouts(indices.len());
        let gather = Gather::axis(&table, &entries, &flat, 0)?;
        Ok(gather.bounds(self.bounds).negative(self.negative))
    }

    fn scatter_of<I>(&self, indices: &[I]) -> Result<Scatter, Error> {
        let [table, entries, flat] = self.layouts(indices.len());
        let scatter = Scatter::axis(&table, &entries, &flat, 0)?;
        Ok(scatter.bounds(self.bounds).negative(self.negative))
    }
}

/// A reduction of few rows, whose indices are proven.
struct Change<'a, T, I> {
    rows: &'a Rows,
    table: &'a mut [T],
    indices: &'a [I],
    updates: &'a [T],
}

impl<T: Element, I: Index> Change<'_, T, I> {
    /// Not by `Combine` of `movers.rs`, which calls a kernel for each row of some length. With it,
    /// from L1 on Zen 4, 40 rows of 32 f32 take 3.4x (sums) and 1.7x (maxima), rows of 384 f32
    /// 1.25x and 0.55x.
    #[inline(always)]
    fn by<R: Reduction<T>>(self, reduction: &R) -> Result<(), Error> {
        let Change { rows, table, indices, updates } = self;
        if rows.row == 1
            && let Some(table) = table.get_mut(..rows.places)
        {
            return rows.each(
                indices,
                updates,
                #[inline(always)]
                |place, update| {
                    if let Some(to) = table.get_mut(place) {
                        *to = reduction.combine(*to, *update);
                    }
                },
            );
        }
        rows.each(
            indices,
            rows.starts(indices),
            #[inline(always)]
            |place, flat| {
                if let (Some(to), Some(row)) = (rows.of_mut(table, place), rows.of(updates, flat)) {
                    combine_one(reduction, to, row);
                }
            },
        )
    }
}

#[cfg(feature = "std")]
impl<T: Element, I: Index> Call<T> for Change<'_, T, I> {
    type Output = Result<(), Error>;

    #[inline]
    fn with<R: Reduction<T>>(self, reduction: &R) -> Result<(), Error> {
        self.by(reduction)
    }
}
