//! Columns of a table, for threads to write side by side.

use core::marker::PhantomData;
use core::slice;

/// Some neighbouring columns of rows that lie `pitch` elements apart: a piece of each row. Columns
/// that have been split from each other can be written by different threads.
#[derive(Debug)]
pub struct Columns<'a, T> {
    /// The first element of the first row.
    first: *mut T,
    /// The elements of the table from there on.
    length: usize,
    rows: usize,
    pitch: usize,
    width: usize,
    table: PhantomData<&'a mut [T]>,
}

// SAFETY: as a mutable slice, they are the only way to the elements of their rows: `new` finds that
// no two rows share any, and `split_at` gives each to one side.
unsafe impl<T: Send> Send for Columns<'_, T> {}

impl<'a, T> Columns<'a, T> {
    /// The first `width` elements of each row; rows start at multiples of `pitch`. `None` if rows
    /// overlap, or the last one ends outside the table.
    #[inline]
    #[must_use]
    pub fn new(
        table: &'a mut [T],
        rows: usize,
        pitch: usize,
        width: usize,
    ) -> Option<Columns<'a, T>> {
        let end = rows.checked_sub(1)?.checked_mul(pitch)?.checked_add(width)?;
        (width <= pitch && end <= table.len()).then_some(Columns {
            first: table.as_mut_ptr(),
            length: table.len(),
            rows,
            pitch,
            width,
            table: PhantomData,
        })
    }

    /// The first `width` columns, and the others.
    #[inline]
    #[must_use]
    pub fn split_at(self, width: usize) -> (Columns<'a, T>, Columns<'a, T>) {
        let width = width.min(self.width);
        // No row of one has an element of the other.
        let (length, rest) = (self.length.saturating_sub(width), self.width.saturating_sub(width));
        let others = Columns { first: self.first.wrapping_add(width), length, width: rest, ..self };
        (Columns { width, ..self }, others)
    }

    /// A row; an empty one if there are fewer.
    #[inline(always)]
    #[must_use]
    pub fn row(&mut self, row: usize) -> &mut [T] {
        let start = row.saturating_mul(self.pitch);
        if row >= self.rows || start.saturating_add(self.width) > self.length {
            return &mut [];
        }
        // SAFETY: the row ends inside the table, as was found above, which is borrowed for as long.
        // No other columns have its elements, and the borrow of these ends that of the row before.
        unsafe { slice::from_raw_parts_mut(self.first.wrapping_add(start), self.width) }
    }
}
