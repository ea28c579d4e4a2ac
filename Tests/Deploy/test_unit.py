"""The systemd unit, in a Debian of its own that boots with systemd."""

import os
import re
import shutil
import subprocess
import unittest

from service import DEPLOY, PROGRAM, ROOT, folder, run, saw

PACKAGES = [
    "ca-certificates", "curl", "libcurl4", "libpq5", "libssl3", "libstdc++6", "postgresql",
    "procps", "systemd", "systemd-sysv", "tzdata", "util-linux", "zlib1g"]

# The exposure that systemd-analyze calls safe ends at 2.
EXPOSURE = 1.5


def mirror():
    """The first package source of this machine, and its Debian's name."""
    codename = re.search(r"VERSION_CODENAME=(\w+)", open("/etc/os-release").read())[1]
    text = run(["apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages",
                f"Codename: {codename}"])
    return text.split()[0], codename


def debian(directory, packages):
    """A small Debian in a directory."""
    site, codename = mirror()
    wanted = [f"--include={','.join(packages)}"] if packages else []
    run(["debootstrap", "--variant=minbase", *wanted, codename, str(directory), site])


class ScriptTests(unittest.TestCase):
    def test_shellcheck_has_nothing_to_say(self):
        run(["shellcheck", str(ROOT / "Tests/Deploy/machine.sh")])


@unittest.skipUnless(os.geteuid() == 0, "needs root: a machine is booted in a directory")
class UnitTests(unittest.TestCase):
    def test_the_service_runs_in_its_sandbox(self):
        with folder() as directory:
            machine = directory / "machine"
            debian(machine, PACKAGES)
            self.install(machine)
            output = run([
                "systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network",
                "--directory", machine, "--boot", "--machine=postilion-deploy"],
                stdin=subprocess.DEVNULL)
            text = (machine / "seen").read_text()
            seen = dict(re.findall(r"^([a-z ]+): ?(.*)$", text, re.MULTILINE))
            for name, value in seen.items():
                saw(f"{name}: {value}")
            with self.subTest(text + output[-2000:]):
                self.compare(seen)

    def install(self, machine):
        """Puts everything where the README of deploy says."""
        for source, target in [
                (PROGRAM, "usr/bin/postilion"),
                (DEPLOY / "postilion.service", "etc/systemd/system/postilion.service"),
                (DEPLOY / "postilion.sysusers.conf", "usr/lib/sysusers.d/postilion.conf"),
                (DEPLOY / "journald@postilion.conf", "etc/systemd/journald@postilion.conf"),
                (DEPLOY / "postilion.env", "etc/postilion/postilion.env"),
                (DEPLOY / "embedded.conf", "embedded.conf"),
                (ROOT / "Tests/Deploy/machine.sh", "machine.sh")]:
            (machine / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, machine / target)
        settings = machine / "etc/postilion/postilion.env"
        settings.write_text(settings.read_text().replace(
            "#POSTILION_ROOT_KEY=", "POSTILION_ROOT_KEY=pst_root_of-the-tests-of-deploy"))
        settings.chmod(0o600)
        (machine / "usr/bin/postilion").chmod(0o755)
        (machine / "etc/systemd/system/seen.service").write_text(
            "[Unit]\nAfter=postgresql.service\n[Service]\nType=oneshot\nTimeoutStartSec=500\n"
            "ExecStart=/bin/bash -c '/bin/bash /machine.sh > /seen 2>&1'\n"
            "ExecStopPost=/bin/systemctl --no-block poweroff\n"
            "[Install]\nWantedBy=multi-user.target\n")
        run(["systemctl", f"--root={machine}", "enable", "seen.service"])

    def compare(self, seen):
        for name in ["exposure", "embedded exposure"]:
            self.assertLessEqual(float(re.search(r": (\d+\.\d)", seen[name])[1]), EXPOSURE)
        self.assertEqual(seen["verify"], "")
        for kind in ["external", "embedded"]:
            self.assertEqual(seen[f"{kind} ready"], "yes")
            self.assertEqual(seen[f"{kind} app"], "201")
            self.assertEqual(seen[f"{kind} registration"], "201")
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
        self.assertEqual(seen["wrong setting"], "failed, 64, 0 restarts")
        self.assertIn("database system is shut down", seen["embedded shutdown"])
        self.assertEqual(seen["embedded processes"], "0")


if __name__ == "__main__":
    unittest.main(verbosity=2)
