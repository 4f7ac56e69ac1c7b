"""Keys derived from one secret: what is sealed opens only where it belongs, and tells nothing by its length."""

import re

import pytest

from server.runtime.keyring import Keyring, WrongKey

SECRET = "a secret of more than thirty-two characters"
keyring = Keyring(SECRET)


@pytest.mark.parametrize("plain", [b"", b"taxi 46", bytes(64), b"x" * 1000, b"trailing zero\0\0"])
def test_what_was_sealed_opens_as_it_was(plain: bytes):
    assert keyring.decrypt(keyring.encrypt(plain, "moves.notation", 64), "moves.notation") == plain


def test_sealed_bytes_of_another_place_do_not_open():
    sealed = keyring.encrypt(b"taxi 46", "moves.notation", 64)
    with pytest.raises(WrongKey):
        keyring.decrypt(sealed, "games.position")


def test_sealed_bytes_do_not_open_with_another_secret():
    sealed = keyring.encrypt(b"taxi 46", "moves.notation", 64)
    with pytest.raises(WrongKey, match="SECRET_KEY"):
        Keyring(SECRET + "!").decrypt(sealed, "moves.notation")


@pytest.mark.parametrize("place", [0, 11, 12, 40, -1])
def test_sealed_bytes_that_were_changed_do_not_open(place: int):
    sealed = bytearray(keyring.encrypt(b"taxi 46", "moves.notation", 64))
    sealed[place] ^= 1
    with pytest.raises(WrongKey):
        keyring.decrypt(bytes(sealed), "moves.notation")


@pytest.mark.parametrize("sealed", [b"", b"short", bytes(12), bytes(28)])
def test_bytes_that_were_never_sealed_do_not_open(sealed: bytes):
    with pytest.raises(WrongKey):
        keyring.decrypt(sealed, "moves.notation")


def test_what_fits_a_block_is_sealed_at_one_length():
    lengths = {len(keyring.encrypt(b"x" * n, "moves.notation", 128)) for n in range(125)}
    assert len(lengths) == 1
    assert len(keyring.encrypt(b"x" * 125, "moves.notation", 128)) == lengths.pop() + 128


def test_the_same_is_never_sealed_alike_twice():
    assert keyring.encrypt(b"taxi 46", "a", 64) != keyring.encrypt(b"taxi 46", "a", 64)


def test_a_reply_token_has_eighty_bits_in_letters_that_mail_programs_leave_alone():
    token = keyring.reply_token("game", 3, 17, "nonce")
    assert re.fullmatch("[a-z2-7]{16}", token)
    assert token == Keyring(SECRET).reply_token("game", 3, 17, "nonce"), "a reminder prints the same address"


def test_reply_tokens_differ_by_every_part_and_by_where_one_part_ends():
    tokens = [
        keyring.reply_token("game", 3, 17, "nonce"),
        keyring.reply_token("other", 3, 17, "nonce"),
        keyring.reply_token("game", 4, 17, "nonce"),
        keyring.reply_token("game", 3, 18, "nonce"),
        keyring.reply_token("game", 3, 17, "once"),
        keyring.reply_token("game", 31, 7, "nonce"),
        Keyring(SECRET + "!").reply_token("game", 3, 17, "nonce"),
    ]
    assert len(set(tokens)) == len(tokens)


def test_fingerprints_are_keyed():
    assert keyring.fingerprint(b"46") == Keyring(SECRET).fingerprint(b"46")
    assert keyring.fingerprint(b"46") != keyring.fingerprint(b"47")
    assert keyring.fingerprint(b"46") != Keyring(SECRET + "!").fingerprint(b"46")
