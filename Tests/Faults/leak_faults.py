"""A client key that leaked: whoever has it sends what fills the database, as fast as it goes.

`SECONDS` says for how long; 20 unless set.
"""

import collections
import contextlib
import dataclasses
import json
import multiprocessing
import os
import time
import uuid

from client import Broken, Connection, head
from load import SECRET, App, Probe, profile

PROCESSES, CONNECTIONS = 2, 8

TABLES = ("installation", "token_owner", "token_history", "registration_failure")

# The service believes this machine when it says for whom it calls, as it believes a proxy. Calls
# from this machine itself are not limited by address.
OPTIONS = {"POSTILION_TRUSTED_PROXIES": "127.0.0.1"}


@dataclasses.dataclass
class Attack:
    """What an attacker has: the app, its client key, a number of addresses, and time."""

    port: int
    path: str
    key: str
    addresses: int
    seconds: float

    def address(self, number):
        """One of the addresses of the attacker."""
        number %= self.addresses
        return f"198.18.{number // 250}.{number % 250 + 1}"


def message(attack, number, content):
    """The bytes of a request."""
    method, name, body = content
    body = json.dumps(body).encode()
    return head(method, f"{attack.path}/{name}", key=attack.key, headers={
        "Content-Type": "application/json", "Content-Length": len(body),
        "Postilion-Installation-Secret": SECRET,
        "X-Forwarded-For": attack.address(number)}) + body


def largest_report(name, token):
    """A report with everything near its bounds."""
    return "PUT", f"installations/{name}", profile(
        token, languages=[f"x{number:02}-{'a' * 8}" for number in range(50)],
        tags=[uuid.uuid4().hex * 4 for _ in range(60)],
        attributes={f"a{number}": uuid.uuid4().hex for number in range(64)})


def largest_failure():
    """A failure with the longest text."""
    return "POST", "failures", {
        "kind": "apns", "installation_id": str(uuid.uuid4()),
        "error": {"domain": uuid.uuid4().hex * 8, "code": 1, "message": uuid.uuid4().hex * 128}}


class Sender:
    """One process of the attacker: some connections at once, and the installations that it made."""

    def __init__(self, attack):
        self.attack, self.number = attack, 0
        self.clients = [Connection(attack.port, timeout=30) for _ in range(CONNECTIONS)]
        self.own = collections.deque(maxlen=1000)
        self.statuses = {}

    def next_call(self):
        """What adds rows: of four calls two new installations, a new token of one, a failure."""
        self.number += 1
        if self.number % 4 == 0:
            return largest_failure()
        token = uuid.uuid4().hex * 30
        if self.number % 4 == 1 and self.own:
            self.own.rotate()
            return largest_report(self.own[0], token)
        return largest_report(str(uuid.uuid4()), token)

    def send(self):
        """Sends a call on each connection, then reads the answers."""
        waiting = []
        for client in self.clients:
            call = self.next_call()
            with contextlib.suppress(OSError):
                client.open().socket.sendall(message(self.attack, self.number // 4, call))
                waiting.append((client, call))
        for client, (_, path, _) in waiting:
            status = answer_status(client)
            self.statuses[status] = self.statuses.get(status, 0) + 1
            if status == 201 and path.startswith("installations/"):
                self.own.append(path.removeprefix("installations/"))


def send(attack, counts):
    """Sends what adds rows for some time; counts the answers."""
    sender = Sender(attack)
    end = time.monotonic() + attack.seconds
    while time.monotonic() < end:
        sender.send()
    counts.put(sender.statuses)


def answer_status(client):
    """Reads an answer; gives its status."""
    try:
        answer = client.read_answer()
    except (Broken, OSError):
        client.close()
        return "broken"
    if answer.headers.get("connection") == "close":
        client.close()
    return answer.status


def run_attack(attack):
    """Attacks from some processes; gives how often each status was answered."""
    context = multiprocessing.get_context("fork")
    counts = context.Queue()
    processes = [context.Process(target=send, daemon=True, args=(attack, counts))
                 for _ in range(PROCESSES)]
    for process in processes:
        process.start()
    total = {}
    for _ in processes:
        for status, count in counts.get(timeout=attack.seconds + 60).items():
            total[f"attacker_{status}"] = total.get(f"attacker_{status}", 0) + count
    for process in processes:
        process.join(60)
    return total


def size(stage, app):
    """The rows that an app has in the tables that its clients write, and all bytes."""
    rows = {table: int(stage.database.query(
        f"SELECT count(*) FROM {table} WHERE app_id ="
        f" (SELECT id FROM app WHERE slug = '{app.name}' AND deleted_at IS NULL)")[0])
            for table in TABLES}
    size_bytes = int(stage.database.query("SELECT pg_database_size(current_database())")[0])
    return rows, size_bytes


def leak_key(stage, addresses=1):
    """An app's client key fills the database; devices of that app and of another one go on."""
    seconds = float(os.environ.get("SECONDS") or 20)
    leaky = App(stage.service, "leaky")
    for device in stage.load.devices:
        device.pause = 5  # Nearly all that is added is the attacker's.
    # Devices of another app, those of the same app, and those of it that have a new token.
    with (Probe(stage.app) as other, Probe(leaky, network="203.0.113") as same,
          Probe(leaky, rate=5, devices=50, network="203.0.113", rotates=True) as rotated):
        probes = {"other": other, "same": same, "rotated": rotated}
        quiet = time.monotonic()
        time.sleep(min(seconds, 15))
        rows, size_bytes = size(stage, leaky)
        began = time.monotonic()
        answers = run_attack(Attack(
            stage.service.port, leaky.path, leaky.keys["client"], addresses, seconds))
        ended = time.monotonic()
        rows_after, bytes_after = size(stage, leaky)
    stage.result.figures |= answers | {
        "seconds": ended - began, "bytes_added": bytes_after - size_bytes} | {
        f"rows_{table}": rows_after[table] - rows[table] for table in TABLES}
    for name, probe in probes.items():
        before, during = probe.between(quiet, began), probe.between(began, ended)
        stage.result.figures |= {
            f"{name}_quiet_p50_ms": before[0], f"{name}_quiet_p99_ms": before[1],
            f"{name}_p50_ms": during[0], f"{name}_p99_ms": during[1], f"{name}_refused": during[2]}
    for name in ("other", "same"):
        refused = stage.result.figures[f"{name}_refused"]
        stage.promise(refused == 0, f"{refused} reports of devices of the {name} app were refused")
    for device in stage.load.devices:
        device.pause = 0


def leak_key_to_many(stage):
    """The same from a thousand addresses."""
    leak_key(stage, addresses=1000)
