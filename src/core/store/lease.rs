//! Leases: two programs that share a store do not compress the same clip.
//!
//! A lease only saves work. If two programs hold the same one, because a clock jumped or a network was slow, both make the same bytes.

use super::folder::failed;
use super::{ResultKey, Store, StoreError};
use crate::files;
use std::collections::BTreeMap;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

/// Seconds after which a lease ends that its owner does not renew.
pub const LEASE_SECS: u64 = 10;

/// Folder of the leases.
pub(super) const LEASES: &str = "leases";

/// The right to work on a key. It ends when this value is dropped.
#[derive(Debug)]
pub struct Lease {
    key: ResultKey,
    path: PathBuf,
    held: Held,
    owner: String,
}

/// Leases of this program, with the number of renewals.
type Held = Arc<Mutex<BTreeMap<ResultKey, u64>>>;

/// The answer to a claim.
#[derive(Debug)]
pub enum Claim {
    /// The caller has the lease.
    Mine(Lease),
    /// Another program, or another thread, has it.
    Taken,
}

/// Takes leases, and renews them while they are held.
#[derive(Debug)]
pub struct LeaseKeeper {
    store: Store,
    owner: String,
    held: Held,
    /// Leases of others as they were seen first, and when. A lease that does not change for its whole time has no owner any more, even if
    /// a clock jumped.
    seen: Mutex<BTreeMap<ResultKey, (String, Instant)>>,
    stop: Option<Sender<()>>,
    renewing: Option<JoinHandle<()>>,
}

impl LeaseKeeper {
    /// Starts a thread that renews the leases.
    ///
    /// # Errors
    /// [`StoreError::System`] if the folder of leases cannot be made.
    pub fn start(store: &Store) -> Result<Self, StoreError> {
        store.make_folder(&store.folder().join(LEASES))?;
        let random = RandomState::new().build_hasher().finish();
        let owner = format!("{}-{random:016x}", std::process::id());
        let (held, (stop, stopped)) = (Held::default(), channel());
        let renewing = {
            let (store, owner, held) = (store.clone(), owner.clone(), held.clone());
            std::thread::spawn(move || {
                let pause = Duration::from_secs(LEASE_SECS / 3);
                while stopped.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                    renew(&store, &owner, &held);
                }
            })
        };
        let (stop, renewing) = (Some(stop), Some(renewing));
        Ok(Self { store: store.clone(), owner, held, seen: Mutex::default(), stop, renewing })
    }

    /// Asks for the lease of a key. A lease that has ended is taken over.
    ///
    /// # Errors
    /// [`StoreError::System`] if the lease cannot be written.
    pub fn claim(&self, key: &ResultKey) -> Result<Claim, StoreError> {
        if !self.create(key)? {
            if !self.has_ended(key) {
                return Ok(Claim::Taken);
            }
            let _ = fs::remove_file(path_of(&self.store, key)); // another program may be faster
            if !self.create(key)? {
                return Ok(Claim::Taken);
            }
        }
        lock(&self.held).insert(key.clone(), 0);
        lock(&self.seen).remove(key);
        let (path, held, owner) = (path_of(&self.store, key), self.held.clone(), self.owner.clone());
        Ok(Claim::Mine(Lease { key: key.clone(), path, held, owner }))
    }

    /// Writes the lease if there is none. Returns false if there is one.
    fn create(&self, key: &ResultKey) -> Result<bool, StoreError> {
        let path = path_of(&self.store, key);
        match fs::File::create_new(&path) {
            Ok(mut file) => {
                file.write_all(words(&self.owner, 0).as_bytes()).map_err(failed(&path))?;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(failed(&path)(error)),
        }
    }

    /// True if the lease of another program has ended: by the clock, or because it did not change for its whole time.
    fn has_ended(&self, key: &ResultKey) -> bool {
        let Ok(text) = files::read_text(&path_of(&self.store, key)) else { return false };
        if text.starts_with(&format!("owner {}\n", self.owner)) {
            return false; // of another thread of this program, which goes on
        }
        let expires = text.lines().find_map(|line| line.strip_prefix("expires ")?.parse::<u64>().ok());
        if expires.is_some_and(|expires| expires < unix_secs()) {
            return true;
        }
        let mut seen = lock(&self.seen);
        let known = seen.entry(key.clone()).or_insert_with(|| (text.clone(), Instant::now()));
        if known.0 != text {
            *known = (text, Instant::now());
        }
        known.1.elapsed() > Duration::from_secs(LEASE_SECS)
    }
}

impl Drop for LeaseKeeper {
    fn drop(&mut self) {
        drop(self.stop.take());
        self.renewing.take().map(JoinHandle::join);
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        lock(&self.held).remove(&self.key);
        // After a long pause, such as that of a laptop, it may belong to another program.
        let is_mine = files::read_text(&self.path).is_ok_and(|text| text.contains(&self.owner));
        if is_mine {
            let _ = fs::remove_file(&self.path); // it ends by itself
        }
    }
}

/// Writes every held lease again.
fn renew(store: &Store, owner: &str, held: &Held) {
    let mut held = lock(held);
    for (key, renewals) in held.iter_mut() {
        *renewals += 1;
        // A lease that cannot be renewed ends, which only costs work twice.
        let _ = store.write(&path_of(store, key), words(owner, *renewals).as_bytes());
    }
}

fn words(owner: &str, renewals: u64) -> String {
    format!("owner {owner}\nexpires {}\nrenewals {renewals}\n", unix_secs() + LEASE_SECS)
}

fn path_of(store: &Store, key: &ResultKey) -> PathBuf {
    store.folder().join(LEASES).join(key.to_string())
}

fn unix_secs() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keepers() -> (tempfile::TempDir, LeaseKeeper, LeaseKeeper) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let [a, b] = [0, 1].map(|_| LeaseKeeper::start(&store).unwrap());
        (folder, a, b)
    }

    #[test]
    fn one_of_two_has_a_lease_until_it_is_dropped() {
        let (_folder, a, b) = keepers();
        let key = ResultKey::of(&[]);
        let lease = a.claim(&key).unwrap();
        assert!(matches!(lease, Claim::Mine(_)));
        assert!(matches!(b.claim(&key).unwrap(), Claim::Taken));
        assert!(matches!(a.claim(&key).unwrap(), Claim::Taken), "another thread");
        drop(lease);
        assert!(matches!(b.claim(&key).unwrap(), Claim::Mine(_)));
    }

    #[test]
    fn the_lease_of_a_program_that_ended_is_taken_over() {
        let (folder, a, _) = keepers();
        let key = ResultKey::of(&[]);
        let path = folder.path().join(LEASES).join(key.to_string());
        fs::write(&path, format!("owner 1-0\nexpires {}\nrenewals 3\n", unix_secs() - 1)).unwrap();
        assert!(matches!(a.claim(&key).unwrap(), Claim::Mine(_)));
        assert!(!path.exists());
    }

    #[test]
    fn a_clock_that_jumped_back_does_not_keep_a_lease_for_ever() {
        let (folder, a, _) = keepers();
        let key = ResultKey::of(&[]);
        let far = format!("owner 1-0\nexpires {}\nrenewals 3\n", unix_secs() + 1_000_000);
        fs::write(folder.path().join(LEASES).join(key.to_string()), &far).unwrap();
        assert!(matches!(a.claim(&key).unwrap(), Claim::Taken));
        let Some(long_ago) = Instant::now().checked_sub(Duration::from_secs(LEASE_SECS + 1)) else { return };
        lock(&a.seen).insert(key.clone(), ("owner 1-0\nrenewals 2\n".into(), long_ago));
        assert!(matches!(a.claim(&key).unwrap(), Claim::Taken), "it was renewed since");
        lock(&a.seen).insert(key.clone(), (far, long_ago));
        assert!(matches!(a.claim(&key).unwrap(), Claim::Mine(_)));
    }

    #[test]
    fn a_held_lease_is_renewed() {
        let (folder, a, b) = keepers();
        let key = ResultKey::of(&[]);
        let _lease = a.claim(&key).unwrap();
        let read = || fs::read_to_string(folder.path().join(LEASES).join(key.to_string())).unwrap();
        assert!(read().ends_with("renewals 0\n"));
        renew(&a.store, &a.owner, &a.held);
        assert!(read().ends_with("renewals 1\n"));
        assert!(matches!(b.claim(&key).unwrap(), Claim::Taken));
    }
}
