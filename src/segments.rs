//! Where each bag begins and ends among the indices.

use core::ops::Range;

use bytemuck::AnyBitPattern;

use crate::error::{Error, Operand};
use crate::index::Index;
use crate::proof::fits;

/// Which entries of the indices belong to which bag of a [`Bag`](crate::Bag), in any of the index
/// types. Entries that belong to no bag are not looked at.
///
/// ```
/// use strew::{Add, Bag, Bags, Layout};
///
/// // Bags of 2, 0 and 1 entries.
/// let table = Layout::contiguous([4]);
/// let ids = Layout::contiguous([3]);
/// let bag = Bag::new(&table, &ids, &Layout::contiguous([3]))?;
/// for bags in [
///     Bags::Offsets(&[0, 2, 2, 3]),
///     Bags::Starts(&[0, 2, 2]),
///     Bags::Lengths(&[2, 0, 1]),
/// ] {
///     let mut sums = [7; 3];
///     bag.run(Add, &[1, 2, 3, 4], &[3, 1, 0], bags, &mut sums)?;
///     assert_eq!(sums, [6, 0, 1]);
/// }
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bags<'a, O> {
    /// Bag `b` has the entries from `offsets[b]` to before `offsets[b + 1]`: one offset more than
    /// there are bags (PyTorch's `include_last_offset=True`, the row pointers of CSR).
    Offsets(&'a [O]),
    /// The same without the last offset, which is the number of indices (PyTorch's default).
    Starts(&'a [O]),
    /// Bag `b` has the `lengths[b]` entries that follow those of the bag before (FBGEMM's lengths).
    Lengths(&'a [O]),
}

impl<O> Bags<'_, O> {
    /// The number of bags.
    #[cfg(feature = "ndarray")]
    pub(crate) fn number(&self) -> usize {
        match self {
            Bags::Offsets(offsets) => offsets.len().saturating_sub(1),
            Bags::Starts(values) | Bags::Lengths(values) => values.len(),
        }
    }
}

impl<O: Index> Bags<'_, O> {
    /// Proves that all bags lie, one behind the other, among `entries` of them. Returns the entries
    /// from the first bag to the last.
    #[inline]
    pub(crate) fn prove(&self, bags: usize, entries: usize) -> Result<Range<usize>, Error> {
        let (values, expected, lengths) = match *self {
            Bags::Offsets(offsets) => (offsets, bags.saturating_add(1), false),
            Bags::Starts(offsets) => (offsets, bags, false),
            Bags::Lengths(lengths) => (lengths, bags, true),
        };
        fits(Operand::Offsets, expected, values.len())?;
        let (mut first, mut last) = (None, 0_usize);
        for (entry, value) in values.iter().take(expected).enumerate() {
            let (minimum, maximum) =
                if lengths { (0, entries.wrapping_sub(last)) } else { (last, entries) };
            let found = match usize::try_from(value.value()) {
                Ok(found) if (minimum..=maximum).contains(&found) => found,
                _ => return Err(refused(entry, *value, minimum, maximum)),
            };
            last = if lengths { last.wrapping_add(found) } else { found };
            first = first.or(Some(if lengths { 0 } else { found }));
        }
        let last = if matches!(self, Bags::Starts(_)) { entries } else { last };
        Ok(first.unwrap_or(last)..last)
    }

    /// `bags` bags of `entries`, which are [proven](Bags::prove).
    #[inline(always)]
    pub(crate) fn ends(&self, bags: usize, entries: usize) -> Ends<'_> {
        // The start of a bag is the end of the one before. There may be more values.
        let (values, lengths) = match *self {
            Bags::Offsets(offsets) => (offsets.get(1..=bags), false),
            Bags::Starts(offsets) => (offsets.get(1..bags), false),
            Bags::Lengths(lengths) => (lengths.get(..bags), true),
        };
        let values = values.unwrap_or_default();
        let values = match size_of::<O>() {
            1 => Values::One(same(values)),
            2 => Values::Two(same(values)),
            4 => Values::Four(same(values)),
            _ => Values::Eight(same(values)),
        };
        Ends { values, lengths, entries }
    }
}

/// Integers as those of another type that has their width.
#[inline(always)]
fn same<O: Index, W: AnyBitPattern>(values: &[O]) -> &[W] {
    bytemuck::try_cast_slice(values).unwrap_or_default()
}

/// Where bags end. It knows the width of their offsets, of which none is negative, and not their
/// type: the loops of bags are compiled for all types at once.
#[derive(Clone, Copy)]
pub(crate) struct Ends<'a> {
    values: Values<'a>,
    /// Whether these are lengths; if not, they are ends.
    lengths: bool,
    /// The end of a bag that has no value.
    entries: usize,
}

/// Integers by their bytes.
#[derive(Clone, Copy)]
enum Values<'a> {
    One(&'a [u8]),
    Two(&'a [u16]),
    Four(&'a [u32]),
    Eight(&'a [u64]),
}

impl Ends<'_> {
    /// The end of a bag. The one before it ends, and it begins, with the entry `before`.
    #[inline(always)]
    pub(crate) fn end(&self, bag: usize, before: usize) -> usize {
        let value = match self.values {
            Values::One(values) => values.get(bag).map(|value| usize::from(*value)),
            Values::Two(values) => values.get(bag).map(|value| usize::from(*value)),
            Values::Four(values) => values.get(bag).map(|value| *value as usize),
            Values::Eight(values) => values.get(bag).map(|value| *value as usize),
        };
        match value {
            Some(length) if self.lengths => before.wrapping_add(length),
            Some(end) => end,
            None => self.entries,
        }
    }
}

#[cold]
#[inline(never)]
fn refused<O: Index>(entry: usize, value: O, minimum: usize, maximum: usize) -> Error {
    Error::OffsetOutOfRange { entry, value: value.value(), minimum, maximum }
}
