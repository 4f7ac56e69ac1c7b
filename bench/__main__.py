"""Run all figures, or those of the modules named: `python -m bench rest engine`.

`python -m bench fit-bots` fits the belief of the bots anew, and is not among all.
"""

import importlib
import json
import sys

MODULES = (
    "engine", "bots", "start", "pages", "rest", "mail", "inbox", "timing", "deadlines", "lists", "sustained", "scale",
    "memory",
)  # fmt: skip

for name in (sys.argv[1:] or MODULES) if __name__ == "__main__" else ():
    for figure in importlib.import_module(f"bench.{name.replace('-', '_')}").figures():
        print(json.dumps(figure), flush=True)
