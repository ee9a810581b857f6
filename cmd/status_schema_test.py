#!/usr/bin/python3
"""The schema of `rdmabench status HOST --json` accepts the golden document, and refuses broken ones."""

import copy
import sys
import unittest

sys.path.insert(0, "report")  # of the workspace, where Bazel starts tests
from schema_checks import SchemaChecks, errors_in, load  # noqa: E402

SCHEMA = load("cmd/status_schema.json")
GOLDEN = load("cmd/testdata/status.json")


class SchemaTest(SchemaChecks, unittest.TestCase):
    schema = SCHEMA
    documents = {"status": GOLDEN}


class GoldenTest(unittest.TestCase):
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
        self.assertNotEqual(errors_in(document, SCHEMA), [])

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
