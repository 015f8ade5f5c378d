use crate::model::Channel;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The uses of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// Sizes, formats and offsets.
    Header,
    /// The state of each track (constant, bind pose or animated) and its bit rates.
    Tables,
    /// Tracks with one value.
    Constant,
    /// Minimum and extent of value ranges.
    Range,
    /// Times of keys.
    KeyTimes,
    /// Jump tables: the places where a seek starts.
    Jumps,
    /// Values over time.
    Animated,
    /// Morph weights and other scalars.
    Floats,
    /// Stepped intervals.
    Holds,
    /// Corrections of the codec's error.
    Compensation,
    /// Bits that fill up a byte or a word.
    Padding,
}

impl Section {
    /// All sections, in the order of reports.
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

    /// The name in JSON and in reports.
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

/// Bits of one section that belong to one track or to the whole clip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LedgerRow {
    /// Joint and channel; `None` for the whole clip.
    pub track: Option<(u16, Channel)>,
    /// The use of the bits.
    pub section: Section,
    /// The number of bits.
    pub bits: u64,
}

/// The use of every bit of a clip. The rows add up to the length of its bytes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ledger {
    rows: Vec<LedgerRow>,
    rates: Vec<SegmentRate>,
    lattice: Vec<LatticeRow>,
    stages: Vec<Stage>,
    is_shared_out: bool,
}

/// The bit rate of one track in one segment.
#[expect(missing_docs, reason = "the type says it")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentRate {
    pub joint: u16,
    pub channel: Channel,
    /// First sample of the segment. It ends where the track's next segment begins.
    pub first_sample: u32,
    /// Bits per component of a sample; 32 is float32.
    pub bits: u32,
}

/// The step of one component of a track on a lattice, and the bits of its numbers.
#[expect(missing_docs, reason = "the type says it")]
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LatticeRow {
    pub joint: u16,
    pub channel: Channel,
    /// 0, 1 or 2: x, y or z in the joint's space.
    pub component: u8,
    /// The step: radians for rotations, metres for translations, a ratio for scales.
    pub step: f32,
    /// Bits per level, see [`LATTICE_LEVELS`].
    pub bits: [u64; 3],
}

/// The names of the levels of [`LatticeRow::bits`].
pub const LATTICE_LEVELS: [&str; 3] = ["anchors, every 4th sample", "middles between them", "all other samples"];

/// The size of a clip after one step of an encoder. The list of stages shows how much each step saves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// The step, in a few words.
    pub name: Cow<'static, str>,
    /// Bytes of the clip if this were the last step.
    pub bytes: u64,
}

impl Ledger {
    /// Scales the counted bits so that they add up to `total`. Rates and stages are left out.
    ///
    /// Some coders need whole blocks: deflate does, and arithmetic coding ends on a whole byte. Their bytes then hold a few bits more or
    /// fewer than were counted. If fewer, all rows shrink in proportion. The remainder counts as padding of the clip.
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

    /// Marks the bits per track as estimates: shares of bytes that hold several tracks together.
    pub fn share_out(&mut self) {
        self.is_shared_out = true;
    }

    /// True if the bits per track are estimates, as for tracks that were deflated together.
    pub fn is_shared_out(&self) -> bool {
        self.is_shared_out
    }

    /// Appends a stage.
    pub fn stage(&mut self, name: &'static str, bytes: u64) {
        self.stages.push(Stage { name: name.into(), bytes });
    }

    /// The stages of the encoder, in order. Empty for codecs with one step.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// Adds bits of a track.
    pub fn track(&mut self, joint: usize, channel: Channel, section: Section, bits: u64) {
        if bits > 0 {
            self.rows.push(LedgerRow { track: Some((joint as u16, channel)), section, bits });
        }
    }

    /// Adds bits of the whole clip.
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

    /// Adds the bits of a group of joints. The stages remain those of the clip.
    pub fn add_group(&mut self, group: &Self) {
        self.rows.extend_from_slice(&group.rows);
        self.rates.extend_from_slice(&group.rates);
        self.lattice.extend_from_slice(&group.lattice);
    }

    /// Adds the bits of a block of samples that begins at `first_sample`. Rows with the same owner and section are merged.
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

    /// Sets the bits per component of tracks on lattices.
    pub fn lattice(&mut self, rows: Vec<LatticeRow>) {
        self.lattice = rows;
    }

    /// The components of tracks on lattices. A long take has them once per block of samples. Empty for other codecs.
    pub fn lattice_rows(&self) -> &[LatticeRow] {
        &self.lattice
    }

    /// Bits of all lattices by level, see [`LATTICE_LEVELS`].
    pub fn lattice_bits(&self) -> [u64; LATTICE_LEVELS.len()] {
        let sum = |level: usize| self.lattice.iter().map(|row| row.bits[level]).sum();
        [sum(0), sum(1), sum(2)]
    }

    /// Adds the bit rate of one track in one segment.
    pub fn rate(&mut self, rate: SegmentRate) {
        self.rates.push(rate);
    }

    /// Bit rates of all tracks, segment by segment. Empty for codecs with fixed formats.
    pub fn rates(&self) -> &[SegmentRate] {
        &self.rates
    }

    /// Histogram of bit rates: bits per component, and the number of track segments that have them.
    pub fn bit_rates(&self) -> BTreeMap<u32, u64> {
        let mut counts = [0u64; 33];
        self.rates.iter().for_each(|r| counts[r.bits.min(32) as usize] += 1);
        counts.into_iter().enumerate().filter(|c| c.1 > 0).map(|(bits, count)| (bits as u32, count)).collect()
    }

    /// The sum of all bits.
    pub fn total_bits(&self) -> u64 {
        self.rows.iter().map(|r| r.bits).sum()
    }

    /// Bits of one section.
    pub fn section_bits(&self, section: Section) -> u64 {
        self.rows.iter().filter(|r| r.section == section).map(|r| r.bits).sum()
    }

    /// Bits of one joint, all channels.
    pub fn joint_bits(&self, joint: usize) -> u64 {
        self.rows.iter().filter(|r| r.track.is_some_and(|(j, _)| usize::from(j) == joint)).map(|r| r.bits).sum()
    }

    /// Whole bytes per section. Their sum is exactly the length of the bytes: the largest remainders are rounded up.
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
#[expect(missing_docs, reason = "the type says it")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptKeys {
    pub joint: u16,
    pub channel: Channel,
    /// Ascending sample indices.
    pub samples: Vec<u32>,
    /// The same samples in the order in which a fit inserted them. Empty if the encoder removed keys instead, or if the take is so long
    /// that it was fitted in blocks.
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
