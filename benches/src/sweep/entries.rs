//! What can be drawn: each entry is one function of strew for one type of element and of index,
//! beside the loop.

use std::hint::black_box;

use half::{bf16, f16};
use ndarray::{ArrayViewD, ArrayViewMutD, Axis, IxDyn, ShapeBuilder};
use strew::ndarray::Operator as Arrays;
use strew::{Add, And, Assign, Average, Layout, Max, Min, Mul, Or, Reduction, Sub, Xor};

use super::Entry;
use super::draw::{Drawn, Operator, extent, has_gaps};
use super::indices::indices;
use super::loops::{Change, Clear, Divide, Marked, Put, Take, Twice, copy, run};
use crate::inputs::{Aligned, Resolve, Value, fill};
use crate::workloads::{Case, FROM, Ready, TO};

/// One side of a pair: called with what is read, the indices, and what is written.
trait Call<T, I, R = ()>: FnMut(&[T], &[I], &mut [T]) -> R + 'static {}
impl<T, I, R, F: FnMut(&[T], &[I], &mut [T]) -> R + 'static> Call<T, I, R> for F {}

type Outcome = Result<(), strew::Error>;

/// Data for a gather, or for a scatter: what is read, and what is written.
fn case<T: Value, I: Resolve>(
    drawn: &Drawn,
    strew: impl Call<T, I, Outcome>,
    safe_loop: impl Call<T, I>,
) -> Box<dyn Ready> {
    let [table, flat] = [&drawn.table, &drawn.flat].map(extent);
    let [from, to] = if drawn.entry.gathers() { [table, flat] } else { [flat, table] };
    Box::new(Case {
        from: Aligned::random(from, FROM),
        indices: indices::<I>(drawn).into(),
        to: Aligned::random(to, TO),
        strew,
        safe_loop,
    })
}

fn gather<T: Value, I: Resolve, const ALL: bool>(drawn: &Drawn) -> Box<dyn Ready> {
    let (plan, nest) = (drawn.gather(), drawn.nest(false).unwrap());
    case::<T, I>(
        drawn,
        move |table, indices, output| plan.run(table, indices, output),
        move |table, indices, output| run::<I, _, ALL>(&nest, indices, Take { table, output }),
    )
}

/// With the threads of rayon's pool, beside one thread.
fn threads_gather<T: Value + Send + Sync, I: Resolve>(drawn: &Drawn) -> Box<dyn Ready> {
    let plan = drawn.gather();
    case::<T, I>(
        drawn,
        move |table, indices, output| plan.par_run(table, indices, output),
        move |table, indices, output| plan.run(table, indices, output).unwrap(),
    )
}

fn set<T: Value, I: Resolve, const ALL: bool>(drawn: &Drawn) -> Box<dyn Ready> {
    let (plan, nest) = (drawn.scatter(), drawn.nest(false).unwrap());
    case::<T, I>(
        drawn,
        move |updates, indices, data| plan.run(data, indices, updates),
        move |updates, indices, data| run::<I, _, ALL>(&nest, indices, Put { data, updates }),
    )
}

fn reduce<T: Value, I: Resolve, R: Reduction<T> + Copy + 'static, const ALL: bool>(
    drawn: &Drawn,
    reduction: R,
    combine: impl Fn(T, T) -> T + Copy + 'static,
) -> Box<dyn Ready> {
    let (plan, nest) = (drawn.scatter(), drawn.nest(false).unwrap());
    case::<T, I>(
        drawn,
        move |updates, indices, data| plan.reduce(reduction, data, indices, updates),
        move |updates, indices, data| {
            run::<I, _, ALL>(&nest, indices, Change { data, updates, combine });
        },
    )
}

fn threads_reduce<T: Value + Send + Sync, I: Resolve, R: Reduction<T> + Copy + Sync + 'static>(
    drawn: &Drawn,
    reduction: R,
) -> Box<dyn Ready> {
    let plan = drawn.scatter();
    case::<T, I>(
        drawn,
        move |updates, indices, data| plan.par_reduce(reduction, data, indices, updates),
        move |updates, indices, data| plan.reduce(reduction, data, indices, updates).unwrap(),
    )
}

/// The loop has marks that are clear before and after: it clears all of them, or those that it has
/// set, whichever is less.
fn without_self<T: Value, I: Resolve, R: Reduction<T> + Copy + 'static>(
    drawn: &Drawn,
    reduction: R,
    combine: impl Fn(T, T) -> T + Copy + 'static,
) -> Box<dyn Ready> {
    let (plan, nest) = (drawn.scatter(), drawn.nest(true).unwrap());
    let (mut flags, mut marks) = (vec![0; plan.flags_len()], vec![false; drawn.cells()]);
    case::<T, I>(
        drawn,
        move |updates, indices, data| {
            plan.reduce_excluding_self(reduction, data, indices, updates, &mut flags)
        },
        move |updates, indices, data| {
            let (assigns, is_first, marks) = (true, false, &mut marks[..]);
            let body = Marked { data, updates, combine, marks, assigns, is_first };
            run::<I, _, false>(&nest, indices, body);
            if nest.entries() >= marks.len() / 16 {
                marks.fill(false);
            } else {
                run::<I, _, false>(&nest, indices, Clear(marks));
            }
        },
    )
}

/// The loop divides by walking over the places, or over the entries again, whichever are fewer.
fn mean<T: Value + Average, I: Resolve, const EXCLUDING: bool>(
    drawn: &Drawn,
    add: impl Fn(T, T) -> T + Copy + 'static,
    divide: impl Fn(T, u32) -> T + Copy + 'static,
) -> Box<dyn Ready>
where
    Add: Reduction<T>,
{
    let (plan, nest) = (drawn.scatter(), drawn.nest(true).unwrap());
    let (mut counts, mut scratch) = (vec![0; drawn.cells()], vec![0; plan.mean_len::<T>()]);
    let is_packed = Layout::from_sizes(drawn.table.sizes()) == Ok(drawn.table);
    let more = u32::from(!EXCLUDING);
    case::<T, I>(
        drawn,
        move |updates, indices, data| match EXCLUDING {
            true => plan.mean_excluding_self(data, indices, updates, &mut scratch),
            false => plan.mean(data, indices, updates, &mut scratch),
        },
        move |updates, indices, data| {
            let body = Marked {
                data: &mut *data,
                updates,
                combine: add,
                marks: &mut counts[..],
                assigns: EXCLUDING,
                is_first: false,
            };
            run::<I, _, false>(&nest, indices, body);
            if is_packed && nest.entries() >= counts.len() / 4 {
                let width = data.len() / counts.len();
                for (row, count) in data.chunks_exact_mut(width).zip(&mut counts) {
                    if *count > 0 {
                        row.iter_mut().for_each(|sum| *sum = divide(*sum, *count + more));
                        *count = 0;
                    }
                }
            } else {
                let body = Divide { data, counts: &mut counts, more, divide, by: 0 };
                run::<I, _, false>(&nest, indices, body);
            }
        },
    )
}

/// To a copy of an input.
fn into<T: Value, I: Resolve, R: Reduction<T> + Copy + 'static>(
    drawn: &Drawn,
    reduction: R,
    combine: impl Fn(T, T) -> T + Copy + 'static,
) -> Box<dyn Ready> {
    let (plan, nest) = (drawn.scatter(), drawn.nest(false).unwrap());
    let nest_copy = drawn.nest_copy().unwrap();
    let is_whole = extent(&drawn.table) == drawn.table.sizes().iter().product();
    let input = std::rc::Rc::new(Aligned::<T>::random(extent(&drawn.table), 3));
    let same_input = input.clone();
    case::<T, I>(
        drawn,
        move |updates, indices, data| plan.reduce_into(reduction, &input, indices, updates, data),
        move |updates, indices, data| {
            if is_whole {
                data.copy_from_slice(&same_input);
            } else {
                copy(&nest_copy, &same_input, data);
            }
            run::<I, _, false>(&nest, indices, Change { data, updates, combine });
        },
    )
}

fn unique<T: Value, I: Resolve>(drawn: &Drawn) -> Box<dyn Ready> {
    let (plan, nest) = (drawn.scatter(), drawn.nest(true).unwrap());
    let (mut flags, mut marks) = (vec![0; plan.flags_len()], vec![false; drawn.cells()]);
    Box::new(Case::<u8, I, _, _, _> {
        from: Aligned::random(1, FROM),
        indices: indices::<I>(drawn).into(),
        to: Aligned::random(1, TO),
        strew: move |_: &[u8], indices: &[I], twice: &mut [u8]| {
            twice[0] = u8::from(plan.check_unique(indices, &mut flags).is_err());
            Ok(())
        },
        safe_loop: move |_: &[u8], indices: &[I], twice: &mut [u8]| {
            let mut found = false;
            run::<I, _, false>(&nest, indices, Twice { marks: &mut marks, found: &mut found });
            if nest.entries() >= marks.len() / 16 {
                marks.fill(false);
            } else {
                run::<I, _, false>(&nest, indices, Clear(&mut marks));
            }
            twice[0] = u8::from(found);
        },
    })
}

/// With views of ndarray, which are there before the calls.
struct OnArrays<T, I, S, L> {
    /// Of what is read, of the indices, and of what is written.
    layouts: [Layout; 3],
    case: Case<T, I, T, S, L>,
}

impl<T: Value, I: Resolve, S, L: FnMut(&[T], &[I], &mut [T])> Ready for OnArrays<T, I, S, L>
where
    S: Fn(&ArrayViewD<T>, &ArrayViewD<I>, &mut ArrayViewMutD<T>) -> Outcome,
{
    fn strew(&mut self, times: u64) {
        let Case { from, indices, to, strew, .. } = &mut self.case;
        let [(f, f_shape, f_back), (i, i_shape, i_back), (t, t_shape, t_back)] =
            self.layouts.map(|layout| array(&layout));
        let mut from = ArrayViewD::from_shape(f_shape, &from[f..]).unwrap();
        let mut indices = ArrayViewD::from_shape(i_shape, &indices[i..]).unwrap();
        let mut to = ArrayViewMutD::from_shape(t_shape, &mut to[t..]).unwrap();
        f_back.into_iter().for_each(|axis| from.invert_axis(axis));
        i_back.into_iter().for_each(|axis| indices.invert_axis(axis));
        t_back.into_iter().for_each(|axis| to.invert_axis(axis));
        for _ in 0..times {
            black_box(strew(black_box(&from), black_box(&indices), black_box(&mut to))).unwrap();
        }
    }

    fn safe_loop(&mut self, times: u64) {
        let Case { from, indices, to, safe_loop, .. } = &mut self.case;
        for _ in 0..times {
            safe_loop(black_box(from), black_box(indices), black_box(to));
        }
    }

    fn agrees(&mut self) -> bool {
        fill(&mut self.case.to, TO);
        self.strew(1);
        let ours = self.case.to.to_vec();
        fill(&mut self.case.to, TO);
        self.safe_loop(1);
        bytemuck::cast_slice::<T, u8>(&ours) == bytemuck::cast_slice::<T, u8>(&self.case.to)
    }
}

/// Where the memory of a layout starts, its shape with positive strides, and the axes to invert.
fn array(layout: &Layout) -> (usize, ndarray::StrideShape<IxDyn>, Vec<Axis>) {
    let dims = || layout.sizes().iter().zip(layout.strides());
    let below: usize = dims()
        .filter(|(_, stride)| **stride < 0)
        .map(|(size, stride)| (size - 1) * stride.unsigned_abs())
        .sum();
    let strides: Vec<usize> = layout.strides().iter().map(|stride| stride.unsigned_abs()).collect();
    let backwards = (0..layout.rank()).filter(|&d| layout.strides()[d] < 0).map(Axis).collect();
    let shape = IxDyn(layout.sizes()).into_shape_with_order();
    (layout.offset() - below, shape.strides(IxDyn(&strides)), backwards)
}

impl Drawn {
    fn arrays(&self) -> Arrays {
        match self.operator {
            Operator::Axis(axis) => Arrays::axis(axis),
            Operator::Elements(axis) => Arrays::elements(axis),
            Operator::Nd(batch_dims) => Arrays::nd(batch_dims),
        }
        .bounds(self.bounds)
    }
}

fn array_gather<T: Value, I: Resolve>(drawn: &Drawn) -> Box<dyn Ready> {
    let (operator, nest) = (drawn.arrays(), drawn.nest(false).unwrap());
    Box::new(OnArrays {
        layouts: [drawn.table, drawn.indices, drawn.flat],
        case: Case {
            from: Aligned::random(extent(&drawn.table), FROM),
            indices: indices::<I>(drawn).into(),
            to: Aligned::random(extent(&drawn.flat), TO),
            strew: move |table: &ArrayViewD<T>,
                         indices: &ArrayViewD<I>,
                         output: &mut ArrayViewMutD<T>| {
                operator.gather_into(table, indices, output)
            },
            safe_loop: move |table: &[T], indices: &[I], output: &mut [T]| {
                run::<I, _, false>(&nest, indices, Take { table, output });
            },
        },
    })
}

fn array_reduce<T: Value, I: Resolve, R: Reduction<T> + Copy + 'static>(
    drawn: &Drawn,
    reduction: R,
    combine: impl Fn(T, T) -> T + Copy + 'static,
) -> Box<dyn Ready> {
    let (operator, nest) = (drawn.arrays(), drawn.nest(false).unwrap());
    Box::new(OnArrays {
        layouts: [drawn.flat, drawn.indices, drawn.table],
        case: Case {
            from: Aligned::random(extent(&drawn.flat), FROM),
            indices: indices::<I>(drawn).into(),
            to: Aligned::random(extent(&drawn.table), TO),
            strew: move |updates: &ArrayViewD<T>,
                         indices: &ArrayViewD<I>,
                         data: &mut ArrayViewMutD<T>| {
                operator.reduce(reduction, data, indices, updates)
            },
            safe_loop: move |updates: &[T], indices: &[I], data: &mut [T]| {
                run::<I, _, false>(&nest, indices, Change { data, updates, combine });
            },
        },
    })
}

fn route_gather<T: Value, I: Resolve>(drawn: &Drawn, threads: usize) -> String {
    with_copies(drawn, drawn.gather().explain::<T, I>(threads).to_string())
}

fn route_scatter<T: Value, I: Resolve, R: Reduction<T>>(drawn: &Drawn, threads: usize) -> String {
    with_copies(drawn, drawn.scatter().explain::<T, I, R>(threads).to_string())
}

/// What `explain` does not say: the views of ndarray's `Operator` that are no slices.
fn with_copies(drawn: &Drawn, route: String) -> String {
    if !drawn.entry.is_ndarray() {
        return route;
    }
    let views = [("table", drawn.table), ("indices", drawn.indices), ("flat tensor", drawn.flat)];
    let copied = views.iter().filter(|(_, layout)| has_gaps(layout)).map(|(name, layout)| {
        format!("; has gaps: {name} of {} elements", layout.sizes().iter().product::<usize>())
    });
    route + &copied.collect::<String>()
}

fn route_plain(_: &Drawn, _: usize) -> String {
    "no route: entry by entry".into()
}

/// `entry!(kind, element type, its name, index type, all, make, route)`
macro_rules! entry {
    ($kind:literal $name:literal $element:ty, $index:ty, $all:literal, $make:expr, $route:expr) => {
        Entry {
            kind: $kind,
            name: $name,
            element: stringify!($element),
            bytes: size_of::<$element>(),
            index: stringify!($index),
            range: <$index as Resolve>::RANGE,
            all: $all,
            make: $make,
            route: $route,
            threads: None,
            half: None,
        }
    };
}

/// `all`: with every policy, and tuples of up to four coordinates. `threads`: against one as well.
macro_rules! gather {
    ($element:ty, $index:ty) => { gather!(@ $element, $index, false) };
    ($element:ty, $index:ty, all) => { gather!(@ $element, $index, true) };
    ($element:ty, $index:ty, threads) => {
        Entry {
            threads: Some(threads_gather::<$element, $index>),
            ..gather!(@ $element, $index, false)
        }
    };
    ($element:ty, $index:ty, all threads) => {
        Entry {
            threads: Some(threads_gather::<$element, $index>),
            ..gather!(@ $element, $index, true)
        }
    };
    (@ $element:ty, $index:ty, $all:literal) => {
        entry!("gather" "gather" $element, $index, $all,
            gather::<$element, $index, $all>, route_gather::<$element, $index>)
    };
}

macro_rules! set {
    ($element:ty, $index:ty) => { set!(@ $element, $index, false) };
    ($element:ty, $index:ty, threads) => {
        Entry {
            threads: Some(|drawn| threads_reduce::<$element, $index, _>(drawn, Assign)),
            ..set!(@ $element, $index, false)
        }
    };
    ($element:ty, $index:ty, all threads) => {
        Entry {
            threads: Some(|drawn| threads_reduce::<$element, $index, _>(drawn, Assign)),
            ..set!(@ $element, $index, true)
        }
    };
    (@ $element:ty, $index:ty, $all:literal) => {
        entry!("set" "set" $element, $index, $all,
            set::<$element, $index, $all>, route_scatter::<$element, $index, Assign>)
    };
}

macro_rules! reduce {
    ($kind:literal $name:literal $element:ty, $index:ty, $reduction:ident, $combine:expr) => {
        reduce!(@ $kind $name $element, $index, $reduction, $combine, false)
    };
    ($kind:literal $name:literal $element:ty, $index:ty, $reduction:ident, $combine:expr,
        threads) => {
        Entry {
            threads: Some(|drawn| threads_reduce::<$element, $index, _>(drawn, $reduction)),
            ..reduce!(@ $kind $name $element, $index, $reduction, $combine, false)
        }
    };
    ($kind:literal $name:literal $element:ty, $index:ty, $reduction:ident, $combine:expr,
        all threads) => {
        Entry {
            threads: Some(|drawn| threads_reduce::<$element, $index, _>(drawn, $reduction)),
            ..reduce!(@ $kind $name $element, $index, $reduction, $combine, true)
        }
    };
    (@ $kind:literal $name:literal $element:ty, $index:ty, $reduction:ident, $combine:expr,
        $all:literal) => {
        entry!($kind $name $element, $index, $all,
            |drawn| reduce::<$element, $index, _, $all>(drawn, $reduction, $combine),
            route_scatter::<$element, $index, $reduction>)
    };
}

/// Beside the loop over the same type, and over `f32`.
macro_rules! half {
    ($name:literal $element:ty, $index:ty, $reduction:ident, $combine:expr, $single:expr) => {
        Entry {
            half: Some(|drawn| reduce::<f32, $index, _, false>(drawn, $reduction, $single)),
            ..reduce!("half" $name $element, $index, $reduction, $combine)
        }
    };
}

macro_rules! without_self {
    ($name:literal $element:ty, $index:ty, $reduction:ident, $combine:expr) => {
        entry!("without self" $name $element, $index, false,
            |drawn| without_self::<$element, $index, _>(drawn, $reduction, $combine), route_plain)
    };
}

macro_rules! mean {
    ($name:literal $element:ty, $index:ty, $excluding:literal, $add:expr, $divide:expr) => {
        entry!("mean" $name $element, $index, false,
            |drawn| mean::<$element, $index, $excluding>(drawn, $add, $divide), route_plain)
    };
}

macro_rules! into {
    ($name:literal $element:ty, $index:ty, $reduction:ident, $combine:expr) => {
        entry!("into" $name $element, $index, false,
            |drawn| into::<$element, $index, _>(drawn, $reduction, $combine),
            route_scatter::<$element, $index, $reduction>)
    };
}

macro_rules! array_reduce {
    ($name:literal $element:ty, $index:ty, $reduction:ident, $combine:expr) => {
        entry!("ndarray scatter" $name $element, $index, false,
            |drawn| array_reduce::<$element, $index, _>(drawn, $reduction, $combine),
            route_scatter::<$element, $index, $reduction>)
    };
}

macro_rules! array_gather {
    ($element:ty, $index:ty) => {
        entry!("ndarray gather" "ndarray gather" $element, $index, false,
            array_gather::<$element, $index>, route_gather::<$element, $index>)
    };
}

/// All of them. Each costs compile time: a type of elements has few types of indices.
pub static ALL: &[Entry] = &[
    gather!(f32, i64, all threads),
    gather!(f32, i32, threads),
    gather!(f32, u32, all),
    gather!(f32, usize),
    gather!(f32, u8),
    gather!(f32, i8),
    gather!(f32, u16),
    gather!(f32, i16),
    gather!(f32, u64),
    gather!(f32, isize),
    gather!(u8, i64, threads),
    gather!(u8, u8),
    gather!(f16, i32),
    gather!(bf16, i64),
    gather!([u8; 3], u32),
    gather!([u8; 5], i64),
    gather!([f16; 3], i32),
    gather!(f64, i64),
    gather!(f64, u16),
    gather!([f32; 3], i64),
    gather!([f32; 4], i64, threads),
    gather!([u8; 17], i32),
    gather!([f64; 3], usize),
    gather!([f32; 8], i64),
    gather!([f64; 6], u32),
    gather!([u8; 64], i64),
    set!(f32, i64, all threads),
    set!(f32, i32),
    set!(f32, u8),
    set!(f32, i16),
    set!(f32, u64),
    set!(u8, i32),
    set!(f16, i64),
    set!([u8; 3], i64),
    set!([f16; 3], u32),
    set!(f64, usize, threads),
    set!([f32; 3], i32),
    set!([f32; 4], i64),
    set!([u8; 17], isize),
    set!([f32; 8], u16),
    set!([f64; 6], i64),
    set!([u8; 64], i32),
    reduce!("add" "add" f32, i64, Add, |sum, update| sum + update, all threads),
    reduce!("add" "add" f32, i32, Add, |sum, update| sum + update),
    reduce!("add" "add" f32, usize, Add, |sum, update| sum + update),
    reduce!("add" "add" f64, i64, Add, |sum, update| sum + update),
    reduce!("add" "add" i32, i32, Add, |sum, update| sum.wrapping_add(update), threads),
    reduce!("add" "add" i64, u32, Add, |sum, update| sum.wrapping_add(update)),
    reduce!("add" "add" u32, u8, Add, |sum, update| sum.wrapping_add(update), threads),
    reduce!("add" "add" u32, u16, Add, |sum, update| sum.wrapping_add(update)),
    reduce!("add" "add" u8, i64, Add, |sum, update| sum.wrapping_add(update)),
    reduce!("max" "max" f32, i64, Max, |most, update| if update > most { update } else { most },
        threads),
    reduce!("max" "max" f64, i32, Max, |most, update| if update > most { update } else { most }),
    reduce!("max" "max" i32, i64, Max, i32::max),
    reduce!("max" "min" f32, i32, Min, |least, update| if update < least { update } else { least }),
    reduce!("max" "min" u8, u32, Min, u8::min),
    reduce!("other reduction" "sub" f32, i64, Sub, |value, update| value - update),
    reduce!("other reduction" "mul" i32, i64, Mul, |value, update| value.wrapping_mul(update)),
    reduce!("other reduction" "and" u32, i64, And, |bits, update| bits & update),
    reduce!("other reduction" "or" bool, i64, Or, |bits, update| bits | update),
    reduce!("other reduction" "xor" u64, i32, Xor, |bits, update| bits ^ update),
    entry!("closure" "decaying mean" f32, i64, false,
        |drawn| {
            let decay = |old: f32, new: f32| 0.9 * old + 0.1 * new;
            reduce::<f32, i64, _, false>(drawn, decay, decay)
        },
        route_scatter::<f32, i64, fn(f32, f32) -> f32>),
    entry!("closure" "saturating add" u8, i32, false,
        |drawn| reduce::<u8, i32, _, false>(drawn, u8::saturating_add, u8::saturating_add),
        route_scatter::<u8, i32, fn(u8, u8) -> u8>),
    half!("add" f16, i64, Add, |sum, update| sum + update, |sum, update| sum + update),
    half!("add" bf16, i64, Add, |sum, update| sum + update, |sum, update| sum + update),
    half!("max" f16, i64, Max, |most, update| if update > most { update } else { most },
        |most, update| if update > most { update } else { most }),
    without_self!("add without self" f32, i64, Add, |sum, update| sum + update),
    without_self!("add without self" i32, i32, Add, |sum, update| sum.wrapping_add(update)),
    without_self!("max without self" f32, i64, Max, |most, update| {
        if update > most { update } else { most }
    }),
    mean!("mean" f32, i64, false, |sum, update| sum + update, |sum, by| sum / by as f32),
    mean!("mean without self" f32, i64, true, |sum, update| sum + update,
        |sum, by| sum / by as f32),
    mean!("mean" f64, i64, false, |sum, update| sum + update, |sum, by| sum / f64::from(by)),
    mean!("mean without self" f64, i32, true, |sum, update| sum + update,
        |sum, by| sum / f64::from(by)),
    into!("set into" f32, i64, Assign, |_, update| update),
    into!("set into" u8, i32, Assign, |_, update| update),
    into!("add into" f32, i64, Add, |sum, update| sum + update),
    array_gather!(f32, i64),
    array_gather!(u8, i32),
    array_gather!(f64, usize),
    array_reduce!("ndarray set" f32, i64, Assign, |_, update| update),
    array_reduce!("ndarray set" f64, usize, Assign, |_, update| update),
    array_reduce!("ndarray add" f32, i64, Add, |sum, update| sum + update),
    array_reduce!("ndarray add" i32, i32, Add, |sum, update| sum.wrapping_add(update)),
    entry!("check unique" "check unique" u8, i64, false, unique::<u8, i64>, route_plain),
    entry!("check unique" "check unique" u8, u32, false, unique::<u8, u32>, route_plain),
];
