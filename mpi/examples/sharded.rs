//! bale's two kernels and an embedding table on the ranks of MPI: `histo` counts random places,
//! `ig` gathers random places, `embed` gathers rows of a table and adds gradients to them.
//!
//! ```text
//! cargo build --release --example sharded
//! mpirun -n 2 target/release/examples/sharded [PLACES [ENTRIES]]
//! target/release/examples/sharded --ranks 1,2,4 [PLACES [ENTRIES]]
//! ```
//!
//! All ranks together have PLACES, and each has ENTRIES. `--ranks` measures strong and weak
//! scaling.
//!
//! Prints the entries that all ranks move in a second, what they send to each other, and what the
//! time of rank 0 goes to. Each rank compares its result with a loop over all ranks' entries.

#![allow(clippy::indexing_slicing)]

use std::error::Error;
use std::process::Command;
use std::time::{Duration, Instant};

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};
use strew::{Add, Gather, Layout, Scatter};
use strew_mpi::{Distribution, Sharded, Spent};

/// Columns of the embedding table, which has as many elements as there are places.
const WIDTH: usize = 64;
/// Calls move as many entries in all, at least three. The fastest counts.
const MOVED: usize = 24_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    let ranks = arguments.next_if(|argument| argument == "--ranks").and_then(|_| arguments.next());
    let mut number = |default: usize| {
        arguments.next().map_or(Ok(default), |text| text.replace('M', "000000").parse())
    };
    let (places, entries) = (number(64_000_000)?, number(8_000_000)?);
    if let Some(ranks) = ranks {
        let ranks: Vec<usize> = ranks.split(',').map(str::parse).collect::<Result<_, _>>()?;
        println!("strong: {entries} entries in all");
        for n in &ranks {
            start(*n, places, entries / n)?;
        }
        println!("weak: as many places and entries for each rank");
        for n in ranks {
            let part = |whole: usize| whole / 4;
            start(n, part(places) * n, part(entries))?;
        }
        return Ok(());
    }
    let universe = mpi::initialize().ok_or("MPI has been started before")?;
    let run = Run { world: universe.world(), places, entries };
    run.histo()?;
    run.ig()?;
    run.embed()
}

/// Runs this program on some ranks, as root and in containers too: there a process may not read the
/// memory of another one.
fn start(ranks: usize, places: usize, entries: usize) -> Result<(), Box<dyn Error>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let wishes = [
        ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
        ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
        // More ranks than cores take turns.
        ("OMPI_MCA_mpi_yield_when_idle", if ranks > cores { "1" } else { "0" }),
    ];
    let status = Command::new("mpirun")
        .envs(wishes.into_iter().filter(|(name, _)| std::env::var_os(name).is_none()))
        .args(["-n", &ranks.to_string(), "--oversubscribe"])
        .arg(std::env::current_exe()?)
        .args([places.to_string(), entries.to_string()])
        .status()
        .map_err(|error| format!("mpirun: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{ranks} ranks: {status}").into()) }
}

struct Run {
    world: SimpleCommunicator,
    places: usize,
    /// Of each rank.
    entries: usize,
}

impl Run {
    fn calls(&self) -> usize {
        MOVED.checked_div(self.entries).unwrap_or(0).clamp(3, 100)
    }

    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// The places that this rank draws for a call: others than those before, which caches may hold.
    fn ids(&self, call: usize, count: usize, places: usize) -> Vec<u32> {
        list(call * self.world.size() as usize + self.rank(), count, places).collect()
    }

    /// The entries of all calls and ranks, in their order: each rank can make those of every other.
    fn all(&self, count: usize, places: usize) -> impl Iterator<Item = (usize, usize)> {
        let lists = 0..self.calls() * self.world.size() as usize;
        lists
            .flat_map(move |stream| list(stream, count, places).enumerate())
            .map(|(entry, place)| (entry, place as usize))
    }

    /// The time of the fastest of some calls with `count` of the places, and what it went to.
    fn measure(
        &self,
        table: &Sharded,
        (count, places): (usize, usize),
        mut call: impl FnMut(&[u32]) -> Result<(), strew_mpi::Error>,
    ) -> Result<(f64, Spent), strew_mpi::Error> {
        let mut best = (f64::INFINITY, Spent::default());
        for number in 0..self.calls() {
            let ids = self.ids(number, count, places);
            let before = table.spent();
            self.world.barrier();
            let start = Instant::now();
            call(&ids)?;
            self.world.barrier();
            let seconds = start.elapsed().as_secs_f64();
            if seconds < best.0 {
                best = (seconds, difference(table.spent(), before));
            }
        }
        Ok(best)
    }

    /// Prints a line, after all ranks have compared. `alone` is the time without MPI. The shares
    /// are those of rank 0, in nanoseconds for each of its entries.
    fn print(
        &self,
        name: &str,
        (seconds, spent): (f64, Spent),
        count: usize,
        same: bool,
        alone: Option<f64>,
    ) {
        let mut wrong = 0_usize;
        self.world.all_reduce_into(&usize::from(!same), &mut wrong, SystemOperation::sum());
        let mut bytes = 0_u64;
        self.world.all_reduce_into(&spent.bytes, &mut bytes, SystemOperation::sum());
        let ranks = self.world.size() as usize;
        let share = |part: Duration| 100.0 * part.as_secs_f64() / spent.total().as_secs_f64();
        let each = |part: Duration| part.as_secs_f64() * 1e9 / count as f64;
        if self.rank() > 0 {
            return;
        }
        let million = (count * ranks) as f64 / 1e6;
        print!(
            "{name:6} {ranks} ranks  {:7.1} M/s  {:7.1} MB sent",
            million / seconds,
            bytes as f64 / 1e6
        );
        for (name, part) in [
            ("routing", spent.routing),
            ("packing", spent.packing),
            ("exchange", spent.exchange),
            ("kernels", spent.kernels),
        ] {
            print!("  {name} {:2.0} % ({:.1} ns)", share(part), each(part));
        }
        if let Some(alone) = alone {
            print!("  {:.2}x without MPI", seconds / alone);
        }
        println!("  bits {}", if wrong == 0 { "equal" } else { "DIFFER" });
    }

    /// Counts how often each place is drawn.
    fn histo(&self) -> Result<(), Box<dyn Error>> {
        let table = Sharded::rows(&self.world, &[self.places], Distribution::Block)?;
        let mut counts = vec![0_u64; table.local_len()];
        let drawn = (self.entries, self.places);
        let best =
            self.measure(&table, drawn, |ids| table.reduce_repeated(Add, &mut counts, ids, &[1]))?;
        let mut expected = vec![0_u64; table.local_len()];
        let start = table.global_row(0);
        for (_, place) in self.all(self.entries, self.places) {
            if let Some(count) = expected.get_mut(place.wrapping_sub(start)) {
                *count += 1;
            }
        }
        let same = counts == expected;
        let alone = self.alone(|ids| {
            let (places, list) =
                (Layout::contiguous([self.places]), Layout::contiguous([ids.len()]));
            let ones = Layout::strided([ids.len()], [0]);
            Scatter::axis(&places, &list, &ones, 0)?.reduce(Add, &mut counts, ids, &[1])
        });
        self.print("histo", best, self.entries, same, alone);
        Ok(())
    }

    /// Gathers places.
    fn ig(&self) -> Result<(), Box<dyn Error>> {
        let table = Sharded::rows(&self.world, &[self.places], Distribution::Block)?;
        let value = |place: usize| place as u64 * 3 + 1;
        let local: Vec<_> = (0..table.local_len()).map(|n| value(table.global_row(n))).collect();
        let mut output = vec![0_u64; self.entries];
        let drawn = (self.entries, self.places);
        let best = self.measure(&table, drawn, |ids| table.gather(&local, ids, &mut output))?;
        let ids = self.ids(self.calls() - 1, self.entries, self.places);
        let same = ids.iter().zip(&output).all(|(id, found)| *found == value(*id as usize));
        let alone = self.alone(|ids| {
            let (places, list) =
                (Layout::contiguous([self.places]), Layout::contiguous([ids.len()]));
            Gather::axis(&places, &list, &list, 0)?.run(&local, ids, &mut output)
        });
        self.print("ig", best, self.entries, same, alone);
        Ok(())
    }

    /// Rows of an embedding table, and their gradients: floats, so the order counts.
    fn embed(&self) -> Result<(), Box<dyn Error>> {
        let (rows, count) = (self.places / WIDTH, self.entries / WIDTH);
        let table = Sharded::rows(&self.world, &[rows, WIDTH], Distribution::Cyclic)?;
        let value = |row: usize, column| ((row * 7 + column) % 1000) as f32 / 999.0;
        let gradient = |entry: usize, column: usize| ((entry + column) % 101) as f32 * 1e-3;
        let owned = (0..table.local_rows()).map(|local| table.global_row(local));
        let mut local: Vec<_> =
            owned.flat_map(|row| (0..WIDTH).map(move |column| value(row, column))).collect();
        let mut output = vec![0.0; count * WIDTH];
        let drawn = (count, rows);
        let best = self.measure(&table, drawn, |ids| table.gather(&local, ids, &mut output))?;
        let ids = self.ids(self.calls() - 1, count, rows);
        let expected =
            |(n, found): (usize, &f32)| *found == value(ids[n / WIDTH] as usize, n % WIDTH);
        let same = output.iter().enumerate().all(expected);
        self.print("embed", best, count, same, None);

        let gradients: Vec<_> = (0..count)
            .flat_map(|entry| (0..WIDTH).map(move |column| gradient(entry, column)))
            .collect();
        let mut expected = local.clone();
        let best =
            self.measure(&table, drawn, |ids| table.reduce(Add, &mut local, ids, &gradients))?;
        let (rank, ranks) = (self.rank(), self.world.size() as usize);
        for (entry, row) in self.all(count, rows).filter(|(_, row)| row % ranks == rank) {
            for column in 0..WIDTH {
                expected[row / ranks * WIDTH + column] += gradient(entry, column);
            }
        }
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        self.print("update", best, count, bits(&local) == bits(&expected), None);
        Ok(())
    }

    /// The time of the fastest of some calls of strew, where there is one rank.
    fn alone(&self, mut call: impl FnMut(&[u32]) -> Result<(), strew::Error>) -> Option<f64> {
        (self.world.size() == 1).then(|| {
            let times = (0..self.calls()).map(|number| {
                let ids = self.ids(number, self.entries, self.places);
                let start = Instant::now();
                call(&ids).map_or(f64::NAN, |()| start.elapsed().as_secs_f64())
            });
            times.fold(f64::INFINITY, f64::min)
        })
    }
}

/// A stream of places, by SplitMix64.
fn list(stream: usize, count: usize, places: usize) -> impl Iterator<Item = u32> {
    (0..count as u64).map(move |n| {
        let mixed = (n + ((stream as u64) << 40)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(mixed ^ (mixed >> 31)) * places as u128) >> 64) as u32
    })
}

fn difference(after: Spent, before: Spent) -> Spent {
    Spent {
        routing: after.routing - before.routing,
        packing: after.packing - before.packing,
        exchange: after.exchange - before.exchange,
        kernels: after.kernels - before.kernels,
        bytes: after.bytes - before.bytes,
    }
}
