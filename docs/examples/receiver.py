"""Receives certificate webhooks. Needs Python 3.9 or later, and nothing else.

    CREDENTIALS_FILE=credentials TLS_CERT_FILE=cert.pem TLS_KEY_FILE=key.pem python3 receiver.py

Each line of the credentials file is a header that is let in, such as `Authorization: Bearer …`: one line, or two
while the credential is being changed. It may be killed at any time: what it has not answered comes again.
"""

import hmac
import json
import os
import re
import sqlite3
import ssl
from contextlib import closing
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BYTES = 1024 * 1024  # The largest body that is read. Most certificates have less than 1 KB.
DATABASE = os.environ.get("DATABASE", "certificates.db")

with open(os.environ["CREDENTIALS_FILE"], encoding="utf-8") as file:
    CREDENTIALS = re.findall(r"^([^:\s]+):[ \t]*(\S.*?)[ \t\r]*$", file.read(), re.MULTILINE)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10  # Seconds of silence for which a client may hold a thread.

    def do_POST(self):
        status = self.refusal() or self.store()
        self.send_response(status)
        if status == 204:
            return self.end_headers()
        self.send_header("Content-Length", "0")
        self.send_header("Connection", "close")
        self.end_headers()
        self.discard()

    def refusal(self):
        """Why not to read the body at all; None if there is no reason."""
        if not any(self.is_authentic(name, value) for name, value in CREDENTIALS):
            return 401
        if self.headers.get_content_type() != "application/json":
            return 400
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            return 411
        return 413 if int(length) > MAX_BYTES else None

    def is_authentic(self, name, value):
        return hmac.compare_digest(self.headers.get(name, "").encode(), value.encode())

    def store(self):
        """The status to answer, once it is stored."""
        try:
            return store(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        except ValueError:
            return 400
        except Exception as error:
            self.log_error("%r", error)
            return 500  # Anything but 2xx means: send it again.

    def discard(self):
        """Closing a connection while data is unread would take the answer along."""
        for _ in range(256):
            if not self.rfile.read1(65536):
                return


def store(certificate):
    ids = [certificate.get(name) if isinstance(certificate, dict) else None for name in ("_id", "_userId", "_ownerId")]
    if not all(isinstance(value, str) and value for value in ids):
        return 400
    # ISO 8601 in UTC sorts by time.
    expired = (certificate.get("expires") or "9999") < datetime.now(timezone.utc).isoformat()
    row = (ids[0], "certificate_expired" if expired else "certificate_completed", json.dumps(certificate))
    with closing(sqlite3.connect(DATABASE, timeout=10)) as database, database:
        database.execute("PRAGMA synchronous = FULL")
        # A repeat changes nothing and is answered like the first. What follows is to start from the table.
        database.execute("INSERT INTO certificates (id, event, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", row)
    return 204


# In this mode, and fully synchronous, what is inserted is on the disk and stays there when the power fails.
# A certificate that was completed and has expired since is one _id and two events.
with closing(sqlite3.connect(DATABASE)) as database:
    columns = "id TEXT, event TEXT, body TEXT NOT NULL, received_at TEXT DEFAULT CURRENT_TIMESTAMP"
    database.execute("PRAGMA journal_mode = WAL")
    database.execute(f"CREATE TABLE IF NOT EXISTS certificates ({columns}, PRIMARY KEY (id, event))")

tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
tls.minimum_version = ssl.TLSVersion.TLSv1_2
tls.load_cert_chain(os.environ["TLS_CERT_FILE"], os.environ["TLS_KEY_FILE"])
ThreadingHTTPServer.request_queue_size = 128
server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "8443"))), Receiver)
# The handshake is left to the thread of its client, so that none can hold up the others.
server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print("listening on", server.server_port, flush=True)
server.serve_forever()
