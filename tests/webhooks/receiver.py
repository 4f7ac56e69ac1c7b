"""A program that takes webhooks: a real HTTP server on loopback, with or without TLS."""

import datetime
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from server.webhooks.transport import DELIVERED


class Taken(NamedTuple):
    """A request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes


class Door:
    """Takes what is posted, and says of each message the next of `words`, and then always that it was delivered."""

    def __init__(self, *words: str) -> None:
        self.words = list(words)
        self.taken: list[tuple[str, list[str], dict[str, str], bytes]] = []

    def __call__(self, target: Any, addresses: Any, headers: dict[str, str], body: bytes) -> str:
        self.taken.append((str(target), [str(address) for address in addresses], headers, body))
        return self.words.pop(0) if self.words else DELIVERED

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(body) for *_, body in self.taken]


class Receiver:
    """Answers with the next of `answers`, a status or what to do with the connection, and then always with 204."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.taken: list[Taken] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.taken.append(
                    Taken(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
                )
                answer = receiver.answers.pop(0) if receiver.answers else 204
                if callable(answer):
                    answer(self)
                    return
                self.send_response(answer)
                if answer // 100 == 3:
                    self.send_header("Location", f"http://127.0.0.1:{receiver.port}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_: Any) -> None:
                """Stay silent: clients that leave early are tested on purpose."""

        self.server = Server(("127.0.0.1", 0), Handler)

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @contextmanager
    def running(self) -> Iterator["Receiver"]:
        thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.server.shutdown()
            self.server.server_close()
            thread.join()

    def with_tls(self, folder: Path, host: str) -> ssl.SSLContext:
        """Speak TLS as `host` from now on; what a client has to trust for that."""
        pem = folder / "receiver.pem"
        pem.write_bytes(certificate(host))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        return ssl.create_default_context(cafile=str(pem))


@cache
def certificate(host: str) -> bytes:
    """A key and a certificate for it that it signed itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private + made.public_bytes(serialization.Encoding.PEM)
