"""What the tests of all published schemas look at, and how they break documents."""

import json
import pathlib

import jsonschema


def load(path):
    """Paths are relative to the workspace, where Bazel starts tests."""
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def errors_in(document, schema):
    return list(jsonschema.Draft202012Validator(schema).iter_errors(document))


def objects(schema, name="document"):
    """Every schema of an object with fixed keys, by name or by where it stands."""
    if not isinstance(schema, dict):
        return {}
    found = {name: schema} if "properties" in schema else {}
    for key, part in schema.get("$defs", {}).items():
        found |= objects(part, key)
    for key, part in schema.get("properties", {}).items():
        found |= objects(part, f"{name}.{key}")
    return found | objects(schema.get("items"), f"{name}[]")


def keys_in(value):
    """All keys of a document, at any depth."""
    if isinstance(value, dict):
        return set(value).union(*map(keys_in, value.values()))
    if isinstance(value, list):
        return set().union(*map(keys_in, value))
    return set()


class SchemaChecks:
    """For a test case with a `schema` and the `documents` that are written by it."""

    def test_is_a_valid_schema(self):
        jsonschema.Draft202012Validator.check_schema(self.schema)

    def test_is_strict_and_describes_every_key(self):
        for name, schema in objects(self.schema).items():
            with self.subTest(object=name):
                self.assertIs(schema["additionalProperties"], False)
                self.assertLessEqual(set(schema["required"]), set(schema["properties"]))
                for key, value in schema["properties"].items():
                    self.assertTrue(value.get("description"), key)

    def test_accepts_the_golden_documents(self):
        for name, document in self.documents.items():
            with self.subTest(document=name):
                self.assertEqual(errors_in(document, self.schema), [])


def parent(document, path):
    for step in path[:-1]:
        document = document[step]
    return document


def removed(*path):
    def change(document):
        del parent(document, path)[path[-1]]

    return change


def replaced(value, *path):
    def change(document):
        parent(document, path)[path[-1]] = value

    return change


def renamed(new, *path):
    def change(document):
        holder = parent(document, path)
        holder[new] = holder.pop(path[-1])

    return change
