//! Copies of single elements by address.

use bytemuck::NoUninit;

use crate::block::{Ahead, Block, Listed};
use crate::bytes::{Bytes, STEP, Slot, elements, slots_mut};
use crate::combine;
use crate::fence::Right;
use crate::moves::Move;
use crate::moves::sealed::Kernels;
use crate::path::{Instructions, Op, Path};
use crate::place::{Place, slots};
use crate::portable::by_element;
use crate::stream::{self, Streaming};

/// Copies of elements of `N` bytes from one slice to another of the same type, which is not named.
pub struct Elements<'a, const N: usize> {
    from: &'a [Bytes<N>],
    to: &'a mut [Slot<N>],
}

impl<'a, const N: usize> Elements<'a, N> {
    /// From one slice to the other. `None` if the elements do not have `N` bytes.
    #[inline]
    #[must_use]
    pub fn new<T: NoUninit, P: Place<T>>(
        from: &'a [T],
        to: &'a mut [P],
    ) -> Option<Elements<'a, N>> {
        // SAFETY: this type only leaves copies of elements of `from` there, whole ones.
        let to = unsafe { slots_mut::<T, P, N>(to) }?;
        Some(Elements { from: elements(from)?, to })
    }
}

/// The kernels of each size: functions that are not generic.
macro_rules! sizes {
    ($($size:literal)*) => {$(
        impl Kernels for Elements<'_, $size> {
            fn run_gather(
                &mut self,
                path: Path,
                block: &Block<'_>,
                distance: usize,
                right: Option<Right<'_>>,
            ) {
                let streaming = Streaming::of(path, right);
                let gather = Gather { from: self.from, to: self.to, block, distance, streaming };
                path.of_gathers().dispatch(gather);
            }

            fn run_scatter(
                &mut self,
                _: Path,
                block: &Block<'_>,
                distance: usize,
                _: Option<Right<'_>>,
            ) {
                let from = slots(self.from);
                combine::elements::<_, _, false>(self.to, from, block, distance, combine::set);
            }

            fn run_listed(&mut self, _: Path, listed: Listed<'_>, _: Option<Right<'_>>) {
                combine::elements_listed(self.to, slots(self.from), listed, combine::set);
            }
        }

        impl Move for Elements<'_, $size> {}
    )*};
}
sizes!(1 2 3 4 6 8 12 16 24 32);

struct Gather<'a, const N: usize> {
    from: &'a [Bytes<N>],
    to: &'a mut [Slot<N>],
    block: &'a Block<'a>,
    distance: usize,
    streaming: Option<Streaming<'a>>,
}

impl<const N: usize> Op for Gather<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) {
        let Gather { from, to, block, distance, streaming } = self;
        let Some(from) = from.get(block.table..) else { return };
        let streaming = streaming.filter(|_| instructions.streams_elements(N));
        // Short lanes end before a vector is full.
        let short = block.length < STEP && !block.lanes_follow();
        if short || !block.is_packed(1) {
            return strided(from, to, block);
        }
        let (mut ahead, mut at) = (Ahead::of(block, distance), 0);
        for (flat, addresses) in block.lanes() {
            block.prefetch_lane(to, flat);
            let Some(to) = to.get_mut(flat..flat.wrapping_add(addresses.len())) else {
                // Those that lie inside.
                strided(from, to, &Block { addresses, flat, entry_step: 1, ..*block });
                continue;
            };
            if let Some(streaming) = streaming {
                stream::elements(instructions, streaming, from, addresses, to, (&mut ahead, at));
            } else {
                lane(instructions, from, addresses, to, (&mut ahead, at));
            }
            at += addresses.len();
        }
    }
}

/// `to[n] = table[addresses[n]]`, of the same length.
#[inline(always)]
fn lane<S: Instructions, const N: usize>(
    instructions: S,
    table: &[Bytes<N>],
    addresses: &[u32],
    to: &mut [Slot<N>],
    (ahead, mut at): (&mut Ahead<'_>, usize),
) {
    let ((steps, rest), (to, to_rest)) =
        (addresses.as_chunks::<STEP>(), to.as_chunks_mut::<STEP>());
    for (to, addresses) in to.iter_mut().zip(steps) {
        ahead.prefetch(table, at);
        at += STEP;
        instructions.gather(table, addresses, to);
    }
    by_element(table, rest, to_rest);
}

/// [`Move::gather`] for elements of any size, compiled where it is called. What lies outside its
/// slice is left out.
///
/// Record: on Zen 3, against [`Rows`](crate::Rows) of one element, from L1 and from 2 to 256 MiB:
/// 5 bytes 0.7x to 0.8x, 17 bytes 0.7x to 0.95x, 48 bytes 0.6x to 1.0x, 60 bytes 0.95x to 1.1x.
#[inline(always)]
pub fn gather_elements<T: Copy, P: Place<T>>(
    from: &[T],
    to: &mut [P],
    block: &Block<'_>,
    distance: usize,
) {
    let Some(from) = from.get(block.table..) else { return };
    if !block.is_packed(1) {
        return strided(from, to, block);
    }
    let (mut ahead, mut at) = (Ahead::of(block, distance), 0);
    for (flat, addresses) in block.lanes() {
        block.prefetch_lane(to, flat);
        let Some(mut to) = to.get_mut(flat..flat.wrapping_add(addresses.len())) else {
            strided(from, to, &Block { addresses, flat, ..*block });
            continue;
        };
        for addresses in addresses.chunks(ahead.step()) {
            ahead.prefetch(from, at);
            at += addresses.len();
            let to = to.split_off_mut(..addresses.len()).unwrap_or_default();
            for (address, to) in addresses.iter().zip(to) {
                if let Some(from) = from.get(*address as usize) {
                    *to = P::of(*from);
                }
            }
        }
    }
}

/// Gathers elements that lie a step apart in `to`, short lanes, and lanes of which a part lies
/// outside.
#[inline(never)]
fn strided<T: Copy, P: Place<T>>(table: &[T], to: &mut [P], block: &Block<'_>) {
    for (mut flat, addresses) in block.lanes() {
        block.prefetch_lane(to, flat);
        for address in addresses {
            if let (Some(to), Some(from)) = (to.get_mut(flat), table.get(*address as usize)) {
                *to = P::of(*from);
            }
            flat = flat.wrapping_add_signed(block.entry_step);
        }
    }
}
