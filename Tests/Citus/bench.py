"""Measures calls on a cluster of Citus beside one PostgreSQL, in turn on the same cores.

    python3 Tests/Citus/citus.py --durable python3 Tests/Citus/bench.py .build/release/postilion

A round is one run of wrk against each database: a plain one of the coordinator's server, and one
for each number of shards. Half of the calls make an installation, half rotate a token (P1 of
docs/benchmarks.md). With `--calls unchanged` reports change nothing (P2), with `--calls render` one
installation is rendered for (P3), and with `--calls user` it is found by its user. `--calls list` is
a list by user, and `--calls page` one by tag and language. What came out is in docs/citus.md.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import urllib.request

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Faults"))
import cluster  # noqa: E402  pylint: disable=wrong-import-position

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOT_KEY = "pst_root_0123456789abcdefghijklmn"
# Bodies of reports, as Sources/Measuring/bench/Stage/Profiles.swift spells them: two tokens, version, user.
REPORTS = [
    '{"platform":"ios","environment":"production","credentials":{"apns":{"token":"%s"}%.0s},'
    f'"languages":["{language}"],"locale":"en_HK","time_zone":"Asia/Hong_Kong",'
    f'"app_version":"%s","app_build":"{build}","os_version":"17.4.1","device_model":"iPhone15,2",'
    '"localization":"auto","capabilities":["loc-key","mutable-content"],'
    '"user":{"id":"u%08d"},"tags":["beta"],"attributes":{"plan":"pro"}}'
    for language in ["en-US", "de-DE", "ja-JP", "zh-Hans-CN", "es-MX", "fr-FR", "pt-BR", "ko-KR"]
    for build in ["412", "411", "409"]]

# Filters of lists, by the calls that they are for.
FILTERS = {"list": "user=u00000007", "page": "tag=beta&language=ja&limit=50"}


def psql(conninfo, *arguments):
    """Runs commands in a database; gives what they print."""
    return subprocess.run([cluster.program("psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-d",
                           conninfo, *arguments], check=True, text=True, capture_output=True,
                          cwd=ROOT).stdout.strip()


def processor_seconds(process):
    """The time of a process and of those below it, also of some that have ended."""
    ticks = sum(map(int, cluster.figures(process)[11:15]))
    for child in cluster.children(process):
        ticks += sum(map(int, cluster.figures(child)[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


class Subject:
    """A service over a database of its own, which may be distributed."""

    def __init__(self, program, shards, count):
        self.name = f"{shards} shards" if shards else "plain"
        nodes = [os.environ["POSTILION_TEST_DATABASE_URL"],
                 *os.environ["POSTILION_TEST_CITUS_WORKERS"].split(";")]
        name = f"bench_{shards}"
        is_new = not psql(nodes[0], "-c", f"SELECT 1 FROM pg_database WHERE datname = '{name}'")
        self.database = f"{nodes[0]} dbname={name}"
        if is_new:
            self.make(program, nodes, name, shards)
        self.service = subprocess.Popen(
            [program, "serve", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True,
            env=os.environ | {"DATABASE_URL": self.database, "POSTILION_LOG": "text",
                              "POSTILION_ROOT_KEY": ROOT_KEY}, stderr=subprocess.STDOUT)
        for line in self.service.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                self.url = found[0]
                break
        if is_new:
            self.call("PUT", "/v1/apps/demo", {"bundle_id": "com.example.demo", "name": "Demo"})
            self.seed(count)
            self.upload('"FOOD_ORDERED" = "Food"; "FOOD_READY_FOR" = "%@, your %@ is ready";')
        self.key = self.call("POST", "/v1/apps/demo/keys", {"kind": "sender"})["key"]
        self.rates = []
        # Of the coordinator and of each worker.
        self.servers = [int(psql(node, "-c", "SELECT pg_read_file('postmaster.pid')").split()[0])
                        for node in nodes]

    @staticmethod
    def make(program, nodes, name, shards):
        """Makes the database, with the schema, and spreads it."""
        for node in nodes if shards else nodes[:1]:
            psql(node, "-c", f"CREATE DATABASE {name}")
        own, *workers = [f"{node} dbname={name}" for node in nodes]
        subprocess.run([program, "migrate"], check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | {"DATABASE_URL": own})
        if not shards:
            return
        port = "SELECT inet_server_port()"
        psql(own, "-c", "CREATE EXTENSION citus", "-c",
             f"SELECT citus_set_coordinator_host('127.0.0.1', {psql(own, '-c', port)})")
        for worker in workers:
            psql(worker, "-c", "CREATE EXTENSION citus")
            psql(own, "-c", f"SELECT citus_add_node('127.0.0.1', {psql(worker, '-c', port)})")
        psql(own, "-c", f"SET citus.shard_count = {shards}", "-f", "sql/citus.sql")

    def seed(self, count):
        """Has the service store each kind of report once, and copies what it stored."""
        for number, report in enumerate(REPORTS):
            scatter = number * 2654435761 % 2**32
            token = f"{number * 2246822519 % 2**32:08x}{number:056x}"
            self.call("PUT", "/v1/apps/demo/installations/"
                      f"{scatter:08x}-0000-4000-8000-{number:012x}",
                      json.loads(report % (token, token[::-1], "3.2.0", number)))
        app = psql(self.database, "-c", "SELECT id FROM app")
        for script in ["profiles.sql", "seed.sql"]:
            psql(self.database, "-v", f"app={app}", "-v", f"count={count}", "-f",
                 f"bench/{script}")

    def upload(self, strings):
        """Stores the catalog that bench/render.json refers to."""
        self.send("PUT", "/v1/apps/demo/catalogs/server", "multipart/form-data; boundary=x", (
            '--x\r\nContent-Disposition: form-data; name="file"; '
            f'filename="en.lproj/Localizable.strings"\r\n\r\n{strings}\r\n--x--\r\n'))

    def call(self, method, path, body):
        """Calls the service with the root key."""
        return self.send(method, path, "application/json", json.dumps(body))

    def send(self, method, path, kind, text):
        """Sends a body of a kind with the root key."""
        request = urllib.request.Request(
            self.url + path, method=method, data=text.encode(),
            headers={"Authorization": f"Bearer {ROOT_KEY}", "Content-Type": kind})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def run(self, arguments, count):
        """One run of wrk; notes its rate."""
        processes = [self.service.pid, *self.servers]
        before = [processor_seconds(process) for process in processes]
        script = ["bench/put.lua", self.url, "--", arguments.calls, "/v1/apps/demo/installations/",
                  self.key, "1", str(count), arguments.reports]
        if arguments.calls in FILTERS:
            script = ["bench/page.lua", self.url, "--",
                      f"/v1/apps/demo/installations?{FILTERS[arguments.calls]}", ROOT_KEY]
        elif arguments.calls in ["render", "user"]:
            script = ["bench/render.lua", self.url, "--", "/v1/apps/demo/render", self.key,
                      str(count), arguments.reports, arguments.calls]
        output = subprocess.run(
            ["wrk", "-t", "1", "-c", str(arguments.connections), "-d", f"{arguments.seconds}s",
             "-s", *script], check=True, text=True, capture_output=True, cwd=ROOT
        ).stdout
        figures = dict(re.findall(r"(\w+)=(\d+)", output))
        rate = int(figures["requests"]) / int(figures["microseconds"]) * 1e6
        service, coordinator, *workers = [
            (processor_seconds(process) - start) / int(figures["requests"]) * 1e6
            for process, start in zip(processes, before)]
        print(f"{self.name:10} {rate:6.0f} /s, p50 {int(figures['p50']) / 1000:4.0f} ms, "
              f"p99 {int(figures['p99']) / 1000:4.0f} ms, refused {figures['statuses']}; processor "
              f"of a call: service {service:.0f} us, coordinator {coordinator:.0f}, workers "
              f"{sum(workers):.0f}", flush=True)
        self.rates.append(rate)


def main():
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--calls", default="changed",
                        choices=["changed", "unchanged", "render", "user", *FILTERS])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=6)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--count", type=int, default=40_000)
    parser.add_argument("--shards", type=int, nargs="*", default=[4, 32])
    arguments = parser.parse_args()
    program = pathlib.Path(arguments.program).resolve()
    directory = tempfile.TemporaryDirectory()
    arguments.reports = f"{directory.name}/reports"
    pathlib.Path(arguments.reports).write_text("\n".join(REPORTS) + "\n", encoding="utf-8")
    subjects = [Subject(program, shards, arguments.count) for shards in [0, *arguments.shards]]
    try:
        for _ in range(arguments.rounds):
            for subject in subjects:
                subject.run(arguments, arguments.count)
        for subject in subjects[1:]:
            ratios = [one / plain for one, plain in zip(subject.rates, subjects[0].rates)]
            print(f"{subject.name}: {statistics.median(ratios):.2f} x of one PostgreSQL "
                  f"({min(ratios):.2f} to {max(ratios):.2f}), "
                  f"{arguments.connections} connections")
    finally:
        for subject in subjects:
            subject.service.terminate()
            subject.service.wait(30)


if __name__ == "__main__":
    main()
