//! Data types, and slices whose type is known at run time only.

/// Writes down what is the same for all data types: the enums, and the conversions between them.
macro_rules! data_types {
    ($($variant:ident $name:literal $element:ty, $bits:ident;)*) => {
        /// The type of a tensor's elements.
        ///
        /// ```
        /// use strew::dml::{DataType, TensorData};
        /// assert_eq!(TensorData::from(&[0.5_f32]).data_type(), DataType::Float32);
        /// ```
        #[doc(alias = "DML_TENSOR_DATA_TYPE")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        #[non_exhaustive]
        pub enum DataType {
            $(
                #[doc = concat!("`DML_TENSOR_DATA_TYPE_", $name, "`: [`", stringify!($element), "`].")]
                #[doc(alias = $name)]
                $variant,
            )*
        }

        impl DataType {
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(DataType::$variant => $name,)*
                }
            }
        }

        /// A tensor's elements to read.
        ///
        /// Made from slices and arrays: `execute` takes `&[T]`, `&[T; N]` or a `TensorData`.
        ///
        /// ```
        /// use strew::dml::{DataType, TensorData};
        /// assert_eq!(TensorData::from(&[1_u8, 2, 3]).data_type(), DataType::Uint8);
        /// ```
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub enum TensorData<'a> {
            $(
                #[doc = concat!("Elements of [`DataType::", stringify!($variant), "`].")]
                $variant(&'a [$element]),
            )*
        }

        impl<'a> TensorData<'a> {
            /// The type of the elements.
            ///
            /// ```
            /// use strew::dml::{DataType, TensorData};
            /// assert_eq!(TensorData::from(&[0_i64; 2]).data_type(), DataType::Int64);
            /// ```
            #[must_use]
            pub const fn data_type(&self) -> DataType {
                match self {
                    $(TensorData::$variant(_) => DataType::$variant,)*
                }
            }

            pub(crate) fn bits(self) -> Bits<'a> {
                match self {
                    $(TensorData::$variant(elements) => Bits::$bits(bytemuck::must_cast_slice(elements)),)*
                }
            }
        }

        /// A tensor's elements to write.
        ///
        /// Made from slices and arrays: `execute` takes `&mut [T]`, `&mut [T; N]` or a `TensorDataMut`.
        ///
        /// ```
        /// use strew::dml::{DataType, TensorDataMut};
        /// assert_eq!(TensorDataMut::from(&mut [0.0_f64; 3]).data_type(), DataType::Float64);
        /// ```
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum TensorDataMut<'a> {
            $(
                #[doc = concat!("Elements of [`DataType::", stringify!($variant), "`].")]
                $variant(&'a mut [$element]),
            )*
        }

        impl<'a> TensorDataMut<'a> {
            /// The type of the elements.
            ///
            /// ```
            /// use strew::dml::{DataType, TensorDataMut};
            /// assert_eq!(TensorDataMut::from(&mut [0_i64; 2]).data_type(), DataType::Int64);
            /// ```
            #[must_use]
            pub const fn data_type(&self) -> DataType {
                match self {
                    $(TensorDataMut::$variant(_) => DataType::$variant,)*
                }
            }

            pub(crate) fn bits(self) -> BitsMut<'a> {
                match self {
                    $(TensorDataMut::$variant(elements) => BitsMut::$bits(bytemuck::must_cast_slice_mut(elements)),)*
                }
            }
        }

        $(
            impl<'a> From<&'a [$element]> for TensorData<'a> {
                fn from(elements: &'a [$element]) -> Self {
                    TensorData::$variant(elements)
                }
            }

            impl<'a, const N: usize> From<&'a [$element; N]> for TensorData<'a> {
                fn from(elements: &'a [$element; N]) -> Self {
                    TensorData::$variant(elements)
                }
            }

            impl<'a> From<&'a mut [$element]> for TensorDataMut<'a> {
                fn from(elements: &'a mut [$element]) -> Self {
                    TensorDataMut::$variant(elements)
                }
            }

            impl<'a, const N: usize> From<&'a mut [$element; N]> for TensorDataMut<'a> {
                fn from(elements: &'a mut [$element; N]) -> Self {
                    TensorDataMut::$variant(elements)
                }
            }
            #[cfg(feature = "std")]
            impl<'a> From<&'a Vec<$element>> for TensorData<'a> {
                fn from(elements: &'a Vec<$element>) -> Self {
                    TensorData::$variant(elements)
                }
            }

            #[cfg(feature = "std")]
            impl<'a> From<&'a mut Vec<$element>> for TensorDataMut<'a> {
                fn from(elements: &'a mut Vec<$element>) -> Self {
                    TensorDataMut::$variant(elements)
                }
            }
        )*
    };
}

data_types! {
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
}

/// A slice by the width of its elements. Gather and assignment move bits and never look at them: eleven types need four loops.
pub(crate) enum Bits<'a> {
    Bits8(&'a [u8]),
    Bits16(&'a [u16]),
    Bits32(&'a [u32]),
    Bits64(&'a [u64]),
}

/// [`Bits`] to write.
pub(crate) enum BitsMut<'a> {
    Bits8(&'a mut [u8]),
    Bits16(&'a mut [u16]),
    Bits32(&'a mut [u32]),
    Bits64(&'a mut [u64]),
}
