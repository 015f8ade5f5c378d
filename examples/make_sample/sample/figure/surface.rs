use glam::{IVec3, Vec3};
use std::collections::BTreeMap;

/// A closed surface of triangles, counter-clockwise seen from outside.
#[derive(Debug, Clone, Default)]
pub struct Surface {
    pub positions: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
}

/// Cells along each edge of a block. A block is skipped if the surface cannot reach it.
const BLOCK: i32 = 8;

/// Surface nets: one vertex per cell and one quad per grid edge that the surface crosses.
///
/// `field` is a lower bound of the distance to the surface, except for a small slack at blended shapes.
pub fn surface_nets(field: &impl Fn(Vec3) -> f32, bounds: (Vec3, Vec3), cell_m: f32) -> Surface {
    let at = |c: IVec3| bounds.0 + c.as_vec3() * cell_m;
    let size = ((bounds.1 - bounds.0) / cell_m).ceil().as_ivec3();
    let mut surface = Surface::default();
    let mut vertices = BTreeMap::new();
    let mut crossings = Vec::new();
    for corner in blocks(size) {
        let half = BLOCK as f32 * 0.5;
        let center = bounds.0 + (corner.as_vec3() + half) * cell_m;
        if field(center).abs() > 1.25 * 3f32.sqrt() * half * cell_m {
            continue;
        }
        for cell in cells(corner) {
            let values = CORNERS.map(|c| field(at(cell + c)));
            if values.iter().all(|v| *v < 0.0) || values.iter().all(|v| *v >= 0.0) {
                continue;
            }
            vertices.insert(cell.to_array(), surface.positions.len() as u32);
            surface.positions.push(at(cell) + crossing_center(&values) * cell_m);
            for axis in 0..3 {
                let end = values[1 << axis];
                if (values[0] < 0.0) != (end < 0.0) {
                    crossings.push((cell, axis, values[0] < 0.0));
                }
            }
        }
    }
    for (cell, axis, leaves) in crossings {
        let (u, v) = (AXES[(axis + 1) % 3], AXES[(axis + 2) % 3]);
        let around = [cell, cell - u, cell - u - v, cell - v].map(|c| vertices.get(&c.to_array()).copied());
        if let [Some(a), Some(b), Some(c), Some(d)] = around {
            let quad = if leaves { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
            surface.triangles.extend(quad);
        }
    }
    surface
}

const AXES: [IVec3; 3] = [IVec3::X, IVec3::Y, IVec3::Z];
/// Bit 0 of the index is x, bit 1 is y, bit 2 is z.
const CORNERS: [IVec3; 8] = [
    IVec3::new(0, 0, 0),
    IVec3::new(1, 0, 0),
    IVec3::new(0, 1, 0),
    IVec3::new(1, 1, 0),
    IVec3::new(0, 0, 1),
    IVec3::new(1, 0, 1),
    IVec3::new(0, 1, 1),
    IVec3::new(1, 1, 1),
];

fn blocks(size: IVec3) -> impl Iterator<Item = IVec3> {
    let steps = |n: i32| (0..n).step_by(BLOCK as usize);
    steps(size.z).flat_map(move |z| steps(size.y).flat_map(move |y| steps(size.x).map(move |x| IVec3::new(x, y, z))))
}

fn cells(corner: IVec3) -> impl Iterator<Item = IVec3> {
    (0..BLOCK).flat_map(move |z| (0..BLOCK).flat_map(move |y| (0..BLOCK).map(move |x| corner + IVec3::new(x, y, z))))
}

/// Mean of the points at which the surface crosses the edges of a cell, in cells.
fn crossing_center(values: &[f32; 8]) -> Vec3 {
    let (mut sum, mut count) = (Vec3::ZERO, 0.0);
    for a in 0..8 {
        for axis in 0..3 {
            let b = a | 1 << axis;
            if b != a && (values[a] < 0.0) != (values[b] < 0.0) {
                let t = values[a] / (values[a] - values[b]);
                sum += CORNERS[a].as_vec3().lerp(CORNERS[b].as_vec3(), t);
                count += 1.0;
            }
        }
    }
    sum / count
}
