"""A client key that leaked: whoever has it sends what fills the database, as fast as it goes.

`SECONDS` says for how long; 20 unless set.
"""

import contextlib
import json
import multiprocessing
import os
import time
import uuid

from client import Broken, Connection, head
from load import App, Probe, profile

PROCESSES, CONNECTIONS = 2, 8
# The attacker comes from another address than the devices, as it does in life.
ADDRESS = "127.0.0.2"

TABLES = ("installation", "token_owner", "token_history", "registration_failure")


def largest_report():
    """A new installation with everything near its bounds."""
    name = str(uuid.uuid4())
    report = profile(
        uuid.uuid4().hex * 30, languages=[f"x{number:02}-{'a' * 8}" for number in range(50)],
        tags=[uuid.uuid4().hex * 4 for _ in range(60)],
        attributes={f"a{number}": uuid.uuid4().hex for number in range(64)})
    return "PUT", f"installations/{name}", report


def largest_failure():
    """A failure with the longest text."""
    return "POST", "failures", {
        "kind": "apns", "installation_id": str(uuid.uuid4()),
        "error": {"domain": uuid.uuid4().hex * 8, "code": 1, "message": uuid.uuid4().hex * 128}}


def message(path, key, content):
    """The bytes of a request."""
    method, name, body = content
    body = json.dumps(body).encode()
    return head(method, f"{path}/{name}", key=key, headers={
        "Content-Type": "application/json", "Content-Length": len(body)}) + body


def attack(port, path, key, seconds, counts):
    """Sends new installations and failures on some connections at once; counts the answers."""
    statuses, number = {}, 0
    clients = [Connection(port, timeout=30, source=ADDRESS) for _ in range(CONNECTIONS)]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        waiting = []
        for client in clients:
            number += 1
            with contextlib.suppress(OSError):
                client.open().socket.sendall(message(
                    path, key, largest_failure() if number % 4 == 0 else largest_report()))
                waiting.append(client)
        for client in waiting:
            status = "broken"
            try:
                answer = client.read_answer()
                status = answer.status
                if answer.headers.get("connection") == "close":
                    client.close()
            except (Broken, OSError):
                client.close()
            statuses[status] = statuses.get(status, 0) + 1
    counts.put(statuses)


def size(stage):
    """The rows of the tables that an app's clients write, and the bytes of the database."""
    rows = {table: int(stage.database.query(f"SELECT count(*) FROM {table}")[0])
            for table in TABLES}
    size_bytes = int(stage.database.query("SELECT pg_database_size(current_database())")[0])
    return rows, size_bytes


def run_attack(stage, app, seconds):
    """Attacks from some processes; gives how often each status was answered."""
    context = multiprocessing.get_context("fork")
    counts = context.Queue()
    processes = [context.Process(target=attack, daemon=True, args=(
        stage.service.port, app.path, app.keys["client"], seconds, counts))
        for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    total = {}
    for _ in processes:
        for status, count in counts.get(timeout=seconds + 60).items():
            total[f"attacker_{status}"] = total.get(f"attacker_{status}", 0) + count
    for process in processes:
        process.join(60)
    return total


def leak_key(stage):
    """An app's client key fills the database, while devices of another app go on."""
    seconds = float(os.environ.get("SECONDS") or 20)
    leaky = App(stage.service, "leaky")
    for device in stage.load.devices:
        device.pause = 0.2
    with Probe(stage.app) as probe:
        quiet = time.monotonic()
        time.sleep(min(seconds, 15))
        rows, size_bytes = size(stage)
        began = time.monotonic()
        answers = run_attack(stage, leaky, seconds)
        ended = time.monotonic()
        rows_after, bytes_after = size(stage)
    before, during = probe.between(quiet, began), probe.between(began, ended)
    stage.result.figures |= answers | {
        "seconds": ended - began, "bytes_added": bytes_after - size_bytes,
        "quiet_p50_ms": before[0], "quiet_p99_ms": before[1],
        "attacked_p50_ms": during[0], "attacked_p99_ms": during[1],
        "others_refused": during[2]} | {
        f"rows_{table}": rows_after[table] - rows[table] for table in TABLES}
    stage.promise(during[2] == 0, f"{during[2]} requests of another app were refused")
    for device in stage.load.devices:
        device.pause = 0
