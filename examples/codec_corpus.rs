//! Prints sizes and errors of a codec on real clips: one row per clip, then totals.
//!
//! `cargo run --release --example codec_corpus -- CODEC TOLERANCE_MM UNIT FILE...` (UNIT: m, cm; KEY=VALUE sets parameters)

use posepress_core::codecs::{self, Ledger, ParamValues, Progress, Section, Source};
use posepress_core::import::{ImportOptions, LengthUnit, import_file};
use posepress_core::metrics::ModelTrack;
use posepress_core::model::{Clip, ClipSampler, Pose, Skeleton};
use std::path::Path;
use std::time::Instant;

/// Usual radius of the shell of virtual vertices, metres.
const SHELL_M: f32 = 0.03;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [codec, tolerance_mm, unit, rest @ ..] = args.as_slice() else {
        return Err("usage: codec_corpus CODEC TOLERANCE_MM UNIT [KEY=VALUE]... FILE...".into());
    };
    let codec = codecs::by_name(codec).and_then(|c| c.encoder()).ok_or("no codec with bytes of its own")?;
    let tolerance_m = tolerance_mm.parse::<f32>()? / 1000.0;
    let unit = if unit == "cm" { LengthUnit::Centimetre } else { LengthUnit::Metre };
    let mut values = ParamValues::new();
    for (key, value) in rest.iter().filter_map(|a| a.split_once('=')) {
        values.set_text(codec.params(), key, value)?;
    }
    println!(
        "clip,joints,samples,raw_bytes,bytes,max_error_mm,between_mm,encode_ms,decode_ns_per_joint,random_ns_per_joint,open_ns_per_joint_sample"
    );
    let mut total = (0, 0, 0, 0.0);
    let mut sections = [0; Section::ALL.len()];
    for file in rest.iter().filter(|a| !a.contains('=')) {
        let imported = import_file(
            Path::new(file),
            &ImportOptions { unit: Some(unit), rate_hz: Some(30.0), ..ImportOptions::default() },
        )?;
        for clip in &imported.clips {
            let row = measure(codec, &values, &imported.rig.skeleton, clip, tolerance_m)?;
            let raw = clip.raw_bytes();
            println!(
                "{},{},{},{raw},{},{:.4},{:.4},{:.2},{:.1},{:.1},{:.1}",
                clip.name(),
                clip.joints(),
                clip.samples(),
                row.bytes,
                row.error_mm,
                row.between_mm,
                row.encode_ms,
                row.decode_ns,
                row.random_ns,
                row.open_ns
            );
            for (sum, section) in sections.iter_mut().zip(Section::ALL) {
                *sum += row.ledger.section_bits(section);
            }
            let over = usize::from(row.error_mm > tolerance_m * 1000.0);
            total = (total.0 + raw, total.1 + row.bytes, total.2 + over, total.3 + row.encode_ms);
        }
    }
    println!("total: raw {} bytes {} over tolerance {} encode {:.1} ms", total.0, total.1, total.2, total.3);
    let sections = Section::ALL.iter().zip(sections).filter(|(_, bits)| *bits > 0);
    let sections: Vec<String> = sections.map(|(section, bits)| format!("{} {}", section.name(), bits / 8)).collect();
    println!("bytes: {}", sections.join(", "));
    Ok(())
}

struct Row {
    bytes: usize,
    ledger: Ledger,
    error_mm: f32,
    between_mm: f32,
    encode_ms: f64,
    decode_ns: f64,
    /// Decode time per joint in random order, nanoseconds.
    random_ns: f64,
    /// Time to open a clip once, per joint and sample, nanoseconds.
    open_ns: f64,
}

fn measure(
    codec: &dyn codecs::Encoder,
    values: &ParamValues,
    skeleton: &Skeleton,
    clip: &Clip,
    tolerance_m: f32,
) -> Result<Row, Box<dyn std::error::Error>> {
    let shells_m = vec![SHELL_M; skeleton.len()];
    let source = Source::new(skeleton, clip, tolerance_m, &shells_m);
    let started = Instant::now();
    let encoded = codecs::encode_clip(codec, &source, values, &Progress::new())?;
    let encode_ms = started.elapsed().as_secs_f64() * 1000.0;
    let bind = skeleton.bind_pose(0).joints;
    let started = Instant::now();
    let (header, mut sampler) = codecs::open_clip(codec, &encoded.bytes, &bind)?;
    let open_ns = started.elapsed().as_secs_f64() * 1e9 / (clip.samples() * header.joints) as f64;
    let track = |sampler: &mut dyn posepress_core::model::Sampler| {
        ModelTrack::sample(skeleton, sampler, clip.grid(), 4, header.float_tracks)
    };
    let (raw, lossy) = (track(&mut ClipSampler::new(clip)), track(&mut sampler));
    let (mut error_m, mut between_m) = (0.0f32, 0.0f32);
    for step in 0..raw.steps() {
        for (a, b) in raw.pose(step).iter().zip(&*lossy.pose(step)) {
            let origin = a.translation - b.translation;
            let (a, b) = (&a.matrix3, &b.matrix3);
            for axis in [a.x_axis - b.x_axis, a.y_axis - b.y_axis, a.z_axis - b.z_axis] {
                let error = (origin + axis * SHELL_M).length();
                between_m = between_m.max(error);
                if raw.is_sample(step) {
                    error_m = error_m.max(error);
                }
            }
        }
    }
    let mut pose = Pose::with_size(header.joints, header.float_tracks);
    let places: Vec<f64> = clip.grid().steps(2).collect();
    let jumping: Vec<f64> = (0..places.len()).map(|i| places[i * 37 % places.len()]).collect();
    let mut pose_ns = |places: &[f64]| {
        let rounds = (20_000 / (places.len() * header.joints)).max(1);
        let started = Instant::now();
        for _ in 0..rounds {
            places.iter().for_each(|at_sample| sampler.sample(*at_sample, &mut pose));
        }
        started.elapsed().as_secs_f64() * 1e9 / (rounds * places.len() * header.joints) as f64
    };
    let (decode_ns, random_ns) = (pose_ns(&places), pose_ns(&jumping));
    Ok(Row {
        bytes: encoded.bytes.len(),
        ledger: encoded.ledger,
        error_mm: error_m * 1000.0,
        between_mm: between_m * 1000.0,
        encode_ms,
        decode_ns,
        random_ns,
        open_ns,
    })
}
