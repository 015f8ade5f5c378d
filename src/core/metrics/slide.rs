use super::Verdict;

/// What compression did to one plant.
#[derive(Debug, Clone, PartialEq)]
pub struct PlantReport {
    /// Index into the plan's feet.
    pub foot: usize,
    /// Joint of the foot.
    pub joint: usize,
    /// From touch-down ...
    pub start_secs: f32,
    /// ... to lift-off; beyond the clip's end where the plant goes on across a loop's seam.
    pub end_secs: f32,
    /// Largest horizontal drift against the start of the plant, beyond what the raw clip does, of the point of the sole
    /// that drifts most.
    pub slide_m: f32,
    /// Largest speed of that drift, from step to step.
    pub rate_m_s: f32,
    /// Sum of all horizontal drift steps.
    pub shimmer_m: f32,
    /// Largest height above raw.
    pub float_m: f32,
    /// Largest depth below raw.
    pub sink_m: f32,
    /// Time of the largest slide.
    pub worst_secs: f32,
    /// Judged by the limits of the contact settings.
    pub verdict: Verdict,
    /// The limit that it is over; `None` when it is good.
    pub over: Option<SlideLimit>,
}

/// Limits of a plant, scaled to the size of the rig.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SlideLimits {
    /// A slide that warns.
    pub warn_slide_m: f32,
    /// A rate that warns.
    pub warn_rate_m_s: f32,
    /// A slide that fails.
    pub fail_slide_m: f32,
}

/// Which limit a plant is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlideLimit {
    /// [`SlideLimits::warn_slide_m`].
    WarnSlide,
    /// [`SlideLimits::warn_rate_m_s`].
    WarnRate,
    /// [`SlideLimits::fail_slide_m`].
    FailSlide,
}

impl SlideLimits {
    /// The most telling limit that a plant is over.
    pub fn over(&self, slide_m: f32, rate_m_s: f32) -> Option<SlideLimit> {
        if slide_m >= self.fail_slide_m {
            Some(SlideLimit::FailSlide)
        } else if slide_m >= self.warn_slide_m {
            Some(SlideLimit::WarnSlide)
        } else {
            (rate_m_s >= self.warn_rate_m_s).then_some(SlideLimit::WarnRate)
        }
    }
}

impl SlideLimit {
    /// The verdict of a plant that is over it.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::FailSlide => Verdict::Fail,
            Self::WarnSlide | Self::WarnRate => Verdict::Warn,
        }
    }
}
