use super::super::figure::skeleton::LEG_POINTS_L;
use super::solve::FootPose;
use glam::{DQuat, DVec3};

/// Place of a standing foot: the ground point below its ankle, and its heading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FootPlace {
    pub at: DVec3,
    pub yaw: f64,
}

/// One step: the foot leaves the ground at `lift_secs` and lands at `to` at `land_secs`.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub lift_secs: f64,
    pub land_secs: f64,
    pub to: FootPlace,
    /// Shape of the swing.
    pub style: Style,
}

/// Shape of a step. Angles are in radians.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Heel lift over the ball at lift-off ...
    pub push: f64,
    /// ... and the time that it takes, seconds.
    pub push_secs: f64,
    /// Toe lift over the heel at landing ...
    pub strike: f64,
    /// ... and the time until the foot is flat, seconds.
    pub strike_secs: f64,
    /// Rise of the ankle above the straight path, metres.
    pub height_m: f64,
    /// Additional downward pitch of the foot in mid-air.
    pub point: f64,
}

/// All steps of one foot, in order.
#[derive(Debug, Clone)]
pub struct FootPlan {
    pub start: FootPlace,
    pub steps: Vec<Step>,
    /// 1 left, -1 right.
    pub side: f64,
}

/// Time step of the finite differences that give velocities, seconds.
const VELOCITY_STEP_SECS: f64 = 1e-4;

impl FootPlan {
    /// A foot that never moves.
    pub fn standing(start: FootPlace, side: f64) -> Self {
        Self { start, steps: Vec::new(), side }
    }

    /// The foot at a time.
    pub fn at(&self, secs: f64) -> FootPose {
        let next = self.steps.iter().position(|s| secs < s.land_secs);
        let index = next.unwrap_or(self.steps.len());
        match self.steps.get(index) {
            Some(step) if secs > step.lift_secs => self.swing(index, step, secs),
            _ => self.stand(index, secs),
        }
    }

    /// Time spans in which the whole sole is at rest: from flat to the first lift of the heel.
    pub fn flat_times(&self, end_secs: f64) -> Vec<(f64, f64)> {
        let from = |i: usize| match i.checked_sub(1).map(|i| &self.steps[i]) {
            Some(s) => s.land_secs + s.style.strike_secs,
            None => 0.0,
        };
        let to = |i: usize| self.steps.get(i).map_or(end_secs, |s| s.lift_secs - s.style.push_secs);
        (0..=self.steps.len()).map(|i| (from(i).max(0.0), to(i).min(end_secs))).filter(|(a, b)| b > a).collect()
    }

    fn place(&self, before: usize) -> FootPlace {
        before.checked_sub(1).map_or(self.start, |i| self.steps[i].to)
    }

    /// Foot on the ground before step `next`: heel strike, flat, heel lift.
    fn stand(&self, next: usize, secs: f64) -> FootPose {
        let mut roll = 0.0;
        if let Some(s) = next.checked_sub(1).map(|i| &self.steps[i]) {
            let left = 1.0 - (secs - s.land_secs) / s.style.strike_secs;
            roll -= s.style.strike * left.max(0.0).powi(2);
        }
        if let Some(s) = self.steps.get(next) {
            let done = 1.0 - (s.lift_secs - secs) / s.style.push_secs;
            roll += s.style.push * done.max(0.0).powi(2);
        }
        rolled(self.place(next), roll, self.side)
    }

    fn swing(&self, index: usize, step: &Step, secs: f64) -> FootPose {
        let span = step.land_secs - step.lift_secs;
        let s = (secs - step.lift_secs) / span;
        let h = VELOCITY_STEP_SECS;
        let (from, to) = (self.stand(index, step.lift_secs), self.stand(index + 1, step.land_secs));
        let (before, after) = (self.stand(index, step.lift_secs - h), self.stand(index + 1, step.land_secs + h));
        let rates = (span / h, span / h);
        let ankle =
            hermite(from.ankle, (from.ankle - before.ankle) * rates.0, to.ankle, (after.ankle - to.ankle) * rates.1, s);
        let scalar = |a: f64, pa: f64, b: f64, pb: f64| {
            hermite(DVec3::X * a, DVec3::X * (a - pa) * rates.0, DVec3::X * b, DVec3::X * (pb - b) * rates.1, s).x
        };
        let arch = (std::f64::consts::PI * s).sin().powi(2);
        FootPose {
            ankle: ankle + DVec3::Y * step.style.height_m * arch,
            yaw: scalar(from.yaw, from.yaw, to.yaw, to.yaw),
            pitch: scalar(from.pitch, before.pitch, to.pitch, after.pitch) + step.style.point * arch,
            toes: scalar(from.toes, before.toes, to.toes, after.toes),
        }
    }
}

/// A foot on the ground. `roll > 0` lifts the heel over the ball while the toes stay flat; `roll < 0` lifts the toes over the heel.
fn rolled(place: FootPlace, roll: f64, side: f64) -> FootPose {
    let [_, _, ankle, ball] = LEG_POINTS_L.map(|p| DVec3::new(p.x as f64 * side, p.y as f64, p.z as f64));
    let pivot = if roll > 0.0 { ball } else { DVec3::new(ankle.x, HEEL_HEIGHT_M, HEEL_Z_M) };
    let below = DVec3::new(ankle.x, 0.0, ankle.z);
    let turned = pivot + DQuat::from_rotation_x(roll) * (ankle - pivot) - below;
    FootPose {
        ankle: place.at + DQuat::from_rotation_y(place.yaw) * turned,
        yaw: place.yaw,
        pitch: roll,
        toes: -roll.max(0.0),
    }
}

/// Centre of the rounded heel edge that rolls on the ground.
const HEEL_HEIGHT_M: f64 = 0.006;
const HEEL_Z_M: f64 = -0.075;

/// Cubic with the given end values and derivatives with respect to `s`.
fn hermite(a: DVec3, da: DVec3, b: DVec3, db: DVec3, s: f64) -> DVec3 {
    let (s2, s3) = (s * s, s * s * s);
    a * (2.0 * s3 - 3.0 * s2 + 1.0) + da * (s3 - 2.0 * s2 + s) + b * (3.0 * s2 - 2.0 * s3) + db * (s3 - s2)
}
