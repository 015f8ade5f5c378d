//! Draws the animation of the README: a drag raises the tolerance until a foot slides, then the contacts are locked.
//!
//! `cargo run --release -p posepress-app --example film -- docs/film.png`

use color_quant::NeuQuant;
use egui::{Pos2, Role, Vec2, pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use image::RgbaImage;
use posepress_app::{App, Options};
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::time::Duration;

const SIZE: Vec2 = vec2(1024.0, 700.0);
const FRAMES_PER_SECOND: u16 = 8;
const COLOURS: usize = 64;
const STILL_FRAMES: usize = 8;
const DRAG_FRAMES: usize = 14;
const LOOK_FRAMES: usize = 12;
/// Range of the tolerance slider, mm. Its scale is logarithmic.
const SCALE_MM: [f32; 2] = [0.01, 10.0];
const FROM_MM: f32 = 0.2;
const TO_MM: f32 = 4.0;

type Window = Harness<'static, App>;

/// The window and its captured frames.
struct Film {
    window: Window,
    frames: Vec<RgbaImage>,
    pointer: Pos2,
}

impl Film {
    fn open() -> Self {
        let options = Options { state_folder: None, timings: false, ..Options::default() };
        let builder = Harness::builder().with_size(SIZE).with_step_dt(1.0 / f32::from(FRAMES_PER_SECOND));
        let window = builder.wgpu().build_eframe(move |cc| App::new(cc, options));
        Self { window, frames: Vec::new(), pointer: (SIZE * 0.5).to_pos2() }
    }

    /// Runs the window until all computations are finished, without capturing.
    fn settle(&mut self) {
        self.window.run_steps(4);
        while !self.window.state().is_settled() {
            std::thread::sleep(Duration::from_millis(25));
            self.window.step();
        }
        self.window.run_steps(4);
    }

    /// Captures frames in real time: if the program needs longer than a frame, the animation shows it.
    fn shoot(&mut self, frames: usize) -> Result<(), Box<dyn Error>> {
        for _ in 0..frames {
            std::thread::sleep(Duration::from_secs(1) / u32::from(FRAMES_PER_SECOND));
            self.window.step();
            self.frames.push(self.window.render()?);
        }
        Ok(())
    }

    /// Moves the pointer in a straight line, and captures a frame per step.
    fn move_to(&mut self, to: Pos2, frames: usize) -> Result<(), Box<dyn Error>> {
        let from = self.pointer;
        for frame in 1..=frames {
            self.pointer = from.lerp(to, frame as f32 / frames as f32);
            self.window.hover_at(self.pointer);
            self.shoot(1)?;
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("expected the path of the film, such as docs/film.png")?;
    let mut film = Film::open();
    film.settle();
    film.window.get_by_label("Got it").click();
    film.window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    film.settle();
    film.window.key_press(egui::Key::P);
    film.settle();

    let slider = film.window.get_by_role_and_label(Role::Slider, "Tolerance, millimetres").rect();
    let handle = |mm: f32| {
        let [low, high] = SCALE_MM.map(f32::log10);
        let inner = slider.shrink2(vec2(slider.height() * 0.5, 0.0));
        pos2(inner.left() + inner.width() * (mm.log10() - low) / (high - low), slider.center().y)
    };
    film.shoot(STILL_FRAMES)?;
    film.move_to(handle(FROM_MM), STILL_FRAMES)?;
    film.window.drag_at(film.pointer);
    film.move_to(handle(TO_MM), DRAG_FRAMES)?;
    film.window.drop_at(film.pointer);
    film.shoot(LOOK_FRAMES)?;
    while !film.window.state().is_settled() {
        film.shoot(1)?;
    }
    let lock = film.window.get_by_role_and_label(Role::Button, "Apply Lock contacts").rect().center();
    film.move_to(lock, STILL_FRAMES)?;
    film.window.drag_at(lock);
    film.window.drop_at(lock);
    film.shoot(LOOK_FRAMES)?;
    write_apng(&path, &film.frames)
}

/// Writes frames with one palette. Unchanged pixels are transparent, so that only changes take bytes.
fn write_apng(path: &str, frames: &[RgbaImage]) -> Result<(), Box<dyn Error>> {
    let seen: Vec<u8> = frames.iter().step_by(8).flat_map(|frame| frame.as_raw().clone()).collect();
    let palette = NeuQuant::new(10, COLOURS, &seen);
    let (width, height) = frames.first().ok_or("no frame")?.dimensions();
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), width, height);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let stays = u8::try_from(COLOURS)?;
    encoder.set_palette([palette.color_map_rgb(), vec![0; 3]].concat());
    encoder.set_trns([vec![255; COLOURS], vec![0]].concat());
    encoder.set_animated(u32::try_from(frames.len())?, 0)?;
    encoder.set_frame_delay(1, FRAMES_PER_SECOND)?;
    let mut writer = encoder.write_header()?;
    let mut before: Vec<u8> = Vec::new();
    for frame in frames {
        let indices: Vec<u8> = frame.pixels().map(|pixel| palette.index_of(&pixel.0) as u8).collect();
        let changed = match before.is_empty() {
            true => indices.clone(),
            false => {
                indices.iter().zip(&before).map(|(now, before)| if now == before { stays } else { *now }).collect()
            }
        };
        writer.set_blend_op(png::BlendOp::Over)?;
        writer.set_dispose_op(png::DisposeOp::None)?;
        writer.write_image_data(&changed)?;
        before = indices;
    }
    Ok(writer.finish()?)
}
