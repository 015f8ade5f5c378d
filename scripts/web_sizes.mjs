// Prints the size of each module of a folder in bytes, raw and compressed with brotli. A module above its limit is an error.

import { readdirSync, readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';

const KB = 1024;
/** Bytes with brotli. */
const LIMITS = {
  'posepress-press.wasm': 60 * KB,
  'posepress-press-simd.wasm': 60 * KB,
  'posepress-codecs.wasm': 93 * KB,
  'posepress-codecs-simd.wasm': 90 * KB,
  'page_bg.wasm': 4000000, // what is loaded before the window is seen: 4 MB
};
const [, , folder] = process.argv;
console.log('module                      raw   brotli');
for (const file of readdirSync(folder).filter((name) => /\.wasm$|^page\.js$|^sample\.glb$/.test(name)).sort()) {
  const bytes = readFileSync(`${folder}/${file}`);
  const compressed = brotliCompressSync(bytes).length;
  console.log(file.padEnd(23), ...[bytes.length, compressed].map((size) => `${size}`.padStart(8)));
  if (compressed > LIMITS[file]) {
    console.error(`${file} has ${compressed} bytes with brotli; the limit is ${LIMITS[file]}`);
    process.exitCode = 1;
  }
}
