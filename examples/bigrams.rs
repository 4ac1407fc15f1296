//! Counts every pair of adjacent bytes of a file, ranks the pairs and draws them as a heat map.
//!
//! `cargo run --release --example bigrams -- [FILE] [PICTURE.png]` (default: this repository's
//! README.md, drawn to bigrams.png)
//!
//! The bytes of the file are the indices: entry `i` is the pair at bytes `i` and `i + 1`. The
//! update is one 1, with stride 0. Nothing is copied.

use std::error::Error;
use std::fs::{self, File};
use std::process::ExitCode;

use strew::{Add, Gather, Layout, Scatter, plan};

const COUNTS: Layout = Layout::contiguous([256, 256]);
const RANKS: usize = 16;
const TOP: Layout = Layout::contiguous([RANKS]);
const LOOKUP: Gather = plan!(Gather::nd(&COUNTS, &Layout::contiguous([RANKS, 2]), &TOP, 0));

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let file = arguments
        .next()
        .unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/README.md").to_owned());
    let picture = arguments.next().unwrap_or_else(|| "bigrams.png".to_owned());
    match run(&file, &picture) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bigrams: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(file: &str, picture: &str) -> Result<(), Box<dyn Error>> {
    let bytes = fs::read(file).map_err(|error| format!("{file}: {error}"))?;
    let pairs = bytes.len().saturating_sub(1);
    if pairs == 0 {
        return Err(format!("{file}: has no two adjacent bytes").into());
    }

    let scatter = Scatter::nd(
        &COUNTS,
        &Layout::strided([pairs, 2], [1, 1]),
        &Layout::strided([pairs], [0]),
        0,
    )?;
    let mut counts = vec![0_u32; 256 * 256];
    scatter.reduce(Add, &mut counts, &bytes, &[1])?;
    // Rank all pairs, then gather the counts of the first ones.
    let mut ranked: Vec<[u8; 2]> =
        (0..=u8::MAX).flat_map(|first| (0..=u8::MAX).map(move |second| [first, second])).collect();
    let count =
        |pair: &[u8; 2]| counts.get(usize::from(u16::from_be_bytes(*pair))).copied().unwrap_or(0);
    ranked.sort_by_key(|pair| std::cmp::Reverse(count(pair)));
    ranked.truncate(RANKS);
    let mut top = [0; RANKS];
    LOOKUP.run(&counts, ranked.as_flattened(), &mut top)?;

    println!("rank  pair        count    share");
    for (rank, (pair, count)) in
        ranked.iter().zip(top).enumerate().filter(|(_, (_, count))| *count > 0)
    {
        let share = f64::from(count) / pairs as f64 * 100.0;
        println!(
            "{:4}  {:8} {count:8} {share:7.2} %",
            rank + 1,
            format!("\"{}\"", pair.escape_ascii())
        );
    }
    let distinct = counts.iter().filter(|&&count| count > 0).count();
    println!("{pairs} pairs, {distinct} different");

    draw(&counts, picture).map_err(|error| format!("{picture}: {error}"))?;
    println!("heat map (first byte down, second across, logarithmic): {picture}");
    Ok(())
}

/// One pixel for each pair, from black over red and yellow to white.
fn draw(counts: &[u32], picture: &str) -> Result<(), Box<dyn Error>> {
    let most = counts.iter().copied().max().map_or(1.0, |count| f64::from(count).ln_1p());
    let pixels: Vec<u8> = counts
        .iter()
        .flat_map(|&count| {
            let heat = f64::from(count).ln_1p() / most * 3.0;
            [heat, heat - 1.0, heat - 2.0].map(|channel| (channel.clamp(0.0, 1.0) * 255.0) as u8)
        })
        .collect();
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(File::create(picture)?), 256, 256);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&pixels)?;
    Ok(())
}
