/// The sampling error: the largest shell error of uniform samples, blended as players do, against the curves of the file. It
/// arises before any codec.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SamplingError {
    /// Size of the error, metres.
    pub error_m: f32,
    /// Joint with the error.
    pub joint: usize,
    /// Time of the error.
    pub time_secs: f32,
}
