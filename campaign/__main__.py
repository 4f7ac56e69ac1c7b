"""Run all campaigns, or those named: `python -m campaign`, `python -m campaign views --to 5000`."""

import sys

from campaign.running import Campaign, main

# A module with `case(seed)`, which fails or says how many cases it was; how many are asked for; seeds at a time.
CAMPAIGNS = (
    Campaign("views", "campaign.views", 1_000_000, 100),
    Campaign("apps", "campaign.apps", 1_000, 4),
    Campaign("seal", "campaign.seal", 11_000, 20),
    Campaign("mails", "campaign.mails", 500_000, 20),
    Campaign("contract", "campaign.contract", 100_000, 1),
    Campaign("races", "campaign.races", 100_000, 1),
    Campaign("year", "campaign.year", 200, 1),
)

if __name__ == "__main__":
    sys.exit(main(CAMPAIGNS))
