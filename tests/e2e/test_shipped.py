"""Two people at the application as it is shipped."""

import pytest

from tests.e2e.shipped import Shipped, text_of
from tests.patience import eventually


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Shipped:
    return Shipped(tmp_path_factory.mktemp("shipped"))


@pytest.mark.campaign
def test_two_people_sign_up_and_play_by_rest_and_by_mail_and_a_restart_loses_nothing(shipped: Shipped):
    with shipped.serving():
        ada, ben = shipped.sign_up("Ada"), shipped.sign_up("Ben")
        game = ada.open_game("condensed", players=2, visibility="public")["id"]
        ada.join(game, seat=1)
        ben.join(game, seat=2)
        ada.start(game)
        ada.move(game, 1, ada.legal_moves(game)["moves"][0]["notation"])
        assert ben.game(game)["to_move"] == ["purple"]
        wanted = ben.legal_moves(game)["moves"][0]["notation"]
        shipped.answer(shipped.mail_to("ben@example.org", "your move"), wanted)
        assert eventually(lambda: ben.game(game)["to_move"] == ["red"])
        assert eventually(lambda: [mail for mail in shipped.mails("ben@example.org") if "Understood" in text_of(mail)])
        before = ben.game(game)
    with shipped.serving():
        assert shipped.client(ben.token).game(game) == before
        found = eventually(lambda: (facts := shipped.doctor())["mails_to_send"] == 0 and facts)
    assert {name: found[name] for name in ("mails_to_read", "dead_letters", "overdue_deadlines", "troubles")} == {
        "mails_to_read": 0, "dead_letters": 0, "overdue_deadlines": 0, "troubles": [],
    }  # fmt: skip
