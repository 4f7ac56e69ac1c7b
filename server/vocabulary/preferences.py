"""The preferences of a player, a row for each.

From a row come the schema of REST, `SET` by mail, the answer to it, and the page of settings. A value that is no
choice of the row is read by the function beside its name in `READERS` of `people.accounts.preferences`; what a zone and
a night may be is in `people.players`.
"""

from dataclasses import dataclass

from server.vocabulary.translation import ENGLISH, gettext, languages

ON, OFF = "on", "off"
ALWAYS, DOUBTFUL = "always", "doubtful"  # which moves are held
HOW_MUCH = "usual, moves, daily 18:00, reminders or off"
_TIME = "([01]?[0-9]|2[0-3]):[0-5][0-9]"
MAIL = f"usual|moves|daily {_TIME}|reminders|off"
ZONE = "[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*"


@dataclass(frozen=True)
class Choice:
    """A value that a preference may have. Its sentences are translated where they are shown, as those of its row are.

    label, hint: what it means, on the page; the hint is in smaller letters
    sentence: what the answer to a mail that changes settings says of it; it says nothing if this is empty
    """

    value: str
    label: str
    hint: str = ""
    sentence: str = ""


@dataclass(frozen=True)
class Preference:
    """A preference: a row of the table.

    name: by REST, behind SET, and of the field on the page
    column: of `Player`; there false and null are `off`, and true is `on`
    about: what it is, in the OpenAPI document
    choices: the values it may have, none if it is a text of at most `longest` characters
    pattern: of REST, which all of such a text matches
    sentence: what the answer to a mail says of such a text, with `{value}`, and `{begin}` and `{end}` if it is hours
    title: over the choices, on the page
    is_named: its values are codes, and the labels of its choices their names, which are never translated
    is_about_mail: it means nothing to a player without an address
    is_own_command: SET has a form of its own for it
    is_told_last: behind all others in the answer to a mail
    without_pages: why a server without PUBLIC_URL refuses all but the default; empty if it does not
    """

    name: str
    column: str
    default: str
    about: str = ""
    choices: tuple[Choice, ...] = ()
    longest: int = 0
    pattern: str = ""
    sentence: str = ""
    title: str = ""
    is_named: bool = False
    is_about_mail: bool = False
    is_own_command: bool = False
    is_told_last: bool = False
    without_pages: str = ""

    @property
    def values(self) -> list[str]:
        return [choice.value for choice in self.choices]

    @property
    def offered(self) -> list[str]:
        """Return the values of all choices, as a refusal lists them: codes with their names."""
        return [f"{choice.value} ({choice.label})" if self.is_named else choice.value for choice in self.choices]

    def in_words(self, value: str) -> str:
        """Return what the answer to a mail says of a value; empty if it says nothing."""
        form = next((choice.sentence for choice in self.choices if choice.value == value), self.sentence)
        begin, _, end = value.partition("-")
        return "" if value == OFF and not self.choices else gettext(form, value=value, begin=begin, end=end)


PREFERENCES = (
    Preference(
        "zone", "zone", "UTC", "a name of the tz database, such as Europe/London", longest=64, pattern=ZONE,
        sentence='Your time zone is "{value}".',
    ),
    Preference(
        "language", "language", ENGLISH, "the language of your mails and pages",
        tuple(
            Choice(code, name, sentence="" if code == ENGLISH else "Your mails and pages are in English.")
            for code, name in languages().items()
        ),
        title="Language", is_named=True,
    ),
    Preference(
        "mail", "mail", "usual", f"how much mail comes: {HOW_MUCH}", longest=60, pattern=MAIL,
        is_about_mail=True, is_own_command=True,
    ),
    Preference(
        "hold", "hold", DOUBTFUL, "which of your moves by mail or page wait for a while, in which you can stop them",
        (
            Choice(
                ALWAYS, "All of them",
                "You have some minutes to stop a move that was a slip of the finger: by the word NO, or on the page.",
                "Every move that you mail or make on the page waits for a while, and you can stop it meanwhile.",
            ),
            Choice(
                DOUBTFUL, "Those that may not be meant",
                "A move counts as soon as it is read, unless the rest of your mail leaves a doubt.",
            ),
        ),
        title="Moves that wait",
    ),
    Preference(
        "night", "night", OFF, "hours such as 23:00-07:00, or off", longest=20,
        pattern=f"off|{_TIME} ?(-|to) ?{_TIME}",
        sentence="No deadline falls in your night, {begin} to {end}, and no reminder comes then.",
    ),
    Preference(
        "vacation", "spends_vacation", OFF, "whether the server takes vacation days before you miss a deadline",
        (
            Choice(
                ON, "Spend days of my vacation",
                "The server takes up to three days when you would miss a deadline, at most once for each turn.",
                "When you are about to be late, the server spends days of your vacation.",
            ),
            Choice(
                OFF, "Do not",
                "You miss the deadline, and the server moves for you as the clock of the game says.",
            ),
        ),
        title="When you would be late", is_told_last=True,
    ),
    Preference(
        "picture", "picture", ON, "whether mails have the board as a picture; own shows Mr. X his station in his",
        (
            Choice(
                ON, "Mails show the board as a picture.",
                sentence="Your mails show the board; as Mr. X you get the board that everybody sees.",
            ),
            Choice(
                "own", "The same, and when you are Mr. X, the picture in your mails shows where you are.",
                sentence="Your mails show the board; as Mr. X you see there where you are.",
            ),
            Choice(OFF, "Mails have no picture.", sentence="Your mails have no pictures of the board."),
        ),
        title="The board in mails", is_about_mail=True,
    ),
    Preference(
        "station", "station", "mail",
        "whether Mr. X's mails tell where he is, or link to the page of the game instead",
        (
            Choice("mail", "Mails to you tell your station."),
            Choice(
                "page", "They link to the page of the game instead, where you sign in to see it.",
                sentence="Mails to you as Mr. X do not tell where you are; the page of the game does.",
            ),
        ),
        title="Where you are, when you are Mr. X", is_about_mail=True,
        without_pages="this server has no PUBLIC_URL, so its mails cannot link to the page that tells Mr. X where he "
        "is; they tell it themselves.",
    ),
)  # fmt: skip
BY_NAME = {row.name: row for row in PREFERENCES}
