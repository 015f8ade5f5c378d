use crate::math::Transform;

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
        let start = holds.partition_point(|h| (h.sample as usize) < sample);
        let len = holds[start..].partition_point(|h| h.sample as usize == sample);
        &holds[start..start + len]
    }
}
