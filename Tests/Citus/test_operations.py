"""What docs/citus.md says of passwords, backups and more workers, done on a cluster of its own.

    POSTILION_PROGRAM=.build/debug/postilion python3 -m unittest discover -s Tests/Citus
"""

import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import unittest

import citus  # It finds the modules of Tests/Faults.
import audit
import cluster
from cluster import await_true
from service import ROOT, Service, program

DEVICES = 400
# Devices are in turn of one of so many, which are on both workers.
APPS = 8
POINT = "2026-11-26 03:00"
HOST = "127.0.0.1"
PASSWORDS = {"postgres": "of-postgres", "postilion_owner": "of-owner",
             "postilion_service": "of-service"}
ROLES = ["postilion_owner", "postilion_service"]
# What dumps and restores leave as it is: rows of all tables but those that a start adds to.
COUNTS = """
  SELECT 'installations', count(*) FROM installation UNION ALL
  SELECT 'tokens', count(*) FROM token_owner UNION ALL
  SELECT 'history', count(*) FROM token_history UNION ALL
  SELECT 'keys', count(*) FROM api_key ORDER BY 1"""
# The rules of Tests/Faults are asked of copies, as Citus refuses some of their joins.
COPIES = """
  CREATE TEMPORARY TABLE installation AS SELECT * FROM public.installation;
  CREATE TEMPORARY TABLE token_owner AS SELECT * FROM public.token_owner;"""
# From a cluster back to one server.
BACK = """
  ALTER INDEX installation_facets SET (gin_pending_list_limit = 16384);
  DROP FUNCTION is_gone, oldest_under_way;""" + "".join(
    re.findall(r"(?ms)^CREATE FUNCTION (?:is_gone|oldest_under_way)\(.*?^\$\$;",
               (ROOT / "sql/schema.sql").read_text(encoding="utf-8")))
# A registry as releases before m0034 spread it, with a device.
OLD_STEPS = "m0034"
OLD_SPREAD = """
  INSERT INTO app (slug, bundle_id, name, development_language, created_at, updated_at)
    VALUES ('old', 'com.example.old', 'Old', 'en', now(), now());
  INSERT INTO installation (app_id, installation_id, revision, platform, environment, languages,
      facets, localization, capabilities, tags, created_at, updated_at, last_seen_at)
    SELECT id, '00000001-0000-4000-8000-000000000000', 1048576, 'ios', 'production', '{de}', '{}',
      'auto', '{}', '{}', date_trunc('second', now()), now(), now() FROM app;
  ALTER TABLE installation DROP CONSTRAINT installation_app_id_fkey;
  ALTER TABLE token_owner DROP CONSTRAINT token_owner_app_id_fkey;
  CREATE FUNCTION lock_apps(ids integer[]) RETURNS void LANGUAGE sql AS 'SELECT';
  CREATE FUNCTION finished_everywhere() RETURNS xid8 LANGUAGE sql AS 'SELECT NULL::xid8';
  SELECT create_distributed_table('installation', 'installation_id');
  SELECT create_distributed_table('token_owner', 'token', colocate_with => 'none')"""
# The same to what docs/citus.md says of such a registry.
BROUGHT_BACK = """
  SELECT undistribute_table('installation');
  SELECT undistribute_table('token_owner');
  DROP FUNCTION finished_everywhere"""


def token(number):
    """The token of a device."""
    return f"{number * 2246822519 % 2**32:08x}{number:056x}"


def path_of(number):
    """The path of a device."""
    return (f"/v1/apps/food{number % APPS}/installations/"
            f"{number * 2654435761 % 2**32:08x}-0000-4000-8000-{number:012x}")


def register(service, number, **more):
    """Registers a device; whoever has an answer may rely on it."""
    service.call("PUT", path_of(number), {
        "platform": "ios", "environment": "production", "languages": ["de"],
        "credentials": {"apns": {"token": token(number)}}, **more})
    return number


class Node(cluster.Database):
    """A server of a cluster, which asks everybody for a password."""

    @property
    def url(self):
        return self.url_of("postgres")

    def url_of(self, role):
        """The address with the name and the password of a role."""
        return f"postgresql://{role}:{PASSWORDS[role]}@{HOST}:{self.port}/postgres"

    @classmethod
    def make(cls, folder, **settings):
        """A new server, with the extension, which runs."""
        node = cls.create(folder)
        node.configure(**citus.SETTINGS | citus.UNSAFE | settings | {
            "max_connections": 100, "max_worker_processes": 40})
        node.start()
        node.query("SET citus.enable_create_role_propagation TO off; "
                   f"ALTER ROLE postgres PASSWORD '{PASSWORDS['postgres']}'")
        rules = (folder / "pg_hba.conf").read_text(encoding="utf-8")
        (folder / "pg_hba.conf").write_text(
            rules.replace("trust", "scram-sha-256"), encoding="utf-8")
        node.query("SELECT pg_reload_conf()")
        node.query("CREATE EXTENSION citus")
        return node

    def let_in(self, roles):
        """Gives this server the passwords by which it logs in to the others."""
        for role in roles:
            self.query("INSERT INTO pg_dist_authinfo VALUES "
                       f"(0, '{role}', 'password={PASSWORDS[role]}')")


class Cluster:
    """A coordinator and two workers, which know each other."""

    def __init__(self, folder, *, archive=None):
        self.nodes = []
        for name in ["coordinator", "worker1", "worker2"]:
            settings = {}
            if archive:
                cluster.hand_over(archive / name)
                settings = {"archive_mode": "on",
                            "archive_command": f'cp "%p" "{archive}/{name}/%f"'}
            self.nodes.append(Node.make(folder / name, **settings))
            self.nodes[-1].let_in(["postgres"])
        self.coordinator, *self.workers = self.nodes
        self.coordinator.query(
            f"SELECT citus_set_coordinator_host('{HOST}', {self.coordinator.port})")
        for worker in self.workers:
            self.add(worker)

    def add(self, worker):
        """Makes a worker known, which then has the roles."""
        self.coordinator.query(f"SELECT citus_add_node('{HOST}', {worker.port})")

    def refused(self):
        """The pairs of servers of which one cannot log in to the other as one of the roles."""
        return [pair for role in PASSWORDS for pair in self.coordinator.query(
            "SELECT * FROM citus_check_cluster_node_health() WHERE result IS DISTINCT FROM true",
            url=self.coordinator.url_of(role))]

    def spread(self, *, dump=None, owner="postgres"):
        """Makes the roles and the tables, or restores these; the database's owner spreads them."""
        if dump:
            restore(dump, self.coordinator)
        psql(self.coordinator, "sql/roles.sql")
        for role in ROLES:
            self.coordinator.query(f"ALTER ROLE {role} PASSWORD '{PASSWORDS[role]}'")
        for node in self.nodes:
            node.let_in(ROLES)
        if not dump:
            migrate(self.coordinator.url_of("postilion_owner"))
        self.coordinator.query(f"ALTER DATABASE postgres OWNER TO {owner}")
        psql(self.coordinator, "sql/citus.sql", owner)

    def serve(self, folder):
        """A service with the rights of its role."""
        return Service(self.coordinator.url_of("postilion_service"), folder).start()


def migrate(url):
    """Makes the tables."""
    subprocess.run([program(), "migrate"], check=True, stdout=subprocess.DEVNULL,
                   env={"DATABASE_URL": url})


def restore(dump, node):
    """Brings a dump into an empty database."""
    cluster.run("pg_restore", "--exit-on-error", "--single-transaction", "--no-owner", "--no-acl",
                "--dbname", node.url, dump)


def schema(node):
    """The commands that make the tables of a server; pg_dump puts a random word into two others."""
    text = subprocess.run([cluster.program("pg_dump"), "--schema-only", "--dbname", node.url],
                          check=True, text=True, capture_output=True, cwd="/").stdout
    return [line for line in text.splitlines() if not line.startswith("\\")]


def psql(node, file, role="postgres"):
    """Runs a file of commands as a role."""
    subprocess.run([cluster.program("psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-d",
                    node.url_of(role), "-c", "SET citus.shard_count = 4", "-f", file],
                   check=True, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Writer(threading.Thread):
    """Registers devices from a number on until it is told to stop."""

    def __init__(self, service, first):
        super().__init__(daemon=True)
        self.service, self.next, self.is_over = service, first, threading.Event()
        self.refusal = None
        self.start()

    def run(self):
        try:
            while not self.is_over.is_set():
                register(self.service, self.next)
                self.next += 1
        except RuntimeError as refusal:
            self.refusal = refusal

    def finish(self):
        """The number behind the last device. All were taken."""
        self.is_over.set()
        self.join()
        if self.refusal:
            raise self.refusal
        return self.next


@unittest.skipUnless(citus.has_citus(),
                     "Citus is not installed: docs/citus.md says how to build it.")
class OperationsTests(unittest.TestCase):
    """Each test has a cluster with some devices."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="postilion-citus-"))
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def made(self, name, **options):
        """A cluster that ends with the test."""
        made = Cluster(self.folder / name, **options)
        for node in made.nodes:
            self.addCleanup(node.end)
        return made

    def served(self, served):
        """A service over a cluster or a server, which ends with the test."""
        service = served.serve(self.folder)
        self.addCleanup(service.end)
        return service

    def fill(self, service):
        """Makes the apps, and registers their devices."""
        for number in range(APPS):
            service.call("PUT", f"/v1/apps/food{number}",
                         {"bundle_id": "com.example.food", "name": "Food"})
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda number: register(service, number), range(DEVICES)))

    def check(self, coordinator, service, known):
        """What was acknowledged is there, has its history, belongs together, and goes on."""
        history = set(coordinator.query("SELECT DISTINCT installation_id FROM token_history"))
        for number in known:
            device = service.call("GET", path_of(number)).json()
            self.assertEqual(device["credentials"]["apns"]["token"], token(number))
            self.assertIn(device["installation_id"], history)
        register(service, 3, os_version="18.0")
        # A token that another device brings belongs to that one.
        service.call("PUT", path_of(APPS * 10**6 + 4), {
            "platform": "ios", "environment": "production", "languages": ["de"],
            "credentials": {"apns": {"token": token(4)}}})
        broken = {name for name, select in audit.INVARIANTS.items()
                  if coordinator.query(f"{COPIES} SELECT 1 FROM ({select}) AS found LIMIT 1")}
        # A registration without an answer may be on one worker only, where the server ended.
        self.assertLessEqual(broken, {"each token that is in use has a history"})

    def test_servers_of_a_restore_point(self):
        archive = self.folder / "archive"
        first = self.made("first", archive=archive)
        first.spread()
        self.assertEqual(first.refused(), [])
        service = self.served(first)
        self.fill(service)
        cluster.hand_over(self.folder / "base")
        for node in first.nodes:
            cluster.run("pg_basebackup", "--checkpoint=fast", "--dbname", node.url,
                        "--pgdata", self.folder / "base" / node.folder.name)
        writer = Writer(service, DEVICES)
        await_true(lambda: writer.next > DEVICES + 50, "registrations beside the backup")
        known = writer.next
        first.coordinator.query(f"SELECT citus_create_restore_point('{POINT}')")
        late = writer.finish()
        register(service, late)
        changes = f"/v1/apps/food{late % APPS}/changes"
        cursor = service.call("GET", f"{changes}?after=now").json()["next_cursor"]
        for node in first.nodes:
            segment = node.query("SELECT pg_walfile_name(pg_switch_wal())")[0]
            await_true((archive / node.folder.name / segment).exists, "the log is in the archive")
        service.end()
        for node in first.nodes:
            node.kill()

        nodes = []
        for old in first.nodes:
            name = old.folder.name
            node = Node(self.folder / "base" / name)
            node.configure(
                restore_command=f'cp "{archive}/{name}/%f" "%p"', archive_mode="off",
                recovery_target_name=POINT, recovery_target_action="promote")
            (node.folder / "recovery.signal").touch()
            nodes.append(node.start())
            self.addCleanup(node.end)
        for node in nodes:
            await_true(lambda node=node: node.query("SELECT pg_is_in_recovery()") == ["f"],
                       "the restore point is reached")
        coordinator = nodes[0]
        for old, new in zip(first.nodes, nodes):
            coordinator.query(f"SELECT citus_update_node(nodeid, '{HOST}', {new.port}) "
                              f"FROM pg_dist_node WHERE nodeport = {old.port}")
        coordinator.query("SELECT recover_prepared_transactions()")
        for node in nodes:
            self.assertEqual(node.query("SELECT gid FROM pg_prepared_xacts"), [])
        service = Service(coordinator.url_of("postilion_service"), self.folder).start()
        self.addCleanup(service.end)
        self.check(coordinator, service, range(known))
        with self.assertRaisesRegex(RuntimeError, "404"):
            service.call("GET", path_of(late))
        with self.assertRaisesRegex(RuntimeError, "410"):
            service.call("GET", f"{changes}?after={cursor}")

    def test_a_dump_is_for_another_cluster_and_for_one_server(self):
        first, second = self.made("first"), self.made("second")
        first.spread()
        service = self.served(first)
        self.fill(service)
        service.end()
        counts, dump = first.coordinator.query(COUNTS), self.folder / "first/postilion.dump"
        cluster.run("pg_dump", "--format=custom", "--extension=plpgsql", "--file", dump,
                    first.coordinator.url)
        second.spread(dump=dump)
        self.assertEqual(second.coordinator.query(COUNTS), counts)
        # No row stays behind where it was copied from.
        self.assertEqual(second.coordinator.query(
            "SELECT pg_relation_size('installation') + pg_relation_size('token_owner')"), ["0"])
        self.check(second.coordinator, self.served(second), range(DEVICES))

        plain, fresh = [cluster.Database.create(self.folder / "first" / name).start()
                        for name in ["plain", "fresh"]]
        for node in [plain, fresh]:
            self.addCleanup(node.end)
        restore(dump, plain)
        plain.query(BACK)
        migrate(fresh.url)
        self.assertEqual(plain.query(COUNTS), counts)
        self.assertEqual(schema(plain), schema(fresh))

    def test_a_registry_that_is_spread_is_migrated(self):
        first = self.made("first")
        coordinator = first.coordinator
        coordinator.query("CREATE TABLE schema_migration (name text PRIMARY KEY, "
                          "applied_at timestamptz NOT NULL DEFAULT now())")
        text = (ROOT / "sql/migrations.sql").read_text(encoding="utf-8")
        _, *steps = re.split(r"(?m)^-- migration: (\w+)\n", text)
        for name, commands in zip(steps[::2], steps[1::2]):
            if name < OLD_STEPS:
                coordinator.query(commands)
                coordinator.query(f"INSERT INTO schema_migration VALUES ('{name}')")
        for command in OLD_SPREAD.split(";\n"):
            coordinator.query(command)
        migrate(coordinator.url)
        self.assertEqual(set(coordinator.query("SELECT name FROM schema_migration")),
                         set(steps[::2]))
        for command in BROUGHT_BACK.split(";\n"):
            coordinator.query(command)
        psql(coordinator, "sql/citus.sql")
        service = Service(coordinator.url, self.folder).start()
        self.addCleanup(service.end)
        device = "/v1/apps/old/installations/00000001-0000-4000-8000-000000000000"
        self.assertEqual(service.call("GET", device).json()["languages"], ["de"])
        self.fill(service)
        self.check(coordinator, service, range(DEVICES))

    def test_more_workers(self):
        first = self.made("first")
        first.spread(owner="postilion_owner")
        service = self.served(first)
        self.fill(service)
        third = Node.make(self.folder / "first/worker3", wal_level="logical")
        self.addCleanup(third.end)
        third.let_in(["postgres"])
        first.add(third)
        self.assertNotEqual(first.refused(), [])
        third.let_in(ROLES)
        self.assertEqual(first.refused(), [])
        move = ("SELECT citus_move_shard_placement(shardid, nodename, nodeport, "
                f"'{HOST}', {third.port}) FROM citus_shards "
                "WHERE table_name = 'installation'::regclass ORDER BY shardid LIMIT 1")
        with self.assertRaisesRegex(RuntimeError, "wal_level"):
            first.coordinator.query(move)
        for worker in first.workers:
            worker.configure(wal_level="logical")
            worker.stop()
            worker.start()
        writer = Writer(service, DEVICES)
        first.coordinator.query("SELECT citus_rebalance_start()")
        await_true(lambda: first.coordinator.query(
            "SELECT state FROM citus_rebalance_status()") == ["finished"], "shards are moved", 300)
        known = writer.finish()
        self.assertNotEqual(third.query("SELECT shardid FROM citus_shards "
                                        f"WHERE nodeport = {third.port}"), [])
        self.check(first.coordinator, service, range(known))
        print(f"{known - DEVICES} registrations while shards moved", end=" ", flush=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
