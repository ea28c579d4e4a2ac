"""What was promised after a failover: to readers of the changes, to webhooks, and with two primaries."""

import contextlib
import signal
import time
import uuid

from cluster import await_true
from database_faults import TERMINATE, await_return
from frozen_faults import Receiver
from load import App, Load, profile
from service import ROOT_KEY

# How soon a change is delivered after the clock of the database went back, in seconds.
DELIVERY_BOUND = 12.0
# By how much it goes back, in seconds.
STEP = 120


def register(app, count):
    """Registers devices."""
    for _ in range(count):
        app.service.call("PUT", app.installation(uuid.uuid4()), profile(uuid.uuid4().hex * 2))


def read(app, cursor):
    """The answer to a reader of the changes."""
    with contextlib.closing(app.service.connect()) as connection:
        return connection.request("GET", f"{app.path}/changes?limit=1000&after={cursor}",
                                  key=ROOT_KEY)


def catch_up(stage):
    """Waits until the standby has all that the primary has."""
    end = stage.database.query("SELECT pg_current_wal_lsn()")[0]
    await_true(lambda: stage.standby.query(
        f"SELECT pg_last_wal_replay_lsn() >= '{end}'") == ["t"], "the standby has all")


def lose_what_was_told(stage):
    """Readers are told what the standby lacks, which then takes the primary's place."""
    stage.load.stop()
    app = App(stage.service, "told")
    stage.database.query("ALTER SYSTEM SET synchronous_standby_names = ''")
    stage.database.query("SELECT pg_reload_conf()")
    catch_up(stage)
    stage.standby.query("ALTER SYSTEM SET primary_conninfo = ''")
    stage.standby.query("SELECT pg_reload_conf()")
    await_true(lambda: stage.standby.query("SELECT count(*) FROM pg_stat_wal_receiver") == ["0"],
               "the standby hears of nothing more")
    cursors = []
    for _ in range(30):
        register(app, 1)
        cursors.append(read(app, "now").json()["next_cursor"])
    stage.database.kill()
    stage.standby.promote()
    # Others write to the server, too, and nobody reads before the service writes.
    for _ in range(100):
        stage.standby.query("SELECT pg_current_xact_id()")
    stage.database = stage.standby
    stage.load = Load(stage.app, stage.devices, stage.kind)
    stage.load.__enter__()
    stage.resources.callback(stage.load.stop)
    stage.load.await_more()
    register(app, 60)
    passed = sum(read(app, cursor).status != 410 for cursor in cursors)
    stage.promise(passed == 0, f"{passed} of {len(cursors)} readers were not told of what is lost")


def turn_clock_back(stage):
    """The clock of the database goes back while nobody delivers: stored times lie ahead of it.

    What is stored is moved ahead instead, which is the same for whoever compares the two.
    """
    app = App(stage.service, "clock")
    receiver = Receiver(app)
    receiver.seconds_until_told(app, stage.service)
    # Whoever delivers has sessions of its own.
    stage.connections_before = stage.connections()
    stage.service.kill()
    ahead = f"interval '{STEP} s'"
    stage.database.query(
        f"UPDATE lease SET until = greatest(until, now()) + {ahead};"
        f" UPDATE webhook_delivery SET next_attempt_at = next_attempt_at + {ahead},"
        f" last_attempt_at = last_attempt_at + {ahead}")
    stage.service.start()
    seconds = receiver.seconds_until_told(app, stage.service)
    stage.result.figures["delivery_s"] = seconds
    stage.promise(seconds <= DELIVERY_BOUND, f"a change was delivered after {seconds:.1f} s,"
                                             f" promised are {DELIVERY_BOUND} s")


def wake_primary(stage):
    """The primary stands still, the standby takes its place, and the primary wakes unfenced."""
    former = stage.database
    former.signal(signal.SIGSTOP)
    moment = stage.standby.promote()
    stage.database = stage.standby
    try:
        await_return(stage, moment, bound=20)
    finally:
        former.signal(signal.SIGCONT)
    # It would acknowledge alone.
    former.query("ALTER SYSTEM SET synchronous_standby_names = ''")
    former.query("SELECT pg_reload_conf()")
    for _ in range(5):
        stage.database.query(TERMINATE)
        await_return(stage, time.monotonic(), bound=5)

    def sessions():
        return int(former.query(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
            " AND pid <> pg_backend_pid() AND application_name = 'postilion'"
            " AND state_change < now() - interval '1 s'")[0])

    await_true(lambda: sessions() == 0, "no session of the service is at the former primary")
