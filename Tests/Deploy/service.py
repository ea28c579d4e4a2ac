"""The program, PostgreSQL and a registry to look at, for the tests of the files in deploy.

Environment:

- `POSTILION_PROGRAM`: the program under test. `.build/release/postilion` unless set.
"""

import contextlib
import glob
import http.client
import json
import os
import pathlib
import queue
import random
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import urllib.parse
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
PROGRAM = os.path.abspath(
    os.environ.get("POSTILION_PROGRAM", str(ROOT / ".build/release/postilion")))

# Seconds. Nothing is expected to be fast; this only ends a run that would never end.
DEADLINE = 120

KEY = "pst_root_of-the-tests-of-deploy"


def saw(line):
    """Prints what a test saw, beside the results of unittest."""
    print(f"  saw: {line}", flush=True)


def run(command, **options):
    """Runs a command that must succeed, and gives its output, in which bytes may be no text."""
    result = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        timeout=3600, **options)
    if result.returncode:
        raise AssertionError(f"{command}: {result.returncode}\n{result.stdout}")
    return result.stdout


@contextlib.contextmanager
def folder():
    """A directory that every account may pass, removed at the end."""
    path = tempfile.mkdtemp(prefix="postilion-deploy-")
    os.chmod(path, 0o755)
    try:
        yield pathlib.Path(path)
    finally:
        shutil.rmtree(path, ignore_errors=True)


# MARK: The program


class Program:
    """`postilion serve` as a process of its own."""

    def __init__(self, listen="127.0.0.1:0", **settings):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("POSTILION_")}
        environment.pop("DATABASE_URL", None)
        environment |= {"POSTILION_LISTEN": listen, "POSTILION_ROOT_KEY": KEY} | {
            name: str(value) for name, value in settings.items()}
        self.process = subprocess.Popen(
            [PROGRAM, "serve"], env=environment, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        self.log = []
        lines = queue.Queue()
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()
        while line := lines.get(timeout=DEADLINE):
            if found := re.match(r"ready http://(\S+)", line):
                self.address = found[1]
                return
        raise AssertionError("The program did not start:\n" + "".join(self.log))

    def _read(self, lines):
        for line in self.process.stdout:
            self.log.append(line)
            lines.put(line)
        lines.put(None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self, with_signal=signal.SIGTERM):
        """Ends the program, and gives its exit status."""
        self.process.send_signal(with_signal)
        return self.process.wait(DEADLINE)

    def call(self, method, path, body=None, fields=(), key=KEY):
        """A call that must succeed: what the answer says."""
        return call(http.client.HTTPConnection(self.address, timeout=DEADLINE),
                    method, path, body, fields, key)


def request(connection, method, path, body=None, fields=(), key=KEY):
    """A call over a connection: its answer, which is read, and the answer's bytes."""
    fields = dict(fields) | ({"Authorization": f"Bearer {key}"} if key else {})
    if isinstance(body, (dict, list)):
        body = json.dumps(body)
        fields.setdefault("Content-Type", "application/json")
    connection.request(method, path, body, fields)
    answer = connection.getresponse()
    return answer, answer.read()


def call(connection, method, path, body=None, fields=(), key=KEY):
    """A call that must succeed: what the answer says."""
    answer, text = request(connection, method, path, body, fields, key)
    if answer.status >= 300:
        raise AssertionError(f"{method} {path}: {answer.status} {text[:500]}")
    return json.loads(text) if text else None


# MARK: PostgreSQL


def account():
    """What goes before a command of PostgreSQL, which refuses to run as root."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"]


def postgres_program(name):
    """The newest PostgreSQL of this machine has its programs in one directory."""
    places = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda p: int(p.split("/")[4]))
    places = places[::-1] + os.environ["PATH"].split(":")
    return next(f"{p}/{name}" for p in places if os.access(f"{p}/initdb", os.X_OK))


class Cluster:
    """A PostgreSQL on a Unix socket in its own directory."""

    def __init__(self, directory, **settings):
        self.directory = pathlib.Path(directory)
        self.data = self.directory / "data"
        self.settings = {
            "listen_addresses": "", "unix_socket_directories": str(self.directory),
            "max_connections": "60"} | settings

    @staticmethod
    def create(directory, **settings):
        """A fresh cluster that is not started."""
        cluster = Cluster(directory, **settings)
        cluster.directory.mkdir()
        if os.geteuid() == 0:
            shutil.chown(cluster.directory, "postgres", "postgres")
        cluster.run("initdb", "--pgdata", cluster.data, "--auth=trust", "--username=postilion",
                    "--encoding=UTF8", "--locale=C.UTF-8")
        return cluster

    def run(self, name, *arguments, **options):
        """Runs one of PostgreSQL's programs as the account of the cluster."""
        return run(account() + [postgres_program(name), *map(str, arguments)],
                   cwd="/", **options)

    def start(self):
        """Starts the server; its recovery, if any, is over when this returns."""
        options = " ".join(f"-c {name}='{value}'" for name, value in self.settings.items())
        self.run("pg_ctl", "start", "--pgdata", self.data, "--wait", f"--timeout={DEADLINE}",
                 "--log", self.directory / "log", "--options", options)
        return self

    def stop(self, mode="fast"):
        """Stops the server; `immediate` is as good as a crash."""
        if (self.data / "postmaster.pid").exists():
            self.run("pg_ctl", "stop", "--pgdata", self.data, "--wait", "--mode", mode)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop("immediate")

    def url(self, database="postgres"):
        """For `DATABASE_URL` and PostgreSQL's own programs."""
        host = urllib.parse.quote(str(self.directory), safe="")
        return f"postgresql://postilion@{host}/{database}"

    def counts(self):
        """The rows of every table of the service."""
        return row_counts(self.url(), self.run)


def row_counts(url, runner):
    """The rows of every table that is no partition, by its name."""
    tables = runner("psql", "-XAtd", url, "-c", """
        select relname from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
          and not relispartition order by 1""").split()
    text = " union all ".join(f"select '{table}', count(*) from {table}" for table in tables)
    rows = runner("psql", "-XAtd", url, "-c", text).split()
    return {name: int(count) for name, count in (row.split("|") for row in rows)}


# MARK: What is stored


def fill(program, devices):
    """An app with a catalog, a message, keys and so many devices."""
    program.call("PUT", "/v1/apps/food", {"bundle_id": "com.example.food", "name": "Food"})
    upload(program.call, "1", [("en", '"READY" = "%@ is ready.";'), ("fr", '"READY" = "%@ !";')])
    program.call("PUT", "/v1/apps/food/messages/ready", {
        "alert": {"body": {"key": "READY", "args": ["name"]}},
        "parameters": {"name": {"type": "string"}}})
    program.call("POST", "/v1/apps/food/keys", {"kind": "sender"})
    lines = "".join(json.dumps(report(n)) + "\n" for n in range(devices))
    return program.call("POST", "/v1/apps/food/installations/import", lines)


def upload(caller, version, localizations):
    """Uploads a catalog: a list of language and string file."""
    boundary = uuid.uuid4().hex
    body = "".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; '
        f'filename="{language}.lproj/Localizable.strings"\r\n\r\n{text}\r\n'
        for language, text in localizations) + f"--{boundary}--\r\n"
    return caller("PUT", f"/v1/apps/food/catalogs/{version}", body,
                  {"Content-Type": f"multipart/form-data; boundary={boundary}"})


def installation(number):
    """The id of a device, by its number."""
    return str(uuid.UUID(int=random.Random(number).getrandbits(128), version=4))


def report(number, **fields):
    """What a device says of itself."""
    return {
        "installation_id": installation(number), "platform": "ios", "environment": "production",
        "languages": ["fr-CA", "en"], "app_build": "1", "os_version": "17.4.1",
        "credentials": {"apns": {"token": f"{number:064x}"}}} | fields


def registration(number, **fields):
    """The same, as the body of a `PUT` to the device's own path."""
    body = report(number, **fields)
    del body["installation_id"]
    return body
