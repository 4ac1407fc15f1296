//! Writes new keys into the cache of a transformer, each sequence at its own position: ONNX's
//! TensorScatter, linear and circular.
//!
//! `cargo run --release --example kv_cache`
//!
//! For one sequence, `Scatter::axis` along the positions of a cache `[head, position, width]` is
//! enough; in a batch, that cache is
//! `Layout::contiguous([HEADS, LENGTH, WIDTH]).with_offset(sequence * HEADS * LENGTH * WIDTH)`.

#![allow(clippy::indexing_slicing)]

use strew::{Bounds, Error, Layout, Scatter};

const BATCH: usize = 2;
const HEADS: usize = 2;
const WIDTH: usize = 4;
/// Positions in the cache.
const LENGTH: usize = 6;
/// Tokens that come in one step.
const NEW: usize = 2;

/// The plan of `cache[b, h, positions[b, s], :] = keys[b, h, s, :]`.
///
/// Both tensors lie in memory as `[batch, head, position, width]`. The layouts show them as
/// `[batch, position, head, width]`, so that batches come first, then what is indexed, then what
/// moves for one index: a key of every head. Nothing is copied for it.
fn cache_write() -> Result<Scatter, Error> {
    let by_position = |positions: usize| {
        let head = (positions * WIDTH) as isize;
        Layout::strided(
            [BATCH, positions, HEADS, WIDTH],
            [HEADS as isize * head, WIDTH as isize, head, 1],
        )
    };
    Scatter::nd(&by_position(LENGTH), &Layout::contiguous([BATCH, NEW, 1]), &by_position(NEW), 1)
}

/// Writes steps until one does not fit. The second sequence starts with a prompt of three
/// positions.
fn fill(write: &Scatter, steps: usize) -> Result<(), Error> {
    let mut cache = [0.0_f32; BATCH * HEADS * LENGTH * WIDTH];
    for step in 0..steps {
        let positions: Vec<i64> = [0, 3]
            .iter()
            .flat_map(|start| (0..NEW).map(move |new| (start + step * NEW + new) as i64))
            .collect();
        // Each key is the number of its token, here.
        let mut keys = [0.0; BATCH * HEADS * NEW * WIDTH];
        for (n, key) in keys.chunks_exact_mut(WIDTH).enumerate() {
            key.fill((step * NEW + n % NEW + 1) as f32);
        }
        let result = write.run(&mut cache, &positions, &keys);
        println!(
            "step {step}, positions {positions:?}: {}",
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

fn main() -> Result<(), Error> {
    println!("Linear: a position past the end is an error, and no key of that step is written.");
    assert!(matches!(fill(&cache_write()?, 3), Err(Error::IndexOutOfBounds { .. })));
    println!("\nCircular: positions go on, the oldest keys are overwritten.");
    fill(&cache_write()?.bounds(Bounds::Wrap), 4)
}
