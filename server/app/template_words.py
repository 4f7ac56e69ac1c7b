"""The sentences of templates: `{% trans %}`, and `gettext("…")` in an expression."""

from collections.abc import Callable, Mapping

from jinja2 import Environment, pass_eval_context
from jinja2.nodes import EvalContext
from markupsafe import Markup

from server.vocabulary import translation
from server.vocabulary.translation import catalogues, current


def add_to(environment: Environment) -> None:
    """Let the templates of an environment speak the language of the reader.

    The values of a sentence stand in it as `%(name)s`, as `{% trans %}` has them.
    """
    environment.add_extension("jinja2.ext.i18n")
    environment.extend(newstyle_gettext=True)
    environment.globals.update(
        gettext=_of_template("gettext", lambda message: message),
        pgettext=_of_template("pgettext", lambda _, message: message),
        ngettext=_of_template("ngettext", _one_or_many),
        npgettext=_of_template("npgettext", lambda _, one, many, n: _one_or_many(one, many, n)),
        language=current,
    )


def _one_or_many(one: str, many: str, n: int) -> str:
    return one if n == 1 else many


def _of_template(name: str, english_of: Callable[..., str]) -> Callable[..., str]:
    """Return the function of this name for templates; `english_of` picks the English sentence out of its arguments."""

    @pass_eval_context
    def translated(context: EvalContext, /, *words: str, **values: object) -> str:
        text = getattr(catalogues()[current()], name)(*words)
        if name.startswith("n"):
            values.setdefault("num", words[-1])
            values.setdefault("n", words[-1])
        return _filled(text, english_of(*words), values, is_html=bool(context.autoescape))

    return translated


def _filled(text: str, english: str, values: Mapping[str, object], *, is_html: bool) -> str:
    form = Markup if is_html else str
    try:
        return form(text) % values
    except (KeyError, TypeError, ValueError):
        translation.report(english)
        return form(english) % values
