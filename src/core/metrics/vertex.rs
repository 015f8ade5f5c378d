use super::farthest::brought_near;
use super::stats::{Histogram, Moments};
use super::track::{assert_same_shape, difference};
use super::{Farthest, ModelTrack, VertexReport, VertexWorst};
use crate::model::{Rig, Skeleton, SkinnedMesh};
use glam::{Affine3A, Mat3A, Vec3, Vec3A};
use rayon::prelude::*;
use std::borrow::Cow;

/// Fewest measured times per task, since each task has its own histogram.
const TIMES_A_TASK: usize = 16;
/// Most tasks per comparison, for the same reason.
const MAX_TASKS: usize = 64;
/// Last place of float32, metres, from which object space is composed in f64: beyond 64 m.
const NEAR_PLACE_M: f32 = 4e-6;

/// Error of every skinned vertex at one step, metres. Meshes follow each other in the order of the rig.
///
/// # Panics
/// Panics if the tracks differ in joints or steps, or if the step does not exist.
pub fn vertex_errors(rig: &Rig, raw: &ModelTrack, lossy: &ModelTrack, step: usize) -> Vec<f32> {
    assert_same_shape(raw, lossy);
    let comparison = SkinComparison::new(rig, raw, lossy);
    let mut errors = Vec::with_capacity(rig.vertex_count());
    let [raw, lossy] = comparison.moments(step);
    for mesh in &comparison.meshes {
        match mesh.prepare(&raw, &lossy, &mut Delta::default()) {
            Some(delta) => errors.extend((0..mesh.vertices()).map(|v| mesh.error(v, delta))),
            None => errors.extend(std::iter::repeat_n(0.0, mesh.vertices())),
        }
    }
    errors
}

/// Error of one vertex at one step, metres.
pub(super) fn vertex_error_m(
    mesh: &SkinnedMesh,
    vertex: usize,
    raw: &ModelTrack,
    lossy: &ModelTrack,
    step: usize,
) -> f32 {
    let (raw, lossy) = (Moment::of(raw, step), Moment::of(lossy, step));
    let parts = contributions(mesh, vertex, &raw, &lossy);
    let error_m = parts.map(|(_, part)| part).sum::<Vec3A>().length();
    if error_m.is_nan() { f32::INFINITY } else { error_m }
}

/// A pose in object space, with the float values at the same time.
#[derive(Debug, Clone)]
pub(super) struct Moment<'a> {
    model_from_joint: Cow<'a, [Affine3A]>,
    floats: Cow<'a, [f32]>,
}

impl<'a> Moment<'a> {
    pub(super) fn of(track: &'a ModelTrack, step: usize) -> Self {
        Self { model_from_joint: track.pose(step), floats: track.floats(step) }
    }

    /// The matrix of one joint.
    pub(super) fn joint(&self, joint: usize) -> &Affine3A {
        &self.model_from_joint[joint]
    }

    fn weight(&self, float_track: usize) -> f32 {
        self.floats.get(float_track).copied().unwrap_or(0.0)
    }
}

/// The contribution of each influence to a vertex's error: (joint, its part of raw - lossy). The parts add up to the vertex's error.
///
/// Matrices are subtracted first. So positions far from the origin cost no precision, and equal poses give exactly zero.
pub(super) fn contributions<'a>(
    mesh: &'a SkinnedMesh,
    vertex: usize,
    raw: &'a Moment<'_>,
    lossy: &'a Moment<'_>,
) -> impl Iterator<Item = (usize, Vec3A)> + 'a {
    let local = Vec3A::from(mesh.morphed(vertex, &raw.floats));
    let morph = local - Vec3A::from(mesh.morphed(vertex, &lossy.floats));
    let weighted = mesh.influences[vertex].into_iter().zip(mesh.weights[vertex]).filter(|&(_, w)| w > 0.0);
    weighted.map(move |(slot, weight)| {
        let skin = &mesh.palette[usize::from(slot)];
        let (a, b) = (raw.joint(skin.joint), lossy.joint(skin.joint));
        let moved = difference(a, b).transform_point3a(skin.joint_from_mesh.transform_point3a(local));
        let morphed = b.matrix3 * (skin.joint_from_mesh.matrix3 * morph);
        (skin.joint, (moved + morphed) * weight)
    })
}

/// A comparison of every vertex of a rig under two tracks.
pub(super) struct SkinComparison<'a> {
    skeleton: &'a Skeleton,
    meshes: Vec<PackedMesh<'a>>,
    /// True if the clip is so far from the origin that object space is composed in f64.
    is_far: bool,
    raw: &'a ModelTrack,
    lossy: &'a ModelTrack,
}

impl<'a> SkinComparison<'a> {
    /// Prepares a comparison. The tracks must have the same shape.
    pub(super) fn new(rig: &'a Rig, raw: &'a ModelTrack, lossy: &'a ModelTrack) -> Self {
        let is_far = Farthest::of(raw).last_place_m() > NEAR_PLACE_M;
        let meshes = rig.meshes.iter().map(PackedMesh::new).collect();
        Self { skeleton: &rig.skeleton, meshes, is_far, raw, lossy }
    }

    /// Both poses at a step. Far from the origin both are moved near it, where float32 holds their difference.
    fn moments(&self, step: usize) -> [Moment<'a>; 2] {
        let mut moments = [self.raw, self.lossy].map(|track| Moment::of(track, step));
        if self.is_far {
            let near = brought_near(self.skeleton, self.raw, self.lossy, step);
            moments.iter_mut().zip(near).for_each(|(moment, near)| moment.model_from_joint = near.into());
        }
        moments
    }

    /// Measures every `stride`-th step. The result does not depend on the number of threads: sums are kept per step and added in order, and
    /// histograms hold whole numbers.
    pub(super) fn report(&self, stride: usize) -> VertexReport {
        let steps: Vec<usize> = (0..self.raw.steps()).step_by(stride).collect();
        let task = TIMES_A_TASK.max(steps.len().div_ceil(MAX_TASKS));
        let parts: Vec<_> = steps.par_chunks(task).map(|steps| self.measure(steps)).collect();
        let (mut moments, mut histogram) = (Moments::default(), Histogram::new());
        let (mut worst, mut per_step) = (VertexPeak::default(), Vec::with_capacity(steps.len()));
        let mut per_step_joint = Vec::with_capacity(steps.len());
        for (times, part) in parts {
            histogram.merge(&part);
            for time in times {
                moments.merge(&time.moments);
                per_step.push(time.moments.max);
                per_step_joint.push(self.blame(&time.peak).joint);
                if time.peak.error_m > worst.error_m {
                    worst = time.peak;
                }
            }
        }
        let stats = moments.stats(histogram.p99(moments.max));
        VertexReport { stats, worst: self.blame(&worst), per_step, per_step_joint, stride }
    }

    fn measure(&self, steps: &[usize]) -> (Vec<TimeErrors>, Histogram) {
        let (mut histogram, mut scratch) = (Histogram::new(), Delta::default());
        let times = steps.iter().map(|&step| self.measure_step(step, &mut scratch, &mut histogram)).collect();
        (times, histogram)
    }

    fn measure_step(&self, step: usize, scratch: &mut Delta, histogram: &mut Histogram) -> TimeErrors {
        let mut out = TimeErrors::default();
        let [raw, lossy] = self.moments(step);
        for (index, mesh) in self.meshes.iter().enumerate() {
            let Some(delta) = mesh.prepare(&raw, &lossy, scratch) else {
                out.moments.add_zeros(mesh.vertices());
                histogram.add_zeros(mesh.vertices());
                continue;
            };
            for vertex in 0..mesh.vertices() {
                let error_m = mesh.error(vertex, delta);
                if error_m > out.peak.error_m {
                    out.peak = VertexPeak { mesh: index, vertex, step, error_m };
                }
                out.moments.add(error_m);
                histogram.add(error_m);
            }
        }
        out
    }

    fn blame(&self, peak: &VertexPeak) -> VertexWorst {
        let mut out = VertexWorst {
            mesh: peak.mesh,
            vertex: peak.vertex,
            joint: 0,
            time_secs: self.raw.time_secs(peak.step),
            error_m: peak.error_m,
        };
        let [raw, lossy] = self.moments(peak.step);
        let mut largest = 0.0;
        if let Some(mesh) = self.meshes.get(peak.mesh).map(|m| m.mesh).filter(|m| !m.positions.is_empty()) {
            for (joint, part) in contributions(mesh, peak.vertex, &raw, &lossy) {
                if part.length() > largest {
                    (largest, out.joint) = (part.length(), joint);
                }
            }
        }
        out
    }
}

#[derive(Clone, Copy, Default)]
struct VertexPeak {
    mesh: usize,
    vertex: usize,
    step: usize,
    error_m: f32,
}

#[derive(Default)]
struct TimeErrors {
    moments: Moments,
    peak: VertexPeak,
}

/// A mesh whose influences are one list without zero weights. Most vertices follow one or two joints.
struct PackedMesh<'a> {
    mesh: &'a SkinnedMesh,
    /// End of each vertex's influences in the list.
    ends: Vec<u32>,
    influences: Vec<(u16, f32)>,
}

/// The differences that move the vertices of one mesh at one time. The memory is reused.
#[derive(Default)]
struct Delta {
    /// `(M_raw - M_lossy) B`, one per palette entry.
    palette: Vec<Affine3A>,
    /// Linear part of `M_lossy B`, one per palette entry, for the difference of morph targets. Empty if their weights are equal.
    lossy: Vec<Mat3A>,
    /// (target, raw weight, raw - lossy weight) of the active targets.
    targets: Vec<(usize, f32, f32)>,
}

impl<'a> PackedMesh<'a> {
    fn new(mesh: &'a SkinnedMesh) -> Self {
        let mut influences = Vec::with_capacity(mesh.positions.len() * 2);
        let mut ends = Vec::with_capacity(mesh.positions.len());
        for (slots, weights) in mesh.influences.iter().zip(&mesh.weights) {
            influences.extend(slots.iter().copied().zip(weights.iter().copied()).filter(|&(_, w)| w > 0.0));
            ends.push(influences.len() as u32);
        }
        Self { mesh, ends, influences }
    }

    fn vertices(&self) -> usize {
        self.ends.len()
    }

    /// Fills `delta` for one time. Returns `None` if both poses are equal.
    fn prepare<'d>(&self, raw: &Moment<'_>, lossy: &Moment<'_>, delta: &'d mut Delta) -> Option<&'d Delta> {
        let palette = self.mesh.palette.iter();
        delta.palette.clear();
        delta
            .palette
            .extend(palette.clone().map(|s| difference(raw.joint(s.joint), lossy.joint(s.joint)) * s.joint_from_mesh));
        delta.targets.clear();
        delta.targets.extend(self.mesh.targets.iter().enumerate().filter_map(|(index, target)| {
            let (a, b) = (raw.weight(target.float_track), lossy.weight(target.float_track));
            (a != 0.0 || b != 0.0).then_some((index, a, a - b))
        }));
        delta.lossy.clear();
        let morphs_differ = delta.targets.iter().any(|t| t.2 != 0.0);
        if morphs_differ {
            delta.lossy.extend(palette.map(|s| lossy.joint(s.joint).matrix3 * s.joint_from_mesh.matrix3));
        }
        let zero = Affine3A { matrix3: Mat3A::ZERO, translation: Vec3A::ZERO };
        (morphs_differ || delta.palette.iter().any(|m| *m != zero)).then_some(delta)
    }

    #[inline]
    fn error(&self, vertex: usize, delta: &Delta) -> f32 {
        let start = if vertex == 0 { 0 } else { self.ends[vertex - 1] as usize };
        let influences = &self.influences[start..self.ends[vertex] as usize];
        let (mut local, mut morph) = (self.mesh.positions[vertex], Vec3::ZERO);
        for &(target, weight, change) in &delta.targets {
            let offset = self.mesh.targets[target].positions[vertex];
            local += offset * weight;
            morph += offset * change;
        }
        let mut error = Vec3A::ZERO;
        for &(slot, weight) in influences {
            error += delta.palette[usize::from(slot)].transform_point3a(local.into()) * weight;
        }
        if !delta.lossy.is_empty() {
            for &(slot, weight) in influences {
                error += delta.lossy[usize::from(slot)] * Vec3A::from(morph) * weight;
            }
        }
        let length = error.length();
        if length.is_nan() { f32::INFINITY } else { length }
    }
}
