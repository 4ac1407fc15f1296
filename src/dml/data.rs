//! Slices whose type is known at run time only.

use crate::data_type::DataType;

/// Writes down what is the same for all data types: the enums of slices, and the conversions to
/// them. Each line holds what the build must have, the variant, the type of the elements and the
/// variant of `Bits` with their width.
macro_rules! tensor_data {
    ($($(#[$has:meta])? $variant:ident $element:ty, $bits:ident;)*) => {
        /// A tensor's elements to read.
        ///
        /// It is made from slices and arrays: `execute` takes `&[T]`, `&[T; N]` or a `TensorData`.
        ///
        /// ```
        /// use strew::dml::{DataType, TensorData};
        /// assert_eq!(TensorData::from(&[1_u8, 2, 3]).data_type(), DataType::Uint8);
        /// ```
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub enum TensorData<'a> {
            $(
                $(#[$has])?
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
                    $($(#[$has])? TensorData::$variant(_) => DataType::$variant,)*
                }
            }

            pub(crate) fn bits(self) -> Bits<'a> {
                match self {
                    $($(#[$has])? TensorData::$variant(elements) => {
                        Bits::$bits(bytemuck::must_cast_slice(elements))
                    })*
                }
            }
        }

        /// A tensor's elements to write.
        ///
        /// It is made from slices and arrays: `execute` takes `&mut [T]`, `&mut [T; N]` or a
        /// `TensorDataMut`.
        ///
        /// ```
        /// use strew::dml::{DataType, TensorDataMut};
        /// let data = TensorDataMut::from(&mut [0.0_f64; 3]).data_type();
        /// assert_eq!(data, DataType::Float64);
        /// ```
        #[derive(Debug)]
        #[non_exhaustive]
        pub enum TensorDataMut<'a> {
            $(
                $(#[$has])?
                #[doc = concat!("Elements of [`DataType::", stringify!($variant), "`].")]
                $variant(&'a mut [$element]),
            )*
        }

        impl<'a> TensorDataMut<'a> {
            /// The type of the elements.
            ///
            /// ```
            /// use strew::dml::{DataType, TensorDataMut};
            /// let data = TensorDataMut::from(&mut [0_i64; 2]).data_type();
            /// assert_eq!(data, DataType::Int64);
            /// ```
            #[must_use]
            pub const fn data_type(&self) -> DataType {
                match self {
                    $($(#[$has])? TensorDataMut::$variant(_) => DataType::$variant,)*
                }
            }

            pub(crate) fn bits(self) -> BitsMut<'a> {
                match self {
                    $($(#[$has])? TensorDataMut::$variant(elements) => {
                        BitsMut::$bits(bytemuck::must_cast_slice_mut(elements))
                    })*
                }
            }
        }

        $($(#[$has])? conversions!($variant $element);)*
    };
}

/// Slices of a type, and what derefs to them, as data.
macro_rules! conversions {
    ($variant:ident $element:ty) => {
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
    };
}

tensor_data! {
    Float32 f32, Bits32;
    #[cfg(feature = "half")] Float16 half::f16, Bits16;
    Uint32 u32, Bits32;
    Uint16 u16, Bits16;
    Uint8 u8, Bits8;
    Int32 i32, Bits32;
    Int16 i16, Bits16;
    Int8 i8, Bits8;
    Float64 f64, Bits64;
    Uint64 u64, Bits64;
    Int64 i64, Bits64;
    #[cfg(feature = "half")] Bfloat16 half::bf16, Bits16;
}

/// A slice by the width of its elements. Gather and assignment move bits and never look at them, so
/// that twelve types need four loops.
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
