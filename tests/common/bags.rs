//! Bags against a naive oracle.

use half::{bf16, f16};
use strew::{
    Add, Average, Bag, Bags, Bounds, Element, Empty, Error, Gather, Index, Layout, Max, Mean, Min,
    Mul, Operand, Pool, Reduction, Scatter, Weighted,
};

use super::case::Tensor;
use super::generate::{self, Choose};

/// A random case.
#[derive(Debug)]
pub struct Case {
    table: Tensor,
    indices: Tensor,
    output: Tensor,
    values: Vec<i64>,
    lengths: Vec<usize>,
    /// The first entry of the first bag.
    first: usize,
    bounds: Bounds,
    padding: usize,
    empty: Empty,
    pub seed: u64,
}

impl Case {
    /// The number of entries of each bag.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }
}

pub fn case(choose: Choose) -> Case {
    const WIDTHS: [usize; 16] = [1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 64, 65, 127, 128, 130, 260];
    let shape: Vec<usize> = match choose(6) {
        0 => vec![],
        5 => vec![2, WIDTHS[choose(10)]],
        _ => vec![WIDTHS[choose(16)]],
    };
    let rows = choose(20);
    // In a third of the cases no bag has several entries.
    let longest = [5, 5, 2][choose(3)];
    let lengths: Vec<usize> = (0..choose(6)).map(|_| [0, 1, 3, 20, 40][choose(longest)]).collect();
    let (first, rest) = ([0, 0, 0, 2][choose(4)], [0, 0, 0, 3][choose(4)]);
    let entries = first + lengths.iter().sum::<usize>() + rest;
    let bounds = [Bounds::Error, Bounds::Clamp, Bounds::Wrap, Bounds::Skip][choose(4)];
    let hostile = choose(8) == 7;
    let table = generate::read([&[rows], &shape[..]].concat(), choose);
    let indices = generate::read(vec![entries], choose);
    let output = generate::written([&[lengths.len()], &shape[..]].concat(), choose);
    let values = (0..indices.len)
        .map(|_| match choose(16) {
            15 if hostile => [i64::MIN, i64::MAX, 100, -100][choose(4)],
            14 if rows > 0 => -1 - choose(rows) as i64,
            _ => choose(rows.max(1)) as i64,
        })
        .collect();
    let (padding, empty) = (choose(40), [Empty::Zero, Empty::Keep][choose(2)]);
    let seed = choose(1 << 16) as u64;
    Case { table, indices, output, values, lengths, first, bounds, padding, empty, seed }
}

fn layout(tensor: &Tensor) -> Layout {
    Layout::from_parts(&tensor.sizes, &tensor.strides, tensor.offset).unwrap()
}

/// The row that each entry leads to, `None` where it is left out, or the first error.
fn rows(case: &Case) -> Result<Vec<Vec<(usize, usize)>>, Error> {
    let size = case.table.sizes[0];
    let mut entry = case.first;
    let mut bags = vec![];
    for length in &case.lengths {
        let mut bag = vec![];
        for _ in 0..*length {
            let value = case.values[case.indices.address(&[entry])];
            let counted = i128::from(value) + if value < 0 { size as i128 } else { 0 };
            let position = match case.bounds {
                _ if (0..size as i128).contains(&counted) => Some(counted as usize),
                // Nothing moves to an output without elements.
                Bounds::Error if case.output.sizes.contains(&0) => None,
                Bounds::Error => {
                    let value = value.into();
                    return Err(Error::IndexOutOfBounds { entry, coordinate: 0, value, size });
                }
                _ if size == 0 => None,
                Bounds::Skip => None,
                Bounds::Clamp => Some(counted.clamp(0, size as i128 - 1) as usize),
                Bounds::Wrap => Some(counted.rem_euclid(size as i128) as usize),
            };
            bag.extend(position.filter(|p| *p != case.padding).map(|p| (entry, p)));
            entry += 1;
        }
        bags.push(bag);
    }
    Ok(bags)
}

/// `reduce` makes an element of those of a bag, with their entries.
fn check_pool<T, U, P: Pool<U> + Copy + Sync>(
    case: &Case,
    pool: P,
    sample: impl Fn(u64) -> T,
    map: impl Fn(T) -> U + Copy + Sync,
    reduce: impl Fn(&[(usize, U)]) -> U,
) where
    T: Element,
    U: Element + bytemuck::Zeroable + Send,
{
    let table: Vec<T> = (0..case.table.len)
        .map(|n| sample((n as u64 + case.seed).wrapping_mul(0x9E37_79B9_7F4A_7C15)))
        .collect();
    let before = vec![U::zeroed(); case.output.len];
    let before: Vec<U> = before.iter().zip(table.iter().cycle()).map(|(_, t)| map(*t)).collect();
    let before =
        if before.len() == case.output.len { before } else { vec![U::zeroed(); case.output.len] };
    let mut expected = before.clone();
    let bags = rows(case);
    if let Ok(bags) = &bags {
        for c in super::oracle::coordinates(&case.output.sizes) {
            let elements: Vec<(usize, U)> = bags[c[0]]
                .iter()
                .map(|(entry, row)| {
                    let place = [&[*row], &c[1..]].concat();
                    (*entry, map(table[case.table.address(&place)]))
                })
                .collect();
            if !elements.is_empty() {
                expected[case.output.address(&c)] = reduce(&elements);
            } else if case.empty == Empty::Zero {
                expected[case.output.address(&c)] = U::zeroed();
            }
        }
    }
    let result = bags.map(|_| ());

    let bag = Bag::new(&layout(&case.table), &layout(&case.indices), &layout(&case.output))
        .unwrap()
        .bounds(case.bounds)
        .padding(case.padding)
        .empty(case.empty);
    let bytes = |values: &[U]| bytemuck::cast_slice::<U, u8>(values).to_vec();
    let compare = |name: &str, found: Result<(), Error>, output: &[U]| {
        assert_eq!(found, result, "{name}\n{case:?}");
        assert!(bytes(output) == bytes(&expected), "{name}\n{case:?}");
    };
    let (mut offsets, mut end) = (vec![case.first as u32], case.first as u32);
    offsets.extend(case.lengths.iter().map(|length| {
        end += *length as u32;
        end
    }));
    let mut output = before.clone();
    let found = bag.run_map(pool, &table, &case.values, Bags::Offsets(&offsets), &mut output, map);
    compare("offsets", found, &output);
    if case.first + case.lengths.iter().sum::<usize>() == case.indices.sizes[0] {
        let starts: Vec<i64> = offsets.iter().map(|offset| i64::from(*offset)).collect();
        let starts = Bags::Starts(&starts[..case.lengths.len()]);
        let mut output = before.clone();
        let found = bag.run_map(pool, &table, &case.values, starts, &mut output, map);
        // Without a bag, all entries are in none.
        compare("starts", found, &output);
    }
    if case.first == 0 {
        let lengths: Vec<u16> = case.lengths.iter().map(|length| *length as u16).collect();
        let mut output = before.clone();
        let found =
            bag.run_map(pool, &table, &case.values, Bags::Lengths(&lengths), &mut output, map);
        compare("lengths", found, &output);
        #[cfg(feature = "rayon")]
        {
            let mut output = before.clone();
            let bags = Bags::Lengths(&lengths);
            let found = bag.par_run_map(pool, &table, &case.values, bags, &mut output, map);
            compare("threads", found, &output);
        }
    }
    if let Ok(checked) = bag.check(&case.values, Bags::Offsets(&offsets)) {
        for _ in 0..2 {
            let mut output = before.clone();
            compare("checked", checked.run_map(pool, &table, &mut output, map), &output);
        }
    }
}

/// In order, from the first one.
fn fold<T: Copy>(reduce: impl Fn(T, T) -> T) -> impl Fn(&[(usize, T)]) -> T {
    move |elements| elements.iter().map(|(_, value)| *value).reduce(&reduce).unwrap()
}

fn float(random: u64) -> f32 {
    ((random >> 40) as f32 - 8_388_608.0) / 1024.0
}

fn half(random: u64) -> f16 {
    f16::from_f32((random >> 52) as f32 / 16.0)
}

fn byte(random: u64) -> u8 {
    (random >> 56) as u8
}

fn weights(case: &Case) -> Vec<f32> {
    (0..case.indices.sizes[0]).map(|n| (n % 7) as f32 - 2.3).collect()
}

/// The number of parts of [`check_part`].
pub const POOLS: u64 = 6;

/// A pool of each width.
#[inline]
pub fn check_part(case: &Case, part: u64) {
    match part {
        0 => check_pool(case, Add, float, |v| v, fold(|a, b| a + b)),
        1 => check_pool(case, Add, byte, |v| v, fold(u8::wrapping_add)),
        2 => check_pool(case, f64::hypot, float, f64::from, fold(f64::hypot)),
        3 => {
            let add = |a: f16, b: f16| f16::from_f32(a.to_f32() + b.to_f32());
            check_pool(case, Add, half, |v| v, fold(add));
        }
        4 => check_pool(
            case,
            Mean,
            |r| byte(r) as i8,
            |v| v,
            |rows| {
                let sum: i64 = rows.iter().map(|(_, v)| i64::from(*v)).sum();
                sum.div_euclid(rows.len() as i64) as i8
            },
        ),
        _ => {
            let weights = weights(case);
            check_pool(
                case,
                Weighted(Mean, &weights),
                |r| [float(r); 2],
                |v| v,
                |rows| {
                    let products = rows.iter().map(|(entry, v)| weights[*entry] * v[0]);
                    [products.reduce(|a, b| a + b).unwrap() / rows.len() as f32; 2]
                },
            );
        }
    }
}

/// All of these pools, and others.
#[inline]
pub fn check(case: &Case) {
    (0..POOLS).for_each(|part| check_part(case, part));
    check_others(case);
}

/// Other pools of these widths. Each would take 15 seconds of a fuzzer's build, and find no more.
#[inline]
fn check_others(case: &Case) {
    check_pool(case, Max, float, |v| v, fold(f32::max));
    check_pool(case, Min, byte, |v| v, fold(u8::min));
    check_pool(case, Add, half, f16::to_f32, fold(|a, b| a + b));
    check_pool(
        case,
        Add,
        |r| [byte(r), byte(!r)],
        |v| v.map(u32::from),
        |rows| [0, 1].map(|n| rows.iter().map(|(_, row)| row[n]).sum()),
    );
    check_pool(case, Mean, float, |v| v, |rows| fold(|a, b| a + b)(rows) / rows.len() as f32);
    check_pool(
        case,
        Mean,
        half,
        |v| v,
        |rows| {
            let sum = rows.iter().map(|(_, v)| v.to_f32()).reduce(|a, b| a + b).unwrap();
            f16::from_f32(sum / rows.len() as f32)
        },
    );
    let weights = weights(case);
    check_pool(
        case,
        Weighted(Add, &weights),
        float,
        |v| v,
        |rows| rows.iter().map(|(entry, v)| weights[*entry] * v).reduce(|a, b| a + b).unwrap(),
    );
}
