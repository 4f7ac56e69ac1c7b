"""Long campaigns: `make campaign`. Each runs cases by the million, and goes on where it was when it is run again."""

import sys
from pathlib import Path

# The cases are those of the tests.
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
