"""Common to the tables of kinds: functions that belong to a row, and checks of the facts that come with it."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


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


def names_in(listed: str) -> tuple[set[str], set[str]]:
    """Return the names in a list of facts: all of them, and those without a question mark, which are needed."""
    names = listed.split()
    return {name.removesuffix("?") for name in names}, {name for name in names if not name.endswith("?")}


def check_names(what: str, listed: str, facts: Mapping[str, object] | None) -> None:
    """Check that `facts` have the names that are listed, with a question mark behind those that need not be there.

    Raises:
        ValueError: a name is missing, or there is one too many; it names them.
    """
    known, needed = names_in(listed)
    missing, wrong = needed - set(facts or ()), set(facts or ()) - known
    if missing or wrong:
        raise ValueError(f"{what} lacks {sorted(missing)} and may not have {sorted(wrong)}")
