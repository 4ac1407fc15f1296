//! Copies and changes of elements and rows by address.

use std::ops::Range;

use bytemuck::NoUninit;
use strew_simd::{
    Block, Elements, Listed, Move, NOWHERE, Path, Rows, append, combine, gather_elements,
};

use super::{Check, Choose, FAR, LONGEST, Memory, bytes, one_of, paths, rarely};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    Gather,
    Scatter,
    ScatterListed,
    Combine,
    CombineListed,
}
use Kernel::*;

pub const KERNELS: [Kernel; 5] = [Gather, Scatter, ScatterListed, Combine, CombineListed];

/// These are the bytes of elements. Single elements of the last two sizes have no kernels.
pub const SIZES: [usize; 12] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 5, 20];

/// A call of a kernel.
#[derive(Clone, Debug)]
pub struct Case {
    pub kernel: Kernel,
    /// The bytes of an element.
    element: usize,
    /// The elements of a row; `None`: single elements.
    row: Option<usize>,
    /// The elements of the table and of the flat tensor.
    table: usize,
    flat: usize,
    /// Where the slice that is written starts; see [`Memory::new`].
    pub offset: Option<usize>,
    distance: usize,
    addresses: Vec<u32>,
    /// The places in the flat tensor, for kernels that take a list.
    flats: Vec<u32>,
    next: Vec<u32>,
    segment: (usize, usize),
    length: usize,
    base: usize,
    start: usize,
    lane_step: isize,
    entry_step: isize,
    /// With or without non-temporal stores; `None`: both.
    streams: Option<bool>,
}

impl Case {
    /// Any kernel and size: a few entries, unless one choice in eight is for more.
    #[inline]
    pub fn any(choose: Choose) -> Case {
        let streams = Some(choose(2) == 1);
        Case { streams, ..Case::of_any_size(choose) }
    }

    fn of_any_size(choose: Choose) -> Case {
        let most = if rarely(8, choose) { 280 } else { 20 };
        let kernel = one_of(&KERNELS, choose);
        if choose(2) == 0 && !matches!(kernel, Combine | CombineListed) {
            return Case::with(most, kernel, one_of(&SIZES, choose), None, choose);
        }
        let element = one_of(&SIZES, choose);
        let row = match choose(8) {
            0 if matches!(kernel, Combine) => {
                return Case::with(most, kernel, element, None, choose);
            }
            0..4 => 1 + choose(330) / element,
            4 => 1 + choose(20),
            5 | 6 => one_of(&[64_usize, 128, 192, 256, 320, 512, 1024], choose).div_ceil(element),
            _ => one_of(&[0, 4100 / element, usize::MAX / element, usize::MAX], choose),
        };
        Case::with(most, kernel, element, Some(row), choose)
    }

    pub fn new(kernel: Kernel, element: usize, row: Option<usize>, choose: Choose) -> Case {
        Case::with(280, kernel, element, row, choose)
    }

    /// With at most `most` entries.
    fn with(
        most: usize,
        kernel: Kernel,
        element: usize,
        row: Option<usize>,
        choose: Choose,
    ) -> Case {
        let n = row.unwrap_or(1);
        let longest = LONGEST / element;
        // A row that is longer than all slices is one of few.
        let some = if n < longest { n } else { 1 };

        let places = if most < 70 { 16 } else { 300 };
        let most = (longest / some.max(1)).clamp(2, most);
        let length = match choose(2) {
            0 => one_of(&[1, 2, 16, 17, 40, 64], choose),
            _ => 1 + choose(70),
        };
        let length = length.min(most);
        let count = (length * (1 + choose(4)) - choose(length) * choose(2)).min(most);

        let n_step = some as isize;
        let entry_step = match choose(4) {
            0 | 1 => n_step,
            2 => one_of(&[0, 1, 2, -1, -n_step, n_step + 1, 2 * n_step], choose),
            _ => one_of(&[-1, isize::MIN, isize::MAX, 1 << (isize::BITS - 2)], choose),
        };
        let follow = entry_step.wrapping_mul(length as isize);
        let lane_step = match choose(4) {
            0 | 1 => follow,
            2 => one_of(&[0, 1, n_step, follow.wrapping_neg(), follow.wrapping_add(1)], choose),
            _ => choose(longest) as isize - longest as isize / 2,
        };
        // The flat tensor holds the entries, if they lie near each other, or most of them.
        let offset = |entry: usize| {
            let (lane, entry) = ((entry / length) as isize, (entry % length) as isize);
            lane.wrapping_mul(lane_step).wrapping_add(entry.wrapping_mul(entry_step))
        };
        let near = |offset: &isize| offset.unsigned_abs() < longest;
        let (least, largest) =
            (0..count).map(offset).filter(near).fold((0, 0), |(a, b), o| (a.min(o), b.max(o)));
        let before = one_of(&[0, 0, 1, 5], choose);
        let mut flat = (largest - least) as usize + some + before + choose(3);
        let mut start = least.unsigned_abs() + before;
        if rarely(4, choose) {
            flat = flat.saturating_sub(1 + choose(2 * some + 1));
        }
        flat = flat.min(longest);
        if rarely(16, choose) {
            start = one_of(&FAR, choose).wrapping_add(choose(2));
        }

        // Rows in the table start at `places` elements from its base on.
        let mut base = one_of(&[0, 0, 0, 1, 7, 64], choose);
        let places = one_of(&[places, 1, 2, 16, 70, 0], choose) + choose(some.min(longest / 2) + 1);
        let table = (base + some + places).saturating_sub(1).min(longest);
        let places = (table + 1).saturating_sub(base + n.min(longest));
        if rarely(16, choose) {
            base = one_of(&FAR, choose).wrapping_add(choose(2));
        }
        let outside = {
            let end = places as u32;
            let far = 1 << 31;
            [NOWHERE, end, end + 1, table as u32, far - 1, far, far + end / 2, NOWHERE - 1]
        };
        let (stray, apart) = (choose(4), choose(2) == 1);
        let stray_at = choose(count.max(1));
        let address = |k: usize, choose: Choose| match stray {
            1 if k == stray_at => one_of(&outside, choose),
            2 if rarely(8, choose) => one_of(&outside, choose),
            _ if places == 0 => one_of(&outside, choose),
            _ => {
                let address = choose(places);
                (if apart { address - address % some.max(1) } else { address }) as u32
            }
        };
        // Some lead to runs of one place.
        let (runs, mut last) = (rarely(4, choose), address(0, choose));
        let address = |k: usize| {
            if !runs || rarely(16, choose) {
                last = address(k, choose);
            }
            last
        };
        let addresses: Vec<u32> = (0..count).map(address).collect();
        let is_listed = matches!(kernel, ScatterListed | CombineListed);
        let flats = if is_listed { count + choose(2) } else { 0 };
        let flats = (0..flats).map(|_| choose(flat + 1) as u32).collect();
        let next = (0..one_of(&[0, 3, 40], choose)).map(|_| choose(2 * longest) as u32).collect();
        let offset = match choose(4) {
            0 => Some(0),
            1 => None,
            2 => Some(one_of(&[1, 16, 32, 63, 64 - element], choose)),
            _ => Some(choose(64)),
        };
        let distance = one_of(&[0, 0, 1, 5, 16, 40, 300, usize::MAX], choose);
        let segment = (one_of(&[0, 3, usize::MAX - 5], choose), choose(100));
        Case {
            kernel,
            element,
            row,
            table,
            flat,
            offset,
            distance,
            addresses,
            flats,
            next,
            segment,
            length,
            base,
            start,
            lane_step,
            entry_step,
            streams: None,
        }
    }

    /// The lengths of the slices that are read and written, in bytes.
    pub fn lengths(&self) -> (usize, usize) {
        let (table, flat) = (self.table * self.element, self.flat * self.element);
        if self.kernel == Gather { (table, flat) } else { (flat, table) }
    }

    fn block(&self) -> Block<'_> {
        Block {
            addresses: &self.addresses,
            length: self.length,
            table: self.base,
            flat: self.start,
            lane_step: self.lane_step,
            entry_step: self.entry_step,
            next: &self.next,
            segment: self.segment,
            indices: &[1; 300],
            lane_ahead: 0,
        }
        .with_lanes_ahead(self.distance)
    }

    fn listed(&self) -> Listed<'_> {
        let distance = self.distance;
        Listed { places: &self.addresses, flats: &self.flats, distance }
    }

    /// The contract: the place in the table and in the flat tensor of each entry.
    fn entries(&self) -> Vec<(usize, usize)> {
        let addresses = self.addresses.iter().map(|address| *address as usize);
        if matches!(self.kernel, ScatterListed | CombineListed) {
            return addresses.zip(self.flats.iter().map(|flat| *flat as usize)).collect();
        }
        let entry = |(k, address): (usize, usize)| {
            let lane = (k / self.length).wrapping_mul(self.lane_step as usize);
            let entry = (k % self.length).wrapping_mul(self.entry_step as usize);
            let flat = self.start.wrapping_add(lane).wrapping_add(entry);
            (self.base.saturating_add(address), flat)
        };
        addresses.enumerate().map(entry).collect()
    }

    /// The bytes of the row that starts at an element.
    fn row(&self, at: usize) -> Option<Range<usize>> {
        let start = at.checked_mul(self.element)?;
        let length = self.row.unwrap_or(1).checked_mul(self.element)?;
        Some(start..start.checked_add(length)?)
    }

    /// The contract: what the kernel makes of `to`.
    pub fn expect(&self, from: &[u8], to: &mut [u8]) {
        for (table, flat) in self.entries() {
            let (f, t) = if self.kernel == Gather { (table, flat) } else { (flat, table) };
            let rows = self.row(f).zip(self.row(t));
            let rows = rows.and_then(|(f, t)| from.get(f).zip(to.get_mut(t)));
            match (self.kernel, rows) {
                (_, None) => {}
                (Combine | CombineListed, Some((from, to))) => {
                    to.iter_mut().zip(from).for_each(|(to, from)| *to = in_order(*to, *from));
                }
                (_, Some((from, to))) => to.copy_from_slice(from),
            }
        }
    }

    /// Runs the kernel.
    #[inline]
    pub fn run(&self, path: Path, streams: bool, from: &[u8], to: &mut [u8]) {
        match self.element {
            1 => self.run_as::<1>(path, streams, from, to),
            2 => self.run_as::<2>(path, streams, from, to),
            3 => self.run_as::<3>(path, streams, from, to),
            4 => self.run_as::<4>(path, streams, from, to),
            6 => self.run_as::<6>(path, streams, from, to),
            8 => self.run_as::<8>(path, streams, from, to),
            12 => self.run_as::<12>(path, streams, from, to),
            16 => self.run_as::<16>(path, streams, from, to),
            24 => self.run_as::<24>(path, streams, from, to),
            32 => self.run_as::<32>(path, streams, from, to),
            5 => self.run_as::<5>(path, streams, from, to),
            20 => self.run_as::<20>(path, streams, from, to),
            other => panic!("elements of {other} bytes"),
        }
    }

    fn run_as<const N: usize>(&self, path: Path, streams: bool, from: &[u8], to: &mut [u8])
    where
        [u8; N]: NoUninit,
    {
        let (from, to) = (from.as_chunks::<N>().0, to.as_chunks_mut::<N>().0);
        let combine = |to: [u8; N], from: [u8; N]| {
            let mut sum = to;
            sum.iter_mut().zip(from).for_each(|(to, from)| *to = in_order(*to, from));
            sum
        };
        let change = |to: &mut [[u8; N]], from: &[[u8; N]]| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = combine(*to, *from));
        };
        match (self.kernel, self.row) {
            (Combine, None) => {
                if streams {
                    let holds = |update: &[u8; N]| update.first().is_some_and(|first| *first < 250);
                    let quick = |to, update| {
                        assert!(holds(&update), "{update:?} in {self:?}");
                        combine(to, update)
                    };
                    let quick = (holds, quick);
                    combine::elements_or(to, from, &self.block(), self.distance, quick, combine);
                } else if N == 2 && matches!(self.block().entry_step, 0 | 1) {
                    combine::elements_by(to, from, &self.block(), self.distance, combine);
                } else {
                    let change = combine::by(combine);
                    combine::elements::<_, _, true>(to, from, &self.block(), self.distance, change);
                }
            }
            (Combine, Some(n)) if streams => {
                combine::rows_by::<_, _, 0>(to, from, &self.block(), n, self.distance, change);
            }
            (Combine, Some(n)) => {
                combine::rows(path, to, from, &self.block(), n, self.distance, combine);
            }
            (CombineListed, Some(n)) if streams => {
                combine::listed_by(to, from, self.listed(), n, change);
            }
            (CombineListed, n) => {
                combine::listed(path, to, from, self.listed(), n.unwrap_or(1), combine);
            }
            (_, Some(n)) => self.copy(path, streams, Rows::new(from, to, n)),
            (_, None) => {
                macro_rules! elements {
                    ($($size:literal)*) => {$(
                        if let Some(elements) = Elements::<$size>::new(from, to) {
                            return self.copy(path, streams, elements);
                        }
                    )*};
                }
                elements!(1 2 3 4 6 8 12 16 24 32);
                let (block, distance) = (&self.block(), self.distance);
                match self.kernel {
                    Gather => gather_elements(from, to, block, distance),
                    Scatter => {
                        combine::elements::<_, _, false>(to, from, block, distance, combine::set)
                    }
                    _ => self.copy(path, streams, Rows::new(from, to, 1)),
                }
            }
        }
    }

    fn copy(&self, path: Path, streams: bool, mut copier: impl Move) {
        let (block, listed, distance) = (&self.block(), self.listed(), self.distance);
        match (self.kernel, streams) {
            (Gather, false) => copier.gather(path, block, distance),
            (Gather, true) => copier.streaming(|copier| copier.gather(path, block, distance)),
            (Scatter, false) => copier.scatter(path, block, distance),
            (Scatter, true) => copier.streaming(|copier| copier.scatter(path, block, distance)),
            (_, false) => copier.scatter_listed(path, listed),
            (_, true) => copier.streaming(|copier| copier.scatter_listed(path, listed)),
        }
    }

    /// Plain stores, and non-temporal ones where there are any.
    pub fn stores(&self) -> &'static [bool] {
        match self.streams {
            // Without rows, `true` stands for the quick function.
            _ if self.kernel == Combine && self.row.is_none() => &[false, true],
            _ if matches!(self.kernel, Combine | CombineListed) => &[false],
            None => &[false, true],
            Some(false) => &[false],
            Some(true) => &[true],
        }
    }

    /// [`append`]: all rows, or none.
    #[inline]
    pub fn check_append(&self) -> bool {
        match self.element {
            1 => self.append_as::<1>(),
            2 => self.append_as::<2>(),
            3 => self.append_as::<3>(),
            4 => self.append_as::<4>(),
            8 => self.append_as::<8>(),
            12 => self.append_as::<12>(),
            16 => self.append_as::<16>(),
            _ => true,
        }
    }

    fn append_as<const N: usize>(&self) -> bool
    where
        [u8; N]: NoUninit,
    {
        let from = bytes(self.lengths().0, 0).as_chunks::<N>().0;
        let n = self.row.unwrap_or(1);
        let rows = self.entries().into_iter().enumerate().map(|(k, (table, flat))| {
            let follows = flat == self.start.wrapping_add(k.wrapping_mul(n));
            from.get(table..).and_then(|from| from.get(..n)).filter(|_| follows)
        });
        let rows: Option<Vec<_>> = rows.collect();
        let certain = self.addresses.len() <= self.length && self.entry_step == n as isize;
        let before = [[7; N]; 3];
        let mut did = false;
        for (path, streams) in paths().flat_map(|path| [(path, false), (path, true)]) {
            let mut found = before.to_vec();
            did = append(path, from, &mut found, n, &self.block(), self.distance, streams);
            assert!(did || found == before, "{}: {self:?}", path.name());
            match &rows {
                Some(rows) if did => {
                    let expected = [&before[..]].into_iter().chain(rows.iter().copied());
                    let expected: Vec<_> = expected.flatten().collect();
                    assert!(found.iter().eq(expected), "{}: {self:?}", path.name());
                }
                Some(_) => assert!(!certain, "{}: {self:?}", path.name()),
                // Rows of no elements lie nowhere.
                None => assert!(!did || n == 0, "{}: {self:?}", path.name()),
            }
        }
        did && n > 0
    }

    /// [`Block::is_run`]
    #[inline]
    fn check_is_run(&self) {
        let n = self.row.unwrap_or(1);
        let follows = |(k, (_, flat)): (usize, (usize, usize))| {
            flat == self.start.wrapping_add(k.wrapping_mul(n))
        };
        let all = self.entries().into_iter().enumerate().all(follows);
        let found = self.block().is_run(n);
        assert!(all || !found, "no run: {self:?}");
        let certain = self.addresses.len() <= self.length && self.entry_step == n as isize;
        assert!(found || !certain, "a run: {self:?}");
    }

    /// [`Block::all`]
    #[inline]
    fn check_all(&self) {
        let (flat, holds) = (bytes(self.flat, 2), |byte: &u8| *byte < 250);
        let all = self.entries().iter().all(|(_, flat_at)| flat.get(*flat_at).is_some_and(holds));
        let found = self.block().all(flat, holds);
        assert!(all || !found, "all: {self:?}");
        let seen = self.entry_step == 1 || (self.entry_step == 0 && self.length >= 4);
        assert!(found || !all || !seen, "not all: {self:?}");
    }
}

impl Check for Case {
    #[inline]
    fn check(&self) -> bool {
        let lengths = self.lengths();
        let (from, to) = (bytes(lengths.0, 0), bytes(lengths.1, 1));
        let mut expected = to.to_vec();
        self.expect(from, &mut expected);
        let mut from = Memory::new(from, None);
        // AddressSanitizer does not see non-temporal stores.
        for streams in self.stores() {
            let offset = if *streams { self.offset.or(Some(0)) } else { self.offset };
            let mut found = Memory::new(to, offset);
            for path in paths() {
                found.slice().copy_from_slice(to);
                self.run(path, *streams, from.slice(), found.slice());
                assert!(found.is(&expected), "{}, streaming {streams}: {self:?}", path.name());
            }
        }
        if self.kernel == Gather {
            self.check_append();
        }
        if matches!(self.kernel, Gather | Scatter | Combine) {
            self.check_all();
            self.check_is_run();
        }
        expected != to
    }
}

/// It tells one order of two updates from the other.
fn in_order(current: u8, update: u8) -> u8 {
    current.wrapping_mul(3).wrapping_add(update)
}
