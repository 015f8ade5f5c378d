use crate::metrics::{ContactSlide, SlideLimit, SlideLimits};
use crate::model::Clip;
use crate::text::{self, FrameNumbers};

/// The frames of a contact: `f3–17`, across a loop's seam `f79–3 across the seam`.
pub fn contact_frames(clip: &Clip, contact: &ContactSlide, numbers: FrameNumbers) -> String {
    // Spans of a loop end beyond its last sample, where the grid has no samples.
    let at = |secs: f32| (f64::from(secs) * clip.grid().rate_hz()).round() as usize;
    numbers.frames_round(at(contact.start_secs), at(contact.end_secs), clip.samples() - 1)
}

/// A slide limit as text: `5.0 mm`, `2.0 cm/s`.
pub fn slide_limit(limits: &SlideLimits, limit: SlideLimit) -> String {
    match limit {
        SlideLimit::FailSlide => text::length(limits.fail_slide_m),
        SlideLimit::WarnSlide => text::length(limits.warn_slide_m),
        SlideLimit::WarnRate => text::speed(limits.warn_rate_m_s),
    }
}
