"""Faults of clients and of the way to them: each function ends by itself in bounded time."""

import contextlib
import json
import resource
import select
import shutil
import socket
import subprocess
import time
import uuid

from client import head
from cluster import await_true
from load import Probe, profile
from stage import Skipped
from traffic import multipart

# How long a connection that trickles may be kept at most, in seconds.
HELD_BOUND = 45
# How soon a request without a key is refused, in seconds, although its body is still on its way.
REFUSAL_BOUND = 5
# How much memory may stay when bodies of 100 MB and more are over.
GIVEN_BACK_BYTES = 16 << 20
# The longest time that other devices may be without an acknowledgement meanwhile, in seconds.
OTHERS_BOUND = 2.0


def allow_files(count):
    """Lets this process have so many descriptors."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(count, most) if most != resource.RLIM_INFINITY else count
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def promise_others(stage, began):
    """Notes that other devices had to wait while clients misbehaved."""
    stage.load.await_more()
    outage = stage.load.longest_outage(since=began)
    stage.result.figures["others_outage_s"] = outage
    stage.promise(outage <= OTHERS_BOUND,
                  f"other devices waited {outage:.1f} s, promised are {OTHERS_BOUND} s")


def open_sockets(stage, count, receive_bytes=None):
    """Opens so many connections; each is tried for some seconds."""
    sockets = []
    for _ in range(count):
        one = socket.socket()
        if receive_bytes:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        one.settimeout(10)
        one.connect(("127.0.0.1", stage.service.port))
        sockets.append(one)
    return sockets


def closings(sockets, seconds, tick, interval=1.0):
    """Calls `tick` for each socket in an interval, and watches which the peer closes, and when.

    Gives for each socket the seconds until it was closed, `None` if it never was, and the bytes
    that it received before.
    """
    began, held = time.monotonic(), {one: [None, b""] for one in sockets}
    poller, by_number = select.poll(), {one.fileno(): one for one in sockets}
    for one in sockets:
        one.setblocking(False)
        poller.register(one, select.POLLIN)
    due = began
    while by_number and time.monotonic() - began < seconds:
        if time.monotonic() >= due:
            due += interval
            for one in list(by_number.values()):
                with contextlib.suppress(OSError):
                    tick(one)
        for number, _ in poller.poll(max(0, due - time.monotonic()) * 1000):
            one = by_number[number]
            data = b""
            with contextlib.suppress(BlockingIOError, ConnectionError):
                data = one.recv(65_536)
            held[one][1] += data
            if not data:
                held[one][0] = time.monotonic() - began
                poller.unregister(one)
                del by_number[number]
    return held


def close_all(sockets):
    """Closes connections."""
    for one in sockets:
        one.close()


# MARK: Slow clients


def slow_headers(stage):
    """Hundreds of connections send a head byte by byte: slowhttptest's Slowloris."""
    if not shutil.which("slowhttptest"):
        raise Skipped("slowhttptest is not installed")
    began, count = time.monotonic(), 400
    done = subprocess.run(
        ["slowhttptest", "-H", "-c", str(count), "-r", "400", "-i", "2", "-l", "40", "-v", "1",
         "-u", f"http://127.0.0.1:{stage.service.port}/v1/apps"],
        capture_output=True, text=True, timeout=120, check=False)
    held = time.monotonic() - began
    stage.result.figures |= {"connections": count, "held_s": held}
    stage.promise("No open connections left" in done.stdout,
                  f"some of {count} connections were held for {held:.0f} s by slow heads")
    promise_others(stage, began)


def slow_body(stage):
    """Hundreds of connections send a body byte by byte, half of them without a key."""
    began, count = time.monotonic(), 150
    path = stage.app.installation(uuid.uuid4())
    fields = {"Content-Type": "application/json", "Content-Length": 60_000}
    groups = {}
    for name, key in (("with_key", stage.app.keys["client"]), ("without_key", None)):
        groups[name] = open_sockets(stage, count)
        for one in groups[name]:
            one.sendall(head("PUT", path, key=key, headers=fields) + b'{"tags": ["')
    everyone = groups["with_key"] + groups["without_key"]
    held = closings(everyone, HELD_BOUND, lambda one: one.send(b"x"))
    for name, bound in (("with_key", HELD_BOUND), ("without_key", REFUSAL_BOUND)):
        times = [held[one][0] for one in groups[name]]
        longest = max(HELD_BOUND if seconds is None else seconds for seconds in times)
        stage.result.figures[f"held_{name}_s"] = longest
        slow = sum(1 for seconds in times if seconds is None or seconds > bound)
        stage.promise(slow == 0, f"{slow} of {count} connections {name.replace('_', ' ')} were"
                                 f" held for more than {bound} s by slow bodies")
    close_all(everyone)
    promise_others(stage, began)


def half_bodies(stage):
    """1,500 connections send half of a body: reports of an app, and uploads of a megabyte."""
    reports, uploads = 1000, 500
    allow_files(reports + uploads + 1000)
    for device in stage.load.devices:
        device.pause = 0.2
    before = stage.service.sample().resident_bytes
    with Probe(stage.app) as probe:
        quiet = time.monotonic()
        time.sleep(5)
        began = time.monotonic()
        sockets = open_sockets(stage, reports + uploads)
        for one in sockets[:reports]:
            send_half(one, head("PUT", stage.app.installation(uuid.uuid4()),
                                key=stage.app.keys["client"], headers={
                                    "Content-Type": "application/json",
                                    "Content-Length": 60_000}), 30_000)
        for one in sockets[reports:]:
            send_half(one, head("PUT", f"{stage.app.path}/catalogs/1", key=stage.app.keys["admin"],
                                headers={"Content-Type": "multipart/form-data; boundary=x",
                                         "Content-Length": 1 << 20}), 1 << 19)
        held = closings(sockets, HELD_BOUND, lambda one: None)
        ended = time.monotonic()
    close_all(sockets)
    for device in stage.load.devices:
        device.pause = 0
    statuses = [content[9:12] for _, content in held.values()]
    calm, busy = probe.between(quiet, began), probe.between(began, ended)
    with contextlib.suppress(TimeoutError):
        await_true(lambda: stage.service.sample().resident_bytes <= before + GIVEN_BACK_BYTES,
                   "memory is given back", 30)
    after = stage.service.sample().resident_bytes
    stage.result.figures |= {
        "held": sum(1 for seconds, _ in held.values() if seconds is None),
        "answered_408": statuses.count(b"408"), "answered_503": statuses.count(b"503"),
        "before_mb": before >> 20, "highest_mb": stage.service.highest_bytes() >> 20,
        "after_mb": after >> 20, "quiet_p50_ms": calm[0], "quiet_p99_ms": calm[1],
        "others_p50_ms": busy[0], "others_p99_ms": busy[1], "others_refused": busy[2]}
    stage.promise(stage.result.figures["held"] == 0, f"{stage.result.figures['held']} connections"
                  f" were held for more than {HELD_BOUND} s by half bodies")
    stage.promise(busy[2] == 0, f"{busy[2]} reports of other devices were refused")
    stage.promise(after <= before + GIVEN_BACK_BYTES,
                  f"{(after - before) >> 20} MB were not given back")
    promise_others(stage, began)


def send_half(one, start, count):
    """Sends a head and so many bytes of its body; the peer may end the connection meanwhile."""
    with contextlib.suppress(OSError):
        one.sendall(start + b"{" * count)


def uploads(stage):
    """One catalog of eight megabytes after the other is uploaded while devices report."""
    seconds = 20
    texts = "".join(f'"KEY_{number}" = "{"Your order is ready. " * 20}";\n'
                    for number in range(18_000))
    body, kind = multipart({"en.lproj/Localizable.strings": texts})
    for device in stage.load.devices:
        device.pause = 0.2
    with Probe(stage.app) as probe:
        quiet = time.monotonic()
        time.sleep(seconds)
        began, count = time.monotonic(), 0
        while time.monotonic() < began + seconds:
            count += 1
            stage.service.call("PUT", f"{stage.app.path}/catalogs/{count % 5}", body,
                               key=stage.app.keys["admin"], kind=kind)
        ended = time.monotonic()
    for device in stage.load.devices:
        device.pause = 0
    calm, busy = probe.between(quiet, began), probe.between(began, ended)
    stage.result.figures |= {
        "uploads": count, "megabytes_each": len(body) / (1 << 20), "quiet_p50_ms": calm[0],
        "quiet_p99_ms": calm[1], "others_p50_ms": busy[0], "others_p99_ms": busy[1]}
    promise_others(stage, began)


# MARK: Many clients


def reset(stage):
    """Clients break their connections off in the middle of a body, two thousand times."""
    began, client = time.monotonic(), stage.service.connect()
    path = stage.app.installation(uuid.uuid4())
    start = head("PUT", path, key=stage.app.keys["client"], headers={
        "Content-Type": "application/json", "Content-Length": 20_000}) + b"{" * 10_000
    for _ in range(2000):
        with contextlib.suppress(OSError):
            client.open().socket.sendall(start)
            client.reset()
    promise_others(stage, began)


def idle(stage):
    """Thousands of connections do nothing after a first request."""
    count = 4000
    allow_files(count + 1000)
    began = time.monotonic()
    sockets = open_sockets(stage, count)
    for one in sockets:
        one.sendall(head("GET", "/healthz"))
    for one in sockets:
        one.recv(4096)
    sample = stage.service.sample()
    stage.result.figures |= {"connections": count, "bytes_each": (
        sample.resident_bytes - stage.before.resident_bytes) // count}
    stage.load.await_more(200)
    close_all(sockets)
    promise_others(stage, began)


def storm(stage):
    """Two thousand devices connect at the same moment and report."""
    count = 2000
    allow_files(count + 1000)
    began = time.monotonic()
    sockets = open_sockets(stage, count)
    for one in sockets:
        name = str(uuid.uuid4())
        body = json.dumps(profile(name.replace("-", "") * 2)).encode()
        one.sendall(head("PUT", stage.app.installation(name), key=stage.app.keys["sender"],
                         headers={"Content-Type": "application/json",
                                  "Content-Length": len(body)}) + body)
    sent = time.monotonic()
    held = [read_status(one) for one in sockets]
    stage.result.figures |= {"connections": count, "answered_s": time.monotonic() - sent}
    wrong = [status for status in held if status not in (b"201", b"429", b"503")]
    stage.promise(not wrong, f"{len(wrong)} of {count} devices had no answer, or a wrong one")
    stage.result.figures["created"] = held.count(b"201")
    close_all(sockets)
    promise_others(stage, began)


def read_status(one):
    """The status of an answer, empty without one."""
    with contextlib.suppress(OSError):
        return one.recv(4096)[9:12]
    return b""
