//! `slice::get` and `get_mut` for `const fn`, in which the standard ones cannot be called yet.

pub(crate) const fn get<T>(list: &[T], at: usize) -> Option<&T> {
    match list.split_at_checked(at) {
        Some((_, [item, ..])) => Some(item),
        _ => None,
    }
}

pub(crate) const fn get_mut<T>(list: &mut [T], at: usize) -> Option<&mut T> {
    match list.split_at_mut_checked(at) {
        Some((_, [item, ..])) => Some(item),
        _ => None,
    }
}
