"""The manual page: it is that of the commands as they are, and its macros are right."""

import shutil
import subprocess
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

import pytest

from tests.docs.pages import ROOT


@pytest.fixture(scope="module")
def writer() -> ModuleType:
    spec = spec_from_file_location("write", ROOT / "docs/man/write.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_commands_say(writer: ModuleType):
    assert writer.PAGE.read_text() == writer.page(), "run `make man`"


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_takes_every_macro_and_shows_options_as_they_are_typed(writer: ModuleType):
    shown = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", writer.PAGE], check=True, capture_output=True, text=True
    )
    assert shown.stderr == ""
    assert "blackticket backup [OPTIONS] TARGET" in shown.stdout
    assert "--send-mails" in shown.stdout
    assert 'blackticket player rename ada@example.org "Ada L."' in shown.stdout
