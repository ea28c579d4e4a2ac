"""Each sender of docs/senders.md, from the rendering to APNs and back to the registry."""

import hashlib
import json
import re
import shlex
import shutil
import subprocess
import time
import unittest

import population
from apns import Verdict
from stage import App, PROGRAMS, ROOT, stage

ALL = {"to": {"all": True}}


class Contract:
    """What holds for every sender."""

    # The program, as a shell has it.
    sender = None
    # The name of its app.
    app_name = None

    @classmethod
    def setUpClass(cls):
        cls.stage = stage()
        cls.app = App(cls.stage, cls.app_name)
        population.populate(cls.app)

    def setUp(self):
        self.stage.apns.deliveries = []
        self.stage.apns.connections = self.stage.apns.refused_streams = 0

    def expected_payload(self, payload):
        """The bytes of a payload that reach APNs."""
        return payload.encode()

    def expected_fields(self, fields):
        """The header fields of APNs that reach it."""
        return fields

    def send(self, lines):
        """Sends lines, and gives the answers by token."""
        # As the service writes them: without escapes that need not be.
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        answers = [json.loads(line) for line in self.app.run(self.sender, text).splitlines()]
        self.assertEqual(len(answers), len(lines))
        return {answer["token"]: answer for answer in answers}

    def check_deliveries(self, lines):
        """Compares each request with its line: host, path, every field, every byte."""
        deliveries = {item.request.path: item for item in self.stage.apns.deliveries}
        self.assertEqual(len(deliveries), len(self.stage.apns.deliveries))
        self.assertEqual(set(deliveries), {line["path"] for line in lines})
        for line in lines:
            delivery = deliveries[line["path"]]
            request = delivery.request
            with self.subTest(path=line["path"]):
                self.assertEqual((delivery.status, delivery.reason), (200, None))
                self.assertEqual(request.method, "POST")
                self.assertEqual(request.path, f"/3/device/{line['token']}")
                self.assertEqual(request.authority, {
                    "production": "api.push.apple.com",
                    "sandbox": "api.sandbox.push.apple.com"}[line["environment"]])
                self.assertEqual(request.fields(), self.expected_fields(line["headers"]))
                self.assertEqual(request.body, self.expected_payload(line["payload"]))
        self.assertEqual(self.stage.apns.refused_streams, 0)
        environments = {line["environment"] for line in lines}
        self.assertEqual(self.stage.apns.connections, len(environments))

    def check(self, call, *, count):
        """Renders a call for all, sends it, and compares what came with what was rendered."""
        lines = self.app.render(**call, **ALL)
        self.assertEqual(len(lines), count)
        answers = self.send(lines)
        self.check_deliveries(lines)
        for line in lines:
            answer = answers[line["token"]]
            self.assertEqual(answer["status"], 200)
            self.assertEqual(answer["environment"], line["environment"])
        return lines

    def test_an_alert_in_every_language_arrives_as_it_was_rendered(self):
        lines = self.check(population.ORDER, count=len(population.DEVICES))
        texts = {json.loads(line["payload"])["aps"]["alert"]["title"] for line in lines}
        self.assertEqual(len(texts), 4)
        fields = lines[0]["headers"]
        self.assertEqual(fields["apns-collapse-id"], "order-A17")
        self.assertLessEqual(abs(int(fields["apns-expiration"]) - time.time() - 3600), 60)

    def test_a_silent_notification_arrives_as_it_was_rendered(self):
        lines = self.check(population.SILENT, count=len(population.DEVICES))
        self.assertEqual(lines[0]["headers"]["apns-push-type"], "background")
        self.assertEqual(lines[0]["headers"]["apns-priority"], "5")

    def test_a_call_arrives_as_it_was_rendered(self):
        [line] = self.check(population.CALL, count=1)
        self.assertEqual(line["headers"]["apns-topic"], "com.example.food.voip")
        self.assertEqual(line["headers"]["apns-expiration"], "0")

    def test_a_live_activity_arrives_from_its_start_to_its_end(self):
        app = App(self.stage, f"{self.app_name}-activity")
        app.upload("412", population.STRINGS)
        for device, language in [("tokyo", "ja"), ("cairo", "ar")]:
            app.register(device, kinds=[], languages=[language])
            started, running = (
                {"token": app.token(device, kind)} for kind in ["start", "activity"])
            app.call("PATCH", f"/installations/{app.identity(device)}", {"credentials": {
                "live_activity_start": {"Delivery": started},
                "live_activities": {f"of-{device}": running | {"type": "Delivery"}}}})
        for event, call in population.ACTIVITY.items():
            self.setUp()
            lines = app.render(**call, **ALL)
            kind = "start" if event == "start" else "activity"
            self.assertEqual({line["token"] for line in lines},
                             {app.token(device, kind) for device in ["tokyo", "cairo"]})
            answers = self.send(lines)
            self.check_deliveries(lines)
            self.assertEqual({answer["status"] for answer in answers.values()}, {200})
            steps = {json.loads(line["payload"])["aps"]["content-state"]["step"] for line in lines}
            self.assertEqual(len(steps), 2)
        self.assertEqual(app.render(**population.ACTIVITY["update"], **ALL), [])

    def test_the_longest_payload_arrives_as_it_was_rendered(self):
        lines = self.check(population.LONG, count=len(population.DEVICES))
        for line in lines:
            self.assertEqual(len(line["payload"].encode()), line["payload_bytes"])
            self.assertIn(line["payload_bytes"], [4095, 4096])

    def test_no_word_breaks_a_sender(self):
        devices, words = list(population.DEVICES), population.HOSTILE_WORDS
        for first in range(0, len(words), len(devices)):
            self.setUp()
            given = dict(zip(devices, words[first:first + len(devices)]))
            lines = self.app.render(**population.HOSTILE, recipients=[
                {"to": {"installation": self.app.identity(device)}, "arguments": {"words": text}}
                for device, text in given.items()])
            self.assertEqual(len(lines), len(given))
            answers = self.send(lines)
            self.check_deliveries(lines)
            for line, text in zip(lines, given.values()):
                self.assertEqual(answers[line["token"]]["status"], 200)
                payload = json.loads(line["payload"])
                self.assertEqual(payload["words"], text)
                self.assertEqual(payload["aps"]["alert"]["title"], text)
                is_field = re.fullmatch("[!-~]{1,64}", text)
                self.assertEqual(
                    line["headers"]["apns-collapse-id"],
                    text if is_field else hashlib.sha256(text.encode()).hexdigest())
                codes = [problem["code"] for problem in line["problems"]]
                self.assertEqual("collapse_id_encoded" in codes, not is_field)

    def test_the_answers_make_the_registry_true(self):
        app = App(self.stage, f"{self.app_name}-answers")
        app.upload("412", population.STRINGS)
        now = int(time.time() * 1000)
        # The fate of each device: the answer of APNs, and what becomes of the token.
        fates = {
            "fine": (None, "active"),
            "gone": (Verdict(410, "Unregistered", now + 60_000), "invalid"),
            "expired": (Verdict(410, "ExpiredToken", now + 60_000), "invalid"),
            "returned": (Verdict(410, "Unregistered", now - 86_400_000), "active"),
            "stranger": (Verdict(400, "DeviceTokenNotForTopic"), "invalid"),
            "malformed": (Verdict(400, "BadDeviceToken"), "quarantined"),
            "busy": (Verdict(429, "TooManyRequests"), "active"),
            "unlucky": (Verdict(503, "ServiceUnavailable"), "active"),
        }
        for name, (verdict, _) in fates.items():
            app.register(name, languages=["en"])
            if verdict:
                self.stage.apns.verdicts[app.token(name)] = verdict
        # It is registered for production, and its token is of the other environment.
        app.register("development", languages=["en"])
        self.stage.apns.environments[app.token("development")] = "sandbox"
        fates["development"] = (Verdict(400, "BadDeviceToken"), "quarantined")

        call = {**population.ORDER, **ALL, "payload_form": "string"}
        answer = self.app_run(app, call)
        self.assertEqual(
            {name: answer[name] for name in
             ["invalidated", "ignored_newer_registration", "quarantined", "unknown_token"]},
            {"invalidated": 3, "ignored_newer_registration": 1, "quarantined": 2,
             "unknown_token": 0})
        self.assertEqual(
            {name: app.status(name) for name in fates},
            {name: status for name, (_, status) in fates.items()})

        # The next rendering leaves out the dead ones, and has one again that registers anew.
        self.assertEqual(self.names(app, call), {"fine", "returned", "busy", "unlucky"})
        app.register("gone", languages=["en"])
        self.assertEqual(self.names(app, call), {"fine", "returned", "busy", "unlucky", "gone"})

    def app_run(self, app, call):
        """The whole way: rendering, sending and feedback. Gives the answer to the feedback."""
        path = shlex.quote(str(app.write(call)))
        return json.loads(app.run(f"./render.sh {path} | {self.sender} | ./feedback.sh"))

    def names(self, app, call):
        """The devices that a call is rendered for."""
        lines = app.render(**{name: value for name, value in call.items()})
        known = {app.token(name): name for name in [
            "fine", "gone", "expired", "returned", "stranger", "malformed", "busy", "unlucky",
            "development"]}
        return {known[line["token"]] for line in lines}

    def test_a_request_without_an_answer_is_a_failure_and_not_reported(self):
        lines = self.app.render(**population.ORDER, **ALL)
        lost = self.app.token("london")
        self.stage.apns.lost = {lost}
        self.addCleanup(self.stage.apns.lost.clear)
        text = "".join(json.dumps(line) + "\n" for line in lines)
        output = self.app.run(f"{self.sender} || echo '\"failed\"'", text)
        *answers, end = [json.loads(line) for line in output.splitlines()]
        self.assertEqual(end, "failed")
        self.assertEqual({answer["token"] for answer in answers},
                         {line["token"] for line in lines} - {lost})
        self.assertEqual({answer["status"] for answer in answers}, {200})

    def test_many_devices_are_sent_to_over_one_connection(self):
        app = App(self.stage, f"{self.app_name}-many")
        records = "".join(json.dumps({
            "installation_id": app.identity(index), "platform": "ios",
            "environment": "production", "languages": ["en"], "app_build": "412",
            "credentials": {"apns": {"token": app.token(index)}}}) + "\n"
            for index in range(1500))
        app.call("POST", "/installations/import", records.encode(), kind="application/x-ndjson")
        path = shlex.quote(str(app.write({
            "message": {"alert": {"body": {"text": "Hello"}}}, "payload_form": "string", **ALL})))
        output = app.run(f"./render.sh {path} | {self.sender} | ./feedback.sh")
        counts = [json.loads(line)["no_action"] for line in output.splitlines()]
        self.assertEqual(counts, [1000, 500])
        self.assertEqual(
            {item.request.token for item in self.stage.apns.deliveries},
            {app.token(index) for index in range(1500)})
        self.assertEqual(self.stage.apns.connections, 1)
        self.assertEqual(self.stage.apns.refused_streams, 0)


class CurlTests(Contract, unittest.TestCase):
    sender, app_name = "./curl.sh", "curl"


class NodeTests(Contract, unittest.TestCase):
    sender, app_name = "node send.mjs", "node"


class PythonTests(Contract, unittest.TestCase):
    sender, app_name = "python send.py", "python"


class GoTests(Contract, unittest.TestCase):
    app_name = "go"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        program = ROOT / ".build/senders/send"
        program.parent.mkdir(parents=True, exist_ok=True)
        cls.app.run(f"go build -o {shlex.quote(str(program))} send.go")
        cls.sender = shlex.quote(str(program))


class PipelineTests(unittest.TestCase):
    """The programs around the senders."""

    def test_a_rendering_without_its_summary_is_a_failure(self):
        app = App(stage(), "pipeline")
        path = app.write({"message": {"alert": {"body": {"text": "Hello"}}}, "to": {"user": "u"}})
        self.assertIn('{"summary":', app.run(f"./render.sh '{path}'"))
        # A stand-in for a stream that broke off.
        folder = app.stage.folder / "broken"
        folder.mkdir()
        (folder / "curl").write_text('#!/bin/sh\necho \'{"token":"ab"}\'\n')
        (folder / "curl").chmod(0o755)
        with self.assertRaisesRegex(AssertionError, ": 1\n"):
            app.run(f"PATH='{folder}':$PATH ./render.sh '{path}'")

    def test_a_refused_rendering_is_a_failure(self):
        app = App(stage(), "pipeline-refused")
        path = app.write({"message": "no_such_message", "to": {"all": True}})
        with self.assertRaisesRegex(AssertionError, "not_found"):
            app.run(f"./render.sh '{path}'")

    def test_the_programs_have_no_faults_that_shellcheck_knows(self):
        self.assertIsNotNone(shutil.which("shellcheck"))
        subprocess.run(["shellcheck", *PROGRAMS.glob("*.sh")], check=True, timeout=120)


if __name__ == "__main__":
    unittest.main()
