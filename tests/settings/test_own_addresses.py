"""The server's own addresses are known by their patterns, and nobody else's are taken for one."""

import pytest

from server.settings.kinds import is_own

OWN_DOMAIN = ("play@bt.example", "turn+{token}@bt.example", "bounce-{token}@bt.example")
MAILBOX = ("box@mail.example", "Black Ticket {token} <box@mail.example>", "box@mail.example")
BARE_TOKEN = ("play@bt.example", "{token}@bt.example", "{token}@bt.example")
TOKEN = "a" * 16


@pytest.mark.parametrize(
    ("forms", "address"),
    [
        *((OWN_DOMAIN, address) for address in (
            "play@bt.example", "PLAY@BT.Example", "play+x@bt.example", f"turn+{TOKEN}@bt.example", "turn@bt.example",
            "turn+anything@bt.example", f"bounce-{TOKEN * 2}@bt.example", "bounce-x@bt.example",
            "postmaster@bt.example", "abuse+x@bt.example", "Postmaster",
        )),
        (MAILBOX, "box@mail.example"), (MAILBOX, "box+me@mail.example"), (BARE_TOKEN, f"{TOKEN}@bt.example"),
    ],
)  # fmt: skip
def test_an_address_of_the_server_is_known(forms: tuple[str, ...], address: str):
    assert is_own(address, forms, forms[0].partition("@")[2])


@pytest.mark.parametrize(
    ("forms", "address"),
    [
        (OWN_DOMAIN, "ben@bt.example"), (OWN_DOMAIN, "playing@bt.example"), (OWN_DOMAIN, "turning+x@bt.example"),
        (OWN_DOMAIN, "play@bt.example.org"), (OWN_DOMAIN, "postmaster@example.org"), (OWN_DOMAIN, "bounce@bt.example"),
        (MAILBOX, "ben@mail.example"), (BARE_TOKEN, "ben@bt.example"), (OWN_DOMAIN, ""),
    ],
)  # fmt: skip
def test_all_other_addresses_of_the_domain_may_be_peoples(forms: tuple[str, ...], address: str):
    assert not is_own(address, forms, forms[0].partition("@")[2])
