//! Writes new keys into the cache of a transformer, each sequence at its own position: ONNX's
//! TensorScatter, linear and circular; and into a paged cache, by slots.
//!
//! `cargo run --release --example kv_cache`

use strew::{Bounds, Error, Layout, Negative, Scatter, Sequence};

const BATCH: usize = 2;
const HEADS: usize = 2;
const WIDTH: usize = 4;
/// Positions in the cache of a sequence.
const LENGTH: usize = 6;
/// Tokens that come in one step.
const NEW: usize = 2;
/// Positions of a page, and the pages that all sequences share.
const PAGE: usize = 4;
const PAGES: usize = 3;

/// Writes steps until one does not fit. The second sequence starts with a prompt of three
/// positions.
fn fill(mode: Sequence, steps: usize) -> Result<(), Error> {
    let (cache, starts) =
        (Layout::contiguous([BATCH, HEADS, LENGTH, WIDTH]), Layout::contiguous([BATCH]));
    let write = Scatter::sequence(
        &cache,
        &starts,
        &Layout::contiguous([BATCH, HEADS, NEW, WIDTH]),
        2,
        mode,
    )?;
    let mut cache = [0.0_f32; BATCH * HEADS * LENGTH * WIDTH];
    for step in 0..steps {
        let starts = [0, 3].map(|start| (start + step * NEW) as i64);
        // Each key is the number of its token, here.
        let mut keys = [0.0; BATCH * HEADS * NEW * WIDTH];
        for (n, key) in keys.chunks_exact_mut(WIDTH).enumerate() {
            key.fill((step * NEW + n % NEW + 1) as f32);
        }
        let result = write.run(&mut cache, &starts, &keys);
        println!(
            "step {step}, positions {starts:?}: {}",
            result.map_or_else(|error| error.to_string(), |()| "written".to_owned())
        );
        for (head, keys) in cache.chunks_exact(LENGTH * WIDTH).enumerate() {
            let tokens: Vec<f32> = keys.iter().step_by(WIDTH).copied().collect();
            println!("    sequence {}, head {}: {tokens:?}", head / HEADS, head % HEADS);
        }
        result?;
    }
    Ok(())
}

/// Tokens of several sequences, each into its slot of the pages that all share: `slot_mapping` of
/// vLLM's `reshape_and_cache`, in which -1 is padding.
fn paged() -> Result<(), Error> {
    let slots = [5_i64, 9, -1, 6, -1];
    let (cache, keys) =
        (Layout::contiguous([PAGES * PAGE, HEADS, WIDTH]), Layout::contiguous([5, HEADS, WIDTH]));
    let write = Scatter::axis(&cache, &Layout::contiguous([5]), &keys, 0)?
        .bounds(Bounds::Skip)
        .negative(Negative::OutOfBounds);
    let mut cache = [0.0_f32; PAGES * PAGE * HEADS * WIDTH];
    let keys: [f32; 5 * HEADS * WIDTH] = std::array::from_fn(|n| (n / (HEADS * WIDTH) + 1) as f32);
    write.run(&mut cache, &slots, &keys)?;
    for (page, keys) in cache.chunks_exact(PAGE * HEADS * WIDTH).enumerate() {
        let tokens: Vec<f32> = keys.iter().step_by(HEADS * WIDTH).copied().collect();
        println!("    page {page}: {tokens:?}");
    }
    Ok(())
}

fn main() -> Result<(), Error> {
    println!("Linear: a position past the end is an error, and no key of that step is written.");
    assert!(matches!(fill(Sequence::Linear, 3), Err(Error::IndexOutOfBounds { .. })));
    println!("\nCircular: positions go on, the oldest keys are overwritten.");
    fill(Sequence::Circular, 4)?;
    println!("\nPaged: each token has a slot in some page, and -1 is padding.");
    paged()
}
