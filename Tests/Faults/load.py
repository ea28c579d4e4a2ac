"""Devices that register, rotate and move their tokens, and remember what was acknowledged."""

import contextlib
import dataclasses
import random
import threading
import time
import uuid

from client import Broken
from cluster import DEADLINE, await_true

# How long a device waits between two attempts at the same request, in seconds.
PAUSE = 0.02

SECRET = "secret-of-all-devices-of-the-campaign"


def profile(token, **more):
    """The report of a device."""
    return {"platform": "ios", "environment": "production",
            "credentials": {"apns": {"token": token}}, "languages": ["fr-CA", "en"],
            "locale": "fr_CA", "time_zone": "America/Toronto", "app_version": "3.2.0",
            "app_build": "412", "os_version": "26.1", "device_model": "iPhone17,1",
            "capabilities": ["loc-key"], **more}


class App:
    """An app of the service with its keys, and the instances of the service that devices call."""

    def __init__(self, service, name="food", instances=()):
        self.service, self.name, self.path = service, name, f"/v1/apps/{name}"
        self.instances = list(instances) or [service]
        service.call("PUT", self.path, {"bundle_id": f"com.example.{name}", "name": name})
        self.keys = {kind: service.call("POST", f"{self.path}/keys", {"kind": kind}).json()["key"]
                     for kind in ("client", "sender", "admin")}

    def installation(self, name):
        """The path of an installation."""
        return f"{self.path}/installations/{name}"


@dataclasses.dataclass
class Tally:
    """What the devices of a load met."""

    requests: int = 0
    acknowledged: int = 0
    statuses: dict = dataclasses.field(default_factory=dict)

    def count(self, status):
        """Counts an answer, or the word for having none."""
        self.statuses[status] = self.statuses.get(status, 0) + 1


class Device(threading.Thread):
    """One client: it sends a request again until it is acknowledged, then the next.

    What it owns is changed by nobody else, so after an acknowledgement its state is certain:
    `tokens` has the token of each of its installations, `None` for one that gave its token away.
    Only the request under way at the end is in doubt; the names that it touches are in `doubted`.
    """

    def __init__(self, app, number, stopping):
        super().__init__(daemon=True)
        self.app, self.stopping = app, stopping
        self.random = random.Random(number)
        self.connections = [service.connect(timeout=DEADLINE) for service in app.instances]
        self.tokens, self.doubted = {}, set()
        self.moved = set()        # Installations whose tokens came from others: they do not go on.
        self.events = []          # (installation, token) of each acknowledged registration
        self.dead = set()         # Installations whose tokens APNs does not know any more.
        self.deaths = []          # (installation, token) of each acknowledged answer of APNs
        self.acknowledgements = []  # Moments.
        self.waits = []           # (first attempt, acknowledgement).
        self.tally = Tally()
        self.pause = 0

    def run(self):
        while not self.stopping.is_set():
            self.step()
            if self.pause:
                self.stopping.wait(self.pause)
        for connection in self.connections:
            connection.close()

    def step(self):
        """What it does next."""
        self.perform(*self.next_change())

    def next_change(self):
        """The installation and token of the next report, and the installation that loses it."""
        kind = self.random.random()
        token = uuid.UUID(int=self.random.getrandbits(128)).hex + uuid.uuid4().hex
        name = str(uuid.uuid4())
        if kind < 0.7 or not self.tokens:
            return name, token, None
        known = self.random.choice(list(self.tokens)[-50:])
        if kind < 0.9 or not self.tokens[known] or known in self.moved:
            return known, token, None
        return name, self.tokens[known], known

    def perform(self, name, token, loser):
        """Registers a token, however often that takes; the load may stop meanwhile."""
        if not self.insist({name, loser} - {None}, lambda: self.attempt(name, token)):
            return
        self.tokens[name] = token
        self.dead -= {name, loser}
        if loser:
            self.tokens[loser] = None
            self.moved.add(name)
        self.events.append((name, token))

    def insist(self, names, attempt):
        """Makes attempts until one is acknowledged; whether one was. So long names are in doubt."""
        began = time.monotonic()
        self.doubted = names
        while not attempt():
            if self.stopping.wait(PAUSE):
                return False
        now = time.monotonic()
        self.doubted = set()
        self.acknowledgements.append(now)
        self.waits.append((began, now))
        self.tally.acknowledged += 1
        return True

    def attempt(self, name, token):
        """Sends a report once; whether it was acknowledged."""
        answer = self.send("PUT", self.app.installation(name), profile(token), key="client",
                           headers={"Postilion-Installation-Secret": SECRET})
        return answer is not None and answer.status in (200, 201)

    def send(self, method, path, body, *, key, **more):
        """Sends a request to one of the instances; gives its answer, or `None` without one."""
        self.tally.requests += 1
        try:
            answer = self.random.choice(self.connections).request(
                method, path, body, key=self.app.keys[key], **more)
        except Broken:
            self.tally.count("broken")
            return None
        self.tally.count(answer.status)
        return answer


class Load:
    """Some devices at once."""

    def __init__(self, app, devices=8, kind=Device):
        self.stopping = threading.Event()
        self.devices = [kind(app, number, self.stopping) for number in range(devices)]

    def __enter__(self):
        for device in self.devices:
            device.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Lets the devices end what they are at, for the deadline of a request at most."""
        self.stopping.set()
        for device in self.devices:
            device.join(2 * DEADLINE)

    def await_more(self, count=20, seconds=DEADLINE):
        """Waits until each device has so many acknowledgements more; gives how long that took."""
        began = time.monotonic()
        wanted = [len(device.acknowledgements) + count for device in self.devices]
        await_true(
            lambda: all(len(device.acknowledgements) >= number
                        for device, number in zip(self.devices, wanted)),
            f"{count} more acknowledgements for each device", seconds)
        return time.monotonic() - began

    # MARK: Figures

    @property
    def requests(self):
        """Attempts at requests."""
        return sum(device.tally.requests for device in self.devices)

    @property
    def acknowledged(self):
        """Requests that were acknowledged."""
        return sum(device.tally.acknowledged for device in self.devices)

    @property
    def statuses(self):
        """How often each status was answered; `broken` stands for no answer."""
        total = {}
        for device in self.devices:
            for status, count in device.tally.statuses.items():
                total[status] = total.get(status, 0) + count
        return total

    def longest_outage(self, since=0.0):
        """The longest time that a device was without an acknowledgement, from a moment on."""
        longest = 0.0
        for device in self.devices:
            moments = [since] if since else []
            moments += [moment for moment in list(device.acknowledgements) if moment >= since]
            longest = max([longest, *(later - earlier
                                      for earlier, later in zip(moments, moments[1:]))])
        return longest

    def outage_after(self, moment):
        """How long after a moment the last device had an acknowledgement of a later attempt."""
        def wait(device):
            return next((end - moment for began, end in list(device.waits) if end > moment),
                        float("inf"))
        return max(wait(device) for device in self.devices)


def quantile(values, share):
    """A quantile of some values, 0 of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


class Probe(threading.Thread):
    """Devices that measure how long their reports take: some a second together, in turn.

    Each is known after its first report and changes its tags from then on, or its token if it
    `rotates`. Each says an address of its own, which counts where the service trusts this machine as
    a proxy.
    """

    def __init__(self, app, rate=50, devices=100, network="192.0.2", rotates=False):
        super().__init__(daemon=True)
        self.app, self.interval, self.network, self.rotates = app, 1 / rate, network, rotates
        self.names = [str(uuid.uuid4()) for _ in range(devices)]
        self.stopping = threading.Event()
        self.times = []     # (moment, seconds), only of successes.
        self.failures = []  # (moment, status)

    def __enter__(self):
        self.start()
        await_true(lambda: len(self.times) >= len(self.names), "each device is known")
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.join(2 * DEADLINE)

    def run(self):
        connection, number = self.app.service.connect(), 0
        while not self.stopping.is_set():
            began = time.monotonic()
            status = "broken"
            with contextlib.suppress(Broken):
                status = self.report(connection, number)
            ended = time.monotonic()
            if status in (200, 201):
                self.times.append((began, ended - began))
            else:
                self.failures.append((began, status))
            number += 1
            self.stopping.wait(max(0, self.interval - (ended - began)))
        connection.close()

    def report(self, connection, number):
        """Sends the next report; gives its status."""
        turn, device = divmod(number, len(self.names))
        name = self.names[device]
        token = uuid.uuid4().hex * 2 if self.rotates else name.replace("-", "") * 2
        return connection.request(
            "PUT", self.app.installation(name), profile(token, tags=[str(turn % 7)]),
            key=self.app.keys["client"], headers={
                "Postilion-Installation-Secret": SECRET,
                "X-Forwarded-For": f"{self.network}.{device + 1}"}).status

    def between(self, start, end):
        """The p50 and p99 of a span in milliseconds, and the number of failures."""
        times = [seconds * 1000 for moment, seconds in list(self.times) if start <= moment < end]
        failures = sum(1 for moment, _ in list(self.failures) if start <= moment < end)
        return quantile(times, 0.5), quantile(times, 0.99), failures
