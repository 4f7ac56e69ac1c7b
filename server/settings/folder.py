"""The data folder, and the secret key that is made and kept there."""

import os
import secrets
from collections.abc import Callable
from pathlib import Path

from server.settings.kinds import SettingError

SECRET_KEY_FILE = "secret_key"  # noqa: S105 its name


def make_folder(folder: Path) -> None:
    """Make the data folder; `SettingError` if it cannot be written to."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        probe = folder / f".probe-{secrets.token_hex(4)}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise SettingError(
            f"The data folder {folder} cannot be written to ({error.strerror}); "
            "start Black Ticket in a folder its user owns."
        ) from None


def kept_secret(folder: Path) -> str:
    """Return the secret key of this folder, made on the first start; `SettingError` if there can be none."""
    path = folder / SECRET_KEY_FILE
    if (folder / "blackticket.db").exists() and not path.exists():  # checked in this order, as the key is written first
        raise SettingError(f"{path} is missing, and the database beside it opens with no other key; restore it.")
    try:
        if not path.exists():
            make_secret(path)
    except OSError as error:
        raise SettingError(f"The secret key cannot be kept in {path} ({error.strerror}).") from None
    return read_secret(path)


def read_secret(path: Path) -> str:
    """Return the secret key in a file; `SettingError` if it cannot be read, or is no key."""
    try:
        kept = path.read_text().strip()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise SettingError(f"The secret key cannot be read from {path} ({why}).") from None
    if len(kept) < 32:
        raise SettingError(f"{path} holds no usable key; restore it from a backup.")
    return kept


def make_secret(path: Path, appear: Callable[[Path, Path], None] = Path.hardlink_to) -> None:
    """Write a new key. Of several processes that start at once, the first writes it whole, and the others read it.

    `appear` makes the path lead to a file that is written.
    """
    whole = path.with_name(f".secret_key-{secrets.token_hex(4)}")
    with os.fdopen(os.open(whole, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(secrets.token_hex(32))
        file.flush()
        os.fsync(file.fileno())
    try:
        appear(path, whole)
    except FileExistsError:
        pass
    finally:
        whole.unlink()
