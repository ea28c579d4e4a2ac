"""What APNs takes and what it refuses, as a function of a request.

The rules are those of docs/apple.md 2, the reasons those of docs/apple.md 3. Where Apple's pages
are silent, the stricter reading counts: a sender that passes here sends nothing doubtful.
"""

import base64
import collections
import dataclasses
import json
import re
import uuid

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

# Push type → what is added to the bundle id in the topic, and the priorities that it may have.
PUSH_TYPES = {
    "alert": ("", {"10", "5", "1"}),
    "background": ("", {"5"}),
    "voip": (".voip", {"10"}),
    "liveactivity": (".push-type.liveactivity", {"10", "5"}),
}

# Bytes of a payload.
LARGEST, LARGEST_CALL = 4096, 5120

# At most 64 bytes; what APNs makes of others than visible ASCII is open.
COLLAPSE_ID = re.compile("[!-~]{1,64}")

# Seconds. A provider token is believed for an hour; clocks may differ a little.
TOKEN_LIFETIME, CLOCK_DIFFERENCE = 3600, 60



@dataclasses.dataclass
class Request:
    """A request as it came over HTTP/2."""

    method: str
    path: str
    # The name of the host, without a port.
    authority: str
    # Pairs of name and value, in their order.
    headers: list
    body: bytes
    # Whether the connection has a client certificate that is trusted.
    is_certified: bool = False

    def header(self, name):
        """The value of a header field, or `None`."""
        return next((value for key, value in self.headers if key == name), None)

    def fields(self):
        """The header fields of APNs, as in the line of a rendering."""
        return {name: value for name, value in self.headers if name.startswith("apns-")}

    @property
    def token(self):
        """The device token of the path."""
        return self.path.rpartition("/")[2]


@dataclasses.dataclass
class Provider:
    """The account of a sender at Apple: its app, and the key of its provider tokens."""

    bundle_id: str
    team_id: str
    key_id: str
    public_key: ec.EllipticCurvePublicKey


def refusal(request, provider, now):
    """The status and the reason with which APNs refuses a request, or `None`.

    `now` is the time in Unix seconds.
    """
    for rule in RULES:
        if found := rule(request, provider, now):
            return found
    return None


def _path(request, provider, now):
    if not request.path.startswith("/3/device/"):
        return 404, "BadPath"
    if request.method != "POST":
        return 405, "MethodNotAllowed"
    if not request.token:
        return 400, "MissingDeviceToken"
    if not re.fullmatch("([0-9a-f]{2}){16,512}", request.path.removeprefix("/3/device/")):
        return 400, "BadDeviceToken"
    return None


def _repetition(request, provider, now):
    counts = collections.Counter(name for name, _ in request.headers)
    return (400, "DuplicateHeaders") if any(count > 1 for count in counts.values()) else None


def _authorization(request, provider, now):
    value = request.header("authorization")
    if value is None:
        return None if request.is_certified else (403, "MissingProviderToken")
    scheme, _, token = value.partition(" ")
    claims = _claims(token, provider)
    if scheme.lower() != "bearer" or claims is None or claims.get("iss") != provider.team_id:
        return 403, "InvalidProviderToken"
    issued = claims.get("iat")
    # RFC 7519, section 4.1.6, asks for a number. APNSwift, with which many send, has it as a text.
    if isinstance(issued, str) and issued.isdigit():
        issued = int(issued)
    if not isinstance(issued, int) or not (
            now - TOKEN_LIFETIME <= issued <= now + CLOCK_DIFFERENCE):
        return 403, "ExpiredProviderToken"
    return None


def _claims(token, provider):
    """The claims of a JSON Web Token (RFC 7519) signed by the provider's key, or `None`."""
    try:
        head, claims, signature = token.split(".")
        header, bytes_of_signature = json.loads(_decoded(head)), _decoded(signature)
        if (header["alg"], header["kid"], len(bytes_of_signature)) != (
                "ES256", provider.key_id, 64):
            return None
        # JWS has both numbers one after the other, each of 32 bytes (RFC 7518, 3.4).
        provider.public_key.verify(
            utils.encode_dss_signature(
                int.from_bytes(bytes_of_signature[:32], "big"),
                int.from_bytes(bytes_of_signature[32:], "big")),
            f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
        return json.loads(_decoded(claims))
    except (InvalidSignature, KeyError, TypeError, ValueError):
        return None


def _decoded(text):
    if "=" in text:
        raise ValueError("base64url of a token has no padding")
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _type_and_topic(request, provider, now):
    kind, topic = request.header("apns-push-type"), request.header("apns-topic")
    if kind is None:
        return 400, "MissingPushType"
    if kind not in PUSH_TYPES:
        return 400, "InvalidPushType"
    if topic is None:
        return 400, "MissingTopic"
    if topic != provider.bundle_id + PUSH_TYPES[kind][0]:
        return 400, "BadTopic"
    return None


def _fields(request, provider, now):
    kind = request.header("apns-push-type")
    # Without a priority it is 10.
    if request.header("apns-priority") not in PUSH_TYPES[kind][1] | (
            {None} if "10" in PUSH_TYPES[kind][1] else set()):
        return 400, "BadPriority"
    expiration = request.header("apns-expiration")
    if expiration is not None and not re.fullmatch("[0-9]{1,18}", expiration):
        return 400, "BadExpirationDate"
    collapse_id = request.header("apns-collapse-id")
    if collapse_id is not None and not COLLAPSE_ID.fullmatch(collapse_id):
        return 400, "BadCollapseId"
    name = request.header("apns-id")
    if name is not None and not _is_uuid(name):
        return 400, "BadMessageId"
    return None


def _is_uuid(text):
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False


def _payload(request, provider, now):
    if not request.body:
        return 400, "PayloadEmpty"
    is_call = request.header("apns-push-type") == "voip"
    if len(request.body) > (LARGEST_CALL if is_call else LARGEST):
        return 413, "PayloadTooLarge"
    # Apple names no reason for a body that is no JSON object. This word is none of Apple's.
    try:
        payload = json.loads(request.body)
    except ValueError:
        return 400, "PayloadNotJSON"
    if not isinstance(payload, dict):
        return 400, "PayloadNotJSON"
    if is_call:
        return None
    return _contents(payload.get("aps"), request.header("apns-push-type"))


def _contents(aps, kind):
    """A notification that shows nothing is `background`, and a `background` one shows nothing. A
    Live Activity has a time and an event."""
    if not isinstance(aps, dict):
        return 400, "PayloadEmpty"
    if kind == "liveactivity":
        known = aps.get("event") in ("start", "update", "end")
        return None if known and isinstance(aps.get("timestamp"), int) else (400, "PayloadEmpty")
    shows = any(name in aps for name in ("alert", "badge", "sound"))
    if shows != (kind == "alert") or (kind == "background" and aps.get("content-available") != 1):
        return 400, "InvalidPushType"
    return None


RULES = [_path, _repetition, _authorization, _type_and_topic, _fields, _payload]
