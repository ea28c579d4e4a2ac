"""The service as a process of its own, and what the system tells about it."""

import contextlib
import dataclasses
import os
import pathlib
import queue
import re
import resource
import signal
import subprocess
import threading
import time

from cluster import DEADLINE, free_port
from client import Connection

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOT_KEY = "pst_root_key-of-the-campaign-0000"

# Settings of every service here. The limits of floods are those of every deployment: calls from
# this machine are not limited by address, and what a key may do is above what the devices here do.
SETTINGS = {"POSTILION_ROOT_KEY": ROOT_KEY, "POSTILION_LOG": "json",
            "POSTILION_LOG_LEVEL": "warning"}


def program():
    """The program under test: a release, unless POSTILION_PROGRAM names another."""
    path = os.environ.get("POSTILION_PROGRAM") or str(ROOT / ".build/release/postilion")
    if not os.access(path, os.X_OK):
        raise RuntimeError(f"There is no program {path}: build it, or name it in POSTILION_PROGRAM")
    return path


@dataclasses.dataclass
class Sample:
    """What a process holds at a moment."""

    at: float
    resident_bytes: int
    descriptors: int
    # The part of the memory that shows files, such as the program's own code.
    file_bytes: int


class Service:
    """`postilion serve`, on a port that stays the same over restarts.

    Without the address of a database it has a private one in its folder. It is the program under
    test, unless another one is named; each start may be one of another `program`.
    """

    def __init__(self, url, folder, *, files=None, settings=None, program=None):
        self.url, self.folder, self.files = url, pathlib.Path(folder), files
        self.program = program
        self.settings = {**SETTINGS, **(settings or {})}
        self.port = free_port()
        self.process = None
        self.lines = None
        self.greeting = []  # The lines before the one that says that it is ready.

    def start(self, *, log=None, is_awaited=True):
        """Starts it. `log` is where its log goes; a file in its folder unless given."""
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("POSTILION_", "PG", "DATABASE_URL"))}
        environment |= self.settings | {"POSTILION_LISTEN": f"127.0.0.1:{self.port}"} | (
            {"DATABASE_URL": self.url} if self.url
            else {"POSTILION_DATA_DIR": str(self.folder / "var")})
        output = log if log is not None else open(self.folder / "service.log", "ab")
        self.process = subprocess.Popen(
            [self.program or program(), "serve"], env=environment, stdout=subprocess.PIPE, stderr=output,
            stdin=subprocess.DEVNULL, text=True, preexec_fn=self._bound_files)
        if log is None:
            output.close()
        self.lines = queue.Queue()
        threading.Thread(target=self._read, args=(self.process, self.lines), daemon=True).start()
        if is_awaited:
            self.await_ready()
        return self

    def _bound_files(self):
        if self.files:
            resource.setrlimit(resource.RLIMIT_NOFILE, (self.files, self.files))

    @staticmethod
    def _read(process, lines):
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    def await_ready(self):
        """Waits until it accepts connections."""
        deadline, self.greeting = time.monotonic() + DEADLINE, []
        while True:
            line = self.lines.get(timeout=max(0.01, deadline - time.monotonic()))
            if line is None:
                raise RuntimeError(f"The service ended at its start: {self.folder}/service.log")
            if re.match(r"ready http://", line):
                return
            self.greeting.append(line.strip())

    def signal(self, number):
        """Sends it a signal."""
        self.process.send_signal(number)

    def kill(self):
        """Ends it at once."""
        self.process.kill()
        self.process.wait(DEADLINE)

    def terminate(self, seconds=DEADLINE):
        """Asks it to end; gives its exit status and how long that took, or `None` and the time."""
        began = time.monotonic()
        self.signal(signal.SIGTERM)
        return self.await_end(seconds), time.monotonic() - began

    def await_end(self, seconds=DEADLINE):
        """Waits until it has ended by itself; gives its exit status, or `None`."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        return self.process.poll()

    def end(self):
        """Ends it however it stands; for the end of a test."""
        if self.process and self.process.poll() is None:
            self.kill()

    def connect(self, **options):
        """A connection to it."""
        return Connection(self.port, **options)

    def call(self, method, path, body=None, *, key=ROOT_KEY, **more):
        """One request on a connection of its own; gives its answer, which must be a success."""
        with contextlib.closing(self.connect()) as connection:
            answer = connection.request(method, path, body, key=key, **more)
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {answer.body[:500]}")
        return answer

    def sample(self):
        """What it holds now."""
        folder = pathlib.Path("/proc", str(self.process.pid))
        _, resident, shared, *_ = (folder / "statm").read_text().split()
        page = os.sysconf("SC_PAGE_SIZE")
        return Sample(time.monotonic(), int(resident) * page,
                      len(list((folder / "fd").iterdir())), int(shared) * page)

    def highest_bytes(self):
        """The most memory that it has held."""
        status = pathlib.Path("/proc", str(self.process.pid), "status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) << 10

    def log_lines(self):
        """The lines of its log."""
        with contextlib.suppress(FileNotFoundError):
            return (self.folder / "service.log").read_text(errors="replace").splitlines()
        return []
