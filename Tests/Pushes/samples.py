"""A good request of each kind and event, as Apple's pages have them."""

import json

BUNDLE_ID = "com.example.food"
# Unix seconds at which they are sent.
NOW = 1_795_780_800
# An update token, and a longer one for starts: tokens have no length that is promised.
TOKEN = "c0ffee" * 10 + "abcd"


def request(push_type, suffix, payload, *, token=TOKEN, environment="production", **headers):
    """A request, with the header fields that are given beside type, topic and name."""
    text = written(payload)
    return {
        "path": f"/3/device/{token}", "token": token, "environment": environment,
        "headers": {
            "apns-push-type": push_type, "apns-topic": BUNDLE_ID + suffix,
            "apns-id": "123e4567-e89b-12d3-a456-426655440000",
            **{f"apns-{name}": value for name, value in headers.items()}},
        "payload": text, "payload_bytes": len(text.encode()),
    }


def written(payload):
    """The text of a payload."""
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def activity(aps, **more):
    """A request of a Live Activity; its `aps` gets a timestamp."""
    return request("liveactivity", ".push-type.liveactivity", {"aps": {"timestamp": NOW, **aps}},
                   **more)


def now_playing(aps):
    """A request of a session of now playing."""
    return request("nowplaying", ".push-type.nowplaying", {"aps": {"timestamp": NOW, **aps}},
                   priority="10")


STATE = {
    "step": "健が配達中", "eta": 817_473_600, "phase": "riding",
    "progress": {"riding": {"rider": "健", "minutes": 7}}, "ratio": 0.5, "courier": None,
}
KEYED_ALERT = {
    "title": {"loc-key": "ORDER"}, "body": {"loc-key": "RIDER", "loc-args": ["健"]},
    "sound": "bell.caf",
}

# By name: push type, event, and what is special about it.
SAMPLES = {
    "alert": request(
        "alert", "", {
            "aps": {
                "alert": {
                    "title": "Your order", "body": "Aki is cooking", "loc-key": "COOKING",
                    "loc-args": ["Aki"]},
                "badge": 3, "sound": "default", "thread-id": "orders", "category": "ORDER",
                "mutable-content": 1, "interruption-level": "time-sensitive",
                "relevance-score": 0.5, "target-content-id": "orders",
                "filter-criteria": "food"},
            "order": "A17"},
        priority="10", expiration=str(NOW + 3600), **{"collapse-id": "order-A17"}),
    "alert, critical": request(
        "alert", "", {"aps": {
            "alert": "Smoke!", "interruption-level": "critical",
            "sound": {"critical": 1, "name": "siren.caf", "volume": 0.8}}}),
    "background": request(
        "background", "", {"aps": {"content-available": 1}, "since": 7}, priority="5"),
    "voip": request(
        "voip", ".voip", {"call": {"id": "c7"}}, priority="10", expiration="0"),
    "complication": request("complication", ".complication", {"aps": {}, "steps": 7}),
    "fileprovider": request(
        "fileprovider", ".pushkit.fileprovider", {
            "container-identifier": "NSFileProviderRootContainerItemIdentifier",
            "domain": "work"}),
    "location": request("location", ".location-query", {"aps": {}}, priority="5"),
    "location, at once": request(
        "location", ".location-query", {"aps": {}, "why": "courier"}, priority="10"),
    "pushtotalk": request(
        "pushtotalk", ".voip-ptt", {"aps": {}, "speaker": "Aki"}, priority="10",
        expiration="0"),
    "liveactivity start": activity(
        {
            "event": "start", "content-state": STATE, "attributes-type": "DeliveryAttributes",
            "attributes": {"order": "A17"}, "alert": KEYED_ALERT, "input-push-token": 1,
            "stale-date": NOW + 900, "relevance-score": 75},
        token="ab" * 80, priority="10", expiration=str(NOW + 900)),
    "liveactivity start, on a channel": activity(
        {
            "event": "start", "content-state": {}, "attributes-type": "ScoreAttributes",
            "attributes": {}, "alert": {"title": "Kick-off", "body": "Ajax – Feyenoord"},
            "input-push-channel": "dHN0LXNyY2gtY2hubA=="},
        environment="sandbox", priority="10"),
    "liveactivity update": activity(
        {"event": "update", "content-state": STATE, "stale-date": NOW + 900}, priority="5",
        expiration=str(NOW + 900)),
    "liveactivity update, with an alert": activity(
        {
            "event": "update", "content-state": STATE, "relevance-score": -1.5,
            "alert": {"title": "Your order", "body": "Aki is on the way"}},
        priority="10"),
    "liveactivity end": activity(
        {"event": "end", "content-state": STATE, "dismissal-date": NOW + 60}, priority="5"),
    "liveactivity end, with an alert": activity(
        {"event": "end", "alert": {"body": "Enjoy!", "sound": "bell.caf"},
         "dismissal-date": NOW - 60}, priority="10"),
    "controls": request(
        "controls", ".push-type.controls", {"aps": {"content-changed": True}}, priority="10",
        expiration="0"),
    "widgets": request("widgets", ".push-type.widgets", {"aps": {"content-changed": True}}),
    "nowplaying start": now_playing({
        "event": "start",
        "attributes": {"id": "S1", "title": "夜に駆ける", "since": "2026-11-27T12:00:00Z"}}),
    "nowplaying update": now_playing(
        {"event": "update", "attributes": {"id": "S1", "title": "群青"}}),
    "nowplaying end": now_playing({"event": "end", "attributes": {"id": "S1"}}),
}
