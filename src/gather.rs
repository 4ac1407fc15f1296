//! Gather: `output[s] = input[.. indices ..]`.

#[cfg(feature = "rayon")]
use crate::checked::result;
use crate::checked::{Checked, check, fits};
use crate::copy::copy_row;
use crate::element::Element;
use crate::error::{Error, Operand, tri};
use crate::index::{Bounds, Index};
use crate::layout::Layout;
#[cfg(not(feature = "std"))]
use crate::plan::Start;
use crate::plan::{Dim, Direction, Plan};
#[cfg(not(feature = "std"))]
use crate::shared;
#[cfg(feature = "std")]
use crate::vectors;
#[cfg(feature = "rayon")]
use crate::vectors::threads::Division;
use crate::walk::{self, Addresses, Mover};

/// A gather whose shapes are proven: reads elements of `input` that `indices` choose, and writes them to `output` in order.
///
/// A plan is a plain value that can be made at compile time (see [`plan!`](crate::plan)), kept, and run any number of times. Input and indices
/// may have any strides, the output any that do not make it overlap itself. Elements of the output slice outside its layout are not touched.
///
/// ```
/// use strew::{Gather, Layout};
///
/// // Rows 2 and 0 of a 3 x 2 table.
/// let gather = Gather::axis(&Layout::contiguous([3, 2]), &Layout::contiguous([2]), &Layout::contiguous([2, 2]), 0)?;
/// let mut rows = [0.0; 4];
/// gather.run(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 0], &mut rows)?;
/// assert_eq!(rows, [5.0, 6.0, 1.0, 2.0]);
/// # Ok::<(), strew::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gather {
    pub(crate) plan: Plan,
}

impl Gather {
    /// `output[p.., i.., s..] = input[p.., indices[i..], s..]`, where `p` are the `axis` dimensions before the axis and `s` those after it.
    ///
    /// Shapes: `output = input[..axis] ++ indices ++ input[axis+1..]` ([`shape::axis`](crate::shape::axis)). Indices of rank 0 remove the axis.
    ///
    /// ONNX `Gather`, DirectML `GATHER`, NumPy `take`, PyTorch `index_select` and `embedding`.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`], [`Error::RankTooLarge`], [`Error::RankMismatch`], [`Error::SizeMismatch`], [`Error::SizesOverflow`], [`Error::OffsetTooSmall`],
    /// [`Error::OverlappingOutput`].
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// // Columns 2, 0 and the last of a 2 x 3 table.
    /// let table = Layout::contiguous([2, 3]);
    /// let gather = Gather::axis(&table, &Layout::contiguous([3]), &Layout::contiguous([2, 3]), 1)?;
    /// let mut output = [0; 6];
    /// gather.run(&[1, 2, 3, 4, 5, 6], &[2, 0, -1], &mut output)?;
    /// assert_eq!(output, [3, 1, 3, 6, 4, 6]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub const fn axis(
        input: &Layout,
        indices: &Layout,
        output: &Layout,
        axis: usize,
    ) -> Result<Gather, Error> {
        let mut gather = Gather { plan: Plan::NOTHING };
        tri!(gather.plan.axis(input, indices, output, axis, Direction::Gather));
        Ok(gather)
    }

    /// `output[c] = input[c with c[axis] := indices[c]]`
    ///
    /// Shapes: `output = indices`; `indices[d] <= input[d]` for `d != axis` ([`shape::elements`](crate::shape::elements)).
    ///
    /// ONNX and DirectML `GatherElements`, NumPy `take_along_axis`, PyTorch `gather`.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`], [`Error::RankMismatch`], [`Error::SizeMismatch`], [`Error::SizesOverflow`], [`Error::OffsetTooSmall`],
    /// [`Error::OverlappingOutput`].
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// // The value at each row's best column.
    /// let (table, best) = (Layout::contiguous([2, 3]), Layout::contiguous([2, 1]));
    /// let gather = Gather::elements(&table, &best, &best, 1)?;
    /// let mut output = [0; 2];
    /// gather.run(&[1, 9, 3, 4, 5, 6], &[1_u8, 2], &mut output)?;
    /// assert_eq!(output, [9, 6]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub const fn elements(
        input: &Layout,
        indices: &Layout,
        output: &Layout,
        axis: usize,
    ) -> Result<Gather, Error> {
        let mut gather = Gather { plan: Plan::NOTHING };
        tri!(gather.plan.elements(input, indices, output, axis, Direction::Gather));
        Ok(gather)
    }

    /// `output[B.., i.., s..] = input[B.., indices[B.., i.., 0..k].., s..]`, where `B` are the batch dimensions and `k` is the last size of the indices.
    ///
    /// Shapes: `output = indices[..q-1] ++ input[batch_dims+k..]`, `input[..batch_dims] = indices[..batch_dims]`, `k >= 1`,
    /// `batch_dims + k <= rank(input)`, `batch_dims < rank(indices)` ([`shape::nd`](crate::shape::nd)). Tuples of one coordinate
    /// have their dimension of size 1 as well: indices `[n, 1]`, not `[n]`.
    ///
    /// ONNX `GatherND`, DirectML `GATHER_ND` and `GATHER_ND1`, TensorFlow `gather_nd`.
    ///
    /// # Errors
    /// [`Error::RankMismatch`], [`Error::BatchDimsOutOfRange`], [`Error::TupleSizeOutOfRange`], [`Error::RankTooLarge`], [`Error::SizeMismatch`], [`Error::SizesOverflow`], [`Error::OffsetTooSmall`],
    /// [`Error::OverlappingOutput`].
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let gather = Gather::nd(&Layout::contiguous([2, 2]), &Layout::contiguous([3, 2]), &Layout::contiguous([3]), 0)?;
    /// let mut output = [0; 3];
    /// gather.run(&[10, 11, 20, 21], &[0, 1, /**/ 1, 0, /**/ -1, -1], &mut output)?;
    /// assert_eq!(output, [11, 20, 21]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub const fn nd(
        input: &Layout,
        indices: &Layout,
        output: &Layout,
        batch_dims: usize,
    ) -> Result<Gather, Error> {
        let mut gather = Gather { plan: Plan::NOTHING };
        tri!(gather.plan.nd(input, indices, output, batch_dims, Direction::Gather));
        Ok(gather)
    }

    /// The same gather with another rule for indices out of bounds; [`Bounds::Error`] if none is set.
    ///
    /// ```
    /// use strew::{Bounds, Gather, Layout};
    ///
    /// let (table, two) = (Layout::contiguous([3]), Layout::contiguous([2]));
    /// let gather = Gather::axis(&table, &two, &two, 0)?;
    /// let mut output = [0; 2];
    /// gather.bounds(Bounds::Clamp).run(&[10, 20, 30], &[1, 7], &mut output)?;
    /// assert_eq!(output, [20, 30]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn bounds(mut self, bounds: Bounds) -> Gather {
        self.plan.set_bounds(bounds);
        self
    }

    /// Gathers in one pass over the indices.
    ///
    /// # Errors
    /// - [`Error::SliceTooShort`]: the output is as it was.
    /// - [`Error::IndexOutOfBounds`]: names the first bad index. Entries before it in row-major order may be in the output already, nothing that
    ///   comes after it is. [`check`](Gather::check) first makes it all or nothing.
    ///
    /// ```
    /// use strew::{Error, Gather, Layout};
    ///
    /// let (table, two) = (Layout::contiguous([3]), Layout::contiguous([2]));
    /// let gather = Gather::axis(&table, &two, &two, 0)?;
    /// let mut output = [0; 2];
    /// gather.run(&[10, 20, 30], &[1, -1], &mut output)?;
    /// assert_eq!(output, [20, 30]);
    /// let error = gather.run(&[10, 20, 30], &[1, 3], &mut output);
    /// assert_eq!(error, Err(Error::IndexOutOfBounds { entry: 1, coordinate: 0, value: 3, size: 3 }));
    /// # Ok::<(), strew::Error>(())
    /// ```
    // Without std a constant plan must fold into the loops (tests/firmware/FIGURES.md); with it callers share them.
    #[cfg_attr(feature = "std", inline)]
    #[cfg_attr(not(feature = "std"), inline(always))]
    pub fn run<T: Element, I: Index>(
        &self,
        input: &[T],
        indices: &[I],
        output: &mut [T],
    ) -> Result<(), Error> {
        fits(Operand::Indices, self.plan.lengths.indices, indices.len())?;
        self.run_on::<T, I, false>(input, indices, output)
    }

    /// Gathers as [`run`](Gather::run) does, by functions that all plans share: for plans in memory on microcontrollers.
    ///
    /// Without `std`, `run` is compiled into its caller, which suits plans in constants. A plan in a `static`, behind a reference or made at run time is
    /// better off here: less code where there are several calls, and at opt-level 3 fewer instructions, and less stack unless an index is out of bounds.
    /// There are loops for single elements, and for rows that are, and lie at, multiples of 8 words; what is rarer takes several times as many instructions an entry.
    /// With `std` the two are the same.
    ///
    /// # Errors
    /// Those of [`run`](Gather::run).
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let (table, ids) = (Layout::contiguous([3, 2]), Layout::contiguous([2]));
    /// let gather = Gather::axis(&table, &ids, &Layout::contiguous([2, 2]), 0)?;
    /// let mut rows = [0; 4];
    /// gather.run_shared(&[1, 2, 3, 4, 5, 6], &[2, 0], &mut rows)?;
    /// assert_eq!(rows, [5, 6, 1, 2]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub fn run_shared<T: Element, I: Index>(
        &self,
        input: &[T],
        indices: &[I],
        output: &mut [T],
    ) -> Result<(), Error> {
        #[cfg(feature = "std")]
        return self.run(input, indices, output);
        #[cfg(not(feature = "std"))]
        shared::gather(&self.plan, input, indices, output)
    }

    /// Gathers with the threads of the rayon pool that it is called in: the same as [`run`](Gather::run) to the bit. Small calls run on the caller's thread.
    ///
    /// # Errors
    /// As those of [`run`](Gather::run). What is in the output then may be less than with one thread: nothing by a bad index, nor by those after it.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let gather = Gather::axis(&Layout::contiguous([1000, 64]), &Layout::contiguous([5000]), &Layout::contiguous([5000, 64]), 0)?;
    /// let (table, ids) = (vec![1.0; 64_000], vec![-1; 5000]);
    /// let mut rows = vec![0.0; 320_000];
    /// gather.par_run(&table, &ids, &mut rows)?;
    /// assert_eq!(rows, vec![1.0; 320_000]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run<T: Element + Send + Sync, I: Index>(
        &self,
        input: &[T],
        indices: &[I],
        output: &mut [T],
    ) -> Result<(), Error> {
        self.fits(input, output)?;
        match Division::of_gather::<T>(&self.plan) {
            Some(division) => {
                fits(Operand::Indices, self.plan.lengths.indices, indices.len())?;
                result(
                    &self.plan,
                    indices,
                    division.check_and_gather(&self.plan, indices, input, output),
                )
            }
            None => self.run(input, indices, output),
        }
    }

    /// Proves all indices, so that running cannot fail for their sake, with as many inputs as one likes.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`] for the indices, [`Error::IndexOutOfBounds`] for the first bad one.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let three = Layout::contiguous([3]);
    /// let gather = Gather::axis(&three, &three, &three, 0)?;
    /// let checked = gather.check(&[2_u16, 0, 1])?;
    /// let (mut sizes, mut ages) = ([0; 3], [0; 3]);
    /// checked.run(&[4, 5, 6], &mut sizes)?;
    /// checked.run(&[33, 44, 55], &mut ages)?;
    /// assert_eq!((sizes, ages), ([6, 4, 5], [55, 33, 44]));
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub fn check<'a, I: Index>(
        &'a self,
        indices: &'a [I],
    ) -> Result<Checked<'a, Gather, I>, Error> {
        check(&self.plan, indices)?;
        Ok(Checked { operator: self, indices })
    }

    #[inline(always)]
    pub(crate) fn run_on<T: Element, I: Index, const PROVEN: bool>(
        &self,
        input: &[T],
        indices: &[I],
        output: &mut [T],
    ) -> Result<(), Error> {
        self.fits(input, output)?;
        if run_plan::<T, I, PROVEN>(&self.plan, indices, input, output) {
            return Ok(());
        }
        walk::first_out_of_bounds(&self.plan, indices).map_or(Ok(()), Err)
    }

    #[inline(always)]
    fn fits<T>(&self, input: &[T], output: &[T]) -> Result<(), Error> {
        fits(Operand::Input, self.plan.lengths.table, input.len())?;
        fits(Operand::Output, self.plan.lengths.flat, output.len())
    }
}

/// Gathers what the plan describes. `false`: an index is out of bounds under `Bounds::Error`.
#[inline(always)]
pub(crate) fn run_plan<T: Element, I: Index, const PROVEN: bool>(
    plan: &Plan,
    indices: &[I],
    input: &[T],
    output: &mut [T],
) -> bool {
    #[cfg(feature = "std")]
    if plan.suits_vectors {
        return vectors::gather::<T, I, PROVEN>(plan, indices, input, output);
    }
    walk::run::<I, PROVEN>(plan, indices, Take { input, output })
}

impl<I: Index> Checked<'_, Gather, I> {
    /// Gathers, as [`Gather::run`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]: the output is as it was.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let (table, two) = (Layout::contiguous([3]), Layout::contiguous([2]));
    /// let gather = Gather::axis(&table, &two, &two, 0)?;
    /// let mut output = [0; 2];
    /// gather.check(&[1, -1])?.run(&[10, 20, 30], &mut output)?;
    /// assert_eq!(output, [20, 30]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[inline]
    pub fn run<T: Element>(&self, input: &[T], output: &mut [T]) -> Result<(), Error> {
        self.operator.run_on::<T, I, true>(input, self.indices, output)
    }

    /// Gathers, as [`Gather::par_run`] does.
    ///
    /// # Errors
    /// [`Error::SliceTooShort`]: the output is as it was.
    ///
    /// ```
    /// use strew::{Gather, Layout};
    ///
    /// let (table, two) = (Layout::contiguous([3]), Layout::contiguous([2]));
    /// let gather = Gather::axis(&table, &two, &two, 0)?;
    /// let mut output = [0; 2];
    /// gather.check(&[1, -1])?.par_run(&[10, 20, 30], &mut output)?;
    /// assert_eq!(output, [20, 30]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run<T: Element + Send + Sync>(
        &self,
        input: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        match Division::of_gather::<T>(&self.operator.plan) {
            Some(division) => {
                self.operator.fits(input, output)?;
                division.gather(self.indices, input, output);
                Ok(())
            }
            None => self.run(input, output),
        }
    }
}

/// `output[flat] = input[table]`
pub(crate) struct Take<'a, T> {
    pub input: &'a [T],
    pub output: &'a mut [T],
}

impl<T: Element> Mover for Take<'_, T> {
    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        if let Some(to) = self.output.get_mut(flat..flat.wrapping_add(n)) {
            copy_from(self.input, table, to);
        }
    }

    #[inline(always)]
    fn strided_row(&mut self, mut table: usize, mut flat: usize, dim: &Dim) {
        for _ in 0..dim.size {
            if let (Some(from), Some(to)) = (self.input.get(table), self.output.get_mut(flat)) {
                *to = *from;
            }
            table = table.wrapping_add_signed(dim.table);
            flat = flat.wrapping_add_signed(dim.flat);
        }
    }

    #[inline(always)]
    fn elements<I: Index, const K: usize, const PROVEN: bool>(
        &mut self,
        flat: usize,
        tuples: &[[I; K]],
        mut addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        for (to, tuple) in self.output.get_mut(flat..)?.iter_mut().zip(tuples) {
            if let Some(from) = self.input.get(addresses.next(tuple)?) {
                *to = *from;
            }
        }
        Some(())
    }

    #[inline(always)]
    fn rows<I: Index, const K: usize, const PROVEN: bool>(
        &mut self,
        flat: usize,
        n: usize,
        tuples: &[[I; K]],
        mut addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        let mut rest = self.output.get_mut(flat..)?;
        for tuple in tuples {
            let (to, more) = rest.split_at_mut_checked(n)?;
            copy_from(self.input, addresses.next(tuple)?, to);
            rest = more;
        }
        Some(())
    }

    #[cfg(not(feature = "std"))]
    #[inline(always)]
    fn blocks<I: Index, const K: usize, const PROVEN: bool, const B: usize>(
        &mut self,
        start: &Start,
        n: usize,
        tuples: &[[I; K]],
        mut addresses: Addresses<K, PROVEN>,
    ) -> Option<()> {
        let input = self.input.get(start.table..)?.as_chunks::<B>().0;
        let output = self.output.get_mut(start.flat..)?.as_chunks_mut::<B>().0;
        for (output, tuple) in output.chunks_exact_mut(n).zip(tuples) {
            let address = addresses.next(tuple)?;
            // Four at once, which compilers leave at that: what they make of a simple loop takes more registers.
            let (fours, blocks) = input.get(address..address.wrapping_add(n))?.as_chunks();
            let (output_fours, output) = output.as_chunks_mut();
            for ([a, b, c, d], [to_a, to_b, to_c, to_d]) in fours.iter().zip(output_fours) {
                copy_row(a, to_a);
                copy_row(b, to_b);
                copy_row(c, to_c);
                copy_row(d, to_d);
            }
            for (from, to) in blocks.iter().zip(output) {
                copy_row(from, to);
            }
        }
        Some(())
    }
}

/// `to = input[address..]`
#[inline(always)]
fn copy_from<T: Element>(input: &[T], address: usize, to: &mut [T]) {
    if let Some(from) = input.get(address..address.wrapping_add(to.len())) {
        copy_row(from, to);
    }
}
