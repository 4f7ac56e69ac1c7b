"""The address of a client behind proxies that the operator trusts (`TRUSTED_PROXIES`)."""

import re
from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from server.runtime.networks import is_among, plain
from server.settings import Network

FIELD = "HTTP_X_FORWARDED_FOR"


def client_address(peer: str, forwarded: str, trusted: Sequence[Network]) -> str:
    """Return the address of the client from that of the `peer` and the value of `X-Forwarded-For`.

    Each proxy adds the address it was asked from at the end, so the last one that is not a trusted proxy is the
    client's; what stands before it the client may have written itself.
    """
    found = plain(peer)
    for said in reversed(forwarded.split(",")):
        if not is_among(found, trusted):
            break
        try:
            found = plain(str(ip_address(_without_port(said.strip()))))
        except ValueError:
            break
    return found


def _without_port(said: str) -> str:
    """Return an address without the port and the brackets that some proxies write."""
    match = re.fullmatch(r"\[([^]]*)\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5}", said)
    return (match[1] or match[2] or said) if match else said


class BehindProxies:
    """A WSGI application that sees the client's address where the request came through a trusted proxy."""

    def __init__(self, app: WSGIApplication, trusted: Sequence[Network]) -> None:
        self._app = app
        self._trusted = trusted

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Run the application with `REMOTE_ADDR` as the client's address."""
        environ["REMOTE_ADDR"] = client_address(environ.get("REMOTE_ADDR", ""), environ.get(FIELD, ""), self._trusted)
        return self._app(environ, start_response)
