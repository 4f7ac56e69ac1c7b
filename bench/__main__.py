"""Run all figures, or those of the modules named: `python -m bench rest engine`."""

import importlib
import json
import sys

MODULES = (
    "engine", "bots", "start", "pages", "rest", "mail", "inbox", "timing", "deadlines", "lists", "sustained",
    "memory", "boardgame",
)  # fmt: skip

for name in sys.argv[1:] or MODULES:
    for figure in importlib.import_module(f"bench.{name}").figures():
        print(json.dumps(figure), flush=True)
