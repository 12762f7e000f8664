//! sqlean's `vsv`, which reads `long double`.

#[cfg(target_family = "wasm")]
#[link(name = "c-printscan-long-double", kind = "static")]
unsafe extern "C" {}

c_extensions::sqlean_extension!("sqlean_vsv", "files of values with separators as tables");
