//! A mixture of experts: each token goes to the two experts that its router prefers, and gets the
//! sum of their answers, weighted.
//!
//! `cargo run --release --example moe`

#![allow(clippy::indexing_slicing)]

use std::error::Error;

use strew::{Add, Gather, Layout, Scatter};

const TOKENS: usize = 64;
const WIDTH: usize = 32;
const EXPERTS: usize = 8;
const CHOICES: usize = 2;
const ROUTES: usize = TOKENS * CHOICES;

/// That `expert` gets `token`, and what its answer counts.
struct Route {
    expert: u8,
    token: u16,
    weight: f32,
}

fn main() -> Result<(), Box<dyn Error>> {
    let tokens: Vec<f32> = (0..TOKENS * WIDTH).map(|n| (n as f32 * 0.7).sin()).collect();
    // In the order of the experts, so that each works on rows that lie together.
    let mut routes: Vec<Route> = (0..TOKENS as u16).flat_map(route).collect();
    routes.sort_by_key(|route| route.expert);
    let experts: Vec<u8> = routes.iter().map(|route| route.expert).collect();
    let sources: Vec<u16> = routes.iter().map(|route| route.token).collect();

    // The load of each expert: a histogram, whose updates are one 1 with stride 0.
    let ids = Layout::contiguous([ROUTES]);
    let mut loads = [0_usize; EXPERTS];
    Scatter::axis(&Layout::contiguous([EXPERTS]), &ids, &Layout::strided([ROUTES], [0]), 0)?
        .reduce(Add, &mut loads, &experts, &[1])?;

    // Dispatch.
    let (all, routed) = (Layout::contiguous([TOKENS, WIDTH]), Layout::contiguous([ROUTES, WIDTH]));
    let mut rows = vec![0.0; ROUTES * WIDTH];
    Gather::axis(&all, &ids, &routed, 0)?.run(&tokens, &sources, &mut rows)?;

    let mut rest = rows.as_mut_slice();
    for (expert, load) in loads.into_iter().enumerate() {
        let (batch, others) = rest.split_at_mut(load * WIDTH);
        answer(expert, batch);
        rest = others;
        println!("expert {expert}: {load:3} tokens  {}", "#".repeat(load));
    }

    // Combine. A token's answers are added in the order of the experts, always: the sums are the
    // same to the bit in every run.
    for (row, route) in rows.chunks_exact_mut(WIDTH).zip(&routes) {
        row.iter_mut().for_each(|x| *x *= route.weight);
    }
    let mut output = vec![0.0_f32; TOKENS * WIDTH];
    Scatter::axis(&all, &ids, &routed, 0)?.reduce(Add, &mut output, &sources, &rows)?;

    for token in 0..4 {
        let chosen: Vec<String> = routes
            .iter()
            .filter(|r| usize::from(r.token) == token)
            .map(|r| format!("{:.2} of expert {}", r.weight, r.expert))
            .collect();
        println!(
            "token {token} = {}: {:+.3?}..",
            chosen.join(" + "),
            &output[token * WIDTH..][..4]
        );
    }
    Ok(())
}

/// The router: the two best of some scores, weighted by their softmax.
fn route(token: u16) -> [Route; CHOICES] {
    let mut scores: Vec<(u8, f32)> = (0..EXPERTS as u8)
        .map(|e| (e, (f32::from(token) * 1.7 + f32::from(e).powi(2)).sin() * 2.0))
        .collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    let share = 1.0 / (1.0 + (scores[1].1 - scores[0].1).exp());
    [
        Route { expert: scores[0].0, token, weight: share },
        Route { expert: scores[1].0, token, weight: 1.0 - share },
    ]
}

/// An expert multiplies by its number.
fn answer(expert: usize, batch: &mut [f32]) {
    batch.iter_mut().for_each(|x| *x *= expert as f32);
}
