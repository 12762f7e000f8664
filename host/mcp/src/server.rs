//! The server of MCP: it passes each call of a tool to a thread, where it has a sandbox of its own.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    JsonObject, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value as Json;
use sqlite_sandbox::{Connection, InterruptHandle};
use sqlite_wasm_runtime::words::complaint::complain;
use sqlite_wasm_runtime::words::escape::controls_escaped;
use tokio::sync::Semaphore;

use crate::audit::{Audit, Record};
use crate::calls::{Call, Failure, Ran};
use crate::databases::{Access, Databases, Offered};
use crate::options::Limits;
use crate::tools::{Arguments, TOOLS, Tool};
use crate::{resources, saved};

/// What all clients share.
pub struct Shared {
    pub databases: Databases,
    pub saved: saved::All,
    pub audit: Option<Audit>,
    pub limits: Limits,
    /// Whether there is a database that agents can write.
    pub can_write: bool,
    running: Semaphore,
}

/// The server, for one client.
#[derive(Clone)]
pub struct Server(Arc<Shared>);

/// A call of a tool, on its way to a thread.
struct Request {
    tool: &'static Tool,
    arguments: JsonObject,
    client: String,
}

/// A call that has ended.
struct Finished {
    done: Result<Json, Failure>,
    /// The name of the database that it has used.
    database: Option<String>,
    /// Its sandbox.
    rest: Option<Connection>,
}

impl Shared {
    pub fn new(
        databases: Databases,
        saved: saved::All,
        audit: Option<Audit>,
        limits: Limits,
        can_write: bool,
    ) -> Self {
        Self { databases, saved, audit, limits, can_write, running: Semaphore::new(limits.calls) }
    }

    fn tools(&self) -> impl Iterator<Item = &'static Tool> {
        TOOLS.iter().filter(|tool| self.can_write || tool.access == Access::ReadOnly)
    }

    /// Run a call.
    fn perform(&self, request: &Request, running: &OnceLock<InterruptHandle>) -> Finished {
        match self.database(request) {
            Ok((offered, arguments)) => {
                let (done, rest) = self.run(request, offered, &arguments, running);
                Finished { done, database: Some(offered.named.name.clone()), rest }
            }
            Err(failure) => {
                let done = self.refused(request, "", Duration::ZERO, failure);
                Finished { done, database: None, rest: None }
            }
        }
    }

    fn database<'a>(
        &'a self,
        request: &'a Request,
    ) -> Result<(&'a Offered, Arguments<'a>), Failure> {
        let arguments = Arguments::new(request.tool, &request.arguments, &self.saved)?;
        let offered =
            self.databases.find(arguments.text("database")?).map_err(Failure::argument)?;
        if request.tool.access == Access::ReadWrite && !offered.can_write() {
            return Err(Failure::argument(format!(
                "the database `{}` can only be read",
                offered.named.name
            )));
        }
        Ok((offered, arguments))
    }

    fn run(
        &self,
        request: &Request,
        offered: &Offered,
        arguments: &Arguments<'_>,
        running: &OnceLock<InterruptHandle>,
    ) -> (Result<Json, Failure>, Option<Connection>) {
        let start = Instant::now();
        let name = &offered.named.name;
        let access = request.tool.access;
        // A call begins once.
        let running = |handle| drop(running.set(handle));
        let mut call = match Call::begin(&self.databases, offered, access, self.limits, running) {
            Ok(call) => call,
            Err(failure) => return (self.refused(request, name, start.elapsed(), failure), None),
        };
        let done = (request.tool.run)(&mut call, arguments);
        let ran = std::mem::take(&mut call.ran);
        let note = |outcome| self.note(request, name, start.elapsed(), &ran, outcome);
        let done = match done {
            // Noted before the changes are committed.
            Ok(json) => match call.commit(|| note("ok")) {
                Ok(()) => Ok(json),
                Err(failure) => self.refused(request, name, start.elapsed(), failure),
            },
            Err(failure) => note(failure.code).and(Err(failure)),
        };
        (done, Some(call.end()))
    }

    /// Make a sandbox ready for the next call, which may already be on its way; then end that of the last one.
    fn prepare(&self, database: Option<&str>, rest: Option<Connection>) {
        // One that has trapped still has its locks.
        let rest = rest.filter(|rest| !rest.is_gone());
        let offered = database.and_then(|name| self.databases.find(Some(name)).ok());
        offered.into_iter().for_each(|offered| self.databases.prepare(offered));
        drop(rest);
    }

    /// Note a call that did not begin, or did not commit.
    fn refused<T>(
        &self,
        request: &Request,
        database: &str,
        took: Duration,
        failure: Failure,
    ) -> Result<T, Failure> {
        self.note(request, database, took, &[], failure.code)?;
        Err(failure)
    }

    /// Write the lines of a call: of each statement, or of the tool.
    fn note(
        &self,
        request: &Request,
        database: &str,
        took: Duration,
        ran: &[Ran],
        outcome: &'static str,
    ) -> Result<(), Failure> {
        let Some(audit) = &self.audit else { return Ok(()) };
        let record = |statement: String, took, rows, outcome| Record {
            client: request.client.clone(),
            tool: request.tool.name,
            database: database.to_owned(),
            statement,
            took,
            rows,
            outcome,
        };
        let records: Vec<Record> = match ran {
            [] => vec![record(Json::from(request.arguments.clone()).to_string(), took, 0, outcome)],
            ran => ran
                .iter()
                .map(|ran| {
                    // A later one has failed.
                    let is_undone = outcome != "ok" && ran.outcome == "ok";
                    let outcome = if is_undone { "UNDONE" } else { ran.outcome };
                    record(ran.sql.clone(), ran.took, ran.rows, outcome)
                })
                .collect(),
        };
        audit.write(&records).map_err(|error| {
            complain(format!("sqlite-wasm-mcp: failed to write the audit: {error}"));
            Failure {
                code: "AUDIT",
                message: "the audit cannot be written, so nothing was done; tell the operator"
                    .to_owned(),
            }
        })
    }
}

impl Server {
    pub fn new(shared: Arc<Shared>) -> Self {
        Self(shared)
    }

    /// Run a call on a thread; a client that cancels it, or goes away, interrupts it.
    async fn perform(
        &self,
        request: Request,
        context: &RequestContext<RoleServer>,
    ) -> Result<Json, Failure> {
        let shared = self.0.clone();
        let Ok(_permit) = self.0.running.acquire().await else {
            return Err(Failure::argument("the server is ending"));
        };
        let running: Arc<OnceLock<InterruptHandle>> = Arc::default();
        let (work, interrupts) = (shared.clone(), running.clone());
        let mut thread = tokio::task::spawn_blocking(move || work.perform(&request, &interrupts));
        let done = tokio::select! {
            done = &mut thread => done,
            () = context.ct.cancelled() => {
                running.get().into_iter().for_each(InterruptHandle::interrupt);
                thread.await
            }
        };
        let Ok(Finished { done, database, rest }) = done else {
            return Err(Failure {
                code: "INTERNAL",
                message: "the call has failed in the server".to_owned(),
            });
        };
        tokio::spawn(async move {
            // The reply goes first: the client waits for it.
            tokio::task::yield_now().await;
            tokio::task::spawn_blocking(move || shared.prepare(database.as_deref(), rest));
        });
        done
    }
}

/// The name of a client, as it calls itself.
fn client(context: &RequestContext<RoleServer>) -> String {
    context
        .client_info()
        .map_or_else(String::new, |client| format!("{} {}", client.name, client.version))
}

fn result(done: Result<Json, Failure>) -> CallToolResult {
    match done {
        Ok(json) => CallToolResult::structured(json),
        Err(failure) => CallToolResult::error(vec![ContentBlock::text(visible(&failure.message))]),
    }
}

/// Names from a database are in it; a message has several lines.
fn visible(message: &str) -> String {
    let lines: Vec<String> =
        message.split('\n').map(|line| controls_escaped(line.to_owned())).collect();
    lines.join("\n")
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let names: Vec<&str> =
            self.0.databases.iter().map(|offered| offered.named.name.as_str()).collect();
        let limits = self.0.limits;
        let instructions = format!(
            "SQLite databases: {}. Call `schema` first, then `query` with one statement in SQLite's dialect and with \
             parameters for values. A call has {:?}, and returns at most {} rows or {} bytes.",
            names.join(", "),
            limits.time,
            limits.rows,
            limits.bytes,
        );
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("sqlite-wasm-mcp", env!("CARGO_PKG_VERSION")))
            .with_instructions(instructions)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let names = |tool: &Tool| {
            let offered = self.0.databases.iter();
            let fit = offered
                .filter(move |offered| tool.access == Access::ReadOnly || offered.can_write());
            fit.map(|offered| offered.named.name.as_str()).collect::<Vec<_>>()
        };
        Ok(ListToolsResult::with_all_items(
            self.0.tools().map(|tool| tool.described(&names(tool))).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.0.tools().find(|tool| tool.name == request.name);
        let tool = tool.ok_or_else(|| {
            ErrorData::invalid_params(format!("no tool `{}`", request.name), None)
        })?;
        let request = Request {
            tool,
            arguments: request.arguments.unwrap_or_default(),
            client: client(&context),
        };
        Ok(result(self.perform(request, &context).await).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list(&self.0.databases, &self.0.saved)))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (shared, uri) = (self.0.clone(), request.uri);
        let missing = ErrorData::resource_not_found(format!("no resource `{uri}`"), None);
        let Ok(_permit) = self.0.running.acquire().await else { return Err(missing) };
        let read = tokio::task::spawn_blocking(move || {
            resources::read(&uri, &shared.databases, &shared.saved, shared.limits)
        });
        match read.await {
            Ok(Ok(Some(contents))) => Ok(ReadResourceResult::new(vec![contents]).into()),
            Ok(Ok(None)) => Err(missing),
            Ok(Err(failure)) => Err(ErrorData::internal_error(visible(&failure.message), None)),
            Err(_) => Err(ErrorData::internal_error("the resource cannot be read", None)),
        }
    }
}
