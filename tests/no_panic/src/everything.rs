//! Every public function of the crate.

use core::fmt::Write;

use half::{bf16, f16};
use strew::dml::{self, DataType, FeatureLevel, Settings, TensorDesc};
use strew::quant::{
    Attributes, BlockQuantized, F4E2M1x2, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, IQ4_NL,
    Packing, Q4_0, Q4_1, Q4_K, Q5_0, Q5_1, Q5_K, Q6_K, Q8_0, Row2, Row4, Row8, f16_from_f32,
    f16_to_f32,
};
use strew::{
    Add, And, AnyIndices, Average, Bag, Bags, Bounds, Element, Empty, Error, Gather, Index, Layout,
    Max, Mean, Min, Mul, Negative, Nullable, Operation, Or, Reduction, Rows, Scatter, Sequence,
    Sub, Weighted, Xor, coalesce, mask, plan, shape,
};

use crate::any;

const SQUARE: Layout = Layout::contiguous([4, 4]);
const ROW: Layout = Layout::contiguous([4]);
const PAIRS: Layout = Layout::contiguous([4, 2]);
const GATHER: Gather = plan!(Gather::axis(&SQUARE, &ROW, &SQUARE, 0));
const BAG: Bag = plan!(Bag::new(&SQUARE, &ROW, &SQUARE));
const SCATTER: Scatter = plan!(Scatter::nd(&SQUARE, &PAIRS, &ROW, 0));

pub fn run() {
    layouts();
    bags::<u8, i8, i64>(BAG);
    for bags_of in [bags::<f32, i32, u8>, bags::<f16, u16, i32>, bags::<i64, u64, u64>] {
        any(bags_of)(any(BAG).bounds(any(Bounds::Wrap)).padding(any(1)).empty(any(Empty::Keep)));
    }
    gather::<u8, i32>(GATHER.bounds(Bounds::Skip));
    for gather_of in [
        gather::<u8, u8>,
        gather::<u16, i64>,
        gather::<f32, i32>,
        gather::<f64, u64>,
        gather::<[u8; 3], isize>,
    ] {
        any(gather_of)(any(GATHER).bounds(any(Bounds::Wrap)).negative(any(Negative::FromEnd)));
    }
    constant_plans();
    for scatter_of in [scatter::<u8, u32>, scatter::<f32, i64>] {
        any(scatter_of)(any(SCATTER).bounds(any(Bounds::Clamp)).negative(any(Negative::FromEnd)));
    }
    for reduce_of in [
        reductions::<u8, u32>,
        reductions::<f32, i64>,
        reductions::<f16, i8>,
        reductions::<bf16, u16>,
        reductions::<usize, i32>,
        bits::<bool, isize>,
        bits::<u32, u16>,
    ] {
        any(reduce_of)(any(SCATTER).bounds(any(Bounds::Wrap)));
    }
    apart(|| turned::<u8, u32>(any(SCATTER)));
    apart(|| turned::<f32, i64>(any(SCATTER)));
    apart(sources::<u8, u32>);
    apart(sources::<f32, i64>);
    apart(|| masks::<u8, u32>(any(0)));
    apart(|| masks::<f32, i64>(any(0.0)));
    directml();
    any(on_bytes)(any(GATHER), any(SCATTER));
    any(quantised)(any(GATHER), any(SCATTER));
}

/// Types known at run time.
fn on_bytes(gather: Gather, scatter: Scatter) {
    let (width, data_type) = (any(DataType::Float16.width()), any(DataType::Int32));
    let operation = any(Operation::Mul);
    match AnyIndices::from_bytes(any(DataType::Uint8), slice()) {
        Ok(by) => {
            any(by.data_type());
            report(gather.run_bytes(width, slice(), by, slice_mut()));
            report(scatter.run_bytes(width, slice_mut(), by, slice()));
            report(scatter.reduce_bytes(operation, data_type, slice_mut(), by, slice()));
        }
        Err(error) => report_error(error),
    }
}

/// A table of each format, and what is written to it.
fn quantised(gather: Gather, scatter: Scatter) {
    macro_rules! blocks {
        ($($block:ty)*) => {$(
            apart(|| {
                let decode = <$block>::decode;
                report(gather.run_map::<$block, _, i32>(slice(), slice(), slice_mut(), decode));
            });
            apart(|| {
                let encode = |values| <$block>::encode(&values);
                report(scatter.run_map::<$block, _, i32>(slice_mut(), slice(), slice(), encode));
            });
        )*};
    }
    blocks!(Q8_0 Q4_0 Q4_1 Q5_0 Q5_1 IQ4_NL Q4_K Q5_K Q6_K Row8<50> Row4<50, 25> Row2<50, 13>
        F4E2M1x2);
    apart(|| report(GATHER.run_map::<_, _, u8>(slice(), slice(), slice_mut(), f16_to_f32)));
    apart(|| {
        let sums = slice_mut::<f32>();
        report(SCATTER.reduce_map::<_, f16, i32, _>(Add, sums, slice(), slice(), f16_to_f32));
    });
    apart(|| report(SCATTER.run_map::<_, _, u8>(slice_mut(), slice(), slice(), f16_from_f32)));
    macro_rules! floats {
        ($($float:ty)*) => {$(
            apart(|| {
                let (to, from) = (<$float>::to_f32, <$float>::from_f32);
                report(GATHER.run_map::<_, _, u8>(slice(), slice(), slice_mut(), to));
                report(SCATTER.run_map::<_, _, u8>(slice_mut(), slice(), slice(), from));
            });
        )*};
    }
    floats!(F8E4M3FN F8E4M3FNUZ F8E5M2 F8E5M2FNUZ);
    apart(|| {
        let Ok(checked) = gather.check::<u16>(slice()) else { return };
        checked.ranges::<Q8_0>().for_each(|range| _ = any(range));
        report(checked.run_map::<i8, f32>(slice(), slice_mut(), f32::from));
    });
    apart(|| {
        let Ok(checked) = scatter.check::<u16>(slice()) else { return };
        report(checked.run_map(slice_mut(), slice(), f16_from_f32));
        report(checked.reduce_map(Add, slice_mut::<f32>(), slice(), f16_to_f32));
    });
    apart(|| {
        let bags = Bags::Starts(slice::<u32>());
        let ids = Nullable::bits(slice::<i32>(), slice(), any(0));
        let (bag, sums) = (any(BAG).negative(any(Negative::OutOfBounds)), slice_mut::<f32>());
        let decode = |row: Row8<12>| row.decode();
        report(bag.run_map(Add, slice(), slice::<u8>(), bags, sums, f16_to_f32));
        report(bag.run_map(Add, slice(), slice::<i64>(), bags, slice_mut(), decode));
        let Ok(checked) = bag.check_nullable(ids, bags) else { return };
        report(checked.run(Mean, slice(), sums));
        report(checked.run_map(Max, slice(), sums, f16_to_f32));
    });
    apart(|| {
        let new = |packing| {
            let (sizes, attributes) = (any([4, 4]), any(Attributes::DEFAULT));
            BlockQuantized::new(packing, &attributes, &sizes, &any(ROW), &any(SQUARE))
        };
        for packing in
            [any(Packing::U8 { bits: 4 }), Packing::Int4, Packing::Uint4, Packing::F8E5M2]
        {
            any(packing.bits());
            report(any(BlockQuantized::sizes(packing, &Attributes::DEFAULT, slice(), slice())));
            match new(packing) {
                Ok(gather) => {
                    let Ok(gather) = gather.bounds(any(Bounds::Wrap)).scales(slice()) else {
                        return;
                    };
                    let (data, zeros) = (slice(), any(Some(slice())));
                    let indices = slice::<i32>();
                    report(gather.run::<f32, _>(data, slice(), zeros, indices, slice_mut()));
                    report(gather.run::<f16, _>(data, slice(), zeros, indices, slice_mut()));
                }
                Err(error) => report_error(error),
            }
        }
    });
}

/// An empty slice, as far as the compiler knows of any length.
fn slice<T>() -> &'static [T] {
    any(&[])
}

fn slice_mut<T>() -> &'static mut [T] {
    any(&mut [])
}

/// A function of its own for each call: the optimiser takes three times as long for all in one.
#[inline(never)]
fn apart(call: impl FnOnce()) {
    call();
}

fn report<T>(result: Result<T, Error>) {
    if let Err(error) = result {
        report_error(error);
    }
}

#[inline(never)]
fn report_error(error: Error) {
    struct Sink;
    impl Write for Sink {
        fn write_str(&mut self, text: &str) -> core::fmt::Result {
            any(text);
            Ok(())
        }
    }
    let _ = any(write!(Sink, "{error}"));
    any(error.kind());
    #[cfg(feature = "defmt")]
    defmt::error!("{}", error);
}

fn turned<T: Element, I: Index>(scatter: Scatter)
where
    Max: Reduction<T>,
    Min: Reduction<T>,
{
    report(any(any(GATHER).adjoint()));
    report(any(scatter.adjoint()));
    report(any(coalesce(slice::<I>(), slice_mut(), slice_mut(), slice_mut())));
    for index in slice::<I>() {
        any(any(Bounds::Wrap).position(*index, any(3), any(Negative::FromEnd)));
    }
    let (data, winners) = (slice_mut::<T>(), slice_mut());
    report(any(scatter.continue_excluding_self(Max, data, slice::<I>(), slice(), slice_mut())));
    report(any(scatter.reduce_arg(Max, data, winners, slice::<I>(), slice())));
    report(any(scatter.reduce_arg(Min, data, winners, slice::<I>(), slice())));
}

/// Indices in slices of their own, and some that do not count.
fn sources<T: Element, I: Index>()
where
    Add: Reduction<T>,
{
    let rows = any(Rows::new(any(4), any(4))).bounds(any(Bounds::Wrap));
    let rows = any(rows.negative(any(Negative::FromEnd)));
    report(any(rows.gather(slice::<T>(), slice::<I>(), slice_mut())));
    report(any(rows.scatter(slice_mut::<T>(), slice::<I>(), slice())));
    report(any(rows.reduce(Add, slice_mut::<T>(), slice::<I>(), slice())));
    let lists = any(Gather::lists(&layout(), [&layout(), &layout()], &layout(), any([0, 1])));
    if let Ok(gather) = lists {
        let gather = gather.bounds(any(Bounds::Error)).negative(any(Negative::FromEnd));
        let (input, output) = (slice::<T>(), slice_mut());
        report(any(gather.run(input, any([slice::<I>(), slice()]), output)));
        if let Ok(checked) = gather.check(any([slice::<I>(), slice()])) {
            report(any(checked.run(input, output)));
            checked.ranges::<T>().for_each(|range| _ = any(range));
        }
        let nullable = any([Nullable::bools(slice::<I>(), slice()); 2]);
        if let Ok(checked) = gather.check_nullable(nullable) {
            report(any(checked.run(input, output)));
        }
    }
    let lists = any(Scatter::lists(&layout(), [&layout(), &layout()], &layout(), any([0, 1])));
    if let Ok(scatter) = lists {
        let scatter = scatter.bounds(any(Bounds::Error)).negative(any(Negative::FromEnd));
        let (data, updates) = (slice_mut::<T>(), slice());
        report(any(scatter.run(data, any([slice::<I>(), slice()]), updates)));
        report(any(scatter.reduce(Add, data, any([slice::<I>(), slice()]), updates)));
        if let Ok(checked) = scatter.check(any([slice::<I>(), slice()])) {
            report(any(checked.reduce(Add, data, updates)));
        }
    }
    let ids = any(Nullable::bits(slice::<I>(), slice(), any(0)));
    if let Ok(checked) = any(GATHER).check_nullable(ids) {
        report(any(checked.run(slice::<T>(), slice_mut())));
    }
    if let Ok(checked) = any(SCATTER).check_nullable(ids) {
        report(any(checked.reduce(Add, slice_mut::<T>(), slice())));
    }
}

fn masks<T: Element, I: Index>(value: T) {
    let (data, shape) = (layout(), layout());
    let bools: &[bool] = slice();
    for mask in [mask::Mask::bools(bools, &shape), mask::Mask::bits(slice(), &shape)] {
        report(any(mask::nonzero::<I>(any(mask), slice_mut())));
        report(any(mask::compress::<T>(any(mask), slice(), &data, any(None), slice_mut())));
        report(any(mask::expand::<T>(any(mask), slice(), slice_mut(), &data)));
        report(any(mask::fill(any(mask), value, slice_mut(), &data)));
    }
}

fn layouts() {
    for plan in [Gather::axis, Gather::elements, Gather::nd] {
        report(any(any(plan)(&layout(), &layout(), &layout(), any(0))));
    }
    for plan in [Scatter::axis, Scatter::elements, Scatter::nd] {
        report(any(any(plan)(&layout(), &layout(), &layout(), any(0))));
    }
    for plan in [Gather::axis_packed, Gather::elements_packed, Gather::nd_packed] {
        report(any(any(plan)(&layout(), &layout(), any(0))));
    }
    for plan in [Scatter::axis_packed, Scatter::elements_packed, Scatter::nd_packed] {
        report(any(any(plan)(&layout(), &layout(), any(0))));
    }
    report(any(Gather::axes_packed(&layout(), &layout(), slice())));
    report(any(Scatter::axes_packed(&layout(), &layout(), slice())));
    report(any(Gather::axes(&layout(), &layout(), &layout(), slice())));
    report(any(Scatter::axes(&layout(), &layout(), &layout(), slice())));
    report(any(shape::axes(slice(), slice(), slice())));
    report(any(shape::lists(slice(), [slice(), slice()], any([0, 1]))));
    let mode = any(Sequence::Linear);
    report(any(Scatter::sequence(&layout(), &layout(), &layout(), any(0), mode)));
    report(any(any(Bag::new)(&layout(), &layout(), &layout())));
    let layout = any(Layout::from_parts(slice(), slice(), any(0)));
    report(layout);
    #[cfg(feature = "defmt")]
    if let Ok(layout) = layout {
        defmt::info!("{} {}", layout, any(Bounds::Error));
    }
    report(any(Layout::from_sizes(slice())));
    report(any(Layout::from_dims(slice::<(u64, i64)>().iter().copied(), any(0))));
    any((Layout::contiguous(any([4, 4])), Layout::strided(any([4, 4]), any([1, -4]))));
    if let Ok(layout) = layout {
        any((
            layout.rank(),
            layout.sizes(),
            layout.strides(),
            layout.offset(),
            layout.with_offset(any(3)).extent().is_ok(),
            layout.axis(any(-1)).is_ok(),
        ));
    }
    report(any(shape::axis(slice(), slice(), any(0))));
    report(any(shape::elements(slice(), slice(), any(0))));
    report(any(shape::nd(slice(), slice(), any(0))));
}

/// A layout that the compiler knows nothing of.
fn layout() -> Layout {
    any(ROW)
}

/// Plans in constants fold into the loops: each policy, and each way through them, is code of its
/// own.
fn constant_plans() {
    const COLUMNS: Gather = plan!(Gather::axis(&SQUARE, &ROW, &SQUARE, 1));
    const BEST: Gather = plan!(Gather::elements(&SQUARE, &SQUARE, &SQUARE, 1));
    const CORNERS: Gather = plan!(Gather::nd(&SQUARE, &PAIRS, &ROW, 0));
    const REVERSED: Gather = plan!(Gather::elements(
        &SQUARE,
        &Layout::strided([4, 4], [-1, -4]).with_offset(15),
        &SQUARE,
        0
    ));
    const COUNT: Scatter = plan!(Scatter::axis(&ROW, &SQUARE, &Layout::strided([4, 4], [0, 0]), 0));
    report(GATHER.run::<f32, i32>(slice(), slice(), slice_mut()));
    report(GATHER.bounds(Bounds::Clamp).run::<f32, i64>(slice(), slice(), slice_mut()));
    report(COLUMNS.bounds(Bounds::Wrap).run::<u8, u16>(slice(), slice(), slice_mut()));
    report(BEST.bounds(Bounds::Skip).run::<u16, u8>(slice(), slice(), slice_mut()));
    report(CORNERS.run::<f64, u32>(slice(), slice(), slice_mut()));
    report(REVERSED.run::<[u8; 3], i8>(slice(), slice(), slice_mut()));
    report(SCATTER.run::<f32, i32>(slice_mut(), slice(), slice()));
    report(COUNT.reduce::<u32, u8, _>(Add, slice_mut(), slice(), slice()));
    report(COUNT.bounds(Bounds::Skip).reduce::<f32, i16, _>(Max, slice_mut(), slice(), slice()));
}

#[inline(never)]
fn gather<T: Element, I: Index>(plan: Gather) {
    let indices = slice::<I>();
    any((plan.input_len(), plan.indices_len(), plan.output_len()));
    apart(|| report(plan.run::<T, I>(slice(), indices, slice_mut())));
    apart(|| report(plan.run_shared::<T, I>(slice(), indices, slice_mut())));
    apart(|| report(plan.run_uninit::<T, I>(slice(), indices, slice_mut())));
    match plan.check(indices) {
        Ok(checked) => {
            report(checked.run::<T>(slice(), slice_mut()));
            report(checked.run_uninit::<T>(slice(), slice_mut()));
        }
        Err(error) => report::<()>(Err(error)),
    }
}

#[inline(never)]
fn bags<T: Average + bytemuck::Zeroable, I: Index, O: Index>(plan: Bag)
where
    Add: Reduction<T>,
    Mul: Reduction<T>,
    Max: Reduction<T>,
{
    let (table, indices) = (slice::<T>(), slice::<I>());
    let bags = any([Bags::Offsets(slice::<O>()), Bags::Starts(slice()), Bags::Lengths(slice())]);
    for bags in bags {
        apart(|| report(plan.run(Add, table, indices, bags, slice_mut::<T>())));
        apart(|| report(plan.run(Mean, table, indices, bags, slice_mut::<T>())));
        let weighted = Weighted(Add, slice::<T>());
        apart(|| report(plan.run(weighted, table, indices, bags, slice_mut::<T>())));
        let weighted = Weighted(Mean, slice::<T>());
        apart(|| report(plan.run(weighted, table, indices, bags, slice_mut::<T>())));
        match plan.check(indices, bags) {
            Ok(checked) => apart(|| report(checked.run(Max, table, slice_mut::<T>()))),
            Err(error) => report::<()>(Err(error)),
        }
    }
}

#[inline(never)]
fn scatter<T: Average, I: Index>(plan: Scatter)
where
    Add: Reduction<T>,
    Mul: Reduction<T>,
    Min: Reduction<T>,
    Max: Reduction<T>,
{
    let indices = slice::<I>();
    any((plan.data_len(), plan.indices_len(), plan.updates_len()));
    any((plan.mean_len::<T>(), plan.flags_len()));
    apart(|| report(plan.run::<T, I>(slice_mut(), indices, slice())));
    apart(|| report(plan.run_shared::<T, I>(slice_mut(), indices, slice())));
    apart(|| report(plan.reduce_shared::<T, I, _>(Max, slice_mut(), indices, slice())));
    apart(|| report(plan.run_into::<T, I>(slice(), indices, slice(), slice_mut())));
    apart(|| {
        report(plan.reduce::<T, I, _>(|current: T, _| current, slice_mut(), indices, slice()))
    });
    apart(|| report(plan.reduce_into::<T, I, _>(Add, slice(), indices, slice(), slice_mut())));
    apart(|| {
        report(plan.run_from::<T, I>(&layout(), slice(), indices, slice(), slice_mut()));
    });
    apart(|| {
        let (input, output) = (slice(), slice_mut());
        report(plan.reduce_from::<T, I, _>(Mul, &layout(), input, indices, slice(), output));
    });
    apart(|| {
        report(plan.reduce_excluding_self::<T, I, _>(
            Max,
            slice_mut(),
            indices,
            slice(),
            slice_mut(),
        ))
    });
    apart(|| report(plan.mean_excluding_self::<T, I>(slice_mut(), indices, slice(), slice_mut())));
    match plan.check(indices) {
        Ok(checked) => apart(|| report(checked.run::<T>(slice_mut(), slice()))),
        Err(error) => report::<()>(Err(error)),
    }
    match plan.check_unique(indices, slice_mut()) {
        Ok(checked) => {
            apart(|| report(checked.run::<T>(slice_mut(), slice())));
            apart(|| report(checked.reduce::<T, _>(Add, slice_mut(), slice())));
            apart(|| report(checked.run_into::<T>(slice(), slice(), slice_mut())));
            apart(|| report(checked.reduce_into::<T, _>(Mul, slice(), slice(), slice_mut())));
            apart(|| {
                report(checked.reduce_excluding_self::<T, _>(
                    Min,
                    slice_mut(),
                    slice(),
                    slice_mut(),
                ))
            });
            apart(|| {
                let (data, flags) = (slice_mut(), slice_mut());
                report(checked.continue_excluding_self::<T, _>(Max, data, slice(), flags));
            });
            apart(|| {
                let (data, winners) = (slice_mut::<T>(), slice_mut());
                report(checked.reduce_arg(Max, data, winners, slice()));
            });
            apart(|| report(checked.mean::<T>(slice_mut(), slice(), slice_mut())));
            apart(|| report(checked.mean_excluding_self::<T>(slice_mut(), slice(), slice_mut())));
        }
        Err(error) => report::<()>(Err(error)),
    }
}

#[inline(never)]
fn reductions<T: Average, I: Index>(plan: Scatter)
where
    Add: Reduction<T>,
    Sub: Reduction<T>,
    Mul: Reduction<T>,
    Min: Reduction<T>,
    Max: Reduction<T>,
{
    apart(|| report(plan.reduce::<T, I, _>(Add, slice_mut(), slice(), slice())));
    apart(|| report(plan.reduce::<T, I, _>(Sub, slice_mut(), slice(), slice())));
    apart(|| report(plan.reduce::<T, I, _>(Mul, slice_mut(), slice(), slice())));
    apart(|| report(plan.reduce::<T, I, _>(Min, slice_mut(), slice(), slice())));
    apart(|| report(plan.reduce::<T, I, _>(Max, slice_mut(), slice(), slice())));
    apart(|| report(plan.mean::<T, I>(slice_mut(), slice(), slice(), slice_mut())));
}

#[inline(never)]
fn bits<T: Element, I: Index>(plan: Scatter)
where
    And: Reduction<T>,
    Or: Reduction<T>,
    Xor: Reduction<T>,
{
    apart(|| report(plan.reduce::<T, I, _>(And, slice_mut(), slice(), slice())));
    apart(|| report(plan.reduce::<T, I, _>(Or, slice_mut(), slice(), slice())));
    apart(|| report(plan.reduce::<T, I, _>(Xor, slice_mut(), slice(), slice())));
    apart(|| report(SCATTER.reduce::<T, I, _>(Or, slice_mut(), slice(), slice())));
}

fn directml() {
    let tensor = || any(TensorDesc::strided(DataType::Float32, slice(), slice()));
    let (input_tensor, indices_tensor, updates_tensor, output_tensor) =
        (tensor(), tensor(), tensor(), tensor());
    let settings = any(Settings {
        feature_level: FeatureLevel::Level4_1,
        bounds: Bounds::Clamp,
        strict: true,
    });
    let (axis, input_dimension_count, indices_dimension_count) = (any(0), any(1), any(1));
    #[cfg(feature = "defmt")]
    defmt::info!("{} {}", settings, input_tensor);
    report(input_tensor.extent());
    report(any(TensorDesc::packed(DataType::Uint8, slice())).extent());

    let gather = dml::GatherOperatorDesc {
        input_tensor,
        indices_tensor,
        output_tensor,
        axis,
        index_dimensions: any(1),
    };
    let elements =
        dml::GatherElementsOperatorDesc { input_tensor, indices_tensor, output_tensor, axis };
    let nd = dml::GatherNdOperatorDesc {
        input_tensor,
        indices_tensor,
        output_tensor,
        input_dimension_count,
        indices_dimension_count,
    };
    let nd1 = dml::GatherNd1OperatorDesc {
        input_tensor,
        indices_tensor,
        output_tensor,
        input_dimension_count,
        indices_dimension_count,
        batch_dimension_count: any(0),
    };
    for plan in [
        gather.compile(&settings),
        elements.compile(&settings),
        nd.compile(&settings),
        nd1.compile(&settings),
    ] {
        apart(|| {
            report(plan.and_then(|plan| {
                plan.execute(any(slice::<f32>()), any(slice::<i64>()), any(slice_mut::<f32>()))
            }))
        });
        apart(|| {
            report(plan.and_then(|plan| {
                plan.execute(any(slice::<i8>()), any(slice::<u32>()), any(slice_mut::<i8>()))
            }))
        });
    }

    let elements = dml::ScatterOperatorDesc {
        input_tensor,
        indices_tensor,
        updates_tensor,
        output_tensor,
        axis,
    };
    let nd = dml::ScatterNdOperatorDesc {
        input_tensor,
        indices_tensor,
        updates_tensor,
        output_tensor,
        input_dimension_count,
        indices_dimension_count,
    };
    for plan in [elements.compile(&settings), nd.compile(&settings)] {
        apart(|| {
            report(plan.and_then(|plan| {
                plan.execute(
                    any(slice::<f64>()),
                    any(slice::<i32>()),
                    any(slice::<f64>()),
                    any(slice_mut::<f64>()),
                )
            }))
        });
        apart(|| {
            report(plan.and_then(|plan| {
                plan.execute(
                    any(slice::<f16>()),
                    any(slice::<u64>()),
                    any(slice::<f16>()),
                    any(slice_mut::<f16>()),
                )
            }))
        });
    }
}
