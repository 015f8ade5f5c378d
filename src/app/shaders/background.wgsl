// The vertical gradient behind everything.

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u)) * 2.0 - 1.0;
    return vec4<f32>(corner, 1.0, 1.0);
}

@fragment
fn fragment(@builtin(position) clip: vec4<f32>) -> @location(0) vec4<f32> {
    return vec4<f32>(background(clip.xy), 1.0);
}
