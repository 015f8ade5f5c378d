//! Storage formats of rotations and vectors.

pub(in crate::parts) mod bit_window;
pub(in crate::parts) mod lanes;
pub(in crate::parts) mod rotation_format;
pub(in crate::parts) mod value_format;
pub(in crate::parts) mod vector_format;

pub use lanes::{RangeLanes, rotations, vectors};
pub use rotation_format::RotationFormat;
pub use value_format::ValueFormat;
pub use vector_format::{RangeSource, VectorFormat, is_usable};
