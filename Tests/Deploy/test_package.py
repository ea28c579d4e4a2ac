"""Debian's package, in a Debian 12 and a Debian 13 that boot with systemd."""

import os
import re
import shutil
import subprocess
import unittest

from debian import CODENAMES, boot, debian, made, version
from service import PROGRAM, ROOT, folder, run, saw

# What the script asks with. systemd and apt are there in whatever Debian boots.
PACKAGES = ["curl", "procps", "systemd", "systemd-sysv", "util-linux"]

# The exposure that systemd-analyze calls safe ends at 2.
EXPOSURE = 1.5


def package(name="postilion"):
    """The file of a package."""
    return made("package") / f"{name}_{version()}_amd64.deb"


class FileTests(unittest.TestCase):
    def test_shellcheck_has_nothing_to_say(self):
        scripts = [ROOT / "Tests/Deploy/machine.sh", *(ROOT / "deploy").glob("*.sh"),
                   *[ROOT / "deploy" / name for name in
                     ["postilion-console", "postilion-doctor", "first-payload", "compose-secrets"]],
                   *(ROOT / "deploy/debian").glob("postilion.p*")]
        run(["shellcheck", *map(str, scripts)])

    def test_root_opens_nothing_in_the_folder_of_the_service(self):
        """The account of the service may put a pipe or a link there. A purge removes it whole."""
        for path in [*(ROOT / "deploy/debian").glob("postilion.p*"),
                     ROOT / "deploy/postilion-console", ROOT / "deploy/postilion-doctor"]:
            lines = [line.strip() for line in path.read_text().splitlines()
                     if "/var/lib/postilion" in line and not line.strip().startswith("#")]
            allowed = {
                "postilion.postrm": ["rm -rf /var/lib/postilion || true"],
                "postilion-doctor": [
                    'exec env -i PATH="$PATH" HOME=/var/lib/postilion "$0" --clean "$@"'],
            }
            self.assertEqual(lines, allowed.get(path.name, []), path.name)

    def test_lintian_has_nothing_to_say(self):
        text = run(["lintian", "--allow-root", "--fail-on=error,warning",
                    str(package()), str(package("postilion-dbgsym"))])
        saw(f"lintian: {text.strip() or 'nothing'}")
        self.assertNotRegex(text, "(?m)^[EW]:")

    def test_the_same_program_makes_the_same_packages(self):
        with folder() as directory:
            tree = directory / "another folder"
            tree.mkdir()
            for name in ["deploy", "sql", "openapi.yaml", "CHANGELOG.md", "Makefile"]:
                run(["cp", "--recursive", str(ROOT / name), str(tree)])
            run(["make", "package", f"PROGRAM={PROGRAM}"], cwd=tree)
            for name in ["postilion", "postilion-dbgsym"]:
                run(["cmp", str(package(name)), str(tree / ".build/dist" / package(name).name)])
        saw("two folders, the same packages byte for byte")

    def test_debuggers_find_the_symbols(self):
        with folder() as directory:
            for name in ["postilion", "postilion-dbgsym"]:
                run(["dpkg-deb", "--extract", str(package(name)), str(directory)])
            section = run(["readelf", "--string-dump=.gnu_debuglink",
                           str(directory / "usr/bin/postilion")])
            self.assertIn("postilion.debug", section)
            symbols = run(["nm", str(directory / "usr/lib/debug/usr/bin/postilion.debug")])
            self.assertIn(" main\n", symbols)
            sizes = {name: os.path.getsize(package(name)) >> 20
                     for name in ["postilion", "postilion-dbgsym"]}
            program = os.path.getsize(directory / "usr/bin/postilion") >> 20
            saw(f"MiB of the packages: {sizes}; of the program: {program}")


@unittest.skipUnless(os.geteuid() == 0, "needs root: a machine is booted in a directory")
class MachineTests(unittest.TestCase):
    def test_debian_12(self):
        self.try_in("bookworm")

    def test_debian_13(self):
        self.try_in("trixie")

    def try_in(self, codename):
        with folder() as directory:
            machine = directory / "machine"
            debian(machine, codename, PACKAGES)
            shutil.copy(package(), machine / "postilion.deb")
            shutil.copy(ROOT / "Tests/Deploy/machine.sh", machine / "machine.sh")
            # The machine has no network of its own: what apt will want is there before.
            run(["chroot", machine, "apt-get", "update"])
            run(["chroot", machine, "apt-get", "install", "--yes", "--download-only",
                 "/postilion.deb"])
            text = boot(machine, "/machine.sh")
            seen = dict(re.findall(r"^([a-z ]+): ?(.*)$", text, re.MULTILINE))
            for name, value in seen.items():
                saw(f"{CODENAMES[codename]}: {name}: {value}")
            with self.subTest(text):
                self.compare_first_steps(seen)
                self.compare_sandbox(seen)
                self.compare_changes(seen)
                self.compare_update_and_removal(seen)

    def compare_first_steps(self, seen):
        for name in ["install", "start", "payload", "tidy", "console", "doctor", "doctor alone"]:
            self.assertRegex(seen[f"typed {name}"], "^0 after ")
        self.assertIn('"body":"Zoé, votre commande est prête."', seen["payload"])
        self.assertEqual(seen["console"], "http://127.0.0.1:8080/#key=KEY")
        self.assertEqual(seen["console opens"], "200")
        # The doctor looks at the database of the service: the embedded one, then Debian's own.
        self.assertIn("POSTILION_DATA_DIR, ", seen["doctor settings"])
        self.assertIn("POSTILION_ROOT_KEY, ", seen["doctor settings"])
        self.assertIn("lets postilion in (private)", seen["doctor database"])
        self.assertIn("/var/lib/postilion does not run", seen["doctor alone database"])
        self.assertIn("host=/var/run/postgresql", seen["doctor external database"])
        self.assertEqual(seen["version"], f"postilion {version()}")
        self.assertEqual(seen["health version"], f"postilion {version()}")
        self.assertEqual(seen["enabled"].split(), ["enabled", "disabled"])
        self.assertIn(f'"postilion {version()}"', seen["manual"])
        self.assertEqual(seen["secrets"].strip(), "600 root")

    def compare_sandbox(self, seen):
        self.assertEqual(seen["verify"], "")
        for name in ["exposure", "embedded exposure", "maintain exposure"]:
            self.assertLessEqual(float(re.search(r": (\d+\.\d)", seen[name])[1]), EXPOSURE)
        for kind in ["embedded", "external"]:
            self.assertEqual(seen[f"{kind} ready"], "yes")
            # The external one has what the embedded one had.
            status = {"embedded": "201", "external": "200"}[kind]
            self.assertEqual(seen[f"{kind} app"], status)
            self.assertEqual(seen[f"{kind} registration"], status)
            self.assertEqual(seen[f"{kind} user"], "postilion")
            self.assertIn("CapEff:=0000000000000000", seen[f"{kind} privileges"])
            self.assertIn("CapBnd:=0000000000000000", seen[f"{kind} privileges"])
            self.assertIn("NoNewPrivs:=1 Seccomp:=2", seen[f"{kind} privileges"])
            self.assertEqual(seen[f"{kind} ready after kill"], "yes")
            self.assertEqual(seen[f"{kind} registration after kill"], "200")
            self.assertRegex(seen[f"{kind} stop"], "^success, 0, within")
        self.assertEqual(seen["external can write"].split(), ["/tmp"])
        self.assertEqual(seen["embedded can write"].split(), ["/var/lib/postilion", "/tmp"])
        self.assertEqual(seen["journal"], "2 starts, 1 stops")
        self.assertEqual(seen["journal of others"], "0")
        self.assertEqual(seen["journal has the token"], "0")
        self.assertEqual(seen["journal of threads"], "0")
        self.assertEqual(seen["wrong setting"], "failed, 64, 0 restarts")
        self.assertEqual(seen["wrong setting starts"], "1")
        self.assertIn("database system is shut down", seen["embedded shutdown"])
        self.assertEqual(seen["embedded processes"], "0")

    def compare_changes(self, seen):
        self.assertEqual(seen["new key ready"], "yes")
        self.assertEqual(seen["new key opens"], "200")
        self.assertEqual(seen["new key is"], "new")
        self.assertEqual(seen["postgresql update restarts"], "yes")
        self.assertRegex(seen["typed trigger beside a pipe"], "^0 after ")
        self.assertEqual(seen["stranger heard"], "0 bytes")
        self.assertEqual(seen["console elsewhere"], "http://127.0.0.1:9090/#key=KEY")
        self.assertRegex(seen["typed payload elsewhere"], "^0 after ")
        self.assertIn("runs on 127.0.0.1:9090 and is ready", seen["doctor elsewhere"])
        self.assertIn("how to allow its address", seen["doctor closed"])
        self.assertEqual(seen["doctor open"], "")
        self.assertEqual(seen["restore"], "0")
        self.assertEqual(seen["roles ready"], "yes")
        self.assertIn("postilion_service reads and writes rows", seen["roles doctor"])

    def compare_update_and_removal(self, seen):
        for name in ["update", "postgresql update", "dump", "migrate", "remove", "purge"]:
            self.assertRegex(seen[f"typed {name}"], "^0 after ")
        self.assertEqual(seen["update ready"], "yes")
        self.assertEqual(seen["update registration"], "200")
        self.assertEqual(seen["update keeps"], "key 1 settings")
        self.assertEqual(seen["maintain"], "success")
        self.assertEqual(seen["maintain settings"], "64")
        self.assertEqual(seen["remove leaves"].split(), ["inactive", "inactive"])
        self.assertEqual(seen["remove keeps"], "3 files")
        self.assertEqual(seen["purge leaves"], "")
        self.assertRegex(seen["account"], "^postilion:.*:/usr/sbin/nologin$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
