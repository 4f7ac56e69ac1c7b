"""The pages of the documentation, and the tables in them."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *(p for p in ROOT.glob("deploy/**/*") if p.is_file())])
PATHS = [str(page.relative_to(ROOT)) for page in PAGES]


def page(path: str) -> str:
    return (ROOT / path).read_text()


def rows(path: str, first: str) -> list[list[str]]:
    """Return the cells of the table of `path` whose first heading is `first`."""
    lines = iter(page(path).splitlines())
    next(line for line in lines if line.startswith(f"| {first} |"))
    next(lines)
    table = []
    for line in lines:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip("| ").split(" | ")])
    return table


def codes(path: str, first: str) -> list[str]:
    """Return the first column of a table, without its backticks."""
    return [row[0].strip("`") for row in rows(path, first)]
