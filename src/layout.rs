//! Sizes, strides and offset of a tensor, and the arithmetic that proves them.

use crate::error::{Error, Operand, tri};
use crate::get::{get, get_mut};

/// The largest number of dimensions of a tensor.
///
/// ```
/// use strew::{Layout, MAX_RANK};
/// assert_eq!(Layout::contiguous([2; MAX_RANK]).rank(), 8);
/// ```
pub const MAX_RANK: usize = 8;

/// Sizes, strides and offset of a tensor, without its data.
///
/// The element with coordinates `c` lies at position `offset + sum(c[d] * strides[d])` of the
/// slice. Everything is counted in elements, never in bytes. Strides are free: 0 repeats an element
/// (broadcast), a permutation transposes, a larger stride leaves padding, a negative one walks
/// backwards from the offset.
///
/// A layout promises nothing by itself. [`Gather`](crate::Gather) and [`Scatter`](crate::Scatter)
/// prove that every address lies in the slice (which may be longer), and that a tensor that is
/// written does not overlap itself.
///
/// # What may be written
///
/// Take the dimensions larger than 1 in the order of their strides' magnitudes: each must step over
/// everything that the ones before it reach. The rule is sufficient, so that no layout with an
/// overlap passes. It is not necessary: interleaved strides without an overlap, such as sizes
/// `[3, 2]` with strides `[2, 3]`, are refused as well.
///
/// ```
/// use strew::Layout;
///
/// const TABLE: Layout = Layout::contiguous([4, 3]);
/// assert_eq!(TABLE.strides(), [3, 1]);
///
/// let transposed = Layout::strided([3, 4], [1, 3]);
/// let reversed = Layout::strided([12], [-1]).with_offset(11);
/// assert_eq!((transposed.rank(), reversed.offset()), (2, 11));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    rank: usize,
    sizes: [usize; MAX_RANK],
    strides: [isize; MAX_RANK],
    offset: usize,
}

impl Layout {
    /// A packed row-major tensor. (For a `Vec` or a slice, see [`from_sizes`](Layout::from_sizes).)
    ///
    /// More than [`MAX_RANK`] sizes do not compile:
    ///
    /// ```compile_fail,E0080
    /// let _ = strew::Layout::contiguous([1; 9]);
    /// ```
    #[doc(alias = "packed")]
    #[doc(alias = "row_major")]
    #[must_use]
    pub const fn contiguous<const N: usize>(sizes: [usize; N]) -> Layout {
        const { assert!(N <= MAX_RANK, "a layout has at most 8 dimensions") };
        Layout::packed(&sizes)
    }

    /// A tensor with any strides, in elements.
    ///
    /// ```
    /// use strew::Layout;
    ///
    /// // The transpose of a packed matrix of 2 rows of 3.
    /// assert_eq!(Layout::strided([3, 2], [1, 3]).extent()?, 6);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[doc(alias = "as_strided")]
    #[doc(alias = "broadcast_to")]
    #[must_use]
    pub const fn strided<const N: usize>(sizes: [usize; N], strides: [isize; N]) -> Layout {
        const { assert!(N <= MAX_RANK, "a layout has at most 8 dimensions") };
        Layout::any(&sizes, &strides, 0)
    }

    /// The same tensor with its first element (all coordinates 0) at position `offset` of the
    /// slice.
    ///
    /// ```
    /// use strew::Layout;
    ///
    /// // Column 2 of a packed matrix of 4 rows of 3.
    /// let column = Layout::strided([4], [3]).with_offset(2);
    /// assert_eq!(column.extent()?, 12);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn with_offset(self, offset: usize) -> Layout {
        Layout { offset, ..self }
    }

    /// A packed row-major tensor whose rank is known at run time only.
    ///
    /// # Errors
    /// [`Error::RankTooLarge`] for more than [`MAX_RANK`] sizes.
    ///
    /// ```
    /// use strew::Layout;
    /// assert_eq!(Layout::from_sizes(&[2, 3])?, Layout::contiguous([2, 3]));
    /// assert!(Layout::from_sizes(&[1; 9]).is_err());
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub const fn from_sizes(sizes: &[usize]) -> Result<Layout, Error> {
        tri!(rank_fits(sizes.len()));
        Ok(Layout::packed(sizes))
    }

    /// A tensor with any strides whose rank is known at run time only.
    ///
    /// # Errors
    /// [`Error::RankTooLarge`] for more than [`MAX_RANK`] sizes, [`Error::RankMismatch`] when there
    /// are more or fewer strides than sizes.
    ///
    /// ```
    /// use strew::Layout;
    /// let reversed = Layout::from_parts(&[4], &[-1], 3)?;
    /// assert_eq!(reversed, Layout::strided([4], [-1]).with_offset(3));
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub const fn from_parts(
        sizes: &[usize],
        strides: &[isize],
        offset: usize,
    ) -> Result<Layout, Error> {
        tri!(rank_fits(sizes.len()));
        if strides.len() != sizes.len() {
            return Err(Error::RankMismatch {
                operand: Operand::Layout,
                expected: sizes.len(),
                found: strides.len(),
            });
        }
        Ok(Layout::any(sizes, strides, offset))
    }

    /// A tensor with any strides, from the size and the stride of each dimension, of any integer
    /// types: without a copy of lists that a program has as `usize`, `u32` or `i64`.
    ///
    /// # Errors
    /// [`Error::RankTooLarge`] for more than [`MAX_RANK`] dimensions (`found` is then 9, however
    /// many there are), [`Error::SizesOverflow`] for a size that is no `usize`, as one below 0, or
    /// a stride that is no `isize`.
    ///
    /// ```
    /// use strew::Layout;
    ///
    /// let (sizes, strides): (&[u32], &[usize]) = (&[2, 3], &[4, 1]);
    /// let dims = sizes.iter().copied().zip(strides.iter().copied());
    /// assert_eq!(Layout::from_dims(dims, 0)?, Layout::strided([2, 3], [4, 1]));
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn from_dims<N: TryInto<usize>, S: TryInto<isize>>(
        dims: impl IntoIterator<Item = (N, S)>,
        offset: usize,
    ) -> Result<Layout, Error> {
        let mut layout = SCALAR.with_offset(offset);
        for (size, stride) in dims {
            rank_fits(layout.rank + 1)?;
            let (Ok(size), Ok(stride)) = (size.try_into(), stride.try_into()) else {
                return Err(Error::SizesOverflow { operand: Operand::Layout });
            };
            layout.push(size, stride);
        }
        Ok(layout)
    }

    /// The axis that a number means: below 0 it counts from the end, as -1 is the last axis.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`] unless it is in `-rank..rank`.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let table = Layout::contiguous([2, 3]);
    /// let ids = Layout::contiguous([4]);
    /// let gather = Gather::axis_packed(&table, &ids, table.axis(-1)?)?;
    /// assert_eq!(gather, Gather::axis_packed(&table, &ids, 1)?);
    /// let error = table.axis(-3).unwrap_err();
    /// let text = "axis out of range: layout has 2 dimensions, the axis is -3";
    /// assert_eq!(error.to_string(), text);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub const fn axis(&self, axis: isize) -> Result<usize, Error> {
        let found = axis as usize;
        let place = if axis < 0 { found.wrapping_add(self.rank) } else { found };
        if place < self.rank {
            return Ok(place);
        }
        Err(Error::AxisOutOfRange { operand: Operand::Layout, expected: self.rank, found })
    }

    /// The number of dimensions.
    ///
    /// ```
    /// assert_eq!(strew::Layout::contiguous([2, 3]).rank(), 2);
    /// ```
    #[must_use]
    pub const fn rank(&self) -> usize {
        self.rank
    }

    /// The number of elements along each dimension.
    ///
    /// ```
    /// assert_eq!(strew::Layout::contiguous([2, 3]).sizes(), [2, 3]);
    /// ```
    #[must_use]
    pub const fn sizes(&self) -> &[usize] {
        match self.sizes.split_at_checked(self.rank) {
            Some((sizes, _)) => sizes,
            None => &[],
        }
    }

    /// The distance in elements between neighbours along each dimension.
    ///
    /// ```
    /// assert_eq!(strew::Layout::contiguous([2, 3]).strides(), [3, 1]);
    /// ```
    #[must_use]
    pub const fn strides(&self) -> &[isize] {
        match self.strides.split_at_checked(self.rank) {
            Some((strides, _)) => strides,
            None => &[],
        }
    }

    /// The position of the element whose coordinates are all 0.
    ///
    /// ```
    /// assert_eq!(strew::Layout::contiguous([2, 3]).with_offset(4).offset(), 4);
    /// ```
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// The length that a slice must have so that every element of the tensor lies inside it: 0 for
    /// a tensor without elements.
    ///
    /// # Errors
    /// [`Error::SizesOverflow`], and [`Error::OffsetTooSmall`] when negative strides lead below
    /// position 0.
    ///
    /// ```
    /// use strew::Layout;
    /// assert_eq!(Layout::contiguous([2, 3]).extent()?, 6);
    /// assert_eq!(Layout::strided([2, 3], [4, 1]).with_offset(1).extent()?, 8);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub const fn extent(&self) -> Result<usize, Error> {
        self.extent_of(Operand::Layout)
    }

    /// The size of dimension `dim`; 1 for a dimension that does not exist.
    pub(crate) const fn size(&self, dim: usize) -> usize {
        match get(&self.sizes, dim) {
            Some(size) => *size,
            None => 1,
        }
    }

    /// The stride of dimension `dim`; 0 for a dimension that does not exist.
    pub(crate) const fn stride(&self, dim: usize) -> isize {
        match get(&self.strides, dim) {
            Some(stride) => *stride,
            None => 0,
        }
    }

    /// Adds a dimension at the end. At most `MAX_RANK` dimensions fit: the caller has counted.
    pub(crate) const fn push(&mut self, size: usize, stride: isize) {
        if let (Some(new_size), Some(new_stride)) =
            (get_mut(&mut self.sizes, self.rank), get_mut(&mut self.strides, self.rank))
        {
            (*new_size, *new_stride) = (size, stride);
            self.rank += 1;
        }
    }

    /// A tensor with any strides, of which there may be more than sizes. At most `MAX_RANK` sizes
    /// fit: the caller has counted.
    pub(crate) const fn any(sizes: &[usize], strides: &[isize], offset: usize) -> Layout {
        let mut layout = SCALAR.with_offset(offset);
        let (mut sizes, mut strides) = (sizes, strides);
        while let ([size, more_sizes @ ..], [stride, more_strides @ ..]) = (sizes, strides) {
            layout.push(*size, *stride);
            (sizes, strides) = (more_sizes, more_strides);
        }
        layout
    }

    /// A packed row-major tensor. At most `MAX_RANK` sizes fit: the caller has counted. Strides
    /// that overflow saturate, since such a tensor has no extent, or no elements.
    ///
    /// It is inlined into [`contiguous`](Layout::contiguous), which knows the rank: planning then
    /// takes 0.8x the time (`strew-benches`, `tiny`).
    #[inline]
    pub(crate) const fn packed(sizes: &[usize]) -> Layout {
        let mut layout = SCALAR;
        let mut rest = sizes;
        while let [size, more @ ..] = rest {
            layout.push(*size, 0);
            rest = more;
        }
        layout.pack();
        layout
    }

    /// Makes it the [`packed`](Layout::packed) tensor of its sizes. To copy what `packed` has just
    /// written would take longer.
    pub(crate) const fn pack(&mut self) {
        let (mut stride, mut d) = (1_isize, self.rank);
        while d > 0 {
            d -= 1;
            if let Some(new_stride) = get_mut(&mut self.strides, d) {
                *new_stride = stride;
            }
            stride = stride.saturating_mul(signed(self.size(d)));
        }
    }

    /// The number of elements, or `None` if it exceeds `usize`. It is 0 as soon as one size is 0.
    pub(crate) const fn elements(&self) -> Option<usize> {
        let mut product = Some(1_usize);
        let mut sizes = self.sizes();
        while let [size, more @ ..] = sizes {
            if *size == 0 {
                return Some(0);
            }
            product = match product {
                Some(elements) => elements.checked_mul(*size),
                None => None,
            };
            sizes = more;
        }
        product
    }

    /// The length that a slice must have so that every coordinate lies inside it.
    ///
    /// 1. A tensor without elements needs no memory, wherever its offset points.
    /// 2. Each dimension moves the address by at most `(size - 1) * |stride|`, up or down with the
    ///    sign of the stride.
    /// 3. All that goes down must fit below the offset.
    /// 4. The number of elements, what goes up and the length itself must fit a `usize`.
    pub(crate) const fn extent_of(&self, operand: Operand) -> Result<usize, Error> {
        let overflow = Err(Error::SizesOverflow { operand });
        match self.elements() {
            Some(0) => return Ok(0),
            Some(_) => {}
            None => return overflow,
        }
        let (mut up, mut down) = (self.offset, 0_usize);
        let (mut sizes, mut strides) = (self.sizes(), self.strides());
        while let ([size, more_sizes @ ..], [stride, more_strides @ ..]) = (sizes, strides) {
            let Some(reach) = (*size - 1).checked_mul(stride.unsigned_abs()) else {
                return overflow;
            };
            let side = if *stride < 0 { &mut down } else { &mut up };
            let Some(sum) = side.checked_add(reach) else { return overflow };
            *side = sum;
            (sizes, strides) = (more_sizes, more_strides);
        }
        if down > self.offset {
            return Err(Error::OffsetTooSmall { operand, expected: down, found: self.offset });
        }
        match up.checked_add(1) {
            Some(extent) => Ok(extent),
            None => overflow,
        }
    }

    /// Proves that no two coordinates share an element, by the rule that the documentation of
    /// [`Layout`] states.
    pub(crate) const fn without_overlap(&self, operand: Operand) -> Result<(), Error> {
        #[cfg(feature = "std")]
        if self.steps_outwards() {
            return Ok(());
        }
        if matches!(self.elements(), Some(0)) {
            return Ok(());
        }
        let mut reached = 0_usize;
        let mut done = [false; MAX_RANK];
        while let Some(dimension) = self.smallest_stride(&done) {
            let stride = self.stride(dimension).unsigned_abs();
            if stride <= reached {
                return Err(Error::OverlappingOutput {
                    operand,
                    dimension,
                    expected: reached.saturating_add(1),
                    found: stride,
                });
            }
            // `extent` shows that this does not overflow; saturating keeps the test sound without
            // it.
            reached = reached.saturating_add((self.size(dimension) - 1).saturating_mul(stride));
            if let Some(done) = get_mut(&mut done, dimension) {
                *done = true;
            }
        }
        Ok(())
    }

    /// Whether the dimensions larger than 1 are in the order of their strides, and each steps over
    /// what those after it reach: so most tensors need no search for the next stride. Firmware
    /// saves the code.
    #[cfg(feature = "std")]
    const fn steps_outwards(&self) -> bool {
        let (mut reached, mut d) = (0_usize, self.rank);
        while d > 0 {
            d -= 1;
            let (size, stride) = (self.size(d), self.stride(d).unsigned_abs());
            if size > 1 {
                if stride <= reached {
                    return false;
                }
                reached = reached.saturating_add((size - 1).saturating_mul(stride));
            }
        }
        true
    }

    /// Of the dimensions larger than 1 that are not done, the one whose stride has the smallest
    /// magnitude.
    const fn smallest_stride(&self, done: &[bool; MAX_RANK]) -> Option<usize> {
        let mut smallest: Option<usize> = None;
        let mut dim = 0;
        while dim < self.rank {
            let is_one_blocker = match smallest {
                Some(best) => self.stride(dim).unsigned_abs() < self.stride(best).unsigned_abs(),
                None => true,
            };
            if is_one_blocker && self.size(dim) > 1 && matches!(get(done, dim), Some(false)) {
                smallest = Some(dim);
            }
            dim += 1;
        }
        smallest
    }
}

/// One element at position 0.
pub(crate) const SCALAR: Layout =
    Layout { rank: 0, sizes: [1; MAX_RANK], strides: [0; MAX_RANK], offset: 0 };

/// A size as a stride, which saturates.
const fn signed(size: usize) -> isize {
    if size > isize::MAX as usize { isize::MAX } else { size as isize }
}

const fn rank_fits(rank: usize) -> Result<(), Error> {
    if rank > MAX_RANK {
        return Err(Error::RankTooLarge {
            operand: Operand::Layout,
            expected: MAX_RANK,
            found: rank,
        });
    }
    Ok(())
}

impl core::fmt::Debug for Layout {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Layout")
            .field("sizes", &self.sizes())
            .field("strides", &self.strides())
            .field("offset", &self.offset)
            .finish()
    }
}

#[cfg(feature = "defmt")]
impl defmt::Format for Layout {
    fn format(&self, f: defmt::Formatter<'_>) {
        defmt::write!(
            f,
            "Layout {{ sizes: {=[?]}, strides: {=[?]}, offset: {=usize} }}",
            self.sizes(),
            self.strides(),
            self.offset
        );
    }
}
