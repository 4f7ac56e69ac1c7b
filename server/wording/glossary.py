"""The words of the game, each explained in a sentence or two, for the pages and `docs/how-to-play.md`."""

from server.vocabulary.translation import gettext_noop

GLOSSARY = (
    (
        gettext_noop("Edition"),
        gettext_noop("A published version of the rules, such as Ravensburger 2000. A host chooses one."),
    ),
    (gettext_noop("Station"), gettext_noop("A numbered place on the board. Every pawn stands on one.")),
    (gettext_noop("Ticket"), gettext_noop("What a move costs: taxi, bus, underground, or Mr. X's black ticket.")),
    (
        gettext_noop("Turn"),
        gettext_noop(
            "The time in which a player moves. Everything that a player of several pawns moves in a row is one turn."
        ),
    ),
    (gettext_noop("Phase"), gettext_noop("Mr. X's part of a round, or the detectives'.")),
    (gettext_noop("Round"), gettext_noop("One phase of Mr. X's and one of the detectives'.")),
    (
        gettext_noop("Travel log"),
        gettext_noop("The list of Mr. X's tickets, which everybody sees. Move 8 is the eighth ticket in it."),
    ),
    (
        gettext_noop("Showing himself"),
        gettext_noop("On some moves of the travel log Mr. X's station is shown to everybody."),
    ),
    (
        gettext_noop("Black ticket"),
        gettext_noop("A ticket of Mr. X's that fits every line and hides which one he took."),
    ),
    (gettext_noop("Double move"), gettext_noop("Two moves of Mr. X's in one turn. He has a few cards for it.")),
    (
        gettext_noop("Blocked"),
        gettext_noop("A detective who cannot move now, because other detectives stand on every next stop."),
    ),
    (
        gettext_noop("Stranded"),
        gettext_noop("A detective who has no ticket that leads anywhere, and stays where they are."),
    ),
    (
        gettext_noop("Sent ahead"),
        gettext_noop(
            "A move that a detective sends before their turn. It is played when the turn comes, if it can be."
        ),
    ),
    (
        gettext_noop("Deadline"),
        gettext_noop(
            "The time until which somebody has to move. The game's clock and the players' time off decide it."
        ),
    ),
    (
        gettext_noop("Time bank"),
        gettext_noop("On some clocks, the time that a player has for all their moves together."),
    ),
    (
        gettext_noop("Covering"),
        gettext_noop("A detective who moves for a teammate who is late, where the game allows it."),
    ),
    (gettext_noop("Host"), gettext_noop("The player who has started a game, invites people, and can hand this on.")),
    (gettext_noop("Bot"), gettext_noop("A program of the server that plays a seat.")),
    (
        gettext_noop("Provisional"),
        gettext_noop("A result that the operator can still withdraw, as when time ran out. In time it is final."),
    ),
    (gettext_noop("Sealed log"), gettext_noop("Proof, for after the game, that nobody has changed where Mr. X was.")),
)
