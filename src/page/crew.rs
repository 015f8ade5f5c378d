use posepress_core::tasks::{Crew, Hand};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

/// A web worker that compresses, with the same module in its own memory. `make` is a function of JavaScript that starts one.
pub(crate) struct WorkerCrew {
    make: js_sys::Function,
    wake: egui::Context,
    at_work: RefCell<Option<AtWork>>,
}

struct AtWork {
    worker: web_sys::Worker,
    replies: Rc<RefCell<VecDeque<Vec<u8>>>>,
    _on_message: Closure<dyn FnMut(web_sys::MessageEvent)>,
    _on_error: Closure<dyn FnMut(web_sys::Event)>,
}

// SAFETY: a page has one thread.
#[allow(unsafe_code)]
unsafe impl Send for WorkerCrew {}

impl WorkerCrew {
    pub(crate) fn new(make: js_sys::Function, wake: egui::Context) -> Self {
        Self { make, wake, at_work: RefCell::new(None) }
    }

    fn start(&self) -> Option<AtWork> {
        let worker: web_sys::Worker = self.make.call0(&wasm_bindgen::JsValue::NULL).ok()?.dyn_into().ok()?;
        let replies = Rc::new(RefCell::new(VecDeque::new()));
        let (inbox, wake) = (replies.clone(), self.wake.clone());
        let on_message = Closure::new(move |event: web_sys::MessageEvent| {
            inbox.borrow_mut().push_back(js_sys::Uint8Array::new(&event.data()).to_vec());
            wake.request_repaint();
        });
        let (inbox, wake) = (replies.clone(), self.wake.clone());
        // An empty reply is none: the window then does the work itself.
        let on_error = Closure::new(move |_| {
            inbox.borrow_mut().push_back(Vec::new());
            wake.request_repaint();
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Some(AtWork { worker, replies, _on_message: on_message, _on_error: on_error })
    }
}

impl Crew for WorkerCrew {
    fn post(&self, order: Vec<u8>) {
        let mut at_work = self.at_work.borrow_mut();
        if at_work.is_none() {
            *at_work = self.start();
        }
        let bytes = js_sys::Uint8Array::from(&order[..]);
        let transfer = js_sys::Array::of1(&bytes.buffer());
        if let Some(at_work) = &*at_work
            && at_work.worker.post_message_with_transfer(&bytes, &transfer).is_err()
        {
            at_work.replies.borrow_mut().push_back(Vec::new());
        }
    }

    fn reply(&self) -> Option<Vec<u8>> {
        match &*self.at_work.borrow() {
            Some(at_work) => at_work.replies.borrow_mut().pop_front(),
            None => Some(Vec::new()), // the browser gave no worker
        }
    }

    fn restart(&self) {
        if let Some(at_work) = self.at_work.borrow_mut().take() {
            at_work.worker.terminate();
        }
    }
}

/// The worker's side, for `worker.js`.
#[wasm_bindgen::prelude::wasm_bindgen]
#[derive(Default)]
pub struct PageHand(Hand);

#[wasm_bindgen::prelude::wasm_bindgen]
impl PageHand {
    /// A worker without orders.
    pub fn new() -> Self {
        Self::default()
    }

    /// Works on an order. Returns the reply.
    pub fn begin(&mut self, order: &[u8]) -> Vec<u8> {
        self.0.begin(order)
    }

    /// The next reply to the same order.
    pub fn rest(&mut self) -> Option<Vec<u8>> {
        self.0.rest()
    }
}
