"""Start programs from a small process, and tell what each of them took.

The kernel counts the memory of the process that calls exec as the first peak
of the new program; started from the benchmark itself each engine would show
the benchmark's own 20 MB. From here it is about 5 MB, which is what a native
shell needs at least. For the same reason this file imports next to nothing;
run it as `python3 -I -S`.

Request, one line: script, output, errors, how many processes are to run it at
once, the script of one more that runs meanwhile or nothing, and the command,
separated by tabs. The first process has the output, each other one a file with
its number behind that name.
Answer, one line: nanoseconds from the first exec to the last end, processor
time of all in nanoseconds, the highest peak of memory in bytes, the page faults
of the first since its exec, wait status.
"""

import os
import resource
import sys
import time

REPORT = "{:09} {:019}"
"""Page faults and time just before the exec."""

WRITER_START_S = 0.05
"""After this many seconds a writer is in the middle of its work."""


def become(script, output, errors, command, report):
    """Turn this (forked) process into the command."""
    # Files that a script makes belong to its run.
    os.chdir(os.path.dirname(command[-1]))
    writable = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    os.dup2(os.open(script, os.O_RDONLY), 0)
    os.dup2(os.open(output, writable, 0o600), 1)
    os.dup2(os.open(errors, writable, 0o600), 2)
    command = list(map(os.fsencode, command))
    # What this process still touches for the first time would count as the program's: so it does all of it before.
    with open("/dev/null", "wb") as nowhere:
        started(nowhere.fileno())
    try:  # noqa: SIM105 (contextlib would have to be imported)
        os.execv(b"/dev/null/", command)
    except OSError:
        pass
    started(report)
    os.execv(command[0], command)


def started(report):
    """Report the page faults and the time of now."""
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    os.write(report, REPORT.format(faults, time.monotonic_ns()).encode())


def start(script, output, errors, command, report):
    child = os.fork()
    if child == 0:
        try:
            become(script, output, errors, command, report)
        except OSError as problem:
            os.write(2, str(problem).encode())
        finally:
            os._exit(127)
    return child


def script_of(script, place):
    """The script of a further process, if it has one: with an index behind its name."""
    its_own = f"{script}.{place}"
    return its_own if os.path.exists(its_own) else script


def wait_for(child):
    try:
        return os.wait4(child, 0)[1:]
    except KeyboardInterrupt:
        # A shell takes Ctrl-C as the end of one statement and goes on.
        os.kill(child, 9)
        raise


def launch(script, output, errors, count, writer, *command):
    beside = start(writer, "/dev/null", "/dev/null", command, os.open("/dev/null", os.O_WRONLY)) if writer else None
    if beside:
        time.sleep(WRITER_START_S)
    receive, report = os.pipe()
    first = start(script, output, errors, command, report)
    others = [start(script_of(script, place), f"{output}.{place}", errors, command, report) for place in range(1, int(count))]
    ends = [wait_for(child) for child in (first, *others)]
    end = time.monotonic_ns()
    os.close(report)
    faults, started = map(int, os.read(receive, len(REPORT.format(0, 0))).split() or (0, end))
    os.close(receive)
    faults = ends[0][1].ru_minflt - faults
    if beside:
        os.kill(beside, 9)
        wait_for(beside)
    cpu = sum(int((usage.ru_utime + usage.ru_stime) * 1e9) for _, usage in ends)
    peak = max(usage.ru_maxrss for _, usage in ends)
    return end - started, cpu, peak * 1024, faults, max(status for status, _ in ends)


def serve():
    for line in sys.stdin:
        print(*launch(*line.rstrip("\n").split("\t")), flush=True)


if __name__ == "__main__":
    try:
        serve()
    except KeyboardInterrupt:
        sys.exit(130)
