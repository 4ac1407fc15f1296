//! Fences: what puts non-temporal stores in an order with the stores that follow.

use core::marker::PhantomData;

/// Once it is dropped, other threads see what this one wrote with non-temporal stores before what
/// it writes next. It stays with its thread.
#[derive(Default)]
pub(crate) struct Fence(PhantomData<*const ()>);

/// The right to non-temporal stores before a fence.
#[derive(Clone, Copy)]
pub struct Right<'a>(PhantomData<&'a Fence>);

impl Fence {
    /// # Safety
    /// No other thread accesses what is written with it before the fence is dropped.
    pub(crate) unsafe fn right(&self) -> Right<'_> {
        Right(PhantomData)
    }
}

impl Drop for Fence {
    #[inline(always)]
    fn drop(&mut self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has this instruction.
        unsafe {
            core::arch::x86_64::_mm_sfence();
        }
    }
}
