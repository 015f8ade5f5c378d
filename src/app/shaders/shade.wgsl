// Studio light that shows form: sky and ground, one soft key that turns with the camera, darker and cooler edges.

// Place of error / tolerance on the heat scale: linear up to the tolerance, logarithmic from there to ten times.
fn heat_position(ratio: f32) -> f32 {
    let beyond = 0.4 + 0.6 * log(clamp(ratio, 1.0, 10.0)) / log(10.0);
    return select(beyond, 0.4 * max(ratio, 0.0), ratio <= 1.0);
}

fn heat_color(error_m: f32) -> vec3<f32> {
    let position = heat_position(error_m / view.tolerance_m);
    var color = view.heat[0].rgb;
    for (var i = 1; i < 7; i++) {
        let lo = view.heat[i - 1].w;
        let hi = view.heat[i].w;
        color = mix(color, view.heat[i].rgb, clamp((position - lo) / (hi - lo), 0.0, 1.0));
    }
    return linear_from_srgb(color);
}

fn lit(albedo: vec3<f32>, surface_normal: vec3<f32>, world: vec3<f32>) -> vec3<f32> {
    let to_eye = normalize(view.eye.xyz - world);
    let normal = normalize(surface_normal);
    let facing = clamp(dot(normal, to_eye), 0.0, 1.0);
    let up = normal.y * 0.5 + 0.5;
    let sky = mix(vec3<f32>(0.20, 0.205, 0.22), vec3<f32>(0.52, 0.53, 0.55), up);
    let wrapped = clamp((dot(normal, view.key_direction.xyz) + 0.3) / 1.3, 0.0, 1.0);
    let key = vec3<f32>(1.0, 0.99, 0.97) * wrapped * wrapped;
    let form = mix(0.38, 1.0, smoothstep(0.0, 0.8, facing));
    let edge = 1.0 - facing;
    let rim = 0.10 * edge * edge * edge * up;
    return albedo * (sky + key) * form + vec3<f32>(rim) * (0.25 + albedo);
}

// A material in the side's own hue: light and dark of its texture stay.
fn tinted(material: vec3<f32>) -> vec3<f32> {
    let brightness = dot(material, vec3<f32>(0.2126, 0.7152, 0.0722));
    let hue = linear_from_srgb(view.tint.rgb) * (0.35 + 0.65 * brightness);
    return mix(material, hue, view.tint.a);
}

// The side is shown as its surface looks, not as its errors say.
fn shows_material() -> bool {
    return view.side == SIDE_ORIGINAL || view.shading == SHADING_MATERIAL;
}

// The colour of a surface under the side's shading. `errors_m`: on the skin, of the joints.
fn surface(material: vec3<f32>, errors_m: vec2<f32>) -> vec3<f32> {
    if shows_material() {
        return tinted(material);
    }
    return heat_color(select(errors_m.y, errors_m.x, view.shading == SHADING_HEAT));
}

// The original behind an exaggerated figure: mostly what lies behind it. Opaque, so that its own parts never add up.
fn ghost(clip: vec4<f32>, normal: vec3<f32>, world: vec3<f32>) -> vec4<f32> {
    const SOLID: f32 = 0.34;
    let behind = background(clip.xy);
    return vec4<f32>(mix(behind, lit(linear_from_srgb(view.ghost.rgb), normal, world), SOLID), 1.0);
}
