//! Chooses the addresses of a lane that lead into one part of a table.

use crate::bytes::STEP;
use crate::path::{Instructions, Op, Path};
use crate::portable::Choice;

/// Writes the addresses that lie in a part, and the flat place of each, to the start of two slices,
/// in order, and says how many there are; [`NOWHERE`](crate::NOWHERE) lies in none. What follows
/// them means nothing.
///
/// Both slices need a step of 16 elements more than there are addresses, else the last addresses
/// are left out. What is chosen is not branched on: that would be hard to predict.
pub fn choose(
    path: Path,
    choice: Choice,
    addresses: &[u32],
    places: &mut [u32],
    flats: &mut [u32],
) -> usize {
    struct Run<'a>(Choice, &'a [u32], &'a mut [u32], &'a mut [u32]);
    impl Op for Run<'_> {
        type Output = usize;
        #[inline(always)]
        fn run<S: Instructions>(self, instructions: S) -> usize {
            let Run(mut choice, addresses, places, flats) = self;
            let (steps, rest) = addresses.as_chunks::<STEP>();
            let mut count = 0;
            let mut last = [crate::NOWHERE; STEP];
            last.iter_mut().zip(rest).for_each(|(to, address)| *to = *address);
            for addresses in steps.iter().chain((!rest.is_empty()).then_some(&last)) {
                let places = places.get_mut(count..).and_then(|places| places.first_chunk_mut());
                let flats = flats.get_mut(count..).and_then(|flats| flats.first_chunk_mut());
                let (Some(places), Some(flats)) = (places, flats) else { break };
                count += instructions.choose(choice, addresses, places, flats);
                choice.flat = choice.flat.wrapping_add(choice.step.wrapping_mul(STEP as u32));
            }
            count
        }
    }
    path.dispatch(Run(choice, addresses, places, flats))
}
