// Works beside the page, which so draws every frame.
import init, { PageHand } from "./page.js";

const post = (reply) => self.postMessage(reply, [reply.buffer]);
let hand;

async function work({ data }) {
    if (data instanceof WebAssembly.Module) {
        hand = init({ module_or_path: data }).then(() => {
            post(new Uint8Array()); // it can work
            return PageHand.new(post);
        });
        return;
    }
    (await hand).work(data);
}

// One order after the other, also while the module is being made.
let last = Promise.resolve();
self.onmessage = (event) => {
    // The window hears of a fault that is thrown outside of a promise.
    last = last.then(() => work(event)).catch((fault) => setTimeout(() => { throw fault; }));
};
