"""A stand-in for APNs: HTTP/2 over TLS, with the names of Apple's hosts, on this machine only."""

import asyncio
import dataclasses
import json
import ssl
import threading
import time
import uuid

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings

import rules

# Seconds. Nothing is expected to be slow; this only ends what would never end.
DEADLINE = 60

# Requests that a connection may have under way at once: one until the first that is authorized, as
# docs/apple.md 2.7 says, and then many.
FIRST_STREAMS, STREAMS = 1, 1000


@dataclasses.dataclass
class Verdict:
    """What APNs answers for a device token, if the request is sound."""

    status: int
    reason: str
    # Of a 410, in milliseconds since 1970.
    timestamp: int | None = None


@dataclasses.dataclass
class Delivery:
    """A request with its answer, as the server saw them."""

    request: rules.Request
    status: int
    reason: str | None
    # A number for each connection, counted from 0.
    connection: int


class Server:
    """Serves in a thread of its own until it is stopped."""

    def __init__(self, provider, tls):
        self.provider, self.tls = provider, tls
        # The environment of each token: at the other host it is a bad one.
        self.environments = {}
        # By device token. A token without one gets 200.
        self.verdicts = {}
        # Tokens whose requests get no answer.
        self.lost = set()
        self.deliveries = []
        self.connections = 0
        # Requests beyond those that a connection may have under way.
        self.refused_streams = 0
        self.loop = asyncio.new_event_loop()
        self.server = None
        self.thread = threading.Thread(target=self._run, daemon=True)

    def start(self, port=443):
        """Begins to listen."""
        self.thread.start()
        self.server = asyncio.run_coroutine_threadsafe(
            self.loop.create_server(
                lambda: _Connection(self), "127.0.0.1", port, ssl=self.tls),
            self.loop).result(DEADLINE)
        return self

    def _run(self):
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def stop(self):
        """Ends it, with all connections."""
        self.loop.call_soon_threadsafe(self.server.close)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(DEADLINE)

    def forget(self):
        """Begins anew: no deliveries, no tokens."""
        self.deliveries, self.verdicts, self.environments = [], {}, {}
        self.lost = set()
        self.connections = self.refused_streams = 0

    def answer(self, request, connection):
        """Decides about a request, and remembers both."""
        refused = rules.refusal(request, self.provider, time.time())
        verdict = Verdict(*refused) if refused else self._verdict(request)
        self.deliveries.append(
            Delivery(request, verdict.status, verdict.reason, connection))
        return verdict

    def _verdict(self, request):
        host = {"production": "api.push.apple.com", "sandbox": "api.sandbox.push.apple.com"}
        environment = self.environments.get(request.token)
        if environment and request.authority != host[environment]:
            return Verdict(400, "BadDeviceToken")
        return self.verdicts.get(request.token, Verdict(200, None))


class _Connection(asyncio.Protocol):
    """One connection: bytes to events of `h2`, and answers back."""

    def __init__(self, server):
        self.server = server
        self.transport = None
        self.number = None
        self.streams = {}
        self.is_authorized = False
        self.state = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))

    def connection_made(self, transport):
        self.transport = transport
        # A client that did not ask for HTTP/2 gets nothing: APNs speaks nothing else.
        if transport.get_extra_info("ssl_object").selected_alpn_protocol() != "h2":
            transport.abort()
            return
        self.number = self.server.connections
        self.server.connections += 1
        limit = h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS
        self.state.local_settings = h2.settings.Settings(
            client=False, initial_values={limit: FIRST_STREAMS})
        self.state.initiate_connection()
        # The client was told the bound. This class holds it by itself: h2 would end the connection.
        self.state.local_settings = h2.settings.Settings(
            client=False, initial_values={limit: 2**31 - 1})
        self._flush()

    def data_received(self, data):
        try:
            events = self.state.receive_data(data)
        except h2.exceptions.ProtocolError:
            self._flush()
            self.transport.close()
            return
        # What came together was sent before any of it was answered.
        ended = [event.stream_id for event in events if self._take(event)]
        for stream in ended:
            self._answer(stream)
        self._flush()

    def _take(self, event):
        """Takes an event in; tells whether a request is complete."""
        if isinstance(event, h2.events.RequestReceived):
            if len(self.streams) >= (STREAMS if self.is_authorized else FIRST_STREAMS):
                self.server.refused_streams += 1
                self.state.reset_stream(
                    event.stream_id, h2.errors.ErrorCodes.REFUSED_STREAM)
            else:
                self.streams[event.stream_id] = (event.headers, bytearray())
        elif isinstance(event, h2.events.DataReceived):
            self.state.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            if stream := self.streams.get(event.stream_id):
                stream[1].extend(event.data)
        elif isinstance(event, h2.events.StreamReset):
            self.streams.pop(event.stream_id, None)
        return isinstance(event, h2.events.StreamEnded) and event.stream_id in self.streams

    def _answer(self, stream):
        headers, body = self.streams.pop(stream)
        pseudo = dict(pair for pair in headers if pair[0].startswith(":"))
        request = rules.Request(
            method=pseudo[":method"], path=pseudo[":path"],
            authority=pseudo.get(":authority", "").partition(":")[0],
            headers=[pair for pair in headers if not pair[0].startswith(":")],
            body=bytes(body), is_certified=bool(self.transport.get_extra_info("peercert")))
        if request.token in self.server.lost:
            self.state.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
            return
        verdict = self.server.answer(request, self.number)
        if verdict.status != 403 and not self.is_authorized:
            self.is_authorized = True
            self.state.update_settings(
                {h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: STREAMS})
        name = request.header("apns-id") or str(uuid.uuid4())
        fields = [(":status", str(verdict.status)), ("apns-id", name)]
        if verdict.status == 200:
            self.state.send_headers(stream, fields, end_stream=True)
            return
        answer = {"reason": verdict.reason}
        if verdict.timestamp is not None:
            answer["timestamp"] = verdict.timestamp
        self.state.send_headers(stream, fields)
        self.state.send_data(stream, json.dumps(answer).encode(), end_stream=True)

    def _flush(self):
        if data := self.state.data_to_send():
            self.transport.write(data)


def context(certificate, key, authority):
    """The side of the server in TLS: HTTP/2 only, and client certificates if they are shown."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.load_cert_chain(certificate, key)
    made.load_verify_locations(authority)
    made.verify_mode = ssl.CERT_OPTIONAL
    made.set_alpn_protocols(["h2"])
    return made
