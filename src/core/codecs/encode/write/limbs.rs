use crate::codecs::runtime::{Limbs, place_bits};
use crate::format::BitWriter;

/// Appends the limbs of a rig with `joints` joints.
pub fn write_limbs(limbs: &Limbs, joints: usize, out: &mut BitWriter) {
    out.push(limbs.len() as u64, 8);
    for joint in 0..joints {
        out.push(u64::from(limbs.chain().iter().any(|(j, _)| usize::from(*j) == joint)), 1);
    }
    let bits = place_bits(limbs.chain().len());
    limbs.chain().iter().for_each(|(_, parent)| out.push(parent.map_or(0, |p| u64::from(p) + 1), bits));
    for limb in limbs.limbs() {
        [limb.start, limb.bend, limb.end].into_iter().for_each(|place| out.push(u64::from(place), bits));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::runtime::Limb;
    use crate::format::BitReader;

    #[test]
    fn limbs_read_back_and_cut_ones_are_rejected() {
        // Hips, thigh, shin, foot and a second thigh.
        let chain = vec![(0, None), (1, Some(0)), (2, Some(1)), (3, Some(2)), (5, Some(0))];
        let limbs = Limbs::new(chain, vec![Limb { start: 1, bend: 2, end: 3 }]).unwrap().unwrap();
        let mut out = BitWriter::new();
        write_limbs(&limbs, 7, &mut out);
        assert_eq!(out.bit_len(), 8 + 7 + 5 * 3 + 3 * 3);
        let bytes = out.finish();
        let back = Limbs::read(&mut BitReader::new(&bytes), 7).unwrap();
        assert_eq!((back.chain(), back.limbs()), (limbs.chain(), limbs.limbs()));
        assert!(Limbs::read(&mut BitReader::new(&bytes[..3]), 7).is_err());
    }
}
