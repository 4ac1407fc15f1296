//! Masks against plain loops over every coordinate.

use strew::mask::{self, Mask};
use strew::{Error, Operand};

use super::case::Tensor;
use super::generate::{Choose, read, written};
use super::oracle::coordinates;
use super::values::{Sample, noise, samples};

/// The bits of bools, and some of what comes after them.
pub fn bits(bools: &[bool]) -> Vec<u8> {
    let byte = |eight: &[bool]| {
        eight.iter().enumerate().fold(0, |byte, (n, bit)| byte | u8::from(*bit) << n)
    };
    bools.chunks(8).map(byte).collect()
}

/// A mask, and the data that it is for.
#[derive(Debug)]
pub struct Case {
    data: Tensor,
    axis: Option<usize>,
    shape: Tensor,
    /// How often values are true, of 100.
    often: u64,
    bits: bool,
    pub seed: u64,
}

pub fn case(choose: Choose) -> Case {
    // Now and then a long last dimension, which goes in words.
    let mut sizes: Vec<usize> = (0..choose(4)).map(|_| choose(5)).collect();
    if choose(2) == 1 {
        sizes.push([64, 63, 65, 200, 1024, 1500][choose(6)]);
    }
    let elements: usize = sizes.iter().product();
    let (axis, shape) = match choose(3) {
        1 if !sizes.is_empty() => {
            let axis = choose(sizes.len());
            (Some(axis), vec![sizes[axis] - choose(sizes[axis] + 1).min(3)])
        }
        2 => (None, vec![elements - choose(elements + 1).min(3)]),
        _ => (None, sizes.clone()),
    };
    let data = if axis.is_some() { read(sizes.clone(), choose) } else { written(sizes, choose) };
    let shape = read(shape, choose);
    let often = [1, 2, 50, 98, 99, 100, 0][choose(7)];
    let (bits, seed) = (choose(2) == 1, choose(1 << 16) as u64);
    Case { data, axis, shape, often, bits, seed }
}

/// All that masks do, on elements of this type.
pub fn check<T: Sample + PartialEq>(case: &Case) {
    let Case { data, axis, shape, often, seed, .. } = case;
    let (axis, often, seed) = (*axis, *often, *seed);
    let flags: Vec<bool> = noise(seed, 1).take(shape.len).map(|n| n % 100 < often).collect();
    let bytes = bits(&flags);
    let (layout, shape_layout) = (data.layout().unwrap(), shape.layout().unwrap());
    let mask = if case.bits {
        Mask::bits(&bytes, &shape_layout)
    } else {
        Mask::bools(&flags, &shape_layout)
    };
    let flag = |c: &[usize]| flags[shape.address(c)];
    let truths = coordinates(&shape.sizes).iter().filter(|c| flag(c)).count();

    // What is chosen, element by element.
    let is_chosen = |(number, c): (usize, &Vec<usize>)| match axis {
        Some(axis) => c[axis] < shape.sizes[0] && flag(&[c[axis]]),
        None if shape.sizes.len() == 1 => number < shape.sizes[0] && flag(&[number]),
        None => flag(c),
    };
    let all = coordinates(&data.sizes);
    let chosen: Vec<usize> = all
        .iter()
        .enumerate()
        .filter(|(number, c)| is_chosen((*number, c)))
        .map(|(_, c)| data.address(c))
        .collect();
    let input = samples::<T>(data.len, seed, 2);
    let context = format!("{case:?}");

    let expected: Vec<T> = chosen.iter().map(|place| input[*place]).collect();
    let before = samples::<T>(expected.len() + 2, seed, 3);
    let mut output = before.clone();
    assert_eq!(mask::compress(mask, &input, &layout, axis, &mut output), Ok(truths), "{context}");
    let same = |found: &[T], expected: &[T]| {
        assert!(
            bytemuck::cast_slice::<T, u8>(found) == bytemuck::cast_slice::<T, u8>(expected),
            "{context}"
        );
    };
    same(&output, &[&expected[..], &before[expected.len()..]].concat());
    if let Some(short) = expected.len().checked_sub(1) {
        let mut output = before.clone();
        let found = mask::compress(mask, &input, &layout, axis, &mut output[..short]);
        let (operand, expected) = (Operand::Output, expected.len());
        assert_eq!(
            found,
            Err(Error::SliceTooShort { operand, expected, found: short }),
            "{context}"
        );
        same(&output, &before);
    }
    nonzero(mask, shape, &flags, truths, &context);

    if axis.is_some() {
        return;
    }
    let values = samples::<T>(truths, seed, 4);
    let mut expanded = input.clone();
    chosen.iter().zip(&values).for_each(|(place, value)| expanded[*place] = *value);
    let mut found = input.clone();
    assert_eq!(mask::expand(mask, &values, &mut found, &layout), Ok(truths), "{context}");
    same(&found, &expanded);
    let mut found = input.clone();
    if let Some(short) = truths.checked_sub(1) {
        let result = mask::expand(mask, &values[..short], &mut found, &layout);
        let (operand, expected) = (Operand::Updates, truths);
        assert_eq!(result, Err(Error::SliceTooShort { operand, expected, found: short }));
        same(&found, &input);
    }
    let value = T::sample(seed);
    let mut filled = input.clone();
    chosen.iter().for_each(|place| filled[*place] = value);
    assert_eq!(mask::fill(mask, value, &mut found, &layout), Ok(truths), "{context}");
    same(&found, &filled);
}

fn nonzero(mask: Mask<'_>, shape: &Tensor, flags: &[bool], truths: usize, context: &str) {
    let expected: Vec<u32> = coordinates(&shape.sizes)
        .into_iter()
        .filter(|c| flags[shape.address(c)])
        .flatten()
        .map(|n| n as u32)
        .collect();
    let mut positions = vec![u32::MAX; expected.len() + 1];
    assert_eq!(mask::nonzero(mask, &mut positions), Ok(truths), "{context}");
    assert_eq!(
        (&positions[..expected.len()], positions[expected.len()]),
        (&expected[..], u32::MAX)
    );
    if let Some(short) = expected.len().checked_sub(1) {
        positions.fill(7);
        let (operand, expected) = (Operand::Output, expected.len());
        let error = Error::SliceTooShort { operand, expected, found: short };
        assert_eq!(mask::nonzero(mask, &mut positions[..short]), Err(error));
        assert!(positions.iter().all(|position| *position == 7));
    }
}
