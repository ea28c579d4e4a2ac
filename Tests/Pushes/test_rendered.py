"""What the service renders is what Apple asks for, and Swift decodes the state that was meant."""

import json
import time
import unittest

import apns_rules
from messages import (
    ARGUMENTS, CASES, DISHES, ETA, NOTE, ORDER, PLACED, RIDER, STATE, TYPES, WAITING_STATE, WHO)
from scene import (
    APP, DEVICES, OWNERS, bundle_id, decoded, identity, opened, scene, text_of, token)

EVERYBODY = {"to": {"all": True}}
EPOCH = "1970-01-01T00:00:00Z"
# Members of a payload that tell the time of the rendering.
CLOCKS = ("timestamp", "stale-date", "dismissal-date")
# Fields of a message that stand beside its kind, each with a value that some message may have.
FIELDS = [
    ("priority", 1), ("priority", 5), ("priority", 10), ("ttl", 0), ("ttl", 60),
    ("ttl", 2_592_000), ("collapse_id", "order-{order}"), ("collapse_id", "é" * 40),
    ("category", "ORDER"), ("thread_id", "orders"), ("target_content_id", "orders"),
    ("interruption_level", "time-sensitive"), ("relevance_score", 0.5),
    ("filter_criteria", "food"), ("content_available", True), ("mutable_content", True),
    ("message_type", "other"), ("data", {"more": "{order}"}), ("localization", "client"),
    ("localization", "server"), ("localization", "local"), ("literal_fallback", True),
    ("truncation", "reject"), ("fallback_language", "ja"), ("isolate_arguments", True),
]
# Messages that are changed, by kind and event.
GOOD = {("live_activity", event): CASES[event].message["live_activity"]
        for event in ("start", "update", "end")}
PARAMETERS = {name: {"type": word} for name, word in TYPES.items()}
# Kind, change, and the place of the fault below the kind.
UNUSABLE = [
    *(("live_activity", {"event": "start", name: None}, f"/{name}")
      for name in ("alert", "attributes", "content_state", "type")),
    ("live_activity", {"event": "begin", "type": "Delivery"}, "/event"),
    ("live_activity", {"event": "start", "dismiss_after_s": 60}, "/dismiss_after_s"),
    ("live_activity", {"event": "start", "alert": {
        "body": "Hi", "sound": {"critical": True, "name": "bell.caf"}}}, "/alert"),
    ("live_activity", {"event": "start", "alert": {"body": "Hi", "subtitle": "You"}}, "/alert"),
    ("live_activity", {"event": "start", "alert": {"sound": "bell.caf"}}, "/alert"),
    ("live_activity", {"event": "update", "content_state": None}, "/content_state"),
    ("live_activity", {"event": "update", "attributes": {}}, "/attributes"),
    ("live_activity", {"event": "update", "input_push_token": True}, "/input_push_token"),
    ("live_activity", {"event": "end", "dismiss_after_s": 14_401}, "/dismiss_after_s"),
    ("live_activity", {"event": "end", "content_state": [1]}, "/content_state"),
    ("live_activity", {"event": "end", "content_state": "x"}, "/content_state"),
    # Texts, although they look like objects.
    ("live_activity", {"event": "start", "content_state": {"key": "ORDER"}}, "/content_state"),
    ("live_activity", {"event": "update", "content_state": {"text": NOTE}}, "/content_state"),
    ("live_activity", {"event": "start", "attributes": {"text": NOTE}}, "/attributes"),
    ("nowplaying", {"event": "start"}, "/attributes"),
    ("nowplaying", {"event": "begin", "session": "S1"}, "/event"),
    # The device drops what has no id, or that of another session.
    *(("nowplaying", {"event": "start", "attributes": attributes}, "/attributes")
      for attributes in ({}, {"title": "x"}, {"id": 5}, {"id": ""}, {"id": "{count}"})),
    ("nowplaying", {"event": "update", "session": "S1", "attributes": {"id": "S2"}},
     "/attributes"),
    *(("file_provider", change, "/container-identifier")
      for change in ({}, {"container-identifier": 7}, {"container-identifier": ""})),
    *((kind, {"aps": {}}, "/aps") for kind in ("location", "push_to_talk", "complication")),
]


def language(device):
    """The localization that a device gets."""
    return DEVICES[device]["languages"][0][:2]


def payload_of(request):
    return json.loads(request["payload"])


def timeless(request):
    """Header fields and payload of a request, without what differs between two renderings."""
    payload = payload_of(request)
    for name in CLOCKS:
        payload.get("aps", {}).pop(name, None)
    headers = {name: value for name, value in request["headers"].items()
               if name not in ("apns-id", "apns-expiration")}
    return headers, payload


def tearDownModule():
    print(f"  saw: {Checked.count} requests of {len(CASES)} messages", flush=True)


class Checked(unittest.TestCase):
    """What holds for every request."""

    # Requests that the checker has seen.
    count = 0

    @classmethod
    def setUpClass(cls):
        cls.scene = scene()

    def check(self, request):
        """Has the checker look at a request; gives the device that it is for."""
        Checked.count += 1
        device, place = OWNERS[request["token"]]
        self.assertIsNone(
            apns_rules.refusal(request, bundle_id(device), time.time()), request["payload"])
        # Tokens of now playing are production's also in builds for development.
        expected = DEVICES[device].get("environment", "production")
        self.assertEqual(
            request["environment"],
            "production" if place.startswith("nowplaying") else expected)
        return device

    def refused(self, call):
        """Place and code of each fault of a call that is refused."""
        status, text = self.scene.answer(call)
        self.assertEqual(status, 422, text)
        return [(fault["pointer"], fault["code"]) for fault in json.loads(text)["errors"]]


class ShapeTests(Checked):
    """Each kind and event as lines, groups, recipients and objects."""

    def expected_tokens(self, case):
        return sorted(token(device, place) for device in case.devices for place in case.places)

    def check_all(self, case, requests):
        """Compares requests with what a message is to make."""
        self.assertEqual(
            sorted(request["token"] for request in requests), self.expected_tokens(case))
        for request in requests:
            device = self.check(request)
            self.assertEqual(request["headers"]["apns-push-type"], case.push_type)
            self.assertEqual(request["headers"]["apns-priority"], case.priority)
            payload = payload_of(request)
            aps = payload.pop("aps", {})
            self.assertEqual((aps.get("event"), payload), (case.event, case.beside))
            self.assertIn(device, case.devices)
        self.check_decoded(case, requests)

    def check_decoded(self, case, requests):
        """Compares what Swift decodes with what was meant."""
        for member, (swift_type, expected) in case.decoded.items():
            answers = decoded(
                [(swift_type, payload_of(request)["aps"][member]) for request in requests])
            self.assertEqual(
                answers,
                [{"value": expected(language(OWNERS[request["token"]][0]))}
                 for request in requests])

    def test_lines_are_what_apple_asks_for(self):
        for name, case in CASES.items():
            with self.subTest(message=name):
                lines, summary = self.scene.lines(**case.call, **EVERYBODY)
                self.assertEqual(summary["rendered"], len(lines))
                self.check_all(case, lines)

    def test_groups_of_a_stored_message_are_what_apple_asks_for(self):
        for name, case in CASES.items():
            with self.subTest(message=name):
                call = case.call
                self.scene.call("PUT", f"{APP}/messages/{name}", call["message"])
                groups, _ = self.scene.lines(
                    **{**call, "message": name}, **EVERYBODY, shape="groups")
                self.check_all(case, [request for group in groups for request in opened(group)])

    def test_recipients_get_what_apple_asks_for_or_the_reason(self):
        names = list(DEVICES)
        recipients = [{"to": {"installation": identity(name)}} for name in names]
        for name, case in CASES.items():
            with self.subTest(message=name):
                lines, _ = self.scene.lines(**case.call, recipients=recipients)
                self.check_all(case, [line for line in lines if "skipped" not in line])
                reasons = {names[line["index"]]: line["skipped"] for line in lines
                           if "skipped" in line}
                self.assertEqual(set(reasons), set(names) - set(case.devices))
                self.assertEqual(reasons | case.skipped, reasons)

    def test_objects_of_each_device_are_what_apple_asks_for(self):
        for name, case in CASES.items():
            with self.subTest(message=name):
                self.check_all(case, [
                    request for name in DEVICES for request in self.scene.objects(
                        **case.call, to={"installation": identity(name)})])

    def test_every_shape_and_form_has_the_same_requests(self):
        for name, case in CASES.items():
            with self.subTest(message=name):
                lines, _ = self.scene.lines(**case.call, **EVERYBODY)
                by_token = {line["token"]: timeless(line) for line in lines}
                groups, _ = self.scene.lines(**case.call, **EVERYBODY, shape="groups")
                bare, _ = self.scene.lines(**case.call, **EVERYBODY, payload_form="json")
                coded, _ = self.scene.lines(**case.call, **EVERYBODY, payload_form="base64url")
                for request in [
                        *(request for group in groups for request in opened(group)),
                        *({**line, "payload": json.dumps(line["payload"])} for line in bare),
                        *({**line, "payload": text_of(line["payload"])} for line in coded)]:
                    self.assertEqual(timeless(request), by_token[request["token"]])


class ContentTests(Checked):
    """What stands in the payloads of Live Activities."""

    def aps(self, name):
        """`aps` of a message by the device that gets it."""
        lines, _ = self.scene.lines(**CASES[name].call, **EVERYBODY)
        return {OWNERS[line["token"]][0]: (payload_of(line)["aps"], line) for line in lines}

    def test_an_alert_is_a_key_where_the_device_has_it_and_else_a_text(self):
        for device, (aps, _) in self.aps("start").items():
            word = language(device)
            keyed = {"title": {"loc-key": "ORDER"},
                     "body": {"loc-key": "RIDER", "loc-args": [WHO]}, "sound": "bell.caf"}
            text = {"title": ORDER[word], "body": RIDER[word], "sound": "bell.caf"}
            has_keys = "capabilities" in DEVICES[device]
            self.assertEqual(aps["alert"], keyed if has_keys else text)

    def test_the_other_members_are_those_of_the_message(self):
        for aps, line in self.aps("start").values():
            self.assertEqual(
                (aps["attributes-type"], aps["relevance-score"], aps["input-push-token"]),
                ("Delivery", 75, 1))
            self.assertEqual(aps["stale-date"], aps["timestamp"] + 900)
            self.assertEqual(line["headers"]["apns-expiration"], str(aps["stale-date"]))
        for aps, _ in self.aps("end").values():
            self.assertEqual(aps["dismissal-date"], aps["timestamp"] + 4 * 3600)
        for aps, _ in self.aps("end_at_once").values():
            self.assertLessEqual(aps["dismissal-date"], aps["timestamp"])
            self.assertEqual(aps["alert"], {"body": f"Bye, {WHO}"})
        for device, (aps, _) in self.aps("update_with_alert").items():
            self.assertEqual(aps["alert"], {"title": "Now", "body": NOTE[language(device)]})

    def test_a_plural_in_a_state_follows_the_language(self):
        expected = {
            0: {"en": "0 dishes", "ja": "0品", "ar": "لا أطباق"},
            1: {"en": "1 dish", "ja": "1品", "ar": "طبق واحد"},
            2: {"en": "2 dishes", "ja": "2品", "ar": "طبقان"},
            3: DISHES,
            11: {"en": "11 dishes", "ja": "11品", "ar": "١١ طبقًا"},
            100: {"en": "100 dishes", "ja": "100品", "ar": "١٠٠ طبق"},
        }
        for count, texts in expected.items():
            call = CASES["update"].call
            call["arguments"] = {**ARGUMENTS, "count": count}
            lines, _ = self.scene.lines(**call, **EVERYBODY)
            found = {language(self.check(line)): payload_of(line)["aps"]["content-state"]["summary"]
                     for line in lines}
            self.assertEqual(found, texts)

    def decoded_date(self, parameter, arguments):
        """What Swift decodes from a date in a state, for one device."""
        [line], _ = self.scene.lines(
            message={
                "live_activity": {"event": "update", "activity": "first", "content_state": {
                    **WAITING_STATE, "eta": "{moment}"}},
                "parameters": {"moment": {"type": "date", **parameter}}},
            arguments=arguments, to={"installations": [identity("tokyo")]})
        self.check(line)
        [answer] = decoded([("Delivery.ContentState", payload_of(line)["aps"]["content-state"])])
        return answer["value"]["eta"]

    def test_a_moment_stays_the_same_however_it_is_written(self):
        for written, expected in [
                (ETA, ETA), (1_795_782_600, ETA), ("2026-11-27T21:30:00+09:00", ETA),
                ("2026-11-27T12:30:00.250Z", ETA), ("1969-12-31T23:59:59Z",) * 2, (0, EPOCH),
                ("2000-02-29T12:00:00Z",) * 2, ("2001-01-01T00:00:00Z",) * 2,
                ("2038-01-19T03:14:08Z",) * 2]:
            with self.subTest(written=written):
                self.assertEqual(self.decoded_date({}, {"moment": written}), expected)
        self.assertEqual(self.decoded_date({"default": ETA}, {}), ETA)
        self.assertEqual(self.decoded_date({"from": "attributes.placed"}, {}), PLACED)

    def test_the_decoder_refuses_what_a_phone_would_drop(self):
        """Otherwise its answers would prove nothing."""
        good = {"step": "x", "phase": "riding", "progress": {"waiting": {}}, "isLate": False}
        faults = {
            "eta": ETA, "phase": "flying", "isLate": 1, "serial": "7", "picture": "!",
            "courier": {"name": "x", "vehicle": {"wheels": 3}}, "guesses": [None],
            "progress": {"riding": {"rider": "x"}}, "step": None,
        }
        answers = decoded(
            [("Delivery.ContentState", {**good, name: value}) for name, value in faults.items()])
        places = [answer["error"].split(":")[0].split("/")[0] for answer in answers]
        self.assertEqual(places, list(faults))
        self.assertEqual(decoded([("Delivery.ContentState", good)]), [{"value": good}])

    def test_a_date_in_unix_seconds_would_be_decades_off(self):
        [answer] = decoded([("Delivery.ContentState", {
            "step": "x", "phase": "riding", "progress": {"waiting": {}}, "isLate": False,
            "eta": 1_795_782_600})])
        self.assertEqual(answer["value"]["eta"], "2057-11-27T12:30:00Z")
        self.assertEqual(ETA, "2026-11-27T12:30:00Z")


class BoundTests(Checked):
    """Priorities, lifetimes and sizes that Apple does not take are not rendered."""

    def test_no_field_of_a_message_breaks_a_rule(self):
        """It is refused at its place, or the requests are still what Apple asks for."""
        rendered = 0
        # Apple's page shows `content-available` alone in a silent notification. The service leaves
        # there what a message asks for.
        cases = {name: case for name, case in CASES.items() if name != "background"}
        for name, case in cases.items():
            for field, value in FIELDS:
                with self.subTest(message=name, **{field: value}):
                    call = case.call
                    call["message"][field] = value
                    status, text = self.scene.answer(
                        {"payload_form": "string", **call, **EVERYBODY})
                    if status == 422:
                        places = [fault["pointer"] for fault in json.loads(text)["errors"]]
                        self.assertTrue(places[0].startswith(f"/message/{field}"), places)
                        continue
                    self.assertEqual(status, 200, text)
                    for line in text.rstrip("\n").split("\n")[:-1]:
                        self.check(json.loads(line))
                        rendered += 1
        self.assertGreater(rendered, 0)

    def update(self, count):
        """A rendering of a state with so many characters, for one device."""
        lines, summary = self.scene.lines(
            message={
                "live_activity": {"event": "update", "activity": "first",
                                  "content_state": {"x": "{who}"}},
                "parameters": {"who": {"type": "string"}}},
            arguments={"who": "x" * count}, to={"installations": [identity("tokyo")]})
        return lines, {reason: count for reason, count in summary["skipped"].items() if count}

    def test_a_state_may_fill_the_payload_to_the_last_byte(self):
        [line], _ = self.update(1)
        room = 4096 - line["payload_bytes"]
        [full], skipped = self.update(1 + room)
        self.assertEqual((full["payload_bytes"], skipped), (4096, {}))
        self.check(full)
        self.assertEqual(self.update(2 + room), ([], {"payload_too_large": 1}))

    def test_a_long_alert_is_cut_and_the_state_is_whole(self):
        call = CASES["start"].call
        call["message"]["live_activity"] = {
            **call["message"]["live_activity"], "alert": {"body": {"text": "{long}"}}}
        call["message"]["parameters"]["long"] = {"type": "string"}
        call["arguments"] = {**ARGUMENTS, "long": "é" * 2000}
        lines, _ = self.scene.lines(**call, **EVERYBODY)
        self.assertEqual(len(lines), 4)
        for line in lines:
            self.check(line)
            aps = payload_of(line)["aps"]
            self.assertRegex(aps["alert"]["body"], "^é{500,1999}…$")
            self.assertEqual(aps["content-state"]["serial"], STATE["serial"])
            self.assertIn("text_truncated", [problem["code"] for problem in line["problems"]])

    def test_a_message_that_no_phone_would_take_is_refused(self):
        for kind, change, place in UNUSABLE:
            with self.subTest(kind=kind, change=str(change)):
                message = {kind: {**GOOD.get((kind, change.get("event")), {}), **change}}
                places = [pointer for pointer, _ in self.refused({
                    "message": {**message, "parameters": PARAMETERS}, "arguments": ARGUMENTS,
                    **EVERYBODY})]
                self.assertTrue(
                    any(found.startswith(f"/message/{kind}{place}") for found in places), places)

    def test_a_kind_has_nothing_of_a_notification(self):
        for name in ("live_activity", "widgets", "control", "nowplaying", "location",
                     "push_to_talk", "file_provider", "complication"):
            message = next(case.message for case in CASES.values() if name in case.message)
            for field, value in {"alert": "Hi", "badge": 1, "sound": "default"}.items():
                with self.subTest(message=name, field=field):
                    self.assertEqual(
                        [place for place, _ in self.refused({
                            "message": {**message, field: value, "parameters": PARAMETERS},
                            "arguments": ARGUMENTS, **EVERYBODY})],
                        [f"/message/{field}"])


if __name__ == "__main__":
    unittest.main()
