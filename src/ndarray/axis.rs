//! Axes that may count from the end.

/// The number of an axis: a `usize`, or an `isize` or `i32`, of which one below 0 counts from the
/// end: `-1` is the last axis. If there is no such axis, as -3 of 2, `found` of the error is 3.
/// This trait is sealed.
///
/// ```
/// use ndarray::array;
/// use strew::ndarray::Operator;
///
/// let table = array![[1, 2], [3, 4]];
/// let last = Operator::axis(-1).gather(&table, &array![1])?;
/// assert_eq!(last, Operator::axis(1_usize).gather(&table, &array![1])?);
/// # Ok::<(), strew::Error>(())
/// ```
pub trait AxisNumber: sealed::AxisNumber {}

impl<A: sealed::AxisNumber> AxisNumber for A {}

pub(super) mod sealed {
    /// An axis, or the number of axes from one to the end.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Number {
        FromStart(usize),
        FromEnd(usize),
    }

    pub trait AxisNumber: Copy {
        fn number(self) -> Number;
    }

    impl AxisNumber for usize {
        fn number(self) -> Number {
            Number::FromStart(self)
        }
    }

    impl AxisNumber for isize {
        fn number(self) -> Number {
            let magnitude = self.unsigned_abs();
            if self < 0 { Number::FromEnd(magnitude) } else { Number::FromStart(magnitude) }
        }
    }

    impl AxisNumber for i32 {
        fn number(self) -> Number {
            (self as isize).number()
        }
    }
}
pub(super) use sealed::Number;

impl Number {
    /// The axis of a tensor of this rank. One before the first is not below the rank, so that it is
    /// found out of range.
    pub(super) fn of(self, rank: usize) -> usize {
        match self {
            Number::FromStart(axis) => axis,
            Number::FromEnd(number) => rank.checked_sub(number).unwrap_or(number),
        }
    }
}
