use super::motion::{Clock, FootMotion, mean};
use super::sole::median;
use super::stillness::Stillness;
use super::turn::{Hips, foot_turn_rad_s, ground_turn_rad_s};
use glam::{Quat, Vec3};

/// Share of the time that a foot may be below the ground. It covers noise, and feet that press into the ground.
const GROUND_PERCENTILE: f32 = 0.05;
/// A foot is low up to this height above the ground, for a person.
const LOW_M: f32 = 0.05;
/// Heights within this distance count as one, in the search for the height at which a foot stays longest, for a person.
const LINGER_M: f32 = 0.025;
/// The ground is at most this far above the 5th percentile, because hand-made cycles push toes deep into the ground. For a person.
const LINGER_REACH_M: f32 = 0.1;
/// The ground of the bind pose is used if the character is at that height for this share of the time.
const BIND_SHARE: f32 = 0.2;
/// Velocities of feet on moving ground differ from the usual one by this share.
const USUAL_SPREAD: f32 = 0.4;
/// Feet on moving ground differ from it by at least this share of its speed.
const LEAST_SPREAD: f32 = 0.18;
/// Feet differ from the ground by this many times the middle difference of the ground from its usual velocity.
const UNEVEN_FACTOR: f32 = 1.5;
/// Moving ground must explain this many times more low moments than still ground does.
const MOVING_ADVANTAGE: f32 = 1.25;
/// Moving ground is faster than this share of the limit of a still foot.
const MOVING_FROM: f32 = 0.86;
/// Feet move along with the hips if the hips have this share of their velocity.
const ALONG_HIPS: f32 = 0.4;
/// On a platform, feet move along with the hips for this share of their low moments.
const PLATFORM_SHARE: f32 = 0.9;
/// Number of times that the estimate is replaced by the mean of the velocities near it.
const REFINEMENTS: usize = 5;
/// The ground rises or falls if its vertical speed is more than this share of its horizontal speed.
const LEVEL_SLOPE: f32 = 0.06;
/// A foot that carries may differ from the ground's slope by this share of its horizontal speed.
const SLOPE_SPREAD: f32 = 0.12;
/// A foot is followed while its velocity is within this share of the ground's.
const FOLLOW_SHARE: f32 = 0.3;
/// Feet that are followed count alike if they differ by less than this share of the reach.
const FULL_WEIGHT: f32 = 0.2;
/// The largest acceleration of the ground, for a person.
const FOLLOW_M_S2: f32 = 40.0;

/// The motion of the ground at every moment. Clips that travel or stand still have ground that does not move. For a walk in place it moves
/// with the feet.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct GroundMotion {
    /// Velocity at the origin.
    velocity_m_s: Vec<Vec3>,
    /// Turn about the vertical.
    turn_rad_s: f32,
    /// The clip's space on the ground.
    frames: Vec<Frame>,
    /// The frame after the last moment of a loop.
    cycle: Option<Frame>,
    /// Largest difference of a standing foot's velocity from the ground's, as a share of the ground's speed.
    spread_share: f32,
    is_still: bool,
}

/// A place on the ground, and a turn about the vertical.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Frame {
    origin: Vec3,
    rotation: Quat,
}

impl Frame {
    const START: Self = Self { origin: Vec3::ZERO, rotation: Quat::IDENTITY };

    fn place(self, at: Vec3) -> Vec3 {
        self.origin + self.rotation * at
    }

    fn then(self, next: Self) -> Self {
        Self { origin: self.place(next.origin), rotation: self.rotation * next.rotation }
    }
}

impl GroundMotion {
    /// Ground of one velocity.
    pub(super) fn even(velocity_m_s: Vec3, clock: Clock) -> Self {
        Self::new(vec![velocity_m_s; clock.count], 0.0, clock)
    }

    fn new(velocity_m_s: Vec<Vec3>, turn_rad_s: f32, clock: Clock) -> Self {
        let turned = |secs: f32| Quat::from_rotation_y(-turn_rad_s * secs);
        let mut end = Frame::START;
        let mut frames = Vec::with_capacity(velocity_m_s.len());
        for velocity in &velocity_m_s {
            frames.push(end);
            let origin = turned(clock.secs / 2.0) * -*velocity * clock.secs;
            end = end.then(Frame { origin, rotation: turned(clock.secs) });
        }
        let is_still = turn_rad_s == 0.0 && velocity_m_s.iter().all(|v| *v == Vec3::ZERO);
        Self { cycle: clock.looping.then_some(end), frames, velocity_m_s, turn_rad_s, spread_share: 0.0, is_still }
    }

    /// Finds the turn and the velocity that explain the most low moments of feet, then follows the feet that carry from there.
    pub(super) fn find(motions: &[&FootMotion], hips: &Hips, ground_m: f32, limits: &Stillness, clock: Clock) -> Self {
        let carriers = Carriers::new(motions, hips.turn_rad_s, ground_m, limits, clock);
        let moving = usual_velocity(&carriers.low(), hips.path.mean_velocity(clock), limits);
        let Some(usual) = moving.or((carriers.turn_rad_s != 0.0).then_some(Vec3::ZERO)) else {
            return Self::even(Vec3::ZERO, clock);
        };
        let order: Vec<_> = (0..clock.count).collect();
        let forward = carriers.follow(usual, order.iter().copied(), limits, clock);
        let backward = carriers.follow(usual, order.iter().rev().copied(), limits, clock);
        let both = |(a, b): (&Followed, &Followed)| {
            let velocity = (a.velocity * b.age() + b.velocity * a.age()) / (a.age() + b.age());
            velocity.with_y(carriers.rise * velocity.with_y(0.0).length())
        };
        let ground = Self::new(forward.iter().zip(&backward).map(both).collect(), carriers.turn_rad_s, clock);
        let off = ground.velocity_m_s.iter().map(|v| v.distance(usual)).collect();
        let uneven = UNEVEN_FACTOR * median(off) / usual.length().max(MOVING_FROM * limits.speed_m_s);
        Self { spread_share: uneven.clamp(LEAST_SPREAD, USUAL_SPREAD), ..ground }
    }

    /// Velocity of the ground at a place.
    pub(super) fn velocity_m_s(&self, at: Vec3, moment: usize) -> Vec3 {
        self.velocity_m_s[moment] + turning(self.turn_rad_s, at)
    }

    /// The way between two moments of ground that does not turn, or of the origin of ground that does.
    pub(super) fn way(&self, from: isize, to: isize, clock: Clock) -> Vec3 {
        (from..to).map(|moment| self.velocity_m_s[clock.inside(moment)] * clock.secs).sum()
    }

    /// The part of the velocity at a place that comes from the turn.
    pub(super) fn turning_m_s(&self, at: Vec3) -> Vec3 {
        turning(self.turn_rad_s, at)
    }

    /// The place on the ground of a point of the clip's space.
    pub(super) fn place(&self, at: Vec3, moment: isize) -> Vec3 {
        if self.is_still {
            return at;
        }
        let count = self.frames.len() as isize;
        let Some(cycle) = self.cycle else { return self.frames[moment.clamp(0, count - 1) as usize].place(at) };
        let mut place = self.frames[moment.rem_euclid(count) as usize].place(at);
        let (cycles, back) = (moment.div_euclid(count), cycle.rotation.inverse());
        for _ in 0..cycles.unsigned_abs() {
            place = if cycles > 0 { cycle.place(place) } else { back * (place - cycle.origin) };
        }
        place
    }

    /// Largest difference between the velocities of the ground and of a point that stands on it.
    pub(super) fn spread(&self, at: Vec3, moment: usize, limits: &Stillness) -> f32 {
        if self.is_still {
            return limits.speed_m_s;
        }
        limits.speed_m_s.max(self.velocity_m_s(at, moment).length() * self.spread_share)
    }

    /// False for still ground.
    pub(super) fn moves(&self) -> bool {
        !self.is_still
    }

    /// The middle velocity at the origin, axis by axis.
    pub(super) fn middle(&self) -> Vec3 {
        middle(&self.velocity_m_s)
    }
}

/// Velocity at a place of ground that turns about the origin.
fn turning(turn_rad_s: f32, at: Vec3) -> Vec3 {
    (Vec3::Y * turn_rad_s).cross(at)
}

/// Velocities of the lowest points of all feet.
struct Carriers {
    /// Turn of the ground.
    turn_rad_s: f32,
    /// One row per moment: the feet that do not rise or fall.
    rows: Vec<Vec<Carrier>>,
    /// Vertical speed of the ground over its horizontal speed.
    rise: f32,
}

impl Carriers {
    fn new(motions: &[&FootMotion], hips_rad_s: f32, ground_m: f32, limits: &Stillness, clock: Clock) -> Self {
        let moments = motions.first().map_or(0, |motion| motion.lowest_m.len());
        let low = |motion: &FootMotion, moment: usize| motion.lowest_m[moment] <= ground_m + LOW_M * limits.scale;
        let turns = motions.iter().flat_map(|motion| {
            let lows = (0..moments).filter(|moment| low(motion, *moment));
            lows.filter_map(|moment| foot_turn_rad_s(motion, moment))
        });
        let turn_rad_s = ground_turn_rad_s(&turns.collect::<Vec<_>>(), hips_rad_s);
        let carrier = |motion: &FootMotion, moment: usize| {
            let carrying = motion.carrying(moment, limits.scale, clock);
            let at_origin = |velocity: Vec3| velocity - turning(turn_rad_s, carrying.place);
            Carrier {
                velocity_m_s: at_origin(carrying.velocity_m_s),
                sides_m_s: carrying.sides_m_s.map(at_origin),
                is_low: low(motion, moment),
            }
        };
        let row = |moment| motions.iter().map(move |motion| carrier(motion, moment));
        let rows: Vec<Vec<_>> = (0..moments).map(|moment| row(moment).collect()).collect();
        let lows: Vec<Vec3> = rows.iter().flatten().filter(|c| c.is_low).map(|c| c.velocity_m_s).collect();
        let across = median(lows.iter().map(|v| v.with_y(0.0).length()).collect());
        let rise = median(lows.iter().map(|v| v.y).collect()) / across.max(1e-6);
        let rise = if rise.abs() < LEVEL_SLOPE { 0.0 } else { rise };
        let is_level = |carrier: &Carrier| {
            let v = carrier.velocity_m_s;
            let across = v.with_y(0.0).length();
            (v.y - rise * across).abs() < limits.release_factor * limits.speed_m_s + SLOPE_SPREAD * across
        };
        let rows = rows.into_iter().map(|row| row.into_iter().filter(is_level).collect()).collect();
        Self { turn_rad_s, rows, rise }
    }

    fn low(&self) -> Vec<Vec3> {
        self.rows.iter().flatten().filter(|c| c.is_low).map(|c| c.velocity_m_s).collect()
    }

    /// Follows the velocity of the feet from moment to moment. It starts where a low foot has the usual velocity, and in a loop again with
    /// what it has found at the end.
    fn follow(
        &self,
        usual: Vec3,
        order: impl DoubleEndedIterator<Item = usize> + Clone,
        limits: &Stillness,
        clock: Clock,
    ) -> Vec<Followed> {
        let mut found = vec![Followed { velocity: usual, unseen: f32::INFINITY }; self.rows.len()];
        let mut current: Option<Followed> = None;
        for moment in order.clone().chain(order.filter(|_| clock.looping)) {
            let near = |from: Vec3, reach: f32, low_only: bool| {
                let row = self.rows[moment].iter().filter(|c| c.is_low || !low_only).map(|c| c.nearest(from));
                nearest_mean(row.filter(|v| v.distance(from) <= reach), from, FULL_WEIGHT * reach)
            };
            let seen = current.and_then(|now| {
                let velocity = near(now.velocity, limits.speed_m_s.max(FOLLOW_SHARE * now.velocity.length()), false)?;
                let step = (velocity - now.velocity).clamp_length_max(FOLLOW_M_S2 * limits.scale * clock.secs);
                Some(now.velocity + step)
            });
            let seen = seen.or_else(|| near(usual, usual_spread(usual, limits), true));
            current = match (seen, current) {
                (Some(velocity), _) => Some(Followed { velocity, unseen: 0.0 }),
                (None, Some(now)) => Some(Followed { unseen: now.unseen + 1.0, ..now }),
                (None, None) => None,
            };
            if let Some(now) = current {
                found[moment] = now;
            }
        }
        found
    }
}

/// A foot that may carry, with its velocities at the origin.
#[derive(Debug, Clone, Copy)]
struct Carrier {
    velocity_m_s: Vec3,
    sides_m_s: [Vec3; 2],
    is_low: bool,
}

impl Carrier {
    /// The velocity around the moment, before it or after it, which is nearest to that of the ground so far.
    fn nearest(&self, from: Vec3) -> Vec3 {
        let [before, after] = self.sides_m_s;
        let nearer = |a: Vec3, b: Vec3| if b.distance_squared(from) < a.distance_squared(from) { b } else { a };
        nearer(nearer(self.velocity_m_s, before), after)
    }
}

/// The velocity of the ground while no foot is followed is that of the last one.
#[derive(Debug, Clone, Copy)]
struct Followed {
    velocity: Vec3,
    /// Moments since a foot was seen.
    unseen: f32,
}

impl Followed {
    fn age(&self) -> f32 {
        1.0 + self.unseen.min(1e6)
    }
}

/// The horizontal velocity near which most low moments lie, with the rise of these. `None` if still ground explains them as well.
///
/// Feet that move along with the hips are on a platform only if they do so nearly always. Otherwise the hips drag them.
fn usual_velocity(low: &[Vec3], travel: Vec3, limits: &Stillness) -> Option<Vec3> {
    let across = |v: &Vec3| v.with_y(0.0);
    let near = |ground: Vec3| low.iter().filter(move |v| across(v).distance(ground) <= usual_spread(ground, limits));
    let mut ground = across(&middle(low));
    for _ in 0..REFINEMENTS {
        ground = mean(near(ground).map(across)).unwrap_or(ground);
    }
    let moving = near(ground).count() as f32;
    let still = low.iter().filter(|v| across(v).length() <= limits.speed_m_s).count() as f32;
    let with_hips = across(&travel).dot(ground) > ALONG_HIPS * ground.length_squared();
    let explains = moving > still * MOVING_ADVANTAGE && (!with_hips || moving >= low.len() as f32 * PLATFORM_SHARE);
    let is_moving = ground.length() > MOVING_FROM * limits.speed_m_s && explains;
    is_moving.then(|| ground.with_y(median(near(ground).map(|v| v.y).collect())))
}

/// Largest difference from the usual velocity. Hand-made cycles are uneven.
fn usual_spread(ground: Vec3, limits: &Stillness) -> f32 {
    limits.speed_m_s.max(ground.length() * USUAL_SPREAD)
}

/// The mean of velocities, weighted by how near they are to that of the ground so far: a foot that leaves does not take the ground with it.
///
/// Velocities within `full` count alike.
fn nearest_mean(velocities: impl Iterator<Item = Vec3>, from: Vec3, full: f32) -> Option<Vec3> {
    let weighted = velocities.map(|v| (v, 1.0 / (v.distance_squared(from) + full * full)));
    let (sum, weight) = weighted.fold((Vec3::ZERO, 0.0), |(sum, weight), (v, w)| (sum + v * w, weight + w));
    (weight > 0.0).then(|| sum / weight)
}

fn middle(values: &[Vec3]) -> Vec3 {
    let axis = |axis: usize| median(values.iter().map(|v| v[axis]).collect());
    Vec3::new(axis(0), axis(1), axis(2))
}

/// The height at which a foot stays longest, near the lowest 5 %.
///
/// The 5th percentile alone would do for captured motion. But hand-made cycles dip a toe some centimetres into the ground for a tenth of
/// the time. The feet would then seem to float for the rest.
pub(super) fn standing_height(mut heights_m: Vec<f32>, scale: f32) -> Option<f32> {
    heights_m.sort_by(f32::total_cmp);
    let lowest = *heights_m.get((GROUND_PERCENTILE * heights_m.len().saturating_sub(1) as f32) as usize)?;
    let near = |start: usize| heights_m[start..].partition_point(|h| *h <= heights_m[start] + LINGER_M * scale);
    let starts = heights_m.partition_point(|h| *h <= lowest + LINGER_REACH_M * scale);
    let (count, start) = (0..starts).map(|i| (near(i), i)).reduce(|a, b| if b.0 > a.0 { b } else { a })?;
    Some(heights_m[start + count / 2])
}

/// The height of the ground. If the clip uses the height of the soles in the bind pose, it is that height. Otherwise it is the height at
/// which the lowest foot stays longest.
///
/// `bind_m` is `None` for rigs without skin, whose bind pose often does not stand.
pub(super) fn ground_height(motions: &[&FootMotion], bind_m: Option<f32>, scale: f32) -> Option<f32> {
    let moments = motions.iter().map(|m| m.lowest_m.len()).max()?;
    let lowest = |i: usize| motions.iter().filter_map(|m| m.lowest_m.get(i).copied()).fold(f32::INFINITY, f32::min);
    let lowest: Vec<_> = (0..moments).map(lowest).collect();
    let stands_at = |level: &f32| {
        let near = lowest.iter().filter(|h| (*h - level).abs() <= LINGER_M * scale).count();
        near as f32 >= moments as f32 * BIND_SHARE
    };
    bind_m.filter(stands_at).or_else(|| standing_height(lowest.clone(), scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Stillness =
        Stillness { scale: 1.0, speed_m_s: 0.15, height_m: 0.02, release_factor: 1.5, min_secs: 0.03, roll_m_s: 0.0 };

    #[test]
    fn still_ground_wins_unless_moving_ground_explains_clearly_more() {
        let at = |x: f32, count: usize| std::iter::repeat_n(Vec3::new(x, 0.0, 0.0), count);
        let mix = |still, moving| at(0.0, still).chain(at(-1.4, moving)).chain([Vec3::X * 3.0]).collect::<Vec<_>>();
        assert_eq!(usual_velocity(&mix(100, 110), Vec3::ZERO, &LIMITS), None);
        assert!((usual_velocity(&mix(10, 110), Vec3::ZERO, &LIMITS).unwrap().x + 1.4).abs() < 1e-5);
        let with_hips = Vec3::X * -1.4;
        assert_eq!(usual_velocity(&mix(30, 110), with_hips, &LIMITS), None, "the hips drag the feet");
        assert!(usual_velocity(&mix(0, 110), with_hips, &LIMITS).is_some(), "a platform");
        let uneven: Vec<_> = (0..60).map(|i| Vec3::Z * (0.8 + 0.01 * i as f32)).chain([Vec3::Z * -4.0; 20]).collect();
        assert!((usual_velocity(&uneven, Vec3::ZERO, &LIMITS).unwrap().z - 1.095).abs() < 1e-3);
        assert_eq!(usual_velocity(&[], Vec3::ZERO, &LIMITS), None);
    }

    #[test]
    fn the_ground_is_where_feet_linger_not_where_they_dip() {
        let standing = |heights: Vec<f32>| standing_height(heights, 1.0);
        let mut heights = vec![0.1; 100];
        heights[40] = -1.0;
        assert_eq!(standing(heights.clone()), Some(0.1));
        // A tenth of the time a toe dips by 3 cm, and swings high and evenly for half of it.
        heights[40] = 0.1;
        heights[..10].fill(0.07);
        (0..50).for_each(|i| heights[10 + i] = 0.12 + i as f32 * 0.01);
        assert_eq!(standing(heights), Some(0.1));
        // A foot that rests on a chair most of the time does not raise the ground to it.
        assert_eq!(standing([vec![0.0; 20], vec![0.5; 80]].concat()), Some(0.0));
        assert_eq!(standing(vec![]), None);
    }

    #[test]
    fn the_bind_pose_tells_the_ground_to_those_who_stand_there() {
        let motion = |lowest_m: Vec<f32>| FootMotion { paths: vec![], velocities: vec![], lowest_m, heel_points: 0 };
        // Hangs in the air with stretched toes for most of the clip, as jumps on the spot do.
        let jump = motion([vec![0.001; 30], vec![-0.09; 70]].concat());
        assert_eq!(ground_height(&[&jump], Some(0.0), 1.0), Some(0.0));
        assert_eq!(ground_height(&[&jump], None, 1.0), Some(-0.09));
        assert_eq!(ground_height(&[&jump], Some(1.0), 1.0), Some(-0.09));
        assert_eq!(ground_height(&[], Some(1.0), 1.0), None);
    }
}
