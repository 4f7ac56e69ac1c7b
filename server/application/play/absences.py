"""The absences of players, and the locks of players and their games; `server.house_rules.vacation` decides."""

from dataclasses import asdict
from datetime import date

from sqlalchemy import bindparam, select

from server.application.game import situation_statements as statements
from server.application.game.deciding import Decided, use_case
from server.application.game.situations import carry_out, load
from server.house_rules.standing import Absence
from server.house_rules.vacation import plan_absence, wait_for_player
from server.models import Absence as AbsenceRow
from server.models import Game, Player, Seat, execute, insert, session
from server.runtime import now, runtime
from server.vocabulary.errors import refusal

_ABSENCES = select(*statements.columns(AbsenceRow, statements.ABSENCE_COLUMNS)).order_by(AbsenceRow.begin)
_ABSENCES = _ABSENCES.where(AbsenceRow.player_id == bindparam("player"))
_SPENDERS = select(Player.id).join(Seat, Seat.player_id == Player.id).order_by(Player.id)
_SPENDERS = _SPENDERS.where(Seat.game_id == bindparam("game"), Player.spends_vacation)
_SPENDERS = _SPENDERS.with_for_update(key_share=True, of=Player)


def absences_of(player: Player) -> list[Absence]:
    """Return all absences of a player, the earliest first."""
    return [Absence(*tuple(row)) for row in session.execute(_ABSENCES, {"player": player.id})]


@use_case
def take_vacation(player_id: str, first: date, last: date) -> Decided[Absence]:
    """Let a player be away from the beginning of one day to the end of another; `Problem` as of `plan_absence`."""
    player = lock_with_games(player_id)
    begin, end = plan_absence(absences_of(player), first, last, player.zone, now())

    def write() -> Absence:
        absence = Absence(runtime().new_id("absence"), player.id, begin, end, is_automatic=False)
        execute(insert(AbsenceRow), [asdict(absence)])
        update_deadlines(player)
        return absence

    return Decided(write)


@use_case
def end_absences(player_id: str, absence_id: str | None = None) -> Decided[int]:
    """End an absence now, or cancel it before it begins; all of them if none is named. Return how many it ended.

    Deadlines that have moved stay where they are.

    Raises:
        Problem: `not-found` if the player has no such absence that is not over.
    """
    query = select(AbsenceRow).where(AbsenceRow.player_id == player_id, AbsenceRow.end > now())
    ended = session.scalars(query if absence_id is None else query.where(AbsenceRow.id == absence_id)).all()
    if absence_id is not None and not ended:
        raise refusal("not-found", "There is no such absence of yours, or it is over.")

    def write() -> int:
        for absence in ended:
            if absence.begin < now():
                absence.end = now()
            else:
                session.delete(absence)
        return len(ended)

    return Decided(write)


def lock_with_games(player_id: str, *game_ids: str) -> Player:
    """Lock and return the player, and after that, in one order, these games and all that may wait for the player.

    Every transaction that needs a player and games locks them in this order, so that no two wait for each other.
    """
    player = session.get_one(Player, player_id, with_for_update={"key_share": True}, populate_existing=True)
    theirs = select(Seat.game_id).join(Game).where(Seat.player_id == player_id, Game.status == "running")
    wanted = theirs.union(select(Game.id).where(Game.id.in_(game_ids)))
    query = select(Game.id).where(Game.id.in_(wanted)).order_by(Game.id)
    session.execute(query.with_for_update())
    return player


def lock_spenders(game_id: str | None) -> None:
    """Lock the players of a game who opted in to spending days, so that no two games spend the same days.

    Like `lock_with_games`, it locks the players before the game.
    """
    session.execute(_SPENDERS, {"game": game_id})


def update_deadlines(player: Player) -> None:
    """Move the deadlines that wait for a player, who is locked, if the player's absences and nights say so."""
    query = select(Game.id).join(Seat).where(Seat.player_id == player.id, Game.status == "running").order_by(Game.id)
    for game_id in session.scalars(query).all():
        carry_out(load(game_id), lambda draft: wait_for_player(draft, player.id))
