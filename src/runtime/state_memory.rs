//! Memory of cursors. Its unsafe code is an allocator that hands out parts of the caller's block.
#![allow(unsafe_code)]

use crate::memory::NoMemory;
use allocator_api2::alloc::{AllocError, Allocator, Global};
use allocator_api2::boxed::Box;
use allocator_api2::vec::Vec;
use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};

/// A list of a cursor's state, allocated at its full length.
pub type List<T> = Vec<T, StateMemory>;
/// A part of a cursor's state that is too large for the cursor itself.
pub type Boxed<T> = Box<T, StateMemory>;

/// The memory of a cursor's state: the heap, or a block of the caller.
#[derive(Debug, Clone, Copy)]
pub struct StateMemory(Option<NonNull<Block>>);

/// The head of a block.
#[derive(Debug)]
struct Block {
    /// Start of the lists.
    start: NonNull<u8>,
    len: usize,
    used: AtomicUsize,
}

/// Alignment of every list; four-wide vectors need it.
const ALIGN: usize = 16;
/// Bytes before the first list.
const HEAD_BYTES: usize = size_of::<Block>().next_multiple_of(ALIGN);

// Safety: only the atomic counter of a block changes; its other fields never do.
unsafe impl Send for StateMemory {}
// Safety: as above.
unsafe impl Sync for StateMemory {}

/// The loan of a block to a cursor. It ends when the cursor is dropped.
#[derive(Debug)]
pub(crate) struct Lent<'m>(PhantomData<&'m mut ()>);

impl Lent<'_> {
    /// The heap, which needs no loan.
    pub(crate) const HEAP: Lent<'static> = Lent(PhantomData);
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {}
}

/// A block that is too small for a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockError {
    /// The layout that the cursor needs; a lower bound if memory ran out while finding it.
    pub needed: Layout,
    /// Bytes from the block's first aligned address.
    pub found_bytes: usize,
}

impl core::fmt::Display for BlockError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let (bytes, align) = (self.needed.size(), self.needed.align());
        write!(f, "the cursor needs {bytes} bytes at a multiple of {align}; the block has {}", self.found_bytes)
    }
}

impl core::error::Error for BlockError {}

impl StateMemory {
    /// Allocates on the heap.
    pub const HEAP: Self = Self(None);

    /// A list of equal values.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn filled<T: Clone>(self, value: T, len: usize) -> Result<List<T>, NoMemory> {
        let mut list = self.with_room(len)?;
        list.resize(len, value);
        Ok(list)
    }

    /// A list from an iterator.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn list<T>(self, items: impl ExactSizeIterator<Item = T>) -> Result<List<T>, NoMemory> {
        let mut list = self.with_room(items.len())?;
        list.extend(items);
        Ok(list)
    }

    /// A list of at most `len` items from a fallible iterator.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn list_of<T>(self, len: usize, items: impl Iterator<Item = Result<T, NoMemory>>) -> Result<List<T>, NoMemory> {
        let mut list = self.with_room(len)?;
        for item in items.take(len) {
            list.push(item?);
        }
        Ok(list)
    }

    /// An empty list with capacity `len`, beyond which it does not grow.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn with_room<T>(self, len: usize) -> Result<List<T>, NoMemory> {
        let mut list = Vec::new_in(self);
        list.try_reserve_exact(len)?;
        Ok(list)
    }

    /// One value.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn boxed<T>(self, value: T) -> Result<Boxed<T>, NoMemory> {
        Ok(Box::try_new_in(value, self)?)
    }

    /// Layout of the block for the value that `make` creates. The value is created on the heap and dropped.
    pub(crate) fn measure<T>(make: impl FnOnce(Self) -> Result<T, NoMemory>) -> Result<Layout, NoMemory> {
        let block = Block { start: NonNull::dangling(), len: 0, used: AtomicUsize::new(0) };
        drop(make(Self(Some(NonNull::from(&block))))?);
        Ok(layout(block.used.into_inner()))
    }

    /// Creates a value whose lists lie in a block. The value must own these lists, and must not outlive the returned [`Lent`]. Then
    /// nothing refers to the block when its owner gets it back.
    pub(crate) fn place<'m, T>(
        memory: &'m mut [MaybeUninit<u8>],
        make: impl FnOnce(Self) -> Result<T, NoMemory>,
    ) -> Result<(T, Lent<'m>), BlockError> {
        let offset = memory.as_ptr().align_offset(ALIGN);
        let memory = memory.get_mut(offset..).unwrap_or_default();
        let found_bytes = memory.len();
        let too_small = |used| Err(BlockError { needed: layout(used), found_bytes });
        let Some(len) = found_bytes.checked_sub(HEAD_BYTES) else {
            return too_small(Self::measure(make).map_or(0, |needed| needed.size() - HEAD_BYTES));
        };
        let base = NonNull::from(memory).cast::<u8>();
        // Safety: the block has at least `HEAD_BYTES` bytes, so the sum stays inside it.
        let start = unsafe { base.add(HEAD_BYTES) };
        let head = base.cast::<Block>();
        // Safety: the block is aligned and long enough, and it is borrowed exclusively for 'm.
        unsafe { head.write(Block { start, len, used: AtomicUsize::new(0) }) };
        let made = make(Self(Some(head)));
        // Safety: the head was written above, and the lists begin after it.
        let used = unsafe { head.as_ref() }.used.load(Ordering::Relaxed);
        match made {
            Ok(made) if used <= len => Ok((made, Lent(PhantomData))),
            _ => too_small(used),
        }
    }

    fn block(&self) -> Option<&Block> {
        // Safety: a block outlives the lists in it, see `place` and `measure`. Only these lists hold a `StateMemory` of it.
        self.0.map(|block| unsafe { block.as_ref() })
    }
}

/// Layout of a block whose lists take `used` bytes.
fn layout(used: usize) -> Layout {
    Layout::from_size_align(HEAD_BYTES + used, ALIGN).unwrap_or(Layout::new::<Block>())
}

impl Block {
    fn holds(&self, pointer: NonNull<u8>) -> bool {
        pointer.addr().get().wrapping_sub(self.start.addr().get()) < self.len
    }
}

// Safety: each part of a block is handed out once. It stays valid until the owner gets the block back, after the last list is
// dropped. All other memory comes from the heap. Copies of a `StateMemory` share their block.
unsafe impl Allocator for StateMemory {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let Some(block) = self.block() else { return Global.allocate(layout) };
        // Bytes that do not fit are counted too: `measure` finds the needed size with an empty block.
        let size = layout.size().next_multiple_of(ALIGN);
        let at = block.used.fetch_add(size, Ordering::Relaxed);
        if layout.align() > ALIGN || block.len.checked_sub(at).is_none_or(|left| left < size) {
            return Global.allocate(layout);
        }
        // Safety: `at + size` is within the block's `len` bytes.
        Ok(NonNull::slice_from_raw_parts(unsafe { block.start.add(at) }, layout.size()))
    }

    unsafe fn deallocate(&self, pointer: NonNull<u8>, layout: Layout) {
        if !self.block().is_some_and(|block| block.holds(pointer)) {
            // Safety: a pointer outside the block came from the heap, with this layout.
            unsafe { Global.deallocate(pointer, layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Lists = (List<u8>, List<f64>, Boxed<[u32; 5]>);

    fn lists(memory: StateMemory) -> Result<Lists, NoMemory> {
        Ok((memory.filled(3, 17)?, memory.list([0.5, 1.5].into_iter())?, memory.boxed([7; 5])?))
    }

    #[test]
    fn a_measured_block_holds_what_was_measured_and_one_byte_less_does_not() {
        let needed = StateMemory::measure(lists).unwrap();
        assert_eq!(needed.size(), HEAD_BYTES + 32 + 16 + 32);
        let mut memory = [MaybeUninit::uninit(); 512];
        let first = memory.as_ptr().align_offset(ALIGN);
        let inside = memory[first..].as_ptr_range();
        let ((bytes, numbers, boxed), _lent) =
            StateMemory::place(&mut memory[first..first + needed.size()], lists).unwrap();
        assert_eq!((&bytes[..], &numbers[..], *boxed), (&[3; 17][..], &[0.5, 1.5][..], [7; 5]));
        for at in [bytes.as_ptr().cast(), numbers.as_ptr().cast(), boxed.as_ptr().cast()] {
            assert!(inside.contains(&at));
        }
        drop(_lent);
        let too_small = StateMemory::place(&mut memory[first..first + needed.size() - 1], lists).unwrap_err();
        assert_eq!(too_small, BlockError { needed, found_bytes: needed.size() - 1 });
        assert_eq!(StateMemory::place(&mut memory[..0], lists).unwrap_err().needed, needed);
    }

    #[test]
    fn a_copy_of_a_list_in_a_full_block_lies_on_the_heap() {
        let needed = StateMemory::measure(lists).unwrap();
        let mut memory = vec![MaybeUninit::uninit(); needed.size() + ALIGN];
        let ((bytes, ..), _lent) = StateMemory::place(&mut memory, lists).unwrap();
        let copies = [bytes.clone(), bytes.clone()];
        assert!(copies.iter().all(|copy| *copy == bytes && copy.as_ptr() != bytes.as_ptr()));
    }
}
