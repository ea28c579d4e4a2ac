"""Senders of others, which are tested where they are installed.

`SENDERS` names a folder with what is there of these:

- `apns2`: `programs/apns2.go`, built with github.com/sideshow/apns2
- `node_modules`: with @parse/node-apn
- `gorush`: the program of that name
"""

import os
import pathlib
import unittest

from test_senders import Contract

FOLDER = pathlib.Path(os.environ.get("SENDERS") or "none")

# What Go's JSON writes otherwise, though it need not.
ESCAPES = {"&": "\\u0026", "<": "\\u003c", ">": "\\u003e", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def installed(path):
    """Skips a class of tests unless a file of the folder is there."""
    return unittest.skipUnless((FOLDER / path).exists(), f"SENDERS has no {path}")


@installed("apns2")
class Apns2Tests(Contract, unittest.TestCase):
    """apns2 escapes more than it must, and leaves out an expiration of 0."""

    sender, app_name = str(FOLDER.resolve() / "apns2"), "apns2"

    def expected_payload(self, payload):
        return "".join(ESCAPES.get(character, character) for character in payload).encode()

    def expected_fields(self, fields):
        return {name: value for name, value in fields.items()
                if (name, value) != ("apns-expiration", "0")}


@installed("node_modules/@parse/node-apn")
class NodeApnTests(Contract, unittest.TestCase):
    sender = f"NODE_PATH='{FOLDER.resolve() / 'node_modules'}' node node-apn.cjs"
    app_name = "node-apn"


if __name__ == "__main__":
    unittest.main()
