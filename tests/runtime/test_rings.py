"""A ring of keys: a new key encrypts, former ones decrypt, hashes stay, and a changed file is read again."""

from pathlib import Path

import pytest

from server.runtime.keyring import Keyring, Keys, WrongKey

SECRET = "a secret of more than thirty-two characters"
LABEL = "moves.notation"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "secret_key"
    path.write_text(SECRET)
    return path


def replace(path: Path, text: str) -> None:
    new = path.with_name("new")
    new.write_text(text)
    new.replace(path)


def test_the_ring_of_a_secret_has_the_keys_of_the_secret():
    keys = Keys.of(SECRET)
    assert Keys.of(keys.secret) == keys
    assert not keys.is_rotating
    sealed = Keyring(SECRET).encrypt(b"taxi 46", LABEL, 64)
    assert Keyring(keys.secret).decrypt(sealed, LABEL) == b"taxi 46"


def test_a_new_key_changes_no_reply_address_and_no_check_value():
    old, new = Keyring(SECRET), Keyring(Keys.of(SECRET).with_new().without_former().secret)
    assert old.reply_token("game", 3, 17, "nonce") == new.reply_token("game", 3, 17, "nonce")
    assert old.fingerprint(b"46") == new.fingerprint(b"46")


def test_the_former_key_decrypts_and_the_newest_encrypts_until_the_former_is_gone():
    keys = Keys.of(SECRET).with_new()
    both, old, new = Keyring(keys.secret), Keyring(SECRET), Keyring(keys.without_former().secret)
    former = old.encrypt(b"taxi 46", LABEL, 64)
    again = both.under_newest_key(former, LABEL)
    assert again is not None
    assert both.under_newest_key(again, LABEL) is None
    assert len(again) == len(former)
    assert [ring.decrypt(again, LABEL) for ring in (both, new)] == [b"taxi 46"] * 2
    assert new.decrypt(both.encrypt(b"bus 1", LABEL, 64), LABEL) == b"bus 1"
    for ring, sealed in ((old, again), (new, former)):
        with pytest.raises(WrongKey):
            ring.decrypt(sealed, LABEL)


def test_a_running_process_uses_a_new_key_from_the_moment_it_is_in_the_file(file: Path):
    running = Keyring(SECRET, file)
    former = running.encrypt(b"taxi 46", LABEL, 64)
    keys = Keys.of(SECRET).with_new()
    replace(file, keys.secret)
    assert Keyring(keys.without_former().secret).decrypt(running.encrypt(b"bus 1", LABEL, 64), LABEL) == b"bus 1"
    assert running.decrypt(former, LABEL) == b"taxi 46"


def test_a_process_that_only_reads_learns_of_a_new_key_from_what_it_cannot_open(file: Path):
    running = Keyring(SECRET, file)
    keys = Keys.of(SECRET).with_new()
    replace(file, keys.without_former().secret)
    sealed = Keyring(keys.secret).encrypt(b"taxi 46", LABEL, 64)
    assert running.decrypt(sealed, LABEL) == b"taxi 46"


@pytest.mark.parametrize("text", ["", "the secret of another server, which is long enough", "ring1.x.y.z" + "z" * 40])
def test_a_file_that_is_damaged_or_of_another_server_changes_nothing(file: Path, text: str):
    running = Keyring(SECRET, file)
    replace(file, text)
    assert Keyring(SECRET).decrypt(running.encrypt(b"taxi 46", LABEL, 64), LABEL) == b"taxi 46"
