//! A core module as a component, by the types that its linker put into it.

use anyhow::Result;
use sqlite_wasm_runtime::artifact;
use wit_component::ComponentEncoder;

/// The component of `module`.
///
/// # Errors
///
/// When it is not a module, or has an import or export without a type.
pub fn encode(module: &[u8]) -> Result<Vec<u8>> {
    ComponentEncoder::default()
        .validate(true)
        .module(module)
        .and_then(|encoder| encoder.encode())
        .map_err(|error| artifact::invalid(&format!("{error:#}")))
}

#[cfg(test)]
mod tests {
    use super::encode;

    #[test]
    fn a_module_is_needed() {
        let component = encode(b"\0asm\x01\0\0\0").unwrap();
        assert_eq!(component[4..8], [0x0d, 0, 1, 0]);
        for damaged in [&b""[..], b"\0asm\x01\0\0\0\x01", &component] {
            let error = encode(damaged).unwrap_err().to_string();
            assert!(error.starts_with("it is not a valid component: "), "{error}");
        }
        // An import that no type names.
        let module = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x02\x07\x01\x01a\x01b\0\0";
        assert!(encode(module).unwrap_err().to_string().contains("import `a::b`"));
    }
}
