"""The name under which the server is installed. In a wheel `server`, `templates` and `docs` lie inside this package.

Nothing else of the wheel is at the top level, where another package could be called `server`, too. The code says
`server` in both places: decision 0031.
"""

import gc
import sys
from pathlib import Path

_HERE = Path(__file__).parent
if (_HERE / "server").is_dir() and str(_HERE) not in sys.path:
    sys.path.insert(0, str(_HERE))


def main() -> None:
    """Run the command `blackticket`."""
    # What is imported stays; looking for garbage in it as often as usual would be a tenth of the start.
    gc.set_threshold(20_000, 20, 20)
    from server.cli import main as command  # noqa: PLC0415 found by the line above

    command(prog_name="blackticket")
