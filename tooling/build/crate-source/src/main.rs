//! Prints the directory of a crate's source: `crate-source NAME MANIFEST`.

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [name, manifest] = words.as_slice() else { panic!("usage: crate-source NAME MANIFEST") };
    println!("{}", crate_source::directory(name, manifest).display());
}
