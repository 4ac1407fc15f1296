//! What the machine is, as a value.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::path::Path;
use crate::prefetch::PREFETCHES;

/// What decisions about speed depend on. The sizes are in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Machine {
    /// The L1 data cache of a core.
    pub l1: usize,
    /// The L2 of a core.
    pub l2: usize,
    /// The L3 that cores share; it is 0 if there is none.
    pub l3: usize,
    /// Whether there are prefetch instructions.
    pub prefetches: bool,
    /// Whether gathers by instruction, of elements of 4 and 8 bytes, pay with non-temporal stores.
    pub streams_elements: bool,
}

impl Machine {
    /// AMD EPYC 9005: Zen 5, a complex of cores with 32 MiB of L3.
    pub const ZEN_5: Machine = Machine {
        l1: 48 << 10,
        l2: 1 << 20,
        l3: 32 << 20,
        prefetches: true,
        streams_elements: false,
    };

    /// Intel Xeon of the fifth generation: a mesh with hundreds of MiB of L3.
    pub const EMERALD_RAPIDS: Machine = Machine {
        l1: 48 << 10,
        l2: 2 << 20,
        l3: 320 << 20,
        prefetches: true,
        streams_elements: true,
    };

    /// A machine of which nothing is known.
    pub const PORTABLE: Machine = Machine {
        l1: 32 << 10,
        l2: 1 << 20,
        l3: 8 << 20,
        prefetches: PREFETCHES,
        streams_elements: false,
    };

    /// This machine, or the one that [`force`](Machine::force) has set: its caches are read once,
    /// and what depends on the path with each call.
    #[must_use]
    pub fn detect() -> Machine {
        if IS_FORCED.load(Ordering::Relaxed) {
            return *FORCED.lock().unwrap_or_else(PoisonError::into_inner);
        }
        static CACHES: OnceLock<Machine> = OnceLock::new();
        let machine = *CACHES.get_or_init(|| caches().unwrap_or(Machine::PORTABLE));
        Machine { streams_elements: Path::detect().streams_elements(4), ..machine }
    }

    /// Makes [`detect`](Machine::detect) return this machine in the whole process, or the one that
    /// it runs on again. It is for tests and fuzzers: results are the same on all.
    pub fn force(machine: Option<Machine>) {
        if let Some(machine) = machine {
            *FORCED.lock().unwrap_or_else(PoisonError::into_inner) = machine;
        }
        IS_FORCED.store(machine.is_some(), Ordering::Relaxed);
    }
}

/// The machine that [`Machine::force`] has set.
static FORCED: Mutex<Machine> = Mutex::new(Machine::PORTABLE);
static IS_FORCED: AtomicBool = AtomicBool::new(false);

/// The caches that the processor reports.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn caches() -> Option<Machine> {
    use raw_cpuid::{CacheType, CpuId};

    let mut machine = Machine { l1: 0, l2: 0, l3: 0, ..Machine::PORTABLE };
    for cache in CpuId::new().get_cache_parameters()? {
        let ways = cache.associativity() * cache.physical_line_partitions();
        let size = ways * cache.coherency_line_size() * cache.sets();
        match (cache.level(), cache.cache_type()) {
            (1, CacheType::Data) => machine.l1 = size,
            (2, _) => machine.l2 = size,
            (3, _) => machine.l3 = size,
            _ => {}
        }
    }
    (machine.l1 > 0 && machine.l2 > 0).then_some(machine)
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn caches() -> Option<Machine> {
    None
}
