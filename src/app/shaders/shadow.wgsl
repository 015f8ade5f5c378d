// The mask of the shadow on the ground: the figure seen from above, darker the closer it is to the ground.

struct ShadowPoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) height_m: f32,
}

fn shadow_point(world: vec3<f32>) -> ShadowPoint {
    let from_figure = (world - view.figure.xyz) / view.figure.w;
    return ShadowPoint(vec4<f32>(from_figure.x, -from_figure.z, 0.5, 1.0), from_figure.y * view.figure.w);
}

@fragment
fn shadow_fragment(in: ShadowPoint) -> @location(0) vec4<f32> {
    let height = max(in.height_m, 0.0) / view.ground_scale;
    return vec4<f32>(0.3 + 0.7 * exp(-height / 0.16), 0.0, 0.0, 1.0);
}
