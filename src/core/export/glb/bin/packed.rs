//! Keys packed by meshoptimizer: EXT_meshopt_compression, and its successor KHR_meshopt_compression. Packing is lossless.

use super::{Bin, Chunk};
use crate::export::ExportPacking;
use gltf_json::accessor::Type;
use gltf_json::buffer::{Buffer, View};
use gltf_json::extensions::buffer as extensions;
use gltf_json::validation::{Checked, USize64};
use gltf_json::{Accessor, Index};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Index of the fallback buffer, which has the size of the unpacked views but no bytes.
const STAND_IN: u32 = 1;
/// JSON bytes per packed view.
const SAID_BYTES: usize = 200;
/// Best level of the encoder.
const LEVEL: i32 = 3;

/// Elements of one width.
#[derive(Default)]
struct Stream {
    bytes: Vec<u8>,
    /// Index and offset of each accessor.
    accessors: Vec<(usize, usize)>,
}

impl ExportPacking {
    /// Name of the extension, and the version of its encoding.
    fn extension(self) -> Option<(&'static str, i32)> {
        match self {
            Self::None => None,
            Self::Ext => Some(("EXT_meshopt_compression", 0)),
            Self::Khr => Some(("KHR_meshopt_compression", 1)),
        }
    }
}

impl Bin {
    /// Packs the last chunk, which has keys, if that takes fewer bytes.
    pub fn pack(&mut self, chunk: &Chunk, packing: ExportPacking) {
        let Some((name, version)) = packing.extension() else { return };
        let streams = self.streams(chunk);
        let packed: Vec<_> = streams.iter().filter_map(|(width, s)| packed(&s.bytes, *width, version)).collect();
        let size = packed.iter().map(|bytes| bytes.len().next_multiple_of(4) + SAID_BYTES).sum::<usize>();
        if packed.is_empty() || packed.len() < streams.len() || size >= self.bytes.len() - chunk.start {
            return;
        }
        self.bytes.truncate(chunk.start);
        let mut view = Some(chunk.view);
        for ((width, stream), packed) in streams.into_iter().zip(packed) {
            let unpacked = self.stand_in_bytes;
            self.stand_in_bytes += stream.bytes.len().next_multiple_of(4);
            let said = json!({
                "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": packed.len(),
                "byteStride": width, "count": stream.bytes.len() / width, "mode": "ATTRIBUTES",
            });
            self.bytes.extend_from_slice(&packed);
            self.align();
            let packed = View {
                buffer: Index::new(STAND_IN),
                byte_length: USize64::from(stream.bytes.len()),
                byte_offset: Some(USize64::from(unpacked)),
                extensions: Some(extensions::View { others: Map::from_iter([(name.to_owned(), said)]) }),
                ..self.root.buffer_views[chunk.view.value()].clone()
            };
            let place = match view.take() {
                Some(first) => {
                    self.root.buffer_views[first.value()] = packed;
                    first
                }
                None => self.root.push(packed),
            };
            for (accessor, offset) in stream.accessors {
                let accessor = &mut self.root.accessors[accessor];
                accessor.buffer_view = Some(place);
                accessor.byte_offset = (offset > 0).then(|| USize64::from(offset));
            }
        }
        self.root.extensions_used.push(name.into());
        self.root.extensions_required.push(name.into());
    }

    /// The fallback buffer, if something is packed.
    pub(super) fn stand_in(&self) -> Option<Buffer> {
        let name = self.root.extensions_required.last().filter(|_| self.stand_in_bytes > 0)?;
        let others = Map::from_iter([(name.clone(), json!({ "fallback": true }))]);
        let byte_length = USize64::from(self.stand_in_bytes);
        let extensions = Some(extensions::Buffer { others });
        Some(Buffer { byte_length, name: None, uri: None, extensions, extras: None })
    }

    /// The elements of a chunk, by their width in bytes.
    fn streams(&self, chunk: &Chunk) -> BTreeMap<usize, Stream> {
        let mut streams = BTreeMap::<usize, Stream>::new();
        for (index, accessor) in self.root.accessors.iter().enumerate() {
            if accessor.buffer_view != Some(chunk.view) {
                continue;
            }
            let (width, start) = (width(accessor), accessor.byte_offset.map_or(0, |at| at.0 as usize));
            let bytes = &self.bytes[chunk.start + start..][..width * accessor.count.0 as usize];
            let stream = streams.entry(width).or_default();
            stream.accessors.push((index, stream.bytes.len()));
            stream.bytes.extend_from_slice(bytes);
        }
        streams
    }
}

/// Bytes of one element.
fn width(accessor: &Accessor) -> usize {
    let component = match accessor.component_type {
        Checked::Valid(component) => component.0.size(),
        Checked::Invalid => 0,
    };
    let components = match accessor.type_ {
        Checked::Valid(kind) => Type::multiplicity(&kind),
        Checked::Invalid => 0,
    };
    component * components
}

/// Packs elements of one to four words. `None` for other widths, or if packing fails.
fn packed(bytes: &[u8], width: usize, version: i32) -> Option<Vec<u8>> {
    match width {
        4 => words::<1>(bytes, version),
        8 => words::<2>(bytes, version),
        12 => words::<3>(bytes, version),
        16 => words::<4>(bytes, version),
        _ => None,
    }
}

fn words<const N: usize>(bytes: &[u8], version: i32) -> Option<Vec<u8>> {
    let words: Vec<[u32; N]> =
        bytes.chunks_exact(4 * N).map(|element| std::array::from_fn(|at| word(&element[4 * at..]))).collect();
    meshopt::encode_vertex_buffer_level(&words, LEVEL, Some(version)).ok().filter(|packed| !packed.is_empty())
}

/// The word in native byte order, as the library needs it.
fn word(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |word| u32::from_ne_bytes(*word))
}

/// A view of keys that moves into another file. `start` is added to its offset; `stand_in` is the index of the new fallback buffer.
pub fn moved(view: &View, start: usize, stand_in: usize) -> View {
    let mut view = view.clone();
    let packed = view.extensions.iter_mut().flat_map(|all| all.others.values_mut()).next();
    match packed.and_then(|said| said.get_mut("byteOffset")) {
        Some(at) => {
            *at = Value::from(start as u64 + at.as_u64().unwrap_or(0));
            view.buffer = Index::new(stand_in as u32);
        }
        None => view.byte_offset = Some(USize64::from(start + view.byte_offset.map_or(0, |at| at.0 as usize))),
    }
    view
}
