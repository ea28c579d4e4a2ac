"""A place for one fault: a fresh database, the service, an app, devices, and the audit."""

import contextlib
import dataclasses
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import audit
from cluster import Database, await_true, hand_over
from load import App, Device, Load
from service import Service

# What a service may hold more after a fault than before it, in bytes: the allocator's spare memory.
SPARE_BYTES = 64 << 20
# Database connections that each of its loops has; there is a loop for each core, and one connection
# more for all.
CONNECTIONS_PER_LOOP = 2


@dataclasses.dataclass
class Result:
    """What one run of a fault showed."""

    fault: str
    requests: int = 0
    acknowledged: int = 0
    lost: int = 0
    outage_s: float = 0.0
    leaked_descriptors: int = 0
    leaked_connections: int = 0
    resident_growth_bytes: int = 0
    statuses: dict = dataclasses.field(default_factory=dict)
    figures: dict = dataclasses.field(default_factory=dict)
    broken: list = dataclasses.field(default_factory=list)


class Skipped(Exception):
    """A fault that this machine or account cannot make; the text says why."""


class Workshop:
    """A folder for all runs, with an empty server that is copied for each."""

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="postilion-faults-"))
        self.folder.chmod(0o755)
        hand_over(self.folder / "databases")
        self.template = Database.create(self.folder / "databases" / "template")
        self.count = 0
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def new_folder(self):
        """A folder for a run."""
        self.count += 1
        return hand_over(self.folder / f"run-{self.count}")


class Stage:
    """One run of a fault.

    The pieces that a fault wants otherwise are parameters: `place` prepares the folder of the
    database and undoes it, `standby` adds a synchronous standby, `files` bounds the descriptors of
    the service, `settings` are PostgreSQL's, `options` are the service's. Of several `instances` of
    the service, which start at once, `service` is the first; they are the program under test, or
    one of `programs` each. The devices are of a `kind`.
    """

    def __init__(self, workshop, fault, *, place=None, standby=False, files=None, settings=None,
                 options=None, devices=8, instances=1, programs=None, kind=Device):
        self.folder = workshop.new_folder()
        self.template, self.place = workshop.template, place
        self.has_standby, self.files, self.devices = standby, files, devices
        self.programs = programs or [None] * instances
        self.kind, self.services = kind, []
        self.settings, self.options = settings or {}, options or {}
        self.result = Result(fault)
        self.resources = contextlib.ExitStack()
        self.standby = None

    def __enter__(self):
        try:
            self.build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.resources.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def build(self):
        """Starts everything."""
        self.database = self.template.copy(self.folder / "primary")
        if self.place:
            self.resources.enter_context(self.place(self.database))
        self.database.configure(**self.settings)
        self.resources.callback(self.database.end)
        self.database.start()
        url = self.database.url
        if self.has_standby:
            self.standby = self.database.make_standby(self.folder / "standby")
            self.resources.callback(self.standby.end)
            url = ("host=127.0.0.1,127.0.0.1 target_session_attrs=read-write dbname=postgres"
                   f" user=postgres port={self.database.port},{self.standby.port}")
        for number, program in enumerate(self.programs, 1):
            folder = self.folder / f"service-{number}"
            folder.mkdir()
            service = Service(
                url, folder, files=self.files, settings=self.options, program=program)
            self.services.append(service.start(is_awaited=False))
            self.resources.callback(service.end)
        for service in self.services:
            service.await_ready()
        self.service = self.services[0]
        self.app = App(self.service, instances=self.services)
        self.load = Load(self.app, self.devices, self.kind)
        self.load.__enter__()
        self.resources.callback(self.load.stop)
        self.load.await_more()
        self.before = self.service.sample()
        # All of them: on a busy machine the last one is still on its way.
        with contextlib.suppress(TimeoutError):
            least = CONNECTIONS_PER_LOOP * (os.cpu_count() or 1) * len(self.services)
            await_true(lambda: self.connections() > least,
                       "the service has its database connections", 10)
        self.connections_before = self.connections()

    def promise(self, holds, text):
        """Notes a promise that does not hold."""
        if not holds:
            self.result.broken.append(text)

    def promise_outage(self, bound, name="outage", value=None):
        """Notes an outage that is longer than promised, in seconds."""
        value = self.load.longest_outage() if value is None else value
        self.promise(value <= bound, f"{name} of {value:.1f} s, promised are {bound} s")

    def connections(self):
        """The sessions that clients have at the database, without the one that asks."""
        return int(self.database.query(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
            " AND pid <> pg_backend_pid()")[0])

    def is_given_back(self):
        """Whether the process holds no more than before the fault; memory comes back later."""
        now = self.service.sample()
        growth = now.resident_bytes - self.before.resident_bytes
        return now.descriptors <= self.before.descriptors and growth <= SPARE_BYTES

    def settle(self, is_same_process=True):
        """Waits until the load goes on as before, and until what the fault took is given back."""
        result = self.result
        self.load.await_more()
        if is_same_process:
            with contextlib.suppress(TimeoutError):
                await_true(self.is_given_back, "descriptors and memory are given back", 30)
            after = self.service.sample()
            result.leaked_descriptors = max(0, after.descriptors - self.before.descriptors)
            result.resident_growth_bytes = after.resident_bytes - self.before.resident_bytes
        try:
            await_true(lambda: self.connections() <= self.connections_before,
                       "database connections are given back", 30)
        except TimeoutError:
            # Only now: the session of the question before may still be on its way out.
            result.leaked_connections = max(0, self.connections() - self.connections_before)

    def conclude(self):
        """Stops the load, and compares what was acknowledged with what is there."""
        result, load = self.result, self.load
        result.outage_s = load.longest_outage()
        load.stop()
        result.requests, result.acknowledged = load.requests, load.acknowledged
        result.statuses = {str(status): count for status, count in load.statuses.items()}
        result.lost = len(audit.lost(self.database, self.app.name, load))
        broken = audit.broken_invariants(self.database)
        self.promise(result.lost == 0, f"{result.lost} acknowledged registrations are not there")
        self.promise(result.leaked_descriptors == 0,
                     f"{result.leaked_descriptors} descriptors were not given back")
        self.promise(result.leaked_connections == 0,
                     f"{result.leaked_connections} database connections were not given back")
        self.promise(result.resident_growth_bytes <= SPARE_BYTES,
                     f"memory grew by {result.resident_growth_bytes >> 20} MB")
        self.promise(not load.statuses.get(500), f"{load.statuses.get(500)} answers were 500")
        for rule, count in broken.items():
            self.promise(False, f"{count} rows break the rule: {rule}")
        return result


@contextlib.contextmanager
def small_disk(folder, megabytes):
    """A file system of a few megabytes at a folder: in memory, and only for root."""
    if os.getuid() != 0:
        raise Skipped("only root can mount a small file system")
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "tmpfs", str(folder)],
        capture_output=True, text=True, check=False)
    if done.returncode:
        raise Skipped(f"mounting failed: {done.stderr.strip()}")
    try:
        yield hand_over(folder)
    finally:
        deadline = time.monotonic() + 10
        while subprocess.run(["umount", str(folder)], capture_output=True, check=False).returncode:
            if time.monotonic() > deadline:
                subprocess.run(["umount", "--lazy", str(folder)], check=False)
                break
            time.sleep(0.1)
