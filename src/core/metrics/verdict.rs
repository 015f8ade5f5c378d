use super::{ErrorReport, VertexWorst, Weighed, WeighedWorst, Worst};
use crate::model::SamplingError;
use serde::{Deserialize, Serialize};

/// How a plant or a clip fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing that a person would see.
    #[default]
    Good,
    /// Worth a look.
    Warn,
    /// Visible.
    Fail,
}

impl Verdict {
    /// As files say it.
    pub fn key(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// From how many tolerances on an error is judged that the tolerance itself does not bound: on the skin, which lies farther
/// out than the shell, and between samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorLimits {
    /// Warns. Default 3.
    pub warn_times: f32,
    /// Fails; so does a shell error at the samples. Default 10.
    pub fail_times: f32,
}

impl Default for ErrorLimits {
    fn default() -> Self {
        Self { warn_times: 3.0, fail_times: 10.0 }
    }
}

/// What a clip is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Aspect {
    /// Shell error at the samples: what the tolerance promises.
    Shell,
    /// Shell error at the steps between samples.
    Between,
    /// Error on the skin.
    Skin,
    /// Slide of planted feet.
    Slide,
    /// What the samples lost against the curves of the file, before any codec. It warns and never fails: no recipe mends it.
    Sampling,
}

impl Aspect {
    /// Every aspect, in the order in which reports have them.
    pub const ALL: [Self; 5] = [Self::Shell, Self::Between, Self::Skin, Self::Slide, Self::Sampling];

    /// As files say it.
    pub fn key(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Between => "between",
            Self::Skin => "skin",
            Self::Slide => "slide",
            Self::Sampling => "sampling",
        }
    }

    /// What is wrong, in words; nothing is, where the verdict is good.
    pub fn complaint(self, verdict: Verdict) -> &'static str {
        match (self, verdict) {
            (_, Verdict::Good) => "good",
            (Self::Shell, _) => "over tolerance",
            (Self::Between, Verdict::Warn) => "look between samples",
            (Self::Between, Verdict::Fail) => "far off between samples",
            (Self::Skin, Verdict::Warn) => "look at the skin",
            (Self::Skin, Verdict::Fail) => "skin far off",
            (Self::Slide, Verdict::Warn) => "look at the feet",
            (Self::Slide, Verdict::Fail) => "feet slide",
            (Self::Sampling, _) => "look at the sample rate",
        }
    }
}

/// One of the errors that make a verdict, with the limits that it was held against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// Which.
    pub aspect: Aspect,
    /// How it fares.
    pub verdict: Verdict,
    /// The largest, metres.
    pub error_m: f32,
    /// Warns from there on; the shell beyond it.
    pub warn_m: f32,
    /// Fails from there on; `None` for what never fails.
    pub fail_m: Option<f32>,
    /// The joint that it is of.
    pub joint: usize,
    /// When it is largest.
    pub time_secs: f32,
}

impl ErrorReport {
    /// Every error that was measured, judged. The skin counts once it has been measured.
    pub fn judged(&self) -> Vec<Judged> {
        let even = |worst: &Worst| WeighedWorst { worst: *worst, weight: 1.0 };
        let [shell, between] = match &self.weighed {
            Some(weighed) => [weighed.samples, weighed.between],
            None => [even(&self.samples.worst), even(&self.between.worst)],
        };
        let judge = |aspect, WeighedWorst { worst, weight }: WeighedWorst, warn_times: f32| {
            let Worst { joint, time_secs, error_m } = worst;
            let tolerance_m = if weight > 0.0 { self.tolerance_m / weight } else { self.tolerance_m };
            let (warn_m, fail_m) = (tolerance_m * warn_times, tolerance_m * self.limits.fail_times);
            let warns = if aspect == Aspect::Shell { error_m > warn_m } else { error_m >= warn_m };
            let verdict = match (error_m >= fail_m && warns, warns) {
                (true, _) => Verdict::Fail,
                (false, true) => Verdict::Warn,
                (false, false) => Verdict::Good,
            };
            Judged { aspect, verdict, error_m, warn_m, fail_m: Some(fail_m), joint, time_secs }
        };
        let mut all = vec![judge(Aspect::Shell, shell, 1.0)];
        if self.sub_frames > 1 {
            all.push(judge(Aspect::Between, between, self.limits.warn_times));
        }
        all.extend(self.worst_on_skin().map(|worst| judge(Aspect::Skin, worst, self.limits.warn_times)));
        all.extend(self.judged_slide());
        all.extend(self.sampling.map(|sampling| self.judged_sampling(sampling)));
        all
    }

    /// The vertex whose error counts most, as that of the joint to blame for it; once it has been measured.
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
            let counts = |w: &WeighedWorst| w.worst.error_m * w.weight;
            if counts(&one) > counts(&worst) { one } else { worst }
        })
    }

    /// Warns from where the same error between samples would fail.
    fn judged_sampling(&self, SamplingError { error_m, joint, time_secs }: SamplingError) -> Judged {
        let warn_m = self.tolerance_m * self.limits.fail_times;
        let verdict = if error_m >= warn_m { Verdict::Warn } else { Verdict::Good };
        Judged { aspect: Aspect::Sampling, verdict, error_m, warn_m, fail_m: None, joint, time_secs }
    }

    /// The plant that fares worst, of equals the one that slides most.
    fn judged_slide(&self) -> Option<Judged> {
        let fares = |p: &&super::PlantReport| (p.verdict, p.slide_m);
        let plants = self.contacts.plants.iter();
        let plant = plants.max_by(|a, b| fares(a).0.cmp(&fares(b).0).then(a.slide_m.total_cmp(&b.slide_m)))?;
        let limits = self.contacts.limits;
        Some(Judged {
            aspect: Aspect::Slide,
            verdict: plant.verdict,
            error_m: plant.slide_m,
            warn_m: limits.warn_slide_m,
            fail_m: Some(limits.fail_slide_m),
            joint: plant.joint,
            time_secs: plant.worst_secs,
        })
    }

    /// True when every sample is within the tolerance, or within what is asked of it in its place.
    pub fn within(&self) -> bool {
        match &self.weighed {
            Some(Weighed { samples, .. }) => samples.worst.error_m * samples.weight <= self.tolerance_m,
            None => self.samples.stats.max_m <= self.tolerance_m,
        }
    }

    /// The clip's verdict: the worst of [`Self::judged`]; other morph weights fail.
    pub fn verdict(&self) -> Verdict {
        let floats = if self.floats.is_same() { Verdict::Good } else { Verdict::Fail };
        self.judged().iter().map(|judged| judged.verdict).fold(floats, Verdict::max)
    }
}
