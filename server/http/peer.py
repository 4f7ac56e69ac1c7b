"""The address that a request comes from."""

from flask import request

from server.runtime import networks


def address() -> str:
    """Return the address; one that is nobody's where the server in front gives none."""
    return request.remote_addr or "::"


def client() -> str:
    """Return the client at the address, for whom requests are counted, as `networks.client` names it."""
    return networks.client(address())


def network() -> str:
    """Return the network of the address, as `networks.network` names it."""
    return networks.network(address())
