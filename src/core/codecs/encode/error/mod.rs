//! The error of decoded bytes, and the search for bytes with a small enough error.

pub(in crate::codecs::encode) mod own_payload;
mod point_motion;
pub(in crate::codecs::encode) mod tolerance;
pub(in crate::codecs::encode) mod trial;
pub(in crate::codecs::encode) mod verify;
pub(in crate::codecs::encode) mod virtual_vertices;

pub use own_payload::{OwnPayload, open_own, play_own};
pub use point_motion::PointMotion;
pub use tolerance::{AIM, Attempt, CLOSE_AIM, ToleranceLoop};
pub use trial::{Hierarchy, Trial};
pub use verify::{decoded_error_m, played_error_m, unreadable};
pub use virtual_vertices::{RawLocals, RawModel, Reach, VertexSet, VirtualVertices, raw_track, reaches_m};
