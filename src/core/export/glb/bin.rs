mod packed;

use gltf_json::accessor::{Accessor, ComponentType, GenericComponentType, Type};
use gltf_json::buffer::{Buffer, Target, View};
use gltf_json::validation::{Checked::Valid, USize64};
use gltf_json::{Index, Root};
pub use packed::moved;
use std::collections::HashMap;

/// A document and its only buffer, which grow together.
#[derive(Default)]
pub struct Bin {
    /// The JSON part.
    pub root: Root,
    bytes: Vec<u8>,
    /// Size of the packed views after unpacking.
    stand_in_bytes: usize,
    /// Accessors of shared chunks, by the digest of their contents.
    shared: HashMap<blake3::Hash, Index<Accessor>>,
}

/// An open chunk of numbers that becomes one buffer view. Its accessors are stored one after the other.
pub struct Chunk {
    view: Index<View>,
    start: usize,
    /// True if equal accessors are stored once.
    is_shared: bool,
}

impl Bin {
    /// Like [`Self::begin`], for data that no GPU reads. Equal accessors are stored once.
    pub fn begin_shared(&mut self) -> Chunk {
        Chunk { is_shared: true, ..self.begin(None) }
    }

    /// Begins a view for the accessors that follow. `target` is its use by a GPU.
    pub fn begin(&mut self, target: Option<Target>) -> Chunk {
        self.align();
        let view = View {
            buffer: Index::new(0),
            byte_length: USize64(0),
            byte_offset: Some(USize64::from(self.bytes.len())),
            byte_stride: None,
            name: None,
            target: target.map(Valid),
            extensions: None,
            extras: None,
        };
        Chunk { view: self.root.push(view), start: self.bytes.len(), is_shared: false }
    }

    /// Adds float32 vectors. `bounds` adds their minimum and maximum, which positions and key times must have.
    pub fn floats<const N: usize>(&mut self, chunk: &Chunk, values: &[[f32; N]], bounds: bool) -> Index<Accessor> {
        let bytes = values.as_flattened().iter().flat_map(|v| v.to_le_bytes()).collect();
        let has_bounds = bounds && !values.is_empty();
        let accessor = Accessor {
            min: has_bounds.then(|| extent(values, f32::min)),
            max: has_bounds.then(|| extent(values, f32::max)),
            ..accessor(values.len(), ComponentType::F32, kind(N))
        };
        self.push(chunk, bytes, accessor)
    }

    /// Adds normalized signed 16-bit vectors.
    pub fn shorts<const N: usize>(&mut self, chunk: &Chunk, values: &[[i16; N]]) -> Index<Accessor> {
        let bytes = values.as_flattened().iter().flat_map(|v| v.to_le_bytes()).collect();
        let accessor = Accessor { normalized: true, ..accessor(values.len(), ComponentType::I16, kind(N)) };
        self.push(chunk, bytes, accessor)
    }

    /// Adds vectors of unsigned integers, which must fit the component type.
    pub fn integers<const N: usize>(
        &mut self,
        chunk: &Chunk,
        values: &[[u32; N]],
        component: ComponentType,
    ) -> Index<Accessor> {
        let width = component.size();
        let bytes = values.as_flattened().iter().flat_map(|v| v.to_le_bytes().into_iter().take(width)).collect();
        self.push(chunk, bytes, accessor(values.len(), component, kind(N)))
    }

    /// Adds bytes in a view of their own, such as a PNG.
    pub fn blob(&mut self, bytes: &[u8]) -> Index<View> {
        let chunk = self.begin(None);
        self.bytes.extend_from_slice(bytes);
        self.close(&chunk);
        chunk.view
    }

    /// Returns the document with its buffers, and the bytes of the first one.
    pub fn finish(mut self) -> (Root, Vec<u8>) {
        self.align();
        if !self.bytes.is_empty() {
            let byte_length = USize64::from(self.bytes.len());
            self.root.buffers.push(Buffer { byte_length, name: None, uri: None, extensions: None, extras: None });
            self.root.buffers.extend(self.stand_in());
        }
        (self.root, self.bytes)
    }

    fn push(&mut self, chunk: &Chunk, bytes: Vec<u8>, accessor: Accessor) -> Index<Accessor> {
        if !chunk.is_shared {
            return self.append(chunk, &bytes, accessor);
        }
        let digest = digest(&bytes, &accessor);
        if let Some(same) = self.shared.get(&digest) {
            return *same;
        }
        let index = self.append(chunk, &bytes, accessor);
        self.shared.insert(digest, index);
        index
    }

    fn append(&mut self, chunk: &Chunk, bytes: &[u8], accessor: Accessor) -> Index<Accessor> {
        self.align();
        let offset = self.bytes.len() - chunk.start;
        self.bytes.extend_from_slice(bytes);
        self.close(chunk);
        let byte_offset = (offset > 0).then(|| USize64::from(offset));
        self.root.push(Accessor { buffer_view: Some(chunk.view), byte_offset, ..accessor })
    }

    fn close(&mut self, chunk: &Chunk) {
        self.root.buffer_views[chunk.view.value()].byte_length = USize64::from(self.bytes.len() - chunk.start);
    }

    /// Pads to a multiple of four bytes, where accessors and chunks of a GLB begin.
    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

/// An accessor that has no view yet.
fn accessor(count: usize, component: ComponentType, kind: Type) -> Accessor {
    Accessor {
        buffer_view: None,
        byte_offset: None,
        count: USize64::from(count),
        component_type: Valid(GenericComponentType(component)),
        type_: Valid(kind),
        min: None,
        max: None,
        name: None,
        normalized: false,
        sparse: None,
        extensions: None,
        extras: None,
    }
}

/// Digest of what a reader gets: the bytes, their type, and the presence of bounds.
fn digest(bytes: &[u8], accessor: &Accessor) -> blake3::Hash {
    let Accessor { component_type, type_, normalized, min, .. } = accessor;
    let mut hasher = blake3::Hasher::new();
    hasher.update(format!("{component_type:?} {type_:?} {normalized} {}", min.is_some()).as_bytes());
    hasher.update(bytes).finalize()
}

fn kind(components: usize) -> Type {
    match components {
        1 => Type::Scalar,
        2 => Type::Vec2,
        3 => Type::Vec3,
        4 => Type::Vec4,
        16 => Type::Mat4,
        other => unreachable!("no accessor type has {other} components"),
    }
}

fn extent<const N: usize>(values: &[[f32; N]], pick: fn(f32, f32) -> f32) -> gltf_json::Value {
    let folded = values.iter().copied().reduce(|a, b| std::array::from_fn(|i| pick(a[i], b[i])));
    gltf_json::Value::from(folded.map(|v| v.to_vec()).unwrap_or_default())
}
