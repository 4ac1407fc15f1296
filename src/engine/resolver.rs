//! Resolve: from indices to addresses, for an index type that the other stages do not know.

use strew_simd::{Axis, NOWHERE, Outside, Path, Tuples};

use crate::index::{Bounds, Index, Negative};
use crate::layout::MAX_RANK;
use crate::plan::{Coordinate, Plan};

/// Where tuples lie in the indices: some lanes.
#[derive(Clone, Copy)]
pub(crate) struct Lane {
    /// The place of the first coordinate.
    pub start: usize,
    /// The distance between tuples.
    pub step: isize,
    /// The number of tuples of a lane, and the distance between lanes.
    pub length: usize,
    pub lane_step: isize,
    /// The distance from a lane to the one that is prefetched; 0: none.
    pub next: isize,
}

/// The indices of a call.
pub(crate) trait Resolver: Sync {
    /// Sets the addresses of the tuples of a lane, and says whether all indices are on their axes.
    /// The others get no address, or the nearest under `Clamp`.
    fn lane(&self, path: Path, axes: &Axes, lane: Lane, to: &mut [u32]) -> bool;

    /// Some indices as bytes, as far as they lie in the slice, for prefetches.
    fn bytes(&self, start: usize, count: usize) -> &[u8];

    /// The position of one index. `None`: it has none, or lies outside the slice.
    fn position(&self, plan: &Plan, place: usize, size: usize) -> Option<usize>;
}

impl<I: Index> Resolver for &[I] {
    fn lane(&self, path: Path, axes: &Axes, lane: Lane, to: &mut [u32]) -> bool {
        let Lane { start, step, length, lane_step, next } = lane;
        let coordinate_step = axes.step;
        let tuples =
            Tuples { indices: self, start, step, coordinate_step, length, lane_step, next };
        I::RESOLVE(path, tuples, axes.all(), axes.first, axes.outside(), to)
    }

    fn bytes(&self, start: usize, count: usize) -> &[u8] {
        let rest = self.get(start..).unwrap_or_default();
        bytemuck::cast_slice(rest.get(..count).unwrap_or(rest))
    }

    fn position(&self, plan: &Plan, place: usize, size: usize) -> Option<usize> {
        plan.position(self, place, size)
    }
}

/// No indices: the plan of a copy.
pub(crate) struct NoIndices;

impl Resolver for NoIndices {
    fn lane(&self, _: Path, axes: &Axes, _: Lane, to: &mut [u32]) -> bool {
        to.fill(axes.first);
        true
    }

    fn bytes(&self, _: usize, _: usize) -> &[u8] {
        &[]
    }

    fn position(&self, _: &Plan, _: usize, _: usize) -> Option<usize> {
        None
    }
}

/// The axes of a plan, as the kernels take them.
pub(crate) struct Axes {
    axes: [Axis; MAX_RANK],
    count: usize,
    /// The distance between the coordinates of a tuple.
    step: isize,
    pub bounds: Bounds,
    /// What addresses start from: enough that no partial sum is negative, where strides are.
    first: u32,
    /// The place in the table from which addresses count, before the outer dimensions are added.
    pub base: usize,
}

impl Axes {
    /// For a plan whose [addresses fit](Plan::addresses_fit).
    pub(crate) fn of(plan: &Plan) -> Axes {
        let mut axes = [Axis::default(); MAX_RANK];
        let mut first = 0_usize;
        for (to, axis) in axes.iter_mut().zip(plan.coordinates()) {
            let size = axis.size as u32;
            let from_end = if matches!(plan.negative, Negative::FromEnd) { size } else { 0 };
            *to = Axis { size, from_end, stride: axis.table as u32 };
            first = first.wrapping_add(lowest(axis));
        }
        Axes {
            axes,
            count: plan.tuple,
            step: plan.tuple_stride,
            bounds: plan.bounds,
            first: first as u32,
            base: plan.start.table.wrapping_sub(first),
        }
    }

    fn all(&self) -> &[Axis] {
        self.axes.get(..self.count).unwrap_or_default()
    }

    fn outside(&self) -> Outside {
        if matches!(self.bounds, Bounds::Clamp) { Outside::Clamp } else { Outside::Nowhere }
    }

    /// [`Resolver::lane`] index by index: division does not come in vectors.
    #[cold]
    pub(crate) fn one_by_one(
        &self,
        plan: &Plan,
        resolver: &dyn Resolver,
        lane: Lane,
        to: &mut [u32],
    ) -> bool {
        let (mut start, mut all) = (lane.start, true);
        for to in to.chunks_mut(lane.length.max(1)) {
            let mut at = start;
            for to in to {
                let strides = self.all().iter().map(|axis| axis.stride);
                let address = locate(plan, resolver, at, strides);
                all &= address.is_some();
                *to = address.map_or(NOWHERE, |address| self.first.wrapping_add(address));
                at = at.wrapping_add_signed(lane.step);
            }
            start = start.wrapping_add_signed(lane.lane_step);
        }
        all
    }
}

/// How far below its first position an axis leads.
fn lowest(axis: &Coordinate) -> usize {
    if axis.table >= 0 {
        return 0;
    }
    axis.size.saturating_sub(1).wrapping_mul(axis.table.unsigned_abs())
}

/// What the tuple at a place adds to an address, modulo 2^32.
fn locate(
    plan: &Plan,
    resolver: &dyn Resolver,
    mut place: usize,
    strides: impl Iterator<Item = u32>,
) -> Option<u32> {
    let mut address = 0_u32;
    for (coordinate, stride) in plan.coordinates().iter().zip(strides) {
        let position = resolver.position(plan, place, coordinate.size)?;
        address = address.wrapping_add((position as u32).wrapping_mul(stride));
        place = place.wrapping_add_signed(plan.tuple_stride);
    }
    Some(address)
}
