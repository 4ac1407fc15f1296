//! Layouts in files and messages: the feature `serde`.

use heapless::Vec;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::layout::{Layout, MAX_RANK};

/// What is written: `{"sizes":[2,3],"strides":[3,1],"offset":0}`.
#[derive(Serialize)]
#[serde(rename = "Layout")]
struct Written<'a> {
    sizes: &'a [usize],
    strides: &'a [isize],
    offset: usize,
}

/// What is read.
#[derive(Deserialize)]
#[serde(rename = "Layout", deny_unknown_fields)]
struct Parts {
    sizes: Vec<usize, MAX_RANK>,
    strides: Vec<isize, MAX_RANK>,
    offset: usize,
}

impl Serialize for Layout {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written { sizes: self.sizes(), strides: self.strides(), offset: self.offset() }
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Layout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Parts { sizes, strides, offset } = Parts::deserialize(deserializer)?;
        Layout::from_parts(&sizes, &strides, offset).map_err(D::Error::custom)
    }
}
