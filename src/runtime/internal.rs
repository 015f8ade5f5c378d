//! Formats, tables and maths that encoders of the same version share with decoders. Not part of the interface: it changes without notice.

pub use crate::channel::{Channel, FloatHold, HeldIntervals, Hold};
pub use crate::clip::ClipSections;
pub use crate::groups::JointGroups;
pub use crate::state_memory::{Boxed, List, StateMemory};
#[cfg(feature = "press")]
pub use crate::tiers::{TIER_VERSION, TIERED, TieredPayload};

/// Decoders, one module per codec.
pub mod codecs {
    pub use crate::codecs::*;
}

/// Corrections of decoded poses.
pub mod compensation {
    pub use crate::compensation::*;
}

/// Bits, bytes and the container.
pub mod format {
    pub use crate::format::*;
}

/// The maths of decoding.
pub mod math {
    pub use crate::math::*;
}

/// Fallible allocation.
pub mod memory {
    pub use crate::memory::*;
}

/// Parts that decoders share.
pub mod parts {
    pub use crate::parts::*;
}
