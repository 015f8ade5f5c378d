use super::ease::{bump, cubic, ease, hump, noise, through, wave};
use super::feet::{FootPlace, FootPlan, Step, Style};
use super::solve::Controls;
use super::{Take, flat_times, relaxed, rest_feet, rest_place, turned};
use glam::DVec3;
use std::f64::consts::FRAC_PI_2;

const RATE_HZ: f64 = 30.0;
/// Joints of the figure. Each gets its own noise.
const JOINTS: usize = 63;
/// Size of the capture noise, radians.
const NOISE: f64 = 0.0016;
/// A careful step.
const STEP: Style = Style { push: 0.5, push_secs: 0.16, strike: 0.1, strike_secs: 0.08, height_m: 0.06, point: 0.1 };

fn take(name: &'static str, samples: usize, feet: [FootPlan; 2], act: impl Fn(&mut Controls, f64) + 'static) -> Take {
    let flat_secs = flat_times(&feet, (samples - 1) as f64 / RATE_HZ);
    Take {
        name,
        rate_hz: RATE_HZ,
        samples,
        looping: false,
        root_steps: false,
        ground_velocity_m_s: DVec3::ZERO,
        flat_secs,
        controls: Box::new(move |secs| {
            let mut controls = relaxed(&feet, secs);
            act(&mut controls, secs);
            controls
        }),
    }
}

/// Breathing, weight shifts from leg to leg, and motion capture noise.
pub fn idle() -> Take {
    const SAMPLES: usize = 181;
    let duration_secs = (SAMPLES - 1) as f64 / RATE_HZ;
    let tracks: Vec<Vec<f64>> = (0..3 * JOINTS).map(|i| noise(i as u64 + 7, SAMPLES - 1)).collect();
    let idle = take("idle", SAMPLES, rest_feet(), move |c, secs| {
        let turns = secs / duration_secs;
        breathe(c, 2.0 * turns);
        let shift = wave(turns, 0.0);
        c.hips_at += DVec3::new(0.02 * shift, -0.004 * shift * shift, 0.004 * wave(turns, 0.2));
        c.hips += DVec3::new(0.0, 0.03 * wave(turns, 0.1), 0.025 * shift);
        c.spine += DVec3::new(0.0, -0.03 * wave(turns, 0.05), -0.035 * shift);
        c.head +=
            DVec3::new(0.02 * wave(turns, 0.4), 0.14 * wave(turns, 0.7) + 0.05 * wave(2.0 * turns, 0.2), 0.01 * shift);
        let sample = (secs * RATE_HZ).round() as usize % (SAMPLES - 1);
        c.noise = (0..JOINTS).map(|j| capture_noise(j, |axis| tracks[3 * j + axis][sample])).collect();
    });
    Take { looping: true, ..idle }
}

/// Capture noise of a joint, radians. Root and hips get none, since they move the whole body.
fn capture_noise(joint: usize, value: impl Fn(usize) -> f64) -> DVec3 {
    if joint < 2 { DVec3::ZERO } else { DVec3::new(value(0), value(1), value(2)) * NOISE }
}

/// Adds the breathing of chest, shoulders and morph target after a number of breaths.
fn breathe(c: &mut Controls, breaths: f64) {
    let air = 0.5 + 0.5 * wave(breaths, -0.25);
    c.breathe_in = air;
    c.spine.x -= 0.02 * air;
    c.head.x += 0.012 * air;
    c.hips_at.y += 0.002 * air;
    for arm in &mut c.arms {
        arm.shrug += 0.035 * air;
        arm.spread += 0.012 * air;
        arm.elbow += 0.02 * wave(breaths, -0.35);
    }
}

/// Turns left: head, then chest, then one foot after the other.
pub fn turn_90() -> Take {
    let yaw = FRAC_PI_2;
    let goal = |side: f64| {
        let rest = rest_place(side);
        FootPlace { at: turned(yaw, rest.at), yaw: rest.yaw + yaw }
    };
    let step = |lift_secs, land_secs, side: f64| Step { lift_secs, land_secs, to: goal(side), style: STEP };
    let feet = [
        FootPlan { steps: vec![step(0.42, 0.84, 1.0)], ..FootPlan::standing(rest_place(1.0), 1.0) },
        FootPlan { steps: vec![step(0.98, 1.42, -1.0)], ..FootPlan::standing(rest_place(-1.0), -1.0) },
    ];
    take("turn_90", 61, feet, move |c, secs| {
        c.root_yaw = yaw * ease(0.3, 1.4, secs);
        let look = yaw * (ease(0.05, 0.65, secs) - ease(0.3, 1.4, secs));
        c.head.y = 0.75 * look;
        c.spine.y = 0.45 * look;
        let onto_right = hump(0.15, 0.45, 0.75, 1.0, secs);
        let onto_left = hump(0.78, 1.05, 1.35, 1.75, secs);
        let world = DVec3::new(-0.05 * onto_right, 0.0, 0.0) + turned(yaw, DVec3::X * 0.05) * onto_left;
        c.hips_at +=
            turned(-c.root_yaw, world) - DVec3::Y * (0.018 * (onto_right + onto_left) + 0.012 * bump(0.2, 1.7, secs));
        c.hips.z = 0.05 * (onto_left - onto_right);
        c.spine.z = -c.hips.z;
        for (arm, side) in c.arms.iter_mut().zip([1.0, -1.0]) {
            arm.swing += 0.22 * side * bump(0.3, 1.1, secs) - 0.12 * side * bump(0.9, 1.7, secs);
            arm.spread += 0.14 * bump(0.35, 1.5, secs);
            arm.elbow += 0.15 * bump(0.4, 1.6, secs);
        }
    })
}

const TAKE_OFF_SECS: f64 = 0.62;
const LANDING_SECS: f64 = 1.16;
/// Take-off velocity that gives this flight time under gravity.
const TAKE_OFF_M_S: f64 = 9.81 * 0.5 * (LANDING_SECS - TAKE_OFF_SECS);
/// Height of the hips above rest when the feet leave the ground ...
const TIPTOE_M: f64 = 0.06;
/// ... and when they touch it again with bent knees.
const LANDING_M: f64 = -0.035;

/// Crouch, flight, and a soft landing.
pub fn jump() -> Take {
    let style = Style { push: 0.8, push_secs: 0.14, strike: 0.0, strike_secs: 0.05, height_m: 0.05, point: 0.3 };
    let step = |side| Step { lift_secs: TAKE_OFF_SECS, land_secs: LANDING_SECS, to: rest_place(side), style };
    let feet =
        [1.0, -1.0].map(|side| FootPlan { steps: vec![step(side)], ..FootPlan::standing(rest_place(side), side) });
    take("jump", 64, feet, |c, secs| {
        let crouch = hump(0.08, 0.40, 0.42, TAKE_OFF_SECS, secs);
        let give = hump(LANDING_SECS - 0.04, 1.34, 1.42, 1.95, secs);
        let flight = ((secs - TAKE_OFF_SECS) / (LANDING_SECS - TAKE_OFF_SECS)).clamp(0.0, 1.0);
        let rise_m = TAKE_OFF_M_S * (LANDING_SECS - TAKE_OFF_SECS) * flight * (1.0 - flight);
        c.hips_at += DVec3::new(0.0, jump_hips_m(secs) + rise_m, -0.07 * crouch - 0.06 * give);
        for foot in &mut c.feet {
            foot.ankle.y += rise_m;
        }
        let fold = crouch + 0.85 * give;
        c.hips.x = 0.42 * fold;
        c.spine.x += 0.38 * fold - 0.14 * bump(0.5, 0.95, secs);
        c.head.x -= 0.5 * fold;
        c.knees_out = 0.12;
        for arm in &mut c.arms {
            arm.swing +=
                through(&[(0.05, 0.0), (0.38, -0.85), (0.74, 2.1), (1.15, 0.75), (1.4, -0.15), (1.9, 0.0)], secs);
            arm.elbow += through(&[(0.1, 0.0), (0.42, 0.25), (0.6, 0.5), (0.8, 0.2), (1.2, 0.45), (1.9, 0.06)], secs);
            arm.spread += 0.25 * hump(0.5, 0.8, 1.1, 1.8, secs);
            arm.curl += 0.3 * fold;
        }
        c.jaw_open = 0.6 * bump(0.45, 1.2, secs);
    })
}

/// Height of the hips relative to standing, without the rise of the flight. With that rise, the velocity is continuous.
fn jump_hips_m(secs: f64) -> f64 {
    let off = (TAKE_OFF_SECS, TIPTOE_M, TAKE_OFF_M_S);
    let landing = (LANDING_SECS, LANDING_M, -TAKE_OFF_M_S);
    match secs {
        s if s < 0.4 => -0.26 * ease(0.05, 0.4, s),
        s if s < TAKE_OFF_SECS => cubic((0.4, -0.26, 0.0), off, s),
        s if s < LANDING_SECS => TIPTOE_M + (LANDING_M - TIPTOE_M) * ease(TAKE_OFF_SECS, LANDING_SECS, s),
        s if s < 1.38 => cubic(landing, (1.38, -0.24, 0.0), s),
        s => -0.24 * (1.0 - ease(1.38, 1.95, s)),
    }
}

/// Waves with the right hand.
pub fn wave_clip() -> Take {
    take("wave", 91, rest_feet(), |c, secs| {
        let up = hump(0.1, 0.75, 2.2, 2.9, secs);
        let shake = hump(0.6, 0.95, 2.0, 2.4, secs) * wave(1.55 * secs, 0.0);
        // Not a whole number of breaths: with equal ends, the clip would count as a loop.
        breathe(c, secs / 2.7);
        let arm = &mut c.arms[1];
        arm.spread += 1.12 * up;
        arm.swing += 0.22 * up;
        arm.twist -= 1.35 * up;
        arm.elbow += (1.62 * up) + 0.34 * shake;
        arm.wrist += -0.15 * up - 0.22 * hump(0.6, 0.95, 2.0, 2.4, secs) * wave(1.55 * secs, -0.12);
        arm.curl -= 0.22 * up;
        arm.shrug += 0.2 * up;
        c.hips_at.x += 0.022 * up;
        c.hips.z += 0.03 * up;
        c.spine += DVec3::new(0.0, -0.1 * up, 0.03 * up + 0.012 * shake);
        c.head += DVec3::new(-0.03 * up, -0.08 * up, 0.09 * up);
        c.jaw_open = 0.8 * bump(0.7, 1.1, secs) + 0.6 * bump(1.1, 1.5, secs);
    })
}

/// Idle breathing with two jumps of the root between neighbouring samples.
pub fn teleport() -> Take {
    let place = |secs: f64| match secs {
        s if s < 0.75 => DVec3::ZERO,
        s if s < 1.45 => DVec3::new(0.6, 0.0, 0.9),
        _ => DVec3::new(-0.45, 0.0, 0.3),
    };
    let still = rest_feet();
    let teleport = take("teleport", 61, rest_feet(), move |c, secs| {
        // Half a sample early, so that no sample lies exactly at a jump.
        c.root_at = place(secs + 0.5 / RATE_HZ);
        for (foot, plan) in c.feet.iter_mut().zip(&still) {
            foot.ankle = plan.at(secs).ankle + c.root_at;
        }
        breathe(c, secs);
        let brace = bump(0.45, 1.1, secs) + bump(1.15, 1.8, secs);
        c.hips_at.y -= 0.05 * brace;
        c.spine.x += 0.12 * brace;
        for arm in &mut c.arms {
            arm.elbow += 0.5 * brace;
            arm.curl += 0.5 * brace;
        }
    });
    Take { root_steps: true, flat_secs: [Vec::new(), Vec::new()], ..teleport }
}

/// T pose, one sample: arms level, fingers straight.
pub fn pose_t() -> Take {
    let feet = [1.0, -1.0].map(|side| {
        let place = FootPlace { at: DVec3::new(0.102 * side, 0.0, -0.03), yaw: 0.0 };
        FootPlan::standing(place, side)
    });
    take("pose_t", 1, feet, |c, _| {
        c.hips_at.y = -0.006;
        c.spine = DVec3::ZERO;
        c.head = DVec3::ZERO;
        c.knees_out = 0.0;
        for arm in &mut c.arms {
            *arm = super::ArmPose { spread: FRAC_PI_2, ..Default::default() };
        }
    })
}
