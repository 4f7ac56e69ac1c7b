"""The sentences of templates: `{% trans %}`, and `gettext("…")` in an expression."""

import operator
from collections.abc import Callable
from functools import cache
from gettext import NullTranslations
from typing import Any

from jinja2 import Environment, nodes, pass_context
from jinja2.ext import InternationalizationExtension
from jinja2.parser import Parser
from jinja2.runtime import Context
from markupsafe import Markup, escape

from server.vocabulary.translation import catalogue, current, filled, languages


def add_to(environment: Environment) -> None:
    """Let the templates of an environment speak the language of the reader.

    The values of a sentence stand in it as `%(name)s`, as `{% trans %}` has them.
    """
    environment.add_extension(_Sentences)
    environment.newstyle_gettext = True  # type: ignore[attr-defined]
    functions = {name: _of_template(name) for name in ("gettext", "pgettext", "ngettext", "npgettext")}
    environment.globals.update(functions, language=current, languages=languages)
    environment.filters.update(functions)


class _Sentences(InternationalizationExtension):
    """`{% trans %}` as the call of a filter, which costs less than that of a function; its result is escaped."""

    def parse(self, parser: Parser) -> list[nodes.Node]:
        parsed = super().parse(parser)
        *before, output = parsed if isinstance(parsed, list) else [parsed]
        call: Any = output.find(nodes.Call)
        sentence = nodes.Filter(call.args[0], call.node.name, call.args[1:], call.kwargs, None, None)
        return [*before, nodes.FilterBlock([], sentence, lineno=output.lineno)]


def _of_template(name: str) -> Callable[..., str]:
    """Return the function of this name for templates."""

    @pass_context  # without which Jinja would translate when it compiles
    def translated(context: Context, /, *words: Any, **values: object) -> str:
        language, english = catalogue(), words[-1]
        if name[0] == "n":
            english, values = words[-3 if words[-1] == 1 else -2], {"num": words[-1], "n": words[-1]} | values
        if not values:
            return _plain(language, name, words, is_html=context.eval_ctx.autoescape)
        text = getattr(language, name)(*words)
        if not context.eval_ctx.autoescape:
            return filled(text, english, values, operator.mod)
        escaped = {value: escape(shown) for value, shown in values.items()}
        return Markup(filled(text, english, escaped, operator.mod))  # noqa: S704

    return translated


@cache
def _plain(catalogue: NullTranslations, name: str, words: tuple[str, ...], *, is_html: bool) -> str:
    """Return a sentence without values, which has each percent sign twice in the catalogue."""
    return (Markup if is_html else str)(getattr(catalogue, name)(*words).replace("%%", "%"))
