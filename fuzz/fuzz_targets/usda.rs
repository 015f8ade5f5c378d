#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| posepress_fuzz::targets::run("usda", data));
