"""The app that the calls are about: it has what the examples of openapi.yaml name."""

import json
import os
import threading
import urllib.error
import urllib.request

APP = "food"
INSTALLATION = "5f0c8e6a-2b9d-4c1e-8a37-d14f6b20c9ee"
TOKEN = "740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad"

# Values of parameters in paths that there is something behind.
NAMES = {"app": APP, "installation_id": INSTALLATION, "token": TOKEN, "user": "u42",
         "version": "412", "name": "food_ready", "kind": "apns", "environment": "production"}

MESSAGE = {
    "alert": {"title": {"key": "FOOD_ORDERED"},
              "body": {"key": "FOOD_READY", "args": ["name", "time"]}},
    "parameters": {name: {"type": "string"} for name in ("name", "time", "order")},
    "sound": "default", "collapse_id": "order-{order}", "data": {"order": "{order}"},
}

STRINGS = {
    "en": '"FOOD_ORDERED" = "Your order is in";\n"FOOD_READY" = "%@, it is ready at %@.";\n',
    "fr": '"FOOD_ORDERED" = "Votre commande";\n"FOOD_READY" = "%@, elle est prête : %@.";\n',
}

# One at a time: a call that deletes something is followed by a call of `restore`.
LOCK = threading.Lock()


def send(method, path, body=None, *, kind="application/json"):
    """Sends a request with the root key; gives status and body."""
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    request = urllib.request.Request(
        os.environ["API_FUZZ_URL"] + path, body, method=method, headers={
            "Authorization": f"Bearer {os.environ['API_FUZZ_KEY']}",
            **({"Content-Type": kind} if body is not None else {})})
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def need(method, path, body=None, *, kind="application/json"):
    """Sends a request that has to succeed."""
    status, answer = send(method, path, body, kind=kind)
    if status >= 300:
        raise RuntimeError(f"{method} {path}: {status} {answer[:500]!r}")
    return json.loads(answer) if answer else None


def catalog():
    """The body of an upload, and its media type."""
    parts = "".join(
        "--line\r\nContent-Disposition: form-data; name=\"file\"; "
        f"filename=\"{language}.lproj/Localizable.strings\"\r\n\r\n{text}\r\n"
        for language, text in STRINGS.items())
    return f"{parts}--line--\r\n".encode(), "multipart/form-data; boundary=line"


def device(number):
    """A record of an import."""
    return {"installation_id": f"00000000-0000-4000-8000-{number:012x}", "platform": "ios",
            "environment": "production", "languages": ["fr-CA", "en"], "app_build": "412",
            "credentials": {"apns": {"token": f"{number + 1:064x}"}}, "tags": ["beta"],
            "user": {"id": f"u{number}"}, "attributes": {"plan": "pro"}}


def restore():
    """Makes what the names lead to, where it is not there."""
    with LOCK:
        need("PUT", f"/v1/apps/{APP}", {
            "bundle_id": "com.example.food", "name": "Food to go", "identity_secrets": [],
            "identity_keys": [], "identity_verification": "off", "development_language": "en"})
        need("PUT", f"/v1/apps/{APP}/installations/{INSTALLATION}", {
            "platform": "ios", "environment": "production", "languages": ["fr-CA", "en-CA"],
            "credentials": {"apns": {"token": TOKEN}}, "app_build": "412",
            "capabilities": ["loc-key"], "user": {"id": "u42"}, "tags": ["beta"]})
        lines = "\n".join(json.dumps(device(number)) for number in range(5))
        need("POST", f"/v1/apps/{APP}/installations/import", lines.encode(),
             kind="application/x-ndjson")
        body, kind = catalog()
        need("PUT", f"/v1/apps/{APP}/catalogs/412", body, kind=kind)
        need("PUT", f"/v1/apps/{APP}/messages/food_ready", MESSAGE)
        need("POST", f"/v1/apps/{APP}/failures", {
            "kind": "apns", "error": {"domain": "NSCocoaErrorDomain", "code": 3000}})
        need("PUT", f"/v1/apps/{APP}/users/u42/language", {"language": "fr"})
