//! The values that C sees, and what they are in strew.

use strew::{Bounds, Error, Layout, MAX_RANK, Operand};

/// What a function returns: STREW_OK, or why it refused to work.
///
/// The comments say which members of strew_error have a meaning. All others are 0.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum strew_status {
    /// It is done.
    STREW_OK = 0,
    /// A tensor has more dimensions than are supported. operand, expected (the largest number),
    /// found.
    STREW_RANK_TOO_LARGE = 1,
    /// The axis is not a dimension of the indexed tensor. operand, expected (the number of
    /// dimensions, which the axis must stay below), found.
    STREW_AXIS_OUT_OF_RANGE = 2,
    /// There are too many batch dimensions for this operand. operand, expected (the largest
    /// number), found.
    STREW_BATCH_DIMS_OUT_OF_RANGE = 3,
    /// A tensor has the wrong number of dimensions. operand, expected, found.
    STREW_RANK_MISMATCH = 4,
    /// A dimension has the wrong size. operand, dimension, expected (for the indices of `elements`
    /// the largest size allowed), found.
    STREW_SIZE_MISMATCH = 5,
    /// The tuples of `nd`, the last dimension of the indices, must have 1 to expected coordinates.
    /// operand (STREW_INDICES), expected, found.
    STREW_TUPLE_SIZE_OUT_OF_RANGE = 6,
    /// The number of elements, or the last address, exceeds size_t. operand.
    STREW_SIZES_OVERFLOW = 7,
    /// Negative strides lead to an address below 0. operand, expected (the smallest offset that
    /// prevents it), found.
    STREW_OFFSET_TOO_SMALL = 8,
    /// The array ends before the tensor does. operand, expected (the length that the layout needs,
    /// in elements), found.
    STREW_SLICE_TOO_SHORT = 9,
    /// Two elements of a tensor that is written may have the same address. operand, dimension,
    /// expected (the smallest magnitude of its stride that excludes it), found.
    STREW_OVERLAPPING_OUTPUT = 10,
    /// An index lies outside its axis. operand (STREW_INDICES), entry (counted in row-major order
    /// of the indices; whole tuples for `nd`), coordinate (the place inside the tuple), negative
    /// and magnitude (the index), expected (the size of the axis).
    STREW_INDEX_OUT_OF_BOUNDS = 11,
    /// A pointer is NULL that may not be. operand.
    STREW_NULL_POINTER = 32,
    /// A pointer is not aligned for its type. operand.
    STREW_MISALIGNED = 33,
    /// An array of this length does not fit the address space. operand.
    STREW_LENGTH_OVERFLOW = 34,
    /// The array that is written shares memory with one that is read. operand (the one that is
    /// written), other (the one that is read).
    STREW_SHARED_MEMORY = 35,
    /// The plan was not made by a constructor that returned STREW_OK. operand.
    STREW_PLAN_NOT_MADE = 36,
    /// There is no such strew_bounds. found.
    STREW_UNKNOWN_BOUNDS = 37,
    /// There is no such strew_reduction for this type. found.
    STREW_UNKNOWN_REDUCTION = 38,
    /// This version of the library cannot say more.
    STREW_OTHER = 63,
}
use strew_status::*;

/// The tensor or argument that a strew_error speaks of.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum strew_operand {
    /// A layout on its own, before it has a role in an operator.
    STREW_LAYOUT = 0,
    /// The tensor that a gather reads.
    STREW_INPUT = 1,
    /// The integer tensor.
    STREW_INDICES = 2,
    /// The tensor that a scatter reads.
    STREW_UPDATES = 3,
    /// The tensor that a scatter changes.
    STREW_DATA = 4,
    /// The tensor that a gather writes.
    STREW_OUTPUT = 5,
    /// The plan.
    STREW_PLAN = 6,
    /// The result of a function on layouts.
    STREW_RESULT = 7,
}
use strew_operand::*;

/// What happens to an index that lies outside its axis. Negative indices first count from the end,
/// once: -1 is the last element.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum strew_bounds {
    /// The call fails with STREW_INDEX_OUT_OF_BOUNDS. This is what constructors choose.
    STREW_BOUNDS_ERROR = 0,
    /// What is still below 0 becomes 0 (-1 is the last element), what is above becomes size - 1.
    STREW_BOUNDS_CLAMP = 1,
    /// The index becomes its Euclidean remainder modulo the size.
    STREW_BOUNDS_WRAP = 2,
    /// A scatter drops the entry, a gather leaves that part of the output as it was.
    STREW_BOUNDS_SKIP = 3,
}
use strew_bounds::*;

/// What an update does to the value that is there.
#[repr(u32)]
#[derive(Clone, Copy)]
pub enum strew_reduction {
    /// data + update. Integers wrap.
    STREW_ADD = 0,
    /// data - update. Integers wrap.
    STREW_SUB = 1,
    /// data * update. Integers wrap.
    STREW_MUL = 2,
    /// The smaller one; NaN if one of them is.
    STREW_MIN = 3,
    /// The larger one; NaN if one of them is.
    STREW_MAX = 4,
    /// The bits that both have. Integers only.
    STREW_AND = 5,
    /// The bits that one of them has. Integers only.
    STREW_OR = 6,
    /// The bits in which they differ. Integers only.
    STREW_XOR = 7,
}

/// Where the elements of a tensor lie: the element of coordinates c is number
/// `offset + c[0] * strides[0] + c[1] * strides[1] + ..` of its array.
///
/// All numbers count elements, not bytes. It is a plain value and may be written as one:
/// `{ .rank = 2, .sizes = { 256, 32 }, .strides = { 32, 1 } }`. Strides may be 0 (the tensor is
/// broadcast) and negative; those of a tensor that is written may not make it overlap itself.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct strew_layout {
    /// The number of dimensions, 0 to 8. What lies beyond in the other members means nothing.
    pub rank: usize,
    /// The size of each dimension.
    pub sizes: [usize; 8],
    /// The distance from one coordinate to the next, in elements.
    pub strides: [isize; 8],
    /// The place of the element whose coordinates are all 0.
    pub offset: usize,
}

/// A gather whose shapes are proven. Made by strew_gather_axis, strew_gather_elements or
/// strew_gather_nd; may be copied, and used by several threads at a time. Zeros are no plan.
#[repr(C)]
pub struct strew_gather {
    /// Private: do not use it.
    opaque: [usize; 99],
}

/// A scatter whose shapes are proven. Made by strew_scatter_axis, strew_scatter_elements or
/// strew_scatter_nd; may be copied, and used by several threads at a time. Zeros are no plan.
#[repr(C)]
pub struct strew_scatter {
    /// Private: do not use it.
    opaque: [usize; 99],
}

/// Why a function refused to work. strew_status says which members have a meaning.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct strew_error {
    /// A strew_status.
    pub status: u32,
    /// A strew_operand.
    pub operand: u32,
    /// A strew_operand.
    pub other: u32,
    /// Whether the index is below 0.
    pub negative: bool,
    /// The index without its sign.
    pub magnitude: u64,
    /// The dimension, counted from 0.
    pub dimension: usize,
    /// What would be right.
    pub expected: usize,
    /// What was there.
    pub found: usize,
    /// The entry of the indices, counted from 0.
    pub entry: usize,
    /// The coordinate of the tuple, counted from 0.
    pub coordinate: usize,
}

/// Why a call is refused.
#[derive(Clone, Copy)]
pub(crate) enum Refusal {
    /// By strew.
    Strew(Error),
    /// At the border: status, operand, other operand.
    Border(strew_status, strew_operand, strew_operand),
    /// A number that is none of an enumeration.
    Unknown(strew_status, u32),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal::Strew(error)
    }
}

impl strew_operand {
    fn of(operand: Operand) -> u32 {
        (match operand {
            Operand::Input => STREW_INPUT,
            Operand::Indices => STREW_INDICES,
            Operand::Updates => STREW_UPDATES,
            Operand::Data => STREW_DATA,
            Operand::Output => STREW_OUTPUT,
            _ => STREW_LAYOUT,
        }) as u32
    }
}

/// The inverse of [`strew_operand::of`].
fn operand(number: u32) -> Operand {
    match number {
        n if n == STREW_INPUT as u32 => Operand::Input,
        n if n == STREW_INDICES as u32 => Operand::Indices,
        n if n == STREW_UPDATES as u32 => Operand::Updates,
        n if n == STREW_DATA as u32 => Operand::Data,
        n if n == STREW_OUTPUT as u32 => Operand::Output,
        _ => Operand::Layout,
    }
}

fn operand_name(number: u32) -> &'static str {
    match number {
        n if n == STREW_INPUT as u32 => "input",
        n if n == STREW_INDICES as u32 => "indices",
        n if n == STREW_UPDATES as u32 => "updates",
        n if n == STREW_DATA as u32 => "data",
        n if n == STREW_OUTPUT as u32 => "output",
        n if n == STREW_PLAN as u32 => "plan",
        n if n == STREW_RESULT as u32 => "result",
        _ => "layout",
    }
}

impl Refusal {
    pub(crate) fn status(&self) -> strew_status {
        match *self {
            Refusal::Border(status, ..) | Refusal::Unknown(status, _) => status,
            Refusal::Strew(error) => match error {
                Error::RankTooLarge { .. } => STREW_RANK_TOO_LARGE,
                Error::AxisOutOfRange { .. } => STREW_AXIS_OUT_OF_RANGE,
                Error::BatchDimsOutOfRange { .. } => STREW_BATCH_DIMS_OUT_OF_RANGE,
                Error::RankMismatch { .. } => STREW_RANK_MISMATCH,
                Error::SizeMismatch { .. } => STREW_SIZE_MISMATCH,
                Error::TupleSizeOutOfRange { .. } => STREW_TUPLE_SIZE_OUT_OF_RANGE,
                Error::SizesOverflow { .. } => STREW_SIZES_OVERFLOW,
                Error::OffsetTooSmall { .. } => STREW_OFFSET_TOO_SMALL,
                Error::SliceTooShort { .. } => STREW_SLICE_TOO_SHORT,
                Error::OverlappingOutput { .. } => STREW_OVERLAPPING_OUTPUT,
                Error::IndexOutOfBounds { .. } => STREW_INDEX_OUT_OF_BOUNDS,
                _ => STREW_OTHER,
            },
        }
    }

    pub(crate) fn error(&self) -> strew_error {
        let mut filled = strew_error { status: self.status() as u32, ..strew_error::NONE };
        match *self {
            Refusal::Border(_, operand, other) => {
                (filled.operand, filled.other) = (operand as u32, other as u32);
            }
            Refusal::Unknown(_, found) => filled.found = found as usize,
            Refusal::Strew(error) => match error {
                Error::RankTooLarge { operand, expected, found }
                | Error::AxisOutOfRange { operand, expected, found }
                | Error::BatchDimsOutOfRange { operand, expected, found }
                | Error::RankMismatch { operand, expected, found }
                | Error::OffsetTooSmall { operand, expected, found }
                | Error::SliceTooShort { operand, expected, found } => {
                    filled.operand = strew_operand::of(operand);
                    (filled.expected, filled.found) = (expected, found);
                }
                Error::SizeMismatch { operand, dimension, expected, found }
                | Error::OverlappingOutput { operand, dimension, expected, found } => {
                    filled.operand = strew_operand::of(operand);
                    filled.dimension = dimension;
                    (filled.expected, filled.found) = (expected, found);
                }
                Error::TupleSizeOutOfRange { expected, found } => {
                    filled.operand = STREW_INDICES as u32;
                    (filled.expected, filled.found) = (expected, found);
                }
                Error::SizesOverflow { operand } => filled.operand = strew_operand::of(operand),
                Error::IndexOutOfBounds { entry, coordinate, value, size } => {
                    filled.operand = STREW_INDICES as u32;
                    (filled.entry, filled.coordinate) = (entry, coordinate);
                    filled.negative = value < 0;
                    filled.magnitude = value.unsigned_abs() as u64;
                    filled.expected = size;
                }
                _ => {}
            },
        }
        filled
    }
}

/// The wording of an error, in parts that follow each other.
pub(crate) enum Wording {
    Strew(Error),
    Border([&'static str; 4]),
}

impl strew_error {
    const NONE: strew_error = strew_error {
        status: 0,
        operand: 0,
        other: 0,
        negative: false,
        magnitude: 0,
        dimension: 0,
        expected: 0,
        found: 0,
        entry: 0,
        coordinate: 0,
    };

    pub(crate) fn wording(&self) -> Wording {
        let strew_error { dimension, expected, found, entry, coordinate, .. } = *self;
        let value = i128::from(self.magnitude);
        let value = if self.negative { -value } else { value };
        let named = operand_name(self.operand);
        let operand = operand(self.operand);
        let status = |status: strew_status| self.status == status as u32;
        Wording::Strew(if status(STREW_RANK_TOO_LARGE) {
            Error::RankTooLarge { operand, expected, found }
        } else if status(STREW_AXIS_OUT_OF_RANGE) {
            Error::AxisOutOfRange { operand, expected, found }
        } else if status(STREW_BATCH_DIMS_OUT_OF_RANGE) {
            Error::BatchDimsOutOfRange { operand, expected, found }
        } else if status(STREW_RANK_MISMATCH) {
            Error::RankMismatch { operand, expected, found }
        } else if status(STREW_SIZE_MISMATCH) {
            Error::SizeMismatch { operand, dimension, expected, found }
        } else if status(STREW_TUPLE_SIZE_OUT_OF_RANGE) {
            Error::TupleSizeOutOfRange { expected, found }
        } else if status(STREW_SIZES_OVERFLOW) {
            Error::SizesOverflow { operand }
        } else if status(STREW_OFFSET_TOO_SMALL) {
            Error::OffsetTooSmall { operand, expected, found }
        } else if status(STREW_SLICE_TOO_SHORT) {
            Error::SliceTooShort { operand, expected, found }
        } else if status(STREW_OVERLAPPING_OUTPUT) {
            Error::OverlappingOutput { operand, dimension, expected, found }
        } else if status(STREW_INDEX_OUT_OF_BOUNDS) {
            Error::IndexOutOfBounds { entry, coordinate, value, size: expected }
        } else {
            return Wording::Border(if status(STREW_OK) {
                ["no error", "", "", ""]
            } else if status(STREW_NULL_POINTER) {
                ["null pointer: ", named, "", ""]
            } else if status(STREW_MISALIGNED) {
                ["misaligned: ", named, " is not aligned for its type", ""]
            } else if status(STREW_LENGTH_OVERFLOW) {
                ["length overflow: ", named, " does not fit the address space", ""]
            } else if status(STREW_SHARED_MEMORY) {
                let other = operand_name(self.other);
                ["shared memory: ", named, " is written and overlaps ", other]
            } else if status(STREW_PLAN_NOT_MADE) {
                ["plan not made: no constructor has returned STREW_OK for it", "", "", ""]
            } else if status(STREW_UNKNOWN_BOUNDS) {
                ["unknown bounds", "", "", ""]
            } else if status(STREW_UNKNOWN_REDUCTION) {
                ["unknown reduction: this type does not have it", "", "", ""]
            } else {
                ["refused", "", "", ""]
            });
        })
    }
}

pub(crate) fn bounds(number: u32) -> Result<Bounds, Refusal> {
    match number {
        n if n == STREW_BOUNDS_ERROR as u32 => Ok(Bounds::Error),
        n if n == STREW_BOUNDS_CLAMP as u32 => Ok(Bounds::Clamp),
        n if n == STREW_BOUNDS_WRAP as u32 => Ok(Bounds::Wrap),
        n if n == STREW_BOUNDS_SKIP as u32 => Ok(Bounds::Skip),
        n => Err(Refusal::Unknown(STREW_UNKNOWN_BOUNDS, n)),
    }
}

impl strew_layout {
    /// The layout in strew. Errors speak of it as `operand`.
    pub(crate) fn get(&self, operand: Operand) -> Result<Layout, Refusal> {
        let too_large = Error::RankTooLarge { operand, expected: MAX_RANK, found: self.rank };
        let sizes = self.sizes.get(..self.rank).ok_or(too_large)?;
        let strides = self.strides.get(..self.rank).ok_or(too_large)?;
        Ok(Layout::from_parts(sizes, strides, self.offset)?)
    }

    pub(crate) fn of(layout: &Layout) -> strew_layout {
        let mut new = strew_layout {
            rank: layout.rank(),
            sizes: [0; MAX_RANK],
            strides: [0; MAX_RANK],
            offset: layout.offset(),
        };
        for (to, from) in new.sizes.iter_mut().zip(layout.sizes()) {
            *to = *from;
        }
        for (to, from) in new.strides.iter_mut().zip(layout.strides()) {
            *to = *from;
        }
        new
    }

    /// One more dimension at the inner end, and all strides times `scale`.
    pub(crate) fn extended(
        mut self,
        size: usize,
        stride: isize,
        scale: usize,
    ) -> Result<strew_layout, Refusal> {
        let overflow = Error::SizesOverflow { operand: Operand::Layout };
        let rank = self.rank;
        let too_large =
            Error::RankTooLarge { operand: Operand::Layout, expected: MAX_RANK - 1, found: rank };
        let factor = isize::try_from(scale).map_err(|_| overflow)?;
        for old in &mut self.strides.iter_mut().take(rank) {
            *old = old.checked_mul(factor).ok_or(overflow)?;
        }
        self.offset = self.offset.checked_mul(scale).ok_or(overflow)?;
        *self.sizes.get_mut(rank).ok_or(too_large)? = size;
        *self.strides.get_mut(rank).ok_or(too_large)? = stride;
        self.rank = rank + 1;
        Ok(self)
    }
}
