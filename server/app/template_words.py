"""The sentences of templates: `{% trans %}`, and `gettext("…")` in an expression."""

from collections.abc import Callable, Mapping
from functools import cache

from jinja2 import Environment, pass_eval_context
from jinja2.compiler import CodeGenerator, Frame
from jinja2.nodes import Call, EvalContext, Name
from markupsafe import Markup

from server.vocabulary import translation
from server.vocabulary.translation import catalogues, current


def add_to(environment: Environment) -> None:
    """Let the templates of an environment speak the language of the reader.

    The values of a sentence stand in it as `%(name)s`, as `{% trans %}` has them.
    """
    environment.add_extension("jinja2.ext.i18n")
    environment.code_generator_class = _Compiler
    environment.newstyle_gettext = True  # type: ignore[attr-defined]
    environment.globals.update(
        gettext=_of_template("gettext", lambda message: message),
        pgettext=_of_template("pgettext", lambda _, message: message),
        ngettext=_of_template("ngettext", _one_or_many),
        npgettext=_of_template("npgettext", lambda _, one, many, n: _one_or_many(one, many, n)),
        language=current,
    )


class _Compiler(CodeGenerator):
    """Calls these functions without asking each time what they take, which is a tenth of all calls of a page."""

    def visit_Call(self, node: Call, frame: Frame, forward_caller: bool = False) -> None:  # noqa: N802 of Jinja
        if not (isinstance(node.node, Name) and node.node.name in _FUNCTIONS):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.write(f"environment.globals[{node.node.name!r}](context.eval_ctx")
        self.signature(node, frame)
        self.write(")")


_FUNCTIONS = ("gettext", "pgettext", "ngettext", "npgettext")


def _one_or_many(one: str, many: str, n: int) -> str:
    return one if n == 1 else many


def _of_template(name: str, english_of: Callable[..., str]) -> Callable[..., str]:
    """Return the function of this name for templates; `english_of` picks the English sentence out of its arguments."""
    is_counted = name.startswith("n")

    @pass_eval_context
    def translated(context: EvalContext, /, *words: str, **values: object) -> str:
        is_html = bool(context.autoescape)
        if is_counted:
            values.setdefault("num", words[-1])
            values.setdefault("n", words[-1])
        elif not values:
            return _whole(name, words, current(), is_html=is_html)
        return _filled(getattr(catalogues()[current()], name)(*words), english_of(*words), values, is_html=is_html)

    return translated


@cache
def _whole(name: str, words: tuple[str, ...], language: str, *, is_html: bool) -> str:
    """Return a sentence without values, as most are."""
    return _filled(getattr(catalogues()[language], name)(*words), words[-1], {}, is_html=is_html)


def _filled(text: str, english: str, values: Mapping[str, object], *, is_html: bool) -> str:
    form = Markup if is_html else str
    try:
        return form(text) % values
    except (KeyError, TypeError, ValueError):
        translation.report(english)
        return form(english) % values
