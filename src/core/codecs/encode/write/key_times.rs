use crate::codecs::runtime::{TimeLayout, time_bits};
use crate::format::BitWriter;

/// Appends the times of a track's keys: ascending samples from 0 to the last.
pub fn write_times(times: &[u32], samples: usize, out: &mut BitWriter) {
    match TimeLayout::of(times.len(), samples) {
        TimeLayout::EverySample => {}
        TimeLayout::List => {
            times[1..times.len() - 1].iter().for_each(|t| out.push(u64::from(*t), time_bits(samples)));
        }
        TimeLayout::Mask => {
            let mut next = 1;
            for sample in 1..samples - 1 {
                let is_key = times[next] as usize == sample;
                next += usize::from(is_key);
                out.push(u64::from(is_key), 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::runtime::read_times;
    use crate::format::BitReader;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn times_survive_whatever_their_layout(samples in 2usize..400, seed in any::<u64>(), density in 1u64..64) {
            let keep = |s: &usize| (seed.wrapping_mul(*s as u64 + 1) >> 32) % 64 < density;
            let inner = (1..samples - 1).filter(keep).map(|s| s as u32);
            let times: Vec<u32> = std::iter::once(0).chain(inner).chain([samples as u32 - 1]).collect();
            let mut out = BitWriter::new();
            write_times(&times, samples, &mut out);
            let bits = out.bit_len();
            prop_assert!(bits <= (samples - 2).min((times.len() - 2) * time_bits(samples) as usize));
            let bytes = out.finish();
            let mut input = BitReader::new(&bytes);
            let times: Vec<u16> = times.iter().map(|time| *time as u16).collect();
            let mut found = vec![7];
            prop_assert_eq!(read_times(&mut input, times.len(), samples, &mut found), Ok(()));
            prop_assert_eq!(&found[1..], times, "appended");
            prop_assert_eq!(input.bit_position(), bits);
        }
    }

    #[test]
    fn times_out_of_order_are_rejected() {
        let mut out = BitWriter::new();
        out.push(7, 5);
        out.push(7, 5);
        assert!(read_times(&mut BitReader::new(&out.finish()), 4, 20, &mut Vec::new()).is_err());
    }
}
