use super::super::figure::skeleton::{ARM_L, FINGERS, PALM_L, finger_points_l};
use glam::{DMat3, DQuat, DVec3, Vec3};
use posepress_core::model::Skeleton;

/// A foot in model space; angles in radians.
#[derive(Debug, Clone, Copy)]
pub struct FootPose {
    pub ankle: DVec3,
    pub yaw: f64,
    /// Positive points the toes down.
    pub pitch: f64,
    /// Bend of the toes against the foot, negative is up.
    pub toes: f64,
}

/// Joint angles of an arm, radians. At zero it hangs straight down.
#[derive(Debug, Clone, Copy, Default)]
pub struct ArmPose {
    /// Forward from the hanging arm.
    pub swing: f64,
    /// Sideways from the hanging arm.
    pub spread: f64,
    /// Inward turn about the arm's own axis.
    pub twist: f64,
    pub elbow: f64,
    /// Turn of the hand about the forearm.
    pub pronate: f64,
    /// Towards the palm.
    pub wrist: f64,
    /// Curl of every joint of the four fingers.
    pub curl: f64,
    /// Curl of the thumb.
    pub thumb: f64,
    pub shrug: f64,
    /// Forward turn of the clavicle.
    pub reach: f64,
}

/// Pose controls at one time. Rotations are (pitch forward, yaw left, roll to the right) in radians.
#[derive(Debug, Clone)]
pub struct Controls {
    pub root_at: DVec3,
    pub root_yaw: f64,
    /// Offset from the bind pose in the root's space, metres.
    pub hips_at: DVec3,
    pub hips: DVec3,
    /// Spread over three joints.
    pub spine: DVec3,
    /// Spread over neck and head.
    pub head: DVec3,
    /// Left, right.
    pub arms: [ArmPose; 2],
    /// Left, right; in model space.
    pub feet: [FootPose; 2],
    /// Knees outward, radians.
    pub knees_out: f64,
    pub breathe_in: f64,
    pub jaw_open: f64,
    /// Small random rotations as in motion capture: one per joint, radians.
    pub noise: Vec<DVec3>,
}

/// Converts controls to local rotations and translations.
pub struct Solver {
    names: Vec<String>,
    parents: Vec<Option<usize>>,
    offsets: Vec<DVec3>,
    /// Largest distance from hip to ankle over all solved legs, as a fraction of the leg's length.
    pub most_stretched: f64,
}

/// Local transforms of a pose in double precision.
#[derive(Debug, Clone)]
pub struct Solved {
    pub rotations: Vec<DQuat>,
    pub translations: Vec<DVec3>,
}

/// Fraction of a limb's twist that its twist joint removes, and fraction that it takes from the next joint.
const UNTWIST: f64 = 0.6;
const PASS_TWIST: f64 = 0.5;

impl Solver {
    pub fn new(skeleton: &Skeleton) -> Self {
        let joints = skeleton.joints();
        Self {
            names: joints.iter().map(|j| j.name.clone()).collect(),
            parents: joints.iter().map(|j| j.parent).collect(),
            offsets: joints.iter().map(|j| j.bind.translation.as_dvec3()).collect(),
            most_stretched: 0.0,
        }
    }

    pub fn solve(&mut self, controls: &Controls) -> Solved {
        let mut out = Solved { rotations: vec![DQuat::IDENTITY; self.names.len()], translations: self.offsets.clone() };
        self.pose_trunk(controls, &mut out);
        for (arm, side) in controls.arms.iter().zip([1.0, -1.0]) {
            self.pose_arm(arm, side, &mut out);
        }
        for (rotation, turn) in out.rotations.iter_mut().zip(&controls.noise) {
            *rotation *= DQuat::from_scaled_axis(*turn);
        }
        for (foot, side) in controls.feet.iter().zip([1.0, -1.0]) {
            self.pose_leg(foot, controls.knees_out, side, &mut out);
        }
        for side in ["l", "r"] {
            self.spread_twist(side, &mut out);
        }
        out
    }

    /// Index of a joint of the figure.
    pub fn joint(&self, name: &str) -> usize {
        self.names.iter().position(|n| n == name).unwrap_or_else(|| panic!("the figure has a joint '{name}'"))
    }

    fn pose_trunk(&self, controls: &Controls, out: &mut Solved) {
        let (root, hips) = (self.joint("root"), self.joint("hips"));
        out.translations[root] += controls.root_at;
        out.rotations[root] = DQuat::from_rotation_y(controls.root_yaw);
        out.translations[hips] += controls.hips_at;
        out.rotations[hips] = turn(controls.hips);
        for name in ["spine_01", "spine_02", "spine_03"] {
            out.rotations[self.joint(name)] = turn(controls.spine / 3.0);
        }
        out.rotations[self.joint("neck")] = turn(controls.head * 0.4);
        out.rotations[self.joint("head")] = turn(controls.head * 0.6);
        out.rotations[self.joint("jaw")] = DQuat::from_rotation_x(0.12 * controls.jaw_open);
    }

    fn pose_arm(&self, arm: &ArmPose, side: f64, out: &mut Solved) {
        let name = |joint: &str| self.joint(&format!("{joint}_{}", letter(side)));
        let (along, palm) = (mirror(ARM_L, side), mirror(PALM_L, side));
        let hang = std::f64::consts::FRAC_PI_4 - arm.spread;
        out.rotations[name("clavicle")] =
            DQuat::from_rotation_z(side * arm.shrug) * DQuat::from_rotation_y(-side * arm.reach);
        out.rotations[name("upper_arm")] = DQuat::from_rotation_x(-arm.swing)
            * DQuat::from_rotation_z(-side * hang)
            * DQuat::from_axis_angle(along, side * arm.twist);
        out.rotations[name("lower_arm")] = DQuat::from_axis_angle(along.cross(DVec3::Z).normalize(), arm.elbow);
        out.rotations[name("hand")] = DQuat::from_axis_angle(along, side * arm.pronate)
            * DQuat::from_axis_angle(along.cross(palm).normalize(), arm.wrist);
        for (finger, label) in FINGERS.iter().enumerate() {
            let points = finger_points_l(finger);
            let (curl, bends) = match finger {
                0 => (arm.thumb, [0.5, 0.8, 0.8]),
                f => (arm.curl * (0.85 + 0.06 * f as f64), [0.9, 1.1, 0.8]),
            };
            for k in 0..3 {
                let bone = mirror((points[k + 1] - points[k]).normalize(), side);
                let axis = bone.cross(palm).normalize();
                out.rotations[name(&format!("{label}_0{}", k + 1))] = DQuat::from_axis_angle(axis, curl * bends[k]);
            }
        }
    }

    /// Two-bone inverse kinematics: puts the ankle exactly at its target, with the knee forward.
    fn pose_leg(&mut self, foot: &FootPose, knees_out: f64, side: f64, out: &mut Solved) {
        let name = |joint: &str| self.joint(&format!("{joint}_{}", letter(side)));
        let [upper, lower, ankle, toes] = ["upper_leg", "lower_leg", "foot", "toes"].map(name);
        let (thigh, shin) = (self.offsets[lower], self.offsets[ankle]);
        let (hips_at, hips_turn) = self.model(self.joint("hips"), out);
        let hip = hips_at + hips_turn * out.translations[upper];
        let to_ankle = foot.ankle - hip;
        let (a, b, d) = (thigh.length(), shin.length(), to_ankle.length());
        self.most_stretched = self.most_stretched.max(d / (a + b));
        let d = d.min(0.9995 * (a + b));
        let down = to_ankle.normalize();
        let hips_forward = hips_turn * DVec3::Z;
        let foot_forward = DQuat::from_rotation_y(foot.yaw) * DVec3::Z;
        let ahead = (hips_forward + foot_forward) * DVec3::new(1.0, 0.0, 1.0);
        let ahead = DQuat::from_rotation_y(side * knees_out) * ahead.normalize();
        let hinge = ahead.cross(down).normalize();
        let bend = down.cross(hinge).normalize();
        let along = (a * a - b * b + d * d) / (2.0 * d);
        let knee = hip + down * along + bend * (a * a - along * along).max(0.0).sqrt();
        let thigh_turn = between_frames(thigh, DVec3::X, knee - hip, hinge);
        let shin_turn = between_frames(shin, DVec3::X, foot.ankle - knee, hinge);
        let foot_turn = DQuat::from_rotation_y(foot.yaw) * DQuat::from_rotation_x(foot.pitch);
        out.rotations[upper] = hips_turn.inverse() * thigh_turn;
        out.rotations[lower] = thigh_turn.inverse() * shin_turn;
        out.rotations[ankle] = shin_turn.inverse() * foot_turn;
        out.rotations[toes] = DQuat::from_rotation_x(foot.toes);
    }

    fn spread_twist(&self, side: &str, out: &mut Solved) {
        let name = |joint: &str| self.joint(&format!("{joint}_{side}"));
        let mut set = |twist: &str, from: &str, axis_to: &str, part: f64| {
            let axis = self.offsets[name(axis_to)].normalize();
            out.rotations[name(twist)] = twist_about(out.rotations[name(from)], axis, part);
        };
        set("upper_arm_twist", "upper_arm", "lower_arm", -UNTWIST);
        set("lower_arm_twist", "hand", "hand", PASS_TWIST);
        set("upper_leg_twist", "upper_leg", "lower_leg", -UNTWIST);
        set("lower_leg_twist", "foot", "foot", PASS_TWIST);
    }

    fn model(&self, joint: usize, pose: &Solved) -> (DVec3, DQuat) {
        let (at, turn) = self.parents[joint].map_or((DVec3::ZERO, DQuat::IDENTITY), |p| self.model(p, pose));
        (at + turn * pose.translations[joint], turn * pose.rotations[joint])
    }
}

fn letter(side: f64) -> &'static str {
    if side > 0.0 { "l" } else { "r" }
}

fn mirror(v: Vec3, side: f64) -> DVec3 {
    let v = v.as_dvec3();
    DVec3::new(v.x * side, v.y, v.z)
}

/// Rotation from (pitch, yaw, roll): yaw, then pitch, then roll. Positive roll lowers the right side.
fn turn(angles: DVec3) -> DQuat {
    DQuat::from_rotation_y(angles.y) * DQuat::from_rotation_x(angles.x) * DQuat::from_rotation_z(angles.z)
}

/// Rotation from one pair of direction and hinge axis to another.
fn between_frames(from: DVec3, from_hinge: DVec3, to: DVec3, to_hinge: DVec3) -> DQuat {
    let frame = |along: DVec3, hinge: DVec3| {
        let x = along.normalize();
        let y = hinge.reject_from(x).normalize();
        DMat3::from_cols(x, y, x.cross(y))
    };
    DQuat::from_mat3(&(frame(to, to_hinge) * frame(from, from_hinge).transpose()))
}

/// Rotation by `part` of the twist of `rotation` about `axis`.
fn twist_about(rotation: DQuat, axis: DVec3, part: f64) -> DQuat {
    let angle = 2.0 * rotation.xyz().dot(axis).atan2(rotation.w);
    let angle = (angle + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
    DQuat::from_axis_angle(axis, angle * part)
}
