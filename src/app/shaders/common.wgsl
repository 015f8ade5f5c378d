// One picture of one side: camera, colours, what is coloured how. Written by `ViewData` in src/app/render/gpu.
struct View {
    clip_from_world: mat4x4<f32>,
    eye: vec4<f32>,
    key_direction: vec4<f32>,
    // sRGB, so that gradients blend as the theme means them.
    background_top: vec4<f32>,
    background_bottom: vec4<f32>,
    ground: vec4<f32>,
    grid_minor: vec4<f32>,
    grid_major: vec4<f32>,
    clay: vec4<f32>,
    // Colour that surfaces take on, and how much of it: which side a figure of two in one picture is.
    tint: vec4<f32>,
    // Colour of the original's ghost behind an exaggerated figure.
    ghost: vec4<f32>,
    // Point of the ground under the figure; half the side of the square that the shadow mask covers.
    figure: vec4<f32>,
    // Stops of the heat ramp: sRGB, place on the scale.
    heat: array<vec4<f32>, 7>,
    ground_offset_m: vec2<f32>,
    viewport_px: vec2<f32>,
    ground_scale: f32,
    shadow: f32,
    tolerance_m: f32,
    offset_gain: f32,
    joint_count: u32,
    float_count: u32,
    side: u32,
    shading: u32,
    // Half the side of a crowd; 0 for one figure.
    crowd_reach_m: f32,
}

const SIDE_ORIGINAL: u32 = 0u;
const SIDE_COMPRESSED: u32 = 1u;
const SHADING_MATERIAL: u32 = 0u;
const SHADING_HEAT: u32 = 1u;
const SHADING_JOINT_ERROR: u32 = 2u;

// Not a uniform: for values of uniforms that branches depend on, Mesa's software driver compiles shaders anew, at each frame
// of a clip that plays, and keeps them all: tens of megabytes a second.
@group(0) @binding(0) var<storage, read> view: View;

// Index of the first matrix of a character. The first character of a crowd is 0.
fn first_joint(member: u32) -> u32 {
    return member * 2u * view.joint_count;
}

// Index of the first scalar of a character.
fn first_scalar(member: u32) -> u32 {
    return member * (2u * view.float_count + view.joint_count);
}

fn linear_from_srgb(srgb: vec3<f32>) -> vec3<f32> {
    return select(pow((srgb + 0.055) / 1.055, vec3<f32>(2.4)), srgb / 12.92, srgb <= vec3<f32>(0.04045));
}

// What lies behind a pixel. A pattern of less than one of 256 steps (interleaved gradient noise, Jimenez 2014) keeps the
// gradient from showing bands.
fn background(px: vec2<f32>) -> vec3<f32> {
    let height = clamp(1.0 - px.y / view.viewport_px.y, 0.0, 1.0);
    let noise = fract(52.9829189 * fract(dot(px, vec2<f32>(0.06711056, 0.00583715)))) - 0.5;
    return linear_from_srgb(mix(view.background_bottom.rgb, view.background_top.rgb, height) + noise / 255.0);
}
