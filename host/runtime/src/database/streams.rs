//! WASI's functions that wait, for a component that never needs to wait.
//!
//! Those of `wasmtime-wasi` enter a tokio runtime, which panics in a program that is inside its own
//! runtime. A component prints only when it panics, and its output goes to a log in memory.

use wasmtime::component::{Linker, Resource};
use wasmtime_wasi::WasiView;
use wasmtime_wasi::p2::bindings::sync::io::streams::StreamError;
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream, DynPollable, OutputStream};

/// The version of WASI that `wasmtime-wasi` has.
const STREAMS: &str = "wasi:io/streams@0.2.12";
const POLL: &str = "wasi:io/poll@0.2.12";

type Written = Result<(), StreamError>;

/// Replace the functions that wait.
///
/// # Errors
///
/// When the linker refuses it.
pub fn add_to_linker<T: WasiView + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    add_output(linker)?;
    let mut streams = linker.instance(STREAMS)?;
    for name in ["[method]input-stream.blocking-read", "[method]input-stream.blocking-skip"] {
        streams.func_wrap(name, |_, _: (Resource<DynInputStream>, u64)| refused::<Written>())?;
    }
    let mut poll = linker.instance(POLL)?;
    poll.func_wrap("[method]pollable.block", |_, _: (Resource<DynPollable>,)| {
        Err::<(), _>(wasmtime::format_err!("a database cannot wait"))
    })?;
    poll.func_wrap("poll", |_, _: (Vec<Resource<DynPollable>>,)| refused::<Vec<u32>>())?;
    linker.allow_shadowing(false);
    Ok(())
}

fn refused<T>() -> wasmtime::Result<(T,)> {
    Err(wasmtime::format_err!("a database cannot wait"))
}

fn add_output<T: WasiView + 'static>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    let mut streams = linker.instance(STREAMS)?;
    streams.func_wrap(
        "[method]output-stream.blocking-write-and-flush",
        |mut store, (stream, bytes): (Resource<DynOutputStream>, Vec<u8>)| {
            let stream = store.data_mut().ctx().table.get_mut(&stream)?;
            // A full log drops the rest.
            let _ = OutputStream::write(&mut **stream, bytes.into());
            Ok((Written::Ok(()),))
        },
    )?;
    streams
        .func_wrap("[method]output-stream.blocking-flush", |_, _: (Resource<DynOutputStream>,)| {
            Ok((Written::Ok(()),))
        })
}
