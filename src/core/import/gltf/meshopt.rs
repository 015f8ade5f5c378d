//! Buffer views that meshoptimizer compressed: EXT_meshopt_compression, and its successor KHR_meshopt_compression.

use super::Fault;
use gltf_json as json;
use serde::Deserialize;

/// Both extensions have the same fields.
const EXTENSIONS: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];
/// Largest element of an attribute, bytes.
const MAX_STRIDE: usize = 256;

/// Compression of a buffer view.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Packed {
    /// Index of the buffer with the compressed bytes.
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: u64,
    pub byte_length: u64,
    byte_stride: usize,
    count: u64,
    mode: Mode,
    #[serde(default)]
    filter: Filter,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Mode {
    Attributes,
    Triangles,
    Indices,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Filter {
    #[default]
    None,
    Octahedral,
    Quaternion,
    Exponential,
    Color,
}

/// Reads the compression of a buffer view; `None` if it is not compressed.
pub(super) fn packed(view: &json::buffer::View) -> Result<Option<Packed>, Fault> {
    let said = view.extensions.as_ref().and_then(|all| EXTENSIONS.iter().find_map(|name| all.others.get(*name)));
    let Some(said) = said else { return Ok(None) };
    let packed = Packed::deserialize(said).map_err(|e| Fault::new(format!("its compression cannot be read: {e}")))?;
    packed.check()?;
    Ok(Some(packed))
}

/// True for a fallback buffer. It stands for decompressed bytes, and may have no bytes in the file.
pub(super) fn is_fallback(buffer: &json::Buffer) -> bool {
    let says = |name: &&str| {
        let all = &buffer.extensions.as_ref()?.others;
        all.get(*name)?.get("fallback")?.as_bool()
    };
    EXTENSIONS.iter().any(|name| says(name) == Some(true))
}

impl Packed {
    /// Decompressed length, bytes.
    pub fn unpacked_bytes(&self) -> u64 {
        self.count.saturating_mul(self.byte_stride as u64)
    }

    /// Distance between decompressed elements, bytes.
    pub fn stride(&self) -> usize {
        self.byte_stride
    }

    /// Checks what the decoder requires of element sizes, counts and filters.
    fn check(&self) -> Result<(), Fault> {
        let (stride, count) = (self.byte_stride, self.count);
        let fits = match self.mode {
            Mode::Attributes => stride.is_multiple_of(4) && (4..=MAX_STRIDE).contains(&stride),
            Mode::Triangles => matches!(stride, 2 | 4) && count.is_multiple_of(3),
            Mode::Indices => matches!(stride, 2 | 4),
        };
        let suits = match self.filter {
            Filter::None | Filter::Exponential => true,
            Filter::Octahedral | Filter::Color => matches!(stride, 4 | 8),
            Filter::Quaternion => stride == 8,
        };
        let is_plain = self.mode == Mode::Attributes || self.filter == Filter::None;
        if fits && suits && is_plain {
            return Ok(());
        }
        let (mode, filter) = (self.mode, self.filter);
        Err(Fault::new(format!("{count} elements of {stride} bytes do not fit mode {mode:?} with filter {filter:?}")))
    }

    /// Decompresses the bytes. The caller has claimed the memory.
    pub fn unpack(&self, bytes: &[u8]) -> Result<Vec<u8>, Fault> {
        let unpacked = usize::try_from(self.count).ok().and_then(|count| match self.mode {
            Mode::Attributes => self.attributes(bytes, count),
            Mode::Triangles if self.byte_stride == 2 => Some(of_u16(&meshopt::decode_index_buffer(bytes, count).ok()?)),
            Mode::Triangles => Some(of_u32(&meshopt::decode_index_buffer(bytes, count).ok()?)),
            Mode::Indices if self.byte_stride == 2 => Some(of_u16(&meshopt::decode_index_sequence(bytes, count).ok()?)),
            Mode::Indices => Some(of_u32(&meshopt::decode_index_sequence(bytes, count).ok()?)),
        });
        unpacked.ok_or_else(|| Fault::new("its compressed bytes are damaged").advise("Export or copy the file again"))
    }

    fn attributes(&self, bytes: &[u8], count: usize) -> Option<Vec<u8>> {
        let mut words = of_words(self.byte_stride / 4, bytes, count)?;
        let is_narrow = self.byte_stride == 4;
        match self.filter {
            Filter::None => {}
            Filter::Octahedral if is_narrow => meshopt::decode_filter_oct::<i8>(bytemuck::cast_slice_mut(&mut words)),
            Filter::Octahedral => meshopt::decode_filter_oct::<i16>(bytemuck::cast_slice_mut(&mut words)),
            Filter::Color if is_narrow => meshopt::decode_filter_color::<u8>(bytemuck::cast_slice_mut(&mut words)),
            Filter::Color => meshopt::decode_filter_color::<u16>(bytemuck::cast_slice_mut(&mut words)),
            Filter::Quaternion => meshopt::decode_filter_quat(bytemuck::cast_slice_mut(&mut words)),
            Filter::Exponential => meshopt::decode_filter_exp::<1>(bytemuck::cast_slice_mut(&mut words)),
        }
        Some(of_u32(&words))
    }
}

fn of_u16(all: &[u16]) -> Vec<u8> {
    bytemuck::cast_slice(all).to_vec()
}

fn of_u32(all: &[u32]) -> Vec<u8> {
    bytemuck::cast_slice(all).to_vec()
}

/// An element of `N` words. The library gets the element size from the type.
#[derive(Clone)]
struct Words<const N: usize>([u32; N]);

impl<const N: usize> Default for Words<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

fn elements<const N: usize>(bytes: &[u8], count: usize) -> Option<Vec<u32>> {
    let all = meshopt::decode_vertex_buffer::<Words<N>>(bytes, count).ok()?;
    Some(all.into_iter().flat_map(|words| words.0).collect())
}

/// Decodes elements of `words` 32-bit words. `None` if the bytes are damaged.
fn of_words(words: usize, bytes: &[u8], count: usize) -> Option<Vec<u32>> {
    macro_rules! any_of {
        ($($n:literal)*) => {
            match words {
                $($n => elements::<$n>(bytes, count),)*
                _ => None,
            }
        };
    }
    any_of!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
        33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64)
}
