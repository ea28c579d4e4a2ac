"""Measures the first page of 50 of each filter among a million varied installations, by the clock.

A release service with a database of its own is called over HTTP by one client, in five orders. The
database stays in `.build/filters`, so that a second run need not fill it again. The indexes that
a page is gathered by are what the log of the database says of one more call (`auto_explain`).

Environment:

- `FILTERS`: a regular expression; the filters whose query matches are measured, all unless set.
- `CALLS`: calls of each filter and order; 100 unless set.
- `INSTALLATIONS`: how many there are in a new database; 1,000,000 unless set.
"""

import glob
import http.client
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / ".build/filters/data"
LOG = ROOT / ".build/filters/service.log"
DATABASE_LOG = DATA / "server.log"
KEY = "pst_root_filtersfiltersfiltersfilters"
APP = "/v1/apps/filters"
ORDERS = ("created_at", "-last_seen_at", "updated_at", "-registered_at", "installation_id")


def composed(**condition):
    """A filter as JSON."""
    return "filter=" + json.dumps(condition)


def filters(now):
    """Each filter as a query. `now(s)` is so many seconds before the latest change."""
    plain = """platform=ios platform=visionos environment=production environment=sandbox
        credential=apns credential=voip status=active status=quarantined status=invalid
        credential=voip&status=active token={token} user={user} tag=news tag=beta tag=vip tag=canary
        tags[any]=["beta","vip"] tags[all]=["news","vip"] tags[none]=["news","beta"]
        attributes[plan]=pro attributes[plan][in]=["pro","plus"] attributes[tester][exists]=true
        attributes[expires][exists]=false attributes[visits]=30 attributes[visits][gte]=5000
        attributes[visits][gte]=8050 attributes[visits][gte]=30&attributes[visits][lt]=31
        attributes[visits][gt]=29&attributes[visits][lte]=100
        attributes[expires][gte]=2026-05-02&attributes[expires][lt]=2026-05-03
        attributes[expires][gte]=2026-05-02T07:00:00Z&attributes[expires][lt]=2026-05-02T08:00:00Z
        attributes[expires][gte]=2026-05-02&attributes[expires][lt]=2026-06-02
        attributes[expires][lt]=2026-12-22 attributes[expires][gte]=2027-11-01
        language=en language=zh-Hant language=is time_zone=Asia/Hong_Kong
        time_zone=Atlantic/Reykjavik time_zone=Pacific/Auckland capability=mutable-content
        capability=live-activity authorization=denied authorization=ephemeral
        authorization[alert]=true authorization[alert]=false authorization[critical_alert]=true
        background_refresh=available background_refresh=restricted localization=client
        localization=server app_version=3.7 app_version[lt]=3.1 app_version[gte]=3.12
        app_build=455 app_build[lt]=402 app_build[gte]=450 os_version=15.4.1 os_version[lt]=15
        os_version[gte]=17""".split()
    known = {"token": now("token"), "user": now("user")}
    rows = [row.format(**known) if row[:5] in ("token", "user=") else row for row in plain]
    hour, day, month = (now(seconds) for seconds in (3600, 86400, 30 * 86400))
    for name in ("updated", "seen", "registered"):
        rows += [f"{name}_since={hour}", f"{name}_since={month}"]
    vip, zone = {"tag": "vip"}, {"time_zone": "Asia/Hong_Kong"}
    return rows + [
        composed(any=[{"tag": "canary"}, {"time_zone": "Pacific/Auckland"},
                      {"user": known["user"]}]),
        composed(any=[{"attributes[plan]": "pro"}, {"tags[any]": ["beta", "vip"]}],
                 **{"not": {"authorization[alert]": False}}),
        composed(all=[vip, {"authorization[alert]": True}, zone]),
        composed(**{"not": {"any": [{"platform": name} for name in
                                    ("ios", "ipados", "macos", "tvos")]}}),
        composed(**{"not": {"platform": "ios"}, "attributes[visits][gte]": 8050}),
        composed(any=[{"updated_since": day}, vip]),
        composed(any=[{"updated_since": day}, {"attributes[visits][gte]": 8050},
                      {"app_build[lt]": "402"}]),
    ]


class Service:
    """The program with its database, from `with` to its end."""

    def __enter__(self):
        program = os.environ.get("POSTILION_PROGRAM") or ROOT / ".build/release/postilion"
        environment = os.environ | {
            "POSTILION_DATA_DIR": str(DATA), "POSTILION_LISTEN": "127.0.0.1:0",
            "POSTILION_ROOT_KEY": KEY, "DATABASE_URL": ""}
        LOG.parent.mkdir(parents=True, exist_ok=True)
        self.child = subprocess.Popen(
            [program, "serve"], env=environment, stdout=subprocess.PIPE,
            stderr=open(LOG, "w", encoding="utf-8"), text=True)
        for line in self.child.stdout:
            if found := re.search(r"ready http://127.0.0.1:(\d+)", line):
                break
        else:
            sys.exit(f"The service did not start: see {DATA / 'service.log'}")
        self.connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=120)
        return self

    def __exit__(self, *_):
        self.child.terminate()
        self.child.wait(60)

    def call(self, method, path, body=None):
        """Status and body of an answer, and how long it took."""
        began = time.perf_counter()
        self.connection.request(method, path, json.dumps(body) if body else None, {
            "Authorization": f"Bearer {KEY}", "Content-Type": "application/json"})
        answer = self.connection.getresponse()
        text = answer.read()
        return answer.status, text, time.perf_counter() - began

    def psql(self, *arguments):
        """Runs psql on the database; returns what it printed."""
        lines = (DATA / "cluster/postmaster.pid").read_text(encoding="utf-8").splitlines()
        directories = sorted(glob.glob("/usr/lib/postgresql/*/bin")) or [""]
        program = os.path.join(directories[-1], "psql")
        return subprocess.run(
            [program, "-XAtq", "-h", lines[4], "-U", "postilion", *arguments, "postilion"],
            check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout.strip()

    def fill(self):
        """Makes the app and its installations, unless they are there."""
        status, text, _ = self.call(
            "PUT", APP, {"bundle_id": "com.example.filters", "name": "Filters"})
        if status == 200:
            return
        if status != 201:
            sys.exit(f"PUT {APP}: {status} {text}")
        app = self.psql("-c", "SELECT id FROM app WHERE slug = 'filters'")
        count = os.environ.get("INSTALLATIONS") or "1000000"
        self.psql("-v", f"app={app}", "-v", f"count={count}", "-f", "bench/varied.sql")

    def known(self, wish):
        """A token, a person, or the time so many seconds before the latest change."""
        column = {"token": "left(encode(apns_token, 'hex'), 16)", "user": "user_id"}.get(wish)
        if column:
            return self.psql("-c", f"SELECT {column} FROM installation WHERE user_id IS NOT NULL"
                             " ORDER BY installation_id LIMIT 1")
        return self.psql("-c", f"""
            SELECT to_char(max(updated_at) AT TIME ZONE 'UTC' - interval '{wish} seconds',
              'YYYY-MM-DD"T"HH24:MI:SS"Z"') FROM installation""")

    def explain(self, is_on):
        """Has the database write each plan into its log, or no more."""
        least = 0 if is_on else -1
        self.psql("-c", "LOAD 'auto_explain'",
                  "-c", f"ALTER SYSTEM SET auto_explain.log_min_duration = {least}",
                  "-c", "SELECT pg_reload_conf()")
        time.sleep(0.3)

    def way(self, path):
        """How a page is found: by a walk along the order, or gathered by indexes of the filter."""
        before = DATABASE_LOG.stat().st_size
        self.explain(True)
        self.call("GET", path)
        self.explain(False)
        with open(DATABASE_LOG, encoding="utf-8") as file:
            file.seek(before)
            plans = [plan for plan in file.read().split("duration: ")[1:] if "WITH found" in plan]
        names = re.findall(r"(?:using|Bitmap Index Scan on) (\w+)", "".join(plans))
        indexes = sorted({name.removeprefix("installation_") for name in names} - {"pkey"})
        return f"gather: {', '.join(indexes) or 'pkey'}" if plans else "walk"


def percentile(times, part):
    """The smallest time that a part of all do not exceed, in milliseconds."""
    return sorted(times)[max(0, math.ceil(part * len(times)) - 1)] * 1000


def measure(service, query, calls):
    """A filter's row of the table."""
    encoded = "&".join(
        name + "=" + urllib.parse.quote(value, safe="") for name, _, value in
        (part.partition("=") for part in ([query] if query[0:7] == "filter=" else query.split("&"))))
    status, text, _ = service.call("GET", f"{APP}/stats?{encoded}&max_age=3600")
    finds = json.loads(text).get("total", "?") if status == 200 else "?"
    ways, times = [], {}
    for order in ORDERS:
        path = f"{APP}/installations?{encoded}&sort={order}&limit=50"
        for number in range(calls + 5):
            status, text, seconds = service.call("GET", path)
            if status != 200:
                sys.exit(f"GET {path}: {status} {text}")
            # The first ones fill caches.
            if number >= 5:
                times.setdefault(order, []).append(seconds)
        way = service.way(path)
        ways += [] if way in ways else [way]
    slowest = max(times, key=lambda order: percentile(times[order], 0.99))
    middle = statistics.median(time for order in times.values() for time in order) * 1000
    print(f"| `{query.removeprefix('filter=')}` | {finds:,} | {'; '.join(ways)} | {middle:.1f} ms |"
          f" {percentile(times[slowest], 0.5):.1f} ms | {percentile(times[slowest], 0.99):.1f} ms |"
          f" `{slowest}` |" if isinstance(finds, int) else f"| {query}: {text[:200]} |", flush=True)


def main():
    """Fills the database if need be, and measures the filters that the environment names."""
    calls = int(os.environ.get("CALLS") or 100)
    chosen = re.compile(os.environ.get("FILTERS") or "")
    with Service() as service:
        service.fill()
        # Of sessions that begin later.
        service.psql("-c", "ALTER SYSTEM SET session_preload_libraries = 'auto_explain'")
    with Service() as service:
        print("| filter | finds | way | p50 | slowest order: p50 | p99 | which |")
        print("|---|---|---|---|---|---|---|")
        for query in filters(service.known):
            if chosen.search(query):
                measure(service, query, calls)


if __name__ == "__main__":
    main()
