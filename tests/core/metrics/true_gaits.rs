//! The kinds of motion that people and animals make on their feet.

use super::true_motion::{Motion, Stand, hip};
use glam::{Quat, Vec3};
use std::f32::consts::{PI, TAU};

/// A cyclic motion along a way.
pub struct Gait {
    pub name: &'static str,
    pub legs: usize,
    pub cycle_secs: f32,
    pub stance_secs: f32,
    /// Phase of each leg.
    pub phases: [f32; 4],
    pub speed_m_s: f32,
    /// Position and yaw after some metres.
    pub way: fn(f32) -> (Vec3, f32),
    pub hips_m: f32,
    /// Farthest of the swing's detour from the straight way.
    pub detour: Vec3,
    pub flat: bool,
    /// Slide of each foot during a stand.
    pub slide_m: f32,
}

pub const WALK: Gait = Gait {
    name: "walk",
    legs: 2,
    cycle_secs: 1.063,
    stance_secs: 0.674,
    phases: [0.0, 0.5, 0.25, 0.75],
    speed_m_s: 1.3,
    way: ahead,
    hips_m: 0.88,
    detour: Vec3::new(0.0, 0.1, 0.0),
    flat: false,
    slide_m: 0.0,
};

fn ahead(metres: f32) -> (Vec3, f32) {
    (Vec3::Z * metres, 0.0)
}

fn aside(metres: f32) -> (Vec3, f32) {
    (Vec3::X * metres, 0.0)
}

fn round(metres: f32) -> (Vec3, f32) {
    let yaw = metres / 1.6;
    (Vec3::new(1.6 * (1.0 - yaw.cos()), 0.0, 1.6 * yaw.sin()), yaw)
}

fn on_the_spot(turns: f32) -> (Vec3, f32) {
    (Vec3::ZERO, turns)
}

fn uphill(metres: f32) -> (Vec3, f32) {
    (Vec3::new(0.0, 0.14, 1.0) * metres, 0.0)
}

fn upstairs(metres: f32) -> (Vec3, f32) {
    (Vec3::new(0.0, 0.6, 1.0) * metres, 0.0)
}

fn downstairs(metres: f32) -> (Vec3, f32) {
    (Vec3::new(0.0, -0.6, 1.0) * metres, 0.0)
}

fn up(metres: f32) -> (Vec3, f32) {
    (Vec3::Y * metres, 0.0)
}

impl Gait {
    pub fn motion(self, duration_secs: f32) -> Motion {
        let Self { way, speed_m_s, hips_m, .. } = self;
        let mut stands = Vec::new();
        for leg in 0..self.legs {
            for count in -3..(duration_secs / self.cycle_secs) as i32 + 3 {
                let from_secs = (count as f32 + self.phases[leg] + 0.3) * self.cycle_secs;
                let to_secs = from_secs + self.stance_secs;
                let (place, yaw) = way(speed_m_s * (from_secs + to_secs) / 2.0);
                stands.push(Stand {
                    leg,
                    from_secs,
                    to_secs,
                    place: place + Quat::from_rotation_y(yaw) * hip(leg),
                    yaw,
                    slide: Quat::from_rotation_y(yaw) * Vec3::new(0.6, 0.0, 0.8) * self.slide_m,
                    flat: self.flat,
                });
            }
        }
        let bobs_hz = 2.0 / self.cycle_secs;
        let hips = move |secs: f32| way(speed_m_s * secs).0 + Vec3::Y * (hips_m + 0.02 * (TAU * bobs_hz * secs).sin());
        Motion {
            name: self.name,
            duration_secs,
            legs: self.legs,
            stands,
            hips: Box::new(hips),
            frame: Box::new(|_| (Vec3::ZERO, 0.0)),
            detour: self.detour,
        }
    }

    /// The same without its travel.
    pub fn in_place(self, name: &'static str, duration_secs: f32) -> Motion {
        let (way, speed_m_s) = (self.way, self.speed_m_s);
        Motion { name, frame: Box::new(move |secs| way(speed_m_s * secs)), ..self.motion(duration_secs) }
    }
}

/// Every kind of motion. Feet stand as the field knows it: 62 % of a walk, a third of a run.
pub fn all() -> Vec<Motion> {
    let run =
        || Gait { name: "run", cycle_secs: 0.697, stance_secs: 0.241, speed_m_s: 3.4, detour: Vec3::Y * 0.2, ..WALK };
    let dash =
        || Gait { name: "dash", cycle_secs: 0.487, stance_secs: 0.121, speed_m_s: 7.0, detour: Vec3::Y * 0.3, ..WALK };
    let turn = || Gait { name: "turn", way: round, speed_m_s: 1.1, ..WALK };
    let strafe = || Gait { name: "strafe", way: aside, speed_m_s: 0.7, ..WALK };
    let stairs =
        || Gait { name: "stairs up", way: upstairs, speed_m_s: 0.5, stance_secs: 0.7, detour: Vec3::Y * 0.2, ..WALK };
    let down = || Gait { name: "stairs down", way: downstairs, ..stairs() };
    let slope = || Gait { name: "slope", way: uphill, speed_m_s: 1.1, ..WALK };
    let four = || Gait { name: "four legs", legs: 4, stance_secs: 0.72, speed_m_s: 1.0, ..WALK };
    let spin =
        || Gait { name: "turn on the spot", way: on_the_spot, speed_m_s: 1.2, stance_secs: 0.78, flat: true, ..WALK };
    vec![
        WALK.motion(7.0),
        WALK.in_place("walk in place", 7.0),
        run().motion(7.0),
        run().in_place("run in place", 7.0),
        dash().motion(7.0),
        dash().in_place("dash in place", 7.0),
        turn().motion(7.0),
        turn().in_place("turn in place", 7.0),
        spin().motion(7.0),
        spin().in_place("turn on the spot, in place", 7.0),
        strafe().motion(7.0),
        strafe().in_place("strafe in place", 7.0),
        stairs().motion(6.1),
        stairs().in_place("stairs up in place", 6.1),
        down().motion(6.5),
        slope().motion(6.5),
        slope().in_place("slope in place", 6.5),
        Gait {
            name: "ladder",
            way: up,
            speed_m_s: 0.3,
            stance_secs: 0.8,
            flat: true,
            detour: Vec3::new(0.0, 0.02, -0.15),
            ..WALK
        }
        .motion(5.6),
        Gait { name: "limp", phases: [0.0, 0.38, 0.0, 0.0], ..WALK }.motion(7.0),
        Gait { name: "crouch", hips_m: 0.55, speed_m_s: 0.8, stance_secs: 0.75, ..WALK }.motion(7.0),
        four().motion(7.0),
        four().in_place("four legs in place", 7.0),
        idle(),
        jump(),
        platform(),
        start_in_place(),
        turn_and_stop_in_place(),
    ]
}

/// Both feet stand from `from_secs` to `to_secs`.
fn both(from_secs: f32, to_secs: f32, place: Vec3, slide: Vec3) -> impl Iterator<Item = Stand> {
    (0..2).map(move |leg| Stand { leg, from_secs, to_secs, place: place + hip(leg), yaw: 0.0, slide, flat: true })
}

fn standing(name: &'static str, stands: Vec<Stand>, hips: impl Fn(f32) -> Vec3 + 'static) -> Motion {
    Motion {
        name,
        duration_secs: 3.0,
        legs: 2,
        stands,
        hips: Box::new(hips),
        frame: Box::new(|_| (Vec3::ZERO, 0.0)),
        detour: Vec3::Y * 0.25,
    }
}

/// Weight goes from one foot to the other.
fn idle() -> Motion {
    standing("idle", both(-1.0, 9.0, Vec3::ZERO, Vec3::ZERO).collect(), |secs| {
        Vec3::new(0.08 * (TAU * secs / 3.0).sin(), 0.86, 0.0)
    })
}

/// Crouches, is in the air from 1.0 to 1.45 s, lands half a metre ahead.
fn jump() -> Motion {
    let stands = both(-1.0, 1.0, Vec3::ZERO, Vec3::ZERO).chain(both(1.45, 9.0, Vec3::Z * 0.5, Vec3::ZERO));
    standing("jump", stands.collect(), |secs| {
        let dip = |from: f32, to: f32| {
            if (from..to).contains(&secs) { (PI * (secs - from) / (to - from)).sin() } else { 0.0 }
        };
        let (air_secs, rise) = ((secs - 1.0).clamp(0.0, 0.45), 9.81 * 0.45 / 2.0);
        let y = 0.88 - 0.2 * dip(0.4, 1.0) - 0.2 * dip(1.45, 2.0) + rise * air_secs - 9.81 / 2.0 * air_secs * air_secs;
        Vec3::new(0.0, y, 0.5 * air_secs / 0.45)
    })
}

/// Stands on a platform that moves at 0.8 m/s.
fn platform() -> Motion {
    let stands = both(-1.0, 9.0, Vec3::Z * -0.8, Vec3::Z * 8.0);
    standing("moving platform", stands.collect(), |secs| Vec3::new(0.0, 0.88, 0.8 * secs))
}

/// Stands for a second, then walks. The clip stays in place.
fn start_in_place() -> Motion {
    let walked = |secs: f32| {
        let past = (secs - 1.0).max(0.0);
        // Reaches 1.3 m/s after 0.6 s.
        if past < 0.6 { 1.3 * past * past / 1.2 } else { 1.3 * (past - 0.3) }
    };
    let mut stands: Vec<_> = both(-1.0, 1.15, Vec3::ZERO, Vec3::ZERO).collect();
    (stands[0].to_secs, stands[1].to_secs) = (1.15, 1.6);
    for step in 0..8 {
        let (leg, from_secs) = (step % 2, 1.57 + 0.55 * step as f32);
        let to_secs = from_secs + 0.68;
        let place = Vec3::Z * walked((from_secs + to_secs) / 2.0) + hip(leg);
        stands.push(Stand { leg, from_secs, to_secs, place, yaw: 0.0, slide: Vec3::ZERO, flat: false });
    }
    let frame = move |secs: f32| (Vec3::Z * walked(secs), 0.0);
    let motion = standing("start in place", stands, move |secs| Vec3::new(0.0, 0.88, walked(secs)));
    Motion { duration_secs: 4.5, frame: Box::new(frame), detour: Vec3::Y * 0.1, ..motion }
}

/// Stands, turns by a right angle with four steps, stands. The clip stays in place.
fn turn_and_stop_in_place() -> Motion {
    // From 1 s to 2.6 s, with an even start and end.
    let yaw = |secs: f32| {
        let part = ((secs - 1.0) / 1.6).clamp(0.0, 1.0);
        part * part * (3.0 - 2.0 * part) * PI / 2.0
    };
    let stand = |leg: usize, from_secs: f32, to_secs: f32, yaw: f32| Stand {
        leg,
        from_secs,
        to_secs,
        place: Quat::from_rotation_y(yaw) * hip(leg),
        yaw,
        slide: Vec3::ZERO,
        flat: true,
    };
    let stands = vec![
        stand(0, -1.0, 1.1, 0.0),
        stand(1, -1.0, 1.45, 0.0),
        stand(0, 1.4, 1.95, yaw(1.7)),
        stand(1, 1.75, 2.4, yaw(2.1)),
        stand(0, 2.25, 9.0, PI / 2.0),
        stand(1, 2.7, 9.0, PI / 2.0),
    ];
    let motion = standing("turn and stop in place", stands, |_| Vec3::Y * 0.88);
    Motion { duration_secs: 4.0, frame: Box::new(move |secs| (Vec3::ZERO, yaw(secs))), detour: Vec3::Y * 0.1, ..motion }
}
