use super::store_folder::{shared_store, store_of_windows};
use super::table::{Align, Table};
use super::{Console, Exit, Failure};
use clap::{Args, Subcommand};
use posepress_core::batch::StoredHead;
use posepress_core::store::{Store, StoredEntry, Sweep};
use posepress_core::text;
use rayon::prelude::*;
use serde::Serialize;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// `posepress store`.
#[derive(Debug, Args)]
pub struct StoreArgs {
    #[command(subcommand)]
    what: StoreCommand,
}

/// The work on a store.
#[derive(Debug, Subcommand)]
enum StoreCommand {
    /// List the results.
    List(StoreFolder),
    /// Read every entry and remove the damaged ones, so that the next run makes them again.
    Verify(StoreFolder),
    /// Remove results that were not used for long.
    Gc(GcArgs),
}

/// The store.
#[derive(Debug, Args)]
struct StoreFolder {
    /// Folder of the store [default: POSEPRESS_STORE, else that of windows]
    #[arg(long, value_name = "DIR")]
    store: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// `posepress store gc`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("limit").required(true).multiple(true))]
struct GcArgs {
    #[command(flatten)]
    of: StoreFolder,
    /// Keep the results that were used in the last N days.
    #[arg(long, value_name = "N", group = "limit")]
    keep_days: Option<u32>,
    /// Keep at most N GB of 1024 MB. Those that were not used for longest are removed.
    #[arg(long, value_name = "N", group = "limit", value_parser = gigabytes)]
    max_gb: Option<u64>,
}

/// Reads a number of gigabytes as bytes.
fn gigabytes(text: &str) -> Result<u64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..1e9).contains(number));
    number
        .map(|number| (number * (1u64 << 30) as f64) as u64)
        .ok_or_else(|| "expected a number of GB such as 20".into())
}

/// An entry as it is listed.
#[derive(Debug, Serialize)]
struct Listed {
    key: String,
    bytes: u64,
    kind: &'static str,
    clip: String,
    codec: String,
}

/// Lists, checks or cleans a store.
pub fn run(args: &StoreArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    match &args.what {
        StoreCommand::List(of) => list(of, console),
        StoreCommand::Verify(of) => verify(of, console),
        StoreCommand::Gc(args) => clean(args, console),
    }
}

fn open(of: &StoreFolder) -> Result<(Store, Vec<StoredEntry>), Failure> {
    let usual = || shared_store().or_else(store_of_windows);
    let folder = of.store.clone().or_else(usual).ok_or_else(|| Failure::usage("name the store with --store DIR"))?;
    let store = Store::open_existing(&folder).map_err(Failure::input)?;
    let entries = store.entries().map_err(Failure::input)?;
    Ok((store, entries))
}

/// An entry with its description. The error is the damage.
fn look_at(store: &Store, entry: &StoredEntry) -> Result<Listed, String> {
    let listed = |kind, clip, codec| Listed { key: entry.key.to_string(), bytes: entry.bytes, kind, clip, codec };
    let found = store.get(&entry.key).map_err(|error| error.to_string())?;
    let found = found.ok_or_else(|| format!("entry {}: it was removed meanwhile", entry.key))?;
    match StoredHead::of(&found).map_err(|fault| format!("entry {}: {fault}", entry.key))? {
        StoredHead::Listing(listing) => {
            let names: Vec<String> = listing.clips.into_iter().map(|clip| clip.name).collect();
            Ok(listed("file", text::listed(&names), String::new()))
        }
        StoredHead::Budget(budget) => {
            Ok(listed("budget", text::count(budget.tolerances_m.len(), "clip"), String::new()))
        }
        StoredHead::RefusedBudget { .. } => Ok(listed("budget", "refused".to_owned(), String::new())),
        StoredHead::Numbers { clip, .. } => Ok(listed("numbers", clip, String::new())),
        StoredHead::Clip { clip, numbers, .. } => Ok(listed("clip", clip, numbers.codec)),
    }
}

fn list(of: &StoreFolder, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let (store, entries) = open(of)?;
    let found: Vec<_> = entries.par_iter().map(|entry| look_at(&store, entry)).collect();
    let (mut listed, mut damaged) = (Vec::new(), Vec::new());
    found.into_iter().for_each(|one| match one {
        Ok(entry) => listed.push(entry),
        Err(fault) => damaged.push(fault),
    });
    if of.json {
        console.json(&listed)?;
    } else {
        let heads = [
            ("key", Align::Left),
            ("size", Align::Right),
            ("of", Align::Left),
            ("codec", Align::Left),
            ("clip", Align::Left),
        ];
        let mut table = Table::new(&heads);
        for Listed { key, bytes, kind, clip, codec } in &listed {
            table.row([&key[..12], &text::bytes(*bytes), kind, codec, clip]);
        }
        table.print(console.out)?;
        let bytes = text::bytes(entries.iter().map(|entry| entry.bytes).sum());
        writeln!(console.out, "\n{} entries, {bytes}", entries.len())?;
    }
    all_whole(&damaged, "are damaged; 'posepress store verify' removes them")
}

fn verify(of: &StoreFolder, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let (store, entries) = open(of)?;
    let look = |entry: &StoredEntry| Some((entry.key.clone(), look_at(&store, entry).err()?));
    let damaged: Vec<_> = entries.par_iter().filter_map(look).collect();
    for (key, fault) in &damaged {
        console.say(fault);
        store.remove(key).map_err(Failure::input)?;
    }
    if of.json {
        console.json(&serde_json::json!({ "entries": entries.len(), "damaged": damaged.iter().map(|d| &d.0).collect::<Vec<_>>() }))?;
    } else {
        writeln!(console.out, "{} entries, {} damaged", entries.len(), damaged.len())?;
    }
    let damaged: Vec<String> = damaged.into_iter().map(|(_, fault)| fault).collect();
    all_whole(&damaged, "were damaged and are removed; the next run makes them again")
}

/// Status 1 if an entry is damaged.
fn all_whole(damaged: &[String], what: &str) -> Result<Exit, Failure> {
    match damaged.first() {
        None => Ok(Exit::Done),
        Some(first) => Err(Failure::input(format!("entries of the store {what}: {} ({first})", damaged.len()))),
    }
}

fn clean(args: &GcArgs, console: &mut Console<'_>) -> Result<Exit, Failure> {
    let (store, _) = open(&args.of)?;
    let keep = args.keep_days.map(|days| Duration::from_secs(u64::from(days) * 24 * 60 * 60));
    let swept = store.sweep(Sweep { keep, max_bytes: args.max_gb }, SystemTime::now()).map_err(Failure::input)?;
    if args.of.json {
        console.json(&serde_json::json!({
            "removed": swept.removed,
            "removed_bytes": swept.removed_bytes,
            "kept": swept.kept,
            "kept_bytes": swept.kept_bytes,
        }))?;
        return Ok(Exit::Done);
    }
    let [removed, kept] = [swept.removed_bytes, swept.kept_bytes].map(text::bytes);
    writeln!(console.out, "{} removed ({removed}), {} kept ({kept})", swept.removed, swept.kept)?;
    Ok(Exit::Done)
}
