"""The images of deploy/Containerfile: `make image` makes them, and podman runs them.

No image is fetched. In place of the first stage, which compiles, stands the program under test.
"""

import http.client
import json
import os
import re
import shutil
import time
import unittest

from containers import containers, podman
from debian import made, version
from proxies import free_port
from service import Cluster, DEADLINE, DEPLOY, KEY, ROOT, call, folder, request, run, saw

# Of the archives; what Debian itself takes is in them.
MEBIBYTES = {"postilion": 90, "postilion-postgresql": 160}

ARCHITECTURE = "amd64"


class ManifestTests(unittest.TestCase):
    def test_the_first_stage_copies_what_the_manifest_needs(self):
        with folder() as directory:
            text = (DEPLOY / "Containerfile").read_text()
            for names, place in re.findall(r"^COPY (?!--from)(.*) (\S+)$", text, re.MULTILINE):
                for name in names.split():
                    source = ROOT / name
                    target = directory / (place + source.name if place.endswith("/") else place)
                    if source.is_dir():
                        shutil.copytree(source, target, symlinks=True)
                    else:
                        target.parent.mkdir(exist_ok=True)
                        shutil.copy(source, target)
            text = run(["swift", "package", "describe", "--type", "json"], cwd=directory)
            self.assertIn('"name" : "postilion"', text)
            embedded = (directory / "Sources/C/CResources/CResources.c").read_text()
            for path in re.findall(r'#embed "\.\./\.\./(.+)"', embedded):
                self.assertTrue((directory / path).exists(), path)
            self.assertTrue((directory / "deploy/first-payload").exists())
            saw("SwiftPM reads the manifest of what is copied")


@unittest.skipUnless(os.geteuid() == 0, "needs root: images are built and run")
class ImageTests(unittest.TestCase):
    """The images come from their archives, as they do on another machine."""

    @classmethod
    def setUpClass(cls):
        cls.dist = made("image")
        cls.enterClassContext(containers())

    def setUp(self):
        self.port = free_port()
        self.commands = []

    def typed(self, *command):
        """A command that a person types, with its seconds."""
        started = time.monotonic()
        output = run(["podman", *map(str, command)])
        self.commands.append(f"podman {' '.join(map(str, command))}: "
                             f"{time.monotonic() - started:.1f} s")
        return output

    def archive(self, name):
        return self.dist / f"{name}_{version()}_{ARCHITECTURE}.oci.tar"

    def logs_of(self, container, pattern):
        """What the log of a container says, once it does."""
        deadline = time.monotonic() + DEADLINE
        while not (found := re.search(pattern, text := podman("logs", container))):
            self.assertLess(time.monotonic(), deadline, text)
            time.sleep(0.2)
        return found

    def connection(self):
        return http.client.HTTPConnection(f"127.0.0.1:{self.port}", timeout=DEADLINE)

    def test_sizes_and_configurations(self):
        for name, command in [("postilion", "serve"), ("postilion-postgresql", "serve"),
                              ("postilion-demo", "demo")]:
            size = os.path.getsize(self.archive(name)) / (1 << 20)
            image = podman("load", "--input", self.archive(name)).split()[-1]
            inspected = json.loads(podman("image", "inspect", image))[0]
            saw(f"{name}: {size:.0f} MiB as archive, {inspected['Size'] / (1 << 20):.0f} unpacked")
            self.assertLess(size, MEBIBYTES.get(name, MEBIBYTES["postilion-postgresql"]))
            self.assertEqual(inspected["Config"]["User"], "65532:65532")
            self.assertEqual(inspected["Config"]["Entrypoint"], ["/usr/bin/postilion"])
            self.assertEqual(inspected["Config"]["Cmd"], [command])

    def test_the_demo_in_two_commands(self):
        self.typed("load", "--input", self.archive("postilion-demo"))
        self.typed("run", "--detach", "--name=demo", f"--publish={self.port}:8080",
                   "postilion:demo")
        key = self.logs_of("demo", r"http://\S+/#key=(pst_\S+)")[1]
        answer, page = request(self.connection(), "GET", "/", key=None)
        self.assertEqual(answer.status, 200)
        self.assertIn(b"<title>", page)
        apps = call(self.connection(), "GET", "/v1/apps", key=key)
        self.assertEqual([app["app"] for app in apps["items"]], ["food"])
        podman("rm", "--force", "--time=100", "demo")
        for line in self.commands:
            saw(line)

    def test_from_nothing_to_a_localized_payload_with_the_embedded_postgresql(self):
        name = f"postilion:{version()}-postgresql"
        self.typed("load", "--input", self.archive("postilion-postgresql"))
        command = ["run", "--detach", "--name=alone", "--volume=alone:/var/lib/postilion",
                   "--stop-timeout=100", f"--publish=127.0.0.1:{self.port}:8080", "--read-only",
                   "--cap-drop=all", f"--env=POSTILION_ROOT_KEY={KEY}", name]
        self.typed(*command)
        text = self.typed("exec", "alone", "/usr/share/postilion/first-payload")
        self.assertIn('"body":"Zoé, votre commande est prête."', text)
        self.look_inside("alone")
        # An update: the volume stays when the container is replaced.
        self.typed("stop", "alone")
        self.typed("rm", "alone")
        self.typed(*command)
        self.logs_of("alone", "ready ")
        apps = call(self.connection(), "GET", "/v1/apps")
        self.assertEqual([app["app"] for app in apps["items"]], ["hello"])
        podman("rm", "--force", "--volumes", "--time=100", "alone")
        for line in self.commands:
            saw(line)

    def test_the_service_with_a_database_elsewhere(self):
        podman("load", "--input", self.archive("postilion"))
        port = free_port()
        with folder() as directory, Cluster.create(
                directory / "cluster", listen_addresses="127.0.0.1", port=port).start():
            podman("run", "--detach", "--name=service", "--network=host", "--read-only",
                   "--cap-drop=all", f"--env=POSTILION_ROOT_KEY={KEY}",
                   f"--env=DATABASE_URL=postgresql://postilion@127.0.0.1:{port}/postgres",
                   f"--env=POSTILION_LISTEN=127.0.0.1:{self.port}", f"postilion:{version()}")
            self.logs_of("service", "ready ")
            call(self.connection(), "PUT", "/v1/apps/food",
                 {"bundle_id": "com.example.food", "name": "Food"})
            self.look_inside("service")
            podman("rm", "--force", "--time=100", "service")

    def test_debian_has_no_update_that_is_not_in(self):
        podman("load", "--input", self.archive("postilion-postgresql"))
        text = podman("run", "--rm", "--network=host", "--user=0", "--entrypoint=sh",
                      f"postilion:{version()}-postgresql", "-c",
                      "apt-get update && apt-get --simulate upgrade")
        self.assertNotRegex(text, "(?m)^Inst ")
        self.assertIn("0 upgraded", text)
        saw("no package of Debian has an update")

    def look_inside(self, container):
        """As whom the service runs, where it can write, and what preStop of Kubernetes runs."""
        process = podman("inspect", "--format={{.State.Pid}}", container).strip()
        status = open(f"/proc/{process}/status").read()
        self.assertRegex(status, r"Uid:\t65532\t65532")
        self.assertRegex(status, r"CapEff:\t0000000000000000")
        places = podman("exec", container, "sh", "-c",
                        "for d in / /etc /usr /var /home; do "
                        "if mkdir $d/probe 2> /dev/null; then echo $d; fi; done")
        self.assertEqual(places, "")
        podman("exec", container, "sleep", "0")
        saw(f"{container}: user 65532 without privileges, on a root directory that is read only")


if __name__ == "__main__":
    unittest.main(verbosity=2)
