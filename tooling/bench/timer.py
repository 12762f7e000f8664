"""The times that the shell prints after each statement, with `.timer on`."""

import re

TIMER = re.compile(r"^Run Time: real [0-9.]+ user ([0-9.]+) sys ([0-9.]+)\n", re.M)


def processor_seconds(output: str) -> list[float]:
    """Of each statement: finer than the real time, and nobody else's work is in it."""
    return [float(user) + float(system) for user, system in TIMER.findall(output)]


def without_times(output: str) -> str:
    return TIMER.sub("", output)
