// Compresses clips beside the page, which so draws every frame.
import init, { PageHand } from "./page.js";

let hand;

async function work({ data }) {
    if (data instanceof WebAssembly.Module) {
        hand = init({ module_or_path: data }).then(() => PageHand.new());
        return;
    }
    const ready = await hand;
    for (let reply = ready.begin(data); reply; reply = ready.rest()) self.postMessage(reply, [reply.buffer]);
}

// One order after the other, also while the module is being made.
let last = Promise.resolve();
self.onmessage = (event) => {
    last = last.then(() => work(event));
};
