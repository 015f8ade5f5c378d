//! Tables of settings and of report columns: they match the files, valid values are accepted, invalid values are refused.

use crate::codec_fixtures::fixtures;
use posepress_core::codecs::Compensation;
use posepress_core::export::ExportOptions;
use posepress_core::import::ImportOptions;
use posepress_core::metrics::ContactSettings;
use posepress_core::model::Rig;
use posepress_core::pipeline::{MeasuredClip, compress};
use posepress_core::recipe::{JointOverride, Recipe};
use posepress_core::report::{ClipReport, Figure, REPORT_COLUMNS, Screen};
use posepress_core::settings::{ParamKind, ParamValue, Setting, Settings};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A valid value that is not the default.
fn other_value<S: Settings>(setting: &Setting<S>) -> ParamValue {
    match setting.param().kind {
        ParamKind::Bool { default } => ParamValue::Bool(!default),
        ParamKind::Choice { options, .. } => ParamValue::Choice(options.last().unwrap().key.into()),
        ParamKind::Int { max, default, .. } => ParamValue::Int((default + max) / 2),
        // A whole number, which f32 stores exactly.
        ParamKind::Float { max, default, .. } => ParamValue::Float(((default + max) / 2.0).round()),
        ParamKind::Lines(_) => ParamValue::Lines(vec!["paw".into()]),
    }
}

fn all_changed<S: Settings>() -> S {
    let mut changed = S::default();
    for setting in S::ALL {
        let value = other_value(setting);
        setting.set(&mut changed, value.clone()).unwrap();
        assert!(setting.is_changed(&changed), "{}", setting.key);
        assert_eq!(setting.get(&changed).unwrap(), value, "{}", setting.key);
    }
    changed
}

fn check_table<S: Settings + std::fmt::Debug>() {
    let keys: BTreeSet<&str> = S::ALL.iter().map(|s| s.key).collect();
    assert_eq!(keys.len(), S::ALL.len(), "keys are unique");
    S::default().check().unwrap();
    let mut changed = all_changed::<S>();
    changed.check().unwrap();
    for setting in S::ALL {
        assert!(!setting.label.is_empty() && setting.help.ends_with('.'), "{}", setting.key);
        assert!(setting.only_if.is_none_or(|(key, _)| keys.contains(key)), "{} names another setting", setting.key);
        let too_much = match setting.param().kind {
            ParamKind::Int { max, .. } => ParamValue::Int(max + 1),
            ParamKind::Float { max, .. } => ParamValue::Float(max * 2.0),
            ParamKind::Choice { .. } => ParamValue::Choice("no-such-choice".into()),
            ParamKind::Bool { .. } | ParamKind::Lines(_) => ParamValue::Int(1),
        };
        let error = setting.set(&mut changed, too_much).unwrap_err().to_string();
        assert!(error.contains(setting.key), "{error}");
        assert!(setting.is_changed(&changed), "a value that does not fit changes nothing");
        setting.reset(&mut changed);
        assert!(!setting.is_changed(&changed), "{}", setting.key);
    }
    assert_eq!(changed, S::default());
}

/// Checks a table against its file. `apart` are keys of the file that no form shows.
fn check_file<S: Settings + Serialize + DeserializeOwned + std::fmt::Debug>(apart: &[&str]) {
    let changed = all_changed::<S>();
    let text = toml::to_string(&changed).unwrap();
    assert_eq!(toml::from_str::<S>(&text).unwrap(), changed, "{text}");
    let table: toml::Table = text.parse().unwrap();
    let in_file: BTreeSet<&str> = table.keys().map(String::as_str).collect();
    let described: BTreeSet<&str> = S::ALL.iter().map(|s| s.key).chain(apart.iter().copied()).collect();
    assert_eq!(in_file, described);
}

#[test]
fn tables_take_what_fits_and_refuse_the_rest() {
    check_table::<Recipe>();
    check_table::<JointOverride>();
    check_table::<Compensation>();
    check_table::<ContactSettings>();
    check_table::<ImportOptions>();
    check_table::<ExportOptions>();
    check_table::<Screen>();
}

#[test]
fn files_hold_what_the_tables_describe() {
    check_file::<Recipe>(&["codec", "values", "overrides", "contacts"]);
    check_file::<JointOverride>(&["joint"]);
    check_file::<Compensation>(&[]);
    check_file::<ContactSettings>(&[]);
    check_file::<Screen>(&[]);
}

#[test]
fn a_recipe_refuses_what_no_table_takes() {
    for (text, word) in [
        ("[contacts]\nrelease_factor = 0.5", "release_factor"),
        ("[[overrides]]\njoint = 'sword'\nshell_m = 0.0", "shell_m"),
        ("sub_frames = 65", "1 to 64"),
    ] {
        let error = Recipe::from_toml(text).unwrap_err().to_string();
        assert!(error.contains(word), "{text}: {error}");
    }
}

fn report(recipe: &Recipe) -> ClipReport {
    let fixture = fixtures().into_iter().next().unwrap();
    let rig = Arc::new(Rig::from_skeleton("rig", fixture.skeleton));
    let measured = MeasuredClip::new(rig, Arc::new(fixture.clip), recipe);
    let outcome = compress(&measured, recipe, &Default::default()).unwrap();
    ClipReport::new("file.glb", "clip", &measured, &outcome)
}

#[test]
fn columns_have_the_values_of_the_json() {
    let screen = Screen { shown: true, ..Screen::default() };
    let report = report(&Recipe::chosen("quantize").unwrap()).on_screen(&screen);
    let json = serde_json::to_value(&report).unwrap();
    let mut compared = 0;
    for column in REPORT_COLUMNS {
        let Some(path) = column.json_path else { continue };
        let value = path.split('.').fold(&json, |value, key| value.get(key).unwrap_or(&serde_json::Value::Null));
        let figure = (column.figure)(&report);
        let exact = figure.exact();
        let same = match value {
            serde_json::Value::Null => exact.is_empty(),
            serde_json::Value::String(text) => *text == exact,
            serde_json::Value::Bool(on) => on.to_string() == exact,
            number => number.as_f64().map(|n| n as f32) == exact.parse().ok(),
        };
        assert!(same, "{path}: {value} against {figure:?}");
        compared += 1;
    }
    assert!(compared > 20 && (REPORT_COLUMNS[0].figure)(&report) == Figure::Text("file.glb".into()));
}

#[test]
fn the_json_says_every_setting_that_differs_and_no_other() {
    let plain = serde_json::to_value(report(&Recipe::chosen("quantize").unwrap()).recipe).unwrap();
    assert_eq!(plain, serde_json::json!({}));
    for setting in Recipe::ALL {
        let mut recipe = Recipe::chosen("quantize").unwrap();
        setting.set(&mut recipe, other_value(setting)).unwrap();
        let json = serde_json::to_value(report(&recipe).recipe).unwrap();
        assert_eq!(json.as_object().unwrap().keys().collect::<Vec<_>>(), [setting.key]);
    }
}
