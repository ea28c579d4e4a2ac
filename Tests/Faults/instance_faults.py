"""Several instances over one database: what one of them is told, all of them know.

Environment:

- `ROUNDS`: how often each kind of change is made, and an instance is killed; 12 unless set.
- `STARTS`: how often all start at once on an empty database; 5 unless set.
"""

import collections
import contextlib
import json
import os
import random
import threading
import time
import uuid

import audit
from client import Broken
from cluster import DEADLINE, await_true
from database_faults import RETURN_BOUND
from load import PAUSE, Device, profile, quantile
from service import Service
from traffic import multipart

INSTANCES = 3
ROUNDS = int(os.environ.get("ROUNDS") or 12)
STARTS = int(os.environ.get("STARTS") or 5)
# How soon all instances know of a change, in seconds after its acknowledgement.
SPREAD_BOUND = 1.0
# The tokens that rivals take from each other.
CONTESTED = 20


class Teller(Device):
    """A device whose backend also tells what APNs answered: that a token is dead.

    Later the device gets a new token, moves the dead one, or brings it again, which revives it.
    """

    def step(self):
        known = [name for name in list(self.tokens)[-50:] if self.tokens[name]]
        if not known or self.random.random() < 0.75:
            super().step()
            return
        name = self.random.choice(known)
        if name in self.dead:
            self.perform(name, self.tokens[name], None)
        elif self.insist({name}, lambda: self.tell_death(self.tokens[name])):
            self.dead.add(name)
            self.deaths.append((name, self.tokens[name]))

    def tell_death(self, token):
        """Reports an answer of APNs once; whether it was believed, now or the time before."""
        answer = self.send("POST", f"{self.app.path}/feedback", {"results": [
            {"token": token, "environment": "production", "status": 410, "reason": "Unregistered"},
        ]}, key="sender")
        if answer is None or answer.status != 200:
            return False
        result = answer.json()["results"][0]
        decision = (result["decision"], result.get("detail"))
        if decision not in (("invalidated", None), ("no_action", "already_invalid")):
            raise RuntimeError(f"A dead token that is in use was answered {decision}")
        return True


class Rival(threading.Thread):
    """Takes tokens from the others, through an instance of its own.

    Each rival has an installation of its own for each token, so a token that anybody took is owned
    by one of them for ever.
    """

    def __init__(self, app, service, number, stopping):
        super().__init__(daemon=True)
        self.app, self.connection, self.stopping = app, service.connect(timeout=DEADLINE), stopping
        self.names = [str(uuid.UUID(int=(3 + number << 96) + token)) for token in range(CONTESTED)]
        self.random = random.Random(number)
        self.taken = collections.Counter()
        self.statuses = collections.Counter()

    @staticmethod
    def token(number):
        """One of the contested tokens."""
        return f"{number:064x}"

    def run(self):
        while not self.stopping.is_set():
            number, status = self.random.randrange(CONTESTED), "broken"
            with contextlib.suppress(Broken):
                status = self.connection.request(
                    "PUT", self.app.installation(self.names[number]), profile(self.token(number)),
                    key=self.app.keys["sender"]).status
            self.statuses[status] += 1
            if status in (200, 201):
                self.taken[number] += 1
            else:
                self.stopping.wait(PAUSE)
        self.connection.close()


@contextlib.contextmanager
def rivals(stage):
    """A rival at each instance; in the end each token has one owner, who took it."""
    stopping = threading.Event()
    threads = [Rival(stage.app, service, number, stopping)
               for number, service in enumerate(stage.services)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopping.set()
        for thread in threads:
            thread.join(2 * DEADLINE)
    holders = collections.defaultdict(list)
    for name, (token, _) in audit.stored_tokens(stage.database, stage.app.name).items():
        holders[token].append(name)
    wrong = []
    for number in range(CONTESTED):
        names, takers = holders[Rival.token(number)], {thread.names[number] for thread in threads}
        was_taken = any(thread.taken[number] for thread in threads)
        if len(names) > 1 or was_taken and not takers.issuperset(names or [None]):
            wrong.append(number)
    stage.result.figures["contested"] = sum(sum(thread.taken.values()) for thread in threads)
    stage.promise(not wrong, f"the tokens {wrong} do not have one owner")
    strange = {status for thread in threads for status in thread.statuses} - {
        200, 201, 409, 503, "broken"}
    stage.promise(not strange, f"rivals were answered {strange}")


class Knowledge:
    """What each instance remembers of an app: keys, a catalog, a message."""

    def __init__(self, app):
        self.app, self.number, self.name = app, 0, str(uuid.uuid4())
        app.service.call("PUT", app.installation(self.name), profile(uuid.uuid4().hex * 2))

    def change(self, service):
        """Makes each change through an instance.

        Yields the name of a change once it is acknowledged, and what asks an instance for it.
        """
        self.number += 1
        text, path = f"round {self.number}", self.app.path
        made = service.call("POST", f"{path}/keys", {"kind": "sender"}).json()
        yield "made key", lambda instance: self.takes(instance, made["key"])
        service.call("DELETE", f"{path}/keys/{made['id']}")
        yield "revoked key", lambda instance: not self.takes(instance, made["key"])
        body, kind = multipart({"fr.lproj/Localizable.strings": f'"READY" = "{text}";\n'})
        service.call("PUT", f"{path}/catalogs/412", body, kind=kind)
        keyed = {"alert": {"body": {"key": "READY"}}}
        yield "catalog", lambda instance: self.text(instance, keyed) == text
        service.call("PUT", f"{path}/messages/ready", {"alert": text})
        yield "message", lambda instance: self.text(instance, "ready") == text

    def takes(self, instance, key):
        """Whether an instance takes a key."""
        with contextlib.closing(instance.connect()) as connection:
            status = connection.request(
                "GET", f"{self.app.path}/installations?limit=1", key=key).status
        if status not in (200, 401):
            raise RuntimeError(f"A key was answered {status}")
        return status == 200

    def text(self, instance, message):
        """The text that an instance makes of a message; `None` where it cannot."""
        with contextlib.closing(instance.connect()) as connection:
            answer = connection.request(
                "POST", f"{self.app.path}/render",
                {"message": message, "to": {"installation": self.name}},
                key=self.app.keys["sender"])
        if answer.status != 200:
            return None
        alert = answer.json()["payload"]["aps"]["alert"]
        return alert.get("body") if isinstance(alert, dict) else alert


def spread(knowledge, service, instances, times):
    """Makes each change through an instance, and notes when the last of some instances knew it."""
    for name, is_known in knowledge.change(service):
        acknowledged = time.monotonic()
        for instance in instances:
            await_true(lambda: is_known(instance), f"the {name} is known to all", DEADLINE)
        times[name].append(time.monotonic() - acknowledged)


def spread_to_starting(stage, knowledge, service, victim, times):
    """The same while an instance starts: it has to know what was changed before, and meanwhile."""
    others = [instance for instance in stage.services if instance is not victim]
    changes = []
    victim.start(is_awaited=False)
    for name, is_known in knowledge.change(service):
        acknowledged = time.monotonic()
        for instance in others:
            await_true(lambda: is_known(instance), f"the {name} is known to the others", DEADLINE)
        times[name].append(time.monotonic() - acknowledged)
        changes.append((name, is_known))
    victim.await_ready()
    ready = time.monotonic()
    for name, is_known in changes[1:]:  # The key that was made is revoked by now.
        await_true(lambda: is_known(victim), f"the {name} is known to the new one", DEADLINE)
    times["start"].append(time.monotonic() - ready)


def instances(stage):
    """Three instances start at once, and are killed in turn, while each is told of changes.

    Devices go to any of them with each request.
    """
    roots = stage.database.query("SELECT count(*) FROM api_key WHERE kind = 'root'")
    stage.promise(roots == ["1"], f"the first start made {roots[0]} root keys")
    times, outages = collections.defaultdict(list), []
    knowledge = Knowledge(stage.app)
    with rivals(stage):
        for number in range(ROUNDS):
            maker, victim = (stage.services[(number + step) % INSTANCES] for step in (0, 1))
            spread(knowledge, maker, stage.services, times)
            killed = time.monotonic()
            victim.kill()
            stage.load.await_more(5)
            outages.append(stage.load.outage_after(killed))
            spread_to_starting(stage, knowledge, maker, victim, times)
            stage.load.await_more(5)
    stage.result.figures |= {"kills": len(outages), "return_s": max(outages)}
    stage.promise(max(outages) <= RETURN_BOUND,
                  f"devices went on {max(outages):.2f} s after an instance was killed,"
                  f" promised is {RETURN_BOUND} s")
    for name, seconds in times.items():
        stage.result.figures |= {
            f"{name} p50_ms": 1000 * quantile(seconds, 0.5), f"{name} max_ms": 1000 * max(seconds)}
        stage.promise(max(seconds) <= SPREAD_BOUND,
                      f"{name}: known to all after {max(seconds):.2f} s,"
                      f" promised is {SPREAD_BOUND} s")
    starts = [start_together(stage, number) for number in range(STARTS)]
    stage.result.figures |= {"starts": len(starts), "start_s": max(starts, default=0)}


def start_together(stage, number):
    """Starts instances at once on an empty database without a root key; gives the seconds."""
    name = f"start_{number}"
    stage.database.query(f"CREATE DATABASE {name}")
    url = stage.database.url.rsplit("/", 1)[0] + "/" + name
    services = []
    began = time.monotonic()
    try:
        for instance in range(INSTANCES):
            folder = stage.folder / f"{name}-{instance}"
            folder.mkdir()
            services.append(Service(url, folder, settings={
                "POSTILION_ROOT_KEY": "", "POSTILION_LOG_LEVEL": "info"}))
            services[-1].start(is_awaited=False)
        for service in services:
            service.await_ready()
        seconds = time.monotonic() - began
        keys = [line.split()[-1] for service in services for line in service.greeting
                if line.startswith("root key ")]
        stage.promise(len(keys) == 1, f"{len(keys)} root keys were told")
        for service in services:
            service.call("GET", "/v1/apps", key=keys[0])
            service.terminate()
        check_migrations(stage, url, services)
        return seconds
    finally:
        for service in services:
            service.end()
        stage.database.query(f"DROP DATABASE {name} WITH (FORCE)")


def check_migrations(stage, url, services):
    """One instance migrated, each migration once."""
    migrated = [[record["name"] for record in map(json.loads, service.log_lines())
                 if record["event"] == "migrated"] for service in services]
    names = stage.database.query("SELECT name FROM schema_migration ORDER BY name", url=url)
    stage.promise([done for done in migrated if done] == [names],
                  f"of {len(names)} migrations the instances made {list(map(len, migrated))}")
