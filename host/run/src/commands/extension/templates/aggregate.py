from sqlite_extension import aggregate, extension

extension("mine", description="the longest text")


# With `inverse` and `value` it would work with OVER.
@aggregate("mine")
class Longest:
    def __init__(self):
        self.best = ""

    def step(self, text: str):
        self.best = max(self.best, text, key=len)

    def finish(self):
        return self.best
