"""Domains that belong to one owner."""

import pytest

from server.mail.trust.alignment import is_aligned


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("mail.example.org", "example.org", True), ("a.example.co.uk", "b.example.co.uk", True),
        ("a.github.io", "b.github.io", False), ("mail.a.github.io", "a.github.io", True),
        # Shared domains that a list of 2019 does not have.
        ("a.pages.dev", "b.pages.dev", False), ("a.vercel.app", "b.vercel.app", False),
        ("a.fly.dev", "b.fly.dev", False), ("mail.a.pages.dev", "a.pages.dev", True),
        ("com", "com", True), ("example.org", "", False),
    ],
)  # fmt: skip
def test_tenants_of_a_shared_domain_are_not_one_owner(one: str, other: str, same: bool):
    assert is_aligned(one, other) == same
