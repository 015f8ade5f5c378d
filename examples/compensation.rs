//! Measures the effect of error compensation on every codec. Prints a Markdown table for one clip.
//!
//! `cargo run --release --no-default-features --example compensation -- FILE CLIP [TOLERANCE_MM [ACCURACY_MM]]`
//!
//! All numbers are measured on the decoded bytes. The tolerance (default 0.1 mm) is that of the codec. The accuracy (default:
//! the tolerance) is the target of the correction by additive tracks and inverse kinematics.

use posepress_core::codecs::{Compensation, CompensationMethod, Progress};
use posepress_core::import::{ImportOptions, import_file};
use posepress_core::model::Pose;
use posepress_core::pipeline::{MeasuredClip, Outcome, compress_shell};
use posepress_core::recipe::Recipe;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Codecs with the parameters that matter here. Codecs that search use the tolerance.
const RECIPES: &[(&str, &[(&str, &str)])] = &[
    ("quantize", &[("in_place", "false")]),
    ("quantize", &[("rotation_format", "largest32"), ("in_place", "false")]),
    ("quantize", &[("rotation_format", "fixed32"), ("in_place", "false")]),
    (
        "quantize",
        &[("rotation_format", "interval-fixed32"), ("translation_format", "interval-fixed32"), ("in_place", "false")],
    ),
    ("every-second-key", &[]),
    ("linear-keys", &[("metric", "local")]),
    ("linear-keys", &[]),
    ("per-track", &[]),
    ("variable-rate", &[]),
    ("catmull-rom", &[("metric", "local")]),
    ("catmull-rom", &[]),
    ("wavelet", &[("bits", "fixed")]),
    ("wavelet", &[]),
];

/// Factors on the tolerance of codecs that hold it. A looser codec leaves an error that compensation can correct.
const LOOSER: &[f32] = &[1.0, 2.0, 4.0];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, clip, numbers @ ..] = args.as_slice() else {
        return Err("usage: compensation FILE CLIP [TOLERANCE_MM [ACCURACY_MM]]".into());
    };
    let metres = |i: usize| numbers.get(i).map(|mm| mm.parse::<f32>().map(|mm| mm / 1000.0)).transpose();
    let (tolerance_m, accuracy_m) = (metres(0)?.unwrap_or(0.0001), metres(1)?);
    let imported = import_file(Path::new(file), &ImportOptions::default())?;
    let clip = imported.clips.into_iter().find(|c| c.name() == clip).ok_or("no clip of that name")?;
    let measured = MeasuredClip::new(Arc::new(imported.rig), Arc::new(clip), &Recipe::default());
    println!(
        "| codec | compensation | bytes | largest error | worst slide | tracks | encode | decode |\n|---|---|---|---|---|---|---|---|"
    );
    for (codec, values) in RECIPES {
        for method in CompensationMethod::ALL {
            let mut recipe = Recipe { tolerance_m, ..Recipe::chosen(codec).unwrap() };
            let params = recipe.codec.params();
            for (key, value) in *values {
                recipe.values.set_text(params, key, value)?;
            }
            let promises = recipe.codec.promises_with(&recipe.values) && method != CompensationMethod::None;
            for &loosen in if promises { LOOSER } else { &[1.0] } {
                recipe.compensation = Compensation { accuracy_m, loosen, ..Compensation::of(method) };
                print_row(&measured, &recipe)?;
            }
        }
    }
    Ok(())
}

/// Seconds per pose in sequential playback: the shortest of several rounds, so that other load on the machine counts less.
fn decode_secs_per_pose(measured: &MeasuredClip, outcome: &Outcome) -> Result<f64, Box<dyn std::error::Error>> {
    const ROUNDS: usize = 25;
    let mut sampler = outcome.sampler();
    let mut pose = Pose::with_size(measured.clip.joints(), measured.clip.float_tracks());
    let places = measured.clip.grid().steps(2);
    let mut quickest = f64::INFINITY;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        places.clone().for_each(|at_sample| sampler.sample(at_sample, &mut pose));
        quickest = quickest.min(started.elapsed().as_secs_f64());
    }
    Ok(quickest / places.len() as f64)
}

fn print_row(measured: &MeasuredClip, recipe: &Recipe) -> Result<(), Box<dyn std::error::Error>> {
    let outcome = compress_shell(measured, recipe, &Progress::new())?;
    let encoding = outcome.encoding().ok_or("nothing was encoded")?;
    let result = encoding.encoded.compensation;
    let values: Vec<String> = recipe.values.changed().map(|(key, value)| format!("{key}={value}")).collect();
    let what = [recipe.codec.name().to_owned(), values.join(", ")].join(" ");
    let loosen = recipe.compensation.loosen;
    let at = if loosen > 1.0 { format!(" at {loosen} x") } else { String::new() };
    let method = format!("{}{at}", recipe.compensation.method.option().key);
    if let Some(why) = result.left_off {
        println!("| {} | {method} | skipped: {} | | | | | |", what.trim(), why.text());
        return Ok(());
    }
    let slide_m = outcome.report.slide.worst_slide_m();
    println!(
        "| {} | {method} | {} | {:.3} mm | {} | {} | {:.0} ms | {:.1} us |",
        what.trim(),
        outcome.bytes(),
        outcome.report.samples.stats.max_m * 1000.0,
        slide_m.map_or("-".into(), |m| format!("{:.3} mm", m * 1000.0)),
        result.tracks,
        encoding.encode_secs.unwrap_or_default() * 1e3,
        decode_secs_per_pose(measured, &outcome)? * 1e6
    );
    Ok(())
}
