import http.server
import os
import ssl
import threading

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

WEBHOOK = Webhook(os.environ["WEBHOOK_SECRET"])
seen = set()  # In production use a table, and keep ids for a few days.
turn = threading.Lock()


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            delivery = WEBHOOK.verify(body, dict(self.headers))
        except WebhookVerificationError:
            return self.answer(401)
        identity = self.headers["webhook-id"]
        with turn:
            if identity not in seen:
                deal_with(identity, delivery)
                seen.add(identity)
        self.answer(200)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def deal_with(identity, delivery):
    print(identity, delivery["type"], delivery["data"].get("installation_id"), flush=True)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 8443), Receiver)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(os.environ["CERTIFICATE"], os.environ["CERTIFICATE_KEY"])
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
