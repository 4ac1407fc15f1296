//! Work for the threads of the rayon pool that a call is made in.

use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::engine::tuning;

/// Works on all chunks with this number of threads: the caller's and those of the pool. Chunks are
/// made as they are taken. Each thread has something of its own.
pub(crate) fn share<P, S: Default>(
    chunks: impl Iterator<Item = P> + Send,
    threads: usize,
    work: impl Fn(&mut S, P) + Sync,
) {
    let chunks = Mutex::new(chunks);
    let next = || chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let at_work = AtomicUsize::new(0);
    let take_turns = || {
        let Some(first) = next() else { return };
        at_work.fetch_add(1, Ordering::Relaxed);
        let mut own = S::default();
        for chunk in iter::once(first).chain(iter::from_fn(next)) {
            work(&mut own, chunk);
        }
        at_work.fetch_sub(1, Ordering::Relaxed);
        for _ in 0..tuning::SPINS {
            if at_work.load(Ordering::Relaxed) == 0 {
                break;
            }
            std::hint::spin_loop();
        }
    };
    rayon::in_place_scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|_| take_turns());
        }
        take_turns();
    });
}
