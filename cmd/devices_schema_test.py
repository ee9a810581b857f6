#!/usr/bin/python3
"""The schema of `rdmabench devices --json` accepts the golden document, and refuses broken ones."""

import copy
import json
import pathlib
import unittest

import jsonschema

HERE = pathlib.Path("cmd")  # relative to the workspace, where Bazel starts tests
SCHEMA = json.loads((HERE / "devices_schema.json").read_text(encoding="utf-8"))
GOLDEN = json.loads((HERE / "testdata" / "devices.json").read_text(encoding="utf-8"))


def errors_in(document):
    return list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(document))


def objects():
    """Every schema of an object, by name."""
    definitions = {"document": SCHEMA} | SCHEMA["$defs"]
    return {name: schema for name, schema in definitions.items() if "properties" in schema}


def keys_in(value):
    if isinstance(value, dict):
        return set(value).union(*map(keys_in, value.values()))
    if isinstance(value, list):
        return set().union(*map(keys_in, value))
    return set()


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

    def test_shows_every_key_of_the_schema(self):
        """A key that nothing writes is a promise that nothing keeps."""
        known = set().union(*(schema["properties"] for schema in objects().values()))
        self.assertEqual(known - keys_in(GOLDEN), set())

    def test_has_the_order_of_the_schema(self):
        for device in GOLDEN["devices"]:
            order = SCHEMA["$defs"]["device"]["properties"]
            self.assertEqual(list(device), [key for key in order if key in device])


class BrokenTest(unittest.TestCase):
    def refuses(self, change):
        document = copy.deepcopy(GOLDEN)
        change(document, document["devices"][0], document["devices"][0]["ports"][0])
        self.assertNotEqual(errors_in(document), [])

    def test_refuses_what_is_missing(self):
        self.refuses(lambda document, device, port: document.pop("devices"))
        self.refuses(lambda document, device, port: device.pop("limits"))
        self.refuses(lambda document, device, port: port.pop("state"))
        self.refuses(lambda document, device, port: device["limits"].pop("completion_queue_entries"))
        self.refuses(lambda document, device, port: document["skipped"][0].pop("reason"))

    def test_refuses_what_is_empty_for_not_known(self):
        self.refuses(lambda document, device, port: device.update(firmware=""))
        self.refuses(lambda document, device, port: device.update(numa_node=None))
        self.refuses(lambda document, device, port: port.update(link_gbps=0))

    def test_refuses_what_contradicts_itself(self):
        self.refuses(lambda document, device, port: port.pop("link_gbps"))
        self.refuses(lambda document, device, port: device["memory_kinds"][0].update(available=False))
        self.refuses(lambda document, device, port: device["memory_kinds"][0].update(reason="none"))

    def test_refuses_what_is_not_in_it(self):
        self.refuses(lambda document, device, port: device.update(speed="100 Gb/s"))
        self.refuses(lambda document, device, port: device["pcie"]["now"].update(width=16))
        self.refuses(lambda document, device, port: device.update(pcie_address="3b:00.0"))


if __name__ == "__main__":
    unittest.main()
