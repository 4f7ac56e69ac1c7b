"""The table of limits: what may be done how often, per whom, within how long, and what somebody hears who did more.

A `Limit` is on what is proven, such as an account, a code, or mail that is authentic. It is counted by the rows of what
was done, which no stranger can add to. A `SharedLimit` is on strangers, who share it by where they come from;
`server.application.limits.quotas` counts it. Requests by HTTP have a limit of their own, the setting RATE_LIMIT.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from server.vocabulary.durations import DAY, seconds_until
from server.vocabulary.errors import Problem
from server.vocabulary.translation import gettext, gettext_noop

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ANY = 10**9


@dataclass(frozen=True)
class Limit:
    """A limit on how often something may be done: `most` times within a `window`, per `whom`.

    reason: what somebody hears who did it too often, with the number as `{most}` and the time when they may do it as
        `{time}` and `{day}`; empty if nobody is told
    """

    what: str
    whom: str
    most: int
    reason: str = ""
    window: timedelta = DAY

    def again_at(self, times: Sequence[datetime], more: int = 1) -> datetime | None:
        """Return None if something done at these `times` may be done `more` times now, or when it may be done again.

        The times are those within the window, the oldest first.
        """
        return times[len(times) + more - self.most - 1] + self.window if len(times) + more > self.most else None

    def check(self, times: Sequence[datetime], now: datetime, more: int = 1) -> None:
        """Raise `Problem` too-many with the reason if something done at these `times` may not be done `more` times."""
        again = self.again_at(times, more)
        if again is not None:
            sentence = gettext(self.reason, most=self.most, time=again.strftime("%H:%M"), day=str(again.date()))
            raise Problem("too-many", sentence, retry_after=seconds_until(again, now))


@dataclass(frozen=True)
class SharedLimit:
    """A limit on what strangers may use up together within a window of time, one window after the other.

    plenty: of all together, per `whom`; up to this amount nobody waits
    most: of one narrow branch
    least: of a wide branch, which it may use up however many others there are
    pace: branches that are over their share are served now and then: all of them together once within this time
    """

    what: str
    whom: str
    plenty: int
    most: int = ANY
    least: int = 1
    pace: timedelta | None = None
    window: timedelta = DAY

    def begin(self, at: datetime) -> datetime:
        """Return when the window began that `at` is in."""
        return at - (at - EPOCH) % self.window


_MAILS = gettext_noop("Enough mails were asked for today; try again later.")

# What a player does -----------------------------------------------------------------------------

MESSAGES = Limit(
    "messages", "player and game", 50,
    "You have written {most} messages in this game within a day, which is the limit. "
    "You can write the next after {time} UTC on {day}.",
)  # fmt: skip
PROPOSALS_A_DAY = Limit("proposals", "seat", 10, "You have proposed {most} things within a day, as many as may be.")
DRAWS = Limit(  # an offer and its withdrawal are two
    "offers of a draw", "seat", 6, "You have offered a draw 3 times within a day, as often as may be."
)
REPORTS = Limit(
    "reports", "player", 10, "You have sent {most} reports within a day, which is the limit; try again later."
)
UNPROVEN_GAMES = Limit("games opened by mails without proof", "player", 10)

# Every address is protected, known or not; a host who knows a player by name may invite them more often.
INVITATIONS = Limit("invitations", "host", 60, "You have sent enough invitations for today; try again later.")
INVITED_ADDRESSES = Limit(
    "invitations to addresses", "host", 20, "You have invited enough addresses for today; try again later."
)
INVITATIONS_TO_ADDRESS = Limit(
    "invitations", "address", 10, "This address has had enough invitations for today; try again later."
)
INVITATIONS_TO_ADDRESS_BY_HOST = Limit(
    "invitations", "address and host", 3, "You have invited this address often enough for today; try again later."
)
INVITATIONS_TO_PLAYER = Limit(
    "invitations", "player", 30, "This player has had enough invitations for today; try again later."
)
INVITATIONS_TO_PLAYER_BY_HOST = Limit(
    "invitations", "player and host", 10, "You have invited this player often enough for today; try again later."
)
INVITATION_WORDS = Limit(
    "invitations with the host's own words", "host", 5,
    "You have sent enough invitations with words of your own for today; try again later.",
)  # fmt: skip
INVITATION_REMINDERS = Limit(
    "mails of an invitation", "invitation", 1,
    "You have written to them within a day. You can remind them from {time} UTC on {day}.",
)  # fmt: skip

# Codes by mail: where one of these is spent, the owner of an address still gets one now and then, see `codes.REST`.
CODES_OF_PLAYER = Limit("codes", "player", 10, _MAILS)
CODES_FOR_ADDRESS = Limit("codes of one kind", "address, and player if one asks", 3, _MAILS)
CODES_OF_PLAYERS = Limit("codes of one kind that players ask for", "address", 10, _MAILS)
SIGN_INS = Limit("codes to sign in", "address", 30)
SIGN_INS_OF_NETWORK = Limit("codes to sign in", "address and network", 5)

# Answers to mails, see `server.application.limits.answers`.
ANSWERS = Limit("answers to somebody who is proven", "author", 100)
PROMPT_ANSWERS = Limit("the same, at once", "author", 20, window=HOUR)
UNPROVEN_ANSWERS = Limit("answers at reply addresses to somebody who is not proven", "player", 10)
STRANGERS_ANSWERS = Limit("answers to somebody without an account", "address", 1)
EQUAL_MAILS = Limit("answers to mails that say the same, of which nothing is understood", "author", 10)
EQUAL_COMMANDS = Limit("answers to equal mails that were understood", "author", 5, window=MINUTE)  # their answers vary
BURSTS = Limit("mails within a minute after their equals, by which a machine is known", "author", 2)
UNREADABLE = Limit("notices that a mail cannot be read", "player", 10)

# What strangers share -----------------------------------------------------------------------------

# Codes by mail, for people who prove with them that an address is theirs.
CODES = SharedLimit("codes", "all", plenty=200, most=30, pace=timedelta(seconds=30))
# Codes that guests ask for at the table of a host with an address: of each host, the seats of each game two.
TABLES = SharedLimit("tables", "host", plenty=200, most=2, least=0, window=30 * DAY)
# Wrong digits that are looked at for one address of an account.
DIGITS = SharedLimit("digits", "all", plenty=ANY, most=5)
# Answers to mails that name a player in From and do not prove it.
CLAIMS = SharedLimit("claims", "player", plenty=10, most=10, least=3)
# Answers to people without an account, whose domain is proven.
STRANGERS = SharedLimit("strangers", "all", plenty=200, least=30)
# Mails to postmaster and abuse that are passed on to the operator.
POSTMASTER = SharedLimit("postmaster", "all", plenty=20, most=10)
# Bytes of mails to other addresses than reply addresses: those that wait, and those that are kept.
BYTES = SharedLimit("bytes", "all", plenty=8_000_000, least=0)
# Bytes of mails to the reply addresses of a seat.
SEAT_BYTES = SharedLimit("seat-bytes", "seat", plenty=5_000_000, least=0)
# Milliseconds in which mails to other addresses are read. A wide branch that has had so many is read after all others.
READING = SharedLimit("reading", "all", plenty=60_000, window=HOUR)
# Guests at a time, not within a window; of more, those of the largest branch make room. A class that practises has 50.
GUESTS = SharedLimit("guests", "all", plenty=200, most=50)
COUNTED = (CODES, TABLES, DIGITS, CLAIMS, STRANGERS, POSTMASTER, BYTES, SEAT_BYTES, READING)
