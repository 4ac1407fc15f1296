//! Descriptions of tensors.

use crate::data_type::DataType;
use crate::error::{Error, Operand};
use crate::layout::{Layout, MAX_RANK, SCALAR};

/// Data type, sizes and strides of a tensor; no data.
///
/// Nothing is checked until an operator is compiled. The error then says which of its tensors is at
/// fault.
///
/// ```
/// use strew::dml::{DataType, TensorDesc};
///
/// // Rows of 3 elements, padded to 4; and one value for all of them.
/// let padded = TensorDesc::strided(DataType::Float32, &[2, 3], &[4, 1]);
/// let zeros = TensorDesc::strided(DataType::Float32, &[2, 3], &[0, 0]);
/// assert_eq!((padded.extent()?, zeros.extent()?), (7, 1));
/// # Ok::<(), strew::Error>(())
/// ```
#[doc(alias = "DML_TENSOR_DESC")]
#[doc(alias = "DML_BUFFER_TENSOR_DESC")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TensorDesc<'a> {
    /// The type of the elements.
    pub data_type: DataType,
    /// The number of elements along each dimension; none is 0.
    pub sizes: &'a [u32],
    /// The distance in elements between neighbours along each dimension. A stride of 0 repeats an
    /// element; more than the packed distance leaves padding. `None` is packed row-major.
    pub strides: Option<&'a [u32]>,
}

impl<'a> TensorDesc<'a> {
    /// A packed row-major tensor.
    ///
    /// ```
    /// use strew::dml::{DataType, TensorDesc};
    /// assert_eq!(TensorDesc::packed(DataType::Uint8, &[2, 3]).extent(), Ok(6));
    /// ```
    #[must_use]
    pub const fn packed(data_type: DataType, sizes: &'a [u32]) -> Self {
        TensorDesc { data_type, sizes, strides: None }
    }

    /// A tensor with strides, in elements.
    ///
    /// ```
    /// use strew::dml::{DataType, TensorDesc};
    /// assert_eq!(
    ///     TensorDesc::strided(DataType::Uint8, &[2, 3], &[4, 1]).extent(),
    ///     Ok(7)
    /// );
    /// ```
    #[must_use]
    pub const fn strided(data_type: DataType, sizes: &'a [u32], strides: &'a [u32]) -> Self {
        TensorDesc { data_type, sizes, strides: Some(strides) }
    }

    /// `1 + sum((sizes[i] - 1) * strides[i])`: the length in elements that a slice must have.
    ///
    /// DirectML's own helper computes this in 32 bits, which wrap. Here a result that exceeds
    /// `usize` is an error.
    ///
    /// # Errors
    /// [`Error::SizesOverflow`]; for a description of no tensor at all, [`Error::RankTooLarge`]
    /// (more than 8 sizes), [`Error::RankMismatch`] (more or fewer strides than sizes),
    /// [`Error::ZeroSize`].
    ///
    /// ```
    /// use strew::Error;
    /// use strew::dml::{DataType, TensorDesc};
    ///
    /// assert_eq!(
    ///     TensorDesc::packed(DataType::Uint8, &[4, 5, 6]).extent(),
    ///     Ok(120)
    /// );
    /// let huge = TensorDesc::packed(DataType::Uint8, &[u32::MAX; 8]);
    /// assert!(matches!(huge.extent(), Err(Error::SizesOverflow { .. })));
    /// ```
    pub fn extent(&self) -> Result<usize, Error> {
        self.layout(Operand::Layout)?.extent()
    }

    /// The number of dimensions.
    pub(crate) const fn dimension_count(&self) -> usize {
        self.sizes.len()
    }

    /// The same tensor as a layout whose extent is known to be a `usize`.
    pub(crate) fn layout(&self, operand: Operand) -> Result<Layout, Error> {
        let overflow = Error::SizesOverflow { operand };
        let rank = self.dimension_count();
        if rank > MAX_RANK {
            return Err(Error::RankTooLarge { operand, expected: MAX_RANK, found: rank });
        }
        let mut layout = SCALAR;
        for (dimension, &size) in self.sizes.iter().enumerate() {
            if size == 0 {
                return Err(Error::ZeroSize { operand, dimension });
            }
            layout.push(usize::try_from(size).map_err(|_| overflow)?, 0);
        }
        layout = match self.strides {
            None => Layout::packed(layout.sizes()),
            Some(strides) if strides.len() != rank => {
                return Err(Error::RankMismatch { operand, expected: rank, found: strides.len() });
            }
            Some(strides) => {
                let mut strided = SCALAR;
                for (&size, &stride) in layout.sizes().iter().zip(strides) {
                    // A dimension of size 1 has no steps, so that its stride may be anything.
                    let stride = if size == 1 {
                        0
                    } else {
                        isize::try_from(stride).map_err(|_| overflow)?
                    };
                    strided.push(size, stride);
                }
                strided
            }
        };
        layout.extent_of(operand)?;
        Ok(layout)
    }
}
