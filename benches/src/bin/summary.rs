//! Measures every workload against the safe loop that a user would write, and prints one table.
//!
//! `summary [--quick] [--routes] [--path NAME] [--svg FILE] [FAMILY ...]`
//!
//! The chart has the workloads of one family, or the means of several.

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use strew_benches::LEFT_OUT;
use strew_benches::chart::{self, Bar, nanoseconds};
use strew_benches::workloads::{self, FAMILIES, Ready, TINY, Workload};
use strew_simd::Path;

const USAGE: &str = "usage: summary [--quick] [--routes] \
    [--path portable|avx2|avx512|avx512-gather|neon] [--svg FILE] [FAMILY ...]";

/// The options of the command line.
#[derive(Default)]
struct Options {
    quick: bool,
    routes: bool,
    path: Option<Path>,
    svg: Option<String>,
    families: Vec<String>,
}

impl Options {
    fn from_args() -> Result<Options, String> {
        let mut options = Options::default();
        let mut args = std::env::args().skip(1);
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--quick" => options.quick = true,
                "--routes" => options.routes = true,
                "--svg" => options.svg = Some(args.next().ok_or(USAGE)?),
                "--path" => {
                    let name = args.next().ok_or(USAGE)?;
                    let path =
                        Path::available().into_iter().flatten().find(|path| path.name() == name);
                    options.path = Some(path.ok_or(format!("this machine has no path {name}"))?);
                }
                family if FAMILIES.contains(&family) => options.families.push(arg),
                _ => return Err(format!("{USAGE}\nfamilies: {}", FAMILIES.join(" "))),
            }
        }
        Ok(options)
    }

    fn wants(&self, family: &str) -> bool {
        self.families.is_empty() || self.families.iter().any(|wanted| wanted == family)
    }
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let options = match Options::from_args() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return Ok(ExitCode::from(2));
        }
    };
    Path::force(options.path);
    let list: Vec<_> = workloads::all(options.quick)
        .into_iter()
        .filter(|workload| options.wants(workload.family))
        .collect();
    let path = Path::detect();
    let caption =
        format!("{}, {}, path {}, one thread", chart::machine(), chart::today(), path.name());
    println!("{caption}. Medians of strew and the safe loop in turn, from the same memory.");
    println!(
        "GB/s: bytes of the indices and of the elements read and written, by time. \
         Ratio: how many times faster than the safe loop."
    );
    println!(
        "ns: an element; in the family tiny, a call. \
         No path: so few moves are not worth a dispatch."
    );
    if options.quick {
        println!("--quick: the tensors are small and the samples few. The figures mean nothing.");
    }
    if options.wants("spatter") {
        println!("Not in the family spatter: {LEFT_OUT}.");
    }
    println!();
    let route = |text: String| options.routes.then_some(text);
    print_row(
        ["workload", "ns", "safe loop ns", "GB/s", "ratio", "path"],
        route("what the call does".into()),
    );
    print_row(["--", "-:", "-:", "-:", "-:", "--"], route("--".into()));

    let mut bars: Vec<Bar> = Vec::new();
    let mut wrong = Vec::new();
    for workload in &list {
        let mut ready = workload.make();
        let name = format!("{}: {}", workload.family, workload.name);
        wrong.extend(
            disagreeing_paths(ready.as_mut(), options.path)
                .iter()
                .map(|path| format!("{name}, path {path}")),
        );
        let [strew, safe_loop] = measure(ready.as_mut(), options.quick);
        let bandwidth = workload.bytes as f64 / strew;
        let bar = bar(workload, strew, safe_loop);
        let path = if workload.family == TINY { "-" } else { path.name() };
        let ratio = format!("{:.2}", safe_loop / strew);
        print_row(
            [
                &name,
                &nanoseconds(bar.strew),
                &nanoseconds(bar.safe_loop),
                &format!("{bandwidth:.2}"),
                &ratio,
                path,
            ],
            route(workload.route(1)),
        );
        bars.push(bar);
    }
    println!();
    for family in bars.chunk_by(|one, next| one.family == next.family) {
        print_mean(family.first().map_or("", |bar| bar.family), family);
    }
    print_mean("all", &bars);
    if options.routes {
        let threads = std::thread::available_parallelism()?.get();
        println!("\nWith {threads} threads, not measured here:\n");
        for workload in workloads::with_threads(options.quick) {
            println!("- {}: {}", workload.name, workload.route(threads));
        }
    }
    if let Some(file) = &options.svg {
        let several = bars.chunk_by(|one, next| one.family == next.family).nth(1).is_some();
        let svg = if several {
            chart::draw(&chart::means(&bars), "time, that of the safe loop is 1", &caption)
        } else {
            chart::draw(&bars, "ns an element (tiny: a call)", &caption)
        };
        std::fs::write(file, svg)?;
        println!("wrote {file}");
    }
    for name in &wrong {
        eprintln!("not what the safe loop computes: {name}");
    }
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn bar(workload: &Workload, strew: f64, safe_loop: f64) -> Bar {
    let elements = workload.elements as f64;
    Bar {
        family: workload.family,
        name: workload.name.clone(),
        strew: strew / elements,
        safe_loop: safe_loop / elements,
    }
}

fn print_row([name, cells @ ..]: [&str; 6], route: Option<String>) {
    let [strew, safe_loop, bandwidth, ratio, path] = cells;
    let route = route.map_or_else(String::new, |route| format!(" {route} |"));
    println!(
        "| {name:44} | {strew:>7} | {safe_loop:>12} | {bandwidth:>6} | {ratio:>5} | {path:13} |\
         {route}"
    );
}

fn print_mean(name: &str, bars: &[Bar]) {
    let logarithms: f64 = bars.iter().map(|bar| (bar.safe_loop / bar.strew).ln()).sum();
    let mean = (logarithms / bars.len() as f64).exp();
    let ratios = || bars.iter().map(|bar| bar.safe_loop / bar.strew);
    let (least, most) = (ratios().fold(f64::MAX, f64::min), ratios().fold(0.0, f64::max));
    println!(
        "{name:8} {mean:5.2} times the speed of the safe loop, geometric mean of {}, \
         {least:.2} to {most:.2}",
        bars.len()
    );
}

/// The paths on which the result is not that of the safe loop, to the bit. Afterwards the path is
/// `forced` again.
fn disagreeing_paths(ready: &mut dyn Ready, forced: Option<Path>) -> Vec<&'static str> {
    let mut wrong = Vec::new();
    for path in Path::available().into_iter().flatten() {
        Path::force(Some(path));
        if !ready.agrees() {
            wrong.push(path.name());
        }
    }
    Path::force(forced);
    wrong
}

/// Nanoseconds that one run of strew takes, and one of the safe loop. They run in turn, so that
/// whatever else the machine does slows both.
fn measure(ready: &mut dyn Ready, quick: bool) -> [f64; 2] {
    let (samples, shortest) =
        if quick { (3, Duration::from_micros(20)) } else { (15, Duration::from_millis(2)) };
    let mut times = 1;
    while time(|| ready.safe_loop(times)) < shortest {
        times *= 2;
    }
    let (mut strew, mut safe_loop) = (Vec::new(), Vec::new());
    for _ in 0..samples {
        strew.push(time(|| ready.strew(times)));
        safe_loop.push(time(|| ready.safe_loop(times)));
    }
    [strew, safe_loop].map(|times_of| median(times_of).as_nanos() as f64 / times as f64)
}

fn time(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

/// The median of an odd number of samples.
fn median(mut samples: Vec<Duration>) -> Duration {
    samples.sort_unstable();
    samples.get(samples.len() / 2).copied().unwrap_or_default()
}
