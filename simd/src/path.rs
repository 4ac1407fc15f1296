//! Which instructions the kernels use.

use core::sync::atomic::{AtomicUsize, Ordering};

#[cfg(target_arch = "aarch64")]
use pulp::aarch64::Neon;
#[cfg(target_arch = "x86_64")]
use pulp::x86::{V3, V4};
use pulp::{Arch, Scalar};

use crate::moves::{Bytes, by_loads};
#[cfg(target_arch = "x86_64")]
use crate::x86::{Avx512, Gathers};

/// A set of instructions that this machine has. A value of this type is the proof that it does.
///
/// What an [`Op`] does, it does the same on every path.
#[derive(Clone, Copy, Debug)]
pub struct Path(Set);

#[derive(Clone, Copy, Debug)]
enum Set {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(V3),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(target_arch = "aarch64")]
    Neon(Neon),
}

/// The place in [`Path::available`] of the path that [`Path::force`] has set.
static FORCED: AtomicUsize = AtomicUsize::new(NOT_FORCED);
const NOT_FORCED: usize = usize::MAX;

impl Path {
    /// The path without vector instructions beyond those that the program is compiled for.
    const PORTABLE: Path = Path(Set::Portable);

    /// The best path of this machine, or the one that [`force`](Path::force) has set. A few loads, once a call.
    #[inline]
    pub fn detect() -> Path {
        match FORCED.load(Ordering::Relaxed) {
            NOT_FORCED => Path(match Arch::new() {
                #[cfg(target_arch = "x86_64")]
                Arch::V3(avx2) => Set::Avx2(avx2),
                #[cfg(target_arch = "x86_64")]
                Arch::V4(avx512) => Set::Avx512(Avx512::new(avx512)),
                #[cfg(target_arch = "aarch64")]
                Arch::Neon(neon) => Set::Neon(neon),
                _ => Set::Portable,
            }),
            place => Path::available().get(place).copied().flatten().unwrap_or(Path::PORTABLE),
        }
    }

    /// All paths of this machine, the portable one first.
    #[must_use]
    pub fn available() -> [Option<Path>; 5] {
        #[cfg(target_arch = "x86_64")]
        let others = {
            let avx512 =
                |gathers| V4::try_new().map(|avx512| Set::Avx512(Avx512 { avx512, gathers }));
            [
                V3::try_new().map(Set::Avx2),
                avx512(Gathers::Nothing),
                avx512(Gathers::Together),
                avx512(Gathers::All),
            ]
        };
        #[cfg(target_arch = "aarch64")]
        let others = [Neon::try_new().map(Set::Neon), None, None, None];
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let others = [None; 4];
        let [first, second, third, fourth] = others.map(|set| set.map(Path));
        [Some(Path::PORTABLE), first, second, third, fourth]
    }

    /// Makes [`detect`](Path::detect) return this path in the whole process, or the best one again: for tests and benches.
    pub fn force(path: Option<Path>) {
        let place = path.and_then(|path| {
            Path::available()
                .iter()
                .position(|other| other.is_some_and(|other| other.name() == path.name()))
        });
        FORCED.store(place.unwrap_or(NOT_FORCED), Ordering::Relaxed);
    }

    /// `"portable"`, `"avx2"`, `"avx512"`, `"avx512-mixed"`, `"avx512-gather"` or `"neon"`. The paths with AVX-512 differ in what they gather by instruction: no elements, those of
    /// tables that do not stay in the first cache, or all.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512(Avx512 { gathers, .. }) => match gathers {
                Gathers::Nothing => "avx512",
                Gathers::Together => "avx512-mixed",
                Gathers::All => "avx512-gather",
            },
            #[cfg(target_arch = "aarch64")]
            Set::Neon(_) => "neon",
            Set::Portable => "portable",
        }
    }

    /// Whether [`Moves::streaming`](crate::Moves::streaming) gains something for gathered elements of `size` bytes.
    #[inline]
    #[must_use]
    pub fn streams_elements(self, size: usize) -> bool {
        struct Streams(usize);
        impl Op for Streams {
            type Output = bool;
            #[inline(always)]
            fn run(self, instructions: impl Instructions) -> bool {
                instructions.streams_elements(self.0)
            }
        }
        self.dispatch(Streams(size))
    }

    /// Runs an operation, compiled for the instructions of this path.
    #[inline]
    pub fn dispatch<O: Op>(self, op: O) -> O::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Set::Avx2(avx2) => avx2.vectorize(
                #[inline(always)]
                move || op.run(avx2),
            ),
            #[cfg(target_arch = "x86_64")]
            Set::Avx512(path) => path.avx512.vectorize(
                #[inline(always)]
                move || op.run(path),
            ),
            #[cfg(target_arch = "aarch64")]
            Set::Neon(neon) => neon.vectorize(
                #[inline(always)]
                move || op.run(neon),
            ),
            Set::Portable => op.run(Scalar),
        }
    }
}

/// Something to compile for each path. `run` and all that is to use the instructions of the path must be `#[inline(always)]`.
pub trait Op {
    /// What it gives.
    type Output;

    /// Does it with the instructions of a path.
    fn run(self, instructions: impl Instructions) -> Self::Output;
}

/// The instructions of one path. Sealed: a value of an implementing type is the proof that the machine has them.
pub trait Instructions: sealed::Kernels {
    /// Runs a loop that is not to share its registers with what is around it, compiled for these instructions. What is to use them must be `#[inline(always)]`.
    #[inline(never)]
    fn apart(self, run: impl FnOnce()) {
        run();
    }
}

pub(crate) mod sealed {
    use super::{Bytes, by_loads};
    use crate::chosen::{Choice, one_by_one};
    use crate::lane::BLOCK;
    use crate::prefetch::LINE;
    use crate::stream::Line;

    pub trait Kernels: Copy {
        /// `to[n] = table[addresses[n]]`. Where an address is outside the table, `to[n]` stays as it is. See [`Moves::gather`](crate::Moves::gather) for
        /// `TOGETHER`.
        #[inline(always)]
        fn gather<const N: usize, const COUNT: usize, const TOGETHER: usize>(
            self,
            table: &[Bytes<N>],
            addresses: &[u32; COUNT],
            to: &mut [Bytes<N>; COUNT],
        ) {
            by_loads::<N, TOGETHER>(table, addresses, to);
        }

        /// Whether gathered elements of `size` bytes gain from [`stream`](Kernels::stream).
        #[inline(always)]
        fn streams_elements(self, _size: usize) -> bool {
            false
        }

        /// Whether [`stream`](Kernels::stream) goes past the caches.
        const STREAMS: bool = false;

        /// `to = from`, past the caches. Called where [`STREAMS`](Kernels::STREAMS) alone.
        ///
        /// # Safety
        /// No other thread accesses `to` before a fence for stores of this one.
        #[inline(always)]
        unsafe fn stream(self, from: &[u8; LINE], to: &mut Line) {
            to.0 = *from;
        }

        /// See [`Choice::choose`].
        #[inline(always)]
        fn choose(
            self,
            choice: Choice,
            addresses: &[u32; BLOCK],
            chosen: &mut [u32; BLOCK],
            numbers: &mut [u32; BLOCK],
        ) -> usize {
            one_by_one(choice, addresses, chosen, numbers)
        }
    }
}
use sealed::Kernels;

impl Instructions for Scalar {}
impl Kernels for Scalar {}

// It has no gather instruction: the gain is in the checks and addresses, which the compiler makes vectors of.
#[cfg(target_arch = "aarch64")]
impl Instructions for Neon {
    #[inline(never)]
    fn apart(self, run: impl FnOnce()) {
        self.vectorize(run);
    }
}
#[cfg(target_arch = "aarch64")]
impl Kernels for Neon {}
