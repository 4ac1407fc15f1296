//! Makes cases out of choices. A property test chooses, or a fuzzer. Choice 0 is always the
//! simplest.

use strew::{Bounds, Negative, Sequence};

use super::case::{Case, IndexType, Operator, Tensor};
use super::oracle::each;

/// `choose(n)` is a number below `n`.
pub type Choose<'a> = &'a mut dyn FnMut(usize) -> usize;

/// The tensor that an operator writes must not overlap itself; the others may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Gather,
    Scatter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Axis,
    Elements,
    Nd,
    Axes,
    /// Of scatters alone.
    Sequence,
}

/// The first three are ONNX's and DirectML's.
pub const KINDS: [Kind; 4] = [Kind::Axis, Kind::Elements, Kind::Nd, Kind::Axes];

const MAX_RANK: usize = 8;
/// A tensor that is larger makes no better test, only a slower one.
const MAX_ELEMENTS: usize = 300;

/// A case whose plan can be made.
pub fn case(direction: Direction, kind: Kind, choose: Choose) -> Case {
    case_within(MAX_ELEMENTS, direction, kind, choose)
}

/// The same with at most `elements` in each tensor.
pub fn case_within(elements: usize, direction: Direction, kind: Kind, choose: Choose) -> Case {
    let shapes = shapes(elements, kind, choose);
    of_shapes(direction, shapes, choose)
}

/// The same with a table of 2 to 20 times as many elements as move, by the size of an axis that the
/// indices choose from.
pub fn few_case(direction: Direction, kind: Kind, choose: Choose) -> Case {
    let mut shapes = shapes(MAX_ELEMENTS, kind, choose);
    let axis = match shapes.operator {
        Operator::Axis(axis) | Operator::Elements(axis) => axis,
        Operator::Nd(batch_dims) => {
            batch_dims + choose(shapes.indices.last().copied().unwrap_or(1))
        }
        _ => return of_shapes(direction, shapes, choose),
    };
    let moved: usize = shapes.flat.iter().product();
    let others: usize = shapes.table[..axis].iter().chain(&shapes.table[axis + 1..]).product();
    let times = [2, 6, 20][choose(3)];
    if let Some(size) = (times * moved).checked_div(others) {
        shapes.table[axis] = size + choose(4);
    }
    of_shapes(direction, shapes, choose)
}

fn of_shapes(direction: Direction, shapes: Shapes, choose: Choose) -> Case {
    let tensors = match direction {
        Direction::Gather => {
            [read(shapes.table, choose), read(shapes.indices, choose), written(shapes.flat, choose)]
        }
        Direction::Scatter => {
            [written(shapes.table, choose), read(shapes.indices, choose), read(shapes.flat, choose)]
        }
    };
    let hostility = [0, 1, 8][choose(3)];
    let mut case = filled(shapes.operator, tensors, hostility, choose);
    set_negative(&mut case, choose);
    case
}

/// The same with long lanes: 0 to 300 indices or tuples in the last dimension, mostly without gaps,
/// and at most one of them hostile more often than not. Some calls have more entries than the short
/// ways of `std` take.
pub fn long_case(direction: Direction, kind: Kind, choose: Choose) -> Case {
    let shapes = long_shapes(kind, choose);
    let mut tensor = |sizes: Vec<usize>, is_written: bool| match choose(8) {
        7 if is_written => written(sizes, choose),
        7 => read(sizes, choose),
        _ => {
            let without_gaps = strides_without_overlap(&sizes, &mut |_| 0);
            place(sizes, without_gaps, choose)
        }
    };
    let table = tensor(shapes.table, direction == Direction::Scatter);
    let tensors =
        [table, tensor(shapes.indices, false), tensor(shapes.flat, direction == Direction::Gather)];
    let hostility = [0, 0, 0, 8][choose(4)];
    let mut case = filled(shapes.operator, tensors, hostility, choose);
    if choose(2) == 1 && !case.indices.sizes.contains(&0) {
        let c: Vec<usize> = case.indices.sizes.iter().map(|&size| choose(size)).collect();
        case.values[case.indices.address(&c)] =
            hostile(indexed_size(case.operator, &case.table, &c), case.index, choose);
    }
    set_negative(&mut case, choose);
    case
}

/// The last choice of a case, which the seeds of fuzzers that are older do not make.
fn set_negative(case: &mut Case, choose: Choose) {
    if choose(4) == 3 {
        case.negative = Negative::OutOfBounds;
    }
}

/// Tuples without batch dimensions that index some axes, in place of the first ones.
pub fn along_axes(mut case: Case, choose: Choose) -> Case {
    if let (Operator::Nd(0), 3) = (case.operator, choose(4)) {
        let (rank, count) = (case.table.sizes.len(), *case.indices.sizes.last().unwrap());
        let (axes, others) = some_axes(rank, count, choose);
        let (sizes, strides) = (case.table.sizes.clone(), case.table.strides.clone());
        for (d, axis) in axes[..count].iter().chain(&others).enumerate() {
            (case.table.sizes[*axis], case.table.strides[*axis]) = (sizes[d], strides[d]);
        }
        case.operator = Operator::Axes { axes, count };
    }
    case
}

/// The same case with tables and flat tensors that may both be written.
pub fn written_both_ways(mut case: Case, choose: Choose) -> Case {
    case.table = written(case.table.sizes, choose);
    case.flat = written(case.flat.sizes, choose);
    case
}

struct Shapes {
    operator: Operator,
    table: Vec<usize>,
    indices: Vec<usize>,
    flat: Vec<usize>,
}

fn shapes(most: usize, kind: Kind, choose: Choose) -> Shapes {
    let table = sizes_within(1 + choose(MAX_RANK), most, choose);
    let rank = table.len();
    match kind {
        Kind::Axis => {
            let axis = choose(rank);
            let elements: usize = table[..axis].iter().chain(&table[axis + 1..]).product();
            let indices = sizes_within(choose(MAX_RANK + 2 - rank), most / elements.max(1), choose);
            let flat = [&table[..axis], &indices, &table[axis + 1..]].concat();
            Shapes { operator: Operator::Axis(axis), table, indices, flat }
        }
        Kind::Elements => {
            let axis = choose(rank);
            let mut indices = table.clone();
            for (d, size) in indices.iter_mut().enumerate() {
                *size = if d == axis {
                    1 + choose(5)
                } else {
                    *size - if choose(4) == 3 { choose(*size + 1) } else { 0 }
                };
            }
            Shapes { operator: Operator::Elements(axis), table, flat: indices.clone(), indices }
        }
        Kind::Nd => {
            let batch_dims = choose(rank);
            let tuple = 1 + choose(rank - batch_dims);
            let tail = &table[batch_dims + tuple..];
            let free = (MAX_RANK - 1 - batch_dims).min(MAX_RANK - batch_dims - tail.len());
            let elements: usize = table[..batch_dims].iter().chain(tail).product();
            let entries = sizes_within(choose(free + 1), most / elements.max(1), choose);
            let indices = [&table[..batch_dims], &entries, &[tuple]].concat();
            let flat = [&indices[..indices.len() - 1], tail].concat();
            Shapes { operator: Operator::Nd(batch_dims), table, indices, flat }
        }
        Kind::Sequence => {
            let axis = choose(rank);
            let (indices, mut flat) = (table[..choose(axis + 1)].to_vec(), table.clone());
            flat[axis] -= choose(flat[axis] + 1);
            let mode = [Sequence::Linear, Sequence::Circular][choose(2)];
            let operator = Operator::Sequence { axis, written: flat[axis], mode };
            Shapes { operator, table, indices, flat }
        }
        Kind::Axes => {
            let count = 1 + choose(rank);
            let (axes, others) = some_axes(rank, count, choose);
            let tail: Vec<usize> = others.iter().map(|axis| table[*axis]).collect();
            let free = (MAX_RANK - 1).min(MAX_RANK - tail.len());
            let elements: usize = tail.iter().product();
            let entries = sizes_within(choose(free + 1), MAX_ELEMENTS / elements.max(1), choose);
            let (indices, flat) = ([&entries[..], &[count]].concat(), [entries, tail].concat());
            Shapes { operator: Operator::Axes { axes, count }, table, indices, flat }
        }
    }
}

/// `count` different axes of `rank` in any order, and the others in their order.
fn some_axes(rank: usize, count: usize, choose: Choose) -> ([usize; MAX_RANK], Vec<usize>) {
    let (mut axes, mut others) = ([0; MAX_RANK], Vec::from_iter(0..rank));
    axes[..count].iter_mut().for_each(|axis| *axis = others.remove(choose(others.len())));
    (axes, others)
}

fn long_shapes(kind: Kind, choose: Choose) -> Shapes {
    const FEW: [usize; 4] = [1, 2, 3, 4];
    const MANY: [usize; 8] = [5, 2, 1, 40, 128, 255, 256, 300];
    // Often, whole steps of the kernels.
    let length = match choose(8) {
        5 => 64,
        6 => 128,
        7 => 192,
        _ => choose(301),
    };
    match kind {
        Kind::Axis => {
            let mut table = sizes_of(&FEW, choose(3), 6, choose);
            let axis = choose(table.len() + 1);
            let indices = [sizes_of(&FEW, choose(2), 3, choose), vec![length]].concat();
            let flat = [&table[..axis], &indices, &table[axis..]].concat();
            table.insert(axis, MANY[choose(8)]);
            Shapes { operator: Operator::Axis(axis), table, indices, flat }
        }
        Kind::Elements => {
            let indices = [sizes_of(&FEW, choose(3), 6, choose), vec![length]].concat();
            let axis = choose(indices.len());
            let mut table: Vec<usize> = indices.iter().map(|size| size + choose(4) / 3).collect();
            table[axis] = MANY[choose(8)];
            Shapes { operator: Operator::Elements(axis), table, flat: indices.clone(), indices }
        }
        Kind::Nd => {
            let (batch, tail) =
                (sizes_of(&FEW, choose(2), 3, choose), sizes_of(&FEW, choose(2), 4, choose));
            let tuple = sizes_of(&MANY, 1 + choose(5), 2_000, choose);
            let entries = [&batch[..], &sizes_of(&FEW, choose(2), 2, choose), &[length]].concat();
            let (indices, flat) =
                ([&entries[..], &[tuple.len()]].concat(), [&entries[..], &tail].concat());
            Shapes {
                operator: Operator::Nd(batch.len()),
                table: [batch, tuple, tail].concat(),
                indices,
                flat,
            }
        }
        Kind::Sequence => {
            // Caches of many places, and many batches.
            let before = [sizes_of(&FEW, choose(2), 2, choose), vec![length.min(150)]].concat();
            let table = [&before[..], &[MANY[choose(3)]], &sizes_of(&FEW, choose(2), 2, choose)];
            let (axis, table) = (before.len(), table.concat());
            let (indices, mut flat) = (table[..1 + choose(axis)].to_vec(), table.clone());
            flat[axis] = 1 + choose(flat[axis].min(6));
            let mode = [Sequence::Linear, Sequence::Circular][choose(2)];
            let operator = Operator::Sequence { axis, written: flat[axis], mode };
            Shapes { operator, table, indices, flat }
        }
        Kind::Axes => {
            let tuple = sizes_of(&MANY, 1 + choose(5), 2_000, choose);
            let rank = tuple.len() + choose(2);
            let (axes, others) = some_axes(rank, tuple.len(), choose);
            let tail = sizes_of(&FEW, others.len(), 4, choose);
            let mut table = vec![0; rank];
            axes.iter().zip(&tuple).for_each(|(axis, size)| table[*axis] = *size);
            others.iter().zip(&tail).for_each(|(axis, size)| table[*axis] = *size);
            let entries = [sizes_of(&FEW, choose(2), 2, choose), vec![length]].concat();
            let indices = [&entries[..], &[tuple.len()]].concat();
            let operator = Operator::Axes { axes, count: tuple.len() };
            Shapes { operator, table, indices, flat: [entries, tail].concat() }
        }
    }
}

fn filled(
    operator: Operator,
    [table, indices, flat]: [Tensor; 3],
    hostility: usize,
    choose: Choose,
) -> Case {
    let index = IndexType::ALL[choose(IndexType::ALL.len())];
    let bounds = [Bounds::Error, Bounds::Clamp, Bounds::Wrap, Bounds::Skip][choose(4)];
    let values = values(operator, &table, &indices, index, hostility, choose);
    let (seed, negative) = (choose(1 << 16) as u64, Negative::FromEnd);
    Case { operator, table, indices, flat, bounds, negative, index, values, seed }
}

fn sizes_within(rank: usize, elements: usize, choose: Choose) -> Vec<usize> {
    const SIZES: [usize; 32] = [
        1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3, 5, 2, 3, 5, 7, 7, 33,
        130, 0,
    ];
    sizes_of(&SIZES, rank, elements, choose)
}

fn sizes_of(choices: &[usize], rank: usize, mut elements: usize, choose: Choose) -> Vec<usize> {
    let mut size = || {
        let size = choices[choose(choices.len())];
        let size = if size > elements { 1 } else { size };
        elements /= size.max(1);
        size
    };
    (0..rank).map(|_| size()).collect()
}

/// Any layout: of those that do not overlap, with some strides 0, or with small strides at random.
pub fn read(sizes: Vec<usize>, choose: Choose) -> Tensor {
    let mut strides = strides_without_overlap(&sizes, choose);
    match choose(4) {
        2 => strides.iter_mut().for_each(|stride| *stride *= isize::from(choose(2) == 0)),
        3 => strides.iter_mut().for_each(|stride| *stride = choose(7) as isize - 3),
        _ => {}
    }
    place(sizes, strides, choose)
}

pub fn written(sizes: Vec<usize>, choose: Choose) -> Tensor {
    let strides = strides_without_overlap(&sizes, choose);
    place(sizes, strides, choose)
}

/// Each dimension steps over all that the dimensions chosen before it reach: the last dimension
/// first, or any permutation.
fn strides_without_overlap(sizes: &[usize], choose: Choose) -> Vec<isize> {
    let (permuted, padded, negative) = (choose(3) == 2, choose(3) == 2, choose(3) == 2);
    let mut left: Vec<usize> = (0..sizes.len()).collect();
    let mut strides = vec![0; sizes.len()];
    let mut step = 1;
    while !left.is_empty() {
        let next = if permuted { choose(left.len()) } else { left.len() - 1 };
        let d = left.remove(next);
        let stride = step + if padded { choose(3) } else { 0 };
        strides[d] = if negative && choose(2) == 1 { -(stride as isize) } else { stride as isize };
        step = stride * sizes[d].max(1);
    }
    strides
}

/// Puts a layout into a slice, with some elements around it. Strides that no step uses may be
/// anything.
fn place(sizes: Vec<usize>, mut strides: Vec<isize>, choose: Choose) -> Tensor {
    let empty = sizes.contains(&0);
    let (mut down, mut up) = (0, 0);
    for (&size, stride) in sizes.iter().zip(&mut strides) {
        if (size == 1 || empty) && choose(8) == 7 {
            *stride = [isize::MAX, isize::MIN, -1, 0][choose(4)];
        } else if !empty {
            let reach = (size - 1) * stride.unsigned_abs();
            *(if *stride < 0 { &mut down } else { &mut up }) += reach;
        }
    }
    let (before, after) = (choose(3), choose(3));
    if empty {
        return Tensor { sizes, strides, offset: before * 1000, len: after };
    }
    Tensor { sizes, strides, offset: before + down, len: before + down + up + 1 + after }
}

/// Values that are inside, or sometimes hostile. What no coordinate addresses is always out of
/// bounds.
fn values(
    operator: Operator,
    table: &Tensor,
    indices: &Tensor,
    index: IndexType,
    hostility: usize,
    choose: Choose,
) -> Vec<i128> {
    let mut values = vec![index.max(); indices.len];
    each(&indices.sizes, |c| {
        let size = indexed_size(operator, table, c);
        values[indices.address(c)] = match choose(16) {
            chosen if chosen >= 16 - hostility => hostile(size, index, choose),
            15 if index.min() < 0 => -1 - choose(size.clamp(1, 100)) as i128,
            _ => choose(size.clamp(1, 100)) as i128,
        };
    });
    values
}

/// The size of the axis that the value at `c` indexes.
fn indexed_size(operator: Operator, table: &Tensor, c: &[usize]) -> usize {
    let coordinate = match operator {
        Operator::Axis(_) | Operator::Elements(_) | Operator::Sequence { .. } => 0,
        Operator::Nd(_) | Operator::Axes { .. } => c[c.len() - 1],
    };
    operator.positions(table, coordinate)
}

fn hostile(size: usize, index: IndexType, choose: Choose) -> i128 {
    let size = size as i128;
    let values = [
        0,
        size - 1,
        size,
        -1,
        -size,
        -size - 1,
        2 * size,
        -2 * size,
        i128::MIN,
        i128::MAX,
        i64::MIN.into(),
        i64::MAX.into(),
        (1 << 31) - 1,
        1 << 31,
        1 << 32,
        (1 << 32) + 1,
        -(1 << 31) - 1,
    ];
    let value = match values.get(choose(values.len() + 1)) {
        Some(value) => *value,
        // Any 64 bits, the lowest ones first.
        None => {
            (0..4).fold(0_i64, |bits, part| bits | (choose(1 << 16) as i64) << (16 * part)).into()
        }
    };
    value.clamp(index.min(), index.max())
}

/// A description of which anything may be wrong, and often one thing is: a valid case with one to
/// three parts replaced.
pub fn hostile_case(choose: Choose) -> Case {
    let direction = [Direction::Gather, Direction::Scatter][choose(2)];
    let kind = KINDS[choose(4)];
    let changes = 1 + choose(3);
    let parts: Vec<usize> = (0..4 * changes).map(|_| choose(1 << 16)).collect();
    let mut case = case_within(24, direction, kind, choose);
    for part in parts.chunks_exact(4) {
        corrupt(&mut case, part[0], part[1], part[2], part[3]);
    }
    case
}

fn corrupt(case: &mut Case, which: usize, part: usize, dim: usize, value: usize) {
    const HALF: u32 = usize::BITS / 2;
    const SIZES: [usize; 12] = [
        0,
        1,
        2,
        5,
        1 << (HALF - 1),
        1 << HALF,
        1 << (HALF + 8),
        usize::MAX / 2,
        usize::MAX / 2 + 1,
        usize::MAX - 1,
        usize::MAX,
        usize::MAX / 3,
    ];
    const STRIDES: [isize; 10] = [
        0,
        1,
        -1,
        1 << (HALF - 1),
        -(1 << HALF),
        isize::MIN,
        isize::MIN + 1,
        isize::MAX,
        isize::MAX / 2 + 1,
        isize::MIN / 2,
    ];
    let size = SIZES[value % SIZES.len()];
    let tensor = match which % 4 {
        0 => &mut case.table,
        1 => &mut case.indices,
        2 => &mut case.flat,
        _ => {
            let parameter = if dim.is_multiple_of(4) { size } else { value % 12 };
            case.operator = match part % 4 {
                0 => Operator::Axis(parameter),
                1 => Operator::Elements(parameter),
                2 => Operator::Nd(parameter),
                // Some axis, twice if there are more, or any number of them.
                _ => match &mut case.operator {
                    Operator::Axes { axes, count } => {
                        axes[part / 4 % MAX_RANK] = parameter;
                        Operator::Axes { axes: *axes, count: *count }
                    }
                    _ => Operator::Axes { axes: std::array::from_fn(|n| n), count: value % 9 },
                },
            };
            return;
        }
    };
    let rank = tensor.sizes.len().min(tensor.strides.len());
    match part % 5 {
        0 => tensor.offset = size,
        1 if rank > 0 => tensor.sizes[dim % rank] = size,
        2 if rank > 0 => tensor.strides[dim % rank] = STRIDES[value % STRIDES.len()],
        3 => tensor.sizes.insert(dim % (rank + 1), size),
        _ => {
            tensor.sizes.push(size);
            tensor.strides.push(STRIDES[dim % STRIDES.len()]);
        }
    }
}
