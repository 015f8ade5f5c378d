use posepress_runtime::{DecodeError, NoMemory};
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a function says; the numbers are part of the ABI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    /// It is done.
    Ok = 0,
    /// A null pointer, an index or a number that is none of those allowed.
    InvalidArgument = 1,
    /// The bytes are damaged, or of a codec or version that this build does not have.
    BadBytes = 2,
    /// A buffer or a block is too small, or its address no multiple of what is asked for.
    TooSmall = 3,
    /// The cursor is that of another clip.
    OtherClip = 4,
    /// A fault of the library.
    Internal = 5,
    /// Memory ran out.
    NoMemory = 6,
}

impl From<NoMemory> for Status {
    fn from(_: NoMemory) -> Self {
        Self::NoMemory
    }
}

impl From<&DecodeError> for Status {
    fn from(error: &DecodeError) -> Self {
        if *error == DecodeError::NoMemory { Self::NoMemory } else { Self::BadBytes }
    }
}

impl Status {
    /// Runs what a function does. A panic goes no further.
    pub fn of(work: impl FnOnce() -> Result<(), Self>) -> Self {
        or(Self::Internal, || work().err().unwrap_or(Self::Ok))
    }

    fn text(self) -> &'static std::ffi::CStr {
        match self {
            Self::Ok => c"done",
            Self::InvalidArgument => c"an argument is null or out of range",
            Self::BadBytes => c"the bytes are damaged or of another version",
            Self::TooSmall => c"a buffer is too small or not aligned",
            Self::OtherClip => c"the cursor was made by another clip",
            Self::Internal => c"a fault of the library",
            Self::NoMemory => c"there is not enough memory",
        }
    }
}

/// As [`Status::of`], for functions that give a value.
pub fn or<T>(fault: T, work: impl FnOnce() -> T) -> T {
    // What a panic leaves half done is memory of the caller's, of which nothing is promised then.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(fault)
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn posepress_status_text(status: i32) -> *const c_char {
    use Status::{BadBytes, Internal, InvalidArgument, NoMemory, Ok, OtherClip, TooSmall};
    let known = [Ok, InvalidArgument, BadBytes, TooSmall, OtherClip, Internal, NoMemory];
    known.into_iter().find(|s| *s as i32 == status).map_or(c"no status", Status::text).as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_status() {
        assert_eq!(Status::of(|| panic!("a fault")), Status::Internal);
        assert_eq!(Status::of(|| Err(Status::TooSmall)), Status::TooSmall);
        assert_eq!((Status::of(|| Ok(())), or(7, || panic!("a fault"))), (Status::Ok, 7));
    }
}
