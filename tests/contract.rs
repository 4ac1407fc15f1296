//! The signatures that callers rely on, spelled out: a change of one of them does not compile.
#![cfg(feature = "half")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::expect_used,
    clippy::panic,
    missing_docs
)]
#![allow(clippy::type_complexity, clippy::extra_unused_lifetimes)]

use strew::{
    Add, And, Assign, Average, Bag, Bags, Bounds, Checked, CheckedBag, Element, Empty, Error,
    Gather, Index, Layout, MAX_RANK, Max, Min, Mul, Negative, Or, Pool, Reduction, Rows, Scatter,
    Sequence, Sub, Xor, plan, shape,
};

const _: usize = MAX_RANK;
const _: [(); 8] = [(); MAX_RANK];

// Layouts.
const _: fn([usize; 3]) -> Layout = Layout::contiguous::<3>;
const _: fn([usize; 8], [isize; 8]) -> Layout = Layout::strided::<8>;
const _: fn(Layout, usize) -> Layout = Layout::with_offset;
const _: fn(&[usize]) -> Result<Layout, Error> = Layout::from_sizes;
const _: fn(&[usize], &[isize], usize) -> Result<Layout, Error> = Layout::from_parts;
const _: fn(&Layout) -> usize = Layout::rank;
const _: fn(&Layout) -> &[usize] = Layout::sizes;
const _: fn(&Layout) -> &[isize] = Layout::strides;
const _: fn(&Layout) -> usize = Layout::offset;

// Plans.
const _: [fn(&Layout, &Layout, &Layout, usize) -> Result<Gather, Error>; 3] =
    [Gather::axis, Gather::elements, Gather::nd];
const _: [fn(&Layout, &Layout, &Layout, usize) -> Result<Scatter, Error>; 3] =
    [Scatter::axis, Scatter::elements, Scatter::nd];
const _: fn(&Layout, &Layout, &Layout, &[usize]) -> Result<Gather, Error> = Gather::axes;
const _: fn(&Layout, &Layout, &Layout, &[usize]) -> Result<Scatter, Error> = Scatter::axes;
const _: fn(&Layout, &Layout, &Layout) -> Result<Bag, Error> = Bag::new;
const _: fn(Bag, Bounds) -> Bag = Bag::bounds;
const _: fn(Bag, Negative) -> Bag = Bag::negative;
const _: fn(Bag, usize) -> Bag = Bag::padding;
const _: fn(Bag, Empty) -> Bag = Bag::empty;
const _: fn(Gather, Bounds) -> Gather = Gather::bounds;
const _: fn(Scatter, Bounds) -> Scatter = Scatter::bounds;
const _: fn(&Layout, &Layout, &Layout, usize, Sequence) -> Result<Scatter, Error> =
    Scatter::sequence;
const _: fn(&Gather) -> Result<Scatter, Error> = Gather::adjoint;
const _: fn(&Scatter) -> Result<Gather, Error> = Scatter::adjoint;
const _: fn(Gather, Negative) -> Gather = Gather::negative;
const _: fn(Scatter, Negative) -> Scatter = Scatter::negative;

// Shapes of results.
const _: [fn(&[usize], &[usize], usize) -> Result<heapless::Vec<usize, 8>, Error>; 3] =
    [shape::axis, shape::elements, shape::nd];
const _: fn(&[usize], &[usize], &[usize]) -> Result<heapless::Vec<usize, 8>, Error> = shape::axes;

// Everything that is `const` is so in a const.
const TABLE: Layout = Layout::strided([4, 2], [2, 1]).with_offset(1);
const IDS: Layout = Layout::contiguous([3, 1]);
const ROWS: Layout = Layout::contiguous([3, 2]);
const ELEMENTS: Layout = Layout::contiguous([3, 2]);
const LIST: Layout = Layout::contiguous([3]);
const _: (usize, &[usize], &[isize], usize) =
    (TABLE.rank(), TABLE.sizes(), TABLE.strides(), TABLE.offset());
const _: Result<Layout, Error> = Layout::from_sizes(&[4, 2]);
const _: Result<Layout, Error> = Layout::from_parts(&[4, 2], &[2, 1], 1);
const GATHER: Gather = plan!(Gather::nd(&TABLE, &IDS, &ROWS, 0)).bounds(Bounds::Clamp);
const SCATTER: Scatter =
    plan!(Scatter::nd(&TABLE, &IDS, &ROWS, 0)).bounds(Bounds::Wrap).negative(Negative::OutOfBounds);
const _: Gather = plan!(Gather::axis(&TABLE, &LIST, &ROWS, 0));
const _: Gather = plan!(Gather::elements(&TABLE, &ELEMENTS, &ELEMENTS, 0));
const _: Gather = plan!(Gather::axes(&TABLE, &IDS, &ROWS, &[0]));
const _: Scatter =
    plan!(Scatter::sequence(&TABLE, &Layout::contiguous([]), &ROWS, 0, Sequence::Linear));
const _: Scatter = plan!(plan!(Gather::axis(&TABLE, &LIST, &ROWS, 0)).adjoint());
const _: Scatter = plan!(Scatter::axes(&TABLE, &IDS, &ROWS, &[0]));
const _: Scatter = plan!(Scatter::axis(&TABLE, &LIST, &ROWS, 0));
const _: Scatter = plan!(Scatter::elements(&TABLE, &ELEMENTS, &ELEMENTS, 0));
const _: Bag =
    plan!(Bag::new(&TABLE, &LIST, &ROWS)).bounds(Bounds::Skip).padding(0).empty(Empty::Keep);
const _: (usize, usize) = (SCATTER.flags_len(), SCATTER.mean_len::<f32>());

/// What a caller that is generic in everything needs to say, and no more.
#[allow(dead_code)]
fn generic_caller<'a, T: Element, I: Index, R: Reduction<T>>() {
    let _: fn(&Gather, &[T], &[I], &mut [T]) -> Result<(), Error> = Gather::run::<T, I>;
    let _: fn(&'a Gather, &'a [I]) -> Result<Checked<'a, Gather, I>, Error> = Gather::check::<I>;
    let _: fn(&Checked<'a, Gather, I>, &[T], &mut [T]) -> Result<(), Error> =
        Checked::<Gather, I>::run::<T>;

    let _: fn(&Scatter, &mut [T], &[I], &[T]) -> Result<(), Error> = Scatter::run::<T, I>;
    let _: fn(&Scatter, R, &mut [T], &[I], &[T]) -> Result<(), Error> = Scatter::reduce::<T, I, R>;
    let _: fn(&Scatter, &[T], &[I], &[T], &mut [T]) -> Result<(), Error> =
        Scatter::run_into::<T, I>;
    let _: fn(&Scatter, R, &[T], &[I], &[T], &mut [T]) -> Result<(), Error> =
        Scatter::reduce_into::<T, I, R>;
    let _: fn(&Scatter, R, &mut [T], &[I], &[T], &mut [u32]) -> Result<(), Error> =
        Scatter::reduce_excluding_self::<T, I, R>;
    let _: fn(&'a Scatter, &'a [I]) -> Result<Checked<'a, Scatter, I>, Error> = Scatter::check::<I>;
    let _: fn(&'a Scatter, &'a [I], &mut [u32]) -> Result<Checked<'a, Scatter, I>, Error> =
        Scatter::check_unique::<I>;

    let _: fn(&Checked<'a, Scatter, I>, &mut [T], &[T]) -> Result<(), Error> =
        Checked::<Scatter, I>::run::<T>;
    let _: fn(&Checked<'a, Scatter, I>, R, &mut [T], &[T]) -> Result<(), Error> =
        Checked::<Scatter, I>::reduce::<T, R>;
    let _: fn(&Checked<'a, Scatter, I>, &[T], &[T], &mut [T]) -> Result<(), Error> =
        Checked::<Scatter, I>::run_into::<T>;
    let _: fn(&Checked<'a, Scatter, I>, R, &[T], &[T], &mut [T]) -> Result<(), Error> =
        Checked::<Scatter, I>::reduce_into::<T, R>;
    let _: fn(&Checked<'a, Scatter, I>, R, &mut [T], &[T], &mut [u32]) -> Result<(), Error> =
        Checked::<Scatter, I>::reduce_excluding_self::<T, R>;
    let _: fn(&R, T, T) -> T = R::combine;
}

#[allow(dead_code)]
fn generic_bag<'a, T, I: Index, O: Index, P: Pool<T>>()
where
    T: Element + bytemuck::Zeroable,
{
    let _: fn(&Bag, P, &[T], &[I], Bags<'a, O>, &mut [T]) -> Result<(), Error> =
        Bag::run::<T, I, O, P>;
    let _: fn(&'a Bag, &'a [I], Bags<'a, O>) -> Result<CheckedBag<'a, I, O>, Error> =
        Bag::check::<I, O>;
    let _: fn(&CheckedBag<'a, I, O>, P, &[T], &mut [T]) -> Result<(), Error> =
        CheckedBag::<I, O>::run::<T, P>;
}

#[allow(dead_code)]
fn generic_mean<'a, T: Average, I: Index>()
where
    Add: Reduction<T>,
{
    let _: [fn(&Scatter, &mut [T], &[I], &[T], &mut [u32]) -> Result<(), Error>; 2] =
        [Scatter::mean::<T, I>, Scatter::mean_excluding_self::<T, I>];
    let _: [fn(&Checked<'a, Scatter, I>, &mut [T], &[T], &mut [u32]) -> Result<(), Error>; 2] =
        [Checked::<Scatter, I>::mean::<T>, Checked::<Scatter, I>::mean_excluding_self::<T>];
}

fn plain<T: Copy + Send + Sync + std::fmt::Debug + 'static>() {}
fn value<T: Copy + Eq + std::hash::Hash + std::fmt::Debug + Send + Sync + 'static>() {}
fn index<I: Index + Copy>() {}
fn element<T: Element + Copy>() {}
fn reduces<T, R: Reduction<T> + Copy + Default>() {
    assert_eq!(size_of::<R>(), 0);
}
fn standard_error<E: std::error::Error>() {}

/// `bytemuck::NoUninit`, and that threads may share it, is the whole bound.
#[allow(dead_code)]
fn every_type_without_padding<T: bytemuck::NoUninit + Send + Sync>() {
    element::<T>();
}

macro_rules! for_types {
    ($call:ident: $($t:ty)*) => { $($call::<$t>();)* };
    ($call:ident $reduction:ty: $($t:ty)*) => { $($call::<$t, $reduction>();)* };
}

#[test]
fn traits() {
    for_types!(plain: Gather Scatter Rows Layout Bounds Error);
    for_types!(plain: Checked<'static, Gather, u8> Checked<'static, Scatter, i64>);
    for_types!(value: Layout Bounds Error);
    standard_error::<Error>();
    for_types!(index: u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
    for_types!(element: u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);
    for_types!(element: f32 f64 bool char half::f16 half::bf16 [u8; 3] [f32; 4]);
    assert_eq!(Bounds::default(), Bounds::Error);
    let _all = [Bounds::Error, Bounds::Clamp, Bounds::Wrap, Bounds::Skip];
}

#[test]
fn reductions() {
    macro_rules! numbers { ($($reduction:ty)*) => {$(
        for_types!(reduces $reduction: u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
        for_types!(reduces $reduction: f32 f64 half::f16 half::bf16);
    )*}; }
    macro_rules! bits { ($($reduction:ty)*) => {$(
        for_types!(reduces $reduction: bool u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
    )*}; }
    numbers!(Assign Add Sub Mul Min Max);
    bits!(Assign And Or Xor);
    for_types!(reduces Assign: char [u8; 3]);
    fn function<R: Reduction<i32>>(reduction: R) -> i32 {
        reduction.combine(7, 5)
    }
    let offset = 1;
    assert_eq!(
        (function(i32::wrapping_add), function(|a, b| a - b + offset), function(Sub)),
        (12, 3, 2)
    );
}

/// A const plan does its work, once and with checked indices.
#[test]
fn const_plans_run() {
    let table = [0, 10, 11, 20, 21, 30, 31, 40, 41];
    let mut rows = [0; 6];
    GATHER.run(&table, &[2_u8, 0, 200], &mut rows).unwrap();
    assert_eq!(rows, [30, 31, 10, 11, 40, 41]);
    GATHER.check(&[1_i8, -1, -128]).unwrap().run(&table, &mut rows).unwrap();
    assert_eq!(rows, [20, 21, 40, 41, 10, 11]);

    let mut data = [0; 9];
    SCATTER.run(&mut data, &[5, 3, -2], &[1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(data, [0, 0, 0, 1, 2, 5, 6, 3, 4]);
}

/// Of its eight dimensions and coordinates, a layout or a plan shows those that there are.
#[test]
fn debug_output_shows_what_is_used() {
    assert_eq!(format!("{TABLE:?}"), "Layout { sizes: [4, 2], strides: [2, 1], offset: 1 }");
    let scatter = Scatter::nd(
        &Layout::contiguous([4, 5]),
        &Layout::contiguous([3, 1]),
        &Layout::contiguous([3, 5]),
        0,
    )
    .unwrap();
    let text = format!("{scatter:?}");
    let outer = "outer: [Dim { size: 3, table: 0, indices: 1, flat: 5, cell: 0 }]";
    let inner = "inner: [Dim { size: 5, table: 1, indices: 0, flat: 1, cell: 0 }]";
    for part in
        [outer, inner, "coordinates: [Coordinate { size: 4, table: 5, cell: 1 }]", "bounds: Error"]
    {
        assert!(text.contains(part), "{text}");
    }
}
