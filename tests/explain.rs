//! What plans say of themselves: loosely, for the text depends on the machine.
#![cfg(feature = "std")]
#![allow(clippy::unwrap_used, missing_docs)]

use strew::{Add, Assign, Bounds, Gather, Layout, Scatter};

fn lookup(places: usize, count: usize) -> Gather {
    let (table, ids) = (Layout::contiguous([places, 64]), Layout::contiguous([count]));
    Gather::axis(&table, &ids, &Layout::contiguous([count, 64]), 0).unwrap()
}

fn bins(bins: usize, count: usize) -> Scatter {
    let (bins, ids) = (Layout::contiguous([bins]), Layout::contiguous([count]));
    Scatter::axis(&bins, &ids, &Layout::strided([count], [0]), 0).unwrap()
}

/// One line, of parts that name what they speak of.
fn assert_one_line(text: &str) {
    assert!(text.starts_with("check: ") && text.contains("; threads: "), "{text}");
    assert!(!text.contains('\n') && !text.ends_with([' ', ';', '.']), "{text}");
}

#[test]
fn gathers_say_how_they_check() {
    let explain = |gather: Gather| gather.explain::<f32, i64>(1).to_string();
    let text = explain(lookup(100_000, 5000));
    assert_one_line(&text);
    assert!(text.starts_with("check: block by block; threads: one; rows"), "{text}");
    let text = explain(lookup(100_000, 5000).bounds(Bounds::Skip));
    assert!(text.starts_with("check: none"), "{text}");
    assert_one_line(&explain(lookup(100_000, 1 << 20)));
}

#[test]
fn scatters_say_how_they_check() {
    let text = bins(1000, 100_000).explain::<u32, i64, Add>(1).to_string();
    assert_one_line(&text);
    assert!(text.starts_with("check: on a copy of the data"), "{text}");
    let order = bins(1000, 100_000).explain::<u32, i64, fn(u32, u32) -> u32>(1).to_string();
    assert!(order.starts_with("check: one pass"), "{order}");
    // Every byte has a place.
    let bytes = bins(256, 100_000).explain::<u32, u8, Assign>(1).to_string();
    assert!(bytes.starts_with("check: none"), "{bytes}");
}

#[test]
fn one_update_of_all_rows_is_a_row() {
    let (data, ids) = (Layout::contiguous([100, 1000]), Layout::contiguous([2000]));
    let updates = Layout::strided([2000, 1000], [0, 0]);
    let scatter = Scatter::axis(&data, &ids, &updates, 0).unwrap();
    let text = scatter.explain::<f32, i64, Add>(1).to_string();
    assert!(text.contains("rows") && !text.contains("elements"), "{text}");
}

#[test]
fn threads_are_named() {
    let explain = |gather: Gather, threads| gather.explain::<f32, i64>(threads).to_string();
    let text = explain(lookup(100_000, 100_000), 4);
    assert!(text.contains("threads: 16 chunks"), "{text}");
    let text = explain(lookup(100, 100), 4);
    assert!(text.contains("threads: one"), "{text}");
    let text = explain(lookup(1000, 2000), 4);
    assert!(text.contains("500.0 KiB moved is below"), "{text}");
    let counts = bins(1000, 4 << 20).explain::<u32, i64, Add>(4).to_string();
    assert!(counts.contains("threads: 4 tables, merged"), "{counts}");
    let explain = |scatter: Scatter| scatter.explain::<f32, i64, Add>(4).to_string();
    let text = explain(bins(1000, 4 << 20));
    assert!(text.contains("threads: one, the table of 3.9 KiB stays in a cache"), "{text}");
    let text = explain(bins(1 << 28, 4 << 20));
    assert!(text.contains("threads: 4 parts by worklist"), "{text}");
}

#[test]
fn what_needs_no_route_says_so() {
    for threads in [1, 8] {
        let few = lookup(100, 3).explain::<f32, i64>(threads).to_string();
        assert_eq!(few, "check: one block; threads: one, few entries");
        let few = bins(100, 3).explain::<f32, i64, Add>(threads).to_string();
        assert_eq!(few, "check: one block; threads: one, few entries");
    }
    let explain = |gather: Gather| gather.explain::<f32, i64>(8).to_string();
    assert_eq!(explain(lookup(100, 30)), "check: one block; threads: one");
    assert_eq!(explain(lookup(100, 0)), "nothing moves");
    let (long, ids) = (Layout::contiguous([1 << 31]), Layout::contiguous([9000]));
    let text = explain(Gather::axis(&long, &ids, &ids, 0).unwrap());
    assert_eq!(text, "check: one by one; threads: one, addresses of 64 bits");
    // Short lanes with gaps between them go as others.
    let ids = Layout::strided([100, 20, 4], [120, 6, 1]);
    let (table, output) = (Layout::contiguous([100, 20, 9]), Layout::contiguous([100, 20, 4]));
    let gather = Gather::elements(&table, &ids, &output, 2).unwrap();
    let explain = |threads| gather.explain::<f32, i64>(threads).to_string();
    assert_eq!(explain(1), "check: block by block; threads: one; elements");
    assert!(explain(2).contains("block by block"), "{}", explain(2));
}

#[test]
fn equal_calls_are_explained_alike() {
    let [one, same, other] =
        [5000, 5000, 50_000].map(|count| lookup(100_000, count).explain::<f32, i64>(1));
    assert!(one == same && one != other);
    assert!(format!("{one:?}").starts_with("Explain"));
}

/// Few entries go one by one, unless threads would share what they move.
#[test]
fn few_entries_of_long_rows_are_for_threads() {
    let (table, ids) = (Layout::contiguous([1000, 65_536]), Layout::contiguous([24]));
    let gather = Gather::axis(&table, &ids, &Layout::contiguous([24, 65_536]), 0).unwrap();
    let explain = |threads| gather.explain::<f32, i64>(threads).to_string();
    assert_eq!(explain(1), "check: one block; threads: one, few entries");
    assert!(explain(8).contains("chunks"), "{}", explain(8));
}
