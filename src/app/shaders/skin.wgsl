// Linear blend skinning with both poses at once. Matrices are stored as the rows of an affine map, so that
// `vec4(point, 1) * rows` transforms a point and `vec4(vector, 0) * rows` a vector.

struct PaletteEntry {
    joint_from_mesh: mat3x4<f32>,
    joint: u32,
}

struct MeshInfo {
    base_color: vec4<f32>,
    // Linear RGB of light that it gives off.
    emissive: vec3<f32>,
    // On what the map of normals leans; zero without one.
    normal_scale: f32,
    vertex_count: u32,
    target_count: u32,
    clay: u32,
    // Alpha below this is no surface: 0 where all is, above 1 where it is the part that is seen.
    alpha_cutoff: f32,
}

// Character by character: raw matrices of every joint, then lossy ones.
@group(0) @binding(1) var<storage, read> joints: array<mat3x4<f32>>;
// Character by character: raw floats, lossy floats, error of every joint in metres.
@group(0) @binding(2) var<storage, read> scalars: array<f32>;
@group(1) @binding(0) var<uniform> mesh: MeshInfo;
@group(1) @binding(1) var<storage, read> palette: array<PaletteEntry>;
// Float track of every morph target.
@group(1) @binding(2) var<storage, read> target_tracks: array<u32>;
// Target by target, vertex by vertex: offset of the position, offset of the normal.
@group(1) @binding(3) var<storage, read> target_offsets: array<f32>;

struct Skinned {
    // Where the side is drawn: the compressed one with its offset exaggerated.
    position: vec3<f32>,
    raw_position: vec3<f32>,
    normal: vec3<f32>,
    // Raw minus lossy.
    error_m: vec3<f32>,
    joint_error_m: f32,
}

struct Morphed {
    position: vec3<f32>,
    normal: vec3<f32>,
}

fn morphed(member: u32, vertex: u32, side: u32, position: vec3<f32>, normal: vec3<f32>) -> Morphed {
    var out = Morphed(position, normal);
    for (var i = 0u; i < mesh.target_count; i++) {
        let weight = scalars[first_scalar(member) + side * view.float_count + target_tracks[i]];
        if weight != 0.0 {
            let at = (i * mesh.vertex_count + vertex) * 6u;
            out.position += weight * vec3<f32>(target_offsets[at], target_offsets[at + 1u], target_offsets[at + 2u]);
            out.normal += weight * vec3<f32>(target_offsets[at + 3u], target_offsets[at + 4u], target_offsets[at + 5u]);
        }
    }
    return out;
}

fn skin(
    member: u32, vertex: u32, position: vec3<f32>, normal: vec3<f32>, influences: vec4<u32>, weights: vec4<f32>,
) -> Skinned {
    let raw = morphed(member, vertex, SIDE_ORIGINAL, position, normal);
    let lossy = morphed(member, vertex, SIDE_COMPRESSED, position, normal);
    var out = Skinned(vec3<f32>(0.0), vec3<f32>(0.0), vec3<f32>(0.0), vec3<f32>(0.0), 0.0);
    for (var i = 0; i < 4; i++) {
        let weight = weights[i];
        if weight > 0.0 {
            let entry = palette[influences[i]];
            let raw_rows = joints[first_joint(member) + entry.joint];
            let lossy_rows = joints[first_joint(member) + view.joint_count + entry.joint];
            let bound = vec4<f32>(vec4<f32>(raw.position, 1.0) * entry.joint_from_mesh, 1.0);
            let bound_drift = vec4<f32>(vec4<f32>(raw.position - lossy.position, 0.0) * entry.joint_from_mesh, 0.0);
            out.raw_position += weight * (bound * raw_rows);
            // The difference of the matrices, not of the results: nothing is lost to cancellation.
            out.error_m += weight * (bound * (raw_rows - lossy_rows) + bound_drift * lossy_rows);
            out.joint_error_m += weight * scalars[first_scalar(member) + 2u * view.float_count + entry.joint];
            if view.side == SIDE_ORIGINAL {
                out.normal += weight * (vec4<f32>(vec4<f32>(raw.normal, 0.0) * entry.joint_from_mesh, 0.0) * raw_rows);
            } else {
                out.normal += weight * (vec4<f32>(vec4<f32>(lossy.normal, 0.0) * entry.joint_from_mesh, 0.0) * lossy_rows);
            }
        }
    }
    out.position = out.raw_position;
    if view.side == SIDE_COMPRESSED {
        out.position -= view.offset_gain * out.error_m;
    }
    return out;
}
