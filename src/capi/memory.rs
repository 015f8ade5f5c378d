//! The caller's memory, with all unsafe blocks of this crate. The header states what each block requires of the caller.

use crate::status::Status;
use posepress_runtime::{Cursor, NoMemory, Opened};
use std::alloc::{Layout, alloc};
use std::ffi::c_char;
use std::fmt::{Display, Write};
use std::mem::{MaybeUninit, align_of, size_of};
use std::ptr::NonNull;
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// The place of a result; its old value is not read.
pub type Out<'a, T> = Option<&'a mut MaybeUninit<T>>;
/// Numbers to read.
pub type Floats = *const f32;
/// A buffer for numbers.
pub type FloatsOut = *mut f32;
/// A buffer for a text.
pub type Message = *mut c_char;

/// A structure of the header that begins with its length in bytes. So fields can be added at its end, and callers may use an older or a
/// newer header.
///
/// # Safety
/// The type is `repr(C)`, begins with that `u32` and holds plain numbers, so that all of its bits may be zero.
pub unsafe trait Sized32: Copy {
    /// Length of the first version, bytes.
    const FIRST_BYTES: usize;
}

/// Reads a structure of the caller. Fields that the caller's header does not have are zero.
pub fn read_sized<T: Sized32>(from: *const T) -> Result<T, Status> {
    let bytes = sized_bytes(from)?;
    let mut out = MaybeUninit::<T>::zeroed();
    // Safety: the caller guarantees this number of bytes. The trait guarantees that any bytes of the type, and zeros, are valid.
    unsafe {
        std::ptr::copy_nonoverlapping(from.cast::<u8>(), out.as_mut_ptr().cast(), bytes);
        Ok(out.assume_init())
    }
}

/// Writes the fields that the caller's header has into a structure of the caller. Its length field does not change.
pub fn give_sized<T: Sized32>(to: *mut T, value: &T) -> Result<(), Status> {
    let bytes = sized_bytes(to)?;
    let (after, value) = (size_of::<u32>(), std::ptr::from_ref(value).cast::<u8>());
    // Safety: the caller guarantees room for this number of bytes.
    unsafe { std::ptr::copy_nonoverlapping(value.add(after), to.cast::<u8>().add(after), bytes - after) };
    Ok(())
}

/// Bytes of a structure that both the caller's header and this one have.
fn sized_bytes<T: Sized32>(structure: *const T) -> Result<usize, Status> {
    check(structure, 1)?;
    if structure.is_null() {
        return Err(Status::InvalidArgument);
    }
    // Safety: the trait guarantees that the structure begins with its length.
    let said = unsafe { structure.cast::<u32>().read() } as usize;
    if said < T::FIRST_BYTES { Err(Status::InvalidArgument) } else { Ok(said.min(size_of::<T>())) }
}

/// Writes a result; an error if its pointer is null.
pub fn give<T>(out: Out<'_, T>, value: T) -> Result<(), Status> {
    out.map(|out| _ = out.write(value)).ok_or(Status::InvalidArgument)
}

/// The `len` values at a pointer. The pointer may be null if `len` is 0.
pub fn values<'a, T: Copy>(pointer: *const T, len: usize) -> Result<&'a [T], Status> {
    check(pointer, len)?;
    // Safety: the caller guarantees this number of values, and that nothing writes them during the call; see `check`.
    Ok(if len == 0 { &[] } else { unsafe { from_raw_parts(pointer, len) } })
}

/// Room for `len` values at a pointer. The pointer may be null if `len` is 0.
pub fn room<'a, T: Copy>(pointer: *mut T, len: usize) -> Result<&'a mut [T], Status> {
    check(pointer, len)?;
    // Safety: the caller guarantees room for this number of values, and that nothing else reads or writes it during the call; see `check`.
    // The values are numbers, for which all bits are valid, and are written but not read.
    Ok(if len == 0 { &mut [] } else { unsafe { from_raw_parts_mut(pointer, len) } })
}

/// Checks that a slice has an aligned, non-null address and less than half the address space. A slice of length 0 may have any address.
fn check<T>(pointer: *const T, len: usize) -> Result<(), Status> {
    let is_slice = !pointer.is_null() && pointer.is_aligned() && len <= isize::MAX as usize / size_of::<T>();
    if len == 0 || is_slice { Ok(()) } else { Err(Status::InvalidArgument) }
}

/// Writes a text and a terminating zero. A text that does not fit is cut between characters. Nothing is allocated.
pub fn write_text(text: impl Display, message: Message, room_bytes: usize) -> Result<(), Status> {
    let Some((end, room)) = room(message.cast::<u8>(), room_bytes)?.split_last_mut() else { return Ok(()) };
    let mut rest = Rest(room);
    *end = 0;
    // Writing stops when the buffer is full.
    let _ = write!(rest, "{text}");
    rest.0.iter_mut().take(1).for_each(|end| *end = 0);
    Ok(())
}

/// The unused rest of a text buffer.
struct Rest<'a>(&'a mut [u8]);

impl Write for Rest<'_> {
    fn write_str(&mut self, part: &str) -> std::fmt::Result {
        let len = part.floor_char_boundary(self.0.len());
        let (to, rest) = std::mem::take(&mut self.0).split_at_mut(len);
        to.copy_from_slice(&part.as_bytes()[..len]);
        self.0 = rest;
        if len < part.len() { Err(std::fmt::Error) } else { Ok(()) }
    }
}

/// Boxes a value; a failed allocation is an error and does not end the process.
pub fn boxed<T>(value: T) -> Result<Box<T>, NoMemory> {
    const { assert!(size_of::<T>() > 0, "boxed types have a size") };
    // Safety: the size of the type is not zero.
    let place = unsafe { alloc(Layout::new::<T>()) }.cast::<T>();
    let place = NonNull::new(place).ok_or(NoMemory)?;
    // Safety: the memory has the size and alignment of the type and comes from the global allocator, as the memory of boxes does.
    unsafe {
        place.write(value);
        Ok(Box::from_raw(place.as_ptr()))
    }
}

/// Size of a cursor without its lists, which follow it in the block.
const HEAD_BYTES: usize = size_of::<Cursor<'static>>().next_multiple_of(ALIGN);
/// Alignment of a cursor's block in bytes.
pub const ALIGN: usize = 16;
const _: () = assert!(align_of::<Cursor<'static>>() <= ALIGN);

/// Size of a cursor's block in bytes.
pub fn cursor_bytes<B: AsRef<[u8]>>(clip: &Opened<B>) -> Result<usize, NoMemory> {
    let lists = clip.cursor_layout()?;
    assert!(lists.align() <= ALIGN, "alignment of a cursor's lists");
    Ok(HEAD_BYTES + lists.size())
}

/// Makes a cursor in a block. The cursor owns no other memory, so the block can be freed without dropping the cursor.
pub fn place_cursor<'a, B: AsRef<[u8]>>(
    clip: &Opened<B>,
    block: *mut MaybeUninit<u8>,
    bytes: usize,
) -> Result<&'a mut Cursor<'static>, Status> {
    if !block.cast::<u128>().is_aligned() {
        return Err(Status::TooSmall);
    }
    let block: &'static mut [MaybeUninit<u8>] = room(block, bytes)?;
    let (head, lists) = block.split_at_mut_checked(HEAD_BYTES).ok_or(Status::TooSmall)?;
    let cursor = clip.cursor_in(lists).map_err(|_| Status::TooSmall)?;
    let head = head.as_mut_ptr().cast::<MaybeUninit<Cursor<'static>>>();
    // Safety: `head` has `HEAD_BYTES` bytes at a multiple of `ALIGN`. The caller does not touch the block while it uses the cursor.
    Ok(unsafe { &mut *head }.write(cursor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters_and_end_with_a_zero() {
        for (room_bytes, expected) in [(20, "aü€"), (7, "aü€"), (6, "aü"), (4, "aü"), (3, "a"), (1, "")] {
            let mut room = [b'x'; 20];
            write_text("aü€", room.as_mut_ptr().cast(), room_bytes).unwrap();
            assert_eq!(&room[..=expected.len()], [expected.as_bytes(), &[0]].concat(), "{room_bytes}");
            assert!(room[room_bytes..].iter().all(|byte| *byte == b'x'), "{room_bytes}");
        }
        assert_eq!(write_text("a", std::ptr::null_mut(), 0), Ok(()));
        assert_eq!(write_text("a", std::ptr::null_mut(), 1), Err(Status::InvalidArgument));
    }

    #[derive(Debug, Clone, Copy, PartialEq)]
    #[repr(C)]
    struct Grown {
        struct_size: u32,
        old: u32,
        new: u64,
    }

    // Safety: plain numbers, the length in front.
    unsafe impl Sized32 for Grown {
        const FIRST_BYTES: usize = 8;
    }

    #[test]
    fn a_structure_of_an_older_or_a_newer_header_is_read_and_filled_as_far_as_both_have_it() {
        let ours = Grown { struct_size: 16, old: 3, new: 4 };
        for (said, read, filled) in [(8, 0, 2), (16, 2, 4), (400, 2, 4)] {
            let mut theirs = Grown { struct_size: said, old: 1, new: 2 };
            assert_eq!(read_sized(&theirs), Ok(Grown { struct_size: said, old: 1, new: read }));
            assert_eq!(give_sized(&mut theirs, &ours), Ok(()));
            assert_eq!(theirs, Grown { struct_size: said, old: 3, new: filled });
        }
        let mut none = Grown { struct_size: 7, old: 1, new: 2 };
        assert_eq!(read_sized(&none), Err(Status::InvalidArgument));
        assert_eq!(give_sized(&mut none, &ours), Err(Status::InvalidArgument));
        assert_eq!(read_sized(std::ptr::null::<Grown>()), Err(Status::InvalidArgument));
    }

    #[test]
    fn what_cannot_be_a_slice_is_refused() {
        let numbers = [1.0f32, 2.0];
        assert_eq!(values(numbers.as_ptr(), 2), Ok(&numbers[..]));
        assert_eq!(values(std::ptr::null::<f32>(), 0), Ok(&[][..]));
        assert_eq!(values(std::ptr::null::<f32>(), 1), Err(Status::InvalidArgument));
        assert_eq!(values(numbers.as_ptr(), usize::MAX), Err(Status::InvalidArgument));
        assert_eq!(values(numbers.as_ptr().wrapping_byte_add(1), 1), Err(Status::InvalidArgument));
    }
}
