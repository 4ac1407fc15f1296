//! Max-pooling and its gradient: the largest pixel of each square, and where it was.
//!
//! `cargo run --release --example max_pool`

use strew::{Error, Layout, Max, Scatter};

const HEIGHT: usize = 6;
const WIDTH: usize = 10;
/// The sides of a square.
const SIDE: usize = 2;
const CELLS: usize = (HEIGHT / SIDE) * (WIDTH / SIDE);

/// The plan of `pooled[cell of (y, x)] = max(image[y, x])`. Pixels are shown as squares of a row,
/// lines of a square, squares of a line and pixels of a square: all of one square have the same
/// index, by strides of 0, and entries count pixels.
fn pooling() -> Result<Scatter, Error> {
    let squares = [HEIGHT / SIDE, SIDE, WIDTH / SIDE, SIDE];
    let cells = Layout::strided(squares, [(WIDTH / SIDE) as isize, 0, 1, 0]);
    Scatter::axis(&Layout::contiguous([CELLS]), &cells, &Layout::contiguous(squares), 0)
}

fn print(name: &str, values: &[f32], width: usize) {
    println!("{name}");
    for line in values.chunks(width) {
        let line: Vec<String> = line.iter().map(|value| format!("{value:5.1}")).collect();
        println!("  {}", line.join(" "));
    }
}

fn main() -> Result<(), Error> {
    let image: [f32; HEIGHT * WIDTH] = std::array::from_fn(|n| (n * 37 % 61) as f32);
    print("image", &image, WIDTH);

    let cells: [u32; CELLS] = std::array::from_fn(|n| n as u32);
    let (mut pooled, mut winners) = ([f32::NEG_INFINITY; CELLS], [usize::MAX; CELLS]);
    pooling()?.reduce_arg(Max, &mut pooled, &mut winners, &cells, &image)?;
    print("pooled", &pooled, WIDTH / SIDE);

    // Each gradient goes back to the pixel that won, and only there.
    let of_pooled: [f32; CELLS] = std::array::from_fn(|n| n as f32 + 1.0);
    let mut of_image = [0.0; HEIGHT * WIDTH];
    let each = Layout::contiguous([CELLS]);
    let back = Scatter::axis(&Layout::contiguous([HEIGHT * WIDTH]), &each, &each, 0)?;
    back.run(&mut of_image, &winners, &of_pooled)?;
    print("gradient of the image", &of_image, WIDTH);

    // The way there is the same plan, turned round: a gather of the winners.
    let mut again = [0.0; CELLS];
    back.adjoint()?.run(&image, &winners, &mut again)?;
    assert_eq!(again, pooled);
    Ok(())
}
