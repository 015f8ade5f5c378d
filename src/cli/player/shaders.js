/** Stops of the heat ramp: error divided by tolerance, and colour. The palest is the tolerance. */
const RAMP = [
  [0, "4b5a6c"],
  [0.35, "6d8799"],
  [0.75, "b9c6b8"],
  [1, "f4ebb4"],
  [2, "f6b54c"],
  [5, "e0552c"],
  [10, "a3122f"],
].map(([at, hex]) => [at, [0, 2, 4].map((part) => parseInt(hex.slice(part, part + 2), 16) / 255)]);

/** The colour of an error divided by the tolerance. */
function heat(times) {
  const next = RAMP.findIndex(([at]) => at >= times);
  if (next < 0) return RAMP.at(-1)[1];
  if (next === 0) return RAMP[0][1];
  const [[from, a], [to, b]] = [RAMP[next - 1], RAMP[next]];
  const part = from >= 1 ? Math.log(times / from) / Math.log(to / from) : (times - from) / (to - from);
  return a.map((value, index) => value + (b[index] - value) * part);
}

const MESH_VERTEX = `#version 300 es
precision highp float;
precision highp int;
in vec3 a_position; in vec2 a_normal; in vec3 a_color; in uvec4 a_joints; in vec4 a_weights; in vec3 a_decoded;
in vec2 a_uv; in float a_layer;
uniform vec4 u_uv_map; uniform sampler2D u_bones; uniform mat4 u_view; uniform float u_side; uniform float u_factor;
out vec3 v_normal; out vec3 v_place; out vec3 v_color; out vec3 v_uv; out float v_error;
vec3 blend(int first, vec4 point) {
  vec3 sum = vec3(0.0);
  for (int slot = 0; slot < 4; slot++) {
    int row = int(a_joints[slot]);
    sum += a_weights[slot] * vec3(dot(texelFetch(u_bones, ivec2(first, row), 0), point),
      dot(texelFetch(u_bones, ivec2(first + 1, row), 0), point), dot(texelFetch(u_bones, ivec2(first + 2, row), 0), point));
  }
  return sum;
}
void main() {
  vec3 normal = vec3(a_normal, 1.0 - abs(a_normal.x) - abs(a_normal.y));
  if (normal.z < 0.0) normal.xy = (1.0 - abs(normal.yx)) * vec2(normal.x < 0.0 ? -1.0 : 1.0, normal.y < 0.0 ? -1.0 : 1.0);
  vec3 original = blend(0, vec4(a_position, 1.0));
  vec3 decoded = blend(3, vec4(a_decoded, 1.0));
  v_error = distance(original, decoded);
  v_place = mix(original, original + (decoded - original) * u_factor, u_side);
  v_normal = blend(u_side > 0.5 ? 3 : 0, vec4(normal, 0.0));
  v_color = a_color;
  v_uv = vec3(u_uv_map.xy + a_uv * u_uv_map.zw, a_layer);
  gl_Position = u_view * vec4(v_place, 1.0);
}`;

const MESH_FRAGMENT = `#version 300 es
precision highp float;
precision mediump sampler2DArray;
in vec3 v_normal; in vec3 v_place; in vec3 v_color; in vec3 v_uv; in float v_error;
uniform sampler2DArray u_textures;
uniform vec3 u_eye; uniform vec4 u_tint; uniform float u_alpha; uniform float u_tolerance; uniform float u_heat;
uniform vec3 u_ramp[7]; uniform float u_stops[7];
out vec4 color;
vec3 ramp(float times) {
  vec3 found = u_ramp[6];
  for (int at = 6; at > 0; at--) {
    if (times > u_stops[at]) continue;
    float from = u_stops[at - 1], to = u_stops[at];
    float part = from >= 1.0 ? log(times / from) / log(to / from) : (times - from) / (to - from);
    found = mix(u_ramp[at - 1], u_ramp[at], clamp(part, 0.0, 1.0));
  }
  return found;
}
void main() {
  vec3 toEye = normalize(u_eye - v_place);
  vec3 normal = normalize(v_normal + 1e-6 * toEye);
  float sky = 0.5 + 0.5 * normal.y;
  float facing = abs(dot(normal, toEye));
  float key = max(dot(normal, normalize(toEye + vec3(0.4, 0.9, 0.3))), 0.0);
  vec3 surface = mix(v_color * texture(u_textures, v_uv).rgb, u_tint.rgb, u_tint.a);
  surface = mix(surface, ramp(v_error / u_tolerance), u_heat);
  vec3 lit = surface * (0.42 + 0.2 * sky + 0.3 * key + 0.14 * facing);
  color = vec4(min(lit, vec3(1.0)) * u_alpha, u_alpha);
}`;

const LINE_VERTEX = `#version 300 es
precision highp float;
in vec2 a_corner; in vec3 a_from; in vec3 a_to; in float a_width; in vec4 a_color;
uniform mat4 u_view; uniform vec2 u_size;
out vec4 v_color; out vec2 v_across; out float v_span; out float v_wide;
void main() {
  vec4 from = u_view * vec4(a_from, 1.0), to = u_view * vec4(a_to, 1.0);
  vec2 a = from.xy / from.w * u_size, b = to.xy / to.w * u_size;
  float span = distance(a, b);
  vec2 along = span > 1e-3 ? (b - a) / span : vec2(1.0, 0.0);
  vec4 end = a_corner.x < 0.0 ? from : to;
  vec2 offset = (along * a_corner.x + vec2(-along.y, along.x) * a_corner.y) * a_width;
  gl_Position = end + vec4(offset / u_size * end.w, 0.0, 0.0);
  v_across = vec2(a_corner.x < 0.0 ? -a_width : span + a_width, a_corner.y * a_width);
  v_span = span; v_wide = a_width; v_color = a_color;
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
in vec4 v_color; in vec2 v_across; in float v_span; in float v_wide;
out vec4 color;
void main() {
  vec2 near = vec2(clamp(v_across.x, 0.0, v_span), 0.0);
  float cover = clamp(v_wide - distance(v_across, near), 0.0, 1.0) * v_color.a;
  color = vec4(v_color.rgb * cover, cover);
}`;

const GROUND_VERTEX = `#version 300 es
precision highp float;
in vec2 a_corner;
uniform mat4 u_view; uniform vec3 u_center; uniform float u_reach;
out vec2 v_place;
void main() {
  v_place = u_center.xz + a_corner * u_reach;
  gl_Position = u_view * vec4(v_place.x, u_center.y, v_place.y, 1.0);
}`;

const GROUND_FRAGMENT = `#version 300 es
precision highp float;
in vec2 v_place;
uniform vec3 u_center; uniform float u_reach; uniform float u_cell; uniform vec3 u_line;
out vec4 color;
float lines(float cell) {
  vec2 at = v_place / cell;
  vec2 wide = fwidth(at);
  vec2 off = abs(fract(at - 0.5) - 0.5) / max(wide, vec2(1e-6));
  return clamp(1.2 - min(off.x, off.y), 0.0, 1.0) * clamp(0.5 / max(wide.x, wide.y) - 0.5, 0.0, 1.0);
}
void main() {
  vec2 from = (v_place - u_center.xz) / u_reach;
  float fade = exp(-9.0 * dot(from, from)) * 0.9;
  float alpha = max(lines(u_cell) * 0.55, lines(u_cell * 4.0)) * fade;
  color = vec4(u_line * alpha, alpha);
}`;
