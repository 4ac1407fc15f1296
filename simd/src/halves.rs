//! Conversions between `f16` and `f32` by instruction, where an `f16` is given by its bits, and
//! what tells whether a function is one of them.

use core::any::TypeId;
use core::arch::x86_64::{_mm_cvtph_ps, _mm_cvtps_ph, _mm256_cvtph_ps, _mm256_cvtps_ph};
use core::mem::transmute;

use bytemuck::must_cast;

use crate::path::Path;

pulp::simd_type! {
    /// AVX2 with F16C, a value of which is the proof that the machine has both.
    pub struct Halves {
        avx2: "avx2", bmi1: "bmi1", bmi2: "bmi2", f16c: "f16c", fma: "fma", lzcnt: "lzcnt",
        popcnt: "popcnt",
    }
}

/// How instructions round.
const NEAREST: i32 = 0;

impl Halves {
    /// `None`: the path, or the machine, has no such instructions.
    #[inline]
    #[must_use]
    pub fn of(path: Path) -> Option<Halves> {
        path.vectors().and_then(|_| Halves::try_new())
    }

    /// The values as `f32`, exactly; a NaN becomes quiet.
    #[inline(always)]
    #[must_use]
    pub fn widen(self, values: [u16; 8]) -> [f32; 8] {
        // SAFETY: this value is the proof that there is F16C.
        must_cast(unsafe { _mm256_cvtph_ps(must_cast(values)) })
    }

    /// The nearest `f16`s, of two the even one; a NaN becomes quiet and loses its last bits.
    #[inline(always)]
    #[must_use]
    pub fn narrow(self, values: [f32; 8]) -> [u16; 8] {
        // SAFETY: this value is the proof that there is F16C.
        must_cast(unsafe { _mm256_cvtps_ph::<NEAREST>(must_cast(values)) })
    }

    /// [`widen`](Halves::widen) of two.
    #[inline(always)]
    #[must_use]
    pub fn widen_two(self, values: [u16; 2]) -> [f32; 2] {
        // By way of an integer: compilers would load one half into a register that the value before
        // it is still in, and wait for that.
        let values = must_cast(u128::from(must_cast::<_, u32>(values)));
        // SAFETY: this value is the proof that there is F16C.
        let [a, b, ..]: [f32; 4] = must_cast(unsafe { _mm_cvtph_ps(values) });
        [a, b]
    }

    /// [`narrow`](Halves::narrow) of one.
    #[inline(always)]
    #[must_use]
    pub fn narrow_one(self, value: f32) -> u16 {
        let values = must_cast([value, 0.0, 0.0, 0.0]);
        // SAFETY: this value is the proof that there is F16C.
        let [value, ..]: [u16; 8] = must_cast(unsafe { _mm_cvtps_ph::<NEAREST>(values) });
        value
    }
}

/// The id of the type of a value that may borrow: that of the type with any other lifetimes. So two
/// values with the same id may live for different times, and none may pass for the other. But which
/// function a value is can be told: each that has a name has a type of its own.
#[inline(always)]
#[must_use]
pub fn type_id<T>(value: &T) -> TypeId {
    trait Typed {
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<Self>()
        }
    }
    impl<T> Typed for T {}
    // SAFETY: both are references to the same value, of one layout, and for the same time. That the
    // value borrows nothing is claimed for the call of `id` alone, which reads nothing of it; code
    // does not depend on lifetimes.
    unsafe { transmute::<&dyn Typed, &(dyn Typed + 'static)>(value) }.id()
}
