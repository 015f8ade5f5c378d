use super::super::jumps::{Jump, angle_rad, in_order, join};
use super::super::motion::{Keyed, Motion};
use super::super::{Fault, readable};
use crate::math::{LARGEST_DROPPED_LIMIT, Transform, restore_largest, unorm_decode};
use crate::model::Channel;
use glam::{Quat, Vec3, Vec4};
use half::f16;
use posepress_runtime::internal::format::ByteReader;

/// Order of the channels in the archive.
const CHANNELS: [Channel; 3] = [Channel::Translation, Channel::Rotation, Channel::Scale];
/// The number of stored tracks is a multiple of this, since ozz plays four at a time.
const LANES: usize = 4;
/// Largest number of times for which a time index has one byte.
const BYTE_TIMES: usize = u8::MAX as usize;
/// Bits of each component of a rotation.
const COMPONENT_BITS: u32 = 15;
/// Bytes of a key without its time index: distance to the previous key of its track, and three numbers of 16 bits.
const KEY_BYTES: u64 = 2 + 6;

/// A clip as ozz plays it: linear between keys, with normalised rotations.
#[derive(Debug)]
pub(super) struct OzzClip {
    name: String,
    /// Distinct key times, in order, seconds.
    times_secs: Vec<f32>,
    /// Tracks per channel, in the order of [`CHANNELS`], one per joint.
    channels: [Vec<Track>; 3],
    /// Jumps of all tracks, in order.
    jumps: Vec<Jump>,
    file_bytes: u64,
}

#[derive(Debug, Clone, Default)]
struct Track {
    times_secs: Vec<f32>,
    /// Rotations are x, y, z, w.
    values: Vec<Vec4>,
}

/// Counts in the head of the archive.
struct Counts {
    tracks: usize,
    name: usize,
    times: usize,
    keys: [usize; 3],
    /// Sizes of the two tables of seek points, per channel: bytes, and numbers of 32 bits.
    points: [[usize; 2]; 3],
}

impl OzzClip {
    /// Reads the content of an archive. `name` is the name of a clip that has none.
    pub fn read(mut reader: ByteReader<'_>, name: String) -> Result<Self, Fault> {
        let content_bytes = reader.left() as u64;
        let duration_secs = reader.f32("duration")?;
        if !(duration_secs.is_finite() && duration_secs > 0.0) {
            return Err(Fault::new(format!("it lasts {duration_secs} s; expected more than zero")).at("its duration"));
        }
        let counts = Counts::read(&mut reader)?;
        let own_name = String::from_utf8_lossy(reader.bytes("name", counts.name)?).into_owned();
        let times = reader.bytes("times", counts.times.saturating_mul(4))?;
        let ratios: Vec<f32> = words(times).map(f32::from_le_bytes).collect();
        let is_ordered = ratios.windows(2).all(|pair| pair[0] < pair[1]);
        if !is_ordered || ratios.iter().any(|ratio| !(0.0..=1.0).contains(ratio)) {
            return Err(Fault::new(
                "times do not ascend; expected them from 0 to 1, each later than the one before it",
            )
            .at("its times"));
        }
        let mut times_secs: Vec<f32> = ratios.iter().map(|ratio| ratio * duration_secs).collect();
        let mut channels = [const { Vec::new() }; 3];
        for (at, channel) in CHANNELS.into_iter().enumerate() {
            let tracks = tracks(&mut reader, channel, &counts, at, &times_secs);
            channels[at] = tracks.map_err(|fault| fault.at(format!("its {}s", channel.name())))?;
        }
        let mut jumps = Vec::new();
        for (tracks, channel) in channels.iter_mut().zip(CHANNELS) {
            tracks.iter_mut().for_each(|track: &mut Track| jumps.extend(track.join_jumps(channel)));
        }
        let keys: u64 =
            counts.keys.iter().map(|keys| *keys as u64 * (KEY_BYTES + time_bytes(&times_secs) as u64)).sum();
        let file_bytes = (keys + times.len() as u64).min(content_bytes);
        times_secs.dedup();
        let name = if own_name.is_empty() { name } else { readable(&own_name) };
        Ok(Self { name, times_secs, channels, jumps: in_order(jumps.iter()), file_bytes })
    }

    /// Number of joints that it moves.
    pub fn tracks(&self) -> usize {
        self.channels[0].len()
    }

    /// Multiplies translations by the metres per unit.
    pub fn scaled(mut self, metres: f32) -> Self {
        self.channels[0].iter_mut().flat_map(|track| &mut track.values).for_each(|value| *value *= metres);
        self
    }
}

impl Counts {
    fn read(reader: &mut ByteReader<'_>) -> Result<Self, Fault> {
        let mut next = |what| reader.u32(what).map(|count| count as usize).map_err(Fault::from);
        let (tracks, name, times) = (next("number of tracks")?, next("length of the name")?, next("number of times")?);
        let keys = [next("number of keys")?, next("number of keys")?, next("number of keys")?];
        let mut points = [[0; 2]; 3];
        for point in points.as_flattened_mut() {
            *point = next("number of seek points")?;
        }
        Ok(Self { tracks, name, times, keys, points })
    }
}

/// Bytes of a time index.
fn time_bytes(times: &[f32]) -> usize {
    if times.len() <= BYTE_TIMES { 1 } else { 2 }
}

fn words<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> {
    bytes.chunks_exact(N).filter_map(|word| word.try_into().ok())
}

/// Reads the keys of a channel, by track. Keys are in the order in which a player needs them, beginning with the first key of each track.
/// Each later key has the distance to the previous key of its track.
fn tracks(
    reader: &mut ByteReader<'_>,
    channel: Channel,
    counts: &Counts,
    at: usize,
    times_secs: &[f32],
) -> Result<Vec<Track>, Fault> {
    let stored = StoredKeys::read(reader, counts, at, times_secs)?;
    let (keys, padded) = (counts.keys[at], counts.tracks.next_multiple_of(LANES));
    if keys < padded {
        return Err(Fault::new(format!(
            "there are {keys} keys for {} tracks; expected {padded} or more",
            counts.tracks
        )));
    }
    let mut tracks = vec![Track::default(); padded];
    let mut track_of: Vec<usize> = Vec::with_capacity(keys);
    let mut last_of: Vec<Option<usize>> = vec![None; padded];
    for (key, StoredKey { time, back, value }) in stored.keys(channel).enumerate() {
        let wrong = |what: &str| Fault::new(format!("key {key} {what}"));
        let track = match key.checked_sub(back) {
            Some(before) if back > 0 => track_of[before],
            Some(_) if key < padded => key,
            _ => return Err(wrong("has no key before it on its track")),
        };
        track_of.push(track);
        let time_secs = *times_secs.get(time).ok_or_else(|| wrong("is at no time of the file"))?;
        // Compares indices, since two different ratios can be the same time in seconds.
        if last_of[track].replace(time).is_some_and(|last| last >= time) {
            return Err(wrong("is not after the one before it on its track"));
        }
        if !value.is_finite() {
            return Err(wrong("is not a finite number"));
        }
        tracks[track].times_secs.push(time_secs);
        tracks[track].values.push(value);
    }
    tracks.truncate(counts.tracks);
    Ok(tracks)
}

/// The encoded keys of a channel.
struct StoredKeys<'a> {
    times: &'a [u8],
    time_bytes: usize,
    back: &'a [u8],
    values: &'a [u8],
}

struct StoredKey {
    /// Index of its time.
    time: usize,
    /// Distance to the previous key of its track, in keys.
    back: usize,
    value: Vec4,
}

impl<'a> StoredKeys<'a> {
    fn read(reader: &mut ByteReader<'a>, counts: &Counts, at: usize, times_secs: &[f32]) -> Result<Self, Fault> {
        let (keys, time_bytes) = (counts.keys[at], time_bytes(times_secs));
        let times = reader.bytes("times of keys", keys.saturating_mul(time_bytes))?;
        let back = reader.bytes("places of keys", keys.saturating_mul(2))?;
        let [entry_bytes, places] = counts.points[at];
        reader.bytes("seek points", entry_bytes)?;
        reader.bytes("seek points", places.saturating_mul(4))?;
        reader.f32("seek interval")?;
        let values = reader.bytes("values of keys", keys.saturating_mul(6))?;
        Ok(Self { times, time_bytes, back, values })
    }

    fn keys(&self, channel: Channel) -> impl Iterator<Item = StoredKey> {
        let times = self.times.chunks_exact(self.time_bytes).map(|bytes| match *bytes {
            [low, high] => usize::from(u16::from_le_bytes([low, high])),
            _ => usize::from(bytes[0]),
        });
        let back = words::<2>(self.back).map(|word| usize::from(u16::from_le_bytes(word)));
        let values = words::<6>(self.values).map(move |word| value(channel, word));
        times.zip(back).zip(values).map(|((time, back), value)| StoredKey { time, back, value })
    }
}

/// Decodes three float16, or a rotation without its largest component. The rotation has the index and sign of that component, and 15 bits
/// per other component.
fn value(channel: Channel, word: [u8; 6]) -> Vec4 {
    let [a, b, c] = [0, 2, 4].map(|at| u16::from_le_bytes([word[at], word[at + 1]]));
    if channel != Channel::Rotation {
        return Vec3::from([a, b, c].map(|bits| f16::from_bits(bits).to_f32())).extend(0.0);
    }
    let bits = u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32;
    let (largest, is_negative) = ((bits & 0b11) as usize, bits & 0b100 != 0);
    let component = |shift: u32| {
        let code = (bits >> shift & 0x7fff) as u32;
        LARGEST_DROPPED_LIMIT * (2.0 * unorm_decode(code, COMPONENT_BITS) - 1.0)
    };
    let mut q = Vec4::from(restore_largest(largest as f32, [component(3), component(18), component(33)]));
    if is_negative {
        q[largest] = -q[largest];
    }
    q
}

impl Track {
    /// Joins keys that form a jump, and returns the jumps. As in other formats with linear interpolation, their times are almost equal.
    fn join_jumps(&mut self, channel: Channel) -> Vec<Jump> {
        let distance = |a: Vec4, b: Vec4| match channel {
            Channel::Rotation => angle_rad(Quat::from_vec4(a), Quat::from_vec4(b)),
            _ => a.distance(b),
        };
        join(&mut self.times_secs, &mut self.values, distance)
    }

    /// The value at a time, interpolated as in ozz. Snaps to a key within `snap_secs`. A track has at least one key.
    fn at(&self, time_secs: f32, snap_secs: f32, is_rotation: bool) -> Vec4 {
        let next = self.times_secs.partition_point(|&time| time <= time_secs + snap_secs);
        let Some(key) = next.checked_sub(1) else { return self.values[0] };
        let since_secs = time_secs - self.times_secs[key];
        if next == self.values.len() || since_secs <= snap_secs {
            return self.values[key];
        }
        let (a, b) = (self.values[key], self.values[next]);
        let alpha = since_secs / (self.times_secs[next] - self.times_secs[key]);
        match is_rotation {
            true => a.lerp(if a.dot(b) < 0.0 { -b } else { b }, alpha).normalize_or(a),
            false => a.lerp(b, alpha),
        }
    }
}

impl Motion for OzzClip {
    fn name(&self) -> &str {
        &self.name
    }

    fn times_secs(&self) -> Vec<f32> {
        self.times_secs.clone()
    }

    fn jumps(&self) -> Vec<Jump> {
        self.jumps.clone()
    }

    fn has_curves(&self) -> bool {
        true
    }

    fn keyed(&self) -> Vec<Keyed> {
        let of_channel = |(tracks, channel): (&Vec<Track>, Channel)| -> Vec<Keyed> {
            let keyed = |(joint, track): (usize, &Track)| Keyed {
                joint,
                channel,
                times_secs: track.times_secs.clone(),
                is_stepped: false,
            };
            tracks.iter().enumerate().map(keyed).collect()
        };
        self.channels.iter().zip(CHANNELS).flat_map(of_channel).collect()
    }

    fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    fn pose(&self, time_secs: f32, snap_secs: f32, joints: &mut [Transform], _: &mut [f32]) {
        let [translations, rotations, scales] = &self.channels;
        for (joint, out) in joints.iter_mut().enumerate() {
            let at = |tracks: &[Track], is_rotation| tracks[joint].at(time_secs, snap_secs, is_rotation);
            *out = Transform {
                rotation: Quat::from_vec4(at(rotations, true)),
                translation: at(translations, false).truncate(),
                scale: at(scales, false).truncate(),
            };
        }
    }
}
