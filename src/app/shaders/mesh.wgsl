// Skinned meshes, and the mask of the shadow that they cast straight down.

@group(1) @binding(4) var base_color_texture: texture_2d<f32>;
@group(1) @binding(5) var material_sampler: sampler;
@group(1) @binding(6) var emissive_texture: texture_2d<f32>;
@group(1) @binding(7) var normal_texture: texture_2d<f32>;

struct VertexIn {
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) member: u32,
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
    @location(3) color: vec4<f32>,
    // On the skin, of the joints, metres.
    @location(4) errors_m: vec2<f32>,
}

@vertex
fn vertex(in: VertexIn) -> SurfacePoint {
    let skinned = skin(in.member, in.index, in.position, in.normal, in.influences, in.weights);
    var out: SurfacePoint;
    out.clip = view.clip_from_world * vec4<f32>(skinned.position, 1.0);
    out.world = skinned.position;
    out.normal = skinned.normal;
    out.uv = in.uv;
    out.color = in.color;
    out.errors_m = vec2<f32>(length(skinned.error_m), skinned.joint_error_m);
    return out;
}

// Thresholds of a pixel in a square of four by four, in an order that spreads them: (1 to 16) / 17.
fn screen_door(pixel: vec2<f32>) -> f32 {
    let at = vec2<u32>(pixel) & vec2<u32>(3u);
    let crossed = at.x ^ at.y;
    let order = ((crossed & 1u) << 3u) | ((at.y & 1u) << 2u) | (crossed & 2u) | ((at.y & 2u) >> 1u);
    return f32(order + 1u) / 17.0;
}

// Zero where there is no direction.
fn unit(vector: vec3<f32>) -> vec3<f32> {
    return vector * inverseSqrt(max(dot(vector, vector), 1e-30));
}

// A normal that leans as a map in tangent space says. The tangents follow from how texture coordinates change over the surface
// (Schueler, Normal Mapping Without Precomputed Tangents): files need not have them.
fn leaning(surface_normal: vec3<f32>, world: vec3<f32>, uv: vec2<f32>, texel: vec3<f32>) -> vec3<f32> {
    let normal = normalize(surface_normal);
    let world_x = dpdx(world);
    let world_y = -dpdy(world);
    let uv_x = dpdx(uv);
    let uv_y = -dpdy(uv);
    let across_y = cross(world_y, normal);
    let across_x = cross(normal, world_x);
    let tangent = across_y * uv_x.x + across_x * uv_y.x;
    let bitangent = across_y * uv_x.y + across_x * uv_y.y;
    let lean = (texel.xy * 2.0 - 1.0) * mesh.normal_scale;
    // Textures have their rows from the top, maps of normals green upwards.
    return unit(tangent) * lean.x - unit(bitangent) * lean.y + normal * (texel.z * 2.0 - 1.0);
}

@fragment
fn fragment(in: SurfacePoint, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let texel = textureSample(base_color_texture, material_sampler, in.uv);
    let light = textureSample(emissive_texture, material_sampler, in.uv).rgb * mesh.emissive;
    let lean = textureSample(normal_texture, material_sampler, in.uv).xyz;
    let outwards = select(-in.normal, in.normal, front);
    let leant = leaning(outwards, in.world, in.uv, lean);
    let normal = select(outwards, leant, mesh.normal_scale > 0.0);
    let alpha = mesh.base_color.a * texel.a * in.color.a;
    if alpha < select(mesh.alpha_cutoff, screen_door(in.clip.xy), mesh.alpha_cutoff > 1.0) {
        discard;
    }
    let clay = linear_from_srgb(view.clay.rgb);
    let albedo = in.color.rgb * select(mesh.base_color.rgb * texel.rgb, clay, mesh.clay != 0u);
    let shone = select(vec3<f32>(0.0), light, shows_material());
    return vec4<f32>(lit(surface(albedo, in.errors_m), normal, in.world) + shone, 1.0);
}

// The original, whichever side is drawn.
@vertex
fn ghost_vertex(in: VertexIn) -> SurfacePoint {
    let skinned = skin(in.member, in.index, in.position, in.normal, in.influences, in.weights);
    let at = skinned.raw_position;
    return SurfacePoint(view.clip_from_world * vec4<f32>(at, 1.0), at, skinned.normal, in.uv, in.color, vec2<f32>(0.0));
}

@fragment
fn ghost_fragment(in: SurfacePoint, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    return ghost(in.clip, select(-in.normal, in.normal, front), in.world);
}

@vertex
fn shadow_vertex(in: VertexIn) -> ShadowPoint {
    return shadow_point(skin(in.member, in.index, in.position, in.normal, in.influences, in.weights).position);
}
