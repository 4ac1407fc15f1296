//! One operator with a constant plan, on f32 and i32: what firmware has, and what the sizes of
//! images are made of.

use strew::{Gather, Layout, Scatter, plan};

use crate::any;

const TABLE: Layout = Layout::contiguous([256, 32]);
const IDS: Layout = Layout::contiguous([64]);
const ROWS: Layout = Layout::contiguous([64, 32]);
const CUBE: Layout = Layout::contiguous([32, 32, 8]);
const PAIRS: Layout = Layout::contiguous([64, 2]);
const OCTETS: Layout = Layout::contiguous([64, 8]);

#[allow(dead_code)]
const GATHER_AXIS: Gather = plan!(Gather::axis(&TABLE, &IDS, &ROWS, 0));
#[allow(dead_code)]
const GATHER_ELEMENTS: Gather = plan!(Gather::elements(&TABLE, &ROWS, &ROWS, 0));
#[allow(dead_code)]
const GATHER_ND: Gather = plan!(Gather::nd(&CUBE, &PAIRS, &OCTETS, 0));
#[allow(dead_code)]
const SCATTER_AXIS: Scatter = plan!(Scatter::axis(&TABLE, &IDS, &ROWS, 0));
#[allow(dead_code)]
const SCATTER_ELEMENTS: Scatter = plan!(Scatter::elements(&TABLE, &ROWS, &ROWS, 0));
#[allow(dead_code)]
const SCATTER_ND: Scatter = plan!(Scatter::nd(&CUBE, &PAIRS, &OCTETS, 0));

pub fn run() {
    let (table, indices, output) = any((&[0.0_f32; 0][..], &[0_i32; 0][..], &mut [0.0_f32; 0][..]));
    let _ = (&table, &indices, &output);
    #[cfg(feature = "gather-axis")]
    let _ = any(GATHER_AXIS.run(table, indices, output));
    #[cfg(feature = "gather-elements")]
    let _ = any(GATHER_ELEMENTS.run(table, indices, output));
    #[cfg(feature = "gather-nd")]
    let _ = any(GATHER_ND.run(table, indices, output));
    #[cfg(feature = "scatter-axis")]
    let _ = any(SCATTER_AXIS.run(output, indices, table));
    #[cfg(feature = "scatter-elements")]
    let _ = any(SCATTER_ELEMENTS.run(output, indices, table));
    #[cfg(feature = "scatter-nd")]
    let _ = any(SCATTER_ND.run(output, indices, table));
    #[cfg(feature = "static-gather")]
    let _ = any(any(&GATHER_ND).run_shared(table, indices, output));
    #[cfg(feature = "static-scatter")]
    let _ = any(any(&SCATTER_ND).run_shared(output, indices, table));
}
