"""The alerts: their form, what they fire on, and that what they ask for exists."""

import http.client
import re
import time
import unittest

from service import DEADLINE, DEPLOY, Program, folder, request, run, saw


class AlertTests(unittest.TestCase):
    def test_prometheus_takes_the_rules(self):
        text = run(["promtool", "check", "rules", "alerts.yml"], cwd=DEPLOY)
        saw(text.split("\n")[1].strip())
        text = run(["promtool", "test", "rules", "alerts-test.yml"], cwd=DEPLOY)
        self.assertIn("SUCCESS", text)

    def test_every_alert_is_tested_and_has_a_runbook(self):
        rules = (DEPLOY / "alerts.yml").read_text()
        names = re.findall(r"- alert: (\w+)", rules)
        tests = (DEPLOY / "alerts-test.yml").read_text()
        self.assertGreater(len(names), 10)
        for name, rule in zip(names, rules.split("- alert: ")[1:]):
            with self.subTest(name):
                self.assertRegex(tests, rf"exp_samples:\n.*\n *labels: .*\"{name}\"")
                self.assertIn("summary:", rule)
                self.assertIn("runbook:", rule)
        saw(f"{len(names)} alerts, each with a test and a runbook")

    def test_every_metric_and_label_exists(self):
        # A replica has metrics also while nobody answers there.
        settings = {"POSTILION_READ_URL": "postgresql://127.0.0.1:9/nobody"}
        with folder() as directory, Program(
                POSTILION_DATA_DIR=directory / "data", **settings) as program:
            text = self.metrics(program)
        series = set(re.findall(r"^(\w+)", text, re.MULTILINE))
        rules = (DEPLOY / "alerts.yml").read_text()
        expressions = re.findall(r"expr: (?:\|\n)?(.*?)\n        (?:for|labels):", rules, re.DOTALL)
        asked = set()
        for expression in expressions:
            for name, labels in re.findall(
                    r"((?:postilion|process)_\w+)(?:\{([^}]*)\})?", expression):
                asked.add(name)
                with self.subTest(name):
                    self.assertIn(name, series)
                for label, operator, values in re.findall(r'(\w+)(=~|!=|=)"([^"]*)"', labels):
                    if label == "job":
                        continue
                    for value in values.split("|"):
                        with self.subTest(f"{name} {label}={value}"):
                            pattern = rf'(?m)^{name}\{{[^}}]*{label}="{re.escape(value)}"'
                            self.assertTrue(re.search(pattern, text))
        saw(f"{len(asked)} metrics with their labels, all of them in /metrics")

    def metrics(self, program):
        """What Prometheus gets once tokens were counted, a moment after the start."""
        deadline = time.monotonic() + DEADLINE
        while True:
            connection = http.client.HTTPConnection(program.address, timeout=DEADLINE)
            text = request(connection, "GET", "/metrics")[1].decode()
            if "postilion_census_timestamp_seconds 0\n" not in text:
                return text
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
