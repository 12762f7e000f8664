"""Start programs from a small process, and tell what each of them took.

The kernel counts the memory of the process that calls exec as the first peak
of the new program; started from the benchmark itself each engine would show
the benchmark's own 20 MB. From here it is about 5 MB, which is what a native
shell needs at least. For the same reason this file imports next to nothing;
run it as `python3 -I -S`.

Request, one line: script, output, errors and the command, separated by tabs.
Answer, one line: nanoseconds from exec to the end, processor time in
nanoseconds, peak memory in bytes, wait status.
"""

import os
import sys
import time


def become(script, output, errors, command, report):
    """Turn this (forked) process into the command."""
    writable = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    os.dup2(os.open(script, os.O_RDONLY), 0)
    os.dup2(os.open(output, writable, 0o600), 1)
    os.dup2(os.open(errors, writable, 0o600), 2)
    os.write(report, str(time.monotonic_ns()).encode())
    os.execv(command[0], command)


def wait_for(child):
    try:
        return os.wait4(child, 0)[1:]
    except KeyboardInterrupt:
        # A shell takes Ctrl-C as the end of one statement and goes on.
        os.kill(child, 9)
        raise


def launch(script, output, errors, *command):
    receive, report = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            become(script, output, errors, command, report)
        except OSError as problem:
            os.write(2, str(problem).encode())
        finally:
            os._exit(127)
    status, usage = wait_for(child)
    end = time.monotonic_ns()
    os.close(report)
    start = int(os.read(receive, 32) or end)
    os.close(receive)
    cpu = int((usage.ru_utime + usage.ru_stime) * 1e9)
    return end - start, cpu, usage.ru_maxrss * 1024, status


def serve():
    for line in sys.stdin:
        print(*launch(*line.rstrip("\n").split("\t")), flush=True)


if __name__ == "__main__":
    try:
        serve()
    except KeyboardInterrupt:
        sys.exit(130)
