"""The image of deploy/Containerfile: its second stage is really built, on a Debian made here.

No image is fetched. In place of the first stage, which compiles, stands the program under test.
"""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import unittest

from proxies import free_port
from service import Cluster, DEADLINE, DEPLOY, KEY, PROGRAM, ROOT, call, folder, run, saw
from test_unit import debian

# The program with its libraries; what Debian itself takes is not ours.
MEBIBYTES = 120

# The image reaches its database as a real one does: over TCP.
PORT = free_port()
ADDRESS = f"127.0.0.1:{free_port()}"


@unittest.skipUnless(os.geteuid() == 0, "needs root: an image is built")
class ImageTests(unittest.TestCase):
    def test_the_first_stage_copies_what_the_manifest_needs(self):
        with folder() as directory:
            text = (DEPLOY / "Containerfile").read_text()
            for names in re.findall(r"^COPY (?!--from)(.*) \S+$", text, re.MULTILINE):
                for name in names.split():
                    source, target = ROOT / name, directory / name
                    if source.is_dir():
                        shutil.copytree(source, target, symlinks=True)
                    else:
                        shutil.copy(source, target)
            text = run(["swift", "package", "describe", "--type", "json"], cwd=directory)
            self.assertIn('"name" : "postilion"', text)
            for link in (directory / "Sources/App/Resources").iterdir():
                self.assertTrue(link.exists(), link)
            saw("SwiftPM reads the manifest of what is copied")

    def test_the_image_serves_as_nobody(self):
        with folder() as directory:
            self.store = directory / "store"
            debian(directory / "base", [])
            try:
                image = self.build(directory)
                configuration = self.inspect(image)
                self.assertEqual(configuration["User"], "65532:65532")
                self.assertEqual(configuration["Entrypoint"], ["/usr/bin/postilion"])
                self.assertEqual(configuration["Cmd"], ["serve"])
                with Cluster.create(directory / "cluster", listen_addresses="127.0.0.1",
                                    port=PORT).start():
                    self.serve(image, f"postgresql://postilion@127.0.0.1:{PORT}/postgres")
            finally:
                # What is mounted must go before the directory can.
                self.buildah("rm", "--all")

    def buildah(self, *arguments):
        """Runs buildah with a store in the directory of the test."""
        return run(["buildah", "--storage-driver", "vfs", "--root", self.store / "images",
                    "--runroot", self.store / "run", *map(str, arguments)],
                   env=os.environ | {"BUILDAH_ISOLATION": "chroot"})

    def build(self, directory):
        """Builds the Containerfile with the program in place of its first stage."""
        container = self.buildah("from", "scratch").split()[-1]
        self.buildah("add", "--quiet", container, directory / "base", "/")
        self.buildah("commit", "--quiet", container, "docker.io/library/debian:bookworm-slim")
        stage = directory / "stage/image/usr/bin"
        stage.mkdir(parents=True)
        run(["install", "--strip", PROGRAM, stage / "postilion"])
        text = self.buildah(
            "bud", "--pull-never", "--build-context", f"build={directory / 'stage'}",
            "--file", DEPLOY / "Containerfile", "--tag", "postilion", ROOT)
        self.assertIn("COPY --from=build", text)
        container = self.buildah("from", "--pull-never", "localhost/postilion").split()[-1]
        return container, self.buildah("mount", container).split()[-1], directory / "base"

    def inspect(self, image):
        container, root, base = image
        own = int(run(["du", "-sm", root]).split()[0]) - int(run(["du", "-sm", base]).split()[0])
        program = os.path.getsize(f"{root}/usr/bin/postilion") / (1 << 20)
        saw(f"the image adds {own} MiB to its base, {program:.0f} MiB of them the program")
        self.assertLess(own, MEBIBYTES)
        return json.loads(self.buildah("inspect", container))["OCIv1"]["config"]

    def serve(self, image, database):
        """Starts the image as its configuration says, with a root directory that is read only."""
        _, root, _ = image
        process = subprocess.Popen([
            "unshare", "--mount", "bash", "-c",
            'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && '
            'mount -t proc proc "$0/proc" && exec setpriv --no-new-privs '
            'chroot --userspec=65532:65532 --groups=65532 "$0" /usr/bin/postilion serve', root],
            env={"DATABASE_URL": database, "POSTILION_ROOT_KEY": KEY, "PATH": os.environ["PATH"],
                 "POSTILION_LISTEN": ADDRESS},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            said = ""
            while not said.endswith(f"ready http://{ADDRESS}\n"):
                line = process.stdout.readline()
                self.assertTrue(line, said)
                said += line
            connection = http.client.HTTPConnection(ADDRESS, timeout=DEADLINE)
            call(connection, "PUT", "/v1/apps/food", {"bundle_id": "com.example.food", "name": "F"})
            status = open(f"/proc/{process.pid}/status").read()
            self.assertRegex(status, r"Uid:\t65532")
            self.assertRegex(status, r"CapEff:\t0000000000000000")
            saw("served as user 65532 without privileges, on a root directory that is read only")
        finally:
            process.send_signal(signal.SIGTERM)
            process.stdout.close()
            process.wait(DEADLINE)


if __name__ == "__main__":
    unittest.main(verbosity=2)
