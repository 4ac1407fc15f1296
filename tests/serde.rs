//! Layouts and policies survive being written and read; what is no layout is refused.
#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used, missing_docs)]

use strew::{Bounds, Layout};

#[test]
fn layouts_survive() {
    let layouts = [
        Layout::contiguous([]),
        Layout::contiguous([2, 0, 3]),
        Layout::strided([4; 8], [0, -1, isize::MIN, isize::MAX, 1, 2, 3, 4])
            .with_offset(usize::MAX),
    ];
    for layout in layouts {
        let text = serde_json::to_string(&layout).unwrap();
        assert_eq!(serde_json::from_str::<Layout>(&text).unwrap(), layout, "{text}");
    }
    assert_eq!(
        serde_json::to_string(&Layout::contiguous([2, 3])).unwrap(),
        r#"{"sizes":[2,3],"strides":[3,1],"offset":0}"#
    );
}

#[test]
fn policies_survive() {
    for bounds in [Bounds::Error, Bounds::Clamp, Bounds::Wrap, Bounds::Skip] {
        let text = serde_json::to_string(&bounds).unwrap();
        assert_eq!(text, format!("\"{bounds:?}\""));
        assert_eq!(serde_json::from_str::<Bounds>(&text).unwrap(), bounds);
    }
}

#[test]
fn what_is_no_layout_is_refused() {
    for (text, message) in [
        (
            r#"{"sizes":[2,3],"strides":[3],"offset":0}"#,
            "rank mismatch: layout must have 2 dimensions, found 1",
        ),
        (
            r#"{"sizes":[1,1,1,1,1,1,1,1,1],"strides":[1,1,1,1,1,1,1,1,1],"offset":0}"#,
            "invalid length",
        ),
        (r#"{"sizes":[-1],"strides":[1],"offset":0}"#, "invalid value"),
        (r#"{"sizes":[1],"strides":[1]}"#, "missing field `offset`"),
        (r#"{"sizes":[1],"strides":[1],"offset":0,"more":0}"#, "unknown field `more`"),
    ] {
        let error = serde_json::from_str::<Layout>(text).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}
