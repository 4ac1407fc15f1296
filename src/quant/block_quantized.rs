//! ONNX `com.microsoft.GatherBlockQuantized`.

use bytemuck::{Zeroable, must_cast};
use half::f16;
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
use strew_simd::{Block, convert};

use crate::each::each;
#[cfg(feature = "std")]
use crate::engine::movers::Tile;
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
use crate::engine::movers::Way;
use crate::error::{Direction, Error, Operand, tri};
use crate::index::{Bounds, Index};
use crate::layout::Layout;
use crate::map::Source;
use crate::plan::Plan;
use crate::proof::fits;
use crate::quant::floats::Float;
use crate::quant::numbers::{apart, f16_from_f32, f16_to_f32};
use crate::run;
use crate::shape::{self, Shape};

use sealed::Halves;

/// How quantised values lie in bytes.
///
/// ```
/// use strew::quant::Packing;
///
/// assert_eq!(Packing::U8 { bits: 2 }.bits(), 2);
/// assert_eq!(Packing::Int4.bits(), 4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Packing {
    /// ONNX `uint8`: values of 2, 4 or 8 bits, the first one in the lowest bits. The last dimension
    /// of the data counts bytes, and each row of zero points begins with a byte of its own. Without
    /// zero points they are half of the range: 2, 8 or 128.
    U8 {
        /// The bits of a value.
        bits: usize,
    },
    /// ONNX `int4`: -8 to 7, the first one in the low half of a byte, without gaps between rows.
    /// Without zero points they are 0.
    Int4,
    /// ONNX `uint4`: 0 to 15, packed as [`Int4`](Packing::Int4) is. Without zero points they are 0.
    Uint4,
    /// ONNX `float8e4m3fn`. This and the kinds below are floats, which have no zero points. A block
    /// may be the whole axis, and other axes may share their scales: see
    /// [`BlockQuantized::scales`].
    F8E4M3FN,
    /// ONNX `float8e4m3fnuz`.
    F8E4M3FNUZ,
    /// ONNX `float8e5m2`.
    F8E5M2,
    /// ONNX `float8e5m2fnuz`.
    F8E5M2FNUZ,
    /// ONNX `float4e2m1`, packed as [`Int4`](Packing::Int4) is.
    F4E2M1,
}

impl Packing {
    /// The bits of a value.
    #[must_use]
    pub const fn bits(self) -> usize {
        match self {
            Packing::U8 { bits } => bits,
            Packing::Int4 | Packing::Uint4 | Packing::F4E2M1 => 4,
            _ => 8,
        }
    }

    /// The format of floats.
    const fn float(self) -> Option<Float> {
        match self {
            Packing::U8 { .. } | Packing::Int4 | Packing::Uint4 => None,
            Packing::F8E4M3FN => Some(Float::E4M3FN),
            Packing::F8E4M3FNUZ => Some(Float::E4M3FNUZ),
            Packing::F8E5M2 => Some(Float::E5M2),
            Packing::F8E5M2FNUZ => Some(Float::E5M2FNUZ),
            Packing::F4E2M1 => Some(Float::E2M1),
        }
    }

    const fn is_u8(self) -> bool {
        matches!(self, Packing::U8 { .. })
    }

    const fn is_float(self) -> bool {
        self.float().is_some()
    }
}

/// The attributes of the operator but for `bits`, which [`Packing`] has.
///
/// ```
/// use strew::quant::Attributes;
///
/// let attributes = Attributes { block_size: 32, ..Attributes::DEFAULT };
/// assert_eq!((attributes.gather_axis, attributes.quantize_axis), (0, 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Attributes {
    /// The axis that indices select from; below 0 it counts from the end.
    pub gather_axis: isize,
    /// The axis along which `block_size` neighbours share a scale; below 0 it counts from the end.
    pub quantize_axis: isize,
    /// A power of two, at least 16. For floats also 0: one block, the whole axis.
    pub block_size: usize,
}

impl Attributes {
    /// ONNX's defaults: axes 0 and 1, blocks of 128.
    pub const DEFAULT: Attributes =
        Attributes { gather_axis: 0, quantize_axis: 1, block_size: 128 };
}

impl Default for Attributes {
    fn default() -> Self {
        Attributes::DEFAULT
    }
}

/// The types of scales, and of what is gathered: `f32` and `f16`. This trait is sealed.
///
/// ```
/// fn is_a_scale<S: strew::quant::Scale>() {}
/// is_a_scale::<f32>();
/// is_a_scale::<half::f16>();
/// ```
pub trait Scale: sealed::Sealed {}

mod sealed {
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    pub use strew_simd::Halves;

    /// There are no instructions for them.
    #[cfg(not(all(feature = "simd", target_arch = "x86_64")))]
    #[derive(Clone, Copy)]
    pub enum Halves {}

    #[cfg(not(all(feature = "simd", target_arch = "x86_64")))]
    impl Halves {
        pub fn widen(self, _: [u16; 8]) -> [f32; 8] {
            match self {}
        }
        pub fn narrow(self, _: [f32; 8]) -> [u16; 8] {
            match self {}
        }
    }

    pub trait Sealed: crate::element::Element {
        /// Whether instructions convert it.
        #[cfg(all(feature = "simd", target_arch = "x86_64"))]
        const IS_HALF: bool;

        fn to_f32(scale: Self) -> f32;
        /// At most 8 of them, in `buffer` if that is needed.
        fn to_f32s<'a>(
            scales: &'a [Self],
            halves: Option<Halves>,
            buffer: &'a mut [f32; 8],
        ) -> &'a [f32];
        fn from_f32(value: f32) -> Self;
        fn from_f32s(values: [f32; 8], halves: Option<Halves>) -> [Self; 8];
    }
}

impl Scale for f32 {}
impl sealed::Sealed for f32 {
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    const IS_HALF: bool = false;

    #[inline(always)]
    fn to_f32(scale: f32) -> f32 {
        scale
    }
    #[inline(always)]
    fn to_f32s<'a>(scales: &'a [f32], _: Option<Halves>, _: &'a mut [f32; 8]) -> &'a [f32] {
        scales
    }
    #[inline(always)]
    fn from_f32(value: f32) -> f32 {
        value
    }
    #[inline(always)]
    fn from_f32s(values: [f32; 8], _: Option<Halves>) -> [f32; 8] {
        values
    }
}

impl Scale for f16 {}
impl sealed::Sealed for f16 {
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    const IS_HALF: bool = true;

    #[inline(always)]
    fn to_f32(scale: f16) -> f32 {
        f16_to_f32(scale)
    }
    #[inline(always)]
    fn to_f32s<'a>(
        scales: &'a [f16],
        halves: Option<Halves>,
        buffer: &'a mut [f32; 8],
    ) -> &'a [f32] {
        let eight: [f16; 8] = first_eight(scales);
        *buffer = match halves {
            Some(halves) => halves.widen(must_cast(eight)),
            None => each(eight, f16_to_f32),
        };
        buffer.get(..scales.len()).unwrap_or_default()
    }
    #[inline(always)]
    fn from_f32(value: f32) -> f16 {
        f16_from_f32(value)
    }
    #[inline(always)]
    fn from_f32s(values: [f32; 8], halves: Option<Halves>) -> [f16; 8] {
        match halves {
            Some(halves) => must_cast(halves.narrow(values)),
            None => each(values, f16_from_f32),
        }
    }
}

/// A gather from a table of 2, 4 or 8 bits with block-wise scales: ONNX
/// `com.microsoft.GatherBlockQuantized`, to the bit.
///
/// ```text
/// output[p.., i.., s..] = (q - zero) * scale, q = data[p.., indices[i..], s..]
/// ```
///
/// Of floats it is `q * scale`.
///
/// The gather is [`Gather::axis`](crate::Gather::axis) along `gather_axis`. Scales have the sizes
/// of the data, divided by `block_size` (0: by all of them) and rounded up on `quantize_axis`; so
/// have zero points. The difference is computed in integers, the product in `f32`, and rounded to
/// the type of the scales.
///
/// Data, scales and zero points are contiguous, packed as [`Packing`] says; indices and output may
/// have any strides. An index out of bounds is an error, or what the policy makes of it:
/// ONNX Runtime writes zeros there, as does [`Bounds::Skip`] into zeros.
///
/// ```
/// use strew::Layout;
/// use strew::quant::{Attributes, BlockQuantized, Packing};
///
/// // 2 rows of 32 values of 4 bits. 16 share a scale; zero points are 8.
/// let attributes = Attributes { block_size: 16, ..Attributes::DEFAULT };
/// let ids = Layout::contiguous([1]);
/// let rows = Layout::contiguous([1, 32]);
/// let bits = Packing::U8 { bits: 4 };
/// let gather = BlockQuantized::new(bits, &attributes, &[2, 16], &ids, &rows)?;
/// let data = [[0x98; 16], [0x7a; 16]];
/// let mut output = [0.0_f32; 32];
/// let scales = [1.0, 2.0, 10.0, 20.0];
/// gather.run(data.as_flattened(), &scales, None, &[1], &mut output)?;
/// assert_eq!(output[..2], [20.0, -10.0]);
/// assert_eq!(output[16..18], [40.0, -20.0]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "GatherBlockQuantized")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockQuantized {
    plan: Plan,
    packing: Packing,
    block_size: usize,
    /// The size of the axis of the blocks, and the number of elements of a step of it.
    size: usize,
    step: usize,
    /// The number of blocks of the axis.
    blocks: usize,
    /// Sizes of the scales, but those of the data where an axis shares them: there the stride is 0.
    of_scales: Layout,
    quantize_axis: usize,
    /// Whether an axis does.
    shared: bool,
    /// The lengths that slices need.
    data: usize,
    scales: usize,
    zero_points: usize,
}

/// What the attributes say about sizes.
struct Sizes {
    /// The layout of the table, in values rather than bytes.
    logical: Layout,
    gather_axis: usize,
    quantize_axis: usize,
}

impl Sizes {
    const fn of(packing: Packing, attributes: &Attributes, data: &[usize]) -> Result<Sizes, Error> {
        let bits = packing.bits();
        if !matches!(bits, 2 | 4 | 8) {
            return Err(Error::BitsNotSupported { found: bits });
        }
        let (block_size, is_whole) =
            (attributes.block_size, packing.is_float() && attributes.block_size == 0);
        if !is_whole && (block_size < 16 || !block_size.is_power_of_two()) {
            return Err(Error::BlockSizeNotSupported { found: block_size });
        }
        let stored = tri!(Layout::from_sizes(data));
        let rank = stored.rank();
        if rank < 2 {
            return Err(Error::RankMismatch { operand: Operand::Input, expected: 2, found: rank });
        }
        let gather_axis = tri!(axis(attributes.gather_axis, rank));
        let quantize_axis = tri!(axis(attributes.quantize_axis, rank));
        if packing.is_u8() {
            if gather_axis != 0 {
                return Err(Error::AxisNotSupported { expected: 0, found: gather_axis });
            }
            if quantize_axis != rank - 1 {
                return Err(Error::AxisNotSupported { expected: rank - 1, found: quantize_axis });
            }
        }
        let mut logical = Layout::contiguous([]);
        let mut d = 0;
        while d < rank {
            let size = if packing.is_u8() && d == rank - 1 {
                // The bits have been looked at: the compiler does not see that they are not 0.
                let per_byte = match 8_usize.checked_div(bits) {
                    Some(per_byte) => per_byte,
                    None => 0,
                };
                stored.size(d).saturating_mul(per_byte)
            } else {
                stored.size(d)
            };
            logical.push(size, 0);
            d += 1;
        }
        Ok(Sizes { logical: Layout::packed(logical.sizes()), gather_axis, quantize_axis })
    }
}

/// An axis that may be counted from the end.
const fn axis(axis: isize, rank: usize) -> Result<usize, Error> {
    let place = if axis < 0 { rank.wrapping_add_signed(axis) } else { axis as usize };
    if place >= rank {
        let found = axis.unsigned_abs();
        return Err(Error::AxisOutOfRange { operand: Operand::Input, expected: rank, found });
    }
    Ok(place)
}

/// The product of the sizes of these dimensions.
const fn product(sizes: &Layout, first: usize, end: usize) -> Result<usize, Error> {
    let (mut product, mut d) = (1_usize, first);
    while d < end {
        product = match product.checked_mul(sizes.size(d)) {
            Some(product) => product,
            None => return Err(Error::SizesOverflow { operand: Operand::Input }),
        };
        d += 1;
    }
    Ok(product)
}

impl BlockQuantized {
    /// A gather from data of these sizes: those that ONNX gives the tensor, in bytes along the last
    /// dimension for [`Packing::U8`], in values otherwise. [`sizes`](BlockQuantized::sizes) has
    /// those of the output.
    ///
    /// # Errors
    /// [`Error::BitsNotSupported`], [`Error::BlockSizeNotSupported`], [`Error::AxisOutOfRange`];
    /// [`Error::AxisNotSupported`]: `U8` is gathered along axis 0, with blocks along the last;
    /// [`Error::RankMismatch`] (the data has at least 2 dimensions), and those of
    /// [`Gather::axis`](crate::Gather::axis).
    ///
    /// ```
    /// use strew::quant::{Attributes, BlockQuantized, Packing};
    /// use strew::{Error, Layout};
    ///
    /// let new = |packing, attributes: &Attributes| {
    ///     let ids = Layout::contiguous([3]);
    ///     let rows = Layout::contiguous([3, 128]);
    ///     BlockQuantized::new(packing, attributes, &[10, 128], &ids, &rows)
    /// };
    /// let attributes = Attributes::DEFAULT;
    /// assert!(new(Packing::Int4, &attributes).is_ok());
    /// let bits = Packing::U8 { bits: 3 };
    /// assert_eq!(
    ///     new(bits, &attributes),
    ///     Err(Error::BitsNotSupported { found: 3 })
    /// );
    /// let attributes = Attributes { block_size: 24, ..attributes };
    /// let error = Error::BlockSizeNotSupported { found: 24 };
    /// assert_eq!(new(Packing::Int4, &attributes), Err(error));
    /// ```
    pub const fn new(
        packing: Packing,
        attributes: &Attributes,
        data: &[usize],
        indices: &Layout,
        output: &Layout,
    ) -> Result<BlockQuantized, Error> {
        let Sizes { logical, gather_axis, quantize_axis } =
            tri!(Sizes::of(packing, attributes, data));
        let mut plan = Plan::NOTHING;
        tri!(plan.axis(&logical, indices, output, gather_axis, Direction::Gather));
        let rank = logical.rank();
        let size = logical.size(quantize_axis);
        let step = tri!(product(&logical, quantize_axis + 1, rank));
        let before = tri!(product(&logical, 0, quantize_axis));
        // The whole axis is a block of a power of two as well.
        let block_size = match (attributes.block_size, size.checked_next_power_of_two()) {
            (0, Some(size)) if size > 16 => size,
            (0, _) => 16,
            (block_size, _) => block_size,
        };
        // It is not 0: the compiler does not see it.
        let blocks = if block_size == 0 { 0 } else { size.div_ceil(block_size) };
        let rows = before.saturating_mul(step);
        let scales = rows.saturating_mul(blocks);
        let per_byte = match packing.bits() {
            2 => 4,
            4 => 2,
            _ => 1,
        };
        let data = plan.lengths.table.div_ceil(per_byte);
        let zero_points = if packing.is_float() {
            0
        } else if packing.is_u8() {
            rows.saturating_mul(blocks.div_ceil(per_byte))
        } else {
            scales.div_ceil(per_byte)
        };
        let (mut of_scales, mut d) = (Layout::contiguous([]), 0);
        while d < rank {
            of_scales.push(if d == quantize_axis { blocks } else { logical.size(d) }, 0);
            d += 1;
        }
        Ok(BlockQuantized {
            plan,
            packing,
            block_size,
            size,
            step,
            blocks,
            of_scales: Layout::packed(of_scales.sizes()),
            quantize_axis,
            shared: false,
            data,
            scales,
            zero_points,
        })
    }

    /// The sizes of the output.
    ///
    /// # Errors
    /// Those of [`new`](BlockQuantized::new) for data and indices.
    ///
    /// ```
    /// use strew::quant::{Attributes, BlockQuantized, Packing};
    ///
    /// let (packing, attributes) =
    ///     (Packing::U8 { bits: 4 }, Attributes::DEFAULT);
    /// let sizes =
    ///     BlockQuantized::sizes(packing, &attributes, &[1000, 64], &[2, 3])?;
    /// assert_eq!(*sizes, [2, 3, 128]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn sizes(
        packing: Packing,
        attributes: &Attributes,
        data: &[usize],
        indices: &[usize],
    ) -> Result<Shape, Error> {
        let Sizes { logical, gather_axis, .. } = Sizes::of(packing, attributes, data)?;
        shape::axis(logical.sizes(), indices, gather_axis)
    }

    /// The same gather with another policy for indices out of bounds; [`Bounds::Error`] if none is
    /// set.
    ///
    /// ```
    /// use strew::quant::{Attributes, BlockQuantized, Packing};
    /// use strew::{Bounds, Layout};
    ///
    /// let ids = Layout::contiguous([1]);
    /// let rows = Layout::contiguous([1, 2]);
    /// let gather = BlockQuantized::new(
    ///     Packing::Int4,
    ///     &Attributes::DEFAULT,
    ///     &[3, 2],
    ///     &ids,
    ///     &rows,
    /// )?;
    /// let mut output = [0.0_f32; 2];
    /// let skip = gather.bounds(Bounds::Skip);
    /// skip.run(&[0x11; 3], &[1.0; 3], None, &[7], &mut output)?;
    /// assert_eq!(output, [0.0; 2]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn bounds(mut self, bounds: Bounds) -> BlockQuantized {
        self.plan.set_bounds(bounds);
        self
    }

    /// The same gather from floats, with scales of these sizes: 1 where an axis other than that of
    /// the blocks shares its scales. The others are those that scales have anyway.
    ///
    /// # Errors
    /// [`Error::RankMismatch`] and [`Error::SizeMismatch`]. Other values than floats share nothing.
    ///
    /// ```
    /// use strew::Layout;
    /// use strew::quant::{Attributes, BlockQuantized, Packing};
    ///
    /// // One scale for a table of 2 rows.
    /// let attributes = Attributes { block_size: 0, ..Attributes::DEFAULT };
    /// let ids = Layout::contiguous([1]);
    /// let rows = Layout::contiguous([1, 3]);
    /// let packing = Packing::F8E4M3FN;
    /// let gather =
    ///     BlockQuantized::new(packing, &attributes, &[2, 3], &ids, &rows)?;
    /// let gather = gather.scales(&[1, 1])?;
    /// let mut output = [0.0_f32; 3];
    /// let data = [0, 0, 0, 0x38, 0x40, 0xc4];
    /// gather.run(&data, &[0.5], None, &[1], &mut output)?;
    /// assert_eq!(output, [0.5, 1.0, -1.5]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub const fn scales(mut self, sizes: &[usize]) -> Result<BlockQuantized, Error> {
        let (operand, expected) = (Operand::Scales, self.of_scales.rank());
        if sizes.len() != expected {
            return Err(Error::RankMismatch { operand, expected, found: sizes.len() });
        }
        let (given, mut of_scales) = (Layout::packed(sizes), Layout::contiguous([]));
        let (mut dimension, mut shared) = (0, false);
        while dimension < expected {
            let (expected, found) = (self.of_scales.size(dimension), given.size(dimension));
            let shares = found != expected;
            let may = found == 1 && dimension != self.quantize_axis && self.packing.is_float();
            if shares && !may {
                return Err(Error::SizeMismatch { operand, dimension, expected, found });
            }
            shared |= shares;
            of_scales.push(expected, if shares { 0 } else { given.stride(dimension) });
            dimension += 1;
        }
        (self.of_scales, self.shared) = (of_scales, shared);
        self.scales = tri!(product(&given, 0, expected));
        Ok(self)
    }

    /// The place of a scale that other axes share: once a row, so compiled once for all types.
    #[inline(never)]
    fn shared_scale(&self, mut row: usize, block: usize, mut z: usize) -> usize {
        let (mut place, mut d) = (0_usize, self.of_scales.rank());
        while d > 0 {
            d -= 1;
            let (size, stride) = (self.of_scales.size(d), self.of_scales.stride(d) as usize);
            let rest = if d > self.quantize_axis { &mut z } else { &mut row };
            let at = if d == self.quantize_axis {
                block
            } else {
                let left = rest.checked_div(size).unwrap_or(0);
                core::mem::replace(rest, left).wrapping_sub(left.wrapping_mul(size))
            };
            place = place.wrapping_add(at.wrapping_mul(stride));
        }
        place
    }

    /// Gathers in one pass over the indices.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`] in bytes for data and zero points, [`Error::SizeMismatch`] for zero
    /// points of floats, and those of [`Gather::run`](crate::Gather::run), with what it says about
    /// the output.
    ///
    /// ```
    /// use strew::quant::{Attributes, BlockQuantized, Packing};
    /// use strew::{Error, Layout, Operand};
    ///
    /// let ids = Layout::contiguous([1]);
    /// let rows = Layout::contiguous([1, 2]);
    /// let gather = BlockQuantized::new(
    ///     Packing::Int4,
    ///     &Attributes::DEFAULT,
    ///     &[3, 2],
    ///     &ids,
    ///     &rows,
    /// )?;
    /// let mut output = [0.0_f32; 2];
    /// let zeros = Some(&[0x11, 0x01][..]);
    /// gather.run(&[0x21, 0x43, 0xf5], &[0.5; 3], zeros, &[-1], &mut output)?;
    /// assert_eq!(output, [2.0, -1.0]);
    /// let error = gather.run(&[0x21; 3], &[0.5; 2], None, &[-1], &mut output);
    /// let operand = Operand::Scales;
    /// assert_eq!(
    ///     error,
    ///     Err(Error::SliceTooShort { operand, expected: 3, found: 2 })
    /// );
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn run<S: Scale, I: Index>(
        &self,
        data: &[u8],
        scales: &[S],
        zero_points: Option<&[u8]>,
        indices: &[I],
        output: &mut [S],
    ) -> Result<(), Error> {
        let table = self.table(data, scales, zero_points, indices)?;
        let (plan, table) = (&self.plan, &table);
        match (self.packing.bits(), self.packing.is_float()) {
            (2, _) => run::read(plan, Quantised::<S, 2, false>(table), indices, output),
            (4, false) => run::read(plan, Quantised::<S, 4, false>(table), indices, output),
            (4, true) => run::read(plan, Quantised::<S, 4, true>(table), indices, output),
            (_, false) => run::read(plan, Quantised::<S, 8, false>(table), indices, output),
            (_, true) => run::read(plan, Quantised::<S, 8, true>(table), indices, output),
        }
    }

    /// Gathers as [`run`](BlockQuantized::run) does, to the bit, with the threads of the rayon pool
    /// that it is called in. Small calls run on the caller's thread.
    ///
    /// # Errors
    /// Those of [`run`](BlockQuantized::run), and what [`Gather::par_run`](crate::Gather::par_run)
    /// says about the output.
    ///
    /// ```
    /// use strew::Layout;
    /// use strew::quant::{Attributes, BlockQuantized, Packing};
    ///
    /// let ids = Layout::contiguous([1]);
    /// let rows = Layout::contiguous([1, 2]);
    /// let gather = BlockQuantized::new(
    ///     Packing::Int4,
    ///     &Attributes::DEFAULT,
    ///     &[3, 2],
    ///     &ids,
    ///     &rows,
    /// )?;
    /// let mut output = [0.0_f32; 2];
    /// gather.par_run(&[0x21, 0x43, 0xf5], &[0.5; 3], None, &[1_u8], &mut output)?;
    /// assert_eq!(output, [1.5, 2.0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run<S: Scale, I: Index>(
        &self,
        data: &[u8],
        scales: &[S],
        zero_points: Option<&[u8]>,
        indices: &[I],
        output: &mut [S],
    ) -> Result<(), Error> {
        let table = self.table(data, scales, zero_points, indices)?;
        let (plan, table) = (&self.plan, &table);
        match (self.packing.bits(), self.packing.is_float()) {
            (2, _) => run::par_read(plan, Quantised::<S, 2, false>(table), indices, false, output),
            (4, false) => {
                run::par_read(plan, Quantised::<S, 4, false>(table), indices, false, output)
            }
            (4, true) => {
                run::par_read(plan, Quantised::<S, 4, true>(table), indices, false, output)
            }
            (_, false) => {
                run::par_read(plan, Quantised::<S, 8, false>(table), indices, false, output)
            }
            (_, true) => {
                run::par_read(plan, Quantised::<S, 8, true>(table), indices, false, output)
            }
        }
    }

    /// The table, if its slices are long enough.
    fn table<'a, S, I>(
        &'a self,
        data: &'a [u8],
        scales: &'a [S],
        zero_points: Option<&'a [u8]>,
        indices: &[I],
    ) -> Result<Table<'a, S>, Error> {
        fits(Operand::Indices, self.plan.lengths.indices, indices.len())?;
        fits(Operand::Input, self.data, data.len())?;
        fits(Operand::Scales, self.scales, scales.len())?;
        if let Some(zero_points) = zero_points {
            let (found, operand) = (zero_points.len(), Operand::ZeroPoints);
            if found > 0 && self.packing.is_float() {
                return Err(Error::SizeMismatch { operand, dimension: 0, expected: 0, found });
            }
            fits(operand, self.zero_points, found)?;
        }
        Ok(Table { gather: self, data, scales, zero_points })
    }
}

/// The slices of a call.
struct Table<'a, S> {
    gather: &'a BlockQuantized,
    data: &'a [u8],
    scales: &'a [S],
    zero_points: Option<&'a [u8]>,
}

/// The same, of values of `BITS` bits, integers or floats.
#[derive(Clone, Copy)]
struct Quantised<'a, S, const BITS: usize, const FLOATS: bool>(&'a Table<'a, S>);

/// The bytes that are shifted or made unsigned at a time. Firmware has little stack.
const CHUNK: usize = if cfg!(feature = "std") { 256 } else { 64 };

impl<S: Scale, const BITS: usize, const FLOATS: bool> Quantised<'_, S, BITS, FLOATS> {
    const PER_BYTE: usize = 8 / BITS;
    const MASK: i32 = (1 << BITS) - 1;

    /// What values and zero points are combined with by exclusive or, so that those below 0 come
    /// before the others: differences of them are those of signed numbers.
    #[inline(always)]
    fn sign(self) -> i32 {
        if matches!(self.0.gather.packing, Packing::Int4) { 8 } else { 0 }
    }

    /// The value at a place.
    #[inline(always)]
    fn value(self, place: usize) -> i32 {
        let byte = self.0.data.get(place / Self::PER_BYTE).copied().unwrap_or(0);
        (i32::from(byte >> (place % Self::PER_BYTE * BITS)) & Self::MASK) ^ self.sign()
    }

    /// The format of floats; what integers have means nothing.
    #[inline(always)]
    fn float(self) -> Float {
        match self.0.gather.packing.float() {
            Some(float) if FLOATS && BITS == 8 => float,
            // One format has 4 bits, and as a constant it costs less. Record: rows of 4096 from L2
            // on Emerald Rapids, 0.55x.
            _ => Float::E2M1,
        }
    }

    /// What becomes of a value.
    #[inline(always)]
    fn scaled(float: Float, q: i32, zero: i32, scale: f32) -> f32 {
        (if FLOATS { float.value(q as u32) } else { (q - zero) as f32 }) * scale
    }

    /// The place of a scale: of a row of the axis of the blocks, a block, and a step of it.
    #[inline(always)]
    fn scale(self, row: usize, block: usize, z: usize) -> usize {
        let gather = self.0.gather;
        if FLOATS && gather.shared {
            return gather.shared_scale(row, block, z);
        }
        row.wrapping_mul(gather.blocks)
            .wrapping_add(block)
            .wrapping_mul(gather.step)
            .wrapping_add(z)
    }

    /// 8 zero points, from a place on.
    #[inline(always)]
    fn zeros(self, place: usize) -> [i32; 8] {
        if FLOATS {
            return [0; 8];
        }
        let sign = self.sign();
        let packed = match (self.0.zero_points, self.0.gather.packing) {
            (None, Packing::U8 { .. }) => return [const { 1 << (BITS - 1) }; 8],
            (None, _) => return [sign; 8],
            (Some(zeros), _) => {
                let bytes = zeros.get(place / Self::PER_BYTE..).unwrap_or_default();
                u64::from_le_bytes(first_eight(bytes)) >> (place % Self::PER_BYTE * BITS)
            }
        };
        let mut zeros = [0; 8];
        for (at, zero) in zeros.iter_mut().enumerate() {
            *zero = ((packed >> (at * BITS)) as i32 & Self::MASK) ^ sign;
        }
        zeros
    }

    /// The bytes that begin with the value at a place, combined with the sign, and the number of
    /// neighbours to take from them: `n`, or what the buffer holds. Of fewer than 16 they are not
    /// needed.
    #[inline(always)]
    fn packed<'b>(
        &'b self,
        place: usize,
        n: usize,
        buffer: &'b mut [u8; CHUNK],
    ) -> (&'b [u8], usize) {
        let (from, past) = (place / Self::PER_BYTE, place % Self::PER_BYTE * BITS);
        let bytes = self.0.data.get(from..).unwrap_or_default();
        let sign = self.sign() as u8 * 0x11;
        if BITS == 8 || n < 16 || past == 0 && sign == 0 {
            return (bytes, n);
        }
        let bytes = bytes.get(..n / Self::PER_BYTE + 1).unwrap_or(bytes);
        if past == 0 {
            for (to, byte) in buffer.iter_mut().zip(bytes) {
                *to = byte ^ sign;
            }
        } else {
            let pairs = bytes.iter().zip(bytes.get(1..).unwrap_or_default());
            for (to, (low, high)) in buffer.iter_mut().zip(pairs) {
                *to = (low >> past | high << (8 - past)) ^ sign;
            }
        }
        (buffer, n.min(CHUNK * Self::PER_BYTE))
    }

    /// Neighbours of a row, from place `y` in it on.
    #[inline(always)]
    fn row(
        self,
        row: usize,
        mut y: usize,
        mut place: usize,
        mut to: &mut [S],
        halves: Option<Halves>,
    ) {
        let BlockQuantized { block_size, blocks, packing, .. } = *self.0.gather;
        let Some(shift) = block_size.checked_ilog2() else { return };
        let scales = self.0.scales.get(self.scale(row, 0, 0)..).unwrap_or_default();
        // Each row has bytes of zero points of its own, or they follow each other.
        let step = if packing.is_u8() { Self::PER_BYTE } else { 1 };
        let zeros = blocks.div_ceil(step).wrapping_mul(row).wrapping_mul(step);
        // The compiler does not know its value: else it would leave it out where a shift alone
        // gives the highest value of a word, and the steps of a vector would differ.
        let mask = (1 << packing.bits()) - 1;
        let float = self.float();
        let mut buffer = [0; CHUNK];
        while !to.is_empty() {
            // A part of a block, or whole ones.
            let (block, past) = (y >> shift, y & (block_size - 1));
            let n = to.len().min(block_size - past);
            let n = if n == block_size { to.len() & !(block_size - 1) } else { n };
            let (bytes, n) = self.packed(place, n, &mut buffer);
            let Some((now, after)) = to.split_at_mut_checked(n) else { return };
            let (mut now, rest) = now.as_chunks_mut::<16>();
            let mut units = bytes.as_chunks::<BITS>().0.as_chunks::<2>().0;
            let units_of_block = n.min(block_size) / 16;
            let end = block.wrapping_add(n.wrapping_add(block_size - 1) >> shift);
            let scales = scales.get(block..end).unwrap_or_default();
            let mut zero = zeros.wrapping_add(block);
            for scales in scales.chunks(8) {
                let mut buffer = [0.0; 8];
                let scales = S::to_f32s(scales, halves, &mut buffer);
                let zeros = self.zeros(zero);
                for (scale, zero) in scales.iter().zip(&zeros) {
                    let (Some((to, more)), Some((unit, later))) = (
                        now.split_at_mut_checked(units_of_block),
                        units.split_at_checked(units_of_block),
                    ) else {
                        return;
                    };
                    let (scale, zero) = (*scale, *zero);
                    for (to, unit) in to.iter_mut().zip(unit) {
                        apart();
                        for (half, to) in to.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                            let values = each(eight(unit, half, mask), |q| {
                                Self::scaled(float, q, zero, scale)
                            });
                            *to = S::from_f32s(values, halves);
                        }
                    }
                    (now, units) = (more, later);
                }
                zero = zero.wrapping_add(8);
            }
            if let (Some(scale), [_, ..]) = (scales.first(), &rest) {
                let start = place.wrapping_add(n - rest.len());
                let (scale, [zero, ..]) =
                    (S::to_f32(*scale), self.zeros(zeros.wrapping_add(block)));
                for (at, to) in rest.iter_mut().enumerate() {
                    let q = self.value(start.wrapping_add(at));
                    *to = S::from_f32(Self::scaled(float, q, zero, scale));
                }
            }
            (y, place, to) = (y.wrapping_add(n), place.wrapping_add(n), after);
        }
    }

    /// What lies in rows of the axis of the blocks, from a place on.
    #[inline(always)]
    fn read_by(self, halves: Option<Halves>, place: usize, to: &mut [S]) {
        let BlockQuantized { plan, block_size, size, step, shared, .. } = self.0.gather;
        if plan.lengths.table.checked_sub(to.len()).is_none_or(|last| place > last) {
            return;
        }
        // All of them are at least 1 where there is an element, and the size of a block is a power
        // of two.
        let along = if *step == 1 { Some(place) } else { place.checked_div(*step) };
        let (Some(along), Some(shift)) = (along, block_size.checked_ilog2()) else { return };
        let Some(row) = along.checked_div(*size) else { return };
        let (mut row, mut y) = (row, along.wrapping_sub(row.wrapping_mul(*size)));
        let mut z = place.wrapping_sub(along.wrapping_mul(*step));
        let (mut place, mut rest) = (place, to);
        while !rest.is_empty() {
            // Blocks of neighbours to the end of a row; or each of a step has its own scale.
            let length = if *step == 1 { size.wrapping_sub(y) } else { step.wrapping_sub(z) };
            let Some((to, more)) = rest.split_at_mut_checked(length.min(rest.len())) else {
                return;
            };
            let length = to.len();
            if *step == 1 {
                self.row(row, y, place, to, halves);
                y = y.wrapping_add(length);
            } else {
                let (block, float) = (y >> shift, self.float());
                let first = self.scale(row, block, z);
                let scales = self.0.scales.get(first..).unwrap_or_default();
                let put = |at: usize, to: &mut S, scale: S| {
                    let [zero, ..] = self.zeros(first.wrapping_add(at));
                    let q = self.value(place.wrapping_add(at));
                    *to = S::from_f32(Self::scaled(float, q, zero, S::to_f32(scale)));
                };
                if FLOATS && *shared {
                    for (at, to) in to.iter_mut().enumerate() {
                        let scale = self.scale(row, block, z.wrapping_add(at));
                        let Some(scale) = self.0.scales.get(scale) else { return };
                        put(at, to, *scale);
                    }
                } else {
                    for (at, (to, scale)) in to.iter_mut().zip(scales).enumerate() {
                        put(at, to, *scale);
                    }
                }
                (z, y) = (0, y.wrapping_add(1));
            }
            if y >= *size {
                (y, row) = (0, row.wrapping_add(1));
            }
            place = place.wrapping_add(length);
            rest = more;
        }
    }
}

/// The first 8 values, and zeros where there are less.
#[inline(always)]
fn first_eight<T: Copy + Zeroable>(values: &[T]) -> [T; 8] {
    let mut eight = [T::zeroed(); 8];
    match values.first_chunk() {
        Some(values) => eight = *values,
        None => eight.iter_mut().zip(values).for_each(|(to, value)| *to = *value),
    }
    eight
}

/// One half of 16 values.
#[inline(always)]
fn eight<const BITS: usize>(unit: &[[u8; BITS]; 2], half: usize, mask: i32) -> [i32; 8] {
    let mut values = [0; 8];
    let [low, high] = unit;
    let bytes = if half == 0 { low } else { high };
    if BITS == 8 {
        for (value, byte) in values.iter_mut().zip(bytes) {
            *value = i32::from(*byte);
        }
        return values;
    }
    // A word in memory becomes a vector at once, and two bytes do not.
    let (word, start) = match (unit.as_flattened(), bytes.as_slice()) {
        ([a, b, c, d], _) => (u32::from_le_bytes([*a, *b, *c, *d]), half * 16),
        (_, [a, b, c, d]) => (u32::from_le_bytes([*a, *b, *c, *d]), 0),
        _ => (0, 0),
    };
    for (at, value) in values.iter_mut().enumerate() {
        *value = (word >> (start + at * BITS)) as i32 & mask;
    }
    values
}

impl<S: Scale, const BITS: usize, const FLOATS: bool> Source<S> for Quantised<'_, S, BITS, FLOATS> {
    #[cfg(feature = "std")]
    const BYTES: usize = 1;

    #[cfg(feature = "std")]
    type Part<'p> = Quantised<'p, S, BITS, FLOATS>;

    fn len(&self) -> usize {
        self.0.gather.plan.lengths.table
    }

    #[inline(always)]
    fn read(&self, place: usize, to: &mut [S]) {
        self.read_by(None, place, to);
    }

    /// Halves by instruction. That is compiled apart: the loop around `read` has no such.
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    fn read_block(&self, output: &mut [S], block: &Block<'_>, way: &Way) -> bool {
        let n = way.n;
        let Some(halves) = S::IS_HALF.then(|| Halves::of(way.path)).flatten() else { return false };
        halves.vectorize(
            // It takes what it holds: what could be called again is called, not inlined.
            #[inline(always)]
            move || {
                let to = output;
                convert::gather(
                    to,
                    block,
                    n,
                    way.distance,
                    #[inline(always)]
                    |place, to| self.read_by(Some(halves), place, to),
                    #[inline(always)]
                    |place| self.prefetch(place, n),
                );
            },
        );
        true
    }

    #[cfg(feature = "std")]
    #[inline(always)]
    fn prefetch(&self, place: usize, n: usize) {
        let per_byte = const { 8 / BITS };
        strew_simd::prefetch_decoded_row(self.0.data, place / per_byte, n / per_byte);
    }

    /// Gathers along an axis have no tiles.
    #[cfg(feature = "std")]
    fn tile(&self, _: &Tile, _: impl FnMut(Self::Part<'_>)) {}
}
