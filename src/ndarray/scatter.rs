//! Scatters of arrays.

use ::ndarray::{ArrayRef, Dimension, MathCell};
use strew_simd::Block;

use super::grid::{Cost, From, Grid, To};
use super::view::{Source, Target, fits, reserve};
use super::{Operator, broadcast, grid};
use crate::average::Average;
use crate::cells;
use crate::element::Element;
use crate::engine::changed::{By, Reduced, Reducer as _};
use crate::engine::movers::Way;
use crate::error::{Direction, Error, Operand};
use crate::index::Index;
use crate::layout::SCALAR;
use crate::plan::Plan;
use crate::reduction::{Add, Assign, Reduction};
use crate::run;
use crate::scatter::{Scatter, mapped};

impl Operator {
    /// Assigns in place; the last update of a place stays.
    ///
    /// # Errors
    /// Those of the constructor and of [`Scatter::run`]; [`Error::SizesOverflow`] if there is no
    /// memory for a copy. The data is as it was.
    ///
    /// ```
    /// use ndarray::{array, Array2, aview0};
    /// use strew::ndarray::Operator;
    ///
    /// let mut board = Array2::zeros((2, 3));
    /// let seven = aview0(&7);
    /// let updates = seven.broadcast(2).unwrap();
    /// Operator::nd(0).scatter(&mut board, &array![[0, 1], [1, -1]], &updates)?;
    /// assert_eq!(board, array![[0, 7, 0], [0, 0, 7]]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn scatter<T: Element, I: Index, D: Dimension, E: Dimension, F: Dimension>(
        self,
        data: &mut ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        updates: &ArrayRef<T, F>,
    ) -> Result<(), Error> {
        self.reduce(Assign, data, indices, updates)
    }

    /// Combines in place, in row-major order of the indices.
    ///
    /// # Errors
    /// Those of the constructor and of [`Scatter::reduce`]; [`Error::SizesOverflow`] if there is no
    /// memory for a copy. The data is as it was.
    ///
    /// ```
    /// use ndarray::{array, Array1};
    /// use strew::{Max, ndarray::Operator};
    ///
    /// let mut highest = Array1::from_elem(2, f32::NEG_INFINITY);
    /// Operator::axis(0).reduce(
    ///     Max,
    ///     &mut highest,
    ///     &array![1, 0, 1],
    ///     &array![1.0, 2.0, 3.0],
    /// )?;
    /// assert_eq!(highest, array![2.0, 3.0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn reduce<T: Element, I: Index, R, D: Dimension, E: Dimension, F: Dimension>(
        self,
        reduction: R,
        data: &mut ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        updates: &ArrayRef<T, F>,
    ) -> Result<(), Error>
    where
        R: Reduction<T>,
    {
        self.combine(&reduction, data, indices, updates, |scatter, data, indices, updates| {
            run::scatter(&scatter.plan, &reduction, data, indices, updates)
        })
    }

    /// Combines with updates of another type, as [`Scatter::reduce_map`] does; [`Assign`] is the
    /// reduction that assigns.
    ///
    /// # Errors
    /// Those of [`reduce`](Operator::reduce).
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::{Add, ndarray::Operator};
    ///
    /// let mut sums = array![0_u32, 0];
    /// let updates = array![200_u8, 100];
    /// Operator::axis(0).reduce_map(
    ///     Add,
    ///     &mut sums,
    ///     &array![1, 1],
    ///     &updates,
    ///     u32::from,
    /// )?;
    /// assert_eq!(sums, array![0, 300]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn reduce_map<T, U, I: Index, R, D: Dimension, E: Dimension, F: Dimension>(
        self,
        reduction: R,
        data: &mut ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        updates: &ArrayRef<U, F>,
        map: impl Fn(U) -> T,
    ) -> Result<(), Error>
    where
        T: Element,
        U: Element,
        R: Reduction<T>,
    {
        let change = mapped(&reduction, &map);
        let kernel = |updates: &[U], data: &mut [T], block: &Block<'_>, way: &Way| {
            By(change).block(data, updates, block, way);
        };
        let with_gaps =
            |plan: &Plan, data: To<'_, '_, T>, indices: &[I], updates: From<'_, '_, U>| {
                let change = |to: &MathCell<T>, from: &U| to.set(change(to.get(), *from));
                grid::run::<false, _, _, _>(plan, indices, &updates, data, change, &kernel)
            };
        self.write(
            data,
            indices,
            updates,
            &grid::WRITTEN,
            &with_gaps,
            |scatter, data, indices, updates| {
                run::change(&scatter.plan, change, data, indices, updates)
            },
        )
    }

    /// [`scatter`](Operator::scatter) with the threads of the rayon pool that it is called in.
    ///
    /// # Errors
    /// Those of [`scatter`](Operator::scatter).
    ///
    /// ```
    /// use ndarray::{Array1, array};
    /// use strew::ndarray::Operator;
    ///
    /// let mut data = Array1::zeros(2);
    /// Operator::axis(0).par_scatter(&mut data, &array![1, 1], &array![7, 8])?;
    /// assert_eq!(data, array![0, 8]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_scatter<T, I: Index, D: Dimension, E: Dimension, F: Dimension>(
        self,
        data: &mut ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        updates: &ArrayRef<T, F>,
    ) -> Result<(), Error>
    where
        T: Element + Send + Sync,
    {
        self.par_reduce(Assign, data, indices, updates)
    }

    /// [`reduce`](Operator::reduce) with the threads of the rayon pool that it is called in.
    ///
    /// # Errors
    /// Those of [`reduce`](Operator::reduce).
    ///
    /// ```
    /// use ndarray::{Array1, array};
    /// use strew::{Add, ndarray::Operator};
    ///
    /// let mut data = Array1::zeros(2);
    /// Operator::axis(0).par_reduce(Add, &mut data, &array![1, 1], &array![7, 8])?;
    /// assert_eq!(data, array![0, 15]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_reduce<T, I: Index, R, D: Dimension, E: Dimension, F: Dimension>(
        self,
        reduction: R,
        data: &mut ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        updates: &ArrayRef<T, F>,
    ) -> Result<(), Error>
    where
        T: Element + Send + Sync,
        R: Reduction<T> + Sync,
    {
        self.combine(&reduction, data, indices, updates, |scatter, data, indices, updates| {
            run::par_scatter(&scatter.plan, &reduction, data, indices, false, updates)
        })
    }

    /// `output = input`, then the reduction, as [`Scatter::reduce_into`] does; [`Assign`] is the
    /// reduction that assigns.
    ///
    /// # Errors
    /// Those of [`reduce`](Operator::reduce), and [`Error::RankMismatch`] or
    /// [`Error::SizeMismatch`] for an output that has not the shape of the input. The output is as
    /// it was.
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::{Assign, ndarray::Operator};
    ///
    /// let (before, mut after) = (array![1, 2, 3], array![0, 0, 0]);
    /// Operator::axis(0).reduce_into(
    ///     Assign,
    ///     &before,
    ///     &array![-1],
    ///     &array![9],
    ///     &mut after,
    /// )?;
    /// assert_eq!(after, array![1, 2, 9]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn reduce_into<T: Element, I: Index, R, D: Dimension, E: Dimension, F: Dimension>(
        self,
        reduction: R,
        input: &ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        updates: &ArrayRef<T, F>,
        output: &mut ArrayRef<T, D>,
    ) -> Result<(), Error>
    where
        R: Reduction<T>,
    {
        fits(input.shape(), Operand::Input)?;
        for (dimension, (expected, found)) in input.shape().iter().zip(output.shape()).enumerate() {
            if expected != found {
                let (operand, expected, found) = (Operand::Output, *expected, *found);
                return Err(Error::SizeMismatch { operand, dimension, expected, found });
            }
        }
        if input.ndim() != output.ndim() {
            let (operand, expected, found) = (Operand::Output, input.ndim(), output.ndim());
            return Err(Error::RankMismatch { operand, expected, found });
        }
        // What could fail comes before the copy.
        self.check(input.shape(), indices)?;
        let nothing = |_: &Scatter, _: &mut [T], _: &[I], _: &[T]| Ok(());
        let with_gaps = |_: &Plan, _: To<'_, '_, T>, _: &[I], _: From<'_, '_, T>| Ok(());
        self.write(output, indices, updates, &grid::WRITTEN, &with_gaps, nothing)?;
        output.assign(input);
        self.reduce(reduction, output, indices, updates)
    }

    /// Combines in place without the values that are there, as [`Scatter::reduce_excluding_self`]
    /// does.
    ///
    /// # Errors
    /// Those of [`reduce`](Operator::reduce).
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::{Add, ndarray::Operator};
    ///
    /// let mut data = array![100, 100];
    /// let (indices, updates) = (array![1, 1], array![1, 2]);
    /// Operator::axis(0)
    ///     .reduce_excluding_self(Add, &mut data, &indices, &updates)?;
    /// assert_eq!(data, array![100, 3]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn reduce_excluding_self<T, I: Index, R, D: Dimension, E: Dimension, F: Dimension>(
        self,
        reduction: R,
        data: &mut ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        updates: &ArrayRef<T, F>,
    ) -> Result<(), Error>
    where
        T: Element,
        R: Reduction<T>,
    {
        self.note(&ExcludingSelf(&reduction), data, indices, updates)
    }

    /// The mean of the value that is there and all updates, as [`Scatter::mean`].
    ///
    /// # Errors
    /// Those of [`reduce`](Operator::reduce).
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Operator;
    ///
    /// let mut data = array![2.0, 5.0];
    /// Operator::axis(0).mean(&mut data, &array![0, 0], &array![3.0, 7.0])?;
    /// assert_eq!(data, array![4.0, 5.0]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn mean<T: Average, I: Index, D: Dimension, E: Dimension, F: Dimension>(
        self,
        data: &mut ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        updates: &ArrayRef<T, F>,
    ) -> Result<(), Error>
    where
        Add: Reduction<T>,
    {
        self.note(&Mean { excluding_self: false }, data, indices, updates)
    }

    /// The mean of all updates, as [`Scatter::mean_excluding_self`].
    ///
    /// # Errors
    /// Those of [`reduce`](Operator::reduce).
    ///
    /// ```
    /// use ndarray::array;
    /// use strew::ndarray::Operator;
    ///
    /// let mut data = array![2_u8, 5];
    /// Operator::axis(0).mean_excluding_self(
    ///     &mut data,
    ///     &array![0, 0],
    ///     &array![200, 100],
    /// )?;
    /// assert_eq!(data, array![150, 5]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub fn mean_excluding_self<T: Average, I: Index, D: Dimension, E: Dimension, F: Dimension>(
        self,
        data: &mut ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        updates: &ArrayRef<T, F>,
    ) -> Result<(), Error>
    where
        Add: Reduction<T>,
    {
        self.note(&Mean { excluding_self: true }, data, indices, updates)
    }

    /// Runs what notes something of each place on slices, or on a copy of the places that the
    /// indices name in a large table.
    fn note<T: Element, I: Index, D: Dimension, E: Dimension, F: Dimension>(
        self,
        noting: &impl Noting<T>,
        data: &mut ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        updates: &ArrayRef<T, F>,
    ) -> Result<(), Error> {
        let with_gaps =
            |plan: &Plan, data: To<'_, '_, T>, indices: &[I], updates: From<'_, '_, T>| {
                let (To::Grid(data), From::Slice(updates)) = (data, updates) else { return Ok(()) };
                data.on_places(plan, indices, |scatter, data, indices| {
                    noting.run(scatter, data, indices, updates)
                })
            };
        self.write(
            data,
            indices,
            updates,
            &grid::SORTED,
            &with_gaps,
            |scatter, data, indices, updates| noting.run(scatter, data, indices, updates),
        )
    }

    /// Combines in the grid of a large table, or by `run` on slices.
    fn combine<T: Element, I: Index, R, D: Dimension, E: Dimension, F: Dimension>(
        self,
        reduction: &R,
        data: &mut ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        updates: &ArrayRef<T, F>,
        run: impl FnOnce(&Scatter, &mut [T], &[I], &[T]) -> Result<(), Error>,
    ) -> Result<(), Error>
    where
        R: Reduction<T>,
    {
        let (bytes, shape) = (size_of::<T>(), data.raw_dim());
        let mut room = heapless::Vec::new();
        let (shape, flat) = (shape.slice(), updates.shape());
        let plain = self.plain(Direction::Scatter, bytes, shape, indices, flat, &mut room);
        if let Some(plain) = &plain
            && plain.scatter(reduction, data, updates)
        {
            return Ok(());
        }
        let with_gaps =
            |plan: &Plan, data: To<'_, '_, T>, indices: &[I], updates: From<'_, '_, T>| {
                let change =
                    |to: &MathCell<T>, from: &T| to.set(reduction.combine(to.get(), *from));
                let kernel = |updates: &[T], data: &mut [T], block: &Block<'_>, way: &Way| {
                    Reduced(reduction).block(data, updates, block, way);
                };
                grid::run::<false, _, _, _>(plan, indices, &updates, data, change, &kernel)
            };
        self.write(data, indices, updates, &grid::WRITTEN, &with_gaps, run)
    }

    /// Plans a scatter, with updates that are broadcast, and runs it on slices, or in the grid of a
    /// large table, at this cost.
    #[inline(never)]
    fn write<T: Element, U: Element, I: Index, D: Dimension, E: Dimension, F: Dimension>(
        self,
        data: &mut ArrayRef<T, D>,
        indices: &ArrayRef<I, E>,
        updates: &ArrayRef<U, F>,
        cost: &Cost,
        with_gaps: &WithGaps<'_, T, U, I>,
        run: impl FnOnce(&Scatter, &mut [T], &[I], &[U]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut scatter = Scatter { plan: Plan::NOTHING, data: SCALAR };
        let (mut entries, mut flat, mut wanted) = (SCALAR, SCALAR, SCALAR);
        let data = Target::new(data, Operand::Data, &mut scatter.data)?;
        let updates = Source::new(updates, Operand::Updates, &mut flat)?;
        let indices = Source::new(indices, Operand::Indices, &mut entries)?;
        self.sizes(&mut wanted, &scatter.data, &entries)?;
        let layouts = [&scatter.data, &entries, &flat];
        let row = self.row_of_neighbours(data.gaps(), layouts, wanted.rank());
        let most = self.most_copied(&entries, &wanted, row, cost);
        let grid = Grid::new(data.gaps(), most, &mut scatter.data);
        let sorts = cost.row.is_none();
        let from = updates.gaps().filter(|_| !sorts).and_then(|view| {
            let rows = self.moves_rows(&scatter.data, &entries, &flat, wanted.rank());
            Grid::new(Some(view), grid::most_packed::<U>(rows), &mut flat)
        });
        broadcast(&mut flat, wanted.sizes());
        self.plan(&mut scatter.plan, &scatter.data, &entries, &flat, Direction::Scatter)?;
        let indices = indices.elements()?;
        let elements;
        let from = match &from {
            Some(grid) => From::Grid(grid),
            None => {
                elements = updates.elements()?;
                From::Slice(&elements)
            }
        };
        match (grid, from) {
            (Some(grid), from) => with_gaps(&scatter.plan, To::Grid(&grid), &indices, from),
            (None, From::Slice(updates)) => {
                data.write(Operand::Data, false, |data| run(&scatter, data, &indices, updates))
            }
            (None, from) => data.write(Operand::Data, false, |data| {
                with_gaps(&scatter.plan, To::Slice(data), &indices, from)
            }),
        }
    }
}

/// How a scatter goes of which not all tensors are slices.
type WithGaps<'a, T, U, I> =
    dyn Fn(&Plan, To<'_, '_, T>, &[I], From<'_, '_, U>) -> Result<(), Error> + 'a;

/// A scatter that notes something of each place, for any type of index.
trait Noting<T> {
    fn run<I: Index>(
        &self,
        scatter: &Scatter,
        data: &mut [T],
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error>;
}

struct ExcludingSelf<'a, R>(&'a R);

impl<T: Element, R: Reduction<T>> Noting<T> for ExcludingSelf<'_, R> {
    fn run<I: Index>(
        &self,
        Scatter { plan, .. }: &Scatter,
        data: &mut [T],
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error> {
        let flags = &mut words(cells::flags_len(plan))?;
        cells::reduce_excluding_self(plan, indices, false, self.0, data, updates, flags)
    }
}

struct Mean {
    excluding_self: bool,
}

impl<T: Average> Noting<T> for Mean
where
    Add: Reduction<T>,
{
    fn run<I: Index>(
        &self,
        Scatter { plan, .. }: &Scatter,
        data: &mut [T],
        indices: &[I],
        updates: &[T],
    ) -> Result<(), Error> {
        let scratch = &mut words(cells::mean_len::<T>(plan))?;
        let already = u64::from(!self.excluding_self);
        cells::average(plan, indices, false, already, data, updates, scratch)
    }
}

/// Words of scratch, all 0.
fn words(length: usize) -> Result<Vec<u32>, Error> {
    let mut words = reserve(length, Operand::Data)?;
    words.resize(length, 0);
    Ok(words)
}
