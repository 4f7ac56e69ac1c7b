"""WSGI (PEP 3333): the fields of a request as an application gets them, and its answer in one piece."""

import json
from collections.abc import Callable, Iterator
from http import HTTPStatus
from wsgiref.types import WSGIApplication, WSGIEnvironment

from tornado.httputil import HTTPHeaders

from server.vocabulary.errors import Problem

Answer = tuple[str, list[tuple[str, str]], bytes]


def fields(headers: HTTPHeaders) -> Iterator[tuple[str, str]]:
    """Yield header fields as WSGI names them.

    A field with an underscore in its name is left out: it would pass for the field with a hyphen, which a proxy sets.
    """
    for name, value in headers.items():
        if "_" not in name and name != "Transfer-Encoding":
            wsgi = name.upper().replace("-", "_")
            yield wsgi if wsgi == "CONTENT_TYPE" else f"HTTP_{wsgi}", value


def refusal(problem: Problem) -> bytes:
    """Return a whole answer that tells of a problem before the application sees the request; the connection ends."""
    told = {"type": problem.code, "title": problem.entry.title, "status": problem.entry.status}
    body = json.dumps(told | {"detail": problem.sentence}).encode()
    head = f"HTTP/1.1 {problem.entry.status} {HTTPStatus(problem.entry.status).phrase}\r\n"
    head += f"Content-Type: application/problem+json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


def call(app: WSGIApplication, environ: WSGIEnvironment) -> Answer:
    """Return what the application answers."""
    begun: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(
        status: str, headers: list[tuple[str, str]], _error: object = None, /
    ) -> Callable[[bytes], None]:
        begun[:] = [(status, headers)]
        return _no_write

    parts = app(environ, start_response)
    try:
        body = b"".join(parts)
    finally:
        if hasattr(parts, "close"):
            parts.close()
    ((status, headers),) = begun
    return status, headers, body


def _no_write(_data: bytes) -> None:
    raise NotImplementedError("the application returns its body")
