"""The forms of the pages, and requests of REST that need more than the world of the contract has."""

import re
from base64 import b64encode
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import select, update
from werkzeug.test import TestResponse

from server.application.game import reply_addresses
from server.application.game.situations import act
from server.application.lobby import seats, starting
from server.application.operator import operators
from server.application.people import blocked_networks, codes
from server.application.people.accounts import abuse_reports, addresses, browsers, guests, sign_up
from server.house_rules.holding import put_on_hold
from server.house_rules.submission import RequestedMove
from server.models import (
    AbuseReport,
    BrowserSession,
    Game,
    Incoming,
    Invitation,
    Outgoing,
    Player,
    ReplyToken,
    session,
    transaction,
)
from server.vocabulary.durations import DAY
from tests.contract.world import API, World
from tests.positions import position
from tests.table import Person
from tests.webhooks.subscription import FORM

PASSWORD = "password-of-postmark"
SETTINGS = {"dev_mail": "1", "postmark_secret": PASSWORD}
BROWSER = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}


class Form(NamedTuple):
    """A form that somebody sends from their browser; `who` None is not signed in. `game` is one of the world's."""

    who: str | None
    fields: dict[str, str]
    game: str = "private"


# By the rule of the page: forms that are accepted, and change something.
FORMS: dict[str, tuple[Form, ...]] = {
    "/practice": (Form(None, {"role": "detective"}), Form("Ben", {"role": "mr_x"})),
    "/friends": (
        Form(None, {"name": "Zoe", "people": "3", "pace": "evening"}),
        Form("Ben", {"people": "2", "pace": "days"}),
    ),
    "/sign-in": (Form(None, {"email": "somebody@example.org"}),),
    "/sign-in/code/<code>": (Form("Hana", {"name": "Zoe"}),),
    "/language": (Form("Ben", {"language": "de"}),),
    "/sign-out": (Form("Ben", {}),),
    "/me/settings": (Form("Ben", {"zone": "Europe/Paris"}),),
    "/me/name": (Form("Ben", {"name": "Benno"}),),
    "/me/zone": (Form("Ben", {"zone": "Europe/Paris"}),),
    "/me/mail": (Form("Ben", {"mail": "off"}), Form("Ben", {"mail": "stop"})),
    "/games/<game_id>/mail": (Form("Ben", {"mail": "off"}),),
    "/me/addresses": (Form("Ben", {"email": "another@example.org"}),),
    "/me/addresses/confirm": (Form("Ben", {"code": "{more}"}),),
    "/me/addresses/<address_id>/main": (Form("Ben", {}),),
    "/me/addresses/<address_id>/remove": (Form("Ben", {}),),
    "/me/vacation": (Form("Ben", {"first": "2026-12-01", "last": "2026-12-02"}),),
    "/me/vacation/<absence_id>/end": (Form("Ben", {}),),
    "/me/tokens": (Form("Ben", {"name": "robot", "scope_read": "on"}),),
    "/me/tokens/<token_id>/revoke": (Form("Ben", {}),),
    "/me/calendar": (Form("Ben", {}),),
    "/me/webhooks": (Form("Ben", {"url": "https://example.org/another"}),),
    "/me/webhooks/<webhook_id>": tuple(Form("Ben", {"do": wish}) for wish in ("test", "off", "secret", "remove")),
    "/me/devices": (Form("Ben", FORM),),
    "/me/devices/<device_id>/remove": (Form("Ben", {}),),
    "/me/blocks": (Form("Ben", {"who": "nobody@example.org"}),),
    "/me/blocks/<block_id>/remove": (Form("Ben", {}),),
    "/me/device": (Form("Ben", {}),),
    "/continue/<code>": (Form(None, {}),),
    "/address/<code>": (Form(None, {}),),
    "/me/browsers/<session_id>": (Form("Ben", {}),),
    "/me/delete": (Form("Lou", {"name": "Lou"}),),
    "/operator/mail/<mail_id>/send": (Form("Gus", {}),),
    "/operator/mail/<mail_id>/read": (Form("Gus", {}),),
    "/games": (
        Form("Ben", {"edition": "condensed", "players": "3", "seat": "mr_x", "others": "open"}),
        Form("Ben", {"edition": "condensed", "players": "3", "seat": "mr_x", "others": "bots", "once": "key"}),
    ),
    "/games/<game_id>/moves": (Form("Ben", {"turn": "2", "move": "red taxi 116"}),),
    "/games/<game_id>/ahead": (Form("Cleo", {}),),
    "/join/<code>": (Form(None, {"name": "Anna"}),),
    "/games/<game_id>/guests": (Form("Gus", {"seats": "any", "stay": "P3D"}, "open"),),
    "/games/<game_id>/seats": (Form("Hana", {"role": "detective"}, "offered"),),
    "/games/<game_id>/seats/<int:seat>": (Form("Gus", {"bot": "constable"}, "offered"),),
    "/games/<game_id>/seats/<int:seat>/clear": (Form("Gus", {}, "open"),),
    "/games/<game_id>/seats/<int:seat>/remind": (Form("Gus", {}, "invited"),),
    "/games/<game_id>/seats/<int:seat>/link": (Form("Gus", {}, "with a guest"),),
    "/games/<game_id>/code": (Form("Gus", {}, "open"),),
    "/games/<game_id>/name": (Form("Gus", {"name": "Friday night"}, "open"),),
    "/games/<game_id>/close": (Form("Gus", {}, "open"),),
    "/games/<game_id>/leave": (Form("Finn", {}, "open"),),
    "/games/<game_id>/publish": (Form("Gus", {}, "open"),),
    "/games/<game_id>/host": (Form("Gus", {"seat": "2"}),),
    "/games/<game_id>/start": (Form("Gus", {}, "full"), Form("Gus", {"level": "fair"}, "filled")),
    "/games/<game_id>/talk": (Form("Ben", {"to": "team", "text": "There he is"}),),
    "/games/<game_id>/talk/muted": (Form("Ben", {"muted": "yes"}),),
    "/games/<game_id>/votes": (Form("Ben", {"kind": "extend", "number": "1", "unit": "days"}),),
    "/games/<game_id>/votes/<vote_id>": (Form("Ben", {"for": "no"}),),
    "/games/<game_id>/draw": (Form("Ben", {"agrees": "yes"}),),
    "/games/<game_id>/cover": (Form("Ben", {"seat": "3"}),),
    "/games/<game_id>/resign": (Form("Ben", {}), Form("Ada", {})),
    "/games/<game_id>/rematch": (Form("Ben", {}, "over"),),
    "/games/<game_id>/again": (Form("Ben", {"ply": "0", "side": "mr_x"}, "given up"),),
    "/games/<game_id>/replay": (Form("Ben", {"shows": "pawn"}, "over among friends"),),
    "/games/<game_id>/report": (Form("Ben", {"what": "name-1"}),),
    "/reports/<token>": (Form(None, {}),),
    "/answer/<token>/<name>": (Form(None, {}),),
    "/games/<game_id>/held": (Form("Ben", {"do": "play"}), Form("Ben", {"do": "stop"})),
    "/operator/people/reports/<report_id>": (Form("Gus", {}),),
    "/operator/people/games": (Form("Gus", {"game": "{game}", "reason": "the mail was down", "sure": "yes"}),),
    "/operator/people/names": (Form("Gus", {"player": "ben@example.org", "sure": "yes"}),),
    "/operator/people/guests": (Form("Gus", {"player": "{guest}", "sure": "yes"}),),
    "/operator/people/networks": (Form("Gus", {"network": "203.0.113.0/24", "length": "P7D", "sure": "yes"}),),
    "/operator/people/networks/end": (Form("Gus", {"network": "198.51.100.0/24"}),),
    "/stop/<token>": (Form(None, {}), Form(None, {"all": "yes"})),
    "/dev/mail": (Form(None, {"who": "ben@example.org", "subject": "Hello", "text": "STATUS", "token": "{dev}"}),),
}
# Forms that change nothing: they ask.
ASKING = {
    "/sign-in/code": "it leads to the page of the code",
    "/join": "it leads to the page of the game",
    "/games/<game_id>/stations": "a station of Mr. X's may stand in no address",
    "/games/<game_id>/moves/double": "it shows the second legs",
}


class Stage(World):
    """The world of the contract, with browsers, an operator, somebody without a game, and codes that were mailed."""

    def _more_of(self, ben: Person) -> None:
        super()._more_of(ben)
        gus = self.people["Gus"]
        self.people["Lou"] = lou = self.table.person("Lou")
        self.tokens["Lou", "whole"] = lou.token
        bots = [{"role": "mr_x", "bot": "fugitive"}, {"role": "detective", "bot": "constable"}]
        self.games["full"] = self._opened(gus, {"edition": "condensed", "seats": bots})
        over = {"visibility": "private", "position": position(104, red=(117, {}))}
        self.games["over among friends"] = self._running(gus, over, self.people["Ada"], self.people["Ben"])
        given_up = {"position": position(104, red=117)}
        self.games["given up"] = self._running(gus, given_up, self.people["Ada"], self.people["Ben"])
        self.people["Ada"].post(f"/games/{self.games['given up']}/resign")
        self.people["Cleo"].post(f"/games/{self.games['private']}/draw")
        friends = gus.post("/games", {"edition": "condensed", "players": 2, "visibility": "private"})
        self.ids["join"] = friends.json["code"]  # type: ignore[index]
        with_guest = [{"role": "mr_x"}, {"role": "detective", "invite": "ivy@example.org"}]
        self.games["invited"] = self._opened(gus, {"edition": "condensed", "seats": with_guest})
        half = [{"role": "mr_x", "player": gus.id}, {"role": "detective"}]
        beside_guest = [bots[0], half[1], {"role": "detective", "player": gus.id}]
        for name, chosen in (("filled", half), ("with a guest", beside_guest)):
            self.games[name] = self._opened(gus, {"edition": "condensed", "seats": chosen, "visibility": "private"})
        with self.table.app.app_context():
            operators.change(gus.id, granted=True)
            sign_up.request_code("Kim", "kim@example.org")
            sign_up.request_sign_in("zoe@example.org", network="192.0.2.0/24")
            addresses.ask_for(ben.id, "ben@home.example")
            self.cookies = {name: browsers.sign_in(person.id, "Firefox") for name, person in self.people.items()}
            browsers_of_ben = select(BrowserSession.id).where(BrowserSession.player_id == ben.id)
            self.ids["session_id"] = session.scalars(browsers_of_ben).one()
            guest, secret = guests.begin("192.0.2.0/24", "Firefox")
            self.ids["guest"] = guest.id
            table = self.games["with a guest"]
            seats.join(table, guest, code=session.get_one(Game, table).code)
            starting.start(table, session.get_one(Player, gus.id))
            addresses.ask_for(guest.id, "guest@home.example", browser=secret)
            self.ids["continue"] = codes.for_device(guest.id)
            sent = select(Outgoing).where(Outgoing.kind == "address", Outgoing.player_id.is_(None))
            to_guest = (row.details for row in session.scalars(sent) if row.details)
            (self.ids["address"],) = (details["code"] for details in to_guest if "pin" in details)
            blocked_networks.block("198.51.100.0/24", "P7D")
            red = [RequestedMove("red taxi 116")]
            player = session.get_one(Player, ben.id)
            act(self.games["private"], player, put_on_hold, red, timedelta(minutes=15))
            abuse_reports.report_name(self.games["private"], session.get_one(Player, ben.id), 3)
            with transaction():
                for waits in session.scalars(select(Invitation)):
                    waits.created_at -= 2 * DAY  # so that there may be a reminder
            self.ids["report_id"] = session.scalars(select(AbuseReport.id)).one()
            session.remove()
        self.ids["game"] = self.games["private"]
        self.table.tick()
        addresses_of_codes = ("sign-in", "zoe@example.org"), ("up", "kim@example.org"), ("more", "ben@home.example")
        for name, address in addresses_of_codes:
            found = re.search(r'the code is "(\w+)"', self.table.post.of(address)[-1].get_content())
            assert found is not None
            self.ids[name] = found[1]
        self._set_mails(ben)

    def _set_mails(self, ben: Person) -> None:
        """One mail to Ben is a dead letter, and one of his is set aside."""
        self.table.deliver(b"From: ben@example.org\r\n\r\nSTATUS\r\n", ben.address, "play@localhost")
        with self.table.app.app_context(), transaction():
            session.execute(update(Incoming).values(state="aside", verdict="failed"))
            mails = select(Outgoing).where(Outgoing.player_id == ben.id, Outgoing.game_id.is_not(None))
            dead = session.scalars(mails.order_by(Outgoing.id)).first()
            assert dead is not None
            dead.state = "dead"
            self.ids["send"], self.ids["read"] = dead.id, session.scalars(select(Incoming.id)).one()
            self.ids["stop"] = reply_addresses.mark(reply_addresses.STOP, dead.id)
            digest = session.scalars(select(ReplyToken.digest).order_by(ReplyToken.digest)).all()[0]
            self.ids["answer"] = reply_addresses.mark(reply_addresses.ANSWER, digest[:16])
            self.ids["name"] = "agree"
            invitation = session.scalars(select(Outgoing.id).where(Outgoing.game_id == self.games["invited"])).one()
            self.ids["reports"] = reply_addresses.mark(reply_addresses.REPORT, invitation)
            dev_token = b"forms of the development mailbox"
            self.ids["dev"] = self._runtime.keyring.fingerprint(dev_token)[:32]

    def send(self, rule: str, form: Form) -> TestResponse:
        """Send a form from a browser of its own."""
        self.ids["mail_id"] = self.ids.get(rule.rpartition("/")[2], "")
        self.ids["token"] = self.ids.get(rule.split("/")[1], "")
        client = self.table.app.test_client()
        name, secret = ("blackticket", self.cookies[form.who]) if form.who else ("blackticket_trial", "yes")
        client.set_cookie(name, secret)
        self.ids["code"] = self.ids.get(rule.split("/")[1], self.ids["sign-in"])
        template = re.sub(r"<(?:int:)?(\w+)>", r"{\1}", rule)
        fields = {name: value.format(**self.ids) for name, value in form.fields.items()}
        return client.post(self.path(template, form.game), data=fields, headers=BROWSER)

    def headers(self, who: str) -> dict[str, str]:
        """As in the contract, with two more who call."""
        more = {"leaving": "Lou", "teammate": "Cleo"}
        if who not in more:
            return super().headers(who)
        return {"Authorization": f"Bearer {self.tokens[more[who], 'whole']}"}

    def hand_over(self) -> TestResponse:
        """Postmark hands a mail over."""
        mail = {"RawEmail": "From: ben@example.org\r\n\r\nSTATUS\r\n", "OriginalRecipient": "play@localhost"}
        login = {"Authorization": "Basic " + b64encode(f"postmark:{PASSWORD}".encode()).decode()}
        return self.table.client.post(f"{API}/inbound/postmark", json=mail, headers=login)
