//! Counts the instructions and the stack of each operator. `.ci/figures` runs it and adds the bytes; the table is FIGURES.md.
//!
//! Each case is a function of its own, as firmware would have it, whose name is the name of the case.

#![no_std]
#![no_main]
#![allow(non_snake_case)]

use core::hint::black_box;

use firmware::board::{instructions, stack, start_timer};
use firmware::entry;
use semihosting::println;
use strew::{Add, Gather, Layout, Scatter, plan};

/// Room for the largest table, and as much again for what is gathered or scattered.
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
const SCATTER_ONE: Scatter = plan!(Scatter::axis(&LINE, &ONE, &ONE, 0));

static KEPT_AXIS_0: Gather = GATHER_AXIS_0;
static KEPT_ELEMENTS: Gather = GATHER_ELEMENTS;
static KEPT_PAIRS: Gather = GATHER_PAIRS;
static KEPT_ONE: Gather = GATHER_ONE;
static KEPT_SCATTER_PAIRS: Scatter = SCATTER_PAIRS;

/// `name: way plan, element, index;`
macro_rules! cases {
    ($($name:ident: $way:ident $plan:expr, $element:ty, $index:ty;)*) => {
        $(
            #[inline(never)]
            #[unsafe(no_mangle)]
            fn $name(memory: &mut Memory) {
                let table: &mut [$element] = bytemuck::cast_slice_mut(&mut memory.table);
                let flat: &mut [$element] = bytemuck::cast_slice_mut(&mut memory.flat);
                let indices: &[$index] = bytemuck::cast_slice(&memory.indices);
                // Arrays of known lengths at unknown places, as statics are for the function that uses them.
                let table: &mut [$element; 8192] = black_box(table.first_chunk_mut().unwrap());
                let flat: &mut [$element; 2048] = black_box(flat.first_chunk_mut().unwrap());
                let indices: &[$index; 2048] = black_box(indices.first_chunk().unwrap());
                cases!(@$way $plan, table, flat, indices);
            }
        )*
        const CASES: &[(&str, fn(&mut Memory), fn(&mut Memory))] = &[$((stringify!($name), $name, fill::<$index>)),*];
    };
    (@gather $plan:expr, $table:ident, $flat:ident, $indices:ident) => {
        black_box($plan.run($table, $indices, $flat).is_ok())
    };
    (@assign $plan:expr, $table:ident, $flat:ident, $indices:ident) => {
        black_box($plan.run($table, $indices, $flat).is_ok())
    };
    (@add $plan:expr, $table:ident, $flat:ident, $indices:ident) => {
        black_box($plan.reduce(Add, $table, $indices, $flat).is_ok())
    };
}

cases! {
    gather_axis_0_u8_i32: gather GATHER_AXIS_0, u8, i32;
    gather_axis_0_u16_i32: gather GATHER_AXIS_0, u16, i32;
    gather_axis_0_f32_i32: gather GATHER_AXIS_0, f32, i32;
    gather_axis_0_f64_i32: gather GATHER_AXIS_0, f64, i32;
    gather_axis_0_u8_i64: gather GATHER_AXIS_0, u8, i64;
    gather_axis_0_u16_i64: gather GATHER_AXIS_0, u16, i64;
    gather_axis_0_f32_i64: gather GATHER_AXIS_0, f32, i64;
    gather_axis_0_f64_i64: gather GATHER_AXIS_0, f64, i64;
    gather_axis_1_u8_i32: gather GATHER_AXIS_1, u8, i32;
    gather_axis_1_u16_i32: gather GATHER_AXIS_1, u16, i32;
    gather_axis_1_f32_i32: gather GATHER_AXIS_1, f32, i32;
    gather_axis_1_f64_i32: gather GATHER_AXIS_1, f64, i32;
    gather_axis_1_u8_i64: gather GATHER_AXIS_1, u8, i64;
    gather_axis_1_u16_i64: gather GATHER_AXIS_1, u16, i64;
    gather_axis_1_f32_i64: gather GATHER_AXIS_1, f32, i64;
    gather_axis_1_f64_i64: gather GATHER_AXIS_1, f64, i64;
    gather_elements_u8_i32: gather GATHER_ELEMENTS, u8, i32;
    gather_elements_u16_i32: gather GATHER_ELEMENTS, u16, i32;
    gather_elements_f32_i32: gather GATHER_ELEMENTS, f32, i32;
    gather_elements_f64_i32: gather GATHER_ELEMENTS, f64, i32;
    gather_elements_u8_i64: gather GATHER_ELEMENTS, u8, i64;
    gather_elements_u16_i64: gather GATHER_ELEMENTS, u16, i64;
    gather_elements_f32_i64: gather GATHER_ELEMENTS, f32, i64;
    gather_elements_f64_i64: gather GATHER_ELEMENTS, f64, i64;
    gather_elements_3_f32_i32: gather GATHER_ELEMENTS_3, f32, i32;
    gather_elements_4_f32_i32: gather GATHER_ELEMENTS_4, f32, i32;
    gather_pairs_u8_i32: gather GATHER_PAIRS, u8, i32;
    gather_pairs_u16_i32: gather GATHER_PAIRS, u16, i32;
    gather_pairs_f32_i32: gather GATHER_PAIRS, f32, i32;
    gather_pairs_f64_i32: gather GATHER_PAIRS, f64, i32;
    gather_pairs_u8_i64: gather GATHER_PAIRS, u8, i64;
    gather_pairs_u16_i64: gather GATHER_PAIRS, u16, i64;
    gather_pairs_f32_i64: gather GATHER_PAIRS, f32, i64;
    gather_pairs_f64_i64: gather GATHER_PAIRS, f64, i64;
    gather_triples_f32_i32: gather GATHER_TRIPLES, f32, i32;
    gather_one_f32_i32: gather GATHER_ONE, f32, i32;
    scatter_axis_0_u8_i32: assign SCATTER_AXIS_0, u8, i32;
    scatter_axis_0_u16_i32: assign SCATTER_AXIS_0, u16, i32;
    scatter_axis_0_f32_i32: assign SCATTER_AXIS_0, f32, i32;
    scatter_axis_0_f64_i32: assign SCATTER_AXIS_0, f64, i32;
    scatter_axis_0_u8_i64: assign SCATTER_AXIS_0, u8, i64;
    scatter_axis_0_u16_i64: assign SCATTER_AXIS_0, u16, i64;
    scatter_axis_0_f32_i64: assign SCATTER_AXIS_0, f32, i64;
    scatter_axis_0_f64_i64: assign SCATTER_AXIS_0, f64, i64;
    scatter_axis_1_f32_i32: assign SCATTER_AXIS_1, f32, i32;
    scatter_elements_u8_i32: assign SCATTER_ELEMENTS, u8, i32;
    scatter_elements_u16_i32: assign SCATTER_ELEMENTS, u16, i32;
    scatter_elements_f32_i32: assign SCATTER_ELEMENTS, f32, i32;
    scatter_elements_f64_i32: assign SCATTER_ELEMENTS, f64, i32;
    scatter_elements_u8_i64: assign SCATTER_ELEMENTS, u8, i64;
    scatter_elements_u16_i64: assign SCATTER_ELEMENTS, u16, i64;
    scatter_elements_f32_i64: assign SCATTER_ELEMENTS, f32, i64;
    scatter_elements_f64_i64: assign SCATTER_ELEMENTS, f64, i64;
    scatter_elements_3_f32_i32: assign SCATTER_ELEMENTS_3, f32, i32;
    scatter_elements_4_f32_i32: assign SCATTER_ELEMENTS_4, f32, i32;
    scatter_pairs_u8_i32: assign SCATTER_PAIRS, u8, i32;
    scatter_pairs_u16_i32: assign SCATTER_PAIRS, u16, i32;
    scatter_pairs_f32_i32: assign SCATTER_PAIRS, f32, i32;
    scatter_pairs_f64_i32: assign SCATTER_PAIRS, f64, i32;
    scatter_pairs_u8_i64: assign SCATTER_PAIRS, u8, i64;
    scatter_pairs_u16_i64: assign SCATTER_PAIRS, u16, i64;
    scatter_pairs_f32_i64: assign SCATTER_PAIRS, f32, i64;
    scatter_pairs_f64_i64: assign SCATTER_PAIRS, f64, i64;
    scatter_triples_f32_i32: assign SCATTER_TRIPLES, f32, i32;
    scatter_one_f32_i32: assign SCATTER_ONE, f32, i32;
    scatter_add_pairs_f32_i32: add SCATTER_PAIRS, f32, i32;
    scatter_add_elements_f32_i32: add SCATTER_ELEMENTS, f32, i32;
    static_gather_axis_0_f32_i32: gather black_box(&KEPT_AXIS_0), f32, i32;
    static_gather_elements_f32_i32: gather black_box(&KEPT_ELEMENTS), f32, i32;
    static_gather_pairs_f32_i32: gather black_box(&KEPT_PAIRS), f32, i32;
    static_gather_one_f32_i32: gather black_box(&KEPT_ONE), f32, i32;
    static_scatter_pairs_f32_i32: assign black_box(&KEPT_SCATTER_PAIRS), f32, i32;
}

/// Indices that are on every axis of every table, no two neighbours alike.
fn fill<I: bytemuck::Pod + TryFrom<usize>>(memory: &mut Memory) {
    let indices: &mut [I] = bytemuck::cast_slice_mut(&mut memory.indices);
    for (n, index) in indices.iter_mut().enumerate() {
        if let Ok(value) = I::try_from(n * 5 % 6) {
            *index = value;
        }
    }
}

#[entry]
fn main() -> ! {
    static mut MEMORY: Memory = Memory { table: [0; 8192], flat: [0; 2048], indices: [0; 2048] };
    start_timer();
    for (name, case, fill) in CASES {
        fill(MEMORY);
        println!("{name} {} {}", instructions(*case, MEMORY), stack(*case, MEMORY));
    }
    firmware::exit(0)
}
