//! The runner's interfaces, as core WebAssembly has them.

/// Room for any result, as the canonical ABI lays it out.
#[repr(C, align(8))]
pub struct Reply(pub [u8; 1024]);

impl Reply {
    pub fn new() -> Self {
        Self([0; 1024])
    }

    /// `Err` with the byte at `error` where the first byte says so.
    pub fn checked(&self, error: usize) -> Result<(), u8> {
        if self.0[0] == 0 { Ok(()) } else { Err(self.0[error]) }
    }

    pub fn word(&self, place: usize) -> u32 {
        u32::from_le_bytes(self.0[place..place + 4].try_into().expect("four bytes"))
    }

    pub fn bytes(&self, place: usize) -> &[u8] {
        let (start, length) = (self.word(place) as usize, self.word(place + 4) as usize);
        // SAFETY: the host put a list of this length there, by `cabi_realloc`.
        unsafe { std::slice::from_raw_parts(start as *const u8, length) }
    }

    pub fn text(&self, place: usize) -> String {
        String::from_utf8_lossy(self.bytes(place)).into_owned()
    }
}

pub type OnPath = unsafe extern "C" fn(*const u8, usize, u32, *mut Reply);
pub type TextOf = unsafe extern "C" fn(*const u8, usize, *mut Reply);

#[link(wasm_import_module = "sqlite-wasm:host/files@0.1.0")]
unsafe extern "C" {
    #[link_name = "open"]
    pub fn host_open(path: *const u8, length: usize, how: u32, reply: *mut Reply);
    #[link_name = "open-descriptor"]
    pub fn host_open_descriptor(descriptor: u32, reply: *mut Reply);
    #[link_name = "open-temporary"]
    pub fn host_open_temporary(reply: *mut Reply);
    #[link_name = "close"]
    pub fn host_close(file: u32);
    #[link_name = "read"]
    pub fn host_read(file: u32, offset: u64, length: u32, reply: *mut Reply);
    #[link_name = "write"]
    pub fn host_write(file: u32, offset: u64, data: *const u8, length: usize, reply: *mut Reply);
    #[link_name = "truncate"]
    pub fn host_truncate(file: u32, size: u64, reply: *mut Reply);
    #[link_name = "sync"]
    pub fn host_sync(file: u32, reply: *mut Reply);
    #[link_name = "size"]
    pub fn host_size(file: u32, reply: *mut Reply);
    #[link_name = "reserve"]
    pub fn host_reserve(file: u32, size: u64, reply: *mut Reply);
    #[link_name = "lock"]
    pub fn host_lock(file: u32, level: u32, reply: *mut Reply);
    #[link_name = "unlock"]
    pub fn host_unlock(file: u32, level: u32, reply: *mut Reply);
    #[link_name = "delete"]
    pub fn host_delete(path: *const u8, length: usize, sync: u32, reply: *mut Reply);
    #[link_name = "access"]
    pub fn host_access(path: *const u8, length: usize, mode: u32) -> u32;
    #[link_name = "resolve"]
    pub fn host_resolve(path: *const u8, length: usize, reply: *mut Reply);
    #[link_name = "link-target"]
    pub fn host_link_target(path: *const u8, length: usize, reply: *mut Reply);
    #[link_name = "attributes"]
    pub fn host_attributes(path: *const u8, length: usize, reply: *mut Reply);
    #[link_name = "set-permissions"]
    pub fn host_set_permissions(path: *const u8, length: usize, bits: u32, reply: *mut Reply);
}

#[link(wasm_import_module = "sqlite-wasm:host/shared-memory@0.1.0")]
unsafe extern "C" {
    #[link_name = "shm-open"]
    pub fn host_shm_open(file: u32, read_only: u32, reply: *mut Reply);
    #[link_name = "shm-reach"]
    pub fn host_shm_reach(file: u32, bytes: u64, extend: u32, reply: *mut Reply);
    #[link_name = "shm-map"]
    pub fn host_shm_map(file: u32, offset: u64, place: *const u8, length: usize, reply: *mut Reply);
    #[link_name = "shm-lock"]
    pub fn host_shm_lock(file: u32, first: u32, count: u32, how: u32, reply: *mut Reply);
    #[link_name = "shm-close"]
    pub fn host_shm_close(file: u32, delete: u32);
    #[link_name = "map-file"]
    pub fn host_map_file(file: u32, offset: u64, place: *const u8, length: usize, reply: *mut Reply);
    #[link_name = "unmap-file"]
    pub fn host_unmap_file(file: u32);
}

#[link(wasm_import_module = "sqlite-wasm:host/process@0.1.0")]
unsafe extern "C" {
    #[link_name = "startup-file"]
    pub fn host_startup_file(path: *const u8, length: usize, reply: *mut Reply);
    #[link_name = "check-granted"]
    pub fn host_check_granted(path: *const u8, length: usize) -> u32;
}

#[link(wasm_import_module = "sqlite-wasm:host/console@0.1.0")]
unsafe extern "C" {
    #[link_name = "remember"]
    pub fn host_remember(line: *const u8, length: usize);
    #[link_name = "load-history"]
    pub fn host_load_history();
    #[link_name = "save-history"]
    pub fn host_save_history(limit: u32);
}

#[link(wasm_import_module = "sqlite-wasm:host/dispatch@0.1.0")]
unsafe extern "C" {
    #[link_name = "load"]
    pub fn host_load(name: *const u8, length: usize, reply: *mut Reply);
    #[link_name = "attach"]
    pub fn host_attach(extension: u32, reply: *mut Reply);
    #[link_name = "disconnect"]
    pub fn host_disconnect(extension: u32, reply: *mut Reply);
    #[link_name = "resume-nothing"]
    pub fn host_resume_nothing(
        extension: u32,
        case: u32,
        data: usize,
        length: usize,
        rest: usize,
        reply: *mut Reply,
    );
    #[link_name = "resume-output"]
    pub fn host_resume_output(
        extension: u32,
        case: u32,
        data: usize,
        length: usize,
        rest: usize,
        reply: *mut Reply,
    );
    #[link_name = "connect"]
    pub fn host_connect(extension: u32, reply: *mut Reply);
    #[link_name = "scalar-call"]
    pub fn host_scalar_call(
        extension: u32,
        function: u32,
        arguments: *const u8,
        count: usize,
        subtypes: *const u8,
        subtype_count: usize,
        reply: *mut Reply,
    );
    #[link_name = "inline-call"]
    pub fn host_inline_call(
        extension: u32,
        function: u32,
        heads: u64,
        word_0: u64,
        word_1: u64,
        word_2: u64,
        word_3: u64,
        word_4: u64,
        word_5: u64,
        word_6: u64,
        word_7: u64,
        reply: *mut Reply,
    );
    #[link_name = "inline-pending-result"]
    pub fn host_inline_pending_result(extension: u32, function: u32, reply: *mut Reply);
    #[link_name = "aggregate-start"]
    pub fn host_aggregate_start(extension: u32, function: u32, reply: *mut Reply);
    #[link_name = "aggregate-finish"]
    pub fn host_aggregate_finish(extension: u32, accumulator: u32, reply: *mut Reply);
    #[link_name = "aggregate-abandon"]
    pub fn host_aggregate_abandon(extension: u32, accumulator: u32, reply: *mut Reply);
    #[link_name = "table-open"]
    pub fn host_table_open(extension: u32, table: u32, reply: *mut Reply);
    #[link_name = "table-close"]
    pub fn host_table_close(extension: u32, cursor: u32, reply: *mut Reply);
    #[link_name = "table-fetch-batch"]
    pub fn host_table_fetch_batch(extension: u32, cursor: u32, limit: u32, reply: *mut Reply);
    #[link_name = "table-destroy"]
    pub fn host_table_destroy(extension: u32, table: u32, reply: *mut Reply);
}
