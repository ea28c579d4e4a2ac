"""Requests that cost much: what the worst of them take of the processor, and of others' time.

`SECONDS` says how long each kind is sent; 5 unless set.
"""

import contextlib
import json
import os
import pathlib
import threading
import time
import urllib.parse
import uuid
from concurrent.futures import ThreadPoolExecutor

from client import Broken
from load import SECRET, App, Probe, quantile
from traffic import multipart, strings

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
MARKS = "\u0301\u0323"
# How many times as long as as many letters they may take, and from how many milliseconds on.
MARKS_TIMES, MARKS_LEAST_MS = 10.0, 0.2
# The longest texts that fit into the bodies of calls: a report, a failure, of a backend, a record,
# and a file that shows it well.
BODY, FAILURE, LONG_BODY, RECORD, FILE = 60_000, 14_000, 200_000, 200_000, 600_000
# How long an upload may take beside such files of another app, in seconds.
UPLOAD_S = 5.0
# How long an admin's list may take beside a hostile address, in times of a quiet machine, and at
# least in milliseconds: below that the machine itself decides.
LIST_TIMES, LIST_LEAST_MS = 2.0, 10.0
# Connections of a hostile address, and the most localizations that it may ask for.
SENDERS, MATCHED = 20, 128


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


def dear_match():
    """The languages that ICU compares at length before it knows that none fits another."""
    def languages(first, count):
        return ["zh-Hant-HK" + "".join(f"-{number + step}" for step in range(9))
                for number in range(first, first + count)]

    return {"preferred": languages(2000, 50), "available": languages(1000, MATCHED)}


def with_key(app):
    """Requests of a client key: name, method, path, body."""
    mark = MARKS * 15
    tags = [f"{mark}{number}" for number in range(60)]
    report = {"platform": "ios", "environment": "production"}
    languages = [f"en-a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t-{number}" for number in range(50)]
    deep = "{" + "".join(f'"{"n" * 60}":{{' for _ in range(400)) + fill(30_000, '"a":0,')
    bodies = {
        "report": json.dumps(report),
        "tags": json.dumps(report | {"tags": tags}, ensure_ascii=False),
        "languages": json.dumps(report | {"languages": languages}),
        "names": json.dumps(report | {
            f"{MARKS * 100}{number}": 0 for number in range(35)}, ensure_ascii=False),
        "one_name": json.dumps(report | {MARKS * 3_800: 0, MARKS * 3_799: 0}, ensure_ascii=False),
        "twice": deep + '"a":0' + "}" * 401,
    }
    # One installation may call a thousand times in 500 seconds, so each kind has its own.
    calls = [(name, "PUT", app.installation(uuid.uuid4()), body) for name, body in bodies.items()]
    changed = app.installation(uuid.uuid4())
    app.service.call("PUT", changed, report, key=app.keys["client"],
                     headers={"Postilion-Installation-Secret": SECRET})
    return calls + [
        ("changes", "POST", f"{changed}/tags", json.dumps(
            {"add": tags, "remove": [f"{mark}x{number}" for number in range(60)]},
            ensure_ascii=False)),
        ("match", "POST", "/v1/languages/match", json.dumps(dear_match())),
    ]


def with_text(app):
    """Calls that hold a text: name, kind of key, bytes, and the call with a text of so many."""
    report = {"platform": "ios", "environment": "production"}
    path, token = app.installation(uuid.uuid4()), {"token": "ab" * 32}
    render = {"to": {"installation": str(uuid.uuid4())}}
    words = {"title": "a", "body": "b"}

    def field(key, method, place, name, body=None):
        return key, FIELD, lambda text: (method, place, {name: text}, body)

    def query(key, place):
        # A byte takes three in the line.
        return key, LINE // 3 - 100, lambda text: (
            "GET", place + urllib.parse.quote(text), {}, None)

    def member(key, size, method, place, make, kind="application/json"):
        return key, size, lambda text: (method, place, {
            "Content-Type": kind, "Postilion-Installation-Secret": SECRET}, make(text))

    def tokens(make, size=BODY):
        return member("client", size, "PUT", path,
                      lambda text: report | {"credentials": make(text)})

    def message(make):
        return member("sender", LONG_BODY, "POST", f"{app.path}/render",
                      lambda text: render | {"message": {"alert": words} | make(text)})

    calls = {
        "if_match": field(None, "GET", "/", "If-Match"),
        "request_id": field(None, "GET", "/", "X-Request-Id"),
        "expect": field(None, "PUT", path, "Expect"),
        "coding": field("client", "PUT", path, "Content-Encoding", report),
        "last_event": field("sender", "GET", f"{app.path}/changes", "Last-Event-ID"),
        "page": query(None, "/console/"),
        "follow": query("sender", f"{app.path}/changes?follow="),
        "filter": query("admin", f"{app.path}/installations?platform="),
        "order": query("admin", f"{app.path}/installations?sort="),
        "platform": member("client", BODY, "PUT", path, lambda text: report | {"platform": text}),
        "authorization": member("client", BODY, "PUT", path, lambda text: report | {
            "authorization": {"status": text}}),
        "failure": member("client", FAILURE, "POST", f"{app.path}/failures",
                          lambda text: {"kind": text}),
        # The last letters tell two names apart.
        "activities": tokens(lambda text: {"live_activities": {
            text + end: token for end in "ab"}}, BODY // 2),
        "sessions": tokens(lambda text: {"nowplaying": {text: token}}),
        "controls": tokens(lambda text: {"controls": {text: {text[:9]: token}}}),
        "control": tokens(lambda text: {"controls": {"a": {text: token}}}),
        "interruption": message(lambda text: {"interruption_level": text}),
        "parameter_type": message(lambda text: {"parameters": {"a": {"type": text}}}),
        "parameter": message(lambda text: {"parameters": {text: {"type": "string"}}}),
        "argument": member("sender", LONG_BODY, "POST", f"{app.path}/render",
                           lambda text: render | {
                               "message": {"alert": words}, "arguments": {text: "a"}}),
        "member": member("client", BODY, "PUT", path, lambda text: report | {text: 1}),
        "event": member("admin", BODY, "POST", f"{app.path}/webhooks",
                        lambda text: {"url": "https://example.com", "events": [text]}),
        "imported": member(
            "admin", RECORD, "POST", f"{app.path}/installations/import",
            lambda text: report | {"installation_id": str(uuid.uuid4()), "platform": text}),
        "element": member("admin", FILE, "PUT", f"{app.path}/catalogs/1", xliff, multipart({})[1]),
    }
    return [(name, *call) for name, call in calls.items()]


def xliff(text):
    """An upload of a file with an element of a name."""
    return multipart({"de.xliff": (
        '<xliff version="1.2"><file original="Localizable.strings" source-language="en"'
        f' target-language="de"><body><{text}/></body></file></xliff>')})[0]


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
        count, refused = send(stage, [call], seconds, key)
        used = processor_seconds(stage.service) - before - idle * (time.monotonic() - began)
        stage.promise(refused < count / 2, f"{call[0]}: {refused} of {count} were turned away")
        found[call[0]] = max(0.0, used * 1000 / max(1, count - refused))
    return found


def milliseconds(stage, key, call, rounds):
    """What a call takes of the processor, in milliseconds: the least of some rounds."""
    method, path, fields, body = call
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body, ensure_ascii=False).encode()
    kind, found = fields.pop("Content-Type", "application/json"), []
    with contextlib.closing(stage.service.connect()) as connection:
        for _ in range(rounds):
            before = processor_seconds(stage.service)
            status = connection.request(
                method, path, body, key=key, headers=fields, kind=kind).status
            found.append((processor_seconds(stage.service) - before) * 1000)
            stage.promise(status != 429, f"{method} {path[:80]} was answered with 429")
    return min(found)


def marks_beside_letters(stage):
    """A letter with many marks, wherever a call holds a text, costs what as many letters cost."""
    for name, kind, size, call in with_text(stage.app):
        key = stage.app.keys.get(kind)
        letters = milliseconds(stage, key, call("e" * size), 5)
        marks = milliseconds(stage, key, call("e" + MARKS * (size // 4)), 5)
        stage.result.figures[f"marks_{name}_ms"] = marks
        stage.promise(marks <= MARKS_TIMES * max(letters, MARKS_LEAST_MS),
                      f"{name} of {size} bytes of marks takes {marks:.1f} ms of the processor,"
                      f" and of letters {letters:.1f} ms")


def others_upload(stage):
    """An app uploads a file while another one uploads files of marks."""
    other, waits = App(stage.service, "other"), []
    uploads = [threading.Thread(target=milliseconds, args=(
        stage, stage.app.keys["admin"], ("PUT", f"{stage.app.path}/catalogs/{number}", {
            "Content-Type": multipart({})[1]}, xliff("e" + MARKS * (FILE // 4))), 5))
        for number in range(2)]
    for upload in uploads:
        upload.start()
    body, kind = multipart({"en.lproj/Localizable.strings": strings("en", 10)})
    while not waits or any(upload.is_alive() for upload in uploads):
        began = time.monotonic()
        stage.service.call("PUT", f"{other.path}/catalogs/1", body, key=other.keys["admin"],
                           kind=kind)
        waits.append(time.monotonic() - began)
    stage.result.figures["others_upload_s"] = max(waits)
    stage.promise(max(waits) <= UPLOAD_S, f"another app's upload took {max(waits):.1f} s beside"
                                          f" files of marks, promised are {UPLOAD_S:.0f} s")


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
    marks_beside_letters(stage)
    others_upload(stage)
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
    question = dear_match()
    calls = [("match", "POST", "/v1/languages/match", json.dumps(question))]
    stage.result.figures["match_ms"] = milliseconds(
        stage, stage.app.keys["client"], ("POST", "/v1/languages/match", {}, question), 5)
    with Probe(stage.app) as probe:
        began = time.monotonic()
        quiet = lists(stage, 2 * seconds)
        calm = probe.between(began, time.monotonic())
        stage.result.figures |= {"quiet_list_ms": quiet, "quiet_others_ms": calm[1]}
        for rate in (100, 200):
            # Each of many connections, so that calls do not wait for each other.
            with ThreadPoolExecutor(SENDERS) as pool:
                senders = [pool.submit(send, stage, calls, 2 * seconds, stage.app.keys["client"],
                                       rate / SENDERS) for _ in range(SENDERS)]
                began = time.monotonic()
                busy = lists(stage, 2 * seconds)
                ended = time.monotonic()
            counts = [sender.result() for sender in senders]
            _, others, refused = probe.between(began, ended)
            stage.result.figures |= {
                f"list_beside_{rate}_ms": busy, f"others_beside_{rate}_ms": others,
                f"sent_{rate}": sum(count for count, _ in counts),
                f"turned_away_{rate}": sum(count for _, count in counts)}
            bound = max(LIST_TIMES * quiet, LIST_LEAST_MS)
            stage.promise(busy <= bound, f"beside {rate} calls a second an admin's list takes"
                          f" {busy:.1f} ms, promised are {bound:.1f} ms")
            stage.promise(refused == 0, f"{refused} reports of other devices were refused")
            stage.promise(others <= OTHERS_MS, f"beside {rate} calls a second one of 100 reports"
                          f" took {others:.0f} ms or more, promised are {OTHERS_MS:.0f} ms,"
                          f" and {calm[1]:.0f} ms before")
    for device in stage.load.devices:
        device.pause = 0
