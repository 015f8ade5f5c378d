use super::ContactSettings;
use super::flags::{hysteresis, runs};
use super::ground::GroundMotion;
use super::motion::{Clock, FootMotion, Path};
use glam::Vec3;

/// A foot that moves along with the ground rises or falls at most by this share of its speed.
const ALONG_SLOPE: f32 = 0.4;
/// The speed limit is at least this share of the speed of the feet's swing, their fastest tenth.
const SWING_SHARE: f32 = 0.065;
/// A moment counts as still if the time before or after it is slower than this share of the speed limit.
const SIDE_SHARE: f32 = 0.2;
/// A step at the end of a stand belongs to it up to this share of the speed limit.
const END_SHARE: f32 = 0.7;
/// A point moves along with the ground from this share of the ground's speed.
const ALONG_SHARE: f32 = 0.1;
/// A point carries only within this height above the lowest point of its foot, for a person.
const CARRY_M: f32 = 0.025;
/// A foot on a surface may lift up to this many times the height limit above the middle of its stand.
const LIFT: f32 = 1.5;
/// A foot reaches at most this far below the surface on which it stands, for a person. Hand-made cycles push toes in.
const PUSH_M: f32 = 0.12;

/// Limits of a point that stands, scaled to the rig.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stillness {
    pub(super) scale: f32,
    pub(super) speed_m_s: f32,
    pub(super) height_m: f32,
    pub(super) release_factor: f32,
    pub(super) min_secs: f32,
}

impl Stillness {
    pub(super) fn new(settings: &ContactSettings, scale: f32) -> Self {
        let factor = scale * settings.sensitivity;
        Self {
            scale,
            speed_m_s: settings.speed_m_s * factor,
            height_m: settings.height_m * factor,
            release_factor: settings.release_factor,
            min_secs: settings.min_secs,
        }
    }

    /// The limits for feet of these speeds. Feet that swing fast also land and leave fast.
    pub(super) fn for_swings(self, motions: &[&FootMotion]) -> Self {
        let speeds = motions.iter().flat_map(|motion| motion.velocities.first()).flatten().map(|v| v.length());
        let mut speeds: Vec<_> = speeds.collect();
        speeds.sort_by(f32::total_cmp);
        let swing_m_s = speeds.get(speeds.len() * 9 / 10).copied().unwrap_or(0.0);
        Self { speed_m_s: self.speed_m_s.max(swing_m_s * SWING_SHARE), ..self }
    }

    /// True if a height above a surface is that of a foot on it.
    pub(super) fn on_surface(&self, above_m: f32) -> bool {
        (-PUSH_M * self.scale..=self.height_m * LIFT).contains(&above_m)
    }
}

/// When each point of a foot is still on the ground.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StillPoints {
    /// One row of flags per point.
    pub(super) still: Vec<Vec<bool>>,
    /// Speed over the ground of the stillest point of those that are still. Infinite while none is.
    pub(super) speeds_m_s: Vec<f32>,
}

impl StillPoints {
    /// Points that move with the ground and are low in their foot. `counts(point, moment)` leaves moments out.
    pub(super) fn find(
        motion: &FootMotion,
        ground: &GroundMotion,
        limits: &Stillness,
        clock: Clock,
        counts: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let slow = |factor: f32| {
            move |point: usize, moment: usize| {
                let limit_m_s = ground.spread(moment, limits);
                let speed_m_s = motion.velocities[point][moment].distance(ground.velocity_m_s[moment]);
                let side_m_s = || side_speed(&motion.paths[point], &ground.way, moment as isize, clock);
                speed_m_s < limit_m_s * factor || side_m_s() < limit_m_s * SIDE_SHARE
            }
        };
        let mut found = Self::where_low(motion, limits, clock, counts, slow(1.0), slow(limits.release_factor));
        if clock.sample <= clock.half_window() as usize {
            for (point, still) in found.still.iter_mut().enumerate() {
                let is_still = |from: isize, to: isize| {
                    let moment = from.rem_euclid(clock.count as isize) as usize;
                    let limit_m = ground.spread(moment, limits) * END_SHARE * clock.secs;
                    way_over(&motion.paths[point], &ground.way, from, to).length() < limit_m
                };
                cut_ends(still, is_still, clock);
            }
        }
        let speed = |moment: usize| {
            let points = (0..motion.paths.len()).filter(|point| found.still[*point][moment]);
            points
                .map(|point| motion.velocities[point][moment].distance(ground.velocity_m_s[moment]))
                .fold(f32::INFINITY, f32::min)
        };
        found.speeds_m_s = (0..clock.count).map(speed).collect();
        found
    }

    /// Points that move along with the ground at any speed. For a foot that disagrees with the ground's velocity throughout a clip.
    pub(super) fn along(
        motion: &FootMotion,
        ground: &GroundMotion,
        limits: &Stillness,
        clock: Clock,
        counts: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let way = ground.middle();
        let moves_along = |point: usize, moment: usize| {
            let velocity = motion.velocities[point][moment];
            velocity.dot(way) > ALONG_SHARE * way.length_squared()
                && velocity.y.abs() < limits.speed_m_s.max(velocity.length() * ALONG_SLOPE)
        };
        Self::where_low(motion, limits, clock, counts, moves_along, moves_along)
    }

    fn where_low(
        motion: &FootMotion,
        limits: &Stillness,
        clock: Clock,
        counts: impl Fn(usize, usize) -> bool,
        starts: impl Fn(usize, usize) -> bool,
        keeps: impl Fn(usize, usize) -> bool,
    ) -> Self {
        let is_low = |point: usize, moment: usize| {
            let height_m = motion.paths[point].at(moment as isize).y - motion.lowest_m[moment];
            height_m <= CARRY_M * limits.scale && counts(point, moment)
        };
        let flags = |point: usize, holds: &dyn Fn(usize, usize) -> bool| {
            (0..clock.count).map(|moment| holds(point, moment) && is_low(point, moment)).collect::<Vec<_>>()
        };
        let points = 0..motion.paths.len();
        let slow: Vec<_> = points.clone().map(|point| flags(point, &starts)).collect();
        let still = points.map(|point| hysteresis(&slow[point], &flags(point, &keeps), clock.looping));
        Self { still: still.collect(), speeds_m_s: vec![0.0; clock.count] }
    }

    /// True while any point is still.
    pub(super) fn any(&self) -> Vec<bool> {
        (0..self.speeds_m_s.len()).map(|moment| self.still.iter().any(|row| row[moment])).collect()
    }
}

/// The way of a point over the ground.
fn way_over(path: &Path, ground: &Path, from: isize, to: isize) -> Vec3 {
    path.at(to) - path.at(from) - (ground.at(to) - ground.at(from))
}

/// The smallest speed over the ground of the times that hold a moment. Where a foot stops at once, only the time after it is still.
///
/// The times are a sample or longer, because between samples a foot that turns fast is not where it was.
fn side_speed(path: &Path, ground: &Path, moment: isize, clock: Clock) -> f32 {
    let length = clock.half_window().max(clock.sample as isize);
    let speed = |from: isize| way_over(path, ground, from, from + length).length() / (length as f32 * clock.secs);
    let inside = |from: &isize| clock.looping || (*from >= 0 && *from + length < clock.count as isize);
    (moment - length..=moment).filter(inside).map(speed).fold(f32::INFINITY, f32::min)
}

/// Cuts the moments from the ends of runs, up to half a window, in which the point's own steps are not still.
///
/// A speed is a mean over a window. Where a foot speeds up, the window still holds the rest before.
fn cut_ends(flags: &mut [bool], is_still: impl Fn(isize, isize) -> bool, clock: Clock) {
    let count = flags.len();
    let found = runs(flags, clock.looping);
    for (first, length) in found.into_iter().filter(|run| run.1 < count) {
        for (end, inward) in [(first as isize, 1), ((first + length) as isize - 1, -1)] {
            let within = (0..clock.half_window().min(length as isize / 2)).map(|step| end + step * inward);
            for at in within.take_while(|at| !is_still(*at.min(&(at + inward)), *at.max(&(at + inward)))) {
                flags[at.rem_euclid(count as isize) as usize] = false;
            }
        }
    }
}
