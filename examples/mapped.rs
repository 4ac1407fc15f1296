//! Rows of a quantised table that is larger than what is read of it: the file is mapped, the words
//! of a text choose rows, and only their pages come from the disk.
//!
//! `cargo run --release --example mapped -- [TABLE [TEXT]]` (default: a table of 16 MiB that is
//! made in the directory for temporary files, and this repository's README.md)
//!
//! TABLE has rows of 256 values in 8 blocks of `Q8_0`, one for each of 2^16 hashes of a word, as a
//! tensor of a GGUF file has them.

use std::error::Error;
use std::fs::File;
use std::path::PathBuf;
use std::time::Instant;

use memmap2::Mmap;
use strew::quant::Q8_0;
use strew::{Gather, Layout};

const ROWS: usize = 1 << 16;
/// The blocks of a row.
const BLOCKS: usize = 8;
const TABLE: Layout = Layout::contiguous([ROWS, BLOCKS]);

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = match arguments.next() {
        Some(file) => PathBuf::from(file),
        None => made()?,
    };
    let text = arguments
        .next()
        .unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/README.md").to_owned());
    let text = std::fs::read_to_string(&text).map_err(|error| format!("{text}: {error}"))?;
    let name = file.display();
    let opened = File::open(&file).map_err(|error| format!("{name}: {error}"))?;
    // SAFETY: nobody changes the file while it is mapped: that is up to who runs this.
    let mapped = unsafe { Mmap::map(&opened) }.map_err(|error| format!("{name}: {error}"))?;
    let needed = ROWS * BLOCKS * size_of::<Q8_0>();
    let Some(bytes) = mapped.get(..needed) else {
        return Err(format!("{name}: {} bytes, a table has {needed}", mapped.len()).into());
    };
    let table: &[Q8_0] = bytemuck::cast_slice(bytes);

    let (mut rows, mut read, start) = (0, 0, Instant::now());
    let mut longest = (0.0, "");
    for line in text.lines() {
        let ids: Vec<u16> = line.split_whitespace().map(hash).collect();
        let (entries, output) =
            (Layout::contiguous([ids.len()]), Layout::contiguous([ids.len(), BLOCKS]));
        let gather = Gather::axis(&TABLE, &entries, &output, 0)?;
        let checked = gather.check(&ids)?;
        for range in checked.ranges::<Q8_0>() {
            read += range.len();
            // All pages of the line at once, not one after the other.
            #[cfg(unix)]
            mapped.advise_range(memmap2::Advice::WillNeed, range.start, range.len())?;
        }
        let mut embedded = vec![[0.0; Q8_0::SIZE]; ids.len() * BLOCKS];
        checked.run_map(table, &mut embedded, Q8_0::decode)?;
        rows += ids.len();
        let norm: f32 = embedded.as_flattened().iter().map(|value| value * value).sum();
        if norm > longest.0 {
            longest = (norm, line);
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("the line with the longest rows: {}", longest.1.trim());
    println!(
        "{rows} rows, {read} of {needed} bytes read, {:.0} rows a second",
        rows as f64 / seconds
    );
    Ok(())
}

/// The row of a word.
fn hash(word: &str) -> u16 {
    let hash = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let all = word.bytes().fold(0x811c_9dc5, hash);
    (all ^ all >> 16) as u16
}

/// A table of random rows, which is made once.
fn made() -> Result<PathBuf, Box<dyn Error>> {
    let file = std::env::temp_dir().join("strew-mapped-table.q8_0");
    if !file.exists() {
        let mut state = 1_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        };
        let blocks = ROWS * BLOCKS;
        let table: Vec<Q8_0> = std::iter::repeat_with(|| {
            let values: [f32; 32] = std::array::from_fn(|_| random());
            Q8_0::encode(&values)
        })
        .take(blocks)
        .collect();
        std::fs::write(&file, bytemuck::cast_slice::<_, u8>(&table))
            .map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(file)
}
