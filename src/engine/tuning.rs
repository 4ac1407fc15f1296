//! The thresholds of routes and of the stages, each with its unit, what it decides, and the
//! measurement that set it (`benches/record`; families of `strew-benches`). What has none says
//! *unmeasured*.
//!
//! Sizes of caches are read from the machine: those that depend on one are functions of it.
//!
//! Fuzzers (`--cfg fuzzing`) have lower thresholds, so that small cases go every way.

use strew_simd::Machine;

/// A threshold, and the one that fuzzers have.
const fn least(threshold: usize, fuzzing: usize) -> usize {
    if cfg!(fuzzing) { fuzzing } else { threshold }
}

// -- Traversal ------------------------------------------------------------------------------------

/// Entries: the addresses that are resolved, and then moved, at a time. Two blocks stay in L1.
/// Record: blocks of 256 to 1,024 take 0.5x to 1.15x the time of a fused loop, of 64 up to 1.4x.
pub(crate) const BLOCK: usize = least(1024, 64);

/// Bytes, for two decisions. The pieces along a dimension may be walked before the entries if the
/// lines that they share have at most these bytes. A block has as many entries as reach these bytes
/// by all other pieces, so that what they share stays in L2. Record: on Zen 4, `sweep 9091 400`,
/// columns of a table of 33 MiB 0.3x, rows of 24 bytes 0.55x.
pub(crate) fn block_of_pieces(machine: &Machine) -> usize {
    if cfg!(fuzzing) { 1 << 10 } else { machine.l2 / 2 }
}

/// Entries of a block that [`block_of_pieces`] makes shorter, at least. Unmeasured.
pub(crate) const BLOCK_OF_PIECES: usize = least(64, 16);

/// Entries: calls of at most this many go one by one, if each moves one element. If each moves a
/// column of elements, and in scatters whose entries lie a step apart, [`FEW_IN_GROUPS`] holds
/// instead. Record: against kernels, from L1 on Zen 4, by loops alone: 16 entries 0.5x to 0.6x; 40
/// entries 0.75x to 1.0x. On Zen 5, with [`FEW_BY_KERNEL`]: 65 to 128 entries set 0.75x to 0.9x,
/// added 0.65x to 0.8x, by pairs 0.65x to 1.0x, gathered 0.7x to 1.0x; 160 entries 0.85x to 1.05x;
/// lanes of 2 with gaps up to 1.2x.
pub(crate) const FEW: usize = least(128, 6);

/// Indices: where a call one by one has fewer, a loop finds where they lead, else a kernel does,
/// unless a gather moves each element as soon as its index is resolved. Record: single indices on
/// Zen 5, 47 entries 0.85x to 1.15x, 56 entries 0.75x to 1.05x, 64 entries 0.7x to 0.95x; pairs, 24
/// entries 0.7x to 0.75x.
pub(crate) const FEW_BY_KERNEL: usize = least(48, 5);

/// [`FEW`] for entries that move a row each, and for arithmetic of single `f16`. It is also the
/// number of gathered rows in all, up to which entries that move several may have rows of any
/// length. Record: of 3 and 16 f32 on Zen 4, 16 rows 0.75x to 0.85x, 40 rows 1.4x. On Emerald
/// Rapids, 8 rows of 384 f32, of entries that move several: 0.56x. Sums of `f16` on Zen 5: 25
/// entries 1.4x, 64 entries 2.6x.
pub(crate) const FEW_OTHERS: usize = least(24, 4);

/// [`FEW`] for rows that have gaps between their lanes, or that are pieces. Record: single elements
/// in lanes of 5 with gaps on Zen 4, 20 entries 0.7x, 50 entries 1.0x. Rows are unmeasured.
pub(crate) const FEW_APART: usize = least(40, 4);

/// Indices of a group, which is all entries of the last two dimensions. A
/// call of several groups and more than [`FEW_APART`] entries goes one by one if each group has at
/// most these, unless lanes start a step apart in the indices and in the flat tensor. Record:
/// `elements` of three dimensions with gaps. By entries of a group: on Zen 5, against kernels in
/// the long spans that came before groups together (RECORD, *Across groups*), 4 to 24 entries 0.25x
/// to 1.05x, 36 entries 0.4x to 0.75x, 81 entries 0.65x to 1.15x, 120 entries 0.7x to 1.85x; on Zen
/// 4, against a group at a time, 64 entries 1.0x to 1.15x, of 2 to 4 coordinates 1.25x to 1.6x. By
/// entries in all, against groups together: 150 to 256 entries 0.4x to 0.95x.
pub(crate) const FEW_A_GROUP: usize = least(96, 4);

/// Entries of such a call, in all its groups, at most; of one that moves columns of elements; and
/// of a scatter of single elements that lie a step apart, and so do their indices. Record: as at
/// [`FEW_A_GROUP`], 300 and 400 entries 0.7x to 1.3x; as at [`FEW_ELEMENTS`]; on Emerald Rapids,
/// scatters of 130 to 256 entries by one index and by pairs against kernels, set and added 0.65x to
/// 0.95x (256 of `u8` 1.05x), `Max` 0.6x to 0.9x, with gaps between lanes 0.9x to 1.25x; gathers of
/// 160 and 256 entries 1.1x to 1.9x.
pub(crate) const FEW_IN_GROUPS: usize = least(256, 16);

/// Single elements that a call moves, at most, to go one by one, whatever its entries. Record:
/// columns on Zen 5: of 20 to 250 entries, up to 1,000 elements gathered 0.45x to 1.0x, added 0.4x
/// to 0.9x, set 0.45x to 0.95x; up to 2,000 elements gathered 0.5x to 1.0x, added 0.65x to 0.85x,
/// set 0.75x to 1.4x; 3,520 elements up to 1.0x, 0.95x and 1.6x. If a scatter has one update for
/// all of them, [`FEW_IN_GROUPS`] holds, since that becomes a row: 1,000 elements 2.0x to 2.2x.
pub(crate) const FEW_ELEMENTS: usize = least(1 << 11, 8);

/// Rows that a call moves, at most, to go one by one, whatever its entries. Record: rows of 2 to 64
/// f32 on Zen 4: 16 rows 0.3x; 64 rows 0.7x to 0.95x; 144 rows 0.8x to 1.6x.
pub(crate) const FEW_ROWS: usize = least(64, 8);

/// Elements of a row of such a call, at most, in two cases: an entry moves several rows (unless
/// they are gathered, and at most [`FEW_OTHERS`] in all), or there are more than [`FEW_APART`]
/// entries. Record: `Max` of 64 rows of 256 and of 1,024 f32 on Zen 4, 2.1x.
pub(crate) const FEW_ROW: usize = least(64, 8);

/// Entries: where at most this many lead is found one by one, for means and their like. It is also
/// [`FEW_BY_KERNEL`] for cells, since a kernel needs a plan of them. Record: on Zen 4,
/// `check_unique`, which was one of them: 64 entries 0.93x, 96 entries 1.18x. On Zen 5, cells of 48
/// and 54 indices by a kernel 1.15x to 1.75x, of 93 and 132 indices 0.6x and 0.55x.
pub(crate) const FEW_PLACES: usize = least(64, 4);

/// [`FEW_PLACES`] for `check_unique`, which needs cells alone. Record: against kernels on a Xeon 5:
/// 25 entries 0.56x, 85 entries 0.75x.
pub(crate) const FEW_CELLS: usize = least(128, 4);

const _: () = assert!(
    FEW_IN_GROUPS >= FEW_CELLS && FEW_IN_GROUPS >= FEW_PLACES,
    "there is room for all that is few"
);

/// Entries of a group: those of means and their like go one by one where there are several groups
/// of fewer, unless all entries lie a step apart. Record: as those of `elements` were on Zen 4, 4
/// to 32 entries 0.25x to 0.75x, 64 entries 1.0x to 1.15x.
pub(crate) const SHORT_GROUP_OF_CELLS: usize = least(32, 4);

/// Entries: where at most this many lead is kept, for means and their like: 16 MiB. Record: on Zen
/// 4, `reduce_excluding_self` of 1,045,275 and 1,252,280 elements 0.91x to 0.93x; a mean of
/// 2,964,874 elements 1.05x.
pub(crate) const KEPT_PLACES: usize = least(1 << 21, 64);

/// Elements of a row, at least, that a kernel combines even where rows go one by one: in reductions
/// without the values that are there, and in few rows of `bf16` that are added, subtracted or
/// multiplied, and of extremes of floats. Record: 20 rows on Zen 5, of 64, 148 and 2,048 elements:
/// `bf16` 0.93x, 0.58x, 0.20x; `Max` of f32 0.83x, 0.48x, 0.31x, of f64 0.54x, 0.43x, 0.31x. Also
/// of a row of f32 or f64 that is divided for a mean: 64 to 512 rows of 64 f32 on Emerald Rapids
/// 0.9x, rows of 12 1.2x to 1.3x.
pub(crate) const LONG_ROW: usize = least(64, 4);

/// [`LONG_ROW`] for `f16`. Record: as there, of 8, 12, 24, 148 and 2,048 elements 1.33x, 0.79x,
/// 0.48x, 0.12x, 0.06x. If it is 12, those of 8 take 2.1x: the compiler makes no vectors of a loop
/// that it knows to be short.
#[cfg(feature = "half")]
pub(crate) const LONG_ROW_OF_F16: usize = least(8, 3);

/// Bytes that a call of one block moves, at most, to need no route (`mod.rs`). Unmeasured.
pub(crate) const ONE_BLOCK: usize = least(1 << 20, 1 << 8);

/// Pages of a table, at most, for pieces of an entry that share lines to be walked before all
/// entries: the TLB of a core keeps 1,536 to 4,096. Record: elements on Emerald Rapids, 1,500 rows
/// of 8 and 24 f32 of 1 million 0.52x to 1.07x, 5,000 and 15,000 gathered into a transposed output
/// 0.24x to 0.3x, scattered from one 0.21x to 0.48x. Rows are unmeasured.
pub(crate) const PAGES: usize = least(1 << 10, 8);

/// Bytes of a page.
pub(crate) const PAGE: usize = 1 << 12;

/// Entries of one or two dimensions: with at most this many, of several rows each, the inner
/// dimensions are walked before the lanes, so that many of them fill a block. Record: rows of 4 and
/// 32 f32 on Emerald Rapids: 36 entries 0.67x to 0.95x; 64 entries 0.75x to 1.0x; 150 entries 0.9x
/// to 1.0x; 500 entries 0.95x to 1.2x; 256 are unmeasured.
pub(crate) const FEW_ENTRIES: usize = BLOCK / 4;

/// [`FEW_ENTRIES`] of single elements, which take longer to start a lane. Record: on Emerald
/// Rapids, gathered into a transposed output or added from one: 8 to 24 entries of 200 and 700 f32
/// 0.2x to 0.6x; 48 to 500 entries of 40 to 1,500 f32 1.0x to 2.4x.
pub(crate) const FEW_ENTRIES_OF_ELEMENTS: usize = least(32, 4);

/// Entries of a group, which are those of the last two dimensions: with fewer, whole groups fill a
/// block, wherever they lie. Record: `shapes` on Zen 4, of lanes that start a step apart, 4 to 9
/// entries 0.2x to 0.6x, 62 and 81 entries 0.75x to 0.95x; on Xeon 5, lanes of 2 to 100, 128 to
/// 511 entries 0.75x to 1.05x. `elements` of three and four dimensions on Zen 5, the last two in
/// another order in one tensor, against a group at a time: 25 entries 0.4x to 0.8x, 48 to 100
/// entries 0.55x to 1.0x, 180 entries 0.8x to 1.05x.
pub(crate) const GROUP: usize = least(512, 32);

/// Entries of a group: with at most this many, if the groups of a block lie a step apart, they go
/// in turns, each of which takes the same entry of all groups. It decides twice: how entries move,
/// and how their indices are resolved. Record: as at [`GROUP`], of 60,000 elements, against one
/// group after another: moved so, 4 entries 0.35x, 9 and 10 entries 0.55x to 0.65x, 16 entries
/// 0.85x, 25 entries 1.1x, 48 entries 1.6x to 1.8x; resolved so, 25 entries 0.9x, 48 entries 1.7x.
pub(crate) const SHORT_GROUP: usize = least(16, 6);

/// Entries of a *bundle*: a group, and the dimensions before it that keep groups from lying a step
/// apart. Short groups in bundles of at most this many entries go in turns, as short groups do.
/// Record: `elements` of [n, 2 and 5, a, b], a x b of 4 to 16 entries, with the second dimension
/// after the others in one tensor, on Zen 4, against one group after another: 1,000 to 60,000
/// elements, 8 to 24 entries 0.25x to 0.6x, 32 to 45 entries 0.4x to 0.6x; 80 entries one after
/// another take 1.05x of a loop.
pub(crate) const SHORT_BUNDLE: usize = least(64, 12);

/// [`SHORT_GROUP`] for how the entries of a call move that reaches beyond [`far`], where each turn
/// takes other lines. For how indices are resolved, [`SHORT_GROUP`] holds there too. Record: as
/// there, of 1 million elements, 2 to 8 along the dimension before the groups: 4 entries 0.4x to
/// 1.3x, 9 to 16 entries 0.65x to 1.9x.
pub(crate) const SHORT_GROUP_FAR: usize = least(8, 5);

/// Entries of a lane: with at most this many, if neighbours in a lane have indices further apart
/// than neighbouring lanes have, and a block has [`SHORT`] lanes or more, these are resolved in
/// turns, each of which takes the same entry of all lanes. Record: `elements` of [n, 2] to [n, 16]
/// by transposed indices on Zen 5, of 1,000 to 60,000 elements: lanes of 2 0.48x to 0.64x, of 3
/// 0.6x to 0.75x, of 5 and 8 0.8x to 0.95x, of 12 and 16 0.92x to 1.08x.
pub(crate) const SHORT_LANE: usize = least(8, 4);

/// Rows: an entry that moves at least this many is walked to its end before the next one. Record:
/// rows of 2 to 64 f32 with gaps on Zen 4, 12 rows of an entry 0.84x to 1.1x, 40 rows 0.3x to 1.0x.
pub(crate) const ROWS_OF_ENTRY: usize = least(12, 3);

/// Elements of the last run of pieces: where there are fewer, another dimension with at least
/// `LONG_PIECE` times as many becomes the innermost loop. Record, when it was the last dimension
/// alone: Zen 4, [61, 2] 0.15x, [50, 2] 0.18x; Emerald Rapids, [512, 4] 0.16x for 500 entries and
/// 0.42x for 50,000, [64, 3] 0.33x, and [100000, 2] 0.55x for 50 entries. Sizes from 5 to 7,
/// factors below 12, and runs of 8 to 20 beside thousands are unmeasured.
///
/// Entries of a lane with gaps in the flat tensor: where there are fewer, and each moves at least
/// `LONG_PIECE` times as many elements, these become the innermost loop. Record: on Zen 5, added,
/// set and gathered: of 2 entries, 8 elements 0.55x to 1.1x, 300 elements 0.2x to 0.4x; of 5
/// entries, 30 elements 0.5x to 0.85x, 300 elements 0.4x to 1.0x; of 10 entries 0.65x to 1.3x.
pub(crate) const SHORT_PIECE: usize = 8;

/// See [`SHORT_PIECE`].
pub(crate) const LONG_PIECE: usize = least(4, 2);

/// Single elements of an entry that share a line of the flat tensor, at least, to be the innermost
/// loop. Record: on Zen 4, elements 8 and 16 bytes apart 0.7x to 1.15x in L1 and L2; sums of 835
/// u32 into each of 1,510 rows 0.14x.
///
/// Also single elements of an entry that are combined, at least, for a block that begins with runs
/// of one place to go entry by entry: piece by piece, each would wait for the one before it.
/// Record: sums and `Max` of f32, f64 and i32 in columns of 50 to 1,000,000 places, on Emerald
/// Rapids: 4 to 15 elements, all into one place 0.2x to 0.65x, in runs of 16 0.4x to 1.1x; 3
/// elements 0.7x to 1.0x, 2 elements 1.0x.
pub(crate) const SHARED: usize = 4;

/// Places that an entry chooses from: with at most this many, and fewer than its pieces, these are
/// the innermost loop as well. Record: `shapes` on Zen 4, sums into one place 0.11x. Pieces further
/// apart in the flat tensor than entries, sums of f64 on Zen 5: one place 0.2x to 0.85x, four 0.3x
/// to 0.9x, eight 0.3x to 1.5x.
pub(crate) const HOT_PLACES: usize = 8;

/// Bytes of a row of one update, at most: it stays in L1 or L2. Record: `shapes` on Zen 4, rows of
/// 256 bytes 0.1x.
pub(crate) const ROW_OF_ONE: usize = least(1 << 16, 1 << 6);

/// Elements of a row that has one update, at least: its entry changes it in one loop. Record: set
/// and added on Zen 3, against addresses for all elements: 10 and 21 rows of 8 f32 0.55x, of 94
/// 0.15x; 300 rows of 8 0.85x, of 40 0.25x; 20,000 of 12 0.5x; in 24 and 128 MiB, of 8 0.45x to
/// 0.8x, of 16 to 300 0.25x to 0.45x. `Max` 0.4x to 1.05x; other types 0.2x to 0.65x.
pub(crate) const SHORT_ROW_OF_ONE: usize = least(8, 3);

/// Elements: rows that lie a multiple of it apart share few sets of L1, so they are walked one
/// after another. Record: `sweep 7 400`, sums into 76 rows of 2,048 f32 0.2x on Zen 4.
pub(crate) const ALIASED: isize = 512;

/// Bytes of L2 that a line takes up, where lines are reached by steps of these bytes: if a large
/// power of two divides them, the lines share few sets. At most what was measured. Record: columns
/// of 1,000 and 4,000 places on Zen 5, of 2,046 entries that lie 1, 2, 4 and 8 KiB apart, set and
/// added, entry by entry 0.2x to 0.75x.
pub(crate) fn room_of_line(step: usize) -> usize {
    1_usize.checked_shl(step.trailing_zeros()).unwrap_or(0).clamp(LINE, 1 << 13)
}

// -- Proof ----------------------------------------------------------------------------------------

/// Entries: the addresses that a check keeps for the moves, at most: 16 MiB.
/// Record: `tuples`, pairs, 0.75x on Zen 4.
pub(crate) const KEPT: usize = least(1 << 22, 256);

/// Bytes of a tuple: scatters by shorter ones run on a copy of the data where that pays. Else they
/// are resolved twice where their addresses would leave L2. Record: on Zen 4, `elements` along axis
/// 1, with addresses kept 1.5x to 2x; pairs, with addresses kept against a copy of the data, into
/// 16 to 256 KiB 1.0x, into 1 and 4 MiB 0.55x.
pub(crate) const KEPT_TUPLE: usize = 16;

/// Indices: with fewer, a scatter does not run on a copy. This does not bind the copies of a small
/// table (`COPIED`). Unmeasured.
pub(crate) const SPECULATIVE: usize = least(1 << 10, 16);

/// Bytes of data, and the factor by which the indices must exceed them, for a scatter to run on a
/// copy instead of after a check. Record: `reduce`, 64K bins 0.8x on Zen 4; 1M bins 0.9x on Zen 5.
pub(crate) fn speculative(machine: &Machine) -> (usize, usize) {
    if l3_is_near(machine) { (machine.l3 / 8, 4) } else { (machine.l2 / 2, 8) }
}

/// Bytes that move for each byte of the tables that order-independent reductions change and merge,
/// at least. Unmeasured.
pub(crate) const COPIED: usize = 4;

/// Copies of a small table that take turns, so that no entry waits for the one before it.
/// Unmeasured.
pub(crate) const COPIES: usize = 4;

/// Entries: copies take turns in a block where at least one entry in this many leads where one of
/// the two before it did. Record: counts of 1M bytes on Zen 5, uniform 0.8x, runs 0.75x, 80 % one
/// 1.0x.
pub(crate) const REPEATS: usize = 8;

// -- Prefetch -------------------------------------------------------------------------------------

/// Entries between the element that moves and the one that is prefetched.
/// Record: `ladder`, 512 MiB.
pub(crate) const ELEMENTS_AHEAD: usize = 64;

/// Bytes of a tuple: the indices of a block are prefetched while the one before it moves, unless
/// tuples are longer. Prefetches of long ones keep elements waiting. Record: `tuples` on Zen 4, by
/// 2 to 4 coordinates of 8 bytes 0.7x without; `reduce`, histograms of 64K bins 1.4x without.
pub(crate) const PREFETCHED_TUPLE: usize = 8;

/// Rows between the one that moves and the one that is prefetched. Record: `quant` from memory,
/// rows of 4 to 16 KiB take 0.95x to 1.0x with 1 or 2, sums of such rows 1.08x.
pub(crate) const ROWS_AHEAD: usize = 8;

/// Pieces, or single elements of them, between the one that moves and the one that is prefetched,
/// at most, where those of an entry are the innermost loop: a block of them has few entries then.
/// Record: elements of a table with its channels last on Emerald Rapids, against half a block,
/// [16, 7, 7] 0.5x to 1.1x, [64, 4, 4] 0.6x to 1.1x, [4, 20, 20] 0.7x to 1.15x, [3, 32, 32] 0.35x
/// to 1.2x.
pub(crate) const PIECES_AHEAD: usize = BLOCK / 8;

/// Entries: a check of all indices walks them by their strides, unless fewer lie at the shortest
/// one and the lane is longer. Record: i64 on a fifth Xeon, lanes of 1,000 against lanes that
/// follow the strides: of 2 and 3 entries 1.5x to 2.5x, of 5 1.16x; 16 and more are unmeasured.
///
/// Also the lanes of a block, at least, for [`SHORT_LANE`] to hold. Unmeasured.
pub(crate) const SHORT: usize = least(16, 4);

/// Lanes between the one whose indices are read and the one that is prefetched, where they do not
/// follow each other. Record: `elements`, axis 0.
pub(crate) const LANES_AHEAD: isize = 8;

/// Rows of a tile between the one that is copied and the one that is prefetched. Record: as at
/// `LANES_AHEAD`.
pub(crate) const TILE_ROWS_AHEAD: usize = 8;

/// Bytes, for what L2 holds:
///
/// - Rows are prefetched where the tuples of a lane reach over more, and so are elements that are
///   changed, where L3 is not near. Record: `rows` from 16 MiB 0.67x on Zen 4; see [`far_changed`].
/// - Columns of a table that have more go by tiles. Unmeasured.
/// - Elements of an entry move one after another where a table of columns has at most these, or the
///   lines of the flat tensor that entries share have more. Record: 24 to 500 columns gathered from
///   L2 0.3x to 0.7x on Emerald Rapids. On Zen 5, 16 and 50 columns set and added in L2 0.25x to
///   1.35x, 256 and 1,024 columns 0.1x to 1.1x.
/// - A check keeps addresses of at most these. Record: see [`KEPT_TUPLE`].
/// - Masks of more bools are prefetched. Record: see `AHEAD` in `src/mask.rs`.
pub(crate) fn beyond_l2(machine: &Machine) -> usize {
    machine.l2
}

/// Bytes of a cache line, of the processors that have a threshold here.
pub(crate) const LINE: usize = 64;

/// Bytes over which the tuples of a lane reach. Where they reach over more, scatters may write rows
/// with non-temporal stores, and gathered elements of more than a line are prefetched; shorter ones
/// are too, where L3 is not near. Unmeasured. Also the bytes of all tensors beyond which
/// [`SHORT_GROUP_FAR`] holds; see [`serial_entries`] as well.
///
/// One thread is alone with rows of at most a line that a scatter spreads over at most these.
/// Record: rows of f32 by two threads on Emerald Rapids, 2 to 8 elements: into 4 and 64 KiB 1.6x to
/// 3.1x, into 1 MiB 1.2x to 2.1x, into 8 MiB 0.7x to 1.4x; 16 elements 0.6x to 2.4x. With fewer
/// prefetches, into 8 MiB 0.8x to 1.6x, into 20 and 64 MiB 0.7x to 1.4x, into 512 MiB 0.55x to
/// 0.85x.
///
/// Single elements of a table of at most these are set to a value that updates replace, and then
/// combined, by reductions without the values that are there. Record: on Emerald Rapids, against
/// marks, `Max` of f32, f16 and i32 and `Add` of i32: 20 to 1,000,000 updates of 10 to 1,000,000
/// places 0.33x to 1.3x, 0.8x in the geometric mean, of 16,000,000 places 1.1x to 1.5x; rows of 8
/// elements 0.6x to 2.1x, of 64 1.0x to 3.2x.
pub(crate) fn far(machine: &Machine) -> usize {
    machine.l2 * 8
}

/// Bytes over which the tuples of a lane reach, and of the lines that a call can reach, beyond
/// which gathered elements are prefetched. Record: `ladder`, from 64 MiB 0.67x on Zen 5, 0.9x on
/// Zen 4, 0.8x to 0.9x on a fifth Xeon; from 16 MiB 1.0x on Zen 5, 1.1x on Zen 4.
///
/// In a flat tensor of more, lanes that start more than a line apart are prefetched. Record: lanes
/// of 3 to 12 f32 that are gathered, added and set, 96 to 400 bytes apart, on a fifth Xeon, with
/// the prefetch: up to 4 MiB 1.2x to 1.6x (of 60, two 0.8x to 0.9x), 16 MiB 0.9x to 1.35x, 64 MiB
/// 0.4x to 1.05x.
pub(crate) fn far_read(machine: &Machine) -> usize {
    if l3_is_near(machine) { machine.l3 + machine.l3 / 2 } else { far(machine) }
}

/// [`far_read`] for elements that a scatter sets: writes wait for each other, reads do not. What
/// stays in L1 beside the blocks needs no prefetch. Record: `ladder`. On a fifth Xeon, without
/// prefetches: into 24 KiB 0.7x to 0.95x, into 32 KiB 0.85x to 1.05x, into 64 KiB 1.3x to 1.4x.
/// With them: on Zen 5 into 64 MiB 0.67x, into 1 MiB 1.25x; on Zen 4 into 16 MiB 1.35x.
pub(crate) fn far_set(machine: &Machine) -> usize {
    if l3_is_near(machine) { far_read(machine) } else { machine.l1 / 3 * 2 }
}

/// [`far_read`] for elements that a scatter reads and changes. Record: sums into 4 MiB 0.75x on a
/// fifth Xeon, 1.3x on Zen 4.
pub(crate) fn far_changed(machine: &Machine) -> usize {
    if l3_is_near(machine) { far_read(machine) } else { beyond_l2(machine) }
}

/// Elements: the longest segment of the table that is prefetched a lane ahead.
/// Record: `elements` along axis 1, scatters 0.6x to 0.8x on Zen 4.
pub(crate) const SEGMENT: usize = 4096;

/// Entries: lanes that are shorter lead into segments that are not prefetched. Unmeasured.
pub(crate) const SEGMENT_LANE: usize = least(64, 8);

// -- Non-temporal stores --------------------------------------------------------------------------

/// Bytes of a row: shorter ones that are gathered go through the caches. Record: `rows`, Zen 4.
pub(crate) const STREAMED_GATHER: usize = least(256, 16);

/// Bytes of a row: shorter ones that a scatter sets go through the caches. Record: `rows`, Zen 4.
pub(crate) const STREAMED_SCATTER: usize = least(64, 16);

/// Bytes that a gather writes with non-temporal stores, at least. Record: `rows`, 0.5x to 0.9x on
/// Zen 4.
pub(crate) const STREAMED: usize = least(1 << 23, 1 << 9);

/// Bytes that a scatter sets with non-temporal stores, at least. Record: `rows`, 0.67x to 0.9x on a
/// fifth Xeon.
pub(crate) fn streamed_scatter(machine: &Machine) -> usize {
    if l3_is_near(machine) { STREAMED } else { STREAMED / 2 }
}

/// Bytes that a call reads and writes, beyond which what it writes does not stay in L3 anyway.
/// Record: `rows`, Zen 5. Where L3 is not near, non-temporal stores gain also if it would stay.
pub(crate) fn leaves_l3(machine: &Machine) -> usize {
    if l3_is_near(machine) { machine.l3 } else { 0 }
}

// -- Tiles ----------------------------------------------------------------------------------------

/// Columns of a tile: fewer do not pay for the copy. Record: `elements`, axis 0 of [4096, 1024]
/// 0.5x.
pub(crate) const TILE_LEAST: usize = least(16, 4);

/// Bytes of a row of a tile that is only read, at least, unless it has `TILE_MOST` columns. Record:
/// gathers of f32 on Zen 4 along axis 0: of [8192, 1024] by 32 columns 1.25x, of [16384, 1024] by
/// 16 columns 1.4x.
pub(crate) const TILE_READ: usize = least(256, 16);

/// Columns of a tile, at most: more gain nothing. Record: `elements`, more take 1.0x.
pub(crate) const TILE_MOST: usize = least(64, 16);

/// Rows of the table for each row of indices, at most, of a gather that goes by tiles: it copies a
/// tile once. Unmeasured.
pub(crate) const TILE_GATHER: usize = 2;

/// [`TILE_GATHER`] for a scatter, which copies a tile twice. Unmeasured.
pub(crate) const TILE_SCATTER: usize = 1;

/// Rows of a table, at least, for its columns to go by tiles: a lane goes through fewer without
/// one, each in order. There is one value for both directions, since the width of the table decides
/// more. Record: without tiles on Zen 4, tables of 1.5 to 40 MiB: 8 rows 0.35x to 1.1x; gathered,
/// 16 rows 0.3x to 1.4x, 64 rows 0.35x to 3.2x, 128 rows 0.35x to 2.9x; scattered, 16 rows 0.45x to
/// 2.1x, 64 rows 0.65x to 3.8x, 128 rows 0.7x to 4.4x.
pub(crate) const TILE_ROWS: usize = least(64, 4);

/// Bytes of an element that is gathered by tiles, at most. Record: without tiles on Zen 4, of 400
/// rows, 16 bytes 1.36x, 24 bytes 0.72x, 48 bytes 0.77x; set, 24 bytes 1.45x.
pub(crate) const TILE_ELEMENT: usize = 16;

/// Bytes of a tile, at most: it stays in L2. Unmeasured.
pub(crate) fn tile(machine: &Machine) -> usize {
    machine.l2
}

// -- Threads --------------------------------------------------------------------------------------

/// Bytes that move: with fewer, by fewer than [`serial_entries`], the caller's thread is alone. To
/// wake another takes 0.1 to 0.4 ms. Record: `threads`, gathers of 1 to 16 MiB.
pub(crate) const SERIAL: usize = least(1 << 21, 1 << 9);

/// Entries: with fewer, which move fewer bytes than [`SERIAL`], the caller's thread is alone. Where
/// tuples reach over more than [`far`], each takes longer, so fewer pay. Record: two threads on
/// Emerald Rapids, gathers of f32, f64 and u8, alone and in rows of 2 to 16: 140,000 to 300,000
/// entries from tables of 16 KiB to 8 MiB 0.5x to 0.95x, 35,000 to 100,000 entries from 20 to 512
/// MiB 0.55x to 0.8x; single elements added and set into these 0.46x to 0.7x, 270,000 into 4 MiB
/// 0.7x.
pub(crate) fn serial_entries(machine: &Machine, footprint: usize) -> usize {
    if footprint > far(machine) { SERIAL / 64 } else { SERIAL / 16 }
}

/// Bytes over which a scatter spreads single elements, up to which one thread is alone with the
/// moves: half of L3 where that is near, else L2. Record: `threads`, histograms: into 4 MiB 0.67x
/// to 0.75x on a fifth Xeon; on Zen 5 into 16 MiB 1.1x, into 64 MiB 0.67x. By pairs on Emerald
/// Rapids, into 3 and 4 MiB 0.5x to 0.9x (one thread alone with the moves: 0.8x to 0.95x); into 256
/// KiB to 2 MiB 0.65x to 1.1x (0.75x to 0.95x), but no better where most lead to one part.
pub(crate) fn serial_elements(machine: &Machine) -> usize {
    if l3_is_near(machine) { machine.l3 / 2 } else { machine.l2 }
}

/// Chunks for each thread, unless they cut rows: the caller starts before the others are awake, and
/// no thread waits long for the last. Record: scatters in chunks that cut rows, two threads on
/// Emerald Rapids, `sweep 6 250` and `7 250`: 345 columns, and rows of 454 and 1,225 f32, 4 chunks
/// for each took 3x, 1.2x and 1.4x of what 1 takes. Others, and gathers, are unmeasured.
pub(crate) const CHUNKS: usize = 4;

/// Entries: what a thread resolves at a time before it waits for its turn. Unmeasured.
pub(crate) const CHUNK: usize = least(1 << 14, 16);

/// Entries of a step of the first dimension, up to which chunks of a gather take turns. A thread
/// keeps the addresses of one chunk: no more than these, 512 KiB. Record: steps of 150,000 to
/// 2,000,000 elements on Zen 4, two threads, 0.8x to 1.1x without turns.
pub(crate) const KEPT_CHUNK: usize = least(1 << 17, 32);

/// Entries of a worklist, at most. Record: `threads`, histograms: a quarter takes 1.25x.
#[cfg(feature = "rayon")]
pub(crate) const WORKLIST: usize = least(1 << 13, 16);

/// Entries of a worklist between the one that is applied and the one that is prefetched. Record:
/// `threads`, histograms of 64 MiB: a quarter takes 1.5x on Zen 5.
#[cfg(feature = "rayon")]
pub(crate) const WORKLIST_AHEAD: usize = 128;

/// Threads that share a call by worklists, at most: all look at all addresses. Unmeasured.
pub(crate) const WORKLIST_THREADS: usize = 8;

/// How often a thread that found no more chunks looks whether others still work, before it leaves
/// the call, and may sleep: to wake it takes 0.1 to 0.4 ms. Record: `threads`, calls in a row that
/// move rows 0.7x to 0.9x.
#[cfg(feature = "rayon")]
pub(crate) const SPINS: usize = least(1 << 13, 16);

/// Whether a core reaches L3 in little more than L2's time: where a few cores share a small one. On
/// a mesh of hundreds of MiB it takes twice as long. Record: Zen 4 and 5, 16 to 32 MiB; a fifth
/// Xeon, 320 MiB. What lies between is unmeasured.
pub(crate) fn l3_is_near(machine: &Machine) -> bool {
    machine.l3 > 0 && machine.l3 <= 64 << 20
}
