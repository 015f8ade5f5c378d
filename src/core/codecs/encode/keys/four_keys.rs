//! The test of the keys of four samples at once, by the points of their joint.

use super::choose::KeyChooser;
use super::joint::{JointSolver, Part, slightly_more};
use crate::codecs::encode::write::WriteKey;
use crate::math::four::{LANES, Locals, Models, less};
use crate::model::Channel;
use glam::Vec4;

/// The decided surroundings of the keys of four samples. The last sample is repeated.
#[derive(Debug)]
pub struct FourKeys {
    /// Local transforms, in which a key is replaced.
    locals: Locals,
    /// The decoded parent. `None` above a root.
    above: Option<Models>,
    raw: Models,
    /// The step of each sample.
    steps: [usize; LANES],
}

impl<C: KeyChooser> JointSolver<'_, C> {
    /// The surroundings of all keys of a channel, for every four samples. Empty if not the points alone decide.
    pub fn four_keys(&self, samples: usize) -> Vec<FourKeys> {
        let stride = self.settings.stride;
        let Some(raw) = self.error.raw_of_points() else { return Vec::new() };
        let of_four = |first: usize| {
            let steps = std::array::from_fn(|lane| (first + lane).min(samples - 1) * stride);
            FourKeys {
                locals: Locals::new(|lane| self.locals[steps[lane]]),
                above: self.parent.map(|parent| Models::new(|lane| parent.model_from_joint[steps[lane]])),
                raw: Models::new(|lane| raw[steps[lane]]),
                steps,
            }
        };
        (0..samples).step_by(LANES).map(of_four).collect()
    }

    /// One bit per key whose error is within the rounding limit, as [`JointSolver::is_measured_fine`] finds. Only the keys in `asked` are
    /// tested. `keys`: component by component.
    pub fn measured_fine<F: WriteKey>(
        &self,
        part: Part<F>,
        four: &FourKeys,
        keys: &[Vec4; 4],
        (asked, room): (u32, f32),
    ) -> u32 {
        let mut locals = four.locals;
        let [x, y, z, _] = *keys;
        match part.channel {
            Channel::Rotation => locals.rotation = *keys,
            Channel::Translation => locals.translation = [x, y, z],
            Channel::Scale => locals.scale = [x, y, z],
        }
        let models = four.above.as_ref().map_or_else(|| locals.models(), |above| above.times(&locals.models()));
        let along = |axis: usize| less(&models.axes[axis], &four.raw.axes[axis]);
        let off = [along(0), along(1), along(2)];
        let moved = less(&models.at, &four.raw.at);
        let room_sq = slightly_more(room * room);
        let is_fine = |lane: usize| self.error.moves_within(four.steps[lane], (&off, &moved), lane, room_sq);
        let bit = |lane: usize| if asked >> lane & 1 == 1 && is_fine(lane) { 1 << lane } else { 0 };
        bit(0) | bit(1) | bit(2) | bit(3)
    }
}
