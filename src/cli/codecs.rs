use super::table::{Align, Table};
use super::{Console, Exit, Failure};
use clap::Args;
use posepress_core::codecs::{self, CODECS, Codec, OFF, Param, ParamKind, ParamValue, Preset};
use serde::Serialize;
use std::collections::BTreeMap;

/// `posepress codecs`.
#[derive(Debug, Args)]
pub struct CodecsArgs {
    /// Show this codec's presets and parameters.
    pub codec: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Prints every codec, or one with its parameters.
pub fn run(args: &CodecsArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let one = match &args.codec {
        Some(name) => Some(codecs::named(name).map_err(Failure::usage)?),
        None => None,
    };
    if args.json {
        let codecs: Vec<_> = match one {
            Some(codec) => vec![CodecRow::new(codec)],
            None => CODECS.iter().map(|c| CodecRow::new(*c)).collect(),
        };
        console.json(&Document { schema: 1, codecs })?;
    } else if let Some(codec) = one {
        print_codec(codec, console)?;
    } else {
        print_list(console)?;
    }
    Ok(Exit::Done)
}

fn print_list(console: &mut Console<'_>) -> Result<(), Failure> {
    let mut table = Table::new(&[("codec", Align::Left), ("parameters", Align::Right), ("", Align::Left)]);
    for codec in CODECS {
        table.row([codec.name().to_owned(), codec.params().len().to_string(), codec.info().summary.to_owned()]);
    }
    table.print(console.out)?;
    Ok(writeln!(console.out, "\n'posepress codecs CODEC' lists the parameters of one.")?)
}

fn print_codec(codec: &dyn Codec, console: &mut Console<'_>) -> Result<(), Failure> {
    let promise = match codec.info().promises_tolerance {
        true => "Searches for a result within the tolerance. A result over it is marked.",
        false => "Has a fixed precision: the tolerance only decides if the result passes.",
    };
    let (name, summary, source) = (codec.name(), codec.info().summary, codec.info().source);
    writeln!(console.out, "{name}: {summary}\n{promise}\nSource: {source}")?;
    print_presets(codec, console)?;
    if codec.params().is_empty() {
        return Ok(writeln!(console.out, "\nNo parameters.")?);
    }
    for param in codec.params() {
        print_param(param, console)?;
    }
    Ok(())
}

fn print_param(param: &Param, console: &mut Console<'_>) -> Result<(), Failure> {
    let (key, label, help) = (param.key, param.label, param.help);
    let unit = unit_of(param).map(|u| format!(" {u}")).unwrap_or_default();
    match param.kind {
        ParamKind::Lines(_) => writeln!(console.out, "\n--candidates FILE")?,
        _ => writeln!(console.out, "\n--set {key}={}{unit}", param.default_value())?,
    }
    writeln!(console.out, "    {label}. {help}")?;
    match param.kind {
        ParamKind::Lines(_) => print_candidates(param, console),
        _ => print_values(param, console),
    }
}

/// Prints the range of a parameter and the condition under which it applies.
pub fn print_values(param: &Param, console: &mut Console<'_>) -> Result<(), Failure> {
    let unit = unit_of(param).map(|u| format!(" {u}")).unwrap_or_default();
    if let Some((other, values)) = param.only_if {
        writeln!(console.out, "    Only with {other}={}.", values.join("|"))?;
    }
    let ParamKind::Choice { options, .. } = param.kind else {
        return Ok(writeln!(console.out, "    Takes {}{unit}.", param.expected())?);
    };
    let mut table = Table::new(&[("      value", Align::Left), ("", Align::Left)]);
    for option in options {
        table.row([format!("      {}", option.key), format!("{}. {}", option.label, option.help)]);
    }
    Ok(table.print(console.out)?)
}

/// Prints a list of candidates that can be saved as a file.
fn print_candidates(param: &Param, console: &mut Console<'_>) -> Result<(), Failure> {
    writeln!(console.out, "    Lines that begin with {OFF} are skipped. The default list:\n")?;
    let ParamValue::Lines(lines) = param.default_value() else { return Ok(()) };
    Ok(lines.iter().try_for_each(|line| writeln!(console.out, "{line}"))?)
}

fn print_presets(codec: &dyn Codec, console: &mut Console<'_>) -> Result<(), Failure> {
    if codec.info().presets.is_empty() {
        return Ok(());
    }
    writeln!(console.out, "\nPresets:")?;
    let mut table = Table::new(&[("  --codec", Align::Left), ("", Align::Left)]);
    for preset in codec.info().presets {
        table.row([format!("  {}:{}", codec.name(), preset.name), preset.summary.to_owned()]);
    }
    Ok(table.print(console.out)?)
}

/// The SI unit of a value.
fn unit_of(param: &Param) -> Option<&'static str> {
    let (ParamKind::Int { unit, .. } | ParamKind::Float { unit, .. }) = param.kind else { return None };
    unit.stored()
}

#[derive(Serialize)]
struct Document {
    schema: u32,
    codecs: Vec<CodecRow>,
}

#[derive(Serialize)]
struct CodecRow {
    name: &'static str,
    id: String,
    summary: &'static str,
    source: &'static str,
    promises_tolerance: bool,
    presets: Vec<PresetRow>,
    params: Vec<ParamRow>,
}

#[derive(Serialize)]
struct PresetRow {
    name: &'static str,
    summary: &'static str,
    values: BTreeMap<&'static str, &'static str>,
}

/// A parameter or setting in JSON.
#[derive(Serialize)]
pub struct ParamRow {
    key: &'static str,
    label: &'static str,
    help: &'static str,
    kind: &'static str,
    default: ParamValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<ParamValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<ParamValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    options: Vec<OptionRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    only_if: Option<OnlyIf>,
}

#[derive(Serialize)]
struct OptionRow {
    key: &'static str,
    label: &'static str,
    help: &'static str,
}

#[derive(Serialize)]
struct OnlyIf {
    key: &'static str,
    values: &'static [&'static str],
}

impl CodecRow {
    fn new(codec: &dyn Codec) -> Self {
        Self {
            name: codec.name(),
            id: String::from_utf8_lossy(&codec.id().0).into_owned(),
            summary: codec.info().summary,
            source: codec.info().source,
            promises_tolerance: codec.info().promises_tolerance,
            presets: codec.info().presets.iter().map(PresetRow::new).collect(),
            params: codec.params().iter().map(ParamRow::new).collect(),
        }
    }
}

impl PresetRow {
    fn new(preset: &Preset) -> Self {
        Self { name: preset.name, summary: preset.summary, values: preset.values.iter().copied().collect() }
    }
}

impl ParamRow {
    /// Describes a parameter.
    pub fn new(param: &Param) -> Self {
        let (kind, min, max, options) = match param.kind {
            ParamKind::Bool { .. } => ("bool", None, None, &[][..]),
            ParamKind::Choice { options, .. } => ("choice", None, None, options),
            ParamKind::Int { min, max, .. } => ("int", Some(ParamValue::Int(min)), Some(ParamValue::Int(max)), &[][..]),
            ParamKind::Float { min, max, .. } => {
                ("float", Some(ParamValue::Float(min)), Some(ParamValue::Float(max)), &[][..])
            }
            ParamKind::Lines(rules) => (rules.name, None, None, &[][..]),
        };
        Self {
            key: param.key,
            label: param.label,
            help: param.help,
            kind,
            default: param.default_value(),
            min,
            max,
            unit: unit_of(param),
            options: options.iter().map(|o| OptionRow { key: o.key, label: o.label, help: o.help }).collect(),
            only_if: param.only_if.map(|(key, values)| OnlyIf { key, values }),
        }
    }
}
