"""What backends, people and apps do beside registrations: renderings, lists, uploads, pages."""

import contextlib
import random
import threading
import time
import uuid

from client import Broken
from cluster import DEADLINE

MESSAGE = {
    "alert": {"title": {"key": "ORDERED"}, "body": {"key": "READY", "args": ["name"]}},
    "parameters": {"name": {"type": "string"}}, "sound": "default",
}

PAGES = ("/", "/console/main.js", "/console/console.css", "/metrics", "/readyz")

LISTS = ("installations?limit=50", "installations?language=fr&limit=100", "stats?days=7",
         "installations?sort=-last_seen_at&limit=50", "failures/summary", "audit?limit=50",
         "catalogs", "messages", "feedback/breakers", "keys")


def multipart(files):
    """The body of an upload from texts by path, and its media type."""
    line = "a-line-of-no-file"
    parts = "".join(
        f'--{line}\r\nContent-Disposition: form-data; name="file"; filename="{path}"\r\n\r\n'
        f"{text}\r\n" for path, text in files.items())
    return (parts + f"--{line}--\r\n").encode(), f"multipart/form-data; boundary={line}"


def strings(language, keys):
    """A file of strings with so many keys."""
    texts = {"ORDERED": f"Ordered ({language})", "READY": f"%@, it is ready ({language})."}
    texts |= {f"KEY_{number}": f"Text {number} in {language}" for number in range(keys)}
    return "".join(f'"{key}" = "{value}";\n' for key, value in texts.items())


class Worker(threading.Thread):
    """One kind of traffic, at most so many times a second; what it is answered is counted."""

    def __init__(self, app, action, rate, stopping):
        super().__init__(daemon=True)
        self.app, self.action, self.interval, self.stopping = app, action, 1 / rate, stopping
        self.connection = app.service.connect(timeout=DEADLINE)
        self.random = random.Random(action.__name__)
        self.statuses = {}
        self.failures = []  # Moments of answers with a status of 500 or more.

    def run(self):
        while not self.stopping.is_set():
            began = time.monotonic()
            status = "broken"
            with contextlib.suppress(Broken):
                status = self.action(self)
            self.statuses[status] = self.statuses.get(status, 0) + 1
            if status != "broken" and status >= 500:
                self.failures.append(time.monotonic())
            self.stopping.wait(max(0, self.interval - (time.monotonic() - began)))
        self.connection.close()

    def send(self, method, path, body=None, *, key="sender", **more):
        """Sends a request for the app; gives the status."""
        return self.connection.request(
            method, f"{self.app.path}/{path}", body, key=self.app.keys[key], **more).status


def render_one(worker):
    """Renders for a person."""
    return worker.send("POST", "render", {
        "message": MESSAGE, "arguments": {"name": "Zoé"},
        "to": {"user": f"u{worker.random.randrange(1000)}"}})


def render_many(worker):
    """Renders for all devices of a language, as a stream."""
    return worker.send("POST", "render", {
        "message": MESSAGE, "arguments": {"name": "Zoé"},
        "to": {"filter": {"language": "fr", "tag": f"t{worker.random.randrange(50)}"}}},
        headers={"Accept": "application/x-ndjson"})


def list_page(worker):
    """Reads a page of a list, as the console does."""
    return worker.send("GET", worker.random.choice(LISTS), key="admin")


def export(worker):
    """Exports devices of a tag as NDJSON or CSV."""
    kind = worker.random.choice(("application/x-ndjson", "text/csv"))
    return worker.send("GET", f"installations?tag=t{worker.random.randrange(50)}", key="admin",
                       headers={"Accept": kind})


def upload(worker):
    """Stores one of some catalogs."""
    version = worker.random.randrange(400, 420)
    files = {f"{language}.lproj/Localizable.strings": strings(language, 100)
             for language in ("en", "fr", "de", "ja", "ar")}
    body, kind = multipart(files)
    return worker.send("PUT", f"catalogs/{version}", body, key="admin", kind=kind)


def read_console(worker):
    """Loads a part of the console or a probe."""
    return worker.connection.request("GET", worker.random.choice(PAGES)).status


def register_person(worker):
    """Registers or changes the device of one of a thousand persons, with tags."""
    number = worker.random.randrange(1000)
    name = str(uuid.UUID(int=number))
    return worker.send("PUT", f"installations/{name}", {
        "platform": "ios", "environment": "production", "languages": ["fr-CA"],
        "credentials": {"apns": {"token": uuid.uuid4().hex * 2}}, "app_build": "412",
        "user": {"id": f"u{number}"}, "tags": [f"t{number % 50}"]})


def report_failure(worker):
    """Reports a failed registration of an app."""
    return worker.send("POST", "failures", {
        "id": str(uuid.uuid4()), "kind": "apns", "platform": "ios", "error": {
            "domain": "NSCocoaErrorDomain", "code": 3010,
            "message": "remote notifications are not supported in the simulator"}}, key="client")


def report_feedback(worker):
    """Reports answers of APNs for the devices of a person: mostly taken, sometimes gone."""
    answer = worker.connection.request(
        "GET", f"{worker.app.path}/installations?tag=t{worker.random.randrange(50)}&limit=20",
        key=worker.app.keys["admin"])
    if answer.status != 200:
        return answer.status
    tokens = [credential["token"] for item in answer.json()["items"]
              if (credential := (item["credentials"] or {}).get("apns"))]
    results = [{"token": token, "environment": "production", "status": 200} for token in tokens]
    if results:
        results[0] |= worker.random.choice((
            {"status": 410, "reason": "Unregistered", "timestamp": int(time.time() * 1000)},
            {"status": 400, "reason": "BadDeviceToken"}))
    return worker.send("POST", "feedback", {"results": results}) if results else 200


# What runs, and how many times a second at most.
KINDS = ((render_one, 10), (render_many, 0.5), (list_page, 10), (export, 0.5), (upload, 0.2),
         (read_console, 10), (register_person, 20), (report_failure, 5), (report_feedback, 1))


class Traffic:
    """All kinds at once."""

    def __init__(self, app):
        self.stopping = threading.Event()
        self.workers = [Worker(app, action, rate, self.stopping) for action, rate in KINDS]

    def __enter__(self):
        for worker in self.workers:
            worker.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        for worker in self.workers:
            worker.join(2 * DEADLINE)

    @property
    def failures(self):
        """The moments of all answers with a status of 500 or more."""
        return [moment for worker in self.workers for moment in worker.failures]

    @property
    def statuses(self):
        """How often each kind was answered what."""
        return {worker.action.__name__: {str(status): count
                                         for status, count in worker.statuses.items()}
                for worker in self.workers}
