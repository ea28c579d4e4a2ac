"""Broadcasts and channels are what Apple asks for, and the rules for them refuse every mutant."""

import json
import time
import unittest

import broadcast_rules
import mutants
from samples import BUNDLE_ID, NOW, SAMPLES
from scene import APP, scene

CHANNEL = "dHN0LXNyY2gtY2hubA=="
# At least so many mutants, all different.
FEWEST_MUTANTS = 500


def broadcast(sample):
    """A good request of a Live Activity as a broadcast."""
    return {
        "path": f"/4/broadcasts/apps/{BUNDLE_ID}", "environment": sample["environment"],
        "headers": {
            "apns-channel-id": CHANNEL, "apns-expiration": "0", "apns-push-type": "liveactivity",
            "apns-priority": sample["headers"]["apns-priority"],
            "apns-request-id": "123e4567-e89b-12d3-a456-426655440000"},
        "payload": sample["payload"], "payload_bytes": sample["payload_bytes"]}


GOOD = {name: broadcast(sample) for name, sample in SAMPLES.items()
        if name.startswith(("liveactivity update", "liveactivity end"))}


def header_mutants(request):
    """Faults of the header fields and the path, with the refusal of each."""
    for path in ("", "/3/device/00", "/4/broadcasts/apps/", "/4/broadcasts/apps/com.example.other",
                 f"/4/broadcasts/apps/{BUNDLE_ID}.push-type.liveactivity"):
        yield {**request, "path": path}, ("wrong_path", "path")
    changes = [
        *((name, None, "missing_header") for name in broadcast_rules.NEEDED),
        *((name, "1", "unknown_header") for name in (
            "apns-topic", "apns-id", "apns-collapse-id", "APNS-Channel-Id")),
        *(("apns-push-type", word, "unknown_push_type") for word in (
            "", "alert", "Liveactivity", "LiveActivity")),
        *(("apns-priority", word, "wrong_priority") for word in ("", "0", "7", "high")),
        *(("apns-channel-id", word, "wrong_form") for word in ("", "a", "not base64", "é", "YQ=")),
        *(("apns-request-id", word, "wrong_form") for word in ("", "7")),
        *(("apns-expiration", word, "wrong_form") for word in ("", "-1", "1.5", "soon", 0)),
        ("apns-expiration", "1", "expiration_not_zero"),
        ("apns-expiration", str(NOW), "expiration_not_zero"),
    ]
    for name, value, reason in changes:
        headers = {key: text for key, text in request["headers"].items() if key != name}
        yield ({**request, "headers": headers if value is None else {**headers, name: value}},
               (reason, name))


def payload_mutants(request):
    """The faults of payloads that devices have, too, in the bounds of a broadcast."""
    as_activity = {**request, "headers": {"apns-push-type": "liveactivity"}}
    for fault, mutant, *refusal in [*mutants._bytes(as_activity), *mutants._payloads(as_activity)]:
        if fault.endswith(" bytes"):
            continue
        # A start has members that are of no event here.
        if refusal[0] == "wrong_event" and "dismissal" not in refusal[1]:
            refusal = ["unknown_member", refusal[1]]
        yield {**request, "payload": mutant["payload"],
               "payload_bytes": mutant["payload_bytes"]}, tuple(refusal)
    for more in (1, 1000):
        text = request["payload"]
        text += " " * (broadcast_rules.LARGEST + more - len(text.encode()))
        yield ({**request, "payload": text, "payload_bytes": len(text.encode())},
               ("payload_too_large", "payload"))


def refusal(request, policy=0):
    return broadcast_rules.refusal(request, BUNDLE_ID, policy, NOW)


class RuleTests(unittest.TestCase):
    def test_every_sample_is_taken(self):
        for name, request in GOOD.items():
            full = request["payload"]
            full += " " * (broadcast_rules.LARGEST - len(full.encode()))
            with self.subTest(sample=name):
                self.assertIsNone(refusal(request))
                self.assertIsNone(refusal({**request, "payload": full, "payload_bytes": 5120}))
                headers = {**request["headers"], "apns-expiration": str(NOW + 3600)}
                self.assertIsNone(refusal({**request, "headers": headers}, policy=1))

    def test_every_mutant_is_refused_with_its_reason(self):
        texts = set()
        for name, request in GOOD.items():
            for mutant, expected in [*header_mutants(request), *payload_mutants(request)]:
                texts.add(json.dumps(mutant, sort_keys=True))
                with self.subTest(sample=name, mutant=str(mutant)[:300]):
                    self.assertEqual(refusal(mutant), expected)
        self.assertGreaterEqual(len(texts), FEWEST_MUTANTS)
        print(f"  saw: {len(texts)} different mutants of {len(GOOD)} broadcasts", flush=True)


class RenderedTests(unittest.TestCase):
    def test_channels_and_broadcasts(self):
        checked = 0
        for environment in ("production", "sandbox"):
            for policy in (0, 1):
                for language in ("en", "ja", "ar", None):
                    name = f"{environment}-{policy}-{language}"
                    path = f"{APP}/channels/{name}"
                    made = scene().call("PUT", path, {
                        "environment": environment, "storage_policy": policy, "type": "Delivery",
                        "language": language})
                    self.assertEqual(made["requests"],
                                     broadcast_rules.expected_requests(made, BUNDLE_ID))
                    made = scene().call("POST", f"{path}/created", {"channel_id": CHANNEL})
                    self.assertEqual(made["requests"],
                                     broadcast_rules.expected_requests(made, BUNDLE_ID))
                    checked += self._check_broadcasts(name, policy)
        print(f"  saw: {checked} broadcasts", flush=True)

    def _check_broadcasts(self, channel, policy):
        state = {"step": {"key": "RIDER", "args": ["who"]}}
        events = [
            {"event": "update", "content_state": state},
            {"event": "update", "content_state": state, "stale_after_s": 900,
             "alert": {"title": {"key": "ORDER"}, "body": {"key": "RIDER", "args": ["who"]}}},
            {"event": "end", "content_state": state, "dismiss_after_s": 60},
            {"event": "end"},
        ]
        for members in events:
            [request] = scene().objects(
                message={"live_activity": {"type": "Delivery", **members},
                         "parameters": {"who": {"type": "string"}}},
                arguments={"who": "健"}, to={"channel": channel}, payload_form="string")
            with self.subTest(channel=channel, members=members):
                self.assertIsNone(broadcast_rules.refusal(
                    request, BUNDLE_ID, policy, time.time()), request)
        return len(events)


if __name__ == "__main__":
    unittest.main()
