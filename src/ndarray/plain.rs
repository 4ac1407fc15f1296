//! Calls of few entries, on tensors in row-major order without gaps, run in plain loops: to make
//! layouts and a plan takes longer than such a call.

use ::ndarray::{ArrayRef, Dimension};

use super::{Fixed, Kind, Operator};
use crate::element::Element;
use crate::index::{Bounds, Index, Negative, resolve};
use crate::layout::MAX_RANK;
use crate::reduction::{Call, Reduction};

/// Indices: calls of at most this many run here.
///
/// Record: f32 by i64 on Zen 4, gathered, set, added and `Max`, 1 to 16 singles 0.23x to 0.37x, 128
/// 0.52x to 0.72x.
const FEW: usize = if cfg!(fuzzing) { 8 } else { 128 };

/// Rows that such a call moves, if they have more elements than one.
///
/// Record: as at [`FEW`], 64 rows of 4 0.47x to 0.75x.
const FEW_ROWS: usize = 64;

/// Bytes that such a call moves, at most.
///
/// Record: as at [`FEW`], 16 rows of 32 0.4x to 0.6x, 64 of 16 0.57x to 0.65x, but `Max` 1.14x,
/// of 32 1.34x.
const BYTES: usize = 4 << 10;

/// What such a call does: `before` times, all entries choose rows of a part of the table.
pub(super) struct Plain<'a, I> {
    before: usize,
    /// The indices of a step, and of all where steps do not share them.
    indices: &'a [I],
    count: usize,
    /// The sizes of the axes that a tuple chooses from.
    axes: &'a [usize],
    row: usize,
    negative: Negative,
}

impl Operator {
    /// The call, on elements of `element` bytes. `None`: it is no such call, or fails.
    pub(super) fn plain<'a, I: Index, E: Dimension>(
        self,
        element: usize,
        table: &'a [usize],
        indices: &'a ArrayRef<I, E>,
        flat: &[usize],
    ) -> Option<Plain<'a, I>> {
        let shape = indices.shape();
        let fits = table.len().max(shape.len()).max(flat.len()) <= MAX_RANK;
        let few = fits && indices.len() <= FEW && matches!(self.bounds, Bounds::Error);
        let indices = indices.as_slice().filter(|indices| few && !indices.is_empty())?;
        // The dimensions before the axes, how many these are, and the dimensions of the entries.
        let (first, tuple, (own, entries)) = match self.kind.of(table.len()) {
            Fixed::Axis(axis) => (axis, 1, (&[][..], shape)),
            Fixed::Elements(axis) => (axis, 1, shape.split_at_checked(axis)?),
            Fixed::Nd(batch_dims) => {
                let (tuple, tuples) = shape.split_last()?;
                (batch_dims, *tuple, tuples.split_at_checked(batch_dims)?)
            }
        };
        let (before, rest) = table.split_at_checked(first)?;
        let (axes, row) = rest.split_at_checked(tuple)?;
        let (flat_before, flat) = flat.split_at_checked(first)?;
        let (flat_entries, flat_row) = flat.split_at_checked(entries.len())?;
        let same = flat_before == before && flat_entries == entries && flat_row == row;
        // Elements choose single ones, along the last axis, and have as many axes as the table.
        let single = row.is_empty() && entries.len() == 1;
        let rows = single || !matches!(self.kind, Kind::Elements(_));
        if !same || !rows || axes.is_empty() || !(own.is_empty() || own == before) {
            return None;
        }
        let product = |sizes: &[usize]| sizes.iter().product::<usize>();
        let (before, row) = (product(before), product(row));
        let count = product(entries) * tuple;
        let rows = before * product(entries);
        let bytes = (rows * row).saturating_mul(element);
        let few = rows * row > 0 && (row == 1 || rows <= FEW_ROWS) && bytes <= BYTES;
        few.then_some(Plain { before, indices, count, axes, row, negative: self.negative })
    }
}

impl<I: Index> Plain<'_, I> {
    /// `output[flat] = input[place]`. `false`: an index is out of bounds.
    pub(super) fn gather<T: Copy>(&self, input: &[T], output: &mut [T]) -> bool {
        let n = self.row;
        if n == 1 {
            return self.each(1, |place, flat| {
                if let (Some(to), Some(from)) = (output.get_mut(flat), input.get(place)) {
                    *to = *from;
                }
            });
        }
        self.each(n, |place, flat| {
            let to = output.get_mut(flat..).and_then(|to| to.get_mut(..n));
            let from = input.get(place..).and_then(|from| from.get(..n));
            if let (Some(to), Some(from)) = (to, from) {
                to.copy_from_slice(from);
            }
        })
    }

    /// `data[place] = reduction(data[place], updates[flat])`. `false`: an index is out of bounds,
    /// and the data is as it was.
    pub(super) fn scatter<T: Element, R: Reduction<T>>(
        &self,
        reduction: &R,
        data: &mut [T],
        updates: &[T],
    ) -> bool {
        self.all_inside() && reduction.call(Scattered { plain: self, data, updates })
    }

    /// Whether all indices are on their axes. There is no branch for each, so that many are looked
    /// at together.
    fn all_inside(&self) -> bool {
        let inside = |index: &I, size: &usize| {
            resolve(*index, *size, Bounds::Error, self.negative).is_some()
        };
        if let [size] = self.axes {
            return self.indices.iter().fold(true, |all, index| all & inside(index, size));
        }
        let mut tuples = self.indices.chunks_exact(self.axes.len());
        tuples.all(|tuple| tuple.iter().zip(self.axes).all(|(index, size)| inside(index, size)))
    }

    /// Visits the places of all rows in the table and in the flat tensor, in order. The length of a
    /// row is known to the compiler where it is 1. `false`: it stopped at an index that is out of
    /// bounds.
    #[inline(always)]
    fn each(&self, row: usize, mut visit: impl FnMut(usize, usize)) -> bool {
        let Plain { before, indices, count, axes, negative, .. } = *self;
        let part = axes.iter().fold(row, |part, size| part.wrapping_mul(*size));
        let shared = indices.len() == count;
        let (mut table, mut flat, mut rest) = (0_usize, 0_usize, indices);
        let find = |index: &I, size: usize| resolve(*index, size, Bounds::Error, negative);
        for _ in 0..before {
            let (indices, others) = rest.split_at_checked(count).unwrap_or_default();
            rest = if shared { rest } else { others };
            let mut next = |cell: Option<usize>| {
                let Some(cell) = cell else { return false };
                visit(table.wrapping_add(cell.wrapping_mul(row)), flat);
                flat = flat.wrapping_add(row);
                true
            };
            let inside = if let [size] = axes {
                indices.iter().all(|index| next(find(index, *size)))
            } else {
                let mut tuples =
                    indices.chunks_exact(axes.len()).map(|tuple| tuple.iter().zip(axes));
                tuples.all(|mut tuple| {
                    next(tuple.try_fold(0_usize, |cell, (index, size)| {
                        Some(cell.wrapping_mul(*size).wrapping_add(find(index, *size)?))
                    }))
                })
            };
            if !inside {
                return false;
            }
            table = table.wrapping_add(part);
        }
        true
    }
}

/// A scatter whose indices are all in bounds, for a reduction of any type.
struct Scattered<'a, I, T> {
    plain: &'a Plain<'a, I>,
    data: &'a mut [T],
    updates: &'a [T],
}

impl<I: Index, T: Element> Call<T> for Scattered<'_, I, T> {
    type Output = bool;

    fn with<R: Reduction<T>>(self, reduction: &R) -> bool {
        let Scattered { plain, data, updates } = self;
        let n = plain.row;
        if n == 1 {
            return plain.each(1, |place, flat| {
                if let (Some(to), Some(update)) = (data.get_mut(place), updates.get(flat)) {
                    *to = reduction.combine(*to, *update);
                }
            });
        }
        plain.each(n, |place, flat| {
            let data = data.get_mut(place..).and_then(|data| data.get_mut(..n));
            let updates = updates.get(flat..).and_then(|updates| updates.get(..n));
            if let (Some(data), Some(updates)) = (data, updates) {
                reduction.combine_row(data, updates);
            }
        })
    }
}
