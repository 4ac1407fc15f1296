//! Quantised tables.
