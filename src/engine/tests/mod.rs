//! Tests of the stages, each on random small plans against a walk in plain loops.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

mod entries;
mod few;
mod movers;
mod prove;
mod route;
#[cfg(feature = "rayon")]
mod split;
mod transform;
mod traverse;

use strew_simd::{Block, Listed, Machine, NOWHERE, Path};

use crate::engine::movers::{Job, Mover, Tile, Way};
use crate::engine::route::{Order, Proof, Route, Split};
use crate::error::Direction;
use crate::index::{Bounds, Negative, resolve};
use crate::layout::Layout;
use crate::plan::tests::{axis, elements, nd};
use crate::plan::{Dim, Plan};

const POLICIES: [Bounds; 4] = [Bounds::Error, Bounds::Clamp, Bounds::Wrap, Bounds::Skip];
const DIRECTIONS: [Direction; 2] = [Direction::Gather, Direction::Scatter];

/// Numbers that are the same every time.
struct Random(u64);

impl Random {
    fn of(seed: usize) -> Random {
        Random(seed as u64)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// One time in `n`.
    fn rarely(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// A plan, and indices for it.
struct Case {
    direction: Direction,
    plan: Plan,
    indices: Vec<i64>,
}

/// How large a random plan is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Large {
    No,
    /// One dimension of the indices has up to this many entries more.
    Lane(usize),
}

impl Case {
    fn random(random: &mut Random, direction: Direction, large: Large) -> Case {
        let plan = loop {
            if let Some(plan) = random_plan(random, direction, large) {
                break plan;
            }
        };
        let mut case = Case { direction, plan, indices: Vec::new() };
        case.plan.set_bounds(random.pick(&POLICIES));
        if random.rarely(4) {
            case.plan.negative = Negative::OutOfBounds;
        }
        case.fill(random);
        case
    }

    /// Elements along an axis by many short lanes: some with gaps between them, with reversed
    /// steps, with lanes that share an index, an update, or a place of a table that is read, or
    /// into a permuted table at an offset, whose places number the cells.
    fn of_short_lanes(random: &mut Random, direction: Direction, along: usize) -> Case {
        let scatters = direction == Direction::Scatter;
        let sizes = [2 + random.below(3), 33 + random.below(9), 2 + random.below(15)];
        let mut places = sizes;
        places[along] = 1 + random.below(9);
        // A place that is written belongs to one lane.
        let shares = [!scatters && along != 2, true, scatters].map(|may| may && random.rarely(4));
        let [mut table, indices, flat] =
            [(places, shares[0]), (sizes, shares[1]), (sizes, shares[2])]
                .map(|(sizes, share)| gapped(random, sizes, share));
        if random.rarely(3) {
            let [_, b, c] = places.map(|size| size as isize);
            table = Layout::strided(places, [b * c, 1, b]).with_offset(5);
        }
        let plan = elements(direction, &table, &indices, &flat, along);
        let mut case = Case { direction, plan, indices: Vec::new() };
        case.plan.set_bounds(random.pick(&POLICIES));
        case.fill(random);
        case
    }

    /// Elements and tuples whose last dimensions are short, in any order of strides.
    fn of_groups(random: &mut Random, direction: Direction) -> Case {
        let sizes = [4 * (1 + random.below(60)), 1 + random.below(5), 2 + random.below(6)];
        let scatters = direction == Direction::Scatter;
        let along = random.below(3);
        let plan = match random.below(4) {
            0 => {
                // Several dimensions of entries that meet in one place, whose order has to stay.
                let sizes @ [n, a, b, c] = [sizes[0], 2, 1 + random.below(4), sizes[2]];
                let strides = permuted(random, sizes).strides().to_vec();
                let [i, j, k, l] = *strides.first_chunk().unwrap();
                let indices = Layout::strided([n, a, b, c, 1], [i, j, k, l, 1]);
                let table = Layout::contiguous([n, 3]);
                nd(direction, &table, &indices, &permuted(random, sizes), 1)
            }
            1 => {
                let mut places = sizes;
                places[along] = 1 + random.below(9);
                // A place that is written belongs to one lane.
                let shares = [!scatters && along != 2, true, scatters];
                let shares = shares.map(|may| may && random.rarely(4));
                let tensors = [(places, shares[0]), (sizes, shares[1]), (sizes, shares[2])];
                let tensors = tensors.map(|(sizes, share)| gapped(random, sizes, share));
                let [table, indices, flat] = tensors;
                elements(direction, &table, &indices, &flat, along)
            }
            2 => {
                let sizes @ [n, a, b, c] = [sizes[0] / 4, 1 + random.below(4), sizes[1], sizes[2]];
                let along = random.below(4);
                let mut places = [n, a, b, c];
                places[along] = 1 + random.below(9);
                let tensors = [places, sizes, sizes].map(|sizes| permuted(random, sizes));
                let [table, mut indices, flat] = tensors;
                if random.rarely(3) {
                    // One index for all steps of some dimensions.
                    let keeps = [(); 4].map(|()| !random.rarely(3));
                    let kept = keeps.iter().zip(indices.strides());
                    let kept =
                        Vec::from_iter(kept.map(|(keep, stride)| isize::from(*keep) * stride));
                    indices = Layout::strided(sizes, *kept.first_chunk().unwrap());
                }
                elements(direction, &table, &indices, &flat, along)
            }
            _ => {
                let sizes @ [n, c] = [4 * sizes[0], 1 + random.below(10)];
                let mut places = [n, c];
                places[along % 2] = 1 + random.below(9);
                let tensors = [places, sizes, sizes].map(|sizes| permuted(random, sizes));
                let [table, indices, flat] = tensors;
                elements(direction, &table, &indices, &flat, along % 2)
            }
        };
        let mut case = Case { direction, plan, indices: Vec::new() };
        case.plan.set_bounds(random.pick(&POLICIES));
        case.fill(random);
        case
    }

    /// Other indices: on their axes under `Bounds::Error`, else some beside them.
    fn fill(&mut self, random: &mut Random) {
        let plan = &self.plan;
        self.indices = vec![i64::MAX; plan.lengths.indices];
        // One index may be for all coordinates of a tuple.
        let least = plan.coordinates().iter().map(|axis| axis.size).min().unwrap_or(0);
        for (places, _) in tuples(plan) {
            for (axis, place) in plan.coordinates().iter().zip(places) {
                let on = if plan.tuple_stride == 0 { least } else { axis.size };
                let size = axis.size as i64;
                let outside = !matches!(plan.bounds, Bounds::Error) && random.rarely(4);
                let wide = [-size - 1, size, 3 * size + 1, -2 * size, i64::MAX, i64::MIN];
                self.indices[place] = match random.below(3) {
                    _ if outside => random.pick(&wide),
                    0 if matches!(plan.negative, Negative::FromEnd) => -1 - random.below(on) as i64,
                    _ => random.below(on) as i64,
                };
            }
        }
    }

    /// Makes one index bad.
    fn spoil(&mut self, random: &mut Random) {
        let tuples = tuples(&self.plan);
        let (places, _) = &tuples[random.below(tuples.len())];
        let n = random.below(places.len());
        let size = self.plan.coordinates()[n].size as i64;
        self.indices[places[n]] = random.pick(&[size, -size - 1, i64::MAX, i64::MIN]);
    }

    fn walk(&self) -> Vec<Entry> {
        walk(&self.plan, &self.indices)
    }

    /// What moves, in order, as far as the first bad index.
    fn moves(&self) -> Vec<Pair> {
        self.walk().into_iter().map_while(|entry| entry.moves).flatten().collect()
    }

    fn has_bad_index(&self) -> bool {
        self.walk().iter().any(|entry| entry.moves.is_none())
    }
}

/// Strides that may have a gap after each lane, some of them reversed. `share`: a lane is one
/// element.
fn gapped(random: &mut Random, sizes: [usize; 3], share: bool) -> Layout {
    let (mut strides, mut offset, mut step) = ([0; 3], 0, 1 + random.below(2));
    for (n, size) in sizes.into_iter().enumerate().rev() {
        if n == 2 && share {
            continue;
        }
        let back = random.rarely(3);
        strides[n] = if back { -(step as isize) } else { step as isize };
        offset += if back { (size - 1) * step } else { 0 };
        step = step * size + if n == 2 { random.below(4) } else { 0 };
    }
    Layout::strided(sizes, strides).with_offset(offset)
}

/// A tensor without gaps, its dimensions in any order in memory.
fn permuted<const N: usize>(random: &mut Random, sizes: [usize; N]) -> Layout {
    let (mut strides, mut step, mut left) = ([0; N], 1, Vec::from_iter(0..N));
    while !left.is_empty() {
        let next = left.swap_remove(random.below(left.len()));
        (strides[next], step) = (step, step * sizes[next] as isize);
    }
    Layout::strided(sizes, strides)
}

/// A place in the table, and one in the flat tensor.
type Pair = (usize, usize);

/// What one entry moves. `None`: it is out of bounds under `Bounds::Error`.
struct Entry {
    moves: Option<Vec<Pair>>,
}

/// All coordinates of some dimensions in row-major order: what they add to places of the table, the
/// indices and the flat tensor.
fn places(dims: &[Dim]) -> Vec<[isize; 3]> {
    dims.iter().fold(vec![[0; 3]], |starts, dim| {
        let step = |[table, indices, flat]: [isize; 3]| {
            (0..dim.size as isize).map(move |n| {
                [table + n * dim.table, indices + n * dim.indices, flat + n * dim.flat]
            })
        };
        starts.into_iter().flat_map(step).collect()
    })
}

/// The places of each tuple in the indices, and what its entry adds to places.
fn tuples(plan: &Plan) -> Vec<(Vec<usize>, [isize; 3])> {
    let of = |at: [isize; 3]| {
        let start = plan.start.indices as isize + at[1];
        let coordinates = 0..plan.coordinates().len() as isize;
        (coordinates.map(|n| (start + n * plan.tuple_stride) as usize).collect(), at)
    };
    places(plan.outer()).into_iter().map(of).collect()
}

/// The walk in plain loops.
fn walk(plan: &Plan, indices: &[i64]) -> Vec<Entry> {
    let inner = places(plan.inner());
    let entry = |(tuple, [table, _, flat]): (Vec<usize>, [isize; 3])| {
        let (mut table, mut left_out) = (Some(plan.start.table as isize + table), false);
        for (axis, place) in plan.coordinates().iter().zip(tuple) {
            let position = resolve(indices[place], axis.size, plan.bounds, plan.negative);
            left_out |= position.is_none();
            let position = position.map(|position| position as isize * axis.table);
            table = table.zip(position).map(|(table, position)| table + position);
        }
        let moves = |table: isize| {
            let pair = |at: &[isize; 3]| {
                let flat = plan.start.flat as isize + flat + at[2];
                (usize::try_from(table + at[0]).unwrap(), usize::try_from(flat).unwrap())
            };
            inner.iter().map(pair).collect()
        };
        let bad = left_out && matches!(plan.bounds, Bounds::Error);
        Entry { moves: if bad { None } else { Some(table.map_or(Vec::new(), moves)) } }
    };
    tuples(plan).into_iter().map(entry).collect()
}

/// A plan of any constructor. `None`: its layouts do not go together.
fn random_plan(random: &mut Random, direction: Direction, large: Large) -> Option<Plan> {
    let many = matches!(large, Large::Lane(_));
    let more = |random: &mut Random, sizes: &mut [usize]| {
        if let (Large::Lane(most), false) = (large, sizes.is_empty()) {
            let n = random.below(sizes.len());
            sizes[n] = 1 + random.below(most);
        }
    };
    let size = |random: &mut Random| {
        if random.rarely(6) { 1 } else { 1 + random.below(if many { 3 } else { 6 }) }
    };
    let rank = |random: &mut Random, least: usize, most: usize| least + random.below(most - least);
    let mut table: Vec<usize> = (0..rank(random, 1, 6)).map(|_| size(random)).collect();
    let kind = random.below(3);
    let (indices, flat, along) = match kind {
        0 => {
            let along = random.below(table.len());
            let mut indices: Vec<usize> = (0..rank(random, 0, 4)).map(|_| size(random)).collect();
            more(random, &mut indices);
            let flat = [&table[..along], &indices, &table[along + 1..]].concat();
            (indices, flat, along)
        }
        1 => {
            let along = random.below(table.len());
            let mut indices = table.clone();
            indices[along] = size(random);
            more(random, &mut indices);
            for (n, (table, size)) in table.iter_mut().zip(&mut indices).enumerate() {
                if n != along {
                    *table = *size + random.below(2);
                }
            }
            (indices.clone(), indices, along)
        }
        _ => {
            let tuple = 1 + random.below(table.len());
            let batch = random.below(table.len() - tuple + 1);
            let mut lead: Vec<usize> = (0..rank(random, 0, 3)).map(|_| size(random)).collect();
            more(random, &mut lead);
            let lead = [&table[..batch], &lead].concat();
            let flat = [&lead, &table[batch + tuple..]].concat();
            ([&lead[..], &[tuple]].concat(), flat, batch)
        }
    };
    if flat.len() > 8 || indices.len() > 8 {
        return None;
    }
    let scatters = matches!(direction, Direction::Scatter);
    let table = random_layout(random, &table, !scatters);
    let (indices, flat) =
        (random_layout(random, &indices, true), random_layout(random, &flat, scatters));
    let plan = match kind {
        0 => axis(direction, &table, &indices, &flat, along),
        1 => elements(direction, &table, &indices, &flat, along),
        _ => nd(direction, &table, &indices, &flat, along),
    };
    (plan.moved_elements() <= 20_000).then_some(plan)
}

/// Whether columns of the table can be copied to tiles.
fn has_tiles(plan: &Plan) -> bool {
    let ([.., along, lane], [axis], []) = (plan.outer(), plan.coordinates(), plan.inner()) else {
        return false;
    };
    (along.table, lane.table, lane.indices) == (0, 1, 1) && axis.table >= lane.size as isize
}

/// Any strides; some are 0 where elements may share places.
fn random_layout(random: &mut Random, sizes: &[usize], shares: bool) -> Layout {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    if random.rarely(4) {
        (0..sizes.len()).for_each(|n| order.swap(n, random.below(sizes.len())));
    }
    let plain = random.rarely(3);
    let (mut strides, mut stride, mut offset) = (vec![0; sizes.len()], 1, 0);
    for n in order.into_iter().rev() {
        if !plain && shares && random.rarely(6) {
            continue;
        }
        if !plain && random.rarely(5) {
            stride += 1 + random.below(3);
        }
        let negative = !plain && random.rarely(5);
        strides[n] = if negative { -(stride as isize) } else { stride as isize };
        offset += if negative { (sizes[n] - 1) * stride } else { 0 };
        stride *= sizes[n];
    }
    Layout::from_parts(sizes, &strides, offset + random.below(3)).unwrap()
}

/// Writes down what it is told to move.
struct Recorder {
    row: usize,
    /// The length of the table.
    table: usize,
    moved: Vec<Pair>,
    /// The first address and the table place of each block, and what is said to come next.
    blocks: Vec<(Vec<u32>, usize, Vec<u32>)>,
    /// The bytes of indices that are prefetched.
    prefetched: usize,
}

impl Recorder {
    fn of(plan: &Plan) -> Recorder {
        let (row, table) = (plan.row(), plan.lengths.table);
        Recorder { row, table, moved: Vec::new(), blocks: Vec::new(), prefetched: 0 }
    }
}

impl Mover for Recorder {
    fn block(&mut self, block: &Block<'_>) {
        assert!(block.table <= self.table && block.addresses.len().is_multiple_of(block.length));
        for (n, address) in block.addresses.iter().enumerate() {
            if *address == NOWHERE {
                continue;
            }
            let (lane, entry) = ((n / block.length) as isize, (n % block.length) as isize);
            let flat = block.flat as isize + lane * block.lane_step + entry * block.entry_step;
            let table = block.table + *address as usize;
            self.moved.extend((0..self.row).map(|n| (table + n, flat as usize + n)));
        }
        self.blocks.push((block.addresses.to_vec(), block.table, block.next.to_vec()));
        self.prefetched += block.indices.len();
    }

    fn listed(&mut self, listed: Listed<'_>) {
        for (table, flat) in listed.places.iter().zip(listed.flats) {
            let (table, flat) = (*table as usize, *flat as usize);
            self.moved.extend((0..self.row).map(|n| (table + n, flat + n)));
        }
    }
}

impl Job for Recorder {
    fn prepare(&mut self, _: Way) {}

    fn session(&mut self, run: &mut dyn FnMut(&mut dyn Mover)) {
        run(self);
    }

    fn tile(&mut self, _: &Tile, _: &mut dyn FnMut(&mut dyn Mover)) {}
}

/// What moves, by the place that is written: the order of places is free, that of one is not.
fn by_written(direction: Direction, moves: &[Pair]) -> Vec<Pair> {
    let mut moves = moves.to_vec();
    moves.sort_by_key(|(table, flat)| match direction {
        Direction::Gather => *flat,
        Direction::Scatter => *table,
    });
    moves
}

fn sorted(moves: &[Pair]) -> Vec<Pair> {
    let mut moves = moves.to_vec();
    moves.sort_unstable();
    moves
}

fn way(distance: usize) -> Way {
    Way { distance, ..Way::of(Path::detect(), 1) }
}

/// The orders that a plan can be walked in.
fn orders(direction: Direction, plan: &Plan) -> Vec<Order> {
    let route = plan.addresses_fit.then(|| Route::of(plan, &route::of(direction), &Machine::ZEN_5));
    let across =
        route.map(|route| route.order).filter(|order| matches!(order, Order::Across { .. }));
    let pieces = plan.pieces().len();
    let first = (1..=pieces).map(|dimensions| Order::Pieces { dimensions });
    let each = (pieces > 0).then_some(Order::EachEntry);
    [Order::Entries].into_iter().chain(first).chain(each).chain(across).collect()
}

/// A route that has nothing but a proof and a split.
fn route(proof: Proof, split: Split) -> Route {
    let mut route = Route::of(&Plan::NOTHING, &route::gather(4), &Machine::PORTABLE);
    (route.proof, route.split, route.order) = (proof, split, Order::Entries);
    route
}
