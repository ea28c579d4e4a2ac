"""Podman and buildah with a store of their own, which goes with the test."""

import contextlib
import os
import pathlib
import resource
import subprocess

from service import folder, run


@contextlib.contextmanager
def containers():
    """Images and containers of a test; those of the machine are left alone."""
    with folder() as directory:
        (directory / "storage.conf").write_text(
            '[storage]\ndriver = "overlay"\n'
            f'graphroot = "{directory}/images"\nrunroot = "{directory}/run"\n')
        # What a container may have is bounded by what this machine lets root have.
        limits = ", ".join(
            f'"{name}={bound}:{bound}"' for name, bound in [
                ("nofile", limit(resource.RLIMIT_NOFILE)), ("nproc", limit(resource.RLIMIT_NPROC))])
        (directory / "containers.conf").write_text(
            f'[containers]\ndefault_ulimits = [{limits}]\nlog_driver = "k8s-file"\n'
            '[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\nruntime = "runc"\n')
        names = {"CONTAINERS_STORAGE_CONF": "storage.conf", "CONTAINERS_CONF": "containers.conf"}
        os.environ.update({name: str(directory / file) for name, file in names.items()})
        try:
            yield directory
        finally:
            subprocess.run(["podman", "rm", "--all", "--force", "--volumes", "--time=100"],
                           stdout=subprocess.DEVNULL)
            subprocess.run(["buildah", "rm", "--all"], stdout=subprocess.DEVNULL)
            for name in names:
                del os.environ[name]


def limit(kind):
    """The most that a process of this machine may have, and no more than podman itself asks."""
    hard = resource.getrlimit(kind)[1]
    return 1 << 20 if hard == resource.RLIM_INFINITY else min(hard, 1 << 20)


def podman(*arguments):
    """Runs podman, which must succeed: what it says."""
    return run(["podman", *map(str, arguments)])
