use super::joints::Joints;
use super::keys::{KeyTrack, Keys};
use super::{archive, without_zeros};
use crate::export::keys::{Curve, Interpolation, KeyStyle, KeyTime, Numbers, SmallestThree, fit, to_halves};
use crate::export::{ExportClip, ExportError};
use crate::format::ByteWriter;
use crate::import::{FileSpace, OZZ_ANIMATION};
use crate::model::{Channel, Rig};
use glam::{Quat, Vec3, Vec4};
use std::collections::BTreeSet;

/// Most different key times of a clip: their indices have 16 bits.
const MAX_TIMES: usize = u16::MAX as usize;
/// Most key times with one-byte indices.
const BYTE_TIMES: usize = u8::MAX as usize;
/// Seconds between seek points, as in the builder of ozz.
const SEEK_SECS: f32 = 10.0;
/// Duration of a clip with one sample, since ozz needs a positive duration.
const STILL_SECS: f32 = 1.0 / 30.0;
/// Order of the channels in the archive.
const CHANNELS: [Channel; 3] = [Channel::Translation, Channel::Rotation, Channel::Scale];

/// Writes the keys that the clip's tolerance needs, and the times that they share.
pub fn write(rig: &Rig, clip: &mut ExportClip<'_>) -> Result<Vec<u8>, ExportError> {
    let joints = Joints::of(&rig.skeleton)?;
    let curves = fit(clip, rig, FileSpace::OURS, KeyStyle::Ozz).curves;
    let samples = clip.source.samples();
    let keys = CHANNELS.map(|channel| {
        let of = |joint: usize| curves[joint * Channel::ALL.len() + channel as usize].clone();
        let curves = joints.lanes().map(|joint| joint.and_then(of).unwrap_or_else(|| identity(channel)));
        Keys::new(curves.map(|curve| KeyTrack::new(curve, samples)).collect())
    });
    if keys.iter().flat_map(Keys::values).any(|value| !value.is_finite()) {
        let what = "the clip moves further than 65,504 m, the largest float16 that ozz stores. Check its unit";
        return Err(ExportError::Unsupported(what.into()));
    }
    let duration_secs = clip.source.duration_secs();
    let duration_secs = if duration_secs > 0.0 { duration_secs } else { STILL_SECS };
    Archive { name: without_zeros(&clip.name), duration_secs, tracks: rig.skeleton.len(), keys }.bytes()
}

/// Curve for the padding lanes.
fn identity(channel: Channel) -> Curve {
    let (value, numbers) = match channel {
        Channel::Rotation => (Vec4::from(Quat::IDENTITY.to_array()), Numbers::SmallestThree),
        Channel::Translation => (Vec4::ZERO, Numbers::Halves),
        Channel::Scale => (Vec3::ONE.extend(0.0), Numbers::Halves),
    };
    let (interpolation, times) = (Interpolation::Step, vec![KeyTime::at(0)]);
    let is_rotation = channel == Channel::Rotation;
    Curve { interpolation, times, values: vec![value], tangents: Vec::new(), is_rotation, numbers }
}

struct Archive {
    name: String,
    duration_secs: f32,
    tracks: usize,
    /// In the order of [`CHANNELS`].
    keys: [Keys; 3],
}

impl Archive {
    fn bytes(&self) -> Result<Vec<u8>, ExportError> {
        let times = self.times()?;
        let parts = (self.duration_secs / SEEK_SECS).ceil().max(1.0) as usize;
        let points = self.keys.each_ref().map(|keys| keys.seek_points(parts));
        let mut out = archive(OZZ_ANIMATION);
        out.f32(self.duration_secs);
        let keys = self.keys.iter().map(Keys::len);
        let points_of = points.iter().flat_map(|points| [points.entries.len(), points.places.len()]);
        let counts = [self.tracks, self.name.len(), times.len()].into_iter().chain(keys).chain(points_of);
        counts.for_each(|count| out.u32(count as u32));
        out.bytes(self.name.as_bytes());
        times.iter().for_each(|time| out.f32(*time));
        for ((keys, points), channel) in self.keys.iter().zip(&points).zip(CHANNELS) {
            write_times(keys, &times, &mut out);
            keys.back().into_iter().for_each(|back| out.u16(back));
            out.bytes(&points.entries);
            points.places.iter().for_each(|place| out.u32(*place));
            out.f32(1.0 / parts as f32);
            keys.values().for_each(|value| packed(channel, value).into_iter().for_each(|word| out.u16(word)));
        }
        Ok(out.finish())
    }

    /// Times of all keys, ascending.
    fn times(&self) -> Result<Vec<f32>, ExportError> {
        // The bits of floats that are not negative sort like the floats.
        let times: BTreeSet<u32> = self.keys.iter().flat_map(Keys::ratios).map(f32::to_bits).collect();
        if times.len() > MAX_TIMES {
            let found = times.len();
            let what = format!(
                "ozz stores keys at up to {MAX_TIMES} times, but the clip needs {found}. Export it with a larger tolerance, or in \
                 parts"
            );
            return Err(ExportError::Unsupported(what));
        }
        Ok(times.into_iter().map(f32::from_bits).collect())
    }
}

/// Writes the index of each key's time.
fn write_times(keys: &Keys, times: &[f32], out: &mut ByteWriter) {
    for ratio in keys.ratios() {
        let at = times.partition_point(|time| *time < ratio);
        if times.len() <= BYTE_TIMES { out.u8(at as u8) } else { out.u16(at as u16) }
    }
}

fn packed(channel: Channel, value: Vec4) -> [u16; 3] {
    if channel != Channel::Rotation {
        return to_halves(value.truncate());
    }
    let SmallestThree { largest, is_negative, others: [a, b, c] } = SmallestThree::of(value);
    // From the lowest bit: 2 bits for the index of the largest, 1 bit for its sign, three components of 15 bits.
    let [a, b, c] = [a, b, c].map(u64::from);
    let bits = u64::from(largest) | u64::from(is_negative) << 2 | a << 3 | b << 18 | c << 33;
    [0, 16, 32].map(|shift| (bits >> shift) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_takes_48_bits() {
        let turned = packed(Channel::Rotation, Vec4::new(0.0, 0.0, 0.0, -1.0));
        let bits = turned.iter().rev().fold(0u64, |bits, word| bits << 16 | u64::from(*word));
        assert_eq!(bits & 0b111, 0b111, "w, negative");
        for shift in [3, 18, 33] {
            assert_eq!(bits >> shift & 0x7fff, 16384, "zero");
        }
    }
}
