// Prints the size of each module of a folder in bytes, raw and compressed with brotli.

import { readdirSync, readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';

const [, , folder] = process.argv;
console.log('module                      raw   brotli');
for (const file of readdirSync(folder).filter((name) => name.endsWith('.wasm')).sort()) {
  const bytes = readFileSync(`${folder}/${file}`);
  const sizes = [bytes.length, brotliCompressSync(bytes).length].map((size) => `${size}`.padStart(8));
  console.log(file.padEnd(23), ...sizes);
}
