"""The sentences of templates: `{% trans %}`, and `gettext("…")` in an expression."""

import operator
from collections.abc import Callable
from functools import cache
from gettext import NullTranslations

from jinja2 import Environment, pass_eval_context
from jinja2.nodes import EvalContext
from markupsafe import Markup, escape

from server.vocabulary.translation import catalogue, current, filled

_ENGLISH = NullTranslations()


def add_to(environment: Environment) -> None:
    """Let the templates of an environment speak the language of the reader.

    The values of a sentence stand in it as `%(name)s`, as `{% trans %}` has them.
    """
    environment.add_extension("jinja2.ext.i18n")
    environment.newstyle_gettext = True  # type: ignore[attr-defined]
    environment.globals.update(
        {name: _of_template(name) for name in ("gettext", "pgettext", "ngettext", "npgettext")}, language=current
    )


def _of_template(name: str) -> Callable[..., str]:
    """Return the function of this name for templates."""

    @pass_eval_context
    def translated(context: EvalContext, /, *words: object, **values: object) -> str:
        text = getattr(catalogue(), name)(*words)
        if name.startswith("n"):
            values = {"num": words[-1], "n": words[-1]} | values
        if not values:
            return _plain(text, is_html=context.autoescape)
        english = getattr(_ENGLISH, name)(*words)
        if not context.autoescape:
            return filled(text, english, values, operator.mod)
        escaped = {value: escape(shown) for value, shown in values.items()}
        return Markup(filled(text, english, escaped, operator.mod))  # noqa: S704

    return translated


@cache
def _plain(text: str, *, is_html: bool) -> str:
    """Return a sentence without values, which still has each percent sign twice."""
    return (Markup if is_html else str)(text.replace("%%", "%"))
