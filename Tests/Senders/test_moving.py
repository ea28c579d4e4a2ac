"""What docs/moving.md says: exports of other services become installations that get messages."""

import hashlib
import json
import os
import subprocess
import unittest

import population
from stage import App, DEADLINE, ROOT, ROOT_KEY, stage

EXPORTS = ROOT / "Tests/Fixtures/Moving"


def token(name):
    """The token of a record of the exports."""
    return hashlib.sha256(name.encode()).hexdigest()


class MovingTests(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.stage = stage()

    def move(self, service, body, *, options=(), rejected=()):
        """Imports an export: dry, in earnest, and once more. Gives installations by token."""
        app = App(self.stage, self._testMethodName.replace("_", "-"))

        def run(*more):
            done = subprocess.run(
                [os.environ["POSTILION_PROGRAM"], "import", "-", "--app", app.name, "--json",
                 "--format", service, *options, *more],
                env={"POSTILION_URL": app.environment["POSTILION"], "POSTILION_KEY": ROOT_KEY},
                input=body, capture_output=True, timeout=DEADLINE)
            # 65: a dry run says that records would be rejected.
            self.assertIn(done.returncode, (0, 65) if "--dry-run" in more else (0,), done.stderr)
            return json.loads(done.stdout)

        dry = run("--dry-run")
        first, second = run("--skip-rejected"), run("--skip-rejected")
        self.assertEqual(dry, first)
        self.assertEqual([(item["pointer"], item["code"]) for item in first["errors"]],
                         list(rejected))
        self.assertEqual(first["ignored"], [])
        # An import can be sent again: nothing changes then.
        self.assertEqual((second["accepted"], second["updated"]), (0, 0))
        self.assertEqual(second["unchanged"], first["accepted"])
        items = app.call("GET", "/installations")["items"]
        self.assertEqual(len(items), first["accepted"])
        return app, {kept["token"]: item for item in items
                     for kept in item["credentials"].values() if kept}

    def check(self, item, **expected):
        """Compares some fields of an installation."""
        self.assertEqual({name: item[name] for name in expected}, expected)

    def check_sending(self, app, tokens):
        """The devices get a message, through a real client."""
        app.upload("412", population.STRINGS)
        lines = app.render(**population.ORDER, to={"all": True})
        self.assertEqual({line["token"] for line in lines}, set(tokens))
        app.run("node send.mjs", "".join(json.dumps(line) + "\n" for line in lines))
        self.assertEqual(
            {(item.request.token, item.status) for item in self.stage.apns.deliveries},
            {(name, 200) for name in tokens})
        return {line["token"]: json.loads(line["payload"])["aps"]["alert"]["title"]
                for line in lines}

    def test_aerogear(self):
        app, found = self.move(
            "aerogear", (EXPORTS / "aerogear.json").read_bytes(),
            rejected=[("/operatingSystem", "unsupported_platform")])
        self.check(
            found[token("aerogear-1")], platform="ios", environment="production",
            device_model="iPhone14,5", os_version="17.1", user={"id": "zoe@example.com"},
            tags=["football", "beta"], languages=[])
        self.assertEqual(
            found[token("aerogear-2")]["credentials"]["apns"]["status"], "quarantined")
        # Without a language it is the development language.
        self.assertEqual(
            self.check_sending(app, [token("aerogear-1")]),
            {token("aerogear-1"): "Fish & Chips <now>"})

    def test_the_environment_of_a_variant_is_an_option(self):
        _, found = self.move(
            "aerogear", (EXPORTS / "aerogear.json").read_bytes(),
            options=("--environment", "sandbox"),
            rejected=[("/operatingSystem", "unsupported_platform")])
        self.assertEqual({item["environment"] for item in found.values()}, {"sandbox"})

    def test_parse_by_mongoexport(self):
        app, found = self.move(
            "parse", (EXPORTS / "parse-mongoexport.json").read_bytes(),
            rejected=[("/deviceType", "unsupported_platform")])
        self.check(
            found[token("parse-1")], languages=["fr-CA"], locale="fr_CA",
            time_zone="America/Toronto", app_build="412", user={"id": "u1"},
            tags=["news", "beta"], attributes={"plan": "pro"},
            created_at="2024-05-02T19:32:41.000Z", updated_at="2024-10-27T03:33:20.000Z")
        self.assertEqual(
            self.check_sending(app, [token("parse-1")]), {token("parse-1"): "C’est prêt"})

    def test_parse_by_rest(self):
        _, found = self.move("parse", (EXPORTS / "parse-rest.json").read_bytes())
        self.check(
            found[token("parse-2")], languages=["zh-TW"], app_build="410",
            user={"id": "u2"}, tags=[])

    def test_onesignal(self):
        app, found = self.move(
            "onesignal", (EXPORTS / "onesignal.csv").read_bytes(),
            rejected=[("/device_type", "unsupported_platform")])
        self.check(
            found[token("onesignal-1")], languages=["fr"], time_zone="America/Toronto",
            app_version="3.2.0", os_version="17.4.1", device_model="iPhone15,2",
            user={"id": "u1"}, attributes={"plan": "pro", "orders": "7"},
            authorization={"status": "authorized"}, created_at="2024-05-02T19:32:41.000Z",
            last_seen_at="2026-10-01T08:00:00.000Z")
        left = found[token("onesignal-2")]
        self.assertEqual(left["credentials"]["apns"]["status"], "active")
        self.check(left, authorization={"status": "denied"})
        self.check_sending(app, [token("onesignal-1")])

    def test_pinpoint(self):
        app, found = self.move(
            "pinpoint", (EXPORTS / "pinpoint.json").read_bytes(),
            rejected=[("/ChannelType", "unsupported_platform")])
        self.check(
            found[token("pinpoint-1")], environment="production", languages=["fr-CA"],
            locale="fr_CA", time_zone="America/Toronto", app_version="3.2.0", user={"id": "u1"},
            attributes={"Interests": "Music,Travel", "metrics.orders": 7, "user.Plan": "pro"})
        call = found[token("pinpoint-2")]
        self.check(call, environment="sandbox", authorization={"status": "denied"})
        self.assertEqual(call["credentials"]["voip"]["status"], "quarantined")
        self.check_sending(app, [token("pinpoint-1")])

    def test_sns(self):
        app, found = self.move(
            "sns", (EXPORTS / "sns.json").read_bytes(),
            rejected=[("/EndpointArn", "unsupported_platform")])
        self.check(
            found[token("sns-1")], environment="production", languages=[], user=None,
            attributes={"custom_user_data": "kim"})
        self.check(found[token("sns-2")], environment="sandbox")
        self.assertEqual(found[token("sns-2")]["credentials"]["apns"]["status"], "quarantined")
        self.assertEqual(found[token("sns-3")]["credentials"]["voip"]["status"], "active")
        self.check_sending(app, [token("sns-1")])

    def test_airship(self):
        app, found = self.move(
            "airship", (EXPORTS / "airship-1.json").read_bytes())
        self.check(
            found[token("airship-1")], languages=["fr-CA"], locale="fr_CA", tags=["news"],
            time_zone="America/Toronto", user={"id": "lea"}, attributes={"loyalty": "gold,early"})
        self.assertEqual(
            self.check_sending(app, [token("airship-1")]), {token("airship-1"): "C’est prêt"})

    def test_braze(self):
        app, found = self.move(
            "braze", (EXPORTS / "braze.json").read_bytes(),
            rejected=[("/push_tokens/platform", "unsupported_platform")])
        self.check(
            found[token("braze-1")], user={"id": "max"}, languages=["fr"], app_version="3.2.0",
            attributes={"plan": "pro", "orders": 7}, authorization={"status": "authorized"})
        self.check(
            found[token("braze-2")], user={"id": "ned"}, authorization={"status": "denied"})
        self.check_sending(app, [token("braze-1")])

    def test_customerio(self):
        app, found = self.move(
            "customerio", (EXPORTS / "customerio.json").read_bytes(),
            rejected=[("/devices/platform", "unsupported_platform")])
        self.check(
            found[token("customerio-1")], user={"id": "ola"}, languages=["fr-CA"],
            attributes={"plan": "pro", "unsubscribed": False},
            last_seen_at="2026-10-01T08:00:00.000Z")
        self.check_sending(app, [token("customerio-1")])

    def test_azure(self):
        script = App(self.stage, "azure-script")
        lines = script.run(f"python azure-registrations.py < '{EXPORTS / 'azure.xml'}'")
        app, found = self.move("azure", lines.encode())
        self.check(
            found[token("azure-1")], user={"id": "u1"}, languages=["fr-CA"],
            tags=["lang:fr-CA", "R&D", "beta"], attributes={"plan": "pro"})
        self.check(found[token("azure-2")], user=None, tags=["beta"])
        self.check_sending(app, [token("azure-1"), token("azure-2")])

    def test_the_document_shows_no_call_that_is_refused(self):
        text = (ROOT / "docs/moving.md").read_text()
        self.assertNotRegex(text, r"(?m)^postilion: .*\[unknown_field\]$")


if __name__ == "__main__":
    unittest.main()
