//! Programs run as a user whom permission bits bind: root's own tests would
//! find every file readable and every directory writable.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::unistd::geteuid;

use super::{Input, Outcome};

/// `nobody` everywhere.
const OTHER_USER: &str = "65534";

/// A directory that all users may enter, with copies of the programs: the
/// repository may lie where only root may look.
pub struct Stage {
    directory: tempfile::TempDir,
}

impl Stage {
    /// Copies our programs, the component and the native shell.
    pub fn set() -> Self {
        let directory =
            tempfile::tempdir().expect("the system has a directory for temporary files");
        let stage = Self { directory };
        allow(&stage.path(), 0o755);
        let programs =
            [super::our_binary(), super::helper(), super::own_component(), super::native()];
        for program in programs {
            let name = program.file_name().expect("programs have names");
            super::copy_program(&program, &stage.path().join(name));
            allow(&stage.path().join(name), 0o755);
        }
        allow(&stage.directory("home"), 0o777);
        stage
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        let path = self.directory.path();
        path.canonicalize().expect("the directory exists")
    }

    /// Our program's copy.
    pub fn ours(&self) -> PathBuf {
        self.copy_of(&super::our_binary())
    }

    /// The native shell's copy.
    pub fn native(&self) -> PathBuf {
        self.copy_of(&super::native())
    }

    fn copy_of(&self, program: &Path) -> PathBuf {
        let name = program.file_name().expect("programs have names");
        self.path().join(name)
    }

    /// Makes a directory in it that anybody may use.
    pub fn directory(&self, name: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(&path).expect("our own directory is writable");
        allow(&path, 0o777);
        path
    }

    /// Runs `program` in `directory` as the other user, or as this one if it is
    /// not root.
    pub fn run(&self, program: &Path, args: &[&str], directory: &Path) -> Outcome {
        super::finish(self.command(program, args, directory), &Input::Nothing)
    }

    /// That command before it is started.
    pub fn command(&self, program: &Path, args: &[&str], directory: &Path) -> Command {
        let mut command = if geteuid().is_root() {
            let mut words = vec!["--reuid", OTHER_USER, "--regid", OTHER_USER, "--clear-groups"];
            words.push(program.to_str().expect("its path is UTF-8"));
            words.extend(args);
            super::command("setpriv".as_ref(), &words, directory)
        } else {
            super::command(program, args, directory)
        };
        let home = self.path().join("home");
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", &home).env("XDG_CACHE_HOME", home);
        command
    }
}

/// Sets the permission bits of a file or directory.
pub fn allow(path: &Path, bits: u32) {
    fs::set_permissions(path, Permissions::from_mode(bits))
        .unwrap_or_else(|error| panic!("chmod {bits:o} {}: {error}", path.display()));
}
