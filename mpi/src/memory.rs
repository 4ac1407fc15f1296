//! Memory of a call, which the next one uses again: fresh memory costs more than what is moved.

use std::any::Any;
use std::cell::Cell;

use bytemuck::Pod;

/// What a call sends and receives in a round.
pub(crate) struct Memory<T> {
    /// The rows that other ranks choose.
    pub(crate) ids: Vec<u32>,
    /// Elements that are sent.
    pub(crate) sent: Vec<T>,
    /// Elements that are received.
    pub(crate) received: Vec<T>,
}

/// Where a table keeps it between calls.
#[derive(Default)]
pub(crate) struct Kept(Cell<Option<Box<dyn Any + Send>>>);

impl Kept {
    /// The memory of the last call, if its elements were of the same type.
    pub(crate) fn take<T: Pod + Send>(&self) -> Memory<T> {
        let kept = self.0.take().and_then(|any| any.downcast::<Memory<T>>().ok());
        let none = Memory { ids: Vec::new(), sent: Vec::new(), received: Vec::new() };
        kept.map_or(none, |memory| *memory)
    }

    pub(crate) fn put<T: Pod + Send>(&self, memory: Memory<T>) {
        self.0.set(Some(Box::new(memory)));
    }
}

/// The first `length` values, whatever they are.
pub(crate) fn room<T: Pod>(memory: &mut Vec<T>, length: usize) -> &mut [T] {
    if memory.len() < length {
        // The old memory is free before the new one is asked for.
        *memory = Vec::new();
        *memory = bytemuck::zeroed_vec(length);
    }
    memory.get_mut(..length).unwrap_or_default()
}
