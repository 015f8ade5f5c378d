use glam::{Vec2, Vec3};

/// A sphere swept along a segment, with a radius that changes linearly.
#[derive(Clone, Copy)]
pub struct RoundCone {
    pub a: Vec3,
    pub b: Vec3,
    pub radius_a: f32,
    pub radius_b: f32,
}

impl RoundCone {
    /// Distance to the surface, negative inside. Exact only if the radii are equal, close for small differences.
    pub fn distance(&self, p: Vec3) -> f32 {
        let t = along(p, self.a, self.b);
        p.distance(self.a.lerp(self.b, t)) - (self.radius_a + (self.radius_b - self.radius_a) * t)
    }
}

/// Shorthand for a round cone.
pub fn cone(a: Vec3, radius_a: f32, b: Vec3, radius_b: f32) -> RoundCone {
    RoundCone { a, b, radius_a, radius_b }
}

/// Position of the segment's nearest point to `p`: 0 at `a`, 1 at `b`.
pub fn along(p: Vec3, a: Vec3, b: Vec3) -> f32 {
    let ab = b - a;
    ((p - a).dot(ab) / ab.length_squared()).clamp(0.0, 1.0)
}

/// Distance to an ellipsoid, exact to first order near its surface.
pub fn ellipsoid(p: Vec3, center: Vec3, radii: Vec3) -> f32 {
    let q = p - center;
    let (k0, k1) = ((q / radii).length(), (q / (radii * radii)).length());
    if k1 < 1e-6 { -radii.min_element() } else { k0 * (k0 - 1.0) / k1 }
}

/// Distance in the ground plane to a disc of radius `a.z` at `a.xy`, swept to a disc of radius `b.z` at `b.xy`.
pub fn footprint(p: Vec2, a: Vec3, b: Vec3) -> f32 {
    let flat = |v: Vec3| Vec3::new(v.x, 0.0, v.y);
    cone(flat(a), a.z, flat(b), b.z).distance(Vec3::new(p.x, 0.0, p.y))
}

/// Union that fills the crease between two shapes over the length `k`.
pub fn blend(a: f32, b: f32, k: f32) -> f32 {
    let h = (k - (a - b).abs()).max(0.0) / k;
    a.min(b) - h * h * k * 0.25
}

/// Intersection with a rounded edge of length `k`.
pub fn carve(a: f32, b: f32, k: f32) -> f32 {
    -blend(-a, -b, k)
}

/// Zero below `a`, one above `b`, smooth between.
pub fn smoothstep(a: f32, b: f32, x: f32) -> f32 {
    let t = ((x - a) / (b - a)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Unit gradient of a distance field.
pub fn gradient(field: impl Fn(Vec3) -> f32, p: Vec3) -> Vec3 {
    const STEP: f32 = 1e-3;
    let d = |axis: Vec3| field(p + axis * STEP) - field(p - axis * STEP);
    Vec3::new(d(Vec3::X), d(Vec3::Y), d(Vec3::Z)).normalize_or(Vec3::Y)
}
