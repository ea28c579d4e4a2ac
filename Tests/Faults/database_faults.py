"""Faults of the database: each function does the harm, and mends it before it returns."""

import contextlib
import signal
import subprocess
import time

from client import Broken
from cluster import DEADLINE, await_true
from load import SECRET, profile
from stage import small_disk

# How long a harm lasts, in seconds: longer than the service's deadline for its database.
HARM = 8
# How soon a request must be answered while the database hangs, in seconds: 5, and some for a busy
# machine.
ANSWER_BOUND = 6.5
# How soon writes go on once the database takes them, in seconds.
RETURN_BOUND = 1.0

TERMINATE = ("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
             " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()")


def await_return(stage, moment, bound=RETURN_BOUND, seconds=DEADLINE):
    """Waits until every device goes on, and notes how long after a moment that was."""
    stage.load.await_more(seconds=seconds)
    after = stage.load.outage_after(moment)
    stage.result.figures["return_s"] = max(after, stage.result.figures.get("return_s", 0))
    stage.promise(after <= bound, f"devices went on {after:.2f} s after the end of the fault,"
                                  f" promised are {bound} s")


def timed_report(stage, timeout):
    """Sends a new report; gives its status, or `None` within the time, and how long that took."""
    connection = stage.service.connect(timeout=timeout)
    began, status = time.monotonic(), None
    with contextlib.suppress(Broken):
        name = f"00000000-0000-4000-8000-{int(began * 1e6) % 16**12:012x}"
        status = connection.request(
            "PUT", stage.app.installation(name), profile(name.replace("-", "") * 2),
            key=stage.app.keys["client"], headers={"Postilion-Installation-Secret": SECRET}).status
    connection.close()
    return status, time.monotonic() - began


def hang(stage, name):
    """Lets a harm last, and measures when a request is answered meanwhile."""
    ended = time.monotonic() + HARM
    status, seconds = timed_report(stage, HARM)
    stage.result.figures["answer_s"] = max(seconds, stage.result.figures.get("answer_s", 0))
    stage.promise(status is not None and seconds <= ANSWER_BOUND,
                  f"{name}: a request was answered {status} after {seconds:.1f} s")
    time.sleep(max(0, ended - time.monotonic()))


def probe_answers(stage, path, expected, bound=1.5):
    """Notes that a probe does not answer as expected in time."""
    connection = stage.service.connect(timeout=10)
    began, status = time.monotonic(), None
    with contextlib.suppress(Broken):
        status = connection.request("GET", path).status
    connection.close()
    seconds = time.monotonic() - began
    stage.promise(status == expected and seconds <= bound,
                  f"{path} answered {status} after {seconds:.1f} s, expected was {expected}")


# MARK: Faults


def kill(stage):
    """All processes of the database end at once, and it is started again."""
    stage.database.kill()
    stage.database.start()
    await_return(stage, time.monotonic())


def restart(stage):
    """The database is stopped in order, which ends all sessions, and started again."""
    stage.database.stop()
    stage.database.start()
    await_return(stage, time.monotonic())


def terminate(stage):
    """All sessions of the service are ended, five times."""
    for _ in range(5):
        stage.database.query(TERMINATE)
        await_return(stage, time.monotonic())


def freeze(stage):
    """The database stands still, and goes on later."""
    stage.database.signal(signal.SIGSTOP)
    try:
        probe_answers(stage, "/healthz", 200)
        probe_answers(stage, "/readyz", 503)
        hang(stage, "a database that stands still")
    finally:
        stage.database.signal(signal.SIGCONT)
    await_return(stage, time.monotonic(), 2 * RETURN_BOUND)


def failover(stage):
    """The primary ends at once under load, and the standby takes its place."""
    stage.database.kill()
    moment = stage.standby.promote()
    stage.database = stage.standby
    await_return(stage, moment)


def freeze_standby(stage):
    """The synchronous standby stands still, so that no commit ends."""
    stage.standby.signal(signal.SIGSTOP)
    try:
        hang(stage, "a standby that stands still")
    finally:
        stage.standby.signal(signal.SIGCONT)
    await_return(stage, time.monotonic(), 2 * RETURN_BOUND)


def lose_unreplicated(stage):
    """The standby stands still, the primary ends, and the standby takes its place."""
    stage.standby.signal(signal.SIGSTOP)
    time.sleep(HARM)
    stage.database.kill()
    stage.standby.signal(signal.SIGCONT)
    moment = stage.standby.promote()
    stage.database = stage.standby
    await_return(stage, moment, 2 * RETURN_BOUND)


def fill(folder, stage):
    """Fills a file system, and keeps it full until requests fail."""
    seen = failures(stage)
    filler = folder / "filler"

    def is_full():
        with contextlib.suppress(OSError), open(filler, "ab", buffering=0) as file:
            while True:
                file.write(bytes(65_536))
        return failures(stage) > seen + 20
    await_true(is_full, "requests fail on a full disk")
    return filler


def failures(stage):
    """Answers so far that were no success."""
    return sum(count for status, count in stage.load.statuses.items()
               if status not in (200, 201))


def fill_disk(stage):
    """The disk of the tables is full, and has room again later."""
    filler = fill(stage.database.folder / "base", stage)
    probe_answers(stage, "/healthz", 200)
    probe_answers(stage, "/readyz", 503)
    filler.unlink()
    await_return(stage, time.monotonic(), 2 * RETURN_BOUND)


def fill_log(stage):
    """The disk of the write-ahead log is full, which ends the database; it is started again."""
    filler = fill(stage.database.folder / "pg_wal", stage)
    probe_answers(stage, "/healthz", 200)
    filler.unlink()
    stage.database.end()
    stage.database.start()
    await_return(stage, time.monotonic(), 2 * RETURN_BOUND)


def take_no_changes(stage):
    """The database is set to be read-only, and takes changes again later."""
    try:
        set_read_only(stage.database, "on")
        hang(stage, "a database that is read-only")
    finally:
        set_read_only(stage.database, "off")
    await_return(stage, time.monotonic(), 2 * RETURN_BOUND)


def set_read_only(database, word):
    """Has all sessions begin transactions that may or may not write."""
    database.query(f"ALTER SYSTEM SET default_transaction_read_only = {word}")
    database.query("SELECT pg_reload_conf()")


@contextlib.contextmanager
def on_small_disk(database, name, megabytes):
    """Moves a folder of a database to a small file system."""
    folder = database.folder / name
    aside = folder.with_name(f"{name}-aside")
    folder.rename(aside)
    with small_disk(folder, megabytes):
        subprocess.run(["cp", "-a", f"{aside}/.", str(folder)], check=True)
        yield


def lock_table(stage, table="installation"):
    """A session holds the lock of a table, as a careless migration does."""
    session = stage.database.session()
    try:
        session.stdin.write(f"BEGIN; LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE;\n")
        session.stdin.flush()
        await_lock(stage.database, table)
        probe_answers(stage, "/healthz", 200)
        hang(stage, "a lock")
    finally:
        session.kill()
        session.wait(DEADLINE)
        stage.database.query(
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE granted AND pid > 0"
            f" AND mode = 'AccessExclusiveLock' AND relation = '{table}'::regclass")
    await_return(stage, time.monotonic(), 2 * RETURN_BOUND)


def await_lock(database, table):
    """Waits until the lock is held; names the sessions that are in its way."""
    lock = ("SELECT pid FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND {} granted"
            f" AND relation = '{table}'::regclass")
    try:
        await_true(lambda: database.query(lock.format("")), "the lock is held")
    except TimeoutError as error:
        raise TimeoutError(f"{error}, because of " + "; ".join(database.query(
            "SELECT state, now() - xact_start, backend_type, left(query, 200)"
            " FROM pg_stat_activity WHERE pid IN (SELECT unnest(pg_blocking_pids(pid))"
            f" FROM ({lock.format('NOT')}) AS waiting)"))) from error


def take_connections(stage):
    """Others take all connections of the database, and the service loses its own."""
    sessions = []
    killer = stage.database.session(stdout=subprocess.DEVNULL)
    try:
        free = int(stage.database.query("SHOW max_connections")[0])
        sessions = [stage.database.session(
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for _ in range(free)]
        for session in sessions:
            with contextlib.suppress(BrokenPipeError):
                session.stdin.write("SELECT 1;\n")
                session.stdin.flush()
        killer.stdin.write(TERMINATE + " AND application_name <> 'psql';\n")
        killer.stdin.flush()
        probe_answers(stage, "/healthz", 200)
        time.sleep(HARM / 2)
    finally:
        for session in [killer, *sessions]:
            session.kill()
        for session in [killer, *sessions]:
            session.wait(DEADLINE)
    await_true(stage.database.answers, "the database takes connections")
    await_return(stage, time.monotonic(), 2 * RETURN_BOUND)
