//! Why a verdict is not good, in words: what was measured, against which limit, and what to do about it.

use crate::codecs::Press;
use crate::metrics::{Aspect, FloatError, Judged, JudgedWeight, Verdict};
use crate::recipe::Recipe;
use crate::report::tighter::tolerance_for;
use crate::settings::Settings;
use crate::text;
use serde::Serialize;

/// Why something that is judged is not good.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// What is wrong, in two or three words.
    pub complaint: &'static str,
    /// What was measured, with its unit: `2.4 cm/s`.
    pub measured: String,
    /// From where on that warns, or fails: `2.0 cm/s`.
    pub limit: String,
    /// What to do, as a sentence.
    pub advice: String,
    /// The options of the command line that do it; empty where none does.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub switch: String,
}

/// A rate that is proposed is so many times the clip's at most.
const MOST_TIMES_RATE: f64 = 8.0;

/// Float32 takes whole numbers of steps for a little more.
const EXACTLY: f64 = 1.0 - 1e-6;

impl Reason {
    /// Why an error is judged as it is, of a clip of that rate that was compressed with a recipe; `None` where it is good.
    pub fn of(judged: &Judged, recipe: &Recipe, rate_hz: f64) -> Option<Self> {
        let (advice, switch) = match judged.aspect {
            _ if judged.verdict == Verdict::Good => return None,
            Aspect::Shell => over_tolerance(judged, recipe),
            Aspect::Between => between(judged, recipe),
            Aspect::Skin if !recipe.shell_from_mesh => {
                let words = "The shell is smaller than the mesh: take it from the mesh.";
                (words.to_owned(), format!("--{}", option::<Recipe>("shell_from_mesh")))
            }
            Aspect::Skin => tighter(judged, recipe),
            Aspect::Slide if !recipe.contacts.lock => {
                ("Lock contacts: feet then stand.".to_owned(), "--lock-contacts".to_owned())
            }
            Aspect::Slide => tighter(judged, recipe),
            Aspect::Precision => too_far(),
            Aspect::Sampling => resampled(judged, rate_hz),
        };
        let complaint = judged.aspect.complaint(judged.verdict);
        Some(Self { complaint, measured: judged.measured(), limit: judged.limit(), advice, switch })
    }

    /// Why morph weights and other scalars fail; `None` where they are within their limits. `names`: of the float tracks.
    pub fn of_weights(weights: &FloatError, names: &[String]) -> Option<Self> {
        let JudgedWeight { track, error, limit, .. } = weights.judged;
        let name = names.get(track).map_or("a weight", String::as_str);
        (!weights.is_same()).then(|| Self {
            complaint: "other morph weights",
            measured: format!("{name} {}", of_one(error)),
            limit: of_one(limit),
            advice: "The weights are not those of the source: export the clip with its morph weights again.".to_owned(),
            switch: String::new(),
        })
    }

    /// All of it, in a line: `look at the feet: 2.4 cm/s, limit 2.0 cm/s`.
    pub fn words(&self) -> String {
        format!("{}: {}, limit {}", self.complaint, self.measured, self.limit)
    }

    /// What to do, with the switch: `Lock contacts: feet then stand. (--lock-contacts)`.
    pub fn advice_words(&self) -> String {
        match self.switch.is_empty() {
            true => self.advice.clone(),
            false => format!("{} ({})", self.advice, self.switch),
        }
    }
}

impl Judged {
    /// What was measured, with its unit.
    pub fn measured(&self) -> String {
        self.rate_m_s.map_or_else(|| text::length(self.error_m), text::speed)
    }

    /// The limit that it is over: the one that fails, where it fails.
    pub fn limit(&self) -> String {
        match (self.rate_m_s, self.fail_m) {
            (Some(_), _) => text::speed(self.warn_rate_m_s),
            (None, Some(fail_m)) if self.verdict == Verdict::Fail && self.aspect != Aspect::Shell => {
                text::length(fail_m)
            }
            (None, _) => text::length(self.warn_m),
        }
    }
}

/// A rate at which sampling loses less than warns: what straight lines between samples lose falls with the square of the rate.
pub fn finer_rate_hz(error_m: f32, warn_m: f32, rate_hz: f64) -> f64 {
    let times = (f64::from(error_m / warn_m.max(f32::MIN_POSITIVE)).sqrt() * EXACTLY).ceil();
    (rate_hz * times.clamp(2.0, MOST_TIMES_RATE) * 1000.0).round() / 1000.0
}

fn option<S: Settings>(key: &str) -> &'static str {
    S::setting(key).map_or("", |setting| setting.option)
}

/// A weight, whose whole is one.
fn of_one(weight: f32) -> String {
    let digits = if weight < 0.01 { 5 } else { 3 };
    format!("{weight:.digits$}")
}

fn over_tolerance(judged: &Judged, recipe: &Recipe) -> (String, String) {
    if !recipe.codec.promises_with(&recipe.values) {
        let words = format!("{} does not search under the tolerance: take a codec that does.", recipe.codec.name());
        return (words, format!("--codec {}", crate::codecs::Codec::name(&Press)));
    }
    let more_mm = (f64::from(judged.error_m) * 1e5 * EXACTLY).ceil() / 100.0;
    ("Allow more, or take another codec.".to_owned(), format!("--{} {more_mm}", option::<Recipe>("tolerance_m")))
}

/// Codecs of keys can be held between samples, too.
fn between(judged: &Judged, recipe: &Recipe) -> (String, String) {
    let can_hold = recipe.codec.params().iter().any(|param| param.key == "between");
    let holds = recipe.values.changed().any(|(key, value)| key == "between" && value.to_string() == "true");
    match can_hold && !holds {
        true => ("Hold the keys between samples, too.".to_owned(), "--set between=true".to_owned()),
        false => tighter(judged, recipe),
    }
}

/// Less error is allowed, so much that this one is below what warns.
fn tighter(judged: &Judged, recipe: &Recipe) -> (String, String) {
    if !recipe.codec.promises_with(&recipe.values) {
        return over_tolerance(judged, recipe);
    }
    let tolerance_m = tolerance_for(judged, recipe);
    let words = format!("Allow less: {}.", text::length(tolerance_m));
    (words, format!("--{} {}", option::<Recipe>("tolerance_m"), text::millimetres(tolerance_m)))
}

fn too_far() -> (String, String) {
    let words = "Float32 does not tell errors of the tolerance so far from the origin: move the clip to the origin, or allow ten \
                 times its last place.";
    (words.to_owned(), String::new())
}

fn resampled(judged: &Judged, rate_hz: f64) -> (String, String) {
    let rate_hz = finer_rate_hz(judged.error_m, judged.warn_m, rate_hz);
    let words = format!("The source moves too fast for its rate: read it at {}.", text::rate(rate_hz));
    (words, format!("--{} {}", option::<crate::import::ImportOptions>("rate_hz"), rate_hz as f32))
}
