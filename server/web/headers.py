"""The security headers of all answers."""

from flask import Response

# A page may show only itself, with our own style, font and pictures.
POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
SCRIPTED = POLICY + "; script-src 'self'; connect-src 'self'"  # pages for players, which ask for news


def guard(response: Response) -> Response:
    """Add the security headers of every answer: no sniffing of types, no loading from other servers."""
    response.headers["X-Content-Type-Options"] = "nosniff"
    if response.status_code == 503:  # sending.js tells it from one of a proxy
        response.headers["X-Black-Ticket"] = "unavailable"
    if response.mimetype == "text/html":
        response.headers.setdefault("Content-Security-Policy", POLICY)
        # With "no-referrer" browsers send `Origin: null` with our own forms, which `csrf.is_from_here` would refuse
        # where the browser is too old for Sec-Fetch-Site. Other sites are told nothing either way.
        response.headers.setdefault("Referrer-Policy", "same-origin")
    return response
