use crate::codecs::runtime::JumpTable;
use crate::format::BitWriter;

/// Appends the table. `jumps` has the offsets at each sample of [`JumpTable::samples`], in order.
pub fn write_jump_table(every: usize, jumps: &[Vec<usize>], out: &mut BitWriter) {
    let largest = jumps.iter().flatten().max().copied().unwrap_or(0);
    let place_bits = usize::BITS - largest.leading_zeros();
    out.push(every as u64, JumpTable::EVERY_BITS);
    out.push(u64::from(place_bits), JumpTable::WIDTH_BITS);
    jumps.iter().flatten().for_each(|place| out.push(*place as u64, place_bits));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::BitReader;

    fn table(every: usize, samples: usize, jumps: &[Vec<usize>]) -> (Vec<u8>, JumpTable) {
        let mut out = BitWriter::new();
        write_jump_table(every, jumps, &mut out);
        let bytes = out.finish();
        let mut input = BitReader::new(&bytes);
        let read = JumpTable::read(&mut input, samples, jumps.first().map_or(0, Vec::len)).unwrap();
        input.finish("table").unwrap();
        (bytes, read)
    }

    #[test]
    fn places_read_back_and_the_jump_before_a_time_is_the_last_one() {
        let jumps: Vec<Vec<usize>> = (0..5).map(|j| vec![j * 31, 7, 1000 + j]).collect();
        let (bytes, mut table) = table(8, 41, &jumps);
        assert_eq!(JumpTable::samples(8, 41).collect::<Vec<_>>(), [8, 16, 24, 32, 40]);
        for (jump, places) in jumps.iter().enumerate() {
            assert_eq!(table.note(&bytes, jump, places.iter().copied()), Ok(()));
            assert!(table.note(&bytes, jump, places.iter().map(|p| p + 1)).is_err());
            assert_eq!(table.sample_of(jump), 8 * (jump + 1));
            assert_eq!(table.before(table.sample_of(jump) as f64), Some(jump));
            assert_eq!(table.before(table.sample_of(jump) as f64 - 0.25), jump.checked_sub(1));
        }
        assert_eq!((table.before(0.0), table.before(1e6)), (None, Some(4)));
    }

    #[test]
    fn a_clip_shorter_than_a_jump_has_none() {
        let (bytes, table) = table(16, 16, &[]);
        assert_eq!((table.before(15.0), 8 * bytes.len()), (None, 24));
    }

    #[test]
    fn tables_longer_than_their_bytes_are_rejected() {
        let mut out = BitWriter::new();
        write_jump_table(1, &[vec![usize::from(u16::MAX); 4]], &mut out);
        let bytes = out.finish();
        assert!(JumpTable::read(&mut BitReader::new(&bytes), 2, 4).is_ok());
        for (samples, places) in [(4, 4), (2, 6), (1 << 20, usize::MAX / 2)] {
            assert!(JumpTable::read(&mut BitReader::new(&bytes), samples, places).is_err());
        }
        assert!(JumpTable::read(&mut BitReader::new(&[0; 8]), 2, 4).is_err());
    }
}
