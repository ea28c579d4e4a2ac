"""What Schemathesis does besides: names that exist, streams, and our own checks.

The two checks are stricter than its own: a schema cannot say that a stream has one value on each
line, nor which refusals go beyond schemas.
"""

import json
import os
import pathlib
import sys

import jsonschema_rs
import schemathesis
import yaml

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import fixtures  # pylint: disable=wrong-import-position

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTRACT = yaml.safe_load((ROOT / "openapi.yaml").read_text(encoding="utf-8"))
NDJSON = "application/x-ndjson"


def known_refusals():
    """The operations that may refuse what fits its schema, by the code of the refusal.

    A code that is known only for one field has the field's name behind an `@`.
    """
    known, groups = {}, {}
    text = (pathlib.Path(__file__).parent / "refusals.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        name, *words = line.split()
        if words[0] == "=":
            groups[name] = words[1:]
        else:
            for word in words:
                known.setdefault(name, set()).update(groups.get(word, [word]))
    return known


KNOWN_REFUSALS = known_refusals()
# The fields that rules are about.
PLACES = {rule.partition("@")[2] for rule in KNOWN_REFUSALS} - {""}

# What was seen, for the summary of fuzz.py.
COUNTS = {"streams": 0, "lines": 0, "refusals": {}}


def write_counts():
    """Keeps what was seen for the program that started Schemathesis."""
    if path := os.environ.get("API_FUZZ_COUNTS"):
        pathlib.Path(path).write_text(json.dumps(COUNTS), encoding="utf-8")


# What any request can be answered with: openapi.yaml says so once, in its description.
GENERAL = {"400": "Malformed", "414": "Malformed", "431": "Malformed"}


def read_json_parameters(value):
    """Says in the words of OpenAPI which parameters are JSON: `contentSchema` is not generated."""
    if isinstance(value, dict):
        schema = value.get("schema")
        if "in" in value and isinstance(schema, dict) and "contentSchema" in schema:
            del value["schema"]
            value["content"] = {schema["contentMediaType"]: {
                "schema": schema["contentSchema"], "example": json.loads(schema["examples"][0])}}
        value = value.values()
    if not isinstance(value, str) and hasattr(value, "__iter__"):
        for part in value:
            read_json_parameters(part)


def close_words(value):
    """Says that a word is one of those that this release knows: a later one may have others."""
    if isinstance(value, dict):
        if words := value.pop("x-extensible-enum", None):
            value["enum"] = words + [None] * ("null" in value.get("type", ""))
        value = value.values()
    if not isinstance(value, str) and hasattr(value, "__iter__"):
        for part in value:
            close_words(part)


close_words(CONTRACT)


@schemathesis.hook
def before_load_schema(_, raw_schema):
    """Adds to each operation what any request can be answered with, and tells what is JSON."""
    read_json_parameters(raw_schema)
    close_words(raw_schema)
    for path in raw_schema["paths"].values():
        for operation in path.values():
            if isinstance(operation, dict) and "responses" in operation:
                for status, name in GENERAL.items():
                    operation["responses"].setdefault(
                        status, {"$ref": f"#/components/responses/{name}"})


@schemathesis.serializer(NDJSON)
def write_lines(_, value):
    """A body of lines: one record, or several."""
    records = value if isinstance(value, list) else [value]
    return "\n".join(json.dumps(record) for record in records).encode()


# MARK: Requests

CALLS = {"number": 0}
LOCATION = schemathesis.core.parameters.ParameterLocation


def is_generated_well(case, location):
    """Whether a part of a request was meant to fit its schema."""
    info = case.meta.components.get(location) if case.meta else None
    return info is None or info.mode.is_positive


def is_scenario(case):
    """Whether a call is one of several that follow from each other."""
    return bool(case.meta) and case.meta.phase.name.value == "stateful"


def keep_root_key(case):
    """Keeps the key of all calls from being revoked."""
    if case.operation.definition.raw.get("operationId") == "revokeRootKey":
        if str(case.path_parameters.get("key_id", "")).lower() == os.environ["API_FUZZ_KEY_ID"]:
            case.path_parameters["key_id"] = "00000000-0000-4000-8000-000000000000"


def end_followed_stream(case):
    """Has a stream of changes end, which goes on for ever otherwise."""
    if case.operation.definition.raw.get("operationId") != "listChanges":
        return
    query = case.query or {}
    if str(query.get("follow", True)).lower() == "true":
        case.query = {**query, "follow": "false"}


def is_generated(case):
    """Whether a call is a free one that fits the contract: none that leaves something out."""
    return case.meta.phase.name.value == "fuzzing" and case.meta.generation.mode.is_positive


@schemathesis.hook
def before_call(_, case, kwargs):  # pylint: disable=unused-argument
    """Names what exists in three of four calls, and asks for a stream in every third."""
    CALLS["number"] += 1
    number = CALLS["number"]
    keep_root_key(case)
    end_followed_stream(case)
    if is_scenario(case):
        # A scenario takes it that what was deleted is gone.
        if case.method == "DELETE":
            (case.query or {}).pop("dry_run", None)
        return
    if number % 4 and case.path_parameters and is_generated_well(case, LOCATION.PATH):
        for name in case.path_parameters:
            if name in fixtures.NAMES:
                case.path_parameters[name] = fixtures.NAMES[name]
    content = response_content(case.operation.definition.raw, "200")
    if NDJSON in content and number % 3 == 0 and is_generated(case):
        case.headers["Accept"] = NDJSON
        for name in ("limit", "cursor"):
            (case.query or {}).pop(name, None)


@schemathesis.hook
def after_call(_, case, response):
    """Makes anew what a call deleted."""
    operation = case.operation.definition.raw.get("operationId")
    is_changed = case.method == "DELETE" or operation in ("putApp", "purgeInstallations")
    if is_changed and response.status_code < 300 and not is_scenario(case):
        fixtures.restore()


@schemathesis.hook.apply_to(operation_id=["putCatalog", "patchCatalog", "importInstallations"])
def filter_body(_, body):
    """Leaves out what cannot be sent: names of parts that no header field can hold, and a list in
    place of lines that has none, as it would be the empty body, which is allowed."""
    return body != [] and (not isinstance(body, dict) or all(
        name.isascii() and name.isprintable() and '"' not in name for name in body))


# MARK: Checks

# Apps' reports are never refused over secondary data: what does not fit is listed as ignored.
TOLERANT = {"putInstallation", "patchInstallation", "reportFailure", "importInstallations"}
# Each line or result is refused by itself.
LINE_BY_LINE = {"importInstallations", "reportFeedback"}


def has_recipients(body):
    """Whether the body of a rendering has recipients: in its object, or one in each line."""
    return isinstance(body, list) or isinstance(body, dict) and "recipients" in body


@schemathesis.hook
def filter_failure(_, failure, case, response):
    """Lets pass what is no fault: the contract says what else it can mean.

    Of a 200: data of apps' reports beyond its bounds is ignored, and a fault of one recipient, one
    line or one answer of APNs is its own. Of a 404: a delivery that the body names may be the one that is
    missing. Of a 414: a line that is too long is refused before the rest of a request is read.
    """
    if response.status_code == 414 and failure.code in ("ST203", "ST204"):
        return False
    if failure.code == "ST302":
        return response.json().get("code") != "delivery_not_found"
    if failure.code != "ST201" or response.status_code >= 300:
        return True
    operation = case.operation.definition.raw.get("operationId")
    if operation == "render":
        return not (has_recipients(case.body) and '"error":{' in response.text)
    if operation in LINE_BY_LINE and response.json().get("rejected"):
        return False
    return operation not in TOLERANT or not response.json().get("ignored")


def resolved(value):
    """A part of the contract, behind its reference."""
    while "$ref" in value:
        target = CONTRACT
        for name in value["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        value = target
    return value


def response_content(operation, status):
    """The media types of an answer with their schemas."""
    response = operation.get("responses", {}).get(status)
    return resolved(response).get("content", {}) if response else {}


VALIDATORS = {}


def line_validator(operation):
    """What checks a line of the stream of an operation."""
    name = operation["operationId"]
    if name not in VALIDATORS:
        schema = response_content(operation, "200")[NDJSON]["schema"]
        VALIDATORS[name] = jsonschema_rs.Draft202012Validator(
            {**schema, "components": CONTRACT["components"]}, validate_formats=True)
    return VALIDATORS[name]


@schemathesis.check
def stream_fits_line_by_line(_, response, case):
    """Each line of a stream is JSON that fits the schema of a line."""
    kind = (response.headers.get("content-type") or [""])[0]
    if response.status_code != 200 or not kind.startswith(NDJSON):
        return
    COUNTS["streams"] += 1
    validator = line_validator(CONTRACT["paths"][case.operation.path][case.method.lower()])
    text = response.content.decode()
    assert not text or text.endswith("\n"), "the last line of the stream has no end"
    for number, line in enumerate(text.split("\n")[:-1], 1):
        COUNTS["lines"] += 1
        try:
            error = next(validator.iter_errors(json.loads(line)), None)
        except ValueError as fault:
            raise AssertionError(f"line {number} is no JSON: {fault}: {line[:300]}") from fault
        assert error is None, f"line {number} does not fit: {error.message}: {line[:300]}"
    write_counts()


def text_of(case):
    """All that a request says."""
    parts = [case.path_parameters, case.query, case.body]
    return json.dumps(parts, ensure_ascii=False, default=str)


@schemathesis.check
def refusals_are_known(_, response, case):
    """A request that fits its schemas is refused only by rules that schemas cannot say."""
    if response.status_code != 422 or not case.meta.generation.mode.is_positive:
        return
    operation = case.operation.definition.raw.get("operationId")
    problem = response.json()
    errors = problem.get("errors") or [{"code": problem["code"], "pointer": ""}]
    for error in errors:
        code, place = error["code"], error["pointer"].rsplit("/", 1)[-1]
        if code == "too_long" and not text_of(case).isascii():
            continue  # Lengths are in bytes, and schemas count characters.
        rule = f"{operation}:{code}@{place}" if place in PLACES else f"{operation}:{code}"
        COUNTS["refusals"][rule] = COUNTS["refusals"].get(rule, 0) + 1
        write_counts()
        known = KNOWN_REFUSALS.get(code, set()) | KNOWN_REFUSALS.get(f"{code}@{place}", set())
        assert {operation, "*"} & known, f"{rule} at {error['pointer']}: {error.get('detail')}"
