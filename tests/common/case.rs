//! One case: an operator, three tensors, and the values of the indices. Its `Debug` output is a
//! literal for a test.

use std::fmt;

use strew::{Bounds, Error, Gather, Layout, MAX_RANK, Negative, Rows, Scatter, Sequence};

/// `axis` or `elements` with the axis, `nd` with the number of batch dimensions, `axes` with the
/// first `count` of the axes, `sequence` with the number of places that it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Axis(usize),
    Elements(usize),
    Nd(usize),
    Axes { axes: [usize; MAX_RANK], count: usize },
    Sequence { axis: usize, written: usize, mode: Sequence },
}

impl Operator {
    /// Whether the last dimension of the indices has the coordinates of a tuple.
    pub fn has_tuples(self) -> bool {
        matches!(self, Operator::Nd(_) | Operator::Axes { .. })
    }

    /// The axis of the table that a coordinate of a tuple indexes.
    pub fn axis_of(self, coordinate: usize) -> usize {
        match self {
            Operator::Axis(axis) | Operator::Elements(axis) | Operator::Sequence { axis, .. } => {
                axis
            }
            Operator::Nd(batch_dims) => batch_dims + coordinate,
            Operator::Axes { axes, .. } => axes[coordinate],
        }
    }

    /// The number of positions that a coordinate of a tuple chooses from.
    pub fn positions(self, table: &Tensor, coordinate: usize) -> usize {
        let size = table.sizes[self.axis_of(coordinate)];
        match self {
            Operator::Sequence { written, mode: Sequence::Linear, .. } => size - written + 1,
            _ => size,
        }
    }
}

/// A layout, and the length of the slice that it lies in.
#[derive(Clone, PartialEq, Eq)]
pub struct Tensor {
    pub sizes: Vec<usize>,
    pub strides: Vec<isize>,
    pub offset: usize,
    pub len: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexType {
    U8,
    U16,
    U32,
    U64,
    Usize,
    I8,
    I16,
    I32,
    I64,
    Isize,
}

/// Table and flat tensor are a gather's input and output, or a scatter's data and updates.
#[derive(Clone, PartialEq, Eq)]
pub struct Case {
    pub operator: Operator,
    pub table: Tensor,
    pub indices: Tensor,
    pub flat: Tensor,
    pub bounds: Bounds,
    pub negative: Negative,
    pub index: IndexType,
    /// The slice of the indices, padding included. All values fit the index type.
    pub values: Vec<i128>,
    /// Decides the elements of all tensors.
    pub seed: u64,
}

impl Case {
    pub fn gather(&self) -> Result<Gather, Error> {
        let (input, indices, output) =
            (self.table.layout()?, self.indices.layout()?, self.flat.layout()?);
        let gather = match self.operator {
            Operator::Axis(axis) => Gather::axis(&input, &indices, &output, axis)?,
            Operator::Elements(axis) => Gather::elements(&input, &indices, &output, axis)?,
            Operator::Nd(batch_dims) => Gather::nd(&input, &indices, &output, batch_dims)?,
            Operator::Axes { axes, count } => {
                Gather::axes(&input, &indices, &output, &axes[..count])?
            }
            Operator::Sequence { .. } => unreachable!("a gather has no sequences"),
        };
        Ok(gather.bounds(self.bounds).negative(self.negative))
    }

    /// A gather, unless the case is one of a sequence, or its output overlaps.
    pub fn any_gather(&self) -> Option<Gather> {
        match self.operator {
            Operator::Sequence { .. } => None,
            _ => self.gather().ok(),
        }
    }

    /// If it moves rows of contiguous tensors.
    pub fn rows(&self) -> Option<Rows> {
        let all = [&self.table, &self.indices, &self.flat].into_iter().all(Tensor::is_contiguous);
        let (places, row) = self.table.sizes.split_first().filter(|_| all)?;
        let rows = Rows::new(*places, row.iter().product());
        let rows = rows.bounds(self.bounds).negative(self.negative);
        (self.operator == Operator::Axis(0)).then_some(rows)
    }

    /// The same indices on rows of contiguous tensors, if this moves rows along an axis of others.
    pub fn as_rows(&self) -> Option<Case> {
        let Operator::Axis(axis) = self.operator else { return None };
        let Tensor { sizes, strides, offset, .. } = &self.indices;
        let places = places(sizes, strides, *offset);
        let values: Vec<i128> = places.iter().map(|place| self.values[*place]).collect();
        let (count, row) = (values.len(), self.table.sizes[axis + 1..].iter().product());
        let [table, flat] = [self.table.sizes[axis], count].map(|n| Tensor::contiguous(&[n, row]));
        let indices = Tensor::contiguous(&[count]);
        let rows = Case { operator: Operator::Axis(0), table, indices, flat, values, ..*self };
        self.rows().is_none().then_some(rows)
    }

    pub fn scatter(&self) -> Result<Scatter, Error> {
        let (data, indices, updates) =
            (self.table.layout()?, self.indices.layout()?, self.flat.layout()?);
        let scatter = match self.operator {
            Operator::Axis(axis) => Scatter::axis(&data, &indices, &updates, axis)?,
            Operator::Elements(axis) => Scatter::elements(&data, &indices, &updates, axis)?,
            Operator::Nd(batch_dims) => Scatter::nd(&data, &indices, &updates, batch_dims)?,
            Operator::Axes { axes, count } => {
                Scatter::axes(&data, &indices, &updates, &axes[..count])?
            }
            Operator::Sequence { axis, mode, .. } => {
                Scatter::sequence(&data, &indices, &updates, axis, mode)?
            }
        };
        Ok(scatter.bounds(self.bounds).negative(self.negative))
    }

    /// The same case with indices of this type: values beyond it become its least or its greatest
    /// one.
    pub fn with_index(&self, index: IndexType) -> Case {
        let mut case = self.clone();
        case.values.iter_mut().for_each(|value| *value = (*value).clamp(index.min(), index.max()));
        case.index = index;
        case
    }

    /// The distance between the coordinates of a tuple.
    pub fn tuple_step(&self) -> isize {
        let last = self.indices.strides.last().copied().unwrap_or(0);
        if self.operator.has_tuples() { last } else { 0 }
    }

    /// The number of coordinates of a tuple.
    pub fn tuple_len(&self) -> usize {
        let last = self.indices.sizes.last().copied().unwrap_or(0);
        if self.operator.has_tuples() { last } else { 1 }
    }

    /// The index values as a slice of an index type that holds them.
    pub fn indices_as<I: TryFrom<i128>>(&self) -> Vec<I> {
        self.values
            .iter()
            .map(|&value| I::try_from(value).ok().expect("the value fits its type"))
            .collect()
    }
}

/// The places of a layout's elements in their slice, in row-major order. (Where there are none,
/// strides may be anything.)
pub fn places(sizes: &[usize], strides: &[isize], offset: usize) -> Vec<usize> {
    sizes.iter().zip(strides).fold(vec![offset], |places, (size, stride)| {
        let line = |place: usize| {
            (0..*size as isize).map(move |n| place.wrapping_add_signed(n.wrapping_mul(*stride)))
        };
        places.into_iter().flat_map(line).collect()
    })
}

impl Tensor {
    pub fn contiguous(sizes: &[usize]) -> Tensor {
        let stride = |d: usize| sizes[d + 1..].iter().product::<usize>() as isize;
        let strides = (0..sizes.len()).map(stride).collect();
        Tensor { sizes: sizes.to_vec(), strides, offset: 0, len: sizes.iter().product() }
    }

    /// Whether it is in row-major order, and all of its slice.
    pub fn is_contiguous(&self) -> bool {
        let all = self.sizes.iter().try_fold(1_usize, |all, size| all.checked_mul(*size));
        all == Some(self.len)
            && self.layout().is_ok()
            && self.layout() == Layout::from_sizes(&self.sizes)
    }

    pub fn layout(&self) -> Result<Layout, Error> {
        Layout::from_parts(&self.sizes, &self.strides, self.offset)
    }

    /// The position of an element in the slice.
    pub fn address(&self, coordinates: &[usize]) -> usize {
        let steps = coordinates.iter().zip(&self.strides).map(|(&c, stride)| c as isize * stride);
        self.offset.checked_add_signed(steps.sum()).expect("a layout stays inside its slice")
    }
}

impl IndexType {
    pub const ALL: [IndexType; 10] = [
        IndexType::I64,
        IndexType::I32,
        IndexType::U32,
        IndexType::U64,
        IndexType::U8,
        IndexType::U16,
        IndexType::Usize,
        IndexType::I8,
        IndexType::I16,
        IndexType::Isize,
    ];

    pub fn min(self) -> i128 {
        match self {
            IndexType::I8 => i8::MIN.into(),
            IndexType::I16 => i16::MIN.into(),
            IndexType::I32 => i32::MIN.into(),
            IndexType::I64 => i64::MIN.into(),
            IndexType::Isize => isize::MIN as i128,
            _ => 0,
        }
    }

    pub fn max(self) -> i128 {
        match self {
            IndexType::U8 => u8::MAX.into(),
            IndexType::U16 => u16::MAX.into(),
            IndexType::U32 => u32::MAX.into(),
            IndexType::U64 => u64::MAX.into(),
            IndexType::Usize => usize::MAX as i128,
            IndexType::I8 => i8::MAX.into(),
            IndexType::I16 => i16::MAX.into(),
            IndexType::I32 => i32::MAX.into(),
            IndexType::I64 => i64::MAX.into(),
            IndexType::Isize => isize::MAX as i128,
        }
    }
}

/// Calls `$body` with `$indices`, the index values of `$case` in their own type.
macro_rules! with_indices {
    ($case:expr, $indices:ident => $body:expr) => {
        with_indices!(@ $case, $indices => $body;
            U8 u8 U16 u16 U32 u32 U64 u64 Usize usize I8 i8 I16 i16 I32 i32 I64 i64 Isize isize)
    };
    (@ $case:expr, $indices:ident => $body:expr; $($variant:ident $index:ident)*) => {
        match $case.index {
            $($crate::common::case::IndexType::$variant => {
                let $indices = &$case.indices_as::<$index>()[..];
                $body
            })*
        }
    };
}
pub(crate) use with_indices;

/// For literals.
pub fn tensor(sizes: &[usize], strides: &[isize], offset: usize, len: usize) -> Tensor {
    Tensor { sizes: sizes.to_vec(), strides: strides.to_vec(), offset, len }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tensor { sizes, strides, offset, len } = self;
        write!(f, "tensor(&{sizes:?}, &{strides:?}, {offset}, {len})")
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { operator, table, indices, flat, bounds, negative, index, values, seed } = self;
        writeln!(
            f,
            "Case {{\n    operator: Operator::{operator:?},\n    table: {table:?},\n    \
             indices: {indices:?},\n    flat: {flat:?},"
        )?;
        writeln!(
            f,
            "    bounds: Bounds::{bounds:?},\n    negative: Negative::{negative:?},\n    \
             index: IndexType::{index:?},\n    values: vec!{values:?},\n    seed: {seed},\n}}"
        )
    }
}
