// Starts the window in the page. The address may say more:
//   ?src=walk.glb        files of this site to open; several, such as a glTF file and its buffers, are divided by commas
//   ?embed               no keyboard focus at the start, for a frame in another page
//   #view=TEXT           what is shown, as "Copy view" writes it
import init, { Page } from "./page.js";

const canvas = document.getElementById("window");
const message = document.getElementById("message");

function say(words) {
    document.getElementById("words").textContent = words;
    message.hidden = false;
}

const stopped = (why) => `Posepress stopped: ${why}.\nYour recipes and marks are kept. Reload the page to go on.`;

async function fetched(name) {
    const place = new URL(name, location.href);
    if (place.origin !== location.origin) throw new Error(`${name} is on another site. Only files of this one are opened`);
    const answer = await fetch(place);
    if (!answer.ok) throw new Error(`${name} cannot be read: the server answers ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
}

async function start() {
    if (!navigator.gpu || !(await navigator.gpu.requestAdapter())) {
        throw new Error("This browser gives no WebGPU, with which the window is drawn.\n"
            + "Use a current Chrome, Edge, Firefox or Safari with hardware acceleration on, or the program for the desktop.");
    }
    const asked = new URLSearchParams(location.search);
    const names = (asked.get("src") ?? "").split(",").filter(Boolean);
    const view = new URLSearchParams(location.hash.slice(1)).get("view") ?? undefined;
    const files = Promise.all(names.map(fetched)); // while the module is made
    files.catch(() => {}); // it is awaited below
    const module = await WebAssembly.compileStreaming(fetch(new URL("page_bg.wasm", import.meta.url)));
    await init({ module_or_path: module });
    const page = await Page.start(canvas, view, () => {
        const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
        worker.postMessage(module);
        return worker;
    }, names.map((name) => name.split("/").pop()), await files);
    message.hidden = true;
    if (!asked.has("embed")) canvas.focus();
    setInterval(() => {
        const failure = page.failure();
        if (failure) say(stopped(failure));
    }, 1000);
    addEventListener("pagehide", () => page.keep());
    window.posepress = page;
}

// A trap, such as memory that the browser refuses, ends the module without a panic.
addEventListener("error", ({ error }) => {
    if (error instanceof WebAssembly.RuntimeError) say(stopped(error.message));
});

start().catch((error) => say(error?.message ?? String(error)));

if ("serviceWorker" in navigator) navigator.serviceWorker.register("offline.js");
