"""An error has the same words wherever it comes from."""

import ast
from pathlib import Path

SERVER = Path(__file__).parents[2] / "server"


def test_whatever_was_asked_too_often_says_when_it_may_be_asked_again():
    raised = [
        (path.name, node.lineno, {keyword.arg for keyword in node.keywords})
        for path in SERVER.rglob("*.py")
        if '"too-many"' in path.read_text()  # parsing all files takes long
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Problem"
        if node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value == "too-many"
    ]
    assert len(raised) > 3
    assert [place for *place, facts in raised if "retry_after" not in facts] == []
