"""The strings, devices and messages of the tests."""

import json
import re

from stage import ROOT

# Characters that programs like to write otherwise: quotes, backslashes, line breaks, `<`, `&`, and
# such as JSON need not escape.
STRINGS = {
    "en.lproj/Localizable.strings":
        '"TITLE" = "Fish & Chips <now>";\n"READY" = "%@, your \\"usual\\" is ready: C:\\\\%@ 🍟";\n',
    "fr.lproj/Localizable.strings":
        '"TITLE" = "C’est prêt";\n"READY" = "%@, votre commande est prête :\\n%@";\n',
    "ar.lproj/Localizable.strings":
        '"TITLE" = "طلبك جاهز";\n"READY" = "%@، طلبك جاهز: %@";\n',
    "ja.lproj/Localizable.strings":
        '"TITLE" = "ご注文";\n"READY" = "%@さん、\u2028ご用意できました\t(%@)";\n',
}

# What was ordered, with its number.
ORDER = {
    "message": {
        "alert": {
            "title": {"key": "TITLE"}, "body": {"key": "READY", "args": ["name", "order"]},
        },
        "parameters": {"name": {"type": "string"}, "order": {"type": "string"}},
        "sound": "default", "badge": 3, "collapse_id": "order-{order}", "ttl": 3600,
        "category": "ORDER", "thread_id": "orders", "interruption_level": "time-sensitive",
        "data": {"order": "{order}", "price": 12.50, "0": "first", "path": "a/b?c=1&d=2"},
    },
    "arguments": {"name": "Zoé \\ \"Z\"", "order": "A17"},
}

# It shows nothing: the app loads what is new.
SILENT = {"message": {"content_available": True, "data": {"since": 1700000000123}}}

# Only for PushKit.
CALL = {
    "message": {
        "push_type": "voip", "call": {"id": "call-7"}, "alert": {"body": {"key": "TITLE"}},
    },
    "credential": "voip",
}

# The longest that APNs takes: the body is cut to the last byte that fits.
LONG = {
    "message": {
        "alert": {"body": {"text": "{name}"}}, "parameters": {"name": {"type": "string"}},
    },
    "arguments": {"name": "x" * 4000 + "é" * 40},
}

# Words that a sender must carry through untouched, wherever a message has them.
HOSTILE = {
    "message": {
        "alert": {
            "title": {"text": "{words}"}, "body": {"key": "READY", "args": ["words", "words"]},
        },
        "parameters": {"words": {"type": "string"}},
        "sound": "{words}", "category": "{words}", "thread_id": "{words}",
        "collapse_id": "{words}", "message_type": "{words}", "ttl": 2592000,
        "data": {"words": "{words}", "list": ["{words}", None, {"in {{": "{words}"}]},
    },
}
HOSTILE_WORDS = [
    # Header fields take none of these as they are: other alphabets, spaces at the ends, controls,
    # the field that an attacker would add, and what is too long.
    "chat-日本語", "é" * 40, "x" * 65, " at both ends ", "one two",
    "a\r\napns-topic: com.example.evil", "\t\x01\x1f\x7f", "\u2028\u2029\u0085\ufeff",
    "👩‍🚀 \u0301 שלום \ue000\ue001",
    # They take these. What reads JSON, a shell, the options of curl or a format must not.
    "!#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\"", "x" * 64, "@/etc/passwd", "$(id)`id`${HOME}%s%n%@",
    "\\u0000\\n\\\"", "next", "#", "-K-", "null", "../../3/device/00", "name:value;",
]

# The calls of the Live Activity in docs/sending.md: its start, an update, its end.
ACTIVITY = {}
for text in re.findall(r"^```json\n(.*?)^```$", (ROOT / "docs/sending.md").read_text(), re.M | re.S):
    call = json.loads(text)
    if push := call["message"].get("live_activity"):
        ACTIVITY[push["event"]] = {
            name: call[name] for name in ("message", "arguments") if name in call}

# Devices by name.
DEVICES = {
    "quebec": {"languages": ["fr-CA", "en-CA"], "locale": "fr_CA", "capabilities": ["loc-key"]},
    "cairo": {"languages": ["ar-EG"], "locale": "ar_EG"},
    "tokyo": {"languages": ["ja-JP"], "locale": "ja_JP", "kinds": ["apns", "voip"]},
    "london": {"languages": ["en-GB"], "locale": "en_GB", "platform": "ipados"},
    "simulator": {"languages": ["en-US"], "environment": "sandbox"},
    "desk": {"languages": ["fr-FR"], "environment": "sandbox"},
}


def populate(app):
    """Gives an app its strings and its devices."""
    app.upload("412", STRINGS)
    for name, fields in DEVICES.items():
        app.register(name, **fields)
