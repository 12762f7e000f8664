from sqlite_extension import extension, table

extension("mine", description="the words of a text")


# SELECT word FROM mine('to be'). A generator computes only the rows that SQL reads.
@table(columns=["word TEXT"])
def mine(text):
    for word in text.split():
        yield (word,)
