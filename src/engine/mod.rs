//! What `std` runs: stages that do not know each other's types.
//!
//! ```text
//! route     what a call will do: numbers in, a value out
//! split     threads, divided by what is written
//! prove     all indices are in bounds before a scatter writes
//! tile      some columns of the table at a time, on a copy
//! traverse  the walk over the plan, in blocks of addresses
//!             resolver   index type -> addresses
//!             movers     elements and rows by address, by size
//!             changed    the same by reduction
//!             append     the same to the end of a vector
//! entries   where entries lead, for what needs more than an address
//! ```
//!
//! Each stage calls only those below it; [`entries`] and [`few`] call those that they need. Between
//! [`traverse`] and what knows a type is an indirect call a block. `docs/DESIGN.md` says why, and
//! what each strategy costs; `docs/RECORD.md` has the figures.

mod append;
pub(crate) mod changed;
pub(crate) mod entries;
pub(crate) mod few;
#[cfg(any(all(test, feature = "rayon"), fuzzing))]
#[path = "tests/legal.rs"]
mod legal;
pub(crate) mod map;
pub(crate) mod movers;
#[cfg(feature = "rayon")]
mod pool;
pub(crate) mod prove;
pub(crate) mod resolver;
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
pub(crate) mod traverse;
pub(crate) mod tuning;

use strew_simd::{Machine, Path, Place};

use crate::copy::repeated;
use crate::element::Element;
use crate::engine::append::Appended;
pub(crate) use crate::engine::changed::{Before, By, Reduced};
use crate::engine::changed::{Changed, Reducer, change_few};
use crate::engine::few::Few;
use crate::engine::map::Read;
use crate::engine::movers::{Gathered, Job, Way};
use crate::engine::prove::check_empty;
use crate::engine::resolver::{NoIndices, Resolver};
use crate::engine::route::{Call, Effect, Route, distance, goes_by_entry};
#[cfg(feature = "rayon")]
use crate::engine::shared::Shared;
use crate::engine::traverse::{check_wide, one_block, traverse_wide};
use crate::error::Direction;
use crate::index::Index;
use crate::indices::sealed::Places;
use crate::map::Source;
use crate::plan::Plan;
use crate::reduction::{Kind, Reduction};

/// `output[flat] = input[table]`. `false`: an index is out of bounds under `Bounds::Error`, unless
/// they are `proven`; nothing is gathered by it, nor by those that come after it.
pub(crate) fn gather<T: Element, P: Place<T>, S: Places>(
    plan: &Plan,
    indices: S,
    proven: bool,
    input: &[T],
    output: &mut [P],
) -> bool {
    if let Some(few) = Few::of(plan, Direction::Gather) {
        return few.run_gather(indices, input, output);
    }
    let (call, path) = (gather_call(indices.width(), size_of::<T>(), proven, 1), Path::detect());
    run(plan, &call, path, &indices, &mut gathered(plan, path, input, output))
}

/// [`gather`] to the end of a vector, for an output that has as many places as elements. What has
/// been appended before an index that is out of bounds stays.
pub(crate) fn append<T: Element, S: Places>(
    plan: &Plan,
    indices: S,
    proven: bool,
    input: &[T],
    output: &mut Vec<T>,
) -> bool {
    let mut job = Appended::new(plan, input, output);
    if let Some(few) = Few::of(plan, Direction::Gather) {
        return few.run::<_, false>(indices, |tables| job.few(&few, tables));
    }
    let (call, path) = (gather_call(indices.width(), size_of::<T>(), proven, 1), Path::detect());
    run(plan, &call, path, &indices, &mut job)
}

/// `data[table] = reduction(data[table], updates[flat])`. `false`: an index is out of bounds under
/// `Bounds::Error`, unless they are `proven`; the data is as it was. If there is a
/// [`before`](Before), its copy is made once all indices are in bounds.
pub(crate) fn scatter<T: Element, U: Element, S: Places>(
    plan: &Plan,
    indices: S,
    proven: bool,
    reduction: &dyn Reducer<T, U>,
    before: Option<Before<'_, T>>,
    data: &mut [T],
    updates: &[U],
) -> bool {
    if let Some(few) = few_of(plan, || reduction.kind().is_slow()) {
        return few.run::<_, false>(indices, |tables| {
            if let Some(before) = before {
                (before.copy)(before.plan, before.input, data);
            }
            change_few(reduction, &few, tables, data, updates);
        });
    }
    let (row, path) = (row_of_one(plan, updates), Path::detect());
    let (plan, updates) = row.as_ref().map_or((plan, updates), |(plan, row)| (plan, row));
    let proven_first = before.is_some();
    let call = Call { proven_first, ..scatter_call(reduction.kind(), indices.width(), proven, 1) };
    let job = changed(plan, path, reduction, data, updates);
    run(plan, &call, path, &indices, &mut Changed { before, ..job })
}

/// The copy of an input that a [`scatter`] to an output starts with, by the plan of that copy.
pub(crate) fn before<'a, T: Element>(plan: &'a Plan, input: &'a [T]) -> Before<'a, T> {
    Before { plan, input, copy: copy::<T> }
}

/// `output[flat] = input[table]` for a plan without indices.
pub(crate) fn copy<T: Element>(plan: &Plan, input: &[T], output: &mut [T]) {
    if let Some(few) = Few::of(plan, Direction::Gather) {
        return few.gather(&[plan.start.table as u32], input, output);
    }
    let (call, path) = (gather_call(1, size_of::<T>(), true, 1), Path::detect());
    run(plan, &call, path, &NoIndices, &mut gathered(plan, path, input, output));
}

/// Moves by a job whose tensors are no slices, as [`gather`] or [`scatter`].
#[cfg(feature = "ndarray")]
pub(crate) fn by_job<S: Places>(
    plan: &Plan,
    indices: S,
    direction: Direction,
    element: usize,
    job: &mut dyn Job,
) -> bool {
    let (call, path) = (change_call(indices.width(), element, false, 1), Path::detect());
    run(plan, &Call { direction, ..call }, path, &indices, job)
}

/// [`gather`] with the threads of the rayon pool that it is called in.
#[cfg(feature = "rayon")]
pub(crate) fn par_gather<T: Element, P: Place<T> + Send, S: Places>(
    plan: &Plan,
    indices: S,
    proven: bool,
    input: &[T],
    output: &mut [P],
) -> bool {
    if let Some(few) = Few::of(plan, Direction::Gather).filter(|few| few.is_little(size_of::<T>()))
    {
        return few.run_gather(indices, input, output);
    }
    let call = gather_call(indices.width(), size_of::<T>(), proven, rayon::current_num_threads());
    let path = Path::detect();
    par_run(plan, &call, path, &indices, &mut gathered(plan, path, input, output))
}

/// [`scatter`] with the threads of the rayon pool that it is called in.
#[cfg(feature = "rayon")]
pub(crate) fn par_scatter<T: Element, U: Element, S: Places>(
    plan: &Plan,
    indices: S,
    proven: bool,
    reduction: &(dyn Reducer<T, U> + Sync),
    data: &mut [T],
    updates: &[U],
) -> bool {
    let element = size_of::<T>().max(size_of::<U>());
    if let Some(few) =
        few_of(plan, || reduction.kind().is_slow()).filter(|few| few.is_little(element))
    {
        return few
            .run::<_, false>(indices, |tables| change_few(reduction, &few, tables, data, updates));
    }
    let (row, path) = (row_of_one(plan, updates), Path::detect());
    let (plan, updates) = row.as_ref().map_or((plan, updates), |(plan, row)| (plan, row));
    let threads = rayon::current_num_threads();
    let call = scatter_call(reduction.kind(), indices.width(), proven, threads);
    let call = Call { element, ..call };
    par_run(plan, &call, path, &indices, &mut changed(plan, path, reduction, data, updates))
}

/// `output[flat] = source[table]`, as [`gather`].
pub(crate) fn read<U: Element, F: Source<U>, S: Places>(
    plan: &Plan,
    indices: S,
    proven: bool,
    source: F,
    output: &mut [U],
) -> bool {
    let (call, path) = (gather_call(indices.width(), F::BYTES, proven, 1), Path::detect());
    let mut job = Read { source, output, way: Way::of(path, plan.row()) };
    run(plan, &call, path, &indices, &mut job)
}

/// [`read`] with the threads of the rayon pool that it is called in.
#[cfg(feature = "rayon")]
pub(crate) fn par_read<U: Element, F: Source<U> + Send, S: Places>(
    plan: &Plan,
    indices: S,
    proven: bool,
    source: F,
    output: &mut [U],
) -> bool {
    let (element, path) = (F::BYTES.max(size_of::<U>()), Path::detect());
    let call = gather_call(indices.width(), element, proven, rayon::current_num_threads());
    let mut job = Read { source, output, way: Way::of(path, plan.row()) };
    par_run(plan, &call, path, &indices, &mut job)
}

/// What a call will do on this machine: see [`Gather::explain`](crate::Gather::explain) and
/// [`Scatter::explain`](crate::Scatter::explain).
///
/// ```
/// use strew::{Gather, Layout};
///
/// let (table, three) = (Layout::contiguous([10]), Layout::contiguous([3]));
/// let gather = Gather::axis(&table, &three, &three, 0)?;
/// let explain = gather.explain::<u8, i64>(1).to_string();
/// assert_eq!(explain, "check: one block; threads: one, few entries");
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explain(Result<Route, &'static str>);

impl Explain {
    pub(crate) fn gather<T: Element, I: Index>(plan: &Plan, threads: usize) -> Explain {
        let call = gather_call(size_of::<I>(), size_of::<T>(), false, threads);
        Explain::of(plan, &call, Few::of(plan, Direction::Gather))
    }

    pub(crate) fn scatter<T: Element, I: Index, R: Reduction<T>>(
        plan: &Plan,
        threads: usize,
    ) -> Explain {
        let call = scatter_call(&R::KIND, size_of::<I>(), false, threads);
        let few = few_of(plan, || R::KIND.is_slow());
        let row = plan.with_row_of_one(size_of::<T>());
        Explain::of(row.as_ref().unwrap_or(plan), &call, few)
    }

    fn of(plan: &Plan, call: &Call, few: Option<Few<'_>>) -> Explain {
        if few.is_some_and(|few| call.threads == 1 || few.is_little(call.element)) {
            return Explain(Err("check: one block; threads: one, few entries"));
        }
        Explain(ordered(plan, call, |plan, short| match short {
            None => Ok(routed(plan, call)),
            Some(Short::Nothing) => Err("nothing moves"),
            Some(Short::OneBlock) => Err("check: one block; threads: one"),
            Some(Short::Wide) => Err("check: one by one; threads: one, addresses of 64 bits"),
        }))
    }
}

impl core::fmt::Display for Explain {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.0 {
            Ok(route) => route.fmt(f),
            Err(line) => f.write_str(line),
        }
    }
}

fn gather_call(index: usize, element: usize, proven: bool, threads: usize) -> Call {
    Call {
        direction: Direction::Gather,
        effect: Effect::Assign,
        element,
        index,
        proven,
        proven_first: false,
        rows_of_one: false,
        threads,
    }
}

fn scatter_call<T>(kind: &Kind<T>, index: usize, proven: bool, threads: usize) -> Call {
    let effect = match () {
        () if kind.is_assign() => Effect::Assign,
        () if kind.is_opaque() => Effect::Call,
        () if kind.free().is_some() => Effect::Free,
        () => Effect::Combine,
    };
    let rows_of_one = !kind.is_slow();
    Call { effect, rows_of_one, ..change_call(index, size_of::<T>(), proven, threads) }
}

/// A scatter by a function of the caller's.
fn change_call(index: usize, element: usize, proven: bool, threads: usize) -> Call {
    let gather = gather_call(index, element, proven, threads);
    Call { direction: Direction::Scatter, effect: Effect::Call, ..gather }
}

/// What knows the type of a gather's elements.
fn gathered<'a, T, P>(
    plan: &Plan,
    path: Path,
    input: &'a [T],
    output: &'a mut [P],
) -> Gathered<'a, T, P> {
    // The address of an entry that is left out lies outside.
    let input = input.get(..plan.lengths.table).unwrap_or(input);
    Gathered { input, output, way: Way::of(path, plan.row()) }
}

/// One update for all elements of rows: [a row of it](Plan::with_row_of_one), which is contiguous.
fn row_of_one<U: Element>(plan: &Plan, updates: &[U]) -> Option<(Plan, Vec<U>)> {
    let of_row = plan.with_row_of_one(size_of::<U>())?;
    let update = *updates.get(plan.start.flat)?;
    Some((of_row, repeated(update, of_row.lengths.flat)?))
}

/// What knows the type and the reduction of a scatter.
fn changed<'a, T, U, R: ?Sized>(
    plan: &Plan,
    path: Path,
    reduction: &'a R,
    data: &'a mut [T],
    updates: &'a [U],
) -> Changed<'a, T, R, U> {
    let length = data.len().min(plan.lengths.table);
    let data = data.get_mut(..length).unwrap_or_default();
    Changed { reduction, data, updates, way: Way::of(path, plan.row()), before: None }
}

/// The ways of calls that need no route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Short {
    Nothing,
    /// Addresses do not fit 32 bits.
    Wide,
    /// All entries are one block, without pieces, and move little.
    OneBlock,
}

/// Calls `run` with the plan in the order in which it is walked, and its [short way](short).
#[inline(always)]
fn ordered<R>(plan: &Plan, call: &Call, run: impl FnOnce(&Plan, Option<Short>) -> R) -> R {
    if let short @ Some(_) = short(plan, call) {
        return run(plan, short);
    }
    let ordered = in_order(plan, call, &Machine::detect());
    let plan = ordered.as_ref().unwrap_or(plan);
    run(plan, short(plan, call))
}

/// The way of a call, unless it needs a route.
#[inline]
fn short(plan: &Plan, call: &Call) -> Option<Short> {
    match () {
        () if plan.empty => Some(Short::Nothing),
        () if !plan.addresses_fit => Some(Short::Wide),
        () if !plan.is_one_block() || !plan.pieces().is_empty() => None,
        () if plan.moved_elements().saturating_mul(call.element) > tuning::ONE_BLOCK => None,
        () => Some(Short::OneBlock),
    }
}

/// The plan in the order in which it is walked, if that is another one. Its rows are the same: what
/// moves has been made for them.
fn in_order(plan: &Plan, call: &Call, machine: &Machine) -> Option<Plan> {
    let turned = plan.with_long_piece_last().filter(|turned| {
        goes_by_entry(turned, call, machine)
            || has_few_entries(plan) && !goes_by_entry(plan, call, machine)
    });
    let plan = turned.as_ref().unwrap_or(plan);
    pieces_in_order(plan, call, machine).or(turned)
}

fn pieces_in_order(plan: &Plan, call: &Call, machine: &Machine) -> Option<Plan> {
    let pieces = plan.pieces();
    let rising = pieces.iter().any(|dim| dim.table < 0).then(|| plan.with_rising_pieces());
    if has_few_entries(plan) && !pieces.is_empty() && !goes_by_entry(plan, call, machine) {
        return Some(rising.as_ref().unwrap_or(plan).with_pieces_first());
    }
    rising
}

/// Whether pieces come before lanes.
#[inline(never)]
fn has_few_entries(plan: &Plan) -> bool {
    // Shorter lanes would be resolved again for each piece, and fill no vector.
    let lanes = plan.outer <= 1
        || plan.outer == 2 && plan.outer().last().is_some_and(|lane| lane.size >= tuning::SHARED);
    let most = if plan.row() > 1 { tuning::FEW_ENTRIES } else { tuning::FEW_ENTRIES_OF_ELEMENTS };
    lanes && plan.entries() <= most
}

/// The same call, proven if no index of its type can be out of bounds.
fn needed(plan: &Plan, call: &Call) -> Call {
    Call { proven: call.proven || call.index == 1 && plan.takes_every_byte(), ..*call }
}

/// The route of a call on this machine.
fn routed(plan: &Plan, call: &Call) -> Route {
    let (call, machine) = (needed(plan, call), Machine::detect());
    let route = Route::of(plan, &call, &machine);
    #[cfg(fuzzing)]
    legal::check(&route, plan, &call, &machine);
    route
}

/// The few entries of a scatter: not as many if single elements are `slow` without kernels.
#[inline(always)]
fn few_of(plan: &Plan, slow: impl FnOnce() -> bool) -> Option<Few<'_>> {
    Few::of(plan, Direction::Scatter)
        .filter(|few| few.n > 1 || few.count <= tuning::FEW_OTHERS || !slow())
}

/// How a route moves blocks.
fn prepared(plan: &Plan, route: &Route, path: Path) -> Way {
    let Route { order, runs, block, distance, segment, apart, streams, copies, .. } = *route;
    let n = plan.row();
    Way { path, n, order, runs, block, distance, segment, apart, streams, copies }
}

/// A call on one thread.
fn run(plan: &Plan, call: &Call, path: Path, resolver: &dyn Resolver, job: &mut dyn Job) -> bool {
    ordered(plan, call, |plan, short| match short {
        None => {
            let route = routed(plan, call);
            let way = prepared(plan, &route, path);
            job.prepare(way);
            prove::run(plan, &route, &way, resolver, job)
        }
        Some(short) => run_short(plan, call, short, path, resolver, job),
    })
}

/// A call that needs no route.
#[inline]
fn run_short(
    plan: &Plan,
    call: &Call,
    short: Short,
    path: Path,
    resolver: &dyn Resolver,
    job: &mut dyn Job,
) -> bool {
    let wide = match short {
        Short::OneBlock => {
            let distance = distance(plan, call);
            if distance > 0 {
                job.prepare(Way { distance, ..Way::of(path, plan.row()) });
            }
            return one_block(plan, path, resolver, job);
        }
        Short::Nothing => false,
        Short::Wide => true,
    };
    let inside =
        call.proven || if wide { check_wide(plan, resolver) } else { check_empty(plan, resolver) };
    if inside {
        job.begin();
    }
    if inside && wide {
        job.session(&mut |mover| _ = traverse_wide(plan, resolver, mover));
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
    ordered(plan, call, |plan, short| match short {
        None => {
            let route = routed(plan, call);
            let way = prepared(plan, &route, path);
            job.prepare(way);
            split::run(plan, call.direction, &route, &way, resolver, job)
        }
        Some(short) => run_short(plan, call, short, path, resolver, job),
    })
}
