//! Counts the instructions and the stack of each operator, and compares what it does with a plain
//! loop. `.ci/figures` runs it and adds the bytes; the table is FIGURES.md.
//!
//! Each case is a function of its own, as firmware would have it, whose name is the name of the
//! case.

#![no_std]
#![no_main]

use core::hint::black_box;
use core::ops;

use bytemuck::{cast_slice, cast_slice_mut};
use firmware::board::{instructions, stack, start_timer};
use firmware::entry;
use half::f16;
use semihosting::{eprintln, println};
use strew::mask::{self, Mask};
use strew::quant::{Q4_0, Q8_0};
use strew::{
    Add, Bag, Bags, ByLists, Element, Error, Gather, Index, Layout, Reduction, Rows, Scatter,
    Sequence, plan,
};

/// Room for the largest table, and for what is gathered or scattered.
#[derive(Clone, Copy, PartialEq)]
struct Memory {
    table: [u64; 8192],
    flat: [u64; 2048],
    indices: [u64; 2048],
}

const TABLE: Layout = Layout::contiguous([256, 32]);
const WIDE: Layout = Layout::contiguous([32, 256]);
const CUBE: Layout = Layout::contiguous([32, 32, 8]);
// Smaller off the axis than what is indexed, so that no dimensions merge.
const TABLE_3: Layout = Layout::contiguous([16, 12, 36]);
const PART_3: Layout = Layout::contiguous([8, 8, 32]);
const TABLE_4: Layout = Layout::contiguous([5, 6, 4, 64]);
const PART_4: Layout = Layout::contiguous([4, 4, 4, 32]);
const IDS: Layout = Layout::contiguous([64]);
const PAIRS: Layout = Layout::contiguous([64, 2]);
const TRIPLES: Layout = Layout::contiguous([64, 3]);
const ROWS: Layout = Layout::contiguous([64, 32]);
const COLUMNS: Layout = Layout::contiguous([32, 64]);
const OCTETS: Layout = Layout::contiguous([64, 8]);
const LINE: Layout = Layout::contiguous([256]);
const ONE: Layout = Layout::contiguous([1]);
const ONE_FOR_ALL: Layout = Layout::strided([2048], [0]);

const GATHER_AXIS_0: Gather = plan!(Gather::axis(&TABLE, &IDS, &ROWS, 0));
const GATHER_AXIS_1: Gather = plan!(Gather::axis(&WIDE, &IDS, &COLUMNS, 1));
const GATHER_ELEMENTS: Gather = plan!(Gather::elements(&TABLE, &ROWS, &ROWS, 0));
const GATHER_PAIRS: Gather = plan!(Gather::nd(&CUBE, &PAIRS, &OCTETS, 0));
const GATHER_ELEMENTS_3: Gather = plan!(Gather::elements(&TABLE_3, &PART_3, &PART_3, 1));
const GATHER_ELEMENTS_4: Gather = plan!(Gather::elements(&TABLE_4, &PART_4, &PART_4, 1));
const GATHER_TRIPLES: Gather = plan!(Gather::nd(&CUBE, &TRIPLES, &IDS, 0));
const GATHER_ONE: Gather = plan!(Gather::axis(&LINE, &ONE, &ONE, 0));
const SCATTER_AXIS_0: Scatter = plan!(Scatter::axis(&TABLE, &IDS, &ROWS, 0));
const SCATTER_AXIS_1: Scatter = plan!(Scatter::axis(&WIDE, &IDS, &COLUMNS, 1));
const SCATTER_ELEMENTS: Scatter = plan!(Scatter::elements(&TABLE, &ROWS, &ROWS, 0));
const SCATTER_PAIRS: Scatter = plan!(Scatter::nd(&CUBE, &PAIRS, &OCTETS, 0));
const SCATTER_ELEMENTS_3: Scatter = plan!(Scatter::elements(&TABLE_3, &PART_3, &PART_3, 1));
const SCATTER_ELEMENTS_4: Scatter = plan!(Scatter::elements(&TABLE_4, &PART_4, &PART_4, 1));
const SCATTER_TRIPLES: Scatter = plan!(Scatter::nd(&CUBE, &TRIPLES, &IDS, 0));
const HISTOGRAM: Scatter = plan!(Scatter::axis(&LINE, &CHOSEN, &ONE_FOR_ALL, 0));
const SCATTER_ONE: Scatter = plan!(Scatter::axis(&LINE, &ONE, &ONE, 0));

const CACHE: Layout = Layout::contiguous([8, 16, 32]);
const STARTS: Layout = Layout::contiguous([8]);
const TOKENS: Layout = Layout::contiguous([8, 4, 32]);
const SEQUENCE: Scatter = plan!(Scatter::sequence(&CACHE, &STARTS, &TOKENS, 1, Sequence::Linear));
const RING: Scatter = plan!(Scatter::sequence(&CACHE, &STARTS, &TOKENS, 1, Sequence::Circular))
    .bounds(strew::Bounds::Error);
const SUMS: Layout = Layout::contiguous([8, 32]);
const BAG: Bag = plan!(Bag::new(&TABLE, &IDS, &SUMS));
const LISTS: ByLists<Gather, 2> = plan!(Gather::lists(&CUBE, [&IDS, &IDS], &OCTETS, [0, 1]));
const CHOSEN: Layout = Layout::contiguous([2048]);
const GATHER_BLOCKS: Gather = plan!(Gather::axis(&LINE, &IDS, &IDS, 0));

static KEPT_AXIS_0: Gather = GATHER_AXIS_0;
static KEPT_ELEMENTS: Gather = GATHER_ELEMENTS;
static KEPT_PAIRS: Gather = GATHER_PAIRS;
static KEPT_ONE: Gather = GATHER_ONE;
static KEPT_AXIS_1: Gather = GATHER_AXIS_1;
static KEPT_TRIPLES: Gather = GATHER_TRIPLES;
static KEPT_SCATTER_AXIS_0: Scatter = SCATTER_AXIS_0;
static KEPT_SCATTER_ELEMENTS: Scatter = SCATTER_ELEMENTS;
static KEPT_SCATTER_PAIRS: Scatter = SCATTER_PAIRS;
static KEPT_HISTOGRAM: Scatter = HISTOGRAM;

/// A plan in memory that the compiler cannot see into.
struct Kept<P: 'static>(&'static P);

impl Kept<Gather> {
    #[inline(always)]
    fn run<T: Element, I: Index>(
        &self,
        input: &[T],
        indices: &[I],
        output: &mut [T],
    ) -> Result<(), Error> {
        black_box(self.0).run_shared(input, indices, output)
    }
}

impl Kept<Scatter> {
    #[inline(always)]
    fn run<T: Element, I: Index>(
        &self,
        data: &mut [T],
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error> {
        black_box(self.0).run_shared(data, indices, updates)
    }

    #[inline(always)]
    fn reduce<T: Element, I: Index, R: Reduction<T>>(
        &self,
        reduction: R,
        data: &mut [T],
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error> {
        black_box(self.0).reduce_shared(reduction, data, indices, updates)
    }
}

/// Sums of 8 rows each.
struct Sums;

impl Sums {
    #[inline(always)]
    fn run(&self, table: &[f32], indices: &[i32], output: &mut [f32]) -> Result<(), Error> {
        BAG.run(Add, table, indices, Bags::Starts(&[0_u8, 8, 16, 24, 32, 40, 48, 56]), output)
    }
}

/// Rows of a table of 256, by the first `N` indices.
struct ByRows<const ROW: usize, const N: usize>;

impl<const ROW: usize, const N: usize> ByRows<ROW, N> {
    const ROWS: Rows = Rows::new(256, ROW);

    #[inline(always)]
    fn run(&self, table: &[f32], indices: &[i32], output: &mut [f32]) -> Result<(), Error> {
        Self::ROWS.gather(table, indices.get(..N).unwrap_or_default(), output)
    }

    #[inline(always)]
    fn reduce(
        &self,
        reduction: Add,
        table: &mut [f32],
        indices: &[i32],
        updates: &[f32],
    ) -> Result<(), Error> {
        Self::ROWS.reduce(reduction, table, indices.get(..N).unwrap_or_default(), updates)
    }
}

/// Coordinates in slices of their own.
struct Pairs;

impl Pairs {
    #[inline(always)]
    fn run(&self, table: &[f32], indices: &[i32], output: &mut [f32]) -> Result<(), Error> {
        let (rows, columns) = indices.split_at(64);
        LISTS.run(table, [rows, columns], output)
    }
}

/// What the bits of 64 indices choose. Where there are more of them, there is no room.
struct Compress;

impl Compress {
    #[inline(always)]
    fn run(&self, table: &[f32], indices: &[i32], output: &mut [f32]) -> Result<(), Error> {
        let mask = Mask::bits(cast_slice(indices), &CHOSEN);
        let output = output.get_mut(..COUNT).unwrap_or_default();
        mask::compress(mask, table, &CHOSEN, None, output).map(|_| ())
    }
}

struct Expand;

impl Expand {
    #[inline(always)]
    fn run(&self, data: &mut [f32], indices: &[i32], values: &[f32]) -> Result<(), Error> {
        let mask = Mask::bits(cast_slice(indices), &CHOSEN);
        let values = values.get(..COUNT).unwrap_or_default();
        mask::expand(mask, values, data, &CHOSEN).map(|_| ())
    }
}

/// The number of bits that are set in the indices of [`BITS`].
const COUNT: usize = {
    let (mut n, mut count) = (0, 0);
    while n < 64 {
        count += (n * 5 % 256_usize).count_ones() as usize;
        n += 1;
    }
    count
};

/// What a case does between table and flat tensor, element by element.
struct Shape {
    indices: usize,
    /// Indices below this are on every axis that is indexed.
    axis: usize,
    moved: usize,
    /// Where in the table the n-th element of the flat tensor belongs, given the indices.
    address: fn(usize, &dyn Fn(usize) -> usize) -> usize,
}

const AXIS_0: Shape = Shape {
    indices: 64,
    axis: 256,
    moved: 64 * 32,
    address: |n, index| index(n / 32) * 32 + n % 32,
};
const AXIS_1: Shape = Shape {
    indices: 64,
    axis: 256,
    moved: 32 * 64,
    address: |n, index| n / 64 * 256 + index(n % 64),
};
const ELEMENTS: Shape = Shape {
    indices: 64 * 32,
    axis: 256,
    moved: 64 * 32,
    address: |n, index| index(n) * 32 + n % 32,
};
const ELEMENTS_3: Shape = Shape {
    indices: 8 * 8 * 32,
    axis: 12,
    moved: 8 * 8 * 32,
    address: |n, index| (n / 256 * 12 + index(n)) * 36 + n % 32,
};
const ELEMENTS_4: Shape = Shape {
    indices: 4 * 4 * 4 * 32,
    axis: 6,
    moved: 4 * 4 * 4 * 32,
    address: |n, index| ((n / 512 * 6 + index(n)) * 4 + n / 32 % 4) * 64 + n % 32,
};
const PAIR: Shape = Shape {
    indices: 64 * 2,
    axis: 32,
    moved: 64 * 8,
    address: |n, index| (index(n / 8 * 2) * 32 + index(n / 8 * 2 + 1)) * 8 + n % 8,
};
const TRIPLE: Shape = Shape {
    indices: 64 * 3,
    axis: 8,
    moved: 64,
    address: |n, index| (index(n * 3) * 32 + index(n * 3 + 1)) * 8 + index(n * 3 + 2),
};
const BINS: Shape = Shape { indices: 2048, axis: 256, moved: 2048, address: |n, index| index(n) };
const SINGLE: Shape = Shape { indices: 1, axis: 256, moved: 1, address: |_, index| index(0) };

const PLACES: Shape = Shape {
    indices: 8,
    axis: 13,
    moved: 8 * 4 * 32,
    address: |n, index| (n / 128 * 16 + index(n / 128) + n / 32 % 4) * 32 + n % 32,
};
const LISTED: Shape = Shape {
    indices: 2 * 64,
    axis: 32,
    moved: 64 * 8,
    address: |n, index| (index(n / 8) * 32 + index(64 + n / 8)) * 8 + n % 8,
};
/// The address is a bit of the indices.
const BITS: Shape = Shape {
    indices: 64,
    axis: 256,
    moved: 2048,
    address: |n, index| index(n / 32) >> (n % 32) & 1,
};

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Gather,
    Assign,
    Add,
    Count,
    Bag,
    Compress,
    Expand,
}

struct Case {
    name: &'static str,
    /// Whether it succeeded.
    run: fn(&mut Memory) -> bool,
    fill: fn(&mut Memory, &Shape),
    spoil: fn(&mut Memory, &Shape),
    plain: fn(&mut Memory, &Shape, Way),
    way: Way,
    shape: Shape,
}

macro_rules! case {
    ($way:ident $name:literal, $plan:expr, $shape:ident, $element:ident, $index:ident) => {{
        #[inline(never)]
        #[unsafe(export_name = concat!($name, "_", stringify!($element), "_", stringify!($index)))]
        fn run(memory: &mut Memory) -> bool {
            let table: &mut [$element] = cast_slice_mut(&mut memory.table);
            let flat: &mut [$element] = cast_slice_mut(&mut memory.flat);
            let indices: &[$index] = cast_slice(&memory.indices);
            // Arrays of known lengths at unknown places, as statics are for the function that uses
            // them.
            let table: &mut [$element; 8192] = black_box(table.first_chunk_mut().unwrap());
            let flat: &mut [$element; 2048] = black_box(flat.first_chunk_mut().unwrap());
            let indices: &[$index; 2048] = black_box(indices.first_chunk().unwrap());
            case!(@$way $plan, table, indices, flat).is_ok()
        }
        Case {
            name: concat!($name, "_", stringify!($element), "_", stringify!($index)),
            run,
            fill: fill::<$element, $index>,
            spoil: spoil::<$index>,
            plain: plain::<$element, $index>,
            way: Way::$way,
            shape: $shape,
        }
    }};
    (@Add $plan:expr, $table:ident, $indices:ident, $flat:ident) => {
        $plan.reduce(Add, $table, $indices, $flat)
    };
    (@Count $plan:expr, $table:ident, $indices:ident, $flat:ident) => {
        $plan.reduce(Add, $table, $indices, $flat)
    };
    (@$way:ident $plan:expr, $table:ident, $indices:ident, $flat:ident) => {
        $plan.run($table, $indices, $flat)
    };
}

/// A case for each width of elements and two types of indices.
macro_rules! widths {
    ($way:ident $name:literal, $plan:expr, $shape:ident) => {
        [
            case!($way $name, $plan, $shape, u8, i32),
            case!($way $name, $plan, $shape, u16, i32),
            case!($way $name, $plan, $shape, f32, i32),
            case!($way $name, $plan, $shape, f64, i32),
            case!($way $name, $plan, $shape, u8, i64),
            case!($way $name, $plan, $shape, u16, i64),
            case!($way $name, $plan, $shape, f32, i64),
            case!($way $name, $plan, $shape, f64, i64),
        ]
    };
}

const OPERATORS: &[[Case; 8]] = &[
    widths!(Gather "gather_axis_0", GATHER_AXIS_0, AXIS_0),
    widths!(Gather "gather_axis_1", GATHER_AXIS_1, AXIS_1),
    widths!(Gather "gather_elements", GATHER_ELEMENTS, ELEMENTS),
    widths!(Gather "gather_pairs", GATHER_PAIRS, PAIR),
    widths!(Gather "gather_triples", GATHER_TRIPLES, TRIPLE),
    widths!(Gather "gather_one", GATHER_ONE, SINGLE),
    widths!(Assign "scatter_axis_0", SCATTER_AXIS_0, AXIS_0),
    widths!(Assign "scatter_axis_1", SCATTER_AXIS_1, AXIS_1),
    widths!(Assign "scatter_elements", SCATTER_ELEMENTS, ELEMENTS),
    widths!(Assign "scatter_pairs", SCATTER_PAIRS, PAIR),
    widths!(Assign "scatter_triples", SCATTER_TRIPLES, TRIPLE),
    widths!(Assign "scatter_one", SCATTER_ONE, SINGLE),
    widths!(Add "scatter_add_axis_0", SCATTER_AXIS_0, AXIS_0),
    widths!(Add "scatter_add_axis_1", SCATTER_AXIS_1, AXIS_1),
    widths!(Add "scatter_add_elements", SCATTER_ELEMENTS, ELEMENTS),
    widths!(Add "scatter_add_pairs", SCATTER_PAIRS, PAIR),
    widths!(Add "scatter_add_triples", SCATTER_TRIPLES, TRIPLE),
    widths!(Add "scatter_add_one", SCATTER_ONE, SINGLE),
];

/// A case of blocks of 32 values, which are read as others. `$plain` says what value `i` of the
/// bytes of a block becomes. No other case has indices of this type, so none shares with these what
/// runs for an index out of bounds.
macro_rules! blocks {
    ($name:literal, $Block:ty, $Value:ty, $decode:expr, $plain:expr) => {{
        #[inline(never)]
        #[unsafe(export_name = $name)]
        fn run(memory: &mut Memory) -> bool {
            let (table, indices, output) = tables::<$Block, $Value>(memory);
            let (table, indices, output) =
                (black_box(table), black_box(indices), black_box(output));
            GATHER_BLOCKS.run_map(table, indices, output, $decode).is_ok()
        }
        fn plain(memory: &mut Memory, _: &Shape, _: Way) {
            let plain: fn(&[u8], usize) -> $Value = $plain;
            let (table, indices, output) = tables::<$Block, $Value>(memory);
            for (index, to) in indices.iter().zip(output) {
                let block = bytemuck::bytes_of(&table[usize::from(*index)]);
                to.iter_mut().enumerate().for_each(|(i, to)| *to = plain(block, i));
            }
        }
        Case {
            name: $name,
            run,
            fill: fill::<u8, u16>,
            spoil: spoil::<u16>,
            plain,
            way: Way::Gather,
            shape: AXIS_0,
        }
    }};
}

/// 256 blocks, the indices of 64 of them, and what these become.
fn tables<B: bytemuck::Pod, V: bytemuck::Pod>(
    Memory { table, flat, indices }: &mut Memory,
) -> (&[B; 256], &[u16; 64], &mut [[V; 32]; 64]) {
    let table = &cast_slice::<u64, u8>(table)[..256 * size_of::<B>()];
    let flat = &mut cast_slice_mut::<u64, u8>(flat)[..64 * size_of::<[V; 32]>()];
    let table = cast_slice::<u8, B>(table).first_chunk().unwrap();
    let flat = cast_slice_mut::<u8, [V; 32]>(flat).first_chunk_mut().unwrap();
    (table, cast_slice(indices).first_chunk().unwrap(), flat)
}

fn half(bytes: &[u8]) -> f32 {
    f16::from_le_bytes([bytes[0], bytes[1]]).to_f32()
}

/// Value `i` of the low halves of 16 bytes, then of the high ones, less 8.
fn four(bytes: &[u8], i: usize) -> i8 {
    (bytes[i % 16] >> (i / 16 * 4) & 15) as i8 - 8
}

/// `scale / 2^16` of a value, rounded.
#[inline(always)]
fn fixed(scale: [u8; 2], q: i8) -> i8 {
    ((i32::from(u16::from_le_bytes(scale)) * i32::from(q) + (1 << 15)) >> 16) as i8
}

/// Blocks of a scale in fixed point and of 32 values of 8 bits.
#[inline(always)]
fn fixed_eights([a, b, qs @ ..]: [u8; 34]) -> [i8; 32] {
    qs.map(|q| fixed([a, b], q as i8))
}

/// The same of 4 bits.
#[inline(always)]
fn fixed_fours([a, b, qs @ ..]: [u8; 18]) -> [i8; 32] {
    let mut values = [0; 32];
    let (low, high) = values.split_at_mut(16);
    for ((low, high), byte) in low.iter_mut().zip(high).zip(qs) {
        *low = fixed([a, b], (byte & 15) as i8 - 8);
        *high = fixed([a, b], (byte >> 4) as i8 - 8);
    }
    values
}

const QUANTISED: &[Case] = &[
    blocks!("gather_blocks_8_f32_u16", Q8_0, f32, Q8_0::decode, |block, i| {
        f32::from(block[2 + i] as i8) * half(block)
    }),
    blocks!("gather_blocks_4_f32_u16", Q4_0, f32, Q4_0::decode, |block, i| {
        f32::from(four(&block[2..], i)) * half(block)
    }),
    blocks!("gather_blocks_8_i8_u16", [u8; 34], i8, fixed_eights, |block, i| {
        fixed([block[0], block[1]], block[2 + i] as i8)
    }),
    blocks!("gather_blocks_4_i8_u16", [u8; 18], i8, fixed_fours, |block, i| {
        fixed([block[0], block[1]], four(&block[2..], i))
    }),
];

/// What does not depend on the width: the rank of `elements`, operators of other kinds, and where
/// the plan lies.
const RANKS_AND_PLACES: &[Case] = &[
    case!(Gather "gather_elements_3", GATHER_ELEMENTS_3, ELEMENTS_3, f32, i32),
    case!(Gather "gather_elements_4", GATHER_ELEMENTS_4, ELEMENTS_4, f32, i32),
    case!(Assign "scatter_elements_3", SCATTER_ELEMENTS_3, ELEMENTS_3, f32, i32),
    case!(Assign "scatter_elements_4", SCATTER_ELEMENTS_4, ELEMENTS_4, f32, i32),
    case!(Gather "rows_gather_axis_0", ByRows::<32, 64>, AXIS_0, f32, i32),
    case!(Add "rows_scatter_add_axis_0", ByRows::<32, 64>, AXIS_0, f32, i32),
    case!(Gather "rows_gather_one", ByRows::<1, 1>, SINGLE, f32, i32),
    case!(Add "rows_scatter_add_one", ByRows::<1, 1>, SINGLE, f32, i32),
    case!(Gather "gather_lists", Pairs, LISTED, f32, i32),
    case!(Assign "sequence", SEQUENCE, PLACES, f32, i32),
    case!(Assign "sequence_circular", RING, PLACES, f32, i32),
    case!(Bag "bag", Sums, AXIS_0, f32, i32),
    case!(Compress "mask_compress", Compress, BITS, f32, i32),
    case!(Expand "mask_expand", Expand, BITS, f32, i32),
    case!(Gather "static_gather_axis_0", Kept(&KEPT_AXIS_0), AXIS_0, f32, i32),
    case!(Gather "static_gather_axis_1", Kept(&KEPT_AXIS_1), AXIS_1, f32, i32),
    case!(Gather "static_gather_elements", Kept(&KEPT_ELEMENTS), ELEMENTS, f32, i32),
    case!(Gather "static_gather_pairs", Kept(&KEPT_PAIRS), PAIR, f32, i32),
    case!(Gather "static_gather_triples", Kept(&KEPT_TRIPLES), TRIPLE, f32, i32),
    case!(Gather "static_gather_one", Kept(&KEPT_ONE), SINGLE, f32, i32),
    case!(Assign "static_scatter_axis_0", Kept(&KEPT_SCATTER_AXIS_0), AXIS_0, f32, i32),
    case!(Add "static_scatter_add_axis_0", Kept(&KEPT_SCATTER_AXIS_0), AXIS_0, f32, i32),
    case!(Assign "static_scatter_elements", Kept(&KEPT_SCATTER_ELEMENTS), ELEMENTS, f32, i32),
    case!(Assign "static_scatter_pairs", Kept(&KEPT_SCATTER_PAIRS), PAIR, f32, i32),
    case!(Count "histogram", HISTOGRAM, BINS, f32, i32),
    case!(Count "static_histogram", Kept(&KEPT_HISTOGRAM), BINS, f32, i32),
];

/// Elements no two neighbours of which are alike, small enough for any sum of them in a `u8`;
/// indices that are on their axes, likewise.
fn fill<T: bytemuck::Pod + From<u8>, I: bytemuck::Pod + TryFrom<usize>>(
    memory: &mut Memory,
    shape: &Shape,
) {
    *memory = EMPTY;
    let (table, flat, indices) = (&mut memory.table, &mut memory.flat, &mut memory.indices);
    for (n, element) in cast_slice_mut::<u64, T>(table).iter_mut().enumerate() {
        *element = T::from((n % 113) as u8);
    }
    for (n, element) in cast_slice_mut::<u64, T>(flat).iter_mut().enumerate() {
        *element = T::from((n % 13) as u8 + 1);
    }
    for (n, index) in cast_slice_mut::<u64, I>(indices)[..shape.indices].iter_mut().enumerate() {
        *index = I::try_from(n * 5 % shape.axis).unwrap_or_else(|_| unreachable!());
    }
}

/// Takes the last index off its axis.
fn spoil<I: bytemuck::Pod + TryFrom<usize>>(memory: &mut Memory, shape: &Shape) {
    cast_slice_mut(&mut memory.indices)[shape.indices - 1] =
        I::try_from(1000).unwrap_or_else(|_| unreachable!());
}

/// What the case should do.
fn plain<T, I>(memory: &mut Memory, shape: &Shape, way: Way)
where
    T: bytemuck::Pod + ops::Add<Output = T>,
    I: bytemuck::Pod + TryInto<usize>,
{
    let Memory { table, flat, indices } = memory;
    let (table, flat, indices) = (
        cast_slice_mut::<u64, T>(table),
        cast_slice_mut::<u64, T>(flat),
        cast_slice::<u64, I>(indices),
    );
    let index = |n: usize| indices[n].try_into().unwrap_or_else(|_| unreachable!());
    let mut count = 0;
    for n in 0..shape.moved {
        let address = (shape.address)(n, &index);
        match way {
            Way::Gather => flat[n] = table[address],
            Way::Assign => table[address] = flat[n],
            Way::Add => table[address] = table[address] + flat[n],
            Way::Count => table[address] = table[address] + flat[0],
            Way::Bag => {
                let (to, is_first) = (n / 256 * 32 + n % 32, n / 32 % 8 == 0);
                flat[to] = if is_first { table[address] } else { flat[to] + table[address] };
            }
            Way::Compress if address > 0 => {
                flat[count] = table[n];
                count += 1;
            }
            Way::Expand if address > 0 => {
                table[n] = flat[count];
                count += 1;
            }
            Way::Compress | Way::Expand => {}
        }
    }
}

const EMPTY: Memory = Memory { table: [0; 8192], flat: [0; 2048], indices: [0; 2048] };

#[entry]
fn main() -> ! {
    static mut MEMORY: Memory = EMPTY;
    static mut EXPECTED: Memory = EMPTY;
    start_timer();
    for Case { name, run, fill, spoil, plain, way, shape } in
        OPERATORS.as_flattened().iter().chain(RANKS_AND_PLACES).chain(QUANTISED)
    {
        let demand = |truth: bool, what: &str| {
            if !truth {
                eprintln!("{name}: {what}");
                firmware::exit(1)
            }
        };
        fill(EXPECTED, shape);
        plain(EXPECTED, shape, *way);
        fill(MEMORY, shape);
        let (instructions, succeeded) = instructions(*run, MEMORY);
        demand(succeeded && MEMORY == EXPECTED, "wrong result");
        fill(MEMORY, shape);
        let (in_bounds, succeeded) = stack(*run, MEMORY);
        demand(succeeded && MEMORY == EXPECTED, "wrong result the second time");

        fill(EXPECTED, shape);
        spoil(EXPECTED, shape);
        fill(MEMORY, shape);
        spoil(MEMORY, shape);
        let (out_of_bounds, succeeded) = stack(*run, MEMORY);
        demand(!succeeded, "an index out of bounds was not found");
        demand(
            *way == Way::Gather || MEMORY == EXPECTED,
            "written in spite of an index out of bounds",
        );
        println!("{name} {instructions} {in_bounds} {}", in_bounds.max(out_of_bounds));
    }
    firmware::exit(0)
}
