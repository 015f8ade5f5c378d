use glam::Vec3;
use posepress_core::math::Transform;
use posepress_core::model::{Joint, Skeleton};

/// A joint's name, its parent's name, and its position in the bind pose (model space, metres).
struct JointPlace {
    name: String,
    parent: Option<String>,
    at: Vec3,
}

/// Direction of the left arm in the bind pose, 45 degrees below a T pose.
pub const ARM_L: Vec3 = Vec3::new(std::f32::consts::FRAC_1_SQRT_2, -std::f32::consts::FRAC_1_SQRT_2, 0.0);
/// Direction that the left palm faces in the bind pose.
pub const PALM_L: Vec3 = Vec3::new(-std::f32::consts::FRAC_1_SQRT_2, -std::f32::consts::FRAC_1_SQRT_2, 0.0);
/// Shoulder, elbow and wrist of the left arm.
pub const ARM_POINTS_L: [Vec3; 3] =
    [Vec3::new(0.176, 1.43, -0.02), Vec3::new(0.374, 1.232, -0.024), Vec3::new(0.548, 1.058, -0.004)];
/// Hip, knee, ankle and ball of the left leg.
pub const LEG_POINTS_L: [Vec3; 4] = [
    Vec3::new(0.092, 0.93, -0.004),
    Vec3::new(0.098, 0.508, 0.012),
    Vec3::new(0.102, 0.09, -0.03),
    Vec3::new(0.112, 0.028, 0.105),
];
/// Tip of the toes of the left foot.
pub const TOE_TIP_L: Vec3 = Vec3::new(0.116, 0.024, 0.185);

/// Names of the fingers, thumb first.
pub const FINGERS: [&str; 5] = ["thumb", "index", "middle", "ring", "pinky"];

/// The three joints and the tip of a finger of the left hand.
pub fn finger_points_l(finger: usize) -> [Vec3; 4] {
    let wrist = ARM_POINTS_L[2];
    let at = |along: f32, palm: f32, side: f32| wrist + ARM_L * along + PALM_L * palm + Vec3::Z * side;
    // Base along the arm and to the side, sideways slope, length, curl.
    let (base, slope, length, radius_drop) = match finger {
        0 => return [at(0.022, 0.012, 0.026), at(0.052, 0.021, 0.05), at(0.08, 0.028, 0.063), at(0.106, 0.033, 0.07)],
        1 => (at(0.092, 0.0, 0.031), 0.15, 0.076, 0.1),
        2 => (at(0.096, 0.0, 0.010), 0.04, 0.084, 0.1),
        3 => (at(0.092, 0.0, -0.011), -0.07, 0.077, 0.12),
        _ => (at(0.084, 0.0, -0.031), -0.19, 0.06, 0.14),
    };
    let bone =
        |from: Vec3, part: f32, curl: f32| from + (ARM_L + Vec3::Z * slope + PALM_L * curl).normalize() * length * part;
    let second = bone(base, 0.44, radius_drop);
    let third = bone(second, 0.31, 2.2 * radius_drop);
    [base, second, third, bone(third, 0.25, 3.4 * radius_drop)]
}

/// Mirrors a point to the other side.
pub fn mirrored(p: Vec3) -> Vec3 {
    Vec3::new(-p.x, p.y, p.z)
}

/// The joints of the figure. In the bind pose, all joints have the axes of model space.
pub fn skeleton() -> Skeleton {
    let places = places();
    let index = |name: &str| places.iter().position(|p| p.name == name);
    let joints = places.iter().map(|place| {
        let parent = place.parent.as_deref().and_then(index);
        let origin = parent.map_or(Vec3::ZERO, |p| places[p].at);
        Joint { name: place.name.clone(), parent, bind: Transform::from_translation(rounded(place.at - origin)) }
    });
    Skeleton::new(joints.collect()).expect("the figure's joints are in order")
}

/// Rounds to micrometres, so that the output does not depend on the last bits of the machine's arithmetic.
pub fn rounded(v: Vec3) -> Vec3 {
    (v * 1e6).round() / 1e6
}

fn places() -> Vec<JointPlace> {
    let mut out = Vec::new();
    let mut add = |name: &str, parent: &str, at: Vec3| {
        let parent = (!parent.is_empty()).then(|| parent.to_owned());
        out.push(JointPlace { name: name.to_owned(), parent, at });
    };
    add("root", "", Vec3::ZERO);
    add("hips", "root", Vec3::new(0.0, 0.97, 0.0));
    add("spine_01", "hips", Vec3::new(0.0, 1.06, -0.005));
    add("spine_02", "spine_01", Vec3::new(0.0, 1.175, -0.012));
    add("spine_03", "spine_02", Vec3::new(0.0, 1.3, -0.02));
    add("neck", "spine_03", Vec3::new(0.0, 1.475, -0.022));
    add("head", "neck", Vec3::new(0.0, 1.56, -0.004));
    add("jaw", "head", Vec3::new(0.0, 1.595, 0.02));
    for (side, mirror) in [("l", false), ("r", true)] {
        let m = |p: Vec3| if mirror { mirrored(p) } else { p };
        let n = |name: &str| format!("{name}_{side}");
        add_arm(&mut add, &n, &m);
        if mirror {
            let grip = ARM_POINTS_L[2] + ARM_L * 0.075 + PALM_L * 0.03;
            add("weapon_socket", "hand_r", m(grip));
        }
        add_leg(&mut add, &n, &m);
    }
    out
}

fn add_arm(add: &mut impl FnMut(&str, &str, Vec3), n: &impl Fn(&str) -> String, m: &impl Fn(Vec3) -> Vec3) {
    let [shoulder, elbow, wrist] = ARM_POINTS_L;
    add(&n("clavicle"), "spine_03", m(Vec3::new(0.025, 1.435, 0.0)));
    add(&n("upper_arm"), &n("clavicle"), m(shoulder));
    add(&n("upper_arm_twist"), &n("upper_arm"), m(shoulder.lerp(elbow, 0.1)));
    add(&n("lower_arm"), &n("upper_arm"), m(elbow));
    add(&n("lower_arm_twist"), &n("lower_arm"), m(elbow.lerp(wrist, 0.55)));
    add(&n("hand"), &n("lower_arm"), m(wrist));
    for (finger, name) in FINGERS.iter().enumerate() {
        let points = finger_points_l(finger);
        let joint = |k: usize| n(&format!("{name}_0{}", k + 1));
        for (k, &at) in points.iter().take(3).enumerate() {
            let parent = if k == 0 { n("hand") } else { joint(k - 1) };
            add(&joint(k), &parent, m(at));
        }
    }
}

fn add_leg(add: &mut impl FnMut(&str, &str, Vec3), n: &impl Fn(&str) -> String, m: &impl Fn(Vec3) -> Vec3) {
    let [hip, knee, ankle, ball] = LEG_POINTS_L;
    add(&n("upper_leg"), "hips", m(hip));
    add(&n("upper_leg_twist"), &n("upper_leg"), m(hip.lerp(knee, 0.1)));
    add(&n("lower_leg"), &n("upper_leg"), m(knee));
    add(&n("lower_leg_twist"), &n("lower_leg"), m(knee.lerp(ankle, 0.55)));
    add(&n("foot"), &n("lower_leg"), m(ankle));
    add(&n("toes"), &n("foot"), m(ball));
}
