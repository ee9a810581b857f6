#!/usr/bin/python3
"""The checks that all schemas share find what is wrong with one, wherever it stands."""

import copy
import re
import sys
import unittest

sys.path.insert(0, "report")  # of the workspace, where Bazel starts tests
from schema_checks import SchemaChecks, keys_in, objects, removed, renamed, replaced  # noqa: E402


def described(schema, *required):
    return {"type": "object", "additionalProperties": False, "required": list(required), "properties": schema}


SOUND = described({"tool": {"description": "x"} | described({"name": {"description": "x", "type": "string"}}, "name"),
                   "list": {"description": "x", "type": "array", "items": {"$ref": "#/$defs/item"}}}, "tool")
SOUND["$defs"] = {"item": described({"count": {"description": "x", "type": "integer"}}), "text": {"type": "string"}}
DOCUMENT = {"tool": {"name": "a"}, "list": [{"count": 1}]}


def failing(schema, document):
    """Names of the checks that fail."""
    case = type("Case", (SchemaChecks, unittest.TestCase), {"schema": schema, "documents": {"one": document}})
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    return {re.search(r"\btest_\w+", test.id())[0] for test, _ in result.failures + result.errors}


class ChecksTest(unittest.TestCase):
    def expect(self, check, *changes):
        for change in changes:
            schema = copy.deepcopy(SOUND)
            change(schema)
            with self.subTest(schema=schema):
                self.assertIn(check, failing(schema, DOCUMENT))

    def test_pass_what_is_sound(self):
        self.assertEqual(failing(SOUND, DOCUMENT), set())

    def test_find_what_is_no_schema(self):
        self.expect("test_is_a_valid_schema", replaced("thing", "type"))

    def test_find_what_is_lax_or_not_described(self):
        tool = ("properties", "tool")
        item = ("$defs", "item")
        self.expect("test_is_strict_and_describes_every_key",
                    removed("additionalProperties"), replaced(True, *item, "additionalProperties"), removed(*tool, "additionalProperties"),
                    replaced(["nothing"], *item, "required"), removed(*tool, "properties", "name", "description"),
                    replaced("", *item, "properties", "count", "description"))

    def test_find_a_document_that_is_not_of_it(self):
        self.expect("test_accepts_the_golden_documents", renamed("number", "$defs", "item", "properties", "count"))


class HelpersTest(unittest.TestCase):
    def test_objects_are_found_wherever_they_stand(self):
        self.assertEqual(set(objects(SOUND)), {"document", "document.tool", "item"})

    def test_keys_are_of_any_depth(self):
        self.assertEqual(keys_in(DOCUMENT), {"tool", "name", "list", "count"})


if __name__ == "__main__":
    unittest.main()
