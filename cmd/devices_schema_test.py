#!/usr/bin/python3
"""The schema of `rdmabench devices --json` accepts the golden document, and refuses broken ones."""

import copy
import sys
import unittest

sys.path.insert(0, "report")  # of the workspace, where Bazel starts tests
from schema_checks import SchemaChecks, errors_in, keys_in, load, objects  # noqa: E402

SCHEMA = load("cmd/devices_schema.json")
GOLDEN = load("cmd/testdata/devices.json")


class SchemaTest(SchemaChecks, unittest.TestCase):
    schema = SCHEMA
    documents = {"devices": GOLDEN}


class GoldenTest(unittest.TestCase):
    def test_shows_every_key_of_the_schema(self):
        """A key that nothing writes is a promise that nothing keeps."""
        known = set().union(*(schema["properties"] for schema in objects(SCHEMA).values()))
        self.assertEqual(known - keys_in(GOLDEN), set())

    def test_has_the_order_of_the_schema(self):
        for device in GOLDEN["devices"]:
            order = SCHEMA["$defs"]["device"]["properties"]
            self.assertEqual(list(device), [key for key in order if key in device])


class BrokenTest(unittest.TestCase):
    def refuses(self, change):
        document = copy.deepcopy(GOLDEN)
        change(document, document["devices"][0], document["devices"][0]["ports"][0])
        self.assertNotEqual(errors_in(document, SCHEMA), [])

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
