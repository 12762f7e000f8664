//! Writes the C header to stdout, for `tooling/library`.

fn main() {
    print!("{}", wire::c_header());
}
