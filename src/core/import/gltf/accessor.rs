use super::container::Container;
use super::meshopt::{self, Packed};
use super::{Fault, get};
use crate::import::beside::FilesBeside;
use crate::import::{Ask, Budget};
use gltf_json as json;
use json::accessor::{ComponentType, Type};
use json::validation::Checked;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Typed, checked access to a document's buffers.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    root: &'a json::Root,
    buffers: Vec<Buffer<'a>>,
    /// Decompressed bytes per buffer view; `None` for views that are not compressed. A fault is reported when its view is read.
    unpacked: Vec<Option<Result<Unpacked, Fault>>>,
    files: FilesBeside,
    budget: Budget,
}

/// Compression of a buffer view, and its decompressed bytes.
type Unpacked = (Packed, Vec<u8>);

/// Bytes of a buffer or an image.
#[derive(Debug)]
pub(super) enum Buffer<'a> {
    /// Part of bytes that are in memory already.
    Own(&'a [u8]),
    /// Bytes of an external file or a data URI.
    Loaded(Rc<Vec<u8>>),
}

impl Buffer<'_> {
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Loaded(bytes) => bytes,
        }
    }
}

/// Elements in a buffer view, with checked bounds.
struct Elements<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
    count: usize,
}

impl<'a> Elements<'a> {
    fn iter(&self) -> impl Iterator<Item = &'a [u8]> {
        let (bytes, stride, size) = (self.bytes, self.stride, self.size);
        (0..self.count).map(move |i| &bytes[i * stride..][..size])
    }
}

impl<'a> Reader<'a> {
    /// Loads every buffer: the binary chunk of a GLB, data URIs, and external files in the folder of `path`.
    pub fn open(container: &'a Container<'_>, path: &Path) -> Result<Self, Fault> {
        let (budget, files) = (Budget::new(container.bytes), FilesBeside::new(path));
        let mut buffers = Vec::with_capacity(container.root.buffers.len());
        for (index, buffer) in container.root.buffers.iter().enumerate() {
            let place = format!("buffer {index}");
            let data = match &buffer.uri {
                None if meshopt::is_fallback(buffer) => {
                    buffers.push(Buffer::Own(&[]));
                    continue;
                }
                Some(uri) => Buffer::Loaded(files.load(uri, |n| budget.bring(n)).map_err(|e| e.at(&place))?),
                None => Buffer::Own(container.blob.filter(|_| index == 0).ok_or_else(|| {
                    Fault::new("it names no file, and the file has no binary chunk for it").at(&place)
                })?),
            };
            let (expected, found) = (buffer.byte_length.0, data.bytes().len());
            if expected > found as u64 {
                let what = format!("expected {expected} bytes, found {found}");
                return Err(Fault::new(what).at(place).advise("The buffer is cut short: copy or export it again"));
            }
            buffers.push(data);
        }
        let mut reader = Self { root: &container.root, buffers, unpacked: Vec::new(), files, budget };
        reader.unpacked = reader.unpack();
        Ok(reader)
    }

    fn unpack(&self) -> Vec<Option<Result<Unpacked, Fault>>> {
        let unpack = |view: &json::buffer::View| -> Result<Option<Unpacked>, Fault> {
            let Some(packed) = meshopt::packed(view)? else { return Ok(None) };
            self.budget.claim(Ask::Decoded, packed.unpacked_bytes())?;
            let bytes = packed.unpack(self.slice(packed.buffer, packed.byte_offset, packed.byte_length)?)?;
            Ok(Some((packed, bytes)))
        };
        let views = self.root.buffer_views.iter().enumerate();
        views.map(|(index, view)| unpack(view).map_err(|f| f.at(format!("buffer view {index}"))).transpose()).collect()
    }

    /// The document.
    pub fn root(&self) -> &'a json::Root {
        self.root
    }

    /// The bytes of every buffer.
    pub fn buffers(&self) -> impl Iterator<Item = &[u8]> {
        self.buffers.iter().map(Buffer::bytes)
    }

    /// The limits on memory and time.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Returns the bytes of a data URI or an external file.
    pub fn load(&self, uri: &str) -> Result<Rc<Vec<u8>>, Fault> {
        self.files.load(uri, |bytes| self.budget.bring(bytes))
    }

    /// Paths of all external files that were read.
    pub fn files_beside(&self) -> Vec<PathBuf> {
        self.files.places()
    }

    /// Number of elements of an accessor, as the document states it.
    pub fn count(&self, index: json::Index<json::Accessor>) -> Result<u64, Fault> {
        get(&self.root.accessors, index, "accessor").map(|accessor| accessor.count.0)
    }

    /// Stored bytes of an accessor's elements; in a compressed view, their share of the compressed bytes. Zero if the accessor is
    /// missing or has unknown types. At most the bytes of all buffers, since accessors that no track uses are not checked.
    pub fn stored_bytes(&self, index: usize) -> u64 {
        let Some(accessor) = self.root.accessors.get(index) else { return 0 };
        let (Checked::Valid(component), Checked::Valid(shape)) = (accessor.component_type, accessor.type_) else {
            return 0;
        };
        let size = (component.0.size() * shape.multiplicity()) as u64;
        let view = accessor.buffer_view.map(|view| view.value());
        let said = match view.and_then(|view| self.unpacked.get(view)?.as_ref()?.as_ref().ok()) {
            None => accessor.count.0.saturating_mul(size),
            Some((packed, _)) => {
                let part = accessor.count.0 as f64 * packed.stride() as f64 / packed.unpacked_bytes().max(1) as f64;
                (part * packed.byte_length as f64).round() as u64
            }
        };
        said.min(self.buffers().map(|buffer| buffer.len() as u64).sum())
    }

    /// Shape of an accessor's elements.
    pub fn shape(&self, index: json::Index<json::Accessor>) -> Result<Type, Fault> {
        match get(&self.root.accessors, index, "accessor")?.type_ {
            Checked::Valid(shape) => Ok(shape),
            Checked::Invalid => {
                Err(Fault::new("the type of its elements is unknown; expected VEC3 or VEC4").at(place(index)))
            }
        }
    }

    /// All numbers of an accessor as floats, element after element. Integers are divided by their largest value if the accessor is
    /// normalised or `fractions` is true. `fractions` is for attributes whose integers are always fractions.
    pub fn floats(&self, index: json::Index<json::Accessor>, shape: Type, fractions: bool) -> Result<Vec<f32>, Fault> {
        let accessor = get(&self.root.accessors, index, "accessor")?;
        let normalized = accessor.normalized || fractions;
        self.decode(index, shape, |component, bytes| Some(float(component, bytes, normalized)))
    }

    /// All numbers of an accessor of unsigned integers.
    pub fn integers(&self, index: json::Index<json::Accessor>, shape: Type) -> Result<Vec<u32>, Fault> {
        self.decode(index, shape, integer)
    }

    /// The bytes of a buffer view.
    pub fn view(&self, index: json::Index<json::buffer::View>) -> Result<&[u8], Fault> {
        let view = get(&self.root.buffer_views, index, "buffer view")?;
        match self.unpacked.get(index.value()) {
            Some(Some(Ok((_, bytes)))) => return Ok(bytes),
            Some(Some(Err(fault))) => return Err(fault.clone()),
            _ => {}
        }
        let start = view.byte_offset.unwrap_or_default().0;
        let bytes = self.slice(view.buffer.value(), start, view.byte_length.0);
        bytes.map_err(|fault| fault.at(format!("buffer view {}", index.value())))
    }

    fn slice(&self, buffer: usize, start: u64, length: u64) -> Result<&[u8], Fault> {
        let found = self
            .buffers
            .get(buffer)
            .ok_or_else(|| Fault::new(format!("it names buffer {buffer}; the file has {}", self.buffers.len())))?;
        let have = found.bytes().len();
        range(found.bytes(), start, length)
            .ok_or_else(|| Fault::new(format!("bytes {start} + {length} lie outside its buffer of {have} bytes")))
    }

    fn decode<T: Copy + Default>(
        &self,
        index: json::Index<json::Accessor>,
        shape: Type,
        convert: impl Fn(ComponentType, &[u8]) -> Option<T>,
    ) -> Result<Vec<T>, Fault> {
        let at = |fault: Fault| fault.at(place(index));
        let accessor = get(&self.root.accessors, index, "accessor")?;
        let (Checked::Valid(component), Checked::Valid(found)) = (accessor.component_type, accessor.type_) else {
            return Err(at(Fault::new(
                "the type of its elements or numbers is unknown; expected types of glTF, such as VEC3 and 5126",
            )));
        };
        if found != shape {
            return Err(at(Fault::new(format!("its elements are {found:?}; expected {shape:?}"))));
        }
        let component = component.0;
        let width = shape.multiplicity();
        let count = self.claim(accessor.count.0, width).map_err(at)?;
        let convert = |bytes: &[u8]| {
            convert(component, bytes)
                .ok_or_else(|| Fault::new(format!("its numbers are {component:?}; expected unsigned integers")))
        };
        let read = |elements: Elements<'_>| -> Result<Vec<T>, Fault> {
            elements.iter().flat_map(|e| e.chunks_exact(component.size())).map(convert).collect()
        };
        let mut out = match accessor.buffer_view {
            Some(view) => {
                let offset = accessor.byte_offset.unwrap_or_default().0;
                read(self.elements(view, offset, component.size() * width, count).map_err(at)?).map_err(at)?
            }
            None => vec![T::default(); count * width], // zeros, by the specification
        };
        if let Some(sparse) = &accessor.sparse {
            let targets = self.sparse_targets(sparse, count).map_err(at)?;
            let values = &sparse.values;
            let size = component.size() * width;
            let values = self.elements(values.buffer_view, values.byte_offset.0, size, targets.len()).map_err(at)?;
            let values = read(values).map_err(at)?;
            for (&target, value) in targets.iter().zip(values.chunks_exact(width)) {
                out[target * width..][..width].copy_from_slice(value);
            }
        }
        Ok(out)
    }

    fn sparse_targets(&self, sparse: &json::accessor::sparse::Sparse, count: usize) -> Result<Vec<usize>, Fault> {
        let sparse_count = self.claim(sparse.count.0, 1)?;
        let indices = &sparse.indices;
        let Checked::Valid(component) = indices.component_type else {
            return Err(Fault::new("the type of its sparse indices is unknown; expected 5121, 5123 or 5125"));
        };
        let elements = self.elements(indices.buffer_view, indices.byte_offset.0, component.0.size(), sparse_count)?;
        let mut targets = Vec::with_capacity(sparse_count);
        for bytes in elements.iter() {
            let target = integer(component.0, bytes).unwrap_or(u32::MAX) as usize;
            let ordered = targets.last().is_none_or(|&last| last < target);
            if target >= count || !ordered {
                let what = format!("sparse index {target} is out of range or out of order; it has {count} elements");
                return Err(Fault::new(what));
            }
            targets.push(target);
        }
        Ok(targets)
    }

    fn elements(
        &self,
        view: json::Index<json::buffer::View>,
        offset: u64,
        size: usize,
        count: usize,
    ) -> Result<Elements<'_>, Fault> {
        let bytes = self.view(view)?;
        let own = get(&self.root.buffer_views, view, "buffer view")?.byte_stride.map_or(size, |s| s.0);
        let packed = self.unpacked[view.value()].as_ref().and_then(|unpacked| unpacked.as_ref().ok());
        let stride = packed.map_or(own, |(packed, _)| packed.stride());
        if stride < size {
            return Err(Fault::new(format!("its stride is {stride} bytes; its elements need {size}")));
        }
        let length = (count as u64).saturating_sub(1).saturating_mul(stride as u64).saturating_add(size as u64);
        let length = if count == 0 { 0 } else { length };
        let have = bytes.len();
        let bytes = range(bytes, offset, length).ok_or_else(|| {
            Fault::new(format!("{count} elements at byte {offset} lie outside its buffer view of {have} bytes"))
        })?;
        Ok(Elements { bytes, stride, size, count })
    }

    /// Claims the memory for decoding from the budget. Returns the count as an index type.
    fn claim(&self, count: u64, width: usize) -> Result<usize, Fault> {
        self.budget.claim(Ask::Decoded, count.saturating_mul(4 * width as u64))?;
        usize::try_from(count).map_err(|_| Fault::new(format!("{count} elements do not fit into memory")))
    }
}

fn place(index: json::Index<json::Accessor>) -> String {
    format!("accessor {}", index.value())
}

fn range(bytes: &[u8], start: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(start).ok()?;
    let end = start.checked_add(usize::try_from(length).ok()?)?;
    bytes.get(start..end)
}

/// Decodes one number; `bytes` has the length of the component.
fn float(component: ComponentType, bytes: &[u8], normalized: bool) -> f32 {
    // glTF 2.0, section 3.11. Without the clamp, the most negative integer would be slightly below -1.
    let fraction = |value: f32, largest: f32| if normalized { (value / largest).max(-1.0) } else { value };
    match (component, bytes) {
        (ComponentType::I8, &[b]) => fraction(f32::from(b as i8), 127.0),
        (ComponentType::U8, &[b]) => fraction(f32::from(b), 255.0),
        (ComponentType::I16, &[a, b]) => fraction(f32::from(i16::from_le_bytes([a, b])), 32767.0),
        (ComponentType::U16, &[a, b]) => fraction(f32::from(u16::from_le_bytes([a, b])), 65535.0),
        (ComponentType::U32, &[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]) as f32,
        (ComponentType::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
        _ => f32::NAN, // unreachable: slices have the size of the component
    }
}

fn integer(component: ComponentType, bytes: &[u8]) -> Option<u32> {
    match (component, bytes) {
        (ComponentType::U8, &[b]) => Some(u32::from(b)),
        (ComponentType::U16, &[a, b]) => Some(u32::from(u16::from_le_bytes([a, b]))),
        (ComponentType::U32, &[a, b, c, d]) => Some(u32::from_le_bytes([a, b, c, d])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_become_fractions_as_the_specification_says() {
        let fraction = |component, bytes: &[u8]| float(component, bytes, true);
        assert_eq!(fraction(ComponentType::I8, &[127]), 1.0);
        assert_eq!(fraction(ComponentType::I8, &[0x80]), -1.0);
        assert_eq!(fraction(ComponentType::U8, &[51]), 0.2);
        assert_eq!(fraction(ComponentType::I16, &(-32767i16).to_le_bytes()), -1.0);
        assert_eq!(fraction(ComponentType::U16, &[0xff, 0xff]), 1.0);
        assert_eq!(float(ComponentType::I16, &(-300i16).to_le_bytes(), false), -300.0);
    }
}
