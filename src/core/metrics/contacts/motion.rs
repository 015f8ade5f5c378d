use super::{Foot, FootPart};
use crate::metrics::ModelTrack;
use crate::model::Rig;
use glam::Vec3;

/// Points of a sole are equally low within this height, for a person.
const SAME_HEIGHT_M: f32 = 0.001;
/// Contacts are looked for about this often.
const LOOKS_HZ: f64 = 120.0;
/// Most moments from a step to the next.
const MOST_SPLIT: usize = 8;
/// Speeds are taken over this time, so that capture noise does not count.
const SPEED_SECS: f32 = 0.05;

/// The moments at which contacts are looked for, evenly spaced: steps of a track, or parts of steps if the track has few.
///
/// In a loop the last step is left out, because it equals the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Clock {
    /// Steps from a moment to the next, if the track has more steps than moments.
    stride: usize,
    /// Moments from a step to the next, if it has fewer.
    split: usize,
    /// Number of moments.
    pub(super) count: usize,
    /// Time between two moments.
    pub(super) secs: f32,
    /// Moments from a sample of the clip to the next, at least 1.
    pub(super) sample: usize,
    pub(super) looping: bool,
}

impl Clock {
    pub(super) fn new(raw: &ModelTrack, looping: bool) -> Self {
        let steps_hz = raw.grid().rate_hz() * raw.sub_frames() as f64;
        let last = raw.steps() - 1;
        let widest = ((steps_hz / LOOKS_HZ + 1e-6) as usize).clamp(1, last.max(1));
        let stride = (1..=widest).rev().find(|stride| last.is_multiple_of(*stride)).unwrap_or(1);
        let split = ((LOOKS_HZ / steps_hz).round() as usize).clamp(1, MOST_SPLIT);
        let looping = looping && last >= 2 * stride;
        let count = last / stride * split + usize::from(!looping);
        let secs = raw.time_secs(stride.min(last)) / split as f32;
        Self { stride, split, count, secs, sample: (raw.sub_frames() * split / stride).max(1), looping }
    }

    /// The step of the track at a moment, or the last one before it.
    pub(super) fn step(&self, moment: usize) -> usize {
        moment / self.split * self.stride
    }

    /// Positions at every moment, and for a loop those after the last one. Between steps they are interpolated.
    fn rows(&self, raw: &ModelTrack, positions: impl Fn(usize) -> Vec<Vec3>) -> (Vec<Vec<Vec3>>, Option<Vec<Vec3>>) {
        let last = raw.steps() - 1;
        let at_steps: Vec<_> = (0..=last).step_by(self.stride).map(positions).collect();
        let row = |moment: usize| {
            let (step, part) = (moment / self.split, (moment % self.split) as f32 / self.split as f32);
            let next = (step + 1).min(at_steps.len() - 1);
            at_steps[step].iter().zip(&at_steps[next]).map(|(a, b)| a.lerp(*b, part)).collect()
        };
        let beyond = self.looping.then(|| at_steps[at_steps.len() - 1].clone());
        ((0..self.count).map(row).collect(), beyond)
    }

    /// The moment in the clip: the same of the cycle in a loop, else the nearest.
    pub(super) fn inside(&self, moment: isize) -> usize {
        let count = self.count as isize;
        let inside = if self.looping { moment.rem_euclid(count) } else { moment.clamp(0, count - 1) };
        inside as usize
    }

    /// Number of moments in a time.
    pub(super) fn moments(&self, secs: f32) -> usize {
        if self.secs > 0.0 { (secs / self.secs).round() as usize } else { 0 }
    }

    /// Half of the time over which speeds are taken, in moments.
    pub(super) fn half_window(&self) -> isize {
        self.moments(SPEED_SECS / 2.0).max(1) as isize
    }
}

/// A position at every moment. Beyond the ends of a loop it continues with the loop's travel. Elsewhere it keeps the end's value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Path {
    at: Vec<Vec3>,
    travel: Option<Vec3>,
}

impl Path {
    /// `next` is the position after the last one, for a loop.
    pub(super) fn new(at: Vec<Vec3>, next: Option<Vec3>) -> Self {
        let travel = next.zip(at.first()).map(|(next, first)| next - *first);
        Self { at, travel }
    }

    /// The paths of several points, read together, because a long track is sampled as its steps are asked for.
    pub(super) fn sample_all<const N: usize>(
        raw: &ModelTrack,
        clock: Clock,
        positions: impl Fn(usize) -> [Vec3; N],
    ) -> [Self; N] {
        let (rows, next) = clock.rows(raw, |step| positions(step).to_vec());
        std::array::from_fn(|point| Self::of_point(point, &rows, next.as_deref()))
    }

    /// The path of one point of several.
    fn of_point(point: usize, rows: &[Vec<Vec3>], next: Option<&[Vec3]>) -> Self {
        Self::new(rows.iter().map(|row| row[point]).collect(), next.map(|row| row[point]))
    }

    pub(super) fn at(&self, moment: isize) -> Vec3 {
        let count = self.at.len() as isize;
        match self.travel {
            Some(travel) => self.at[moment.rem_euclid(count) as usize] + travel * moment.div_euclid(count) as f32,
            None => self.at[moment.clamp(0, count - 1) as usize],
        }
    }

    /// The position at a moment of the clip.
    pub(super) fn inside(&self, moment: usize) -> Vec3 {
        self.at[moment]
    }

    /// Mean velocity from the first moment to the last.
    pub(super) fn mean_velocity(&self, clock: Clock) -> Vec3 {
        let last = self.at.len() as isize - 1;
        let secs = last as f32 * clock.secs;
        if secs > 0.0 { (self.at(last) - self.at(0)) / secs } else { Vec3::ZERO }
    }

    /// Mean velocity around every moment. At the ends of a clip that is no loop, the time is shorter.
    pub(super) fn velocities(&self, clock: Clock) -> Vec<Vec3> {
        let (count, half) = (self.at.len() as isize, clock.half_window());
        let ends = |moment: isize| match self.travel {
            Some(_) => (moment - half, moment + half),
            None => ((moment - half).max(0), (moment + half).min(count - 1)),
        };
        let velocity = |moment: isize| {
            let (from, to) = ends(moment);
            let secs = (to - from) as f32 * clock.secs;
            if secs > 0.0 { (self.at(to) - self.at(from)) / secs } else { Vec3::ZERO }
        };
        (0..count).map(velocity).collect()
    }
}

/// The motion of a foot's sole points in the raw clip.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FootMotion {
    /// One path per point of the sole.
    pub(super) paths: Vec<Path>,
    /// Velocities of every point.
    pub(super) velocities: Vec<Vec<Vec3>>,
    /// Height of the lowest point at every moment.
    pub(super) lowest_m: Vec<f32>,
    /// Number of points of the heel, which come first.
    pub(super) heel_points: usize,
}

impl FootMotion {
    pub(super) fn sample(rig: &Rig, foot: &Foot, raw: &ModelTrack, clock: Clock) -> Self {
        let positions = |step: usize| foot.sole_positions(rig, &raw.pose(step), &raw.floats(step));
        let (rows, next) = clock.rows(raw, positions);
        let path = |point| Path::of_point(point, &rows, next.as_deref());
        let paths: Vec<_> = (0..foot.sole.len()).map(path).collect();
        let velocities = paths.iter().map(|path| path.velocities(clock)).collect();
        let lowest_m = rows.iter().map(|row| row.iter().map(|p| p.y).fold(f32::INFINITY, f32::min)).collect();
        let heel_points = foot.sole.iter().take_while(|point| point.part == FootPart::Heel).count();
        Self { paths, velocities, lowest_m, heel_points }
    }

    /// The mean motion of the points that are as low as the lowest to a millimetre, for a person. While the heel is down, its points count
    /// alone.
    pub(super) fn carrying(&self, moment: usize, scale: f32, clock: Clock) -> Carrying {
        let lowest_m = self.lowest_m[moment] + SAME_HEIGHT_M * scale;
        let is_lowest = |point: &usize| self.paths[*point].inside(moment).y <= lowest_m;
        let heel = 0..self.heel_points;
        let counted =
            if heel.clone().any(|point| is_lowest(&point)) { heel } else { self.heel_points..self.paths.len() };
        let over =
            |value: &dyn Fn(usize) -> Vec3| mean(counted.clone().filter(is_lowest).map(value)).unwrap_or_default();
        let velocity_m_s = over(&|point| self.velocities[point][moment]);
        let (at, half) = (moment as isize, clock.half_window());
        let side = |from: isize, to: isize| {
            // Half a window without a sample shows no more than the whole.
            let is_known = clock.sample as isize <= half && (clock.looping || (from >= 0 && to < clock.count as isize));
            if !is_known {
                return velocity_m_s;
            }
            over(&|point| self.paths[point].at(to) - self.paths[point].at(from)) / ((to - from) as f32 * clock.secs)
        };
        let sides_m_s = [side(at - half, at), side(at, at + half)];
        Carrying { place: over(&|point| self.paths[point].inside(moment)), velocity_m_s, sides_m_s }
    }
}

/// The motion of a foot at a moment.
pub(super) struct Carrying {
    pub(super) place: Vec3,
    pub(super) velocity_m_s: Vec3,
    /// Velocity in the time before and in the time after. Where a foot lands or leaves, one of them is that of the ground.
    pub(super) sides_m_s: [Vec3; 2],
}

/// `None` without values.
pub(super) fn mean(values: impl Iterator<Item = Vec3>) -> Option<Vec3> {
    let (sum, count) = values.fold((Vec3::ZERO, 0.0), |(sum, count), v| (sum + v, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(count: usize, secs: f32, looping: bool) -> Clock {
        Clock { stride: 1, split: 1, count, secs, sample: 4, looping }
    }

    #[test]
    fn a_loop_that_travels_goes_on_beyond_its_seam() {
        let at: Vec<_> = (0..4).map(|i| Vec3::X * i as f32).collect();
        let looped = Path::new(at.clone(), Some(Vec3::X * 4.0));
        assert_eq!([-1, 0, 5].map(|i| looped.at(i).x), [-1.0, 0.0, 5.0]);
        assert_eq!(looped.velocities(clock(4, 0.5, true)), [Vec3::X * 2.0; 4]);
        let once = Path::new(at, None);
        assert_eq!([-1, 0, 5].map(|i| once.at(i).x), [0.0, 0.0, 3.0]);
        assert_eq!(once.velocities(clock(4, 0.5, false)), [Vec3::X * 2.0; 4]);
        assert_eq!(Path::new(vec![Vec3::X], None).velocities(clock(1, 0.0, false)), [Vec3::ZERO]);
    }

    #[test]
    fn the_window_of_a_speed_is_a_twentieth_of_a_second() {
        assert_eq!(clock(100, 1.0 / 120.0, false).half_window(), 3);
        assert_eq!(clock(100, 1.0 / 30.0, false).half_window(), 1);
        assert_eq!(clock(1, 0.0, false).half_window(), 1);
    }
}
