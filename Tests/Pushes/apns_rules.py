"""What Apple's pages ask of a request to APNs, kind by kind, as a function of the request.

It was written from the pages of Apple alone that are listed below, and it reads nothing of the
service. Where the pages are silent, the stricter reading counts: a member that no page names for
a kind is refused. It knows all push types but `mdm`, which no app has.

- usernotifications: sending-notification-requests-to-apns, generating-a-remote-notification
- activitykit: starting-and-updating-live-activities-with-activitykit-push-notifications
- widgetkit: updating-widgets-with-widgetkit-push-notifications,
  updating-controls-locally-and-remotely
- nowplaying: publishing-remote-media-sessions
- corelocation: creating-a-location-push-service-extension
- pushtotalk: creating-a-push-to-talk-app

`test_rules.py` shows what each rule refuses.
"""

import base64
import binascii
import dataclasses
import json
import re
import typing
import uuid

# Every reason of a refusal, and what Apple says.
REASONS = {
    "wrong_path": "The path is /3/device/ and the token in lower-case hex.",
    "wrong_token": "The path has the token of the request.",
    "unknown_environment": "There are two environments: production and sandbox.",
    "unknown_header": "It is no header field of a request to a device.",
    "missing_header": "The push type and the topic must be there.",
    "unknown_push_type": "It is no push type of an app.",
    "wrong_topic": "The topic is the bundle id and the suffix of the push type.",
    "wrong_priority": "The push type does not take this priority.",
    "expiration_too_late": "APNs keeps nothing for longer than 30 days.",
    "expiration_not_zero": "A push of Push to Talk is tried once.",
    "wrong_form": "The header field has not the form that it must have.",
    "payload_empty": "There is a payload.",
    "payload_not_json": "The payload is JSON, and no object has two members of one name.",
    "payload_too_large": "The payload has at most 4096 bytes, of a call 5120.",
    "payload_miscounted": "The request says how many bytes the payload has.",
    "missing_member": "The kind, with this event, needs the member.",
    "unknown_member": "Apple names no such member for the kind.",
    "wrong_event": "The member goes with another event.",
    "unknown_event": "The event is start, update or end.",
    "wrong_type": "The member has a value of another type.",
    "wrong_value": "The member has a value that it cannot have.",
    "not_now": "The timestamp is the time of sending, in Unix seconds.",
    "not_unix_seconds": "A date is Unix seconds: neither milliseconds, nor seconds since 2001.",
    "dismissal_too_late": "An ended activity goes within four hours.",
    "shows_nothing": "An alert has a text, and a notification an alert, a sound or a badge.",
    "shows_something": "Only a notification has an alert, a sound or a badge.",
    "agreement_markup": "Notifications are plain texts: the markup for agreement would be shown.",
}

# Bytes of a payload.
LARGEST, LARGEST_CALL = 4096, 5120
# Seconds. Clocks may differ a little, and a request is not sent at once.
LONGEST_EXPIRATION, LONGEST_DISMISSAL, CLOCK_DIFFERENCE = 30 * 86_400, 4 * 3600, 300
# Seconds. A date farther from now than a year is a mistake of the unit.
YEAR = 366 * 86_400

# The header fields of a request to a device. Those of a broadcast have others.
HEADERS = {
    "authorization", "apns-push-type", "apns-id", "apns-expiration", "apns-priority", "apns-topic",
    "apns-collapse-id",
}
AGREEMENT_MARKUP = re.compile(r"\^\[[^]]*]\([^)]*\)")


class Refused(Exception):
    """A reason, and the place: a header field, or a JSON pointer into the payload."""

    def __init__(self, reason, place):
        super().__init__(f"{reason} {place}")
        self.reason, self.place = reason, place


def refusal(request, bundle_id, now):
    """Reason and place of the first fault of a request, or `None`.

    `bundle_id` is that of the target whose token it is, `now` the time in Unix seconds. The payload
    is a text: the very bytes that are sent.
    """
    try:
        _check_address(request)
        kind = _check_headers(request["headers"], bundle_id, now)
        _check_payload(kind, _read(request, kind), now)
    except Refused as refused:
        return refused.reason, refused.place
    return None


# MARK: Path and header fields


def _check_address(request):
    token = request["path"].removeprefix("/3/device/")
    if token == request["path"] or not re.fullmatch("([0-9a-f]{2})+", token):
        raise Refused("wrong_path", "path")
    if token != request["token"]:
        raise Refused("wrong_token", "path")
    if request["environment"] not in ("production", "sandbox"):
        raise Refused("unknown_environment", "environment")


def _check_headers(headers, bundle_id, now):
    """Gives the kind that the header fields name."""
    for name, value in headers.items():
        if name not in HEADERS:
            raise Refused("unknown_header", name)
        if not isinstance(value, str):
            raise Refused("wrong_form", name)
    for name in ("apns-push-type", "apns-topic"):
        if name not in headers:
            raise Refused("missing_header", name)
    kind = KINDS.get(headers["apns-push-type"])
    if kind is None:
        raise Refused("unknown_push_type", "apns-push-type")
    if headers["apns-topic"] != bundle_id + kind.suffix:
        raise Refused("wrong_topic", "apns-topic")
    # Without a priority it is 10.
    if headers.get("apns-priority", "10") not in kind.priorities:
        raise Refused("wrong_priority", "apns-priority")
    _check_expiration(headers.get("apns-expiration"), kind, now)
    if not _is_uuid(headers.get("apns-id", str(uuid.UUID(int=0)))):
        raise Refused("wrong_form", "apns-id")
    if not 1 <= len(headers.get("apns-collapse-id", "-").encode()) <= 64:
        raise Refused("wrong_form", "apns-collapse-id")
    return kind


def _check_expiration(expiration, kind, now):
    if expiration is not None and not re.fullmatch("[0-9]+", expiration):
        raise Refused("wrong_form", "apns-expiration")
    if kind.is_tried_once and expiration != "0":
        raise Refused("expiration_not_zero", "apns-expiration")
    if int(expiration or 0) > now + LONGEST_EXPIRATION:
        raise Refused("expiration_too_late", "apns-expiration")


def _is_uuid(text):
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False


# MARK: Payload


def _read(request, kind):
    """The payload as JSON."""
    text = request["payload"]
    if not text:
        raise Refused("payload_empty", "payload")
    try:
        data = text.encode()
        payload = json.loads(text, object_pairs_hook=_members, parse_constant=_no_number)
    except ValueError as error:
        raise Refused("payload_not_json", "payload") from error
    if request["payload_bytes"] != len(data):
        raise Refused("payload_miscounted", "payload_bytes")
    if len(data) > kind.bytes:
        raise Refused("payload_too_large", "payload")
    return payload


def _members(pairs):
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("two members of one name")
    return dict(pairs)


def _no_number(name):
    raise ValueError(f"{name} is no number of JSON")


def _check_payload(kind, payload, now):
    _object(payload, "", now)
    for name, form in kind.beside.items():
        if form.is_needed and name not in payload:
            raise Refused("missing_member", f"/{name}")
    for name, value in payload.items():
        if name == "aps":
            continue
        if name in kind.beside:
            kind.beside[name].check(value, f"/{name}", now)
        elif not kind.is_free:
            raise Refused("unknown_member", f"/{name}")
    if "aps" not in payload:
        if kind.needs_aps:
            raise Refused("missing_member", "/aps")
        return
    _object(payload["aps"], "/aps", now)
    _check_aps(kind, payload["aps"], now)


def _check_aps(kind, aps, now):
    members = kind.members
    if kind.events:
        if "event" not in aps:
            raise Refused("missing_member", "/aps/event")
        _text(aps["event"], "/aps/event", now)
        if aps["event"] not in kind.events:
            raise Refused("unknown_event", "/aps/event")
        members = members | kind.events[aps["event"]]
    for name, form in members.items():
        if form.is_needed and name not in aps:
            raise Refused("missing_member", f"/aps/{name}")
    for name, value in aps.items():
        if name not in members:
            raise Refused(kind.reason_against(name), f"/aps/{name}")
        members[name].check(value, f"/aps/{name}", now)
    if kind.whole:
        kind.whole(aps)


# MARK: Forms of members. Each takes value, place and time


def _object(value, place, now):
    if not isinstance(value, dict):
        raise Refused("wrong_type", place)


def _text(value, place, now):
    if not isinstance(value, str):
        raise Refused("wrong_type", place)


def _name(value, place, now):
    _text(value, place, now)
    if not value:
        raise Refused("wrong_value", place)


def _texts(value, place, now):
    if not isinstance(value, list):
        raise Refused("wrong_type", place)
    for index, text in enumerate(value):
        _text(text, f"{place}/{index}", now)


def _number(value, place, now):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Refused("wrong_type", place)


def _whole(value, place, now):
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refused("wrong_type", place)


def _count(value, place, now):
    _whole(value, place, now)
    if value < 0:
        raise Refused("wrong_value", place)


def _share(value, place, now):
    _number(value, place, now)
    if not 0 <= value <= 1:
        raise Refused("wrong_value", place)


def _one(value, place, now):
    _whole(value, place, now)
    if value != 1:
        raise Refused("wrong_value", place)


def _true(value, place, now):
    if not isinstance(value, bool):
        raise Refused("wrong_type", place)
    if not value:
        raise Refused("wrong_value", place)


def _moment_of_sending(value, place, now):
    _whole(value, place, now)
    if abs(value - now) > CLOCK_DIFFERENCE:
        raise Refused("not_now", place)


def _date(value, place, now):
    _whole(value, place, now)
    if abs(value - now) > YEAR:
        raise Refused("not_unix_seconds", place)


def _dismissal(value, place, now):
    """One that is over means at once; it is still of this year."""
    _date(value, place, now)
    if value > now + LONGEST_DISMISSAL + CLOCK_DIFFERENCE:
        raise Refused("dismissal_too_late", place)


def _channel(value, place, now):
    _name(value, place, now)
    try:
        base64.b64decode(value, validate=True)
    except binascii.Error as error:
        raise Refused("wrong_value", place) from error


def _shown(value, place, now):
    """A text that a person reads."""
    _text(value, place, now)
    if AGREEMENT_MARKUP.search(value):
        raise Refused("agreement_markup", place)


def _record(**members):
    """An object with these members and no others; `-` in a name is written `_`."""
    forms = {name.replace("_", "-"): form for name, form in members.items()}

    def check(value, place, now):
        _object(value, place, now)
        for name, form in forms.items():
            if form.is_needed and name not in value:
                raise Refused("missing_member", f"{place}/{name}")
        for name, member in value.items():
            if name not in forms:
                raise Refused("unknown_member", f"{place}/{name}")
            forms[name].check(member, f"{place}/{name}", now)
    return check


@dataclasses.dataclass(frozen=True)
class Member:
    """What a member must be."""

    check: typing.Callable
    is_needed: bool


def must(check):
    """A member that must be there."""
    return Member(check, True)


def may(check):
    """A member that may be left out."""
    return Member(check, False)


# MARK: Alerts

_critical_sound = _record(critical=must(_one), name=may(_name), volume=may(_share))
_keyed_text = _record(loc_key=must(_name), loc_args=may(_texts))
_texts_of_alert = ["title", "subtitle", "body"]
_keys_of_alert = {"title": "title-loc-", "subtitle": "subtitle-loc-", "body": "loc-"}
_alert_members = _record(
    title=may(_shown), subtitle=may(_shown), body=may(_shown), launch_image=may(_text),
    title_loc_key=may(_name), title_loc_args=may(_texts), subtitle_loc_key=may(_name),
    subtitle_loc_args=may(_texts), loc_key=may(_name), loc_args=may(_texts),
    action_loc_key=may(_text), summary_arg=may(_text), summary_arg_count=may(_count))


def _sound(value, place, now):
    (_critical_sound if isinstance(value, dict) else _text)(value, place, now)


def _alert(value, place, now):
    """The alert of a notification: a text, or an object."""
    if isinstance(value, str):
        _shown(value, place, now)
        return
    _alert_members(value, place, now)
    keys = _keys_of_alert.values()
    for key in keys:
        if f"{key}args" in value and f"{key}key" not in value:
            raise Refused("missing_member", f"{place}/{key}key")
    if not any(name in value for name in [*_texts_of_alert, *(f"{key}key" for key in keys)]):
        raise Refused("shows_nothing", place)


def _text_of_activity(value, place, now):
    (_keyed_text if isinstance(value, dict) else _shown)(value, place, now)


_activity_alert_members = _record(
    title=may(_text_of_activity), body=may(_text_of_activity), sound=may(_text))


def _activity_alert(value, place, now):
    """The alert of a Live Activity: its keys stand inside `title` and `body`."""
    _activity_alert_members(value, place, now)
    if not {"title", "body"} & value.keys():
        raise Refused("shows_nothing", place)


def _level(value, place, now):
    _text(value, place, now)
    if value not in ("passive", "active", "time-sensitive", "critical"):
        raise Refused("wrong_value", place)


def _session(value, place, now):
    """The attributes of a session of now playing; the rest of them is the app's own."""
    _object(value, place, now)
    if "id" not in value:
        raise Refused("missing_member", f"{place}/id")
    _name(value["id"], f"{place}/id", now)


# MARK: Kinds

PERCEIVED = ("alert", "badge", "sound")
ANY = frozenset({"10", "5", "1"})

NOTIFICATION = {
    "alert": may(_alert), "badge": may(_count), "sound": may(_sound), "thread-id": may(_text),
    "category": may(_text), "content-available": may(_one), "mutable-content": may(_one),
    "target-content-id": may(_text), "interruption-level": may(_level),
    "relevance-score": may(_share), "filter-criteria": may(_text),
}


def _is_perceived(aps):
    if not any(name in aps for name in PERCEIVED):
        raise Refused("shows_nothing", "/aps")
    if "mutable-content" in aps and "alert" not in aps:
        raise Refused("missing_member", "/aps/alert")


# Event → members. What an event lacks and another has is of that other.
ACTIVITY = {
    "start": {
        "content-state": must(_object), "attributes-type": must(_name),
        "attributes": must(_object), "alert": must(_activity_alert),
        "input-push-token": may(_one), "input-push-channel": may(_channel),
    },
    "update": {"content-state": must(_object), "alert": may(_activity_alert)},
    "end": {
        "content-state": may(_object), "alert": may(_activity_alert),
        "dismissal-date": may(_dismissal),
    },
}
SESSION = {event: {"attributes": must(_session)} for event in ("start", "update", "end")}


@dataclasses.dataclass(frozen=True)
class Kind:
    """What a push type asks for."""

    # What the topic has after the bundle id.
    suffix: str
    priorities: frozenset = ANY
    bytes: int = LARGEST
    # Whether its expiration must be 0.
    is_tried_once: bool = False
    needs_aps: bool = False
    # Members of `aps`; with events also those of each event.
    members: dict = dataclasses.field(default_factory=dict)
    events: dict = dataclasses.field(default_factory=dict)
    # Members beside `aps`, and whether the app may have its own there. Of Live Activities, widgets,
    # controls and now playing the pages show nothing beside `aps`: no app would get it.
    beside: dict = dataclasses.field(default_factory=dict)
    is_free: bool = False
    # What holds for `aps` as a whole.
    whole: typing.Callable | None = None

    def reason_against(self, name):
        """Why `aps` has no member of a name."""
        if any(name in members for members in self.events.values()):
            return "wrong_event"
        return "shows_something" if name in PERCEIVED else "unknown_member"


_RELOAD = {"content-changed": must(_true)}

KINDS = {
    "alert": Kind("", needs_aps=True, members=NOTIFICATION, is_free=True, whole=_is_perceived),
    "background": Kind("", frozenset({"5"}), needs_aps=True, is_free=True,
                       members={"content-available": must(_one)}),
    "voip": Kind(".voip", bytes=LARGEST_CALL, members=NOTIFICATION, is_free=True),
    "complication": Kind(".complication", is_free=True),
    "fileprovider": Kind(".pushkit.fileprovider", is_free=True, beside={
        "container-identifier": must(_name), "domain": may(_name)}),
    # 10 for an answer at once, else 5.
    "location": Kind(".location-query", frozenset({"10", "5"}), is_free=True),
    "pushtotalk": Kind(".voip-ptt", frozenset({"10"}), is_tried_once=True, is_free=True),
    "liveactivity": Kind(
        ".push-type.liveactivity", frozenset({"10", "5"}), needs_aps=True, events=ACTIVITY,
        members={
            "event": must(_text), "timestamp": must(_moment_of_sending), "stale-date": may(_date),
            "relevance-score": may(_number)}),
    "controls": Kind(".push-type.controls", needs_aps=True, members=_RELOAD),
    "widgets": Kind(".push-type.widgets", needs_aps=True, members=_RELOAD),
    "nowplaying": Kind(
        ".push-type.nowplaying", needs_aps=True, events=SESSION,
        members={"event": must(_text), "timestamp": must(_moment_of_sending)}),
}
