//! Random calls on 1, 2, 3, 4 and 7 ranks, compared with one process on the concatenated indices.
//!
//! The test starts itself by `mpirun`. Each rank makes the whole of each case from the same random
//! numbers, takes its part, and compares what it gets with what strew makes of the whole.
//! `STREW_MPI_SEEDS` says from how many seeds one rank draws; more ranks draw from fewer.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::process::Command;

use bytemuck::Pod;
use half::f16;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use strew::{
    Add, And, Assign, Bag, Bags, Bounds, Empty, Gather, Index, Layout, Max, Mean, Min, Mul,
    Negative, Operand, Or, Pool, Reduction, Scatter, Sub, Weighted, Xor,
};
use strew_mpi::{Distribution, Error, MAX_AXES, Sharded};

const STARTED: &str = "STREW_MPI_TEST";
const SEEDS: &str = "STREW_MPI_SEEDS";
/// The entries of a rank, at most.
const MANY: usize = 9000;

fn main() {
    if std::env::var_os(STARTED).is_some() {
        // A panic that unwinds ends in `MPI_Finalize`, which waits for the other ranks.
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            print(panic);
            std::process::exit(101);
        }));
        let universe = mpi::initialize().expect("MPI starts once");
        return all_cases(&universe.world());
    }
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    for ranks in ["1", "2", "3", "4", "7"] {
        let itself = std::env::current_exe().expect("a test has a file");
        let mut mpirun = Command::new("mpirun");
        mpirun
            .args(["-n", ranks, "--oversubscribe"])
            .arg(itself)
            .env(STARTED, "1")
            // In containers one is root, and may not read the memory of other processes.
            .envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")])
            .envs([("OMPI_MCA_btl_vader_single_copy_mechanism", "none")])
            // There are more ranks than cores.
            .envs([("OMPI_MCA_mpi_yield_when_idle", "1")]);
        // A rank whose case fails exits with 101. Any other failure is one of MPI: on two busy
        // cores, Open MPI 4.1 has lost a rank while it ended, after all cases. So it starts again.
        let mut status = mpirun.status();
        if status.as_ref().is_ok_and(|status| !status.success() && status.code() != Some(101)) {
            eprintln!("{ranks} ranks ended with {status:?}, and start once more");
            status = mpirun.status();
        }
        match status {
            Ok(status) => assert!(status.success(), "{ranks} ranks: {status}"),
            Err(error) => panic!("mpirun: {error} (on Debian: apt-get install openmpi-bin)"),
        }
    }
}

fn all_cases(world: &SimpleCommunicator) {
    let mut cases = 0;
    let seeds = std::env::var(SEEDS).map_or(60, |seeds| seeds.parse().expect("a number of seeds"));
    // What is slow where there are more ranks than cores is to take turns.
    for seed in 0..seeds / world.size() as u64 {
        let mut random = Random(seed);
        index_types(world, &mut random);
        for element in [integers, bytes, floats, halves, doubles, arrays, pools] {
            element(world, &mut random);
        }
        cases += 17;
    }
    tables_that_differ(world);
    short_slices(world);
    limits(world);
    if world.rank() == 0 {
        println!("{} ranks: {cases} cases on random tables", world.size());
    }
}

// What cases are made of.

struct Random(u64);

impl Random {
    /// A number below `end`, by SplitMix64.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}

trait Value: Pod + Send + Sync {
    fn random(random: &mut Random) -> Self;
}

macro_rules! values {
    ($($value:ty: $make:expr;)*) => {$(
        impl Value for $value {
            fn random(random: &mut Random) -> Self {
                $make(random)
            }
        }
    )*};
}
/// Numbers whose sums depend on the order.
fn float(random: &mut Random) -> f32 {
    (random.below(2001) as f32 - 1000.0) * random.one_of(&[1e-3, 0.1, 1.0, 1e4, 1e-8])
}
values! {
    u32: |random: &mut Random| random.below(1 << 32) as u32;
    i8: |random: &mut Random| random.below(256) as i8;
    f32: float;
    f64: |random: &mut Random| f64::from(float(random)) / 3.0;
    f16: |random: &mut Random| f16::from_f32(float(random));
    [f32; 3]: |random: &mut Random| [float(random), float(random), float(random)];
}

fn values<T: Value>(random: &mut Random, length: usize) -> Vec<T> {
    (0..length).map(|_| T::random(random)).collect()
}

/// An index type that has all the values that it can of those that are wished for.
trait Cut: Index {
    fn nearest(value: i128) -> Self;
}
macro_rules! indices {
    ($($index:ty)*) => {$(
        impl Cut for $index {
            fn nearest(value: i128) -> Self {
                value.clamp(<$index>::MIN as i128, <$index>::MAX as i128) as $index
            }
        }
    )*};
}
indices!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

/// A table, and what each rank brings.
struct Case<T, I> {
    sizes: Vec<usize>,
    axes: usize,
    row: usize,
    distribution: Distribution,
    bounds: Bounds,
    negative: Negative,
    buffer: usize,
    table: Vec<T>,
    /// One for each rank.
    indices: Vec<Vec<I>>,
    updates: Vec<Vec<T>>,
}

impl<T: Value, I: Cut> Case<T, I> {
    fn random(ranks: usize, random: &mut Random) -> Case<T, I> {
        let axes = random.one_of(&[1, 1, 1, 2, 3]);
        let size = random.one_of(&[1, 5, 20, 100]);
        let mut sizes: Vec<_> = (0..axes).map(|_| 1 + random.below(size)).collect();
        // Seldom, there are no rows.
        if random.below(20) == 0 {
            sizes[0] = 0;
        }
        let rows: usize = sizes.iter().product();
        sizes.extend_from_slice(random.one_of(&[&[][..], &[], &[4], &[3, 5], &[1], &[0]]));
        let row = sizes[axes..].iter().product();
        let bounds = random.one_of(&[Bounds::Error, Bounds::Clamp, Bounds::Wrap, Bounds::Skip]);
        let negative = random.one_of(&[Negative::FromEnd, Negative::OutOfBounds]);
        // All lead to few places, or to any.
        let spread = random.one_of(&[1, 3, 1000]);
        let mut indices = Vec::new();
        for _ in 0..ranks {
            // Seldom as many as are sorted by regions of rows.
            let most = if random.below(40) == 0 { MANY } else { 100 };
            let entries = random.one_of(&[0, 1, 10, most]);
            let entries = if rows == 0 && bounds == Bounds::Error { 0 } else { entries };
            let mut list = Vec::new();
            for _ in 0..entries {
                for size in &sizes[..axes] {
                    let place = random.below((*size).min(spread)) as i128;
                    let from_end = negative == Negative::FromEnd && random.below(2) == 0;
                    // Types without values below 0 make 0 of them.
                    let place = if from_end { place - *size as i128 } else { place };
                    let wild = bounds != Bounds::Error && random.below(4) == 0;
                    let far = [-1, *size as i128, -300, 300, i128::MAX, i128::MIN];
                    list.push(I::nearest(if wild { random.one_of(&far) } else { place }));
                }
            }
            indices.push(list);
        }
        let most = indices.iter().map(|list| list.len() / axes).max().unwrap_or(0);
        let bytes = 4 + row * size_of::<T>();
        Case {
            axes,
            row,
            distribution: random.one_of(&[Distribution::Block, Distribution::Cyclic]),
            bounds,
            negative,
            // One round, some, or one for each of few entries.
            buffer: random.one_of(&[
                if most > 10 { bytes * (most / 20).max(30) } else { 1 },
                most * bytes / 3,
                1 << 20,
            ]),
            table: values(random, rows * row),
            updates: indices.iter().map(|list| values(random, list.len() / axes * row)).collect(),
            indices,
            sizes,
        }
    }

    fn rows(&self) -> usize {
        self.sizes[..self.axes].iter().product()
    }

    fn sharded(&self, world: &SimpleCommunicator) -> Sharded {
        Sharded::new(world, &self.sizes, self.axes, self.distribution)
            .unwrap()
            .bounds(self.bounds)
            .negative(self.negative)
            .buffer(self.buffer)
    }

    /// The rows of this rank.
    fn local(&self, sharded: &Sharded, table: &[T]) -> Vec<T> {
        let row = |local| &table[sharded.global_row(local) * self.row..][..self.row];
        (0..sharded.local_rows()).flat_map(row).copied().collect()
    }

    /// Layouts of table, indices and updates in one process: those that `nd` takes.
    fn layouts(&self) -> [Layout; 3] {
        let entries = self.indices.concat().len() / self.axes;
        let table: Vec<_> = self.sizes[..self.axes].iter().copied().chain([self.row]).collect();
        [
            Layout::from_sizes(&table).unwrap(),
            Layout::contiguous([entries, self.axes]),
            Layout::contiguous([entries, self.row]),
        ]
    }

    fn scatter(&self) -> Scatter {
        let [table, indices, updates] = self.layouts();
        let scatter = Scatter::nd(&table, &indices, &updates, 0).unwrap();
        scatter.bounds(self.bounds).negative(self.negative)
    }

    /// The error of one process, for the rank and entry that it is about.
    fn on_rank(&self, error: strew::Error) -> Error {
        let strew::Error::IndexOutOfBounds { mut entry, coordinate, value, size } = error else {
            panic!("{error}")
        };
        let mut rank = 0;
        while entry >= self.indices[rank].len() / self.axes {
            entry -= self.indices[rank].len() / self.axes;
            rank += 1;
        }
        let error = strew::Error::IndexOutOfBounds { entry, coordinate, value, size };
        Error::Rank { rank, error }
    }
}

// What is compared.

fn bits<T: Pod>(values: &[T]) -> &[u8] {
    bytemuck::cast_slice(values)
}

/// A gather on all ranks, then one in one process.
fn gathers<T: Value, I: Cut>(world: &SimpleCommunicator, case: &Case<T, I>) {
    let (rank, sharded) = (world.rank() as usize, case.sharded(world));
    let local = case.local(&sharded, &case.table);
    // What is left out keeps what the output has.
    let mut output: Vec<_> = case.updates[rank].clone();
    sharded.gather(&local, &case.indices[rank], &mut output).unwrap();

    let [table, indices, rows] = case.layouts();
    let gather = Gather::nd(&table, &indices, &rows, 0).unwrap();
    let gather = gather.bounds(case.bounds).negative(case.negative);
    let mut expected = case.updates.concat();
    gather.run(&case.table, &case.indices.concat(), &mut expected).unwrap();
    let before = case.updates[..rank].concat().len();
    assert_eq!(bits(&output), bits(&expected[before..][..output.len()]));
}

/// A scatter on all ranks, then one in one process; with an update for each entry, and with one for
/// all of a rank.
fn reduces<T: Value, I: Cut, R>(world: &SimpleCommunicator, case: &Case<T, I>, reduction: R)
where
    R: Reduction<T> + Copy + Sync,
{
    let (rank, sharded) = (world.rank() as usize, case.sharded(world));
    let mut local = case.local(&sharded, &case.table);
    sharded.reduce(reduction, &mut local, &case.indices[rank], &case.updates[rank]).unwrap();
    let mut table = case.table.clone();
    let all = case.indices.concat();
    case.scatter().reduce(reduction, &mut table, &all, &case.updates.concat()).unwrap();
    assert_eq!(bits(&local), bits(&case.local(&sharded, &table)));

    // Ranks 0 and 1 have the same update.
    let update = |rank: usize| {
        let updates = &case.updates[rank];
        match case.updates[usize::from(rank == 0 && case.updates.len() > 1)].get(..case.row) {
            Some(first) if rank < 2 && updates.len() >= case.row => first.to_vec(),
            _ => updates.get(..case.row).unwrap_or_default().to_vec(),
        }
    };
    sharded.reduce_repeated(reduction, &mut local, &case.indices[rank], &update(rank)).unwrap();
    let each = |rank: usize| update(rank).repeat(case.indices[rank].len() / case.axes);
    let updates: Vec<_> = (0..case.indices.len()).flat_map(each).collect();
    case.scatter().reduce(reduction, &mut table, &all, &updates).unwrap();
    assert_eq!(bits(&local), bits(&case.local(&sharded, &table)));
}

/// One rank or more have indices out of bounds: all get the error of one process.
fn refuses<T: Value, I: Cut>(world: &SimpleCommunicator, case: &mut Case<T, I>, random: &mut Random)
where
    Add: Reduction<T>,
{
    case.bounds = Bounds::Error;
    let mut bad = 0;
    for list in &mut case.indices {
        for _ in 0..random.below(3) {
            if !list.is_empty() {
                let place = random.below(list.len());
                list[place] = I::nearest(random.one_of(&[i128::MAX, i128::MIN]));
                bad += 1;
            }
        }
    }
    let (rank, sharded) = (world.rank() as usize, case.sharded(world));
    let mut table = case.table.clone();
    let updates = &case.updates[rank];
    let expected =
        case.scatter().reduce(Add, &mut table, &case.indices.concat(), &case.updates.concat());
    let before = case.local(&sharded, &case.table);
    let mut local = before.clone();
    let found = sharded.reduce(Add, &mut local, &case.indices[rank], updates);
    let mut output = updates.clone();
    let gathered = sharded.gather(&before, &case.indices[rank], &mut output);
    match expected {
        Ok(()) => {
            // All may be in bounds by chance: values that a small type has cut.
            assert_eq!((found, gathered), (Ok(()), Ok(())), "{bad} bad");
            assert_eq!(bits(&local), bits(&case.local(&sharded, &table)));
        }
        Err(error) => {
            let error = case.on_rank(error);
            assert_eq!((found, gathered), (Err(error), Err(error)));
            assert_eq!(bits(&local), bits(&before));
            assert!(world.size() == 1 || bits(&output) == bits(updates));
        }
    }
}

/// Bags of each rank's entries, as one process reduces them.
fn bags<T: Value, I: Cut, P>(
    world: &SimpleCommunicator,
    case: &Case<T, I>,
    random: &mut Random,
    pool: impl Fn(usize) -> P,
) where
    P: Pool<T> + Copy + Sync,
{
    let rank = world.rank() as usize;
    let padding = random.below(case.rows().max(1));
    let empty = random.one_of(&[Empty::Zero, Empty::Keep]);
    let kind = random.below(3);
    let lists: Vec<_> = case.indices.iter().map(|list| list.len() / case.axes).collect();
    let offsets = lists.iter().map(|entries| {
        let mut offsets: Vec<_> =
            (0..random.below(6) + 1).map(|_| random.below(entries + 1) as u16).collect();
        offsets.sort_unstable();
        offsets
    });
    let offsets = &offsets.collect::<Vec<_>>()[rank];
    let lengths: Vec<_> = offsets.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let bags = [Bags::Offsets(offsets), Bags::Starts(offsets), Bags::Lengths(&lengths)][kind];
    let count = offsets.len() - usize::from(kind != 1);
    let row = case.row;
    let sharded = case.sharded(world).padding(padding).empty(empty);
    let local = case.local(&sharded, &case.table);
    let before: Vec<T> = values(&mut Random(7), count * row);
    let mut output = before.clone();
    let pool = pool(lists[rank]);
    sharded.bag(pool, &local, &case.indices[rank], bags, &mut output).unwrap();

    // With one axis strew itself has it.
    if case.axes == 1 {
        let [table, to] = [case.rows(), count].map(|rows| Layout::contiguous([rows, row]));
        let bag = Bag::new(&table, &Layout::contiguous([lists[rank]]), &to).unwrap();
        let bag = bag.bounds(case.bounds).negative(case.negative).padding(padding).empty(empty);
        let mut expected = before.clone();
        bag.run(pool, &case.table, &case.indices[rank], bags, &mut expected).unwrap();
        assert_eq!(bits(&output), bits(&expected));
    }

    // The last rank's last offset is too large, and so nothing happens anywhere.
    let last = world.size() as usize - 1;
    let wrong = [u16::MAX];
    let odd = if rank == last { Bags::Lengths(&wrong) } else { bags };
    output.clone_from(&before);
    output.resize(output.len().max(row), T::random(random));
    let kept = output.clone();
    let found = sharded.bag(pool, &local, &case.indices[rank], odd, &mut output);
    let value = i128::from(u16::MAX);
    let error =
        strew::Error::OffsetOutOfRange { entry: 0, value, minimum: 0, maximum: lists[last] };
    assert_eq!(found, Err(Error::Rank { rank: last, error }));
    assert_eq!(bits(&output), bits(&kept));
}

/// Each index type.
fn index_types(world: &SimpleCommunicator, random: &mut Random) {
    macro_rules! each {
        ($($index:ty)*) => {$(
            let mut case = Case::<u32, $index>::random(world.size() as usize, random);
            gathers(world, &case);
            reduces(world, &case, Assign);
            reduces(world, &case, Add);
            bags(world, &case, random, |_| Add);
            refuses(world, &mut case, random);
        )*};
    }
    each!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);
}

/// Each reduction.
macro_rules! element {
    ($name:ident, $value:ty: $($reduction:expr),*) => {
        fn $name(world: &SimpleCommunicator, random: &mut Random) {
            let case = Case::<$value, i64>::random(world.size() as usize, random);
            gathers(world, &case);
            $(reduces(world, &case, $reduction);)*
        }
    };
}
fn pools(world: &SimpleCommunicator, random: &mut Random) {
    let case = Case::<f32, i32>::random(world.size() as usize, random);
    bags(world, &case, random, |_| Mean);
    bags(world, &case, random, |_| Max);
    let weights: Vec<f32> = values(random, MANY);
    bags(world, &case, random, |entries| Weighted(Add, &weights[..entries]));
}

element!(integers, u32: Assign, Add, Sub, Mul, Min, Max, And, Or, Xor, u32::rotate_left);
element!(bytes, i8: Add, Sub, Mul, Min, Max);
element!(floats, f32: Assign, Add, Sub, Mul, Min, Max, |a: f32, b: f32| a * 0.5 + b);
element!(halves, f16: Add, Sub, Mul, Min, Max);
element!(doubles, f64: Assign, Add, Mul);
element!(arrays, [f32; 3]: Assign, Add);

fn tables_that_differ(world: &SimpleCommunicator) {
    let odd = usize::from(world.rank() == 1);
    let differs = (world.size() > 1).then_some(Error::Differs);
    let table = |sizes: &[usize], axes| {
        Sharded::new(world, sizes, axes, Distribution::Block).map(|_| ()).err()
    };
    assert_eq!(table(&[10 + odd, 3], 1), differs);
    assert_eq!(table(&[10, 3 + odd], 1), differs);
    assert_eq!(table(&[10, 3], 1 + 2 * odd), differs);
    let refused = |found, expected| Some(Error::AxesOutOfRange { expected, found });
    assert_eq!(table(&[10], 0), refused(0, 1));
    assert_eq!(table(&[1; 9], 8), refused(8, MAX_AXES));
    assert_eq!(
        table(&[usize::MAX, 2], 1),
        Some(Error::ShardTooLarge {
            expected: u32::MAX as usize,
            found: usize::MAX.div_ceil(world.size() as usize),
        })
    );
    assert_eq!(table(&[usize::MAX, 2], 2), Some(Error::SizesOverflow));
}

/// The last rank's slices are too short.
fn short_slices(world: &SimpleCommunicator) {
    let last = world.size() as usize - 1;
    let missing = usize::from(world.rank() as usize == last);
    let table = Sharded::new(world, &[7, 3, 2], 2, Distribution::Cyclic).unwrap();
    let mut local = vec![0_u16; table.local_len()];
    let indices = [0_u8, 0, 6, 2];
    let mut rows = [0_u16; 4];
    let short = |operand, expected| {
        let found = expected - 1;
        let error = strew::Error::SliceTooShort { operand, expected, found };
        Err(Error::Rank { rank: last, error })
    };
    let owned = 21_usize.saturating_sub(last).div_ceil(last + 1) * 2;
    let some = table.local_len() - missing;
    assert_eq!(table.gather(&local[..some], &indices, &mut rows), short(Operand::Input, owned));
    let found = table.gather(&local, &indices, &mut rows[missing..]);
    assert_eq!(found, short(Operand::Output, 4));
    let found = table.gather(&local, &indices[missing..], &mut rows);
    assert_eq!(found, short(Operand::Indices, 4));
    let found = table.reduce(Add, &mut local[..some], &indices, &rows);
    assert_eq!(found, short(Operand::Data, owned));
    let found = table.reduce(Add, &mut local, &indices, &rows[missing..]);
    assert_eq!(found, short(Operand::Updates, 4));
    let found = table.reduce_repeated(Add, &mut local, &indices, &rows[..2 - missing]);
    assert_eq!(found, short(Operand::Updates, 2));
    // Of a scatter, indices out of bounds come first.
    let found = table.scatter(&mut local, &[7_u8, 0, 0, 0], &rows[missing..]);
    let error = strew::Error::IndexOutOfBounds { entry: 0, coordinate: 0, value: 7, size: 7 };
    assert_eq!(found, Err(Error::Rank { rank: 0, error }));
    assert_eq!(local, vec![0; table.local_len()]);
}

/// What MPI cannot count is refused on all ranks, before it is looked at.
fn limits(world: &SimpleCommunicator) {
    let ranks = world.size() as usize;
    if ranks == 1 {
        return;
    }
    let [row, most] = [1 << 31, i32::MAX as usize / ranks];
    let long = Sharded::rows(world, &[0, row], Distribution::Block).unwrap();
    let refused = Err(Error::RowTooLarge { expected: most, found: row });
    assert_eq!(long.gather::<u8, u8>(&[], &[], &mut []), refused);
    assert_eq!(long.scatter::<u8, u8>(&mut [], &[], &[]), refused);

    let count = 1_usize << 32;
    let table = Sharded::rows(world, &[1], Distribution::Block).unwrap();
    let mut local = vec![5_u8; table.local_len()];
    // Zeros that nobody looks at take no memory.
    let indices = vec![0_u8; if world.rank() == 1 { count } else { 3 }];
    let refused = Err(Error::TooManyEntries { expected: count - 1, found: count });
    assert_eq!(table.reduce_repeated(Add, &mut local, &indices, &[1]), refused);
    assert_eq!(local, vec![5; table.local_len()]);
}
