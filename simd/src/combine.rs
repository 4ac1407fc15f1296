//! What changes elements by address.

/// `to[addresses[n]] = combine(to[addresses[n]], from[n])`, in this order, for as many as there are of both. An address outside `to` is left out.
///
/// All addresses are compared before the first is used, in vectors. (`strew-benches`, `elements`, sums along axis 1: up to a tenth less time than where each is compared by itself.)
#[inline(always)]
pub fn combine<T: Copy>(to: &mut [T], addresses: &[u32], from: &[T], combine: impl Fn(T, T) -> T) {
    let length = u32::try_from(to.len()).unwrap_or(u32::MAX);
    if addresses.iter().fold(true, |inside, address| inside & (*address < length)) {
        for (address, from) in addresses.iter().zip(from) {
            // SAFETY: the comparison above found all addresses below `length`, which is at most that of the slice.
            let to = unsafe { to.get_unchecked_mut(*address as usize) };
            *to = combine(*to, *from);
        }
    } else {
        for (address, from) in addresses.iter().zip(from) {
            if let Some(to) = to.get_mut(*address as usize) {
                *to = combine(*to, *from);
            }
        }
    }
}
