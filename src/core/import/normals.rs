use glam::Vec3;

/// Normals weighted by the area of the triangles around each vertex.
pub(super) fn smooth_normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; positions.len()];
    for &[a, b, c] in triangles {
        let [pa, pb, pc] = [a, b, c].map(|i| positions[i as usize]);
        let area = (pb - pa).cross(pc - pa);
        [a, b, c].into_iter().for_each(|i| normals[i as usize] += area);
    }
    normals
}
