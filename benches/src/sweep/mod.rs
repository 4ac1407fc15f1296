//! Random workloads that nothing has been tuned to.
//!
//! `draw` chooses operator, shapes, strides, policy and distribution; `indices` makes the indices;
//! `entries` has the calls, for each type of element and of index; `loops` has what a user would
//! write instead; `measure` times both, and `report` prints what is found.

mod draw;
mod entries;
mod indices;
mod loops;
mod measure;
mod report;

use strew_simd::Path;

use crate::chart;
use crate::workloads::Ready;
use draw::{Drawn, draw};
use measure::{Effort, Measured, times};

/// The workloads that are printed, and the factor of those that are measured again.
const WORST: usize = 10;
const AGAIN: usize = 3;

/// What is measured.
#[derive(Default)]
pub struct Options {
    /// Which workloads are drawn.
    pub seed: u64,
    /// How many.
    pub count: usize,
    /// This one alone.
    pub only: Option<usize>,
    /// Those of this kind alone.
    pub kind: Option<String>,
    /// Two threads against one as well.
    pub threads: bool,
    /// Whether each is printed, as it is measured.
    pub list: bool,
    /// Small tensors, few samples.
    pub quick: bool,
}

impl Options {
    fn wants(&self, drawn: &Drawn) -> bool {
        self.only.is_none_or(|number| number == drawn.number)
            && self.kind.as_ref().is_none_or(|kind| kind == drawn.entry.kind)
    }

    fn effort(&self) -> Effort {
        if self.quick { measure::QUICK } else { measure::FULL }
    }
}

/// Measures, and prints. `false`: some outputs are not those of the loop.
pub fn run(options: &Options) -> bool {
    let (machine, today, path) = (chart::machine(), chart::today(), Path::detect().name());
    println!("{machine}, {today}, path {path}, seed {}", options.seed);
    println!("Time of the call by that of the loop: the least of many, in turn. Means: geometric.");
    if options.threads {
        // An error: there is a pool already.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(2).build_global();
    }
    let (mut all, mut wrong) = (Vec::new(), Vec::new());
    for number in 0..options.count {
        let drawn = draw(options.seed, number, options.quick);
        if options.wants(&drawn) {
            match measure(drawn, options) {
                Ok(measured) => all.push(measured),
                Err(name) => wrong.push(name),
            }
        }
    }
    if !options.quick {
        // What looks slow may have had bad luck.
        all.sort_by(|one, other| other.times.ratio().total_cmp(&one.times.ratio()));
        for measured in all.iter_mut().take(AGAIN * WORST) {
            let mut ready = (measured.drawn.entry.make)(&measured.drawn);
            ready.agrees();
            measured.times = measured.times.least(times(ready.as_mut(), options.effort()));
        }
    }
    report::print(&all, WORST);
    for name in &wrong {
        eprintln!("not what the loop computes: {name}");
    }
    wrong.is_empty()
}

/// `Err`: the workload, because its outputs differ.
fn measure(drawn: Drawn, options: &Options) -> Result<Measured, String> {
    let entry = drawn.entry;
    let mut ready = (entry.make)(&drawn);
    if !ready.agrees() {
        return Err(format!("#{}  {drawn}", drawn.number));
    }
    let both = times(ready.as_mut(), options.effort());
    drop(ready);
    let in_f32 = entry.half.map(|make| times(make(&drawn).as_mut(), options.effort()).other);
    let mut threads = None;
    if let Some(make) = entry.threads.filter(|_| options.threads) {
        let mut ready = make(&drawn);
        if !ready.agrees() {
            return Err(format!("#{}  {drawn}", drawn.number));
        }
        threads = Some(times(ready.as_mut(), options.effort()));
    }
    let measured = Measured { drawn, times: both, in_f32, threads };
    if options.list {
        println!("{}", report::describe(&measured));
    }
    Ok(measured)
}

/// The kinds of calls, and how often each is drawn.
pub const KINDS: &[(&str, usize)] = &[
    ("gather", 26),
    ("set", 14),
    ("add", 15),
    ("max", 6),
    ("other reduction", 4),
    ("closure", 3),
    ("half", 5),
    ("without self", 5),
    ("mean", 5),
    ("into", 4),
    ("ndarray gather", 6),
    ("ndarray scatter", 6),
    ("check unique", 3),
];

/// Makes the data.
type Make = fn(&Drawn) -> Box<dyn Ready>;

/// One function for one type of element and of index.
struct Entry {
    /// One of [`KINDS`].
    kind: &'static str,
    name: &'static str,
    /// The type of elements, and the bytes of one.
    element: &'static str,
    bytes: usize,
    /// The type of indices, its least and its largest value.
    index: &'static str,
    range: [i64; 2],
    /// Whether there are loops for each policy, and for three and four coordinates.
    all: bool,
    /// Beside the loop.
    make: Make,
    /// What the call does with this number of threads.
    route: fn(&Drawn, usize) -> String,
    /// With threads, beside one thread.
    threads: Option<Make>,
    /// The same in `f32`, for elements of 16 bits.
    half: Option<Make>,
}

impl Entry {
    /// Whether the table is what is read.
    fn gathers(&self) -> bool {
        matches!(self.kind, "gather" | "ndarray gather")
    }

    fn is_ndarray(&self) -> bool {
        self.kind.starts_with("ndarray")
    }

    /// Whether a place may be hit more than once.
    fn is_reduction(&self) -> bool {
        !self.gathers() && !matches!(self.kind, "set" | "check unique")
    }

    /// Whether the call has scratch for each place.
    fn has_cells(&self) -> bool {
        matches!(self.kind, "mean" | "without self" | "check unique")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_workloads_do_what_their_loops_do() {
        for number in 0..1000 {
            let drawn = draw(1, number, true);
            let mut makes = vec![drawn.entry.make];
            makes.extend(drawn.entry.threads);
            makes.extend(drawn.entry.half);
            for make in makes {
                assert!(make(&drawn).agrees(), "#{number}  {drawn}");
            }
            assert_ne!((drawn.entry.route)(&drawn, 2), "");
        }
    }

    #[test]
    fn a_seed_gives_the_same_workloads_everywhere() {
        let text = |seed, number| draw(seed, number, false).to_string();
        assert_eq!(
            [text(1, 0), text(1, 1), text(2, 0)],
            [
                "set f32 by i32, Axis(2), into [19, 1, 167, 1, 111], indices [4], \
                 of [19, 1, 4, 1, 111], Uniform, 50 % from the end",
                "gather [f32; 3] by i64, Elements(0), from [6, 521060], \
                 indices [2, 521060] by [1, 2], to [2, 521060], Uniform",
                "add f32 by i64, Elements(0), into [6084], indices [545196], of [545196], \
                 Local, Wrap with 10 % outside",
            ]
        );
    }

    #[test]
    fn all_kinds_have_entries_and_are_drawn() {
        let drawn: Vec<_> = (0..1000).map(|number| draw(3, number, true).entry).collect();
        for (kind, _) in KINDS {
            assert!(drawn.iter().any(|entry| entry.kind == *kind), "{kind}");
        }
        for entry in entries::ALL {
            assert!(KINDS.iter().any(|(kind, _)| entry.kind == *kind), "{}", entry.kind);
        }
    }
}
