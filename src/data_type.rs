//! The type of a tensor's elements as a value.
//!
//! This file imports nothing of the crate, so that errors can name what is defined here.

/// `data_type!(variant, its name in capitals, the type of the elements, their bytes; ..)`
macro_rules! data_type {
    ($($variant:ident $name:literal $element:literal $width:literal;)*) => {
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
                #[doc = concat!("`", $element, "`")]
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
                    $(DataType::$variant => $width,)*
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
data_type! {
    Float32 "FLOAT32" "f32" 4;
    Float16 "FLOAT16" "f16" 2;
    Uint32 "UINT32" "u32" 4;
    Uint16 "UINT16" "u16" 2;
    Uint8 "UINT8" "u8" 1;
    Int32 "INT32" "i32" 4;
    Int16 "INT16" "i16" 2;
    Int8 "INT8" "i8" 1;
    Float64 "FLOAT64" "f64" 8;
    Uint64 "UINT64" "u64" 8;
    Int64 "INT64" "i64" 8;
    Bfloat16 "BFLOAT16" "bf16" 2;
}
