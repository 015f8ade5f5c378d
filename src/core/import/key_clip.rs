use super::jumps::{Jump, in_order};
use super::keys::{KeyValue, Keys};
use super::motion::{Keyed, Motion};
use super::rate::Phase;
use crate::math::Transform;
use crate::model::{Additive, Channel, JointConstraints};
use glam::{Quat, Vec3};
use std::sync::Arc;

/// A clip as keys, with separate times per channel.
#[derive(Debug, Clone, Default)]
pub(super) struct KeyClip {
    pub name: String,
    /// Joint and its keys.
    pub rotations: Vec<(usize, Keys<Quat>)>,
    /// Joint and its keys, metres.
    pub translations: Vec<(usize, Keys<Vec3>)>,
    /// Joint and its keys.
    pub scales: Vec<(usize, Keys<Vec3>)>,
    /// Float track and its keys.
    pub floats: Vec<(usize, Keys<f32>)>,
    /// True if the format defines curves between keys.
    pub has_curves: bool,
    /// Stored bytes.
    pub file_bytes: u64,
    /// The samples that it was made from, if the file states them.
    pub declared: Option<Phase>,
    /// The additive mark, if the file has one.
    pub additive: Option<Additive>,
    /// The tags of the file.
    pub tags: Vec<String>,
    /// Constraints, which move joints in addition to keys.
    pub constraints: Arc<JointConstraints>,
}

impl KeyClip {
    /// True if no channel has keys.
    pub fn is_empty(&self) -> bool {
        self.tracks().next().is_none()
    }

    /// Tracks with several equal keys: their number, and the bytes of all but the first keys, as float32 without times.
    pub fn idle_tracks(&self) -> (usize, usize) {
        let rotations = self.rotations.iter().filter_map(|(_, k)| k.idle_bytes());
        let translations = self.translations.iter().filter_map(|(_, k)| k.idle_bytes());
        let scales = self.scales.iter().filter_map(|(_, k)| k.idle_bytes());
        let floats = self.floats.iter().filter_map(|(_, k)| k.idle_bytes());
        let all = rotations.chain(translations).chain(scales).chain(floats);
        all.fold((0, 0), |(tracks, bytes), idle| (tracks + 1, bytes + idle))
    }

    fn all_jumps(&self) -> impl Iterator<Item = &Jump> {
        let rotations = self.rotations.iter().flat_map(|(_, k)| k.jumps());
        let translations = self.translations.iter().flat_map(|(_, k)| k.jumps());
        let scales = self.scales.iter().flat_map(|(_, k)| k.jumps());
        let floats = self.floats.iter().flat_map(|(_, k)| k.jumps());
        rotations.chain(translations).chain(scales).chain(floats)
    }

    /// Steps of stepped tracks, as jumps. Constrained joints may follow these tracks without stepped keys of their own.
    fn followed_steps(&self) -> Vec<Jump> {
        if self.constraints.is_empty() {
            return Vec::new();
        }
        let stepped = self.keyed().into_iter().filter(|keyed| keyed.is_stepped);
        let jump = |at_secs| Jump { at_secs, until_secs: at_secs };
        stepped.flat_map(|keyed| keyed.times_secs.into_iter().skip(1)).map(jump).collect()
    }

    fn tracks(&self) -> impl Iterator<Item = &[f32]> {
        let rotations = self.rotations.iter().map(|(_, k)| k.times_secs());
        let translations = self.translations.iter().map(|(_, k)| k.times_secs());
        let scales = self.scales.iter().map(|(_, k)| k.times_secs());
        let floats = self.floats.iter().map(|(_, k)| k.times_secs());
        rotations.chain(translations).chain(scales).chain(floats)
    }
}

impl Motion for KeyClip {
    fn name(&self) -> &str {
        &self.name
    }

    fn times_secs(&self) -> Vec<f32> {
        let mut tracks: Vec<&[f32]> = self.tracks().collect();
        tracks.dedup_by_key(|times| times.as_ptr()); // shared ones
        let mut times = tracks.concat();
        times.sort_by(f32::total_cmp);
        times.dedup();
        times
    }

    fn jumps(&self) -> Vec<Jump> {
        let steps = self.followed_steps();
        in_order(self.all_jumps().chain(&steps))
    }

    fn is_straight(&self) -> bool {
        self.rotations.iter().all(|(_, k)| k.is_straight())
            && self.translations.iter().all(|(_, k)| k.is_straight())
            && self.scales.iter().all(|(_, k)| k.is_straight())
            && self.floats.iter().all(|(_, k)| k.is_straight())
    }

    fn stepped_floats(&self) -> Vec<(usize, Vec<f32>)> {
        let stepped = self.floats.iter().filter(|(_, keys)| keys.is_stepped());
        stepped.map(|(track, keys)| (*track, keys.times_secs().to_vec())).collect()
    }

    fn rate_hz(&self) -> Option<f64> {
        self.declared.map(|phase| phase.rate_hz)
    }

    fn additive(&self) -> Option<Additive> {
        self.additive.clone()
    }

    fn tags(&self) -> Vec<String> {
        self.tags.clone()
    }

    fn declared(&self) -> Option<Phase> {
        self.declared
    }

    fn has_curves(&self) -> bool {
        self.has_curves
    }

    fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    fn work(&self) -> u64 {
        self.constraints.work()
    }

    fn keyed(&self) -> Vec<Keyed> {
        let mut all = keyed(&self.rotations, Channel::Rotation);
        all.extend(keyed(&self.translations, Channel::Translation));
        all.extend(keyed(&self.scales, Channel::Scale));
        all
    }

    fn pose(&self, time_secs: f32, snap_secs: f32, joints: &mut [Transform], floats: &mut [f32]) {
        self.rotations.iter().for_each(|(joint, keys)| joints[*joint].rotation = keys.at(time_secs, snap_secs));
        self.translations.iter().for_each(|(joint, keys)| joints[*joint].translation = keys.at(time_secs, snap_secs));
        self.scales.iter().for_each(|(joint, keys)| joints[*joint].scale = keys.at(time_secs, snap_secs));
        self.floats.iter().for_each(|(track, keys)| floats[*track] = keys.at(time_secs, snap_secs));
        self.constraints.apply(joints);
    }
}

fn keyed<T: KeyValue>(tracks: &[(usize, Keys<T>)], channel: Channel) -> Vec<Keyed> {
    let keyed = |(joint, keys): &(usize, Keys<T>)| {
        let (times_secs, is_stepped) = (keys.times_secs().to_vec(), keys.is_stepped());
        Keyed { joint: *joint, channel, times_secs, is_stepped }
    };
    tracks.iter().map(keyed).collect()
}
