#!/usr/bin/python3
"""The schema of `rdmabench doctor --json` accepts the golden documents, and refuses broken ones."""

import copy
import pathlib
import sys
import unittest

sys.path.insert(0, "report")  # of the workspace, where Bazel starts tests
from schema_checks import SchemaChecks, errors_in, load, removed, replaced  # noqa: E402

SCHEMA = load("report/doctor_schema.json")
GOLDEN = {path.stem: load(path) for path in pathlib.Path("report/testdata/doctor").glob("*.json")}

# What is done to the document of two hosts; each must make it invalid.
BREAKS = {
    "no findings": removed("findings"),
    "no verdict": removed("severe"),
    "another schema_version": replaced(2, "schema_version"),
    "no host": replaced([], "hosts"),
    "unknown role": replaced("peer", "hosts", 0, "role"),
    "unknown fact": replaced("x", "hosts", 0, "facts", "user"),
    "number as text": replaced("4096", "hosts", 0, "facts", "active_mtu_bytes"),
    "unknown severity": replaced("fatal", "findings", 0, "severity"),
    "unknown side": replaced("peer", "findings", 0, "side"),
    "finding without evidence": removed("findings", 0, "evidence"),
    "empty remedy": replaced("", "findings", 0, "remedy"),
    "extra key in a finding": replaced(1, "findings", 0, "count"),
    "error without a message": replaced({"host": "client"}, "error"),
}


class SchemaTest(SchemaChecks, unittest.TestCase):
    schema = SCHEMA
    documents = GOLDEN

    def test_has_golden_documents(self):
        self.assertEqual(set(GOLDEN), {"clean", "two", "no_server"})

    def test_refuses_broken_ones(self):
        for name, change in BREAKS.items():
            with self.subTest(name):
                document = copy.deepcopy(GOLDEN["two"])
                change(document)
                self.assertNotEqual(errors_in(document, SCHEMA), [])


if __name__ == "__main__":
    unittest.main()
