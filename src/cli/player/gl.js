/** The drawing of meshes, lines and the ground with WebGL 2. `null` where the browser has none. */
let gl = null;
const gpu = { meshes: new Map() };

function startGl() {
  gl = $("canvas").getContext("webgl2", { antialias: true, alpha: true });
  if (!gl) return;
  gpu.mesh = program(MESH_VERTEX, MESH_FRAGMENT, ["a_position", "a_normal", "a_color", "a_joints", "a_weights", "a_decoded", "a_uv", "a_layer"]);
  gpu.line = program(LINE_VERTEX, LINE_FRAGMENT, ["a_corner", "a_from", "a_to", "a_width", "a_color"]);
  gpu.ground = program(GROUND_VERTEX, GROUND_FRAGMENT, ["a_corner"]);
  gpu.bones = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, gpu.bones);
  for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.NEAREST);
  gpu.white = textureArray({ pixels: new Uint8Array([255, 255, 255]), size: [1, 1, 1] });
  startLines();
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
}

function program(vertex, fragment, attributes) {
  const handle = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(handle, shader);
  }
  attributes.forEach((name, at) => gl.bindAttribLocation(handle, at, name));
  gl.linkProgram(handle);
  if (!gl.getProgramParameter(handle, gl.LINK_STATUS)) {
    const logs = gl.getAttachedShaders(handle).map((shader) => gl.getShaderInfoLog(shader));
    throw new Error([gl.getProgramInfoLog(handle), ...logs].join("\n"));
  }
  const uniforms = {};
  for (let at = 0; at < gl.getProgramParameter(handle, gl.ACTIVE_UNIFORMS); at += 1) {
    const name = gl.getActiveUniform(handle, at).name.replace("[0]", "");
    uniforms[name] = gl.getUniformLocation(handle, name);
  }
  return { handle, uniforms };
}

function buffer(data, target = gl.ARRAY_BUFFER) {
  const handle = gl.createBuffer();
  gl.bindBuffer(target, handle);
  if (data) gl.bufferData(target, data, gl.STATIC_DRAW);
  return handle;
}

/** Textures of one size, sRGB. */
function textureArray({ pixels, size }) {
  const handle = gl.createTexture();
  gl.activeTexture(gl.TEXTURE1);
  gl.bindTexture(gl.TEXTURE_2D_ARRAY, handle);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  gl.texImage3D(gl.TEXTURE_2D_ARRAY, 0, gl.RGB8, ...size, 0, gl.RGB, gl.UNSIGNED_BYTE, pixels);
  gl.generateMipmap(gl.TEXTURE_2D_ARRAY);
  gl.activeTexture(gl.TEXTURE0);
  return handle;
}

function startLines() {
  gpu.lineArray = gl.createVertexArray();
  gl.bindVertexArray(gpu.lineArray);
  gpu.corners = buffer(new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  gpu.lines = buffer(null);
  [[1, 3, 0], [2, 3, 12], [3, 1, 24], [4, 4, 28]].forEach(([at, size, offset]) => {
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, gl.FLOAT, false, 44, offset);
    gl.vertexAttribDivisor(at, 1);
  });
  gpu.groundArray = gl.createVertexArray();
  gl.bindVertexArray(gpu.groundArray);
  gl.bindBuffer(gl.ARRAY_BUFFER, gpu.corners);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
}

/** The vertex array of a rig's mesh. */
function meshArray(rigIndex, mesh) {
  const known = gpu.meshes.get(rigIndex);
  if (known) return known;
  const handle = gl.createVertexArray();
  gl.bindVertexArray(handle);
  const floats = (at, data, size, type, normalized) => {
    const made = buffer(data);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, type, normalized, 0, 0);
    return made;
  };
  const moved = mesh.targets.length ? new Float32Array(mesh.positions.length) : null;
  const points = [0, 5].map((at) => (moved ? floats(at, moved, 3, gl.FLOAT, false) : floats(at, mesh.positions, 3, gl.UNSIGNED_SHORT, true)));
  floats(1, mesh.normals, 2, gl.BYTE, true);
  floats(2, mesh.colors, 3, gl.UNSIGNED_BYTE, true);
  buffer(mesh.influences);
  gl.enableVertexAttribArray(3);
  gl.vertexAttribIPointer(3, 4, gl.UNSIGNED_SHORT, 0, 0);
  floats(4, mesh.weights, 4, gl.UNSIGNED_BYTE, true);
  if (mesh.textures) {
    floats(6, mesh.textures.uvs, 2, gl.UNSIGNED_SHORT, true);
    floats(7, mesh.textures.layerOf, 1, gl.UNSIGNED_BYTE, false);
  }
  buffer(mesh.triangles, gl.ELEMENT_ARRAY_BUFFER);
  gl.bindVertexArray(null);
  const textures = mesh.textures ? textureArray(mesh.textures) : gpu.white;
  const made = { handle, count: mesh.triangles.length, points, textures };
  gpu.meshes.set(rigIndex, made);
  return made;
}

/** Writes a pose: the skinning matrices of both sides, six texels per entry of the palette, and what morph targets move. */
function uploadPose(mesh, pose) {
  if (gpu.pose === pose) return;
  gpu.pose = pose;
  const count = mesh.palette.length;
  const texels = new Float32Array(24 * count);
  mesh.palette.forEach((joint, slot) => {
    pose.sides.forEach((side, at) => multiply(side, 12 * joint, mesh.matrices, 12 * slot, texels, 24 * slot + 12 * at));
  });
  gl.bindTexture(gl.TEXTURE_2D, gpu.bones);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 6, count, 0, gl.RGBA, gl.FLOAT, texels);
  if (!mesh.targets.length) return;
  meshArray(shown.rigIndex, mesh).points.forEach((points, side) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, points);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, morphed(mesh, pose.floats[side]));
  });
}

/** Draws a side of the mesh. `look` has its tint, alpha, and true for heat. */
function drawMesh(view, side, look) {
  const { handle, count, textures } = meshArray(shown.rigIndex, shown.mesh);
  const { uniforms } = gpu.mesh;
  gl.useProgram(gpu.mesh.handle);
  gl.bindVertexArray(handle);
  gl.enable(gl.DEPTH_TEST);
  gl.uniformMatrix4fv(uniforms.u_view, false, view.matrix);
  gl.uniform3fv(uniforms.u_eye, view.eye);
  gl.uniform4fv(uniforms.u_uv_map, shown.mesh.textures?.map ?? [0, 0, 1, 1]);
  gl.uniform1i(uniforms.u_textures, 1);
  gl.activeTexture(gl.TEXTURE1);
  gl.bindTexture(gl.TEXTURE_2D_ARRAY, textures);
  gl.activeTexture(gl.TEXTURE0);
  gl.uniform1f(uniforms.u_side, side);
  gl.uniform1f(uniforms.u_factor, state.difference ? state.factor : 1);
  gl.uniform1f(uniforms.u_tolerance, shown.tolerance_m);
  gl.uniform1f(uniforms.u_heat, look.heat ? 1 : 0);
  gl.uniform4fv(uniforms.u_tint, look.tint);
  gl.uniform1f(uniforms.u_alpha, look.alpha);
  gl.uniform3fv(uniforms.u_ramp, RAMP.flatMap(([, part]) => part));
  gl.uniform1fv(uniforms.u_stops, RAMP.map(([at]) => at));
  if (look.alpha < 1) gl.enable(gl.BLEND);
  else gl.disable(gl.BLEND);
  gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
}

/** Draws lines on top of all else: from, to, half width in pixels, colour. */
function drawLines(view, size, lines) {
  gl.useProgram(gpu.line.handle);
  gl.bindVertexArray(gpu.lineArray);
  gl.bindBuffer(gl.ARRAY_BUFFER, gpu.lines);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(lines.flat(2)), gl.DYNAMIC_DRAW);
  gl.uniformMatrix4fv(gpu.line.uniforms.u_view, false, view.matrix);
  gl.uniform2f(gpu.line.uniforms.u_size, size[0] / 2, size[1] / 2);
  gl.disable(gl.DEPTH_TEST);
  gl.enable(gl.BLEND);
  gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, lines.length);
}

function drawGround(view) {
  const { handle, uniforms } = gpu.ground;
  gl.useProgram(handle);
  gl.bindVertexArray(gpu.groundArray);
  gl.uniformMatrix4fv(uniforms.u_view, false, view.matrix);
  gl.uniform3f(uniforms.u_center, view.target[0], shown.ground_m, view.target[2]);
  gl.uniform1f(uniforms.u_reach, shown.size * 5);
  gl.uniform1f(uniforms.u_cell, 0.25 * 10 ** Math.round(Math.log10(shown.size / 1.8)));
  gl.uniform3fv(uniforms.u_line, rgb("--ground"));
  gl.enable(gl.DEPTH_TEST);
  gl.depthMask(false);
  gl.enable(gl.BLEND);
  gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  gl.depthMask(true);
}
