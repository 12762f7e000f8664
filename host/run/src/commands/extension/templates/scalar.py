from sqlite_extension import extension, function

extension("mine", description="loud text")


# The same text is always as loud, so that an index can use the function.
@function(deterministic=True)
def mine(text: str | None):
    return None if text is None else text.upper() + "!"
