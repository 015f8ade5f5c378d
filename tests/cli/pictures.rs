//! `posepress render`: its pictures, its errors, and no messages from libraries.

use crate::support::Bench;
use image::AnimationDecoder;
use image::codecs::gif::GifDecoder;
use image::codecs::png::PngDecoder;

#[test]
fn render_draws_a_picture_of_the_size_asked_for() {
    let bench = Bench::with_sources();
    bench.ok("render biped.gltf --clip Walk --time 0.5 --view heat --size 96x64 -o p.png");
    let picture = image::load_from_memory(&bench.read("p.png")).unwrap().into_rgba8();
    assert_eq!(picture.dimensions(), (96, 64));
    let first = *picture.get_pixel(0, 0);
    assert!(picture.pixels().any(|p| *p != first), "the picture is blank");
}

#[test]
fn render_draws_every_still_view_of_the_window_with_its_settings() {
    let bench = Bench::with_sources();
    let common = "render biped.gltf --clip Walk --time 0.5 --tolerance-mm 20 --size 240x120 -o p.png";
    let draw = |rest: &str| {
        bench.ok(&format!("{common} {rest}"));
        image::load_from_memory(&bench.read("p.png")).unwrap().into_rgba8()
    };
    let lines = [
        "--view side",
        "--view heat",
        "--view difference",
        "--view difference --difference 50",
        "--view wipe",
        "--view wipe --wipe 20",
        "--view onion",
        "--view onion --onion-mix 90",
        "--view onion --heat",
        "--view onion --difference 20",
        "--view original",
        "--view compressed",
        "--view compressed --heat",
    ];
    let pictures: Vec<_> = lines.iter().map(|line| draw(line)).collect();
    for (i, a) in pictures.iter().enumerate() {
        for (j, b) in pictures.iter().enumerate().skip(i + 1) {
            assert_ne!(a, b, "{} and {} look alike", lines[i], lines[j]);
        }
    }
    assert_eq!(draw("--heat"), pictures[1], "heat is side with --heat");
    assert_eq!(draw("--difference 20"), pictures[2], "difference is side with the window's factor");
    for (line, word) in [
        ("--view onion --onion-mix 101", "0 to 100"),
        ("--view wipe --wipe x", "0 to 100"),
        ("--difference 1", "2 to 500"),
        ("--onion-mix 50", "--view onion"),
        ("--wipe 50", "--view wipe"),
        ("--view original --heat", "compressed side"),
        ("--view blink", "difference"),
    ] {
        let run = bench.run(&format!("{common} {line}"));
        assert_eq!(run.status, 2, "{line}");
        assert!(run.messages.contains(word), "{line}: {}", run.messages);
    }
    assert!(bench.run("render --help").out.contains("flip between"), "what blinks needs two pictures");
}

#[test]
fn render_looks_from_where_it_is_told() {
    let bench = Bench::with_sources();
    let common = "render biped.gltf --clip Walk --time 0.5 --view original --size 120x120 -o p.png";
    let draw = |rest: &str| {
        bench.ok(&format!("{common} {rest}"));
        image::load_from_memory(&bench.read("p.png")).unwrap().into_rgba8()
    };
    let lines = [
        "",
        "--camera front",
        "--camera side",
        "--camera top",
        "--camera back",
        "--camera left",
        "--camera bottom",
        "--camera -70,40",
        "--zoom 2",
        "--joint foot",
        "--joint foot --camera side",
    ];
    let pictures: Vec<_> = lines.iter().map(|line| draw(line)).collect();
    for (i, a) in pictures.iter().enumerate() {
        for (j, b) in pictures.iter().enumerate().skip(i + 1) {
            assert_ne!(a, b, "{:?} and {:?} look alike", lines[i], lines[j]);
        }
    }
    assert_eq!(draw("--camera front-3-4"), pictures[0]);
    for (line, words) in [
        ("--camera behind", "front-3-4, front, side, top, back, left, bottom, or YAW,PITCH"),
        ("--camera 10,120", "YAW,PITCH"),
        ("--zoom 0", "0.1 to 100"),
        ("--joint Tail", "no joint 'Tail'; there are: "),
    ] {
        let run = bench.run(&format!("{common} {line}"));
        assert_eq!(run.status, 2, "{line}: {}", run.messages);
        assert!(run.messages.contains(words), "{line}: {}", run.messages);
    }
}

#[test]
fn render_says_nothing_but_where_the_picture_is() {
    let bench = Bench::with_sources();
    let mut command = bench.command("render biped.gltf --clip Walk --time 0.5 --size 96x64 -o p.png");
    let output = command.env_remove("XDG_RUNTIME_DIR").env_remove("DISPLAY").output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "p.png: 0.5 s\n", "no library writes its own errors");
}

#[test]
fn render_refuses_a_moment_outside_of_the_clip_and_pictures_of_another_format() {
    let bench = Bench::with_sources();
    for (line, words) in [
        ("--time 1.5 -o p.png", "from 0 to 1 s"),
        ("--time=-0.1 -o p.png", "from 0 to 1 s"),
        ("--time NaN -o p.png", "from 0 to 1 s"),
        ("--time 0.5 -o p.jpg", "PNG"),
        ("--time 0.5 -o p", "PNG"),
    ] {
        let run = bench.run(&format!("render biped.gltf --clip Walk --size 96x64 {line}"));
        assert_eq!(run.status, 2, "{line}: {}", run.messages);
        assert!(run.messages.contains(words), "{line}: {}", run.messages);
    }
    bench.ok("render biped.gltf --clip Walk --size 96x64 --time 1 -o p.PNG");
}

#[test]
fn the_moment_is_written_in_the_picture() {
    let bench = Bench::with_sources();
    let draw = |time: &str| {
        bench.ok(&format!("render biped.gltf --clip Walk --time {time} --view original --size 320x120 -o p.png"));
        let picture = image::load_from_memory(&bench.read("p.png")).unwrap().into_rgba8();
        image::imageops::crop_imm(&picture, 0, 0, 160, 32).to_image()
    };
    assert_ne!(draw("0.5"), draw("0.501"), "the words differ where the poses hardly do");
}

#[test]
fn render_draws_a_view_that_the_window_has_copied() {
    let bench = Bench::with_sources();
    let draw = |rest: &[&str]| {
        let mut command = bench.command("render biped.gltf --tolerance-mm 20 --size 120x120 -o p.png");
        let output = command.args(rest).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let picture =
            output.status.success().then(|| image::load_from_memory(&bench.read("p.png")).unwrap().into_rgba8());
        (picture, said, output.status.code())
    };
    let text = "posepress-view:1 { file = \"biped.gltf\", clip = \"Walk\", time_secs = 0.5, mode = \"wipe\", wipe = 0.3, \
                layers = [\"mesh\", \"skeleton\", \"ground\"] }";
    let plain = draw(&["--clip", "Walk", "--time", "0.5", "--view", "wipe", "--wipe", "30"]).0.unwrap();
    let as_seen = |rest: &[&str]| draw(&[&["--view-text", text], rest].concat()).0.unwrap();
    assert_eq!(as_seen(&[]), plain, "clip, moment and mode are those of the text");
    std::fs::write(bench.path("view.txt"), format!("{text}\n")).unwrap();
    assert_eq!(draw(&["--view-text", "view.txt"]).0.unwrap(), plain, "a file holds it");
    assert_ne!(as_seen(&["--time", "0.1"]), plain, "what other options say counts more");
    let place = "camera = { yaw_deg = -90.0, pitch_deg = 8.0, target_m = [0.0, 0.9, 0.0], distance_m = 4.0 } }";
    let from_side = text.replace(" }", &format!(", {place}"));
    let pictures = [from_side.clone(), from_side.replace("4.0", "8.0"), from_side.replace("= [0.0", "= [0.4")];
    let pictures = pictures.map(|text| draw(&["--view-text", &text]).0.unwrap());
    assert!(pictures[0] != pictures[1] && pictures[0] != pictures[2] && pictures[0] != plain);
    let joint = text.replace("time_secs", "joint = \"Tail\", time_secs");
    let (picture, said, _) = draw(&["--view-text", &joint]);
    assert_eq!(picture.unwrap(), plain, "the rest is drawn");
    assert!(said.contains("no joint 'Tail'"), "{said}");
    for (wrong, words) in [
        ("posepress-view:9 {}", "version '9'"),
        ("posepress-view:1 { mode = \"up\" }", "expected one of side"),
        ("nowhere.txt", "Copy view"),
    ] {
        let (_, said, status) = draw(&["--view-text", wrong]);
        assert!(status == Some(2) && said.contains(words), "{wrong}: {said}");
    }
}

#[test]
fn render_writes_a_film_of_a_range_whose_pictures_are_those_of_its_moments() {
    let bench = Bench::with_sources();
    let common = "render biped.gltf --clip Walk --tolerance-mm 20 --size 160x90";
    let text = "posepress-view:1{camera={yaw_deg=-90.0,pitch_deg=8.0,target_m=[0.0,0.9,0.0],distance_m=5.0}}";
    bench.write("view.txt", text.replace("1{", "1 {").as_bytes());
    let still = |time: f32| {
        bench.ok(&format!("{common} --view-text view.txt --time {time} -o p.png"));
        image::load_from_memory(&bench.read("p.png")).unwrap().into_rgba8()
    };
    let film = |options: &str, name: &str| {
        bench.ok(&format!("{common} --view-text view.txt {options} -o {name}"));
        let bytes = std::io::Cursor::new(bench.read(name));
        let frames = match name.ends_with("gif") {
            true => GifDecoder::new(bytes).unwrap().into_frames().collect_frames(),
            false => PngDecoder::new(bytes).unwrap().apng().unwrap().into_frames().collect_frames(),
        };
        frames.unwrap().into_iter().map(image::Frame::into_buffer).collect::<Vec<_>>()
    };
    let range = "--from 0.25 --to 0.75 --fps 8";
    let (apng, gif) = (film(range, "p.apng"), film(range, "p.gif"));
    assert_eq!((apng.len(), gif.len()), (5, 5));
    for (index, (exact, few_colors)) in apng.iter().zip(&gif).enumerate() {
        let drawn = still(0.25 + index as f32 / 8.0);
        assert_eq!(*exact, drawn, "picture {index}");
        let far: u64 = drawn.iter().zip(few_colors.iter()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
        assert!(far < 4 * drawn.as_raw().len() as u64, "picture {index}: {far} of {}", drawn.as_raw().len());
    }
    assert_ne!(apng[0], apng[4]);
    assert_eq!(film("--fps 4", "whole.apng").len(), 5, "a clip of one second that is no loop");
    for (line, words) in [
        ("--from 0.5 --to 0.2 -o p.gif", "comes after"),
        ("--to 1.5 -o p.gif", "from 0 to 1 s"),
        ("--fps 100 -o p.gif", "1 to 50"),
        ("--fps 8 -o p.png", "OUT.gif"),
        ("--time 0.5 -o p.gif", "--from"),
        ("-o p.mp4", "OUT.apng"),
    ] {
        let run = bench.run(&format!("{common} {line}"));
        assert_eq!(run.status, 2, "{line}: {}", run.messages);
        assert!(run.messages.contains(words), "{line}: {}", run.messages);
    }
}
