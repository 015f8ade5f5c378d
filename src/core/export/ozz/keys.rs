use crate::export::keys::{Curve, Interpolation, KeyTime};
use crate::format::ByteWriter;
use glam::Vec4;

/// Largest distance from a key back to the previous key of its track, in keys.
const MAX_BACK: usize = u16::MAX as usize;
/// End of a clip, as a ratio of its duration.
const END: f32 = 1.0;

/// Time of a key as a ratio of the duration of a clip with `samples` samples.
fn ratio(time: KeyTime, samples: usize) -> f32 {
    let last = samples.saturating_sub(1).max(1) as f32;
    match time.ends_hold {
        false => time.sample as f32 / last,
        true => ((time.sample + 1) as f32 / last).next_down(),
    }
}

/// Keys of one track: at least two, the first at the start and the last at the end.
#[derive(Debug, Clone)]
pub struct KeyTrack {
    curve: Curve,
    samples: usize,
}

impl KeyTrack {
    /// Keys of a curve in a clip with `samples` samples.
    pub fn new(curve: Curve, samples: usize) -> Self {
        Self { curve, samples }
    }

    fn keys(&self) -> Vec<(f32, Vec4)> {
        if self.curve.interpolation == Interpolation::Step {
            return [0.0, END].map(|ratio| (ratio, self.curve.values[0])).into();
        }
        let times = self.curve.times.iter().map(|time| ratio(*time, self.samples));
        times.zip(self.curve.values.iter().copied()).collect()
    }

    /// Adds a key half way between key `number`, which is not the first, and the one before. Returns false if their samples are neighbours.
    fn divide(&mut self, number: usize) -> bool {
        let (from, to) = (self.curve.times[number - 1], self.curve.times[number]);
        let middle = from.sample + (to.sample - from.sample) / 2;
        if middle == from.sample {
            return false;
        }
        self.curve.add_key(middle);
        true
    }
}

/// A key in archive order.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Key {
    track: usize,
    /// Index among the keys of its track.
    number: usize,
    ratio: f32,
    /// Ratio at which a player needs it: that of the previous key of its track, or -1 for a first key.
    needed: f32,
    value: Vec4,
}

/// Keys of all tracks of a channel, in the order in which forward playback needs them, then by track.
#[derive(Debug)]
pub struct Keys {
    tracks: usize,
    keys: Vec<Key>,
}

impl Keys {
    /// Orders the keys. Adds keys to tracks where the distance to the previous key does not fit in 16 bits.
    pub fn new(mut tracks: Vec<KeyTrack>) -> Self {
        loop {
            let keys = ordered(&tracks);
            let too_far = too_far(&keys, tracks.len());
            // A key is stored where playback reaches the key before it. So the interval before that key is divided.
            let divided = too_far.into_iter().filter(|key| tracks[key.track].divide(key.number - 1)).count();
            if divided == 0 {
                return Self { tracks: tracks.len(), keys };
            }
        }
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Times of the keys, as ratios of the duration.
    pub fn ratios(&self) -> impl Iterator<Item = f32> {
        self.keys.iter().map(|key| key.ratio)
    }

    /// Their values.
    pub fn values(&self) -> impl Iterator<Item = Vec4> {
        self.keys.iter().map(|key| key.value)
    }

    /// Distance from each key back to the previous key of its track, in keys; zero for first keys.
    pub fn back(&self) -> Vec<u16> {
        back(&self.keys, self.tracks).map(|(_, back)| back as u16).collect()
    }

    /// Seek points for jumps into the clip: the state of forward playback at the end of each of `parts` equal parts.
    pub fn seek_points(&self, parts: usize) -> SeekPoints {
        let mut points = SeekPoints::default();
        let mut latest = vec![0u32; self.tracks];
        let mut next = 0;
        for part in 1..=parts {
            let at = part as f32 / parts as f32;
            while self.keys.get(next).is_some_and(|key| key.needed <= at) {
                latest[self.keys[next].track] = next as u32;
                next += 1;
            }
            points.places.extend([points.entries.len() as u32, next as u32 - 1]);
            points.entries.extend(group_varint(&latest));
        }
        points
    }
}

/// Seek points, which ozz calls i-frames.
#[derive(Debug, Default)]
pub struct SeekPoints {
    /// Index of the latest key of every track, as group varints.
    pub entries: Vec<u8>,
    /// Two numbers per point: the offset of its entries, and the last key that was needed.
    pub places: Vec<u32>,
}

fn ordered(tracks: &[KeyTrack]) -> Vec<Key> {
    let of_track = |(track, keys): (usize, &KeyTrack)| {
        let mut needed = -1.0;
        let key = move |(number, (ratio, value))| {
            let needed = std::mem::replace(&mut needed, ratio);
            Key { track, number, ratio, needed, value }
        };
        keys.keys().into_iter().enumerate().map(key)
    };
    let mut keys: Vec<Key> = tracks.iter().enumerate().flat_map(of_track).collect();
    keys.sort_by(|a, b| a.needed.total_cmp(&b.needed).then(a.track.cmp(&b.track)));
    keys
}

fn back(keys: &[Key], tracks: usize) -> impl Iterator<Item = (&Key, usize)> {
    let mut latest = vec![None; tracks];
    keys.iter().enumerate().map(move |(at, key)| {
        let before = latest[key.track].replace(at);
        (key, before.map_or(0, |before| at - before))
    })
}

fn too_far(keys: &[Key], tracks: usize) -> Vec<Key> {
    back(keys, tracks).filter(|(_, back)| *back > MAX_BACK).map(|(key, _)| *key).collect()
}

/// Packs four numbers at a time: a byte with two bits per number (its byte count minus one), then the bytes of each number.
fn group_varint(numbers: &[u32]) -> Vec<u8> {
    let width = |number: u32| (4 - number.leading_zeros() as usize / 8).max(1);
    let mut out = ByteWriter::new();
    for four in numbers.chunks(4) {
        let widths = four.iter().enumerate().map(|(at, number)| (width(*number) as u8 - 1) << (2 * at));
        out.u8(widths.sum());
        four.iter().for_each(|number| out.bytes(&number.to_le_bytes()[..width(*number)]));
    }
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::keys::Numbers;

    fn track(samples: usize, keys: &[usize]) -> KeyTrack {
        let curve = Curve {
            interpolation: if keys.len() == 1 { Interpolation::Step } else { Interpolation::Chord },
            times: keys.iter().copied().map(KeyTime::at).collect(),
            values: keys.iter().map(|key| Vec4::splat(*key as f32)).collect(),
            tangents: Vec::new(),
            is_rotation: false,
            numbers: Numbers::Halves,
        };
        KeyTrack::new(curve, samples)
    }

    #[test]
    fn keys_come_when_the_one_before_them_is_reached() {
        let keys = Keys::new(vec![track(11, &[0, 5, 10]), track(11, &[3]), track(11, &[0, 2, 4, 10])]);
        let order: Vec<_> = keys.keys.iter().map(|key| (key.track, key.number)).collect();
        assert_eq!(order, [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (2, 2), (2, 3), (0, 2)]);
        assert_eq!(keys.back(), [0, 0, 0, 3, 3, 3, 1, 1, 5]);
        let points = keys.seek_points(2);
        assert_eq!(points.places, [0, 8, 4, 8]);
        assert_eq!(points.entries[..4], [0, 8, 4, 7], "keys 8, 4 and 7 in a byte each");
    }

    #[test]
    fn keys_that_are_too_far_apart_get_one_between() {
        let dense: Vec<usize> = (0..70_001).collect();
        let keys = Keys::new(vec![track(70_001, &dense), track(70_001, &[0, 69_999, 70_000])]);
        assert_eq!(keys.len(), 70_001 + 4);
        let worst = back(&keys.keys, 2).map(|(_, back)| back).max();
        assert!(worst.is_some_and(|back| back <= MAX_BACK), "{worst:?}");
        let added = keys.keys.iter().find(|key| key.track == 1 && key.number == 1).unwrap();
        assert!((added.value.x / 34_999.0 - 1.0).abs() < 1e-3, "{added:?}");
    }

    #[test]
    fn numbers_take_the_bytes_that_they_need() {
        let packed = group_varint(&[1, 0x100, 0x10000, 0x0100_0000]);
        assert_eq!(packed, [0b11_10_01_00, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1]);
    }
}
