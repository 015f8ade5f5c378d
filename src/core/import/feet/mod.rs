//! Makes feet stand still in the source: the fix for slide that no codec causes.
//!
//! The method is that of Kovar, Schreiner and Gleicher, "Footskate Cleanup for Motion Capture Editing" (2002), without stretched bones:
//! the feet get new places, the hips move where a leg is too short, and the legs turn so that the feet get there.

mod hips;
mod leg;
mod places;

use crate::math::Transform;
use crate::metrics::{ContactPlan, ContactSettings, FootContacts, ModelTrack, Open};
use crate::model::{Clip, ClipError, ClipSampler, ModelPose, Rig};
use glam::{Affine3A, Vec3};
use hips::hip_shifts;
use leg::Leg;
use places::Places;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Steps per sample in the search for contacts, as in a comparison.
const SUB_FRAMES: usize = 4;
/// A foot that moves by less than this stays as it is, metres.
const LEAST_M: f32 = 1e-6;
/// The feet of a clip stand if they slide by less than this, for a person.
const STANDS_M: f32 = 5e-4;
/// A foot that slides farther than this, for a person, does not stand. [`crate::import::Fix::Feet`] leaves it as it is. Metres.
pub const HELD_UP_TO_M: f32 = 0.3;
/// Contacts of a leg that jolts are held up to this share of [`HELD_UP_TO_M`].
pub(super) const JOLTING_SHARE: f32 = 0.5;
/// Each pass holds the contacts that the pass before left. Feet that roll and turn are carried by other points once they stand.
const PASSES: usize = 4;

/// The effect of the fix on a clip.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct FeetChange {
    /// Contacts that slid.
    pub(super) contacts: usize,
    /// Contacts that slide too far to be stands, and stay as they are.
    pub(super) left: usize,
    /// The largest slide before, of those that slid.
    pub(super) slide_m: f32,
    /// The foot with that slide.
    pub(super) joint: usize,
    /// The largest way of a foot from its old place.
    pub(super) foot_m: f32,
    /// The largest way of the hips.
    pub(super) hips_m: f32,
    /// The largest distance of a foot from its new place, because its leg is too short or does not bend.
    pub(super) missed_m: f32,
}

/// Returns the clip with feet that stand still during their contacts, and the effect. `None` if no foot slides.
///
/// Contacts are found with the default settings, except those of feet in `drawn`. Drawn contacts are held however far they slide. If a leg
/// jolts then, its contacts that slide far are left as they are. During a contact, the carrying point of the sole keeps its place. The middle of its way is
/// that place. In the swing between two contacts the change eases from one to the next. Feet keep their rotations, knees bend about their
/// own axes. Heights stay. Additive clips stay as they are, because their feet are not where they seem.
///
/// # Errors
/// [`ClipError`] if numbers overflow.
pub(super) fn standing(
    rig: &Rig,
    clip: &Clip,
    drawn: &[FootContacts],
) -> Result<Option<(Clip, FeetChange)>, ClipError> {
    if clip.additive().is_some() || clip.samples() < 2 || !clip.fits(&rig.skeleton) {
        return Ok(None);
    }
    let mut jolting = BTreeSet::new();
    loop {
        let Some(first) = Sliding::find(rig, clip, drawn, &jolting) else { return Ok(None) };
        let (fixed, change) = first.held_in_passes(rig, clip, drawn, &jolting)?;
        let jolts = first.legs.iter().filter(|leg| leg.jolts(clip, &fixed)).map(|leg| leg.joint);
        let before = jolting.len();
        jolting.extend(jolts);
        if jolting.len() == before {
            return Ok(Some((fixed, change)));
        }
    }
}

/// A clip whose feet slide, with the places where they would stand.
struct Sliding {
    scale: f32,
    legs: Vec<Leg>,
    places: Vec<Places>,
    contacts: usize,
    left: usize,
    slide_m: f32,
    /// The foot that slides most.
    joint: usize,
}

impl Sliding {
    /// `None` if no foot slides.
    fn find(rig: &Rig, clip: &Clip, drawn: &[FootContacts], jolting: &BTreeSet<usize>) -> Option<Self> {
        let (bones, shared) = (Rig::from_skeleton("", rig.skeleton.clone()), Arc::new(clip.clone()));
        let open: Open = Box::new(move || Box::new(ClipSampler::new(shared.clone())));
        // A long take is sampled on demand.
        let raw = ModelTrack::sampled_by(bones.into(), open, clip.grid(), SUB_FRAMES, clip.float_tracks());
        let settings = ContactSettings { by_hand: drawn.to_vec(), ..ContactSettings::default() };
        let plan = ContactPlan::find(rig, clip, &raw, &settings);
        let legs = Leg::all(rig, clip, &plan);
        let on_legs = plan.contacts.iter().filter(|contact| legs.iter().any(|leg| leg.foot == contact.foot));
        let is_drawn = |foot: usize| drawn.iter().any(|drawn| drawn.joint == rig.skeleton.name(plan.feet[foot].joint));
        let most_m = |foot: usize| {
            let share = if jolting.contains(&plan.feet[foot].joint) { JOLTING_SHARE } else { 1.0 };
            HELD_UP_TO_M * plan.scale * share
        };
        let (stands, beyond): (Vec<_>, Vec<_>) =
            on_legs.partition(|contact| contact.source.slide_m <= most_m(contact.foot) || is_drawn(contact.foot));
        let places: Vec<_> = legs.iter().map(|leg| Places::find(leg.foot, clip, &stands)).collect();
        let worst = stands.iter().max_by(|a, b| a.source.slide_m.total_cmp(&b.source.slide_m))?;
        let (slide_m, joint) = (worst.source.slide_m, plan.feet[worst.foot].joint);
        let slid = stands.iter().filter(|contact| contact.source.slide_m >= STANDS_M * plan.scale);
        let (scale, contacts, left) = (plan.scale, slid.count(), beyond.len());
        let moves = places.iter().any(|places| places.most_m() >= LEAST_M);
        moves.then_some(Self { scale, legs, places, contacts, left, slide_m, joint })
    }

    /// The clip with feet that stand still, pass after pass, and the effect.
    fn held_in_passes(
        &self,
        rig: &Rig,
        clip: &Clip,
        drawn: &[FootContacts],
        jolting: &BTreeSet<usize>,
    ) -> Result<(Clip, FeetChange), ClipError> {
        let (mut fixed, mut missed_m) = self.held(rig, clip)?;
        for _ in 1..PASSES {
            let Some(left) = Self::find(rig, &fixed, drawn, jolting).filter(Self::is_seen) else { break };
            (fixed, missed_m) = left.held(rig, &fixed)?;
        }
        let [hips_m, foot_m] = self.moved_m(rig, clip, &fixed);
        let moves = |joint: usize| clip.track(joint).ne(fixed.track(joint));
        let keys = clip.keys().iter().filter(|track| !moves(usize::from(track.joint))).cloned().collect();
        let Self { contacts, left, slide_m, joint, .. } = *self;
        Ok((fixed.with_keys(keys), FeetChange { contacts, left, slide_m, joint, foot_m, hips_m, missed_m }))
    }

    fn is_seen(&self) -> bool {
        self.slide_m >= STANDS_M * self.scale
    }

    /// The clip with the feet at their places, and the largest distance of a foot from its place.
    fn held(&self, rig: &Rig, clip: &Clip) -> Result<(Clip, f32), ClipError> {
        let models: Vec<_> = (0..clip.samples()).map(|at| ModelPose::new(&rig.skeleton, clip.pose(at))).collect();
        let targets = |at: usize| -> Vec<Vec3> {
            let feet = self.legs.iter().zip(&self.places);
            feet.map(|(leg, places)| models[at].origin(leg.joint) + places.at(at)).collect()
        };
        let targets: Vec<_> = (0..clip.samples()).map(targets).collect();
        let shifts = hip_shifts(clip, &self.legs, &models, &targets);
        let pose = |at: usize| self.pose(rig, clip.pose(at), &models[at], &targets[at], shifts[at]);
        let posed: Vec<_> = (0..clip.samples()).into_par_iter().map(pose).collect();
        let missed_m = posed.iter().map(|posed| posed.1).fold(0.0, f32::max);
        let held = clip.edited(|data| data.transforms = posed.into_iter().flat_map(|posed| posed.0).collect())?;
        Ok((held, missed_m))
    }

    /// Moves the hips of one pose, then turns every leg so that its foot is at its target. Also returns the largest distance of a foot
    /// from its target.
    fn pose(
        &self,
        rig: &Rig,
        pose: &[Transform],
        model: &ModelPose,
        targets: &[Vec3],
        shift: Vec3,
    ) -> (Vec<Transform>, f32) {
        let mut posed = pose.to_vec();
        let moves = |(leg, target): (&Leg, &Vec3)| model.origin(leg.joint).distance(*target) >= LEAST_M;
        if shift.length() < LEAST_M && !self.legs.iter().zip(targets).any(moves) {
            return (posed, 0.0);
        }
        if let Some(hips) = self.legs.first().map(|leg| leg.hips) {
            let above = rig.skeleton.parent(hips).map_or(Affine3A::IDENTITY, |parent| model.joints[parent]);
            posed[hips].translation += above.inverse().transform_vector3(shift);
        }
        let mut moved = model.clone();
        moved.update(&rig.skeleton, &posed);
        let legs = self.legs.iter().zip(targets);
        let missed = legs.map(|(leg, to)| leg.reach(&rig.skeleton, pose, &mut posed, &mut moved, *to).distance(*to));
        let missed_m = missed.fold(0.0, f32::max);
        (posed, missed_m)
    }

    /// The largest ways of hips and feet from one clip to another.
    fn moved_m(&self, rig: &Rig, from: &Clip, to: &Clip) -> [f32; 2] {
        let mut largest = [0.0f32; 2];
        for at in 0..from.samples() {
            let [from, to] = [from, to].map(|clip| ModelPose::new(&rig.skeleton, clip.pose(at)));
            let moved_m = |joint: usize| from.origin(joint).distance(to.origin(joint));
            for leg in &self.legs {
                largest = [largest[0].max(moved_m(leg.hips)), largest[1].max(moved_m(leg.joint))];
            }
        }
        largest
    }
}
