"""Reads examples of the contract with a generated client, and writes them again.

Arguments: the module of the client's models. Standard input: a list of `[class, example]`. Standard
output: what became of each; a text says what went wrong.
"""

import datetime
import importlib
import json
import sys
import uuid

models = importlib.import_module(sys.argv[1])


def plain(value):
    """What JSON has no type for, as the client sends it."""
    if isinstance(value, (datetime.date, uuid.UUID)):
        return value.isoformat() if isinstance(value, datetime.date) else str(value)
    raise TypeError(f"{value!r} is no JSON")


written = []
for name, example in json.load(sys.stdin):
    try:
        written.append(getattr(models, name).from_dict(example).to_dict())
    except Exception as error:  # Whatever a client throws is what its user sees.
        written.append(f"{type(error).__name__}: {error}"[:500])
json.dump(written, sys.stdout, default=plain)
