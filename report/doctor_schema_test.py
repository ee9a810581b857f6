#!/usr/bin/python3
"""The schema of `rdmabench doctor --json` accepts the golden documents, and refuses broken ones."""

import copy
import json
import pathlib
import unittest

import jsonschema

HERE = pathlib.Path("report")  # relative to the workspace, where Bazel starts tests
SCHEMA = json.loads((HERE / "doctor_schema.json").read_text(encoding="utf-8"))
GOLDEN = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (HERE / "testdata/doctor").glob("*.json")}


def errors_in(document):
    return list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(document))


def replaced(value, *path):
    def change(document):
        holder = document
        for step in path[:-1]:
            holder = holder[step]
        if value is None:
            del holder[path[-1]]
        else:
            holder[path[-1]] = value

    return change


# What is done to the document of two hosts; each must make it invalid.
BREAKS = {
    "no findings": replaced(None, "findings"),
    "no verdict": replaced(None, "severe"),
    "another schema_version": replaced(2, "schema_version"),
    "no host": replaced([], "hosts"),
    "unknown role": replaced("peer", "hosts", 0, "role"),
    "unknown fact": replaced("x", "hosts", 0, "facts", "user"),
    "number as text": replaced("4096", "hosts", 0, "facts", "active_mtu_bytes"),
    "unknown severity": replaced("fatal", "findings", 0, "severity"),
    "unknown side": replaced("peer", "findings", 0, "side"),
    "finding without evidence": replaced(None, "findings", 0, "evidence"),
    "empty remedy": replaced("", "findings", 0, "remedy"),
    "extra key in a finding": replaced(1, "findings", 0, "count"),
    "error without a message": replaced({"host": "client"}, "error"),
}


class SchemaTest(unittest.TestCase):
    def test_is_a_valid_schema(self):
        jsonschema.Draft202012Validator.check_schema(SCHEMA)

    def test_is_strict_and_describes_every_key(self):
        for name, schema in ({"document": SCHEMA} | SCHEMA["$defs"]).items():
            if "properties" not in schema:
                continue
            with self.subTest(object=name):
                self.assertIs(schema["additionalProperties"], False)
                self.assertLessEqual(set(schema["required"]), set(schema["properties"]))
                for key, value in schema["properties"].items():
                    self.assertTrue(value.get("description"), key)

    def test_accepts_the_golden_documents(self):
        self.assertEqual(set(GOLDEN), {"clean", "two", "no_server"})
        for name, document in GOLDEN.items():
            with self.subTest(document=name):
                self.assertEqual(errors_in(document), [])

    def test_refuses_broken_ones(self):
        for name, change in BREAKS.items():
            with self.subTest(name):
                document = copy.deepcopy(GOLDEN["two"])
                change(document)
                self.assertNotEqual(errors_in(document), [])


if __name__ == "__main__":
    unittest.main()
