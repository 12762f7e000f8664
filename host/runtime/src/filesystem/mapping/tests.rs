//! Mapping, visibility of writes, and truncated files.

use std::io::Write;
use std::os::unix::fs::FileExt;

use wasmtime::{Engine, Store};

use super::lost_pages::MAX_MAPPINGS;
use super::*;
use crate::limits::stop::Stop;

const PAGE_COUNT: usize = 4;

/// Memory such as a component's, and a file of the same size, all `7`.
struct Scene {
    store: Store<()>,
    pages: Pages,
    file: File,
}

impl Scene {
    fn new() -> Self {
        let store = Store::new(&Engine::default(), ());
        let bytes = PAGE_COUNT * page_size();
        // SAFETY: the system chooses the address, so the mapping replaces no
        // other.
        let place =
            unsafe { mmap_anonymous(ptr::null_mut(), bytes, READ_WRITE, MapFlags::PRIVATE) };
        let address = place.unwrap().expose_provenance();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![7; bytes]).unwrap();
        let pages = Pages { address, bytes, home: Home::of(&store) };
        Self { store, pages, file }
    }

    fn map(&self, sharing: Sharing, behind_end: BehindEnd) -> Mapping {
        Mapping::new(self.pages, &self.file, 0, sharing, behind_end).unwrap()
    }

    fn at(&self, offset: usize) -> *mut u8 {
        assert!(offset < self.pages.bytes);
        ptr::with_exposed_provenance_mut(self.pages.address + offset)
    }

    fn read(&self, offset: usize) -> u8 {
        // SAFETY: the memory belongs to this scene, and is never unmapped.
        unsafe { self.at(offset).read_volatile() }
    }

    fn write(&self, offset: usize, byte: u8) {
        // SAFETY: as for reading.
        unsafe { self.at(offset).write_volatile(byte) }
    }

    fn is_all(&self, byte: u8) -> bool {
        (0..self.pages.bytes).all(|offset| self.read(offset) == byte)
    }

    fn in_file(&self, offset: usize) -> u8 {
        let mut byte = [0];
        self.file.read_exact_at(&mut byte, offset as u64).unwrap();
        byte[0]
    }
}

#[test]
fn writes_to_file_and_memory_are_seen_in_both() {
    let scene = Scene::new();
    let _mapping = scene.map(Sharing::Writing, BehindEnd::Lost);
    assert!(scene.is_all(7));
    scene.write(100, 8);
    assert_eq!(scene.in_file(100), 8);
    scene.file.write_all_at(&[9], 5000).unwrap();
    assert_eq!(scene.read(5000), 9);
}

#[test]
fn a_read_only_mapping_follows_the_file_and_never_changes_it() {
    let scene = Scene::new();
    let _mapping = scene.map(Sharing::Reading, BehindEnd::Zeros);
    scene.file.write_all_at(&[9], 0).unwrap();
    assert_eq!(scene.read(0), 9);
    scene.write(page_size(), 8);
    assert_eq!(scene.in_file(page_size()), 7);
}

#[test]
fn released_memory_is_zeros_and_the_file_stays() {
    let scene = Scene::new();
    let mapping = scene.map(Sharing::Writing, BehindEnd::Lost);
    mapping.release(&scene.store).unwrap();
    assert!(scene.is_all(0));
    scene.write(0, 1);
    assert_eq!(scene.in_file(0), 7);
}

#[test]
#[should_panic(expected = "a mapping belongs to one store")]
fn a_mapping_is_released_by_its_own_store_only() {
    let scene = Scene::new();
    let mapping = scene.map(Sharing::Writing, BehindEnd::Lost);
    let _ = mapping.release(&Store::new(&Engine::default(), 1_u64));
}

#[test]
fn behind_the_end_of_a_cut_file_are_zeros() {
    let scene = Scene::new();
    let mapping = scene.map(Sharing::Reading, BehindEnd::Zeros);
    scene.file.set_len(page_size() as u64).unwrap();
    assert_eq!(scene.read(0), 7);
    assert!(mapping.is_whole());
    assert_eq!(scene.read(page_size()), 0);
    assert!(!mapping.is_whole());
    assert!(check().is_ok());
}

#[test]
fn a_component_that_lost_a_page_of_shared_memory_is_ended() {
    let scene = Scene::new();
    let _mapping = scene.map(Sharing::Writing, BehindEnd::Lost);
    scene.file.set_len(0).unwrap();
    assert!(check().is_ok());
    assert_eq!(scene.read(0), 0);
    let error = check().unwrap_err();
    assert_eq!(error.downcast_ref(), Some(&Stop::LostPage));
    // Another thread has another component.
    std::thread::spawn(|| assert!(check().is_ok())).join().unwrap();
}

#[test]
fn forgotten_mappings_make_room_for_others() {
    let scene = Scene::new();
    for _ in 0..2 * MAX_MAPPINGS {
        drop(scene.map(Sharing::Reading, BehindEnd::Zeros));
    }
}

#[test]
fn pages_overlap_where_they_have_one_in_common() {
    let home = Home(0);
    let pages = |address, bytes| Pages { address, bytes, home };
    assert!(pages(0, 8).overlap(pages(4, 8)));
    assert!(pages(4, 8).overlap(pages(0, 8)));
    assert!(!pages(0, 8).overlap(pages(8, 8)));
}

/// `files.read` has the system write into the component's memory.
#[test]
fn a_system_call_that_writes_to_a_lost_page_fails_without_a_signal() {
    let scene = Scene::new();
    let _mapping = scene.map(Sharing::Writing, BehindEnd::Lost);
    let mut source = tempfile::tempfile().unwrap();
    source.write_all(&[1; 100]).unwrap();
    scene.file.set_len(0).unwrap();
    // SAFETY: the memory belongs to this scene, and is never unmapped.
    let page = unsafe { std::slice::from_raw_parts_mut(scene.at(0), 100) };
    assert_eq!(rustix::io::pread(&source, page, 0), Err(rustix::io::Errno::FAULT));
}
