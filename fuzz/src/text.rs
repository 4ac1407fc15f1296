//! Layouts and policies as they come in from files.

use std::fmt::Write;

use strew::{Bounds, Layout};

use crate::common::case::{Case, Tensor};
use crate::common::check::check_hostile;
use crate::common::generate::{self, Choose};

/// Three layouts and a policy in JSON, some of it replaced, or any text.
#[derive(Debug)]
pub struct Text {
    layouts: [String; 3],
    bounds: String,
    case: Case,
}

impl Text {
    pub fn new(choose: Choose<'_>) -> Text {
        let case = generate::hostile_case(choose);
        let mut text = |tensor: &Tensor| {
            let Tensor { sizes, strides, offset, .. } = tensor;
            // Structs may be objects or lists.
            let mut text = match choose(4) {
                0 => format!("[{sizes:?},{strides:?},{offset}]"),
                1 => format!(r#"{{"offset":{offset},"strides":{strides:?},"sizes":{sizes:?}}}"#),
                _ => format!(r#"{{"sizes":{sizes:?},"strides":{strides:?},"offset":{offset}}}"#),
            };
            spoil(&mut text, choose);
            text
        };
        let layouts = [text(&case.table), text(&case.indices), text(&case.flat)];
        let mut bounds = format!("\"{:?}\"", case.bounds);
        spoil(&mut bounds, choose);
        Text { layouts, bounds, case }
    }

    /// What is read can be written and read again, and is a layout; what is planned with it holds
    /// what all plans hold.
    #[inline]
    pub fn check(&self) {
        self.read().iter().for_each(check_hostile);
    }

    /// The case, if all of it can be read.
    pub fn read(&self) -> Option<Case> {
        let layouts = self.layouts.each_ref().map(|text| serde_json::from_str::<Layout>(text).ok());
        layouts.iter().flatten().for_each(check_layout);
        let bounds: Bounds = serde_json::from_str(&self.bounds).ok()?;
        let text = serde_json::to_string(&bounds).expect("a policy can be written");
        assert_eq!(serde_json::from_str::<Bounds>(&text).ok(), Some(bounds), "{text}");
        let [Some(table), Some(indices), Some(flat)] = layouts else { return None };
        let [table, indices, flat] = [table, indices, flat].map(|layout| tensor(&layout));
        Some(Case { table, indices, flat, bounds, ..self.case.clone() })
    }
}

fn check_layout(layout: &Layout) {
    let (sizes, strides) = (layout.sizes(), layout.strides());
    assert!(layout.rank() <= strew::MAX_RANK && sizes.len() == strides.len(), "{layout:?}");
    assert_eq!(Layout::from_parts(sizes, strides, layout.offset()).as_ref(), Ok(layout));
    let text = serde_json::to_string(layout).expect("a layout can be written");
    assert_eq!(serde_json::from_str::<Layout>(&text).ok().as_ref(), Some(layout), "{text}");
}

fn tensor(layout: &Layout) -> Tensor {
    let (sizes, strides) = (layout.sizes().to_vec(), layout.strides().to_vec());
    Tensor { sizes, strides, offset: layout.offset(), len: 0 }
}

/// Replaces, inserts or takes out some of a text.
fn spoil(text: &mut String, choose: Choose<'_>) {
    const PIECES: [&str; 24] = [
        "0",
        "-",
        "-1",
        "1e3",
        "1.5",
        ",",
        "[",
        "]",
        "{",
        "}",
        "\"",
        ":",
        "null",
        "true",
        "1",
        "\"sizes\"",
        "\"strides\":[1]",
        "\"offset\":0",
        "18446744073709551615",
        "18446744073709551616",
        "9223372036854775808",
        "-9223372036854775808",
        " ",
        "\\u0000",
    ];
    for _ in 0..[0, 0, 0, 1, 1, 2, 3, 8][choose(8)] {
        let start = choose(text.len() + 1);
        let end = (start + choose(4)).min(text.len());
        let mut piece = PIECES[choose(PIECES.len())].to_owned();
        if choose(4) == 3 {
            piece.clear();
            write!(piece, "{}", char::from(choose(128) as u8)).expect("a string takes all");
        }
        // All of it is ASCII.
        text.replace_range(start..end, &piece);
    }
}
