"""The service with an app in three languages and its devices, and the decoder of states.

Environment:

- `POSTILION_PROGRAM`: the program that is tested. `.build/debug/postilion` unless set.
"""

import atexit
import base64
import contextlib
import functools
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]

os.environ.setdefault("POSTILION_PROGRAM", str(ROOT / ".build/debug/postilion"))
sys.path.append(str(ROOT / "Tests/Faults"))

# The folder is on the path only since the line above.
from service import ROOT_KEY, Service  # noqa: E402

# Seconds. Nothing is expected to be slow; this only ends what would never end.
DEADLINE = 300

BUNDLE_ID, WATCH_BUNDLE_ID = "com.example.food", "com.example.food.watchkitapp"
APP = "/v1/apps/food"


def _entry(**texts):
    """The texts of a key by language; a dictionary has the cases of a plural."""
    def localization(text):
        if isinstance(text, str):
            return {"stringUnit": {"state": "translated", "value": text}}
        return {"variations": {"plural": {
            case: localization(variation) for case, variation in text.items()}}}
    return {"localizations": {
        language: localization(text) for language, text in texts.items()}}


CATALOG = {"sourceLanguage": "en", "version": "1.0", "strings": {
    "ORDER": _entry(en="Your order", ja="ご注文", ar="طلبك"),
    "RIDER": _entry(en="%@ is on the way", ja="%@が配達中", ar="%@ في الطريق"),
    "TRACK": _entry(en="Song by %@", ja="%@の曲", ar="أغنية %@"),
    "DISHES": _entry(
        en={"one": "%lld dish", "other": "%lld dishes"}, ja={"other": "%lld品"},
        ar={"zero": "لا أطباق", "one": "طبق واحد", "two": "طبقان",
            "few": "%lld أطباق", "many": "%lld طبقًا", "other": "%lld طبق"}),
}}

# The tokens of a phone by their place, and what an app reports beside each.
PHONE = {
    "apns": {}, "voip": {}, "location": {}, "file_provider": {}, "complication": {},
    "widgets": {"widgets": [{"kind": "Orders", "family": "systemSmall"}]},
    "push_to_talk": {"joined": True},
    "live_activity_start/Delivery": {}, "live_activity_start/Ride": {},
    "live_activities/first": {"type": "Delivery"},
    "live_activities/second": {"type": "Delivery"},
    "live_activities/ride": {"type": "Ride"},
    "controls/Lights/porch": {}, "controls/Lights/hall": {}, "controls/Doors/front": {},
    "nowplaying_start": {}, "nowplaying/S1": {}, "nowplaying/S2": {},
}
LATEST = "27.0"

# Devices by name; `places` are those of their tokens.
DEVICES = {
    "london": {"languages": ["en-GB"], "locale": "en_GB", "capabilities": ["loc-key"],
               "places": PHONE},
    "tokyo": {"languages": ["ja-JP", "en-US"], "locale": "ja_JP", "capabilities": ["loc-key"],
              "attributes": {"placed": "2026-01-02T12:04:05+09:00"}, "places": PHONE},
    "cairo": {"languages": ["ar-EG"], "locale": "ar_EG", "places": PHONE},
    # A build for development, on an iPad, which has no complications.
    "lab": {"languages": ["ja"], "locale": "ja_JP", "environment": "sandbox",
            "platform": "ipados", "places": {
                place: more for place, more in PHONE.items() if place != "complication"}},
    # A target of its own.
    "wrist": {"languages": ["ja-JP"], "locale": "ja_JP", "platform": "watchos",
              "bundle_id": WATCH_BUNDLE_ID,
              "places": {place: PHONE[place] for place in ("apns", "widgets", "complication")}},
    # Before starts by push, and before widgets, controls and now playing.
    "old": {"languages": ["en-US"], "locale": "en_US", "os_version": "17.1", "places": PHONE},
    # Their people allow no activities, and are in no channel.
    "calm": {"languages": ["en-US"], "locale": "en_US", "live_activities_allowed": False,
             "places": {"live_activity_start/Delivery": {}, "push_to_talk": {"joined": False}}},
    # A Mac knows only some kinds.
    "desk": {"languages": ["en-US"], "locale": "en_US", "platform": "macos", "places": {
        place: PHONE[place] for place in ("apns", "widgets", "live_activity_start/Delivery")}},
}


def token(device, place):
    """The token of a device for a place; those for starts are longer."""
    digest = hashlib.sha512(f"{device}/{place}".encode()).hexdigest()
    return digest + "ab" * 16 if place.startswith("live_activity_start") else digest[:64]


def identity(device):
    """The id of a device's installation."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"pushes/{device}"))


def credentials(device):
    """The tokens of a device, as an app reports them."""
    made = {}
    for place, more in DEVICES[device]["places"].items():
        *parents, name = place.split("/")
        inner = made
        for parent in parents:
            inner = inner.setdefault(parent, {})
        inner[name] = {"token": token(device, place), **more}
    return made


def bundle_id(device):
    """The bundle id of a device's target."""
    return DEVICES[device].get("bundle_id", BUNDLE_ID)


# The device and place of each token.
OWNERS = {token(name, place): (name, place)
          for name, fields in DEVICES.items() for place in fields["places"]}


class Scene:
    """The service with its devices. It is made by `scene()`."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="postilion-pushes-"))
        # The database runs as an account of its own, and must get through.
        self.folder.chmod(0o755)
        self.service = Service(None, self.folder)
        self.service.start()
        self.call("PUT", APP, {
            "bundle_id": BUNDLE_ID, "bundle_ids": [WATCH_BUNDLE_ID], "name": "Food",
            "development_language": "en"})
        self.sender = self.call("POST", f"{APP}/keys", {"kind": "sender", "label": "s"})["key"]
        self._upload()
        self.has_ended = True

    def call(self, method, path, body=None, **more):
        """A call that must succeed; gives the answer, read as JSON."""
        return self.service.call(method, path, body, **more).json()

    def _upload(self):
        line = "a-line-of-no-file"
        text = (f'--{line}\r\nContent-Disposition: form-data; name="file"; '
                f'filename="Localizable.xcstrings"\r\n\r\n{json.dumps(CATALOG)}\r\n--{line}--\r\n')
        self.call("PUT", f"{APP}/catalogs/412", text.encode(),
                  kind=f"multipart/form-data; boundary={line}")

    def _register(self, name):
        fields = {key: value for key, value in DEVICES[name].items() if key != "places"}
        answer = self.call("PUT", f"{APP}/installations/{identity(name)}", {
            "platform": "ios", "environment": "production", "os_version": LATEST,
            "app_build": "412", "authorization": {"status": "authorized"},
            "credentials": credentials(name), **fields})
        if answer.get("ignored"):
            raise AssertionError(f"{name}: {answer['ignored']} is not known")

    def answer(self, call, accept="application/x-ndjson"):
        """The answer to a rendering with the key of a sender: status, and text.

        An end that is rendered ends its activities until the apps report them again: so they do
        after each message that may be one.
        """
        if self.has_ended:
            for name in DEVICES:
                self._register(name)
        self.has_ended = "end" in str(call["message"])
        with contextlib.closing(self.service.connect(timeout=DEADLINE)) as connection:
            found = connection.request("POST", f"{APP}/render", call, key=self.sender,
                                       headers={"Accept": accept})
        return found.status, found.body.decode()

    def lines(self, **call):
        """The lines of a rendering as a stream, and its summary."""
        status, text = self.answer({"payload_form": "string", **call})
        if status != 200:
            raise AssertionError(f"{status} {text}")
        # Not by `splitlines`, which also cuts at U+2028, and that may stand in a text.
        *lines, last = [json.loads(line) for line in text.rstrip("\n").split("\n")]
        return lines, last["summary"]

    def objects(self, **call):
        """The requests of a rendering as one document; none if the devices get nothing."""
        status, text = self.answer({"payload_form": "string", **call}, "application/json")
        if status == 409:
            return []
        if status != 200:
            raise AssertionError(f"{status} {text}")
        document = json.loads(text)
        return document.get("items", [document])

    def stop(self):
        """Ends the service."""
        self.service.terminate()
        shutil.rmtree(self.folder, ignore_errors=True)


@functools.cache
def scene():
    """The one scene of a run."""
    made = Scene()
    atexit.register(made.stop)
    return made


def opened(group):
    """The requests that a line of the shape `groups` stands for."""
    return [{**{name: value for name, value in group.items() if name != "tokens"},
             "token": one, "path": f"/3/device/{one}"} for one in group["tokens"]]


def text_of(payload):
    """The bytes of a payload in base64url without padding, as a text."""
    return base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode()


# MARK: The decoder


def decoded(values):
    """What Swift's `JSONDecoder` makes of pairs of a type and a value: an answer for each."""
    lines = "".join(f'{{"type": {json.dumps(name)}, "json": {json.dumps(value)}}}\n'
                    for name, value in values)
    done = subprocess.run([_decoder()], input=lines, capture_output=True, text=True, check=True,
                          timeout=DEADLINE)
    return [json.loads(line) for line in done.stdout.rstrip("\n").split("\n")]


@functools.cache
def _decoder():
    """The program of decode.swift, compiled when it is new."""
    source = pathlib.Path(__file__).with_name("decode.swift")
    program = ROOT / ".build/pushes/decode"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        program.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["swiftc", source, "-o", program], check=True, timeout=DEADLINE)
    return program
