"""Requests that cost much: what the worst of them take of the processor, and of others' time.

`SECONDS` says how long each kind is sent; 5 unless set.
"""

import contextlib
import json
import os
import pathlib
import threading
import time
import uuid

from client import Broken
from load import SECRET, Probe, quantile

# What a request may take of the processor at most, in milliseconds.
WITHOUT_KEY_MS, WITH_KEY_MS = 1.0, 5.0
# What one address may send is 200 calls a second; below it each is read, and none turned away.
RATE = 150
# The time within which others register, 99 of 100 times, in milliseconds: where nothing else keeps
# the machine busy, and at most.
OTHERS_MS, OTHERS_BOUND_MS = 50.0, 500.0
# The service believes this machine when it says for whom it calls, and limits the attacker's
# address.
OPTIONS = {"POSTILION_TRUSTED_PROXIES": "127.0.0.1"}
ATTACKER = "198.18.0.1"
# The longest values that a head lets in.
FIELD, LINE = 31_700, 8_000
# A letter's marks, whose order is found in quadratic time by whoever looks for it.
MARKS = "\u0323\u0301"
# How long an admin's list may take beside a hostile address, in times of a quiet machine, and at
# least in milliseconds: below that the machine itself decides.
LIST_TIMES, LIST_LEAST_MS = 2.0, 10.0


def fill(count, unit, start="", end=""):
    """A text of so many characters."""
    return start + unit * ((count - len(start) - len(end)) // len(unit)) + end


def without_key():
    """Requests that anyone can send: name, method, path, fields."""
    tags, escapes = fill(FIELD, '"a",', end='"b"'), fill(FIELD, '\\"', start='"')
    return [
        ("plain", "GET", "/", {}),
        ("tags_7_6_kb", "GET", "/", {"If-None-Match": fill(7_600, '"a",', end='"b"')}),
        ("tags", "GET", "/", {"If-None-Match": tags}),
        ("marked_tags", "GET", "/", {"If-Match": f'"e{MARKS * 7_700}"'}),
        ("weak_tags", "GET", "/", {"If-Match": fill(FIELD, 'W/"",', end='""')}),
        ("encodings", "GET", "/", {"Accept-Encoding": fill(FIELD, "gzip;q=0,")}),
        ("quotes", "GET", "/", {"Accept-Encoding": escapes}),
        ("accept", "GET", "/v1/apps", {"Accept": fill(FIELD, "a/b;c=d,")}),
        ("authorization", "GET", "/v1/apps", {"Authorization": fill(FIELD, "_", "Bearer pst_")}),
        ("cookie", "GET", "/healthz", {"Cookie": fill(FIELD, "a=b; ")}),
        ("forwarded", "GET", "/healthz", {
            "X-Forwarded-For": fill(FIELD, "1,", end=ATTACKER)}),
        ("fields", "GET", "/healthz", {f"X-{number}": "a" * 300 for number in range(95)}),
        ("path", "GET", fill(LINE, "/", "/v1/apps/%2F"), {}),
        ("escapes", "GET", fill(LINE, "%2F", "/v1/apps/"), {}),
        ("query", "GET", fill(LINE, "%CC%A3%CC%81=&", "/v1/apps?"), {}),
        ("method", "M" * LINE, "/", {}),
        ("media_type", "POST", "/v1/languages/match", {
            "Content-Type": fill(FIELD, ";a=b", "application/json")}),
    ]


def with_key(app):
    """Requests of a client key: name, method, path, body."""
    mark = MARKS * 15
    tags = [f"{mark}{number}" for number in range(60)]
    path = app.installation(uuid.uuid4())
    report = {"platform": "ios", "environment": "production"}
    languages = [f"en-a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t-{number}" for number in range(50)]
    deep = "{" + "".join(f'"{"n" * 60}":{{' for _ in range(400)) + fill(30_000, '"a":0,')
    return [
        ("report", "PUT", path, json.dumps(report)),
        ("tags", "PUT", path, json.dumps(report | {"tags": tags}, ensure_ascii=False)),
        ("languages", "PUT", path, json.dumps(report | {"languages": languages})),
        ("names", "PUT", path, json.dumps(report | {
            f"{MARKS * 100}{number}": 0 for number in range(35)}, ensure_ascii=False)),
        ("one_name", "PUT", path, json.dumps(report | {MARKS * 3_800: 0, MARKS * 3_799: 0},
                                             ensure_ascii=False)),
        ("platform", "PUT", path, json.dumps(
            report | {"platform": "e" + MARKS * 15_000}, ensure_ascii=False)),
        ("authorization", "PUT", path, json.dumps(report | {
            "authorization": {"status": "e" + MARKS * 7_000}}, ensure_ascii=False)),
        ("failure", "POST", f"{app.path}/failures", json.dumps(
            {"kind": "e" + MARKS * 3_500}, ensure_ascii=False)),
        ("twice", "PUT", path, deep + '"a":0' + "}" * 401),
        ("changes", "POST", f"{path}/tags", json.dumps(
            {"add": tags, "remove": [f"{mark}x{number}" for number in range(60)]},
            ensure_ascii=False)),
        ("match", "POST", "/v1/languages/match", json.dumps(
            {"preferred": ["de"], "available": [f"{MARKS * 30}{n}" for n in range(125)]},
            ensure_ascii=False)),
    ]


def processor_seconds(service):
    """What all threads of the service have used of the processor."""
    total = 0
    for task in pathlib.Path("/proc", str(service.process.pid), "task").iterdir():
        with contextlib.suppress(OSError):
            total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def send(stage, calls, seconds, key=None, rate=RATE):
    """Sends calls in turn for some time; gives how many, and how many were refused by rate."""
    connection, count, refused = stage.service.connect(), 0, 0
    began = time.monotonic()
    while time.monotonic() < began + seconds:
        _, method, path, more = calls[count % len(calls)]
        fields = {"X-Forwarded-For": ATTACKER, "Postilion-Installation-Secret": SECRET}
        body = None
        if isinstance(more, dict):
            del fields["Postilion-Installation-Secret"]
            fields |= more
        else:
            body = more.encode()
        try:
            refused += connection.request(
                method, path, body, key=key, headers=fields).status == 429
        except (Broken, OSError):
            connection.close()
        count += 1
        time.sleep(max(0, began + count / rate - time.monotonic()))
    connection.close()
    return count, refused


def costs(stage, calls, seconds, idle, key=None):
    """What each kind of call takes of the processor, in milliseconds."""
    found = {}
    for call in calls:
        send(stage, [call], 0.2, key)  # What happens the first time is not counted.
        before, began = processor_seconds(stage.service), time.monotonic()
        count, _ = send(stage, [call], seconds, key)
        used = processor_seconds(stage.service) - before - idle * (time.monotonic() - began)
        found[call[0]] = max(0.0, used * 1000 / count)
    return found


def costly_requests(stage):
    """One address without a key sends the worst requests that a head lets in; then with one."""
    seconds = float(os.environ.get("SECONDS") or 5)
    for device in stage.load.devices:
        device.pause = 5
    anyone, client = without_key(), with_key(stage.app)
    key = stage.app.keys["client"]
    before, began = processor_seconds(stage.service), time.monotonic()
    time.sleep(seconds)
    idle = (processor_seconds(stage.service) - before) / (time.monotonic() - began)
    for prefix, calls, used_key, bound in (
            ("without_key", anyone, None, WITHOUT_KEY_MS), ("with_key", client, key, WITH_KEY_MS)):
        found = costs(stage, calls, seconds, idle, used_key)
        stage.result.figures |= {f"{prefix}_{name}_ms": cost for name, cost in found.items()}
        for name, cost in found.items():
            stage.promise(cost <= bound, f"a request {prefix.replace('_', ' ')} ({name}) takes"
                          f" {cost:.2f} ms of the processor, promised are {bound:.0f} ms")
    with Probe(stage.app) as probe:
        quiet = time.monotonic()
        time.sleep(seconds)
        began = time.monotonic()
        count, refused = send(stage, anyone, 4 * seconds)
        ended = time.monotonic()
    calm, busy = probe.between(quiet, began), probe.between(began, ended)
    stage.result.figures |= {
        "sent": count, "turned_away": refused, "quiet_p50_ms": calm[0], "quiet_p99_ms": calm[1],
        "others_p50_ms": busy[0], "others_p99_ms": busy[1], "others_refused": busy[2],
        "others_within_50_ms": busy[1] <= OTHERS_MS}
    stage.promise(busy[2] == 0, f"{busy[2]} reports of other devices were refused")
    stage.promise(busy[1] <= OTHERS_BOUND_MS, f"of 100 reports of others one took"
                  f" {busy[1]:.0f} ms or more, promised are {OTHERS_BOUND_MS:.0f} ms")
    for device in stage.load.devices:
        device.pause = 0


def lists(stage, seconds):
    """How long an admin's lists take, one after the other: the p50 in milliseconds."""
    connection, times = stage.service.connect(), []
    ended = time.monotonic() + seconds
    while time.monotonic() < ended:
        began = time.monotonic()
        status = connection.request(
            "GET", f"{stage.app.path}/installations?limit=100",
            key=stage.app.keys["admin"]).status
        times.append((time.monotonic() - began) * 1000)
        stage.promise(status == 200, f"an admin's list was answered with {status}")
        time.sleep(0.02)
    connection.close()
    return quantile(times, 0.5)


def hostile_address(stage):
    """One address asks for dear matches with a client key, at half its limit and at its limit."""
    seconds = float(os.environ.get("SECONDS") or 5)
    for device in stage.load.devices:
        device.pause = 5
    subtags = "-abcdefgh" * 24
    body = json.dumps({"preferred": [f"en{subtags}-{number + 1000}" for number in range(50)],
                       "available": [f"en{subtags}-{number + 1000}" for number in range(128)]})
    calls = [("match", "POST", "/v1/languages/match", body)]
    with Probe(stage.app) as probe:
        quiet = lists(stage, seconds)
        stage.result.figures["quiet_list_ms"] = quiet
        for rate in (100, 200):
            # Each of many connections, so that calls do not wait for each other.
            senders = [threading.Thread(target=send, args=(
                stage, calls, 2 * seconds, stage.app.keys["client"], rate / 20))
                for _ in range(20)]
            began = time.monotonic()
            for sender in senders:
                sender.start()
            busy = lists(stage, 2 * seconds)
            ended = time.monotonic()
            for sender in senders:
                sender.join()
            _, others, refused = probe.between(began, ended)
            stage.result.figures |= {
                f"list_beside_{rate}_ms": busy, f"others_beside_{rate}_ms": others}
            bound = max(LIST_TIMES * quiet, LIST_LEAST_MS)
            stage.promise(busy <= bound, f"beside {rate} calls a second an admin's list takes"
                          f" {busy:.1f} ms, promised are {bound:.1f} ms")
            stage.promise(refused == 0, f"{refused} reports of other devices were refused")
            stage.promise(others <= OTHERS_MS, f"beside {rate} calls a second one of 100 reports"
                          f" took {others:.0f} ms or more, promised are {OTHERS_MS:.0f} ms")
    for device in stage.load.devices:
        device.pause = 0
