//! The window in a web page, used in Chromium: `scripts/web.sh window`, then `cargo test --workspace --test core -- --ignored readers`.

mod readers {
    use crate::import_support::small_rig;
    use crate::project::{corpus, project, sample};
    use posepress_core::codecs::Progress;
    use posepress_core::files;
    use posepress_core::import::ImportOptions;
    use posepress_core::pipeline::{Archive, MeasuredClip, compress_shell};
    use posepress_core::project::Document;
    use posepress_core::recipe::Recipe;
    use posepress_core::tasks::{ImportTask, SourceFile};
    use posepress_core::view::SharedView;
    use serde_json::{Value, json};
    use std::path::{Path, PathBuf};
    use std::process::Command;
    use std::sync::Arc;

    /// Digest of a clip's bytes, as they are made here.
    fn digest(file: &Path, clip: &str, recipe: &Recipe) -> String {
        let task =
            ImportTask { file: SourceFile::Path(file.into()), options: ImportOptions::default(), containers: false };
        let read = task.run(&Progress::new()).unwrap().imported;
        let clip =
            read.clips.into_iter().find(|found| found.name() == clip).expect("the page shows a clip of the file");
        let source = MeasuredClip::new(Arc::new(read.rig), Arc::new(clip), recipe);
        let outcome = compress_shell(&source, recipe, &Progress::new()).unwrap();
        blake3::hash(&outcome.encoding().unwrap().encoded.bytes).to_string()
    }

    /// A glTF file of two clips with its buffer beside it.
    fn two_files(folder: &Path) -> [PathBuf; 2] {
        let [file, buffer] = ["swing.gltf", "swing.bin"].map(|name| folder.join(name));
        let mut doc = small_rig();
        let second = doc.animation("second");
        doc.channel(second, 0, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        doc.json["buffers"][0]["uri"] = json!("swing.bin");
        std::fs::write(&file, doc.json.to_string()).unwrap();
        std::fs::write(&buffer, doc.bin).unwrap();
        [file, buffer]
    }

    fn used(drops: &[String], saved: &Path, view: &SharedView) -> Value {
        let window = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| project("target"), PathBuf::from);
        let window = window.join("web/window");
        assert!(window.join("page_bg.wasm").exists(), "no page in {}: run scripts/web.sh window", window.display());
        let mut node = Command::new("node");
        node.arg(project("tests/readers/web_window.mjs")).arg(window).arg(saved).arg(view.to_string()).args(drops);
        let output = node.output().expect("node is needed to run the readers");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    #[test]
    #[ignore = "needs node, scripts/web.sh window, and `npm ci --prefix tests/readers`"]
    fn the_window_in_a_page_compresses_as_here_plays_saves_and_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let [gltf, buffer] = two_files(folder.path());
        let mut files = vec![(gltf.clone(), format!("{},{}", gltf.display(), buffer.display()))];
        let of_corpus = ["kaykit/Knight.glb", "ufbx/maya_kenney_character_7700_binary.fbx"];
        files.extend(
            of_corpus.iter().filter_map(|name| corpus(name)).map(|file| (file.clone(), file.display().to_string())),
        );
        let drops: Vec<String> = files.iter().map(|(_, drop)| drop.clone()).collect();
        let saved = folder.path().join("saved");
        std::fs::create_dir(&saved).unwrap();
        let view = SharedView { file: Some("swing.gltf".into()), clip: Some("second".into()), ..SharedView::default() };
        let found = used(&drops, &saved, &view);
        let of_sample = Document::of_sample();
        let clip = |figures: &Value| figures["clip"].as_str().unwrap().to_owned();
        assert_eq!(found["sample"]["digest"], digest(&sample(), &clip(&found["sample"]), &of_sample.recipes[0]));
        for ((file, _), figures) in files.iter().zip(found["files"].as_array().unwrap()) {
            assert_eq!(figures["digest"], digest(file, &clip(figures), &Recipe::default()), "{}", file.display());
        }
        assert!(found["colors"].as_u64().unwrap() > 1000, "the window is drawn: {found}");
        assert_eq!([&found["plays"], &found["reloaded"], &found["offline"]], [true, true, true], "{found}");
        assert_eq!([&found["linked"]["clips"], &found["linked"]["clip"]], [&json!(2), &json!("second")], "{found}");
        let container = files::read(&saved.join(found["saved"].as_str().unwrap())).unwrap();
        assert!(!Archive::open(&container, None).unwrap().clips().is_empty());
        let last = files.last().unwrap().0.file_name().unwrap().to_str().unwrap();
        assert!(found["kept"].as_str().unwrap().contains(last), "the session is kept: {}", found["kept"]);
        assert_eq!([&found["elsewhere"], &found["problems"], &found["inaccessible"]], [&json!([]); 3], "{found}");
        assert!(found["without"].as_str().unwrap().contains("no WebGPU"), "{found}");
    }
}
