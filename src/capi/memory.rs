//! Memory of the caller's: all unsafe blocks of this package. What they take for granted, the header asks of the caller.

use crate::status::Status;
use posepress_runtime::{Cursor, Opened};
use std::ffi::c_char;
use std::mem::{MaybeUninit, align_of, size_of};
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// Where a result goes; what was there is not read.
pub type Out<'a, T> = Option<&'a mut MaybeUninit<T>>;
/// Numbers that are read.
pub type Floats = *const f32;
/// Room for numbers.
pub type FloatsOut = *mut f32;
/// Room for a text.
pub type Message = *mut c_char;

/// Gives a result, or says that there is no place for it.
pub fn give<T>(out: Out<'_, T>, value: T) -> Result<(), Status> {
    out.map(|out| _ = out.write(value)).ok_or(Status::InvalidArgument)
}

/// `len` values from a pointer on; none may be null where there are none.
pub fn values<'a, T: Copy>(pointer: *const T, len: usize) -> Result<&'a [T], Status> {
    check(pointer, len)?;
    // Safety: the caller says that so many values lie there, and that nobody writes them during the call; see `check`.
    Ok(if len == 0 { &[] } else { unsafe { from_raw_parts(pointer, len) } })
}

/// Room for `len` values from a pointer on.
pub fn room<'a, T: Copy>(pointer: *mut T, len: usize) -> Result<&'a mut [T], Status> {
    check(pointer, len)?;
    // Safety: the caller says that there is room for so many values that nobody else looks at during the call; see `check`. They
    // are numbers, which have no forbidden bits, and are written but not read.
    Ok(if len == 0 { &mut [] } else { unsafe { from_raw_parts_mut(pointer, len) } })
}

/// A slice must have an address that suits its type and fewer bytes than half the address space.
fn check<T>(pointer: *const T, len: usize) -> Result<(), Status> {
    let is_slice = !pointer.is_null() && pointer.is_aligned() && len <= isize::MAX as usize / size_of::<T>();
    if len == 0 || is_slice { Ok(()) } else { Err(Status::InvalidArgument) }
}

/// Writes a text with a zero behind it into as much room as there is; what does not fit is cut between characters.
pub fn write_text(text: &str, message: Message, room_bytes: usize) -> Result<(), Status> {
    let room = room(message.cast::<u8>(), room_bytes)?;
    let Some(most) = room.len().checked_sub(1) else { return Ok(()) };
    let len = text.floor_char_boundary(most);
    room[..len].copy_from_slice(&text.as_bytes()[..len]);
    room[len] = 0;
    Ok(())
}

/// A cursor's own bytes; its lists lie behind them.
const HEAD_BYTES: usize = size_of::<Cursor<'static>>().next_multiple_of(ALIGN);
/// Of a block for a cursor.
pub const ALIGN: usize = 16;
const _: () = assert!(align_of::<Cursor<'static>>() <= ALIGN);

/// Bytes of a block for a cursor of a clip.
pub fn cursor_bytes<B: AsRef<[u8]>>(clip: &Opened<B>) -> usize {
    let lists = clip.cursor_layout();
    assert!(lists.align() <= ALIGN, "alignment of a cursor's lists");
    HEAD_BYTES + lists.size()
}

/// Makes a cursor in a block. It has nothing outside of it, so that there is nothing to be dropped when the block goes.
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
    // Safety: `HEAD_BYTES` bytes at a multiple of `ALIGN` are there, and the caller leaves the block alone while it uses the cursor.
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
