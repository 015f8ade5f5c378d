use super::feet::{FootJoints, Leg};
use super::flags::{close_gaps, runs};
use super::ground::{GroundMotion, ground_height};
use super::motion::{Clock, FootMotion};
use super::sole::{BindSkin, median};
use super::source::SourceDrift;
use super::stillness::{OverGround, StillPoints, Stillness};
use super::surfaces::{Look, Surfaces};
use super::turn::Hips;
use super::{ContactSettings, Foot, FootContacts, FootPart};
use crate::metrics::ModelTrack;
use crate::model::{Clip, Rig};
use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

/// A low leaf joint is a foot if it is down for this share of the clip. That is true of paws, not of a hand that touches the floor once.
const LEAF_DOWN_SHARE: f32 = 0.2;
/// A low leaf joint is down below this height above the ground, for a person.
const LEAF_DOWN_M: f32 = 0.075;
/// A foot that leaves the ground for less than this does not leave it.
const GAP_SECS: f32 = 0.05;

/// A contact: the time during which a foot stands on the ground with at least one point of its sole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// Index into the feet of the plan.
    pub foot: usize,
    /// Touch-down.
    pub start_secs: f32,
    /// Lift-off. In a looping clip it may lie beyond the clip's end. The contact then continues at the clip's start.
    pub end_secs: f32,
    /// Height of the ground under this foot, metres in object space.
    pub ground_m: f32,
    /// When each point of the sole stands. A foot that rolls stands on its heel first and on its toes last.
    pub stands: Vec<PointSpan>,
    /// The slide of the raw clip over the ground.
    pub source: SourceDrift,
}

/// The time during which a point of a sole stands.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PointSpan {
    /// Index into the sole of the foot.
    pub point: usize,
    /// First moment, on the same clock as the contact's.
    pub start_secs: f32,
    /// Last moment.
    pub end_secs: f32,
}

impl Contact {
    /// The contact as one or two spans within a clip of that duration, as a timeline draws it.
    pub fn spans(&self, duration_secs: f32) -> impl Iterator<Item = (f32, f32)> + use<> {
        wrapped((self.start_secs, self.end_secs), duration_secs)
    }

    /// Touch-down and lift-off of a part of the foot. `None` if it does not stand.
    pub fn part_span(&self, foot: &Foot, part: FootPart) -> Option<(f32, f32)> {
        let of_part = |stand: &&PointSpan| foot.sole[stand.point].part == part;
        let spans = self.stands.iter().filter(of_part).map(|stand| (stand.start_secs, stand.end_secs));
        spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// The same as one or two spans within a clip of that duration. Empty if the part does not stand.
    pub fn part_spans(
        &self,
        foot: &Foot,
        part: FootPart,
        duration_secs: f32,
    ) -> impl Iterator<Item = (f32, f32)> + use<> {
        self.part_span(foot, part).into_iter().flat_map(move |span| wrapped(span, duration_secs))
    }

    /// True if the contact covers that time of a clip of that duration.
    pub fn covers(&self, time_secs: f32, duration_secs: f32) -> bool {
        self.spans(duration_secs).any(|(start, end)| (start..=end).contains(&time_secs))
    }

    /// The steps of a track that the contact covers, in playing order. A contact across the seam of a loop has both the last step and the
    /// first.
    pub fn steps(&self, track: &ModelTrack) -> impl Iterator<Item = usize> + use<> {
        span_steps((self.start_secs, self.end_secs), track)
    }
}

/// The steps of a track within a span that may lie beyond the end of a loop, in playing order.
pub(in crate::metrics) fn span_steps(
    (start_secs, end_secs): (f32, f32),
    track: &ModelTrack,
) -> impl Iterator<Item = usize> + use<> {
    let steps_hz = track.grid().rate_hz() * track.sub_frames() as f64;
    let step = |secs: f32| (f64::from(secs) * steps_hz).round() as usize;
    let last = track.steps() - 1;
    let (start, end) = (step(start_secs).min(last), step(end_secs));
    let wrapped = end.checked_sub(last + 1).map(|beyond| 0..=(beyond + 1).min(last));
    (start..=end.min(last)).chain(wrapped.into_iter().flatten())
}

/// A span that may lie beyond the end of a loop, as one or two spans within the loop.
pub(in crate::metrics) fn wrapped(
    (start_secs, end_secs): (f32, f32),
    duration_secs: f32,
) -> impl Iterator<Item = (f32, f32)> {
    if start_secs >= duration_secs && end_secs > duration_secs {
        return std::iter::once((start_secs - duration_secs, end_secs - duration_secs)).chain(None);
    }
    let beyond = end_secs - duration_secs;
    let rest = (beyond > 0.0).then_some((0.0, beyond));
    std::iter::once((start_secs, end_secs.min(duration_secs))).chain(rest)
}

/// Feet, ground and contacts of a raw clip. They are fixed before compression, so that no codec can influence them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ContactPlan {
    /// Feet that can touch the ground, ordered by joint.
    pub feet: Vec<Foot>,
    /// Height of the ground, metres in object space: the middle of the contacts' grounds.
    pub ground_m: f32,
    /// Velocity of the ground (a treadmill), the middle over time. Zero for clips that travel.
    pub ground_velocity_m_s: Vec3,
    /// Hip height / 0.9 m. All distances and speeds of the settings are multiplied by it. The hip height is taken as 1.1 times the length of
    /// the straight leg, which is the same in every pose.
    pub scale: f32,
    /// Contacts, ordered by foot, then time.
    pub contacts: Vec<Contact>,
}

impl ContactPlan {
    /// Finds feet, ground and contacts of a raw clip.
    ///
    /// A point of a sole stands while it is near the surface under it and moves slowly over the ground, with hysteresis. A contact lasts
    /// while any point of the foot stands. The book's page *Contacts* has the rules. A contact across the seam of a loop is one contact.
    pub fn find(rig: &Rig, clip: &Clip, raw: &ModelTrack, settings: &ContactSettings) -> Self {
        let clock = Clock::new(raw, clip.is_looping());
        let skin = BindSkin::new(rig);
        let joints = FootJoints::find(rig, &skin, settings);
        let (feet, motions) = feet_in_motion(rig, &skin, &joints, raw, clock);
        if feet.is_empty() {
            return Self { scale: joints.scale, ..Self::default() };
        }
        let search = Search::new(feet, motions, &joints, raw, settings, clock);
        let contacts = search.contacts(rig, clip, settings);
        let grounds = contacts.iter().map(|contact| contact.ground_m).collect::<Vec<_>>();
        let found_m = if grounds.is_empty() { search.ground_m } else { median(grounds) };
        Self {
            ground_m: settings.ground_m.unwrap_or(found_m),
            ground_velocity_m_s: search.ground.middle(),
            scale: joints.scale,
            contacts,
            feet: search.feet,
        }
    }
}

/// The certain feet, and the low leaf joints that the clip brings down to the same level, ordered by joint.
fn feet_in_motion(
    rig: &Rig,
    skin: &BindSkin<'_>,
    joints: &FootJoints,
    raw: &ModelTrack,
    clock: Clock,
) -> (Vec<Foot>, Vec<FootMotion>) {
    let with_motion = |leg: Leg| {
        let foot = Foot { joint: leg.joint(), marked: leg.marked, sole: skin.sole(leg, joints.scale, raw, clock) };
        let motion = FootMotion::sample(rig, &foot, raw, clock);
        (foot, motion)
    };
    let mut all: Vec<_> = joints.certain.iter().map(|&leg| with_motion(leg)).collect();
    let leaves: Vec<_> = joints.low_leaves.iter().map(|&joint| with_motion(Leg::toe(joint))).collect();
    let candidates: Vec<_> = all.iter().chain(&leaves).map(|(_, motion)| motion).collect();
    let ground_m = ground_height(&candidates, joints.bind_ground_m, joints.scale).unwrap_or(0.0);
    let comes_down = |motion: &FootMotion| {
        let down = motion.lowest_m.iter().filter(|&&h| h <= ground_m + LEAF_DOWN_M * joints.scale).count();
        down as f32 >= motion.lowest_m.len() as f32 * LEAF_DOWN_SHARE
    };
    all.extend(leaves.into_iter().filter(|(_, motion)| comes_down(motion)));
    all.sort_by_key(|(foot, _)| foot.joint);
    all.into_iter().unzip()
}

/// Feet, their motions, and the ground below them.
struct Search {
    feet: Vec<Foot>,
    motions: Vec<FootMotion>,
    ground: GroundMotion,
    surfaces: Surfaces,
    ground_m: f32,
    limits: Stillness,
    clock: Clock,
}

impl Search {
    fn new(
        feet: Vec<Foot>,
        motions: Vec<FootMotion>,
        joints: &FootJoints,
        raw: &ModelTrack,
        settings: &ContactSettings,
        clock: Clock,
    ) -> Self {
        let limits = Stillness::new(settings, joints.scale);
        let legs: Vec<_> =
            feet.iter().zip(&motions).filter_map(|(foot, motion)| (!foot.marked).then_some(motion)).collect();
        let on_legs = if legs.is_empty() { motions.iter().collect() } else { legs };
        let ground_m = ground_height(&on_legs, joints.bind_ground_m, joints.scale).unwrap_or(0.0);
        let ground_m = settings.ground_m.unwrap_or(ground_m);
        let hips = Hips::sample(raw, joints.hips, clock);
        let ground = match settings.ground_velocity_m_s {
            Some(velocity_m_s) => GroundMotion::even(velocity_m_s, clock),
            None => GroundMotion::find(&on_legs, &hips, ground_m, &limits, clock),
        };
        let limits = if ground.moves() { limits } else { limits.for_swings(&on_legs) };
        let over = |motion| OverGround { motion, ground: &ground, limits: &limits, clock };
        let still: Vec<_> = on_legs.iter().map(|motion| over(*motion).still(|_, _| true)).collect();
        let look = Look { motions: &on_legs, still: &still, ground: &ground, hips: &hips.path, limits: &limits, clock };
        let found = Surfaces::find(&look, settings.ground_m.or(joints.bind_ground_m));
        let surfaces = match settings.ground_m {
            Some(ground_m) => found.at_height(ground_m),
            None => found,
        };
        Self { feet, motions, ground, surfaces, ground_m, limits, clock }
    }

    /// The contacts of all feet: those that the user drew, else those that are found.
    fn contacts(&self, rig: &Rig, clip: &Clip, settings: &ContactSettings) -> Vec<Contact> {
        let of_foot = |foot: usize| {
            let drawn = settings.by_hand.iter().find(|h| h.joint == rig.skeleton.name(self.feet[foot].joint));
            match drawn {
                Some(drawn) => self.drawn(foot, drawn, clip),
                None => self.found(foot),
            }
        };
        let with_source = |contact: Contact| Contact {
            source: SourceDrift::measure(&self.motions[contact.foot], &contact, &self.ground, self.clock),
            ..contact
        };
        (0..self.feet.len()).flat_map(of_foot).map(with_source).collect()
    }

    /// The contacts that the user drew, clamped to the clip and ordered by time. Empty spans are dropped. The whole sole stands.
    fn drawn(&self, foot: usize, drawn: &FootContacts, clip: &Clip) -> Vec<Contact> {
        let duration_secs = clip.duration_secs();
        let beyond_secs = if clip.is_looping() { duration_secs } else { 0.0 };
        let contact = |[start, end]: &[f32; 2]| {
            let start_secs = start.clamp(0.0, duration_secs);
            // A contact is no longer than the loop itself.
            let end_secs = end.min(duration_secs + beyond_secs).min(start_secs + duration_secs);
            let stands = (0..self.feet[foot].sole.len()).map(|point| PointSpan { point, start_secs, end_secs });
            let mut contact = Contact {
                foot,
                start_secs,
                end_secs,
                ground_m: 0.0,
                stands: stands.collect(),
                source: SourceDrift::default(),
            };
            contact.ground_m = self.ground_under(&contact);
            contact
        };
        let mut contacts: Vec<_> = drawn.spans_secs.iter().map(contact).filter(|c| c.end_secs > c.start_secs).collect();
        contacts.sort_by(|a, b| a.start_secs.total_cmp(&b.start_secs));
        contacts
    }

    /// The contacts of a foot that the motion shows.
    fn found(&self, foot: usize) -> Vec<Contact> {
        let (motion, clock) = (&self.motions[foot], self.clock);
        let over = OverGround { motion, ground: &self.ground, limits: &self.limits, clock };
        let is_marked = self.feet[foot].marked;
        let counts = |point: usize, moment: usize| is_marked || self.is_on_surface(motion, point, moment);
        let index = self.feet[..foot].iter().filter(|foot| !foot.marked).count();
        let found = self.contacts_of(foot, &over.still(counts), |first, length| {
            is_marked || self.ground.moves() || self.surfaces.has_stand(index, first, length, clock)
        });
        if found.is_empty() && self.ground.moves() && !is_marked {
            return self.contacts_of(foot, &over.along(counts), |_, _| true);
        }
        found
    }

    /// True if a point is on a surface. In a loop, the same moment of the cycle before or after may be the one on a known surface.
    fn is_on_surface(&self, motion: &FootMotion, point: usize, moment: usize) -> bool {
        let (moment, count) = (moment as isize, self.clock.count as isize);
        let cycles = if self.clock.looping { -1..=1 } else { 0..=0 };
        cycles.map(|cycle| moment + cycle * count).any(|moment| {
            let p = self.ground.place(motion.paths[point].at(moment), moment);
            self.surfaces.under(Vec2::new(p.x, p.z)).any(|surface_m| self.limits.on_surface(p.y - surface_m))
        })
    }

    fn contacts_of(&self, foot: usize, still: &StillPoints, counts: impl Fn(usize, usize) -> bool) -> Vec<Contact> {
        let clock = self.clock;
        let mut stands = still.any();
        close_gaps(&mut stands, clock.moments(GAP_SECS).saturating_sub(1), clock.looping);
        let shortest = clock.moments(self.limits.min_secs).max(1);
        let long_enough = |&(first, length): &(usize, usize)| length > shortest && counts(first, length);
        let contacts = runs(&stands, clock.looping).into_iter().filter(long_enough);
        contacts.map(|(first, length)| self.contact(foot, first, length, still)).collect()
    }

    fn contact(&self, foot: usize, first: usize, length: usize, still: &StillPoints) -> Contact {
        let count = self.clock.count;
        let secs = |moment: usize| moment as f32 * self.clock.secs;
        // A foot that stays down throughout a loop is in contact until the clip's end.
        let last = |first: usize, length: usize| {
            if self.clock.looping && length == count { first + length } else { first + length - 1 }
        };
        let of_point = |point: usize| {
            let flags: Vec<_> = (first..first + length).map(|moment| still.still[point][moment % count]).collect();
            let span = move |(from, length): (usize, usize)| PointSpan {
                point,
                start_secs: secs(first + from),
                end_secs: secs(last(first + from, length)),
            };
            runs(&flags, false).into_iter().map(span).collect::<Vec<_>>()
        };
        let stands = (0..still.still.len()).flat_map(of_point).collect();
        let (start_secs, end_secs) = (secs(first), secs(last(first, length)));
        let mut contact = Contact { foot, start_secs, end_secs, ground_m: 0.0, stands, source: SourceDrift::default() };
        contact.ground_m = self.ground_under(&contact);
        contact
    }

    /// The middle height of the foot's lowest point during a contact.
    fn ground_under(&self, contact: &Contact) -> f32 {
        let moment = |secs: f32| (secs / self.clock.secs).round() as usize;
        let lowest_m = &self.motions[contact.foot].lowest_m;
        let heights = (moment(contact.start_secs)..=moment(contact.end_secs)).map(|at| lowest_m[at % lowest_m.len()]);
        median(heights.collect())
    }
}
