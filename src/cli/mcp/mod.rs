//! `posepress mcp`: the program as a tool of assistants, by the Model Context Protocol on standard input and output.
//!
//! Each tool is one subcommand in a process of its own, with `--json`. So the numbers are those of the command line, a request that is
//! cancelled ends its work, and a crash costs one request.

mod program;
mod tools;

use crate::cli::Failure;
use clap::Args;
use program::Program;
use rmcp::ServiceExt;
use std::path::PathBuf;
use tools::Tools;

/// `posepress mcp`.
#[derive(Debug, Args)]
#[command(after_help = "\
The tools read files and measure. They write nothing, unless --allow-write names a folder; then 'export' writes below it.")]
pub struct McpArgs {
    /// Folder below which the tool 'export' may write.
    #[arg(long, value_name = "FOLDER")]
    pub allow_write: Option<PathBuf>,
}

/// Serves until standard input ends.
///
/// # Errors
/// The folder does not exist, or the connection fails.
pub fn serve(args: &McpArgs) -> Result<(), Failure> {
    let writable = args.allow_write.as_ref().map(|folder| {
        dunce::canonicalize(folder)
            .map_err(|error| Failure::usage(format!("--allow-write {}: {error}", folder.display())))
    });
    let program = Program::new(writable.transpose()?).map_err(Failure::input)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::input)?;
    runtime.block_on(async {
        let service = Tools::new(program).serve(rmcp::transport::stdio()).await.map_err(Failure::input)?;
        service.waiting().await.map_err(Failure::input)?;
        Ok(())
    })
}
