use super::limits::SKIN_TIMES;
use super::{
    ErrorLimits, ErrorReport, Farthest, MOST_TIMES_MEAN, SlideLimit, Verdict, VertexWorst, Weighed, WeighedWorst,
    Worst, WorstMean,
};
use serde::{Deserialize, Serialize};

/// The shell error fails from this many times its limit.
const SHELL_FAIL_TIMES: f32 = 10.0;

/// Rounding error of a pose that is composed along its chain of joints, in last places of float32.
const ROUNDED_PLACES: f32 = 4.0;

/// A kind of error by which a clip is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// Shell error at the samples, which the tolerance bounds.
    Shell,
    /// Shell error at the steps between samples.
    Between,
    /// Error on the skin.
    Skin,
    /// Slide of feet during contact.
    Slide,
    /// Drift of marked pins.
    Pin,
    /// Fast changes of the error, which look like trembling.
    Jitter,
    /// Jump from the last sample of a loop to its first.
    Seam,
    /// Drift of the root after many rounds of a loop.
    Root,
    /// Precision of float32 at the clip's distance from the origin, compared with the tolerance.
    Precision,
    /// Error that sampling the file's curves caused before any codec. It is a property of the source.
    Sampling,
}

impl Aspect {
    /// Every aspect, in the order of reports.
    pub const ALL: [Self; 10] = [
        Self::Shell,
        Self::Between,
        Self::Skin,
        Self::Slide,
        Self::Pin,
        Self::Jitter,
        Self::Seam,
        Self::Root,
        Self::Precision,
        Self::Sampling,
    ];

    /// True for errors that arose before compression. They are judged separately, because no codec can reduce them.
    pub fn is_of_source(self) -> bool {
        self == Self::Sampling
    }

    /// The problem in a few words, or "good".
    pub fn complaint(self, verdict: Verdict) -> &'static str {
        match (self, verdict) {
            (_, Verdict::Good) => "good",
            (Self::Shell, _) => "over tolerance",
            (Self::Between, Verdict::Warn) => "errors between samples",
            (Self::Between, Verdict::Fail) => "large errors between samples",
            (Self::Skin, Verdict::Warn) => "errors on the skin",
            (Self::Skin, Verdict::Fail) => "large errors on the skin",
            (Self::Slide, Verdict::Warn) => "feet drift",
            (Self::Slide, Verdict::Fail) => "feet slide",
            (Self::Pin, Verdict::Warn) => "pins drift",
            (Self::Pin, Verdict::Fail) => "pins slip",
            (Self::Jitter, Verdict::Warn) => "jitter",
            (Self::Jitter, Verdict::Fail) => "strong jitter",
            (Self::Seam, Verdict::Warn) => "seam jumps",
            (Self::Seam, Verdict::Fail) => "seam jumps far",
            (Self::Root, Verdict::Warn) => "root drifts",
            (Self::Root, Verdict::Fail) => "root goes astray",
            (Self::Precision, _) => "too far from the origin for float32",
            (Self::Sampling, Verdict::Warn) => "sample rate may be too low",
            (Self::Sampling, Verdict::Fail) => "sample rate too low",
        }
    }
}

/// One of the errors that make a verdict, with the limits it was compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// The kind of error.
    pub aspect: Aspect,
    /// The verdict on this error.
    pub verdict: Verdict,
    /// The largest error, metres.
    pub error_m: f32,
    /// True if it is the mean of a joint over all samples.
    pub is_mean: bool,
    /// The limit from which it warns, metres. Shell and precision warn only above it.
    pub warn_m: f32,
    /// The limit from which it fails, metres. `None` if it never fails.
    pub fail_m: Option<f32>,
    /// The speed of the drift, metres per second, if a contact warns because of it and not because of its slide.
    pub rate_m_s: Option<f32>,
    /// The limit from which that speed warns, metres per second.
    pub warn_rate_m_s: f32,
    /// The joint with the largest error.
    pub joint: usize,
    /// The time of the largest error.
    pub time_secs: f32,
}

impl Judged {
    /// Judges an error by two limits. It warns or fails as soon as it reaches them.
    fn held(aspect: Aspect, worst: Worst, [warn_m, fail_m]: [f32; 2]) -> Self {
        let verdict = Verdict::of(worst.error_m, [warn_m, fail_m]);
        Self::new(aspect, verdict, worst, warn_m, Some(fail_m))
    }

    fn new(aspect: Aspect, verdict: Verdict, worst: Worst, warn_m: f32, fail_m: Option<f32>) -> Self {
        let Worst { joint, time_secs, error_m } = worst;
        let (is_mean, rate_m_s, warn_rate_m_s) = (false, None, 0.0);
        Self { aspect, verdict, error_m, is_mean, warn_m, fail_m, rate_m_s, warn_rate_m_s, joint, time_secs }
    }
}

impl ErrorReport {
    /// Judges every error that was measured. The skin is included once it has been measured.
    pub fn judged(&self) -> Vec<Judged> {
        let even = |worst: &Worst| WeighedWorst { worst: *worst, weight: 1.0 };
        let [shell, between] = match &self.weighed {
            Some(weighed) => [weighed.samples, weighed.between],
            None => [even(&self.samples.worst), even(&self.between.worst)],
        };
        let mut all = vec![self.judged_shell(shell)];
        let held = |aspect, WeighedWorst { worst, weight }: WeighedWorst, times| {
            Judged::held(aspect, worst, self.limits.where_allowed(times, weight))
        };
        if self.sub_frames > 1 {
            all.push(held(Aspect::Between, between, 1.0));
        }
        all.extend(self.worst_on_skin().map(|worst| held(Aspect::Skin, worst, SKIN_TIMES)));
        all.extend(self.judged_slide());
        all.extend(self.judged_pin());
        all.extend(self.judged_jitter());
        all.extend(self.motion.seam().map(|seam| Judged::held(Aspect::Seam, seam, self.limits.of_seam())));
        all.extend(self.root.map(|root| Judged::held(Aspect::Root, root.worst(), self.limits.of_root(root.way_m))));
        all.extend(self.judged_precision());
        let ErrorLimits { warn_sampling_m, fail_sampling_m, .. } = self.limits;
        let sampling_limits = [warn_sampling_m, fail_sampling_m.max(warn_sampling_m)];
        all.extend(self.sampling.map(|error| Judged::held(Aspect::Sampling, error.into(), sampling_limits)));
        all
    }

    /// Judges the error that the tolerance bounds. It warns above the tolerance divided by the joint's weight, plus [`Self::rounding_m`].
    fn judged_shell(&self, largest: WeighedWorst) -> Judged {
        let is_peak = self.mean.is_none_or(|mean| largest.error_m() / MOST_TIMES_MEAN > mean.mean_m);
        let (WeighedWorst { worst, weight }, bound_m) = match self.mean.filter(|_| !is_peak) {
            Some(mean) => (self.mean_as_worst(mean), self.tolerance_m),
            None => (largest, self.most_m()),
        };
        let asked_m = if weight > 0.0 { bound_m / weight } else { bound_m };
        let warn_m = asked_m + self.rounding_m();
        let (fail_m, error_m) = (warn_m * SHELL_FAIL_TIMES, worst.error_m);
        let verdict = match error_m > warn_m {
            true if error_m >= fail_m => Verdict::Fail,
            true => Verdict::Warn,
            false => Verdict::Good,
        };
        Judged { is_mean: !is_peak, ..Judged::new(Aspect::Shell, verdict, worst, warn_m, Some(fail_m)) }
    }

    /// A mean error at the time of its joint's largest error.
    fn mean_as_worst(&self, WorstMean { joint, mean_m }: WorstMean) -> WeighedWorst {
        let time_secs = self.samples.per_joint.get(joint).map_or(0.0, |of_joint| of_joint.worst_secs);
        WeighedWorst { worst: Worst { joint, time_secs, error_m: mean_m }, weight: 1.0 }
    }

    /// The vertex whose error is the largest part of its limit, with the joint that contributes most. `None` until the skin was measured.
    fn worst_on_skin(&self) -> Option<WeighedWorst> {
        let vertex = self.vertex.as_ref()?;
        let VertexWorst { joint, time_secs, error_m, .. } = vertex.worst;
        let Some(weighed) = &self.weighed else {
            return Some(WeighedWorst { worst: Worst { joint, time_secs, error_m }, weight: 1.0 });
        };
        let weights = weighed.weights.at_steps(self.sub_frames);
        let measured = vertex.per_step.iter().zip(&vertex.per_step_joint).enumerate();
        let all = measured.map(|(step, (&error_m, &joint))| WeighedWorst {
            worst: Worst { joint, time_secs: (step * vertex.stride) as f32 * weighed.step_secs, error_m },
            weight: weights.at(step * vertex.stride, joint),
        });
        all.reduce(|worst, one| {
            let counts = |w: &WeighedWorst| self.limits.part_on_skin(w.worst.error_m, w.weight);
            if counts(&one) > counts(&worst) { one } else { worst }
        })
    }

    /// Judges the jitter, with the weight of its joint at the time.
    fn judged_jitter(&self) -> Option<Judged> {
        let worst = self.jitter?;
        let weight = self.weighed.as_ref().map_or(1.0, |weighed| {
            let step = (worst.time_secs / weighed.step_secs).round() as usize;
            weighed.weights.at_steps(self.sub_frames).at(step, worst.joint)
        });
        Some(Judged::held(Aspect::Jitter, worst, self.limits.of_jitter(weight)))
    }

    /// Warns if the last place of float32 is too coarse for the tolerance and the clip has losses. Otherwise `None`.
    fn judged_precision(&self) -> Option<Judged> {
        let Farthest { joint, time_secs, .. } = self.farthest;
        let worst = Worst { joint, time_secs, error_m: self.farthest.last_place_m() };
        let warn_m = Farthest::most_place_m(self.tolerance_m);
        let is_lost = self.samples.worst.error_m.max(self.between.worst.error_m) > 0.0;
        (is_lost && !self.resolves_tolerance())
            .then(|| Judged::new(Aspect::Precision, Verdict::Warn, worst, warn_m, None))
    }

    /// Rounding of float32 if the clip is too far from the origin for the tolerance, else 0. It does not count as an error of the codec.
    fn rounding_m(&self) -> f32 {
        if self.resolves_tolerance() { 0.0 } else { self.farthest.last_place_m() * ROUNDED_PLACES }
    }

    /// True if float32 resolves errors of the tolerance's size at the clip's farthest point.
    pub fn resolves_tolerance(&self) -> bool {
        self.farthest.resolves(self.tolerance_m)
    }

    /// The contact with the worst verdict. Ties go to the one that slides most.
    fn judged_slide(&self) -> Option<Judged> {
        let fares = |p: &&super::ContactSlide| (p.verdict, p.slide_m);
        let contacts = self.slide.contacts.iter();
        let contact = contacts.max_by(|a, b| fares(a).0.cmp(&fares(b).0).then(a.slide_m.total_cmp(&b.slide_m)))?;
        let limits = self.slide.limits;
        let worst = Worst { joint: contact.joint, time_secs: contact.worst_secs, error_m: contact.slide_m };
        let fail_m = Some(limits.fail_slide_m);
        let judged = Judged::new(Aspect::Slide, contact.verdict, worst, limits.warn_slide_m, fail_m);
        let rate_m_s = (contact.over == Some(SlideLimit::WarnRate)).then_some(contact.rate_m_s);
        Some(Judged { rate_m_s, warn_rate_m_s: limits.warn_rate_m_s, ..judged })
    }

    /// The marked pin with the worst verdict, which is the one that drifts most. `None` if no pin is marked.
    fn judged_pin(&self) -> Option<Judged> {
        let (pin, limits) = (self.pins.worst()?, self.pins.limits);
        let worst = Worst { joint: pin.joint, time_secs: pin.worst_secs, error_m: pin.drift_m };
        Some(Judged::new(Aspect::Pin, pin.verdict, worst, limits.warn_slide_m, Some(limits.fail_slide_m)))
    }

    /// True if the error that the codec bounds is within the tolerance, divided by the joint's weight if there are weights. Rounding of
    /// float32 far from the origin is allowed.
    pub fn within(&self) -> bool {
        let is_mean_within = self.mean.is_none_or(|mean| mean.mean_m <= self.tolerance_m + self.rounding_m());
        let is_largest_within = match &self.weighed {
            Some(Weighed { samples: WeighedWorst { worst, weight }, .. }) => {
                (worst.error_m - self.rounding_m()) * weight <= self.most_m()
            }
            None => self.samples.stats.max_m <= self.most_m() + self.rounding_m(),
        };
        is_mean_within && is_largest_within
    }

    /// The verdict on the compression: the worst of [`Self::judged`] except the source's errors. Float tracks beyond their limits fail.
    pub fn verdict(&self) -> Verdict {
        let floats = if self.floats.is_same() { Verdict::Good } else { Verdict::Fail };
        self.worst_verdict(|aspect| !aspect.is_of_source()).max(floats)
    }

    /// The verdict on the source: the loss before compression.
    pub fn source_verdict(&self) -> Verdict {
        self.worst_verdict(Aspect::is_of_source)
    }

    fn worst_verdict(&self, counts: impl Fn(Aspect) -> bool) -> Verdict {
        let judged = self.judged().into_iter().filter(|judged| counts(judged.aspect));
        judged.map(|judged| judged.verdict).max().unwrap_or_default()
    }
}
