//! Tile: some columns of the table at a time, on a contiguous copy that stays in L2.
//!
//! In `elements`, axis 0 of [4096, 1024] takes 0.5x, gather and scatter.

use crate::engine::movers::{Job, Tile, Way};
use crate::engine::resolver::Resolver;
use crate::engine::route::Route;
use crate::engine::traverse::traverse;
use crate::plan::Plan;
use crate::walk::{Odometer, Position};

/// Moves tile by tile, or all at once. `false`: an index is out of bounds under `Bounds::Error`.
pub(crate) fn run(
    plan: &Plan,
    route: &Route,
    way: &Way,
    resolver: &dyn Resolver,
    job: &mut dyn Job,
) -> bool {
    let mut inside = true;
    let Some(width) = route.tile else {
        job.session(&mut |mover| inside = traverse(plan, way, resolver, mover));
        return inside;
    };
    each_table(plan, |at, whole, columns| {
        for column in (0..columns).step_by(width) {
            let width = width.min(columns - column);
            let plan = plan.on_tile(at, column, width);
            let tile = Tile { start: whole.start.wrapping_add(column), width, ..whole };
            job.tile(&tile, &mut |mover| {
                inside &= traverse(&plan, way, resolver, mover);
            });
        }
    });
    inside
}

/// Visits each table of which tiles are made: its place, all of it as a tile, and its columns.
pub(crate) fn each_table(plan: &Plan, mut visit: impl FnMut(&Position, Tile, usize)) {
    let ([rest @ .., _, lane], [axis]) = (plan.outer(), plan.coordinates()) else { return };
    let (mut at, mut odometer) = (Position::first(plan), Odometer::new());
    loop {
        let (rows, pitch) = (axis.size, axis.table as usize);
        visit(&at, Tile { start: at.table, rows, pitch, width: lane.size }, lane.size);
        if rest.is_empty() || !odometer.step(rest, &mut at) {
            return;
        }
    }
}
