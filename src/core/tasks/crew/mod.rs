//! Tasks on workers that share no memory with the window, such as web workers of a page. Both sides exchange messages of bytes.
//!
//! A worker that fails costs time alone: the window does its work again, and finds the reason.

mod hand;
mod message;
mod parcel;
mod record;
mod remote;

pub use hand::Hand;
pub(super) use remote::{Came, Remote};

/// A worker in the hands of the window. It works on one order at a time and answers in the order of the orders.
pub trait Mate {
    /// Sends an order.
    fn post(&self, order: Vec<u8>);
    /// The next reply, if one has come.
    fn reply(&self) -> Option<Vec<u8>>;
    /// Ends the worker, also in the middle of an order. The next order starts another.
    fn restart(&self);
}

/// Hires the workers of the lanes, one for each.
pub type Crew = Box<dyn Fn() -> Box<dyn Mate + Send> + Send>;
