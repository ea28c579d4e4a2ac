"""Faults that requests could have: each sample with one change, and the refusal that it gets."""

import copy
import dataclasses
import json

import samples
from samples import BUNDLE_ID, NOW, SAMPLES

SUFFIXES = {
    sample["headers"]["apns-push-type"]: sample["headers"]["apns-topic"].removeprefix(BUNDLE_ID)
    for sample in SAMPLES.values()}

# A value of every type of JSON.
VALUES = {
    "null": None, "boolean": True, "text": "1", "whole": 1, "number": 1.5, "array": ["x"],
    "object": {"x": "y"},
}
# Milliseconds, and seconds since 2001: both are common mistakes.
MILLISECONDS, SINCE_2001 = NOW * 1000, NOW - 978_307_200
MARKUP = "^[2 dishes](inflect: true)"


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A request with one fault."""

    # The sample, and what was done to it.
    sample: str
    fault: str
    request: dict
    # Reason and place.
    refusal: tuple


def all_mutants():
    """Every mutant of every sample."""
    for name, sample in SAMPLES.items():
        for fault, request, *refusal in [
                *_addresses(sample), *_topics(sample), *_fields(sample), *_priorities(sample),
                *_bytes(sample), *_payloads(sample)]:
            yield Mutant(name, fault, request, tuple(refusal))


# MARK: Path and header fields


def _addresses(sample):
    token = sample["token"]
    for path in ["", "/", "/3/device", "/3/device/", f"/2/device/{token}", f"/3/devices/{token}",
                 f"/3/device/{token.upper()}", f"/3/device/{token}0", f"/3/device/{token}/",
                 f"/3/device/{token}?x", f"/3/device/<{token}>", f"/3/device/{token[:-2]}zz",
                 f"/4/broadcasts/apps/{BUNDLE_ID}"]:
        yield f"path {path}", {**sample, "path": path}, "wrong_path", "path"
    other = "00" + token
    yield "another token", {**sample, "path": f"/3/device/{other}"}, "wrong_token", "path"
    yield "another path", {**sample, "token": other}, "wrong_token", "path"
    for word in [None, "development", "Production", ""]:
        yield (f"environment {word}", {**sample, "environment": word}, "unknown_environment",
               "environment")


def _with_field(sample, name, value):
    """The sample with a header field, or without it if there is no value."""
    headers = {key: text for key, text in sample["headers"].items() if key != name}
    return {**sample, "headers": headers if value is None else {**headers, name: value}}


def _topics(sample):
    kind = sample["headers"]["apns-push-type"]
    for name in ("apns-push-type", "apns-topic"):
        yield f"no {name}", _with_field(sample, name, None), "missing_header", name
    for word in ["", kind.upper(), kind.capitalize(), f"{kind} ", f"{kind}s", "mdm", "silent"]:
        yield (f"type {word}", _with_field(sample, "apns-push-type", word), "unknown_push_type",
               "apns-push-type")
    others = {suffix for suffix in SUFFIXES.values() if suffix != SUFFIXES[kind]}
    for topic in sorted({BUNDLE_ID + suffix for suffix in others} | {
            "", SUFFIXES[kind][1:], f"com.example.other{SUFFIXES[kind]}", f"{BUNDLE_ID}.",
            f"{BUNDLE_ID}{SUFFIXES[kind]}{SUFFIXES[kind]}.x", f" {BUNDLE_ID}{SUFFIXES[kind]}",
            BUNDLE_ID.upper() + SUFFIXES[kind]}):
        yield (f"topic {topic}", _with_field(sample, "apns-topic", topic), "wrong_topic",
               "apns-topic")
    # The type of another kind, with the topic of this one.
    for other, suffix in SUFFIXES.items():
        if suffix != SUFFIXES[kind]:
            yield (f"type {other}", _with_field(sample, "apns-push-type", other), "wrong_topic",
                   "apns-topic")


def _fields(sample):
    for name in ["apns-channel-id", "apns-request-id", "APNS-Priority", "apns-priorty"]:
        yield f"field {name}", _with_field(sample, name, "1"), "unknown_header", name
    for name, values in {
            "apns-id": ["7", "123E4567-E89B-12D3-A456-426655440000", "", "{" + "0" * 32 + "}"],
            "apns-collapse-id": ["", "x" * 65, "é" * 33],
            "apns-expiration": ["", "-1", "1.5", "tomorrow", "2026-11-27T12:00:00Z"]}.items():
        for value in values:
            yield f"{name} {value}", _with_field(sample, name, value), "wrong_form", name
    for name in ("apns-priority", "apns-expiration", "apns-topic"):
        yield f"{name} is a number", _with_field(sample, name, 10), "wrong_form", name
    is_tried_once = sample["headers"]["apns-push-type"] == "pushtotalk"
    reason = "expiration_not_zero" if is_tried_once else "expiration_too_late"
    for seconds in [NOW + 30 * 86_400 + 1, MILLISECONDS]:
        yield (f"expiration {seconds}", _with_field(sample, "apns-expiration", str(seconds)),
               reason, "apns-expiration")
    if is_tried_once:
        for value in [None, str(NOW), str(NOW + 10)]:
            yield (f"expiration {value}", _with_field(sample, "apns-expiration", value), reason,
                   "apns-expiration")


def _priorities(sample):
    kind = sample["headers"]["apns-push-type"]
    wrong = {"background": ["1", "10", None], "location": ["1"], "liveactivity": ["1"],
             "pushtotalk": ["1", "5"]}
    for value in ["", "0", "2", "7", "11", "-10", "10.0", " 10", "high", *wrong.get(kind, [])]:
        yield (f"priority {value}", _with_field(sample, "apns-priority", value), "wrong_priority",
               "apns-priority")


# MARK: Payload


def _with_text(sample, text):
    return {**sample, "payload": text, "payload_bytes": len(text.encode(errors="replace"))}


def _bytes(sample):
    text = sample["payload"]
    yield "no payload", _with_text(sample, ""), "payload_empty", "payload"
    for fault, bad in [
            ("cut", text[:-1]), ("with a second", text + "{}"), ("single quotes", "{'aps':{}}"),
            ("a comma at the end", text[:-1] + ",}"), ("not a number", text[:-1] + ',"x":NaN}'),
            ("infinite", text[:-1] + ',"x":-Infinity}'), ("a comment", text + "// x"),
            ("a mark of order", "\ufeff" + text),
            ("half a character", text[:-1] + ',"x":"\ud83d"}'),
            ("a member twice", text[:-1] + "," + text[1:]),
            ("a control", text[:-1] + ',"x":"\n"}')]:
        yield fault, _with_text(sample, bad), "payload_not_json", "payload"
    for bad in ["[]", f"[{text}]", "null", "7", json.dumps(text)]:
        yield f"a payload that is {bad[:9]}", _with_text(sample, bad), "wrong_type", ""
    for difference in (-1, 1, -sample["payload_bytes"]):
        yield (f"miscounted by {difference}",
               {**sample, "payload_bytes": sample["payload_bytes"] + difference},
               "payload_miscounted", "payload_bytes")
    limit = 5120 if sample["headers"]["apns-push-type"] == "voip" else 4096
    for more in (1, 2, 1000):
        yield (f"{limit + more} bytes", _with_text(sample, text + " " * (
            limit + more - len(text.encode()))), "payload_too_large", "payload")


def _payloads(sample):
    payload = json.loads(sample["payload"])
    for fault, edited, *refusal in _edits(sample["headers"]["apns-push-type"], payload):
        yield (fault, _with_text(sample, samples.written(edited)), *refusal)


def _edited(payload, pointer, value):
    """The payload with another value at a place, or without the place if the value is `...`."""
    made = copy.deepcopy(payload)
    *parents, name = pointer.split("/")[1:]
    place = made
    for parent in parents:
        place = place[int(parent)] if isinstance(place, list) else place[parent]
    if value is ...:
        del place[name]
    else:
        place[int(name) if isinstance(place, list) else name] = value
    return made


def _edits(kind, payload):
    """Fault, payload, reason and place."""
    for pointer, value, reason, *place in [*_members(kind, payload), *_of_kind(kind, payload)]:
        word = "missing" if value is ... else json.dumps(value)[:40]
        yield f"{pointer} {word}", _edited(payload, pointer, value), reason, *(place or [pointer])


def _members(kind, payload):
    """What every kind has: members with a value of a wrong type, missing ones, unknown ones."""
    for pointer, value in _places(payload):
        types, is_needed = _form(kind, pointer, payload) or ((), False)
        if not types:
            continue
        for name, wrong in VALUES.items():
            if name not in types:
                yield pointer, wrong, "wrong_type"
        if is_needed:
            yield pointer, ..., "missing_member"
    if kind in ("liveactivity", "controls", "widgets", "nowplaying"):
        for name in ["data", "badge", "content-state", "Aps"]:
            yield f"/{name}", {}, "unknown_member"
    if "aps" in payload:
        for name in ["Alert", "content_state", "custom", "url-args", "contentAvailable"]:
            yield f"/aps/{name}", 1, "unknown_member"
        if kind not in ("alert", "voip", "liveactivity"):
            for name, value in {"alert": "Hi", "badge": 1, "sound": "default"}.items():
                yield f"/aps/{name}", value, "shows_something"


def _places(value, pointer=""):
    """Each member of a payload with its JSON pointer."""
    for name, member in value.items() if isinstance(value, dict) else enumerate(value):
        place = f"{pointer}/{name}"
        yield place, member
        if isinstance(member, (dict, list)) and not place.endswith(("-state", "/attributes")):
            yield from _places(member, place)
        elif place.endswith("/attributes") and "id" in member:
            yield f"{place}/id", member["id"]


def _form(kind, pointer, payload):
    """The types that a member may have, and whether it must be there."""
    if pointer.endswith("loc-args/0"):
        return ("text",), False
    event = payload.get("aps", {}).get("event")
    forms = {
        "/aps": (("object",), kind in (
            "alert", "background", "liveactivity", "controls", "widgets", "nowplaying")),
        "/container-identifier": (("text",), True), "/domain": (("text",), False),
        "/aps/event": (("text",), True), "/aps/timestamp": (("whole",), True),
        "/aps/content-state": (("object",), event != "end"),
        "/aps/attributes-type": (("text",), True), "/aps/attributes": (("object",), True),
        "/aps/attributes/id": (("text",), True) if kind == "nowplaying" else None,
        "/aps/alert": (("object", "text") if kind == "alert" else ("object",), event == "start"),
        "/aps/stale-date": (("whole",), False), "/aps/dismissal-date": (("whole",), False),
        "/aps/relevance-score": (("whole", "number"), False),
        "/aps/input-push-token": (("whole",), False),
        "/aps/input-push-channel": (("text",), False),
        "/aps/content-changed": (("boolean",), True),
        "/aps/content-available": (("whole",), True), "/aps/mutable-content": (("whole",), False),
        "/aps/badge": (("whole",), False), "/aps/thread-id": (("text",), False),
        "/aps/category": (("text",), False), "/aps/interruption-level": (("text",), False),
        "/aps/target-content-id": (("text",), False), "/aps/filter-criteria": (("text",), False),
        "/aps/sound": (("text", "object"), False), "/aps/sound/critical": (("whole",), True),
        "/aps/sound/name": (("text",), False), "/aps/sound/volume": (("whole", "number"), False),
        "/aps/alert/sound": (("text",), False),
        "/aps/alert/loc-key": (("text",), True), "/aps/alert/loc-args": (("array",), False),
        **{f"/aps/alert/{part}": (
            ("text", "object") if kind == "liveactivity" else ("text",), False)
           for part in ("title", "body")},
        **{f"/aps/alert/{part}/loc-key": (("text",), True) for part in ("title", "body")},
        **{f"/aps/alert/{part}/loc-args": (("array",), False) for part in ("title", "body")},
    }
    return forms.get(pointer)


def _of_kind(kind, payload):
    """What is a fault in one kind only."""
    aps = payload.get("aps", {})
    if kind == "liveactivity":
        yield from _activity_edits(aps)
    elif kind == "nowplaying":
        yield from _session_edits(aps)
    elif kind in ("widgets", "controls"):
        yield "/aps/content-changed", False, "wrong_value"
        for name, value in {"content-available": 1, "event": "update", "timestamp": NOW,
                            "content-state": {}, "mutable-content": 1}.items():
            yield f"/aps/{name}", value, "unknown_member"
    elif kind == "background":
        for value in (0, 2, -1):
            yield "/aps/content-available", value, "wrong_value"
        for name in ("category", "mutable-content", "interruption-level"):
            yield f"/aps/{name}", 1, "unknown_member"
    elif kind == "alert":
        yield from _alert_edits(aps)
    elif kind == "fileprovider":
        yield "/container-identifier", "", "wrong_value"
        yield "/aps", {"content-available": 1}, "unknown_member", "/aps/content-available"
    elif kind in ("location", "pushtotalk", "complication"):
        for name, value in {"content-available": 1, "content-changed": True, "timestamp": NOW,
                            "event": "start"}.items():
            yield f"/aps/{name}", value, "unknown_member"


def _moments(pointer):
    for value in (MILLISECONDS, SINCE_2001, 0, -NOW):
        yield pointer, value, "not_unix_seconds"


def _activity_edits(aps):
    event = aps["event"]
    for value in (MILLISECONDS, SINCE_2001, 0, NOW - 3600, NOW + 3600):
        yield "/aps/timestamp", value, "not_now"
    for value in ("begin", "", "Start", "stop", "remove"):
        yield "/aps/event", value, "unknown_event"
    yield from _moments("/aps/stale-date")
    for name in ("badge", "sound"):
        yield f"/aps/{name}", 1, "shows_something"
    for name in ("category", "content-available", "mutable-content", "content-changed",
                 "interruption-level", "thread-id", "channel"):
        yield f"/aps/{name}", 1, "unknown_member"
    yield from _activity_alert_edits(aps)
    elsewhere = {"attributes-type": "Ride", "attributes": {}, "input-push-token": 1,
                 "input-push-channel": "dHN0"}
    if event != "end":
        yield "/aps/dismissal-date", NOW + 60, "wrong_event"
    else:
        yield from _moments("/aps/dismissal-date")
        yield "/aps/dismissal-date", NOW + 5 * 3600, "dismissal_too_late"
    if event != "start":
        for name, value in elsewhere.items():
            yield f"/aps/{name}", value, "wrong_event"
        return
    yield "/aps/attributes-type", "", "wrong_value"
    for value in (0, 2, -1):
        yield "/aps/input-push-token", value, "wrong_value"
    for value in ("", "no base64!", "dHN0L"):
        yield "/aps/input-push-channel", value, "wrong_value"


def _activity_alert_edits(aps):
    for value in ({}, {"sound": "bell.caf"}):
        yield "/aps/alert", value, "shows_nothing"
    alert = {"title": "Your order", "body": {"loc-key": "RIDER", "loc-args": ["Ken"]}}
    for name, value in {
            "loc-key": "RIDER", "loc-args": ["Ken"], "title-loc-key": "ORDER", "subtitle": "Soon",
            "launch-image": "x.png", "action-loc-key": "OPEN"}.items():
        yield ("/aps/alert", {**alert, name: value}, "unknown_member", f"/aps/alert/{name}")
    for part in ("title", "body"):
        place = f"/aps/alert/{part}"
        for value, reason, *name in [
                (MARKUP, "agreement_markup"), ({}, "missing_member", "/loc-key"),
                ({"loc-args": ["x"]}, "missing_member", "/loc-key"),
                ({"loc-key": ""}, "wrong_value", "/loc-key"),
                ({"loc-key": 7}, "wrong_type", "/loc-key"),
                ({"loc-key": "A", "loc-args": "x"}, "wrong_type", "/loc-args"),
                ({"loc-key": "A", "loc-args": ["x", 7]}, "wrong_type", "/loc-args/1"),
                ({"loc-key": "A", "text": "x"}, "unknown_member", "/text"),
                ({"loc-key": "A", "title-loc-key": "B"}, "unknown_member", "/title-loc-key"),
                (7, "wrong_type"), (["A"], "wrong_type"), (None, "wrong_type")]:
            yield "/aps/alert", {**alert, part: value}, reason, place + "".join(name)
    for value in ({"critical": 1, "name": "bell.caf"}, 1, True):
        yield "/aps/alert", {**alert, "sound": value}, "wrong_type", "/aps/alert/sound"


def _session_edits(aps):
    for value in (MILLISECONDS, SINCE_2001, 0):
        yield "/aps/timestamp", value, "not_now"
    for value in ("begin", "", "Start", "stop"):
        yield "/aps/event", value, "unknown_event"
    yield "/aps/attributes/id", "", "wrong_value"
    yield "/aps/attributes", {"session": "S1"}, "missing_member", "/aps/attributes/id"
    for name in ("content-state", "attributes-type", "stale-date", "dismissal-date",
                 "relevance-score", "input-push-token", "content-changed", "session"):
        yield f"/aps/{name}", 1, "unknown_member"


def _alert_edits(aps):
    yield "/aps", {}, "shows_nothing"
    yield "/aps", {"category": "ORDER"}, "shows_nothing"
    yield "/aps", {"badge": 1, "mutable-content": 1}, "missing_member", "/aps/alert"
    yield "/aps", {"content-available": 1}, "shows_nothing"
    for name, value in {"badge": -1, "content-available": 2, "mutable-content": 0,
                        "relevance-score": 1.5, "interruption-level": "time-senstive",
                        "sound": {"critical": 0}}.items():
        place = "/critical" if name == "sound" else ""
        yield f"/aps/{name}", value, "wrong_value", f"/aps/{name}{place}"
    for volume in (-0.1, 1.1, 80):
        yield ("/aps/sound", {"critical": 1, "volume": volume}, "wrong_value",
               "/aps/sound/volume")
    yield "/aps/sound", {"critical": 1, "file": "x"}, "unknown_member", "/aps/sound/file"
    for name in ("timestamp", "event", "content-state", "stale-date", "attributes"):
        yield f"/aps/{name}", 1, "unknown_member"
    for value in ({}, {"launch-image": "x.png"}, {"action-loc-key": "OPEN"}):
        yield "/aps/alert", value, "shows_nothing"
    yield "/aps/alert", MARKUP, "agreement_markup"
    for part in ("title", "subtitle", "body"):
        yield "/aps/alert", {part: MARKUP}, "agreement_markup", f"/aps/alert/{part}"
        yield ("/aps/alert", {part: {"loc-key": "A"}}, "wrong_type", f"/aps/alert/{part}")
    for key in ("loc-", "title-loc-", "subtitle-loc-"):
        place = f"/aps/alert/{key}"
        yield "/aps/alert", {"body": "x", f"{key}args": ["x"]}, "missing_member", f"{place}key"
        yield "/aps/alert", {f"{key}key": ""}, "wrong_value", f"{place}key"
        yield ("/aps/alert", {f"{key}key": "A", f"{key}args": [7]}, "wrong_type", f"{place}args/0")
    for name in ("body-loc-key", "sound", "badge", "content-state"):
        yield "/aps/alert", {"body": "x", name: "x"}, "unknown_member", f"/aps/alert/{name}"
