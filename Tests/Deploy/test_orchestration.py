"""compose.yaml and the files for Kubernetes: by their own schemas, and compose really runs.

No image is fetched: the names of the images of PostgreSQL and HAProxy stand for images made here,
from Debian's packages, which take the settings of the real ones that compose.yaml uses.
"""

import http.client
import os
import re
import shutil
import ssl
import subprocess
import sys
import time
import unittest

import yaml

from containers import containers, podman
from debian import made, version
from proxies import changed, free_port
from service import DEADLINE, DEPLOY, PROGRAM, Program, call, folder, request, run, saw

KUBERNETES = sorted((DEPLOY / "kubernetes").glob("*.yaml"))

# What the images of others do, as far as it counts here.
POSTGRESQL = """FROM localhost/postilion:{version}-postgresql
USER 0:0
RUN ln -s /usr/lib/postgresql/*/bin/* /usr/local/bin/
COPY start /start
CMD []
ENTRYPOINT ["/start"]
"""
START = """#!/bin/sh
set -e
data=/var/lib/postgresql/data
chown postgres: $data
setpriv --reuid=postgres --regid=postgres --clear-groups \\
  initdb --pgdata=$data --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" \\
  --auth=scram-sha-256
echo "host all all all scram-sha-256" >> $data/pg_hba.conf
echo "create database $POSTGRES_USER" | setpriv --reuid=postgres --regid=postgres --clear-groups \\
  postgres --single -D $data postgres
exec setpriv --reuid=postgres --regid=postgres --clear-groups \\
  postgres -D $data -c listen_addresses='*' -c unix_socket_directories=/tmp
"""
HAPROXY = """FROM localhost/postilion:{version}
USER 0:0
RUN apt-get update && apt-get install --yes --no-install-recommends haproxy
USER haproxy
ENTRYPOINT []
"""


def sessions(loops):
    """What an instance takes of a database, by docs/scale.md: two for each loop, four streams, and
    eight more."""
    return (2 + 4) * int(loops) + 8


class ComposeFileTests(unittest.TestCase):
    def test_the_schema_of_compose_has_nothing_to_say(self):
        text = run(["docker-compose", "--file", str(DEPLOY / "compose.yaml"), "config", "--quiet"])
        self.assertEqual(text, "")
        with folder() as directory:
            wrong = directory / "compose.yaml"
            wrong.write_text((DEPLOY / "compose.yaml").read_text().replace("ports:", "portz:"))
            result = subprocess.run(["docker-compose", "--file", str(wrong), "config", "--quiet"],
                                    stderr=subprocess.PIPE, text=True)
            self.assertIn("portz", result.stderr)
        saw("compose.yaml: its schema has nothing to say")

    def test_logs_are_bounded_and_sessions_fit_into_the_database(self):
        services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
        for name, service in services.items():
            self.assertIn("max-size", service["logging"]["options"], name)
            # A container that is taken over can do little.
            self.assertEqual(service["cap_drop"], ["ALL"], name)
            self.assertIn("no-new-privileges:true", service["security_opt"], name)
            self.assertTrue(service["read_only"], name)
        loops = services["service"]["environment"]["POSTILION_LOOPS"]
        self.assertLess(sessions(loops), 100)

    def test_all_name_this_release(self):
        for path in [DEPLOY / "compose.yaml", *KUBERNETES]:
            for tag in re.findall(r"image: postilion:(\S+)", path.read_text()):
                self.assertEqual(tag, version(), path.name)
        self.assertIn(f"postilion-migrate-{version().replace('.', '-')}",
                      (DEPLOY / "kubernetes/2-migrate.yaml").read_text())


class KubernetesTests(unittest.TestCase):
    def validate(self, *paths):
        program = os.path.join(os.path.dirname(sys.executable), "kubernetes-validate")
        return subprocess.run([program, "--strict", *map(str, paths)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)

    def documents(self):
        texts = [document for path in KUBERNETES
                 for document in yaml.safe_load_all(path.read_text())]
        return {(text["kind"], text["metadata"]["name"]): text for text in texts}

    def test_the_schemas_of_kubernetes_have_nothing_to_say(self):
        result = self.validate(*KUBERNETES)
        self.assertEqual(result.returncode, 0, result.stdout)
        count = result.stdout.count(" passed for resource ")
        self.assertEqual(count, len(self.documents()), result.stdout)
        with folder() as directory:
            wrong = directory / "wrong.yaml"
            wrong.write_text(KUBERNETES[2].read_text().replace("replicas: 2", "replicas: two"))
            self.assertNotEqual(self.validate(wrong).returncode, 0)
        saw(f"kubernetes: {count} resources, the schemas have nothing to say")

    def test_what_names_something_finds_it(self):
        documents = self.documents()
        deployment = documents["Deployment", "postilion"]["spec"]
        pod = deployment["template"]
        labels = pod["metadata"]["labels"].items()
        self.assertEqual(deployment["replicas"], 2)
        budget = documents["PodDisruptionBudget", "postilion"]["spec"]
        network = documents["NetworkPolicy", "postilion"]["spec"]
        selectors = [deployment["selector"]["matchLabels"],
                     documents["Service", "postilion"]["spec"]["selector"],
                     budget["selector"]["matchLabels"], network["podSelector"]["matchLabels"]]
        for selector in selectors:
            self.assertLessEqual(selector.items(), labels)
        job, = [text["spec"]["template"] for (kind, _), text in documents.items() if kind == "Job"]
        cron = documents["CronJob", "postilion-maintain"]["spec"]["jobTemplate"]["spec"]["template"]
        # The Service leaves the pods of the owner alone.
        self.assertFalse(selectors[1].items() <= job["metadata"]["labels"].items())
        for template, secret in [(pod, "postilion"), (job, "postilion-owner"),
                                 (cron, "postilion-owner")]:
            container, = template["spec"]["containers"]
            # Instances and maintenance keep the history for the same time.
            self.assertEqual(container["envFrom"], [
                {"configMapRef": {"name": "postilion"}}, {"secretRef": {"name": secret}}])
            self.assertIn(("Secret", secret), documents)
            for one in [container, *template["spec"].get("initContainers", [])]:
                self.assertTrue(one["securityContext"]["readOnlyRootFilesystem"])
                self.assertIn({"secretRef": {"name": secret}}, one["envFrom"])
            self.assertTrue(template["spec"]["securityContext"]["runAsNonRoot"])
        # The first devices find the partitions of their month.
        migration, = job["spec"]["initContainers"]
        self.assertEqual(
            [migration["args"], job["spec"]["containers"][0]["args"]], [["migrate"], ["maintain"]])
        shared = documents["ConfigMap", "postilion"]["data"]
        self.assertIn("POSTILION_RETENTION_MONTHS", shared)

    def test_the_placeholders_of_root_keys_are_refused(self):
        secret = self.documents()["Secret", "postilion"]["stringData"]
        typed = re.search(r"--env POSTILION_ROOT_KEY='(.*?)'", (DEPLOY / "README.md").read_text())
        for key in [secret["POSTILION_ROOT_KEY"], typed[1]]:
            result = subprocess.run([PROGRAM, "serve"], stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True, timeout=DEADLINE,
                                    env=os.environ | secret | {"POSTILION_ROOT_KEY": key})
            self.assertEqual(result.returncode, 64, result.stdout)
            self.assertIn("POSTILION_ROOT_KEY is not understood", result.stdout)
            self.assertNotIn(key, result.stdout)

    def test_a_command_beside_the_service_can_write_to_tmp(self):
        pod = self.documents()["Deployment", "postilion"]["spec"]["template"]["spec"]
        container, = pod["containers"]
        mount, = container["volumeMounts"]
        self.assertEqual(mount["mountPath"], "/tmp")
        volume, = [volume for volume in pod["volumes"] if volume["name"] == mount["name"]]
        self.assertEqual(volume["emptyDir"]["medium"], "Memory")
        self.assertIn("sizeLimit", volume["emptyDir"])

    def test_an_instance_has_the_time_to_stop(self):
        pod = self.documents()["Deployment", "postilion"]["spec"]["template"]["spec"]
        container, = pod["containers"]
        program, seconds = container["lifecycle"]["preStop"]["exec"]["command"]
        self.assertEqual(program, "sleep")
        # docs/operations.md: POSTILION_DRAIN_SECONDS, half a second, and two for clients to end.
        self.assertLess(int(seconds) + 10 + 0.5 + 2, pod["terminationGracePeriodSeconds"])

    def test_two_instances_and_one_more_fit_into_the_sessions_of_a_database(self):
        deployment = self.documents()["Deployment", "postilion"]["spec"]
        container, = deployment["template"]["spec"]["containers"]
        settings = {entry["name"]: entry["value"] for entry in container["env"]}
        surge = deployment["strategy"]["rollingUpdate"]["maxSurge"]
        instances = deployment["replicas"] + surge
        self.assertLess(instances * sessions(settings["POSTILION_LOOPS"]), 100)

    def test_the_probes_are_answered(self):
        container, = self.documents()["Deployment", "postilion"]["spec"]["template"]["spec"][
            "containers"]
        with folder() as directory, Program(POSTILION_DATA_DIR=directory / "data") as program:
            for probe in ["startupProbe", "livenessProbe", "readinessProbe"]:
                path = container[probe]["httpGet"]["path"]
                connection = http.client.HTTPConnection(program.address, timeout=DEADLINE)
                self.assertEqual(request(connection, "GET", path, key=None)[0].status, 200, path)


@unittest.skipUnless(os.geteuid() == 0, "needs root: images are built and run")
class ComposeTests(unittest.TestCase):
    def test_from_nothing_to_a_localized_payload(self):
        with containers() as store, folder() as directory:
            for name in ["postilion", "postilion-postgresql"]:
                podman("load", "--input", made("image") / f"{name}_{version()}_amd64.oci.tar")
            self.stand_in(store, "docker.io/library/postgres:17", POSTGRESQL)
            self.stand_in(store, "docker.io/library/haproxy:3.0", HAPROXY)
            # Its name is that of the network, which is of the whole machine.
            here = directory / "postilion-check"
            shutil.copytree(DEPLOY, here, ignore=shutil.ignore_patterns("secrets"))
            port = free_port()
            for name, change in [("compose.yaml", ("443:443", f"127.0.0.1:{port}:443")),
                                 ("haproxy.cfg", ("maxconn 20000", "maxconn 500"))]:
                (here / name).write_text(changed((here / name).read_text(), change))
            try:
                self.typed(here, "./compose-secrets", "localhost")
                # Podman would put a directory in memory at /tmp by itself; Docker does not.
                self.typed(here, "podman-compose", "--podman-run-args=--read-only-tmpfs=false",
                           "up", "--detach")
                text = self.typed(here, "podman-compose", "exec", "-T", "service",
                                  "/usr/share/postilion/first-payload")
                self.assertIn('"body":"Zoé, votre commande est prête."', text)
                self.through_the_proxy(here, port)
                # Its container may have another address now.
                self.typed(here, "podman-compose", "restart", "service")
                self.through_the_proxy(here, port)
            finally:
                subprocess.run(["podman-compose", "down", "--volumes"], cwd=here,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                podman("network", "rm", "--force", f"{here.name}_default")

    def typed(self, here, *command):
        """A command that a person types, with its seconds."""
        started = time.monotonic()
        output = run(list(command), cwd=here)
        saw(f"{' '.join(command)}: {time.monotonic() - started:.1f} s")
        return output

    def stand_in(self, store, name, text):
        place = store / "stand-in"
        place.mkdir(exist_ok=True)
        (place / "Containerfile").write_text(text.format(version=version()))
        (place / "start").write_text(START)
        (place / "start").chmod(0o755)
        run(["buildah", "build", "--pull-never", "--tag", name, str(place)],
            env=os.environ | {"BUILDAH_ISOLATION": "chroot"})

    def through_the_proxy(self, here, port):
        """What the internet sees: TLS, the API with a key, and no metrics."""
        trust = ssl.create_default_context(cafile=str(here / "secrets/proxy.pem"))
        key = (here / "secrets/root_key").read_text().strip()

        def connection():
            return http.client.HTTPSConnection("localhost", port, context=trust, timeout=DEADLINE)

        started = time.monotonic()
        deadline = started + DEADLINE
        while True:
            try:
                answer, _ = request(connection(), "GET", "/healthz", key=None)
                if answer.status == 200:
                    break
            except OSError:
                pass
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.2)
        apps = call(connection(), "GET", "/v1/apps", key=key)
        self.assertEqual([app["app"] for app in apps["items"]], ["hello"])
        self.assertEqual(request(connection(), "GET", "/metrics", key=None)[0].status, 404)
        saw("through the proxy: TLS, the app with its key, and 404 for /metrics, "
            f"{time.monotonic() - started:.1f} s")


if __name__ == "__main__":
    unittest.main(verbosity=2)
