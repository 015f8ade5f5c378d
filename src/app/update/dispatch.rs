//! The one writer: carries out what panels and keys ask for.

use crate::App;
use crate::actions::State;
use crate::commands::Command;
use crate::files::{FileEvent, file_name};
use crate::panels::{is_hint_shown, wanted_fit};
use crate::state::BLINK_RANGE_HZ;
use crate::state::Problem;
use crate::state::{FIRST_FRAME_RANGE, ONION_RANGE, WIPE_RANGE};
use crate::update::Filming;
use posepress_core::export::PlayedClip;
use posepress_core::import::{ImportError, ImportOptions};
use posepress_core::metrics::{Complaint, ErrorReport, error_peaks};
use posepress_core::model::Clip;
use posepress_core::session::{CameraPreset, worst_complaint, worst_moment, worst_plant};
use posepress_core::session::{
    ClipId, Judgement, Layer, Recipe, SourceFile, TaskError, TaskFault, WorkspaceEvent, difference_gain_range,
};
use posepress_core::text;
use std::path::Path;
use std::sync::Arc;

/// The bundled character.
const SAMPLE: SourceFile =
    SourceFile::Bundled { name: "sample.glb", bytes: include_bytes!("../../../assets/sample.glb") };

impl App {
    /// Carries out everything that was asked for, in order.
    pub(crate) fn dispatch(&mut self, ctx: &egui::Context, commands: Vec<Command>) {
        let before = (self.workspace.history().moves(), self.view.messages.status.clone());
        for command in commands {
            self.carry_out(ctx, command);
        }
        // What happened before a change may not be so any more: a change that says nothing leaves nothing said.
        if self.workspace.history().moves() != before.0 && self.view.messages.status == before.1 {
            self.view.messages.status.clear();
        }
        self.keep_to_seam();
        self.keep_table();
        self.view.keep_curve_zoom(self.workspace.selected());
    }

    pub(crate) fn carry_out(&mut self, ctx: &egui::Context, command: Command) {
        let view = &mut self.view;
        match command {
            Command::Run(action) => match action.can_run(&State { workspace: &self.workspace, view }) {
                Ok(()) => action.run(self, ctx),
                Err(reason) => view.messages.say(reason),
            },
            Command::Open(paths) => self.open(paths),
            Command::CancelLoading => {
                self.workspace.stop_reading();
                view.messages.status = "Reading was cancelled".into();
                self.pending_cancelled();
            }
            Command::CancelExport => {
                self.workspace.stop_writing();
                view.filming.iter().for_each(Filming::stop);
            }
            Command::ReadAs { sources, unit } => self.read_as(&sources, unit),
            Command::KeepUnits(sources) => view.imports.kept.extend(sources),
            Command::ShowImportFindings(open) => view.imports.is_table_open = open,
            Command::ReadPart(source, reading) => {
                let label = format!("Read {}", reading.label);
                self.workspace.read_as(&label, &[source], |options| reading.of(options));
            }
            Command::Mend(clip, mend, is_on) => self.workspace.mend(clip, mend, is_on),
            Command::AskRig(sheet) => view.imports.rig = sheet,
            Command::ChooseRig(sources, choice) => {
                self.workspace.choose_rig(&sources, choice.as_ref());
                view.imports.rig = None;
            }
            Command::SetExport(setting, choice) => self.set_export(setting, choice),
            Command::SetUpAxis(up) => self.set_up_axis(up),
            Command::ExportDialog { exporter, scope } => self.ask_export(exporter, scope),
            Command::PreviewRecipe(edit) => self.preview_recipe(&edit),
            Command::EditRecipe(edit) => self.edit_recipe(&edit),
            Command::UseCodec(codec) => self.use_codec(codec),
            Command::SetScreen(screen) => self.workspace.preview("Screen", |document| document.screen = screen),
            Command::SetTiers(tiers) => self.workspace.preview("Tiers", |document| document.tiers = tiers),
            Command::Align(alignment) => self.workspace.preview_alignment(alignment),
            Command::Settle => drop(self.workspace.commit()),
            Command::PreviewPlants(joint, spans) => {
                self.preview_plants(&format!("Plant of {joint}"), &joint, Some(spans));
            }
            Command::EditPlants(label, joint, spans) => {
                self.workspace.commit();
                self.preview_plants(&label, &joint, spans);
                self.workspace.commit();
            }
            Command::MarkLoop(mark) => self.mark_loop(mark),
            Command::MarkAdditive(mark) => {
                self.workspace.selected().into_iter().for_each(|clip| self.mark_additive(clip, mark.clone()));
            }
            Command::MarkClipAdditive(clip, mark) => self.mark_additive(clip, mark),
            Command::Judge(Judgement::Rejected) => self.ask_reason(),
            Command::Judge(judgement) => self.judge(judgement),
            Command::SetReason(reason) => view.review.reason = reason,
            Command::Reject => self.reject(),
            Command::ApprovePassing => self.approve_passing(),
            Command::ApproveSmallest => self.approve_smallest(),
            Command::AskAuthor(sheet) => view.sheets.author = sheet,
            Command::SetAuthor(name) => view.settings.author = name,
            Command::WriteNote(note) => self.write_note(note),
            Command::NoteFocused => view.review.note_focused(),
            Command::AddNote(text) => self.add_note(text),
            Command::ChangeNote(index, text) => self.change_note(index, &text),
            Command::ShowNote(index) => self.show_note(index),
            Command::SetBudget(budget) => view.budget = budget,
            Command::Study => self.workspace.study(view.budget.scope),
            Command::StopStudy => self.workspace.stop_study(),
            Command::FitBudget => {
                self.workspace.fit_budget(view.budget.scope, view.budget.limits.bytes.unwrap_or_default());
            }
            Command::ForgetTolerances => self.workspace.forget_tolerances(),
            Command::Naming(naming) => self.carry_out_naming(naming),
            Command::TakeRecipe(recipe) => self.take_recipe("Recipe of the comparison", Recipe::clone(&recipe)),
            Command::StopJob => self.workspace.stop(),
            Command::ResumeJob => self.workspace.resume(),
            Command::ActivateSlot(slot) => {
                // The guide was followed.
                view.settings.hint_seen |= is_hint_shown(&self.workspace, view);
                self.workspace.activate_slot(slot);
            }
            Command::CompareTo(reference) => self.workspace.compare_to(reference),
            Command::SelectClip(id) => self.select_clip(id),
            Command::PickClip(id) => self.pick_clip(id),
            Command::PickClipsTo(id) => self.pick_clips_to(id),
            Command::SelectJoint(joint) => view.selection.joint = joint,
            Command::FilterClips(text) => view.filters.clips = text,
            Command::FilterVerdict(verdict) => view.filters.verdict = verdict,
            Command::FilterReview(review) => view.filters.review = review,
            Command::SortClips(sort) => view.settings.clip_sort = sort,
            Command::GroupClips(by_file) => view.settings.clips_by_file = by_file,
            Command::ToggleFile(source) => view.filters.toggle_file(source),
            Command::Accept(trial) => self.workspace.accept(&trial),
            Command::FilterJoints(text) => view.filters.joints = text,
            Command::SortJoints(sort) => view.settings.joint_sort = sort,
            Command::ToggleJoint(joint) => view.selection.toggle_folded(joint),
            Command::Seek(time_secs) => self.seek(time_secs),
            Command::Step(samples) => self.step(samples),
            Command::ShowPeak(time_secs) => self.show_peak(time_secs),
            Command::ShowPlant(plant) => self.show_plant_from_side(plant),
            Command::Explain(complaint) => view.selection.complaint = Some(complaint),
            Command::SetSpeed(speed) => view.transport.speed = speed,
            Command::ZoomTimeline(start, end) => view.range = (start, end),
            Command::ShowDesk(desk) => self.show_desk(desk),
            Command::SetMode(mode) => view.settings.mode = mode,
            Command::ShowMeshes(names, shown) => view.settings.show_meshes(names, shown),
            Command::SetWipe(at) => view.settings.wipe = at.clamp(*WIPE_RANGE.start(), *WIPE_RANGE.end()),
            Command::SetOnionMix(mix) => view.settings.onion_mix = mix.clamp(*ONION_RANGE.start(), *ONION_RANGE.end()),
            Command::SetFirstFrame(frame) => {
                view.settings.first_frame = frame.clamp(*FIRST_FRAME_RANGE.start(), *FIRST_FRAME_RANGE.end());
            }
            Command::SetBlinkHz(rate_hz) => {
                view.settings.blink_hz = rate_hz.clamp(*BLINK_RANGE_HZ.start(), *BLINK_RANGE_HZ.end());
            }
            Command::SetDifferenceGain(gain) => {
                let range = difference_gain_range();
                view.settings.difference_gain = gain.clamp(*range.start(), *range.end());
            }
            Command::ToggleLayer(layer) => view.settings.layers.toggle(layer),
            Command::LookFrom(preset) => view.cameras.look_from(preset),
            Command::Orbit { side, yaw_rad, pitch_rad } => view.cameras.of_mut(side).orbit(yaw_rad, pitch_rad),
            Command::Pan { side, delta, size } => view.cameras.moved(side).pan(vec(delta), vec(size)),
            Command::Dolly { side, factor, at, size } => view.cameras.moved(side).dolly(factor, vec(at), vec(size)),
            Command::SetCurve(kind) => view.settings.curve = kind,
            Command::ToggleCurveAxis(axis) => view.settings.curve_axes[axis] ^= true,
            Command::ZoomCurves(values) => view.zoom_curves(self.workspace.selected(), values),
            Command::SetFirstFloat(first) => view.settings.first_float = first,
            Command::SetReplay(keys) => view.selection.replay_keys = keys,
            Command::CompareJoint(joint) => view.selection.toggle_compared(joint),
            Command::ToggleBetween => view.settings.between_samples ^= true,
            Command::ShowPanel(panel) => view.show_panel(panel),
            Command::PanelShown => view.wanted_panel = None,
            Command::ShowLeft(tab) => view.settings.left_tab = tab,
            Command::ShowRight(tab) => view.settings.right_tab = tab,
            Command::ShowTimeline(tab) => view.settings.timeline_tab = tab,
            Command::SetPalette(palette) => view.sheets.palette = palette,
            Command::SizePanel(panel, points) => drop(view.settings.layout.panels_points.insert(panel.into(), points)),
            Command::Paste(text) => self.paste(&text),
            Command::OpenLeftOut(left, how) => self.try_left_out(*left, how),
            Command::Locate(path) => self.ask_locate(&path),
            Command::OpenPending(path) => self.open_pending(&path),
            Command::RemovePending(path) => self.remove_pending(&path),
            Command::TakeDocument(label, document) => {
                view.messages.close_offers(|command| matches!(command, Command::TakeDocument(..)));
                self.workspace.edit(label, |own| *own = *document);
            }
            Command::SetPathSheet(sheet) => self.set_path_sheet(sheet),
            Command::TakePath { replace } => self.take_path(replace),
            Command::LeaveProject(answer) => self.leave(ctx, answer),
            Command::Dismiss(index) => view.messages.close(index),
            Command::DismissHint => view.settings.hint_seen = true,
            Command::Escape => self.escape(ctx),
        }
    }

    fn preview_plants(&mut self, label: &str, joint: &str, spans_secs: Option<Vec<[f32; 2]>>) {
        if let Some(id) = self.workspace.selected() {
            self.workspace.preview_plants(id, label, joint, spans_secs);
        }
    }

    fn escape(&mut self, ctx: &egui::Context) {
        let view = &mut self.view;
        if view.imports.rig.take().is_some() {
            return;
        }
        let is_table = std::mem::take(&mut view.imports.is_table_open);
        if is_table || view.sheets.palette.take().is_some() || view.sheets.path.take().is_some() {
            return;
        }
        if view.sheets.keys || view.sheets.notices {
            (view.sheets.keys, view.sheets.notices) = (false, false);
        } else if is_hint_shown(&self.workspace, view) {
            view.settings.hint_seen = true;
        } else if !view.messages.close_latest() && !ctx.text_edit_focused() && !view.ghost.forget() {
            view.selection.clear();
        }
    }

    /// Starts reading the bundled character.
    pub(crate) fn open_sample(&mut self) {
        self.mark_opening(|opening| opening.sample = true);
        self.workspace.open(SAMPLE, ImportOptions::default());
    }

    /// Takes in what dialogs and tasks have answered.
    pub(crate) fn take_in(&mut self) {
        while let Some(event) = self.files.poll() {
            match event {
                FileEvent::Picked(paths) => self.open(paths),
                FileEvent::Compared(path) => self.compare_with(path),
                FileEvent::Located(old, path) => self.located(&old, path),
                FileEvent::SourceFound(source, found) => self.source_found(&source, found),
                FileEvent::Recipe(event) => self.recipe_event(event),
                FileEvent::Project(event) => self.project_event(event),
                FileEvent::Target { exporter, scope, path } => self.export_to(exporter, scope, path),
                FileEvent::SaveSeen(seen, path) => self.save_seen(seen, path),
                FileEvent::SeenSaved(path, saved) => self.seen_saved(&path, saved),
                FileEvent::NoDialog(purpose, name) => self.ask_path(purpose, &name),
                FileEvent::There(there, path) => self.take_in_there(&path, there),
                FileEvent::Listed(listing) => self.take_in_listing(listing),
                FileEvent::Found(found) => self.open_found(found),
            }
        }
        self.watch_files();
        let mut opened = Vec::new();
        for event in self.workspace.poll() {
            match event {
                WorkspaceEvent::Opened { source } => {
                    self.opened(source);
                    opened.push(source);
                }
                WorkspaceEvent::Reread { source } => self.reread(source),
                WorkspaceEvent::ReadAs { source } => self.read_otherwise(source),
                WorkspaceEvent::RereadForeign => {
                    self.view.messages.say("The other file changed on the disk and was read again")
                }
                WorkspaceEvent::Written { path, bytes, clips } => self.written(&path, bytes, &clips),
                WorkspaceEvent::Fitted { clips, bytes, worst } => {
                    let (clips, bytes) = (text::count(clips, "clip"), text::bytes(bytes as u64));
                    self.view
                        .messages
                        .say(format!("{clips} in {bytes}; the worst error is {worst:.2} times what passes"));
                }
                WorkspaceEvent::Failed(error) => self.failed(&error),
            }
        }
        self.look_at_opened(&opened);
        self.go_on_where_it_stopped();
        self.show_awaited_view();
    }

    fn written(&mut self, path: &Path, bytes: usize, clips: &[PlayedClip]) {
        let (name, files) = (file_name(path), self.written_files(path, bytes).join(", "));
        let worst = clips.iter().max_by(|a, b| a.worst().error_m.total_cmp(&b.worst().error_m));
        let played = worst.map_or_else(String::new, |clip| format!("; as it plays {}", clip.summary()));
        self.view.messages.say(format!("Wrote {files}{played}"));
        let complaints: Vec<String> = clips.iter().filter_map(PlayedClip::complaint).collect();
        if let Some(first) = complaints.first() {
            let more = complaints.len() - 1;
            let rest = if more > 0 { format!(" So are {}.", text::count(more, "more clip")) } else { String::new() };
            let title = format!("{name} is over the tolerance");
            self.view.messages.report(Problem::error(title, format!("{first}.{rest}")));
        }
    }

    fn opened(&mut self, id: u32) {
        self.pending_opened(id);
        let Some(source) = self.workspace.library().source(id) else { return };
        let (path, clips) = (source.path.clone(), source.clips.len());
        let name = path.as_ref().map_or("the sample".to_owned(), |path| file_name(path));
        self.view.messages.status = match source.is_rig {
            true => {
                format!("Opened {name}, a rig of {} without animation", text::count(source.rig.skeleton.len(), "joint"))
            }
            false => format!("Opened {name}, {}", text::count(clips, "clip")),
        };
        if let Some(path) = path {
            self.workspace.leave_sample();
            self.view.settings.hint_seen = true;
            self.view.settings.remember(std::path::absolute(&path).unwrap_or(path));
        }
    }

    /// Looks at the first of the files that were opened together.
    fn look_at_opened(&mut self, sources: &[u32]) {
        let has_clips = |id: &&u32| self.workspace.library().source(**id).is_some_and(|s| !s.clips.is_empty());
        match sources.iter().find(has_clips) {
            Some(&source) if !self.view.imports.is_batch => {
                self.view.imports.is_batch = true;
                self.select_clip(ClipId { source, clip: 0 });
            }
            // The sample made room for a file without clips.
            None if !sources.is_empty() => self.clip_changed(),
            _ => {}
        }
        self.view.imports.is_batch &= self.workspace.reading().next().is_some();
    }

    fn failed(&mut self, error: &TaskError) {
        let name = error.place.file.as_deref().map_or(String::new(), file_name);
        error.place.file.iter().for_each(|path| self.pending_failed(path, &error.to_string()));
        let title = match &*error.fault {
            TaskFault::Import(error) => return self.import_failed(error),
            TaskFault::Unmade { .. } => {
                format!("{name}: {} stays as the file has it", error.place.clip.as_deref().unwrap_or_default())
            }
            TaskFault::Stopped => return self.view.messages.status = format!("Writing {name} was cancelled"),
            TaskFault::Budget(_) => "The clips do not fit".into(),
            TaskFault::Export(_) => format!("{name} was not written"),
            TaskFault::Archive(_) => format!("{name} cannot be read"),
            _ if error.place.file.is_some() => format!("{name} was neither read nor written"),
            TaskFault::Compress(_) | TaskFault::NoCounterpart(_) | TaskFault::Panicked(_) => {
                "An error could not be explained".into()
            }
        };
        self.view.messages.report(Problem::error(title, describe(error)));
    }

    fn import_failed(&mut self, error: &ImportError) {
        let name = file_name(&error.path);
        let mut detail = error.what.clone();
        if let Some(at) = &error.at {
            detail += &format!("\nWhere: {at}");
        }
        if let Some(advice) = &error.advice {
            detail += &format!("\nWhat to do: {advice}");
        }
        detail += "\nNothing was imported from it; everything else is as it was.";
        self.view.messages.report(Problem::error(format!("{name} cannot be read"), detail));
    }

    /// The playhead and the timeline stay inside a clip that may be shorter than the last.
    pub(crate) fn clip_changed(&mut self) {
        self.view.range = (0.0, 1.0);
        self.view.selection.clip_changed();
        let duration_secs = self.duration_secs();
        self.view.transport.clip_changed(duration_secs);
        self.review_changed();
    }

    pub(crate) fn duration_secs(&self) -> f32 {
        let clip = self.workspace.selected().and_then(|id| self.workspace.library().clip(id));
        clip.map_or(0.0, |(_, clip)| clip.duration_secs())
    }

    pub(crate) fn seek(&mut self, time_secs: f32) {
        let duration_secs = self.duration_secs();
        self.view.transport.seek(time_secs, duration_secs);
    }

    pub(crate) fn selected_clip(&self) -> Option<&Arc<Clip>> {
        let (_, clip) = self.workspace.library().clip(self.workspace.selected()?)?;
        Some(clip)
    }

    pub(crate) fn keep_trail(&mut self) {
        self.view.settings.layers.set(Layer::Trails, true);
        self.view.selection.toggle_trail();
    }

    pub(crate) fn step(&mut self, samples: f64) {
        if let Some(grid) = self.selected_clip().map(|clip| clip.grid()) {
            self.view.transport.step(samples, &grid);
        }
    }

    fn report(&self) -> Option<&ErrorReport> {
        self.workspace.shown().map(|s| &s.outcome.report)
    }

    pub(crate) fn go_to_peak(&mut self, forward: bool) {
        let Some(report) = self.report() else { return };
        let Some((_, clip)) = self.workspace.selected().and_then(|id| self.workspace.library().clip(id)) else {
            return;
        };
        let now = clip.grid().sample_at(self.view.transport.time_secs);
        let samples = error_peaks(report).into_iter().map(|p| p.sample);
        let target = if forward {
            samples.filter(|s| *s > now + 1e-3).reduce(f64::min)
        } else {
            samples.filter(|s| *s < now - 1e-3).reduce(f64::max)
        };
        if let Some(sample) = target {
            let time_secs = clip.grid().time_secs(sample);
            self.show_peak(time_secs);
        }
    }

    /// Goes to a moment and asks who causes the error of the joint whose skin is furthest off, or whose shell is.
    fn show_peak(&mut self, time_secs: f32) {
        self.seek(time_secs);
        let Some(shown) = self.workspace.shown() else { return };
        let raw = &shown.source.raw;
        let step = (raw.grid().sample_at(time_secs) * raw.sub_frames() as f64).round() as usize;
        let report = &shown.outcome.report;
        let of_skin = report.vertex.as_ref().filter(|v| step.is_multiple_of(v.stride));
        let of_skin = of_skin.and_then(|v| v.per_step_joint.get(step / v.stride).copied());
        let joint = of_skin.or_else(|| report.shell.worst_joint(step));
        self.view.selection.complaint = joint.map(|joint| Complaint::Moment { joint, step });
    }

    pub(crate) fn go_worst(&mut self) {
        let Some(report) = self.report() else { return };
        let Some((complaint, (joint, step))) = worst_moment(report).and_then(|c| Some((c, c.moment()?))) else {
            return;
        };
        let vertex = match complaint {
            Complaint::Skin { mesh, vertex, .. } => Some((mesh, vertex)),
            _ => None,
        };
        if let Some(shown) = self.workspace.shown() {
            self.seek(shown.source.raw.time_secs(step));
        }
        self.view.selection.joint = Some(joint);
        self.view.selection.complaint = Some(complaint);
        self.view.selection.marked_vertex = vertex;
        match vertex {
            Some(vertex) => self.frame_vertex(vertex),
            None => self.frame_selection(),
        }
    }

    fn show_plant_from_side(&mut self, index: usize) {
        self.show_plant(index);
        self.view.cameras.main.look_from(CameraPreset::Side.direction());
        self.frame_selection();
    }

    pub(crate) fn go_worst_plant(&mut self) {
        if let Some(Complaint::Plant(index)) = self.report().and_then(worst_plant) {
            self.show_plant_from_side(index);
        }
    }

    pub(crate) fn go_to_plant(&mut self, forward: bool) {
        let now = self.view.transport.time_secs;
        let Some(report) = self.report() else { return };
        let plants = report.contacts.plants.iter().enumerate().map(|(i, p)| (p.worst_secs, i));
        let target = if forward {
            plants.filter(|p| p.0 > now + 1e-4).min_by(|a, b| a.0.total_cmp(&b.0))
        } else {
            plants.filter(|p| p.0 < now - 1e-4).max_by(|a, b| a.0.total_cmp(&b.0))
        };
        if let Some((_, index)) = target {
            self.show_plant_from_side(index);
        }
    }

    /// Keeps explanations up with what is shown: whom to blame, the fit that the curve plot replays, and what is left without tiers.
    pub(crate) fn explain(&mut self) {
        let asked = self.view.selection.complaint.or_else(|| self.report().and_then(worst_complaint));
        let fit = self.workspace.shown().and_then(|shown| wanted_fit(&self.view, shown));
        self.workspace.explain(asked);
        self.workspace.replay(fit);
        let tiers = self.workspace.document().tiers;
        self.workspace.ask_tiers(tiers.on.then_some(tiers));
    }

    fn show_plant(&mut self, index: usize) {
        let Some(plant) = self.report().and_then(|r| r.contacts.plants.get(index)) else { return };
        let (joint, time_secs) = (plant.joint, plant.worst_secs);
        self.seek(time_secs);
        self.view.selection.joint = Some(joint);
        self.view.selection.complaint = Some(Complaint::Plant(index));
    }

    /// What a first start shows: the plant that slides most, at its worst moment.
    pub(crate) fn look_at_worst_plant(&mut self) {
        let Some(report) = self.report() else { return };
        let worst = worst_plant(report);
        self.first_look = false;
        if let Some(Complaint::Plant(plant)) = worst {
            self.show_plant(plant);
        }
    }
}

/// What happened and on what; an error of a file says its place itself.
fn describe(error: &TaskError) -> String {
    match (&*error.fault, &error.place.clip) {
        (TaskFault::Compress(_) | TaskFault::Panicked(_), Some(clip)) => format!("clip '{clip}': {error}"),
        _ => error.to_string(),
    }
}

fn vec(v: egui::Vec2) -> glam::Vec2 {
    glam::vec2(v.x, v.y)
}
