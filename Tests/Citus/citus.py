"""A Citus cluster for one command: a coordinator and two workers, which end with it.

    python3 Tests/Citus/citus.py swift test --filter '^AppTests'
    python3 Tests/Citus/citus.py --durable --shards 32 --data /var/tmp/cluster bash
    python3 Tests/Citus/citus.py && echo "Citus is installed."

The command finds the coordinator in POSTILION_TEST_DATABASE_URL and the workers, one a line, in
POSTILION_TEST_CITUS_WORKERS. The tests of the service then distribute each database that they make
by sql/citus.sql. docs/citus.md has what this shows.
"""

import argparse
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Faults"))
import cluster  # noqa: E402  pylint: disable=wrong-import-position

WORKERS = 2

# Hundreds of databases, each of which Citus looks after by a process of its own.
SETTINGS = {
    "shared_preload_libraries": "citus", "max_connections": 700, "max_worker_processes": 600,
    "max_prepared_transactions": 700, "shared_buffers": "128MB", "max_wal_size": "1GB",
    "autovacuum": "off", "jit": "off", "log_min_messages": "warning",
    # Copies of a database have no settings of their own: these are those of sql/citus.sql.
    "citus.max_adaptive_executor_pool_size": 1, "citus.multi_shard_modify_mode": "sequential",
    "citus.enable_deadlock_prevention": "off",
    "citus.recover_2pc_interval": "1h", "citus.node_conninfo": "sslmode=disable",
    "citus.enable_statistics_collection": "off", "citus.max_background_task_executors": 1,
}
UNSAFE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def has_citus():
    """Whether the extension is installed for the newest server here."""
    binaries = pathlib.Path(cluster.program("postgres")).parent
    shared = subprocess.run([binaries / "pg_config", "--sharedir"], check=True, text=True,
                            capture_output=True).stdout.strip()
    return pathlib.Path(shared, "extension", "citus.control").exists()


def main():
    """Runs the command of the arguments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--durable", action="store_true", help="commits reach the disk")
    parser.add_argument("--shards", type=int, default=4, help="of each distributed table")
    parser.add_argument("--data", type=pathlib.Path, help="where the data is, and stays")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if not has_citus():
        sys.exit("Citus is not installed: docs/citus.md says how to build it.")
    if not arguments.command:
        return 0
    folder = arguments.data or pathlib.Path(tempfile.mkdtemp(prefix="postilion-citus-"))
    if folder.exists():
        folder.chmod(0o755)
    nodes = []
    # Whoever ends this ends the servers, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        for name in ["coordinator", *(f"worker{number}" for number in range(1, WORKERS + 1))]:
            is_new = not (folder / name).exists()
            node = cluster.Database.create(folder / name) if is_new \
                else cluster.Database(folder / name)
            nodes.append(node)
            node.configure(**SETTINGS, **{"citus.shard_count": arguments.shards},
                           **({} if arguments.durable else UNSAFE))
            node.start()
        urls = [f"host=127.0.0.1 port={node.port} user=postgres dbname=postgres" for node in nodes]
        environment = os.environ | {
            "POSTILION_TEST_DATABASE_URL": urls[0],
            "POSTILION_TEST_CITUS_WORKERS": ";".join(urls[1:])}
        return subprocess.run(arguments.command, env=environment, check=False).returncode
    finally:
        for node in nodes:
            node.stop()
        if not arguments.data:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
