from sqlite_extension import collation, extension

extension("mine", description="the order by length")


# Less than 0, 0, or more; always the same for the same texts, since indexes depend on it.
@collation()
def mine(left: str, right: str):
    return len(left) - len(right)
