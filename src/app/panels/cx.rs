use crate::actions::{Action, actions};
use crate::commands::{Command, RecipeCommand};
use crate::state::{RecipeEdit, State};
use crate::theme::Theme;
use egui::{Atom, Button, IdSalt, Response, Shape, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2};
use posepress_core::recipe::Recipe;
use posepress_core::text::FrameNumbers;
use std::ops::Deref;

/// Width of the tick before the name of a menu entry.
const TICK: f32 = 12.0;

/// The context of a panel: state to read, and commands to push.
pub struct PanelCx<'a> {
    /// The state to read.
    pub state: State<'a>,
    /// Colours.
    pub theme: &'a Theme,
    /// True if the window is too narrow for long texts.
    pub narrow: bool,
    /// True if lists, settings and plots are tabs: in a narrow window, and with only the essentials.
    pub tabs: bool,
    /// Commands that are carried out after drawing.
    pub commands: &'a mut Vec<Command>,
}

impl<'a> Deref for PanelCx<'a> {
    type Target = State<'a>;

    fn deref(&self) -> &State<'a> {
        &self.state
    }
}

impl PanelCx<'_> {
    /// Adds a command.
    pub fn push(&mut self, command: impl Into<Command>) {
        self.commands.push(command.into());
    }

    /// Adds a command that changes the active recipe in one undo step. `change` must leave the other settings alone.
    pub fn edit_recipe(&mut self, label: impl Into<String>, change: impl Fn(&mut Recipe) + Send + Sync + 'static) {
        self.push(Command::Recipe(RecipeCommand::EditRecipe(RecipeEdit::new(
            self.workspace.active_place(),
            label,
            change,
        ))));
    }

    /// Frame numbers of samples.
    pub fn frame_numbers(&self) -> FrameNumbers {
        FrameNumbers { first: self.view.settings.first_frame }
    }

    /// The frames of the selected clip nearest to a span: `f20 to f40`.
    pub fn frames_of(&self, span_secs: [f32; 2]) -> String {
        let grid = self.selected().map(|(_, clip)| clip.grid());
        let [first, last] = span_secs.map(|secs| grid.map_or(0, |grid| grid.sample_at(secs).round() as usize));
        self.frame_numbers().frames(first, last)
    }

    /// Files that are being read, as text.
    pub fn reading(&self) -> Option<String> {
        let mut reading = self.workspace.reading();
        let name = reading.next()?.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let more = reading.count();
        Some(if more > 0 { format!("Reading {name}, {more} more to go") } else { format!("Reading {name}") })
    }

    /// Adds a command that runs an action.
    pub fn run(&mut self, action: &'static Action) {
        self.push(Command::Run(action.key()));
    }

    /// A control that runs an action on a click. If the action cannot run, it is disabled and its tooltip has the
    /// reason. `draw` gets the tooltip.
    pub fn control(
        &mut self,
        ui: &mut Ui,
        action: &'static Action,
        draw: impl FnOnce(&mut Ui, &Theme, &str) -> Response,
    ) -> Response {
        let (theme, help) = (self.theme, action.tooltip(ui.ctx()));
        let response = match action.can_run(&self.state) {
            Ok(()) => draw(ui, theme, &help),
            // In a disabled area the control is dimmed already.
            Err(reason) if !ui.is_enabled() => draw(ui, theme, &help).on_disabled_hover_text(reason),
            Err(reason) => {
                let off = ui.add_enabled_ui(false, |ui| draw(ui, theme, &help)).inner;
                off.on_disabled_hover_text(reason)
            }
        };
        if response.clicked() {
            self.run(action);
        }
        response
    }

    /// An entry of a menu: the action's name, keys and, if it is on, a tick.
    pub fn entry(&mut self, ui: &mut Ui, action: &'static Action) -> Response {
        let state = self.state;
        let is_on = action.is_on(&state);
        let tick = Atom::custom(IdSalt::new("tick"), Vec2::splat(TICK));
        let key = action.key_text_at(ui.ctx(), self.view.settings.main_tab);
        let mut button = Button::new((tick, &*action.label));
        if !key.is_empty() {
            button = button.shortcut_text(key); // an empty one would be part of the entry's name
        }
        let response = match action.can_run(&state) {
            Ok(()) => ui.add(button).on_hover_text(action.description(&state)),
            Err(reason) => ui.add_enabled(false, button).on_disabled_hover_text(reason),
        };
        if let Some(on) = is_on {
            response.widget_info(|| WidgetInfo::selected(egui::Role::Button, ui.is_enabled(), on, &*action.label));
            if on {
                self.tick(ui, &response);
            }
        }
        if response.clicked() {
            self.run(action);
        }
        response
    }

    /// The entries of a submenu.
    pub fn entries_of(&mut self, ui: &mut Ui, submenu: &str) {
        let entries = actions().iter().copied().filter(|action| action.submenu() == Some(submenu));
        entries.for_each(|action| _ = self.entry(ui, action));
    }

    /// A submenu, aligned with the entries.
    pub fn submenu(&mut self, ui: &mut Ui, name: &str, entries: impl FnOnce(&mut Ui, &mut Self)) {
        let tick = Atom::custom(IdSalt::new("tick"), Vec2::splat(TICK));
        ui.menu_button((tick, name), |ui| entries(ui, self));
    }

    /// Draws the tick of a menu entry.
    fn tick(&self, ui: &Ui, entry: &Response) {
        let left = entry.rect.left() + ui.spacing().button_padding.x;
        let at = pos2(left + TICK / 2.0, entry.rect.center().y);
        let points = [vec2(-4.0, 0.0), vec2(-1.5, 3.0), vec2(4.0, -3.5)].map(|offset| at + offset);
        ui.painter().add(Shape::line(points.into(), Stroke::new(1.6, self.theme.accent)));
    }

    /// True while the numbers shown are of an older recipe.
    pub fn is_stale(&self) -> bool {
        self.workspace.selected().is_some_and(|clip| !self.workspace.is_fresh(clip, self.workspace.active_slot()))
    }
}
