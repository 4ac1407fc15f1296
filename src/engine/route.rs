//! Route: what a call will do, decided once, from numbers alone.

use core::fmt;

use strew_simd::Machine;

use crate::engine::transform::{bundle, steps_follow};
use crate::engine::tuning;
use crate::error::Direction;
use crate::index::Bounds;
use crate::plan::{Coordinate, Dim, Plan};
use crate::walk::split_lane;

/// What a decision depends on, beyond the plan and the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub direction: Direction,
    pub effect: Effect,
    /// The bytes of an element, and of an index.
    pub element: usize,
    pub index: usize,
    /// Whether all indices are known to be in bounds.
    pub proven: bool,
    /// Whether all indices are proven first: what is written starts as a copy.
    pub proven_first: bool,
    /// Whether what moves has a loop for [rows of one update](Plan::has_rows_of_one).
    pub rows_of_one: bool,
    /// The number of threads that may share the call.
    pub threads: usize,
}

/// What becomes of the value that is written over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It is not read.
    Assign,
    /// It is combined by a reduction of this crate, which may run before all indices are proven.
    Combine,
    /// The same by a reduction whose result does not depend on the order of updates.
    Free,
    /// It is combined by a function that never runs before all indices are proven: the caller's, or
    /// a reduction of arrays.
    Call,
}

/// What a call will do: the stages split, prove, tile and traverse, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub proof: Proof,
    pub split: Split,
    /// The width of the tiles.
    pub tile: Option<usize>,
    pub order: Order,
    /// Whether blocks that begin with runs of one place go entry by entry, whatever the order.
    pub runs: bool,
    /// Entries of a block.
    pub block: usize,
    /// Whether rows move, and not single elements.
    pub rows: bool,
    /// Entries between the one that moves and the one that is prefetched; 0: none.
    pub distance: usize,
    /// Elements of the segments of the table that are prefetched a lane ahead; 0: none.
    pub segment: usize,
    /// Elements between lanes in the flat tensor beyond which the lanes are prefetched.
    pub apart: usize,
    /// Whether it writes with non-temporal stores.
    pub streams: bool,
    /// The copies of the table over which entries are spread; 1: none.
    pub copies: usize,
    /// The bytes that move, and those that the table spans.
    moved: usize,
    table: usize,
}

/// How the indices are proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// There is nothing to prove: they have been, or the policy takes all.
    Unneeded,
    /// Those of a block before it moves.
    Blocks,
    /// All of them first; the moves resolve them again.
    Scan,
    /// All of them first, to addresses that the moves use.
    Keep,
    /// While the data change, on a copy of theirs.
    Copy,
}

/// How threads share a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    Serial(Alone),
    /// Each takes chunks along a dimension, and their part of the tensor that is written.
    Chunks {
        dim: usize,
        number: usize,
    },
    /// Each takes tiles.
    Tiles {
        number: usize,
    },
    /// Each takes chunks of the entries, and changes a table of its own, which are merged.
    Tables {
        number: usize,
    },
    /// Each takes a part of the data, cut between rows that start `pitch` apart, and what leads
    /// into it, by way of a worklist.
    Parts {
        pitch: usize,
        number: usize,
    },
}

/// Why one thread is alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alone {
    OneThread,
    LittleMoves,
    StaysInCache,
    Interleaved,
    /// The updates have 2^32 elements or more.
    FarUpdates,
}

/// Which is the outer loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Entries, and for each block of them all its pieces.
    Entries,
    /// Pieces along the first of their dimensions, and for each of them all entries. Those along
    /// the others as above.
    Pieces { dimensions: usize },
    /// Entries, and for each of them all its pieces.
    EachEntry,
    /// The entries of a [bundle], and for each of them all bundles of a block.
    Across { entries: usize },
}

impl Route {
    /// For a plan whose [addresses fit](Plan::addresses_fit).
    pub(crate) fn of(plan: &Plan, call: &Call, machine: &Machine) -> Route {
        let numbers = Numbers::of(plan, call);
        let tile = tile(plan, call, machine);
        let split = split(plan, call, machine, &numbers, tile);
        let first = pieces_first(plan, call, machine, &numbers);
        let order = order(plan, call, machine, &numbers, first, tile);
        let streams = streams(call, machine, &numbers);
        // A tile stays in L2.
        let distance = match (ahead(call, machine, &numbers, streams), order) {
            _ if tile.is_some() => 0,
            (distance @ 1.., Order::EachEntry) => distance.max(pieces_ahead(plan)),
            (distance, _) => distance,
        };
        let rows = numbers.row > 1;
        let segment = match tile {
            None if machine.prefetches && !rows => {
                plan.segment(tuning::SEGMENT_LANE, tuning::SEGMENT).unwrap_or(0)
            }
            _ => 0,
        };
        let near = plan.lengths.flat.saturating_mul(call.element) <= tuning::far_read(machine);
        let apart = if near { usize::MAX } else { tuning::LINE / call.element.max(1) };
        let copies = copies(plan, call, machine, &numbers, split);
        let proof = match split {
            _ if copies > 1 => Proof::Copy,
            Split::Tables { .. } => Proof::Copy,
            _ => proof(plan, call, machine, &numbers, split, order, tile),
        };
        let split = match (split, proof) {
            // They take turns, until which they keep addresses: so they are short.
            (Split::Chunks { dim, number }, Proof::Blocks) => {
                let steps = plan.dims.get(dim).map_or(1, |dim| dim.size);
                let short = numbers.entries.div_ceil(tuning::CHUNK).min(steps);
                Split::Chunks { dim, number: number.max(short) }
            }
            _ => split,
        };
        // Pieces come first where addresses are kept: by `Keep`, and in chunks that take turns.
        let kept = !matches!((order, proof), (Order::Pieces { .. }, Proof::Unneeded | Proof::Scan));
        let order = if kept { order } else { Order::Entries };
        let runs = tile.is_none() && waits_in_runs(plan, call);
        let block = block(plan, call, machine, first, order);
        let Numbers { moved, table, .. } = numbers;
        Route {
            proof,
            split,
            tile,
            order,
            runs,
            block,
            rows,
            distance,
            segment,
            apart,
            streams,
            copies,
            moved,
            table,
        }
    }
}

/// What a call of one block needs of a [`Route`]: its distance.
pub(crate) fn distance(plan: &Plan, call: &Call) -> usize {
    // Single elements of a block reach fewer lines than an L2 has: only sets look at the machine.
    let sets = matches!((call.direction, call.effect), (Direction::Scatter, Effect::Assign));
    if plan.rank == plan.outer && call.element <= tuning::LINE && !sets {
        return 0;
    }
    ahead(call, &Machine::detect(), &Numbers::of(plan, call), false)
}

/// Sizes that several decisions need.
struct Numbers {
    entries: usize,
    /// Entries that have indices of their own.
    distinct: usize,
    /// Elements of a row.
    row: usize,
    /// Bytes of a row.
    row_bytes: usize,
    /// Bytes that move.
    moved: usize,
    /// Bytes over which the tuples of a lane reach.
    footprint: usize,
    /// Bytes of the table.
    table: usize,
    /// Bytes of the indices.
    indices: usize,
}

impl Numbers {
    // Inlined: what a caller does not use is not computed.
    #[inline(always)]
    fn of(plan: &Plan, call: &Call) -> Numbers {
        let bytes = |elements: usize| elements.saturating_mul(call.element);
        Numbers {
            entries: plan.entries(),
            distinct: plan.distinct_entries(),
            row: plan.row(),
            row_bytes: bytes(plan.row()),
            moved: bytes(plan.moved_elements()),
            footprint: bytes(plan.footprint()),
            table: bytes(plan.lengths.table),
            indices: plan.reads().saturating_mul(call.index),
        }
    }
}

/// The width of the tiles, for `elements` along any axis but the last, where the table does not
/// stay in L2. There neighbours of the indices lead to rows of their own, far apart in memory, and
/// often in the same sets of the caches.
fn tile(plan: &Plan, call: &Call, machine: &Machine) -> Option<usize> {
    let ([.., along, lane], [axis], []) = (plan.outer(), plan.coordinates(), plan.inner()) else {
        return None;
    };
    let gathers = matches!(call.direction, Direction::Gather);
    let (rows, least) = if gathers {
        let least = tuning::TILE_READ.div_ceil(call.element.max(1)).min(tuning::TILE_MOST);
        (tuning::TILE_GATHER, least)
    } else {
        (tuning::TILE_SCATTER, 0)
    };
    let column = call.element.checked_mul(axis.size).filter(|bytes| *bytes > 0)?;
    let width = lane.size.min(tuning::tile(machine) / column).min(tuning::TILE_MOST);
    let suits = along.table == 0
        && (lane.table, lane.indices) == (1, 1)
        && axis.table >= lane.size as isize
        && column.saturating_mul(lane.size) > tuning::beyond_l2(machine)
        && along.size.saturating_mul(rows) >= axis.size
        && axis.size >= tuning::TILE_ROWS
        && !(gathers && call.element > tuning::TILE_ELEMENT)
        && width >= tuning::TILE_LEAST.max(least);
    suits.then_some(width)
}

fn split(
    plan: &Plan,
    call: &Call,
    machine: &Machine,
    numbers: &Numbers,
    tile: Option<usize>,
) -> Split {
    let threads = call.threads;
    if threads < 2 {
        return Split::Serial(Alone::OneThread);
    }
    let few = numbers.entries < tuning::serial_entries(machine, numbers.footprint);
    if plan.empty || few && numbers.moved < tuning::SERIAL {
        return Split::Serial(Alone::LittleMoves);
    }
    if let (Some(_), Direction::Scatter) = (tile, call.direction) {
        return Split::Tiles { number: threads };
    }
    let chunks = threads.saturating_mul(tuning::CHUNKS);
    if let Some((dim, steps)) = apart(plan, call.direction) {
        // Each chunk of tiles makes copies of its own. Along the last piece, or a row, each walks
        // all entries, for a part of what is contiguous.
        let number = if tile.is_some() || (plan.outer..plan.rank).last() == Some(dim) {
            threads
        } else {
            chunks
        }
        .min(steps);
        if number > 1 {
            return Split::Chunks { dim, number };
        }
    }
    let free = matches!(call.effect, Effect::Free) && plan.pieces().is_empty();
    let steps = plan.outer().first().map_or(1, |dim| dim.size);
    let tables = numbers.table.saturating_mul(threads);
    if free && tables.saturating_mul(tuning::COPIED) <= numbers.moved && steps >= threads {
        return Split::Tables { number: threads };
    }
    let Some(pitch) = plan.pitch().filter(|_| matches!(call.direction, Direction::Scatter)) else {
        return Split::Serial(Alone::Interleaved);
    };
    if u32::try_from(plan.lengths.flat).is_err() {
        return Split::Serial(Alone::FarUpdates);
    }
    let most =
        if numbers.row == 1 { tuning::serial_elements(machine) } else { tuning::far(machine) };
    if (numbers.row == 1 || numbers.row_bytes <= tuning::LINE) && numbers.footprint <= most {
        return Split::Serial(Alone::StaysInCache);
    }
    let most = if numbers.row == 1 { tuning::WORKLIST_THREADS } else { threads };
    Split::Parts { pitch, number: threads.min(most) }
}

/// The dimension along which each step writes elements after all those of the step before it, and
/// its number of steps. It is the one with the largest stride in what is written.
fn apart(plan: &Plan, direction: Direction) -> Option<(usize, usize)> {
    let stride = |dim: &Dim| match direction {
        Direction::Gather => dim.flat,
        Direction::Scatter => dim.table,
    };
    let dims = plan.outer().iter().chain(plan.inner());
    let (place, outermost) = dims.clone().enumerate().max_by_key(|(_, dim)| stride(dim))?;
    let axes = plan.coordinates().iter().filter(|_| matches!(direction, Direction::Scatter));
    let others = dims.enumerate().filter(|(other, _)| *other != place);
    let others = others.map(|(_, dim)| (dim.size, stride(dim)));
    let mut reach = 0_isize;
    for (size, stride) in others.chain(axes.map(|axis| (axis.size, axis.table))) {
        let last = isize::try_from(size.saturating_sub(1)).ok()?;
        let far = last.checked_mul(stride).filter(|far| *far >= 0)?;
        reach = reach.checked_add(far)?;
    }
    (stride(outermost) > reach).then_some((place, outermost.size))
}

/// The copies of a small table over which single elements are spread, so that those of one place do
/// not wait for each other.
fn copies(plan: &Plan, call: &Call, machine: &Machine, numbers: &Numbers, split: Split) -> usize {
    let alone = matches!(split, Split::Serial(_) | Split::Tables { .. });
    let all = numbers.table.saturating_mul(tuning::COPIES);
    let pays = alone
        && matches!(call.effect, Effect::Free)
        && numbers.row == 1
        && plan.pieces().is_empty()
        && all <= machine.l1
        && all.saturating_mul(tuning::COPIED) <= numbers.moved;
    if pays { tuning::COPIES } else { 1 }
}

fn order(
    plan: &Plan,
    call: &Call,
    machine: &Machine,
    numbers: &Numbers,
    first: usize,
    tile: Option<usize>,
) -> Order {
    let keeps = plan.entries() <= tuning::KEPT && !plan.is_one_block();
    match () {
        () if tile.is_some() => Order::Entries,
        () if goes_by_entry(plan, call, machine) => Order::EachEntry,
        () if keeps && first > 0 => Order::Pieces { dimensions: first },
        () => across(plan, call, machine, numbers).unwrap_or(Order::Entries),
    }
}

/// Whether the pieces of an entry are the innermost loop. They are *close* if those of their last
/// dimension lie no further apart in the flat tensor than the entries.
///
/// Rows: if they are close, and follow each other there and are gathered, or are many in one place
/// of the table. Single elements, in any of these cases:
///
/// - They are close and more than the entries.
/// - They are close, have the bytes of a line and share lines there, and lie in one place of the
///   table, or L2 has the table, or not the lines that entries share.
/// - Entries lead to few places, and to fewer than they have elements, or come in short lanes with
///   gaps in the flat tensor, and have several times as many elements; and these are close, or L2
///   has the lines of a lane.
/// - They are more than the entries, and neighbouring entries share few sets of L1.
pub(crate) fn goes_by_entry(plan: &Plan, call: &Call, machine: &Machine) -> bool {
    let Some(last) = plan.pieces().last() else { return false };
    if call.rows_of_one && plan.has_rows_of_one() {
        return true;
    }
    let (close, row) = (!plan.is_apart(last), plan.row());
    let (number, size) = Plan::run_of_pieces(plan.pieces());
    let within = || plan.pieces().iter().rev().take(number).all(|dim| is_within_place(plan, dim));
    if row > 1 {
        let follow = matches!(call.direction, Direction::Gather) && last.flat == row as isize;
        let many = size >= tuning::ROWS_OF_ENTRY && within();
        return close && (follow || many);
    }
    let l2 = tuning::beyond_l2(machine);
    let bytes = |steps: usize| steps.saturating_mul(call.element);
    let near = |step| step <= 1 || bytes(step) <= tuning::LINE / tuning::SHARED;
    let fills = near(last.flat.unsigned_abs()) && bytes(size) >= tuning::LINE;
    // Of columns, each entry reaches another line of the table for each element.
    let at_hand = || bytes(plan.lengths.table) <= l2;
    let (entries, step) = plan.outer().last().map_or((1, 0), |lane| (lane.size, lane.flat));
    let crowded = || {
        let room = tuning::room_of_line(bytes(step.unsigned_abs()));
        step != 0 && plan.entries().saturating_mul(room) > l2
    };
    let fills = fills && (at_hand() || within() || crowded());
    let more = size > plan.entries();
    // Entries that lead to the same place wait for each other.
    let hot = plan.places() <= tuning::HOT_PLACES && size > plan.places();
    // Each lane with gaps around it starts a loop.
    let long = size >= entries.saturating_mul(tuning::LONG_PIECE);
    let short =
        entries < tuning::SHORT_PIECE && long && !steps_follow(plan.outer(), |dim| dim.flat);
    let stays = entries.saturating_mul(size).saturating_mul(tuning::LINE) <= l2;
    let aliased = |axis: &Coordinate| axis.table % tuning::ALIASED == 0;
    close && (fills || more)
        || (close || stays) && (hot || short)
        || more && plan.coordinates().iter().all(aliased)
}

/// Whether elements that are combined would wait for each other in a run of one place, unless they
/// go entry by entry: an entry has some pieces, which are close.
fn waits_in_runs(plan: &Plan, call: &Call) -> bool {
    let combines = matches!(call.direction, Direction::Scatter) && call.effect != Effect::Assign;
    let suits =
        |last: &Dim| !plan.is_apart(last) && Plan::run_of_pieces(plan.pieces()).1 >= tuning::SHARED;
    combines && plan.row() == 1 && plan.pieces().last().is_some_and(suits)
}

/// The order in which entries of different [bundles](bundle) change places, if these are short, and
/// their lanes do not lie a step apart. Updates of one place keep their order: a place belongs to
/// one bundle, or to the entries with one number in their bundles.
#[inline(never)]
fn across(plan: &Plan, call: &Call, machine: &Machine, numbers: &Numbers) -> Option<Order> {
    let (lane, lanes) = split_lane(plan.outer());
    let lie_apart = !steps_follow(lanes, |dim| dim.flat);
    let (others, entries) = bundle(lanes, lane, |dim| dim.flat);
    let inside = plan.outer().get(others.len()..).unwrap_or_default();
    let apart = |dims: &[Dim]| dims.iter().all(|dim| dim.table != 0);
    let gathers = matches!(call.direction, Direction::Gather);
    let calls = matches!(call.effect, Effect::Call);
    let free = !calls && (gathers || apart(others) || apart(inside));
    let Numbers { moved, table, indices, .. } = *numbers;
    let far = table.saturating_add(moved).saturating_add(indices) > tuning::far(machine);
    let most = if far { tuning::SHORT_GROUP_FAR } else { tuning::SHORT_GROUP };
    let short = plan.has_groups() && plan.group() <= most && entries <= tuning::SHORT_BUNDLE;
    (free && lie_apart && short && plan.pieces().is_empty()).then_some(Order::Across { entries })
}

/// Whether pieces lie within what an index chooses, and not further apart.
fn is_within_place(plan: &Plan, piece: &Dim) -> bool {
    let reach = piece.table.unsigned_abs();
    !plan.coordinates().is_empty()
        && plan.coordinates().iter().all(|axis| axis.table.unsigned_abs() > reach)
}

/// The dimensions of pieces that may be walked before the entries: those whose neighbours share no
/// lines of the caches, or few, which stay in L2, as their pages stay in the TLB. Pieces share none
/// of the table if they do not lie within what an index chooses, and none of the flat tensor if
/// they lie further apart than the entries.
fn pieces_first(plan: &Plan, call: &Call, machine: &Machine, numbers: &Numbers) -> usize {
    let entry = plan.outer().last().map_or(0, |entry| entry.flat.unsigned_abs());
    let line = numbers.row_bytes.max(tuning::LINE);
    let places = plan.places().min(numbers.entries);
    let fits = places.min(numbers.table / tuning::PAGE) <= tuning::PAGES;
    let table = if fits { places.saturating_mul(line) } else { usize::MAX };
    let flat = numbers.entries.saturating_mul(entry.saturating_mul(call.element).min(line));
    let first = |dim: &&Dim| {
        let shared = [(!is_within_place(plan, dim), table), (plan.is_apart(dim), flat)];
        let shared = shared.iter().filter(|(apart, _)| !apart);
        let shared = shared.fold(0_usize, |all, (_, lines)| all.saturating_add(*lines));
        shared <= tuning::block_of_pieces(machine)
    };
    plan.pieces().iter().take_while(first).count()
}

/// The entries of a block. What they reach, by all pieces but those along the `first` dimensions,
/// stays in half of L2, but there are at least `BLOCK_OF_PIECES`. Pieces along the first ones share
/// too few lines to gain from a shorter block, also where entries come before them: blocks of 64
/// entries took 1.2x to 1.9x there (gathered rows with gaps, two threads). A scatter that is one
/// block stays one: all its entries are resolved before the first one moves, which is its proof.
fn block(plan: &Plan, call: &Call, machine: &Machine, first: usize, order: Order) -> usize {
    let pieces = plan.pieces().get(first..).unwrap_or_default();
    let one_block = plan.is_one_block() && matches!(call.direction, Direction::Scatter);
    if pieces.is_empty() || one_block || matches!(order, Order::EachEntry) {
        return tuning::BLOCK;
    }
    let entries = tuning::block_of_pieces(machine) / plan.reach(pieces, call.element).max(1);
    entries.clamp(tuning::BLOCK_OF_PIECES, tuning::BLOCK)
}

fn streams(call: &Call, machine: &Machine, numbers: &Numbers) -> bool {
    let Numbers { row, row_bytes, moved, footprint, table, indices, .. } = *numbers;
    let gains = match (call.direction, call.effect) {
        (_, Effect::Call) => false,
        (Direction::Gather, _) if row == 1 => {
            moved >= tuning::STREAMED && machine.streams_elements && matches!(row_bytes, 4 | 8)
        }
        (Direction::Gather, _) => moved >= tuning::STREAMED && row_bytes >= tuning::STREAMED_GATHER,
        (Direction::Scatter, Effect::Assign) => {
            row > 1
                && moved >= tuning::streamed_scatter(machine)
                && row_bytes >= tuning::STREAMED_SCATTER
                && footprint > tuning::far(machine)
        }
        _ => false,
    };
    let all = moved.saturating_add(table).saturating_add(indices);
    gains && all > tuning::leaves_l3(machine)
}

fn ahead(call: &Call, machine: &Machine, numbers: &Numbers, streams: bool) -> usize {
    // Gathered elements of more than a line are prefetched as rows are.
    let long = numbers.row_bytes > tuning::LINE && matches!(call.direction, Direction::Gather);
    let single = numbers.row == 1 && !long;
    let from = match (numbers.row, call.direction, call.effect) {
        (1, Direction::Gather, _) if long => tuning::far(machine),
        (1, Direction::Gather, _) => tuning::far_read(machine),
        (1, Direction::Scatter, Effect::Assign) => tuning::far_set(machine),
        (1, Direction::Scatter, _) => tuning::far_changed(machine),
        _ => tuning::beyond_l2(machine),
    };
    // A call that moves few elements reaches a line for each at most.
    let reached = match numbers.moved.checked_div(call.element) {
        Some(moves) if single => numbers.footprint.min(moves.saturating_mul(tuning::LINE)),
        _ => numbers.footprint,
    };
    if !machine.prefetches || reached <= from || numbers.row == 1 && streams {
        return 0;
    }
    if single { tuning::ELEMENTS_AHEAD } else { tuning::ROWS_AHEAD }
}

/// The distance where the pieces of an entry are the innermost loop: to those of another entry, if
/// they are few.
fn pieces_ahead(plan: &Plan) -> usize {
    let (_, pieces) = Plan::run_of_pieces(plan.pieces());
    pieces.saturating_mul(tuning::ROWS_AHEAD).min(tuning::PIECES_AHEAD)
}

fn proof(
    plan: &Plan,
    call: &Call,
    machine: &Machine,
    numbers: &Numbers,
    split: Split,
    order: Order,
    tile: Option<usize>,
) -> Proof {
    // Worklists and pieces look at all addresses more than once; chunks of entries do not.
    let chunked = matches!(split, Split::Chunks { dim, .. } if dim < plan.outer);
    let again = matches!(split, Split::Parts { .. }) || matches!(order, Order::Pieces { .. });
    let again = again && !chunked;
    let fits = numbers.entries <= tuning::KEPT;
    if call.proven || !matches!(plan.bounds, Bounds::Error) {
        return if again && fits { Proof::Keep } else { Proof::Unneeded };
    }
    // Chunks along the first dimension are in the order of the entries. They take turns, for which
    // each keeps the addresses of a step at least.
    let step = plan.outer().first().and_then(|dim| numbers.entries.checked_div(dim.size));
    let long = step > Some(tuning::KEPT_CHUNK);
    let in_order = !matches!(split, Split::Chunks { dim, .. } if dim > 0 || long);
    let in_order = in_order && tile.is_none();
    let all_first = matches!(call.direction, Direction::Scatter) || call.proven_first || !in_order;
    if again && fits {
        return Proof::Keep;
    }
    let one_block = plan.is_one_block() && tile.is_none();
    if !all_first || (one_block && !chunked && !call.proven_first) {
        return Proof::Blocks;
    }
    let tuple = numbers.indices.checked_div(numbers.entries).unwrap_or(0);
    let (most, times) = tuning::speculative(machine);
    let copies = matches!(call.direction, Direction::Scatter)
        && !matches!(call.effect, Effect::Call)
        && matches!(split, Split::Serial(_))
        && plan.reads() >= tuning::SPECULATIVE
        && numbers.table <= most
        && numbers.table.saturating_mul(times) <= numbers.indices
        // What takes long to resolve is kept.
        && (tuple < tuning::KEPT_TUPLE || !fits)
        // A tile is a copy as well.
        && tile.is_none();
    if copies {
        return Proof::Copy;
    }
    // What many lanes share is looked at once. Tiles have addresses of their own.
    if numbers.distinct <= numbers.entries / 4 || tile.is_some() || chunked || !fits {
        return Proof::Scan;
    }
    let kept = numbers.entries.saturating_mul(size_of::<u32>());
    // What takes long to resolve is kept wherever it fits.
    let worth = kept <= tuning::beyond_l2(machine) || tuple >= tuning::KEPT_TUPLE;
    if worth { Proof::Keep } else { Proof::Scan }
}

/// One line: what the call does, and the numbers behind it.
impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moved = Size(self.moved);
        f.write_str("check: ")?;
        f.write_str(match self.proof {
            Proof::Unneeded => "none",
            Proof::Blocks => "block by block",
            Proof::Scan => "one pass, resolved again",
            Proof::Keep => "one pass, addresses kept",
            Proof::Copy => "on a copy of the data",
        })?;
        f.write_str("; threads: ")?;
        match self.split {
            Split::Serial(Alone::OneThread) => f.write_str("one")?,
            Split::Serial(Alone::LittleMoves) => {
                write!(f, "one, {moved} moved is below {}", Size(tuning::SERIAL))?;
            }
            Split::Serial(Alone::StaysInCache) => {
                write!(f, "one, the table of {} stays in a cache", Size(self.table))?;
            }
            Split::Serial(Alone::Interleaved) => f.write_str("one, what is written interleaves")?,
            Split::Serial(Alone::FarUpdates) => {
                f.write_str("one, updates of 2^32 elements or more")?
            }
            Split::Chunks { number, .. } => write!(f, "{number} chunks")?,
            Split::Tiles { .. } => f.write_str("tiles")?,
            Split::Tables { number } => write!(f, "{number} tables, merged")?,
            Split::Parts { number, .. } => write!(f, "{number} parts by worklist")?,
        }
        if let Some(width) = self.tile {
            write!(f, "; tile: {width} columns")?;
        }
        match self.order {
            Order::Entries => {}
            Order::Pieces { .. } => f.write_str("; order: pieces first")?,
            Order::EachEntry => f.write_str("; order: entry by entry")?,
            Order::Across { .. } => f.write_str("; order: across groups")?,
        }
        if self.runs && self.order != Order::EachEntry {
            f.write_str("; runs: entry by entry")?;
        }
        if self.block < tuning::BLOCK {
            write!(f, "; blocks of {} entries", self.block)?;
        }
        f.write_str(if self.rows { "; rows" } else { "; elements" })?;
        if self.distance > 0 {
            write!(f, "; prefetch: {} ahead, table {}", self.distance, Size(self.table))?;
        }
        if self.copies > 1 {
            write!(f, "; spread over {} copies", self.copies)?;
        }
        if self.segment > 0 {
            write!(f, "; prefetch: segments of {} elements", self.segment)?;
        }
        if self.streams {
            write!(f, "; stores: non-temporal, {moved} moved")?;
        }
        Ok(())
    }
}

/// A number of bytes.
struct Size(usize);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes < 1 << 10 => write!(f, "{bytes} B"),
            bytes if bytes < 1 << 20 => write!(f, "{:.1} KiB", bytes as f64 / 1024.0),
            bytes => write!(f, "{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
        }
    }
}
