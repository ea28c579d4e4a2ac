"""The messages of the tests: one at least of each kind and event, and what becomes of them."""

import dataclasses

# Words that a sender may be given, and that a writer of JSON could spoil.
WHO = "健 \"Ken\" {x} C:\\ \u2028👩‍🚀"
ETA, PLACED = "2026-11-27T12:30:00Z", "2026-01-02T03:04:05Z"

ARGUMENTS = {
    "who": WHO, "order": "A17", "word": "st", "count": 3, "minutes": 7, "ratio": 0.1, "eta": ETA,
    # The same moment as PLACED, in Unix seconds.
    "placed": 1_767_323_045,
}
TYPES = {
    "who": "string", "order": "string", "word": "string", "count": "integer", "minutes": "integer",
    "ratio": "decimal", "eta": "date", "placed": "date",
}

# The texts of the catalog in scene.py with these arguments, by language.
RIDER = {"en": f"{WHO} is on the way", "ja": f"{WHO}が配達中", "ar": f"{WHO} في الطريق"}
ORDER = {"en": "Your order", "ja": "ご注文", "ar": "طلبك"}
TRACK = {"en": f"Song by {WHO}", "ja": f"{WHO}の曲", "ar": f"أغنية {WHO}"}
DISHES = {"en": "3 dishes", "ja": "3品", "ar": "٣ أطباق"}
NOTE = {"en": "Soon", "ja": "まもなく", "ar": "قريبًا"}

RIDER_TEXT = {"key": "RIDER", "args": ["who"]}

ATTRIBUTES = {
    "order": "{order}", "placed": "{placed}", "tags": ["{order}", "new"],
    "restaurant": {"name": {"key": "ORDER"}, "page": "https://example.com/a?b=c&d=/e"},
}


def expected_attributes(language):
    """What Swift decodes from ATTRIBUTES."""
    return {
        "order": "A17", "placed": PLACED, "tags": ["A17", "new"],
        "restaurant": {"name": ORDER[language], "page": "https://example.com/a?b=c&d=/e"}}


# One state for each case of `Progress`; the later ones leave out what they may.
STATE = {
    "step": RIDER_TEXT, "note": {"text": NOTE}, "summary": {"key": "DISHES", "args": ["count"]},
    "eta": "{eta}", "guesses": ["{placed}", "{eta}"], "phase": "riding",
    "progress": {"riding": {"rider": "{who}", "minutes": "{minutes}"}},
    "courier": {"name": "{who}", "vehicle": {"wheels": 2, "plate": None, "since": "{placed}"}},
    "ratio": "{ratio}", "isLate": False,
    "stops": [{"name": {"key": "ORDER"}, "at": "{eta}"}, {"name": "at {order}", "at": None}],
    "dishes": {"ramen {x}": "{count}"}, "serial": 9_007_199_254_740_993, "picture": "aGk=",
}
ARRIVED_STATE = {
    "step": "{who}", "phase": "handed over", "progress": {"arrived": {"_0": "{eta}"}},
    "isLate": True, "guesses": [], "courier": {"name": "", "vehicle": None}, "ratio": 1,
}
WAITING_STATE = {
    "step": {"key": "ORDER"}, "phase": "cooking", "progress": {"waiting": {}}, "isLate": True,
    "courier": None,
}


def expected_state(language):
    """What Swift decodes from STATE."""
    return {
        "step": RIDER[language], "note": NOTE[language], "summary": DISHES[language],
        "eta": ETA, "guesses": [PLACED, ETA], "phase": "riding",
        "progress": {"riding": {"rider": WHO, "minutes": 7}},
        "courier": {"name": WHO, "vehicle": {"wheels": 2, "since": PLACED}},
        "ratio": 0.1, "isLate": False,
        "stops": [{"name": ORDER[language], "at": ETA}, {"name": "at A17"}],
        "dishes": {"ramen {x}": 3}, "serial": 9_007_199_254_740_993, "picture": "aGk="}


def expected_arrived_state(language):
    """What Swift decodes from ARRIVED_STATE."""
    return {"step": WHO, "phase": "handed over", "progress": {"arrived": {"_0": ETA}},
            "isLate": True, "guesses": [], "courier": {"name": ""}, "ratio": 1}


def expected_waiting_state(language):
    """What Swift decodes from WAITING_STATE."""
    return {"step": ORDER[language], "phase": "cooking", "progress": {"waiting": {}},
            "isLate": True}


@dataclasses.dataclass(frozen=True)
class Case:
    """A message, and the requests that it makes."""

    message: dict
    push_type: str
    event: str | None
    # The devices that get it, and the places of their tokens.
    devices: tuple
    places: tuple
    priority: str
    # The Swift type of a member of `aps`, and what is decoded from it, by language.
    decoded: dict = dataclasses.field(default_factory=dict)
    # The members beside `aps`.
    beside: dict = dataclasses.field(default_factory=dict)
    # Why other devices get nothing.
    skipped: dict = dataclasses.field(default_factory=dict)

    @property
    def call(self):
        """Message and arguments of a rendering."""
        parameters = {name: {"type": word} for name, word in TYPES.items()}
        call = {"message": {**self.message, "parameters": parameters}, "arguments": ARGUMENTS}
        if self.push_type == "voip":
            call["credential"] = "voip"
        return call


PHONES = ("london", "tokyo", "cairo", "lab")
PHONES_AND_OLD = (*PHONES, "old")
ACTIVITIES = ("live_activities/first", "live_activities/second")


def activity(event, more, places=ACTIVITIES, devices=PHONES_AND_OLD, **fields):
    """A message of a Live Activity."""
    fields = {"priority": "5", **fields}
    return Case({"live_activity": {"event": event, **more}}, "liveactivity", event, devices,
                places, **fields)


def now_playing(event, more, place, expected):
    """A message of a session of now playing."""
    return Case({"nowplaying": {"event": event, **more}}, "nowplaying", event, PHONES, (place,),
                "10", decoded={"attributes": ("Track", expected)},
                skipped={"old": "system_too_old"})


CASES = {
    "alert": Case(
        {
            "alert": {"title": {"key": "ORDER"}, "body": RIDER_TEXT}, "badge": 3,
            "sound": "default", "message_type": "rider", "ttl": 3600, "data": {"at": "{eta}"}},
        "alert", None, (*PHONES_AND_OLD, "wrist", "desk"), ("apns",), "10",
        beside={"at": ETA, "messageType": "rider"}),
    "background": Case(
        {"content_available": True, "message_type": "rider", "data": {"order": "{order}"}},
        "background", None, (*PHONES_AND_OLD, "wrist", "desk"), ("apns",), "5",
        beside={"order": "A17", "messageType": "rider"}),
    "voip": Case(
        {"push_type": "voip", "alert": {"body": {"key": "ORDER"}}, "message_type": "rider"},
        "voip", None, PHONES_AND_OLD, ("voip",), "10", beside={"messageType": "rider"}),
    "start": activity(
        "start", {
            "type": "Delivery", "attributes": ATTRIBUTES, "content_state": STATE,
            "alert": {"title": {"key": "ORDER"}, "body": RIDER_TEXT, "sound": "bell.caf"},
            "stale_after_s": 900, "relevance_score": 75, "input_push_token": True},
        places=("live_activity_start/Delivery",), devices=PHONES, priority="10",
        decoded={"attributes": ("Delivery", expected_attributes),
                 "content-state": ("Delivery.ContentState", expected_state)},
        skipped={"old": "system_too_old", "calm": "activities_not_allowed",
                 "desk": "system_without_kind"}),
    "update": activity(
        "update", {"type": "Delivery", "content_state": STATE, "stale_after_s": 60},
        decoded={"content-state": ("Delivery.ContentState", expected_state)}),
    "update_of_one": activity(
        "update", {"activity": "fir{word}", "content_state": ARRIVED_STATE,
                   "relevance_score": -0.5},
        places=("live_activities/first",),
        decoded={"content-state": ("Delivery.ContentState", expected_arrived_state)}),
    "update_with_alert": activity(
        "update", {
            "activity": "second", "content_state": WAITING_STATE,
            "alert": {"title": "Now", "body": {"text": NOTE}}},
        places=("live_activities/second",), priority="10",
        decoded={"content-state": ("Delivery.ContentState", expected_waiting_state)}),
    "end": activity(
        "end", {"type": "Delivery", "content_state": ARRIVED_STATE, "dismiss_after_s": 14_400},
        decoded={"content-state": ("Delivery.ContentState", expected_arrived_state)}),
    "end_at_once": activity(
        "end", {"activity": "ride", "dismiss_after_s": 0, "alert": "Bye, {who}"},
        places=("live_activities/ride",), priority="10"),
    "end_of_all": activity("end", {"type": "Ride"}, places=("live_activities/ride",)),
    "widgets": Case(
        {"widgets": {}}, "widgets", None, (*PHONES, "wrist", "desk"), ("widgets",), "10",
        skipped={"old": "system_too_old"}),
    "controls": Case(
        {"control": {"handler": "Lights"}}, "controls", None, PHONES,
        ("controls/Lights/porch", "controls/Lights/hall"), "10",
        skipped={"old": "system_too_old"}),
    "control": Case(
        {"control": {"handler": "Doors", "control": "front"}}, "controls", None, PHONES,
        ("controls/Doors/front",), "10"),
    "nowplaying_start": now_playing(
        "start", {"attributes": {
            "id": "S9", "title": {"key": "TRACK", "args": ["who"]}, "since": "{eta}",
            "duration": 214.5}},
        "nowplaying_start", lambda language: {
            "id": "S9", "title": TRACK[language], "since": ETA, "duration": 214.5}),
    "nowplaying_update": now_playing(
        "update", {"session": "S1", "attributes": {"title": {"key": "ORDER"}, "id": "S1"}},
        "nowplaying/S1", lambda language: {"id": "S1", "title": ORDER[language]}),
    "nowplaying_end": now_playing(
        "end", {"session": "S2"}, "nowplaying/S2", lambda language: {"id": "S2"}),
    "location": Case({"location": {}}, "location", None, PHONES_AND_OLD, ("location",), "5"),
    "location_at_once": Case(
        {"location": {"why": "{order}"}, "priority": 10}, "location", None, PHONES_AND_OLD,
        ("location",), "10", beside={"why": "A17"}),
    "push_to_talk": Case(
        {"push_to_talk": {"speaker": "{who}"}}, "pushtotalk", None, PHONES_AND_OLD,
        ("push_to_talk",), "10", beside={"speaker": WHO}, skipped={"calm": "not_joined"}),
    "file_provider": Case(
        {"file_provider": {"container-identifier": "{order}", "domain": "work"}},
        "fileprovider", None, PHONES_AND_OLD, ("file_provider",), "10",
        beside={"container-identifier": "A17", "domain": "work"}),
    "complication": Case(
        {"complication": {"dishes": "{count}"}}, "complication", None,
        ("london", "tokyo", "cairo", "old", "wrist"), ("complication",), "10",
        beside={"dishes": 3}),
}
