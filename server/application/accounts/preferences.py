"""Preferences of a player: time zone, night, mail, vacation, pictures, and where Mr. X reads his station."""

from server.application.deciding import begin_to_write
from server.application.errors import Problem
from server.application.news import digest_watermark, mail_choices
from server.application.people import mail_frequency
from server.application.people.players import check_night, check_zone
from server.application.time.vacation import lock_with_games, update_deadlines
from server.models import Player, session, transaction
from server.runtime import runtime

ASK = {True: "on", False: "off"}
PICTURE = ("on", "own", "off")
STATION = ("mail", "page")
NO_PAGE = (
    "this server has no PUBLIC_URL, so its mails cannot link to the page that tells Mr. X where he is; they "
    "tell it themselves."
)


def preferences_of(player: Player) -> dict[str, str]:
    """Return the player's preferences.

    * `zone`: the time zone.
    * `mail`: how much mail the player gets.
    * `ask`: whether a move by mail needs a YES before it counts, on or off.
    * `night`: the hours in which no deadline falls, such as 23:00-07:00, or off.
    * `vacation`: whether the server spends days of vacation before the player is late, on or off.
    * `picture`: whether mails have a picture of the board, on or off; with `own` Mr. X's picture shows where he is.
    * `station`: whether Mr. X's mails tell where he is, mail or page; with `page` they link to the page of the game.
    """
    return {
        "zone": player.zone,
        "mail": player.mail,
        "ask": ASK[player.asks_first],
        "night": player.night or "off",
        "vacation": ASK[player.spends_vacation],
        "picture": player.picture,
        "station": player.station,
    }


def change_preferences(
    player_id: str,
    zone: str | None = None,
    mail: str | None = None,
    ask: str | None = None,
    night: str | None = None,
    vacation: str | None = None,
    picture: str | None = None,
    station: str | None = None,
) -> Player:
    """Change those preferences that are given; raise `Problem` form if a value is not valid.

    Deadlines under way that fall into the new night move to its end; none comes nearer.
    """
    for name, given, words in (
        ("ask", ask, ASK.values()), ("vacation", vacation, ASK.values()),
        ("picture", picture, PICTURE), ("station", station, STATION),
    ):  # fmt: skip
        if given not in (None, *words):
            raise Problem("form", f"choose {' or '.join(words)}.", field=name)
    if station == "page" and runtime().settings.public_url is None:
        raise Problem("form", NO_PAGE, field="station")
    amount = None if mail is None else mail_frequency.read(mail)
    zone = None if zone is None else check_zone(zone)
    hours = None if night is None else check_night(night)
    with transaction():
        player = lock_with_games(player_id)
        begin_to_write()
        slept = player.night, player.zone
        player.zone = player.zone if zone is None else zone
        player.asks_first = player.asks_first if ask is None else ask == ASK[True]
        player.night = player.night if night is None else hours
        player.picture = player.picture if picture is None else picture
        player.station = player.station if station is None else station
        player.spends_vacation = player.spends_vacation if vacation is None else vacation == ASK[True]
        if (player.night, player.zone) != slept:
            session.flush()
            update_deadlines(player)
            digest_watermark.release(player_id)
        if amount is not None:
            mail_choices.choose(player_id, amount)
    return player
