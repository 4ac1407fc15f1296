//! Route: what each kind of work does on three machines, and each threshold at its edge. Nothing
//! depends on the machine that runs the tests.

use strew_simd::Machine;

use crate::engine::route::goes_by_entry;
use crate::engine::route::{Alone, Call, Effect, Order, Proof, Route, Split};
use crate::engine::tuning::{SHORT_BUNDLE, SHORT_GROUP, SHORT_GROUP_FAR, SHORT_ROW_OF_ONE};
use crate::engine::{Short, in_order, legal, needed, pieces_in_order, short};
use crate::error::Direction::{self, Gather, Scatter};
use crate::index::Bounds;
use crate::layout::Layout;
use crate::plan::Plan;
use crate::plan::tests::{axis, elements, nd, packed, sizes};

const ZEN_5: Machine = Machine { prefetches: true, ..Machine::ZEN_5 };
const EMERALD_RAPIDS: Machine = Machine { prefetches: true, ..Machine::EMERALD_RAPIDS };
/// Without prefetches, whatever the host has.
const PORTABLE: Machine = Machine { prefetches: false, ..Machine::PORTABLE };
const MACHINES: [Machine; 3] = [ZEN_5, EMERALD_RAPIDS, PORTABLE];

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
const M: usize = 1 << 20;

/// A gather by indices of 8 bytes, on one thread.
pub(super) fn gather(element: usize) -> Call {
    Call {
        direction: Gather,
        effect: Effect::Assign,
        element,
        index: 8,
        proven: false,
        proven_first: false,
        rows_of_one: false,
        threads: 1,
    }
}

pub(super) fn set(element: usize) -> Call {
    Call { direction: Scatter, ..gather(element) }
}

pub(super) fn of(direction: Direction) -> Call {
    Call { direction, ..gather(4) }
}

pub(super) fn add(element: usize) -> Call {
    Call { effect: Effect::Combine, ..set(element) }
}

fn free(element: usize) -> Call {
    Call { effect: Effect::Free, ..set(element) }
}

fn closure(element: usize) -> Call {
    Call { effect: Effect::Call, ..set(element) }
}

fn by(index: usize, call: Call) -> Call {
    Call { index, ..call }
}

fn threads(threads: usize, call: Call) -> Call {
    Call { threads, ..call }
}

/// `count` rows of a table.
fn rows(direction: Direction, places: usize, width: usize, count: usize) -> Plan {
    let (table, flat) = (packed([places, width]), packed([count, width]));
    axis(direction, &table, &packed([count]), &flat, 0)
}

/// Single elements.
fn single(direction: Direction, places: usize, count: usize) -> Plan {
    axis(direction, &packed([places]), &packed([count]), &packed([count]), 0)
}

/// One update for all.
fn histogram(bins: usize, count: usize) -> Plan {
    axis(Scatter, &packed([bins]), &packed([count]), &Layout::strided([count], [0]), 0)
}

/// Elements by pairs of coordinates.
fn pairs(direction: Direction, sizes: [usize; 2], count: usize) -> Plan {
    nd(direction, &packed(sizes), &packed([count, 2]), &packed([count]), 0)
}

/// A square of elements along an axis.
fn square(direction: Direction, size: usize, along: usize) -> Plan {
    let layout = packed([size, size]);
    elements(direction, &layout, &layout, &layout, along)
}

/// An axis between others: pieces.
fn middle(direction: Direction, sizes: [usize; 3], count: usize) -> Plan {
    let [before, _, after] = sizes;
    axis(direction, &packed(sizes), &packed([count]), &packed([before, count, after]), 1)
}

fn with(bounds: Bounds, mut plan: Plan) -> Plan {
    plan.set_bounds(bounds);
    plan
}

/// As a call of the engine finds it.
fn route(plan: &Plan, call: &Call, machine: &Machine) -> Route {
    let ordered = in_order(plan, call, machine);
    let plan = ordered.as_ref().unwrap_or(plan);
    let call = needed(plan, call);
    let route = Route::of(plan, &call, machine);
    legal::check(&route, plan, &call, machine);
    route
}

struct Kind {
    name: &'static str,
    plan: Plan,
    call: Call,
    zen_5: &'static str,
    emerald_rapids: &'static str,
    portable: &'static str,
}

fn kinds() -> Vec<Kind> {
    vec![
        Kind {
            name: "rows from L2",
            plan: rows(Gather, 4096, 16, 5000),
            call: gather(4),
            zen_5: "check: block by block; threads: one; rows",
            emerald_rapids: "check: block by block; threads: one; rows",
            portable: "check: block by block; threads: one; rows",
        },
        Kind {
            name: "rows from L3",
            plan: rows(Gather, 50_000, 64, 5000),
            call: gather(4),
            zen_5: "check: block by block; threads: one; rows; prefetch: 8 ahead, table 12.2 MiB",
            emerald_rapids: "\
                check: block by block; threads: one; rows; prefetch: 8 ahead, table 12.2 MiB",
            portable: "check: block by block; threads: one; rows",
        },
        Kind {
            name: "rows from memory",
            plan: rows(Gather, 4 * M, 64, 5000),
            call: gather(4),
            zen_5: "check: block by block; threads: one; rows; prefetch: 8 ahead, table 1024.0 MiB",
            emerald_rapids: "\
                check: block by block; threads: one; rows; prefetch: 8 ahead, table 1024.0 MiB",
            portable: "check: block by block; threads: one; rows",
        },
        Kind {
            name: "many rows from memory",
            plan: rows(Gather, 4 * M, 64, 500_000),
            call: gather(4),
            zen_5: "\
                check: block by block; threads: one; rows; prefetch: 8 ahead, table 1024.0 MiB; \
                stores: non-temporal, 122.1 MiB moved",
            emerald_rapids: "\
                check: block by block; threads: one; rows; prefetch: 8 ahead, table 1024.0 MiB; \
                stores: non-temporal, 122.1 MiB moved",
            portable: "\
                check: block by block; threads: one; rows; stores: non-temporal, 122.1 MiB moved",
        },
        Kind {
            name: "many short rows from memory",
            plan: rows(Gather, 4 * M, 16, 2_000_000),
            call: gather(4),
            zen_5: "check: block by block; threads: one; rows; prefetch: 8 ahead, table 256.0 MiB",
            emerald_rapids: "\
                check: block by block; threads: one; rows; prefetch: 8 ahead, table 256.0 MiB",
            portable: "check: block by block; threads: one; rows",
        },
        Kind {
            name: "elements from 4 KiB",
            plan: single(Gather, 1 << 10, 100_000),
            call: gather(4),
            zen_5: "check: block by block; threads: one; elements",
            emerald_rapids: "check: block by block; threads: one; elements",
            portable: "check: block by block; threads: one; elements",
        },
        Kind {
            name: "elements from 256 KiB",
            plan: single(Gather, 1 << 16, 100_000),
            call: gather(4),
            zen_5: "check: block by block; threads: one; elements",
            emerald_rapids: "check: block by block; threads: one; elements",
            portable: "check: block by block; threads: one; elements",
        },
        Kind {
            name: "elements from 4 MiB",
            plan: single(Gather, 1 << 20, 100_000),
            call: gather(4),
            zen_5: "check: block by block; threads: one; elements",
            emerald_rapids: "check: block by block; threads: one; elements",
            portable: "check: block by block; threads: one; elements",
        },
        Kind {
            name: "elements from 64 MiB",
            plan: single(Gather, 1 << 24, M),
            call: gather(4),
            zen_5: "\
                check: block by block; threads: one; elements; \
                prefetch: 64 ahead, table 64.0 MiB",
            emerald_rapids: "\
                check: block by block; threads: one; elements; \
                prefetch: 64 ahead, table 64.0 MiB",
            portable: "check: block by block; threads: one; elements",
        },
        Kind {
            name: "elements from 512 MiB",
            plan: single(Gather, 1 << 27, 4 * M),
            call: gather(4),
            zen_5: "\
                check: block by block; threads: one; elements; \
                prefetch: 64 ahead, table 512.0 MiB",
            emerald_rapids: "\
                check: block by block; threads: one; elements; \
                stores: non-temporal, 16.0 MiB moved",
            portable: "check: block by block; threads: one; elements",
        },
        Kind {
            name: "elements of 2 bytes",
            plan: single(Gather, 1 << 27, 8 * M),
            call: gather(2),
            zen_5: "\
                check: block by block; threads: one; elements; \
                prefetch: 64 ahead, table 256.0 MiB",
            emerald_rapids: "\
                check: block by block; threads: one; elements; \
                prefetch: 64 ahead, table 256.0 MiB",
            portable: "check: block by block; threads: one; elements",
        },
        Kind {
            name: "proven elements",
            plan: single(Gather, 1 << 24, 4 * M),
            call: Call { proven: true, ..gather(8) },
            zen_5: "check: none; threads: one; elements; prefetch: 64 ahead, table 128.0 MiB",
            emerald_rapids: "\
                check: none; threads: one; elements; \
                stores: non-temporal, 32.0 MiB moved",
            portable: "check: none; threads: one; elements",
        },
        Kind {
            name: "clamped elements",
            plan: with(Bounds::Clamp, single(Gather, 1 << 16, 100_000)),
            call: gather(4),
            zen_5: "check: none; threads: one; elements",
            emerald_rapids: "check: none; threads: one; elements",
            portable: "check: none; threads: one; elements",
        },
        Kind {
            name: "bytes as indices of 256 places",
            plan: single(Scatter, 256, 100_000),
            call: by(1, add(4)),
            zen_5: "check: none; threads: one; elements",
            emerald_rapids: "check: none; threads: one; elements",
            portable: "check: none; threads: one; elements",
        },
        Kind {
            name: "bytes as indices of 255 places",
            plan: single(Scatter, 255, 100_000),
            call: by(1, add(4)),
            zen_5: "check: on a copy of the data; threads: one; elements",
            emerald_rapids: "check: on a copy of the data; threads: one; elements",
            portable: "check: on a copy of the data; threads: one; elements",
        },
        Kind {
            name: "256 bins",
            plan: histogram(256, M),
            call: add(4),
            zen_5: "check: on a copy of the data; threads: one; elements",
            emerald_rapids: "check: on a copy of the data; threads: one; elements",
            portable: "check: on a copy of the data; threads: one; elements",
        },
        Kind {
            name: "4K bins",
            plan: histogram(4 << 10, M),
            call: add(4),
            zen_5: "check: on a copy of the data; threads: one; elements",
            emerald_rapids: "check: on a copy of the data; threads: one; elements",
            portable: "\
                check: on a copy of the data; threads: one; elements",
        },
        Kind {
            name: "64K bins",
            plan: histogram(64 << 10, M),
            call: add(4),
            zen_5: "\
                check: on a copy of the data; threads: one; elements",
            emerald_rapids: "\
                check: on a copy of the data; threads: one; elements",
            portable: "\
                check: on a copy of the data; threads: one; elements",
        },
        Kind {
            name: "1M bins",
            plan: histogram(M, 16 * M),
            call: add(4),
            zen_5: "check: on a copy of the data; threads: one; elements",
            emerald_rapids: "\
                check: one pass, resolved again; threads: one; elements; \
                prefetch: 64 ahead, table 4.0 MiB",
            portable: "check: one pass, resolved again; threads: one; elements",
        },
        Kind {
            name: "16M bins",
            plan: histogram(16 * M, 16 * M),
            call: add(4),
            zen_5: "\
                check: one pass, resolved again; threads: one; elements; \
                prefetch: 64 ahead, table 64.0 MiB",
            emerald_rapids: "\
                check: one pass, resolved again; threads: one; elements; \
                prefetch: 64 ahead, table 64.0 MiB",
            portable: "check: one pass, resolved again; threads: one; elements",
        },
        Kind {
            name: "64K bins by a closure",
            plan: histogram(64 << 10, M),
            call: closure(4),
            zen_5: "check: one pass, resolved again; threads: one; elements",
            emerald_rapids: "\
                check: one pass, resolved again; threads: one; elements",
            portable: "check: one pass, resolved again; threads: one; elements",
        },
        Kind {
            name: "64K bins, those outside left out",
            plan: with(Bounds::Skip, histogram(64 << 10, M)),
            call: add(4),
            zen_5: "check: none; threads: one; elements",
            emerald_rapids: "check: none; threads: one; elements",
            portable: "check: none; threads: one; elements",
        },
        Kind {
            name: "4K bins of a copy",
            plan: histogram(4 << 10, 100_000),
            call: Call { proven_first: true, ..add(4) },
            zen_5: "check: on a copy of the data; threads: one; elements",
            emerald_rapids: "check: on a copy of the data; threads: one; elements",
            portable: "\
                check: on a copy of the data; threads: one; elements",
        },
        Kind {
            name: "few bins and few indices",
            plan: histogram(256, 1000),
            call: add(4),
            zen_5: "check: block by block; threads: one; elements",
            emerald_rapids: "check: block by block; threads: one; elements",
            portable: "check: block by block; threads: one; elements",
        },
        Kind {
            name: "pairs",
            plan: pairs(Scatter, [1024, 1024], M),
            call: add(4),
            zen_5: "check: one pass, addresses kept; threads: one; elements",
            emerald_rapids: "\
                check: one pass, addresses kept; threads: one; elements; \
                prefetch: 64 ahead, table 4.0 MiB",
            portable: "check: one pass, addresses kept; threads: one; elements",
        },
        Kind {
            name: "pairs that are set",
            plan: pairs(Scatter, [4096, 4096], M),
            call: set(4),
            zen_5: "\
                check: one pass, addresses kept; threads: one; elements; \
                prefetch: 64 ahead, table 64.0 MiB",
            emerald_rapids: "\
                check: one pass, addresses kept; threads: one; elements; \
                prefetch: 64 ahead, table 64.0 MiB",
            portable: "check: one pass, addresses kept; threads: one; elements",
        },
        Kind {
            name: "elements that are set",
            plan: single(Scatter, 1 << 16, 200_000),
            call: set(4),
            zen_5: "\
                check: on a copy of the data; threads: one; elements",
            emerald_rapids: "\
                check: one pass, addresses kept; threads: one; elements; \
                prefetch: 64 ahead, table 256.0 KiB",
            portable: "\
                check: on a copy of the data; threads: one; elements",
        },
        Kind {
            name: "elements that are set in 64 MiB",
            plan: single(Scatter, 1 << 24, 4 * M),
            call: set(4),
            zen_5: "\
                check: one pass, resolved again; threads: one; elements; \
                prefetch: 64 ahead, table 64.0 MiB",
            emerald_rapids: "\
                check: one pass, resolved again; threads: one; elements; \
                prefetch: 64 ahead, table 64.0 MiB",
            portable: "check: one pass, resolved again; threads: one; elements",
        },
        Kind {
            name: "rows that are set",
            plan: rows(Scatter, 4 * M, 64, 100_000),
            call: set(4),
            zen_5: "\
                check: one pass, addresses kept; threads: one; rows; \
                prefetch: 8 ahead, table 1024.0 MiB; stores: non-temporal, 24.4 MiB moved",
            emerald_rapids: "\
                check: one pass, addresses kept; threads: one; rows; \
                prefetch: 8 ahead, table 1024.0 MiB; stores: non-temporal, 24.4 MiB moved",
            portable: "\
                check: one pass, addresses kept; threads: one; rows; \
                stores: non-temporal, 24.4 MiB moved",
        },
        Kind {
            name: "rows that are added",
            plan: rows(Scatter, 4 * M, 64, 100_000),
            call: add(4),
            zen_5: "\
                check: one pass, addresses kept; threads: one; rows; \
                prefetch: 8 ahead, table 1024.0 MiB",
            emerald_rapids: "\
                check: one pass, addresses kept; threads: one; rows; \
                prefetch: 8 ahead, table 1024.0 MiB",
            portable: "check: one pass, addresses kept; threads: one; rows",
        },
        Kind {
            name: "elements along axis 0",
            plan: square(Gather, 2048, 0),
            call: gather(4),
            zen_5: "\
                check: one pass, resolved again; threads: one; tile: 64 columns; \
                elements",
            emerald_rapids: "\
                check: one pass, resolved again; threads: one; tile: 64 columns; \
                elements; stores: non-temporal, 16.0 MiB moved",
            portable: "\
                check: one pass, resolved again; threads: one; tile: 64 columns; \
                elements",
        },
        Kind {
            name: "elements along axis 0, added",
            plan: square(Scatter, 2048, 0),
            call: add(4),
            zen_5: "\
                check: one pass, resolved again; threads: one; tile: 64 columns; \
                elements",
            emerald_rapids: "\
                check: one pass, resolved again; threads: one; tile: 64 columns; \
                elements",
            portable: "\
                check: one pass, resolved again; threads: one; tile: 64 columns; \
                elements",
        },
        Kind {
            name: "elements along axis 1",
            plan: square(Gather, 2048, 1),
            call: gather(4),
            zen_5: "\
                check: block by block; threads: one; elements; \
                prefetch: segments of 2048 elements",
            emerald_rapids: "\
                check: block by block; threads: one; elements; \
                prefetch: segments of 2048 elements; stores: non-temporal, 16.0 MiB moved",
            portable: "check: block by block; threads: one; elements",
        },
        Kind {
            name: "elements along axis 1, added",
            plan: square(Scatter, 2048, 1),
            call: add(4),
            zen_5: "\
                check: one pass, resolved again; threads: one; elements; \
                prefetch: segments of 2048 elements",
            emerald_rapids: "\
                check: one pass, resolved again; threads: one; elements; \
                prefetch: segments of 2048 elements",
            portable: "check: one pass, resolved again; threads: one; elements",
        },
        Kind {
            name: "an axis between others",
            plan: middle(Gather, [100, 1000, 3], 5000),
            call: gather(4),
            zen_5: "check: one pass, addresses kept; threads: one; order: pieces first; rows",
            emerald_rapids: "\
                check: one pass, addresses kept; threads: one; order: pieces first; rows",
            portable: "check: one pass, addresses kept; threads: one; order: pieces first; rows",
        },
        Kind {
            name: "an axis between others, few indices",
            plan: middle(Scatter, [1000, 100, 3], 50),
            call: add(4),
            zen_5: "check: one pass, resolved again; threads: one; rows",
            emerald_rapids: "check: one pass, resolved again; threads: one; rows",
            portable: "check: one pass, resolved again; threads: one; rows",
        },
        Kind {
            name: "the last axis",
            plan: middle(Gather, [100, 1000, 1], 5000),
            call: gather(4),
            zen_5: "\
                check: one pass, addresses kept; threads: one; order: pieces first; \
                elements",
            emerald_rapids: "\
                check: one pass, addresses kept; threads: one; order: pieces first; \
                elements",
            portable: "\
                check: one pass, addresses kept; threads: one; order: pieces first; \
                elements",
        },
        Kind {
            name: "a little on two threads",
            plan: rows(Gather, 4096, 16, 5000),
            call: threads(2, gather(4)),
            zen_5: "check: block by block; threads: one, 312.5 KiB moved is below 2.0 MiB; rows",
            emerald_rapids: "\
                check: block by block; threads: one, 312.5 KiB moved is below 2.0 MiB; rows",
            portable: "check: block by block; threads: one, 312.5 KiB moved is below 2.0 MiB; rows",
        },
        Kind {
            name: "rows on one thread",
            plan: rows(Gather, 50_000, 64, 50_000),
            call: threads(1, gather(4)),
            zen_5: "check: block by block; threads: one; rows; prefetch: 8 ahead, table 12.2 MiB",
            emerald_rapids: "\
                check: block by block; threads: one; rows; prefetch: 8 ahead, table 12.2 MiB; \
                stores: non-temporal, 12.2 MiB moved",
            portable: "\
                check: block by block; threads: one; rows; stores: non-temporal, 12.2 MiB moved",
        },
        Kind {
            name: "rows on two threads",
            plan: rows(Gather, 50_000, 64, 50_000),
            call: threads(2, gather(4)),
            zen_5: "\
                check: block by block; threads: 8 chunks; rows; \
                prefetch: 8 ahead, table 12.2 MiB",
            emerald_rapids: "\
                check: block by block; threads: 8 chunks; rows; \
                prefetch: 8 ahead, table 12.2 MiB; stores: non-temporal, 12.2 MiB moved",
            portable: "\
                check: block by block; threads: 8 chunks; rows; \
                stores: non-temporal, 12.2 MiB moved",
        },
        Kind {
            name: "rows on eight threads",
            plan: rows(Gather, 50_000, 64, 50_000),
            call: threads(8, gather(4)),
            zen_5: "\
                check: block by block; threads: 32 chunks; rows; \
                prefetch: 8 ahead, table 12.2 MiB",
            emerald_rapids: "\
                check: block by block; threads: 32 chunks; rows; \
                prefetch: 8 ahead, table 12.2 MiB; stores: non-temporal, 12.2 MiB moved",
            portable: "\
                check: block by block; threads: 32 chunks; rows; \
                stores: non-temporal, 12.2 MiB moved",
        },
        Kind {
            name: "an axis between others on two threads",
            plan: middle(Gather, [100, 1000, 3], 5000),
            call: threads(2, gather(4)),
            zen_5: "check: one pass, addresses kept; threads: 8 chunks; order: pieces first; rows",
            emerald_rapids: "\
                check: one pass, addresses kept; threads: 8 chunks; order: pieces first; rows",
            portable: "\
                check: one pass, addresses kept; threads: 8 chunks; order: pieces first; rows",
        },
        Kind {
            name: "4K bins on two threads",
            plan: histogram(4 << 10, 4 * M),
            call: threads(2, add(4)),
            zen_5: "\
                check: on a copy of the data; \
                threads: one, the table of 16.0 KiB stays in a cache; elements",
            emerald_rapids: "\
                check: on a copy of the data; \
                threads: one, the table of 16.0 KiB stays in a cache; elements",
            portable: "\
                check: on a copy of the data; \
                threads: one, the table of 16.0 KiB stays in a cache; elements",
        },
        Kind {
            name: "16M bins on two threads",
            plan: histogram(16 * M, 16 * M),
            call: threads(2, add(4)),
            zen_5: "\
                check: one pass, resolved again; threads: 2 parts by worklist; elements; \
                prefetch: 64 ahead, table 64.0 MiB",
            emerald_rapids: "\
                check: one pass, resolved again; threads: 2 parts by worklist; elements; \
                prefetch: 64 ahead, table 64.0 MiB",
            portable: "\
                check: one pass, resolved again; threads: 2 parts by worklist; \
                elements",
        },
        Kind {
            name: "16M bins on sixteen threads",
            plan: histogram(16 * M, 4 * M),
            call: threads(16, add(4)),
            zen_5: "\
                check: one pass, addresses kept; threads: 8 parts by worklist; elements; \
                prefetch: 64 ahead, table 64.0 MiB",
            emerald_rapids: "\
                check: one pass, addresses kept; threads: 8 parts by worklist; elements; \
                prefetch: 64 ahead, table 64.0 MiB",
            portable: "\
                check: one pass, addresses kept; threads: 8 parts by worklist; \
                elements",
        },
        Kind {
            name: "rows that are added on sixteen threads",
            plan: rows(Scatter, 4 * M, 64, 100_000),
            call: threads(16, add(4)),
            zen_5: "\
                check: one pass, addresses kept; threads: 16 parts by worklist; rows; \
                prefetch: 8 ahead, table 1024.0 MiB",
            emerald_rapids: "\
                check: one pass, addresses kept; threads: 16 parts by worklist; rows; \
                prefetch: 8 ahead, table 1024.0 MiB",
            portable: "check: one pass, addresses kept; threads: 16 parts by worklist; rows",
        },
        Kind {
            name: "rows that lie anywhere",
            plan: axis(
                Scatter,
                &Layout::strided([1000, 500], [1, 1000]),
                &packed([5000]),
                &packed([5000, 500]),
                0,
            ),
            call: threads(2, add(4)),
            zen_5: "\
                check: one pass, addresses kept; threads: 2 chunks; order: pieces first; \
                runs: entry by entry; elements",
            // Its L2 has the table.
            emerald_rapids: "\
                check: one pass, addresses kept; threads: 2 chunks; order: entry by entry; \
                elements",
            portable: "\
                check: one pass, addresses kept; threads: 2 chunks; order: pieces first; \
                runs: entry by entry; elements",
        },
        Kind {
            name: "rows whose distances have no common measure",
            plan: axis(
                Scatter,
                &Layout::strided([1000, 4, 20], [130, 30, 1]),
                &packed([9000]),
                &packed([9000, 4, 20]),
                0,
            ),
            call: threads(2, add(4)),
            zen_5: "\
                check: one pass, addresses kept; threads: one, what is written interleaves; \
                blocks of 819 entries; rows",
            emerald_rapids: "\
                check: one pass, addresses kept; threads: one, what is written interleaves; \
                order: pieces first; rows",
            portable: "\
                check: one pass, addresses kept; threads: one, what is written interleaves; \
                blocks of 819 entries; rows",
        },
        Kind {
            name: "elements along axis 0 on two threads",
            plan: square(Gather, 2048, 0),
            call: threads(2, gather(4)),
            zen_5: "\
                check: one pass, resolved again; threads: 2 chunks; tile: 64 columns; \
                elements",
            emerald_rapids: "\
                check: one pass, resolved again; threads: 2 chunks; tile: 64 columns; \
                elements; stores: non-temporal, 16.0 MiB moved",
            portable: "\
                check: one pass, resolved again; threads: 2 chunks; tile: 64 columns; \
                elements",
        },
        Kind {
            name: "elements along axis 0, added on eight threads",
            plan: square(Scatter, 2048, 0),
            call: threads(8, add(4)),
            zen_5: "\
                check: one pass, resolved again; threads: tiles; tile: 64 columns; \
                elements",
            emerald_rapids: "\
                check: one pass, resolved again; threads: tiles; tile: 64 columns; \
                elements",
            portable: "\
                check: one pass, resolved again; threads: tiles; tile: 64 columns; \
                elements",
        },
        Kind {
            name: "elements along axis 1, added on two threads",
            plan: square(Scatter, 2048, 1),
            call: threads(2, add(4)),
            zen_5: "\
                check: one pass, resolved again; threads: 8 chunks; elements; \
                prefetch: segments of 2048 elements",
            emerald_rapids: "\
                check: one pass, resolved again; threads: 8 chunks; elements; \
                prefetch: segments of 2048 elements",
            portable: "\
                check: one pass, resolved again; threads: 8 chunks; elements",
        },
        Kind {
            name: "short groups, the last two dimensions in another order",
            plan: elements(
                Scatter,
                &packed([1000, 9, 2, 4]),
                &packed([1000, 4, 2, 3]),
                &Layout::strided([1000, 4, 2, 3], [24, 6, 1, 2]),
                1,
            ),
            call: set(4),
            zen_5: "\
                check: one pass, addresses kept; threads: one; order: across groups; elements",
            emerald_rapids: "\
                check: one pass, addresses kept; threads: one; order: across groups; elements",
            portable: "\
                check: one pass, addresses kept; threads: one; order: across groups; elements",
        },
        Kind {
            name: "a gather to columns",
            plan: axis(
                Gather,
                &packed([1000, 500]),
                &packed([5000]),
                &Layout::strided([5000, 500], [-1, 5000]).with_offset(4999),
                0,
            ),
            call: threads(2, gather(4)),
            zen_5: "\
                check: one pass, addresses kept; threads: one, what is written interleaves; \
                order: pieces first; elements",
            emerald_rapids: "\
                check: one pass, addresses kept; threads: one, what is written interleaves; \
                order: pieces first; elements; \
                stores: non-temporal, 9.5 MiB moved",
            portable: "\
                check: one pass, addresses kept; threads: one, what is written interleaves; \
                order: pieces first; elements",
        },
    ]
}

#[test]
fn kinds_of_work() {
    let mut failed = String::new();
    for Kind { name, plan, call, zen_5, emerald_rapids, portable } in kinds() {
        let expected = [zen_5, emerald_rapids, portable];
        for (machine, expected) in MACHINES.iter().zip(expected) {
            let found = route(&plan, &call, machine).to_string();
            if found != expected {
                failed += &format!("{name}\n  expected {expected:?}\n  found    {found:?}\n");
            }
        }
    }
    assert!(failed.is_empty(), "\n{failed}");
}

/// Elements that are combined and close go entry by entry in runs, if there are some of them.
#[test]
fn pieces_of_runs() {
    let runs = |pieces: usize, strides: [isize; 2], call: &Call| {
        let table = Layout::strided([9000, pieces], [1, 9000]);
        let flat = Layout::strided([20_000, pieces], strides);
        let plan = axis(call.direction, &table, &packed([20_000]), &flat, 0);
        route(&plan, call, &ZEN_5).runs
    };
    let close = |pieces: usize| [pieces as isize, 1];
    let callback = Call { effect: Effect::Call, ..add(4) };
    assert_eq!([3, 4, 9].map(|pieces| runs(pieces, close(pieces), &add(4))), [false, true, true]);
    assert!(runs(4, close(4), &callback));
    assert_eq!([set(4), gather(4)].map(|call| runs(4, close(4), &call)), [false; 2]);
    assert!(!runs(4, [1, 20_000], &add(4)));
}

/// A machine with a small L3 that is near.
const NEAR: Machine = ZEN_5;
/// One with a large L3.
const FAR: Machine = EMERALD_RAPIDS;

/// What `of` says of two numbers that follow each other.
fn edge<T>(at: usize, of: impl Fn(usize) -> T) -> [T; 2] {
    [of(at), of(at + 1)]
}

fn proof(plan: &Plan, call: &Call, machine: &Machine) -> Proof {
    route(plan, call, machine).proof
}

// -- The short ways -------------------------------------------------------------------------------

fn is_one_block(plan: &Plan, call: &Call) -> bool {
    short(plan, call) == Some(Short::OneBlock)
}

#[test]
fn small_calls() {
    let small = |count| is_one_block(&single(Gather, 100, count), &gather(4));
    assert_eq!(edge(1024, small), [true, false]);
    let small = |width| is_one_block(&rows(Gather, 10, width, 256), &gather(4));
    assert_eq!(edge(MIB / 1024, small), [true, false]);
    assert!(is_one_block(&single(Gather, 100 * M, 100), &gather(4)));
    // Dimensions of the indices that do not merge.
    let dims = |indices: Layout, flat: Layout| axis(Gather, &packed([100]), &indices, &flat, 0);
    let two = dims(Layout::strided([3, 4], [5, 1]), packed([3, 4]));
    let three = dims(Layout::strided([2, 3, 4], [40, 5, 1]), packed([2, 3, 4]));
    assert_eq!([two, three].map(|plan| is_one_block(&plan, &gather(4))), [true, false]);
    // Pieces.
    assert!(!is_one_block(&middle(Gather, [2, 10, 3], 20), &gather(4)));
    let plan = single(Scatter, 100, 20);
    assert!(is_one_block(&plan, &add(4)));
}

#[test]
fn calls_that_move_nothing_and_long_tables() {
    let of = |plan: Plan| short(&plan, &gather(1));
    assert_eq!(of(single(Gather, 100, 0)), Some(Short::Nothing));
    let longest = i32::MAX as usize;
    assert_eq!(of(single(Gather, longest, 2000)), None);
    assert_eq!(of(single(Gather, longest + 1, 1000)), Some(Short::Wide));
    assert_eq!(of(single(Gather, longest + 1, 1)), Some(Short::Wide));
}

#[test]
fn pieces_come_first_where_there_are_few_entries() {
    let outer = |count| {
        let plan = middle(Gather, [7, 10, 3], count);
        pieces_in_order(&plan, &gather(4), &NEAR).map(|plan| plan.outer)
    };
    assert_eq!(edge(256, outer), [Some(2), None]);
    let elements = |count: usize| {
        let flat = Layout::strided([count, 500], [1, 600]);
        let plan = axis(Gather, &packed([10, 500]), &packed([count]), &flat, 0);
        pieces_in_order(&plan, &gather(4), &NEAR).map(|plan| plan.outer)
    };
    assert_eq!(edge(32, elements), [Some(2), None]);
    let falling = |count: usize| {
        let table = Layout::strided([7, 10, 3], [-30, 3, 1]).with_offset(180);
        let plan = axis(Gather, &table, &packed([count]), &packed([7, count, 3]), 1);
        let plan = pieces_in_order(&plan, &gather(4), &NEAR).unwrap();
        (plan.outer, plan.dims[0].table, plan.start.table)
    };
    // Unless there are fewer of them than steps of a piece of single elements,
    let columns = |count: usize, flat: [isize; 2]| {
        let table = Layout::strided([10, 7], [1, 10]);
        axis(Gather, &table, &packed([count]), &Layout::strided([count, 7], flat), 0)
    };
    let first = |plan: Plan| pieces_in_order(&plan, &gather(4), &NEAR).is_some();
    assert_eq!([6, 7, 8].map(|count| first(columns(count, [7, 1]))), [false, true, true]);
    // whose places lie together,
    assert_eq!([[20, 3], [3, 18], [1, 6]].map(|flat| first(columns(6, flat))), [false, true, true]);
    // or whose rows of the table share sets of L1.
    let aliased = |row: usize| {
        let table = Layout::strided([10, 7], [row as isize, 2]);
        let flat = Layout::strided([6, 7], [1, 6]);
        first(axis(Gather, &table, &packed([6]), &flat, 0))
    };
    assert_eq!([511, 512, 513, 1024].map(aliased), [true, false, true, false]);
    // Of two dimensions they come before the lanes,
    let plan = nd(Scatter, &packed([9, 7]), &packed([3, 5, 1]), &columns_of([3, 5, 7]), 0);
    let plan = pieces_in_order(&plan, &set(4), &NEAR).unwrap();
    assert_eq!(sizes(plan.outer()).collect::<Vec<_>>(), [3, 7, 5]);
    // the longest one next to them, where the last one is short,
    let flat = Layout::strided([4, 70, 6, 4], [6, 24, 1, 0]);
    let plan = axis(Scatter, &packed([9, 70, 6, 4]), &packed([4]), &flat, 0);
    let plan = in_order(&plan, &set(4), &NEAR).unwrap();
    assert_eq!(sizes(plan.outer()).collect::<Vec<_>>(), [6, 4, 70, 4]);
    // and no piece goes back.
    assert_eq!(falling(256), (2, 30, 0));
    let table = Layout::strided([7, 10, 3], [-30, 3, 1]).with_offset(180);
    let plan = axis(Gather, &table, &packed([257]), &packed([7, 257, 3]), 1);
    let plan = pieces_in_order(&plan, &gather(4), &NEAR).unwrap();
    assert_eq!((plan.outer, plan.pieces()[0].table, plan.start.table), (1, 30, 0));
}

/// Of each entry the elements lie further apart than entries do.
fn columns_of([a, b, n]: [usize; 3]) -> Layout {
    Layout::strided([a, b, n], [(b * n) as isize, 1, b as isize])
}

/// An axis between others, and a flat tensor with any strides.
fn between(sizes: [usize; 3], count: usize, flat: [isize; 3]) -> Plan {
    let [before, _, after] = sizes;
    let flat = Layout::strided([before, count, after], flat);
    axis(Gather, &packed(sizes), &packed([count]), &flat, 1)
}

#[test]
fn pieces_of_an_entry_are_the_innermost_loop() {
    let each = |plan: &Plan, call: Call| goes_by_entry(plan, &call, &NEAR);
    // Columns that fill a line of the flat tensor, one after the other.
    let columns = |width: usize, flat: [isize; 2]| {
        let table = Layout::strided([1000, width], [2 * width as isize, 2]);
        axis(Gather, &table, &packed([5000]), &Layout::strided([5000, width], flat), 0)
    };
    let fills = |element| edge(64 / element, |n| !each(&columns(n - 1, [100, 1]), gather(element)));
    assert_eq!([1, 4, 8, 16, 32].map(fills), [[true, false]; 5]);
    // With gaps, as long as four share a line.
    let gaps = |step: usize| each(&columns(16, [100, step as isize]), gather(4));
    assert_eq!(edge(4, gaps), [true, false]);
    assert!(!each(&columns(16, [1, 5000]), gather(4)), "further apart than entries");
    // Columns of the table, each of which is a line of its own for each entry, if L2 has them.
    let planar = |direction, places: usize| {
        let table = Layout::strided([places, 16], [1, places as isize]);
        axis(direction, &table, &packed([5000]), &packed([5000, 16]), 0)
    };
    let gathered = edge(NEAR.l2 / 64, |places| each(&planar(Gather, places), gather(4)));
    let added = edge(NEAR.l2 / 64, |places| each(&planar(Scatter, places), add(4)));
    assert_eq!([gathered, added], [[true, false]; 2]);
    // From farther away, if the lines that entries share lie in few sets of L2.
    let crowded = |step: usize, count: usize| {
        let table = Layout::strided([100_000, 16], [1, 100_000]);
        let flat = Layout::strided([count, 16], [step as isize, 1]);
        each(&axis(Scatter, &table, &packed([count]), &flat, 0), add(4))
    };
    assert_eq!(edge(NEAR.l2 / 64, |count| crowded(17, count)), [false, true]);
    assert_eq!(edge(NEAR.l2 / 4096, |count| crowded(1024, count)), [false, true]);
    assert!(!crowded(1024 + 16, NEAR.l2 / 64));
    // Few places, of whichever batch.
    let batches = |places: usize, width: usize| {
        let (table, indices) = (packed([30, places, width]), packed([30, 100, 1]));
        let flat = Layout::strided([30, 100, width], [20_000, 200, 3]);
        each(&nd(Scatter, &table, &indices, &flat, 1), add(4))
    };
    assert_eq!(edge(8, |places| batches(places, 10)), [true, false]);
    assert_eq!([5, 6].map(|width| batches(5, width)), [false, true]);
    // The same further apart than entries, as long as L2 has the lines of a lane; or short lanes.
    let apart = |places: usize, lane: usize, width: usize| {
        let flat = Layout::strided([1000, lane, width], [1, 1000, 1000 * lane as isize]);
        each(&axis(Scatter, &packed([places, width]), &packed([1000, lane]), &flat, 0), add(4))
    };
    assert_eq!(edge(8, |places| apart(places, 20, 40)), [true, false]);
    assert_eq!(edge(NEAR.l2 / 64 / 20, |width| apart(8, 20, width)), [true, false]);
    assert_eq!(edge(7, |lane| apart(100, lane, 40)), [true, false]);
    assert_eq!(edge(27, |width| !apart(100, 7, width)), [true, false]);
    assert_eq!(edge(NEAR.l2 / 64 / 4, |width| apart(100, 4, width)), [true, false]);
    let follow = Layout::strided([1000, 4, 40], [4, 1, 4000]);
    assert!(!each(&axis(Scatter, &packed([100, 40]), &packed([1000, 4]), &follow, 0), add(4)));
    // Rows that follow each other where they are gathered; many of them with gaps, or scattered.
    let rows = |number: usize, gap: usize, call: Call| {
        let table = Layout::strided([1000, number, 6], [number as isize * 8, 8, 1]);
        let step = 6 + gap;
        let flat = Layout::strided([5000, number, 6], [(number * step) as isize, step as isize, 1]);
        each(&axis(Gather, &table, &packed([5000]), &flat, 0), call)
    };
    assert!(rows(2, 0, gather(4)) && !rows(2, 0, add(4)));
    for (gap, call) in [(1, gather(4)), (0, set(4)), (1, add(4))] {
        assert_eq!(edge(11, |number| !rows(number, gap, call)), [true, false]);
    }
    // Not those of other places.
    let other = between([20, 100, 30], 5000, [40, 800, 1]);
    assert!(!each(&other, add(4)) && !other.is_apart(&other.pieces()[0]));
    // The prefetch reaches another entry.
    let distance = |number: usize| {
        let table = Layout::strided([100_000, number, 6], [number as isize * 8, 8, 1]);
        let plan = axis(Gather, &table, &packed([5000]), &packed([5000, number, 6]), 0);
        route(&plan, &gather(4), &NEAR).distance
    };
    assert_eq!([2, 16, 20, 1000].map(distance), [16, 128, 128, 128]);
}

/// Entries of different groups change places if that changes no order of what leads to one place.
#[test]
fn rows_of_one_update_are_the_innermost_loop() {
    let of = |strides: [isize; 2], width| {
        let updates = Layout::strided([300, width], strides);
        axis(Scatter, &packed([99, width]), &packed([300]), &updates, 0)
    };
    let by_entry = |plan: &Plan, rows_of_one| {
        let call = Call { rows_of_one, ..add(4) };
        MACHINES.map(|machine| route(plan, &call, &machine).order == Order::EachEntry)
    };
    let least = SHORT_ROW_OF_ONE;
    assert_eq!(by_entry(&of([1, 0], least), true), [true; 3]);
    // What moves has no loop for them, the row is shorter, each element has an update.
    assert_eq!(by_entry(&of([1, 0], least), false), [false; 3]);
    assert_eq!(by_entry(&of([1, 0], least - 1), true), [false; 3]);
    assert_eq!(by_entry(&of([1, 300], least), true), [false; 3]);
}

#[test]
fn short_groups_go_across() {
    let plan = |direction, [n, b, c]: [usize; 3], along: usize| {
        let mut places = [n, b, c];
        places[along] = 9;
        let flat = Layout::strided([n, b, c], [b * c, 1, b].map(|stride| stride as isize));
        elements(direction, &packed(places), &packed([n, b, c]), &flat, along)
    };
    let order = |plan: &Plan, call: &Call| route(plan, call, &NEAR).order;
    let across = |plan: &Plan, call: &Call| matches!(order(plan, call), Order::Across { .. });
    for (direction, call) in [(Gather, gather(4)), (Scatter, set(4)), (Scatter, free(4))] {
        let short = |most| edge(most / 2, |c| across(&plan(direction, [500, 2, c], 2), &call));
        assert_eq!(short(SHORT_GROUP), [true, false]);
        // Of a step, SHORT_GROUP indices, elements of the flat tensor, and 18 of the table.
        let step = SHORT_GROUP * (8 + 4) + 2 * 9 * 4;
        let near = |n| across(&plan(direction, [n, 2, SHORT_GROUP / 2], 2), &call);
        assert_eq!(edge(NEAR.l2 * 8 / step, near), [true, false]);
        let far = |c| across(&plan(direction, [1 << 18, 2, c], 2), &call);
        assert_eq!(edge(SHORT_GROUP_FAR / 2, far), [true, false]);
    }
    assert!(!across(&plan(Scatter, [500, 2, 3], 2), &closure(4)));
    // Lanes that start a step apart are one run. Groups that do not lie so are a bundle together.
    let flat = |n, strides: [isize; 4]| {
        let sizes = [300, n, 2, 3];
        let flat = Layout::strided(sizes, strides);
        let plan = elements(Gather, &packed([300, 9, 2, 4]), &packed(sizes), &flat, 1);
        order(&plan, &gather(4))
    };
    let strides = [[24, 6, 1, 2], [24, 6, 3, 1], [6, 1800, 1, 2]];
    let [group, bundle] = [6, 24].map(|entries| Order::Across { entries });
    assert_eq!(strides.map(|strides| flat(4, strides)), [group, Order::Entries, bundle]);
    let bundle = |n| flat(n, [6, 1800, 1, 2]) != Order::Entries;
    assert_eq!(edge(SHORT_BUNDLE / 6, bundle), [true, false]);
    // Those of one axis meet: it is outside of groups, or is one of their dimensions, not both.
    let meets = |direction| {
        [0, 1, 2].map(|along| across(&plan(direction, [500, 2, 3], along), &of(direction)))
    };
    assert_eq!([Gather, Scatter].map(meets), [[true; 3]; 2]);
    let pairs = Layout::strided([500, 2, 3, 1], [6, 3, 1, 1]);
    let flat = Layout::strided([500, 2, 3], [6, 1, 2]);
    let tuples = |direction| nd(direction, &packed([50]), &pairs, &flat, 0);
    assert_eq!([Gather, Scatter].map(|to| across(&tuples(to), &of(to))), [true, false]);
    // Entries with pieces go in their order: far ones of a large table, which do not come first.
    let (sizes, table) = ([50_000, 2, 3, 3], packed([1 << 20, 3]));
    let indices = Layout::strided([50_000, 2, 3, 1], [6, 3, 1, 1]);
    let flat = Layout::strided(sizes, [18, 1, 2, 6]);
    let order = |to| route(&nd(to, &table, &indices, &flat, 0), &of(to), &NEAR).order;
    assert_eq!([Gather, Scatter].map(order), [Order::Entries; 2]);
}

/// Pieces that follow each other in the flat tensor are one lane, wherever they lie in the table.
#[test]
fn pieces_that_follow_each_other_are_a_run() {
    // [C, H, W] of a table in which the channels lie side by side.
    let planes = |[c, h, w]: [usize; 3], flat: [isize; 3]| {
        let row = c * h * w;
        let table = [row, 1, w * c, c].map(|stride| stride as isize);
        let table = Layout::strided([1000, c, h, w], table);
        let strides = [2 * row as isize, flat[0], flat[1], flat[2]];
        let start = flat.iter().zip([c, h, w]).filter(|(step, _)| **step < 0);
        let start = start.map(|(step, size)| step.unsigned_abs() * (size - 1)).sum();
        let flat = Layout::from_parts(&[5000, c, h, w], &strides, start).unwrap();
        axis(Gather, &table, &packed([5000]), &flat, 0)
    };
    // Rows of a plane are one dimension already.
    let runs = [
        ([2, 3, 4], [12, 4, 1], (2, 24)),
        ([2, 3, 4], [-12, -4, -1], (2, 24)),
        ([2, 3, 4], [12, 4, -1], (3, 24)),
        ([2, 3, 4], [13, 4, 1], (1, 12)),
        ([2, 32, 16], [512, 16, 1], (2, 1024)),
        ([3, 32, 16], [512, 16, 1], (1, 512)),
        ([2, 30, 40], [1200, 40, 1], (1, 1200)),
    ];
    for (sizes, flat, run) in runs {
        let plan = planes(sizes, flat);
        assert_eq!(Plan::run_of_pieces(plan.pieces()), run, "{sizes:?} by {flat:?}");
    }
    let each = |sizes: [usize; 3]| {
        goes_by_entry(
            &planes(sizes, [(sizes[1] * sizes[2]) as isize, sizes[2] as isize, 1]),
            &set(4),
            &NEAR,
        )
    };
    assert_eq!([[3, 1, 5], [4, 2, 2], [16, 7, 7]].map(each), [false, true, true]);
}

/// Of chunks of entries that threads share, those that take turns keep addresses.
#[test]
fn pieces_come_first_in_chunks_of_entries_that_take_turns() {
    let flat = Layout::strided([100, 10, 5000, 3], [15_000, 1_500_000, 3, 1]);
    let plan = axis(Gather, &packed([100, 1000, 3]), &packed([10, 5000]), &flat, 1);
    let of = |call| route(&plan, &call, &NEAR);
    let proven = |call| Call { proven: true, ..call };
    let found =
        [gather(4), threads(2, gather(4)), proven(gather(4)), proven(threads(2, gather(4)))];
    let found = found.map(|call| {
        let route = of(call);
        let first = matches!(route.order, Order::Pieces { .. });
        assert_eq!(route.to_string().contains("pieces first"), first, "{route}");
        let shared = matches!(route.split, Split::Chunks { dim: 0, .. });
        // They share no lines: blocks are as long where entries come before them.
        assert_eq!(route.block, 1024, "{route}");
        (route.proof, shared, first)
    });
    let expected = [
        (Proof::Keep, false, true),
        (Proof::Blocks, true, true),
        (Proof::Keep, false, true),
        (Proof::Unneeded, true, false),
    ];
    assert_eq!(found, expected);
}

/// Chunks that take turns keep the addresses of one step at least. Where a step is too long for
/// that, all indices are looked at first, and entries come before their pieces.
#[test]
fn long_steps_take_no_turns() {
    let of = |lane: usize| {
        let [lane_step, step] = [lane, 50 * lane].map(|step| step as isize);
        let flat = Layout::strided([50, 4, lane], [lane_step, step, 1]);
        let plan = axis(Gather, &packed([50, 1000]), &packed([4, lane]), &flat, 1);
        let route = route(&plan, &threads(2, gather(4)), &NEAR);
        let first = matches!(route.order, Order::Pieces { .. });
        assert_eq!(route.to_string().contains("pieces first"), first, "{route}");
        (route.proof, route.split, first)
    };
    let split = Split::Chunks { dim: 0, number: 4 };
    assert_eq!(edge(1 << 17, of), [(Proof::Blocks, split, true), (Proof::Scan, split, false)]);
}

#[test]
fn pieces_come_first_unless_their_lines_would_be_fetched_again() {
    let order = |plan: &Plan| route(plan, &gather(4), &NEAR).order;
    let first = |dimensions| Order::Pieces { dimensions };
    let lines = NEAR.l2 / 2 / 64;
    // Those before the axis lie further apart than what an index chooses from.
    assert_eq!(order(&middle(Gather, [7, 100_000, 1], 50_000)), first(1));
    // Those after it share lines of the table, if they lie apart in the flat tensor,
    let after = |places, count| between([1, places, 10], count, [0, 1, 50_000]);
    let stay = [first(1), Order::Entries];
    assert_eq!(edge(lines, |places| order(&after(places, 50_000))), stay);
    assert_eq!(edge(lines, |count| order(&after(50_000, count))), stay);
    // or of both.
    let gaps = |count: usize| order(&between([1, 100, 10], count, [0, 20, 2]));
    assert_eq!(edge(lines - 100, gaps), stay);
    let gaps = |count: usize| order(&between([1, 100, 3], count, [0, 8, 2]));
    assert_eq!(edge(2 * (lines - 100), gaps), stay);
    // Their pages stay in the TLB as well.
    let rows = |places: usize| {
        let table = Layout::strided([places, 10], [2048, 1]);
        let flat = Layout::strided([5000, 10], [1, 5000]);
        order(&axis(Gather, &table, &packed([5000]), &flat, 0))
    };
    assert_eq!(edge(1024, rows), stay);
    // Of both, the first ones.
    let both = |places| order(&between([7, places, 10], 50_000, [500_000, 1, 50_000]));
    assert_eq!(edge(lines, both), [first(2), first(1)]);
}

/// Routes that are legal, of scatters whose blocks would be short.
#[test]
fn a_scatter_of_one_block_stays_one() {
    let rows = |count: usize| {
        let table = Layout::strided([5000, 3, 2048], [3 * 2049, 2049, 1]);
        axis(Scatter, &table, &packed([count]), &packed([count, 3, 2048]), 0)
    };
    for machine in MACHINES {
        let found = edge(1024, |count| {
            let Route { proof, block, .. } = route(&rows(count), &add(4), &machine);
            (proof, block)
        });
        assert_eq!(found, [(Proof::Blocks, 1024), (Proof::Keep, 64)]);
    }
}

/// The smallest stride has no magnitude that is a stride.
#[test]
fn strides_without_magnitude() {
    let flat = Layout::strided([5000, 2], [1, isize::MIN]).with_offset(1 << (usize::BITS - 1));
    let plan = axis(Gather, &packed([1000, 2]), &packed([5000]), &flat, 0);
    assert_eq!(route(&plan, &gather(4), &NEAR).order, Order::Pieces { dimensions: 1 });
}

/// What moves by functions alone is not written with non-temporal stores, nor without prefetches.
#[test]
fn gathers_by_functions() {
    let plan = rows(Gather, 1_000_000, 64, 600_000);
    let call = Call { effect: Effect::Call, ..gather(4) };
    for machine in MACHINES {
        assert!(!route(&plan, &call, &machine).streams);
    }
}

#[test]
fn blocks_of_pieces_stay_in_l2() {
    let block = |width: usize| {
        let plan = between([1, 1_000_000, width], 5000, [0, 3 * width as isize, 3]);
        route(&plan, &gather(8), &NEAR).block
    };
    // An entry reaches its columns in the table, and with gaps in the flat tensor.
    let entries = |width: usize| NEAR.l2 / 2 / (8 * width + 24 * width - 16);
    assert_eq!([30, 100].map(block), [30, 100].map(entries));
    assert_eq!([3, 4000].map(block), [1024, 64]);
}

// -- Proof ----------------------------------------------------------------------------------------

#[test]
fn what_is_proven_needs_no_proof() {
    for machine in MACHINES {
        let plan = single(Scatter, 256, 5000);
        let of = |call: Call| proof(&plan, &call, &machine);
        assert_eq!(of(Call { proven: true, ..add(4) }), Proof::Unneeded);
        assert_eq!(of(by(1, add(4))), Proof::Unneeded);
        assert_ne!(of(by(2, add(4))), Proof::Unneeded);
        assert_ne!(proof(&single(Scatter, 255, 5000), &by(1, add(4)), &machine), Proof::Unneeded);
        // Of pairs both axes count.
        let pairs = |sizes| proof(&pairs(Scatter, sizes, 5000), &by(1, add(4)), &machine);
        assert_eq!(pairs([256, 300]), Proof::Unneeded);
        assert!(pairs([255, 300]) != Proof::Unneeded && pairs([300, 255]) != Proof::Unneeded);
        for bounds in [Bounds::Clamp, Bounds::Wrap, Bounds::Skip] {
            let plan = with(bounds, single(Scatter, 1000, 5000));
            assert_eq!(proof(&plan, &add(4), &machine), Proof::Unneeded);
        }
        // Pieces look at all addresses more than once, whatever is proven.
        let plan = with(Bounds::Skip, middle(Scatter, [7, 1000, 3], 5000));
        assert_eq!(proof(&plan, &add(4), &machine), Proof::Keep);
    }
}

#[test]
fn one_block_is_proven_before_it_moves() {
    for (machine, call) in
        MACHINES.iter().flat_map(|machine| [(machine, set(4)), (machine, add(4))])
    {
        let of = |count| proof(&single(Scatter, 100_000, count), &call, machine);
        assert_eq!(edge(1024, of), [Proof::Blocks, Proof::Keep]);
        let functional = Call { proven_first: true, ..call };
        let of = |count| proof(&single(Scatter, 100_000, count), &functional, machine);
        assert_eq!(of(1000), Proof::Keep);
        // A gather may have moved what comes before a bad index.
        assert_eq!(proof(&single(Gather, 100, 100_000), &gather(4), machine), Proof::Blocks);
    }
    // What the threads share is no block.
    let plan = elements(Scatter, &packed([4, 1000]), &packed([4, 200]), &packed([4, 200]), 1);
    let of = |call: Call| proof(&plan, &call, &NEAR);
    assert_eq!(of(threads(2, set(4 * KIB))), Proof::Scan);
    assert_eq!(of(threads(1, set(4 * KIB))), Proof::Blocks);
}

#[test]
fn addresses_are_kept_up_to_16_mib() {
    for machine in MACHINES {
        let of = |count| proof(&pairs(Scatter, [4096, 4096], count), &set(4), &machine);
        assert_eq!(edge(1 << 22, of), [Proof::Keep, Proof::Scan]);
        // Also where pieces come first.
        let of = |count| route(&middle(Scatter, [7, 100_000, 3], count), &set(4), &machine);
        assert_eq!(edge(1 << 22, |n| of(n).proof), [Proof::Keep, Proof::Scan]);
        assert_eq!(
            edge(1 << 22, |n| of(n).order),
            [Order::Pieces { dimensions: 1 }, Order::Entries]
        );
        let of = |count| {
            let call = Call { proven: true, ..threads(2, add(64)) };
            route(&rows(Scatter, 100_000, 16, count), &call, &machine)
        };
        assert_eq!(edge(1 << 22, |n| of(n).proof), [Proof::Keep, Proof::Unneeded]);
    }
}

#[test]
fn long_tuples_are_kept() {
    for machine in MACHINES {
        let places = 1 << 24;
        // 4 bytes of an address for each entry: they stay in L2, or the tuple is long.
        let of = |count| proof(&single(Scatter, places, count), &set(4), &machine);
        assert_eq!(edge(machine.l2 / 4, of), [Proof::Keep, Proof::Scan]);
        let of = |index| proof(&single(Scatter, places, 1 << 20), &by(index, set(4)), &machine);
        assert_eq!(edge(15, of), [Proof::Scan, Proof::Keep]);
    }
}

#[test]
fn what_lanes_share_is_resolved_again() {
    let of = |lanes| {
        let indices = Layout::strided([lanes, 5000], [0, 1]);
        let flat = packed([lanes, 5000]);
        proof(&axis(Scatter, &packed([1 << 20]), &indices, &flat, 0), &set(4), &NEAR)
    };
    assert_eq!(edge(3, of), [Proof::Keep, Proof::Scan]);
}

#[test]
fn small_data_change_on_a_copy() {
    // At most `most` bytes of data, and `times` fewer than the indices have.
    let one_mesh = Machine { l3: 8 * MIB, ..FAR };
    for (machine, most, times) in
        [(NEAR, 4 * MIB, 4), (FAR, MIB, 8), (PORTABLE, MIB, 4), (one_mesh, MIB, 4)]
    {
        let of = |bins| proof(&histogram(bins, 100 * M), &add(4), &machine);
        assert_eq!(edge(most / 4, of), [Proof::Copy, Proof::Scan], "{machine:?}");
        let bins = 1 << 13;
        let of = |count| proof(&histogram(bins, count), &add(4), &machine);
        let count = bins * 4 * times / 8;
        assert_eq!(edge(count - 1, of), [Proof::Keep, Proof::Copy], "{machine:?}");
        let of = |call: Call| proof(&histogram(1000, 100_000), &call, &machine);
        assert_eq!(of(set(4)), Proof::Copy);
        assert_eq!(of(closure(4)), Proof::Keep);
        assert_eq!(of(threads(2, add(4))), Proof::Copy);
    }
    // The number of indices, which are no single block.
    let functional = Call { proven_first: true, ..add(4) };
    let of = |count| proof(&histogram(10, count), &functional, &NEAR);
    assert_eq!(edge(1023, of), [Proof::Keep, Proof::Copy]);
    let of = |count| proof(&pairs(Scatter, [2, 5], count), &by(4, functional), &NEAR);
    assert_eq!(edge(511, of), [Proof::Keep, Proof::Copy]);
    // Not what takes long to resolve.
    let of = |count| proof(&pairs(Scatter, [2, 5], count), &by(8, functional), &NEAR);
    assert_eq!(edge(511, of), [Proof::Keep, Proof::Keep]);
    // Not what threads share.
    let plan = axis(Scatter, &packed([2, 100]), &packed([M]), &packed([2, M]), 1);
    assert_eq!(proof(&plan, &threads(1, add(4)), &NEAR), Proof::Keep);
}

#[test]
fn order_free_elements_are_spread_over_copies() {
    for machine in MACHINES {
        let of = |bins| route(&histogram(bins, 4 * M), &free(4), &machine).copies;
        assert_eq!(edge(machine.l1 / 16, of), [4, 1]);
        let of = |count| route(&histogram(500, count), &free(4), &machine).copies;
        assert_eq!(edge(7999, of), [1, 4]);
        let of = |plan: Plan, call| route(&plan, &call, &machine);
        assert_eq!(of(histogram(500, M), add(4)).copies, 1);
        assert_eq!(of(rows(Scatter, 50, 8, M), free(4)).copies, 1);
        assert_eq!(of(middle(Scatter, [7, 10, 3], M), free(4)).copies, 1);
        // They prove as well, also what is proven.
        let proven = Call { proven: true, ..free(4) };
        assert_eq!(of(histogram(500, M), proven).proof, Proof::Copy);
        assert_eq!(of(histogram(500, M), threads(2, free(4))).copies, 4);
    }
}

#[test]
fn order_free_reductions_share_by_tables_of_their_own() {
    let merged = |split| matches!(split, Split::Tables { number: 2 });
    for machine in MACHINES {
        let two = threads(2, free(4));
        let of = |bins| merged(split(&histogram(bins, 4 * M), &two, &machine));
        assert_eq!(edge(4 * M / 8, of), [true, false]);
        assert_eq!(proof(&histogram(1000, 4 * M), &two, &machine), Proof::Copy);
        let of = |plan: Plan, call| merged(split(&plan, &call, &machine));
        assert!(of(rows(Scatter, 1000, 8, M), two));
        assert!(!of(rows(Scatter, 1000, 8, M), threads(2, add(4))));
        assert!(!of(middle(Scatter, [7, 10, 3], M), two));
    }
}

/// An opaque reduction is never called before all indices are proven.
#[test]
fn no_closure_changes_a_copy() {
    for (machine, kind) in
        MACHINES.iter().flat_map(|machine| kinds().into_iter().map(move |kind| (machine, kind)))
    {
        for threads in [1, 2, 8] {
            let call = Call { effect: Effect::Call, threads, direction: Scatter, ..kind.call };
            assert_ne!(proof(&kind.plan, &call, machine), Proof::Copy, "{}", kind.name);
        }
    }
}

// -- Prefetch -------------------------------------------------------------------------------------

#[test]
fn far_entries_are_prefetched() {
    // 1.5x the size of L3, where that is near.
    for (machine, near) in [(NEAR, Some(48 * MIB)), (FAR, None)] {
        let of = |call, direction| {
            move |places| route(&single(direction, places, M), &call, &machine).distance
        };
        let from = |far: usize| near.unwrap_or(far) / 4;
        assert_eq!(edge(from(machine.l2 * 8), of(gather(4), Gather)), [0, 64]);
        assert_eq!(edge(from(machine.l2), of(add(4), Scatter)), [0, 64]);
        assert_eq!(edge(from(machine.l2), of(closure(4), Scatter)), [0, 64]);
        assert_eq!(edge(from(machine.l1 / 3 * 2), of(set(4), Scatter)), [0, 64]);
        // Lanes that share their indices lead to lines of their own.
        let shared = axis(Gather, &packed([64, M]), &packed([20_000]), &packed([64, 20_000]), 1);
        assert_eq!(route(&shared, &gather(1), &machine).distance, 0);
        let shared = axis(Scatter, &packed([64, M]), &packed([20_000]), &packed([64, 20_000]), 1);
        let far = |call| route(&shared, &call, &machine).distance;
        // The lane of 4 MB is what one block reaches, which L3 holds where it is near.
        assert_eq!(far(add(4)), if near.is_some() { 0 } else { 64 });
        // Few entries reach few lines.
        let of = |count| route(&single(Gather, 100 * M, count), &gather(4), &machine).distance;
        assert_eq!(edge(from(machine.l2 * 8) / 16, of), [0, 64]);
        for (direction, call) in [(Gather, gather(4)), (Scatter, set(4)), (Scatter, add(4))] {
            let of = |places| route(&rows(direction, places, 4, 10_000), &call, &machine).distance;
            assert_eq!(edge(machine.l2 / 16, of), [0, 8]);
        }
        let without = Machine { prefetches: false, ..machine };
        let of = |plan: Plan| route(&plan, &gather(4), &without).distance;
        assert_eq!((of(single(Gather, 1 << 27, 10 * M)), of(rows(Gather, M, 9, 9999))), (0, 0));
    }
}

#[test]
fn l3_is_near_up_to_64_mib() {
    let of = |l3| {
        let machine = Machine { l3, ..NEAR };
        route(&single(Scatter, 1 << 20, 100_000), &set(4), &machine).distance
    };
    assert_eq!(edge(64 * MIB, of), [0, 64]);
    assert_eq!(of(0), 64);
}

#[test]
fn lanes_of_a_far_flat_tensor_are_prefetched() {
    for (machine, far) in [(NEAR, 48 * MIB), (FAR, 16 * MIB)] {
        let of = |call: Call, direction: fn(usize) -> Plan| {
            move |elements| route(&direction(elements), &call, &machine).apart
        };
        let output = |lanes| axis(Gather, &packed([9]), &packed([lanes]), &packed([lanes]), 0);
        let updates = |lanes| axis(Scatter, &packed([9]), &packed([lanes]), &packed([lanes]), 0);
        assert_eq!(edge(far / 4, of(gather(4), output)), [usize::MAX, 16]);
        assert_eq!(edge(far / 8, of(gather(8), output)), [usize::MAX, 8]);
        assert_eq!(edge(far / 4, of(add(4), updates)), [usize::MAX, 16]);
        assert_eq!(of(gather(100), output)(far), 0);
    }
}

#[test]
fn segments_of_4096_elements_are_prefetched() {
    let of = |size, lane, machine: &Machine| {
        let layout = packed([50, lane]);
        let plan = elements(Gather, &packed([50, size]), &layout, &layout, 1);
        route(&plan, &gather(4), machine).segment
    };
    assert_eq!(edge(4096, |size| of(size, 2000, &NEAR)), [4096, 0]);
    assert_eq!(edge(63, |lane| of(100, lane, &NEAR)), [0, 100]);
    assert_eq!(edge(249, |lane| of(1000, lane, &FAR)), [0, 1000]);
    assert_eq!(of(100, 64, &PORTABLE), 0);
    // Of rows nothing, nor of tiles.
    let (table, ids) = (packed([50, 100, 3]), packed([50, 90, 1]));
    let plan = nd(Gather, &table, &ids, &packed([50, 90, 3]), 1);
    assert_eq!(route(&plan, &gather(4), &NEAR).segment, 0);
}

// -- Non-temporal stores --------------------------------------------------------------------------

fn streams(plan: &Plan, call: &Call, machine: &Machine) -> bool {
    route(plan, call, machine).streams
}

#[test]
fn rows_that_are_gathered_with_non_temporal_stores() {
    for machine in MACHINES {
        let of = |width| streams(&rows(Gather, 1 << 22, width, 1 << 20), &gather(1), &machine);
        assert_eq!(edge(255, of), [false, true]);
        let of = |count| streams(&rows(Gather, 1 << 22, 256, count), &gather(1), &machine);
        assert_eq!(edge((8 * MIB) / 256 - 1, of), [false, true]);
    }
    // Where L3 is near, what is read and written must leave it.
    let (rows_moved, width, index) = (32 * KIB, 256, 8);
    let rest = 32 * MIB - rows_moved * (width + index);
    let of = |machine| {
        move |places| streams(&rows(Gather, places, width, rows_moved), &gather(1), machine)
    };
    assert_eq!(edge(rest / width, of(&NEAR)), [false, true]);
    assert!(of(&FAR)(1) && !of(&NEAR)(1));
}

#[test]
fn elements_that_are_gathered_with_non_temporal_stores() {
    let of = |element, machine| {
        move |count| streams(&single(Gather, 1 << 20, count), &gather(element), machine)
    };
    assert_eq!(edge(8 * MIB / 4 - 1, of(4, &FAR)), [false, true]);
    assert_eq!(edge(8 * MIB / 8 - 1, of(8, &FAR)), [false, true]);
    assert_eq!([1, 2, 3, 5, 16].map(|element| of(element, &FAR)(16 * M)), [false; 5]);
    assert!(!of(4, &NEAR)(16 * M));
    // They are not prefetched.
    let of = |count| route(&single(Gather, 1 << 27, count), &gather(4), &FAR).distance;
    assert_eq!(edge(8 * MIB / 4 - 1, of), [64, 0]);
    let of = |count| route(&rows(Gather, 1 << 20, 64, count), &gather(4), &FAR);
    assert_eq!((of(M).distance, of(M).streams), (8, true));
}

#[test]
fn rows_that_are_set_with_non_temporal_stores() {
    for (machine, least) in [(NEAR, 8 * MIB), (FAR, 4 * MIB), (PORTABLE, 8 * MIB)] {
        let of = |width| streams(&rows(Scatter, 1 << 22, width, 1 << 20), &set(1), &machine);
        assert_eq!(edge(63, of), [false, true]);
        let of = |count| streams(&rows(Scatter, 1 << 22, 64, count), &set(1), &machine);
        assert_eq!(edge(least / 64 - 1, of), [false, true]);
        let of = |places| streams(&rows(Scatter, places, 64, 1 << 20), &set(1), &machine);
        assert_eq!(edge(machine.l2 * 8 / 64, of), [false, true]);
        assert!(!streams(&rows(Scatter, 1 << 22, 64, 1 << 20), &add(1), &machine));
        assert!(!streams(&single(Scatter, 1 << 22, 1 << 20), &set(64), &machine));
    }
}

// -- Tiles ----------------------------------------------------------------------------------------

/// The width of the tiles for `elements` along axis 0.
fn tile(call: &Call, machine: &Machine, table: [usize; 2], indices: [usize; 2]) -> Option<usize> {
    let layout = packed(indices);
    let plan = elements(call.direction, &packed(table), &layout, &layout, 0);
    route(&plan, call, machine).tile
}

#[test]
fn columns_of_tables_beyond_l2_go_by_tiles() {
    for machine in MACHINES {
        // A column and a byte fewer than L2.
        let of = |columns| tile(&gather(1), &machine, [1024, columns], [1024, columns]);
        assert_eq!(edge(machine.l2 / 1024, of), [None, Some(64)]);
        // As many rows of indices as those of the table, or half of them.
        let of = |rows| tile(&gather(4), &machine, [2000, 2000], [rows, 2000]);
        assert_eq!(edge(999, of), [None, Some(64)]);
        for call in [set(4), add(4)] {
            let of = |rows| tile(&call, &machine, [2000, 2000], [rows, 2000]);
            assert_eq!(edge(1999, of), [None, Some(64)]);
        }
        // A tile stays in L2, and is worth its copy.
        let rows = |columns: usize| machine.l2 / columns;
        let of = |rows: usize| tile(&set(1), &machine, [rows, 1000], [rows, 1000]);
        assert_eq!(edge(rows(64), of), [Some(64), Some(63)]);
        assert_eq!(edge(rows(16), of), [Some(16), None]);
        // One that is only read has 64 columns, or 256 bytes of each row.
        let of = |rows: usize| tile(&gather(1), &machine, [rows, 1000], [rows, 1000]);
        assert_eq!(edge(rows(64), of), [Some(64), None]);
        let of = |rows: usize| tile(&gather(8), &machine, [rows, 1000], [rows, 1000]);
        assert_eq!(edge(rows(32 * 8), of), [Some(32), None]);
        assert_eq!(
            edge(15, |columns| tile(&set(1), &machine, [rows(16), columns], [rows(16), columns])),
            [None, None]
        );
        let lane = |columns| {
            tile(&gather(16), &machine, [machine.l2 / 256, columns], [machine.l2 / 256, columns])
        };
        assert_eq!([lane(15), lane(16), lane(17)], [None, None, Some(16)]);
        // A lane goes through few rows without one, and long elements are gathered without.
        let long = |call: Call, rows| tile(&call, &machine, [rows, machine.l2], [rows, machine.l2]);
        for call in [gather(4), set(4)] {
            assert_eq!(edge(63, |rows| long(call, rows)), [None, Some(64)]);
        }
        assert_eq!(edge(16, |element| long(gather(element), 64)), [Some(64), None]);
        assert!(long(set(17), 64).is_some());
    }
    assert_eq!(tile(&gather(0), &NEAR, [2000, 2000], [2000, 2000]), None);
}

/// What tiles there are no columns for.
#[test]
fn other_plans_have_no_tiles() {
    let (table, ids) = (packed([2000, 2000]), packed([2000, 2000]));
    let tile = |plan: Plan| route(&plan, &gather(4), &NEAR).tile;
    assert_eq!(tile(elements(Gather, &table, &ids, &ids, 0)), Some(64));
    assert_eq!(tile(elements(Gather, &table, &ids, &ids, 1)), None);
    let columns = Layout::strided([2000, 2000], [1, 2000]);
    assert_eq!(tile(elements(Gather, &columns, &ids, &ids, 0)), None);
    assert_eq!(tile(elements(Gather, &table, &columns, &ids, 0)), None);
    // The output may lie anyhow.
    assert_eq!(tile(elements(Gather, &table, &ids, &columns, 0)), Some(64));
    // Rows of the table that overlap.
    let overlap = Layout::strided([2000, 2000], [1999, 1]);
    assert_eq!(tile(elements(Gather, &overlap, &ids, &ids, 0)), None);
    assert_eq!(
        tile(elements(Gather, &Layout::strided([2000, 2000], [2001, 1]), &ids, &ids, 0)),
        Some(64)
    );
    // Tables one after the other.
    let three = packed([3, 2000, 2000]);
    assert_eq!(tile(elements(Gather, &three, &three, &three, 1)), Some(64));
    // Nothing is prefetched on a tile.
    let route = route(&elements(Gather, &table, &ids, &ids, 0), &gather(8), &NEAR);
    assert_eq!((route.tile, route.distance, route.segment), (Some(64), 0, 0));
}

// -- Threads --------------------------------------------------------------------------------------

fn split(plan: &Plan, call: &Call, machine: &Machine) -> Split {
    route(plan, call, machine).split
}

#[test]
fn one_thread_is_alone() {
    for machine in MACHINES {
        let of = |number| split(&rows(Gather, 100, 64, M), &threads(number, gather(4)), &machine);
        assert_eq!(
            edge(1, of),
            [Split::Serial(Alone::OneThread), Split::Chunks { dim: 0, number: M / (16 << 10) }]
        );
        assert_eq!(of(0), Split::Serial(Alone::OneThread));
        let of = |rows| split(&self::rows(Gather, 100, 64, rows), &threads(2, gather(1)), &machine);
        assert_eq!(
            edge(2 * MIB / 64 - 1, of),
            [Split::Serial(Alone::LittleMoves), Split::Chunks { dim: 0, number: 8 }]
        );
        // Entries count as well, those of a table that is far more.
        let far = machine.l2 * 8;
        for (bins, entries) in [(100, 128 * KIB), (far, 128 * KIB), (far + 1, 32 * KIB)] {
            let of = |n| split(&single(Gather, bins, n), &threads(2, gather(1)), &machine);
            assert_eq!(
                edge(entries - 1, of),
                [Split::Serial(Alone::LittleMoves), Split::Chunks { dim: 0, number: 8 }]
            );
        }
        // No more chunks than steps.
        let of = |rows| {
            let layout = packed([rows, M]);
            split(&elements(Gather, &layout, &layout, &layout, 1), &threads(3, gather(4)), &machine)
        };
        assert_eq!(edge(11, of), [11, 12].map(|number| Split::Chunks { dim: 0, number }));
        assert_eq!(of(13), of(12));
    }
}

#[test]
fn scatters_of_elements_and_short_rows_into_caches_are_serial() {
    let two = threads(2, add(4));
    for (machine, most) in [(NEAR, 16 * MIB), (FAR, 2 * MIB), (PORTABLE, 4 * MIB)] {
        let of = |bins| split(&histogram(bins, 16 * M), &two, &machine);
        assert_eq!(
            edge(most / 4, of),
            [Split::Serial(Alone::StaysInCache), Split::Parts { pitch: 1, number: 2 }]
        );
        // Of rows those of a line, into eight times L2.
        let stays = Split::Serial(Alone::StaysInCache);
        let of = |row| split(&rows(Scatter, 10, row, M), &two, &machine);
        assert_eq!(edge(16, of), [stays, Split::Parts { pitch: 17, number: 2 }]);
        let of = |places| split(&rows(Scatter, places, 16, M), &two, &machine);
        assert_eq!(edge(machine.l2 / 8, of), [stays, Split::Parts { pitch: 16, number: 2 }]);
    }
    // By tuples as well, which all threads resolve.
    let of = |rows| split(&pairs(Scatter, [rows, 1024], 4 * M), &two, &FAR);
    assert_eq!(
        edge(512, of),
        [Split::Serial(Alone::StaysInCache), Split::Parts { pitch: 1, number: 2 }]
    );
}

/// Places in the updates are numbers of 32 bits.
#[cfg(target_pointer_width = "64")]
#[test]
fn scatters_of_far_updates_are_serial() {
    let two = threads(2, add(4));
    let updates = |step| Layout::strided([1 << 20], [step]);
    let of = |step| {
        let plan = axis(Scatter, &packed([1 << 24]), &packed([1 << 20]), &updates(step), 0);
        split(&plan, &two, &NEAR)
    };
    assert_eq!(
        [of(4096), of(4097)],
        [Split::Parts { pitch: 1, number: 2 }, Split::Serial(Alone::FarUpdates)]
    );
}

#[test]
fn worklists_are_for_8_threads() {
    let number = |split| match split {
        Split::Parts { number, .. } => number,
        _ => 0,
    };
    let elements = |n| number(split(&histogram(1 << 26, 4 * M), &threads(n, add(4)), &NEAR));
    assert_eq!([7, 8, 9, 64].map(elements), [7, 8, 8, 8]);
    let rows = |n| number(split(&rows(Scatter, 1 << 20, 4, 4 * M), &threads(n, add(4)), &NEAR));
    assert_eq!([7, 8, 9, 64].map(rows), [7, 8, 9, 64]);
}

#[test]
fn tiles_and_chunks_of_tiles() {
    for number in [2, 8] {
        let of = |plan: Plan, call: Call| split(&plan, &threads(number, call), &NEAR);
        assert_eq!(of(square(Scatter, 2048, 0), add(4)), Split::Tiles { number });
        assert_eq!(of(square(Gather, 2048, 0), gather(4)), Split::Chunks { dim: 0, number });
        let chunks = Split::Chunks { dim: 0, number: 4 * number };
        assert_eq!(of(square(Scatter, 2048, 1), add(4)), chunks);
        assert_eq!(of(square(Gather, 2048, 1), Call { proven: true, ..gather(4) }), chunks);
        // Those that take turns are short.
        let turns = Split::Chunks { dim: 0, number: 2048 * 2048 / (16 << 10) };
        assert_eq!(of(square(Gather, 2048, 1), gather(4)), turns);
    }
}

/// Which dimension is the outermost in what is written, and whether its steps are apart.
#[test]
fn chunks_are_apart() {
    let two = |call| threads(2, call);
    let of = |direction, table: &Layout, flat: &Layout, along| {
        let plan = axis(direction, table, &packed([1000]), flat, along);
        let call = Call { direction, ..two(add(1000)) };
        let plan = plan.with_rising_pieces();
        Route::of(&plan, &call, &NEAR).split
    };
    let chunks = |dim| Split::Chunks { dim, number: 8 };
    let interleaved = Split::Serial(Alone::Interleaved);
    let table = packed([50, 100, 30]);
    // A gather by the output: entries, or the dimension before the axis.
    assert_eq!(of(Gather, &table, &packed([50, 1000, 30]), 1), chunks(1));
    let output = Layout::strided([50, 1000, 30], [30, 1500, 1]);
    assert_eq!(of(Gather, &table, &output, 1), chunks(0));
    assert_eq!(of(Gather, &packed([100, 30]), &packed([1000, 30]), 0), chunks(0));
    // Steps of a dimension that comes before the others, or among them.
    let output = Layout::strided([1000, 30], [31, 1]);
    assert_eq!(of(Gather, &packed([100, 30]), &output, 0), chunks(0));
    let output = Layout::strided([1000, 30], [-30, 1]).with_offset(29_970);
    assert_eq!(of(Gather, &packed([100, 30]), &output, 0), interleaved);
    // A scatter by the data: no step of the entries alone.
    assert_eq!(of(Scatter, &table, &packed([50, 1000, 30]), 1), chunks(1));
    let columns = Layout::strided([100, 30], [1, 100]);
    let cuts_rows = Split::Chunks { dim: 1, number: 2 };
    assert_eq!(of(Scatter, &columns, &packed([1000, 30]), 0), cuts_rows);
    let parts = Split::Parts { pitch: 30, number: 2 };
    assert_eq!(of(Scatter, &packed([100, 30]), &packed([1000, 30]), 0), parts);
    // All entries write one place.
    let one = split(&histogram(1, 4 * M), &two(add(4)), &NEAR);
    assert_eq!(one, Split::Serial(Alone::StaysInCache));
    // An axis whose positions lead back.
    let back = Layout::strided([50, 100, 30], [3000, -30, 1]).with_offset(2970);
    let parts = Split::Parts { pitch: 30, number: 2 };
    assert_eq!(of(Scatter, &back, &packed([50, 1000, 30]), 1), parts);
}
