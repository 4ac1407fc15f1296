//! Columns of a table that are split from each other.

use strew_simd::Columns;

use super::{Check, Choose, one_of, rarely};

/// Columns, and where they are cut.
#[derive(Debug)]
pub struct Split {
    table: usize,
    rows: usize,
    pitch: usize,
    width: usize,
    cuts: Vec<usize>,
}

impl Split {
    pub fn new(choose: Choose) -> Split {
        let any = |most: usize, choose: Choose| match choose(16) {
            15 => one_of(&[usize::MAX, usize::MAX / 2 + 1], choose),
            _ => choose(most),
        };
        let (rows, pitch) = (any(9, choose).saturating_add(1), any(40, choose));
        let width = if rarely(8, choose) { any(50, choose) } else { choose(pitch.min(60) + 1) };
        let end = (rows - 1).wrapping_mul(pitch).wrapping_add(width);
        let length = if rarely(8, choose) { end.wrapping_sub(1) } else { end };
        let table = length.min(500) + choose(3);
        let rows = if rarely(16, choose) { 0 } else { rows };
        let cuts = (0..choose(4)).map(|_| any(30, choose)).collect();
        Split { table, rows, pitch, width, cuts }
    }
}

impl Check for Split {
    #[inline]
    fn check(&self) -> bool {
        let Split { table, rows, pitch, width, ref cuts } = *self;
        let last = rows.checked_sub(1);
        let end = last.and_then(|last| last.checked_mul(pitch)?.checked_add(width));
        let fits = width <= pitch && end.is_some_and(|end| end <= table);
        let mut found: Box<[u32]> = (0..table as u32).collect();
        let mut expected = found.clone();
        let columns = Columns::new(&mut found, rows, pitch, width);
        assert_eq!(columns.is_some(), fits, "{self:?}");
        let Some(mut rest) = columns else { return false };
        // Pieces live at the same time; each with its first column, and its width.
        let (mut pieces, mut start) = (vec![], 0);
        for cut in cuts {
            let (piece, others) = rest.split_at(*cut);
            let width = (*cut).min(width - start);
            pieces.push((piece, start, width));
            (rest, start) = (others, start + width);
        }
        pieces.push((rest, start, width - start));
        // Rows of no elements can be any number.
        for row in (0..rows.min(10)).chain([rows, usize::MAX]) {
            for (number, (piece, start, width)) in pieces.iter_mut().enumerate() {
                let place = row.wrapping_mul(pitch).wrapping_add(*start);
                let there = if row < rows { &mut expected[place..][..*width] } else { &mut [] };
                let value = 1_000_000 + number as u32;
                assert_eq!(piece.row(row), there, "row {row}, piece {number}: {self:?}");
                piece.row(row).fill(value);
                there.fill(value);
            }
        }
        assert_eq!(found, expected, "{self:?}");
        rows > 0 && width > 0
    }
}
