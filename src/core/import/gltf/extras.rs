//! Extras of an animation: the rate of its samples, which a few keys do not show, the base of an additive clip, and tags.

use crate::import::rate::{KEY_RATES_HZ, KeyTime, Phase, fits};
use crate::model::{Additive, BaseOf, Holds};
use gltf_json as json;
use json::extras::RawValue;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Extras of an animation: `{"posepress": {"rate_hz": 24.0, "start_secs": 0.5}}`. A start of zero is omitted.
#[derive(Debug, Serialize, Deserialize)]
struct AnimationExtras {
    posepress: Phase,
}

/// Extras with the rate and start of the samples that an animation was made from.
pub fn declare(phase: Phase) -> json::Extras {
    serde_json::value::to_raw_value(&AnimationExtras { posepress: phase }).ok()
}

/// Adds the base of an additive clip: `{"posepress": .., "additive": "bind"}`. Instead of `"bind"`, the base may be
/// `{"clip": "Walk"}` or `{"first-pose": "Walk"}`.
pub fn declare_additive(extras: &mut json::Extras, base: &BaseOf) {
    let additive = BTreeMap::from([("additive", base)]);
    add_extras(extras, serde_json::value::to_raw_value(&additive).ok());
}

/// The additive mark in the extras. Other tools write `true` for the bind pose, or the name of a clip.
pub(super) fn declared_additive(extras: &json::Extras) -> Option<Additive> {
    #[derive(Deserialize)]
    struct Said {
        additive: Base,
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Base {
        Is(bool),
        Of(BaseOf),
        Clip(String),
    }
    let Said { additive } = extras.as_deref().map(RawValue::get).and_then(|t| serde_json::from_str(t).ok())?;
    let base = match additive {
        Base::Is(true) => BaseOf::Bind,
        Base::Is(false) | Base::Of(BaseOf::Nothing) => return None,
        Base::Of(base) => base,
        Base::Clip(name) => BaseOf::Clip(name),
    };
    Some(Additive { base, holds: Holds::Differences })
}

/// The tags in the extras: `{"tags": ["combat", "hero"]}`, or one text with commas, as custom properties of editors have it.
pub(super) fn declared_tags(extras: &json::Extras) -> Vec<String> {
    #[derive(Deserialize)]
    struct Said {
        tags: Tags,
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Tags {
        Listed(Vec<String>),
        Text(String),
    }
    let said = extras.as_deref().map(RawValue::get).and_then(|text| serde_json::from_str::<Said>(text).ok());
    let tags = match said.map(|said| said.tags) {
        None => return Vec::new(),
        Some(Tags::Listed(tags)) => tags,
        Some(Tags::Text(text)) => text.split(',').map(str::to_owned).collect(),
    };
    tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect()
}

/// Adds new extras to old ones. Old extras that are not an object stay unchanged.
pub fn add_extras(old: &mut json::Extras, new: json::Extras) {
    type Object = BTreeMap<String, Box<RawValue>>;
    let read = |extras: &json::Extras| extras.as_deref().map(|text| serde_json::from_str::<Object>(text.get()));
    match (read(old), read(&new)) {
        (None, _) => *old = new,
        (Some(Ok(mut object)), Some(Ok(added))) => {
            object.remove("additive"); // of the replaced animation
            object.extend(added);
            *old = serde_json::value::to_raw_value(&object).ok();
        }
        _ => {}
    }
}

/// The rate and start of the samples that an animation was made from, by its extras. `None` if its keys do not fit them, since the
/// keys were changed later.
pub(super) fn declared(extras: &json::Extras, times_secs: &[f32]) -> Option<Phase> {
    let AnimationExtras { posepress: phase } =
        extras.as_deref().map(RawValue::get).and_then(|t| serde_json::from_str(t).ok())?;
    let is_sane = KEY_RATES_HZ.contains(&phase.rate_hz) && (0.0..1.0).contains(&phase.start_secs);
    let from_start: Vec<KeyTime> = times_secs.iter().map(|time| KeyTime::at(time - phase.start_secs)).collect();
    (is_sane && fits(&from_start, phase.rate_hz)).then_some(phase)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHASE: Phase = Phase { rate_hz: 24.0, start_secs: 0.01 };

    #[test]
    fn what_is_declared_is_read_while_the_keys_agree() {
        let mut extras = RawValue::from_string(r#"{"author":1.50,"posepress":7}"#.into()).ok();
        add_extras(&mut extras, declare(PHASE));
        assert!(extras.as_ref().unwrap().get().contains(r#""author":1.50"#));
        assert_eq!(declared(&extras, &[0.01, 0.01 + 5.0 / 24.0]), Some(PHASE));
        assert_eq!(declared(&extras, &[0.01, 0.02]), None);
        assert_eq!(declared(&None, &[0.0]), None);
    }

    #[test]
    fn extras_that_are_no_object_stay() {
        let mut extras = RawValue::from_string("[1]".into()).ok();
        add_extras(&mut extras, declare(PHASE));
        assert_eq!(extras.unwrap().get(), "[1]");
    }

    #[test]
    fn tags_are_a_list_or_a_text_with_commas() {
        let tags = |text: &str| declared_tags(&RawValue::from_string(text.into()).ok());
        assert_eq!(tags(r#"{"tags":["combat"," hero"],"rate":3}"#), ["combat", "hero"]);
        assert_eq!(tags(r#"{"tags":"combat, hero,"}"#), ["combat", "hero"]);
        for nothing in ["{}", "[]", r#"{"tags":7}"#, r#"{"tags":[1]}"#, r#"{"tags":""}"#] {
            assert!(tags(nothing).is_empty(), "{nothing}");
        }
    }

    #[test]
    fn nonsense_is_not_believed() {
        for text in
            [r#"{"posepress":{"rate_hz":0}}"#, r#"{"posepress":{"rate_hz":1e9}}"#, r#"{"posepress":"24"}"#, "{}"]
        {
            assert_eq!(declared(&RawValue::from_string(text.into()).ok(), &[0.0, 1.0]), None, "{text}");
        }
    }
}
