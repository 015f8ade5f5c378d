use super::{Context, SymbolReader, SymbolWriter};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// Numbers as seven bits a byte, lowest first; raw bits as whole bytes.
#[derive(Debug, Default)]
pub struct VarintWriter {
    bytes: Vec<u8>,
}

impl VarintWriter {
    /// The bytes.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

impl SymbolWriter for VarintWriter {
    fn symbol(&mut self, mut value: u32, _: Context) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    fn raw(&mut self, value: u32, bits: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes()[..bits.div_ceil(8) as usize]);
    }

    fn bit_position(&self) -> u64 {
        8 * self.bytes.len() as u64
    }
}

/// The bytes through deflate at its highest level, without zlib's header and checksum: the container has its own.
pub fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut compress = Compress::new(Compression::best(), false);
    let mut out = Vec::with_capacity(64 + bytes.len());
    loop {
        let read = compress.total_in() as usize;
        match compress.compress_vec(&bytes[read..], &mut out, FlushCompress::Finish) {
            Ok(Status::StreamEnd) => return out,
            // Full: deflate may need a little more than what it was given.
            Ok(_) => out.reserve(64 + out.capacity() / 8),
            Err(error) => unreachable!("deflate takes any bytes: {error}"),
        }
    }
}

/// Where [`ByteReaderOf`] gets its bytes; zeros past the end.
pub trait ByteSource<'a> {
    /// Starts on another block.
    fn start(&mut self, bytes: &'a [u8]);
    /// The next byte.
    fn next(&mut self) -> u8;
}

/// Bytes as they are.
#[derive(Debug, Default)]
pub struct PlainBytes<'a> {
    left: &'a [u8],
}

impl<'a> ByteSource<'a> for PlainBytes<'a> {
    fn start(&mut self, bytes: &'a [u8]) {
        self.left = bytes;
    }

    #[inline]
    fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.left.split_first() else { return 0 };
        self.left = rest;
        *first
    }
}

/// Inflated at a time.
const INFLATED_BYTES: usize = 2048;

/// Bytes that [`deflate`] made smaller, a piece at a time: memory does not grow with what they inflate to.
pub struct Inflater<'a> {
    inflate: Decompress,
    left: &'a [u8],
    piece: [u8; INFLATED_BYTES],
    at: usize,
    len: usize,
}

impl Default for Inflater<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl Inflater<'_> {
    /// Allocates all that inflating needs.
    pub fn new() -> Self {
        Self { inflate: Decompress::new(false), left: &[], piece: [0; INFLATED_BYTES], at: 0, len: 0 }
    }

    /// The next piece; empty at the end and where the bytes are damaged.
    fn refill(&mut self) {
        let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
        let result = self.inflate.decompress(self.left, &mut self.piece, FlushDecompress::None);
        let taken = (self.inflate.total_in() - read) as usize;
        self.left = self.left.get(taken..).unwrap_or_default();
        (self.at, self.len) = (0, if result.is_ok() { (self.inflate.total_out() - written) as usize } else { 0 });
    }
}

impl<'a> ByteSource<'a> for Inflater<'a> {
    fn start(&mut self, bytes: &'a [u8]) {
        self.inflate.reset(false);
        (self.left, self.at, self.len) = (bytes, 0, 0);
    }

    #[inline]
    fn next(&mut self) -> u8 {
        if self.at == self.len {
            self.refill();
        }
        let byte = self.piece[..self.len].get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte.unwrap_or(0)
    }
}

/// Reads what [`VarintWriter`] wrote.
pub struct ByteReaderOf<S> {
    source: S,
}

impl<'a, S: ByteSource<'a>> ByteReaderOf<S> {
    /// A reader that was not started yet.
    pub fn new(source: S) -> Self {
        Self { source }
    }

    /// Starts on another block.
    pub fn start(&mut self, bytes: &'a [u8]) {
        self.source.start(bytes);
    }
}

impl<'a, S: ByteSource<'a>> SymbolReader for ByteReaderOf<S> {
    #[inline]
    fn symbol(&mut self, _: Context) -> u32 {
        let mut value = 0;
        for shift in (0..32).step_by(7) {
            let byte = self.source.next();
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }

    fn raw(&mut self, bits: u32) -> u32 {
        let value = (0..bits.div_ceil(8)).fold(0, |value, i| value | u32::from(self.source.next()) << (8 * i));
        if bits < 32 { value & ((1 << bits) - 1) } else { value }
    }
}
