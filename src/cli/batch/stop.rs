use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// A request to stop: the first Ctrl-C finishes the clips in work, the second ends the program.
#[derive(Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    listens: OnceLock<()>,
}

impl Stop {
    /// Listens to Ctrl-C and to a request to end. Before, the first one ends the program, which loses the clips in work.
    pub fn listen(&self) {
        self.listens.get_or_init(|| {
            for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
                // The exit status of a program that was interrupted. Without a handler the first signal ends the program, as elsewhere.
                let _ = signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, self.asked.clone());
                let _ = signal_hook::flag::register(signal, self.asked.clone());
            }
        });
    }

    /// True after the first request.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }
}
