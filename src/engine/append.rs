//! Append: a gather to the end of a vector, whose memory is not cleared first.

use strew_simd::{Block, Path, append};

use crate::element::Element;
use crate::engine::few::{Few, row};
use crate::engine::movers::{Gathered, Job, Mover, Tile, Way};
use crate::plan::Plan;

/// `output.push(input[table])`, as long as blocks come in the order of the flat tensor. At the
/// first one that does not, what is left of the output becomes any element, and the call goes on by
/// place: so a vector never has more elements than have a value, whatever the plan says.
pub(crate) struct Appended<'a, T> {
    input: &'a [T],
    output: &'a mut Vec<T>,
    start: usize,
    end: usize,
    way: Way,
}

impl<'a, T: Element> Appended<'a, T> {
    /// For an output that has as many places as elements, and room for them.
    pub(crate) fn new(plan: &Plan, input: &'a [T], output: &'a mut Vec<T>) -> Appended<'a, T> {
        // The address of an entry that is left out lies outside.
        let input = input.get(..plan.lengths.table).unwrap_or(input);
        let (start, way) = (output.len(), Way::of(Path::detect(), plan.row()));
        let end = start.saturating_add(plan.lengths.flat);
        Appended { input, output, start, end, way }
    }

    /// Gathers a few entries, of which rows are appended as long as they come next in the flat
    /// tensor.
    pub(crate) fn few(&mut self, few: &Few<'_>, tables: &[u32]) {
        if self.way.n == 1 {
            return few.gather(tables, self.input, self.filled().output);
        }
        few.each(tables, |table, flat| {
            let from = row(self.input, table, self.way.n).unwrap_or_default();
            if flat.wrapping_add(self.start) == self.output.len() {
                return self.output.extend_from_slice(from);
            }
            if let Some(to) = self.filled().output.get_mut(flat..flat.wrapping_add(from.len())) {
                to.copy_from_slice(from);
            }
        });
    }

    /// The gather by place, to an output that is complete.
    pub(crate) fn filled(&mut self) -> Gathered<'_, T, T> {
        let Appended { input, output, start, end, way } = self;
        if let Some(any) = input.first()
            && output.len() < *end
        {
            output.resize(*end, *any);
        }
        let output = output.get_mut(*start..).unwrap_or_default();
        Gathered { input, output, way: *way }
    }
}

impl<T: Element> Mover for Appended<'_, T> {
    fn block(&mut self, block: &Block<'_>) {
        let Appended { input, output, start, way, .. } = self;
        let Way { path, n, distance, streams, .. } = *way;
        let next = block.flat.wrapping_add(*start) == output.len();
        if !(next && append(path, input, output, n, block, distance, streams)) {
            self.filled().block(block);
        }
    }
}

impl<T: Element> Job for Appended<'_, T> {
    fn prepare(&mut self, way: Way) {
        self.way = way;
    }

    fn session(&mut self, run: &mut dyn FnMut(&mut dyn Mover)) {
        run(self);
    }

    /// Tiles come column by column.
    fn tile(&mut self, tile: &Tile, run: &mut dyn FnMut(&mut dyn Mover)) {
        self.filled().tile(tile, run);
    }
}
