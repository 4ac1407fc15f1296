//! Prove: all indices are in bounds before a scatter changes its data, and those of a block before
//! a gather moves it. The route says in which way.

use strew_simd::Path;

use crate::engine::movers::{Job, Mover, Way};
use crate::engine::resolver::Resolver;
use crate::engine::route::{Proof, Route};
use crate::engine::tile;
use crate::engine::traverse::{
    Kept, base_of_kept, check, check_wide, keep, traverse, traverse_kept,
};
use crate::index::Bounds;
use crate::plan::Plan;

/// Proves and moves, on one thread. `false`: an index is out of bounds under `Bounds::Error`.
pub(crate) fn run(
    plan: &Plan,
    route: &Route,
    way: &Way,
    resolver: &dyn Resolver,
    job: &mut dyn Job,
) -> bool {
    match route.proof {
        Proof::Copy => {
            let mut run = |mover: &mut dyn Mover| traverse(plan, way, resolver, mover);
            if let Some(inside) = job.speculate(&mut run) {
                return inside;
            }
        }
        Proof::Keep => match kept(plan, way.path, resolver) {
            Some(Ok(addresses)) => {
                job.begin();
                run_kept(plan, way, &addresses, job);
                return true;
            }
            Some(Err(OutOfBounds)) => return false,
            None => {}
        },
        Proof::Unneeded | Proof::Blocks | Proof::Scan => {}
    }
    // All indices are looked at, and once more with the moves, also where there is no memory for a
    // copy or for addresses.
    let first = !matches!(route.proof, Proof::Unneeded | Proof::Blocks);
    (!first || check(plan, way.path, resolver)) && {
        job.begin();
        tile::run(plan, route, way, resolver, job)
    }
}

/// An index is out of bounds under `Bounds::Error`.
pub(crate) struct OutOfBounds;

/// What a check keeps. `None`: there is no memory for it.
pub(crate) fn kept(
    plan: &Plan,
    path: Path,
    resolver: &dyn Resolver,
) -> Option<Result<Vec<u32>, OutOfBounds>> {
    let mut all = room(plan)?;
    let inside = keep(plan, path, resolver, base_of_kept(plan), &mut all);
    Some(if inside { Ok(all) } else { Err(OutOfBounds) })
}

/// Room for the addresses of all entries, which the system has cleared.
pub(crate) fn room(plan: &Plan) -> Option<Vec<u32>> {
    bytemuck::try_zeroed_vec(plan.entries()).ok()
}

/// Moves by what has been [kept].
pub(crate) fn run_kept(plan: &Plan, way: &Way, addresses: &[u32], job: &mut dyn Job) {
    let kept = Kept { addresses, base: base_of_kept(plan) };
    job.session(&mut |mover| traverse_kept(plan, way, kept, mover));
}

/// Whether all indices are in bounds, where nothing moves.
pub(crate) fn check_empty(plan: &Plan, resolver: &dyn Resolver) -> bool {
    !plan.checks_empty() || check_wide(plan, resolver)
}

pub(crate) fn check_all(plan: &Plan, resolver: &dyn Resolver) -> bool {
    match () {
        () if plan.empty || !matches!(plan.bounds, Bounds::Error) => check_empty(plan, resolver),
        () if !plan.addresses_fit => check_wide(plan, resolver),
        () => check(plan, Path::detect(), resolver),
    }
}
