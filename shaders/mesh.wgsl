// Skinned meshes, and the mask of the shadow that they cast straight down.

@group(1) @binding(4) var base_color_texture: texture_2d<f32>;
@group(1) @binding(5) var base_color_sampler: sampler;

struct VertexIn {
    @builtin(vertex_index) index: u32,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) color: vec4<f32>,
    @location(4) influences: vec4<u32>,
    @location(5) weights: vec4<f32>,
}

struct SurfacePoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) color: vec3<f32>,
    // On the skin, of the joints, metres.
    @location(4) errors_m: vec2<f32>,
}

@vertex
fn vertex(in: VertexIn) -> SurfacePoint {
    let skinned = skin(in.index, in.position, in.normal, in.influences, in.weights);
    var out: SurfacePoint;
    out.clip = view.clip_from_world * vec4<f32>(skinned.position, 1.0);
    out.world = skinned.position;
    out.normal = skinned.normal;
    out.uv = in.uv;
    out.color = in.color.rgb;
    out.errors_m = vec2<f32>(length(skinned.error_m), skinned.joint_error_m);
    return out;
}

@fragment
fn fragment(in: SurfacePoint, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let texel = textureSample(base_color_texture, base_color_sampler, in.uv).rgb;
    let material = mesh.base_color.rgb * select(vec3<f32>(1.0), texel, mesh.textured != 0u);
    let clay = linear_from_srgb(view.clay.rgb);
    let albedo = in.color * select(material, clay, mesh.clay != 0u);
    let normal = select(-in.normal, in.normal, front);
    return vec4<f32>(lit(surface(albedo, in.errors_m), normal, in.world), 1.0);
}

// The original, whichever side is drawn.
@vertex
fn ghost_vertex(in: VertexIn) -> SurfacePoint {
    let skinned = skin(in.index, in.position, in.normal, in.influences, in.weights);
    let at = skinned.raw_position;
    return SurfacePoint(view.clip_from_world * vec4<f32>(at, 1.0), at, skinned.normal, in.uv, in.color.rgb, vec2<f32>(0.0));
}

@fragment
fn ghost_fragment(in: SurfacePoint, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    return ghost(in.clip, select(-in.normal, in.normal, front), in.world);
}

@vertex
fn shadow_vertex(in: VertexIn) -> ShadowPoint {
    return shadow_point(skin(in.index, in.position, in.normal, in.influences, in.weights).position);
}
