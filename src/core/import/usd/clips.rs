//! The clips of a stage: one per animation.

use super::placement::Placement;
use super::rig::{Figure, RigMap, decomposed};
use super::scene::{AnimationPrim, Moves, Scene};
use super::values::Track;
use super::{Fault, Finding, readable};
use crate::import::jumps::Jump;
use crate::import::key_clip::KeyClip;
use crate::import::keys::{Interpolation, KeyValue, Keys};
use crate::import::motion::{Keyed, Motion};
use crate::import::name::unique_name;
use crate::math::Transform;
use crate::model::Channel;
use crate::text;
use std::collections::HashMap;
use std::sync::Arc;

/// An animation: keys of joints, and the places of its skeletons.
#[derive(Debug)]
pub(super) struct UsdClip {
    keys: KeyClip,
    places: Vec<Place>,
    rate_hz: f64,
}

/// A joint that has the place of a skeleton in the world.
#[derive(Debug)]
struct Place {
    joint: usize,
    placement: Placement,
    times_secs: Vec<f32>,
    start_code: f64,
    codes_per_sec: f64,
    metres: f32,
    scale: f32,
}

impl UsdClip {
    fn moves(&self) -> bool {
        !self.keys.is_empty() || !self.places.is_empty()
    }
}

/// Reads the animations of a scene, each as a clip. `tracks` has names and first float tracks of shapes per mesh.
pub(super) fn read_clips(
    scene: &Scene,
    map: &RigMap,
    tracks: &[Option<usize>],
    name: &str,
    findings: &mut Vec<Finding>,
) -> Result<Vec<UsdClip>, Fault> {
    let mut names = HashMap::new();
    let mut clips = Vec::new();
    let mut left_out = Vec::new();
    for (index, animation) in scene.animations.iter().enumerate() {
        let figures = figures_of(scene, map, animation);
        if figures.is_empty() {
            left_out.push(animation.name.clone());
            continue;
        }
        let reader = ClipReader { scene, map, tracks, animation, figures };
        let clip_name = unique_name(Some(&animation.name), index, &mut names);
        match reader.read(clip_name.clone(), findings) {
            Ok(clip) if clip.moves() => clips.push(clip),
            Ok(_) => findings.push(Finding::note(clip_name, "the clip animates nothing visible", "It was left out.")),
            Err(fault) => findings.push(Finding::left_out(clip_name, &fault)),
        }
    }
    if !left_out.is_empty() {
        let what = "no skeleton that is read has the joints of this animation";
        findings.push(Finding::note(text::listed(&left_out), what, "It was left out."));
    }
    if clips.is_empty() {
        clips.extend(placed_alone(scene, map, name)?);
    }
    Ok(clips)
}

/// The skeletons that an animation moves: those that it is bound to, or else the first that has all its joints.
fn figures_of<'a>(scene: &Scene, map: &'a RigMap, animation: &AnimationPrim) -> Vec<&'a Figure> {
    let skeleton = |figure: &Figure| &scene.skeletons[figure.skeleton];
    let bound = scene.skeletons.iter().any(|skeleton| skeleton.animation.as_deref() == Some(animation.path.as_str()));
    if bound {
        let is_bound = |figure: &&Figure| skeleton(figure).animation.as_deref() == Some(animation.path.as_str());
        return map.figures().iter().filter(is_bound).collect();
    }
    let has_all = |figure: &&Figure| animation.joints.iter().all(|joint| skeleton(figure).joints.contains(joint));
    map.figures().iter().find(has_all).into_iter().collect()
}

/// A clip of skeletons that move only as a whole.
fn placed_alone(scene: &Scene, map: &RigMap, name: &str) -> Result<Option<UsdClip>, Fault> {
    let figures: Vec<&Figure> = map.figures().iter().collect();
    let codes = placed_codes(scene, &figures);
    let Some(start_code) = (!codes.is_empty()).then(|| scene.start(&codes)) else { return Ok(None) };
    let places = places(scene, map, &figures, start_code);
    let keys = KeyClip {
        name: name.to_owned(),
        file_bytes: placed_bytes(scene, &figures),
        has_curves: true,
        ..KeyClip::default()
    };
    Ok(Some(UsdClip { keys, places, rate_hz: rate_hz(scene) }))
}

fn rate_hz(scene: &Scene) -> f64 {
    scene.frames_per_sec.filter(|rate| *rate > 0.0).unwrap_or(scene.codes_per_sec)
}

fn placed_codes(scene: &Scene, figures: &[&Figure]) -> Vec<f64> {
    let mut codes: Vec<f64> = figures.iter().flat_map(|f| scene.skeletons[f.skeleton].placement.codes()).collect();
    codes.sort_by(f64::total_cmp);
    codes.dedup();
    codes
}

fn placed_bytes(scene: &Scene, figures: &[&Figure]) -> u64 {
    figures.iter().map(|figure| scene.skeletons[figure.skeleton].placement.bytes()).sum()
}

fn places(scene: &Scene, map: &RigMap, figures: &[&Figure], start_code: f64) -> Vec<Place> {
    let place = |figure: &&Figure| {
        let placement = scene.skeletons[figure.skeleton].placement.clone();
        let codes = placement.codes();
        let codes_per_sec = scene.codes_per_sec;
        let times_secs = codes.iter().map(|code| ((code - start_code) / codes_per_sec) as f32).collect();
        let joint = figure.placed.filter(|_| !codes.is_empty())?;
        Some(Place { joint, placement, times_secs, start_code, codes_per_sec, metres: map.metres, scale: figure.scale })
    };
    figures.iter().filter_map(place).collect()
}

/// Reads one animation.
struct ClipReader<'a> {
    scene: &'a Scene,
    map: &'a RigMap,
    tracks: &'a [Option<usize>],
    animation: &'a AnimationPrim,
    figures: Vec<&'a Figure>,
}

/// Times of samples in a clip.
struct Times {
    start_code: f64,
    codes_per_sec: f64,
    /// Time of values without samples.
    first_secs: f32,
}

impl Times {
    fn secs(&self, codes: &[f64]) -> Arc<[f32]> {
        match codes {
            [] => Arc::new([self.first_secs]),
            codes => codes.iter().map(|code| ((code - self.start_code) / self.codes_per_sec) as f32).collect(),
        }
    }
}

impl ClipReader<'_> {
    fn read(&self, name: String, findings: &mut Vec<Finding>) -> Result<UsdClip, Fault> {
        let placed = placed_codes(self.scene, &self.figures);
        let codes = self.codes(&placed);
        let start_code = self.scene.start(&codes);
        let codes_per_sec = self.scene.codes_per_sec;
        let first = codes.first().map_or(0.0, |first| (first - start_code) / codes_per_sec);
        let times = Times { start_code, codes_per_sec, first_secs: first as f32 };
        let file_bytes = self.file_bytes();
        let mut keys = KeyClip { name, file_bytes, has_curves: true, ..KeyClip::default() };
        match &self.animation.moves {
            Some(moves) => self.figures.iter().try_for_each(|figure| self.joints(figure, moves, &times, &mut keys))?,
            None if self.animation.joints.is_empty() => {}
            None => return Err(incomplete()),
        }
        findings.extend(self.unknown_joints(&keys.name));
        self.floats(&times, &mut keys)?;
        findings.extend(self.beyond_range(&keys.name, &codes));
        let places = places(self.scene, self.map, &self.figures, start_code);
        Ok(UsdClip { keys, places, rate_hz: rate_hz(self.scene) })
    }

    /// Time codes of all samples, in order.
    fn codes(&self, placed: &[f64]) -> Vec<f64> {
        let mut codes = placed.to_vec();
        if let Some(moves) = &self.animation.moves {
            codes
                .extend([&moves.translations.codes, &moves.rotations.codes, &moves.scales.codes].into_iter().flatten());
        }
        codes.extend(self.animation.weights.iter().flat_map(|weights| &weights.codes));
        codes.sort_by(f64::total_cmp);
        codes.dedup();
        codes
    }

    fn file_bytes(&self) -> u64 {
        let bytes = |samples: usize, each: usize| (samples * (each + size_of::<f64>())) as u64;
        let joints = self.animation.joints.len();
        let moves = self.animation.moves.as_ref().map_or(0, |moves| {
            bytes(moves.translations.values.len(), 12 * joints)
                + bytes(moves.rotations.values.len(), 16 * joints)
                + bytes(moves.scales.values.len(), 6 * joints)
        });
        let weights = self
            .animation
            .weights
            .as_ref()
            .map_or(0, |weights| bytes(weights.values.len(), 4 * self.animation.shapes.len()));
        moves + weights + placed_bytes(self.scene, &self.figures)
    }

    fn joints(&self, figure: &Figure, moves: &Moves, times: &Times, keys: &mut KeyClip) -> Result<(), Fault> {
        let skeleton = &self.scene.skeletons[figure.skeleton];
        let places: HashMap<&str, usize> =
            skeleton.joints.iter().enumerate().map(|(place, joint)| (joint.as_str(), place)).collect();
        let metres = self.map.metres * figure.scale;
        let [translations, rotations, scales] =
            [&moves.translations.codes, &moves.rotations.codes, &moves.scales.codes].map(|codes| times.secs(codes));
        for (index, name) in self.animation.joints.iter().enumerate() {
            let Some(place) = places.get(name.as_str()) else { continue };
            let joint = figure.first + place;
            let at = |fault: Fault| fault.at(format!("joint '{}'", readable(name)));
            keys.translations.push((joint, of(&moves.translations, index, &translations, |v| v * metres).map_err(at)?));
            keys.rotations.push((joint, of(&moves.rotations, index, &rotations, |q| q).map_err(at)?));
            keys.scales.push((joint, of(&moves.scales, index, &scales, |v| v).map_err(at)?));
        }
        Ok(())
    }

    fn floats(&self, times: &Times, keys: &mut KeyClip) -> Result<(), Fault> {
        let Some(weights) = &self.animation.weights else { return Ok(()) };
        let secs = times.secs(&weights.codes);
        for (mesh, first_track) in self.scene.meshes.iter().zip(self.tracks) {
            let is_moved =
                mesh.skin.as_ref().is_some_and(|skin| self.figures.iter().any(|f| f.skeleton == skin.skeleton));
            let Some(first_track) = first_track.filter(|_| is_moved) else { continue };
            for (shape, track) in mesh.shapes.iter().zip(first_track..) {
                let place = self.animation.shapes.iter().position(|name| readable(name) == shape.name);
                let Some(place) = place else { continue };
                keys.floats.push((track, of(weights, place, &secs, |weight| weight)?));
            }
        }
        Ok(())
    }

    fn unknown_joints(&self, clip: &str) -> Option<Finding> {
        let is_known = |joint: &&String| {
            self.figures.iter().any(|figure| self.scene.skeletons[figure.skeleton].joints.contains(joint))
        };
        let unknown: Vec<String> =
            self.animation.joints.iter().filter(|joint| !is_known(joint)).map(|joint| readable(joint)).collect();
        (!unknown.is_empty()).then(|| {
            let what = format!("it moves joints that the skeleton does not have: {}", text::listed(&unknown));
            Finding::note(clip, what, "Their motion was left out, as USD does.")
        })
    }

    fn beyond_range(&self, clip: &str, codes: &[f64]) -> Option<Finding> {
        let (last, end) = (codes.last()?, self.scene.range[1]?);
        (*last > end).then(|| {
            let what = format!("its last key, at time code {last}, lies after the end of the stage at {end}");
            Finding::note(clip, what, "It was kept: the clip ends with its last key.")
        })
    }
}

fn incomplete() -> Fault {
    Fault::new("it does not state translations, rotations and scales, and USD shows the rest pose then")
        .advise("Export all three, for every joint of the animation")
}

/// Keys of one joint or shape.
fn of<T: KeyValue>(
    track: &Track<Vec<T>>,
    index: usize,
    secs: &Arc<[f32]>,
    convert: impl Fn(T) -> T,
) -> Result<Keys<T>, Fault> {
    let values: Vec<T> = track.values.iter().map(|values| convert(values[index])).collect();
    Keys::new(secs.clone(), &values, Interpolation::Linear)
}

impl Place {
    fn local(&self, time_secs: f32, snap_secs: f32) -> Transform {
        let next = self.times_secs.partition_point(|&known| known <= time_secs + snap_secs);
        let key = next.checked_sub(1).map(|key| self.times_secs[key]);
        let time_secs = key.filter(|key| time_secs - key <= snap_secs).unwrap_or(time_secs);
        let local =
            decomposed(self.placement.at(self.start_code + f64::from(time_secs) * self.codes_per_sec), self.metres);
        Transform { scale: local.scale / self.scale, ..local }
    }
}

impl Motion for UsdClip {
    fn name(&self) -> &str {
        self.keys.name()
    }

    fn times_secs(&self) -> Vec<f32> {
        let mut times = self.keys.times_secs();
        times.extend(self.places.iter().flat_map(|place| &place.times_secs));
        times.sort_by(f32::total_cmp);
        times.dedup();
        times
    }

    fn jumps(&self) -> Vec<Jump> {
        self.keys.jumps()
    }

    fn is_straight(&self) -> bool {
        self.keys.is_straight() && self.places.iter().all(|place| place.placement.is_straight())
    }

    fn rate_hz(&self) -> Option<f64> {
        Some(self.rate_hz).filter(|rate| (1.0..=1000.0).contains(rate))
    }

    fn keys_say_more(&self) -> bool {
        true
    }

    fn has_curves(&self) -> bool {
        true
    }

    fn keyed(&self) -> Vec<Keyed> {
        let mut all = self.keys.keyed();
        for place in self.places.iter().filter(|place| place.times_secs.len() > 1) {
            let keyed = |channel| Keyed {
                joint: place.joint,
                channel,
                times_secs: place.times_secs.clone(),
                is_stepped: false,
            };
            all.extend(Channel::ALL.map(keyed));
        }
        all
    }

    fn file_bytes(&self) -> u64 {
        self.keys.file_bytes()
    }

    fn pose(&self, time_secs: f32, snap_secs: f32, joints: &mut [Transform], floats: &mut [f32]) {
        self.keys.pose(time_secs, snap_secs, joints, floats);
        for place in &self.places {
            joints[place.joint] = place.local(time_secs, snap_secs);
        }
    }
}
