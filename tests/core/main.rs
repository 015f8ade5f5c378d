//! Contracts of the engine: codecs, importers, exporters, metrics, sessions, and the layers they stand in.

mod allocation;
mod archive;
mod automatic;
mod budgets;
mod clip_list;
mod codec_contract;
mod codec_corpus;
mod codec_fixtures;
mod compensation;
mod container;
mod curve_fitting;
mod described;
mod export;
mod fuzz_corpus;
mod golden_digests;
mod import_bvh;
mod import_errors;
mod import_fbx;
mod import_gltf;
mod import_support;
mod key_reduction;
mod layering;
mod long_takes;
mod marks;
mod metrics;
mod playing;
mod press;
#[path = "../project.rs"]
mod project;
mod rig_match;
mod sample_asset;
mod session;
mod tasks;
mod variable_rate;
mod verdicts;
mod wavelet;
