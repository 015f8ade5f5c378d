//! Prints bytes and errors of press clips without their lowest bit planes, and without all bits that an error limit allows to remove.
//!
//! `cargo run --release --example tier_corpus -- UNIT FILE...` (UNIT: m, cm; 30 Hz, 0.1 mm)

use posepress_core::codecs::{self, Progress, Source, take_out_planes, take_out_tier};
use posepress_core::import::{ImportOptions, LengthUnit, import_file};
use posepress_core::metrics::ModelTrack;
use posepress_core::model::{Clip, ClipSampler, Skeleton};
use std::path::Path;

/// Usual radius of the shell of virtual vertices, metres.
const SHELL_M: f32 = 0.03;
/// Numbers of bit planes to remove, the same for every track.
const PLANES: [u8; 3] = [1, 2, 4];
const LIMITS_M: [f32; 6] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [unit, files @ ..] = args.as_slice() else { return Err("usage: tier_corpus UNIT FILE...".into()) };
    let unit = Some(if unit == "cm" { LengthUnit::Centimetre } else { LengthUnit::Metre });
    let mut totals = [[0usize; 2]; 1 + PLANES.len() + LIMITS_M.len()];
    for file in files {
        let options = ImportOptions { unit, rate_hz: Some(30.0), ..ImportOptions::default() };
        let imported = import_file(Path::new(file), &options)?;
        for clip in &imported.clips {
            let rows = levels(&imported.rig.skeleton, clip)?;
            let texts: Vec<String> = rows.iter().map(|(a, b, mm)| format!("{a}+{b} {mm:.2}mm")).collect();
            println!("{} {}: {}", clip.name(), clip.samples(), texts.join(", "));
            for (total, row) in totals.iter_mut().zip(rows) {
                *total = [total[0] + row.0, total[1] + row.1];
            }
        }
    }
    println!("total, all, without planes {PLANES:?}, within {LIMITS_M:?} m: {totals:?}");
    Ok(())
}

/// Bytes of the clip, bytes of its tier, and the largest error in millimetres.
type Level = (usize, usize, f32);

fn levels(skeleton: &Skeleton, clip: &Clip) -> Result<Vec<Level>, Box<dyn std::error::Error>> {
    let shells_m = vec![SHELL_M; skeleton.len()];
    let press = codecs::by_name("press").and_then(|c| c.encoder()).ok_or("no press")?;
    let source = Source::new(skeleton, clip, 0.0001, &shells_m);
    let bytes = codecs::encode_clip(press, &source, &Default::default(), &Progress::new())?.bytes;
    let raw = ModelTrack::sample(skeleton, &mut ClipSampler::new(clip), clip.grid(), 4, clip.float_tracks());
    let bind = skeleton.bind_pose(0).joints;
    let error_mm = |bytes: &[u8]| {
        let (_, mut player) = codecs::open_clip(press, bytes, &bind).expect("own bytes");
        let lossy = ModelTrack::sample(skeleton, &mut player, clip.grid(), 4, clip.float_tracks());
        let of = |step: usize| {
            let (a, b) = (raw.pose(step), lossy.pose(step));
            (0..a.len()).map(|j| posepress_core::metrics::shell_error_sq(&a[j], &b[j], SHELL_M)).fold(0.0, f32::max)
        };
        (0..raw.steps()).map(of).fold(0.0, f32::max).sqrt() * 1000.0
    };
    let mut out = vec![(bytes.len(), 0, error_mm(&bytes))];
    let shared = skeleton.shared_bind()?;
    for planes in PLANES {
        let taken = take_out_planes(press.id(), &bytes, &shared, |_, _| planes)?;
        out.push((taken.clip.len(), taken.tier.len(), error_mm(&taken.clip)));
    }
    for tolerance_m in LIMITS_M {
        let source = Source { tolerance_m, ..source };
        let taken = take_out_tier(&source, raw.sub_frames(), press.id(), &bytes, &Progress::new())?;
        out.push((taken.clip.len(), taken.tier.len(), error_mm(&taken.clip)));
    }
    Ok(out)
}
