"""Examples of hypothesis: the same in every run, unless a campaign looks for more.

With CAMPAIGN in the environment there are ten times as many, from a seed that `make campaign` prints.
"""

import os

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

IS_CAMPAIGN = "CAMPAIGN" in os.environ
# A machine that is busy fails no test.
PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "database": None}
settings.register_profile("steady", derandomize=True, **PATIENT)
settings.register_profile("campaign", max_examples=1_000, print_blob=True, **PATIENT)
settings.load_profile("campaign" if IS_CAMPAIGN else "steady")
# Half as many examples as usual, for what takes long; in a campaign as many as of all else.
HALF = settings(max_examples=settings.default.max_examples if IS_CAMPAIGN else settings.default.max_examples // 2)
# A fifth, for what makes an application for each.
FIFTH = settings(max_examples=settings.default.max_examples if IS_CAMPAIGN else settings.default.max_examples // 5)
# Else examples are made of the constants of those modules of ours that some test has imported by then.
providers._get_local_constants = lambda: providers._local_constants
