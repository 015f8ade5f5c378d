//! BVH, the text format of motion capture.
//!
//! Choices of this reader, since BVH has no specification that all programs follow:
//! - A position channel *replaces* that axis of the joint's offset, as in the programs that write positions for every
//!   joint; where only the root has them, its offset is zero or the same by convention.
//! - Rotations multiply in the order in which the channels are listed; each turns the axes that the earlier ones left.
//! - The bind pose is the hierarchy's offsets without rotation. End sites are tips, not joints.
//! - A file does not say its unit: metres are assumed, and a finding asks when that is unlikely.

mod parse;
mod tokens;

use super::key_clip::KeyClip;
use super::keys::{Interpolation, Keys};
use super::rate::{DEFAULT_RATE_HZ, nearest_common_hz};
use super::resample::{Rest, Sampled, resample_all};
use super::sampling;
use super::{Budget, Fault, Finding, ImportError, ImportOptions, Imported, Importer, checks, readable, stem};
use crate::math::Transform;
use crate::model::{Joint, Rig, Skeleton, Tip};
use glam::{DQuat, Quat, Vec3};
use parse::{Axis, Document, Move, Node};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

/// Where the frames begin.
const MOTION: &[u8] = b"MOTION";

/// Reads `.bvh`.
#[derive(Debug)]
pub(super) struct Bvh;

impl Importer for Bvh {
    fn name(&self) -> &'static str {
        "BVH"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["bvh"]
    }

    fn import(&self, path: &Path, bytes: Cow<'_, [u8]>, options: &ImportOptions) -> Result<Imported, ImportError> {
        import(path, bytes, options).map_err(|fault| fault.advise("Export the take again").in_file(path))
    }
}

fn import(path: &Path, bytes: Cow<'_, [u8]>, options: &ImportOptions) -> Result<Imported, Fault> {
    let mut findings = Vec::new();
    let budget = Budget::new(bytes.len());
    // Joint names of old files may be in any 8-bit encoding; everything that has a meaning is ASCII.
    let document = parse::parse(&String::from_utf8_lossy(&bytes), &mut findings)?;
    let motion_bytes = bytes.windows(MOTION.len()).rposition(|word| word == MOTION).map_or(0, |at| bytes.len() - at);
    drop(bytes);
    let metres = options.metres();
    let locals: Vec<Transform> =
        document.nodes.iter().map(|n| Transform::from_translation(n.offset.as_vec3() * metres)).collect();
    let mut rig = Rig::from_skeleton(stem(path), skeleton(&document, &locals, options)?);
    rig.tips = document.tips.iter().map(|t| Tip { joint: t.node, offset: t.offset.as_vec3() * metres }).collect();

    let shells_m = sampling::shells_m(&rig);
    let rest = Rest { rig: &rig, joints: &locals, floats: &[], up: options.up(), shells_m: &shells_m };
    let rate_hz = rate_hz(&document, &mut findings);
    let clip = take(document, stem(path), metres, rate_hz, motion_bytes as u64)?;
    // Every frame is a sample unless the user says otherwise, whatever odd rate the take has.
    let rate_hz = options.rate_hz.unwrap_or(clip.rate_hz as f32);
    let options = ImportOptions { rate_hz: Some(rate_hz), ..*options };
    let Sampled { clips, clip_bytes } = resample_all(&clip.clips, rest, &options, &budget, &mut findings)?;
    checks::check(&rig, &clips, &options, options.metres(), &mut findings);
    Ok(Imported { rig, clips, clip_bytes, findings, beside: Vec::new() })
}

fn skeleton(document: &Document, locals: &[Transform], options: &ImportOptions) -> Result<Skeleton, Fault> {
    let joint = |(node, &local): (&Node, &Transform)| Joint {
        name: node.name.clone(),
        parent: node.parent,
        bind: if node.parent.is_none() { options.up().raise(local) } else { local },
    };
    let joints = document.nodes.iter().zip(locals).map(joint).collect();
    Skeleton::new(joints).map_err(|e| Fault::new(e.to_string()))
}

/// The take's own rate, or the default where its frame time is zero.
fn rate_hz(document: &Document, findings: &mut Vec<Finding>) -> f64 {
    if document.frame_secs > 0.0 {
        return nearest_common_hz(1.0 / document.frame_secs);
    }
    if document.frames() > 1 {
        let meaning = format!("{DEFAULT_RATE_HZ} frames per second are assumed.");
        findings.push(Finding::warning("Frame Time", "the time of one frame is zero", meaning));
    }
    DEFAULT_RATE_HZ
}

/// The take as keys, none where it has no frames, at its own rate.
struct Take {
    clips: Vec<KeyClip>,
    rate_hz: f64,
}

fn take(document: Document, name: String, metres: f32, rate_hz: f64, file_bytes: u64) -> Result<Take, Fault> {
    let frames = document.frames();
    if frames == 0 {
        return Ok(Take { clips: Vec::new(), rate_hz });
    }
    let times: Arc<[f32]> = (0..frames).map(|f| (f as f64 / rate_hz) as f32).collect();
    let mut clip = KeyClip { name, file_bytes, ..KeyClip::default() };
    for (joint, node) in document.nodes.iter().enumerate() {
        let at = |fault: Fault| fault.at(format!("joint '{}'", node.name));
        let channels = || document.channels(node);
        if node.channels.iter().any(|c| c.kind == Move::Position) {
            let values: Vec<Vec3> = channels().map(|values| translation(node, values) * metres).collect();
            clip.translations.push((joint, Keys::new(times.clone(), &values, Interpolation::Linear).map_err(at)?));
        }
        if node.channels.iter().any(|c| c.kind == Move::Rotation) {
            let values: Vec<Quat> = channels().map(|values| rotation(node, values)).collect();
            clip.rotations.push((joint, Keys::new(times.clone(), &values, Interpolation::Linear).map_err(at)?));
        }
    }
    Ok(Take { clips: vec![clip], rate_hz })
}

fn translation(node: &Node, values: &[f64]) -> Vec3 {
    let mut out = node.offset;
    for (channel, &value) in node.channels.iter().zip(values).filter(|(c, _)| c.kind == Move::Position) {
        match channel.axis {
            Axis::X => out.x = value,
            Axis::Y => out.y = value,
            Axis::Z => out.z = value,
        }
    }
    out.as_vec3()
}

fn rotation(node: &Node, values: &[f64]) -> Quat {
    let mut out = DQuat::IDENTITY;
    for (channel, &value) in node.channels.iter().zip(values).filter(|(c, _)| c.kind == Move::Rotation) {
        let angle = value.to_radians();
        out *= match channel.axis {
            Axis::X => DQuat::from_rotation_x(angle),
            Axis::Y => DQuat::from_rotation_y(angle),
            Axis::Z => DQuat::from_rotation_z(angle),
        };
    }
    out.normalize().as_quat()
}
