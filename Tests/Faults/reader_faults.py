"""Faults of clients that ask for much and read nothing, or next to nothing."""

import contextlib
import pathlib
import time

from client import Broken, head
from client_faults import allow_files, close_all, open_sockets, promise_others
from launches import bring
from load import Probe

CONNECTIONS = 2500
# The address that they all say, and that of an admin.
ATTACKER, ADMIN = "198.18.9.9", "203.0.113.200"
# How much memory they may take, as long as they are there.
GROWTH_BYTES = 64 << 20
# For how long nothing is read, in seconds: less than what a reader is waited for.
UNREAD_S = 6
# When all connections are gone at the latest, in seconds: an idle one is kept for 75.
GONE_BOUND = 110
# Devices of the app.
DEVICES = 3000


# What they ask for, each in turn: what is large and open to everybody.
PATHS = ("/docs", "/openapi.yaml", "/metrics")


def trickle(sockets):
    """Reads a thousand bytes of each."""
    for one in sockets:
        with contextlib.suppress(OSError):
            one.recv(1000)


def list_devices(stage):
    """The status of an admin's list."""
    with contextlib.closing(stage.service.connect()) as connection, contextlib.suppress(Broken):
        return connection.request(
            "GET", f"{stage.app.path}/installations?limit=10", key=stage.app.keys["admin"],
            headers={"X-Forwarded-For": ADMIN}).status
    return None


def forget_highest(service):
    """Lets the most memory that the process has held be that of now."""
    pathlib.Path("/proc", str(service.process.pid), "clear_refs").write_text("5")


def unread_answers(stage):
    """2,500 connections of one address ask for what is large, do not read, then at 1 kB/s."""
    allow_files(CONNECTIONS + 1000)
    bring(stage, DEVICES)
    for device in stage.load.devices:
        device.pause = 0.2
    asked = [head("GET", path, headers={"X-Forwarded-For": ATTACKER}) for path in PATHS]
    with Probe(stage.app) as probe:
        quiet = time.monotonic()
        time.sleep(10)
        forget_highest(stage.service)
        before, began = stage.service.sample(), time.monotonic()
        sockets = open_sockets(stage, CONNECTIONS, receive_bytes=4096)
        for number, one in enumerate(sockets):
            one.sendall(asked[number % len(asked)])
            one.setblocking(False)
        statuses, gone = [], False
        while not gone and time.monotonic() < began + GONE_BOUND:
            statuses.append(list_devices(stage))
            if time.monotonic() > began + UNREAD_S:
                trickle(sockets)
            time.sleep(1)
            gone = stage.service.sample().descriptors <= before.descriptors + 10
        ended = time.monotonic()
    highest = stage.service.highest_bytes() - before.resident_bytes
    close_all(sockets)
    for device in stage.load.devices:
        device.pause = 0
    calm, busy = probe.between(quiet, began), probe.between(began, ended)
    refused = len([status for status in statuses if status != 200])
    stage.result.figures |= {
        "connections": CONNECTIONS, "gone_s": ended - began,
        "before_mb": before.resident_bytes >> 20, "growth_mb": highest / (1 << 20),
        "lists": len(statuses), "lists_refused": refused,
        "quiet_p50_ms": calm[0], "quiet_p99_ms": calm[1], "others_p50_ms": busy[0],
        "others_p99_ms": busy[1], "others_refused": busy[2]}
    stage.promise(gone, f"some of {CONNECTIONS} connections were there after {GONE_BOUND} s")
    stage.promise(highest <= GROWTH_BYTES, f"memory grew by {highest >> 20} MB meanwhile")
    stage.promise(refused == 0, f"{refused} of {len(statuses)} lists of an admin were refused")
    stage.promise(busy[2] == 0, f"{busy[2]} reports of other devices were refused")
    promise_others(stage, began)
