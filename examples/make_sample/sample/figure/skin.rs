use super::field::cone;
use super::skeleton::{ARM_L, FINGERS, TOE_TIP_L, finger_points_l, mirrored};
use super::surface::Surface;
use glam::Vec3;
use posepress_core::model::{ModelPose, Skeleton};

/// A joint's part of the body. A vertex belongs to the nearest one before weights are smoothed.
struct Bone {
    joint: usize,
    from: Vec3,
    to: Vec3,
    radius_from: f32,
    radius_to: f32,
}

/// Rounds of averaging over neighbours. This sets the width of a bend, in edges.
const SMOOTHING_ROUNDS: usize = 7;
/// Step of the weights, so that four weights add up to exactly one in float32.
const WEIGHT_STEP: f32 = 1.0 / 1024.0;
/// Smaller weights are dropped.
const LEAST_WEIGHT: f32 = 0.02;

/// Four joints and weights per vertex: those of the nearest bone, smoothed along the surface.
pub fn weights(surface: &Surface, skeleton: &Skeleton) -> (Vec<[u16; 4]>, Vec<[f32; 4]>) {
    let bones = bones(skeleton);
    let nearest = |p: &Vec3| {
        let usable = bones.iter().filter(|b| b.from.x * p.x > -1e-4 || b.from.x == 0.0);
        let distance = |b: &Bone| cone(b.from, b.radius_from, b.to, b.radius_to).distance(*p);
        usable.min_by(|a, b| distance(a).total_cmp(&distance(b))).map_or(0, |b| b.joint)
    };
    let mut shares: Vec<Vec<f32>> = surface.positions.iter().map(|p| one_hot(nearest(p), skeleton.len())).collect();
    let neighbours = neighbours(surface);
    for _ in 0..SMOOTHING_ROUNDS {
        shares = smoothed(&shares, &neighbours);
        shares.iter_mut().zip(&surface.positions).for_each(|(s, p)| keep_on_side(s, p.x, skeleton));
    }
    shares.iter().map(|s| strongest_four(s)).unzip()
}

/// Removes the weights of the other side's limbs, except near the middle of the body.
fn keep_on_side(shares: &mut [f32], x: f32, skeleton: &Skeleton) {
    const MIDDLE_M: f32 = 0.015;
    let other = if x > 0.0 { "_r" } else { "_l" };
    for (joint, share) in shares.iter_mut().enumerate().filter(|_| x.abs() > MIDDLE_M) {
        if skeleton.name(joint).ends_with(other) {
            *share = 0.0;
        }
    }
}

fn one_hot(index: usize, len: usize) -> Vec<f32> {
    let mut out = vec![0.0; len];
    out[index] = 1.0;
    out
}

fn neighbours(surface: &Surface) -> Vec<Vec<u32>> {
    let mut out = vec![Vec::new(); surface.positions.len()];
    for &[a, b, c] in &surface.triangles {
        for (x, y, z) in [(a, b, c), (b, c, a), (c, a, b)] {
            out[x as usize].extend([y, z]);
        }
    }
    for list in &mut out {
        list.sort_unstable();
        list.dedup();
    }
    out
}

fn smoothed(shares: &[Vec<f32>], neighbours: &[Vec<u32>]) -> Vec<Vec<f32>> {
    let mix = |(own, near): (&Vec<f32>, &Vec<u32>)| {
        let mut out: Vec<f32> = own.iter().map(|w| 0.4 * w).collect();
        let part = 0.6 / near.len().max(1) as f32;
        for &n in near {
            out.iter_mut().zip(&shares[n as usize]).for_each(|(o, w)| *o += part * w);
        }
        out
    };
    shares.iter().zip(neighbours).map(mix).collect()
}

/// The four largest weights, as whole steps that add up to one. The largest absorbs the rounding.
fn strongest_four(shares: &[f32]) -> ([u16; 4], [f32; 4]) {
    let mut order: Vec<usize> = (0..shares.len()).filter(|&j| shares[j] >= LEAST_WEIGHT).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]).then(a.cmp(&b)));
    order.truncate(4);
    let sum: f32 = order.iter().map(|&j| shares[j]).sum();
    let (mut joints, mut weights) = ([0u16; 4], [0f32; 4]);
    for (slot, &joint) in order.iter().enumerate() {
        joints[slot] = joint as u16;
        weights[slot] = (shares[joint] / sum / WEIGHT_STEP).round() * WEIGHT_STEP;
    }
    weights[0] = 1.0 - weights[1] - weights[2] - weights[3];
    (joints, weights)
}

fn bones(skeleton: &Skeleton) -> Vec<Bone> {
    let bind = ModelPose::new(skeleton, &skeleton.bind_pose(0).joints);
    let find = |name: &str| skeleton.find(name).unwrap_or_else(|| panic!("the figure has a joint '{name}'"));
    let at = |name: &str| bind.origin(find(name));
    let mut out = Vec::new();
    let mut add = |name: &str, from: Vec3, to: Vec3, radius_from: f32, radius_to: f32| {
        out.push(Bone { joint: find(name), from, to, radius_from, radius_to });
    };
    let v = Vec3::new;
    add("hips", v(0.0, 0.93, -0.01), v(0.0, 1.02, 0.0), 0.11, 0.115);
    add("spine_01", at("spine_01"), v(0.0, 1.125, 0.0), 0.115, 0.11);
    add("spine_02", v(0.0, 1.16, 0.0), v(0.0, 1.25, 0.0), 0.115, 0.13);
    add("spine_03", v(0.0, 1.3, 0.0), v(0.0, 1.42, -0.01), 0.13, 0.1);
    add("neck", v(0.0, 1.49, -0.02), v(0.0, 1.54, -0.01), 0.055, 0.05);
    add("head", v(0.0, 1.6, -0.01), v(0.0, 1.68, -0.005), 0.07, 0.085);
    add("jaw", v(0.0, 1.58, 0.06), v(0.0, 1.565, 0.07), 0.026, 0.026);
    for (side, mirror) in [("l", false), ("r", true)] {
        let m = |p: Vec3| if mirror { mirrored(p) } else { p };
        let n = |name: &str| format!("{name}_{side}");
        let mut add = |name: &str, from: Vec3, to: Vec3, ra: f32, rb: f32| add(&n(name), from, to, ra, rb);
        limb_bones(&mut add, &|name| at(&n(name)), &m);
        finger_bones(&mut add, &m);
    }
    out
}

type AddBone<'a> = dyn FnMut(&str, Vec3, Vec3, f32, f32) + 'a;

fn limb_bones(add: &mut AddBone<'_>, at: &dyn Fn(&str) -> Vec3, m: &dyn Fn(Vec3) -> Vec3) {
    let [shoulder, elbow, wrist] = ["upper_arm", "lower_arm", "hand"].map(at);
    add("clavicle", m(Vec3::new(0.07, 1.45, -0.02)), shoulder.lerp(m(Vec3::new(0.07, 1.45, -0.02)), 0.3), 0.05, 0.05);
    add("upper_arm_twist", shoulder, shoulder.lerp(elbow, 0.42), 0.056, 0.047);
    add("upper_arm", shoulder.lerp(elbow, 0.5), elbow, 0.046, 0.041);
    add("lower_arm", elbow, elbow.lerp(wrist, 0.45), 0.042, 0.04);
    add("lower_arm_twist", elbow.lerp(wrist, 0.55), elbow.lerp(wrist, 0.93), 0.037, 0.031);
    let arm = m(ARM_L);
    add("hand", wrist, wrist + arm * 0.07, 0.03, 0.032);
    let [hip, knee, ankle, ball] = ["upper_leg", "lower_leg", "foot", "toes"].map(at);
    add("upper_leg_twist", hip - Vec3::Y * 0.06, hip.lerp(knee, 0.45), 0.085, 0.07);
    add("upper_leg", hip.lerp(knee, 0.55), knee, 0.066, 0.052);
    add("lower_leg", knee, knee.lerp(ankle, 0.45), 0.053, 0.05);
    add("lower_leg_twist", knee.lerp(ankle, 0.55), ankle + Vec3::Y * 0.045, 0.045, 0.04);
    add("foot", ankle + m(Vec3::new(0.0, -0.03, -0.02)), ankle.lerp(ball, 0.85), 0.05, 0.03);
    add("toes", ball.lerp(m(TOE_TIP_L), 0.15), m(TOE_TIP_L), 0.03, 0.028);
}

fn finger_bones(add: &mut AddBone<'_>, m: &dyn Fn(Vec3) -> Vec3) {
    for (finger, name) in FINGERS.iter().enumerate() {
        let points = finger_points_l(finger).map(m);
        let radii = if finger == 0 { [0.015, 0.0115, 0.01, 0.009] } else { [0.0105, 0.0095, 0.0088, 0.0077] };
        for k in 0..3 {
            add(&format!("{name}_0{}", k + 1), points[k], points[k + 1], radii[k], radii[k + 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_weights_add_up_exactly() {
        let (joints, weights) = strongest_four(&[0.011, 0.333, 0.2, 0.156, 0.1, 0.2]);
        assert_eq!(joints, [1, 2, 5, 3]);
        assert_eq!(weights.iter().sum::<f32>(), 1.0);
    }
}
