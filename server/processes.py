"""Sockets and signals of a running process."""

import errno
import gc
import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from flask import Flask
from waitress.server import create_server

from server.settings import Listen, SettingError

THREADS = 16


class Http:
    """The HTTP server: `run` until `close`."""

    def __init__(self, app: Flask, at: Listen) -> None:
        # That requests wait for a thread is what the queue is for, and no news.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        try:
            self._server: Any = create_server(
                app, host=at.host, port=at.port, threads=THREADS, ident=None, clear_untrusted_proxy_headers=True
            )
        except OSError as error:
            raise _unusable("HTTP_LISTEN", at, error) from None
        except ValueError:  # waitress says so of a host without an address
            raise _unusable("HTTP_LISTEN", at, OSError(errno.EADDRNOTAVAIL, "there is no such host")) from None

    def run(self) -> None:
        """Serve; returns after `close`."""
        # What was loaded by now stays for good, and a request leaves much behind that needs no looking for.
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        self._server.run()

    def close(self) -> None:
        """Stop serving."""
        self._server.close()


def listeners(app: Flask, addresses: tuple[Listen, ...]) -> list[Any]:
    """The running mail listeners."""
    from server.mail.listener import listen  # noqa: PLC0415 start-up time of what needs no mail

    running = []
    for at in addresses:
        try:
            running.append(listen(app, at))
        except OSError as error:
            raise _unusable("MAIL_LISTEN", at, error) from None
    return running


@contextmanager
def stopping(close: Callable[[], None]) -> Iterator[None]:
    """Within, SIGTERM and Ctrl-C end what runs in an orderly way."""

    def finish(_number: int, _frame: FrameType | None) -> None:
        close()
        raise KeyboardInterrupt

    before = {number: signal.signal(number, finish) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _unusable(name: str, at: Listen, error: OSError) -> SettingError:
    choose = f"choose another address with BLACKTICKET_{name}"
    if error.errno == errno.EADDRINUSE:
        return SettingError(f"{at} is in use by another program; end that program, or {choose}.")
    return SettingError(f"{at} cannot be used ({error.strerror}); {choose}.")
