//! Which instructions the kernels use.

use core::sync::atomic::{AtomicUsize, Ordering};

#[cfg(all(feature = "simd", target_arch = "aarch64"))]
use pulp::aarch64::Neon;

pub(crate) use crate::instructions::{Instructions, Scalar};
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
use crate::x86::{Avx512, V3, V4, gathers};

/// A set of instructions that this machine has. A value of this type is the proof that it does.
///
/// What a kernel does, it does the same on every path.
#[derive(Clone, Copy, Debug)]
pub struct Path(Set);

/// AVX2 or NEON, a value of which is the proof that the machine has it.
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
pub(crate) type Vectors = V3;
#[cfg(all(feature = "simd", target_arch = "aarch64"))]
pub(crate) type Vectors = Neon;
#[cfg(not(all(feature = "simd", any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[derive(Clone, Copy)]
pub(crate) enum Vectors {}

#[cfg(not(all(feature = "simd", any(target_arch = "x86_64", target_arch = "aarch64"))))]
impl Vectors {
    fn vectorize<R>(self, _: impl FnOnce() -> R) -> R {
        match self {}
    }
}

#[derive(Clone, Copy, Debug)]
enum Set {
    Portable,
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    Avx2(V3),
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    Avx512(Avx512),
    #[cfg(all(feature = "simd", target_arch = "aarch64"))]
    Neon(Neon),
}

/// The place in [`Path::available`] of the path that [`Path::force`] has set.
static FORCED: AtomicUsize = AtomicUsize::new(NOT_FORCED);
const NOT_FORCED: usize = usize::MAX;

impl Path {
    /// The path without vector instructions beyond those that the program is compiled for.
    pub const PORTABLE: Path = Path(Set::Portable);

    /// The best path of this machine, or the one that [`force`](Path::force) has set. It takes a
    /// few loads, once a call or a long row. It is no part of its callers, which are many.
    #[inline(never)]
    pub fn detect() -> Path {
        match FORCED.load(Ordering::Relaxed) {
            #[cfg(feature = "simd")]
            NOT_FORCED => Path(match pulp::Arch::new() {
                #[cfg(target_arch = "x86_64")]
                pulp::Arch::V3(avx2) => Set::Avx2(avx2),
                #[cfg(target_arch = "x86_64")]
                pulp::Arch::V4(avx512) => Set::Avx512(Avx512 { avx512, gathers: gathers() }),
                #[cfg(target_arch = "aarch64")]
                pulp::Arch::Neon(neon) => Set::Neon(neon),
                _ => Set::Portable,
            }),
            place => Path::available().get(place).copied().flatten().unwrap_or(Path::PORTABLE),
        }
    }

    /// All paths of this machine, the portable one first.
    #[must_use]
    pub fn available() -> [Option<Path>; 4] {
        #[cfg(all(feature = "simd", target_arch = "x86_64"))]
        let others = {
            let avx512 =
                |gathers| V4::try_new().map(|avx512| Set::Avx512(Avx512 { avx512, gathers }));
            [V3::try_new().map(Set::Avx2), avx512(false), avx512(true)]
        };
        #[cfg(all(feature = "simd", target_arch = "aarch64"))]
        let others = [Neon::try_new().map(Set::Neon), None, None];
        #[cfg(not(all(feature = "simd", any(target_arch = "x86_64", target_arch = "aarch64"))))]
        let others = [None; 3];
        let [first, second, third] = others.map(|set| set.map(Path));
        [Some(Path::PORTABLE), first, second, third]
    }

    /// Makes [`detect`](Path::detect) return this path in the whole process, or the best one again.
    /// It is for tests and benches.
    pub fn force(path: Option<Path>) {
        let place = path.and_then(|path| {
            Path::available()
                .iter()
                .position(|other| other.is_some_and(|other| other.name() == path.name()))
        });
        FORCED.store(place.unwrap_or(NOT_FORCED), Ordering::Relaxed);
    }

    /// `"portable"`, `"avx2"`, `"avx512"`, `"avx512-gather"` or `"neon"`.
    ///
    /// The paths with AVX-512 differ in what they gather by instruction: nothing, or elements of 4
    /// and 8 bytes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            Set::Avx2(_) => "avx2",
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            Set::Avx512(Avx512 { gathers: false, .. }) => "avx512",
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            Set::Avx512(Avx512 { gathers: true, .. }) => "avx512-gather",
            #[cfg(all(feature = "simd", target_arch = "aarch64"))]
            Set::Neon(_) => "neon",
            Set::Portable => "portable",
        }
    }

    /// Whether [`streaming`](crate::Move::streaming) gains something for gathered elements of
    /// `size` bytes.
    #[inline]
    #[must_use]
    pub fn streams_elements(self, size: usize) -> bool {
        match self.0 {
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            Set::Avx512(path) => path.streams_elements(size),
            _ => Scalar.streams_elements(size),
        }
    }

    /// The path for gathers of elements: without gather instructions AVX-512 gains nothing, and
    /// compilers make such instructions of loads that follow each other.
    pub(crate) fn of_gathers(self) -> Path {
        match self.0 {
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            Set::Avx512(Avx512 { avx512, gathers: false }) => Path(Set::Avx2(*avx512)),
            set => Path(set),
        }
    }

    /// Runs an operation, compiled for the instructions of this path.
    #[inline]
    pub(crate) fn dispatch<O: Op>(self, op: O) -> O::Output {
        match self.0 {
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            Set::Avx2(avx2) => avx2.vectorize(
                #[inline(always)]
                move || op.run(avx2),
            ),
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            Set::Avx512(path) => path.avx512.vectorize(
                #[inline(always)]
                move || op.run(path),
            ),
            #[cfg(all(feature = "simd", target_arch = "aarch64"))]
            Set::Neon(neon) => neon.vectorize(
                #[inline(always)]
                move || op.run(neon),
            ),
            Set::Portable => op.run(Scalar),
        }
    }

    /// Runs loops that the compiler turns into vectors, compiled for the instructions of this path.
    /// What is to use them must be `#[inline(always)]`, the closure as well.
    #[inline]
    pub fn compiled<R>(self, loops: impl FnOnce() -> R) -> R {
        struct Run<F>(F);
        impl<R, F: FnOnce() -> R> Op for Run<F> {
            type Output = R;
            #[inline(always)]
            fn run<S: Instructions>(self, _: S) -> R {
                (self.0)()
            }
        }
        self.dispatch(Run(loops))
    }

    /// [`compiled`](Path::compiled) for no more than NEON or AVX2: for loops that compilers make
    /// slower for AVX-512.
    #[inline]
    pub fn narrow<R>(self, run: impl FnOnce() -> R) -> R {
        self.vectorize(
            run,
            #[inline(always)]
            |run| run(),
            |run| run(),
        )
    }

    /// Runs `run`, which must be `#[inline(always)]`, compiled for NEON or AVX2. Paths without
    /// vectors run `portable`.
    ///
    /// Paths with AVX-512 run the code for AVX2: this is for loops that gain nothing from AVX-512,
    /// so that there is less code.
    #[inline]
    pub(crate) fn vectorize<A, R>(
        self,
        args: A,
        run: impl FnOnce(A) -> R,
        portable: impl FnOnce(A) -> R,
    ) -> R {
        match self.vectors() {
            Some(vectors) => vectors.vectorize(
                #[inline(always)]
                move || run(args),
            ),
            None => portable(args),
        }
    }

    /// The vectors that [`vectorize`](Path::vectorize) compiles for.
    #[inline]
    pub(crate) fn vectors(self) -> Option<Vectors> {
        match self.0 {
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            Set::Avx2(avx2) => Some(avx2),
            #[cfg(all(feature = "simd", target_arch = "x86_64"))]
            Set::Avx512(Avx512 { avx512, .. }) => Some(*avx512),
            #[cfg(all(feature = "simd", target_arch = "aarch64"))]
            Set::Neon(neon) => Some(neon),
            Set::Portable => None,
        }
    }
}

/// An operation to compile for each path. `run`, and all that is to use the instructions of the
/// path, must be `#[inline(always)]`.
pub(crate) trait Op {
    /// What it gives.
    type Output;

    /// Does it with the instructions of a path.
    fn run<S: Instructions>(self, instructions: S) -> Self::Output;
}
