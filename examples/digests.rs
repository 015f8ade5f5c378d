//! Prints digests of every codec's output: payload, header and rest of the clip, decoded poses. If two builds print the same
//! table, they encode to the same bytes and decode to the same bits.
//!
//! `cargo run --release --no-default-features --example digests -- FILE...`

use posepress_core::codecs::{
    CODECS, Codec, Compensation, CompensationMethod, EncodeError, EncodedClip, Encoder, ParamValues, Progress,
    SearchRules, Source, encode_compensated_clip, open_clip,
};
use posepress_core::import::{ImportOptions, LengthUnit, import_file};
use posepress_core::model::{Clip, Pose, Skeleton};
use posepress_core::pipeline::search;
use std::path::Path;

const TOLERANCES_M: [f32; 2] = [0.0001, 0.002];
const HEADER: usize = 14;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in std::env::args().skip(1) {
        let centimetres = ["bandai", "fox"].iter().any(|set| file.contains(set));
        let unit = centimetres.then_some(LengthUnit::Centimetre);
        let options = ImportOptions { unit, rate_hz: Some(30.0), ..ImportOptions::default() };
        let name = Path::new(&file).file_name().unwrap().to_string_lossy().into_owned();
        let imported = import_file(Path::new(&file), &options)?;
        for clip in &imported.clips {
            for tolerance_m in TOLERANCES_M {
                for codec in CODECS.iter().copied() {
                    let presets = codec.info().presets.iter().map(|p| (format!(":{}", p.name), p.name));
                    for (suffix, preset) in std::iter::once((String::new(), "")).chain(presets) {
                        let values = match preset {
                            "" => ParamValues::new(),
                            preset => codecs_values(codec, preset),
                        };
                        row(
                            &name,
                            clip,
                            &imported.rig.skeleton,
                            codec,
                            &suffix,
                            &values,
                            CompensationMethod::None,
                            tolerance_m,
                        );
                    }
                    if codec.encoder().is_some() {
                        for method in
                            [CompensationMethod::InPlace, CompensationMethod::Additive, CompensationMethod::Ik]
                        {
                            row(
                                &name,
                                clip,
                                &imported.rig.skeleton,
                                codec,
                                "",
                                &ParamValues::new(),
                                method,
                                tolerance_m,
                            );
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

fn codecs_values(codec: &'static dyn Codec, preset: &str) -> ParamValues {
    posepress_core::codecs::by_name_and_preset(&format!("{}:{preset}", codec.name())).unwrap().1
}

#[allow(clippy::too_many_arguments)]
fn row(
    file: &str,
    clip: &Clip,
    skeleton: &Skeleton,
    codec: &'static dyn Codec,
    suffix: &str,
    values: &ParamValues,
    method: CompensationMethod,
    tolerance_m: f32,
) {
    let shells_m = vec![0.03; skeleton.len()];
    let source = Source::new(skeleton, clip, tolerance_m, &shells_m);
    let compensation = Compensation { method, ..Compensation::default() };
    let mm = tolerance_m * 1000.0;
    let label = format!("{file}/{} {}{suffix} {method:?} {mm}", clip.name(), codec.name());
    let (codec, encoded) = match encode(codec, &source, values, &compensation) {
        Ok(made) => made,
        Err(error) => return println!("{label} error {error}"),
    };
    let bytes = &encoded.bytes;
    let len = u32::from_le_bytes(bytes[HEADER..HEADER + 4].try_into().unwrap()) as usize;
    let (payload, rest) = bytes[HEADER + 4..].split_at(len);
    // The version byte is skipped, so that tables of builds with and without it compare.
    let payload = &payload[1..];
    let winner =
        if label.contains(" automatic") { String::from_utf8_lossy(&codec.id().0).into_owned() } else { String::new() };
    let bind = skeleton.bind_pose(0).joints;
    let (header, mut sampler) = open_clip(codec, bytes, &bind).unwrap();
    let mut pose = Pose::with_size(header.joints, header.float_tracks);
    let mut hasher = blake3::Hasher::new();
    // Times between samples, computed from f32 seconds as players do.
    let places: Vec<f64> = clip.grid().steps(3).map(|at| clip.grid().sample_at(clip.grid().time_secs(at))).collect();
    let scattered = (0..20).map(|i| places[i * 7919 % places.len()]);
    for at_sample in places.iter().copied().chain(scattered.collect::<Vec<_>>()) {
        sampler.sample(at_sample, &mut pose);
        for t in &pose.joints {
            let n = t.rotation.to_array().into_iter().chain(t.translation.to_array()).chain(t.scale.to_array());
            n.for_each(|x| {
                hasher.update(&x.to_le_bytes());
            });
        }
        pose.floats.iter().for_each(|x| {
            hasher.update(&x.to_le_bytes());
        });
    }
    let short = |hash: blake3::Hash| hash.to_hex()[..16].to_owned();
    println!(
        "{label} {winner} payload {} {} around {} {} poses {}",
        payload.len(),
        short(blake3::hash(payload)),
        HEADER + rest.len(),
        short(blake3::hash(&[&bytes[..HEADER], rest].concat())),
        short(hasher.finalize())
    );
}

/// Encodes a clip. Returns the codec of the bytes (for `automatic`, the winner) and the result.
fn encode(
    codec: &'static dyn Codec,
    source: &Source<'_>,
    values: &ParamValues,
    compensation: &Compensation,
) -> Result<(&'static dyn Encoder, EncodedClip), EncodeError> {
    match codec.encoder() {
        Some(encoder) => {
            encode_compensated_clip(encoder, source, values, compensation, &Progress::new()).map(|e| (encoder, e))
        }
        None => {
            let found = search(source, compensation, &SearchRules::chosen(values)?, None, &Progress::new())?;
            Ok((found.winner.codec, found.encoded))
        }
    }
}
