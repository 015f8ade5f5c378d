use super::ease::{bump, hump, through, wave};
use super::feet::{FootPlace, FootPlan, Step, Style};
use super::solve::{ArmPose, Controls};
use super::{Take, flat_times, relaxed};
use glam::DVec3;

const RATE_HZ: f64 = 60.0;
const SAMPLES: usize = 181;
/// A quick shuffle.
const SHUFFLE: Style =
    Style { push: 0.4, push_secs: 0.08, strike: 0.0, strike_secs: 0.05, height_m: 0.035, point: 0.1 };

/// Guard, jab, cross, a step with an uppercut, back to guard. Fast, at 60 Hz.
pub fn fight_combo() -> Take {
    let feet = [lead_foot(), rear_foot()];
    let flat_secs = flat_times(&feet, (SAMPLES - 1) as f64 / RATE_HZ);
    Take {
        name: "fight_combo",
        rate_hz: RATE_HZ,
        samples: SAMPLES,
        looping: false,
        root_steps: false,
        ground_velocity_m_s: DVec3::ZERO,
        flat_secs,
        controls: Box::new(move |secs| controls(&feet, secs)),
    }
}

fn lead_foot() -> FootPlan {
    let start = FootPlace { at: DVec3::new(0.12, 0.0, 0.14), yaw: -0.1 };
    let there = FootPlace { at: DVec3::new(0.14, 0.0, 0.36), ..start };
    let steps = vec![
        Step { lift_secs: 1.25, land_secs: 1.5, to: there, style: SHUFFLE },
        Step { lift_secs: 2.25, land_secs: 2.5, to: start, style: SHUFFLE },
    ];
    FootPlan { start, steps, side: 1.0 }
}

fn rear_foot() -> FootPlan {
    let start = FootPlace { at: DVec3::new(-0.13, 0.0, -0.22), yaw: -0.75 };
    let there = FootPlace { at: DVec3::new(-0.13, 0.0, -0.02), yaw: -0.5 };
    let steps = vec![
        Step { lift_secs: 1.48, land_secs: 1.7, to: there, style: SHUFFLE },
        Step { lift_secs: 2.5, land_secs: 2.74, to: start, style: SHUFFLE },
    ];
    FootPlan { start, steps, side: -1.0 }
}

fn controls(feet: &[FootPlan; 2], secs: f64) -> Controls {
    let jab = hump(0.38, 0.56, 0.6, 0.8, secs);
    let cross = hump(0.78, 0.96, 1.0, 1.24, secs);
    let upper = hump(1.62, 1.82, 1.88, 2.2, secs);
    let dip = bump(1.3, 1.75, secs);
    let advance = hump(1.25, 1.65, 2.25, 2.7, secs);
    let bounce = 0.008 * wave(2.2 * secs, 0.0);
    let mut c = relaxed(feet, secs);
    c.hips_at = DVec3::new(0.0, -0.09 + bounce - 0.06 * dip - 0.01 * cross, 0.02 * cross + 0.03 * jab + 0.2 * advance);
    c.hips = DVec3::new(0.08, -0.5 - 0.1 * jab + 0.45 * cross + 0.55 * upper - 0.2 * dip, 0.0);
    c.spine = DVec3::new(
        0.2 + 0.1 * dip - 0.2 * upper,
        -0.12 - 0.25 * jab + 0.5 * cross + 0.45 * upper - 0.25 * dip,
        0.06 * dip,
    );
    c.head = DVec3::new(-0.05, 0.5 + 0.3 * jab - 0.8 * cross - 0.85 * upper + 0.4 * dip, 0.0);
    c.arms = [left_arm(jab, bounce, upper), right_arm(cross, upper, dip, bounce)];
    c.knees_out = 0.12;
    c.breathe_in = through(
        &[(0.0, 0.5), (0.4, 0.9), (0.6, 0.1), (0.8, 0.5), (1.0, 0.0), (1.6, 0.9), (1.9, 0.0), (3.0, 0.5)],
        secs,
    );
    c.jaw_open = 0.5 * (jab + cross) + 0.9 * upper;
    c
}

fn guard() -> ArmPose {
    ArmPose {
        swing: 0.62,
        spread: 0.3,
        twist: 0.35,
        elbow: 2.05,
        pronate: 0.3,
        wrist: 0.05,
        curl: 1.35,
        thumb: 0.8,
        shrug: 0.1,
        reach: 0.12,
    }
}

fn left_arm(jab: f64, bounce: f64, upper: f64) -> ArmPose {
    let g = guard();
    ArmPose {
        swing: g.swing + 0.86 * jab + 2.0 * bounce + 0.1 * upper,
        spread: g.spread - 0.12 * jab,
        elbow: g.elbow - 1.9 * jab,
        pronate: g.pronate + 0.9 * jab,
        shrug: g.shrug + 0.1 * jab,
        reach: g.reach + 0.25 * jab,
        ..g
    }
}

fn right_arm(cross: f64, upper: f64, dip: f64, bounce: f64) -> ArmPose {
    let g = guard();
    ArmPose {
        swing: g.swing + 0.9 * cross + 0.95 * upper - 0.5 * dip + 2.0 * bounce,
        spread: g.spread - 0.16 * cross - 0.1 * upper,
        elbow: g.elbow - 1.92 * cross - 0.5 * upper - 0.5 * dip * (1.0 - upper),
        pronate: g.pronate + 0.9 * cross - 0.8 * upper,
        shrug: g.shrug + 0.1 * cross + 0.15 * upper,
        reach: g.reach + 0.3 * cross + 0.2 * upper,
        ..g
    }
}
