use thiserror::Error;

/// An error in the samples of a clip.
#[derive(Debug, Error, PartialEq)]
pub enum ClipError {
    /// No joints, no samples, or inconsistent lengths.
    #[error(
        "clip '{name}' has {found} joint transforms for {joints} joints; expected a whole number of samples, at least 1"
    )]
    Shape {
        /// Clip.
        name: String,
        /// Transforms found.
        found: usize,
        /// Joints expected.
        joints: usize,
    },
    /// Float values do not fit the samples.
    #[error("clip '{name}' has {found} float values; expected {expected}")]
    Floats {
        /// Clip.
        name: String,
        /// Values found.
        found: usize,
        /// Values expected.
        expected: usize,
    },
    /// A NaN or an infinity, or a rotation of length zero.
    #[error("clip '{name}', sample {sample}, joint {joint}: {what} is not a finite number or not a rotation")]
    NotFinite {
        /// Clip.
        name: String,
        /// Sample index.
        sample: usize,
        /// Joint index.
        joint: usize,
        /// Name of the invalid part.
        what: &'static str,
    },
    /// A duration that is negative, NaN or infinite.
    #[error("clip '{name}' lasts {found} s; expected zero or more")]
    Duration {
        /// Clip.
        name: String,
        /// Seconds found.
        found: f32,
    },
}
