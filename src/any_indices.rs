//! Indices whose type is known at run time.

use core::mem::align_of;

#[cfg(feature = "std")]
use strew_simd::{Axes, Path, Tuples};

use crate::data_type::DataType;
use crate::error::{Error, Operand};
use crate::index::sealed::{Value, Wide};
use crate::indices::sealed::Places;

/// Bytes as elements of a type, without what is left over at the end.
pub(crate) fn cast<T: bytemuck::Pod>(bytes: &[u8], operand: Operand) -> Result<&[T], Error> {
    let whole = bytes.len().wrapping_sub(bytes.len().checked_rem(size_of::<T>()).unwrap_or(0));
    match bytes.get(..whole) {
        None | Some([]) => Ok(&[]),
        Some(whole) => bytemuck::try_cast_slice(whole).map_err(|_| misaligned::<T>(bytes, operand)),
    }
}

/// The same to write to.
pub(crate) fn cast_mut<T: bytemuck::Pod>(
    bytes: &mut [u8],
    operand: Operand,
) -> Result<&mut [T], Error> {
    let error = misaligned::<T>(bytes, operand);
    let whole = bytes.len().wrapping_sub(bytes.len().checked_rem(size_of::<T>()).unwrap_or(0));
    match bytes.get_mut(..whole) {
        None | Some([]) => Ok(&mut []),
        Some(whole) => bytemuck::try_cast_slice_mut(whole).map_err(|_| error),
    }
}

fn misaligned<T>(bytes: &[u8], operand: Operand) -> Error {
    let (expected, address) = (align_of::<T>(), bytes.as_ptr().addr());
    Error::Misaligned { operand, expected, found: address.checked_rem(expected).unwrap_or(0) }
}

/// `any_indices!(variant type, ..)`
macro_rules! any_indices {
    ($($variant:ident $index:ty,)*) => {
        /// Indices whose type is known at run time.
        ///
        /// They are made from slices, arrays and vectors of each type, or [from
        /// bytes](AnyIndices::from_bytes). Cast `usize` and `isize` to one of the types first. All
        /// types share one walk, which asks what type they are: once a block with `std` (but once
        /// an index in calls of few entries), and once an index without it.
        ///
        /// ```
        /// use strew::{AnyIndices, DataType};
        ///
        /// let indices = AnyIndices::from(&[3_i32, -1]);
        /// assert_eq!(indices.data_type(), DataType::Int32);
        /// ```
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub enum AnyIndices<'a> {
            $(
                #[doc = concat!("Indices of [`DataType::", stringify!($variant), "`].")]
                $variant(&'a [$index]),
            )*
        }

        impl<'a> AnyIndices<'a> {
            /// Indices of a type from their bytes, in the order of this machine. Bytes that are
            /// left over at the end are left out.
            ///
            /// # Errors
            /// [`Error::IndexTypeNotSupported`] for floats, [`Error::Misaligned`] for bytes that do
            /// not lie as the type demands.
            ///
            /// ```
            /// use strew::{AnyIndices, DataType, Error, Gather, Layout};
            ///
            /// let words = [2_u64, 0];
            /// let words = bytemuck::cast_slice(&words);
            /// let indices = AnyIndices::from_bytes(DataType::Uint64, words)?;
            /// let table = Layout::contiguous([3]);
            /// let two = Layout::contiguous([2]);
            /// let (gather, _) = Gather::axis_packed(&table, &two, 0)?;
            /// let mut output = [0; 2];
            /// gather.run_bytes(1, b"abc", indices, &mut output)?;
            /// assert_eq!(&output, b"ca");
            ///
            /// let found = DataType::Float32;
            /// let floats = AnyIndices::from_bytes(found, &[]);
            /// assert_eq!(floats.unwrap_err(), Error::IndexTypeNotSupported { found });
            /// # Ok::<(), Error>(())
            /// ```
            pub fn from_bytes(data_type: DataType, bytes: &'a [u8]) -> Result<Self, Error> {
                Ok(match data_type {
                    $(DataType::$variant => {
                        AnyIndices::$variant(cast(bytes, Operand::Indices)?)
                    })*
                    found => return Err(Error::IndexTypeNotSupported { found }),
                })
            }

            /// The type of the indices.
            ///
            /// ```
            /// use strew::{AnyIndices, DataType};
            /// assert_eq!(AnyIndices::from(&[7_u8]).data_type(), DataType::Uint8);
            /// ```
            #[must_use]
            pub const fn data_type(&self) -> DataType {
                match self {
                    $(AnyIndices::$variant(_) => DataType::$variant,)*
                }
            }
        }

        impl Places for AnyIndices<'_> {
            type Index = Wide;

            fn fit(self, length: usize) -> Result<(), Error> {
                match self {
                    $(AnyIndices::$variant(indices) => indices.fit(length),)*
                }
            }

            fn get(self, place: usize) -> Option<Wide> {
                match self {
                    $(AnyIndices::$variant(indices) => {
                        Places::get(indices, place).map(Value::wide)
                    })*
                }
            }

            fn width(&self) -> usize {
                self.data_type().width()
            }

            #[cfg(feature = "std")]
            fn bytes(&self) -> &[u8] {
                match self {
                    $(AnyIndices::$variant(indices) => bytemuck::must_cast_slice(indices),)*
                }
            }

            #[cfg(feature = "std")]
            fn resolve(self, path: Path, tuples: &Tuples, axes: &Axes<'_>, to: &mut [u32]) -> bool {
                match self {
                    $(AnyIndices::$variant(indices) => indices.resolve(path, tuples, axes, to),)*
                }
            }
        }

        $(
            impl<'a> From<&'a [$index]> for AnyIndices<'a> {
                fn from(indices: &'a [$index]) -> Self {
                    AnyIndices::$variant(indices)
                }
            }

            impl<'a, const N: usize> From<&'a [$index; N]> for AnyIndices<'a> {
                fn from(indices: &'a [$index; N]) -> Self {
                    AnyIndices::$variant(indices)
                }
            }

            #[cfg(feature = "std")]
            impl<'a> From<&'a Vec<$index>> for AnyIndices<'a> {
                fn from(indices: &'a Vec<$index>) -> Self {
                    AnyIndices::$variant(indices)
                }
            }
        )*
    };
}
any_indices! {
    Uint8 u8,
    Uint16 u16,
    Uint32 u32,
    Uint64 u64,
    Int8 i8,
    Int16 i16,
    Int32 i32,
    Int64 i64,
}
