"""What Apple's pages ask of a broadcast and of the requests about channels.

Written from the pages alone, as `apns_rules.py` is: usernotifications,
sending-broadcast-push-notification-requests-to-apns and
sending-channel-management-requests-to-apns. The payload is that of a Live Activity, in 5120 bytes.
"""

import base64
import binascii
import dataclasses
import re

import apns_rules
from apns_rules import ACTIVITY, KINDS, Refused

LARGEST = 5120
NEEDED = {"apns-channel-id", "apns-expiration", "apns-push-type"}
HEADERS = NEEDED | {"apns-priority", "apns-request-id", "authorization"}
# No activity starts by a broadcast: nobody subscribes to it yet.
KIND = dataclasses.replace(
    KINDS["liveactivity"], bytes=LARGEST,
    events={event: members for event, members in ACTIVITY.items() if event != "start"})

MANAGEMENT = {"production": ("api-manage-broadcast.push.apple.com", 2196),
              "sandbox": ("api-manage-broadcast.sandbox.push.apple.com", 2195)}


def refusal(request, bundle_id, policy, now):
    """Reason and place of the first fault of a broadcast to a channel of a policy, or `None`."""
    try:
        _check_headers(request, bundle_id, policy, now)
        apns_rules._check_payload(KIND, apns_rules._read(request, KIND), now)
    except Refused as refused:
        return refused.reason, refused.place
    return None


def _check_headers(request, bundle_id, policy, now):
    headers = request["headers"]
    if request["path"] != f"/4/broadcasts/apps/{bundle_id}":
        raise Refused("wrong_path", "path")
    for name, value in headers.items():
        if name not in HEADERS:
            raise Refused("unknown_header", name)
        if not isinstance(value, str):
            raise Refused("wrong_form", name)
    for name in sorted(NEEDED):
        if name not in headers:
            raise Refused("missing_header", name)
    if headers["apns-push-type"] != "liveactivity":
        raise Refused("unknown_push_type", "apns-push-type")
    if headers.get("apns-priority", "10") not in ("10", "5", "1"):
        raise Refused("wrong_priority", "apns-priority")
    if not is_base64(headers["apns-channel-id"]):
        raise Refused("wrong_form", "apns-channel-id")
    if "apns-request-id" in headers and not apns_rules._is_uuid(headers["apns-request-id"]):
        raise Refused("wrong_form", "apns-request-id")
    expiration = headers["apns-expiration"]
    if not re.fullmatch("[0-9]+", expiration):
        raise Refused("wrong_form", "apns-expiration")
    if policy == 0 and expiration != "0":
        raise Refused("expiration_not_zero", "apns-expiration")
    if int(expiration) > now + apns_rules.LONGEST_EXPIRATION:
        raise Refused("expiration_too_late", "apns-expiration")


def is_base64(text):
    """Whether a text is what APNs gives as the id of a channel."""
    try:
        return bool(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        return False


def expected_requests(channel, bundle_id):
    """What can be asked of Apple's channel management for a channel, as the service shows it."""
    host, port = MANAGEMENT[channel["environment"]]

    def request(method, identifier=None):
        headers = {} if identifier is None else {"apns-channel-id": identifier}
        body = None if identifier else {
            "message-storage-policy": channel["storage_policy"], "push-type": "LiveActivity"}
        return {"method": method, "host": host, "port": port,
                "path": f"/1/apps/{bundle_id}/channels", "headers": headers, "body": body}
    if channel["channel_id"] is None:
        return {"create": request("POST")}
    return {"read": request("GET", channel["channel_id"]),
            "delete": request("DELETE", channel["channel_id"])}
