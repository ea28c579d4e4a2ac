"""PostgreSQL servers of a test: started, copied, harmed, and asked for what they hold."""

import collections
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

# Seconds. Nothing is expected to be slow; this only ends what would never end.
DEADLINE = 60

# PostgreSQL refuses to run as root, so it then runs as this account of Debian.
ACCOUNT = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}


def program(name):
    """The path of one of PostgreSQL's programs: the newest that Debian has, else the usual one."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob(f"*/bin/{name}"),
                   key=lambda path: float(path.parts[-3]))
    path = str(found[-1]) if found else shutil.which(name)
    if not path:
        raise RuntimeError(f"PostgreSQL's program {name} is not installed.")
    return path


def free_port():
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def await_true(condition, name, seconds=DEADLINE):
    """Waits until a condition holds, and gives its value."""
    deadline = time.monotonic() + seconds
    while True:
        if value := condition():
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"Not within {seconds} s: {name}")
        time.sleep(0.01)


def run(*command, **options):
    """Runs a program of PostgreSQL as the account of the servers."""
    subprocess.run([program(command[0]), *map(str, command[1:])], check=True, cwd="/",
                   stdout=subprocess.DEVNULL, timeout=2 * DEADLINE, **ACCOUNT, **options)


def hand_over(folder):
    """Makes a folder and gives it to the account of the servers."""
    folder.mkdir(parents=True, exist_ok=True)
    if ACCOUNT:
        shutil.chown(folder, ACCOUNT["user"], ACCOUNT["group"])
    return folder


def figures(process):
    """What the system tells of a process (proc(5), `stat`), from its state on."""
    return pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8") \
        .rsplit(") ", 1)[1].split()


def children(parent):
    """The processes that a process has started, and those that these have started."""
    offspring = collections.defaultdict(list)
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            number = int(entry.name)
            offspring[int(figures(number)[1])].append(number)
    found, waiting = [], [parent]
    while waiting:
        below = offspring[waiting.pop()]
        found += below
        waiting += below
    return found


class Database:
    """A PostgreSQL server with its files in a folder, on a port of 127.0.0.1."""

    def __init__(self, folder, port=None):
        self.folder = pathlib.Path(folder)
        self.port = port or free_port()
        self.log = self.folder.with_name(self.folder.name + ".log")
        self.process = None

    @classmethod
    def create(cls, folder):
        """A new server, with an empty database; it is not running yet."""
        hand_over(folder.parent)
        run("initdb", "-D", folder, "-U", "postgres", "-A", "trust", "-E", "UTF8",
            "--locale=C.UTF-8", stderr=subprocess.DEVNULL)
        with open(folder / "postgresql.conf", "a", encoding="utf-8") as settings:
            settings.write("listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\n"
                           "shared_buffers = 64MB\nmax_wal_size = 256MB\nmax_connections = 60\n"
                           "wal_level = replica\nmax_wal_senders = 4\nlog_min_messages = fatal\n")
        return cls(folder)

    def copy(self, folder):
        """A copy of a server that does not run."""
        hand_over(folder.parent)
        subprocess.run(["cp", "-a", self.folder, folder], check=True)
        return Database(folder)

    def configure(self, **settings):
        """Adds settings, which count from the next start or reload on."""
        with open(self.folder / "postgresql.conf", "a", encoding="utf-8") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())

    # MARK: Life

    def start(self, *, is_awaited=True):
        """Starts it. A start may meet the memory of the one before, and is then repeated."""
        def attempt():
            if self.process is None or self.process.poll() is not None:
                with open(self.log, "ab") as log:
                    self.process = subprocess.Popen(
                        [program("postgres"), "-D", str(self.folder), "-p", str(self.port)],
                        stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd="/", **ACCOUNT)
            return not is_awaited or self.answers()
        await_true(attempt, f"PostgreSQL answers on port {self.port}")
        return self

    def answers(self):
        """Whether it takes connections."""
        status = subprocess.run(
            [program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port), "-t", "2"],
            check=False).returncode
        return status == 0

    def signal(self, number):
        """Sends a signal to all its processes: the first one last when it is to go on."""
        if self.process is None:
            return
        family = [self.process.pid, *children(self.process.pid)]
        for one in reversed(family) if number == signal.SIGCONT else family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, number)

    def kill(self):
        """Ends all its processes at once, as a loss of power does."""
        # Another that is started meanwhile would live on, with the memory that the next start needs.
        self.process.send_signal(signal.SIGSTOP)
        await_true(lambda: self.process.poll() is not None
                   or figures(self.process.pid)[0] == "T", "the first process stands still")
        self.signal(signal.SIGKILL)
        self.process.wait(DEADLINE)

    def stop(self, mode="fast"):
        """Stops it in order: `fast` ends the sessions, `immediate` leaves recovery to the start."""
        if self.process and self.process.poll() is None:
            run("pg_ctl", "stop", "-D", self.folder, "-m", mode, "-t", DEADLINE)
            self.process.wait(DEADLINE)

    def end(self):
        """Ends it however it stands; for the end of a test."""
        if self.process and self.process.poll() is None:
            self.kill()

    # MARK: Standby

    def make_standby(self, folder):
        """A standby that this server waits for at every commit; it runs already."""
        hand_over(folder.parent)
        run("pg_basebackup", "-h", "127.0.0.1", "-p", self.port, "-U", "postgres", "-R",
            "-c", "fast", "-D", folder)
        standby = Database(folder).start()
        self.configure(synchronous_standby_names="*")
        self.query("SELECT pg_reload_conf()")
        await_true(lambda: self.query("SELECT sync_state FROM pg_stat_replication") == ["sync"],
                   "the standby is synchronous")
        return standby

    def promote(self):
        """Makes a standby the primary; gives the moment from which it takes writes."""
        run("pg_ctl", "promote", "-D", self.folder, "-t", DEADLINE)
        return time.monotonic()

    # MARK: Contents

    @property
    def url(self):
        """The address for clients."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def session(self, **options):
        """A client that takes SQL on its standard input."""
        return subprocess.Popen([program("psql"), "-XAtq", "-d", self.url], text=True,
                                stdin=subprocess.PIPE, cwd="/", **options)

    def query(self, sql, *, url=None):
        """The lines of an answer, also of another database; the columns stand between bars."""
        done = subprocess.run(
            [program("psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", url or self.url, "-c", sql],
            capture_output=True, text=True, timeout=2 * DEADLINE, cwd="/", check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        return done.stdout.splitlines()
