//! Many indices into small data: `std` runs such scatters on a copy of the data, checks the indices
//! on the way, and commits the copy if all are in bounds.
#![cfg(feature = "half")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]

mod common;

use strew::{Bounds, Error, Index, Layout, Operand, Reduction, Scatter, Sub};

/// Pairs of coordinates into a table of 3 by `size` rows of `width` elements; with `bad`, that
/// entry's second coordinate is out of bounds.
struct Case {
    entries: usize,
    size: usize,
    width: usize,
    bad: Option<usize>,
}

impl Case {
    fn pairs(&self) -> Vec<[i64; 2]> {
        let place = |entry: usize| (entry.wrapping_mul(0x9E37_79B9) >> 7) % (3 * self.size);
        let pair = |entry| match self.bad {
            Some(bad) if entry == bad => [0, self.size as i64],
            // Every other index counts from the end.
            _ if entry % 2 == 0 => {
                [(place(entry) / self.size) as i64, (place(entry) % self.size) as i64]
            }
            _ => [
                (place(entry) / self.size) as i64 - 3,
                (place(entry) % self.size) as i64 - self.size as i64,
            ],
        };
        (0..self.entries).map(pair).collect()
    }

    fn scatter(&self) -> Scatter {
        let data = Layout::contiguous([3, self.size, self.width]);
        let (indices, updates) =
            (Layout::contiguous([self.entries, 2]), Layout::contiguous([self.entries, self.width]));
        Scatter::nd(&data, &indices, &updates, 0).unwrap()
    }

    /// The error, or the data as they should be.
    fn oracle(
        &self,
        data: &[u16],
        updates: &[u16],
        combine: impl Fn(u16, u16) -> u16,
    ) -> Result<Vec<u16>, Error> {
        if let Some(entry) = self.bad {
            return Err(Error::IndexOutOfBounds {
                entry,
                coordinate: 1,
                value: self.size as i128,
                size: self.size,
            });
        }
        let mut data = data.to_vec();
        for (entry, [y, x]) in self.pairs().into_iter().enumerate() {
            let row = (y.rem_euclid(3) as usize * self.size
                + x.rem_euclid(self.size as i64) as usize)
                * self.width;
            for n in 0..self.width {
                data[row + n] = combine(data[row + n], updates[entry * self.width + n]);
            }
        }
        Ok(data)
    }

    fn check<I: Index + TryFrom<i64>>(&self, name: &str) {
        let plan = self.scatter();
        let indices: Vec<I> = self
            .pairs()
            .into_iter()
            .flatten()
            .map(|index| I::try_from(index).ok().unwrap())
            .collect();
        let data: Vec<u16> = (0..3 * self.size * self.width + 2).map(|n| n as u16).collect();
        let updates: Vec<u16> = (0..self.entries * self.width).map(|n| (n * 7) as u16).collect();
        let old = vec![9_u16; data.len()];
        let what = format!("{name} {} {} {} {:?}", self.entries, self.size, self.width, self.bad);

        let expected = self.oracle(&data, &updates, |_, update| update);
        let mut found = data.clone();
        assert_eq!(
            plan.run(&mut found, &indices, &updates).map(|()| found.clone()),
            expected,
            "{what}"
        );
        assert!(expected.is_ok() || found == data, "{what}");
        self.check_into(
            &expected,
            &old,
            |output| plan.run_into(&data, &indices, &updates, output),
            &what,
        );

        let expected = self.oracle(&data, &updates, u16::wrapping_sub);
        let mut found = data.clone();
        assert_eq!(
            plan.reduce(Sub, &mut found, &indices, &updates).map(|()| found.clone()),
            expected,
            "{what}"
        );
        assert!(expected.is_ok() || found == data, "{what}");
        self.check_into(
            &expected,
            &old,
            |output| plan.reduce_into(Sub, &data, &indices, &updates, output),
            &what,
        );

        // Order counts.
        let order = |current: u16, update: u16| current.wrapping_mul(31).wrapping_add(update);
        let expected = self.oracle(&data, &updates, order);
        let mut found = data.clone();
        assert_eq!(
            plan.reduce(order, &mut found, &indices, &updates).map(|()| found.clone()),
            expected,
            "{what}"
        );
        assert!(expected.is_ok() || found == data, "{what}");
        self.check_into(
            &expected,
            &old,
            |output| plan.reduce_into(order, &data, &indices, &updates, output),
            &what,
        );
    }

    /// The two elements after the table belong to no row.
    fn check_into(
        &self,
        expected: &Result<Vec<u16>, Error>,
        old: &[u16],
        run: impl Fn(&mut [u16]) -> Result<(), Error>,
        what: &str,
    ) {
        let mut output = old.to_vec();
        assert_eq!(
            run(&mut output),
            expected.as_ref().map(|_| ()).map_err(|error| *error),
            "{what}"
        );
        let expected = expected
            .as_ref()
            .map_or(old.to_vec(), |data| [&data[..old.len() - 2], &old[old.len() - 2..]].concat());
        assert_eq!(output, expected, "{what}");
    }
}

#[test]
fn all_or_nothing() {
    common::path::force();
    for entries in [511, 512, 1023, 4000] {
        for (size, width) in [(1, 1), (5, 1), (100, 1), (20, 3), (2, 40)] {
            for bad in [None, Some(0), Some(entries / 2), Some(entries - 1)] {
                let case = Case { entries, size, width, bad };
                case.check::<i8>("i8");
                case.check::<i32>("i32");
                case.check::<i64>("i64");
            }
        }
    }
}

/// Data that do not fit L2.
#[test]
fn all_or_nothing_of_many() {
    common::path::force();
    for bad in [None, Some(350_000), Some(699_999)] {
        Case { entries: 700_000, size: 400_000, width: 1, bad }.check::<i64>("i64");
    }
}

#[test]
fn short_slices() {
    common::path::force();
    let plan = Case { entries: 2000, size: 4, width: 1, bad: None }.scatter();
    let (mut data, indices, updates) = ([1_u16; 12], [0_i32; 4000], [2_u16; 2000]);
    let short = |operand, expected: usize| {
        Err(Error::SliceTooShort { operand, expected, found: expected - 1 })
    };
    assert_eq!(plan.reduce(Sub, &mut data[1..], &indices, &updates), short(Operand::Data, 12));
    assert_eq!(plan.reduce(Sub, &mut data, &indices[1..], &updates), short(Operand::Indices, 4000));
    assert_eq!(plan.reduce(Sub, &mut data, &indices, &updates[1..]), short(Operand::Updates, 2000));
    let input = [5; 12];
    assert_eq!(
        plan.reduce_into(Sub, &input[1..], &indices, &updates, &mut data),
        short(Operand::Input, 12)
    );
    assert_eq!(
        plan.reduce_into(Sub, &input, &indices, &updates, &mut data[1..]),
        short(Operand::Output, 12)
    );
    assert_eq!(data, [1; 12]);
}

/// Under every policy but `Error`, no index can fail.
#[test]
fn policies() {
    common::path::force();
    let case = Case { entries: 3000, size: 7, width: 2, bad: Some(1500) };
    let indices: Vec<i64> = case.pairs().into_iter().flatten().collect();
    let updates = vec![1_u16; 6000];
    let sum = |bounds| {
        let mut data = [0_u16; 42];
        case.scatter().bounds(bounds).reduce(strew::Add, &mut data, &indices, &updates).unwrap();
        data.iter().sum::<u16>()
    };
    assert_eq!([Bounds::Clamp, Bounds::Wrap, Bounds::Skip].map(sum), [6000, 6000, 5998]);
}

/// A closure is called once for each update, in order, and never if an index is out of bounds.
#[test]
fn reductions_of_users_are_called_for_checked_indices() {
    common::path::force();
    struct Last;
    impl Reduction<u16> for Last {
        fn combine(&self, current: u16, update: u16) -> u16 {
            assert!(update > current);
            update
        }
    }
    let plan = Scatter::axis(
        &Layout::contiguous([1]),
        &Layout::contiguous([5000]),
        &Layout::contiguous([5000]),
        0,
    )
    .unwrap();
    let updates: Vec<u16> = (1..=5000).collect();
    let mut data = [0];
    plan.reduce(Last, &mut data, &[0_u8; 5000], &updates).unwrap();
    assert_eq!(data, [5000]);
    let mut indices = [0_u8; 5000];
    indices[4999] = 1;
    let never = |_: u16, _: u16| -> u16 { panic!("called") };
    assert!(plan.reduce(never, &mut data, &indices, &updates).is_err());
    assert!(plan.reduce_into(never, &[0], &indices, &updates, &mut data).is_err());
    assert_eq!(data, [5000]);
}
