"""Faults of the service's own process: its end, its descriptors, the reader of its log."""

import contextlib
import json
import os
import signal
import time
import uuid

from client import Broken, head
from client_faults import allow_files, close_all, open_sockets
from database_faults import TERMINATE, await_return
from load import SECRET, profile

# How long a drain may take, in seconds: the service's own bound, and some for a busy machine.
DRAIN_BOUND = 12
# Connections that send a request just after the service was told to end.
CONNECTIONS_KEPT = 1200
# How soon the database has connections again although descriptors are short, in seconds.
STARVED_BOUND = 4
# How long a start may take, in seconds.
START_BOUND = 3.0


def kill_service(stage):
    """The service ends at once, and is started again."""
    stage.service.kill()
    began = time.monotonic()
    stage.service.start()
    ready = time.monotonic()
    stage.result.figures["start_s"] = ready - began
    stage.promise(ready - began <= START_BOUND, f"the start took {ready - began:.1f} s")
    await_return(stage, ready)


def drain(stage):
    """The service is told to end, and 1,200 kept connections send one more request each just then.

    What is sent before this side can know of the end has to be answered, with the word that the
    connection ends.
    """
    allow_files(CONNECTIONS_KEPT + 1000)
    for device in stage.load.devices:
        device.pause = 0.2  # Busy ones would hold up the sending.
    sockets = open_sockets(stage, CONNECTIONS_KEPT)
    for one in sockets:
        one.sendall(head("GET", "/healthz"))
    for one in sockets:
        one.recv(4096)
    reports = [(one, report(stage)) for one in sockets]
    early, late = [], []
    began = time.monotonic()
    stage.service.signal(signal.SIGTERM)
    for one, content in reports:
        known = early if is_open(one) else late
        if send(one, content):
            known.append(one)
    sent_s = time.monotonic() - began
    answers = [read_end(one) for one in early]
    status, seconds = stage.service.await_end(DRAIN_BOUND + 5), time.monotonic() - began
    stage.result.figures |= {"sent": len(early), "sent_late": len(late), "sent_s": sent_s} | {
        word: answers.count(word) for word in ("answered", "kept", "ended", "reset")} | {
        "drain_s": seconds}
    close_all(sockets)
    stage.promise(answers.count("answered") == len(early),
                  f"of {len(early)} requests {answers.count('kept')} were answered without"
                  f" `Connection: close`, {answers.count('ended')} were not answered,"
                  f" {answers.count('reset')} were reset unread")
    stage.promise(status == 0 and seconds <= DRAIN_BOUND,
                  f"the exit status was {status} after {seconds:.1f} s")
    stage.service.end()
    stage.service.start()
    for device in stage.load.devices:
        device.pause = 0
    await_return(stage, time.monotonic())


def is_open(one):
    """Whether the peer has not closed a connection yet, as far as this side can know."""
    one.setblocking(False)
    try:
        return one.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        one.settimeout(DRAIN_BOUND + 5)


def report(stage):
    """The bytes of the report of a new device."""
    name = str(uuid.uuid4())
    body = json.dumps(profile(name.replace("-", "") * 2)).encode()
    return head("PUT", stage.app.installation(name), key=stage.app.keys["client"], headers={
        "Postilion-Installation-Secret": SECRET, "Content-Type": "application/json",
        "Content-Length": len(body)}) + body


def send(one, content):
    """Sends bytes; whether that was possible."""
    with contextlib.suppress(OSError):
        one.sendall(content)
        return True
    return False


def read_end(one):
    """How a request ended.

    `answered` with the word that the connection ends, `kept` with an answer that lacks it, `ended`
    with the end of the connection, or `reset`.
    """
    try:
        answer = one.recv(4096)
    except OSError:
        return "reset"
    if not answer:
        return "ended"
    return "answered" if b"\r\nconnection: close\r\n" in answer.lower() else "kept"


def starve_descriptors(stage):
    """Idle clients take all descriptors of the service, and its database connections are cut."""
    allow_files(2000)
    sockets = []
    with contextlib.suppress(OSError):
        sockets += open_sockets(stage, stage.files + 100)
    try:
        stage.database.query(TERMINATE)
        await_return(stage, time.monotonic(), STARVED_BOUND, seconds=4 * STARVED_BOUND)
    except TimeoutError:
        stage.promise(False, "the database had no descriptors left")
    finally:
        close_all(sockets)
    stage.load.await_more()


def stall_log(stage):
    """Nobody reads the log of the service while requests without a key are refused."""
    stage.service.kill()
    reader, writer = os.pipe()
    stage.service.settings["POSTILION_LOG_LEVEL"] = "info"
    stage.service.start(log=writer)
    os.close(writer)
    answered = 0
    try:
        client = stage.service.connect(timeout=5)
        for _ in range(2000):
            with contextlib.suppress(Broken):
                answered += client.request("GET", "/v1/nothing").status == 404
                continue
            break
        client.close()
        status, seconds = stage.service.terminate(DRAIN_BOUND)
    finally:
        os.close(reader)
        stage.service.end()
    stage.result.figures |= {"answered": answered, "drain_s": seconds}
    stage.promise(answered == 2000, f"only {answered} of 2000 requests were answered")
    stage.promise(status == 0, f"SIGTERM led to the exit status {status} after {seconds:.1f} s")
    stage.service.settings["POSTILION_LOG_LEVEL"] = "warning"
    stage.service.start()
    await_return(stage, time.monotonic())
