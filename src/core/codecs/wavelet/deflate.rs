use flate2::{Compress, Compression, FlushCompress, Status};

/// Deflates the bytes at the highest level, without zlib's header and checksum: the container has its own.
pub fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut compress = Compress::new(Compression::best(), false);
    let mut out = Vec::with_capacity(64 + bytes.len());
    loop {
        let read = compress.total_in() as usize;
        match compress.compress_vec(&bytes[read..], &mut out, FlushCompress::Finish) {
            Ok(Status::StreamEnd) => return out,
            // Full: deflated bytes can be a little longer than the input.
            Ok(_) => out.reserve(64 + out.capacity() / 8),
            Err(error) => unreachable!("deflate takes any bytes: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codecs::encode::write::{SymbolWriter, VarintWriter};
    use crate::codecs::runtime::{ByteReaderOf, Context, InflateBuffer, Inflater, SymbolReader};
    use posepress_runtime::internal::StateMemory;

    #[test]
    fn what_is_deflated_reads_back_from_a_buffer_that_served_before() {
        let numbers: Vec<u32> = (0..5000u32).map(|i| i.wrapping_mul(2_654_435_761) >> (i % 29)).collect();
        let mut out = VarintWriter::default();
        numbers.iter().for_each(|n| out.symbol(*n, Context::setting(0)));
        let deflated = deflate(&out.finish());
        let mut buffer = InflateBuffer::new(StateMemory::HEAP).expect("memory");
        for _ in 0..2 {
            let mut from = ByteReaderOf(Inflater::new(&mut buffer, &deflated));
            let read: Vec<u32> = numbers.iter().map(|_| from.symbol(Context::setting(0))).collect();
            assert_eq!(read, numbers);
        }
    }
}
