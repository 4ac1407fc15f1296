//! Legal: what every route must be, whatever the thresholds are. Tests and fuzzers hold each to it.

use strew_simd::Machine;

use crate::engine::route::{Alone, Call, Effect, Order, Proof, Route, Split};
use crate::engine::tuning;
use crate::error::Direction;
use crate::index::Bounds;
use crate::plan::{Dim, Plan};

/// Fails if a route would break a guarantee, or a stage could not take it.
#[track_caller]
#[allow(clippy::panic)] // No user's program has it.
pub(crate) fn check(route: &Route, plan: &Plan, call: &Call, machine: &Machine) {
    let broken = [
        ("proof", !proof(route, plan, call)),
        ("split", !split(route, plan, call)),
        ("tile", !tile(route, plan, call, machine)),
        ("copies", !copies(route, plan, call)),
        ("rows", route.rows != (plan.row() != 1)),
        ("order", !order(route, plan, call)),
        ("runs", route.runs && (plan.pieces().is_empty() || route.tile.is_some())),
        ("prefetch", (route.distance > 0 || route.segment > 0) && !machine.prefetches),
        // They are found in what the lane that follows reads.
        ("segment", route.segment > 0 && (plan.row() != 1 || plan.outer < 2)),
        // What is combined is read.
        ("stores", route.streams && !matches!(call.effect, Effect::Assign)),
    ];
    if let Some((what, _)) = broken.into_iter().find(|(_, is_broken)| *is_broken) {
        panic!("{what}: {route:?} of {plan:?}, {call:?} on {machine:?}");
    }
}

/// What comes first, or last, is there.
fn order(route: &Route, plan: &Plan, call: &Call) -> bool {
    let pieces = plan.pieces().len();
    let orders = match route.order {
        Order::Entries => true,
        Order::Pieces { dimensions } => (1..=pieces).contains(&dimensions),
        Order::EachEntry => pieces > 0,
        Order::Across { entries } => {
            pieces == 0 && plan.has_groups() && keeps_places(plan, call, entries)
        }
    };
    orders && (tuning::BLOCK_OF_PIECES..=tuning::BLOCK).contains(&route.block)
}

/// Entries of one place keep their order if those of different bundles change places. A bundle has
/// these entries: those of the last dimensions, two or more. (Of one step, a dimension may count
/// as one more of them.)
fn keeps_places(plan: &Plan, call: &Call, entries: usize) -> bool {
    let shared = |dims: &[Dim]| dims.iter().any(|dim| dim.size > 1 && dim.table == 0);
    let split = |before| plan.outer().split_at_checked(before);
    let mut splits = (1..plan.outer.saturating_sub(1)).filter_map(split);
    let bundle =
        splits.find(|(_, bundle)| bundle.iter().map(|dim| dim.size).product::<usize>() == entries);
    let apart = bundle.is_some_and(|(others, bundle)| !shared(others) || !shared(bundle));
    let orders = apart || !scatters(call);
    bundle.is_some() && !matches!(call.effect, Effect::Call) && orders
}

fn scatters(call: &Call) -> bool {
    matches!(call.direction, Direction::Scatter)
}

/// Nothing is written by a scatter, nor by a gather at a bad index or after it, before that is
/// known.
fn proof(route: &Route, plan: &Plan, call: &Call) -> bool {
    let serial = matches!(route.split, Split::Serial(_));
    let along_piece = matches!(route.split, Split::Chunks { dim, .. } if dim >= plan.outer);
    match route.proof {
        Proof::Unneeded => call.proven || !matches!(plan.bounds, Bounds::Error),
        // Chunks along a piece have all entries.
        Proof::Blocks if route.tile.is_some() => false,
        Proof::Blocks if plan.is_one_block() && (serial || along_piece) => {
            !call.proven_first && (!scatters(call) || route.block >= plan.entries())
        }
        Proof::Blocks => {
            !scatters(call) && !call.proven_first && (serial || takes_turns(route, plan))
        }
        Proof::Scan => true,
        // Tiles have addresses of their own.
        Proof::Keep => plan.entries() <= tuning::KEPT && route.tile.is_none(),
        Proof::Copy => {
            let may_run_first = !matches!(call.effect, Effect::Call);
            let alone = serial && (route.tile.is_none() || route.copies > 1);
            scatters(call) && may_run_first && (alone || has_tables(route))
        }
    }
}

/// Chunks in the order of the entries, of which each keeps its addresses until its turn.
fn takes_turns(route: &Route, plan: &Plan) -> bool {
    let Split::Chunks { dim: 0, number } = route.split else { return false };
    let steps = plan.outer().first().map_or(1, |dim| dim.size);
    let longest = steps.div_ceil(number.max(1)).saturating_mul(plan.entries() / steps.max(1));
    longest <= tuning::KEPT_CHUNK
}

/// Each part of what is written belongs to one thread.
fn split(route: &Route, plan: &Plan, call: &Call) -> bool {
    match route.split {
        Split::Serial(Alone::OneThread) => call.threads < 2,
        Split::Serial(_) => call.threads >= 2,
        Split::Chunks { dim, number } => {
            let steps = plan.outer().iter().chain(plan.inner()).nth(dim).map_or(0, |dim| dim.size);
            (2..=steps).contains(&number) && call.threads >= 2
        }
        Split::Tiles { number } => {
            scatters(call) && route.tile.is_some() && number == call.threads && number >= 2
        }
        Split::Tables { number } => {
            let steps = plan.outer().first().map_or(1, |dim| dim.size);
            free(plan, call) && number == call.threads && (2..=steps).contains(&number)
        }
        Split::Parts { pitch, number } => {
            let alone = plan.pitch().is_some_and(|all| pitch > 0 && all.is_multiple_of(pitch));
            scatters(call) && alone && pitch >= plan.row() && (2..=call.threads).contains(&number)
        }
    }
}

/// Entries are spread over copies of single elements, which are merged when all are proven.
fn copies(route: &Route, plan: &Plan, call: &Call) -> bool {
    let alone = matches!(route.split, Split::Serial(_)) || has_tables(route);
    let proves = matches!(route.proof, Proof::Copy);
    match route.copies {
        1 => proves || !has_tables(route),
        tuning::COPIES => alone && proves && free(plan, call) && plan.row() == 1,
        _ => false,
    }
}

/// Whether each thread changes a table of its own.
fn has_tables(route: &Route) -> bool {
    matches!(route.split, Split::Tables { .. })
}

/// Whether the order of updates is nothing to what they change.
fn free(plan: &Plan, call: &Call) -> bool {
    scatters(call) && matches!(call.effect, Effect::Free) && plan.pieces().is_empty()
}

/// A tile has some columns of a table of single elements, and stays in L2.
fn tile(route: &Route, plan: &Plan, call: &Call, machine: &Machine) -> bool {
    let Some(width) = route.tile else { return true };
    let ([.., lane], [axis], 1) = (plan.outer(), plan.coordinates(), plan.row()) else {
        return false;
    };
    let bytes = width.saturating_mul(axis.size).saturating_mul(call.element);
    (1..=lane.size).contains(&width)
        && bytes <= tuning::tile(machine)
        && axis.table >= lane.size as isize
        && plan.pieces().is_empty()
}
