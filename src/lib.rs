//! Gather and scatter.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

mod checked;
mod duplicates;
mod element;
mod error;
mod gather;
mod index;
mod layout;
mod plan;
mod reduction;
mod scatter;
mod walk;

pub mod dml;
pub mod shape;

pub use checked::Checked;
pub use element::Element;
pub use error::{Error, Operand, Unsupported};
pub use gather::Gather;
pub use index::{Bounds, Index};
pub use layout::{Layout, MAX_RANK};
pub use reduction::{Add, And, Assign, Average, Max, Min, Mul, Or, Reduction, Sub, Xor};
pub use scatter::Scatter;

#[doc(hidden)]
pub use error::plan_error;

/// Makes a plan at compile time: a shape mistake is a compile error that says which.
///
/// ```
/// use strew::{Bounds, Gather, Layout, plan};
///
/// const TABLE: Layout = Layout::contiguous([256, 32]);
/// const IDS: Layout = Layout::contiguous([5]);
/// const ROWS: Layout = Layout::contiguous([5, 32]);
/// const LOOKUP: Gather = plan!(Gather::axis(&TABLE, &IDS, &ROWS, 0)).bounds(Bounds::Clamp);
/// # let mut rows = [0_u8; 160];
/// # LOOKUP.run(&[7; 256 * 32], &[0_u8; 5], &mut rows).unwrap();
/// # assert_eq!(rows, [7; 160]);
/// ```
///
/// ```compile_fail,E0080
/// # use strew::{Gather, Layout, plan};
/// const TABLE: Layout = Layout::contiguous([256, 32]);
/// const IDS: Layout = Layout::contiguous([5]);
/// const ROWS: Layout = Layout::contiguous([5, 31]); // size mismatch: output dimension 1 should be 32, found 31
/// const LOOKUP: Gather = plan!(Gather::axis(&TABLE, &IDS, &ROWS, 0));
/// # let _ = LOOKUP;
/// ```
#[macro_export]
macro_rules! plan {
    ($plan:expr) => {
        const {
            match $plan {
                Ok(plan) => plan,
                Err(error) => $crate::plan_error(error),
            }
        }
    };
}
