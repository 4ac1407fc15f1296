//! Draws workloads. The same seed gives the same ones on every machine: all of it is arithmetic on
//! integers.

use std::fmt;

use strew::{Bounds, Gather, Layout, Scatter};

use super::Entry;
use super::loops::{At, Coordinate, Dim, Nest};
use crate::inputs::SplitMix64;

/// One workload, without its data.
pub struct Drawn {
    /// The number that `--only` takes.
    pub number: usize,
    pub entry: &'static Entry,
    pub operator: Operator,
    pub table: Layout,
    pub indices: Layout,
    pub flat: Layout,
    pub bounds: Bounds,
    pub spread: Spread,
    /// Indices of a hundred that are out of bounds, and that count from the end.
    pub outside: usize,
    pub negative: usize,
    pub seed: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Axis(usize),
    Elements(usize),
    Nd(usize),
}

/// How the places that indices lead to are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    Uniform,
    /// A place of rank n with a probability of 1 / n.
    Zipf,
    Sorted,
    /// Up to 128 times the same place in a row.
    Runs,
    /// 9 of 10 lead to one place.
    Hot,
    /// All lead to one place.
    One,
    /// No place twice, as long as there are enough.
    Permutation,
    /// One place after the other.
    Range,
    /// Within 64 places of a point that moves from the first place to the last.
    Local,
}

/// The largest workloads.
#[derive(Clone, Copy)]
struct Limits {
    entries: usize,
    /// Bytes that move, and bytes of the table.
    moved: usize,
    table: usize,
}

const FULL: Limits = Limits { entries: 1 << 22, moved: 64 << 20, table: 512 << 20 };
const QUICK: Limits = Limits { entries: 1 << 9, moved: 1 << 15, table: 1 << 17 };

/// Choices.
struct Choice(SplitMix64);

impl Choice {
    fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// True that many times of a hundred.
    fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// `least` to `most`; each power of two in between is as likely as the others.
    fn log(&mut self, least: usize, most: usize) -> usize {
        let (least, most) = (least.max(1), most.max(least).max(1));
        let (low, high) = (least.ilog2() as usize, most.ilog2() as usize);
        let power = 1 << (low + self.below(high - low + 1));
        (power + self.below(power)).clamp(least, most)
    }

    /// That many sizes, whose product is at most `product`.
    fn sizes(&mut self, product: usize, count: usize) -> Vec<usize> {
        let mut rest = product;
        let mut sizes: Vec<usize> = (1..count)
            .map(|_| {
                let size = self.log(1, rest);
                rest /= size;
                size
            })
            .collect();
        if count > 0 {
            sizes.insert(self.below(count), rest);
        }
        sizes
    }

    fn order(&mut self, rank: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..rank).collect();
        for d in (1..rank).rev() {
            order.swap(d, self.below(d + 1));
        }
        order
    }
}

/// Workload `number` of a seed.
pub fn draw(seed: u64, number: usize, quick: bool) -> Drawn {
    let mut mix = SplitMix64(seed);
    let mut choice = Choice(SplitMix64(mix.next() ^ (number as u64) << 32));
    let limits = if quick { QUICK } else { FULL };
    let entry = entry(&mut choice);
    loop {
        if let Some(drawn) = attempt(number, entry, limits, &mut choice) {
            return drawn;
        }
    }
}

/// An entry of the list: first its kind by weight, then one of that kind.
fn entry(choice: &mut Choice) -> &'static Entry {
    let weight = |kind: &(&str, usize)| kind.1;
    let mut left = choice.below(super::KINDS.iter().map(weight).sum());
    let (kind, _) = super::KINDS
        .iter()
        .find(|kind| {
            let found = left < kind.1;
            left = left.saturating_sub(kind.1);
            found
        })
        .expect("below the sum of all weights");
    let of_kind = super::entries::ALL.iter().filter(|entry| entry.kind == *kind);
    // What has all policies is drawn more often.
    let (all, others): (Vec<_>, Vec<_>) = of_kind.partition(|entry| entry.all);
    let list =
        if others.is_empty() || !all.is_empty() && choice.percent(30) { all } else { others };
    list[choice.below(list.len())]
}

/// `None`: a combination that does not exist.
fn attempt(
    number: usize,
    entry: &'static Entry,
    limits: Limits,
    choice: &mut Choice,
) -> Option<Drawn> {
    let (operator, [table, indices, flat]) = shapes(entry, limits, choice);
    let gathers = entry.gathers();
    let gaps = if entry.is_ndarray() { 50 } else { 12 };
    // Nobody has one index for a whole tensor of them.
    let tuple = usize::from(matches!(operator, Operator::Nd(_)));
    let repeats = indices.len() > 1 + tuple;
    let mut layouts = [
        layout(&table, gathers, gaps, choice),
        layout(&indices, repeats, 12, choice),
        layout(&flat, !gathers, gaps / 2, choice),
    ];
    if !gathers && entry.is_reduction() && choice.percent(15) {
        // One update for all.
        layouts[2] = Layout::from_parts(&flat, &vec![0; flat.len()], 0).ok()?;
    }
    let overlaps = matches!(operator, Operator::Nd(0)) && indices.len() == 2 && indices[1] > 1;
    if overlaps && choice.percent(10) {
        // Windows that overlap: a tuple for each index and the next.
        layouts[1] = Layout::from_parts(&indices, &[1, 1], 0).ok()?;
    }
    let bounds = match choice.below(8) {
        0 | 1 if entry.all => Bounds::Skip,
        2 if entry.all => Bounds::Clamp,
        3 if entry.all => Bounds::Wrap,
        _ => Bounds::Error,
    };
    let outside = if bounds == Bounds::Error { 0 } else { [0, 1, 10, 50][choice.below(4)] };
    let spreads = [
        (Spread::Uniform, 36),
        (Spread::Zipf, 12),
        (Spread::Sorted, 10),
        (Spread::Runs, 9),
        (Spread::Hot, 5),
        (Spread::One, 3),
        (Spread::Permutation, 12),
        (Spread::Range, 5),
        (Spread::Local, 8),
    ];
    let mut left = choice.below(100);
    let spread = spreads.into_iter().find(|(_, weight)| {
        let found = left < *weight;
        left = left.saturating_sub(*weight);
        found
    });
    let negative = [0, 0, 0, 10, 50, 100][choice.below(6)];
    let seed = choice.0.next();
    let spread = if entry.kind == "check unique" && choice.percent(80) {
        Spread::Permutation
    } else {
        spread?.0
    };
    let [table, indices, flat] = layouts;
    let drawn = Drawn {
        number,
        entry,
        operator,
        table,
        indices,
        flat,
        bounds,
        spread,
        outside,
        negative: if entry.range[0] < 0 { negative } else { 0 },
        seed,
    };
    let is_plan =
        if gathers { drawn.plan_gather().is_some() } else { drawn.plan_scatter().is_some() };
    let coordinates = drawn.axes().len();
    let has_loops = if entry.all && bounds == Bounds::Error { 4 } else { 2 };
    let bytes =
        [&drawn.table, &drawn.flat].map(|layout| extent(layout).saturating_mul(entry.bytes));
    let fits = bytes[0] <= limits.table && bytes[1] <= 3 * limits.moved;
    // The copy of what a call changes has loops as well.
    let copies = !entry.kind.starts_with("into") || drawn.nest_copy().is_some();
    (is_plan
        && fits
        && copies
        && coordinates <= has_loops
        && drawn.nest(entry.has_cells()).is_some())
    .then_some(drawn)
}

/// The sizes of table, indices and flat tensor.
fn shapes(entry: &Entry, limits: Limits, choice: &mut Choice) -> (Operator, [Vec<usize>; 3]) {
    let bytes = entry.bytes;
    // An axis whose places indices of the type can all name, mostly.
    let nameable = usize::try_from(entry.range[1]).unwrap_or(usize::MAX).saturating_add(1);
    let nameable = if choice.percent(80) { nameable } else { usize::MAX };
    let kind = choice.below(if entry.kind == "check unique" { 70 } else { 100 });
    let elements = kind >= 70;
    let row = if elements || choice.percent(45) { 1 } else { choice.log(2, 2048) };
    let row = row.min((limits.moved / 16 / bytes).max(1));
    let most = (limits.moved / bytes / row).clamp(16, limits.entries);
    let entries = choice.log(16, most);
    let places = choice.log(16, limits.table / bytes);
    let parts = if row == 1 { 0 } else { 1 + usize::from(choice.percent(30)) };
    let row_sizes = choice.sizes(row, parts);
    if elements {
        let rank = 1 + choice.below(4);
        let indices = choice.sizes(entries, rank);
        let axis = choice.below(rank);
        let mut table = indices.clone();
        if choice.percent(25) {
            for size in &mut table {
                *size += choice.below(*size + 1);
            }
        }
        let others: usize =
            table.iter().enumerate().filter(|(d, _)| *d != axis).map(|(_, size)| size).product();
        if choice.percent(50) {
            table[axis] = choice.log(1, limits.table / bytes / others);
        }
        table[axis] = table[axis].min(nameable);
        return (Operator::Elements(axis), [table, indices.clone(), indices]);
    }
    if kind < 40 {
        // Dimensions before the axis say nothing about duplicates.
        let before = if choice.percent(60) || entry.kind == "check unique" {
            1
        } else {
            choice.log(2, (entries / 4).min(256))
        };
        let mut table = choice.sizes(before, usize::from(before > 1) + usize::from(before > 8));
        let axis = table.len();
        let rank = 1 + usize::from(choice.percent(20));
        let indices = choice.sizes((entries / before).max(1), rank);
        table.push((places / before / row).clamp(1, nameable));
        let flat = [&table[..axis], &indices, &row_sizes].concat();
        table.extend(row_sizes);
        return (Operator::Axis(axis), [table, indices, flat]);
    }
    let batch = if choice.percent(75) { 1 } else { choice.log(2, (entries / 4).min(64)) };
    let mut table = if batch > 1 { vec![batch] } else { Vec::new() };
    let batch_dims = table.len();
    let tuple = [1, 1, 2, 2, 3, 4][choice.below(if entry.all { 6 } else { 4 })];
    let rank = 1 + usize::from(choice.percent(20));
    let axes = choice.sizes((places / batch / row).max(1), tuple);
    table.extend(axes.iter().map(|&size| size.min(nameable)));
    let entries = choice.sizes((entries / batch).max(1), rank);
    let flat = [&table[..batch_dims], &entries, &row_sizes].concat();
    let indices = [&table[..batch_dims], &entries, &[tuple]].concat();
    table.extend(row_sizes);
    (Operator::Nd(batch_dims), [table, indices, flat])
}

/// Strides for these sizes. `gaps` of a hundred leave some elements out.
fn layout(sizes: &[usize], repeats: bool, gaps: usize, choice: &mut Choice) -> Layout {
    let rank = sizes.len();
    let mut order: Vec<usize> = (0..rank).collect();
    let mut room = sizes.to_vec();
    let (mut step, mut reversed, mut repeated) = (1, None, vec![false; rank]);
    let mut offset = 0;
    if rank > 0 {
        if choice.percent(gaps) {
            match choice.below(4) {
                // A view of the first columns, of some part, or of every second or third column.
                0 => room[rank - 1] += choice.log(1, sizes[rank - 1]),
                1 | 2 => {
                    let d = choice.below(rank);
                    room[d] += choice.log(1, 2 * sizes[d]);
                    offset = choice.below(room[d] - sizes[d] + 1);
                }
                _ => step = 2 + choice.below(2),
            }
        }
        match choice.below(100) {
            0..8 => order = choice.order(rank),
            8..11 => reversed = Some(choice.below(rank)),
            11..14 if repeats => repeated[rank - 1] = true,
            14..17 if repeats => repeated[choice.below(rank)] = true,
            _ => {}
        }
    }
    let mut strides = vec![0_isize; rank];
    let mut stride = step;
    for &d in order.iter().rev() {
        if !repeated[d] {
            strides[d] = stride as isize;
            stride *= room[d];
        }
    }
    if let Some(d) = reversed {
        offset += (sizes[d] - 1) * strides[d].unsigned_abs();
        strides[d] = -strides[d];
    }
    Layout::from_parts(sizes, &strides, offset).expect("a rank of at most 8")
}

/// The length of the slice that a layout needs.
pub fn extent(layout: &Layout) -> usize {
    layout.extent().unwrap_or(usize::MAX)
}

/// Whether a layout leaves elements between its first and its last one out.
pub fn has_gaps(layout: &Layout) -> bool {
    let dims = layout.sizes().iter().zip(layout.strides()).filter(|(_, stride)| **stride != 0);
    let (mut elements, mut reach) = (1, 1);
    for (size, stride) in dims {
        elements *= size;
        reach += (size - 1) * stride.unsigned_abs();
    }
    elements != reach
}

impl Drawn {
    pub fn plan_gather(&self) -> Option<Gather> {
        let (table, indices, flat) = (&self.table, &self.indices, &self.flat);
        let gather = match self.operator {
            Operator::Axis(axis) => Gather::axis(table, indices, flat, axis),
            Operator::Elements(axis) => Gather::elements(table, indices, flat, axis),
            Operator::Nd(batch_dims) => Gather::nd(table, indices, flat, batch_dims),
        };
        gather.ok().map(|gather| gather.bounds(self.bounds))
    }

    pub fn plan_scatter(&self) -> Option<Scatter> {
        let (table, indices, flat) = (&self.table, &self.indices, &self.flat);
        let scatter = match self.operator {
            Operator::Axis(axis) => Scatter::axis(table, indices, flat, axis),
            Operator::Elements(axis) => Scatter::elements(table, indices, flat, axis),
            Operator::Nd(batch_dims) => Scatter::nd(table, indices, flat, batch_dims),
        };
        scatter.ok().map(|scatter| scatter.bounds(self.bounds))
    }

    pub fn gather(&self) -> Gather {
        self.plan_gather().expect("what is drawn has a plan")
    }

    pub fn scatter(&self) -> Scatter {
        self.plan_scatter().expect("what is drawn has a plan")
    }

    /// The sizes of the dimensions that are indexed.
    pub fn axes(&self) -> &[usize] {
        let sizes = self.table.sizes();
        match self.operator {
            Operator::Axis(axis) | Operator::Elements(axis) => &sizes[axis..=axis],
            Operator::Nd(batch_dims) => {
                let tuple = self.indices.sizes().last().copied().unwrap_or(0);
                &sizes[batch_dims..batch_dims + tuple]
            }
        }
    }

    /// The places of the indexed space.
    pub fn cells(&self) -> usize {
        let sizes = self.table.sizes();
        let rank = match self.operator {
            Operator::Axis(axis) => axis + 1,
            Operator::Elements(_) => sizes.len(),
            Operator::Nd(batch_dims) => batch_dims + self.axes().len(),
        };
        sizes[..rank].iter().product()
    }

    /// How many tuples of indices there are.
    pub fn tuples(&self) -> usize {
        let product: usize = self.indices.sizes().iter().product();
        if matches!(self.operator, Operator::Nd(_)) { product / self.axes().len() } else { product }
    }

    /// How often one of them is applied, and the elements that each of these moves.
    pub fn entries(&self) -> usize {
        let before = match self.operator {
            Operator::Axis(axis) => self.table.sizes()[..axis].iter().product(),
            _ => 1,
        };
        before * self.tuples()
    }

    pub fn row(&self) -> usize {
        self.moved() / self.entries()
    }

    pub fn moved(&self) -> usize {
        self.flat.sizes().iter().product()
    }

    /// The loops. `cells`: with scratch that has a cell for each place of the indexed space.
    pub fn nest(&self, cells: bool) -> Option<Nest> {
        let (table, indices, flat) = (&self.table, &self.indices, &self.flat);
        let (t, i, f) = (table.strides(), indices.strides(), flat.strides());
        let (outer_rank, inner_from, first, count) = match self.operator {
            Operator::Axis(axis) => (axis + i.len(), axis + 1, axis, 1),
            Operator::Elements(axis) => (i.len(), t.len(), axis, 1),
            Operator::Nd(b) => (i.len() - 1, b + self.axes().len(), b, self.axes().len()),
        };
        let cell = |d: usize| match (cells, self.operator) {
            (false, _) => 0,
            (true, _) => table.sizes()[d + 1..inner_from].iter().product::<usize>() as isize,
        };
        let outer = (0..outer_rank).map(|d| {
            let (table, cell, indices) = match self.operator {
                Operator::Axis(axis) if d < axis => (t[d], cell(d), 0),
                Operator::Axis(axis) => (0, 0, i[d - axis]),
                Operator::Elements(axis) if d == axis => (0, 0, i[d]),
                Operator::Nd(b) if d >= b => (0, 0, i[d]),
                _ => (t[d], cell(d), i[d]),
            };
            Dim { size: flat.sizes()[d], table, indices, flat: f[d], cell }
        });
        let inner = (inner_from..t.len()).zip(outer_rank..).map(|(d, flat_dim)| Dim {
            size: table.sizes()[d],
            table: t[d],
            indices: 0,
            flat: f[flat_dim],
            cell: 0,
        });
        let coordinates = (first..first + count)
            .map(|d| Coordinate { size: table.sizes()[d], table: t[d], cell: cell(d) })
            .collect();
        let tuple = if matches!(self.operator, Operator::Nd(_)) { i[i.len() - 1] } else { 0 };
        let start =
            At { table: table.offset(), indices: indices.offset(), flat: flat.offset(), cell: 0 };
        Nest::new(outer.collect(), inner.collect(), coordinates, tuple, start, self.bounds, cells)
    }

    /// The loops that copy the table to one of the same layout.
    pub fn nest_copy(&self) -> Option<Nest> {
        let dims = self
            .table
            .sizes()
            .iter()
            .zip(self.table.strides())
            .map(|(&size, &stride)| Dim { size, table: stride, indices: 0, flat: stride, cell: 0 });
        let offset = self.table.offset();
        let start = At { table: offset, indices: 0, flat: offset, cell: 0 };
        Nest::new(Vec::new(), dims.collect(), Vec::new(), 0, start, Bounds::Error, false)
    }
}

/// `[sizes]`, with strides if they are not those of a packed tensor.
struct Shape<'a>(&'a Layout);

impl fmt::Display for Shape<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0.sizes())?;
        if Layout::from_sizes(self.0.sizes()) != Ok(*self.0) {
            write!(f, " by {:?}", self.0.strides())?;
        }
        Ok(())
    }
}

impl fmt::Display for Drawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Drawn { entry, operator, table, indices, flat, bounds, spread, .. } = self;
        let [first, second] = if entry.gathers() { ["from", "to"] } else { ["into", "of"] };
        write!(f, "{} {} by {}, {operator:?}, ", entry.name, entry.element, entry.index)?;
        write!(f, "{first} {}, indices {}, ", Shape(table), Shape(indices))?;
        write!(f, "{second} {}, {spread:?}", Shape(flat))?;
        if *bounds != Bounds::Error {
            write!(f, ", {bounds:?} with {} % outside", self.outside)?;
        }
        if self.negative > 0 {
            write!(f, ", {} % from the end", self.negative)?;
        }
        Ok(())
    }
}
