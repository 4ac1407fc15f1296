//! The plan with the arrow turned round.

use crate::error::{Error, Operand, tri};
use crate::gather::Gather;
use crate::index::Bounds;
use crate::scatter::Scatter;

impl Gather {
    /// The scatter that goes the other way, between the same tensors: to the elements of the input,
    /// from those of the output.
    ///
    /// With [`Add`](crate::Add) it is the adjoint, the gradient of the gather: the sum of
    /// `gather(x) * y` is that of `x * scatter(y)`, into zeros. [`Scatter::adjoint`] goes back.
    ///
    /// # Errors
    ///
    /// [`Error::NoAdjoint`] under [`Bounds::Clamp`], since frameworks differ: XLA pairs a gather
    /// that clamps with a scatter that drops. Make that scatter by its own constructor, with the
    /// policy that you mean. [`Error::OverlappingOutput`] if the input overlaps itself.
    ///
    /// ```
    /// use strew::{Add, Gather, Layout};
    ///
    /// let table = Layout::contiguous([3]);
    /// let ids = Layout::contiguous([4]);
    /// let gather = Gather::axis(&table, &ids, &ids, 0)?;
    /// let (mut output, mut gradient) = ([0; 4], [0; 3]);
    /// gather.run(&[10, 20, 30], &[2, 0, 2, 2], &mut output)?;
    /// gather.adjoint()?.reduce(Add, &mut gradient, &[2, 0, 2, 2], &[1, 2, 3, 4])?;
    /// assert_eq!((output, gradient), ([30, 10, 30, 30], [2, 0, 8]));
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub const fn adjoint(&self) -> Result<Scatter, Error> {
        if matches!(self.plan.bounds, Bounds::Clamp) {
            return Err(Error::NoAdjoint);
        }
        tri!(self.input.without_overlap(Operand::Data));
        Ok(Scatter { plan: self.plan, data: self.input })
    }
}

impl Scatter {
    /// The gather that goes the other way, between the same tensors: from the elements of the data,
    /// to those of the updates. It is [`Gather::adjoint`] turned round; of a
    /// [`sequence`](Scatter::sequence) it reads what that writes (JAX `dynamic_slice`).
    ///
    /// # Errors
    /// [`Error::NoAdjoint`] under [`Bounds::Clamp`]; [`Error::OverlappingOutput`] if the updates
    /// overlap themselves. Its dimension is one of the plan's, which are fewer than the layout's
    /// where neighbours are merged, and may be in another order.
    ///
    /// ```
    /// use strew::{Layout, Scatter, Sequence};
    ///
    /// let cache = Layout::contiguous([2, 4]);
    /// let starts = Layout::contiguous([2]);
    /// let tokens = Layout::contiguous([2, 2]);
    /// let write =
    ///     Scatter::sequence(&cache, &starts, &tokens, 1, Sequence::Linear)?;
    /// let mut read = [0; 4];
    /// write.adjoint()?.run(&[1, 2, 3, 4, 5, 6, 7, 8], &[2, 0], &mut read)?;
    /// assert_eq!(read, [3, 4, 5, 6]);
    /// # Ok::<(), strew::Error>(())
    /// ```
    pub const fn adjoint(&self) -> Result<Gather, Error> {
        if matches!(self.plan.bounds, Bounds::Clamp) {
            return Err(Error::NoAdjoint);
        }
        tri!(self.plan.flat_without_overlap());
        Ok(Gather { plan: self.plan, input: self.data })
    }
}
