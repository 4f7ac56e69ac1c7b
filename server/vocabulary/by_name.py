"""Common to the tables of kinds: functions that belong to a row, and checks of the facts that come with it."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


class Shape(Protocol):
    """A class of a `TypedDict`."""

    __required_keys__: frozenset[str]
    __optional_keys__: frozenset[str]


class ByName(dict[str, Function]):
    """Functions or classes of rows of a table, each by the name of its row: `_moved` or `Moved` belongs to `moved`."""

    def __init__(self, names: Collection[str]) -> None:
        super().__init__()
        self._names = names

    def add(self, function: Function) -> Function:
        """Add a function, as a decorator of it.

        Raises:
            ValueError: no row has its name, or another function has.
        """
        name = function.__name__.removeprefix("_").lower()
        if name not in self._names or name in self:
            raise ValueError(f"{name} is not a name of the table, or has a function already")
        self[name] = function
        return function


def check_shape(what: str, shape: Shape, facts: Mapping[str, object] | None) -> None:
    """Check that `facts` have the keys of `shape`, a `TypedDict`.

    Raises:
        ValueError: a key is missing, or there is one too many; it names them.
    """
    keys = set(facts or ())
    missing, wrong = shape.__required_keys__ - keys, keys - shape.__required_keys__ - shape.__optional_keys__
    if missing or wrong:
        raise ValueError(f"{what} lacks {sorted(missing)} and may not have {sorted(wrong)}")
