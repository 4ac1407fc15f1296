//! Checks the library on the machine that it runs on, and logs what was checked and how its types
//! print.
#![no_std]
#![no_main]

mod directml;
mod errors;
mod formats;
mod indices;
mod onnx;
mod operators;
mod policies;
mod reductions;

#[firmware::entry]
fn main() -> ! {
    operators::check();
    indices::check();
    policies::check();
    reductions::check();
    directml::check();
    onnx::check();
    errors::check();
    formats::check();
    defmt::info!("all checks passed");
    firmware::exit(0)
}

/// Runs the block with a constant plan, which is folded into it, then with one in flash and with
/// one that is made at run time.
macro_rules! plans {
    (
        $operator:ident::$kind:ident($table:expr, $indices:expr, $flat:expr, $last:expr),
        |$plan:ident| $check:block
    ) => {{
        use core::hint::black_box;
        const CONSTANT: $operator =
            strew::plan!($operator::$kind(&$table, &$indices, &$flat, $last));
        static IN_FLASH: $operator = CONSTANT;
        let (table, indices, flat) = (black_box($table), black_box($indices), black_box($flat));
        let at_run_time =
            defmt::unwrap!($operator::$kind(&table, &indices, &flat, black_box($last)));
        {
            let $plan = &CONSTANT;
            $check
        }
        for $plan in black_box([&IN_FLASH, &at_run_time]) {
            $check
        }
    }};
}
use plans;
