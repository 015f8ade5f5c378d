// Copies a finished viewport picture into egui's pass, pixel by pixel, with or without smoothing.

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

fn texel(at: vec2<i32>) -> vec3<f32> {
    return textureLoad(picture, clamp(at, vec2<i32>(0), vec2<i32>(textureDimensions(picture)) - 1), 0).rgb;
}

fn place(uv: vec2<f32>) -> vec2<i32> {
    return vec2<i32>(uv * vec2<f32>(textureDimensions(picture)));
}

@fragment
fn fragment(in: BlitPoint) -> @location(0) vec4<f32> {
    return vec4<f32>(texel(place(in.uv)), 1.0);
}

// For pictures of one sample a pixel: where brightness jumps, a pixel takes on as much of its neighbour across the edge as
// the stair that it belongs to asks for (after FXAA, Lottes 2009, without its blur of single pixels).

// Pixels that a stair is followed each way.
const REACH: i32 = 10;
// Jumps of brightness below these are no edges: of all, and of the brightest neighbour.
const LEAST_JUMP: f32 = 0.0625;
const LEAST_PART: f32 = 0.125;

fn brightness(at: vec2<i32>) -> f32 {
    return dot(texel(at), vec3<f32>(0.299, 0.587, 0.114));
}

// Where a stair ends: pixels to there, and how much brighter than the edge both its rows are there together; 0 when it goes on.
fn stair_end(at: vec2<i32>, along: vec2<i32>, across: vec2<i32>, edge: f32, jump: f32) -> vec2<f32> {
    for (var i = 1; i <= REACH; i++) {
        let here = at + along * i;
        let off = 0.5 * (brightness(here) + brightness(here + across)) - edge;
        if abs(off) >= 0.25 * abs(jump) {
            return vec2<f32>(f32(i), off);
        }
    }
    return vec2<f32>(f32(REACH), 0.0);
}

@fragment
fn smooth_fragment(in: BlitPoint) -> @location(0) vec4<f32> {
    let at = place(in.uv);
    let own = texel(at);
    let middle = brightness(at);
    let left = brightness(at - vec2<i32>(1, 0));
    let right = brightness(at + vec2<i32>(1, 0));
    let above = brightness(at - vec2<i32>(0, 1));
    let below = brightness(at + vec2<i32>(0, 1));
    let most = max(max(max(left, right), max(above, below)), middle);
    let least = min(min(min(left, right), min(above, below)), middle);
    if most - least < max(LEAST_JUMP, LEAST_PART * most) {
        return vec4<f32>(own, 1.0);
    }
    let is_level = abs(above + below - 2.0 * middle) >= abs(left + right - 2.0 * middle);
    let before = select(left, above, is_level) - middle;
    let after = select(right, below, is_level) - middle;
    let along = select(vec2<i32>(0, 1), vec2<i32>(1, 0), is_level);
    let across = along.yx * select(1, -1, abs(before) >= abs(after));
    let jump = select(after, before, abs(before) >= abs(after));
    let edge = middle + 0.5 * jump;
    let back = stair_end(at, -along, across, edge, jump);
    let forth = stair_end(at, along, across, edge, jump);
    let nearer = select(forth, back, back.x < forth.x);
    // The stair steps away from this pixel's row: its half nearer to that end is partly covered.
    let steps_away = nearer.y != 0.0 && (nearer.y > 0.0) == (jump > 0.0);
    let covered = 0.5 - (nearer.x - 0.5) / (back.x + forth.x - 1.0);
    return vec4<f32>(mix(own, texel(at + across), select(0.0, covered, steps_away)), 1.0);
}
