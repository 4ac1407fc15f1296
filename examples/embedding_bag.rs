//! Embeds lines of text: each line's vector is the mean of the table rows of its letter triples,
//! and similar lines have similar vectors.
//!
//! `cargo run --release --example embedding_bag -- [FILE]` (default: this repository's README.md)

#![allow(clippy::indexing_slicing)]

use std::error::Error;

use strew::{Bag, Bags, Layout, Mean};

/// Rows of the table. Triples are hashed to rows, as fastText does.
const ROWS: usize = 4096;
/// Columns of the table.
const WIDTH: usize = 32;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args()
        .nth(1)
        .unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/README.md").to_owned());
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
    let lines: Vec<&str> =
        text.lines().filter(|line| line.chars().any(char::is_alphanumeric)).collect();
    if lines.is_empty() {
        return Err("no line with a word in it".into());
    }

    // The tokens of all lines one after the other, and where each line starts.
    let mut tokens: Vec<u16> = Vec::new();
    let mut starts = Vec::new();
    for line in &lines {
        starts.push(tokens.len());
        tokens.extend(tokenise(line));
    }

    let (table, ids) = (Layout::contiguous([ROWS, WIDTH]), Layout::contiguous([tokens.len()]));
    let bag = Bag::new(&table, &ids, &Layout::contiguous([lines.len(), WIDTH]))?;
    let mut vectors = vec![0.0; lines.len() * WIDTH];
    bag.run(Mean, &random_table(), &tokens, Bags::Starts(&starts), &mut vectors)?;

    let vectors: Vec<&[f32]> = vectors.chunks_exact(WIDTH).collect();
    for (n, (line, vector)) in lines.iter().zip(&vectors).enumerate() {
        println!("{:4}  {}", n + 1, line.trim());
        let alike = vectors
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != n)
            .map(|(other, v)| (cosine(vector, v), other));
        if let Some((cosine, other)) = alike.max_by(|a, b| a.0.total_cmp(&b.0)) {
            println!("      most like line {} (cosine {cosine:.2})", other + 1);
        }
    }
    println!("{} lines, {} tokens, a table of {ROWS} rows of {WIDTH}", lines.len(), tokens.len());
    Ok(())
}

/// The rows of all letter triples of a line, with a space at each end of a word.
fn tokenise(line: &str) -> Vec<u16> {
    let words = line.to_lowercase();
    let words = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let hash = |triple: &[char]| {
        triple.iter().fold(0_u32, |hash, c| (hash ^ *c as u32).wrapping_mul(0x9E37_79B1))
    };
    let spaced = words.map(|word| format!(" {word} ").chars().collect::<Vec<_>>());
    spaced
        .flat_map(|word| {
            word.windows(3).map(|triple| (hash(triple) >> 20) as u16).collect::<Vec<_>>()
        })
        .collect()
}

/// Random rows are almost orthogonal, so that the mean keeps what it was made of.
fn random_table() -> Vec<f32> {
    let shift = |x: u32| x ^ (x << 13);
    let next = |x: &u32| Some(shift(*x) ^ (shift(*x) >> 17)).map(|x| x ^ (x << 5));
    std::iter::successors(Some(1), next)
        .skip(1)
        .take(ROWS * WIDTH)
        .map(|x: u32| x as f32 / u32::MAX as f32 - 0.5)
        .collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
