use super::Verdict;
use serde::{Deserialize, Serialize};

/// Time over which the speed of a drift is measured, seconds. A shorter change is quantization noise.
pub const RATE_SECS: f64 = 0.1;

/// The speed of a drift counts from this share of the slide that warns.
pub(crate) const RATE_COUNTS_FROM: f32 = 0.5;

/// The measured drift of one contact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContactSlide {
    /// Index into the plan's feet.
    pub foot: usize,
    /// Joint of the foot.
    pub joint: usize,
    /// Touch-down.
    pub start_secs: f32,
    /// Lift-off. Beyond the clip's end if the contact continues across a loop's seam.
    pub end_secs: f32,
    /// The largest horizontal drift of a sole point since the start of the contact, minus the motion of the raw clip.
    pub slide_m: f32,
    /// The slide of the raw clip itself, over the ground. It is not judged.
    pub source_m: f32,
    /// The largest shell error of the foot between samples, against the curves of the file. It is judged with the sampling error of the
    /// clip. `None` if it is unknown.
    pub sampling_m: Option<f32>,
    /// The largest speed of a sole point's drift, over [`RATE_SECS`].
    pub rate_m_s: f32,
    /// The longest path of a sole point's drift over the ground.
    pub shimmer_m: f32,
    /// The largest height of a sole point above the raw clip.
    pub float_m: f32,
    /// The largest depth of a sole point below the raw clip.
    pub sink_m: f32,
    /// Time of the largest slide.
    pub worst_secs: f32,
    /// The verdict by the limits of the contact settings.
    pub verdict: Verdict,
    /// The limit that the contact reaches. `None` if it is good.
    pub over: Option<SlideLimit>,
}

/// Limits of a contact, scaled to the size of the rig.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SlideLimits {
    /// A slide from here warns.
    pub warn_slide_m: f32,
    /// A drift from this speed warns, if the slide is at least half of [`Self::warn_slide_m`].
    pub warn_rate_m_s: f32,
    /// A slide from here fails.
    pub fail_slide_m: f32,
}

/// A limit that a contact reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SlideLimit {
    /// [`SlideLimits::warn_slide_m`].
    WarnSlide,
    /// [`SlideLimits::warn_rate_m_s`].
    WarnRate,
    /// [`SlideLimits::fail_slide_m`].
    FailSlide,
}

impl SlideLimits {
    /// The most severe limit that a contact reaches.
    pub fn over(&self, slide_m: f32, rate_m_s: f32) -> Option<SlideLimit> {
        if slide_m >= self.fail_slide_m {
            Some(SlideLimit::FailSlide)
        } else if slide_m >= self.warn_slide_m {
            Some(SlideLimit::WarnSlide)
        } else {
            let counts = slide_m >= self.warn_slide_m * RATE_COUNTS_FROM;
            (counts && rate_m_s >= self.warn_rate_m_s).then_some(SlideLimit::WarnRate)
        }
    }

    /// Slide and rate of a contact as shares of the limits that warn, the larger of both. It warns from 1.
    pub fn part(&self, contact: &ContactSlide) -> f32 {
        share(contact.slide_m, self.warn_slide_m).max(self.rate_part(contact.slide_m, contact.rate_m_s))
    }

    /// The rate as a share of its limit. It stays below 1 while the slide is too small for the rate to count.
    pub fn rate_part(&self, slide_m: f32, rate_m_s: f32) -> f32 {
        share(rate_m_s, self.warn_rate_m_s).min(share(slide_m, self.warn_slide_m * RATE_COUNTS_FROM))
    }
}

impl SlideLimit {
    /// The verdict on a contact that reaches it.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::FailSlide => Verdict::Fail,
            Self::WarnSlide | Self::WarnRate => Verdict::Warn,
        }
    }
}

/// A value as a share of its limit. A limit of 0 is reached by every value but 0.
fn share(value: f32, limit: f32) -> f32 {
    value / limit.max(f32::MIN_POSITIVE)
}
