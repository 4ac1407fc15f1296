//! Tuples without gaps: lanes of indices are walked as slices of arrays.

use crate::index::sealed::Value;
use crate::index::{Bounds, Negative, resolve};
use crate::plan::{Coordinate, Dim, Plan};
use crate::walk::{Odometer, Position};

/// What moves for the tuples of a lane.
pub(crate) trait PackedMover {
    /// Moves one element for each tuple, between its address in the table and neighbours of the
    /// flat tensor. `None`: stopped at a tuple without an address.
    fn elements<I: Value, const K: usize, const PROVEN: bool>(
        &mut self,
        flat: usize,
        tuples: &[[I; K]],
        addresses: Addresses<K, PROVEN>,
    ) -> Option<()>;

    /// The same for rows of `n` elements. Without a method of its own, a mover takes each row for
    /// one element.
    #[inline(always)]
    fn rows<I: Value, const K: usize, const PROVEN: bool>(
        &mut self,
        flat: usize,
        _n: usize,
        tuples: &[[I; K]],
        addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        self.elements(flat, tuples, addresses)
    }
}

/// Packed tuples of `K` coordinates, which move packed rows of `n` elements.
#[inline(always)]
pub(crate) fn packed<I: Value, const K: usize, const PROVEN: bool>(
    plan: &Plan,
    (lane, outer): (&Dim, &[Dim]),
    indices: &[I],
    n: usize,
    mut mover: impl PackedMover,
) -> bool {
    let length = lane.size.wrapping_mul(K);
    let coordinates = plan.coordinate_array::<K>();
    let mut start = Position::first(plan);
    let mut odometer = Odometer::new();
    loop {
        let Some(tuples) = indices.get(start.indices..start.indices.wrapping_add(length)) else {
            return false;
        };
        let tuples = tuples.as_chunks::<K>().0;
        let addresses = Addresses::<K, PROVEN> {
            coordinates,
            bounds: plan.bounds,
            negative: plan.negative,
            first: start.table,
            step: lane.table,
        };
        let moved = if n == 1 {
            mover.elements(start.flat, tuples, addresses)
        } else {
            mover.rows(start.flat, n, tuples, addresses)
        };
        if moved.is_none() || outer.is_empty() || !odometer.step(outer, &mut start) {
            return moved.is_some();
        }
    }
}

/// An address outside every slice: what [`Bounds::Skip`] makes of an entry. Nothing moves there.
const NOWHERE: usize = usize::MAX;

/// Resolves the tuples of a lane to addresses of the table.
#[derive(Clone)]
pub(crate) struct Addresses<const K: usize, const PROVEN: bool> {
    pub coordinates: [Coordinate; K],
    pub bounds: Bounds,
    pub negative: Negative,
    pub first: usize,
    pub step: isize,
}

impl<const K: usize, const PROVEN: bool> Addresses<K, PROVEN> {
    /// Whether all coordinates are in bounds. No axis of a packed plan is too long for this to be
    /// exact.
    #[inline(always)]
    pub(crate) fn check<I: Value>(&self, tuple: &[I; K]) -> bool {
        tuple
            .iter()
            .zip(&self.coordinates)
            .all(|(index, coordinate)| I::is_inside(*index, coordinate.size, self.negative))
    }

    /// The address of the next tuple. `None`: it is out of bounds under `Bounds::Error`.
    #[inline(always)]
    pub(crate) fn next<I: Value>(&mut self, tuple: &[I; K]) -> Option<usize> {
        let mut address = self.first;
        self.first = self.first.wrapping_add_signed(self.step);
        for (index, coordinate) in tuple.iter().zip(&self.coordinates) {
            let position = if PROVEN && matches!(self.bounds, Bounds::Error) {
                Some(I::proven_position(*index, coordinate.size))
            } else {
                resolve(*index, coordinate.size, self.bounds, self.negative)
            };
            match position {
                Some(position) => {
                    address = address.wrapping_add(position.wrapping_mul(coordinate.table as usize))
                }
                None if matches!(self.bounds, Bounds::Error) => return None,
                None => return Some(NOWHERE),
            }
        }
        Some(address)
    }
}

impl Plan {
    /// The coordinates of a tuple of `K`.
    #[inline(always)]
    pub(crate) fn coordinate_array<const K: usize>(&self) -> [Coordinate; K] {
        self.coordinates
            .first_chunk()
            .copied()
            .unwrap_or([Coordinate { size: 0, table: 0, cell: 0 }; K])
    }
}
