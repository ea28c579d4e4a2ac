"""Small Debians in directories, and what the Makefile makes of the program under test."""

import functools
import os
import re
import shutil
import subprocess

from containers import containers
from service import PROGRAM, ROOT, run

# The releases that the package is for.
CODENAMES = {"bookworm": "Debian 12", "trixie": "Debian 13"}


@functools.cache
def made(*target):
    """Runs `make package` or its like with the program under test; the folder of what it made."""
    with containers():
        run(["make", *target, f"PROGRAM={PROGRAM}"], cwd=ROOT)
    return ROOT / ".build/dist"


@functools.cache
def version():
    """The release, which is written in one place."""
    return re.search(r"(?m)^  version: (.*)$", (ROOT / "openapi.yaml").read_text())[1]


def mirror():
    """The first package source of this machine."""
    codename = re.search(r"VERSION_CODENAME=(\w+)", open("/etc/os-release").read())[1]
    text = run(["apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages",
                f"Codename: {codename}"])
    return text.split()[0]


def debian(directory, codename="bookworm", packages=()):
    """A small Debian in a directory, which may install packages."""
    wanted = [f"--include={','.join(packages)}"] if packages else []
    run(["debootstrap", "--variant=minbase", *wanted, codename, str(directory), mirror()])
    shutil.copy("/etc/resolv.conf", directory / "etc/resolv.conf")


def boot(directory, script):
    """Boots a Debian with systemd and without a network, runs a script as root, switches it off.

    - Returns: What the script wrote.
    """
    (directory / "etc/systemd/system/seen.service").write_text(
        "[Unit]\nAfter=multi-user.target\n[Service]\nType=oneshot\nTimeoutStartSec=infinity\n"
        f"ExecStart=/bin/bash -c '/bin/bash {script} > /seen 2>&1'\n"
        "ExecStopPost=/bin/systemctl --no-block poweroff\n"
        "[Install]\nWantedBy=default.target\n")
    run(["systemctl", f"--root={directory}", "enable", "seen.service"])
    output = run([
        "systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network",
        "--directory", directory, "--boot", f"--machine=postilion-{os.getpid()}",
        # Debian 13 asks for this where the kernel has the groups of processes of old.
        "SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1"], stdin=subprocess.DEVNULL)
    return (directory / "seen").read_text() + output[-2000:]
