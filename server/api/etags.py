"""ETags and caching: a GET is answered 304 if the client has the newest answer."""

from collections.abc import Mapping

from flask import Response, jsonify, request
from werkzeug.http import generate_etag


def with_etag(view: Mapping[str, object]) -> tuple[bytes, str]:
    """Return a view as JSON, and the ETag by which a client asks if it has changed."""
    text = jsonify(view).get_data()
    return text, generate_etag(text)


def set_cache_headers(response: Response, *, is_public: bool) -> None:
    """Set who may cache the answer; give that of a GET an ETag, and make it a 304 if the client has it."""
    if not is_public:
        response.headers["Vary"] = "Authorization"
    if request.method not in ("GET", "HEAD"):
        response.headers["Cache-Control"] = "no-store"
        return
    response.headers["Cache-Control"] = "no-cache" if is_public else "private, no-cache"
    if response.status_code == 200:
        response.add_etag()
        response.make_conditional(request)
