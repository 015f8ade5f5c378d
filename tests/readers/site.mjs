// A server of a folder's files on this machine, under a content security policy if one is given.

import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname } from 'node:path';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.css': 'text/css' };

/** Returns its address and a function that ends it. */
export async function serve(folder, policy) {
  const server = createServer(({ url }, answer) => {
    const asked = new URL(url, 'http://localhost').pathname;
    const path = `${folder}${asked.endsWith('/') ? `${asked}index.html` : asked}`;
    if (url === '/favicon.ico') return answer.writeHead(204).end();
    if (!existsSync(path)) return answer.writeHead(404).end();
    const headers = { 'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream' };
    if (policy) headers['Content-Security-Policy'] = policy;
    answer.writeHead(200, headers).end(readFileSync(path));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => [server.close(), server.closeAllConnections()] };
}
