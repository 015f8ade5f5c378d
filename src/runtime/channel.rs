use crate::math::Transform;
use alloc::vec::Vec;

/// The three parts of a joint's transform, stored and counted apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Channel {
    /// Unit quaternion.
    Rotation,
    /// Metres.
    Translation,
    /// Factors.
    Scale,
}

impl Channel {
    /// In the order in which codecs store them.
    pub const ALL: [Self; 3] = [Self::Rotation, Self::Translation, Self::Scale];

    /// As shown to people.
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
pub struct Hold {
    /// First sample of the interval.
    pub sample: u32,
    /// Joint whose channel is stepped.
    pub joint: u16,
    /// Which part of its transform.
    pub channel: Channel,
}

/// A stepped interval of a float track: it keeps its value from `sample` until just before `sample + 1`, where it jumps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FloatHold {
    /// First sample of the interval.
    pub sample: u32,
    /// Its track, less than [`FloatHold::TRACKS`].
    pub track: u16,
}

impl FloatHold {
    /// How many tracks can have stepped intervals: their numbers are stored in 14 bits.
    pub const TRACKS: u16 = 1 << 14;

    /// The part of an ordered list that belongs to the interval after `sample`.
    pub fn at(holds: &[Self], sample: usize) -> &[Self] {
        interval(holds, sample, |hold| hold.sample)
    }
}

/// All stepped intervals of a clip, each list in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeldIntervals {
    /// Of joints.
    pub joints: Vec<Hold>,
    /// Of float tracks.
    pub floats: Vec<FloatHold>,
}

fn interval<T>(holds: &[T], sample: usize, sample_of: impl Fn(&T) -> u32) -> &[T] {
    let start = holds.partition_point(|hold| (sample_of(hold) as usize) < sample);
    let len = holds[start..].partition_point(|hold| sample_of(hold) as usize == sample);
    &holds[start..start + len]
}

impl Hold {
    /// Puts the held channel of `from` over that of `out`.
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
