use super::units::{SIZES, in_units};
use super::{ClipNumbers, Manifest, ManifestDiff};
use crate::text;
use serde::Serialize;
use thiserror::Error;

/// A limit of a gate.
#[derive(Debug)]
pub struct GateKey {
    /// Its name on the command line and in `posepress.toml`.
    pub key: &'static str,
    /// An example of its value.
    pub example: &'static str,
    /// The value that it limits, a sentence.
    pub help: &'static str,
    kind: Kind,
}

/// Digits after the point, where they are enough.
const LEAST_DIGITS: usize = 1;
/// Digits after the point of values that are almost equal.
const MOST_DIGITS: usize = 9;
/// The least limit of a ratio. Values over a limit of zero are then in their own order.
const LEAST_LIMIT: f64 = 1e-9;

/// The value that a limit is compared with.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// A length of each clip, millimetres.
    Clip(fn(&ClipNumbers) -> Option<f64>),
    /// The size of all clips, bytes.
    Total,
    /// The growth of that size since the baseline, percent.
    Growth,
}

/// All limits.
pub static GATE_KEYS: &[GateKey] = &[
    GateKey {
        key: "max-error",
        example: "0.2mm",
        help: "Largest shell error of a clip.",
        kind: Kind::Clip(|numbers| Some(numbers.figures.error_mm)),
    },
    GateKey {
        key: "between",
        example: "1mm",
        help: "Largest error of a clip between samples.",
        kind: Kind::Clip(|numbers| Some(numbers.between_mm)),
    },
    GateKey {
        key: "skin",
        example: "1mm",
        help: "Largest error of a vertex.",
        kind: Kind::Clip(|numbers| numbers.figures.skin_mm),
    },
    GateKey {
        key: "slide",
        example: "2mm",
        help: "Largest slide of a foot during contact.",
        kind: Kind::Clip(|numbers| numbers.figures.slide_mm),
    },
    GateKey {
        key: "jitter",
        example: "0.5mm",
        help: "Largest jitter of a clip.",
        kind: Kind::Clip(|numbers| numbers.jitter_mm),
    },
    GateKey { key: "total", example: "80MB", help: "Size of all clips.", kind: Kind::Total },
    GateKey {
        key: "growth",
        example: "5%",
        help: "Growth of the size of all clips since the baseline.",
        kind: Kind::Growth,
    },
];

/// Limits for a library. An empty gate limits nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Gate(Vec<(&'static str, f64)>);

/// A limit that was not kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Unmet {
    /// File and clip. `None` for a limit of the whole library.
    pub place: Option<(String, String)>,
    /// The limit's name.
    pub key: &'static str,
    /// The value and the limit, in words.
    pub words: String,
    /// The value divided by the limit.
    pub ratio: f64,
}

/// Why a limit cannot be used.
#[derive(Debug, Error, PartialEq)]
pub enum GateError {
    /// The text is not a list of limits.
    #[error("'{0}': expected KEY=VALUE, such as max-error=0.2mm")]
    Form(String),
    /// The limit does not exist.
    #[error("unknown limit '{found}'{}; expected one of: {}", text::perhaps(found, &keys()), keys().join(", "))]
    Key {
        /// The name.
        found: String,
    },
    /// The value is not one of the limit.
    #[error("{key} = '{found}': expected a value such as {example}")]
    Value {
        /// The limit.
        key: &'static str,
        /// The value.
        found: String,
        /// A value that it takes.
        example: &'static str,
    },
    /// Growth was limited, and there is nothing to compare with.
    #[error(
        "growth needs a baseline: give a manifest with --baseline FILE, or as 'baseline' in [gate] of posepress.toml; --update-baseline makes the first one"
    )]
    NoBaseline,
}

fn keys() -> Vec<&'static str> {
    GATE_KEYS.iter().map(|key| key.key).collect()
}

impl Gate {
    /// Reads limits: `max-error=0.2mm,total=80MB`.
    ///
    /// # Errors
    /// See [`GateError`].
    pub fn parse(text: &str) -> Result<Self, GateError> {
        let mut gate = Self::default();
        for part in text.split(',') {
            let (key, value) = part.split_once('=').ok_or_else(|| GateError::Form(part.into()))?;
            gate.set(key.trim(), value.trim())?;
        }
        Ok(gate)
    }

    /// Sets a limit.
    ///
    /// # Errors
    /// See [`GateError`].
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), GateError> {
        let known = GATE_KEYS.iter().find(|known| known.key == key);
        let known = known.ok_or_else(|| GateError::Key { found: key.into() })?;
        let wrong = || GateError::Value { key: known.key, found: value.into(), example: known.example };
        let units: &[(&str, f64)] = match known.kind {
            Kind::Clip(_) => &[("mm", 1.0), ("cm", 10.0), ("m", 1000.0)],
            Kind::Total => &SIZES,
            Kind::Growth => &[("%", 1.0)],
        };
        let limit = in_units(value, units).ok_or_else(wrong)?;
        self.0.retain(|(other, _)| *other != known.key);
        self.0.push((known.key, limit));
        Ok(())
    }

    /// The limits of the library as a whole.
    pub fn of_library(&self) -> impl Iterator<Item = &'static str> {
        let is_of_library = |key: &GateKey| !matches!(key.kind, Kind::Clip(_));
        self.keys().filter(move |key| is_of_library(key)).map(|key| key.key)
    }

    /// True if one of the limits needs a baseline.
    pub fn needs_baseline(&self) -> bool {
        self.keys().any(|key| matches!(key.kind, Kind::Growth))
    }

    fn keys(&self) -> impl Iterator<Item = &'static GateKey> {
        GATE_KEYS.iter().filter(|known| self.0.iter().any(|(key, _)| *key == known.key))
    }

    /// These limits, and those of another gate that this one lacks.
    pub fn or(mut self, other: Self) -> Self {
        let missing = other.0.into_iter().filter(|(key, _)| !self.0.iter().any(|(known, _)| known == key));
        self.0.extend(missing.collect::<Vec<_>>());
        self
    }

    /// The limits that a library does not keep: those of the whole first, then those of clips, in the order of the manifest.
    ///
    /// # Errors
    /// [`GateError::NoBaseline`].
    pub fn unmet(&self, manifest: &Manifest, diff: Option<&ManifestDiff>) -> Result<Vec<Unmet>, GateError> {
        let mut unmet = Vec::new();
        for known in GATE_KEYS {
            let Some((_, limit)) = self.0.iter().find(|(key, _)| *key == known.key) else { continue };
            let whole = |found, words| Unmet { place: None, key: known.key, words, ratio: ratio(found, *limit) };
            match known.kind {
                Kind::Total if manifest.totals.bytes as f64 > *limit => {
                    let bytes = manifest.totals.bytes;
                    let [found, most] = [bytes, *limit as u64].map(text::bytes);
                    unmet.push(whole(bytes as f64, format!("all clips take {found}; the limit is {most}")));
                }
                Kind::Growth => {
                    let percent = diff.ok_or(GateError::NoBaseline)?.growth_percent();
                    let words = || {
                        let [found, most] = apart([percent, *limit], |value, digits| format!("{value:.digits$} %"));
                        format!("all clips grew by {found} since the baseline; the limit is {most}")
                    };
                    unmet.extend((percent > *limit).then(|| whole(percent, words())));
                }
                Kind::Total => {}
                Kind::Clip(found) => unmet.extend(over(manifest, known.key, *limit, found)),
            }
        }
        unmet.sort_by(|a, b| a.place.cmp(&b.place));
        Ok(unmet)
    }
}

/// Clips over a limit in millimetres.
fn over(
    manifest: &Manifest,
    key: &'static str,
    limit_mm: f64,
    found: fn(&ClipNumbers) -> Option<f64>,
) -> impl Iterator<Item = Unmet> {
    let rows = manifest.rows.iter().filter_map(move |row| {
        let found_mm = row.numbers.as_ref().and_then(found).filter(|found_mm| *found_mm > limit_mm)?;
        let [found, most] = apart([found_mm, limit_mm], length);
        let (words, ratio) = (format!("{key} {found}; the gate's limit is {most}"), ratio(found_mm, limit_mm));
        Some(Unmet { place: Some((row.source.clone(), row.clip.clone())), key, words, ratio })
    });
    rows.collect::<Vec<_>>().into_iter()
}

fn ratio(found: f64, limit: f64) -> f64 {
    found / limit.max(LEAST_LIMIT)
}

/// A length as elsewhere, or with more digits than there.
fn length(mm: f64, digits: usize) -> String {
    if digits == LEAST_DIGITS { text::length((mm / 1000.0) as f32) } else { format!("{mm:.digits$} mm") }
}

/// Two values with as many digits as tell them from each other and from zero.
fn apart(values: [f64; 2], shown: impl Fn(f64, usize) -> String) -> [String; 2] {
    let with = |digits| values.map(|value| shown(value, digits));
    let is_clear = |digits: &usize| {
        let [found, limit] = with(*digits);
        let is_zero = |value: f64, text: &str| value != 0.0 && *text == shown(0.0, *digits);
        found != limit && !is_zero(values[0], &found) && !is_zero(values[1], &limit)
    };
    with((LEAST_DIGITS..MOST_DIGITS).find(is_clear).unwrap_or(MOST_DIGITS))
}

#[cfg(test)]
mod tests {
    use super::super::manifest::tests::row;
    use super::*;

    #[test]
    fn limits_have_units_and_wrong_ones_say_what_they_take() {
        assert_eq!(Gate::parse("max-error=0.2mm, total=1KB"), Ok(Gate(vec![("max-error", 0.2), ("total", 1024.0)])));
        assert_eq!(Gate::parse("slide=0.2cm,slide=3mm"), Ok(Gate(vec![("slide", 3.0)])));
        for wrong in ["max-error=0.2", "max-error=-1mm", "total=1mm", "growth=5", "max-error=NaNmm", "skin"] {
            assert!(Gate::parse(wrong).is_err(), "{wrong}");
        }
        let error = Gate::parse("max-eror=1mm").unwrap_err().to_string();
        assert!(error.contains("did you mean 'max-error'?") && error.contains("growth"), "{error}");
    }

    #[test]
    fn what_is_over_a_limit_is_named() {
        let manifest = Manifest::of(vec![row("a", "good", 1000, 0.1), row("a", "bad", 1000, 0.3)]);
        let unmet = Gate::parse("max-error=0.2mm,total=1KB").unwrap().unmet(&manifest, None).unwrap();
        let keys: Vec<_> = unmet.iter().map(|one| one.key).collect();
        assert_eq!(keys, ["total", "max-error"]);
        assert_eq!(unmet.iter().map(|one| one.ratio).collect::<Vec<_>>(), [2000.0 / 1024.0, 0.3 / 0.2]);
        assert_eq!(unmet[1].place, Some(("a".into(), "bad".into())));
        assert!(Gate::parse("max-error=0.3mm,slide=0mm,total=2KB").unwrap().unmet(&manifest, None).unwrap().is_empty());
        let growth = Gate::parse("growth=5%").unwrap();
        assert_eq!(growth.unmet(&manifest, None), Err(GateError::NoBaseline));
        let before = Manifest::of(vec![row("a", "good", 1800, 0.1)]);
        let diff = ManifestDiff::between(&before, &manifest);
        assert_eq!(growth.unmet(&manifest, Some(&diff)).unwrap().len(), 1);
        assert!(
            Gate::default().or(Gate::parse("growth=20%").unwrap()).unmet(&manifest, Some(&diff)).unwrap().is_empty()
        );
    }

    #[test]
    fn words_have_the_digits_that_tell_a_value_from_its_limit() {
        let words = |found_mm: f64, gate: &str| {
            let manifest = Manifest::of(vec![row("a", "b", 1000, found_mm)]);
            Gate::parse(gate).unwrap().unmet(&manifest, None).unwrap().remove(0).words
        };
        for (found_mm, limit, says) in [
            (0.3, "0.2mm", "max-error 0.30 mm; the gate's limit is 0.20 mm"),
            (0.004, "0.001mm", "max-error 0.004 mm; the gate's limit is 0.001 mm"),
            (0.3, "0.000001mm", "max-error 0.300000 mm; the gate's limit is 0.000001 mm"),
            (0.2004, "0.2mm", "max-error 0.2004 mm; the gate's limit is 0.2000 mm"),
            (0.3, "0mm", "max-error 0.30 mm; the gate's limit is 0.00 mm"),
            (123.4, "12.3cm", "max-error 123.40 mm; the gate's limit is 123.00 mm"),
        ] {
            assert_eq!(words(found_mm, &format!("max-error={limit}")), says);
        }
    }

    #[test]
    fn a_limit_of_zero_has_an_order_too() {
        let manifest = Manifest::of(vec![row("a", "little", 1000, 0.1), row("a", "much", 1000, 0.3)]);
        let unmet = Gate::parse("max-error=0mm").unwrap().unmet(&manifest, None).unwrap();
        assert!(unmet[1].ratio > unmet[0].ratio && unmet[1].ratio.is_finite(), "{unmet:?}");
        assert_eq!(
            Gate::parse("skin=1mm,growth=2%,total=1KB").unwrap().of_library().collect::<Vec<_>>(),
            ["total", "growth"]
        );
    }
}
