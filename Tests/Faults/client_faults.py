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
from load import profile
from stage import Skipped

# How long a connection that trickles may be kept at most, in seconds.
HELD_BOUND = 45
# How soon a request without a key is refused, in seconds, although its body is still on its way.
REFUSAL_BOUND = 5
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


def seed(stage, count):
    """Imports so many devices, for exports that no socket's memory holds."""
    def line(_):
        name = str(uuid.uuid4())
        return json.dumps({"installation_id": name,
                           **profile(uuid.uuid4().hex * 2, tags=["x" * 100])})
    body = "\n".join(line(number) for number in range(count)).encode()
    stage.service.call("POST", f"{stage.app.path}/installations/import", body,
                       key=stage.app.keys["admin"], kind="application/x-ndjson")


def slow_reader(stage):
    """Clients read an export of all devices a few bytes at a time."""
    seed(stage, 30_000)
    began, count = time.monotonic(), 20
    readers = open_sockets(stage, count, receive_bytes=4096)
    request = head("GET", f"{stage.app.path}/installations", key=stage.app.keys["admin"],
                   headers={"Accept": "application/x-ndjson"})
    for one in readers:
        one.sendall(request)
    held = slow_closings(readers, HELD_BOUND + 15)
    kept = [one for one in readers if held[one] is None]
    stage.result.figures |= {"readers": count, "held": len(kept), "held_s": max(
        [0.0, *(seconds for seconds in held.values() if seconds is not None)])}
    stage.promise(not kept, f"{len(kept)} of {count} slow readers kept their streams for"
                            f" {HELD_BOUND + 15} s")
    close_all(readers)
    promise_others(stage, began)


def slow_closings(readers, seconds):
    """Reads some bytes of each connection every second; gives when each was cut off."""
    began, held = time.monotonic(), dict.fromkeys(readers)
    for one in readers:
        one.setblocking(False)
    while time.monotonic() - began < seconds and None in held.values():
        for one in [one for one, moment in held.items() if moment is None]:
            try:
                if not one.recv(100):
                    held[one] = time.monotonic() - began
            except BlockingIOError:
                pass
            except OSError:
                held[one] = time.monotonic() - began
        time.sleep(1)
    return held


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
