use super::evidence::{body_moves, is_held};
use super::pairs::{Asked, Body, Pair, pairs};
use super::resting::{Rest, rests};
use super::touch::Surface;
use super::{Pin, PinSpace};
use crate::metrics::ModelTrack;
use crate::metrics::contacts::{ContactPlan, ContactSettings, PinMark, median};
use crate::model::{Clip, Rig};
use glam::Vec3A;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Pins are at least this long.
const SHORTEST_SECS: f32 = 0.2;
/// Joints are looked at about this often.
const LOOKS_HZ: f64 = 60.0;
/// Hands that hold a thing stay within this many times the distance of other pins.
const HOLD_TIMES: f32 = 2.5;
/// A joint between the pinned one and the thing that it holds moves at least this many times as far as the pinned point, and at least this many
/// times as far as [`ContactSettings::pin_m`].
const HELD_MOVES: (f32, f32) = (2.0, 1.0);
/// The same for a joint on another one that is no thing.
const TOUCHED_MOVES: (f32, f32) = (4.0, 1.0);
/// The same for a joint in the world. Limbs that turn back keep still for a moment.
const WORLD_MOVES: (f32, f32) = (8.0, 2.0);
/// A joint that stays within this share of [`ContactSettings::pin_m`] is still, even if it seems to turn back.
const TURN_LEAST: f32 = 0.15;
/// While hips sit, some joint moves at least this many times as far as [`ContactSettings::pin_m`].
const SEAT_MOVES: f32 = 2.0;
/// The pin of a hand on a long thing wins over the reverse, unless that one is this many times as long, still and near.
const GRIP_WORTH: f32 = 1.5;
/// A wrist or palm touches a body that is at most this far from it, for a person.
const TOUCH_M: f32 = 0.12;
/// The same distance for a joint without a mesh. It is larger, because the surface around the bone is unknown.
const TOUCH_BONE_M: f32 = 0.3;
/// Height of standing hips, for a person.
const HIPS_M: f32 = 0.9;
/// Hips that sit or lie are below this share of the height of standing hips.
const SEATED: f32 = 0.8;

/// Pins of a raw clip. They are fixed before compression, so that no codec can influence them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct PinPlan {
    /// Pins, ordered by joint, then time.
    pub pins: Vec<Pin>,
}

impl PinPlan {
    /// Finds pins in a raw clip whose contacts are known.
    ///
    /// A joint is pinned while a point of it stays within [`ContactSettings::pin_m`] of one place in a space, although the joints between
    /// both move. The book's page *Pins* has the rules. Pins that match [`ContactSettings::pins`] are marked.
    pub fn find(rig: &Rig, clip: &Clip, raw: &ModelTrack, contacts: &ContactPlan, settings: &ContactSettings) -> Self {
        let marks: Vec<_> = settings.pins.iter().filter_map(|line| PinMark::parse(line)).collect();
        let search = Search::new(rig, clip, raw, contacts, settings);
        let body = Body::find(rig, contacts);
        let pairs = pairs(rig, &body, &marks);
        let paths = search.paths(&pairs);
        let found: Vec<_> =
            pairs.par_iter().zip(&paths).flat_map_iter(|(pair, path)| search.pins(pair, path)).collect();
        let mut pins = search.chosen(&body, search.touching(found));
        for pin in &mut pins {
            let (joint, on) = (rig.skeleton.name(pin.joint), pin.on.name(&rig.skeleton));
            pin.marked = marks.iter().any(|mark| mark.matches(joint, on));
        }
        pins.sort_by(|a, b| a.joint.cmp(&b.joint).then(a.start_secs.total_cmp(&b.start_secs)).then(a.on.cmp(&b.on)));
        Self { pins }
    }

    /// The pins that are judged.
    pub fn marked(&self) -> impl Iterator<Item = &Pin> {
        self.pins.iter().filter(|pin| pin.marked)
    }
}

/// A pin that may be one, with what decides between pins at the same time.
struct Candidate {
    pin: Pin,
    asked: Asked,
    spread_m: f32,
    /// Distance from the body of the space, metres.
    touch_m: f32,
}

struct Search<'a> {
    rig: &'a Rig,
    raw: &'a ModelTrack,
    contacts: &'a ContactPlan,
    pin_m: f32,
    /// Steps from a moment to the next.
    stride: usize,
    moments: usize,
    looping: bool,
}

impl<'a> Search<'a> {
    fn new(
        rig: &'a Rig,
        clip: &Clip,
        raw: &'a ModelTrack,
        contacts: &'a ContactPlan,
        settings: &ContactSettings,
    ) -> Self {
        let samples = raw.grid().samples() - 1;
        let widest = ((raw.grid().rate_hz() / LOOKS_HZ + 1e-6) as usize).clamp(1, samples.max(1));
        let thinned = (1..=widest).rev().find(|stride| samples.is_multiple_of(*stride)).unwrap_or(1);
        let looping = clip.is_looping() && samples > thinned;
        let moments = samples / thinned + usize::from(!looping);
        let pin_m = settings.scaled(contacts.scale).pin_m;
        Self { rig, raw, contacts, pin_m, stride: thinned * raw.sub_frames(), moments, looping }
    }

    /// The places of every pair at every moment.
    fn paths(&self, pairs: &[Pair]) -> Vec<Vec<Vec3A>> {
        let mut paths = vec![Vec::with_capacity(self.moments); pairs.len()];
        for moment in 0..self.moments {
            let pose = self.raw.pose(moment * self.stride);
            for (pair, path) in pairs.iter().zip(&mut paths) {
                path.push(pair.place(&pose));
            }
        }
        paths
    }

    /// The pins of a pair, before it is known that it touches.
    fn pins(&self, pair: &Pair, path: &[Vec3A]) -> Vec<Candidate> {
        let moment_secs = self.secs(self.stride as i64);
        let shortest =
            if moment_secs.is_normal() { (SHORTEST_SECS / moment_secs - 1e-3).ceil() as usize + 1 } else { usize::MAX };
        let most_m = if pair.asked == Asked::Holds { self.pin_m * HOLD_TIMES } else { self.pin_m };
        let found = rests(path, most_m, shortest, self.looping);
        let candidate = |rest: Rest| {
            let spread_m = rest.spread_m(path);
            Candidate { pin: self.pin(pair, &rest), asked: pair.asked, spread_m, touch_m: 0.0 }
        };
        let turns = |rest: &Rest| {
            pair.asked == Asked::Held && rest.spread_m(path) > TURN_LEAST * self.pin_m && rest.only_turns(path)
        };
        found.into_iter().filter(|rest| !turns(rest)).map(candidate).filter(|found| self.is_shown(found)).collect()
    }

    fn pin(&self, pair: &Pair, rest: &Rest) -> Pin {
        let (start, end) = self.ends(pair, rest);
        let mut pin = Pin {
            joint: pair.joint,
            point: pair.point,
            on: pair.on,
            start_secs: self.secs(start),
            end_secs: self.secs(end),
            source_m: 0.0,
            marked: false,
        };
        let mut steps = pin.steps(self.raw).map(|step| pin.place(self.raw, step));
        let first = steps.next().unwrap_or_default();
        pin.source_m = steps.map(|place| place.distance(first)).fold(0.0, f32::max);
        pin
    }

    /// The first and the last step of a rest, to the step.
    fn ends(&self, pair: &Pair, rest: &Rest) -> (i64, i64) {
        let (stride, last) = (self.stride as i64, self.raw.steps() as i64 - 1);
        let (first, end) = (rest.first as i64 * stride, (rest.first + rest.count - 1) as i64 * stride);
        if self.looping && rest.count == self.moments {
            return (0, last);
        }
        let rests_at = |step: i64| {
            let within = if self.looping { step.rem_euclid(last) } else { step };
            (0..=last).contains(&within)
                && pair.place(&self.raw.pose(within as usize)).distance(rest.place) <= rest.end_m
        };
        let earlier = (1..stride).take_while(|by| rests_at(first - by)).count() as i64;
        let later = (1..stride).take_while(|by| rests_at(end + by)).count() as i64;
        let (start, end) = (first - earlier, end + later);
        if start < 0 { (start + last, end + last) } else { (start, end) }
    }

    fn secs(&self, step: i64) -> f32 {
        (step as f64 / (self.raw.grid().rate_hz() * self.raw.sub_frames() as f64)) as f32
    }

    /// True if the motion shows that the pin is one.
    fn is_shown(&self, found: &Candidate) -> bool {
        let Candidate { pin, asked, spread_m, .. } = found;
        match asked {
            Asked::Nothing => true,
            Asked::Held | Asked::Holds => {
                let (times, least) = match (asked, pin.on) {
                    (Asked::Holds, _) => HELD_MOVES,
                    (_, PinSpace::Joint(_)) => TOUCHED_MOVES,
                    (_, PinSpace::World) => WORLD_MOVES,
                };
                is_held(&self.rig.skeleton, self.raw, pin, (times * spread_m).max(least * self.pin_m))
            }
            Asked::Seated => {
                self.is_low(pin) && body_moves(self.raw, pin, (WORLD_MOVES.0 * spread_m).max(SEAT_MOVES * self.pin_m))
            }
        }
    }

    /// True if the joint is lower than the hips of a standing body. False for rigs without feet.
    fn is_low(&self, pin: &Pin) -> bool {
        let heights = pin.steps(self.raw).map(|step| self.raw.origin(step, pin.joint).y).collect();
        let limit_m = SEATED * HIPS_M * self.contacts.scale;
        !self.contacts.feet.is_empty() && median(heights) - self.contacts.ground_m <= limit_m
    }

    /// The candidates that touch the joint on which they keep still.
    fn touching(&self, found: Vec<Candidate>) -> Vec<Candidate> {
        if found.iter().all(|one| one.pin.on == PinSpace::World) {
            return found;
        }
        let (mut bodies, reach_m) = (BTreeMap::new(), self.rig.reach_m());
        let touches = |mut one: Candidate| {
            let PinSpace::Joint(on) = one.pin.on else { return Some(one) };
            let body = bodies.entry(on).or_insert_with(|| Surface::of(self.rig, on));
            let steps: Vec<_> = one.pin.steps(self.raw).collect();
            let step = steps[steps.len() / 2];
            let scale = self.raw.pose(step)[on].matrix3.x_axis.length().max(f32::MIN_POSITIVE);
            one.touch_m = body.distance(one.pin.place(self.raw, step) / scale) * scale;
            let most_m = if body.has_mesh() { TOUCH_M } else { TOUCH_BONE_M } * self.contacts.scale;
            let most_m = most_m.max(reach_m[one.pin.joint]);
            (one.asked == Asked::Nothing || one.touch_m <= most_m).then_some(one)
        };
        found.into_iter().filter_map(touches).collect()
    }

    /// Drops candidates that tell the same at the same time, except the longest, stillest and nearest. Those that the user named come first.
    fn chosen(&self, body: &Body, mut all: Vec<Candidate>) -> Vec<Pin> {
        let touch_m = TOUCH_M * self.contacts.scale.max(f32::MIN_POSITIVE);
        let worth = |one: &Candidate| {
            let secs = one.pin.end_secs - one.pin.start_secs;
            let secs = if one.asked == Asked::Holds { secs * GRIP_WORTH } else { secs };
            secs / (1.0 + one.spread_m / self.pin_m.max(f32::MIN_POSITIVE) + one.touch_m / touch_m)
        };
        let is_named = |one: &Candidate| one.asked == Asked::Nothing;
        all.sort_by(|a, b| is_named(b).cmp(&is_named(a)).then(worth(b).total_cmp(&worth(a))));
        let duration_secs = self.raw.time_secs(self.raw.steps() - 1);
        let mut kept: Vec<Pin> = Vec::new();
        for one in all {
            if !kept.iter().any(|pin| body.tell_same(pin, &one.pin) && share_time(pin, &one.pin, duration_secs)) {
                kept.push(one.pin);
            }
        }
        kept
    }
}

/// True if two pins share more than half of the shorter one's time.
fn share_time(a: &Pin, b: &Pin, duration_secs: f32) -> bool {
    let shared = |a: (f32, f32), b: (f32, f32)| (a.1.min(b.1) - a.0.max(b.0)).max(0.0);
    let spans = a.spans(duration_secs).flat_map(|a| b.spans(duration_secs).map(move |b| shared(a, b)));
    let shorter = (a.end_secs - a.start_secs).min(b.end_secs - b.start_secs);
    spans.sum::<f32>() > 0.5 * shorter
}
