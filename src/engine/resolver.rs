//! Resolve: from indices to addresses, for an index type that the other stages do not know.

use strew_simd::{Axes, Axis, NOWHERE, Outside, Path, Tuples};

use crate::index::{Bounds, Negative};
use crate::indices::sealed::Places;
use crate::layout::MAX_RANK;
use crate::plan::{Coordinate, Plan};
use crate::walk::{self, Position};

/// The indices of a call.
pub(crate) trait Resolver: Sync {
    /// Sets the addresses of tuples, and says whether all indices are on their axes, or have moved
    /// there. The others get no address: see [`Outside`].
    fn resolve(&self, path: Path, tuples: &Tuples, axes: &Axes<'_>, to: &mut [u32]) -> bool;

    /// All indices as bytes, where they are one slice, and the bytes of each, for prefetches.
    fn bytes(&self) -> (&[u8], usize);

    /// The position of one index. `None`: it has none, does not count, or lies outside the slice.
    fn position(&self, plan: &Plan, place: usize, size: usize) -> Option<usize>;

    /// Whether the entry at a place counts.
    fn counts(&self, plan: &Plan, place: usize) -> bool;
}

impl<S: Places> Resolver for S {
    fn resolve(&self, path: Path, tuples: &Tuples, axes: &Axes<'_>, to: &mut [u32]) -> bool {
        Places::resolve(*self, path, tuples, axes, to)
    }

    fn bytes(&self) -> (&[u8], usize) {
        (Places::bytes(self), self.width())
    }

    fn position(&self, plan: &Plan, place: usize, size: usize) -> Option<usize> {
        plan.position(*self, place, size)
    }

    fn counts(&self, plan: &Plan, place: usize) -> bool {
        walk::counts(plan, *self, place)
    }
}

/// No indices: the plan of a copy.
pub(crate) struct NoIndices;

impl Resolver for NoIndices {
    fn resolve(&self, _: Path, _: &Tuples, axes: &Axes<'_>, to: &mut [u32]) -> bool {
        to.fill(axes.first);
        true
    }

    fn bytes(&self) -> (&[u8], usize) {
        (&[], 0)
    }

    fn position(&self, _: &Plan, _: usize, _: usize) -> Option<usize> {
        None
    }

    fn counts(&self, _: &Plan, _: usize) -> bool {
        true
    }
}

/// Sets the axes of a plan whose [addresses fit](Plan::addresses_fit), and returns the address of a
/// tuple of zeros. Where strides are negative, it is so large that no partial sum is below 0.
#[inline(never)]
pub(crate) fn set_axes(plan: &Plan, axes: &mut [Axis; MAX_RANK]) -> usize {
    let mut first = 0_usize;
    for (to, axis) in axes.iter_mut().zip(plan.coordinates()) {
        let size = axis.size as u32;
        let from_end = if matches!(plan.negative, Negative::FromEnd) { size } else { 0 };
        *to = Axis { size, from_end, stride: axis.table as u32 };
        first = first.wrapping_add(lowest(axis));
    }
    first
}

/// [`Resolver::resolve`] index by index, for what kernels do not do: places of rings, and
/// remainders of indices of more than 32 bits. Only entries at [`NOWHERE`] are looked at.
#[cold]
pub(crate) fn one_by_one(
    plan: &Plan,
    resolver: &dyn Resolver,
    tuples: &Tuples,
    axes: &Axes<'_>,
    to: &mut [u32],
) -> bool {
    let (mut start, mut all) = (tuples.start, true);
    for to in to.chunks_mut(tuples.length.max(1)) {
        let mut at = start;
        for to in to {
            if *to != NOWHERE {
                at = at.wrapping_add_signed(tuples.step);
                continue;
            }
            let from_zero = Position { indices: at, ..Position::default() };
            let address = reach(plan, resolver, &from_zero);
            all &= address.is_some() || !resolver.counts(plan, at);
            *to = address.map_or(NOWHERE, |address| axes.first.wrapping_add(address as u32));
            at = at.wrapping_add_signed(tuples.step);
        }
        start = start.wrapping_add_signed(tuples.lane_step);
    }
    all
}

/// What the kernels do with an index that is not on its axis.
pub(crate) fn outside(bounds: Bounds) -> Outside {
    match bounds {
        Bounds::Clamp => Outside::Clamp,
        Bounds::Wrap => Outside::Wrap,
        Bounds::Error | Bounds::Skip => Outside::Nowhere,
    }
}

/// How far below its first position an axis leads.
fn lowest(axis: &Coordinate) -> usize {
    if axis.table >= 0 {
        return 0;
    }
    axis.size.saturating_sub(1).wrapping_mul(axis.table.unsigned_abs())
}

/// Where the tuple of an entry leads, in a table of any length.
pub(crate) fn reach(plan: &Plan, resolver: &dyn Resolver, at: &Position) -> Option<usize> {
    let (mut table, mut place) = (at.table, at.indices);
    for axis in plan.coordinates() {
        let position = resolver.position(plan, place, axis.size)?;
        table = table.wrapping_add(position.wrapping_mul(axis.table as usize));
        place = place.wrapping_add_signed(plan.tuple_stride);
    }
    Some(table)
}
