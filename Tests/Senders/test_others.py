"""Senders of others, which are tested where they are installed.

`SENDERS` names a folder with what is there of these:

- `apns2`: `programs/apns2.go`, built with github.com/sideshow/apns2
- `apnswift`: `programs/apnswift.swift`, built with github.com/swift-server-community/APNSwift
- `node_modules`: with @parse/node-apn
- `gorush`: the program of that name, which is started with `-c FILE`
"""

import contextlib
import json
import os
import pathlib
import shlex
import socket
import subprocess
import time
import unittest

import population
from apns import Verdict
from stage import App, PROGRAMS, await_true, free_port, stage
from test_senders import Contract

FOLDER = pathlib.Path(os.environ.get("SENDERS") or "none")

# What Go's JSON writes otherwise, though it need not.
ESCAPES = {"&": "\\u0026", "<": "\\u003c", ">": "\\u003e", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def installed(path):
    """Skips a class of tests unless a file of the folder is there."""
    return unittest.skipUnless((FOLDER / path).exists(), f"SENDERS has no {path}")


@installed("apns2")
class Apns2Tests(Contract, unittest.TestCase):
    """apns2 escapes more than it must, and leaves out an expiration of 0."""

    sender, app_name = str(FOLDER.resolve() / "apns2"), "apns2"

    def expected_payload(self, payload):
        return "".join(ESCAPES.get(character, character) for character in payload).encode()

    def expected_fields(self, fields):
        return {name: value for name, value in fields.items()
                if (name, value) != ("apns-expiration", "0")}


@installed("apnswift")
class APNSwiftTests(Contract, unittest.TestCase):
    sender, app_name = str(FOLDER.resolve() / "apnswift"), "apnswift"

    def test_a_live_activity_arrives_from_its_start_to_its_end(self):
        self.skipTest("the program sends the types alert, background and voip")


@installed("node_modules/@parse/node-apn")
class NodeApnTests(Contract, unittest.TestCase):
    sender = f"NODE_PATH='{FOLDER.resolve() / 'node_modules'}' node node-apn.cjs"
    app_name = "node-apn"


@installed("gorush")
class GorushTests(unittest.TestCase):
    """gorush makes the payload anew, of bodies that were rendered for it."""

    @classmethod
    def setUpClass(cls):
        cls.stage = stage()
        cls.app = App(cls.stage, "gorush")
        population.populate(cls.app)
        cls.port = free_port()
        cls.hook = (f"http://127.0.0.1:{cls.stage.service.port}/v1/apps/gorush/feedback/gorush"
                    "?environment=production")
        cls.start(cls.configuration())

    @classmethod
    def configuration(cls):
        """The configuration of docs/senders.md, with the addresses and keys of the test."""
        text = (PROGRAMS / "gorush.yml").read_text()
        for known, ours in {
                "8088": str(cls.port), "pst_sender_put-the-key-here": cls.app.sender,
                "https://postilion.example.com/v1/apps/food/feedback/gorush?environment=production":
                    cls.hook,
                "AuthKey.p8": str(cls.stage.folder / "AuthKey.p8")}.items():
            assert known in text, known
            text = text.replace(known, ours)
        return text

    @classmethod
    def start(cls, configuration):
        path = cls.stage.folder / "gorush.yml"
        path.write_text(configuration)
        cls.log = (cls.stage.folder / "gorush.log").open("wb")
        cls.process = subprocess.Popen(
            [str(FOLDER.resolve() / "gorush"), "-c", str(path)], cwd=cls.stage.folder,
            env=cls.stage.environment, stdout=cls.log, stderr=cls.log)
        await_true(cls.is_ready, "gorush answers")

    @classmethod
    def is_ready(cls):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", cls.port), 1).close()
            return True
        return False

    @classmethod
    def tearDownClass(cls):
        cls.process.terminate()
        cls.process.wait(60)
        cls.log.close()

    def setUp(self):
        self.stage.apns.deliveries = []

    def send(self, call):
        """Renders for gorush and sends; gives the groups that are to come at APNs."""
        groups = self.app.render(**call, shape="groups")
        call = {name: value for name, value in call.items() if name != "payload_form"}
        path = shlex.quote(str(self.app.write({**call, "shape": "gorush"})))
        self.app.run(
            f"./render.sh {path} | GORUSH=http://127.0.0.1:{self.port} ./gorush.sh")
        return groups

    def check(self, call, *, expires=False, is_one_attempt=False):
        groups = self.send({**call, "to": {"all": True}})
        deliveries = {item.request.token: item for item in self.stage.apns.deliveries}
        self.assertEqual(set(deliveries), {token for group in groups for token in group["tokens"]})
        for group in groups:
            for token in group["tokens"]:
                delivery = deliveries[token]
                with self.subTest(token=token):
                    self.assertEqual((delivery.status, delivery.reason), (200, None))
                    payloads = [json.loads(text) for text in (
                        delivery.request.body, group["payload"])]
                    fields, wanted = delivery.request.fields(), dict(group["headers"])
                    # The two renderings are some time apart.
                    times = [payload.get("call", {}).pop("time", 0) for payload in payloads]
                    self.assertLess(abs(times[0] - times[1]), 60)
                    if expires:
                        ends = [int(item.pop("apns-expiration")) for item in (fields, wanted)]
                        self.assertLess(abs(ends[0] - ends[1]), 60)
                    if is_one_attempt:
                        # gorush cannot say 0: the second after the rendering stands for it.
                        self.assertEqual(wanted.pop("apns-expiration"), "0")
                        self.assertLess(
                            abs(int(fields.pop("apns-expiration")) - time.time()), 60)
                    self.assertEqual(*payloads)
                    self.assertEqual(fields, wanted)

    def test_an_alert_in_every_language_says_what_was_rendered(self):
        self.check(population.ORDER, expires=True)

    def test_a_silent_notification_says_what_was_rendered(self):
        self.check(population.SILENT)

    def test_a_call_says_what_was_rendered(self):
        self.check(population.CALL, is_one_attempt=True)

    def test_the_longest_payload_says_what_was_rendered(self):
        self.check(population.LONG)

    def test_the_hook_makes_the_registry_true(self):
        fates = {"fine": "active", "gone": "invalid", "malformed": "quarantined"}
        for name in fates:
            self.app.register(name, languages=["en"])
        self.stage.apns.verdicts |= {
            self.app.token("gone"): Verdict(410, "Unregistered", 1),
            self.app.token("malformed"): Verdict(400, "BadDeviceToken")}
        for name in fates:
            self.send({**population.ORDER,
                       "to": {"installations": [self.app.identity(name)]}})
        for name, status in fates.items():
            await_true(lambda: self.app.status(name) == status, f"{name} is {status}")


if __name__ == "__main__":
    unittest.main()
