use super::flags::runs;
use super::ground::GroundMotion;
use super::motion::{Clock, FootMotion, Path};
use super::sole::median;
use super::stillness::{StillPoints, Stillness};
use glam::Vec2;
use std::collections::HashMap;

/// A stand and a surface belong together within this horizontal distance, for a person.
const PLACE_M: f32 = 0.35;
/// Two stands are at the same place within this distance, for a person.
const SAME_PLACE_M: f32 = 0.3;
/// The ground of the bind pose lies around the origin up to this distance, for a person.
const ORIGIN_M: f32 = 0.7;
/// A stand is at most this far below a surface, for a person. Hand-made cycles sink in.
const SINK_M: f32 = 0.06;
/// A stand is at most this many times the height limit above a surface.
const FLOAT: f32 = 1.25;
/// A foot that is still above a surface, but less than this, hovers. It does not stand on a step. For a person.
const STEP_M: f32 = 0.1;
/// A foot that is still for this time just above a surface rests there, as the foot of a sitting person does.
const REST_SECS: f32 = 1.0;
/// A surface that nothing else confirms needs a stand of this length.
const NEW_SURFACE_SECS: f32 = 0.15;
/// A foot bears if it is the lowest for this time, or for half of its stand.
const BEAR_SECS: f32 = 0.1;
/// The hips fall freely if their acceleration is more than this. For rigs smaller than a person, it is times their scale.
const FALL_M_S2: f32 = 5.9;
/// Time over which the acceleration of the hips is taken, to each side.
const FALL_SECS: f32 = 0.05;
/// A stand in mid-air has free fall for this share of its time.
const FALL_SHARE: f32 = 0.6;

/// A foot that keeps still for a time, at nearly one height.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stand {
    /// Index into the motions that were looked at.
    foot: usize,
    first: usize,
    /// Number of moments.
    length: usize,
    /// On the ground, which may move.
    place: Vec2,
    height_m: f32,
    /// True if no other foot is lower for a while.
    bears: bool,
    /// True if the hips fall freely meanwhile.
    falls: bool,
}

/// The surfaces on which the feet of a clip stand: even ground, steps, a slope.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Surfaces {
    /// Places and heights of stands, in squares as wide as a stand and its surface may be apart.
    known: HashMap<(i64, i64), Vec<(Vec2, f32)>>,
    /// A height that holds everywhere: that of the bind pose, or of the user.
    everywhere_m: Option<f32>,
    /// The stands that were accepted.
    stands: Vec<Stand>,
    place_m: f32,
}

/// The inputs of the search for surfaces.
pub(super) struct Look<'a> {
    pub(super) motions: &'a [&'a FootMotion],
    pub(super) still: &'a [StillPoints],
    pub(super) ground: &'a GroundMotion,
    pub(super) hips: &'a Path,
    pub(super) limits: &'a Stillness,
    pub(super) clock: Clock,
}

impl Surfaces {
    /// Accepts the surfaces of stands, first those on the ground of the bind pose, then the longest.
    ///
    /// A stand on a known surface is accepted. A new surface needs a stand that is long, that bears, and in which the hips do not fall.
    /// It may not be just above a known surface at the same place, or below one.
    pub(super) fn find(look: &Look<'_>, bind_m: Option<f32>) -> Self {
        let limits = look.limits;
        let fits = |height_m: f32, surface_m: f32| {
            (-SINK_M * limits.scale..=limits.height_m * FLOAT).contains(&(height_m - surface_m))
        };
        let mut stands = look.stands();
        let bind_m = bind_m.filter(|bind_m| trusts_bind(&stands, look.clock.count, |height_m| fits(height_m, *bind_m)));
        let on_bind = |height_m: f32| bind_m.is_some_and(|bind_m| fits(height_m, bind_m));
        stands.sort_by_key(|stand| (!on_bind(stand.height_m), std::cmp::Reverse(stand.length)));
        let mut heights_m = Vec::new();
        let mut found = Self { place_m: PLACE_M * limits.scale, ..Self::default() };
        for stand in stands {
            let above = |surface_m: f32| stand.height_m - surface_m;
            let bind_near = bind_m.filter(|_| stand.place.length() <= ORIGIN_M * limits.scale);
            let near = || found.within(stand.place, SAME_PLACE_M * limits.scale).chain(bind_near);
            let is_known =
                on_bind(stand.height_m) || heights_m.iter().any(|surface_m| fits(stand.height_m, *surface_m));
            let is_just_above = |surface_m: f32| (0.0..STEP_M * limits.scale).contains(&above(surface_m));
            let hovers = near().any(is_just_above);
            let is_just_above_any = hovers || heights_m.iter().copied().chain(bind_m).any(is_just_above);
            let rests = stand.length >= look.clock.moments(REST_SECS) && is_just_above_any;
            let conflicts = !near().any(|surface_m| fits(stand.height_m, surface_m))
                && ((hovers && !rests) || bind_near.is_some_and(|bind_m| above(bind_m) < 0.0));
            let is_long =
                stand.length >= look.clock.moments(NEW_SURFACE_SECS) || (heights_m.is_empty() && bind_m.is_none());
            if !conflicts && (is_known || rests || (is_long && stand.bears && !stand.falls)) {
                let surface_m = near().find(|surface_m| fits(stand.height_m, *surface_m)).unwrap_or(stand.height_m);
                found.known.entry(found.square(stand.place)).or_default().push((stand.place, surface_m));
                heights_m.push(surface_m);
                found.stands.push(stand);
            }
        }
        found.everywhere_m = bind_m.filter(|_| heights_m.iter().any(|height_m| on_bind(*height_m)));
        found
    }

    /// The same stands, on one height everywhere.
    pub(super) fn at_height(self, height_m: f32) -> Self {
        Self { known: HashMap::new(), everywhere_m: Some(height_m), ..self }
    }

    /// True if a foot has an accepted stand within a run of moments.
    pub(super) fn has_stand(&self, foot: usize, first: usize, length: usize, clock: Clock) -> bool {
        let inside = |at: usize| (at + clock.count - first % clock.count) % clock.count < length;
        let own = self.stands.iter().filter(|stand| stand.foot == foot);
        own.flat_map(|stand| stand.first..stand.first + stand.length).any(|at| inside(at % clock.count))
    }

    /// Heights of the surfaces at a place.
    pub(super) fn under(&self, place: Vec2) -> impl Iterator<Item = f32> + '_ {
        self.within(place, self.place_m)
    }

    /// `distance_m` is at most the width of a square.
    fn within(&self, place: Vec2, distance_m: f32) -> impl Iterator<Item = f32> + '_ {
        let (x, z) = self.square(place);
        let squares = (-1..=1).flat_map(move |dx| (-1..=1).map(move |dz| (x.saturating_add(dx), z.saturating_add(dz))));
        let around = squares.filter_map(|square| self.known.get(&square)).flatten();
        let near = around.filter(move |surface| surface.0.distance(place) <= distance_m).map(|surface| surface.1);
        near.chain(self.everywhere_m)
    }

    fn square(&self, place: Vec2) -> (i64, i64) {
        let square = (place / self.place_m).floor();
        (square.x as i64, square.y as i64)
    }
}

/// The ground of the bind pose counts unless the character clearly stands elsewhere.
fn trusts_bind(stands: &[Stand], count: usize, fits: impl Fn(f32) -> bool) -> bool {
    let moments = |is_there: bool| -> usize {
        let there = stands.iter().filter(|stand| stand.bears && !stand.falls && fits(stand.height_m) == is_there);
        there.map(|stand| stand.length).sum()
    };
    moments(false) <= 2 * moments(true) || moments(false) * 2 <= count
}

impl Look<'_> {
    /// Height and place on the ground of the lowest still point of a foot. `None` while none is still.
    fn carried(&self, foot: usize, moment: usize) -> Option<(f32, Vec2)> {
        let wrapped = moment % self.clock.count;
        let at = moment as isize;
        let still = (0..self.motions[foot].paths.len()).filter(|point| self.still[foot].still[*point][wrapped]);
        let places = still.map(|point| self.ground.place(self.motions[foot].paths[point].at(at), at));
        places.min_by(|a, b| a.y.total_cmp(&b.y)).map(|p| (p.y, Vec2::new(p.x, p.z)))
    }

    /// The stands of all feet: of each time in which a foot is still, the moments near the height at which it is stillest.
    fn stands(&self) -> Vec<Stand> {
        let falls = self.free_fall();
        let of_foot = |foot: usize| {
            let times = runs(&self.still[foot].any(), self.clock.looping).into_iter();
            times.filter_map(move |(first, length)| self.stand(foot, first, length)).collect::<Vec<_>>()
        };
        let with_fall = |stand: Stand| {
            let falling = self.moments(stand.first, stand.length).filter(|moment| falls[*moment]).count();
            Stand { falls: falling as f32 >= stand.length as f32 * FALL_SHARE, ..stand }
        };
        (0..self.motions.len()).flat_map(of_foot).map(with_fall).collect()
    }

    fn stand(&self, foot: usize, first: usize, length: usize) -> Option<Stand> {
        let carried: Vec<_> =
            (first..first + length).map(|moment| self.carried(foot, moment)).collect::<Option<_>>()?;
        let speeds = self.moments(first, length).map(|moment| self.still[foot].speeds_m_s[moment]);
        let stillest = speeds.enumerate().min_by(|a, b| a.1.total_cmp(&b.1))?.0;
        let lowest = (0..length).min_by(|a, b| carried[*a].0.total_cmp(&carried[*b].0))?;
        // The velocity of moving ground shows that a foot stands. On still ground, a foot that turns around in the air is still as well.
        let middle = if self.ground.moves() { lowest } else { stillest };
        let near = |c: &(f32, Vec2)| (c.0 - carried[middle].0).abs() <= self.limits.height_m;
        let from = carried[..middle].iter().rposition(|c| !near(c)).map_or(0, |last| last + 1);
        let to = carried[middle..].iter().position(|c| !near(c)).map_or(length, |next| middle + next);
        let (first, carried) = (first + from, &carried[from..to]);
        let length = carried.len();
        let others = (0..self.motions.len()).filter(|other| *other != foot);
        let is_lowest = |moment: &usize| {
            let other_m =
                others.clone().map(|other| self.motions[other].lowest_m[*moment]).fold(f32::INFINITY, f32::min);
            self.motions[foot].lowest_m[*moment] <= other_m + self.limits.height_m
        };
        let bearing = self.moments(first, length).filter(is_lowest).count();
        (length >= self.clock.moments(self.limits.min_secs).max(1)).then(|| Stand {
            foot,
            first,
            length,
            place: carried[length / 2].1,
            height_m: median(carried.iter().map(|c| c.0).collect()),
            bears: bearing >= self.clock.moments(BEAR_SECS).min(length.div_ceil(2)),
            falls: false,
        })
    }

    /// The moments of a run, which may cross the seam of a loop.
    fn moments(&self, first: usize, length: usize) -> impl Iterator<Item = usize> + use<> {
        let count = self.clock.count;
        (first..first + length).map(move |moment| moment % count)
    }

    /// True while the hips fall freely.
    fn free_fall(&self) -> Vec<bool> {
        let half = self.clock.moments(FALL_SECS).max(1) as isize;
        let secs = half as f32 * self.clock.secs;
        let height = |moment: isize| self.hips.at(moment).y;
        let falls = |moment: isize| {
            let change_m = height(moment + half) - 2.0 * height(moment) + height(moment - half);
            change_m < -FALL_M_S2 * self.limits.scale.min(1.0) * secs * secs
        };
        let (count, looping) = (self.clock.count as isize, self.clock.looping);
        // At the ends of a clip the motion before or after is unknown: the nearest known acceleration counts.
        let inside =
            |moment: isize| if looping || count <= 2 * half { moment } else { moment.clamp(half, count - 1 - half) };
        (0..count).map(|moment| falls(inside(moment))).collect()
    }
}
