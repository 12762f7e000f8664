"""The programs of the tests: our shell, native SQLite, Litestream, and what stands in for S3."""

import os
import socket
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SHELL = ROOT / "target/release/sqlite-wasm-run"
NATIVE = ROOT / "target/native-reference/sqlite3"
LITESTREAM = os.environ["LITESTREAM"]

#: For a program to start on a busy machine, in seconds.
STARTS = 30.0

#: Litestream and the stand-in for S3 share them.
KEY, SECRET = "replication", "replication-secret"


def sql(program, database, *texts):
    """The output of a program for statements and commands."""
    done = subprocess.run([program, database.name, *texts], cwd=database.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def kill(process):
    process.kill()
    process.wait()


def litestream(*arguments):
    """What a command of Litestream is started with; the user's own settings for AWS do not matter."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    keys = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}
    return {"args": [LITESTREAM, *map(str, arguments)], "env": others | keys}


def replicate(database, replica, log):
    """Litestream, which copies from now on."""
    return subprocess.Popen(**litestream("replicate", database, replica), stdout=log, stderr=log)


def restore(replica, copy):
    """Whether the replica has a database, which is then at the path."""
    for file in copy.parent.glob(f"{copy.name}*"):
        file.unlink()
    return subprocess.run(**litestream("restore", "-o", copy, replica), capture_output=True, check=False).returncode == 0


class Files:
    """Replicas in a directory."""

    name = "files"

    def __init__(self, directory):
        self.replica = f"file://{directory}/replica"

    def stop(self):
        """Nothing runs."""


class ObjectStorage:
    """Replicas in a bucket, behind the interface of S3."""

    name = "S3"

    def __init__(self, directory):
        (directory / "objects/bucket").mkdir(parents=True)
        (directory / "metadata").mkdir()
        port = free_port()
        self.process = subprocess.Popen(
            [
                os.environ["GATEWAY"],
                "--access",
                KEY,
                "--secret",
                SECRET,
                "--port",
                f"127.0.0.1:{port}",
                "--quiet",
                "posix",
                "--sidecar",
                str(directory / "metadata"),
                str(directory / "objects"),
            ],
            stdout=subprocess.DEVNULL,
        )
        wait_for_port(port)
        self.replica = f"s3://bucket/app.db?endpoint=http://127.0.0.1:{port}&region=us-east-1"

    def stop(self):
        kill(self.process)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for_port(port):
    end = time.monotonic() + STARTS
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            assert time.monotonic() < end, "nothing listens"
            time.sleep(0.05)
