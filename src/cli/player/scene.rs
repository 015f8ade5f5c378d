use super::clip::{ClipRow, PlayedClip};
use super::decoder::module;
use super::mesh::{MeshRow, PackedMesh};
use super::morph::TargetRow;
use super::pack::{text_len, text_of};
use super::texture::TextureRow;
use posepress_core::metrics::Verdict;
use posepress_core::model::Rig;
use posepress_core::report::ClipReport;
use posepress_core::text;
use serde::Serialize;
use std::cmp::Ordering;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// A report and its clip.
pub type PlayedReport<'a> = (&'a ClipReport, &'a PlayedClip);

/// Most bytes of the words about what is left out.
const LEFT_OUT_BYTES: usize = 400;

/// The data of the player, as markup.
#[derive(Default)]
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
}

#[derive(Serialize)]
struct RigRow<'a> {
    joints: Vec<&'a str>,
    /// Index of the parent, or -1.
    parents: Vec<i64>,
    /// Ends of bones that are not joints: joint and offset.
    tips: Vec<(usize, [f32; 3])>,
    mesh: Option<MeshRow>,
    targets: &'a [TargetRow],
    textures: Option<&'a TextureRow>,
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

/// Leaves out a part of a rig's mesh. `None` if there is none.
type LeaveOut = fn(&Rig, &mut Option<PackedMesh>) -> Option<()>;

/// Parts of meshes with their names, in the order in which they are left out.
const PARTS: [(&str, LeaveOut); 3] = [
    ("textures", |rig, mesh| mesh.as_mut()?.leave_out_textures(rig)),
    ("morph targets", |_, mesh| mesh.as_mut()?.morph.take().map(drop)),
    ("meshes", |_, mesh| mesh.take().map(drop)),
];

/// Clips and their rigs, as far as the page has them.
pub struct PackedScene<'a> {
    clips: &'a [PlayedReport<'a>],
    rigs: Vec<(Arc<Rig>, Option<PackedMesh>)>,
    /// True for each clip with motion.
    there: Vec<bool>,
}

impl<'a> PackedScene<'a> {
    /// Packs everything. `None` without clips.
    pub fn of(clips: &'a [PlayedReport<'a>]) -> Option<Self> {
        let with_mesh = |rig: Arc<Rig>| {
            let mesh = PackedMesh::of(&rig);
            (rig, mesh)
        };
        let rigs = rigs_of(clips).into_iter().map(with_mesh).collect();
        (!clips.is_empty()).then(|| Self { clips, rigs, there: vec![true; clips.len()] })
    }

    /// The player in at most `room_bytes`. Without enough room, parts of meshes are left out first, then the motion of the clips with the
    /// best verdicts; the words about it come after `left_out`.
    pub fn into_player(mut self, room_bytes: usize, left_out: Vec<String>) -> Player {
        let left_out = [left_out, self.fit(room_bytes)].concat();
        let left_out = match left_out.is_empty() {
            true => String::new(),
            false => {
                let parts = left_out.join(", ");
                format!("Left out, because the page would be too large: {parts}. --html-max-mb sets the limit.")
            }
        };
        Player { markup: self.markup(), left_out, decodes: self.module().is_some() }
    }

    /// Most bytes of the player without meshes and motion.
    pub fn least_len(&self) -> usize {
        self.scene().len() + LEFT_OUT_BYTES
    }

    /// Bytes of the player.
    pub fn len(&self) -> usize {
        self.scene().len() + self.blocks().map(|(_, bytes)| block_len(bytes)).sum::<usize>()
    }

    /// Leaves out what does not fit, and returns words about it.
    fn fit(&mut self, room_bytes: usize) -> Vec<String> {
        let mut said = Vec::new();
        if self.len() <= room_bytes {
            return said;
        }
        let room_bytes = room_bytes.saturating_sub(LEFT_OUT_BYTES);
        for (part, leave_out) in PARTS {
            if self.len() > room_bytes {
                let left_out = self.rigs.iter_mut().filter_map(|(rig, mesh)| leave_out(rig, mesh));
                if left_out.count() > 0 {
                    said.push(part.to_owned());
                }
            }
        }
        if self.len() > room_bytes {
            self.keep_worst(room_bytes);
            let missing = self.there.iter().filter(|there| !**there).count();
            said.push(format!("the motion of {missing} of {}", text::count(self.clips.len(), "clip")));
        }
        said
    }

    /// Keeps the motion of the clips that fit, worst first.
    fn keep_worst(&mut self, room_bytes: usize) {
        self.there.fill(false);
        let mut order: Vec<usize> = (0..self.clips.len()).collect();
        order.sort_by(|&a, &b| worst_first(self.clips[a].0, self.clips[b].0).then(a.cmp(&b)));
        let mut bytes = self.len();
        for at in order {
            let had_module = self.module().is_some();
            self.there[at] = true;
            let module = self.module().filter(|_| !had_module);
            let more = clip_len(self.clips[at].1) + module.map_or(0, block_len);
            self.there[at] = bytes + more <= room_bytes;
            bytes += if self.there[at] { more } else { 0 };
        }
    }

    /// The decoder, if a clip needs it.
    fn module(&self) -> Option<&'static [u8]> {
        let needs = |((_, clip), there): (&PlayedReport<'_>, &bool)| *there && clip.container.is_some();
        module().filter(|_| self.clips.iter().zip(&self.there).any(needs))
    }

    /// The packed data with the ids of their blocks.
    fn blocks(&self) -> impl Iterator<Item = (String, &[u8])> {
        let meshes = self.rigs.iter().enumerate().filter_map(|(at, (_, mesh))| Some((at, mesh.as_ref()?)));
        let meshes = meshes.flat_map(|(at, mesh)| {
            let morph = mesh.morph.as_ref().map(|morph| (format!("morph-{at}"), morph.packed.as_slice()));
            let textures = mesh.textures.as_ref().map(|of| (format!("texture-{at}"), of.packed.as_slice()));
            [(format!("mesh-{at}"), mesh.packed.as_slice())].into_iter().chain(morph).chain(textures)
        });
        let clips = self.clips.iter().enumerate().filter(|(at, _)| self.there[*at]).flat_map(|(at, (_, clip))| {
            let container = clip.container.as_deref().map(|container| (format!("container-{at}"), container));
            [(format!("clip-{at}"), clip.packed.as_slice())].into_iter().chain(container)
        });
        let module = self.module().map(|module| ("decoder-0".to_owned(), module));
        meshes.chain(clips).chain(module)
    }

    fn markup(&self) -> String {
        self.blocks().fold(self.scene(), |mut markup, (id, bytes)| {
            let _ = writeln!(markup, "<script type=\"text/plain\" id=\"{id}\">{}</script>", text_of(bytes));
            markup
        })
    }

    /// The description of the scene as markup.
    fn scene(&self) -> String {
        let rig_of = |clip: &PlayedClip| self.rigs.iter().position(|(rig, _)| Arc::ptr_eq(rig, &clip.rig));
        let clips = self.clips.iter().zip(&self.there);
        let clip_row = |((report, clip), there): (&PlayedReport<'a>, &bool)| {
            SceneClip::new(report, clip, rig_of(clip).unwrap_or_default(), *there)
        };
        let scene = Scene {
            version: env!("CARGO_PKG_VERSION"),
            rigs: self.rigs.iter().map(|(rig, mesh)| RigRow::new(rig, mesh.as_ref())).collect(),
            clips: clips.map(clip_row).collect(),
        };
        // Every key is a string, so nothing can fail.
        let json = serde_json::to_string(&scene).unwrap_or_default().replace('<', "\\u003c");
        format!("<script type=\"application/json\" id=\"scene\">{json}</script>\n")
    }
}

/// Orders reports by verdict, then by error divided by tolerance; the worst comes first.
pub fn worst_first(a: &ClipReport, b: &ClipReport) -> Ordering {
    let times = |report: &ClipReport| report.error.max_mm / report.error.tolerance_mm;
    b.verdict.cmp(&a.verdict).then(times(b).total_cmp(&times(a)))
}

/// Length of the markup of packed data.
fn block_len(packed: &[u8]) -> usize {
    text_len(packed.len()) + 60
}

/// Length of the markup of a clip.
fn clip_len(clip: &PlayedClip) -> usize {
    block_len(&clip.packed) + clip.container.as_deref().map_or(0, block_len)
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

impl<'a> RigRow<'a> {
    fn new(rig: &'a Rig, mesh: Option<&'a PackedMesh>) -> Self {
        let joints = rig.skeleton.joints();
        Self {
            joints: joints.iter().map(|joint| joint.name.as_str()).collect(),
            parents: joints.iter().map(|joint| joint.parent.map_or(-1, |parent| parent as i64)).collect(),
            tips: rig.tips.iter().map(|tip| (tip.joint, [tip.offset.x, tip.offset.y, tip.offset.z])).collect(),
            mesh: mesh.map(|mesh| mesh.row.clone()),
            textures: mesh.and_then(|mesh| Some(&mesh.textures.as_ref()?.row)),
            targets: mesh.and_then(|mesh| mesh.morph.as_ref()).map_or(&[], |morph| &morph.rows),
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
