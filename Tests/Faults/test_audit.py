"""The audit finds what it is for: each damage to the tables breaks exactly its rules."""

import unittest

import audit
from cluster import await_true
from instance_faults import Teller
from stage import Stage, Workshop

# A damage to the first installation with a token, and what is found of it.
ONE = "(SELECT installation_id FROM installation WHERE apns_token IS NOT NULL ORDER BY 1 LIMIT 1)"
DAMAGES = (
    (f"DELETE FROM installation WHERE installation_id = {ONE}",
     {"each owner in the ledger has the token"}, True),
    (f"DELETE FROM token_owner WHERE installation_id = {ONE}",
     {"each token of an installation is its own in the ledger"}, False),
    ("DELETE FROM token_history WHERE token ="
     f" (SELECT apns_token FROM installation WHERE installation_id = {ONE})",
     {"each token that is in use has a history"}, True),
    (f"UPDATE token_history SET event = 'removed' WHERE installation_id = {ONE}",
     {"the latest event of a token that is in use gave it to its installation"}, True),
    ("UPDATE installation SET apns_status = 'invalid', apns_invalidated_at = now()"
     f" WHERE installation_id = {ONE}", {"the latest event of a token says its status"}, True),
    (f"UPDATE installation SET last_seen_at = created_at - interval '1 s' WHERE"
     f" installation_id = {ONE}", {"an installation's times are in order"}, False),
    ("UPDATE installation SET voip_token = apns_token, voip_status = 'active',"
     f" voip_registered_at = now() WHERE installation_id = {ONE}",
     {"the two tokens of an installation differ",
      "each token of an installation is its own in the ledger"}, False),
    ("UPDATE installation AS i SET apns_token = o.apns_token FROM installation AS o"
     f" WHERE i.installation_id = {ONE} AND o.installation_id = (SELECT max(installation_id::text)"
     "::uuid FROM installation WHERE apns_token IS NOT NULL)",
     {"no two installations of an app have a token", "each owner in the ledger has the token",
      "each token of an installation is its own in the ledger"}, True),
    ("INSERT INTO token_owner (app_id, environment, kind, token, installation_id, registered_at)"
     " SELECT app_id, environment, 'widgets', decode(repeat('00', 32), 'hex'), installation_id,"
     f" now() FROM installation WHERE installation_id = {ONE}",
     {"each owner in the ledger has the token", "each token that is in use has a history"}, False),
    ("UPDATE installation SET other_credentials = '[{\"kind\": \"widgets\", \"token\": \"00\","
     f" \"status\": \"active\", \"environment\": \"production\"}}]' WHERE installation_id = {ONE}",
     {"each token of an installation is its own in the ledger"}, False),
)


class AuditTests(unittest.TestCase):
    """One database for all damages: each is undone."""

    def test_each_damage_is_found(self):
        with Workshop() as workshop, Stage(workshop, "audit", devices=2) as stage:
            stage.load.stop()
            database, name = stage.database, stage.app.name
            self.assertEqual(audit.broken_invariants(database), {})
            self.assertEqual(audit.lost(database, name, stage.load), set())
            tables = ("installation", "token_owner", "token_history")
            for table in tables:
                database.query(f"CREATE TABLE kept_{table} AS TABLE {table}")
            for damage, rules, is_lost in DAMAGES:
                with self.subTest(damage):
                    database.query(damage)
                    self.assertEqual(set(audit.broken_invariants(database)), rules)
                    self.assertEqual(bool(audit.lost(database, name, stage.load)), is_lost)
                for table in tables:
                    database.query(f"TRUNCATE {table} CASCADE; INSERT INTO {table}"
                                   f" OVERRIDING SYSTEM VALUE TABLE kept_{table}")

    def test_an_answer_of_apns_that_is_lost_is_found(self):
        with Workshop() as workshop, Stage(workshop, "audit", devices=2, kind=Teller) as stage:
            def dead():
                return [(name, device.tokens[name]) for device in stage.load.devices
                        for name in device.dead - device.doubted]
            await_true(dead, "a token is dead")
            stage.load.stop()
            database, (name, token) = stage.database, dead()[0]
            self.assertEqual(audit.lost(database, stage.app.name, stage.load), set())
            database.query("UPDATE installation SET apns_status = 'active'"
                           f" WHERE installation_id = '{name}'")
            self.assertEqual(audit.lost(database, stage.app.name, stage.load), {(name, token)})
            database.query("DELETE FROM token_history WHERE event = 'invalidated'"
                           f" AND installation_id = '{name}' AND token = '\\x{token}'")
            self.assertEqual(audit.lost(database, stage.app.name, stage.load),
                             {(name, token), ("dead", name, token)})


if __name__ == "__main__":
    unittest.main()
