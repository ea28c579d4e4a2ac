"""Faults of the embedded PostgreSQL, which the service starts and watches itself."""

import contextlib
import time

from client import Broken
from cluster import Database, await_true
from database_faults import HARM, await_return, fill, probe_answers
from load import App, Load
from service import Service
from stage import small_disk

# How soon devices go on once the disk has room, in seconds: the longest pause between two starts of
# the database is 16, and it repeats its log then.
ROOM_BOUND = 25.0


class Embedded(Database):
    """The embedded PostgreSQL of a service, by its socket."""

    @property
    def url(self):
        return f"postgresql:///postilion?host={self.folder}&user=postilion"


def move(stage, megabytes):
    """Goes on with a service that has an embedded database, on a disk of its own."""
    stage.load.stop()
    folder = stage.folder / "embedded"
    data = stage.resources.enter_context(small_disk(folder / "var", megabytes))
    stage.service = Service(None, folder)
    stage.resources.callback(stage.service.end)
    stage.service.start()
    stage.database = Embedded(data)
    stage.app = App(stage.service)
    stage.load = Load(stage.app, stage.devices, stage.kind)
    stage.load.__enter__()
    stage.resources.callback(stage.load.stop)
    stage.load.await_more()
    stage.before = stage.service.sample()
    stage.connections_before = stage.connections()


def answer(stage, path, **more):
    """The answer to a request, or `None`."""
    connection = stage.service.connect(timeout=10)
    with contextlib.suppress(Broken), contextlib.closing(connection):
        return connection.request("GET", path, **more)
    return None


def stays(stage, seconds, statuses):
    """Looks for a while whether the service answers what it can, and says what is wrong."""
    ended = time.monotonic() + seconds
    while time.monotonic() < ended and stage.service.process.poll() is None:
        probe_answers(stage, "/healthz", 200)
        probe_answers(stage, "/", 200)
        ready = answer(stage, "/readyz")
        stage.promise(ready is not None and ready.status == 503
                      and b"disk of the database is full" in ready.body,
                      f"/readyz does not say that the disk is full: {ready and ready.body}")
        read = answer(stage, f"{stage.app.path}/installations?limit=1",
                      key=stage.app.keys["sender"])
        stage.promise(read is not None and read.status in statuses,
                      f"a read got {read and read.status}, expected was one of {statuses}")
        time.sleep(0.2)


def fill_disk(stage):
    """The disk is full: first reads go on, then the log ends the database; the service stays."""
    move(stage, 192)
    filler = fill(stage.database.folder, stage)
    stays(stage, HARM / 2, {200})

    def is_ended():
        # Each switch takes a file of the log; those that are there already are few.
        with contextlib.suppress(RuntimeError):
            stage.database.query(
                "SELECT pg_logical_emit_message(true, 'fault', 'x'); SELECT pg_switch_wal()")
        return any("embedded_database_start_failed" in line for line in stage.service.log_lines())
    await_true(is_ended, "the database ends, as its log has no room")
    stays(stage, 2 * HARM, {503})
    stage.promise(stage.service.process.poll() is None, "the service has ended")
    filler.unlink()
    await_return(stage, time.monotonic(), ROOM_BOUND)
