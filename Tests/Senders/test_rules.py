"""The stand-in for APNs refuses what APNs refuses: otherwise it would prove nothing."""

import base64
import json
import ssl
import unittest

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
import httpx

import rules
from stage import ROOT, stage

NOW = 1_700_000_000
KEY, OTHER_KEY = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
PROVIDER = rules.Provider("com.example.food", "TEAM123456", "KEY1234567", KEY.public_key())
TOKEN = "ab" * 32


def encoded(value):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def provider_token(*, key=KEY, key_id="KEY1234567", team="TEAM123456", issued=NOW, name="ES256"):
    """A provider token, right unless something else is asked for."""
    text = f"{encoded({'alg': name, 'kid': key_id})}.{encoded({'iss': team, 'iat': issued})}"
    r, s = utils.decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
    return f"{text}.{encoded(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def bearer(**changes):
    return f"bearer {provider_token(**changes)}"


def request(*, method="POST", path=f"/3/device/{TOKEN}", body=b'{"aps":{"alert":"Hi"}}',
            is_certified=False, more=(), **fields):
    """A sound request with some changes; a field that is `None` is left out."""
    headers = {
        "authorization": bearer(), "apns-topic": "com.example.food", "apns-push-type": "alert",
        "apns-priority": "10", "apns-expiration": "0", "apns-collapse-id": "order-7",
        "apns-id": "123e4567-e89b-12d3-a456-426655440000",
    } | {name.replace("_", "-"): value for name, value in fields.items()}
    return rules.Request(
        method, path, "api.push.apple.com",
        [(name, value) for name, value in headers.items() if value is not None] + list(more),
        body, is_certified)


def payload_of(count):
    """A payload with a number of bytes."""
    frame = b'{"aps":{"alert":""}}'
    return frame.replace(b'""', b'"' + b"x" * (count - len(frame)) + b'"')


SILENT = {"apns_push_type": "background", "apns_priority": "5", "apns_collapse_id": None,
          "body": b'{"aps":{"content-available":1}}'}
CALL = {"apns_push_type": "voip", "apns_topic": "com.example.food.voip", "body": b'{"call":{}}'}

# Each change of the sound request, and what becomes of it.
CASES = [
    ({}, None),
    (SILENT, None),
    (CALL, None),
    # What may be left out.
    ({"apns_priority": None, "apns_expiration": None, "apns_collapse_id": None, "apns_id": None},
     None),
    ({"path": f"/3/device/{'cd' * 80}"}, None),
    ({"authorization": None, "is_certified": True}, None),
    # The path and the method.
    ({"path": f"/2/device/{TOKEN}"}, (404, "BadPath")),
    ({"path": "/3/device/"}, (400, "MissingDeviceToken")),
    ({"path": f"/3/device/{TOKEN.upper()}"}, (400, "BadDeviceToken")),
    ({"path": f"/3/device/{TOKEN}0"}, (400, "BadDeviceToken")),
    ({"path": f"/3/device/x/{TOKEN}"}, (400, "BadDeviceToken")),
    ({"method": "PUT"}, (405, "MethodNotAllowed")),
    # The provider token.
    ({"authorization": None}, (403, "MissingProviderToken")),
    ({"authorization": provider_token()}, (403, "InvalidProviderToken")),
    ({"authorization": "bearer a.b.c"}, (403, "InvalidProviderToken")),
    ({"authorization": bearer() + "="}, (403, "InvalidProviderToken")),
    ({"authorization": bearer(key=OTHER_KEY)}, (403, "InvalidProviderToken")),
    ({"authorization": bearer(key_id="KEY7654321")}, (403, "InvalidProviderToken")),
    ({"authorization": bearer(team="TEAM654321")}, (403, "InvalidProviderToken")),
    ({"authorization": bearer(name="none")}, (403, "InvalidProviderToken")),
    ({"authorization": bearer(issued=NOW - 3601)}, (403, "ExpiredProviderToken")),
    ({"authorization": bearer(issued=NOW + 3600)}, (403, "ExpiredProviderToken")),
    # APNSwift writes the time as a text.
    ({"authorization": bearer(issued=str(NOW))}, None),
    ({"authorization": bearer(issued="now")}, (403, "ExpiredProviderToken")),
    # Header fields.
    ({"more": [("apns-topic", "com.example.food")]}, (400, "DuplicateHeaders")),
    ({"apns_topic": None}, (400, "MissingTopic")),
    ({"apns_topic": "com.example.other"}, (400, "BadTopic")),
    ({**CALL, "apns_topic": "com.example.food"}, (400, "BadTopic")),
    ({"apns_topic": "com.example.food.voip"}, (400, "BadTopic")),
    ({"apns_push_type": None}, (400, "MissingPushType")),
    ({"apns_push_type": "loud"}, (400, "InvalidPushType")),
    ({"apns_priority": "7"}, (400, "BadPriority")),
    ({**SILENT, "apns_priority": "10"}, (400, "BadPriority")),
    ({**SILENT, "apns_priority": None}, (400, "BadPriority")),
    ({"apns_expiration": "tomorrow"}, (400, "BadExpirationDate")),
    ({"apns_expiration": "-1"}, (400, "BadExpirationDate")),
    ({"apns_collapse_id": "x" * 64}, None),
    ({"apns_collapse_id": "x" * 65}, (400, "BadCollapseId")),
    ({"apns_collapse_id": "é"}, (400, "BadCollapseId")),
    ({"apns_collapse_id": "a b"}, (400, "BadCollapseId")),
    ({"apns_id": "123E4567-E89B-12D3-A456-426655440000"}, (400, "BadMessageId")),
    ({"apns_id": "7"}, (400, "BadMessageId")),
    # The payload.
    ({"body": b""}, (400, "PayloadEmpty")),
    ({"body": b"{}"}, (400, "PayloadEmpty")),
    ({"body": b'"text"'}, (400, "PayloadNotJSON")),
    ({"body": b'{"aps":'}, (400, "PayloadNotJSON")),
    ({"body": payload_of(4096)}, None),
    ({"body": payload_of(4097)}, (413, "PayloadTooLarge")),
    ({**CALL, "body": payload_of(5120)}, None),
    ({**CALL, "body": payload_of(5121)}, (413, "PayloadTooLarge")),
    ({"body": b'{"aps":{"content-available":1}}'}, (400, "InvalidPushType")),
    ({**SILENT, "body": b'{"aps":{"content-available":1,"sound":"x"}}'},
     (400, "InvalidPushType")),
    ({**SILENT, "body": b'{"aps":{}}'}, (400, "InvalidPushType")),
]


class RuleTests(unittest.TestCase):
    def test_each_fault_has_its_reason(self):
        for change, expected in CASES:
            with self.subTest(change=change):
                self.assertEqual(rules.refusal(request(**change), PROVIDER, NOW), expected)

    def test_every_reason_but_one_is_on_the_page_of_apple(self):
        page = (ROOT / "docs/apple.md").read_text()
        reasons = {expected[1] for _, expected in CASES if expected}
        self.assertEqual(
            {reason for reason in reasons if f"`{reason}`" not in page}, {"PayloadNotJSON"})


class ServerTests(unittest.TestCase):
    """The server over the network: HTTP/2 only, and client certificates."""

    def setUp(self):
        self.stage = stage()
        self.stage.apns.forget()
        self.fields = {
            "apns-topic": "com.example.food", "apns-push-type": "alert", "apns-priority": "10"}

    def post(self, *, certificate=None, http2=True):
        context = ssl.create_default_context(cafile=str(self.stage.folder / "authority.pem"))
        if certificate:
            context.load_cert_chain(
                self.stage.folder / f"{certificate}.pem", self.stage.folder / f"{certificate}.key")
        with httpx.Client(http2=http2, verify=context, trust_env=False) as client:
            return client.post(
                f"https://api.push.apple.com/3/device/{TOKEN}", headers=self.fields,
                content=b'{"aps":{"alert":"Hi"}}')

    def test_a_client_certificate_stands_for_a_provider_token(self):
        answer = self.post(certificate="client")
        self.assertEqual((answer.status_code, answer.http_version), (200, "HTTP/2"))

    def test_without_both_the_answer_is_that_of_apns(self):
        answer = self.post()
        self.assertEqual(answer.status_code, 403)
        self.assertEqual(answer.json(), {"reason": "MissingProviderToken"})
        self.assertIn("apns-id", answer.headers)

    def test_nobody_gets_in_by_http_1(self):
        with self.assertRaises(httpx.HTTPError):
            self.post(certificate="client", http2=False)


if __name__ == "__main__":
    unittest.main()
