//! Every exporter, and how other readers read its files.

mod editor_keys;
mod played_exports;
pub mod readers;
mod readers_ozz;
mod round_trips;
mod source;
#[cfg(feature = "usd")]
mod usd;
mod written;
