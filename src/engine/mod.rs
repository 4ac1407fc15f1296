//! What `std` runs: stages that do not know each other's types.
//!
//! ```text
//! route     what a call will do: numbers in, a value out
//! prove     all indices are in bounds before anything is written
//! split     threads, divided by what is written
//! tile      some columns of the table at a time, on a copy
//! traverse  the walk over the plan, in blocks of addresses
//!             resolver   index type -> addresses
//!             movers     elements and rows by address, by size or by reduction
//! ```
//!
//! Each stage calls only those below it. Between [`traverse`] and what knows a type is an indirect
//! call a block. `docs/DESIGN.md` says why, and what each strategy costs.

mod few;
#[cfg(any(all(test, feature = "rayon"), fuzzing))]
#[path = "tests/legal.rs"]
mod legal;
mod movers;
#[cfg(feature = "rayon")]
mod pool;
mod prove;
mod resolver;
pub(crate) mod route;
#[cfg(feature = "rayon")]
mod shared;
#[cfg(feature = "rayon")]
mod split;
// Threads are among what they test.
#[cfg(all(test, feature = "rayon"))]
mod tests;
mod tile;
mod transform;
mod traverse;
mod tuning;

use strew_simd::{Hints, Machine, Path};

use crate::element::Element;
use crate::engine::few::Few;
use crate::engine::movers::{Before, Changed, Gathered, Job, Manner};
use crate::engine::resolver::{NoIndices, Resolver};
use crate::engine::route::{Call, Effect, Load, Route, Stores};
#[cfg(feature = "rayon")]
use crate::engine::shared::Shared;
use crate::engine::traverse::{Way, check_wide, traverse as traverse_blocks, traverse_wide};
use crate::error::Direction;
use crate::index::{Bounds, Index};
use crate::plan::Plan;
use crate::reduction::Reduction;

/// `output[flat] = input[table]`. `false`: an index is out of bounds under `Bounds::Error`, unless
/// they are `proven`; nothing is gathered by it, nor by those that come after it.
pub(crate) fn gather<T: Element, I: Index>(
    plan: &Plan,
    indices: &[I],
    proven: bool,
    input: &[T],
    output: &mut [T],
) -> bool {
    if let Some(mut few) = Few::of(plan) {
        let inside = few.resolve(plan, indices);
        if inside {
            few.gather(plan.row(), input, output);
        }
        return inside;
    }
    let (call, path) = (gather_call::<T, I>(proven, 1), Path::detect());
    run(plan, &call, path, &indices, &mut gathered(plan, path, input, output))
}

/// `data[table] = reduction(data[table], updates[flat])`. `false`: an index is out of bounds under
/// `Bounds::Error`, unless they are `proven`; the data is as it was.
pub(crate) fn scatter<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    indices: &[I],
    proven: bool,
    reduction: &R,
    data: &mut [T],
    updates: &[T],
) -> bool {
    if let Some(mut few) = Few::of(plan) {
        let inside = few.resolve(plan, indices);
        if inside {
            few.scatter(plan.row(), reduction, data, updates);
        }
        return inside;
    }
    let (call, path) = (scatter_call::<T, I, R>(proven, 1), Path::detect());
    run(plan, &call, path, &indices, &mut changed(plan, path, reduction, data, updates))
}

/// For a [`scatter`] to an output that starts as a copy of an input: the plan of that copy, and the
/// input.
pub(crate) fn scatter_into<T: Element, I: Index, R: Reduction<T>>(
    plan: &Plan,
    indices: &[I],
    proven: bool,
    reduction: &R,
    before: (&Plan, &[T]),
    output: &mut [T],
    updates: &[T],
) -> bool {
    let call = Call { functional: true, ..scatter_call::<T, I, R>(proven, 1) };
    let path = Path::detect();
    let (copy_plan, input) = before;
    let mut job = changed(plan, path, reduction, output, updates);
    job.before = Some(Before { plan: copy_plan, input, copy: copy::<T> });
    run(plan, &call, path, &indices, &mut job)
}

/// `output[flat] = input[table]` for a plan without indices.
pub(crate) fn copy<T: Element>(plan: &Plan, input: &[T], output: &mut [T]) {
    let (call, path) = (gather_call::<T, u8>(true, 1), Path::detect());
    run(plan, &call, path, &NoIndices, &mut gathered(plan, path, input, output));
}

/// Whether all indices are in bounds.
pub(crate) fn check<I: Index>(plan: &Plan, indices: &[I]) -> bool {
    check_all(plan, &indices)
}

/// [`gather`] with the threads of the rayon pool that it is called in.
#[cfg(feature = "rayon")]
pub(crate) fn par_gather<T: Element + Send + Sync, I: Index>(
    plan: &Plan,
    indices: &[I],
    proven: bool,
    input: &[T],
    output: &mut [T],
) -> bool {
    let call = gather_call::<T, I>(proven, rayon::current_num_threads());
    let path = Path::detect();
    par_run(plan, &call, path, &indices, &mut gathered(plan, path, input, output))
}

/// [`scatter`] with the threads of the rayon pool that it is called in.
#[cfg(feature = "rayon")]
pub(crate) fn par_scatter<T: Element + Send + Sync, I: Index, R: Reduction<T> + Sync>(
    plan: &Plan,
    indices: &[I],
    proven: bool,
    reduction: &R,
    data: &mut [T],
    updates: &[T],
) -> bool {
    let call = scatter_call::<T, I, R>(proven, rayon::current_num_threads());
    let path = Path::detect();
    par_run(plan, &call, path, &indices, &mut changed(plan, path, reduction, data, updates))
}

/// What a call will do on this machine: see [`Gather::explain`](crate::Gather::explain) and
/// [`Scatter::explain`](crate::Scatter::explain).
///
/// ```
/// use strew::{Gather, Layout};
///
/// let (table, three) = (Layout::contiguous([10]), Layout::contiguous([3]));
/// let explain = Gather::axis(&table, &three, &three, 0)?.explain::<u8, i64>(1);
/// assert_eq!(explain.to_string(), "check: one block; threads: one, few entries");
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explain(Explained);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Explained {
    Nothing,
    Small,
    Wide,
    Routed(Route),
}

impl Explain {
    pub(crate) fn gather<T: Element, I: Index>(plan: &Plan, threads: usize) -> Explain {
        Explain::of(plan, &gather_call::<T, I>(false, threads))
    }

    pub(crate) fn scatter<T: Element, I: Index, R: Reduction<T>>(
        plan: &Plan,
        threads: usize,
    ) -> Explain {
        Explain::of(plan, &scatter_call::<T, I, R>(false, threads))
    }

    fn of(plan: &Plan, call: &Call) -> Explain {
        Explain(match kind(plan, call) {
            Size::Nothing => Explained::Nothing,
            Size::Wide => Explained::Wide,
            Size::Small => Explained::Small,
            Size::Large => {
                let ordered = in_order(plan);
                let plan = ordered.as_ref().unwrap_or(plan);
                Explained::Routed(routed(plan, call))
            }
        })
    }
}

impl core::fmt::Display for Explain {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.0 {
            Explained::Nothing => f.write_str("nothing moves"),
            Explained::Small => f.write_str("check: one block; threads: one, few entries"),
            Explained::Wide => f.write_str("check: one by one; threads: one, addresses of 64 bits"),
            Explained::Routed(route) => route.fmt(f),
        }
    }
}

fn gather_call<T, I>(proven: bool, threads: usize) -> Call {
    Call {
        direction: Direction::Gather,
        effect: Effect::Assign,
        element: size_of::<T>(),
        index: size_of::<I>(),
        proven,
        functional: false,
        threads,
    }
}

fn scatter_call<T: Element, I, R: Reduction<T>>(proven: bool, threads: usize) -> Call {
    let effect = match () {
        () if R::KIND.is_assign() => Effect::Assign,
        () if R::KIND.is_opaque() => Effect::Call,
        () => Effect::Combine,
    };
    Call { direction: Direction::Scatter, effect, ..gather_call::<T, I>(proven, threads) }
}

/// What knows the type of a gather's elements.
fn gathered<'a, T>(
    plan: &Plan,
    path: Path,
    input: &'a [T],
    output: &'a mut [T],
) -> Gathered<'a, T> {
    // The address of an entry that is left out lies outside.
    let input = input.get(..plan.lengths.table).unwrap_or(input);
    Gathered { input, output, n: plan.row(), manner: Manner::of(path) }
}

/// What knows the type and the reduction of a scatter.
fn changed<'a, T, R>(
    plan: &Plan,
    path: Path,
    reduction: &'a R,
    data: &'a mut [T],
    updates: &'a [T],
) -> Changed<'a, T, R> {
    let length = data.len().min(plan.lengths.table);
    let data = data.get_mut(..length).unwrap_or_default();
    Changed { reduction, data, updates, n: plan.row(), manner: Manner::of(path), before: None }
}

/// The ways of calls by their size.
enum Size {
    Nothing,
    /// Addresses do not fit 32 bits.
    Wide,
    /// All entries are one small block, without pieces, and the table stays in L2.
    Small,
    Large,
}

#[inline]
fn kind(plan: &Plan, call: &Call) -> Size {
    match () {
        () if plan.empty => Size::Nothing,
        () if !plan.addresses_fit => Size::Wide,
        // What starts from a copy is proven before that is made.
        () if plan.outer > 2 || call.functional || !plan.pieces().is_empty() => Size::Large,
        () if plan.entries() > tuning::SMALL => Size::Large,
        () if plan.lengths.table.saturating_mul(call.element) > tuning::SMALL_TABLE => Size::Large,
        () => Size::Small,
    }
}

/// The plan in the order in which it is walked, if that is another one.
fn in_order(plan: &Plan) -> Option<Plan> {
    let pieces = plan.pieces();
    if pieces.is_empty() {
        None
    } else if plan.entries() <= tuning::FEW_ENTRIES {
        Some(plan.with_pieces_first())
    } else {
        pieces.iter().any(|dim| dim.table < 0).then(|| plan.with_rising_pieces())
    }
}

/// The same call, proven if no index of its type can be out of bounds.
fn needed(plan: &Plan, call: &Call) -> Call {
    let byte = call.index == 1;
    let proven = byte && plan.coordinates().iter().all(|axis| axis.size > usize::from(u8::MAX));
    Call { proven: call.proven || proven, ..*call }
}

/// The route of a call on this machine.
fn routed(plan: &Plan, call: &Call) -> Route {
    let (call, machine) = (needed(plan, call), Machine::detect());
    let route = Route::of(plan, &call, &machine);
    #[cfg(fuzzing)]
    legal::check(&route, plan, &call, &machine);
    route
}

/// How a route moves blocks.
fn prepared(route: &Route, path: Path) -> (Way, Manner) {
    let together = matches!(route.load, Load::Together);
    let hints = Hints { distance: route.distance, together };
    let streams = matches!(route.stores, Stores::NonTemporal);
    let way = Way { path, distance: route.distance, segment: route.segment };
    (way, Manner { path, hints, streams })
}

/// A call on one thread.
fn run(plan: &Plan, call: &Call, path: Path, resolver: &dyn Resolver, job: &mut dyn Job) -> bool {
    let way = Way { path, distance: 0, segment: 0 };
    let mut inside = true;
    match kind(plan, call) {
        Size::Nothing => job.begin(),
        Size::Wide => {
            inside = call.proven || check_wide(plan, resolver);
            if inside {
                job.begin();
                job.session(&mut |mover| _ = traverse_wide(plan, &way, resolver, mover));
            }
        }
        Size::Small => job.session(&mut |mover| {
            inside = traverse_blocks::<{ tuning::SMALL }>(plan, &way, resolver, mover);
        }),
        Size::Large => {
            let ordered = in_order(plan);
            let plan = ordered.as_ref().unwrap_or(plan);
            let route = routed(plan, call);
            let (way, manner) = prepared(&route, path);
            job.prepare(plan.row(), manner);
            inside = prove::run(plan, &route, &way, resolver, job);
        }
    }
    inside
}

/// A call that threads may share.
#[cfg(feature = "rayon")]
fn par_run(
    plan: &Plan,
    call: &Call,
    path: Path,
    resolver: &dyn Resolver,
    job: &mut dyn Shared,
) -> bool {
    if !matches!(kind(plan, call), Size::Large) {
        return run(plan, call, path, resolver, job);
    }
    let ordered = in_order(plan);
    let plan = ordered.as_ref().unwrap_or(plan);
    let route = routed(plan, call);
    let (way, manner) = prepared(&route, path);
    job.prepare(plan.row(), manner);
    split::run(plan, call.direction, &route, &way, resolver, job)
}

fn check_all(plan: &Plan, resolver: &dyn Resolver) -> bool {
    match () {
        () if plan.empty || !matches!(plan.bounds, Bounds::Error) => true,
        () if !plan.addresses_fit => check_wide(plan, resolver),
        () => traverse::check(plan, Path::detect(), resolver),
    }
}
