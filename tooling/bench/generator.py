"""The random generator behind all data of the suites: SplitMix64, so that any language makes the same data.

Players need not: they get the data on a tape (`tape.py`), the same bytes for all of them.
"""

import builtins
import struct

MASK = 2**64 - 1


class Generator:
    def __init__(self, seed: int):
        self.state = seed & MASK

    def next(self) -> int:
        """64 bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, limit: int) -> int:
        return self.next() * limit >> 64

    def between(self, low: int, high: int) -> int:
        """With both ends."""
        return low + self.below(high - low + 1)

    def unit(self) -> float:
        """In [0, 1), a multiple of 2^-24: exact as a float of 32 bits too."""
        return (self.next() >> 40) / 2**24

    def bytes(self, size: int) -> builtins.bytes:
        return b"".join(self.next().to_bytes(8, "little") for _ in range((size + 7) // 8))[:size]

    def shuffled(self, values) -> list:
        found = list(values)
        for last in range(len(found) - 1, 0, -1):
            other = self.below(last + 1)
            found[last], found[other] = found[other], found[last]
        return found

    def vector(self, dimensions: int) -> builtins.bytes:
        """Floats of 32 bits in [-1, 1)."""
        return struct.pack(f"<{dimensions}f", *(2 * self.unit() - 1 for _ in range(dimensions)))


def hexadecimal(number: int, digits: int) -> str:
    """Hexadecimal digits that a seed determines, for texts."""
    return Generator(number).bytes((digits + 1) // 2).hex()[:digits]
