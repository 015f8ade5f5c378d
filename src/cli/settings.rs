use super::codecs::{ParamRow, print_values};
use super::setting_args::{CompensationGroup, Contacts, Export, Limits, OnScreen, OptionGroup, Source, Tiers};
use super::{Console, Exit, Failure};
use clap::Args;
use posepress_core::settings::{Param, Setting};
use serde::Serialize;

/// `posepress settings`.
#[derive(Debug, Args)]
pub struct SettingsArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Prints every setting outside codecs: its key in a recipe file, option, range and default.
pub fn run(args: &SettingsArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let groups = [
        Group::of::<Limits>(Some("")),
        Group::of::<CompensationGroup>(Some("compensation")),
        Group::of::<Contacts>(Some("contacts")),
        Group::of::<Source>(None),
        Group::of::<Export>(None),
        Group::of::<OnScreen>(None),
        Group::of::<Tiers>(None),
    ];
    if args.json {
        console.json(&Document { schema: 1, groups: &groups })?;
    } else {
        groups.iter().try_for_each(|group| group.print(console))?;
    }
    Ok(Exit::Done)
}

#[derive(Serialize)]
struct Document<'a> {
    schema: u32,
    groups: &'a [Group],
}

#[derive(Serialize)]
struct Group {
    heading: &'static str,
    /// Section of a recipe file, empty for its top level; `None` if no file holds the settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<&'static str>,
    settings: Vec<SettingRow>,
}

#[derive(Serialize)]
struct SettingRow {
    option: &'static str,
    /// The meaning of an unset value, which replaces the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    unset: Option<&'static str>,
    #[serde(flatten)]
    param: ParamRow,
    #[serde(skip)]
    described: Param,
    #[serde(skip)]
    default_text: String,
}

impl Group {
    fn of<G: OptionGroup>(table: Option<&'static str>) -> Self {
        let row = |setting: &'static Setting<G::Of>| SettingRow {
            option: setting.option,
            unset: setting.unset,
            param: ParamRow::new(&setting.param()),
            described: setting.param(),
            default_text: setting.default_text(),
        };
        Self { heading: G::HEADING, table, settings: G::settings().map(row).collect() }
    }

    fn print(&self, console: &mut Console<'_>) -> Result<(), Failure> {
        let place = match self.table {
            None => "options only".to_owned(),
            Some("") => "at the top of a recipe file".to_owned(),
            Some(table) => format!("[{table}] of a recipe file"),
        };
        writeln!(console.out, "{}: {place}", self.heading)?;
        for row in &self.settings {
            let (Param { key, label, help, .. }, option) = (row.described, row.option);
            writeln!(console.out, "\n{key}, --{option}\n    {label}. {help}")?;
            if !row.default_text.is_empty() {
                writeln!(console.out, "    Default: {}.", row.default_text)?;
            }
            print_values(&row.described, console)?;
        }
        Ok(writeln!(console.out)?)
    }
}
