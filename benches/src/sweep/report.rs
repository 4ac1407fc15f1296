//! What a sweep found, as text. All figures are the time of the call by that of the loop: less than
//! 1 is faster than the loop.

use strew::{Bounds, Layout};

use super::KINDS;
use super::draw::{Operator, extent};
use super::measure::Measured;
use crate::chart::nanoseconds;

/// The workload, its figures, and what the call does.
pub fn describe(measured: &Measured) -> String {
    let Measured { drawn, times, in_f32, threads } = measured;
    let mut text = format!(
        "{:5.2}  #{}  {drawn}\n       {} ns, loop {} ns, {} entries, {} elements",
        times.ratio(),
        drawn.number,
        nanoseconds(times.call),
        nanoseconds(times.other),
        drawn.entries(),
        drawn.moved(),
    );
    if let Some(in_f32) = in_f32 {
        text += &format!(", {:.2} of the loop in f32", times.call / in_f32);
    }
    text += &format!("\n       {}", (drawn.entry.route)(drawn, 1));
    if let Some(threads) = threads {
        text += &format!(
            "\n       {:.2} of one thread: {}",
            threads.ratio(),
            (drawn.entry.route)(drawn, 2)
        );
    }
    text
}

/// Prints the tables and the `worst` ones.
pub fn print(all: &[Measured], worst: usize) {
    println!("{:24} {:>5} {:>6} {:>6} {:>6} {:>6}", "", "count", "mean", "p50", "p90", "worst");
    for (kind, _) in KINDS {
        print_group(kind, all, |measured| measured.drawn.entry.kind == *kind);
    }
    println!();
    print_groups(all);
    println!();
    let ratios = ratios(all, |_| true);
    let at = |percent| percentile(&ratios, percent);
    println!(
        "all {}: geometric mean {:.3}, p50 {:.2}, p90 {:.2}, p99 {:.2}, worst {:.2}; above 1.1: {}",
        ratios.len(),
        mean(&ratios),
        at(50),
        at(90),
        at(99),
        at(100),
        ratios.iter().filter(|ratio| **ratio > 1.1).count(),
    );
    let mut halves: Vec<f64> =
        all.iter().filter_map(|one| Some(one.times.call / one.in_f32?)).collect();
    halves.sort_by(f64::total_cmp);
    if !halves.is_empty() {
        println!(
            "16-bit floats by the loop in f32, {}: geometric mean {:.2}, worst {:.2}",
            halves.len(),
            mean(&halves),
            percentile(&halves, 100)
        );
    }
    print_threads(all, worst);
    println!("\nThe worst:\n");
    let mut order: Vec<&Measured> = all.iter().collect();
    order.sort_by(|one, other| other.times.ratio().total_cmp(&one.times.ratio()));
    for measured in order.iter().take(worst) {
        println!("{}", describe(measured));
    }
}

fn print_threads(all: &[Measured], worst: usize) {
    let mut list: Vec<_> = all.iter().filter(|one| one.threads.is_some()).collect();
    if list.is_empty() {
        return;
    }
    let ratio = |one: &Measured| one.threads.map_or(0.0, |times| times.ratio());
    list.sort_by(|one, other| ratio(other).total_cmp(&ratio(one)));
    let ratios: Vec<f64> = list.iter().rev().map(|one| ratio(one)).collect();
    println!(
        "threads by one thread, {}: geometric mean {:.2}, worst {:.2}; the worst:\n",
        ratios.len(),
        mean(&ratios),
        percentile(&ratios, 100)
    );
    for measured in list.iter().take(worst) {
        println!("{}", describe(measured));
    }
}

/// By what else distinguishes workloads.
fn print_groups(all: &[Measured]) {
    type Group = (&'static str, fn(&Measured) -> bool);
    const PACKED: fn(&Layout) -> bool = |layout| Layout::from_sizes(layout.sizes()) == Ok(*layout);
    const GROUPS: &[Group] = &[
        ("axis", |one| matches!(one.drawn.operator, Operator::Axis(_))),
        ("elements", |one| matches!(one.drawn.operator, Operator::Elements(_))),
        ("nd", |one| matches!(one.drawn.operator, Operator::Nd(_))),
        ("16 to 127 entries", |one| one.drawn.entries() < 128),
        ("128 to 4,095 entries", |one| (128..4096).contains(&one.drawn.entries())),
        ("4,096 entries or more", |one| one.drawn.entries() >= 4096),
        ("table up to 32 KiB", |one| table(one) <= 32 << 10),
        ("table up to 1 MiB", |one| (32 << 10 < table(one)) && table(one) <= 1 << 20),
        ("table up to 32 MiB", |one| (1 << 20 < table(one)) && table(one) <= 32 << 20),
        ("table of more", |one| table(one) > 32 << 20),
        ("single elements", |one| row(one) == 1),
        ("rows of 2 to 64 bytes", |one| row(one) > 1 && row_bytes(one) <= 64),
        ("rows of more", |one| row(one) > 1 && row_bytes(one) > 64),
        ("all packed", |one| {
            PACKED(&one.drawn.table) && PACKED(&one.drawn.indices) && PACKED(&one.drawn.flat)
        }),
        ("strided table", |one| !PACKED(&one.drawn.table)),
        ("strided indices", |one| !PACKED(&one.drawn.indices)),
        ("strided flat tensor", |one| !PACKED(&one.drawn.flat)),
        ("policy but Error", |one| one.drawn.bounds != Bounds::Error),
    ];
    for (name, is_in) in GROUPS {
        print_group(name, all, is_in);
    }
    let mut spreads: Vec<_> = all.iter().map(|one| one.drawn.spread).collect();
    spreads.sort_unstable_by_key(|spread| *spread as usize);
    spreads.dedup();
    for spread in spreads {
        print_group(&format!("{spread:?}"), all, |one| one.drawn.spread == spread);
    }
}

fn table(measured: &Measured) -> usize {
    extent(&measured.drawn.table).saturating_mul(measured.drawn.entry.bytes)
}

/// The elements of an entry.
fn row(measured: &Measured) -> usize {
    measured.drawn.row()
}

fn row_bytes(measured: &Measured) -> usize {
    row(measured) * measured.drawn.entry.bytes
}

fn print_group(name: &str, all: &[Measured], is_in: impl Fn(&Measured) -> bool) {
    let ratios = ratios(all, is_in);
    if ratios.is_empty() {
        return;
    }
    let [p50, p90, worst] = [50, 90, 100].map(|percent| percentile(&ratios, percent));
    println!(
        "{name:24} {:>5} {:>6.2} {p50:>6.2} {p90:>6.2} {worst:>6.2}",
        ratios.len(),
        mean(&ratios)
    );
}

/// In ascending order.
fn ratios(all: &[Measured], is_in: impl Fn(&Measured) -> bool) -> Vec<f64> {
    let mut list: Vec<f64> =
        all.iter().filter(|one| is_in(one)).map(|one| one.times.ratio()).collect();
    list.sort_by(f64::total_cmp);
    list
}

/// The geometric mean.
fn mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

/// Of figures in ascending order, the least that `percent` of a hundred do not exceed.
fn percentile(ratios: &[f64], percent: usize) -> f64 {
    let rank = (ratios.len() * percent).div_ceil(100).max(1);
    ratios.get(rank - 1).copied().unwrap_or(0.0)
}
