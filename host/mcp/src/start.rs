//! From options to a server: everything that needs rights is opened first.

use std::io::Write;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::Arc;

use access::token;
use anyhow::{Context, Result};
use rmcp::ServiceExt;
use rmcp::transport::io::{StdioReader, StdioWriter, stdio_pipes};
use sqlite_sandbox::Database;
use sqlite_wasm_runtime::filesystem::temporary;
use sqlite_wasm_runtime::installation::program_files;
use sqlite_wasm_runtime::wall::{self, Plan, Rights};
use sqlite_wasm_runtime::words::complaint::complain;
use tokio::runtime::Runtime;

use crate::audit::Audit;
use crate::databases::{Access, Databases};
use crate::http::{self, Tokens};
use crate::options::{Limits, Options};
use crate::saved;
use crate::server::{Server, Shared};
use crate::stdio::Bounded;

/// The system's sources of randomness.
const RANDOM: [&str; 2] = ["/dev/urandom", "/dev/random"];

/// How clients reach the server.
enum Transport {
    Streams(StdioReader, StdioWriter),
    Http(std::net::TcpListener, Tokens),
}

/// Serve until standard input, or a signal, ends it.
///
/// # Errors
///
/// With what is missing or wrong.
pub fn run(options: Options) -> Result<()> {
    if options.new_token {
        let secret = token::secret()?;
        println!("{secret}\n{}", token::shown_hash(&secret));
        return Ok(());
    }
    let limits = options.limits()?;
    let saved = options.queries.as_deref().map(saved::read).transpose()?.unwrap_or_default();
    let audit =
        options.audit.as_deref().map(|path| Audit::open(path, options.audit_size.0)).transpose()?;
    let scratch = options.scratch.map(|_| Scratch::new()).transpose()?;
    let databases = databases(&options, limits, scratch.as_ref())?;
    let can_write = options.write || scratch.is_some();
    // Its threads begin with the first call.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("failed to start the loop of events")?;
    let (transport, greeting) = open(&options, &runtime)?;
    wall(&options, &databases, audit.as_ref())?;
    databases.try_extensions()?;
    let shared = Arc::new(Shared::new(databases, saved, audit, limits, can_write));
    shared.databases.iter().for_each(|offered| shared.databases.prepare(offered));
    if let Some(greeting) = greeting {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{greeting}")
            .and_then(|()| out.flush())
            .context("failed to print the address")?;
    }
    runtime.block_on(serve(transport, shared))
}

/// The databases, opened in a sandbox without extensions and without a limit of time: those have a
/// clock, which is a thread, and none may run before the second wall is up.
fn databases(options: &Options, limits: Limits, scratch: Option<&Scratch>) -> Result<Databases> {
    let builder = || Database::builder().memory(limits.memory);
    let first = builder().build()?;
    let mut timed = builder().statement_time(limits.time);
    let installed = program_files::path("extensions").ok();
    for directory in options.extension_dir.iter().cloned().chain(installed) {
        timed = timed.extension_directory(directory);
    }
    timed = options.load.iter().fold(timed, |builder, name| builder.extension(name));
    timed = options.grant.iter().fold(timed, |builder, grant| builder.extension_grant(grant));
    let access = if options.write { Access::ReadWrite } else { Access::ReadOnly };
    let mut all = Databases::open(
        &first,
        timed.build()?,
        &options.databases,
        access,
        &options.lists()?,
        limits,
    )?;
    if let (Some(scratch), Some(size)) = (scratch, options.scratch) {
        all.add_scratch(&first, &scratch.0, size.0)
            .context("failed to create the database `scratch`")?;
    }
    Ok(all)
}

/// The sockets or streams, and what is printed for clients of the former.
fn open(options: &Options, runtime: &Runtime) -> Result<(Transport, Option<String>)> {
    let Some(address) = options.http else {
        let _entered = runtime.enter();
        let (reader, writer) = stdio_pipes();
        return Ok((Transport::Streams(reader, writer), None));
    };
    let (tokens, token) = match &options.tokens {
        Some(path) => (Tokens::read(path)?, None),
        None => {
            let secret = token::secret()?;
            (Tokens::of(&secret), Some(secret))
        }
    };
    let (listener, address) = http::bind(address)?;
    Ok((Transport::Http(listener, tokens), Some(http::greeting(address, token.as_deref()))))
}

/// Give up what the server does not need any more: files but the databases, and new sockets.
fn wall(options: &Options, databases: &Databases, audit: Option<&Audit>) -> Result<()> {
    if options.no_second_wall {
        complain(
            "sqlite-wasm-mcp: `--no-second-wall`: only the WebAssembly sandbox protects this server",
        );
        return Ok(());
    }
    let mut plan = Plan::default();
    plan.accept_connections();
    databases.plan(&mut plan)?;
    if let Some(audit) = audit {
        plan.handle(audit.directory(), Rights::Files);
    }
    // Randomness: a static program with glibc may not find the system call.
    RANDOM.iter().for_each(|device| plan.path(device, Rights::Read));
    if let Some(warning) = wall::raise(&plan)?.warning() {
        complain(warning);
    }
    Ok(())
}

async fn serve(transport: Transport, shared: Arc<Shared>) -> Result<()> {
    match transport {
        Transport::Http(listener, tokens) => tokio::select! {
            served = http::serve(listener, tokens, shared) => served,
            ended = ended() => ended,
        },
        Transport::Streams(reader, writer) => {
            let service = Server::new(shared).serve((Bounded::new(reader), writer)).await;
            let service = service.context("the client did not begin")?;
            tokio::select! {
                ended = service.waiting() => ended.map(drop).context("the server has failed"),
                ended = ended() => ended,
            }
        }
    }
}

/// Wait for the signals that end programs.
async fn ended() -> Result<()> {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        _ = terminate.recv() => Ok(()),
        ended = tokio::signal::ctrl_c() => Ok(ended?),
    }
}

/// The file of `--scratch`, in this user's private directory for temporary files.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        let directory =
            temporary::prepare().context("`--scratch` needs a directory for temporary files")?;
        // The path as it was opened.
        let _ = directory.as_fd();
        Ok(Self(directory.path().join(format!(
            "{}-{}.db",
            crate::databases::SCRATCH,
            std::process::id()
        ))))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        for ending in ["", "-journal", "-wal", "-shm"] {
            let mut path = self.0.clone().into_os_string();
            path.push(ending);
            // Most of them do not exist.
            let _ = std::fs::remove_file(path);
        }
    }
}
