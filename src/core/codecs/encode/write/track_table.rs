use super::key_format::{WriteKey, write_format};
use crate::codecs::runtime::{TrackKind, TrackTable, VectorFormat};
use crate::format::BitWriter;
use crate::math::Range3;
use crate::model::Channel;

/// Appends a table that [`TrackTable::read`] reads. `on_bits` is called with the bits of each constant.
pub fn write_track_table(table: &TrackTable, out: &mut BitWriter, mut on_bits: impl FnMut(usize, Channel, u64)) {
    for kind in table.kinds.iter().flatten() {
        out.push(*kind as u64, TrackTable::KIND_BITS);
    }
    write_format(table.constant_format, out);
    for (joint, (kinds, still)) in table.kinds.iter().zip(&table.still).enumerate() {
        for (channel, kind) in Channel::ALL.into_iter().zip(kinds) {
            if *kind != TrackKind::Constant {
                continue;
            }
            let before = out.bit_len();
            match channel {
                Channel::Rotation => table.constant_format.write(still.rotation, &Range3::UNIT, out),
                Channel::Translation => VectorFormat::Float96.write(still.translation, &Range3::UNIT, out),
                Channel::Scale => VectorFormat::Float96.write(still.scale, &Range3::UNIT, out),
            }
            on_bits(joint, channel, (out.bit_len() - before) as u64);
        }
    }
}
