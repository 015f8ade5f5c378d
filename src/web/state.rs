use crate::clip::{Clip, Player};
use crate::container::OpenContainer;
use crate::failure::Failure;
use crate::table::Table;
use alloc::string::String;
use alloc::vec::Vec;
use spin::Mutex;

/// All that is open, and what the last function left for its caller.
#[derive(Debug)]
pub struct State {
    /// Bytes from the caller.
    pub input: Vec<u8>,
    /// A name, or the text of an error.
    pub text: String,
    /// A description.
    pub numbers: Vec<f64>,
    /// See [`crate::error_kind`].
    pub error_kind: usize,
    /// See [`crate::error_place`].
    pub error_place: usize,
    /// Open containers.
    pub containers: Table<OpenContainer>,
    /// Open clips.
    pub clips: Table<Clip>,
    /// Players of open clips.
    pub players: Table<Player>,
}

static STATE: Mutex<State> = Mutex::new(State {
    input: Vec::new(),
    text: String::new(),
    numbers: Vec::new(),
    error_kind: 0,
    error_place: 0,
    containers: Table::new(),
    clips: Table::new(),
    players: Table::new(),
});

/// Runs a function on the state. An error stays in the state, and 0 is returned.
pub fn with(work: impl FnOnce(&mut State) -> Result<usize, Failure>) -> usize {
    let state = &mut *STATE.lock();
    match work(state) {
        Ok(number) => number,
        Err(Failure { kind, place, text }) => {
            (state.error_kind, state.error_place, state.text) = (kind, place, text);
            0
        }
    }
}

impl State {
    /// Replaces the text by a name.
    pub fn say(text: &mut String, name: &str) -> Result<usize, Failure> {
        text.clear();
        text.try_reserve(name.len()).map_err(|_| Failure::NO_MEMORY)?;
        text.push_str(name);
        Ok(1)
    }

    /// Replaces the numbers.
    pub fn describe(numbers: &mut Vec<f64>, from: impl IntoIterator<Item = f64>) -> Result<usize, Failure> {
        numbers.clear();
        for number in from {
            numbers.try_reserve(1).map_err(|_| Failure::NO_MEMORY)?;
            numbers.push(number);
        }
        Ok(1)
    }
}
