//! confused: exports what an extension exports, by the same names, with other
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
        world confused {
            export extension;
            export scalar;
        }",
    generate_all,
});

struct Confused;

export!(Confused);

impl exports::sqlite_wasm::extension::extension::Guest for Confused {
    fn describe() -> Vec<String> {
        vec!["confused".into(), "0.1.0".into()]
    }

    fn connect(number: u32) -> u32 {
        number
    }
}

impl exports::sqlite_wasm::extension::scalar::Guest for Confused {
    fn call(function: String) -> f64 {
        function.len() as f64
    }
}
