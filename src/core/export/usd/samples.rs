//! The fewest samples that hold a clip within its tolerance. UsdSkel blends linearly between samples, and all joints share them.

use super::super::ExportClip;
use super::super::keys::Numbers;
use crate::math::Transform;
use crate::metrics::shell_error_m;
use crate::model::{Clip, ClipSampler, ModelPose, Pose, Rig, Sampler, unit_rotation};

/// Time codes before a step at which its first value is written again.
const STEP_CODES: f64 = 1e-4;
/// Largest error of a weight.
const WEIGHT: f32 = 1e-3;
/// Most samples that are left out in a row. It bounds the time that the choice takes.
const MOST_LEFT_OUT: usize = 48;

/// A sample of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Time code: samples from the start.
    pub code: f64,
    pub pose: Pose,
    /// True if it must be written.
    is_fixed: bool,
}

/// The samples to write: those of the decoded clip, or of the source if that takes fewer, since compression errors need samples of their own.
pub fn rows(clip: &mut ExportClip<'_>, rig: &Rig) -> Vec<Row> {
    let of_decoded = fewest(clip, rig);
    if clip.tolerance_m == 0.0 {
        return of_decoded;
    }
    clip.sampler = Box::new(ClipSampler::new(clip.source));
    let of_source = fewest(clip, rig);
    if of_source.len() < of_decoded.len() { of_source } else { of_decoded }
}

fn fewest(clip: &mut ExportClip<'_>, rig: &Rig) -> Vec<Row> {
    let all = all_rows(clip);
    if clip.tolerance_m == 0.0 || all.len() < 3 {
        return all;
    }
    let mut thinner = Thinner::new(clip, rig, &all);
    let (mut kept, mut at, last) = (vec![0], 0, all.len() - 1);
    while at < last {
        let mut next = at + 1;
        while next < last && !all[next].is_fixed && next - at < MOST_LEFT_OUT && thinner.is_line(at, next + 1) {
            next += 1;
        }
        kept.push(next);
        at = next;
    }
    kept.into_iter().map(|row| all[row].clone()).collect()
}

/// Every sample, and one more right before each step.
fn all_rows(clip: &mut ExportClip<'_>) -> Vec<Row> {
    let holds = clip.source.holds().iter().map(|hold| hold.sample);
    let mut steps: Vec<u32> = holds.chain(clip.source.float_holds().iter().map(|hold| hold.sample)).collect();
    steps.sort_unstable();
    steps.dedup();
    let is_exact = |sample: usize| clip.exact.iter().any(|(_, samples)| samples.contains(&sample));
    let places = (0..clip.source.samples()).flat_map(|sample| {
        let is_step = steps.binary_search(&(sample as u32)).is_ok() && sample + 1 < clip.source.samples();
        let follows_step = sample.checked_sub(1).is_some_and(|before| steps.binary_search(&(before as u32)).is_ok());
        let own = (sample as f64, follows_step || is_exact(sample));
        [Some(own), is_step.then_some(((sample + 1) as f64 - STEP_CODES, true))].into_iter().flatten()
    });
    let mut rows: Vec<Row> = Vec::new();
    for (code, is_fixed) in places.collect::<Vec<_>>() {
        let mut pose = Pose::with_size(clip.source.joints(), clip.source.float_tracks());
        clip.sampler.sample(code, &mut pose);
        pose.joints.iter_mut().for_each(|local| *local = stored(*local));
        rows.push(Row { code, pose, is_fixed });
    }
    rows
}

/// A transform as the file stores it.
fn stored(local: Transform) -> Transform {
    let scale = Numbers::Halves.read(local.scale.extend(0.0)).truncate();
    Transform { scale, rotation: unit_rotation(local.rotation), ..local }
}

/// Compares lines between rows with the source.
struct Thinner<'a> {
    clip: &'a ExportClip<'a>,
    rig: &'a Rig,
    rows: &'a [Row],
    source: ClipSampler<&'a Clip>,
    own: Pose,
    line: Pose,
    models: [ModelPose; 3],
}

impl<'a> Thinner<'a> {
    fn new(clip: &'a ExportClip<'_>, rig: &'a Rig, rows: &'a [Row]) -> Self {
        let pose = || Pose::with_size(clip.source.joints(), clip.source.float_tracks());
        let source = ClipSampler::new(clip.source);
        Self { clip, rig, rows, source, own: pose(), line: pose(), models: Default::default() }
    }

    /// True if a line from one row to another is within the tolerance at the rows between them, and half way between rows.
    fn is_line(&mut self, from: usize, to: usize) -> bool {
        let at_rows = (from + 1..to).all(|row| self.is_within((from, to), self.rows[row].code, Some(row)));
        at_rows
            && (from..to).all(|row| {
                let middle = f64::midpoint(self.rows[row].code, self.rows[row + 1].code);
                self.is_within((from, to), middle, None)
            })
    }

    /// Compares at a time code. An error of the decoded clip that is larger than the tolerance is the limit instead.
    fn is_within(&mut self, (from, to): (usize, usize), code: f64, row: Option<usize>) -> bool {
        let (start, end) = (&self.rows[from], &self.rows[to]);
        let part = ((code - start.code) / (end.code - start.code)) as f32;
        blend(&start.pose, &end.pose, part, &mut self.line);
        self.source.sample(code, &mut self.own);
        let [source, line, decoded] = &mut self.models;
        source.update(&self.rig.skeleton, &self.own.joints);
        line.update(&self.rig.skeleton, &self.line.joints);
        if let Some(row) = row {
            decoded.update(&self.rig.skeleton, &self.rows[row].pose.joints);
        }
        let error_m = |model: &ModelPose, joint: usize| {
            shell_error_m(&source.joints[joint], &model.joints[joint], self.clip.shells_m[joint])
        };
        let is_near = |joint: usize| {
            let error_m_of_line = error_m(line, joint);
            error_m_of_line <= self.clip.tolerance_m || row.is_some_and(|_| error_m_of_line <= error_m(decoded, joint))
        };
        let weights = self.line.floats.iter().zip(&self.own.floats);
        (0..self.own.joints.len()).all(is_near) && weights.into_iter().all(|(line, own)| (line - own).abs() <= WEIGHT)
    }
}

/// Blends two samples as USD does.
fn blend(a: &Pose, b: &Pose, part: f32, out: &mut Pose) {
    for ((a, b), out) in a.joints.iter().zip(&b.joints).zip(&mut out.joints) {
        *out = Transform {
            rotation: a.rotation.as_dquat().slerp(b.rotation.as_dquat(), part.into()).as_quat(),
            translation: a.translation.lerp(b.translation, part),
            scale: a.scale.lerp(b.scale, part),
        };
    }
    for ((a, b), out) in a.floats.iter().zip(&b.floats).zip(&mut out.floats) {
        *out = a + (b - a) * part;
    }
}
