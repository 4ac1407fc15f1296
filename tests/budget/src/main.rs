//! Programs that differ in the calls that they make, and in nothing else: what one has more than
//! another is what its calls cost. A feature names each call.
//!
//! All of them make the same plans and the same slices, of which the compiler knows nothing, and
//! print what became of them.

// Some calls alone need them.
#![allow(unused_imports, dead_code)]

use std::fmt::Debug;
use std::hint::black_box;

use half::f16;
use strew::{
    Add, Bag, Bags, Element, Error, Gather, Index, Layout, Max, Min, Mul, Reduction, Scatter,
};

const ROWS: usize = 1000;
const ENTRIES: usize = 5000;

/// `$prepare($call)`, with a call that does nothing where the program does not have the feature.
macro_rules! call {
    ($feature:literal, $prepare:expr, $call:expr) => {
        #[cfg(feature = $feature)]
        $prepare($call);
        #[cfg(not(feature = $feature))]
        $prepare(|_, _, _, _| black_box(Ok(())));
    };
}

fn main() {
    call!("gather", gather::<f32, i64>, Gather::run);
    call!("gather-u8", gather::<u8, i64>, Gather::run);
    call!("gather-u16", gather::<u16, i64>, Gather::run);
    call!("gather-f64", gather::<f64, i64>, Gather::run);
    call!("gather-u128", gather::<u128, i64>, Gather::run);
    call!("gather-f32x3", gather::<[f32; 3], i64>, Gather::run);
    call!("gather-by-i32", gather::<f32, i32>, Gather::run);
    call!("gather-by-u8", gather::<f32, u8>, Gather::run);

    call!("scatter", scatter::<f32, i64>, Scatter::run);
    call!("scatter-f64", scatter::<f64, i64>, Scatter::run);
    call!("scatter-by-i32", scatter::<f32, i32>, Scatter::run);

    call!("reduce", scatter::<f32, i64>, |s, d, i, u| s.reduce(Add, d, i, u));
    call!("reduce-f64", scatter::<f64, i64>, |s, d, i, u| s.reduce(Add, d, i, u));
    call!("reduce-f16", scatter::<f16, i64>, |s, d, i, u| s.reduce(Add, d, i, u));
    call!("reduce-by-i32", scatter::<f32, i32>, |s, d, i, u| s.reduce(Add, d, i, u));
    call!("reduce-mul", scatter::<f32, i64>, |s, d, i, u| s.reduce(Mul, d, i, u));
    call!("reduce-max", scatter::<f32, i64>, |s, d, i, u| s.reduce(Max, d, i, u));
    let decay = |current: f32, update: f32| current * 0.9 + update;
    call!("reduce-closure", scatter::<f32, i64>, |s, d, i, u| s.reduce(decay, d, i, u));
    black_box(decay(1.0, 2.0));

    #[cfg(feature = "bags")]
    {
        const I64: Bags<'_, i64> = Bags::Lengths(&[0; ENTRIES]);
        const U32: Bags<'_, u32> = Bags::Lengths(&[0; ENTRIES]);
        call!("bag", bag::<i64>, |b, t, i, to| b.run(Add, t, i, black_box(I64), to));
        call!("bag-by-i32", bag::<i32>, |b, t, i, to| b.run(Add, t, i, black_box(I64), to));
        call!("bag-u32", bag::<i64>, |b, t, i, to| b.run(Add, t, i, black_box(U32), to));
        call!("bag-max", bag::<i64>, |b, t, i, to| b.run(Max, t, i, black_box(I64), to));
    }

    #[cfg(feature = "library")]
    {
        library::<f32>();
        library::<f64>();
        library::<i32>();
        library::<i64>();
    }

    #[cfg(feature = "rayon")]
    {
        rayon::in_place_scope(|scope| scope.spawn(|_| _ = black_box(rayon::current_num_threads())));
        call!("par-gather", gather::<f32, i64>, Gather::par_run);
        call!("par-scatter", scatter::<f32, i64>, Scatter::par_run);
        call!("par-reduce", scatter::<f32, i64>, |s, d, i, u| s.par_reduce(Add, d, i, u));
    }
}

fn gather<T: Element + Default + Debug, I: Index + Default>(
    run: impl FnOnce(&Gather, &[T], &[I], &mut [T]) -> Result<(), Error>,
) {
    let (plan, input, indices) = (gather_plan(), slice(ROWS), slice(ENTRIES));
    let mut output = slice(ENTRIES);
    let result = run(&plan, &input, &indices, &mut output);
    println!("{result:?} {:?}", output.last());
}

fn scatter<T: Element + Default + Debug, I: Index + Default>(
    run: impl FnOnce(&Scatter, &mut [T], &[I], &[T]) -> Result<(), Error>,
) {
    let (plan, indices, updates) = (scatter_plan(), slice(ENTRIES), slice(ENTRIES));
    let mut data = slice(ROWS);
    let result = run(&plan, &mut data, &indices, &updates);
    println!("{result:?} {:?}", data.last());
}

#[cfg(feature = "bags")]
fn bag<I: Index + Default>(run: impl FnOnce(&Bag, &[f32], &[I], &mut [f32]) -> Result<(), Error>) {
    let [table, many] = layouts();
    let bag = black_box(Bag::new(&table, &many, &many)).expect("the layouts fit");
    let (table, indices) = (slice(ROWS), slice(ENTRIES));
    let mut output = slice(ENTRIES);
    let result = run(&bag, &table, &indices, &mut output);
    println!("{result:?} {:?}", output.last());
}

/// The operators of ONNX of one type, and their reductions.
#[cfg(feature = "library")]
fn library<T: Element + Default + Debug>()
where
    Add: Reduction<T>,
    Mul: Reduction<T>,
    Max: Reduction<T>,
    Min: Reduction<T>,
{
    let [table, many] = layouts();
    gather::<T, i64>(|_, from, by, to| Gather::axis(&table, &many, &many, 0)?.run(from, by, to));
    gather::<T, i64>(|_, from, by, to| {
        Gather::elements(&table, &many, &many, 0)?.run(from, by, to)
    });
    gather::<T, i64>(|_, from, by, to| Gather::nd(&table, &many, &many, 0)?.run(from, by, to));
    let elements = || Scatter::elements(&table, &many, &many, 0);
    scatter::<T, i64>(|_, to, by, from| elements()?.run(to, by, from));
    scatter::<T, i64>(|_, to, by, from| Scatter::nd(&table, &many, &many, 0)?.run(to, by, from));
    scatter::<T, i64>(|_, to, by, from| elements()?.reduce(Add, to, by, from));
    scatter::<T, i64>(|_, to, by, from| elements()?.reduce(Mul, to, by, from));
    scatter::<T, i64>(|_, to, by, from| elements()?.reduce(Max, to, by, from));
    scatter::<T, i64>(|_, to, by, from| elements()?.reduce(Min, to, by, from));
}

#[inline(never)]
fn gather_plan() -> Gather {
    let [table, many] = layouts();
    black_box(Gather::axis(&table, &many, &many, 0)).expect("the layouts fit")
}

#[inline(never)]
fn scatter_plan() -> Scatter {
    let [table, many] = layouts();
    black_box(Scatter::axis(&table, &many, &many, 0)).expect("the layouts fit")
}

fn layouts() -> [Layout; 2] {
    [ROWS, ENTRIES].map(|size| black_box(Layout::contiguous([black_box(size)])))
}

fn slice<T: Clone + Default>(length: usize) -> Vec<T> {
    black_box(vec![T::default(); black_box(length)])
}
