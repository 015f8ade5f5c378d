//! Writes clips back into the document that they came from. Only its animations change.
//!
//! Accessors and buffer views keep their indices, since unknown extensions may refer to them. New ones take the indices that only the old
//! animations used, and then follow the last.

mod bytes;
mod references;

use super::animation::{self, Stage};
use super::bin::{Bin, moved};
use super::pieces::{Object, Piece, member, piece, read, set, unsupported, without_spaces};
use super::{fit_all, glb};
use crate::export::{ExportClip, ExportError, ExportOptions};
use crate::import::{DocumentClip, GltfDocument, Pointed, add_extras, pointed};
use crate::model::Rig;
use bytes::Buffer;
use gltf_json::Index;
use gltf_json::animation::Animation;
use references::{Slots, Used};
use serde::Deserialize;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Writes the document with clips in place of its animations. The animations of other clips are dropped.
pub fn write(
    document: &GltfDocument,
    rig: &Rig,
    clips: &mut [ExportClip<'_>],
    options: ExportOptions,
) -> Result<Vec<u8>, ExportError> {
    let joints = document.nodes.clone();
    let stage = Stage { joints, weights: document.weights.clone(), space: document.space };
    let fitted = fit_all(clips, rig, &stage, options);
    let mut bin = Bin::default();
    let chunk = bin.begin_shared();
    let mut written = Vec::with_capacity(clips.len());
    for (clip, fitted) in clips.iter().zip(&fitted) {
        let place = place_of(document, clip);
        let start_secs = place.map_or(0.0, |place| place.start_secs);
        let animation = animation::write((&mut bin, &chunk), (rig, &stage), clip, fitted, start_secs);
        // Clips that are not in the file, such as its rest pose, come last.
        written.push((place.map_or(usize::MAX, |place| place.animation), animation));
    }
    let splice = Splice::new(document, &stage)?;
    written.extend(splice.others()?);
    written.sort_by_key(|(place, _)| *place);
    bin.pack(&chunk, options.packing);
    let (new, new_bytes) = bin.finish();
    splice.finish(written, &new, new_bytes)
}

/// The animation that a clip was read from; `None` if it is not in the file, such as its rest pose as a clip.
pub fn place_of<'a>(document: &'a GltfDocument, clip: &ExportClip<'_>) -> Option<&'a DocumentClip> {
    document.clips.iter().find(|known| known.name == clip.source.name())
}

/// Indices of the clips, in the order of the file.
pub fn order(document: &GltfDocument, clips: &[ExportClip<'_>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..clips.len()).collect();
    order.sort_by_key(|&clip| place_of(document, &clips[clip]).map_or(usize::MAX, |place| place.animation));
    order
}

/// A document, split into the parts that change.
struct Splice<'a> {
    document: &'a GltfDocument,
    top: Object,
    accessors: Vec<Piece>,
    views: Vec<Piece>,
    animations: Vec<Object>,
    /// Nodes that are joints of the rig.
    joints: BTreeSet<usize>,
    /// Nodes whose morph weights are float tracks of the rig.
    weights: BTreeSet<usize>,
    /// Meshes whose own weights these nodes use.
    meshes: BTreeSet<usize>,
}

/// The members of a node that are read here.
#[derive(Deserialize)]
struct NodeHead {
    mesh: Option<usize>,
    weights: Option<serde::de::IgnoredAny>,
}

/// The members of a channel that are read here.
#[derive(Deserialize)]
struct ChannelHead {
    sampler: usize,
    target: serde_json::Value,
}

/// The parts that an old animation keeps: channels that move no joint or weight of the rig.
#[derive(Default)]
struct OtherChannels {
    channels: Vec<Piece>,
    samplers: Vec<Piece>,
}

impl<'a> Splice<'a> {
    fn new(document: &'a GltfDocument, stage: &Stage) -> Result<Self, ExportError> {
        let text = without_spaces(&document.text);
        let mut top: Object = serde_json::from_slice(&text).map_err(|e| unsupported(&e))?;
        let accessors = member(&top, "accessors")?;
        let views = member(&top, "bufferViews")?;
        let animations = member(&top, "animations")?;
        for taken in ["accessors", "bufferViews", "animations"] {
            top.remove(taken);
        }
        let weights: BTreeSet<usize> = stage.weights.iter().map(|node| node.node).collect();
        let nodes: Vec<NodeHead> = member(&top, "nodes")?;
        let ours = nodes.iter().enumerate().filter(|(node, head)| weights.contains(node) && head.weights.is_none());
        let meshes = ours.filter_map(|(_, head)| head.mesh).collect();
        let joints = document.nodes.iter().copied().collect();
        Ok(Self { document, top, accessors, views, animations, joints, weights, meshes })
    }

    fn finish(
        mut self,
        written: Vec<(usize, Animation)>,
        new: &gltf_json::Root,
        new_bytes: Vec<u8>,
    ) -> Result<Vec<u8>, ExportError> {
        let mut kept = BTreeMap::new();
        for (place, _) in &written {
            if let Some(animation) = self.animations.get(*place) {
                kept.insert(*place, self.kept(animation)?);
            }
        }
        self.free_matrices(&written)?;
        let (mut accessors, mut views, mut buffer) = self.without_animations(&kept)?;

        let (start, stand_in) = (buffer.append(&new_bytes), self.stand_ins() + 1);
        let mut new_views = Vec::with_capacity(new.buffer_views.len());
        for view in &new.buffer_views {
            new_views.push(views.put(piece(&moved(view, start, stand_in))?));
        }
        let mut places = Vec::with_capacity(new.accessors.len());
        for accessor in &new.accessors {
            let view = accessor.buffer_view.map(|view| Index::new(new_views[view.value()] as u32));
            places.push(accessors.put(piece(&gltf_json::Accessor { buffer_view: view, ..accessor.clone() })?));
        }
        let mut animations = Vec::with_capacity(written.len());
        for (place, animation) in written {
            let old = self.animations.get(place).cloned();
            animations.push(joined(old, kept.remove(&place).unwrap_or_default(), animation, &places)?);
        }
        self.embed_images(&mut views, &mut buffer)?;
        set(&mut self.top, "animations", &animations)?;
        let byte = piece(&json!({ "buffer": 0, "byteLength": 1 }))?;
        let plain = new.buffer_views.iter().position(|view| view.extensions.is_none());
        let plain = plain.map_or_else(|| views.put(byte.clone()), |view| new_views[view]);
        set(&mut self.top, "accessors", &accessors.filled(&piece(&filler(plain))?))?;
        set(&mut self.top, "bufferViews", &views.filled(&byte))?;
        for (key, names) in [("extensionsUsed", &new.extensions_used), ("extensionsRequired", &new.extensions_required)]
        {
            let mut all: Vec<String> = member(&self.top, key)?;
            all.extend(names.iter().filter(|name| !all.contains(name)).cloned().collect::<Vec<_>>());
            if !all.is_empty() {
                set(&mut self.top, key, &all)?;
            }
        }
        let buffers = self.buffers(buffer.len(), new.buffers.get(1))?;
        set(&mut self.top, "buffers", &buffers)?;
        let json = serde_json::to_vec(&self.top).map_err(|e| unsupported(&e))?;
        glb(json, buffer.into_bytes())
    }

    /// Animations that belong to no clip but move something else. They stay, without new channels.
    fn others(&self) -> Result<Vec<(usize, Animation)>, ExportError> {
        let is_clip = |place: usize| self.document.clips.iter().any(|clip| clip.animation == place);
        let mut others = Vec::new();
        for (place, animation) in self.animations.iter().enumerate().filter(|(place, _)| !is_clip(*place)) {
            if !self.kept(animation)?.channels.is_empty() {
                let nothing =
                    Animation { channels: vec![], samplers: vec![], name: None, extensions: None, extras: None };
                others.push((place, nothing));
            }
        }
        Ok(others)
    }

    /// The channels that a rewritten animation keeps.
    fn kept(&self, animation: &Object) -> Result<OtherChannels, ExportError> {
        let samplers: Vec<Piece> = member(animation, "samplers")?;
        let mut kept = OtherChannels::default();
        for channel in member::<Vec<Piece>>(animation, "channels")? {
            let head: ChannelHead = read(&channel)?;
            if self.is_ours(&head.target) {
                continue;
            }
            let mut object: Object = read(&channel)?;
            set(&mut object, "sampler", &kept.samplers.len())?;
            kept.samplers.extend(samplers.get(head.sampler).cloned());
            kept.channels.push(piece(&object)?);
        }
        Ok(kept)
    }

    /// True if clips of the rig write this target: a joint, or the morph weights of a node that was read.
    fn is_ours(&self, target: &serde_json::Value) -> bool {
        let own = || Some((target.get("node")?.as_u64()? as usize, target.get("path")?.as_str()?));
        let (node, path) = match pointed(target) {
            Some(Pointed::Weights(weights)) if weights.of_mesh => return self.meshes.contains(&weights.index),
            Some(Pointed::Weights(weights)) => (weights.index, "weights"),
            Some(Pointed::Node(node, path)) => (node, path),
            None => match own() {
                Some(own) => own,
                None => return false,
            },
        };
        match path {
            "translation" | "rotation" | "scale" => self.joints.contains(&node),
            "weights" => self.weights.contains(&node),
            _ => false,
        }
    }

    /// Accessors, views and bytes, where those that only the old animations use are free or removed.
    fn without_animations(&self, kept: &BTreeMap<usize, OtherChannels>) -> Result<(Slots, Slots, Buffer), ExportError> {
        let mut used = Used::by_document(&self.top)?;
        kept.values().flat_map(|kept| &kept.samplers).try_for_each(|sampler| used.add_sampler(sampler))?;
        let mut old = Used::default();
        for animation in &self.animations {
            member::<Vec<Piece>>(animation, "samplers")?.iter().try_for_each(|sampler| old.add_sampler(sampler))?;
        }
        let accessors = Slots::new(self.accessors.clone(), old.accessors.difference(&used.accessors));
        for (index, accessor) in self.accessors.iter().enumerate() {
            let list = if accessors.is_free(index) { &mut old } else { &mut used };
            list.add_views_of(accessor)?;
        }
        let mut views = Slots::new(self.views.clone(), old.views.difference(&used.views));
        let buffer = Buffer::without(&self.document.buffers, &mut views)?;
        Ok((accessors, views, buffer))
    }

    /// glTF cannot animate a node with a matrix. Such a node gets the transform that was read from its matrix.
    fn free_matrices(&mut self, written: &[(usize, Animation)]) -> Result<(), ExportError> {
        let mut nodes: Vec<Piece> = member(&self.top, "nodes")?;
        let animated = written.iter().flat_map(|(_, animation)| &animation.channels);
        let animated: BTreeSet<usize> = animated.map(|channel| channel.target.node.value()).collect();
        for (joint, &node) in self.document.nodes.iter().enumerate() {
            let Some(text) = nodes.get_mut(node).filter(|_| animated.contains(&node)) else { continue };
            let mut object: Object = read(text)?;
            if object.remove("matrix").is_none() {
                continue;
            }
            let skeleton = &self.document.skeleton;
            let own = self.document.space.from_inside(skeleton.bind(joint), skeleton.parent(joint).is_none());
            set(&mut object, "translation", &own.translation.to_array())?;
            set(&mut object, "rotation", &own.rotation.to_array())?;
            set(&mut object, "scale", &own.scale.to_array())?;
            *text = piece(&object)?;
        }
        set(&mut self.top, "nodes", &nodes)
    }

    /// Moves images from files and data URIs into the buffer.
    fn embed_images(&mut self, views: &mut Slots, buffer: &mut Buffer) -> Result<(), ExportError> {
        let mut images: Vec<Object> = member(&self.top, "images")?;
        for (index, image) in &self.document.images {
            let Some(object) = images.get_mut(*index) else { continue };
            let view =
                json!({ "buffer": 0, "byteLength": image.bytes.len(), "byteOffset": buffer.append(&image.bytes) });
            object.remove("uri");
            set(object, "bufferView", &views.put(piece(&view)?))?;
            set(object, "mimeType", &image.mime_type)?;
        }
        set(&mut self.top, "images", &images)
    }

    /// Number of buffers without bytes.
    fn stand_ins(&self) -> usize {
        self.document.buffers.iter().filter(|buffer| buffer.is_empty()).count()
    }

    /// The binary chunk as the first buffer, then the buffers without bytes, the new one last.
    fn buffers(&self, length: usize, new: Option<&gltf_json::Buffer>) -> Result<Vec<Object>, ExportError> {
        let old: Vec<Object> = member(&self.top, "buffers")?;
        let is_empty = |index: usize| self.document.buffers.get(index).is_some_and(Vec::is_empty);
        let (stand_ins, full): (Vec<_>, Vec<_>) = old.into_iter().enumerate().partition(|(index, _)| is_empty(*index));
        let mut one = full.into_iter().next().map(|(_, buffer)| buffer).unwrap_or_default();
        one.remove("uri");
        set(&mut one, "byteLength", &length)?;
        let new = new.map(|new| read(&piece(new)?)).transpose()?;
        Ok(std::iter::once(one).chain(stand_ins.into_iter().map(|(_, buffer)| buffer)).chain(new).collect())
    }
}

/// Accessor for a free index: one number of a view that is not packed.
fn filler(view: usize) -> serde_json::Value {
    json!({ "bufferView": view, "componentType": 5121, "count": 1, "type": "SCALAR" })
}

/// The old animation with the channels that it keeps and the new channels.
fn joined(old: Option<Object>, kept: OtherChannels, new: Animation, places: &[usize]) -> Result<Object, ExportError> {
    let place = |accessor: Index<gltf_json::Accessor>| Index::new(places[accessor.value()] as u32);
    let OtherChannels { mut channels, mut samplers } = kept;
    let before = samplers.len() as u32;
    for sampler in new.samplers {
        let moved =
            gltf_json::animation::Sampler { input: place(sampler.input), output: place(sampler.output), ..sampler };
        samplers.push(piece(&moved)?);
    }
    for mut channel in new.channels {
        channel.sampler = Index::new(before + channel.sampler.value() as u32);
        channels.push(piece(&channel)?);
    }
    let mut animation = match old {
        Some(old) => old,
        None => Object::from([("name".to_owned(), piece(&new.name)?)]),
    };
    let mut extras = animation.remove("extras");
    add_extras(&mut extras, new.extras);
    extras.map(|extras| animation.insert("extras".into(), extras));
    set(&mut animation, "samplers", &samplers)?;
    set(&mut animation, "channels", &channels)?;
    Ok(animation)
}
