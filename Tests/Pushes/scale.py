"""Renders Live Activities and the other kinds for a million devices of all systems and versions.

`make push-scale` runs it, with `DEVICES=1000000` unless set. It asks two things:

- Is no rule of the table of systems broken? For each kind the devices that get it, and the numbers of
  those that do not, by reason, are compared with what `FIRST` and the devices' own facts say.
- How fast is one stream of updates of all activities, each in the language of its phone, beside a
  notification for the same devices in the same run?

Environment: `DEVICES`, and `POSTILION_PROGRAM`, the program; `.build/release/postilion` unless set.
"""

import collections
import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Tests/Faults"))

import apns_rules  # noqa: E402
from service import ROOT_KEY, Service  # noqa: E402

DEVICES = int(os.environ.get("DEVICES", "1000000"))
# Seconds; it ends what would never end.
DEADLINE = 3600
# One request in so many is checked by all of Apple's rules; of all others the device is looked at.
SAMPLE = 97

BUNDLE_ID, APP = "com.example.food", "/v1/apps/food"
LANGUAGES = [
    "ar", "bg", "ca", "cs", "da", "de", "el", "en", "es", "es-419", "et", "fi", "fr", "fr-CA", "he",
    "hi", "hr", "hu", "id", "it", "ja", "ko", "lt", "lv", "ms", "nb", "nl", "pl", "pt-BR", "pt-PT",
    "ro", "ru", "sk", "sl", "sv", "th", "tr", "uk", "vi", "zh-Hans"]
VERSIONS = {
    "ios": ["14.8", "15.8", "16.0", "16.1", "16.7", "17.1", "17.2", "17.6", "18.0", "18.5", "26.0",
            "26.2", "27.0"],
    "ipados": ["15.8", "16.1", "17.1", "17.2", "18.0", "26.0", "27.0"],
    "macos": ["10.12", "10.13", "13.6", "15.0", "26.0", "27.0"],
    "watchos": ["8.0", "11.0", "26.0"], "tvos": ["17.0", "26.0"], "visionos": ["2.0", "26.0"]}
SYSTEMS = [(name, version) for name, versions in VERSIONS.items() for version in versions]

# The first version of each system that takes a kind (Apple's pages, as `apns_rules.py` lists them). A
# system that is missing never knew it.
PHONES = ("ios", "ipados")
FIRST = {
    "live_activity start": dict.fromkeys(PHONES, (17, 2)),
    "live_activity update": dict.fromkeys(PHONES, (16, 1)),
    "widgets": dict.fromkeys(("ios", "ipados", "macos", "watchos", "visionos"), (26, 0)),
    "control": {**dict.fromkeys(PHONES, (18, 0)), "macos": (26, 0), "watchos": (26, 0)},
    "nowplaying start": dict.fromkeys((*PHONES, "macos"), (27, 0)),
    "location": dict.fromkeys(PHONES, (15, 0)),
    "push_to_talk": dict.fromkeys(PHONES, (16, 0)),
    "complication": {"ios": (9, 0), "ipados": (9, 0), "watchos": (2, 0)},
}
PARAMETERS = {"who": {"type": "string"}, "eta": {"type": "date"}}
ARGUMENTS = {"who": "Aki", "eta": "2026-11-27T12:30:00Z"}
STATE = {"step": {"key": "RIDER", "args": ["who"]}, "eta": "{eta}"}
MESSAGES = {
    "live_activity start": {"live_activity": {
        "event": "start", "type": "Delivery", "attributes": {}, "content_state": STATE,
        "alert": {"key": "RIDER", "args": ["who"]}}, "parameters": PARAMETERS},
    "live_activity update": {"live_activity": {
        "event": "update", "type": "Delivery", "content_state": STATE}, "parameters": PARAMETERS},
    "widgets": {"widgets": {}}, "control": {"control": {"handler": "Lights"}},
    "nowplaying start": {"nowplaying": {"event": "start", "attributes": {"id": "S1"}}},
    "location": {"location": {}}, "push_to_talk": {"push_to_talk": {}},
    "complication": {"complication": {}},
}
# The same words in a notification, for comparison.
NOTIFICATION = {"alert": {"key": "RIDER", "args": ["who"]},
                "parameters": {"who": {"type": "string"}}}


def token(index, place):
    """The token of a device for a place."""
    return hashlib.sha256(f"{index}/{place}".encode()).hexdigest()


def device(index):
    """The platform, version, language and other facts of a device, by its number alone."""
    platform, version = SYSTEMS[index % len(SYSTEMS)]
    return platform, version, LANGUAGES[index // 7 % len(LANGUAGES)], index % 11 != 0, index % 5 != 0


# What a device holds beside a token for alerts and an activity: one kind of these, by its number.
OTHERS = ["live_activity start", "widgets", "control", "nowplaying start", "location", "push_to_talk",
          "complication"]


def held(index):
    """The kind of the third token of a device."""
    return OTHERS[index // len(SYSTEMS) % len(OTHERS)]


def record(index):
    """A device as a line of an import."""
    platform, version, language, allows, joined = device(index)
    one = {"token": token(index, held(index))}
    other = {
        "live_activity start": {"live_activity_start": {"Delivery": one}},
        "widgets": {"widgets": one}, "control": {"controls": {"Lights": {"porch": one}}},
        "nowplaying start": {"nowplaying_start": one}, "location": {"location": one},
        "push_to_talk": {"push_to_talk": {**one, "joined": joined}},
        "complication": {"complication": one}}[held(index)]
    return json.dumps({
        "installation_id": identity(index), "platform": platform, "environment": "production",
        "os_version": version, "languages": [language], "app_build": "412",
        "live_activities_allowed": allows,
        "credentials": {
            "apns": {"token": token(index, "apns")},
            "live_activities": {f"A{index}": {
                "token": token(index, "activity"), "type": "Delivery"}}, **other}})


def identity(index):
    """The id of a device's installation, with its number in it."""
    return f"00000000-0000-4000-8000-{index:012x}"


def verdict(kind, index):
    """What a device should get of a kind: `None` for a request, or the reason why not."""
    platform, version, _, allows, joined = device(index)
    if kind != "live_activity update" and held(index) != kind:
        return "no_credential"
    if kind == "push_to_talk" and not joined:
        return "not_joined"
    first = FIRST[kind].get(platform)
    if first is None:
        return "system_without_kind"
    if tuple(map(int, version.split("."))) < first:
        return "system_too_old"
    if kind == "live_activity start" and not allows:
        return "activities_not_allowed"
    return None


def expected(kind):
    """How many devices get a kind, and how many do not, by reason."""
    counts = collections.Counter(verdict(kind, index) for index in range(DEVICES))
    rendered = counts.pop(None, 0)
    return rendered, dict(counts)


class Fault(Exception):
    """The service rendered what it must not, or did not what it must."""


def stream(service, message, on_line):
    """Renders for all; gives the summary and the seconds."""
    call = {"message": message, "to": {"all": True}, "payload_form": "string",
            "arguments": {name: ARGUMENTS[name] for name in message.get("parameters", {})}}
    began = time.monotonic()
    with contextlib.closing(service.connect(timeout=DEADLINE)) as connection:
        found = connection.request("POST", f"{APP}/render", call, key=ROOT_KEY,
                                   headers={"Accept": "application/x-ndjson"})
    if found.status != 200:
        raise Fault(f"{found.status} {found.body[:500]!r}")
    seconds = time.monotonic() - began
    *lines, last = found.body.rstrip(b"\n").split(b"\n")
    for line in lines:
        on_line(line)
    return json.loads(last)["summary"], seconds


def check(service, kind):
    """Compares all requests of a kind with the table; gives the seconds of the stream."""
    seen = bytearray(DEVICES)

    def look(line):
        # {"installation_id":"00000000-0000-4000-8000-…": the number is at a fixed place.
        index = int(line[44:56], 16)
        reason = verdict(kind, index)
        if reason is not None:
            raise Fault(f"{kind}: device {index} {device(index)} gets it, and should not: {reason}")
        if seen[index]:
            raise Fault(f"{kind}: device {index} gets it twice")
        seen[index] = 1
        if index % SAMPLE == 0:
            request = json.loads(line)
            refusal = apns_rules.refusal(request, BUNDLE_ID, time.time())
            if refusal:
                raise Fault(f"{kind}: device {index}: {refusal}")
            if kind.startswith("live_activity"):
                step = json.loads(request["payload"])["aps"]["content-state"]["step"]
                if step != text(device(index)[2]):
                    raise Fault(f"{kind}: device {index}: {step!r}")

    summary, seconds = stream(service, MESSAGES[kind], look)
    rendered, skipped = expected(kind)
    if (summary["rendered"], summary["skipped"]) != (rendered, skipped):
        raise Fault(f"{kind}: {summary['rendered']} {summary['skipped']}, "
                    f"not {rendered} {skipped}")
    return rendered, skipped, seconds


def text(language):
    """The text of the state in a language."""
    return f"Aki {language} →"


def prepare(service):
    """The app, its strings in all languages, and its devices."""
    service.call("PUT", APP, {"bundle_id": BUNDLE_ID, "development_language": "en"})
    catalog = {"sourceLanguage": "en", "version": "1.0", "strings": {"RIDER": {"localizations": {
        language: {"stringUnit": {"state": "translated", "value": f"%@ {language} →"}}
        for language in LANGUAGES}}}}
    line = "a-line-of-no-file"
    service.call("PUT", f"{APP}/catalogs/412", (
        f'--{line}\r\nContent-Disposition: form-data; name="file"; '
        f'filename="Localizable.xcstrings"\r\n\r\n{json.dumps(catalog)}\r\n--{line}--\r\n'
    ).encode(), kind=f"multipart/form-data; boundary={line}")
    began = time.monotonic()
    for start in range(0, DEVICES, 50_000):
        body = "\n".join(record(index) for index in range(start, min(start + 50_000, DEVICES)))
        with contextlib.closing(service.connect(timeout=DEADLINE)) as connection:
            found = connection.request(
                "POST", f"{APP}/installations/import", body.encode(), key=ROOT_KEY,
                kind="application/x-ndjson")
        answer = json.loads(found.body)
        if found.status != 200 or answer["rejected"]:
            raise Fault(f"{found.status} {found.body[:500]!r}")
    print(f"{DEVICES:,} devices imported in {time.monotonic() - began:.0f} s", flush=True)


def main():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="postilion-scale-"))
    # The database runs as an account of its own, and must get through.
    folder.chmod(0o755)
    service = Service(None, folder)
    service.start()
    try:
        prepare(service)
        for kind in MESSAGES:
            rendered, skipped, seconds = check(service, kind)
            print(f"{kind}: {rendered:,} rendered in {seconds:.1f} s, skipped {skipped}", flush=True)
        rates = {}
        for turn in range(2):
            for name, message in (("updates", MESSAGES["live_activity update"]),
                                  ("notifications", NOTIFICATION)):
                summary, seconds = stream(service, message, len)
                rates.setdefault(name, []).append(summary["rendered"] / seconds)
        best = {name: max(found) for name, found in rates.items()}
        print(f"updates {best['updates']:,.0f}/s, notifications {best['notifications']:,.0f}/s: "
              f"{best['updates'] / best['notifications']:.2f} ×")
    finally:
        service.terminate()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
