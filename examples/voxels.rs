//! Sorts points of space into voxels: a week of the world's earthquakes, by longitude, latitude and
//! depth. Counts them, finds the strongest and the mean of each voxel, and draws a map.
//!
//! `cargo run --release --example voxels -- [FILE]` (default: `examples/data/earthquakes.csv`,
//! 2018-01-31 to 02-07, of the USGS's public feed; every line is
//! `longitude,latitude,depth in km,magnitude`)

#![allow(clippy::indexing_slicing)]

use std::error::Error;

use strew::{Add, Layout, Max, Scatter};

/// Cells of 5 by 10 degrees, and layers of 50 km; the last goes on below.
const GRID: [usize; 3] = [18, 72, 6];

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).unwrap_or_else(|| {
        concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/earthquakes.csv").to_owned()
    });
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let mut cells: Vec<[u8; 3]> = Vec::new();
    let mut magnitudes: Vec<f32> = Vec::new();
    for line in text.lines().skip(1) {
        let numbers = line
            .split(',')
            .map(str::parse::<f32>)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| format!("{line}: {error}"))?;
        let [longitude, latitude, depth, magnitude] = numbers[..] else {
            return Err(format!("{line}: not four numbers").into());
        };
        if !(-90.0 < latitude && latitude <= 90.0 && (-180.0..180.0).contains(&longitude)) {
            return Err(format!("{line}: not on the map").into());
        }
        cells.push([
            ((90.0 - latitude) / 10.0) as u8,
            ((longitude + 180.0) / 5.0) as u8,
            (depth / 50.0).min(5.0) as u8,
        ]);
        magnitudes.push(magnitude);
    }

    let points = cells.len();
    let (voxels, indices) = (Layout::contiguous(GRID), Layout::contiguous([points, 3]));
    let (ones, each) = (Layout::strided([points], [0]), Layout::contiguous([points]));
    let size = GRID.iter().product();

    let mut counts = vec![0_u32; size];
    Scatter::nd(&voxels, &indices, &ones, 0)?.reduce(
        Add,
        &mut counts,
        cells.as_flattened(),
        &[1],
    )?;
    let by_voxel = Scatter::nd(&voxels, &indices, &each, 0)?;
    let mut strongest = vec![f32::NEG_INFINITY; size];
    by_voxel.reduce(Max, &mut strongest, cells.as_flattened(), &magnitudes)?;
    let mut means = vec![0.0; size];
    by_voxel.mean_excluding_self(
        &mut means,
        cells.as_flattened(),
        &magnitudes,
        &mut vec![0; by_voxel.mean_len::<f32>()],
    )?;

    // The map is the same scatter by the first two coordinates of each point: a view of the same
    // indices.
    let flat = Scatter::nd(
        &Layout::contiguous([GRID[0], GRID[1]]),
        &Layout::strided([points, 2], [3, 1]),
        &ones,
        0,
    )?;
    let mut map = vec![0_u32; GRID[0] * GRID[1]];
    flat.reduce(Add, &mut map, cells.as_flattened(), &[1])?;
    for row in map.chunks_exact(GRID[1]) {
        println!(
            "|{}|",
            row.iter()
                .map(|count| b" .:+*#@"
                    [(count.checked_ilog2().map_or(0, |log| log + 1) as usize).min(6)]
                    as char)
                .collect::<String>()
        );
    }

    let mut fullest: Vec<usize> = (0..size).filter(|voxel| counts[*voxel] > 0).collect();
    println!("\n{points} quakes in {} of {size} voxels. The fullest:", fullest.len());
    println!("  latitude    longitude     depth   quakes  mean  strongest");
    fullest.sort_by_key(|voxel| std::cmp::Reverse(counts[*voxel]));
    for voxel in fullest.into_iter().take(8) {
        let [y, x, z] = [voxel / GRID[2] / GRID[1], voxel / GRID[2] % GRID[1], voxel % GRID[2]]
            .map(|cell| cell as i32);
        let (south, west, above) = (80 - 10 * y, 5 * x - 180, 50 * z);
        println!(
            "{south:4}..{:<4} {west:6}..{:<5} {above:3} km.. {:7}  {:4.1}  {:9.1}",
            south + 10,
            west + 5,
            counts[voxel],
            means[voxel],
            strongest[voxel]
        );
    }
    Ok(())
}
