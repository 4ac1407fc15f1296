//! The plan of a bag, and where its entries lead.

use core::ops::Range;

use crate::index::sealed::Value;
use crate::index::{Bounds, Negative, resolve};
use crate::indices::sealed::Places;
use crate::plan::{Coordinate, Plan, Start};

/// No position is that of the padding.
pub(crate) const NO_PADDING: usize = usize::MAX;

/// The plan of a bag: [`Plan::bag`], and what is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct BagPlan {
    pub plan: Plan,
    /// The number of entries of the indices.
    pub entries: usize,
    /// The number of bags, and the distance between them in the output.
    pub bags: usize,
    pub stride: isize,
    /// The position whose entries are left out.
    pub padding: usize,
    /// Whether an empty bag leaves the output as it is.
    pub keep: bool,
}

impl BagPlan {
    /// The position of the first element of a bag in the output.
    #[inline(always)]
    pub(crate) fn place(&self, bag: usize) -> usize {
        self.plan.start.flat.wrapping_add(bag.wrapping_mul(self.stride as usize))
    }

    /// How far a bag reaches below its first element in the output. `None`: bags do not follow each
    /// other there.
    #[cfg(feature = "rayon")]
    pub(crate) fn below_bags(&self) -> Option<usize> {
        let (mut below, mut above) = (0_usize, 0_usize);
        for dim in self.plan.inner() {
            let reach = dim.size.saturating_sub(1).saturating_mul(dim.flat.unsigned_abs());
            let side = if dim.flat < 0 { &mut below } else { &mut above };
            *side = side.saturating_add(reach);
        }
        let span = isize::try_from(below.saturating_add(above)).ok()?;
        (self.stride > span).then_some(below)
    }

    /// The elements of a row that are neighbours in the table.
    #[cfg(feature = "std")]
    #[inline(always)]
    pub(crate) fn neighbours(&self) -> usize {
        let lane = self.plan.inner().last().filter(|lane| lane.table == 1);
        lane.map_or(1, |dim| dim.size)
    }

    /// The plan of the indices of some entries alone, for a check of them.
    pub(crate) fn part(&self, entries: &Range<usize>) -> Plan {
        let mut plan = self.plan;
        plan.start.indices = Place::of(self).position(entries.start);
        if let Some(dim) = plan.dims.first_mut()
            && plan.outer > 0
        {
            dim.size = entries.len();
        }
        plan
    }
}

/// What entries need of a plan, at hand: a plan behind a reference would be read anew for each of
/// them. (Firmware has it as a constant.)
#[derive(Clone, Copy)]
pub(crate) struct Place {
    start: Start,
    /// The distance between entries in the indices.
    step: usize,
    axis: Coordinate,
    padding: usize,
    bounds: Bounds,
    negative: Negative,
}

const NO_AXIS: Coordinate = Coordinate { size: 0, table: 0, cell: 0 };

impl Place {
    #[inline(always)]
    pub(crate) fn of(BagPlan { plan, padding, .. }: &BagPlan) -> Place {
        Place {
            start: plan.start,
            step: plan.outer().first().map_or(0, |dim| dim.indices) as usize,
            axis: plan.coordinates().first().copied().unwrap_or(NO_AXIS),
            padding: *padding,
            bounds: plan.bounds,
            negative: plan.negative,
        }
    }

    /// The position of an entry in the indices.
    #[inline(always)]
    fn position(&self, entry: usize) -> usize {
        self.start.indices.wrapping_add(entry.wrapping_mul(self.step))
    }

    /// The address of the first element of the row that an entry leads to. `None`: the entry is
    /// left out.
    #[inline(always)]
    pub(crate) fn at<S: Places>(&self, indices: S, entry: usize) -> Option<usize> {
        let Place { start, axis, padding, bounds, negative, .. } = *self;
        let Coordinate { size, table, .. } = axis;
        let index = indices.get(self.position(entry))?;
        let position = match bounds {
            Bounds::Error => S::Index::proven_position(index, size),
            bounds => resolve(index, size, bounds, negative)?,
        };
        let row = position.wrapping_mul(table as usize);
        (position != padding).then_some(start.table.wrapping_add(row))
    }
}
