"""The key check value: a server with another secret key than its database's does not start.

It is an encrypted constant, so a reader of the database learns no more of the key than from any encrypted column. The
first process stores it, and each one compares it at its start.
"""

from sqlalchemy import LargeBinary, select, type_coerce

from server.application.people import devices
from server.models import KeyCheck, execute, insert_new, session, transaction
from server.runtime import runtime
from server.runtime.keyring import Keyring, WrongKey
from server.settings import SettingError
from server.settings.folder import SECRET_KEY_FILE, read_secret

VALUE = "This is the key of this database."
_LABEL = KeyCheck.__table__.c.value.type.label  # type: ignore[attr-defined]


def require() -> None:
    """Keep the key check value if there is none yet, and the key for push services.

    Raises:
        WrongKey: if this process has another secret key than the database; it says which file or setting is wrong.
    """
    if not (session.scalar(select(KeyCheck.number)) is not None):
        with transaction():
            execute(insert_new(KeyCheck), {"number": 1, "value": VALUE})
    # Several processes may have started at once, and another one may have kept the value of its own key.
    if (wrong := finding()) is not None:
        raise WrongKey(wrong)
    if runtime().settings.push:
        devices.make_key()


def finding() -> str | None:
    """Return a sentence for the operator if this secret key is not the database's, else None."""
    return None if _opens(runtime().keyring) else _sentence()


def _opens(keyring: Keyring) -> bool:
    """Return True if the key opens the check value, or if there is none yet, in a new database."""
    kept = session.scalar(select(type_coerce(KeyCheck.value, LargeBinary)))
    if kept is None:
        return True
    try:
        keyring.decrypt(kept, _LABEL)
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
