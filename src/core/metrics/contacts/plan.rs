use super::feet::FootJoints;
use super::flags::{hysteresis, median, runs, window_samples};
use super::ground::{FootMotion, ground_height, ground_velocity, rest_heights, spread};
use super::sole::BindSkin;
use super::source::source_slide;
use super::{ContactSettings, Foot, FootContacts, FootKind};
use crate::metrics::ModelTrack;
use crate::model::{Clip, Rig};
use glam::Vec3;

/// A low leaf joint is a foot if it is down for this share of the clip. That is true of paws, not of a hand that touches the floor once.
const LEAF_DOWN_SHARE: f32 = 0.2;

/// A contact: the time during which a foot stands on the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Index into the feet of the plan.
    pub foot: usize,
    /// Touch-down.
    pub start_secs: f32,
    /// Lift-off. In a looping clip it may lie beyond the clip's end. The contact then continues at the clip's start.
    pub end_secs: f32,
    /// The slide of the raw clip over the ground, metres. On the spot, only what differs from an even motion counts.
    pub source_m: f32,
}

impl Contact {
    /// The contact as one or two spans within a clip of that duration, as a timeline draws it.
    pub fn spans(&self, duration_secs: f32) -> impl Iterator<Item = (f32, f32)> + use<> {
        let beyond = self.end_secs - duration_secs;
        let wrapped = (beyond > 0.0).then_some((0.0, beyond));
        std::iter::once((self.start_secs, self.end_secs.min(duration_secs))).chain(wrapped)
    }

    /// True if the contact covers that time of a clip of that duration.
    pub fn covers(&self, time_secs: f32, duration_secs: f32) -> bool {
        self.spans(duration_secs).any(|(start, end)| (start..=end).contains(&time_secs))
    }

    /// The steps of a track that the contact covers, in playing order. A contact across the seam of a loop has both the last step and the
    /// first.
    pub fn steps(&self, track: &ModelTrack) -> impl Iterator<Item = usize> + use<> {
        let steps_hz = track.grid().rate_hz() * track.sub_frames() as f64;
        let step = |secs: f32| (f64::from(secs) * steps_hz).round() as usize;
        let last = track.steps() - 1;
        let (start, end) = (step(self.start_secs).min(last), step(self.end_secs));
        let wrapped = end.checked_sub(last + 1).map(|beyond| 0..=(beyond + 1).min(last));
        (start..=end.min(last)).chain(wrapped.into_iter().flatten())
    }
}

/// Feet, ground and contacts of a raw clip. They are fixed before compression, so that no codec can influence them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactPlan {
    /// Joints that can touch the ground, ordered by joint.
    pub feet: Vec<Foot>,
    /// Height of the ground, metres in object space.
    pub ground_m: f32,
    /// Velocity of the ground (a treadmill). Zero for clips that travel.
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
    /// A foot is in contact while its lowest sole point is close to the ground and its sole's centre moves slowly over it. Hysteresis, a
    /// median filter and a minimum length prevent flicker. Contacts start and end at samples. A contact across the seam of a loop is one
    /// contact.
    pub fn find(rig: &Rig, clip: &Clip, raw: &ModelTrack, settings: &ContactSettings) -> Self {
        let looping = clip.is_looping();
        let skin = BindSkin::new(rig);
        let joints = FootJoints::find(rig, &skin, settings);
        let limits = settings.scaled(joints.scale);
        let (mut feet, motions) = feet_in_motion(rig, &skin, &joints, raw, looping, &limits);
        let grounded = |(foot, motion): (&Foot, _)| (foot.kind != FootKind::Marked).then_some(motion);
        let mut standing: Vec<_> = feet.iter().zip(&motions).filter_map(grounded).collect();
        if standing.is_empty() {
            standing = motions.iter().collect();
        }
        let found_m = || ground_height(&standing, joints.bind_ground_m, &limits);
        let Some(ground_m) = settings.ground_m.or_else(found_m) else {
            return Self { scale: joints.scale, ..Self::default() };
        };
        for (foot, rest_m) in rest_heights(&feet, &motions, ground_m, &limits).into_iter().enumerate() {
            feet[foot].rest_height_m = rest_m;
        }
        let lifts: Vec<_> = feet.iter().zip(&motions).map(|(foot, motion)| Lift { foot, motion, ground_m }).collect();
        let velocity = settings.ground_velocity_m_s.unwrap_or_else(|| {
            let low = low_velocities(&lifts, &limits);
            ground_velocity(&low, mean_velocity(raw, joints.hips), limits.speed_m_s)
        });
        let rate_hz = raw.grid().rate_hz();
        let contacts = lifts
            .iter()
            .enumerate()
            .flat_map(|(foot, lift)| {
                let drawn = settings.by_hand.iter().find(|h| h.joint == rig.skeleton.name(lift.foot.joint));
                match drawn {
                    Some(drawn) => drawn_contacts(foot, drawn, clip.duration_secs(), looping),
                    None => lift.contacts(foot, velocity, &limits, rate_hz, looping),
                }
            })
            .map(|contact| Contact {
                source_m: source_slide(rig, &feet[contact.foot], &contact, raw, velocity != Vec3::ZERO),
                ..contact
            })
            .collect();
        Self { feet, ground_m, ground_velocity_m_s: velocity, scale: joints.scale, contacts }
    }
}

/// The contacts that the user drew, clamped to the clip and ordered by time. Empty spans are dropped.
fn drawn_contacts(foot: usize, drawn: &FootContacts, duration_secs: f32, looping: bool) -> Vec<Contact> {
    let beyond_secs = if looping { duration_secs } else { 0.0 };
    let mut contacts: Vec<_> = drawn
        .spans_secs
        .iter()
        .map(|[start, end]| {
            let start_secs = start.clamp(0.0, duration_secs);
            // A contact is no longer than the loop itself.
            let end_secs = end.min(duration_secs + beyond_secs).min(start_secs + duration_secs);
            Contact { foot, start_secs, end_secs, source_m: 0.0 }
        })
        .filter(|p| p.end_secs > p.start_secs)
        .collect();
    contacts.sort_by(|a, b| a.start_secs.total_cmp(&b.start_secs));
    contacts
}

/// The certain feet, and the low leaf joints that the clip brings down to the same level, ordered by joint.
fn feet_in_motion(
    rig: &Rig,
    skin: &BindSkin<'_>,
    joints: &FootJoints,
    raw: &ModelTrack,
    looping: bool,
    limits: &ContactSettings,
) -> (Vec<Foot>, Vec<FootMotion>) {
    let with_motion = |joint: usize, kind: FootKind| {
        let foot = Foot { joint, kind, sole: skin.sole(joint, joints.scale), rest_height_m: 0.0 };
        let motion = FootMotion::sample(rig, &foot, raw, looping);
        (foot, motion)
    };
    let mut all: Vec<_> = joints.certain.iter().map(|&(joint, kind)| with_motion(joint, kind)).collect();
    let leaves: Vec<_> = joints.low_leaves.iter().map(|&joint| with_motion(joint, FootKind::Toe)).collect();
    let candidates: Vec<_> = all.iter().chain(&leaves).map(|(_, motion)| motion).collect();
    let ceiling_m = ground_height(&candidates, joints.bind_ground_m, limits).unwrap_or(0.0)
        + limits.heel_height_m * limits.release_factor;
    let comes_down = |motion: &FootMotion| {
        let down = motion.height_m.iter().filter(|&&h| h <= ceiling_m).count();
        down as f32 >= motion.height_m.len() as f32 * LEAF_DOWN_SHARE
    };
    all.extend(leaves.into_iter().filter(|(_, motion)| comes_down(motion)));
    all.sort_by_key(|(foot, _)| foot.joint);
    all.into_iter().unzip()
}

/// A foot and the height of the ground below it.
struct Lift<'a> {
    foot: &'a Foot,
    motion: &'a FootMotion,
    ground_m: f32,
}

impl Lift<'_> {
    /// Height above the foot's contact height, metres, per sample.
    fn heights_m(&self) -> impl Iterator<Item = f32> + '_ {
        self.motion.height_m.iter().map(|h| h - self.ground_m - self.foot.rest_height_m)
    }

    fn contacts(
        &self,
        foot: usize,
        ground_m_s: Vec3,
        limits: &ContactSettings,
        rate_hz: f64,
        looping: bool,
    ) -> Vec<Contact> {
        let (height_m, speed_m_s) = (self.foot.kind.height_m(limits), spread(ground_m_s, limits.speed_m_s));
        let below = |factor: f32| {
            let speeds = self.motion.velocity_m_s.iter().map(|v| v.distance(ground_m_s));
            let slow_and_low = |(h, v): (f32, f32)| h < height_m * factor && v < speed_m_s * factor;
            self.heights_m().zip(speeds).map(slow_and_low).collect::<Vec<_>>()
        };
        let is_up: Vec<_> = below(limits.release_factor).into_iter().map(|b| !b).collect();
        let flags = hysteresis(&below(1.0), &is_up, looping);
        let flags = median(&flags, window_samples(limits.median_secs, rate_hz), looping);
        let time = |sample: usize| (sample as f64 / rate_hz) as f32;
        // A foot that stays down throughout a loop is in contact until the clip's end.
        let last = |start: usize, len: usize| if looping && len == flags.len() { len } else { start + len - 1 };
        runs(&flags, looping)
            .into_iter()
            .filter(|&(_, len)| len >= limits.min_samples.max(2))
            .map(|(start, len)| Contact {
                foot,
                start_secs: time(start),
                end_secs: time(last(start, len)),
                source_m: 0.0,
            })
            .collect()
    }
}

/// Horizontal velocities of every foot while it is low.
fn low_velocities(lifts: &[Lift<'_>], limits: &ContactSettings) -> Vec<Vec3> {
    let low = lifts.iter().flat_map(|lift| {
        let height_m = lift.foot.kind.height_m(limits);
        let velocities = lift.motion.velocity_m_s.iter().map(|v| v.with_y(0.0));
        lift.heights_m().zip(velocities).filter(move |&(h, _)| h < height_m).map(|(_, v)| v)
    });
    low.collect()
}

/// Mean horizontal velocity of a joint over the clip.
fn mean_velocity(raw: &ModelTrack, joint: usize) -> Vec3 {
    let duration_secs = raw.grid().duration_secs();
    let way = (raw.origin(raw.steps() - 1, joint) - raw.origin(0, joint)).with_y(0.0);
    if duration_secs > 0.0 { way / duration_secs } else { Vec3::ZERO }
}
