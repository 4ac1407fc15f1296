//! All unsafe code: what C passes is checked here, and becomes references.
//!
//! What cannot be checked is what C must promise: a pointer that is not NULL leads to as many
//! elements as the length says, which nobody else changes during the call.
#![allow(clippy::missing_safety_doc)] // That is the contract of all functions here.

use core::ffi::{c_char, c_void};
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use half::{bf16, f16};
use strew::{Error, Gather, Layout, Operand, Scatter};

#[cfg(not(feature = "panic"))]
use crate::calls;
use crate::types::strew_operand::{self, *};
use crate::types::strew_status::{self, *};
use crate::types::{
    Refusal, Wording, bounds, strew_error, strew_gather, strew_layout, strew_scatter,
};

// ---- Single values ----

/// What lies in the memory of a [`strew_gather`] or [`strew_scatter`].
#[repr(C)]
struct Made<P> {
    mark: usize,
    plan: MaybeUninit<P>,
}

/// What `mark` is once the plan is made: a number that memory hardly holds by chance.
const MADE: usize = 0x5745_5254 ^ size_of::<usize>();

/// A plan of strew, and the opaque type that holds it. The header has one number of words for all
/// machines: as many as a plan and its mark take without `std`, where plans say more of themselves.
/// With `std` they take up to 2 words fewer.
trait Opaque: Sized + Copy {
    type C;
    /// What the first and the last array of a call are, and which of them it writes.
    const FIRST: strew_operand;
    const LAST: strew_operand;
    const WRITES_FIRST: bool;
    const FITS: () = assert!(
        size_of::<Made<Self>>() <= size_of::<Self::C>()
            && align_of::<Made<Self>>() <= align_of::<Self::C>()
    );
}
impl Opaque for Gather {
    type C = strew_gather;
    const FIRST: strew_operand = STREW_INPUT;
    const LAST: strew_operand = STREW_OUTPUT;
    const WRITES_FIRST: bool = false;
}
impl Opaque for Scatter {
    type C = strew_scatter;
    const FIRST: strew_operand = STREW_DATA;
    const LAST: strew_operand = STREW_UPDATES;
    const WRITES_FIRST: bool = true;
}

/// Whether a pointer is neither NULL nor misaligned.
#[inline]
fn whole<T>(pointer: *const T, operand: strew_operand) -> Result<(), Refusal> {
    if pointer.is_null() {
        return Err(Refusal::Border(STREW_NULL_POINTER, operand, STREW_LAYOUT));
    }
    if !pointer.is_aligned() {
        return Err(Refusal::Border(STREW_MISALIGNED, operand, STREW_LAYOUT));
    }
    Ok(())
}

/// The plan, if one was made there.
#[inline]
unsafe fn plan<'a, P: Opaque>(place: *const P::C) -> Result<&'a P, Refusal> {
    const { P::FITS };
    whole(place, STREW_PLAN)?;
    let made = place.cast::<Made<P>>();
    // SAFETY: `whole` has checked the pointer; the caller promises a plan's memory.
    let mark = unsafe { (&raw const (*made).mark).read() };
    if mark != MADE {
        return Err(Refusal::Border(STREW_PLAN_NOT_MADE, STREW_PLAN, STREW_LAYOUT));
    }
    // SAFETY: the mark is there, which `keep` writes after the plan.
    Ok(unsafe { made_plan::<P>(place) })
}

/// The plan that was made there.
///
/// # Safety
///
/// [`plan`] has found it.
#[inline(always)]
unsafe fn made_plan<'a, P: Opaque>(place: *const P::C) -> &'a P {
    // SAFETY: the caller's promise.
    let made = unsafe { &*place.cast::<Made<P>>() };
    // SAFETY: as above.
    unsafe { made.plan.assume_init_ref() }
}

/// Writes a plan to the caller's memory, or marks that there is none.
unsafe fn keep<P: Opaque>(place: *mut P::C, plan: Result<P, Refusal>) -> Result<(), Refusal> {
    const { P::FITS };
    whole(place, STREW_PLAN)?;
    let made = place.cast::<Made<P>>();
    // SAFETY: `whole` has checked the pointer; the caller promises a plan's memory.
    unsafe { (&raw mut (*made).mark).write(0) };
    let plan = MaybeUninit::new(plan?);
    // SAFETY: as above.
    unsafe { (&raw mut (*made).plan).write(plan) };
    // SAFETY: as above.
    unsafe { (&raw mut (*made).mark).write(MADE) };
    Ok(())
}

/// The layout that C passed.
unsafe fn layout(
    place: *const strew_layout,
    named: strew_operand,
    operand: Operand,
) -> Result<Layout, Refusal> {
    whole(place, named)?;
    // SAFETY: `whole` has checked the pointer, the caller promises that it leads to a layout.
    let layout = unsafe { &*place };
    layout.get(operand)
}

/// Writes a result of a function on layouts.
unsafe fn give<T>(place: *mut T, result: Result<T, Refusal>) -> Result<(), Refusal> {
    whole(place, STREW_RESULT)?;
    let result = result?;
    // SAFETY: `whole` has checked the pointer, the caller promises that it leads to a `T`.
    unsafe { place.write(result) };
    Ok(())
}

/// The status, and the error for whoever wants it. Errors are passed by reference, so that a call
/// has room for one of them on its stack, and moves none if it succeeds.
#[inline]
unsafe fn status(result: &Result<(), Refusal>, error: *mut strew_error) -> strew_status {
    match result {
        Ok(()) => STREW_OK,
        // SAFETY: the caller's promise.
        Err(refusal) => unsafe { refused(refusal, error) },
    }
}

/// The same for a call that strew has answered.
#[inline]
unsafe fn answer(result: &Result<(), Error>, error: *mut strew_error) -> strew_status {
    match result {
        Ok(()) => STREW_OK,
        // SAFETY: the caller's promise.
        Err(by_strew) => unsafe { failed(by_strew, error) },
    }
}

#[cold]
#[inline(never)]
unsafe fn failed(by_strew: &Error, error: *mut strew_error) -> strew_status {
    // SAFETY: the caller's promise.
    unsafe { refused(&Refusal::Strew(*by_strew), error) }
}

#[cold]
#[inline(never)]
unsafe fn refused(refusal: &Refusal, error: *mut strew_error) -> strew_status {
    if whole(error, STREW_RESULT).is_ok() {
        // SAFETY: `whole` has checked the pointer, the caller promises that it leads to an error.
        unsafe { error.write(refusal.error()) };
    }
    refusal.status()
}

// ---- Arrays ----

/// An array that C passed.
struct Array {
    pointer: *mut c_void,
    length: usize,
}

/// The arrays of a call, in the order of C.
struct Arrays {
    first: Array,
    indices: Array,
    last: Array,
}

/// What the arrays of a call hold. It takes 24 bytes: constants of 32 bytes share a section, which
/// a linker keeps whole, so that an image that calls one function would have those of all.
struct Call {
    element: Unit,
    index: Unit,
}

struct Unit {
    size: usize,
    /// The bits of an address that must be 0.
    misaligned: usize,
    /// The longest array.
    most: usize,
}

impl Unit {
    const fn of<T>() -> Unit {
        Unit {
            size: size_of::<T>(),
            misaligned: align_of::<T>() - 1,
            most: isize::MAX as usize / size_of::<T>(),
        }
    }
}

impl Call {
    const fn of<T, I>() -> Call {
        Call { element: Unit::of::<T>(), index: Unit::of::<I>() }
    }
}

/// The addresses of an array: of its first element, and behind its last one. The latter is 0 if
/// there are no elements, so that they share nothing.
struct Place {
    start: usize,
    end: usize,
}

impl Place {
    #[inline(always)]
    fn shares(&self, other: &Place) -> bool {
        self.start < other.end && other.start < self.end
    }
}

impl Array {
    /// Checks that the array is not NULL, aligned, and ends below the end of memory. One without
    /// elements may be anywhere, also NULL: it gets a pointer that a slice may have.
    #[inline(always)]
    fn place(&mut self, unit: &Unit, operand: strew_operand) -> Result<Place, Refusal> {
        let refuse = |status| Err(Refusal::Border(status, operand, STREW_LAYOUT));
        let start = self.pointer.addr();
        if self.length == 0 {
            self.pointer = ALIGNED.as_ptr();
            return Ok(Place { start, end: 0 });
        }
        if start == 0 {
            return refuse(STREW_NULL_POINTER);
        }
        if start & unit.misaligned != 0 {
            return refuse(STREW_MISALIGNED);
        }
        if self.length > unit.most {
            return refuse(STREW_LENGTH_OVERFLOW);
        }
        match start.checked_add(self.length.wrapping_mul(unit.size)) {
            Some(end) => Ok(Place { start, end }),
            None => refuse(STREW_LENGTH_OVERFLOW),
        }
    }
}

/// A pointer for a slice without elements, aligned for all types.
const ALIGNED: NonNull<c_void> = NonNull::<u64>::dangling().cast();

/// Checks what a call gets: the plan is made; no array is NULL unless its length is 0, all are
/// aligned and end below the end of memory, and what is written shares no byte with what is read.
/// Then [`Arrays::slices`] may be called.
///
/// # Safety
///
/// The plan is NULL or the caller's memory for one, and so is the error.
#[inline(never)]
unsafe fn check<P: Opaque>(
    place: *const P::C,
    arrays: &mut Arrays,
    call: &Call,
    error: *mut strew_error,
) -> strew_status {
    let mut all = || {
        // SAFETY: the caller's promise.
        unsafe { plan::<P>(place)? };
        let first = arrays.first.place(&call.element, P::FIRST)?;
        let indices = arrays.indices.place(&call.index, STREW_INDICES)?;
        let last = arrays.last.place(&call.element, P::LAST)?;
        let (written, written_is, read_is) =
            if P::WRITES_FIRST { (&first, P::FIRST, P::LAST) } else { (&last, P::LAST, P::FIRST) };
        if written.shares(&indices) {
            return Err(Refusal::Border(STREW_SHARED_MEMORY, written_is, STREW_INDICES));
        }
        if first.shares(&last) {
            return Err(Refusal::Border(STREW_SHARED_MEMORY, written_is, read_is));
        }
        Ok(())
    };
    // SAFETY: the caller's promise.
    unsafe { status(&all(), error) }
}

impl Arrays {
    /// What a call writes, its indices, and what it reads.
    ///
    /// # Safety
    ///
    /// [`check`], of a call of these types, has found these arrays good. What it cannot see, the
    /// caller of the library promises: that the arrays are there, and that nothing else writes
    /// them.
    #[inline(always)]
    unsafe fn slices<'a, P: Opaque, T, I>(&self) -> (&'a mut [T], &'a [I], &'a [T]) {
        const { assert!(align_of::<T>() <= align_of::<u64>()) };
        const { assert!(align_of::<I>() <= align_of::<u64>()) };
        let (written, read) =
            if P::WRITES_FIRST { (&self.first, &self.last) } else { (&self.last, &self.first) };
        // SAFETY: by `check` the pointer is neither NULL nor misaligned, the length fits, and the
        // others do not overlap it. The caller promises the rest.
        let written =
            unsafe { core::slice::from_raw_parts_mut(written.pointer.cast(), written.length) };
        let Array { pointer, length } = self.indices;
        // SAFETY: as above; by `check` nothing that is written overlaps it.
        let indices = unsafe { core::slice::from_raw_parts(pointer.cast(), length) };
        // SAFETY: as above.
        let read = unsafe { core::slice::from_raw_parts(read.pointer.cast(), read.length) };
        (written, indices, read)
    }
}

// ---- Layouts ----

/// Writes the layout of a tensor of these sizes whose elements lie one after the other, the last
/// dimension the fastest.
///
/// `rank` is at most 8, `sizes` are `rank` numbers.
///
/// Errors: STREW_RANK_TOO_LARGE, STREW_SIZES_OVERFLOW.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn strew_layout_contiguous(
    rank: usize,
    sizes: *const usize,
    result: *mut strew_layout,
    error: *mut strew_error,
) -> strew_status {
    let sizes = if rank == 0 {
        Ok(&[][..])
    } else if rank > strew::MAX_RANK {
        let operand = Operand::Layout;
        Err(Error::RankTooLarge { operand, expected: strew::MAX_RANK, found: rank }.into())
    } else {
        // SAFETY: `whole` has checked the pointer, and the length is at most 8.
        whole(sizes, STREW_LAYOUT).map(|()| unsafe { core::slice::from_raw_parts(sizes, rank) })
    };
    let layout = sizes
        .and_then(|sizes| Ok(Layout::from_sizes(sizes)?))
        .map(|layout| strew_layout::of(&layout));
    // SAFETY: the caller's promise.
    unsafe { status(&give(result, layout), error) }
}

/// Writes the number of elements that an array must have for this layout: the last address + 1, or
/// 0 if a size is 0.
///
/// Errors: STREW_RANK_TOO_LARGE, STREW_SIZES_OVERFLOW, STREW_OFFSET_TOO_SMALL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn strew_layout_extent(
    of: *const strew_layout,
    result: *mut usize,
    error: *mut strew_error,
) -> strew_status {
    // SAFETY: the caller's promise.
    let extent = unsafe { layout(of, STREW_LAYOUT, Operand::Layout) }
        .and_then(|layout| Ok(layout.extent()?));
    // SAFETY: the caller's promise.
    unsafe { status(&give(result, extent), error) }
}

/// Writes the layout of the same tensor with an element of `element_size` bytes as a row of bytes:
/// one more dimension, of stride 1, at the inner end; the other strides and the offset times
/// `element_size`.
///
/// For elements of other sizes than 1, 2, 4, 8 and 16 bytes, or of less alignment: make the plan of
/// such layouts, and run it with a function for elements of 1 byte. The indices of `elements` need
/// strew_layout_repeated.
///
/// Errors: STREW_RANK_TOO_LARGE (the layout already has 8 dimensions), STREW_SIZES_OVERFLOW.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn strew_layout_bytes(
    of: *const strew_layout,
    element_size: usize,
    result: *mut strew_layout,
    error: *mut strew_error,
) -> strew_status {
    // SAFETY: `whole` has checked the pointer, the caller promises that it leads to a layout.
    let old = whole(of, STREW_LAYOUT).map(|()| unsafe { of.read() });
    let new = old.and_then(|old| old.extended(element_size, 1, element_size));
    // SAFETY: the caller's promise.
    unsafe { status(&give(result, new), error) }
}

/// Writes the layout of the same tensor with one more dimension of size `times` at the inner end,
/// along which nothing changes (its stride is 0).
///
/// Errors: STREW_RANK_TOO_LARGE (the layout already has 8 dimensions).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn strew_layout_repeated(
    of: *const strew_layout,
    times: usize,
    result: *mut strew_layout,
    error: *mut strew_error,
) -> strew_status {
    // SAFETY: `whole` has checked the pointer, the caller promises that it leads to a layout.
    let old = whole(of, STREW_LAYOUT).map(|()| unsafe { of.read() });
    let new = old.and_then(|old| old.extended(times, 0, 1));
    // SAFETY: the caller's promise.
    unsafe { status(&give(result, new), error) }
}

// ---- Plans ----

/// `constructors!(Plan, C type, (table, its name, strew's name), (flat tensor, ..), functions)`
macro_rules! constructors {
    ($plan:ident, $c:ident, ($table:ident, $table_is:ident, $table_of:ident),
     ($flat:ident, $flat_is:ident, $flat_of:ident),
     $($(#[$doc:meta])* $name:ident = $make:ident($last:ident);)*) => {$(
        $(#[$doc])*
        ///
        /// The layouts are not needed any more once the plan is made. If the constructor fails, the
        /// memory of the plan holds none.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            plan: *mut $c,
            $table: *const strew_layout,
            indices: *const strew_layout,
            $flat: *const strew_layout,
            $last: usize,
            error: *mut strew_error,
        ) -> strew_status {
            // SAFETY: the caller's promise.
            let table = unsafe { layout($table, $table_is, Operand::$table_of) };
            // SAFETY: the caller's promise.
            let indices = unsafe { layout(indices, STREW_INDICES, Operand::Indices) };
            // SAFETY: the caller's promise.
            let flat = unsafe { layout($flat, $flat_is, Operand::$flat_of) };
            let made = match (table, indices, flat) {
                (Ok(table), Ok(indices), Ok(flat)) => {
                    $plan::$make(&table, &indices, &flat, $last).map_err(Refusal::from)
                }
                (Err(refusal), ..) | (_, Err(refusal), _) | (.., Err(refusal)) => Err(refusal),
            };
            // SAFETY: the caller's promise.
            unsafe { status(&keep(plan, made), error) }
        }
    )*};
}

constructors! {
    Gather, strew_gather, (input, STREW_INPUT, Input), (output, STREW_OUTPUT, Output),
    /// `output[p.., i.., s..] = input[p.., indices[i..], s..]`, where p are the `axis` dimensions
    /// before the axis and s those after it.
    ///
    /// The sizes are output = input[..axis] ++ indices ++ input[axis+1..]. This is ONNX and
    /// TensorFlow Lite GATHER, NumPy take.
    ///
    /// Errors: STREW_AXIS_OUT_OF_RANGE, STREW_RANK_TOO_LARGE, STREW_RANK_MISMATCH,
    /// STREW_SIZE_MISMATCH, STREW_SIZES_OVERFLOW, STREW_OFFSET_TOO_SMALL, STREW_OVERLAPPING_OUTPUT.
    strew_gather_axis = axis(axis);
    /// `output[c] = input[c with c[axis] := indices[c]]`
    ///
    /// The sizes are output = indices, with indices[d] <= input[d] for d != axis. This is ONNX
    /// GatherElements, NumPy take_along_axis.
    ///
    /// Errors: STREW_AXIS_OUT_OF_RANGE, STREW_RANK_TOO_LARGE, STREW_RANK_MISMATCH,
    /// STREW_SIZE_MISMATCH, STREW_SIZES_OVERFLOW, STREW_OFFSET_TOO_SMALL, STREW_OVERLAPPING_OUTPUT.
    strew_gather_elements = elements(axis);
    /// `output[B.., i.., s..] = input[B.., indices[B.., i.., 0..k].., s..]`, where B are the
    /// `batch_dims` batch dimensions and k is the last size of the indices.
    ///
    /// The sizes are output = indices[..q-1] ++ input[batch_dims+k..], where q is the rank of the
    /// indices. This is ONNX GatherND, TensorFlow Lite GATHER_ND.
    ///
    /// Errors: STREW_BATCH_DIMS_OUT_OF_RANGE, STREW_TUPLE_SIZE_OUT_OF_RANGE, STREW_RANK_TOO_LARGE,
    /// STREW_RANK_MISMATCH, STREW_SIZE_MISMATCH, STREW_SIZES_OVERFLOW, STREW_OFFSET_TOO_SMALL,
    /// STREW_OVERLAPPING_OUTPUT.
    strew_gather_nd = nd(batch_dims);
}

constructors! {
    Scatter, strew_scatter, (data, STREW_DATA, Data), (updates, STREW_UPDATES, Updates),
    /// `data[p.., indices[i..], s..] = updates[p.., i.., s..]`, where p are the `axis` dimensions
    /// before the axis and s those after it.
    ///
    /// The sizes are updates = data[..axis] ++ indices ++ data[axis+1..]. This is PyTorch
    /// index_copy, with STREW_ADD index_add.
    ///
    /// Errors: STREW_AXIS_OUT_OF_RANGE, STREW_RANK_TOO_LARGE, STREW_RANK_MISMATCH,
    /// STREW_SIZE_MISMATCH, STREW_SIZES_OVERFLOW, STREW_OFFSET_TOO_SMALL, STREW_OVERLAPPING_OUTPUT.
    strew_scatter_axis = axis(axis);
    /// `data[c with c[axis] := indices[c]] = updates[c]`
    ///
    /// The sizes are updates = indices, with indices[d] <= data[d] for d != axis. This is ONNX
    /// ScatterElements, NumPy put_along_axis.
    ///
    /// Errors: STREW_AXIS_OUT_OF_RANGE, STREW_RANK_TOO_LARGE, STREW_RANK_MISMATCH,
    /// STREW_SIZE_MISMATCH, STREW_SIZES_OVERFLOW, STREW_OFFSET_TOO_SMALL, STREW_OVERLAPPING_OUTPUT.
    strew_scatter_elements = elements(axis);
    /// `data[B.., indices[B.., i.., 0..k].., s..] = updates[B.., i.., s..]`, where B are the
    /// `batch_dims` batch dimensions and k is the last size of the indices.
    ///
    /// The sizes are updates = indices[..q-1] ++ data[batch_dims+k..], where q is the rank of the
    /// indices. This is ONNX ScatterND; into zeros, with STREW_ADD, TensorFlow Lite SCATTER_ND.
    ///
    /// Errors: STREW_BATCH_DIMS_OUT_OF_RANGE, STREW_TUPLE_SIZE_OUT_OF_RANGE, STREW_RANK_TOO_LARGE,
    /// STREW_RANK_MISMATCH, STREW_SIZE_MISMATCH, STREW_SIZES_OVERFLOW, STREW_OFFSET_TOO_SMALL,
    /// STREW_OVERLAPPING_OUTPUT.
    strew_scatter_nd = nd(batch_dims);
}

macro_rules! bounds {
    ($name:ident, $c:ident, $plan:ident) => {
        /// Sets what happens to indices out of bounds: a strew_bounds.
        ///
        /// Errors: STREW_UNKNOWN_BOUNDS, STREW_PLAN_NOT_MADE.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            of: *mut $c,
            value: u32,
            error: *mut strew_error,
        ) -> strew_status {
            // SAFETY: the caller's promise. The plan is copied before it is written.
            let old = unsafe { plan::<$plan>(of) }.copied();
            let result = match (old, bounds(value)) {
                // SAFETY: the caller's promise.
                (Ok(old), Ok(bounds)) => unsafe { keep(of, Ok(old.bounds(bounds))) },
                (Err(refusal), _) | (_, Err(refusal)) => Err(refusal),
            };
            // SAFETY: the caller's promise.
            unsafe { status(&result, error) }
        }
    };
}
bounds!(strew_gather_bounds, strew_gather, Gather);
bounds!(strew_scatter_bounds, strew_scatter, Scatter);

// ---- Calls ----

macro_rules! gather_run {
    ($($(#[$doc:meta])* $name:ident: $element:ty, $index:ty;)*) => {$(
        /// Runs a gather of the types in its name. Contract: strew_gather_run_1_u8.
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            gather: *const strew_gather,
            input: *const c_void,
            input_length: usize,
            indices: *const $index,
            indices_length: usize,
            output: *mut c_void,
            output_length: usize,
            error: *mut strew_error,
        ) -> strew_status {
            const CALL: &Call = &Call::of::<$element, $index>();
            let (written, indices, read) = {
                let mut arrays = Arrays {
                    first: Array { pointer: input.cast_mut(), length: input_length },
                    indices: Array { pointer: indices.cast_mut().cast(), length: indices_length },
                    last: Array { pointer: output, length: output_length },
                };
                // SAFETY: the caller's promise.
                let status = unsafe { check::<Gather>(gather, &mut arrays, CALL, error) };
                if status != STREW_OK {
                    return status;
                }
                // SAFETY: `check`, of these types, found them good; the caller promises the rest.
                unsafe { arrays.slices::<Gather, $element, $index>() }
            };
            // SAFETY: as above.
            let plan = unsafe { made_plan::<Gather>(gather) };
            let done = calls::gather(plan, read, indices, written);
            // SAFETY: the caller's promise.
            unsafe { answer(&done, error) }
        }
    )*};
}

macro_rules! scatter_run {
    ($($(#[$doc:meta])* $name:ident: $element:ty, $index:ty;)*) => {$(
        /// Runs a scatter of the types in its name. Contract: strew_scatter_run_1_u8.
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            scatter: *const strew_scatter,
            data: *mut c_void,
            data_length: usize,
            indices: *const $index,
            indices_length: usize,
            updates: *const c_void,
            updates_length: usize,
            error: *mut strew_error,
        ) -> strew_status {
            const CALL: &Call = &Call::of::<$element, $index>();
            let (written, indices, read) = {
                let mut arrays = Arrays {
                    first: Array { pointer: data, length: data_length },
                    indices: Array { pointer: indices.cast_mut().cast(), length: indices_length },
                    last: Array { pointer: updates.cast_mut(), length: updates_length },
                };
                // SAFETY: the caller's promise.
                let status = unsafe { check::<Scatter>(scatter, &mut arrays, CALL, error) };
                if status != STREW_OK {
                    return status;
                }
                // SAFETY: `check`, of these types, found them good; the caller promises the rest.
                unsafe { arrays.slices::<Scatter, $element, $index>() }
            };
            // SAFETY: as above.
            let plan = unsafe { made_plan::<Scatter>(scatter) };
            let done = calls::scatter(plan, written, indices, read);
            // SAFETY: the caller's promise.
            unsafe { answer(&done, error) }
        }
    )*};
}

macro_rules! scatter_reduce {
    ($reduce:ident; $($(#[$doc:meta])* $name:ident: $element:ty, $c:ty, $index:ty;)*) => {$(
        /// Reduces by a scatter of the types in its name. Contract: strew_scatter_reduce_u8_u8.
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            scatter: *const strew_scatter,
            reduction: u32,
            data: *mut $c,
            data_length: usize,
            indices: *const $index,
            indices_length: usize,
            updates: *const $c,
            updates_length: usize,
            error: *mut strew_error,
        ) -> strew_status {
            const CALL: &Call = &Call::of::<$element, $index>();
            let (written, indices, read) = {
                let mut arrays = Arrays {
                    first: Array { pointer: data.cast(), length: data_length },
                    indices: Array { pointer: indices.cast_mut().cast(), length: indices_length },
                    last: Array { pointer: updates.cast_mut().cast(), length: updates_length },
                };
                // SAFETY: the caller's promise.
                let status = unsafe { check::<Scatter>(scatter, &mut arrays, CALL, error) };
                if status != STREW_OK {
                    return status;
                }
                // SAFETY: `check`, of these types, found them good; the caller promises the rest.
                unsafe { arrays.slices::<Scatter, $element, $index>() }
            };
            // SAFETY: as above.
            let plan = unsafe { made_plan::<Scatter>(scatter) };
            match &calls::$reduce(plan, reduction, written, indices, read) {
                // SAFETY: the caller's promise.
                Ok(done) => unsafe { answer(done, error) },
                // SAFETY: the caller's promise.
                Err(refusal) => unsafe { refused(refusal, error) },
            }
        }
    )*};
}

/// Has a panic path, on purpose.
#[cfg(feature = "panic")]
#[unsafe(no_mangle)]
#[allow(clippy::panic)]
pub extern "C" fn strew_panic(at: usize) {
    assert!(at == 1);
}

// ---- Words ----

/// Writes the wording of an error, such as "index out of bounds: entry 1, coordinate 0 is -4, the
/// size is 3", and a 0 behind it; what does not fit into `length` bytes is left out. 192 bytes are
/// enough for all of them.
///
/// Returns the length of the whole wording without the 0, as snprintf does; 0 if a pointer is NULL
/// or not aligned.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn strew_error_message(
    error: *const strew_error,
    text: *mut c_char,
    length: usize,
) -> usize {
    if whole(error, STREW_RESULT).is_err() || text.is_null() {
        return 0;
    }
    // SAFETY: `whole` has checked the pointer, the caller promises that it leads to an error.
    let error = unsafe { error.read() };
    let mut written = 0;
    let mut write = |part: &str| {
        for byte in part.bytes() {
            if written < length {
                // SAFETY: the place is below `length`; the caller promises as many bytes.
                unsafe { text.add(written).write(byte as c_char) };
            }
            written += 1;
        }
    };
    match error.wording() {
        Wording::Strew(error) => write(error.message().as_str()),
        Wording::Border(parts) => parts.into_iter().for_each(write),
    }
    let end = written.min(length.wrapping_sub(1));
    if length > 0 {
        // SAFETY: as above.
        unsafe { text.add(end).write(0) };
    }
    written
}

// ---- One function for each element and index ----

#[cfg(not(feature = "panic"))]
gather_run! {
    ///
    /// `output[..] = input[.. indices ..]` by the formula of the plan. The number in the name is
    /// the size of an element in bytes, the type is that of an index. Lengths count elements.
    /// Arrays may be longer than their layouts need: what lies outside is neither read nor written.
    ///
    /// Elements must be aligned as the unsigned integer of their size is; those of 16 bytes as
    /// uint32_t. NULL is allowed where the length is 0.
    ///
    /// Every index is checked before the element is read. If the call fails, nothing that comes
    /// after the first bad index is written; after every other error, nothing at all.
    ///
    /// Errors: STREW_SLICE_TOO_SHORT, STREW_INDEX_OUT_OF_BOUNDS, STREW_PLAN_NOT_MADE,
    /// STREW_NULL_POINTER, STREW_MISALIGNED, STREW_LENGTH_OVERFLOW, STREW_SHARED_MEMORY.
    strew_gather_run_1_u8: u8, u8;
    strew_gather_run_1_u16: u8, u16;
    strew_gather_run_1_u32: u8, u32;
    strew_gather_run_1_u64: u8, u64;
    strew_gather_run_1_i8: u8, i8;
    strew_gather_run_1_i16: u8, i16;
    strew_gather_run_1_i32: u8, i32;
    strew_gather_run_1_i64: u8, i64;
    strew_gather_run_2_u8: u16, u8;
    strew_gather_run_2_u16: u16, u16;
    strew_gather_run_2_u32: u16, u32;
    strew_gather_run_2_u64: u16, u64;
    strew_gather_run_2_i8: u16, i8;
    strew_gather_run_2_i16: u16, i16;
    strew_gather_run_2_i32: u16, i32;
    strew_gather_run_2_i64: u16, i64;
    strew_gather_run_4_u8: u32, u8;
    strew_gather_run_4_u16: u32, u16;
    strew_gather_run_4_u32: u32, u32;
    strew_gather_run_4_u64: u32, u64;
    strew_gather_run_4_i8: u32, i8;
    strew_gather_run_4_i16: u32, i16;
    strew_gather_run_4_i32: u32, i32;
    strew_gather_run_4_i64: u32, i64;
    strew_gather_run_8_u8: u64, u8;
    strew_gather_run_8_u16: u64, u16;
    strew_gather_run_8_u32: u64, u32;
    strew_gather_run_8_u64: u64, u64;
    strew_gather_run_8_i8: u64, i8;
    strew_gather_run_8_i16: u64, i16;
    strew_gather_run_8_i32: u64, i32;
    strew_gather_run_8_i64: u64, i64;
    strew_gather_run_16_u8: [u32; 4], u8;
    strew_gather_run_16_u16: [u32; 4], u16;
    strew_gather_run_16_u32: [u32; 4], u32;
    strew_gather_run_16_u64: [u32; 4], u64;
    strew_gather_run_16_i8: [u32; 4], i8;
    strew_gather_run_16_i16: [u32; 4], i16;
    strew_gather_run_16_i32: [u32; 4], i32;
    strew_gather_run_16_i64: [u32; 4], i64;
}

#[cfg(not(feature = "panic"))]
scatter_run! {
    ///
    /// `data[.. indices ..] = updates[..]` by the formula of the plan, in row-major order of the
    /// indices: the last of several updates stays. The number in the name is the size of an element
    /// in bytes, the type is that of an index. Lengths count elements. Arrays may be longer than
    /// their layouts need: what lies outside is neither read nor written.
    ///
    /// Elements must be aligned as the unsigned integer of their size is; those of 16 bytes as
    /// uint32_t. NULL is allowed where the length is 0.
    ///
    /// All indices are checked before anything is written: if the call fails, the data are as they
    /// were.
    ///
    /// Errors: STREW_SLICE_TOO_SHORT, STREW_INDEX_OUT_OF_BOUNDS, STREW_PLAN_NOT_MADE,
    /// STREW_NULL_POINTER, STREW_MISALIGNED, STREW_LENGTH_OVERFLOW, STREW_SHARED_MEMORY.
    strew_scatter_run_1_u8: u8, u8;
    strew_scatter_run_1_u16: u8, u16;
    strew_scatter_run_1_u32: u8, u32;
    strew_scatter_run_1_u64: u8, u64;
    strew_scatter_run_1_i8: u8, i8;
    strew_scatter_run_1_i16: u8, i16;
    strew_scatter_run_1_i32: u8, i32;
    strew_scatter_run_1_i64: u8, i64;
    strew_scatter_run_2_u8: u16, u8;
    strew_scatter_run_2_u16: u16, u16;
    strew_scatter_run_2_u32: u16, u32;
    strew_scatter_run_2_u64: u16, u64;
    strew_scatter_run_2_i8: u16, i8;
    strew_scatter_run_2_i16: u16, i16;
    strew_scatter_run_2_i32: u16, i32;
    strew_scatter_run_2_i64: u16, i64;
    strew_scatter_run_4_u8: u32, u8;
    strew_scatter_run_4_u16: u32, u16;
    strew_scatter_run_4_u32: u32, u32;
    strew_scatter_run_4_u64: u32, u64;
    strew_scatter_run_4_i8: u32, i8;
    strew_scatter_run_4_i16: u32, i16;
    strew_scatter_run_4_i32: u32, i32;
    strew_scatter_run_4_i64: u32, i64;
    strew_scatter_run_8_u8: u64, u8;
    strew_scatter_run_8_u16: u64, u16;
    strew_scatter_run_8_u32: u64, u32;
    strew_scatter_run_8_u64: u64, u64;
    strew_scatter_run_8_i8: u64, i8;
    strew_scatter_run_8_i16: u64, i16;
    strew_scatter_run_8_i32: u64, i32;
    strew_scatter_run_8_i64: u64, i64;
    strew_scatter_run_16_u8: [u32; 4], u8;
    strew_scatter_run_16_u16: [u32; 4], u16;
    strew_scatter_run_16_u32: [u32; 4], u32;
    strew_scatter_run_16_u64: [u32; 4], u64;
    strew_scatter_run_16_i8: [u32; 4], i8;
    strew_scatter_run_16_i16: [u32; 4], i16;
    strew_scatter_run_16_i32: [u32; 4], i32;
    strew_scatter_run_16_i64: [u32; 4], i64;
}

#[cfg(not(feature = "panic"))]
scatter_reduce! { reduce_integers;
    ///
    /// `data[.. indices ..] = reduction(data[.. indices ..], updates[..])` by the formula of the
    /// plan, in row-major order of the indices: float sums are the same to the bit everywhere.
    /// `reduction` is a strew_reduction. The first type in the name is that of an element, the
    /// second that of an index; f16 and bf16 are the bits of these floats. The rest is as for
    /// strew_scatter_run_1_u8.
    ///
    /// Errors: those of strew_scatter_run_1_u8, and STREW_UNKNOWN_REDUCTION.
    strew_scatter_reduce_u8_u8: u8, u8, u8;
    strew_scatter_reduce_u8_u16: u8, u8, u16;
    strew_scatter_reduce_u8_u32: u8, u8, u32;
    strew_scatter_reduce_u8_u64: u8, u8, u64;
    strew_scatter_reduce_u8_i8: u8, u8, i8;
    strew_scatter_reduce_u8_i16: u8, u8, i16;
    strew_scatter_reduce_u8_i32: u8, u8, i32;
    strew_scatter_reduce_u8_i64: u8, u8, i64;
    strew_scatter_reduce_u16_u8: u16, u16, u8;
    strew_scatter_reduce_u16_u16: u16, u16, u16;
    strew_scatter_reduce_u16_u32: u16, u16, u32;
    strew_scatter_reduce_u16_u64: u16, u16, u64;
    strew_scatter_reduce_u16_i8: u16, u16, i8;
    strew_scatter_reduce_u16_i16: u16, u16, i16;
    strew_scatter_reduce_u16_i32: u16, u16, i32;
    strew_scatter_reduce_u16_i64: u16, u16, i64;
    strew_scatter_reduce_u32_u8: u32, u32, u8;
    strew_scatter_reduce_u32_u16: u32, u32, u16;
    strew_scatter_reduce_u32_u32: u32, u32, u32;
    strew_scatter_reduce_u32_u64: u32, u32, u64;
    strew_scatter_reduce_u32_i8: u32, u32, i8;
    strew_scatter_reduce_u32_i16: u32, u32, i16;
    strew_scatter_reduce_u32_i32: u32, u32, i32;
    strew_scatter_reduce_u32_i64: u32, u32, i64;
    strew_scatter_reduce_u64_u8: u64, u64, u8;
    strew_scatter_reduce_u64_u16: u64, u64, u16;
    strew_scatter_reduce_u64_u32: u64, u64, u32;
    strew_scatter_reduce_u64_u64: u64, u64, u64;
    strew_scatter_reduce_u64_i8: u64, u64, i8;
    strew_scatter_reduce_u64_i16: u64, u64, i16;
    strew_scatter_reduce_u64_i32: u64, u64, i32;
    strew_scatter_reduce_u64_i64: u64, u64, i64;
    strew_scatter_reduce_i8_u8: i8, i8, u8;
    strew_scatter_reduce_i8_u16: i8, i8, u16;
    strew_scatter_reduce_i8_u32: i8, i8, u32;
    strew_scatter_reduce_i8_u64: i8, i8, u64;
    strew_scatter_reduce_i8_i8: i8, i8, i8;
    strew_scatter_reduce_i8_i16: i8, i8, i16;
    strew_scatter_reduce_i8_i32: i8, i8, i32;
    strew_scatter_reduce_i8_i64: i8, i8, i64;
    strew_scatter_reduce_i16_u8: i16, i16, u8;
    strew_scatter_reduce_i16_u16: i16, i16, u16;
    strew_scatter_reduce_i16_u32: i16, i16, u32;
    strew_scatter_reduce_i16_u64: i16, i16, u64;
    strew_scatter_reduce_i16_i8: i16, i16, i8;
    strew_scatter_reduce_i16_i16: i16, i16, i16;
    strew_scatter_reduce_i16_i32: i16, i16, i32;
    strew_scatter_reduce_i16_i64: i16, i16, i64;
    strew_scatter_reduce_i32_u8: i32, i32, u8;
    strew_scatter_reduce_i32_u16: i32, i32, u16;
    strew_scatter_reduce_i32_u32: i32, i32, u32;
    strew_scatter_reduce_i32_u64: i32, i32, u64;
    strew_scatter_reduce_i32_i8: i32, i32, i8;
    strew_scatter_reduce_i32_i16: i32, i32, i16;
    strew_scatter_reduce_i32_i32: i32, i32, i32;
    strew_scatter_reduce_i32_i64: i32, i32, i64;
    strew_scatter_reduce_i64_u8: i64, i64, u8;
    strew_scatter_reduce_i64_u16: i64, i64, u16;
    strew_scatter_reduce_i64_u32: i64, i64, u32;
    strew_scatter_reduce_i64_u64: i64, i64, u64;
    strew_scatter_reduce_i64_i8: i64, i64, i8;
    strew_scatter_reduce_i64_i16: i64, i64, i16;
    strew_scatter_reduce_i64_i32: i64, i64, i32;
    strew_scatter_reduce_i64_i64: i64, i64, i64;
}

#[cfg(not(feature = "panic"))]
scatter_reduce! { reduce_floats;
    strew_scatter_reduce_f16_u8: f16, u16, u8;
    strew_scatter_reduce_f16_u16: f16, u16, u16;
    strew_scatter_reduce_f16_u32: f16, u16, u32;
    strew_scatter_reduce_f16_u64: f16, u16, u64;
    strew_scatter_reduce_f16_i8: f16, u16, i8;
    strew_scatter_reduce_f16_i16: f16, u16, i16;
    strew_scatter_reduce_f16_i32: f16, u16, i32;
    strew_scatter_reduce_f16_i64: f16, u16, i64;
    strew_scatter_reduce_bf16_u8: bf16, u16, u8;
    strew_scatter_reduce_bf16_u16: bf16, u16, u16;
    strew_scatter_reduce_bf16_u32: bf16, u16, u32;
    strew_scatter_reduce_bf16_u64: bf16, u16, u64;
    strew_scatter_reduce_bf16_i8: bf16, u16, i8;
    strew_scatter_reduce_bf16_i16: bf16, u16, i16;
    strew_scatter_reduce_bf16_i32: bf16, u16, i32;
    strew_scatter_reduce_bf16_i64: bf16, u16, i64;
    strew_scatter_reduce_f32_u8: f32, f32, u8;
    strew_scatter_reduce_f32_u16: f32, f32, u16;
    strew_scatter_reduce_f32_u32: f32, f32, u32;
    strew_scatter_reduce_f32_u64: f32, f32, u64;
    strew_scatter_reduce_f32_i8: f32, f32, i8;
    strew_scatter_reduce_f32_i16: f32, f32, i16;
    strew_scatter_reduce_f32_i32: f32, f32, i32;
    strew_scatter_reduce_f32_i64: f32, f32, i64;
    strew_scatter_reduce_f64_u8: f64, f64, u8;
    strew_scatter_reduce_f64_u16: f64, f64, u16;
    strew_scatter_reduce_f64_u32: f64, f64, u32;
    strew_scatter_reduce_f64_u64: f64, f64, u64;
    strew_scatter_reduce_f64_i8: f64, f64, i8;
    strew_scatter_reduce_f64_i16: f64, f64, i16;
    strew_scatter_reduce_f64_i32: f64, f64, i32;
    strew_scatter_reduce_f64_i64: f64, f64, i64;
}
