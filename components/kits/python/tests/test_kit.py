"""The kit natively: what decorators register, and how arguments are checked."""

import importlib
import unittest

import sqlite_extension as kit


class Registering(unittest.TestCase):
    def setUp(self):
        importlib.reload(kit)

    def test_parameters_give_the_number_of_arguments(self):
        kit.function()(lambda: 1)
        kit.function("two", deterministic=True)(lambda a, b: 1)
        kit.function()(lambda *values: 1)
        kit.function()(lambda a, b=1: 1)
        self.assertEqual([entry.arguments for entry in kit.registry.functions], [0, 2, -1, -1])
        self.assertTrue(kit.registry.functions[1].is_deterministic)
        with self.assertRaises(TypeError):
            kit.function()(lambda *, named: 1)

    def test_annotations_give_the_types(self):
        def shout(text: str, times: int | None, factor: float = 1.0, other=None):
            return text.upper() * (times or 1)

        called = kit.checked(shout)
        self.assertEqual(called("ah", 2), "AHAH")
        self.assertEqual(called("ah", None, 1), "AH")
        for wrong in [(None, 1), (b"ah", 1), ("ah", 1.5), ("ah", 1, "x")]:
            with self.assertRaises(TypeError):
                called(*wrong)

    def test_annotations_give_the_classes_that_the_part_in_c_allows(self):
        @kit.function()
        def mixed(text: str, times: int | None, factor: float, blob: bytes, other, nothing: None, *rest):
            pass

        (entry,) = kit.registry.functions
        null, integer, real, text, blob = (1 << place for place in range(5))
        self.assertEqual(
            list(entry.allowed),
            [text, integer | null, real | integer, blob, kit.ALL, null, kit.ALL],
        )
        self.assertIs(entry.implementation, mixed)
        with self.assertRaises(TypeError):
            entry.checked(b"")

    def test_tokens_have_offsets_in_bytes(self):
        @kit.tokenizer()
        def words(text):
            return [("größe", 1, 6), ("x", 3, 7, True), ("\udcff", 7, 8)]

        @kit.tokenizer("about", check=lambda words: words.index("known"))
        def other(text, about):
            yield " ".join((about.purpose, about.locale or "none", *about.words)), 0, len(text)

        first, second = (entry.implementation for entry in kit.registry.functions)
        token = kit.tokenizers.HEAD.pack
        self.assertEqual(
            first(" Größe.\udcff", 4, None),
            token(1, 8, 7) + "größe".encode() + token(3, 9, 1 | 1 << 31) + b"x" + token(9, 10, 1) + b"\xff",
        )
        self.assertEqual(second(b"\xffa", 3, "de", "known")[12:], b"prefix de known")
        self.assertEqual(second("", 4, None)[12:], b"document none")
        self.assertIsNone(second(None, 0, None, "known"))
        with self.assertRaises(ValueError):
            second(None, 0, None)

    def test_what_is_not_a_token_is_refused(self):
        for wrong in [("a", 0, 3), ("a", -1, 1), ("a", 1, 0)]:
            with self.assertRaises(ValueError):
                kit.tokenizers.packed("ab", [wrong])
        for wrong in [("a", 0), ("a", 0, 1, 1), (b"a", 0, 1), ("a", 0.0, 1), "abc", None]:
            with self.assertRaises(TypeError):
                kit.tokenizers.packed("ab", [wrong])
        with self.assertRaises(ValueError):
            kit.tokenizers.packed("ab", [("a", 1, 1), ("a", 0, 1)])
        self.assertEqual(kit.tokenizers.packed("ab", []), b"")

    def test_aggregates_and_tables(self):
        @kit.aggregate()
        class Total:
            def step(self, value: int):
                pass

            def inverse(self, value):
                pass

        @kit.table(columns=["n"])
        def squares(stop, start=1):
            yield from range(start, stop)

        (entry,) = kit.registry.functions
        self.assertEqual((entry.name, entry.kind, entry.arguments), ("total", "window", 1))
        self.assertEqual(kit.registry.tables[0].parameters, ("stop", "start"))

    def test_what_is_unknown_is_refused(self):
        with self.assertRaises(ValueError):
            kit.extension("mine", needs=["files"])
        with self.assertRaises(ValueError):
            kit.function(risk="none")(lambda: 1)


if __name__ == "__main__":
    unittest.main()
