use crate::model::Channel;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What bits are spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// Sizes, formats, offsets.
    Header,
    /// Which tracks are constant, at bind pose or animated, and their bit rates.
    Tables,
    /// Tracks that keep one value.
    Constant,
    /// Minimum and extent of a range.
    Range,
    /// When keys lie.
    KeyTimes,
    /// Where a seek may start.
    Jumps,
    /// Values over time.
    Animated,
    /// Morph weights and other scalars.
    Floats,
    /// Stepped intervals.
    Holds,
    /// Corrections of what the codec's bytes lack.
    Compensation,
    /// Bits that fill up a byte or a word.
    Padding,
}

impl Section {
    /// In the order in which reports list them.
    pub const ALL: [Self; 11] = [
        Self::Header,
        Self::Tables,
        Self::Constant,
        Self::Range,
        Self::KeyTimes,
        Self::Jumps,
        Self::Animated,
        Self::Floats,
        Self::Holds,
        Self::Compensation,
        Self::Padding,
    ];

    /// As JSON keys and people see it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Tables => "tables",
            Self::Constant => "constant",
            Self::Range => "range",
            Self::KeyTimes => "key_times",
            Self::Jumps => "jumps",
            Self::Animated => "animated",
            Self::Floats => "floats",
            Self::Holds => "holds",
            Self::Compensation => "compensation",
            Self::Padding => "padding",
        }
    }
}

/// Bits of one section that belong to one track, or to the clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LedgerRow {
    /// Joint and channel, or `None` for the clip as a whole.
    pub track: Option<(u16, Channel)>,
    /// What they are spent on.
    pub section: Section,
    /// How many.
    pub bits: u64,
}

/// Where every bit of a clip went; its rows add up to the length of the bytes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ledger {
    rows: Vec<LedgerRow>,
    rates: Vec<SegmentRate>,
    lattice: Vec<LatticeRow>,
    stages: Vec<Stage>,
    is_shared_out: bool,
}

/// How many bits one track takes in one segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentRate {
    /// Joint.
    pub joint: u16,
    /// Channel.
    pub channel: Channel,
    /// First sample of the segment; it ends where the track's next one begins.
    pub first_sample: u32,
    /// Bits per component of a sample; 32 is float32.
    pub bits: u32,
}

/// The step that was chosen for one component of a track on a lattice, and what its numbers take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LatticeRow {
    /// Joint.
    pub joint: u16,
    /// Channel.
    pub channel: Channel,
    /// 0 to 2: x, y, z in space of the joint.
    pub component: u8,
    /// Radians of rotations, metres of translations, a part of scales.
    pub step: f32,
    /// Bits of every fourth sample, of the samples in the middle between them, and of the others.
    pub bits: [u64; 3],
}

/// What the bits of a [`LatticeRow`] are.
pub const LATTICE_LEVELS: [&str; 3] = ["anchors, every 4th sample", "middles between them", "all other samples"];

/// What a step of an encoder leaves of a clip, in bytes: the steps, one after another, show what each wins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stage {
    /// What was done, in a few words.
    pub name: &'static str,
    /// Bytes that the clip would take were this the last step.
    pub bytes: u64,
}

impl Ledger {
    /// Bits as they were counted while writing, made to add up to those of the bytes. Rates and stages are left out.
    ///
    /// Coders that need whole blocks (deflate, and arithmetic coding, which ends on a whole byte) leave a few bits more or
    /// fewer than were counted: fewer are taken from all in proportion, what is left belongs to the clip.
    pub fn fitted(&self, total: u64) -> Self {
        let sum = self.total_bits();
        let mut out = Self::default();
        for row in self.rows() {
            let bits = if sum <= total {
                row.bits
            } else {
                (u128::from(row.bits) * u128::from(total) / u128::from(sum)) as u64
            };
            match row.track {
                Some((joint, channel)) => out.track(usize::from(joint), channel, row.section, bits),
                None => out.clip(row.section, bits),
            }
        }
        out.clip(Section::Padding, total - out.total_bits());
        out
    }

    /// Says that bits of tracks are shares of bytes that stand for all of them together: estimates.
    pub fn share_out(&mut self) {
        self.is_shared_out = true;
    }

    /// True where what each track takes is an estimate, as that of bytes which were deflated together is.
    pub fn is_shared_out(&self) -> bool {
        self.is_shared_out
    }

    /// Appends a stage.
    pub fn stage(&mut self, name: &'static str, bytes: u64) {
        self.stages.push(Stage { name, bytes });
    }

    /// What each step of the encoder left, in order; empty for codecs of one step.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Adds bits of a track.
    pub fn track(&mut self, joint: usize, channel: Channel, section: Section, bits: u64) {
        if bits > 0 {
            self.rows.push(LedgerRow { track: Some((joint as u16, channel)), section, bits });
        }
    }

    /// Adds bits of the clip as a whole.
    pub fn clip(&mut self, section: Section, bits: u64) {
        if bits > 0 {
            self.rows.push(LedgerRow { track: None, section, bits });
        }
    }

    /// All rows, in the order in which they were added.
    pub fn rows(&self) -> &[LedgerRow] {
        &self.rows
    }

    /// Appends another ledger.
    pub fn extend(&mut self, other: &Self) {
        self.rows.extend_from_slice(&other.rows);
        self.rates.extend_from_slice(&other.rates);
        self.lattice.extend_from_slice(&other.lattice);
        self.stages.extend_from_slice(&other.stages);
        self.is_shared_out |= other.is_shared_out;
    }

    /// Adds what a group of joints cost; the stages stay those of the clip.
    pub fn add_group(&mut self, group: &Self) {
        self.rows.extend_from_slice(&group.rows);
        self.rates.extend_from_slice(&group.rates);
        self.lattice.extend_from_slice(&group.lattice);
    }

    /// Adds what a stretch of the clip cost, which begins at that sample: rows of the same owner and section become one.
    pub fn add_stretch(&mut self, first_sample: u32, stretch: &Self) {
        self.is_shared_out |= stretch.is_shared_out;
        let mut rows: BTreeMap<(Option<(u16, Channel)>, Section), u64> = BTreeMap::new();
        for row in self.rows.iter().chain(&stretch.rows) {
            *rows.entry((row.track, row.section)).or_default() += row.bits;
        }
        self.rows = rows.into_iter().map(|((track, section), bits)| LedgerRow { track, section, bits }).collect();
        let moved = |rate: &SegmentRate| SegmentRate { first_sample: rate.first_sample + first_sample, ..*rate };
        self.rates.extend(stretch.rates.iter().map(moved));
        self.lattice.extend_from_slice(&stretch.lattice);
    }

    /// Notes what the components of tracks on lattices take.
    pub fn lattice(&mut self, rows: Vec<LatticeRow>) {
        self.lattice = rows;
    }

    /// Components of tracks on lattices; of a long take those of every stretch. Empty for other codecs.
    pub fn lattice_rows(&self) -> &[LatticeRow] {
        &self.lattice
    }

    /// Bits of all lattices by level, see [`LATTICE_LEVELS`].
    pub fn lattice_bits(&self) -> [u64; LATTICE_LEVELS.len()] {
        let sum = |level: usize| self.lattice.iter().map(|row| row.bits[level]).sum();
        [sum(0), sum(1), sum(2)]
    }

    /// Notes the bit rate of one track in one segment.
    pub fn rate(&mut self, rate: SegmentRate) {
        self.rates.push(rate);
    }

    /// Bit rates of all tracks, segment after segment. Empty for codecs of fixed formats.
    pub fn rates(&self) -> &[SegmentRate] {
        &self.rates
    }

    /// The distribution of bit rates: bits per component, and how many tracks of segments take them.
    pub fn bit_rates(&self) -> BTreeMap<u32, u64> {
        let mut counts = [0u64; 33];
        self.rates.iter().for_each(|r| counts[r.bits.min(32) as usize] += 1);
        counts.into_iter().enumerate().filter(|c| c.1 > 0).map(|(bits, count)| (bits as u32, count)).collect()
    }

    /// Every bit.
    pub fn total_bits(&self) -> u64 {
        self.rows.iter().map(|r| r.bits).sum()
    }

    /// Bits of one section.
    pub fn section_bits(&self, section: Section) -> u64 {
        self.rows.iter().filter(|r| r.section == section).map(|r| r.bits).sum()
    }

    /// Bits that belong to one joint, all channels.
    pub fn joint_bits(&self, joint: usize) -> u64 {
        self.rows.iter().filter(|r| r.track.is_some_and(|(j, _)| usize::from(j) == joint)).map(|r| r.bits).sum()
    }

    /// Whole bytes per section whose sum is exactly the length of the bytes: fractions go to the largest remainders.
    pub fn section_bytes(&self) -> Vec<(Section, u64)> {
        let mut out: Vec<(Section, u64, u64)> = Section::ALL
            .into_iter()
            .map(|s| (s, self.section_bits(s)))
            .filter(|&(_, bits)| bits > 0)
            .map(|(s, bits)| (s, bits / 8, bits % 8))
            .collect();
        let missing = self.total_bits().div_ceil(8) - out.iter().map(|o| o.1).sum::<u64>();
        let mut order: Vec<usize> = (0..out.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(out[i].2));
        for &i in order.iter().take(missing as usize) {
            out[i].1 += 1;
        }
        out.into_iter().map(|(s, bytes, _)| (s, bytes)).collect()
    }
}

/// The samples at which a track keeps a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptKeys {
    /// Joint.
    pub joint: u16,
    /// Part of its transform.
    pub channel: Channel,
    /// Ascending sample indices.
    pub samples: Vec<u32>,
    /// The same samples in the order in which a fit inserted them; empty where keys were removed instead, and of takes so long
    /// that they were fitted stretch by stretch.
    pub inserted: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_bytes_of_sections_add_up() {
        let mut ledger = Ledger::default();
        ledger.clip(Section::Header, 13);
        ledger.track(0, Channel::Rotation, Section::Animated, 45);
        ledger.track(1, Channel::Rotation, Section::Range, 3);
        ledger.clip(Section::Padding, 3);
        assert_eq!(ledger.total_bits(), 64);
        assert_eq!(ledger.section_bytes().iter().map(|s| s.1).sum::<u64>(), 8);
    }
}
