//! Learns a vector for every byte of a text from the byte that follows it (word2vec's skip-gram
//! with negative samples). A step reads and writes only the rows that its batch names: gradients
//! are sparse, and those of the same row add up.
//!
//! `cargo run --release --example sparse_update -- [FILE]` (default: this repository's README.md)

#![allow(clippy::indexing_slicing)]

use std::error::Error;

use strew::{Gather, Layout, Scatter, Sub};

const WIDTH: usize = 16;
const BATCH: usize = 64;
const EPOCHS: usize = 12;
const RATE: f32 = 0.05;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args()
        .nth(1)
        .unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/README.md").to_owned());
    let text = std::fs::read(&file).map_err(|error| format!("{file}: {error}"))?;
    if text.len() <= BATCH {
        return Err(format!("{file}: not more than {BATCH} bytes").into());
    }

    let (table, ids, rows) = (
        Layout::contiguous([256, WIDTH]),
        Layout::contiguous([BATCH]),
        Layout::contiguous([BATCH, WIDTH]),
    );
    let lookup = Gather::axis(&table, &ids, &rows, 0)?;
    let update = Scatter::axis(&table, &ids, &rows, 0)?;

    let mut random = random();
    let mut vectors: Vec<f32> =
        (0..256 * WIDTH).map(|_| (random() % 1000) as f32 / 1000.0 - 0.5).collect();
    let mut contexts = vec![0.0; 256 * WIDTH];
    let (mut centre, mut context) = (vec![0.0; BATCH * WIDTH], vec![0.0; BATCH * WIDTH]);
    for epoch in 1..=EPOCHS {
        let (mut loss, mut steps) = (0.0, 0);
        // The bytes of the text are the indices, where they are.
        for (bytes, next) in
            text.chunks_exact(BATCH).zip(text.get(1..).unwrap_or(&[]).chunks_exact(BATCH))
        {
            let noise: Vec<u8> = (0..BATCH).map(|_| text[random() as usize % text.len()]).collect();
            for (others, label) in [(next, 1.0), (&noise, 0.0)] {
                lookup.run(&vectors, bytes, &mut centre)?;
                lookup.run(&contexts, others, &mut context)?;
                for (a, b) in centre.chunks_exact_mut(WIDTH).zip(context.chunks_exact_mut(WIDTH)) {
                    let dot: f32 = a.iter().zip(&*b).map(|(a, b)| a * b).sum();
                    let guess = 1.0 / (1.0 + (-dot).exp());
                    loss -= (if label == 1.0 { guess } else { 1.0 - guess }).max(1e-6).ln();
                    // Rows become their gradients.
                    for (a, b) in a.iter_mut().zip(b) {
                        (*a, *b) = ((guess - label) * RATE * *b, (guess - label) * RATE * *a);
                    }
                }
                update.reduce(Sub, &mut vectors, bytes, &centre)?;
                update.reduce(Sub, &mut contexts, others, &context)?;
                steps += BATCH;
            }
        }
        println!("epoch {epoch:2}: loss {:.4}", loss / steps as f32);
    }

    let vector = |byte: u8| &vectors[usize::from(byte) * WIDTH..][..WIDTH];
    let cosine = |a: &[f32], b: &[f32]| {
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
    };
    println!("\nLetters that are followed by the same:");
    for letter in *b"aenst3" {
        let mut others: Vec<u8> = (b'0'..=b'9')
            .chain(b'a'..=b'z')
            .filter(|other| *other != letter && text.contains(other))
            .collect();
        others.sort_by(|x, y| {
            cosine(vector(*y), vector(letter)).total_cmp(&cosine(vector(*x), vector(letter)))
        });
        println!(
            "  {}: {}",
            char::from(letter),
            others
                .iter()
                .take(5)
                .map(|other| format!("{} ", char::from(*other)))
                .collect::<String>()
        );
    }
    Ok(())
}

/// Numbers that are the same in every run.
fn random() -> impl FnMut() -> u32 {
    let mut state = 1_u64;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    }
}
