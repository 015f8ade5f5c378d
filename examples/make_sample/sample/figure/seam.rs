use super::surface::Surface;
use glam::Vec3;
use std::collections::BTreeMap;

/// A vertex closer to the seam than this fraction of a crossing edge moves onto the seam. Otherwise the edge is cut.
const SNAP: f32 = 0.3;

/// Turns the zero line of `side` into edges, so that two colours meet sharply. Returns per triangle whether `side` is positive there.
pub fn cut(surface: &mut Surface, side: &impl Fn(Vec3) -> f32, project: &impl Fn(Vec3) -> Vec3) -> Vec<bool> {
    let mut values: Vec<f32> = surface.positions.iter().map(|&p| side(p)).collect();
    snap(surface, &mut values, side, project);
    let mut cuts = BTreeMap::new();
    let mut triangles = Vec::new();
    for triangle in std::mem::take(&mut surface.triangles) {
        split(triangle, &mut values, &mut surface.positions, &mut cuts, project, &mut triangles);
    }
    surface.triangles = triangles;
    let positive = |t: &[u32; 3]| t.iter().map(|&v| values[v as usize]).sum::<f32>() > 0.0;
    surface.triangles.iter().map(positive).collect()
}

fn snap(surface: &mut Surface, values: &mut [f32], side: &impl Fn(Vec3) -> f32, project: &impl Fn(Vec3) -> Vec3) {
    let original = surface.positions.clone();
    for triangle in &surface.triangles {
        for k in 0..3 {
            let (a, b) = (triangle[k] as usize, triangle[(k + 1) % 3] as usize);
            let (at_a, at_b) = (side(original[a]), side(original[b]));
            if at_a * at_b < 0.0 {
                let t = at_a / (at_a - at_b);
                let (near, t) = if t < 0.5 { (a, t) } else { (b, 1.0 - t) };
                if t < SNAP && values[near] != 0.0 {
                    let far = if near == a { b } else { a };
                    surface.positions[near] = project(original[near].lerp(original[far], t));
                    values[near] = 0.0;
                }
            }
        }
    }
}

fn split(
    triangle: [u32; 3],
    values: &mut Vec<f32>,
    positions: &mut Vec<Vec3>,
    cuts: &mut BTreeMap<(u32, u32), u32>,
    project: &impl Fn(Vec3) -> Vec3,
    out: &mut Vec<[u32; 3]>,
) {
    let crossing =
        |k: usize, values: &[f32]| values[triangle[k] as usize] * values[triangle[(k + 1) % 3] as usize] < 0.0;
    let Some(first) = (0..3).find(|&k| crossing(k, values) && !crossing((k + 2) % 3, values)) else {
        out.push(triangle);
        return;
    };
    // Rotated so that edge a-b is cut, perhaps also b-c, but not c-a.
    let [a, b, c] = [triangle[first], triangle[(first + 1) % 3], triangle[(first + 2) % 3]];
    let mut cut = |x: u32, y: u32, values: &mut Vec<f32>| {
        *cuts.entry((x.min(y), x.max(y))).or_insert_with(|| {
            let (x, y) = (x.min(y) as usize, x.max(y) as usize);
            let t = values[x] / (values[x] - values[y]);
            positions.push(project(positions[x].lerp(positions[y], t)));
            values.push(0.0);
            positions.len() as u32 - 1
        })
    };
    let ab = cut(a, b, values);
    if values[b as usize] * values[c as usize] < 0.0 {
        let bc = cut(b, c, values);
        out.extend([[ab, b, bc], [a, ab, bc], [a, bc, c]]);
    } else {
        out.extend([[a, ab, c], [ab, b, c]]);
    }
}
