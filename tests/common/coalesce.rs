//! Unique indices, against a set.

use std::collections::BTreeSet;
use std::fmt::Debug;

use strew::{Error, Index, Operand, coalesce};

use super::case::{Case, with_indices};

/// The indices of a case, its padding among them.
#[inline]
pub fn check(case: &Case) {
    let mut case = case.clone();
    if case.seed % 4 == 3 {
        case.values.sort_unstable();
    }
    with_indices!(case, indices => check_as(&case, indices));
}

fn check_as<I: Index + TryFrom<i128> + PartialEq + Debug>(case: &Case, indices: &[I]) {
    let typed = |value: i128| I::try_from(value).ok().expect("the value fits its type");
    let values: BTreeSet<i128> = case.values.iter().copied().collect();
    let segments: Vec<usize> =
        case.values.iter().map(|value| values.range(..value).count()).collect();
    let (n, count) = (indices.len(), values.len());
    let context = format!("{:?} {:?}", case.index, case.values);

    // What comes after the results stays as it was.
    let untouched = (typed(77), usize::MAX);
    let found = |unique: usize, segments: usize, order: usize| {
        let mut to = (vec![untouched.0; unique], vec![untouched.1; segments]);
        let result = coalesce(indices, &mut to.0, &mut to.1, &mut vec![5; order]);
        (result, to)
    };
    let mut expected = (values.into_iter().map(typed).collect::<Vec<I>>(), segments);
    expected.0.push(untouched.0);
    expected.1.push(untouched.1);
    assert_eq!(found(count + 1, n + 1, n + 1), (Ok(count), expected), "{context}");
    if let Some(short) = count.checked_sub(1) {
        let nothing = |unique: usize, segments: usize| {
            (vec![untouched.0; unique], vec![untouched.1; segments])
        };
        let too_short = |operand, expected| {
            Err(Error::SliceTooShort { operand, expected, found: expected - 1 })
        };
        let unique = too_short(Operand::Indices, count);
        assert_eq!(found(short, n, n), (unique, nothing(short, n)), "{context}");
        let output = too_short(Operand::Output, n);
        assert_eq!(found(count, n - 1, n), (output, nothing(count, n - 1)), "{context}");
        let scratch = Err(Error::ScratchTooShort { expected: n, found: n - 1 });
        assert_eq!(found(count, n, n - 1), (scratch, nothing(count, n)), "{context}");
    }
}
