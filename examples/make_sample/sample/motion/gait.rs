use super::ease::wave;
use super::feet::{FootPlace, FootPlan, Step, Style};
use super::solve::{ArmPose, Controls};
use super::{Take, flat_times, relaxed};
use glam::DVec3;

/// Parameters of a walk or a run.
#[derive(Clone, Copy)]
struct Gait {
    speed_m_s: f64,
    cycle_secs: f64,
    cycles: usize,
    /// Fraction of a cycle in which a foot is on the ground.
    stance: f64,
    style: Style,
    /// Half the distance between the feet.
    half_width_m: f64,
    /// Distance of the ankle ahead of the root at landing.
    ahead_m: f64,
    hips_m: f64,
    bob_m: f64,
    /// Time of the highest body position, in cycles after the left foot lands. It comes twice per cycle.
    top: f64,
    sway_m: f64,
    /// Drop of the hips on the side of the swinging leg, radians ...
    list: f64,
    /// ... and the time of the largest drop, in cycles after the other foot lands.
    list_at: f64,
    /// Turn of the hips with the swinging leg and counter-turn of the shoulders, radians.
    hips_yaw: f64,
    shoulders_yaw: f64,
    lean: f64,
    arm_swing: f64,
    elbow: f64,
}

const WALK: Gait = Gait {
    speed_m_s: 1.2,
    cycle_secs: 92.0 / 90.0,
    cycles: 3,
    stance: 0.62,
    style: Style { push: 0.89, push_secs: 0.18, strike: 0.3, strike_secs: 0.109, height_m: 0.01, point: 0.108 },
    half_width_m: 0.078,
    ahead_m: 0.319,
    hips_m: -0.0266,
    bob_m: 0.0173,
    top: 0.297,
    sway_m: 0.022,
    list: 0.09,
    list_at: 0.205,
    hips_yaw: 0.12,
    shoulders_yaw: 0.11,
    lean: 0.035,
    arm_swing: 0.42,
    elbow: 0.3,
};

const RUN: Gait = Gait {
    speed_m_s: 3.1,
    cycle_secs: 0.7,
    cycles: 2,
    stance: 0.34,
    style: Style { push: 1.0, push_secs: 0.12, strike: 0.12, strike_secs: 0.05, height_m: 0.3, point: 0.75 },
    half_width_m: 0.06,
    ahead_m: 0.24,
    hips_m: -0.07,
    bob_m: 0.035,
    top: 0.43,
    sway_m: 0.01,
    list: 0.07,
    list_at: 0.17,
    hips_yaw: 0.1,
    shoulders_yaw: 0.17,
    lean: 0.17,
    arm_swing: 0.75,
    elbow: 1.45,
};

pub fn walk() -> Take {
    WALK.take("walk", false)
}

pub fn walk_root_motion() -> Take {
    WALK.take("walk_root_motion", true)
}

pub fn run() -> Take {
    RUN.take("run", false)
}

const RATE_HZ: f64 = 30.0;
/// Cycles between the left foot's landing and the clip's start. At the start the right foot lands, and a view from the right
/// shows both arms.
const START: f64 = 0.5;

impl Gait {
    fn take(self, name: &'static str, travels: bool) -> Take {
        let duration_secs = self.cycle_secs * self.cycles as f64;
        let feet = [self.feet(1.0, 1.0 - START), self.feet(-1.0, 0.5 - START)];
        let velocity = DVec3::Z * self.speed_m_s;
        let flat_secs = flat_times(&feet, duration_secs);
        let controls = move |secs: f64| {
            let mut controls = self.controls(&feet, secs);
            if !travels {
                for foot in &mut controls.feet {
                    foot.ankle -= velocity * secs;
                }
                controls.root_at = DVec3::ZERO;
            }
            controls
        };
        Take {
            name,
            rate_hz: RATE_HZ,
            samples: (duration_secs * RATE_HZ).round() as usize + 1,
            looping: !travels,
            root_steps: false,
            ground_velocity_m_s: if travels { DVec3::ZERO } else { -velocity },
            flat_secs,
            controls: Box::new(controls),
        }
    }

    /// Steps from before the start to after the end, so that the clip may begin at any point of a stride.
    fn feet(&self, side: f64, phase: f64) -> FootPlan {
        let place = |cycle: f64| {
            let z = (cycle * self.cycle_secs) * self.speed_m_s + self.ahead_m;
            FootPlace { at: DVec3::new(side * self.half_width_m, 0.0, z), yaw: 0.07 * side }
        };
        let first = phase - 3.0;
        let steps = (1..self.cycles + 6).map(|k| {
            let land = first + k as f64;
            Step {
                lift_secs: (land - 1.0 + self.stance) * self.cycle_secs,
                land_secs: land * self.cycle_secs,
                to: place(land),
                style: self.style,
            }
        });
        FootPlan { start: place(first), steps: steps.collect(), side }
    }

    fn controls(&self, feet: &[FootPlan; 2], secs: f64) -> Controls {
        let turns = START + secs / self.cycle_secs;
        // One wave over the whole clip, so that no two cycles are equal.
        let clip_turns = secs / self.cycle_secs / self.cycles as f64;
        let slow = wave(clip_turns, 0.1);
        let mut c = relaxed(feet, secs);
        c.root_at = DVec3::Z * self.speed_m_s * secs;
        // The body is highest once over each foot, and it sways over the standing foot.
        let bob = wave(2.0 * turns, 0.25 - 2.0 * self.top);
        let over_left = wave(turns, 0.25 - self.stance * 0.5);
        c.hips_at = DVec3::new(self.sway_m * over_left, self.hips_m + self.bob_m * bob, 0.012 * wave(2.0 * turns, 0.4));
        let (left_ahead, left_ahead_late) = (wave(turns, 0.25), wave(turns, 0.22));
        let list = self.list * wave(turns, 0.25 - self.list_at);
        c.hips = DVec3::new(0.5 * self.lean, -self.hips_yaw * left_ahead, list);
        // The trunk leans a little over the standing foot.
        c.spine = DVec3::new(
            self.lean + 0.02 * wave(2.0 * turns, 0.4),
            (self.hips_yaw + self.shoulders_yaw + 0.02 * slow) * left_ahead_late,
            -list - 0.02 * over_left + 0.012 * slow,
        );
        c.head = DVec3::new(
            -1.1 * self.lean - 0.02 * wave(2.0 * turns, 0.32),
            -self.shoulders_yaw * left_ahead_late + 0.05 * slow,
            0.02 * over_left,
        );
        c.arms = [0.0, 0.5].map(|phase| self.arm(turns + phase, slow));
        c.knees_out = 0.05;
        c.breathe_in = 0.3 + 0.3 * wave(clip_turns, 0.6);
        c
    }

    /// Swings back while the foot of the same side is ahead. The forearm follows a little later and bends on the way forward.
    fn arm(&self, turns: f64, slow: f64) -> ArmPose {
        let forward = -wave(turns, 0.24);
        let late = -wave(turns, 0.17);
        ArmPose {
            swing: 0.04 + (self.arm_swing + 0.03 * slow) * forward - 0.08 * self.elbow,
            spread: 0.18 + 0.03 * late,
            twist: 0.05 + 0.04 * forward,
            elbow: self.elbow + 0.55 * self.arm_swing * late,
            pronate: 0.1 * late,
            wrist: 0.08 - 0.1 * late,
            curl: if self.elbow > 1.0 { 0.95 } else { 0.42 + 0.06 * late },
            thumb: 0.35,
            shrug: 0.03 * wave(2.0 * turns, 0.3) - 0.05,
            reach: 0.10 * forward,
        }
    }
}
