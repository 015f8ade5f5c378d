//! Tasks on workers that share no memory with the window, such as web workers of a page. Both sides exchange messages of bytes.
//!
//! Where there are no workers, and where one has no answer, the window does the work itself and finds the reason. A worker that ends in the middle of its
//! work is an error of that work alone.

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
    /// The next message, if one has come.
    fn hear(&self) -> Option<Heard>;
    /// Ends the worker, also in the middle of an order. The next order starts another.
    fn restart(&self);
}

/// A message from a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// A reply to an order.
    Reply(Vec<u8>),
    /// There is no worker.
    Absent,
    /// The worker ended in the middle of its work, with the system's words.
    Died(String),
}

/// Hires the workers of the lanes, one for each.
pub type Crew = Box<dyn Fn() -> Box<dyn Mate + Send> + Send>;
