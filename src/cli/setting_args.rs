use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use posepress_core::codecs::Compensation;
use posepress_core::export::ExportOptions;
use posepress_core::import::ImportOptions;
use posepress_core::metrics::ContactSettings;
use posepress_core::pipeline::TierSettings;
use posepress_core::recipe::Recipe;
use posepress_core::report::Screen;
use posepress_core::settings::{ParamKind, ParamValue, Setting, Settings, Unit};
use posepress_core::text;
use std::marker::PhantomData;

/// A table of settings that become options of the command line.
pub trait OptionGroup {
    /// The type with these settings.
    type Of: Settings;
    /// Heading in the help.
    const HEADING: &'static str;
    /// Prefix of the option names.
    const PREFIX: &'static str = "";

    /// The settings that become options.
    fn settings() -> impl Iterator<Item = &'static Setting<Self::Of>> {
        Self::Of::ALL.iter()
    }
}

/// The measurement and the limits of errors.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Limits;

/// The compensation of the codec's error.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CompensationGroup;

/// The detection and the limits of contacts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Contacts;

/// Import options of source files.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Source;

/// Units and axes of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Space;

/// Units and axes of an external file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Other;

/// Export options.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Export;

/// Camera and screen for errors in pixels.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OnScreen;

/// Container options.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Containers;

/// Tolerances of tiers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tiers;

impl OptionGroup for Tiers {
    type Of = TierSettings;
    const HEADING: &'static str = "Tiers";
}

impl OptionGroup for OnScreen {
    type Of = Screen;
    const HEADING: &'static str = "Screen";
}

impl OptionGroup for Export {
    type Of = ExportOptions;
    const HEADING: &'static str = "Export";

    fn settings() -> impl Iterator<Item = &'static Setting<ExportOptions>> {
        ExportOptions::ALL.iter().filter(|setting| !ExportOptions::is_of_containers(setting))
    }
}

impl OptionGroup for Containers {
    type Of = ExportOptions;
    const HEADING: &'static str = "Container";

    fn settings() -> impl Iterator<Item = &'static Setting<ExportOptions>> {
        ExportOptions::ALL.iter().filter(|setting| ExportOptions::is_of_containers(setting))
    }
}

impl OptionGroup for Limits {
    type Of = Recipe;
    const HEADING: &'static str = "Recipe";
}

impl OptionGroup for CompensationGroup {
    type Of = Compensation;
    const HEADING: &'static str = "Compensation";
}

impl OptionGroup for Contacts {
    type Of = ContactSettings;
    const HEADING: &'static str = "Contacts";
}

impl OptionGroup for Source {
    type Of = ImportOptions;
    const HEADING: &'static str = "Source";
}

impl OptionGroup for Space {
    type Of = ImportOptions;
    const HEADING: &'static str = "Source";

    fn settings() -> impl Iterator<Item = &'static Setting<ImportOptions>> {
        ImportOptions::ALL.iter().filter(|s| !["rate_hz", "frames_are_hz"].contains(&s.key))
    }
}

impl OptionGroup for Other {
    type Of = ImportOptions;
    const HEADING: &'static str = "Other file";
    const PREFIX: &'static str = "other-";

    fn settings() -> impl Iterator<Item = &'static Setting<ImportOptions>> {
        ImportOptions::ALL.iter().filter(|s| ["unit", "scale", "up"].contains(&s.key))
    }
}

/// The settings that the command line sets.
#[derive(Debug, Clone, PartialEq)]
pub struct SettingArgs<G: OptionGroup> {
    said: Vec<(&'static str, ParamValue)>,
    group: PhantomData<G>,
}

impl<G: OptionGroup> Default for SettingArgs<G> {
    fn default() -> Self {
        Self { said: Vec::new(), group: PhantomData }
    }
}

impl<G: OptionGroup> SettingArgs<G> {
    /// True if no option was given.
    pub fn is_empty(&self) -> bool {
        self.said.is_empty()
    }

    /// Applies the given options to settings.
    pub fn apply(&self, mut to: G::Of) -> G::Of {
        for (key, value) in &self.said {
            let setting = G::Of::setting(key).expect("keys are those of the table");
            setting.set(&mut to, value.clone()).expect("values were checked when the command line was read");
        }
        to
    }
}

impl<G: OptionGroup> Args for SettingArgs<G> {
    fn augment_args(command: Command) -> Command {
        command.args(G::settings().map(|setting| argument(setting, G::PREFIX).help_heading(G::HEADING)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<G: OptionGroup> FromArgMatches for SettingArgs<G> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let said = G::settings().filter_map(|s| Some((s.key, said(s, G::PREFIX, matches)?))).collect();
        Ok(Self { said, group: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The option of a setting.
fn argument<S: Settings>(setting: &'static Setting<S>, prefix: &str) -> Arg {
    let param = setting.param();
    let name = format!("{prefix}{}", setting.option);
    let arg = Arg::new(name.clone()).long(name);
    match param.kind {
        ParamKind::Bool { .. } => {
            let help = format!("{}{}{}", sentence(setting.help), only_note(setting), on_note(setting));
            let parser = PossibleValuesParser::new(["true", "false"]).map(|text| ParamValue::Bool(text == "true"));
            let arg = arg.num_args(0..=1).require_equals(true).default_missing_value("true").value_parser(parser);
            arg.value_name("true|false").hide_possible_values(true).help(help)
        }
        ParamKind::Choice { options, .. } => {
            let values = options.iter().map(|o| PossibleValue::new(o.key).help(option_help(o.label, o.help)));
            let parser = PossibleValuesParser::new(values).map(ParamValue::Choice);
            arg.value_name(upper(setting.key)).value_parser(parser).help(with_default(setting))
        }
        ParamKind::Lines(rules) => arg.value_name(upper(rules.name)).action(ArgAction::Append).help(format!(
            "{}; repeatable{}{}",
            sentence(setting.help),
            only_note(setting),
            default_note(setting)
        )),
        ParamKind::Int { .. } | ParamKind::Float { .. } => arg
            .value_name(value_name(setting))
            .allow_negative_numbers(true)
            .value_parser(move |text: &str| typed(setting, text))
            .help(with_default(setting)),
    }
}

/// The value of an option; `None` if it was not given.
fn said<S: Settings>(setting: &'static Setting<S>, prefix: &str, matches: &ArgMatches) -> Option<ParamValue> {
    let name = format!("{prefix}{}", setting.option);
    match setting.param().kind {
        ParamKind::Lines(_) => {
            let lines = matches.get_many::<String>(&name)?;
            Some(ParamValue::Lines(lines.cloned().collect()))
        }
        _ => matches.get_one::<ParamValue>(&name).cloned(),
    }
}

fn unit(kind: ParamKind) -> Unit {
    match kind {
        ParamKind::Int { unit, .. } | ParamKind::Float { unit, .. } => unit,
        _ => Unit::None,
    }
}

/// Reads a number in its display unit.
fn typed<S: Settings>(setting: &Setting<S>, text: &str) -> Result<ParamValue, String> {
    let param = setting.param();
    param.parse_shown(text).map_err(|_| format!("expected {}", limits(param.kind)))
}

/// The range of a number in its display unit: `a number from 1 to 1000`.
fn limits(kind: ParamKind) -> String {
    match kind {
        ParamKind::Int { min, max, .. } => format!("a whole number from {min} to {max}"),
        ParamKind::Float { min, max, unit, .. } => format!("a number from {} to {}", unit.shown(min), unit.shown(max)),
        _ => String::new(),
    }
}

/// Name of a value in the help, such as `MM` or `CM/S`. `N` for a plain number.
fn value_name<S: Settings>(setting: &Setting<S>) -> String {
    match unit(setting.param().kind) {
        Unit::Times => "FACTOR".into(),
        Unit::Seconds => "SECS".into(),
        unit if unit.suffix().is_empty() => "N".into(),
        unit => upper(unit.suffix().trim()),
    }
}

fn with_default<S: Settings>(setting: &Setting<S>) -> String {
    let range = match setting.param().kind {
        kind @ (ParamKind::Int { .. } | ParamKind::Float { .. }) => format!("; {}", limits(kind)),
        _ => String::new(),
    };
    format!("{}{range}{}{}", sentence(setting.help), only_note(setting), default_note(setting))
}

/// Note with the setting that this one depends on.
fn only_note<S: Settings>(setting: &Setting<S>) -> String {
    let other = setting.only_if.and_then(|(key, values)| Some((S::setting(key)?.option, values)));
    other.map_or(String::new(), |(option, values)| format!("; only with --{option} {}", values.join(" or ")))
}

/// Note with the default, in clap's style. Clap has no default, because a missing option keeps the value of the recipe file.
fn default_note<S: Settings>(setting: &Setting<S>) -> String {
    let default = match (setting.unset, setting.get(&S::default())) {
        (Some(words), _) => words.to_owned(),
        (None, Some(ParamValue::Float(number))) => unit(setting.param().kind).shown(number).to_string(),
        (None, Some(value)) => value.to_string(),
        (None, None) => String::new(),
    };
    if default.is_empty() { String::new() } else { format!(" [default: {default}]") }
}

/// Note on how to turn off a switch that is on by default.
fn on_note<S: Settings>(setting: &Setting<S>) -> String {
    let is_on = setting.get(&S::default()) == Some(ParamValue::Bool(true));
    if is_on { format!(" [default: on; --{}=false turns it off]", setting.option) } else { String::new() }
}

fn option_help(label: &str, help: &str) -> String {
    if help.is_empty() { text::capital(label) } else { sentence(help).to_owned() }
}

/// A help text without its full stop, as usual for options.
fn sentence(text: &str) -> &str {
    text.strip_suffix('.').unwrap_or(text)
}

fn upper(text: &str) -> String {
    text.to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed<G: OptionGroup>(line: &str) -> Result<G::Of, String> {
        let command = SettingArgs::<G>::augment_args(Command::new("test").no_binary_name(true));
        let matches = command.try_get_matches_from(line.split_whitespace()).map_err(|e| e.to_string())?;
        Ok(SettingArgs::<G>::from_arg_matches(&matches).unwrap().apply(G::Of::default()))
    }

    #[test]
    fn lengths_are_the_nearest_metres() {
        let recipe = parsed::<Limits>("--tolerance-mm 0.1 --shell-mm 30 --shell-from-mesh --sub-frames 2").unwrap();
        assert_eq!((recipe.tolerance_m, recipe.shell_m, recipe.sub_frames), (0.0001, 0.03, 2));
        assert!(recipe.shell_from_mesh && parsed::<Limits>("").unwrap().shell_from_mesh);
        assert!(!parsed::<Limits>("--shell-from-mesh=false").unwrap().shell_from_mesh);
        assert!(parsed::<Limits>("--shell-from-mesh=no").is_err());
        let contacts = parsed::<Contacts>("--warn-rate-cm-s 3.5 --contact-joint paw --contact-joint tail").unwrap();
        assert_eq!((contacts.warn_rate_m_s, contacts.extra_joints.len()), (0.035, 2));
    }

    #[test]
    fn what_does_not_fit_is_answered_with_what_does() {
        let refused = |line| parsed::<Limits>(line).unwrap_err();
        assert!(refused("--sub-frames 0").contains("a whole number from 1 to 64"));
        assert!(refused("--tolerance-mm nan").contains("a number from 0.0001 to 1000000"));
        assert!(parsed::<Space>("--rate 30").is_err(), "the rate is no part of space");
        assert!(parsed::<CompensationGroup>("--compensation more").unwrap_err().contains("in-place"));
    }

    #[test]
    fn options_are_unique_among_all_groups() {
        let options = |group: Vec<&'static str>| group.into_iter();
        let all: Vec<&str> = options(Limits::settings().map(|s| s.option).collect())
            .chain(options(CompensationGroup::settings().map(|s| s.option).collect()))
            .chain(options(Contacts::settings().map(|s| s.option).collect()))
            .chain(options(Source::settings().map(|s| s.option).collect()))
            .chain(options(Export::settings().map(|s| s.option).collect()))
            .chain(options(OnScreen::settings().map(|s| s.option).collect()))
            .chain(options(Containers::settings().map(|s| s.option).collect()))
            .chain(options(Tiers::settings().map(|s| s.option).collect()))
            .collect();
        let unique: std::collections::BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(unique.len(), all.len(), "{all:?}");
    }
}
