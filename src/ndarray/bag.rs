//! Bags of arrays.

use core::convert::identity;

use ::ndarray::{ArrayD, ArrayRef, Dimension, IxDyn};
use bytemuck::Zeroable;

use super::axis::{AxisNumber, Number};
use super::view::{Source, Target, filled, fits};
use crate::bag::Bag;
use crate::element::Element;
use crate::error::{Error, Operand};
use crate::index::{Bounds, Index, Negative};
use crate::layout::SCALAR;
use crate::pool::Pool;
use crate::segments::Bags;

/// A [`Bag`] of slices along an axis of an array: they are gathered and reduced in one.
///
/// ```
/// use ndarray::array;
/// use strew::ndarray::Pooled;
/// use strew::{Add, Bags, Mean};
///
/// let table = array![[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
/// let (ids, offsets) = (array![2, 0, 1], Bags::Offsets(&[0, 2, 3]));
/// let means = Pooled::axis(0).run(Mean, &table, &ids, offsets)?;
/// assert_eq!(means, array![[3.0, 4.0], [3.0, 4.0]].into_dyn());
/// // The sum of both columns.
/// let sums = Pooled::axis(-1).run(
///     Add,
///     &table,
///     &array![0, 1],
///     Bags::Starts(&[0]),
/// )?;
/// assert_eq!(sums, array![[3.0], [7.0], [11.0]].into_dyn());
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "embedding_bag")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pooled {
    axis: Number,
    bounds: Bounds,
    negative: Negative,
    padding: Option<usize>,
}

impl Pooled {
    /// Bags along this axis, which may count from the end.
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Pooled;
    /// use strew::{Add, Bags};
    ///
    /// let table = array![[1, 2], [3, 4]];
    /// let bags = Bags::Starts(&[0]);
    /// let columns = Pooled::axis(-1).run(Add, &table, &array![0, 1], bags)?;
    /// assert_eq!(columns, array![[3], [7]].into_dyn());
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub fn axis(axis: impl AxisNumber) -> Pooled {
        let (bounds, negative) = (Bounds::Error, Negative::FromEnd);
        Pooled { axis: axis.number(), bounds, negative, padding: None }
    }

    /// The same bag with another policy for indices out of bounds: [`Bag::bounds`].
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Pooled;
    /// use strew::{Add, Bags, Bounds};
    ///
    /// let pooled = Pooled::axis(0).bounds(Bounds::Clamp);
    /// let (table, ids) = (array![10, 20, 30], array![1, 7]);
    /// let sum = pooled.run(Add, &table, &ids, Bags::Starts(&[0]))?;
    /// assert_eq!(sum, array![50].into_dyn());
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn bounds(self, bounds: Bounds) -> Pooled {
        Pooled { bounds, ..self }
    }

    /// The same bag with another meaning of indices below 0: [`Bag::negative`].
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Pooled;
    /// use strew::{Add, Bags, Bounds, Negative};
    ///
    /// let pooled = Pooled::axis(0).bounds(Bounds::Skip);
    /// let pooled = pooled.negative(Negative::OutOfBounds);
    /// let (table, ids) = (array![10, 20, 30], array![1, -1]);
    /// let sum = pooled.run(Add, &table, &ids, Bags::Starts(&[0]))?;
    /// assert_eq!(sum, array![20].into_dyn());
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn negative(self, negative: Negative) -> Pooled {
        Pooled { negative, ..self }
    }

    /// The same bag without the entries that lead to this position: [`Bag::padding`].
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Pooled;
    /// use strew::{Bags, Mean};
    ///
    /// let (table, ids) = (array![9.0, 1.0, 2.0], array![1, 0, 2]);
    /// let pooled = Pooled::axis(0).padding(0);
    /// let mean = pooled.run(Mean, &table, &ids, Bags::Starts(&[0]))?;
    /// assert_eq!(mean, array![1.5].into_dyn());
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[must_use]
    pub const fn padding(self, position: usize) -> Pooled {
        Pooled { padding: Some(position), ..self }
    }

    /// Reduces the slices of each bag to a new array: `output[p.., b, s..]`, where `p` are the
    /// dimensions of the table before the axis and `s` those after it. A bag without entries
    /// gives 0. A table with gaps is copied.
    ///
    /// # Errors
    /// [`Error::AxisOutOfRange`], those of [`Bag::new`] and [`Bag::run`], and
    /// [`Error::SizesOverflow`] if there is no memory for the output or a copy.
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Pooled;
    /// use strew::{Bags, Max};
    ///
    /// let (table, ids) = (array![[1, 6], [5, 2]], array![0, 1]);
    /// let most = Pooled::axis(0).run(Max, &table, &ids, Bags::Starts(&[0]))?;
    /// assert_eq!(most, array![[5, 6]].into_dyn());
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn run<
        T: Element + Zeroable,
        I: Index,
        O: Index,
        P: Pool<T>,
        D: Dimension,
        E: Dimension,
    >(
        self,
        pool: P,
        table: &ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        bags: Bags<'_, O>,
    ) -> Result<ArrayD<T>, Error> {
        self.run_map(pool, table, indices, bags, identity)
    }

    /// [`run`](Pooled::run) for a table of another type: [`Bag::run_map`].
    ///
    /// # Errors
    /// Those of [`run`](Pooled::run).
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Pooled;
    /// use strew::{Add, Bags};
    ///
    /// let table = array![200_u8, 100];
    /// let sums = Pooled::axis(0).run_map(
    ///     Add,
    ///     &table,
    ///     &array![0, 1],
    ///     Bags::Starts(&[0]),
    ///     u32::from,
    /// )?;
    /// assert_eq!(sums, array![300].into_dyn());
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn run_map<T: Element, U, I: Index, O: Index, P: Pool<U>, D: Dimension, E: Dimension>(
        self,
        pool: P,
        table: &ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        bags: Bags<'_, O>,
        map: impl Fn(T) -> U,
    ) -> Result<ArrayD<U>, Error>
    where
        U: Element + Zeroable,
    {
        self.with(table, indices, bags, |bag, table, indices, output| {
            bag.run_map(pool, table, indices, bags, output, map)
        })
    }

    /// [`run`](Pooled::run) with the threads of the rayon pool that it is called in.
    ///
    /// # Errors
    /// Those of [`run`](Pooled::run).
    ///
    /// ```
    /// use ndarray::{Array1, Array2};
    /// use strew::ndarray::Pooled;
    /// use strew::{Add, Bags};
    ///
    /// let table = Array2::from_elem((1000, 64), 1.0);
    /// let ids = Array1::from_elem(20_000, -1);
    /// let sums = Pooled::axis(0).par_run(
    ///     Add,
    ///     &table,
    ///     &ids,
    ///     Bags::Lengths(&[20; 1000]),
    /// )?;
    /// assert_eq!(sums, Array2::from_elem((1000, 64), 20.0).into_dyn());
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_run<T, I: Index, O: Index, P: Pool<T> + Sync, D: Dimension, E: Dimension>(
        self,
        pool: P,
        table: &ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        bags: Bags<'_, O>,
    ) -> Result<ArrayD<T>, Error>
    where
        T: Element + Zeroable + Send + Sync,
    {
        self.with(table, indices, bags, |bag, table, indices, output| {
            bag.par_run(pool, table, indices, bags, output)
        })
    }

    fn with<T: Element, U: Element + Zeroable, I: Index, O, D: Dimension, E: Dimension>(
        self,
        table: &ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        bags: Bags<'_, O>,
        run: impl FnOnce(&Bag, &[T], &[I], &mut [U]) -> Result<(), Error>,
    ) -> Result<ArrayD<U>, Error> {
        fits(table.shape(), Operand::Input)?;
        let axis = self.axis.of(table.ndim());
        if axis >= table.ndim() {
            let (operand, expected) = (Operand::Input, table.ndim());
            return Err(Error::AxisOutOfRange { operand, expected, found: axis });
        }
        let mut sizes = table.shape().to_vec();
        sizes.iter_mut().skip(axis).take(1).for_each(|size| *size = bags.number());
        let mut output = filled(&sizes, U::zeroed())?;
        // A bag has its axis first.
        let first: Vec<usize> =
            [axis].into_iter().chain((0..sizes.len()).filter(|dim| *dim != axis)).collect();
        let table = table.view().into_dyn().permuted_axes(IxDyn(&first));
        let (mut layout, mut entries, mut flat) = (SCALAR, SCALAR, SCALAR);
        let table = Source::new(&table, Operand::Input, &mut layout)?;
        let indices = Source::new(indices, Operand::Indices, &mut entries)?;
        let mut to = output.view_mut().permuted_axes(IxDyn(&first));
        let to = Target::new(&mut to, Operand::Output, &mut flat)?;
        let bag = Bag::new(&layout, &entries, &flat)?;
        let bag = bag.bounds(self.bounds).negative(self.negative);
        let bag = self.padding.map_or(bag, |position| bag.padding(position));
        let (table, indices) = (table.elements()?, indices.elements()?);
        to.write(Operand::Output, false, |to| run(&bag, &table, &indices, to))?;
        Ok(output)
    }
}
