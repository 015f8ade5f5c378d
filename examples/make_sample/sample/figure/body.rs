//! The figure as a distance field. It is symmetric: only the left half is described.

use super::field::{blend, carve, cone, ellipsoid, footprint, smoothstep};
use super::skeleton::{ARM_L, ARM_POINTS_L, LEG_POINTS_L, PALM_L, finger_points_l};
use glam::{Vec2, Vec3};

/// Box around the whole figure, metres.
pub const BOUNDS: (Vec3, Vec3) = (Vec3::new(-0.74, -0.02, -0.20), Vec3::new(0.74, 1.79, 0.26));

/// Material of a part of the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clay {
    /// Skin and shirt.
    Light,
    /// Shoes, gloves, shorts, visor.
    Dark,
}

/// Distance to the surface, metres, negative inside. Far away it is a lower bound.
///
/// Parts farther away than any blend reaches are skipped.
pub fn distance(p: Vec3) -> f32 {
    let p = Vec3::new(p.x.abs(), p.y, p.z);
    let mut body = FAR_M;
    let mut join = |near: bool, part: fn(Vec3) -> f32, k: f32| {
        if near {
            body = blend(body, part(p), k);
        }
    };
    join(p.x < 0.3 && p.y > 0.72 && p.y < 1.62, torso, 0.001);
    join(p.x < 0.3 && p.y < 1.15, leg, 0.045);
    join(p.x > 0.02 && p.y > 0.9 && p.y < 1.6, arm, 0.05);
    join(p.x < 0.2 && p.y > 1.34, head, 0.035);
    join(p.x < 0.3 && p.y < 0.3, shoe, 0.01);
    join(p.distance_squared(ARM_POINTS_L[2]) < 0.09, hand, 0.001);
    body
}

/// Distance if no part is near, metres.
const FAR_M: f32 = 0.1;

fn torso(p: Vec3) -> f32 {
    let v = Vec3::new;
    let pelvis = ellipsoid(p, v(0.0, 0.955, -0.008), v(0.14, 0.1, 0.1));
    let waist = ellipsoid(p, v(0.0, 1.10, 0.004), v(0.117, 0.16, 0.087));
    let ribs = ellipsoid(p, v(0.0, 1.285, -0.006), v(0.150, 0.165, 0.105));
    let chest = ellipsoid(p, v(0.055, 1.35, 0.042), v(0.08, 0.066, 0.05));
    let glute = ellipsoid(p, v(0.07, 0.915, -0.055), v(0.075, 0.085, 0.07));
    let blade = ellipsoid(p, v(0.075, 1.36, -0.07), v(0.07, 0.085, 0.05));
    let shoulder = cone(v(0.02, 1.475, -0.026), 0.046, v(0.15, 1.416, -0.02), 0.037).distance(p);
    let trapezius = cone(v(0.0, 1.505, -0.034), 0.044, v(0.125, 1.436, -0.03), 0.03).distance(p);
    let core = blend(blend(pelvis, waist, 0.07), ribs, 0.08);
    let core = blend(blend(core, chest, 0.055), blade, 0.05);
    blend(blend(blend(core, glute, 0.035), shoulder, 0.06), trapezius, 0.05)
}

fn head(p: Vec3) -> f32 {
    let v = Vec3::new;
    let neck = cone(v(0.0, 1.45, -0.022), 0.062, v(0.0, 1.585, 0.0), 0.053).distance(p);
    let skull = ellipsoid(p, v(0.0, 1.662, -0.008), v(0.075, 0.09, 0.094));
    let face = ellipsoid(p, v(0.0, 1.612, 0.03), v(0.056, 0.078, 0.06));
    let chin = ellipsoid(p, v(0.0, 1.562, 0.058), v(0.031, 0.024, 0.028));
    let jaw = ellipsoid(p, v(0.03, 1.585, 0.03), v(0.026, 0.034, 0.044));
    let head = blend(blend(blend(skull, face, 0.05), chin, 0.035), jaw, 0.035);
    let visor = ellipsoid(p, v(0.0, 1.655, 0.016), v(0.0755, 0.034, 0.083));
    blend(blend(head, visor, 0.006), neck, 0.025)
}

fn arm(p: Vec3) -> f32 {
    let [shoulder, elbow, wrist] = ARM_POINTS_L;
    let deltoid = ellipsoid(p, shoulder + Vec3::new(0.008, -0.016, 0.0), Vec3::new(0.044, 0.056, 0.051));
    let upper = cone(shoulder - Vec3::Y * 0.006, 0.046, elbow, 0.034).distance(p);
    let biceps = cone(shoulder.lerp(elbow, 0.42) + Vec3::Z * 0.012, 0.037, shoulder.lerp(elbow, 0.66), 0.035);
    let fore = cone(elbow, 0.034, wrist, 0.026).distance(p);
    let bulk = cone(elbow.lerp(wrist, 0.14), 0.0375, elbow.lerp(wrist, 0.5), 0.0325).distance(p);
    let upper = blend(blend(upper, deltoid, 0.035), biceps.distance(p), 0.03);
    blend(upper, blend(fore, bulk, 0.03), 0.018)
}

fn leg(p: Vec3) -> f32 {
    let [hip, knee, ankle, _] = LEG_POINTS_L;
    let thigh = cone(hip - Vec3::Y * 0.02, 0.074, knee + Vec3::Y * 0.03, 0.049).distance(p);
    let quads = ellipsoid(p, hip.lerp(knee, 0.42) + Vec3::Z * 0.022, Vec3::new(0.055, 0.17, 0.054));
    let cap = ellipsoid(p, knee + Vec3::Z * 0.008, Vec3::new(0.041, 0.05, 0.044));
    let shin = cone(knee, 0.044, ankle + Vec3::Y * 0.03, 0.034).distance(p);
    let calf = ellipsoid(p, knee.lerp(ankle, 0.3) - Vec3::Z * 0.026, Vec3::new(0.046, 0.12, 0.043));
    let upper = blend(thigh, quads, 0.04);
    blend(blend(upper, cap, 0.03), blend(shin, calf, 0.045), 0.014)
}

fn shoe(p: Vec3) -> f32 {
    let v = Vec3::new;
    let collar = cone(v(0.102, 0.15, -0.03), 0.044, v(0.103, 0.06, -0.034), 0.045).distance(p);
    let collar = carve(collar, p.y - collar_m(p), 0.008);
    let heel = ellipsoid(p, v(0.103, 0.04, -0.046), v(0.041, 0.055, 0.046));
    let instep = cone(v(0.104, 0.075, -0.005), 0.043, v(0.112, 0.036, 0.1), 0.036).distance(p);
    let toes = ellipsoid(p, v(0.114, 0.03, 0.125), v(0.047, 0.037, 0.074));
    let upper = blend(blend(collar, heel, 0.03), blend(instep, toes, 0.03), 0.035);
    let print = footprint(Vec2::new(p.x, p.z), v(0.103, -0.048, 0.043), v(0.114, 0.134, 0.05));
    let plate = carve(print, (p.y - 0.011).abs() - 0.011, 0.012);
    // The upper stands on the ground; the edge of the plate is a little wider.
    carve(blend(carve(upper, -p.y, 0.006), plate, 0.008), -p.y, 0.002)
}

/// Height of the shoe's upper edge, metres.
fn collar_m(p: Vec3) -> f32 {
    0.138 - 0.14 * (p.z + 0.03)
}

fn hand(p: Vec3) -> f32 {
    let wrist = ARM_POINTS_L[2];
    let at = |along: f32, palm: f32, side: f32| wrist + ARM_L * along + PALM_L * palm + Vec3::Z * side;
    let cuff = cone(at(-0.05, 0.0, -0.001), 0.0385, at(0.0, 0.0, 0.0), 0.031).distance(p);
    let cuff = carve(cuff, -(p - at(-0.052, 0.0, 0.0)).dot(ARM_L), 0.006);
    let near = cone(at(0.02, 0.002, 0.014), 0.0185, at(0.02, 0.002, -0.014), 0.0165).distance(p);
    let knuckles = cone(at(0.083, 0.001, 0.026), 0.0135, at(0.076, 0.001, -0.026), 0.0125).distance(p);
    let bulk = cone(at(0.02, 0.002, 0.012), 0.019, at(0.078, 0.001, 0.016), 0.0145).distance(p);
    let edge = cone(at(0.02, 0.002, -0.012), 0.0175, at(0.072, 0.001, -0.017), 0.0135).distance(p);
    let middle = cone(at(0.03, 0.001, 0.0), 0.018, at(0.082, 0.0, 0.0), 0.0135).distance(p);
    let palm = blend(blend(bulk, edge, 0.012), blend(near, blend(knuckles, middle, 0.012), 0.02), 0.012);
    let palm = blend(palm, cuff, 0.03);
    let fingers = (1..5).map(|f| finger(p, f)).fold(f32::INFINITY, f32::min);
    blend(blend(palm, fingers, 0.009), finger(p, 0), 0.016)
}

fn finger(p: Vec3, finger: usize) -> f32 {
    let points = finger_points_l(finger);
    let radii = match finger {
        0 => [0.016, 0.0118, 0.0105, 0.0088],
        4 => [0.0094, 0.0085, 0.0078, 0.0068],
        _ => [0.0104, 0.0095, 0.0088, 0.0077],
    };
    let bone = |k: usize| cone(points[k], radii[k], points[k + 1], radii[k + 1]).distance(p);
    blend(blend(bone(0), bone(1), 0.004), bone(2), 0.004)
}

/// Positive in dark clay, negative in light clay. Its zero is the seam.
pub fn darkness(p: Vec3) -> f32 {
    let p = Vec3::new(p.x.abs(), p.y, p.z);
    // Gloves and shoes end in the crease at the limb.
    let glove = if p.x > 0.35 { arm(p) - hand(p) } else { -FAR_M };
    let shoe = if p.y < 0.3 { leg(p) - shoe(p) } else { -FAR_M };
    let waist = 1.035 + 0.10 * p.z - 0.10 * p.x * p.x;
    let hem = 0.715 + 0.12 * (p.x - 0.1) + 0.05 * p.z;
    let shorts = (waist - p.y).min(p.y - hem).min(0.3 - p.x);
    let visor = if p.z > 0.0 && p.y > 1.5 {
        0.9 * (0.026 - (p.y - 1.655 - 0.06 * (p.z - 0.09)).abs() * (1.0 + 4.0 * p.x * p.x / 0.0056 * 0.1))
            .min(p.z - 0.012)
    } else {
        -1.0
    };
    glove.max(shoe).max(shorts).max(visor)
}

/// Edge length that fits the detail near a point, metres.
pub fn edge_length_m(p: Vec3) -> f32 {
    let p = Vec3::new(p.x.abs(), p.y, p.z);
    let along_hand = (p - ARM_POINTS_L[2]).dot(ARM_L);
    let hand = smoothstep(0.02, -0.08, along_hand).max(smoothstep(0.36, 0.3, p.x));
    let foot = smoothstep(0.09, 0.22, p.y);
    let head = smoothstep(1.56, 1.45, p.y);
    let limb = smoothstep(0.2, 0.0, (p.x - 0.2).max(0.0));
    let from_hand = 0.0072 + (0.0175 + 0.009 * limb - 0.0072) * hand;
    from_hand.min(0.0125 + 0.014 * foot).min(0.0155 + 0.011 * head)
}
