//! Cases as DirectML describes them: aligned to the right, nothing empty, no stride below 0. And
//! descriptions of which nothing need be true.

use std::fmt;

use half::f16;
use strew::Error;
use strew::dml::{
    CompiledGather, CompiledScatter, DataType, GatherElementsOperatorDesc, GatherNd1OperatorDesc,
    GatherOperatorDesc, ScatterNdOperatorDesc, ScatterOperatorDesc, Settings, TensorData,
    TensorDataMut, TensorDesc,
};

use super::case::{self, Case, IndexType};
use super::check::Written;
use super::generate::{self, Choose, Direction, KINDS};
use super::oracle::{self, each};
use super::path;
use super::values::{Nan, Sample, samples};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Gather,
    GatherElements,
    GatherNd1,
    Scatter,
    ScatterNd,
}

#[derive(Clone, PartialEq, Eq)]
pub struct Tensor {
    pub sizes: Vec<u32>,
    pub strides: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    pub operator: Operator,
    /// Input, indices, output or updates, and a scatter's output.
    pub tensors: [Tensor; 4],
    /// Axis and number of index dimensions; or the dimension counts of input and indices, and that
    /// of batches.
    pub parameters: [u32; 3],
    /// What the same operator is without DirectML. Its indices are the data.
    pub case: Case,
}

enum Compiled {
    Gather(Box<CompiledGather>),
    Scatter(Box<CompiledScatter>),
}

/// A case, and what DirectML would call it. `None`: DirectML has no such operator.
pub fn description(choose: Choose) -> Option<Description> {
    let direction = [Direction::Gather, Direction::Scatter][choose(2)];
    let kind = KINDS[choose(3)];
    let elements = [24, 300][choose(4) / 3];
    let mut case = generate::case_within(elements, direction, kind, choose);
    case.negative = strew::Negative::FromEnd;
    let (old, values) = (case.indices.clone(), case.values);
    [&mut case.table, &mut case.indices, &mut case.flat].into_iter().for_each(upwards);
    case.index = [IndexType::U32, IndexType::I32, IndexType::U64, IndexType::I64][choose(4)];
    case.values = vec![case.index.max(); case.indices.len];
    let (least, most) = (case.index.min(), case.index.max());
    each(&old.sizes, |c| {
        case.values[case.indices.address(c)] = values[old.address(c)].clamp(least, most);
    });

    let ranks = [&case.table, &case.indices, &case.flat].map(|tensor| tensor.sizes.len());
    let least = ranks.into_iter().max().unwrap_or(0).max(1);
    let rank = least + choose(9 - least);
    let before_table = rank - ranks[0];
    let (operator, parameters) = match (case.operator, direction) {
        (case::Operator::Axis(axis), Direction::Gather) => {
            (Operator::Gather, [axis + before_table, ranks[1], 0])
        }
        (case::Operator::Axis(_), Direction::Scatter) => return None,
        (case::Operator::Elements(axis), Direction::Gather) => {
            (Operator::GatherElements, [axis + before_table, 0, 0])
        }
        (case::Operator::Elements(axis), Direction::Scatter) => {
            (Operator::Scatter, [axis + before_table, 0, 0])
        }
        (case::Operator::Nd(batch_dims), Direction::Gather) => {
            (Operator::GatherNd1, [ranks[0], ranks[1], batch_dims])
        }
        (case::Operator::Nd(0), Direction::Scatter) => {
            (Operator::ScatterNd, [ranks[0], ranks[1], 0])
        }
        (case::Operator::Nd(_), Direction::Scatter) => return None,
        (case::Operator::Axes { .. } | case::Operator::Sequence { .. }, _) => return None,
    };
    let mut aligned = |tensor: &case::Tensor| {
        let ones = rank - tensor.sizes.len();
        let sizes = [vec![1; ones], tensor.sizes.clone()].concat();
        let strides = (0..ones)
            .map(|_| choose(1 << 16))
            .chain(tensor.strides.iter().map(|stride| stride.unsigned_abs()));
        Tensor {
            sizes: sizes.into_iter().map(|size| size as u32).collect(),
            strides: strides.map(|stride| stride as u32).collect(),
        }
    };
    let [table, indices, flat] = [&case.table, &case.indices, &case.flat].map(&mut aligned);
    // A scatter's input: as the output lies, or one element for all.
    let input = Tensor {
        strides: table
            .strides
            .iter()
            .map(|stride| stride * u32::from((case.seed / 4).is_multiple_of(2)))
            .collect(),
        ..table.clone()
    };
    let input = if direction == Direction::Scatter { input } else { table.clone() };
    let parameters = parameters.map(|parameter| parameter as u32);
    Some(Description { operator, tensors: [input, indices, flat, table], parameters, case })
}

/// The same sizes from the start of a slice that is no longer than it must be, with no stride
/// below 0.
fn upwards(tensor: &mut case::Tensor) {
    for (stride, size) in tensor.strides.iter_mut().zip(&tensor.sizes) {
        // What a single element never takes may be anything.
        *stride = if *size > 1 { stride.wrapping_abs() } else { *stride & 0xFFFF };
    }
    tensor.offset = 0;
    let mut len = 0;
    each(&tensor.sizes, |c| len = len.max(tensor.address(c) + 1));
    tensor.len = len;
}

/// One to three numbers of a description replaced.
pub fn hostile_description(choose: Choose) -> Option<Description> {
    let changes = 1 + choose(3);
    let parts: Vec<[usize; 4]> =
        (0..changes).map(|_| [choose(5), choose(4), choose(9), choose(12)]).collect();
    let mut description = description(choose)?;
    for [tensor, part, dim, value] in parts {
        let value =
            [0, 1, 2, 3, 8, 9, 300, 1 << 16, i32::MAX as u32, 1 << 31, u32::MAX - 1, u32::MAX]
                [value];
        let Some(tensor) = description.tensors.get_mut(tensor) else {
            description.parameters[part % 3] = value;
            continue;
        };
        let dim = dim % (tensor.sizes.len() + 1);
        match part {
            0 => tensor.sizes.insert(dim, value),
            1 => tensor.strides.insert(dim.min(tensor.strides.len()), value),
            2 => tensor.sizes.get_mut(dim).into_iter().for_each(|size| *size = value),
            _ => tensor.strides.get_mut(dim).into_iter().for_each(|stride| *stride = value),
        }
    }
    Some(description)
}

impl Description {
    fn compile(&self, data: DataType) -> Result<Compiled, Error> {
        let index = match self.case.index {
            IndexType::U32 => DataType::Uint32,
            IndexType::I32 => DataType::Int32,
            IndexType::U64 => DataType::Uint64,
            _ => DataType::Int64,
        };
        let tensor = |position: usize, data_type| {
            let Tensor { sizes, strides } = &self.tensors[position];
            TensorDesc::strided(data_type, sizes, strides)
        };
        let [input_tensor, indices_tensor, flat, output_tensor] =
            [tensor(0, data), tensor(1, index), tensor(2, data), tensor(3, data)];
        let settings = Settings { bounds: self.case.bounds, ..Settings::default() };
        let [first, second, third] = self.parameters;
        match self.operator {
            Operator::Gather => GatherOperatorDesc {
                input_tensor,
                indices_tensor,
                output_tensor: flat,
                axis: first,
                index_dimensions: second,
            }
            .compile(&settings)
            .map(|gather| Compiled::Gather(Box::new(gather))),
            Operator::GatherElements => GatherElementsOperatorDesc {
                input_tensor,
                indices_tensor,
                output_tensor: flat,
                axis: first,
            }
            .compile(&settings)
            .map(|gather| Compiled::Gather(Box::new(gather))),
            Operator::GatherNd1 => GatherNd1OperatorDesc {
                input_tensor,
                indices_tensor,
                output_tensor: flat,
                input_dimension_count: first,
                indices_dimension_count: second,
                batch_dimension_count: third,
            }
            .compile(&settings)
            .map(|gather| Compiled::Gather(Box::new(gather))),
            Operator::Scatter => ScatterOperatorDesc {
                input_tensor,
                indices_tensor,
                updates_tensor: flat,
                output_tensor,
                axis: first,
            }
            .compile(&settings)
            .map(|scatter| Compiled::Scatter(Box::new(scatter))),
            Operator::ScatterNd => ScatterNdOperatorDesc {
                input_tensor,
                indices_tensor,
                updates_tensor: flat,
                output_tensor,
                input_dimension_count: first,
                indices_dimension_count: second,
            }
            .compile(&settings)
            .map(|scatter| Compiled::Scatter(Box::new(scatter))),
        }
    }

    /// Runs on slices; a gather's output and a scatter's updates are `flat`.
    fn execute<T>(
        &self,
        compiled: &Compiled,
        input: &[T],
        values: &[i128],
        flat: &mut [T],
        output: &mut [T],
    ) -> Result<(), Error>
    where
        for<'a> TensorData<'a>: From<&'a [T]>,
        for<'a> TensorDataMut<'a>: From<&'a mut [T]>,
    {
        macro_rules! with {
            ($index:ident) => {{
                let indices: Vec<$index> = values
                    .iter()
                    .map(|value| $index::try_from(*value).expect("the value fits its type"))
                    .collect();
                match compiled {
                    Compiled::Gather(gather) => gather.execute(input, &indices[..], flat),
                    Compiled::Scatter(scatter) => {
                        scatter.execute(input, &indices[..], &*flat, output)
                    }
                }
            }};
        }
        match self.case.index {
            IndexType::U32 => with!(u32),
            IndexType::I32 => with!(i32),
            IndexType::U64 => with!(u64),
            _ => with!(i64),
        }
    }
}

/// What is described compiles, unless something is empty, and does what the oracle does.
#[inline]
pub fn check_description(description: &Description) {
    match description.case.seed % 4 {
        0 => check_of::<u8>(description),
        1 => check_of::<f16>(description),
        2 => check_of::<f32>(description),
        _ => check_of::<i64>(description),
    }
}

fn check_of<T: Sample>(description: &Description)
where
    for<'a> TensorData<'a>: From<&'a [T]>,
    for<'a> TensorDataMut<'a>: From<&'a mut [T]>,
{
    let case = &description.case;
    let compiled = description.compile(TensorData::from(&[] as &[T]).data_type());
    if [&case.table, &case.indices, &case.flat].iter().any(|tensor| tensor.sizes.contains(&0)) {
        assert!(matches!(compiled, Err(Error::ZeroSize { .. })), "{description:?}");
        return;
    }
    let compiled = compiled.unwrap_or_else(|error| panic!("{error}\n{description:?}"));
    let moves = oracle::moves(case);
    let result = oracle::first_out_of_bounds(&moves);
    let [input, before] = [0, 2].map(|stream| samples::<T>(case.table.len, case.seed, stream));
    let mut flat = samples::<T>(case.flat.len, case.seed, 1);
    let (mut expected_flat, mut expected_output) = (flat.clone(), before.clone());
    let gathers = matches!(compiled, Compiled::Gather(_));
    if gathers {
        oracle::gather(&moves, &input, &mut expected_flat);
    } else if result.is_ok() {
        let repeated = description.tensors[0].strides.iter().all(|stride| *stride == 0);
        each(&case.table.sizes, |c| {
            let address = case.table.address(c);
            expected_output[address] = input[if repeated { 0 } else { address }];
        });
        oracle::scatter(&moves, &mut expected_output, &flat, true, |_, update| update);
    }
    let written = if gathers { &flat } else { &before }.clone();
    let mut elements = Written::new(case, written.len(), Nan::Exact);
    path::each(|_| {
        // What comes before a bad index may have been gathered or not.
        let expected = if gathers { &expected_flat } else { &expected_output };
        let or = if gathers && result.is_err() { &written } else { expected };
        elements.call("execute", result, [&written, expected, or], |written| {
            let (flat, output) =
                if gathers { (written, &mut [][..]) } else { (&mut flat[..], written) };
            description.execute(&compiled, &input, &case.values, flat, output)
        });
    });
}

/// `compile` never panics. What compiles all the same runs on slices of the lengths that the
/// descriptors say, and on no shorter ones.
#[inline]
pub fn check_hostile_description(description: &Description) {
    const LONGEST: usize = 1 << 12;
    let Ok(compiled) = description.compile(DataType::Uint8) else { return };
    let extents = description.tensors.each_ref().map(|tensor| {
        TensorDesc::strided(DataType::Uint8, &tensor.sizes, &tensor.strides).extent()
    });
    let run = |lengths: [usize; 4]| {
        let values: Vec<i128> = description
            .case
            .values
            .iter()
            .copied()
            .chain(std::iter::repeat(0))
            .take(lengths[1])
            .collect();
        description.execute(
            &compiled,
            &vec![0_u8; lengths[0]],
            &values,
            &mut vec![1; lengths[2]],
            &mut vec![2; lengths[3]],
        )
    };
    let operands = if matches!(compiled, Compiled::Gather(_)) { 3 } else { 4 };
    // A gather has no fourth tensor.
    let lengths: Vec<usize> = extents
        .into_iter()
        .take(operands)
        .map(|extent| extent.expect("what compiles has lengths"))
        .collect();
    let lengths = [lengths[0], lengths[1], lengths[2], lengths.get(3).copied().unwrap_or(0)];
    // Broadcast tensors may take long.
    let products = description.tensors.each_ref().map(|tensor| {
        tensor.sizes.iter().fold(1_usize, |all, size| all.saturating_mul(*size as usize))
    });
    if lengths.iter().chain(&products).any(|length| *length > LONGEST) {
        assert!(
            matches!(run([0; 4]), Err(Error::SliceTooShort { found: 0, .. })),
            "{description:?}"
        );
        return;
    }
    let result = run(lengths);
    assert!(
        matches!(result, Ok(()) | Err(Error::IndexOutOfBounds { .. })),
        "{result:?}\n{description:?}"
    );
    for operand in 0..operands {
        let mut short = lengths;
        short[operand] -= 1;
        let found = run(short);
        // A scatter looks at the indices before the other slices.
        assert!(
            matches!(found, Err(Error::SliceTooShort { .. }))
                || (found.is_err() && found == result),
            "{operand}: {description:?}"
        );
    }
}

/// For literals.
pub fn tensor(sizes: &[u32], strides: &[u32]) -> Tensor {
    Tensor { sizes: sizes.to_vec(), strides: strides.to_vec() }
}

impl fmt::Debug for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operator::Gather => "dml::Operator::Gather",
            Operator::GatherElements => "dml::Operator::GatherElements",
            Operator::GatherNd1 => "dml::Operator::GatherNd1",
            Operator::Scatter => "dml::Operator::Scatter",
            Operator::ScatterNd => "dml::Operator::ScatterNd",
        })
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tensor { sizes, strides } = self;
        write!(f, "dml::tensor(&{sizes:?}, &{strides:?})")
    }
}
