//! Masks: where they are true, what they choose, and what is put there.
//!
//! A [`Mask`] is a tensor of `bool`s or bits, of any layout. What a mask chooses has a length that
//! depends on its values, so each function says how many of them are true. [`nonzero`] and
//! [`compress`] write to the start of the caller's slice; [`expand`] and [`fill`] change `data` in
//! place, where the mask is true. A slice that is too short is an error with the length that it
//! must have, and nothing is written.
//!
//! - [`nonzero`]: the coordinates of what is true. ONNX `NonZero`, PyTorch `nonzero`, NumPy
//!   `argwhere`.
//! - [`compress`]: the elements where it is true. ONNX `Compress`, PyTorch `masked_select`, NumPy
//!   `a[m]` and `compress`.
//! - [`expand`]: elements put in order where it is true. PyTorch `masked_scatter`, NumPy
//!   `a[m] = values`.
//! - [`fill`]: one value put where it is true. PyTorch `masked_fill`, NumPy `a[m] = value`.
//!
//! A mask is not broadcast:
//!
//! | call | the mask is |
//! |---|---|
//! | [`compress`] with an axis | a vector; value n chooses position n of the axis |
//! | without one, [`expand`], [`fill`] | of the sizes of the data, or a vector |
//!
//! Value n of a vector for data of any rank belongs to element n in row-major order, as in ONNX and
//! `np.compress`. What a short vector does not reach counts as false. A longer one is an error. So
//! without an axis, a mask `[rows]` over data `[rows, columns]` looks at the first `rows` elements
//! alone. NumPy's `a[m]`, where `m` chooses the rows of `a`, is [`compress`] with `Some(0)`. For
//! `a[m] = value`, give the mask's layout a dimension of stride 0:
//! `Layout::strided([rows, columns], [1, 0])`, and `Layout::strided([h, w, 3], [w, 1, 0])` for a
//! mask `[h, w]` over `[h, w, 3]`; or take `[T; 3]` as the element.
//!
//! ```
//! use strew::{Layout, mask};
//!
//! // The scores above 0.5, and where they are.
//! let scores = [0.9, 0.1, 0.6, 0.2];
//! let four = Layout::contiguous([4]);
//! let above = scores.map(|score| score > 0.5);
//! let above = mask::Mask::bools(&above, &four);
//! let (mut places, mut best) = ([0_u32; 4], [0.0; 4]);
//! assert_eq!(mask::nonzero(above, &mut places)?, 2);
//! assert_eq!(mask::compress(above, &scores, &four, None, &mut best)?, 2);
//! assert_eq!(
//!     (places[..2].to_vec(), best[..2].to_vec()),
//!     (vec![0, 2], vec![0.9, 0.6])
//! );
//! # Ok::<(), strew::Error>(())
//! ```

use crate::copy::copy_row;
use crate::element::Element;
use crate::error::{Error, Operand};
use crate::index::Index;
use crate::layout::Layout;
use crate::plan::{Dim, Plan, Start};
use crate::proof::fits;
use crate::shape::same_sizes;
use crate::walk::{Odometer, Position, split_lane};

/// The values of a mask, and how they lie.
///
/// ```
/// use strew::{Layout, mask};
///
/// // The same mask as bools, and as bits: the lowest first, as in Arrow.
/// let three = Layout::contiguous([3]);
/// let bools = mask::Mask::bools(&[true, false, true], &three);
/// let bits = mask::Mask::bits(&[0b101], &three);
/// for mask in [bools, bits] {
///     let mut data = [1, 2, 3];
///     assert_eq!(mask::fill(mask, 0, &mut data, &three)?, 2);
///     assert_eq!(data, [0, 2, 0]);
/// }
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Mask<'a> {
    values: Values<'a>,
    layout: &'a Layout,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Values<'a> {
    Bools(&'a [bool]),
    Bits(&'a [u8]),
}

impl<'a> Mask<'a> {
    /// A mask of bools.
    #[must_use]
    pub const fn bools(values: &'a [bool], layout: &'a Layout) -> Mask<'a> {
        Mask { values: Values::Bools(values), layout }
    }

    /// A mask of bits, which its layout counts: bit `p` is `bytes[p / 8] >> p % 8 & 1`.
    #[must_use]
    pub const fn bits(bytes: &'a [u8], layout: &'a Layout) -> Mask<'a> {
        Mask { values: Values::Bits(bytes), layout }
    }

    /// Fails if there are fewer values than the layout needs.
    fn fits(&self) -> Result<(), Error> {
        fits(Operand::Mask, self.layout.extent_of(Operand::Mask)?, self.values.len())
    }
}

/// `positions[n, ..] = c(n)`: the coordinates of what is true. The result is how many tuples there
/// are.
///
/// `c(n)` are the coordinates of true value number `n`, counted from 0 in row-major order. The
/// tuples lie as `Layout::contiguous([count, rank])`: they are indices for
/// [`Gather::nd`](crate::Gather::nd). A slice of the length of the mask times its rank is always
/// long enough.
///
/// Of a mask of rank 1 they are plain positions. ONNX has them transposed: it is
/// `Layout::strided([rank, count], [1, rank])` of the same slice.
///
/// # Errors
/// [`Error::SliceTooShort`] for the mask or the positions, [`Error::SizesOverflow`] for the indices
/// if their type cannot hold a coordinate; [`Error::OffsetTooSmall`].
///
/// ```
/// use strew::{Layout, mask};
///
/// let square = Layout::contiguous([2, 2]);
/// let mut positions = [0_i64; 8];
/// let count = mask::nonzero(
///     mask::Mask::bools(&[true, false, true, true], &square),
///     &mut positions,
/// )?;
/// assert_eq!(
///     (count, &positions[..6]),
///     (3, &[0, 0, /**/ 1, 0, /**/ 1, 1][..])
/// );
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "argwhere")]
#[doc(alias = "flatnonzero")]
#[doc(alias = "NonZero")]
pub fn nonzero<I: Index>(mask: Mask<'_>, positions: &mut [I]) -> Result<usize, Error> {
    mask.fits()?;
    let layout = mask.layout;
    for size in layout.sizes() {
        if size.checked_sub(1).is_some_and(|last| I::of(last).is_none()) {
            return Err(Error::SizesOverflow { operand: Operand::Indices });
        }
    }
    // Dimensions do not merge: each has a coordinate.
    let mut pairs = Pairs::of(mask.values);
    for (n, size) in layout.sizes().iter().enumerate() {
        pairs.keep(*size, layout.stride(n), 0);
    }
    pairs.plan.start = Start { table: layout.offset(), indices: 0, flat: 0 };
    pairs.left = layout.elements().unwrap_or(0);
    let rank = layout.rank();
    // What is long enough for all need not be compared with their count.
    if positions.len() < pairs.left.saturating_mul(rank) {
        let length = pairs.count().saturating_mul(rank);
        fits(Operand::Output, length, positions.len())?;
    }
    let (mut count, mut rest) = (0_usize, positions);
    if rank == 1 {
        let length = rest.len();
        pairs.parts(
            false,
            |span| (span.number, 1),
            |part| {
                let (to, more) = split(&mut rest, part.count());
                rest = more;
                match part {
                    Part::Few(numbers) => {
                        to.iter_mut().zip(numbers).for_each(|(to, n)| *to = I::cut(*n));
                    }
                    Part::Many(span) => span.positions(to),
                    Part::Coming(_) => {}
                }
            },
        );
        return Ok(length.saturating_sub(rest.len()));
    }
    pairs.each(|span| {
        count = count.saturating_add(span.count());
        span.each(|n| {
            let mut place = span.number.wrapping_add(n);
            let tuple;
            (tuple, rest) =
                core::mem::take(&mut rest).split_at_mut_checked(rank).unwrap_or_default();
            for (to, size) in tuple.iter_mut().zip(layout.sizes()).rev() {
                let coordinate = place.checked_rem(*size).unwrap_or(0);
                place = place.checked_div(*size).unwrap_or(0);
                if let Some(index) = I::of(coordinate) {
                    *to = index;
                }
            }
        });
    });
    Ok(count)
}

/// `output[n] = data[c(n)]`, or `output[p.., n, s..] = data[p.., c(n), s..]` along an axis: the
/// elements where the mask is true. The result is how many of the mask's values are true.
///
/// `c(n)` is the place of true value number `n`, counted from 0 in row-major order.
/// The elements are written to the start of `output`.
///
/// - Without an axis, the mask has the sizes of the data; or it has rank 1, counts the elements of
///   the data in row-major order, and may end before they do (ONNX `Compress` without an axis).
/// - With an axis, it has rank 1 and chooses positions along it, and may end before the axis does.
///   The output is packed, of the sizes `data[..axis] ++ [count] ++ data[axis+1..]`.
///
/// An output of the length of the mask is always long enough; with an axis, one of the data.
///
/// # Errors
/// [`Error::SliceTooShort`] for the mask, the data or the output; [`Error::AxisOutOfRange`],
/// [`Error::RankMismatch`], [`Error::SizeMismatch`], [`Error::SizesOverflow`],
/// [`Error::OffsetTooSmall`]. The output is as it was.
///
/// ```
/// use strew::{Layout, mask};
///
/// let (data, table) = ([1, 2, 3, 4, 5, 6], Layout::contiguous([2, 3]));
/// let columns = Layout::contiguous([3]);
/// let columns = mask::Mask::bools(&[true, false, true], &columns);
/// let mut output = [0; 6];
/// assert_eq!(
///     mask::compress(columns, &data, &table, Some(1), &mut output)?,
///     2
/// );
/// assert_eq!(output[..4], [1, 3, /**/ 4, 6]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "masked_select")]
#[doc(alias = "boolean_mask")]
#[doc(alias = "Compress")]
pub fn compress<T: Element>(
    mask: Mask<'_>,
    data: &[T],
    layout: &Layout,
    axis: Option<usize>,
    output: &mut [T],
) -> Result<usize, Error> {
    let pairs = Pairs::with(mask, layout, axis, Operand::Input, data.len())?;
    // What is long enough for all elements need not be compared with their count.
    if output.len() < pairs.left {
        fits(Operand::Output, pairs.count(), output.len())?;
    }
    let (length, mut rest) = (output.len(), output);
    #[cfg(feature = "std")]
    let far = is_far(data);
    pairs.parts(is_far(data), Span::first, |part| {
        let (to, more) = split(&mut rest, part.count());
        rest = more;
        match part {
            Part::Coming(places) => prefetch(data, places),
            Part::Few(places) => {
                for (to, place) in to.iter_mut().zip(places) {
                    data.get(*place).into_iter().for_each(|from| *to = *from);
                }
            }
            #[cfg(not(feature = "std"))]
            Part::Many(span) => span.compress(data, to),
            #[cfg(feature = "std")]
            Part::Many(span) => span.compress(data, to, far),
        }
    });
    let length = length.saturating_sub(rest.len());
    // Along an axis, each value stands for the elements of all other dimensions.
    let others = axis.map(|axis| {
        let others = layout.sizes().iter().enumerate().filter(|(n, _)| *n != axis);
        others.fold(1_usize, |all, (_, size)| all.saturating_mul(*size))
    });
    match others {
        Some(others) if others > 0 => Ok(length.checked_div(others).unwrap_or(0)),
        // There are no elements, but positions all the same.
        Some(_) => Ok(Pairs::with(mask, mask.layout, None, Operand::Mask, usize::MAX)?.count()),
        None => Ok(length),
    }
}

/// `data[c(n)] = values[n]`: the first `values` are put where the mask is true. The result is how
/// many of the mask's values are true.
///
/// `c(n)` is the place of true value number `n`, counted from 0 in row-major order.
/// The mask is one that [`compress`] takes without an axis.
///
/// # Errors
/// [`Error::SliceTooShort`] for the mask, the data or the values (as the updates);
/// [`Error::RankMismatch`], [`Error::SizeMismatch`], [`Error::SizesOverflow`],
/// [`Error::OffsetTooSmall`], [`Error::OverlappingOutput`]. The data is as it was.
///
/// ```
/// use strew::{Layout, mask};
///
/// let four = Layout::contiguous([4]);
/// let holes = mask::Mask::bools(&[false, true, false, true], &four);
/// let mut data = [1, 0, 2, 0];
/// assert_eq!(mask::expand(holes, &[7, 8], &mut data, &four)?, 2);
/// assert_eq!(data, [1, 7, 2, 8]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "masked_scatter")]
#[doc(alias = "place")]
pub fn expand<T: Element>(
    mask: Mask<'_>,
    values: &[T],
    data: &mut [T],
    layout: &Layout,
) -> Result<usize, Error> {
    let pairs = Pairs::with(mask, layout, None, Operand::Data, data.len())?;
    layout.without_overlap(Operand::Data)?;
    let count = pairs.count();
    fits(Operand::Updates, count, values.len())?;
    let mut rest = values;
    pairs.parts(is_far(data), Span::first, |part| {
        let (values, more) = rest.split_at_checked(part.count()).unwrap_or_default();
        rest = more;
        match part {
            Part::Coming(places) => prefetch(data, places),
            Part::Few(places) => {
                for (value, place) in values.iter().zip(places) {
                    data.get_mut(*place).into_iter().for_each(|to| *to = *value);
                }
            }
            Part::Many(span) => span.expand(values, data),
        }
    });
    Ok(count)
}

/// `data[c] = value` wherever `mask[c]` is true. The result is how many of the mask's values are
/// true.
///
/// The mask is one that [`compress`] takes without an axis.
///
/// # Errors
/// [`Error::SliceTooShort`] for the mask or the data; [`Error::RankMismatch`],
/// [`Error::SizeMismatch`], [`Error::SizesOverflow`], [`Error::OffsetTooSmall`],
/// [`Error::OverlappingOutput`]. The data is as it was.
///
/// ```
/// use strew::{Layout, mask};
///
/// // The upper triangle of the scores of attention.
/// let square = Layout::contiguous([2, 2]);
/// let future = mask::Mask::bools(&[false, true, false, false], &square);
/// let mut scores = [0.1, 0.2, 0.3, 0.4];
/// assert_eq!(mask::fill(future, f32::NEG_INFINITY, &mut scores, &square)?, 1);
/// assert_eq!(scores, [0.1, f32::NEG_INFINITY, 0.3, 0.4]);
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "masked_fill")]
#[doc(alias = "putmask")]
pub fn fill<T: Element>(
    mask: Mask<'_>,
    value: T,
    data: &mut [T],
    layout: &Layout,
) -> Result<usize, Error> {
    let pairs = Pairs::with(mask, layout, None, Operand::Data, data.len())?;
    layout.without_overlap(Operand::Data)?;
    let mut count = 0;
    pairs.parts(is_far(data), Span::first, |part| {
        count += part.count();
        match part {
            Part::Coming(places) => prefetch(data, places),
            Part::Few(places) => {
                for place in places {
                    data.get_mut(*place).into_iter().for_each(|to| *to = value);
                }
            }
            Part::Many(span) => span.fill(value, data),
        }
    });
    Ok(count)
}

/// The values of a mask with the elements that they stand for: a plan whose table is the mask, and
/// whose flat tensor is the data.
struct Pairs<'a> {
    values: Values<'a>,
    plan: Plan,
    /// The number of pairs; what comes after them has none.
    left: usize,
}

impl<'a> Pairs<'a> {
    fn of(values: Values<'a>) -> Pairs<'a> {
        Pairs { values, plan: Plan::NOTHING, left: 0 }
    }

    /// Adds a dimension that does not merge with others.
    fn keep(&mut self, size: usize, table: isize, flat: isize) {
        if let Some(dim) = self.plan.dims.get_mut(self.plan.rank) {
            *dim = Dim { size, table, indices: 0, flat, cell: 0 };
            self.plan.rank += 1;
        }
    }

    /// Pairs the mask with the elements of data, whose slice has `length` of them.
    fn with(
        mask: Mask<'a>,
        layout: &Layout,
        axis: Option<usize>,
        operand: Operand,
        length: usize,
    ) -> Result<Pairs<'a>, Error> {
        mask.fits()?;
        let shape = mask.layout;
        let mut pairs = Pairs::of(mask.values);
        let elements = layout.elements().ok_or(Error::SizesOverflow { operand })?;
        pairs.left = elements;
        let expected = match axis {
            Some(axis) if axis >= layout.rank() => {
                let (expected, found) = (layout.rank(), axis);
                return Err(Error::AxisOutOfRange { operand, expected, found });
            }
            Some(axis) => layout.size(axis),
            None if shape.rank() == 1 => elements,
            None => {
                same_sizes(layout, shape, Operand::Mask)?;
                0
            }
        };
        if axis.is_some() && shape.rank() != 1 {
            let (operand, found) = (Operand::Mask, shape.rank());
            return Err(Error::RankMismatch { operand, expected: 1, found });
        }
        if shape.rank() == 1 && shape.size(0) > expected {
            let (operand, dimension, found) = (Operand::Mask, 0, shape.size(0));
            return Err(Error::SizeMismatch { operand, dimension, expected, found });
        }
        fits(operand, layout.extent_of(operand)?, length)?;
        if axis.is_none() && shape.rank() == 1 {
            pairs.left = shape.size(0);
        }
        let mut inner = elements;
        for (n, size) in layout.sizes().iter().enumerate() {
            inner = inner.checked_div(*size).unwrap_or(0);
            let (size, stride) = match axis {
                Some(axis) if n == axis => (shape.size(0), shape.stride(0)),
                Some(_) => (*size, 0),
                None if shape.rank() == 1 => (*size, shape.stride(0).wrapping_mul(inner as isize)),
                None => (*size, shape.stride(n)),
            };
            pairs.plan.push(size, stride, 0, layout.stride(n));
            if size == 0 {
                pairs.left = 0;
            }
        }
        pairs.plan.start = Start { table: shape.offset(), indices: 0, flat: layout.offset() };
        Ok(pairs)
    }

    fn count(&self) -> usize {
        let mut count = 0_usize;
        self.each(|span| count = count.saturating_add(span.count()));
        count
    }

    fn each(&self, mut visit: impl FnMut(&Span)) {
        let mut span = Span::default();
        let mut walk = Walk {
            lane: *split_lane(self.plan.inner()).0,
            at: Position::first(&self.plan),
            odometer: Odometer::new(),
            column: 0,
            left: self.left,
            #[cfg(feature = "std")]
            far: self.values.are_far(),
        };
        while self.next(&mut walk, &mut span) {
            visit(&span);
        }
    }

    /// Visits the mask in order: where few of its values are true, by a list of places. `of` says
    /// where the first one of a span is, and how far apart they are.
    #[inline(always)]
    fn parts(
        &self,
        far: bool,
        of: impl Fn(&Span) -> (usize, isize),
        mut visit: impl FnMut(Part<'_>),
    ) {
        if cfg!(not(feature = "std")) {
            return self.each(|span| visit(Part::Many(span)));
        }
        let (most, mut list, mut length) = (if far { FAR } else { FEW }, None, 0);
        self.each(|span| {
            let few = span.length == WORDS * 64 && span.count() <= most;
            if few && list.is_none() {
                list = Some([0; LIST + FEW + FOUR]);
            }
            if few && let Some(list) = &mut list {
                let to = list.get_mut(length..).unwrap_or_default();
                let to = to.get_mut(..span.count() + FOUR).unwrap_or_default();
                let (first, step) = of(span);
                for_bits(
                    #[inline(always)]
                    || list_places(&span.words, first, step, to),
                );
                if far {
                    visit(Part::Coming(to.get(..span.count()).unwrap_or_default()));
                }
                length += span.count();
            }
            if length > 0 && (!few || length >= LIST) {
                visit(Part::Few(first_of(&list, length)));
                length = 0;
            }
            if !few {
                visit(Part::Many(span));
            }
        });
        if length > 0 {
            visit(Part::Few(first_of(&list, length)));
        }
    }

    /// Reads the next span of the mask. `false`: there is none.
    #[inline(never)]
    fn next(&self, walk: &mut Walk, span: &mut Span) -> bool {
        if walk.left == 0 {
            return false;
        }
        let (dim, outer) = split_lane(self.plan.inner());
        if walk.column >= walk.lane.size {
            walk.column = 0;
            if outer.is_empty() || !walk.odometer.step(outer, &mut walk.at) {
                return false;
            }
        }
        span.number = span.number.wrapping_add(span.length);
        let column = walk.column;
        let go =
            |from: usize, stride: isize| from.wrapping_add(column.wrapping_mul(stride as usize));
        let length = (dim.size - column).min(walk.left).min(WORDS * 64);
        (span.length, span.place, span.step) = (length, go(walk.at.flat, dim.flat), dim.flat);
        let (mut place, mut left) = (go(walk.at.table, dim.table), length);
        #[cfg(feature = "std")]
        let found = self.values.words((place, dim.table), length, &mut span.words, walk.far);
        #[cfg(not(feature = "std"))]
        let found = (0, 0);
        let done = found.0;
        if done < WORDS {
            for (n, word) in span.words.iter_mut().enumerate() {
                if n >= done {
                    *word = self.values.word(place, dim.table, left.min(64));
                }
                left = left.saturating_sub(64);
                place = place.wrapping_add_signed(dim.table.wrapping_mul(64));
            }
        }
        #[cfg(feature = "std")]
        {
            span.count = found.1;
            let rest = span.words.get(done..length.div_ceil(64)).unwrap_or_default();
            if rest.len() > 4 {
                for_vectors(
                    #[inline(always)]
                    || span.count += ones(rest),
                );
            } else {
                span.count += ones(rest);
            }
        }
        walk.column += length;
        walk.left -= length;
        true
    }
}

/// What comes next of a mask.
enum Part<'a> {
    /// Places of far elements, which a list is going to have.
    Coming(&'a [usize]),
    /// A list of places.
    Few(&'a [usize]),
    Many(&'a Span),
}

impl Part<'_> {
    /// How many values are true.
    #[inline(always)]
    fn count(&self) -> usize {
        match self {
            Part::Coming(_) => 0,
            Part::Few(places) => places.len(),
            Part::Many(span) => span.count(),
        }
    }
}

/// The places from which on a list is done. Far elements come meanwhile. Record (16M bools over
/// `f32` in memory, 1 % true, Zen 4): with 128, `compress` takes 1.05x.
const LIST: usize = 256;

/// The most bits of a span that are listed. Record (1M and 16M bools, Zen 4): where 5 % are true,
/// `nonzero` takes 0.4x to 0.6x of what it takes without a list, and `compress` 0.7x; where 10 %
/// are, 0.7x to 1.25x and 1.0x.
const FEW: usize = WORDS * 64 / SHARE;
const SHARE: usize = 14;

/// [`FEW`] for far elements. Where there are more, reading all of them is faster. Record (16M
/// bools over `f32` in memory, Zen 4): where 1 % are true, `compress` takes 0.75x of what it takes
/// without a list, where 3 % are 1.2x.
const FAR: usize = WORDS * 64 / 50;

/// Bools between those that are read and those that are prefetched: a page, which the machine
/// itself does not go beyond. Record (4M and 16M bools, fifth Xeon): where 1 % are true, `nonzero`
/// takes 0.72x to 0.9x of what it takes without, and `compress` 0.65x to 0.9x; where 50 and 99 %
/// are, 0.95x to 1.0x; a quarter of the distance gains a fifth as much. From L2, where nothing is
/// prefetched, up to 1.05x.
#[cfg(feature = "std")]
const AHEAD: usize = 1 << 12;

/// How many places are written for each word, whatever its bits: nobody predicts how many there
/// are.
const FOUR: usize = 4;

/// The first places of a list.
#[inline(always)]
fn first_of<const N: usize>(list: &Option<[usize; N]>, length: usize) -> &[usize] {
    list.as_ref().and_then(|list| list.get(..length)).unwrap_or_default()
}

/// Lists the places of bits that are set. What follows them is overwritten by the next word.
#[inline(always)]
fn list_places(words: &[u64], first: usize, step: isize, list: &mut [usize]) {
    let (mut number, mut rest) = (if step == 1 { first } else { 0 }, &mut *list);
    for word in words {
        let (mut bits, count) = (*word, word.count_ones() as usize);
        let mut next = || {
            let n = bits.trailing_zeros() as usize;
            bits &= bits.wrapping_sub(1);
            number.wrapping_add(n)
        };
        if let Some(four) = rest.first_chunk_mut::<FOUR>() {
            four.iter_mut().for_each(|to| *to = next());
        }
        if count > FOUR {
            rest.iter_mut().take(count).skip(FOUR).for_each(|to| *to = next());
        }
        rest = rest.get_mut(count..).unwrap_or_default();
        number = number.wrapping_add(64);
    }
    if step != 1 {
        list.iter_mut().for_each(|to| *to = first.wrapping_add(to.wrapping_mul(step as usize)));
    }
}

/// Where a walk over pairs stands.
struct Walk {
    lane: Dim,
    at: Position,
    odometer: Odometer,
    column: usize,
    left: usize,
    /// Whether what comes next of the mask is prefetched.
    #[cfg(feature = "std")]
    far: bool,
}

/// The words of a span.
const WORDS: usize = 16;

/// Some values of a lane of the mask as bits, and the elements that they stand for.
#[derive(Default)]
struct Span {
    words: [u64; WORDS],
    length: usize,
    /// The place of the first element, and the distance between them.
    place: usize,
    step: isize,
    /// The number of pairs before it.
    number: usize,
    /// The number of bits that are set.
    #[cfg(feature = "std")]
    count: usize,
}

/// The number of bits that are set.
#[inline(always)]
fn ones(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

impl Span {
    /// The number of bits that are set.
    #[cfg(feature = "std")]
    fn count(&self) -> usize {
        self.count
    }
    #[cfg(not(feature = "std"))]
    fn count(&self) -> usize {
        ones(&self.words)
    }

    /// The place of element `n`.
    #[inline(always)]
    fn place(&self, n: usize) -> usize {
        self.place.wrapping_add(n.wrapping_mul(self.step as usize))
    }

    /// The place of the first element, and the distance between them.
    fn first(&self) -> (usize, isize) {
        (self.place, self.step)
    }

    /// Whether so few bits are set that they are taken one by one: the span is too short for a
    /// list.
    fn is_sparse(&self) -> bool {
        cfg!(feature = "std") && self.length < WORDS * 64 && self.count() <= self.length / SHARE
    }

    /// The elements, if they are neighbours.
    #[inline(always)]
    fn row<'a, T>(&self, data: &'a mut [T]) -> Option<&'a mut [T]> {
        let end = self.place.wrapping_add(self.length);
        if self.step == 1 { data.get_mut(self.place..end) } else { None }
    }

    /// Visits the numbers of the bits that are set.
    #[inline(always)]
    fn each(&self, mut visit: impl FnMut(usize)) {
        for (number, word) in self.words.iter().enumerate() {
            each_bit(*word, |n| visit(number * 64 + n));
        }
    }

    /// Copies the chosen elements. `far`: those of the next span are prefetched. Record (16M `f32`
    /// and `f64`, fifth Xeon): where 10 % are true 0.8x, 50 % 0.9x, 90 and 99 % 1.0x; from L2,
    /// where they are not far, up to 1.1x.
    #[inline(always)]
    fn compress<T: Element>(&self, data: &[T], to: &mut [T], #[cfg(feature = "std")] far: bool) {
        if self.step == 1
            && !self.is_sparse()
            && let Some(from) = data.get(self.place..self.place.wrapping_add(self.length))
        {
            if to.len() == from.len() {
                return copy_row(from, to);
            }
            #[cfg(feature = "std")]
            let from = if far && self.length == WORDS * 64 {
                let longer = self.place..self.place.wrapping_add(2 * WORDS * 64);
                data.get(longer).unwrap_or(from)
            } else {
                from
            };
            return chosen(&self.words, from, to);
        }
        let mut places = to.iter_mut();
        self.each(|n| {
            if let (Some(to), Some(from)) = (places.next(), data.get(self.place(n))) {
                *to = *from;
            }
        });
    }

    /// Puts values where bits are set, in order.
    #[inline(always)]
    fn expand<T: Element>(&self, values: &[T], data: &mut [T]) {
        if let Some(data) = self.row(data) {
            return put_values(&self.words, values, data);
        }
        let mut values = values.iter();
        self.each(|n| {
            let (value, to) = (values.next(), data.get_mut(self.place(n)));
            if let (Some(value), Some(to)) = (value, to) {
                *to = *value;
            }
        });
    }

    /// Puts a value where bits are set.
    #[inline(always)]
    fn fill<T: Element>(&self, value: T, data: &mut [T]) {
        match self.row(data) {
            Some(data) => for_vectors(
                #[inline(always)]
                || put(&self.words, value, data),
            ),
            None => {
                self.each(|n| data.get_mut(self.place(n)).into_iter().for_each(|to| *to = value));
            }
        }
    }

    /// Writes the numbers of the pairs that are true.
    #[inline(always)]
    fn positions<I: Index>(&self, to: &mut [I]) {
        #[cfg(feature = "std")]
        if !self.is_sparse() {
            return strew_simd::positions(
                strew_simd::Path::detect(),
                &self.words,
                to,
                #[inline(always)]
                |n| I::cut(self.number.wrapping_add(n as usize)),
            );
        }
        let mut places = to.iter_mut();
        self.each(|n| {
            places.next().into_iter().for_each(|to| *to = I::cut(self.number.wrapping_add(n)));
        });
    }
}

/// The first elements of a slice that shrinks, and what is left of it.
#[inline(always)]
fn split<'a, T>(slice: &mut &'a mut [T], length: usize) -> (&'a mut [T], &'a mut [T]) {
    core::mem::take(slice).split_at_mut_checked(length).unwrap_or_default()
}

/// Prefetches elements.
#[inline(always)]
fn prefetch<T>(data: &[T], places: &[usize]) {
    #[cfg(feature = "std")]
    for place in places {
        strew_simd::prefetch(data.get(*place..).unwrap_or_default(), 0);
    }
    #[cfg(not(feature = "std"))]
    let _ = (data, places);
}

/// Whether elements of a slice are worth a prefetch.
#[inline(always)]
fn is_far<T>(data: &[T]) -> bool {
    #[cfg(feature = "std")]
    {
        size_of_val(data) > crate::engine::tuning::far_read(&strew_simd::Machine::detect())
    }
    #[cfg(not(feature = "std"))]
    {
        let _ = data;
        false
    }
}

#[inline(always)]
fn each_bit(mut bits: u64, mut visit: impl FnMut(usize)) {
    while bits != 0 {
        visit(bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
    }
}

/// The most bits of a word that are taken one by one. Where there are more, all elements are
/// written, those that are not chosen as they are: nobody predicts which are.
const FEW_OF_WORD: u32 = 4;

/// `to = value` where bits are set.
#[inline(always)]
fn put<T: Element>(words: &[u64], value: T, to: &mut [T]) {
    for (word, to) in words.iter().zip(to.chunks_mut(64)) {
        if word.count_ones() <= FEW_OF_WORD {
            each_bit(*word, |n| to.get_mut(n).into_iter().for_each(|to| *to = value));
            continue;
        }
        for (n, to) in to.iter_mut().enumerate() {
            *to = if word >> n & 1 != 0 { value } else { *to };
        }
    }
}

/// `to = values` where bits are set, in order.
#[inline(always)]
fn put_values<T: Element>(words: &[u64], mut values: &[T], to: &mut [T]) {
    for (word, to) in words.iter().zip(to.chunks_mut(64)) {
        let count = word.count_ones();
        let (mut chosen, rest) = values.split_at_checked(count as usize).unwrap_or_default();
        values = rest;
        if count >= MANY {
            each_run(*word, |start, length| {
                let (from, rest) = chosen.split_at_checked(length).unwrap_or_default();
                chosen = rest;
                if let Some(to) = to.get_mut(start..).and_then(|to| to.get_mut(..from.len())) {
                    copy_row(from, to);
                }
            });
            continue;
        }
        let mut chosen = chosen.iter();
        each_bit(*word, |n| {
            if let (Some(value), Some(to)) = (chosen.next(), to.get_mut(n)) {
                *to = *value;
            }
        });
    }
}

/// The fewest bits of a word that are taken run by run.
const MANY: u32 = 56;

/// Visits the runs of bits that are set: the number of the first, and how many there are.
#[inline(always)]
fn each_run(mut bits: u64, mut visit: impl FnMut(usize, usize)) {
    let mut start = 0;
    while bits != 0 {
        let zeros = bits.trailing_zeros();
        bits >>= zeros;
        let ones = bits.trailing_ones();
        visit((start + zeros) as usize, ones as usize);
        bits = bits.checked_shr(ones).unwrap_or(0);
        start += zeros + ones;
    }
}

/// Runs loops, compiled for the vectors of the machine if there are any.
#[cfg(feature = "std")]
#[inline(always)]
fn for_vectors(loops: impl FnOnce()) {
    strew_simd::Path::detect().compiled(loops);
}
#[cfg(not(feature = "std"))]
#[inline(always)]
fn for_vectors(loops: impl FnOnce()) {
    loops();
}

/// Runs loops over bits, compiled for instructions that find them if the machine has any. Those of
/// AVX-512 are not among them: the compiler makes slow vectors of such loops.
#[cfg(feature = "std")]
#[inline(always)]
fn for_bits(loops: impl FnOnce()) {
    strew_simd::Path::detect().narrow(loops);
}
#[cfg(not(feature = "std"))]
#[inline(always)]
fn for_bits(loops: impl FnOnce()) {
    loops();
}

/// `to = from` where bits are set, in order.
#[cfg(feature = "std")]
#[inline(always)]
fn chosen<T: Element>(words: &[u64], from: &[T], to: &mut [T]) {
    strew_simd::compress(strew_simd::Path::detect(), words, from, to);
}
#[cfg(not(feature = "std"))]
#[inline(always)]
fn chosen<T: Element>(words: &[u64], from: &[T], to: &mut [T]) {
    let mut places = to.iter_mut();
    for (word, from) in words.iter().zip(from.chunks(64)) {
        let mut bits = *word;
        while bits != 0 {
            let from = from.get(bits.trailing_zeros() as usize);
            if let (Some(to), Some(from)) = (places.next(), from) {
                *to = *from;
            }
            bits &= bits.wrapping_sub(1);
        }
    }
}

impl Values<'_> {
    pub(crate) fn len(self) -> usize {
        match self {
            Values::Bools(values) => values.len(),
            Values::Bits(bytes) => bytes.len().saturating_mul(8),
        }
    }

    /// Whether bools are worth a prefetch.
    #[cfg(feature = "std")]
    fn are_far(self) -> bool {
        let l2 = crate::engine::tuning::beyond_l2(&strew_simd::Machine::detect());
        matches!(self, Values::Bools(values) if values.len() > l2)
    }

    /// Sets words to 64 values each from a place on, by vectors, and says how many words it set,
    /// and how many of their bits. `far`: values that come later are prefetched.
    #[cfg(feature = "std")]
    fn words(
        self,
        (place, step): (usize, isize),
        count: usize,
        words: &mut [u64],
        far: bool,
    ) -> (usize, usize) {
        if let (Values::Bools(values), 1, 64..) = (self, step, count)
            && let Some(values) = values.get(place..)
            && let Some(now) = values.get(..count)
        {
            if far && let Some(later) = values.get(AHEAD..) {
                strew_simd::prefetch_row(later, 0, count);
            }
            if let Some(set) = strew_simd::bits(strew_simd::Path::detect(), now, words) {
                return (count / 64, set);
            }
        }
        (0, 0)
    }

    /// Up to 64 values from a place on, a step apart, as bits.
    pub(crate) fn word(self, place: usize, step: isize, count: usize) -> u64 {
        let ones = if count < 64 { (1 << count) - 1 } else { u64::MAX };
        if step == 0 {
            return if count > 0 && self.get(place) { ones } else { 0 };
        }
        match (self, step, count) {
            (Values::Bools(values), 1, 64) => {
                let values = values.get(place..).and_then(|values| values.first_chunk::<64>());
                if let Some(values) = values {
                    return word_of(values);
                }
            }
            (Values::Bits(bytes), 1, 64) => {
                let bytes = bytes.get(place / 8..).and_then(|bytes| bytes.split_first_chunk());
                if let Some((bytes, rest)) = bytes {
                    let (low, shift) = (u64::from_le_bytes(*bytes), place % 8);
                    let high = rest.first().map_or(0, |byte| u64::from(*byte));
                    return if shift == 0 { low } else { low >> shift | high << (64 - shift) };
                }
            }
            _ => {}
        }
        let (mut bits, mut at) = (0, place);
        for n in 0..count {
            bits |= u64::from(self.get(at)) << n;
            at = at.wrapping_add_signed(step);
        }
        bits
    }

    #[inline]
    pub(crate) fn get(self, place: usize) -> bool {
        match self {
            Values::Bools(values) => values.get(place).copied().unwrap_or(false),
            Values::Bits(bytes) => {
                bytes.get(place / 8).is_some_and(|byte| byte >> (place % 8) & 1 != 0)
            }
        }
    }
}

/// The bits of 64 bools. Eight of them are bytes of 0 and 1; a product moves each to its place in
/// the highest byte.
#[inline(always)]
fn word_of(values: &[bool; 64]) -> u64 {
    let bytes: &[u8] = bytemuck::must_cast_slice(values);
    let mut word = [0; 8];
    for (to, eight) in word.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *to = (u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8;
    }
    u64::from_le_bytes(word)
}
