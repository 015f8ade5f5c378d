//! The tools.

use super::program::{Line, Program};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, ServerCapabilities, ServerConfig};
use rmcp::schemars::JsonSchema;
use rmcp::{ErrorData, ServerHandler, tool, tool_handler, tool_router};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Number of clips that `judge` returns if nothing else is asked for.
const WORST: usize = 20;

/// Keys of a report's row that `judge` keeps. The whole row of a clip is that of `explain`.
const KEPT: [&str; 11] = [
    "source",
    "clip",
    "codec",
    "samples",
    "duration_secs",
    "bytes",
    "ratio",
    "verdict",
    "source_verdict",
    "judged",
    "worst_moment",
];

const INSTRUCTIONS: &str = "\
Posepress measures and tunes the compression of skeletal animation. Start with 'list', then 'judge' with the default recipe: it returns \
the worst clips first, each with its verdict (good, warn, fail) and what decides it in millimetres. 'explain' has all numbers of one clip \
and the cause of its error. 'tune' compares recipes. A recipe is an object with keys of a recipe file, such as {\"codec\": \"press\", \
\"tolerance_m\": 0.0001}; 'settings' lists all keys. 'fit' spreads a size over the clips. 'picture' draws a moment. 'export' writes, if the \
person who started this server allowed it.";

/// Files, their clips and a recipe.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub struct Clips {
    /// Files with rigs and clips: glTF, FBX, BVH and others.
    files: Vec<PathBuf>,
    /// Names of clips, or patterns such as 'Walk*'. Empty: all.
    #[serde(default)]
    clips: Vec<String>,
    /// Keys of a recipe file. Empty: the default recipe.
    #[serde(default)]
    recipe: Map<String, Value>,
    /// Unit of lengths in the files: m, cm, mm or in. Empty: as the files say.
    #[serde(default)]
    unit: Option<String>,
}

/// Keys that a tool does not have. Serde cannot refuse them beside the keys of [`Clips`].
type Unknown = Map<String, Value>;

impl Clips {
    fn line(&self, subcommand: &str, unknown: &Unknown) -> Result<Line, String> {
        if let Some(key) = unknown.keys().next() {
            return Err(format!(
                "unknown argument '{key}'; 'tools/list' has those of each tool. Keys of a recipe belong into 'recipe'"
            ));
        }
        let line = Line::new(subcommand).each("clip", &self.clips).maybe("unit", self.unit.as_ref());
        line.recipe(&self.recipe)
    }
}

/// Files to list.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Files with rigs and clips, or containers.
    files: Vec<PathBuf>,
}

/// Clips to judge.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub struct Judge {
    #[serde(flatten)]
    of: Clips,
    /// Largest number of clips in the answer, worst first [default: 20].
    #[serde(default)]
    worst: Option<usize>,
    #[serde(flatten)]
    #[schemars(skip)]
    unknown: Unknown,
}

/// Recipes to compare.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(deny_unknown_fields)]
pub struct Tune {
    /// Files with rigs and clips.
    files: Vec<PathBuf>,
    /// Names or patterns of clips. Empty: all.
    #[serde(default)]
    clips: Vec<String>,
    /// Recipes, each an object with keys of a recipe file.
    recipes: Vec<Map<String, Value>>,
    /// Unit of lengths in the files.
    #[serde(default)]
    unit: Option<String>,
}

/// A budget for clips.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub struct Fit {
    #[serde(flatten)]
    of: Clips,
    /// Largest size of their container, KB of 1024 bytes.
    kilobytes: f64,
    #[serde(flatten)]
    #[schemars(skip)]
    unknown: Unknown,
}

/// A moment of a clip to draw.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub struct Picture {
    #[serde(flatten)]
    of: Clips,
    /// Time, seconds. Empty: that of the largest error.
    #[serde(default)]
    time_secs: Option<f64>,
    /// Arrangement: side, wipe, onion, heat and others.
    #[serde(default)]
    view: Option<String>,
    #[serde(flatten)]
    #[schemars(skip)]
    unknown: Unknown,
}

/// Clips to write.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub struct Export {
    #[serde(flatten)]
    of: Clips,
    /// The file to write, below the folder of --allow-write: a container, or NAME.glb, .ozz, .anm or .csv.
    output: PathBuf,
    /// Largest size of the container, KB of 1024 bytes. Each clip then gets its own tolerance.
    #[serde(default)]
    kilobytes: Option<f64>,
    #[serde(flatten)]
    #[schemars(skip)]
    unknown: Unknown,
}

/// The tools of the server.
#[derive(Debug, Clone)]
pub struct Tools {
    program: Program,
}

type Answer = Result<CallToolResult, ErrorData>;

#[tool_router(server_handler = false)]
impl Tools {
    /// The tools of a program.
    pub fn new(program: Program) -> Self {
        Self { program }
    }

    #[tool(description = "Rigs, clips, rates and findings of the import checks of files, as JSON of 'posepress info'.")]
    async fn list(&self, Parameters(asked): Parameters<List>) -> Answer {
        answer(self.program.json(Line::new("info").switch("json").files(&asked.files)).await)
    }

    #[tool(description = "All keys of recipes with units, ranges and defaults, and the codecs, as JSON.")]
    async fn settings(&self) -> Answer {
        let settings = self.program.json(Line::new("settings").switch("json")).await;
        let codecs = self.program.json(Line::new("codecs").switch("json")).await;
        answer(settings.and_then(|settings| Ok(json!({ "settings": settings, "codecs": codecs? }))))
    }

    #[tool(
        description = "Compresses clips with a recipe and judges them, worst first: size, verdict, and each error with its limits in \
                          millimetres. Rows of 'posepress report'. Writes nothing."
    )]
    async fn judge(&self, Parameters(asked): Parameters<Judge>) -> Answer {
        let line = asked.of.line("report", &asked.unknown).map(|line| line.switch("json").files(&asked.of.files));
        let report = match line {
            Ok(line) => self.program.json(line).await,
            Err(error) => Err(error),
        };
        answer(report.map(|report| worst_first(report, asked.worst.unwrap_or(WORST))))
    }

    #[tool(
        description = "Everything about one clip with a recipe: errors per joint, contacts, bytes by joint, suggestions, and the cause of \
                          the largest error. The whole row of 'posepress report'."
    )]
    async fn explain(&self, Parameters(asked): Parameters<Clips>) -> Answer {
        let line = asked.line("report", &Unknown::new()).map(|line| line.switch("json").files(&asked.files));
        answer(self.report(line).await)
    }

    #[tool(
        description = "Compares recipes on clips: size and errors per clip and recipe, as JSON of 'posepress compare'."
    )]
    async fn tune(&self, Parameters(asked): Parameters<Tune>) -> Answer {
        let mut rows = Vec::new();
        for recipe in asked.recipes {
            let clips = asked.clips.clone();
            let one = Clips { files: asked.files.clone(), clips, recipe: recipe.clone(), unit: asked.unit.clone() };
            let line = one.line("report", &Unknown::new()).map(|line| line.switch("json").files(&one.files));
            match self.report(line).await {
                Ok(report) => rows.push(json!({ "recipe": recipe, "result": worst_first(report, usize::MAX) })),
                Err(error) => rows.push(json!({ "recipe": recipe, "error": error })),
            }
        }
        answer(Ok(Value::Array(rows)))
    }

    #[tool(
        description = "Gives each clip its own tolerance so that all fit a size, and the worst error is as small as possible. Returns the \
                          clips, worst first. Writes nothing; 'export' with kilobytes does."
    )]
    async fn fit(&self, Parameters(asked): Parameters<Fit>) -> Answer {
        let kept = tempfile::tempdir().map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let output = kept.path().join("fitted.posepress");
        let line = asked.of.line("compress", &asked.unknown).map(|line| {
            line.switch("json")
                .option("fit-kb", asked.kilobytes.to_string())
                .option("output", output)
                .files(&asked.of.files)
        });
        answer(self.report(line).await.map(|report| worst_first(report, usize::MAX)))
    }

    #[tool(description = "Draws a moment of a clip, original and compressed side by side, as PNG.")]
    async fn picture(&self, Parameters(asked): Parameters<Picture>) -> Answer {
        let kept = tempfile::tempdir().map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let output = kept.path().join("picture.png");
        let line = asked.of.line("render", &asked.unknown).map(|line| {
            let line = line.maybe("time", asked.time_secs).maybe("view", asked.view.as_ref());
            line.option("output", &output).files(&asked.of.files)
        });
        let drawn = match line {
            Ok(line) => self.program.run(line).await,
            Err(error) => Err(error),
        };
        let picture = drawn.and_then(|_| posepress_core::files::read(&output).map_err(|error| error.to_string()));
        Ok(match picture {
            Ok(bytes) => {
                let text = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
                CallToolResult::success(vec![ContentBlock::image(text, "image/png")])
            }
            Err(error) => failed(error),
        })
    }

    #[tool(
        description = "Writes clips below the folder that was allowed: a container (.posepress), or .glb, .ozz, .anm, .csv. Returns the \
                          measured result."
    )]
    async fn export(&self, Parameters(asked): Parameters<Export>) -> Answer {
        let place = match self.program.place_to_write(&asked.output) {
            Ok(place) => place,
            Err(error) => return Ok(failed(error)),
        };
        let extension =
            place.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
        let line = match &*extension {
            "posepress" => asked.of.line("compress", &asked.unknown).map(|line| line.maybe("fit-kb", asked.kilobytes)),
            _ if asked.kilobytes.is_some() => Err("kilobytes need a container: name the output NAME.posepress".into()),
            format => asked.of.line("export", &asked.unknown).map(|line| line.option("to", format)),
        };
        let line = line.map(|line| line.switch("json").option("output", &place).files(&asked.of.files));
        answer(self.report(line).await.map(|report| worst_first(report, usize::MAX)))
    }
}

impl Tools {
    async fn report(&self, line: Result<Line, String>) -> Result<Value, String> {
        self.program.json(line?).await
    }
}

#[tool_handler]
impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build()).with_instructions(INSTRUCTIONS)
    }
}

/// The rows of a report, worst first, with the keys that a list needs, and the number of all.
fn worst_first(mut report: Value, most: usize) -> Value {
    let Some(Value::Array(rows)) = report.get_mut("clips").map(Value::take) else { return report };
    let all = rows.len();
    let mut rows = rows;
    rows.sort_by(|a, b| badness(b).partial_cmp(&badness(a)).unwrap_or(std::cmp::Ordering::Equal));
    rows.truncate(most);
    let kept = |row: Value| match row {
        Value::Object(mut keys) => {
            keys.retain(|key, _| KEPT.contains(&&**key));
            Value::Object(keys)
        }
        other => other,
    };
    report["clips"] = rows.into_iter().map(kept).collect();
    report["all_clips"] = all.into();
    report
}

/// Rank of the verdict, then the largest share of an error in its limit.
fn badness(row: &Value) -> (u8, f64) {
    let verdict = match row["verdict"].as_str() {
        Some("good") => 0,
        Some("warn") => 1,
        _ => 2,
    };
    let share =
        |judged: &Value| judged["error_mm"].as_f64().zip(judged["warn_mm"].as_f64()).map(|(a, b)| a / b.max(1e-9));
    let shares = row["judged"].as_array().into_iter().flatten().filter_map(share);
    (verdict, shares.fold(0.0, f64::max))
}

fn answer(result: Result<Value, String>) -> Answer {
    Ok(match result {
        Ok(value) => CallToolResult::success(vec![ContentBlock::text(value.to_string())]),
        Err(error) => failed(error),
    })
}

fn failed(error: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error)])
}
