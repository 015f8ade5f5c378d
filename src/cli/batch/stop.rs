use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to stop: the first Ctrl-C finishes the clips in work, the second ends the program.
#[derive(Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens to Ctrl-C and to a request to end. Elsewhere than on Unix the first one ends the program, which loses the clips in work.
    pub fn on_interrupt() -> Self {
        let asked = Arc::new(AtomicBool::new(false));
        #[cfg(unix)]
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            // The exit status of a program that was interrupted. Without a handler the first signal ends the program, as elsewhere.
            let _ = signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, asked.clone());
            let _ = signal_hook::flag::register(signal, asked.clone());
        }
        Self(asked)
    }

    /// True after the first request.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
