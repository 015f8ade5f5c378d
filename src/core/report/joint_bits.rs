use crate::codecs::Ledger;
use crate::model::Channel;

/// Bits that one joint costs, per channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JointBits {
    /// The joint.
    pub joint: usize,
    /// In the order of [`Channel::ALL`].
    pub channels: [u64; Channel::ALL.len()],
}

impl JointBits {
    /// The sum over all channels.
    pub fn total(&self) -> u64 {
        self.channels.iter().sum()
    }
}

/// The bits of each joint that has any. The most expensive comes first, ties in the order of the rig. Bits of the clip as a whole belong to
/// no joint.
pub fn joint_bits(ledger: &Ledger, joints: usize) -> Vec<JointBits> {
    let nothing = |joint| JointBits { joint, channels: Default::default() };
    let mut bits: Vec<JointBits> = (0..joints).map(nothing).collect();
    for row in ledger.rows() {
        let owner = row.track.and_then(|(joint, channel)| Some((bits.get_mut(usize::from(joint))?, channel)));
        if let Some((owner, channel)) = owner {
            owner.channels[channel as usize] += row.bits;
        }
    }
    bits.retain(|b| b.total() > 0);
    bits.sort_by_key(|b| (std::cmp::Reverse(b.total()), b.joint));
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::Section;

    #[test]
    fn joints_come_by_what_they_cost_and_free_ones_not_at_all() {
        let mut ledger = Ledger::default();
        ledger.clip(Section::Header, 1000);
        for (joint, channel, bits) in [
            (3, Channel::Rotation, 40),
            (0, Channel::Scale, 8),
            (3, Channel::Translation, 5),
            (1, Channel::Rotation, 45),
            (9, Channel::Rotation, 7),
        ] {
            ledger.track(joint, channel, Section::Animated, bits);
        }
        let found = joint_bits(&ledger, 4);
        assert_eq!(found.iter().map(|b| (b.joint, b.total())).collect::<Vec<_>>(), [(1, 45), (3, 45), (0, 8)]);
        assert_eq!(found[1].channels[Channel::Translation as usize], 5);
    }
}
