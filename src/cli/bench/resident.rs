//! `posepress bench --resident`: memory of opened clips and their players, without times.

use super::encode;
use crate::cli::load::NamedClip;
use crate::cli::table::{Align, Table};
use crate::cli::{Console, Failure};
use posepress_core::codecs::{self, Encoder};
use posepress_core::math::Transform;
use posepress_core::pipeline::guard;
use posepress_core::recipe::Recipe;
use serde::Serialize;
use std::sync::Arc;

/// Number of players, which play the clips in turn.
const PLAYERS: usize = 100;
/// Head of the column of all that players need.
const PLAYING: &str = "with 100 players";

/// Memory of all clips with one codec.
#[derive(Serialize)]
struct Row {
    codec: String,
    clips: usize,
    bytes: usize,
    /// Bytes of the opened clips.
    resident_bytes: usize,
    /// Bytes of the largest player.
    cursor_bytes: usize,
    /// Bytes of the opened clips, the bind poses of their rigs and [`PLAYERS`] players.
    playing_bytes: usize,
}

/// Prints the memory of the clips with each codec. Returns the number of clips that failed.
///
/// # Errors
/// The output cannot be written.
pub fn run(
    clips: &[NamedClip],
    recipes: &[(String, &dyn Encoder, Recipe)],
    is_json: bool,
    console: &mut Console<'_>,
) -> Result<usize, Failure> {
    let (mut rows, mut failed) = (Vec::new(), 0);
    for (name, encoder, recipe) in recipes {
        let mut opened = Vec::new();
        for clip in clips {
            match guard(|| memory(clip, *encoder, recipe)) {
                Ok(found) => opened.push(found),
                Err(error) => {
                    failed += 1;
                    console.say(format!("error: {}: clip '{}', {name}: {error}", clip.source, clip.name));
                }
            }
        }
        if !opened.is_empty() {
            rows.push(row(name, &opened, bind_bytes(clips)));
        }
    }
    if is_json {
        console.json(&serde_json::json!({ "schema": 1, "players": PLAYERS, "rows": rows }))?;
        return Ok(failed);
    }
    let heads = ["clips", "bytes", "opened", "opened / bytes", "cursor", PLAYING].map(|head| (head, Align::Right));
    let mut table = Table::new(&[("codec", Align::Left)].into_iter().chain(heads).collect::<Vec<_>>());
    for row in &rows {
        let of_bytes = format!("{:.2}", row.resident_bytes as f64 / row.bytes as f64);
        let counts = [row.clips, row.bytes, row.resident_bytes].map(|count| count.to_string());
        let players = [row.cursor_bytes, row.playing_bytes].map(|count| count.to_string());
        table.row([row.codec.clone()].into_iter().chain(counts).chain([of_bytes]).chain(players));
    }
    table.print(console.out)?;
    writeln!(
        console.out,
        "\nopened: bytes of memory of all opened clips; cursor: of the largest player;\n{PLAYING}: of the opened clips, the bind \
         poses of their rigs, and players that play the clips in turn"
    )?;
    Ok(failed)
}

/// Bytes of a clip, of the opened clip, and of a player.
type Memory = [usize; 3];

fn memory(clip: &NamedClip, encoder: &dyn Encoder, recipe: &Recipe) -> Result<Memory, Failure> {
    let (bytes, _) = encode(clip, encoder, recipe)?;
    let opened = codecs::open_owned(encoder, &bytes, &clip.rig.skeleton.bind_pose(0).joints).map_err(Failure::input)?;
    let cursor = opened.cursor().map_err(Failure::input)?;
    Ok([bytes.len(), opened.resident_bytes(), cursor.resident_bytes()])
}

fn row(codec: &str, opened: &[Memory], bind_bytes: usize) -> Row {
    let sum = |index: usize| opened.iter().map(|memory| memory[index]).sum::<usize>();
    let players: usize = opened.iter().cycle().take(PLAYERS).map(|[.., cursor]| cursor).sum();
    Row {
        codec: codec.to_owned(),
        clips: opened.len(),
        bytes: sum(0),
        resident_bytes: sum(1),
        cursor_bytes: opened.iter().map(|[.., cursor]| *cursor).max().unwrap_or(0),
        playing_bytes: sum(1) + bind_bytes + players,
    }
}

/// Bytes of the bind poses of the clips' rigs.
fn bind_bytes(clips: &[NamedClip]) -> usize {
    let mut rigs: Vec<_> = clips.iter().map(|clip| (Arc::as_ptr(&clip.rig), clip.rig.skeleton.len())).collect();
    rigs.sort_unstable();
    rigs.dedup();
    rigs.into_iter().map(|(_, joints)| joints * size_of::<Transform>()).sum()
}
