//! The texts of the window at many sizes, read from the shapes of a frame, without a picture.

use super::*;
use egui::Rect;
use egui::epaint::{ClippedShape, Shape, TextShape};
use egui_kittest::kittest::{AccessKitNode, NodeT, by};

/// A window that is never drawn on a GPU.
pub(super) fn undrawn(size: [f32; 2], files: Vec<PathBuf>) -> Window {
    let options = Options { files, picker: Box::new(TestPicker::default()), ..quiet_options() };
    let builder = Harness::builder().with_size(egui::vec2(size[0], size[1])).with_max_steps(16);
    let mut window = builder.build_eframe(move |cc| App::new(cc, options));
    settle(&mut window);
    window
}

fn quiet_options() -> Options {
    Options { state_folder: None, timings: false, author: Some("Ann".into()), ..Options::default() }
}

/// A text of a frame.
pub(super) struct Written {
    words: String,
    is_elided: bool,
    /// True if something opaque was drawn over it.
    is_covered: bool,
    /// Its glyphs.
    rect: Rect,
    /// Its visible part.
    seen: Rect,
    clip: Rect,
}

/// The texts of the last frame that are visible at least in part.
pub(super) fn written(window: &Window) -> Vec<Written> {
    let mut out: Vec<Written> = Vec::new();
    let screen = window.ctx.content_rect();
    for ClippedShape { clip_rect, shape, .. } in &window.output().shapes {
        let clip = clip_rect.intersect(screen);
        if let Some(cover) = opaque(shape) {
            let cover = cover.intersect(clip);
            out.iter_mut().for_each(|text| text.is_covered |= cover.contains(text.seen.center()));
        }
        texts(shape, &mut |text| {
            let (rect, words) = (text.visual_bounding_rect(), text.galley.text().to_owned());
            let seen = rect.intersect(clip);
            if seen.is_positive() && !words.trim().is_empty() {
                out.push(Written { words, is_elided: text.galley.elided, is_covered: false, rect, seen, clip });
            }
        });
    }
    out
}

/// The rectangle of a filled shape.
fn opaque(shape: &Shape) -> Option<Rect> {
    match shape {
        Shape::Rect(filled) if filled.fill.a() > 200 => Some(filled.rect),
        _ => None,
    }
}

fn texts(shape: &Shape, found: &mut impl FnMut(&TextShape)) {
    match shape {
        Shape::Vec(shapes) => shapes.iter().for_each(|shape| texts(shape, found)),
        Shape::Text(text) => found(text),
        _ => {}
    }
}

/// Numbers of a text: runs of digits with their decimals.
fn numbers_of(text: &Written) -> Vec<String> {
    let is_part = |letter: char| letter.is_ascii_digit() || letter == '.';
    let runs = text.words.split(|c| !is_part(c)).filter(|run| run.contains(|c: char| c.is_ascii_digit()));
    runs.map(str::to_owned).collect()
}

/// Numbers of the visible texts outside the rows of lists.
fn numbers_beside_rows(window: &Window) -> Vec<String> {
    let is_row = |node: &AccessKitNode<'_>| ROWS.contains(&node.role());
    let rows: Vec<Rect> = window.query_all(by().predicate(is_row)).map(|node| node.rect()).collect();
    let texts = written(window).into_iter();
    texts
        .filter(|text| !rows.iter().any(|row| row.contains(text.seen.center())))
        .flat_map(|text| numbers_of(&text))
        .collect()
}

/// Visible parts of everything that is painted.
fn painted(window: &Window) -> Vec<Rect> {
    let screen = window.ctx.content_rect();
    let seen = |drawn: &ClippedShape| drawn.shape.visual_bounding_rect().intersect(drawn.clip_rect).intersect(screen);
    window.output().shapes.iter().map(seen).filter(Rect::is_positive).collect()
}

/// Names of the visible controls, and of the visible rows of lists. A control is visible if a part of it is painted.
pub(super) fn controls(window: &Window) -> [Vec<String>; 2] {
    let painted = painted(window);
    let named = |roles: &'static [Role]| {
        let is_one = move |node: &AccessKitNode<'_>| roles.contains(&node.role());
        let nodes = window.query_all(by().predicate(is_one));
        let seen = nodes.filter(|node| {
            let place = node.rect().expand(4.0);
            painted.iter().any(|part| place.contains_rect(*part) && part.width() > 2.0)
        });
        seen.map(|node| node.accesskit_node().label().unwrap_or_default()).collect()
    };
    const CONTROLS: &[Role] = &[
        Role::Button,
        Role::CheckBox,
        Role::ComboBox,
        Role::Link,
        Role::RadioButton,
        Role::Slider,
        Role::SpinButton,
        Role::Tab,
        Role::TextInput,
    ];
    [named(CONTROLS), named(ROWS)]
}

/// Rows of lists.
const ROWS: &[Role] = &[Role::ListBoxOption, Role::ListItem, Role::TreeItem];

/// A text may reach this far over its edge: antialiasing.
const SLACK: f32 = 1.5;
/// Letters of two lines may touch by this height.
const OVERLAP: f32 = 3.0;
/// Least height of something that scrolls.
const LEAST_SCROLLED: f32 = 60.0;
/// Most controls and numbers of the first screen at 1280 by 800, with the guide, beside the rows of lists and the
/// contacts of the timeline.
const MOST_CONTROLS: usize = 35;
const MOST_NUMBERS: usize = 40;

#[test]
fn the_first_screen_is_quiet() {
    let mut window = undrawn([1280.0, 800.0], vec![]);
    let counts = |window: &Window| {
        let [controls, _] = controls(window);
        let (contacts, others): (Vec<_>, Vec<_>) = controls
            .into_iter()
            .partition(|name| ["Contact of", "Touch-down", "Lift-off"].iter().any(|of| name.starts_with(of)));
        (others, contacts, numbers_beside_rows(window))
    };
    let (few, contacts, quiet) = counts(&window);
    println!("Essentials: {} controls, {} of contacts, {} numbers", few.len(), contacts.len(), quiet.len());
    println!("{few:?}\n{quiet:?}");
    show_level(&mut window, "All settings");
    let (many, _, loud) = counts(&window);
    println!("All settings: {} controls, {} numbers", many.len(), loud.len());
    assert!(few.len() <= MOST_CONTROLS && quiet.len() <= MOST_NUMBERS, "{} {}", few.len(), quiet.len());
    assert!(few.len() < many.len() && quiet.len() < loud.len());
}

/// Sizes of windows, pixels.
const SIZES: [[f32; 2]; 5] = [[1024.0, 700.0], [1280.0, 800.0], [1600.0, 960.0], [1920.0, 1080.0], [2560.0, 1440.0]];
/// Zooms of the whole window.
const ZOOMS: [f32; 4] = [1.0, 1.25, 1.5, 2.0];
/// Least size of a window in points: a larger zoom is not taken.
const LEAST: [f32; 2] = [960.0, 600.0];

/// The sizes in points that a window can have, each once.
fn points() -> Vec<[f32; 2]> {
    let mut all: Vec<[f32; 2]> = Vec::new();
    for [width, height] in SIZES {
        for zoom in ZOOMS {
            let most = (width / LEAST[0]).min(height / LEAST[1]);
            let zoom = zoom.min(((most + 0.001) / 0.05).floor() * 0.05).max(1.0);
            let size = [(width / zoom).round(), (height / zoom).round()];
            if !all.contains(&size) {
                all.push(size);
            }
        }
    }
    all
}

/// Names of clips and joints.
fn names(window: &Window) -> Vec<String> {
    let source = &window.state().workspace().library().sources()[0];
    let joints = (0..source.rig.skeleton.len()).map(|joint| source.rig.skeleton.name(joint).to_owned());
    source.clips.iter().map(|clip| clip.name().to_owned()).chain(joints).collect()
}

/// Texts of the last frame that are cut, or lie on another text.
fn faults(window: &Window) -> Vec<String> {
    let (texts, mut found) = (written(window), Vec::new());
    let labels: Vec<&str> = actions().iter().map(|action| &*action.label).collect();
    let is_label = |words: &str| {
        let is_button = ["Export", "Approve"].iter().any(|verb| words.starts_with(verb)) && words.ends_with('\u{2026}');
        labels.contains(&words) || is_button
    };
    let names = names(window);
    // A long name loses its middle; the tooltip has all of it.
    let is_name = |words: &str| {
        let ends = words.split_once('\u{2026}').filter(|(head, tail)| !head.is_empty() && !tail.is_empty());
        ends.is_some_and(|(head, tail)| names.iter().any(|name| name.starts_with(head) && name.ends_with(tail)))
    };
    for text in &texts {
        let Written { words, rect, clip, .. } = text;
        if text.is_elided || words.contains('\u{2026}') && !is_label(words) && !is_name(words) {
            found.push(format!("'{words}' is shortened"));
        }
        let across = rect.left() < clip.left() - SLACK || rect.right() > clip.right() + SLACK;
        let down = rect.top() < clip.top() - SLACK || rect.bottom() > clip.bottom() + SLACK;
        // A list or a column may scroll.
        if across || down && clip.height() < LEAST_SCROLLED {
            found.push(format!("'{words}' is cut: {rect} in {clip}"));
        }
    }
    for (index, text) in texts.iter().enumerate() {
        for other in &texts[index + 1..] {
            let both = text.seen.intersect(other.seen);
            if both.width() > SLACK && both.height() > OVERLAP && !text.is_covered {
                found.push(format!("'{}' lies on '{}' at {both}", other.words, text.words));
            }
        }
    }
    found
}

/// Opens a tab if it is there.
fn open_tab(window: &mut Window, role: Role, name: &str) -> bool {
    let Some(tab) = window.query_by_role_and_label(role, name) else { return false };
    tab.click_accesskit();
    window.run_steps(4);
    true
}

/// Walks all tabs of a window.
fn walk(window: &mut Window, place: &str, found: &mut Vec<String>) {
    let mut look = |window: &Window, tab: &str| {
        found.extend(faults(window).into_iter().map(|fault| format!("{place} {tab}: {fault}")));
    };
    for (role, name) in [
        (Role::Tab, "Contacts"),
        (Role::Tab, "Report"),
        (Role::Tab, "Codec"),
        (Role::Tab, "Joints"),
        (Role::Tab, "Clips"),
        (Role::RadioButton, "Curves"),
        (Role::RadioButton, "Error"),
    ] {
        if open_tab(window, role, name) {
            look(window, name);
        }
    }
    look(window, "Clip");
    for (key, name) in [(egui::Key::F3, "Review"), (egui::Key::F4, "Budget"), (egui::Key::F2, "Clip again")] {
        window.key_press(key);
        window.run_steps(6);
        look(window, name);
    }
}

#[test]
fn no_text_is_cut_or_lies_on_another_at_any_size() {
    let (mut window, mut found) = (undrawn(SIZES[0], vec![]), Vec::new());
    for level in ["Essentials", "All settings"] {
        show_level(&mut window, level);
        for [width, height] in points() {
            window.set_size(egui::vec2(width, height));
            window.run_steps(6);
            walk(&mut window, &format!("{level} {width}x{height}"), &mut found);
        }
    }
    found.dedup();
    assert!(found.is_empty(), "{} faults\n{}", found.len(), found.join("\n"));
}
