#!/usr/bin/python3
"""The schema of `rdmabench status HOST --json` accepts the golden document, and refuses broken ones."""

import copy
import json
import pathlib
import unittest

import jsonschema

HERE = pathlib.Path("cmd")  # relative to the workspace, where Bazel starts tests
SCHEMA = json.loads((HERE / "status_schema.json").read_text(encoding="utf-8"))
GOLDEN = json.loads((HERE / "testdata" / "status.json").read_text(encoding="utf-8"))


def errors_in(document):
    return list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(document))


def objects():
    """Every schema of an object, by name."""
    definitions = {"document": SCHEMA, "tool": SCHEMA["properties"]["tool"]} | SCHEMA["$defs"]
    return {name: schema for name, schema in definitions.items() if "properties" in schema}


class SchemaTest(unittest.TestCase):
    def test_is_a_valid_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_is_strict_and_describes_every_key(self):
        for name, schema in objects().items():
            with self.subTest(object=name):
                self.assertIs(schema["additionalProperties"], False)
                self.assertLessEqual(set(schema["required"]), set(schema["properties"]))
                for key, value in schema["properties"].items():
                    self.assertTrue(value.get("description"), key)


class GoldenTest(unittest.TestCase):
    def test_is_valid(self):
        self.assertEqual(errors_in(GOLDEN), [])

    def test_has_every_key_in_the_order_of_the_schema(self):
        """A key that nothing writes is a promise that nothing keeps."""
        self.assertEqual(list(GOLDEN), list(SCHEMA["properties"]))
        for name, object_ in [("session", GOLDEN["sessions"][0]), ("queued", GOLDEN["queue"][0]),
                              ("totals", GOLDEN["totals"]), ("limits", GOLDEN["limits"])]:
            with self.subTest(object=name):
                self.assertEqual(list(object_), list(SCHEMA["$defs"][name]["properties"]))


class BrokenTest(unittest.TestCase):
    def refuses(self, change):
        document = copy.deepcopy(GOLDEN)
        change(document)
        self.assertNotEqual(errors_in(document), [])

    def test_refuses_what_is_missing(self):
        for key in SCHEMA["required"]:
            self.refuses(lambda document, key=key: document.pop(key))
        self.refuses(lambda document: document["sessions"][0].pop("peer"))
        self.refuses(lambda document: document["totals"].pop("sessions_done"))

    def test_refuses_what_is_not_in_it(self):
        self.refuses(lambda document: document.update(secret="x"))
        self.refuses(lambda document: document["sessions"][0].update(request="status"))
        self.refuses(lambda document: document["sessions"][0].update(session=0))
        self.refuses(lambda document: document["queue"][0].update(plan="x"))


if __name__ == "__main__":
    unittest.main()
