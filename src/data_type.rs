//! The type of a tensor's elements as a value.
//!
//! This file imports nothing of the crate, so that errors can name what is defined here.

/// Calls `$macro!` with the list of data types. Each line holds the variant, its name in capitals,
/// the type of the elements and the variant of `Bits` with their width.
macro_rules! for_each_data_type {
    ($macro:ident) => {
        $macro! {
            Float32 "FLOAT32" f32, Bits32;
            Float16 "FLOAT16" half::f16, Bits16;
            Uint32 "UINT32" u32, Bits32;
            Uint16 "UINT16" u16, Bits16;
            Uint8 "UINT8" u8, Bits8;
            Int32 "INT32" i32, Bits32;
            Int16 "INT16" i16, Bits16;
            Int8 "INT8" i8, Bits8;
            Float64 "FLOAT64" f64, Bits64;
            Uint64 "UINT64" u64, Bits64;
            Int64 "INT64" i64, Bits64;
            Bfloat16 "BFLOAT16" half::bf16, Bits16;
        }
    };
}
pub(crate) use for_each_data_type;

macro_rules! data_type {
    ($($variant:ident $name:literal $element:ty, $bits:ident;)*) => {
        /// The type of a tensor's elements, known at run time: see
        /// [`Gather::run_bytes`](crate::Gather::run_bytes),
        /// [`Scatter::reduce_bytes`](crate::Scatter::reduce_bytes). DirectML's tensors have one.
        ///
        /// ```
        /// use strew::DataType;
        /// assert_eq!(DataType::Bfloat16.width(), 2);
        /// ```
        #[doc(alias = "DML_TENSOR_DATA_TYPE")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        #[non_exhaustive]
        pub enum DataType {
            $(
                #[doc = concat!("[`", stringify!($element), "`]")]
                #[doc(alias = $name)]
                $variant,
            )*
        }

        impl DataType {
            /// The bytes of an element.
            ///
            /// ```
            /// use strew::DataType;
            /// assert_eq!([DataType::Int64, DataType::Uint8].map(DataType::width), [8, 1]);
            /// ```
            #[must_use]
            pub const fn width(self) -> usize {
                match self {
                    $(DataType::$variant => size_of::<$element>(),)*
                }
            }

            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(DataType::$variant => $name,)*
                }
            }
        }
    };
}
for_each_data_type!(data_type);
