/// How far uniform samples, blended as players blend them, are from the curves of the file that they were taken from: what was
/// lost before any codec. The largest shell error of any joint, at the samples and between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SamplingError {
    /// How large.
    pub error_m: f32,
    /// Joint.
    pub joint: usize,
    /// Time.
    pub time_secs: f32,
}
