//! Prints the paths of this machine, a line each.

use strew_simd::Path;

fn main() {
    for path in Path::available().into_iter().flatten() {
        println!("{}", path.name());
    }
}
