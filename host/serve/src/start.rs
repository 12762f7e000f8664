//! From options to a server: everything that needs rights is opened first.

mod addresses;

use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::Arc;

use access::policy::Role;
use access::token;
use anyhow::{Context, Result, ensure};
use sqlite_sandbox::Database;
use sqlite_wasm_runtime::filesystem::temporary;
use sqlite_wasm_runtime::installation::program_files;
use sqlite_wasm_runtime::wall::{self, Plan, Rights};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use tokio_rustls::TlsAcceptor;

use crate::auth::scram::Secret;
use crate::auth::{Auth, Users};
use crate::config::{Limits, LogFormat, Settings};
use crate::databases::{Databases, FileLimits, Sandboxes};
use crate::descriptors;
use crate::hrana::streams::Streams;
use crate::http::Listener;
use crate::listen::{self, Listening, Service};
use crate::pg::WireListener;
use crate::routes;
use crate::server::Server;
use crate::sockets::{self, Bound};

/// The name of the socket for HTTP in `--unix`.
const HTTP_SOCKET: &str = "http.sock";

/// The port in the name of the socket for psql, where no address says another.
const POSTGRES_PORT: u16 = 5432;

/// The extensions of each session of the Postgres wire, and what the catalogue needs.
const POSTGRES: [&str; 2] = ["pgcatalog", "series"];
const CATALOGUE_GRANT: &str = "pgcatalog=sql:ro";

/// The system's sources of randomness.
const RANDOM: [&str; 2] = ["/dev/urandom", "/dev/random"];

/// Threads for the network at most; SQL has its own.
const MAX_NETWORK_THREADS: usize = 4;

/// Serve until a signal ends it.
///
/// # Errors
///
/// With what is missing or wrong.
pub fn run(settings: Settings) -> Result<()> {
    if settings.new_token {
        return print_token();
    }
    if settings.new_password {
        return print_password();
    }
    let settings = settings.resolve()?;
    log(settings.log_format.unwrap_or(LogFormat::Text));
    let limits = settings.limits()?;
    let (auth, token) = auth(&settings)?;
    let tls = tls(&settings)?;
    descriptors::reserve(limits)?;
    let databases = databases(&settings, limits)?;
    let server = Server::new(auth, databases, limits);
    let sockets = bind(&settings)?;
    // Behind the wall a directory cannot be listed.
    let names = server.databases.names();
    wall(&settings, &server.databases)?;
    server.databases.try_extensions()?;
    addresses::print(&settings, &sockets, &server, &names, token.as_deref())?;
    runtime()?.block_on(serve(&settings, sockets, tls, server))
}

fn print_token() -> Result<()> {
    let secret = token::secret()?;
    println!("{secret}\ntokens = [\"{}\"]", token::shown_hash(&secret));
    Ok(())
}

fn print_password() -> Result<()> {
    let mut password = String::new();
    std::io::stdin().read_line(&mut password)?;
    let password = password.trim_end_matches(['\r', '\n']);
    ensure!(!password.is_empty(), "write the password to standard input");
    // Clients normalize others (RFC 4013), and would compute another key.
    ensure!(password.is_ascii(), "a password has ASCII characters only");
    println!("password = \"{}\"", Secret::new(password)?.shown());
    Ok(())
}

/// Messages go to standard error.
fn log(format: LogFormat) {
    // A line that cannot be written is lost: what reports that to standard error panics.
    let lines = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .log_internal_errors(false);
    match format {
        LogFormat::Text => lines.init(),
        LogFormat::Json => lines.json().init(),
    }
}

/// The databases, once opened, to report what is wrong. That is done without extensions and
/// without a limit of time, since those have a clock, which is a thread, and none may run before
/// the second wall is up.
fn databases(settings: &Settings, limits: Limits) -> Result<Databases> {
    let builder = || {
        let mut builder = sandbox(limits);
        for directory in extension_directories(settings) {
            builder = builder.extension_directory(directory);
        }
        builder = settings.load.iter().fold(builder, |builder, name| builder.extension(name));
        settings.grant.iter().fold(builder, |builder, grant| builder.extension_grant(grant))
    };
    let hrana = builder().build()?;
    let postgres =
        if settings.has_postgres() { postgres(builder()).build()? } else { hrana.clone() };
    let sandboxes = Sandboxes { hrana, postgres };
    let size = settings.max_db_size();
    let has_temporary_files = limits.temporary.is_some();
    let files = FileLimits {
        size,
        has_temporary_files,
        is_durable: !settings.fast_commits,
        has_checkpoints: !settings.no_checkpoints,
        is_read_only: settings.read_only,
        has_extensions: !settings.load.is_empty(),
    };
    let databases = match &settings.root {
        Some(root) => Databases::of_root(sandboxes, files, root),
        None => Databases::of_files(sandboxes, files, &settings.databases),
    }?;
    databases.prepare(&untimed(limits).build()?)?;
    Ok(databases)
}

/// The same with the catalogue of Postgres, and what translated SQL calls.
fn postgres(builder: sqlite_sandbox::Builder) -> sqlite_sandbox::Builder {
    let builder = POSTGRES.iter().fold(builder, |builder, name| builder.extension(*name));
    builder.extension_grant(CATALOGUE_GRANT)
}

fn sandbox(limits: Limits) -> sqlite_sandbox::Builder {
    untimed(limits).statement_time(limits.statement)
}

fn untimed(limits: Limits) -> sqlite_sandbox::Builder {
    let builder = Database::builder().memory(limits.memory).rows(limits.rows).bytes(limits.bytes);
    match limits.temporary {
        Some(bytes) => builder.temporary_files(bytes),
        None => builder,
    }
}

/// Where extensions are looked for: in the named directories, then in the installed one.
fn extension_directories(settings: &Settings) -> Vec<PathBuf> {
    let own = program_files::path("extensions").ok();
    settings.extension_dir.iter().cloned().chain(own).collect()
}

/// The users; where no file names any, one, with the token that is printed.
fn auth(settings: &Settings) -> Result<(Auth, Option<String>)> {
    let max_role = if settings.read_only { Role::Read } else { Role::Owner };
    match &settings.users {
        Some(path) => Ok((Auth::of_users(Users::read(path)?, max_role), None)),
        None => {
            let token = token::secret()?;
            Ok((Auth::of_token(&token, max_role), Some(token)))
        }
    }
}

fn tls(settings: &Settings) -> Result<Option<TlsAcceptor>> {
    match (&settings.tls_cert, &settings.tls_key) {
        (Some(certificates), Some(key)) => listen::acceptor(certificates, key).map(Some),
        _ => Ok(None),
    }
}

/// The sockets, before they are used.
struct Sockets {
    http: Option<(Bound, SocketAddr)>,
    pg: Option<(Bound, SocketAddr)>,
    unix: Option<(Bound, PathBuf)>,
    pg_unix: Option<(Bound, PathBuf)>,
    metrics: Option<(Bound, SocketAddr)>,
}

fn bind(settings: &Settings) -> Result<Sockets> {
    let pg = settings.pg.map(sockets::bind_tcp).transpose()?;
    let port = pg.as_ref().map_or(POSTGRES_PORT, |(_, address)| address.port());
    let postgres = format!(".s.PGSQL.{port}");
    let unix = |name: &str| {
        settings.unix.as_ref().map(|directory| sockets::bind_unix(directory, name)).transpose()
    };
    Ok(Sockets {
        http: settings.http.map(sockets::bind_tcp).transpose()?,
        pg,
        unix: unix(HTTP_SOCKET)?,
        pg_unix: unix(&postgres)?,
        metrics: settings.metrics.map(sockets::bind_tcp).transpose()?,
    })
}

/// Give up what the server does not need any more: files but the databases, and new sockets. No
/// thread runs yet.
fn wall(settings: &Settings, databases: &Databases) -> Result<()> {
    if settings.no_second_wall {
        tracing::warn!("`--no-second-wall`: only the WebAssembly sandbox protects this server");
        return Ok(());
    }
    let mut plan = Plan::default();
    plan.accept_connections();
    databases.plan(&mut plan)?;
    if settings.max_temp.is_some() {
        let directory = temporary::prepare().context("`--max-temp` needs a directory for them")?;
        plan.handle(directory.as_fd(), Rights::Files);
    }
    // Randomness: a static program with glibc may not find the system call.
    RANDOM.iter().for_each(|device| plan.path(device, Rights::Read));
    if let Some(warning) = wall::raise(&plan)?.warning() {
        tracing::warn!("{warning}");
    }
    Ok(())
}

fn runtime() -> Result<Runtime> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(threads.min(MAX_NETWORK_THREADS)).enable_all();
    builder.build().context("failed to start threads for the network")
}

async fn serve(
    settings: &Settings,
    sockets: Sockets,
    tls: Option<TlsAcceptor>,
    server: Arc<Server>,
) -> Result<()> {
    let streams = Arc::new(Streams::default());
    let named = |address| Listener::new(server.clone(), address, &settings.allow_host);
    let listener = |address| routes::all(named(address), streams.clone(), !settings.no_ui);
    let mut all = Vec::new();
    let mut listen = |bound: Bound, service| -> Result<()> {
        all.push(Listening::new(bound.listen()?, service, server.clone()));
        Ok(())
    };
    let is_loopback = settings.pg.is_none_or(|address| address.ip().is_loopback());
    // `--insecure` is for servers without a certificate, and for `--metrics`.
    let needs_tls = tls.is_some() && !is_loopback;
    let postgres = WireListener::new(server.clone(), tls.clone(), needs_tls)?;
    if let Some((bound, _)) = sockets.pg_unix {
        let postgres = WireListener { tls: None, needs_tls: false, ..postgres.clone() };
        listen(bound, Service::Postgres(Box::new(postgres)))?;
    }
    if let Some((bound, _)) = sockets.pg {
        listen(bound, Service::Postgres(Box::new(postgres)))?;
    }
    if let Some((bound, address)) = sockets.http {
        listen(bound, Service::Http(listener(Some(address)), tls))?;
    }
    if let Some((bound, _)) = sockets.unix {
        listen(bound, Service::Http(listener(None), None))?;
    }
    if let Some((bound, address)) = sockets.metrics {
        listen(bound, Service::Http(routes::metrics(named(Some(address))), None))?;
    }
    let sweepers =
        [tokio::spawn(server.clone().sweep()), tokio::spawn(streams.clone().forget_ended())];
    let listeners: Vec<_> = all.into_iter().map(|one| tokio::spawn(one.serve())).collect();
    until_signal().await?;
    server.stop();
    for listener in listeners {
        // A listener that panicked has ended.
        let _ = listener.await;
    }
    server.drained().await;
    sweepers.iter().for_each(tokio::task::JoinHandle::abort);
    streams.close();
    server.close().await;
    Ok(())
}

/// Wait for Ctrl-C, or the signal that ends services.
async fn until_signal() -> Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = terminate.recv() => (),
        ended = tokio::signal::ctrl_c() => ended?,
    }
    tracing::info!("ending");
    Ok(())
}
