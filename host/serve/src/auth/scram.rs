//! SCRAM-SHA-256 (RFC 5802 and 7677), the server's side. The server does not store passwords, and
//! neither its stored keys nor its messages are enough to log in.

use std::num::NonZeroU32;

use anyhow::{Context, Result, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use ring::{hmac, pbkdf2};

/// The only supported mechanism. (Channel binding would need the hash function of the certificate.)
pub const MECHANISM: &str = "SCRAM-SHA-256";

/// Rounds of the hash, as in Postgres.
const ROUNDS: u32 = 4096;

/// Limit on the rounds of a stored password: clients compute them.
const MAX_ROUNDS: u32 = 1 << 20;

/// Random bytes of a salt, and of a nonce.
const SALT_BYTES: usize = 16;
const NONCE_BYTES: usize = 18;

/// Maximum length of a client's nonce, in bytes.
const MAX_NONCE: usize = 256;

type Hash = [u8; 32];

/// The stored keys of a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    rounds: u32,
    salt: Vec<u8>,
    stored_key: Hash,
    server_key: Hash,
}

fn mac(key: &[u8], text: &[u8]) -> Hash {
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text);
    let mut hash = Hash::default();
    hash.copy_from_slice(tag.as_ref());
    hash
}

fn sha256(bytes: &[u8]) -> Hash {
    let mut hash = Hash::default();
    hash.copy_from_slice(digest(&SHA256, bytes).as_ref());
    hash
}

fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).ok().context("the system gave no random numbers")?;
    Ok(bytes)
}

impl Secret {
    /// The keys of this password.
    ///
    /// # Errors
    ///
    /// When the system provides no randomness.
    pub fn new(password: &str) -> Result<Self> {
        Self::with(password, &random::<SALT_BYTES>()?, ROUNDS)
    }

    fn with(password: &str, salt: &[u8], rounds: u32) -> Result<Self> {
        let mut salted = Hash::default();
        let count = NonZeroU32::new(rounds).context("no rounds")?;
        pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA256, count, salt, password.as_bytes(), &mut salted);
        let stored_key = sha256(&mac(&salted, b"Client Key"));
        let server_key = mac(&salted, b"Server Key");
        Ok(Self { rounds, salt: salt.to_vec(), stored_key, server_key })
    }

    /// The keys of an unknown user: always the same, and not those of any password.
    fn of_nobody(user: &str, key: &[u8]) -> Self {
        let salt = mac(key, user.as_bytes())[..SALT_BYTES].to_vec();
        Self {
            rounds: ROUNDS,
            salt,
            stored_key: mac(key, b"stored"),
            server_key: mac(key, b"server"),
        }
    }

    /// The line in the file of users, in Postgres' format.
    pub fn shown(&self) -> String {
        format!(
            "{MECHANISM}${}:{}${}:{}",
            self.rounds,
            STANDARD.encode(&self.salt),
            STANDARD.encode(self.stored_key),
            STANDARD.encode(self.server_key)
        )
    }

    /// Parse that format.
    ///
    /// # Errors
    ///
    /// If it is another text, such as a password.
    pub fn parse(text: &str) -> Result<Self> {
        let parts = text.strip_prefix(MECHANISM).and_then(|rest| rest.strip_prefix('$'));
        let parts = parts.and_then(|rest| rest.split_once('$'));
        let Some((salted, keys)) = parts else {
            bail!("a password is written as `{MECHANISM}$…`, by `--new-password`, never in clear");
        };
        let (rounds, salt) = salted.split_once(':').context("a password's rounds and salt")?;
        let (stored, server) = keys.split_once(':').context("a password's two keys")?;
        let rounds = rounds.parse().context("a password's rounds")?;
        ensure!((ROUNDS..=MAX_ROUNDS).contains(&rounds), "rounds from {ROUNDS} to {MAX_ROUNDS}");
        Ok(Self {
            rounds,
            salt: STANDARD.decode(salt)?,
            stored_key: hash(stored)?,
            server_key: hash(server)?,
        })
    }
}

fn hash(text: &str) -> Result<Hash> {
    let bytes = STANDARD.decode(text)?;
    bytes.try_into().ok().context("a password's key has 32 bytes")
}

/// The key for unknown users, which stays the same as long as the server runs.
///
/// # Errors
///
/// When the system provides no randomness.
pub fn key_of_nobody() -> Result<[u8; 32]> {
    random()
}

/// The exchange with a client that has sent its first message.
#[derive(Debug)]
pub struct Exchange {
    secret: Secret,
    is_known: bool,
    gs2: String,
    nonce: String,
    /// The two first messages, which the proof covers.
    first: String,
    challenge: String,
}

impl Exchange {
    /// Read the client's first message.
    ///
    /// # Errors
    ///
    /// If it is malformed, or requests an unsupported option.
    pub fn begin(message: &str, user: &str, secret: Option<&Secret>, key: &[u8]) -> Result<Self> {
        let mut parts = message.splitn(3, ',');
        let (flag, name, bare) = (parts.next(), parts.next(), parts.next());
        let (Some(flag @ ("n" | "y")), Some(name), Some(bare)) = (flag, name, bare) else {
            bail!("malformed SCRAM message");
        };
        let nonce = bare.split(',').find_map(|part| part.strip_prefix("r="));
        let nonce = nonce.filter(|nonce| !nonce.is_empty() && nonce.len() <= MAX_NONCE);
        let nonce = nonce.context("malformed SCRAM nonce")?;
        ensure!(!bare.starts_with("m="), "a SCRAM extension");
        let nonce = format!("{nonce}{}", STANDARD.encode(random::<NONCE_BYTES>()?));
        let is_known = secret.is_some();
        let secret = secret.cloned().unwrap_or_else(|| Secret::of_nobody(user, key));
        let salt = STANDARD.encode(&secret.salt);
        let challenge = format!("r={nonce},s={salt},i={}", secret.rounds);
        let gs2 = STANDARD.encode(format!("{flag},{name},"));
        Ok(Self { secret, is_known, gs2, nonce, first: bare.to_owned(), challenge })
    }

    /// The server's first message.
    pub fn challenge(&self) -> &str {
        &self.challenge
    }

    /// The server's last message, if the client has proved that it knows the password.
    pub fn finish(&self, message: &str) -> Option<String> {
        let (unproved, proof) = message.rsplit_once(",p=")?;
        let proof = STANDARD.decode(proof).ok()?;
        let expected = format!("c={},r={}", self.gs2, self.nonce);
        let covered = format!("{},{},{unproved}", self.first, self.challenge);
        let mut key = mac(&self.secret.stored_key, covered.as_bytes());
        let is_long_enough = proof.len() == key.len();
        key.iter_mut().zip(&proof).for_each(|(byte, proof)| *byte ^= proof);
        // The comparison's time depends on equal bytes of a hash, which reveals nothing about the
        // key.
        let is_proved = sha256(&key) == self.secret.stored_key;
        let is_right = is_proved && is_long_enough && self.is_known && unproved == expected;
        let signature = mac(&self.secret.server_key, covered.as_bytes());
        is_right.then(|| format!("v={}", STANDARD.encode(signature)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The client's last message.
    fn prove(exchange: &Exchange, password: &str) -> String {
        let secret = &exchange.secret;
        let mut salted = Hash::default();
        let rounds = NonZeroU32::new(secret.rounds).unwrap();
        pbkdf2::derive(
            pbkdf2::PBKDF2_HMAC_SHA256,
            rounds,
            &secret.salt,
            password.as_bytes(),
            &mut salted,
        );
        let mut key = mac(&salted, b"Client Key");
        let unproved = format!("c={},r={}", exchange.gs2, exchange.nonce);
        let covered = format!("{},{},{unproved}", exchange.first, exchange.challenge);
        let signature = mac(&sha256(&key), covered.as_bytes());
        key.iter_mut().zip(signature).for_each(|(byte, other)| *byte ^= other);
        format!("{unproved},p={}", STANDARD.encode(key))
    }

    #[test]
    fn the_example_of_the_standard_is_followed() {
        let salt = STANDARD.decode("W22ZaJ0SNY7soEsUEjb6gQ==").unwrap();
        let secret = Secret::with("pencil", &salt, 4096).unwrap();
        let mut exchange =
            Exchange::begin("n,,n=user,r=rOprNGfwEbeRWgbNEkqO", "user", Some(&secret), b"")
                .unwrap();
        exchange.nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0".to_owned();
        exchange.challenge = format!("r={},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096", exchange.nonce);
        let last =
            format!("c=biws,r={},p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=", exchange.nonce);
        let signature = "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=";
        assert_eq!(exchange.finish(&last).as_deref(), Some(signature));
    }

    #[test]
    fn only_the_password_proves() {
        let secret = Secret::new("pencil").unwrap();
        let first = "n,,n=,r=abc";
        let exchange = Exchange::begin(first, "a", Some(&secret), b"key").unwrap();
        assert!(exchange.finish(&prove(&exchange, "pencil")).is_some());
        assert!(exchange.finish(&prove(&exchange, "pencils")).is_none());
        let other = prove(&exchange, "pencil").replace("c=biws", "c=eSws");
        assert!(exchange.finish(&other).is_none());
        let nobody = Exchange::begin(first, "b", None, b"key").unwrap();
        assert!(nobody.finish(&prove(&nobody, "pencil")).is_none());
        let again = Exchange::begin(first, "b", None, b"key").unwrap();
        assert_eq!(nobody.secret, again.secret);
        for wrong in ["", "p=tls-unique,,n=,r=a", "n,,n=", "n,,n=,r=", "n,,m=x,r=a"] {
            assert!(Exchange::begin(wrong, "a", Some(&secret), b"").is_err(), "{wrong}");
        }
        for wrong in ["", ",p=", "c=biws,r=x,p=YQ==", "c=biws,p=*"] {
            assert!(exchange.finish(wrong).is_none());
        }
    }

    #[test]
    fn secrets_are_written_and_read() {
        let secret = Secret::new("pencil").unwrap();
        assert_eq!(Secret::parse(&secret.shown()).unwrap(), secret);
        assert!(Secret::parse("pencil").unwrap_err().to_string().contains("never in clear"));
        for wrong in ["SCRAM-SHA-256$1:YQ==$YQ==:YQ==", "SCRAM-SHA-256$4096:YQ==$YQ==:YQ=="] {
            assert!(Secret::parse(wrong).is_err());
        }
    }
}
