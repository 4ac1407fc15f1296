//! Measures random workloads against the safe loops that a user would write for them.

use std::process::ExitCode;

use strew_benches::sweep::{self, KINDS, Options};

const USAGE: &str =
    "usage: sweep SEED COUNT [--only N] [--kind KIND] [--threads] [--list] [--quick]
--only N: workload N of this seed alone; --kind KIND: those of that kind alone
--threads: two threads against one as well; --list: every workload, as it is measured
--quick: small tensors and few samples, whose figures mean nothing";

fn main() -> ExitCode {
    let Some(options) = options() else {
        let kinds: Vec<_> = KINDS.iter().map(|(name, _)| *name).collect();
        eprintln!("{USAGE}\nkinds: {}", kinds.join(", "));
        return ExitCode::from(2);
    };
    if sweep::run(&options) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// `None`: the command line is not as it should be.
fn options() -> Option<Options> {
    let mut options = Options::default();
    let mut numbers = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--only" => options.only = Some(args.next()?.parse().ok()?),
            "--kind" => options.kind = Some(args.next()?),
            "--threads" => options.threads = true,
            "--list" => options.list = true,
            "--quick" => options.quick = true,
            number => numbers.push(number.parse::<u64>().ok()?),
        }
    }
    let [seed, count] = numbers[..] else { return None };
    (options.seed, options.count) = (seed, usize::try_from(count).ok()?);
    let is_kind = |kind: &String| KINDS.iter().any(|(name, _)| name == kind);
    options.kind.as_ref().is_none_or(is_kind).then_some(options)
}
