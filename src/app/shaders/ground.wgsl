// The ground under the figure: a faded plane with two grids and the figure's soft shadow.

@group(1) @binding(0) var shadow_mask: texture_2d<f32>;
@group(1) @binding(1) var shadow_sampler: sampler;

struct GroundPoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> GroundPoint {
    let corner = vec2<f32>(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    let reach_m = 9.0 * view.ground_scale + view.crowd_reach_m;
    let world = view.figure.xyz + vec3<f32>(corner.x, 0.0, corner.y) * reach_m;
    return GroundPoint(view.clip_from_world * vec4<f32>(world, 1.0), world);
}

// How much of the pixel a grid line of about `width_px` covers.
fn grid(at: vec2<f32>, width_px: f32) -> f32 {
    let px = max(fwidth(at), vec2<f32>(1e-6));
    let distance_px = abs(fract(at - 0.5) - 0.5) / px;
    let lines = clamp(vec2<f32>(width_px * 0.5 + 0.5) - distance_px, vec2<f32>(0.0), vec2<f32>(1.0));
    // Lines closer than a few pixels would shimmer: they fade into their mean instead.
    let calm = clamp(1.0 - px * 2.5, vec2<f32>(0.0), vec2<f32>(1.0));
    let covered = lines * calm;
    return max(covered.x, covered.y);
}

fn shadow_at(world: vec3<f32>) -> f32 {
    let uv = (world.xz - view.figure.xz) / view.figure.w * 0.5 + 0.5;
    if any(uv < vec2<f32>(0.0)) || any(uv > vec2<f32>(1.0)) {
        return 0.0;
    }
    var sum = 0.0;
    // A golden-angle spiral of taps, 5.5 cm wide on a person.
    let radius = 0.055 * view.ground_scale / (2.0 * view.figure.w);
    for (var i = 0; i < 24; i++) {
        let turn = f32(i) * 2.399963;
        let tap = sqrt((f32(i) + 0.5) / 24.0) * radius * vec2<f32>(cos(turn), sin(turn));
        sum += textureSampleLevel(shadow_mask, shadow_sampler, uv + tap, 0.0).r;
    }
    return sum / 24.0;
}

@fragment
fn fragment(in: GroundPoint) -> @location(0) vec4<f32> {
    let metres = (in.world.xz - view.ground_offset_m) / view.ground_scale;
    let minor = grid(metres * 4.0, 1.0);
    let major = grid(metres, 1.3);
    let color = mix(mix(view.ground.rgb, view.grid_minor.rgb, minor * 0.55), view.grid_major.rgb, major * 0.75);
    // It fades around the figure, or around the crowd.
    let beyond_m = max(length(in.world.xz - view.figure.xz) - view.crowd_reach_m, 0.0);
    let beyond = beyond_m / view.ground_scale;
    let fade = exp(-beyond * beyond / 9.0);
    let shadow = view.shadow * shadow_at(in.world);
    return vec4<f32>(linear_from_srgb(color) * (1.0 - shadow), max(fade, shadow));
}
