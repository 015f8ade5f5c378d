//! Samples as integers on lattices: each joint is encoded against what its parent decodes to, and makes up for its error.

mod between;
mod judge;
mod level;
mod search;
mod solve;
mod tracks;

pub use judge::Plan;
pub use level::{LEVEL, Level};
pub use search::Search;
pub use solve::Frame;
pub use tracks::{Track, animated_tracks};
