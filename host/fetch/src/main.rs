//! The program `sqlite-wasm-fetch`: fetches the files of one source of extensions over the network,
//! so that the runner needs none.
//!
//! ```text
//! sqlite-wasm-fetch URL [--redirect HOST[:PORT]]… [--certificates FILE]
//! ```
//!
//! Requests are lines on standard input, replies go to standard output; `request` of the crate
//! `sqlite-wasm-catalogue` has their form. It decides nothing about the bytes: the runner does. Before
//! the first request it looks up the addresses of its hosts and gives up all other rights.

mod client;
mod hosts;
mod registry;
mod wall;

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, Write};

use anyhow::{Context, Error, Result, bail};
use sqlite_wasm_catalogue::index::{INDEX, SIGNATURE};
use sqlite_wasm_catalogue::location::{Location, Origin};
use sqlite_wasm_catalogue::names::file_name;
use sqlite_wasm_catalogue::request::{Request, read_line, write_reply};

use client::Client;
use hosts::Hosts;
use registry::Registry;

fn main() {
    let (input, output) = (io::stdin().lock(), io::stdout().lock());
    // Whoever reads the replies has gone: there is nobody to report that to.
    let _ = reply(input, output);
}

/// Reply to each request until the input ends. If the source cannot be used, the first reply is
/// the reason.
fn reply(mut input: impl BufRead, mut output: impl Write) -> Result<()> {
    let source = match Source::open(env::args_os().skip(1)) {
        Ok(source) => source,
        Err(error) => return Ok(write_reply(&mut output, &Err(error))?),
    };
    while let Some(line) = read_line(&mut input)? {
        let reply = line.parse().and_then(|request| source.get(&request));
        write_reply(&mut output, &reply)?;
    }
    Ok(())
}

/// A source on the network.
enum Source {
    /// The directory of an index on a server.
    Server(Client, String),
    /// A path in a registry.
    Registry(Registry),
}

impl Source {
    /// The source of these arguments. Afterwards this process can only connect to its ports.
    fn open(arguments: impl Iterator<Item = OsString>) -> Result<Self> {
        let arguments = Arguments::parse(arguments)?;
        let (origin, path, is_registry) = match Location::parse(&arguments.url)? {
            Location::Directory(_) => bail!("a directory needs no network"),
            Location::Server(origin, path) => (origin, path, false),
            Location::Registry(origin, path) => (origin, path, true),
        };
        let redirects =
            arguments.redirects.iter().map(|host| Origin::parse(host, origin.is_secure));
        let redirects = redirects.collect::<Result<Vec<_>>>()?;
        let certificates = arguments.certificates.as_ref().map(|path| {
            fs::read(path).with_context(|| format!("failed to read `{}`", path.display()))
        });
        let certificates = certificates.transpose()?;
        let hosts = Hosts::look_up([vec![origin.clone()], redirects].concat())?;
        wall::raise(hosts.ports())?;
        let client = Client::new(hosts, certificates.as_deref())?;
        Ok(if is_registry {
            Self::Registry(Registry::new(client, origin, path))
        } else {
            Self::Server(client, format!("{origin}/{path}"))
        })
    }

    fn get(&self, request: &Request) -> Result<Vec<u8>> {
        match self {
            Self::Registry(registry) => registry.get(request),
            Self::Server(client, base) => {
                let name = match request {
                    Request::Index => INDEX.to_owned(),
                    Request::Signature => SIGNATURE.to_owned(),
                    Request::File { name, version, .. } => file_name(name, version),
                };
                let url = format!("{}/{name}", base.trim_end_matches('/'));
                client.get(&url, request.max_bytes())?.content(&url)
            }
        }
    }
}

/// The arguments. The runner writes them, so they have no help.
#[derive(Default)]
struct Arguments {
    url: String,
    redirects: Vec<String>,
    certificates: Option<std::path::PathBuf>,
}

impl Arguments {
    fn parse(mut words: impl Iterator<Item = OsString>) -> Result<Self> {
        let text = |word: Option<OsString>| -> Result<String> {
            let word = word.context("an option needs a value")?;
            word.into_string().map_err(|_| Error::msg("an argument is not UTF-8"))
        };
        let mut arguments = Self { url: text(words.next()).context("no URL")?, ..Self::default() };
        while let Some(word) = words.next() {
            match word.to_str() {
                Some("--redirect") => arguments.redirects.push(text(words.next())?),
                Some("--certificates") => arguments.certificates = words.next().map(Into::into),
                _ => bail!("an argument is unknown"),
            }
        }
        Ok(arguments)
    }
}
