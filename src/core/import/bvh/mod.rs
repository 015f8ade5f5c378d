//! BVH, the text format of motion capture.
//!
//! Choices of this reader, since BVH has no specification that all programs follow:
//! - A position channel *replaces* that axis of the joint's offset, as in programs that write positions for every joint. If only
//!   the root has positions, its offset is usually zero or the same position.
//! - Rotations multiply in channel order. Each rotates about an axis that the earlier ones have rotated.
//! - The bind pose has the offsets of the hierarchy, without rotation. End sites are tips, not joints.
//! - A scale channel scales that axis of the joint and its descendants.
//! - A file does not state its unit. Metres are assumed, and a finding asks for the unit if metres are unlikely.
//! - A row is a line, see [`rows`].

mod frame_time;
mod numbers;
mod parse;
mod rows;
mod text;
mod tokens;

use super::key_clip::KeyClip;
use super::keys::{Interpolation, Keys};
use super::rate::{COMMON_RATES_HZ, DEFAULT_RATE_HZ, Phase, nearest_common_hz};
use super::resample::{Sampled, resample_all};
use super::rest::Rest;
use super::sampling;
use super::{
    Ask, Budget, Fault, Finding, ImportError, ImportOptions, Imported, Importer, Reading, ReadingPart, checks,
    readable, stem,
};
use crate::math::Transform;
use crate::model::{Joint, Rig, Skeleton, Tip};
use crate::text::listed;
use glam::{DQuat, DVec3, Quat, Vec3};
use parse::{Axis, Document, Move, Node};
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use text::Encoding;

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

/// Memory for parsing a file, bytes: an upper bound. A number takes eight, and a list that grows holds up to three times its elements.
fn parsed_bytes(text: &[u8]) -> u64 {
    const NUMBER_BYTES: u64 = 3 * size_of::<f64>() as u64;
    // Numbers may lack a space before their sign, or have a separator instead.
    let begins = |pair: &&[u8]| pair[0] <= b' ' && pair[1] > b' ' || matches!(pair[1], b'-' | b'+' | b',' | b';');
    NUMBER_BYTES * text.windows(2).filter(begins).count() as u64
}

fn import(path: &Path, bytes: Cow<'_, [u8]>, options: &ImportOptions) -> Result<Imported, Fault> {
    let mut findings = Vec::new();
    let budget = Budget::new(bytes.len());
    budget.claim(Ask::Parsed, parsed_bytes(&bytes))?;
    let (document, motion_bytes) = read(bytes, &mut findings)?;
    let metres = options.metres();
    let locals: Vec<Transform> =
        document.nodes.iter().map(|n| Transform::from_translation(n.offset.as_vec3() * metres)).collect();
    let mut rig = Rig::from_skeleton(stem(path), skeleton(&document, &locals, options)?);
    rig.tips = document.tips.iter().map(|t| Tip { joint: t.node, offset: t.offset.as_vec3() * metres }).collect();

    let shells_m = sampling::shells_m(&rig);
    let rest = Rest { rig: &rig, joints: &locals, floats: &[], up: options.up(), shells_m: &shells_m };
    // Every frame is a sample, even at an odd rate, unless the user chooses another rate.
    let rate_hz = frame_time::rate_hz(&document, &rig.name, options, &mut findings)?;
    let takes = take(document, stem(path), metres, rate_hz, motion_bytes)?;
    let Sampled { clips, clip_bytes } = resample_all(&takes, rest, options, &budget, &mut findings)?;
    checks::check(&rig, &clips, options, options.metres(), &mut findings);
    Ok(Imported { rig, clips, clip_bytes, findings, beside: Vec::new() })
}

/// Parses a file. Returns the document, and the bytes of its motion.
fn read(bytes: Cow<'_, [u8]>, findings: &mut Vec<Finding>) -> Result<(Document, u64), Fault> {
    let (file, encoding) = text::decode(&bytes);
    let document = parse::parse(&file, findings)?;
    let part = document.motion_bytes as f64 / file.len() as f64;
    if document.numbers.has_commas {
        let meaning = "They were read as decimal points.";
        findings.push(Finding::note("file", "its numbers have decimal commas", meaning));
    }
    let external: Vec<&str> = document.nodes.iter().map(|n| n.name.as_str()).filter(|name| !name.is_ascii()).collect();
    if encoding == Encoding::Windows1252 && !external.is_empty() {
        let what = format!("its text is not UTF-8; joint names were read as Windows-1252: {}", listed(&external));
        let meaning = "If these letters are wrong, save the file as UTF-8. Joints match a rig by name.";
        findings.push(Finding::warning("file", what, meaning));
    }
    Ok((document, (part * bytes.len() as f64) as u64))
}

fn skeleton(document: &Document, locals: &[Transform], options: &ImportOptions) -> Result<Skeleton, Fault> {
    let joint = |(node, &local): (&Node, &Transform)| Joint {
        name: node.name.clone(),
        parent: node.parent,
        bind: if node.parent.is_none() { options.up().raise(local) } else { local },
    };
    let joints = document.nodes.iter().zip(locals).map(joint).collect();
    Ok(Skeleton::new(joints)?)
}

/// The take as keys at its own rate; empty if it has no frames.
fn take(document: Document, name: String, metres: f32, rate_hz: f64, file_bytes: u64) -> Result<Vec<KeyClip>, Fault> {
    let frames = document.frames();
    if frames == 0 {
        return Ok(Vec::new());
    }
    let times: Arc<[f32]> = (0..frames).map(|f| (f as f64 / rate_hz) as f32).collect();
    let declared = Some(Phase { rate_hz, start_secs: 0.0 });
    let mut clip = KeyClip { name, file_bytes, declared, ..KeyClip::default() };
    for (joint, node) in document.nodes.iter().enumerate() {
        let at = |fault: Fault| fault.at(format!("joint '{}'", node.name));
        let channels = || document.channels(node);
        let has = |kind: Move| node.channels.iter().any(|c| c.kind == kind);
        if has(Move::Position) {
            let values: Vec<Vec3> = channels().map(|values| translation(node, values) * metres).collect();
            clip.translations.push((joint, Keys::new(times.clone(), &values, Interpolation::Linear).map_err(at)?));
        }
        if has(Move::Rotation) {
            let values: Vec<Quat> = channels().map(|values| rotation(node, values)).collect();
            clip.rotations.push((joint, Keys::new(times.clone(), &values, Interpolation::Linear).map_err(at)?));
        }
        if has(Move::Scale) {
            let values: Vec<Vec3> = channels().map(|values| scale(node, values)).collect();
            clip.scales.push((joint, Keys::new(times.clone(), &values, Interpolation::Linear).map_err(at)?));
        }
    }
    Ok(vec![clip])
}

fn translation(node: &Node, values: &[f64]) -> Vec3 {
    axes(node, values, Move::Position, node.offset)
}

fn scale(node: &Node, values: &[f64]) -> Vec3 {
    axes(node, values, Move::Scale, DVec3::ONE)
}

/// Replaces the axes of `out` that have a channel of this kind.
fn axes(node: &Node, values: &[f64], kind: Move, mut out: DVec3) -> Vec3 {
    for (channel, &value) in node.channels.iter().zip(values).filter(|(c, _)| c.kind == kind) {
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
