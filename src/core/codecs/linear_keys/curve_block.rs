//! Writes tracks as the `fa_anim_clip` of Animation Tech Intro 2: curves, and one block of all keys.

use super::decode::KeyHeader;
use super::header::write_header;
use crate::codecs::encode::keys::{JointKeys, TrackKeys};
use crate::codecs::encode::write::WriteKey;
use crate::codecs::runtime::{
    CURVE_COUNT_BITS, CURVE_FIELD_BITS, CURVE_POSITION, CURVE_ROTATION, CURVE_TIME_BITS, RotationFormat, TrackKind,
    VectorFormat,
};
use crate::codecs::{Encoded, KeptKeys, Ledger, Section};
use crate::format::BitWriter;
use crate::math::Range3;
use crate::model::Channel;

/// Writes the payload that [`crate::codecs::runtime::read_curve_block`] reads after `header`. The tracks must have the formats of that
/// layout. Scale is not stored.
pub fn pack_curve_block(joints: &[JointKeys], header: KeyHeader) -> Encoded {
    let curves: Vec<Curve> = joints.iter().enumerate().map(|(joint, keys)| Curve::new(joint, keys)).collect();
    let curves: Vec<Curve> = curves.into_iter().filter(|c| c.keys() > 0).collect();
    let (mut out, mut ledger, mut kept) = (BitWriter::new(), Ledger::default(), Vec::new());
    write_header(header, &mut out);
    out.push(curves.len() as u64, CURVE_COUNT_BITS);
    out.push(curves.iter().map(Curve::keys).sum::<usize>() as u64, CURVE_COUNT_BITS);
    ledger.clip(Section::Header, out.bit_len() as u64);
    let before = out.bit_len();
    for curve in &curves {
        for field in [curve.joint, curve.rotation.keys.len(), curve.position.keys.len()] {
            out.push(field as u64, CURVE_FIELD_BITS);
        }
    }
    ledger.clip(Section::Tables, (out.bit_len() - before) as u64);
    for curve in &curves {
        curve.rotation.write(curve.joint, Channel::Rotation, &mut out, &mut ledger, &mut kept);
        curve.position.write(curve.joint, Channel::Translation, &mut out, &mut ledger, &mut kept);
    }
    let bits = out.bit_len();
    ledger.clip(Section::Padding, (bits.next_multiple_of(8) - bits) as u64);
    kept.sort_by_key(|k| (k.channel, k.joint));
    Encoded { payload: out.finish(), ledger, kept }
}

/// The keys of one joint.
struct Curve {
    joint: usize,
    rotation: CurveKeys<RotationFormat>,
    position: CurveKeys<VectorFormat>,
}

impl Curve {
    fn new(joint: usize, keys: &JointKeys) -> Self {
        let (rotation_kind, position_kind) =
            (keys.kinds[Channel::Rotation as usize], keys.kinds[Channel::Translation as usize]);
        Self {
            joint,
            rotation: CurveKeys::new(CURVE_ROTATION, rotation_kind, keys.still.rotation, keys.rotation.as_ref()),
            position: CurveKeys::new(CURVE_POSITION, position_kind, keys.still.translation, keys.translation.as_ref()),
        }
    }

    fn keys(&self) -> usize {
        self.rotation.keys.len() + self.position.keys.len()
    }
}

/// The keys of one track: none at bind pose, one if the track is constant.
struct CurveKeys<F: WriteKey> {
    format: F,
    is_animated: bool,
    keys: Vec<(u32, F::Key)>,
}

impl<F: WriteKey> CurveKeys<F> {
    fn new(format: F, kind: TrackKind, still: F::Key, track: Option<&TrackKeys<F>>) -> Self {
        let keys = match (kind, track) {
            (TrackKind::Constant, _) => vec![(0, still)],
            (_, Some(track)) => track.times.iter().copied().zip(track.keys.iter().copied()).collect(),
            (_, None) => Vec::new(),
        };
        Self { format, is_animated: track.is_some(), keys }
    }

    fn write(
        &self,
        joint: usize,
        channel: Channel,
        out: &mut BitWriter,
        ledger: &mut Ledger,
        kept: &mut Vec<KeptKeys>,
    ) {
        for (time, key) in &self.keys {
            out.push(u64::from(*time), CURVE_TIME_BITS);
            self.format.write(*key, &Range3::UNIT, out);
        }
        let count = self.keys.len() as u64;
        let section = if self.is_animated { Section::Animated } else { Section::Constant };
        ledger.track(joint, channel, Section::KeyTimes, count * u64::from(CURVE_TIME_BITS));
        ledger.track(joint, channel, section, count * u64::from(self.format.bits()));
        if self.is_animated {
            kept.push(KeptKeys {
                joint: joint as u16,
                channel,
                samples: self.keys.iter().map(|k| k.0).collect(),
                inserted: Vec::new(),
            });
        }
    }
}
