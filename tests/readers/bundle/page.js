import './worker.js';

globalThis.worker = () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
