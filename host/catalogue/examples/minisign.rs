//! For tests: `minisign KEY [FILE]`. Makes the key pair KEY and KEY.pub unless it exists, and signs FILE
//! into FILE.minisig.

use std::env;
use std::error::Error;
use std::fs::{self, File};

use minisign::{KeyPair, SecretKeyBox};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = env::args().skip(1);
    let path = words.next().ok_or("no key")?;
    if !fs::exists(&path)? {
        let pair = KeyPair::generate_unencrypted_keypair()?;
        fs::write(&path, pair.sk.to_box(None)?.to_string())?;
        fs::write(format!("{path}.pub"), pair.pk.to_box()?.to_string())?;
    }
    let secret =
        SecretKeyBox::from_string(&fs::read_to_string(path)?)?.into_unencrypted_secret_key()?;
    if let Some(file) = words.next() {
        let signature = minisign::sign(None, &secret, File::open(&file)?, None, None)?;
        fs::write(format!("{file}.minisig"), signature.to_string())?;
    }
    Ok(())
}
