use posepress_core::files;
use posepress_core::tasks::{Crew, Hand, Heard, Mate};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

/// A web worker with the same module in its own memory. It starts with its first order.
struct WorkerMate {
    make: js_sys::Function,
    wake: egui::Context,
    at_work: RefCell<Option<AtWork>>,
}

struct AtWork {
    worker: web_sys::Worker,
    heard: Rc<RefCell<VecDeque<Heard>>>,
    _on_message: Closure<dyn FnMut(web_sys::MessageEvent)>,
    _on_error: Closure<dyn FnMut(web_sys::ErrorEvent)>,
}

// SAFETY: a page has one thread.
#[allow(unsafe_code)]
unsafe impl Send for WorkerMate {}

/// Workers that `make` starts, a function of JavaScript. Their replies wake the window.
pub(crate) fn crew(make: js_sys::Function, wake: egui::Context) -> Crew {
    /// A function of JavaScript.
    struct Given(js_sys::Function);
    // SAFETY: a page has one thread.
    #[allow(unsafe_code)]
    unsafe impl Send for Given {}
    let given = Given(make);
    Box::new(move || {
        let Given(make) = &given;
        Box::new(WorkerMate { make: make.clone(), wake: wake.clone(), at_work: RefCell::new(None) })
    })
}

impl WorkerMate {
    fn start(&self) -> Option<AtWork> {
        let worker: web_sys::Worker = self.make.call0(&wasm_bindgen::JsValue::NULL).ok()?.dyn_into().ok()?;
        let (heard, has_begun) = (Rc::new(RefCell::new(VecDeque::new())), Rc::new(Cell::new(false)));
        let (inbox, wake, begins) = (heard.clone(), self.wake.clone(), has_begun.clone());
        let on_message = Closure::new(move |event: web_sys::MessageEvent| {
            let message = js_sys::Uint8Array::new(&event.data()).to_vec();
            match message.is_empty() {
                true => begins.set(true), // its module has started
                false => inbox.borrow_mut().push_back(Heard::Reply(message)),
            }
            wake.request_repaint();
        });
        let (inbox, wake) = (heard.clone(), self.wake.clone());
        let on_error = Closure::new(move |event: web_sys::ErrorEvent| {
            let died = has_begun.get().then(|| Heard::Died(event.message()));
            inbox.borrow_mut().push_back(died.unwrap_or(Heard::Absent));
            wake.request_repaint();
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Some(AtWork { worker, heard, _on_message: on_message, _on_error: on_error })
    }
}

impl Mate for WorkerMate {
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
            at_work.heard.borrow_mut().push_back(Heard::Absent);
        }
    }

    fn hear(&self) -> Option<Heard> {
        match &*self.at_work.borrow() {
            Some(at_work) => at_work.heard.borrow_mut().pop_front(),
            None => Some(Heard::Absent), // the browser gave no worker
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
pub struct PageHand(Hand);

/// Time between two messages of progress. Each makes the window draw, which slows the answers to short work down.
const BETWEEN_PARTS: Duration = Duration::from_millis(300);

/// Takes a reply to the window.
struct Post(js_sys::Function);

// SAFETY: a page has one thread.
#[allow(unsafe_code)]
unsafe impl Send for Post {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for Post {}

impl Post {
    fn send(&self, reply: &[u8]) {
        // A window that is gone needs no reply.
        let _ = self.0.call1(&wasm_bindgen::JsValue::NULL, &js_sys::Uint8Array::from(reply));
    }
}

#[wasm_bindgen::prelude::wasm_bindgen]
impl PageHand {
    /// A worker without orders. `post` takes its replies.
    pub fn new(post: js_sys::Function) -> Self {
        files::use_memory();
        let post = Post(post);
        Self(Hand::new(move |reply| post.send(&reply), BETWEEN_PARTS))
    }

    /// Works on an order.
    pub fn work(&mut self, order: &[u8]) {
        self.0.work(order);
    }
}
