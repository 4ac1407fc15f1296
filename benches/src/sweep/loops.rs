//! The loops that a user would write for one rank: nested `for` over slices, with strides that are
//! hoisted, and rows without gaps by `copy_from_slice` and `zip`.

use std::ops::Range;

use strew::Bounds;

use crate::inputs::Resolve;

/// One dimension: its size, and what a step along it adds to each address.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dim {
    pub size: usize,
    pub table: isize,
    pub indices: isize,
    pub flat: isize,
    /// Of the scratch that means and their like need: one cell for each place of the indexed space.
    pub cell: isize,
}

/// One coordinate of a tuple: the size of its axis, and what a step along it adds.
#[derive(Clone, Copy, Debug)]
pub struct Coordinate {
    pub size: usize,
    pub table: isize,
    pub cell: isize,
}

/// The addresses of one entry.
#[derive(Clone, Copy, Debug)]
pub struct At {
    pub table: usize,
    pub indices: usize,
    pub flat: usize,
    pub cell: usize,
}

impl At {
    #[inline(always)]
    fn step(&mut self, dim: &Dim) {
        self.table = self.table.wrapping_add_signed(dim.table);
        self.indices = self.indices.wrapping_add_signed(dim.indices);
        self.flat = self.flat.wrapping_add_signed(dim.flat);
        self.cell = self.cell.wrapping_add_signed(dim.cell);
    }
}

/// What the author of the loops knows of the shapes.
#[derive(Clone, Debug)]
pub struct Nest {
    /// Loops over entries.
    outer: [Dim; 4],
    /// Loops over the elements of an entry.
    inner: [Dim; 2],
    coordinates: Vec<Coordinate>,
    /// The distance between the coordinates of a tuple.
    tuple: isize,
    start: At,
    bounds: Bounds,
}

impl Nest {
    /// `None`: nobody writes as many loops. Dimensions that one loop serves are merged, and indices
    /// that are repeated along the last dimensions are looked at once, unless entries have `marks`.
    pub fn new(
        mut outer: Vec<Dim>,
        mut inner: Vec<Dim>,
        coordinates: Vec<Coordinate>,
        tuple: isize,
        start: At,
        bounds: Bounds,
        marks: bool,
    ) -> Option<Nest> {
        outer.retain(|dim| dim.size != 1);
        inner.retain(|dim| dim.size != 1);
        while let Some(last) = outer.pop_if(|last| last.indices == 0 && !marks) {
            inner.insert(0, last);
        }
        let (outer, inner) = (nested(merged(outer))?, nested(merged(inner))?);
        Some(Nest { outer, inner, coordinates, tuple, start, bounds })
    }

    pub fn entries(&self) -> usize {
        self.outer.iter().map(|dim| dim.size).product()
    }

    /// Whether the lanes of the innermost loop over entries are slices of the indices and of the
    /// flat tensor.
    fn is_dense(&self) -> bool {
        let [.., lane] = &self.outer;
        let tuple = self.coordinates.len();
        lane.indices == tuple as isize && (tuple == 1 || self.tuple == 1) && lane.flat & !1 == 0
    }
}

fn merged(dims: Vec<Dim>) -> Vec<Dim> {
    let mut list: Vec<Dim> = Vec::new();
    for dim in dims {
        let step = |stride: isize| stride * dim.size as isize;
        match list.last_mut() {
            Some(before)
                if before.table == step(dim.table)
                    && before.indices == step(dim.indices)
                    && before.flat == step(dim.flat)
                    && before.cell == step(dim.cell) =>
            {
                *before = Dim { size: before.size * dim.size, ..dim };
            }
            _ => list.push(dim),
        }
    }
    list
}

fn nested<const N: usize>(dims: Vec<Dim>) -> Option<[Dim; N]> {
    let mut all = [Dim { size: 1, table: 0, indices: 0, flat: 0, cell: 0 }; N];
    let missing = N.checked_sub(dims.len())?;
    all[missing..].copy_from_slice(&dims);
    Some(all)
}

/// What is done to an entry and its elements.
pub trait Body {
    /// Once for each entry, before its elements.
    #[inline(always)]
    fn enter(&mut self, _cell: usize) {}

    fn element(&mut self, table: usize, flat: usize);

    /// `n` elements that are neighbours on both sides.
    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        for j in 0..n {
            self.element(table + j, flat + j);
        }
    }

    /// A lane of single elements, whose places are in this part of the table, with their cells. The
    /// flat tensor has a slice of them (`step` 1), or one for all (`step` 0).
    #[inline(always)]
    fn lane(
        &mut self,
        table: Range<usize>,
        flat: usize,
        step: usize,
        places: impl ExactSizeIterator<Item = Option<(usize, usize)>>,
    ) {
        for (n, place) in places.enumerate() {
            if let Some((place, cell)) = place {
                self.enter(cell);
                self.element(table.start + place, flat + n * step);
            }
        }
    }
}

/// Where an index leads; `None`: nowhere.
trait Policy {
    fn place<I: Resolve>(index: I, size: usize) -> Option<usize>;
}

struct Inside;
struct Clamp;
struct Wrap;
struct Skip;

impl Policy for Inside {
    #[inline(always)]
    fn place<I: Resolve>(index: I, size: usize) -> Option<usize> {
        Some(index.resolve_checked(size))
    }
}

impl Policy for Clamp {
    #[inline(always)]
    fn place<I: Resolve>(index: I, size: usize) -> Option<usize> {
        Some(index.clamped(size))
    }
}

impl Policy for Wrap {
    #[inline(always)]
    fn place<I: Resolve>(index: I, size: usize) -> Option<usize> {
        Some(index.wrapped(size))
    }
}

impl Policy for Skip {
    #[inline(always)]
    fn place<I: Resolve>(index: I, size: usize) -> Option<usize> {
        Some(index.resolve(size)).filter(|place| *place < size)
    }
}

/// Runs the loops. Those for three and four coordinates, and for policies, are there only if `ALL`.
#[inline(never)]
pub fn run<I: Resolve, B: Body, const ALL: bool>(nest: &Nest, indices: &[I], body: B) {
    match (nest.coordinates.len(), nest.bounds) {
        (1, Bounds::Error) => walk::<I, B, Inside, 1>(nest, indices, body),
        (2, Bounds::Error) => walk::<I, B, Inside, 2>(nest, indices, body),
        (3, Bounds::Error) if ALL => walk::<I, B, Inside, 3>(nest, indices, body),
        (4, Bounds::Error) if ALL => walk::<I, B, Inside, 4>(nest, indices, body),
        (1, Bounds::Clamp) if ALL => walk::<I, B, Clamp, 1>(nest, indices, body),
        (2, Bounds::Clamp) if ALL => walk::<I, B, Clamp, 2>(nest, indices, body),
        (1, Bounds::Wrap) if ALL => walk::<I, B, Wrap, 1>(nest, indices, body),
        (2, Bounds::Wrap) if ALL => walk::<I, B, Wrap, 2>(nest, indices, body),
        (1, Bounds::Skip) if ALL => walk::<I, B, Skip, 1>(nest, indices, body),
        (2, Bounds::Skip) if ALL => walk::<I, B, Skip, 2>(nest, indices, body),
        (k, bounds) => unreachable!("no loops for {k} coordinates, {bounds:?}"),
    }
}

/// Copies a tensor into another of the same sizes.
pub fn copy<T: Copy>(nest: &Nest, input: &[T], output: &mut [T]) {
    walk::<u8, _, Inside, 0>(nest, &[], Take { table: input, output });
}

#[inline(never)]
fn walk<I: Resolve, B: Body, P: Policy, const K: usize>(nest: &Nest, indices: &[I], mut body: B) {
    let coordinates: [Coordinate; K] = std::array::from_fn(|k| nest.coordinates[k]);
    let [.., lane] = nest.outer;
    let [rows, row] = nest.inner;
    let tuple = nest.tuple;
    let visit = |at: At| locate::<I, P, K>(&coordinates, indices, tuple, at);
    if rows.size == 1 && row.size == 1 && K > 0 && nest.is_dense() {
        let is_slice = K == 1 && nest.coordinates[0].table == 1 && lane.table == 0;
        if is_slice && matches!(nest.bounds, Bounds::Error) {
            let Coordinate { size, cell, .. } = nest.coordinates[0];
            return lanes(nest, |at| {
                let places = indices[at.indices..at.indices + lane.size].iter();
                let places = places.map(|index| {
                    let place = index.resolve(size);
                    Some((place, at.cell + place.wrapping_mul(cell as usize)))
                });
                body.lane(at.table..at.table + size, at.flat, lane.flat as usize, places);
            });
        }
        return lanes(nest, |at| {
            let (tuples, _) = indices[at.indices..at.indices + lane.size * K].as_chunks::<K>();
            let mut step = At { indices: 0, ..at };
            let places = tuples.iter().map(|tuple| {
                let found = locate::<I, P, K>(&coordinates, tuple, 1, At { indices: 0, ..step });
                step.step(&lane);
                found.map(|found| (found.table, found.cell))
            });
            body.lane(0..usize::MAX, at.flat, lane.flat as usize, places);
        });
    }
    let is_row = row.table == 1 && row.flat == 1;
    if rows.size == 1 && row.size == 1 {
        each(nest, visit, |at| {
            body.enter(at.cell);
            body.element(at.table, at.flat);
        });
    } else if is_row {
        each(nest, visit, |mut at| {
            body.enter(at.cell);
            for _ in 0..rows.size {
                body.row(at.table, at.flat, row.size);
                at.step(&rows);
            }
        });
    } else {
        each(nest, visit, |mut at| {
            body.enter(at.cell);
            for _ in 0..rows.size {
                let mut element = at;
                for _ in 0..row.size {
                    body.element(element.table, element.flat);
                    element.step(&row);
                }
                at.step(&rows);
            }
        });
    }
}

#[inline(always)]
fn locate<I: Resolve, P: Policy, const K: usize>(
    coordinates: &[Coordinate; K],
    indices: &[I],
    tuple: isize,
    at: At,
) -> Option<At> {
    let mut found = at;
    for coordinate in coordinates {
        let place = P::place(indices[found.indices], coordinate.size)?;
        found.table = found.table.wrapping_add(place.wrapping_mul(coordinate.table as usize));
        found.cell = found.cell.wrapping_add(place.wrapping_mul(coordinate.cell as usize));
        found.indices = found.indices.wrapping_add_signed(tuple);
    }
    Some(found)
}

#[inline(always)]
fn each(nest: &Nest, locate: impl Fn(At) -> Option<At>, mut visit: impl FnMut(At)) {
    let [.., lane] = nest.outer;
    lanes(nest, |mut at| {
        for _ in 0..lane.size {
            if let Some(found) = locate(at) {
                visit(found);
            }
            at.step(&lane);
        }
    });
}

/// All loops over entries but the innermost.
#[inline(always)]
fn lanes(nest: &Nest, mut visit: impl FnMut(At)) {
    let [first, second, third, _] = nest.outer;
    let mut outermost = nest.start;
    for _ in 0..first.size {
        let mut middle = outermost;
        for _ in 0..second.size {
            let mut at = middle;
            for _ in 0..third.size {
                visit(at);
                at.step(&third);
            }
            middle.step(&second);
        }
        outermost.step(&first);
    }
}

/// `output[flat] = table[place]`
pub struct Take<'a, T> {
    pub table: &'a [T],
    pub output: &'a mut [T],
}

impl<T: Copy> Body for Take<'_, T> {
    #[inline(always)]
    fn element(&mut self, table: usize, flat: usize) {
        self.output[flat] = self.table[table];
    }

    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        self.output[flat..flat + n].copy_from_slice(&self.table[table..table + n]);
    }

    #[inline(always)]
    fn lane(
        &mut self,
        table: Range<usize>,
        flat: usize,
        _: usize,
        places: impl ExactSizeIterator<Item = Option<(usize, usize)>>,
    ) {
        let table = &self.table[table.start..table.end.min(self.table.len())];
        for (to, place) in self.output[flat..flat + places.len()].iter_mut().zip(places) {
            if let Some((place, _)) = place {
                *to = table[place];
            }
        }
    }
}

/// `data[place] = updates[flat]`
pub struct Put<'a, T> {
    pub data: &'a mut [T],
    pub updates: &'a [T],
}

impl<T: Copy> Body for Put<'_, T> {
    #[inline(always)]
    fn element(&mut self, table: usize, flat: usize) {
        self.data[table] = self.updates[flat];
    }

    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        self.data[table..table + n].copy_from_slice(&self.updates[flat..flat + n]);
    }

    #[inline(always)]
    fn lane(
        &mut self,
        table: Range<usize>,
        flat: usize,
        step: usize,
        places: impl ExactSizeIterator<Item = Option<(usize, usize)>>,
    ) {
        let Put { data, updates } = self;
        Change { data, updates, combine: |_, update| update }.lane(table, flat, step, places);
    }
}

/// `data[place] = combine(data[place], updates[flat])`
pub struct Change<'a, T, F> {
    pub data: &'a mut [T],
    pub updates: &'a [T],
    pub combine: F,
}

impl<T: Copy, F: Fn(T, T) -> T> Body for Change<'_, T, F> {
    #[inline(always)]
    fn element(&mut self, table: usize, flat: usize) {
        let to = &mut self.data[table];
        *to = (self.combine)(*to, self.updates[flat]);
    }

    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        let updates = &self.updates[flat..flat + n];
        for (to, update) in self.data[table..table + n].iter_mut().zip(updates) {
            *to = (self.combine)(*to, *update);
        }
    }

    #[inline(always)]
    fn lane(
        &mut self,
        table: Range<usize>,
        flat: usize,
        step: usize,
        places: impl ExactSizeIterator<Item = Option<(usize, usize)>>,
    ) {
        let end = table.end.min(self.data.len());
        let data = &mut self.data[table.start..end];
        if step == 0 {
            let update = self.updates[flat];
            for (place, _) in places.flatten() {
                data[place] = (self.combine)(data[place], update);
            }
        } else {
            for (update, place) in self.updates[flat..flat + places.len()].iter().zip(places) {
                if let Some((place, _)) = place {
                    data[place] = (self.combine)(data[place], *update);
                }
            }
        }
    }
}

/// Scratch that knows whether a place has been hit, or how often.
pub trait Mark {
    /// Whether this is the first hit.
    fn hit(&mut self) -> bool;
}

impl Mark for bool {
    #[inline(always)]
    fn hit(&mut self) -> bool {
        !std::mem::replace(self, true)
    }
}

impl Mark for u32 {
    #[inline(always)]
    fn hit(&mut self) -> bool {
        *self += 1;
        *self == 1
    }
}

/// As [`Change`], with marks. `assigns`: the first update of a place takes no account of what is
/// there.
pub struct Marked<'a, T, F, M> {
    pub data: &'a mut [T],
    pub updates: &'a [T],
    pub combine: F,
    pub marks: &'a mut [M],
    pub assigns: bool,
    pub is_first: bool,
}

impl<T: Copy, F: Fn(T, T) -> T, M: Mark> Body for Marked<'_, T, F, M> {
    #[inline(always)]
    fn enter(&mut self, cell: usize) {
        self.is_first = self.marks[cell].hit() && self.assigns;
    }

    #[inline(always)]
    fn element(&mut self, table: usize, flat: usize) {
        let (to, update) = (&mut self.data[table], self.updates[flat]);
        *to = if self.is_first { update } else { (self.combine)(*to, update) };
    }

    #[inline(always)]
    fn row(&mut self, table: usize, flat: usize, n: usize) {
        let (data, updates) = (&mut self.data[table..table + n], &self.updates[flat..flat + n]);
        if self.is_first {
            data.copy_from_slice(updates);
        } else {
            for (to, update) in data.iter_mut().zip(updates) {
                *to = (self.combine)(*to, *update);
            }
        }
    }
}

/// Divides what has been hit by the number of hits and `more`, and clears that number.
pub struct Divide<'a, T, F> {
    pub data: &'a mut [T],
    pub counts: &'a mut [u32],
    pub more: u32,
    pub divide: F,
    pub by: u32,
}

impl<T: Copy, F: Fn(T, u32) -> T> Body for Divide<'_, T, F> {
    #[inline(always)]
    fn enter(&mut self, cell: usize) {
        self.by = match std::mem::take(&mut self.counts[cell]) {
            0 => 0,
            count => count + self.more,
        };
    }

    #[inline(always)]
    fn element(&mut self, table: usize, _: usize) {
        if self.by > 0 {
            self.data[table] = (self.divide)(self.data[table], self.by);
        }
    }

    #[inline(always)]
    fn row(&mut self, table: usize, _: usize, n: usize) {
        if self.by > 0 {
            for element in &mut self.data[table..table + n] {
                *element = (self.divide)(*element, self.by);
            }
        }
    }
}

/// Clears the marks of the cells that entries lead to.
pub struct Clear<'a>(pub &'a mut [bool]);

impl Body for Clear<'_> {
    #[inline(always)]
    fn enter(&mut self, cell: usize) {
        self.0[cell] = false;
    }

    #[inline(always)]
    fn element(&mut self, _: usize, _: usize) {}

    #[inline(always)]
    fn row(&mut self, _: usize, _: usize, _: usize) {}
}

/// Whether two entries lead to one cell.
pub struct Twice<'a> {
    pub marks: &'a mut [bool],
    pub found: &'a mut bool,
}

impl Body for Twice<'_> {
    #[inline(always)]
    fn enter(&mut self, cell: usize) {
        *self.found |= !self.marks[cell].hit();
    }

    #[inline(always)]
    fn element(&mut self, _: usize, _: usize) {}

    #[inline(always)]
    fn row(&mut self, _: usize, _: usize, _: usize) {}
}
