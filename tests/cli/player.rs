//! The player of a page: its poses are those of the runtime for every codec, it loads nothing, and it keeps its limits of size.

use crate::project::{corpus, project};
use crate::support::Bench;
use base64::prelude::{BASE64_STANDARD, Engine};
use posepress_core::codecs::CODECS;
use serde_json::{Value, json};
use std::io::Read;
use std::process::Command;

/// Largest size of a page beside the data of its clips.
const MOST_BYTES: usize = 300 * 1024;
const FLOATS: usize = 10;

/// The text of a block of data.
pub fn block<'a>(page: &'a str, id: &str) -> Option<&'a str> {
    let rest = page.split_once(&format!(" id=\"{id}\">"))?.1;
    Some(rest.split_once("</script>")?.0)
}

pub fn scene(page: &str) -> Value {
    serde_json::from_str(block(page, "scene").unwrap()).unwrap()
}

fn inflated(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let deflated = BASE64_STANDARD.decode(text).unwrap();
    flate2::read::DeflateDecoder::new(&*deflated).read_to_end(&mut bytes).unwrap();
    bytes
}

/// Words that were stored as four planes of bytes.
fn words(bytes: &[u8]) -> Vec<u32> {
    let count = bytes.len() / 4;
    (0..count).map(|at| u32::from_le_bytes([0, 1, 2, 3].map(|plane| bytes[at + plane * count]))).collect()
}

fn sum(word: u32, base: u32) -> u32 {
    base.wrapping_add((word >> 1) ^ 0u32.wrapping_sub(word & 1))
}

/// Bits of the original and of the compressed side, by float and sample. In builds with the decoder the page has the container of the clip.
fn sides(bench: &Bench, page: &str, clip: usize) -> [Vec<u32>; 2] {
    let row = &scene(page)["clips"][clip];
    let samples = row["samples"].as_u64().unwrap() as usize;
    let size = FLOATS * row["shells_m"].as_array().unwrap().len() * samples;
    let words = words(&inflated(block(page, &format!("clip-{clip}")).unwrap()));
    let mut original = Vec::new();
    for column in words[..size].chunks(samples) {
        let mut before = 0;
        for word in column {
            before = sum(*word, before);
            original.push(before);
        }
    }
    if row["decodes"] == true {
        bench.write("page.posepress", &inflated(block(page, &format!("container-{clip}")).unwrap()));
        return [original, decoded(bench, "page.posepress", "clip")];
    }
    let decoded = words[size..2 * size].iter().zip(&original).map(|(word, base)| sum(*word, *base)).collect();
    [original, decoded]
}

pub fn page_of(bench: &Bench, line: &str) -> String {
    let run = bench.run(line);
    assert!([0, 3].contains(&run.status), "{line}: {}", run.messages);
    String::from_utf8(bench.read("page.html")).unwrap()
}

/// Bits of the local transforms that `decode` prints, by float and sample.
fn decoded(bench: &Bench, container: &str, clip: &str) -> Vec<u32> {
    let document = bench.json(&format!("decode {container} --clip {clip} --json"));
    let poses = document["poses"].as_array().unwrap();
    let bits = |pose: &Value, float: usize| {
        let (channel, at) = match float % FLOATS {
            at @ 0..=3 => ("rotation", at),
            at @ 4..=6 => ("translation", at - 4),
            at => ("scale", at - 7),
        };
        (pose["joints"][float / FLOATS][channel][at].as_f64().unwrap() as f32).to_bits()
    };
    let floats = FLOATS * poses[0]["joints"].as_array().unwrap().len();
    (0..floats).flat_map(|float| poses.iter().map(move |pose| bits(pose, float))).collect()
}

#[test]
fn the_page_has_the_poses_of_the_runtime_for_every_codec() {
    let bench = Bench::with_sources();
    bench.ok("compress biped.gltf --codec raw -o raw.posepress");
    for codec in CODECS {
        let name = codec.name();
        let line = format!("compress biped.gltf --codec {name} --tolerance-mm 0.5 -o c.posepress --html page.html");
        let page = page_of(&bench, &line);
        for (at, clip) in ["Walk", "Wave"].iter().enumerate() {
            let [original, compressed] = sides(&bench, &page, at);
            assert_eq!(original, decoded(&bench, "raw.posepress", clip), "{name}, {clip}");
            assert_eq!(compressed, decoded(&bench, "c.posepress", clip), "{name}, {clip}");
        }
    }
}

#[test]
fn the_policy_lets_nothing_in_and_the_page_asks_for_nothing() {
    let bench = Bench::with_sources();
    let page = page_of(&bench, "report biped.gltf --codec quantize --html page.html");
    let policy = page.split_once("Content-Security-Policy\" content=\"").unwrap().1.split_once('"').unwrap().0;
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{policy}");
    for outside in
        ["http:", "https:", "fetch(", "XMLHttpRequest", "WebSocket", "eval(", "import(", "onclick=\"", "style=\""]
    {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("@media print{#player{display:none}}"));
}

#[test]
fn the_player_is_small_beside_its_data() {
    let bench = Bench::with_sources();
    let page = page_of(&bench, "report biped.gltf --codec quantize --html page.html");
    let data: usize = ["clip-0", "clip-1", "mesh-0", "scene"].iter().map(|id| block(&page, id).unwrap().len()).sum();
    let pictures: usize = page.split("base64,").skip(1).map(|rest| rest.split('"').next().unwrap().len()).sum();
    let own = page.len() - data - pictures;
    assert!(own < MOST_BYTES, "{own} bytes");
}

#[test]
fn a_page_over_its_limit_leaves_out_morph_targets_then_meshes_then_clips_and_says_so() {
    let bench = Bench::new();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/src/app/assets/sample.glb");
    // Without an error there are no pictures.
    let line = format!("report {sample} --clip walk --clip run --codec raw --html page.html");
    let page = |limit: &str| page_of(&bench, &format!("{line}{limit}"));
    let of = |page: &str| ["morph-0", "mesh-0", "clip-0", "clip-1"].map(|id| block(page, id).is_some());
    let says = |page: &str, parts: &str| {
        let words =
            format!("<p>Left out, because the page would be too large: {parts}. --html-max-mb sets the limit.</p>");
        assert!(page.contains(&words), "{words}");
    };
    let whole = page("");
    assert_eq!(of(&whole), [true; 4]);
    assert!(!whole.contains("Left out, because"));
    let len = |id: &str| block(&whole, id).unwrap().len();
    let beside = |left: usize| format!(" --html-max-mb {}", (whole.len() - left) as f64 / f64::from(1 << 20));
    let still = page(&beside(len("morph-0") / 2));
    assert_eq!(of(&still), [false, true, true, true]);
    says(&still, "morph targets");
    assert!(scene(&still)["rigs"][0]["targets"].as_array().unwrap().is_empty());
    let no_mesh = page(&beside(len("mesh-0") / 2));
    assert_eq!(of(&no_mesh), [false, false, true, true]);
    assert!(scene(&no_mesh)["rigs"][0]["mesh"].is_null());
    says(&no_mesh, "morph targets, meshes");
    let fewer = page(&beside(len("mesh-0") + len("clip-0").min(len("clip-1")) / 2));
    let [_, mesh, first, second] = of(&fewer);
    assert!(!mesh && first != second, "one clip stays");
    says(&fewer, "morph targets, meshes, the motion of 1 of 2 clips");
    for limit in (0..8).map(|part| whole.len() - part * (whole.len() - 90_000) / 8) {
        let page = page(&format!(" --html-max-mb {}", limit as f64 / f64::from(1 << 20)));
        assert!(page.len() <= limit, "{} of {limit} bytes", page.len());
    }
}

#[test]
fn a_page_that_cannot_keep_its_limit_says_so_and_keeps_its_plots() {
    let bench = Bench::with_sources();
    let run = bench.run("report biped.gltf --codec quantize --html page.html --html-max-mb 0.01");
    let page = String::from_utf8(bench.read("page.html")).unwrap();
    let over = posepress_core::text::bytes((page.len() - 10485) as u64);
    let words = format!("The page is {over} over the limit of --html-max-mb");
    assert!(page.contains(&format!("<p>{words}")), "{over}");
    assert!(run.messages.contains(&format!("page.html: {words}")), "{}", run.messages);
    assert!(page.contains("the motion of 2 of 2 clips") && block(&page, "clip-0").is_none());
    assert!(block(&page, "decoder-0").is_none(), "without motion, nothing needs the module");
    assert_eq!(page.matches("<polyline").count(), 2, "tables and plots stay");
}

#[test]
fn an_external_result_and_a_record_of_a_review_play() {
    let bench = Bench::with_sources();
    bench.ok("compress biped.gltf --codec quantize -o c.posepress");
    let page = page_of(&bench, "compare biped.gltf c.posepress --html page.html");
    assert_eq!(sides(&bench, &page, 0)[1], decoded(&bench, "c.posepress", "Walk"));
}

/// Largest distance in metres between joints of the page and joints that are computed from what `decode` prints.
const SAME_JOINTS_M: f64 = 1e-5;
/// The same between samples that the page blends, in place of the codec's curve.
const BLENDED_JOINTS_M: f64 = 1e-4;

fn played(bench: &Bench, source: &str, clip: &str, codec: &str) -> Value {
    bench.run(&format!("compress {source} --codec {codec} --tolerance-mm 0.5 -o c.posepress --html page.html"));
    bench.ok(&format!("compress {source} --codec raw --clip {clip} -o raw.posepress"));
    for (file, line) in [
        ("decoded.json", "decode c.posepress --json"),
        ("between.json", "decode c.posepress --json --rate 97"),
        ("original.json", "decode raw.posepress --json --rate 97"),
    ] {
        bench.write(file, bench.ok(&format!("{line} --clip {clip}")).as_bytes());
    }
    let mut node = Command::new("node");
    node.arg(project("tests/readers/player.mjs")).arg(bench.path("page.html")).arg(clip);
    let output = node
        .args(["decoded.json", "between.json", "original.json", ""].map(|file| bench.path(file)))
        .output()
        .expect("node is needed to run the readers");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Checks the answer of a browser that played a page.
fn check_played(answer: &Value, clips: u64) {
    assert_eq!(answer["problems"], json!([]), "{answer}");
    assert_eq!(answer["requests"], json!([]), "{answer}");
    assert_eq!(answer["inaccessible"], json!([]), "{answer}");
    for distance in ["joints_m", "original_m", "errors_m"] {
        assert!(answer[distance].as_f64().unwrap() < SAME_JOINTS_M, "{distance}: {answer}");
    }
    let between_m = if answer["decodes"] == true { SAME_JOINTS_M } else { BLENDED_JOINTS_M };
    assert!(answer["between_m"].as_f64().unwrap() < between_m, "{answer}");
    assert_eq!(answer["different_floats"], 0, "{answer}");
    for half in answer["halves"].as_array().unwrap() {
        assert!(half["colors"].as_u64().unwrap() > 50 && half["share"].as_f64().unwrap() > 0.02, "{answer}");
    }
    let after = |key: &str, at: usize, field: &str| answer["keys"][key][at][field].clone();
    for (key, mode) in [("2", "wipe"), ("3", "onion"), ("4", "blink"), ("1", "side")] {
        assert_eq!(after(key, 0, "mode"), mode);
    }
    assert_eq!(
        (after("5", 0, "heat"), after("6", 0, "difference"), after("+", 0, "factor")),
        (true.into(), true.into(), 50.into())
    );
    assert_eq!((after("ArrowRight", 1, "place"), after("ArrowLeft", 0, "place")), (2.into(), 1.into()));
    assert_eq!(
        (after("Home", 0, "place"), after("l", 0, "speed"), after("k", 0, "speed")),
        (0.into(), 1.into(), 0.into())
    );
    assert_eq!(after("u", 0, "looped"), false);
    assert!(
        answer["keys"]["played"].as_f64().unwrap() > 0.0 && answer["keys"]["help"].as_u64().unwrap() > 30,
        "{answer}"
    );
    let pointer = |what: &str| answer["pointer"][what].as_f64().unwrap();
    assert!(pointer("yaw").abs() > 0.1 && pointer("distance") > 1.05 && pointer("pan") > 0.0, "{answer}");
    assert!((pointer("wipe") - 0.7).abs() < 0.02 && (pointer("clicked") - 0.5).abs() < 0.05, "{answer}");
    assert_eq!(answer["pointer"]["held"], "original");
    assert!(answer["phone"]["pinch"].as_f64().unwrap() < 0.9, "{answer}");
    let note = &answer["notes"]["notes"][0];
    assert_eq!((&note["text"], &note["author"]), (&"The foot pops: <b>look</b>".into(), &"Eve".into()));
    assert_eq!((&answer["clips"], &answer["printed"]), (&clips.into(), &"none".into()));
    assert!(answer["without_webgl"].as_str().unwrap().contains("no WebGL 2"), "{answer}");
    assert_eq!(answer["phone"]["overflow"], 0, "{answer}");
    assert!(answer["phone"]["canvas"]["bottom"].as_f64().unwrap() < 844.0, "{answer}");
}

/// Writes `stepped.gltf`: the biped with stepped keys in Walk.
fn step(bench: &Bench) {
    let mut file: Value = serde_json::from_slice(&bench.read("biped.gltf")).unwrap();
    for sampler in file["animations"][0]["samplers"].as_array_mut().unwrap() {
        sampler["interpolation"] = "STEP".into();
    }
    bench.write("stepped.gltf", file.to_string().as_bytes());
}

#[test]
fn the_page_names_the_intervals_in_which_a_stepped_channel_changes() {
    let bench = Bench::with_sources();
    step(&bench);
    let page = page_of(&bench, "compress stepped.gltf --codec wavelet -o c.posepress --html page.html");
    for (clip, is_stepped) in [(0, true), (1, false)] {
        let row = &scene(&page)["clips"][clip];
        let words = words(&inflated(block(&page, &format!("clip-{clip}")).unwrap()));
        let counts: Vec<usize> = serde_json::from_value(row["holds"].clone()).unwrap();
        let mut from = words.len() - counts.iter().sum::<usize>();
        for (side, count) in sides(&bench, &page, clip).iter().zip(&counts) {
            let mut code = 0;
            let found: Vec<u32> = words[from..from + count].iter().map(|step| (code += step, code).1).collect();
            from += count;
            assert_eq!(
                found,
                if is_stepped { changes(side, row["samples"].as_u64().unwrap() as usize) } else { vec![] }
            );
        }
        assert_eq!(from, words.len());
    }
}

/// Every interval in which a channel changes, as the page writes them.
fn changes(side: &[u32], samples: usize) -> Vec<u32> {
    let joints = side.chunks(FLOATS * samples);
    let channels =
        joints.flat_map(|joint| [&joint[..4 * samples], &joint[4 * samples..7 * samples], &joint[7 * samples..]]);
    let of_channel = |(channel, floats): (usize, &[u32])| {
        let changes = |at: &usize| floats.chunks(samples).any(|float| float[*at] != float[at + 1]);
        (0..samples - 1).filter(changes).map(|at| (channel * samples + at) as u32).collect::<Vec<_>>()
    };
    channels.enumerate().flat_map(of_channel).collect()
}

#[test]
#[ignore = "needs node, and `npm ci --prefix tests/readers`"]
fn readers_hold_stepped_channels_between_samples() {
    let bench = Bench::with_sources();
    step(&bench);
    for codec in ["press", "wavelet"] {
        let answer = played(&bench, "stepped.gltf", "Walk", codec);
        check_played(&answer, 2);
        assert!(answer["between_m"].as_f64().unwrap() < SAME_JOINTS_M, "{answer}");
    }
}

#[test]
#[ignore = "needs node, and `npm ci --prefix tests/readers`"]
fn readers_play_the_page_and_find_the_poses_of_the_runtime() {
    let bench = Bench::with_sources();
    for codec in ["press", "wavelet", "linear-keys"] {
        check_played(&played(&bench, "biped.gltf", "Walk", codec), 2);
    }
    crate::blind::projects(&bench);
    let merged = bench.ok("notes merge notes.posepress.json none.posepress.toml");
    assert_eq!(merged, "1 note added, 0 already there\n");
    let file: Value = serde_json::from_slice(&bench.read("notes.posepress.json")).unwrap();
    assert_eq!((&file["kind"], &file["schema"]), (&"posepress-notes".into(), &1.into()));
}

#[test]
#[ignore = "needs node, and `npm ci --prefix tests/readers`"]
fn readers_play_a_character_with_76_clips() {
    let Some(knight) = corpus("kaykit/Knight.glb") else { return };
    let answer = played(&Bench::new(), &knight.display().to_string(), "Walking_A", "press");
    check_played(&answer, 76);
}
