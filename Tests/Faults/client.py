"""A small HTTP client that hides nothing: it neither repeats a request nor opens anew by itself."""

import dataclasses
import json
import socket
import struct


class Broken(Exception):
    """The connection ended before the answer did."""


@dataclasses.dataclass
class Answer:
    """An answer, read to its end."""

    status: int
    headers: dict
    body: bytes

    def json(self):
        """The body, read as JSON."""
        return json.loads(self.body)


def head(method, path, *, key=None, headers=None):
    """The bytes of a request's head."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1"]
    if key:
        lines.append(f"Authorization: Bearer {key}")
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join([*lines, "", ""]).encode()


class Connection:
    """A connection; it is opened by the first request, and closed by an error."""

    def __init__(self, port, timeout=60):
        self.port, self.timeout = port, timeout
        self.socket = None
        self.input = None

    def open(self):
        """Opens it, unless it is."""
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port), self.timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.input = self.socket.makefile("rb")
        return self

    def close(self):
        """Closes it."""
        if self.socket is not None:
            self.input.close()
            self.socket.close()
            self.socket = None

    def reset(self):
        """Breaks it off: the peer gets a reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def request(self, method, path, body=None, *, key=None, headers=None,
                kind="application/json"):
        """Sends a request and reads its answer; after an error the connection is closed."""
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        headers = dict(headers or {})
        if body is not None:
            headers |= {"Content-Type": kind, "Content-Length": len(body)}
        try:
            self.open().socket.sendall(
                head(method, path, key=key, headers=headers) + (body or b""))
            answer = self.read_answer(has_body=method != "HEAD")
        except OSError as error:
            self.close()
            raise Broken(str(error)) from error
        except Broken:
            self.close()
            raise
        if answer.headers.get("connection") == "close":
            self.close()
        return answer

    def read_answer(self, has_body=True):
        """Reads an answer to its end."""
        line = self._line().split(" ", 2)
        if len(line) < 2 or not line[1].isdigit():
            raise Broken("no status line")
        headers = {}
        while text := self._line():
            name, _, value = text.partition(":")
            headers[name.lower()] = value.strip()
        status = int(line[1])
        if not has_body or status in (204, 304):
            return Answer(status, headers, b"")
        if headers.get("transfer-encoding") == "chunked":
            return Answer(status, headers, b"".join(self._chunks()))
        return Answer(status, headers, self._bytes(int(headers.get("content-length", 0))))

    def _line(self):
        text = self.input.readline(65_536)
        if not text.endswith(b"\n"):
            raise Broken("the connection ended within a head")
        return text.rstrip(b"\r\n").decode("latin-1")

    def _bytes(self, count):
        content = self.input.read(count)
        if len(content) < count:
            raise Broken("the connection ended within a body")
        return content

    def _chunks(self):
        while size := int(self._line().split(";")[0], 16):
            yield self._bytes(size)
            self._bytes(2)
        while self._line():
            pass
