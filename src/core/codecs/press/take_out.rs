//! Rows of residuals that leave a payload for a tier.

use super::decode::{FIRST_WIDTHS, KINDS, RowMap, SegmentMap, copy_bits, push_width};
use crate::format::{BitWriter, bits_at};

/// What of a track stays in a segment. What leaves is predicted from what stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Stays {
    /// All that is there.
    #[default]
    All,
    /// Anchors and the middles between them: every other sample.
    Middles,
    /// Anchors: every fourth sample.
    Anchors,
}

impl Stays {
    /// True where residuals of middles, or others, leave.
    pub fn takes(self, kind: usize) -> bool {
        match self {
            Self::All => false,
            Self::Middles => kind == 1,
            Self::Anchors => true,
        }
    }
}

/// Bits that rows of a track take in a segment: those of middles, and the others.
pub fn row_bits(map: &RowMap, segment: &SegmentMap, track: usize) -> [usize; KINDS] {
    [0, 1].map(|kind| {
        let widths = segment.codes[3 * track..][..3].iter().map(|codes| map.layout.width(codes[kind].into()) as usize);
        segment.rows[kind] * widths.sum::<usize>()
    })
}

/// The payload without the rows that leave, and a tier that has them: see [`RowMap`]. `stays`: of each segment, one a track.
pub fn take_out(map: &RowMap, bytes: &[u8], stays: &[Vec<Stays>]) -> (Vec<u8>, Vec<u8>) {
    let (mut clip, mut tier) = (BitWriter::new(), BitWriter::new());
    copy_bits(bytes, &map.head, &mut clip);
    let mut state = TakingOut {
        left: vec![[false; KINDS]; map.tracks.len()],
        whole: vec![FIRST_WIDTHS.map(|code| code as u8); 3 * map.tracks.len()],
        kept: vec![FIRST_WIDTHS.map(|code| code as u8); 3 * map.tracks.len()],
    };
    for (segment, stays) in map.segments.iter().zip(stays) {
        state.widths(map, segment, stays, &mut clip, &mut tier);
        for kind in 0..KINDS {
            let mut at = segment.starts[kind];
            for _ in 0..segment.rows[kind] {
                for (component, codes) in segment.codes.iter().enumerate() {
                    let width = map.layout.width(codes[kind].into());
                    let out = if state.left[component / 3][kind] { &mut tier } else { &mut clip };
                    out.push(bits_at(bytes, at, width), width);
                    at += width as usize;
                }
            }
        }
    }
    copy_bits(bytes, &map.tail, &mut clip);
    (clip.finish(), tier.finish())
}

/// What is known of the segment before.
struct TakingOut {
    /// Which rows of each track left.
    left: Vec<[bool; KINDS]>,
    /// Width codes as they were, and those that stay.
    whole: Vec<[u8; KINDS]>,
    kept: Vec<[u8; KINDS]>,
}

impl TakingOut {
    /// Writes what stands before the rows of a segment.
    fn widths(
        &mut self,
        map: &RowMap,
        segment: &SegmentMap,
        stays: &[Stays],
        clip: &mut BitWriter,
        tier: &mut BitWriter,
    ) {
        for (track, (left, stays)) in self.left.iter_mut().zip(stays).enumerate() {
            // Rows of no bits are no rows: nothing has to be said of them.
            let bits = row_bits(map, segment, track);
            let leaves = [0, 1].map(|kind| stays.takes(kind) && bits[kind] > 0);
            tier.push(u64::from(leaves == *left), 1);
            if leaves != *left {
                tier.push(u64::from(leaves[0]) | u64::from(leaves[1]) << 1, KINDS as u32);
            }
            *left = leaves;
        }
        for (component, codes) in segment.codes.iter().enumerate() {
            for kind in 0..KINDS {
                let (whole, kept) = (&mut self.whole[component][kind], &mut self.kept[component][kind]);
                let leaves = self.left[component / 3][kind];
                let stays = if leaves { 0 } else { codes[kind] };
                if leaves {
                    push_width((*whole).into(), codes[kind].into(), tier);
                }
                push_width((*kept).into(), stays.into(), clip);
                (*whole, *kept) = (codes[kind], stays);
            }
        }
    }
}
