// Copies a finished viewport picture into egui's pass, pixel by pixel.

@group(0) @binding(0) var picture: texture_2d<f32>;

struct BlitPoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> BlitPoint {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u));
    return BlitPoint(vec4<f32>(corner * 2.0 - 1.0, 0.0, 1.0), vec2<f32>(corner.x, 1.0 - corner.y));
}

@fragment
fn fragment(in: BlitPoint) -> @location(0) vec4<f32> {
    let size = textureDimensions(picture);
    let at = min(vec2<u32>(max(in.uv, vec2<f32>(0.0)) * vec2<f32>(size)), size - 1u);
    return vec4<f32>(textureLoad(picture, at, 0).rgb, 1.0);
}
