"""The folders of the files that come with the code: beside the package in a checkout, inside it in a wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def templates() -> Path:
    """Return the folder of the templates."""
    return _folder("templates")


def docs() -> Path:
    """Return the folder of the guides, with the OpenAPI document."""
    return _folder("docs")


def standalone() -> Path:
    """Return the folder of the programs that players download: the client and the verifier."""
    installed = _PACKAGE.parent / "standalone"
    return installed if installed.is_dir() else _PACKAGE.parent / "blackticket" / "standalone"


def _folder(name: str) -> Path:
    inside = _PACKAGE / name
    return inside if inside.is_dir() else _PACKAGE.parent / name
