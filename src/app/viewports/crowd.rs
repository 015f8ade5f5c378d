//! A crowd of the selected clip: each character has its own player and starts at another moment of the clip.

use super::scene::{Figures, model};
use crate::render::{CrowdGrid, CrowdMember, FigurePose};
use crate::state::State;
use egui::{Id, mutex::Mutex};
use glam::{Affine3A, Vec3};
use posepress_core::clock::Instant;
use posepress_core::codecs::touched_bytes;
use posepress_core::metrics::shell_errors;
use posepress_core::model::{Clip, ClipId, ClipSampler, Pose, Rig, Sampler};
use posepress_core::pipeline::Outcome;
use posepress_core::report::Sides;
use posepress_core::view::Layer;
use posepress_core::workspace::Reference;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Start of each character after the one before it, as a share of the clip. The golden section spreads any number evenly.
const APART: f64 = 0.618_033_988_749_895;
/// Number of frames in the median of decode times.
const FRAMES: usize = 30;
/// Number of moments at which the bytes of a pose are counted.
const PLACES: usize = 3;

/// The players of a crowd, kept between frames like those of a game.
#[derive(Default)]
pub struct Crowd {
    of: Option<Arc<Outcome>>,
    players: Vec<Box<dyn Sampler + Send>>,
    /// Bytes that a pose reads. They are counted on another thread.
    touched_bytes: Arc<OnceLock<f64>>,
    decoding: VecDeque<Duration>,
    last: Option<(Moment, Arc<[CrowdMember]>)>,
}

/// The cost of a crowd.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CrowdCost {
    /// Number of characters.
    pub characters: usize,
    /// Median time to decode all poses of a frame with one thread. `None` before the first frame, and for a result of another tool.
    pub decoding: Option<Duration>,
    /// Bytes that the poses of a frame read, in cache lines.
    pub touched_bytes: Option<f64>,
}

/// Everything that decides the poses of a crowd beside its players.
#[derive(Clone, PartialEq)]
struct Moment {
    clip: Option<ClipId>,
    reference: Reference,
    time_secs: f32,
    characters: u32,
    original_on_both: bool,
    by_joint: bool,
}

impl Crowd {
    /// The crowd of a window.
    pub fn of_window(ctx: &egui::Context) -> Arc<Mutex<Self>> {
        ctx.data_mut(|data| data.get_temp_mut_or_default::<Arc<Mutex<Self>>>(Id::unique("crowd")).clone())
    }

    /// The characters beside the first one at the playhead. `wake` is drawn again when the bytes are counted.
    pub fn members(&mut self, state: State<'_>, figures: &Figures, wake: Option<&egui::Context>) -> Arc<[CrowdMember]> {
        let moment = Moment {
            clip: state.workspace.selected(),
            reference: state.workspace.reference(),
            time_secs: figures.time_secs,
            characters: state.view.crowd,
            original_on_both: state.view.original_on_both(),
            by_joint: state.view.settings.layers.is_on(Layer::HeatByJoint),
        };
        let shown = state.shown().filter(|_| !state.view.held.original);
        let is_same = self.of.as_ref().map(Arc::as_ptr) == shown.map(|shown| Arc::as_ptr(&shown.outcome));
        if let Some((_, members)) = self.last.as_ref().filter(|(last, _)| is_same && *last == moment) {
            return members.clone();
        }
        if moment.characters < 2 {
            *self = Self::default();
            return Arc::default();
        }
        if !is_same && let (Some(shown), Some(ctx)) = (shown, wake) {
            self.touched_bytes = counted(&shown.source.rig, &shown.outcome, ctx);
        }
        let members = self.draw(state, shown, &moment);
        self.last = Some((moment, members.clone()));
        members
    }

    /// Its cost; `None` without a crowd.
    pub fn cost(&self) -> Option<CrowdCost> {
        let characters = self.players.len();
        let mut sorted: Vec<Duration> = self.decoding.iter().copied().collect();
        sorted.sort();
        (characters > 1).then(|| CrowdCost {
            characters,
            decoding: sorted.get(sorted.len() / 2).copied(),
            touched_bytes: self.touched_bytes.get().map(|each| each * characters as f64),
        })
    }

    fn draw(&mut self, state: State<'_>, shown: Option<&Sides>, moment: &Moment) -> Arc<[CrowdMember]> {
        let Some((rig, clip)) = state.selected() else { return Arc::default() };
        let places_m = CrowdGrid::new(rig, moment.characters).places_m;
        self.keep_players(shown, places_m.len());
        let times_secs = times_secs(clip, moment.time_secs, places_m.len());
        let decoded = self.decode(clip, &times_secs);
        let mut original: Box<dyn Sampler + Send> =
            shown.map_or_else(|| Box::new(ClipSampler::new(clip.clone())) as _, Sides::source_sampler);
        let travel = state.workspace.travel();
        let way_m = |secs: f32| travel.map_or(Vec3::ZERO, |travel| travel.at(secs) * Vec3::new(1.0, 0.0, 1.0));
        let mut pose = Pose::with_size(rig.skeleton.len(), clip.float_tracks());
        let member = |index: usize| {
            let secs = times_secs[index];
            // All stay at their places of the grid while the first one travels.
            let place_m = places_m[index] + way_m(moment.time_secs) - way_m(secs);
            original.sample(clip.grid().sample_at(secs), &mut pose);
            let raw = model(rig, &pose);
            let lossy = decoded.get(index).filter(|_| !moment.original_on_both).map(|pose| model(rig, pose));
            let shells_m = shown.filter(|_| moment.by_joint).map(|shown| &shown.outcome.shells_m);
            let errors_m = lossy.as_ref().zip(shells_m).map(|(lossy, m)| shell_errors(&raw.joints, &lossy.joints, m));
            CrowdMember {
                raw: moved(&raw, place_m),
                lossy: lossy.map(|pose| moved(&pose, place_m)),
                errors_m: errors_m.unwrap_or_default().into(),
            }
        };
        (1..places_m.len()).map(member).collect()
    }

    /// The poses of all characters at these times. Measures the time that their players need.
    fn decode(&mut self, clip: &Clip, times_secs: &[f32]) -> Vec<Pose> {
        let mut poses = vec![Pose::with_size(clip.joints(), clip.float_tracks()); self.players.len()];
        let began = Instant::now();
        for ((player, pose), secs) in self.players.iter_mut().zip(&mut poses).zip(times_secs) {
            player.sample(clip.grid().sample_at(*secs), pose);
        }
        if self.of.as_ref().is_some_and(|outcome| outcome.encoding().is_some()) {
            self.note(began.elapsed());
        }
        poses
    }

    /// A player for each character. They start again with another result.
    fn keep_players(&mut self, shown: Option<&Sides>, count: usize) {
        let outcome = shown.map(|shown| &shown.outcome);
        if self.of.as_ref().map(Arc::as_ptr) != outcome.map(Arc::as_ptr) {
            let touched_bytes = std::mem::take(&mut self.touched_bytes);
            *self = Self { of: outcome.cloned(), touched_bytes, ..Self::default() };
        }
        if self.players.len() != count {
            self.decoding.clear();
            self.players.truncate(count);
        }
        if let Some(outcome) = outcome {
            self.players.resize_with(count, || outcome.sampler());
        }
    }

    fn note(&mut self, took: Duration) {
        self.decoding.push_back(took);
        if self.decoding.len() > FRAMES {
            self.decoding.pop_front();
        }
    }
}

/// The moments of a clip that the characters show.
fn times_secs(clip: &Clip, now_secs: f32, count: usize) -> Vec<f32> {
    let length_secs = clip.duration_secs();
    let after = |index: usize| now_secs + (index as f64 * APART).fract() as f32 * length_secs;
    (0..count).map(|index| if length_secs > 0.0 { after(index) % length_secs } else { 0.0 }).collect()
}

/// Counts the bytes of a result on another thread, unless the crowd gets another result before that.
fn counted(rig: &Arc<Rig>, outcome: &Arc<Outcome>, ctx: &egui::Context) -> Arc<OnceLock<f64>> {
    let counted = Arc::new(OnceLock::new());
    let (rig, outcome, wanted, ctx) = (rig.clone(), outcome.clone(), Arc::downgrade(&counted), ctx.clone());
    rayon::spawn(move || {
        let Some(counted) = wanted.upgrade() else { return };
        if let Some(bytes) = touched(&rig, &outcome) {
            let _ = counted.set(bytes); // this is the only writer
            ctx.request_repaint();
        }
    });
    counted
}

/// Bytes that a pose reads, in the mean.
fn touched(rig: &Rig, outcome: &Outcome) -> Option<f64> {
    let encoding = outcome.encoding()?;
    let last = (encoding.of.samples() - 1) as f64;
    let places: Vec<f64> = (1..=PLACES).map(|place| (place as f64 * APART).fract() * last).collect();
    let bind = rig.skeleton.bind_pose(0).joints;
    touched_bytes(encoding.codec, &encoding.encoded.bytes, &bind, &places).ok()?
}

fn moved(pose: &FigurePose, by_m: Vec3) -> FigurePose {
    let at = |joint: &Affine3A| Affine3A { translation: joint.translation + glam::Vec3A::from(by_m), ..*joint };
    FigurePose { joints: pose.joints.iter().map(at).collect(), floats: pose.floats.clone() }
}
