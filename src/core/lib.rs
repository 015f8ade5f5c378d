//! Skeletal animation compression that reports its error: import a clip, compress it, decode the bytes, measure what was lost.
//!
//! All sizes are sizes of real bytes, and all errors are measured on the motion that those bytes decode to. The window and the command line
//! of [Posepress](https://github.com/posepress/posepress) are built on this crate. A game needs only the small and stable
//! [`posepress_runtime`], which opens and samples compressed clips.
//!
//! # Example
//!
//! Import a clip, compress it with a tolerance of 0.1 mm, and read its size, error and verdict:
//!
//! ```
//! use posepress_core::codecs::Progress;
//! use posepress_core::import::{ImportOptions, import_bytes};
//! use posepress_core::metrics::Verdict;
//! use posepress_core::pipeline::{MeasuredClip, compress};
//! use posepress_core::recipe::Recipe;
//! use std::{path::Path, sync::Arc};
//!
//! // A leg that swings for two seconds, as a BVH file would have it. `import_file` reads a file from the disk.
//! let frames: String = (0..=60).map(|i| format!("{} 0 0 10 0 0\n", 30.0 * (0.1 * f64::from(i)).sin())).collect();
//! let bvh = format!(
//!     "HIERARCHY
//!     ROOT hip {{ OFFSET 0 1 0 CHANNELS 3 Xrotation Yrotation Zrotation
//!         JOINT knee {{ OFFSET 0 -0.5 0 CHANNELS 3 Xrotation Yrotation Zrotation
//!             End Site {{ OFFSET 0 -0.5 0 }} }} }}
//!     MOTION
//!     Frames: 61
//!     Frame Time: 0.0333333
//!     {frames}"
//! );
//! let mut file = import_bytes(Path::new("swing.bvh"), bvh.as_bytes(), &ImportOptions::default())?;
//! let (rig, clip) = (Arc::new(file.rig), Arc::new(file.clips.remove(0)));
//!
//! let recipe = Recipe { tolerance_m: 0.0001, ..Recipe::chosen("press")? };
//! let source = MeasuredClip::new(rig, clip, &recipe);
//! let outcome = compress(&source, &recipe, &Progress::new())?;
//!
//! let error_m = outcome.report.samples.stats.max_m;
//! println!("{} of {} bytes, {:.3} mm", outcome.bytes(), source.clip.raw_bytes(), error_m * 1000.0);
//! assert!(outcome.bytes() * 10 < source.clip.raw_bytes());
//! assert!(error_m <= recipe.tolerance_m);
//! assert_eq!(outcome.report.verdict(), Verdict::Good);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//!
//! A module uses only modules above it in this table, or in its row. A test checks that.
//!
//! | module | contents |
//! |---|---|
//! | [`text`], [`files`], [`threads`] | numbers as text, reading of files, thread counts |
//! | [`store`] | results by the digest of everything that decides them, in a folder that programs share |
//! | [`settings`] | settings with names, ranges and units; forms, options and files are generated from them |
//! | [`math`], [`model`] | rigs, clips and poses, and the sampling of a clip at any time |
//! | [`metrics`] | errors on the shell, on the skin, between samples and at the feet; contacts; verdicts |
//! | [`mod@format`], [`codecs`] | the container and the encoders, one line each in [`codecs::CODECS`] |
//! | [`import`], [`export`] | readers and writers of files, one line each in [`import::IMPORTERS`] and [`export::EXPORTERS`] |
//! | [`recipe`] | the user's settings: codec, tolerance, shells, joint overrides, contacts |
//! | [`lod`] | what a game plays at a distance: fewer joints, updates and tiers |
//! | [`pipeline`] | [`compress`](pipeline::compress), contact locking, codec search, tiers, budgets, archives |
//! | [`report`] | results for people and programs: columns, reasons for verdicts, advice |
//! | [`study`] | many recipes on many clips, and the best one within limits |
//! | [`batch`] | a library of clips: rules, manifest, gates, differences |
//! | [`project`] | the file that a team shares: recipes, marks, decisions, undo |
//! | [`tasks`] | work in the background, with progress and cancellation |
//! | [`workspace`] | the state of the program without its window |
//!
//! [`view`] is separate from these layers. It describes how both sides of a comparison are shown.
//!
//! # Stability
//!
//! The interface of this crate follows the program and may change in any version. Files stay readable: later versions read the files of
//! 0.1.0.

pub mod batch;
pub mod clock;
pub mod codecs;
pub mod export;
pub mod files;
pub mod format;
pub mod import;
pub mod lod;
pub mod math;
pub mod metrics;
pub mod model;
pub mod pipeline;
pub mod project;
pub mod recipe;
pub mod report;
pub mod settings;
pub mod store;
pub mod study;
pub mod tasks;
pub mod text;
pub mod threads;
pub mod view;
pub mod workspace;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("README.md")]
struct ReadmeExample;
