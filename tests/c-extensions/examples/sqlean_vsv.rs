//! sqlean's `vsv`, which reads `long double`.

#[cfg(target_family = "wasm")]
#[link(name = "c-printscan-long-double", kind = "static")]
unsafe extern "C" {}

c_extensions::extension!("sqlean_vsv");
