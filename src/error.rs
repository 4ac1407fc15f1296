//! Errors as data, and their wording.

use crate::data_type::DataType;
use crate::dml::types::FeatureLevel;
use crate::get::get_mut;
use crate::index::Bounds;

/// `?` for `const fn`.
macro_rules! tri {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(error) => return Err(error),
        }
    };
}
pub(crate) use tri;

/// `Ok($start)` after `$fill` has completed it, or the error of `$fill`. The result is filled in
/// place: a plan is large, and copying what has just been written waits for the stores.
/// Record: with constructors that are not inlined, plans on a Xeon 5 0.8x to 0.95x.
macro_rules! made {
    ($value:pat = $start:expr, $fill:expr) => {{
        let mut made = const { Ok($start) };
        if let Ok($value) = &mut made
            && let Err(error) = $fill
        {
            made = Err(error);
        }
        made
    }};
}
pub(crate) use made;

/// The tensor that an [`Error`] speaks of.
///
/// ```
/// use strew::{Error, Gather, Layout, Operand};
///
/// let table = Layout::contiguous([4]);
/// let three = Layout::contiguous([3]);
/// let error = Gather::axis(&table, &three, &table, 0).unwrap_err();
/// let operand = Operand::Output;
/// assert_eq!(
///     error,
///     Error::SizeMismatch {
///         operand,
///         dimension: 0,
///         expected: 3,
///         found: 4
///     }
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Operand {
    /// A layout on its own, before it has a role in an operator.
    Layout,
    /// The tensor that a gather or a bag reads, or that a functional scatter starts from.
    Input,
    /// The integer tensor.
    Indices,
    /// The tensor that a scatter reads.
    Updates,
    /// The tensor that a scatter changes in place.
    Data,
    /// The tensor that a gather, a bag, a functional scatter or a DirectML operator writes.
    Output,
    /// The scales of a quantised table.
    Scales,
    /// The zero points of a quantised table.
    ZeroPoints,
    /// The mask of what counts.
    Mask,
    /// The entries that extremes come from: see
    /// [`Scatter::reduce_arg`](crate::Scatter::reduce_arg).
    Winners,
    /// The offsets or lengths of bags.
    Offsets,
    /// The weights of the entries of bags.
    Weights,
}

/// What a DirectML feature level lacks, in [`Error::NotSupported`].
///
/// ```
/// use strew::dml::{
///     DataType, FeatureLevel, GatherOperatorDesc, Settings, TensorDesc,
/// };
/// use strew::{Error, Operand, Unsupported};
///
/// let operator = GatherOperatorDesc {
///     input_tensor: TensorDesc::packed(DataType::Int8, &[1, 1, 2, 2]),
///     indices_tensor: TensorDesc::packed(DataType::Uint32, &[1, 1, 1, 1]),
///     output_tensor: TensorDesc::packed(DataType::Int8, &[1, 1, 2, 1]),
///     axis: 3,
///     index_dimensions: 1,
/// };
/// let settings = Settings {
///     feature_level: FeatureLevel::Level1_0,
///     ..Settings::default()
/// };
/// assert_eq!(
///     operator.compile(&settings).unwrap_err(),
///     Error::NotSupported {
///         operand: Operand::Input,
///         what: Unsupported::DataType,
///         needs: Some(FeatureLevel::Level2_1),
///         found: FeatureLevel::Level1_0,
///     }
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Unsupported {
    /// The operator does not exist yet at this level.
    Operator,
    /// The operand cannot have this data type at this level.
    DataType,
    /// The operand cannot have this number of dimensions at this level.
    DimensionCount,
}

/// Why a layout, a plan or a call was refused.
///
/// Every variant names the operand where there is more than one, the dimension where there is one,
/// what was expected and what was found. An operator that fails never changes the data of a
/// scatter; what else it leaves behind is stated where the error is returned.
///
/// A program can match all variants without a catch-all: another one makes a new version that is
/// not compatible.
///
/// ```
/// use strew::{Error, Gather, Layout};
///
/// let table = Layout::contiguous([3]);
/// let two = Layout::contiguous([2]);
/// let error = Gather::axis(&table, &two, &two, 0)?.run(
///     &[10, 20, 30],
///     &[1, -4],
///     &mut [0; 2],
/// );
/// let error = error.unwrap_err();
/// assert_eq!(
///     error,
///     Error::IndexOutOfBounds {
///         entry: 1,
///         coordinate: 0,
///         value: -4,
///         size: 3
///     }
/// );
/// let text =
///     "index out of bounds: entry 1, coordinate 0 is -4, the size is 3";
/// assert_eq!(error.to_string(), text);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[allow(missing_docs)] // Each variant explains its fields.
pub enum Error {
    /// A tensor has more dimensions than are supported. `expected` is the largest number allowed.
    RankTooLarge { operand: Operand, expected: usize, found: usize },
    /// The axis is not a dimension of the indexed tensor. `expected` is the number of dimensions,
    /// which the axis must stay below. Of an axis below 0, [`Layout::axis`](crate::Layout::axis)
    /// puts `axis as usize` in `found`, and the message shows it as it was; `BlockQuantized` and
    /// the feature `ndarray` put it there without its sign.
    AxisOutOfRange { operand: Operand, expected: usize, found: usize },
    /// A list of axes names one of them twice: at the places `first` and `second`.
    RepeatedAxis { axis: usize, first: usize, second: usize },
    /// There are too many batch dimensions for this operand. `expected` is the largest number
    /// allowed.
    BatchDimsOutOfRange { operand: Operand, expected: usize, found: usize },
    /// A tensor has the wrong number of dimensions (or a layout has more or fewer strides than
    /// sizes).
    RankMismatch { operand: Operand, expected: usize, found: usize },
    /// A dimension has the wrong size. For the indices of an `elements` operator, and the axis of a
    /// `sequence`, `expected` is the largest size allowed.
    SizeMismatch { operand: Operand, dimension: usize, expected: usize, found: usize },
    /// The tuples of an `nd`, `axes` or `lists` operator must have 1 to `expected` coordinates: the
    /// last dimension of the indices, or the number of lists.
    TupleSizeOutOfRange { expected: usize, found: usize },
    /// The number of elements, or the last address, exceeds `usize`; or a size or a stride does not
    /// fit its type, or a coordinate the index type of `mask::nonzero`; or there is no memory for
    /// a new output.
    SizesOverflow { operand: Operand },
    /// Negative strides lead to an address below 0. `expected` is the smallest offset that prevents
    /// it.
    OffsetTooSmall { operand: Operand, expected: usize, found: usize },
    /// The slice ends before the tensor does. `expected` is the length that the layout needs.
    SliceTooShort { operand: Operand, expected: usize, found: usize },
    /// A tensor that is written may have two coordinates with the same address (see
    /// `Layout`). `expected` is the smallest magnitude of this dimension's stride
    /// that excludes it, given the dimensions with smaller strides. A dimension whose stride is 0
    /// repeats its elements: it can be read, and not written.
    OverlappingOutput { operand: Operand, dimension: usize, expected: usize, found: usize },
    /// DirectML does not allow a size of 0.
    ZeroSize { operand: Operand, dimension: usize },
    /// A leading dimension that DirectML ignores must have size 1.
    LeadingSizeNotOne { operand: Operand, dimension: usize, found: usize },
    /// A count of meaningful dimensions that DirectML is given must lie in `minimum..=maximum`.
    DimensionCountOutOfRange { operand: Operand, minimum: usize, maximum: usize, found: usize },
    /// A DirectML tensor has another data type than it should.
    DataTypeMismatch { operand: Operand, expected: DataType, found: DataType },
    /// The DirectML feature level does not have this. `needs` is the lowest level that does, if
    /// there is one. The operand means nothing for [`Unsupported::Operator`].
    NotSupported {
        operand: Operand,
        what: Unsupported,
        needs: Option<FeatureLevel>,
        found: FeatureLevel,
    },
    /// An index lies outside its axis. `entry` counts the entries of the indices in row-major order
    /// (whole tuples where there are some), `coordinate` is the place inside the tuple, `value` the
    /// index (in the range of `i64` or `u64`) and `size` the size of its axis.
    IndexOutOfBounds { entry: usize, coordinate: usize, value: i128, size: usize },
    /// Two entries of the indices, counted in row-major order, address the same place.
    DuplicateIndex { first: usize, second: usize },
    /// A call that writes every place of its output cannot leave some out: see
    /// [`Gather::run_uninit`](crate::Gather::run_uninit).
    PolicyNotSupported { found: Bounds },
    /// The output of a call that makes it has `expected` elements, but its layout reaches over
    /// `found` places.
    OutputNotPacked { expected: usize, found: usize },
    /// A plan that clamps has no adjoint: see [`Gather::adjoint`](crate::Gather::adjoint).
    NoAdjoint,
    /// An offset of bags falls below the one before, or passes the number of indices; or a length
    /// is more than is left of them. `entry` is its place among the offsets or lengths, and `value`
    /// must lie in `minimum..=maximum`.
    OffsetOutOfRange { entry: usize, value: i128, minimum: usize, maximum: usize },
    /// The scratch memory that the caller supplies is too short.
    ScratchTooShort { expected: usize, found: usize },
    /// Quantised values in bytes have 2, 4 or 8 bits.
    BitsNotSupported { found: usize },
    /// The size of a block of quantised values is a power of two, and at least 16.
    BlockSizeNotSupported { found: usize },
    /// An operator has this axis only.
    AxisNotSupported { expected: usize, found: usize },
    /// Elements of calls on bytes have 1, 2, 4, 8 or 16 bytes.
    WidthNotSupported { found: usize },
    /// Floats are no indices.
    IndexTypeNotSupported { found: DataType },
    /// Bytes do not lie as elements of their type must. `expected` is the alignment, and `found`
    /// what is left over when the address is divided by it.
    Misaligned { operand: Operand, expected: usize, found: usize },
    /// A build without the feature `half` has no reductions of `f16` and `bf16`.
    DataTypeNotSupported { found: DataType },
}

impl core::error::Error for Error {}

impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.message().as_str())
    }
}

impl Error {
    /// The kind of this error in a few words: what its message starts with, but for
    /// [`NotSupported`](Error::NotSupported), which says of what. For logs, and for errors of a
    /// program that has fewer kinds.
    ///
    /// ```
    /// use strew::{Error, Operand};
    ///
    /// let error = Error::SizesOverflow { operand: Operand::Indices };
    /// assert_eq!(error.kind(), "sizes overflow");
    /// assert!(error.to_string().starts_with("sizes overflow: indices"));
    /// ```
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Error::RankTooLarge { .. } => "rank too large",
            Error::AxisOutOfRange { .. } => "axis out of range",
            Error::RepeatedAxis { .. } => "repeated axis",
            Error::BatchDimsOutOfRange { .. } => "batch dims out of range",
            Error::RankMismatch { .. } => "rank mismatch",
            Error::SizeMismatch { .. } => "size mismatch",
            Error::TupleSizeOutOfRange { .. } => "tuple size out of range",
            Error::SizesOverflow { .. } => "sizes overflow",
            Error::OffsetTooSmall { .. } => "offset too small",
            Error::SliceTooShort { .. } => "slice too short",
            Error::OverlappingOutput { .. } => "overlapping output",
            Error::ZeroSize { .. } => "zero size",
            Error::LeadingSizeNotOne { .. } => "leading size not one",
            Error::DimensionCountOutOfRange { .. } => "dimension count out of range",
            Error::DataTypeMismatch { .. } => "data type mismatch",
            Error::NotSupported { .. } => "not supported",
            Error::IndexOutOfBounds { .. } => "index out of bounds",
            Error::DuplicateIndex { .. } => "duplicate index",
            Error::PolicyNotSupported { .. } => "policy not supported",
            Error::OutputNotPacked { .. } => "output not packed",
            Error::NoAdjoint => "no adjoint",
            Error::OffsetOutOfRange { .. } => "offset out of range",
            Error::ScratchTooShort { .. } => "scratch too short",
            Error::BitsNotSupported { .. } => "bits not supported",
            Error::BlockSizeNotSupported { .. } => "block size not supported",
            Error::AxisNotSupported { .. } => "axis not supported",
            Error::WidthNotSupported { .. } => "width not supported",
            Error::IndexTypeNotSupported { .. } => "index type not supported",
            Error::Misaligned { .. } => "misaligned",
            Error::DataTypeNotSupported { .. } => "data type not supported",
        }
    }

    /// Returns the wording. It is made without `core::fmt`, so that `plan!` can show
    /// it at compile time.
    #[doc(hidden)]
    #[must_use]
    pub const fn message(&self) -> Message {
        let mut message = Message { text: [0; CAPACITY], length: 0 };
        let (m, kind) = (&mut message, self.kind());
        match *self {
            Error::RankTooLarge { operand, expected, found } => m
                .operand(kind, operand)
                .count(" has ", found)
                .count(" dimensions, at most ", expected)
                .text(" are supported"),
            Error::AxisOutOfRange { operand, expected, found } => m
                .operand(kind, operand)
                .count(" has ", expected)
                .text(" dimensions, the axis is ")
                .text(if found > isize::MAX as usize { "-" } else { "" })
                .number((found as isize).unsigned_abs() as u64),
            Error::RepeatedAxis { axis, first, second } => m
                .text(kind)
                .count(": axis ", axis)
                .count(" is at the places ", first)
                .count(" and ", second)
                .text(" of the list"),
            Error::BatchDimsOutOfRange { operand, expected, found } => m
                .operand(kind, operand)
                .count(" allows at most ", expected)
                .count(", found ", found),
            Error::RankMismatch { operand, expected, found } => m
                .operand(kind, operand)
                .count(" must have ", expected)
                .count(" dimensions, found ", found),
            Error::SizeMismatch { operand, dimension, expected, found } => m
                .operand(kind, operand)
                .count(" dimension ", dimension)
                .count(" should be ", expected)
                .count(", found ", found),
            Error::TupleSizeOutOfRange { expected, found } => m
                .text(kind)
                .text(": indices must hold 1")
                .count(" to ", expected)
                .count(" coordinates, found ", found),
            Error::SizesOverflow { operand } => {
                m.operand(kind, operand).text(" does not fit the address space")
            }
            Error::OffsetTooSmall { operand, expected, found } => m
                .operand(kind, operand)
                .count(" needs at least ", expected)
                .count(" for its negative strides, found ", found),
            Error::SliceTooShort { operand, expected, found } => m
                .operand(kind, operand)
                .count(" needs ", expected)
                .count(" elements, found ", found),
            Error::OverlappingOutput { operand, dimension, expected, found } => m
                .operand(kind, operand)
                .count(" dimension ", dimension)
                .count(" needs a stride of at least ", expected)
                .count(", found ", found),
            Error::ZeroSize { operand, dimension } => {
                m.operand(kind, operand).count(" dimension ", dimension).text(" is 0")
            }
            Error::LeadingSizeNotOne { operand, dimension, found } => m
                .operand(kind, operand)
                .count(" dimension ", dimension)
                .count(" is ignored and should be 1, found ", found),
            Error::DimensionCountOutOfRange { operand, minimum, maximum, found } => m
                .operand(kind, operand)
                .count(" allows ", minimum)
                .count(" to ", maximum)
                .count(", found ", found),
            Error::DataTypeMismatch { operand, expected, found } => m
                .operand(kind, operand)
                .text(" should be ")
                .text(expected.name())
                .text(", found ")
                .text(found.name()),
            Error::NotSupported { operand, what, needs, found } => {
                let m = match what {
                    Unsupported::Operator => m.text("operator not supported"),
                    Unsupported::DataType => m.operand("data type not supported", operand),
                    Unsupported::DimensionCount => {
                        m.operand("dimension count not supported", operand)
                    }
                };
                let m = m.text(" at feature level ").text(found.name());
                match needs {
                    Some(level) => m.text(", needs ").text(level.name()),
                    None => m.text(" or any other"),
                }
            }
            Error::IndexOutOfBounds { entry, coordinate, value, size } => m
                .text(kind)
                .count(": entry ", entry)
                .count(", coordinate ", coordinate)
                .text(if value < 0 { " is -" } else { " is " })
                .number(value.unsigned_abs() as u64)
                .count(", the size is ", size),
            Error::DuplicateIndex { first, second } => m
                .text(kind)
                .count(": entries ", first)
                .count(" and ", second)
                .text(" address the same place"),
            Error::PolicyNotSupported { found } => m
                .text(kind)
                .text(": ")
                .text(found.name())
                .text(" leaves places of the output as they are"),
            Error::OutputNotPacked { expected, found } => m
                .text(kind)
                .count(": its ", expected)
                .count(" elements lie in ", found)
                .text(" places"),
            Error::NoAdjoint => m.text(kind).text(": the plan clamps"),
            Error::OffsetOutOfRange { entry, value, minimum, maximum } => m
                .text(kind)
                .count(": entry ", entry)
                .text(if value < 0 { " is -" } else { " is " })
                .number(value.unsigned_abs() as u64)
                .count(", allowed are ", minimum)
                .count(" to ", maximum),
            Error::ScratchTooShort { expected, found } => {
                m.text(kind).count(": needs ", expected).count(" words, found ", found)
            }
            Error::BitsNotSupported { found } => m.text(kind).count(": 2, 4 or 8, found ", found),
            Error::BlockSizeNotSupported { found } => {
                m.text(kind).text(": a power of two of at least 16").count(", found ", found)
            }
            Error::AxisNotSupported { expected, found } => {
                m.text(kind).count(": should be ", expected).count(", found ", found)
            }
            Error::WidthNotSupported { found } => {
                m.text(kind).count(": 1, 2, 4, 8 or 16 bytes, found ", found)
            }
            Error::IndexTypeNotSupported { found } => {
                m.text(kind).text(": indices are integers, found ").text(found.name())
            }
            Error::Misaligned { operand, expected, found } => m
                .operand(kind, operand)
                .count(" should lie at a multiple of ", expected)
                .count(" bytes, found ", found)
                .text(" more"),
            Error::DataTypeNotSupported { found } => {
                m.text(kind).text(": reductions of ").text(found.name()).text(" need feature half")
            }
        };
        message
    }
}

impl Operand {
    const fn name(self) -> &'static str {
        match self {
            Operand::Layout => "layout",
            Operand::Input => "input",
            Operand::Indices => "indices",
            Operand::Updates => "updates",
            Operand::Data => "data",
            Operand::Output => "output",
            Operand::Scales => "scales",
            Operand::ZeroPoints => "zero points",
            Operand::Mask => "mask",
            Operand::Winners => "winners",
            Operand::Offsets => "offsets",
            Operand::Weights => "weights",
        }
    }
}

/// Which of table and flat tensor an operator writes, and so what errors call the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Gather,
    Scatter,
}

impl Direction {
    /// The name of the table: what indices select from.
    pub(crate) const fn table(self) -> Operand {
        match self {
            Direction::Gather => Operand::Input,
            Direction::Scatter => Operand::Data,
        }
    }

    /// The name of the flat tensor: what lies in iteration order.
    pub(crate) const fn flat(self) -> Operand {
        match self {
            Direction::Gather => Operand::Output,
            Direction::Scatter => Operand::Updates,
        }
    }
}

/// The length of a message in bytes, at most: every message with 20-digit numbers fits.
const CAPACITY: usize = 192;

/// A short text on the stack; what does not fit is left out.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct Message {
    text: [u8; CAPACITY],
    length: usize,
}

impl Message {
    /// The text so far.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        match self.text.split_at_checked(self.length) {
            Some((text, _)) => match core::str::from_utf8(text) {
                Ok(text) => text,
                Err(_) => "",
            },
            None => "",
        }
    }

    const fn byte(&mut self, byte: u8) {
        if let Some(end) = get_mut(&mut self.text, self.length) {
            *end = byte;
            self.length += 1;
        }
    }

    // In place: a text that is passed on by value takes 4.7 KB of stack on a Cortex-M4F, not 0.6.
    // Not inline: all messages would be 43 KB of code.
    #[inline(never)]
    const fn text(&mut self, text: &str) -> &mut Self {
        let mut rest = text.as_bytes();
        while let [byte, more @ ..] = rest {
            self.byte(*byte);
            rest = more;
        }
        self
    }

    #[inline(never)]
    const fn number(&mut self, mut number: u64) -> &mut Self {
        let mut digits = [0; 20];
        let mut rest: &mut [u8] = &mut digits;
        // The last digit comes first.
        while let [more @ .., digit] = rest {
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
            rest = more;
        }
        let mut digits: &[u8] = &digits;
        while let [b'0', more @ ..] = digits
            && !more.is_empty()
        {
            digits = more;
        }
        while let [digit, more @ ..] = digits {
            self.byte(*digit);
            digits = more;
        }
        self
    }

    const fn count(&mut self, text: &str, count: usize) -> &mut Self {
        self.text(text).number(count as u64)
    }

    const fn operand(&mut self, kind: &str, operand: Operand) -> &mut Self {
        self.text(kind).text(": ").text(operand.name())
    }
}

/// Stops compilation with the error's wording; see `plan!`.
#[doc(hidden)]
#[allow(clippy::panic)] // Only ever evaluated by the compiler.
pub const fn plan_error(error: Error) -> ! {
    panic!("{}", error.message().as_str())
}
