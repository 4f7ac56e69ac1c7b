"""The key check value: a server with another secret key than its database's does not start.

It is an encrypted constant, so a reader of the database learns no more of the key than from any encrypted column. The
first process stores it, and each one compares it at its start.
"""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column, LargeBinary, select, type_coerce

from server.models import Base, KeyCheck, insert_new, session, transaction
from server.models.types import Encrypted
from server.runtime import runtime
from server.runtime.keyring import Keyring, WrongKey
from server.settings import SettingError
from server.settings.folder import SECRET_KEY_FILE, read_secret

VALUE = "This is the key of this database."
_LABEL = KeyCheck.__table__.c.value.type.label  # type: ignore[attr-defined]


def require() -> None:
    """Keep the key check value if there is none yet.

    Raises:
        WrongKey: if this process has another secret key than the database; it says which file or setting is wrong.
    """
    if not _is_kept() and finding() is None:
        with transaction():
            insert_new(KeyCheck, {"number": 1, "value": VALUE})
    # Several processes may have started at once, and another one may have kept the value of its own key.
    if (wrong := finding()) is not None:
        raise WrongKey(wrong)


def finding() -> str | None:
    """Return a sentence for the operator if this secret key is not the database's, else None."""
    return None if _opens(runtime().keyring) else _sentence()


def _is_kept() -> bool:
    return session.scalar(select(KeyCheck.number)) is not None


def _opens(keyring: Keyring) -> bool:
    """Return True if the key opens the check value; without one, if it opens a sealed value or there is none."""
    kept = session.scalar(select(type_coerce(KeyCheck.value, LargeBinary)))
    if kept is not None:
        return _opens_value(keyring, kept, _LABEL)
    found = False
    for label, sealed in _sealed_values():
        if _opens_value(keyring, sealed, label):
            return True
        found = True
    return not found


def _sealed_values() -> Iterator[tuple[str, bytes]]:
    """Yield a value of each sealed column that has any, with the label of the column."""
    columns: list[Column[Any]] = [column for table in Base.metadata.sorted_tables for column in table.c]
    for column in columns:
        if isinstance(column.type, Encrypted):
            raw = select(type_coerce(column, LargeBinary)).where(column.is_not(None)).limit(1)
            for value in session.scalars(raw):
                yield column.type.label, value


def _opens_value(keyring: Keyring, sealed: bytes, label: str) -> bool:
    try:
        keyring.decrypt(sealed, label)
    except WrongKey:
        return False
    return True


def _sentence() -> str:
    settings = runtime().settings
    file = settings.var / SECRET_KEY_FILE
    wrong = f"The secret key in {settings.secret_key_from} does not open this database"
    if settings.secret_key_from == str(file):
        return f"{wrong}; restore the file that was there when the database was made, or set BLACKTICKET_SECRET_KEY."
    try:
        if file.exists() and _opens(Keyring(read_secret(file))):
            return f"{wrong}, but the one in {file} does; remove the setting, or give it that key."
    except SettingError:
        pass  # a file that cannot be read is of no help
    return f"{wrong}; give the setting the key with which the database was made."
