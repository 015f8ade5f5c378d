//! The decoder of the npm package under node and Deno, in Chromium and in engines: `scripts/web.sh`, then `cargo test --workspace --test core -- --ignored readers`.

mod readers {
    use super::super::{SUB_FRAMES, assert_same_poses, container, encoded, fixtures, short, stored};
    use crate::codec_fixtures::Noise;
    use crate::project::{project, sample};
    use glam::{DAffine3, DMat4, DQuat, DVec3};
    use posepress_core::format::{Container, ContainerFile};
    use posepress_runtime::{CodecId, Opened, Playback, Pose};
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// Codecs that play in the native runtime only.
    const WITHOUT: &str = "wavelet";

    /// The package as `scripts/web.sh` builds it.
    fn package() -> PathBuf {
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| project("target"), PathBuf::from);
        target.join("web/posepress")
    }

    fn node() -> Command {
        let mut node = Command::new("node");
        node.arg("--expose-gc");
        node
    }

    fn deno() -> Command {
        let mut deno = Command::new(project("tests/readers/node_modules/.bin/deno"));
        deno.env("DENO_NO_UPDATE_CHECK", "1").args(["run", "--quiet", "--no-remote", "--allow-read", "--allow-write"]);
        deno
    }

    /// Runs a script of `tests/readers` on the package. Returns what it prints.
    fn said_by(mut program: Command, script: &str, args: &[&Path]) -> String {
        assert!(package().join("posepress.js").exists(), "no package in {}: run scripts/web.sh", package().display());
        program.arg(project("tests/readers").join(script)).arg(package()).args(args);
        let output = program.output().expect("node is needed to run the readers");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}: {said}");
        eprint!("{said}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Plays every clip with a script that writes the poses of each place to a file, and compares all bits. Returns what the script prints.
    fn assert_plays(container: &Container, (program, script): (Command, &str), places: &[&str], name: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let (file, out) = (folder.path().join("clips.posepress"), folder.path().join("poses"));
        std::fs::write(&file, container.write()).unwrap();
        let steps = SUB_FRAMES.to_string();
        let places = places.iter().map(Path::new);
        let args: Vec<&Path> = [&*file, &*out, Path::new(&steps)].into_iter().chain(places.clone()).collect();
        let said = said_by(program, script, &args);
        for place in places {
            let theirs = std::fs::read(out.with_extension(place)).unwrap();
            assert_same_poses(container, &theirs, &format!("{name} in {}", place.display()));
        }
        said
    }

    /// Plays every clip in these modules of the package, with SIMD and without.
    fn assert_modules_play(container: &Container, program: fn() -> Command, modules: &[&str], name: &str) {
        let modules: Vec<String> = modules.iter().flat_map(|one| [(*one).to_owned(), format!("{one}-simd")]).collect();
        let modules: Vec<&str> = modules.iter().map(String::as_str).collect();
        assert_plays(container, (program(), "web.mjs"), &modules, name);
    }

    /// A golden container, without tiers and without clips of codecs that play in the native runtime only.
    fn golden(path: &Path) -> Container {
        let mut container = Container::read(&std::fs::read(path).unwrap()).unwrap();
        container.tiers.clear();
        container.clips.retain(|clip| clip.codec != *b"WAV1");
        container
    }

    #[test]
    #[ignore = "needs node, and scripts/web.sh"]
    fn node_plays_every_codec_of_the_sample_to_the_same_bits() {
        let fixtures = fixtures();
        let mut encoded = encoded(&fixtures);
        encoded.retain(|clip| !clip.name.ends_with(WITHOUT));
        let digests: Vec<String> = stored().iter().map(|line| line.split(',').nth(1).unwrap().to_owned()).collect();
        for clip in &encoded {
            assert!(digests.contains(&short(&clip.bytes)), "{} has other bytes than tests/digests.csv", clip.name);
        }
        let (archives, others): (Vec<_>, Vec<_>) = encoded.into_iter().partition(|clip| clip.name.ends_with("archive"));
        let (press, others): (Vec<_>, Vec<_>) = others.into_iter().partition(|clip| clip.name.ends_with("press"));
        assert_modules_play(&container(&fixtures, archives), node, &["full"], "archives");
        assert_modules_play(&container(&fixtures, press), node, &["press", "codecs", "full"], "press");
        assert_modules_play(&container(&fixtures, others), node, &["codecs", "full"], "the other codecs");
    }

    #[test]
    #[ignore = "needs node, and scripts/web.sh"]
    fn node_plays_golden_clips_to_the_same_bits() {
        let mut clips = 0;
        for entry in std::fs::read_dir(project("tests/golden")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "posepress") {
                continue;
            }
            let container = golden(&path);
            clips += container.clips.len();
            if !container.clips.is_empty() {
                let has_archives =
                    ["press-archive.posepress", "loops.posepress"].iter().any(|name| path.ends_with(name));
                let modules: &[&str] = if has_archives { &["full"] } else { &["codecs", "full"] };
                assert_modules_play(&container, node, modules, &path.display().to_string());
            }
        }
        assert!(clips > 60, "only {clips} clips");
    }

    #[test]
    #[ignore = "needs scripts/web.sh, and `npm ci --prefix tests/readers`"]
    fn deno_plays_golden_clips_to_the_same_bits() {
        for name in ["press", "codecs", "variable-rate"] {
            let container = golden(&project("tests/golden").join(name).with_extension("posepress"));
            assert_modules_play(&container, deno, &["codecs", "full"], name);
        }
    }

    #[test]
    #[ignore = "needs node, scripts/web.sh, and `npm ci --prefix tests/readers`"]
    fn bundles_play_golden_clips_to_the_same_bits_in_pages_workers_and_files() {
        let places = ["vite", "vite-worker", "esbuild", "esbuild-worker", "file"];
        let container = golden(&project("tests/golden/codecs.posepress"));
        let said = assert_plays(&container, (node(), "web_bundles.mjs"), &places, "codecs");
        assert_eq!(said, "[]", "complaints and requests to elsewhere");
    }

    /// Containers with correct checksums, and clips with up to four flipped bits.
    fn damaged(folder: &Path) -> Vec<PathBuf> {
        let mut noise = Noise(43);
        let golden = ["press", "codecs", "variable-rate", "layouts", "press-archive"];
        let damaged = golden.map(|name| {
            let bytes = std::fs::read(project("tests/golden").join(name).with_extension("posepress")).unwrap();
            let mut container = Container::read(&bytes).unwrap();
            let clips = container.clips.clone();
            container.clips = clips.iter().cycle().take(DAMAGED / golden.len()).cloned().collect();
            for clip in &mut container.clips {
                for _ in 0..1 + noise.bits() % 4 {
                    let at = noise.bits() as usize % clip.bytes.len();
                    clip.bytes[at] ^= 1 << (noise.bits() % 8);
                }
            }
            let path = folder.join(name);
            std::fs::write(&path, container.write()).unwrap();
            path
        });
        damaged.to_vec()
    }

    /// Damaged clips behind correct checksums.
    const DAMAGED: usize = 2000;

    #[test]
    #[ignore = "needs node, and scripts/web.sh"]
    fn damaged_clips_trap_no_module() {
        let folder = tempfile::tempdir().unwrap();
        let paths = damaged(folder.path());
        let said = said_by(node(), "web_damaged.mjs", &paths.iter().map(PathBuf::as_path).collect::<Vec<_>>());
        assert!(said.contains(&format!("{DAMAGED} damaged clips")), "{said}");
    }

    #[test]
    #[ignore = "needs node, and scripts/web.sh"]
    fn damaged_files_end_no_instance_and_memory_stays_flat() {
        let golden = ["press", "codecs", "variable-rate", "layouts", "press-archive", "tiers"];
        let files = golden.map(|name| project("tests/golden").join(name).with_extension("posepress"));
        let tier = project("tests/golden/tiers.medium.posepress-tier");
        let paths: Vec<&Path> = files.iter().chain([&tier]).map(PathBuf::as_path).collect();
        let said = said_by(node(), "web_limits.mjs", &paths);
        assert!(said.contains("2000 damaged files"), "{said}");
    }

    /// Distance of an engine's joints from ours, relative to the rig's size.
    const LARGEST_PART: f64 = 1e-6;
    const TIMES: [f64; 5] = [0.0, 0.1, 0.37, 0.5, 0.9];

    /// Model matrices of a pose.
    fn models(container: &Container, pose: &Pose) -> Vec<DAffine3> {
        let mut models: Vec<DAffine3> = Vec::new();
        for (joint, local) in container.rig.as_ref().unwrap().joints.iter().zip(&pose.joints) {
            let rotation = DQuat::from_array(local.rotation.to_array().map(f64::from)).normalize();
            let (translation, scale) = (local.translation.as_dvec3(), local.scale.as_dvec3());
            let local = DAffine3::from_scale_rotation_translation(scale, rotation, translation);
            models.push(joint.parent.map_or(local, |parent| models[usize::from(parent)] * local));
        }
        models
    }

    fn size(models: &[DAffine3]) -> f64 {
        let origins = || models.iter().map(|model| model.translation);
        (origins().fold(DVec3::MIN, DVec3::max) - origins().fold(DVec3::MAX, DVec3::min)).length()
    }

    /// Model matrices of a clip at [`TIMES`].
    fn played(container: &Container, clip: usize) -> Vec<Vec<DAffine3>> {
        let (clip, rig) = (&container.clips[clip], container.rig.as_ref().unwrap());
        let bind = rig.bind_pose().unwrap();
        let opened = Opened::new(CodecId(clip.codec), &clip.bytes[..], &bind).unwrap();
        let mut cursor = opened.cursor().unwrap();
        let mut pose = Pose::with_size(opened.header().joints, opened.header().float_tracks);
        let mut at = |time_secs: f64| {
            opened.sample(&mut cursor, Playback::default().place(opened.header(), time_secs), &mut pose);
            models(container, &pose)
        };
        TIMES.map(&mut at).to_vec()
    }

    /// Two clips of the sample.
    fn clips_of_the_sample() -> Container {
        let fixtures = fixtures();
        let mut encoded = encoded(&fixtures);
        encoded.retain(|clip| clip.name == "walk press" || clip.name == "jump variable-rate");
        container(&fixtures, encoded)
    }

    /// Plays clips on the sample with the example for an engine, and compares all joints.
    fn assert_moves_joints(engine: &str) {
        let container = clips_of_the_sample();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("clips.posepress");
        std::fs::write(&file, container.write()).unwrap();
        let (examples, times) = (project("examples/web"), serde_json::to_string(&TIMES).unwrap());
        let said = said_by(node(), &format!("web_{engine}.mjs"), &[&examples, &sample(), &file, Path::new(&times)]);
        let theirs: Vec<Vec<Vec<[f64; 16]>>> = serde_json::from_str(&said).unwrap();
        assert_eq!(theirs.len(), 2);
        let size = size(&models_of_bind(&container));
        let mut worst: f64 = 0.0;
        for (clip, theirs) in theirs.iter().enumerate() {
            let (ours, theirs) = (played(&container, clip).concat(), theirs.concat());
            assert_eq!(ours.len(), theirs.len());
            for (ours, theirs) in ours.iter().zip(&theirs) {
                let theirs = DAffine3::from_mat4(DMat4::from_cols_array(theirs));
                worst = worst.max(ours.translation.distance(theirs.translation) / size);
            }
        }
        eprintln!("{engine}: at most {worst:e} of the rig's size");
        assert!(worst <= LARGEST_PART, "{engine}: {worst:e} of the rig's size");
    }

    #[test]
    #[ignore = "needs node, scripts/web.sh, and `npm ci --prefix tests/readers`"]
    fn the_example_for_three_js_moves_joints_as_the_native_runtime_does() {
        assert_moves_joints("three");
    }

    #[test]
    #[ignore = "needs node, scripts/web.sh, and `npm ci --prefix tests/readers`"]
    fn the_example_for_babylon_js_moves_joints_as_the_native_runtime_does() {
        assert_moves_joints("babylon");
    }

    #[test]
    #[ignore = "needs node, scripts/web.sh, and `npm ci --prefix tests/readers`"]
    fn the_example_for_playcanvas_moves_joints_as_the_native_runtime_does() {
        assert_moves_joints("playcanvas");
    }

    #[test]
    #[ignore = "needs node, scripts/web.sh, and `npm ci --prefix tests/readers`"]
    fn the_pages_of_the_examples_play_in_chromium() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("clips.posepress");
        std::fs::write(&file, clips_of_the_sample().write()).unwrap();
        let said = said_by(node(), "web_pages.mjs", &[&project("examples/web"), &sample(), &file]);
        let pages: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&said).unwrap();
        assert_eq!(pages.len(), 3, "{said}");
        for (page, found) in pages {
            assert_eq!(found["moves"], true, "{page} stands still");
            assert_eq!(found["problems"], serde_json::json!([]), "{page}");
        }
    }

    fn models_of_bind(container: &Container) -> Vec<DAffine3> {
        let bind = container.rig.as_ref().unwrap().bind_pose().unwrap();
        models(container, &Pose { joints: bind.to_vec(), floats: Vec::new() })
    }
}
