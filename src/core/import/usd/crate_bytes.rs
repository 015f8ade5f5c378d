use super::Fault;

/// Reads the bytes of a binary layer in order.
#[derive(Debug, Clone, Copy)]
pub(super) struct CrateBytes<'a> {
    all: &'a [u8],
    at: usize,
}

/// Least bits of an integer in a block.
const INTEGER_BITS: u64 = 2;
/// Most bytes that LZ4 makes of one.
const LZ4_TIMES: u64 = 255;

impl<'a> CrateBytes<'a> {
    /// Reads from a place.
    pub fn at(all: &'a [u8], at: u64) -> Result<Self, Fault> {
        let at = usize::try_from(at).ok().filter(|at| *at <= all.len());
        at.map(|at| Self { all, at }).ok_or_else(cut)
    }

    /// The next bytes.
    pub fn take(&mut self, count: u64) -> Result<&'a [u8], Fault> {
        let rest = &self.all[self.at..];
        let taken = usize::try_from(count).ok().and_then(|count| rest.get(..count)).ok_or_else(cut)?;
        self.at += taken.len();
        Ok(taken)
    }

    /// Skips items of a size.
    pub fn skip(&mut self, count: u64, each: u64) -> Result<(), Fault> {
        self.take(count.saturating_mul(each)).map(|_| ())
    }

    fn word<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let bytes = self.take(N as u64)?;
        Ok(std::array::from_fn(|index| bytes[index]))
    }

    pub fn u8(&mut self) -> Result<u8, Fault> {
        self.word::<1>().map(|[byte]| byte)
    }

    pub fn u32(&mut self) -> Result<u32, Fault> {
        self.word().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, Fault> {
        self.word().map(u64::from_le_bytes)
    }

    /// Follows a relative place.
    pub fn follow(&mut self) -> Result<(), Fault> {
        let start = self.at as u64;
        let offset = self.word().map(i64::from_le_bytes)?;
        *self = Self::at(self.all, start.checked_add_signed(offset).ok_or_else(cut)?)?;
        Ok(())
    }

    /// A block of LZ4 that becomes at most a number of bytes. Returns the packed bytes.
    pub fn block(&mut self, unpacked: u64) -> Result<&'a [u8], Fault> {
        let packed = self.u64()?;
        if unpacked > packed.saturating_mul(LZ4_TIMES) {
            return Err(cut());
        }
        self.take(packed)
    }

    /// A block of integers. Returns the packed bytes.
    pub fn integers(&mut self, count: u64) -> Result<&'a [u8], Fault> {
        let packed = self.u64()?;
        if count.saturating_mul(INTEGER_BITS) / 8 > packed.saturating_mul(LZ4_TIMES) {
            return Err(cut());
        }
        self.take(packed)
    }
}

/// An error for bytes that end too early.
pub(super) fn cut() -> Fault {
    Fault::new("it is cut short or damaged").advise("Copy or export it again")
}

/// Unpacks a block of LZ4. The first byte has the number of further parts; only files beyond 2 GB have some.
pub(super) fn unpacked(packed: &[u8], most: usize) -> Result<Vec<u8>, Fault> {
    let Some((0, packed)) = packed.split_first() else { return Err(cut()) };
    let mut out = vec![0; most];
    let length = lz4_flex::block::decompress_into(packed, &mut out).map_err(|_| cut())?;
    out.truncate(length);
    Ok(out)
}

/// Unpacks a block of integers: a common difference, two bits per integer with the size of its difference, and the differences.
pub(super) fn integers(packed: &[u8], count: usize) -> Result<Vec<i32>, Fault> {
    const WORD: usize = size_of::<i32>();
    let codes = count.div_ceil(4);
    let bytes = unpacked(packed, WORD + codes + WORD * count)?;
    let (Some((&common, rest)), true) = (bytes.split_first_chunk::<WORD>(), bytes.len() >= WORD + codes) else {
        return Err(cut());
    };
    let (codes, mut rest) = rest.split_at(codes);
    let mut last = 0i32;
    let mut out = Vec::with_capacity(count);
    for index in 0..count {
        let code = codes[index / 4] >> (2 * (index % 4)) & 3;
        let size = [0, 1, 2, WORD][usize::from(code)];
        let (difference, after) = rest.split_at_checked(size).ok_or_else(cut)?;
        rest = after;
        last = last.wrapping_add(match *difference {
            [] => i32::from_le_bytes(common),
            [a] => (a as i8).into(),
            [a, b] => i16::from_le_bytes([a, b]).into(),
            [a, b, c, d] => i32::from_le_bytes([a, b, c, d]),
            _ => 0,
        });
        out.push(last);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_differences_of_a_common_or_an_own_size() {
        // The example of the format: 123, 124, 125, 100125, 100125, 100126, 100126.
        let mut bytes = 1i32.to_le_bytes().to_vec();
        bytes.extend([0b1100_0001, 0b0001_0001]);
        bytes.push(123);
        bytes.extend(100_000i32.to_le_bytes());
        bytes.extend([0, 0]);
        let packed: Vec<u8> = [0].into_iter().chain(lz4_flex::block::compress(&bytes)).collect();
        assert_eq!(integers(&packed, 7).unwrap(), [123, 124, 125, 100_125, 100_125, 100_126, 100_126]);
        assert!(integers(&packed, 100).is_err() && integers(&[], 1).is_err());
    }

    #[test]
    fn nothing_is_read_past_the_end() {
        let mut bytes = CrateBytes::at(&[1, 0, 0, 0, 0, 0, 0, 0, 9], 0).unwrap();
        assert_eq!(bytes.block(255).unwrap(), [9]);
        assert!(bytes.u8().is_err() && CrateBytes::at(&[1], 2).is_err());
        let mut huge = CrateBytes::at(&[255; 16], 0).unwrap();
        assert!(huge.skip(u64::MAX, 8).is_err() && huge.block(1).is_err());
    }
}
