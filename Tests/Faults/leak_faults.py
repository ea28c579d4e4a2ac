"""A client key that leaked: whoever has it sends what fills the database, as fast as it goes.

`SECONDS` says for how long; 20 unless set.
"""

import collections
import contextlib
import dataclasses
import json
import math
import multiprocessing
import os
import secrets
import time
import uuid

from client import Broken, Connection, head
from load import SECRET, App, Probe, profile

PROCESSES, CONNECTIONS = 2, 8

# The defaults of POSTILION_LIMIT_ADDRESS_GROWTH and POSTILION_LIMIT_KEY_GROWTH: rows a second, and
# rows at once.
ADDRESS_GROWTH, KEY_GROWTH = (20, 1000), (50, 5_000_000)
DAY = 86_400

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
    body = b"" if body is None else json.dumps(body).encode()
    return head(method, f"{attack.path}/{name}", key=attack.key, headers={
        "Content-Type": "application/json", "Content-Length": len(body),
        "Postilion-Installation-Secret": SECRET,
        "X-Forwarded-For": attack.address(number)}) + body


# MARK: What adds rows: each gives method, path and body of a call for an installation of one's own.

def new_token():
    """A token of the most bytes that may be."""
    return secrets.token_hex(512)


def create(_):
    """A new installation with everything near its bounds."""
    return "PUT", f"installations/{uuid.uuid4()}", profile(
        new_token(), languages=[f"x{number:02}-{'a' * 8}" for number in range(50)],
        tags=[secrets.token_urlsafe(96) for _ in range(59)],
        attributes={f"a{number}": secrets.token_urlsafe(36) for number in range(64)})


def rotate(name):
    """A new token."""
    return "PATCH", f"installations/{name}", {"credentials": {"apns": {"token": new_token()}}}


def fail(_):
    """A failure with the longest text."""
    return "POST", "failures", {
        "kind": "apns", "installation_id": str(uuid.uuid4()),
        "error": {"domain": secrets.token_urlsafe(192), "code": 1,
                  "message": secrets.token_urlsafe(3072)}}


def change_tags(name):
    """Another tag."""
    return "PATCH", f"installations/{name}", {"tags": [uuid.uuid4().hex]}


def add_tags(name):
    """One tag more, by the route for tags."""
    return "POST", f"installations/{name}/tags", {"add": ["a"], "remove": [uuid.uuid4().hex]}


def change_languages(name):
    """Another language, and another build, of which the feed may tell."""
    return "PATCH", f"installations/{name}", {
        "languages": [f"x-{uuid.uuid4().hex[:8]}"], "app_build": str(time.time_ns())}


def delete_credential(name):
    """No token; the next rotation brings another."""
    return "DELETE", f"installations/{name}/credentials/apns", None


def delete_installation(name):
    """No installation; others are made anew."""
    return "DELETE", f"installations/{name}", None


CALLS = (create, rotate, fail, create, change_tags, add_tags, change_languages, delete_credential,
         rotate, change_tags, change_languages, delete_installation)


class Sender:
    """One process of the attacker: some connections at once, and the installations that it made."""

    def __init__(self, attack):
        self.attack, self.number = attack, 0
        self.clients = [Connection(attack.port, timeout=30) for _ in range(CONNECTIONS)]
        self.own = collections.deque(maxlen=1000)
        self.statuses = {}

    def next_call(self):
        """The next of the calls in turn, for the next of its installations."""
        self.number += 1
        call = CALLS[self.number % len(CALLS)]
        if call in (create, fail) or self.own:
            self.own.rotate()
            return call(self.own[0] if self.own else None)
        return create(None)

    def send(self):
        """Sends a call on each connection, then reads the answers."""
        waiting = []
        for client in self.clients:
            call = self.next_call()
            with contextlib.suppress(OSError):
                client.open().socket.sendall(
                    message(self.attack, self.number // len(CALLS), call))
                waiting.append((client, call))
        for client, (method, path, _) in waiting:
            status = answer_status(client)
            self.statuses[status] = self.statuses.get(status, 0) + 1
            name = path.removeprefix("installations/")
            if status == 201 and method == "PUT":
                self.own.append(name)
            if status == 204 and name in self.own:
                self.own.remove(name)


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
    """The rows that an app has in each table, all bytes, and what the service counted."""
    tables = stage.database.query(
        "SELECT relname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid"
        " WHERE relkind IN ('r', 'p') AND NOT relispartition AND attname = 'app_id'"
        " AND relnamespace = 'public'::regnamespace ORDER BY relname")
    rows = {table: int(stage.database.query(
        f"SELECT count(*) FROM {table} WHERE app_id ="
        f" (SELECT id FROM app WHERE slug = '{app.name}' AND deleted_at IS NULL)")[0])
            for table in tables}
    size_bytes = int(stage.database.query("SELECT pg_database_size(current_database())")[0])
    metrics = stage.service.connect().request("GET", "/metrics").body.decode().splitlines()
    counted = next(int(line.split()[1]) for line in metrics
                   if line.startswith("postilion_growth_rows_total "))
    return rows, size_bytes, counted


def promise_growth(stage, addresses, seconds, added, of_others):
    """What the attacker may have added: the buckets of its addresses, and that of the key."""
    bounds = [many * (burst + math.ceil(rate * seconds))
              for many, (rate, burst) in ((addresses, ADDRESS_GROWTH), (1, KEY_GROWTH))]
    rows = sum(added.values())
    stage.result.figures |= {"rows": rows, "rows_of_others_at_most": of_others,
                             "rows_allowed": min(bounds)}
    stage.promise(rows <= min(bounds) + of_others,
                  f"{rows} rows were added, {min(bounds)} are allowed to the attacker, and others"
                  f" added {of_others} at most")


def leak_key(stage, addresses=1):
    """An app's client key fills the database; devices of that app and of another one go on."""
    attacked = float(os.environ.get("SECONDS") or 20)
    leaky = App(stage.service, "leaky")
    for device in stage.load.devices:
        device.pause = 5  # Nearly all that is added is the attacker's.
    # Devices of another app, those of the same app, and those of it that have a new token.
    with (Probe(stage.app) as other, Probe(leaky, network="203.0.113") as same,
          Probe(leaky, rate=5, devices=50, network="203.0.113", rotates=True) as rotated):
        probes = {"other": other, "same": same, "rotated": rotated}
        quiet = time.monotonic()
        time.sleep(min(attacked, 15))
        before_rows, before_bytes, before_counted = size(stage, leaky)
        began = time.monotonic()
        answers = run_attack(Attack(
            stage.service.port, leaky.path, leaky.keys["client"], addresses, attacked))
        ended = time.monotonic()
        rows, size_bytes, counted = size(stage, leaky)
        measured = time.monotonic()
    added = {table: count - before_rows[table] for table, count in rows.items()
             if count > before_rows[table]}
    # A report of theirs changes tags, one row, or also the token, three; and one is under way.
    of_others = sum(cost * (1 + sum(began - 1 <= moment for moment, _ in list(probe.times)))
                    for probe, cost in ((same, 1), (rotated, 3)))
    promise_growth(stage, addresses, measured - began, added, of_others)
    byte_count, counted = size_bytes - before_bytes, counted - before_counted
    # One address is held to its rate from the first minute on; the key has its rows at once before.
    rate = (byte_count / (measured - began) if addresses == 1
            else byte_count / max(1, counted) * KEY_GROWTH[0])
    stage.result.figures |= answers | {
        "seconds": ended - began, "bytes_added": byte_count,
        "rows_counted": counted, "gigabytes_a_day": rate * DAY / 1e9} | {
        f"rows_{table}": count for table, count in added.items()}
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
