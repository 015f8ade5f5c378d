//! The time, also in a web page, where the system's clock panics.

pub use web_time::Instant;

use std::time::SystemTime;

/// The current time.
pub fn now() -> SystemTime {
    #[cfg(target_family = "wasm")]
    return web_time::web::SystemTimeExt::to_std(web_time::SystemTime::now());
    #[cfg(not(target_family = "wasm"))]
    SystemTime::now()
}
