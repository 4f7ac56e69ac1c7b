"""The mail to ourselves with which `setup` tries a mailbox."""

import pytest

from server.mail.setup.self_test import authserv_id


@pytest.mark.parametrize(
    ("header", "name"),
    [
        (b"Authentication-Results: mx.example.net; spf=pass\n", "mx.example.net"),
        (b"Authentication-Results: mx.example.net 1;\n\tdkim=pass\n", "mx.example.net"),
        (b"Authentication-Results: ours; spf=pass\nAuthentication-Results: of.a.forger; spf=pass\n", "ours"),
        (b"Authentication-Results: what is this\n", ""),
        (b"Subject: A trial\n", ""),
    ],
)
def test_the_provider_tells_its_name_in_the_uppermost_results(header: bytes, name: str):
    assert authserv_id(header) == name
