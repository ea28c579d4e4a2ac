"""Faults under a reader of the changes: what it read is compared with what is stored."""

import base64
import collections
import contextlib
import json
import multiprocessing
import os
import random
import struct
import threading
import time
import uuid

from client import Broken, Connection, head
from cluster import DEADLINE, await_true
from database_faults import await_return
from launches import LINES
from load import profile, quantile

# Kills of the database and of the service, in turn.
KILLS = int(os.environ.get("KILLS") or 6)
# How many changes there are at least; imports add them. Devices alone make some unless set.
CHANGES = int(os.environ.get("CHANGES") or 0)
# The installations whose tokens imports rotate, and how many of them in one import.
ROTATED, PORTION = 20_000, 500
# How soon a change is read once it is acknowledged, in seconds, while nothing is harmed: for 99 of
# 100.
LATENCY_BOUND = 0.05
# How many changes that is measured of.
MEASURED = 2000

ENTRIES = """
  SELECT transaction_id || ' ' || id || ' ' || installation_id || ' ' || event FROM (
    SELECT app_id, transaction_id, id, installation_id, event FROM token_history
    WHERE event <> 'replaced'
    UNION ALL SELECT app_id, transaction_id, id, installation_id, event FROM app_history
  ) AS h WHERE app_id = (SELECT id FROM app WHERE slug = '{}') AND {}
  ORDER BY transaction_id, id"""


class Follower(threading.Thread):
    """A reader that follows the changes, and comes back with its cursor whenever it is cut off.

    It comes back to any of the instances.
    """

    def __init__(self, app):
        super().__init__(daemon=True)
        self.app, self.stopping = app, threading.Event()
        self.cursor, self.breaks, self.strange = None, 0, []
        self.entries = []  # (transaction, number, installation, event), as they came.
        self.moments = {}  # When an installation was first read of with a token.

    def run(self):
        while not self.stopping.is_set():
            with contextlib.suppress(Broken, OSError):
                port = random.choice(self.app.instances).port
                self.follow(Connection(port, timeout=DEADLINE))
            self.breaks += 1
            self.stopping.wait(0.01)

    def follow(self, connection):
        """Reads one stream to its end."""
        after = f"&after={self.cursor}" if self.cursor else ""
        with contextlib.closing(connection):
            connection.open().socket.sendall(head(
                "GET", f"{self.app.path}/changes?follow=true{after}", key=self.app.keys["sender"]))
            status = connection.input.readline()
            if b" 200 " not in status:
                if status and b" 503 " not in status:
                    self.strange.append(status)
                return
            while connection.input.readline() not in (b"\r\n", b""):
                pass
            rest = b""
            while size := int(connection.input.readline() or b"0", 16):
                *lines, rest = (rest + connection.input.read(size)).split(b"\n")
                connection.input.read(2)
                for line in lines:
                    self.take(json.loads(line))

    def take(self, entry):
        """Keeps an entry; a heartbeat has only a cursor, and an error has none."""
        if "error" in entry:
            if entry["error"]["status"] != 503:
                self.strange.append(entry["error"])
            return
        self.cursor = entry["cursor"]
        if "event" not in entry:
            return
        self.entries.append(identity(entry))
        self.moments.setdefault(entry["installation_id"], time.monotonic())


def identity(entry):
    """What tells an entry from all others: (transaction, number, installation, event)."""
    _, transaction, number, _ = struct.unpack(
        ">qQqq", base64.urlsafe_b64decode(entry["cursor"] + "="))
    return transaction, number, entry["installation_id"], entry["event"]


def rotate(app):
    """Rotates tokens by imports, one after the other; what breaks off is not sent again."""
    chance = random.Random(1)
    while True:
        lines = "\n".join(
            json.dumps({"installation_id": str(uuid.UUID(int=(2 << 96) + number)),
                        **profile(chance.randbytes(32).hex())})
            for number in chance.sample(range(ROTATED), PORTION))
        with contextlib.suppress(Broken, OSError, RuntimeError):
            app.service.call("POST", f"{app.path}/installations/import", lines.encode(),
                             key=app.keys["admin"], kind=LINES)


def stored(stage, condition="true"):
    """The entries of the app in the tables, in their order."""
    return [(int(transaction), int(number), installation, event)
            for transaction, number, installation, event
            in (line.split(" ") for line in stage.database.query(
                ENTRIES.format(stage.app.name, condition)))]


def disorders(entries):
    """How many entries are not behind the one before of the same installation."""
    last, count = collections.defaultdict(tuple), 0
    for transaction, number, installation, _ in entries:
        count += (transaction, number) <= last[installation]
        last[installation] = (transaction, number)
    return count


def latencies(stage, follower, since):
    """How long after their acknowledgements new installations were read of."""
    times = []
    for device in stage.load.devices:
        for (name, _), moment in list(zip(device.events, device.acknowledgements)):
            if moment > since and name in follower.moments:
                times.append(follower.moments[name] - moment)
    return times


def feed(stage):
    """The database and the service end at once, in turn, while a reader follows the changes."""
    follower = Follower(stage.app)
    follower.start()
    try:
        await_true(lambda: len(follower.entries) > 0, "the reader reads")
        await_true(lambda: len(follower.entries) >= len(stored(stage)) - 100, "it has caught up")
        measure(stage, follower)
        kill(stage, follower)
        await_return(stage, time.monotonic())
        stage.result.figures |= {"kills": KILLS} | compare(stage, follower)
    finally:
        follower.stopping.set()


def kill(stage, follower):
    """Ends database and service in turn, in the midst of changes."""
    # A process of its own: the devices and the reader share one.
    rotations = multiprocessing.get_context("fork").Process(
        target=rotate, args=(stage.app,), daemon=True)
    if CHANGES:
        rotations.start()
    for number in range(KILLS):
        if number % 2:
            stage.service.kill()
            stage.service.start()
        else:
            stage.database.kill()
            stage.database.start()
        stage.load.await_more()
        wanted = (number + 1) * CHANGES // KILLS
        await_true(lambda: len(follower.entries) >= wanted, f"{wanted} changes", 10 * DEADLINE)
    if CHANGES:
        rotations.terminate()
        rotations.join()


def measure(stage, follower):
    """Notes how long changes take to their reader while nothing is harmed."""
    since = time.monotonic()
    await_true(lambda: len(latencies(stage, follower, since)) >= MEASURED,
               f"{MEASURED} changes are read", 10 * DEADLINE)
    times = latencies(stage, follower, since)
    stage.result.figures |= {
        "read_p50_ms": 1000 * quantile(times, 0.5), "read_p99_ms": 1000 * quantile(times, 0.99)}
    stage.promise(quantile(times, 0.99) <= LATENCY_BOUND,
                  f"99 of 100 changes were read within {1000 * quantile(times, 0.99):.0f} ms,"
                  f" promised are {1000 * LATENCY_BOUND:.0f} ms")


def compare(stage, follower):
    """Compares what was read with what is stored, up to what is stored now; gives the figures."""
    last = stored(stage)[-1][:2]
    await_true(lambda: follower.entries and follower.entries[-1][:2] >= last,
               "the reader has caught up", 2 * DEADLINE)
    # Once a later one was told, nothing comes in between.
    expected = stored(stage, f"(transaction_id, id) <= ('{last[0]}'::xid8, {last[1]})")
    read = [entry for entry in follower.entries if entry[:2] <= last]
    missing, known = set(expected) - set(read), set(expected)
    more = [entry for entry in read if entry not in known]
    twice = len(read) - len(set(read))
    stage.promise(not missing, f"{len(missing)} changes were not read")
    stage.promise(not more, f"{len(more)} changes were read that are not stored")
    stage.promise(not twice, f"{twice} changes were read twice")
    stage.promise(not disorders(read), f"{disorders(read)} changes were out of their order")
    stage.promise(not follower.strange, f"the reader was answered {follower.strange[:3]}")
    return {"changes": len(expected), "missing": len(missing), "twice": twice,
            "unknown": len(more), "disorders": disorders(read), "breaks": follower.breaks}
