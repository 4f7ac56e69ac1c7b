"""Examples of hypothesis: the same in every run, unless a campaign looks for more.

With CAMPAIGN in the environment there are ten times as many, from a seed that `make campaign` prints.
"""

import os

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

# A machine that is busy fails no test.
PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "database": None}
settings.register_profile("steady", derandomize=True, **PATIENT)
settings.register_profile("campaign", max_examples=1_000, print_blob=True, **PATIENT)
settings.load_profile("campaign" if "CAMPAIGN" in os.environ else "steady")
HALF = settings(max_examples=1_000 if "CAMPAIGN" in os.environ else 50)
"""Half as many examples as usual, for what takes long; in a campaign as many as of all else."""
# Else examples are made of the constants of those modules of ours that some test has imported by then.
providers._get_local_constants = lambda: providers._local_constants
