//! Times workloads for a program that measures other libraries: `benches/peers/bags.py`.
//!
//! `answers` reads lines such as `bag: sum 64 f32, bags of 20`, the names that `summary` prints.
//! For each it prints the least time that a call took, in nanoseconds, of calls for a tenth of a
//! second. The inputs stay until another name comes, so that calls of both programs may take turns.
//! The family `threads` runs with as many threads as `RAYON_NUM_THREADS` says.

use std::error::Error;
use std::io::{Write, stdin, stdout};
use std::time::{Duration, Instant};

use strew_benches::workloads::{self, Ready};

fn main() -> Result<(), Box<dyn Error>> {
    let mut list = workloads::all(false);
    list.extend(workloads::with_threads(false));
    let mut last: Option<(String, Box<dyn Ready>)> = None;
    for name in stdin().lines() {
        let name = name?;
        let kept = last.take().filter(|(of, _)| *of == name);
        let (name, mut ready) = match kept {
            Some(kept) => kept,
            None => {
                let named = list.iter().find(|one| format!("{}: {}", one.family, one.name) == name);
                let ready = named.ok_or_else(|| format!("no workload `{name}`"))?.make();
                (name, ready)
            }
        };
        let (start, mut least) = (Instant::now(), Duration::MAX);
        while start.elapsed() < Duration::from_millis(100) {
            let start = Instant::now();
            ready.strew(1);
            least = least.min(start.elapsed());
        }
        writeln!(stdout(), "{}", least.as_nanos())?;
        stdout().flush()?;
        last = Some((name, ready));
    }
    Ok(())
}
