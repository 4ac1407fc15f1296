//! An embedding lookup on a Cortex-M: plan and table lie in flash, the ids come from outside, and
//! an error is logged.
#![no_std]
#![no_main]

use core::hint::black_box;

use cortex_m as _; // The critical section of the logger.
use cortex_m_rt::entry;
use defmt::{error, info};
use defmt_semihosting as _; // The logger of a simulated board.
use semihosting::process::exit;
use strew::{Error, Gather, Layout, plan};

const TABLE: Layout = Layout::contiguous([4, 3]);
const IDS: Layout = Layout::contiguous([2]);
const ROWS: Layout = Layout::contiguous([2, 3]);
const LOOKUP: Gather = plan!(Gather::axis(&TABLE, &IDS, &ROWS, 0));

static EMBEDDINGS: [i8; 12] = [0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

fn embed(ids: &[u8; 2]) -> Result<[i8; 6], Error> {
    let mut rows = [0; 6];
    LOOKUP.run(&EMBEDDINGS, ids, &mut rows)?;
    Ok(rows)
}

/// Stands for a radio, a bus or a sensor.
fn receive() -> [[u8; 2]; 2] {
    black_box([[3, 1], [3, 4]])
}

#[entry]
fn main() -> ! {
    for ids in receive() {
        match embed(&ids) {
            Ok(rows) => info!("{} are {}", ids, rows),
            Err(problem) => error!("{} are refused: {}", ids, problem),
        }
    }
    exit(0)
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    exit(1)
}
