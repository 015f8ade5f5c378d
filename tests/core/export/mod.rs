//! Every exporter, and what others read of what it writes.

mod played_exports;
mod readers;
mod readers_ozz;
mod round_trips;
mod source;
mod written;
