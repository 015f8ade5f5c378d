//! Riot's compressed animation, `r3d2canm`: splines through keys, in one block, in the order in which playback needs them.

mod frames;

use super::keys::{Curve, KeyStyle, NumberError, Numbers, fit};
use super::{Between, ExportClip, ExportError, ExportTarget, Exporter, ExporterInfo, Holds, Played, only_clip};
use crate::format::ByteWriter;
use crate::import::{FileSpace, RIOT_FOLLOWS_TIMES, RIOT_MAGIC, RIOT_PLACES_START, Written, joint_hash, play_riot};
use crate::math::Range3;
use crate::model::{Channel, Rig, Skeleton};
use frames::{Frames, TICKS};
use std::collections::HashMap;

const VERSION: u32 = 1;
/// Bytes of the header.
const HEADER_BYTES: usize = 128;
/// Flags: tangents depend on the time between keys, and constant tracks have one key.
const FLAGS: u32 = RIOT_FOLLOWS_TIMES | 0b11_0000;
/// Margin and jump threshold of rotations, translations and scales: the defaults of the game's tools.
const ERROR_METRICS: [[f32; 2]; 3] = [[2.0, 10.0]; 3];
/// Seconds between jump caches.
const SEEK_SECS: f32 = 2.0;
/// Rate of a clip with one sample, and the inverse of its duration. Players treat a clip without duration as empty.
const STILL_HZ: f32 = 30.0;

/// Writes one clip. Joints are identified by the hashes of their names.
#[derive(Debug, Clone, Copy, Default)]
pub struct Riot;

impl Exporter for Riot {
    fn info(&self) -> ExporterInfo {
        ExporterInfo {
            key: "anm",
            name: "Riot compressed animation (r3d2canm)",
            extension: "anm",
            holds: Holds::OneClip,
        }
    }

    /// Float tracks are dropped: the format has none.
    fn export(&self, rig: &Rig, clips: &mut [ExportClip<'_>], _: &ExportTarget) -> Result<Vec<u8>, ExportError> {
        let clip = only_clip(clips, rig, "a .anm file")?;
        let samples = clip.source.samples();
        if samples > TICKS {
            let what = format!(
                "a .anm file stores up to {TICKS} different times, but the clip has {samples} samples. Export a part of it"
            );
            return Err(ExportError::Unsupported(what));
        }
        let hashes = hashes(&rig.skeleton)?;
        let curves: Vec<Curve> = fit(clip, rig, FileSpace::OURS, KeyStyle::Riot).curves.into_iter().flatten().collect();
        Ok(file(clip, &hashes, &curves))
    }

    fn play(
        &self,
        bytes: &[u8],
        rig: &Rig,
        clips: &[ExportClip<'_>],
        _: &ExportTarget,
    ) -> Result<Vec<Played>, ExportError> {
        let play = |clip: &ExportClip<'_>| {
            let of = Written { rig, clip: clip.source, space: FileSpace::OURS };
            Ok(Played::new(play_riot(bytes, of).map_err(ExportError::Unplayable)?, Between::Other))
        };
        clips.iter().map(play).collect()
    }

    fn number_error(&self, rig: &Rig, clip: &ExportClip<'_>, joint: usize) -> Option<NumberError> {
        NumberError::of(rig, clip, joint, KeyStyle::Riot)
    }
}

fn file(clip: &ExportClip<'_>, hashes: &[u32], curves: &[Curve]) -> Vec<u8> {
    let grid = clip.source.grid();
    let (duration_secs, rate_hz) = match grid.duration_secs() > 0.0 {
        true => (grid.duration_secs(), grid.rate_hz() as f32),
        false => (1.0 / STILL_HZ, STILL_HZ),
    };
    let frames = Frames::new(curves, grid);
    let seeks = (duration_secs / SEEK_SECS).ceil().max(1.0) as usize;
    let (frame_bytes, seek_bytes) = (frames.bytes(), frames.seek_bytes(seeks));
    let places = [HEADER_BYTES + 4 * hashes.len(), HEADER_BYTES + 4 * hashes.len() + frame_bytes.len(), HEADER_BYTES];
    let mut out = ByteWriter::with_capacity(places[1] + seek_bytes.len());
    out.bytes(RIOT_MAGIC);
    out.u32(VERSION);
    out.u32((places[1] + seek_bytes.len()) as u32);
    out.u32(0); // unused token
    out.u32(FLAGS);
    [hashes.len(), frames.len(), seeks].into_iter().for_each(|count| out.u32(count as u32));
    out.f32(duration_secs);
    out.f32(rate_hz);
    ERROR_METRICS.as_flattened().iter().for_each(|number| out.f32(*number));
    for channel in [Channel::Translation, Channel::Scale] {
        let Range3 { min, extent } = range(curves, channel);
        [min, min + extent].iter().flat_map(|end| end.to_array()).for_each(|number| out.f32(number));
    }
    places.into_iter().for_each(|place| out.u32((place - RIOT_PLACES_START) as u32));
    hashes.iter().for_each(|hash| out.u32(*hash));
    out.bytes(&frame_bytes);
    out.bytes(&seek_bytes);
    out.finish()
}

/// Range shared by all keys of a channel.
fn range(curves: &[Curve], channel: Channel) -> Range3 {
    match curves[channel as usize].numbers {
        Numbers::Within(range) => range,
        _ => Range3::UNIT,
    }
}

/// Hashes by which the game identifies joints. Returns an error if two joints have the same hash.
fn hashes(skeleton: &Skeleton) -> Result<Vec<u32>, ExportError> {
    let mut known = HashMap::new();
    let hash = |joint| {
        let name = skeleton.name(joint);
        let hash = joint_hash(name);
        match known.insert(hash, name) {
            None => Ok(hash),
            Some(other) => {
                let what = format!(
                    "the joints '{}' and '{}' have the same hash in a .anm file, which ignores case. Rename one",
                    other.escape_debug(),
                    name.escape_debug()
                );
                Err(ExportError::Unsupported(what))
            }
        }
    };
    (0..skeleton.len()).map(hash).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::{Clip, ClipData, Joint};
    use glam::{Quat, Vec3, Vec4};

    /// Two joints that turn and move, unevenly.
    fn restless() -> (Rig, Clip) {
        let joint = |name: &str, parent| Joint { name: name.into(), parent, bind: Transform::IDENTITY };
        let skeleton = Skeleton::new(vec![joint("root", None), joint("arm", Some(0))]).unwrap();
        let local = |at: f32| Transform {
            rotation: Quat::from_scaled_axis(Vec3::new(at.sin(), (0.7 * at).cos(), 0.3 * at)),
            translation: Vec3::new(at.cos(), at * at * 0.01, 2.0),
            scale: Vec3::splat(1.0 + 0.1 * at.sin()),
        };
        let data = ClipData {
            name: "restless".into(),
            joints: 2,
            duration_secs: 3.3,
            transforms: (0..100).flat_map(|s| [local(s as f32 * 0.1), local(0.02 * (s % 37) as f32)]).collect(),
            float_tracks: 0,
            floats: vec![],
            holds: vec![],
            looping: None,
        };
        (Rig::from_skeleton("rig", skeleton), Clip::new(data).unwrap())
    }

    #[test]
    fn players_read_what_was_measured() {
        let (rig, source) = restless();
        let mut clip = ExportClip { tolerance_m: 1e-3, ..ExportClip::raw(&source) };
        let fitted = fit(&mut clip, &rig, FileSpace::OURS, KeyStyle::Riot).curves;
        let curves: Vec<Curve> = fitted.into_iter().flatten().collect();
        let keys: usize = curves.iter().map(|curve| curve.values.len()).sum();
        assert!(keys < 500, "{keys} of 600");
        let bytes = file(&clip, &hashes(&rig.skeleton).unwrap(), &curves);
        let animation = ltk_anim::Compressed::from_reader(&mut std::io::Cursor::new(bytes)).unwrap();
        for place in source.grid().steps(7) {
            let pose = animation.evaluate(source.grid().time_secs(place));
            for (joint, name) in ["root", "arm"].into_iter().enumerate() {
                let (rotation, translation, scale) = pose[&joint_hash(name)];
                let ours = |channel: Channel| curves[3 * joint + channel as usize].at(place);
                let (turned, theirs) = (ours(Channel::Rotation), Vec4::from(rotation.to_array()));
                let theirs = if turned.dot(theirs) < 0.0 { -theirs } else { theirs };
                assert!(2.0 * turned.distance(theirs) < 1e-4, "{name} at {place}: {turned} {theirs}");
                for (ours, theirs) in
                    [(Channel::Translation, translation), (Channel::Scale, scale)].map(|(c, v)| (ours(c), v))
                {
                    assert!(
                        ours.truncate().distance(Vec3::from(theirs.to_array())) < 1e-5,
                        "{name} at {place}: {ours}"
                    );
                }
            }
        }
    }

    #[test]
    fn joints_that_differ_in_case_alone_are_refused() {
        let joint = |name: &str| Joint { name: name.into(), parent: None, bind: Transform::IDENTITY };
        let error = hashes(&Skeleton::new(vec![joint("Hand"), joint("hand")]).unwrap()).unwrap_err().to_string();
        assert!(error.contains("'Hand' and 'hand'"), "{error}");
    }
}
