//! ipaddr: IP addresses and networks.
//!
//! - `ipfamily(X)`: 4 or 6
//! - `iphost(X)`: the address without the length of its network
//! - `ipmasklen(X)`: how many network bits there are; all bits for an address
//! - `ipnetwork(X)`: the network of X: `192.168.16.0/24` for `192.168.16.12/24`
//! - `ipcontains(NETWORK, X)`: whether the network contains the address or network X
//!
//! X is an address, optionally followed by `/` and the length of its network. NULL
//! gives NULL, as does a text that is not an address.

use ipnet::IpNet;
use sqlite_wasm_kit::Risk::Innocuous;
use sqlite_wasm_kit::Scalar;
use sqlite_wasm_kit::Stability::Stable;
use std::net::IpAddr;

const SCALARS: &[Scalar] = &[
    Scalar::new("ipfamily", 1, Stable, Innocuous, |a| a.apply(family)),
    Scalar::new("iphost", 1, Stable, Innocuous, |a| a.apply(host)),
    Scalar::new("ipmasklen", 1, Stable, Innocuous, |a| a.apply(mask_length)),
    Scalar::new("ipnetwork", 1, Stable, Innocuous, |a| a.apply(network)),
    Scalar::new("ipcontains", 2, Stable, Innocuous, |a| a.apply(contains)),
];

sqlite_wasm_kit::extension! {
    name: "ipaddr",
    description: "IP addresses and networks",
    scalars: SCALARS,
}

fn read(text: &str) -> Option<IpNet> {
    let alone = || text.parse::<IpAddr>().ok().map(IpNet::from);
    text.parse().ok().or_else(alone)
}

fn family(text: String) -> Option<i64> {
    read(&text).map(|net| if net.addr().is_ipv4() { 4 } else { 6 })
}

fn host(text: String) -> Option<String> {
    read(&text).map(|net| net.addr().to_string())
}

fn mask_length(text: String) -> Option<i64> {
    read(&text).map(|net| net.prefix_len().into())
}

fn network(text: String) -> Option<String> {
    read(&text).map(|net| net.trunc().to_string())
}

fn contains(network: String, text: String) -> Option<bool> {
    Some(read(&network)?.contains(&read(&text)?))
}

#[cfg(test)]
mod tests {
    use super::{contains, family, host, mask_length, network};

    #[test]
    fn parts_of_an_address() {
        assert_eq!(family("192.168.1.1".into()), Some(4));
        assert_eq!(family("2001:db8::1/64".into()), Some(6));
        assert_eq!(host("2001:db8::123/64".into()).as_deref(), Some("2001:db8::123"));
        assert_eq!(mask_length("192.168.16.12/24".into()), Some(24));
        assert_eq!(mask_length("192.168.16.12".into()), Some(32));
        assert_eq!(network("192.168.16.12/24".into()).as_deref(), Some("192.168.16.0/24"));
        assert_eq!(network("2001:db8::123/64".into()).as_deref(), Some("2001:db8::/64"));
    }

    #[test]
    fn networks_contain_addresses_and_smaller_networks() {
        let cases = [
            ("192.168.16.0/24", "192.168.16.3", true),
            ("192.168.16.0/24", "192.168.17.3", false),
            ("192.168.16.0/24", "192.168.16.128/25", true),
            ("192.168.16.128/25", "192.168.16.0/24", false),
            ("0.0.0.0/0", "::1", false),
        ];
        for (network, text, result) in cases {
            assert_eq!(contains(network.into(), text.into()), Some(result));
        }
    }

    #[test]
    fn what_is_no_address_gives_null() {
        for text in ["", "1.2.3", "1.2.3.4/33", "::g"] {
            assert_eq!(family(text.into()), None);
        }
        assert_eq!(contains("x".into(), "1.2.3.4".into()), None);
    }
}
