// The vertical gradient behind everything.

struct BackgroundPoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) height: f32,
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> BackgroundPoint {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    return BackgroundPoint(vec4<f32>(corner, 1.0, 1.0), corner.y * 0.5 + 0.5);
}

@fragment
fn fragment(in: BackgroundPoint) -> @location(0) vec4<f32> {
    return vec4<f32>(background(in.height), 1.0);
}
