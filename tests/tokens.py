"""The token of a secret, as a request finds it."""

from server.application.people.tokens import GoodToken, good_token, token_digest


def authenticate(secret: str, game_id: str | None = None) -> GoodToken | None:
    """Return the token of these letters if it is good."""
    digest = token_digest(secret)
    return None if digest is None else good_token(digest, game_id)
