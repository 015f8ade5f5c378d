use posepress_runtime::{DecodeError, NoMemory};
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of a function. The numbers are part of the ABI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    /// Success.
    Ok = 0,
    /// A null pointer, or an index or number out of range.
    InvalidArgument = 1,
    /// Damaged bytes, or an unknown codec or version.
    BadBytes = 2,
    /// A buffer or a block is too small, or not aligned.
    TooSmall = 3,
    /// The cursor belongs to another clip.
    OtherClip = 4,
    /// A bug of the library.
    Internal = 5,
    /// Memory ran out while opening or joining a tier.
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
    /// Runs the body of a function and turns a panic into a status.
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
            Self::Internal => c"a bug of the library",
            Self::NoMemory => c"there is not enough memory",
        }
    }
}

/// Like [`Status::of`], for functions that return a value.
pub fn or<T>(fault: T, work: impl FnOnce() -> T) -> T {
    // A panic can leave the caller's memory half written. The header says so.
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
