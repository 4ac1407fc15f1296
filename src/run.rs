//! Runs a plan: the one place that knows whether there is an engine.
//!
//! What is checked first, with and without it: the length of the indices; for a gather the other
//! slices, then the values of the indices; for a scatter these values, then the other slices.

use core::mem::MaybeUninit;

use crate::element::Element;
#[cfg(feature = "std")]
use crate::engine::entries::{Entries, Room};
#[cfg(feature = "std")]
use crate::engine::{self, By, Reduced};
#[cfg(feature = "ndarray")]
use crate::error::Direction;
use crate::error::{Error, Operand};
use crate::index::Bounds;
use crate::indices::sealed::Places;
use crate::layout::Layout;
use crate::map::Source;
#[cfg(not(feature = "std"))]
use crate::map::{Call, Mapped};
#[cfg(not(feature = "std"))]
use crate::movers::Combine;
use crate::plan::Plan;
#[cfg(not(feature = "std"))]
use crate::portable::map::{Change, Read};
#[cfg(not(feature = "std"))]
use crate::portable::{self, movers::Take};
use crate::proof::fits;
#[cfg(feature = "std")]
use crate::reduction::Call;
use crate::reduction::Reduction;
use crate::walk;
#[cfg(not(feature = "std"))]
use crate::walk::Walked;

// What `run_shared` calls: with `std` all plans share functions.
#[cfg(feature = "std")]
pub(crate) use self::gather as gather_shared;
#[cfg(not(feature = "std"))]
pub(crate) use crate::portable::shared::{gather as gather_shared, scatter as scatter_shared};

/// `output[flat] = input[table]`
#[inline(always)]
pub(crate) fn gather<T: Element, S: Places>(
    plan: &Plan,
    input: &[T],
    indices: S,
    output: &mut [T],
) -> Result<(), Error> {
    gather_fits(plan, input.len(), indices, output)?;
    #[cfg(feature = "std")]
    let inside = engine::gather(plan, indices, false, input, output);
    #[cfg(not(feature = "std"))]
    let inside = portable::run::<S, false>(plan, indices, Take { input, output });
    result(plan, indices, inside)
}

/// [`gather`] to memory without values: every place is written.
#[inline(always)]
pub(crate) fn gather_uninit<T: Element, S: Places>(
    plan: &Plan,
    input: &[T],
    indices: S,
    output: &mut [MaybeUninit<T>],
) -> Result<(), Error> {
    gather_fits(plan, input.len(), indices, output)?;
    writes_all(plan, indices)?;
    #[cfg(feature = "std")]
    let inside = engine::gather(plan, indices, false, input, output);
    #[cfg(not(feature = "std"))]
    let inside = {
        let source = Mapped { input, map: Call(&MaybeUninit::new) };
        portable::run::<S, false>(plan, indices, Read { source, output })
    };
    written(plan, indices, inside)
}

/// [`gather_uninit`] with threads.
#[cfg(feature = "rayon")]
pub(crate) fn par_gather_uninit<T: Element, S: Places>(
    plan: &Plan,
    input: &[T],
    indices: S,
    proven: bool,
    output: &mut [MaybeUninit<T>],
) -> Result<(), Error> {
    gather_fits(plan, input.len(), indices, output)?;
    writes_all(plan, indices)?;
    written(plan, indices, engine::par_gather(plan, indices, proven, input, output))
}

/// [`gather_uninit`] to the end of a vector, which is as it was if that fails.
#[cfg(feature = "std")]
pub(crate) fn append<T: Element, S: Places>(
    plan: &Plan,
    input: &[T],
    indices: S,
    proven: bool,
    output: &mut Vec<T>,
) -> Result<(), Error> {
    indices.fit(plan.lengths.indices)?;
    fits(Operand::Input, plan.lengths.table, input.len())?;
    writes_all(plan, indices)?;
    let (expected, found) = (plan.moved_elements(), plan.lengths.flat);
    if found != expected {
        return Err(Error::OutputNotPacked { expected, found });
    }
    let no_memory = Error::SizesOverflow { operand: Operand::Output };
    output.try_reserve(found).map_err(|_| no_memory)?;
    let start = output.len();
    let inside = engine::append(plan, indices, proven, input, output);
    if !inside {
        output.truncate(start);
    }
    written(plan, indices, inside)
}

/// Fails if places of the output may be left as they are: under `Skip`, or where indices may not
/// count. Any other policy finds a place for every index, unless the axis has none.
#[inline(always)]
fn writes_all<S: Places>(plan: &Plan, indices: S) -> Result<(), Error> {
    if S::NULLABLE || matches!(plan.bounds, Bounds::Skip) {
        return Err(Error::PolicyNotSupported { found: Bounds::Skip });
    }
    if plan.empty && plan.lengths.flat > 0 {
        let mut strict = *plan;
        strict.set_bounds(Bounds::Error);
        return result(&strict, indices, false);
    }
    Ok(())
}

/// [`gather`] and [`Proven::gather`] with threads.
#[cfg(feature = "rayon")]
pub(crate) fn par_gather<T: Element, S: Places>(
    plan: &Plan,
    input: &[T],
    indices: S,
    proven: bool,
    output: &mut [T],
) -> Result<(), Error> {
    gather_fits(plan, input.len(), indices, output)?;
    result(plan, indices, engine::par_gather(plan, indices, proven, input, output))
}

#[inline(always)]
fn gather_fits<S: Places, U>(
    plan: &Plan,
    input: usize,
    indices: S,
    output: &[U],
) -> Result<(), Error> {
    indices.fit(plan.lengths.indices)?;
    fits(Operand::Input, plan.lengths.table, input)?;
    fits(Operand::Output, plan.lengths.flat, output.len())
}

/// `data[table] = reduction(data[table], updates[flat])`
#[inline(always)]
pub(crate) fn scatter<T: Element, S: Places, R: Reduction<T>>(
    plan: &Plan,
    reduction: &R,
    data: &mut [T],
    indices: S,
    updates: &[T],
) -> Result<(), Error> {
    #[cfg(feature = "std")]
    {
        all_fit(plan, data, indices, updates)?;
        let call = Scattering { plan, indices, proven: false, before: None, data, updates };
        result(plan, indices, reduction.call(call))
    }
    #[cfg(not(feature = "std"))]
    {
        check(plan, indices)?;
        Proven { plan, indices }.scatter(reduction, data, updates)
    }
}

/// What `reduce_shared` calls.
#[cfg(feature = "std")]
#[inline(always)]
pub(crate) fn scatter_shared<T: Element, S: Places, R: Reduction<T>>(
    plan: &Plan,
    reduction: R,
    data: &mut [T],
    indices: S,
    updates: &[T],
) -> Result<(), Error> {
    scatter(plan, &reduction, data, indices, updates)
}

/// A scatter in place, or to a copy of an input, for a reduction of any type.
#[cfg(feature = "std")]
struct Scattering<'a, T, S> {
    plan: &'a Plan,
    indices: S,
    proven: bool,
    before: Option<engine::Before<'a, T>>,
    data: &'a mut [T],
    updates: &'a [T],
}

#[cfg(feature = "std")]
impl<T: Element, S: Places> Call<T> for Scattering<'_, T, S> {
    type Output = bool;

    #[inline]
    fn with<R: Reduction<T>>(self, reduction: &R) -> bool {
        let Scattering { plan, indices, proven, before, data, updates } = self;
        let reduction = &Reduced(reduction);
        engine::scatter(plan, indices, proven, reduction, before, data, updates)
    }
}

/// [`scatter`] and [`Proven::scatter`] with threads.
#[cfg(feature = "rayon")]
pub(crate) fn par_scatter<T: Element, S: Places, R: Reduction<T> + Sync>(
    plan: &Plan,
    reduction: &R,
    data: &mut [T],
    indices: S,
    proven: bool,
    updates: &[T],
) -> Result<(), Error> {
    all_fit(plan, data, indices, updates)?;
    let reduction = &Reduced(reduction);
    result(plan, indices, engine::par_scatter(plan, indices, proven, reduction, data, updates))
}

/// Whether the slices are long enough. If one of the others is not, indices out of bounds come
/// first.
#[cfg(feature = "std")]
#[inline(always)]
fn all_fit<T, U, S: Places>(
    plan: &Plan,
    data: &[T],
    indices: S,
    updates: &[U],
) -> Result<(), Error> {
    indices.fit(plan.lengths.indices)?;
    if let Err(error) = scatter_fits(plan, data, updates) {
        check(plan, indices)?;
        return Err(error);
    }
    Ok(())
}

/// The plan, if the slices of a scatter but for the indices are long enough.
// With `inline`, or with a result of (), images without std are larger (tests/firmware/FIGURES.md).
pub(crate) fn scatter_fits<'a, T, U>(
    plan: &'a Plan,
    data: &[T],
    updates: &[U],
) -> Result<&'a Plan, Error> {
    fits(Operand::Data, plan.lengths.table, data.len())?;
    fits(Operand::Updates, plan.lengths.flat, updates.len())?;
    Ok(plan)
}

/// `output[flat] = source[table]`
#[inline(always)]
pub(crate) fn read<U: Element, F: Source<U>, S: Places>(
    plan: &Plan,
    source: F,
    indices: S,
    output: &mut [U],
) -> Result<(), Error> {
    gather_fits(plan, source.len(), indices, output)?;
    #[cfg(feature = "std")]
    let inside = engine::read(plan, indices, false, source, output);
    #[cfg(not(feature = "std"))]
    let inside = portable::run::<S, false>(plan, indices, Read { source, output });
    result(plan, indices, inside)
}

/// [`read`] and [`Proven::read`] with threads.
#[cfg(feature = "rayon")]
pub(crate) fn par_read<U: Element, F: Source<U> + Send, S: Places>(
    plan: &Plan,
    source: F,
    indices: S,
    proven: bool,
    output: &mut [U],
) -> Result<(), Error> {
    gather_fits(plan, source.len(), indices, output)?;
    result(plan, indices, engine::par_read(plan, indices, proven, source, output))
}

/// `data[table] = change(data[table], updates[flat])`
#[inline(always)]
pub(crate) fn change<T: Element, U: Element, S: Places>(
    plan: &Plan,
    change: impl Fn(T, U) -> T + Copy,
    data: &mut [T],
    indices: S,
    updates: &[U],
) -> Result<(), Error> {
    #[cfg(feature = "std")]
    {
        all_fit(plan, data, indices, updates)?;
        let change = &By(change);
        result(plan, indices, engine::scatter(plan, indices, false, change, None, data, updates))
    }
    #[cfg(not(feature = "std"))]
    {
        check(plan, indices)?;
        Proven { plan, indices }.change(change, data, updates)
    }
}

/// [`change`] and [`Proven::change`] with threads.
#[cfg(feature = "rayon")]
pub(crate) fn par_change<T: Element, U: Element, S: Places>(
    plan: &Plan,
    change: impl Fn(T, U) -> T + Copy + Sync,
    data: &mut [T],
    indices: S,
    proven: bool,
    updates: &[U],
) -> Result<(), Error> {
    all_fit(plan, data, indices, updates)?;
    let change = &By(change);
    result(plan, indices, engine::par_scatter(plan, indices, proven, change, data, updates))
}

/// A scatter to a copy of the input, which may lie in memory in another way than the output.
#[derive(Clone, Copy)]
pub(crate) struct Into<'a, T> {
    pub input: &'a [T],
    pub layout: &'a Layout,
    pub output: &'a Layout,
}

impl<T: Element> Into<'_, T> {
    /// The plan of the copy, for slices that are long enough.
    fn copy(&self, plan: &Plan, updates: &[T], output: &[T]) -> Result<Plan, Error> {
        fits(Operand::Output, plan.lengths.table, output.len())?;
        fits(Operand::Updates, plan.lengths.flat, updates.len())?;
        // The most common copy: a proof takes 50 ns, and firmware saves the code.
        #[cfg(feature = "std")]
        if self.layout == self.output && self.output.elements() == Some(plan.lengths.table) {
            fits(Operand::Input, plan.lengths.table, self.input.len())?;
            return Ok(Plan::whole(plan.lengths.table));
        }
        let copy = Plan::copy(self.layout, self.output)?;
        fits(Operand::Input, copy.lengths.table, self.input.len())?;
        Ok(copy)
    }
}

/// `output = input`, then the scatter.
pub(crate) fn scatter_into<T: Element, S: Places, R: Reduction<T>>(
    plan: &Plan,
    reduction: &R,
    into: Into<'_, T>,
    indices: S,
    updates: &[T],
    output: &mut [T],
) -> Result<(), Error> {
    #[cfg(feature = "std")]
    {
        indices.fit(plan.lengths.indices)?;
        let copy = match into.copy(plan, updates, output) {
            Ok(copy) => copy,
            Err(error) => return check(plan, indices).and(Err(error)),
        };
        let before = Some(engine::before(&copy, into.input));
        result(
            plan,
            indices,
            reduction.call(Scattering {
                plan,
                indices,
                proven: false,
                before,
                data: output,
                updates,
            }),
        )
    }
    #[cfg(not(feature = "std"))]
    {
        check(plan, indices)?;
        Proven { plan, indices }.scatter_into(reduction, into, updates, output)
    }
}

/// Indices that are in bounds, or that the policy takes as they are.
#[derive(Clone, Copy)]
pub(crate) struct Proven<'a, S> {
    pub plan: &'a Plan,
    pub indices: S,
}

impl<S: Places> Proven<'_, S> {
    /// As [`gather`].
    #[inline(always)]
    pub(crate) fn gather<T: Element>(&self, input: &[T], output: &mut [T]) -> Result<(), Error> {
        let Proven { plan, indices } = *self;
        gather_fits(plan, input.len(), indices, output)?;
        #[cfg(feature = "std")]
        engine::gather(plan, indices, true, input, output);
        #[cfg(not(feature = "std"))]
        portable::run::<S, true>(plan, indices, Take { input, output });
        Ok(())
    }

    /// As [`gather_uninit`].
    #[inline(always)]
    pub(crate) fn gather_uninit<T: Element>(
        &self,
        input: &[T],
        output: &mut [MaybeUninit<T>],
    ) -> Result<(), Error> {
        let Proven { plan, indices } = *self;
        gather_fits(plan, input.len(), indices, output)?;
        writes_all(plan, indices)?;
        #[cfg(feature = "std")]
        let inside = engine::gather(plan, indices, true, input, output);
        #[cfg(not(feature = "std"))]
        let inside = {
            let source = Mapped { input, map: Call(&MaybeUninit::new) };
            portable::run::<S, true>(plan, indices, Read { source, output })
        };
        written(plan, indices, inside)
    }

    /// As [`scatter`].
    #[inline(always)]
    pub(crate) fn scatter<T: Element, R: Reduction<T>>(
        &self,
        reduction: &R,
        data: &mut [T],
        updates: &[T],
    ) -> Result<(), Error> {
        let Proven { indices, .. } = *self;
        let plan = scatter_fits(self.plan, data, updates)?;
        #[cfg(feature = "std")]
        reduction.call(Scattering { plan, indices, proven: true, before: None, data, updates });
        #[cfg(not(feature = "std"))]
        portable::run::<S, true>(plan, indices, Combine { reduction, data, updates });
        Ok(())
    }

    /// As [`read`].
    #[inline(always)]
    pub(crate) fn read<U: Element, F: Source<U>>(
        &self,
        source: F,
        output: &mut [U],
    ) -> Result<(), Error> {
        let Proven { plan, indices } = *self;
        gather_fits(plan, source.len(), indices, output)?;
        #[cfg(feature = "std")]
        engine::read(plan, indices, true, source, output);
        #[cfg(not(feature = "std"))]
        portable::run::<S, true>(plan, indices, Read { source, output });
        Ok(())
    }

    /// As [`change`].
    #[inline(always)]
    pub(crate) fn change<T: Element, U: Element>(
        &self,
        change: impl Fn(T, U) -> T + Copy,
        data: &mut [T],
        updates: &[U],
    ) -> Result<(), Error> {
        let Proven { indices, .. } = *self;
        let plan = scatter_fits(self.plan, data, updates)?;
        #[cfg(feature = "std")]
        engine::scatter(plan, indices, true, &By(change), None, data, updates);
        #[cfg(not(feature = "std"))]
        portable::run::<S, true>(plan, indices, Change { data, updates, change });
        Ok(())
    }

    /// As [`scatter_into`].
    pub(crate) fn scatter_into<T: Element, R: Reduction<T>>(
        &self,
        reduction: &R,
        into: Into<'_, T>,
        updates: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        let Proven { plan, indices } = *self;
        let copy = into.copy(plan, updates, output)?;
        #[cfg(feature = "std")]
        {
            let before = Some(engine::before(&copy, into.input));
            reduction.call(Scattering {
                plan,
                indices,
                proven: true,
                before,
                data: output,
                updates,
            });
        }
        #[cfg(not(feature = "std"))]
        {
            portable::run::<&[u8], true>(&copy, &[], Take { input: into.input, output });
            portable::run::<S, true>(plan, indices, Combine { reduction, data: output, updates });
        }
        Ok(())
    }
}

/// Proves the length and every value of the indices.
#[inline(always)]
pub(crate) fn check<S: Places>(plan: &Plan, indices: S) -> Result<(), Error> {
    indices.fit(plan.lengths.indices)?;
    if needs_no_look(plan, indices.width()) {
        return Ok(());
    }
    #[cfg(feature = "std")]
    let inside = engine::prove::check_all(plan, &indices);
    #[cfg(not(feature = "std"))]
    let inside = portable::check(plan, indices);
    result(plan, indices, inside)
}

/// Hands the entries to `run`, unless an index is out of bounds. Indices that are `proven` are not
/// looked at for that.
#[inline]
pub(crate) fn with_entries<S: Places>(
    plan: &Plan,
    indices: S,
    proven: bool,
    #[cfg(feature = "std")] run: impl FnOnce(&mut Entries<'_>) -> Result<(), Error>,
    #[cfg(not(feature = "std"))] run: impl FnOnce(&mut Walked<'_, S>) -> Result<(), Error>,
) -> Result<(), Error> {
    #[cfg(feature = "std")]
    {
        indices.fit(plan.lengths.indices)?;
        let mut room = Room::new();
        match Entries::of(plan, &indices, proven, &mut room) {
            Some(mut entries) => run(&mut entries),
            None => written(plan, indices, false),
        }
    }
    #[cfg(not(feature = "std"))]
    {
        if !proven {
            check(plan, indices)?;
        }
        run(&mut Walked { plan, indices })
    }
}

/// Moves elements of this size by a job whose tensors are no slices.
#[cfg(feature = "ndarray")]
pub(crate) fn by_job<S: Places>(
    plan: &Plan,
    indices: S,
    direction: Direction,
    element: usize,
    job: &mut dyn engine::movers::Job,
) -> Result<(), Error> {
    indices.fit(plan.lengths.indices)?;
    result(plan, indices, engine::by_job(plan, indices, direction, element, job))
}

/// Whether no index can be out of bounds: the policy takes all, or they are bytes, and every byte
/// has a place.
#[inline(always)]
fn needs_no_look(plan: &Plan, width: usize) -> bool {
    !matches!(plan.bounds, Bounds::Error) || width == 1 && plan.takes_every_byte()
}

/// [`result`] for memory that has no values before: `Ok` only where all of it is written.
#[inline(always)]
pub(crate) fn written<S: Places>(plan: &Plan, indices: S, inside: bool) -> Result<(), Error> {
    result(plan, indices, inside)?;
    let length = plan.lengths.indices;
    let unknown =
        Error::SliceTooShort { operand: Operand::Indices, expected: length, found: length };
    if inside || plan.lengths.flat == 0 { Ok(()) } else { Err(unknown) }
}

/// The error for the first bad index, unless all are inside.
#[inline(always)]
fn result<S: Places>(plan: &Plan, indices: S, inside: bool) -> Result<(), Error> {
    if inside { Ok(()) } else { walk::first_out_of_bounds(plan, indices).map_or(Ok(()), Err) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::error::Direction::Scatter;
    use crate::index::Negative;
    use crate::plan::tests::{nd, packed};

    #[test]
    fn bytes_that_all_have_a_place_need_no_look() {
        let pairs = |rows: usize, columns: usize| {
            nd(Scatter, &packed([rows, columns]), &packed([5, 2]), &packed([5]), 0)
        };
        let (all, one_less) = (pairs(256, 300), pairs(256, 255));
        assert_eq!([&all, &one_less].map(|plan| needs_no_look(plan, 1)), [true, false]);
        let every_u16 = nd(Scatter, &packed([1 << 16]), &packed([5, 1]), &packed([5]), 0);
        assert!(!needs_no_look(&every_u16, 2) && !needs_no_look(&all, 8));
        let mut skips = one_less;
        skips.set_bounds(Bounds::Skip);
        assert!(needs_no_look(&skips, 1));
        let bytes = [0, 255, 7, 254, 255, 255, 0, 0, 3, 4_u8];
        assert_eq!(check(&all, bytes.as_slice()), Ok(()));
        assert_eq!(
            check(&one_less, bytes.as_slice()),
            Err(Error::IndexOutOfBounds { entry: 0, coordinate: 1, value: 255, size: 255 })
        );
        assert!(check(&all, bytes.get(..9).unwrap()).is_err());
        let signed = bytes.map(u8::cast_signed);
        assert_eq!(check(&all, signed.as_slice()), Ok(()));
        let mut from_start = all;
        from_start.negative = Negative::OutOfBounds;
        assert_eq!(check(&from_start, bytes.as_slice()), Ok(()));
        assert_eq!(
            check(&from_start, signed.as_slice()),
            Err(Error::IndexOutOfBounds { entry: 0, coordinate: 1, value: -1, size: 300 })
        );
        assert_eq!(
            check(&pairs(127, 256), [-128_i8; 10].as_slice()),
            Err(Error::IndexOutOfBounds { entry: 0, coordinate: 0, value: -128, size: 127 })
        );
    }
}
