"""What an update is tried with: both programs, devices, readers, a receiver, and the comparison."""

import collections
import contextlib
import os
import pathlib
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Faults"))
# pylint: disable=wrong-import-position
import feed_faults  # noqa: E402
from cluster import DEADLINE, await_true  # noqa: E402
from feed_faults import Follower, identity, stored  # noqa: E402
from frozen_faults import OPTIONS, Receiver  # noqa: E402
from instance_faults import Knowledge, Teller, spread  # noqa: E402
from load import App, Load  # noqa: E402
from stage import Stage  # noqa: E402
from traffic import MESSAGE, multipart, strings  # noqa: E402

DEVICES = 8
# How long a device rests between two calls, in seconds: readers and receiver share its process.
REST = 0.02
# How many acknowledgements each device has before the next change of the programs.
CALLS = 25
# Each of so many deliveries is refused at first, and has to come again.
REFUSED = 100
# Deliveries that one receiver gets at a time: those that are under way at an instance that ends may
# come again (docs/webhooks.md).
ATTEMPTS = 8
# What the catalog and the build of the devices make of the message.
ALERT = {"title": "Ordered (fr)", "title-loc-key": "ORDERED",
         "body": "Zoé, it is ready (fr).", "loc-key": "READY", "loc-args": ["Zoé"]}


def last_release():
    """The program of the last release."""
    path = os.environ.get("PREVIOUS", "")
    if not os.access(path, os.X_OK):
        raise RuntimeError(f"There is no program {path}: name that of the last release in PREVIOUS")
    return path


def is_ready(service):
    """Whether a balancer would send calls to an instance."""
    with contextlib.closing(service.connect()) as connection:
        return connection.request("GET", "/readyz").status == 200


class Customer(Teller):
    """A device whose backend also renders for it, and compares the answer with what it knows."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.pause = REST
        self.renderings, self.wrong = 0, []

    def step(self):
        known = [name for name in list(self.tokens)[-50:] if self.tokens[name]]
        if known and self.random.random() < 0.3:
            self.render(self.random.choice(known))
        else:
            super().step()

    def render(self, name):
        """Renders for an installation; only the token that was acknowledged last is right."""
        answer = self.send("POST", f"{self.app.path}/render", {
            "message": MESSAGE, "arguments": {"name": "Zoé"}, "to": {"installation": name},
        }, key="sender")
        if answer is None or answer.status == 503:
            return
        self.renderings += 1
        told = answer.json()
        if name in self.dead:
            is_right = (answer.status, told.get("code")) == (409, "no_usable_credential")
        else:
            is_right = answer.status == 200 and told["token"] == self.tokens[name] \
                and told["payload"]["aps"]["alert"] == ALERT
        if not is_right:
            self.wrong.append((name, self.tokens[name], name in self.dead, told))


class Pager(Follower):
    """A reader that asks for page after page, each of any instance."""

    def follow(self, connection):
        """Reads one page."""
        after = f"&after={self.cursor}" if self.cursor else ""
        with contextlib.closing(connection):
            answer = connection.request("GET", f"{self.app.path}/changes?limit=200{after}",
                                        key=self.app.keys["sender"])
        if answer.status == 503:
            return
        if answer.status != 200:
            self.strange.append(answer.body)
            return
        page = answer.json()
        for entry in page["items"]:
            self.take(entry)
        self.cursor = page["next_cursor"]


class Witness(Receiver):
    """A receiver that is told of everything; it remembers what it took, and first refuses some."""

    def __init__(self, app):
        self.turn = threading.Lock()
        self.taken = []  # The entries that it took, without repetitions, as they came.
        self.names = {}  # The entry of each `webhook-id`.
        self.refused, self.again, self.wrong = 0, 0, []
        super().__init__(app, events=None)

    def take(self, name, entry):
        """Notes a delivery."""
        entry = identity(entry)
        with self.turn:
            is_new = name not in self.names
            if self.names.setdefault(name, entry) != entry:
                self.wrong.append(name)
            if is_new and len(self.names) % REFUSED == 0:
                self.refused += 1
                return 500
            self.arrivals[name] += 1
            if self.arrivals[name] > 1:
                self.again += 1
            else:
                self.taken.append(entry)
        return 200


class Update(Stage):
    """Two instances over one database, whose programs change while devices and readers go on.

    Both begin with the last release.
    """

    def __init__(self, workshop, name):
        super().__init__(workshop, name, options=OPTIONS, devices=0,
                         programs=[last_release(), last_release()])
        self.ends, self.kills, self.start_s = 0, 0, 0.0
        self.times = collections.defaultdict(list)

    def build(self):
        """Starts everything; nothing happens before the receiver is there."""
        super().build()
        files = {"fr.lproj/Localizable.strings": strings("fr", 2)}
        body, kind = multipart(files)
        self.service.call("PUT", f"{self.app.path}/catalogs/412", body, kind=kind)
        self.knowledge = Knowledge(App(self.service, "knowledge"))
        self.witness = Witness(self.app)
        self.resources.callback(self.witness.server.shutdown)
        self.readers = [Follower(self.app), Pager(self.app)]
        for reader in self.readers:
            reader.start()
            self.resources.callback(reader.stopping.set)
        self.load = Load(self.app, DEVICES, Customer)
        self.load.__enter__()
        self.resources.callback(self.load.stop)

    def run(self, *programs):
        """Has each instance run a program, or none, and waits until all goes on with these.

        Of the instances that end every second one is killed.
        """
        changing = [(service, wanted) for service, wanted in zip(self.services, programs)
                    if wanted != (service.program if service.process.poll() is None else None)]
        for service, _ in changing:
            if service.process.poll() is None:
                self.end(service)
        for service, wanted in changing:
            if wanted:
                service.program, began = wanted, time.monotonic()
                service.start()
                self.start_s = max(self.start_s, time.monotonic() - began)
        for service, wanted in zip(self.services, programs):
            if wanted:
                await_true(lambda: is_ready(service), "it is ready")
        before = self.counts()
        self.load.await_more(CALLS, 2 * DEADLINE)
        await_true(lambda: all(now > then for now, then in zip(self.counts(), before)),
                   "readers and receiver are told of changes", 2 * DEADLINE)
        if all(programs):
            spread(self.knowledge, self.services[self.ends % 2], self.services, self.times)

    def counts(self):
        """How much each reader has read and the receiver has taken."""
        return [*(len(reader.entries) for reader in self.readers), len(self.witness.taken)]

    def end(self, service):
        """Ends an instance, in order or at once."""
        self.ends += 1
        if self.ends % 2:
            status, _ = service.terminate()
            self.promise(status == 0, f"an instance ended with the status {status}")
        else:
            self.kills += 1
            service.kill()

    def conclude(self):
        """Compares what was acknowledged with what is stored, told and delivered."""
        self.load.stop()
        compared = [feed_faults.compare(self, reader) for reader in self.readers]
        everything = set(stored(self))
        with contextlib.suppress(TimeoutError):
            await_true(lambda: everything <= set(list(self.witness.taken)),
                       "the receiver has all", 2 * DEADLINE)
        witness, devices = self.witness, self.load.devices
        wrong = [one for device in devices for one in device.wrong]
        undelivered = everything - set(witness.taken)
        self.promise(not wrong, f"{len(wrong)} renderings were wrong: {wrong[:2]}")
        self.promise(not undelivered, f"{len(undelivered)} changes were not delivered")
        self.promise(set(witness.taken) <= everything, "a delivery is of no stored change")
        self.promise(len(witness.names) == len(everything) and not witness.wrong,
                     f"{len(witness.names)} ids of {len(everything)} changes were delivered")
        self.promise(not feed_faults.disorders(witness.taken), "deliveries were out of their order")
        self.promise(witness.again <= ATTEMPTS * self.ends,
                     f"{witness.again} deliveries came again, with {self.ends} ends of instances")
        self.result.figures |= {
            "ends": self.ends, "kills": self.kills, "start_s": self.start_s,
            "renderings": sum(device.renderings for device in devices),
            "registrations": sum(len(device.events) for device in devices),
            "changes": len(everything), "delivered": len(witness.names),
            "refused": witness.refused, "again": witness.again,
            "spread": sum(map(len, self.times.values())),
            "spread_s": max(max(seconds) for seconds in self.times.values()),
            "missing": sum(one["missing"] for one in compared),
            "twice": sum(one["twice"] for one in compared)}
        return super().conclude()

    def text(self):
        """What was seen, in a sentence."""
        result, figures = self.result, self.result.figures
        return (
            f"{figures['ends']} restarts, {figures['kills']} of them kills;"
            f" {result.acknowledged} changes acknowledged ({figures['registrations']}"
            f" registrations), {result.lost} lost; {figures['renderings']} renderings;"
            f" {figures['changes']} entries of the feed, read as a stream and by pages:"
            f" {figures['missing']} missing, {figures['twice']} twice;"
            f" {figures['delivered']} told to the webhook, {figures['refused']} of them after they"
            f" were refused, {figures['again']} again;"
            f" {figures['spread']} keys, catalogs and messages known to both within"
            f" {figures['spread_s']:.1f} s;"
            f" starts within {figures['start_s']:.1f} s, outage {result.outage_s:.1f} s at most")
