"""BM25 of tantivy; its norms have one byte, so ranks may differ from SQLite's: a recall is shown."""

import os
from importlib.metadata import version as installed

import tantivy

FOUND = 10


def version():
    return installed("tantivy")


def schema():
    made = tantivy.SchemaBuilder()
    made.add_unsigned_field("id", stored=True, indexed=True)
    made.add_text_field("body")
    return made.build()


class Engine:
    def __init__(self, path):
        os.makedirs(path, exist_ok=True)
        self.index = tantivy.Index(schema(), path=path)
        self.searcher = self.index.searcher()

    def setting(self, sql):
        pass

    def prepare(self, statements):
        pass

    def load(self, steps):
        writer = self.index.writer()
        for _, values, _ in steps:
            if values:
                document = tantivy.Document()
                document.add_unsigned("id", values[0])
                document.add_text("body", values[1])
                writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()

    def run(self, call, values):
        query = self.index.parse_query(values[0], ["body"])
        hits = self.searcher.search(query, FOUND).hits
        return [(self.searcher.doc(address)["id"][0],) for _, address in hits]

    def close(self):
        pass
