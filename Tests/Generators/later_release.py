"""A service of a later release: in its answers each listed word is one that nobody knows yet.

It stands before a real service, and hands on what that answers.
"""

import http.client
import http.server
import json
import threading

import clients

NEW_WORD = "of_a_later_release"


class LaterRelease:
    """Listens on a port of its own, until it is closed."""

    def __init__(self, port):
        contract = clients.contract()

        class Handler(http.server.BaseHTTPRequestHandler):
            """Asks the service, and changes its answer."""

            protocol_version = "HTTP/1.1"

            def hand_on(self):
                """Answers a request of any method."""
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                service = http.client.HTTPConnection("127.0.0.1", port)
                service.request(self.command, self.path, body, dict(self.headers))
                answer = service.getresponse()
                text = answer.read()
                if answer.getheader("Content-Type", "").startswith("application/json"):
                    schema = answer_schema(contract, self.command, self.path, answer.status)
                    value = json.loads(text)
                    text = json.dumps(with_new_words(contract, value, schema)).encode()
                self.send_response(answer.status)
                for name, field in answer.getheaders():
                    if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                        self.send_header(name, field)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = hand_on

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        """Ends it."""
        self.server.shutdown()
        self.server.server_close()


def resolved(contract, value):
    """The target of a reference, or the value itself."""
    while "$ref" in value:
        target = contract
        for name in value["$ref"].split("/")[1:]:
            target = target[name]
        value = target
    return value


def answer_schema(contract, method, path, status):
    """The schema of an answer in JSON."""
    parts = path.partition("?")[0].split("/")
    for pattern, operations in contract["paths"].items():
        known = pattern.split("/")
        if len(known) == len(parts) and method.lower() in operations and all(
                name.startswith("{") or name == part for name, part in zip(known, parts)):
            answer = resolved(contract, operations[method.lower()]["responses"][str(status)])
            return answer["content"]["application/json"]["schema"]
    raise AssertionError(f"{method} {path} is in no contract")


def with_new_words(contract, value, schema):
    """The value with another word wherever the schema lists words."""
    schema = resolved(contract, schema)
    if isinstance(value, str) and "x-extensible-enum" in schema:
        return NEW_WORD
    for part in [part for name in ("allOf", "anyOf", "oneOf") for part in schema.get(name, [])]:
        value = with_new_words(contract, value, part)
    if isinstance(value, list):
        return [with_new_words(contract, one, schema.get("items", {})) for one in value]
    if isinstance(value, dict):
        members, others = schema.get("properties", {}), schema.get("additionalProperties", {})
        others = others if isinstance(others, dict) else {}
        return {name: with_new_words(contract, member, members.get(name, others))
                for name, member in value.items()}
    return value
