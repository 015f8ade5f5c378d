//! Every codec: its contract, its reading and writing, and the numbers of its article.

pub mod allocation;
mod automatic;
mod calls;
mod claims;
mod codec_contract;
mod codec_corpus;
mod compensation;
mod curve_fitting;
mod far_bones;
mod float_tracks;
mod golden_digests;
mod joint_groups;
mod key_reduction;
mod large_rigs;
pub mod long_takes;
mod loops;
mod no_memory;
mod playing;
mod press;
mod press_archive;
mod stretches;
mod tiers;
mod touched;
mod vanishing;
mod variable_rate;
mod versions;
mod wavelet;
