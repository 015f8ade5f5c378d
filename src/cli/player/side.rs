use posepress_core::model::{Clip, Pose, Sampler};
use std::ops::Range;

/// Floats of a local transform: rotation x y z w, translation, scale.
const FLOATS: usize = 10;

/// The floats of each channel of a local transform.
const CHANNELS: [Range<usize>; 3] = [0..4, 4..7, 7..FLOATS];

/// A channel that is still at its sample this far into an interval is stepped. Samplers of other grids may jump a little early.
const LATE_IN_INTERVAL: f64 = 0.75;

/// A side of a clip: its local transforms and float tracks at every sample, and the intervals in which a channel is stepped.
pub struct Side {
    /// Ten floats per joint, then the float tracks, by sample.
    rows: Vec<Vec<f32>>,
    /// Stepped intervals, sorted: `channel * samples + sample`. Joint `j` has the channels from `3 * j`; float tracks come after joints.
    holds: Vec<u32>,
}

impl Side {
    /// Samples a side of `clip` with its first `tracks` float tracks.
    pub fn of(sampler: &mut dyn Sampler, clip: &Clip, tracks: usize) -> Self {
        let mut pose = Pose::with_size(clip.joints(), clip.float_tracks());
        let mut row_at = |at_sample: f64| {
            sampler.sample(at_sample, &mut pose);
            let joints = pose.joints.iter().flat_map(|local| local.numbers());
            joints.chain(pose.floats[..tracks].iter().copied()).collect()
        };
        let rows: Vec<Vec<f32>> = (0..clip.samples()).map(|at| row_at(at as f64)).collect();
        let late: Vec<Vec<f32>> = (1..rows.len()).map(|next| row_at((next - 1) as f64 + LATE_IN_INTERVAL)).collect();
        let holds = holds(&rows, &late, clip.joints());
        Self { rows, holds }
    }

    /// Each float over time.
    pub fn columns(&self) -> impl Iterator<Item = impl Iterator<Item = f32> + Clone> {
        (0..self.rows[0].len()).map(|column| self.rows.iter().map(move |row| row[column]))
    }

    /// The stepped intervals as differences, each from the one before.
    pub fn holds(&self) -> impl ExactSizeIterator<Item = u32> {
        let mut before = 0;
        self.holds.iter().map(move |hold| hold - std::mem::replace(&mut before, *hold))
    }
}

/// The intervals whose channels change, but not before `late`.
fn holds(rows: &[Vec<f32>], late: &[Vec<f32>], joints: usize) -> Vec<u32> {
    let of_joint = |joint| CHANNELS.map(|floats| FLOATS * joint + floats.start..FLOATS * joint + floats.end);
    let tracks = (FLOATS * joints..rows[0].len()).map(|track| track..track + 1);
    let channels = (0..joints).flat_map(of_joint).chain(tracks);
    let is_held = |floats: &Range<usize>, sample: usize| {
        let [from, late, to] = [&rows[sample], &late[sample], &rows[sample + 1]].map(|row| &row[floats.clone()]);
        from == late && from != to
    };
    let of_channel = |(channel, floats): (usize, Range<usize>)| {
        let held = (0..late.len()).filter(move |sample| is_held(&floats, *sample));
        held.map(move |sample| (channel * rows.len() + sample) as u32)
    };
    channels.enumerate().flat_map(of_channel).collect()
}
