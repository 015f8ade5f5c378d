use super::ContactSettings;
use super::flags::{hysteresis, runs};
use super::ground::GroundMotion;
use super::motion::{Clock, FootMotion};
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
/// A foot that rolls over its toes stands up to this share of the speed of its swing.
const ROLL_SHARE: f32 = 0.13;
/// It stands at most up to this many times the speed limit.
const ROLL_FACTOR: f32 = 1.5;
/// From a sample to the next, the speed of a foot that rolls grows by this at most. A foot that lifts was still before.
const ROLL_GROWTH: f32 = 3.0;
/// A point carries only within this height above the lowest point of its foot, for a person.
const CARRY_M: f32 = 0.025;
/// A foot on a surface may lift up to this many times the height limit above the middle of its stand.
const LIFT: f32 = 1.75;
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
    /// A foot that rolls over its toes stands up to this speed. Zero on moving ground, where it is not known well enough.
    pub(super) roll_m_s: f32,
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
            roll_m_s: 0.0,
        }
    }

    /// The limits for feet of these speeds. Feet that swing fast also land and leave fast.
    pub(super) fn for_swings(self, motions: &[&FootMotion]) -> Self {
        let speeds = motions.iter().flat_map(|motion| motion.velocities.first()).flatten().map(|v| v.length());
        let mut speeds: Vec<_> = speeds.collect();
        speeds.sort_by(f32::total_cmp);
        let swing_m_s = speeds.get(speeds.len() * 9 / 10).copied().unwrap_or(0.0);
        let speed_m_s = self.speed_m_s.max(swing_m_s * SWING_SHARE);
        Self { speed_m_s, roll_m_s: (swing_m_s * ROLL_SHARE).min(speed_m_s * ROLL_FACTOR), ..self }
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
    /// True while any point is still.
    pub(super) fn any(&self) -> Vec<bool> {
        (0..self.speeds_m_s.len()).map(|moment| self.still.iter().any(|row| row[moment])).collect()
    }
}

/// A foot and the ground below it.
#[derive(Debug, Clone, Copy)]
pub(super) struct OverGround<'a> {
    pub(super) motion: &'a FootMotion,
    pub(super) ground: &'a GroundMotion,
    pub(super) limits: &'a Stillness,
    pub(super) clock: Clock,
}

impl OverGround<'_> {
    /// Points that move with the ground and are low in their foot. `counts(point, moment)` leaves moments out.
    pub(super) fn still(&self, counts: impl Fn(usize, usize) -> bool) -> StillPoints {
        let starts = |point: usize, moment: usize| self.is_slow(point, moment, 1.0);
        let keeps = |point: usize, moment: usize| {
            self.is_slow(point, moment, self.limits.release_factor) || self.rolls(point, moment)
        };
        let mut found = self.where_low(counts, starts, keeps);
        if self.clock.sample <= self.clock.half_window() as usize {
            for (point, still) in found.still.iter_mut().enumerate() {
                self.cut_ends(point, still);
            }
        }
        let speed = |moment: usize| {
            let points = (0..self.motion.paths.len()).filter(|point| found.still[*point][moment]);
            points.map(|point| self.speed(point, moment)).fold(f32::INFINITY, f32::min)
        };
        found.speeds_m_s = (0..self.clock.count).map(speed).collect();
        found
    }

    /// Points that move along with the ground at any speed. For a foot that disagrees with the ground's velocity throughout a clip.
    pub(super) fn along(&self, counts: impl Fn(usize, usize) -> bool) -> StillPoints {
        let way = self.ground.middle();
        let moves_along = |point: usize, moment: usize| {
            let velocity = self.motion.velocities[point][moment];
            velocity.dot(way) > ALONG_SHARE * way.length_squared()
                && velocity.y.abs() < self.limits.speed_m_s.max(velocity.length() * ALONG_SLOPE)
        };
        self.where_low(counts, moves_along, moves_along)
    }

    fn where_low(
        &self,
        counts: impl Fn(usize, usize) -> bool,
        starts: impl Fn(usize, usize) -> bool,
        keeps: impl Fn(usize, usize) -> bool,
    ) -> StillPoints {
        let Self { motion, limits, clock, .. } = self;
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
        StillPoints { still: still.collect(), speeds_m_s: vec![0.0; clock.count] }
    }

    /// Speed of a point over the ground.
    fn speed(&self, point: usize, moment: usize) -> f32 {
        self.motion.velocities[point][moment].distance(self.ground.velocity_m_s(self.at(point, moment), moment))
    }

    /// The way of a point over the ground.
    fn way(&self, point: usize, from: isize, to: isize) -> Vec3 {
        let on_ground = |moment: isize| self.ground.place(self.motion.paths[point].at(moment), moment);
        on_ground(to) - on_ground(from)
    }

    fn at(&self, point: usize, moment: usize) -> Vec3 {
        self.motion.paths[point].inside(moment)
    }

    /// Largest speed over the ground of a point that stands.
    fn limit_m_s(&self, point: usize, moment: usize) -> f32 {
        self.ground.spread(self.at(point, moment), moment, self.limits)
    }

    fn is_slow(&self, point: usize, moment: usize, factor: f32) -> bool {
        let limit_m_s = self.limit_m_s(point, moment);
        self.speed(point, moment) < limit_m_s * factor
            || self.side_speed(point, moment as isize) < limit_m_s * SIDE_SHARE
    }

    /// The smallest speed over the ground of the times that hold a moment. Where a foot stops at once, only the time after it is still.
    ///
    /// The times are a sample or longer, because between samples a foot that turns fast is not where it was.
    fn side_speed(&self, point: usize, moment: isize) -> f32 {
        let clock = self.clock;
        let length = clock.half_window().max(clock.sample as isize);
        let speed = |from: isize| self.way(point, from, from + length).length() / (length as f32 * clock.secs);
        let inside = |from: &isize| clock.looping || (*from >= 0 && *from + length < clock.count as isize);
        (moment - length..=moment).filter(inside).map(speed).fold(f32::INFINITY, f32::min)
    }

    /// True for a foot that rolls over its toes. It speeds up over several samples, where a foot that lifts does at once.
    fn rolls(&self, point: usize, moment: usize) -> bool {
        let (at, sample) = (moment as isize, self.clock.sample as isize);
        let slower_side = [at - sample, at + sample].map(|side| self.speed(point, self.clock.inside(side)));
        let grown_m_s = slower_side[0].min(slower_side[1]) * ROLL_GROWTH;
        self.speed(point, moment) < self.limits.roll_m_s.min(grown_m_s)
    }

    /// Cuts the moments from the ends of runs, up to half a window, in which the point's own steps are not still.
    ///
    /// A speed is a mean over a window. Where a foot speeds up, the window still holds the rest before.
    fn cut_ends(&self, point: usize, flags: &mut [bool]) {
        let (clock, count) = (self.clock, flags.len());
        let is_still = |from: isize, to: isize| {
            let limit_m_s = self.limit_m_s(point, clock.inside(from));
            self.way(point, from, to).length() < limit_m_s * END_SHARE * clock.secs
        };
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
}
