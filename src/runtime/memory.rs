//! Fallible allocation for opening clips: without memory it returns an error instead of ending the process. `vec!`, `collect`, `push`,
//! `format!` and `Box::new` are for encoders and tests only.

mod shared;

use alloc::collections::TryReserveError;
use alloc::string::String;
use alloc::vec::Vec;
use allocator_api2::alloc::AllocError;
use allocator_api2::boxed::Box;
use core::fmt::{Display, Formatter, Write};
pub use shared::Shared;

/// Memory ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoMemory;

/// One value on the heap.
pub type Boxed<T> = Box<T>;

impl Display for NoMemory {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        f.write_str("there is not enough memory")
    }
}

impl core::error::Error for NoMemory {}

impl From<TryReserveError> for NoMemory {
    fn from(_: TryReserveError) -> Self {
        Self
    }
}

impl From<allocator_api2::collections::TryReserveError> for NoMemory {
    fn from(_: allocator_api2::collections::TryReserveError) -> Self {
        Self
    }
}

impl From<AllocError> for NoMemory {
    fn from(_: AllocError) -> Self {
        Self
    }
}

/// One value on the heap.
///
/// # Errors
/// [`NoMemory`].
pub fn boxed<T>(value: T) -> Result<Boxed<T>, NoMemory> {
    Ok(Box::try_new(value)?)
}

/// An empty list with capacity for `len` items.
///
/// # Errors
/// [`NoMemory`].
pub fn with_room<T>(len: usize) -> Result<Vec<T>, NoMemory> {
    let mut list = Vec::new();
    list.try_reserve_exact(len)?;
    Ok(list)
}

/// A list of equal values.
///
/// # Errors
/// [`NoMemory`].
pub fn filled<T: Copy>(value: T, len: usize) -> Result<Vec<T>, NoMemory> {
    let mut list = with_room(len)?;
    list.resize(len, value);
    Ok(list)
}

/// A copy of a slice.
///
/// # Errors
/// [`NoMemory`].
pub fn copied<T: Copy>(items: &[T]) -> Result<Vec<T>, NoMemory> {
    let mut list = with_room(items.len())?;
    list.extend_from_slice(items);
    Ok(list)
}

/// A list that keeps its length: two words, a third less than a `Vec`.
pub type Fixed<T> = alloc::boxed::Box<[T]>;

/// A list that keeps its length from now on.
///
/// # Errors
/// [`NoMemory`].
pub fn fixed<T: Copy>(list: Vec<T>) -> Result<Fixed<T>, NoMemory> {
    // The standard library gives spare room back with a call that ends the process if memory runs out.
    let exact = if list.capacity() == list.len() { list } else { moved(&list)? };
    Ok(exact.into_boxed_slice())
}

#[cold]
#[inline(never)]
fn moved<T: Copy>(list: &[T]) -> Result<Vec<T>, NoMemory> {
    copied(list)
}

/// Joins texts.
///
/// # Errors
/// [`NoMemory`].
pub fn joined(parts: &[&str]) -> Result<String, NoMemory> {
    let mut out = String::new();
    out.try_reserve_exact(parts.iter().map(|part| part.len()).sum())?;
    parts.iter().for_each(|part| out.push_str(part));
    Ok(out)
}

/// Formats a value as text.
///
/// # Errors
/// [`NoMemory`].
pub fn text(printed: impl Display) -> Result<String, NoMemory> {
    let mut out = Text(String::new());
    write!(out, "{printed}").map_err(|_| NoMemory)?;
    Ok(out.0)
}

struct Text(String);

impl Write for Text {
    fn write_str(&mut self, part: &str) -> core::fmt::Result {
        self.0.try_reserve(part.len()).map_err(|_| core::fmt::Error)?;
        self.0.push_str(part);
        Ok(())
    }
}

/// Fallible push for lists.
pub trait TryPush<T> {
    /// Appends an item.
    ///
    /// # Errors
    /// [`NoMemory`]; the list is then unchanged.
    fn try_push(&mut self, item: T) -> Result<(), NoMemory>;

    /// Appends items.
    ///
    /// # Errors
    /// [`NoMemory`]; the list then keeps the items before the one that failed.
    fn try_extend(&mut self, items: impl IntoIterator<Item = T>) -> Result<(), NoMemory> {
        items.into_iter().try_for_each(|item| self.try_push(item))
    }
}

impl<T> TryPush<T> for Vec<T> {
    #[inline]
    fn try_push(&mut self, item: T) -> Result<(), NoMemory> {
        if self.len() == self.capacity() {
            grow(self)?;
        }
        self.push(item);
        Ok(())
    }
}

#[cold]
fn grow<T>(list: &mut Vec<T>) -> Result<(), NoMemory> {
    Ok(list.try_reserve(1)?)
}

/// Fallible collection of iterators into lists.
pub trait TryList: Iterator + Sized {
    /// All items.
    ///
    /// # Errors
    /// [`NoMemory`].
    fn try_list(self) -> Result<Vec<Self::Item>, NoMemory> {
        let mut list = with_room(self.size_hint().0)?;
        list.try_extend(self)?;
        Ok(list)
    }

    /// All items, or the first error. The list grows item by item, because an error may come early.
    ///
    /// # Errors
    /// The first one, or [`NoMemory`].
    fn try_list_of<T, E: From<NoMemory>>(self) -> Result<Vec<T>, E>
    where
        Self: Iterator<Item = Result<T, E>>,
    {
        let mut list = Vec::new();
        for item in self {
            list.try_push(item?)?;
        }
        Ok(list)
    }
}

impl<I: Iterator> TryList for I {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_texts_are_those_of_the_standard_library() {
        let numbers = [3, 1, 4, 1, 5];
        assert_eq!(numbers.into_iter().try_list(), Ok(numbers.to_vec()));
        assert_eq!(numbers.iter().filter(|x| **x > 1).try_list(), Ok(vec![&3, &4, &5]));
        assert_eq!(copied(&numbers), Ok(numbers.to_vec()));
        assert_eq!(filled(7, 3), Ok(vec![7; 3]));
        let mut roomy = Vec::with_capacity(9);
        roomy.extend(numbers);
        assert_eq!([fixed(roomy), fixed(numbers.to_vec())], [Ok(numbers.into()), Ok(numbers.into())]);
        assert_eq!(joined(&["a", "", "bc"]).as_deref(), Ok("abc"));
        assert_eq!(text(format_args!("{} and {:02x}", "a", 10)).as_deref(), Ok("a and 0a"));
        let of = |last: Result<i32, NoMemory>| [Ok(1), last].into_iter().try_list_of();
        assert_eq!((of(Ok(2)), of(Err(NoMemory))), (Ok(vec![1, 2]), Err(NoMemory)));
    }

    #[test]
    fn what_no_memory_holds_is_an_error() {
        assert_eq!(with_room::<u64>(usize::MAX), Err(NoMemory));
        assert_eq!(filled(0u8, usize::MAX), Err(NoMemory));
        assert_eq!((0..u64::MAX).try_list(), Err(NoMemory));
    }
}
