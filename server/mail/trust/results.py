"""The result of looking at who sent a mail, in the words of RFC 8601."""

from dataclasses import dataclass

AGAINST = ("fail", "permerror", "policy")  # results of DKIM that speak against the sender


@dataclass(frozen=True)
class Authentication:
    """The results of DKIM, SPF and DMARC for one mail, each `none` where there was nothing to look at.

    This server checks DKIM alone; the others come from the mail server in front.

    `by` is `us`, `upstream` for the mail server in front, or `nobody` where senders are believed.
    `is_unproven`: the results do not show that the sender wrote to this server, as a copy sent by somebody else
    would have the same results. `is_passed_upstream`: the server in front names an aligned domain for which SPF or
    DKIM passed.
    """

    dkim: str = "none"
    spf: str = "none"
    dmarc: str = "none"
    by: str = "us"
    is_unproven: bool = False
    is_passed_upstream: bool = False

    @property
    def is_failing(self) -> bool:
        """Return True if the commands of the mail must not be carried out."""
        return self.dmarc == "fail" or (self.dmarc != "pass" and self.dkim in AGAINST)

    @property
    def is_proof(self) -> bool:
        """Return True if the mail surely comes from the domain in its From.

        DKIM alone is proof only if this server checked it: the result of another may be that of a foreign domain.
        """
        is_pass = self.dmarc == "pass" or (self.dmarc == "none" and self.dkim == "pass" and self.by == "us")
        return is_pass and not self.is_unproven

    @property
    def is_passed(self) -> bool:
        """Return True if a check passed for a domain that is aligned with the From: its owner may be answered.

        That no answer goes to somebody who has not written rests on this; what is not known counts as failed.
        """
        if self.is_failing or self.is_unproven:
            return False
        return self.by == "nobody" or self.is_passed_upstream or (self.by == "us" and self.dkim == "pass")

    @property
    def is_proven(self) -> bool:
        """Return True if an answer goes to somebody who has written, as the limits on answers ask."""
        return self.is_proof or self.is_passed

    def __str__(self) -> str:
        """Return the results as the operator is shown them; empty where nothing was found."""
        results = {"dkim": self.dkim, "spf": self.spf, "dmarc": self.dmarc}
        words = [f"{name}={result}" for name, result in results.items() if result != "none"]
        return " ".join([*words, f"by={self.by}", *["unproven"] * self.is_unproven]) if words else ""
