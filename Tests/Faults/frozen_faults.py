"""What stands still holds up nobody else: an instance, and processes of the database.

Environment:

- `ROUNDS`: how often each instance is frozen, and each kind of process; 2 unless set.
"""

import collections
import contextlib
import http.server
import json
import os
import signal
import threading
import time
import uuid

from cluster import DEADLINE, await_true
from instance_faults import SPREAD_BOUND, Knowledge, spread
from load import App, profile, quantile

OPTIONS = {"POSTILION_WEBHOOK_NETWORKS": "127.0.0.0/8", "POSTILION_WEBHOOK_PLAIN_HTTP": "true"}
ROUNDS = int(os.environ.get("ROUNDS") or 2)
# How soon a change is delivered though the instance that delivers stands still, in seconds: 10, and
# some for a busy machine.
DELIVERY_BOUND = 12.0
# The same when the processes of the database hang that it delivers by: their silence is noticed
# within a call's time, before that of the lease.
HUNG_DELIVERY_BOUND = 20.0
# How soon a revoked key is refused by an instance that hears no notices, in seconds: its listener
# is asked every two seconds and has three to answer, and the keys are read behind that.
REVOCATION_BOUND = 8.0

LISTENERS = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
DELIVERERS = ("SELECT pid FROM pg_stat_activity WHERE state = 'idle' AND pid <> pg_backend_pid()"
              " AND query ~ 'UPDATE lease|webhook_delivery|FROM webhook JOIN app|FROM change_epoch'")


class Receiver:
    """A receiver of webhooks: how often each delivery arrived, and about which installations.

    It is told of some `events`, or of all.
    """

    def __init__(self, app, events=("registered",)):
        self.arrivals, self.installations = collections.Counter(), set()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """Takes a delivery."""

            protocol_version = "HTTP/1.1"

            def do_POST(self):  # pylint: disable=invalid-name
                """Notes it."""
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                self.send_response(receiver.take(self.headers["webhook-id"], body["data"]))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):  # pylint: disable=arguments-differ
                """Nobody reads it."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        # An instance that is killed resets its connections.
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        app.service.call("POST", f"{app.path}/webhooks", {
            "url": f"http://127.0.0.1:{self.server.server_address[1]}/",
            **({"events": events} if events else {})})

    def take(self, name, entry):
        """Notes a delivery by its `webhook-id`; gives the status of the answer."""
        self.arrivals[name] += 1
        self.installations.add(entry.get("installation_id"))
        return 200

    def seconds_until_told(self, app, service):
        """Registers a device through an instance, and waits for the delivery that tells of it."""
        name = str(uuid.uuid4())
        service.call("PUT", app.installation(name), profile(uuid.uuid4().hex * 2))
        began = time.monotonic()
        await_true(lambda: name in self.installations, "the change is delivered", DEADLINE)
        return time.monotonic() - began


@contextlib.contextmanager
def stopped(processes):
    """Processes that stand still meanwhile."""
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)


def processes_of(stage, query):
    """Processes of the database."""
    return [int(line) for line in stage.database.query(query)]


def prepare(stage):
    """An app with a webhook, which one of the instances delivers to already."""
    app = App(stage.service, "hooks")
    receiver = Receiver(app)
    receiver.seconds_until_told(app, stage.service)
    stage.connections_before = stage.connections()
    return app, receiver, Knowledge(stage.app), collections.defaultdict(list)


def promise_all(stage, times, bounds):
    """Notes the times, and those that are longer than promised."""
    for name, seconds in times.items():
        stage.result.figures |= {
            f"{name} p50_ms": 1000 * quantile(seconds, 0.5), f"{name} max_ms": 1000 * max(seconds)}
        bound = bounds.get(name, SPREAD_BOUND)
        stage.promise(max(seconds) <= bound,
                      f"{name}: after {max(seconds):.2f} s, promised are {bound} s")


def freeze_instances(stage):
    """Each instance stands still in turn, whichever delivers: the others deliver and are told."""
    app, receiver, knowledge, times = prepare(stage)
    for _ in range(ROUNDS):
        for victim in stage.services:
            others = [service for service in stage.services if service is not victim]
            with stopped([victim.process.pid]):
                times["delivery"].append(receiver.seconds_until_told(app, others[0]))
                spread(knowledge, others[0], others, times)
            stage.load.await_more()
    promise_all(stage, times, {"delivery": DELIVERY_BOUND})
    often = max(receiver.arrivals.values())
    stage.result.figures["arrivals"] = often
    # Once by each instance that stood still in the middle of an attempt, and once more.
    stage.promise(often <= 3, f"a delivery arrived {often} times")


def hang_processes(stage):
    """Processes of the database hang: those that listen, and those of the one that delivers."""
    app, receiver, knowledge, times = prepare(stage)
    for _ in range(ROUNDS):
        changes = knowledge.change(stage.service)
        name, is_known = next(changes)
        for service in stage.services:
            await_true(lambda: is_known(service), f"the {name} is known to all", DEADLINE)
        with stopped(processes_of(stage, LISTENERS)):
            name, is_known = next(changes)
            began = time.monotonic()
            for service in stage.services:
                await_true(lambda: is_known(service), f"the {name} is known to all", DEADLINE)
            times[name].append(time.monotonic() - began)
        with stopped(processes_of(stage, DELIVERERS)):
            times["delivery"].append(receiver.seconds_until_told(app, stage.service))
        stage.load.await_more()
    promise_all(stage, times, {"delivery": HUNG_DELIVERY_BOUND, "revoked key": REVOCATION_BOUND})
