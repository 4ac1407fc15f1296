//! Times a call and a loop in turn, and takes the least of each.

use std::time::{Duration, Instant};

use super::draw::Drawn;
use crate::workloads::Ready;

/// Nanoseconds of one run: the least of all samples.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    pub call: f64,
    /// Of the loop, or of one thread.
    pub other: f64,
}

impl Times {
    /// How many times as long the call takes.
    pub fn ratio(&self) -> f64 {
        self.call / self.other
    }

    #[must_use]
    pub fn least(self, again: Times) -> Times {
        Times { call: self.call.min(again.call), other: self.other.min(again.other) }
    }
}

/// What was measured of one workload.
pub struct Measured {
    pub drawn: Drawn,
    pub times: Times,
    /// The loop over `f32` where elements have 16 bits.
    pub in_f32: Option<f64>,
    /// Threads against one thread.
    pub threads: Option<Times>,
}

/// How long one workload is measured.
#[derive(Clone, Copy)]
pub struct Effort {
    /// The time of all samples together, as long as there are 3 of each side.
    pub budget: Duration,
    /// A sample repeats short calls until it takes that long.
    pub sample: Duration,
}

pub const FULL: Effort =
    Effort { budget: Duration::from_millis(160), sample: Duration::from_micros(200) };
pub const QUICK: Effort =
    Effort { budget: Duration::from_millis(4), sample: Duration::from_micros(20) };

/// Both sides in turn, so that whatever else the machine does slows both.
pub fn times(ready: &mut dyn Ready, effort: Effort) -> Times {
    // Both have run once before, to be compared.
    let mut repeats = 1;
    let mut slowest;
    loop {
        let call = sample(|| ready.strew(repeats));
        let other = sample(|| ready.safe_loop(repeats));
        slowest = call.max(other);
        if call.min(other) >= effort.sample || repeats > 1 << 20 {
            break;
        }
        repeats *= 2;
    }
    let pairs = effort.budget.as_nanos() / (2 * slowest.as_nanos()).max(1);
    let mut least = [Duration::MAX; 2];
    for _ in 0..pairs.clamp(3, 400) {
        least[0] = least[0].min(sample(|| ready.strew(repeats)));
        least[1] = least[1].min(sample(|| ready.safe_loop(repeats)));
    }
    let [call, other] = least.map(|time| time.as_nanos() as f64 / repeats as f64);
    Times { call, other }
}

fn sample(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}
