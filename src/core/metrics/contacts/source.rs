use super::ground::GroundMotion;
use super::motion::{Clock, FootMotion, mean};
use super::{Contact, PointSpan};
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// Points move alike up to this many times the least motion over the ground,
const ALIKE_SHARE: f32 = 1.05;
/// and this far beyond it, metres. Both sides of a heel move alike over ground that turns.
const ALIKE_M: f32 = 1e-5;

/// The slide of a foot over the ground during a contact of the raw clip. No codec is to blame for it.
///
/// From each sample to the next, the standing point that moves least carries the foot, so that a foot may roll from heel to toe. Its
/// horizontal motion is added up. Landing and lift-off are left out.
///
/// If the ground moves, its speed is known only from the feet. It is then the mean speed of this foot in this contact, and
/// only the difference from an even motion is a slide.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SourceDrift {
    /// The sample at which the sum begins. In a loop it may lie beyond the clip's end.
    pub first_sample: usize,
    /// The sum at every sample from there, metres. It starts at zero.
    pub moved_m: Vec<Vec3>,
    /// The largest distance of the sum from zero, metres. For a sample that is left out at either end, the mean motion of the rest counts.
    pub slide_m: f32,
}

impl SourceDrift {
    pub(super) fn measure(motion: &FootMotion, contact: &Contact, ground: &GroundMotion, clock: Clock) -> Self {
        let sample = clock.sample as f32 * clock.secs;
        // Contacts begin and end at moments. Rounding must not move one that is at a sample beyond it.
        let moment = |secs: f32| (secs / clock.secs).round() as isize;
        let samples = clock.sample as isize;
        let first = -(-moment(contact.start_secs)).div_euclid(samples);
        let last = moment(contact.end_secs).div_euclid(samples);
        let (from, to) = if last - first > 2 { (first + 1, last - 1) } else { (first, last) };
        let steps: Vec<_> = (from..to).map(|at| carried(motion, contact, ground, clock, at).with_y(0.0)).collect();
        let mean = steps.iter().sum::<Vec3>() / steps.len().max(1) as f32;
        let even = if ground.moves() { mean } else { Vec3::ZERO };
        let mut moved_m = vec![Vec3::ZERO];
        for step in &steps {
            moved_m.push(moved_m[moved_m.len() - 1] + (*step - even));
        }
        let way_m = moved_m.iter().map(|moved| moved.length()).fold(0.0, f32::max);
        let left_out = (contact.end_secs - contact.start_secs) / sample - steps.len() as f32;
        let slide_m = way_m + (mean - even).length() * left_out.max(0.0);
        Self { first_sample: from.max(0) as usize, moved_m, slide_m }
    }
}

/// Motion, from a sample to the next, of the standing point that moves least over the ground, or the mean of those that move alike. The
/// turn of the ground is left out.
fn carried(motion: &FootMotion, contact: &Contact, ground: &GroundMotion, clock: Clock, sample: isize) -> Vec3 {
    let (from, to) = (sample * clock.sample as isize, (sample + 1) * clock.sample as isize);
    let secs = |moment: isize| moment as f32 * clock.secs;
    let slack_secs = 0.5 * clock.secs;
    let covers = |s: &PointSpan| s.start_secs <= secs(from) + slack_secs && secs(to) - slack_secs <= s.end_secs;
    let way = ground.way(from, to, clock);
    let step = |stand: &PointSpan| {
        let [a, b] = [from, to].map(|moment| motion.paths[stand.point].at(moment));
        b - a - ground.turning_m_s((a + b) / 2.0) * (to - from) as f32 * clock.secs
    };
    let steps = contact.stands.iter().filter(|stand| covers(stand)).map(step);
    let steps: Vec<_> = steps.collect();
    let least_m = steps.iter().map(|step| step.distance(way)).fold(f32::INFINITY, f32::min);
    let is_least = |step: &Vec3| step.distance(way) <= least_m * ALIKE_SHARE + ALIKE_M;
    mean(steps.into_iter().filter(is_least)).unwrap_or(way)
}
