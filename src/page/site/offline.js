// Keeps the page for use without a network. scripts/web.sh writes the version.
const VERSION = "@VERSION@";
const NAMES = ["./", "index.html", "page.css", "start.js", "worker.js", "page.js", "page_bg.wasm", "icon.png", "sample.glb", "manifest.webmanifest"];

self.addEventListener("install", (event) => {
    event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(NAMES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
    const old = async () => Promise.all((await caches.keys()).filter((name) => name !== VERSION).map((name) => caches.delete(name)));
    event.waitUntil(old().then(() => self.clients.claim()));
});

// A file of the page comes from the cache. All others, such as ?src= files, come from the site.
self.addEventListener("fetch", (event) => {
    const { origin, pathname } = new URL(event.request.url);
    if (event.request.method !== "GET" || origin !== location.origin) return;
    event.respondWith(caches.match(new Request(origin + pathname)).then((kept) => kept ?? fetch(event.request)));
});
