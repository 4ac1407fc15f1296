//! What calls have cost so far.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// The time that the calls on a table have taken on this rank, by what it was for, and what they
/// have sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Indices were checked, and entries sorted by their owners.
    pub routing: Duration,
    /// Updates were put in the order of their owners, and what came back in that of the entries.
    pub packing: Duration,
    /// Messages went their way, or this rank waited for others.
    pub exchange: Duration,
    /// Rows were gathered from the rank's own part of the table, or updates applied to it.
    pub kernels: Duration,
    /// The bytes that this rank has sent to others.
    pub bytes: u64,
}

impl Spent {
    /// All seconds.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.routing + self.packing + self.exchange + self.kernels
    }
}

/// Where a table notes it.
#[derive(Debug, Default)]
pub(crate) struct Clock(Cell<Spent>);

impl Clock {
    /// Does some work, and adds the time to a part.
    pub(crate) fn time<R>(
        &self,
        part: impl FnOnce(&mut Spent) -> &mut Duration,
        work: impl FnOnce() -> R,
    ) -> R {
        let start = Instant::now();
        let result = work();
        let mut spent = self.0.get();
        *part(&mut spent) += start.elapsed();
        self.0.set(spent);
        result
    }

    pub(crate) fn sent(&self, bytes: usize) {
        let mut spent = self.0.get();
        spent.bytes = spent.bytes.saturating_add(bytes as u64);
        self.0.set(spent);
    }

    pub(crate) fn read(&self) -> Spent {
        self.0.get()
    }
}
