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

/// All coordinates of a tensor, in row-major order.
pub fn coordinates(sizes: &[usize]) -> Vec<Vec<usize>> {
    sizes.iter().fold(vec![vec![]], |all, &size| {
        all.iter().flat_map(|c| (0..size).map(|i| [&c[..], &[i]].concat())).collect()
    })
}

/// All moves of a case, in row-major order of the indices.
pub fn moves(case: &Case) -> Vec<Move> {
    let q = case.indices.sizes.len();
    let to_move = |c: Vec<usize>| {
        // The entry of the indices, and the coordinates of the table that no index chooses, in
        // their order.
        let (entry, others) = match case.operator {
            Operator::Axis(axis) => (&c[axis..axis + q], [&c[..axis], &c[axis + q..]].concat()),
            Operator::Elements(axis) => (&c[..], [&c[..axis], &c[axis + 1..]].concat()),
            Operator::Nd(batch_dims) => (&c[..q - 1], [&c[..batch_dims], &c[q - 1..]].concat()),
            Operator::Axes { .. } => (&c[..q - 1], c[q - 1..].to_vec()),
            Operator::Sequence { axis, .. } => (&c[..q], [&c[..axis], &c[axis + 1..]].concat()),
        };
        let tuple: Vec<i128> = match case.operator {
            Operator::Nd(_) | Operator::Axes { .. } => (0..case.indices.sizes[q - 1])
                .map(|j| case.values[case.indices.address(&[entry, &[j]].concat())])
                .collect(),
            _ => vec![case.values[case.indices.address(entry)]],
        };
        let number =
            entry.iter().zip(&case.indices.sizes).fold(0, |number, (c, size)| number * size + c);
        Move {
            entry: number,
            flat: case.flat.address(&c),
            table: target(case, &tuple, &others, &c),
        }
    };
    let mut moves: Vec<Move> = coordinates(&case.flat.sizes).into_iter().map(to_move).collect();
    moves.sort_by_key(|m| m.entry);
    moves
}

fn target(case: &Case, tuple: &[i128], others: &[usize], flat: &[usize]) -> Target {
    let mut coordinates = vec![None; case.table.sizes.len()];
    for (coordinate, &value) in tuple.iter().enumerate() {
        let axis = case.operator.axis_of(coordinate);
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
        coordinates[axis] = coordinates[axis].map(|c| (c + flat[axis]) % case.table.sizes[axis]);
    }
    let mut others = others.iter().copied();
    let coordinates: Vec<usize> =
        coordinates.into_iter().map(|c| c.or_else(|| others.next()).unwrap()).collect();
    Target::At(case.table.address(&coordinates))
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
) -> BTreeMap<usize, u64> {
    let mut hits = BTreeMap::new();
    let nothing_or_all = if first_out_of_bounds(moves).is_err() { &[] } else { moves };
    for m in nothing_or_all {
        let Target::At(place) = m.table else { continue };
        let hit = hits.entry(place).or_insert(0);
        data[place] = if *hit > 0 || include_self {
            combine(data[place], updates[m.flat])
        } else {
            updates[m.flat]
        };
        *hit += 1;
    }
    hits
}
