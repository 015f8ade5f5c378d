//! Reads a document again, to write it back with other animations.

use super::accessor::Reader;
use super::animation::Units;
use super::container::Container;
use super::figures::Figures;
use super::morph::FloatTracks;
use super::node_constraint::NodeConstraints;
use super::nodes::NodeTree;
use super::vrm::Vrm;
use super::{Gltf, animation, skeleton};
use crate::files;
use crate::import::{Ask, Fault, ImportError, ImportOptions, Importer, Origin, UpAxis, resample};
use crate::math::Transform;
use crate::model::Skeleton;
use crate::model::SourceDigest;
use std::collections::BTreeMap;
use std::path::Path;

/// A glTF file, and its relation to the imported rig: the node of each joint, the animation of each clip.
#[derive(Debug)]
pub struct GltfDocument {
    /// The JSON text, unchanged.
    pub text: Vec<u8>,
    /// Bytes of every buffer, from the binary chunk, data URIs and external files.
    pub buffers: Vec<Vec<u8>>,
    /// Images from external files and data URIs, by image index. Images that cannot be read are missing.
    pub images: BTreeMap<usize, EmbeddedImage>,
    /// The imported skeleton.
    pub skeleton: Skeleton,
    /// Node per joint.
    pub nodes: Vec<usize>,
    /// Nodes whose morph weights are float tracks.
    pub weights: Vec<WeightsNode>,
    /// The animations that are imported as clips, in file order.
    pub clips: Vec<DocumentClip>,
    /// Unit and up axis.
    pub space: FileSpace,
}

/// An image from an external file or a data URI.
#[derive(Debug)]
pub struct EmbeddedImage {
    /// Encoded bytes.
    pub bytes: Vec<u8>,
    /// Media type, such as `image/png`.
    pub mime_type: String,
}

/// A node with a mesh that has morph targets.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightsNode {
    /// Index of the node.
    pub node: usize,
    /// Float track per morph target.
    pub tracks: Vec<usize>,
    /// The weights without animation.
    pub rest: Vec<f32>,
}

/// An animation that is imported as a clip.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentClip {
    /// Index of the animation.
    pub animation: usize,
    /// Name of the clip.
    pub name: String,
    /// Time of the animation at which the clip starts.
    pub start_secs: f32,
}

/// Unit and up axis of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FileSpace {
    /// Metres per unit of length.
    pub metres: f32,
    /// The axis that points up.
    pub up: UpAxis,
}

impl FileSpace {
    /// The space of imported rigs and clips: metres, Y up.
    pub const OURS: Self = Self { metres: 1.0, up: UpAxis::Y };

    /// Converts a joint's local transform from [`Self::OURS`] to this space. Inverse of [`Self::to_inside`].
    pub fn from_inside(&self, joint: Transform, is_root: bool) -> Transform {
        let mut own = if is_root { self.up.lower(joint) } else { joint };
        own.translation /= self.metres;
        own
    }

    /// Converts a joint's local transform from this space to [`Self::OURS`].
    pub fn to_inside(&self, mut own: Transform, is_root: bool) -> Transform {
        own.translation *= self.metres;
        if is_root { self.up.raise(own) } else { own }
    }
}

impl GltfDocument {
    /// Reads the source file of clips again; `None` if it is not a glTF.
    ///
    /// # Errors
    /// [`ImportError`] if the file cannot be read, or has changed since the import.
    pub fn read(origin: &Origin) -> Result<Option<Self>, ImportError> {
        let Origin { path, digest, options } = origin;
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        if !Gltf.extensions().contains(&extension.as_str()) {
            return Ok(None);
        }
        let advice = "Open it again, or write a new file";
        let fault = |fault: Fault| fault.advise(advice).in_file(path);
        let bytes = files::read(path).map_err(|e| fault(Fault::new(format!("cannot be read any more: {e}"))))?;
        if SourceDigest::of(&bytes) != *digest {
            return Err(fault(Fault::new("it has changed since it was read")));
        }
        document(path, &bytes, options).map(Some).map_err(fault)
    }
}

fn document(path: &Path, bytes: &[u8], options: &ImportOptions) -> Result<GltfDocument, Fault> {
    let known = &mut Vec::new(); // reported by the import
    let container = Container::read(bytes, known)?;
    let reader = Reader::open(&container, path)?;
    let root = reader.root();
    let tree = NodeTree::read(root, options.metres(), options.scene(), known)?;
    let vrm = Vrm::read(root, "", known);
    let (constraints, _) = NodeConstraints::read(root, &tree, options.constraints.unwrap_or_default());
    let belongs = Figures::find(root, &tree);
    let joints = tree.choose_joints(root, &vrm, &constraints, belongs.belongs(options.figure())?)?;
    let floats = FloatTracks::read(&reader, &tree, &joints)?;
    let units = Units { metres: options.metres(), secs: options.secs() };
    let clips = animation::read_clips(&reader, &joints, &floats, units, known)?;
    let clips = clips.into_iter().map(|(animation, keys)| DocumentClip {
        animation,
        start_secs: resample::start_secs(&keys, options),
        name: keys.name,
    });
    Ok(GltfDocument {
        text: container.text.to_vec(),
        buffers: buffers(&reader)?,
        images: images(&reader)?,
        skeleton: skeleton(root, &tree, &joints, options)?,
        weights: weights(&floats),
        clips: clips.collect(),
        space: FileSpace { metres: options.metres(), up: options.up() },
        nodes: joints.nodes,
    })
}

fn weights(floats: &FloatTracks) -> Vec<WeightsNode> {
    let node = |(node, first, count): (usize, usize, usize)| WeightsNode {
        node,
        tracks: (first..first + count).collect(),
        rest: floats.rest[first..first + count].to_vec(),
    };
    floats.nodes().into_iter().map(node).collect()
}

/// Copies all buffers. The copies count against the budget too.
fn buffers(reader: &Reader<'_>) -> Result<Vec<Vec<u8>>, Fault> {
    let copy = |bytes: &[u8]| {
        reader.budget().claim(Ask::Named, bytes.len() as u64)?;
        Ok(bytes.to_vec())
    };
    reader.buffers().map(copy).collect()
}

/// Images from external files and data URIs that can be read.
fn images(reader: &Reader<'_>) -> Result<BTreeMap<usize, EmbeddedImage>, Fault> {
    let mut images = BTreeMap::new();
    for (index, image) in reader.root().images.iter().enumerate() {
        let Some(uri) = image.uri.as_ref().filter(|_| image.buffer_view.is_none()) else { continue };
        let Ok(bytes) = reader.load(uri) else { continue };
        let said = image.mime_type.as_ref().map(|mime| mime.0.clone());
        let Some(mime_type) = said.or_else(|| mime_type(&bytes).map(str::to_owned)) else { continue };
        reader.budget().claim(Ask::Named, bytes.len() as u64)?;
        images.insert(index, EmbeddedImage { bytes: bytes.to_vec(), mime_type });
    }
    Ok(images)
}

/// Media type of an image by its first bytes; `None` if unknown.
fn mime_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [0xab, b'K', b'T', b'X', b' ', b'2', b'0', ..] => Some("image/ktx2"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Quat, Vec3};

    #[test]
    fn what_is_read_from_a_file_goes_back_into_it() {
        let space = FileSpace { metres: 0.01, up: UpAxis::Z };
        let own = Transform {
            rotation: Quat::from_rotation_y(0.4) * Quat::from_rotation_x(1.0),
            translation: Vec3::new(1.0, -20.0, 300.0),
            scale: Vec3::new(1.0, 2.0, 3.0),
        };
        assert!((space.to_inside(own, true).translation - Vec3::new(0.01, 3.0, 0.2)).length() < 1e-6);
        for is_root in [true, false] {
            let back = space.from_inside(space.to_inside(own, is_root), is_root);
            assert!(back.translation.distance(own.translation) < 1e-4 && back.scale == own.scale, "{back:?}");
            assert!(back.rotation.dot(own.rotation).abs() > 1.0 - 1e-6, "{back:?}");
        }
    }
}
