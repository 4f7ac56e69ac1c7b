"""The sentences of templates: `{% trans %}`, and `gettext("…")` in an expression."""

import operator
from collections.abc import Callable
from gettext import NullTranslations

from jinja2 import Environment, pass_eval_context
from jinja2.nodes import EvalContext
from markupsafe import Markup

from server.vocabulary.translation import catalogue, current, filled, languages

_ENGLISH = NullTranslations()


def add_to(environment: Environment) -> None:
    """Let the templates of an environment speak the language of the reader.

    The values of a sentence stand in it as `%(name)s`, as `{% trans %}` has them.
    """
    environment.add_extension("jinja2.ext.i18n")
    environment.newstyle_gettext = True  # type: ignore[attr-defined]
    functions = {name: _of_template(name) for name in ("gettext", "pgettext", "ngettext", "npgettext")}
    environment.globals.update(functions, language=current, languages=languages)


def _of_template(name: str) -> Callable[..., str]:
    """Return the function of this name for templates."""

    @pass_eval_context
    def translated(context: EvalContext, /, *words: object, **values: object) -> str:
        kind = Markup if context.autoescape else str  # HTML escapes the values that are put into it
        text = kind(getattr(catalogue(), name)(*words))
        if name.startswith("n"):
            values = {"num": words[-1], "n": words[-1]} | values
        if not values:
            return text.replace("%%", "%")
        return filled(text, kind(getattr(_ENGLISH, name)(*words)), values, operator.mod)

    return translated
