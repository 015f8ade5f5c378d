// Lines of a width in pixels with round ends, discs, and filled areas.

struct LineIn {
    @builtin(vertex_index) corner: u32,
    @location(0) a: vec3<f32>,
    @location(1) dash_start_px: f32,
    @location(2) b: vec3<f32>,
    @location(3) width_px: f32,
    @location(4) color: vec4<f32>,
    @location(5) dashed: f32,
}

struct LinePoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) color: vec4<f32>,
    // Both ends, pixels.
    @location(1) @interpolate(flat) ends_px: vec4<f32>,
    @location(2) @interpolate(flat) half_width_px: f32,
    @location(3) @interpolate(flat) dash: vec2<f32>,
}

fn pixel(clip: vec4<f32>) -> vec2<f32> {
    return (clip.xy / clip.w * vec2<f32>(0.5, -0.5) + 0.5) * view.viewport_px;
}

@vertex
fn line_vertex(in: LineIn) -> LinePoint {
    var a = view.clip_from_world * vec4<f32>(in.a, 1.0);
    var b = view.clip_from_world * vec4<f32>(in.b, 1.0);
    var out: LinePoint;
    // Depth 0 lies at z = 0: cut what is behind the near plane.
    if a.z < 0.0 && b.z < 0.0 {
        out.clip = vec4<f32>(0.0, 0.0, -1.0, 1.0);
        return out;
    }
    if a.z < 0.0 {
        a = mix(a, b, a.z / (a.z - b.z));
    } else if b.z < 0.0 {
        b = mix(b, a, b.z / (b.z - a.z));
    }
    let a_px = pixel(a);
    let b_px = pixel(b);
    let length_px = distance(a_px, b_px);
    let along = select(vec2<f32>(1.0, 0.0), (b_px - a_px) / max(length_px, 1e-6), length_px > 1e-3);
    let across = vec2<f32>(-along.y, along.x);
    let half_width = in.width_px * 0.5;
    let reach = half_width + 1.0;
    let at_b = (in.corner & 1u) == 1u;
    let left = (in.corner & 2u) == 2u;
    let end = select(a, b, at_b);
    let px = select(a_px - along * reach, b_px + along * reach, at_b) + across * select(-reach, reach, left);
    let ndc = (px / view.viewport_px - 0.5) * vec2<f32>(2.0, -2.0);
    out.clip = vec4<f32>(ndc, end.z / end.w, 1.0);
    out.color = vec4<f32>(linear_from_srgb(in.color.rgb), in.color.a);
    out.ends_px = vec4<f32>(a_px, b_px);
    out.half_width_px = half_width;
    out.dash = vec2<f32>(in.dash_start_px, in.dashed);
    return out;
}

@fragment
fn line_fragment(in: LinePoint) -> @location(0) vec4<f32> {
    let a = in.ends_px.xy;
    let ab = in.ends_px.zw - a;
    let from_a = in.clip.xy - a;
    let along = clamp(dot(from_a, ab) / max(dot(ab, ab), 1e-6), 0.0, 1.0);
    let outside_px = length(from_a - ab * along) - in.half_width_px;
    var alpha = in.color.a * clamp(0.5 - outside_px, 0.0, 1.0);
    if in.dash.y > 0.0 {
        // 6 pixels on, 4 off.
        let phase = (in.dash.x + along * length(ab)) % 10.0;
        alpha *= clamp(3.5 - abs(phase - 3.0), 0.0, 1.0);
    }
    return vec4<f32>(in.color.rgb, alpha);
}

struct FillPoint {
    @builtin(position) clip: vec4<f32>,
    @location(0) color: vec4<f32>,
}

@vertex
fn fill_vertex(@location(0) position: vec3<f32>, @location(1) color: vec4<f32>) -> FillPoint {
    return FillPoint(view.clip_from_world * vec4<f32>(position, 1.0), vec4<f32>(linear_from_srgb(color.rgb), color.a));
}

@fragment
fn fill_fragment(in: FillPoint) -> @location(0) vec4<f32> {
    return in.color;
}
