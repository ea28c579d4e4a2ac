"""Backups as docs/operations.md has them, restored into another cluster, with the program on it."""

import http.client
import os
import shutil
import threading
import time
import unittest

from service import (
    Cluster, DEADLINE, Program, account, fill, folder, installation, postgres_program, registration,
    request, row_counts, run, saw)

DEVICES = 5000
USER = "postgres" if os.geteuid() == 0 else None


def path_of(number):
    return f"/v1/apps/food/installations/{installation(number)}"


def own(path):
    """Gives a directory to the account of PostgreSQL, private as it wants its data."""
    if USER:
        run(["chown", "-R", f"{USER}:{USER}", str(path)])
    os.chmod(path, 0o700)
    return path


class Writer(threading.Thread):
    """Registers new devices until it is told to stop; what was acknowledged is counted."""

    def __init__(self, program, first):
        super().__init__(daemon=True)
        self.program, self.next = program, first
        self.is_over = threading.Event()
        self.start()

    def run(self):
        while not self.is_over.is_set():
            self.program.call("PUT", path_of(self.next), registration(self.next))
            self.next += 1

    def finish(self):
        self.is_over.set()
        self.join()
        return self.next


class Outsider:
    """A client that knows the service as it is now: the state of a message, and all changes."""

    MESSAGE = "/v1/apps/food/messages/ready"

    def __init__(self, program):
        self.tag = self.write(program, 1)
        self.cursor = program.call("GET", "/v1/apps/food/changes?after=now")["next_cursor"]

    def ask(self, program, method, path, body=None, **fields):
        connection = http.client.HTTPConnection(program.address, timeout=DEADLINE)
        fields = {name.replace("_", "-"): value for name, value in fields.items()}
        return request(connection, method, path, body, fields)[0]

    def write(self, program, badge):
        return self.ask(program, "PUT", self.MESSAGE, {"badge": badge}).headers["ETag"]

    def expect(self, test, program, changes):
        """What it knows is not taken for something of the restored service.

        `changes` is the status of an answer to its cursor.
        """
        test.assertNotEqual(self.write(program, 2), self.tag)
        known = self.ask(program, "GET", self.MESSAGE, If_None_Match=self.tag)
        test.assertEqual(known.status, 200)
        change = self.ask(program, "DELETE", self.MESSAGE, If_Match=self.tag)
        test.assertEqual(change.status, 412)
        # Also when the restored service has told as many changes as the lost one.
        for number in range(200):
            program.call("PUT", path_of(10**6 + number), registration(10**6 + number))
        path = f"/v1/apps/food/changes?after={self.cursor}"
        for _ in range(2):
            test.assertEqual(self.ask(program, "GET", path).status, changes)


class BackupTests(unittest.TestCase):
    maxDiff = None

    def compare(self, name, program, url, runner, counts, device):
        """What a restored service knows is what the lost one knew."""
        restored = row_counts(url, runner)
        # The start of a service may make a key known, and begins another epoch of the feed where
        # the database is another one; its calls as root are audited.
        for table in ["api_key", "audit_log", "change_epoch"]:
            self.assertGreaterEqual(restored.pop(table), counts[table])
        self.assertEqual(restored, {t: n for t, n in counts.items() if t in restored})
        identifier = device["installation_id"]
        self.assertEqual(
            program.call("GET", f"/v1/apps/food/installations/{identifier}"), device)
        changed = program.call("PUT", f"/v1/apps/food/installations/{identifier}",
                               registration(0, os_version="18.0") | {
                                   "credentials": device_tokens(device)})
        self.assertEqual(changed["os_version"], "18.0")
        saw(f"{name}: {counts['installation']} installations, "
            f"{counts['token_history']} entries of history, "
            f"{counts['catalog_file']} files; one compared, and registered again")

    def test_a_dump_of_a_cluster(self):
        with folder() as directory:
            with Cluster.create(directory / "first").start() as cluster:
                with Program(DATABASE_URL=cluster.url()) as program:
                    fill(program, DEVICES)
                    device = program.call("GET", path_of(7))
                    counts = cluster.counts()
                    writer = Writer(program, DEVICES)
                    dump = directory / "first/postilion.dump"
                    cluster.run("pg_dump", "--format=custom", "--file", dump, cluster.url())
                    during = writer.finish() - DEVICES
                    outsider = Outsider(program)
            self.assertGreater(during, 0)
            with Cluster.create(directory / "second").start() as cluster:
                cluster.run("pg_restore", "--exit-on-error", "--single-transaction", "--no-owner",
                            "--no-acl", "--dbname", cluster.url(), dump)
                # The dump is of one moment, some of the writes beside it are in it.
                restored = cluster.counts()
                self.assertEqual(restored["installation"], restored["token_owner"])
                self.assertIn(restored["installation"], range(DEVICES, DEVICES + during + 1))
                counts |= {t: restored[t] for t in ["installation", "token_owner", "token_history"]}
                with Program(DATABASE_URL=cluster.url()) as program:
                    self.compare(f"pg_dump beside {during} registrations", program, cluster.url(),
                                 cluster.run, counts, device)
                    outsider.expect(self, program, changes=410)

    def test_a_base_backup_and_the_log_until_the_end(self):
        with folder() as directory:
            archive = directory / "archive"
            archive.mkdir()
            own(archive)
            first = Cluster.create(
                directory / "first", archive_mode="on",
                archive_command=f'test ! -f "{archive}/%f" && cp %p "{archive}/%f"')
            with first.start() as cluster, Program(DATABASE_URL=cluster.url()) as program:
                fill(program, DEVICES)
                writer = Writer(program, DEVICES)
                backup = directory / "backup"
                # The writer goes on before, during and after the backup.
                cluster.run("pg_basebackup", "--pgdata", self.empty(backup), "--checkpoint=fast",
                            "--dbname", cluster.url())
                during = writer.next
                while writer.next < during + 200:
                    time.sleep(0.05)
                last = writer.finish() - 1
                outsider = Outsider(program)
                counts, device = cluster.counts(), program.call("GET", path_of(last))
                cluster.run("pg_verifybackup", "--no-parse-wal", backup)
                # What the end of a primary leaves behind: its archive, and its last segment.
                program.stop()
                cluster.stop("immediate")
                run(["cp", "--archive", "--no-clobber", f"{cluster.data}/pg_wal/.", str(archive)])
            shutil.rmtree(directory / "first")
            second = Cluster(directory / "second", restore_command=f'cp "{archive}/%f" %p')
            second.directory.mkdir()
            own(second.directory)
            shutil.move(backup, second.data)
            (second.data / "recovery.signal").touch()
            own(second.data)
            with second.start() as cluster:
                self.wait_for_the_end_of_recovery(cluster)
                with Program(DATABASE_URL=cluster.url()) as program:
                    self.compare(
                        f"pg_basebackup and WAL, {last + 1 - DEVICES} registrations later",
                        program, cluster.url(), cluster.run, counts, device)
                    # It has all that was told.
                    path = f"/v1/apps/food/changes?after={outsider.cursor}"
                    self.assertEqual(
                        [(c["event"], c["installation_id"]) for c in
                         program.call("GET", path)["items"]],
                        [("updated", device["installation_id"])])

    def wait_for_the_end_of_recovery(self, cluster):
        """Until then the cluster can be read only."""
        deadline = time.monotonic() + DEADLINE
        query = ["psql", "-XAtd", cluster.url(), "-c", "select pg_is_in_recovery()"]
        while cluster.run(*query).strip() != "f":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    def empty(self, directory):
        directory.mkdir()
        return own(directory)

    def test_backups_of_the_embedded_cluster(self):
        with folder() as directory:
            data = directory / "data"
            with Program(POSTILION_DATA_DIR=data) as program:
                fill(program, DEVICES)
                device = program.call("GET", path_of(7))
                self.assertTrue((data / ".s.PGSQL.5432").exists())
                url = f"postgresql:///postilion?host={data}&user=postilion"
                runner = self.runner
                counts = row_counts(url, runner)
                dump = own(self.fresh(directory / "dump")) / "postilion.dump"
                runner("pg_dump", "--format=custom", "--file", dump, url)
                base = own(self.fresh(directory / "base"))
                runner("pg_basebackup", "--pgdata", base, "--checkpoint=fast", "--dbname", url)
                runner("pg_verifybackup", "--no-parse-wal", base)
            # The service is stopped: its directory is whole.
            run(["cp", "--archive", str(data), str(directory / "copy")])
            with Program(POSTILION_DATA_DIR=data) as program:
                program.call("PUT", path_of(10**5), registration(10**5))
                outsider = Outsider(program)
            shutil.rmtree(data)

            with Cluster.create(directory / "second").start() as cluster:
                cluster.run("pg_restore", "--exit-on-error", "--single-transaction", "--no-owner",
                            "--no-acl", "--dbname", cluster.url(), dump)
                with Program(DATABASE_URL=cluster.url()) as program:
                    self.compare("pg_dump of the embedded one, into a cluster", program,
                                 cluster.url(), cluster.run, counts, device)
                    outsider.expect(self, program, changes=410)
            # Who reaches a new embedded one finds the tables there: the dump takes their place.
            another = self.fresh(directory / "another")
            with Program(POSTILION_DATA_DIR=another):
                url = f"postgresql:///postilion?host={another}&user=postilion"
                runner("pg_restore", "--clean", "--if-exists", "--exit-on-error",
                       "--single-transaction", "--no-owner", "--no-acl", "--dbname", url, dump)
            # An embedded one from a base backup: a data directory with it as its cluster.
            restored = self.fresh(directory / "restored")
            (restored / "lock").touch()
            shutil.move(base, restored / "cluster")
            for name, place in [("pg_basebackup", restored), ("a copy", directory / "copy"),
                                ("pg_dump", another)]:
                with Program(POSTILION_DATA_DIR=place) as program:
                    url = f"postgresql:///postilion?host={place}&user=postilion"
                    self.compare(f"{name} of the embedded one", program, url, self.runner, counts,
                                 device)
                    outsider.expect(self, program, changes=410)

    def fresh(self, directory):
        directory.mkdir()
        return directory

    def runner(self, name, *arguments):
        return run(account() + [postgres_program(name), *map(str, arguments)], cwd="/")


def device_tokens(device):
    """The tokens of an installation, as a report has them."""
    return {kind: {"token": credential["token"]}
            for kind, credential in device["credentials"].items()}


if __name__ == "__main__":
    unittest.main(verbosity=2)
