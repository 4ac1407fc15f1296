//! Sorts the rows of a table by a column, and puts them back: a gather by the sorting permutation,
//! and one by its inverse, which is a scatter.
//!
//! `cargo run --release --example permutation -- [FILE]` (default: `examples/data/earthquakes.csv`,
//! sorted by magnitude, its last column)

#![allow(clippy::indexing_slicing)]

use std::error::Error;

use strew::{Gather, Layout, Scatter};

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).unwrap_or_else(|| {
        concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/earthquakes.csv").to_owned()
    });
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split(',').collect();
    let columns = header.len();
    let mut table: Vec<f32> = Vec::new();
    for line in lines {
        if line.split(',').count() != columns {
            return Err(format!("{line}: not {columns} columns").into());
        }
        table.extend(
            line.split(',')
                .map(str::parse::<f32>)
                .collect::<Result<Vec<_>, _>>()
                .map_err(|error| format!("{line}: {error}"))?,
        );
    }
    let rows = table.len() / columns;

    let mut order: Vec<u32> = (0..rows as u32).collect();
    let key = |row: &u32| table[(*row as usize + 1) * columns - 1];
    order.sort_by(|a, b| key(b).total_cmp(&key(a)));

    let (ids, all) = (Layout::contiguous([rows]), Layout::contiguous([rows, columns]));
    let by = Gather::axis(&all, &ids, &all, 0)?;
    let mut sorted = vec![0.0; table.len()];
    by.run(&table, &order, &mut sorted)?;

    // inverse[order[n]] = n. That no row comes twice is what makes it a permutation.
    let invert = Scatter::axis(&ids, &ids, &ids, 0)?;
    let numbers: Vec<u32> = (0..rows as u32).collect();
    let mut inverse = vec![0; rows];
    invert.check_unique(&order, &mut vec![0; invert.flags_len()])?.run(&mut inverse, &numbers)?;
    let mut restored = vec![0.0; table.len()];
    by.run(&sorted, &inverse, &mut restored)?;

    println!("  row  {}", header.iter().map(|name| format!("{name:>11}")).collect::<String>());
    for (row, values) in order.iter().zip(sorted.chunks_exact(columns)).take(10) {
        println!(
            "{row:5}  {}",
            values.iter().map(|value| format!("{value:11}")).collect::<String>()
        );
    }
    println!(
        "{rows} rows sorted by {}; put back, {}",
        header[columns - 1],
        if restored == table { "all are as they were" } else { "they differ" }
    );
    Ok(())
}
