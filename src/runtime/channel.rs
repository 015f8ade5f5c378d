use crate::math::Transform;
use alloc::vec::Vec;

/// A part of a joint's transform. Codecs store and count the three separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Channel {
    /// Unit quaternion.
    Rotation,
    /// Translation, metres.
    Translation,
    /// Scale factors.
    Scale,
}

impl Channel {
    /// All channels, in storage order.
    pub const ALL: [Self; 3] = [Self::Rotation, Self::Translation, Self::Scale];

    /// Name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rotation => "rotation",
            Self::Translation => "translation",
            Self::Scale => "scale",
        }
    }
}

/// A stepped interval: the channel keeps its value from `sample` until just before `sample + 1`, where it jumps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hold {
    /// First sample of the interval.
    pub sample: u32,
    /// Joint whose channel is stepped.
    pub joint: u16,
    /// Channel of its transform.
    pub channel: Channel,
}

/// A stepped interval of a float track: it keeps its value from `sample` until just before `sample + 1`, where it jumps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FloatHold {
    /// First sample of the interval.
    pub sample: u32,
    /// Index of the track, less than [`FloatHold::TRACKS`].
    pub track: u16,
}

impl FloatHold {
    /// Number of tracks that can have stepped intervals: their indices are stored in 14 bits.
    pub const TRACKS: u16 = 1 << 14;

    /// The part of an ordered list that belongs to the interval after `sample`.
    pub fn at(holds: &[Self], sample: usize) -> &[Self] {
        interval(holds, sample, |hold| hold.sample)
    }
}

/// All stepped intervals of a clip, each list sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeldIntervals {
    /// Intervals of joints.
    pub joints: Vec<Hold>,
    /// Intervals of float tracks.
    pub floats: Vec<FloatHold>,
}

impl HeldIntervals {
    /// True if no interval is stepped.
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty() && self.floats.is_empty()
    }
}

fn interval<T>(holds: &[T], sample: usize, sample_of: impl Fn(&T) -> u32) -> &[T] {
    let start = holds.partition_point(|hold| (sample_of(hold) as usize) < sample);
    let len = holds[start..].partition_point(|hold| sample_of(hold) as usize == sample);
    &holds[start..start + len]
}

impl Hold {
    /// Copies the held channel of `from` to `out`.
    pub fn apply(&self, out: &mut Transform, from: &Transform) {
        match self.channel {
            Channel::Rotation => out.rotation = from.rotation,
            Channel::Translation => out.translation = from.translation,
            Channel::Scale => out.scale = from.scale,
        }
    }

    /// The part of an ordered list that belongs to the interval after `sample`.
    pub fn at(holds: &[Self], sample: usize) -> &[Self] {
        interval(holds, sample, |hold| hold.sample)
    }
}
