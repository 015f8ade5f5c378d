use glam::Vec4;

/// The cubic Hermite spline of glTF 2.0, appendix C.5, from value, tangent, value, tangent. Tangents are per interval.
pub fn hermite([a, out, b, into]: [Vec4; 4], t: f32, is_rotation: bool) -> Vec4 {
    let [wa, wout, wb, winto] = hermite_weights(t);
    let sum = a * wa + out * wout + b * wb + into * winto;
    if is_rotation { sum.normalize_or(a) } else { sum }
}

/// The Hermite weights of value, tangent, value, tangent.
pub fn hermite_weights(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [2.0 * t3 - 3.0 * t2 + 1.0, t3 - 2.0 * t2 + t, 3.0 * t2 - 2.0 * t3, t3 - t2]
}

/// Riot's curve between the middle two of four keys. Each tangent is a fraction of the difference between the keys before and
/// after it. Rotations take the sign of the first key.
pub fn riot_section(keys: [Vec4; 4], parts: [f32; 2], t: f32, is_rotation: bool) -> Vec4 {
    let align = |value: Vec4| if is_rotation && value.dot(keys[0]) < 0.0 { -value } else { value };
    let [before, from, to, after] = keys.map(align);
    hermite([from, (to - before) * parts[0], to, (after - from) * parts[1]], t, is_rotation)
}
