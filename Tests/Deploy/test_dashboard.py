"""Grafana's dashboard: each query is asked of a Prometheus that reads the program's own metrics."""

import http.client
import json
import os
import re
import shutil
import subprocess
import time
import unittest
import urllib.parse

from proxies import free_port
from service import Cluster, DEADLINE, DEPLOY, Program, fill, folder, request, saw

# What Grafana puts in the place of its variables.
VARIABLES = {"$job": "postilion", "$instance": ".*", "$__rate_interval": "1m"}


def panels():
    """What a person sees, without the rows."""
    dashboard = json.loads((DEPLOY / "grafana/postilion.json").read_text())
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def standby(directory, primary):
    """A hot standby of a cluster, so that there are the metrics of a replica, too."""
    cluster = Cluster(directory)
    cluster.directory.mkdir()
    if os.geteuid() == 0:
        shutil.chown(cluster.directory, "postgres", "postgres")
    primary.run("pg_basebackup", "--pgdata", cluster.data, "--write-recovery-conf",
                "--checkpoint=fast", "--dbname", primary.url())
    return cluster.start()


class Prometheus:
    """Prometheus with one target, which it reads each second."""

    def __init__(self, directory, target):
        self.address = f"127.0.0.1:{free_port()}"
        settings = directory / "prometheus.yml"
        settings.write_text(
            "global: { scrape_interval: 1s }\nscrape_configs:\n- job_name: postilion\n"
            f"  static_configs: [{{ targets: ['{target}'] }}]\n")
        self.log = open(directory / "prometheus.log", "wb")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={settings}", f"--web.listen-address={self.address}",
             f"--storage.tsdb.path={directory / 'series'}"], stdout=self.log, stderr=self.log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(DEADLINE)
        self.log.close()

    def series(self, query):
        """The series that a query gives now; none while Prometheus comes up."""
        for variable, value in VARIABLES.items():
            query = query.replace(variable, value)
        path = "/api/v1/query?" + urllib.parse.urlencode({"query": query})
        try:
            connection = http.client.HTTPConnection(self.address, timeout=DEADLINE)
            answer, body = request(connection, "GET", path, key=None)
        except ConnectionError:
            return []
        if answer.status == 503:
            return []
        if answer.status != 200:
            raise AssertionError(f"{query}: {body.decode()}")
        return json.loads(body)["data"]["result"]


class DashboardTests(unittest.TestCase):
    def test_every_query_gives_what_its_legend_names(self):
        with folder() as directory, \
                Cluster.create(directory / "primary").start() as primary, \
                standby(directory / "standby", primary) as replica, \
                Program(DATABASE_URL=primary.url(), POSTILION_READ_URL=replica.url()) as program:
            fill(program, 10)
            metrics = self.metrics(program)
            with Prometheus(directory, program.address) as prometheus:
                queries = [(panel["title"], target) for panel in panels()
                           for target in panel["targets"]]
                counts = [self.ask(prometheus, *query) for query in queries]
        self.assertTrue(all(counts))
        saw(f"{len(queries)} queries of {len(panels())} panels, {sum(counts)} series")
        asked = set(re.findall(r"(?:postilion|process)_\w+",
                               " ".join(target["expr"] for _, target in queries)))
        self.assertEqual({name.removesuffix("_bucket") for name in asked}, metrics)
        saw(f"{len(metrics)} metrics, each of them in a panel")

    def ask(self, prometheus, title, target):
        """Waits until the query has an answer, and looks for the labels of the legend in it."""
        deadline = time.monotonic() + DEADLINE
        while not (series := prometheus.series(target["expr"])):
            self.assertLess(time.monotonic(), deadline, f"{title}: nothing for {target['expr']}")
            time.sleep(0.2)
        for label in re.findall(r"{{(\w+)}}", target["legendFormat"]):
            for one in series:
                self.assertIn(label, one["metric"], title)
        return len(series)

    def metrics(self, program):
        """The names of all metrics of the service."""
        connection = http.client.HTTPConnection(program.address, timeout=DEADLINE)
        text = request(connection, "GET", "/metrics")[1].decode()
        return set(re.findall(r"(?m)^# TYPE (\w+)", text))

    def test_every_panel_is_explained_and_none_lies_on_another(self):
        places = set()
        for panel in panels():
            self.assertTrue(panel["description"], panel["title"])
            place = panel["gridPos"]
            for x in range(place["x"], place["x"] + place["w"]):
                for y in range(place["y"], place["y"] + place["h"]):
                    self.assertNotIn((x, y), places, panel["title"])
                    places.add((x, y))
        titles = [panel["title"] for panel in panels()]
        self.assertEqual(len(titles), len(set(titles)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
