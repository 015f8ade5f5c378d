// Rigs without a mesh: one shaded capsule a bone, one sphere a leaf. Ends follow the joints, so a bone whose length
// changes is drawn as it is.

@group(0) @binding(1) var<storage, read> joints: array<mat3x4<f32>>;
@group(0) @binding(2) var<storage, read> scalars: array<f32>;

struct VertexIn {
    // Direction from the nearer end of the capsule, y along the bone.
    @location(0) outward: vec3<f32>,
    // 0 at `from`, 1 at `to`.
    @location(1) end: f32,
    @location(2) from_joint: u32,
    @location(3) to_joint: u32,
    // In the space of `to_joint`.
    @location(4) to_offset: vec3<f32>,
    // At both ends, metres.
    @location(5) radii_m: vec2<f32>,
    // Character of a crowd.
    @location(6) member: u32,
}

struct SurfacePoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) errors_m: vec2<f32>,
}

struct BonePoint {
    position: vec3<f32>,
    normal: vec3<f32>,
    errors_m: vec2<f32>,
}

fn end_of(joint: u32, offset: vec3<f32>) -> vec3<f32> {
    return vec4<f32>(offset, 1.0) * joints[joint];
}

fn bone_point(in: VertexIn, gain: f32) -> BonePoint {
    let raw = first_joint(in.member);
    let lossy = raw + view.joint_count;
    let raw_from = end_of(raw + in.from_joint, vec3<f32>(0.0));
    let raw_to = end_of(raw + in.to_joint, in.to_offset);
    let error_from = raw_from - end_of(lossy + in.from_joint, vec3<f32>(0.0));
    let error_to = raw_to - end_of(lossy + in.to_joint, in.to_offset);
    let start = raw_from - gain * error_from;
    let stop = raw_to - gain * error_to;
    let bone = stop - start;
    let along = select(vec3<f32>(0.0, 1.0, 0.0), bone / max(length(bone), 1e-12), length(bone) > 1e-9);
    let helper = select(vec3<f32>(1.0, 0.0, 0.0), vec3<f32>(0.0, 0.0, 1.0), abs(along.x) > 0.7);
    let side = normalize(cross(along, helper));
    let front = cross(side, along);
    var out: BonePoint;
    out.normal = side * in.outward.x + along * in.outward.y + front * in.outward.z;
    out.position = mix(start, stop, in.end) + out.normal * mix(in.radii_m.x, in.radii_m.y, in.end);
    let joint_errors = first_scalar(in.member) + 2u * view.float_count;
    let joint_error = mix(scalars[joint_errors + in.from_joint], scalars[joint_errors + in.to_joint], in.end);
    out.errors_m = vec2<f32>(mix(length(error_from), length(error_to), in.end), joint_error);
    return out;
}

// How far from the original the side is drawn, in units of its error.
fn side_gain() -> f32 {
    return select(0.0, view.offset_gain, view.side == SIDE_COMPRESSED);
}

fn surface_point(point: BonePoint) -> SurfacePoint {
    return SurfacePoint(view.clip_from_world * vec4<f32>(point.position, 1.0), point.position, point.normal, point.errors_m);
}

@vertex
fn vertex(in: VertexIn) -> SurfacePoint {
    return surface_point(bone_point(in, side_gain()));
}

@vertex
fn ghost_vertex(in: VertexIn) -> SurfacePoint {
    return surface_point(bone_point(in, 0.0));
}

@fragment
fn ghost_fragment(in: SurfacePoint) -> @location(0) vec4<f32> {
    return ghost(in.clip, in.normal, in.world);
}

@fragment
fn fragment(in: SurfacePoint) -> @location(0) vec4<f32> {
    return vec4<f32>(lit(surface(linear_from_srgb(view.clay.rgb), in.errors_m), in.normal, in.world), 1.0);
}

@vertex
fn shadow_vertex(in: VertexIn) -> ShadowPoint {
    return shadow_point(bone_point(in, side_gain()).position);
}
