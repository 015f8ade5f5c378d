//! The program: parses the command line, runs it or opens the window, and turns the end into an exit status. The binary and the Python
//! package run it.

mod cli;

use clap::Parser;
use cli::{Cli, Command, Console, Exit, Failure, Output, Version, check_output, say};
use std::ffi::OsString;
use std::io::{self, BufWriter};
use std::path::PathBuf;

/// Runs the program and returns its exit status. The first argument is the name of the program. Results go to standard output, errors to
/// standard error. It starts the threads of the process, so a process runs one command.
pub fn run_program(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    if let Err(error) = large_files_are_errors() {
        say(format_args!("a file that grows too large ends the program: {error}"));
    }
    match Cli::try_parse_from(arguments) {
        Ok(mut cli) => end(cli.expand_patterns().and_then(|()| start_log(&cli)).and_then(|()| run(&cli))),
        Err(answer) => end_with(&answer),
    }
}

/// Starts the log, with a recording if the options ask for one.
fn start_log(cli: &Cli) -> Result<(), Failure> {
    let Some(path) = &cli.record else { return cli::start_log(None) };
    if cli.command.is_some() {
        return Err(Failure::usage("--record writes down what is done in the window; subcommands have none"));
    }
    let read = cli.files.iter().chain(&cli.replay).chain(&cli.source.rig);
    check_output(path, read.map(PathBuf::as_path))?;
    cli::start_log(Some((path, gui::COMMANDS)))
}

/// Makes a write beyond the limit on file size (`ulimit -f`) an error like a full disk, instead of the end of the program.
#[cfg(unix)]
fn large_files_are_errors() -> io::Result<()> {
    use std::sync::{Arc, atomic::AtomicBool};
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::<AtomicBool>::default()).map(drop)
}

#[cfg(not(unix))]
fn large_files_are_errors() -> io::Result<()> {
    Ok(())
}

fn run(cli: &Cli) -> Result<Exit, Failure> {
    #[cfg(feature = "mcp")]
    if let Some(Command::Mcp(args)) = &cli.command {
        return cli::mcp::serve(args).map(|()| Exit::Done); // it answers on standard output itself
    }
    let mut out = Output::new(BufWriter::new(io::stdout().lock()));
    let writes_page = cli.command.as_ref().is_some_and(Command::writes_page);
    let painter = if writes_page { gui::painter() } else { None };
    let mut console = Console { out: &mut out, messages: &mut io::stderr(), painter };
    if cli.command.is_some() || cli.replay.is_some() {
        cli.start_threads()?;
    }
    let exit = match &cli.command {
        Some(Command::Render(args)) => gui::render(args, &mut console),
        Some(command) => cli::run(command, &mut console),
        None if cli.version => Version::own().print(cli.json, &mut console).map(|()| Exit::Done),
        None if cli.replay.is_some() => gui::replay(cli, &mut console),
        None => cli.check_files().and_then(|()| gui::open_window(cli)),
    };
    let printed = out.finish();
    exit.and_then(|exit| printed.map(|()| exit))
}

/// Prints help and version as results, so that a full disk is an error, and usage errors on standard error.
fn end_with(answer: &clap::Error) -> u8 {
    match answer.print() {
        Err(error) if !answer.use_stderr() && error.kind() != io::ErrorKind::BrokenPipe => end(Err(error.into())),
        _ => {
            if answer.use_stderr() {
                Failure::USAGE
            } else {
                0
            }
        }
    }
}

fn end(result: Result<Exit, Failure>) -> u8 {
    match result {
        Ok(Exit::Done) => 0,
        Ok(Exit::GateNotMet(gates)) => {
            say(gates);
            3
        }
        Err(failure) => {
            say(format_args!("error: {failure}"));
            failure.exit_code()
        }
    }
}

#[cfg(feature = "gui")]
mod gui {
    use crate::cli::{
        Cli, Console, Exit, Failure, Film, Moment, Painter, PictureForm, PictureFormat, RenderArgs, RenderScene,
        Thumbnail, Ticker, check_output, shared_store, store_of_windows, try_output, write_output,
    };
    pub use app::COMMANDS;
    use posepress_app::{self as app, render as draw};
    use posepress_core::files::read_text;
    use posepress_core::metrics::shell_errors;
    use posepress_core::model::{ModelPose, Pose};
    use posepress_core::text;
    use posepress_core::threads::thread_count;
    use posepress_core::view::{CameraPlace, Layer, Layers, Side, StillView, ViewMode};
    use std::path::{Path, PathBuf};

    pub fn open_window(cli: &Cli) -> Result<Exit, Failure> {
        // The rig first: what comes after it without a mesh is put on it.
        let mut files: Vec<_> = cli.source.rig.iter().chain(&cli.files).cloned().collect();
        let view = cli.view_text.clone();
        if files.is_empty() {
            files.extend(
                view.iter()
                    .filter_map(|view| view.file.as_deref())
                    .map(Into::into)
                    .filter(|file: &PathBuf| file.is_file()),
            );
        }
        // Windows makes a console for a program that the desktop starts.
        #[cfg(windows)]
        hide_console::hide_console();
        let import = cli.source.options();
        let threads = Some(thread_count(cli.threads));
        let results_folder = results_folder(cli);
        app::run(app::Options { files, import, view, threads, results_folder, ..Default::default() })
            .map_err(Failure::input)?;
        Ok(Exit::Done)
    }

    /// The folder of results: one that batches may share, else one for windows alone.
    fn results_folder(cli: &Cli) -> Option<app::ResultsFolder> {
        let shared = cli.store.clone().or_else(shared_store);
        let of =
            |path: PathBuf, is_own| app::ResultsFolder { path: std::path::absolute(&path).unwrap_or(path), is_own };
        shared.map(|path| of(path, false)).or_else(|| Some(of(store_of_windows()?, true)))
    }

    /// Runs a recording.
    pub fn replay(cli: &Cli, console: &mut Console<'_>) -> Result<Exit, Failure> {
        let path = cli.replay.as_deref().unwrap_or(Path::new(""));
        let recording = read_text(path).map_err(|error| Failure::file(path, error))?;
        let done = match app::replay(&recording, cli.record.is_none()) {
            Ok(done) => done,
            Err(error) if error.is_difference() => {
                return Ok(Exit::GateNotMet(format!("{}: {error}", path.display())));
            }
            Err(error) => return Err(Failure::file(path, error)),
        };
        let app::Replayed { commands, left_out, slots } = done;
        let as_recorded = if cli.record.is_none() { ", each as recorded" } else { "" };
        writeln!(console.out, "{}{as_recorded}", text::count(commands, "command"))?;
        if left_out > 0 {
            writeln!(console.out, "{} left out: a replay writes no files", text::count(left_out, "command"))?;
        }
        slots.iter().try_for_each(|slot| writeln!(console.out, "{slot}"))?;
        Ok(Exit::Done)
    }

    pub fn render(args: &RenderArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
        #[cfg(target_os = "linux")]
        without_device_layer();
        check_output(&args.output, [args.file.as_path()])?;
        try_output(&args.output)?;
        let scene = RenderScene::prepare(args, console)?;
        let said = match &scene.film {
            Some(film) => {
                let bytes = draw_film(&scene, film).map_err(Failure::input)?;
                write_output(&scene.output, &bytes, console)?;
                let last_secs = film.times_secs.last().copied().unwrap_or_default();
                format!("{} pictures, {} to {last_secs} s", film.times_secs.len(), film.times_secs[0])
            }
            None => {
                let mut headless = draw::Headless::new(Default::default()).map_err(Failure::input)?;
                let picture = draw_moment(&mut headless, &scene, scene.time_secs, None).map_err(Failure::input)?;
                write_output(&scene.output, &draw::png_bytes(&picture).map_err(Failure::input)?, console)?;
                format!("{} s", scene.time_secs)
            }
        };
        console.say(format!("{}: {said}", scene.output.display()));
        Ok(Exit::Done)
    }

    /// Draws every frame of an animation with one camera.
    fn draw_film(scene: &RenderScene, film: &Film) -> Result<Vec<u8>, draw::RenderError> {
        let mut headless = draw::Headless::new(Default::default())?;
        let place = scene.place.unwrap_or_else(|| place_of(scene, film));
        let ticker = Ticker::new("drawing", film.times_secs.len());
        let pictures = film.times_secs.iter().map(|time_secs| {
            let picture = draw_moment(&mut headless, scene, *time_secs, Some(place));
            ticker.step(&format!("{time_secs:.3} s"));
            picture
        });
        draw::write_film(film.format, pictures, film.rate_hz)
    }

    /// A camera that sees every frame of an animation.
    fn place_of(scene: &RenderScene, film: &Film) -> CameraPlace {
        /// Frames that it looks at; more would only cost time.
        const PLACES: usize = 24;
        let stride = film.times_secs.len().div_ceil(PLACES);
        let poses: Vec<(Pose, Pose)> = film.times_secs.iter().step_by(stride).map(|t| scene.poses(*t)).collect();
        let (raw, lossy) = &poses[0];
        let options = picture_options(scene, raw, lossy);
        draw::film_place(&scene.measured.rig, poses.iter().map(|(raw, lossy)| (raw, lossy)), &options)
    }

    fn draw_moment(
        headless: &mut draw::Headless,
        scene: &RenderScene,
        time_secs: f32,
        place: Option<CameraPlace>,
    ) -> Result<draw::RgbaImage, draw::RenderError> {
        let (raw, lossy) = scene.poses(time_secs);
        let mut options = picture_options(scene, &raw, &lossy);
        (options.place, options.time_secs) = (place.or(options.place), Some(time_secs));
        draw::draw_picture(headless, &scene.measured.rig, &raw, Some(&lossy), &options)
    }

    /// Draws frames for pages, on one device.
    #[derive(Default)]
    struct Pictures {
        device: Option<draw::Headless>,
    }

    /// The painter of pages.
    pub fn painter() -> Option<Box<dyn Painter>> {
        #[cfg(target_os = "linux")]
        without_device_layer();
        Some(Box::<Pictures>::default())
    }

    impl Painter for Pictures {
        fn paint(&mut self, moment: &Moment, form: PictureForm) -> Result<Vec<Thumbnail>, String> {
            let heat = draw::Shading::Heat { tolerance_m: moment.tolerance_m };
            let mut layers = Layers::default();
            layers.set(Layer::Skeleton, false);
            let wanted = [
                ("original", Side::Original, draw::Shading::Material),
                ("compressed", Side::Compressed, draw::Shading::Material),
                ("heat", Side::Compressed, heat),
            ];
            let mut device = match self.device.take() {
                Some(device) => device,
                None => draw::Headless::new(draw::AdapterChoice::Fastest).map_err(|error| error.to_string())?,
            };
            let thumbnails = wanted.map(|(name, side, shading)| {
                let options = draw::PictureOptions {
                    size_px: form.size_px,
                    arrangement: draw::Arrangement::One(draw::Show::Side(side)),
                    shading,
                    ground_m: moment.ground_m,
                    joint: Some(moment.joint),
                    layers,
                    ..Default::default()
                };
                let picture = draw::draw_picture(&mut device, &moment.rig, &moment.raw, Some(&moment.lossy), &options);
                let bytes = match form.format {
                    PictureFormat::Png => picture.and_then(|picture| draw::png_bytes(&picture)),
                    // A film of one picture.
                    PictureFormat::Gif => draw::write_film(draw::FilmFormat::Gif, [picture].into_iter(), 1.0),
                };
                bytes.map(|bytes| Thumbnail { name, bytes }).map_err(|error| error.to_string())
            });
            self.device = Some(device);
            thumbnails.into_iter().collect()
        }
    }

    /// Mesa's Vulkan layer that chooses among graphics cards asks Wayland, whose library writes errors of its own where no
    /// session runs. Pictures choose their card by themselves, so the layer is switched off. It reads its switch from the
    /// environment, which only a new start of the program can change safely.
    #[cfg(target_os = "linux")]
    fn without_device_layer() {
        use std::os::unix::process::CommandExt;
        const SWITCH: &str = "NODEVICE_SELECT";
        if let (None, Ok(program)) = (std::env::var_os(SWITCH), std::env::current_exe()) {
            // Comes back only if there was no new start: then the layer is asked after all.
            let _ = std::process::Command::new(program).args(std::env::args_os().skip(1)).env(SWITCH, "1").exec();
        }
    }

    /// Heat-map shading of the compressed mesh.
    fn shading(scene: &RenderScene, raw: &Pose, lossy: &Pose) -> draw::Shading {
        let tolerance_m = scene.outcome.recipe.tolerance_m;
        let model = |pose: &Pose| ModelPose::new(&scene.measured.rig.skeleton, &pose.joints).joints;
        match (scene.heat, scene.layers.is_on(Layer::HeatByJoint)) {
            (false, _) => draw::Shading::Material,
            (true, false) => draw::Shading::Heat { tolerance_m },
            (true, true) => {
                let errors_m = shell_errors(&model(raw), &model(lossy), &scene.outcome.shells_m).into();
                draw::Shading::JointError { errors_m, tolerance_m }
            }
        }
    }

    fn picture_options(scene: &RenderScene, raw: &Pose, lossy: &Pose) -> draw::PictureOptions {
        let both = |mode| draw::Arrangement::of(mode, Side::Original, scene.wipe, scene.onion_mix, Side::Compressed);
        let arrangement = match scene.view {
            StillView::Mode(mode) => both(mode),
            StillView::Over(_) => both(ViewMode::SideBySide),
            StillView::Only(side) => draw::Arrangement::One(draw::Show::Side(side)),
        };
        let (size_px, ground_m) = ([scene.size.width, scene.size.height], scene.measured.plan.ground_m);
        draw::PictureOptions {
            size_px,
            arrangement,
            shading: shading(scene, raw, lossy),
            ground_m,
            difference: scene.difference,
            direction: scene.camera,
            joint: scene.joint,
            selected_joint: scene.selected_joint,
            layers: scene.layers,
            place: scene.place,
            compressed_place: scene.compressed_place,
            zoom: scene.zoom,
            recipe: Some(scene.recipe_words()),
            ..Default::default()
        }
    }
}

#[cfg(not(feature = "gui"))]
mod gui {
    use crate::cli::{Cli, Console, Exit, Failure, Painter, RenderArgs};

    /// Builds without a window record nothing.
    pub const COMMANDS: &str = "none";

    const NO_WINDOW: &str = "this build has no window: it was made without the feature 'gui'";

    pub fn open_window(_: &Cli) -> Result<Exit, Failure> {
        let commands = Cli::subcommands().join(", ");
        Err(Failure::input(format!("{NO_WINDOW}. Use a subcommand: {commands} (see posepress --help)")))
    }

    pub fn replay(_: &Cli, _: &mut Console<'_>) -> Result<Exit, Failure> {
        Err(Failure::input(format!("{NO_WINDOW}, in which recordings are made and done again")))
    }

    pub fn painter() -> Option<Box<dyn Painter>> {
        None
    }

    pub fn render(_: &RenderArgs, _: &mut Console<'_>) -> Result<Exit, Failure> {
        Err(Failure::input(format!("{NO_WINDOW}, and its renderer is part of that")))
    }
}
