use super::super::motion::{Keyed, Motion};
use super::super::{Ask, Budget, Fault};
use super::head::{Head, JOINT_BITS};
use crate::math::{LARGEST_DROPPED_LIMIT, Range3, Transform, restore_largest, riot_section, unorm_decode};
use crate::model::Channel;
use glam::{Quat, Vec3, Vec4};

/// Bits per component of a rotation.
const ROTATION_BITS: u32 = 15;
/// Bits per component of a translation or scale.
const FRACTION_BITS: u32 = 16;
/// Bytes of a frame, which is a key: time, joint with channel, value.
const FRAME_BYTES: usize = 10;

/// A clip as Riot's players play it: splines through its keys. Key times are ticks of 16 bits.
#[derive(Debug)]
pub(super) struct RiotClip {
    name: String,
    duration_secs: f32,
    rate_hz: f32,
    /// True if tangents depend on the times between keys.
    follows_times: bool,
    /// Tracks per joint, in the order of [`Channel::ALL`].
    joints: Vec<[Track; 3]>,
}

#[derive(Debug, Clone, Default)]
struct Track {
    ticks: Vec<u16>,
    /// Rotations are x, y, z, w.
    values: Vec<Vec4>,
}

impl RiotClip {
    /// Reads the frames of a file.
    pub fn read(bytes: &[u8], head: &Head, name: String, metres: f32, budget: &Budget) -> Result<Self, Fault> {
        let frames = head.section(bytes, "frames", head.frames_place, head.frames, FRAME_BYTES)?;
        let decoded = (head.frames * size_of::<(u16, Vec4)>() + head.joints * size_of::<[Track; 3]>()) as u64;
        budget.claim(Ask::Decoded, decoded)?;
        let mut joints = vec![[const { Track { ticks: Vec::new(), values: Vec::new() } }; 3]; head.joints];
        for (index, frame) in frames.chunks_exact(FRAME_BYTES).enumerate() {
            let place = head.frames_place + FRAME_BYTES * index;
            add(&mut joints, frame, head, metres).map_err(|fault| fault.at(format!("frame {index}, byte {place}")))?;
        }
        let Head { duration_secs, rate_hz, follows_times, .. } = *head;
        Ok(Self { name, duration_secs, rate_hz, follows_times, joints })
    }

    /// Keeps only these joints, in this order.
    pub fn keep(&mut self, joints: &[usize]) {
        self.joints = joints.iter().map(|&joint| std::mem::take(&mut self.joints[joint])).collect();
    }

    /// Local transform of a joint at the start of the clip.
    pub fn first_local(&self, joint: usize) -> Transform {
        let mut local = Transform::IDENTITY;
        self.joints[joint]
            .iter()
            .zip(Channel::ALL)
            .for_each(|(track, channel)| track.write(channel, 0, true, &mut local));
        local
    }

    /// Number of joints with a channel without keys.
    pub fn joints_with_gaps(&self) -> usize {
        self.joints.iter().filter(|tracks| tracks.iter().any(|track| track.ticks.is_empty())).count()
    }

    /// The tick that a player shows at a time, rounded down.
    fn tick(&self, time_secs: f32) -> u16 {
        (time_secs.clamp(0.0, self.duration_secs) / self.duration_secs * f32::from(u16::MAX)) as u16
    }

    fn secs(&self, tick: u16) -> f32 {
        f32::from(tick) / f32::from(u16::MAX) * self.duration_secs
    }
}

/// Adds a key to its track.
fn add(joints: &mut [[Track; 3]], frame: &[u8], head: &Head, metres: f32) -> Result<(), Fault> {
    let [tick, joint, a, b, c]: [u16; FRAME_BYTES / 2] =
        std::array::from_fn(|word| u16::from_le_bytes([frame[2 * word], frame[2 * word + 1]]));
    let words = [a, b, c];
    let (channel, joint) = (usize::from(joint >> JOINT_BITS), usize::from(joint & ((1 << JOINT_BITS) - 1)));
    let Some(&channel) = Channel::ALL.get(channel) else {
        return Err(Fault::new(format!("it is of channel {channel}; expected 0 to 2")));
    };
    let count = joints.len();
    let Some(tracks) = joints.get_mut(joint) else {
        return Err(Fault::new(format!("it is of joint {joint}; the file has {count} joints")));
    };
    let track = &mut tracks[channel as usize];
    let value = match channel {
        Channel::Rotation => rotation(words),
        Channel::Translation => within(head.translations, words) * metres,
        Channel::Scale => within(head.scales, words),
    };
    match track.ticks.last() {
        Some(&last) if last > tick => {
            return Err(Fault::new(format!("its time is {tick}, before that of the key before it, {last}")));
        }
        // The last key is stored twice.
        Some(&last) if last == tick => {}
        _ => {
            track.ticks.push(tick);
            track.values.push(value);
        }
    }
    Ok(())
}

/// Decodes three components of 15 bits, the last one in the lowest bits, and the index of the dropped component in 2 bits.
fn rotation([a, b, c]: [u16; 3]) -> Vec4 {
    let bits = u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32;
    let component = |shift: u32| {
        let code = (bits >> shift & 0x7fff) as u32;
        LARGEST_DROPPED_LIMIT * (2.0 * unorm_decode(code, ROTATION_BITS) - 1.0)
    };
    Vec4::from(restore_largest((bits >> 45 & 0b11) as f32, [component(30), component(15), component(0)]))
}

fn within(range: Range3, words: [u16; 3]) -> Vec4 {
    range.value(Vec3::from(words.map(|word| unorm_decode(word.into(), FRACTION_BITS)))).extend(0.0)
}

impl Track {
    /// Writes the value at a tick. A channel without keys is not written; callers pass the identity.
    fn write(&self, channel: Channel, tick: u16, follows_times: bool, local: &mut Transform) {
        let Some(value) = self.at(tick, follows_times, channel == Channel::Rotation) else { return };
        match channel {
            Channel::Rotation => local.rotation = Quat::from_vec4(value).normalize(),
            Channel::Translation => local.translation = value.truncate(),
            Channel::Scale => local.scale = value.truncate(),
        }
    }

    /// The value at a tick; `None` without keys. At both ends of the spline, the outer key counts twice.
    fn at(&self, tick: u16, follows_times: bool, is_rotation: bool) -> Option<Vec4> {
        let next = self.ticks.partition_point(|key| *key <= tick);
        let Some(key) = next.checked_sub(1) else { return self.values.first().copied() };
        if next == self.ticks.len() {
            return self.values.last().copied();
        }
        let keys = [key.saturating_sub(1), key, next, (next + 1).min(self.ticks.len() - 1)];
        let [t0, t1, t2, t3] = keys.map(|key| f32::from(self.ticks[key]));
        let own = t2 - t1;
        let parts = if follows_times { [own / (t2 - t0), own / (t3 - t1)] } else { [0.5; 2] };
        Some(riot_section(keys.map(|key| self.values[key]), parts, (f32::from(tick) - t1) / own, is_rotation))
    }
}

impl Motion for RiotClip {
    fn name(&self) -> &str {
        &self.name
    }

    fn times_secs(&self) -> Vec<f32> {
        let mut ticks: Vec<u16> = self.joints.iter().flatten().flat_map(|track| &track.ticks).copied().collect();
        ticks.extend([0, u16::MAX]);
        ticks.sort_unstable();
        ticks.dedup();
        ticks.into_iter().map(|tick| self.secs(tick)).collect()
    }

    fn rate_hz(&self) -> Option<f64> {
        Some(self.rate_hz.into())
    }

    fn has_curves(&self) -> bool {
        true
    }

    fn keyed(&self) -> Vec<Keyed> {
        let tracks = self.joints.iter().enumerate().flat_map(|(joint, tracks)| {
            tracks.iter().zip(Channel::ALL).map(move |(track, channel)| (joint, channel, track))
        });
        let keyed = |(joint, channel, track): (usize, Channel, &Track)| {
            let times_secs = track.ticks.iter().map(|tick| self.secs(*tick)).collect();
            Keyed { joint, channel, times_secs, is_stepped: false }
        };
        tracks.filter(|(_, _, track)| !track.ticks.is_empty()).map(keyed).collect()
    }

    fn file_bytes(&self) -> u64 {
        let keys: usize = self.joints.iter().flatten().map(|track| track.ticks.len()).sum();
        (keys * FRAME_BYTES) as u64
    }

    fn pose(&self, time_secs: f32, _: f32, joints: &mut [Transform], _: &mut [f32]) {
        let tick = self.tick(time_secs);
        for (tracks, local) in self.joints.iter().zip(joints) {
            for (track, channel) in tracks.iter().zip(Channel::ALL) {
                track.write(channel, tick, self.follows_times, local);
            }
        }
    }
}
