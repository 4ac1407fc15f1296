//! One group for each family of workloads: the safe loop that a user would write, and strew on each
//! path of the machine; and one for threads.

#![allow(missing_docs)]

use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use strew_benches::threads::THREADS;
use strew_benches::workloads::{self, Ready, TINY, Workload};
use strew_simd::Path;

fn main() {
    // Short, for there are many. Options of the command line go before these.
    let criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(400));
    let mut criterion = criterion.configure_from_args();
    let mut list = workloads::all(false);
    list.extend(workloads::with_threads(false));
    for family in list.chunk_by(|one, next| one.family == next.family) {
        let mut group =
            criterion.benchmark_group(family.first().map_or("", |workload| workload.family));
        group.sampling_mode(SamplingMode::Flat);
        for workload in family {
            bench(&mut group, workload);
        }
        group.finish();
    }
    criterion.final_summary();
}

fn bench(
    group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>,
    workload: &Workload,
) {
    group.throughput(Throughput::Bytes(workload.bytes as u64));
    // Criterion does not say what its filter leaves out, so that inputs are made when the first
    // bench needs them.
    let mut inputs: Option<Box<dyn Ready>> = None;
    let mut bench = |id: &str, run: fn(&mut dyn Ready, u64)| {
        group.bench_function(BenchmarkId::new(&workload.name, id), |bencher| {
            let inputs = inputs.get_or_insert_with(|| workload.make());
            bencher.iter_custom(|times| {
                let start = Instant::now();
                run(inputs.as_mut(), times);
                start.elapsed()
            });
        });
    };
    if workload.family == THREADS {
        bench("one thread", |ready, times| ready.safe_loop(times));
        return bench(&format!("{} threads", rayon::current_num_threads()), |ready, times| {
            ready.strew(times)
        });
    }
    bench("safe loop", |ready, times| ready.safe_loop(times));
    if workload.family == TINY {
        return bench("strew", |ready, times| ready.strew(times));
    }
    for path in Path::available().into_iter().flatten() {
        Path::force(Some(path));
        bench(&format!("strew {}", path.name()), |ready, times| ready.strew(times));
    }
    Path::force(None);
}
