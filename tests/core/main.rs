//! Contracts of the engine: codecs, importers, exporters, metrics, sessions, and its layers.

mod additive;
mod archive;
mod book;
mod budget;
mod clip_list;
mod codec_fixtures;
mod codecs;
mod container;
mod crew;
mod described;
mod digests;
mod engine_files;
mod error_table;
mod export;
mod external;
mod fixing;
mod fuzz_corpus;
mod import;
mod import_support;
mod layering;
mod limits;
mod lod;
mod marks;
#[path = "../memory.rs"]
mod memory;
mod metrics;
mod named_recipes;
mod notices;
#[path = "../numpy.rs"]
mod numpy;
mod page;
mod pairs;
#[path = "../project.rs"]
mod project;
mod public_names;
mod review;
mod rig_match;
mod sample_asset;
mod session;
mod study;
mod tasks;
#[path = "../until.rs"]
mod until;
mod verdicts;
mod words;
#[path = "../written.rs"]
mod written;
