//! The store: results by the digest of everything that decides them, in a folder that any number of programs may share.
//!
//! A folder is all that it needs: no server, no lock of the system. Entries are written beside their place and renamed, so that a reader
//! finds a whole entry or none, and each has its own checksum.

mod entry;
mod failure;
mod folder;
mod key;
mod lease;
mod subject;
mod sweep;

pub use entry::{Entry, EntryFault};
pub use folder::{Store, StoreError, StoredEntry};
pub use key::{CODE_DIGEST, ResultKey};
pub use lease::{Claim, LEASE_SECS, Lease, LeaseKeeper};
pub use subject::{Subject, Subjects, subjects_of};
pub use sweep::{Sweep, Swept};
