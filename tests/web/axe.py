"""axe on a page: it finds what keeps people from using it."""

from typing import Any

import pytest

# Of many children alike, such as the stations of a board or the operations of the reference, axe sees the first ones.
FEWER = """() => document.querySelectorAll("body, body *").forEach((parent) => {
    const seen = new Map();
    [...parent.children].forEach((child) => {
        const kind = child.tagName + (child.getAttribute("class") ?? "");
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
        if (seen.get(kind) > 4) child.remove();
    });
})"""
COLOURS = {"runOnly": ["color-contrast"]}
# Rules of slight impact do not run, as no finding of theirs counts. Of the rules that pass, axe reports one example.
# Scripts finish a page in its next frame.
_RUN = """async (options) => {
    await new Promise(requestAnimationFrame);
    const slight = axe._audit.rules.filter(({ impact }) => ["minor", "moderate"].includes(impact));
    const rules = options.runOnly ? {} : Object.fromEntries(slight.map(({ id }) => [id, { enabled: false }]));
    const { violations } = await axe.run({ resultTypes: ["violations"], rules, ...options });
    return violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
}"""


def script() -> str:
    """Return axe, which a page runs before it is examined; without it the test is skipped."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    return str(axe.Axe().axe_script)


def serious(page: Any, options: dict[str, Any] | None = None) -> list[str]:
    """Return what keeps people out, with the first place of each on a page that has run `script`."""
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in page.evaluate(_RUN, options or {})]
