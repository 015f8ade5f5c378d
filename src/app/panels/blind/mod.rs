//! Blind tests: the sheet before one, the bars around its picture, its result, and the results of a clip.

mod bars;
mod results;
mod sheet;
mod verdict;

pub use bars::{show_controls as show_blind_controls, show_progress as show_blind_progress};
pub use results::show as show_blind_results;
pub use sheet::show as show_blind_sheet;
pub use verdict::show as show_blind_verdict;
