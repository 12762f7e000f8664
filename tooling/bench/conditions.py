"""Whether this is a moment for a record: the files are those of a commit, and the machine is quiet."""

import subprocess
import time

from .engines import ROOT

# Share of the processors that other programs may use, and how long they are watched.
MAX_BUSY = 0.1
WATCHED_SECONDS = 2

CHANGED = "with changes"


def commit() -> str:
    """The commit that is checked out, with a mark if files differ from it."""
    git = ["git", "-C", str(ROOT)]
    try:
        head = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=True)
        changes = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "none"
    return head.stdout.strip() + (f" {CHANGED}" if changes.stdout.strip() else "")


def busy_share() -> float:
    """The share of the processors that is in use now, also by other guests of this machine's host."""
    before = processor_times()
    time.sleep(WATCHED_SECONDS)
    spent = [after - start for start, after in zip(before, processor_times())]
    _user, _nice, _system, idle, waiting, *_ = spent
    return 1 - (idle + waiting) / max(sum(spent), 1)


def processor_times() -> list[int]:
    """User, nice, system, idle, iowait, irq, softirq and steal, in ticks."""
    with open("/proc/stat", encoding="ascii") as lines:
        return [int(word) for word in lines.readline().split()[1:9]]


def objections() -> list[str]:
    """Why figures that are measured now are not for `bench-records`."""
    found = []
    at = commit()
    if at == "none" or at.endswith(CHANGED):
        found.append(f"the files are not those of a commit ({at})")
    busy = busy_share()
    if busy > MAX_BUSY:
        found.append(f"other programs use {busy:.0%} of the processors")
    return found


def mark(objections: list[str]) -> list[str]:
    """The lines at the head of figures that are not for the records; `tooling/test/guards` finds them there."""
    return [f"not for the records: {objection}" for objection in objections]
