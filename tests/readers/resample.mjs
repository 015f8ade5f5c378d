// glTF-Transform's `resample` with its defaults. Usage: node resample.mjs IN.glb OUT.glb
import { NodeIO } from "@gltf-transform/core";
import { ALL_EXTENSIONS } from "@gltf-transform/extensions";
import { resample } from "@gltf-transform/functions";

const [source, result] = process.argv.slice(2);
const io = new NodeIO().registerExtensions(ALL_EXTENSIONS);
const document = await io.read(source);
await document.transform(resample());
await io.write(result, document);
