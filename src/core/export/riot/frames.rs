use crate::export::keys::{Curve, Numbers, SmallestThree, Ticks, to_fractions};
use crate::format::ByteWriter;
use crate::import::{RIOT_JOINT_BITS, RIOT_JUMP_KEYS, RIOT_SHORT_FRAMES};
use crate::model::{Channel, TimeGrid};
use glam::Vec4;

/// Number of times that a key can have.
pub const TICKS: usize = u16::MAX as usize + 1;
/// Keys of a track that are loaded at the start. Each later key is loaded when playback reaches the key two before it.
const FIRST_KEYS: usize = 3;

/// One key.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Frame {
    /// Tick at which playback needs it; `None` if playback needs it at the start.
    needed: Option<u16>,
    track: usize,
    tick: u16,
    value: [u16; 3],
}

/// The keys of all tracks, three tracks per joint, in the order in which playback needs them.
#[derive(Debug)]
pub struct Frames {
    tracks: usize,
    frames: Vec<Frame>,
}

impl Frames {
    /// Keys of a clip's curves. The last of several keys of a track is stored twice, so that the last section has a key beyond it.
    pub fn new(curves: &[Curve], grid: TimeGrid) -> Self {
        let ticks = Ticks(grid);
        let mut frames = Vec::new();
        for (track, curve) in curves.iter().enumerate() {
            let doubled = curve.values.len() - usize::from(curve.values.len() > 1);
            let keys: Vec<usize> = (0..curve.values.len()).chain(doubled..curve.values.len()).collect();
            let tick = |key: usize| ticks.at(curve.times[keys[key]].sample as f64);
            frames.extend((0..keys.len()).map(|key| Frame {
                needed: (key >= FIRST_KEYS).then(|| tick(key - 2)),
                track,
                tick: tick(key),
                value: packed(curve.numbers, curve.values[keys[key]]),
            }));
        }
        // Stable: the keys of a track stay in their order.
        frames.sort_by_key(|frame| (frame.needed, frame.track));
        Self { tracks: curves.len(), frames }
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Bytes of all keys: time, joint with channel, value.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = ByteWriter::with_capacity(10 * self.frames.len());
        for frame in &self.frames {
            let (joint, channel) = (frame.track / Channel::ALL.len(), frame.track % Channel::ALL.len());
            out.u16(frame.tick);
            out.u16((joint | channel << RIOT_JOINT_BITS) as u16);
            frame.value.into_iter().for_each(|word| out.u16(word));
        }
        out.finish()
    }

    /// Bytes of `seeks` jump caches at evenly spaced times, the first at the start. Each holds the latest keys of every track.
    pub fn seek_bytes(&self, seeks: usize) -> Vec<u8> {
        let mut out = ByteWriter::new();
        let mut windows: Vec<Option<[usize; RIOT_JUMP_KEYS]>> = vec![None; self.tracks];
        let mut next = 0;
        for seek in 0..seeks {
            // One tick early, since a player may round a slightly earlier time to this cache. It can play forward, but not back.
            let tick = (seek * usize::from(u16::MAX) / seeks).saturating_sub(1) as u16;
            while self.frames.get(next).is_some_and(|frame| frame.needed <= Some(tick)) {
                let window = windows[self.frames[next].track].get_or_insert([next; RIOT_JUMP_KEYS]);
                window.rotate_left(1);
                window[RIOT_JUMP_KEYS - 1] = next;
                next += 1;
            }
            for frame in windows.iter().flatten().flatten() {
                if self.frames.len() <= RIOT_SHORT_FRAMES { out.u16(*frame as u16) } else { out.u32(*frame as u32) }
            }
        }
        out.finish()
    }
}

fn packed(numbers: Numbers, value: Vec4) -> [u16; 3] {
    if let Numbers::Within(range) = numbers {
        return to_fractions(&range, value.truncate());
    }
    let SmallestThree { largest, others: [a, b, c], .. } = SmallestThree::positive(value);
    // Three components of 15 bits, the last one lowest, then 2 bits for the index of the largest.
    let [a, b, c] = [a, b, c].map(u64::from);
    let bits = c | b << 15 | a << 30 | u64::from(largest) << 45;
    [0, 16, 32].map(|shift| (bits >> shift) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::keys::{Interpolation, KeyTime};
    use crate::math::Range3;
    use glam::Quat;

    fn curve(keys: &[usize], grid: TimeGrid) -> Curve {
        Curve {
            interpolation: Interpolation::Spline(Ticks(grid)),
            times: keys.iter().copied().map(KeyTime::at).collect(),
            values: keys.iter().map(|key| Vec4::splat(*key as f32 / 10.0)).collect(),
            tangents: Vec::new(),
            is_rotation: false,
            numbers: Numbers::Within(Range3::UNIT),
        }
    }

    #[test]
    fn frames_come_two_keys_ahead() {
        let grid = TimeGrid::new(11, 1.0);
        let frames = Frames::new(&[curve(&[0, 2, 4, 10], grid), curve(&[0], grid), curve(&[0, 10], grid)], grid);
        let order: Vec<_> = frames.frames.iter().map(|f| (f.track, f.tick)).collect();
        let [two, four] = [2.0, 4.0].map(|place| Ticks(grid).at(place));
        let end = u16::MAX;
        assert_eq!(
            order,
            [(0, 0), (0, two), (0, four), (1, 0), (2, 0), (2, end), (2, end), (0, end), (0, end)],
            "the last keys stand twice, the only key once"
        );
        assert_eq!(frames.frames[7].needed, Some(two));
        assert_eq!(frames.bytes().len(), 90);
    }

    #[test]
    fn players_find_the_keys_around_a_moment() {
        let grid = TimeGrid::new(11, 1.0);
        let frames = Frames::new(&[curve(&[0, 2, 4, 10], grid), curve(&[0], grid)], grid);
        let bytes = frames.seek_bytes(2);
        let words: Vec<u16> = bytes.chunks(2).map(|word| u16::from_le_bytes([word[0], word[1]])).collect();
        // At the start, the first key also stands for the one before it. Half way, the last keys are in use, with the doubled end.
        assert_eq!(words, [[0, 0, 1, 2], [3; 4], [1, 2, 4, 5], [3; 4]].concat());
    }

    #[test]
    fn a_rotation_takes_47_bits() {
        let words = packed(Numbers::SmallestThree, Vec4::from(Quat::from_xyzw(0.0, -1.0, 0.0, 0.0).to_array()));
        let bits = words.iter().rev().fold(0u64, |bits, word| bits << 16 | u64::from(*word));
        assert_eq!(bits >> 45, 1, "y is left out");
        for shift in [0, 15, 30] {
            assert!((bits >> shift & 0x7fff).abs_diff(16383) <= 1, "zero");
        }
    }
}
