use crate::failure::Failure;
use alloc::vec::Vec;

/// Values by number, from 1. Numbers of removed values are given again.
#[derive(Debug)]
pub struct Table<T> {
    slots: Vec<Option<T>>,
}

impl<T> Table<T> {
    /// No values.
    pub const fn new() -> Self {
        Self { slots: Vec::new() }
    }

    /// Keeps a value and returns its number.
    pub fn keep(&mut self, value: T) -> Result<usize, Failure> {
        let free = self.slots.iter().position(Option::is_none);
        let slot = match free {
            Some(slot) => slot,
            None => {
                self.slots.try_reserve(1).map_err(|_| Failure::NO_MEMORY)?;
                self.slots.push(None);
                self.slots.len() - 1
            }
        };
        self.slots[slot] = Some(value);
        Ok(slot + 1)
    }

    /// The value of a number.
    pub fn get(&mut self, number: usize) -> Result<&mut T, Failure> {
        let slot = self.slots.get_mut(number.wrapping_sub(1)).and_then(Option::as_mut);
        slot.ok_or_else(|| Failure::argument("it was disposed of"))
    }

    /// Drops the value of a number, if there is one.
    pub fn remove(&mut self, number: usize) {
        if let Some(slot) = self.slots.get_mut(number.wrapping_sub(1)) {
            *slot = None;
        }
    }
}
