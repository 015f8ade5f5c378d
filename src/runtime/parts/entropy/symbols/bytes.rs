use super::{Context, SymbolReader};
use crate::memory::NoMemory;
use crate::{Boxed, StateMemory};
use miniz_oxide::inflate::stream::{InflateState, ZeroReset, inflate};
use miniz_oxide::{DataFormat, MZFlush};

/// Source of the bytes of [`ByteReaderOf`]. Bytes past the end are zero.
pub trait ByteSource {
    /// The next byte.
    fn next(&mut self) -> u8;
}

/// Uncompressed bytes.
#[derive(Debug)]
pub struct PlainBytes<'a>(pub &'a [u8]);

impl ByteSource for PlainBytes<'_> {
    #[inline]
    fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }
}

/// Bytes inflated at a time.
const INFLATED_BYTES: usize = 2048;

/// Memory for inflating. Its size does not depend on the inflated length.
#[derive(Clone)]
pub struct InflateBuffer {
    state: Boxed<InflateState>,
    piece: Boxed<[u8; INFLATED_BYTES]>,
}

impl core::fmt::Debug for InflateBuffer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("InflateBuffer")
    }
}

impl InflateBuffer {
    /// Allocates the memory.
    ///
    /// # Errors
    /// [`NoMemory`].
    pub fn new(memory: StateMemory) -> Result<Self, NoMemory> {
        let state = memory.boxed(InflateState::new(DataFormat::Raw))?;
        Ok(Self { state, piece: memory.boxed([0; INFLATED_BYTES])? })
    }

    /// Bytes of memory besides those of the type itself.
    pub fn heap_bytes(&self) -> usize {
        size_of::<InflateState>() + INFLATED_BYTES
    }
}

/// Inflates deflated bytes, a piece at a time.
pub struct Inflater<'a> {
    buffer: &'a mut InflateBuffer,
    left: &'a [u8],
    at: usize,
    len: usize,
}

impl<'a> Inflater<'a> {
    /// Starts a block. The buffer may have been used for other blocks.
    pub fn new(buffer: &'a mut InflateBuffer, bytes: &'a [u8]) -> Self {
        // The window is zeroed: back references of damaged bytes must not depend on earlier blocks.
        buffer.state.reset_as(ZeroReset);
        Self { buffer, left: bytes, at: 0, len: 0 }
    }

    /// Inflates the next piece. It is empty at the end and if the bytes are damaged.
    fn refill(&mut self) {
        let result = inflate(&mut self.buffer.state, self.left, &mut self.buffer.piece[..], MZFlush::None);
        self.left = self.left.get(result.bytes_consumed..).unwrap_or_default();
        (self.at, self.len) = (0, if result.status.is_ok() { result.bytes_written } else { 0 });
    }
}

impl ByteSource for Inflater<'_> {
    #[inline]
    fn next(&mut self) -> u8 {
        if self.at == self.len {
            self.refill();
        }
        let byte = self.buffer.piece[..self.len].get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte.unwrap_or(0)
    }
}

/// Reads numbers with seven bits per byte, lowest first, and raw bits as whole bytes.
pub struct ByteReaderOf<S>(pub S);

impl<S: ByteSource> SymbolReader for ByteReaderOf<S> {
    #[inline]
    fn symbol(&mut self, _: Context) -> u32 {
        let mut value = 0;
        for shift in (0..32).step_by(7) {
            let byte = self.0.next();
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }

    fn raw(&mut self, bits: u32) -> u32 {
        let value = (0..bits.div_ceil(8)).fold(0, |value, i| value | u32::from(self.0.next()) << (8 * i));
        if bits < 32 { value & ((1 << bits) - 1) } else { value }
    }
}
