"""The words of the game, each explained in a sentence or two, for the pages and `docs/how-to-play.md`."""

from server.vocabulary.translation import gettext_noop

GLOSSARY = gettext_noop((
    ("Edition", "A published version of the rules, such as Ravensburger 2000. A host chooses one."),
    ("Station", "A numbered place on the board. Every pawn stands on one."),
    ("Ticket", "What a move costs: taxi, bus, underground, or Mr. X's black ticket."),
    ("Turn", "The time in which a player moves. Everything that a player of several pawns moves in a row is one turn."),
    ("Phase", "Mr. X's part of a round, or the detectives'."),
    ("Round", "One phase of Mr. X's and one of the detectives'."),
    ("Travel log", "The list of Mr. X's tickets, which everybody sees. Move 8 is the eighth ticket in it."),
    ("Showing himself", "On some moves of the travel log Mr. X's station is shown to everybody."),
    ("Black ticket", "A ticket of Mr. X's that fits every line and hides which one he took."),
    ("Double move", "Two moves of Mr. X's in one turn. He has a few cards for it."),
    ("Blocked", "A detective who cannot move now, because other detectives stand on every next stop."),
    ("Stranded", "A detective who has no ticket that leads anywhere, and stays where they are."),
    ("Sent ahead", "A move that a detective sends before their turn. It is played when the turn comes, if it can be."),
    ("Deadline", "The time until which somebody has to move. The game's clock and the players' time off decide it."),
    ("Time bank", "On some clocks, the time that a player has for all their moves together."),
    ("Covering", "A detective who moves for a teammate who is late, where the game allows it."),
    ("Host", "The player who has started a game, invites people, and can hand this on."),
    ("Bot", "A program of the server that plays a seat."),
    ("Provisional", "A result that the operator can still withdraw, as when time ran out. In time it is final."),
    ("Sealed log", "Proof, for after the game, that nobody has changed where Mr. X was."),
))  # fmt: skip
