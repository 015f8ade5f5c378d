use crate::fault::Fault;
use posepress_core::codecs::Progress;
use posepress_core::pipeline::guard;
use pyo3::prelude::*;
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Time between two looks at Ctrl+C and two reports of progress.
const TICK: Duration = Duration::from_millis(50);
/// Stack of the thread that works, as large as that of a program: files may be nested.
const STACK_BYTES: usize = 16 << 20;

/// Works without the interpreter's lock. Ctrl+C, and an exception of `progress`, stop the work.
///
/// `progress` is called with the fraction that is done, 0 to 1, in the caller's thread.
pub fn run<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Progress) -> Result<T, Fault> + Send,
) -> PyResult<T> {
    refuse_fork().map_err(|fault| fault.raised(py))?;
    let job = Progress::new();
    let done = py.detach(|| {
        thread::scope(|scope| {
            let (send, receive) = channel();
            let handle = job.clone();
            let body = move || drop(send.send(guard(|| work(&handle))));
            let spawned = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, body);
            if let Err(error) = spawned {
                return Ok(Err(Fault::new("PosepressError", format!("no thread can be started: {error}"))));
            }
            loop {
                match receive.recv_timeout(TICK) {
                    Ok(done) => return Ok(done),
                    Err(RecvTimeoutError::Disconnected) => {
                        return Ok(Err(Fault::new("PosepressError", "the work ended without a result")));
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        let told =
                            Python::attach(|py| py.check_signals().and_then(|()| tell(py, &progress, job.fraction())));
                        if let Err(error) = told {
                            job.cancel();
                            return Err(error);
                        }
                    }
                }
            }
        })
    })?;
    let result = done.map_err(|fault| fault.raised(py))?;
    tell(py, &progress, 1.0)?;
    Ok(result)
}

fn tell(py: Python<'_>, progress: &Option<Py<PyAny>>, fraction: f32) -> PyResult<()> {
    progress.as_ref().map_or(Ok(()), |progress| progress.call1(py, (fraction,)).map(drop))
}

/// A forked process has none of the worker threads of its parent and would wait for them for ever.
fn refuse_fork() -> Result<(), Fault> {
    static PROCESS: OnceLock<u32> = OnceLock::new();
    if *PROCESS.get_or_init(std::process::id) == std::process::id() {
        return Ok(());
    }
    let advice = "Use threads, or multiprocessing.get_context('spawn')";
    let what = "this process was forked from one that used posepress, and has none of its threads";
    Err(Fault::new("PosepressError", format!("{what}. {advice}")).advise(advice))
}
