"""`python -m tests.mail.corpus_of_answers`: send all mails, and print figures and misses."""

import sys

from tests.folders import use_memory
from tests.mail.corpus_of_answers.figures import report

use_memory()
sys.stdout.write(report(sys.argv[1:]))
