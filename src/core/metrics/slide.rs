use super::Verdict;

/// The measured drift of one contact.
#[derive(Debug, Clone, PartialEq)]
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
    /// The largest speed of a sole point's drift, from step to step.
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
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SlideLimits {
    /// A slide from here warns.
    pub warn_slide_m: f32,
    /// A drift from this speed warns.
    pub warn_rate_m_s: f32,
    /// A slide from here fails.
    pub fail_slide_m: f32,
}

/// A limit that a contact reaches.
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
    /// The most severe limit that a contact reaches.
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
    /// The verdict on a contact that reaches it.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::FailSlide => Verdict::Fail,
            Self::WarnSlide | Self::WarnRate => Verdict::Warn,
        }
    }
}
