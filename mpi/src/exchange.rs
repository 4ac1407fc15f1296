//! The collective calls: what MPI is used for.

use bytemuck::Pod;
use mpi::collective::SystemOperation;
use mpi::datatype::{Partition, PartitionMut};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};

use crate::shards::starts;
use crate::spent::Clock;

/// The ranks that share a table.
pub(crate) struct Ranks {
    communicator: SimpleCommunicator,
    pub(crate) clock: Clock,
    /// The number of this one.
    pub(crate) rank: usize,
    /// How many there are.
    pub(crate) count: usize,
}

impl Ranks {
    /// A communicator of its own keeps its messages apart from all others.
    pub(crate) fn new(communicator: &impl Communicator) -> Ranks {
        let communicator = communicator.duplicate();
        let [rank, count] = [communicator.rank(), communicator.size()];
        let [rank, count] = [rank, count].map(|number| usize::try_from(number).unwrap_or(0));
        Ranks { communicator, clock: Clock::default(), rank, count }
    }

    /// The largest of all ranks' values, place by place.
    pub(crate) fn most(&self, values: &[u64]) -> Vec<u64> {
        let mut most = vec![0; values.len()];
        self.timed(|c| c.all_reduce_into(values, &mut most, SystemOperation::max()));
        most
    }

    /// Whether all ranks have the same values.
    pub(crate) fn agree(&self, values: &[u64]) -> bool {
        let both: Vec<_> =
            values.iter().copied().chain(values.iter().map(|value| !value)).collect();
        self.most(&both) == both
    }

    /// The values of all ranks, `length` of each, one after the other. A rank that has fewer sends
    /// zeros.
    pub(crate) fn all<T: Pod>(&self, values: &[T], length: usize) -> Vec<T> {
        let mut own: Vec<T> = bytemuck::zeroed_vec(length);
        own.iter_mut().zip(values).for_each(|(own, value)| *own = *value);
        let mut all: Vec<T> = bytemuck::zeroed_vec(length.saturating_mul(self.count));
        if length == 0 {
            return all;
        }
        let (from, to): (&[u8], &mut [u8]) =
            (bytemuck::cast_slice(&own), bytemuck::cast_slice_mut(&mut all));
        self.timed(|c| c.all_gather_into(from, to));
        all
    }

    /// The sums of the values of the ranks before this one, place by place.
    pub(crate) fn before(&self, values: &[u64]) -> Vec<u64> {
        // MPI leaves it as it is on the first rank.
        let mut sums = vec![0; values.len()];
        self.timed(|c| c.exclusive_scan_into(values, &mut sums, SystemOperation::sum()));
        sums
    }

    /// Sends each rank its part of the values, all of one length. Returns the parts received, in
    /// the order of the ranks.
    pub(crate) fn swap_even(&self, values: &[u64]) -> Vec<u64> {
        let mut received = vec![0; values.len()];
        self.timed(|c| c.all_to_all_into(values, &mut received));
        received
    }

    /// Sends each rank its part of `items`, and puts what comes from each in its part of `to`. The
    /// numbers of items, of `width` values each, are in the order of the ranks. The part of this
    /// rank is not moved.
    pub(crate) fn swap<T: Pod>(
        &self,
        (items, sent): (&[T], &[usize]),
        (to, received): (&mut [T], &[usize]),
        width: usize,
    ) {
        let bytes = width.saturating_mul(size_of::<T>());
        let ((counts, places), (counts_in, places_in)) =
            (self.parts(sent, bytes), self.parts(received, bytes));
        self.clock.sent(counts.iter().fold(0, |sum, count| sum.saturating_add(*count as usize)));
        // The address of an empty slice may be 1, which Open MPI takes for a wish of its own
        // (`MPI_IN_PLACE`). No part reaches into these.
        let (one, mut one_in) = ([0_u8], [0_u8]);
        let from = if items.is_empty() { &one } else { bytemuck::cast_slice(items) };
        let to = match bytemuck::cast_slice_mut(to) {
            [] => &mut one_in,
            to => to,
        };
        let from = Partition::new(from, counts, places);
        let mut to = PartitionMut::new(to, counts_in, places_in);
        self.timed(|c| c.all_to_all_varcount_into(&from, &mut to));
    }

    /// The bytes of each part that is moved, and where it starts. Rounds are so small that MPI can
    /// count them.
    fn parts(&self, items: &[usize], bytes: usize) -> (Vec<i32>, Vec<i32>) {
        let count = |items: &usize| i32::try_from(items.saturating_mul(bytes)).unwrap_or(i32::MAX);
        let mut counts: Vec<_> = items.iter().map(count).collect();
        counts.get_mut(self.rank).into_iter().for_each(|own| *own = 0);
        (counts, starts(items).iter().map(count).collect())
    }

    /// A call of MPI, which takes until the other ranks have made it too.
    fn timed(&self, call: impl FnOnce(&SimpleCommunicator)) {
        self.clock.time(|spent| &mut spent.exchange, || call(&self.communicator));
    }
}
