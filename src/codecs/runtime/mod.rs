//! What every decoder shares: the clip's header, and the float tracks and held intervals stored around the payload.

mod header;
mod wrap;

pub use header::ClipHeader;
pub(super) use wrap::{FloatTracks, WithExtras, read_holds, write_floats, write_holds};
