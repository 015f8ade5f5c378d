// Error of every skinned vertex, for figures: the same skinning that the picture shows.

// Vertices as the vertex buffer holds them, in 32-bit words.
@group(2) @binding(0) var<storage, read> vertices: array<u32>;
@group(2) @binding(1) var<storage, read_write> errors_m: array<f32>;

const WORDS: u32 = 18u;

fn vertex_float(at: u32) -> f32 {
    return bitcast<f32>(vertices[at]);
}

@compute @workgroup_size(64)
fn vertex_errors(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= mesh.vertex_count {
        return;
    }
    let at = id.x * WORDS;
    let position = vec3<f32>(vertex_float(at), vertex_float(at + 1u), vertex_float(at + 2u));
    let pair = vec2<u32>(vertices[at + 12u], vertices[at + 13u]);
    let influences = vec4<u32>(pair.x & 0xffffu, pair.x >> 16u, pair.y & 0xffffu, pair.y >> 16u);
    let weights = vec4<f32>(
        vertex_float(at + 14u), vertex_float(at + 15u), vertex_float(at + 16u), vertex_float(at + 17u),
    );
    errors_m[id.x] = length(skin(0u, id.x, position, vec3<f32>(0.0), influences, weights).error_m);
}
