//! Errors: the same value on every rank.

use strew::Operand;

/// Why a call did nothing, on any rank. Every rank gets the same value.
///
/// The rules are those of [`strew::Error`]: `found` is what there is, `expected` what there should
/// be, or the most that there may be. A program can match all variants without a catch-all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Each variant explains its fields.
pub enum Error {
    /// What this rank brought is wrong: `error` is what a call with its slices alone would have
    /// said, and the first mistake of the lowest rank that made one. For
    /// [`IndexOutOfBounds`](strew::Error::IndexOutOfBounds), `entry` counts the rank's own entries,
    /// and `coordinate` is the axis of the table.
    Rank { rank: usize, error: strew::Error },
    /// The ranks did not say the same about a table when they made it.
    Differs,
    /// Indices choose from 1 to `expected` leading axes of a table: as many as it has, and at most
    /// [`MAX_AXES`](crate::MAX_AXES).
    AxesOutOfRange { expected: usize, found: usize },
    /// The number of rows or elements exceeds `usize`.
    SizesOverflow,
    /// A rank would own more rows than MPI's messages can name.
    ShardTooLarge { expected: usize, found: usize },
    /// One row for each rank exceeds the bytes that MPI can send.
    RowTooLarge { expected: usize, found: usize },
    /// The rank that brings the most entries has more than a call may have.
    TooManyEntries { expected: usize, found: usize },
}

impl std::error::Error for Error {}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Rank { rank, error } => write!(f, "rank {rank}: {error}"),
            Error::Differs => f.write_str("the ranks do not describe the same table"),
            Error::AxesOutOfRange { expected, found } => {
                write!(f, "axes out of range: 1 to {expected} can be indexed, found {found}")
            }
            Error::SizesOverflow => {
                f.write_str("sizes overflow: the table does not fit the address space")
            }
            Error::ShardTooLarge { expected, found } => {
                write!(f, "shard too large: a rank owns at most {expected} rows, found {found}")
            }
            Error::RowTooLarge { expected, found } => write!(
                f,
                "row too large: at most {expected} bytes on this number of ranks, found {found}"
            ),
            Error::TooManyEntries { expected, found } => {
                write!(f, "too many entries: at most {expected} a rank and call, found {found}")
            }
        }
    }
}

/// How many words an error of a rank takes.
pub(crate) const WORDS: usize = 6;

/// The operands that a call of this crate names.
const OPERANDS: [Operand; 7] = [
    Operand::Input,
    Operand::Data,
    Operand::Indices,
    Operand::Updates,
    Operand::Output,
    Operand::Offsets,
    Operand::Weights,
];

/// The errors that one rank can have alone, as words that can be sent. Zeros are none.
pub(crate) fn to_words(error: Option<strew::Error>) -> [u64; WORDS] {
    let halves = |value: i128| [value as u64, (value >> 64) as u64];
    match error {
        None => [0; WORDS],
        Some(strew::Error::IndexOutOfBounds { entry, coordinate, value, size }) => {
            let [low, high] = halves(value);
            [1, entry as u64, coordinate as u64, low, high, size as u64]
        }
        Some(strew::Error::OffsetOutOfRange { entry, value, minimum, maximum }) => {
            let [low, high] = halves(value);
            [2, entry as u64, minimum as u64, low, high, maximum as u64]
        }
        Some(strew::Error::SliceTooShort { operand, expected, found }) => {
            let operand = OPERANDS.iter().position(|known| *known == operand).unwrap_or(0);
            [3, operand as u64, expected as u64, found as u64, 0, 0]
        }
        // No call of this crate meets another one, but for sizes beyond the address space.
        Some(_) => [4, 0, 0, 0, 0, 0],
    }
}

/// The way back.
pub(crate) fn from_words(words: [u64; WORDS]) -> Option<strew::Error> {
    let [kind, a, b, low, high, c] = words;
    let value = (i128::from(high) << 64) | i128::from(low);
    let [entry, second, third] = [a, b, c].map(|word| word as usize);
    match kind {
        0 => None,
        1 => Some(strew::Error::IndexOutOfBounds { entry, coordinate: second, value, size: third }),
        2 => Some(strew::Error::OffsetOutOfRange { entry, value, minimum: second, maximum: third }),
        3 => {
            let operand = OPERANDS.get(entry).copied().unwrap_or(Operand::Layout);
            Some(strew::Error::SliceTooShort { operand, expected: second, found: low as usize })
        }
        _ => Some(strew::Error::SizesOverflow { operand: Operand::Indices }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_there_and_back() {
        let index =
            |value| strew::Error::IndexOutOfBounds { entry: 9, coordinate: 1, value, size: 7 };
        let errors = [
            index(-1),
            index(i128::from(i64::MIN)),
            index(i128::from(u64::MAX)),
            strew::Error::OffsetOutOfRange { entry: 1, value: -2, minimum: 3, maximum: usize::MAX },
            strew::Error::SizesOverflow { operand: Operand::Indices },
        ];
        let short = OPERANDS.map(|operand| strew::Error::SliceTooShort {
            operand,
            expected: usize::MAX,
            found: 3,
        });
        for error in errors.into_iter().chain(short) {
            assert_eq!(from_words(to_words(Some(error))), Some(error));
        }
        assert_eq!(from_words(to_words(None)), None);
    }
}
