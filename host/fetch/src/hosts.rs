//! The hosts that may be connected to, with their addresses. They are looked up once: nobody can
//! lead a later connection elsewhere.

use std::net::{SocketAddr, ToSocketAddrs};

use anyhow::{Context, Result, ensure};
use sqlite_wasm_catalogue::location::Origin;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Most addresses of a host that are tried.
const MAX_ADDRESSES: usize = 8;

/// The hosts, the one of the source first.
#[derive(Debug, Clone)]
pub struct Hosts(Vec<(Origin, Vec<SocketAddr>)>);

impl Hosts {
    /// Look up the addresses of all.
    pub fn look_up(origins: Vec<Origin>) -> Result<Self> {
        let look_up = |origin: Origin| {
            let host = origin.host.trim_start_matches('[').trim_end_matches(']');
            let found = (host, origin.port).to_socket_addrs();
            let found = found.with_context(|| format!("failed to find the host {host}"))?;
            let addresses: Vec<_> = found.take(MAX_ADDRESSES).collect();
            ensure!(!addresses.is_empty(), "the host {host} has no address");
            Ok((origin, addresses))
        };
        origins.into_iter().map(look_up).collect::<Result<_>>().map(Self)
    }

    /// Their ports.
    pub fn ports(&self) -> impl Iterator<Item = u16> {
        self.0.iter().map(|(origin, _)| origin.port)
    }

    /// The absolute form of a URL, which one of the hosts must have; a relative one belongs to `from`.
    pub fn absolute(&self, url: &str, from: Option<&Origin>) -> Option<(Origin, String)> {
        let origins = from.into_iter().chain(self.0.iter().map(|(origin, _)| origin));
        let mut found = origins.filter_map(|origin| Some((origin, origin.path_of(url)?)));
        let (origin, path) = found.next()?;
        Some((origin.clone(), format!("{origin}{path}")))
    }
}

/// The addresses that were looked up, and no others.
impl Resolver for Hosts {
    fn resolve(
        &self,
        uri: &Uri,
        _: &Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let url = uri.to_string();
        let known = self.0.iter().find(|(origin, _)| origin.path_of(&url).is_some());
        let (_, addresses) = known.ok_or(ureq::Error::HostNotFound)?;
        let mut found = self.empty();
        addresses.iter().for_each(|address| found.push(*address));
        Ok(found)
    }
}
