//! Maps arrays value by value, in loops that compilers turn into vectors.

/// `values.map(map)` as a loop. Compilers do not always inline that function into loops that are
/// compiled for vectors, and then it runs without them (`.ci/inlined`).
#[cfg(feature = "std")]
#[inline(always)]
pub(crate) fn each<T, U: Copy + bytemuck::Zeroable, const N: usize>(
    values: [T; N],
    map: impl Fn(T) -> U,
) -> [U; N] {
    let mut mapped = [U::zeroed(); N];
    for (mapped, value) in mapped.iter_mut().zip(values) {
        *mapped = map(value);
    }
    mapped
}

/// `values.map(map)`: without vectors it takes fewer instructions than a loop.
#[cfg(not(feature = "std"))]
#[inline(always)]
pub(crate) fn each<T, U, const N: usize>(values: [T; N], map: impl Fn(T) -> U) -> [U; N] {
    values.map(map)
}
