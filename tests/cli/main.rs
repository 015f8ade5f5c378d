//! Runs the real binary on files in a scratch folder: every subcommand, exit statuses, JSON keys, messages. Its output must
//! equal that of the library.

mod additive;
mod automatic;
mod bad_files;
mod batch;
mod batch_baseline;
mod batch_better;
mod batch_faults;
mod batch_gates;
mod batch_machines;
mod batch_outputs;
mod batch_project;
mod batch_reports;
mod batch_review;
mod batch_room;
mod batch_tags;
#[cfg(unix)]
mod batch_watch;
mod batch_window;
mod bench;
mod blind;
mod closed_outputs;
mod commands;
mod decided;
mod decoded_equals_reported;
mod documents;
mod export_line;
mod exports;
mod external;
mod faults;
mod judging;
mod lod;
#[cfg(feature = "mcp")]
mod mcp;
mod measure;
#[path = "../numpy.rs"]
mod numpy;
mod one_character;
mod overrides;
mod packages;
mod pages;
mod patterns;
mod peers;
#[cfg(feature = "gui")]
mod pictures;
mod player;
mod player_mesh;
#[path = "../project.rs"]
mod project;
#[cfg(feature = "gui")]
mod recordings;
mod reports;
mod second;
mod support;
mod tiers;
#[cfg(unix)]
mod too_large;
#[path = "../until.rs"]
mod until;
#[cfg(windows)]
mod windows;
#[path = "../written.rs"]
mod written;
