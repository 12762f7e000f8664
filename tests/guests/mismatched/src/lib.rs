//! mismatched: exports what an extension exports, by the same names, with other
//! types. Not shipped.
#![allow(missing_docs)]

wit_bindgen::generate!({
    inline: "package sqlite-wasm:extension@0.1.0;
        interface extension {
            describe: func() -> list<string>;
            connect: func(a: u32) -> u32;
        }
        interface scalar {
            call: func(function: string) -> f64;
        }
        world mismatched {
            export extension;
            export scalar;
        }",
    generate_all,
});

struct Mismatched;

export!(Mismatched);

impl exports::sqlite_wasm::extension::extension::Guest for Mismatched {
    fn describe() -> Vec<String> {
        vec!["mismatched".into(), "0.1.0".into()]
    }

    fn connect(number: u32) -> u32 {
        number
    }
}

impl exports::sqlite_wasm::extension::scalar::Guest for Mismatched {
    fn call(function: String) -> f64 {
        function.len() as f64
    }
}
