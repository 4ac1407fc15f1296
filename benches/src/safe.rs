//! The loops that a user would write in safe Rust for one operator and one shape: every index is
//! checked, negative ones count from the end.

use strew::quant::Row8;

use crate::inputs::Resolve;

/// `output[i, ..] = table[indices[i], ..]`, rows of `width`
pub fn take<T: Copy, I: Resolve>(table: &[T], indices: &[I], output: &mut [T], width: usize) {
    let rows = table.len() / width;
    for (row, &index) in output.chunks_exact_mut(width).zip(indices) {
        let first = index.resolve(rows) * width;
        row.copy_from_slice(&table[first..first + width]);
    }
}

/// `output[b, ..] = sum over j of table[indices[b * length + j], ..]`, rows of `width`
pub fn sum_bags<I: Resolve>(
    table: &[f32],
    indices: &[I],
    output: &mut [f32],
    width: usize,
    length: usize,
) {
    let rows = table.len() / width;
    for (sums, bag) in output.chunks_exact_mut(width).zip(indices.chunks_exact(length)) {
        for (n, &index) in bag.iter().enumerate() {
            let first = index.resolve(rows) * width;
            let row = &table[first..first + width];
            if n == 0 {
                sums.copy_from_slice(row);
            } else {
                sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
            }
        }
    }
}

/// The same of rows of `N` bytes, which a scale and an offset follow. Products are exact, so that
/// no sum shows whether they are rounded.
pub fn sum_byte_bags<const N: usize, I: Resolve>(
    table: &[Row8<N>],
    indices: &[I],
    output: &mut [[f32; N]],
    length: usize,
) {
    for (sums, bag) in output.iter_mut().zip(indices.chunks_exact(length)) {
        for (n, &index) in bag.iter().enumerate() {
            let row = bytemuck::bytes_of(&table[index.resolve(table.len())]);
            let [scale, offset] = [&row[N..N + 4], &row[N + 4..]]
                .map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap()));
            for (sum, q) in sums.iter_mut().zip(row) {
                let value = f32::from(*q) * scale + offset;
                *sum = if n == 0 { value } else { *sum + value };
            }
        }
    }
}

/// `output[i] = table[indices[i]]`
pub fn take_scalars<T: Copy, I: Resolve>(table: &[T], indices: &[I], output: &mut [T]) {
    for (to, &index) in output.iter_mut().zip(indices) {
        *to = table[index.resolve(table.len())];
    }
}

/// `output[p, i, ..] = input[p, indices[i], ..]`, `input[.., size, width]`
pub fn take_inside<T: Copy, I: Resolve>(
    input: &[T],
    indices: &[I],
    output: &mut [T],
    size: usize,
    width: usize,
) {
    for (from, to) in
        input.chunks_exact(size * width).zip(output.chunks_exact_mut(indices.len() * width))
    {
        if width == 1 {
            take_scalars(from, indices, to);
        } else {
            take(from, indices, to, width);
        }
    }
}

/// `data[indices[i], ..] = updates[i, ..]`
pub fn put<T: Copy, I: Resolve>(data: &mut [T], indices: &[I], updates: &[T], width: usize) {
    let rows = data.len() / width;
    for (row, &index) in updates.chunks_exact(width).zip(indices) {
        let first = index.resolve(rows) * width;
        data[first..first + width].copy_from_slice(row);
    }
}

/// `data[indices[i]] = updates[i]`
pub fn put_scalars<T: Copy, I: Resolve>(data: &mut [T], indices: &[I], updates: &[T]) {
    let size = data.len();
    for (update, &index) in updates.iter().zip(indices) {
        data[index.resolve(size)] = *update;
    }
}

/// `data[indices[i], ..] += updates[i, ..]`
pub fn add<I: Resolve>(data: &mut [f32], indices: &[I], updates: &[f32], width: usize) {
    let rows = data.len() / width;
    for (row, &index) in updates.chunks_exact(width).zip(indices) {
        let first = index.resolve(rows) * width;
        for (current, update) in data[first..first + width].iter_mut().zip(row) {
            *current += update;
        }
    }
}

/// `data[indices[i]] += updates[i]`
pub fn add_scalars<I: Resolve>(data: &mut [f32], indices: &[I], updates: &[f32]) {
    let bins = data.len();
    for (update, &index) in updates.iter().zip(indices) {
        data[index.resolve(bins)] += update;
    }
}

/// `data[indices[i]] += update`
pub fn add_scalar<I: Resolve>(data: &mut [f32], indices: &[I], update: f32) {
    let bins = data.len();
    for &index in indices {
        data[index.resolve(bins)] += update;
    }
}

/// `output[r, c] = table[indices[r, c], c]`, rows of `columns`
pub fn take_down<T: Copy, I: Resolve>(
    table: &[T],
    indices: &[I],
    output: &mut [T],
    columns: usize,
) {
    let rows = table.len() / columns;
    for (to, indices) in output.chunks_exact_mut(columns).zip(indices.chunks_exact(columns)) {
        for (column, (to, &index)) in to.iter_mut().zip(indices).enumerate() {
            *to = table[index.resolve(rows) * columns + column];
        }
    }
}

/// `output[r, c] = table[r, indices[r, c]]`
pub fn take_along<T: Copy, I: Resolve>(
    table: &[T],
    indices: &[I],
    output: &mut [T],
    columns: usize,
) {
    let rows = table.chunks_exact(columns).zip(indices.chunks_exact(columns));
    for (to, (table, indices)) in output.chunks_exact_mut(columns).zip(rows) {
        take_scalars(table, indices, to);
    }
}

/// `data[indices[r, c], c] = combine(data[indices[r, c], c], updates[r, c])`
pub fn combine_down<I: Resolve>(
    data: &mut [f32],
    indices: &[I],
    updates: &[f32],
    columns: usize,
    combine: impl Fn(f32, f32) -> f32,
) {
    let rows = data.len() / columns;
    for (updates, indices) in updates.chunks_exact(columns).zip(indices.chunks_exact(columns)) {
        for (column, (&update, &index)) in updates.iter().zip(indices).enumerate() {
            let place = index.resolve(rows) * columns + column;
            data[place] = combine(data[place], update);
        }
    }
}

/// `data[r, indices[r, c]] = combine(data[r, indices[r, c]], updates[r, c])`
pub fn combine_along<I: Resolve>(
    data: &mut [f32],
    indices: &[I],
    updates: &[f32],
    columns: usize,
    combine: impl Fn(f32, f32) -> f32,
) {
    let rows = updates.chunks_exact(columns).zip(indices.chunks_exact(columns));
    for (data, (updates, indices)) in data.chunks_exact_mut(columns).zip(rows) {
        for (&update, &index) in updates.iter().zip(indices) {
            let place = index.resolve(columns);
            data[place] = combine(data[place], update);
        }
    }
}

/// The place of a tuple in row-major order.
#[inline(always)]
fn place<I: Resolve, const K: usize>(tuple: &[I; K], sizes: [usize; K]) -> usize {
    tuple
        .iter()
        .zip(sizes)
        .fold(0, |place, (index, size)| place * size + index.resolve_checked(size))
}

/// `output[i] = table[indices[i, 0], .., indices[i, K - 1]]`
pub fn take_tuples<T: Copy, I: Resolve, const K: usize>(
    table: &[T],
    indices: &[I],
    output: &mut [T],
    sizes: [usize; K],
) {
    for (to, tuple) in output.iter_mut().zip(indices.as_chunks().0) {
        *to = table[place(tuple, sizes)];
    }
}

/// `output[i] = table[indices[0, i], indices[1, i]]`
pub fn take_planes<T: Copy, I: Resolve>(
    table: &[T],
    indices: &[I],
    output: &mut [T],
    sizes: [usize; 2],
) {
    let (rows, columns) = indices.split_at(indices.len() / 2);
    for (to, (&row, &column)) in output.iter_mut().zip(rows.iter().zip(columns)) {
        *to = table[place(&[row, column], sizes)];
    }
}

/// `data[text[i], text[i + 1]] += update`
pub fn add_pairs(data: &mut [f32], text: &[u8], update: f32) {
    for (&first, &second) in text.iter().zip(&text[1..]) {
        data[place(&[first, second], [256; 2])] += update;
    }
}

/// `output[i, ..] = table[indices[i, 0], .., indices[i, K - 1], ..]`
pub fn take_rows_by_tuples<T: Copy, I: Resolve, const K: usize>(
    table: &[T],
    indices: &[I],
    output: &mut [T],
    sizes: [usize; K],
    width: usize,
) {
    for (row, tuple) in output.chunks_exact_mut(width).zip(indices.as_chunks().0) {
        let first = place(tuple, sizes) * width;
        row.copy_from_slice(&table[first..first + width]);
    }
}

/// `data[indices[i, 0], .., indices[i, K - 1]] = combine(.., updates[i])`
pub fn combine_tuples<I: Resolve, const K: usize>(
    data: &mut [f32],
    indices: &[I],
    updates: &[f32],
    sizes: [usize; K],
    combine: impl Fn(f32, f32) -> f32,
) {
    for (&update, tuple) in updates.iter().zip(indices.as_chunks().0) {
        let place = place(tuple, sizes);
        data[place] = combine(data[place], update);
    }
}

/// `output[n, p] = input[n * delta + pattern[p]]`, of windows of `span` elements
pub fn windows<T: Copy, I: Resolve>(
    input: &[T],
    pattern: &[I],
    output: &mut [T],
    delta: usize,
    span: usize,
) {
    for (n, to) in output.chunks_exact_mut(pattern.len()).enumerate() {
        take_scalars(&input[n * delta..n * delta + span], pattern, to);
    }
}

/// Calls `visit` with the number of each index, the place in the table that it leads to, and its
/// place in its plane: `table[n, indices[n, i, r, c], r, c]`, 4 planes of indices for 8 of the
/// table, which have a row and a column more.
pub fn each_of_lanes<I: Resolve>(
    indices: &[I],
    [rows, columns]: [usize; 2],
    mut visit: impl FnMut(usize, usize, usize),
) {
    let (plane, pitch) = (rows * columns, columns + 1);
    let table_plane = (rows + 1) * pitch;
    for (n, indices) in indices.chunks_exact(4 * plane).enumerate() {
        for (i, indices) in indices.chunks_exact(plane).enumerate() {
            for (row, lane) in indices.chunks_exact(columns).enumerate() {
                for (column, &index) in lane.iter().enumerate() {
                    let first = (n * 8 + index.resolve_checked(8)) * table_plane;
                    let inside = row * columns + column;
                    let number = (n * 4 + i) * plane + inside;
                    visit(number, first + row * pitch + column, inside);
                }
            }
        }
    }
}

/// `data[indices[i], 2 * c] += updates[i, c]`, rows of `pitch`
pub fn add_to_gaps<I: Resolve>(data: &mut [f32], indices: &[I], updates: &[f32], pitch: usize) {
    each_row(data, indices, pitch, {
        let mut updates = updates.chunks_exact(pitch / 2);
        move |row| {
            let updates = updates.next().into_iter().flatten();
            row.iter_mut().step_by(2).zip(updates).for_each(|(current, update)| *current += update);
        }
    });
}

/// Calls `change` with `data[indices[i], ..]`, rows of `width`.
pub fn each_row<I: Resolve>(
    data: &mut [f32],
    indices: &[I],
    width: usize,
    mut change: impl FnMut(&mut [f32]),
) {
    let rows = data.len() / width;
    for &index in indices {
        let first = index.resolve(rows) * width;
        change(&mut data[first..first + width]);
    }
}
