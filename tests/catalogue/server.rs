//! A server on loopback that replies what a test says, byte by byte.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// What the server replies.
pub enum Reply {
    /// 200 with this content.
    Content(Vec<u8>),
    /// A redirect to this URL.
    Redirect(String),
    /// These bytes, and then the connection is closed.
    Raw(Vec<u8>),
    /// These bytes, and then zeros for ever.
    Endless(&'static str),
}

/// A server; it goes with the process.
pub struct Server {
    /// Its port.
    pub port: u16,
    seen: Arc<Mutex<Vec<String>>>,
}

/// The first line and the headers of a request.
type Handler = dyn Fn(&str, &str) -> Reply + Send + Sync;

impl Server {
    /// Reply to each request by `handler`, which gets the path and the headers.
    pub fn start(handler: impl Fn(&str, &str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let port = listener.local_addr().expect("it is bound").port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (handler, record) = (Arc::new(handler), seen.clone());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (handler, record) = (handler.clone(), record.clone());
                thread::spawn(move || serve(stream, &*handler, &record));
            }
        });
        Self { port, seen }
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// The paths that were requested.
    pub fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("no thread panicked").clone()
    }
}

/// Reply to one request.
fn serve(stream: TcpStream, handler: &Handler, record: &Mutex<Vec<String>>) {
    let mut stream = BufReader::new(stream);
    let mut request = String::new();
    while !request.ends_with("\r\n\r\n") {
        if stream.read_line(&mut request).unwrap_or_default() == 0 {
            return;
        }
    }
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    record.lock().expect("no thread panicked").push(path.clone());
    // The client may have gone: an error does not matter to the test.
    let _ = reply(stream.get_mut(), handler(&path, &request));
}

fn reply(stream: &mut impl Write, reply: Reply) -> std::io::Result<()> {
    match reply {
        Reply::Content(content) => {
            let length = content.len();
            write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            )?;
            stream.write_all(&content)?;
        }
        Reply::Redirect(url) => write!(
            stream,
            "HTTP/1.1 302 Found\r\nLocation: {url}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )?,
        Reply::Raw(bytes) => stream.write_all(&bytes)?,
        Reply::Endless(head) => {
            stream.write_all(head.as_bytes())?;
            while stream.write_all(&[b'0'; 4096]).is_ok() {}
        }
    }
    stream.flush()
}
