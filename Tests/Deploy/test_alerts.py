"""The alerts: their form, what they fire on, and that what they ask for exists."""

import http.client
import json
import re
import time
import unittest

import yaml

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

    def test_the_job_for_kubernetes_finds_the_instances_and_gives_the_name_of_the_job(self):
        text, = re.findall(r"(?s)```yaml\n(scrape_configs:.*?)```",
                           (DEPLOY / "README.md").read_text())
        service, = self.kubernetes("3-service.yaml", "Deployment")
        migration, = self.kubernetes("2-migrate.yaml", "Job")
        config = yaml.safe_load(text)
        job, = config["scrape_configs"]
        # Debian's Prometheus does not ask clusters, and there is none. This is what it would find.
        self.assertEqual(job.pop("kubernetes_sd_configs"), [{"role": "pod"}])
        job["static_configs"] = [
            self.target("10.0.0.1:8080", service, "Running"),
            self.target("10.0.0.2:8080", service, "Succeeded"),
            self.target("10.0.0.3", migration, "Running")]
        with folder() as directory:
            file = directory / "prometheus.yml"
            file.write_text(yaml.safe_dump(config))
            found = json.loads(run(["promtool", "check", "service-discovery", "--timeout=3s",
                                    str(file), "postilion"]))
        kept = [{name: value for name, value in target["labels"].items() if name[:2] != "__"}
                for target in found if target["labels"]]
        self.assertEqual(kept, [{"instance": "pod-at-10.0.0.1:8080", "job": "postilion",
                                 "namespace": "push"}])
        saw("the job for Kubernetes takes the instances alone, as postilion")

    def kubernetes(self, file, kind):
        documents = yaml.safe_load_all((DEPLOY / "kubernetes" / file).read_text())
        return [document["spec"]["template"] for document in documents if document["kind"] == kind]

    def target(self, address, pod, phase):
        """A pod as Prometheus sees it."""
        labels = {f"label_{re.sub(r'[^a-z]', '_', name)}": value
                  for name, value in pod["metadata"]["labels"].items()}
        labels |= {"container_port_name": port["name"]
                   for port in pod["spec"]["containers"][0].get("ports", [])}
        labels |= {"phase": phase, "name": f"pod-at-{address}"}
        labels = {f"__meta_kubernetes_pod_{name}": value for name, value in labels.items()}
        return {"targets": [address],
                "labels": labels | {"__meta_kubernetes_namespace": "push"}}

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
