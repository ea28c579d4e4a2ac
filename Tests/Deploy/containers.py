"""Podman and buildah with a store of their own, which goes with the test."""

import contextlib
import os
import subprocess
from unittest import mock

from service import folder, run


@contextlib.contextmanager
def containers():
    """Images and containers of a test; those of the machine are left alone."""
    with folder() as directory:
        (directory / "storage.conf").write_text(
            '[storage]\ndriver = "overlay"\n'
            f'graphroot = "{directory}/images"\nrunroot = "{directory}/run"\n')
        # Podman asks for a million of each, which this machine may not let root have.
        limits = '"nofile=4096:4096", "nproc=4096:4096"'
        (directory / "containers.conf").write_text(
            f'[containers]\ndefault_ulimits = [{limits}]\nlog_driver = "k8s-file"\n'
            '[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\nruntime = "runc"\n')
        names = {"CONTAINERS_STORAGE_CONF": "storage.conf", "CONTAINERS_CONF": "containers.conf"}
        stores = {name: str(directory / file) for name, file in names.items()}
        # Stores nest: what is made while another is open has its own.
        with mock.patch.dict(os.environ, stores):
            try:
                yield directory
            finally:
                subprocess.run(["podman", "rm", "--all", "--force", "--volumes", "--time=100"],
                               stdout=subprocess.DEVNULL)
                subprocess.run(["buildah", "rm", "--all"], stdout=subprocess.DEVNULL)


def podman(*arguments):
    """Runs podman, which must succeed: what it says."""
    return run(["podman", *map(str, arguments)])
