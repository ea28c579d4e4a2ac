"""Clients that generators make of openapi.yaml: complete, compiled, and used on a real service."""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import uuid

import clients
import later_release

os.environ.setdefault("POSTILION_PROGRAM", str(clients.ROOT / ".build/debug/postilion"))
sys.path.insert(0, str(clients.ROOT / "Tests/Faults"))

# The folder is on the path only since the line above.
from service import ROOT_KEY, Service  # noqa: E402

FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="postilion-generators-"))


def setUpModule():
    """Starts the service. Its database runs as an account of its own, and must get through."""
    FOLDER.chmod(0o755)
    clients.service = Service(None, FOLDER).start()


def tearDownModule():
    """Ends the service."""
    clients.service.terminate()
    subprocess.run(["rm", "-rf", str(FOLDER)], check=True)


class Contract:
    """What holds for every client."""

    # How it is made.
    kind = None

    @classmethod
    def setUpClass(cls):
        cls.client = cls.kind(FOLDER)
        cls.client.make()
        cls.client.compile()

    def test_every_operation_is_generated(self):
        wanted = {self.client.name(operation) for operation in clients.operations()}
        self.assertGreater(len(wanted), 60)
        self.assertEqual(wanted - self.client.names(), set())
        self.assertNotIn("Endpoint will not be generated", self.client.output)
        print(f"\n  {self.kind.__doc__} {len(wanted)} of {len(wanted)} operations")

    def day(self, port, **words):
        """App, key, catalog, device, rendering, list, feedback and changes."""
        name = f"app-{uuid.uuid4().hex[:12]}"
        device, token = str(uuid.uuid4()), uuid.uuid4().hex * 2
        seen = json.loads(self.client.round_trip(
            POSTILION=f"http://127.0.0.1:{port}", ROOT_KEY=ROOT_KEY, APP=name,
            INSTALLATION=device, TOKEN=token,
            CATALOG=str(clients.PROGRAMS / "Localizable.xcstrings")))
        self.assertEqual(seen, {
            "app": name, "languages": ["en", "fr"], "applied": True,
            "path": f"/3/device/{token}",
            "payload": {"aps": {
                "alert": {"body": "Zoé, votre commande A17 est prête.", "loc-key": "FOOD_READY",
                          "loc-args": ["Zoé", "A17"]},
                "mutable-content": 1}},
            "listed": [device], "token": token} | words)

    def test_a_backend_gets_through_its_day(self):
        self.day(clients.service.port, kind="sender", mode="client", decisions=["invalidated"],
                 events=["registered", "invalidated"])

    def test_a_word_of_a_later_release_is_read(self):
        service, word = later_release.LaterRelease(clients.service.port), later_release.NEW_WORD
        try:
            self.day(service.port, kind=word, mode=word, decisions=[word], events=[word, word])
        finally:
            service.close()


def said(value):
    """A body without the nulls of members that it does not have, and with one spelling of times."""
    if isinstance(value, dict):
        return {name: said(part) for name, part in value.items() if part is not None}
    if isinstance(value, list):
        return [said(part) for part in value]
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|\+00:00)", value):
        return datetime.datetime.fromisoformat(value.replace("Z", "+00:00")).isoformat()
    return value


class Examples:
    """The document's own examples of bodies pass through the classes of a client."""

    # The module with the classes.
    models = None

    def test_every_example_passes_through(self):
        document = clients.contract()
        schemas = document["components"]["schemas"]
        pairs = []
        for path in document["paths"].values():
            for operation in path.values():
                body = operation.get("requestBody", {}) if isinstance(operation, dict) else {}
                content = body.get("content", {}).get("application/json", {})
                given = [content["example"]] if "example" in content else [
                    one["value"] for one in content.get("examples", {}).values()]
                for example in given:
                    name = content["schema"]["$ref"].rsplit("/", 1)[-1]
                    pairs += [(kind, example) for kind in self.kinds(name, example, schemas)]
        written = json.loads(subprocess.run(
            [sys.executable, str(clients.PROGRAMS / "examples.py"), self.models],
            input=json.dumps(pairs, default=str), text=True, capture_output=True, check=True,
            env=os.environ | {"PYTHONPATH": str(self.client.folder)}).stdout)
        self.assertGreater(len(pairs), 20)
        for (kind, example), back in zip(pairs, written, strict=True):
            example = json.loads(json.dumps(example, default=str))
            self.assertEqual(said(back), said(example), kind)

    def kinds(self, name, example, schemas):
        """The class that reads an example; none if the body is a plain list or object."""
        schema = schemas[name]
        return [name] if "properties" in schema or "oneOf" in schema else []


class OpenAPIPythonClientTests(Contract, Examples, unittest.TestCase):
    kind = clients.OpenAPIPythonClient
    models = "postilion_client.models"

    def kinds(self, name, example, schemas):
        """It has no class for a union: its user chooses the part."""
        for part in schemas[name].get("oneOf", []):
            kind = part["$ref"].rsplit("/", 1)[-1]
            if set(schemas[kind]["required"]) <= set(example):
                return [kind]
        return super().kinds(name, example, schemas)


class PythonTests(Contract, Examples, unittest.TestCase):
    kind = clients.Python
    models = "postilion.models"


class TypeScriptTests(Contract, unittest.TestCase):
    kind = clients.TypeScript


class GoTests(Contract, unittest.TestCase):
    kind = clients.Go

    def test_every_pattern_is_one_of_go(self):
        """Go repeats nothing more than a thousand times, and its clients compare with patterns."""
        patterns = set()

        def collect(value):
            if isinstance(value, dict):
                if isinstance(value.get("pattern"), str):
                    patterns.add(value["pattern"])
                value = list(value.values())
            for part in value if isinstance(value, list) else []:
                collect(part)

        collect(clients.contract())
        self.assertGreater(len(patterns), 10)
        done = subprocess.run(
            [self.client.build("patterns")], input="\n".join(patterns), text=True,
            capture_output=True, check=True)
        self.assertEqual(done.stdout, "")


class DescriptionTests(unittest.TestCase):
    """A generated client shows what the contract says of a member."""

    def test_every_member_is_described(self):
        document, lacking = clients.contract(), []

        def described(value):
            while "description" not in value and "$ref" in value:
                name = value["$ref"].rsplit("/", 1)[-1]
                value = document["components"]["schemas"][name]
            return "description" in value

        def check(value, place):
            if isinstance(value, list):
                for part in value:
                    check(part, place)
            if not isinstance(value, dict):
                return
            for name, member in value.get("properties", {}).items():
                if not described(member):
                    lacking.append(f"{place}.{name}")
                check(member, f"{place}.{name}")
            for key, part in value.items():
                if key not in ("properties", "example", "examples"):
                    check(part, place)

        for name, schema in document["components"]["schemas"].items():
            check(schema, name)
        self.assertEqual(lacking, [])


if __name__ == "__main__":
    unittest.main()
