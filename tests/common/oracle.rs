//! The operators, coordinate by coordinate, straight from their formulas. The oracle knows nothing
//! of plans, merging or fast paths.

use std::collections::BTreeMap;

use strew::{Bounds, Error, Negative};

use super::case::{Case, Operator};

/// One element that moves: the entry of the indices that says so, and where it lies in the flat
/// tensor and in the table.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    pub entry: usize,
    pub flat: usize,
    pub table: Target,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    At(usize),
    LeftOut,
    OutOfBounds { coordinate: usize, value: i128, size: usize },
}

/// Visits all coordinates of a tensor, in row-major order.
pub fn each(sizes: &[usize], mut visit: impl FnMut(&[usize])) {
    let mut all = [0; RANK];
    let c = &mut all[..sizes.len()];
    if sizes.contains(&0) {
        return;
    }
    loop {
        visit(c);
        let Some(d) = (0..c.len()).rev().find(|d| c[*d] + 1 < sizes[*d]) else { return };
        c[d] += 1;
        c[d + 1..].fill(0);
    }
}

/// More dimensions than a hostile tensor has.
const RANK: usize = 16;

/// All coordinates of a tensor, in row-major order.
pub fn coordinates(sizes: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![];
    each(sizes, |c| all.push(c.to_vec()));
    all
}

/// All moves of a case, in row-major order of the indices. Where entries stand for no elements,
/// those that are out of bounds are there all the same.
pub fn moves(case: &Case) -> Vec<Move> {
    let (q, sizes) = (case.indices.sizes.len(), &case.indices.sizes);
    let mut moves = Vec::with_capacity(case.flat.sizes.iter().product());
    let only_checked = case.flat.sizes.contains(&0) && !sizes.contains(&0);
    if only_checked {
        // As if each entry stood for one element, all at the same place.
        let mut case = case.clone();
        case.flat.sizes.iter_mut().for_each(|size| *size = (*size).max(1));
        for tensor in [&mut case.table, &mut case.flat] {
            tensor.strides.fill(0);
        }
        let mut moves = self::moves(&case);
        moves.retain(|m| matches!(m.table, Target::OutOfBounds { .. }));
        return moves;
    }
    each(&case.flat.sizes, |c| {
        // The entry of the indices, and the coordinates of the table that no index chooses, in
        // their order.
        let (entry, others) = match case.operator {
            Operator::Axis(axis) => (&c[axis..axis + q], [&c[..axis], &c[axis + q..]]),
            Operator::Elements(axis) => (c, [&c[..axis], &c[axis + 1..]]),
            Operator::Nd(batch_dims) => (&c[..q - 1], [&c[..batch_dims], &c[q - 1..]]),
            Operator::Axes { .. } => (&c[..q - 1], [&c[..0], &c[q - 1..]]),
            Operator::Sequence { axis, .. } => (&c[..q], [&c[..axis], &c[axis + 1..]]),
        };
        let at = case.indices.address(entry);
        let value = |j: usize| case.values[at.wrapping_add_signed(j as isize * case.tuple_step())];
        let number = entry.iter().zip(sizes).fold(0, |number, (c, size)| number * size + c);
        let table = target(case, value, others, c);
        moves.push(Move { entry: number, flat: case.flat.address(c), table });
    });
    moves.sort_by_key(|m| m.entry);
    moves
}

/// Where a tuple leads; `value` is each coordinate of it.
fn target(
    case: &Case,
    value: impl Fn(usize) -> i128,
    others: [&[usize]; 2],
    flat: &[usize],
) -> Target {
    let mut all = [None; RANK];
    let coordinates = &mut all[..case.table.sizes.len()];
    for coordinate in 0..case.tuple_len() {
        let (axis, value) = (case.operator.axis_of(coordinate), value(coordinate));
        let size = case.operator.positions(&case.table, coordinate);
        let from_end = value < 0 && case.negative == Negative::FromEnd;
        let counted = if from_end { value + size as i128 } else { value };
        let inside = (0..size as i128).contains(&counted);
        coordinates[axis] = Some(match case.bounds {
            _ if inside => counted as usize,
            Bounds::Error => return Target::OutOfBounds { coordinate, value, size },
            bounds if size == 0 || bounds == Bounds::Skip => return Target::LeftOut,
            Bounds::Clamp => counted.clamp(0, size as i128 - 1) as usize,
            _ => counted.rem_euclid(size as i128) as usize, // Wrap.
        });
    }
    if let Operator::Sequence { axis, .. } = case.operator {
        coordinates[axis] =
            coordinates[axis].map(|c| (c + flat[axis]) % case.table.sizes[axis].max(1));
    }
    let free = coordinates.iter_mut().filter(|c| c.is_none());
    free.zip(others.into_iter().flatten()).for_each(|(c, other)| *c = Some(*other));
    let coordinates = all.map(Option::unwrap_or_default);
    Target::At(case.table.address(&coordinates[..case.table.sizes.len()]))
}

/// The error for the first entry that is out of bounds.
pub fn first_out_of_bounds(moves: &[Move]) -> Result<(), Error> {
    moves.iter().map(|m| (m.entry, m.table)).try_for_each(|(entry, table)| match table {
        Target::OutOfBounds { coordinate, value, size } => {
            Err(Error::IndexOutOfBounds { entry, coordinate, value, size })
        }
        _ => Ok(()),
    })
}

/// The error for the first entry that meets an earlier one.
pub fn first_duplicate(moves: &[Move]) -> Result<(), Error> {
    let mut taken = BTreeMap::new();
    for m in moves {
        let Target::At(place) = m.table else { continue };
        let first = *taken.entry(place).or_insert(m.entry);
        if first != m.entry {
            return Err(Error::DuplicateIndex { first, second: m.entry });
        }
    }
    Ok(())
}

/// `output[flat] = input[table]`, up to the first entry that is out of bounds.
pub fn gather<T: Copy>(moves: &[Move], input: &[T], output: &mut [T]) {
    for m in moves {
        match m.table {
            Target::At(place) => output[m.flat] = input[place],
            Target::LeftOut => {}
            Target::OutOfBounds { .. } => return,
        }
    }
}

/// `data[table] = combine(data[table], updates[flat])`; nothing if any entry is out of bounds.
/// Returns how often each place was hit.
pub fn scatter<T: Copy>(
    moves: &[Move],
    data: &mut [T],
    updates: &[T],
    include_self: bool,
    combine: impl Fn(T, T) -> T,
) -> Vec<u64> {
    scatter_by(moves, data, updates, include_self, &combine)
}

/// [`scatter`], compiled once for each type, and not for each function.
fn scatter_by<T: Copy>(
    moves: &[Move],
    data: &mut [T],
    updates: &[T],
    include_self: bool,
    combine: &dyn Fn(T, T) -> T,
) -> Vec<u64> {
    let mut hits = vec![0; data.len()];
    let nothing_or_all = if first_out_of_bounds(moves).is_err() { &[] } else { moves };
    for m in nothing_or_all {
        let Target::At(place) = m.table else { continue };
        let hit = &mut hits[place];
        data[place] = if *hit > 0 || include_self {
            combine(data[place], updates[m.flat])
        } else {
            updates[m.flat]
        };
        *hit += 1;
    }
    hits
}
