use super::clip::{ClipRow, PlayedClip};
use super::decoder::module;
use super::mesh::{MeshRow, PackedMesh};
use super::pack::{text_len, text_of};
use posepress_core::metrics::Verdict;
use posepress_core::model::Rig;
use posepress_core::report::ClipReport;
use posepress_core::text;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// A report and its clip.
pub type PlayedReport<'a> = (&'a ClipReport, &'a PlayedClip);

/// The data of the player, as markup.
pub struct Player {
    /// The data.
    pub markup: String,
    /// The words about what does not fit, as text; empty if all is there.
    pub left_out: String,
    /// True if the page decodes with the module.
    pub decodes: bool,
}

/// Everything but the packed data.
#[derive(Serialize)]
struct Scene<'a> {
    version: &'static str,
    rigs: Vec<RigRow<'a>>,
    clips: Vec<SceneClip<'a>>,
    left_out: String,
}

#[derive(Serialize)]
struct RigRow<'a> {
    joints: Vec<&'a str>,
    /// Index of the parent, or -1.
    parents: Vec<i64>,
    /// Ends of bones that are not joints: joint and offset.
    tips: Vec<(usize, [f32; 3])>,
    mesh: Option<MeshRow>,
}

#[derive(Serialize)]
struct SceneClip<'a> {
    name: &'a str,
    /// Name of the source file, without its folder.
    file: String,
    codec: &'a str,
    verdict: Verdict,
    words: String,
    size: String,
    max: String,
    slide: String,
    /// The joint and time of the largest error.
    worst: Option<(&'a str, f32)>,
    rig: usize,
    /// True if the page has its poses.
    there: bool,
    #[serde(flatten)]
    row: &'a ClipRow,
}

impl Player {
    /// Packs clips into at most `room_bytes`. Without enough room, meshes are left out first, then the clips with the best verdicts. `None`
    /// without clips.
    pub fn new(clips: &[PlayedReport<'_>], room_bytes: usize) -> Option<Self> {
        let rigs = rigs_of(clips);
        let mut meshes: Vec<Option<PackedMesh>> = rigs.iter().map(|rig| PackedMesh::of(rig)).collect();
        let clips_len: usize = clips.iter().map(|(_, clip)| clip_len(clip)).sum();
        let module = module().filter(|_| clips.iter().any(|(_, clip)| clip.container.is_some()));
        let meshes_len: usize = meshes.iter().flatten().map(|mesh| block_len(&mesh.packed)).sum();
        let fixed = scene(clips, &rigs, &meshes, &vec![true; clips.len()], "").len() + module.map_or(0, block_len);
        let room = room_bytes.saturating_sub(fixed);
        let mut said = Vec::new();
        if clips_len + meshes_len > room && meshes_len > 0 {
            meshes.iter_mut().for_each(|mesh| *mesh = None);
            said.push("meshes".to_owned());
        }
        let there = fitting(clips, room);
        let missing = there.iter().filter(|there| !**there).count();
        if missing > 0 {
            said.push(format!("the motion of {missing} of {}", text::count(clips.len(), "clip")));
        }
        let left_out = if said.is_empty() {
            String::new()
        } else {
            format!("Left out, because the page would be too large: {}. --html-max-mb sets the limit.", said.join(", "))
        };
        let mut markup = scene(clips, &rigs, &meshes, &there, &left_out);
        let mut block = |id: &str, at: usize, bytes: &[u8]| {
            let text = text_of(bytes);
            let _ = writeln!(markup, "<script type=\"text/plain\" id=\"{id}-{at}\">{text}</script>");
        };
        let meshes = meshes.iter().enumerate();
        meshes
            .filter_map(|(at, mesh)| Some((at, mesh.as_ref()?)))
            .for_each(|(at, mesh)| block("mesh", at, &mesh.packed));
        let clips_there = clips.iter().enumerate().filter(|(at, _)| there[*at]);
        for (at, (_, clip)) in clips_there {
            block("clip", at, &clip.packed);
            clip.container.iter().for_each(|container| block("container", at, container));
        }
        module.iter().for_each(|module| block("decoder", 0, module));
        (!clips.is_empty()).then_some(Self { markup, left_out, decodes: module.is_some() })
    }
}

/// Length of the markup of packed data.
fn block_len(packed: &[u8]) -> usize {
    text_len(packed.len()) + 60
}

/// Length of the markup of a clip.
fn clip_len(clip: &PlayedClip) -> usize {
    block_len(&clip.packed) + clip.container.as_deref().map_or(0, block_len)
}

/// True for each clip that fits in the room, worst first.
fn fitting(clips: &[PlayedReport<'_>], mut room: usize) -> Vec<bool> {
    let times = |at: usize| clips[at].0.error.max_mm / clips[at].0.error.tolerance_mm;
    let mut order: Vec<usize> = (0..clips.len()).collect();
    order.sort_by(|&a, &b| {
        clips[b].0.verdict.cmp(&clips[a].0.verdict).then(times(b).total_cmp(&times(a))).then(a.cmp(&b))
    });
    let mut there = vec![false; clips.len()];
    for at in order {
        let needed = clip_len(clips[at].1);
        there[at] = needed <= room;
        room -= if there[at] { needed } else { 0 };
    }
    there
}

fn rigs_of(clips: &[PlayedReport<'_>]) -> Vec<Arc<Rig>> {
    let mut rigs: Vec<Arc<Rig>> = Vec::new();
    for (_, clip) in clips {
        if !rigs.iter().any(|rig| Arc::ptr_eq(rig, &clip.rig)) {
            rigs.push(clip.rig.clone());
        }
    }
    rigs
}

/// The description of the scene as markup.
fn scene(
    clips: &[PlayedReport<'_>],
    rigs: &[Arc<Rig>],
    meshes: &[Option<PackedMesh>],
    there: &[bool],
    left_out: &str,
) -> String {
    let place = |clip: &PlayedClip| rigs.iter().position(|rig| Arc::ptr_eq(rig, &clip.rig)).unwrap_or_default();
    let clips = clips.iter().zip(there);
    let scene = Scene {
        version: env!("CARGO_PKG_VERSION"),
        rigs: rigs.iter().zip(meshes).map(|(rig, mesh)| RigRow::new(rig, mesh.as_ref())).collect(),
        clips: clips.map(|((report, clip), there)| SceneClip::new(report, clip, place(clip), *there)).collect(),
        left_out: left_out.to_owned(),
    };
    // Every key is a string, so nothing can fail.
    let json = serde_json::to_string(&scene).unwrap_or_default().replace('<', "\\u003c");
    format!("<script type=\"application/json\" id=\"scene\">{json}</script>\n")
}

impl<'a> RigRow<'a> {
    fn new(rig: &'a Rig, mesh: Option<&PackedMesh>) -> Self {
        let joints = rig.skeleton.joints();
        Self {
            joints: joints.iter().map(|joint| joint.name.as_str()).collect(),
            parents: joints.iter().map(|joint| joint.parent.map_or(-1, |parent| parent as i64)).collect(),
            tips: rig.tips.iter().map(|tip| (tip.joint, [tip.offset.x, tip.offset.y, tip.offset.z])).collect(),
            mesh: mesh.map(|mesh| mesh.row.clone()),
        }
    }
}

impl<'a> SceneClip<'a> {
    fn new(report: &'a ClipReport, clip: &'a PlayedClip, rig: usize, there: bool) -> Self {
        let length = |mm: f64| text::length((mm / 1000.0) as f32);
        let file = Path::new(&report.source).file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self {
            name: &report.clip,
            file,
            codec: &report.codec,
            verdict: report.verdict,
            words: report.verdict_words(),
            size: text::bytes(report.bytes as u64),
            max: length(report.error.max_mm),
            slide: report.slide.worst_slide_mm.map_or(String::new(), length),
            worst: report.worst_moment.as_ref().map(|worst| (worst.joint.as_str(), worst.time_secs)),
            rig,
            there,
            row: &clip.row,
        }
    }
}
