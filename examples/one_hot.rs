//! One-hot encodes DNA, the input of most models of it: a row for each base, with a 1 in the column
//! of A, C, G or T, and none for an unknown base.
//!
//! `cargo run --release --example one_hot -- [SEQUENCE]`

#![allow(clippy::indexing_slicing)]

use strew::{Bounds, Error, Gather, Layout, Scatter};

const BASES: [u8; 4] = *b"ACGT";

/// The column of each byte; 4 for what is no base.
const fn columns() -> [u8; 256] {
    let mut columns = [4; 256];
    let mut base = 0;
    while base < 4 {
        columns[BASES[base] as usize] = base as u8;
        columns[BASES[base].to_ascii_lowercase() as usize] = base as u8;
        base += 1;
    }
    columns
}
static COLUMNS: [u8; 256] = columns();

/// `[n, 4]`, a row for each byte of the sequence.
fn one_hot(sequence: &[u8]) -> Result<Vec<f32>, Error> {
    let n = sequence.len();
    // The bytes are the indices of a table.
    let bytes = Layout::from_sizes(&[n])?;
    let mut columns = vec![0; n];
    Gather::axis(&Layout::contiguous([256]), &bytes, &bytes, 0)?.run(
        &COLUMNS,
        sequence,
        &mut columns,
    )?;

    // The column of each row gets a 1, one 1 for all rows. Column 4 does not exist, and is skipped.
    let column = Layout::contiguous([n, 1]);
    let ones = Layout::strided([n, 1], [0, 0]);
    let mut rows = vec![0.0; n * 4];
    Scatter::elements(&Layout::contiguous([n, 4]), &column, &ones, 1)?.bounds(Bounds::Skip).run(
        &mut rows,
        &columns,
        &[1.0],
    )?;
    Ok(rows)
}

fn main() -> Result<(), Error> {
    let sequence = std::env::args().nth(1).unwrap_or_else(|| "GATTACAN".to_owned());
    println!("   {}", BASES.map(|base| format!("  {}", char::from(base))).concat());
    for (base, row) in
        sequence.bytes().map(char::from).zip(one_hot(sequence.as_bytes())?.chunks_exact(4))
    {
        println!("{base:>3}{}", row.iter().map(|x| format!("  {x}")).collect::<String>());
    }
    Ok(())
}
