//! What the machines differ in: where a program starts, and how it reports and ends.
#![no_std]

#[cfg(all(target_arch = "arm", not(feature = "log")))]
pub mod board;

#[cfg(target_arch = "arm")]
pub use cortex_m_rt::entry;
#[cfg(target_arch = "riscv32")]
pub use riscv_rt::entry;

/// Ends the simulation; 0 is success.
pub fn exit(code: i32) -> ! {
    semihosting::process::exit(code)
}

/// Logs go through defmt to the host; so does a panic, which ends the simulation.
#[cfg(feature = "log")]
mod log {
    // The critical sections that the logger needs.
    #[cfg(target_arch = "arm")]
    use cortex_m as _;
    use defmt_semihosting as _;
    #[cfg(target_arch = "riscv32")]
    use riscv as _;

    #[panic_handler]
    fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
        defmt::error!("{}", defmt::Display2Format(info));
        crate::exit(1)
    }

    /// What failed is logged already.
    #[defmt::panic_handler]
    fn failed() -> ! {
        crate::exit(1)
    }
}
