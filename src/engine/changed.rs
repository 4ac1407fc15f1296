//! Change: what scatters combine, for reductions that the other stages do not know.

#[cfg(feature = "rayon")]
use strew_simd::Listed;
use strew_simd::combine::{self, by, set};
use strew_simd::{Block, Elements, Move, NOWHERE, Path, Rows, prefetch_row, repeats, spread};

use crate::element::Element;
use crate::engine::few::Few;
use crate::engine::movers::{Job, Mover, Streamed, Tile, Way, for_size};
use crate::engine::tuning;
use crate::plan::Plan;
use crate::reduction::{Free, Kind, Reduction, combine_one};

/// A copy that is to be made: its plan, the tensor that it copies, and what makes it.
#[derive(Clone, Copy)]
pub(crate) struct Before<'a, T> {
    pub plan: &'a Plan,
    pub input: &'a [T],
    pub copy: fn(&Plan, &[T], &mut [T]),
}

/// What combines elements with updates, which may be of another type. Callers need not know which
/// it is: so only this is compiled for each.
pub(crate) trait Reducer<T, U = T> {
    /// What the engine knows of it.
    fn kind(&self) -> &Kind<T>;

    /// [`Few::scatter`].
    fn few(&self, few: &Few<'_>, tables: &[u32], data: &mut [T], updates: &[U]);

    /// [`Mover::block`].
    fn block(&self, data: &mut [T], updates: &[U], block: &Block<'_>, way: &Way);

    /// Changes all elements of a row by one update.
    fn row_of_one(&self, row: &mut [T], update: U);

    /// [`Job::session`] with non-temporal stores. `false`: there is none.
    fn stream(
        &self,
        _data: &mut [T],
        _updates: &[U],
        _: Way,
        _run: &mut dyn FnMut(&mut dyn Mover),
    ) -> bool {
        false
    }

    /// [`Mover::listed`].
    #[cfg(feature = "rayon")]
    fn listed(&self, data: &mut [T], updates: &[U], listed: Listed<'_>, way: &Way);
}

/// [`Reducer::few`], or rows of one update each.
#[inline(never)]
pub(crate) fn change_few<T: Element, U: Element>(
    reduction: &dyn Reducer<T, U>,
    few: &Few<'_>,
    tables: &[u32],
    data: &mut [T],
    updates: &[U],
) {
    let in_rows = few.rows_of_one(tables, |start, flat, n| {
        change_row(reduction, data, (start, n), updates.get(flat));
    });
    if !in_rows {
        reduction.few(few, tables, data, updates);
    }
}

/// Changes the row of `n` elements from `start` on, if it lies inside, and so does its update.
#[inline(always)]
fn change_row<T: Copy, U: Copy, R: Reducer<T, U> + ?Sized>(
    reduction: &R,
    data: &mut [T],
    (start, n): (usize, usize),
    update: Option<&U>,
) {
    let row = data.get_mut(start..).and_then(|data| data.get_mut(..n));
    if let (Some(row), Some(update)) = (row, update) {
        reduction.row_of_one(row, *update);
    }
}

/// What maps an update and combines it: a function, which is called for checked indices only.
pub(crate) struct By<F>(pub F);

impl<T: Element, U: Element, F: Fn(T, U) -> T + Copy> Reducer<T, U> for By<F> {
    fn kind(&self) -> &Kind<T> {
        const { &Kind::OPAQUE }
    }

    fn few(&self, few: &Few<'_>, tables: &[u32], data: &mut [T], updates: &[U]) {
        let (path, By(f)) = (Path::detect(), self);
        // Blocks of a quantised table are encoded by vectors, as long rows are.
        let change = |to: &mut T, from: &U| match size_of::<U>() {
            0..=16 => *to = f(*to, *from),
            _ => path.narrow(
                #[inline(always)]
                || *to = f(*to, *from),
            ),
        };
        few.scatter(tables, data, updates, change, |to, from| {
            path.narrow(
                #[inline(always)]
                || to.iter_mut().zip(from).for_each(|(to, from)| *to = f(*to, *from)),
            );
        });
    }

    fn block(&self, data: &mut [T], updates: &[U], block: &Block<'_>, way: &Way) {
        let Way { path, distance, n, .. } = *way;
        match n {
            1 => path.narrow(
                #[inline(always)]
                || combine::elements::<_, _, false>(data, updates, block, distance, by(self.0)),
            ),
            n => combine::rows(path, data, updates, block, n, distance, self.0),
        }
    }

    fn row_of_one(&self, row: &mut [T], update: U) {
        row.iter_mut().for_each(|to| *to = self.0(*to, update));
    }

    #[cfg(feature = "rayon")]
    fn listed(&self, data: &mut [T], updates: &[U], listed: Listed<'_>, way: &Way) {
        let Way { path, n, .. } = *way;
        match n {
            1 => path.narrow(
                #[inline(always)]
                || combine::listed(path, data, updates, listed, 1, self.0),
            ),
            n => combine::listed(path, data, updates, listed, n, self.0),
        }
    }
}

/// A reduction.
pub(crate) struct Reduced<'a, R>(pub &'a R);

impl<T: Element, R: Reduction<T>> Reducer<T> for Reduced<'_, R> {
    fn kind(&self) -> &Kind<T> {
        const { &R::KIND }
    }

    fn few(&self, few: &Few<'_>, tables: &[u32], data: &mut [T], updates: &[T]) {
        let change = by(|current, update| self.0.combine(current, update));
        few.scatter(tables, data, updates, change, |to, from| combine_one(self.0, to, from));
    }

    fn block(&self, data: &mut [T], updates: &[T], block: &Block<'_>, way: &Way) {
        let Way { path, distance, n, .. } = *way;
        if const { R::KIND.is_assign() } {
            if n == 1 {
                let done = for_size!(T, N => Elements::<N>::new(updates, data)
                    .map(|mut elements| elements.scatter(path, block, distance)));
                if done.is_some() {
                    return;
                }
                if const { size_of::<T>() < tuning::LINE } {
                    return combine::elements::<_, _, false>(data, updates, block, distance, set);
                }
            }
            return Rows::new(updates, data, n).scatter(path, block, distance);
        }
        if let Some(kernels) = R::KIND.kernels() {
            return match n {
                1 => (kernels.elements)(data, updates, block, distance),
                n => (kernels.rows)(path, data, updates, block, n, distance),
            };
        }
        if const { R::KIND.is_opaque() } {
            let change = |current, update| self.0.combine(current, update);
            match n {
                1 => combine::elements::<_, _, true>(data, updates, block, distance, by(change)),
                n => combine::rows(path, data, updates, block, n, distance, change),
            }
        }
    }

    fn row_of_one(&self, row: &mut [T], update: T) {
        row.iter_mut().for_each(|to| *to = self.0.combine(*to, update));
    }

    fn stream(
        &self,
        data: &mut [T],
        updates: &[T],
        way: Way,
        run: &mut dyn FnMut(&mut dyn Mover),
    ) -> bool {
        if const { R::KIND.is_assign() } {
            Rows::new(updates, data, way.n)
                .streaming(|rows| run(&mut Streamed::<_, false>(rows, way)));
        }
        R::KIND.is_assign()
    }

    #[cfg(feature = "rayon")]
    fn listed(&self, data: &mut [T], updates: &[T], listed: Listed<'_>, way: &Way) {
        let Way { path, n, .. } = *way;
        if const { R::KIND.is_assign() } {
            if n == 1 {
                let done = for_size!(T, N => Elements::<N>::new(updates, data)
                    .map(|mut elements| elements.scatter_listed(path, listed)));
                if done.is_some() {
                    return;
                }
            }
            return Rows::new(updates, data, n).scatter_listed(path, listed);
        }
        if let Some(kernels) = R::KIND.kernels() {
            return (kernels.listed)(path, data, updates, listed, n);
        }
        if const { R::KIND.is_opaque() } {
            let change = |current, update| self.0.combine(current, update);
            combine::listed(path, data, updates, listed, n, change);
        }
    }
}

/// `data[table] = reduction(data[table], updates[flat])`.
pub(crate) struct Changed<'a, T, R: ?Sized, U = T> {
    pub reduction: &'a R,
    pub data: &'a mut [T],
    pub updates: &'a [U],
    pub way: Way,
    /// What the data starts as.
    pub before: Option<Before<'a, T>>,
}

impl<T: Element, U: Element, R: Reducer<T, U> + ?Sized> Mover for Changed<'_, T, R, U> {
    fn block(&mut self, block: &Block<'_>) {
        self.reduction.block(self.data, self.updates, block, &self.way);
    }

    fn rows_of_one(&mut self, block: &Block<'_>, n: usize) -> bool {
        let Changed { reduction, data, updates, way, .. } = self;
        if reduction.kind().is_slow() {
            return false;
        }
        let start = |address: u32| block.table.wrapping_add(address as usize);
        let ahead = if way.distance > 0 { tuning::ROWS_AHEAD } else { usize::MAX };
        let mut next = block.addresses.get(ahead..).unwrap_or_default().iter();
        for (mut flat, addresses) in block.lanes() {
            for address in addresses {
                if let Some(next) = next.next() {
                    prefetch_row(data, start(*next), n);
                }
                let update = updates.get(flat).filter(|_| *address != NOWHERE);
                change_row(*reduction, data, (start(*address), n), update);
                flat = flat.wrapping_add_signed(block.entry_step);
            }
        }
        true
    }

    #[cfg(feature = "rayon")]
    fn listed(&mut self, listed: Listed<'_>) {
        self.reduction.listed(self.data, self.updates, listed, &self.way);
    }
}

impl<T: Element, U: Element, R: Reducer<T, U> + ?Sized> Job for Changed<'_, T, R, U> {
    fn prepare(&mut self, way: Way) {
        self.way = way;
    }

    fn begin(&mut self) {
        if let Some(before) = self.before.take() {
            (before.copy)(before.plan, before.input, self.data);
        }
    }

    fn session(&mut self, run: &mut dyn FnMut(&mut dyn Mover)) {
        let Changed { reduction, data, updates, way, .. } = self;
        if !(way.streams && reduction.stream(data, updates, *way, run)) {
            run(self);
        }
    }

    fn tile(&mut self, tile: &Tile, run: &mut dyn FnMut(&mut dyn Mover)) {
        let Changed { reduction, ref mut data, updates, way, .. } = *self;
        tile.change(data, &mut |data| {
            run(&mut Changed { reduction, data, updates, way, before: None });
        });
    }

    fn speculate(&mut self, run: &mut dyn FnMut(&mut dyn Mover) -> bool) -> Option<bool> {
        if let Some(free) = self.reduction.kind().free()
            && self.way.copies > 1
        {
            let Way { path, copies, .. } = self.way;
            return self.in_copies(free, copies, &mut |mover, length| {
                run(&mut Spread { mover, path, length, spread: [0; SPREAD] })
            });
        }
        let mut copy = Vec::new();
        copy.try_reserve_exact(self.data.len()).ok()?;
        copy.extend_from_slice(self.data);
        let Changed { reduction, data: _, updates, way, .. } = *self;
        if let Some(before) = self.before.take() {
            (before.copy)(before.plan, before.input, &mut copy);
        }
        let data = &mut copy;
        let inside = run(&mut Changed { reduction, data, updates, way, before: None });
        if inside {
            self.data.copy_from_slice(&copy);
        }
        Some(inside)
    }
}

impl<T: Element, U: Element, R: Reducer<T, U> + ?Sized> Changed<'_, T, R, U> {
    /// Runs on tables that start from what changes nothing, and that lie one after the other; if
    /// `run` returns `true`, merges them into the data. `None`: there is no memory for them.
    pub(crate) fn in_copies(
        &mut self,
        free: &Free<T>,
        number: usize,
        run: &mut InCopies<'_, T, R, U>,
    ) -> Option<bool> {
        let length = self.data.len();
        let mut copies = (free.start)(length.checked_mul(number)?)?;
        let Changed { reduction, data: _, updates, way, .. } = *self;
        let data = &mut copies;
        let inside = run(&mut Changed { reduction, data, updates, way, before: None }, length);
        if inside {
            self.begin();
            copies.chunks(length.max(1)).for_each(|copy| (free.merge)(self.data, copy));
        }
        Some(inside)
    }
}

/// Changes tables of this length.
type InCopies<'a, T, R, U> = dyn FnMut(&mut Changed<'_, T, R, U>, usize) -> bool + 'a;

/// The addresses of a block, at most.
const SPREAD: usize = 2 * tuning::BLOCK;

/// Moves to copies of a table, which lie one after the other: each entry to the next one, in blocks
/// in which entries repeat the ones before them.
struct Spread<'a> {
    mover: &'a mut dyn Mover,
    path: Path,
    /// The length of the table.
    length: usize,
    spread: [u32; SPREAD],
}

impl Mover for Spread<'_> {
    fn block(&mut self, block: &Block<'_>) {
        let (path, length) = (self.path, self.length as u32);
        // Where entries seldom wait for each other, all of them go to the first copy.
        if repeats(path, block.addresses) * tuning::REPEATS < block.addresses.len() {
            return self.mover.block(block);
        }
        spread(path, block.addresses, tuning::COPIES, length, &mut self.spread);
        let addresses = self.spread.get(..block.addresses.len()).unwrap_or_default();
        self.mover.block(&Block { addresses, next: &[], ..*block });
    }
}
