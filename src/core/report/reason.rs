//! Reasons for a verdict in words: the number, its limit and what to do.

use crate::codecs::Press;
use crate::metrics::{Aspect, FloatError, Judged, JudgedWeight, Verdict};
use crate::recipe::Recipe;
use crate::report::tighter::tolerance_for;
use crate::settings::Settings;
use crate::text;
use serde::Serialize;

/// The reason for a verdict that is not good.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reason {
    /// The problem, in a few words.
    pub complaint: &'static str,
    /// The measured value with its unit: `2.4 cm/s`.
    pub measured: String,
    /// The limit from which it warns or fails: `2.0 cm/s`.
    pub limit: String,
    /// A sentence on what to do.
    pub advice: String,
    /// Command-line options that do it. Empty if there are none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub switch: String,
}

/// The largest proposed sample rate, as a multiple of the clip's.
const MOST_TIMES_RATE: f64 = 8.0;

/// Tolerance for rounding of float32 when a number is rounded up.
const EXACTLY: f64 = 1.0 - 1e-6;

impl Reason {
    /// The reason for the verdict on an error, for a clip of that rate and the recipe that compressed it. `None` if it is good.
    pub fn of(judged: &Judged, recipe: &Recipe, rate_hz: f64) -> Option<Self> {
        let (advice, switch) = match judged.aspect {
            _ if judged.verdict == Verdict::Good => return None,
            Aspect::Shell => over_tolerance(judged, recipe),
            Aspect::Between => between(judged, recipe),
            Aspect::Skin if !recipe.shell_from_mesh => {
                let words = "The shell is smaller than the mesh. Take the shell from the mesh.";
                (words.to_owned(), format!("--{}", option::<Recipe>("shell_from_mesh")))
            }
            Aspect::Skin => tighter(judged, recipe),
            Aspect::Slide if !recipe.contacts.lock => {
                ("Lock contacts to stop the feet from sliding.".to_owned(), "--lock-contacts".to_owned())
            }
            Aspect::Pin if !recipe.contacts.lock => {
                ("Lock contacts to hold the pins, too.".to_owned(), "--lock-contacts".to_owned())
            }
            Aspect::Slide | Aspect::Pin | Aspect::Jitter | Aspect::Seam | Aspect::Root => tighter(judged, recipe),
            Aspect::Precision => too_far(judged, recipe),
            Aspect::Sampling => resampled(judged, rate_hz),
        };
        let complaint = judged.aspect.complaint(judged.verdict);
        Some(Self { complaint, measured: judged.measured(), limit: judged.limit(), advice, switch })
    }

    /// The reason why float tracks fail. `None` if all are within their limits. `names` has the names of the float tracks.
    pub fn of_weights(weights: &FloatError, names: &[String]) -> Option<Self> {
        let JudgedWeight { track, error, limit, .. } = weights.judged;
        let name = names.get(track).map_or("a weight", String::as_str);
        (!weights.is_same()).then(|| Self {
            complaint: "morph weights differ",
            measured: format!("{name} {}", of_one(error)),
            limit: of_one(limit),
            advice: "The weights differ from the source. Export the clip again with its morph weights.".to_owned(),
            switch: String::new(),
        })
    }

    /// The whole reason in one line: `feet drift: 2.4 cm/s, limit 2.0 cm/s`.
    pub fn words(&self) -> String {
        format!("{}: {}, limit {}", self.complaint, self.measured, self.limit)
    }

    /// The advice with its options: `Lock contacts to stop the feet from sliding. (--lock-contacts)`.
    pub fn advice_words(&self) -> String {
        match self.switch.is_empty() {
            true => self.advice.clone(),
            false => format!("{} ({})", self.advice, self.switch),
        }
    }
}

impl Judged {
    /// The measured value with its unit.
    pub fn measured(&self) -> String {
        let length = if self.verdict > Verdict::Good { text::fine_length } else { text::length };
        let length = || if self.is_mean { format!("mean {}", length(self.error_m)) } else { length(self.error_m) };
        self.rate_m_s.map_or_else(length, text::speed)
    }

    /// The limit that it exceeds. If it fails, the limit for failing.
    pub fn limit(&self) -> String {
        match (self.rate_m_s, self.fail_m) {
            (Some(_), _) => text::speed(self.warn_rate_m_s),
            (None, Some(fail_m)) if self.verdict == Verdict::Fail && self.aspect != Aspect::Shell => {
                text::fine_length(fail_m)
            }
            (None, _) => text::fine_length(self.warn_m),
        }
    }
}

/// A sample rate that should bring the sampling error below its warning, from 2 to 8 times the current rate. The error of straight lines
/// between samples falls with the square of the rate.
pub fn finer_rate_hz(error_m: f32, warn_m: f32, rate_hz: f64) -> f64 {
    let times = (f64::from(error_m / warn_m.max(f32::MIN_POSITIVE)).sqrt() * EXACTLY).ceil();
    (rate_hz * times.clamp(2.0, MOST_TIMES_RATE) * 1000.0).round() / 1000.0
}

fn option<S: Settings>(key: &str) -> &'static str {
    S::setting(key).map_or("", |setting| setting.option)
}

/// Formats a weight, for which 1 is full.
fn of_one(weight: f32) -> String {
    let digits = if weight < 0.01 { 5 } else { 3 };
    format!("{weight:.digits$}")
}

fn over_tolerance(judged: &Judged, recipe: &Recipe) -> (String, String) {
    if !recipe.codec.promises_with(&recipe.values) {
        let words = format!("{} does not search under the tolerance. Use a codec that does.", recipe.codec.name());
        return (words, format!("--codec {}", crate::codecs::Codec::name(&Press)));
    }
    let more_m = f64::from(judged.error_m) * f64::from(recipe.tolerance_m) / f64::from(judged.warn_m);
    let more_mm = (more_m * 1e5 * EXACTLY).ceil() / 100.0;
    (
        format!("Raise the tolerance to {more_mm} mm or use another codec."),
        format!("--{} {more_mm}", option::<Recipe>("tolerance_m")),
    )
}

/// Advice for errors between samples. Codecs with keys can keep the tolerance there, too.
fn between(judged: &Judged, recipe: &Recipe) -> (String, String) {
    let can_hold = recipe.codec.params().iter().any(|param| param.key == "between");
    let holds = recipe.values.changed().any(|(key, value)| key == "between" && value.to_string() == "true");
    match can_hold && !holds {
        true => ("Keep the tolerance between samples, too.".to_owned(), "--set between=true".to_owned()),
        false => tighter(judged, recipe),
    }
}

/// Advises a smaller tolerance, which should bring this error below its warning.
fn tighter(judged: &Judged, recipe: &Recipe) -> (String, String) {
    if !recipe.codec.promises_with(&recipe.values) {
        return over_tolerance(judged, recipe);
    }
    let tolerance_m = tolerance_for(judged, recipe);
    let words = format!("Lower the tolerance to {}.", text::length(tolerance_m));
    (words, format!("--{} {}", option::<Recipe>("tolerance_m"), text::millimetres(tolerance_m)))
}

/// Advice for a clip that is too far from the origin. The proposed tolerance is ten times the last place of float32 there.
fn too_far(judged: &Judged, recipe: &Recipe) -> (String, String) {
    let words = format!(
        "Float32 cannot resolve the tolerance so far from the origin. Move the clip to the origin, or raise the tolerance to about {}.",
        text::length(recipe.tolerance_m * judged.error_m / judged.warn_m)
    );
    (words, String::new())
}

fn resampled(judged: &Judged, rate_hz: f64) -> (String, String) {
    let finer_hz = finer_rate_hz(judged.error_m, judged.warn_m, rate_hz);
    let words =
        format!("The source moves too fast for {}. Read it again at {}.", text::rate(rate_hz), text::rate(finer_hz));
    (words, format!("--{} {}", option::<crate::import::ImportOptions>("rate_hz"), finer_hz as f32))
}
